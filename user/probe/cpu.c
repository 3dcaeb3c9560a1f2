// SPDX-License-Identifier: GPL-2.0
/* What the CPU probes share. */
#include "probe/cpu.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/hops.h"
#include "analysis/kept.h"

#define ROUGH_STRIDE 256u
/* Every second line: the neighbour of a line is often fetched along. */
#define APART 2u
/* One line in eight, for second looks, whatever the lines are: a page has
 * eight of them then, and one hop in eight may pay for its translation. */
#define SPARSE 512u
/* Full and sparse rings of a length are compared where there are so many of
 * each; slower by such a factor are full ones that miss where sparse ones
 * do not: levels are at least 1.5 apart, and a third of the hops has to miss.
 * In so many pairs, as where pages fall makes some sparse ones miss, too. */
#define FULL_LEAST 5u
#define FULL_SLOWER 1.15
#define FULL_PART 0.7
/* .. and of those that are no full ones: the more are tried, the sooner one is
 * slower as others crowd a level just then. */
#define WIDE_LEAST 5u
#define WIDE_PART 0.9
/* .. and where hops are timed singly, so many that are: a policy that keeps
 * part of what does not fit leaves few misses. Pages that are thrown one by
 * one make some miss in any case. */
#define FULL_HOPS 0.1
#define FULL_HOPS_SCATTERED 0.3
#define FULL_MOST 8u
/* .. or so many of each take what none of a sparse ring does: a level outside
 * served them, which those either do not need or do not find anything in. */
#define FULL_ONLY 0.05
/* Levels larger than this are likely to be shared. */
#define PRIVATE_MAX (4.0 * 1024 * 1024)
/* Replicates of a shorter ring that a longer one is held against, and how many such
 * rings have to be slower. */
#define BROUGHT_LEAST 2u
#define BROUGHT_RINGS 2u
/* Innermost ones are no larger. */
#define INNERMOST_MAX (256.0 * 1024)
/* With so many replicates left out as others crowd the caches, means of what is
 * shared are of no use; without others it is one in a thousand. */
#define CROWDED 0.01
/* 8 small pages: within the first TLB of every CPU known to us. */
#define REACH (32u << 10)
#define GRID_FROM 1024.0

const char *const mp_cpu_level_name[MP_CPU_LEVELS] = {
	"l1d", "l2", "l3", "l4"
};

uint32_t mp_cpu_replicates(const struct mp_view *view)
{
	return view->depth == MP_DEPTH_QUICK ? 3 : 5;
}

struct mp_fact *mp_cpu_fact(struct mp_facts *facts, const struct mp_view *view,
			    const char *level, const char *what,
			    const char *unit)
{
	char name[MP_FACT_NAME];
	struct mp_where where;
	struct mp_fact *fact;

	snprintf(name, sizeof(name), "cpu.%s.%s", level, what);
	mp_where_cpu(&where, view->cpu);
	fact = mp_facts_add(facts, name, &where);
	if (fact)
		snprintf(fact->unit, sizeof(fact->unit), "%s", unit);
	return fact;
}

const struct mp_fact *mp_cpu_found(const struct mp_view *view, uint32_t k,
				   const char *what)
{
	char name[MP_FACT_NAME];

	snprintf(name, sizeof(name), "cpu.%s.%s", mp_cpu_level_name[k], what);
	return mp_facts_find(view->facts, name);
}

bool mp_cpu_is_absent(const struct mp_view *view, uint32_t k)
{
	const struct mp_fact *size = mp_cpu_found(view, k, "size");

	return size && size->verdict == MP_ABSENT;
}

bool mp_cpu_may_be(const struct mp_view *view, uint32_t k,
		   const char *inclusion)
{
	const struct mp_fact *fact = mp_cpu_found(view, k, "inclusion");

	return !fact || fact->verdict != MP_MEASURED ||
	       !strcmp(fact->text, inclusion);
}

double mp_cpu_value(const struct mp_view *view, const char *level,
		    const char *what)
{
	char name[MP_FACT_NAME];
	const struct mp_fact *fact;

	snprintf(name, sizeof(name), "cpu.%s.%s", level, what);
	fact = mp_facts_find(view->facts, name);
	if (!fact || !mp_verdict_known(fact->verdict))
		return NAN;
	return fact->value;
}

