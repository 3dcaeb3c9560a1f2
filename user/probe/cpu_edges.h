/* SPDX-License-Identifier: GPL-2.0 */
/* Between the two halves of what the CPU probes share: levels and edges. */
#ifndef MP_CPU_EDGES_H
#define MP_CPU_EDGES_H

#include "probe/cpu.h"

/** MP_CPU_CLEAR_ABOVE - distance kept from the edge inside, a factor */
#define MP_CPU_CLEAR_ABOVE 1.4

/** mp_cpu_fit_points() - add the points from @low to @high to a stretch */
void mp_cpu_fit_points(const struct mp_curve *curve, double low, double high,
		       struct mp_edge_data *data);

/** mp_cpu_sway_error() - how far limits of means are off where lines should fall
 * on sets evenly, and replicates differ as if they did not: a factor, 1 where
 * they do not */
double mp_cpu_sway_error(const struct mp_cpu_edges *edges, uint32_t k);

/** mp_cpu_edge_dense() - has the dense curve looked closely at an edge? */
bool mp_cpu_edge_dense(const struct mp_cpu_edges *edges, uint32_t k);

/**
 * mp_cpu_keeps_first() - does a dense ring seem to fit level @k where a sparse one,
 * no longer, misses it? (cpu_first.c)
 *
 * What of the dense one is timed is what came first, and tells nothing of the rest.
 * Return: .. only where hops are timed singly and the sparse one's turn is timed
 * whole.
 */
bool mp_cpu_keeps_first(const struct mp_cpu_edges *edges, uint32_t k);

/**
 * mp_cpu_edge_of() - fit an edge of level @k
 * @is_main: of the main curve
 * @data: a stretch, with its page_bytes; gets how lines may fall on sets
 *
 * Return: does a shape explain it?
 */
bool mp_cpu_edge_of(const struct mp_view *view, const struct mp_cpu_edges *edges,
		    uint32_t k, bool is_main, struct mp_edge_data *data,
		    struct mp_edge *edge);

/** mp_cpu_holed() - is nothing measured in a stretch inside the outermost of
 * the levels? It may hide one. */
bool mp_cpu_holed(const struct mp_curve *curve, const struct mp_level *level,
		  uint32_t n);

/**
 * mp_cpu_share_clear() - do the peaks tell the levels apart?
 *
 * Not where one peak is two levels whose latencies the clock does not part:
 * its middle moves with the footprint then.
 */
bool mp_cpu_share_clear(const struct mp_curve *curve,
			const struct mp_spectrum *spectrum);

/** mp_cpu_share_one() - is a peak in the same place at all lengths where most
 * hops are of it, as that of one level is? */
bool mp_cpu_share_one(const struct mp_curve *curve,
		      const struct mp_spectrum *spectrum, uint32_t k);

/** mp_cpu_share_twins() - the innermost level whose peak and the next share
 * their hops alike at all lengths, as near and far parts of one level would;
 * MP_CPU_LEVELS: none */
uint32_t mp_cpu_share_twins(const struct mp_curve *curve,
			    const struct mp_spectrum *spectrum);

/** mp_cpu_share_muddled() - the innermost level that hops never come to miss,
 * as slots share lines of it; MP_CPU_LEVELS where there is none */
uint32_t mp_cpu_share_muddled(const struct mp_curve *curve,
			      const struct mp_spectrum *spectrum);

/** MP_CPU_CROWDED_WAYS - sets of so few are crowded long before the level is
 * full, where lines fall on them unevenly */
#define MP_CPU_CROWDED_WAYS 2u

/** MP_CPU_HUGE_PAGE - bytes of the pages that rings may be given instead of small ones */
#define MP_CPU_HUGE_PAGE (2u << 20)

/** MP_CPU_UNEVEN - replicates of single hops that differ by more, of a whole turn,
 * say that lines do not fall on sets evenly: by a hash over slices, or pages that
 * begin anywhere. An even shape puts the capacity too low then */
#define MP_CPU_UNEVEN 1.03

/** mp_cpu_share_kept() - the share of hops that the level inside still serves
 * where level @k begins to miss; where hops were not timed, as the shape of
 * the edge inside has it */
double mp_cpu_share_kept(const struct mp_cpu_edges *edges, uint32_t k);

/**
 * mp_cpu_share_passed() - the least that any ring within the limits of level @k
 * finds no further inside
 *
 * Where limits lie apart the level inside may serve a part of the ring at the
 * lower one and nothing at the upper one.
 * Return: bytes; INFINITY where hops were not timed.
 */
double mp_cpu_share_passed(const struct mp_cpu_edges *edges, uint32_t k);

/**
 * mp_cpu_share_held() - what the hits of rings prove that level @k holds, with
 * those inside
 *
 * Of a ring that is walked round and round no way to throw lines out makes a
 * greater share of hops hit than the share of it that there is room for.
 * Return: bytes; INFINITY where hops were not timed.
 */
