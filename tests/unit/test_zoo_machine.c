// SPDX-License-Identifier: GPL-2.0
/* Random machines of the zoo: the same for ever, sound, and of every kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "backend/sim_honour.h"
#include "tests/bench/zoo_expect.h"
#include "tests/bench/zoo_machine.h"

#define MACHINES 3000u

/* A simulator to come, which refuses nothing. */
static int honour_all(const struct mp_sim_machine *machine, const char *file,
		      char *why, size_t room)
{
	(void)machine;
	(void)file;
	(void)why;
	(void)room;
	return 0;
}

static int honour_no_prefetch(const struct mp_sim_machine *machine,
			      const char *file, char *why, size_t room)
{
	(void)file;
	(void)why;
	(void)room;
	return machine->n_prefetchers ? -1 : 0;
}

static const struct zoo_wish all = {
	.seed = 7, .noise = ZOO_NOISE_HIGH, .max_bytes = 256u << 20,
	.honour = honour_all,
};
static const struct zoo_wish today = {
	.seed = 7, .noise = ZOO_NOISE_DEFAULT, .max_bytes = 32u << 20,
};

static char *text_of(const struct zoo_wish *wish, uint64_t index)
{
	struct mp_sim_machine machine;
	char *text;

	zoo_machine_draw(&machine, wish, index);
	assert_int_equal(zoo_expect(&machine), 0);
	text = zoo_machine_text(&machine);
	assert_non_null(text);
	mp_sim_machine_free(&machine);
	return text;
}

static void the_same_seed_and_number_give_the_same_text(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 50; i++) {
		char *one = text_of(&all, i), *again = text_of(&all, i);

		assert_string_equal(one, again);
		free(one);
		free(again);
	}
}

static void another_seed_or_number_gives_another_machine(void **state)
{
	struct zoo_wish other = all;
	char *one = text_of(&all, 3), *next = text_of(&all, 4), *seeded;

	(void)state;
	other.seed++;
	seeded = text_of(&other, 3);
	assert_string_not_equal(strstr(one, "level "), strstr(next, "level "));
	assert_string_not_equal(strstr(one, "level "),
				strstr(seeded, "level "));
	free(one);
	free(next);
	free(seeded);
}

/* Text, machine, text: nothing is lost, and the parser's rules are kept. */
static void every_text_parses_and_prints_the_same_again(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < MACHINES; i++) {
		char *text = text_of(&all, i), *again, why[256] = "";
		struct mp_sim_machine machine;

		if (mp_sim_machine_parse(&machine, text, "zoo", why,
					 sizeof(why)))
			fail_msg("%s\n%s", why, text);
		again = zoo_machine_text(&machine);
		assert_string_equal(text, again);
		mp_sim_machine_free(&machine);
		free(again);
		free(text);
	}
}

static void every_machine_is_honoured_by_the_simulator_of_today(void **state)
{
	uint32_t redraws = 0;

	(void)state;
	for (uint64_t i = 0; i < MACHINES; i++) {
		struct mp_sim_machine machine;
		char why[256] = "";

		redraws += zoo_machine_draw(&machine, &today, i);
		if (mp_sim_honour(&machine, "zoo", why, sizeof(why)))
			fail_msg("%s", why);
		mp_sim_machine_free(&machine);
	}
	print_message("# %u features drawn again\n", redraws);
}

static void a_feature_that_is_refused_leaves_the_others_as_they_are(void **state)
{
	struct zoo_wish without = all;
	uint32_t redraws = 0;

	(void)state;
	without.honour = honour_no_prefetch;
	for (uint64_t i = 0; i < 200; i++) {
		struct mp_sim_machine one, other;

		zoo_machine_draw(&one, &all, i);
		redraws += zoo_machine_draw(&other, &without, i);
		assert_int_equal(other.n_prefetchers, 0);
		memcpy(other.prefetch, one.prefetch, sizeof(one.prefetch));
		other.n_prefetchers = one.n_prefetchers;
		assert_memory_equal(&one, &other, sizeof(one));
	}
	assert_true(redraws > 100);
}

