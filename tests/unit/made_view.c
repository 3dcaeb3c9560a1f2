// SPDX-License-Identifier: GPL-2.0
/* Probes put to a made-up CPU. */
#include "made_view.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "limits.h"
#include "made_look.h"
#include "names.h"
#include "select.h"

#define ARENA_MAX (512ull << 20)
#define WHY 256
/* What a batch takes that does not say: it failed, or was over at once. */
#define COST_NS 1000000
/* Limits further apart than this factor are no answer. */
#define APART_MAX 4

/* -- what a probe asks for ---------------------------------------------- */

static void check_wanted(const struct made_view *made,
			 const struct mp_probe *probe,
			 const struct mp_wanted *wanted)
{
	const struct mp_view *view = &made->view;
	const struct mp_exp *exp = &wanted->exp;
	char why[WHY];

	if (mp_exp_check(exp, why, sizeof(why)))
		fail_msg("%s: %s", probe->name, why);
	if (exp->arena[0].bytes > view->arena_max_bytes)
		fail_msg("%s: %llu bytes, of at most %llu", probe->name,
			 (unsigned long long)exp->arena[0].bytes,
			 (unsigned long long)view->arena_max_bytes);
	if (view->pages_forced && exp->arena[0].pages != view->pages)
		fail_msg("%s: pages '%s', and only '%s' may be asked for",
			 probe->name, mp_pages_name(exp->arena[0].pages),
			 mp_pages_name(view->pages));
	assert_int_equal(exp->n_arenas, 1);
	assert_int_equal(exp->n_actors, 1);
	assert_int_equal(exp->actor[0].place, view->cpu);
	assert_int_equal(exp->arena[0].node, view->node);
	assert_in_range(wanted->replicates, 1, 64);
}

static void check_same_plan(const struct mp_probe *probe,
			    const struct mp_plan *a, const struct mp_plan *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->stage, b->stage);
	for (uint32_t i = 0; i < a->n; i++) {
		if (!mp_exp_equal(&a->wanted[i].exp, &b->wanted[i].exp) ||
		    a->wanted[i].replicates != b->wanted[i].replicates ||
		    a->wanted[i].stage != b->wanted[i].stage)
			fail_msg("%s: line %u of its plan depends on more than the view",
				 probe->name, i);
	}
}

/* Between the two calls the probe is shown another view, so that what it
 * should remember of the first would come out. */
static int plan_twice(const struct made_view *made,
		      const struct mp_probe *probe, struct mp_plan *plan)
{
	struct mp_facts none = { 0 };
	struct mp_plan again = { 0 }, other = { 0 };
	struct mp_view view = made->view, empty = made->view;
	int more;

	view.look = made_look();
	more = probe->next(&view, plan);
	empty.n_batches = 0;
	empty.facts = &none;
	empty.seed = 99;
	empty.look = made_look();
	assert_true(probe->next(&empty, &other) >= 0);
	/* Once more, lest a memory of two calls escape. */
	empty.look = made_look();
	assert_true(probe->next(&empty, &other) >= 0);
	view.look = made_look();
	assert_int_equal(probe->next(&view, &again), more);
	check_same_plan(probe, plan, &again);
	mp_plan_free(&again);
	mp_plan_free(&other);
	return more;
}

static void keep(struct made_view *made, struct mp_batch *batch)
{
	struct mp_view *view = &made->view;

	if (view->n_batches == made->room) {
		made->room = made->room ? 2 * made->room : 256;
		made->batch = reallocarray(made->batch, made->room,
					   sizeof(*made->batch));
		assert_non_null(made->batch);
	}
	made->batch[view->n_batches++] = batch;
	view->batch = (const struct mp_batch *const *)made->batch;
}

static void measure(struct made_view *made, struct mp_pooled *pooled)
{
	const struct mp_actor *actor = &pooled->exp.actor[0];
	struct mp_batch *batch = malloc(sizeof(*batch));

	assert_non_null(batch);
	mp_batch_init(batch, &pooled->exp, pooled->tries);
	batch->start_ns = made->now_ns;
	made_cpu_run(&made->cpu, batch);
	made->now_ns += batch->cost_ns ? batch->cost_ns : COST_NS;
	keep(made, batch);
	mp_pooled_note(pooled, batch);
	made->asked.batches++;
	made->asked.hops += actor->warm_hops + actor->hops * actor->bursts;
}

/* Round robin, as the runner does it. */
static void answer_stage(struct made_view *made, const struct mp_probe *probe,
			 const struct mp_plan *plan, uint32_t stage)
{
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t i = 0; i < plan->n; i++) {
			const struct mp_wanted *wanted = &plan->wanted[i];
			struct mp_pooled *pooled =
				mp_pool_want(&made->pool, &wanted->exp, probe);

			assert_non_null(pooled);
			if (wanted->stage != stage ||
			    mp_pooled_enough(pooled, wanted->replicates))
				continue;
			measure(made, pooled);
			more = true;
		}
	}
}

