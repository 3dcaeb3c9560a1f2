// SPDX-License-Identifier: GPL-2.0
/*
 * Several actors: chases, and a sequence in a phase of its own. A thread
 * that waits on a CPU for one that has yet to be made there would wait for
 * ever under a real-time policy, so threads sleep until all of a phase are
 * there; only then do they meet, spinning, each on a CPU of its own. Whatever
 * one of them comes to, all end in time.
 */
#include "user_team.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "arch.h"
#include "perm.h"
#include "user_ring.h"
#include "user_rules.h"
#include "why.h"

/* A background chase looks whether it is to end after so many hops. */
#define BACKGROUND_HOPS 1024u
/* And after this, should hops be slow. */
#define BACKGROUND_NS 50000u
/* A chase needs little. */
#define STACK_BYTES (256u << 10)

static const struct mp_actor *actor_of(const struct mp_user_member *member)
{
	return member->walk.actor;
}

/* -- what can be had -------------------------------------------------------- */

static int check_pair(const struct mp_exp *exp, uint32_t i, uint32_t k,
		      char *why, size_t room)
{
	const struct mp_actor *a = &exp->actor[i], *b = &exp->actor[k];

	if (a->phase == b->phase && a->place == b->place)
		return mp_why(why, room, -EOPNOTSUPP, "actor%u.place %u: "
			      "actor%u of the same phase is there: each wants "
			      "a CPU of its own", i, a->place, k);
	if (a->phase == b->phase && (a->op == MP_OP_SEQUENCE ||
				     b->op == MP_OP_SEQUENCE))
		return mp_why(why, room, -EOPNOTSUPP, "actor%u.phase %u: a "
			      "sequence has its phase for itself, and actor%u "
			      "is there too", i, a->phase, k);
	if (a->op != b->op && mp_user_ring_overlap(a, b))
		return mp_why(why, room, -EOPNOTSUPP, "actor%u.offset %" PRIu64
			      ": its span lies over that of actor%u, and one "
			      "of them is a sequence", i, a->offset, k);
	return 0;
}

/* Rings over the same memory are one, or find words of their own in its lines. */
static int check_words(const struct mp_exp *exp, char *why, size_t room)
{
	uint32_t words[MP_EXP_ACTORS];
	const uint32_t i = mp_user_ring_words(exp, words);

	return i == exp->n_actors ? 0 :
	       mp_why(why, room, -EOPNOTSUPP, "actor%u.offset %" PRIu64
		      ": its span lies over those of other rings, and leaves "
		      "it no word of its own in their lines", i,
		      exp->actor[i].offset);
}

/* The caller walks it, on its own CPU. */
static int check_sequence(const struct mp_user_place *place,
			  const struct mp_exp *exp,
			  const struct mp_actor *actor, char *why, size_t room)
{
	const struct mp_user_rules rules = { "user space", why, room };
	int err;

	if (actor->background || actor->place != (uint32_t)place->sched.cpu)
		return mp_why(why, room, -EOPNOTSUPP, "a sequence beside "
			      "other actors is walked on CPU %d, and no load",
			      place->sched.cpu);
	err = mp_user_rules_line(&rules, "offset", actor->offset);
	return err ? err : mp_user_rules_sequence(&rules, exp, MP_EXP_STEPS,
						  MP_STEPS_VISITS);
}

static int check_member(const struct mp_user_place *place,
			const struct mp_exp *exp, uint32_t i, char *why,
			size_t room)
{
	const struct mp_actor *actor = &exp->actor[i];
	char allowed[64];
	int err = 0;

	if (actor->op != MP_OP_CHASE && actor->op != MP_OP_SEQUENCE)
		return mp_why(why, room, -EOPNOTSUPP, "actor%u.op %s: of "
			      "several actors user space has chases and "
			      "sequences only", i, mp_op_name(actor->op));
	if (!mp_user_place_plain(actor))
		return mp_why(why, room, -EOPNOTSUPP, "actor%u: copies, pace, "
			      "access or threads that user space has not got",
			      i);
	if (actor->place > INT32_MAX ||
	    !mp_user_sched_may(&place->sched, (int)actor->place)) {
		mp_user_cpus_print(place->sched.before, place->sched.n_cpus,
				   allowed, sizeof(allowed));
		return mp_why(why, room, -EOPNOTSUPP, "actor%u.place %u: not "
			      "a CPU that this process may run on: choose of "
			      "%s", i, actor->place, allowed);
	}
	if (actor->op == MP_OP_SEQUENCE)
		err = check_sequence(place, exp, actor, why, room);
	for (uint32_t k = 0; k < i && !err; k++)
		err = check_pair(exp, i, k, why, room);
	return err;
}

