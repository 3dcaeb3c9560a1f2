// SPDX-License-Identifier: GPL-2.0
#include "probe/cpu_groups.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/clock.h"
#include "probe/cpu_groups_added.h"
#include "probe/cpu_groups_wide.h"

/* Memory takes 500 cycles and less: the first level and it have to be two of a
 * clock's steps apart. */
#define STEP_MOST 240.0
/* .. and of shorter steps single hops tell what groups would. */
#define STEP_LEAST 1.25
/* Fewer lengths say nothing. */
#define LENGTHS_LEAST 8u
/* Of the hops of a length a group has so many where its mean is taken. */
#define OWN_LEAST 0.5
/* Nearer to each other than this latencies share a reading. */
#define STEPS_APART 2.0
/* .. nor does memory's of wide rings, over fewer. */
#define REST_LEAST 3u
/* A mean of too few lengths for levels in it, which moves by less, is of one. */
#define STEADY 1.2

/* Lengths of which a group has few hops, but so many: those of one level take what they
 * do elsewhere. Where they take so much longer, length after length, the group has
 * another level, which serves what the first one lost. */
#define FEW_LEAST 0.05
#define FEW_RISE 1.25
#define FEW_LENGTHS 3u

/* A level takes no more than this beyond what it takes at first. */
#define LEVEL_RISES 1.06
/* So many lengths, so far apart, that take less are no noise. */
#define FASTER_LENGTHS 3u
#define FASTER_SPAN 1.15
#define NOISE_SIGMAS 4
/* Behind the edge inside, a factor. */
#define BEHIND 1.1
/* Where it takes so much longer from one length to the next, those between are
 * looked at, and beside them. */
#define MOVES 1.05
#define MOVES_ROOM 1.2
#define GRAIN 8
#define REPLICATES 3u

bool mp_cpu_groups_asked(const struct mp_view *view)
{
	const double step = mp_cpu_step(view);

	return step > STEP_LEAST && step <= STEP_MOST;
}

bool mp_cpu_groups_sweep(const struct mp_view *view, uint32_t side,
			 struct mp_sweep *sweep)
{
	const bool is_there = mp_cpu_side_sweep(view, side, sweep);

	mp_sweep_singly(sweep);
	return is_there;
}

/* Peaks that share readings are one group; so is one that no ring of slots up to so
 * wide comes to miss with those behind it. */
static void take_groups(struct mp_cpu_edges *edges, uint32_t widest)
{
	const struct mp_spectrum *peaks = &edges->peaks;
	struct mp_spectrum *groups = &edges->groups;
	uint32_t n = 0;

	*groups = (struct mp_spectrum){ 0 };
	edges->lacks_broad = edges->ends_mixed = false;
	for (uint32_t i = 0; i < peaks->n; i++) {
		const bool last = i + 1 == peaks->n;
		uint32_t width = 0;

		if (!last && peaks->blurred[i])
			continue;
		if (!last)
			width = mp_cpu_groups_wide_of(edges, i);
		if (width > widest) {
			edges->lacks_broad = edges->ends_mixed = edges->full;
			continue;
		}
		edges->ends_mixed &= last;
		edges->broad[n] = width;
		groups->cycles[n] = peaks->cycles[i];
		groups->bound[n] = peaks->bound[i];
		groups->share[n] = peaks->share[i];
		groups->id[n++] = peaks->id[i];
	}
	groups->n = n > 1 ? n : 0;
}

/* Which rings show what a group takes? Those that come to miss the one inside. */
static uint32_t width_of(const struct mp_cpu_edges *edges, uint32_t g)
{
	return g ? edges->broad[g - 1] : 0;
}

static double own_of(const struct mp_curve_at *at,
		     const struct mp_spectrum *groups, uint32_t g)
{
	const double come = g ? mp_cpu_share_of(at, groups, g - 1) : 1;

	return come - mp_cpu_share_of(at, groups, g);
}

/* The curve of what the hops of a group take, where it has a share of all from
 * @least to less than @most, over rings up to @longest. */
static int draw_rest(const struct mp_curve *hops,
		     const struct mp_spectrum *groups, uint32_t g,
		     double least, double most, double longest,
		     struct mp_curve *rest)
{
	int err = 0;

