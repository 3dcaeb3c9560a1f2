// SPDX-License-Identifier: GPL-2.0
/*
 * The place that is measured from, and what holds for every batch that is
 * measured there.
 */
#include "user_place.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "limits.h"
#include "machine.h"
#include "user_mem.h"

/* A ring that fits every cache, to go through all code once. */
#define REHEARSE_BYTES 16384u
#define REHEARSE_STRIDE 64u
#define REHEARSE_BURSTS 2u
#define NODES_TEXT 96

uint64_t mp_user_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static int open_node(struct mp_user_place *place, struct mp_target *target,
		     int node)
{
	char nodes[NODES_TEXT];

	place->node = node < 0 ? MP_NODE_ANY : node;
	if (node < 0 || mp_user_node_known(node, nodes, sizeof(nodes)))
		return 0;
	return mp_target_fail(target, -EINVAL,
			      "node %d: no memory that may be used here: "
			      "choose one of %s", node, nodes);
}

int mp_user_place_open(struct mp_user_place *place, struct mp_target *target,
		       const struct mp_opts *opts)
{
	char why[MP_TARGET_WHY];
	int err;

	memset(place, 0, sizeof(*place));
	target->seed = opts->seed;
	place->seed = opts->seed;
	place->identify = opts->identify;
	place->start_ns = mp_user_now_ns();
	err = mp_user_sched_open(&place->sched, opts->cpu, why, sizeof(why));
	if (err)
		return mp_target_fail(target, err, "%s", why);
	err = mp_user_clock_open(&place->clock);
	if (err == -ENODEV)
		return mp_target_fail(target, err, "the tick counter of CPU "
				      "%d stands still: nothing can be timed "
				      "with it", place->sched.cpu);
	if (err)
		return mp_target_fail(target, err, "%s", strerror(-err));
	return open_node(place, target, opts->node);
}

void mp_user_place_close(struct mp_user_place *place)
{
	mp_user_sched_close(&place->sched);
}

uint64_t mp_user_place_arena_max(struct mp_user_place *place)
{
	uint64_t bytes;

	mp_user_room_read(&place->room, "");
	bytes = (uint64_t)((double)place->room.bytes * MP_ARENA_SHARE);
	return bytes < MP_ARENA_CAP_BYTES ? bytes : MP_ARENA_CAP_BYTES;
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

int mp_user_place_look(const struct mp_user_place *place,
		       struct mp_target *target, struct mp_host *host)
{
	const struct mp_user_sched *sched = &place->sched;
	char allowed[MP_HOST_TEXT];
	int err;

	host->cpu = (uint32_t)sched->cpu;
	for (int i = 0; i < sched->n_cpus; i++)
		if (mp_user_sched_may(sched, i))
			mp_cpus_add(&host->cpus, (uint32_t)i);
	host->node = place->node;
	host->start_ns = place->start_ns;
	mp_host_condition(host, "memory-bound", "arenas up to %ju MiB; %ju "
			  "MiB free by %s",
			  (uintmax_t)(host->arena_max_bytes >> 20),
			  (uintmax_t)(place->room.bytes >> 20),
			  place->room.bound);
	mp_user_cpus_print(sched->before, sched->n_cpus, allowed,
			   sizeof(allowed));
	mp_host_condition(host, "cpus-allowed", "%s", allowed);
	mp_host_condition(host, "scheduling", "%s",
			  mp_user_sched_rights(sched));
	note_clock(host, &place->clock);
	err = mp_machine_claims(host, host->cpu, place->identify);
	if (err)
		return mp_target_fail(target, err, "CPU %u: no longer online",
				      host->cpu);
	return 0;
}

bool mp_user_place_plain(const struct mp_actor *actor)
{
	return actor->copies == 1 && !actor->together && !actor->pace &&
	       actor->access == MP_ACCESS_CACHED && actor->threads <= 1;
}

int mp_user_place_check(const struct mp_user_place *place,
			const struct mp_exp *exp)
{
	const struct mp_actor *actor = &exp->actor[0];

	if (mp_exp_check(exp, NULL, 0))
		return -EINVAL;
	if (exp->n_actors != 1 || exp->n_arenas != 1 || exp->carveout)
		return -EOPNOTSUPP;
	if (actor->background || actor->every > 1 ||
	    !mp_user_place_plain(actor))
		return -EOPNOTSUPP;
	if (actor->place != (uint32_t)place->sched.cpu)
		return -EOPNOTSUPP;
	return 0;
}

void mp_user_place_grant(const struct mp_user_place *place,
			 const struct mp_grant_arena *arena,
			 uint32_t n_arenas, struct mp_grant *grant)
{
	grant->tick_hz = place->clock.hz;
	grant->tick_step = place->clock.step_ticks;
	grant->read_ticks = place->clock.read_ticks;
	grant->look_ticks = place->clock.look_ticks;
	grant->n_arenas = n_arenas;
	for (uint32_t i = 0; i < n_arenas; i++)
		grant->arena[i] = arena[i];
}

void mp_user_place_settle(struct mp_user_place *place, struct mp_batch *batch)
{
	const struct mp_clock_record *clock = batch->grant.clock;
	const bool steady = mp_user_clock_refine(&place->clock);
	const double share = mp_user_clock_share(&clock[0], &clock[1],
						 batch->exp.rounds);

	if (steady && !mp_user_clock_moved(&clock[0], &clock[1], share))
		return;
	for (uint32_t i = 0; i < batch->n_samples; i++)
		batch->sample[i].flags |= MEMPROBE_F_CLOCK;
}

void mp_user_place_run(int (*run)(void *ctx, struct mp_batch *batch),
		       void *ctx, const struct mp_exp *exp, uint32_t replicate,
		       struct mp_batch *batch)
{
	const uint64_t start_ns = mp_user_now_ns();
	const int err = run(ctx, batch);

	if (err) {
		mp_batch_free(batch);
		mp_batch_init(batch, exp, replicate);
		batch->error = err;
	}
	batch->start_ns = start_ns;
	batch->cost_ns = mp_user_now_ns() - start_ns;
}

int mp_user_place_rehearse(const struct mp_user_place *place,
			   int (*run)(void *ctx, struct mp_batch *batch),
			   void *ctx, uint32_t pages)
{
	struct mp_batch batch;
	struct mp_exp exp;
	int err;

	mp_exp_chase(&exp, (uint32_t)place->sched.cpu, pages, REHEARSE_BYTES,
		     REHEARSE_STRIDE, 0);
	exp.actor[0].warm_hops = REHEARSE_BYTES / REHEARSE_STRIDE;
	exp.actor[0].bursts = REHEARSE_BURSTS;
	mp_batch_init(&batch, &exp, 0);
	mp_user_place_run(run, ctx, &exp, 0, &batch);
	err = batch.error;
	mp_batch_free(&batch);
	return err;
}
