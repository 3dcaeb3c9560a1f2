// SPDX-License-Identifier: GPL-2.0
/*
 * Probe ways: how many lines of one set does a level hold?
 *
 * Lines a stride P apart fall on ever fewer sets as P grows. The number of
 * such lines that a level of capacity C holds is C / P, until P spans all
 * sets; from there on it is the number of ways. A power of two spans the
 * sets of a level whose number of sets is one; where the answer has an odd
 * factor q, strides of q times a power of two tell whether q belongs to the
 * ways or to the number of sets. Lines that share a cache set also share
 * TLB sets; a control of the same pages, each line moved to another set,
 * shows that part, and it is taken off.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "probe/cpu.h"

#define LEVELS 2
#define STRIDES 8
/* The least and the most lines in a set that are told apart. */
#define LINES_MIN 1u
#define LINES_MAX 48u
#define PAGE 4096u
#define HUGE_PAGE (2ull << 20)
#define REPLICATES 3u
#define SURE_REPLICATES 5u
/* One line too many in a set of 32 with random replacement misses in 6 % of
 * the hops; that share of the step to the next level counts as slow. */
#define SLOW 0.055
/* Capacity and ways times span agree this well, or one of them is wrong. */
#define AGREE 0.13
/* .. and the lines of a set with the share that misses this well. */
#define SET_AGREE 0.12
/* Of the hops, no less than this miss where all should. */
#define ALL 0.85
/* A level less far from the one inside shares its lines with it: what stays
 * is neither the one's nor the other's. */
#define INNER_APART 2.0

/* What is known of a level before its ways are asked for. */
struct level {
	double size;
	double inner_size;	/* of the level inside, 0 = none */
	double innermost_cycles;
	double own_cycles;
	double next_cycles;
	uint32_t line;
};

/* How many lines fit at one stride. */
struct fit {
	uint64_t stride;
	uint32_t fast;		/* most lines seen to fit, 0 = none */
	uint32_t slow;		/* least lines seen not to, 0 = none */
	uint32_t replicates;	/* fewest at those two */
	double missed;		/* share of misses with @slow lines */
	uint32_t of_set;	/* lines of one set, if the oldest line goes;
				 * 0 = unknown */
	double missed_all;	/* share with a line too many in each set, if
				 * @of_set is right; NaN = not looked at */
	bool huge;		/* all of it lay in huge or contiguous pages */
};

static bool level_known(const struct mp_view *view, uint32_t k,
			struct level *level)
{
	const char *name = mp_cpu_level_name[k];
	double line = mp_cpu_value(view, "l1d", "line");

	level->size = mp_cpu_value(view, name, "size");
	level->inner_size = k ? mp_cpu_value(view, mp_cpu_level_name[k - 1],
					     "size") : 0;
	level->own_cycles = mp_cpu_value(view, name, "latency-cycles");
	level->innermost_cycles = mp_cpu_value(view, mp_cpu_level_name[0],
					       "latency-cycles");
	level->next_cycles = mp_cpu_value(view, mp_cpu_level_name[k + 1],
					  "latency-cycles");
	level->line = isnan(line) ? MP_CPU_LINE_USUAL : (uint32_t)line;
	if (isnan(level->next_cycles)) {
		double ns = mp_cpu_value(view, "dram", "latency");
		double own = mp_cpu_value(view, name, "latency");

		/* The level borders on memory. */
		level->next_cycles = level->own_cycles * ns / own;
		if (isnan(ns))
			level->next_cycles = 4 * level->own_cycles;
	}
	return !isnan(level->size) && !isnan(level->own_cycles) &&
	       !isnan(level->innermost_cycles);
}

static uint64_t power_above(double x)
{
	return (uint64_t)exp2(ceil(log2(x) - 1e-9));
}

static void ways_sweep(const struct mp_view *view, uint64_t stride,
		       uint32_t skew, struct mp_sweep *sweep)
{
	mp_sweep_init(sweep, view, stride, 0);
	sweep->skew = skew;
	sweep->hops = 512;
	/* A random set takes many turns to gather all its lines. */
	sweep->turns = 32;
}

static bool has_control(uint64_t stride)
{
	return stride % PAGE == 0;
}

