// SPDX-License-Identifier: GPL-2.0
/* One set of a cache, made up for tests. */
#include "made_policy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OLD 3u
#define EMPTY (-1)
#define FOREIGN (1 << 20)

static const uint32_t h_of[] = { 0, 10, 11, 20, 21 };

static bool is_power(uint32_t n)
{
	return n && !(n & (n - 1));
}

/* Those that are by definition what has a name of its own. SRRIP whose hits
 * make lines younger by one only has none but that of its ages. */
static uint32_t class_of(const struct made_policy *p)
{
	if (p->umo && p->u == 0 && p->m == 2 && p->r < 2 && p->h == 0)
		return MP_POLICY_SRRIP;
	if (p->m == 0 && p->h == 0 && p->r < 2 &&
	    p->u == !p->umo)
		return MP_POLICY_MRU;
	return MP_POLICY_QLRU;
}

uint32_t made_policies(uint32_t ways, struct made_policy *policy)
{
	const struct made_policy named[] = {
		{ .class = MP_POLICY_LRU, .rule = MADE_LRU },
		{ .class = MP_POLICY_FIFO, .rule = MADE_FIFO },
		{ .class = MP_POLICY_RANDOM, .rule = MADE_RANDOM },
		{ .class = MP_POLICY_MRU, .rule = MADE_BIT_PLRU },
		{ .class = MP_POLICY_MRU, .rule = MADE_NRU },
		{ .class = MP_POLICY_SRRIP, .rule = MADE_SRRIP },
		{ .class = MP_POLICY_QLRU, .rule = MADE_SRRIP_FP },
	};
	uint32_t n = sizeof(named) / sizeof(named[0]);

	memcpy(policy, named, sizeof(named));
	if (is_power(ways) || (ways % 3 == 0 && ways > 3 && is_power(ways / 3)))
		policy[n++] = (struct made_policy){ .class = MP_POLICY_PLRU,
						    .rule = MADE_TREE };
	for (uint32_t i = 0; i < 5 * 4 * 3 * 4 * 2; i++) {
		struct made_policy p = {
			.rule = MADE_QLRU,
			.h = h_of[i % 5],
			.m = i / 5 % 4,
			.r = i / 20 % 3,
			.u = i / 60 % 4,
			.umo = i / 240,
		};

		/* There is no line just accessed when these grow. */
		if (p.umo && (p.u & 1))
			continue;
		p.class = class_of(&p);
		policy[n++] = p;
	}
	return n;
}

void made_policy_name(const struct made_policy *p, char *text, uint32_t room)
{
	static const char *const name[] = {
		"lru", "fifo", "random", "tree-plru", "bit-plru", "nru",
		"srrip", "srrip-fp",
	};

	if (p->rule == MADE_QLRU)
		snprintf(text, room, "qlru_h%02u_m%u_r%u_u%u%s", p->h, p->m,
			 p->r, p->u, p->umo ? "_umo" : "");
	else
		snprintf(text, room, "%s", name[p->rule]);
}

static uint64_t draw(struct made_set *set)
{
	set->random = set->random * 6364136223846793005ull +
		      1442695040888963407ull;
	return set->random >> 33;
}

void made_set_open(struct made_set *set, const struct made_policy *policy,
		   uint32_t ways, uint64_t seed)
{
	memset(set, 0, sizeof(*set));
	set->policy = policy;
	set->ways = ways;
	set->random = seed * 2 + 1;
	for (uint32_t i = 0; i < 20; i++)
		draw(set);
	for (uint32_t i = 0; i < ways; i++)
		set->line[i] = EMPTY;
	for (uint32_t i = 0; i < 4 * ways; i++)
		made_set_touch(set, FOREIGN + (int)(draw(set) % (2 * ways)));
}

static int find(const struct made_set *set, int line)
{
	for (uint32_t i = 0; i < set->ways; i++)
		if (set->line[i] == line)
			return (int)i;
	return -1;
}

/* -- trees -------------------------------------------------------------- */

static uint32_t tree_of(const struct made_set *set)
{
	return is_power(set->ways) ? set->ways : set->ways / 3;
}

/* Nodes by the ways that they span: that of [from, from + span) has a number
 * of its own, the place of its middle. */
