// SPDX-License-Identifier: GPL-2.0
/*
 * Walking: the loads of sim_memory.c spend the time of sim_clock.c, and a
 * looking loop like module/core's notes what it would see. It sees no more
 * than that: a gap that is too short for it goes unnoticed unless a witness
 * counts it.
 */
#include "sim_walk.h"

#include <errno.h>

#include "chase.h"
#include "sim_note.h"

/* A stretch of so many shortest ones, and half a microsecond, is a gap. */
#define GAP_LOOKS 4
#define GAP_NS 500.0
/* Noting a burst takes some time between it and the next. */
#define BETWEEN_CYCLES 1000u

/* What a looking loop notes of a stretch of hops. */
struct looks {
	uint64_t start;
	uint64_t last;
	uint64_t min_ticks;
	uint64_t max_ticks;
	uint64_t lost_ticks;
	uint32_t gaps;
	uint64_t true_gaps;
	uint64_t true_max_ticks;
};

double mp_sim_walk_ticks(const struct mp_sim_walk *walk, double ns)
{
	return ns * mp_sim_clock_tick_hz(walk->machine) * 1e-9;
}

static void limit(struct mp_sim_walk *walk, uint32_t level, double share)
{
	if (walk->ring.slots)
		mp_sim_ring_unsettle(&walk->ring);
	mp_sim_cores_limit(walk->cores, level, share);
}

/* Neighbours that have changed what they hold since they were last asked. */
void mp_sim_walk_neighbours(struct mp_sim_walk *walk, bool first)
{
	uint64_t period;
	double share;

	for (uint32_t i = 0; i < walk->machine->n_neighbours; i++) {
		const uint32_t name = walk->machine->neighbour[i].level;

		share = mp_sim_clock_share(&walk->clock, i, &period);
		if (!first && period == walk->period[i])
			continue;
		walk->period[i] = period;
		for (uint32_t k = 0; k < walk->machine->n_levels; k++) {
			if (walk->machine->level[k].name == name)
				limit(walk, k, share);
		}
	}
}

static void hop(struct mp_sim_walk *walk, uint64_t hops)
{
	mp_sim_walk_neighbours(walk, false);
	mp_sim_clock_spend(&walk->clock,
			   (double)mp_sim_ring_hops(&walk->ring, hops));
}

static void begin_looks(const struct mp_sim_walk *walk, struct looks *looks)
{
	*looks = (struct looks){
		.start = mp_sim_clock_tick(&walk->clock),
		.min_ticks = UINT64_MAX,
	};
	looks->last = looks->start;
}

/* @gaps: how many there were before the stretch that ends here. */
static uint64_t look(const struct mp_sim_walk *walk, struct looks *looks, uint64_t gaps,
		     uint64_t gap_ticks)
{
	const uint64_t now = mp_sim_clock_tick(&walk->clock);
	const uint64_t stretch = now - looks->last;

	looks->last = now;
	if (stretch < looks->min_ticks)
		looks->min_ticks = stretch;
	if (stretch > looks->max_ticks)
		looks->max_ticks = stretch;
	if (walk->clock.gaps == gaps)
		return stretch;
	looks->true_gaps += walk->clock.gaps - gaps;
	if (stretch > looks->true_max_ticks)
		looks->true_max_ticks = stretch;
	if (stretch > gap_ticks) {
		looks->lost_ticks += stretch;
		looks->gaps++;
	}
	return stretch;
}

static uint64_t whole_looks(uint64_t hops)
{
	return (hops + MP_CHASE_LOOK_HOPS - 1) / MP_CHASE_LOOK_HOPS;
}

/* The longest look of a ring that hits nowhere, where none has been seen. */
static uint64_t longest_look_ticks(const struct mp_sim_walk *walk)
{
	const double cycles = walk->memory->tlb[walk->ring.place->page]
				      .walk_cycles +
			      walk->machine->general.memory_latency_cycles;

	return (uint64_t)mp_sim_walk_ticks(walk, cycles * MP_CHASE_LOOK_HOPS * 1e9 /
				       walk->clock.hz);
}

void mp_sim_walk_warm(struct mp_sim_walk *walk)
{
	struct looks looks;
	uint64_t gaps;

	begin_looks(walk, &looks);
	for (uint64_t left = whole_looks(walk->actor->warm_hops); left; left--) {
		gaps = walk->clock.gaps;
		hop(walk, MP_CHASE_LOOK_HOPS);
		look(walk, &looks, gaps, UINT64_MAX);
	}
	if (looks.min_ticks == UINT64_MAX)
		looks.min_ticks = longest_look_ticks(walk);
	walk->gap_ticks = GAP_LOOKS * looks.min_ticks +
			 (uint64_t)mp_sim_walk_ticks(walk, GAP_NS);
	walk->cold = looks.true_gaps &&
		    (!walk->machine->noise.unseen ||
		     looks.true_max_ticks > walk->gap_ticks);
}

/* Looks each so many hops, and the read of the clock at the end. */
static void chase_totals(struct mp_sim_walk *walk, struct looks *looks,
			 struct memprobe_sample *sample)
{
	uint64_t gaps;

