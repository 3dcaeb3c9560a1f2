/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring in random order, slot by slot: each hop is timed, and where it went is
 * known from the seed. So it is seen which slots a level had, and which it did
 * not, again and again.
 */
#ifndef MP_PROBE_TURN_H
#define MP_PROBE_TURN_H

#include "analysis/kept.h"
#include "analysis/sweep.h"
#include "backend.h"
#include "probe.h"

/** MP_TURN_REACH - windows of the order, bytes, so that hops to other pages are
 * few */
#define MP_TURN_REACH (32u << 10)

/**
 * struct mp_turn_times - who served a hop, by core cycles
 * @least: one that takes longer was not served further inside
 * @most: one that takes longer has missed the level
 * @far: one that takes longer has missed the next one, too; INFINITY
 */
struct mp_turn_times {
	double least;
	double most;
	double far;
};

/**
 * struct mp_turn - what was seen of each slot of one replicate
 * @slots: of the ring
 * @order: slots in the order in which they are visited
 * @when: of each page, the last hop to it
 * @seen: how often each slot was looked at; the first hop to a page in its
 *	window, whose translation may be long, does not count
 * @missed: .. and missed the level
 * @here: .. and was served by the level itself
 * @beyond: hops that the next level missed, too
 * @hits: hops that did not miss it
 * @hit_cycles: .. and what they took, in all
 * @own: of these those that the level itself served
 * @own_cycles: .. and what they took, in all
 * @own_squares: .. and the sum of their squares
 * @all: all that it served, the first hops to pages as well
 * @all_cycles: .. and what those took
 */
struct mp_turn {
	uint32_t slots;
	uint32_t *order;
	uint64_t *when;
	uint8_t *seen;
	uint8_t *missed;
	uint8_t *here;
	uint64_t beyond;
	uint64_t hits;
	double hit_cycles;
	uint64_t own;
	double own_cycles;
	double own_squares;
	uint64_t all;
	double all_cycles;
};

/**
 * mp_turn_actor() - ask that each hop of a ring be timed
 * @actor: with its length and stride
 *
 * What was in the sets before has gone by then, and each slot is visited twice
 * where a batch has room for that.
 */
void mp_turn_actor(struct mp_actor *actor);

/**
 * mp_turn_exp() - the same as an experiment
 * @sweep: whose pages and stride it has
 * @length: bytes, of which whole strides are taken
 *
 * Return: can it be had?
 */
bool mp_turn_exp(const struct mp_view *view, const struct mp_sweep *sweep,
		 double length, struct mp_exp *exp);

/** mp_turn_key() - what all that is said of a batch by such times depends on */
void mp_turn_key(const struct mp_view *view, const struct mp_batch *batch,
		 const struct mp_turn_times *times, struct mp_kept_key *key);

/**
 * mp_turn_batches() - the replicates of a ring
 * @exp: as mp_turn_actor() asked for
 * @batch: gets as many as count, @replicates at most
 * @lacks: gets whether others may still be had, where there are fewer
 * Return: are there as many?
 */
bool mp_turn_batches(const struct mp_view *view, const struct mp_exp *exp,
		     uint32_t replicates, const struct mp_batch **batch,
		     bool *lacks);

/**
 * mp_turn_take() - what a batch has seen
 * @batch: as mp_turn_actor() asked for
 * @turn: empty; to be freed even where that failed
 * Return: 0 or -ENOMEM.
 */
int mp_turn_take(const struct mp_view *view, const struct mp_batch *batch,
		 const struct mp_turn_times *times, struct mp_turn *turn);

/** mp_turn_free() - let go of it */
void mp_turn_free(struct mp_turn *turn);

#endif
