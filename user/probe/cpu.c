// SPDX-License-Identifier: GPL-2.0
/* What the CPU probes share. */
#include "probe/cpu.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define ROUGH_STRIDE 256u
/* Every second line: the neighbour of a line is often fetched along. */
#define APART 2u
/* One line in eight, for second looks. */
#define SIDE_APART 8u
/* Levels larger than this are likely to be shared. */
#define PRIVATE_MAX (4.0 * 1024 * 1024)
/* 16 small pages: within the first TLB of every CPU known to us. */
#define REACH (64u << 10)
#define GRID_FROM 1024.0

const char *const mp_cpu_level_name[MP_CPU_LEVELS] = {
	"l1d", "l2", "l3", "l4"
};

uint32_t mp_cpu_replicates(const struct mp_view *view)
{
	return view->depth == MP_DEPTH_QUICK ? 3 : 5;
}

struct mp_fact *mp_cpu_fact(struct mp_facts *facts, const struct mp_view *view,
			    const char *level, const char *what,
			    const char *unit)
{
	char name[MP_FACT_NAME];
	struct mp_where where;
	struct mp_fact *fact;

	snprintf(name, sizeof(name), "cpu.%s.%s", level, what);
	mp_where_cpu(&where, view->cpu);
	fact = mp_facts_add(facts, name, &where);
	if (fact)
		snprintf(fact->unit, sizeof(fact->unit), "%s", unit);
	return fact;
}

double mp_cpu_value(const struct mp_view *view, const char *level,
		    const char *what)
{
	char name[MP_FACT_NAME];
	const struct mp_fact *fact;

	snprintf(name, sizeof(name), "cpu.%s.%s", level, what);
	fact = mp_facts_find(view->facts, name);
	if (!fact || !mp_verdict_known(fact->verdict))
		return NAN;
	return fact->value;
}

int mp_cpu_grid(const struct mp_sweep *sweep, const struct mp_view *view,
		double low, double high, uint32_t grain, uint32_t replicates,
		struct mp_plan *plan)
{
	double first = ceil(log2(low / GRID_FROM) * grain - 1e-9);
	double last = floor(log2(high / GRID_FROM) * grain + 1e-9);
	int err = 0;

	for (double k = fmax(first, 0); k <= last && !err; k++) {
		double length = round(GRID_FROM * exp2(k / grain));

		err = mp_sweep_plan(sweep, view, (uint64_t)length, replicates,
				    plan);
	}
	return err;
}

void mp_cpu_rough_sweep(const struct mp_view *view, struct mp_sweep *sweep)
{
	mp_sweep_init(sweep, view, ROUGH_STRIDE, REACH);
}

void mp_cpu_main_sweep(const struct mp_view *view, struct mp_sweep *sweep)
{
	double line = mp_cpu_value(view, "l1d", "line");

	mp_sweep_init(sweep, view,
		      APART * (isnan(line) ? MP_CPU_LINE_USUAL : (uint64_t)line),
		      REACH);
}

bool mp_cpu_side_sweep(const struct mp_view *view, uint32_t side,
		       struct mp_sweep *sweep)
{
	mp_cpu_main_sweep(view, sweep);
	sweep->stride *= SIDE_APART / APART;
	if (!side)
		return true;
	sweep->pages = MP_PAGES_4K;
	return !view->pages_forced && view->pages != MP_PAGES_4K;
}

bool mp_cpu_has_sides(uint32_t k, double size_bytes)
{
	return k && size_bytes < PRIVATE_MAX;
}
