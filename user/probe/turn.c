// SPDX-License-Identifier: GPL-2.0
#include "probe/turn.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/clock.h"
#include "ioctl/memprobe.h"
#include "limits.h"
#include "perm.h"

#define PAGE 4096u
/* What was in the sets before has gone after so many turns; of long rings, after
 * fewer. */
#define WARM_TURNS 3u
#define WARM_TURNS_MOST 16u
#define WARM_HOPS (128u << 10)
#define TURNS 2u
#define HOPS 1024u
/* Of few slots each is visited more often: one line too many for many ways that
 * are replaced at random makes a hop miss now and then. */
#define BURSTS_LEAST 64u
/* As many as a batch has words for. */
#define BURSTS_MOST 118u

static uint64_t warm_hops(uint64_t slots)
{
	uint64_t turns = WARM_HOPS / slots;

	if (turns > WARM_TURNS_MOST)
		turns = WARM_TURNS_MOST;
	return slots * (turns < WARM_TURNS ? WARM_TURNS : turns);
}

void mp_turn_actor(struct mp_actor *actor)
{
	const uint64_t slots = actor->length / actor->stride;
	const uint64_t bursts = (TURNS * slots + HOPS - 1) / HOPS;

	actor->warm_hops = warm_hops(slots);
	actor->hops = HOPS;
	actor->bursts = bursts < BURSTS_LEAST ? BURSTS_LEAST :
			bursts > BURSTS_MOST ? BURSTS_MOST : (uint32_t)bursts;
	actor->group = 1;
	actor->detail = MP_DETAIL_TICKS;
}

bool mp_turn_exp(const struct mp_view *view, const struct mp_sweep *sweep,
		 double length, struct mp_exp *exp)
{
	const uint64_t bytes = (uint64_t)length / sweep->stride * sweep->stride;

	if (!bytes || bytes > view->arena_max_bytes)
		return false;
	mp_exp_chase(exp, view->cpu, sweep->pages, bytes, sweep->stride,
		     MP_TURN_REACH < bytes ? MP_TURN_REACH : 0);
	exp->arena[0].node = view->node;
	exp->quiet = view->quiet;
	mp_turn_actor(&exp->actor[0]);
	return true;
}

void mp_turn_key(const struct mp_view *view, const struct mp_batch *batch,
		 const struct mp_turn_times *times, struct mp_kept_key *key)
{
	mp_kept_begin(key);
	mp_kept_add(key, &times->least, 1);
	mp_kept_add(key, &times->most, 1);
	mp_kept_add(key, &times->far, 1);
	mp_kept_add_word(key, view->seed);
	mp_kept_add_word(key, batch->id);
	mp_kept_add_word(key, batch->replicate);
	for (uint32_t s = 0; s < batch->n_samples; s++)
		mp_kept_add_word(key, batch->sample[s].ticks);
}

bool mp_turn_batches(const struct mp_view *view, const struct mp_exp *exp,
		     uint32_t replicates, const struct mp_batch **batch,
		     bool *lacks)
{
	const struct mp_batch *one;
	uint32_t n = 0, failed = 0, at = 0;
	bool given_up = exp->arena[0].bytes > view->arena_max_bytes;

	while (n < replicates && (one = mp_view_next(view, mp_exp_id(exp), &at))) {
		given_up |= one->error != 0;
		failed += !mp_batch_counts(one);
		if (mp_batch_counts(one) && mp_exp_equal(&one->exp, exp))
			batch[n++] = one;
	}
	*lacks = n < replicates && !given_up && failed <= MP_REPEATS_MAX;
	return n == replicates;
}

void mp_turn_free(struct mp_turn *turn)
{
	free(turn->order);
	free(turn->when);
	free(turn->seen);
	free(turn->missed);
	free(turn->here);
}

/* As the backend drew it. */
static int turn_init(const struct mp_view *view, const struct mp_batch *batch,
		     struct mp_turn *turn)
{
	const struct mp_actor *actor = &batch->exp.actor[0];
	struct mp_rng rng;

	turn->slots = (uint32_t)(actor->length / actor->stride);
	turn->order = malloc(turn->slots * sizeof(*turn->order));
	turn->when = calloc(actor->length / PAGE + 1,
			    sizeof(*turn->when));
	turn->seen = calloc(turn->slots, sizeof(*turn->seen));
	turn->missed = calloc(turn->slots, sizeof(*turn->missed));
	turn->here = calloc(turn->slots, sizeof(*turn->here));
	if (!turn->order || !turn->when || !turn->seen || !turn->missed ||
	    !turn->here)
		return -ENOMEM;
	mp_rng_seed(&rng, mp_exp_seed(view->seed, batch->id, batch->replicate));
	mp_perm_order(turn->order, turn->slots,
		      (uint32_t)(actor->reach / actor->stride), &rng);
	return 0;
}

/* The first hop to a page in its window, whose translation may be long. */
static bool is_first(const struct mp_batch *batch, uint64_t hop, uint32_t slot,
		     struct mp_turn *turn)
{
	const uint64_t stride = batch->exp.actor[0].stride;
	const uint64_t page = slot * stride / PAGE;
	const bool first = !turn->when[page] ||
			   hop - turn->when[page] >= MP_TURN_REACH / stride;

	turn->when[page] = hop;
	return first;
}

static void note_burst(const struct mp_turn_times *times,
		       const struct mp_batch *batch,
		       const struct memprobe_sample *sample, uint64_t at,
		       struct mp_turn *turn)
{
	const uint64_t *word = batch->payload + sample->payload_offset;

	if (!mp_sample_calm(sample) ||
	    sample->payload_kind != MEMPROBE_PAYLOAD_TICKS)
		return;
	for (uint32_t i = 0; i < sample->payload_count; i++) {
		const double cycles = mp_clock_cycles(batch, (double)word[i] -
						      batch->grant.read_ticks);
		const uint32_t slot = turn->order[(at + i) % turn->slots];

		if (cycles > times->least && cycles <= times->most) {
			turn->all++;
			turn->all_cycles += cycles;
		}
		if (is_first(batch, at + i, slot, turn) ||
		    turn->seen[slot] == UINT8_MAX)
			continue;
		turn->seen[slot]++;
		turn->missed[slot] += cycles > times->most;
		turn->here[slot] += cycles > times->least &&
				    cycles <= times->most;
		turn->beyond += cycles > times->far;
		if (cycles > times->most)
			continue;
		turn->hits++;
		turn->hit_cycles += cycles;
		if (cycles <= times->least)
			continue;
		turn->own++;
		turn->own_cycles += cycles;
		turn->own_squares += cycles * cycles;
	}
}

/* Hops that were not measured count as well; where it is not known how many
 * there were, nothing is noted. */
static void note_batch(const struct mp_turn_times *times,
		       const struct mp_batch *batch, struct mp_turn *turn)
{
	uint64_t at = 0, warm = 0;

	if (!batch->n_samples ||
	    batch->sample[0].warm_hops < batch->exp.actor[0].warm_hops)
		return;
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		at += sample->warm_hops - (sample->warm_hops < warm ? 0 : warm);
		warm = sample->warm_hops;
		note_burst(times, batch, sample, at, turn);
		at += sample->hops;
	}
}

int mp_turn_take(const struct mp_view *view, const struct mp_batch *batch,
		 const struct mp_turn_times *times, struct mp_turn *turn)
{
	const int err = turn_init(view, batch, turn);

	if (!err)
		note_batch(times, batch, turn);
	return err;
}
