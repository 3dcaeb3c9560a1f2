// SPDX-License-Identifier: GPL-2.0
/* The experiments of a few lines that are timed after others: T after W, and P
 * between; cpu_after.c says what follows. */
#include "probe/cpu_lines.h"

#include <math.h>
#include <string.h>

#include "analysis/clock.h"
#include "backend.h"
#include "limits.h"
#include "probe/cpu_edges.h"

/* Lengths to the octave. */
#define FROM 1024.0
#define GRAIN 16
/* Slots of T, as a rule; and of P, which brings back what translation has
 * forgotten of T's pages, in lines halfway between. */
#define FEW 32u
#define PRIMES 8u
/* Timed singly T's visits are as many as so many hops of W leave, within limits. */
#define SINGLE_HOPS 1e6
#define SINGLE_ROUNDS_MIN 6.0
#define SINGLE_ROUNDS_MAX 200.0
/* Where lines may be brought that were not asked for T is so many times as sparse: none of
 * its lines is next to one of W or P, nor in a pair with it. It is as much of a short ring
 * at most: its lines may lie in some sets alone. */
#define BROUGHT_APART 4u
#define BROUGHT_PART 8u
#define BROUGHT_FEW 16u
#define BROUGHT_LEAST 4u
/* Visits; of W of many slots fewer. */
#define ROUNDS 10u
#define SHORT_ROUNDS 40u
#define MANY_SLOTS 2048u
#define MANY_ROUNDS 5u
/* .. the first of which find nothing in its place. */
#define COLD 1u
/* Of a replicate. */
#define HOPS_MAX 4e6
#define PAGE 4096u
/* So few pages are known to every first TLB. */
#define KNOWN_BYTES (32u << 10)

void mp_lines_rig(const struct mp_view *view, const struct mp_cpu_edges *edges,
		  struct mp_lines_rig *rig)
{
	struct mp_sweep sweep;
	const bool brought = mp_cpu_may_prefetch(view);
	uint64_t apart;

	if (edges->full)
		mp_cpu_side_sweep(view, 0, &sweep);
	else
		mp_cpu_main_sweep(view, &sweep);
	apart = sweep.stride;
	while (mp_cpu_shares_lines(view, apart / 2, 0))
		apart *= 2;
	*rig = (struct mp_lines_rig){
		.cpu = sweep.cpu,
		.pages = sweep.pages,
		.node = sweep.node,
		.quiet = sweep.quiet,
		.stride = sweep.stride,
		.reach = sweep.reach,
		.few_stride = brought ? apart * BROUGHT_APART : apart,
		.few = brought ? BROUGHT_FEW : FEW,
		.brought = brought,
	};
}

static void walker(uint64_t bytes, uint64_t hops, uint32_t phase,
		   struct mp_actor *actor)
{
	actor->phase = phase;
	actor->length = bytes;
	actor->hops = hops;
	actor->bursts = 1;
	actor->warm_hops = 0;
}

/* All slots of both are so many times T's, at least. */
static uint64_t part_of(const struct mp_lines_rig *rig)
{
	return rig->brought ? BROUGHT_PART : 2;
}

static uint64_t few_least(const struct mp_lines_rig *rig)
{
	return rig->brought ? BROUGHT_LEAST : 2;
}

uint64_t mp_lines_least(const struct mp_lines_rig *rig)
{
	return few_least(rig) * part_of(rig) * rig->few_stride;
}

/* Slots of T, of all that both may have. */
static uint64_t few_of(const struct mp_lines_rig *rig, uint64_t bytes)
{
	const uint64_t slots = bytes / rig->few_stride, part = part_of(rig);

	return slots < part * rig->few ? slots / part : rig->few;
}

static uint32_t rounds_of(const struct mp_lines_rig *rig, uint64_t slots, uint64_t few)
{
	const double visits = SINGLE_HOPS / (MP_LINES_TURNS * (double)slots);

	if (rig->singly)
		return (uint32_t)fmin(fmax(visits, SINGLE_ROUNDS_MIN), SINGLE_ROUNDS_MAX);
	if (rig->rounds)
		return rig->rounds;
	return slots > MANY_SLOTS ? MANY_ROUNDS : few < FEW ? SHORT_ROUNDS : ROUNDS;
}

/* P, a line in each page of T, halfway between two of T's. Where lines may be brought it
 * begins before the first one, and keeps as far from all. */
static void put_primes(const struct mp_lines_rig *rig, uint64_t few, struct mp_exp *exp)
{
	const struct mp_actor *t = &exp->actor[MP_LINES_T];
	const uint64_t end = t->offset + t->length - t->stride;
	struct mp_actor *p = &exp->actor[MP_LINES_P];
	uint64_t primes = PRIMES;

	p->stride = t->length / PRIMES;
	p->offset = t->offset + rig->few_stride / 2;
	if (rig->brought) {
		const uint64_t lines = few / PRIMES, most = PAGE / rig->few_stride;

		p->stride = rig->few_stride;
		if (lines > 1 && most > 1)
			p->stride *= lines < most ? lines : most;
		p->offset = t->offset - rig->few_stride / 2;
		primes = (t->length + p->stride - 1) / p->stride;
	}
	/* The end of T may lie in a page of its own: one more, beyond it. */
	if (end / PAGE > (p->offset + (primes - 1) * p->stride) / PAGE) {
		exp->arena[0].bytes += p->stride;
		primes++;
	}
	walker(primes * p->stride, primes, 1, p);
	if (exp->arena[0].bytes < p->offset + p->length)
		exp->arena[0].bytes = p->offset + p->length;
}

