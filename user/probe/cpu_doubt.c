// SPDX-License-Identifier: GPL-2.0
/*
 * Is there a level that the edges found do not explain? Least squares see
 * little of a step from 4 to 8 cycles where memory is at 400: one blurred
 * edge may be put where there are two or three. In ratios such a step is as
 * large as any other; and an edge that no shape explains, or whose limits lie
 * apart, may be two as well; one that more slots to a page make smaller may be
 * of translations, and none. What is further out has no name then.
 */
#include <math.h>
#include <stdio.h>

#include "analysis/stat.h"
#include "probe/cpu.h"
#include "probe/cpu_between.h"
#include "probe/cpu_chord.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_groups.h"
#include "probe/cpu_explained.h"
#include "probe/cpu_pages.h"

/* Within limits too far apart for a size lie two where the best shape leaves so
 * much of the jump, more than noise does. */
#define NOT_QUITE 0.02
#define NOT_QUITE_CHI2 4.0
/* .. which limits so far apart may become, as they move. */
#define APART_SOON 1.1
/* Where a page has four times as many slots its translation costs a hop a
 * quarter as much; a level's miss costs what it does, or half, if two slots
 * share a line further out. */
#define PAGES_SHARE 0.4
/* .. and of the edge's jump it has to be so much. */
#define PAGES_RISE 0.5
/* Rings of pages alone: so far on either side of an edge, of a grid. */
#define PAGES_BEYOND 1.4
#define PAGES_GRAIN 4
#define SAME_LENGTH 1.02
#define PAGE 4096.0
/* An edge that leaves so much of its jump, and so much more than noise. */
#define POOR 0.04
#define POOR_CHI2 10.0
/* Where nearly all hops hit, latency is no more than this above the least.
 * Levels lie at least so far apart, which says how many may miss; of a ring
 * that is walked round and round no greater share hits than there is room for. */
#define HELD 1.1
#define HELD_PART (1 - (HELD - 1) / (MP_CPU_LEVELS_APART - 1))
/* What an edge rises to, and what the level behind it takes. */
#define RISES_ALIKE 1.5
/* Of a ring behind an edge all hops but so many are served by one level; and so
 * many lengths prove that they are not. */
#define BEHIND 0.1
#define BEHIND_LENGTHS 2u

/* The two capacities of a doubtful level are known no better than this: its
 * shapes are few, and a shape in error moves both. */
#define PAIR_ROUGH 1.5
/* Limits of an edge so far apart have room for another level's behind it. */
#define ANOTHER 1.65
/* Single hops of one cost are a level's if some ring has so many of them. */
#define STRAY 0.5

double mp_cpu_held(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_curve *curve = &edges->curve;
	double inside = k ? edges->edge[k].inside : mp_cpu_innermost(edges);
	double held = 0;

	for (uint32_t i = 0; i < curve->n; i++) {
		if (mp_curve_middle(&curve->at[i]) > inside * HELD)
			break;
		held = (double)curve->at[i].length * HELD_PART;
	}
	/* One that has what the others put out holds so much less. */
	for (uint32_t i = 0; i < k; i++)
		held -= edges->edge[i].size;
	return fmax(held, 0);
}

/* Slots of a ring that is not full may spread over more sets than its length
 * says: for certain it has as many lines as slots, and of a full ring all. */
double mp_cpu_held_bytes(const struct mp_cpu_edges *edges, uint32_t k)
{
	const double held = mp_cpu_held(edges, k);

	return k ? held : fmax(held * edges->main_lines,
			       fmin(held, edges->full_held));
}

/* Lines of the innermost level in a slot's share of the main curve's rings. */
static double lines_of_main(const struct mp_view *view,
			    const struct mp_cpu_edges *edges)
{
	const double line = mp_cpu_value(view, mp_cpu_level_name[0], "line");
	uint64_t stride;

	if (!edges->curve.n)
		return 1;
	stride = edges->curve.at[0].batch[0]->exp.actor[0].stride;
	return fmin((line > 0 ? line : MP_CPU_LINE_LEAST) / (double)stride, 1);
}

