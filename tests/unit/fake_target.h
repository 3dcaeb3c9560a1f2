/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A backend in memory for tests: it makes batches up, notes what it was asked
 * for, and lets the test say how each try ends.
 */
#ifndef FAKE_TARGET_H
#define FAKE_TARGET_H

#include <signal.h>
#include <stdint.h>

#include "backend.h"
#include "batch.h"
#include "probe.h"

#define FAKE_CALLS 4096
/** FAKE_COST_NS - cost of every batch, unless a test says otherwise */
#define FAKE_COST_NS 1000u

/** struct fake_call - what the backend was asked for */
struct fake_call {
	uint64_t bytes;
	uint32_t replicate;
};

/**
 * struct fake - the world of one test
 * @ending: may change a batch that is calm and costs FAKE_COST_NS
 * @breaks: what run() itself returns
 * @stop_after: set @stop once so many batches were made; 0 = never
 * @stop: to be handed to the runner
 * @n_calls, @call: what was asked for
 */
struct fake {
	void (*ending)(struct mp_batch *batch);
	int breaks;
	uint32_t stop_after;
	volatile sig_atomic_t stop;
	uint32_t n_calls;
	struct fake_call call[FAKE_CALLS];
};

extern struct fake fake;

/** fake_reset() - a new world; fills a target and its host */
void fake_reset(struct mp_target *target, struct mp_host *host);

/** fake_disturb() - flag so many of a batch's samples */
void fake_disturb(struct mp_batch *batch, uint32_t samples);

/** fake_fail() - make a batch one with an error and no samples */
void fake_fail(struct mp_batch *batch, int error);

/** fake_want() - add so many replicates of a ring of @bytes to a plan */
void fake_want(struct mp_plan *plan, uint64_t bytes, uint32_t replicates);
/** fake_was_called() - call @i measured this replicate of a ring of @kib KiB */
void fake_was_called(uint32_t i, uint64_t kib, uint32_t replicate);

#endif
