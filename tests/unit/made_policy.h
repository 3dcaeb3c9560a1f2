/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One set of a cache, made up for tests: what a policy does is written down
 * here once more, line by line of its definition and as slow as that is. It
 * shares nothing with the candidates of the analysis nor with the simulator.
 */
#ifndef MADE_POLICY_H
#define MADE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/policy.h"

#define MADE_WAYS 64

/** enum made_rule - how a victim is found */
enum made_rule {
	MADE_LRU,
	MADE_FIFO,
	MADE_RANDOM,
	MADE_TREE,	/* ways a power of two; or three times one */
	MADE_BIT_PLRU,
	MADE_NRU,
	MADE_SRRIP,	/* a hit makes the youngest */
	MADE_SRRIP_FP,	/* a hit makes younger by one */
	MADE_QLRU,
};

/**
 * struct made_policy - a policy
 * @class: what the analysis should call it
 * @rule: enum made_rule
 * @h, @m, @r, @u: of MADE_QLRU, as its name has them: h = 21 is H21
 * @umo: .. ages grow on a miss only, before a victim is looked for
 * @blind: of MADE_TREE, a victim is chosen though there are empty ways
 */
struct made_policy {
	uint32_t class;
	uint32_t rule;
	uint32_t h;
	uint32_t m;
	uint32_t r;
	uint32_t u;
	bool umo;
	bool blind;
};

/** MADE_POLICIES - room for all of made_policies() */
#define MADE_POLICIES 384

/** made_policies() - every policy there is, for a number of ways */
uint32_t made_policies(uint32_t ways, struct made_policy *policy);

/** made_policy_name() - "srrip", "qlru_h11_m1_r0_u0" */
void made_policy_name(const struct made_policy *policy, char *text,
		      uint32_t room);

/** struct made_set - a set; made_set_open() fills it with foreign lines */
struct made_set {
	const struct made_policy *policy;
	uint32_t ways;
	uint32_t clock;
	uint64_t random;
	int line[MADE_WAYS];	/* -1 = empty */
	uint32_t age[MADE_WAYS];
	uint32_t used[MADE_WAYS];
	bool bit[MADE_WAYS];
	bool node[2 * MADE_WAYS];
};

void made_set_open(struct made_set *set, const struct made_policy *policy,
		   uint32_t ways, uint64_t seed);
/** made_set_touch() - access line @line, 0 or more; was it there? */
bool made_set_touch(struct made_set *set, int line);
void made_set_flush(struct made_set *set, int line);

/**
 * struct made_looks - what was seen of some walks
 * @n: walks
 */
#define MADE_WALKS 18
struct made_looks {
	uint32_t n;
	struct mp_policy_walk walk[MADE_WALKS];
	double hit[MADE_WALKS][MP_POLICY_STEPS];
	double error[MADE_WALKS][MP_POLICY_STEPS];
	struct mp_policy_seen seen[MADE_WALKS];
};

/**
 * made_looks() - walk a set over and over
 * @size: of walks, see mp_policy_shape_of()
 * @walks: so many walks
 * @bursts: each so often
 * @flips: share of looks that are seen the wrong way round
 */
void made_looks(struct made_looks *looks, const struct made_policy *policy,
		uint32_t ways, uint32_t size, uint32_t walks, uint32_t bursts,
		double flips, uint64_t seed);

/**
 * made_looks_alone() - walks on a set that nobody else comes to
 * @visits: of a line; of few visits they are not all flushed
 * @first: number of the first walk
 */
void made_looks_alone(struct made_looks *looks,
		      const struct made_policy *policy, uint32_t ways,
		      uint32_t visits, uint32_t first, uint32_t walks,
		      uint32_t bursts);

#endif
