// SPDX-License-Identifier: GPL-2.0
/*
 * Loads through levels and translation, cycle by cycle: plateaus, edges that
 * are sharp where pages lie one behind the other, and inclusion.
 */
#include "backend/sim_memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "made_ring.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define KIB 1024ull
#define NEVER UINT64_MAX

#define THREE_LEVELS(policy) \
	"machine name=a memory_latency=300\n" \
	"level name=l1d size=4K ways=4 latency=4 policy=" policy "\n" \
	"level name=l2 size=32K ways=8 latency=14 policy=" policy "\n" \
	"level name=l3 size=96K ways=12 latency=50\n" \
	"place pages=contiguous\n"

/* Cycles of one turn, after a few others. */
static uint64_t turn_cycles(const char *text, uint64_t bytes, uint64_t stride)
{
	struct made_ring made;
	uint64_t cycles;

	made_ring(&made, text, bytes, stride, 0);
	made.ring.patience_hops = NEVER;
	mp_sim_ring_hops(&made.ring, 4ull * made.slots);
	cycles = mp_sim_ring_hops(&made.ring, made.slots);
	made_ring_free(&made);
	return cycles;
}

static void a_plateau_costs_its_level_and_nothing_else(void **state)
{
	(void)state;
	assert_int_equal(turn_cycles(THREE_LEVELS("lru"), 4 * KIB, 64),
			 64 * 4);
	assert_int_equal(turn_cycles(THREE_LEVELS("lru"), 8 * KIB, 64),
			 128 * 14);
	assert_int_equal(turn_cycles(THREE_LEVELS("lru"), 32 * KIB, 64),
			 512 * 14);
	assert_int_equal(turn_cycles(THREE_LEVELS("lru"), 64 * KIB, 64),
			 1024 * 50);
	assert_int_equal(turn_cycles(THREE_LEVELS("lru"), 96 * KIB, 64),
			 1536 * 50);
	assert_int_equal(turn_cycles(THREE_LEVELS("lru"), 192 * KIB, 64),
			 3072 * 300);
}

static void one_line_too_many_costs_its_set(void **state)
{
	(void)state;
	/* Five lines in a set of four chase one another; 60 others hit. */
	assert_int_equal(turn_cycles(THREE_LEVELS("lru"), 4 * KIB + 64, 64),
			 60 * 4 + 5 * 14);
	assert_int_equal(turn_cycles(THREE_LEVELS("fifo"), 4 * KIB + 64, 64),
			 60 * 4 + 5 * 14);
	/* Nine in a set of eight, of the second level. */
	assert_int_equal(turn_cycles(THREE_LEVELS("lru"), 32 * KIB + 64, 64),
			 504 * 14 + 9 * 50);
	/* Thirteen in one of 128 sets of twelve. */
	assert_int_equal(turn_cycles(THREE_LEVELS("lru"), 96 * KIB + 64, 64),
			 1524 * 50 + 13 * 300);
}

static void a_footprint_of_one_set_shows_the_ways(void **state)
{
	(void)state;
	/* A stride of all sets: 4 and 5 lines in a set of 4 ways. */
	assert_int_equal(turn_cycles(THREE_LEVELS("lru"), 4 * KIB, 1024),
			 4 * 4);
	assert_int_equal(turn_cycles(THREE_LEVELS("lru"), 5 * KIB, 1024),
			 5 * 14);
}

static void slots_of_one_line_are_fetched_once(void **state)
{
	(void)state;
	/* Eight slots a line, in order of their addresses: one misses. */
	struct made_ring made;
	uint64_t cycles;

	made_ring(&made, THREE_LEVELS("lru"), 192 * KIB, 8, 1);
	for (uint32_t i = 0; i < made.slots; i++)
		made.order[i] = i;
	mp_sim_ring_hops(&made.ring, made.slots);
	cycles = mp_sim_ring_hops(&made.ring, made.slots);
	assert_int_equal(cycles, 3072ull * (300 + 7 * 4));
	made_ring_free(&made);
}

static void translation_adds_to_the_load(void **state)
{
	static const char text[] =
		"machine name=a memory_latency=300\n"
		"level name=l1d size=32K ways=8 latency=4\n"
		"level name=l2 size=1M ways=8 latency=14\n"
		"tlb level=1 page=4K entries=16 ways=full\n"
		"tlb level=2 page=4K entries=64 ways=full cost=7\n"
		"walk cost=30\n"
		"place pages=contiguous\n";

	(void)state;
	/* One slot a page: 16, 17, 64 and 65 pages, in sets that spread. */
	assert_int_equal(turn_cycles(text, 16 * 4160ull, 4160), 16 * 4);
	assert_int_equal(turn_cycles(text, 17 * 4160ull, 4160), 17 * 11);
	assert_int_equal(turn_cycles(text, 65 * 4160ull, 4160),
			 65 * (4 + 30));
}

static double hit_share(const char *text, uint64_t bytes, double hit,
			double miss)
{
	struct made_ring made;
	double cycles, hops;

	made_ring(&made, text, bytes, 64, 0);
	mp_sim_ring_hops(&made.ring, 8ull * made.slots);
	hops = 40.0 * made.slots;
	cycles = (double)mp_sim_ring_hops(&made.ring,
					    40ull * made.slots);
	made_ring_free(&made);
	return (miss - cycles / hops) / (miss - hit);
}

