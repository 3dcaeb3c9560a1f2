// SPDX-License-Identifier: GPL-2.0
/* Batches made up for tests: no machine has measured them. */
#include "made_batch.h"

#include <assert.h>
#include <string.h>

#include "rng.h"

#define WORDS_MAX 256u

void made_exp(struct mp_exp *exp, uint64_t bytes)
{
	mp_exp_chase(exp, 0, MP_PAGES_4K, bytes, 64, 65536);
}

static void make_grant(struct mp_grant *grant, const struct mp_exp *exp,
		       struct mp_rng *rng, uint64_t start_ns)
{
	grant->tick_hz = 2.6e9;
	grant->read_ticks = 38 + (double)mp_rng_below(rng, 100) / 100;
	grant->look_ticks = 1.25;
	grant->tick_step = 2;
	grant->gap_ticks = 2600;
	grant->got = MP_GOT_NICE;
	grant->n_arenas = exp->n_arenas;
	grant->arena[0].bytes = exp->arena[0].bytes;
	grant->arena[0].node = 0;
	grant->n_clocks = 2;
	for (uint32_t i = 0; i < 2; i++) {
		grant->clock[i].at_ns = start_ns + i * 900000;
		grant->clock[i].add_hz = 3.54e9 + (double)mp_rng_below(rng,
								1000000);
		grant->clock[i].mul_hz = 3.54e9 + (double)mp_rng_below(rng,
								1000000);
	}
}

static void make_payload(struct mp_batch *batch,
			 struct memprobe_sample *sample, uint32_t distinct,
			 struct mp_rng *rng)
{
	uint64_t words[WORDS_MAX];
	uint64_t ticks = 200;

	assert(distinct * 2 <= WORDS_MAX);
	for (uint32_t i = 0; i < distinct; i++) {
		ticks += 2 + 2 * mp_rng_below(rng, 4);
		words[2 * i] = ticks;
		words[2 * i + 1] = 1 + mp_rng_below(rng, 64);
	}
	sample->payload_kind = MEMPROBE_PAYLOAD_HIST;
	sample->payload_count = distinct * 2;
	assert(!mp_batch_words(batch, words, distinct * 2,
			       &sample->payload_offset));
}

static void make_sample(struct mp_batch *batch, uint32_t burst,
			bool disturbed, uint32_t distinct, struct mp_rng *rng)
{
	struct memprobe_sample *sample = mp_batch_add(batch);

	assert(sample);
	sample->burst = (uint16_t)burst;
	sample->hops = batch->exp.actor[0].hops;
	sample->bytes = batch->exp.actor[0].length;
	sample->ticks = sample->hops * 13 + mp_rng_below(rng, 4000);
	sample->start_ns = batch->start_ns + 100000 * (burst + 1) +
			   mp_rng_below(rng, 500);
	sample->valid = 1u << MEMPROBE_VALID_START |
			1u << MEMPROBE_VALID_GAPS |
			1u << MEMPROBE_VALID_CPU_END;
	sample->gap_max_ticks = 300 + mp_rng_below(rng, 50);
	sample->warm_hops = 2 * sample->hops;
	if (disturbed) {
		sample->flags = MEMPROBE_F_GAP;
		sample->gaps = 1;
		sample->gap_ticks = 9000 + mp_rng_below(rng, 50000);
	}
	if (distinct)
		make_payload(batch, sample, distinct, rng);
}

void made_batch(struct mp_batch *batch, uint32_t samples, uint32_t disturbed,
		uint32_t distinct)
{
	struct mp_rng rng;

	mp_rng_seed(&rng, mp_exp_seed(1, batch->id, batch->replicate));
	batch->start_ns = 1000000000 + mp_rng_below(&rng, 10000000000);
	batch->cost_ns = 1000000 + mp_rng_below(&rng, 200000);
	make_grant(&batch->grant, &batch->exp, &rng, batch->start_ns);
	for (uint32_t i = 0; i < samples; i++)
		make_sample(batch, i, i < disturbed, distinct, &rng);
}

bool made_batch_equal(const struct mp_batch *a, const struct mp_batch *b)
{
	if (!mp_exp_equal(&a->exp, &b->exp) || a->id != b->id ||
	    a->replicate != b->replicate || a->error != b->error ||
	    a->start_ns != b->start_ns || a->cost_ns != b->cost_ns ||
	    a->n_samples != b->n_samples || a->n_words != b->n_words)
		return false;
	if (memcmp(&a->grant, &b->grant, sizeof(a->grant)))
		return false;
	if (a->n_samples && memcmp(a->sample, b->sample,
				   a->n_samples * sizeof(*a->sample)))
		return false;
	return !a->n_words || !memcmp(a->payload, b->payload,
				      a->n_words * sizeof(*a->payload));
}