	for (uint32_t i = 0; i < hops->n; i++) {
		const struct mp_curve_at *at = &hops->at[i];
		const double own = own_of(at, groups, g);

		if (!(own >= least && own < most) ||
		    (double)at->length > longest)
			continue;
		for (uint32_t r = 0; r < at->n && !err; r++) {
			const double cycles = mp_spectrum_mean(
				at->batch[r], g ? groups->bound[g - 1] : -INFINITY,
				groups->bound[g]);

			if (!isnan(cycles))
				err = mp_curve_put(rest, at->length,
						   at->batch[r], cycles /
						   mp_clock_cycles(at->batch[r], 1));
		}
	}
	return err;
}

static void free_rest(struct mp_cpu_edges *edges)
{
	for (uint32_t g = 0; g < MP_SPECTRUM_PEAKS; g++)
		for (uint32_t i = 0; i < MP_CPU_SIDES; i++) {
			mp_curve_free(&edges->rest[g][i]);
			memset(&edges->rest[g][i], 0,
			       sizeof(edges->rest[g][i]));
		}
}

/* .. of each group, over so many sides; of the last one only the first is looked
 * at. */
static int draw_all(struct mp_cpu_edges *edges, uint32_t sides)
{
	int err = 0;

	free_rest(edges);
	for (uint32_t g = 0; g < edges->groups.n; g++)
		for (uint32_t i = 0; !err && i < sides &&
				     (!i || g + 1 < edges->groups.n); i++)
			err = draw_rest(mp_cpu_groups_wide_rings(
						edges, width_of(edges, g), i),
					&edges->groups, g, OWN_LEAST, INFINITY,
					mp_cpu_groups_wide_most(edges, g),
					&edges->rest[g][i]);
	return err;
}

/* The least and the most that the rings of a group take. The last one should be
 * memory alone. */
static void range_of(const struct mp_cpu_edges *edges, uint32_t g,
		     double *least, double *most)
{
	const struct mp_curve *rest = &edges->rest[g][0];

	*least = *most = edges->groups.cycles[g];
	for (uint32_t i = 0; i < rest->n; i++) {
		const double middle = mp_curve_middle(&rest->at[i]);

		*least = fmin(*least, middle);
		*most = fmax(*most, middle);
	}
}

/* What hops of a group take without their translations. */
static int tidy_up(struct mp_cpu_edges *edges, uint32_t g,
		   const struct mp_groups_added *added)
{
	struct mp_curve *rest = &edges->rest[g][0], tidy = { 0 };
	int err = 0;

	if (!mp_groups_added_covers(added, rest))
		return 0;
	for (uint32_t i = 0; i < rest->n; i++) {
		const struct mp_curve_at *at = &rest->at[i];
		const double less = mp_groups_added_at(added, (double)at->length);

		for (uint32_t r = 0; r < at->n && !err; r++)
			err = mp_curve_put(&tidy, at->length, at->batch[r],
					   (at->cycles[r] - less) /
					   mp_clock_cycles(at->batch[r], 1));
	}
	if (err) {
		mp_curve_free(&tidy);
		return err;
	}
	mp_curve_free(rest);
	*rest = tidy;
	return 0;
}

/* A latency is read no more than a step off. So where a group ends is half-way
 * from its slowest level to the fastest one of the next; less than two steps
 * apart those are of one group. */
static void part_groups(struct mp_cpu_edges *edges, double step)
{
	struct mp_spectrum *groups = &edges->groups;
	uint32_t n = 0;

	for (uint32_t g = 0; g < groups->n; g++) {
		double least, most, next, unused;

		range_of(edges, g, &least, &most);
		if (g + 1 < groups->n) {
			range_of(edges, g + 1, &next, &unused);
			if (next - most < STEPS_APART * step)
				continue;
			groups->bound[g] = (most + next) / 2;
		}
		edges->broad[n] = edges->broad[g];
		groups->cycles[n] = groups->cycles[g];
		groups->bound[n] = groups->bound[g];
		groups->share[n] = groups->share[g];
		groups->id[n++] = groups->id[g];
	}
	groups->n = n > 1 ? n : 0;
}

