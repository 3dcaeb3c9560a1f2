// SPDX-License-Identifier: GPL-2.0
/*
 * A replicate of a chase: the same bytes for the same question, what is
 * granted, what it costs, and what cannot be.
 */
#include "backend/sim_chase.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "limits.h"
#include "made_batch.h"
#include "made_machine.h"

#define KIB 1024ull
#define MIB (KIB * KIB)

static const char noisy[] =
	"machine name=noisy clock_mhz=3500 memory_latency=300\n"
	"level name=l1d size=32K ways=8 latency=4 policy=tree-plru\n"
	"level name=l2 size=256K ways=8 latency=14 policy=random\n"
	"level name=l3 size=2M ways=16 latency=50\n"
	"tlb level=1 page=4K entries=64 ways=4\n"
	"walk cost=30\n"
	"clock step=26 read=60 drift=0.01 jumps=2\n"
	"noise gaps=0.05\n"
	"neighbour level=l3\n";

static const char quiet[] =
	"machine name=quiet clock_mhz=3500 memory_latency=300 ram=1G\n"
	"level name=l1d size=32K ways=8 latency=4\n"
	"level name=l2 size=256K ways=8 latency=14\n"
	"place huge=3\n"
	"clock tsc_mhz=2000 read=70\n";

static void chase(const char *text, const struct mp_exp *exp, uint64_t seed,
		  uint32_t replicate, struct mp_batch *batch)
{
	struct mp_sim_machine machine;

	made_machine(&machine, text);
	mp_batch_init(batch, exp, replicate);
	batch->error = mp_sim_chase(&machine, seed, NULL, batch);
	mp_sim_machine_free(&machine);
}

static void ask(struct mp_exp *exp, uint32_t pages, uint64_t bytes)
{
	mp_exp_chase(exp, 0, pages, bytes, 64, 0);
	exp->actor[0].warm_hops = 4096;
	exp->actor[0].bursts = 4;
}

static void equal_questions_have_equal_bytes(void **state)
{
	struct mp_batch a, b, between;
	struct mp_exp exp, other;

	(void)state;
	ask(&exp, MP_PAGES_THP, MIB);
	ask(&other, MP_PAGES_4K, 64 * KIB);
	chase(noisy, &exp, 1, 3, &a);
	chase(noisy, &other, 1, 0, &between);
	chase(noisy, &exp, 1, 3, &b);
	assert_int_equal(a.error, 0);
	assert_int_equal(a.n_samples, 4);
	assert_true(made_batch_equal(&a, &b));
	mp_batch_free(&a);
	mp_batch_free(&b);
	mp_batch_free(&between);
}

static void replicates_and_seeds_differ(void **state)
{
	struct mp_batch a, b, c;
	struct mp_exp exp;

	(void)state;
	ask(&exp, MP_PAGES_4K, MIB);
	chase(noisy, &exp, 1, 0, &a);
	chase(noisy, &exp, 1, 1, &b);
	chase(noisy, &exp, 2, 0, &c);
	assert_true(a.sample[0].ticks != b.sample[0].ticks);
	assert_true(a.sample[0].ticks != c.sample[0].ticks);
	assert_true(b.start_ns > a.start_ns);
	mp_batch_free(&a);
	mp_batch_free(&b);
	mp_batch_free(&c);
}

static double cycles_a_hop(const struct mp_batch *batch)
{
	double ticks = 0, hops = 0;

	for (uint32_t i = 0; i < batch->n_samples; i++) {
		ticks += (double)batch->sample[i].ticks -
			 batch->grant.read_ticks;
		hops += (double)batch->sample[i].hops;
	}
	return ticks / hops * batch->grant.clock[0].add_hz /
	       batch->grant.tick_hz;
}

