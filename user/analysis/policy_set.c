// SPDX-License-Identifier: GPL-2.0
/*
 * One set of a cache under each replacement policy that is considered. Only
 * full sets are looked at: accesses begin with so many new lines that none
 * of what was there before is left.
 */
#include "analysis/policy_set.h"

#include <string.h>

#define AGE_MAX 3u
#define NOBODY MP_POLICY_LINES
#define NONE (MP_POLICY_LINES + 1)
/* Age of a way that is empty. */
#define EMPTY 0x80u

static const char *const class_name[MP_POLICY_CLASSES] = {
	"lru", "fifo", "random", "plru", "mru", "srrip", "qlru",
};

/* Age after a hit: of the oldest and the next but one; the others get 0. */
static const uint8_t hit_ages[][2] = {
	{ 0, 0 }, { 1, 0 }, { 1, 1 }, { 2, 0 }, { 2, 1 },
};

/* How ages grow, see struct mp_policy. Those that grow late grow before there
 * is a line just accessed. */
static const struct grow {
	uint8_t how;
	bool lazy;
	bool downwards;
} grows[] = {
	{ 0, false, false }, { 1, false, false }, { 2, false, false },
	{ 3, false, false }, { 0, true, false },  { 2, true, false },
	{ 0, false, true },  { 1, false, true },  { 2, false, true },
	{ 3, false, true },  { 0, true, true },	  { 2, true, true },
};

#define GROWS (sizeof(grows) / sizeof(grows[0]))

const char *mp_policy_class_name(uint32_t class)
{
	return class < MP_POLICY_CLASSES ? class_name[class] : "?";
}

/* -- the candidates ----------------------------------------------------- */

static struct mp_policy of_kind(uint32_t class, uint32_t kind)
{
	return (struct mp_policy){ .class = (uint8_t)class,
				   .kind = (uint8_t)kind };
}

/* Ages that stand for what has a name of its own. */
static uint32_t class_of_ages(const struct mp_policy *p)
{
	/* New lines and hit ones get 0, all others 3: a bit a line. */
	if (!p->downwards && p->insert == 0 && p->hit[3] == 0 &&
	    p->grow == !p->lazy)
		return MP_POLICY_MRU;
	if (!p->lazy || p->grow || p->downwards || p->insert != 2)
		return MP_POLICY_QLRU;
	/* Lines that are hit become the youngest. Where they become younger by
	 * one that has no name of its own here. */
	return p->hit[3] == 0 && p->hit[2] == 0 ? MP_POLICY_SRRIP :
						  MP_POLICY_QLRU;
}

static uint32_t list_ages(struct mp_policy *policy)
{
	const uint32_t hits = sizeof(hit_ages) / sizeof(hit_ages[0]);
	uint32_t n = 0;

	for (uint32_t i = 0; i < hits * 4 * GROWS; i++) {
		const struct grow *grow = &grows[i / hits / 4];
		const uint8_t *hit = hit_ages[i % hits];
		struct mp_policy *p = &policy[n];

		*p = of_kind(MP_POLICY_QLRU, MP_KIND_AGE);
		p->hit[3] = hit[0];
		p->hit[2] = hit[1];
		p->insert = (uint8_t)(i / hits % 4);
		p->grow = grow->how;
		p->lazy = grow->lazy;
		p->downwards = grow->downwards;
		p->class = (uint8_t)class_of_ages(p);
		n++;
	}
	return n;
}

uint32_t mp_policy_list(uint32_t ways, struct mp_policy *policy)
{
	uint32_t n = 0;

	policy[n++] = of_kind(MP_POLICY_LRU, MP_KIND_LRU);
	policy[n++] = of_kind(MP_POLICY_FIFO, MP_KIND_FIFO);
	policy[n++] = of_kind(MP_POLICY_RANDOM, MP_KIND_RANDOM);
	policy[n] = of_kind(MP_POLICY_RANDOM, MP_KIND_RANDOM);
	policy[n++].alone = true;
	policy[n++] = of_kind(MP_POLICY_MRU, MP_KIND_BIT);
	policy[n++] = of_kind(MP_POLICY_MRU, MP_KIND_NRU);
	/* One tree where the ways are a power of two, else a few. */
	for (uint32_t trees = 1; trees <= ways / 2; trees++) {
		const uint32_t leaves = ways / trees;

		if (ways % trees || leaves & (leaves - 1))
			continue;
		for (uint32_t blind = 0; blind < 2; blind++, n++) {
			policy[n] = of_kind(MP_POLICY_PLRU, MP_KIND_TREE);
			policy[n].trees = (uint8_t)trees;
			policy[n].blind = blind;
		}
		break;
	}
	return n + list_ages(&policy[n]);
}