/* The longest full ring of which the innermost level holds all. */
static double held_of_full(const struct mp_view *view,
			   const struct mp_cpu_edges *edges)
{
	const double most = mp_cpu_innermost(edges) * HELD;
	struct mp_sweep sweep;
	struct mp_curve full;
	double held = 0;

	mp_cpu_full_sweep(view, 0, &sweep);
	if (mp_sweep_gather(&sweep, view, &full))
		return 0;
	for (uint32_t i = 0; i < full.n; i++)
		if (mp_curve_middle(&full.at[i]) <= most)
			held = (double)full.at[i].length * HELD_PART;
	mp_curve_free(&full);
	return held;
}

bool mp_cpu_may_hide(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_miss_shape *shape =
		&edges->table->shape[edges->edge[k].shape];

	return edges->fitted[k] && shape->scatter != 0 &&
	       shape->ways <= MP_CPU_CROWDED_WAYS && !edges->count[k].bare;
}

uint32_t mp_cpu_crowded(const struct mp_cpu_edges *edges, uint32_t k)
{
	for (uint32_t i = 0; i < k; i++)
		if (mp_cpu_may_hide(edges, i))
			return i;
	return MP_CPU_LEVELS;
}

/* Is there room for a level between what an edge lies between? */
bool mp_cpu_has_room(const struct mp_edge *edge)
{
	return edge->outside > edge->inside * MP_CPU_LEVELS_APART *
			       MP_CPU_LEVELS_APART;
}

/* .. and are its limits further apart than @apart? */
static bool has_room_within(const struct mp_cpu_edges *edges, uint32_t k,
			    double apart)
{
	return edges->fitted[k] && mp_cpu_has_room(&edges->edge[k]) &&
	       edges->edge[k].high > edges->edge[k].low * apart;
}

static bool is_apart(const struct mp_edge *edge)
{
	return edge->high > edge->low * MP_CPU_APART_MAX;
}

static bool is_unlike(const struct mp_edge *edge)
{
	return (is_apart(edge) && edge->misfit > NOT_QUITE &&
		edge->chi2 > NOT_QUITE_CHI2) ||
	       (edge->misfit > POOR && edge->chi2 > POOR_CHI2);
}

bool mp_cpu_may_be_more(const struct mp_cpu_edges *edges)
{
	const uint32_t last = edges->n - 1;
	const struct mp_edge *edge = &edges->edge[last];

	return !edges->single && last >= mp_cpu_private_levels(edges) &&
	       edges->fitted[last] &&
	       (is_unlike(edge) || (has_room_within(edges, last, ANOTHER) &&
				    !mp_cpu_edge_plain(edges, last)));
}

/* No shape explains the edge; or so many do that it may well be two. */
static bool is_poor(const struct mp_view *view,
		    const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *edge = &edges->edge[k];

	if (k >= mp_cpu_private_levels(edges))
		return false;
	if (!edges->fitted[k])
		return true;
	/* A sharp one whose limits lie apart has few lengths near it. */
	return is_unlike(edge) ||
	       (is_apart(edge) && mp_cpu_has_room(edge) &&
		!mp_cpu_edge_plain(edges, k) &&
		!mp_cpu_chord_one(view, edges, k));
}

/* The fastest replicate: pages that crowd a level further out do so in some. */
static double least_of(const struct mp_curve_at *at)
{
	double fastest[2];

	mp_curve_fastest(at, fastest);
	return fastest[0];
}

/* Are there rings of as many bytes that have far more slots to a page? */
static bool has_denser(const struct mp_view *view,
		       const struct mp_cpu_edges *edges)
{
	struct mp_sweep sparse, dense;

	mp_cpu_side_sweep(view, 0, &sparse);
	mp_cpu_main_sweep(view, &dense);
	return !edges->full && (double)dense.stride <
			       PAGES_SHARE * (double)sparse.stride;
}

