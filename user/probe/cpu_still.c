// SPDX-License-Identifier: GPL-2.0
/*
 * A count of a crowd (cpu_count.h) finds lines in a level and lines in those
 * inside, and of the latter it does not show which the level has as well. So
 * between the crowd and the looks for it a ring E is walked that is longer than
 * all levels inside hold, and no longer than this one does. Those inside are full
 * of E then, and what E's hops find here is here. Lines of the crowd that are
 * found here, and those of E, are so many at least.
 *
 * An exclusive level has less than E, and the sum says what the edge does: nothing
 * is asked there.
 */
#include "probe/cpu_still.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/stat.h"
#include "backend.h"
#include "limits.h"
#include "probe/cpu_beside.h"
#include "probe/cpu_count.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_served.h"

/* E, in sizes of all inside: as long as the first, if it is no longer than so
 * much of this level, and at least the second. Where those inside throw out the
 * oldest line that is enough. */
#define INSIDE_GOOD 2.0
#define INSIDE_LEAST 1.2
#define FITS_GOOD 0.7
/* .. and it may not be longer than this part of what the level holds at most. */
#define FITS_MOST 0.9
/* Lengths to the octave: edges move a little as more is known. */
#define GRAIN 8
/* Turns of E that are timed, and what fetches it before: not timed, as what is
 * kept of hops takes room, too. */
#define TURNS 3u
#define FETCH_TURNS 1u
/* What a backend may keep: of each hop, and beside that. */
#define KEPT_OF_HOP 8u
#define KEPT_BESIDE (4u << 10)
/* Hops of a burst, at most. */
#define E_HOPS 256u
#define PAGE 4096u
/* Where a page has no more lines of E than so, its hops do not tell translations
 * from misses. */
#define ROW_LEAST 4u
#define ROUNDS_LEAST 5u
#define SIGMAS 2.0

enum who { RING_A, RING_B, RING_FETCH, RING_E, RINGS };

/* Rings: those of the count; E's slots, and so many of them in a page. */
struct rings {
	struct mp_cpu_count count;
	uint64_t slots;
	uint32_t row;
};

/* Bytes of E; 0: there is no room between the levels inside and this one. */
static double length_of(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *inner = &edges->edge[k - 1];
	const double times = edges->table->shape[inner->shape].policy ==
			     MP_MISS_LRU ? INSIDE_LEAST : INSIDE_GOOD;
	const double e = mp_cpu_coarse(fmax(INSIDE_LEAST * inner->size,
				     fmin(times * inner->size,
					  FITS_GOOD * edges->edge[k].size)), GRAIN);

	return e <= FITS_MOST * edges->edge[k].high ? e : 0;
}

/* Whole pages, in bursts of whole pages. */
static void set_slots(double bytes, struct rings *rings)
{
	const uint64_t stride = rings->count.stride;
	const uint64_t pages = (uint64_t)ceil(bytes / PAGE);
	const uint64_t parts = (pages * PAGE / stride + E_HOPS - 1) / E_HOPS;

	rings->row = (uint32_t)(PAGE / stride);
	rings->slots = (pages + parts - 1) / parts * parts * rings->row;
}

static uint32_t bursts_of(const struct rings *rings)
{
	return (uint32_t)((rings->slots + E_HOPS - 1) / E_HOPS);
}

static bool lay(const struct mp_view *view, const struct mp_cpu_edges *edges,
		uint32_t k, struct rings *rings)
{
	const double bytes = k && edges->fitted[k - 1] ?
			     length_of(edges, k) : 0;
	double rounds;

	/* A line that is gone may be brought before its turn. */
	if (!(bytes > 0) || mp_cpu_may_prefetch(view))
		return false;
	mp_cpu_count_lay_still(view, edges, k, &rings->count);
	if (!rings->count.slots || rings->count.stride > PAGE / ROW_LEAST)
		return false;
	set_slots(bytes, rings);
	rounds = floor(MP_BATCH_WORDS_MAX /
		       (double)(TURNS * rings->slots + rings->count.looks));
	if (rounds < rings->count.rounds) {
		rings->count.replicates = (uint32_t)fmin(
			ceil(rings->count.replicates * rings->count.rounds /
			     fmax(rounds, 1)), 3 * rings->count.replicates);
		rings->count.rounds = (uint32_t)rounds;
	}
	return rings->count.rounds >= 1 &&
	       2 * (rings->count.slots * rings->count.apart + PAGE) +
	       rings->slots * rings->count.stride + 2 * PAGE <=
	       view->arena_max_bytes;
}

