// SPDX-License-Identifier: GPL-2.0
/* Flushed tests on a simulated machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "backend.h"
#include "gcd.h"
#include "made_sim.h"
#include "probe/ways_others.h"
#include "probe/ways_test.h"

#define KIB 1024ull
#define REPLICATES 3u

static struct made_sim sim;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

static enum mp_ways_outcome look(struct mp_ways_rig *rig,
				 const struct mp_ways_test *test)
{
	struct mp_plan plan = { 0 };
	enum mp_ways_outcome outcome;

	assert_int_equal(mp_ways_plan(rig, test, REPLICATES, &plan), 0);
	assert_true(plan.n > 0);
	made_sim_run(&sim, &plan);
	assert_int_equal(mp_ways_look(rig, test, REPLICATES, &outcome), 0);
	return outcome;
}

/* More lines than the 23 that fit here; the others stay in the level inside, of
 * which pieces begin anywhere in the sets. */
static enum mp_ways_outcome of_lines(uint32_t lines)
{
	struct mp_ways_guess guess[] = {
		{ .span = 4 * KIB, .ways = 4 }, { .span = 7 * KIB, .ways = 8 },
		{ .span = 16 * KIB, .ways = 23, .exclusive = true },
	};
	struct mp_ways_sets sets[3];
	struct mp_ways_rig rig = {
		.view = &sim.view, .sets = &sets[2], .pages = MP_PAGES_THP,
		.level = {
			.k = 2, .low_bytes = 368 * KIB, .high_bytes = 368 * KIB,
			.innermost_bytes = 16 * KIB, .innermost_cycles = 4,
			.inner_cycles = 16, .own_cycles = 35,
			.next_cycles = 338, .beyond_cycles = 338, .line = 64,
			.single = true,
		},
	};
	const struct mp_ways_test test = {
		.stride = 224 * KIB, .lines = lines, .flushed = true,
		.least = 0.4,
	};

	made_sim_open(&sim,
		 "machine name=a clock_mhz=2900 memory_latency=338\n"
		 "level name=l1d size=16K ways=4 latency=4 policy=bit-plru\n"
		 "level name=l2 size=56K ways=8 latency=16 policy=nru "
		 "inclusion=exclusive\n"
		 "level name=l3 size=368K ways=23 latency=35 "
		 "policy=qlru_h11_m1_r1_u2 inclusion=exclusive\n"
		 "tlb level=1 page=4K entries=96 ways=12\n"
		 "tlb level=2 page=4K entries=256 ways=8 cost=8\n"
		 "walk cost=37 page=all\n"
		 "clock tsc_mhz=3300 step=1 read=35\n");
	sim.view.caps |= MP_CAP_SEQUENCE;
	sim.view.arena_max_bytes = 64u << 20;
	for (uint32_t i = 0; i < 3; i++)
		sets[i] = (struct mp_ways_sets){
			.line = 64, .grain = 64, .piece = MP_WAYS_HUGE,
			.inner = i ? &sets[i - 1] : NULL, .n = 1,
			.guess = &guess[i],
		};
	return look(&rig, &test);
}

static void a_hit_inside_with_a_translation_is_no_hit_here(void **state)
{
	(void)state;
	assert_int_not_equal(of_lines(34), MP_WAYS_FIT);
}

/* Lines of a set of three, each of which comes with a translation from the
 * second TLB: that takes more than half of what parts a miss from a hit. */
static enum mp_ways_outcome of_three_ways(uint32_t lines)
{
	struct mp_ways_guess guess[] = {
		{ .span = 2 * KIB, .ways = 6 }, { .span = 16 * KIB, .ways = 3 },
	};
	struct mp_ways_sets sets[2];
	struct mp_ways_rig rig = {
		.view = &sim.view, .sets = &sets[1], .pages = MP_PAGES_THP,
		.level = {
			.k = 1, .low_bytes = 48 * KIB, .high_bytes = 48 * KIB,
			.innermost_bytes = 12 * KIB, .innermost_cycles = 3,
			.inner_cycles = 3, .own_cycles = 9, .next_cycles = 21,
			.beyond_cycles = 340, .line = 64, .single = true,
		},
	};
	const struct mp_ways_test test = {
		.stride = 16 * KIB, .lines = lines, .flushed = true,
		.least = 0.25,
	};

	made_sim_open(&sim,
		 "machine name=b clock_mhz=3000 memory_latency=340\n"
		 "level name=l1d size=12K ways=6 latency=3\n"
		 "level name=l2 size=48K ways=3 latency=9\n"
		 "level name=l3 size=256K ways=16 latency=21\n"
		 "tlb level=1 page=4K entries=8 ways=full\n"
		 "tlb level=2 page=4K entries=768 ways=6 cost=7\n"
		 "walk cost=25 page=all\n"
		 "clock tsc_mhz=3000 step=1 read=35\n");
	sim.view.caps |= MP_CAP_SEQUENCE;
	sim.view.arena_max_bytes = 64u << 20;
	for (uint32_t i = 0; i < 2; i++)
		sets[i] = (struct mp_ways_sets){
			.line = 64, .grain = 64, .piece = MP_WAYS_HUGE,
			.inner = i ? &sets[i - 1] : NULL, .n = 1,
			.guess = &guess[i],
		};
	return look(&rig, &test);
}

static void what_a_translation_takes_hides_no_miss(void **state)
{
	(void)state;
	assert_int_equal(of_three_ways(4), MP_WAYS_MISS);
}