bool mp_cpu_groups_steady(const struct mp_curve *rest)
{
	double least = INFINITY, most = 0;

	for (uint32_t i = 0; i < rest->n; i++) {
		const double middle = mp_curve_middle(&rest->at[i]);

		least = fmin(least, middle);
		most = fmax(most, middle);
	}
	return !(most > least * STEADY);
}

/* Of its lengths, the last of which a group has most hops; 0. */
static double end_of(const struct mp_curve *rest)
{
	return rest->n ? (double)rest->at[rest->n - 1].length : 0;
}

/* What is slower than all other groups should be memory. Its mean moves with the
 * length where it is a level as well: one that shares readings with memory, or of
 * which no ring comes to miss most, as slots share its lines. */
static void find_mixed(struct mp_cpu_edges *edges)
{
	const struct mp_spectrum *groups = &edges->groups;
	const uint32_t last = groups->n - 1;

	edges->mixed_from = 0;
	if (groups->n > 1 && (!mp_cpu_groups_steady(&edges->rest[last][0]) ||
			      (width_of(edges, last) &&
			       edges->rest[last][0].n < REST_LEAST) ||
			      (mp_cpu_groups_wide_told(edges) && edges->ends_mixed)))
		edges->mixed_from = groups->bound[last - 1];
}

bool mp_cpu_groups_mixed(const struct mp_cpu_edges *edges)
{
	return edges->n &&
	       edges->level[edges->n - 1].latency < edges->mixed_from;
}

/* What the last lengths of a group take: its outermost level. */
static double last_of(const struct mp_curve *rest, double group)
{
	return rest->n ? mp_curve_middle(&rest->at[rest->n - 1]) : group;
}

/* What hops of a group take over the longest ring up to a length, of those that show
 * where its outermost level ends; 0. */
static double mean_before(const struct mp_cpu_edges *edges, uint32_t g, double length)
{
	const struct mp_curve *rings =
		mp_cpu_groups_wide_rings(edges, edges->broad[g], 0);
	struct mp_curve rest = { 0 };
	double mean = 0;

	if (!draw_rest(rings, &edges->groups, g, OWN_LEAST, INFINITY, length, &rest) &&
	    rest.n)
		mean = mp_curve_middle(&rest.at[rest.n - 1]);
	mp_curve_free(&rest);
	return mean;
}

/* .. and over the last of those. Of full rings other slots of a line may be found in a
 * level inside, if that is of the group, too. */
static double own_of_last(const struct mp_cpu_edges *edges, uint32_t g, double group)
{
	const double wide = edges->broad[g] == width_of(edges, g) ? 0 :
			    mean_before(edges, g, INFINITY);

	return wide > 0 ? wide : last_of(&edges->rest[g][0], group);
}

/* What the clock's steps leave open of a point's mean, half a step of each hop, and
 * how far its replicates are apart. @share: of the hops that are in it. */
static double noise_of(const struct mp_curve_at *at, double share)
{
	double hops = 0, least = INFINITY, most = 0;

	for (uint32_t r = 0; r < at->n && at->batch; r++) {
		const struct mp_actor *actor = &at->batch[r]->exp.actor[0];

		hops += share * (double)actor->hops * actor->bursts;
		least = fmin(least, at->cycles[r]);
		most = fmax(most, at->cycles[r]);
	}
	return hops > 0 ? fmax(NOISE_SIGMAS * mp_spectrum_step(at->batch[0]) /
			       2 / sqrt(hops), (most - least) / sqrt(at->n)) : 0;
}

/*
 * Does a group that is one level where it has most of the hops take longer where it
 * has few, behind all those? A level that includes those inside, of few ways over
 * small pages, has no more of a ring than the level inside until that loses lines
 * itself: no length is its own. What translations add is taken off; further than
 * that is known nothing is said.
 */
