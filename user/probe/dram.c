// SPDX-License-Identifier: GPL-2.0
/*
 * Probe dram: what does a load from memory cost, without and with the
 * page walks that a random access pays?
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/hops.h"
#include "analysis/stat.h"
#include "backend.h"
#include "probe/cpu.h"

/* Beyond the last level by this factor, within what may be spent. */
#define BEYOND 8.0
#define BEYOND_LEAST 4.0
#define PAGE 4096.0
#define LENGTH_MIN (64 * MP_MIB)
/* No more than this for the sake of BEYOND. */
#define LENGTH_MAX (256 * MP_MIB)
/* Of the outermost level, lines are walked over so many times to throw out
 * what building the ring left there. */
#define FLUSH 1.5
#define FLUSH_MIN (64u << 10)
#define FLUSH_MAX (2u << 20)
/* Half of what a walk adds to a load is no more of it than this, or it has to
 * be known whether pages that are not small ones pay it: all of it, or none,
 * give or take this share. That is asked sooner. */
#define WALK_SHARE 0.015
#define WALK_ASKED 0.008
#define WALK_ALIKE 0.25

/* Hops of memory are timed one by one where the clock moves by no more than
 * this share of one at a time. */
#define STEP_SHARE (1.0 / 8)
#define SINGLE_HOPS 1024u
/* Other probes may have asked for more of the same; so many are used. */
#define REPLICATES_MAX 64u
/* What takes so much longer than a hit in the outermost level is none. */
#define SLOWER 1.2
/* Two costs have so many hops each, at least, nearly all of them within so much of
 * what parts the two. */
#define TWO_LEAST 0.1
#define TWO_NEAR 0.9
#define TWO_OFF 0.25
/* .. which random order pays nearly always, if it is a walk. */
#define WALK_WHOLE 0.75
/* A peak has so many of the hops of some ring, or it is not what most take. */
#define PEAK_LEAST 0.5
/* Of two costs further apart than so many steps no reading is the same. */
#define STEPS_APART 2.0

/* What is known of the outermost level. */
struct outermost {
	double size;		/* bytes, 0 = unknown */
	double most;		/* .. that it may have */
	double bound;		/* cycles: hops that take longer miss it */
	double thin;		/* times as long, sparse rings fill it; 0: they may not */
	bool times_hops;	/* the clock is fine enough for those of memory */
	bool coarse;		/* .. and it is known not to be */
	uint32_t level;		/* which it is */
	bool known;		/* the size of one level or more is a fact */
	bool nothing_beyond;	/* the curve came to memory */
};

/* How large the level with a fact is, in the middle and at most. */
static void take_size(const struct mp_fact *size, double *middle, double *most)
{
	*middle = *most = 0;
	if (!size || !mp_verdict_known(size->verdict))
		return;
	*middle = *most = size->value;
	if (size->verdict == MP_AT_LEAST && size->high > size->value) {
		*middle = sqrt(size->value * size->high);
		*most = size->high;
	}
}

/* Half-way at most to where the curve ends; but a hit is read as a step more
 * at times. */
static void set_bound(const struct mp_view *view, double latency, double end,
		      struct outermost *outer)
{
	const double step = mp_cpu_step(view);

	outer->bound = fmax(fmin(latency * SLOWER, sqrt(latency * end)),
			    latency + STEPS_APART * step);
	outer->times_hops = step <= STEP_SHARE * end &&
			    outer->bound < end - STEPS_APART * step;
	outer->coarse = step > STEP_SHARE * end;
}

/* Where sparse rings spread over all sets they fill a level, if so many times
 * as long, as full ones do. Where that is no matter they are the better ones:
 * whatever lies beside a line, none of them fetches another's. */