/* -- a set -------------------------------------------------------------- */

static uint32_t oldest(const uint32_t *stamp, uint32_t n)
{
	uint32_t least = 0;

	for (uint32_t i = 1; i < n; i++)
		if (stamp[i] < stamp[least])
			least = i;
	return least;
}

/* The first way whose age or bit is this one; @ways: there is none. */
static uint32_t first_of(const struct mp_policy_set *set, uint8_t age)
{
	const uint8_t *at = memchr(set->age, age, set->ways);

	return at ? (uint32_t)(at - set->age) : set->ways;
}

/* Nodes of a tree begin at its first way's place; node 1 is the root. */
static uint32_t tree_victim(const struct mp_policy_set *set)
{
	const uint32_t leaves = set->ways / set->policy->trees;
	const uint32_t base = oldest(set->stamp, set->policy->trees) * leaves;
	uint32_t node = 1;

	while (node < leaves)
		node = 2 * node + set->age[base + node];
	return base + node - leaves;
}

static void tree_use(struct mp_policy_set *set, uint32_t way)
{
	const uint32_t leaves = set->ways / set->policy->trees;
	const uint32_t base = way / leaves * leaves;
	uint32_t node = way % leaves + leaves;

	set->stamp[way / leaves] = ++set->clock;
	for (; node > 1; node /= 2)
		set->age[base + node / 2] = !(node & 1);
}

/* @way: the line just accessed; set->ways: none. */
static void ages_grow(struct mp_policy_set *set, uint32_t way)
{
	const uint32_t grow = set->policy->grow;
	const uint32_t spared = grow & 1 ? way : set->ways;
	uint32_t eldest = 0, by = 1;

	if (first_of(set, AGE_MAX) < set->ways ||
	    (set->empty_is_old && set->n_empty))
		return;
	for (uint32_t i = 0; i < set->ways; i++)
		if (i != spared && set->age[i] != EMPTY &&
		    set->age[i] > eldest)
			eldest = set->age[i];
	if (grow < 2)
		by = AGE_MAX - eldest;
	for (uint32_t i = 0; i < set->ways; i++)
		if (i != spared && set->age[i] != EMPTY)
			set->age[i] = (uint8_t)(set->age[i] + by);
}

static uint32_t age_victim(struct mp_policy_set *set)
{
	uint32_t way;

	if (set->policy->lazy)
		ages_grow(set, set->ways);
	way = first_of(set, AGE_MAX);
	return way < set->ways ? way : 0;
}

static uint32_t victim(struct mp_policy_set *set)
{
	uint32_t way;

	switch (set->policy->kind) {
	case MP_KIND_RANDOM:
		return (uint32_t)mp_rng_below(&set->rng, set->ways);
	case MP_KIND_TREE:
		return tree_victim(set);
	case MP_KIND_AGE:
		return age_victim(set);
	case MP_KIND_BIT:
		way = first_of(set, 0);
		return way < set->ways ? way : 0;
	case MP_KIND_NRU:
		way = first_of(set, 0);
		if (way < set->ways)
			return way;
		memset(set->age, 0, set->ways);
		return 0;
	default:
		return oldest(set->stamp, set->ways);
	}
}

