/* SPDX-License-Identifier: GPL-2.0 */
/* What the CPU probes share: their sweeps, the levels, the names of facts. */
#ifndef MP_PROBE_CPU_H
#define MP_PROBE_CPU_H

#include <math.h>
#include <stdint.h>

#include "analysis/edge.h"
#include "analysis/levels.h"
#include "analysis/spectrum.h"
#include "analysis/stat.h"
#include "analysis/sweep.h"
#include "probe.h"

/** MP_MIB - bytes of a MiB, as a double */
#define MP_MIB (1024.0 * 1024.0)
/** MP_CPU_LINE_USUAL - line size to go by where none is known, bytes */
#define MP_CPU_LINE_USUAL 64u
/** MP_CPU_LINE_LEAST - the shortest line in use, bytes */
#define MP_CPU_LINE_LEAST 32.0
/** MP_CPU_FIRST_HASHED - from this level on, which CPUs share, lines may be spread
 * over slices by a hash */
#define MP_CPU_FIRST_HASHED 2u
/** MP_CPU_LEVELS_APART - latencies of levels differ by this factor at least */
#define MP_CPU_LEVELS_APART 1.6
/** MP_CPU_CLOCK_ERROR - what replicates do not show of a time: the clock's
 * calibration and its steps, as a share */
#define MP_CPU_CLOCK_ERROR 0.003
/** MP_CPU_APART_MAX - limits further apart than this factor do not make a
 * measured size */
#define MP_CPU_APART_MAX 1.29
/** MP_CPU_LEVELS - levels of cache that facts are made for */
#define MP_CPU_LEVELS 4

/** mp_cpu_coarse() - a length to the nearest of so many to the octave: edges move a
 * little as more is known of them, and the experiments are to stay */
static inline double mp_cpu_coarse(double bytes, uint32_t grain)
{
	return exp2(round(log2(bytes) * grain) / grain);
}

/** mp_cpu_level_name - "l1d", "l2", "l3", "l4" */
extern const char *const mp_cpu_level_name[MP_CPU_LEVELS];

/** mp_cpu_replicates() - replicates of a view's depth: quick three, else five */
uint32_t mp_cpu_replicates(const struct mp_view *view);

/** mp_cpu_fact() - append "cpu.LEVEL.WHAT" with its unit; NULL: no memory */
struct mp_fact *mp_cpu_fact(struct mp_facts *facts, const struct mp_view *view,
			    const char *level, const char *what,
			    const char *unit);

/** mp_cpu_is_absent() - was it found that there is no level @k? */
bool mp_cpu_is_absent(const struct mp_view *view, uint32_t k);

/** mp_cpu_found() - the fact of level @k that is called @what, or NULL */
const struct mp_fact *mp_cpu_found(const struct mp_view *view, uint32_t k,
				   const char *what);

/** mp_cpu_may_be() - may this be the inclusion of level @k? */
bool mp_cpu_may_be(const struct mp_view *view, uint32_t k,
		   const char *inclusion);

/** mp_cpu_value() - value of "cpu.LEVEL.WHAT" found earlier; NaN when the
 * fact is not there or has no value */
double mp_cpu_value(const struct mp_view *view, const char *level,
		    const char *what);

/**
 * mp_cpu_grid() - want lengths from @low to @high, @grain to the octave
 * @sweep: what they hold fixed
 * @replicates: of each
 *
 * Lengths are those of one global grid, 1 KiB * 2^(k / @grain), rounded to
 * whole strides, so that overlapping calls ask for the same experiments.
 */
int mp_cpu_grid(const struct mp_sweep *sweep, const struct mp_view *view,
		double low, double high, uint32_t grain, uint32_t replicates,
		struct mp_plan *plan);

/**
 * mp_cpu_rough_sweep() - the first look: a stride of 256 bytes, beyond any
 * line in use, so that it may be taken before the line is known
 */
void mp_cpu_rough_sweep(const struct mp_view *view, struct mp_sweep *sweep);

/**
 * mp_cpu_main_sweep() - the curve that sizes and latencies come from
 *
 * A slot in every second line, as probe line found it: many a prefetcher
 * fetches a line's neighbour along, which would serve half of the hops of a
 * denser ring. The lines left out keep their sets to themselves, so that a
 * capacity still shows at its full footprint.
 */
void mp_cpu_main_sweep(const struct mp_view *view, struct mp_sweep *sweep);