/* The first stage that lacks anything, as the runner does it. */
static void answer(struct made_view *made, const struct mp_probe *probe,
		   const struct mp_plan *plan)
{
	uint32_t before = made->view.n_batches;

	for (uint32_t i = 0; i < plan->n; i++)
		assert_true(plan->wanted[i].stage <= plan->stage);
	for (uint32_t stage = 0; stage <= plan->stage &&
	     made->view.n_batches == before; stage++)
		answer_stage(made, probe, plan, stage);
}

static void note(struct made_view *made, const struct mp_probe *probe,
		 const struct mp_plan *plan)
{
	struct made_asked *asked = &made->asked;

	asked->experiments = plan->n;
	asked->wanted = 0;
	for (uint32_t i = 0; i < plan->n; i++) {
		const struct mp_arena *arena = &plan->wanted[i].exp.arena[0];

		check_wanted(made, probe, &plan->wanted[i]);
		asked->wanted += plan->wanted[i].replicates;
		asked->kinds |= 1u << arena->pages;
		if (asked->bytes_max < arena->bytes)
			asked->bytes_max = arena->bytes;
	}
}

void made_view_plan(struct made_view *made, const struct mp_probe *probe)
{
	uint32_t before;
	int more;

	memset(&made->asked, 0, sizeof(made->asked));
	do {
		struct mp_plan plan = { 0 };

		before = made->view.n_batches;
		more = plan_twice(made, probe, &plan);
		assert_in_range(more, 0, 1);
		if (more) {
			note(made, probe, &plan);
			answer(made, probe, &plan);
		}
		mp_plan_free(&plan);
		made->asked.rounds += made->view.n_batches > before;
		if (made->asked.rounds >= MP_PLANS_MAX)
			fail_msg("%s: no end after %u plans", probe->name,
				 MP_PLANS_MAX);
	} while (more && made->view.n_batches > before);
}

/* -- what it says ------------------------------------------------------- */

static void check_same_series(const struct mp_facts *a,
			      const struct mp_facts *b)
{
	assert_int_equal(a->n_series, b->n_series);
	for (uint32_t i = 0; i < a->n_series; i++) {
		const struct mp_series *p = &a->series[i], *q = &b->series[i];

		assert_string_equal(p->name, q->name);
		assert_int_equal(p->n, q->n);
		for (uint32_t k = 0; k < p->n; k++) {
			const struct mp_point *x = &p->point[k];
			const struct mp_point *y = &q->point[k];

			assert_true(x->x == y->x && x->value == y->value &&
				    x->low == y->low && x->high == y->high &&
				    x->n == y->n);
		}
	}
}

static void check_same_facts(const struct mp_probe *probe,
			     const struct mp_fact *a, const struct mp_fact *b,
			     uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (memcmp(&a[i], &b[i], sizeof(*a)))
			fail_msg("%s: %s depends on more than the view",
				 probe->name, a[i].name);
	}
}

static void check_sound(const struct mp_fact *fact)
{
	assert_in_range(fact->verdict, 0, MP_VERDICTS - 1);
	assert_true(isnan(fact->confidence));
	if (fact->verdict == MP_NOT_MEASURABLE && !fact->reason[0])
		fail_msg("%s: cannot be measured, and why is not said",
			 fact->name);
	if (!mp_verdict_known(fact->verdict))
		return;
	if (!fact->unit[0] || !fact->method[0] || !fact->n_evidence)
		fail_msg("%s: no unit, no method or no evidence", fact->name);
	if (!isfinite(fact->value) || !isfinite(fact->low) ||
	    !isfinite(fact->high) || fact->value < fact->low ||
	    fact->value > fact->high)
		fail_msg("%s: %g is not within [%g, %g]", fact->name,
			 fact->value, fact->low, fact->high);
}

/* All that was promised, nothing else, in that order; and beside that, of
 * facts that may be renewed, each once at most. */
static void check_promise(const struct mp_probe *probe,
			  const struct mp_fact *fact, uint32_t n)
{
	const char *rest = probe->facts;
	char name[MP_FACT_NAME];
	uint32_t promised = 0;

	while (mp_names_next(&rest, name, sizeof(name))) {
		uint32_t found = 0;

		promised++;
		for (uint32_t i = 0; i < n; i++)
			found += !strcmp(fact[i].name, name);
		if (found != 1)
			fail_msg("%s: answers %s %u times", probe->name, name,
				 found);
	}
	rest = probe->renews;
	while (mp_names_next(&rest, name, sizeof(name))) {
		uint32_t found = 0;

		for (uint32_t i = 0; i < n; i++)
			found += !strcmp(fact[i].name, name);
		assert_true(found <= 1);
		promised += found;
	}
	assert_int_equal(n, promised);
	for (uint32_t i = 0; i < n; i++)
		check_sound(&fact[i]);
}

