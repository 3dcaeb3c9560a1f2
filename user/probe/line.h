/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the two probes of lines share: rings that count in lines, and
 * sequences that flush one of two neighbours.
 */
#ifndef MP_PROBE_LINE_H
#define MP_PROBE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/sweep.h"
#include "probe.h"
#include "probe/cpu.h"

/** MP_LINE_MAX - the longest line that is looked for, bytes */
#define MP_LINE_MAX 256u
/** MP_LINE_SURE - replicates that bear out an answer without a bracket */
#define MP_LINE_SURE 5u

/** enum mp_line_says - what an experiment says of a question */
enum mp_line_says {
	MP_LINE_OPEN,	/* not measured yet, or too noisy */
	MP_LINE_UNSURE,	/* measured, and neither */
	MP_LINE_YES,
	MP_LINE_NO,
};

/**
 * struct mp_line_room - a level, as rings are made for it
 * @fits_bytes: it holds so much for certain, and not twice as much
 * @reach: window of the order, bytes
 * @replicates: of each ring
 * @hit_time: what a hop takes that hits, so that translation can be told from
 *	misses; 0: it costs little here
 * @held: lines that a level inside holds, the most
 */
struct mp_line_room {
	double fits_bytes;
	double hit_time;
	double held;
	uint64_t reach;
	uint32_t replicates;
};

/** mp_line_room_of() - the rings for a level of a size */
void mp_line_room_of(double size_bytes, struct mp_line_room *room);

/**
 * struct mp_line_count - what counting in lines of one length showed
 * @fits: MP_LINE_YES: the level's lines are no longer than that
 * @z, @z_most: where sparse rings lie between a dense one that fits (0) and
 *	one that does not (1): the least, and the most
 * @share: of the misses of a dense ring that does not fit, in those of the
 *	sparse one: that length as a share of what is fetched at once; NaN
 *	where sparse ones differ
 * @against: sparse rings that do not stay
 * @time: of a hop of these, the least
 * @slowest: .. the most
 * @replicates: least of its rings
 * @inside: time of a hop of the dense ring that is to fit, NaN = not measured
 * @odd: how far apart slots of the last ring were, in @unit
 * @quiet: all prefetchers were off
 */
struct mp_line_count {
	uint32_t fits;
	double z;
	double z_most;
	double share;
	uint32_t against;
	double time;
	double slowest;
	uint32_t replicates;
	double inside;
	uint32_t odd;
	bool quiet;
};

/**
 * mp_line_count_plan() - want the rings that tell whether lines are at most
 *	@unit bytes long
 *
 * As many slots as the level has room for in lines of @unit bytes, an odd
 * number of those apart, so that they fall on all of its sets: they stay if
 * lines are no longer. If lines are twice as long there are twice as many as
 * there is room for. Where the number of sets is a multiple of an odd number
 * they never stay, so several have to be tried.
 * Return: 0 or -ENOMEM.
 */
int mp_line_count_plan(const struct mp_view *view,
		       const struct mp_line_room *room, uint32_t unit,
		       struct mp_plan *plan);

/** mp_line_count() - what they showed; adds what it rests on to @fact, where
 * that is not NULL. Return: 0 or -ENOMEM. */
int mp_line_count(const struct mp_view *view, const struct mp_line_room *room,
		  uint32_t unit, struct mp_fact *fact,
		  struct mp_line_count *out);

/**
 * mp_line_count_more() - where slots @odd @unit apart stay, would more of them?
 * @stay: gets whether half as many again stay that, side by side, do not
 *
 * Then lines are shorter than @unit, and where a count in those did not stay a level
 * further out lost them: one that includes this one and has too few lines.
 * Return: 0 or -ENOMEM.
 */
int mp_line_count_more(const struct mp_view *view,
		       const struct mp_line_room *room, uint32_t unit,
		       uint32_t odd, struct mp_fact *fact, bool *stay);

/** mp_line_count_more_plan() - want the rings for that; 0 or -ENOMEM */
int mp_line_count_more_plan(const struct mp_view *view,
			    const struct mp_line_room *room, uint32_t unit,
			    uint32_t odd, struct mp_plan *plan);

