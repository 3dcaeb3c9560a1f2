// SPDX-License-Identifier: GPL-2.0
/*
 * The backend "user": measures on the machine that it runs on, from user
 * space, on one CPU that it pins itself to. It takes memory and rights for
 * one batch at a time and gives them back after it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch.h"
#include "limits.h"
#include "user_chase.h"
#include "user_mem.h"
#include "user_place.h"
#include "user_ring.h"
#include "user_rules.h"
#include "user_steps.h"
#include "user_team.h"
#include "why.h"

/*
 * The backend's own.
 * @pages_forced: no other kind of pages may be used
 * @thp: a trial got transparent huge pages
 * @reserved: a trial got reserved ones of 2 MiB
 * @look_ticks: the least that a look at the clocks has taken
 * @why: what is wrong with the present batch
 */
struct user {
	struct mp_user_place place;
	struct mp_user_words words;
	uint64_t arena_max_bytes;
	uint32_t pages;
	bool pages_forced;
	bool thp;
	bool reserved;
	uint64_t look_ticks;
	char why[MP_TARGET_WHY];
};

static bool is_reserved(uint32_t pages)
{
	return pages == MP_PAGES_2M || pages == MP_PAGES_1G;
}

/*
 * The largest arena. Reserved huge pages lie there for this use and are no
 * part of MemAvailable, so of them all may be taken.
 */
static uint64_t arena_max(struct user *user)
{
	const uint64_t bytes = mp_user_place_arena_max(&user->place);
	uint64_t reserved;

	if (!user->pages_forced || !is_reserved(user->pages))
		return bytes;
	reserved = mp_user_room_reserved("", mp_user_page_bytes(user->pages));
	return reserved < MP_ARENA_CAP_BYTES ? reserved : MP_ARENA_CAP_BYTES;
}

static int refuse_pages(struct mp_target *target, uint32_t pages)
{
	switch (pages) {
	case MP_PAGES_THP:
		return mp_target_fail(target, -EPERM,
			"pages thp: a trial got no transparent huge page: as "
			"root, echo madvise > /sys/kernel/mm/"
			"transparent_hugepage/enabled, or free some memory");
	case MP_PAGES_2M:
		return mp_target_fail(target, -EPERM,
			"pages 2m: no reserved huge page of 2 MiB is free: as "
			"root, echo 64 > /proc/sys/vm/nr_hugepages");
	case MP_PAGES_1G:
		return mp_target_fail(target, -EPERM,
			"pages 1g: no reserved huge page of 1 GiB is free: as "
			"root, echo 1 > /sys/kernel/mm/hugepages/"
			"hugepages-1048576kB/nr_hugepages");
	case MP_PAGES_CONTIG:
		return mp_target_fail(target, -ENODEV,
			"pages contig: not to be had from user space: as "
			"root, make run KMOD=1 loads the module that can, or "
			"choose 4k, thp or huge");
	default:
		return mp_target_fail(target, -EINVAL,
			"pages %s: not to be had from user space: choose 4k, "
			"thp or huge", mp_pages_name(pages));
	}
}

static int open_pages(struct user *user, struct mp_target *target, int pages)
{
	user->thp = mp_user_pages_work(MP_PAGES_THP, user->place.node);
	user->reserved = mp_user_pages_work(MP_PAGES_2M, user->place.node);
	user->pages_forced = pages >= 0;
	if (pages < 0) {
		/* Arenas that are larger than what is reserved get small
		 * pages, and say so. */
		user->pages = user->thp ? MP_PAGES_THP :
			      user->reserved ? MP_PAGES_2M : MP_PAGES_4K;
		return 0;
	}
	user->pages = (uint32_t)pages;
	switch (user->pages) {
	case MP_PAGES_4K:
		return 0;
	case MP_PAGES_THP:
		return user->thp ? 0 : refuse_pages(target, user->pages);
	case MP_PAGES_2M:
		return user->reserved ? 0 : refuse_pages(target, user->pages);
	case MP_PAGES_1G:
		if (mp_user_pages_work(MP_PAGES_1G, user->place.node))
			return 0;
		return refuse_pages(target, user->pages);
	default:
		return refuse_pages(target, user->pages);
	}
}

