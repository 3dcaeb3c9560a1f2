// SPDX-License-Identifier: GPL-2.0
/*
 * How alike are misses so many slots apart? First over bins of slots, at all
 * distances within a row; then, about the first one where they are, slot by
 * slot: of the periods that are near the one under which slots of a place differ
 * least. Of whole rings it is seen at once, by where the last period breaks off.
 */
#include "analysis/comb.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Bins of the longest row, and products that are summed up, at most. */
#define BINS_MOST 2048u
#define PRODUCTS_MOST (16ull << 20)
/* A distance counts if so many pairs of bins are that far apart, and if it is no
 * more than this share of a row: others may be pairs of its two ends alone. */
#define PAIRS_LEAST 24.0
#define ROW_SHARE 0.55
/* The period is the first distance at which they are so alike as where they are
 * most alike. */
#define ALIKE 0.5
/* .. within this part of which chance makes the top; so many slots from it are
 * tried. */
#define TOP_PART 0.7
#define TOP_SLOTS 24u
/* Chance makes two of thousands of distances alike by four or five standard
 * errors; half of the most has to be out of its reach, too. */
#define SURE 10.0

struct work {
	const struct mp_comb_row *row;
	uint32_t n_rows;
	double mean;		/* share of looks that missed */
	uint32_t wide;		/* slots of a bin */
	uint32_t longest;	/* row, in bins */
	uint32_t bins;		/* of all rows */
	float *off;		/* of each, share of misses beyond the mean .. */
	float *has;		/* .. and 1, or 0 where none was looked at */
	double *alike;		/* by distance in bins: the mean product */
	double *pairs;		/* .. and of how many */
};

static void find_mean(struct work *work)
{
	double seen = 0, missed = 0;

	for (uint32_t r = 0; r < work->n_rows; r++)
		for (uint32_t i = 0; i < work->row[r].n; i++) {
			seen += work->row[r].seen[i];
			missed += work->row[r].missed[i];
		}
	work->mean = seen > 0 ? missed / seen : NAN;
}

static void count_bins(struct work *work)
{
	work->longest = work->bins = 0;
	for (uint32_t r = 0; r < work->n_rows; r++) {
		const uint32_t n = work->row[r].n / work->wide;

		work->bins += n;
		work->longest = n > work->longest ? n : work->longest;
	}
}

static void choose_bins(struct work *work)
{
	work->wide = 1;
	count_bins(work);
	while (work->longest > BINS_MOST ||
	       (uint64_t)work->bins * work->longest > PRODUCTS_MOST) {
		work->wide++;
		count_bins(work);
	}
}

static void fill_bin(const struct work *work, const struct mp_comb_row *row,
		     uint32_t first, uint32_t bin)
{
	double seen = 0, missed = 0;

	for (uint32_t i = first; i < first + work->wide; i++) {
		seen += row->seen[i];
		missed += row->missed[i];
	}
	work->has[bin] = seen > 0;
	work->off[bin] = seen > 0 ? (float)(missed / seen - work->mean) : 0;
}

static void fill_bins(const struct work *work)
{
	uint32_t bin = 0;

	for (uint32_t r = 0; r < work->n_rows; r++) {
		const struct mp_comb_row *row = &work->row[r];

		for (uint32_t i = 0; i < row->n / work->wide; i++)
			fill_bin(work, row, i * work->wide, bin++);
	}
}

static void add_products(const struct work *work, uint32_t first, uint32_t n,
			 uint32_t far)
{
	const float *off = work->off + first, *has = work->has + first;
	float sum = 0, pairs = 0;

	for (uint32_t i = 0; i + far < n; i++) {
		sum += off[i] * off[i + far];
		pairs += has[i] * has[i + far];
	}
	work->alike[far] += sum;
	work->pairs[far] += pairs;
}

static void find_alike(const struct work *work)
{
	uint32_t first = 0;

	for (uint32_t r = 0; r < work->n_rows; r++) {
		const uint32_t n = work->row[r].n / work->wide;

		for (uint32_t far = 0; far < n; far++)
			add_products(work, first, n, far);
		first += n;
	}
	for (uint32_t far = 0; far < work->longest; far++)
		if (work->pairs[far] > 0)
			work->alike[far] /= work->pairs[far];
}

