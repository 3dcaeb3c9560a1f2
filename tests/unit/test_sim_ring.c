// SPDX-License-Identifier: GPL-2.0
/*
 * The proof that hops which are summed up are those that would have been
 * made: the same walk with and without summing up.
 */
#include "backend/sim_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "made_ring.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define KIB 1024ull
#define NEVER UINT64_MAX
#define SOURCE_BYTES 64u

#define THREE_LEVELS(policy) \
	"machine name=a memory_latency=300\n" \
	"level name=l1d size=4K ways=4 latency=4 policy=" policy "\n" \
	"level name=l2 size=32K ways=8 latency=14 policy=" policy "\n" \
	"level name=l3 size=96K ways=12 latency=50\n" \
	"place pages=contiguous\n"

static const char *const machines[] = {
	THREE_LEVELS("lru"),
	THREE_LEVELS("fifo"),
	THREE_LEVELS("tree-plru"),
	THREE_LEVELS("bit-plru"),
	THREE_LEVELS("nru"),
	THREE_LEVELS("srrip"),
	THREE_LEVELS("random"),
	THREE_LEVELS("lru") "tlb level=1 page=4K entries=8 ways=full\n"
	"tlb level=2 page=4K entries=24 ways=4 cost=7\nwalk cost=30\n",
	THREE_LEVELS("qlru_h11_m1_r0_u0"),
	THREE_LEVELS("qlru_h00_m1_r2_u1"),
	THREE_LEVELS("qlru_h21_m2_r0_u0_umo") "tlb level=1 page=4K entries=72 "
	"ways=full policy=nru\nwalk cost=30\n",
	THREE_LEVELS("lru") "prefetch kind=adjacent into=l2\n"
	"prefetch kind=stream into=l3\n",
	THREE_LEVELS("tree-plru") "prefetch kind=stride into=l1d\n"
	"prefetch kind=next into=l2\n",
	"level name=l1d size=4K ways=full latency=4\n"
	"level name=l2 size=30K ways=10 latency=14 slices=3 "
	"inclusion=exclusive\n"
	"level name=l3 size=96K ways=12 line=128 sector=32 latency=50 "
	"inclusion=inclusive\n",
	"level name=l1d size=4K ways=4 latency=4 policy=qlru_h11_m1_r0_u0\n"
	"level name=l2 size=30K ways=10 latency=14 slices=3 "
	"inclusion=exclusive\n"
	"level name=l3 size=96K ways=12 latency=50 policy=nru "
	"inclusion=exclusive\n",
	"level name=l1d size=4K ways=full latency=4\n"
	"level name=l2 size=8K ways=8 line=128 latency=14 "
	"policy=random\n"
	"level name=l3 size=30K ways=10 line=128 latency=30 "
	"inclusion=exclusive\n"
	"level name=l4 size=96K ways=12 line=128 latency=50\n",
	"level name=l1d size=4K ways=full latency=4\n"
	"level name=l2 size=30K ways=10 latency=14 inclusion=exclusive\n"
	"level name=l3 size=96K ways=12 latency=50 inclusion=inclusive\n"
	"prefetch kind=adjacent into=l2\nprefetch kind=stream into=l1d\n",
};

static void limit(struct made_ring *made)
{
	mp_sim_ring_unsettle(&made->ring);
	mp_sim_cores_limit(&made->cores, 1, 0.3);
}

/* The same chunks, once summed up where that is possible and once never. */
static uint32_t assert_summed(const char *text, uint64_t bytes)
{
	struct made_ring quick, slow;
	struct mp_rng rng;
	uint32_t phase;

	made_ring(&quick, text, bytes, 64, 0);
	made_ring(&slow, text, bytes, 64, 0);
	quick.ring.patience_hops = 1;
	slow.ring.patience_hops = NEVER;
	/* Nor does it go by what was looked up when it was laid. */
	assert_non_null(quick.ring.block);
	mp_sim_ring_free(&slow.ring);
	mp_rng_seed(&rng, bytes);
	for (uint32_t i = 0; i < 400; i++) {
		const uint64_t hops = mp_rng_below(&rng, 2 * quick.slots + 2);

		if (i == 200 || i == 300) {
			limit(&quick);
			limit(&slow);
		}
		assert_true(mp_sim_ring_hops(&quick.ring, hops) ==
			    mp_sim_ring_hops(&slow.ring, hops));
		assert_int_equal(quick.ring.at, slow.ring.at);
	}
	phase = quick.ring.phase;
	assert_int_equal(slow.ring.phase, MP_SIM_WATCH);
	made_ring_free(&quick);
	made_ring_free(&slow);
	return phase;
}

static void hops_that_are_summed_up_are_those_that_would_be(void **state)
{
	static const uint64_t sizes[] = { 64, 2 * KIB, 4 * KIB, 5 * KIB,
					  20 * KIB, 40 * KIB };

	(void)state;
	for (size_t i = 0; i < COUNT(machines); i++) {
		for (size_t k = 0; k < COUNT(sizes); k++)
			assert_summed(machines[i], sizes[k]);
	}
}

