// SPDX-License-Identifier: GPL-2.0
/*
 * Policies that stay in place, against models that are written straight from
 * their definitions: a number a way, and a loop for each sentence. Sets below
 * and above the 64 ways whose bits fit a word.
 */
#include "backend/sim_qlru.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "backend/sim_cache.h"
#include "backend/sim_machine.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define WAYS_MAX 1536u
#define LINE 64u
#define ACCESSES 6000u

/*
 * @line: of each way, 0 = empty
 * @mark: age, value or bit of each way; of each node of a tree
 */
struct model {
	uint32_t policy;
	struct mp_sim_qlru qlru;
	uint32_t ways;
	uint32_t line[WAYS_MAX];
	uint32_t mark[2 * WAYS_MAX];
};

static int way_of(const struct model *model, uint32_t line)
{
	for (uint32_t way = 0; way < model->ways; way++) {
		if (model->line[way] == line)
			return (int)way;
	}
	return -1;
}

static int marked(const struct model *model, uint32_t mark)
{
	for (uint32_t way = 0; way < model->ways; way++) {
		if (model->mark[way] == mark)
			return (int)way;
	}
	return -1;
}

/* Nothing happens while anything has age 3, an empty way included. */
static void qlru_grow(struct model *model, int used)
{
	const bool others = model->qlru.update == 1 || model->qlru.update == 3;
	uint32_t oldest = 0;

	if (marked(model, 3) >= 0)
		return;
	for (uint32_t way = 0; way < model->ways; way++) {
		if (others && (int)way == used)
			continue;
		if (model->mark[way] > oldest)
			oldest = model->mark[way];
	}
	for (uint32_t way = 0; way < model->ways; way++) {
		if (others && (int)way == used)
			continue;
		model->mark[way] += model->qlru.update >= 2 ? 1 : 3 - oldest;
	}
}

static uint32_t qlru_place(const struct model *model)
{
	int way = way_of(model, 0);

	if (way >= 0 && model->qlru.victim == 2) {
		for (way = (int)model->ways - 1; model->line[way]; way--)
			;
	}
	if (way < 0)
		way = marked(model, 3);
	return way < 0 ? 0 : (uint32_t)way;
}

static bool qlru_access(struct model *model, uint32_t line)
{
	int way = way_of(model, line);
	const bool hit = way >= 0;

	if (!hit && model->qlru.on_miss)
		qlru_grow(model, -1);
	if (hit) {
		model->mark[way] = model->mark[way] == 3 ?
			model->qlru.hit_oldest : model->mark[way] == 2 ?
			model->qlru.hit_older : 0;
	} else {
		way = (int)qlru_place(model);
		model->line[way] = line;
		model->mark[way] = model->qlru.fill;
	}
	if (!model->qlru.on_miss)
		qlru_grow(model, way);
	return hit;
}

/* Away from the way, in the half of each half that it lies in. */
static void tree_turn(struct model *model, uint32_t way)
{
	uint32_t node = 1, low = 0;

	for (uint32_t span = model->ways / 2; span; span /= 2) {
		const bool right = way >= low + span;

		model->mark[node] = !right;
		low += right ? span : 0;
		node = 2 * node + right;
	}
}

static uint32_t tree_look(const struct model *model)
{
	uint32_t node = 1, low = 0;

	for (uint32_t span = model->ways / 2; span; span /= 2) {
		const bool right = model->mark[node];

		low += right ? span : 0;
		node = 2 * node + right;
	}
	return low;
}

static uint32_t other_victim(struct model *model)
{
	int way;

	if (model->policy == MP_SIM_TREE_PLRU)
		return tree_look(model);
	if (model->policy == MP_SIM_SRRIP) {
		while ((way = marked(model, 3)) < 0) {
			for (uint32_t i = 0; i < model->ways; i++)
				model->mark[i]++;
		}
		return (uint32_t)way;
	}
	if (marked(model, 0) < 0)
		memset(model->mark, 0, sizeof(model->mark));
	return (uint32_t)marked(model, 0);
}