/**
 * struct mp_cpu_doubt - a level that may be two, or more, or none
 * @level: which; the names of those further out are then not known either.
 *	MP_CPU_LEVELS: none
 * @size: the two capacities that would explain it as well
 * @behind: rings show the inner of the two by itself, with the latency that
 *	the edges say; what is not known is where it ends, and what is behind
 * @pages: the edge is far smaller where more slots share a page: it may be that
 *	of translations, and no level's
 * @left: a few lines that it should have lost take less than what lies beyond:
 *	something between has them; no @size is given
 * @unseen: single hops take so many cycles over some rings, in the mean of those that
 *	are told from others, and no level that was found does; no @size is given. 0:
 *	that is not so
 * @twins: it and the next share their hops alike at all lengths: they may be
 *	near and far parts of one; no @size is given
 * @stray: single hops that take so many cycles make it one, but are few of any ring's,
 *	and no cache explains where they set in or end; no @size is given. 0: that is
 *	not so
 * @wide: a few lines leave it over lengths between @size, in which another may hide
 * @kinked: from this length on its edge does not rise as one level's does, cpu_kinks.h;
 *	no @size is given. 0: it does
 */
struct mp_cpu_doubt {
	uint32_t level;
	double size[2];
	bool behind;
	bool pages;
	bool left;
	double unseen;
	bool twins;
	double stray;
	bool wide;
	double kinked;
};

/**
 * mp_cpu_levels() - levels in a curve
 * @doubt: the innermost that may be two; or NULL
 *
 * Return: 0; -ENODATA with too few points, or where one took no time, which is
 * what is left where reading the clock takes longer than was measured; -ENOMEM.
 */
int mp_cpu_levels(const struct mp_curve *curve,
		  struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
		  struct mp_cpu_doubt *doubt);

/** mp_cpu_levels_inside() - .. of a curve that does not go on to memory */
int mp_cpu_levels_inside(const struct mp_curve *curve,
			 struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
			 struct mp_cpu_doubt *doubt);

/** mp_cpu_flat_at_end() - has a curve come to memory? The last octave reads
 * like the one before. */
bool mp_cpu_flat_at_end(const struct mp_curve *curve);

/** mp_cpu_may_prefetch() - are lines brought that were not asked for, for all
 * that is known? Not where all that wished prefetchers off had them off */
bool mp_cpu_may_prefetch(const struct mp_view *view);

/** mp_cpu_step() - the clock's step in core cycles, as the first batch that
 * counts has it; NaN: there is none */
double mp_cpu_step(const struct mp_view *view);

/** mp_cpu_times_hops() - is the clock fine enough to time single hops? */
bool mp_cpu_times_hops(const struct mp_view *view);

/** mp_cpu_sparse_sweep() - one line in eight, whatever the sets */
void mp_cpu_sparse_sweep(const struct mp_view *view, struct mp_sweep *sweep);

/**
 * mp_cpu_full_sweep() - every line
 * @i: 0, 1 .. as long as there is another stride to try: the line, where it is
 *	known, or those in use; then wider ones, for longer lines further out
 *
 * Return: whether there is an @i-th.
 */
bool mp_cpu_full_sweep(const struct mp_view *view, uint32_t i,
		       struct mp_sweep *sweep);

/** mp_cpu_scattered() - has a batch small pages, each thrown by itself? */
bool mp_cpu_scattered(const struct mp_batch *batch);

/** enum mp_cpu_scope - of which levels something is asked, where means are gone
 * by and others crowd the caches; else all answer for all */
enum mp_cpu_scope {
	MP_CPU_INNERMOST,
	MP_CPU_PRIVATE,
	MP_CPU_ALL,
};

/**
 * mp_cpu_is_full() - have rings to hold every line?
 * @scope: by lengths that levels of these may have
 *
 * Lines that are a power of two apart fall on that part of the sets, which
 * then fill at the footprint of the level's size, only where the number of
 * sets has that power of two in it. Where it has not they spread over all
 * sets, and the level seems larger than it is: a ring of every line then
 * misses at a footprint that a sparse one fits in. Rings of some lengths are
 * tried both ways, and if one tells, sweeps are full from then on.
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_is_full(const struct mp_view *view, enum mp_cpu_scope scope,
		   bool *is_full);

/**
 * mp_cpu_is_spread() - do sparse rings fit outer levels that others do not?
 *
 * Where lines are long a full ring's misses are few, and those that are wider
 * show that sparse ones spread over more sets than they should. Others that
 * crowd a level may do so, too.
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_is_spread(const struct mp_view *view, bool *is_spread);

/** mp_cpu_is_crowded() - do others take of the caches, as replicates of means
 * show? 0 or -ENOMEM */
int mp_cpu_is_crowded(const struct mp_view *view, bool *is_crowded);

