// SPDX-License-Identifier: GPL-2.0
/* Lines that put others out of the levels inside, and leave them here. */
#include "probe/ways_others.h"

#include "probe/ways_held.h"

/* Others that put lines out are looked for among so many slots. */
#define FLUSH_SLOTS 4096u
#define PAGE 4096u

uint64_t mp_ways_stride(const struct mp_ways_sets *sets, uint64_t span)
{
	return mp_ways_lcm(span, sets->grain);
}

uint64_t mp_ways_unit(const struct mp_ways_sets *sets)
{
	uint64_t unit;

	if (!sets->inner || !sets->inner->n)
		return 0;
	unit = mp_ways_stride(sets, sets->inner->guess[0].span);
	for (uint32_t i = 1; i < sets->inner->n; i++)
		if (unit % sets->inner->guess[i].span)
			return 0;
	return unit;
}

/* In a page with a line, as far as lines lie apart? Its translation would come
 * with that one's at times. */
static bool is_beside(uint64_t at, uint64_t stride)
{
	const uint64_t line = at / stride * stride;

	return stride >= 4 * PAGE &&
	       (at / PAGE == line / PAGE ||
		at / PAGE == (line + stride) / PAGE);
}

uint32_t mp_ways_flushers(const struct mp_ways_sets *sets,
			  const struct mp_ways_test *test, uint32_t times,
			  uint64_t *unit, uint32_t slot[MP_WAYS_FLUSHERS])
{
	struct mp_ways_meets meets;
	uint64_t wanted, n = 0;

	*unit = mp_ways_unit(sets);
	if (!*unit || test->stride % *unit)
		return 0;
	wanted = times * mp_ways_held(sets->inner, *unit).high;
	if (wanted > MP_WAYS_FLUSHERS)
		return 0;
	mp_ways_meets(sets, test, &meets);
	for (uint32_t i = 1; n < wanted && i < FLUSH_SLOTS; i++)
		if (!mp_ways_may_meet(&meets, i * *unit) &&
		    !is_beside(i * *unit, test->stride))
			slot[n++] = i;
	/* Of a guess, others are known to keep off only within a piece. */
	if (n < wanted || (test->apart && sets->piece % test->apart &&
			   (slot[n - 1] + 1) * *unit > sets->piece))
		return 0;
	return (uint32_t)n;
}

uint64_t mp_ways_most_beside(uint64_t pages, uint64_t n, uint64_t unit,
			     uint64_t stride)
{
	const uint64_t row = n * unit / PAGE + 2;
	const uint64_t others = n < row ? n : row;

	if (pages <= others)
		return 0;
	return stride < PAGE ? (pages - others) * PAGE / stride :
			       pages - others;
}