static void noise_is_all_that_a_noise_level_changes(void **state)
{
	struct mp_sim_machine loud, quiet;
	struct zoo_wish wish = all;

	(void)state;
	wish.noise = ZOO_NOISE_NONE;
	zoo_machine_draw(&loud, &all, 11);
	zoo_machine_draw(&quiet, &wish, 11);
	assert_true(loud.noise.gaps > 0.079 && loud.noise.gaps < 0.081);
	assert_true(loud.noise.gap_us.high > 4999);
	assert_true(quiet.noise.gaps <= 0);
	quiet.noise = loud.noise;
	assert_memory_equal(&loud, &quiet, sizeof(loud));
}

/* What random machines have come to. */
struct seen {
	double ratio_min, ratio_max;
	double step_min;
	uint64_t size_min, size_max;
	bool ways[ZOO_WAYS_MAX + 1];
	bool line[512];
	bool levels[MP_SIM_LEVELS + 1];
	bool policy[MP_SIM_QLRU + 1];
	bool tlb_policy[MP_SIM_QLRU + 1];
	bool inclusion[MP_SIM_EXCLUSIVE + 1];
	bool prefetch[4];
	bool cpus[5];
	bool no_tlb, one_tlb, huge_tlb, no_huge_tlb, no_prefetch, fixed;
	bool sector, slices, odd_sets, factor_sets, shared, alone;
	bool contiguous, scattered, refused, granted, reserved, coarse, slow;
};

static void see_level(struct seen *seen, const struct mp_sim_machine *machine,
		      uint32_t k)
{
	const struct mp_sim_level *level = &machine->level[k];
	const uint64_t sets = mp_sim_machine_sets(level);

	assert_in_range(level->ways, 1, ZOO_WAYS_MAX);
	assert_in_range(level->line_bytes, 32, 256);
	seen->ways[level->ways] = true;
	seen->line[level->line_bytes] = true;
	seen->policy[level->policy.index] = true;
	seen->inclusion[level->inclusion] = true;
	seen->sector |= level->sector_bytes < level->line_bytes;
	seen->slices |= level->slices > 1;
	seen->odd_sets |= sets > 1 && sets % 2;
	seen->factor_sets |= sets % 2 == 0 && (sets & (sets - 1));
	seen->shared |= level->shared > 1;
	seen->alone |= machine->general.cpus > 1 && level->shared == 1;
	if (level->size_bytes < seen->size_min)
		seen->size_min = level->size_bytes;
	if (level->size_bytes > seen->size_max)
		seen->size_max = level->size_bytes;
	if (!k)
		return;
	{
		const struct mp_sim_level *inner = level - 1;
		const double ratio = (double)level->size_bytes /
				     (double)inner->size_bytes;
		const double step = (double)level->latency_cycles /
				    inner->latency_cycles;

		assert_true(level->line_bytes >= inner->line_bytes);
		assert_true(level->shared >= inner->shared);
		if (ratio < seen->ratio_min)
			seen->ratio_min = ratio;
		if (ratio > seen->ratio_max)
			seen->ratio_max = ratio;
		if (step < seen->step_min)
			seen->step_min = step;
	}
}

static void see(struct seen *seen, const struct mp_sim_machine *machine)
{
	const uint32_t last = machine->n_levels - 1;

	for (uint32_t k = 0; k <= last; k++)
		see_level(seen, machine, k);
	assert_true(machine->general.memory_latency_cycles >=
		    1.6 * machine->level[last].latency_cycles);
	seen->levels[machine->n_levels] = true;
	seen->cpus[machine->general.cpus] = true;
	seen->no_tlb |= !machine->n_tlbs;
	seen->one_tlb |= machine->n_tlbs == 1;
	for (uint32_t i = 0; i < machine->n_tlbs; i++)
		seen->tlb_policy[machine->tlb[i].policy.index] = true;
	seen->huge_tlb |= machine->n_tlbs > 1 &&
			  machine->tlb[1].page == MP_SIM_PAGE_2M;
	seen->no_huge_tlb |= machine->n_tlbs > 1 &&
			     machine->tlb[1].page == MP_SIM_PAGE_4K;
	seen->no_prefetch |= !machine->n_prefetchers;
	for (uint32_t i = 0; i < machine->n_prefetchers; i++) {
		seen->prefetch[machine->prefetch[i].kind.index] = true;
		seen->fixed |= !machine->prefetch[i].can_switch;
	}
	seen->contiguous |= machine->pages.contiguous;
	seen->scattered |= !machine->pages.contiguous;
	seen->refused |= machine->pages.thp_refused;
	seen->granted |= !machine->pages.thp_refused;
	seen->reserved |= machine->pages.huge_pages;
	seen->coarse |= machine->ticks.step_ticks > 26;
	seen->slow |= machine->ticks.tsc_mhz <= 24;
}