static void thin_out(const struct mp_view *view, struct outermost *outer)
{
	const double line = mp_cpu_value(view, "l1d", "line");
	struct mp_sweep sparse, full;
	double least;

	mp_cpu_sparse_sweep(view, &sparse);
	mp_cpu_memory_sweep(view, &full);
	if (full.stride >= sparse.stride)
		return;
	outer->thin = (double)sparse.stride /
		      (isnan(line) ? MP_CPU_LINE_LEAST : line);
	least = exp2(ceil(log2(fmax(outer->most, 1) * BEYOND_LEAST))) *
		outer->thin;
	if (!(outer->size > 0) ||
	    least > fmin(LENGTH_MAX, (double)view->arena_max_bytes))
		outer->thin = 0;
}

/* Of levels without a size it counts as well that they are there. */
static int find_outermost(const struct mp_view *view, struct outermost *outer)
{
	struct mp_level level[MP_CPU_LEVELS];
	struct mp_sweep sweep;
	struct mp_curve curve;
	double latency = 0, end = 0;
	uint32_t n = 0;
	int err;

	memset(outer, 0, sizeof(*outer));
	mp_cpu_sparse_sweep(view, &sweep);
	err = mp_sweep_gather(&sweep, view, &curve);
	if (err)
		return err;
	err = mp_cpu_levels(&curve, level, &n, NULL);
	outer->nothing_beyond = n == MP_CPU_LEVELS ||
				mp_cpu_flat_at_end(&curve);
	if (curve.n)
		end = curve.at[curve.n - 1].mid_cycles;
	mp_curve_free(&curve);
	if (err && err != -ENODATA)
		return err;
	for (uint32_t k = 0; k < MP_CPU_LEVELS; k++) {
		double size, most;

		take_size(mp_cpu_found(view, k, "size"), &size, &most);
		outer->known |= size > 0;
		if (!size && k < n) {
			size = level[k].size_bytes;
			most = level[k].high_bytes;
		}
		if (size > 0)
			outer->level = k;
		if (k < n)
			latency = level[k].latency;
		outer->size = fmax(outer->size, size);
		outer->most = fmax(outer->most, most);
	}
	set_bound(view, latency, end, outer);
	thin_out(view, outer);
	return 0;
}

static uint64_t length_of(const struct mp_view *view,
			  const struct outermost *outer)
{
	double length = exp2(ceil(log2(fmax(outer->size, 1) * BEYOND)));
	double least = exp2(ceil(log2(fmax(outer->most, 1) * BEYOND_LEAST)));

	if (outer->thin > 1)
		least *= outer->thin;
	length = fmax(fmax(fmin(length, LENGTH_MAX), LENGTH_MIN), least);
	return (uint64_t)fmin(length, (double)view->arena_max_bytes);
}

/* May two slots share a line of the outermost level, or of one further out that may
 * be there? */
static bool may_share(const struct mp_view *view, const struct outermost *outer,
		      uint64_t stride)
{
	uint32_t k = outer->level;

	do {
		if (mp_cpu_shares_lines(view, stride, k))
			return true;
	} while (++k < MP_CPU_LEVELS && !mp_cpu_is_absent(view, k));
	return false;
}

/* Is it memory that is read? Only if nothing lies further out, if the
 * outermost level holds next to nothing of so long a ring, and if no hop finds
 * its line there because the slot beside it has fetched it. */
static bool is_memory(const struct mp_view *view,
		      const struct outermost *outer, uint64_t stride)
{
	return outer->known && outer->nothing_beyond &&
	       !may_share(view, outer, stride) &&
	       outer->size * BEYOND_LEAST <= (double)length_of(view, outer);
}

static void sweeps(const struct mp_view *view, const struct outermost *outer,
		   struct mp_sweep *net, struct mp_sweep *random)
{
	uint64_t flush;

	mp_cpu_memory_sweep(view, net);
	if (outer->thin > 0) {
		mp_cpu_sparse_sweep(view, net);
		mp_sweep_init(net, view, net->stride, net->reach);
	}
	flush = (uint64_t)(outer->most * FLUSH / (double)net->stride);
	net->turns = 0;
	net->warm_max = flush < FLUSH_MIN ? FLUSH_MIN :
			flush > FLUSH_MAX ? FLUSH_MAX : flush;
	net->warm_long = net->warm_max;
	*random = *net;
	random->reach = 0;
	if (!view->pages_forced)
		random->pages = MP_PAGES_4K;
	/* Some of its slots are fetched ahead, as they lie in a row by chance. */
	if (outer->times_hops) {
		net->single = true;
		net->hops = SINGLE_HOPS;
	}
}

