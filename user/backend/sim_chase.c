// SPDX-License-Identifier: GPL-2.0
/*
 * One replicate: an empty machine, a fresh placement, a ring and its order or
 * the slots of a sequence, all from one seed; then warm-up and bursts, and
 * what was granted.
 */
#include "sim_chase.h"

#include <errno.h>
#include <stdlib.h>

#include "limits.h"
#include "perm.h"
#include "sim_sequence.h"

/* What building costs: a slot that is linked, a page that is touched. */
#define SLOT_NS 1.2
#define SMALL_PAGE_NS 250.0
#define HUGE_PAGE_NS 60000.0
/* Replicate n lies somewhere in the nth stretch of so long. */
#define MOMENT_NS 8000000000ull
#define MOMENTS (1u << 20)
/* The core clock is measured by chains of so many cycles .. */
#define CHAIN_CYCLES 131072.0
/* .. or of as many as take so many steps of the tick counter, up to a bound. */
#define CHAIN_STEPS 4096.0
#define CHAIN_CYCLES_MAX 4194304.0
/* The core clock before and after may differ by this share. */
#define CLOCK_SHARE 0.01

enum salt {
	SALT_WORLD = 1,
	SALT_PLACE,
	SALT_MOMENT,
	SALT_GAPS,
	SALT_BETWEEN,
};

/* Independent streams from one seed. */
static uint64_t salted(uint64_t seed, uint64_t salt)
{
	return mp_rng_mix(mp_rng_mix(seed) + salt);
}

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

static int walk_rounds(struct mp_sim_walk *walk, struct mp_batch *batch)
{
	int err = 0;

	record_clock(walk, &batch->grant);
	for (uint32_t i = 0; i < batch->exp.rounds && !err; i++) {
		if (walk->actor->op == MP_OP_CHASE)
			mp_sim_walk_warm(walk);
		if (!i)
			record_clock(walk, &batch->grant);
		for (uint32_t k = 0; k < walk->actor->bursts && !err; k++)
			err = burst(walk, i, k, batch);
	}
	record_clock(walk, &batch->grant);
	flag_clock(batch);
	return err;
}

static void fill_grant(const struct mp_sim_walk *walk, uint32_t pages,
		       struct mp_grant *grant)
{
	const struct mp_sim_ticks *ticks = &walk->machine->ticks;
	const struct mp_sim_place *place = &walk->cores->place[0];
	struct mp_grant_arena *arena = &grant->arena[0];

	grant->tick_hz = mp_sim_clock_tick_hz(walk->machine);
	grant->tick_step = ticks->step_ticks;
	grant->read_ticks = mp_sim_walk_ticks(walk, ticks->read_cycles * 1e9 /
					  walk->clock.hz);
	grant->gap_ticks = walk->gap_ticks;
	grant->n_arenas = 1;
	arena->bytes = place->pages << place->shift;
	arena->huge_bytes = pages == MP_PAGES_4K ? 0 : arena->bytes;
	arena->pages = pages;
	arena->contiguous = walk->machine->pages.contiguous ||
			    place->pages == 1;
}

/* Pages of the arena that hold slots. */
static double build_ns(const struct mp_sim_walk *walk)
{
	const struct mp_sim_place *place = &walk->cores->place[0];
	const uint64_t first = walk->actor->offset >> place->shift;
	const uint64_t last = (walk->actor->offset + walk->actor->length - 1) >>
			      place->shift;
	const uint64_t slots = walk->actor->length / walk->actor->stride;
	uint64_t pages = last - first + 1;

	if (pages > slots)
		pages = slots;
	return SLOT_NS * (double)slots + (double)pages *
	       (place->shift == MP_SIM_HUGE_SHIFT ? HUGE_PAGE_NS :
						    SMALL_PAGE_NS);
}

/* The order comes from the seed itself, as it does on real machines. */
static uint32_t *make_order(const struct mp_ring *ring, uint64_t seed)
{
	const uint32_t slots = mp_ring_slots(ring);
	uint64_t window = ring->reach_bytes / ring->stride_bytes;
	uint32_t *order = malloc(slots * sizeof(*order));
	struct mp_rng rng;

	if (!order)
		return NULL;
	if (window >= slots)
		window = 0;
	mp_rng_seed(&rng, seed);
	mp_perm_order(order, slots, (uint32_t)window, &rng);
	return order;
}

