// SPDX-License-Identifier: GPL-2.0
#include "made_means.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define SAMPLES 4u
#define HOPS 1000u
/* No single hop can be told with it. */
#define TICK_STEP 100u

void made_means_open(struct made_means *made, uint64_t arena_max_bytes)
{
	memset(made, 0, sizeof(*made));
	made->view = (struct mp_view){
		.cpu = 1, .pages = MP_PAGES_2M,
		.arena_max_bytes = arena_max_bytes,
		.facts = &made->facts, .batch = made->list,
	};
}

void made_means_close(struct made_means *made)
{
	for (uint32_t i = 0; i < made->view.n_batches; i++)
		mp_batch_free(&made->batch[i]);
}

void made_means_add(struct made_means *made, const struct mp_exp *exp,
		    uint32_t replicate, double cycles)
{
	const uint32_t at = made->view.n_batches++;
	struct mp_batch *batch = &made->batch[at];

	assert_true(at < MADE_MEANS_BATCHES);
	mp_batch_init(batch, exp, replicate);
	batch->grant.tick_hz = 1e9;
	batch->grant.tick_step = TICK_STEP;
	batch->grant.n_clocks = 1;
	batch->grant.clock[0].add_hz = 1e9;
	batch->grant.n_arenas = 1;
	batch->grant.arena[0].contiguous = 1;
	for (uint32_t i = 0; i < SAMPLES; i++) {
		struct memprobe_sample *sample = mp_batch_add(batch);

		assert_non_null(sample);
		sample->hops = HOPS;
		sample->ticks = (uint64_t)(HOPS * cycles);
	}
	made->list[at] = batch;
}