/* Cycles beyond what the control says of the same pages. */
static int excess(const struct mp_curve *curve, const struct mp_curve *control,
		  const struct level *level, uint32_t i, double *cycles)
{
	const struct mp_curve_at *at = &curve->at[i], *other;

	*cycles = at->mid_cycles - level->own_cycles;
	if (!control->n)
		return 0;
	other = mp_curve_find(control, at->length);
	if (!other)
		return -ENODATA;
	/* The control's lines all fit the innermost level: what it takes
	 * beyond that level's latency is translation. */
	*cycles -= fmax(other->mid_cycles - level->innermost_cycles, 0);
	return 0;
}

static bool all_huge(const struct mp_view *view, uint64_t id)
{
	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_grant_arena *a = &view->batch[i]->grant.arena[0];

		if (view->batch[i]->id != id || view->batch[i]->error)
			continue;
		if (!a->contiguous && a->pages != MP_PAGES_THP &&
		    a->pages != MP_PAGES_2M && a->pages != MP_PAGES_1G)
			return false;
	}
	return true;
}

/* The lines of one set, by the share of hops that miss with one line more
 * than fit: that line makes its set miss, ways + 1 hops of the turn, as long
 * as the oldest line is evicted. The sets are equally full, so that the
 * lines that fit are a multiple of the ways. 0 = no such number is near. */
static uint32_t lines_of_set(const struct fit *fit)
{
	double ways = fit->missed * fit->slow - 1;
	uint32_t nearest = 0;

	for (uint32_t d = 1; d <= fit->fast; d++)
		if (fit->fast % d == 0 &&
		    (!nearest || fabs(d - ways) < fabs(nearest - ways)))
			nearest = d;
	return fabs(nearest - ways) <= SET_AGREE * nearest ? nearest : 0;
}

/* With so many lines each set has one too many. */
static uint32_t lines_of_all(const struct fit *fit)
{
	return fit->fast / fit->of_set * (fit->of_set + 1);
}

static void fit_all_sets(const struct mp_curve *curve,
			 const struct mp_curve *control,
			 const struct level *level, struct fit *fit)
{
	double cycles;

	fit->missed_all = NAN;
	fit->of_set = fit->slow == fit->fast + 1 ? lines_of_set(fit) : 0;
	for (uint32_t i = 0; fit->of_set && i < curve->n; i++)
		if (curve->at[i].length == lines_of_all(fit) * fit->stride &&
		    !excess(curve, control, level, i, &cycles))
			fit->missed_all = cycles / (level->next_cycles -
						    level->own_cycles);
}

/* Where between @curve's points the lines stop fitting. */
static void fit_from(const struct mp_view *view, const struct mp_curve *curve,
		     const struct mp_curve *control,
		     const struct level *level, struct fit *fit)
{
	double slow = SLOW * (level->next_cycles - level->own_cycles), cycles;
	uint32_t at_fast = 0, at_slow = 0;

	fit->huge = true;
	for (uint32_t i = 0; i < curve->n; i++) {
		uint32_t lines = (uint32_t)(curve->at[i].length / fit->stride);

		if (excess(curve, control, level, i, &cycles))
			continue;
		fit->huge &= all_huge(view, curve->at[i].id);
		if (cycles > slow) {
			fit->slow = lines;
			fit->missed = cycles / (level->next_cycles -
						level->own_cycles);
			at_slow = i;
			break;
		}
		fit->fast = lines;
		at_fast = i;
	}
	fit->replicates = !curve->n ? 0 :
		curve->at[at_fast].n < curve->at[at_slow].n ?
		curve->at[at_fast].n : curve->at[at_slow].n;
	fit_all_sets(curve, control, level, fit);
}