	begin_looks(walk, looks);
	for (uint64_t left = whole_looks(walk->actor->hops); left; left--) {
		gaps = walk->clock.gaps;
		hop(walk, MP_CHASE_LOOK_HOPS);
		look(walk, looks, gaps, walk->gap_ticks);
		sample->hops += MP_CHASE_LOOK_HOPS;
		if (looks->last - looks->start >= walk->window_ticks)
			break;
	}
	gaps = walk->clock.gaps;
	mp_sim_clock_spend(&walk->clock, walk->machine->ticks.read_cycles);
	look(walk, looks, gaps, walk->gap_ticks);
	sample->ticks = looks->last - looks->start;
}

/* The clock is read around each group; ticks are the sum of the groups'. */
static int chase_groups(struct mp_sim_walk *walk, struct looks *looks,
			struct memprobe_sample *sample, struct mp_sim_notes *notes)
{
	const uint32_t group = walk->actor->group;
	const uint64_t gap_ticks = walk->gap_ticks *
				   (group / MP_CHASE_LOOK_HOPS + 1);
	uint64_t left = walk->actor->hops / group, gaps, ticks;
	int err = 0;

	begin_looks(walk, looks);
	do {
		gaps = walk->clock.gaps;
		hop(walk, group);
		mp_sim_clock_spend(&walk->clock,
				   walk->machine->ticks.read_cycles);
		ticks = look(walk, looks, gaps, gap_ticks);
		sample->ticks += ticks;
		sample->hops += group;
		err = mp_sim_notes_add(notes, ticks);
		if (looks->last - looks->start >= walk->window_ticks)
			break;
	} while (!err && left && --left);
	return err;
}

static int chase_detail(struct mp_sim_walk *walk, struct looks *looks,
			struct memprobe_sample *sample, struct mp_batch *batch)
{
	struct mp_sim_notes notes;
	int err;

	err = mp_sim_notes_begin(&notes, walk->actor->detail == MP_DETAIL_HIST,
				 walk->actor->hops / walk->actor->group + 1);
	if (!err)
		err = chase_groups(walk, looks, sample, &notes);
	if (!err)
		err = mp_sim_notes_keep(&notes, batch, sample);
	mp_sim_notes_free(&notes);
	return err;
}

static uint16_t short_count(uint64_t n)
{
	return n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
}

void mp_sim_walk_switches(const struct mp_sim_walk *walk, uint64_t gaps,
			  struct memprobe_sample *sample)
{
	if (walk->machine->noise.unseen)
		return;
	sample->switches = short_count(gaps);
	if (sample->switches)
		sample->flags |= MEMPROBE_F_SWITCHED;
}

static void fill_witnesses(const struct mp_sim_walk *walk, const struct looks *looks,
			   struct memprobe_sample *sample)
{
	sample->gaps = looks->gaps;
	sample->gap_ticks = looks->lost_ticks;
	sample->gap_max_ticks = looks->max_ticks;
	if (sample->ticks > walk->window_ticks)
		sample->overrun_ticks = sample->ticks - walk->window_ticks;
	mp_sim_walk_switches(walk, looks->true_gaps, sample);
	if (looks->gaps)
		sample->flags |= MEMPROBE_F_GAP;
	if (sample->hops < walk->actor->hops)
		sample->flags |= MEMPROBE_F_SHORT;
}

struct memprobe_sample *mp_sim_walk_sample(const struct mp_sim_walk *walk,
					   uint16_t round, uint16_t burst,
					   struct mp_batch *batch)
{
	struct memprobe_sample *sample = mp_batch_add(batch);

	if (!sample)
		return NULL;
	sample->place = walk->actor->place;
	sample->cpu_end = walk->actor->place;
	sample->round = round;
	sample->burst = burst;
	sample->bytes = walk->actor->length;
	sample->start_ns = mp_sim_clock_ns(&walk->clock);
	sample->valid = 1ull << MEMPROBE_VALID_START |
			1ull << MEMPROBE_VALID_GAPS |
			1ull << MEMPROBE_VALID_CPU_END |
			1ull << MEMPROBE_VALID_SWITCHES |
			1ull << MEMPROBE_VALID_FAULTS |
			1ull << MEMPROBE_VALID_OVERRUN;
	return sample;
}

void mp_sim_walk_pause(struct mp_sim_walk *walk)
{
	mp_sim_clock_spend(&walk->clock, BETWEEN_CYCLES +
			   (double)mp_rng_below(&walk->between,
						BETWEEN_CYCLES));
}

int mp_sim_walk_burst(struct mp_sim_walk *walk, uint16_t round, uint16_t burst,
		      struct mp_batch *batch)
{
	struct memprobe_sample *sample =
		mp_sim_walk_sample(walk, round, burst, batch);
	struct looks looks = { 0 };
	int err = 0;

	if (!sample)
		return -ENOMEM;
	sample->warm_hops = whole_looks(walk->actor->warm_hops) *
			    MP_CHASE_LOOK_HOPS;
	if (walk->actor->detail == MP_DETAIL_TOTALS)
		chase_totals(walk, &looks, sample);
	else
		err = chase_detail(walk, &looks, sample, batch);
	fill_witnesses(walk, &looks, sample);
	if (!burst && walk->cold)
		sample->flags |= MEMPROBE_F_COLD;
	mp_sim_walk_pause(walk);
	return err;
}