static void make_exp(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     const struct rings *rings, struct mp_exp *exp)
{
	struct mp_actor *fetch = &exp->actor[RING_FETCH];
	struct mp_actor *e = &exp->actor[RING_E];

	mp_cpu_count_exp(view, edges, k, &rings->count, exp);
	*e = exp->actor[RING_A];
	e->offset = (exp->arena[0].bytes + PAGE - 1) / PAGE * PAGE;
	e->length = rings->slots * rings->count.stride;
	exp->arena[0].bytes = e->offset + e->length;
	exp->n_actors = RINGS;
	e->reach = PAGE;
	e->warm_hops = 0;
	e->hops = rings->slots / bursts_of(rings);
	*fetch = *e;
	fetch->phase = 1;
	fetch->bursts = FETCH_TURNS * bursts_of(rings);
	e->phase = 2;
	e->bursts = TURNS * bursts_of(rings);
	e->detail = MP_DETAIL_TICKS;
	e->group = 1;
	exp->actor[RING_B].phase = 3;
}

/* -- what came back --------------------------------------------------------- */

/* Where a line of E was first found, but inside: what is found there may have left
 * this level long ago. */
enum first { INSIDE, HERE, MISSED };

/* Of one round: of lines of E, in the turns from each on. */
struct round {
	uint8_t *first[TURNS];
	uint32_t looked;	/* at, in the last turn */
	uint32_t bursts;
};

/* Of rounds: the share of E that is here for certain. */
struct sums {
	double n;
	double sum[TURNS];
	double squares[TURNS];
};

/*
 * A miss brings its line here, and puts out one at most: from any moment on lines
 * that were found here before they missed are so many that are here at the end, or
 * others are in their place. No two slots share a line: all of a long ring miss.
 */
static double for_certain(const uint8_t *first, uint64_t slots)
{
	double here = 0;

	for (uint64_t i = 0; i < slots; i++)
		here += first[i] == HERE;
	return here;
}

static void end_round(struct round *round, const struct rings *rings,
		      struct sums *sums)
{
	const bool whole = round->bursts == TURNS * bursts_of(rings) &&
			   round->looked;

	sums->n += whole;
	for (uint32_t t = 0; t < TURNS; t++) {
		if (whole) {
			const double here = for_certain(round->first[t],
							rings->slots) /
					    round->looked;

			sums->sum[t] += here;
			sums->squares[t] += here * here;
		}
		memset(round->first[t], INSIDE, rings->slots);
	}
	round->looked = round->bursts = 0;
}

/* The first hop to a page waits for its translation. */
static void take_burst(const struct mp_batch *batch,
		       const struct memprobe_sample *sample,
		       const struct mp_spectrum *at, uint32_t k,
		       const struct rings *rings, struct round *round)
{
	const uint32_t parts = bursts_of(rings);
	const uint32_t turn = sample->burst / parts;
	const uint64_t *word = batch->payload + sample->payload_offset;
	const uint64_t from = sample->burst % parts * sample->hops;

	round->bursts++;
	for (uint32_t i = 0; i < sample->hops; i++) {
		const double ticks = (double)word[i] - batch->grant.read_ticks;
		const uint32_t by = mp_served_by(at, k,
						 mp_clock_cycles(batch, ticks));

		if (i % rings->row == 0)
			continue;
		round->looked += turn == TURNS - 1;
		for (uint32_t t = 0; t <= turn && by >= MP_SERVED_OUTER; t++)
			if (round->first[t][from + i] == INSIDE)
				round->first[t][from + i] =
					by == MP_SERVED_OUTER ? HERE : MISSED;
	}
}