static void infer(const struct mp_probe *probe, struct mp_view view,
		  struct mp_facts *facts)
{
	view.look = made_look();
	assert_int_equal(probe->infer(&view, facts), 0);
}

void made_view_infer(struct made_view *made, const struct mp_probe *probe)
{
	struct mp_facts first = { 0 }, second = { 0 }, none = { 0 };
	struct mp_facts other = { 0 };
	struct mp_view empty = made->view;
	uint32_t before = made->facts.n;

	empty.n_batches = 0;
	empty.facts = &none;
	infer(probe, made->view, &first);
	infer(probe, empty, &other);
	infer(probe, made->view, &second);
	/* As in a run, where the list read and the list written are one. */
	infer(probe, made->view, &made->facts);
	check_promise(probe, first.fact, first.n);
	assert_int_equal(second.n, first.n);
	assert_int_equal(made->facts.n - before, first.n);
	check_same_facts(probe, first.fact, second.fact, first.n);
	check_same_facts(probe, first.fact, made->facts.fact + before,
			 first.n);
	check_same_series(&first, &second);
	mp_facts_free(&first);
	mp_facts_free(&second);
	mp_facts_free(&other);
}

/* -- runs --------------------------------------------------------------- */

void made_view_open(struct made_view *made, const struct made_cpu *cpu,
		    uint32_t depth)
{
	memset(made, 0, sizeof(*made));
	made->cpu = *cpu;
	made->view = (struct mp_view){
		.caps = MP_CAP_CHASE | MP_CAP_HUGE |
			(cpu->core_hz > 0 ? MP_CAP_CORE_CLOCK : 0),
		.cpu = 3,
		.node = MP_NODE_ANY,
		.pages = MP_PAGES_THP,
		.arena_max_bytes = ARENA_MAX,
		.depth = depth,
		.seed = 7,
		.left_ns = MP_BUDGET_DEFAULT_NS,
		.facts = &made->facts,
	};
}

void made_view_open_usual(struct made_view *made)
{
	struct made_cpu cpu;

	made_cpu_usual(&cpu);
	made_view_open(made, &cpu, MP_DEPTH_DEFAULT);
}

void made_view_close(struct made_view *made)
{
	for (uint32_t i = 0; i < made->view.n_batches; i++) {
		mp_batch_free(made->batch[i]);
		free(made->batch[i]);
	}
	free(made->batch);
	mp_pool_free(&made->pool);
	mp_facts_free(&made->facts);
	memset(made, 0, sizeof(*made));
}

void made_view_ask(struct made_view *made, const struct mp_probe *probe)
{
	made_view_plan(made, probe);
	made_view_infer(made, probe);
}

void made_view_until(struct made_view *made, const char *name)
{
	struct mp_run_list list;
	char why[WHY];

	if (mp_run_select(mp_probes, name, false, &list, why, sizeof(why)))
		fail_msg("%s", why);
	for (uint32_t i = 0; i < list.n; i++)
		made_view_ask(made, list.probe[i]);
}

static struct mp_fact *know(struct made_view *made, const char *name)
{
	struct mp_where where;
	struct mp_fact *fact;

	mp_where_cpu(&where, made->view.cpu);
	fact = mp_facts_add(&made->facts, name, &where);
	assert_non_null(fact);
	return fact;
}

void made_view_know(struct made_view *made, const char *name, double value,
		    const char *unit)
{
	struct mp_fact *fact = know(made, name);

	fact->verdict = MP_MEASURED;
	fact->value = fact->low = fact->high = value;
	snprintf(fact->unit, sizeof(fact->unit), "%s", unit);
}

void made_view_know_absent(struct made_view *made, const char *name)
{
	know(made, name)->verdict = MP_ABSENT;
}

void made_view_know_sizes(struct made_view *made)
{
	static const char *const name[] = { "cpu.l1d.size", "cpu.l2.size",
					    "cpu.l3.size" };
	const struct made_cpu *cpu = &made->cpu;

	made_view_know(made, "cpu.l1d.line",
		       cpu->cache[0].line ? cpu->cache[0].line : 64, "bytes");
	for (uint32_t k = 0; k < 3; k++) {
		if (k < cpu->n_caches)
			made_view_know(made, name[k],
				       (double)cpu->cache[k].bytes, "bytes");
		else
			made_view_know_absent(made, name[k]);
	}
}