static void random_replacement_hits_by_its_formula(void **state)
{
	static const char text[] =
		"level name=l1d size=32K ways=full latency=4 policy=random\n"
		"level name=l2 size=1M ways=16 latency=14\n"
		"place pages=contiguous\n";
	static const struct {
		uint64_t bytes;
		double share;
	} rows[] = {
		/* h = exp(-x (1 - h)), x the footprint over the size */
		{ 64 * KIB, 0.2032 },
		{ 128 * KIB, 0.0198 },
		{ 40 * KIB, 0.6286 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const double share = hit_share(text, rows[i].bytes, 4, 14);

		if (fabs(share - rows[i].share) > 0.01)
			fail_msg("%g of %g hit", share, rows[i].share);
	}
}

static void random_small_pages_overflow_sets_early(void **state)
{
	static const char text[] =
		"level name=l1d size=32K ways=8 latency=4\n"
		"level name=l2 size=512K ways=8 latency=14\n";
	double share;

	(void)state;
	/*
	 * 96 pages over 16 colours of 8: Poisson(6) says that an eighth of
	 * the colours get more than 8, and their pages miss at LRU.
	 */
	share = hit_share(text, 384 * KIB, 14, 300);
	assert_true(share > 0.5 && share < 0.999);
	share = hit_share(text, 64 * KIB, 14, 300);
	assert_true(share > 0.999);
}

/* Cycles of loads of single lines, one word a line of the text. */
static void assert_loads(const char *text, const char *lines,
			 const uint32_t *cycles)
{
	struct mp_sim_machine machine;
	struct mp_sim_cores cores;

	made_cores(&machine, &cores, text, 64 * KIB);
	for (uint32_t i = 0; lines[i]; i++) {
		const uint32_t spent = mp_sim_memory_load(&cores.memory[0],
				(uint64_t)(lines[i] - 'A') * 64);

		if (spent != cycles[i])
			fail_msg("load %u, of %c: %u cycles, not %u", i,
				 lines[i], spent, cycles[i]);
	}
	mp_sim_cores_free(&cores);
	mp_sim_machine_free(&machine);
}

#define TWO_BY_FOUR(inclusion) \
	"level name=l1d size=128 ways=full latency=4\n" \
	"level name=l2 size=256 ways=full latency=10 inclusion=" inclusion "\n"

static void a_line_that_leaves_an_inclusive_level_leaves_all(void **state)
{
	static const char lines[] = "ABACADAEA";
	static const uint32_t inclusive[] = { 300, 300, 4, 300, 4, 300, 4, 300,
					      300 };
	static const uint32_t not_so[] = { 300, 300, 4, 300, 4, 300, 4, 300,
					   4 };

	(void)state;
	/* A is always hit inside, so outside it is the oldest when E comes. */
	assert_loads(TWO_BY_FOUR("inclusive"), lines, inclusive);
	assert_loads(TWO_BY_FOUR("non-inclusive"), lines, not_so);
}

static void an_inclusive_level_of_wide_lines_puts_both_halves_out(void **state)
{
	static const char text[] =
		"level name=l1d size=256 ways=full latency=4\n"
		"level name=l2 size=256 line=128 ways=full latency=10 "
		"inclusion=inclusive\n";
	static const uint32_t cycles[] = { 300, 10, 300, 300, 300, 10 };

	(void)state;
	/* A and B are one line outside; it is put out when E comes. */
	assert_loads(text, "ABCEAB", cycles);
}

static void exclusive_levels_hold_the_sum(void **state)
{
	static const char exclusive[] =
		"level name=l1d size=128 ways=full latency=4\n"
		"level name=l2 size=128 ways=full latency=10 "
		"inclusion=exclusive\n";
	static const char not_so[] =
		"level name=l1d size=128 ways=full latency=4\n"
		"level name=l2 size=128 ways=full latency=10\n";
	static const uint32_t outer[] = { 300, 300, 300, 300, 10, 10, 10, 10,
					  10, 10, 4, 4 };
	static const uint32_t none[] = { 300, 300, 300, 300, 300, 300, 300, 300,
					 300, 300, 4, 4 };
	static const uint32_t five[] = { 300, 300, 300, 300, 300, 300, 300, 300,
					 300, 300 };

	(void)state;
	assert_loads(exclusive, "ABCDABCDABBA", outer);
	assert_loads(not_so, "ABCDABCDABBA", none);
	assert_loads(exclusive, "ABCDEABCDE", five);
}

static void a_victim_cache_is_filled_by_the_level_inside_it(void **state)
{
	static const char text[] =
		"level name=l1d size=64 ways=full latency=4\n"
		"level name=l2 size=128 ways=full latency=10\n"
		"level name=l3 size=128 ways=full latency=40 "
		"inclusion=exclusive\n";
	static const uint32_t cycles[] = { 300, 300, 300, 40, 40, 40, 10, 300,
					   300, 40 };

	(void)state;
	/*
	 * C puts A out of the second level into the third; then A, B, C come
	 * from there in turn; B is in the second still. D puts C out, E puts
	 * B out: the third holds C and B.
	 */
	assert_loads(text, "ABCABCBDEC", cycles);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plateau_costs_its_level_and_nothing_else),
		cmocka_unit_test(one_line_too_many_costs_its_set),
		cmocka_unit_test(a_footprint_of_one_set_shows_the_ways),
		cmocka_unit_test(slots_of_one_line_are_fetched_once),
		cmocka_unit_test(translation_adds_to_the_load),
		cmocka_unit_test(random_replacement_hits_by_its_formula),
		cmocka_unit_test(random_small_pages_overflow_sets_early),
		cmocka_unit_test(
			a_line_that_leaves_an_inclusive_level_leaves_all),
		cmocka_unit_test(
			an_inclusive_level_of_wide_lines_puts_both_halves_out),
		cmocka_unit_test(exclusive_levels_hold_the_sum),
		cmocka_unit_test(
			a_victim_cache_is_filled_by_the_level_inside_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