static bool counts(const struct work *work, uint32_t far)
{
	return work->pairs[far] >= PAIRS_LEAST &&
	       far <= ROW_SHARE * work->longest;
}

/* Bins are like their neighbours; from here on they are not. */
static uint32_t end_of_near(const struct work *work)
{
	uint32_t far = 1;

	while (far < work->longest && work->alike[far] > 0)
		far++;
	return far;
}

/* The top of the first stretch of distances that are alike; 0 = none is. */
static uint32_t first_alike(const struct work *work, uint32_t from)
{
	double most = 0;
	uint32_t top = 0;

	for (uint32_t far = from; far < work->longest; far++)
		if (counts(work, far))
			most = fmax(most, work->alike[far]);
	for (uint32_t far = from; far < work->longest && most > 0; far++) {
		const bool is = counts(work, far) &&
				work->alike[far] >= ALIKE * most;

		if (!is && top)
			break;
		if (is && (!top || work->alike[far] > work->alike[top]))
			top = far;
	}
	return top;
}

/* -- slot by slot ----------------------------------------------------------- */

/* How much looks at the same place of a period differ. */
struct differ {
	double sum;
	double looks;		/* beyond the first of each place */
};

static void add_differ(const struct mp_comb_row *row, uint32_t period,
		       uint32_t *seen, uint32_t *missed, struct differ *differ)
{
	memset(seen, 0, period * sizeof(*seen));
	memset(missed, 0, period * sizeof(*missed));
	for (uint32_t first = 0; first < row->n; first += period)
		for (uint32_t at = 0; at < period && first + at < row->n; at++) {
			seen[at] += row->seen[first + at];
			missed[at] += row->missed[first + at];
		}
	for (uint32_t at = 0; at < period; at++) {
		if (!seen[at])
			continue;
		differ->sum += missed[at] - (double)missed[at] * missed[at] /
					    seen[at];
		differ->looks += seen[at] - 1;
	}
}

static double differ_by(const struct work *work, uint32_t period,
			uint32_t *room)
{
	struct differ differ = { 0 };

	for (uint32_t r = 0; r < work->n_rows; r++)
		add_differ(&work->row[r], period, room, room + period, &differ);
	return differ.looks > 0 ? differ.sum / differ.looks : INFINITY;
}

/* Bins on one side of a top that may be it as well. */
static uint32_t beside(const struct work *work, uint32_t far, int side)
{
	const double least = TOP_PART * work->alike[far];
	uint32_t n = 0;

	while ((n + 1) * work->wide <= TOP_SLOTS && far + side * (int)n > 1 &&
	       far + side * (int)n + 1 < work->longest &&
	       work->alike[far + side * (int)(n + 1)] >= least)
		n++;
	return n;
}

/* Of the periods nearby the one under which they differ least; if there may be
 * a better one still further on, that. */
static int find_period(const struct work *work, uint32_t far, uint32_t *period)
{
	const uint32_t wide = work->wide, most = work->longest * wide;
	uint32_t *room = calloc(2 * ((size_t)most + 1), sizeof(*room));
	uint32_t low = (far - 1 - beside(work, far, -1)) * wide + 1;
	uint32_t high = (far + 1 + beside(work, far, 1)) * wide + 1;
	double least = INFINITY;

	if (!room)
		return -ENOMEM;
	for (uint32_t p = low; p < high && p < most; p++) {
		const double differ = differ_by(work, p, room);

		if (!(differ < least))
			continue;
		least = differ;
		*period = p;
		if (p + wide > high)
			high = p + wide;
	}
	for (uint32_t p = low; p > 1 && p + wide > *period; p--) {
		const double differ = differ_by(work, p, room);

		if (!(differ < least))
			continue;
		least = differ;
		*period = p;
	}
	free(room);
	return 0;
}

static int find(struct work *work, struct mp_comb *comb)
{
	uint32_t far;

	fill_bins(work);
	find_alike(work);
	if (!(work->alike[0] > 0))
		return 0;
	far = first_alike(work, end_of_near(work));
	if (!far)
		return 0;
	comb->score = work->alike[far] / work->alike[0] *
		      sqrt(work->pairs[far]);
	return comb->score < SURE ? 0 : find_period(work, far, &comb->period);
}

