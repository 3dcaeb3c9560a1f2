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

/**
 * mp_values_middle() - what replicates of a length say together
 * @data: whose replicates
 * @y, @n: the replicates
 * @sd: gets their spread; or NULL
 *
 * Their mean where they are shares of hops over pages thrown at random: with
 * few places those are mostly all or nothing, and each counts. Else what
 * lies far out is a disturbance, and is left out.
 */
double mp_values_middle(const struct mp_edge_data *data, const double *y,
			uint32_t n, double *sd);

/** mp_values_weigh() - the values of a stretch of a curve */
void mp_values_weigh(const struct mp_edge_data *data, struct mp_values *v);

#endif
