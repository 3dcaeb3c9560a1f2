// SPDX-License-Identifier: GPL-2.0
/*
 * The whole loop over probes, plans and replicates, and its rules: equal
 * experiments pool, replicates go round robin, what does not count is tried
 * again, time is shared out by weight and what is left flows on.
 */
#include "runner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "confidence.h"
#include "limits.h"
#include "names.h"
#include "pool.h"

#define ROOM_FIRST 256u
#define NS_PER_S 1e9

/* What may be spent and what is. */
struct purse {
	uint64_t share_ns;
	uint64_t spent_ns;
};

/*
 * A run under way.
 * @calm: first tries of the present probe
 * @all: first tries and repeats of the present probe
 * @weight_left: weights of this probe and those that follow
 * @weight_all: weights of all that can run
 * @index: batches by experiment
 * @indexed: .. all that there are
 * @seen: batches that there were when a probe inferred
 */
struct loop {
	struct mp_target *target;
	const struct mp_run_opts *opts;
	struct mp_run *run;
	const struct mp_probe *probe;
	struct mp_pool pool;
	struct purse calm;
	struct purse all;
	uint64_t weight_left;
	uint64_t weight_all;
	struct mp_batch_index index;
	bool indexed;
	uint32_t seen[MP_RUN_PROBES];
};

static int out_of_memory(struct loop *loop)
{
	return mp_target_fail(loop->target, -ENOMEM,
			      "no memory to keep what was measured (%u batches "
			      "so far), try --quick",
			      loop->run->n_batches);
}

static int broken(struct loop *loop, int err, const char *what)
{
	return mp_target_fail(loop->target, err, "probe '%s': %s: %s",
			      loop->probe->name, what, strerror(-err));
}

/* -- time --------------------------------------------------------------- */

static uint64_t purse_left(const struct purse *purse)
{
	if (purse->share_ns <= purse->spent_ns)
		return 0;
	return purse->share_ns - purse->spent_ns;
}

/* This probe's part of what is left, by weight. */
static void purse_fill(struct purse *purse, uint64_t whole_ns,
		       uint64_t spent_ns, const struct loop *loop)
{
	uint64_t left_ns = whole_ns > spent_ns ? whole_ns - spent_ns : 0;

	purse->spent_ns = 0;
	purse->share_ns = 0;
	if (loop->weight_left)
		purse->share_ns =
			(uint64_t)((double)left_ns * loop->probe->weight /
				   (double)loop->weight_left);
}

static uint64_t left_ns(const struct loop *loop)
{
	uint64_t calm_ns = purse_left(&loop->calm);
	uint64_t all_ns = purse_left(&loop->all);

	return calm_ns < all_ns ? calm_ns : all_ns;
}

/* Is it time for this probe to end? Notes why where the run was cut short. */
static bool is_over(struct loop *loop)
{
	const volatile sig_atomic_t *stop = loop->opts->stop;

	if (stop && *stop)
		loop->run->stop = MP_STOP_SIGNAL;
	if (loop->run->stop == MP_STOP_SIGNAL)
		return true;
	/* Where the limit is all there is to spend, it is what ran out. */
	if (!purse_left(&loop->calm) &&
	    loop->opts->budget_ns >= loop->opts->limit_ns)
		loop->run->stop = MP_STOP_TIME;
	if (!purse_left(&loop->calm))
		return true;
	if (purse_left(&loop->all))
		return false;
	loop->run->stop = MP_STOP_TIME;
	return true;
}

static void tell(const struct loop *loop, const struct mp_exp *exp)
{
	const struct mp_run_opts *opts = loop->opts;
	double behind = (double)(loop->weight_all - loop->weight_left);
	double share = (double)loop->calm.share_ns;
	char what[64];

	if (!opts->progress || !loop->weight_all)
		return;
	if (share > 0)
		behind += loop->probe->weight *
			  (1 - (double)purse_left(&loop->calm) / share);
	snprintf(what, sizeof(what), "%s over %llu KiB",
		 mp_op_name(exp->actor[0].op),
		 (unsigned long long)exp->actor[0].length >> 10);
	opts->progress(opts->ctx, loop->probe->name,
		       behind / (double)loop->weight_all, what);
}

/* -- batches ------------------------------------------------------------ */

