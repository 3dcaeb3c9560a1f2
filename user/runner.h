/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The whole loop: ask each probe what it wants to know, have the backend
 * run it, keep what came, ask again, then infer. It reads no clock: time is
 * what the batches say they cost, so a recording replays to the same plan.
 */
#ifndef MP_RUNNER_H
#define MP_RUNNER_H

#include "backend.h"
#include "run.h"
#include "select.h"

/**
 * mp_run_all() - run the probes
 * @target: an open backend
 * @host: what it said about itself
 * @opts: what to do
 * @run: gets all; mp_run_free() it, after an error too
 * Return: 0, or a negative errno when the backend or a probe is broken or
 * memory ran out; target->why says which.
 */
int mp_run_all(struct mp_target *target, const struct mp_host *host,
	       const struct mp_run_opts *opts, struct mp_run *run);

/** mp_run_view() - what probes may know of a host; batches, facts, depth, seed
 * and time are empty */
void mp_run_view(const struct mp_host *host, struct mp_view *view);

/** mp_run_is_fine() - did the clock time single hops? As the first batch that
 * counts has it; false where the core's clock was not measured. */
bool mp_run_is_fine(const struct mp_run *run);

#endif