double mp_cpu_share_held(const struct mp_cpu_edges *edges, uint32_t k);

/**
 * mp_cpu_share_onset() - where hops begin to miss level @k all at once
 *
 * In large pages lines fall on all sets evenly, but for those of several slices:
 * then nothing misses up to the capacity, and beyond it a good part of the hops
 * at once, whoever is evicted. Where that shows a shape that begins to miss later
 * is not the level's.
 * Return: the last length of which none miss, bytes; INFINITY: it is not so.
 */
double mp_cpu_share_onset(const struct mp_cpu_edges *edges, uint32_t k);

/**
 * mp_cpu_share_unlike() - where lines do not lie page by page, and yet no shape
 * but one of scattered lines comes near the edge, and that not near enough,
 * how lines are thrown out is not known: no more than what was held bounds it
 */
void mp_cpu_share_unlike(const struct mp_cpu_edges *edges, uint32_t k,
			 struct mp_fact *fact);

/** mp_cpu_share_comes() - do nearly all hops come to miss level @k? */
bool mp_cpu_share_comes(const struct mp_curve *curve,
			const struct mp_spectrum *spectrum, uint32_t k);

/** mp_cpu_share_of() - the share of a length's hops that miss level @k; NaN */
double mp_cpu_share_of(const struct mp_curve_at *at,
		       const struct mp_spectrum *spectrum, uint32_t k);

/**
 * mp_cpu_share_apart() - what level @k takes by a mean over a ring
 * @at: single hops of the ring
 * @cycle: of the mean's unit
 * @mean: of its hops, timed many at a time
 *
 * What hops of other levels take is taken off, each as often as single hops have
 * it.
 */
double mp_cpu_share_apart(const struct mp_curve_at *at,
			  const struct mp_spectrum *spectrum, uint32_t k,
			  double cycle, double mean);

/**
 * mp_cpu_share_level() - one level that single hops show
 * @curve: its rings
 * @level: untouched where nothing of it was timed
 *
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_share_level(const struct mp_curve *curve,
		       const struct mp_spectrum *spectrum, uint32_t k,
		       struct mp_level *level);

/** mp_cpu_add_points() - a curve's to others, which have room for them; they stay whose
 * they are */
void mp_cpu_add_points(const struct mp_curve *curve, struct mp_curve *all);

/** mp_cpu_near_point() - the curve's point of nearly that length, or NULL */
const struct mp_curve_at *mp_cpu_near_point(const struct mp_curve *curve,
					    uint64_t length);

/** mp_cpu_wide_spreads() - does a denser ring miss level @k of a spectrum where a wider
 * one of nearly the same length does not? That spreads over more sets than it
 * should, then */
bool mp_cpu_wide_spreads(const struct mp_curve *dense, const struct mp_curve *wide,
			 const struct mp_spectrum *spectrum, uint32_t k);

/**
 * mp_cpu_wide_sweep() - full rings for longer lines
 * @width: 1 .. MP_CPU_WIDTHS: slots are 2, 4, 8 lines of the innermost level
 *	apart
 * @side: as mp_cpu_side_sweep() has it
 *
 * Return: false where there is no such sweep.
 */
bool mp_cpu_wide_sweep(const struct mp_view *view, uint32_t width,
		       uint32_t side, struct mp_sweep *sweep);

/**
 * mp_cpu_wide_spectrum() - the times of single hops, of all that were timed
 *
 * Where rings have to be full, the spectrum is that of the wider and of the
 * sparse ones, too: of a full one so few hops may miss the outermost level
 * that memory does not show. Sets @wide, @spectrum, and @single where
 * rings see each peak in the same place, and all of them the innermost one.
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_wide_spectrum(const struct mp_view *view,
			 struct mp_cpu_edges *edges);

/**
 * mp_cpu_wide_find() - rings of their own for levels of longer lines
 *
 * Where a ring has two slots in a line of a level, half of its hops find it
 * there whatever its length. The ring of the least distance whose hops all
 * come to miss has one. It must not fit where the denser one did not: that is
 * one that spreads over more sets than its length says, and the denser one
 * was spared its misses by something else than long lines.
 * Sets @width, @level and @muddled.
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_wide_find(struct mp_cpu_edges *edges);

/** mp_cpu_wide_contradicted() - of a coarse clock: are there levels that sparse rings
 * fit at a length that the denser ones of means miss? Sets @contradicted to the innermost */
void mp_cpu_wide_contradicted(struct mp_cpu_edges *edges);

/**
 * mp_cpu_share_levels() - the levels that single hops show
 * @curve: whose hops were timed one by one
 * @spectrum: its peaks; the last one is memory, or what the end holds
 * @level, @n: gets a level for each peak but the last, its latency in cycles
 *
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_share_levels(const struct mp_curve *curve,
			const struct mp_spectrum *spectrum,
			struct mp_level level[MP_CPU_LEVELS], uint32_t *n);

/** mp_cpu_share_points() - as mp_cpu_fit_points(), values being the share of
 * hops that missed level @k: of what looks like it, less what pages cost */
