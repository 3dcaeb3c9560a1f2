// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of the UAPI: one wrong field at a time; and what INFO calls the
 * most of something is accepted, while one more is refused.
 */
#include "tests.h"

#include "../arena.h"
#include "../run.h"
#include "wrong.h"

static void infos_by_the_rules(struct kunit *test)
{
	u32 i;

	for (i = 0; i < MP_WRONG_COUNT(mp_wrong_info); i++) {
		struct memprobe_info info = { .size = sizeof(info) };

		mp_wrong_set(&info, &mp_wrong_info[i]);
		KUNIT_EXPECT_EQ_MSG(test, mp_check_info(&info),
				    mp_wrong_info[i].err, "%s",
				    mp_wrong_info[i].what);
	}
}

static void expect_arena(struct kunit *test, struct memprobe_arena arena,
			 const struct mp_wrong *wrong,
			 const struct memprobe_info *have)
{
	mp_wrong_set(&arena, wrong);
	KUNIT_EXPECT_EQ_MSG(test, mp_check_arena(&arena, have), wrong->err,
			    "kind %u: %s", arena.kind, wrong->what);
}

static void arenas_by_the_rules(struct kunit *test)
{
	const struct memprobe_info have = mp_good_have();
	u32 i;

	for (i = 0; i < MP_WRONG_COUNT(mp_wrong_take); i++)
		expect_arena(test, mp_good_take(MEMPROBE_KIND_CONTIG),
			     &mp_wrong_take[i], &have);
	for (i = 0; i < MP_WRONG_COUNT(mp_wrong_huge); i++)
		expect_arena(test, mp_good_take(MEMPROBE_KIND_HUGE),
			     &mp_wrong_huge[i], &have);
	for (i = 0; i < MP_WRONG_COUNT(mp_wrong_small); i++) {
		expect_arena(test, mp_good_take(MEMPROBE_KIND_SCATTERED),
			     &mp_wrong_small[i], &have);
		expect_arena(test, mp_good_take(MEMPROBE_KIND_BLOCKS),
			     &mp_wrong_small[i], &have);
	}
	for (i = 0; i < MP_WRONG_COUNT(mp_wrong_give); i++)
		expect_arena(test, mp_good_give(), &mp_wrong_give[i], &have);
}

static void runs_by_the_rules(struct kunit *test)
{
	const struct memprobe_info have = mp_good_have();
	u32 i;

	for (i = 0; i < MP_WRONG_COUNT(mp_wrong_run); i++) {
		struct memprobe_run run = mp_good_run();

		mp_wrong_set(&run, &mp_wrong_run[i]);
		KUNIT_EXPECT_EQ_MSG(test, mp_check_run(&run, &have),
				    mp_wrong_run[i].err, "%s",
				    mp_wrong_run[i].what);
	}
}

static void expect_actor(struct kunit *test, struct memprobe_actor actor,
			 const struct memprobe_run *run,
			 const struct mp_wrong *wrong,
			 const struct memprobe_info *have)
{
	mp_wrong_set(&actor, wrong);
	KUNIT_EXPECT_EQ_MSG(test, mp_check_actor(&actor, run, have),
			    wrong->err, "op %u: %s", actor.op, wrong->what);
}

static void actors_by_the_rules(struct kunit *test)
{
	const struct memprobe_info have = mp_good_have();
	struct memprobe_run run = mp_good_run();
	struct memprobe_actor actor;
	u32 i;

	for (i = 0; i < MP_WRONG_COUNT(mp_wrong_chase); i++)
		expect_actor(test, mp_good_chase(), &run, &mp_wrong_chase[i],
			     &have);
	actor = mp_good_sequence(&run);
	for (i = 0; i < MP_WRONG_COUNT(mp_wrong_sequence); i++)
		expect_actor(test, actor, &run, &mp_wrong_sequence[i], &have);
	run.n_steps = 0;
	KUNIT_EXPECT_EQ(test, mp_check_actor(&actor, &run, &have), -EINVAL);
}