static void plateaus_come_out_in_whole_cycles(void **state)
{
	static const struct {
		uint64_t bytes;
		double cycles;
	} rows[] = { { 16 * KIB, 4 }, { 128 * KIB, 14 }, { 2 * MIB, 300 } };
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		ask(&exp, MP_PAGES_THP, rows[i].bytes);
		exp.actor[0].warm_hops = rows[i].bytes / 32;
		chase(quiet, &exp, 1, 0, &batch);
		assert_int_equal(batch.error, 0);
		if (fabs(cycles_a_hop(&batch) / rows[i].cycles - 1) > 2e-4)
			fail_msg("%g cycles a hop", cycles_a_hop(&batch));
		mp_batch_free(&batch);
	}
}

static void the_grant_tells_clock_and_read_cost(void **state)
{
	const struct mp_grant *grant;
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	ask(&exp, MP_PAGES_4K, MIB);
	exp.quiet = MP_WISH_IRQ_OFF;
	chase(quiet, &exp, 1, 0, &batch);
	grant = &batch.grant;
	assert_true(grant->tick_hz == 2e9);
	assert_int_equal(grant->tick_step, 1);
	assert_true(fabs(grant->read_ticks - 40) < 1e-9);
	assert_true(grant->look_ticks == 0);
	assert_true(grant->gap_ticks > 1000);
	assert_int_equal(grant->got, 0);
	assert_true(grant->n_clocks >= 2);
	for (uint32_t i = 0; i < grant->n_clocks; i++) {
		assert_true(fabs(grant->clock[i].add_hz / 3.5e9 - 1) < 3e-4);
		assert_true(fabs(grant->clock[i].mul_hz / 3.5e9 - 1) < 3e-4);
	}
	assert_true(grant->clock[0].at_ns < batch.sample[0].start_ns);
	assert_true(grant->clock[grant->n_clocks - 1].at_ns >
		    batch.sample[3].start_ns);
	mp_batch_free(&batch);
}

static void assert_granted(uint32_t wish, uint64_t bytes, uint32_t pages,
			   uint64_t mapped)
{
	const struct mp_grant_arena *arena;
	struct mp_batch batch;
	struct mp_exp exp;

	ask(&exp, wish, bytes);
	chase(quiet, &exp, 1, 0, &batch);
	assert_int_equal(batch.error, 0);
	arena = &batch.grant.arena[0];
	assert_int_equal(batch.grant.n_arenas, 1);
	assert_int_equal(arena->pages, pages);
	assert_int_equal(arena->bytes, mapped);
	assert_int_equal(arena->huge_bytes,
			 pages == MP_PAGES_4K ? 0 : mapped);
	assert_int_equal(arena->node, 0);
	assert_int_equal(arena->contiguous, mapped == 2 * MIB &&
					    pages != MP_PAGES_4K);
	mp_batch_free(&batch);
}

static void pages_are_granted_as_the_machine_has_them(void **state)
{
	(void)state;
	assert_granted(MP_PAGES_4K, 5000, MP_PAGES_4K, 8192);
	assert_granted(MP_PAGES_4K, 2 * MIB, MP_PAGES_4K, 2 * MIB);
	assert_granted(MP_PAGES_THP, 16 * KIB, MP_PAGES_THP, 2 * MIB);
	assert_granted(MP_PAGES_THP, 5 * MIB, MP_PAGES_THP, 6 * MIB);
	assert_granted(MP_PAGES_2M, 6 * MIB, MP_PAGES_2M, 6 * MIB);
}

static void refused_huge_pages_become_small_ones(void **state)
{
	static const char text[] =
		"level name=l1d size=32K ways=8 latency=4\n"
		"place thp=refused pages=contiguous\n";
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	ask(&exp, MP_PAGES_THP, 64 * KIB);
	chase(text, &exp, 1, 0, &batch);
	assert_int_equal(batch.error, 0);
	assert_int_equal(batch.grant.arena[0].pages, MP_PAGES_4K);
	assert_int_equal(batch.grant.arena[0].bytes, 64 * KIB);
	assert_int_equal(batch.grant.arena[0].contiguous, 1);
	mp_batch_free(&batch);
}