static void lru_and_fifo_are_always_found_steady(void **state)
{
	(void)state;
	assert_int_equal(assert_summed(machines[0], 2 * KIB), MP_SIM_STEADY);
	assert_int_equal(assert_summed(machines[0], 10 * KIB), MP_SIM_STEADY);
	assert_int_equal(assert_summed(machines[0], 40 * KIB), MP_SIM_STEADY);
	assert_int_equal(assert_summed(machines[1], 10 * KIB), MP_SIM_STEADY);
	assert_int_equal(assert_summed(machines[7], 40 * KIB), MP_SIM_STEADY);
}

/* A few hops at a time, and as many as a chunk takes. */
static void assert_ahead(const char *text, uint64_t bytes)
{
	struct made_ring ahead, slow;
	struct mp_rng rng;
	uint64_t hops, sum = 0;

	made_ring(&ahead, text, bytes, 64, 0);
	made_ring(&slow, text, bytes, 64, 0);
	ahead.ring.patience_hops = bytes % 3 ? 1 : 2000;
	slow.ring.patience_hops = NEVER;
	ahead.ring.is_alone = true;
	mp_rng_seed(&rng, bytes);
	for (uint32_t i = 0; i < 4000; i++) {
		hops = mp_rng_below(&rng, i % 100 ? 3 : 3 * MP_SIM_BLOCK);
		sum += hops;
		assert_true(mp_sim_ring_hops(&ahead.ring, hops) ==
			    mp_sim_ring_hops(&slow.ring, hops));
	}
	assert_int_equal(slow.ring.at, sum % slow.slots);
	made_ring_free(&ahead);
	made_ring_free(&slow);
}

static void hops_made_ahead_cost_what_they_would(void **state)
{
	static const uint64_t sizes[] = { 64, 3 * KIB, 5 * KIB, 40 * KIB };

	(void)state;
	for (size_t i = 0; i < COUNT(machines); i++) {
		for (size_t k = 0; k < COUNT(sizes); k++)
			assert_ahead(machines[i], sizes[k]);
	}
}

/* Two stores that draw from one source do so load by load. */
static const char two_draw[] =
	"level name=l1d size=4K ways=4 latency=4 policy=random\n"
	"level name=l2 size=30K ways=10 latency=14 inclusion=inclusive\n"
	"tlb level=1 page=4K entries=8 ways=full policy=random\n"
	"tlb level=2 page=4K entries=16 ways=4 cost=7\nwalk cost=30\n";

static void assert_like_single_loads(const char *text)
{
	struct made_ring whole, single;
	uint64_t cycles;

	made_ring(&whole, text, 40 * KIB, 64, 0);
	made_ring(&single, text, 40 * KIB, 64, 0);
	whole.ring.patience_hops = NEVER;
	whole.ring.is_fresh = false;
	/* All is empty but the random source, which comes first. */
	memset((char *)whole.cores.state + SOURCE_BYTES, 0,
	       whole.cores.state_bytes - SOURCE_BYTES);
	memset((char *)single.cores.state + SOURCE_BYTES, 0,
	       single.cores.state_bytes - SOURCE_BYTES);
	for (uint32_t turn = 0; turn < 3; turn++) {
		cycles = 0;
		for (uint32_t i = 0; i < single.slots; i++)
			cycles += mp_sim_memory_load(
				&single.cores.memory[0], single.ring.base +
				mp_ring_offset(&single.ring.shape,
					       single.order[i]));
		assert_int_equal(mp_sim_ring_hops(&whole.ring, whole.slots),
				 cycles);
	}
	assert_memory_equal(whole.cores.state, single.cores.state,
			    whole.cores.state_bytes);
	made_ring_free(&whole);
	made_ring_free(&single);
}

static void a_block_of_loads_costs_what_single_ones_do(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(machines); i++)
		assert_like_single_loads(machines[i]);
	assert_like_single_loads(two_draw);
}

static void random_misses_are_never_summed_up(void **state)
{
	(void)state;
	assert_int_not_equal(assert_summed(machines[6], 10 * KIB),
			     MP_SIM_STEADY);
	assert_int_equal(assert_summed(machines[6], 2 * KIB), MP_SIM_STEADY);
}

/* Levels forget the begin of a long ring long before TLBs do. */
static void a_long_ring_leaves_what_laying_all_of_it_would(void **state)
{
	static const char text[] = THREE_LEVELS("lru")
		"tlb level=1 page=4K entries=16 ways=full\n"
		"tlb level=2 page=4K entries=128 ways=4 cost=7\nwalk cost=30\n";
	struct mp_sim_machine machine;
	struct mp_sim_cores cores;
	struct made_ring made;

	(void)state;
	made_ring(&made, text, 4096 * KIB, 64, 512);
	made_cores(&machine, &cores, text, 4096 * KIB);
	for (uint32_t i = 0; i < made.slots; i++)
		mp_sim_memory_load(&cores.memory[0], made.order[i] * 64ull);
	assert_int_equal(cores.state_bytes, made.cores.state_bytes);
	assert_memory_equal(cores.state, made.cores.state, cores.state_bytes);
	mp_sim_cores_free(&cores);
	mp_sim_machine_free(&machine);
	made_ring_free(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			hops_that_are_summed_up_are_those_that_would_be),
		cmocka_unit_test(hops_made_ahead_cost_what_they_would),
		cmocka_unit_test(lru_and_fifo_are_always_found_steady),
		cmocka_unit_test(a_block_of_loads_costs_what_single_ones_do),
		cmocka_unit_test(random_misses_are_never_summed_up),
		cmocka_unit_test(
			a_long_ring_leaves_what_laying_all_of_it_would),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