static void events_by_the_rules(struct kunit *test)
{
	u32 i;

	for (i = 0; i < MP_WRONG_COUNT(mp_wrong_event); i++) {
		struct memprobe_event event = { .size = sizeof(event) };

		mp_wrong_set(&event, &mp_wrong_event[i]);
		KUNIT_EXPECT_EQ_MSG(test, mp_check_event(&event),
				    mp_wrong_event[i].err, "%s",
				    mp_wrong_event[i].what);
	}
}

static void what_the_machine_has_not_is_refused(struct kunit *test)
{
	struct memprobe_info have = mp_good_have();
	struct memprobe_arena arena = mp_good_take(MEMPROBE_KIND_HUGE);
	struct memprobe_actor actor = mp_good_chase();
	struct memprobe_run run = mp_good_run();

	have.kinds &= ~(1u << MEMPROBE_KIND_HUGE);
	KUNIT_EXPECT_EQ(test, mp_check_arena(&arena, &have), -EOPNOTSUPP);
	have.kinds = mp_good_have().kinds;
	have.huge_shift = 0;
	KUNIT_EXPECT_EQ(test, mp_check_arena(&arena, &have), 0);
	arena.page_shift = 21;
	KUNIT_EXPECT_EQ(test, mp_check_arena(&arena, &have), -EOPNOTSUPP);
	have.run_flags &= ~MEMPROBE_RUN_PREFETCH_OFF;
	run.flags = MP_RUN_SETTABLE;
	KUNIT_EXPECT_EQ(test, mp_check_run(&run, &have), -EOPNOTSUPP);
	have.ops = 1u << MEMPROBE_OP_SEQUENCE;
	KUNIT_EXPECT_EQ(test, mp_check_actor(&actor, &run, &have),
			-EOPNOTSUPP);
}

static void steps_by_the_rules(struct kunit *test)
{
	struct memprobe_run run = mp_good_run();
	const struct memprobe_actor actor = mp_good_sequence(&run);
	u32 step[17] = { 0 };
	u8 visits[16];
	u32 i;

	for (i = 0; i < 16; i++)
		step[i] = MEMPROBE_STEP(i, MEMPROBE_STEP_TIME);
	run.n_steps = 16;
	KUNIT_EXPECT_EQ(test, mp_check_steps(&actor, &run, step, visits), 0);
	/* 17 timed steps in each of four bursts, and room for 64 ticks. */
	step[16] = MEMPROBE_STEP(0, MEMPROBE_STEP_TOUCH);
	run.n_steps = 17;
	KUNIT_EXPECT_EQ(test, mp_check_steps(&actor, &run, step, visits), 0);
	step[16] = MEMPROBE_STEP(0, MEMPROBE_STEP_TIME);
	KUNIT_EXPECT_EQ(test, mp_check_steps(&actor, &run, step, visits),
			-EINVAL);
	step[16] = MEMPROBE_STEP(16, MEMPROBE_STEP_TOUCH);
	KUNIT_EXPECT_EQ(test, mp_check_steps(&actor, &run, step, visits),
			-EINVAL);
	step[16] = MEMPROBE_STEP(0, 3);
	KUNIT_EXPECT_EQ(test, mp_check_steps(&actor, &run, step, visits),
			-EOPNOTSUPP);
}