static uint32_t tree_find(const struct made_set *set, uint32_t from,
			  uint32_t span)
{
	const uint32_t middle = from + span / 2;

	if (span == 1)
		return from;
	if (set->node[middle])
		return tree_find(set, middle, span / 2);
	return tree_find(set, from, span / 2);
}

static void tree_use(struct made_set *set, uint32_t way)
{
	const uint32_t size = tree_of(set);
	uint32_t from = way / size * size;

	set->used[way / size] = ++set->clock;
	for (uint32_t span = size; span > 1; span /= 2) {
		const uint32_t middle = from + span / 2;

		set->node[middle] = way < middle;
		if (way >= middle)
			from = middle;
	}
}

static uint32_t least_used(const struct made_set *set, uint32_t n)
{
	uint32_t least = 0;

	for (uint32_t i = 0; i < n; i++)
		if (set->used[i] < set->used[least])
			least = i;
	return least;
}

/* -- ages --------------------------------------------------------------- */

static bool any_old(const struct made_set *set)
{
	for (uint32_t i = 0; i < set->ways; i++)
		if (set->line[i] != EMPTY && set->age[i] == OLD)
			return true;
	return false;
}

static void qlru_update(struct made_set *set, int accessed)
{
	const uint32_t u = set->policy->u;
	uint32_t most = 0;

	if (any_old(set))
		return;
	for (uint32_t i = 0; i < set->ways; i++) {
		const bool spared = (u == 1 || u == 3) && (int)i == accessed;

		if (set->line[i] != EMPTY && !spared && set->age[i] > most)
			most = set->age[i];
	}
	for (uint32_t i = 0; i < set->ways; i++) {
		if (set->line[i] == EMPTY ||
		    ((u == 1 || u == 3) && (int)i == accessed))
			continue;
		set->age[i] += u < 2 ? OLD - most : 1;
	}
}

static uint32_t first_old(const struct made_set *set)
{
	for (uint32_t i = 0; i < set->ways; i++)
		if (set->age[i] == OLD)
			return i;
	return 0;
}

/* -- all of them -------------------------------------------------------- */

static uint32_t first_clear(const struct made_set *set)
{
	for (uint32_t i = 0; i < set->ways; i++)
		if (!set->bit[i])
			return i;
	return set->ways;
}

static uint32_t victim(struct made_set *set)
{
	uint32_t tree;

	switch (set->policy->rule) {
	case MADE_LRU:
	case MADE_FIFO:
		return least_used(set, set->ways);
	case MADE_RANDOM:
		return (uint32_t)(draw(set) % set->ways);
	case MADE_TREE:
		tree = least_used(set, set->ways / tree_of(set));
		return tree_find(set, tree * tree_of(set), tree_of(set));
	case MADE_NRU:
		if (first_clear(set) == set->ways)
			memset(set->bit, 0, sizeof(set->bit));
		return first_clear(set);
	case MADE_BIT_PLRU:
		return first_clear(set);
	case MADE_QLRU:
		if (set->policy->umo)
			qlru_update(set, -1);
		return first_old(set);
	default:
		while (!any_old(set))
			for (uint32_t i = 0; i < set->ways; i++)
				set->age[i]++;
		return first_old(set);
	}
}

static uint32_t place(struct made_set *set)
{
	const bool last = set->policy->rule == MADE_QLRU &&
			  set->policy->r == 2;

	for (uint32_t i = 0; i < set->ways && !set->policy->blind; i++) {
		const uint32_t way = last ? set->ways - 1 - i : i;

		if (set->line[way] == EMPTY)
			return way;
	}
	return victim(set);
}

static uint32_t age_after_hit(const struct made_policy *p, uint32_t age)
{
	if (p->rule == MADE_SRRIP)
		return 0;
	if (p->rule == MADE_SRRIP_FP)
		return age ? age - 1 : 0;
	if (age == 3)
		return p->h / 10;
	return age == 2 ? p->h % 10 : 0;
}