static void reserved_pages_stand_in_for_refused_ones(void **state)
{
	static const char text[] =
		"level name=l1d size=32K ways=8 latency=4\n"
		"place thp=refused huge=3\n";
	static const struct {
		uint64_t bytes;
		uint32_t pages;
	} rows[] = {
		{ 64 * KIB, MP_PAGES_2M }, { 6 * MIB, MP_PAGES_2M },
		{ 6 * MIB + 64, MP_PAGES_4K },
	};

	(void)state;
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mp_batch batch;
		struct mp_exp exp;

		ask(&exp, MP_PAGES_THP, rows[i].bytes);
		chase(text, &exp, 1, 0, &batch);
		assert_int_equal(batch.error, 0);
		assert_int_equal(batch.grant.arena[0].pages, rows[i].pages);
		mp_batch_free(&batch);
	}
}

static void what_cannot_be_had_is_an_error(void **state)
{
	static const struct {
		uint32_t pages;
		uint64_t bytes;
		int error;
	} rows[] = {
		{ MP_PAGES_2M, 6 * MIB + 64, -ENOMEM },
		{ MP_PAGES_1G, MIB, -ENOMEM },
		{ MP_PAGES_CONTIG, MIB, -EOPNOTSUPP },
		{ MP_PAGES_DEVICE, MIB, -EOPNOTSUPP },
		{ MP_PAGES_UNCACHED, MIB, -EOPNOTSUPP },
		{ MP_PAGES_4K, 513 * MIB, -ENOMEM },
	};
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ask(&exp, rows[i].pages, rows[i].bytes);
		chase(quiet, &exp, 1, 0, &batch);
		assert_int_equal(batch.error, rows[i].error);
		mp_batch_free(&batch);
	}
	ask(&exp, MP_PAGES_4K, MIB);
	exp.actor[0].offset = 64;
	chase(quiet, &exp, 1, 0, &batch);
	assert_int_equal(batch.error, -EINVAL);
	exp.actor[0].offset = 0;
	exp.actor[0].skew = 64;
	chase(quiet, &exp, 1, 0, &batch);
	assert_int_equal(batch.error, -EINVAL);
}

static void the_largest_arena_is_half_the_memory_or_the_cap(void **state)
{
	struct mp_sim_machine machine;

	(void)state;
	made_machine(&machine, "level name=l1d size=32K ways=8 latency=4\n"
		     "machine name=a ram=64M\n");
	assert_true(mp_sim_chase_max_bytes(&machine) == 32 * MIB);
	mp_sim_machine_free(&machine);
	made_machine(&machine, "level name=l1d size=32K ways=8 latency=4\n"
		     "machine name=a ram=64G\n");
	assert_true(mp_sim_chase_max_bytes(&machine) == MP_ARENA_CAP_BYTES);
	mp_sim_machine_free(&machine);
}

static void the_cost_is_building_and_walking(void **state)
{
	struct mp_batch batch;
	struct mp_exp exp;
	double least, ns = 0;

	(void)state;
	ask(&exp, MP_PAGES_4K, 32 * KIB);
	chase(quiet, &exp, 1, 0, &batch);
	/* 512 slots, 8 pages, 4096 hops of 4 cycles, and the bursts. */
	least = 512 * 1.2 + 8 * 250 + 4096 * 4 / 3.5;
	for (uint32_t i = 0; i < batch.n_samples; i++)
		ns += (double)batch.sample[i].ticks / 2;
	assert_true((double)batch.cost_ns > least + ns);
	/* Chains and what lies between bursts: under half a millisecond. */
	assert_true((double)batch.cost_ns < least + ns + 5e5);
	mp_batch_free(&batch);
	ask(&exp, MP_PAGES_THP, 32 * KIB);
	chase(quiet, &exp, 1, 0, &batch);
	assert_true((double)batch.cost_ns > 60000 + ns);
	mp_batch_free(&batch);
}

static void only_pages_with_a_slot_are_built(void **state)
{
	struct mp_batch batch;
	struct mp_exp exp;
	double pages_ns;

	(void)state;
	/* 64 slots 16 pages apart: 64 pages are touched, not 1024. */
	mp_exp_chase(&exp, 0, MP_PAGES_4K, 4 * MIB, 64 * KIB, 0);
	exp.actor[0].bursts = 1;
	exp.actor[0].hops = 64;
	chase(quiet, &exp, 1, 0, &batch);
	pages_ns = 64 * 250;
	assert_true((double)batch.cost_ns > pages_ns);
	assert_true((double)batch.grant.clock[0].at_ns <
		    (double)batch.start_ns + 1.1 * pages_ns);
	mp_batch_free(&batch);
}