/* Lengths on either side of an edge, of a grid, as edges move a little. */
static uint64_t pages_length(const struct mp_cpu_edges *edges, uint32_t k,
			     bool above)
{
	const struct mp_edge *edge = &edges->edge[k];
	double at = above ? edge->high * PAGES_BEYOND : edge->low / PAGES_BEYOND;

	if (above && k + 1 < edges->n)
		at = fmin(at, edges->level[k + 1].low_bytes);
	return (uint64_t)exp2(round(log2(at) * PAGES_GRAIN) / PAGES_GRAIN);
}

/* Where there is no ring of fewer slots a page, one of pages alone says what
 * their translation costs a hop. */
static bool is_of_pages_alone(const struct mp_view *view,
			      const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *edge = &edges->edge[k];
	struct mp_sweep sweep;
	double before, cost;

	if (!edges->fitted[k])
		return false;
	/* It rises by what the curve that it is read off does: of few slots a page
	 * that is most. */
	if (edges->by[k] == MP_CPU_BY_REST && edges->width[k])
		mp_cpu_level_sweep(view, edges, k, 0, &sweep);
	else if (mp_cpu_has_sides(edges, k) || edges->width[k])
		mp_cpu_side_sweep(view, 0, &sweep);
	else
		mp_cpu_main_sweep(view, &sweep);
	before = mp_cpu_pages_cost(view, edges, pages_length(edges, k, false));
	cost = mp_cpu_pages_cost(view, edges, pages_length(edges, k, true)) -
	       (before > 0 ? before : 0);
	return cost * (double)sweep.stride / PAGE >
	       PAGES_RISE * (edge->outside - edge->inside);
}

/* By how much a curve rises from one length to another. */
static double rise_of(const struct mp_curve *curve, double from, double to)
{
	return least_of(mp_cpu_last_of(curve, to)) -
	       least_of(mp_cpu_last_of(curve, from));
}

/* .. by the edge inside alone, which may be long before all miss it. */
static double rise_inside(const struct mp_cpu_edges *edges, uint32_t k,
			  double from, double to)
{
	if (!k || !edges->fitted[k - 1])
		return 0;
	return (edges->edge[k - 1].outside - edges->edge[k - 1].inside) *
	       (mp_cpu_miss(edges, k - 1, to) - mp_cpu_miss(edges, k - 1, from));
}

/* What a curve rises by from behind the edge inside to before edge @k, but for
 * what that adds; NAN where it has no such lengths. */
static double rise_before(const struct mp_cpu_edges *edges,
			  const struct mp_curve *curve, uint32_t k)
{
	const double jump = edges->edge[k].outside - edges->edge[k].inside;
	double first = NAN, last = NAN;

	for (uint32_t i = 0; i < curve->n; i++) {
		const double length = (double)curve->at[i].length;
		const double missing = mp_cpu_miss(edges, k, length);

		if (mp_cpu_miss(edges, k - 1, length) < 1 - BEHIND ||
		    missing > BEHIND)
			continue;
		last = least_of(&curve->at[i]) - missing * jump;
		first = fmin(first, last);
	}
	return last - first;
}

/* Pages alone may make it so, which shows where more slots share them. */
static bool is_translated(const struct mp_view *view,
			  const struct mp_cpu_edges *edges, uint32_t k)
{
	return has_denser(view, edges) &&
	       rise_before(edges, &edges->curve, k) <
	       PAGES_SHARE * rise_before(edges, &edges->side[0], k);
}

/*
 * Does a level take longer at its own edge than behind the one inside? One
 * level takes the same at both: it is two, and the curve came to rest on either.
 * Both are of one kind of rings: slots of others may share its lines.
 */
