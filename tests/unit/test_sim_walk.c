// SPDX-License-Identifier: GPL-2.0
/*
 * Bursts in simulated time: what they cost, when they end, and which gaps a
 * looking loop sees.
 */
#include "backend/sim_walk.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "chase.h"
#include "limits.h"
#include "made_machine.h"

#define L1 "level name=l1d size=32K ways=8 latency=4\n"
/* A core cycle is a nanosecond, and so is a tick. */
#define PLAIN "machine name=a clock_mhz=1000 memory_latency=100\n" L1 \
	"clock tsc_mhz=1000 read=30"
#define SLOTS 64u

struct bench {
	struct mp_sim_machine machine;
	struct mp_actor actor;
	struct mp_sim_cores cores;
	struct mp_sim_walk walk;
	struct mp_batch batch;
	uint32_t order[SLOTS];
};

static void make(struct bench *bench, const char *text)
{
	const struct mp_ring ring = {
		.length_bytes = SLOTS * 64,
		.stride_bytes = 64,
	};
	const struct mp_sim_want want = {
		.n_arenas = 1,
		.bytes = { SLOTS * 64 },
		.n_cpus = 1,
		.seed = 1,
	};

	memset(bench, 0, sizeof(*bench));
	made_machine(&bench->machine, text);
	bench->actor = (struct mp_actor){
		.op = MP_OP_CHASE,
		.length = SLOTS * 64,
		.stride = 64,
		.group = 1,
		.warm_hops = SLOTS,
		.hops = 1024,
		.bursts = 1,
	};
	for (uint32_t i = 0; i < SLOTS; i++)
		bench->order[i] = i;
	bench->walk.machine = &bench->machine;
	bench->walk.actor = &bench->actor;
	bench->walk.window_ticks = 1000000;
	assert_int_equal(mp_sim_cores_init(&bench->cores, &bench->machine,
					   &want), 0);
	bench->walk.cores = &bench->cores;
	bench->walk.memory = &bench->cores.memory[0];
	mp_sim_clock_init(&bench->walk.clock, &bench->machine, 1, 8000000000,
			  2);
	mp_rng_seed(&bench->walk.between, 3);
	mp_sim_ring_lay(&bench->walk.ring, &bench->cores,
			&bench->cores.memory[0], &ring, 0,
			bench->order);
}

static void destroy(struct bench *bench)
{
	mp_batch_free(&bench->batch);
	mp_sim_walk_free(&bench->walk);
	mp_sim_cores_free(&bench->cores);
	mp_sim_machine_free(&bench->machine);
}

static const struct memprobe_sample *burst(struct bench *bench, uint16_t n)
{
	assert_int_equal(mp_sim_walk_burst(&bench->walk, 0, n, &bench->batch),
			 0);
	return &bench->batch.sample[bench->batch.n_samples - 1];
}

static void a_burst_takes_its_loads_and_one_read_of_the_clock(void **state)
{
	const struct memprobe_sample *sample;
	struct bench bench;

	(void)state;
	make(&bench, PLAIN "\n");
	mp_sim_walk_warm(&bench.walk);
	sample = burst(&bench, 0);
	assert_int_equal(sample->hops, 1024);
	assert_in_range(sample->ticks, 1024 * 4 + 29, 1024 * 4 + 31);
	assert_int_equal(sample->flags, 0);
	assert_int_equal(sample->bytes, SLOTS * 64);
	assert_int_equal(sample->warm_hops, SLOTS);
	assert_int_equal(sample->gaps + sample->gap_ticks + sample->switches +
			 sample->overrun_ticks, 0);
	assert_in_range(sample->gap_max_ticks, 255, 257);
	assert_true(sample->valid & 1ull << MEMPROBE_VALID_SWITCHES);
	assert_false(sample->valid & 1ull << MEMPROBE_VALID_SMI);
	destroy(&bench);
}

static void hops_are_rounded_up_to_whole_looks(void **state)
{
	struct bench bench;

	(void)state;
	make(&bench, PLAIN "\n");
	bench.actor.hops = 65;
	bench.actor.warm_hops = 1;
	mp_sim_walk_warm(&bench.walk);
	assert_int_equal(burst(&bench, 0)->hops, 128);
	assert_int_equal(bench.batch.sample[0].warm_hops, 64);
	assert_int_equal(bench.batch.sample[0].flags, 0);
	destroy(&bench);
}

static void a_burst_ends_at_the_first_look_after_its_window(void **state)
{
	const struct memprobe_sample *sample;
	struct bench bench;

	(void)state;
	make(&bench, PLAIN "\n");
	bench.walk.window_ticks = 1000;
	mp_sim_walk_warm(&bench.walk);
	sample = burst(&bench, 0);
	/* Looks stand at 256, 512, 768 and 1024 ticks. */
	assert_int_equal(sample->hops, 256);
	assert_int_equal(sample->flags, MEMPROBE_F_SHORT);
	assert_int_equal(sample->overrun_ticks, sample->ticks - 1000);
	destroy(&bench);
}

