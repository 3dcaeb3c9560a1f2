/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_PROBE_LATENCY_SERIES_H
#define MP_PROBE_LATENCY_SERIES_H

#include "analysis/sweep.h"
#include "probe.h"

/** mp_latency_series() - add "cpu.latency", ns a hop by footprint; -ENOMEM */
int mp_latency_series(const struct mp_view *view, const struct mp_curve *curve,
		      struct mp_facts *facts);

#endif
