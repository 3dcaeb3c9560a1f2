// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel module's validators, as the module has them: what is in order
 * passes, and one wrong field is enough to be refused, with the errno that
 * the UAPI names.
 */
#include "module/tests/wrong.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define ALL(list, i) (size_t i = 0; i < MP_WRONG_COUNT(list); i++)

static void expect(int err, const struct mp_wrong *wrong)
{
	if (err != wrong->err)
		fail_msg("%s: %d instead of %d", wrong->what, err, wrong->err);
}

static void expect_arena(struct memprobe_arena arena,
			 const struct mp_wrong *wrong)
{
	const struct memprobe_info have = mp_good_have();

	mp_wrong_set(&arena, wrong);
	expect(mp_check_arena(&arena, &have), wrong);
}

static void expect_run(struct memprobe_run run, const struct mp_wrong *wrong)
{
	const struct memprobe_info have = mp_good_have();

	mp_wrong_set(&run, wrong);
	expect(mp_check_run(&run, &have), wrong);
}

static void expect_actor(struct memprobe_actor actor,
			 const struct memprobe_run *run,
			 const struct mp_wrong *wrong)
{
	const struct memprobe_info have = mp_good_have();

	mp_wrong_set(&actor, wrong);
	expect(mp_check_actor(&actor, run, &have), wrong);
}

static void an_info_has_no_flags(void **state)
{
	(void)state;
	for ALL(mp_wrong_info, i) {
		struct memprobe_info info = { .size = sizeof(info) };

		mp_wrong_set(&info, &mp_wrong_info[i]);
		expect(mp_check_info(&info), &mp_wrong_info[i]);
	}
}

static void an_arena_that_is_in_order_passes_whatever_its_kind(void **state)
{
	const struct memprobe_info have = mp_good_have();
	struct memprobe_arena arena = mp_good_give();

	(void)state;
	assert_int_equal(mp_check_arena(&arena, &have), 0);
	for (__u32 kind = 1; kind <= 4; kind++) {
		arena = mp_good_take(kind);
		assert_int_equal(mp_check_arena(&arena, &have), 0);
	}
}

static void one_wrong_field_is_enough_to_get_no_arena(void **state)
{
	(void)state;
	for ALL(mp_wrong_take, i)
		expect_arena(mp_good_take(MEMPROBE_KIND_CONTIG),
			     &mp_wrong_take[i]);
	for ALL(mp_wrong_huge, i)
		expect_arena(mp_good_take(MEMPROBE_KIND_HUGE),
			     &mp_wrong_huge[i]);
	for ALL(mp_wrong_small, i) {
		expect_arena(mp_good_take(MEMPROBE_KIND_SCATTERED),
			     &mp_wrong_small[i]);
		expect_arena(mp_good_take(MEMPROBE_KIND_BLOCKS),
			     &mp_wrong_small[i]);
	}
}

static void who_gives_an_arena_back_names_its_number_and_no_more(void **state)
{
	(void)state;
	for ALL(mp_wrong_give, i)
		expect_arena(mp_good_give(), &mp_wrong_give[i]);
}

static void a_node_is_named_with_its_flag_only(void **state)
{
	const struct memprobe_info have = mp_good_have();
	struct memprobe_arena arena = mp_good_take(MEMPROBE_KIND_SCATTERED);

	(void)state;
	arena.flags = MEMPROBE_ARENA_NODE;
	arena.node = 1;
	assert_int_equal(mp_check_arena(&arena, &have), 0);
	arena.node = -1;
	assert_int_equal(mp_check_arena(&arena, &have), -EINVAL);
	arena.flags = 0;
	arena.node = 1;
	assert_int_equal(mp_check_arena(&arena, &have), -EINVAL);
}

static void uncached_memory_is_had_in_large_arenas_only(void **state)
{
	struct memprobe_info have = mp_good_have();
	struct memprobe_arena arena = mp_good_take(MEMPROBE_KIND_CONTIG);

	(void)state;
	arena.flags = MEMPROBE_ARENA_UNCACHED;
	arena.bytes = have.uncached_min_bytes;
	assert_int_equal(mp_check_arena(&arena, &have), 0);
	arena.bytes--;
	assert_int_equal(mp_check_arena(&arena, &have), -ERANGE);
	have.arena_flags &= ~(__u32)MEMPROBE_ARENA_UNCACHED;
	arena.bytes++;
	assert_int_equal(mp_check_arena(&arena, &have), -EOPNOTSUPP);
}

static void one_wrong_field_is_enough_to_get_no_run(void **state)
{
	(void)state;
	for ALL(mp_wrong_run, i)
		expect_run(mp_good_run(), &mp_wrong_run[i]);
}

static void without_events_their_size_is_not_looked_at(void **state)
{
	const struct memprobe_info have = mp_good_have();
	struct memprobe_run run = mp_good_run();

	(void)state;
	run.n_events = 0;
	run.event_size = 1;
	assert_int_equal(mp_check_run(&run, &have), 0);
}

