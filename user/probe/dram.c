// SPDX-License-Identifier: GPL-2.0
/*
 * Probe dram: what does a load from memory cost, without and with the
 * page walks that a random access pays?
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "analysis/stat.h"
#include "backend.h"
#include "probe/cpu.h"

/* Beyond the last level by this factor, within what may be spent. */
#define BEYOND 8.0
#define BEYOND_LEAST 4.0
#define PAGE 4096.0
#define LENGTH_MIN (64 * MP_MIB)
/* .. and no more than this for the sake of BEYOND. */
#define LENGTH_MAX (256 * MP_MIB)
/* Of the outermost level, lines are walked over so many times to throw out
 * what building the ring left there. */
#define FLUSH 1.5
#define FLUSH_MAX (2u << 20)

/* The outermost level that a size is known of; of one that is at least so
 * large and at most so, the middle. */
static double outermost(const struct mp_view *view)
{
	double size = 0;

	for (uint32_t k = 0; k < MP_CPU_LEVELS; k++) {
		char name[MP_FACT_NAME];
		const struct mp_fact *fact;

		snprintf(name, sizeof(name), "cpu.%s.size",
			 mp_cpu_level_name[k]);
		fact = mp_facts_find(view->facts, name);
		if (!fact || !mp_verdict_known(fact->verdict))
			continue;
		size = fact->verdict == MP_AT_LEAST && !isnan(fact->high) ?
		       sqrt(fact->value * fact->high) : fact->value;
	}
	return size;
}

static uint64_t length_of(const struct mp_view *view)
{
	double size = fmax(outermost(view), 1);
	double length = exp2(ceil(log2(size * BEYOND)));
	double least = exp2(ceil(log2(size * BEYOND_LEAST)));

	length = fmax(fmax(fmin(length, LENGTH_MAX), LENGTH_MIN), least);
	return (uint64_t)fmin(length, (double)view->arena_max_bytes);
}

static void sweeps(const struct mp_view *view, struct mp_sweep *net,
		   struct mp_sweep *random)
{
	uint64_t flush;

	mp_cpu_main_sweep(view, net);
	flush = (uint64_t)(outermost(view) * FLUSH / (double)net->stride);
	net->turns = 0;
	net->warm_max = flush < (64u << 10) ? (64u << 10) :
			flush > FLUSH_MAX ? FLUSH_MAX : flush;
	*random = *net;
	random->reach = 0;
	if (!view->pages_forced)
		random->pages = MP_PAGES_4K;
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	uint32_t n = mp_cpu_replicates(view);
	struct mp_sweep net, random;
	int err;

	sweeps(view, &net, &random);
	err = mp_sweep_plan(&net, view, length_of(view), n, plan);
	if (!err)
		err = mp_sweep_plan(&random, view, length_of(view), n, plan);
	return err ? err : 1;
}

/* Is it memory that was read? Only if nothing is known to lie further out
 * (the curve is flat at its end, or there are all the levels there may be),
 * and if the outermost level holds next to nothing of so long a ring. */
static int find_memory(const struct mp_view *view, bool *is_memory)
{
	struct mp_sweep sweep;
	struct mp_curve curve;
	double size = outermost(view);
	bool all = !isnan(mp_cpu_value(view,
			  mp_cpu_level_name[MP_CPU_LEVELS - 1], "size"));
	int err;

	mp_cpu_side_sweep(view, 0, &sweep);
	err = mp_sweep_gather(&sweep, view, &curve);
	if (err)
		return err;
	*is_memory = size > 0 && (all || mp_cpu_flat_at_end(&curve)) &&
		     size * BEYOND_LEAST <= (double)length_of(view);
	mp_curve_free(&curve);
	return 0;
}

static int infer_one(const struct mp_view *view, const struct mp_sweep *sweep,
		     const char *what, const char *method,
		     struct mp_facts *facts)
{
	struct mp_fact *fact = mp_cpu_fact(facts, view, "dram", what, "ns");
	const struct mp_curve_at *at;
	struct mp_interval limits;
	struct mp_curve curve;
	bool is_memory;
	int err;

	if (!fact)
		return -ENOMEM;
	err = find_memory(view, &is_memory);
	if (err)
		return err;
	err = mp_sweep_gather(sweep, view, &curve);
	if (err)
		return err;
	at = mp_curve_find(&curve, length_of(view));
	if (!at) {
		mp_fact_cannot(fact, "ns",
			       "too few undisturbed measurements of %.0f MiB",
			       (double)length_of(view) / MP_MIB);
	} else {
		mp_stat_limits(at->ns, at->n, view->seed, &limits);
		fact->verdict = MP_MEASURED;
		if (!is_memory) {
			fact->verdict = MP_AT_LEAST;
			snprintf(fact->reason, sizeof(fact->reason),
				 "a cache may still have served part of it: no footprint tried was shown to be far beyond the last level");
		}
		fact->value = limits.value;
		fact->low = limits.low * (1 - MP_CPU_CLOCK_ERROR);
		fact->high = limits.high * (1 + MP_CPU_CLOCK_ERROR);
		mp_fact_note(fact, at->id);
		snprintf(fact->method, sizeof(fact->method),
			 "chase over %.0f MiB, %s", (double)at->length / MP_MIB,
			 method);
	}
	mp_curve_free(&curve);
	return 0;
}

/* The windowed ring pays a walk too, once for all the loads of a page: what
 * random order costs more, over their number, is no part of memory. */
static void widen_by_walks(const struct mp_sweep *net, struct mp_facts *facts)
{
	struct mp_fact *latency = &facts->fact[facts->n - 2];
	const struct mp_fact *random = latency + 1;

	if (!mp_verdict_known(latency->verdict) ||
	    !mp_verdict_known(random->verdict) ||
	    random->value <= latency->value)
		return;
	latency->low -= (random->value - latency->value) *
			(double)net->stride / PAGE;
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	struct mp_sweep net, random;
	int err;

	sweeps(view, &net, &random);
	err = infer_one(view, &net, "latency",
			"a few pages at a time, so that a page walk is paid once for many loads",
			facts);
	if (err)
		return err;
	err = infer_one(view, &random, "latency-random",
			random.pages == MP_PAGES_4K ?
			"in random order over 4 KiB pages, a page walk with nearly every load" :
			"in random order over the pages asked for", facts);
	if (!err)
		widen_by_walks(&net, facts);
	return err;
}

const struct mp_probe mp_probe_dram = {
	.name = "dram",
	.asks = "what does a load from memory cost, without and with page walks?",
	.after = "cache-size",
	.facts = "cpu.dram.latency,cpu.dram.latency-random",
	.needs = MP_CAP_CHASE,
	.weight = 4,
	.quick = true,
	.next = next,
	.infer = infer,
};