static int check_op(struct user *user, const struct mp_exp *exp)
{
	const struct mp_actor *actor = &exp->actor[0];
	const struct mp_user_rules rules = {
		"user space", user->why, sizeof(user->why),
	};
	int err;

	if (actor->op == MP_OP_CHASE)
		return mp_user_rules_none(&rules, "steps of a chase",
					  exp->n_steps);
	if (actor->op != MP_OP_SEQUENCE)
		return mp_why(user->why, sizeof(user->why), -EOPNOTSUPP,
			      "op %s: user space has not got it",
			      mp_op_name(actor->op));
	err = mp_user_rules_line(&rules, "offset", actor->offset);
	return err ? err : mp_user_rules_sequence(&rules, exp, MP_EXP_STEPS,
						  MP_STEPS_VISITS);
}

static int check_alone(struct user *user, const struct mp_exp *exp)
{
	const int err = mp_user_place_check(&user->place, exp);

	if (err)
		return mp_why(user->why, sizeof(user->why), err, "one actor "
			      "on CPU %d, in one arena, or several, is all "
			      "that there is here", user->place.sched.cpu);
	return check_op(user, exp);
}

/* Return: 0, or what it cannot do. */
static int check_exp(struct user *user, const struct mp_exp *exp)
{
	int err;

	err = mp_exp_check(exp, user->why, sizeof(user->why));
	if (!err && exp->n_actors > 1)
		err = mp_user_team_check(&user->place, exp, user->why,
					 sizeof(user->why));
	else if (!err)
		err = check_alone(user, exp);
	for (uint32_t i = 0; i < exp->n_arenas && !err; i++) {
		const uint32_t pages = exp->arena[i].pages;

		if (pages <= MP_PAGES_1G &&
		    (!user->pages_forced || pages == user->pages))
			continue;
		err = mp_why(user->why, sizeof(user->why), -EOPNOTSUPP,
			     "pages %s: not to be had%s",
			     mp_pages_name(pages), user->pages_forced ?
			     ", others were asked for" : " from user space");
	}
	return err;
}

typedef int round_fn(void *ctx, uint16_t round, struct mp_batch *batch);

/* The core clock, and what a read costs at it. */
static void look_at_clock(struct user *user, struct mp_clock_record *record)
{
	const uint64_t start = mp_ticks_look();
	uint64_t ticks;

	mp_user_clock_core(&user->place.clock, record);
	mp_user_clock_read(&user->place.clock, 1);
	ticks = mp_ticks_look() - start;
	if (!user->look_ticks || ticks < user->look_ticks)
		user->look_ticks = ticks;
}

/* All rounds, between two looks at the core clock and at what a read costs. */
static int run_rounds(struct user *user, struct mp_batch *batch,
		      round_fn *one_round, void *ctx)
{
	struct mp_user_clock *clock = &user->place.clock;
	struct mp_grant *grant = &batch->grant;
	int err = 0;

	grant->n_clocks = 2;
	look_at_clock(user, &grant->clock[0]);
	for (uint32_t i = 0; i < batch->exp.rounds && !err; i++)
		err = one_round(ctx, (uint16_t)i, batch);
	mp_user_clock_read(clock, 0.5);
	mp_user_clock_core(clock, &grant->clock[1]);
	return err;
}

static uint64_t late_tick(const struct user *user)
{
	return mp_ticks_look() + mp_user_clock_ticks(&user->place.clock,
						     MP_USER_BATCH_NS);
}

/* A chase, and whose look at the clock lies between its warm-up and bursts. */
struct chase {
	const struct user *user;
	struct mp_user_walk walk;
};

static int walk_round(void *ctx, uint16_t round, struct mp_batch *batch)
{
	struct chase *chase = ctx;

	if (!round)
		mp_user_walk_own(&chase->walk, chase->user->look_ticks);
	return mp_user_walk_round(&chase->walk, round, batch);
}

