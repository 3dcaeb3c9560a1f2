// SPDX-License-Identifier: GPL-2.0
/*
 * Three short rings A, B and C, slot beside slot, so that what translates the one
 * translates the others; and long ones, which leave nothing of them in any cache that
 * matters, whoever built them.
 *
 * First experiment. Both CPUs walk a long ring. Then this one walks B; then W, which
 * puts B out of the levels inside and fits the level asked about; then A. Then the
 * other CPU walks B, which has left this one's levels inside; A, which is in them; and
 * C, which nobody has. Where A takes what the level does, that had it beside the levels
 * inside. Where A takes about what C does, and B what the level does, it came there
 * when it left those. Anything between may be what this CPU's own levels hand over.
 *
 * Second experiment, where the first says that the level is not exclusive. This CPU
 * walks D, which is longer than the level, then A and B. The other one walks D, too.
 * Then this one walks A, which it has still, or which the level took along, and C; and
 * the other one B, which is to be gone from the level.
 */
#include "probe/cpu_other.h"

#include <math.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/stat.h"
#include "backend.h"
#include "limits.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_hot.h"

#define REPLICATES 5u
#define REPLICATES_DEEP 7u
#define REPLICATES_MAX 16u
#define REPLICATES_MIN 3u
/* Other CPUs: neighbours by number, twice as far each time. */
#define TRIES 4u
/* A short ring, as a share of what the level inside holds; in slots; and so few that
 * the first TLB may know its pages. */
#define SHORT_PART 0.125
#define SHORT_MOST 0.4
#define SLOTS_GOOD 64u
#define SLOTS_LEAST 32u
#define SLOTS_MOST 256u
/* .. that are timed so many at once, no more than once each; by so many bursts. */
#define GROUP 8u
#define BURSTS 4u
#define FAST 0.25
/* W, in sizes of the level inside; of the level asked about it takes no more. */
#define OUT_GOOD 1.75
#define OUT_LEAST 1.3
#define OUT_MOST 0.6
/* What is walked before, and D; that by two turns, as lines may stay for one, and no
 * longer than what the next level holds of it besides. */
#define LONG 1.4
#define DRIVE 1.5
#define DRIVE_TURNS 2u
#define DRIVE_FITS 0.7
#define LINE_LONGEST 256u
#define PAGE 4096u
#define RINGS 3u
/* Hops of a burst that is not timed: few enough for a window. */
#define BURST_HOPS 16384u
/* Edges move a little as more is known; experiments stay: lengths to the octave. */
#define GRAIN 8
/* Hops take what the level does: no more than this, as the other CPU may not have all
 * translations; and not so much less of what parts it from the level inside. */
#define AS_LEVEL 1.12
#define AS_LEVEL_CYCLES 2.0
#define FURTHER_IN 0.3
/* What nobody has walked takes so much more than the level. */
#define FAR_LEAST 1.3
/* Of the way from there to the level: so much is most of it, where few are lost for
 * their crowded sets, or nothing but what left the levels inside by itself. */
#define MOST 0.6
#define NONE 0.4
#define APART 0.35
/* .. and lines that this CPU has yet, or that were taken along. */
#define STAYED 0.8
#define TAKEN 0.35

/* Of the first experiment. */
enum first {
	LOAD_A, LOAD_B, PUT_OUT, READ_B, READ_A, READ_C, BEFORE, BEFORE_OTHER, FIRST
};
/* Of the second one. */
enum second { HAVE_A, HAVE_B, GONE_B, DRIVEN_A, NEVER_C, CLEARED_BY, DRIVE_BY, SECOND };
/* What is looked at, of either. */
enum look { LOOK_B, LOOK_A, LOOK_C, LOOKS };

/* Bytes. */
struct shape {
	uint64_t stride;
	uint64_t slots;		/* of A, B and C */
	uint64_t out;		/* W; 0: there is no room for it */
	uint64_t before;
	uint64_t drive;
	bool fits;		/* D fits what lies further out */
};

/* Over replicates, cycles a hop: the mean, and what the faster groups take, which
 * have none of the few that are not where the others are. */