static void other_use(struct model *model, uint32_t way, bool hit)
{
	switch (model->policy) {
	case MP_SIM_TREE_PLRU:
		tree_turn(model, way);
		return;
	case MP_SIM_SRRIP:
		model->mark[way] = hit ? 0 : 2;
		return;
	default:
		model->mark[way] = 1;
		if (model->policy == MP_SIM_NRU || marked(model, 0) >= 0)
			return;
		memset(model->mark, 0, sizeof(model->mark));
		model->mark[way] = 1;
	}
}

static bool access_model(struct model *model, uint32_t line)
{
	int way = way_of(model, line);
	const bool hit = way >= 0;

	if (model->policy == MP_SIM_QLRU)
		return qlru_access(model, line);
	if (!hit)
		way = way_of(model, 0);
	if (way < 0)
		way = (int)other_victim(model);
	model->line[way] = line;
	other_use(model, (uint32_t)way, hit);
	return hit;
}

/* Only quad-age LRU forgets what a line was that is taken out. */
static bool take_model(struct model *model, uint32_t line)
{
	const int way = way_of(model, line);

	if (way < 0)
		return false;
	model->line[way] = 0;
	if (model->policy == MP_SIM_QLRU)
		model->mark[way] = 3;
	return true;
}

static void compare(struct mp_sim_cache *cache, struct model *model,
		    const char *name, bool takes)
{
	struct mp_rng rng;

	mp_rng_seed(&rng, model->ways);
	for (uint32_t i = 0; i < ACCESSES; i++) {
		const uint32_t span = model->ways + (i / 64 % 4) *
				      (model->ways / 4 + 1);
		const uint32_t line = 1 + (uint32_t)mp_rng_below(&rng, span);
		const uint64_t at = (line - 1ull) * LINE;
		const bool take = takes && mp_rng_below(&rng, 16) == 0;
		bool was, is;

		was = take ? take_model(model, line) :
			     access_model(model, line);
		is = take ? mp_sim_cache_take(cache, 0, at) :
			    mp_sim_cache_touch(cache, 0, at);
		if (was != is)
			fail_msg("%s of %u ways: access %u to line %u: %d, "
				 "not %d", name, model->ways, i, line, is, was);
	}
}

static void assert_like_model(uint32_t policy, const char *name, uint32_t ways,
			      bool takes)
{
	struct mp_sim_shape shape = {
		.lines = ways, .ways = ways, .slices = 1,
		.line_bytes = LINE, .sector_bytes = LINE, .policy = policy,
	};
	struct model *model = calloc(1, sizeof(*model));
	struct mp_sim_cache cache;
	struct mp_rng rng;
	size_t bytes;
	void *state;

	assert_non_null(model);
	model->policy = policy;
	model->ways = ways;
	if (policy == MP_SIM_QLRU) {
		assert_true(mp_sim_qlru_parse(name, &shape.qlru));
		model->qlru = shape.qlru;
		for (uint32_t way = 0; way < ways; way++)
			model->mark[way] = 3;
	}
	assert_int_equal(mp_sim_cache_init(&cache, &shape, 1 << 20), 0);
	bytes = mp_sim_cache_bytes(&cache);
	state = aligned_alloc(64, bytes);
	assert_non_null(state);
	memset(state, 0, bytes);
	mp_rng_seed(&rng, 1);
	mp_sim_cache_attach(&cache, state, &rng);
	compare(&cache, model, name, takes);
	free(state);
	free(model);
}

static const char *const hits[] = { "h00", "h10", "h11", "h20", "h21" };

static void each_qlru(void (*see)(const char *name))
{
	char name[40];

	for (uint32_t i = 0; i < COUNT(hits) * 4 * 3 * 4 * 2; i++) {
		snprintf(name, sizeof(name), "qlru_%s_m%u_r%u_u%u%s",
			 hits[i % COUNT(hits)], i / 5 % 4, i / 20 % 3,
			 i / 60 % 4, i / 240 ? "_umo" : "");
		see(name);
	}
}

static void see_narrow(const char *name)
{
	static const uint32_t ways[] = { 1, 2, 4, 8, 12, 16, 64 };

	for (size_t i = 0; i < COUNT(ways); i++)
		assert_like_model(MP_SIM_QLRU, name, ways[i], true);
}

static void see_wide(const char *name)
{
	assert_like_model(MP_SIM_QLRU, name, 72, true);
}

