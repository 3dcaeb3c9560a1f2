// SPDX-License-Identifier: GPL-2.0
/*
 * Replacement in sets whose ways do not fit the bits of a word, such as those
 * of a TLB of 1536 entries that is fully associative: the rules of
 * sim_policy.c and sim_qlru.c, in bytes.
 */
#include "sim_wide.h"

#include <string.h>

#include "sim_machine.h"

#define OLDEST 3u

/* The first of @room bytes that is @value, or @room. */
static uint32_t first_of(const uint8_t *mark, uint8_t value, uint32_t room)
{
	const uint8_t *at = memchr(mark, value, room);

	return at ? (uint32_t)(at - mark) : room;
}

static void tree_use(struct mp_sim_wide *set, uint32_t ways, uint32_t way)
{
	for (uint32_t node = ways + way; node > 1; node >>= 1)
		set->mark[node >> 1] = ~node & 1;
}

static uint32_t tree_victim(const struct mp_sim_wide *set, uint32_t ways,
			    uint32_t room)
{
	uint32_t node = 1, first = 0, span = ways, right;

	while (node < ways) {
		span >>= 1;
		right = first + span < room ? set->mark[node] : 0;
		first += right * span;
		node = 2 * node + right;
	}
	return first;
}

static void bit_use(struct mp_sim_wide *set, uint32_t room, uint32_t way)
{
	set->mark[way] = 1;
	if (first_of(set->mark, 0, room) < room)
		return;
	memset(set->mark, 0, room);
	set->mark[way] = 1;
}

static uint32_t bit_victim(struct mp_sim_wide *set, uint32_t room)
{
	uint32_t way = first_of(set->mark, 0, room);

	if (way == room) {
		memset(set->mark, 0, room);
		way = 0;
	}
	return way;
}

static uint32_t srrip_victim(struct mp_sim_wide *set, uint32_t room)
{
	uint32_t way;

	while ((way = first_of(set->mark, OLDEST, room)) == room) {
		for (uint32_t i = 0; i < room; i++)
			set->mark[i]++;
	}
	return way;
}

/* What the oldest of the others lacks, or one where that is the rule. */
static uint8_t qlru_growth(const struct mp_sim_qlru *qlru,
			   const struct mp_sim_wide *set, uint32_t room,
			   uint32_t left_out)
{
	uint8_t least = OLDEST;

	if (qlru->update & 2)
		return 1;
	for (uint32_t i = 0; i < room; i++) {
		if (i != left_out && set->mark[i] < least)
			least = set->mark[i];
	}
	return least;
}

static void qlru_update(const struct mp_sim_qlru *qlru,
			struct mp_sim_wide *set, uint32_t room, uint32_t way)
{
	const uint32_t left_out = qlru->update & 1 ? way : MP_SIM_QLRU_NONE;
	uint8_t growth;

	if (first_of(set->mark, 0, room) < room)
		return;
	growth = qlru_growth(qlru, set, room, left_out);
	for (uint32_t i = 0; i < room; i++)
		set->mark[i] -= i == left_out ? 0 : growth;
}

static void qlru_use(const struct mp_sim_qlru *qlru, struct mp_sim_wide *set,
		     uint32_t room, uint32_t way, uint32_t age)
{
	set->mark[way] = (uint8_t)(OLDEST - age);
	if (!qlru->on_miss)
		qlru_update(qlru, set, room, way);
}

void mp_sim_wide_hit(const struct mp_sim_wide_rule *rule,
		     struct mp_sim_wide *set, uint32_t room, uint32_t way)
{
	switch (rule->policy) {
	case MP_SIM_TREE_PLRU:
		tree_use(set, rule->ways, way);
		break;
	case MP_SIM_BIT_PLRU:
		bit_use(set, room, way);
		break;
	case MP_SIM_NRU:
		set->mark[way] = 1;
		break;
	case MP_SIM_SRRIP:
		set->mark[way] = 0;
		break;
	default:
		qlru_use(rule->qlru, set, room, way,
			 mp_sim_qlru_hit_age(rule->qlru,
					     OLDEST - set->mark[way]));
		break;
	}
}

void mp_sim_wide_fill(const struct mp_sim_wide_rule *rule,
		      struct mp_sim_wide *set, uint32_t room, uint32_t way,
		      struct mp_rng *rng)
{
	if (rule->policy == MP_SIM_SRRIP)
		set->mark[way] = 2;
	else if (rule->policy == MP_SIM_QLRU)
		qlru_use(rule->qlru, set, room, way,
			 mp_sim_qlru_fill_age(rule->qlru, rng));
	else
		mp_sim_wide_hit(rule, set, room, way);
}

void mp_sim_wide_miss(const struct mp_sim_wide_rule *rule,
		      struct mp_sim_wide *set, uint32_t room)
{
	if (rule->policy == MP_SIM_QLRU && rule->qlru->on_miss)
		qlru_update(rule->qlru, set, room, MP_SIM_QLRU_NONE);
}

uint32_t mp_sim_wide_victim(const struct mp_sim_wide_rule *rule,
			    struct mp_sim_wide *set, uint32_t room)
{
	uint32_t way;

	switch (rule->policy) {
	case MP_SIM_TREE_PLRU:
		return tree_victim(set, rule->ways, room);
	case MP_SIM_BIT_PLRU:
	case MP_SIM_NRU:
		return bit_victim(set, room);
	case MP_SIM_SRRIP:
		return srrip_victim(set, room);
	default:
		way = first_of(set->mark, 0, room);
		return way < room ? way : 0;
	}
}
