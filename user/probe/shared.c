// SPDX-License-Identifier: GPL-2.0
/*
 * Probe shared: how many CPUs share each level?
 *
 * Each other CPU that may be used, up to a bound, is asked by itself whether
 * it puts out what is walked here; see shared_ring.c. Here is who
 * is asked, and what the answers mean together.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "probe/shared_pair.h"

/* Levels asked about. */
#define LEVELS MP_CPU_LEVELS
/* Other CPUs: so many of the nearest numbers, then doubling distances. */
#define NEAR 8u
#define OTHERS_MAX 14u

/* What was found of one level and all others. */
struct found {
	uint32_t tie[OTHERS_MAX];
	uint32_t doubt[OTHERS_MAX];
};

static uint32_t distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* The CPU of those allowed that is so far away, the lower one first. */
static uint32_t add_at(const struct mp_view *view, uint32_t far,
		       uint32_t *other, uint32_t n, uint32_t most)
{
	if (view->cpu >= far && n < most &&
	    mp_cpus_has(&view->cpus, view->cpu - far))
		other[n++] = view->cpu - far;
	if (n < most && mp_cpus_has(&view->cpus, view->cpu + far))
		other[n++] = view->cpu + far;
	return n;
}

/* Which others are asked: near ones, then ever farther ones. */
static uint32_t choose(const struct mp_view *view, uint32_t other[OTHERS_MAX])
{
	uint32_t n = 0, far = 1;

	for (; far < MP_CPUS_MAX && n < NEAR; far++)
		n = add_at(view, far, other, n, NEAR);
	for (far = n ? 2 * distance(view->cpu, other[n - 1]) : MP_CPUS_MAX;
	     far < MP_CPUS_MAX; far *= 2)
		n = add_at(view, far, other, n, OTHERS_MAX);
	return n;
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	uint32_t other[OTHERS_MAX];
	const uint32_t n = choose(view, other);
	struct mp_shared_level level;
	struct mp_shared_ground ground;
	int err = n ? mp_shared_ground(view, &ground) : 0;

	for (uint32_t i = 0; i < n && !err; i++) {
		plan->stage = i;
		for (uint32_t k = 0; k < LEVELS && !err; k++)
			if (!mp_shared_level(view, &ground, k, &level) &&
			    mp_shared_has_room(view, &level))
				err = mp_shared_plan(view, &level, other[i],
						     plan);
	}
	return err ? err : n > 0;
}

/* -- what it means ------------------------------------------------------ */

static void doubt_it(struct found *found, uint32_t i, uint32_t doubt)
{
	found->tie[i] = MP_TIE_UNCLEAR;
	found->doubt[i] = doubt;
}

/* A CPU that shares a level shares those outside it. */
static void compare(uint32_t n, struct found found[LEVELS])
{
	for (uint32_t k = 0; k + 1 < LEVELS; k++) {
		for (uint32_t i = 0; i < n; i++) {
			if (found[k].tie[i] != MP_TIE_SHARED ||
			    found[k + 1].tie[i] != MP_TIE_PRIVATE)
				continue;
			doubt_it(&found[k], i, MP_DOUBT_ORDER);
			doubt_it(&found[k + 1], i, MP_DOUBT_ORDER);
		}
	}
}

static uint32_t count(const struct found *found, uint32_t n, uint32_t tie,
		      const uint32_t *other, struct mp_cpus *cpus)
{
	uint32_t out = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (found->tie[i] != tie)
			continue;
		mp_cpus_add(cpus, other[i]);
		out++;
	}
	return out;
}

/* Which were asked, and which share. */
static void tell(const struct mp_view *view, const struct found *found,
		 const uint32_t *other, uint32_t n, struct mp_fact *fact)
{
	struct mp_cpus shares = { 0 }, asked = { 0 };
	char sharing[64], all[64];
	uint32_t with;

	mp_cpus_add(&shares, view->cpu);
	with = count(found, n, MP_TIE_SHARED, other, &shares);
	asked = shares;
	count(found, n, MP_TIE_PRIVATE, other, &asked);
	count(found, n, MP_TIE_UNCLEAR, other, &asked);
	mp_cpus_print(&shares, sharing, sizeof(sharing));
	mp_cpus_print(&asked, all, sizeof(all));
	snprintf(fact->method, sizeof(fact->method),
		 with ? "CPUs %s share, of CPUs %s that were tested: what the first has in the level is gone when the others have read more than it holds" :
		 "CPU %s has it alone, of CPUs %s that were tested: what it has in the level is still there when they have read more than it holds",
		 sharing, all);
}

static uint32_t first_unclear(const struct found *found, uint32_t n)
{
	uint32_t i = 0;

	while (i < n && found->tie[i] != MP_TIE_UNCLEAR)
		i++;
	return i;
}

