/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accesses to lines of one set, chosen so that policies differ in what hits.
 */
#ifndef MP_POLICY_WALK_H
#define MP_POLICY_WALK_H

#include "analysis/policy_set.h"

/** MP_POLICY_STEPS - the most accesses of a walk */
#define MP_POLICY_STEPS 512u

/** MP_POLICY_VISITS - as often a line is accessed, where it can be */
#define MP_POLICY_VISITS 4u

/** MP_POLICY_WALKS - the most walks over a level, as they come: those of later
 * numbers are made only where they are chosen for what is left */
#define MP_POLICY_WALKS 18u

/** enum mp_policy_what - what an access is */
enum mp_policy_what {
	MP_POLICY_TOUCH,	/* before the set is known to be empty */
	MP_POLICY_FLUSH,	/* touched, then taken out */
	MP_POLICY_LOOK,		/* touched, and what it took is looked at */
	MP_POLICY_LEAVE,	/* not to this set: lines leave the levels inside */
};

/**
 * struct mp_policy_step - an access
 * @line: which line of the set
 * @what: enum mp_policy_what
 */
struct mp_policy_step {
	uint16_t line;
	uint16_t what;
};

/**
 * struct mp_policy_walk - a list of them
 * @ways: of the set
 * @lines: that are named, from 0
 * @place: of each its number in the order in which they lie in memory
 * @n: accesses
 * @step: the accesses
 */
struct mp_policy_walk {
	uint32_t ways;
	uint32_t lines;
	uint32_t place[MP_POLICY_LINES];
	uint32_t n;
	struct mp_policy_step step[MP_POLICY_STEPS];
};

/**
 * struct mp_policy_shape - what a list is made of
 * @ways: of the set, 2 .. MP_POLICY_WAYS
 * @empty: lines that drive out whatever was there, @ways at least
 * @looked: lines that are looked at
 * @narrow: these lie in a row, and those that empty the set behind them: never
 *	are they there together
 * @visits: how often a line may be accessed: MP_POLICY_VISITS, or 2
 * @leave: 0, or steps that it takes to make lines leave the levels inside;
 *	there is a MP_POLICY_LEAVE between two looks at one line then
 * @kinds: one of these makes every so manieth line leave, by places; 1: all
 * @room: steps that there is room for
 */
struct mp_policy_shape {
	uint32_t ways;
	uint32_t empty;
	uint32_t looked;
	bool narrow;
	uint32_t visits;
	uint32_t leave;
	uint32_t kinds;
	uint32_t room;
};

/** MP_POLICY_SIZES - lists may be so large, .. */
#define MP_POLICY_SIZES 5u

/** mp_policy_shape_of() - .. 0 the largest, which tells most; each with all the
 * room that there is, and no level inside */
void mp_policy_shape_of(struct mp_policy_shape *shape, uint32_t ways,
			uint32_t visits, uint32_t size);

/** mp_policy_shape_lines() - how many lines such a list names */
uint32_t mp_policy_shape_lines(const struct mp_policy_shape *shape);

/**
 * mp_policy_places() - places in an order that leads no prefetcher on
 * @n: how many
 * @place: gets them: 0 .. @n - 1 scattered, no step between two made twice on
 *	end, as far as that can be had
 */
void mp_policy_places(uint32_t n, uint32_t *place);

/** mp_policy_shape_places() - the same for the lines of a list */
void mp_policy_shape_places(const struct mp_policy_shape *shape,
			    uint32_t *place);

/**
 * mp_policy_walk_make() - a list of accesses
 * @walk: gets it
 * @shape: what it is made of
 * @seed: which of many such lists
 *
 * It begins with what empties the set whatever was in it: as many new lines
 * as drive out all others, some of them touched again, then all lines
 * flushed. What follows is drawn. With two visits some of that is left out.
 * No two steps on end go as far and in the same direction, where that can be
 * had: a prefetcher of strides would bring in the next line.
 */
void mp_policy_walk_make(struct mp_policy_walk *walk,
			 const struct mp_policy_shape *shape, uint64_t seed);

#endif