static void machines_reach_every_corner(void **state)
{
	struct seen seen = { .ratio_min = 99, .step_min = 99,
			     .size_min = UINT64_MAX };
	struct mp_sim_machine machine;

	(void)state;
	for (uint64_t i = 0; i < MACHINES; i++) {
		zoo_machine_draw(&machine, &all, i);
		see(&seen, &machine);
	}
	assert_true(seen.ratio_min >= 1.5 && seen.ratio_min < 1.501);
	assert_true(seen.ratio_max > 24);
	assert_true(seen.step_min >= 1.6 && seen.step_min < 1.8);
	assert_true(seen.size_min >= 8192 && seen.size_min < 10000);
	assert_true(seen.size_max <= 256u << 20 && seen.size_max > 240u << 20);
	for (uint32_t i = 1; i <= ZOO_WAYS_MAX; i++)
		assert_true(seen.ways[i]);
	for (uint32_t i = 32; i <= 256; i *= 2)
		assert_true(seen.line[i]);
	for (uint32_t i = 1; i <= MP_SIM_LEVELS; i++)
		assert_true(seen.levels[i] && seen.cpus[i]);
	for (uint32_t i = 0; i <= MP_SIM_QLRU; i++)
		assert_true(seen.policy[i] && seen.tlb_policy[i]);
	for (uint32_t i = 0; i <= MP_SIM_EXCLUSIVE; i++)
		assert_true(seen.inclusion[i]);
	for (uint32_t i = 0; i < 4; i++)
		assert_true(seen.prefetch[i]);
	assert_true(seen.no_tlb && seen.one_tlb && seen.huge_tlb &&
		    seen.no_huge_tlb && seen.no_prefetch && seen.fixed);
	assert_true(seen.sector && seen.slices && seen.odd_sets &&
		    seen.factor_sets && seen.shared && seen.alone);
	assert_true(seen.contiguous && seen.scattered && seen.refused &&
		    seen.granted && seen.reserved && seen.coarse && seen.slow);
}

static void no_level_is_larger_than_is_wished(void **state)
{
	struct zoo_wish small = all;
	struct mp_sim_machine machine;

	(void)state;
	small.max_bytes = 100000;
	for (uint64_t i = 0; i < 300; i++) {
		zoo_machine_draw(&machine, &small, i);
		assert_in_range(machine.n_levels, 1, MP_SIM_LEVELS);
		for (uint32_t k = 0; k < machine.n_levels; k++)
			assert_true(machine.level[k].size_bytes <= 100000);
	}
}

/* Each level has to hold more than those inside it together, or nothing of
 * it could be seen. */
static void every_level_reaches_further_than_those_inside(void **state)
{
	struct mp_sim_machine machine;

	(void)state;
	for (uint64_t i = 0; i < MACHINES; i++) {
		zoo_machine_draw(&machine, &all, i);
		for (uint32_t k = 1; k < machine.n_levels; k++)
			assert_true((double)machine.level[k].size_bytes >= 1.5 *
				    (double)zoo_reach_bytes(&machine, k - 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_seed_and_number_give_the_same_text),
		cmocka_unit_test(another_seed_or_number_gives_another_machine),
		cmocka_unit_test(every_text_parses_and_prints_the_same_again),
		cmocka_unit_test(
			every_machine_is_honoured_by_the_simulator_of_today),
		cmocka_unit_test(
			a_feature_that_is_refused_leaves_the_others_as_they_are),
		cmocka_unit_test(noise_is_all_that_a_noise_level_changes),
		cmocka_unit_test(machines_reach_every_corner),
		cmocka_unit_test(no_level_is_larger_than_is_wished),
		cmocka_unit_test(every_level_reaches_further_than_those_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