/* @length: of both together; false: W would be too short, or take too long. */
static bool make_exp(const struct mp_lines_rig *rig, uint64_t length,
		     struct mp_exp *exp)
{
	const uint64_t few = few_of(rig, length);
	const uint64_t beside = few * rig->few_stride;
	const uint64_t slots = (length - beside) / rig->stride;
	const uint64_t off = rig->brought ? rig->few_stride / 2 : 0;
	struct mp_actor *w = &exp->actor[MP_LINES_W], *t = &exp->actor[MP_LINES_T];
	struct mp_actor *p = &exp->actor[MP_LINES_P];

	if (few < few_least(rig))
		return false;
	mp_exp_chase(exp, rig->cpu, rig->pages, length + off + rig->few_stride,
		     rig->stride, 0);
	exp->arena[0].node = rig->node;
	exp->quiet = rig->quiet;
	exp->window_ns = MP_WINDOW_MAX_NS;
	exp->rounds = rounds_of(rig, slots, few);
	exp->n_actors = length > KNOWN_BYTES ? MP_LINES_RINGS : MP_LINES_P;
	*p = *t = *w;
	walker(slots * rig->stride, MP_LINES_TURNS * slots, 0, w);
	w->reach = rig->reach;
	walker(beside, few, 2, t);
	t->stride = rig->few_stride;
	t->offset = w->length + off;
	t->detail = MP_DETAIL_HIST;
	t->group = rig->singly ? 1 : (uint32_t)few;
	if (exp->n_actors == MP_LINES_P) {
		t->phase = 1;
		memset(p, 0, sizeof(*p));
	} else {
		put_primes(rig, few, exp);
	}
	return (double)slots * MP_LINES_TURNS * exp->rounds <= HOPS_MAX;
}

/* -- what came back --------------------------------------------------------- */

void mp_lines_each(const struct mp_batch *batch, mp_lines_each_fn *each, void *into)
{
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];
		const uint64_t *word = batch->payload + sample->payload_offset;

		if (sample->actor != MP_LINES_T || sample->round < COLD ||
		    !mp_sample_calm(sample) ||
		    sample->payload_kind != MEMPROBE_PAYLOAD_HIST)
			continue;
		for (uint32_t w = 0; w + 1 < sample->payload_count; w += 2)
			each((double)word[w] - batch->grant.read_ticks, (double)word[w + 1],
			     into);
	}
}

struct sum {
	double ticks;
	double n;
};

static void add(double ticks, double n, void *into)
{
	struct sum *sum = into;

	sum->ticks += ticks * n;
	sum->n += n;
}

/* Ticks of a hop of T; NAN. */
static double taken(const struct mp_batch *batch)
{
	struct sum sum = { 0 };

	mp_lines_each(batch, add, &sum);
	return sum.ticks / (sum.n * batch->exp.actor[MP_LINES_T].group);
}

uint64_t mp_lines_length(const struct mp_lines_rig *rig, double step)
{
	const double bytes = FROM * exp2(step / GRAIN);

	return (uint64_t)(bytes / (double)rig->stride + 0.5) * rig->stride;
}

static int gather_length(const struct mp_view *view,
			 const struct mp_lines_rig *rig, uint64_t length,
			 struct mp_curve *curve)
{
	const struct mp_batch *batch;
	struct mp_exp exp;
	uint32_t at = 0;
	int err = 0;
	uint64_t id;

	if (!make_exp(rig, length, &exp))
		return 0;
	id = mp_exp_id(&exp);
	while (!err && (batch = mp_view_next(view, id, &at))) {
		const double ticks = taken(batch);

		if (mp_batch_counts(batch) && !isnan(ticks))
			err = mp_curve_put(curve, length, batch, ticks);
	}
	return err;
}

double mp_lines_from(double bytes)
{
	return fmax(ceil(GRAIN * log2(bytes / FROM)), 0);
}

double mp_lines_to(double bytes)
{
	return GRAIN * log2(bytes / FROM);
}

int mp_lines_gather(const struct mp_view *view, const struct mp_lines_rig *rig,
		    double from, double to, struct mp_curve *curve)
{
	double step = mp_lines_from(from);
	int err = 0;

	for (; step <= mp_lines_to(to) && !err; step++)
		err = gather_length(view, rig, mp_lines_length(rig, step),
				    curve);
	return err;
}

int mp_lines_want(const struct mp_view *view, const struct mp_lines_rig *rig,
		  uint64_t length, uint32_t replicates, struct mp_plan *plan)
{
	struct mp_exp exp;

	if (!make_exp(rig, length, &exp) ||
	    exp.arena[0].bytes > view->arena_max_bytes)
		return 0;
	return mp_plan_add(plan, &exp, replicates);
}
