// SPDX-License-Identifier: GPL-2.0
/* Replicates to values and weights. */
#include "analysis/values.h"

#include <math.h>

#include "analysis/stat.h"

/* Points on either side that share their variance. */
#define NEIGHBOURS 2u
/* Errors of a point that replicates do not show: of its value (clock), and
 * of the jump (a shape is never quite right). */
#define ERROR_OF_VALUE 0.004
#define ERROR_OF_JUMP 0.01

/* The variance of a point's replicates, with that of its neighbours: a few
 * replicates that happen to agree are no better known for it. */
static double smooth_variance(const double *variance, uint32_t n, uint32_t i)
{
	uint32_t from = i < NEIGHBOURS ? 0 : i - NEIGHBOURS;
	uint32_t to = i + NEIGHBOURS < n ? i + NEIGHBOURS : n - 1;

	return mp_stat_mean(variance + from, to - from + 1);
}

double mp_values_middle(const struct mp_edge_data *data, const double *y,
			uint32_t n, double *sd)
{
	if (!data->is_share || data->page_bytes <= 0)
		return mp_stat_tame(y, n, sd);
	if (sd)
		*sd = mp_stat_sd(y, n);
	return mp_stat_mean(y, n);
}

void mp_values_weigh(const struct mp_edge_data *data, struct mp_values *v)
{
	double variance[MP_EDGE_POINTS], least = INFINITY, most = 0;

	v->n = data->n;
	for (uint32_t i = 0; i < data->n; i++) {
		const struct mp_edge_point *p = &data->point[i];

		v->at[i] = mp_miss_position(p->x / data->from);
		v->y[i] = mp_values_middle(data, p->y, p->n, &variance[i]);
		variance[i] *= variance[i];
		least = fmin(least, v->y[i]);
		most = fmax(most, v->y[i]);
	}
	for (uint32_t i = 0; i < data->n; i++) {
		double a = ERROR_OF_VALUE * v->y[i];
		double b = ERROR_OF_JUMP * (most - least);
		double of_mean = smooth_variance(variance, data->n, i) /
				 data->point[i].n;

		v->weight[i] = 1 / (of_mean + a * a + b * b + 1e-12);
	}
}