/* A burst that is cut short shifts all behind it. */
static void take_batch(const struct mp_batch *batch,
		       const struct mp_spectrum *at, uint32_t k,
		       const struct rings *rings, uint8_t *room,
		       struct sums *sums)
{
	struct round round = { .looked = 0 };
	uint32_t last = 0;

	for (uint32_t t = 0; t < TURNS; t++)
		round.first[t] = room + t * rings->slots;
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		if (sample->actor != RING_E)
			continue;
		if (sample->hops != batch->exp.actor[RING_E].hops ||
		    sample->payload_count != sample->hops ||
		    sample->payload_kind != MEMPROBE_PAYLOAD_TICKS)
			return;
		if (sample->round != last)
			end_round(&round, rings, sums);
		last = sample->round;
		if (mp_sample_calm(sample))
			take_burst(batch, sample, at, k, rings, &round);
	}
	end_round(&round, rings, sums);
}

static int take(const struct mp_view *view, const struct mp_cpu_edges *edges,
		uint32_t k, const struct rings *rings, uint64_t id,
		struct sums *sums)
{
	uint8_t *room = calloc(TURNS * rings->slots, sizeof(*room));
	const struct mp_batch *batch;
	uint32_t at = 0;

	if (!room)
		return -ENOMEM;
	while ((batch = mp_view_next(view, id, &at)))
		if (mp_batch_counts(batch))
			take_batch(batch, &edges->spectrum, k, rings, room, sums);
	free(room);
	return 0;
}

/* Is what is missing missing for want of room? The crowd and E together are to fit
 * the levels further out, as far as those may put any out. */
static bool is_let_be(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      const struct rings *rings)
{
	struct mp_cpu_count both = rings->count;

	both.slots += rings->slots * both.stride / both.apart + 1;
	return mp_cpu_count_let_be(view, edges, k, &both);
}

/* E is here as a whole, or what is certain; and what was kept of its hops may have
 * taken the place of some of the crowd, if that was long enough. */
static void set_limits(const struct rings *rings, bool be,
		       const struct sums *sums, struct mp_cpu_still *still)
{
	const struct mp_cpu_count *count = &rings->count;
	const double bytes = (double)(rings->slots * count->stride);
	const double crowd = (double)(count->slots * count->apart);
	double here = 0, error = 0;

	for (uint32_t t = 0; t < TURNS; t++) {
		const double mean = sums->sum[t] / sums->n;
		const double var = sums->squares[t] / sums->n - mean * mean;
		const double own = sqrt(fmax(var, 0) / sums->n);

		if (mean - SIGMAS * own <= here)
			continue;
		here = mean - SIGMAS * own;
		error = own;
	}
	still->low = count->own_low + bytes * here;
	still->doubt = hypot(count->doubt * count->own_low, error * bytes) /
		       still->low;
	still->high = INFINITY;
	if (be && crowd >= MP_CPU_COUNT_CROWD_LEAST * (count->all + bytes))
		still->high = count->all_high + bytes +
			      (double)(TURNS * rings->slots * KEPT_OF_HOP) +
			      KEPT_BESIDE;
	still->known = true;
}

int mp_cpu_still_judge(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_cpu_still *still)
{
	struct sums sums = { 0 };
	struct rings rings;
	struct mp_exp exp;
	int err;

	*still = (struct mp_cpu_still){ .known = false };
	if (!lay(view, edges, k, &rings))
		return 0;
	make_exp(view, edges, k, &rings, &exp);
	still->id = mp_exp_id(&exp);
	mp_cpu_count_take(view, edges, k, still->id, &rings.count);
	if (!rings.count.known)
		return 0;
	err = take(view, edges, k, &rings, still->id, &sums);
	if (!err && sums.n >= ROUNDS_LEAST)
		set_limits(&rings, is_let_be(view, edges, k, &rings), &sums,
			   still);
	return err;
}