/**
 * mp_line_sector() - what a level fetches at once, bytes; 0: that is not clear
 * @share: struct mp_line_count's, of lines as long as those inside
 * @inner: these, bytes
 * @line: the level's own, bytes
 */
uint32_t mp_line_sector(double share, uint32_t inner, uint32_t line);

/** enum mp_line_pair - what is done to two neighbours before one is timed */
enum mp_line_pair {
	MP_LINE_BOTH,	/* both are loaded, the other one is flushed */
	MP_LINE_ALONG,	/* it is flushed, then the other loaded and flushed */
	MP_LINE_COMES,	/* .. and not flushed */
	MP_LINE_BEYOND,	/* it is flushed, then the upper half of the slot before
			 * loaded */
};

/**
 * mp_line_flush_plan() - want the sequence that flushes a neighbour
 * @apart: bytes between the two, a multiple of 64; or 32: halves of a slot,
 *	of which one visit touches the first, the next flushes it, the third
 *	times the second
 */
int mp_line_flush_plan(const struct mp_view *view, enum mp_line_pair pair,
		       uint32_t apart, struct mp_plan *plan);

/** mp_line_flush() - MP_LINE_YES: what is timed went with what was flushed;
 * or did not come into the first level with what was loaded. Of MP_LINE_COMES:
 * it came along with what was loaded, into whichever level */
uint32_t mp_line_flush(const struct mp_view *view, enum mp_line_pair pair,
		       uint32_t apart, struct mp_fact *fact);

/** MP_LINE_ALONGS - distances that a neighbour is looked for at: */
#define MP_LINE_ALONGS 4u
/** MP_LINE_ALONG_FROM - .. the shortest, bytes; each other twice as long */
#define MP_LINE_ALONG_FROM 32u

/**
 * struct mp_line_along - what comes along with a load into the first level
 * @comes: of each distance. MP_LINE_YES: the neighbour hits there, MP_LINE_NO:
 *	it does not; MP_LINE_OPEN: not measured, or hits are not told from what
 *	is further out
 * @later: how much longer than a hit it takes; @error: no further off than
 *	this. In cycles, or in ns where those are not known
 * @replicates: that it rests on
 * @quiet: all prefetchers were off
 */
struct mp_line_along {
	uint32_t comes[MP_LINE_ALONGS];
	double later[MP_LINE_ALONGS];
	double error[MP_LINE_ALONGS];
	uint32_t replicates;
	bool quiet;
};

/**
 * mp_line_along_plan() - want the sequence that loads one slot of a line and
 *	times another
 * Return: 0 or -ENOMEM.
 */
int mp_line_along_plan(const struct mp_view *view, struct mp_plan *plan);

/** mp_line_along_note() - add the experiments of it to a fact */
void mp_line_along_note(const struct mp_view *view, struct mp_fact *fact);

/**
 * mp_line_along() - what it showed
 * @hit_time: of a hop that the first level serves, in cycles, or in ns where
 *	those are not known
 * @fact: gets what it rests on; may be NULL
 * Return: 0 or -ENOMEM.
 */
int mp_line_along(const struct mp_view *view, double hit_time,
		  struct mp_fact *fact, struct mp_line_along *out);

/**
 * struct mp_line_fetch - what the levels fetch at once, by what comes along
 *	with a load
 * @least, @most: of each level, bytes; 0 and UINT32_MAX where that shows no
 *	limit
 * @replicates: that it rests on
 * @quiet: all prefetchers were off
 * @peaks: each level's hops are told from the others'
 */
struct mp_line_fetch {
	uint32_t least[MP_CPU_LEVELS];
	uint32_t most[MP_CPU_LEVELS];
	uint32_t replicates;
	bool quiet;
	bool peaks;
};

/** mp_line_fetch_plan() - want the sequences that it rests on; 0 or -ENOMEM */
int mp_line_fetch_plan(const struct mp_view *view, struct mp_plan *plan);