static bool is_torn(const struct mp_view *view,
		    const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_curve *side = &edges->side[0];
	uint32_t faster = 0;

	if (!k || !edges->fitted[k - 1] || !edges->fitted[k])
		return false;
	for (uint32_t i = 0; i < side->n; i++) {
		const double length = (double)side->at[i].length;

		if (mp_cpu_miss(edges, k - 1, length) < 1 - BEHIND ||
		    mp_cpu_miss(edges, k, length) > BEHIND)
			continue;
		faster += log(edges->edge[k].inside /
			      mp_curve_middle(&side->at[i])) > MP_CPU_UNEXPLAINED;
	}
	return faster >= BEHIND_LENGTHS && !is_translated(view, edges, k);
}

/* What rings of as many bytes with more slots to a page say of an edge. */
enum denser { DENSER_NONE, DENSER_AS_MUCH, DENSER_LESS };

/* They show less of translations, but as much of a level. Just beyond the edge
 * nothing else counts yet. */
static enum denser denser_says(const struct mp_view *view,
			       const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *edge = &edges->edge[k];
	const double end = k + 1 < edges->n ? edges->level[k + 1].low_bytes :
					      INFINITY;
	const struct mp_curve_at *below = mp_cpu_last_of(&edges->curve, edge->low);
	const struct mp_curve *side = &edges->side[0];
	enum denser says = DENSER_NONE;

	if (!has_denser(view, edges) || !below ||
	    !mp_cpu_last_of(side, (double)below->length) ||
	    (k && !((double)mp_cpu_last_of(side, (double)below->length)->length >
		    edge[-1].high)))
		return says;
	for (uint32_t i = 0; i < side->n; i++) {
		const double length = (double)side->at[i].length;
		const double inner = rise_inside(edges, k,
						 (double)below->length, length);
		const double sparse = rise_of(side, (double)below->length,
					      length) - inner;

		/* Of both there has to be that length: a shorter one rises less. */
		if (length <= edge->high || length > end ||
		    (double)mp_cpu_last_of(&edges->curve, length)->length < length / SAME_LENGTH)
			continue;
		says = DENSER_AS_MUCH;
		if (sparse > PAGES_RISE * (edge->outside - edge->inside) &&
		    rise_of(&edges->curve, (double)below->length, length) -
		    inner < PAGES_SHARE * sparse)
			return DENSER_LESS;
	}
	return says;
}

/* Is it translations that begin to miss? */
bool mp_cpu_is_of_pages(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k)
{
	enum denser denser;

	if (!edges->fitted[k])
		return false;
	denser = denser_says(view, edges, k);
	return denser == DENSER_LESS || (denser == DENSER_NONE &&
					 is_of_pages_alone(view, edges, k));
}

bool mp_cpu_is_sound(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k)
{
	return !is_poor(view, edges, k) && !is_torn(view, edges, k) &&
	       !mp_cpu_is_of_pages(view, edges, k);
}

int mp_cpu_doubt_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, struct mp_plan *plan)
{
	int err = 0;

	if (edges->single)
		return 0;
	for (uint32_t k = 0; k < mp_cpu_private_levels(edges) && k < edges->n && !err;
	     k++) {
		if (has_room_within(edges, k, APART_SOON))
			err = mp_cpu_chord_plan(view, edges, k, plan);
		if (err || !edges->fitted[k] ||
		    denser_says(view, edges, k) != DENSER_NONE)
			continue;
		err = mp_cpu_pages_plan(view, edges,
					pages_length(edges, k, false), plan);
		if (!err)
			err = mp_cpu_pages_plan(view, edges,
						pages_length(edges, k, true),
						plan);
	}
	return err;
}

/* Of groups only what is the mean of several levels leaves any: the first one. */
static uint32_t doubt_of_groups(const struct mp_view *view,
				const struct mp_cpu_edges *edges,
				double *length)
{
	uint32_t k = 0;

	while (k < edges->n && mp_cpu_groups_explain(edges, k, length) &&
	       (edges->by[k] == MP_CPU_BY_HOPS ||
		(!is_poor(view, edges, k) && !mp_cpu_is_of_pages(view, edges, k))))
		k++;
	return k;
}