struct seen {
	uint32_t n;
	struct mp_interval hop[LOOKS];
	double fast;	/* of A */
};

static uint64_t to_pages(uint64_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

static double coarse(double bytes)
{
	return exp2(round(log2(bytes) * GRAIN) / GRAIN);
}

static uint64_t slots_of(double bytes, uint64_t stride)
{
	return (uint64_t)(bytes / (double)stride) * stride;
}

/* .. of whole groups, and whole bursts where there are as many. */
static uint64_t groups_of(uint64_t slots)
{
	return slots - slots % (slots < BURSTS * GROUP ? GROUP : BURSTS * GROUP);
}

/* Slots that share no line, or if the level inside has no room for enough of them, none
 * of the usual length; where every line is wanted, those that sizes come from. */
static uint64_t stride_of(const struct mp_view *view,
			  const struct mp_cpu_edges *edges, uint32_t k)
{
	struct mp_sweep inner, outer;

	if (!edges->full) {
		mp_cpu_main_sweep(view, &inner);
		return SLOTS_LEAST * LINE_LONGEST <=
		       SHORT_MOST * coarse(edges->edge[k - 1].low) ?
		       LINE_LONGEST : inner.stride;
	}
	mp_cpu_level_sweep(view, edges, k - 1, 0, &inner);
	mp_cpu_level_sweep(view, edges, k, 0, &outer);
	return inner.stride > outer.stride ? inner.stride : outer.stride;
}

/* What holds all that level @k may, and more, if what lies further out has room. */
static double drive_of(const struct mp_cpu_edges *edges, uint32_t k, bool *fits)
{
	const double drive = DRIVE * coarse(edges->edge[k].high) +
			     coarse(edges->edge[k - 1].high);

	*fits = k + 1 >= edges->n || (edges->fitted[k + 1] &&
		drive < DRIVE_FITS * edges->edge[k + 1].low);
	return drive;
}

static bool lay(const struct mp_view *view, const struct mp_cpu_edges *edges,
		uint32_t k, struct shape *shape)
{
	const uint64_t stride = stride_of(view, edges, k);
	const double inner = coarse(edges->edge[k - 1].low);
	const double outer = coarse(edges->edge[k].low);
	const double most = coarse(edges->edge[k - 1].high);
	/* Of an exclusive level this is all that is there for W. */
	const double room = fmin(OUT_MOST * outer, edges->edge[k].low -
						   edges->edge[k - 1].high);
	const double slots = fmin(fmax(SHORT_PART * inner / (double)stride, SLOTS_GOOD),
				  fmin(SHORT_MOST * inner / (double)stride, SLOTS_MOST));

	memset(shape, 0, sizeof(*shape));
	shape->stride = stride;
	shape->slots = groups_of((uint64_t)slots);
	shape->out = slots_of(fmin(OUT_GOOD * most, coarse(room)), stride);
	if ((double)shape->out < OUT_LEAST * most)
		shape->out = 0;
	shape->before = slots_of(LONG * coarse(edges->edge[k].high), stride);
	shape->drive = slots_of(drive_of(edges, k, &shape->fits), stride);
	return shape->slots >= SLOTS_LEAST &&
	       (double)(to_pages(RINGS * shape->slots * stride) + to_pages(shape->out) +
			shape->drive + shape->before) < (double)view->arena_max_bytes;
}

/* Is there anything to ask? */
static bool can(const struct mp_view *view, const struct mp_cpu_edges *edges, uint32_t k)
{
	return view->caps & MP_CAP_ACTORS && view->caps & MP_CAP_PHASES && k > 0 &&
	       k < edges->n && k < edges->doubt.level && k < edges->muddled &&
	       k < edges->contradicted && edges->fitted[k] && edges->fitted[k - 1] &&
	       !mp_cpu_may_hide(edges, k) && !mp_cpu_may_hide(edges, k - 1);
}

/* Other CPUs by how far their numbers lie away. Return: how many. */
static uint32_t others(const struct mp_view *view, uint32_t cpu[TRIES])
{
	uint32_t n = 0;

	for (uint32_t far = 1; far < MP_CPUS_MAX && n < TRIES; far *= 2) {
		if (mp_cpus_has(&view->cpus, view->cpu + far))
			cpu[n++] = view->cpu + far;
		else if (view->cpu >= far && mp_cpus_has(&view->cpus, view->cpu - far))
			cpu[n++] = view->cpu - far;
	}
	return n;
}

/* One turn of a ring. */
static void walker(uint32_t cpu, uint64_t offset, uint64_t length, uint64_t stride,
		   uint32_t phase, struct mp_actor *actor)
{
	const uint64_t slots = length / stride;

	actor->place = cpu;
	actor->phase = phase;
	actor->offset = offset;
	actor->length = length;
	actor->stride = stride;
	actor->reach = stride < PAGE ? PAGE / stride * stride : 0;
	actor->warm_hops = 0;
	actor->bursts = (uint32_t)((slots + BURST_HOPS - 1) / BURST_HOPS);
	actor->hops = (slots + actor->bursts - 1) / actor->bursts;
}

/* The same of A, B or C, from which @ring slots lie before it .. */
static void loader(const struct shape *shape, uint32_t cpu, uint32_t ring,
		   uint32_t phase, struct mp_actor *actor)
{
	const uint64_t stride = RINGS * shape->stride;

	walker(cpu, ring * shape->stride, shape->slots * stride, stride, phase, actor);
}

/* .. and timed. */
static void reader(const struct shape *shape, uint32_t cpu, uint32_t ring,
		   uint32_t phase, struct mp_actor *actor)
{
	loader(shape, cpu, ring, phase, actor);
	actor->bursts = shape->slots < BURSTS * GROUP ? 1 : BURSTS;
	actor->hops = shape->slots / actor->bursts;
	actor->detail = MP_DETAIL_HIST;
	actor->group = GROUP;
}

static void begin(const struct mp_view *view, const struct mp_cpu_edges *edges,
		  uint32_t k, uint64_t bytes, uint32_t n, struct mp_exp *exp)
{
	struct mp_sweep sweep;

	mp_cpu_level_sweep(view, edges, k, 0, &sweep);
	mp_exp_chase(exp, sweep.cpu, sweep.pages, bytes, LINE_LONGEST, 0);
	exp->arena[0].node = sweep.node;
	exp->quiet = sweep.quiet;
	exp->window_ns = MP_WINDOW_MAX_NS;
	exp->n_actors = n;
	for (uint32_t i = 1; i < n; i++)
		exp->actor[i] = exp->actor[0];
}

static uint64_t short_ones(const struct shape *shape)
{
	/* The last slots of B and C lie beyond A's span. */
	return to_pages((RINGS * shape->slots + RINGS) * shape->stride);
}

static void make_first(const struct mp_view *view, const struct mp_cpu_edges *edges,
		       uint32_t k, const struct shape *shape, uint32_t cpu,
		       struct mp_exp *exp)
{
	const uint64_t stride = shape->stride, from = short_ones(shape);
	const uint64_t out = shape->out ? shape->out : SLOTS_LEAST * stride;
	const uint64_t before = from + to_pages(out);
	struct mp_actor *actor = exp->actor;

	begin(view, edges, k, before + shape->before, FIRST, exp);
	walker(cpu, before, shape->before, stride, 0, &actor[BEFORE_OTHER]);
	walker(view->cpu, before, shape->before, stride, 1, &actor[BEFORE]);
	loader(shape, view->cpu, 1, 2, &actor[LOAD_B]);
	walker(view->cpu, from, out, stride, 3, &actor[PUT_OUT]);
	loader(shape, view->cpu, 0, 4, &actor[LOAD_A]);
	/* B first: translations that it pays for do not matter to it. */
	reader(shape, cpu, 1, 5, &actor[READ_B]);
	reader(shape, cpu, 0, 6, &actor[READ_A]);
	reader(shape, cpu, 2, 7, &actor[READ_C]);
}

static void make_second(const struct mp_view *view, const struct mp_cpu_edges *edges,
			uint32_t k, const struct shape *shape, uint32_t cpu,
			struct mp_exp *exp)
{
	const uint64_t stride = shape->stride, from = short_ones(shape);
	struct mp_actor *actor = exp->actor;

	begin(view, edges, k, from + shape->drive, SECOND, exp);
	walker(view->cpu, from, shape->drive, stride, 0, &actor[CLEARED_BY]);
	loader(shape, view->cpu, 1, 1, &actor[HAVE_B]);
	loader(shape, view->cpu, 0, 2, &actor[HAVE_A]);
	walker(cpu, from, shape->drive, stride, 3, &actor[DRIVE_BY]);
	actor[DRIVE_BY].warm_hops = (DRIVE_TURNS - 1) * (shape->drive / stride);
	reader(shape, view->cpu, 0, 4, &actor[DRIVEN_A]);
	reader(shape, view->cpu, 2, 5, &actor[NEVER_C]);
	reader(shape, cpu, 1, 6, &actor[GONE_B]);
}

/* -- what came back ----------------------------------------------------------- */

/* Groups of an actor, cycles a hop: the lower quartile. NaN: none. */
static double fast_of(const struct mp_batch *batch, uint32_t actor)
{
	double hop[SLOTS_MOST / GROUP];
	uint32_t n = 0;

	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];
		const uint64_t *word = batch->payload + sample->payload_offset;

		if (sample->actor != actor || !mp_sample_calm(sample) ||
		    sample->payload_kind != MEMPROBE_PAYLOAD_HIST)
			continue;
		for (uint32_t w = 0; w + 1 < sample->payload_count; w += 2)
			for (uint64_t of = 0; of < word[w + 1] &&
			     n < SLOTS_MOST / GROUP; of++)
				hop[n++] = mp_clock_cycles(batch, ((double)word[w] -
						batch->grant.read_ticks) / GROUP);
	}
	mp_stat_sort(hop, n);
	return n ? mp_stat_quantile(hop, n, FAST) : NAN;
}