int mp_cpu_grid(const struct mp_sweep *sweep, const struct mp_view *view,
		double low, double high, uint32_t grain, uint32_t replicates,
		struct mp_plan *plan)
{
	double first = ceil(log2(low / GRID_FROM) * grain - 1e-9);
	double last = floor(log2(high / GRID_FROM) * grain + 1e-9);
	int err = 0;

	for (double k = fmax(first, 0); k <= last && !err; k++) {
		double length = round(GRID_FROM * exp2(k / grain));

		err = mp_sweep_plan(sweep, view, (uint64_t)length, replicates,
				    plan);
	}
	return err;
}

void mp_cpu_rough_sweep(const struct mp_view *view, struct mp_sweep *sweep)
{
	mp_sweep_init(sweep, view, ROUGH_STRIDE, REACH);
}

static uint64_t innermost_line(const struct mp_view *view)
{
	double line = mp_cpu_value(view, "l1d", "line");

	return isnan(line) ? MP_CPU_LINE_USUAL : (uint64_t)line;
}

bool mp_cpu_shares_lines(const struct mp_view *view, uint64_t stride,
			 uint32_t level)
{
	return stride < ROUGH_STRIDE &&
	       !(mp_cpu_value(view, mp_cpu_level_name[level], "line") <=
		 (double)stride);
}

bool mp_cpu_may_prefetch(const struct mp_view *view)
{
	bool off = false;

	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_batch *batch = view->batch[i];

		/* Some probes want what prefetchers do. */
		if (!(batch->exp.quiet & MP_WISH_PREFETCH_OFF) ||
		    !mp_batch_counts(batch))
			continue;
		if (!(batch->grant.got & MP_GOT_PREFETCH_OFF))
			return true;
		off = true;
	}
	return !off;
}

double mp_cpu_step(const struct mp_view *view)
{
	for (uint32_t i = 0; i < view->n_batches; i++)
		if (mp_batch_counts(view->batch[i]))
			return mp_spectrum_step(view->batch[i]);
	return NAN;
}

bool mp_cpu_times_hops(const struct mp_view *view)
{
	return mp_cpu_step(view) <= MP_SPECTRUM_STEP_MAX;
}

static void look_sweep(const struct mp_view *view, uint64_t stride,
		       struct mp_sweep *sweep)
{
	mp_sweep_init(sweep, view, stride, REACH);
	if (mp_cpu_times_hops(view))
		mp_sweep_singly(sweep);
}

void mp_cpu_sparse_sweep(const struct mp_view *view, struct mp_sweep *sweep)
{
	look_sweep(view, SPARSE, sweep);
}

bool mp_cpu_full_sweep(const struct mp_view *view, uint32_t i,
		       struct mp_sweep *sweep)
{
	static const uint64_t tried[] = { 64, 32, 128, 256 };
	const bool known = !isnan(mp_cpu_value(view, "l1d", "line"));
	const uint32_t n = sizeof(tried) / sizeof(tried[0]);
	const uint64_t stride = known ? innermost_line(view) << i :
					tried[i < n ? i : 0];

	look_sweep(view, stride, sweep);
	/* Not those of a curve: others may crowd that, and not the sparse. */
	if (i)
		sweep->reach /= 2;
	return i < n && (!i || stride < SPARSE);
}

bool mp_cpu_scattered(const struct mp_batch *batch)
{
	const struct mp_grant_arena *arena = &batch->grant.arena[0];

	return batch->grant.n_arenas && arena->pages == MP_PAGES_4K &&
	       !arena->contiguous;
}

/* Of a length, the replicates that are compared. */
struct compared {
	uint32_t n;
	bool scattered;
	const double *ns;
	struct mp_hops hops[FULL_MOST];
};

static int compared_take(const struct mp_curve_at *at,
			 struct compared *compared)
{
	int err = 0;

	memset(compared, 0, sizeof(*compared));
	compared->ns = at->ns;
	compared->scattered = mp_cpu_scattered(at->batch[0]);
	while (compared->n < at->n && compared->n < FULL_MOST && !err) {
		err = mp_hops_gather(at->batch[compared->n],
				     &compared->hops[compared->n]);
		compared->n++;
	}
	return err;
}