static int fit_find(const struct mp_view *view, const struct level *level,
		    uint64_t stride, struct fit *fit, struct mp_fact *fact)
{
	struct mp_sweep sweep;
	struct mp_curve curve, control = { 0 };
	int err;

	memset(fit, 0, sizeof(*fit));
	fit->stride = stride;
	ways_sweep(view, stride, 0, &sweep);
	err = mp_sweep_gather(&sweep, view, &curve);
	if (err)
		return err;
	if (has_control(stride)) {
		ways_sweep(view, stride, level->line, &sweep);
		err = mp_sweep_gather(&sweep, view, &control);
	}
	if (!err)
		fit_from(view, &curve, &control, level, fit);
	if (fact && fit->slow)
		mp_curve_note(&curve, (double)(fit->fast * stride),
			      (double)(fit->slow * stride), fact);
	mp_curve_free(&curve);
	mp_curve_free(&control);
	return err;
}

static int plan_lines(const struct mp_view *view, const struct level *level,
		      uint64_t stride, uint32_t lines, uint32_t replicates,
		      struct mp_plan *plan)
{
	struct mp_sweep sweep;
	int err;

	if (lines < LINES_MIN)
		return 0;
	ways_sweep(view, stride, 0, &sweep);
	err = mp_sweep_plan(&sweep, view, lines * stride, replicates, plan);
	if (err || !has_control(stride))
		return err;
	ways_sweep(view, stride, level->line, &sweep);
	return mp_sweep_plan(&sweep, view, lines * stride, replicates, plan);
}

/* Halve the stretch between fast and slow until they are neighbours. */
static int plan_stride(const struct mp_view *view, const struct level *level,
		       uint64_t stride, struct mp_plan *plan)
{
	struct fit fit;
	int err = fit_find(view, level, stride, &fit, NULL);

	if (err)
		return err;
	if (!fit.fast && !fit.slow) {
		for (uint32_t n = 2; n <= LINES_MAX && !err;
		     n += n < 8 ? 2 : n / 4)
			err = plan_lines(view, level, stride, n, REPLICATES,
					 plan);
		return err;
	}
	if (!fit.slow)
		return 0;
	if (fit.slow - fit.fast > 1)
		return plan_lines(view, level, stride,
				  (fit.slow + fit.fast) / 2, REPLICATES, plan);
	err = plan_lines(view, level, stride, fit.fast, SURE_REPLICATES, plan);
	if (!err && fit.of_set && fit.of_set < fit.fast)
		err = plan_lines(view, level, stride, lines_of_all(&fit),
				 REPLICATES, plan);
	return err ? err : plan_lines(view, level, stride, fit.slow,
				      SURE_REPLICATES, plan);
}

/* The powers of two that matter: from C / 32 to C rounded up. */
static uint32_t strides_of(const struct level *level, uint32_t k,
			   uint64_t stride[STRIDES])
{
	uint64_t top = power_above(level->size * 0.9);
	uint32_t n = 0;

	/* Outside the innermost level a stride of C would span more than
	 * the huge pages that make its memory contiguous. */
	if (k)
		top /= 2;
	for (uint64_t s = top; s >= level->line && n < STRIDES - 2; s /= 2)
		stride[n++] = s;
	return n;
}

struct answer {
	struct fit power;	/* the least that fit, at the least such stride */
	struct fit odd;		/* the same with an odd factor in the stride */
	uint32_t factor;	/* that factor, 1 = none tried or needed */
};

/* The stride from which on no fewer lines fit. */
static int power_find(const struct mp_view *view, const struct level *level,
		      uint32_t k, struct fit *least, struct mp_fact *fact)
{
	uint64_t stride[STRIDES];
	uint32_t n = strides_of(level, k, stride);

	memset(least, 0, sizeof(*least));
	for (uint32_t i = 0; i < n; i++) {
		struct fit fit;
		int err = fit_find(view, level, stride[i], &fit, fact);

		if (err)
			return err;
		if (!fit.fast || !fit.slow || fit.slow - fit.fast > 1)
			continue;
		if (!least->fast || fit.fast < least->fast ||
		    (fit.fast == least->fast && fit.stride < least->stride))
			*least = fit;
	}
	return 0;
}

static uint32_t odd_factor(uint32_t n)
{
	for (uint32_t q = 3; q <= n; q += 2)
		if (n % q == 0)
			return q;
	return 1;
}

/* The stride with the odd factor must not leave contiguous memory. */
static bool odd_possible(const struct fit *fit, uint32_t q, uint32_t k)
{
	return !k || (fit->fast + 1) * fit->stride * q <= HUGE_PAGE;
}