static int chase_in(struct user *user, struct mp_batch *batch,
		    const struct mp_user_arena *arena)
{
	struct chase chase = {
		.user = user,
		.walk = {
			.clock = &user->place.clock,
			.actor = &batch->exp.actor[0],
			.window_ns = batch->exp.window_ns,
			.late_tick = late_tick(user),
		},
	};
	int err;

	err = mp_user_ring_link(&chase.walk, arena,
				mp_exp_seed(user->place.seed, batch->id,
					    batch->replicate), &user->words);
	if (err)
		return err;
	/* Warm-up may take far longer than what is measured: a core clock that
	 * moves in it has moved before. */
	mp_user_walk_warm(&chase.walk);
	err = run_rounds(user, batch, walk_round, &chase);
	batch->grant.gap_ticks = chase.walk.least_gap_ticks;
	return err;
}

static int steps_round(void *ctx, uint16_t round, struct mp_batch *batch)
{
	return mp_user_steps_round(ctx, round, batch);
}

static int sequence_in(struct user *user, struct mp_batch *batch,
		       const struct mp_user_arena *arena)
{
	struct mp_user_steps run;
	int err;

	err = mp_user_steps_make(&run, &user->place.clock,
				 &batch->exp.actor[0], batch, arena,
				 mp_exp_seed(user->place.seed, batch->id,
					     batch->replicate),
				 late_tick(user));
	if (!err)
		err = run_rounds(user, batch, steps_round, &run);
	batch->grant.gap_ticks = run.gap_ticks;
	mp_user_steps_free(&run);
	return err;
}

static int team_round(void *ctx, uint16_t round, struct mp_batch *batch)
{
	return mp_user_team_round(ctx, round, batch);
}

static int team_in(struct user *user, struct mp_batch *batch,
		   const struct mp_user_arena *arena)
{
	struct mp_user_team team;
	int err;

	err = mp_user_team_make(&team, &user->place, batch, arena,
				late_tick(user), &user->words);
	team.why = user->why;
	team.room = sizeof(user->why);
	if (!err)
		err = run_rounds(user, batch, team_round, &team);
	batch->grant.gap_ticks = mp_user_team_gap_ticks(&team);
	mp_user_team_free(&team);
	return err;
}

static int measure_in(struct user *user, struct mp_batch *batch,
		      const struct mp_user_arena *arena)
{
	const struct mp_actor *actor = &batch->exp.actor[0];

	if (batch->exp.n_actors > 1)
		return team_in(user, batch, arena);
	if (actor->op == MP_OP_CHASE)
		return chase_in(user, batch, arena);
	return sequence_in(user, batch, arena);
}

static int check_room(struct user *user, const struct mp_exp *exp)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < exp->n_arenas; i++)
		bytes += exp->arena[i].bytes;
	if (bytes >= MP_USER_ROOM_AGAIN_BYTES)
		user->arena_max_bytes = arena_max(user);
	if (bytes <= user->arena_max_bytes)
		return 0;
	return mp_why(user->why, sizeof(user->why), -ENOMEM,
		      "arenas of %" PRIu64 " bytes: %" PRIu64 " are allowed",
		      bytes, user->arena_max_bytes);
}

/* All arenas of an experiment, or none. */
static int map_all(struct user *user, const struct mp_batch *batch,
		   struct mp_user_arena arena[MP_EXP_ARENAS])
{
	const struct mp_exp *exp = &batch->exp;
	struct mp_rng rng;
	int err = 0;

	memset(arena, 0, MP_EXP_ARENAS * sizeof(*arena));
	/* Not the stream that the order comes from: how many pages there are
	 * must not change the order. */
	mp_rng_seed(&rng, mp_rng_mix(mp_exp_seed(user->place.seed, batch->id,
						 batch->replicate)));
	for (uint32_t i = 0; i < exp->n_arenas && !err; i++)
		err = mp_user_arena_map(&arena[i], &exp->arena[i],
					user->pages_forced, &rng,
					&user->words);
	for (uint32_t i = 0; i < exp->n_arenas && err; i++)
		mp_user_arena_unmap(&arena[i]);
	return err;
}

