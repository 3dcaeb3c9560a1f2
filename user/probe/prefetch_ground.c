// SPDX-License-Identifier: GPL-2.0
/*
 * Lines say in what units to ask, latencies how fast a line is that was
 * brought no further than to the outermost level.
 */
#include "probe/prefetch_ground.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/line.h"
#include "steps.h"

#define LINE_MIN 32u
#define LINE_MAX 256u
#define BURSTS_MIN 17u
#define BURSTS_MAX 257u
/* A clock's step spreads readings by half of it at most; a quarter of the
 * distance that is to be seen is enough. */
#define SPREAD 2.0
/* Where the outermost level's latency is not known: it saves two fifths of
 * the way to memory at least, or would not be worth having; half of that. */
#define BAR_UNKNOWN 0.2

static uint32_t bytes_of(const struct mp_view *view, uint32_t k,
			 const char *what)
{
	const struct mp_fact *fact = mp_cpu_found(view, k, what);
	uint32_t bytes;

	if (!fact || fact->verdict != MP_MEASURED ||
	    !(fact->value >= LINE_MIN && fact->value <= LINE_MAX))
		return 0;
	bytes = (uint32_t)fact->value;
	return bytes & (bytes - 1) ? 0 : bytes;
}

/* How many levels follow one another for certain, and are they all? */
static bool count_levels(const struct mp_view *view, uint32_t *n)
{
	*n = 1;
	while (*n < MP_CPU_LEVELS) {
		const struct mp_fact *size = mp_cpu_found(view, *n, "size");

		if (!size || !mp_verdict_known(size->verdict))
			return size && size->verdict == MP_ABSENT;
		++*n;
	}
	return true;
}

/* The first level's line, or what it fetches at once: lines are no shorter. */
static uint32_t shortest(const struct mp_view *view)
{
	const uint32_t line = bytes_of(view, 0, "line");
	const uint32_t sector = bytes_of(view, 0, "sector");

	return line ? line : sector ? sector : LINE_MIN;
}

/* All lengths from the shortest on, to the longest if that is known. */
static void find_units(struct mp_prefetch_ground *ground, uint32_t first,
		       const uint32_t line[MP_CPU_LEVELS], uint32_t n, bool all)
{
	uint32_t widest = first;

	for (uint32_t k = 0; k < n; k++) {
		all &= line[k] != 0;
		if (line[k] > widest)
			widest = line[k];
	}
	if (!all)
		widest = LINE_MAX;
	for (uint32_t unit = first; unit <= widest; unit *= 2)
		ground->unit[ground->n_units++] = unit;
	ground->widest = widest > MP_STEPS_SLOT ? widest : MP_STEPS_SLOT;
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

/* Is there a level whose lines hold two of this length, and is the one inside
 * told from it? */
static double pair_bar_of(const uint32_t line[MP_CPU_LEVELS], const double *ns,
			  uint32_t n, uint32_t unit)
{
	uint32_t k = 0;

	while (k < n && line[k] && line[k] <= unit)
		k++;
	return k && k < n && line[k] ? bar_of(ns, n, ns[k - 1], ns[k]) : NAN;
}

void mp_prefetch_ground_find(const struct mp_view *view,
			     struct mp_prefetch_ground *ground)
{
	double ns[MP_CPU_LEVELS + 1] = { 0 };
	uint32_t line[MP_CPU_LEVELS], n;
	const bool all = count_levels(view, &n);
	const bool has_times = find_times(view, n, ns);
	double nearest = BAR_UNKNOWN;

	*ground = (struct mp_prefetch_ground){ .bursts = BURSTS_MIN };
	for (uint32_t k = 0; k < n; k++)
		line[k] = bytes_of(view, k, "line");
	find_units(ground, shortest(view), line, n, all);
	if (all && has_times)
		nearest = bar_of(ns, n, ns[n - 1], ns[n]);
	ground->bar = nearest;
	if (has_times)
		ground->bursts = bursts_for(view, nearest * (ns[n] - ns[0]));
	ground->hit_ns = mp_cpu_value(view, mp_cpu_level_name[0], "latency");
	for (uint32_t u = 0; u < ground->n_units; u++) {
		const uint32_t unit = ground->unit[u];

		ground->pair_bar[u] = has_times ?
			pair_bar_of(line, ns, n, unit) : NAN;
		ground->stays[u] = unit >= MP_STEPS_SLOT &&
			mp_line_flush(view, MP_LINE_BOTH, unit, NULL) ==
				MP_LINE_NO;
	}
}
