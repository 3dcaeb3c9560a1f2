// SPDX-License-Identifier: GPL-2.0
/* Driven tests of ways: what guesses say of them, and levels that others hide. */
#include <string.h>

#include "ask_ways.h"
#include "made_view.h"
#include "probe/ways_drive.h"
#include "probe/ways_held.h"
#include "rng.h"

#define KIB 1024.0
#define LINE 64u
#define PAGE 4096u
#define SPAN_MOST (512u << 10)
#define LINES_MOST 200u
#define GUESSES 600u

static struct sim_ask ask;

/* -- what is said of a test --------------------------------------------- */

/* Lines on each set of a guess. */
static uint32_t own[SPAN_MOST / LINE], all[SPAN_MOST / LINE];

static uint64_t set_of(const struct mp_ways_guess *guess, uint64_t at)
{
	return at % guess->span / LINE;
}

/* One by one: the lines, what brings their translations, and the ring. */
static void lay(const struct mp_ways_guess *guess, const struct mp_ways_test *test)
{
	const uint64_t end = mp_ways_drive_end(test);

	memset(own, 0, sizeof(own));
	memset(all, 0, sizeof(all));
	for (uint64_t i = 0; i < test->lines; i++) {
		const uint64_t at = i * test->stride;

		assert_true(at + PAGE <= end - test->drive);
		own[set_of(guess, at)]++;
		all[set_of(guess, at)]++;
		all[set_of(guess, at + PAGE / 2)]++;
	}
	/* The ring keeps off the ends of what may come along with it. */
	for (uint64_t at = end - test->drive; at < end; at += LINE) {
		own[set_of(guess, at)] += at >= end - test->drive + PAGE &&
					  at < end - PAGE;
		all[set_of(guess, at)]++;
	}
}

/* Lines that lie on sets with more than those hold. */
static uint32_t too_many(const struct mp_ways_guess *guess,
			 const struct mp_ways_test *test, const uint32_t *on)
{
	uint32_t n = 0;

	for (uint64_t i = 0; i < test->lines; i++)
		n += on[set_of(guess, i * test->stride)] > guess->ways;
	return n;
}

/* Many lines on few sets, with what brings their translations among them, as well
 * as few on many. */
static void draw(struct mp_rng *rng, struct mp_ways_guess *guess,
		 struct mp_ways_test *test)
{
	const uint64_t odd = 1 + 2 * mp_rng_below(rng, 16);
	const bool tight = mp_rng_below(rng, 2);

	*guess = (struct mp_ways_guess){
		.span = odd * LINE << mp_rng_below(rng, tight ? 6 : 9),
		.ways = 1 + (uint32_t)mp_rng_below(rng, 64),
	};
	while (guess->span > SPAN_MOST)
		guess->span -= LINE << 8;
	*test = (struct mp_ways_test){
		.stride = (1 + mp_rng_below(rng, 40)) * PAGE,
		.drive = (3 + mp_rng_below(rng, tight ? 20 : 100)) * PAGE,
		.flushed = true,
	};
	if (mp_rng_below(rng, 2))
		test->stride = PAGE << mp_rng_below(rng, 6);
	if (mp_rng_below(rng, 3) == 0)
		test->stride = mp_ways_lcm(guess->span, PAGE);
}

static void what_is_foretold_is_what_lies_on_sets(void **state)
{
	uint32_t fit = 0, over = 0, told = 0, among = 0;
	struct mp_rng rng;

	(void)state;
	mp_rng_seed(&rng, 1);
	for (uint32_t g = 0; g < GUESSES; g++) {
		struct mp_ways_range held;
		struct mp_ways_guess guess;
		struct mp_ways_test test;

		draw(&rng, &guess, &test);
		held = mp_ways_drive_held(&guess, &test);
		for (test.lines = 1; test.lines <= LINES_MOST; test.lines += 1 +
		     test.lines / 16) {
			const double missing =
				mp_ways_drive_missing(&guess, &test);
			const bool fits = test.lines <= held.low;
			uint32_t most;

			lay(&guess, &test);
			most = too_many(&guess, &test, all);
			assert_true(missing * test.lines >= most - 1e-9);
			assert_true(!fits || !most);
			if (test.lines > held.high)
				assert_true(too_many(&guess, &test, own) > 0);
			fit += fits;
			over += test.lines > held.high;
			told += most && missing < 0.5;
			among += fits && test.lines >
				 mp_ways_sets_of(&guess, test.stride) &&
				 all[0] > own[0];
		}
	}
	/* None of that is said of hardly anything. */
	assert_true(fit > 10 * GUESSES && over > 10 * GUESSES);
	assert_true(told > GUESSES / 10 && among > GUESSES);
}

/* However many lines of a ring come and go, they need but one way; and none where
 * the level inside has them. */
