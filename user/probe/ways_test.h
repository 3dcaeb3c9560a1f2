/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A test of a level's ways: the experiments that tell whether so many lines
 * stay in the level, and what came of them.
 */
#ifndef MP_WAYS_TEST_H
#define MP_WAYS_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "probe.h"
#include "probe/ways_sets.h"

/** MP_WAYS_PAGE - bytes of a small page, and of a huge one */
#define MP_WAYS_PAGE 4096u
#define MP_WAYS_HUGE (2ull << 20)
/** MP_WAYS_APART - levels whose latencies are this far apart are told apart */
#define MP_WAYS_APART 1.1
/** MP_WAYS_SURE - means have to differ by so many of their errors */
#define MP_WAYS_SURE 2.5

/**
 * struct mp_ways_level - what is known of a level before its ways are
 * @k: which, 0 = the innermost
 * @low_bytes, @high_bytes: limits of its size
 * @innermost_bytes: size of the innermost level
 * @innermost_cycles, @inner_cycles, @own_cycles, @next_cycles,
 *	@beyond_cycles: latencies of the innermost level, the one inside, this
 *	one, the one behind it and the one behind that, or memory
 * @beyond_known: .. that one was measured, and is no more than a limit
 * @left_bytes: of a longer ring the level behind it may put lines out of this one,
 *	full or not
 * @line: bytes from line to line of a control: no two are one of the innermost
 *	level's
 * @single: the clock can time single hops
 * @misses: .. or it tells those that miss the level, and the next one too, from
 *	others, at the least
 * @crowded: it cannot, and others take of the caches meanwhile
 */
struct mp_ways_level {
	uint32_t k;
	double low_bytes;
	double high_bytes;
	double innermost_bytes;
	double innermost_cycles;
	double inner_cycles;
	double own_cycles;
	double next_cycles;
	double beyond_cycles;
	bool beyond_known;
	double left_bytes;
	uint32_t line;
	bool single;
	bool misses;
	bool crowded;
};

/**
 * struct mp_ways_rig - what tests are made with
 * @view: where batches are looked for
 * @level: the level that is tested
 * @sets: what is left of its guesses
 * @pages: kind of memory
 * @evidence: the last two experiments that were looked at
 * @missed, @held, @ring_kept, @control: of the last test that was, see struct mp_ways_test
 */
struct mp_ways_rig {
	const struct mp_view *view;
	struct mp_ways_level level;
	const struct mp_ways_sets *sets;
	uint32_t pages;
	uint64_t evidence[2];
	double missed;
	uint32_t held;
	bool ring_kept;
	struct mp_ways_control control;
};

/** mp_ways_clear() - the most lines of which a miss can be told */
uint32_t mp_ways_clear(const struct mp_ways_level *level);

/** mp_ways_goes_beyond() - does the next level miss as well? What an inclusive
 * one puts out leaves this one too, full or not */
bool mp_ways_goes_beyond(const struct mp_ways_level *level,
			 const struct mp_batch *batch);

/** mp_ways_given_up() - has an experiment been tried in vain, so that more tries
 * are not made? */
bool mp_ways_given_up(const struct mp_view *view, uint64_t id,
		      uint32_t replicates);

/** mp_ways_look() - what came of a test, MP_WAYS_LACKING where batches
 * are; @replicates have to say the same. Return: 0 or -ENOMEM */
int mp_ways_look(struct mp_ways_rig *rig, const struct mp_ways_test *test,
		 uint32_t replicates, enum mp_ways_outcome *outcome);

/** mp_ways_plan() - want the experiment that a test lacks; -ENOMEM */
int mp_ways_plan(const struct mp_ways_rig *rig,
		 const struct mp_ways_test *test, uint32_t replicates,
		 struct mp_plan *plan);

#endif