/**
 * mp_line_fetch() - where a neighbour of what was loaded is found
 * @edges: the levels, with the times of their hops
 *
 * It takes as long as the innermost level takes that fetches the two at once:
 * those inside fetch less, those outside no less. Prefetchers may bring it as
 * well, so where they are on it says only what levels do not fetch.
 * Return: 0 or -ENOMEM.
 */
int mp_line_fetch(const struct mp_view *view,
		  const struct mp_cpu_edges *edges,
		  struct mp_line_fetch *out);

/**
 * struct mp_line_asked - whose lines are counted by what hops find
 * @edges: the levels, with the times of their hops
 * @level: which of them
 * @size: of it, about, bytes
 * @unit: rings are as of lines of so many bytes
 * @enough: so much is all that is asked, bytes
 * @next_most: what the next level fetches at once, at most, bytes; 0 and UINT32_MAX
 *	where that is not known
 */
struct mp_line_asked {
	const struct mp_cpu_edges *edges;
	uint32_t level;
	double size;
	uint32_t unit;
	double enough;
	uint32_t next_most;
};

/**
 * mp_line_held() - how much a level holds for certain
 * @fact: gets what it rests on; may be NULL
 * @plan: gets what is missing; may be NULL
 * @bytes: gets the lines that it holds, times the unit
 * @replicates: gets the number that it rests on
 *
 * Of a ring that is walked round and round each hop that a level serves finds
 * a line there that has been in it for a whole turn. So it holds as many as
 * it serves hops a turn, whatever the levels inside hold; but for one that is
 * filled with what the levels inside put out, whose lines are as long as
 * theirs. Slots lie further apart than lines are long.
 * Return: 0 or -ENOMEM.
 */
int mp_line_held(const struct mp_view *view, const struct mp_line_asked *asked,
		 struct mp_plan *plan, struct mp_fact *fact, double *bytes,
		 uint32_t *replicates);

/** MP_LINE_ODDS - distances that slots far apart are tried at */
#define MP_LINE_ODDS 2u

/** mp_line_odd() - the @i-th of them, bytes, as of lines of @unit bytes */
uint32_t mp_line_odd(uint32_t unit, uint32_t i);

/** mp_line_single() - rings whose hops are timed one by one, for a level of
 * about @size */
void mp_line_single(const struct mp_view *view, double size, uint32_t stride,
		    struct mp_sweep *sweep);

/**
 * mp_line_served() - the share of a batch's hops that level @k serves
 *
 * A hop that meets a page anew takes longer, as if it were served further out:
 * so much as may be of the levels inside is taken off.
 */
double mp_line_served(const struct mp_batch *batch,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      uint32_t stride);

/**
 * mp_line_alike() - are slots side by side lines of their own, as those are
 *	that lie far apart?
 * @asked: of a level outside the first; @enough is of no use here
 * @replicates: gets the number that a yes rests on; 0: that does not show
 * Return: 0 or -ENOMEM.
 */
int mp_line_alike(const struct mp_view *view, const struct mp_line_asked *asked,
		  struct mp_plan *plan, struct mp_fact *fact,
		  uint32_t *replicates);

/** mp_line_edge() - what fits level @k by its edge, bytes */
double mp_line_edge(const struct mp_cpu_edges *edges, uint32_t k);

/**
 * struct mp_line_times - of the hops of a level, in cycles
 * @low, @high: what they lie between
 * @inside, @own: what one takes in the level inside, and here; where those are
 *	no peaks of single hops, and the clock too coarse to tell one from the
 *	other: NaN: it is not
 * @next: what is no further out than the next level takes no longer, NaN: that
 *	is not told
 */
struct mp_line_times {
	double low;
	double high;
	double inside;
	double own;
	double next;
};

/** mp_line_times() - of whose lines are asked for; false: they are not told from
 * those further out */
bool mp_line_times(const struct mp_view *view,
		   const struct mp_line_asked *asked,
		   struct mp_line_times *times);

/** mp_line_inside() - of @there hops that took no longer than the level takes,
 * @sum in all, so many were served inside, where that is not told of each */
double mp_line_inside(const struct mp_line_times *times, double there,
		      double sum);

/** mp_line_walk() - add a chase, in a phase of its own: once round a ring that
 * begins at @offset, with a slot each @stride bytes. The first actor is what it
 * is like in all else */
