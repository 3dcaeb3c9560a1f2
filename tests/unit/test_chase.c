// SPDX-License-Identifier: GPL-2.0
/*
 * The timed loop must walk the slots it says, as many as it says, stop where
 * it is told and account for every tick. How long anything takes is not
 * asked, only that a hundred times the work takes longer.
 */
#include "arch.h"
#include "chase.h"
#include "ring.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

/* No divisor of the 64 hops of a block: each block ends on another slot. */
#define SLOTS 37u
#define NONE (~(uint64_t)0)
/* A comparison of two times may lose to a busy machine this often. */
#define TRIES 50
#define PAUSE_TICKS 100000u
/* Hops that take longer than any test may. */
#define MANY (1ull << 40)

static uint64_t memory[SLOTS][8];
static uint32_t order[SLOTS];

static const void *linked(void)
{
	const struct mp_ring ring = {
		.length_bytes = sizeof(memory),
		.stride_bytes = sizeof(memory[0]),
	};
	struct mp_rng rng;

	mp_rng_seed(&rng, 1);
	return mp_ring_link(&ring, memory, order, &rng);
}

/* The slot that lies @hops after the first one. */
static const void *after(uint64_t hops)
{
	return memory[order[hops % SLOTS]];
}

static void the_cursor_ends_on_the_slot_that_many_hops_on(void **state)
{
	static const uint64_t hops[] = { 64, 128, 640, 64 * 37, 64 * 1000 };
	struct mp_chase chase = { .cursor = linked(), .gap_ticks = NONE };
	uint64_t made = 0;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(hops) / sizeof(hops[0]); i++) {
		chase.hops = hops[i];
		mp_chase_run(&chase);
		made += hops[i];
		assert_true(chase.done_hops == hops[i]);
		assert_ptr_equal(chase.cursor, after(made));
	}
}

static void hops_are_rounded_up_to_whole_blocks(void **state)
{
	static const uint64_t hops[] = { 1, 63, 64, 65, 127, 129 };
	static const uint64_t done[] = { 64, 64, 64, 128, 128, 192 };
	struct mp_chase chase = { .gap_ticks = NONE };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(hops) / sizeof(hops[0]); i++) {
		chase.cursor = linked();
		chase.hops = hops[i];
		mp_chase_run(&chase);
		assert_true(chase.done_hops == done[i]);
		assert_ptr_equal(chase.cursor, after(done[i]));
	}
}

static void no_hops_leave_the_cursor_where_it_is(void **state)
{
	struct mp_chase chase = { .cursor = linked(), .gap_ticks = NONE };

	(void)state;
	mp_chase_run(&chase);
	assert_true(chase.done_hops == 0);
	assert_ptr_equal(chase.cursor, after(0));
	assert_true(chase.look_min_ticks == chase.ticks);
	assert_true(chase.look_max_ticks == chase.ticks);
}

static void the_stretch_from_the_last_look_to_the_end_can_be_a_gap(void **state)
{
	struct mp_chase chase = { .cursor = linked() };

	(void)state;
	mp_chase_run(&chase);
	/* A coarse clock may stand still between two reads. */
	assert_int_equal(chase.gaps, chase.ticks > 0);
	assert_true(chase.lost_ticks == chase.ticks);
}

static void the_limit_ends_it_at_a_look(void **state)
{
	struct mp_chase chase = {
		.cursor = linked(),
		.hops = NONE,
		.limit_ticks = 10000,
		.gap_ticks = NONE,
	};

	(void)state;
	mp_chase_run(&chase);
	assert_true(chase.done_hops >= MP_CHASE_LOOK_HOPS);
	assert_true(chase.done_hops < NONE / 2);
	assert_true(chase.done_hops % MP_CHASE_LOOK_HOPS == 0);
	assert_true(chase.ticks >= chase.limit_ticks);
	assert_ptr_equal(chase.cursor, after(chase.done_hops));
}

static void a_limit_that_is_not_reached_changes_nothing(void **state)
{
	struct mp_chase chase = {
		.cursor = linked(),
		.hops = 6400,
		.limit_ticks = NONE,
		.gap_ticks = NONE,
	};

	(void)state;
	mp_chase_run(&chase);
	assert_true(chase.done_hops == 6400);
}