int mp_user_team_check(const struct mp_user_place *place,
		       const struct mp_exp *exp, char *why, size_t room)
{
	int err = 0;

	if (exp->carveout || (exp->n_steps && !mp_exp_sequence(exp)))
		return mp_why(why, room, -EOPNOTSUPP, "steps %u, carveout %u: "
			      "several actors of user space have one sequence "
			      "at most",
			      exp->n_steps, exp->carveout);
	for (uint32_t i = 0; i < exp->n_actors && !err; i++)
		err = check_member(place, exp, i, why, room);
	return err ? err : check_words(exp, why, room);
}

/* -- one thread --------------------------------------------------------------- */

static bool late(const struct mp_user_member *member)
{
	return (int64_t)(mp_ticks_look() - member->walk.late_tick) > 0;
}

/* Asleep until all threads of the phase are there. False: they will not be. */
static bool wait_turn(struct mp_user_team *team)
{
	bool may;

	pthread_mutex_lock(&team->lock);
	while (!team->mind)
		pthread_cond_wait(&team->turn, &team->lock);
	may = team->may;
	pthread_mutex_unlock(&team->lock);
	return may;
}

/* Spinning until all are ready; each does so on its own CPU. */
static bool meet(struct mp_user_member *member)
{
	struct mp_user_team *team = member->team;

	atomic_fetch_add(&team->arrived, 1);
	while (atomic_load(&team->arrived) < team->expected) {
		if (atomic_load(&team->over) || late(member))
			return false;
		mp_cpu_relax();
	}
	return true;
}

static void chase_on(struct mp_user_walk *walk, uint64_t hops)
{
	struct mp_chase chase = {
		.cursor = walk->cursor,
		.hops = hops,
		.limit_ticks = mp_user_clock_ticks(walk->clock,
						   BACKGROUND_NS),
		.gap_ticks = UINT64_MAX,
	};

	mp_chase_run(&chase);
	walk->cursor = chase.cursor;
	walk->warm_hops += chase.done_hops;
}

static void run_background(struct mp_user_member *member)
{
	struct mp_user_walk *walk = &member->walk;

	walk->warm_hops = 0;
	while (walk->warm_hops < walk->actor->warm_hops && !late(member))
		chase_on(walk, BACKGROUND_HOPS);
	atomic_fetch_add(&member->team->arrived, 1);
	while (!atomic_load(&member->team->over) && !late(member))
		chase_on(walk, BACKGROUND_HOPS);
}

static void run_measured(struct mp_user_member *member)
{
	struct mp_user_team *team = member->team;

	if (meet(member))
		member->err = mp_user_walk_round(&member->walk, member->round,
						 &member->batch);
	else
		member->err = -EAGAIN;
	if (atomic_fetch_sub(&team->busy, 1) == 1)
		atomic_store(&team->over, true);
}

static void *run_member(void *ctx)
{
	struct mp_user_member *member = ctx;

	if (!wait_turn(member->team))
		return NULL;
	if (actor_of(member)->background)
		run_background(member);
	else
		run_measured(member);
	return NULL;
}

/* -- one phase ---------------------------------------------------------------- */

static int start_pinned(struct mp_user_member *member, pthread_attr_t *attr)
{
	const int cpu = (int)actor_of(member)->place;
	const size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	int err;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	err = -pthread_attr_setaffinity_np(attr, bytes, set);
	if (!err)
		err = -pthread_create(&member->thread, attr, run_member,
				      member);
	CPU_FREE(set);
	return err;
}

static int start(struct mp_user_member *member)
{
	struct mp_user_team *team = member->team;
	pthread_attr_t attr;
	int err;

	err = -pthread_attr_init(&attr);
	if (err)
		return err;
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	err = start_pinned(member, &attr);
	pthread_attr_destroy(&attr);
	/* Of all that is asked for only the CPU can be wrong. */
	if (err == -EINVAL || err == -ESRCH)
		return mp_why(team->why, team->room, -ENXIO, "CPU %u: pinning "
			      "a thread was refused: it went offline, or the "
			      "cpuset has changed", actor_of(member)->place);
	if (err)
		return mp_why(team->why, team->room, err, "a thread for CPU "
			      "%u was refused: %s", actor_of(member)->place,
			      strerror(-err));
	return 0;
}

