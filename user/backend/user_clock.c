// SPDX-License-Identifier: GPL-2.0
/*
 * Clocks. The tick counter is calibrated against CLOCK_MONOTONIC_RAW; its
 * step and the cost of a read are measured, not assumed (some counters move
 * in steps of 10 ns); the core clock comes from chains of register
 * operations that take a known number of core cycles.
 */
#include "user_clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "arch.h"
#include "chase.h"
#include "gcd.h"
#include "ring.h"

/* Reads that the step and the cost of a read are taken from. */
#define READS 2048u
/* .. and so many where it was measured before, a few microseconds. */
#define READS_NOW 256u
/* Steps worth looking for: below, a tick more or less hides them. */
#define STEP_MIN 4u
#define STEP_MAX 256u
/* Calibration: this long in all, in two halves that must agree. */
#define CALIBRATE_NS 20000000ull
/* Tries for a tight instant. */
#define TRIES_OPEN 64u
#define TRIES_LATER 16u
/* Chains of each kind in a record. */
#define CHAINS 3u
/* A trial chain, to see how long one must be. */
#define TRIAL_OPS 6400u
/* The ring and the stretches that costs of reads and looks are taken from. */
#define LOOK_SLOTS 64u
#define LOOK_STRIDE 64u
#define LOOK_HOPS 65536u
#define LOOK_TRIES 5u
/* Hops in a row, beside which one read is little. */
#define ROW_HOPS 8192u
/* Refining asks for a baseline that is long against the width of a bracket. */
#define REFINE_MIN_NS 1000000ull

/* By so much the core clock may move between two records, as a step of 100 MHz
 * does at 3.4 GHz, and by so much around a walk that takes so long. */
#define MOVES 0.03
#define MOVES_LONG 0.15
#define LONG_NS 20000000ull

/* What reads and looks cost is seen on it. */
static struct {
	char slot[LOOK_SLOTS * LOOK_STRIDE] __attribute__((aligned(LOOK_STRIDE)));
	const void *first;
} ring;

static uint64_t read_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

/*
 * A preemption between the reads would tear the instant apart, so the
 * tightest of several brackets counts.
 */
static struct mp_user_instant instant(uint32_t tries)
{
	uint64_t best = UINT64_MAX;
	struct mp_user_instant out = { 0 };

	for (uint32_t i = 0; i < tries; i++) {
		const uint64_t from = mp_ticks_begin();
		const uint64_t raw_ns = read_ns(CLOCK_MONOTONIC_RAW);
		const uint64_t to = mp_ticks_end();
		const uint64_t mono_ns = read_ns(CLOCK_MONOTONIC);
		const uint64_t end = mp_ticks_end();

		if (end - from >= best)
			continue;
		best = end - from;
		out.tick = from + (to - from) / 2;
		out.raw_ns = raw_ns;
		out.mono_ns = mono_ns;
	}
	return out;
}

static double rate(const struct mp_user_instant *from,
		   const struct mp_user_instant *to)
{
	const double ns = (double)to->raw_ns - (double)from->raw_ns;

	return ns > 0 ? ((double)to->tick - (double)from->tick) * 1e9 / ns : 0;
}

static void sleep_until(const struct mp_user_instant *from, uint64_t after_ns)
{
	const uint64_t at_ns = from->mono_ns + after_ns;
	const struct timespec at = {
		.tv_sec = (time_t)(at_ns / 1000000000ull),
		.tv_nsec = (long)(at_ns % 1000000000ull),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at,
			       NULL) == EINTR)
		;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Steps that @ticks is, to the nearest. */
static uint64_t steps_in(uint64_t ticks, uint64_t step)
{
	return (ticks + step / 2) / step;
}

/*
 * Is this the step? Then nearly all differences are within a tick of a
 * multiple of it, and not for want of a difference that reaches it.
 */
static bool step_fits(const uint64_t *diff, uint32_t n, uint64_t step)
{
	uint32_t fit = 0, reach = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint64_t steps = steps_in(diff[i], step);
		const uint64_t at = steps * step;

		fit += diff[i] + 1 >= at && diff[i] <= at + 1;
		reach += steps > 0;
	}
	return fit >= n - n / 16 && reach >= n / 8;
}

uint64_t mp_user_clock_step(uint64_t *diff, uint32_t n)
{
	uint64_t common = 0, sum = 0, steps = 0, middle, step;

	if (!n)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		common = mp_gcd(common, diff[i]);
	qsort(diff, n, sizeof(*diff), by_value);
	middle = diff[n / 2];
	step = 2 * middle;
	if (step > STEP_MAX)
		step = STEP_MAX;
	while (step >= STEP_MIN && !step_fits(diff, n, step))
		step--;
	if (step < STEP_MIN)
		return common;
	for (uint32_t i = 0; i < n; i++) {
		if (diff[i] > 16 * (step > middle ? step : middle))
			continue;	/* an interrupt */
		sum += diff[i];
		steps += steps_in(diff[i], step);
	}
	step = (sum + steps / 2) / steps;
	return step > common ? step : common;
}

