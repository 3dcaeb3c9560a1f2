/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Time on a simulated machine: core cycles pass, the core clock wanders, the
 * tick counter moves in steps, and now and then somebody else has the CPU.
 */
#ifndef MP_SIM_CLOCK_H
#define MP_SIM_CLOCK_H

#include "rng.h"
#include "sim_machine.h"

/**
 * struct mp_sim_clock - the clocks of one batch
 * @machine: not owned
 * @world: seed of what happens to the machine whoever measures: drift,
 *	jumps, neighbours. They are functions of the moment
 * @start_ns: when the batch began
 * @now_ns: since then
 * @hz: core clock, up to @until_ns
 * @until_ns: since @start_ns
 * @calm_ns: time of its own that the batch has before the next gap
 * @phase: the part of a tick that had passed when it began
 * @rng: source of gaps
 * @gaps: gaps so far
 * @lost_ns: time lost in them
 */
struct mp_sim_clock {
	const struct mp_sim_machine *machine;
	uint64_t world;
	uint64_t start_ns;
	double now_ns;
	double hz;
	double until_ns;
	double calm_ns;
	double phase;
	struct mp_rng rng;
	uint64_t gaps;
	double lost_ns;
};

/**
 * mp_sim_clock_init() - begin a batch
 * @machine: must stay
 * @world: the same for all batches of a run
 * @start_ns: the moment
 * @seed: of its gaps
 */
void mp_sim_clock_init(struct mp_sim_clock *clock,
		       const struct mp_sim_machine *machine, uint64_t world,
		       uint64_t start_ns, uint64_t seed);

/** mp_sim_clock_work() - core cycles pass, undisturbed */
void mp_sim_clock_work(struct mp_sim_clock *clock, double cycles);

/** mp_sim_clock_spend() - core cycles pass, and the gaps that fall due */
void mp_sim_clock_spend(struct mp_sim_clock *clock, double cycles);

/** mp_sim_clock_sleep() - time passes that is not the core's */
void mp_sim_clock_sleep(struct mp_sim_clock *clock, double ns);

/** mp_sim_clock_ns() - now, on the clock of memprobe_sample.start_ns */
uint64_t mp_sim_clock_ns(const struct mp_sim_clock *clock);

/** mp_sim_clock_tick() - what the tick counter shows now, in whole steps */
uint64_t mp_sim_clock_tick(const struct mp_sim_clock *clock);

/** mp_sim_clock_tick_hz() - ticks a second */
double mp_sim_clock_tick_hz(const struct mp_sim_machine *machine);

/** mp_sim_clock_hz() - the true core clock at a moment */
double mp_sim_clock_hz(const struct mp_sim_machine *machine, uint64_t world,
		       double at_ns);

/**
 * mp_sim_clock_share() - what a neighbour holds now
 * @index: which neighbour of the machine
 * @period: gets the number of the period; the share is another when it is
 */
double mp_sim_clock_share(const struct mp_sim_clock *clock, uint32_t index,
			  uint64_t *period);

#endif
