/* SPDX-License-Identifier: GPL-2.0 */
/* Probes put to a simulated machine: the loop of the runner, without its
 * budget. */
#ifndef MADE_SIM_H
#define MADE_SIM_H

#include "backend/sim_machine.h"
#include "batch_index.h"
#include "probe.h"
#include "probe/cpu.h"

#define MADE_SIM_BATCHES 16384u

/**
 * struct made_sim - a run on a simulated machine
 * @machine: it
 * @view: what probes are shown
 * @facts: found so far
 * @hops: measured in all
 * @n, @batch, @seen: all batches
 * @index: them by experiment
 * @spoil: changes each batch once it is made; NULL
 */
struct made_sim {
	struct mp_sim_machine machine;
	struct mp_view view;
	struct mp_facts facts;
	uint64_t hops;
	uint32_t n;
	struct mp_batch *batch[MADE_SIM_BATCHES];
	const struct mp_batch *seen[MADE_SIM_BATCHES];
	struct mp_batch_index index;
	void (*spoil)(struct mp_batch *batch);
};

/** made_sim_open() - a machine of a few words; lines of the first level are
 * known, and the clock's step has been seen */
void made_sim_open(struct made_sim *sim, const char *text);
/** made_sim_open_quiet() - .. with a seed of the run, where prefetchers are wished
 * off and sequences are to be had; arenas of 64 MiB */
void made_sim_open_quiet(struct made_sim *sim, const char *text, uint64_t seed);
/** made_sim_tell_quiet() - wish prefetchers off, and measure one ring that tells that
 * they can be turned off */
void made_sim_tell_quiet(struct made_sim *sim);
void made_sim_close(struct made_sim *sim);

/** made_sim_run() - what the first stage that lacks anything lacks
 * Return: batches made. The plan is freed. */
uint32_t made_sim_run(struct made_sim *sim, struct mp_plan *plan);

/** made_sim_ask() - a probe, until it wants no more, then what it infers */
void made_sim_ask(struct made_sim *sim, const struct mp_probe *probe);

/** made_sim_ask_levels() - sizes and latencies of a quiet machine whose clock counts core
 * cycles */
void made_sim_ask_levels(struct made_sim *sim, const char *text, uint64_t seed);

/** made_sim_edges() - edges as they would be found: at what a level and those
 * inside hold, limits a little on either side */
void made_sim_edges(const struct made_sim *sim, struct mp_cpu_edges *edges);

/** made_sim_fact() - the latest fact of a name; fails where there is none */
const struct mp_fact *made_sim_fact(const struct made_sim *sim,
				    const char *name);

/** made_sim_not_wrong() - it is measured within a share, or a bound that holds,
 * or not measured; fails where it is wrong */
const struct mp_fact *made_sim_not_wrong(const struct made_sim *sim,
					 const char *name, double value,
					 double share);

#endif
