// SPDX-License-Identifier: GPL-2.0
/*
 * How long is a line, by what goes with a neighbour that is flushed? A line is
 * no shorter than those inside, so where slots as far apart as those are long
 * stay without each other it is as short. Where they do not, the nearest that
 * do are a line apart; but a level further out that includes this one, and has
 * longer lines, takes slots out here, too.
 */
#include "backend.h"
#include "probe/line.h"

/**
 * struct ask - what is asked, and of which level
 * @inner: lines inside are as long
 */
struct ask {
	const struct mp_view *view;
	const struct mp_cpu_edges *edges;
	uint32_t inner;
	struct mp_plan *plan;
	struct mp_fact *fact;
};

/* Does level @k lose slots with neighbours so far behind? */
static int lost(const struct ask *ask, uint32_t k, uint32_t apart,
		uint32_t *says, struct mp_line_goes *out)
{
	const struct mp_line_asked asked = {
		.edges = ask->edges, .level = k, .unit = apart,
		.size = mp_line_edge(ask->edges, k),
	};
	int err = mp_line_lost(ask->view, &asked,
			       mp_line_edge(ask->edges, k - 1), ask->inner,
			       ask->plan, ask->fact, says, &out->replicates);

	if (ask->plan)
		ask->plan->stage++;
	if (!err && *says == MP_LINE_NO)
		out->line = apart;
	return err;
}

/* A level further out whose lines are as short says it of all inside, whichever
 * these are. @first: what level @k itself says. */
static int as_inside(const struct ask *ask, uint32_t k, uint32_t *first,
		     struct mp_line_goes *out)
{
	int err = lost(ask, k, ask->inner, first, out);

	for (uint32_t i = k + 1; i < ask->edges->n && !err && !out->line; i++) {
		uint32_t says;

		err = lost(ask, i, ask->inner, &says, out);
	}
	return err;
}

static bool is_last(const struct ask *ask, uint32_t k)
{
	const struct mp_fact *size;

	if (k + 1 != ask->edges->n)
		return false;
	if (k + 1 == MP_CPU_LEVELS)
		return true;
	size = mp_cpu_found(ask->view, k + 1, "size");
	return size && size->verdict == MP_ABSENT;
}

/*
 * Level @k loses a slot with its neighbour: is that its own line, or one of a
 * level further out that includes it? Such a one would take the slot out of the
 * first level, too.
 */
static int is_own(const struct ask *ask, uint32_t k, bool *own)
{
	int err = 0;

	*own = is_last(ask, k);
	if (*own)
		return 0;
	if (ask->plan) {
		err = mp_line_flush_plan(ask->view, MP_LINE_BOTH, ask->inner,
					 ask->plan);
		ask->plan->stage++;
	}
	*own = mp_line_flush(ask->view, MP_LINE_BOTH, ask->inner, ask->fact) ==
	       MP_LINE_NO;
	return err;
}

int mp_line_goes(const struct mp_view *view, const struct mp_cpu_edges *edges,
		 uint32_t k, uint32_t inner, struct mp_plan *plan,
		 struct mp_fact *fact, struct mp_line_goes *out)
{
	/* No line is shorter than the first distance. */
	const struct ask ask = { view, edges, inner ? inner : MP_LINE_ALONG_FROM,
				 plan, fact };
	uint32_t says;
	bool own;
	int err;

	*out = (struct mp_line_goes){ 0 };
	/* Two peaks of one level may be taken for two. */
	if (!(view->caps & MP_CAP_MIXED) || k >= edges->n || edges->doubt.twins)
		return 0;
	err = as_inside(&ask, k, &says, out);
	/* Which of two it may be has longer lines is not known. */
	if (err || out->line || says != MP_LINE_YES || k >= edges->doubt.level)
		return err;
	err = is_own(&ask, k, &own);
	for (uint32_t unit = 2 * ask.inner; unit <= MP_LINE_MAX && own && !err &&
					says == MP_LINE_YES; unit *= 2)
		err = lost(&ask, k, unit, &says, out);
	out->halves = out->line != 0;
	return err;
}