static void with_a_gap_of_nothing_every_tick_is_lost(void **state)
{
	struct mp_chase chase = { .cursor = linked(), .hops = 64 * 500 };

	(void)state;
	mp_chase_run(&chase);
	assert_true(chase.ticks > 0);
	assert_true(chase.lost_ticks == chase.ticks);
	/* 500 looks and the end; a coarse clock may stand still at some. */
	assert_in_range(chase.gaps, 1, 501);
}

static void with_a_gap_beyond_all_measure_none_is_lost(void **state)
{
	struct mp_chase chase = {
		.cursor = linked(),
		.hops = 64 * 500,
		.gap_ticks = NONE,
	};

	(void)state;
	mp_chase_run(&chase);
	assert_int_equal(chase.gaps, 0);
	assert_true(chase.lost_ticks == 0);
}

static void the_stretches_between_looks_add_up(void **state)
{
	struct mp_chase chase = {
		.cursor = linked(),
		.hops = 64 * 500,
		.gap_ticks = NONE,
	};
	uint64_t before, behind;

	(void)state;
	before = mp_ticks_begin();
	mp_chase_run(&chase);
	behind = mp_ticks_end();
	assert_true(chase.start_tick >= before);
	assert_true(chase.start_tick + chase.ticks <= behind);
	assert_true(chase.look_min_ticks <= chase.look_max_ticks);
	assert_true(chase.look_max_ticks <= chase.ticks);
	assert_true(chase.look_max_ticks * 501 >= chase.ticks);
	assert_true(chase.look_min_ticks * 499 <= chase.ticks);
}

static void with_one_look_the_shortest_stretch_is_the_whole(void **state)
{
	struct mp_chase chase = {
		.cursor = linked(),
		.hops = 64,
		.gap_ticks = NONE,
	};

	(void)state;
	mp_chase_run(&chase);
	assert_true(chase.look_min_ticks == chase.ticks);
}

/* A page that is not there until it is touched, and then only after a while. */
static char *pages;
static long page_bytes;

static void pause_and_open(int number)
{
	const uint64_t start = mp_ticks_begin();

	(void)number;
	while (mp_ticks_look() - start < PAUSE_TICKS)
		mp_cpu_relax();
	if (mprotect(pages + page_bytes, (size_t)page_bytes, PROT_READ))
		_exit(1);
}

/* 129 slots of the open page, the one slot of the shut page, and again. */
static void link_across_pages(void)
{
	uint64_t *first = (uint64_t *)pages;
	uint64_t *other = (uint64_t *)(pages + page_bytes);
	unsigned int i;

	for (i = 0; i < 128; i++)
		first[i] = (uintptr_t)(first + i + 1);
	first[128] = (uintptr_t)other;
	other[0] = (uintptr_t)first;
}

static void an_interruption_is_seen_as_a_gap(void **state)
{
	struct sigaction action = { .sa_handler = pause_and_open }, before;
	struct mp_chase chase = { .hops = 640, .gap_ticks = PAUSE_TICKS / 2 };

	(void)state;
	page_bytes = sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, 2 * (size_t)page_bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	link_across_pages();
	assert_int_equal(mprotect(pages + page_bytes, (size_t)page_bytes,
				  PROT_NONE), 0);
	assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
	chase.cursor = pages;
	mp_chase_run(&chase);
	assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
	assert_true(chase.done_hops == 640);
	assert_true(chase.gaps >= 1);
	assert_true(chase.look_max_ticks >= PAUSE_TICKS);
	assert_true(chase.lost_ticks >= PAUSE_TICKS);
	assert_true(chase.lost_ticks <= chase.ticks);
	assert_int_equal(munmap(pages, 2 * (size_t)page_bytes), 0);
}

/* A walk that may be cut short; @hops is what must come of it, NONE = any. */
static void assert_bounded(struct mp_chase *chase, uint64_t hops)
{
	chase->bounded = 1;
	chase->cursor = linked();
	chase->gap_ticks = NONE;
	mp_chase_run(chase);
	if (hops != NONE)
		assert_true(chase->done_hops == hops);
	assert_ptr_equal(chase->cursor, after(chase->done_hops));
	assert_true(chase->look_max_ticks <= chase->ticks);
}

static void where_all_limits_are_0_a_bounded_chase_makes_no_hop(void **state)
{
	struct mp_chase chase = { .hops = MANY };

	(void)state;
	assert_bounded(&chase, 0);
	/* The limit stands above the others. */
	chase.hard_ticks = NONE;
	chase.fine_ticks = NONE;
	assert_bounded(&chase, 0);
	chase.slow_ticks = 1;
	assert_bounded(&chase, 0);
}

