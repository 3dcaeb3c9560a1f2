// SPDX-License-Identifier: GPL-2.0
/*
 * Rings of a line a page. Each page's line lies one further into its page,
 * so that as long as there are few of them they all hit the innermost cache,
 * and what they cost beyond lines packed into one page is translation.
 */
#include "probe/tlb_look.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/hops.h"
#include "analysis/spectrum.h"
#include "analysis/stat.h"
#include "backend.h"
#include "limits.h"
#include "probe/cpu.h"

#define HUGE_PAGE (2u << 20)
/* The packed ring, and how many replicates all else is compared with. */
#define BASE_LINES 16u
#define BASE_REPLICATES 6u
/* .. in bursts as long as those of so many pages. */
#define BASE_AS_LONG 256u
#define BURSTS 4u
/* Turns to warm up with: sets of other policies than LRU take a few until
 * they are in their steady state. */
#define TURNS 6u
#define WARM_MIN 256u
/* .. of which no mean of the middle frees a histogram. */
#define SINGLE_WARM 2u
/* Hops of a burst: where each is timed, turns; else as many as make a step of
 * the clock small against one miss a turn. */
#define HOPS_MIN 256u
#define HOPS_MAX 16384u
#define SINGLE_TURNS 8.0
#define TURNS_LEAST 24.0
#define STEPS_A_MISS 1.2
/* Bursts of so many turns hardly show what was lost before they began; some of
 * so few show as little, and are interrupted less often. */
#define LONG_TURNS 384.0
#define LONG_HOPS_MAX 49152u
#define MORE_TURNS 192.0
#define LONGEST 2u
/* A hit in a second level known takes no more. */
#define DEAR_CYCLES 14.0
/* The cheapest hit in a second level known takes more than four cycles: half
 * of one such miss a turn is still a miss. */
#define MISS_CYCLES 4.0
/* Of a miss a turn, so much is one where it cannot be told from noise. */
#define OFTEN 0.75
/* What is paid anyway differs by so much of it. */
#define TAKEN 1.1
/* So many standard errors make a difference. */
#define SURE 2.5
/* Packed lines and spread ones may differ by so much of a load. */
#define ALIKE 0.002
/* So many packed lines are tried at most. */
#define HELD_MOST 512u
/* .. and of one set, so many pages apart: innermost caches begin anew after
 * that at the latest, with few exceptions. */
#define CONFLICT_MOST 16u
#define CONFLICT_STRIDE 16u

static uint64_t hops_of(const struct mp_tlb_ask *ask, uint32_t n)
{
	double turns = fmax(ask->step_cycles * STEPS_A_MISS, TURNS_LEAST);
	double hops;

	if (ask->single)
		turns = SINGLE_TURNS;
	else if (ask->longer)
		turns = fmax(turns, ask->longer < LONGEST ? MORE_TURNS :
							    LONG_TURNS);
	hops = turns * n;

	return (uint64_t)fmin(fmax(hops, HOPS_MIN),
			      ask->longer < LONGEST ? HOPS_MAX : LONG_HOPS_MAX);
}

static void frame(const struct mp_tlb_ask *ask, uint32_t n,
		  struct mp_exp *exp)
{
	struct mp_actor *actor = &exp->actor[0];

	exp->arena[0].node = ask->view->node;
	exp->quiet = ask->view->quiet;
	actor->warm_hops = (uint64_t)fmax(TURNS * (double)n, WARM_MIN) *
			   (ask->single ? SINGLE_WARM : 1);
	actor->hops = hops_of(ask, n);
	actor->bursts = BURSTS;
	if (ask->single)
		actor->detail = MP_DETAIL_HIST;
}

void mp_tlb_ring_exp(const struct mp_tlb_ask *ask, uint32_t stride, uint32_t n,
		     struct mp_exp *exp)
{
	uint64_t bytes = stride * ask->page_bytes;

	mp_exp_chase(exp, ask->view->cpu, ask->pages, n * bytes, bytes, 0);
	exp->actor[0].skew = ask->skew * ask->line;
	frame(ask, n, exp);
}

void mp_tlb_along_exp(const struct mp_tlb_ask *ask, uint64_t stride_bytes,
		      uint32_t lines, struct mp_exp *exp)
{
	mp_exp_chase(exp, ask->view->cpu, ask->pages, lines * stride_bytes,
		     stride_bytes, 0);
	frame(ask, lines, exp);
}

