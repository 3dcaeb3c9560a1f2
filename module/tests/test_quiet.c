// SPDX-License-Identifier: GPL-2.0
/*
 * The quiet window leaves all as it was, is refused on a CPU that is not the
 * caller's, and is paid for with a rest.
 */
#include "tests.h"

#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/preempt.h>

#include "../core/steps.h"
#include "../quiet.h"

#define LONG_NS 5000000ull
#define SECOND_NS 1000000000ull
#define IRQ_OFF (MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF)

static const u32 all_flags[] = { 0, MEMPROBE_RUN_PREEMPT_OFF, IRQ_OFF };

/* On this CPU, of 6400 hops, with nothing before them. */
static struct mp_quiet *quiet_here(struct kunit *test, u64 window_ns)
{
	static const struct mp_pmu no_events;
	struct mp_quiet *quiet;

	quiet = kunit_kzalloc(test, sizeof(*quiet), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, quiet);
	quiet->hz = mp_test_hz();
	KUNIT_ASSERT_NE(test, quiet->hz, 0ull);
	quiet->cpu = mp_test_stay();
	quiet->pmu = &no_events;
	quiet->hops = 6400;
	quiet->gap_ticks = ~0ull;
	mp_window_make(&quiet->window, window_ns, quiet->hz);
	return quiet;
}

static void interrupts_and_preemption_are_after_it_as_before(
	struct kunit *test)
{
	struct mp_quiet *quiet = quiet_here(test, LONG_NS);
	const struct mp_test_ring *ring = mp_test_ring(test);
	const int count = preempt_count();
	u32 i;

	quiet->cursor = ring->first;
	for (i = 0; i < ARRAY_SIZE(all_flags); i++) {
		quiet->flags = all_flags[i];
		KUNIT_EXPECT_EQ(test, mp_quiet_window(quiet), 0);
		KUNIT_EXPECT_FALSE(test, irqs_disabled());
		KUNIT_EXPECT_EQ(test, preempt_count(), count);
		KUNIT_EXPECT_GT(test, quiet->chase.done_hops, 0ull);
		KUNIT_EXPECT_GT(test, quiet->quiet_ns, 0ull);
		KUNIT_EXPECT_EQ(test, quiet->cpu_end, quiet->cpu);
		KUNIT_EXPECT_FALSE(test, quiet->prefetch_off);
	}
}

static void a_window_goes_on_where_the_last_one_ended(struct kunit *test)
{
	struct mp_quiet *quiet = quiet_here(test, MP_WINDOW_NS);
	const struct mp_test_ring *ring = mp_test_ring(test);
	u64 hops = 0;
	u32 i;

	quiet->flags = IRQ_OFF;
	quiet->cursor = ring->first;
	quiet->rewarm_hops = 64;
	for (i = 0; i < 5; i++) {
		KUNIT_EXPECT_EQ(test, mp_quiet_window(quiet), 0);
		KUNIT_EXPECT_GT(test, quiet->warm.done_hops, 0ull);
		hops += quiet->warm.done_hops + quiet->chase.done_hops;
		KUNIT_EXPECT_PTR_EQ(test, quiet->cursor,
				    mp_test_after(ring, hops));
	}
}

static void a_window_of_groups_notes_the_ticks_of_each(struct kunit *test)
{
	struct mp_quiet *quiet = quiet_here(test, LONG_NS);
	const struct mp_test_ring *ring = mp_test_ring(test);
	u64 ticks[11] = { 0 };

	ticks[10] = 77;
	quiet->flags = IRQ_OFF;
	quiet->cursor = ring->first;
	quiet->group = 8;
	quiet->groups = 10;
	quiet->ticks = ticks;
	KUNIT_EXPECT_EQ(test, mp_quiet_window(quiet), 0);
	KUNIT_EXPECT_GT(test, quiet->chase.done_hops, 0ull);
	KUNIT_EXPECT_LE(test, quiet->chase.done_hops, 80ull);
	KUNIT_EXPECT_PTR_EQ(test, quiet->cursor,
			    mp_test_after(ring, quiet->chase.done_hops));
	KUNIT_EXPECT_EQ(test, ticks[10], 77ull);
}

