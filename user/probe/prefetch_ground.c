// SPDX-License-Identifier: GPL-2.0
/*
 * Lines say in what units to ask, latencies how fast a line is that was
 * brought no further than to the outermost level.
 */
#include "probe/prefetch_ground.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "steps.h"

#define LINE_MIN 32u
#define LINE_MAX 256u
#define BURSTS_MIN 17u
#define BURSTS_MAX 257u
/* A clock's step spreads readings by half of it at most; a quarter of the
 * distance that is to be seen is enough. */
#define SPREAD 2.0

static const struct mp_fact *fact_of(const struct mp_view *view, uint32_t k,
				     const char *what)
{
	char name[MP_FACT_NAME];

	snprintf(name, sizeof(name), "cpu.%s.%s", mp_cpu_level_name[k], what);
	return mp_facts_find(view->facts, name);
}

static bool is_absent(const struct mp_view *view, uint32_t k)
{
	const struct mp_fact *size = fact_of(view, k, "size");

	return size && size->verdict == MP_ABSENT;
}

static uint32_t line_of(const struct mp_view *view, uint32_t k)
{
	const struct mp_fact *line = fact_of(view, k, "line");
	uint32_t bytes;

	if (!line || line->verdict != MP_MEASURED ||
	    !(line->value >= LINE_MIN && line->value <= LINE_MAX))
		return 0;
	bytes = (uint32_t)line->value;
	return bytes & (bytes - 1) ? 0 : bytes;
}

static void find_units(const struct mp_view *view,
		       struct mp_prefetch_ground *ground)
{
	ground->widest = MP_STEPS_SLOT;
	ground->lines_known = true;
	for (uint32_t k = 0; k < ground->n; k++) {
		const uint32_t line = line_of(view, k);
		uint32_t i = 0;

		ground->line[k] = line;
		ground->lines_known &= line != 0;
		while (i < ground->n_units && ground->unit[i] != line)
			i++;
		if (line && i == ground->n_units)
			ground->unit[ground->n_units++] = line;
		if (line > ground->widest)
			ground->widest = line;
	}
}

/* Latencies of the levels, and of memory behind them; do they grow? */
static bool find_times(const struct mp_view *view, uint32_t n,
		       double ns[MP_CPU_LEVELS + 1])
{
	for (uint32_t k = 0; k <= n; k++) {
		ns[k] = mp_cpu_value(view, k < n ? mp_cpu_level_name[k] :
					   "dram", "latency");
		if (!(ns[k] > (k ? ns[k - 1] : 0)))
			return false;
	}
	return true;
}

/* The first batch of the run shows the clock, so that it is the same each
 * time. */
static uint32_t bursts_for(const struct mp_view *view, double apart_ns)
{
	uint32_t bursts = BURSTS_MIN;
	double steps = 0;

	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_grant *grant = &view->batch[i]->grant;

		if (view->batch[i]->error || !(grant->tick_hz > 0))
			continue;
		steps = (double)grant->tick_step /
			(apart_ns * 1e-9 * grant->tick_hz);
		break;
	}
	while (bursts < BURSTS_MAX &&
	       bursts - 1 < SPREAD * SPREAD * steps * steps)
		bursts = 2 * bursts - 1;
	return bursts;
}

/* Where is half-way from one latency to another, from memory to a hit? */
static double bar_of(const double *ns, uint32_t n, double low, double high)
{
	return (ns[n] - (low + high) / 2) / (ns[n] - ns[0]);
}

static void find_pair_bar(struct mp_prefetch_ground *ground, const double *ns,
			  uint32_t u)
{
	uint32_t k = 0;

	ground->pair_bar[u] = ground->bar;
	while (k < ground->n && ground->line[k] <= ground->unit[u])
		k++;
	ground->is_held[u] = k < ground->n;
	if (ns && k && k < ground->n)
		ground->pair_bar[u] = bar_of(ns, ground->n, ns[k - 1], ns[k]);
}

void mp_prefetch_ground_find(const struct mp_view *view,
			     struct mp_prefetch_ground *ground)
{
	double ns[MP_CPU_LEVELS + 1];
	bool has_times;

	*ground = (struct mp_prefetch_ground){ .n = 1, .bar = 0.5 };
	while (ground->n < MP_CPU_LEVELS && fact_of(view, ground->n, "size") &&
	       mp_verdict_known(fact_of(view, ground->n, "size")->verdict))
		ground->n++;
	find_units(view, ground);
	if (!ground->line[0]) {
		ground->why = "the line of the first level is not known";
		return;
	}
	has_times = find_times(view, ground->n, ns);
	ground->bursts = BURSTS_MIN;
	if (has_times) {
		ground->bar = bar_of(ns, ground->n, ns[ground->n - 1],
				     ns[ground->n]);
		ground->bursts = bursts_for(view, (ns[ground->n] -
						   ns[ground->n - 1]) / 2);
	}
	for (uint32_t u = 0; u < ground->n_units; u++)
		find_pair_bar(ground, has_times ? ns : NULL, u);
	if (ground->n < MP_CPU_LEVELS && !is_absent(view, ground->n))
		ground->doubt = "it is not known which level is the outermost";
	else if (!has_times)
		ground->doubt = "the latencies of all levels and of memory are not known";
	else if (!ground->lines_known)
		ground->doubt = "the lines of all levels are not known";
}
