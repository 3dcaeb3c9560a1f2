// SPDX-License-Identifier: GPL-2.0
/* What guesses say, in order, at a cost that does not rise with the square of
 * their number: it is asked for stride after stride. */
#include "probe/ways_said.h"

/* As many, or fewer, are put in order one by one. */
#define SORTED_SINGLY 12u

/* By rising key; equal ones stay in order, and so do sums over them. */
static void sort_said(struct mp_ways_said *said, struct mp_ways_said *spare,
		      uint32_t n)
{
	const uint32_t half = n / 2;
	uint32_t a = 0, b = half, to = half;

	for (uint32_t i = 1; n <= SORTED_SINGLY && i < n; i++) {
		const struct mp_ways_said own = said[i];

		for (to = i; to && said[to - 1].key > own.key; to--)
			said[to] = said[to - 1];
		said[to] = own;
	}
	if (n <= SORTED_SINGLY)
		return;
	sort_said(said, spare, half);
	sort_said(said + half, spare, n - half);
	for (uint32_t i = 0; i < half; i++)
		spare[i] = said[i];
	for (to = 0; a < half; to++)
		said[to] = b < n && said[b].key < spare[a].key ? said[b++] :
								 spare[a++];
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