static void one_wrong_field_is_enough_to_get_no_actor(void **state)
{
	struct memprobe_run run = mp_good_run();
	struct memprobe_actor actor;

	(void)state;
	for ALL(mp_wrong_chase, i)
		expect_actor(mp_good_chase(), &run, &mp_wrong_chase[i]);
	actor = mp_good_sequence(&run);
	for ALL(mp_wrong_sequence, i)
		expect_actor(actor, &run, &mp_wrong_sequence[i]);
}

static void steps_are_for_sequences_and_sequences_have_steps(void **state)
{
	const struct memprobe_info have = mp_good_have();
	struct memprobe_actor actor = mp_good_chase();
	struct memprobe_run run = mp_good_run();

	(void)state;
	assert_int_equal(mp_check_actor(&actor, &run, &have), 0);
	run.n_steps = 1;
	assert_int_equal(mp_check_actor(&actor, &run, &have), -EINVAL);
	actor = mp_good_sequence(&run);
	assert_int_equal(mp_check_actor(&actor, &run, &have), 0);
	run.n_steps = 0;
	assert_int_equal(mp_check_actor(&actor, &run, &have), -EINVAL);
}

static void one_wrong_field_is_enough_to_get_no_event(void **state)
{
	(void)state;
	for ALL(mp_wrong_event, i) {
		struct memprobe_event event = { .size = sizeof(event) };

		mp_wrong_set(&event, &mp_wrong_event[i]);
		expect(mp_check_event(&event), &mp_wrong_event[i]);
	}
}

static void the_most_that_info_tells_is_accepted_and_no_more(void **state)
{
	const struct memprobe_info have = mp_good_have();
	struct memprobe_arena arena = mp_good_take(MEMPROBE_KIND_HUGE);
	struct memprobe_actor actor = mp_good_chase();
	struct memprobe_run run = mp_good_run();
	struct mp_wrong wrong;

	(void)state;
	actor.group = 0;
	run.n_samples = ~0u;
	for (int beyond = 0; beyond < 2; beyond++) {
		wrong = mp_edge_of(&mp_edge_bytes, &have, beyond);
		expect_arena(arena, &wrong);
		wrong = mp_edge_of(&mp_edge_shift, &have, beyond);
		expect_arena(mp_good_take(MEMPROBE_KIND_CONTIG), &wrong);
		for ALL(mp_edge_run, i) {
			wrong = mp_edge_of(&mp_edge_run[i], &have, beyond);
			expect_run(run, &wrong);
		}
		for ALL(mp_edge_chase, i) {
			wrong = mp_edge_of(&mp_edge_chase[i], &have, beyond);
			expect_actor(actor, &run, &wrong);
		}
	}
}

static void a_ring_has_no_more_slots_than_info_tells(void **state)
{
	const struct memprobe_info have = mp_good_have();
	struct memprobe_actor actor = mp_good_chase();
	const struct memprobe_run run = mp_good_run();

	(void)state;
	actor.length = (have.ring_slots_max + 1ull) * actor.stride - 1;
	assert_int_equal(mp_check_actor(&actor, &run, &have), 0);
	assert_int_equal(mp_actor_slots(&actor), have.ring_slots_max);
	actor.length++;
	assert_int_equal(mp_check_actor(&actor, &run, &have), -ERANGE);
}

static void a_group_is_no_longer_than_info_tells(void **state)
{
	const struct memprobe_info have = mp_good_have();
	struct memprobe_actor actor = mp_good_chase();
	const struct memprobe_run run = mp_good_run();

	(void)state;
	actor.hops = 8ull * have.group_max;
	actor.group = have.group_max;
	assert_int_equal(mp_check_actor(&actor, &run, &have), 0);
	actor.group++;
	assert_int_equal(mp_check_actor(&actor, &run, &have), -ERANGE);
}

static void a_group_of_the_dearest_hops_has_room_in_its_window(void **state)
{
	struct memprobe_info have = mp_good_have();
	struct memprobe_actor actor = mp_good_chase();
	struct memprobe_run run = mp_good_run();

	(void)state;
	/* 22.5 us, a tail of 1 us, and hops of 2 us and a tick. */
	run.window_ns = 20000;
	actor.group = 10;
	assert_int_equal(mp_check_actor(&actor, &run, &have), 0);
	actor.group = 11;
	assert_int_equal(mp_check_actor(&actor, &run, &have), -ERANGE);
	run.window_ns = 0;
	assert_int_equal(mp_check_actor(&actor, &run, &have), 0);
	have.window_default_ns = 20000;
	assert_int_equal(mp_check_actor(&actor, &run, &have), -ERANGE);
}

