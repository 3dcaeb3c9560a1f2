/* SPDX-License-Identifier: GPL-2.0 */
/* The second table: who asks. Probes are pure functions of data. */
#ifndef MP_PROBE_H
#define MP_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "batch_index.h"
#include "cpus.h"
#include "fact.h"

/** enum mp_depth - how much a run may cost */
enum mp_depth {
	MP_DEPTH_QUICK,
	MP_DEPTH_DEFAULT,
	MP_DEPTH_DEEP,
	MP_DEPTHS,
};

/** mp_depth_name() - "quick", "default", "deep" */
const char *mp_depth_name(uint32_t depth);
/** mp_depth_parse() - from its name; -EINVAL */
int mp_depth_parse(const char *name, uint32_t *depth);

/** MP_ASKED - experiments that are noted */
#define MP_ASKED 1024u

/**
 * struct mp_asked - the experiments whose batches have been asked for
 *
 * What follows from nothing else of a view holds as long as these have the
 * batches that they had.
 * @n: how many; more than MP_ASKED: they were too many
 * @id, @stamp: the experiment, and struct mp_batch_list; 0 = no batch
 */
struct mp_asked {
	uint32_t n;
	struct {
		uint64_t id;
		uint64_t stamp;
	} of[MP_ASKED];
};

/**
 * struct mp_view - all that a probe may know
 * @caps: bits of enum mp_cap
 * @cpu: whose memory is asked about
 * @cpus: those that actors may be placed on, @cpu among them
 * @node: node of the memory, or MP_NODE_ANY
 * @pages: page kind to wish for
 * @pages_forced: no other kind may be asked for
 * @arena_max_bytes: the largest arena that may be asked for
 * @quiet: wishes that suit every experiment, bits of enum mp_wish
 * @depth: enum mp_depth
 * @seed: for resampling
 * @left_ns: what is left of this probe's budget
 * @n_batches: batches seen so far, pooled over probes
 * @batch: pointers to them, in order of arrival
 * @index: the same by experiment; NULL = there is none
 * @facts: facts found by earlier probes
 * @asked: gets what mp_view_next() is asked for; or NULL
 * @look: another number for each look at them: of one look, what follows from
 *	the batches may be kept; 0: nothing is to be kept
 */
struct mp_view {
	uint32_t caps;
	uint32_t cpu;
	struct mp_cpus cpus;
	int32_t node;
	uint32_t pages;
	bool pages_forced;
	uint64_t arena_max_bytes;
	uint32_t quiet;
	uint32_t depth;
	uint64_t seed;
	uint64_t left_ns;
	uint32_t n_batches;
	const struct mp_batch *const *batch;
	const struct mp_batch_index *index;
	const struct mp_facts *facts;
	struct mp_asked *asked;
	uint64_t look;
};

/**
 * mp_view_next() - the batches of an experiment, in order of arrival
 * @id: of the experiment
 * @at: 0 for the first; where to go on
 * Return: NULL when there are no more.
 */
const struct mp_batch *mp_view_next(const struct mp_view *view, uint64_t id,
				    uint32_t *at);

/** mp_asked_holds() - have all of them the batches that they had? */
bool mp_asked_holds(const struct mp_asked *asked, const struct mp_view *view);

/**
 * struct mp_wanted - one line of a plan
 * @exp: the experiment
 * @replicates: counted replicates wanted in all; those that the view holds
 *	already are not made again
 * @stage: lines of a later stage wait for all of those before
 */
struct mp_wanted {
	struct mp_exp exp;
	uint32_t replicates;
	uint32_t stage;
};

/**
 * struct mp_plan - what a probe wants next
 * @n, @room: lines that there are, and that there is room for
 * @stage: of the lines that are added from now on. Of a plan the first stage
 *	that lacks anything is run, then the probe is asked again: what is
 *	cheap and matters most comes first, and decides anew whether it wants
 *	more before what is dear
 * @wanted: the lines
 */
struct mp_plan {
	uint32_t n;
	uint32_t room;
	uint32_t stage;
	struct mp_wanted *wanted;
};

/** mp_plan_add() - want an experiment; -ENOMEM. Equal ones of a stage are
 * merged; what an earlier stage wants as often is not wanted again */
int mp_plan_add(struct mp_plan *plan, const struct mp_exp *exp,
		uint32_t replicates);
void mp_plan_free(struct mp_plan *plan);

/**
 * struct mp_probe - asks
 * @name: as in --probe
 * @asks: the question in words
 * @after: comma-separated probes whose facts it starts from, or NULL
 * @facts: comma-separated names of the facts it can answer
 * @renews: comma-separated names of earlier probes' facts of which it may come
 *	to know more, or NULL
 * @needs: bits of enum mp_cap that it cannot do without
 * @weight: its share of the time
 * @quick: is part of --quick
 * @next: adds to @plan what it wants to know next. 1 = there is a plan,
 *	0 = done, negative errno = broken
 * @infer: batches -> facts. Adds every fact of @facts, whatever the verdict,
 *	and any of @renews: what it adds of those takes the earlier one's place
 */
struct mp_probe {
	const char *name;
	const char *asks;
	const char *after;
	const char *facts;
	const char *renews;
	uint32_t needs;
	uint32_t weight;
	bool quick;
	int (*next)(const struct mp_view *view, struct mp_plan *plan);
	int (*infer)(const struct mp_view *view, struct mp_facts *facts);
};

/** mp_probes - the table, NULL-terminated, in order of dependence */
extern const struct mp_probe *const mp_probes[];
const struct mp_probe *mp_probe_find(const char *name);
/** mp_probe_of_fact() - the one that answers the fact of a name; NULL */
const struct mp_probe *mp_probe_of_fact(const char *fact);

#endif
