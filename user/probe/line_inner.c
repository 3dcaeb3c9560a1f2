// SPDX-License-Identifier: GPL-2.0
/*
 * How long is the innermost level's line, where neither counts nor flushes have
 * told? It was asked before any size was known, from a rough look. With the
 * level's own hops told from all others neighbours tell, whatever the level does
 * with its lines: random replacement, one way and fifo as well.
 */
#include "probe/line_inner.h"

#include <math.h>

#include "backend.h"
#include "probe/cpu.h"

/**
 * struct asking - what is asked, and of whom
 * @seen: by probe line-l1d
 * @next_most: what the next level fetches at once, at most
 * @out: what is known
 */
struct asking {
	const struct mp_view *view;
	const struct mp_cpu_edges *edges;
	struct mp_line_l1d_seen seen;
	uint32_t next_most;
	struct mp_plan *plan;
	struct mp_fact *fact;
	struct mp_line_inner *out;
};

static bool can_ask(const struct mp_view *view, const struct mp_cpu_edges *edges)
{
	return edges && edges->n && edges->doubt.level &&
	       view->caps & MP_CAP_SEQUENCE && view->caps & MP_CAP_PHASES;
}

/* Does a load bring a neighbour so far away along? */
static uint32_t comes(const struct asking *ask, uint32_t apart)
{
	uint32_t i = 0;

	while (MP_LINE_ALONG_FROM << i < apart)
		i++;
	return i < MP_LINE_ALONGS ? ask->seen.comes[i] : MP_LINE_OPEN;
}

/*
 * Are neighbours so far apart two lines, MP_LINE_NO, or one? Prefetchers that
 * stay on may bring a part of a line, so that it is there alone, unless a load
 * always brings both; and where it does, two lines stay together.
 */
static int halves(const struct asking *ask, uint32_t apart, uint32_t *says,
		  uint32_t *replicates)
{
	const struct mp_line_asked asked = {
		.edges = ask->edges, .unit = 2 * apart,
		.size = mp_line_edge(ask->edges, 0),
		.next_most = ask->next_most,
	};
	bool quiet;
	int err = mp_line_halves(ask->view, &asked, 0, ask->plan, ask->fact,
				 says, replicates, &quiet);

	if (!quiet && comes(ask, apart) != (*says == MP_LINE_NO ? MP_LINE_YES :
								  MP_LINE_NO))
		*says = MP_LINE_UNSURE;
	if (ask->plan)
		ask->plan->stage++;
	return err;
}

static int narrow(const struct asking *ask, uint32_t apart, uint32_t *says)
{
	uint32_t replicates = 0;
	int err = halves(ask, apart, says, &replicates);

	if (!err && *says == MP_LINE_UNSURE && ask->seen.quiet) {
		const struct mp_line_asked dense = {
			.edges = ask->edges, .unit = apart,
			.size = mp_line_edge(ask->edges, 0),
		};

		err = mp_line_apart(ask->view, &dense, 0, ask->plan, ask->fact,
				    &replicates);
		if (!err && replicates)
			*says = MP_LINE_NO;
	}
	if (!ask->out->replicates || replicates < ask->out->replicates)
		ask->out->replicates = replicates;
	ask->out->halves |= *says == MP_LINE_YES;
	ask->out->apart |= *says == MP_LINE_NO;
	return err;
}

/* From the shortest on, until neighbours go apart, or nothing is left. */
static int find(const struct asking *ask)
{
	uint32_t unit = ask->seen.least, says = MP_LINE_YES;
	/* Where no flush leaves anything, the longest may be longer. */
	const uint32_t most = ask->seen.most == MP_LINE_MAX ?
			      2 * MP_LINE_MAX : ask->seen.most;
	int err = 0;

	/* What comes along and what a flush leaves contradict each other. */
	if (unit >= most)
		return 0;
	while (!err && unit < most && says == MP_LINE_YES) {
		err = narrow(ask, unit, &says);
		if (says == MP_LINE_YES)
			unit *= 2;
	}
	if ((says == MP_LINE_YES || says == MP_LINE_NO) && unit <= MP_LINE_MAX)
		ask->out->line = unit;
	return err;
}

int mp_line_inner(const struct mp_view *view, const struct mp_cpu_edges *edges,
		  struct mp_plan *plan, struct mp_fact *fact,
		  struct mp_line_inner *out)
{
	const double line = mp_cpu_value(view, mp_cpu_level_name[0], "line");
	struct asking ask = { .view = view, .edges = edges, .plan = plan,
			      .fact = fact, .out = out };
	struct mp_line_fetch fetch = { 0 };
	int err;

	*out = (struct mp_line_inner){ .line = isnan(line) ? 0 : (uint32_t)line };
	if (out->line || !can_ask(view, edges))
		return 0;
	err = mp_line_l1d_look(view, &ask.seen);
	if (!err)
		err = mp_line_fetch(view, edges, &fetch);
	ask.next_most = fetch.most[1];
	if (!err)
		err = find(&ask);
	if (!out->line)
		out->replicates = 0;
	return err;
}
