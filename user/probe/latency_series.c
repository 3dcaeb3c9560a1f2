// SPDX-License-Identifier: GPL-2.0
/* The curve of latencies by footprint, as reports have it. */
#include "probe/latency_series.h"

#include <errno.h>
#include <math.h>
#include <string.h>

int mp_latency_series(const struct mp_view *view, const struct mp_curve *curve,
		      struct mp_facts *facts)
{
	struct mp_where where;
	struct mp_series *out;
	int err = 0;

	mp_where_cpu(&where, view->cpu);
	out = mp_facts_add_series(facts, "cpu.latency", &where);
	if (!out)
		return -ENOMEM;
	strcpy(out->x_name, "footprint");
	strcpy(out->x_unit, "bytes");
	strcpy(out->unit, "ns");
	for (uint32_t i = 0; i < curve->n && !err; i++) {
		const struct mp_curve_at *at = &curve->at[i];
		struct mp_point p = {
			.x = (double)at->length, .value = at->mid_ns,
			.low = at->ns[0], .high = at->ns[0], .n = at->n };

		for (uint32_t j = 1; j < at->n; j++) {
			p.low = fmin(p.low, at->ns[j]);
			p.high = fmax(p.high, at->ns[j]);
		}
		err = mp_series_add(out, &p);
	}
	return err;
}