/** mp_cpu_memory_sweep() - what memory is looked at with: slots further apart
 * than any line; every line where sets are counted otherwise */
void mp_cpu_memory_sweep(const struct mp_view *view, struct mp_sweep *sweep);

/** mp_cpu_shares_lines() - may slots so far apart share lines of a level? Not
 * beyond any line in use, nor where the level's line is known and shorter. */
bool mp_cpu_shares_lines(const struct mp_view *view, uint64_t stride,
			 uint32_t level);

/** MP_CPU_SIDES - second looks at an edge: wished-for pages, and small ones */
#define MP_CPU_SIDES 2

/**
 * mp_cpu_side_sweep() - a second look at the edge of a private level
 * @side: 0 over the pages that the view wishes for; 1 over pages of 4 KiB,
 *	which fall on the sets of a physically indexed level at random
 *
 * One line in eight, or every line: a turn is short, so that what others do in the levels
 * further out hardly touches it. Side 0 spans the whole range as well, and
 * is what levels are detected in. Return: false where side 1 is the same as
 * side 0 or must not be asked for.
 */
bool mp_cpu_side_sweep(const struct mp_view *view, uint32_t side,
		       struct mp_sweep *sweep);


/** MP_CPU_WIDTHS - how many more strides there are for full rings: twice, four
 * and eight times a line of the innermost level */
#define MP_CPU_WIDTHS 3u

/**
 * struct mp_cpu_count - how much of a crowd of lines is at home; cpu_count.h
 * @slots: that may be looked for; 0: there is no ring that tells
 * @apart: bytes from one of them to the next
 * @stride: .. of the crowd, which may be denser
 * @row: of them are looked for in one page; 1: pages do not matter
 * @may_learn: prefetchers that cannot be turned off may learn of rows
 * @closer: it is the second count of a level
 * @looks: of them in a round
 * @rounds: of a replicate
 * @replicates: that are wanted
 * @id: of the experiment
 * @known: it was made
 * @brief: it has too few lines for an upper limit
 * @size: of the level, as its edge had it when the rings were laid
 * @bare: nothing was found where no level is known: none hides behind this one
 * @hidden: bytes of what the level serves by itself that took what no level does that is
 *	known; 0: so few that none need hide there
 * @doubt: a standard error of what it serves by itself, as a share
 * @own_low, @own_high: bytes that the level serves by itself
 * @all_low, @all_high: .. with those inside. INFINITY: a level further out may
 *	have put some out
 * @all: .. most likely, or more
 * @found: .. at most, if no level further out put any out; INFINITY where it is
 *	brief
 * @served: .. and by itself
 */
struct mp_cpu_count {
	uint64_t slots;
	uint64_t apart;
	uint64_t stride;
	uint32_t row;
	bool may_learn;
	bool closer;
	uint32_t looks;
	uint32_t rounds;
	uint32_t replicates;
	uint64_t id;
	bool known;
	bool brief;
	bool bare;
	double size;
	double hidden;
	double doubt;
	double own_low;
	double own_high;
	double all_low;
	double all_high;
	double all;
	double found;
	double served;
};

/** enum mp_cpu_by - what the edge of a level is found by, where not all single
 * hops are timed
 * @MP_CPU_BY_MEANS: the means of rings
 * @MP_CPU_BY_HOPS: the share of hops slower than a group of readings
 * @MP_CPU_BY_REST: the mean of the hops of one group
 */
enum mp_cpu_by {
	MP_CPU_BY_MEANS,
	MP_CPU_BY_HOPS,
	MP_CPU_BY_REST,
};

