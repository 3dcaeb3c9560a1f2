/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What probe policy does with a level: walks over lines of one of its sets,
 * as experiments, and what was seen of them.
 */
#ifndef MP_POLICY_LOOK_H
#define MP_POLICY_LOOK_H

#include "analysis/policy.h"
#include "probe/cpu.h"

/** MP_POLICY_LOOK_REPLICATES - of each walk, over all sets together at least */
#define MP_POLICY_LOOK_REPLICATES 3u
/** MP_POLICY_SETS_MOST - sets that a walk is made over, at most */
#define MP_POLICY_SETS_MOST 3u
/** MP_POLICY_SURE - so many standard errors are no chance */
#define MP_POLICY_SURE 3.0
/** MP_POLICY_CONTROL - no set: the control of a walk */
#define MP_POLICY_CONTROL MP_POLICY_SETS_MOST
/** MP_POLICY_CHOSEN - walks that are chosen for what is left, at most */
#define MP_POLICY_CHOSEN 12u
/** MP_POLICY_WALKS_ALL - these, and those that come before them */
#define MP_POLICY_WALKS_ALL (MP_POLICY_WALKS + MP_POLICY_CHOSEN)

/**
 * struct mp_policy_level - a level whose policy is asked for
 * @k: which, 0 the innermost
 * @ways: lines of a set
 * @way_bytes: lines so far apart fall on one set
 * @inner_span: .. and on one of each level inside; 0: there is none
 * @stride: bytes from slot to slot
 * @own_bytes: from line to line of a walk
 * @repeats: sets repeat in each huge page
 * @shape: of walks
 * @sets: so many sets can be walked over
 * @first_bytes: where the first of these begins
 * @set_bytes: from one to the next of these
 * @line: bytes of a line, as far as slots go: MP_STEPS_SLOT at least
 * @inner_way, @inner_ways: bytes of a way of the innermost level, and how many
 * @inner_most, @inner_spare: see struct mp_policy_control
 * @leave: steps that drive lines out of the levels inside; 0: there is none
 * @leave_least: lines that are there at once where they drive others out
 * @leave_lines: .. in all, of each kind
 * @leave_most: steps of that in a walk
 * @outer: a level further out may have all lines that this one has, and put them
 *	out of it
 * @spared: .. and does not, as was seen
 * @cramped: .. and has no room for the lines of a walk beside those that emptied the
 *	set, of which it may put out others than this one would
 * @lost_ns: what takes so much longer than a hit here was behind the nearest of
 *	these; NAN: that is the next one, or its latency is not known
 * @lost_apart_ns: .. by so much at least
 * @visits: how often a slot's line may be accessed
 * @unsure: .. if a miss brings in that much; how much that is is not known
 * @more_ns: what a hit costs more than one in the innermost level
 * @inside_ns: .. and than one in the level inside
 * @miss_ns: what a miss costs more than a hit, at least
 */
struct mp_policy_level {
	uint32_t k;
	uint32_t ways;
	uint64_t way_bytes;
	uint64_t inner_span;
	uint64_t stride;
	uint64_t own_bytes;
	bool repeats;
	struct mp_policy_shape shape;
	uint32_t sets;
	uint64_t first_bytes;
	uint64_t set_bytes;
	uint32_t line;
	uint64_t inner_way;
	uint32_t inner_ways;
	uint32_t inner_most;
	uint32_t inner_spare;
	uint32_t leave;
	uint32_t leave_least;
	uint32_t leave_lines;
	uint32_t leave_most;
	bool outer;
	bool spared;
	bool cramped;
	double lost_ns;
	double lost_apart_ns;
	uint32_t visits;
	bool unsure;
	double more_ns;
	double inside_ns;
	double miss_ns;
};

/**
 * mp_policy_level_find() - can a level be asked?
 * @view: facts of earlier probes
 * @k: which
 * @inside: of each level inside the class of its policy, MP_POLICY_CLASSES where
 *	that is not known
 * @level: gets what is known of it
 * @why: gets why not
 * Return: whether it can.
 */
bool mp_policy_level_find(const struct mp_view *view, uint32_t k,
			  const uint32_t *inside,
			  struct mp_policy_level *level,
			  char why[MP_FACT_TEXT]);

/** mp_policy_way_bytes() - from line to line of a set of a level; 0: not known.
 * Slots are so many bytes, or a multiple. */
uint64_t mp_policy_way_bytes(const struct mp_view *view, uint32_t k);

/** mp_policy_level_halve() - take slots for two sectors; false: they are taken for
 * that, or there is no room */
bool mp_policy_level_halve(const struct mp_view *view,
			   struct mp_policy_level *level);

/** mp_policy_look_walk() - walk number @number over a level */
void mp_policy_look_walk(const struct mp_policy_level *level, uint32_t number,
			 struct mp_policy_walk *walk);

/**
 * mp_policy_look_exp() - a walk as an experiment
 * @view: whose place and pages; the clock's step, of its first batch, says how
 *	many bursts it takes to see a miss
 * @set: over which set, below @level.sets; MP_POLICY_CONTROL: the same pages in
 *	the same order, but each line moved to another set, so that all but first
 *	looks hit in the innermost level
 */
void mp_policy_look_exp(const struct mp_policy_level *level,
			const struct mp_view *view,
			const struct mp_policy_walk *walk, uint32_t set,
			struct mp_exp *exp);

/**
 * struct mp_policy_looked - what was seen of a walk
 * @id: of the experiment, over one of the sets
 * @contiguous: all of them in contiguous memory, or in huge pages that do
 * @stayed: looks that found their line in the level inside, for certain
 * @far: looks that did not find it in the next level either
 * @hits: looks that found it here, or inside
 * @inside: .. how many of these would be inside, by what they took together
 * @inside_squares: .. and the square of its standard error
 * @hit, @error: see struct mp_policy_seen
 */
struct mp_policy_looked {
	uint64_t id;
	bool contiguous;
	uint32_t stayed;
	uint32_t far;
	uint32_t hits;
	double inside;
	double inside_squares;
	double hit[MP_POLICY_STEPS];
	double error[MP_POLICY_STEPS];
};

/**
 * mp_policy_look_at() - what the batches of a walk show
 * Return: 0; -ENODATA: no burst of it, or of its control, can be used; -ENOMEM.
 */
int mp_policy_look_at(const struct mp_policy_level *level,
		      const struct mp_view *view,
		      const struct mp_policy_walk *walk,
		      struct mp_policy_looked *looked);

#endif