static void use(struct mp_policy_set *set, uint32_t way, bool hit)
{
	const struct mp_policy *policy = set->policy;

	switch (policy->kind) {
	case MP_KIND_FIFO:
		if (hit)
			return;
		/* fall through */
	case MP_KIND_LRU:
		set->stamp[way] = ++set->clock;
		return;
	case MP_KIND_TREE:
		tree_use(set, way);
		return;
	case MP_KIND_AGE:
		set->age[way] = hit ? policy->hit[set->age[way]] :
				policy->insert;
		if (!policy->lazy)
			ages_grow(set, way);
		return;
	case MP_KIND_BIT:
		set->age[way] = 1;
		if (first_of(set, 0) < set->ways)
			return;
		memset(set->age, 0, set->ways);
		set->age[way] = 1;
		return;
	case MP_KIND_NRU:
		set->age[way] = 1;
		return;
	default:
		return;
	}
}

void mp_policy_set_start(struct mp_policy_set *set,
			 const struct mp_policy *policy, uint32_t ways,
			 uint64_t seed, bool empty_is_old)
{
	const uint32_t ages = policy->kind == MP_KIND_AGE ? AGE_MAX + 1 : 2;

	memset(set, 0, sizeof(*set));
	memset(set->way, -1, sizeof(set->way));
	mp_rng_seed(&set->rng, seed);
	set->policy = policy;
	set->ways = ways;
	set->clock = ways;
	set->empty_is_old = empty_is_old;
	for (uint32_t i = 0; i < ways; i++) {
		const uint32_t k = (uint32_t)mp_rng_below(&set->rng, i + 1);

		set->line[i] = NOBODY;
		set->stamp[i] = set->stamp[k];
		set->stamp[k] = i;
		set->age[i] = (uint8_t)mp_rng_below(&set->rng, ages);
	}
}

static uint32_t empty_way(const struct mp_policy_set *set)
{
	const uint32_t last = set->ways - 1;

	for (uint32_t i = 0; i < last; i++) {
		const uint32_t way = set->policy->downwards ? last - i : i;

		if (set->line[way] == NONE)
			return way;
	}
	return set->policy->downwards ? 0 : last;
}

bool mp_policy_set_touch(struct mp_policy_set *set, uint32_t line)
{
	const bool hit = set->way[line] >= 0;
	const bool to_empty = set->n_empty && !set->policy->blind;
	const uint32_t way = hit ? (uint32_t)set->way[line] :
			     to_empty ? empty_way(set) : victim(set);

	if (!hit) {
		if (set->line[way] == NONE)
			set->n_empty--;
		else if (set->line[way] != NOBODY)
			set->way[set->line[way]] = -1;
		set->line[way] = (uint16_t)line;
		set->way[line] = (int8_t)way;
	}
	use(set, way, hit);
	return hit;
}

void mp_policy_set_flush(struct mp_policy_set *set, uint32_t line)
{
	uint32_t way;

	mp_policy_set_touch(set, line);
	way = (uint32_t)set->way[line];
	set->way[line] = -1;
	set->line[way] = NONE;
	set->n_empty++;
	if (set->policy->kind == MP_KIND_AGE)
		set->age[way] = EMPTY;
}

void mp_policy_set_clear(struct mp_policy_set *set)
{
	set->n_empty = set->ways;
	for (uint32_t i = 0; i < set->ways; i++) {
		set->line[i] = NONE;
		if (set->policy->kind == MP_KIND_AGE)
			set->age[i] = EMPTY;
	}
}

void mp_policy_set_stale(struct mp_policy_set *set, uint32_t last)
{
	if (set->policy->kind != MP_KIND_BIT && set->policy->kind != MP_KIND_NRU)
		return;
	for (uint32_t i = 0; i < set->ways; i++)
		set->age[i] = i > last;
}

bool mp_policy_set_same(const struct mp_policy_set *a,
			const struct mp_policy_set *b)
{
	return a->empty_is_old == b->empty_is_old &&
	       !memcmp(a->line, b->line, a->ways * sizeof(a->line[0])) &&
	       !memcmp(a->age, b->age, a->ways);
}

bool mp_policy_is_known(const struct mp_policy *policy)
{
	return policy->kind == MP_KIND_LRU || policy->kind == MP_KIND_FIFO ||
	       policy->kind == MP_KIND_TREE;
}
