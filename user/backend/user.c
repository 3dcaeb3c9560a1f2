// SPDX-License-Identifier: GPL-2.0
/*
 * The backend "user": measures on the machine that it runs on, from user
 * space, on one CPU that it pins itself to. It takes memory and rights for
 * one batch at a time and gives them back after it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arch.h"
#include "backend.h"
#include "limits.h"
#include "machine.h"
#include "ring.h"
#include "user_chase.h"
#include "user_clock.h"
#include "user_mem.h"
#include "user_room.h"
#include "user_sched.h"

/* A batch is cut short after this, whatever it had planned. */
#define BATCH_MAX_NS 2000000000ull
/* The core clock before and after a batch may differ by this share. */
#define CLOCK_SHARE 0.01
/* An arena from here on has the memory asked about again. */
#define ROOM_AGAIN_BYTES (16ull << 20)
/* A ring that fits every cache, to go through all code once. */
#define REHEARSE_BYTES 16384u
#define REHEARSE_STRIDE 64u
#define REHEARSE_BURSTS 2u
#define NODES_TEXT 96

/* The backend's own. */
struct user {
	struct mp_user_sched sched;
	struct mp_user_clock clock;
	struct mp_user_words words;
	struct mp_user_room room;
	uint64_t seed;
	uint64_t start_ns;
	uint64_t arena_max_bytes;
	int32_t node;
	uint32_t pages;
	bool pages_forced;
	bool thp;	/* a trial got transparent huge pages */
	bool reserved;	/* a trial got reserved ones of 2 MiB */
	bool identify;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

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
	uint64_t bytes;

	mp_user_room_read(&user->room, "");
	bytes = (uint64_t)((double)user->room.bytes * MP_ARENA_SHARE);
	if (user->pages_forced && is_reserved(user->pages))
		bytes = mp_user_room_reserved("",
				mp_user_page_bytes(user->pages));
	return bytes < MP_ARENA_CAP_BYTES ? bytes : MP_ARENA_CAP_BYTES;
}

static int open_node(struct user *user, struct mp_target *target, int node)
{
	char nodes[NODES_TEXT];

	user->node = node < 0 ? MP_NODE_ANY : node;
	if (node < 0 || mp_user_node_known(node, nodes, sizeof(nodes)))
		return 0;
	return mp_target_fail(target, -EINVAL,
			      "node %d: no memory that may be used here: "
			      "choose one of %s", node, nodes);
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
	default:
		return mp_target_fail(target, -EINVAL,
			"pages %s: not to be had from user space: choose 4k, "
			"thp, 2m or 1g", mp_pages_name(pages));
	}
}

static int open_pages(struct user *user, struct mp_target *target, int pages)
{
	user->thp = mp_user_pages_work(MP_PAGES_THP, user->node);
	user->reserved = mp_user_pages_work(MP_PAGES_2M, user->node);
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
		if (mp_user_pages_work(MP_PAGES_1G, user->node))
			return 0;
		return refuse_pages(target, user->pages);
	default:
		return refuse_pages(target, user->pages);
	}
}

