// SPDX-License-Identifier: GPL-2.0
/*
 * Phases follow in order; actors of one phase start at one moment, each with
 * a clock of its own. Whoever is furthest behind makes the next few hops, so
 * that hops of all of them meet in the levels that they share as they would
 * in time. An actor that is alone in its phase is walked without asking
 * whose turn it is.
 */
#include "sim_phase.h"

#include "sim_sequence.h"

/* The core clock is measured by chains of so many cycles .. */
#define CHAIN_CYCLES 131072.0
/* .. or of as many as take so many steps of the tick counter, up to a bound. */
#define CHAIN_STEPS 4096.0
#define CHAIN_CYCLES_MAX 4194304.0
/* The core clock before and after may differ by this share. */
#define CLOCK_SHARE 0.01

/* A chain of known cycles, the least disturbed of a few tries. */
static double measure_hz(struct mp_sim_walk *walk)
{
	const double step_cycles = walk->machine->ticks.step_ticks *
				   walk->clock.hz /
				   mp_sim_clock_tick_hz(walk->machine);
	double cycles = CHAIN_STEPS * step_cycles;
	uint64_t start;

	if (cycles < CHAIN_CYCLES)
		cycles = CHAIN_CYCLES;
	if (cycles > CHAIN_CYCLES_MAX)
		cycles = CHAIN_CYCLES_MAX;
	start = mp_sim_clock_tick(&walk->clock);
	mp_sim_clock_work(&walk->clock, cycles);
	start = mp_sim_clock_tick(&walk->clock) - start;
	return start ? cycles * mp_sim_clock_tick_hz(walk->machine) /
		       (double)start : 0;
}

static void record_clock(struct mp_sim_walk *walk, struct mp_grant *grant)
{
	struct mp_clock_record *record = &grant->clock[grant->n_clocks++];

	record->at_ns = mp_sim_clock_ns(&walk->clock);
	record->add_hz = measure_hz(walk);
	record->mul_hz = measure_hz(walk);
}

static void flag_clock(struct mp_batch *batch)
{
	const struct mp_grant *grant = &batch->grant;
	const double before = grant->clock[0].add_hz;
	const double after = grant->clock[grant->n_clocks - 1].add_hz;

	if (after - before < CLOCK_SHARE * before &&
	    before - after < CLOCK_SHARE * before)
		return;
	for (uint32_t i = 0; i < batch->n_samples; i++)
		batch->sample[i].flags |= MEMPROBE_F_CLOCK;
}

static int burst(struct mp_sim_walk *walk, uint32_t round, uint32_t n,
		 struct mp_batch *batch)
{
	if (walk->actor->op == MP_OP_SEQUENCE)
		return mp_sim_sequence_burst(walk, (uint16_t)round, (uint16_t)n,
					     batch);
	return mp_sim_walk_burst(walk, (uint16_t)round, (uint16_t)n, batch);
}

/* Nobody else in its phase: warm-up and bursts in one go. */
static int run_alone(struct mp_sim_walk *walk, uint32_t round, bool record,
		     struct mp_batch *batch)
{
	int err = 0;

	walk->ring.in_turn = false;
	if (walk->actor->op == MP_OP_CHASE)
		mp_sim_walk_warm(walk);
	if (record)
		record_clock(walk, &batch->grant);
	for (uint32_t i = 0; i < walk->actor->bursts && !err; i++)
		err = burst(walk, round, i, batch);
	return err;
}

static struct mp_sim_walk *furthest_behind(struct mp_sim_walk *const *walk,
					   uint32_t n)
{
	struct mp_sim_walk *behind = walk[0];

	for (uint32_t i = 1; i < n; i++) {
		if (walk[i]->clock.now_ns < behind->clock.now_ns)
			behind = walk[i];
	}
	return behind;
}

static void leave(struct mp_sim_walk **walk, uint32_t *n,
		  const struct mp_sim_walk *who)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < *n; i++) {
		if (walk[i] != who)
			walk[kept++] = walk[i];
	}
	*n = kept;
}

/* Until all that are measured have ended. @walk is written to. */
static int run_together(struct mp_sim_walk **walk, uint32_t n, uint32_t round,
			struct mp_batch *batch)
{
	uint32_t measured = 0;
	int more;

	for (uint32_t i = 0; i < n; i++) {
		walk[i]->ring.in_turn = true;
		mp_sim_walk_begin(walk[i], round);
		measured += !walk[i]->actor->background;
	}
	while (measured) {
		struct mp_sim_walk *next = furthest_behind(walk, n);

		if (next->actor->background) {
			mp_sim_walk_load(next);
			continue;
		}
		more = mp_sim_walk_step(next, batch);
		if (more < 0)
			return more;
		if (more)
			continue;
		leave(walk, &n, next);
		measured--;
	}
	return 0;
}

/* All clocks to the moment of the one that is furthest. */
static void meet(struct mp_sim_troupe *troupe)
{
	double last_ns = 0;

	for (uint32_t i = 0; i < troupe->n; i++) {
		if (troupe->walk[i].clock.now_ns > last_ns)
			last_ns = troupe->walk[i].clock.now_ns;
	}
	for (uint32_t i = 0; i < troupe->n; i++) {
		struct mp_sim_clock *clock = &troupe->walk[i].clock;

		if (clock->now_ns < last_ns)
			mp_sim_clock_sleep(clock, last_ns - clock->now_ns);
	}
}

static int run_phase(struct mp_sim_troupe *troupe, uint32_t phase,
		     uint32_t round, struct mp_batch *batch)
{
	struct mp_sim_walk *walk[MP_EXP_ACTORS];
	uint32_t n = 0;
	int err;

	for (uint32_t i = 0; i < troupe->n; i++) {
		if (troupe->walk[i].actor->phase == phase &&
		    mp_actor_acts(troupe->walk[i].actor, round))
			walk[n++] = &troupe->walk[i];
	}
	if (!n)
		return 0;
	if (n > 1)
		err = run_together(walk, n, round, batch);
	else
		err = run_alone(walk[0], round, troupe->n == 1 && !round,
				batch);
	/* What the others do in their phases is no part of its turns. */
	for (uint32_t i = 0; troupe->n > 1 && i < troupe->n; i++)
		mp_sim_ring_unsettle(&troupe->walk[i].ring);
	return err;
}

int mp_sim_phase_rounds(struct mp_sim_troupe *troupe, struct mp_batch *batch)
{
	int err = 0;

	/* Others and neighbours would find what lies ahead of the hops. */
	troupe->walk[0].ring.is_alone = troupe->n == 1 &&
					!troupe->walk[0].machine->n_neighbours;
	record_clock(&troupe->walk[0], &batch->grant);
	for (uint32_t i = 0; i < batch->exp.rounds && !err; i++) {
		for (uint32_t k = 0; k < MP_EXP_ACTORS && !err; k++) {
			meet(troupe);
			err = run_phase(troupe, k, i, batch);
		}
	}
	meet(troupe);
	record_clock(&troupe->walk[0], &batch->grant);
	flag_clock(batch);
	meet(troupe);
	return err;
}