/* What is looked at, from @actor on. */
static void look(const struct mp_view *view, const struct mp_exp *exp, uint32_t actor,
		 uint64_t *id, struct seen *seen)
{
	double hop[LOOKS][REPLICATES_MAX], fast[REPLICATES_MAX];
	const struct mp_batch *batch;
	uint32_t at = 0;

	memset(seen, 0, sizeof(*seen));
	*id = mp_exp_id(exp);
	while ((batch = mp_view_next(view, *id, &at))) {
		bool all = mp_batch_counts(batch) && seen->n < REPLICATES_MAX;

		for (uint32_t i = 0; i < LOOKS && all; i++) {
			hop[i][seen->n] = mp_clock_cycles(batch,
					mp_clock_hop_ticks(batch, actor + i));
			all = !isnan(hop[i][seen->n]);
		}
		if (!all)
			continue;
		fast[seen->n] = fast_of(batch, actor + LOOK_A);
		seen->n += !isnan(fast[seen->n]);
	}
	if (seen->n < REPLICATES_MIN)
		return;
	for (uint32_t i = 0; i < LOOKS; i++)
		mp_stat_limits(hop[i], seen->n, view->seed, &seen->hop[i]);
	seen->fast = mp_stat_median_of(fast, seen->n);
}

/* What of the way from @far to @near a hop's least and most leave out. */
static double least_of(double near, double far, const struct mp_interval *hop)
{
	return (far - hop->high) / (far - near);
}