/* What a hop of the replicates of a length takes, ns. */
struct seen {
	uint32_t n;
	/* On average; where hops are timed, of those that are of memory. */
	double mean[REPLICATES_MAX];
	/* .. and of these the ones of one cost, if most are, or of the lower of two:
	 * without walks. */
	double one[REPLICATES_MAX];
	bool has_one;
	uint32_t two;		/* replicates with two */
	double walk;		/* .. and what parts them, the most */
	double step;
	bool small;		/* they lie in small pages */
};

/* What hops between two bounds take on average, if nearly all of them lie within @off
 * of that; else NaN. @n: gets how many they are. */
static double narrow(const struct mp_hops *hops, double from, double to,
		     double off, double *n)
{
	const double mean = mp_hops_mean(hops, from, to, n);
	double near;

	mp_hops_mean(hops, fmax(mean - off, from), fmin(mean + off, to), &near);
	return near >= TWO_NEAR * *n ? mean : NAN;
}

/* The lower one of two costs that hops beyond @bound have, many of them either: NaN
 * where they do not. A TLB that throws out any entry has lost some of a few pages,
 * too, and a page pays for a walk more than once. */
static double lower_of_two(const struct mp_hops *hops, double bound,
			   double *parts)
{
	const double mean = mp_hops_mean(hops, bound, INFINITY, NULL);
	double low, high, n_low, n_high;

	*parts = mp_hops_mean(hops, mean, INFINITY, NULL) -
		 mp_hops_mean(hops, bound, mean, NULL);
	low = narrow(hops, bound, mean, TWO_OFF * *parts, &n_low);
	high = narrow(hops, mean, INFINITY, TWO_OFF * *parts, &n_high);
	return *parts > 0 && !isnan(high) &&
	       fmin(n_low, n_high) >= TWO_LEAST * (n_low + n_high) ? low : NAN;
}

/* Of a replicate that has no one cost: the lower of two, if it has these. */
static void take_two(const struct mp_hops *hops, double bound, double ns,
		     struct seen *seen)
{
	double parts;
	const double low = lower_of_two(hops, bound, &parts);

	seen->one[seen->n] = low * ns;
	if (isnan(low))
		return;
	seen->two++;
	seen->walk = fmax(seen->walk, parts * ns);
}

static int see_hops(const struct mp_batch *batch, double bound,
		    struct seen *seen)
{
	const double ns = 1e9 / mp_clock_core_hz(batch);
	struct mp_hops hops;
	double mean;
	int err = mp_hops_gather(batch, &hops);

	if (!err) {
		mean = mp_hops_mean(&hops, bound, INFINITY, NULL) * ns;
		if (!isnan(mean))
			seen->mean[seen->n] = mean;
		seen->one[seen->n] = mp_hops_one(&hops, bound, INFINITY, NULL) * ns;
		if (isnan(seen->one[seen->n]))
			take_two(&hops, bound, ns, seen);
		seen->has_one &= !isnan(seen->one[seen->n]);
		seen->n++;
	}
	mp_hops_free(&hops);
	return err;
}

static int see(const struct mp_curve_at *at, const struct outermost *outer,
	       struct seen *seen)
{
	const struct mp_batch *first = at->batch[0];
	int err = 0;

	seen->n = seen->two = 0;
	seen->walk = 0;
	seen->has_one = true;
	seen->step = mp_clock_ns(first, (double)first->grant.tick_step);
	seen->small = first->grant.n_arenas &&
		      first->grant.arena[0].pages == MP_PAGES_4K;
	for (uint32_t i = 0; i < at->n && i < REPLICATES_MAX && !err; i++) {
		seen->mean[i] = at->ns[i];
		err = see_hops(at->batch[i], outer->bound, seen);
	}
	return err;
}

