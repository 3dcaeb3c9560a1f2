// SPDX-License-Identifier: GPL-2.0
/* How replicates of a length spread, against what thrown pages would. */
#include "analysis/edge_spread.h"

#include <math.h>

#include "analysis/places.h"
#include "analysis/stat.h"

/* So little is no spread. */
#define SPREAD_ERROR 6e-4
#define SPREAD_TRUST 0.5
/* Of pages that lie on parts of each other, the variance as a share of that of
 * those on whole places, from half places to any: about what pages drawn at
 * random had on 2.5 to 12.5 places of 2 to 16 ways. */
#define PARTS_LEAST 0.3
#define PARTS_MOST 0.75
/* A number of places is known so well. */
#define WHOLE 0.015

/* As a chi-square, of variances; half of what normal ones would tell. */
static double off_by(double ratio, uint32_t n)
{
	return (n - 1) * (ratio - 1 - log(ratio)) * SPREAD_TRUST;
}

/* How far a variance is from that of pages which fall on whole places; or of
 * those that begin anywhere, if there is no whole number of places: they lie
 * on parts of each other, and differ by less from one throw to the next. */
static double off_from(double variance, double model, double places, uint32_t n)
{
	const double ratio = variance / model;
	const double whole = off_by(ratio, n);
	double parts = 0;

	if (ratio > PARTS_MOST)
		parts = off_by(ratio / PARTS_MOST, n);
	else if (ratio < PARTS_LEAST)
		parts = off_by(ratio / PARTS_LEAST, n);
	if (fabs(places - round(places)) > WHOLE * places)
		return parts;
	return fmin(whole, parts);
}

double mp_edge_spread_off(const struct mp_edge_data *data,
			  const struct mp_miss_table *table, uint32_t shape,
			  double size, double *whole)
{
	const struct mp_places places = mp_places_of(table, shape, size,
						   data->page_bytes);
	const double scatter = table->shape[shape].scatter;
	const double n_places = size / table->shape[shape].ways /
				data->page_bytes;
	double off = 0;

	*whole = 0;
	for (uint32_t i = 0; i < data->n; i++) {
		const struct mp_edge_point *p = &data->point[i];
		double miss = mp_places_at(&places,
					     mp_miss_position(p->x / size));
		double sd = mp_stat_sd(p->y, p->n), ratio, model;

		if (p->n < MP_EDGE_SPREAD_LEAST || miss < MP_EDGE_SPREAD_FROM ||
		    miss > 1 - MP_EDGE_SPREAD_FROM)
			continue;
		model = scatter < 1 ? 0 :
			mp_places_variance(table, shape, size,
					   data->page_bytes, p->x);
		if (isnan(model))
			continue;
		ratio = (sd * sd + SPREAD_ERROR) / (model + SPREAD_ERROR);
		/* A hash over slices scatters lines of a page, too: what
		 * they do differs less from one throw to the next. */
		if (data->may_hash && ratio < 1)
			continue;
		*whole += off_by(ratio, p->n);
		off += scatter < 1 ? off_by(ratio, p->n) :
			off_from(sd * sd + SPREAD_ERROR, model + SPREAD_ERROR,
				 n_places, p->n);
	}
	return off;
}

uint32_t mp_edge_spread_points(const struct mp_edge_data *data)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < data->n; i++)
		n += data->point[i].n >= MP_EDGE_SPREAD_LEAST &&
		     mp_stat_sd(data->point[i].y, data->point[i].n) >
		     sqrt(SPREAD_ERROR);
	return n;
}