double mp_user_clock_calm_mean(uint64_t *value, uint32_t n, uint64_t step)
{
	double sum = 0;
	uint64_t most;
	uint32_t i;

	qsort(value, n, sizeof(*value), by_value);
	most = value[n / 2] + 2 * step;
	for (i = 0; i < n && value[i] <= most; i++)
		sum += (double)value[i];
	return sum / i;
}

/*
 * Differences between reads that follow one another closely, but not evenly:
 * reads at an even pace would take their pace for a step of the counter.
 */
static uint32_t read_steps(struct mp_user_clock *clock, uint64_t *diff)
{
	uint64_t last, now;
	struct mp_rng rng;
	uint32_t n = 0;

	mp_rng_seed(&rng, 0);
	clock->backwards = 0;
	last = mp_ticks_look();
	for (uint32_t i = 0; i < READS; i++) {
		for (uint64_t wait = mp_rng_below(&rng, 8); wait; wait--)
			__asm__ volatile("" : : : "memory");
		now = mp_ticks_look();
		if (now < last)
			clock->backwards++;
		else
			diff[n++] = now - last;
		last = now;
	}
	return n;
}

static int measure_reads(struct mp_user_clock *clock)
{
	uint64_t *tick = malloc(READS * sizeof(*tick));

	if (!tick)
		return -ENOMEM;
	/* Twice: the first time takes the page faults. */
	read_steps(clock, tick);
	clock->step_ticks = mp_user_clock_step(tick,
					       read_steps(clock, tick));
	for (uint32_t i = 0; i < READS; i++)
		tick[i] = mp_chase_empty();
	clock->empty_ticks = mp_user_clock_calm_mean(tick, READS,
						     clock->step_ticks);
	free(tick);
	return clock->step_ticks ? 0 : -ENODEV;
}

/*
 * What two reads add to a hop between them: a hop of a ring that the innermost
 * level holds, timed by itself, less what such hops take in a row. Reads with
 * nothing between them would not do: they wait for each other, and a part of
 * that is hidden behind a load. An emulated clock may show nothing of it.
 */
static double read_cost(const struct mp_user_clock *clock, uint32_t n)
{
	const void *cursor = ring.first;
	uint64_t tick[READS], best = UINT64_MAX, ticks;

	mp_chase_groups(&cursor, tick, n, 1, 0, LOOK_SLOTS);
	for (uint32_t i = 0; i < CHAINS; i++) {
		mp_chase_groups(&cursor, &ticks, 1, ROW_HOPS, 0, LOOK_SLOTS);
		best = ticks < best ? ticks : best;
	}
	return fmax(mp_user_clock_calm_mean(tick, n, clock->step_ticks) -
		    (double)best / ROW_HOPS, 0);
}

void mp_user_clock_read(struct mp_user_clock *clock, double part)
{
	const double before = clock->read_ticks;
	const double now = read_cost(clock, READS_NOW);

	clock->read_ticks = before + part * (now - before);
	if (before > 0)
		clock->look_ticks *= clock->read_ticks / before;
}

/* The same stretch with looks and without. */
static double look_cost(const void *first)
{
	uint64_t with = UINT64_MAX, without = UINT64_MAX, ticks;
	double cost;

	for (uint32_t i = 0; i < LOOK_TRIES; i++) {
		struct mp_chase chase = {
			.cursor = first,
			.hops = LOOK_HOPS,
			.gap_ticks = UINT64_MAX,
		};

		mp_chase_run(&chase);
		if (chase.ticks < with)
			with = chase.ticks;
		mp_chase_groups(&first, &ticks, 1, LOOK_HOPS, 0, 0);
		if (ticks < without)
			without = ticks;
	}
	cost = (double)with - (double)without;
	return cost > 0 ? cost / (LOOK_HOPS / MP_CHASE_LOOK_HOPS) : 0;
}

static void link_ring(void)
{
	const struct mp_ring shape = {
		.length_bytes = sizeof(ring.slot),
		.stride_bytes = LOOK_STRIDE,
	};
	uint32_t order[LOOK_SLOTS];
	struct mp_rng rng;

	mp_rng_seed(&rng, 0);
	ring.first = mp_ring_link(&shape, ring.slot, order, &rng);
}

/* Operations that take MP_USER_CHAIN_NS; @ticks were taken by TRIAL_OPS. */
static uint64_t chain_ops(const struct mp_user_clock *clock, uint64_t ticks)
{
	const double want = MP_USER_CHAIN_NS * clock->hz / 1e9;

	return ticks ? (uint64_t)(want * TRIAL_OPS / (double)ticks) / 64 * 64 :
		       0;
}