static void conclude(const struct mp_view *view, const struct found *found,
		     const uint32_t *other, uint32_t n, struct mp_fact *fact)
{
	struct mp_cpus cpus = { 0 };
	const uint32_t shared = count(found, n, MP_TIE_SHARED, other, &cpus);
	const uint32_t alone = count(found, n, MP_TIE_PRIVATE, other, &cpus);
	const uint32_t unclear = count(found, n, MP_TIE_UNCLEAR, other, &cpus);
	const uint32_t open = mp_cpus_count(&view->cpus) - 1 - shared - alone;
	const uint32_t i = first_unclear(found, n);

	if (!shared && unclear) {
		mp_fact_cannot(fact, "cpus", "with CPU %u: %s", other[i],
			       mp_tie_doubt_text[found->doubt[i]]);
		return;
	}
	if (!shared && !alone) {
		mp_fact_cannot(fact, "cpus",
			       "too noisy, or too little time: too few replicates beside any other CPU");
		return;
	}
	tell(view, found, other, n, fact);
	fact->value = fact->low = fact->high = 1 + shared;
	fact->verdict = open ? MP_AT_LEAST : MP_MEASURED;
	if (!open)
		return;
	fact->high += open;
	if (unclear)
		snprintf(fact->reason, sizeof(fact->reason),
			 "with CPU %u: %s", other[i],
			 mp_tie_doubt_text[found->doubt[i]]);
	else
		snprintf(fact->reason, sizeof(fact->reason),
			 "%u of the CPUs that may be used were not tested",
			 open);
}

/* Why a level was not asked about; false: it was. */
static bool is_out(const struct mp_view *view,
		   const struct mp_shared_ground *ground, uint32_t k, uint32_t n,
		   struct mp_fact *fact)
{
	struct mp_shared_level level;
	const char *why = mp_shared_level(view, ground, k, &level);

	if (mp_cpu_is_absent(view, k)) {
		fact->verdict = MP_ABSENT;
		snprintf(fact->method, sizeof(fact->method),
			 "there is no such level");
	} else if (!n) {
		mp_fact_cannot(fact, "cpus",
			       "CPU %u is the only one that may be used: there is none to share with",
			       view->cpu);
	} else if (why) {
		mp_fact_cannot(fact, "cpus", "%s", why);
	} else if (!mp_shared_has_room(view, &level)) {
		mp_fact_cannot(fact, "cpus",
			       "what the level has no room for is more than the %llu MiB that may be used",
			       (unsigned long long)view->arena_max_bytes >> 20);
	} else {
		return false;
	}
	return true;
}

static void ask_others(const struct mp_view *view,
		       const struct mp_shared_ground *ground, uint32_t k,
		       const uint32_t *other, uint32_t n, struct found *found,
		       struct mp_fact *fact)
{
	struct mp_shared_level level;

	if (mp_shared_level(view, ground, k, &level))
		return;
	for (uint32_t i = 0; i < n; i++)
		found->tie[i] = mp_shared_judge(view, &level, other[i],
						&found->doubt[i], fact);
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	struct found found[LEVELS] = { 0 };
	struct mp_fact *fact[LEVELS];
	uint32_t other[OTHERS_MAX];
	const uint32_t n = choose(view, other);
	const uint32_t first = facts->n;
	struct mp_shared_ground ground;
	bool out[LEVELS];
	const int err = mp_shared_ground(view, &ground);

	if (err)
		return err;

	for (uint32_t k = 0; k < LEVELS; k++)
		if (!mp_cpu_fact(facts, view, mp_cpu_level_name[k], "shared",
				 "cpus"))
			return -ENOMEM;
	/* The list may have moved while it grew. */
	for (uint32_t k = 0; k < LEVELS; k++) {
		fact[k] = &facts->fact[first + k];
		out[k] = is_out(view, &ground, k, n, fact[k]);
		if (!out[k])
			ask_others(view, &ground, k, other, n, &found[k], fact[k]);
	}
	compare(n, found);
	for (uint32_t k = 0; k < LEVELS; k++)
		if (!out[k])
			conclude(view, &found[k], other, n, fact[k]);
	return 0;
}

const struct mp_probe mp_probe_shared = {
	.name = "shared",
	.asks = "how many CPUs share each level?",
	.after = "cache-size,inclusion,latency,dram",
	.facts = "cpu.l1d.shared,cpu.l2.shared,cpu.l3.shared,"
		 "cpu.l4.shared",
	.needs = MP_CAP_CHASE | MP_CAP_ACTORS | MP_CAP_PHASES,
	.weight = 5,
	.next = next,
	.infer = infer,
};
