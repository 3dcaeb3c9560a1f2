// SPDX-License-Identifier: GPL-2.0
#include "analysis/spectrum_cut.h"

#include <math.h>

/* So many steps apart places are two, and by such a factor: one that lies near
 * and far moves less. Lengths have this share of their hops there, and of those
 * this part on one side. */
#define APART_STEPS 1.5
#define APART 1.25
#define SHARE 0.9
#define CLEAN 0.99

double mp_spectrum_cycles_at(double bin)
{
	return exp2(bin / MP_SPECTRUM_GRAIN + 1) - MP_SPECTRUM_OFFSET;
}

/* Hops of a stretch of bins, of one length: their share, and where they lie. */
static double stretch(const struct mp_spectrum_read *read, uint32_t point,
		      uint32_t from, uint32_t to, double *cycles)
{
	const struct mp_spectrum_sums *sums = &read->sums[point];
	const double share = sums->share[to] - sums->share[from];

	*cycles = (sums->cycles[to] - sums->cycles[from]) / share;
	return share;
}

/* Lengths of which nearly all hops of the stretch are on one side of a cut, and
 * nearly all that there are: where they lie, the farthest from the other side;
 * NAN where there is none. */
static double clean_side(const struct mp_spectrum_read *read, uint32_t from,
			 uint32_t cut, uint32_t to, bool above,
			 uint32_t *point)
{
	double found = NAN;

	for (uint32_t p = 0; p < read->curve->n; p++) {
		double cycles, other;
		const double own = stretch(read, p, above ? cut : from,
					   above ? to : cut, &cycles);
		const double beside = stretch(read, p, above ? from : cut,
					      above ? cut : to, &other);

		if (own < SHARE || own < CLEAN * (own + beside))
			continue;
		if (isnan(found) || (above ? cycles > found : cycles < found)) {
			found = cycles;
			*point = p;
		}
	}
	return found;
}

uint32_t mp_spectrum_cut(const struct mp_spectrum_read *read, uint32_t from,
			 uint32_t to, double apart[2])
{
	uint32_t first = 0, last = 0;

	for (uint32_t at = from + 1; at < to; at++) {
		const uint32_t cut = at;

		apart[0] = clean_side(read, from, at, to, false, &first);
		apart[1] = clean_side(read, from, at, to, true, &last);
		if (!(apart[1] - apart[0] >= APART_STEPS * read->step) ||
		    apart[1] < APART * apart[0] ||
		    read->curve->at[first].length >= read->curve->at[last].length)
			continue;
		while (at + 1 < to && !read->any[at])
			at++;
		return (cut + at) / 2;
	}
	return 0;
}

double mp_spectrum_bound(const struct mp_spectrum *found, uint32_t k, double step)
{
	const double own = found->cycles[k] + step;
	const double next = found->cycles[k + 1] - step;

	return fmin(found->bound[k], fmax(own, next));
}
