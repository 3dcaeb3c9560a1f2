/* SPDX-License-Identifier: GPL-2.0 */
/* One value a length, and how much it weighs in a fit. */
#ifndef MP_VALUES_H
#define MP_VALUES_H

#include <stdint.h>

#include "analysis/edge.h"

/**
 * struct mp_values - what fits go by
 * @n: points
 * @at: place of each in the table of misses, for a capacity of data->from
 * @y: its value, the mean of its replicates without the farthest
 * @weight: one over its variance
 */
struct mp_values {
	uint32_t n;
	double at[MP_EDGE_POINTS];
	double y[MP_EDGE_POINTS];
	double weight[MP_EDGE_POINTS];
};

/** mp_values_weigh() - the values of a stretch of a curve */
void mp_values_weigh(const struct mp_edge_data *data, struct mp_values *v);

#endif