static void bursts_go_on_where_the_last_one_ended(void **state)
{
	const struct memprobe_sample *sample;
	struct bench bench;

	(void)state;
	make(&bench, "machine name=a clock_mhz=1000 memory_latency=100\n"
	     "level name=l1d size=2K ways=8 latency=4\n"
	     "clock tsc_mhz=1000 read=0\n");
	bench.actor.warm_hops = 0;
	bench.actor.hops = 64;
	for (uint16_t i = 0; i < 3; i++) {
		sample = burst(&bench, i);
		assert_in_range(sample->ticks, 64 * 100 - 1, 64 * 100 + 1);
		assert_int_equal(sample->burst, i);
	}
	assert_true(bench.batch.sample[1].start_ns >
		    bench.batch.sample[0].start_ns + 6400);
	destroy(&bench);
}

/* How many of 400 bursts carry a flag. */
static uint32_t count_flags(const char *text, uint32_t flag, uint32_t *gaps)
{
	struct bench bench;
	uint32_t n = 0;

	make(&bench, text);
	mp_sim_walk_warm(&bench.walk);
	*gaps = 0;
	for (uint16_t i = 0; i < 400; i++) {
		const struct memprobe_sample *sample = burst(&bench, i);

		n += sample->flags & flag ? 1 : 0;
		*gaps += sample->gaps;
		if (!(sample->flags & MEMPROBE_F_GAP))
			assert_int_equal(sample->gap_ticks, 0);
	}
	destroy(&bench);
	return n;
}

static void a_long_gap_is_seen_and_its_ticks_are_told(void **state)
{
	const struct memprobe_sample *sample;
	struct bench bench;
	uint32_t seen = 0;

	(void)state;
	make(&bench, PLAIN "\nnoise gaps=0.2 gap_us=20\n");
	mp_sim_walk_warm(&bench.walk);
	for (uint16_t i = 0; i < 200; i++) {
		sample = burst(&bench, i);
		if (!sample->gaps) {
			assert_true(sample->ticks < 1024 * 4 + 32);
			continue;
		}
		seen++;
		assert_true(sample->flags & MEMPROBE_F_GAP);
		assert_true(sample->gap_ticks >= 20000ull * sample->gaps);
		assert_in_range(sample->ticks - sample->switches * 20000ull,
				1024 * 4 + 29, 1024 * 4 + 31);
		assert_true(sample->gap_max_ticks >= 20000);
		assert_int_equal(sample->switches > 0,
				 !!(sample->flags & MEMPROBE_F_SWITCHED));
	}
	assert_true(seen > 5);
	destroy(&bench);
}

static void a_gap_too_short_for_the_loop_is_left_to_witnesses(void **state)
{
	uint32_t gaps;

	(void)state;
	/* A look of 256 ns, so up to 1024 and 500 ns are no gap. */
	assert_true(count_flags(PLAIN "\nnoise gaps=0.05 gap_us=0.3\n",
				MEMPROBE_F_SWITCHED, &gaps) > 50);
	assert_int_equal(gaps, 0);
	assert_int_equal(count_flags(PLAIN "\nnoise gaps=0.05 gap_us=0.3\n",
				     MEMPROBE_F_GAP, &gaps), 0);
	assert_true(count_flags(PLAIN "\nnoise gaps=0.1 gap_us=2\n",
				MEMPROBE_F_GAP, &gaps) > 50);
	assert_true(gaps > 50);
}

static void gaps_that_nobody_sees_are_not_counted(void **state)
{
	uint32_t gaps;

	(void)state;
	assert_int_equal(count_flags(PLAIN "\nnoise gaps=0.1 gap_us=2 "
				     "seen=no\n", MEMPROBE_F_SWITCHED, &gaps),
			 0);
	assert_true(count_flags(PLAIN "\nnoise gaps=0.1 gap_us=2 seen=no\n",
				MEMPROBE_F_GAP, &gaps) > 50);
}

static void a_gap_in_the_warm_up_makes_the_first_burst_cold(void **state)
{
	struct bench bench;

	(void)state;
	make(&bench, PLAIN "\nnoise gaps=0.02 gap_us=20\n");
	bench.actor.warm_hops = 10000000;
	mp_sim_walk_warm(&bench.walk);
	assert_true(bench.walk.cold);
	assert_true(burst(&bench, 0)->flags & MEMPROBE_F_COLD);
	assert_false(burst(&bench, 1)->flags & MEMPROBE_F_COLD);
	/* Nothing was lost in truth: each hop still hits. */
	for (uint32_t i = 0; i < 2; i++) {
		if (!(bench.batch.sample[i].flags & MEMPROBE_F_GAP))
			assert_true(bench.batch.sample[i].ticks <
				    1024 * 4 + 32);
	}
	bench.actor.warm_hops = 0;
	mp_sim_walk_warm(&bench.walk);
	assert_false(bench.walk.cold);
	destroy(&bench);
}