static void a_window_of_steps_walks_the_sequence(struct kunit *test)
{
	static const u32 step[] = {
		MEMPROBE_STEP(1, MEMPROBE_STEP_TIME),
		MEMPROBE_STEP(0, MEMPROBE_STEP_FLUSH),
		MEMPROBE_STEP(1, MEMPROBE_STEP_TIME),
	};
	struct mp_quiet *quiet = quiet_here(test, LONG_NS);
	u8 visits[64];
	const struct mp_steps steps = {
		.base = kunit_kzalloc(test, 4096, GFP_KERNEL),
		.stride = MP_STEPS_SLOT,
		.slots = 64,
		.step = step,
		.n = ARRAY_SIZE(step),
		.visits = visits,
	};

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, steps.base);
	KUNIT_ASSERT_EQ(test, mp_steps_check(&steps), 0);
	quiet->flags = IRQ_OFF;
	quiet->first = mp_steps_link(&steps);
	KUNIT_EXPECT_EQ(test, mp_quiet_window(quiet), 0);
	KUNIT_EXPECT_EQ(test, quiet->chase.done_hops, (u64)steps.n);
}

/*
 * However many hops are asked for: the window ends, and neither too late nor
 * long before, though it may rather end than look more often. One in which
 * somebody else takes the CPU may end soon.
 */
static void a_window_ends_by_its_limit(struct kunit *test)
{
	struct mp_quiet *quiet = quiet_here(test, MP_WINDOW_NS);
	u64 least = ~0ull, most = 0;
	u32 i;

	quiet->flags = IRQ_OFF;
	quiet->cursor = mp_test_ring(test)->first;
	quiet->hops = ~0ull >> 8;
	for (i = 0; i < 50; i++) {
		KUNIT_EXPECT_EQ(test, mp_quiet_window(quiet), 0);
		least = min(least, quiet->quiet_ns);
		most = max(most, quiet->quiet_ns);
	}
	KUNIT_EXPECT_GE(test, most, MP_WINDOW_NS / 2);
	/* Where something else takes the CPU away, no limit can be kept. */
	if (!IS_ENABLED(CONFIG_UML))
		KUNIT_EXPECT_LE(test, least, MP_WINDOW_NS * 2);
}

static void a_window_on_another_cpu_is_refused(struct kunit *test)
{
	struct mp_quiet *quiet = quiet_here(test, MP_WINDOW_NS);
	const int other = mp_test_other_cpu(quiet->cpu);
	const int count = preempt_count();
	u32 i;

	if (other < 0)
		kunit_skip(test, "one CPU only");
	quiet->cursor = mp_test_ring(test)->first;
	quiet->cpu = other;
	for (i = 0; i < ARRAY_SIZE(all_flags); i++) {
		quiet->flags = all_flags[i];
		KUNIT_EXPECT_EQ(test, mp_quiet_window(quiet), -EXDEV);
		KUNIT_EXPECT_FALSE(test, irqs_disabled());
		KUNIT_EXPECT_EQ(test, preempt_count(), count);
		KUNIT_EXPECT_EQ(test, quiet->chase.done_hops, 0ull);
	}
}

static void a_window_on_a_cpu_that_is_offline_is_refused(struct kunit *test)
{
	struct mp_quiet *quiet = quiet_here(test, MP_WINDOW_NS);
	const int offline = mp_test_offline_cpu();
	const int count = preempt_count();

	if (offline < 0)
		kunit_skip(test, "all CPUs are online");
	quiet->cursor = mp_test_ring(test)->first;
	quiet->cpu = offline;
	quiet->flags = IRQ_OFF;
	KUNIT_EXPECT_EQ(test, mp_quiet_window(quiet), -ENXIO);
	KUNIT_EXPECT_FALSE(test, irqs_disabled());
	KUNIT_EXPECT_EQ(test, preempt_count(), count);
	KUNIT_EXPECT_EQ(test, quiet->chase.done_hops, 0ull);
}

static void the_rest_is_no_shorter_than_the_window_was(struct kunit *test)
{
	struct mp_quiet *quiet = quiet_here(test, LONG_NS);
	u64 began_ns, slept_ns = 0;

	quiet->flags = IRQ_OFF;
	quiet->cursor = mp_test_ring(test)->first;
	quiet->hops = ~0ull >> 8;
	began_ns = ktime_get_ns();
	KUNIT_ASSERT_EQ(test, mp_quiet_window(quiet), 0);
	KUNIT_EXPECT_EQ(test, mp_quiet_rest(quiet->cpu, 0,
					    began_ns + SECOND_NS, &slept_ns), 0);
	/* The rates of the two clocks agree to a few in a thousand. */
	KUNIT_EXPECT_GE(test, ktime_get_ns() - began_ns,
			2 * quiet->quiet_ns - quiet->quiet_ns / 16);
	KUNIT_EXPECT_FALSE(test, irqs_disabled());
	/* What is paid is paid. */
	slept_ns = 0;
	KUNIT_EXPECT_EQ(test, mp_quiet_rest(quiet->cpu, 0, ~0ull, &slept_ns),
			0);
	KUNIT_EXPECT_EQ(test, slept_ns, 0ull);
}

