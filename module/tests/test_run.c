// SPDX-License-Identifier: GPL-2.0
/* A whole run, from checked words to samples. */
#include "tests.h"

#include <linux/ktime.h>
#include <linux/sizes.h>

#include "../file.h"
#include "../run.h"

#define BURSTS 4u
#define TICKS 64u
#define IRQ_OFF (MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF)

struct set {
	struct mp_file own;
	struct mp_job job;
	struct memprobe_sample sample[BURSTS];
	u64 ticks[TICKS + 1];
	u32 arena;
};

static int begin(struct kunit *test)
{
	struct memprobe_arena arena = {
		.op = MEMPROBE_ARENA_TAKE,
		.kind = MEMPROBE_KIND_SCATTERED,
		.bytes = SZ_64K,
	};
	struct set *set = kunit_kzalloc(test, sizeof(*set), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, set);
	test->priv = set;
	KUNIT_ASSERT_EQ(test, mp_run_init(), 0);
	mutex_init(&set->own.lock);
	KUNIT_ASSERT_EQ(test, mp_file_arena(&set->own, &arena), 0);
	set->arena = arena.id;
	set->ticks[TICKS] = 77;
	set->job = (struct mp_job){
		.run.flags = IRQ_OFF,
		.run.n_ticks = TICKS,
		.actor.cpu = mp_test_stay(),
		.actor.op = MEMPROBE_OP_CHASE,
		.actor.arena = arena.id,
		.actor.length = SZ_64K,
		.actor.stride = 64,
		.actor.hops = 1024,
		.actor.warm_hops = 2048,
		.actor.rewarm_hops = 512,
		.actor.bursts = BURSTS,
		.sample = set->sample,
		.ticks = set->ticks,
	};
	return 0;
}

static void end(struct kunit *test)
{
	struct set *set = test->priv;
	struct memprobe_arena arena = { .op = MEMPROBE_ARENA_GIVE };

	if (!set || !set->arena)
		return;
	arena.id = set->arena;
	KUNIT_EXPECT_EQ(test, mp_file_arena(&set->own, &arena), 0);
	KUNIT_EXPECT_EQ(test, mp_mem_total(), 0ull);
	KUNIT_EXPECT_EQ(test, set->ticks[TICKS], 77ull);
	KUNIT_EXPECT_FALSE(test, set->own.running);
}

static void a_run_makes_a_sample_a_burst(struct kunit *test)
{
	struct set *set = test->priv;
	const struct memprobe_run *run = &set->job.run;
	u32 i;

	KUNIT_ASSERT_EQ(test, mp_run_job(&set->own, &set->job), 0);
	KUNIT_EXPECT_EQ(test, run->n_samples, BURSTS);
	KUNIT_EXPECT_EQ(test, run->stop, (u32)MEMPROBE_STOP_DONE);
	KUNIT_EXPECT_EQ(test, run->windows, (u64)BURSTS);
	KUNIT_EXPECT_EQ(test, run->got & IRQ_OFF, IRQ_OFF);
	KUNIT_EXPECT_GE(test, run->quiet_ns, run->quiet_max_ns);
	KUNIT_EXPECT_GT(test, run->quiet_max_ns, 0ull);
	KUNIT_EXPECT_GT(test, run->gap_ticks, 0ull);
	KUNIT_EXPECT_EQ(test, run->n_ticks, 0u);
	for (i = 0; i < BURSTS; i++) {
		const struct memprobe_sample *sample = &set->sample[i];

		KUNIT_EXPECT_EQ(test, sample->burst, (u16)i);
		KUNIT_EXPECT_GT(test, sample->ticks, 0ull);
		KUNIT_EXPECT_GT(test, sample->hops, 0ull);
		KUNIT_EXPECT_GT(test, sample->warm_hops, 0ull);
		KUNIT_EXPECT_EQ(test, !!(sample->flags & MEMPROBE_F_SHORT),
				(int)(sample->hops < 1024));
		KUNIT_EXPECT_EQ(test, sample->place, set->job.actor.cpu);
		KUNIT_EXPECT_EQ(test, sample->bytes, (u64)SZ_64K);
		KUNIT_EXPECT_EQ(test, sample->valid &
				1 << MEMPROBE_VALID_SPAN2, 0ull);
	}
}

