// SPDX-License-Identifier: GPL-2.0
/*
 * The backend "sim": a machine that a text file describes, deterministic.
 * It supplies memory, clock and conditions, and knows of the tool no more
 * than module/core: what it measures is true by construction.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "sim_chase.h"
#include "sim_honour.h"
#include "sim_place.h"
#include "sim_sequence.h"

#define LABEL "simulated: "

/* The backend's own. */
struct sim {
	struct mp_sim_machine machine;
	struct mp_sim_room room;
	char file[MP_HOST_TEXT - sizeof(LABEL)];
	uint64_t seed;
	uint32_t cpu;
	uint32_t pages;
	bool pages_forced;
};

static void close_sim(struct mp_target *target)
{
	struct sim *sim = target->priv;

	if (!sim)
		return;
	mp_sim_machine_free(&sim->machine);
	mp_sim_room_free(&sim->room);
	free(sim);
	target->priv = NULL;
}

static int open_machine(struct sim *sim, struct mp_target *target,
			const char *file)
{
	int err;

	if (!file || !*file)
		return mp_target_fail(target, -EINVAL, "sim: no machine file: "
				      "write --backend sim=FILE");
	err = mp_sim_machine_read(&sim->machine, file, target->why,
				  sizeof(target->why));
	if (!err)
		err = mp_sim_honour(&sim->machine, file, target->why,
				    sizeof(target->why));
	return err;
}

static int open_place(struct sim *sim, struct mp_target *target,
		      const struct mp_opts *opts)
{
	const uint32_t cpus = sim->machine.general.cpus;

	if (opts->cpu >= 0 && (uint32_t)opts->cpu >= cpus)
		return mp_target_fail(target, -EINVAL, "CPU %d: this machine "
				      "has 0 .. %u", opts->cpu, cpus - 1);
	if (opts->node > 0)
		return mp_target_fail(target, -EINVAL, "node %d: this machine "
				      "has node 0 only", opts->node);
	sim->cpu = opts->cpu < 0 ? 0 : (uint32_t)opts->cpu;
	return 0;
}

static int open_pages(struct sim *sim, struct mp_target *target, int pages)
{
	const struct mp_sim_pages *place = &sim->machine.pages;

	sim->pages_forced = pages >= 0;
	sim->pages = pages < 0 ? MP_PAGES_THP : (uint32_t)pages;
	switch (sim->pages) {
	case MP_PAGES_4K:
		return 0;
	case MP_PAGES_THP:
		if (!sim->pages_forced || !place->thp_refused)
			return 0;
		return mp_target_fail(target, -EPERM, "pages thp: this machine "
				      "refuses them (place thp=refused)");
	case MP_PAGES_2M:
		if (place->huge_pages)
			return 0;
		return mp_target_fail(target, -EPERM, "pages 2m: this machine "
				      "has none reserved (place huge=0)");
	case MP_PAGES_1G:
		if (place->giant_pages)
			return 0;
		return mp_target_fail(target, -EPERM, "pages 1g: this machine "
				      "has none reserved (place giant=0)");
	case MP_PAGES_CONTIG:
		return mp_target_fail(target, -EPERM, "pages contig: a "
				      "simulated machine has 4k, thp, huge "
				      "or 1g (place pages=contiguous has them lie so)");
	default:
		return mp_target_fail(target, -EINVAL, "pages %s: a simulated "
				      "machine has 4k, thp, huge or 1g",
				      mp_pages_name(sim->pages));
	}
}

static int open_sim(struct mp_target *target, const struct mp_opts *opts)
{
	const char *slash;
	struct sim *sim;
	int err;

	target->priv = NULL;
	sim = calloc(1, sizeof(*sim));
	if (!sim)
		return mp_target_fail(target, -ENOMEM, "out of memory");
	target->priv = sim;
	target->seed = opts->seed;
	sim->seed = opts->seed;
	err = open_machine(sim, target, opts->file);
	if (!err)
		err = open_place(sim, target, opts);
	if (!err)
		err = open_pages(sim, target, opts->pages);
	if (err) {
		close_sim(target);
		return err;
	}
	slash = strrchr(opts->file, '/');
	snprintf(sim->file, sizeof(sim->file), "%s",
		 slash ? slash + 1 : opts->file);
	return 0;
}

static uint64_t arena_max(const struct sim *sim)
{
	const uint64_t giant = sim->machine.pages.giant_pages;
	const uint64_t huge = sim->machine.pages.huge_pages;
	uint64_t bytes = mp_sim_chase_max_bytes(&sim->machine);

	if (sim->pages_forced && sim->pages == MP_PAGES_2M &&
	    bytes > huge << MP_SIM_HUGE_SHIFT)
		bytes = huge << MP_SIM_HUGE_SHIFT;
	if (sim->pages_forced && sim->pages == MP_PAGES_1G &&
	    bytes > giant << MP_SIM_GIANT_SHIFT)
		bytes = giant << MP_SIM_GIANT_SHIFT;
	return bytes;
}