static int find_rise(struct mp_cpu_edges *edges, uint32_t g,
		     const struct mp_groups_added *added)
{
	const struct mp_curve *rest = &edges->rest[g][0];
	const double base = last_of(rest, 0);
	struct mp_curve few = { 0 };
	double mean = 0;
	uint32_t n = 0;
	int err;

	edges->rises[g] = 0;
	if (!added->n || !(base > 0) || !mp_cpu_groups_steady(rest))
		return 0;
	err = draw_rest(&edges->hops[0], &edges->groups, g, FEW_LEAST, OWN_LEAST,
			INFINITY, &few);
	for (uint32_t i = 0; i < few.n && n < FEW_LENGTHS && !err; i++) {
		const double length = (double)few.at[i].length;

		if (length <= end_of(rest) ||
		    length > added->length[added->n - 1])
			continue;
		mean = mp_curve_middle(&few.at[i]) -
		       mp_groups_added_at(added, length);
		n = mean > base * FEW_RISE + noise_of(&few.at[i], FEW_LEAST) ?
		    n + 1 : 0;
	}
	if (n == FEW_LENGTHS)
		edges->rises[g] = mean;
	mp_curve_free(&few);
	return err;
}

/* Means are of full rings, and so are the peaks that they are held against. */
static void leave_to_means(struct mp_cpu_edges *edges)
{
	edges->peaks = edges->full_peaks;
	edges->mixed_from = edges->full_mixed;
	edges->groups.n = 0;
}

/* The groups of full rings. */
static int find_full_groups(struct mp_cpu_edges *edges)
{
	int err = mp_spectrum_find(&edges->hops[0], &edges->full_peaks);

	if (err)
		return err;
	edges->peaks = edges->full_peaks;
	take_groups(edges, 0);
	err = draw_all(edges, 1);
	find_mixed(edges);
	edges->full_mixed = edges->mixed_from;
	return err;
}

/* .. and those of wider ones, where these were walked and tell more. */
static int find_groups(const struct mp_view *view, struct mp_cpu_edges *edges)
{
	int err = find_full_groups(edges);

	if (!err)
		err = mp_cpu_groups_wide_gather(view, edges);
	if (err || !mp_cpu_groups_wide_any(edges))
		return err;
	take_groups(edges, MP_CPU_WIDTHS);
	err = draw_all(edges, 1);
	if (!err && !mp_cpu_groups_wide_settled(edges))
		return find_full_groups(edges);
	find_mixed(edges);
	return err;
}

int mp_cpu_groups_gather(const struct mp_view *view,
			 struct mp_cpu_edges *edges)
{
	struct mp_sweep sweep;
	int err = 0;

	if (!mp_cpu_groups_asked(view))
		return 0;
	for (uint32_t i = 0; i < MP_CPU_SIDES && !err; i++)
		if (mp_cpu_groups_sweep(view, i, &sweep))
			err = mp_sweep_gather(&sweep, view, &edges->hops[i]);
	if (err || edges->hops[0].n < LENGTHS_LEAST)
		return err;
	err = find_groups(view, edges);
	if (err)
		return err;
	part_groups(edges, mp_cpu_step(view));
	if (!edges->groups.n)
		leave_to_means(edges);
	err = draw_all(edges, MP_CPU_SIDES);
	for (uint32_t g = 0; g + 1 < edges->groups.n && !err; g++) {
		struct mp_groups_added added;

		/* What is added is asked of full rings. */
		if (width_of(edges, g))
			continue;
		err = mp_groups_added_find(view, edges, g, &added);
		if (!err)
			err = tidy_up(edges, g, &added);
		if (!err)
			err = find_rise(edges, g, &added);
	}
	return err;
}

static bool is_fine(const struct mp_cpu_edges *edges)
{
	return mp_spectrum_step(edges->hops[0].at[0].batch[0]) <=
	       MP_SPECTRUM_STEP_MAX;
}

/* The levels of group @g but for the outermost one, which are put behind the
 * others. */
