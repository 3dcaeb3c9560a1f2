// SPDX-License-Identifier: GPL-2.0
/*
 * Three short rings A, B and C, slot beside slot, so that what translates the one
 * translates the others; and long ones, which leave nothing of them in any cache that
 * matters, whoever built them.
 *
 * First experiment. Both CPUs walk a long ring. Then this one walks B; then W, which
 * puts B out of the levels inside and fits the level asked about; then A. Then the
 * other CPU walks C, which nobody has, and whose translations serve the others; B,
 * which has left this one's levels inside; and A, which is in them. Where A and B take
 * the same, which is what the level does, that had A beside the levels inside. Where A
 * takes about what C does, and B what the level does, it came there when it left those.
 * Anything between may be what this CPU's own levels hand over.
 *
 * Second experiment, where the first says that the level is not exclusive. This CPU
 * walks D, which is longer than the level, then A and B. The other one walks D, too.
 * Then this one walks A, which it has still, or which the level took along, and C; and
 * the other one B, which is to be gone from the level.
 *
 * Third experiment, where A is gone: the same, and the other CPU walks as far round a
 * ring that its own levels inside hold. Where A is there then it was the level.
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
/* .. that are timed so many at once, or where steps of the clock are long, more; and
 * walked once each, by so many bursts. In what the fastest group takes no line has a
 * part that is not where the others are. */
#define GROUP_FEW 4u
#define GROUP_MORE 16u
#define STEP_LONG 2.0
#define BURSTS 2u
_Static_assert(SLOTS_LEAST % (GROUP_MORE * BURSTS) == 0, "bursts are whole groups");
/* Much memory takes long to come by. */
#define BYTES_MOST (256u << 20)
/* W, in sizes of the level inside; of the level asked about it takes no more. */
#define OUT_GOOD 1.75
#define OUT_LEAST 1.1
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
 * translations; not so much of what parts it from the next one more, or from the one
 * inside less; and A and B the same, to so much of that. */
#define AS_LEVEL 1.12
#define AS_LEVEL_CYCLES 2.0
#define FURTHER_OUT 0.3
#define FURTHER_IN 0.3
#define SAME 0.2
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
	LOAD_A, LOAD_B, PUT_OUT, READ_C, READ_B, READ_A, BEFORE, BEFORE_OTHER, FIRST
};
/* Of the second one. */
enum second { HAVE_A, HAVE_B, NEVER_C, GONE_B, DRIVEN_A, CLEARED_BY, DRIVE_BY, SECOND };
/* What is looked at, of all. */
enum look { LOOK_C, LOOK_B, LOOK_A, LOOKS };

/* Bytes. */
struct shape {
	uint64_t stride;
	uint64_t slots;		/* of A, B and C */
	uint32_t group;		/* .. so many of which are timed at once */
	uint64_t out;		/* W */
	uint64_t before;
	uint64_t drive;
	bool fits;		/* D fits what lies further out */
};

/* Over replicates, cycles a hop: the mean, and what the fastest group takes, which has
 * none of the few that are not where the others are. */
struct seen {
	uint32_t n;
	struct mp_interval hop[LOOKS];
	double fast[LOOKS];
	double step;	/* of the clock, of a hop of a group */
};

static uint64_t to_pages(uint64_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

static uint64_t slots_of(double bytes, uint64_t stride)
{
	return (uint64_t)(bytes / (double)stride) * stride;
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
		       SHORT_MOST * mp_cpu_coarse(edges->edge[k - 1].low, GRAIN) ?
		       LINE_LONGEST : inner.stride;
	}
	mp_cpu_level_sweep(view, edges, k - 1, 0, &inner);
	mp_cpu_level_sweep(view, edges, k, 0, &outer);
	return inner.stride > outer.stride ? inner.stride : outer.stride;
}

/* Is a level one, and its edge its own? */
static bool is_sure(const struct mp_cpu_edges *edges, uint32_t k)
{
	return k < edges->doubt.level && k < edges->muddled &&
	       k < edges->contradicted && !mp_cpu_may_hide(edges, k);
}

/* What holds all that level @k may, and more, if what lies further out has room. */
static double drive_of(const struct mp_cpu_edges *edges, uint32_t k, bool *fits)
{
	const double drive = DRIVE * mp_cpu_coarse(edges->edge[k].high, GRAIN) +
			     mp_cpu_coarse(edges->edge[k - 1].high, GRAIN);

	*fits = k + 1 >= edges->n ||
		(edges->fitted[k + 1] && is_sure(edges, k + 1) &&
		 drive < DRIVE_FITS * edges->edge[k + 1].low);
	return drive;
}

static uint64_t short_ones(const struct shape *shape)
{
	/* The last slots of B and C lie beyond A's span. */
	return to_pages((RINGS * shape->slots + RINGS) * shape->stride);
}

