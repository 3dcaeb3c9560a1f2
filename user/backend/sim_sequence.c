// SPDX-License-Identifier: GPL-2.0
/*
 * A list of steps, walked as module/core walks it: each step is a dependent
 * load; around one that is timed the clock is read twice, and as in a burst
 * of a chase one of the two reads lies within; the clock is looked at after
 * every few steps, for the end of the window. Bursts follow one another on
 * the same state.
 */
#include "sim_sequence.h"

#include <errno.h>
#include <stdlib.h>

#include "sim_note.h"
#include "steps.h"

#define WHAT 3u
/* Each visit to a slot has two words of its own. */
#define VISIT_BYTES (MP_STEPS_SLOT / MP_STEPS_VISITS)

/* No slot more often than its line has room for. */
static int check_visits(const struct mp_exp *exp, uint64_t slots)
{
	uint8_t *visits = calloc(slots, sizeof(*visits));
	int err = 0;

	if (!visits)
		return -ENOMEM;
	for (uint32_t i = 0; i < exp->n_steps && !err; i++) {
		if (visits[exp->steps[i] >> 2]++ >= MP_STEPS_VISITS)
			err = -EOPNOTSUPP;
	}
	free(visits);
	return err;
}

int mp_sim_sequence_check(const struct mp_exp *exp)
{
	const struct mp_actor *actor = mp_exp_sequence(exp);

	if (!actor || actor->stride % MP_STEPS_SLOT || actor->offset % MP_STEPS_SLOT ||
	    actor->reach || actor->skew || actor->warm_hops ||
	    actor->background)
		return -EOPNOTSUPP;
	return check_visits(exp, actor->length / actor->stride);
}

/* Where a step finds its words: the first visit at the slot's begin, the next
 * behind. */
static uint64_t visit_at(const struct mp_sim_walk *walk, uint32_t step,
			 uint8_t *visits)
{
	const uint32_t slot = step >> 2;

	return walk->base + slot * walk->actor->stride +
	       VISIT_BYTES * visits[slot]++;
}

static uint8_t *no_visits(const struct mp_actor *actor)
{
	return calloc(actor->length / actor->stride, sizeof(uint8_t));
}

int mp_sim_sequence_lay(struct mp_sim_walk *walk, const struct mp_exp *exp)
{
	uint8_t *visits = no_visits(walk->actor);

	if (!visits)
		return -ENOMEM;
	for (uint32_t i = 0; i < exp->n_steps; i++)
		mp_sim_memory_load(walk->memory,
				   visit_at(walk, exp->steps[i], visits));
	free(visits);
	return 0;
}

static void load(struct mp_sim_walk *walk, uint64_t at)
{
	mp_sim_walk_neighbours(walk, false);
	mp_sim_clock_spend(&walk->clock,
			   mp_sim_memory_load(walk->memory, at));
}

static uint64_t timed(struct mp_sim_walk *walk, uint64_t at)
{
	const uint32_t read_cycles = walk->machine->ticks.read_cycles;
	uint64_t start;

	mp_sim_clock_spend(&walk->clock, read_cycles);
	start = mp_sim_clock_tick(&walk->clock);
	load(walk, at);
	mp_sim_clock_spend(&walk->clock, read_cycles);
	return mp_sim_clock_tick(&walk->clock) - start;
}

static int step(struct mp_sim_walk *walk, uint32_t what, uint64_t at,
		struct mp_sim_notes *notes)
{
	if (what == MEMPROBE_STEP_TIME)
		return mp_sim_notes_add(notes, timed(walk, at));
	load(walk, at);
	if (what == MEMPROBE_STEP_FLUSH) {
		mp_sim_memory_flush(walk->memory, at);
		mp_sim_clock_spend(&walk->clock, walk->machine->general
				   .memory_latency_cycles);
	}
	return 0;
}

static int walk_steps(struct mp_sim_walk *walk, const struct mp_exp *exp,
		      struct memprobe_sample *sample,
		      struct mp_sim_notes *notes)
{
	const uint64_t start = mp_sim_clock_tick(&walk->clock);
	const uint64_t gaps = walk->clock.gaps;
	uint8_t *visits = no_visits(walk->actor);
	int err = visits ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < exp->n_steps && !err; i++) {
		err = step(walk, exp->steps[i] & WHAT,
			   visit_at(walk, exp->steps[i], visits), notes);
		sample->hops++;
		if (sample->hops % MP_STEPS_LOOK == 0 &&
		    mp_sim_clock_tick(&walk->clock) - start >=
			    walk->window_ticks)
			break;
	}
	mp_sim_clock_spend(&walk->clock, walk->machine->ticks.read_cycles);
	sample->ticks = mp_sim_clock_tick(&walk->clock) - start;
	mp_sim_walk_switches(walk, walk->clock.gaps - gaps, sample);
	if (sample->hops < exp->n_steps)
		sample->flags |= MEMPROBE_F_SHORT;
	free(visits);
	return err;
}

/* Steps of all kinds take their time: nothing tells a gap from a long one. */
static void fill_witnesses(struct memprobe_sample *sample,
			   uint64_t window_ticks)
{
	sample->valid &= ~(1ull << MEMPROBE_VALID_GAPS);
	if (sample->ticks > window_ticks)
		sample->overrun_ticks = sample->ticks - window_ticks;
}

int mp_sim_sequence_burst(struct mp_sim_walk *walk, uint16_t round,
			  uint16_t burst, struct mp_batch *batch)
{
	struct memprobe_sample *sample = &walk->sample;
	struct mp_sim_notes *notes = &walk->notes;
	const struct mp_exp *exp = &batch->exp;
	int err;

	walk->round = round;
	walk->burst = burst;
	mp_sim_walk_sample(walk, sample);
	err = mp_sim_notes_begin(notes, walk->actor->detail == MP_DETAIL_HIST,
				 mp_steps_timed(exp->steps, exp->n_steps));
	if (!err)
		err = walk_steps(walk, exp, sample, notes);
	if (!err && (notes->n || notes->hist.n))
		err = mp_sim_notes_keep(notes, batch, sample);
	mp_sim_notes_free(notes);
	fill_witnesses(sample, walk->window_ticks);
	return err ? err : mp_sim_walk_keep(walk, sample, batch);
}