static void a_hit_with_a_translation_is_no_miss(void **state)
{
	(void)state;
	assert_int_not_equal(of_three_ways(3), MP_WAYS_MISS);
}

static uint32_t left_beyond(uint64_t piece, uint32_t outcome)
{
	struct mp_ways_guess of_l1 = { .span = 2 * KIB, .ways = 7 };
	struct mp_ways_guess of_l2 = { .span = 52 * KIB, .ways = 1 };
	struct mp_ways_guess guess[] = {
		{ .span = 16 * KIB, .ways = 16, .exclusive = true },
		{ .span = 16 * KIB, .ways = 17, .exclusive = true },
	};
	const struct mp_ways_sets l1 = {
		.line = 64, .grain = 64, .piece = piece, .n = 1,
		.guess = &of_l1,
	};
	const struct mp_ways_sets l2 = {
		.line = 64, .grain = 64, .piece = piece, .n = 1,
		.guess = &of_l2, .inner = &l1,
	};
	struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = piece, .n = 2,
		.guess = guess, .inner = &l2,
	};
	const struct mp_ways_test test = {
		.stride = 208 * KIB, .lines = 17, .flushed = true,
	};

	mp_ways_keep(&sets, &test, outcome);
	return sets.n;
}

/* The last line of another huge page than those of the others stays inside at
 * the end of a turn, and comes back before its own: 17 fit in 16 ways. */
static void others_put_out_lines_of_their_piece_of_memory(void **state)
{
	(void)state;
	assert_int_equal(left_beyond(2048 * KIB, MP_WAYS_FIT), 2);
	assert_int_equal(left_beyond(65536 * KIB, MP_WAYS_FIT), 1);
	assert_int_equal(left_beyond(2048 * KIB, MP_WAYS_MISS), 1);
}

/* The others of a line are the first of the slots of its set inside that are
 * neither in its set nor in its page, whatever the step at which those that are
 * come again. */
static void others_are_the_first_that_keep_off(void **state)
{
	struct mp_ways_guess inside = { .ways = 12 };
	struct mp_ways_guess guess = { .ways = 4 };
	const struct mp_ways_sets inner = {
		.line = 64, .grain = 64, .piece = 65536 * KIB, .n = 1,
		.guess = &inside,
	};
	const struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 65536 * KIB, .inner = &inner,
		.n = 1, .guess = &guess,
	};
	struct mp_ways_test test = { 0 };
	struct mp_ways_flush flush;

	(void)state;
	for (uint64_t k = 1; k < 600; k++) {
		const uint64_t unit = KIB << k % 3, page = 4 * KIB;
		uint64_t meets, at, line;
		uint32_t n = 0;

		inside.span = unit;
		guess.span = k * 3 % 64 * 64 + 64 * KIB;
		test.stride = (k * 7 % 90 + 1) * KIB;
		meets = mp_gcd(guess.span, test.stride);
		if (!mp_ways_flushers(&sets, &test, MP_WAYS_FLUSH_LEAST, &flush))
			continue;
		for (uint32_t i = 1; n < flush.n; i++) {
			at = i * unit;
			line = at / test.stride * test.stride;
			if (at % meets == 0 ||
			    (test.stride >= 4 * page &&
			     (line / page == at / page ||
			      (line + test.stride) / page == at / page)))
				continue;
			assert_int_equal(flush.slot[n++], i);
		}
		assert_int_equal(n, MP_WAYS_FLUSH_LEAST * 12);
	}
}

/* 171 sets of nine ways behind 64 KiB. */
static bool is_left(bool brought, const struct mp_ways_test *test,
		    struct mp_ways_flush *flush)
{
	struct mp_ways_guess of_l2 = { .span = 4 * KIB, .ways = 16 };
	struct mp_ways_guess guess = { .span = 171 * 64, .ways = 9 };
	const struct mp_ways_sets l2 = {
		.line = 64, .grain = 64, .piece = 65536 * KIB, .n = 1,
		.guess = &of_l2,
	};
	struct mp_ways_sets sets = {
		.line = 64, .grain = 64, .piece = 65536 * KIB, .n = 1,
		.guess = &guess, .inner = &l2, .brought = brought,
	};

	if (flush)
		assert_true(mp_ways_flushers(&sets, test, MP_WAYS_FLUSH_LEAST,
					     flush));
	mp_ways_keep(&sets, test, MP_WAYS_MISS);
	return sets.n;
}

static void others_bring_no_line_to_the_sets_of_a_test(void **state)
{
	const struct mp_ways_test test = {
		.stride = 64 * 171 * 64, .lines = 5, .flushed = true,
	};
	uint32_t near = 0;

	(void)state;
	for (uint32_t brought = 0; brought <= 1; brought++) {
		struct mp_ways_flush flush;

		is_left(brought, &test, &flush);
		for (uint32_t i = 0; i < flush.n; i++) {
			const uint64_t set = flush.slot[i] * flush.unit / 64 %
					     171;

			near += set == 1 || set == 170;
			assert_true(set > 0);
			assert_false(brought && (set == 1 || set == 170));
		}
	}
	assert_true(near > 0);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_hit_inside_with_a_translation_is_no_hit_here),
		TEST(what_a_translation_takes_hides_no_miss),
		TEST(a_hit_with_a_translation_is_no_miss),
		cmocka_unit_test(others_put_out_lines_of_their_piece_of_memory),
		cmocka_unit_test(others_are_the_first_that_keep_off),
		cmocka_unit_test(others_bring_no_line_to_the_sets_of_a_test),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