bool made_set_touch(struct made_set *set, int line)
{
	const struct made_policy *p = set->policy;
	const int at = find(set, line);
	const uint32_t way = at < 0 ? place(set) : (uint32_t)at;

	set->line[way] = line;
	if (p->rule == MADE_LRU || (p->rule == MADE_FIFO && at < 0))
		set->used[way] = ++set->clock;
	if (p->rule == MADE_TREE)
		tree_use(set, way);
	if (p->rule == MADE_BIT_PLRU || p->rule == MADE_NRU)
		set->bit[way] = true;
	if (p->rule == MADE_BIT_PLRU && first_clear(set) == set->ways) {
		memset(set->bit, 0, sizeof(set->bit));
		set->bit[way] = true;
	}
	if (p->rule >= MADE_SRRIP)
		set->age[way] = at >= 0 ? age_after_hit(p, set->age[way]) :
				p->rule == MADE_QLRU ? p->m : 2;
	if (p->rule == MADE_QLRU && !p->umo)
		qlru_update(set, (int)way);
	return at >= 0;
}

void made_set_flush(struct made_set *set, int line)
{
	made_set_touch(set, line);
	set->line[find(set, line)] = EMPTY;
}

static double chance(struct made_set *set)
{
	return (double)(draw(set) % 1000000) / 1e6;
}

static void walk_once(const struct mp_policy_walk *walk, struct made_set *set,
		      double flips, double *sum)
{
	uint32_t look = 0;

	for (uint32_t i = 0; i < walk->n; i++) {
		const struct mp_policy_step *step = &walk->step[i];
		bool hit;

		if (step->what == MP_POLICY_LEAVE)
			continue;
		if (step->what == MP_POLICY_FLUSH) {
			made_set_flush(set, step->line);
			continue;
		}
		hit = made_set_touch(set, step->line);
		if (step->what == MP_POLICY_LOOK)
			sum[look++] += hit != (chance(set) < flips);
	}
}

/* The shares of walk @k, of so many bursts. */
static void see(struct made_looks *looks, uint32_t k, uint32_t bursts)
{
	double *hit = looks->hit[k];

	for (uint32_t i = 0; i < mp_policy_looks(&looks->walk[k]); i++) {
		hit[i] /= bursts;
		looks->error[k][i] = sqrt(hit[i] * (1 - hit[i]) / bursts);
	}
	looks->seen[k] = (struct mp_policy_seen){
		&looks->walk[k], hit, looks->error[k],
	};
}

void made_looks(struct made_looks *looks, const struct made_policy *policy,
		uint32_t ways, uint32_t size, uint32_t walks, uint32_t bursts,
		double flips, uint64_t seed)
{
	struct mp_policy_shape shape;
	struct made_set set;

	mp_policy_shape_of(&shape, ways, MP_POLICY_VISITS, size);
	made_set_open(&set, policy, ways, seed);
	looks->n = walks;
	for (uint32_t k = 0; k < walks; k++) {
		struct mp_policy_walk *walk = &looks->walk[k];
		double *hit = looks->hit[k];

		mp_policy_walk_make(walk, &shape, k);
		memset(hit, 0, sizeof(looks->hit[k]));
		for (uint32_t b = 0; b < bursts; b++) {
			/* Others have been there in the meantime. */
			for (uint32_t i = 0; i < ways; i++)
				made_set_touch(&set, FOREIGN + (int)
					       (draw(&set) % (2 * ways)));
			walk_once(walk, &set, flips, hit);
		}
		see(looks, k, bursts);
	}
}

void made_looks_alone(struct made_looks *looks,
		      const struct made_policy *policy, uint32_t ways,
		      uint32_t visits, uint32_t first, uint32_t walks,
		      uint32_t bursts)
{
	struct mp_policy_shape shape;
	struct made_set set;

	mp_policy_shape_of(&shape, ways, visits, 0);
	looks->n = walks;
	for (uint32_t k = 0; k < walks; k++) {
		memset(looks->hit[k], 0, sizeof(looks->hit[k]));
		mp_policy_walk_make(&looks->walk[k], &shape, first + k);
		made_set_open(&set, policy, ways, k);
		for (uint32_t b = 0; b < bursts; b++)
			walk_once(&looks->walk[k], &set, 0, looks->hit[k]);
		see(looks, k, bursts);
	}
}
