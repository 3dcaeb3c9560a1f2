/* SPDX-License-Identifier: GPL-2.0 */
/* Between the halves of probe prefetch: the lists of steps that are walked. */
#ifndef MP_PREFETCH_LIST_H
#define MP_PREFETCH_LIST_H

#include "probe.h"

/** enum mp_prefetch_list - sequences, each a mixture of trials */
enum mp_prefetch_list {
	MP_PREFETCH_PAIRS,	/* one line is loaded, a near one is timed */
	MP_PREFETCH_RUNS,	/* lines in a row, one ahead is timed */
	MP_PREFETCH_STRIDES,	/* lines far apart are loaded */
	MP_PREFETCH_LONG,	/* many lines are loaded */
	MP_PREFETCH_LISTS,
};

/**
 * enum mp_prefetch_kind - kinds of trials: which line is timed after which
 * @MP_PREFETCH_MISS: one that nothing should bring: a line half a page away,
 *	or the next of a stride whose lines were loaded in another order
 * @MP_PREFETCH_HIT: one that was loaded itself
 * @MP_PREFETCH_UP: the upper line of a pair after the lower one
 * @MP_PREFETCH_DOWN: the lower line of a pair after the upper one
 * @MP_PREFETCH_KEPT: the same, the upper one having been flushed again: in one
 *	line of an outer level both would have gone
 * @MP_PREFETCH_BEYOND: the line behind a pair after the pair's upper one
 * @MP_PREFETCH_AHEAD: the fourth line ahead of a single one
 * @MP_PREFETCH_STEP: the next line of a stride
 * @MP_PREFETCH_BESIDE: a line two behind it, which no step of the stride meets
 * @MP_PREFETCH_STEP2: the line after the next of a stride
 * @MP_PREFETCH_EVEN: four lines ahead of each second line of a run
 * @MP_PREFETCH_UNEVEN: four lines ahead of lines one, then two, apart
 * @MP_PREFETCH_FULL: four lines ahead of each line of a run
 * @MP_PREFETCH_JUMBLE: the same, the run in no order
 * @MP_PREFETCH_EVEN1, @MP_PREFETCH_UNEVEN1: the lines timed by the two before,
 *	after the last line of the run alone
 * @MP_PREFETCH_FIRSTS: four lines ahead of each line of a long run
 * @MP_PREFETCH_SECONDS: the next of many second lines
 * @MP_PREFETCH_THIRDS: the next of many third lines
 */
enum mp_prefetch_kind {
	MP_PREFETCH_MISS,
	MP_PREFETCH_HIT,
	MP_PREFETCH_UP,
	MP_PREFETCH_DOWN,
	MP_PREFETCH_KEPT,
	MP_PREFETCH_BEYOND,
	MP_PREFETCH_AHEAD,
	MP_PREFETCH_STEP,
	MP_PREFETCH_BESIDE,
	MP_PREFETCH_STEP2,
	MP_PREFETCH_EVEN,
	MP_PREFETCH_UNEVEN,
	MP_PREFETCH_FULL,
	MP_PREFETCH_JUMBLE,
	MP_PREFETCH_EVEN1,
	MP_PREFETCH_UNEVEN1,
	MP_PREFETCH_FIRSTS,
	MP_PREFETCH_SECONDS,
	MP_PREFETCH_THIRDS,
	MP_PREFETCH_KINDS,
};

/**
 * struct mp_prefetch_lines - the lines that a list deals in
 * @unit: bytes of a line that is asked about, 32 to 256
 * @widest: of the longest line that any level may have, 64 at least
 */
struct mp_prefetch_lines {
	uint32_t unit;
	uint32_t widest;
};

/** mp_prefetch_has() - is there such a trial in a list, for such lines? */
bool mp_prefetch_has(uint32_t list, uint32_t kind,
		     const struct mp_prefetch_lines *lines);

/**
 * struct mp_prefetch_walk - a list, laid out
 * @exp: the experiment
 * @n: timed steps
 * @kind: of the trial that each belongs to, in their order
 */
struct mp_prefetch_walk {
	struct mp_exp exp;
	uint32_t n;
	uint8_t kind[MP_EXP_STEPS];
};

/**
 * mp_prefetch_walk_make() - lay a list out
 * @view: whose place and pages
 * @list: which
 * @bursts: so many
 *
 * The same arguments give the same list. Each trial has a page of its own;
 * pages and kinds follow in no order.
 */
void mp_prefetch_walk_make(const struct mp_view *view, uint32_t list,
			   const struct mp_prefetch_lines *lines,
			   uint32_t bursts, struct mp_prefetch_walk *walk);

#endif