static int inner_levels(struct mp_cpu_edges *edges, uint32_t g)
{
	const struct mp_curve *rest = &edges->rest[g][0];
	struct mp_level level[MP_CPU_LEVELS];
	struct mp_cpu_doubt doubt = { .level = MP_CPU_LEVELS };
	const bool moves = !mp_cpu_groups_steady(rest);
	uint32_t n = 0;
	int err = moves ? mp_cpu_levels_inside(rest, level, &n, &doubt) : 0;

	if (err == -ENODATA || (moves && !err && !n)) {
		/* It moves, and why is not known. To a clock that nearly tells
		 * single hops means may say more. */
		if (is_fine(edges))
			return -ENODATA;
		doubt = (struct mp_cpu_doubt){ .level = 0 };
		if (rest->n) {
			doubt.size[0] = (double)rest->at[0].length;
			doubt.size[1] = (double)rest->at[rest->n - 1].length;
		}
		err = 0;
		n = 0;
	}
	if (err)
		return err;
	if (doubt.level <= n && edges->doubt.level == MP_CPU_LEVELS) {
		edges->doubt = doubt;
		edges->doubt.level += edges->n;
	}
	for (uint32_t i = 0; i < n && edges->n < MP_CPU_LEVELS; i++) {
		edges->by[edges->n] = MP_CPU_BY_REST;
		edges->width[edges->n] = width_of(edges, g);
		edges->group[edges->n] = g;
		edges->level[edges->n++] = level[i];
	}
	return 0;
}

/* What the hops of the group of level @k take, as its edges have it. */
static double explained(const struct mp_cpu_edges *edges, uint32_t k,
			double length)
{
	const double *cycles = edges->spectrum.cycles;
	const double own = edges->by[k] == MP_CPU_BY_HOPS ?
			   last_of(&edges->rest[edges->group[k]][0], cycles[k]) :
			   cycles[k];
	uint32_t first = k;
	double mean;

	while (first && edges->group[first - 1] == edges->group[k])
		first--;
	mean = first < k ? cycles[first] : own;
	for (uint32_t i = first; i < k; i++)
		mean += ((i + 1 < k ? cycles[i + 1] : own) - cycles[i]) *
			mp_cpu_miss(edges, i, length);
	return mean;
}

double mp_cpu_groups_kept(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_curve *rest = &edges->rest[edges->group[k]][0];
	const double own = edges->spectrum.cycles[k];
	const double inner = k ? edges->spectrum.cycles[k - 1] : own;
	const double begins = fmax(edges->edge[k].low,
				   edges->level[k].low_bytes);
	double kept = 0;

	if (!k || edges->group[k - 1] != edges->group[k] || !(own > inner))
		return 0;
	for (uint32_t i = 0; i < rest->n; i++)
		if ((double)rest->at[i].length <= begins)
			kept = (own - mp_curve_middle(&rest->at[i])) /
			       (own - inner);
	/* The level inside may hold as much more of wider rings. */
	if (edges->width[k] != edges->width[k - 1]) {
		const double mean = mean_before(edges, edges->group[k], begins);

		kept = mean > 0 ? (own - mean) / (own - inner) :
				  1 - mp_cpu_miss(edges, k - 1, begins);
	}
	return fmin(fmax(kept, 0), 1);
}

bool mp_cpu_groups_explain(const struct mp_cpu_edges *edges, uint32_t k,
			   double *length)
{
	const struct mp_curve *rest = &edges->rest[edges->group[k]][0];
	double from = 0;
	uint32_t n = 0;

	if (!k || edges->group[k - 1] != edges->group[k] ||
	    !edges->fitted[k - 1])
		return true;
	for (uint32_t i = 0; i < rest->n; i++) {
		const double at = (double)rest->at[i].length;

		if (at < edges->edge[k - 1].high * BEHIND ||
		    at > edges->level[k].low_bytes)
			continue;
		if (mp_curve_middle(&rest->at[i]) * LEVEL_RISES +
		    noise_of(&rest->at[i], 1) > explained(edges, k, at)) {
			n = 0;
			continue;
		}
		from = n++ ? from : at;
		if (n < FASTER_LENGTHS || at < from * FASTER_SPAN)
			continue;
		*length = at;
		return false;
	}
	return true;
}

void mp_cpu_groups_fill(struct mp_cpu_edges *edges)
{
	const struct mp_spectrum *groups = &edges->groups;
	struct mp_spectrum *out = &edges->spectrum;
	const uint32_t outer = edges->n ? edges->group[edges->n - 1] + 1 : 0;

	*out = (struct mp_spectrum){ .n = edges->n + 1 };
	for (uint32_t k = 0; k < edges->n; k++) {
		out->cycles[k] = edges->level[k].latency;
		out->bound[k] = groups->bound[edges->group[k]];
		out->blurred[k] = edges->by[k] != MP_CPU_BY_HOPS;
	}
	out->cycles[edges->n] = groups->cycles[outer];
	out->bound[edges->n] = groups->bound[outer];
}