/* The moment is the replicate's own, whatever was measured before it. */
static void begin_clock(struct mp_sim_walk *walk, uint64_t run_seed,
			uint64_t seed, uint32_t replicate)
{
	const uint64_t start_ns = (replicate % MOMENTS + 1) * MOMENT_NS +
				  salted(seed, SALT_MOMENT) % MOMENT_NS;

	mp_sim_clock_init(&walk->clock, walk->machine,
			  salted(run_seed, SALT_WORLD), start_ns,
			  salted(seed, SALT_GAPS));
	mp_rng_seed(&walk->between, salted(seed, SALT_BETWEEN));
}

static int measure(struct mp_sim_walk *walk, const struct mp_ring *ring,
		   uint64_t seed, struct mp_batch *batch)
{
	uint32_t *order = NULL;
	int err;

	if (walk->actor->op == MP_OP_CHASE) {
		order = make_order(ring, seed);
		if (!order)
			return -ENOMEM;
	}
	mp_sim_walk_neighbours(walk, true);
	if (order)
		mp_sim_ring_lay(&walk->ring, walk->cores, 0, ring,
				walk->actor->offset, order);
	else
		mp_sim_sequence_lay(walk, &batch->exp);
	mp_sim_clock_sleep(&walk->clock, build_ns(walk));
	err = walk_rounds(walk, batch);
	batch->start_ns = walk->clock.start_ns;
	batch->cost_ns = (uint64_t)walk->clock.now_ns;
	mp_sim_ring_free(&walk->ring);
	free(order);
	return err;
}

uint64_t mp_sim_chase_max_bytes(const struct mp_sim_machine *machine)
{
	const double share = (double)machine->general.ram_bytes *
			     MP_ARENA_SHARE;

	return share < (double)MP_ARENA_CAP_BYTES ? (uint64_t)share :
						    MP_ARENA_CAP_BYTES;
}

int mp_sim_chase_pages(const struct mp_sim_machine *machine, uint32_t wish,
		       uint64_t bytes, uint32_t *got)
{
	*got = wish;
	switch (wish) {
	case MP_PAGES_4K:
		return 0;
	case MP_PAGES_THP:
		if (machine->pages.thp_refused)
			*got = MP_PAGES_4K;
		return 0;
	case MP_PAGES_2M:
		if (bytes > (uint64_t)machine->pages.huge_pages <<
			    MP_SIM_HUGE_SHIFT)
			return -ENOMEM;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static uint32_t page_size(uint32_t pages)
{
	switch (pages) {
	case MP_PAGES_4K:
		return MP_SIM_PAGE_4K;
	case MP_PAGES_1G:
		return MP_SIM_PAGE_1G;
	default:
		return MP_SIM_PAGE_2M;
	}
}

int mp_sim_chase(const struct mp_sim_machine *machine, uint64_t run_seed,
		 struct mp_batch *batch)
{
	const uint64_t seed = mp_exp_seed(run_seed, batch->id,
					  batch->replicate);
	const struct mp_arena *arena = &batch->exp.arena[0];
	const struct mp_actor *actor = &batch->exp.actor[0];
	const struct mp_ring ring = {
		.length_bytes = actor->length,
		.stride_bytes = actor->stride,
		.reach_bytes = actor->reach,
		.skew_bytes = actor->skew,
	};
	struct mp_sim_want want = {
		.n_arenas = 1,
		.bytes = { arena->bytes },
		.n_cpus = 1,
		.cpu = { actor->place },
		.prefetch_off = batch->exp.quiet & MP_WISH_PREFETCH_OFF,
		.seed = salted(seed, SALT_PLACE),
	};
	struct mp_sim_walk walk = { .machine = machine, .actor = actor };
	struct mp_sim_cores cores;
	uint32_t pages;
	int err;

	if (arena->bytes > mp_sim_chase_max_bytes(machine))
		return -ENOMEM;
	if (actor->offset + actor->length > arena->bytes)
		return -EINVAL;
	err = mp_ring_check(&ring);
	if (!err)
		err = mp_sim_chase_pages(machine, arena->pages, arena->bytes,
					 &pages);
	if (err)
		return err;
	want.page[0] = page_size(pages);
	err = mp_sim_cores_init(&cores, machine, &want);
	if (err)
		return err;
	walk.cores = &cores;
	walk.memory = &cores.memory[0];
	begin_clock(&walk, run_seed, seed, batch->replicate);
	walk.window_ticks = (uint64_t)mp_sim_walk_ticks(&walk,
					(double)batch->exp.window_ns);
	err = measure(&walk, &ring, seed, batch);
	fill_grant(&walk, pages, &batch->grant);
	if (want.prefetch_off && !cores.memory[0].n_prefetchers)
		batch->grant.got |= MP_GOT_PREFETCH_OFF;
	mp_sim_cores_free(&cores);
	return err;
}
