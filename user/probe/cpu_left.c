// SPDX-License-Identifier: GPL-2.0
/*
 * Where no single hop tells, two levels near each other may make an edge that
 * looks like one whose victims are any lines. A few lines that are timed each
 * time that a ring has been walked several times (cpu_after.c) tell: behind a
 * capacity nothing is left of them in the level, and where lines fall on sets
 * evenly they take what lies beyond at once, by any policy that a ring so much
 * longer drives through. Where they take less, something between serves them:
 * pages at random leave them to it, or not. That is asked of the innermost
 * level: what brings back translations may bring a few lines into those further
 * out.
 */
#include "probe/cpu_left.h"

#include "probe/cpu_after.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_lines.h"
#include "probe/cpu_stairs.h"

/* From so far behind an edge, where few more lines than fit have put out all
 * others, and as far as this. */
#define FROM 1.12
#define TO 2.2
/* Every other length of the grid; so many that tell, and replicates. */
#define EVERY 2
#define LENGTHS_LEAST 2u
#define REPLICATES 3u
/* So few lines that the ring is about as long as both, and visits to them. */
#define FEW 8u
#define ROUNDS 20u
/* .. of which a clock of long steps is read that much worse. */
#define OFF 2
/* They take less of the way to what lies beyond than this. */
#define ALL 0.8

static void rig_left(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, struct mp_lines_rig *rig)
{
	mp_lines_rig(view, edges, rig);
	rig->few = FEW;
	rig->rounds = ROUNDS;
}

/* Lengths that would tell, if any do; where prefetchers may work, few lines are left for
 * rings as short as these. */
static bool span_of(const struct mp_view *view,
		    const struct mp_cpu_edges *edges, double *from, double *to)
{
	const struct mp_edge *edge = &edges->edge[0];

	if (!edges->n || !edges->fitted[0] ||
	    (!edges->doubt.level && !(edges->doubt.kinked > 0)) ||
	    !edges->flat || !mp_cpu_after_can(view, edges, 0) ||
	    mp_cpu_may_prefetch(view) ||
	    edges->by[0] == MP_CPU_BY_HOPS || mp_cpu_is_after(edges, 0) ||
	    edges->table->shape[edge->shape].scatter != 0 ||
	    !mp_cpu_has_room(edge))
		return false;
	*from = edge->size * FROM;
	*to = edge->size * TO;
	if (edges->n > 1 && *to > edges->level[1].low_bytes)
		*to = edges->level[1].low_bytes;
	return *to > *from;
}

int mp_cpu_left_plan(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, struct mp_plan *plan)
{
	struct mp_lines_rig rig;
	double from, to;
	int err = 0;

	if (!span_of(view, edges, &from, &to))
		return 0;
	rig_left(view, edges, &rig);
	for (double step = mp_lines_from(from);
	     step <= mp_lines_to(to) && !err; step += EVERY)
		err = mp_lines_want(view, &rig, mp_lines_length(&rig, step),
				    REPLICATES, plan);
	return err;
}

/* Do they take less where the ring alone is too long for the level? */
static bool is_less(const struct mp_edge *edge, const struct mp_curve *left)
{
	uint32_t n = 0;
	double most;

	if (!left->n)
		return false;
	most = edge->inside + ALL * (edge->outside - edge->inside) -
	       OFF * mp_cpu_stairs_off(left);
	for (uint32_t i = 0; i < left->n; i++) {
		const struct mp_exp *exp = &left->at[i].batch[0]->exp;

		n += (double)exp->actor[MP_LINES_W].length > edge->size * FROM &&
		     mp_curve_middle(&left->at[i]) < most;
	}
	return n >= LENGTHS_LEAST;
}

int mp_cpu_left_find(const struct mp_view *view, struct mp_cpu_edges *edges)
{
	const struct mp_edge *edge = &edges->edge[0];
	struct mp_curve left = { 0 };
	struct mp_lines_rig rig;
	double from, to;
	int err;

	if (!span_of(view, edges, &from, &to))
		return 0;
	rig_left(view, edges, &rig);
	err = mp_lines_gather(view, &rig, from, to, &left);
	if (!err && is_less(edge, &left))
		edges->doubt = (struct mp_cpu_doubt){ .level = 0, .left = true };
	mp_curve_free(&left);
	return err;
}