static int answer_find(const struct mp_view *view, const struct level *level,
		       uint32_t k, struct answer *answer, struct mp_fact *fact)
{
	uint32_t q;
	int err = power_find(view, level, k, &answer->power, fact);

	answer->odd.fast = 0;
	answer->factor = 1;
	if (err || !answer->power.fast)
		return err;
	q = odd_factor(answer->power.fast);
	if (q == 1 || !odd_possible(&answer->power, q, k))
		return 0;
	answer->factor = q;
	err = fit_find(view, level, answer->power.stride * q, &answer->odd,
		       fact);
	/* Half done it is no answer. */
	if (answer->odd.slow != answer->odd.fast + 1)
		answer->odd.fast = 0;
	return err;
}

static int plan_level(const struct mp_view *view, uint32_t k,
		      struct mp_plan *plan)
{
	uint64_t stride[STRIDES];
	struct answer answer;
	struct level level;
	uint32_t n;
	int err = 0;

	if (!level_known(view, k, &level))
		return 0;
	n = strides_of(&level, k, stride);
	for (uint32_t i = 0; i < n && !err; i++)
		err = plan_stride(view, &level, stride[i], plan);
	if (err)
		return err;
	err = answer_find(view, &level, k, &answer, NULL);
	if (err || answer.factor == 1)
		return err;
	return plan_stride(view, &level,
			   answer.power.stride * answer.factor, plan);
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	for (uint32_t k = 0; k < LEVELS; k++) {
		int err = plan_level(view, k, plan);

		if (err)
			return err;
	}
	return 1;
}

/* Where the level inside holds as many lines of a set as this one, or more,
 * strides that fit fewer lines show nothing of this one. Only strides that
 * fit more than @inner lines tell, and they fill several sets.
 * Return: the ways that all of them agree on, 0 = they do not. */
static int hidden_ways(const struct mp_view *view, const struct level *level,
		       uint32_t k, uint32_t inner, uint32_t *ways)
{
	uint64_t stride[STRIDES];
	uint32_t n = strides_of(level, k, stride);

	*ways = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t guess;
		struct fit fit;
		int err = fit_find(view, level, stride[i], &fit, NULL);

		if (err)
			return err;
		if (fit.fast <= inner || fit.slow != fit.fast + 1 ||
		    fit.replicates < REPLICATES)
			continue;
		guess = fit.of_set;
		/* Is it the oldest line that goes? Then no hop hits. */
		if (!(fit.missed_all > ALL))
			guess = 0;
		if (!guess || (*ways && guess != *ways)) {
			*ways = 0;
			return 0;
		}
		*ways = guess;
	}
	return 0;
}

static void judge(const struct level *level, uint32_t k, uint32_t inner,
		  const struct answer *answer, struct mp_fact *fact)
{
	const struct fit *fit = &answer->power;
	double product = (double)fit->fast * (double)fit->stride;
	uint32_t ways = fit->fast;

	snprintf(fact->method, sizeof(fact->method),
		 "most lines %llu KiB apart that stay in the level, a control of the same pages taken off",
		 (unsigned long long)fit->stride / 1024);
	if (!fit->fast) {
		mp_fact_cannot(fact, "ways",
			       "no stride showed how many lines of a set fit");
		return;
	}
	if (k && !fit->huge) {
		mp_fact_cannot(fact, "ways",
			       "this level is indexed by physical address and the memory is not contiguous: ask for huge pages");
		return;
	}
	if (level->size < INNER_APART * level->inner_size) {
		mp_fact_cannot(fact, "ways",
			       "the level inside is more than half as large, and keeps lines that this one would show");
		return;
	}
	if (k && fit->fast <= inner) {
		/* So few lines never leave the level inside. */
		fact->verdict = MP_AT_MOST;
		fact->value = fact->high = inner;
		fact->low = 1;
		snprintf(fact->reason, sizeof(fact->reason),
			 "lines of one set of this level share a set of the level inside, which holds %u of them",
			 inner);
		return;
	}
	if (fabs(product / level->size - 1) > AGREE) {
		mp_fact_cannot(fact, "ways",
			       "%u lines %llu KiB apart fit, which a capacity of %.0f KiB contradicts: memory is scattered below, or an inner level hides this one",
			       fit->fast,
			       (unsigned long long)fit->stride / 1024,
			       level->size / 1024);
		return;
	}
	if (answer->factor > 1 && answer->odd.fast &&
	    answer->odd.fast * answer->factor == fit->fast)
		ways = answer->odd.fast;
	/* Where strides with the factor leave contiguous memory, one line
	 * too many tells: does it spoil all the lines, or those of one set? */
	if (odd_factor(fit->fast) > 1 && !answer->odd.fast &&
	    fit->of_set != fit->fast) {
		fact->verdict = MP_AT_MOST;
		fact->value = fact->high = fit->fast;
		fact->low = 1;
		snprintf(fact->reason, sizeof(fact->reason),
			 "%u lines fit, in one set or, if the number of sets has an odd factor, in several: more contiguous memory would tell",
			 fit->fast);
		return;
	}
	fact->verdict = MP_MEASURED;
	fact->value = ways;
	fact->low = fit->replicates < SURE_REPLICATES ? ways - 1 : ways;
	fact->high = fit->replicates < SURE_REPLICATES ? ways + 1 : ways;
}