/* More than half of the least window has time for, and far less than 2 ms. */
static void what_half_a_window_cannot_rewarm_is_done_before_it(struct kunit *test)
{
	struct set *set = test->priv;
	const u64 hops = 32768;
	u32 i, whole = 0;

	set->job.run.window_ns = MP_WINDOW_MIN_NS;
	set->job.actor.rewarm_hops = hops;
	KUNIT_ASSERT_EQ(test, mp_run_job(&set->own, &set->job), 0);
	KUNIT_ASSERT_EQ(test, set->job.run.n_samples, BURSTS);
	/* Only what was too short once tells that it is. */
	KUNIT_EXPECT_LT(test, set->sample[0].warm_hops, hops);
	for (i = 1; i < BURSTS; i++)
		whole += set->sample[i].warm_hops >= hops;
	/* Not after a window with a gap, of which a busy host makes some. */
	KUNIT_EXPECT_GT(test, whole, 0u);
	KUNIT_EXPECT_LE(test, set->job.run.quiet_ns,
			BURSTS * set->job.run.quiet_max_ns);
}

static void quiet_windows_take_no_more_than_their_share(struct kunit *test)
{
	struct set *set = test->priv;
	const struct memprobe_run *run = &set->job.run;
	const u64 began_ns = ktime_get_ns();

	set->job.run.window_ns = 5000000;
	set->job.actor.hops = 1ull << 32;
	KUNIT_ASSERT_EQ(test, mp_run_job(&set->own, &set->job), 0);
	/* The rest after the last window is the next run's to keep. */
	KUNIT_EXPECT_GE(test, ktime_get_ns() - began_ns,
			2 * run->quiet_ns - run->quiet_max_ns -
			run->quiet_ns / 16);
	KUNIT_EXPECT_GT(test, run->quiet_ns, 10000000ull);
	KUNIT_EXPECT_TRUE(test, set->sample[0].flags & MEMPROBE_F_SHORT);
}

static void a_run_of_groups_gives_the_ticks_of_each(struct kunit *test)
{
	struct set *set = test->priv;
	u64 sum = 0;
	u32 i, n = 0;

	set->job.actor.group = 8;
	set->job.actor.hops = 8 * (TICKS / BURSTS);
	set->job.run.window_ns = 10000000;
	KUNIT_ASSERT_EQ(test, mp_run_job(&set->own, &set->job), 0);
	for (i = 0; i < BURSTS; i++) {
		const struct memprobe_sample *sample = &set->sample[i];

		KUNIT_EXPECT_EQ(test, sample->payload_kind,
				(u32)MEMPROBE_PAYLOAD_TICKS);
		KUNIT_EXPECT_EQ(test, sample->payload_offset, n);
		KUNIT_EXPECT_EQ(test, sample->hops, sample->payload_count * 8ull);
		n += sample->payload_count;
		sum += sample->ticks;
	}
	KUNIT_EXPECT_EQ(test, set->job.run.n_ticks, n);
	for (i = 0; i < n; i++)
		sum -= set->ticks[i];
	KUNIT_EXPECT_EQ(test, sum, 0ull);
}

static void a_run_of_steps_gives_the_ticks_of_the_timed(struct kunit *test)
{
	static u32 step[] = {
		MEMPROBE_STEP(5, MEMPROBE_STEP_TIME),
		MEMPROBE_STEP(5, MEMPROBE_STEP_FLUSH),
		MEMPROBE_STEP(1023, MEMPROBE_STEP_TOUCH),
		MEMPROBE_STEP(5, MEMPROBE_STEP_TIME),
	};
	struct set *set = test->priv;

	set->job.actor.op = MEMPROBE_OP_SEQUENCE;
	set->job.actor.hops = 0;
	set->job.actor.warm_hops = 0;
	set->job.actor.rewarm_hops = 0;
	set->job.step = step;
	set->job.run.n_steps = ARRAY_SIZE(step);
	KUNIT_ASSERT_EQ(test, mp_run_job(&set->own, &set->job), 0);
	KUNIT_EXPECT_EQ(test, set->job.run.n_samples, BURSTS);
	KUNIT_EXPECT_EQ(test, set->job.run.n_ticks, 2 * BURSTS);
	KUNIT_EXPECT_EQ(test, set->sample[BURSTS - 1].hops,
			(u64)ARRAY_SIZE(step));
	KUNIT_EXPECT_EQ(test, set->sample[BURSTS - 1].payload_offset,
			2 * (BURSTS - 1));
}