static bool lay(const struct mp_view *view, const struct mp_cpu_edges *edges,
		uint32_t k, struct shape *shape)
{
	const uint64_t stride = stride_of(view, edges, k);
	const double inner = mp_cpu_coarse(edges->edge[k - 1].low, GRAIN);
	const double outer = mp_cpu_coarse(edges->edge[k].low, GRAIN);
	const double most = mp_cpu_coarse(edges->edge[k - 1].high, GRAIN);
	/* Of an exclusive level this is all that is there for W. */
	const double room = fmin(OUT_MOST * outer, edges->edge[k].low -
						   edges->edge[k - 1].high);
	const double slots = fmin(fmax(SHORT_PART * inner / (double)stride, SLOTS_GOOD),
				  fmin(SHORT_MOST * inner / (double)stride, SLOTS_MOST));
	uint64_t most_bytes;

	memset(shape, 0, sizeof(*shape));
	shape->stride = stride;
	shape->slots = (uint64_t)slots / SLOTS_LEAST * SLOTS_LEAST;
	shape->group = mp_cpu_step(view) > STEP_LONG ? GROUP_MORE : GROUP_FEW;
	shape->out = slots_of(fmin(OUT_GOOD * most, mp_cpu_coarse(room, GRAIN)), stride);
	if ((double)shape->out < OUT_LEAST * most)
		return false;
	shape->before = slots_of(LONG * mp_cpu_coarse(edges->edge[k].high, GRAIN), stride);
	shape->drive = slots_of(drive_of(edges, k, &shape->fits), stride);
	most_bytes = short_ones(shape) + to_pages(shape->out) +
		     (shape->drive > shape->before ? shape->drive : shape->before);
	return shape->slots >= SLOTS_LEAST && most_bytes <= BYTES_MOST &&
	       most_bytes <= view->arena_max_bytes;
}

/* Is there anything to ask? */
static bool can(const struct mp_view *view, const struct mp_cpu_edges *edges, uint32_t k)
{
	return view->caps & MP_CAP_ACTORS && view->caps & MP_CAP_PHASES && k > 0 &&
	       k < edges->n && edges->fitted[k] && edges->fitted[k - 1] &&
	       is_sure(edges, k) && is_sure(edges, k - 1);
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

/* The same of A, B or C, of which @ring are before it, timed: of other walks more hops
 * are made than asked for, and no line is to be used twice. */
static void reader(const struct shape *shape, uint32_t cpu, uint32_t ring,
		   uint32_t phase, struct mp_actor *actor)
{
	const uint64_t stride = RINGS * shape->stride;

	walker(cpu, ring * shape->stride, shape->slots * stride, stride, phase, actor);
	actor->bursts = BURSTS;
	actor->hops = shape->slots / BURSTS;
	actor->detail = MP_DETAIL_HIST;
	actor->group = shape->group;
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

static void make_first(const struct mp_view *view, const struct mp_cpu_edges *edges,
		       uint32_t k, const struct shape *shape, uint32_t cpu,
		       struct mp_exp *exp)
{
	const uint64_t stride = shape->stride, from = short_ones(shape);
	const uint64_t before = from + to_pages(shape->out);
	struct mp_actor *actor = exp->actor;

	begin(view, edges, k, before + shape->before, FIRST, exp);
	walker(cpu, before, shape->before, stride, 0, &actor[BEFORE_OTHER]);
	walker(view->cpu, before, shape->before, stride, 1, &actor[BEFORE]);
	reader(shape, view->cpu, 1, 2, &actor[LOAD_B]);
	walker(view->cpu, from, shape->out, stride, 3, &actor[PUT_OUT]);
	reader(shape, view->cpu, 0, 4, &actor[LOAD_A]);
	reader(shape, cpu, 2, 5, &actor[READ_C]);
	reader(shape, cpu, 1, 6, &actor[READ_B]);
	reader(shape, cpu, 0, 7, &actor[READ_A]);
}

/* @idle: the other CPU stays in its own levels inside meanwhile. */
static void make_second(const struct mp_view *view, const struct mp_cpu_edges *edges,
			uint32_t k, const struct shape *shape, uint32_t cpu,
			bool idle, struct mp_exp *exp)
{
	const uint64_t stride = shape->stride, from = short_ones(shape);
	struct mp_actor *actor = exp->actor;

	begin(view, edges, k, from + shape->drive, SECOND, exp);
	walker(view->cpu, from, shape->drive, stride, 0, &actor[CLEARED_BY]);
	reader(shape, view->cpu, 1, 1, &actor[HAVE_B]);
	reader(shape, view->cpu, 0, 2, &actor[HAVE_A]);
	walker(cpu, from, shape->drive, stride, 3, &actor[DRIVE_BY]);
	actor[DRIVE_BY].warm_hops = (DRIVE_TURNS - 1) * (shape->drive / stride);
	if (idle)
		actor[DRIVE_BY].length = SLOTS_LEAST * stride;
	reader(shape, view->cpu, 0, 4, &actor[DRIVEN_A]);
	reader(shape, view->cpu, 2, 5, &actor[NEVER_C]);
	reader(shape, cpu, 1, 6, &actor[GONE_B]);
}

/* -- what came back ----------------------------------------------------------- */

/* Cycles a hop of the fastest group of an actor. NaN: there is none. */
static double fast_of(const struct mp_batch *batch, uint32_t actor)
{
	const uint32_t group = batch->exp.actor[actor].group;
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];
		const uint64_t *word = batch->payload + sample->payload_offset;

		if (sample->actor != actor || !mp_sample_calm(sample) ||
		    sample->payload_kind != MEMPROBE_PAYLOAD_HIST)
			continue;
		for (uint32_t w = 0; w + 1 < sample->payload_count; w += 2)
			if (word[w + 1] && word[w] < least)
				least = word[w];
	}
	return least == UINT64_MAX ? NAN :
	       mp_clock_cycles(batch, (double)least - batch->grant.read_ticks) / group;
}