static bool acts(const struct mp_user_member *member, uint32_t phase,
		 uint32_t round)
{
	return actor_of(member)->phase == phase &&
	       mp_actor_acts(actor_of(member), round);
}

/* All threads of a phase, or none; @started: which members have one. */
static int start_all(struct mp_user_team *team, uint32_t phase,
		     uint16_t round, bool started[MP_EXP_ACTORS])
{
	int err = 0;

	for (uint32_t i = 0; i < team->n && !err; i++) {
		struct mp_user_member *member = &team->member[i];

		if (!acts(member, phase, round))
			continue;
		member->round = round;
		member->err = 0;
		err = start(member);
		started[i] = !err;
		team->expected += !err;
		if (!err && !actor_of(member)->background)
			atomic_fetch_add(&team->busy, 1);
	}
	return err;
}

/* What one actor has measured, behind what there is. */
static int merge(struct mp_user_member *member, struct mp_batch *batch)
{
	struct mp_batch *own = &member->batch;
	uint32_t offset = 0;
	int err;

	err = own->n_words ? mp_batch_words(batch, own->payload, own->n_words,
					    &offset) : 0;
	for (uint32_t i = 0; i < own->n_samples && !err; i++) {
		struct memprobe_sample *sample = mp_batch_add(batch);

		if (!sample)
			return -ENOMEM;
		*sample = own->sample[i];
		if (sample->payload_count)
			sample->payload_offset += offset;
	}
	return err;
}

static int end_all(struct mp_user_team *team, struct mp_batch *batch, int err,
		   const bool started[MP_EXP_ACTORS])
{
	for (uint32_t i = 0; i < team->n; i++)
		if (started[i])
			pthread_join(team->member[i].thread, NULL);
	for (uint32_t i = 0; i < team->n; i++) {
		struct mp_user_member *member = &team->member[i];

		if (!err && started[i] && member->err == -EAGAIN)
			err = mp_why(team->why, team->room, -EAGAIN, "not all "
				     "actors were ready in time");
		else if (!err && started[i])
			err = member->err;
		if (!err && started[i])
			err = merge(member, batch);
		mp_batch_free(&member->batch);
	}
	return err;
}

/* The only actor of a phase, where it is on the caller's CPU; or NULL. */
static struct mp_user_member *find_alone(struct mp_user_team *team,
					 uint32_t phase, uint32_t round)
{
	struct mp_user_member *alone = NULL;

	for (uint32_t i = 0; i < team->n; i++) {
		if (!acts(&team->member[i], phase, round))
			continue;
		if (alone || actor_of(&team->member[i])->place != team->cpu)
			return NULL;
		alone = &team->member[i];
	}
	return alone;
}

static int run_threads(struct mp_user_team *team, uint32_t phase,
		       uint16_t round, struct mp_batch *batch)
{
	bool started[MP_EXP_ACTORS] = { false };
	sigset_t all, before;
	int err;

	team->mind = team->may = false;
	team->expected = 0;
	atomic_store(&team->arrived, 0);
	atomic_store(&team->busy, 0);
	atomic_store(&team->over, false);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = start_all(team, phase, round, started);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_mutex_lock(&team->lock);
	team->mind = true;
	team->may = !err;
	pthread_cond_broadcast(&team->turn);
	pthread_mutex_unlock(&team->lock);
	return end_all(team, batch, err, started);
}

static int run_phase(struct mp_user_team *team, uint32_t phase,
		     uint16_t round, struct mp_batch *batch)
{
	struct mp_user_member *alone = find_alone(team, phase, round);

	if (alone && actor_of(alone)->op == MP_OP_SEQUENCE)
		return mp_user_steps_round(&team->steps, round, batch);
	return alone ? mp_user_walk_round(&alone->walk, round, batch) :
		       run_threads(team, phase, round, batch);
}

/* The first phase from one on; UINT64_MAX: there is none. */
static uint64_t phase_from(const struct mp_user_team *team, uint64_t from)
{
	uint64_t next = UINT64_MAX;

	for (uint32_t i = 0; i < team->n; i++) {
		const uint64_t phase = actor_of(&team->member[i])->phase;

		if (phase >= from && phase < next)
			next = phase;
	}
	return next;
}

/* What the kernel counted in all rounds, of those who did not look themselves. The
 * room for samples grows meanwhile: faults are counted more often than not. */
static void tell_usage(const struct mp_user_team *team, struct mp_batch *batch)
{
	const struct mp_user_usage usage = mp_user_usage_since(&team->before);

	for (uint32_t i = 0; i < batch->n_samples; i++)
		if (team->member[batch->sample[i].actor].walk.uncounted)
			mp_user_usage_tell(&usage, &batch->sample[i]);
}