static void settle_hidden(uint32_t ways, struct mp_fact *fact)
{
	fact->verdict = MP_MEASURED;
	fact->value = fact->low = fact->high = ways;
	fact->reason[0] = '\0';
	snprintf(fact->method, sizeof(fact->method),
		 "share of hops that miss with one line more than fit, at strides that fill several sets");
}

static int infer_level(const struct mp_view *view, uint32_t k,
		       uint32_t *inner, struct mp_fact *fact)
{
	const struct mp_fact *size;
	struct answer answer;
	struct level level;
	char name[MP_FACT_NAME];
	int err;

	snprintf(name, sizeof(name), "cpu.%s.size", mp_cpu_level_name[k]);
	size = mp_facts_find(view->facts, name);
	if (size && size->verdict == MP_ABSENT) {
		fact->verdict = MP_ABSENT;
		return 0;
	}
	if (!level_known(view, k, &level)) {
		mp_fact_cannot(fact, "ways",
			       "the level's size or latency could not be measured");
		return 0;
	}
	err = answer_find(view, &level, k, &answer, fact);
	if (!err)
		judge(&level, k, *inner, &answer, fact);
	if (!err && fact->verdict == MP_AT_MOST) {
		uint32_t ways;

		err = hidden_ways(view, &level, k, *inner, &ways);
		/* One way is what random replacement would look like. */
		if (!err && ways > 1 && ways <= *inner)
			settle_hidden(ways, fact);
	}
	if (fact->verdict == MP_MEASURED)
		*inner = (uint32_t)fact->value;
	return err;
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	uint32_t inner = 0;

	for (uint32_t k = 0; k < MP_CPU_LEVELS - 1; k++) {
		struct mp_fact *fact = mp_cpu_fact(facts, view,
						   mp_cpu_level_name[k],
						   "ways", "ways");
		char name[MP_FACT_NAME];
		const struct mp_fact *size;
		int err = 0;

		if (!fact)
			return -ENOMEM;
		snprintf(name, sizeof(name), "cpu.%s.size",
			 mp_cpu_level_name[k]);
		size = mp_facts_find(view->facts, name);
		if (k < LEVELS)
			err = infer_level(view, k, &inner, fact);
		else if (size && size->verdict == MP_ABSENT)
			fact->verdict = MP_ABSENT;
		else
			mp_fact_cannot(fact, "ways",
				       "a level so large is hashed over slices and needs more contiguous memory than huge pages give");
		if (err)
			return err;
	}
	return 0;
}

const struct mp_probe mp_probe_ways = {
	.name = "ways",
	.asks = "how many lines of one set does a level hold?",
	.after = "line,cache-size,latency",
	.facts = "cpu.l1d.ways,cpu.l2.ways,cpu.l3.ways",
	.needs = MP_CAP_CHASE | MP_CAP_CORE_CLOCK,
	.weight = 4,
	.quick = false,
	.next = next,
	.infer = infer,
};
