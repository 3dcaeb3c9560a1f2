// SPDX-License-Identifier: GPL-2.0
/*
 * Replacement in one set of four ways, worked out by hand from the rules of
 * each policy.
 */
#include "backend/sim_policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "backend/sim_machine.h"

#define WAYS 4u

/* Fill every way in order, as an empty set is. */
static struct mp_sim_order filled(uint32_t policy)
{
	struct mp_sim_order order = { 0 };

	for (uint32_t way = 0; way < WAYS; way++)
		mp_sim_policy_fill(policy, &order, WAYS, WAYS, way);
	return order;
}

/* The way that makes room, which is filled again at once. */
static uint32_t replace(uint32_t policy, struct mp_sim_order *order)
{
	uint32_t way = mp_sim_policy_victim(policy, order, WAYS, WAYS, NULL);

	mp_sim_policy_fill(policy, order, WAYS, WAYS, way);
	return way;
}

static void use(uint32_t policy, struct mp_sim_order *order, uint32_t way)
{
	mp_sim_policy_hit(policy, order, WAYS, WAYS, way);
}

static void a_tree_takes_turns_between_its_halves(void **state)
{
	struct mp_sim_order order = filled(MP_SIM_TREE_PLRU);

	(void)state;
	/*
	 * After 0 1 2 3 every node points left: way 0. Its fill turns the
	 * root right, where the node points left: way 2. Then 1, then 3.
	 */
	assert_int_equal(replace(MP_SIM_TREE_PLRU, &order), 0);
	assert_int_equal(replace(MP_SIM_TREE_PLRU, &order), 2);
	assert_int_equal(replace(MP_SIM_TREE_PLRU, &order), 1);
	assert_int_equal(replace(MP_SIM_TREE_PLRU, &order), 3);
	assert_int_equal(replace(MP_SIM_TREE_PLRU, &order), 0);
}

static void a_tree_spares_the_half_that_was_used(void **state)
{
	struct mp_sim_order order = filled(MP_SIM_TREE_PLRU);

	(void)state;
	use(MP_SIM_TREE_PLRU, &order, 0);
	/* The right half, although way 1 is older than both of it. */
	assert_int_equal(replace(MP_SIM_TREE_PLRU, &order), 2);
	use(MP_SIM_TREE_PLRU, &order, 3);
	assert_int_equal(replace(MP_SIM_TREE_PLRU, &order), 1);
}

static void bit_plru_forgets_when_the_last_bit_is_set(void **state)
{
	struct mp_sim_order order = filled(MP_SIM_BIT_PLRU);

	(void)state;
	/* Filling way 3 set the last bit, so only it is left: 0001. */
	assert_int_equal(replace(MP_SIM_BIT_PLRU, &order), 0);
	assert_int_equal(replace(MP_SIM_BIT_PLRU, &order), 1);
	/* Filling way 2 sets the last one again: only way 2 is left. */
	assert_int_equal(replace(MP_SIM_BIT_PLRU, &order), 2);
	assert_int_equal(replace(MP_SIM_BIT_PLRU, &order), 0);
	use(MP_SIM_BIT_PLRU, &order, 1);
	assert_int_equal(replace(MP_SIM_BIT_PLRU, &order), 3);
}

static void nru_forgets_when_a_victim_is_looked_for(void **state)
{
	struct mp_sim_order order = filled(MP_SIM_NRU);

	(void)state;
	/* All four bits are set: they are cleared, and way 0 goes. */
	assert_int_equal(replace(MP_SIM_NRU, &order), 0);
	assert_int_equal(replace(MP_SIM_NRU, &order), 1);
	use(MP_SIM_NRU, &order, 2);
	assert_int_equal(replace(MP_SIM_NRU, &order), 3);
	/* The last fill set the last bit, which stays until this search. */
	assert_int_equal(replace(MP_SIM_NRU, &order), 0);
}

static void srrip_keeps_what_was_hit(void **state)
{
	struct mp_sim_order order = filled(MP_SIM_SRRIP);

	(void)state;
	/* 2 2 2 2, way 1 hit: 2 0 2 2. Nobody has 3, so all grow: 3 1 3 3. */
	use(MP_SIM_SRRIP, &order, 1);
	assert_int_equal(replace(MP_SIM_SRRIP, &order), 0);
	/* 2 1 3 3 */
	assert_int_equal(replace(MP_SIM_SRRIP, &order), 2);
	assert_int_equal(replace(MP_SIM_SRRIP, &order), 3);
	/* 2 1 2 2 grows to 3 2 3 3 */
	assert_int_equal(replace(MP_SIM_SRRIP, &order), 0);
	assert_int_equal(replace(MP_SIM_SRRIP, &order), 2);
	assert_int_equal(replace(MP_SIM_SRRIP, &order), 3);
	/* 2 2 2 2 grows to 3 3 3 3: at last it is the turn of way 1. */
	assert_int_equal(replace(MP_SIM_SRRIP, &order), 0);
	assert_int_equal(replace(MP_SIM_SRRIP, &order), 1);
}

static void random_takes_every_way_about_as_often(void **state)
{
	struct mp_sim_order order = { 0 };
	uint32_t taken[WAYS] = { 0 };
	struct mp_rng rng;

	(void)state;
	mp_rng_seed(&rng, 1);
	for (uint32_t i = 0; i < 4000; i++)
		taken[mp_sim_policy_victim(MP_SIM_RANDOM, &order, WAYS, WAYS,
					   &rng)]++;
	/* Five standard deviations of a binomial(4000, 1/4) are 137. */
	for (uint32_t way = 0; way < WAYS; way++)
		assert_in_range(taken[way], 1000 - 137, 1000 + 137);
}

static void a_victim_lies_in_the_room_that_is_left(void **state)
{
	struct mp_sim_order order;
	struct mp_rng rng;
	uint32_t way;

	(void)state;
	mp_rng_seed(&rng, 2);
	for (uint32_t policy = MP_SIM_RANDOM; policy < MP_SIM_QLRU; policy++) {
		for (uint32_t i = 0; i < 20000; i++) {
			const uint32_t room = i % 64 + 1;

			order.a = mp_rng_next(&rng);
			order.b = mp_rng_next(&rng);
			way = mp_sim_policy_victim(policy, &order, 64, room,
						   &rng);
			assert_true(way < room);
		}
	}
}

static void sixty_four_ways_fit_a_word(void **state)
{
	struct mp_sim_order order = { 0 };

	(void)state;
	for (uint32_t way = 0; way < 64; way++)
		mp_sim_policy_fill(MP_SIM_TREE_PLRU, &order, 64, 64, way);
	assert_int_equal(mp_sim_policy_victim(MP_SIM_TREE_PLRU, &order, 64, 64,
					      NULL), 0);
	order.a = 0;
	for (uint32_t way = 0; way < 64; way++)
		mp_sim_policy_fill(MP_SIM_BIT_PLRU, &order, 64, 64, way);
	assert_true(order.a == 1ull << 63);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree_takes_turns_between_its_halves),
		cmocka_unit_test(a_tree_spares_the_half_that_was_used),
		cmocka_unit_test(bit_plru_forgets_when_the_last_bit_is_set),
		cmocka_unit_test(nru_forgets_when_a_victim_is_looked_for),
		cmocka_unit_test(srrip_keeps_what_was_hit),
		cmocka_unit_test(random_takes_every_way_about_as_often),
		cmocka_unit_test(a_victim_lies_in_the_room_that_is_left),
		cmocka_unit_test(sixty_four_ways_fit_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