static void events_that_cannot_be_counted_fail_no_run(struct kunit *test)
{
	struct set *set = test->priv;

	/* Of software, never of a core. */
	set->job.run.n_events = 1;
	set->job.event[0].type = 1;
	KUNIT_ASSERT_EQ(test, mp_run_job(&set->own, &set->job), 0);
	KUNIT_EXPECT_EQ(test, set->job.event[0].error, -EOPNOTSUPP);
	KUNIT_EXPECT_FALSE(test, set->job.run.got & MEMPROBE_RUN_COUNTED);
	KUNIT_EXPECT_EQ(test, set->sample[0].valid & 1, 0ull);
}

static void memory_of_an_administrator_is_measured_by_no_other(
	struct kunit *test)
{
	struct set *set = test->priv;
	struct memprobe_arena arena = {
		.op = MEMPROBE_ARENA_TAKE,
		.kind = MEMPROBE_KIND_CONTIG,
		.bytes = SZ_64K,
	};

	KUNIT_ASSERT_EQ(test, mp_file_arena(&set->own, &arena), 0);
	set->job.actor.arena = arena.id;
	KUNIT_EXPECT_EQ(test, mp_run_job(&set->own, &set->job), -EPERM);
	set->job.is_admin = true;
	KUNIT_EXPECT_EQ(test, mp_run_job(&set->own, &set->job), 0);
	arena.op = MEMPROBE_ARENA_GIVE;
	KUNIT_EXPECT_EQ(test, mp_file_arena(&set->own, &arena), 0);
}

static void what_cannot_be_run_is_refused(struct kunit *test)
{
	struct set *set = test->priv;
	struct memprobe_actor *actor = &set->job.actor;
	const u32 cpu = actor->cpu;
	const int offline = mp_test_offline_cpu();
	const int other = mp_test_other_cpu(cpu);

	actor->arena++;
	KUNIT_EXPECT_EQ(test, mp_run_job(&set->own, &set->job), -ENOENT);
	actor->arena--;
	actor->offset = 64;
	KUNIT_EXPECT_EQ(test, mp_run_job(&set->own, &set->job), -EINVAL);
	actor->offset = 0;
	actor->cpu = ~0u;
	KUNIT_EXPECT_EQ(test, mp_run_job(&set->own, &set->job), -ENXIO);
	actor->cpu = nr_cpu_ids;
	KUNIT_EXPECT_EQ(test, mp_run_job(&set->own, &set->job), -ENXIO);
	if (offline >= 0) {
		actor->cpu = offline;
		KUNIT_EXPECT_EQ(test, mp_run_job(&set->own, &set->job),
				-ENXIO);
	}
	if (other >= 0) {
		actor->cpu = other;
		KUNIT_EXPECT_EQ(test, mp_run_job(&set->own, &set->job),
				-EINVAL);
	}
	actor->cpu = cpu;
	KUNIT_EXPECT_EQ(test, mp_run_job(&set->own, &set->job), 0);
}

static void a_file_that_a_run_uses_keeps_its_arenas(struct kunit *test)
{
	struct set *set = test->priv;
	struct memprobe_arena arena = {
		.op = MEMPROBE_ARENA_GIVE,
		.id = set->arena,
	};

	KUNIT_ASSERT_EQ(test, mp_file_run_begin(&set->own), 0);
	KUNIT_EXPECT_EQ(test, mp_file_arena(&set->own, &arena), -EBUSY);
	KUNIT_EXPECT_EQ(test, mp_run_job(&set->own, &set->job), -EBUSY);
	KUNIT_EXPECT_EQ(test, mp_file_run_begin(&set->own), -EBUSY);
	mp_file_run_end(&set->own);
	KUNIT_EXPECT_NOT_NULL(test, mp_file_find(&set->own, set->arena));
	KUNIT_EXPECT_NULL(test, mp_file_find(&set->own, 0));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_run_makes_a_sample_a_burst),
	KUNIT_CASE(what_half_a_window_cannot_rewarm_is_done_before_it),
	KUNIT_CASE(quiet_windows_take_no_more_than_their_share),
	KUNIT_CASE(a_run_of_groups_gives_the_ticks_of_each),
	KUNIT_CASE(a_run_of_steps_gives_the_ticks_of_the_timed),
	KUNIT_CASE(events_that_cannot_be_counted_fail_no_run),
	KUNIT_CASE(memory_of_an_administrator_is_measured_by_no_other),
	KUNIT_CASE(what_cannot_be_run_is_refused),
	KUNIT_CASE(a_file_that_a_run_uses_keeps_its_arenas),
	{}
};

struct kunit_suite mp_run_suite = {
	.name = "memprobe-run",
	.init = begin,
	.exit = end,
	.test_cases = cases,
};