/* What is looked at, from @actor on. */
static void look(const struct mp_view *view, const struct mp_exp *exp, uint32_t actor,
		 uint64_t *id, struct seen *seen)
{
	double hop[LOOKS][REPLICATES_MAX], fast[LOOKS][REPLICATES_MAX];
	const struct mp_batch *batch;
	uint32_t at = 0;

	memset(seen, 0, sizeof(*seen));
	*id = mp_exp_id(exp);
	while ((batch = mp_view_next(view, *id, &at))) {
		bool all = mp_batch_counts(batch) && seen->n < REPLICATES_MAX;

		for (uint32_t i = 0; i < LOOKS && all; i++) {
			hop[i][seen->n] = mp_clock_cycles(batch,
					mp_clock_hop_ticks(batch, actor + i));
			fast[i][seen->n] = fast_of(batch, actor + i);
			all = !isnan(hop[i][seen->n]) && !isnan(fast[i][seen->n]);
		}
		if (!all)
			continue;
		seen->step = mp_clock_cycles(batch, (double)batch->grant.tick_step) /
			     exp->actor[actor].group;
		seen->n++;
	}
	if (!seen->n)
		*id = 0;
	if (seen->n < REPLICATES_MIN)
		return;
	for (uint32_t i = 0; i < LOOKS; i++) {
		mp_stat_limits(hop[i], seen->n, view->seed, &seen->hop[i]);
		seen->fast[i] = mp_stat_median_of(fast[i], seen->n);
	}
}

static uint32_t replicates_of(const struct mp_view *view)
{
	return view->depth == MP_DEPTH_DEEP ? REPLICATES_DEEP : REPLICATES;
}

/* What of the way from @far to @near a hop's most and least leave out. */
static double least_of(double near, double far, const struct mp_interval *hop)
{
	return (far - hop->high) / (far - near);
}

static double most_of(double near, double far, const struct mp_interval *hop)
{
	return (far - hop->low) / (far - near);
}

/* Do groups of hops take what the level does? */
static bool takes(const struct mp_cpu_edges *edges, uint32_t k, double cycles)
{
	const double own = edges->edge[k].inside;
	const double out = FURTHER_OUT * (edges->edge[k].outside - own);

	return cycles >= own - FURTHER_IN * (own - edges->edge[k - 1].inside) &&
	       cycles <= own + fmin((AS_LEVEL - 1) * own + AS_LEVEL_CYCLES, out);
}

/* @none: gets whether no other CPU would tell more. */
static uint32_t judge_first(const struct mp_cpu_edges *edges, uint32_t k,
			    const struct seen *seen, bool *none)
{
	const struct mp_interval *a = &seen->hop[LOOK_A];
	const double own = edges->edge[k].inside, far = seen->hop[LOOK_C].low;
	const double same = SAME * (own - edges->edge[k - 1].inside);
	const double left = (far - seen->hop[LOOK_B].value) / (far - own);

	if (seen->n < REPLICATES_MIN)
		return MP_CPU_HOLDS_UNKNOWN;
	*none = !(far > FAR_LEAST * own) || seen->step > same;
	if (*none || !takes(edges, k, seen->fast[LOOK_B]) || left < MOST)
		return MP_CPU_HOLDS_UNKNOWN;
	if (takes(edges, k, seen->fast[LOOK_A]) && least_of(own, far, a) >= MOST &&
	    fabs(seen->fast[LOOK_A] - seen->fast[LOOK_B]) <= same)
		return MP_CPU_HOLDS_NO_OTHERS;
	/* What is between is handed over by others, too. */
	*none = seen->fast[LOOK_A] > own && !takes(edges, k, seen->fast[LOOK_A]) &&
		most_of(own, far, a) > NONE;
	return most_of(own, far, a) <= NONE && left - most_of(own, far, a) >= APART ?
	       MP_CPU_HOLDS_OTHERS : MP_CPU_HOLDS_UNKNOWN;
}