static void every_phase_makes_all_hops_while_its_limit_is_far(void **state)
{
	struct mp_chase chase = { .hops = 6400, .limit_ticks = NONE };

	(void)state;
	assert_bounded(&chase, 6400);
	chase.slow_ticks = 0;
	chase.fine_ticks = NONE;
	assert_bounded(&chase, 6400);
	chase.slow_ticks = 0;
	chase.hard_ticks = NONE;
	assert_bounded(&chase, 6400);
	assert_true(chase.look_min_ticks < chase.ticks);
	chase.fine_ticks = 0;
	assert_bounded(&chase, 6400);
}

static void the_blocks_of_a_phase_are_of_its_size(void **state)
{
	struct mp_chase chase = { .hops = MANY, .limit_ticks = 10000 };

	(void)state;
	chase.fine_ticks = NONE;
	assert_bounded(&chase, NONE);
	assert_true(chase.ticks >= 10000);
	assert_true(chase.done_hops % MP_CHASE_FINE_HOPS == 0);
	assert_true(chase.done_hops < MANY);
	/* Only whole blocks of 64 are as long as others are. */
	assert_true(chase.look_min_ticks == chase.ticks);
	chase.hard_ticks = NONE;
	chase.slow_ticks = 1;
	assert_bounded(&chase, NONE);
	assert_true(chase.ticks >= 10000);
	assert_true(chase.done_hops % MP_CHASE_LOOK_HOPS == 0);
	assert_true(chase.done_hops < MANY);
}

static void near_the_end_it_looks_more_often(void **state)
{
	struct mp_chase chase = { .hops = MANY, .limit_ticks = 2500 };
	int i, odd = 0, single = 0;

	(void)state;
	chase.hard_ticks = 1500;
	chase.fine_ticks = 2000;
	for (i = 0; i < TRIES; i++) {
		chase.slow_ticks = 1;
		assert_bounded(&chase, NONE);
		/* Unless hops cost next to nothing, that is not enough. */
		assert_true(chase.ticks >= 2500 ||
			    chase.done_hops >= MP_CHASE_ENOUGH_HOPS);
		odd += chase.done_hops % MP_CHASE_LOOK_HOPS != 0;
		single += chase.done_hops % MP_CHASE_FINE_HOPS != 0;
	}
	/* By chance they come out even now and then. */
	assert_true(odd > 0);
	assert_true(single > 0);
}

static void a_stretch_that_has_enough_hops_ends_before_looks_get_dear(void **state)
{
	struct mp_chase chase = { .hops = MANY, .limit_ticks = 1ull << 30 };

	(void)state;
	chase.hard_ticks = 1ull << 20;
	chase.fine_ticks = 1ull << 30;
	chase.slow_ticks = 1;
	assert_bounded(&chase, NONE);
	assert_true(chase.done_hops >= MP_CHASE_ENOUGH_HOPS);
	assert_true(chase.done_hops % MP_CHASE_LOOK_HOPS == 0);
	assert_true(chase.ticks < 1ull << 30);
}

static void what_was_slow_once_may_come_again_before_the_hard_end(void **state)
{
	struct mp_chase chase = { .hops = MANY, .limit_ticks = 10000 };

	(void)state;
	chase.hard_ticks = 10000;
	chase.fine_ticks = NONE;
	chase.slow_ticks = 10000 / (2 * MP_CHASE_SLOWER);
	assert_bounded(&chase, NONE);
	/* Not one block of 64. */
	assert_true(chase.look_min_ticks == chase.ticks);
}

static void the_slowest_look_is_remembered(void **state)
{
	struct mp_chase chase = { .hops = MANY, .limit_ticks = 10000 };

	(void)state;
	assert_bounded(&chase, NONE);
	assert_true(chase.slow_ticks >= chase.look_max_ticks);
	chase.slow_ticks = 1ull << 40;
	assert_bounded(&chase, NONE);
	assert_true(chase.slow_ticks == 1ull << 40);
}

static void where_nothing_is_known_it_begins_with_short_blocks(void **state)
{
	struct mp_chase chase = { .hops = 64, .limit_ticks = NONE };

	(void)state;
	chase.hard_ticks = NONE;
	chase.fine_ticks = NONE;
	assert_bounded(&chase, 64);
	assert_true(chase.look_min_ticks == chase.ticks);
}