static double most_of(double near, double far, const struct mp_interval *hop)
{
	return (far - hop->low) / (far - near);
}

static uint32_t judge_first(const struct mp_cpu_edges *edges, uint32_t k,
			    const struct shape *shape, const struct seen *seen)
{
	const struct mp_interval *a = &seen->hop[LOOK_A], *b = &seen->hop[LOOK_B];
	const double own = edges->edge[k].inside, far = seen->hop[LOOK_C].low;
	const double least = own - FURTHER_IN * (own - edges->edge[k - 1].inside);
	const double most = own * AS_LEVEL + AS_LEVEL_CYCLES;
	const double left = (far - b->value) / (far - own);

	if (seen->n < REPLICATES_MIN || !(far > fmax(FAR_LEAST * own, most)))
		return MP_CPU_HOLDS_UNKNOWN;
	if (a->low >= least && seen->fast >= least && seen->fast <= most &&
	    least_of(own, far, a) >= MOST)
		return MP_CPU_HOLDS_NO_OTHERS;
	if (shape->out && b->low >= least && left >= MOST &&
	    left - most_of(own, far, a) >= APART && most_of(own, far, a) <= NONE)
		return MP_CPU_HOLDS_OTHERS;
	return MP_CPU_HOLDS_UNKNOWN;
}