/* Are single hops told apart from those that pay for a walk, which random
 * order does at each? */
static bool walks_apart(const struct seen *seen, double random)
{
	return seen->n && seen->has_one &&
	       random - mp_stat_median_of(seen->one, seen->n) >
	       fmax(STEPS_APART * seen->step, WALK_WHOLE * seen->walk);
}

/* The rings of a sweep; none of them where there are none yet. */
static int see_sweep(const struct mp_view *view, const struct outermost *outer,
		     const struct mp_sweep *sweep, struct seen *seen)
{
	const struct mp_curve_at *at;
	struct mp_curve curve;
	int err = mp_sweep_gather(sweep, view, &curve);

	memset(seen, 0, sizeof(*seen));
	if (err)
		return err;
	at = mp_curve_find(&curve, length_of(view, outer));
	if (at)
		err = see(at, outer, seen);
	mp_curve_free(&curve);
	return err;
}

/* What a hop of them takes, walks and all, NaN where there are none yet. */
static int middle_of(const struct mp_view *view, const struct outermost *outer,
		     const struct mp_sweep *sweep, double *ns)
{
	struct seen seen;
	int err = see_sweep(view, outer, sweep, &seen);

	*ns = seen.n ? mp_stat_median_of(seen.mean, seen.n) : NAN;
	return err;
}

static void set_limits(struct mp_fact *fact, const struct mp_interval *limits)
{
	fact->value = limits->value;
	fact->low = limits->low * (1 - MP_CPU_CLOCK_ERROR);
	fact->high = limits->high * (1 + MP_CPU_CLOCK_ERROR);
}

/* Single hops of memory are a peak of their own, if rings were long enough to
 * miss the outermost level that is known of. Of those most miss it: what takes
 * longest, and is less than half of any ring, may pay for a walk as well. */
static int infer_peak(const struct mp_view *view,
		      const struct outermost *outer, struct mp_fact *latency)
{
	struct mp_cpu_edges edges;
	struct mp_interval limits;
	int err = mp_cpu_edges_find(view, &edges);

	if (err)
		return err == -ENODATA ? 0 : err;
	if (edges.single && edges.flat && outer->most < edges.end_bytes &&
	    edges.spectrum.share[edges.spectrum.n - 1] >= PEAK_LEAST &&
	    mp_cpu_peak_limits(&edges, edges.spectrum.n - 1, true,
			       &limits)) {
		latency->verdict = MP_MEASURED;
		latency->value = limits.value;
		latency->low = limits.low;
		latency->high = limits.high;
		latency->reason[0] = '\0';
		mp_fact_note(latency, edges.spectrum.id[edges.spectrum.n - 1]);
		snprintf(latency->method, sizeof(latency->method),
			 "single hops over up to %.0f MiB, the slowest peak; translations apart",
			 edges.end_bytes / MP_MIB);
	}
	mp_cpu_edges_free(&edges);
	return 0;
}

/* What a walk adds to each load of a windowed ring, if it pays one a page,
 * where random order does at each. */
static double walk_of(const struct mp_sweep *net, double ns, double random)
{
	const double loads = PAGE / (double)net->stride;

	return random > ns && loads > 1 ? (random - ns) / (loads - 1) : 0;
}

static void in_small_pages(const struct mp_sweep *net, struct mp_sweep *part)
{
	*part = *net;
	part->pages = MP_PAGES_4K;
}