/* Return: 0, or what it cannot do. */
static int check_exp(const struct user *user, const struct mp_exp *exp)
{
	const struct mp_actor *actor = &exp->actor[0];

	if (mp_exp_check(exp, NULL, 0))
		return -EINVAL;
	if (exp->n_actors != 1 || exp->n_arenas != 1 || exp->n_steps ||
	    exp->carveout)
		return -EOPNOTSUPP;
	if (actor->op != MP_OP_CHASE || actor->copies != 1 ||
	    actor->together || actor->background || actor->pace ||
	    actor->access != MP_ACCESS_CACHED || actor->threads > 1)
		return -EOPNOTSUPP;
	if (actor->place != (uint32_t)user->sched.cpu)
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
	mp_rng_seed(&rng, mp_exp_seed(user->seed, batch->id,
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
	mp_user_clock_core(&user->clock, &grant->clock[0]);
	for (uint32_t i = 0; i < batch->exp.rounds && !err; i++)
		err = mp_user_walk_round(walk, (uint16_t)i, batch);
	mp_user_clock_core(&user->clock, &grant->clock[1]);
	grant->gap_ticks = walk->gap_ticks;
	return err;
}

static int measure_in(struct user *user, struct mp_batch *batch,
		      const struct mp_user_arena *arena)
{
	const struct mp_actor *actor = &batch->exp.actor[0];
	struct mp_user_walk walk = {
		.clock = &user->clock,
		.actor = actor,
		.window_ns = batch->exp.window_ns,
		.late_tick = mp_ticks_look() +
			     mp_user_clock_ticks(&user->clock, BATCH_MAX_NS),
	};
	int err;

	if (actor->offset + actor->length > arena->bytes)
		return -EINVAL;
	err = link_ring(user, batch, arena, &walk);
	if (err)
		return err;
	return walk_rounds(user, batch, &walk);
}

static void fill_grant(const struct user *user, struct mp_grant *grant,
		       const struct mp_user_arena *arena)
{
	grant->tick_hz = user->clock.hz;
	grant->tick_step = user->clock.step_ticks;
	grant->read_ticks = user->clock.read_ticks;
	grant->look_ticks = user->clock.look_ticks;
	grant->n_arenas = 1;
	grant->arena[0] = arena->got;
}

static void flag_clock(struct mp_batch *batch)
{
	for (uint32_t i = 0; i < batch->n_samples; i++)
		batch->sample[i].flags |= MEMPROBE_F_CLOCK;
}

static int measure(struct user *user, struct mp_batch *batch)
{
	const struct mp_arena *want = &batch->exp.arena[0];
	struct mp_user_arena arena;
	struct mp_rng rng;
	bool steady;
	int err;

	if (want->bytes >= ROOM_AGAIN_BYTES)
		user->arena_max_bytes = arena_max(user);
	if (want->bytes > user->arena_max_bytes)
		return -ENOMEM;
	/* Not the stream that the order comes from: how many pages there are
	 * must not change the order. */
	mp_rng_seed(&rng, mp_rng_mix(mp_exp_seed(user->seed, batch->id,
						 batch->replicate)));
	batch->grant.got = mp_user_sched_raise(&user->sched);
	err = mp_user_arena_map(&arena, want, user->pages_forced, &rng,
				&user->words);
	if (err)
		goto err_drop;
	err = measure_in(user, batch, &arena);
	steady = mp_user_clock_refine(&user->clock);
	fill_grant(user, &batch->grant, &arena);
	if (!steady || mp_user_clock_moved(&batch->grant.clock[0],
					   &batch->grant.clock[1],
					   CLOCK_SHARE))
		flag_clock(batch);
	mp_user_arena_unmap(&arena);
err_drop:
	mp_user_sched_drop(&user->sched);
	return err;
}

static void run_batch(struct user *user, const struct mp_exp *exp,
		      uint32_t replicate, struct mp_batch *batch)
{
	const uint64_t start_ns = now_ns();
	int err;

	err = check_exp(user, exp);
	if (!err)
		err = measure(user, batch);
	if (err) {
		mp_batch_free(batch);
		mp_batch_init(batch, exp, replicate);
		batch->error = err;
	}
	batch->start_ns = start_ns;
	batch->cost_ns = now_ns() - start_ns;
}

/* Once through everything, so that no batch pays for first-time faults. */
static void rehearse(struct user *user)
{
	const uint32_t slots = REHEARSE_BYTES / REHEARSE_STRIDE;
	struct mp_batch batch;
	struct mp_exp exp;

	mp_exp_chase(&exp, (uint32_t)user->sched.cpu, user->pages,
		     REHEARSE_BYTES, REHEARSE_STRIDE, 0);
	exp.actor[0].warm_hops = slots;
	exp.actor[0].bursts = REHEARSE_BURSTS;
	mp_batch_init(&batch, &exp, 0);
	run_batch(user, &exp, 0, &batch);
	mp_batch_free(&batch);
}

static void close_user(struct mp_target *target)
{
	struct user *user = target->priv;

	if (!user)
		return;
	mp_user_sched_close(&user->sched);
	mp_user_words_free(&user->words);
	free(user);
	target->priv = NULL;
}

static int open_parts(struct user *user, struct mp_target *target,
		      const struct mp_opts *opts)
{
	char why[MP_TARGET_WHY];
	int err;

	err = mp_user_sched_open(&user->sched, opts->cpu, why, sizeof(why));
	if (err)
		return mp_target_fail(target, err, "%s", why);
	err = mp_user_clock_open(&user->clock);
	if (err == -ENODEV)
		return mp_target_fail(target, err, "the tick counter of CPU "
				      "%d stands still: nothing can be timed "
				      "with it", user->sched.cpu);
	if (err)
		return mp_target_fail(target, err, "%s", strerror(-err));
	err = open_node(user, target, opts->node);
	if (err)
		return err;
	err = open_pages(user, target, opts->pages);
	if (err)
		return err;
	user->arena_max_bytes = arena_max(user);
	rehearse(user);
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
	target->seed = opts->seed;
	user->seed = opts->seed;
	user->identify = opts->identify;
	user->start_ns = now_ns();
	err = open_parts(user, target, opts);
	if (err)
		close_user(target);
	return err;
}

static void note_clock(struct mp_host *host, const struct mp_user_clock *clock)
{
	mp_host_condition(host, "tick-rate",
			  "%.0f Hz, against CLOCK_MONOTONIC_RAW", clock->hz);
	mp_host_condition(host, "tick-step", "%ju ticks (%.1f ns)",
			  (uintmax_t)clock->step_ticks,
			  (double)clock->step_ticks * 1e9 / clock->hz);
	mp_host_condition(host, "tick-read", "%.1f ticks for two reads",
			  clock->read_ticks);
	mp_host_condition(host, "tick-look", "%.2f ticks",
			  clock->look_ticks);
	if (clock->unsteady > MP_USER_UNSTEADY)
		mp_host_condition(host, "tick-unsteady",
				  "two estimates of its rate differ by %.2g",
				  clock->unsteady);
	if (clock->backwards)
		mp_host_condition(host, "tick-backwards",
				  "%u reads were earlier than the one before",
				  clock->backwards);
}

static void note_memory(struct mp_host *host, const struct user *user)
{
	mp_host_condition(host, "pages", "%s%s, transparent huge: %s, "
			  "reserved 2 MiB: %s", mp_pages_name(user->pages),
			  user->pages_forced ? " (asked for)" : "",
			  user->thp ? "granted" : "not granted",
			  user->reserved ? "granted" : "none free");
	mp_host_condition(host, "memory-bound", "arenas up to %ju MiB; %ju "
			  "MiB free by %s",
			  (uintmax_t)(user->arena_max_bytes >> 20),
			  (uintmax_t)(user->room.bytes >> 20),
			  user->room.bound);
}

static int look_user(struct mp_target *target, struct mp_host *host)
{
	const struct user *user = target->priv;
	const struct mp_user_sched *sched = &user->sched;
	char allowed[MP_HOST_TEXT];
	int err;

	host->caps = MP_CAP_CHASE | MP_CAP_CORE_CLOCK;
	if (user->pages_forced ? user->pages != MP_PAGES_4K :
				 user->thp || user->reserved)
		host->caps |= MP_CAP_HUGE;
	host->cpu = (uint32_t)sched->cpu;
	host->node = user->node;
	host->pages = user->pages;
	host->pages_forced = user->pages_forced;
	host->arena_max_bytes = user->arena_max_bytes;
	host->start_ns = user->start_ns;
	mp_user_cpus_print(sched->before, sched->n_cpus, allowed,
			   sizeof(allowed));
	mp_host_condition(host, "cpus-allowed", "%s", allowed);
	mp_host_condition(host, "scheduling", "%s",
			  mp_user_sched_rights(sched));
	note_memory(host, user);
	note_clock(host, &user->clock);
	err = mp_machine_claims(host, host->cpu, user->identify);
	if (err)
		return mp_target_fail(target, err, "CPU %u: no longer online",
				      host->cpu);
	return 0;
}

static int run_user(struct mp_target *target, const struct mp_exp *exp,
		    uint32_t replicate, struct mp_batch *batch)
{
	run_batch(target->priv, exp, replicate, batch);
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
