// SPDX-License-Identifier: GPL-2.0
/* Random machines of the zoo: all of them but their levels. */
#include "zoo_machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "zoo_dice.h"
#include "zoo_level.h"

#define RAM_BYTES (16ull << 30)
#define REDRAWS_MAX 64u
/* Memory lies so much further out than the last level at least. */
#define MEMORY_STEP_MIN 1.6
#define MEMORY_CYCLES_MIN 120.0
#define MEMORY_CYCLES_MAX 500.0

static const struct zoo_pick level_counts[] = {
	{ 1, 8 }, { 2, 27 }, { 3, 50 }, { 4, 15 },
};
static const struct zoo_pick cpu_counts[] = {
	{ 1, 35 }, { 2, 30 }, { 3, 5 }, { 4, 30 },
};
static const struct zoo_pick first_entries[] = {
	{ 10, 4 }, { 16, 8 }, { 32, 15 }, { 48, 15 }, { 64, 30 }, { 72, 8 },
	{ 96, 10 }, { 128, 10 },
};
static const struct zoo_pick second_sets[] = {
	{ 32, 10 }, { 64, 20 }, { 128, 40 }, { 192, 10 }, { 256, 20 },
};
static const struct zoo_pick second_ways[] = {
	{ 4, 25 }, { 6, 15 }, { 8, 35 }, { 12, 15 }, { 16, 10 },
};
static const struct zoo_pick huge_entries[] = {
	{ 4, 10 }, { 8, 15 }, { 16, 20 }, { 32, 40 }, { 64, 15 },
};
/* Most counters tick as fast as the core; some at a fixed slower rate. */
static const struct zoo_pick tick_rates[] = {
	{ 24, 1 }, { 100, 2 }, { 1000, 3 }, { 0, 94 },
};
static const char *const kinds[] = { "adjacent", "next", "stride", "stream" };

static void draw_general(struct zoo_draw *draw)
{
	struct mp_rng rng = zoo_dice(draw->wish->seed, draw->index,
				     ZOO_GENERAL);
	struct mp_sim_general *general = &draw->machine->general;
	uint32_t levels;

	snprintf(general->name, sizeof(general->name), "zoo-%llu-%llu",
		 (unsigned long long)draw->wish->seed,
		 (unsigned long long)draw->index);
	general->ram_bytes = RAM_BYTES;
	general->cpus = ZOO_PICK(&rng, cpu_counts);
	general->clock_mhz = 50 * zoo_between(&rng, 16, 110);
	levels = ZOO_PICK(&rng, level_counts);
	for (uint32_t k = 0; k < levels; k++) {
		if (!zoo_level_draw(draw, levels - 1 - k))
			break;
	}
}

/* CPUs share outer levels, never fewer than share those inside. */
static void draw_shares(struct zoo_draw *draw, struct mp_rng *rng)
{
	struct mp_sim_machine *machine = draw->machine;
	uint32_t shared = 1;

	for (uint32_t k = 1; k < machine->n_levels; k++) {
		if (k + 1 == machine->n_levels ? zoo_chance(rng, 60) :
						 zoo_chance(rng, 20))
			shared = zoo_between(rng, shared,
					     machine->general.cpus);
		machine->level[k].shared = shared;
	}
}

static void draw_memory(struct zoo_draw *draw, struct mp_rng *rng)
{
	struct mp_sim_machine *machine = draw->machine;
	const double last =
		machine->level[machine->n_levels - 1].latency_cycles;
	const double low = fmax(MEMORY_CYCLES_MIN, MEMORY_STEP_MIN * last);

	machine->general.memory_latency_cycles = (uint32_t)ceil(
		zoo_log_between(rng, low, fmax(MEMORY_CYCLES_MAX, 2 * low)));
}

static void add_tlb(struct zoo_draw *draw, struct mp_rng *policy,
		    const struct mp_sim_tlb_level *like)
{
	struct mp_sim_machine *machine = draw->machine;
	struct mp_sim_tlb_level *tlb = &machine->tlb[machine->n_tlbs++];

	*tlb = *like;
	tlb->policy = (struct mp_sim_named){ MP_SIM_LRU, "lru" };
	for (uint32_t i = 0; i < REDRAWS_MAX && zoo_chance(policy, 35); i++) {
		zoo_policy_draw(policy, tlb->ways, &tlb->policy);
		if (!zoo_refused(draw))
			return;
		tlb->policy = (struct mp_sim_named){ MP_SIM_LRU, "lru" };
	}
}

/* Sets that divide the entries, up to sixteen of them; or one. */
static uint32_t draw_tlb_ways(struct mp_rng *rng, uint32_t entries)
{
	uint32_t sets = 1u << zoo_between(rng, 0, 4);

	while (entries % sets)
		sets /= 2;
	return zoo_chance(rng, 45) ? entries : entries / sets;
}