static void the_rest_is_given_up_when_the_time_is_over(struct kunit *test)
{
	struct mp_quiet *quiet = quiet_here(test, LONG_NS);
	u64 slept_ns = 0, until_ns;
	int err = 0;
	u32 i;

	quiet->flags = MEMPROBE_RUN_PREEMPT_OFF;
	quiet->cursor = mp_test_ring(test)->first;
	quiet->hops = ~0ull >> 8;
	/* Who is kept from the CPU for long has rested before it asks. */
	for (i = 0; i < 20 && !err; i++) {
		KUNIT_ASSERT_EQ(test, mp_quiet_window(quiet), 0);
		until_ns = ktime_get_ns() + 100000;
		err = mp_quiet_rest(quiet->cpu, 0, until_ns, &slept_ns);
	}
	KUNIT_EXPECT_EQ(test, err, -ETIME);
	KUNIT_EXPECT_GE(test, ktime_get_ns(), until_ns);
}

static void what_is_owed_is_slept_from_now_on(struct kunit *test)
{
	struct mp_quiet *quiet = quiet_here(test, LONG_NS);
	const u64 began_ns = ktime_get_ns();
	u64 slept_ns = 0;

	KUNIT_EXPECT_EQ(test, mp_quiet_rest(quiet->cpu, LONG_NS, ~0ull,
					    &slept_ns), 0);
	KUNIT_EXPECT_GE(test, slept_ns, LONG_NS);
	KUNIT_EXPECT_GE(test, ktime_get_ns(), began_ns + slept_ns);
}

static void a_kernel_that_preempts_at_chosen_points_owes_a_rest_always(
	struct kunit *test)
{
	struct mp_quiet *quiet = quiet_here(test, LONG_NS);
	u64 began_ns, slept_ns = 0, least_ns;

	KUNIT_EXPECT_TRUE(test, mp_quiet_is(IRQ_OFF));
	KUNIT_EXPECT_TRUE(test, mp_quiet_is(MEMPROBE_RUN_PREEMPT_OFF));
	KUNIT_EXPECT_EQ(test, mp_quiet_is(0), !preempt_model_preemptible());
	/* What others owe is paid first. */
	KUNIT_ASSERT_EQ(test, mp_quiet_rest(quiet->cpu, 0, ~0ull, &slept_ns),
			0);
	quiet->cursor = mp_test_ring(test)->first;
	quiet->hops = ~0ull >> 8;
	began_ns = ktime_get_ns();
	KUNIT_ASSERT_EQ(test, mp_quiet_window(quiet), 0);
	slept_ns = 0;
	KUNIT_EXPECT_EQ(test, mp_quiet_rest(quiet->cpu, 0, ~0ull, &slept_ns),
			0);
	least_ns = 2 * quiet->quiet_ns - quiet->quiet_ns / 16;
	if (mp_quiet_is(0))
		KUNIT_EXPECT_GE(test, ktime_get_ns() - began_ns, least_ns);
	else
		KUNIT_EXPECT_EQ(test, slept_ns, 0ull);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(interrupts_and_preemption_are_after_it_as_before),
	KUNIT_CASE(a_window_goes_on_where_the_last_one_ended),
	KUNIT_CASE(a_window_of_groups_notes_the_ticks_of_each),
	KUNIT_CASE(a_window_of_steps_walks_the_sequence),
	KUNIT_CASE(a_window_ends_by_its_limit),
	KUNIT_CASE(a_window_on_another_cpu_is_refused),
	KUNIT_CASE(a_window_on_a_cpu_that_is_offline_is_refused),
	KUNIT_CASE(the_rest_is_no_shorter_than_the_window_was),
	KUNIT_CASE(the_rest_is_given_up_when_the_time_is_over),
	KUNIT_CASE(what_is_owed_is_slept_from_now_on),
	KUNIT_CASE(a_kernel_that_preempts_at_chosen_points_owes_a_rest_always),
	{}
};

struct kunit_suite mp_quiet_suite = {
	.name = "memprobe-quiet",
	.test_cases = cases,
};
