// SPDX-License-Identifier: GPL-2.0
/*
 * One level of a random machine: a shape first, then what it does, each
 * feature from dice of its own.
 */
#include "zoo_level.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/sim_honour.h"
#include "zoo_dice.h"

#define L1_MAX_BYTES (192u << 10)
#define LINE_MAX_BYTES 256u
#define SECTOR_MIN_BYTES 32u
/* A level is up to so many times as large as those inside it. */
#define RATIO_MAX 32.0
/* What levels that follow are left at least: exclusive ones reach further
 * than they are large. */
#define ROOM_RATIO 2.0
/* Tries to find sets that fit, and to find a feature that is honoured. */
#define SHAPES_TRIED 64u
#define REDRAWS_MAX 64u
/* Latencies: of the first level, and the factors outwards. */
#define L1_CYCLES_MIN 3u
#define STEP_MIN 1.6

static const struct zoo_pick first_lines[] = {
	{ 64, 70 }, { 32, 14 }, { 128, 10 }, { 256, 6 },
};
static const struct zoo_pick line_growth[] = { { 1, 82 }, { 2, 13 }, { 4, 5 } };
static const struct zoo_pick usual_ways[] = {
	{ 1, 5 }, { 2, 6 }, { 4, 16 }, { 6, 4 }, { 8, 26 }, { 10, 4 },
	{ 11, 3 }, { 12, 12 }, { 16, 18 }, { 20, 4 }, { 32, 5 },
};
static const struct zoo_pick slice_counts[] = {
	{ 2, 30 }, { 4, 25 }, { 6, 10 }, { 8, 20 }, { 10, 10 }, { 3, 5 },
};
static const struct zoo_pick odd_factors[] = {
	{ 3, 40 }, { 5, 25 }, { 7, 10 }, { 9, 10 }, { 11, 8 }, { 13, 7 },
};
static const struct zoo_pick sector_parts[] = { { 1, 86 }, { 2, 10 }, { 4, 4 } };
static const struct zoo_pick inclusions[] = {
	{ MP_SIM_NON_INCLUSIVE, 55 }, { MP_SIM_INCLUSIVE, 23 },
	{ MP_SIM_EXCLUSIVE, 22 },
};
static const struct zoo_pick policies[] = {
	{ MP_SIM_LRU, 22 }, { MP_SIM_FIFO, 8 }, { MP_SIM_RANDOM, 10 },
	{ MP_SIM_TREE_PLRU, 18 }, { MP_SIM_BIT_PLRU, 10 }, { MP_SIM_NRU, 8 },
	{ MP_SIM_SRRIP, 10 }, { MP_SIM_QLRU, 14 },
};
static const char *const qlrus[] = {
	"qlru_h00_m1_r2_u1", "qlru_h11_m1_r0_u0", "qlru_h00_m1_r0_u1",
	"qlru_h11_m1_r1_u2", "qlru_h21_m2_r0_u0_umo",
};

/* How the number of sets is found from what would fit. */
enum sets { SETS_POWER, SETS_FACTOR, SETS_ANY };
static const struct zoo_pick set_kinds[] = {
	{ SETS_POWER, 60 }, { SETS_FACTOR, 32 }, { SETS_ANY, 8 },
};

static bool is_power_of_two(uint32_t value)
{
	return value && !(value & (value - 1));
}

bool zoo_refused(struct zoo_draw *draw)
{
	char why[256];
	bool refused;

	if (draw->wish->honour)
		refused = draw->wish->honour(draw->machine, "zoo", why,
					     sizeof(why)) != 0;
	else
		refused = mp_sim_honour(draw->machine, "zoo", why,
					sizeof(why)) != 0;
	draw->redraws += refused;
	return refused;
}

void zoo_policy_draw(struct mp_rng *rng, uint32_t ways,
		     struct mp_sim_named *policy)
{
	const uint32_t n = sizeof(qlrus) / sizeof(qlrus[0]);

	do
		policy->index = ZOO_PICK(rng, policies);
	while (policy->index == MP_SIM_TREE_PLRU && !is_power_of_two(ways));
	snprintf(policy->text, sizeof(policy->text), "%s",
		 policy->index == MP_SIM_QLRU ? qlrus[mp_rng_below(rng, n)] :
		 mp_sim_policy_names[policy->index]);
}

/* Bytes that levels up to @k hold together: an exclusive one adds to those
 * inside it, any other holds, or may hold, what they do. */
static double reach_of(const struct mp_sim_machine *machine, uint32_t k)
{
	double reach = 0;

	for (uint32_t i = 0; i <= k; i++) {
		const struct mp_sim_level *level = &machine->level[i];

		if (level->inclusion == MP_SIM_EXCLUSIVE)
			reach += (double)level->size_bytes;
		else
			reach = (double)level->size_bytes;
	}
	return reach;
}

static uint64_t draw_sets(struct mp_rng *rng, double sets)
{
	uint32_t factor;

	switch (ZOO_PICK(rng, set_kinds)) {
	case SETS_POWER:
		return sets < 1 ? 0 : 1ull << lround(log2(sets));
	case SETS_FACTOR:
		factor = ZOO_PICK(rng, odd_factors);
		return sets < factor ? 0 :
		       (uint64_t)factor << lround(log2(sets / factor));
	default:
		return (uint64_t)sets;
	}
}

static uint32_t draw_ways(struct mp_rng *rng)
{
	return zoo_chance(rng, 80) ? ZOO_PICK(rng, usual_ways) :
	       zoo_between(rng, 1, ZOO_WAYS_MAX);
}

