/* SPDX-License-Identifier: GPL-2.0 */
/* A run: what it is to do, and what came out. The loop itself: runner.h. */
#ifndef MP_RUN_H
#define MP_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend.h"
#include "fact.h"
#include "probe.h"
#include "save.h"

/** enum mp_run_stop - why a run ended */
enum mp_run_stop {
	MP_STOP_DONE,	/* every probe had its answers, or its share of time */
	MP_STOP_TIME,	/* the time limit cut a probe short */
	MP_STOP_SIGNAL,	/* the user asked */
};

/** mp_run_stop_name() - "done", "time", "signal" */
const char *mp_run_stop_name(uint32_t stop);

/**
 * struct mp_run_opts - what a run is to do
 * @probe: the probes, in order of dependence
 * @n_probes: how many
 * @depth: enum mp_depth
 * @seed: run seed, for resampling too
 * @budget_ns: what first tries may cost in all, see mp_run_budget_ns()
 * @limit_ns: what first tries and repeats may cost in all
 * @stop: the run ends after the present batch once this is not 0; may be NULL
 * @progress: told before each batch; may be NULL. @done is the share of the
 *	run that lies behind, 0..1, never falling
 * @ctx: handed to @progress
 */
struct mp_run_opts {
	const struct mp_probe *const *probe;
	uint32_t n_probes;
	uint32_t depth;
	uint64_t seed;
	uint64_t budget_ns;
	uint64_t limit_ns;
	const volatile sig_atomic_t *stop;
	void (*progress)(void *ctx, const char *probe, double done,
			 const char *what);
	void *ctx;
};

/** mp_run_budget_ns() - what a calm run of a depth may cost */
uint64_t mp_run_budget_ns(uint32_t depth);

/**
 * mp_run_adopt() - seed, depth and budget of the recorded run
 *
 * Does nothing for a host that is no recording. The probes stay as they are.
 */
void mp_run_adopt(struct mp_run_opts *opts, const struct mp_host *host);

/**
 * struct mp_run - what came out
 * @host: the machine
 * @facts: the answers, with the claims beside them
 * @probes: names of the probes that ran, comma-separated
 * @seed, @depth, @budget_ns, @limit_ns: as in the options
 * @stop: enum mp_run_stop
 * @n_batches: batches, in order of arrival
 * @room_batches: batches that fit
 * @batch: owned, each of them too
 * @calm_ns: what first tries cost
 * @cost_ns: what all batches cost
 * @n_counted: batches that count
 * @n_disturbed: batches with samples that do not count
 * @n_failed: batches with an error
 * @n_repeats: tries that were made because an earlier one did not count
 * @n_given_up: wanted replicates that no repeat could bring
 */
struct mp_run {
	struct mp_host host;
	struct mp_facts facts;
	char probes[MP_SAVE_PROBES];
	uint64_t seed;
	uint64_t budget_ns;
	uint64_t limit_ns;
	uint32_t depth;
	uint32_t stop;
	uint32_t n_batches;
	uint32_t room_batches;
	struct mp_batch **batch;
	uint64_t calm_ns;
	uint64_t cost_ns;
	uint32_t n_counted;
	uint32_t n_disturbed;
	uint32_t n_failed;
	uint32_t n_repeats;
	uint32_t n_given_up;
};

/** mp_run_save() - keep the run in a file; errors as of mp_save_write() */
int mp_run_save(const struct mp_run *run, const char *path, char *why,
		size_t room);

/** mp_run_free() - give back what it owns; empty then */
void mp_run_free(struct mp_run *run);

/**
 * mp_facts_claim() - put what the system claims beside the facts
 *
 * By name; the first claim of a fact is taken. Done after the last
 * inference, so that no probe ever sees a claim.
 */
void mp_facts_claim(struct mp_facts *facts, const struct mp_host *host);

#endif