static void spans_by_the_rules(struct kunit *test)
{
	struct memprobe_actor actor = mp_good_chase();
	const u64 end = actor.offset + actor.length;
	const u32 uncached = MEMPROBE_ARENA_UNCACHED;

	KUNIT_EXPECT_EQ(test, mp_check_span(&actor, end, 0), 0);
	KUNIT_EXPECT_EQ(test, mp_check_span(&actor, end - 1, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, mp_check_span(&actor, 0, 0), -EINVAL);
	actor.reach = 0;
	actor.length = MP_UNCACHED_MIN_BYTES;
	KUNIT_EXPECT_EQ(test, mp_check_span(&actor, ~0ull, uncached), 0);
	actor.length--;
	KUNIT_EXPECT_EQ(test, mp_check_span(&actor, ~0ull, uncached),
			-EOPNOTSUPP);
	actor.length++;
	actor.reach = 4096;
	KUNIT_EXPECT_EQ(test, mp_check_span(&actor, ~0ull, uncached),
			-EOPNOTSUPP);
	actor.reach = 0;
	actor.stride = actor.length / MP_UNCACHED_MIN_SLOTS;
	KUNIT_EXPECT_EQ(test, mp_check_span(&actor, ~0ull, uncached), 0);
	actor.stride *= 2;
	KUNIT_EXPECT_EQ(test, mp_check_span(&actor, ~0ull, uncached),
			-EOPNOTSUPP);
	actor.stride = 64;
	actor.op = MEMPROBE_OP_SEQUENCE;
	KUNIT_EXPECT_EQ(test, mp_check_span(&actor, ~0ull, uncached),
			-EOPNOTSUPP);
}

static struct kunit_case check_cases[] = {
	KUNIT_CASE(infos_by_the_rules),
	KUNIT_CASE(arenas_by_the_rules),
	KUNIT_CASE(runs_by_the_rules),
	KUNIT_CASE(actors_by_the_rules),
	KUNIT_CASE(events_by_the_rules),
	KUNIT_CASE(what_the_machine_has_not_is_refused),
	KUNIT_CASE(steps_by_the_rules),
	KUNIT_CASE(spans_by_the_rules),
	{}
};

struct kunit_suite mp_check_suite = {
	.name = "memprobe-check",
	.test_cases = check_cases,
};

/* -- limits of this very kernel ----------------------------------------------- */

static struct memprobe_info have_here(void)
{
	struct memprobe_info have = { 0 };

	mp_mem_info(&have);
	mp_run_info(&have);
	return have;
}

static void the_most_of_an_arena_is_accepted_and_no_more(struct kunit *test)
{
	const struct memprobe_info have = have_here();
	struct memprobe_arena small = mp_good_take(MEMPROBE_KIND_CONTIG);
	struct mp_wrong wrong;
	u32 beyond;

	small.bytes = 1;
	for (beyond = 0; beyond < 2; beyond++) {
		wrong = mp_edge_of(&mp_edge_bytes, &have, beyond);
		expect_arena(test, mp_good_take(MEMPROBE_KIND_HUGE), &wrong,
			     &have);
		wrong = mp_edge_of(&mp_edge_shift, &have, beyond);
		expect_arena(test, small, &wrong, &have);
	}
	KUNIT_EXPECT_GE(test, have.total_max_bytes, have.arena_max_bytes);
}

static void the_most_of_contiguous_memory_is_accepted_and_no_more(
	struct kunit *test)
{
	const struct memprobe_info have = have_here();
	struct memprobe_arena arena = mp_good_take(MEMPROBE_KIND_CONTIG);

	arena.bytes = have.contig_max_bytes;
	KUNIT_EXPECT_EQ(test, mp_check_arena(&arena, &have), 0);
	arena.bytes++;
	KUNIT_EXPECT_EQ(test, mp_check_arena(&arena, &have), -ERANGE);
	if (!(have.arena_flags & MEMPROBE_ARENA_UNCACHED) ||
	    have.contig_max_bytes < have.uncached_min_bytes)
		return;
	arena.flags = MEMPROBE_ARENA_UNCACHED;
	arena.bytes = have.uncached_min_bytes;
	KUNIT_EXPECT_EQ(test, mp_check_arena(&arena, &have), 0);
	arena.bytes--;
	KUNIT_EXPECT_EQ(test, mp_check_arena(&arena, &have), -ERANGE);
}

static void the_most_of_a_run_is_accepted_and_no_more(struct kunit *test)
{
	const struct memprobe_info have = have_here();
	struct mp_wrong wrong;
	u32 i, beyond;

	for (i = 0; i < MP_WRONG_COUNT(mp_edge_run); i++) {
		for (beyond = 0; beyond < 2; beyond++) {
			struct memprobe_run run = mp_good_run();

			wrong = mp_edge_of(&mp_edge_run[i], &have, beyond);
			mp_wrong_set(&run, &wrong);
			KUNIT_EXPECT_EQ_MSG(test, mp_check_run(&run, &have),
					    wrong.err, "%s", wrong.what);
		}
	}
}

static void the_most_of_a_chase_is_accepted_and_no_more(struct kunit *test)
{
	const struct memprobe_info have = have_here();
	struct memprobe_actor actor = mp_good_chase();
	struct memprobe_run run = mp_good_run();
	struct mp_wrong wrong;
	u32 i, beyond;

	actor.group = 0;
	run.n_samples = ~0u;
	for (i = 0; i < MP_WRONG_COUNT(mp_edge_chase); i++) {
		for (beyond = 0; beyond < 2; beyond++) {
			wrong = mp_edge_of(&mp_edge_chase[i], &have, beyond);
			expect_actor(test, actor, &run, &wrong, &have);
		}
	}
}

static void the_longest_ring_and_group_are_accepted_and_no_more(
	struct kunit *test)
{
	const struct memprobe_info have = have_here();
	struct memprobe_actor actor = mp_good_chase();
	const struct memprobe_run run = mp_good_run();

	actor.hops = 8ull * have.group_max;
	actor.group = have.group_max;
	KUNIT_EXPECT_EQ(test, mp_check_actor(&actor, &run, &have), 0);
	actor.group++;
	KUNIT_EXPECT_EQ(test, mp_check_actor(&actor, &run, &have), -ERANGE);
	actor.group = 0;
	actor.length = (have.ring_slots_max + 1ull) * actor.stride - 1;
	KUNIT_EXPECT_EQ(test, mp_check_actor(&actor, &run, &have), 0);
	actor.length++;
	KUNIT_EXPECT_EQ(test, mp_check_actor(&actor, &run, &have), -ERANGE);
}

static void a_slot_may_be_visited_as_often_as_info_says(struct kunit *test)
{
	const struct memprobe_info have = have_here();
	struct memprobe_run run = mp_good_run();
	const struct memprobe_actor actor = mp_good_sequence(&run);
	const u32 step[16] = { 0 };
	u8 visits[16];

	KUNIT_ASSERT_LT(test, have.visits_max, (u32)ARRAY_SIZE(step));
	run.n_steps = have.visits_max;
	KUNIT_EXPECT_EQ(test, mp_check_steps(&actor, &run, step, visits), 0);
	run.n_steps++;
	KUNIT_EXPECT_EQ(test, mp_check_steps(&actor, &run, step, visits),
			-ERANGE);
}

static void info_tells_what_this_kernel_has(struct kunit *test)
{
	const struct memprobe_info have = have_here();

	KUNIT_EXPECT_EQ(test, have.page_shift, (u32)PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, have.sample_size,
			(u32)sizeof(struct memprobe_sample));
	KUNIT_EXPECT_EQ(test, have.cpus, num_online_cpus());
	KUNIT_EXPECT_LE(test, have.window_min_ns, have.window_default_ns);
	KUNIT_EXPECT_LE(test, have.window_default_ns, have.window_max_ns);
	KUNIT_EXPECT_LE(test, have.window_max_ns, have.call_max_ns);
	KUNIT_EXPECT_LE(test, have.duty_percent, 50u);
	KUNIT_EXPECT_EQ(test, have.events_max, (u32)MEMPROBE_EVENTS);
	KUNIT_EXPECT_EQ(test, have.ops & 1, 0u);
	KUNIT_EXPECT_EQ(test, have.kinds & 1, 0u);
	KUNIT_EXPECT_EQ(test, have.size, 0u);
	KUNIT_EXPECT_EQ(test, !!(have.run_flags & MEMPROBE_RUN_NO_MEASUREMENT),
			(int)IS_ENABLED(CONFIG_UML));
}

static struct kunit_case limits_cases[] = {
	KUNIT_CASE(the_most_of_an_arena_is_accepted_and_no_more),
	KUNIT_CASE(the_most_of_contiguous_memory_is_accepted_and_no_more),
	KUNIT_CASE(the_most_of_a_run_is_accepted_and_no_more),
	KUNIT_CASE(the_most_of_a_chase_is_accepted_and_no_more),
	KUNIT_CASE(the_longest_ring_and_group_are_accepted_and_no_more),
	KUNIT_CASE(a_slot_may_be_visited_as_often_as_info_says),
	KUNIT_CASE(info_tells_what_this_kernel_has),
	{}
};

struct kunit_suite mp_limits_suite = {
	.name = "memprobe-limits",
	.test_cases = limits_cases,
};