int mp_user_team_round(struct mp_user_team *team, uint16_t round,
		       struct mp_batch *batch)
{
	uint64_t phase = phase_from(team, 0);
	int err = 0;

	if (!round)
		team->before = mp_user_usage_now();
	while (phase != UINT64_MAX && !err) {
		err = run_phase(team, (uint32_t)phase, round, batch);
		phase = phase_from(team, phase + 1);
	}
	if (!err && round + 1u == batch->exp.rounds)
		tell_usage(team, batch);
	return err;
}

/* -- the team ----------------------------------------------------------------- */

/* A ring that two walk is one ring: linked once, begun at one slot. */
static const struct mp_user_walk *linked(const struct mp_user_team *team,
					 uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (mp_user_ring_same(actor_of(&team->member[k]),
				      actor_of(&team->member[i])))
			return &team->member[k].walk;
	return NULL;
}

/*
 * Does each actor have its phase for itself, on the caller's CPU? Between such
 * phases the kernel is not asked what it has counted: where it keeps its pages
 * apart, a call leaves no entry of a TLB (24 ticks a hop over 50 pages, for 3,
 * after one). Long bursts ask for themselves, as ever.
 */
static bool are_alone(const struct mp_user_team *team, const struct mp_exp *exp)
{
	for (uint32_t i = 0; i < exp->n_actors; i++) {
		if (exp->actor[i].place != team->cpu)
			return false;
		for (uint32_t k = 0; k < i; k++)
			if (exp->actor[k].phase == exp->actor[i].phase)
				return false;
	}
	return true;
}

static bool is_phased(const struct mp_exp *exp)
{
	for (uint32_t i = 1; i < exp->n_actors; i++)
		if (exp->actor[i].phase != exp->actor[0].phase)
			return true;
	return false;
}

int mp_user_team_make(struct mp_user_team *team,
		      const struct mp_user_place *place,
		      const struct mp_batch *batch,
		      const struct mp_user_arena *arena, uint64_t late_tick,
		      struct mp_user_words *words)
{
	uint64_t seed = mp_exp_seed(place->seed, batch->id, batch->replicate);
	uint32_t word[MP_EXP_ACTORS];
	int err = mp_user_ring_words(&batch->exp, word) == batch->exp.n_actors ?
		  0 : -EOPNOTSUPP;

	memset(team, 0, sizeof(*team));
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->turn, NULL);
	team->n = batch->exp.n_actors;
	team->cpu = (uint32_t)place->sched.cpu;
	for (uint32_t i = 0; i < team->n && !err; i++) {
		struct mp_user_member *member = &team->member[i];
		const struct mp_user_walk *same;

		member->team = team;
		member->walk = (struct mp_user_walk){
			.clock = &place->clock,
			.actor = &batch->exp.actor[i],
			.index = i,
			.word = word[i],
			.phased = is_phased(&batch->exp),
			.uncounted = are_alone(team, &batch->exp),
			.window_ns = batch->exp.window_ns,
			.late_tick = late_tick,
		};
		if (actor_of(member)->op == MP_OP_SEQUENCE) {
			err = mp_user_steps_make(&team->steps, &place->clock,
					actor_of(member), batch,
					&arena[actor_of(member)->arena], seed,
					late_tick);
			team->steps.uncounted = member->walk.uncounted;
			continue;
		}
		same = linked(team, i);
		if (same) {
			member->walk.slots = same->slots;
			member->walk.cursor = same->cursor;
			continue;
		}
		err = mp_user_ring_link(&member->walk,
					&arena[actor_of(member)->arena], seed,
					words);
		seed = mp_rng_mix(seed + i + 1);
	}
	return err;
}

void mp_user_team_free(struct mp_user_team *team)
{
	for (uint32_t i = 0; i < team->n; i++)
		mp_batch_free(&team->member[i].batch);
	mp_user_steps_free(&team->steps);
	pthread_cond_destroy(&team->turn);
	pthread_mutex_destroy(&team->lock);
}

uint64_t mp_user_team_gap_ticks(const struct mp_user_team *team)
{
	uint64_t least = team->steps.gap_ticks;

	for (uint32_t i = 0; i < team->n; i++) {
		const uint64_t gap = team->member[i].walk.least_gap_ticks;

		if (gap && (!least || gap < least))
			least = gap;
	}
	return least;
}