static void draw_translation(struct zoo_draw *draw)
{
	struct mp_rng rng = zoo_dice(draw->wish->seed, draw->index, ZOO_TLB);
	struct mp_rng policy = zoo_dice(draw->wish->seed, draw->index,
					ZOO_TLB_POLICY);
	struct mp_sim_machine *machine = draw->machine;
	struct mp_sim_tlb_level tlb = { .level = 1, .page = MP_SIM_PAGE_4K };
	const uint32_t cost = zoo_between(&rng, 4, 14);
	const bool second = zoo_chance(&rng, 75), huge = zoo_chance(&rng, 65);

	if (zoo_chance(&rng, 12))
		return;
	tlb.entries = ZOO_PICK(&rng, first_entries);
	tlb.ways = draw_tlb_ways(&rng, tlb.entries);
	add_tlb(draw, &policy, &tlb);
	if (huge) {
		tlb.page = MP_SIM_PAGE_2M;
		tlb.entries = ZOO_PICK(&rng, huge_entries);
		tlb.ways = draw_tlb_ways(&rng, tlb.entries);
		add_tlb(draw, &policy, &tlb);
	}
	tlb.level = 2;
	tlb.cost_cycles = cost;
	if (second) {
		tlb.page = MP_SIM_PAGE_4K;
		tlb.ways = ZOO_PICK(&rng, second_ways);
		tlb.entries = tlb.ways * ZOO_PICK(&rng, second_sets);
		add_tlb(draw, &policy, &tlb);
	}
	if (second && huge && zoo_chance(&rng, 70)) {
		tlb.page = MP_SIM_PAGE_2M;
		if (zoo_chance(&rng, 30)) {
			tlb.ways = 8;
			tlb.entries = 128;
		}
		add_tlb(draw, &policy, &tlb);
	}
	machine->n_walks = 1;
	machine->walk[0].page = MP_SIM_PAGE_ALL;
	machine->walk[0].cost_cycles = 2 * cost + zoo_between(&rng, 4, 40);
}

static void draw_prefetchers(struct zoo_draw *draw)
{
	struct mp_rng rng = zoo_dice(draw->wish->seed, draw->index,
				     ZOO_PREFETCH);
	struct mp_sim_machine *machine = draw->machine;

	if (zoo_chance(&rng, 50))
		return;
	for (uint32_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct mp_sim_prefetch *one =
			&machine->prefetch[machine->n_prefetchers];
		const uint32_t into = zoo_between(&rng, 0, 1);
		const bool can_switch = zoo_chance(&rng, 80);

		if (!zoo_chance(&rng, 40))
			continue;
		memset(one, 0, sizeof(*one));
		one->kind.index = i;
		snprintf(one->kind.text, sizeof(one->kind.text), "%s",
			 kinds[i]);
		one->into = into < machine->n_levels ? into : 0;
		one->can_switch = can_switch;
		machine->n_prefetchers++;
		if (zoo_refused(draw))
			machine->n_prefetchers--;
	}
}

static void draw_conditions(struct zoo_draw *draw)
{
	struct mp_rng place = zoo_dice(draw->wish->seed, draw->index,
				       ZOO_PLACE);
	struct mp_rng clock = zoo_dice(draw->wish->seed, draw->index,
				       ZOO_CLOCK);
	struct mp_rng noise = zoo_dice(draw->wish->seed, draw->index,
				       ZOO_NOISE);
	struct mp_sim_machine *machine = draw->machine;
	uint32_t rate;

	machine->pages.contiguous = zoo_chance(&place, 25);
	machine->pages.thp_refused = zoo_chance(&place, 35);
	machine->pages.huge_pages = zoo_chance(&place, 25) ?
				    zoo_between(&place, 8, 256) : 0;
	draw_shares(draw, &place);
	rate = ZOO_PICK(&clock, tick_rates);
	machine->ticks.tsc_mhz = rate ? rate :
				 100 * zoo_between(&clock, 18, 40);
	machine->ticks.step_ticks = 1;
	if (!rate && zoo_chance(&clock, 8))
		machine->ticks.step_ticks = zoo_between(&clock, 2, 40);
	machine->ticks.read_cycles = zoo_between(&clock, 10, 90);
	draw_memory(draw, &clock);
	machine->noise.unseen = zoo_chance(&noise, 25);
	zoo_noise_set(machine, draw->wish->noise);
}

uint32_t zoo_machine_draw(struct mp_sim_machine *machine,
			  const struct zoo_wish *wish, uint64_t index)
{
	struct zoo_draw draw = {
		.wish = wish, .index = index, .machine = machine,
	};

	memset(machine, 0, sizeof(*machine));
	draw_general(&draw);
	draw_translation(&draw);
	draw_prefetchers(&draw);
	draw_conditions(&draw);
	return draw.redraws;
}