static int measure(struct user *user, struct mp_batch *batch)
{
	struct mp_grant_arena got[MP_EXP_ARENAS];
	struct mp_user_arena arena[MP_EXP_ARENAS];
	const uint32_t n = batch->exp.n_arenas;
	int err;

	err = check_room(user, &batch->exp);
	if (err)
		return err;
	batch->grant.got = mp_user_sched_raise(&user->place.sched);
	err = map_all(user, batch, arena);
	if (err)
		goto err_drop;
	err = measure_in(user, batch, arena);
	mp_user_place_settle(&user->place, batch);
	for (uint32_t i = 0; i < n; i++) {
		got[i] = arena[i].got;
		mp_user_arena_unmap(&arena[i]);
	}
	mp_user_place_grant(&user->place, got, n, &batch->grant);
err_drop:
	mp_user_sched_drop(&user->place.sched);
	return err;
}

static int check_and_measure(void *ctx, struct mp_batch *batch)
{
	struct user *user = ctx;
	int err;

	user->why[0] = '\0';
	err = check_exp(user, &batch->exp);
	return err ? err : measure(user, batch);
}

static void close_user(struct mp_target *target)
{
	struct user *user = target->priv;

	if (!user)
		return;
	mp_user_place_close(&user->place);
	mp_user_words_free(&user->words);
	free(user);
	target->priv = NULL;
}

static int open_parts(struct user *user, struct mp_target *target,
		      const struct mp_opts *opts)
{
	int err;

	err = mp_user_place_open(&user->place, target, opts);
	if (err)
		return err;
	err = open_pages(user, target, opts->pages);
	if (err)
		return err;
	user->arena_max_bytes = arena_max(user);
	mp_user_place_rehearse(&user->place, check_and_measure, user,
			       user->pages);
	return 0;
}

static int open_user(struct mp_target *target, const struct mp_opts *opts)
{
	struct user *user;
	int err;

	target->priv = NULL;
	user = calloc(1, sizeof(*user));
	if (!user)
		return mp_target_fail(target, -ENOMEM, "out of memory");
	target->priv = user;
	err = open_parts(user, target, opts);
	if (err)
		close_user(target);
	return err;
}

static void note_memory(struct mp_host *host, const struct user *user)
{
	mp_host_condition(host, "pages", "%s%s, transparent huge: %s, "
			  "reserved 2 MiB: %s", mp_pages_name(user->pages),
			  user->pages_forced ? " (asked for)" : "",
			  user->thp ? "granted" : "not granted",
			  user->reserved ? "granted" : "none free");
}

static int look_user(struct mp_target *target, struct mp_host *host)
{
	const struct user *user = target->priv;
	int err;

	host->caps = MP_CAP_CHASE | MP_CAP_SEQUENCE | MP_CAP_CORE_CLOCK |
		     MP_CAP_PHASES | MP_CAP_MIXED;
	if (user->pages_forced ? user->pages != MP_PAGES_4K :
				 user->thp || user->reserved)
		host->caps |= MP_CAP_HUGE;
	host->pages = user->pages;
	host->pages_forced = user->pages_forced;
	host->arena_max_bytes = user->arena_max_bytes;
	note_memory(host, user);
	err = mp_user_place_look(&user->place, target, host);
	if (!err && mp_cpus_count(&host->cpus) > 1)
		host->caps |= MP_CAP_ACTORS;
	return err;
}

static int run_user(struct mp_target *target, const struct mp_exp *exp,
		    uint32_t replicate, struct mp_batch *batch)
{
	struct user *user = target->priv;

	mp_user_place_run(check_and_measure, user, exp, replicate, batch);
	if (batch->error)
		mp_target_fail(target, batch->error, "%s", user->why[0] ?
			       user->why : strerror(-batch->error));
	return 0;
}

const struct mp_backend mp_backend_user = {
	.name = "user",
	.says = "this machine, from user space",
	.unmet = mp_user_clock_unmet,
	.open = open_user,
	.look = look_user,
	.run = run_user,
	.close = close_user,
};
