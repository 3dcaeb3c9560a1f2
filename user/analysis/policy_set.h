/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One set of a cache under each replacement policy that is considered: what
 * a policy would have done with a list of accesses.
 */
#ifndef MP_POLICY_SET_H
#define MP_POLICY_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "rng.h"

/** MP_POLICY_WAYS - the most lines of a set */
#define MP_POLICY_WAYS 64u
/** MP_POLICY_LINES - the most lines that one list of accesses may name */
#define MP_POLICY_LINES 512u
/** MP_POLICIES - room for all candidates */
#define MP_POLICIES 256u

/** enum mp_policy_class - what a policy is called */
enum mp_policy_class {
	MP_POLICY_LRU,
	MP_POLICY_FIFO,
	MP_POLICY_RANDOM,
	MP_POLICY_PLRU,		/* a tree of bits, or several and their order */
	MP_POLICY_MRU,		/* a bit a line: bit-PLRU, NRU */
	MP_POLICY_SRRIP,
	MP_POLICY_QLRU,
	MP_POLICY_CLASSES,
};

/** mp_policy_class_name() - "lru", "fifo", "random", "plru", "mru", .. */
const char *mp_policy_class_name(uint32_t class);

/** enum mp_policy_kind - by what a set keeps its lines apart */
enum mp_policy_kind {
	MP_KIND_LRU,	/* the order of uses */
	MP_KIND_FIFO,	/* the order of fills */
	MP_KIND_RANDOM,
	MP_KIND_TREE,	/* trees of bits, and the order of their uses */
	MP_KIND_BIT,	/* a bit, cleared when a use has set the last one */
	MP_KIND_NRU,	/* a bit, cleared when a victim is wanted */
	MP_KIND_AGE,	/* two bits of age */
};

/**
 * struct mp_policy - a candidate
 * @class: enum mp_policy_class
 * @kind: enum mp_policy_kind
 * @trees: of MP_KIND_TREE, how many trees share the ways
 * @hit: of MP_KIND_AGE, the age after a hit, by the age before it
 * @insert: .. the age of a new line
 * @grow: .. how ages grow where none is 3: 0 all, so that the oldest gets 3;
 *	1 the same, but for the line just accessed; 2 all, by one; 3 the same,
 *	but for the line just accessed
 * @lazy: .. they grow before a victim is chosen, not after each access
 * @downwards: of empty ways the last is filled first
 * @blind: of MP_KIND_TREE, a new line goes where the bits point although other
 *	ways are empty, as first levels of AMD family 25 were seen to do
 * @alone: of MP_KIND_RANDOM, nobody else comes to the set from burst to burst
 */
struct mp_policy {
	uint8_t class;
	uint8_t kind;
	uint8_t trees;
	uint8_t hit[4];
	uint8_t insert;
	uint8_t grow;
	bool lazy;
	bool downwards;
	bool blind;
	bool alone;
};

/**
 * mp_policy_list() - all candidates for a number of ways
 * @ways: 2 .. MP_POLICY_WAYS
 * @policy: gets them; MP_POLICIES have room
 * Return: how many. No two of differing class do the same whatever the accesses
 * are, unless the ways are so few that classes fall together.
 */
uint32_t mp_policy_list(uint32_t ways, struct mp_policy *policy);

/**
 * struct mp_policy_set - a set
 * @policy: what governs it
 * @ways: lines that it holds
 * @clock: accesses so far, to stamp lines with
 * @n_empty: ways that hold nothing
 * @empty_is_old: ages do not grow while there are any
 * @rng: of MP_KIND_RANDOM
 * @line: which line lies in a way; MP_POLICY_LINES or more: nobody's
 * @way: where each line lies, -1 = it does not
 * @stamp: last use or fill of a way; of MP_KIND_TREE of a tree
 * @age: age or bit of a way, or of a node of a tree
 */
struct mp_policy_set {
	const struct mp_policy *policy;
	uint32_t ways;
	uint32_t clock;
	uint32_t n_empty;
	bool empty_is_old;
	struct mp_rng rng;
	uint16_t line[MP_POLICY_WAYS];
	int8_t way[MP_POLICY_LINES];
	uint32_t stamp[MP_POLICY_WAYS];
	uint8_t age[MP_POLICY_WAYS];
};

/**
 * mp_policy_set_start() - a set full of nobody's lines, in any state
 * @seed: in which
 * @empty_is_old: ages do not grow while a way is empty; a definition of ages
 *	leaves open which way it is
 */
void mp_policy_set_start(struct mp_policy_set *set,
			 const struct mp_policy *policy, uint32_t ways,
			 uint64_t seed, bool empty_is_old);

/** mp_policy_set_clear() - nobody's lines go */
void mp_policy_set_clear(struct mp_policy_set *set);

/** mp_policy_set_touch() - access a line; was it there? */
bool mp_policy_set_touch(struct mp_policy_set *set, uint32_t line);

/** mp_policy_set_flush() - access a line, and take it out */
void mp_policy_set_flush(struct mp_policy_set *set, uint32_t line);

/**
 * mp_policy_set_stale() - any bits may be left in an empty set
 * @last: the last way whose bit is clear; all that matters where ways are
 *	filled from the first on
 *
 * What a level inside hides of the accesses before is unknown as well. Of
 * policies without bits it changes nothing.
 */
void mp_policy_set_stale(struct mp_policy_set *set, uint32_t last);

/** mp_policy_set_same() - have two sets of a policy of ages or bits the same
 * lines in the same state? */
bool mp_policy_set_same(const struct mp_policy_set *a,
			const struct mp_policy_set *b);

/**
 * mp_policy_is_known() - is all known after as many new lines as ways?
 *
 * So for orders and trees, whose ways have no number that matters. Not for
 * ages and bits, of which the first way is chosen.
 */
bool mp_policy_is_known(const struct mp_policy *policy);

#endif