void mp_tlb_packed_exp(const struct mp_tlb_ask *ask, uint32_t n,
		       struct mp_exp *exp)
{
	mp_exp_chase(exp, ask->view->cpu, MP_PAGES_4K,
		     (uint64_t)n * ask->line, ask->line, 0);
	frame(ask, n, exp);
	if (n == BASE_LINES)
		exp->actor[0].hops = hops_of(ask, BASE_AS_LONG);
}

/* Was memory of the kind that was wished for granted? */
static bool is_granted(const struct mp_batch *batch)
{
	const uint32_t wish = batch->exp.arena[0].pages;
	const struct mp_grant_arena *got = &batch->grant.arena[0];

	return wish == MP_PAGES_4K || got->pages == wish;
}

/* Cycles a hop, of all actors alike. */
static double hop_cycles(const struct mp_batch *batch)
{
	double ticks = 0;

	for (uint32_t i = 0; i < batch->exp.n_actors; i++)
		ticks += mp_clock_hop_ticks(batch, i);
	return mp_clock_cycles(batch, ticks / batch->exp.n_actors);
}

bool mp_tlb_gather(struct mp_tlb_ask *ask, const struct mp_exp *exp,
		   uint32_t replicates, struct mp_tlb_seen *seen)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	double value[MP_TLB_MANY], sd = 0, quantum;
	const struct mp_actor *actor = &exp->actor[0];
	uint32_t tried = 0;
	const uint64_t id = mp_exp_id(exp);

	memset(seen, 0, sizeof(*seen));
	while ((batch = mp_view_next(ask->view, id, &at))) {
		seen->id = batch->id;
		tried++;
		ask->refused |= batch->error == -ENOMEM;
		if (seen->n == MP_TLB_MANY || !mp_batch_counts(batch))
			continue;
		ask->refused |= !is_granted(batch);
		value[seen->n] = hop_cycles(batch);
		seen->n += !isnan(value[seen->n]);
	}
	/* Disturbed ones are not made again for ever: most will do, and as many
	 * again are made for those that were given up. */
	if (seen->n < replicates &&
	    (tried < replicates || 3 * seen->n < 2 * replicates)) {
		const uint32_t lost = (tried - seen->n) / (1 + MP_REPEATS_MAX);

		ask->lacks = true;
		if (ask->plan && !ask->refused &&
		    mp_plan_add(ask->plan, exp, replicates +
				(lost < replicates ? lost : replicates)))
			ask->err = -ENOMEM;
		return false;
	}
	seen->cycles = mp_stat_tame(value, seen->n, &sd);
	quantum = ask->step_cycles / sqrt(6) / (double)actor->hops /
		  sqrt(actor->bursts * exp->rounds);
	seen->error = fmax(sd, quantum) / sqrt(seen->n);
	seen->least = value[0];
	for (uint32_t i = 1; i < seen->n; i++)
		seen->least = fmin(seen->least, value[i]);
	return true;
}

bool mp_tlb_fits(const struct mp_tlb_ask *ask, uint32_t stride, uint32_t n)
{
	return n && (uint64_t)stride * n <= ask->pages_most;
}

bool mp_tlb_clear(const struct mp_tlb_ask *ask, uint32_t stride, uint32_t n)
{
	return n <= ask->lines_held &&
	       (stride == 1 || n <= ask->lines_apart) &&
	       mp_tlb_fits(ask, stride, n);
}

/* Hops that take more than @cycles, but no more than @most. @least: of the
 * replicate that has the fewest. */
static double share_of(const struct mp_tlb_ask *ask, const struct mp_exp *exp,
		       double cycles, double most, bool least)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	const struct mp_spectrum bound = {
		.bound = { ask->base_cycles + cycles, ask->base_cycles + most },
	};
	double value[MP_TLB_MANY];
	uint32_t found = 0;
	const uint64_t id = mp_exp_id(exp);

	while (found < MP_TLB_MANY && (batch = mp_view_next(ask->view, id, &at))) {
		if (!mp_batch_counts(batch))
			continue;
		value[found] = mp_spectrum_slower(batch, &bound, 0);
		if (most < INFINITY)
			value[found] -= mp_spectrum_slower(batch, &bound, 1);
		found += !isnan(value[found]);
	}
	if (!least || !found)
		return mp_stat_tame(value, found, NULL);
	for (uint32_t i = 1; i < found; i++)
		value[0] = fmin(value[0], value[i]);
	return value[0];
}

