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

#define MIB (1024.0 * 1024.0)
/* Beyond the last level by this factor, within what may be spent. */
#define BEYOND 8.0
#define LENGTH_MIN (64 * MIB)
#define LENGTH_MAX (256 * MIB)
#define QUICK_MAX (64 * MIB)
/* Of the outermost level, lines are walked over so many times to throw out
 * what building the ring left there. */
#define FLUSH 1.5
#define FLUSH_MAX (2u << 20)
#define CLOCK_ERROR 0.003

/* The outermost level that a size is known of. */
static double outermost(const struct mp_view *view)
{
	double size = 0;

	for (uint32_t k = 0; k < MP_CPU_LEVELS; k++) {
		double value = mp_cpu_value(view, mp_cpu_level_name[k],
					    "size");

		if (!isnan(value))
			size = value;
	}
	return size;
}

static uint64_t length_of(const struct mp_view *view)
{
	double length = exp2(ceil(log2(fmax(outermost(view), 1) * BEYOND)));

	length = fmin(fmax(length, LENGTH_MIN), LENGTH_MAX);
	if (view->depth == MP_DEPTH_QUICK)
		length = fmin(length, QUICK_MAX);
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

static int infer_one(const struct mp_view *view, const struct mp_sweep *sweep,
		     const char *what, const char *method,
		     struct mp_facts *facts)
{
	struct mp_fact *fact = mp_cpu_fact(facts, view, "dram", what, "ns");
	const struct mp_curve_at *at;
	struct mp_interval limits;
	struct mp_curve curve;
	int err;

	if (!fact)
		return -ENOMEM;
	err = mp_sweep_gather(sweep, view, &curve);
	if (err)
		return err;
	at = mp_curve_find(&curve, length_of(view));
	if (!at) {
		mp_fact_cannot(fact, "ns",
			       "too few undisturbed measurements of %.0f MiB",
			       (double)length_of(view) / MIB);
	} else {
		mp_stat_limits(at->ns, at->n, view->seed, &limits);
		fact->verdict = MP_MEASURED;
		fact->value = limits.value;
		fact->low = limits.low * (1 - CLOCK_ERROR);
		fact->high = limits.high * (1 + CLOCK_ERROR);
		mp_fact_note(fact, at->id);
		snprintf(fact->method, sizeof(fact->method),
			 "chase over %.0f MiB, %s", (double)at->length / MIB,
			 method);
	}
	mp_curve_free(&curve);
	return 0;
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
	return infer_one(view, &random, "latency-random",
			 random.pages == MP_PAGES_4K ?
			 "in random order over 4 KiB pages, a page walk with nearly every load" :
			 "in random order over the pages asked for", facts);
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