static uint32_t judge_second(const struct mp_cpu_edges *edges, uint32_t k,
			     const struct shape *shape, const struct seen *seen)
{
	const struct mp_interval *a = &seen->hop[LOOK_A], *b = &seen->hop[LOOK_B];
	const double own = edges->edge[k].inside, in = edges->edge[k - 1].inside;
	const double far = seen->hop[LOOK_C].low;

	if (seen->n < REPLICATES_MIN || !(far > FAR_LEAST * own) ||
	    most_of(own, far, b) > NONE)
		return MP_CPU_HOLDS_NO_OTHERS;
	if (least_of(in, far, a) >= STAYED)
		return MP_CPU_HOLDS_SOME;
	return shape->fits && most_of(in, far, a) <= TAKEN ? MP_CPU_HOLDS_ALL :
							     MP_CPU_HOLDS_NO_OTHERS;
}

/* What one other CPU tells. */
static void ask(const struct mp_view *view, const struct mp_cpu_edges *edges, uint32_t k,
		const struct shape *shape, uint32_t cpu, struct mp_cpu_other *other)
{
	struct mp_exp exp;
	struct seen seen;

	*other = (struct mp_cpu_other){ .cpu = cpu, .driven = NAN };
	make_first(view, edges, k, shape, cpu, &exp);
	look(view, &exp, READ_B, &other->id[0], &seen);
	other->loaded = seen.hop[LOOK_A].value;
	other->left = seen.hop[LOOK_B].value;
	other->fresh = seen.hop[LOOK_C].value;
	other->holds = judge_first(edges, k, shape, &seen);
	if (other->holds != MP_CPU_HOLDS_NO_OTHERS)
		return;
	make_second(view, edges, k, shape, cpu, &exp);
	look(view, &exp, GONE_B, &other->id[1], &seen);
	if (seen.n >= REPLICATES_MIN)
		other->driven = seen.hop[LOOK_A].value;
	else
		other->id[1] = 0;
	other->holds = judge_second(edges, k, shape, &seen);
}

void mp_cpu_other_judge(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			struct mp_cpu_other *other)
{
	struct shape shape;
	uint32_t cpu[TRIES], n;

	memset(other, 0, sizeof(*other));
	if (!can(view, edges, k) || !lay(view, edges, k, &shape))
		return;
	n = others(view, cpu);
	for (uint32_t i = 0; i < n && !other->holds; i++)
		ask(view, edges, k, &shape, cpu[i], other);
}

int mp_cpu_other_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan)
{
	const uint32_t replicates = view->depth == MP_DEPTH_DEEP ? REPLICATES_DEEP :
								   REPLICATES;
	struct mp_cpu_other other = { 0 };
	struct shape shape;
	struct mp_exp exp;
	uint32_t cpu[TRIES], n;
	int err = 0;

	if (!can(view, edges, k) || !lay(view, edges, k, &shape))
		return 0;
	n = others(view, cpu);
	for (uint32_t i = 0; i < n && !err && !other.holds; i++) {
		make_first(view, edges, k, &shape, cpu[i], &exp);
		err = mp_plan_add(plan, &exp, replicates);
		plan->stage++;
		ask(view, edges, k, &shape, cpu[i], &other);
		if (err || other.holds == MP_CPU_HOLDS_UNKNOWN ||
		    other.holds == MP_CPU_HOLDS_OTHERS)
			continue;
		make_second(view, edges, k, &shape, cpu[i], &exp);
		err = mp_plan_add(plan, &exp, replicates);
		plan->stage++;
	}
	return err;
}
