// SPDX-License-Identifier: GPL-2.0
/* What guesses say, in order, at a cost that does not rise with the square of
 * their number: it is asked for stride after stride. */
#include "probe/ways_said.h"

#include <string.h>

/* As many, or fewer, are put in order one by one. */
#define SORTED_SINGLY 12u
/* Others go by digits of so many bits. */
#define DIGIT_BITS 8u
#define DIGITS (1u << DIGIT_BITS)

/* A few, one by one. */
static void sort_singly(struct mp_ways_said *said, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		const struct mp_ways_said own = said[i];
		uint32_t to = i;

		for (; to && said[to - 1].key > own.key; to--)
			said[to] = said[to - 1];
		said[to] = own;
	}
}

/* From one place to another, in order of one digit of their keys. */
static void sort_digit(const struct mp_ways_said *from, struct mp_ways_said *to,
		       uint32_t n, uint32_t shift)
{
	uint32_t place[DIGITS] = { 0 }, before = 0;

	for (uint32_t i = 0; i < n; i++)
		place[from[i].key >> shift & (DIGITS - 1)]++;
	for (uint32_t d = 0; d < DIGITS; d++) {
		const uint32_t own = place[d];

		place[d] = before;
		before += own;
	}
	for (uint32_t i = 0; i < n; i++)
		to[place[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

/* By rising key; equal ones stay in order, and so do sums over them. */
static void sort_said(struct mp_ways_said *said, struct mp_ways_said *spare,
		      uint32_t n)
{
	struct mp_ways_said *from = said, *to = spare, *old;
	uint64_t most = 0;

	if (n <= SORTED_SINGLY) {
		sort_singly(said, n);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		most = said[i].key > most ? said[i].key : most;
	for (uint32_t shift = 0; shift < 64 && most >> shift;
	     shift += DIGIT_BITS) {
		sort_digit(from, to, n, shift);
		old = from;
		from = to;
		to = old;
	}
	if (from != said)
		memcpy(said, from, n * sizeof(*said));
}

void mp_ways_said_sort(struct mp_ways_sweep *sweep, struct mp_ways_said *said,
		       uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		said[i].key = said[i].held.low;
	sort_said(said, said + n, n);
	*sweep = (struct mp_ways_sweep){
		.n = n, .said = said, .by_high = said + n,
	};
}

void mp_ways_said_pass(struct mp_ways_sweep *sweep, uint32_t i)
{
	const struct mp_ways_said *said = &sweep->said[i];

	sweep->all.weight += said->weight;
	if (said->held.high > sweep->all.most)
		sweep->all.most = said->held.high;
}

static void sort_by_high(struct mp_ways_sweep *sweep)
{
	for (uint32_t i = 0; i < sweep->n; i++) {
		sweep->by_high[i] = sweep->said[i];
		sweep->by_high[i].key = sweep->said[i].held.high;
	}
	sort_said(sweep->by_high, sweep->by_high + sweep->n, sweep->n);
	sweep->made = true;
}

struct mp_ways_below mp_ways_said_below(struct mp_ways_sweep *sweep, uint32_t i)
{
	const uint64_t low = sweep->said[i].held.low;

	/* Nearly always that is all before it. */
	if (sweep->all.most < low)
		return sweep->all;
	if (!sweep->made)
		sort_by_high(sweep);
	while (sweep->n_below < sweep->n &&
	       sweep->by_high[sweep->n_below].key < low) {
		const struct mp_ways_said *next =
			&sweep->by_high[sweep->n_below++];

		sweep->below.weight += next->weight;
		sweep->below.most = next->key;
	}
	return sweep->below;
}