/* Those denser rings may come to rest where the others of its group have too few
 * lengths: that is one level more. */
static void split_first(struct mp_cpu_edges *edges)
{
	const uint32_t old = edges->n;
	const uint32_t more = mp_cpu_split_innermost(&edges->curve, edges->level,
						     &edges->n, &edges->doubt);

	for (uint32_t k = old; k-- > 1;) {
		edges->by[k + more] = edges->by[k];
		edges->width[k + more] = edges->width[k];
		edges->group[k + more] = edges->group[k];
	}
	for (uint32_t k = 1; k <= more; k++) {
		edges->by[k] = MP_CPU_BY_REST;
		edges->width[k] = edges->width[0];
		edges->group[k] = edges->group[0];
	}
}

int mp_cpu_groups_levels(struct mp_cpu_edges *edges)
{
	const struct mp_spectrum *groups = &edges->groups;
	int err = 0;

	if (groups->n < 2)
		return -ENODATA;
	memset(edges->by, 0, sizeof(edges->by));
	memset(edges->width, 0, sizeof(edges->width));
	edges->n = 0;
	edges->doubt = (struct mp_cpu_doubt){ .level = MP_CPU_LEVELS };
	for (uint32_t g = 0; g + 1 < groups->n && !err; g++) {
		struct mp_level *level;

		err = inner_levels(edges, g);
		if (err || edges->n == MP_CPU_LEVELS)
			break;
		level = &edges->level[edges->n];
		memset(level, 0, sizeof(*level));
		err = mp_cpu_share_level(mp_cpu_groups_wide_rings(
						 edges, edges->broad[g], 0),
					 groups, g, level);
		if (err || !(level->latency > 0))
			break;
		level->latency = own_of_last(edges, g, level->latency);
		edges->by[edges->n] = MP_CPU_BY_HOPS;
		edges->width[edges->n] = edges->broad[g];
		if (edges->rises[g] > 0 && edges->doubt.level == MP_CPU_LEVELS)
			edges->doubt = (struct mp_cpu_doubt){
				.level = edges->n, .unseen = edges->rises[g],
			};
		edges->group[edges->n++] = g;
	}
	if (err == -ENODATA) {
		memset(edges->by, 0, sizeof(edges->by));
		memset(edges->width, 0, sizeof(edges->width));
		leave_to_means(edges);
		return err;
	}
	/* Means of the innermost one are of denser rings, and many. */
	if (edges->by[0] == MP_CPU_BY_REST) {
		edges->by[0] = MP_CPU_BY_MEANS;
		split_first(edges);
	}
	mp_cpu_groups_fill(edges);
	return err;
}

static int plan_group(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t g,
		      struct mp_plan *plan)
{
	const struct mp_curve *rest = &edges->rest[g][0];
	struct mp_sweep sweep;
	int err;

	if (!rest->n)
		return 0;
	err = width_of(edges, g) ? 0 : mp_groups_added_plan(view, edges, g, plan);
	mp_cpu_groups_wide_sweep(view, width_of(edges, g), 0, &sweep);
	for (uint32_t i = 1; i < rest->n && !err; i++) {
		const struct mp_curve_at *a = &rest->at[i - 1];

		if (mp_curve_middle(&a[1]) > mp_curve_middle(a) * MOVES)
			err = mp_cpu_grid(&sweep, view,
					  (double)a->length / MOVES_ROOM,
					  (double)a[1].length * MOVES_ROOM,
					  GRAIN, REPLICATES, plan);
	}
	return err;
}

int mp_cpu_groups_plan(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, struct mp_plan *plan)
{
	int err = 0;

	for (uint32_t g = 0; g + 1 < edges->groups.n && !err; g++)
		err = plan_group(view, edges, g, plan);
	return err;
}

void mp_cpu_groups_free(struct mp_cpu_edges *edges)
{
	for (uint32_t i = 0; i < MP_CPU_SIDES; i++)
		mp_curve_free(&edges->hops[i]);
	free_rest(edges);
}
