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

/* A stretch of so many shortest ones, and half a microsecond, is a gap. */
#define GAP_LOOKS 4
#define GAP_NS 500.0
/* Noting a burst takes some time between it and the next. */
#define BETWEEN_CYCLES 1000u

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
		/* Actors of one time are not quite at one moment. */
		if (!first && period <= walk->cores->period[i])
			continue;
		walk->cores->period[i] = period;
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

static void begin_looks(const struct mp_sim_walk *walk, struct mp_sim_looks *looks)
{
	*looks = (struct mp_sim_looks){
		.start = mp_sim_clock_tick(&walk->clock),
		.min_ticks = UINT64_MAX,
	};
	looks->last = looks->start;
}

/* @gaps: how many there were before the stretch that ends here. */
static uint64_t look(const struct mp_sim_walk *walk, struct mp_sim_looks *looks, uint64_t gaps,
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

/* -- warm-up -------------------------------------------------------------- */

static void begin_warm(struct mp_sim_walk *walk)
{
	begin_looks(walk, &walk->looks);
	walk->left = whole_looks(walk->actor->warm_hops);
	walk->stage = MP_SIM_WARMING;
}

static void warm_look(struct mp_sim_walk *walk)
{
	walk->gaps = walk->clock.gaps;
	hop(walk, MP_CHASE_LOOK_HOPS);
	look(walk, &walk->looks, walk->gaps, UINT64_MAX);
	walk->left--;
}

static void end_warm(struct mp_sim_walk *walk)
{
	struct mp_sim_looks *looks = &walk->looks;

	if (looks->min_ticks == UINT64_MAX)
		looks->min_ticks = longest_look_ticks(walk);
	walk->gap_ticks = GAP_LOOKS * looks->min_ticks +
			 (uint64_t)mp_sim_walk_ticks(walk, GAP_NS);
	walk->cold = looks->true_gaps &&
		    (!walk->machine->noise.unseen ||
		     looks->true_max_ticks > walk->gap_ticks);
	walk->stage = MP_SIM_BETWEEN;
	walk->warmed = true;
}

void mp_sim_walk_warm(struct mp_sim_walk *walk)
{
	if (walk->warmed)
		return;
	begin_warm(walk);
	while (walk->left)
		warm_look(walk);
	end_warm(walk);
}

/* -- a burst -------------------------------------------------------------- */

static bool has_window(const struct mp_sim_walk *walk)
{
	return walk->looks.last - walk->looks.start < walk->window_ticks;
}

/* Looks each so many hops .. */
static void burst_look(struct mp_sim_walk *walk)
{
	walk->gaps = walk->clock.gaps;
	hop(walk, MP_CHASE_LOOK_HOPS);
	look(walk, &walk->looks, walk->gaps, walk->gap_ticks);
	walk->sample.hops += MP_CHASE_LOOK_HOPS;
	walk->left = has_window(walk) ? walk->left - 1 : 0;
}

/* .. and the read of the clock at the end. */
static void end_looks(struct mp_sim_walk *walk)
{
	walk->gaps = walk->clock.gaps;
	mp_sim_clock_spend(&walk->clock, walk->machine->ticks.read_cycles);
	look(walk, &walk->looks, walk->gaps, walk->gap_ticks);
	walk->sample.ticks = walk->looks.last - walk->looks.start;
}

/* The clock is read around each group; ticks are the sum of the groups'. */
static int burst_group(struct mp_sim_walk *walk)
{
	const uint32_t group = walk->actor->group;
	const uint64_t gap_ticks = walk->gap_ticks *
				   (group / MP_CHASE_LOOK_HOPS + 1);
	uint64_t hops = walk->group_left, ticks;

	if (hops > walk->step_hops)
		hops = walk->step_hops;
	if (walk->group_left == group)
		walk->gaps = walk->clock.gaps;
	hop(walk, hops);
	walk->group_left -= hops;
	if (walk->group_left)
		return 0;
	walk->group_left = group;
	mp_sim_clock_spend(&walk->clock, walk->machine->ticks.read_cycles);
	ticks = look(walk, &walk->looks, walk->gaps, gap_ticks);
	walk->sample.ticks += ticks;
	walk->sample.hops += group;
	walk->left = has_window(walk) ? walk->left - 1 : 0;
	return mp_sim_notes_add(&walk->notes, ticks);
}

static int begin_burst(struct mp_sim_walk *walk)
{
	const struct mp_actor *actor = walk->actor;
	int err = 0;

	mp_sim_walk_sample(walk, &walk->sample);
	walk->sample.warm_hops = whole_looks(actor->warm_hops) *
				 MP_CHASE_LOOK_HOPS;
	walk->left = whole_looks(actor->hops);
	if (actor->detail != MP_DETAIL_TOTALS) {
		walk->left = actor->hops / actor->group;
		walk->group_left = actor->group;
		err = mp_sim_notes_begin(&walk->notes,
					 actor->detail == MP_DETAIL_HIST,
					 walk->left + 1);
	}
	begin_looks(walk, &walk->looks);
	walk->stage = MP_SIM_IN_BURST;
	return err;
}

static int burst_step(struct mp_sim_walk *walk)
{
	if (walk->actor->detail != MP_DETAIL_TOTALS)
		return burst_group(walk);
	burst_look(walk);
	return 0;
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

static void fill_witnesses(const struct mp_sim_walk *walk, const struct mp_sim_looks *looks,
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

void mp_sim_walk_sample(const struct mp_sim_walk *walk,
			struct memprobe_sample *sample)
{
	*sample = (struct memprobe_sample){
		.actor = walk->number,
		.place = walk->actor->place,
		.cpu_end = walk->actor->place,
		.round = (uint16_t)walk->round,
		.burst = (uint16_t)walk->burst,
		.bytes = walk->actor->length,
		.start_ns = mp_sim_clock_ns(&walk->clock),
		.valid = 1ull << MEMPROBE_VALID_START |
			 1ull << MEMPROBE_VALID_GAPS |
			 1ull << MEMPROBE_VALID_CPU_END |
			 1ull << MEMPROBE_VALID_SWITCHES |
			 1ull << MEMPROBE_VALID_FAULTS |
			 1ull << MEMPROBE_VALID_OVERRUN,
	};
}

int mp_sim_walk_keep(struct mp_sim_walk *walk,
		     const struct memprobe_sample *sample,
		     struct mp_batch *batch)
{
	struct memprobe_sample *kept = mp_batch_add(batch);

	if (!kept)
		return -ENOMEM;
	*kept = *sample;
	mp_sim_clock_spend(&walk->clock, BETWEEN_CYCLES +
			   (double)mp_rng_below(&walk->between,
						BETWEEN_CYCLES));
	walk->stage = MP_SIM_BETWEEN;
	return 0;
}

static int end_burst(struct mp_sim_walk *walk, struct mp_batch *batch)
{
	struct memprobe_sample *sample = &walk->sample;
	int err = 0;

	if (walk->actor->detail == MP_DETAIL_TOTALS)
		end_looks(walk);
	else
		err = mp_sim_notes_keep(&walk->notes, batch, sample);
	mp_sim_notes_free(&walk->notes);
	fill_witnesses(walk, &walk->looks, sample);
	if (walk->cold)
		sample->flags |= MEMPROBE_F_COLD;
	walk->cold = false;
	return err ? err : mp_sim_walk_keep(walk, sample, batch);
}

int mp_sim_walk_burst(struct mp_sim_walk *walk, uint16_t round, uint16_t burst,
		      struct mp_batch *batch)
{
	int err;

	walk->round = round;
	walk->burst = burst;
	walk->step_hops = UINT64_MAX;
	err = begin_burst(walk);
	while (!err && walk->left)
		err = burst_step(walk);
	return err ? err : end_burst(walk, batch);
}

/* -- in turn with others -------------------------------------------------- */

void mp_sim_walk_begin(struct mp_sim_walk *walk, uint32_t round)
{
	walk->round = round;
	walk->burst = 0;
	walk->step_hops = MP_CHASE_LOOK_HOPS;
	walk->load_ns = walk->clock.now_ns;
	walk->load_hops = 0;
	if (walk->warmed)
		walk->stage = MP_SIM_BETWEEN;
	else
		begin_warm(walk);
}

static int step_burst(struct mp_sim_walk *walk, struct mp_batch *batch)
{
	int err = burst_step(walk);

	if (err)
		return err;
	if (walk->left)
		return 1;
	err = end_burst(walk, batch);
	return err ? err : ++walk->burst < walk->actor->bursts;
}

int mp_sim_walk_step(struct mp_sim_walk *walk, struct mp_batch *batch)
{
	int err;

	switch (walk->stage) {
	case MP_SIM_WARMING:
		if (walk->left)
			warm_look(walk);
		if (!walk->left)
			end_warm(walk);
		return 1;
	case MP_SIM_BETWEEN:
		err = begin_burst(walk);
		return err ? err : 1;
	default:
		return step_burst(walk, batch);
	}
}

void mp_sim_walk_load(struct mp_sim_walk *walk)
{
	double due_ns;

	hop(walk, MP_CHASE_LOOK_HOPS);
	if (!walk->actor->pace)
		return;
	walk->load_hops += MP_CHASE_LOOK_HOPS;
	due_ns = walk->load_ns + walk->load_hops * 1e9 /
				 (double)walk->actor->pace;
	if (walk->clock.now_ns < due_ns)
		mp_sim_clock_sleep(&walk->clock, due_ns - walk->clock.now_ns);
}

void mp_sim_walk_free(struct mp_sim_walk *walk)
{
	mp_sim_notes_free(&walk->notes);
	mp_sim_ring_free(&walk->ring);
}