static void when_time_is_over_a_bounded_chase_makes_one_hop(void **state)
{
	struct mp_chase chase = { .hops = MANY, .limit_ticks = 1 };
	uint64_t least = NONE;
	int i;

	(void)state;
	for (i = 0; i < TRIES; i++) {
		assert_bounded(&chase, NONE);
		least = chase.done_hops < least ? chase.done_hops : least;
	}
	/* A clock of coarse ticks may stand still for a few. */
	assert_in_range(least, 1, MP_CHASE_LOOK_HOPS - 1);
}

static void an_unbounded_chase_has_no_phases(void **state)
{
	struct mp_chase chase = {
		.cursor = linked(),
		.hops = 6400,
		.hard_ticks = 1,
		.fine_ticks = 1,
		.slow_ticks = 1,
		.gap_ticks = NONE,
	};

	(void)state;
	mp_chase_run(&chase);
	assert_true(chase.done_hops == 6400);
}

static void groups_end_when_their_time_is_over(void **state)
{
	static uint64_t ticks[10000];
	const void *cursor = linked();
	uint32_t n;

	(void)state;
	n = mp_chase_groups(&cursor, ticks, 10000, 64, 1, 0);
	assert_in_range(n, 1, 9999);
	assert_ptr_equal(cursor, after(64 * (uint64_t)n));
	cursor = linked();
	assert_int_equal(mp_chase_groups(&cursor, ticks, 100, 64, NONE, 0), 100);
	assert_ptr_equal(cursor, after(6400));
}

static void groups_of_any_size_walk_the_right_slots(void **state)
{
	uint64_t ticks[6];
	const void *cursor;
	uint32_t group;

	(void)state;
	for (group = 1; group <= 200; group++) {
		memset(ticks, 0xff, sizeof(ticks));
		cursor = linked();
		mp_chase_groups(&cursor, ticks, 5, group, 0, 0);
		assert_ptr_equal(cursor, after(5 * group));
		assert_true(ticks[4] != NONE);
		assert_true(ticks[5] == NONE);
	}
}

static void a_ring_is_settled_before_the_clock_is_read(void **state)
{
	struct mp_chase chase = {
		.cursor = linked(),
		.settle_hops = MP_CHASE_LOOK_HOPS + 1,
		.hops = 10 * MP_CHASE_LOOK_HOPS,
		.gap_ticks = NONE,
	};
	const void *cursor = linked();
	uint64_t ticks[3] = { NONE, NONE, NONE };

	(void)state;
	mp_chase_run(&chase);
	assert_true(chase.done_hops == 10 * MP_CHASE_LOOK_HOPS);
	assert_ptr_equal(chase.cursor, after(12 * MP_CHASE_LOOK_HOPS));
	mp_chase_groups(&cursor, ticks, 2, 7, 0, MP_CHASE_LOOK_HOPS + 1);
	assert_ptr_equal(cursor, after(2 * MP_CHASE_LOOK_HOPS + 14));
	assert_true(ticks[1] != NONE);
	assert_true(ticks[2] == NONE);
}

static void what_settles_takes_none_of_the_time(void **state)
{
	const void *cursor = linked();
	uint64_t plain = NONE, settled = NONE, ticks;
	int i;

	(void)state;
	for (i = 0; i < TRIES; i++) {
		mp_chase_groups(&cursor, &ticks, 1, 64, 0, 0);
		plain = ticks < plain ? ticks : plain;
		mp_chase_groups(&cursor, &ticks, 1, 64, 0, 64000);
		settled = ticks < settled ? ticks : settled;
	}
	assert_true(settled < 100 * plain);
}

static void no_groups_touch_nothing(void **state)
{
	const void *cursor = linked();
	uint64_t ticks = NONE;

	(void)state;
	mp_chase_groups(&cursor, &ticks, 0, 8, 0, 0);
	assert_ptr_equal(cursor, after(0));
	assert_true(ticks == NONE);
}

static void a_group_of_many_hops_takes_longer_than_one_of_few(void **state)
{
	const void *cursor = linked();
	uint64_t few = 0, many = 0;
	int i;

	(void)state;
	for (i = 0; i < TRIES && many <= few; i++) {
		mp_chase_groups(&cursor, &few, 1, 8, 0, 0);
		mp_chase_groups(&cursor, &many, 1, 64000, 0, 0);
	}
	assert_true(many > few);
	assert_true(many > 0);
}

