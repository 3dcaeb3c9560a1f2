// SPDX-License-Identifier: GPL-2.0
/*
 * Two CPUs make their hops in turn. Those of a ring that stays at home are
 * summed up: the same walks with and without that.
 */
#include "backend/sim_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "made_machine.h"
#include "perm.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define KIB 1024ull
#define NEVER UINT64_MAX
#define CHUNKS 3000u
#define ORDER_SEED 3
#define SEED 4

#define HEAD "machine name=a cpus=4 memory_latency=300\nplace pages=contiguous\n"
#define TWO_LEVELS(policy, inclusion, shared) HEAD \
	"level name=l1d size=16K ways=4 latency=4 policy=" policy " shared=" shared "\n" \
	"level name=l2 size=32K ways=8 latency=14 shared=2 inclusion=" inclusion "\n"

/* Nobody takes anything out of the first level, .. */
static const char *const calm[] = {
	TWO_LEVELS("lru", "non-inclusive", "1"),
	TWO_LEVELS("fifo", "exclusive", "1"),
	TWO_LEVELS("tree-plru", "non-inclusive", "1"),
	TWO_LEVELS("random", "non-inclusive", "1"),
	TWO_LEVELS("qlru_h11_m1_r0_u0", "exclusive", "1"),
	TWO_LEVELS("bit-plru", "exclusive", "1"),
	TWO_LEVELS("lru", "non-inclusive", "1")
	"tlb level=1 page=4K entries=3 ways=full\nwalk cost=30\n",
	TWO_LEVELS("lru", "non-inclusive", "1")
	"prefetch kind=adjacent into=l1d\nprefetch kind=stream into=l2\n",
};

/* .. or somebody does, every now and then. */
static const char *const disturbed[] = {
	TWO_LEVELS("lru", "inclusive", "1"),
	TWO_LEVELS("srrip", "inclusive", "1"),
	TWO_LEVELS("random", "inclusive", "1"),
	TWO_LEVELS("bit-plru", "inclusive", "1"),
	TWO_LEVELS("lru", "inclusive", "1")
	"tlb level=1 page=4K entries=3 ways=full policy=nru\nwalk cost=30\n",
	TWO_LEVELS("random", "inclusive", "1")
	"tlb level=1 page=4K entries=1 ways=full policy=random\n"
	"walk cost=30\n",
	TWO_LEVELS("nru", "inclusive", "1")
	"prefetch kind=stride into=l1d\nprefetch kind=next into=l2\n",
};

/* A small ring on one CPU, a large one on another. */
struct pair {
	struct mp_sim_machine machine;
	struct mp_sim_cores cores;
	struct mp_sim_ring ring[2];
	uint32_t *order[2];
};

static void lay(struct pair *pair, uint32_t i, uint64_t bytes)
{
	const struct mp_ring shape = {
		.length_bytes = bytes,
		.stride_bytes = 64,
	};
	const uint32_t slots = mp_ring_slots(&shape);
	struct mp_rng rng;

	pair->order[i] = malloc(slots * sizeof(*pair->order[i]));
	assert_non_null(pair->order[i]);
	mp_rng_seed(&rng, ORDER_SEED + i);
	mp_perm_order(pair->order[i], slots, 0, &rng);
	mp_sim_ring_lay(&pair->ring[i], &pair->cores, &pair->cores.memory[i],
			&shape, pair->cores.place[i].base, pair->order[i]);
	pair->ring[i].in_turn = true;
}

static void made_pair(struct pair *pair, const char *text, uint64_t bytes)
{
	const struct mp_sim_want want = {
		.n_arenas = 2,
		.bytes = { bytes, 80 * KIB },
		.n_cpus = 2,
		.cpu = { 0, 1 },
		.seed = SEED,
	};

	made_machine(&pair->machine, text);
	assert_int_equal(mp_sim_cores_init(&pair->cores, &pair->machine,
					   &want), 0);
	lay(pair, 0, bytes);
	lay(pair, 1, 80 * KIB);
}