/**
 * struct mp_cpu_edges - the levels of the main curve and their edges
 * @curve: the main curve, owned
 * @side: the curves of second looks, owned
 * @wide: the same with slots 2, 4 and 8 times as far apart, owned
 * @sparse: the first look, owned
 * @full: the sides hold every line
 * @main_full: so does the main curve, or need not
 * @spread: sparse rings fit outer levels that wider than full ones do not
 * @crowded: others take of the caches while means are measured
 * @flat: the sparse curve came to memory; @end_bytes: where it ends
 * @single: single hops were timed in the sides, and tell the levels apart:
 *	edges are those of the share of hops that miss a level
 * @spectrum: their latencies; of a coarse clock those of the levels, blurred but
 *	for those of MP_CPU_BY_HOPS
 * @groups: readings that a coarse clock tells apart; none: n = 0
 * @hops: .. and the single hops that have them, owned
 * @rest: .. and what the hops of each group take, owned; of the first side without
 *	translations, but for the last group
 * @rises: .. and what they take over rings of the first side of which they are few, if
 *	that is longer than elsewhere, as of another level, cycles; 0: it is not, or
 *	what translations add is not known there
 * @peaks: of a coarse clock's readings, whether they make groups or not
 * @full_peaks, @full_mixed: the same of full rings alone, as means are
 * @broad: of each group, 1 + which of @wide comes to miss it, hop by hop; 0: @hops do
 * @lacks_broad: none does of one that they tell from others, or what does is not used;
 *	@ends_mixed: that is among the last group's readings
 * @mixed_from: what is read as slower than this, cycles, is not of memory alone: its
 *	mean moves; 0: it does not
 * @by: of each level, enum mp_cpu_by
 * @group: .. and its group
 * @table: miss shapes
 * @n: levels
 * @level: as the detector saw them in side 0; of shared levels, in @curve
 * @doubt: whether one of them may be two
 * @width: of each level, 1 + which of @wide has a slot for each of its lines;
 *	0 where @side has, or @hops
 * @muddled: from this level on slots share lines, and no ring that fills the
 *	levels evenly has slots further apart; MP_CPU_LEVELS: none
 * @contradicted: from this level on denser rings of means miss what sparse ones say that
 *	it holds; MP_CPU_LEVELS: none
 * @edge: as the fits saw them, second looks included
 * @fitted: whether a fit of each came out
 * @count: of lines that each holds, where that was asked
 * @after_from, @after_to: lengths at which a few lines are wanted after others,
 *	as means leave a level in doubt; 0: at none
 * @after: .. and what those took, owned
 * @after_first, @after_n: so many levels, from the first of them, were found by
 *	that
 * @after_wide: .. and an edge between two stairs in which single hops are wanted; 0: in
 *	none
 * @after_kept: .. the share of a ring that the level inside may have kept
 * @walks: rings of a slot a page, owned
 * @main_lines: by means, lines to a slot's share of a ring of @curve; 1: full
 * @full_held: .. and the longest full ring that the innermost level holds whole
 */
struct mp_cpu_edges {
	struct mp_curve curve;
	struct mp_curve side[MP_CPU_SIDES];
	struct mp_curve wide[MP_CPU_WIDTHS][MP_CPU_SIDES];
	struct mp_curve sparse;
	bool full;
	bool main_full;
	bool spread;
	bool crowded;
	bool flat;
	double end_bytes;
	bool single;
	struct mp_spectrum spectrum;
	struct mp_spectrum groups;
	struct mp_curve hops[MP_CPU_SIDES];
	struct mp_curve rest[MP_SPECTRUM_PEAKS][MP_CPU_SIDES];
	double rises[MP_SPECTRUM_PEAKS];
	struct mp_spectrum peaks;
	struct mp_spectrum full_peaks;
	double full_mixed;
	uint32_t broad[MP_SPECTRUM_PEAKS];
	bool lacks_broad;
	bool ends_mixed;
	double mixed_from;
	uint32_t by[MP_CPU_LEVELS];
	uint32_t group[MP_CPU_LEVELS];
	const struct mp_miss_table *table;
	uint32_t n;
	struct mp_level level[MP_CPU_LEVELS];
	struct mp_cpu_doubt doubt;
	uint32_t width[MP_CPU_LEVELS];
	uint32_t muddled;
	uint32_t contradicted;
	struct mp_edge edge[MP_CPU_LEVELS];
	bool fitted[MP_CPU_LEVELS];
	struct mp_cpu_count count[MP_CPU_LEVELS];
	double after_from;
	double after_to;
	struct mp_curve after;
	struct mp_edge after_wide;
	uint32_t after_first;
	uint32_t after_n;
	double after_kept[MP_CPU_LEVELS];
	struct mp_curve walks;
	double main_lines;
	double full_held;
};

/** mp_cpu_has_shares() - do single hops tell which of them miss level @k? */
static inline bool mp_cpu_has_shares(const struct mp_cpu_edges *edges,
				     uint32_t k)
{
	return edges->single || edges->by[k] == MP_CPU_BY_HOPS;
}

/** mp_cpu_is_told() - do single hops tell a hit of level @k from a miss, and from
 * one of the level inside? */
static inline bool mp_cpu_is_told(const struct mp_cpu_edges *edges, uint32_t k)
{
	return mp_cpu_has_shares(edges, k) &&
	       (!k || mp_cpu_has_shares(edges, k - 1));
}

/**
 * mp_cpu_edges_find() - levels and edges of the main curve of a view
 * Return: 0, -ENODATA, -ENOMEM. Free with mp_cpu_edges_free() after 0.
 */
