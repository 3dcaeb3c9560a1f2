// SPDX-License-Identifier: GPL-2.0
/*
 * Probe line: in what unit does each level take in memory?
 *
 * A ring is walked in windows, each visited in random order. Of the slots
 * that share a line the first misses and the rest find the line there, so
 * the share of misses is stride / line until the stride reaches the line,
 * and 1 from there on.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend.h"
#include "probe/cpu.h"

#define LEVELS 3
/* Strides tried. */
#define STRIDE_MIN 16u
#define STRIDE_MAX 512u
#define STRIDES 6
/* The reach fills the innermost level, so that a line stays there until the
 * window is done; smaller windows would wake prefetchers that follow the
 * pattern of a region. */
#define REACH_MIN 2048u
/* The rough curve: closely and more than once where that is cheap. */
#define CHEAP (4 * MP_MIB)
#define ROUGH_TO (64 * MP_MIB)
#define ROUGH_GRAIN 2
#define ROUGH_REPLICATES 2
/* Footprint beyond a level: so many times its size, where there is room. */
#define BEYOND 4.0
#define FOOTPRINT_MAX (64 * MP_MIB)
/* Two strides: the misses of one as a share of those of the next. A half
 * where slots share lines (more where the level forgets some before they come
 * round, as with random replacement), one where they do not (less where a
 * prefetcher is at work). */
#define SAME_LINE 0.7
#define OTHER_LINE 0.76
#define REPLICATES 5
#define REPLICATES_MAX 32u
/* So large a share of the replicates, each a moment of its own, has to say
 * the same: others come and go in a level that is shared. */
#define AGREED 0.75

struct rough {
	uint32_t n;
	struct mp_level level[MP_CPU_LEVELS];
};

static int rough_find(const struct mp_view *view, struct rough *rough)
{
	struct mp_sweep sweep;
	struct mp_curve curve;
	int err;

	mp_cpu_rough_sweep(view, &sweep);
	err = mp_sweep_gather(&sweep, view, &curve);
	if (err)
		return err;
	err = mp_cpu_levels(&curve, rough->level, &rough->n, NULL);
	mp_curve_free(&curve);
	return err;
}

/* A footprint that misses level k and, if it can be had, hits the next. */
static double footprint(const struct rough *rough, uint32_t k)
{
	double size = rough->level[k].size_bytes, next;

	if (k + 1 >= rough->n)
		return fmin(size * BEYOND, FOOTPRINT_MAX);
	next = rough->level[k + 1].size_bytes;
	if (next / 2 > size * BEYOND)
		return size * BEYOND;
	return sqrt(size * next);
}

static uint64_t rounded(double length)
{
	return (uint64_t)ceil(length / 4096) * 4096;
}

static uint64_t reach_of(const struct rough *rough)
{
	uint64_t reach = REACH_MIN;

	while (2 * (double)reach <= rough->level[0].size_bytes * 1.1)
		reach *= 2;
	return reach;
}

static void line_sweep(const struct mp_view *view, const struct rough *rough,
		       uint32_t stride, struct mp_sweep *sweep)
{
	mp_sweep_init(sweep, view, stride, reach_of(rough));
	sweep->turns = 1;
}

static int plan_rough(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_sweep sweep;
	int err;

	mp_cpu_rough_sweep(view, &sweep);
	err = mp_cpu_grid(&sweep, view, 1024, CHEAP, ROUGH_GRAIN,
			  ROUGH_REPLICATES, plan);
	/* --quick asks for the innermost line alone. */
	if (err || view->depth == MP_DEPTH_QUICK)
		return err;
	return mp_cpu_grid(&sweep, view, CHEAP, ROUGH_TO, 1, 1, plan);
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_sweep sweep;
	struct rough rough = { 0 };
	int err = plan_rough(view, plan);

	if (err)
		return err;
	if (rough_find(view, &rough))
		return 1;
	for (uint32_t k = 0; k < rough.n && k < LEVELS; k++) {
		if (k && view->depth == MP_DEPTH_QUICK)
			break;
		for (uint32_t s = STRIDE_MIN; s <= STRIDE_MAX && !err; s *= 2) {
			line_sweep(view, &rough, s, &sweep);
			err = mp_sweep_plan(&sweep, view,
					    rounded(footprint(&rough, k)),
					    REPLICATES, plan);
		}
	}
	return err ? err : 1;
}

struct strides {
	uint32_t n;
	uint32_t replicates;
	double stride[STRIDES];
	double cycles[STRIDES];
	double single[STRIDES][REPLICATES_MAX];
	double share[STRIDES];
};

static void stride_take(const struct mp_curve_at *at, struct strides *st)
{
	bool in_ns = isnan(at->mid_cycles);

	st->cycles[st->n] = in_ns ? at->mid_ns : at->mid_cycles;
	for (uint32_t i = 0; i < at->n && i < REPLICATES_MAX; i++)
		st->single[st->n][i] = in_ns ? at->ns[i] : at->cycles[i];
	if (at->n < st->replicates)
		st->replicates = at->n;
	st->n++;
}

static int strides_take(const struct mp_view *view, const struct rough *rough,
			double length, struct strides *st,
			struct mp_fact *fact)
{
	st->n = 0;
	st->replicates = REPLICATES_MAX;
	for (uint32_t s = STRIDE_MIN; s <= STRIDE_MAX; s *= 2) {
		const struct mp_curve_at *at;
		struct mp_sweep sweep;
		struct mp_curve curve;
		int err;

		line_sweep(view, rough, s, &sweep);
		err = mp_sweep_gather(&sweep, view, &curve);
		if (err)
			return err;
		at = mp_curve_find(&curve, rounded(length));
		if (at) {
			st->stride[st->n] = s;
			stride_take(at, st);
			mp_fact_note(fact, at->id);
		}
		mp_curve_free(&curve);
	}
	return 0;
}

