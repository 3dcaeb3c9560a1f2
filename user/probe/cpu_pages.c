// SPDX-License-Identifier: GPL-2.0
#include "probe/cpu_pages.h"

#include <math.h>

#define PAGE 4096u
#define REPLICATES 3u
/* The lines of such a ring take up no more than this part of a level. */
#define PART 0.5
/* Edges move a little as more is known of them, and lengths with them. */
#define NEARLY 1.1

static uint64_t line_of(const struct mp_view *view)
{
	const double line = mp_cpu_value(view, "l1d", "line");

	return line > 0 ? (uint64_t)line : MP_CPU_LINE_USUAL;
}

static void pages_sweep(const struct mp_view *view, struct mp_sweep *sweep)
{
	mp_cpu_main_sweep(view, sweep);
	sweep->stride = PAGE;
	sweep->skew = line_of(view);
}

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* The innermost level that has room for a line of each page; edges->n: none. */
static uint32_t serving(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint64_t bytes)
{
	const double lines = (double)(whole_pages(bytes) / PAGE * line_of(view));
	uint32_t k = 0;

	while (k < edges->n && edges->fitted[k] &&
	       lines > PART * edges->edge[k].low)
		k++;
	return k < edges->n && edges->fitted[k] ? k : edges->n;
}

int mp_cpu_pages_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint64_t bytes,
		      struct mp_plan *plan)
{
	struct mp_sweep sweep;

	if (serving(view, edges, bytes) == edges->n)
		return 0;
	pages_sweep(view, &sweep);
	return mp_sweep_plan(&sweep, view, whole_pages(bytes), REPLICATES, plan);
}

double mp_cpu_pages_cost(const struct mp_view *view,
			 const struct mp_cpu_edges *edges, uint64_t bytes)
{
	const uint32_t k = serving(view, edges, bytes);
	double cost = NAN, nearest = NEARLY;
	struct mp_sweep sweep;
	struct mp_curve curve;

	pages_sweep(view, &sweep);
	if (k == edges->n || mp_sweep_gather(&sweep, view, &curve))
		return NAN;
	for (uint32_t i = 0; i < curve.n; i++) {
		const struct mp_curve_at *at = &curve.at[i];
		const double ratio = (double)at->length / (double)bytes;

		if (fmax(ratio, 1 / ratio) > nearest)
			continue;
		nearest = fmax(ratio, 1 / ratio);
		cost = fmax(mp_curve_middle(at) -
			    edges->edge[k].inside, 0);
	}
	mp_curve_free(&curve);
	return cost;
}