/* What most hops take that take more than @bound, by replicates. */
static void mostly_of(const struct mp_tlb_ask *ask, const struct mp_exp *exp,
		      double bound, struct mp_tlb_seen *seen)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	const uint64_t id = mp_exp_id(exp);
	double value[MP_TLB_MANY] = { 0 }, sd = 0, hops = 0;

	memset(seen, 0, sizeof(*seen));
	while (seen->n < MP_TLB_MANY && (batch = mp_view_next(ask->view, id, &at))) {
		struct mp_hops all;

		if (!mp_batch_counts(batch))
			continue;
		value[seen->n] = NAN;
		if (!mp_hops_gather(batch, &all)) {
			value[seen->n] = mp_hops_mostly(&all, bound);
			hops = fmax(hops, all.all);
		}
		mp_hops_free(&all);
		if (isnan(value[seen->n])) {
			seen->n = 0;
			return;
		}
		seen->least = seen->n ? fmin(seen->least, value[seen->n]) :
					value[0];
		seen->n++;
	}
	seen->cycles = mp_stat_tame(value, seen->n, &sd);
	seen->error = fmax(sd, ask->step_cycles / sqrt(6 * hops)) /
		      sqrt(seen->n);
}

void mp_tlb_mostly(const struct mp_tlb_ask *ask, uint32_t stride, uint32_t n,
		   double cycles, struct mp_tlb_seen *seen)
{
	struct mp_exp exp;

	memset(seen, 0, sizeof(*seen));
	if (!ask->single || isnan(ask->base_hop))
		return;
	mp_tlb_ring_exp(ask, stride, n, &exp);
	mostly_of(ask, &exp, ask->base_hop + cycles, seen);
	seen->cycles -= ask->base_hop;
	seen->least -= ask->base_hop;
}

uint32_t mp_tlb_compare(double value, double error, double bound)
{
	if (value - SURE * error > bound)
		return MP_TLB_YES;
	if (value + SURE * error < bound)
		return MP_TLB_NO;
	return MP_TLB_UNSURE;
}

/* Does a ring cost more than another, or than the base, by half a miss a turn?
 * Return: MP_TLB_NO, YES or LACKS */
static uint32_t is_dearer(struct mp_tlb_ask *ask, const struct mp_exp *exp,
			  const struct mp_exp *than, uint32_t n)
{
	const double bound = MISS_CYCLES / 2 / n + ALIKE * ask->base_cycles;
	struct mp_tlb_seen seen, other = {
		.cycles = ask->base_cycles, .error = ask->base_error,
	};
	uint32_t say = MP_TLB_UNSURE;

	for (uint32_t k = MP_TLB_REPLICATES;
	     k <= MP_TLB_MANY && say == MP_TLB_UNSURE; k *= 4) {
		bool there = !than || mp_tlb_gather(ask, than, k, &other);

		if (!mp_tlb_gather(ask, exp, k, &seen) || !there)
			return MP_TLB_LACKS;
		say = mp_tlb_compare(seen.cycles - other.cycles,
				     hypot(seen.error, other.error), bound);
	}
	return say == MP_TLB_UNSURE ? seen.cycles - other.cycles > bound : say;
}

/* Lines that are held when packed. */
static bool find_packed(struct mp_tlb_ask *ask, uint32_t *lines)
{
	bool there = true, held = true;
	struct mp_exp exp;

	*lines = BASE_LINES;
	for (uint32_t n = 2 * BASE_LINES; n <= HELD_MOST; n *= 2) {
		uint32_t say;

		mp_tlb_packed_exp(ask, n, &exp);
		say = is_dearer(ask, &exp, NULL, n);
		there &= say != MP_TLB_LACKS;
		held &= say == MP_TLB_NO;
		if (held)
			*lines = n;
	}
	return there;
}

/* Lines at the same place of as many pages that are held: they share a set.
 * The same pages with lines in different sets take the same translations. */