/* .. and of means. @behind: rings show its inner one by itself. */
static uint32_t doubt_of_means(const struct mp_view *view,
			       const struct mp_cpu_edges *edges,
			       double *length, bool *behind)
{
	double between = NAN;
	uint32_t k = 0, mixed;
	bool alone;

	*length = mp_cpu_unexplained(edges, mp_cpu_innermost(edges));
	while (k < edges->n && mp_cpu_is_sound(view, edges, k) &&
	       !(*length <= edges->level[k].high_bytes))
		k++;
	/* Beyond all edges it is for the last to explain. */
	if (k == edges->n && !isnan(*length))
		k--;
	mixed = mp_cpu_between_find(view, edges, &between, &alone);
	if (mixed < k) {
		k = mixed;
		*length = between;
		*behind = alone;
	}
	return k;
}

/* Of single hops: one of which each ring has few, between edges that no cache
 * explains, may be another level's hops that pay for a translation. */
static void find_stray(struct mp_cpu_edges *edges)
{
	const struct mp_spectrum *spectrum = &edges->spectrum;
	uint32_t k = 1;

	while (k < edges->n && (edges->fitted[k - 1] || edges->fitted[k] ||
				spectrum->share[k] >= STRAY))
		k++;
	if (k < edges->n && k < edges->doubt.level)
		edges->doubt = (struct mp_cpu_doubt){
			.level = k, .stray = spectrum->cycles[k] };
}

void mp_cpu_find_doubt(const struct mp_view *view, struct mp_cpu_edges *edges)
{
	double length = NAN, low;
	bool behind = false;
	uint32_t k;

	if (edges->single)
		find_stray(edges);
	if (edges->single || !edges->n)
		return;
	edges->main_lines = lines_of_main(view, edges);
	edges->full_held = held_of_full(view, edges);
	k = edges->groups.n ? doubt_of_groups(view, edges, &length) :
			      doubt_of_means(view, edges, &length, &behind);
	if (k >= edges->n || k >= edges->doubt.level)
		return;
	low = edges->fitted[k] ? edges->edge[k].low :
				 edges->level[k].low_bytes;
	edges->doubt = (struct mp_cpu_doubt){
		.level = k,
		.size = { fmin(isnan(length) ? low : length,
			       edges->level[k].size_bytes),
			  edges->level[k].size_bytes },
		.behind = behind,
		.pages = edges->by[k] != MP_CPU_BY_HOPS &&
			 mp_cpu_is_of_pages(view, edges, k),
	};
}

/* Of the innermost level they leave all of it at times, and its turns are
 * short. */
void mp_cpu_others_took(const struct mp_cpu_edges *edges, uint32_t k,
			struct mp_fact *fact)
{
	if (!k || !edges->crowded ||
	    (fact->verdict != MP_MEASURED && fact->verdict != MP_AT_LEAST))
		return;
	if (fact->verdict == MP_MEASURED)
		snprintf(fact->reason, sizeof(fact->reason),
			 "others took of the caches meanwhile, and this is what they left; best estimate %.0f KiB",
			 fact->value / 1024);
	fact->verdict = MP_AT_LEAST;
	fact->value = fact->high = fact->low;
}

double mp_cpu_rises_to(const struct mp_view *view)
{
	struct mp_cpu_edges edges;
	double cycles = NAN;

	if (mp_cpu_times_hops(view) || mp_cpu_edges_find(view, &edges))
		return NAN;
	if (edges.n && edges.fitted[0] && edges.doubt.level)
		cycles = edges.edge[0].outside;
	/* Of an edge that the next one follows at once that is a mixture. */
	if (edges.n > 1 && edges.level[1].latency * RISES_ALIKE < cycles)
		cycles = NAN;
	mp_cpu_edges_free(&edges);
	return cycles;
}