/* Size, ways and slices, from @low to @high bytes. */
static bool draw_shape(struct mp_rng *rng, struct mp_sim_level *level,
		       double low, double high)
{
	const bool tight = level->name && zoo_chance(rng, 18);
	const double most = fmin(high, low * RATIO_MAX);

	for (uint32_t i = 0; i < SHAPES_TRIED; i++) {
		const double size = zoo_log_between(rng, low, most);
		uint64_t column, sets;

		level->ways = draw_ways(rng);
		level->slices = 1;
		if (level->name >= 2 && zoo_chance(rng, 40))
			level->slices = ZOO_PICK(rng, slice_counts);
		column = level->line_bytes * level->ways * level->slices;
		sets = tight ? (uint64_t)ceil(low / (double)column) :
			       draw_sets(rng, size / (double)column);
		level->size_bytes = sets * column;
		if ((double)level->size_bytes >= low &&
		    (double)level->size_bytes <= high)
			return true;
	}
	return false;
}

static void draw_latency(struct mp_rng *rng, struct mp_sim_level *level,
			 const struct mp_sim_level *inner)
{
	static const double step_max[MP_SIM_LEVELS] = { 0, 5, 4, 3 };
	double size = (double)level->size_bytes;

	if (!inner) {
		level->latency_cycles = L1_CYCLES_MIN + zoo_between(rng, 0, 1) +
			(size > 32 << 10) + (size > 64 << 10 ? 2 : 0);
		return;
	}
	level->latency_cycles = (uint32_t)ceil(inner->latency_cycles *
		zoo_log_between(rng, STEP_MIN, step_max[level->name]));
}

static void draw_sector(struct zoo_draw *draw, struct mp_sim_level *level,
			uint64_t least)
{
	struct mp_rng rng = zoo_dice(draw->wish->seed, draw->index, ZOO_SECTOR +
				     ZOO_PER_LEVEL * level->name);

	for (uint32_t i = 0; i < REDRAWS_MAX; i++) {
		const uint64_t sector = level->line_bytes /
					ZOO_PICK(&rng, sector_parts);

		if (sector < least)
			continue;
		level->sector_bytes = sector;
		if (!zoo_refused(draw))
			return;
	}
	level->sector_bytes = level->line_bytes;
}

static void draw_inclusion(struct zoo_draw *draw, struct mp_sim_level *level)
{
	struct mp_rng rng = zoo_dice(draw->wish->seed, draw->index,
				     ZOO_INCLUSION +
				     ZOO_PER_LEVEL * level->name);

	for (uint32_t i = 0; i < REDRAWS_MAX; i++) {
		level->inclusion = ZOO_PICK(&rng, inclusions);
		if (!zoo_refused(draw))
			return;
	}
	level->inclusion = MP_SIM_NON_INCLUSIVE;
}

static void draw_policy(struct zoo_draw *draw, struct mp_sim_level *level)
{
	struct mp_rng rng = zoo_dice(draw->wish->seed, draw->index, ZOO_POLICY +
				     ZOO_PER_LEVEL * level->name);

	for (uint32_t i = 0; i < REDRAWS_MAX; i++) {
		zoo_policy_draw(&rng, level->ways, &level->policy);
		if (!zoo_refused(draw))
			return;
	}
	level->policy = (struct mp_sim_named){ MP_SIM_LRU, "lru" };
}

/* Where the levels inside leave off, and what those behind need. */
static void bounds_of(const struct zoo_draw *draw, uint32_t k, uint32_t behind,
		      double *low, double *high)
{
	*low = k ? ZOO_RATIO_MIN * reach_of(draw->machine, k - 1) :
		   ZOO_SIZE_MIN_BYTES;
	*high = (double)draw->wish->max_bytes / pow(ROOM_RATIO, behind);
	if (!k && *high > L1_MAX_BYTES)
		*high = L1_MAX_BYTES;
}

bool zoo_level_draw(struct zoo_draw *draw, uint32_t behind)
{
	struct mp_sim_machine *machine = draw->machine;
	const uint32_t k = machine->n_levels;
	struct mp_sim_level *level = &machine->level[k];
	const struct mp_sim_level *inner = k ? level - 1 : NULL;
	struct mp_rng rng = zoo_dice(draw->wish->seed, draw->index,
				     ZOO_SHAPE + ZOO_PER_LEVEL * k);
	double low, high;

	memset(level, 0, sizeof(*level));
	level->name = k;
	level->line_bytes = inner ? inner->line_bytes *
			    ZOO_PICK(&rng, line_growth) :
			    ZOO_PICK(&rng, first_lines);
	if (level->line_bytes > LINE_MAX_BYTES)
		level->line_bytes = LINE_MAX_BYTES;
	bounds_of(draw, k, behind, &low, &high);
	if (low > high || !draw_shape(&rng, level, low, high))
		return false;
	draw_latency(&rng, level, inner);
	level->index = zoo_chance(&rng, 15) == !k ? MP_SIM_PHYSICAL :
						    MP_SIM_VIRTUAL;
	level->sector_bytes = level->line_bytes;
	level->policy = (struct mp_sim_named){ MP_SIM_LRU, "lru" };
	level->shared = 1;
	machine->n_levels++;
	draw_sector(draw, level, inner ? inner->line_bytes : SECTOR_MIN_BYTES);
	if (inner)
		draw_inclusion(draw, level);
	draw_policy(draw, level);
	return true;
}