/* Is it to be asked whether pages that are not small ones pay for walks? */
static int asks_for_walks(const struct mp_view *view,
			  const struct outermost *outer,
			  const struct mp_sweep *net,
			  const struct mp_sweep *random, bool *asks)
{
	struct mp_fact peak = { .verdict = MP_NOT_MEASURABLE };
	double ns, each = NAN;
	struct seen seen;
	int err = see_sweep(view, outer, net, &seen);

	*asks = false;
	if (!err)
		err = middle_of(view, outer, random, &each);
	if (err || view->pages_forced || seen.small || !seen.n || isnan(each) ||
	    walks_apart(&seen, each))
		return err;
	ns = mp_stat_median_of(seen.mean, seen.n);
	if (walk_of(net, ns, each) / 2 <= WALK_ASKED * ns)
		return 0;
	err = infer_peak(view, outer, &peak);
	*asks = peak.verdict != MP_MEASURED;
	return err;
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	uint32_t n = mp_cpu_replicates(view);
	struct mp_sweep net, random, part;
	struct outermost outer;
	bool asks = false;
	int err = find_outermost(view, &outer);

	if (err)
		return err;
	sweeps(view, &outer, &net, &random);
	err = mp_sweep_plan(&net, view, length_of(view, &outer), n, plan);
	if (!err)
		err = mp_sweep_plan(&random, view, length_of(view, &outer), n,
				    plan);
	if (!err)
		err = asks_for_walks(view, &outer, &net, &random, &asks);
	in_small_pages(&net, &part);
	if (!err && asks)
		err = mp_sweep_plan(&part, view, length_of(view, &outer), n,
				    plan);
	return err ? err : 1;
}

static int infer_one(const struct mp_view *view, const struct outermost *outer,
		     const struct mp_sweep *sweep, const char *what, const char *method,
		     struct mp_facts *facts)
{
	struct mp_fact *fact = mp_cpu_fact(facts, view, "dram", what, "ns");
	struct mp_interval limits;
	struct mp_exp exp;
	struct seen seen;
	int err;

	if (!fact)
		return -ENOMEM;
	err = see_sweep(view, outer, sweep, &seen);
	if (err)
		return err;
	if (!seen.n) {
		mp_fact_cannot(fact, "ns",
			       "too few undisturbed measurements of %.0f MiB",
			       (double)length_of(view, outer) / MP_MIB);
		return 0;
	}
	mp_stat_limits(seen.mean, seen.n, view->seed, &limits);
	fact->verdict = MP_MEASURED;
	if (!is_memory(view, outer, sweep->stride)) {
		fact->verdict = MP_AT_LEAST;
		snprintf(fact->reason, sizeof(fact->reason),
			 "a cache may still have served part of it: no footprint tried was shown to be far beyond the last level with no two slots a line");
	}
	if (sweep->reach && outer->coarse && mp_cpu_may_prefetch(view) &&
	    fact->verdict == MP_MEASURED) {
		fact->verdict = MP_AT_LEAST;
		snprintf(fact->reason, sizeof(fact->reason),
			 "prefetchers that stay on may have brought some of what the ring came to next, and the clock is too coarse to tell which");
	}
	set_limits(fact, &limits);
	mp_sweep_exp(sweep, length_of(view, outer), &exp);
	mp_fact_note(fact, mp_exp_id(&exp));
	snprintf(fact->method, sizeof(fact->method), "chase over %.0f MiB, %s",
		 (double)length_of(view, outer) / MP_MIB, method);
	if (!(fact->low > 0))
		mp_fact_cannot(fact, "ns",
			       "too noisy: what was measured took no longer than reading the clock");
	return 0;
}

/* Which part of a walk does a ring pay that one in small pages pays? 0 or 1,
 * NaN: it is not known. */
static double part_paid(double ns, double in_small, double walk)
{
	if (fabs(ns - in_small) < WALK_ALIKE * walk)
		return 1;
	if (fabs(ns - (in_small - walk)) < WALK_ALIKE * walk)
		return 0;
	return NAN;
}

/* Hops without a walk were told apart. What costs less than the clock shows,
 * as the second TLB does, a page may pay all the same. */
static void without_walks(const struct mp_view *view,
			  const struct outermost *outer,
			  const struct mp_sweep *net, struct seen *seen,
			  struct mp_fact *latency)
{
	const double loads = PAGE / (double)net->stride;
	struct mp_interval limits;

