// SPDX-License-Identifier: GPL-2.0
/* Lines that put others out of the levels inside, and leave them here. */
#include "probe/ways_others.h"

#include "exp.h"
#include "probe/ways_drive.h"
#include "probe/ways_held.h"

/* Others that put lines out are looked for among so many slots. */
#define FLUSH_SLOTS 4096u
#define PAGE 4096u
/* Lines of one set inside are no further apart. */
#define UNIT_MOST (64ull << 20)

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
	for (uint32_t i = 1; i < sets->inner->n; i++) {
		if (unit % sets->inner->guess[i].span && !sets->inner->loose)
			return 0;
		unit = mp_ways_lcm(unit, sets->inner->guess[i].span);
		if (unit > UNIT_MOST)
			return 0;
	}
	return unit;
}

uint64_t mp_ways_unit_all(const struct mp_ways_sets *sets, uint64_t most)
{
	uint64_t unit = 1;

	for (sets = sets->inner; sets; sets = sets->inner) {
		for (uint32_t i = 0; i < sets->n; i++) {
			const uint64_t span = sets->guess[i].span;

			unit = mp_ways_lcm(span, unit);
			if (unit > most)
				return 0;
		}
	}
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

/* May it fall on a set that lines of the test fall on? Or where prefetchers may
 * be on, what comes along with it, of lines as long as they may be here? */
static bool may_meet(const struct mp_ways_sets *sets,
		     const struct mp_ways_meets *meets, uint64_t at)
{
	if (mp_ways_may_meet(meets, at))
		return true;
	for (uint64_t off = sets->line; sets->brought && off <= sets->grain;
	     off += sets->line)
		if (mp_ways_may_meet(meets, at + off) ||
		    mp_ways_may_meet(meets, at - off))
			return true;
	return false;
}

uint64_t mp_ways_groups(const struct mp_ways_flush *flush, uint64_t lines)
{
	return lines < flush->sets ? lines : flush->sets;
}

/* Slots after which the same ones meet a line, as lines come each @stride and what they
 * meet at is a part of that, or lie in a page with one. */
static uint64_t slots_again(uint64_t stride, uint64_t unit)
{
	return mp_ways_lcm(mp_ways_lcm(unit, stride), PAGE) / unit;
}

/* The first @wanted slots that neither meet a line nor are beside one. */
static void list_slots(const struct mp_ways_sets *sets,
		       const struct mp_ways_test *test, uint64_t wanted,
		       struct mp_ways_flush *flush)
{
	struct mp_ways_meets meets;
	uint64_t again;
	uint32_t once;

	mp_ways_meets(sets, test, &meets);
	again = slots_again(test->stride, flush->unit);
	for (uint32_t i = 1; flush->n < wanted && i <= again && i < FLUSH_SLOTS;
	     i++)
		if (!may_meet(sets, &meets, i * flush->unit) &&
		    !is_beside(i * flush->unit, test->stride))
			flush->slot[flush->n++] = i;
	once = flush->n;
	while (once && flush->n < wanted &&
	       flush->slot[flush->n - once] + again < FLUSH_SLOTS) {
		flush->slot[flush->n] = flush->slot[flush->n - once] + again;
		flush->n++;
	}
}

bool mp_ways_flushers(const struct mp_ways_sets *sets,
		      const struct mp_ways_test *test, uint32_t times,
		      struct mp_ways_flush *flush)
{
	const uint64_t unit = mp_ways_unit(sets);
	uint64_t wanted, last;

	flush->unit = unit;
	flush->n = 0;
	if (!unit)
		return false;
	flush->sets = unit / mp_gcd(unit, test->stride);
	wanted = times * mp_ways_likely(sets->inner, unit).high;
	if (wanted > MP_WAYS_FLUSHERS)
		return false;
	list_slots(sets, test, wanted, flush);
	if (!flush->n || flush->n < wanted)
		return false;
	/* Of a guess, others are known to keep off only within a piece. */
	last = (mp_ways_groups(flush, test->lines ? test->lines : 1) - 1) *
	       test->stride + (flush->slot[flush->n - 1] + 1) * unit;
	return !test->apart || sets->piece % test->apart == 0 ||
	       last <= sets->piece;
}

/* Do lines of several pieces share the sets of the levels inside that lines of
 * one do? */
static bool is_alike_inside(const struct mp_ways_sets *sets)
{
	const struct mp_ways_sets *in = sets->inner;

	for (; in; in = in->inner)
		for (uint32_t i = 0; i < in->n; i++)
			if (sets->piece % in->guess[i].span)
				return false;
	return true;
}

bool mp_ways_others_in_row(const struct mp_ways_sets *sets,
			   const struct mp_ways_test *test)
{
	struct mp_ways_flush flush = { 0 };
	uint64_t last;
	uint32_t times = MP_WAYS_FLUSH_MOST;

	if (!test->flushed || sets->small)
		return true;
	if (test->drive)
		return mp_ways_drive_end(test) <= sets->piece;
	while (times > MP_WAYS_FLUSH_LEAST &&
	       !mp_ways_flushers(sets, test, times, &flush))
		times--;
	if (times == MP_WAYS_FLUSH_LEAST &&
	    !mp_ways_flushers(sets, test, times, &flush))
		return false;
	last = (mp_ways_groups(&flush, test->lines ? test->lines : 1) - 1) *
	       test->stride + (flush.slot[flush.n - 1] + 1) * flush.unit;
	return last <= sets->piece;
}

bool mp_ways_is_foretold(const struct mp_ways_sets *sets,
			 const struct mp_ways_guess *guess,
			 const struct mp_ways_test *test)
{
	return sets->piece % guess->span == 0 ||
	       (mp_ways_in_row(sets, test) &&
		mp_ways_others_in_row(sets, test));
}

uint64_t mp_ways_left_inside(const struct mp_ways_sets *sets,
			     const struct mp_ways_test *test, bool in_row)
{
	if (!test->flushed || !sets->inner || sets->small ||
	    is_alike_inside(sets) ||
	    (in_row && mp_ways_others_in_row(sets, test)))
		return 0;
	return mp_ways_handed(sets->inner, test->stride, in_row);
}

/* Pages that the others of one line take. */
static uint64_t pages_beside(const struct mp_ways_flush *flush)
{
	const uint64_t row = flush->n * flush->unit / PAGE + 2;

	return flush->n < row ? flush->n : row;
}

uint64_t mp_ways_most_beside(uint64_t pages, const struct mp_ways_flush *flush,
			     uint64_t stride)
{
	const uint64_t others = pages_beside(flush);
	uint64_t steps = MP_EXP_STEPS / (flush->n + 1);

	if (flush->sets * (flush->n + 1) <= MP_EXP_STEPS)
		steps = MP_EXP_STEPS - flush->sets * flush->n;
	if (!pages)
		return steps;
	if (flush->sets > 1)
		pages /= others + 1;
	else
		pages = pages <= others ? 0 : pages - others;
	if (flush->sets == 1 && stride < PAGE)
		pages = pages * PAGE / stride;
	return pages < steps ? pages : steps;
}