static void compared_free(struct compared *compared)
{
	for (uint32_t i = 0; i < compared->n; i++)
		mp_hops_free(&compared->hops[i]);
}

/* Of all pairs of a replicate of each, those in which @a is slower. */
static double slower_part(const struct compared *a, const struct compared *b)
{
	const double most = a->scattered ? FULL_HOPS_SCATTERED : FULL_HOPS;
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < b->n; k++)
			n += a->ns[i] > b->ns[k] * FULL_SLOWER ||
			     mp_hops_slower(&a->hops[i], &b->hops[k],
					    FULL_SLOWER) > most;
	return (double)n / a->n / b->n;
}

/* Do full rings find a level that sparse ones do not? */
static bool find_another(const struct compared *full,
			 const struct compared *sparse)
{
	return mp_hops_only(full->hops, full->n, sparse->hops, sparse->n) >=
	       FULL_ONLY;
}

static int is_slower_at(const struct mp_curve_at *full,
			const struct mp_curve_at *sparse, bool wide,
			bool *slower)
{
	struct compared a, b = { 0 };
	int err = compared_take(full, &a);

	if (!err)
		err = compared_take(sparse, &b);
	if (!err && (slower_part(&a, &b) >= (wide ? WIDE_PART : FULL_PART) ||
		     (!wide && find_another(&a, &b))))
		*slower = true;
	compared_free(&a);
	compared_free(&b);
	return err;
}

/*
 * Rings that sets have no room for are slow in all replicates, and alike. What
 * others have put out of a level that they share until a full ring, eight
 * times as long, comes round to it is now more, now less: all but the fastest
 * and the slowest have to agree.
 */
static bool is_steady(const struct mp_curve_at *at)
{
	const uint32_t n = at->n < FULL_MOST ? at->n : FULL_MOST;
	double ns[FULL_MOST];

	if ((double)at->length < PRIVATE_MAX)
		return true;
	memcpy(ns, at->ns, n * sizeof(ns[0]));
	mp_stat_sort(ns, n);
	return n < 3 || ns[n - 2] <= ns[1] * FULL_SLOWER;
}

/*
 * Is a ring faster than two shorter ones, over pages of the same kind? Then its
 * lines are brought before they are asked for, sparse ones more easily than
 * those of a full ring, and it says nothing of sets: 19 ns over 45 MiB after
 * 30 over 8 MiB was seen where prefetchers could not be turned off.
 */
static bool is_brought(const struct mp_curve *curve,
		       const struct mp_curve_at *at)
{
	const double own = mp_stat_median_of(at->ns, at->n);
	uint32_t slower = 0;

	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *other = &curve->at[i];

		slower += (double)other->length >= PRIVATE_MAX &&
			  other->length < at->length &&
			  other->n >= BROUGHT_LEAST &&
			  mp_cpu_scattered(other->batch[0]) ==
				  mp_cpu_scattered(at->batch[0]) &&
			  mp_stat_median_of(other->ns, other->n) >
				  own * FULL_SLOWER;
	}
	return slower >= BROUGHT_RINGS;
}

/* Lengths that levels of some kind may have. @brought: prefetchers may be on. */
struct span {
	double from;
	double to;
	bool brought;
};

/* Are most full rings of a length slower than sparse ones? Or most that are
 * wider than full ones? */
static int is_slower(const struct mp_curve *full,
		     const struct mp_curve *sparse, const struct span *span,
		     bool wide, bool *slower)
{
	const uint32_t least = wide ? WIDE_LEAST : FULL_LEAST;
	int err = 0;

	*slower = false;
	for (uint32_t i = 0; i < full->n && !*slower && !err; i++) {
		const struct mp_curve_at *at = &full->at[i];
		const struct mp_curve_at *other = mp_curve_find(sparse,
								at->length);

		if (other && (double)at->length >= span->from &&
		    (double)at->length < span->to && at->n >= least &&
		    other->n >= least && is_steady(at) &&
		    !(span->brought && is_brought(sparse, other)))
			err = is_slower_at(at, other, wide, slower);
	}
	return err;
}

