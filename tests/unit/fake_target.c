// SPDX-License-Identifier: GPL-2.0
/* A backend in memory for tests. */
#include "fake_target.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "made_batch.h"

#define SAMPLES 4

struct fake fake;

static int fake_run(struct mp_target *target, const struct mp_exp *exp,
		    uint32_t replicate, struct mp_batch *batch)
{
	(void)target;
	assert(fake.n_calls < FAKE_CALLS);
	fake.call[fake.n_calls].bytes = exp->arena[0].bytes;
	fake.call[fake.n_calls++].replicate = replicate;
	made_batch(batch, SAMPLES, 0, 3);
	batch->cost_ns = FAKE_COST_NS;
	if (fake.ending)
		fake.ending(batch);
	if (fake.stop_after && fake.n_calls >= fake.stop_after)
		fake.stop = 1;
	return fake.breaks;
}

static const struct mp_backend fake_backend = {
	.name = "fake",
	.run = fake_run,
};

void fake_reset(struct mp_target *target, struct mp_host *host)
{
	memset(&fake, 0, sizeof(fake));
	memset(target, 0, sizeof(*target));
	memset(host, 0, sizeof(*host));
	target->backend = &fake_backend;
	host->caps = MP_CAP_CHASE;
	host->cpu = 3;
	host->node = 1;
	host->pages = MP_PAGES_THP;
	host->pages_forced = true;
	host->arena_max_bytes = 1 << 30;
}

void fake_disturb(struct mp_batch *batch, uint32_t samples)
{
	for (uint32_t i = 0; i < samples && i < batch->n_samples; i++)
		batch->sample[i].flags = MEMPROBE_F_GAP;
}

void fake_fail(struct mp_batch *batch, int error)
{
	uint64_t cost_ns = batch->cost_ns;

	mp_batch_free(batch);
	batch->error = error;
	batch->cost_ns = cost_ns;
}

void fake_want(struct mp_plan *plan, uint64_t bytes, uint32_t replicates)
{
	struct mp_exp exp;

	made_exp(&exp, bytes);
	assert_int_equal(mp_plan_add(plan, &exp, replicates), 0);
}

void fake_was_called(uint32_t i, uint64_t kib, uint32_t replicate)
{
	assert_true(i < fake.n_calls);
	assert_int_equal(fake.call[i].bytes, kib << 10);
	assert_int_equal(fake.call[i].replicate, replicate);
}