void mp_cpu_share_points(const struct mp_cpu_edges *edges,
			 const struct mp_curve *curve, uint32_t k,
			 double low, double high, struct mp_edge_data *data);

/**
 * mp_cpu_share_less() - take off what the next level may have put out
 * @curve: that the points were taken from
 * @k: the level; there is one more beyond
 * @data: its points, all replicates of each
 *
 * If it includes this one, hops that miss it as well say nothing of this one:
 * of the others, the share that misses.
 */
void mp_cpu_share_less(const struct mp_curve *curve,
		       const struct mp_spectrum *spectrum, uint32_t k,
		       struct mp_edge_data *data);

/**
 * mp_cpu_share_within() - leave out lengths that the next level may have a say
 * in
 * @curve: that the points were taken from
 * @k: the level; there is one more beyond
 * @all_miss: lengths from here on stay, as all hops miss the level anyway
 * @data: its points
 *
 * A next level that includes this one puts lines out of both: where its hops
 * miss as well, this one may have had room for them.
 */
void mp_cpu_share_within(const struct mp_curve *curve,
			 const struct mp_spectrum *spectrum, uint32_t k,
			 double all_miss, struct mp_edge_data *data);

/**
 * mp_cpu_steady() - count each replicate against what a miss took just then
 * @curve: the curve that a stretch was taken from
 * @from, @to: lengths of it at which most hops miss
 * @data: the stretch, from where all hops hit; its values are changed to what
 *	they would be had a miss taken the same all the time
 *
 * Where too little is known of those lengths nothing is changed.
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_steady(const struct mp_curve *curve, double from, double to,
		  struct mp_edge_data *data);

/** mp_cpu_has_room() - is there room for a level between what an edge lies
 * between? */
bool mp_cpu_has_room(const struct mp_edge *edge);

/** mp_cpu_may_be_more() - by means, of a last level that others may share, so that
 * its edge leaves none in doubt: does no shape explain that well, or is there room
 * in it for another? */
bool mp_cpu_may_be_more(const struct mp_cpu_edges *edges);

/**
 * mp_cpu_find_doubt() - do the edges explain the curve of means?
 *
 * Where they do not, by ratios, or where single hops take times between those
 * of an edge, a level further in than memory is hidden in one of them, which
 * is in doubt then.
 */
void mp_cpu_find_doubt(const struct mp_view *view, struct mp_cpu_edges *edges);

/** mp_cpu_is_sound() - is edge @k that of one level, by its shape, by what is faster
 * further in, and by rings of more slots a page? */
bool mp_cpu_is_sound(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k);

/** mp_cpu_is_of_pages() - may edge @k be that of translations, and no level's?
 * As curves of means with few and with many slots to a page have it */
bool mp_cpu_is_of_pages(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k);

/** mp_cpu_doubt_say() - why the size of level @k is not known, which is in doubt
 * or lies further out than one that is; and how large it is at least */
void mp_cpu_doubt_say(const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_fact *fact);

/** mp_cpu_doubt_plan() - want what tells translations from levels, where rings
 * are full; 0 or -ENOMEM */
int mp_cpu_doubt_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, struct mp_plan *plan);

/** mp_cpu_mean_levels() - levels of the sides and the main curve, by means;
 * returns as mp_cpu_levels() */
int mp_cpu_mean_levels(struct mp_cpu_edges *edges);

/** mp_cpu_edges_fit() - levels of curves that were gathered, and their edges
 * Return: 0, -ENODATA, -ENOMEM. */
int mp_cpu_edges_fit(const struct mp_view *view, struct mp_cpu_edges *edges);

/**
 * mp_cpu_split() - is level @k of a curve two?
 * @curve: what to look at
 * @level, @n: the levels; where it is two, the second is put in behind it
 * @k: the level in question
 * @doubt: where the curve does not tell, and no level further in is in doubt,
 *	gets this one
 *
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_split(const struct mp_curve *curve,
		 struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
		 uint32_t k, struct mp_cpu_doubt *doubt);

/**
 * mp_cpu_split_flats() - is level @k of a curve two or more, as rings show that
 * one of them serves alone?
 * @level, @n: the others are put in behind it
 * @doubt: of it is settled, or moves out
 *
 * Return: how many more there are.
 */
uint32_t mp_cpu_split_flats(const struct mp_curve *curve,
			    struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
			    uint32_t k, struct mp_cpu_doubt *doubt);

/**
 * mp_cpu_split_innermost() - the same of the innermost level
 * @curve: dense rings, from the shortest on
 * @level, @n, @doubt: as there
 *
 * What a level takes is read near its end, which is the second's where a step is too
 * small for the detector: of this one the shortest two rings tell it, and that is its
 * latency then. Return: how many more there are.
 */
uint32_t mp_cpu_split_innermost(const struct mp_curve *curve,
				struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
				struct mp_cpu_doubt *doubt);

#endif
