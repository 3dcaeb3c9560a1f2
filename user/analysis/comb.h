/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The period of what misses. Slots in a row of memory fall on the sets of a
 * level in turn; which sets have more lines than they hold is the same one
 * period further on, however few of these miss. No stride has to be guessed.
 */
#ifndef MP_COMB_H
#define MP_COMB_H

#include <stdint.h>

/**
 * struct mp_comb_row - slots that lie in a row in memory
 * @n: how many
 * @seen: how often each was looked at
 * @missed: .. and how often it missed
 */
struct mp_comb_row {
	uint32_t n;
	const uint8_t *seen;
	const uint8_t *missed;
};

/**
 * struct mp_comb - what was found
 * @period: slots after which misses are alike again, known to one slot; 0 = none
 *	was found
 * @score: how far the likeness at this distance is from what chance makes, in
 *	standard errors
 * @missed: share of all looks that missed; NaN: there are none
 */
struct mp_comb {
	uint32_t period;
	double score;
	double missed;
};

/**
 * mp_comb_find() - the period of the misses
 * @row, @n_rows: rows, each of which may begin anywhere in a period
 *
 * Return: 0 or -ENOMEM.
 */
int mp_comb_find(const struct mp_comb_row *row, uint32_t n_rows,
		 struct mp_comb *comb);

/**
 * struct mp_comb_whole - the period of whole rings
 * @period: slots, to one of them; 0 = under none misses differ
 * @score: twice the logarithm of how much more likely it makes what missed
 * @share: of the looks at places that have one slot more than others, those that
 *	missed
 * @others: .. and of those at the others
 * @missed: .. and of all; NaN: there are none
 */
struct mp_comb_whole {
	uint32_t period;
	double score;
	double share;
	double others;
	double missed;
};

/**
 * mp_comb_whole_find() - the period where each row is a whole ring
 * @row, @n_rows: rows of the same length, which are all that the sets hold
 * @low, @high: limits of the period; the ring has more than one
 *
 * Places of the period that the last, broken one has as well have one slot more
 * than the others. Where a ring has many periods those that are a little off put
 * the end of it far off.
 * Return: 0 or -ENOMEM.
 */
int mp_comb_whole_find(const struct mp_comb_row *row, uint32_t n_rows,
		       uint32_t low, uint32_t high, struct mp_comb_whole *whole);

#endif