/* What of A is there yet, at least and at most, when the other CPU has walked. */
static bool stay_of(const struct mp_cpu_edges *edges, uint32_t k,
		    const struct seen *seen, double *least, double *most)
{
	const double in = edges->edge[k - 1].inside, far = seen->hop[LOOK_C].low;

	if (seen->n < REPLICATES_MIN || !(far > FAR_LEAST * edges->edge[k].inside))
		return false;
	*least = least_of(in, far, &seen->hop[LOOK_A]);
	*most = most_of(in, far, &seen->hop[LOOK_A]);
	return true;
}

/* Whether a level that is not exclusive includes those inside; with @plan, what is
 * missing to know is wanted. */
static int ask_further(const struct mp_view *view, const struct mp_cpu_edges *edges,
		       uint32_t k, const struct shape *shape, uint32_t cpu,
		       struct mp_plan *plan, struct mp_cpu_other *other)
{
	const double own = edges->edge[k].inside;
	double least, most;
	struct mp_exp exp;
	struct seen seen;
	int err = 0;

	make_second(view, edges, k, shape, cpu, false, &exp);
	if (plan) {
		err = mp_plan_add(plan, &exp, replicates_of(view));
		plan->stage++;
	}
	look(view, &exp, NEVER_C, &other->id[1], &seen);
	if (err || !stay_of(edges, k, &seen, &least, &most))
		return err;
	other->driven = seen.hop[LOOK_A].value;
	if (most_of(own, seen.hop[LOOK_C].low, &seen.hop[LOOK_B]) > NONE)
		return 0;
	if (least >= STAYED)
		other->holds = MP_CPU_HOLDS_SOME;
	if (!shape->fits || most > TAKEN)
		return 0;
	make_second(view, edges, k, shape, cpu, true, &exp);
	if (plan) {
		err = mp_plan_add(plan, &exp, replicates_of(view));
		plan->stage++;
	}
	look(view, &exp, NEVER_C, &other->id[2], &seen);
	if (!err && stay_of(edges, k, &seen, &least, &most) && least >= STAYED)
		other->holds = MP_CPU_HOLDS_ALL;
	return err;
}

/* What one other CPU tells. */
static int ask(const struct mp_view *view, const struct mp_cpu_edges *edges, uint32_t k,
	       const struct shape *shape, uint32_t cpu, struct mp_plan *plan,
	       struct mp_cpu_other *other, bool *none)
{
	struct mp_exp exp;
	struct seen seen;
	int err = 0;

	*other = (struct mp_cpu_other){ .cpu = cpu, .driven = NAN };
	make_first(view, edges, k, shape, cpu, &exp);
	if (plan) {
		err = mp_plan_add(plan, &exp, replicates_of(view));
		plan->stage++;
	}
	look(view, &exp, READ_C, &other->id[0], &seen);
	other->loaded = seen.hop[LOOK_A].value;
	other->left = seen.hop[LOOK_B].value;
	other->fresh = seen.hop[LOOK_C].value;
	other->holds = judge_first(edges, k, &seen, none);
	return err || other->holds != MP_CPU_HOLDS_NO_OTHERS ? err :
	       ask_further(view, edges, k, shape, cpu, plan, other);
}

/* CPU after CPU, until one tells, or none would. */
static int ask_all(const struct mp_view *view, const struct mp_cpu_edges *edges,
		   uint32_t k, struct mp_plan *plan, struct mp_cpu_other *other)
{
	struct shape shape;
	uint32_t cpu[TRIES], n;
	bool none = false;
	int err = 0;

	memset(other, 0, sizeof(*other));
	if (!can(view, edges, k) || !lay(view, edges, k, &shape))
		return 0;
	n = others(view, cpu);
	for (uint32_t i = 0; i < n && !other->holds && !none && !err; i++)
		err = ask(view, edges, k, &shape, cpu[i], plan, other, &none);
	return err;
}

void mp_cpu_other_judge(const struct mp_view *view,
			const struct mp_cpu_edges *edges, uint32_t k,
			struct mp_cpu_other *other)
{
	/* Without a plan nothing can fail. */
	(void)ask_all(view, edges, k, NULL, other);
}

int mp_cpu_other_plan(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      struct mp_plan *plan, struct mp_cpu_other *other)
{
	return ask_all(view, edges, k, plan, other);
}