void made_view_keep(struct made_view *made, uint32_t replicates)
{
	for (uint32_t i = 0; i < made->view.n_batches; i++)
		if (made->batch[i]->replicate >= replicates)
			mp_batch_free(made->batch[i]);
}

/* -- answers ------------------------------------------------------------ */

const struct mp_fact *made_fact(const struct made_view *made, const char *name)
{
	const struct mp_fact *fact = mp_facts_find(&made->facts, name);

	if (!fact)
		fail_msg("no fact %s", name);
	return fact;
}

void made_fact_ends(const struct made_view *made, const char *name,
		    uint32_t verdict)
{
	const struct mp_fact *fact = made_fact(made, name);

	if (fact->verdict != verdict)
		fail_msg("%s: %s, not %s: %g [%g, %g] %s", name,
			 mp_verdict_name(fact->verdict),
			 mp_verdict_name(verdict), fact->value, fact->low,
			 fact->high, fact->reason);
}

static void limits_hold(const struct mp_fact *fact, double value)
{
	if (fact->low > value || fact->high < value)
		fail_msg("%s: %s %g [%g, %g], not %g: %s", fact->name,
			 mp_verdict_name(fact->verdict), fact->value,
			 fact->low, fact->high, value, fact->reason);
	if (fact->high > APART_MAX * fact->low)
		fail_msg("%s: [%g, %g] holds %g, as it would nearly anything",
			 fact->name, fact->low, fact->high, value);
}

void made_fact_holds(const struct made_view *made, const char *name,
		     double value)
{
	const struct mp_fact *fact = made_fact(made, name);

	/* What is known from below only would hold anything larger. */
	if (!mp_verdict_known(fact->verdict) || fact->verdict == MP_AT_LEAST)
		fail_msg("%s: %s, not %g: %s", name,
			 mp_verdict_name(fact->verdict), value, fact->reason);
	limits_hold(fact, value);
}

void made_fact_at_least(const struct made_view *made, const char *name,
			double value)
{
	made_fact_ends(made, name, MP_AT_LEAST);
	limits_hold(made_fact(made, name), value);
}

void made_fact_is(const struct made_view *made, const char *name, double value,
		  double share)
{
	const struct mp_fact *fact = made_fact(made, name);

	made_fact_ends(made, name, MP_MEASURED);
	made_fact_holds(made, name, value);
	if (fabs(fact->value / value - 1) > share)
		fail_msg("%s: %g, not %g", name, fact->value, value);
}

void made_facts_cannot(const struct made_view *made,
		       const struct mp_probe *probe)
{
	const char *rest = probe->facts;
	char name[MP_FACT_NAME];

	while (mp_names_next(&rest, name, sizeof(name)))
		made_fact_ends(made, name, MP_NOT_MEASURABLE);
}

/* One bad day: the probe alone, and all that it starts from. */
static void bad_day(const struct made_cpu *cpu, const char *name,
		    uint32_t depth, bool no_value)
{
	const struct mp_probe *probe = mp_probe_find(name);
	struct made_view made;

	assert_non_null(probe);
	for (int alone = 0; alone < 2; alone++) {
		made_view_open(&made, cpu, depth);
		if (alone)
			made_view_ask(&made, probe);
		else
			made_view_until(&made, name);
		if (no_value)
			made_facts_cannot(&made, probe);
		made_view_close(&made);
	}
}

void made_probe_always_answers(const char *name)
{
	const struct mp_probe *probe = mp_probe_find(name);
	struct made_view made;
	struct made_cpu cpu;

	made_cpu_usual(&cpu);
	made_view_open(&made, &cpu, MP_DEPTH_DEFAULT);
	made_view_infer(&made, probe);
	made_facts_cannot(&made, probe);
	made_view_close(&made);
	for (uint32_t depth = 0; depth < MP_DEPTH_DEEP; depth++) {
		cpu.error = -EOPNOTSUPP;
		bad_day(&cpu, name, depth, true);
		cpu.error = 0;
		cpu.disturbed = 1;
		bad_day(&cpu, name, depth, strcmp(name, "clock"));
		cpu.disturbed = 0;
	}
	cpu.core_hz = 0;
	bad_day(&cpu, name, MP_DEPTH_QUICK, false);
}

/* -- tests of one probe ------------------------------------------------- */

int made_begin(void **state)
{
	const struct made_test *test = *state;

	*test->probe = mp_probe_find(test->name);
	if (!*test->probe)
		return -1;
	made_cpu_usual(test->cpu);
	return 0;
}

int made_end(void **state)
{
	const struct made_test *test = *state;

	made_view_close(test->made);
	return 0;
}
