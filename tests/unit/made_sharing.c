// SPDX-License-Identifier: GPL-2.0
/* A machine whose CPUs share levels, played by formula. */
#include "made_sharing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "rng.h"

#define READ_TICKS 60.0

/* The ring that sweeps. */
const struct mp_actor *made_sharing_sweep(const struct mp_exp *exp)
{
	const struct mp_actor *sweep = NULL;

	for (uint32_t i = 0; i < exp->n_actors; i++)
		if (exp->actor[i].arena == 1 && !exp->actor[i].offset)
			sweep = &exp->actor[i];
	assert_non_null(sweep);
	return sweep;
}

/* The outermost level that has no room for it. */
static uint32_t level_of(const struct made_sharing *world, const struct mp_exp *exp)
{
	const double bytes = (double)made_sharing_sweep(exp)->length;

	for (uint32_t k = MADE_SHARING_LEVELS; k--;)
		if (world->size[k] > 0 && bytes > 1.2 * world->size[k])
			return k;
	fail_msg("%g bytes sweep no level", bytes);
	return 0;
}

static bool share(const struct made_sharing *world, uint32_t k, uint32_t a,
		  uint32_t b)
{
	return a / world->group[k] == b / world->group[k];
}

/* What a hop of an actor takes, less noise, that is not served inside. */
static double hop_of(const struct made_sharing *world,
		     const struct mp_exp *exp, uint32_t actor)
{
	const uint32_t k = level_of(world, exp), place = made_sharing_sweep(exp)->place;
	const bool is_own = place == world->view.cpu;
	const uint32_t next = k + 1 + world->beyond;
	/* Beyond memory there is nothing, and nothing is served by no level. */
	const double back = world->ticks[next < MADE_SHARING_LEVELS &&
					 world->size[next] > 0 ?
					 next : MADE_SHARING_LEVELS] -
			    world->ticks[k];

	if (actor == 0 || (is_own && world->keeps))
		return world->ticks[k];
	if (is_own)
		return world->ticks[k] + back;
	return world->ticks[k] + (share(world, k, world->view.cpu, place) ?
				 world->weak * back : 0);
}

static double spread(struct mp_rng *rng, double width)
{
	return width * ((double)mp_rng_below(rng, 2001) / 1000 - 1);
}

/* So many hops of a time between two ticks: some of either. */
static uint32_t add_hops(uint64_t *word, double ticks, double hops)
{
	const double down = floor(ticks), many = floor(hops);
	const double up = floor(many * (ticks - down) + 0.5);
	uint32_t n = 0;

	if (many > up) {
		word[n++] = (uint64_t)down;
		word[n++] = (uint64_t)(many - up);
	}
	if (up > 0) {
		word[n++] = (uint64_t)down + 1;
		word[n++] = (uint64_t)up;
	}
	return n;
}

static void add_sample(const struct made_sharing *world,
		       struct mp_batch *batch, uint32_t actor, uint32_t i,
		       double hop, double noise)
{
	const struct mp_actor *who = &batch->exp.actor[actor];
	const uint32_t k = level_of(world, &batch->exp);
	const bool serves = world->along || actor == 0 ||
			    made_sharing_sweep(&batch->exp)->place !=
			    world->view.cpu;
	const double inside = k && serves ?
			      floor(world->inside * (double)who->hops) : 0;
	struct memprobe_sample *sample = mp_batch_add(batch);
	uint64_t words[8];
	uint32_t n = 0;

	assert_non_null(sample);
	sample->actor = (uint16_t)actor;
	sample->round = (uint16_t)(i / who->bursts);
	sample->burst = (uint16_t)(i % who->bursts);
	sample->hops = who->hops;
	if (world->disturbed)
		sample->flags = MEMPROBE_F_GAP;
	if (who->detail != MP_DETAIL_HIST)
		return;
	/* The first round reads as if it were the last. */
	hop = sample->round ? hop : 10 * hop;
	noise += READ_TICKS;
	if (inside > 0)
		n += add_hops(words, world->ticks[k - 1] + noise, inside);
	n += add_hops(words + n, hop + noise, (double)who->hops - inside);
	sample->payload_kind = MEMPROBE_PAYLOAD_HIST;
	sample->payload_count = n;
	assert_int_equal(mp_batch_words(batch, words, n,
					&sample->payload_offset), 0);
}

void made_sharing_answer(const struct made_sharing *world,
			 struct mp_batch *batch)
{
	const struct mp_exp *exp = &batch->exp;
	double moment;
	struct mp_rng rng;

	batch->cost_ns = 1000000;
	batch->error = world->error;
	if (world->error)
		return;
	mp_rng_seed(&rng, mp_exp_seed(1, batch->id, batch->replicate));
	batch->grant.read_ticks = READ_TICKS;
	batch->grant.tick_hz = 1e9;
	batch->grant.tick_step = 1;
	moment = spread(&rng, world->ebbs);
	for (uint32_t i = 0; i < exp->n_actors; i++) {
		const double noise = moment + spread(&rng, world->noise);

		for (uint32_t k = 0; k < exp->rounds * exp->actor[i].bursts; k++)
			add_sample(world, batch, i, k,
				   hop_of(world, exp, i), noise);
	}
}

void made_sharing_check(const struct made_sharing *world,
			const struct mp_exp *exp)
{
	const uint32_t k = level_of(world, exp);
	const struct mp_actor *sweep = made_sharing_sweep(exp);
	uint64_t bytes = 0;
	char why[256];

	if (mp_exp_check(exp, why, sizeof(why)))
		fail_msg("%s", why);
	for (uint32_t i = 0; i < exp->n_arenas; i++)
		bytes += exp->arena[i].bytes;
	assert_true(bytes <= world->view.arena_max_bytes);
	for (uint32_t i = 0; i < exp->n_actors; i++) {
		const struct mp_actor *actor = &exp->actor[i];

		assert_false(actor->background);
		assert_true(mp_cpus_has(&world->view.cpus, actor->place));
		assert_true(actor->arena || actor->place == world->view.cpu);
		assert_int_equal(actor->detail == MP_DETAIL_HIST, i < 2);
		/* One after the other. */
		for (uint32_t other = 0; other < i; other++)
			assert_true(actor->phase != exp->actor[other].phase);
	}
	/* What is walked has its room; what the other's levels may keep of the
	 * sweep leaves enough of it. */
	assert_true((double)exp->actor[0].length <= 0.75 * world->size[k]);
	assert_true((double)sweep->length >= 1.25 * world->size[k] +
					     (k ? world->size[k - 1] : 0));
	assert_true(exp->actor[0].phase < sweep->phase &&
		    sweep->phase < exp->actor[1].phase);
}
