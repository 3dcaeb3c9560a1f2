/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A probe put to a simulated machine, with what earlier probes would have
 * found told beforehand: its own part of a run, in little time.
 */
#ifndef SIM_ASK_H
#define SIM_ASK_H

#include "batch_index.h"
#include "fact.h"
#include "probe.h"

/**
 * struct sim_ask - a machine, what is known of it, and what was measured
 * @view: what the probe is shown
 * @known: facts of earlier probes
 * @found: facts of the probe
 * @batch: owned
 * @index: them by experiment
 * @rounds: times that it wanted more
 * @quiet: conditions that experiments ask for, see struct mp_view
 */
struct sim_ask {
	struct mp_view view;
	struct mp_facts known;
	struct mp_facts found;
	struct mp_batch **batch;
	struct mp_batch_index index;
	uint32_t rounds;
	uint32_t quiet;
};

/** sim_ask_know() - a fact that an earlier probe has measured */
void sim_ask_know(struct sim_ask *ask, const char *name, double value);
/** sim_ask_know_text() - .. that is a class and no number */
void sim_ask_know_text(struct sim_ask *ask, const char *name, const char *text);

/**
 * sim_ask() - open a machine, plan and measure until nothing is added, infer
 * @ask: zeroed, but for what is known
 * @text: the machine, as a file has it
 * @probe: the probe
 * @seed: of the run
 *
 * Fails the test when anything goes wrong. sim_ask_free() it.
 */
void sim_ask(struct sim_ask *ask, const char *text,
	     const struct mp_probe *probe, uint64_t seed);
void sim_ask_free(struct sim_ask *ask);

/** sim_ask_fact() - what it found; fails the test when there is none */
const struct mp_fact *sim_ask_fact(const struct sim_ask *ask,
				   const char *name);

#endif