static void a_histogram_counts_every_group(void **state)
{
	const struct memprobe_sample *sample;
	const uint64_t *pair;
	struct bench bench;
	uint64_t groups = 0, ticks = 0;

	(void)state;
	make(&bench, PLAIN "\n");
	bench.actor.detail = MP_DETAIL_HIST;
	bench.actor.group = 4;
	mp_sim_walk_warm(&bench.walk);
	sample = burst(&bench, 0);
	assert_int_equal(sample->hops, 1024);
	assert_int_equal(sample->payload_kind, MEMPROBE_PAYLOAD_HIST);
	pair = bench.batch.payload + sample->payload_offset;
	for (uint32_t i = 0; i < sample->payload_count; i += 2) {
		/* Four hops and a read: 46 ticks, one less or more. */
		assert_in_range(pair[i], 45, 47);
		ticks += pair[i] * pair[i + 1];
		groups += pair[i + 1];
	}
	assert_int_equal(groups, 256);
	assert_int_equal(ticks, sample->ticks);
	destroy(&bench);
}

static void ordered_ticks_tell_each_group(void **state)
{
	const struct memprobe_sample *sample;
	struct bench bench;
	uint64_t ticks = 0;

	(void)state;
	make(&bench, PLAIN "\n");
	bench.actor.detail = MP_DETAIL_TICKS;
	bench.actor.group = 100;
	mp_sim_walk_warm(&bench.walk);
	sample = burst(&bench, 0);
	assert_int_equal(sample->hops, 1000);
	assert_int_equal(sample->flags, MEMPROBE_F_SHORT);
	assert_int_equal(sample->payload_kind, MEMPROBE_PAYLOAD_TICKS);
	assert_int_equal(sample->payload_count, 10);
	for (uint32_t i = 0; i < 10; i++)
		ticks += bench.batch.payload[sample->payload_offset + i];
	assert_int_equal(ticks, sample->ticks);
	bench.actor.hops = MP_BATCH_WORDS_MAX + 1;
	bench.actor.group = 1;
	bench.walk.window_ticks = UINT64_MAX;
	assert_int_equal(mp_sim_walk_burst(&bench.walk, 0, 1, &bench.batch),
			 -EFBIG);
	destroy(&bench);
}

static void a_window_ends_groups_too(void **state)
{
	struct bench bench;

	(void)state;
	make(&bench, PLAIN "\n");
	bench.actor.detail = MP_DETAIL_HIST;
	bench.walk.window_ticks = 340;
	mp_sim_walk_warm(&bench.walk);
	/* A hop and a read are 34 ticks. */
	assert_in_range(burst(&bench, 0)->hops, 10, 11);
	assert_int_equal(bench.batch.sample[0].flags, MEMPROBE_F_SHORT);
	destroy(&bench);
}

static void a_neighbour_changes_what_hits(void **state)
{
	struct bench bench;
	uint64_t least = UINT64_MAX, most = 0;

	(void)state;
	make(&bench, "machine name=a clock_mhz=1000 memory_latency=100\n"
	     "level name=l1d size=4K ways=8 latency=4\n"
	     "neighbour level=l1d share=0..0.9 period_ms=0.1\n"
	     "clock tsc_mhz=1000\n");
	mp_sim_walk_neighbours(&bench.walk, true);
	for (uint16_t i = 0; i < 100; i++) {
		const uint64_t ticks = burst(&bench, i)->ticks;

		least = ticks < least ? ticks : least;
		most = ticks > most ? ticks : most;
	}
	assert_true(least < 1024 * 10);
	assert_true(most > 1024 * 50);
	destroy(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_burst_takes_its_loads_and_one_read_of_the_clock),
		cmocka_unit_test(hops_are_rounded_up_to_whole_looks),
		cmocka_unit_test(
			a_burst_ends_at_the_first_look_after_its_window),
		cmocka_unit_test(bursts_go_on_where_the_last_one_ended),
		cmocka_unit_test(a_long_gap_is_seen_and_its_ticks_are_told),
		cmocka_unit_test(
			a_gap_too_short_for_the_loop_is_left_to_witnesses),
		cmocka_unit_test(gaps_that_nobody_sees_are_not_counted),
		cmocka_unit_test(
			a_gap_in_the_warm_up_makes_the_first_burst_cold),
		cmocka_unit_test(a_histogram_counts_every_group),
		cmocka_unit_test(ordered_ticks_tell_each_group),
		cmocka_unit_test(a_window_ends_groups_too),
		cmocka_unit_test(a_neighbour_changes_what_hits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