static void every_round_warms_up_and_has_its_bursts(void **state)
{
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	ask(&exp, MP_PAGES_4K, 32 * KIB);
	exp.rounds = 3;
	chase(quiet, &exp, 1, 0, &batch);
	assert_int_equal(batch.n_samples, 12);
	for (uint32_t i = 0; i < 12; i++) {
		assert_int_equal(batch.sample[i].round, i / 4);
		assert_int_equal(batch.sample[i].burst, i % 4);
		assert_int_equal(batch.sample[i].flags, 0);
	}
	mp_batch_free(&batch);
}

static void a_jump_of_the_core_clock_is_flagged(void **state)
{
	static const char text[] =
		"level name=l1d size=32K ways=8 latency=4\n"
		"clock jumps=1000\n";
	struct mp_batch batch;
	struct mp_exp exp;
	uint32_t flagged = 0;

	(void)state;
	ask(&exp, MP_PAGES_4K, 16 * KIB);
	exp.actor[0].hops = 1 << 20;
	for (uint32_t i = 0; i < 10; i++) {
		chase(text, &exp, 1, i, &batch);
		flagged += batch.sample[0].flags & MEMPROBE_F_CLOCK ? 1 : 0;
		mp_batch_free(&batch);
	}
	assert_true(flagged > 4);
	chase(quiet, &exp, 1, 0, &batch);
	assert_int_equal(batch.sample[0].flags & MEMPROBE_F_CLOCK, 0);
	mp_batch_free(&batch);
}

static void the_share_of_bursts_hit_is_that_of_the_gaps(void **state)
{
	static const char text[] =
		"machine name=a clock_mhz=3500\n"
		"level name=l1d size=32K ways=8 latency=4\n"
		"noise gaps=0.02 gap_us=2..400\n";
	uint32_t hit = 0, bursts = 0;
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	mp_exp_chase(&exp, 0, MP_PAGES_4K, 16 * KIB, 64, 0);
	exp.actor[0].warm_hops = 256;
	exp.actor[0].hops = 1 << 20;
	exp.actor[0].bursts = 32;
	for (uint32_t i = 0; i < 40; i++) {
		chase(text, &exp, 1, i, &batch);
		for (uint32_t k = 0; k < batch.n_samples; k++)
			hit += batch.sample[k].switches > 0;
		bursts += batch.n_samples;
		mp_batch_free(&batch);
	}
	/*
	 * Gaps last 75 us in the mean, so one begins each 3.68 ms of work,
	 * and 5 % of the bursts of 200 us meet one: 64 of 1280, give or take
	 * five times 8.
	 */
	assert_int_equal(bursts, 1280);
	assert_in_range(hit, 64 - 40, 64 + 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_questions_have_equal_bytes),
		cmocka_unit_test(replicates_and_seeds_differ),
		cmocka_unit_test(plateaus_come_out_in_whole_cycles),
		cmocka_unit_test(the_grant_tells_clock_and_read_cost),
		cmocka_unit_test(pages_are_granted_as_the_machine_has_them),
		cmocka_unit_test(refused_huge_pages_become_small_ones),
		cmocka_unit_test(reserved_pages_stand_in_for_refused_ones),
		cmocka_unit_test(what_cannot_be_had_is_an_error),
		cmocka_unit_test(
			the_largest_arena_is_half_the_memory_or_the_cap),
		cmocka_unit_test(the_cost_is_building_and_walking),
		cmocka_unit_test(only_pages_with_a_slot_are_built),
		cmocka_unit_test(every_round_warms_up_and_has_its_bursts),
		cmocka_unit_test(a_jump_of_the_core_clock_is_flagged),
		cmocka_unit_test(the_share_of_bursts_hit_is_that_of_the_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
