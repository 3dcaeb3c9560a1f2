/* SPDX-License-Identifier: GPL-2.0 */
/* Several actors, phase after phase: chases, on different CPUs where they meet,
 * and a sequence. */
#ifndef MP_USER_TEAM_H
#define MP_USER_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "user_chase.h"
#include "user_mem.h"
#include "user_note.h"
#include "user_place.h"
#include "user_steps.h"

struct mp_user_team;

/**
 * struct mp_user_member - an actor and its thread
 * @team: whose it is
 * @walk: its chase
 * @batch: what it has measured in the present phase; merged when all ended
 * @round: the present round
 * @err: what became of it
 * @thread: its thread while a phase lasts
 */
struct mp_user_member {
	struct mp_user_team *team;
	struct mp_user_walk walk;
	struct mp_batch batch;
	uint16_t round;
	int err;
	pthread_t thread;
};

/**
 * struct mp_user_team - the actors of one experiment
 * @n: how many
 * @cpu: that the caller is pinned to
 * @member: they, by number
 * @steps: the sequence of the one of them that walks one
 * @lock, @turn: of @may and @mind
 * @mind: all threads of the phase are there, or will never be
 * @may: and all are: begin
 * @expected: how many begin together
 * @arrived: how many are ready to
 * @busy: actors of the phase that are not background, and not done
 * @over: background actors are to end
 * @before: what the kernel had counted of the caller before the first round
 * @why: gets what is wrong
 * @room: bytes of @why
 */
struct mp_user_team {
	uint32_t n;
	uint32_t cpu;
	struct mp_user_member member[MP_EXP_ACTORS];
	struct mp_user_steps steps;
	pthread_mutex_t lock;
	pthread_cond_t turn;
	bool mind;
	bool may;
	uint32_t expected;
	atomic_uint arrived;
	atomic_uint busy;
	atomic_bool over;
	struct mp_user_usage before;
	char *why;
	size_t room;
};

/**
 * mp_user_team_check() - can these actors be had at once?
 * @place: says which CPUs there are
 * @exp: checked by mp_exp_check()
 *
 * Chases, in one phase each on a CPU of its own, and none over the links of
 * another, unless it is the very same ring; and one sequence, on the caller's
 * CPU, which has a phase and a stretch of memory for itself.
 * Return: 0 or -EOPNOTSUPP, @why set.
 */
int mp_user_team_check(const struct mp_user_place *place,
		       const struct mp_exp *exp, char *why, size_t room);

/**
 * mp_user_team_make() - lay all rings
 * @team: gets its members; mp_user_team_free() it in any case
 * @place: clock and seed
 * @batch: the experiment, with its number
 * @arena: its arenas
 * @late_tick: no burst but the first of each begins after this, and no wait
 *	lasts longer
 * @words: scratch
 * Return: 0, -EINVAL or -ENOMEM.
 */
int mp_user_team_make(struct mp_user_team *team,
		      const struct mp_user_place *place,
		      const struct mp_batch *batch,
		      const struct mp_user_arena *arena, uint64_t late_tick,
		      struct mp_user_words *words);
void mp_user_team_free(struct mp_user_team *team);

/**
 * mp_user_team_round() - one round: all phases once, in their order
 * @round: its number
 * @batch: gets the samples of all that are not background, actor by actor
 *
 * An actor that is alone in its phase, on the caller's CPU, is walked by the
 * caller: making a thread would disturb the caches. So would a call of the kernel
 * each round: where all actors are alone, what it counts of them is looked at
 * before the first round, and told after the last one, but for bursts that are
 * long enough to have counts of their own.
 * Otherwise a thread is made for each actor of a phase and pinned to its place; it has
 * the scheduling rights of the caller, and no signal goes to it. Background
 * actors make their warm-up, then all others begin together. When the last
 * of these is done the background ends. All threads have ended on return.
 * Return: 0; -ENXIO where a thread could not be pinned, -EAGAIN where it could
 * not be made, or not all were ready in time; -ENOMEM, -EFBIG.
 */
int mp_user_team_round(struct mp_user_team *team, uint16_t round,
		       struct mp_batch *batch);

/** mp_user_team_gap_ticks() - the least that was called a gap */
uint64_t mp_user_team_gap_ticks(const struct mp_user_team *team);

#endif