static void two_clock_reads_alone_take_less_than_a_long_chain(void **state)
{
	uint64_t empty = 0, chain = 0;
	int i;

	(void)state;
	for (i = 0; i < TRIES && chain <= empty; i++) {
		empty = mp_chase_empty();
		chain = mp_chase_add(1000000);
	}
	assert_true(chain > empty);
}

/* A hundred times the operations take longer, and both take some time. */
static void assert_grows(uint64_t (*chain)(uint64_t n))
{
	uint64_t few = 0, many = 0;
	int i;

	for (i = 0; i < TRIES && many <= few; i++) {
		few = chain(10000);
		many = chain(1000000);
	}
	assert_true(few > 0);
	assert_true(many > few);
}

static void a_longer_chain_of_adds_takes_longer(void **state)
{
	(void)state;
	assert_grows(mp_chase_add);
}

static uint64_t empty_loop(uint64_t turns)
{
	const uint64_t start = mp_ticks_begin();

	for (; turns; turns--)
		__asm__ volatile("" : "+r" (turns));
	return mp_ticks_end() - start;
}

static void a_chain_takes_longer_than_its_loop_without_it(void **state)
{
	uint64_t loop = 0, chain = 0;
	int i;

	(void)state;
	for (i = 0; i < TRIES && chain <= 2 * loop; i++) {
		loop = empty_loop(10000);
		chain = mp_chase_add(640000);
	}
	assert_true(chain > 2 * loop);
}

static void multiplies_are_timed_only_where_their_cycles_are_known(void **state)
{
	(void)state;
	if (mp_chase_mul_cycles())
		assert_grows(mp_chase_mul);
	else
		assert_true(mp_chase_mul(1000000) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cursor_ends_on_the_slot_that_many_hops_on),
		cmocka_unit_test(hops_are_rounded_up_to_whole_blocks),
		cmocka_unit_test(no_hops_leave_the_cursor_where_it_is),
		cmocka_unit_test(
			the_stretch_from_the_last_look_to_the_end_can_be_a_gap),
		cmocka_unit_test(the_limit_ends_it_at_a_look),
		cmocka_unit_test(a_limit_that_is_not_reached_changes_nothing),
		cmocka_unit_test(with_a_gap_of_nothing_every_tick_is_lost),
		cmocka_unit_test(with_a_gap_beyond_all_measure_none_is_lost),
		cmocka_unit_test(the_stretches_between_looks_add_up),
		cmocka_unit_test(with_one_look_the_shortest_stretch_is_the_whole),
		cmocka_unit_test(an_interruption_is_seen_as_a_gap),
		cmocka_unit_test(
			a_stretch_that_has_enough_hops_ends_before_looks_get_dear),
		cmocka_unit_test(
			where_all_limits_are_0_a_bounded_chase_makes_no_hop),
		cmocka_unit_test(
			every_phase_makes_all_hops_while_its_limit_is_far),
		cmocka_unit_test(the_blocks_of_a_phase_are_of_its_size),
		cmocka_unit_test(near_the_end_it_looks_more_often),
		cmocka_unit_test(
			what_was_slow_once_may_come_again_before_the_hard_end),
		cmocka_unit_test(the_slowest_look_is_remembered),
		cmocka_unit_test(
			where_nothing_is_known_it_begins_with_short_blocks),
		cmocka_unit_test(
			when_time_is_over_a_bounded_chase_makes_one_hop),
		cmocka_unit_test(an_unbounded_chase_has_no_phases),
		cmocka_unit_test(groups_end_when_their_time_is_over),
		cmocka_unit_test(groups_of_any_size_walk_the_right_slots),
		cmocka_unit_test(a_ring_is_settled_before_the_clock_is_read),
		cmocka_unit_test(what_settles_takes_none_of_the_time),
		cmocka_unit_test(no_groups_touch_nothing),
		cmocka_unit_test(a_group_of_many_hops_takes_longer_than_one_of_few),
		cmocka_unit_test(two_clock_reads_alone_take_less_than_a_long_chain),
		cmocka_unit_test(a_longer_chain_of_adds_takes_longer),
		cmocka_unit_test(a_chain_takes_longer_than_its_loop_without_it),
		cmocka_unit_test(
			multiplies_are_timed_only_where_their_cycles_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