int mp_cpu_edges_find(const struct mp_view *view, struct mp_cpu_edges *edges);
void mp_cpu_edges_free(struct mp_cpu_edges *edges);

/**
 * mp_cpu_rises_to() - what the edge of the innermost level rises to, by means
 *
 * The next level may be two, and have no latency of its own then; but it is
 * there, and no faster.
 *
 * Return: cycles; NaN where single hops tell, where the innermost level itself may
 * be two, or where what lies behind it takes so much less that the edge of the next
 * has to be in this one.
 */
double mp_cpu_rises_to(const struct mp_view *view);

/**
 * mp_cpu_level_sweep() - the second looks that fit level @k
 * @side: as mp_cpu_side_sweep() has it
 *
 * Return: false where side 1 is the same as side 0 or must not be asked for.
 */
bool mp_cpu_level_sweep(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			uint32_t side, struct mp_sweep *sweep);

/** mp_cpu_level_side() - the curve of such a look */
const struct mp_curve *mp_cpu_level_side(const struct mp_cpu_edges *edges,
					 uint32_t k, uint32_t side);

/** mp_cpu_has_sides() - is level @k looked at in the sides? Not one so large
 * that others share it; the innermost only where single hops are timed. */
bool mp_cpu_has_sides(const struct mp_cpu_edges *edges, uint32_t k);

/** mp_cpu_small_pages() - does the memory of the first side at level @k's edge
 * consist of small pages, whatever was wished for? The second is no other look
 * then. */
bool mp_cpu_small_pages(const struct mp_cpu_edges *edges, uint32_t k);

/**
 * mp_cpu_held() - the longest ring of which a level in doubt held all
 *
 * Less what the levels inside may hold of it. Return: bytes; 0 where none.
 */
double mp_cpu_held(const struct mp_cpu_edges *edges, uint32_t k);

/** mp_cpu_held_bytes() - .. and how much the level holds for certain, whatever
 * its sets; bytes. By means only. */
double mp_cpu_held_bytes(const struct mp_cpu_edges *edges, uint32_t k);

/** mp_cpu_others_took() - what others take of a level is missing in its size,
 * and so no upper limit is one */
void mp_cpu_others_took(const struct mp_cpu_edges *edges, uint32_t k,
			struct mp_fact *fact);

/**
 * mp_cpu_may_hide() - may edge @k be that of a level further out?
 *
 * Lines that fall on sets at random crowd some sets of a level of few ways,
 * and where that includes the levels inside what it puts out leaves those,
 * too. If they hold all that is left there, no hop is ever served by that
 * level: the edge is its, and how many levels there are is not known.
 */
bool mp_cpu_may_hide(const struct mp_cpu_edges *edges, uint32_t k);

/** mp_cpu_crowded() - the innermost level inside @k whose edge may be another's:
 * then it is not known which one level @k is. MP_CPU_LEVELS: there is none */
uint32_t mp_cpu_crowded(const struct mp_cpu_edges *edges, uint32_t k);

/** mp_cpu_rises_beyond() - does a curve of means rise once more beyond the last
 * level, where slots may share lines of one further out? */
bool mp_cpu_rises_beyond(const struct mp_cpu_edges *edges);

/** mp_cpu_edge_plain() - does a plain shape, of lines that fall on the sets
 * evenly, explain level @k's edge so well that no second look is needed? */
bool mp_cpu_edge_plain(const struct mp_cpu_edges *edges, uint32_t k);

/**
 * mp_cpu_peak_limits() - what single hops say of a latency
 * @k: its peak
 * @in_ns: in ns, not cycles
 * @limits: gets the mean of the replicates, and what these and the steps of
 *	the clock say of how far it may be off
 * Return: was there anything?
 */
bool mp_cpu_peak_limits(const struct mp_cpu_edges *edges, uint32_t k,
			bool in_ns, struct mp_interval *limits);

/**
 * mp_cpu_peak_scatter() - a level most of whose hops are not at its peak, as
 * its parts lie near and far, has no one latency
 * @per: the fact's unit for a cycle
 * @fact: varies then, by what the middle nine of ten of the hops take
 */
void mp_cpu_peak_scatter(const struct mp_cpu_edges *edges, uint32_t k,
			 double per, struct mp_fact *fact);

/** mp_cpu_peak_point() - the length that shows a peak best; NULL */
const struct mp_curve_at *mp_cpu_peak_point(const struct mp_cpu_edges *edges,
					    uint32_t k);

/** mp_cpu_miss() - miss share of level @k at a length, by its fit */
double mp_cpu_miss(const struct mp_cpu_edges *edges, uint32_t k,
		   double length);

#endif
