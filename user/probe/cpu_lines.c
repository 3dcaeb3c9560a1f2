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
		.few_stride = apart,
		.few = FEW,
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

/* Slots of T, of all that both may have. */
static uint64_t few_of(const struct mp_lines_rig *rig, uint64_t bytes)
{
	const uint64_t slots = bytes / rig->few_stride;

	return slots < 2 * rig->few ? slots / 2 : rig->few;
}

/* @length: of both together; false: W would be too short, or take too long. */
static bool make_exp(const struct mp_lines_rig *rig, uint64_t length,
		     struct mp_exp *exp)
{
	const uint64_t few = few_of(rig, length);
	const uint64_t beside = few * rig->few_stride;
	const uint64_t slots = (length - beside) / rig->stride;
	struct mp_actor *w = &exp->actor[MP_LINES_W], *t = &exp->actor[MP_LINES_T];
	struct mp_actor *p = &exp->actor[MP_LINES_P];

	if (few < 2)
		return false;
	mp_exp_chase(exp, rig->cpu, rig->pages, length + rig->few_stride,
		     rig->stride, 0);
	exp->arena[0].node = rig->node;
	exp->quiet = rig->quiet;
	exp->window_ns = MP_WINDOW_MAX_NS;
	exp->rounds = rig->rounds ? rig->rounds :
		      slots > MANY_SLOTS ? MANY_ROUNDS :
		      few < FEW ? SHORT_ROUNDS : ROUNDS;
	exp->n_actors = length > KNOWN_BYTES ? MP_LINES_RINGS : MP_LINES_P;
	*p = *t = *w;
	walker(slots * rig->stride, MP_LINES_TURNS * slots, 0, w);
	w->reach = rig->reach;
	walker(beside, few, 2, t);
	t->stride = rig->few_stride;
	t->offset = w->length;
	t->detail = MP_DETAIL_HIST;
	t->group = (uint32_t)few;
	if (exp->n_actors == MP_LINES_P) {
		t->phase = 1;
		memset(p, 0, sizeof(*p));
	} else {
		const uint64_t end = t->offset + beside - rig->few_stride;
		uint64_t primes = PRIMES;

		p->stride = beside / PRIMES;
		p->offset = t->offset + rig->few_stride / 2;
		/* The end of T may lie in a page of its own: one more, beyond it. */
		if (end / PAGE > (p->offset + (PRIMES - 1) * p->stride) / PAGE) {
			exp->arena[0].bytes += p->stride;
			primes++;
		}
		walker(primes * p->stride, primes, 1, p);
	}
	return (double)slots * MP_LINES_TURNS * exp->rounds <= HOPS_MAX;
}

/* -- what came back --------------------------------------------------------- */

/* Ticks of a hop of T; NAN. */
static double taken(const struct mp_batch *batch)
{
	double ticks = 0, n = 0;

	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];
		const uint64_t *word = batch->payload + sample->payload_offset;

		if (sample->actor != MP_LINES_T || sample->round < COLD ||
		    !mp_sample_calm(sample) ||
		    sample->payload_kind != MEMPROBE_PAYLOAD_HIST)
			continue;
		for (uint32_t w = 0; w + 1 < sample->payload_count; w += 2) {
			ticks += ((double)word[w] - batch->grant.read_ticks) *
				 (double)word[w + 1];
			n += (double)word[w + 1];
		}
	}
	return ticks / (n * batch->exp.actor[MP_LINES_T].group);
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