static int keep(struct mp_run *run, struct mp_batch *batch)
{
	uint32_t room = run->room_batches ? run->room_batches * 2 : ROOM_FIRST;
	struct mp_batch **bigger;

	if (run->n_batches == run->room_batches) {
		bigger = reallocarray(run->batch, room, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		run->batch = bigger;
		run->room_batches = room;
	}
	run->batch[run->n_batches++] = batch;
	return 0;
}

static void discard(struct mp_batch *batch)
{
	mp_batch_free(batch);
	free(batch);
}

static int backend_run(struct loop *loop, const struct mp_exp *exp,
		       uint32_t replicate, struct mp_batch *batch)
{
	struct mp_target *target = loop->target;
	int err;

	/* A probe that plans what cannot be is told so like any refusal. */
	batch->error = mp_exp_check(exp, NULL, 0);
	if (batch->error)
		return 0;
	target->why[0] = '\0';
	err = target->backend->run(target, exp, replicate, batch);
	if (err && !target->why[0])
		mp_target_fail(target, err, "backend '%s' broke down: %s",
			       target->backend->name, strerror(-err));
	return err;
}

/* One replicate, run and kept; NULL after an error. */
static int measure(struct loop *loop, const struct mp_exp *exp,
		   uint32_t replicate, const struct mp_batch **made)
{
	struct mp_batch *batch = malloc(sizeof(*batch));
	int err;

	*made = NULL;
	if (!batch)
		return out_of_memory(loop);
	mp_batch_init(batch, exp, replicate);
	err = backend_run(loop, exp, replicate, batch);
	if (err)
		goto err_discard;
	err = keep(loop->run, batch);
	if (err) {
		out_of_memory(loop);
		goto err_discard;
	}
	mp_batch_keep(batch);
	/* Without the index all goes on, at a slower pace. */
	if (loop->indexed && mp_batch_index_add(&loop->index, batch))
		loop->indexed = false;
	*made = batch;
	return 0;

err_discard:
	discard(batch);
	return err;
}

static void account(struct loop *loop, const struct mp_batch *batch,
		    bool repeat)
{
	struct mp_run *run = loop->run;

	run->cost_ns += batch->cost_ns;
	loop->all.spent_ns += batch->cost_ns;
	if (repeat) {
		run->n_repeats++;
	} else {
		run->calm_ns += batch->cost_ns;
		loop->calm.spent_ns += batch->cost_ns;
	}
	if (batch->error)
		run->n_failed++;
	else if (mp_batch_counts(batch))
		run->n_counted++;
	else
		run->n_disturbed++;
}

/* -- plans -------------------------------------------------------------- */

/* Place in the pool of each line of a plan; free() it. */
static uint32_t *pool_plan(struct loop *loop, const struct mp_plan *plan)
{
	uint32_t *place = calloc((size_t)plan->n + 1, sizeof(*place));

	for (uint32_t i = 0; place && i < plan->n; i++) {
		struct mp_pooled *pooled;

		pooled = mp_pool_want(&loop->pool, &plan->wanted[i].exp,
				      loop->probe);
		if (!pooled) {
			free(place);
			return NULL;
		}
		place[i] = (uint32_t)(pooled - loop->pool.pooled);
	}
	return place;
}

static int try_once(struct loop *loop, struct mp_pooled *pooled)
{
	const struct mp_batch *batch;
	int err;

	tell(loop, &pooled->exp);
	err = measure(loop, &pooled->exp, pooled->tries, &batch);
	if (err)
		return err;
	account(loop, batch, pooled->misses > 0);
	if (mp_pooled_note(pooled, batch))
		loop->run->n_given_up++;
	return 0;
}

/*
 * Replicates round robin, so that those of one experiment lie apart in time
 * and a passing disturbance cannot take them all; a repeat waits its turn.
 */
static int run_stage(struct loop *loop, const struct mp_plan *plan,
		     uint32_t stage, const uint32_t *place)
{
	bool more = true;
	int err = 0;

	while (more && !err) {
		more = false;
		for (uint32_t i = 0; i < plan->n && !err; i++) {
			const struct mp_wanted *wanted = &plan->wanted[i];
			struct mp_pooled *pooled = &loop->pool.pooled[place[i]];

			if (wanted->stage != stage ||
			    mp_pooled_enough(pooled, wanted->replicates))
				continue;
			if (is_over(loop))
				return 0;
			err = try_once(loop, pooled);
			more = true;
		}
	}
	return err;
}

/* The first stage that lacks anything. */
static int run_plan(struct loop *loop, const struct mp_plan *plan)
{
	uint32_t *place = pool_plan(loop, plan);
	uint32_t before = loop->run->n_batches;
	uint32_t last = 0;
	int err = 0;

	if (!place)
		return out_of_memory(loop);
	for (uint32_t i = 0; i < plan->n; i++)
		if (plan->wanted[i].stage > last)
			last = plan->wanted[i].stage;
	for (uint32_t stage = 0; stage <= last && !err; stage++) {
		err = run_stage(loop, plan, stage, place);
		if (loop->run->n_batches != before)
			break;
	}
	free(place);
	return err;
}

/* -- probes ------------------------------------------------------------- */

void mp_run_view(const struct mp_host *host, struct mp_view *view)
{
	*view = (struct mp_view){
		.caps = host->caps,
		.cpu = host->cpu,
		.cpus = host->cpus,
		.node = host->node,
		.pages = host->pages,
		.pages_forced = host->pages_forced,
		.arena_max_bytes = host->arena_max_bytes,
		/* What is fetched unasked tells nothing of where it is kept. */
		.quiet = host->caps & MP_CAP_PREFETCH_OFF ?
			 MP_WISH_PREFETCH_OFF : 0,
	};
}

/* Looks at batches, of all runs of this process. */
static uint64_t looks;

static void fill_view(const struct loop *loop, struct mp_view *view,
		      const struct mp_batch *const *batch, uint32_t n)
{
	mp_run_view(&loop->run->host, view);
	view->depth = loop->opts->depth;
	view->seed = loop->opts->seed;
	view->left_ns = left_ns(loop);
	view->n_batches = n;
	view->batch = batch;
	if (loop->indexed && n == loop->run->n_batches)
		view->index = &loop->index;
	view->facts = &loop->run->facts;
	view->look = ++looks;
}

static const struct mp_batch *const *kept(const struct loop *loop)
{
	return (const struct mp_batch *const *)loop->run->batch;
}

/* Plan, run, plan again, until the probe is content or its time is up. */
static int ask(struct loop *loop)
{
	const struct mp_run *run = loop->run;
	uint32_t before;
	int more = 1;
	int err = 0;

	for (uint32_t i = 0; i < MP_PLANS_MAX && more && !is_over(loop); i++) {
		struct mp_plan plan = { 0 };
		struct mp_view view;

		before = run->n_batches;
		fill_view(loop, &view, kept(loop), run->n_batches);
		more = loop->probe->next(&view, &plan);
		if (more > 0)
			err = run_plan(loop, &plan);
		mp_plan_free(&plan);
		if (more < 0)
			return broken(loop, more, "cannot plan");
		if (err || run->n_batches == before)
			break;
	}
	return err;
}

static uint32_t lacking(const struct loop *loop, const struct mp_probe *probe)
{
	return probe->needs & ~loop->run->host.caps;
}

/* The first capability that is lacking, for a reason. */
static const char *lacking_name(uint32_t caps)
{
	const char *name = mp_cap_name(caps & -caps);

	return name ? name : "unknown";
}

/* Every fact that the probe promises and has not given. */
static int add_unanswered(struct loop *loop, uint32_t caps)
{
	struct mp_facts *facts = &loop->run->facts;
	const char *rest = loop->probe->facts;
	char name[MP_FACT_NAME];
	struct mp_where where;

	mp_where_cpu(&where, loop->run->host.cpu);
	while (mp_names_next(&rest, name, sizeof(name))) {
		struct mp_fact *fact;

		if (mp_facts_find(facts, name))
			continue;
		fact = mp_facts_add(facts, name, &where);
		if (!fact)
			return out_of_memory(loop);
		if (caps)
			mp_fact_cannot(fact, "",
				       "backend '%s' lacks the capability '%s'",
				       loop->target->backend->name,
				       lacking_name(caps));
		else
			mp_fact_cannot(fact, "", "probe '%s' found no answer",
				       loop->probe->name);
	}
	return 0;
}

static int infer(struct loop *loop, const struct mp_batch *const *batch,
		 uint32_t n)
{
	uint32_t caps = lacking(loop, loop->probe);
	struct mp_facts *facts = &loop->run->facts;
	const uint32_t before = facts->n;
	struct mp_view view;
	int err;

	if (caps)
		return add_unanswered(loop, caps);
	fill_view(loop, &view, batch, n);
	err = loop->probe->infer(&view, facts);
	if (err)
		return broken(loop, err, "cannot infer");
	mp_facts_renew(facts, before, loop->probe->renews);
	return add_unanswered(loop, 0);
}

static int run_probe(struct loop *loop, uint32_t i)
{
	const struct mp_run_opts *opts = loop->opts;
	struct mp_run *run = loop->run;
	int err;

	loop->probe = opts->probe[i];
	if (!lacking(loop, loop->probe)) {
		purse_fill(&loop->calm, opts->budget_ns, run->calm_ns, loop);
		purse_fill(&loop->all, opts->limit_ns, run->cost_ns, loop);
		err = ask(loop);
		if (err)
			return err;
		loop->weight_left -= loop->probe->weight;
	}
	loop->seen[i] = run->n_batches;
	return infer(loop, kept(loop), run->n_batches);
}

/* -- recordings --------------------------------------------------------- */

/* Batches that the recording holds and nobody asked for join the run. */
static int adopt_batches(struct loop *loop, const struct mp_save *recorded)
{
	for (uint32_t i = 0; i < recorded->n_batches; i++) {
		const struct mp_batch *from = recorded->batch[i];
		const struct mp_pooled *pooled;
		struct mp_batch *batch;

		/* The numbers of a pooled one run from 0 without a hole. */
		pooled = mp_pool_find(&loop->pool, &from->exp, from->id);
		if (pooled && from->replicate < pooled->tries)
			continue;
		batch = malloc(sizeof(*batch));
		if (!batch)
			return out_of_memory(loop);
		if (mp_batch_copy(batch, from) || keep(loop->run, batch)) {
			discard(batch);
			return out_of_memory(loop);
		}
		mp_batch_keep(batch);
		loop->indexed = false;
	}
	return 0;
}

/*
 * Infer anew where a recording held more than was asked for. Only now is it
 * known what nobody asks for; had it joined earlier, the plans of a faithful
 * replay would differ from those of the recorded run.
 */
static int settle(struct loop *loop, const struct mp_save *recorded)
{
	struct mp_run *run = loop->run;
	uint32_t asked = run->n_batches;
	const struct mp_batch **view;
	uint32_t extra;
	int err;

	err = adopt_batches(loop, recorded);
	extra = run->n_batches - asked;
	if (err || !extra)
		return err;
	view = calloc(run->n_batches, sizeof(*view));
	if (!view)
		return out_of_memory(loop);
	mp_facts_free(&run->facts);
	for (uint32_t i = 0; i < loop->opts->n_probes && !err; i++) {
		uint32_t seen = loop->seen[i];

		if (seen)
			memcpy(view, run->batch, seen * sizeof(*view));
		memcpy(view + seen, run->batch + asked, extra * sizeof(*view));
		loop->probe = loop->opts->probe[i];
		err = infer(loop, view, seen + extra);
	}
	free(view);
	return err;
}

static void note_probes(struct mp_run *run, const struct mp_run_opts *opts)
{
	size_t used = 0;

	for (uint32_t i = 0; i < opts->n_probes; i++)
		used += (size_t)snprintf(run->probes + used,
					 sizeof(run->probes) - used, "%s%s",
					 i ? "," : "", opts->probe[i]->name);
}

static int check_probes(struct mp_target *target,
			const struct mp_run_opts *opts)
{
	size_t text = 0;

	for (uint32_t i = 0; i < opts->n_probes; i++)
		text += strlen(opts->probe[i]->name) + 1;
	if (opts->n_probes <= MP_RUN_PROBES && text <= MP_SAVE_PROBES)
		return 0;
	return mp_target_fail(target, -E2BIG,
			      "%u probes: at most %d, and %d letters of names, "
			      "fit in a run (select.h: MP_RUN_PROBES, save.h: "
			      "MP_SAVE_PROBES)", opts->n_probes, MP_RUN_PROBES,
			      MP_SAVE_PROBES);
}

bool mp_run_is_fine(const struct mp_run *run)
{
	for (uint32_t i = 0; i < run->n_batches; i++) {
		const struct mp_grant *grant = &run->batch[i]->grant;

		if (mp_batch_counts(run->batch[i]) && grant->tick_hz > 0)
			return mp_confidence_is_fine(&run->facts,
				NS_PER_S * (double)grant->tick_step /
				grant->tick_hz);
	}
	return false;
}

int mp_run_all(struct mp_target *target, const struct mp_host *host,
	       const struct mp_run_opts *opts, struct mp_run *run)
{
	struct loop loop = { .target = target, .opts = opts, .run = run,
			     .indexed = true };
	int err;

	memset(run, 0, sizeof(*run));
	err = check_probes(target, opts);
	if (err)
		return err;
	run->host = *host;
	run->host.recorded = NULL;
	run->seed = opts->seed;
	run->depth = opts->depth;
	run->budget_ns = opts->budget_ns;
	run->limit_ns = opts->limit_ns;
	note_probes(run, opts);
	for (uint32_t i = 0; i < opts->n_probes; i++) {
		if (!lacking(&loop, opts->probe[i]))
			loop.weight_all += opts->probe[i]->weight;
	}
	loop.weight_left = loop.weight_all;
	for (uint32_t i = 0; i < opts->n_probes && !err; i++)
		err = run_probe(&loop, i);
	if (!err && host->recorded)
		err = settle(&loop, host->recorded);
	/* It was counted on runs of this depth. */
	if (!err && opts->depth != MP_DEPTH_QUICK)
		mp_confidence_set(&run->facts, mp_run_is_fine(run));
	mp_facts_claim(&run->facts, host);
	mp_pool_free(&loop.pool);
	mp_batch_index_free(&loop.index);
	return err;
}