/* Question of what keeps the answer of one look. */
static void full_key(const struct mp_view *view, enum mp_cpu_scope scope,
		     struct mp_kept_key *key)
{
	const double line = mp_cpu_value(view, "l1d", "line");

	mp_kept_begin(key);
	mp_kept_add_word(key, view->look);
	mp_kept_add_word(key, view->n_batches);
	mp_kept_add_word(key, (uintptr_t)view->batch);
	mp_kept_add_word(key, view->pages);
	mp_kept_add_word(key, view->quiet);
	mp_kept_add_word(key, scope);
	mp_kept_add(key, &line, 1);
}

/* Sparse rings, or the full ones that show them to be wrong, or still fuller
 * ones that show those to be; 0 for the first. Where two slots of the fullest
 * share a line its misses may be too few to show it, and wider ones do. */
static int find_full(const struct mp_view *view, double most, uint64_t *stride)
{
	const bool brought = mp_cpu_may_prefetch(view);
	const struct span all = { 0, most, brought };
	const struct span private = { 0, fmin(most, PRIVATE_MAX), brought };
	struct mp_curve base, full = { 0 };
	struct mp_sweep sweep;
	bool slower = false;
	uint32_t i = 0;
	int err;

	*stride = 0;
	mp_cpu_sparse_sweep(view, &sweep);
	err = mp_sweep_gather(&sweep, view, &base);
	while (!err && mp_cpu_full_sweep(view, i++, &sweep)) {
		/* Of a wider one slots may share no lines where they should. */
		if (*stride && sweep.stride > *stride)
			continue;
		err = mp_sweep_gather(&sweep, view, &full);
		if (!err)
			err = is_slower(&full, &base, i > 1 ? &private : &all,
					i > 1, &slower);
		if (!err && slower) {
			struct mp_curve other = base;

			*stride = sweep.stride;
			base = full;
			full = other;
		}
		mp_curve_free(&full);
	}
	mp_curve_free(&base);
	return err;
}

/* Rings wider than full ones that are slower than sparse ones, beyond private
 * levels: others may have done that, and no full ring follows from it. */
static int find_spread(const struct mp_view *view, bool *is_spread)
{
	const struct span outer = { PRIVATE_MAX, INFINITY,
				    mp_cpu_may_prefetch(view) };
	struct mp_curve sparse, wide;
	struct mp_sweep sweep;
	int err;

	*is_spread = false;
	mp_cpu_sparse_sweep(view, &sweep);
	err = mp_sweep_gather(&sweep, view, &sparse);
	for (uint32_t i = 1; !err && !*is_spread &&
			     mp_cpu_full_sweep(view, i, &sweep); i++) {
		err = mp_sweep_gather(&sweep, view, &wide);
		if (!err)
			err = is_slower(&wide, &sparse, &outer, true, is_spread);
		mp_curve_free(&wide);
	}
	mp_curve_free(&sparse);
	return err;
}

int mp_cpu_is_spread(const struct mp_view *view, bool *is_spread)
{
	static struct mp_kept kept;
	struct mp_kept_key key;
	int err;

	if (!view->look)
		return find_spread(view, is_spread);
	full_key(view, MP_CPU_ALL, &key);
	if (mp_kept_find(&kept, &key, is_spread, sizeof(*is_spread), &err))
		return err;
	err = find_spread(view, is_spread);
	if (!err)
		mp_kept_note(&kept, &key, is_spread, sizeof(*is_spread), err);
	return err;
}

/* Adds the replicates of a sweep, and those of them that others crowded. */
static int count_crowded(const struct mp_view *view,
			 const struct mp_sweep *sweep, uint32_t *all,
			 uint32_t *crowded)
{
	uint32_t before = 0, after = 0;
	struct mp_curve curve;
	int err = mp_sweep_gather(sweep, view, &curve);

	if (err)
		return err;
	for (uint32_t i = 0; i < curve.n; i++)
		before += curve.at[i].n;
	mp_curve_settle(&curve);
	for (uint32_t i = 0; i < curve.n; i++)
		after += curve.at[i].n;
	mp_curve_free(&curve);
	*all += before;
	*crowded += before - after;
	return 0;
}