int mp_comb_find(const struct mp_comb_row *row, uint32_t n_rows,
		 struct mp_comb *comb)
{
	struct work work = { .row = row, .n_rows = n_rows };
	int err = -ENOMEM;

	*comb = (struct mp_comb){ .missed = NAN };
	find_mean(&work);
	comb->missed = work.mean;
	if (isnan(work.mean))
		return 0;
	choose_bins(&work);
	work.off = calloc(work.bins + 1, sizeof(*work.off));
	work.has = calloc(work.bins + 1, sizeof(*work.has));
	work.alike = calloc(work.longest + 1, sizeof(*work.alike));
	work.pairs = calloc(work.longest + 1, sizeof(*work.pairs));
	if (work.off && work.has && work.alike && work.pairs)
		err = work.longest ? find(&work, comb) : 0;
	free(work.off);
	free(work.has);
	free(work.alike);
	free(work.pairs);
	return err;
}

/* -- of whole rings --------------------------------------------------------- */

/* Of the first slots of a ring, of all rows, those that were looked at, and what of
 * each missed: looks at one slot are alike, so that each counts once. */
struct before {
	double *seen;
	double *missed;
	double all;		/* share of all that missed */
};

static void sum_up(const struct mp_comb_row *row, uint32_t n_rows,
		   struct before *before)
{
	const uint32_t n = row[0].n;

	for (uint32_t i = 0; i < n; i++) {
		double seen = 0, missed = 0;

		for (uint32_t r = 0; r < n_rows; r++) {
			seen += row[r].seen[i] > 0;
			missed += row[r].seen[i] ?
				  (double)row[r].missed[i] / row[r].seen[i] : 0;
		}
		before->seen[i + 1] = before->seen[i] + seen;
		before->missed[i + 1] = before->missed[i] + missed;
	}
	before->all = before->seen[n] > 0 ?
		      before->missed[n] / before->seen[n] : NAN;
}

/* Logarithm of how likely it is that a share of so many misses. */
static double likely(double share, double n)
{
	return share > 0 && share < 1 ?
	       n * (share * log(share) + (1 - share) * log(1 - share)) : 0;
}

/* How much more likely the misses are if places that have one slot more than the
 * others miss more. Where others do not miss at all that is much. */
static void whole_by(const struct before *before, uint32_t n,
		     struct mp_comb_whole *whole)
{
	const uint32_t more = n % whole->period;
	const double all = before->seen[n];
	double seen = 0, missed = 0;

	for (uint32_t first = 0; first < n; first += whole->period) {
		seen += before->seen[first + more] - before->seen[first];
		missed += before->missed[first + more] - before->missed[first];
	}
	if (!(seen > 0) || !(seen < all))
		return;
	whole->share = missed / seen;
	whole->others = (before->missed[n] - missed) / (all - seen);
	if (whole->share > whole->others)
		whole->score = 2 * (likely(whole->share, seen) +
				    likely(whole->others, all - seen) -
				    likely(before->all, all));
}

int mp_comb_whole_find(const struct mp_comb_row *row, uint32_t n_rows,
		       uint32_t low, uint32_t high, struct mp_comb_whole *whole)
{
	const uint32_t n = row[0].n;
	struct before before = {
		.seen = calloc((size_t)n + 1, sizeof(*before.seen)),
		.missed = calloc((size_t)n + 1, sizeof(*before.missed)),
	};
	const bool may = before.seen && before.missed;

	*whole = (struct mp_comb_whole){ .missed = NAN };
	if (may) {
		sum_up(row, n_rows, &before);
		whole->missed = before.all;
	}
	for (uint32_t p = low > 1 ? low : 1; may && p <= high && p < n; p++) {
		struct mp_comb_whole one = { .period = p, .missed = before.all };

		whole_by(&before, n, &one);
		if (one.score > whole->score)
			*whole = one;
	}
	free(before.seen);
	free(before.missed);
	return may ? 0 : -ENOMEM;
}