/* One level or two: it is at least as large as the inner of the two. */
void mp_cpu_doubt_say(const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_fact *fact)
{
	const struct mp_cpu_doubt *doubt = &edges->doubt;
	double size = edges->level[k].size_bytes, least;

	if (k > doubt->level) {
		mp_fact_cannot(fact, "bytes",
			       "a level of about %.0f KiB is there, but whether it is this one is not known, as %s may be two",
			       size / 1024, mp_cpu_level_name[doubt->level]);
		return;
	}
	if (doubt->twins) {
		mp_fact_cannot(fact, "bytes",
			       "hops of %.0f and of %.0f cycles come in the same proportion at every length: near and far parts of one level, maybe, and not two",
			       edges->spectrum.cycles[k],
			       edges->spectrum.cycles[k + 1]);
		return;
	}
	if (doubt->stray > 0) {
		mp_fact_cannot(fact, "bytes",
			       "hops of %.0f cycles are few in every ring, and no cache explains where they set in, or where they end: they may be another level's that pay for a translation",
			       doubt->stray);
		return;
	}
	if (doubt->wide) {
		mp_fact_cannot(fact, "bytes",
			       "a few lines leave this level over %.0f to %.0f KiB: it may be two",
			       doubt->size[0] / 1024, doubt->size[1] / 1024);
		return;
	}
	if (doubt->left || doubt->unseen > 0 || doubt->kinked > 0) {
		if (doubt->kinked > 0)
			mp_fact_cannot(fact, "bytes",
				       edges->single ?
				       "single hops tell of one level of about %.0f KiB, and rings take longer from %.0f on: it may be two that lie less than a step of the clock apart" :
				       "the edge near %.0f KiB does not rise as that of one level does from %.0f on: it may be two",
				       size / 1024, doubt->kinked / 1024);
		else if (doubt->left)
			mp_fact_cannot(fact, "bytes",
			       "lines that rings of more than about %.0f KiB should have put out take less than what lies beyond: another level may have them",
			       size / 1024);
		else
			mp_fact_cannot(fact, "bytes",
			       "hops that are told from others take %.0f cycles over some rings, and no level that was found does: this one, of about %.0f KiB, may be two",
			       doubt->unseen, size / 1024);
		/* What hides may lie further in, too. */
		if (edges->single || (k && !doubt->left))
			return;
		least = round(mp_cpu_held_bytes(edges, k));
		if (!(least > 0))
			return;
		fact->verdict = MP_AT_LEAST;
		fact->value = fact->low = least;
		fact->high = fmax(edges->edge[k].high, size);
		snprintf(fact->method, sizeof(fact->method),
			 "the longest ring of which all hops were served");
		return;
	}
	if (doubt->pages)
		mp_fact_cannot(fact, "bytes",
			       "the edge near %.0f KiB is far smaller where more slots share a page: it may be that of translations",
			       size / 1024);
	else
		mp_fact_cannot(fact, "bytes",
			       "one level of about %.0f KiB, or more near each other, as of %.0f and %.0f KiB: one does not explain the curve, and no plateau shows between them",
			       size / 1024, doubt->size[0] / 1024,
			       doubt->size[1] / 1024);
	/* What hides may lie further in, too, but for the innermost; and what
	 * gives an edge no shape may serve hops beyond it. */
	least = (k && !doubt->behind) || !edges->fitted[k] ? 0 :
		round(fmin(doubt->size[0] / PAIR_ROUGH,
			   mp_cpu_held_bytes(edges, k)));
	if (!(least > 0))
		return;
	fact->verdict = MP_AT_LEAST;
	fact->value = fact->low = least;
	fact->high = fmax(doubt->size[1], size);
	snprintf(fact->method, sizeof(fact->method),
		 "the inner one of two capacities that explain a curve together");
}
