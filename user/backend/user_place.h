/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The place that is measured from: this program on one CPU of this machine,
 * with its clock. What every backend of this machine takes, checks, tells
 * and gives back, whoever does the measuring proper.
 */
#ifndef MP_USER_PLACE_H
#define MP_USER_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend.h"
#include "user_clock.h"
#include "user_room.h"
#include "user_sched.h"

/** MP_USER_BATCH_NS - a batch is cut short after this, whatever it had
 * planned. */
#define MP_USER_BATCH_NS 2000000000ull

/** MP_USER_ROOM_AGAIN_BYTES - an arena from here on has the memory asked
 * about again. */
#define MP_USER_ROOM_AGAIN_BYTES (16ull << 20)

/**
 * struct mp_user_place - the place
 * @sched: its CPU, and rights over others there
 * @clock: its clock
 * @room: the memory that may be taken, as last asked
 * @node: the node that was asked for, or MP_NODE_ANY
 * @seed: run seed
 * @start_ns: when it was opened, on CLOCK_MONOTONIC
 * @identify: host name and serial numbers may be told
 */
struct mp_user_place {
	struct mp_user_sched sched;
	struct mp_user_clock clock;
	struct mp_user_room room;
	int32_t node;
	uint64_t seed;
	uint64_t start_ns;
	bool identify;
};

/** mp_user_now_ns() - CLOCK_MONOTONIC */
uint64_t mp_user_now_ns(void);

/**
 * mp_user_place_open() - pin this thread, measure the clock, see to the node
 * @place: gets it
 * @target: gets the seed; why, with any error
 * @opts: what the user asked for
 * Return: 0, or what open of a backend returns. mp_user_place_close() it in
 * any case.
 */
int mp_user_place_open(struct mp_user_place *place, struct mp_target *target,
		       const struct mp_opts *opts);

/** mp_user_place_close() - everything as it was found; twice is fine */
void mp_user_place_close(struct mp_user_place *place);

/** mp_user_place_arena_max() - the largest arena that may be asked for, by
 * the memory there is just now; @room says what sets the bound */
uint64_t mp_user_place_arena_max(struct mp_user_place *place);

/**
 * mp_user_place_look() - what is known of the place, for the report
 * @host: gets CPU, node, conditions, and all that the machine claims;
 *	@arena_max_bytes is in it already
 * Return: 0, or an error with target->why set.
 */
int mp_user_place_look(const struct mp_user_place *place,
		       struct mp_target *target, struct mp_host *host);

/**
 * mp_user_place_check() - is it one actor on this place, in one arena, with
 * nothing about it that only other machines have? Its op is not looked at.
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int mp_user_place_check(const struct mp_user_place *place,
			const struct mp_exp *exp);

/** mp_user_place_plain() - has an actor nothing that only other machines, or
 * other actors beside it, have? Its op, place and background are not looked at */
bool mp_user_place_plain(const struct mp_actor *actor);

/** mp_user_place_grant() - clock and arenas into the grant of a batch */
void mp_user_place_grant(const struct mp_user_place *place,
			 const struct mp_grant_arena *arena,
			 uint32_t n_arenas, struct mp_grant *grant);

/**
 * mp_user_place_settle() - after the samples of a batch: a longer baseline
 * for the clock, and a flag on all of them where the clock did not hold still
 */
void mp_user_place_settle(struct mp_user_place *place, struct mp_batch *batch);

/**
 * mp_user_place_run() - one batch, from its beginning to its end
 * @run: checks and measures; what it returns becomes the batch's error, and
 *	then nothing else of the batch stays
 * @ctx: handed to it
 */
void mp_user_place_run(int (*run)(void *ctx, struct mp_batch *batch),
		       void *ctx, const struct mp_exp *exp, uint32_t replicate,
		       struct mp_batch *batch);

/**
 * mp_user_place_rehearse() - once through everything, so that no batch pays
 * for first-time faults
 * @run, @ctx: as above
 * @pages: enum mp_pages
 * Return: the error of the batch, or 0.
 */
int mp_user_place_rehearse(const struct mp_user_place *place,
			   int (*run)(void *ctx, struct mp_batch *batch),
			   void *ctx, uint32_t pages);

#endif