/* Of a line so long, what share of the hops misses? */
static double share(double stride, double line)
{
	return stride < line ? stride / line : 1;
}

/* Share of the hops that miss level k, for each stride; the levels inside
 * and their lines are known. */
static void shares_find(const struct rough *rough, const double *line,
			uint32_t k, const double *cycles, struct strides *st)
{
	double own = rough->level[k].latency, step;

	for (uint32_t i = 0; i < st->n; i++) {
		double base = rough->level[0].latency;

		for (uint32_t j = 0; j < k; j++)
			base += (rough->level[j + 1].latency -
				 rough->level[j].latency) *
				share(st->stride[i], line[j]);
		st->share[i] = cycles[i] - base;
	}
	/* With the largest stride every hop misses. */
	step = st->share[st->n - 1];
	for (uint32_t i = 0; i < st->n; i++)
		st->share[i] = step > 0.1 * own ? st->share[i] / step : NAN;
}

struct answer {
	uint32_t agreed;	/* replicates that say the same by themselves */
	double line;	/* 0 = none fits */
	double below;	/* share at half the line, of that at the line */
	double above;	/* share at the line, of that at twice the line */
};

/* If two slots lie in one line, the second always hits, and the share of
 * misses halves with the stride. It halves no more where the stride has come
 * down to the line: a neighbour that is fetched along is not always there. */
static void line_find(const struct strides *st, struct answer *answer)
{
	answer->line = 0;
	for (uint32_t i = 0; i + 1 < st->n; i++) {
		double ratio = st->share[i] / st->share[i + 1];

		if (ratio <= SAME_LINE) {
			answer->below = ratio;
			continue;
		}
		answer->above = ratio;
		if (ratio >= OTHER_LINE && i)
			answer->line = st->stride[i];
		return;
	}
}

static void answer_find(const struct rough *rough, const double *line,
			uint32_t k, struct strides *st, struct answer *answer)
{
	double cycles[STRIDES];
	struct answer alone;

	shares_find(rough, line, k, st->cycles, st);
	line_find(st, answer);
	for (uint32_t r = 0; r < st->replicates; r++) {
		for (uint32_t i = 0; i < st->n; i++)
			cycles[i] = st->single[i][r];
		shares_find(rough, line, k, cycles, st);
		line_find(st, &alone);
		answer->agreed += alone.line == answer->line;
	}
}

static void judge(const struct answer *answer, uint32_t replicates,
		  struct mp_fact *fact)
{
	snprintf(fact->method, sizeof(fact->method),
		 "misses halve with the stride while slots share a line: %.2f at half of it, %.2f at it, of those at twice the stride",
		 answer->below, answer->above);
	if (!answer->line) {
		mp_fact_cannot(fact, "bytes",
			       "no stride at which slots cease to share a line stands out (ratios %.2f, then %.2f): prefetchers or noise",
			       answer->below, answer->above);
		return;
	}
	if (answer->agreed < AGREED * replicates) {
		mp_fact_cannot(fact, "bytes",
			       "%u of %u replicates say %.0f bytes, the others do not: the level changes while it is measured",
			       answer->agreed, replicates, answer->line);
		return;
	}
	fact->verdict = MP_MEASURED;
	fact->value = answer->line;
	fact->low = replicates < 5 ? answer->line / 2 : answer->line;
	fact->high = replicates < 5 ? answer->line * 2 : answer->line;
}

static int infer_level(const struct mp_view *view, const struct rough *rough,
		       uint32_t k, double *line, struct mp_fact *fact)
{
	struct strides st;
	struct answer answer = { 0 };
	int err;

	if (k && view->depth == MP_DEPTH_QUICK) {
		mp_fact_cannot(fact, "bytes", "not asked for with --quick");
		return 0;
	}
	if (k >= rough->n) {
		/* Whether there is one is for probe cache-size to say. */
		mp_fact_cannot(fact, "bytes",
			       "the first look at latency, on which this builds, saw no such level");
		return 0;
	}
	err = strides_take(view, rough, footprint(rough, k), &st, fact);
	if (err)
		return err;
	if (st.n < STRIDES) {
		mp_fact_cannot(fact, "bytes",
			       "too few undisturbed measurements (%u of %u strides)",
			       st.n, STRIDES);
		return 0;
	}
	answer_find(rough, line, k, &st, &answer);
	judge(&answer, st.replicates, fact);
	/* Where it is not known the levels outside go by the one inside. */
	line[k] = fact->verdict == MP_MEASURED ? answer.line : k ? line[k - 1] : MP_CPU_LINE_USUAL;
	return 0;
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	double line[LEVELS] = { 0 };
	struct rough rough = { 0 };
	int err = rough_find(view, &rough);

	if (err == -ENOMEM)
		return err;
	for (uint32_t k = 0; k < LEVELS; k++) {
		struct mp_fact *fact = mp_cpu_fact(facts, view,
						   mp_cpu_level_name[k],
						   "line", "bytes");

		if (!fact)
			return -ENOMEM;
		if (err) {
			mp_fact_cannot(fact, "bytes",
				       "no usable latency curve: too few undisturbed measurements");
			continue;
		}
		if (infer_level(view, &rough, k, line, fact))
			return -ENOMEM;
	}
	return 0;
}

const struct mp_probe mp_probe_line = {
	.name = "line",
	.asks = "in what unit does each level take in memory?",
	.facts = "cpu.l1d.line,cpu.l2.line,cpu.l3.line",
	.needs = MP_CAP_CHASE,
	.weight = 5,
	.quick = true,
	.next = next,
	.infer = infer,
};