static void steps_need_slots_and_room_for_the_ticks_of_all_bursts(void **state)
{
	struct memprobe_run run = mp_good_run();
	const struct memprobe_actor actor = mp_good_sequence(&run);
	__u32 step[17];
	__u8 visits[16];

	(void)state;
	for (__u32 i = 0; i < 16; i++)
		step[i] = MEMPROBE_STEP(i, MEMPROBE_STEP_TIME);
	step[16] = MEMPROBE_STEP(0, MEMPROBE_STEP_FLUSH);
	run.n_steps = 17;
	assert_int_equal(mp_check_steps(&actor, &run, step, visits), 0);
	step[16] = MEMPROBE_STEP(0, MEMPROBE_STEP_TIME);
	assert_int_equal(mp_check_steps(&actor, &run, step, visits), -EINVAL);
	step[16] = MEMPROBE_STEP(16, MEMPROBE_STEP_TOUCH);
	assert_int_equal(mp_check_steps(&actor, &run, step, visits), -EINVAL);
	step[16] = ~0u << 2;
	assert_int_equal(mp_check_steps(&actor, &run, step, visits), -EINVAL);
	step[16] = MEMPROBE_STEP(0, 3);
	assert_int_equal(mp_check_steps(&actor, &run, step, visits),
			 -EOPNOTSUPP);
}

static void a_span_lies_inside_its_arena(void **state)
{
	const struct memprobe_actor actor = mp_good_chase();
	const __u64 end = actor.offset + actor.length;

	(void)state;
	assert_int_equal(mp_check_span(&actor, end, 0), 0);
	assert_int_equal(mp_check_span(&actor, end - 1, 0), -EINVAL);
	assert_int_equal(mp_check_span(&actor, 0, 0), -EINVAL);
}

static void in_uncached_memory_only_long_random_rings_are_walked(void **state)
{
	struct memprobe_actor actor = mp_good_chase();
	const __u32 got = MEMPROBE_ARENA_UNCACHED;

	(void)state;
	actor.length = MP_UNCACHED_MIN_BYTES;
	assert_int_equal(mp_check_span(&actor, ~0ull, got), -EOPNOTSUPP);
	actor.reach = 0;
	assert_int_equal(mp_check_span(&actor, ~0ull, got), 0);
	actor.length--;
	assert_int_equal(mp_check_span(&actor, ~0ull, got), -EOPNOTSUPP);
	actor.length++;
	actor.stride = actor.length / MP_UNCACHED_MIN_SLOTS;
	assert_int_equal(mp_check_span(&actor, ~0ull, got), 0);
	actor.stride *= 2;
	assert_int_equal(mp_check_span(&actor, ~0ull, got), -EOPNOTSUPP);
	actor.stride = 64;
	actor.op = MEMPROBE_OP_SEQUENCE;
	assert_int_equal(mp_check_span(&actor, ~0ull, got), -EOPNOTSUPP);
}

static void a_sample_is_as_far_from_the_next_as_was_asked(void **state)
{
	struct memprobe_run run = mp_good_run();

	(void)state;
	assert_int_equal(mp_run_stride(&run), 256);
	run.sample_stride = 512;
	assert_int_equal(mp_run_stride(&run), 512);
}

static void an_actor_s_ring_is_what_the_actor_says(void **state)
{
	const struct memprobe_actor actor = mp_good_chase();
	const struct mp_ring ring = mp_actor_ring(&actor);

	(void)state;
	assert_true(ring.length_bytes == actor.length);
	assert_true(ring.stride_bytes == actor.stride);
	assert_true(ring.reach_bytes == actor.reach);
	assert_true(ring.skew_bytes == actor.skew);
	assert_int_equal(mp_actor_slots(&actor), 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_info_has_no_flags),
		cmocka_unit_test(
			an_arena_that_is_in_order_passes_whatever_its_kind),
		cmocka_unit_test(one_wrong_field_is_enough_to_get_no_arena),
		cmocka_unit_test(
			who_gives_an_arena_back_names_its_number_and_no_more),
		cmocka_unit_test(a_node_is_named_with_its_flag_only),
		cmocka_unit_test(uncached_memory_is_had_in_large_arenas_only),
		cmocka_unit_test(one_wrong_field_is_enough_to_get_no_run),
		cmocka_unit_test(without_events_their_size_is_not_looked_at),
		cmocka_unit_test(one_wrong_field_is_enough_to_get_no_actor),
		cmocka_unit_test(
			steps_are_for_sequences_and_sequences_have_steps),
		cmocka_unit_test(one_wrong_field_is_enough_to_get_no_event),
		cmocka_unit_test(
			the_most_that_info_tells_is_accepted_and_no_more),
		cmocka_unit_test(a_ring_has_no_more_slots_than_info_tells),
		cmocka_unit_test(a_group_is_no_longer_than_info_tells),
		cmocka_unit_test(
			a_group_of_the_dearest_hops_has_room_in_its_window),
		cmocka_unit_test(
			steps_need_slots_and_room_for_the_ticks_of_all_bursts),
		cmocka_unit_test(a_span_lies_inside_its_arena),
		cmocka_unit_test(
			in_uncached_memory_only_long_random_rings_are_walked),
		cmocka_unit_test(a_sample_is_as_far_from_the_next_as_was_asked),
		cmocka_unit_test(an_actor_s_ring_is_what_the_actor_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