static void all_of_the_family_are_what_their_names_say(void **state)
{
	(void)state;
	each_qlru(see_narrow);
}

static void the_family_is_the_same_above_64_ways(void **state)
{
	(void)state;
	each_qlru(see_wide);
	assert_like_model(MP_SIM_QLRU, "qlru_h11_m1_r0_u0", WAYS_MAX, true);
	assert_like_model(MP_SIM_QLRU, "qlru_h00_m2_r0_u0_umo", WAYS_MAX,
			  false);
}

static void other_policies_are_the_same_above_64_ways(void **state)
{
	static const uint32_t ways[] = { 4, 8, 16, 64, 128, 1024 };

	(void)state;
	for (size_t i = 0; i < COUNT(ways); i++) {
		assert_like_model(MP_SIM_TREE_PLRU, "tree", ways[i], true);
		assert_like_model(MP_SIM_BIT_PLRU, "bit", ways[i], false);
		assert_like_model(MP_SIM_NRU, "nru", ways[i], false);
		assert_like_model(MP_SIM_SRRIP, "srrip", ways[i], true);
	}
	assert_like_model(MP_SIM_BIT_PLRU, "bit", 72, false);
	assert_like_model(MP_SIM_NRU, "nru", WAYS_MAX, false);
	assert_like_model(MP_SIM_SRRIP, "srrip", 72, true);
}

static void srrip_is_one_of_the_family(void **state)
{
	static const char name[] = "qlru_h00_m2_r0_u0_umo";
	struct mp_sim_qlru qlru;

	(void)state;
	/* Its values are ages: 2 when filled, 0 when hit, all grow on a miss. */
	assert_true(mp_sim_qlru_parse(name, &qlru));
	assert_int_equal(qlru.fill, 2);
	assert_int_equal(mp_sim_qlru_hit_age(&qlru, 3), 0);
	assert_int_equal(mp_sim_qlru_hit_age(&qlru, 2), 0);
	assert_true(qlru.on_miss);
}

static void one_fill_in_so_many_is_young(void **state)
{
	struct mp_sim_qlru qlru;
	uint32_t young = 0;
	struct mp_rng rng;

	(void)state;
	assert_true(mp_sim_qlru_parse("qlru_h00_mr16_r1_u2", &qlru));
	mp_rng_seed(&rng, 1);
	for (uint32_t i = 0; i < 16000; i++) {
		const uint32_t age = mp_sim_qlru_fill_age(&qlru, &rng);

		assert_true(age == 1 || age == 3);
		young += age == 1;
	}
	/* Five standard deviations of a binomial(16000, 1/16) are 153. */
	assert_in_range(young, 1000 - 153, 1000 + 153);
}

static void names_are_read_as_a_whole(void **state)
{
	static const char *const wrong[] = {
		"qlru", "qlru_h31_m1_r0_u0", "qlru_h12_m1_r0_u0",
		"qlru_h11_m4_r0_u0", "qlru_h11_m1_r3_u0", "qlru_h11_m1_r0_u4",
		"qlru_h11_m1_r0_u0_um", "qlru_h11_m1_r0_u0_umox",
		"qlru_h11_mr_r0_u0", "qlru_h11_mr0_r0_u0",
		"qlru_h11_mr9999999_r0_u0", "QLRU_H11_M1_R0_U0",
	};
	struct mp_sim_qlru qlru;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_false(mp_sim_qlru_parse(wrong[i], NULL));
	assert_true(mp_sim_qlru_parse("qlru_h21_m3_r2_u1_umo", &qlru));
	assert_int_equal(qlru.hit_oldest, 2);
	assert_int_equal(qlru.hit_older, 1);
	assert_int_equal(qlru.fill, 3);
	assert_int_equal(qlru.victim, 2);
	assert_int_equal(qlru.update, 1);
	assert_true(qlru.on_miss);
	assert_int_equal(qlru.odds, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_the_family_are_what_their_names_say),
		cmocka_unit_test(the_family_is_the_same_above_64_ways),
		cmocka_unit_test(other_policies_are_the_same_above_64_ways),
		cmocka_unit_test(srrip_is_one_of_the_family),
		cmocka_unit_test(one_fill_in_so_many_is_young),
		cmocka_unit_test(names_are_read_as_a_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