/* -- what is made of it ------------------------------------------------------ */

/* Is a size open, and known not to be that of an exclusive level? */
static int is_asked(const struct mp_view *view, const struct mp_cpu_edges *edges,
		    uint32_t k, const struct mp_fact *fact, bool *asked)
{
	struct mp_cpu_beside beside;
	int err;

	*asked = false;
	/* What a level that hides takes along is not missing for want of room. */
	if (!k || k >= edges->doubt.level || !edges->fitted[k] ||
	    !edges->fitted[k - 1] || fact->verdict != MP_AT_LEAST ||
	    mp_cpu_may_hide(edges, k))
		return 0;
	err = mp_cpu_beside_judge(view, edges, k, &beside);
	*asked = !err && beside.holds && beside.holds != MP_CPU_HOLDS_OTHERS;
	return err;
}

static int add_rings(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k,
		     const struct rings *rings, struct mp_plan *plan)
{
	struct mp_exp exp;

	make_exp(view, edges, k, rings, &exp);
	return mp_plan_add(plan, &exp, rings->count.replicates);
}

int mp_cpu_still_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan)
{
	struct rings rings;

	return lay(view, edges, k, &rings) ?
	       add_rings(view, edges, k, &rings, plan) : 0;
}

int mp_cpu_still_plan_open(const struct mp_view *view,
			   const struct mp_cpu_edges *edges, uint32_t k,
			   const struct mp_fact *fact, struct mp_plan *plan)
{
	struct rings rings;
	bool asked;
	const int err = is_asked(view, edges, k, fact, &asked);

	/* Without an upper limit it settles nothing. */
	if (err || !asked || !lay(view, edges, k, &rings) ||
	    (isinf(fact->high) && !is_let_be(view, edges, k, &rings)))
		return err;
	return add_rings(view, edges, k, &rings, plan);
}

/* What was the likeliest before may be no longer. */
static void say_open(double size, struct mp_fact *fact)
{
	if (size >= fact->low && size <= fact->high)
		return;
	snprintf(fact->reason, sizeof(fact->reason),
		 "limits lie too far apart to call it measured: its edge looks like that of %.0f KiB, and %s stays here",
		 size / 1024, size < fact->low ? "more" : "less");
}

int mp_cpu_still_hold(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_fact *fact)
{
	struct mp_cpu_still still;
	double most;
	bool asked;
	int err;

	if (fact->verdict != MP_AT_LEAST)
		return 0;
	err = mp_cpu_still_judge(view, edges, k, &still);
	if (err || !still.known)
		return err;
	err = is_asked(view, edges, k, fact, &asked);
	if (err || !asked)
		return err;
	mp_fact_note(fact, still.id);
	fact->low = fact->value = fmax(still.low, fact->low);
	/* Shapes are no more than a family. */
	most = fact->high;
	if (still.low > edges->edge[k].size * MP_CPU_COUNT_MORE ||
	    still.low >= most)
		most = mp_cpu_counted_most(edges, k, false);
	fact->high = fmin(still.high, most);
	if (!(fact->high > fact->low))
		fact->high = INFINITY;
	if (mp_cpu_count_surely(still.doubt, fact->high / fact->low) >
	    MP_CPU_WITHIN_EIGHTH) {
		mp_cpu_below_next(edges, k, fact);
		say_open(edges->edge[k].size, fact);
		return 0;
	}
	fact->verdict = MP_MEASURED;
	fact->reason[0] = 0;
	fact->value = mp_stat_between(fact->low, fact->high);
	snprintf(fact->method, sizeof(fact->method),
		 "a ring that only this level has room for, and what stays here of many more lines beside it: %.0f KiB and more",
		 still.low / 1024);
	return 0;
}