	mp_stat_limits(seen->one, seen->n, view->seed, &limits);
	set_limits(latency, &limits);
	latency->low -= seen->step / fmax(loads, 1);
	snprintf(latency->method, sizeof(latency->method),
		 "single hops over %.0f MiB, a few pages at a time; hits and walks apart",
		 (double)length_of(view, outer) / MP_MIB);
}

/*
 * The windowed ring pays a walk too, once for all the loads of a page: with n
 * of them what random order costs more is 1 - 1/n of a walk, and 1/n of one is
 * no part of memory. Huge pages, if the TLB takes them as such, need none.
 * Whether it does is told by the same ring in small pages, whose walks random
 * order tells. Where that was not asked for, half of one is taken off, and
 * limits hold both; that is no value where it is much.
 */
static void part_from_walks(const struct mp_sweep *net, double ns,
			    double in_small, bool small, double random,
			    struct mp_fact *latency)
{
	double walk = walk_of(net, ns, random);
	double share = small ? 1 : NAN;

	if (!small && walk / 2 > WALK_ASKED * ns && in_small < random) {
		walk = walk_of(net, in_small, random);
		share = part_paid(ns, in_small, walk);
	}
	if (isnan(share) && walk / 2 > WALK_SHARE * ns &&
	    latency->verdict == MP_MEASURED) {
		latency->verdict = MP_DISPUTED;
		snprintf(latency->reason, sizeof(latency->reason),
			 "with walks or without: whether huge pages pay for them is not known");
	}
	latency->value -= walk * (isnan(share) ? 0.5 : share);
	latency->low -= share == 0 ? 0 : walk;
	/* Not every load in random order pays one. */
	latency->high -= share == 1 ? walk / 2 : 0;
}

static int net_of_walks(const struct mp_view *view,
			const struct outermost *outer,
			const struct mp_sweep *net, struct mp_facts *facts)
{
	struct mp_fact *latency = &facts->fact[facts->n - 2];
	const struct mp_fact *random = latency + 1;
	struct mp_sweep part;
	struct seen seen;
	double in_small;
	int err = see_sweep(view, outer, net, &seen);

	in_small_pages(net, &part);
	if (!err)
		err = middle_of(view, outer, &part, &in_small);
	if (err || !mp_verdict_known(latency->verdict) ||
	    !mp_verdict_known(random->verdict))
		return err;
	if (walks_apart(&seen, random->value))
		without_walks(view, outer, net, &seen, latency);
	else
		part_from_walks(net, latency->value, in_small, seen.small,
				random->value, latency);
	return 0;
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	struct mp_sweep net, random;
	struct outermost outer;
	struct seen seen;
	int err = find_outermost(view, &outer);

	if (err)
		return err;
	sweeps(view, &outer, &net, &random);
	err = infer_one(view, &outer, &net, "latency",
			"a few pages at a time, so that a page walk is paid once for many loads",
			facts);
	if (err)
		return err;
	err = infer_one(view, &outer, &random, "latency-random",
			random.pages == MP_PAGES_4K ?
			"in random order over 4 KiB pages, a page walk with nearly every load" :
			"in random order over the pages asked for", facts);
	if (!err)
		err = net_of_walks(view, &outer, &net, facts);
	/* A bound is no more than the least that may be true. */
	for (uint32_t i = facts->n - 2; i < facts->n; i++)
		if (facts->fact[i].verdict == MP_AT_LEAST)
			facts->fact[i].value = facts->fact[i].low;
	if (!err)
		err = see_sweep(view, &outer, &net, &seen);
	if (err)
		return err;
	return infer_peak(view, &outer, &facts->fact[facts->n - 2]);
}

const struct mp_probe mp_probe_dram = {
	.name = "dram",
	.asks = "what does a load from memory cost, without and with page walks?",
	.after = "cache-size",
	.facts = "cpu.dram.latency,cpu.dram.latency-random",
	.needs = MP_CAP_CHASE,
	.weight = 4,
	.quick = true,
	.next = next,
	.infer = infer,
};
