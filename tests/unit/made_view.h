/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes put to a made-up CPU: the loop of the runner without its clock and
 * budget, with a sharp eye on what is asked for.
 */
#ifndef MADE_VIEW_H
#define MADE_VIEW_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fact.h"
#include "made_cpu.h"
#include "pool.h"
#include "probe.h"

/**
 * struct made_asked - what one probe has asked for
 * @rounds: plans that brought new batches
 * @batches: replicates that were made
 * @wanted: replicates that its last plan wanted in all
 * @experiments: lines of its last plan
 * @hops: hops of all batches made, warm-up included
 * @bytes_max: largest arena
 * @kinds: page kinds, a bit each
 */
struct made_asked {
	uint32_t rounds;
	uint32_t batches;
	uint32_t wanted;
	uint32_t experiments;
	uint64_t hops;
	uint64_t bytes_max;
	uint32_t kinds;
};

/**
 * struct made_view - a run on a made-up CPU
 * @cpu: the CPU; may be changed between probes
 * @view: what probes are shown; knobs may be set before the first is asked
 * @facts: found so far
 * @asked: what the last probe asked for
 * @now_ns: when the next batch begins
 * @pool, @batch, @room: what was measured
 */
struct made_view {
	struct made_cpu cpu;
	struct mp_view view;
	struct mp_facts facts;
	struct made_asked asked;
	uint64_t now_ns;
	struct mp_pool pool;
	struct mp_batch **batch;
	uint32_t room;
};

/** made_view_open() - a run on a copy of @cpu: huge pages may be wished for,
 * arenas of 512 MiB. made_view_close() it. */
void made_view_open(struct made_view *made, const struct made_cpu *cpu,
		    uint32_t depth);
/** made_view_open_usual() - on the usual CPU, at the usual depth */
void made_view_open_usual(struct made_view *made);
void made_view_close(struct made_view *made);

/**
 * made_view_plan() - ask, measure, ask again until nothing is added
 *
 * Fails the test when the probe breaks, asks for what must not be, gives two
 * plans for one view, or does not come to an end.
 */
void made_view_plan(struct made_view *made, const struct mp_probe *probe);

/**
 * made_view_infer() - add the probe's facts to those of the run
 *
 * Fails the test when two calls give two answers, or when the facts are not
 * those that the probe promises, each once and each in itself sound.
 */
void made_view_infer(struct made_view *made, const struct mp_probe *probe);

/** made_view_ask() - plan, then infer */
void made_view_ask(struct made_view *made, const struct mp_probe *probe);

/** made_view_until() - ask a probe by name, after those it starts from */
void made_view_until(struct made_view *made, const char *name);

/** made_view_know() - put a fact there that no probe has found */
void made_view_know(struct made_view *made, const char *name, double value,
		    const char *unit);
/** made_view_know_absent() - the same, for a thing that is not there */
void made_view_know_absent(struct made_view *made, const char *name);

/** made_view_know_sizes() - the line and the sizes of up to three levels, as
 * the CPU of the run has them; a third that it has not is absent */
void made_view_know_sizes(struct made_view *made);

/** made_view_keep() - of each experiment so many replicates; the others are
 * emptied, and count no more */
void made_view_keep(struct made_view *made, uint32_t replicates);

/** made_fact() - a fact by name; fails the test when there is none */
const struct mp_fact *made_fact(const struct made_view *made,
				const char *name);
/** made_fact_is() - measured, within such a share, and its limits hold it */
void made_fact_is(const struct made_view *made, const char *name,
		  double value, double share);
/** made_fact_holds() - it is known, not only from below, and its limits, at
 * most a factor of 4 apart, hold this */
void made_fact_holds(const struct made_view *made, const char *name,
		     double value);
/** made_fact_at_least() - it is known from below, and what it would be at
 * most, as far as that is known, holds this too */
void made_fact_at_least(const struct made_view *made, const char *name,
			double value);
/** made_fact_ends() - it has this verdict */
void made_fact_ends(const struct made_view *made, const char *name,
		    uint32_t verdict);
/** made_facts_cannot() - all facts that a probe promises are not-measurable */
void made_facts_cannot(const struct made_view *made,
		       const struct mp_probe *probe);

/**
 * made_probe_always_answers() - whatever happens, there is an answer
 *
 * Puts the probe to views without batches, with failed and with disturbed
 * ones, with a CPU that has no core clock, and with those of another
 * question; and checks that none of the first three gives a value.
 */
void made_probe_always_answers(const char *name);

/**
 * struct made_test - what the tests of one probe share
 * @name: of the probe
 * @probe: gets the probe
 * @cpu: made the usual one before each test
 * @made: closed after each test
 */
struct made_test {
	const char *name;
	const struct mp_probe **probe;
	struct made_cpu *cpu;
	struct made_view *made;
};

/** made_begin(), made_end() - around a test whose state is a made_test */
int made_begin(void **state);
int made_end(void **state);

/** MADE_TEST() - an entry of the list of tests, with its made_test */
#define MADE_TEST(f, t) \
	cmocka_unit_test_prestate_setup_teardown(f, made_begin, made_end, t)

#endif