static int find_crowded(const struct mp_view *view, bool *is_crowded)
{
	uint32_t all = 0, crowded = 0;
	struct mp_sweep sweep;
	int err;

	mp_cpu_sparse_sweep(view, &sweep);
	err = count_crowded(view, &sweep, &all, &crowded);
	mp_cpu_full_sweep(view, 0, &sweep);
	if (!err)
		err = count_crowded(view, &sweep, &all, &crowded);
	mp_sweep_init(&sweep, view, APART * innermost_line(view), REACH);
	if (!err)
		err = count_crowded(view, &sweep, &all, &crowded);
	*is_crowded = crowded > all * CROWDED;
	return err;
}

int mp_cpu_is_crowded(const struct mp_view *view, bool *is_crowded)
{
	static struct mp_kept kept;
	struct mp_kept_key key;
	int err;

	*is_crowded = false;
	if (mp_cpu_times_hops(view))
		return 0;
	if (!view->look)
		return find_crowded(view, is_crowded);
	full_key(view, MP_CPU_ALL, &key);
	if (mp_kept_find(&kept, &key, is_crowded, sizeof(*is_crowded), &err))
		return err;
	err = find_crowded(view, is_crowded);
	if (!err)
		mp_kept_note(&kept, &key, is_crowded, sizeof(*is_crowded), err);
	return err;
}

/* The same as find_full(); all that is asked in a round asks for it. A full
 * ring comes round to a line so much later than a sparse one that others have
 * put it out by then: where there are such, means of what is shared say nothing
 * of what is not, nor those of outer levels of the innermost. */
static int full_stride(const struct mp_view *view, enum mp_cpu_scope scope,
		       uint64_t *stride)
{
	static const double longest[] = {
		[MP_CPU_INNERMOST] = INNERMOST_MAX,
		[MP_CPU_PRIVATE] = PRIVATE_MAX,
		[MP_CPU_ALL] = INFINITY,
	};
	static struct mp_kept kept;
	struct mp_kept_key key;
	bool is_crowded;
	int err = mp_cpu_is_crowded(view, &is_crowded);

	if (err)
		return err;
	if (!is_crowded)
		scope = MP_CPU_ALL;
	if (!view->look)
		return find_full(view, longest[scope], stride);
	full_key(view, scope, &key);
	if (mp_kept_find(&kept, &key, stride, sizeof(*stride), &err))
		return err;
	err = find_full(view, longest[scope], stride);
	if (!err)
		mp_kept_note(&kept, &key, stride, sizeof(*stride), err);
	return err;
}

int mp_cpu_is_full(const struct mp_view *view, enum mp_cpu_scope scope,
		   bool *is_full)
{
	uint64_t stride;
	int err = full_stride(view, scope, &stride);

	*is_full = !err && stride;
	return err;
}

/* How far apart slots are: one a line where sparse rings are wrong, else as
 * it is @usual. Without memory to find out, the usual. */
static uint64_t stride_or(const struct mp_view *view, enum mp_cpu_scope scope,
			  uint64_t usual)
{
	uint64_t stride;

	return full_stride(view, scope, &stride) || !stride ? usual : stride;
}

/* Means of the innermost level are taken of it; what is further out must not
 * have it begun anew. */
void mp_cpu_main_sweep(const struct mp_view *view, struct mp_sweep *sweep)
{
	mp_sweep_init(sweep, view,
		      stride_or(view, MP_CPU_INNERMOST,
				APART * innermost_line(view)), REACH);
}

void mp_cpu_memory_sweep(const struct mp_view *view, struct mp_sweep *sweep)
{
	mp_sweep_init(sweep, view, stride_or(view, MP_CPU_PRIVATE, SPARSE), REACH);
}

bool mp_cpu_side_sweep(const struct mp_view *view, uint32_t side,
		       struct mp_sweep *sweep)
{
	look_sweep(view, stride_or(view, MP_CPU_PRIVATE, SPARSE), sweep);
	if (!side)
		return true;
	sweep->pages = MP_PAGES_4K;
	return !view->pages_forced && view->pages != MP_PAGES_4K;
}

bool mp_cpu_has_sides(const struct mp_cpu_edges *edges, uint32_t k)
{
	return (k || edges->single) && edges->level[k].size_bytes < PRIVATE_MAX;
}