static uint64_t best_chain(uint64_t (*chain)(uint64_t), uint64_t ops)
{
	uint64_t best = UINT64_MAX, ticks;

	for (uint32_t i = 0; i < CHAINS; i++) {
		ticks = chain(ops);
		if (ticks < best)
			best = ticks;
	}
	return best;
}

static void size_chains(struct mp_user_clock *clock)
{
	clock->adds = chain_ops(clock, best_chain(mp_chase_add, TRIAL_OPS));
	if (mp_chase_mul_cycles())
		clock->muls = chain_ops(clock,
					best_chain(mp_chase_mul, TRIAL_OPS));
}

static double core_hz(const struct mp_user_clock *clock, uint64_t cycles,
		      uint64_t ticks)
{
	const double net = (double)ticks - clock->read_ticks;

	return net > 0 ? (double)cycles * clock->hz / net : 0;
}

const char *mp_user_clock_unmet(void)
{
#ifdef __x86_64__
	int mode = PR_TSC_ENABLE;

	if (prctl(PR_GET_TSC, &mode) == 0 && mode == PR_TSC_SIGSEGV)
		return "the time-stamp counter is forbidden to this process "
		       "(prctl PR_SET_TSC): run memprobe outside what has "
		       "forbidden it";
#endif
	return NULL;
}

int mp_user_clock_open(struct mp_user_clock *clock)
{
	struct mp_user_instant half;
	double early, late;
	int err;

	*clock = (struct mp_user_clock){ .first = instant(TRIES_OPEN) };
	err = measure_reads(clock);
	if (err)
		return err;
	link_ring();
	clock->read_ticks = read_cost(clock, READS);
	clock->look_ticks = look_cost(ring.first);
	sleep_until(&clock->first, CALIBRATE_NS / 2);
	half = instant(TRIES_OPEN);
	sleep_until(&half, CALIBRATE_NS / 2);
	clock->last = instant(TRIES_OPEN);
	clock->hz = rate(&clock->first, &clock->last);
	if (!(clock->hz > 0))
		return -ENODEV;
	early = rate(&clock->first, &half);
	late = rate(&half, &clock->last);
	clock->unsteady = fabs(early - late) / clock->hz;
	size_chains(clock);
	return 0;
}

bool mp_user_clock_refine(struct mp_user_clock *clock)
{
	const struct mp_user_instant now = instant(TRIES_LATER);
	double recent, difference;

	if (now.raw_ns - clock->last.raw_ns < REFINE_MIN_NS)
		return true;
	recent = rate(&clock->first, &now);
	difference = fabs(recent / clock->hz - 1);
	if (difference <= MP_USER_UNSTEADY) {
		clock->hz = recent;
		clock->last = now;
		return true;
	}
	if (difference > clock->unsteady)
		clock->unsteady = difference;
	recent = rate(&clock->last, &now);
	/* A step, not a new rate: the old rate is still the best guess. */
	if (fabs(recent / clock->hz - 1) < 0.1)
		clock->hz = recent;
	clock->first = now;
	clock->last = now;
	return false;
}

uint64_t mp_user_clock_ns(const struct mp_user_clock *clock, uint64_t tick)
{
	const double ticks = (double)(int64_t)(tick - clock->last.tick);

	return clock->last.mono_ns + (uint64_t)(int64_t)(ticks * 1e9 /
							 clock->hz);
}

uint64_t mp_user_clock_ticks(const struct mp_user_clock *clock, uint64_t ns)
{
	const double ticks = (double)ns * clock->hz / 1e9;

	return ticks > 1 ? (uint64_t)ticks : 1;
}

void mp_user_clock_core(const struct mp_user_clock *clock,
			struct mp_clock_record *record)
{
	*record = (struct mp_clock_record){
		.at_ns = mp_user_clock_ns(clock, mp_ticks_look()),
	};
	if (clock->adds)
		record->add_hz = core_hz(clock, clock->adds,
					 best_chain(mp_chase_add,
						    clock->adds));
	if (clock->muls)
		record->mul_hz = core_hz(clock,
					 clock->muls * mp_chase_mul_cycles(),
					 best_chain(mp_chase_mul,
						    clock->muls));
}

static bool differ(double a, double b, double share)
{
	return a > 0 && b > 0 && fabs(a / b - 1) > share;
}

bool mp_user_clock_moved(const struct mp_clock_record *before,
			 const struct mp_clock_record *after, double share)
{
	return differ(before->add_hz, after->add_hz, share) ||
	       differ(before->mul_hz, after->mul_hz, share);
}

double mp_user_clock_share(const struct mp_clock_record *before,
			   const struct mp_clock_record *after,
			   uint32_t rounds)
{
	return rounds == 1 && after->at_ns > before->at_ns + LONG_NS ?
	       MOVES_LONG : MOVES;
}