static void a_ring_that_stays_inside_takes_no_room(void **state)
{
	struct mp_ways_guess guess = { .span = 32u << 10, .ways = 16 };
	struct mp_ways_test test = { .stride = 32u << 10, .drive = 104u << 10,
				     .flushed = true };

	(void)state;
	assert_int_equal(mp_ways_drive_held(&guess, &test).low, 13);
	assert_int_equal(mp_ways_drive_held(&guess, &test).high, 15);
	test.ring_kept = true;
	assert_int_equal(mp_ways_drive_held(&guess, &test).high, 16);
	test.ring_kept = false;
	guess.exclusive = true;
	assert_int_equal(mp_ways_drive_held(&guess, &test).high, 16);
	assert_int_equal(mp_ways_drive_held(&guess, &test).low, 13);
}

/* A ring is not asked for that would take too long. */
static void only_rings_that_are_walked_are_offered(void **state)
{
	struct mp_ways_sets inner = { .line = LINE, .most = 1024 };
	struct mp_ways_sets sets = { .line = LINE, .inner = &inner,
				     .rounds = true };
	uint64_t last = 0;

	(void)state;
	for (uint32_t which = 0; which < MP_WAYS_DRIVES; which++) {
		const uint64_t drive = mp_ways_drive_bytes(&sets, which);

		assert_true(drive > last && drive % PAGE == 0);
		last = drive;
	}
	assert_true(last > 1024 * LINE);
	inner.most = 1u << 20;
	assert_int_equal(mp_ways_drive_bytes(&sets, 0), 0);
	inner.most = 1ull << 40;
	assert_int_equal(mp_ways_drive_bytes(&sets, 0), 0);
	inner.most = 1024;
	sets.rounds = false;
	assert_int_equal(mp_ways_drive_bytes(&sets, 0), 0);
	sets.rounds = true;
	sets.small = true;
	assert_int_equal(mp_ways_drive_bytes(&sets, 0), 0);
	sets.small = false;
	sets.brought = true;
	assert_int_equal(mp_ways_drive_bytes(&sets, 0), 0);
}

/* -- machines ------------------------------------------------------------ */

#define HEAD "machine name=x clock_mhz=3000 memory_latency=270\n"
#define PAGES_AT(where) "tlb level=1 page=4K entries=64 ways=4\n" \
	"tlb level=1 page=2M entries=32 ways=full\nwalk cost=30\n" \
	"place pages=" where " thp=granted\n" \
	"clock tsc_mhz=3000 step=1 read=40\n"
#define PAGES PAGES_AT("random")

/* Sets inside begin anew nowhere near where a page of 2 MiB does, so it is not known
 * which lines of another page share one. */
static void a_ring_puts_out_what_no_others_are_known_to(void **state)
{
	(void)state;
	ask_ways_quiet(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=46080 ways=10 latency=5\n"
		"level name=l2 size=69120 ways=8 latency=12 index=physical "
		"policy=nru inclusion=exclusive\n"
		"level name=l3 size=1280K ways=8 latency=30 index=physical "
		"policy=nru inclusion=exclusive\n" PAGES,
		{ 46080, 69120, 1280 * KIB }, { 5, 12, 30 }, 270, 64,
		"exclusive", 0 });
	ask_ways_found(&ask, "cpu.l3.ways", 8);
	sim_ask_free(&ask);
}

static void ways_beside_what_lies_inside_are_counted_by_a_ring(void **state)
{
	(void)state;
	ask_ways_quiet(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=96K ways=12 latency=5 line=256\n"
		"level name=l2 size=216K ways=32 latency=14 line=256 index=physical "
		"policy=bit-plru inclusion=exclusive\n"
		"level name=l3 size=7680K ways=20 latency=40 line=256 "
		"policy=bit-plru inclusion=exclusive\n" PAGES_AT("contiguous"),
		{ 96 * KIB, 216 * KIB, 7680 * KIB }, { 5, 14, 40 }, 270, 256,
		"exclusive", 0 });
	ask_ways_found(&ask, "cpu.l3.ways", 20);
	sim_ask_free(&ask);
}

static void one_way_is_told_from_two_by_a_ring(void **state)
{
	(void)state;
	ask_ways_quiet(&ask, &(struct ask_ways){
		HEAD "level name=l1d size=64K ways=4 latency=5 policy=fifo\n"
		"level name=l2 size=98560 ways=10 latency=10 index=physical\n"
		"level name=l3 size=512K ways=1 latency=40 index=physical\n" PAGES,
		{ 64 * KIB, 98560, 512 * KIB }, { 5, 10, 40 }, 270, 64, NULL,
		0 });
	ask_ways_found(&ask, "cpu.l3.ways", 1);
	sim_ask_free(&ask);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_foretold_is_what_lies_on_sets),
		cmocka_unit_test(a_ring_that_stays_inside_takes_no_room),
		cmocka_unit_test(only_rings_that_are_walked_are_offered),
		cmocka_unit_test(a_ring_puts_out_what_no_others_are_known_to),
		cmocka_unit_test(ways_beside_what_lies_inside_are_counted_by_a_ring),
		cmocka_unit_test(one_way_is_told_from_two_by_a_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