/* Nothing to turn off counts as turned off. */
static bool can_stop_prefetch(const struct mp_sim_machine *machine)
{
	for (uint32_t i = 0; i < machine->n_prefetchers; i++) {
		if (machine->prefetch[i].can_switch)
			return true;
	}
	return !machine->n_prefetchers;
}

static int look_sim(struct mp_target *target, struct mp_host *host)
{
	const struct sim *sim = target->priv;
	const struct mp_sim_pages *place = &sim->machine.pages;

	host->caps = MP_CAP_CHASE | MP_CAP_SEQUENCE | MP_CAP_CORE_CLOCK |
		     MP_CAP_MODELLED | MP_CAP_PHASES | MP_CAP_MIXED;
	if (sim->pages_forced ? sim->pages != MP_PAGES_4K :
				!place->thp_refused || place->huge_pages)
		host->caps |= MP_CAP_HUGE;
	if (sim->pages_forced ? sim->pages == MP_PAGES_1G :
				place->giant_pages)
		host->caps |= MP_CAP_GIANT;
	if (sim->machine.general.cpus > 1)
		host->caps |= MP_CAP_ACTORS;
	if (can_stop_prefetch(&sim->machine))
		host->caps |= MP_CAP_PREFETCH_OFF;
	host->cpu = sim->cpu;
	for (uint32_t i = 0; i < sim->machine.general.cpus; i++)
		mp_cpus_add(&host->cpus, i);
	host->node = MP_NODE_ANY;
	host->pages = sim->pages;
	host->pages_forced = sim->pages_forced;
	host->arena_max_bytes = arena_max(sim);
	snprintf(host->model, sizeof(host->model), "%s",
		 sim->machine.general.name);
	snprintf(host->label, sizeof(host->label), LABEL "%s", sim->file);
	mp_host_condition(host, "pages", "transparent huge: %s, reserved "
			  "2 MiB: %u", place->thp_refused ? "refused" :
			  "granted", place->huge_pages);
	if (place->giant_pages)
		mp_host_condition(host, "giant pages", "reserved 1 GiB: %u",
				  place->giant_pages);
	return 0;
}

static int check_actor(const struct sim *sim, const struct mp_exp *exp,
		       const struct mp_actor *actor)
{
	if (actor->copies != 1 || actor->together || actor->threads > 1 ||
	    actor->access != MP_ACCESS_CACHED)
		return -EOPNOTSUPP;
	/* Pace is a load's; what is measured is measured as fast as it goes. */
	if (actor->pace && !actor->background)
		return -EOPNOTSUPP;
	if (actor->place >= sim->machine.general.cpus)
		return -EOPNOTSUPP;
	if (actor->op == MP_OP_SEQUENCE)
		return mp_sim_sequence_check(exp);
	return actor->op == MP_OP_CHASE &&
	       (!exp->n_steps || mp_exp_sequence(exp)) ? 0 : -EOPNOTSUPP;
}

/* A CPU does one thing at a time, and a sequence has its phase for itself. */
static int check_places(const struct mp_exp *exp, uint32_t n)
{
	const struct mp_actor *actor = &exp->actor[n];

	for (uint32_t i = 0; i < n; i++) {
		if (exp->actor[i].phase == actor->phase &&
		    (exp->actor[i].place == actor->place ||
		     exp->actor[i].op == MP_OP_SEQUENCE ||
		     actor->op == MP_OP_SEQUENCE))
			return -EOPNOTSUPP;
	}
	return 0;
}

/* Return: 0, or what it cannot do. */
static int check_exp(const struct sim *sim, const struct mp_exp *exp)
{
	int err = 0;

	if (mp_exp_check(exp, NULL, 0))
		return -EINVAL;
	if (exp->carveout)
		return -EOPNOTSUPP;
	for (uint32_t i = 0; i < exp->n_arenas; i++) {
		if (sim->pages_forced && exp->arena[i].pages != sim->pages)
			return -EOPNOTSUPP;
	}
	for (uint32_t i = 0; i < exp->n_actors && !err; i++) {
		err = check_actor(sim, exp, &exp->actor[i]);
		if (!err)
			err = check_places(exp, i);
	}
	return err;
}

static int run_sim(struct mp_target *target, const struct mp_exp *exp,
		   uint32_t replicate, struct mp_batch *batch)
{
	struct sim *sim = target->priv;
	int err;

	err = check_exp(sim, exp);
	if (!err)
		err = mp_sim_chase(&sim->machine, sim->seed, &sim->room, batch);
	if (err) {
		mp_batch_free(batch);
		mp_batch_init(batch, exp, replicate);
		batch->error = err;
	}
	return 0;
}

const struct mp_backend mp_backend_sim = {
	.name = "sim",
	.says = "a simulated machine, described in a text file",
	.asks_file = true,
	.open = open_sim,
	.look = look_sim,
	.run = run_sim,
	.close = close_sim,
};
