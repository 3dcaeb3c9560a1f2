// SPDX-License-Identifier: GPL-2.0
/*
 * The backend "user": measures on the machine that it runs on, from user
 * space, on one CPU that it pins itself to. It takes memory and rights for
 * one batch at a time and gives them back after it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch.h"
#include "limits.h"
#include "ring.h"
#include "user_chase.h"
#include "user_mem.h"
#include "user_place.h"

/* The backend's own. */
struct user {
	struct mp_user_place place;
	struct mp_user_words words;
	uint64_t arena_max_bytes;
	uint32_t pages;
	bool pages_forced;
	bool thp;	/* a trial got transparent huge pages */
	bool reserved;	/* a trial got reserved ones of 2 MiB */
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
		user->pages = user->thp ? MP_PAGES_THP : MP_PAGES_4K;
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

/* Return: 0, or what it cannot do. */
static int check_exp(const struct user *user, const struct mp_exp *exp)
{
	int err;

	err = mp_user_place_check(&user->place, exp);
	if (err)
		return err;
	if (exp->actor[0].op != MP_OP_CHASE || exp->n_steps)
		return -EOPNOTSUPP;
	if (exp->arena[0].pages > MP_PAGES_1G ||
	    (user->pages_forced && exp->arena[0].pages != user->pages))
		return -EOPNOTSUPP;
	return 0;
}

/* Writes the links; the walk begins at the first slot. */
static int link_ring(struct user *user, const struct mp_batch *batch,
		     const struct mp_user_arena *arena,
		     struct mp_user_walk *walk)
{
	const struct mp_actor *actor = walk->actor;
	const struct mp_ring ring = {
		.length_bytes = actor->length,
		.stride_bytes = actor->stride,
		.reach_bytes = actor->reach,
		.skew_bytes = actor->skew,
	};
	struct mp_rng rng;
	uint32_t *order;
	int err;

	err = mp_ring_check(&ring);
	if (err)
		return err;
	walk->slots = mp_ring_slots(&ring);
	order = mp_user_words_get(&user->words, walk->slots);
	if (!order)
		return -ENOMEM;
	mp_rng_seed(&rng, mp_exp_seed(user->place.seed, batch->id,
				      batch->replicate));
	walk->cursor = mp_ring_link(&ring, arena->base + actor->offset, order,
				    &rng);
	return 0;
}

static int walk_rounds(struct user *user, struct mp_batch *batch,
		       struct mp_user_walk *walk)
{
	struct mp_grant *grant = &batch->grant;
	int err = 0;

	grant->n_clocks = 2;
	mp_user_clock_core(&user->place.clock, &grant->clock[0]);
	for (uint32_t i = 0; i < batch->exp.rounds && !err; i++)
		err = mp_user_walk_round(walk, (uint16_t)i, batch);
	mp_user_clock_core(&user->place.clock, &grant->clock[1]);
	grant->gap_ticks = walk->gap_ticks;
	return err;
}

static int measure_in(struct user *user, struct mp_batch *batch,
		      const struct mp_user_arena *arena)
{
	const struct mp_actor *actor = &batch->exp.actor[0];
	struct mp_user_walk walk = {
		.clock = &user->place.clock,
		.actor = actor,
		.window_ns = batch->exp.window_ns,
		.late_tick = mp_ticks_look() +
			     mp_user_clock_ticks(&user->place.clock,
						 MP_USER_BATCH_NS),
	};
	int err;

	if (actor->offset + actor->length > arena->bytes)
		return -EINVAL;
	err = link_ring(user, batch, arena, &walk);
	if (err)
		return err;
	return walk_rounds(user, batch, &walk);
}

static int measure(struct user *user, struct mp_batch *batch)
{
	const struct mp_arena *want = &batch->exp.arena[0];
	struct mp_user_arena arena;
	struct mp_rng rng;
	int err;

	if (want->bytes >= MP_USER_ROOM_AGAIN_BYTES)
		user->arena_max_bytes = arena_max(user);
	if (want->bytes > user->arena_max_bytes)
		return -ENOMEM;
	/* Not the stream that the order comes from: how many pages there are
	 * must not change the order. */
	mp_rng_seed(&rng, mp_rng_mix(mp_exp_seed(user->place.seed, batch->id,
						 batch->replicate)));
	batch->grant.got = mp_user_sched_raise(&user->place.sched);
	err = mp_user_arena_map(&arena, want, user->pages_forced, &rng,
				&user->words);
	if (err)
		goto err_drop;
	err = measure_in(user, batch, &arena);
	mp_user_place_settle(&user->place, batch);
	mp_user_place_grant(&user->place, &arena.got, &batch->grant);
	mp_user_arena_unmap(&arena);
err_drop:
	mp_user_sched_drop(&user->place.sched);
	return err;
}

static int check_and_measure(void *ctx, struct mp_batch *batch)
{
	struct user *user = ctx;
	const int err = check_exp(user, &batch->exp);

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

	host->caps = MP_CAP_CHASE | MP_CAP_CORE_CLOCK;
	if (user->pages_forced ? user->pages != MP_PAGES_4K :
				 user->thp || user->reserved)
		host->caps |= MP_CAP_HUGE;
	host->pages = user->pages;
	host->pages_forced = user->pages_forced;
	host->arena_max_bytes = user->arena_max_bytes;
	note_memory(host, user);
	return mp_user_place_look(&user->place, target, host);
}

static int run_user(struct mp_target *target, const struct mp_exp *exp,
		    uint32_t replicate, struct mp_batch *batch)
{
	mp_user_place_run(check_and_measure, target->priv, exp, replicate,
			  batch);
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
