// SPDX-License-Identifier: GPL-2.0
/*
 * Time. Drift, jumps and neighbours are hashes of the moment, so that a batch
 * is the same whatever was measured before it; only gaps are drawn one
 * after the other, from the batch's own source.
 */
#include "sim_clock.h"

#include <math.h>
#include <string.h>

/* The core clock is one number for so long. */
#define CELL_NS 1e6
/* The drift goes from one random height to the next: a period is two. */
#define DRIFT_NS 5e8
/* Jumps lead from anywhere to anywhere in +-1/21: 22/20 is 10 % up. */
#define JUMP_SHARE (1.0 / 21)

enum salt {
	SALT_PHASE,
	SALT_DRIFT,
	SALT_JUMP_WHEN,
	SALT_JUMP_WHERE,
	SALT_SHARE,
};

/* A number 0 .. 1 that belongs to an event of the machine's history. */
static double chance(uint64_t world, uint64_t salt, uint64_t n)
{
	return (double)(mp_rng_mix(mp_rng_mix(world + salt) + n) >> 11) *
	       0x1p-53;
}

static double draw(struct mp_rng *rng)
{
	/* Never 0: its logarithm is taken. */
	return ((double)(mp_rng_next(rng) >> 11) + 1) * 0x1p-53;
}

static double drift_at(const struct mp_sim_machine *machine, uint64_t world,
		       double at_ns)
{
	const double n = floor(at_ns / DRIFT_NS), x = at_ns / DRIFT_NS - n;
	const double from = chance(world, SALT_DRIFT, (uint64_t)n);
	const double to = chance(world, SALT_DRIFT, (uint64_t)n + 1);
	const double height = from + (to - from) * x * x * (3 - 2 * x);

	return machine->ticks.drift * (2 * height - 1);
}

/* One jump in each 1/rate of a second, somewhere in it. */
static double jump_at(const struct mp_sim_machine *machine, uint64_t world,
		      double at_ns)
{
	const double x = at_ns * 1e-9 * machine->ticks.jumps_hz;
	uint64_t n = (uint64_t)x + 1;

	if (machine->ticks.jumps_hz <= 0)
		return 0;
	if (x - floor(x) < chance(world, SALT_JUMP_WHEN, n))
		n--;
	return JUMP_SHARE * (2 * chance(world, SALT_JUMP_WHERE, n) - 1);
}

double mp_sim_clock_hz(const struct mp_sim_machine *machine, uint64_t world,
		       double at_ns)
{
	const double cell_ns = floor(at_ns / CELL_NS) * CELL_NS;

	return machine->general.clock_mhz * 1e6 *
	       (1 + drift_at(machine, world, cell_ns)) *
	       (1 + jump_at(machine, world, cell_ns));
}

double mp_sim_clock_tick_hz(const struct mp_sim_machine *machine)
{
	return machine->ticks.tsc_mhz * 1e6;
}

/* Mean of a log-uniform length. */
static double mean_gap_ns(const struct mp_sim_range *us)
{
	if (us->low >= us->high)
		return us->low * 1e3;
	return (us->high - us->low) / log(us->high / us->low) * 1e3;
}

/*
 * With calm stretches of this mean between gaps, the share of time that is
 * lost comes out as stated: gap / (gap + calm).
 */
static double draw_calm(struct mp_sim_clock *clock)
{
	const struct mp_sim_noise *noise = &clock->machine->noise;

	if (noise->gaps <= 0)
		return INFINITY;
	return -log(draw(&clock->rng)) * mean_gap_ns(&noise->gap_us) *
	       (1 - noise->gaps) / noise->gaps;
}

static double draw_gap(struct mp_sim_clock *clock)
{
	const struct mp_sim_range *us = &clock->machine->noise.gap_us;

	return us->low * 1e3 * pow(us->high / us->low, draw(&clock->rng));
}

static void enter_cell(struct mp_sim_clock *clock)
{
	const double at_ns = (double)clock->start_ns + clock->now_ns;
	const double cell = floor(at_ns / CELL_NS);

	clock->hz = mp_sim_clock_hz(clock->machine, clock->world, at_ns);
	clock->until_ns = (cell + 1) * CELL_NS - (double)clock->start_ns;
}

void mp_sim_clock_init(struct mp_sim_clock *clock,
		       const struct mp_sim_machine *machine, uint64_t world,
		       uint64_t start_ns, uint64_t seed)
{
	memset(clock, 0, sizeof(*clock));
	clock->machine = machine;
	clock->world = world;
	clock->start_ns = start_ns;
	mp_rng_seed(&clock->rng, seed);
	clock->phase = chance(seed, SALT_PHASE, start_ns);
	clock->calm_ns = draw_calm(clock);
	enter_cell(clock);
}

void mp_sim_clock_sleep(struct mp_sim_clock *clock, double ns)
{
	clock->now_ns += ns;
	if (clock->now_ns >= clock->until_ns)
		enter_cell(clock);
}

void mp_sim_clock_work(struct mp_sim_clock *clock, double cycles)
{
	double here;

	for (;;) {
		here = (clock->until_ns - clock->now_ns) * clock->hz * 1e-9;
		if (cycles < here)
			break;
		cycles -= here;
		clock->now_ns = clock->until_ns;
		enter_cell(clock);
	}
	clock->now_ns += cycles * 1e9 / clock->hz;
}

void mp_sim_clock_spend(struct mp_sim_clock *clock, double cycles)
{
	const double before_ns = clock->now_ns;
	double gap_ns;

	mp_sim_clock_work(clock, cycles);
	clock->calm_ns -= clock->now_ns - before_ns;
	while (clock->calm_ns <= 0) {
		gap_ns = draw_gap(clock);
		mp_sim_clock_sleep(clock, gap_ns);
		clock->gaps++;
		clock->lost_ns += gap_ns;
		clock->calm_ns += draw_calm(clock);
	}
}

uint64_t mp_sim_clock_ns(const struct mp_sim_clock *clock)
{
	return clock->start_ns + (uint64_t)clock->now_ns;
}

uint64_t mp_sim_clock_tick(const struct mp_sim_clock *clock)
{
	const double rate = mp_sim_clock_tick_hz(clock->machine) * 1e-9;
	const uint64_t step = clock->machine->ticks.step_ticks;
	/* Apart, so that a late start does not cost the stretch its digits. */
	const uint64_t tick = (uint64_t)((double)clock->start_ns * rate) +
			      (uint64_t)(clock->now_ns * rate + clock->phase);

	return tick - tick % step;
}

double mp_sim_clock_share(const struct mp_sim_clock *clock, uint32_t index,
			  uint64_t *period)
{
	const struct mp_sim_neighbour *neighbour =
		&clock->machine->neighbour[index];
	const double at_ns = (double)clock->start_ns + clock->now_ns;

	*period = (uint64_t)(at_ns / (neighbour->period_ms * 1e6));
	return neighbour->share.low +
	       (neighbour->share.high - neighbour->share.low) *
	       chance(clock->world, SALT_SHARE + neighbour->level, *period);
}
