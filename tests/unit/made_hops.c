// SPDX-License-Identifier: GPL-2.0
/* Curves of single hops, made hop by hop. */
#include "made_hops.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define HOPS 4000u
#define TICKS_MAX 4096u
/* What no counter is kept for is far beyond the longest. */
#define LONG_TICKS 1000000u
#define HZ 3e9

static double uniform(struct mp_rng *rng)
{
	return (double)mp_rng_below(rng, 1u << 20) / (1u << 20);
}

/* A hop as the clock shows it: its steps, and begun anywhere between two. */
static uint64_t ticks_of(struct made_hops *hops, const struct made_kind *kind)
{
	double off = uniform(&hops->rng) + uniform(&hops->rng) - 1;
	double ticks = kind->cycles + kind->spread * off +
		       MADE_HOPS_READ_TICKS;

	return (uint64_t)floor(ticks / (double)hops->step +
			       uniform(&hops->rng)) * hops->step;
}

static const struct made_kind *draw(struct made_hops *hops,
				    const struct made_kind *kind, uint32_t n)
{
	double part = uniform(&hops->rng);

	while (n > 1 && part >= kind->share) {
		part -= kind->share;
		kind++;
		n--;
	}
	return kind;
}

void made_hops_fill(struct made_hops *hops, struct mp_batch *batch,
		    const struct made_kind *kind, uint32_t n)
{
	struct memprobe_sample *sample = mp_batch_add(batch);
	uint64_t count[TICKS_MAX + 1] = { 0 }, word[2 * (TICKS_MAX + 1)];
	uint32_t words = 0;

	assert(sample);
	for (uint32_t i = 0; i < HOPS; i++) {
		uint64_t ticks = ticks_of(hops, draw(hops, kind, n));

		count[ticks < TICKS_MAX ? ticks : TICKS_MAX]++;
	}
	for (uint32_t i = 0; i <= TICKS_MAX; i++) {
		if (!count[i])
			continue;
		word[words++] = i < TICKS_MAX ? i : LONG_TICKS;
		word[words++] = count[i];
	}
	sample->hops = HOPS;
	sample->payload_kind = MEMPROBE_PAYLOAD_HIST;
	sample->payload_count = words;
	assert(!mp_batch_words(batch, word, words, &sample->payload_offset));
}

void made_hops_open(struct made_hops *hops, uint64_t step)
{
	memset(hops, 0, sizeof(*hops));
	hops->curve.at = hops->at;
	hops->step = step;
	mp_rng_seed(&hops->rng, 11);
}

void made_hops_close(struct made_hops *hops)
{
	for (uint32_t i = 0; i < MADE_HOPS_POINTS; i++)
		for (uint32_t r = 0; r < MADE_HOPS_REPLICATES; r++)
			mp_batch_free(&hops->batch[i][r]);
	memset(hops, 0, sizeof(*hops));
}

static void make_grant(const struct made_hops *hops, struct mp_grant *grant)
{
	grant->tick_hz = grant->clock[0].add_hz = HZ;
	grant->tick_step = hops->step;
	grant->read_ticks = MADE_HOPS_READ_TICKS;
	grant->n_clocks = 1;
}

void made_hops_add(struct made_hops *hops, uint64_t length,
		   uint32_t replicates, const struct made_kind *kind,
		   uint32_t n)
{
	const uint32_t i = hops->curve.n++;
	struct mp_curve_at *at = &hops->at[i];
	struct mp_exp exp;

	assert(i < MADE_HOPS_POINTS && replicates <= MADE_HOPS_REPLICATES);
	mp_exp_chase(&exp, 0, MP_PAGES_4K, length, 64, 0);
	exp.actor[0].detail = MP_DETAIL_HIST;
	for (uint32_t r = 0; r < replicates; r++) {
		struct mp_batch *batch = &hops->batch[i][r];

		mp_batch_init(batch, &exp, r);
		make_grant(hops, &batch->grant);
		made_hops_fill(hops, batch, kind, n);
		hops->list[i][r] = batch;
	}
	at->length = length;
	at->id = hops->batch[i][0].id;
	at->n = replicates;
	at->batch = hops->list[i];
}