struct mp_actor *mp_line_walk(struct mp_exp *exp, uint64_t offset,
			      uint64_t stride, double bytes);

/**
 * mp_line_lost() - does a level lose a line with a neighbour that is flushed?
 * @asked: of a level outside the first: the neighbour lies @unit bytes behind;
 *	@size is what fits by its edge, and @enough is of no use here
 * @inside: what fits the levels inside
 * @stride: slots of what is walked lie so far apart, bytes: a line of theirs
 * @fact: gets what it rests on; may be NULL
 * @plan: gets what is missing; may be NULL
 * @says: MP_LINE_NO: the two lie in different lines, of this level and of all
 *	inside; MP_LINE_YES: they share one, here or in a level further out that
 *	includes this one
 * @replicates: gets the number that this rests on
 * Return: 0 or -ENOMEM.
 */
int mp_line_lost(const struct mp_view *view, const struct mp_line_asked *asked,
		 double inside, uint32_t stride, struct mp_plan *plan,
		 struct mp_fact *fact, uint32_t *says, uint32_t *replicates);

/**
 * struct mp_line_goes - a line, by what goes with a neighbour that is flushed
 * @line: bytes; 0: that does not tell
 * @replicates: the number that it rests on
 * @halves: it is longer than lines inside, and halves of it go as one
 */
struct mp_line_goes {
	uint32_t line;
	uint32_t replicates;
	bool halves;
};

/**
 * mp_line_goes() - the line of a level outside the first
 * @inner: lines further in are as long, or as long at least; 0: that is not
 *	known
 * @fact: gets what it rests on; may be NULL
 * @plan: gets what is missing; may be NULL
 *
 * Neither whether the level may be two, nor what it holds, has a part in that.
 * Return: 0 or -ENOMEM.
 */
int mp_line_goes(const struct mp_view *view, const struct mp_cpu_edges *edges,
		 uint32_t k, uint32_t inner, struct mp_plan *plan,
		 struct mp_fact *fact, struct mp_line_goes *out);

/**
 * mp_line_apart() - do two slots side by side ever leave a level one without
 *	the other? Then they are two lines
 * @asked: of a level whose hops are told from all others; slots are as long as
 *	its @unit, and @enough is of no use here
 * @inside: what the level inside holds, about, bytes; 0: there is none
 * @replicates: gets the number that a yes rests on; 0: that does not show
 * Return: 0 or -ENOMEM.
 */
int mp_line_apart(const struct mp_view *view, const struct mp_line_asked *asked,
		  double inside, struct mp_plan *plan, struct mp_fact *fact,
		  uint32_t *replicates);

/**
 * mp_line_longer() - are two slots side by side, or four, parts of a line?
 * @asked: as for mp_line_apart(), of slots that lines are no shorter than; its
 *	@unit gets the line's length; @inside: likewise
 * @replicates: gets the number that a yes rests on; 0: that does not show
 *
 * No prefetcher may be on: one that brings a neighbour along makes two lines go
 * like one.
 * Return: 0 or -ENOMEM.
 */
int mp_line_longer(const struct mp_view *view, struct mp_line_asked *asked,
		   double inside, struct mp_plan *plan, struct mp_fact *fact,
		   uint32_t *replicates);

/**
 * mp_line_halves() - are two slots side by side parts of a line, or two?
 * @asked: as for mp_line_apart(), of a line as long as both slots
 * @inside: likewise
 * @says: MP_LINE_NO: they go apart; MP_LINE_YES: they never do; else
 *	MP_LINE_UNSURE
 * @replicates: gets the number that this rests on
 * @quiet: no prefetcher was on
 * Return: 0 or -ENOMEM.
 */
int mp_line_halves(const struct mp_view *view,
		   const struct mp_line_asked *asked, double inside,
		   struct mp_plan *plan, struct mp_fact *fact, uint32_t *says,
		   uint32_t *replicates, bool *quiet);

/** mp_line_bracket() - measured; with few replicates the limits are the
 * lengths next to it */
void mp_line_bracket(struct mp_fact *fact, double bytes, uint32_t replicates);

#endif