static void pair_free(struct pair *pair)
{
	for (uint32_t i = 0; i < 2; i++) {
		mp_sim_ring_free(&pair->ring[i]);
		free(pair->order[i]);
	}
	mp_sim_cores_free(&pair->cores);
	mp_sim_machine_free(&pair->machine);
}

static bool is_home(const struct pair *pair)
{
	return pair->ring[0].phase == MP_SIM_STEADY;
}

static void unsettle(struct pair *pair)
{
	mp_sim_ring_unsettle(&pair->ring[0]);
	mp_sim_ring_unsettle(&pair->ring[1]);
}

/* Return: chunks at whose ends the small ring was summed up. */
static uint32_t assert_same(const char *text, uint64_t bytes)
{
	struct pair quick, slow;
	uint32_t home = 0;
	struct mp_rng rng;

	made_pair(&quick, text, bytes);
	made_pair(&slow, text, bytes);
	slow.ring[0].home_hops = NEVER;
	slow.ring[1].home_hops = NEVER;
	mp_rng_seed(&rng, bytes);
	for (uint32_t i = 0; i < CHUNKS; i++) {
		const uint32_t which = mp_rng_below(&rng, 8) == 0;
		const uint64_t hops = mp_rng_below(&rng, 40);

		if (i == CHUNKS / 2) {
			mp_sim_cores_limit(&quick.cores, 0, 0.5);
			mp_sim_cores_limit(&slow.cores, 0, 0.5);
		}
		if (i == CHUNKS / 3)
			mp_sim_memory_flush(&quick.cores.memory[1], 0);
		if (i == CHUNKS / 3)
			mp_sim_memory_flush(&slow.cores.memory[1], 0);
		assert_true(mp_sim_ring_hops(&quick.ring[which], hops) ==
			    mp_sim_ring_hops(&slow.ring[which], hops));
		home += is_home(&quick);
		assert_false(is_home(&slow));
	}
	unsettle(&quick);
	unsettle(&slow);
	assert_memory_equal(quick.cores.state, slow.cores.state,
			    quick.cores.state_bytes);
	pair_free(&quick);
	pair_free(&slow);
	return home;
}

static void turns_at_home_cost_what_they_would(void **state)
{
	static const uint64_t sizes[] = { 64, 2 * KIB, 8 * KIB, 12 * KIB,
					  16 * KIB, 24 * KIB };

	(void)state;
	for (size_t k = 0; k < COUNT(sizes); k++) {
		for (size_t i = 0; i < COUNT(calm); i++)
			assert_same(calm[i], sizes[k]);
		for (size_t i = 0; i < COUNT(disturbed); i++)
			assert_same(disturbed[i], sizes[k]);
	}
}

static void what_fits_the_first_level_is_at_home(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(calm); i++)
		assert_true(assert_same(calm[i], 1 * KIB) > CHUNKS / 2);
}

static void who_is_disturbed_is_at_home_in_between(void **state)
{
	uint32_t home;

	(void)state;
	for (size_t i = 0; i < COUNT(disturbed) - 2; i++) {
		home = assert_same(disturbed[i], 1 * KIB);
		assert_in_range(home, 1, CHUNKS - CHUNKS / 8);
	}
}

static void what_does_not_fit_or_is_shared_is_not(void **state)
{
	(void)state;
	assert_int_equal(assert_same(calm[0], 24 * KIB), 0);
	assert_int_equal(assert_same(TWO_LEVELS("lru", "non-inclusive", "2"),
				     1 * KIB), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns_at_home_cost_what_they_would),
		cmocka_unit_test(what_fits_the_first_level_is_at_home),
		cmocka_unit_test(who_is_disturbed_is_at_home_in_between),
		cmocka_unit_test(what_does_not_fit_or_is_shared_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
