// SPDX-License-Identifier: GPL-2.0
/*
 * What a level does depends on no other, but for what comes to it: loads that
 * no level inside has served, and what the level inside it puts out where it
 * is exclusive. Nothing comes back. So the loads of a block go through each of
 * them in a row.
 */
#include "sim_apart.h"

#include <string.h>

#include "sim_many.h"

/**
 * struct flow - what comes to a level, in order
 * @n: how many
 * @which: loads of the block
 * @served: a level inside has had the line
 * @victim: key of what the level inside has put out for it, 0 = nothing
 */
struct flow {
	uint32_t n;
	uint8_t which[MP_SIM_BLOCK];
	bool served[MP_SIM_BLOCK];
	uint32_t victim[MP_SIM_BLOCK];
};

/* Loads as they come from inside go through a level that is not exclusive:
 * those that were served end before it. */
static void pass(struct mp_sim_memory *memory, uint32_t i,
		 const uint64_t *set, const uint64_t *virtual,
		 struct flow *flow)
{
	const bool is_asked = i + 1 < memory->n_levels &&
			      memory->inclusion[i + 1] == MP_SIM_EXCLUSIVE;
	uint32_t n = 0;

	for (uint32_t k = 0; k < flow->n; k++) {
		flow->which[n] = flow->which[k];
		n += !flow->served[k];
	}
	flow->n = mp_sim_many_touch(&memory->level[i], set, virtual,
				    flow->which, n, flow->which,
				    is_asked ? flow->victim : NULL);
	memset(flow->served, 0, flow->n);
}

/* Which sets of a level do lines belong to that the level inside puts out? */
static void look_up_victims(const struct mp_sim_memory *memory, uint32_t i,
			    const struct flow *flow, uint64_t *virtual,
			    uint64_t *set)
{
	const uint32_t shift = memory->level[i - 1].line_shift;
	uint64_t physical[MP_SIM_BLOCK];

	for (uint32_t k = 0; k < flow->n; k++) {
		const uint32_t key = flow->victim[k];

		/* Where there is none, of any line. */
		virtual[k] = (uint64_t)(key ? key - 1 : 0) << shift;
		physical[k] = mp_sim_place_physical(
			mp_sim_memory_place(memory, virtual[k]), virtual[k]);
	}
	mp_sim_cache_sets(&memory->level[i], virtual, physical, flow->n, set);
}

/* An exclusive level gives up what it has, and gets what is put out. */
static void exchange(struct mp_sim_memory *memory, uint32_t i,
		     const uint64_t *set, const uint64_t *virtual,
		     struct flow *flow)
{
	struct mp_sim_cache *level = &memory->level[i];
	uint64_t out[MP_SIM_BLOCK], out_set[MP_SIM_BLOCK];
	uint32_t n = 0;

	look_up_victims(memory, i, flow, out, out_set);
	for (uint32_t k = 0; k < flow->n; k++) {
		const uint8_t which = flow->which[k];
		const bool comes = flow->victim[k];
		const bool served = flow->served[k] ||
			mp_sim_cache_take(level, set[which], virtual[which]);

		level->victim = 0;
		if (comes)
			mp_sim_cache_touch(level, out_set[k], out[k]);
		flow->which[n] = which;
		flow->served[n] = served;
		flow->victim[n] = level->victim;
		n += !served || level->victim;
	}
	flow->n = n;
}

void mp_sim_apart_loads(struct mp_sim_memory *memory,
			const struct mp_sim_block *block, uint32_t first,
			uint32_t n, uint32_t *cycles)
{
	const uint64_t *virtual = block->virtual + first;
	struct flow flow;

	flow.n = n;
	memset(flow.served, 0, n);
	for (uint32_t k = 0; k < n; k++) {
		flow.which[k] = (uint8_t)k;
		cycles[k] += memory->latency_cycles[0];
	}
	for (uint32_t i = 0; i < memory->n_levels && flow.n; i++) {
		const uint64_t *set = block->set[i] + first;
		const uint32_t more = memory->latency_cycles[i + 1] -
				      memory->latency_cycles[i];

		if (i && memory->inclusion[i] == MP_SIM_EXCLUSIVE)
			exchange(memory, i, set, virtual, &flow);
		else
			pass(memory, i, set, virtual, &flow);
		for (uint32_t k = 0; k < flow.n; k++)
			cycles[flow.which[k]] += flow.served[k] ? 0 : more;
		if (!i)
			memory->outward += flow.n;
	}
}