static bool find_conflict(struct mp_tlb_ask *ask, uint32_t *lines)
{
	bool there = true, held = true;
	struct mp_exp same, apart;

	*lines = 1;
	for (uint32_t n = 2; n <= CONFLICT_MOST; n *= 2) {
		uint32_t say;

		mp_tlb_ring_exp(ask, CONFLICT_STRIDE, n, &apart);
		same = apart;
		same.actor[0].skew = 0;
		say = is_dearer(ask, &same, &apart, n);
		there &= say != MP_TLB_LACKS;
		held &= say == MP_TLB_NO;
		if (held)
			*lines = n;
	}
	return there;
}

/*
 * So many lines, each of another page and one further into it, fall evenly on
 * the sets of the innermost cache, whatever lies above the page's bits: as
 * many as are held when packed, but no more than a set holds for each place
 * of a line in a page.
 */
static bool find_held(struct mp_tlb_ask *small)
{
	uint32_t packed, conflict;
	bool there = find_packed(small, &packed);

	there &= find_conflict(small, &conflict);
	conflict *= MP_TLB_SMALL_PAGE / small->line;
	small->lines_most = packed;
	small->lines_held = packed < conflict ? packed : conflict;
	return there;
}

bool mp_tlb_ask_init(struct mp_tlb_ask *ask, const struct mp_view *view,
		     struct mp_plan *plan, uint32_t pages, bool single)
{
	double line = mp_cpu_value(view, "l1d", "line");
	struct mp_tlb_ask small;
	struct mp_tlb_seen base;
	struct mp_exp exp;
	bool there;

	memset(ask, 0, sizeof(*ask));
	ask->view = view;
	ask->plan = plan;
	ask->pages = pages;
	ask->page_bytes = pages == MP_PAGES_4K ? MP_TLB_SMALL_PAGE : HUGE_PAGE;
	ask->pages_most = view->arena_max_bytes / ask->page_bytes;
	ask->line = isnan(line) ? MP_CPU_LINE_USUAL : (uint32_t)line;
	ask->skew = 1;
	ask->other_skew = 3;
	ask->step_cycles = mp_cpu_step(view);
	ask->single = single && ask->step_cycles <= MP_SPECTRUM_STEP_MAX;
	if (isnan(ask->step_cycles)) {
		/* Whatever its hops, one batch tells. */
		ask->step_cycles = 0;
		mp_tlb_packed_exp(ask, BASE_LINES, &exp);
		mp_tlb_gather(ask, &exp, 1, &base);
		return false;
	}
	mp_tlb_packed_exp(ask, BASE_LINES, &exp);
	there = mp_tlb_gather(ask, &exp, BASE_REPLICATES, &base);
	ask->base_cycles = base.cycles;
	ask->base_error = base.error;
	/* Asked to time single hops, and they are not there. */
	if (there && ask->single && isnan(share_of(ask, &exp, 0, INFINITY, false)))
		return mp_tlb_ask_init(ask, view, plan, pages, false);
	mostly_of(ask, &exp, -INFINITY, &base);
	ask->base_hop = ask->single && base.n ? base.cycles : NAN;
	small = *ask;
	small.pages = MP_PAGES_4K;
	small.page_bytes = MP_TLB_SMALL_PAGE;
	there &= find_held(&small);
	ask->lines_held = ask->lines_apart = small.lines_held;
	ask->lines_most = small.view->caps & MP_CAP_PHASES ? small.lines_most :
							     small.lines_held;
	ask->lacks |= small.lacks;
	ask->err = small.err;
	return there;
}

void mp_tlb_take_off(struct mp_tlb_seen *seen,
		     const struct mp_tlb_seen *packed)
{
	seen->cycles -= packed->cycles;
	seen->least -= packed->cycles;
	seen->error = hypot(seen->error, packed->error);
}

bool mp_tlb_look(struct mp_tlb_ask *ask, uint32_t stride, uint32_t n,
		 uint32_t replicates, struct mp_tlb_seen *seen)
{
	struct mp_tlb_seen packed = {
		.cycles = ask->base_cycles, .error = ask->base_error,
	};
	struct mp_exp exp;
	bool there = true;

	if (n > ask->lines_held) {
		mp_tlb_packed_exp(ask, n, &exp);
		there = mp_tlb_gather(ask, &exp, replicates, &packed);
	}
	mp_tlb_ring_exp(ask, stride, n, &exp);
	if (!mp_tlb_gather(ask, &exp, replicates, seen) || !there)
		return false;
	mp_tlb_take_off(seen, &packed);
	return true;
}

