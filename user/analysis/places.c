// SPDX-License-Identifier: GPL-2.0
/* Binomial numbers of pages on the places of a level. */
#include "analysis/places.h"

#include <math.h>
#include <stdbool.h>

/* Places that are tabulated; between them it is interpolated, over one
 * over their number. 1 is the even shape, many the Poisson one. */
#define TABULATED 10u
static const double tabulated[TABULATED] = {
	1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 32
};

#define SETS (MP_MISS_POLICIES * MP_MISS_WAYS)

struct rows {
	float miss[TABULATED][SETS][MP_MISS_POINTS];
};

/* The rest of what comes behind the mean is less than a float can tell. */
#define NEGLIGIBLE 1e-12

/* Pages of one place that miss, by how many there are: mean, variance and
 * covariance with their number, over a binomial number of them. */
struct spread {
	double p;
	double f;
	double ff;
	double fk;
};

static void spread_over(const float *set, uint32_t pages, double odds,
			struct spread *sum)
{
	const double rises = odds / (1 - odds), mean = pages * odds;
	double p = exp(pages * log1p(-odds));

	for (uint32_t k = 0; k <= pages && k < MP_MISS_SET; k++) {
		double f = k * (double)set[k];

		sum->p += p;
		sum->f += p * f;
		sum->ff += p * f * f;
		sum->fk += p * f * k;
		p *= (double)(pages - k) / (k + 1) * rises;
		if (p < NEGLIGIBLE && k > mean)
			break;
	}
}

double mp_places_variance(const struct mp_miss_table *table, uint32_t shape,
			  double size_bytes, double page_bytes, double length)
{
	const struct mp_miss_shape *s = &table->shape[shape];
	const float *set = table->set[shape % SETS];
	double places = size_bytes / s->ways / page_bytes;
	double pages = round(length / page_bytes), mean, of_f, with_k;
	struct spread sum = { 0 };

	if (places < 1.1 || pages < 1)
		return NAN;
	spread_over(set, (uint32_t)pages, 1 / places, &sum);
	/* Too many to tell apart, or so few places that all is full. */
	if (sum.p < 0.999)
		return NAN;
	mean = pages / places;
	of_f = sum.ff - sum.f * sum.f;
	with_k = sum.fk - sum.f * mean;
	/* What the fixed number of pages in all determines is no spread. */
	of_f -= with_k * with_k / (mean * (1 - 1 / places));
	return fmax(of_f, 0) * places / (pages * pages);
}

/* Miss share of a whole number of pages. */
static double share_of(const float *set, uint32_t pages, double places)
{
	struct spread sum = { 0 };

	if (!pages)
		return 0;
	spread_over(set, pages, 1 / places, &sum);
	/* More than are known of in one place all miss. */
	return fmin(sum.f * places / pages + fmax(1 - sum.p, 0), 1);
}

static void fill_row(const float *set, uint32_t ways, double places,
		     float *row)
{
	uint32_t known = 0;
	double below = 0, above = share_of(set, 1, places);

	for (uint32_t i = 0; i < MP_MISS_POINTS; i++) {
		double x = exp2((double)i / MP_MISS_GRAIN - MP_MISS_BELOW);
		double pages = x * ways * places;

		/* Nothing is left to miss. */
		if (i && row[i - 1] > 0.99999) {
			row[i] = 1;
			continue;
		}
		if ((uint32_t)pages != known) {
			known = (uint32_t)pages;
			below = share_of(set, known, places);
			above = share_of(set, known + 1, places);
		}
		row[i] = (float)(below + (pages - known) * (above - below));
	}
}

/* Made when it is first asked for: most levels ask for few. */
static const float *row_get(const struct mp_miss_table *table, uint32_t c,
			    uint32_t s)
{
	static struct rows rows;
	static bool made[TABULATED][SETS];

	if (!made[c][s])
		fill_row(table->set[s], table->shape[s].ways, tabulated[c],
			 rows.miss[c][s]);
	made[c][s] = true;
	return rows.miss[c][s];
}

/* Row number @c of a shape: 0 even, then those tabulated, then scattered. */
static const float *row_of(const struct mp_miss_table *table, uint32_t shape,
			   uint32_t c)
{
	if (!c)
		return table->miss[shape % SETS];
	if (c > TABULATED)
		return table->miss[shape];
	return row_get(table, c - 1, shape % SETS);
}

static double one_over(uint32_t c)
{
	return !c ? 1 : c > TABULATED ? 0 : 1 / tabulated[c - 1];
}

struct mp_places mp_places_of(const struct mp_miss_table *table,
			      uint32_t shape, double size_bytes,
			      double page_bytes)
{
	const struct mp_miss_shape *s = &table->shape[shape];
	struct mp_places out = { table->miss[shape], table->miss[shape], 0 };
	double part;
	uint32_t c = 0;

	if (s->scatter < 1 || page_bytes <= 0)
		return out;
	part = fmin(s->ways * page_bytes / size_bytes, 1);
	while (one_over(c + 1) > part)
		c++;
	out.a = row_of(table, shape, c);
	out.b = row_of(table, shape, c + 1);
	out.part = (one_over(c) - part) / (one_over(c) - one_over(c + 1));
	return out;
}

double mp_places_inverse(const struct mp_places *places, double miss)
{
	double before = 0, here = 0, part;
	uint32_t i = 0;

	for (; i < MP_MISS_POINTS - 1; i++, before = here) {
		here = mp_places_at(places, i);
		if (here >= miss)
			break;
	}
	here = mp_places_at(places, i);
	part = i && here > before ? (miss - before) / (here - before) : 1;
	return exp2((fmin(part, 1) + i - 1.0) / MP_MISS_GRAIN - MP_MISS_BELOW);
}