double mp_tlb_share(const struct mp_tlb_ask *ask, uint32_t stride, uint32_t n,
		    double cycles)
{
	struct mp_exp exp;

	mp_tlb_ring_exp(ask, stride, n, &exp);
	return share_of(ask, &exp, cycles, INFINITY, false);
}

double mp_tlb_share_least(const struct mp_tlb_ask *ask, uint32_t stride,
			  uint32_t n, double cycles, double most)
{
	struct mp_exp exp;

	mp_tlb_ring_exp(ask, stride, n, &exp);
	return share_of(ask, &exp, cycles, most, true);
}

double mp_tlb_taken(const struct mp_tlb_ask *ask, uint32_t n)
{
	return TAKEN * ask->taken / n;
}

double mp_tlb_one_error(const struct mp_tlb_ask *ask)
{
	return ask->base_error * sqrt(BASE_REPLICATES);
}

/* By rings of one length of burst. A page too many misses wherever it lies in
 * memory, so one replicate that does not miss is enough. */
static uint32_t misses_in(struct mp_tlb_ask *ask, uint32_t stride, uint32_t n,
			  struct mp_tlb_seen *seen)
{
	double alike = ALIKE * ask->base_cycles + mp_tlb_taken(ask, n);
	double miss = MISS_CYCLES / n;
	const double one = mp_tlb_one_error(ask);
	uint32_t say = MP_TLB_UNSURE;

	for (uint32_t k = MP_TLB_REPLICATES;
	     k <= MP_TLB_MANY && say == MP_TLB_UNSURE; k *= 4) {
		if (!mp_tlb_look(ask, stride, n, k, seen))
			return ask->lacks && !ask->plan ? MP_TLB_UNSURE :
							  MP_TLB_LACKS;
		say = mp_tlb_compare(seen->cycles, seen->error,
				     miss / 2 + alike);
	}
	/* What is taken is less in some. */
	if (say != MP_TLB_NO && !(ask->taken > 0) &&
	    mp_tlb_compare(seen->least, one, miss / 2 + alike) == MP_TLB_NO)
		return MP_TLB_NO;
	if (say == MP_TLB_UNSURE && SURE * seen->error < miss / 2)
		say = seen->cycles > miss * OFTEN + alike;
	return say;
}

/* Does a ring cost more than one miss of each page a burst? Of bursts that are neither
 * short nor long replicates are added until that is clear. */
static uint32_t is_each_turn(struct mp_tlb_ask *ask, uint32_t stride, uint32_t n,
			     struct mp_tlb_seen *seen)
{
	const double bound = DEAR_CYCLES * n / (double)hops_of(ask, n) +
			     mp_tlb_taken(ask, n);
	uint32_t say = mp_tlb_compare(seen->cycles, seen->error, bound);

	if (say != MP_TLB_UNSURE || ask->longer + 1 != LONGEST)
		return say;
	if (!mp_tlb_look(ask, stride, n, MP_TLB_MANY, seen))
		return ask->lacks && !ask->plan ? MP_TLB_UNSURE : MP_TLB_LACKS;
	return mp_tlb_compare(seen->cycles, seen->error, bound);
}

uint32_t mp_tlb_misses(struct mp_tlb_ask *ask, uint32_t stride, uint32_t n)
{
	struct mp_tlb_seen seen;
	uint32_t say = MP_TLB_UNSURE;
	uint64_t last = 0;

	/* What runs between bursts takes entries: each page may then miss once
	 * a burst, however many turns that has. */
	for (ask->longer = 0; ask->longer <= LONGEST; ask->longer++) {
		uint32_t sure = MP_TLB_UNSURE;

		/* Where there is no room for more turns it is the same again. */
		if (hops_of(ask, n) <= last)
			continue;
		last = hops_of(ask, n);
		say = misses_in(ask, stride, n, &seen);
		if (say == MP_TLB_YES)
			sure = is_each_turn(ask, stride, n, &seen);
		if (sure == MP_TLB_LACKS)
			say = sure;
		if (say == MP_TLB_NO || say == MP_TLB_LACKS || sure == MP_TLB_YES)
			break;
	}
	ask->longer = 0;
	return say;
}
