// SPDX-License-Identifier: GPL-2.0
#include "made_sim.h"

#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "backend.h"
#include "analysis/spectrum.h"
#include "backend/sim_chase.h"
#include "backend/user_team.h"
#include "made_look.h"
#include "made_machine.h"

#define SEED 1u
#define PLANS 64u
#define CPUS 64u
/* Limits of made edges lie so far on either side. */
#define BLUR 1.03

/* Slots that wander through lines word by word may leave none to another ring. */
static bool wanders(const struct mp_exp *exp)
{
	for (uint32_t i = 0; i < exp->n_actors; i++)
		if (exp->actor[i].skew % 32)
			return true;
	return false;
}

/* What several actors are to do can be had in user space as well, on a machine of so
 * many CPUs: a simulated one has no links that could be in each other's way. */
static void check_team(const struct mp_exp *exp)
{
	struct mp_user_place place = { .sched = { .n_cpus = CPUS } };
	cpu_set_t *cpus = CPU_ALLOC(CPUS);
	char why[256] = "";

	assert_non_null(cpus);
	CPU_ZERO_S(CPU_ALLOC_SIZE(CPUS), cpus);
	for (uint32_t i = 0; i < CPUS; i++)
		CPU_SET_S(i, CPU_ALLOC_SIZE(CPUS), cpus);
	place.sched.before = cpus;
	if (mp_user_team_check(&place, exp, why, sizeof(why)))
		fail_msg("%s", why);
	CPU_FREE(cpus);
}

static void measure(struct made_sim *sim, const struct mp_exp *exp,
		    uint32_t replicate)
{
	struct mp_batch *batch = malloc(sizeof(*batch));
	char why[256];

	assert_non_null(batch);
	assert_true(sim->n < MADE_SIM_BATCHES);
	if (mp_exp_check(exp, why, sizeof(why)))
		fail_msg("%s", why);
	if (exp->n_actors > 1 && !wanders(exp))
		check_team(exp);
	mp_batch_init(batch, exp, replicate);
	assert_int_equal(mp_sim_chase(&sim->machine, sim->view.seed, NULL,
				      batch), 0);
	if (sim->spoil)
		sim->spoil(batch);
	for (uint32_t i = 0; i < batch->n_samples; i++)
		sim->hops += batch->sample[i].hops;
	sim->batch[sim->n] = batch;
	sim->seen[sim->n++] = batch;
	sim->view.n_batches = sim->n;
	assert_int_equal(mp_batch_index_add(&sim->index, batch), 0);
}

void made_sim_open(struct made_sim *sim, const char *text)
{
	struct mp_where where;
	struct mp_fact *line;
	struct mp_exp exp;

	memset(sim, 0, sizeof(*sim));
	made_machine(&sim->machine, text);
	mp_where_cpu(&where, 0);
	line = mp_facts_add(&sim->facts, "cpu.l1d.line", &where);
	line->verdict = MP_MEASURED;
	line->value = (double)sim->machine.level[0].line_bytes;
	sim->view = (struct mp_view){
		.caps = MP_CAP_CHASE | MP_CAP_PHASES,
		.node = MP_NODE_ANY,
		.pages = MP_PAGES_THP,
		.arena_max_bytes = 16u << 20,
		.depth = MP_DEPTH_DEFAULT,
		.seed = SEED,
		.left_ns = UINT64_MAX,
		.batch = sim->seen,
		.facts = &sim->facts,
	};
	mp_exp_chase(&exp, 0, MP_PAGES_THP, 4096, 256, 0);
	measure(sim, &exp, 0);
	sim->hops = 0;
}

void made_sim_open_quiet(struct made_sim *sim, const char *text, uint64_t seed)
{
	made_sim_open(sim, text);
	sim->view.seed = seed;
	sim->view.quiet = MP_WISH_PREFETCH_OFF;
	sim->view.caps |= MP_CAP_SEQUENCE;
	sim->view.arena_max_bytes = 64u << 20;
}

void made_sim_close(struct made_sim *sim)
{
	for (uint32_t i = 0; i < sim->n; i++) {
		mp_batch_free(sim->batch[i]);
		free(sim->batch[i]);
	}
	mp_batch_index_free(&sim->index);
	mp_facts_free(&sim->facts);
	mp_sim_machine_free(&sim->machine);
}

void made_sim_tell_quiet(struct made_sim *sim)
{
	struct mp_plan plan = { 0 };
	struct mp_sweep sweep;

	sim->view.quiet = MP_WISH_PREFETCH_OFF;
	mp_cpu_sparse_sweep(&sim->view, &sweep);
	assert_int_equal(mp_sweep_plan(&sweep, &sim->view, 4096, 1, &plan), 0);
	made_sim_run(sim, &plan);
}

static uint32_t made_of(const struct made_sim *sim, uint64_t id)
{
	const struct mp_batch_list *list = mp_batch_index_find(&sim->index, id);

	return list ? list->n : 0;
}

uint32_t made_sim_run(struct made_sim *sim, struct mp_plan *plan)
{
	uint32_t made = 0, stage = 0;

	for (uint32_t i = 0; i < plan->n; i++) {
		const struct mp_wanted *wanted = &plan->wanted[i];
		uint32_t n = made_of(sim, mp_exp_id(&wanted->exp));

		if (made && wanted->stage != stage)
			break;
		for (; n < wanted->replicates; n++, made++)
			measure(sim, &wanted->exp, n);
		stage = wanted->stage;
	}
	mp_plan_free(plan);
	return made;
}

void made_sim_ask(struct made_sim *sim, const struct mp_probe *probe)
{
	sim->view.index = &sim->index;
	for (uint32_t i = 0; i < PLANS; i++) {
		struct mp_plan plan = { 0 };

		sim->view.look = made_look();
		assert_true(probe->next(&sim->view, &plan) >= 0);
		if (!made_sim_run(sim, &plan))
			break;
	}
	sim->view.look = made_look();
	assert_int_equal(probe->infer(&sim->view, &sim->facts), 0);
	/* What a test asks then is of no look: it may change the view. */
	sim->view.look = 0;
	sim->view.index = NULL;
}

const struct mp_fact *made_sim_fact(const struct made_sim *sim,
				    const char *name)
{
	for (uint32_t i = sim->facts.n; i > 0; i--)
		if (!strcmp(sim->facts.fact[i - 1].name, name))
			return &sim->facts.fact[i - 1];
	fail_msg("no fact %s", name);
	return NULL;
}

const struct mp_fact *made_sim_not_wrong(const struct made_sim *sim,
					 const char *name, double value,
					 double share)
{
	const struct mp_fact *fact = made_sim_fact(sim, name);
	const bool right = fact->verdict == MP_MEASURED ?
			   fabs(fact->value / value - 1) <= share :
			   fact->verdict != MP_ABSENT &&
			   (fact->verdict != MP_AT_LEAST ||
			    fact->low <= value);

	if (!right)
		fail_msg("%s: verdict %u, %g for %g (%s)", name,
			 fact->verdict, fact->value, value, fact->reason);
	return fact;
}

void made_sim_ask_levels(struct made_sim *sim, const char *text, uint64_t seed)
{
	made_sim_open_quiet(sim, text, seed);
	sim->view.caps |= MP_CAP_CORE_CLOCK;
	made_sim_ask(sim, mp_probe_find("cache-size"));
	made_sim_ask(sim, mp_probe_find("latency"));
}

void made_sim_edges(const struct made_sim *sim, struct mp_cpu_edges *edges)
{
	const struct mp_sim_machine *machine = &sim->machine;
	double reach = 0;

	memset(edges, 0, sizeof(*edges));
	edges->n = machine->n_levels;
	edges->doubt.level = edges->muddled = edges->contradicted = MP_CPU_LEVELS;
	edges->single = mp_spectrum_step(sim->seen[0]) <= MP_SPECTRUM_STEP_MAX;
	edges->table = mp_miss_table_get();
	edges->spectrum.n = edges->n + 1;
	edges->spectrum.bound[edges->n] = INFINITY;
	edges->spectrum.cycles[edges->n] =
		machine->general.memory_latency_cycles;
	for (uint32_t k = 0; k < edges->n; k++) {
		const struct mp_sim_level *level = &machine->level[k];
		struct mp_edge *edge = &edges->edge[k];

		if (level->inclusion != MP_SIM_EXCLUSIVE)
			reach = 0;
		reach += (double)level->size_bytes;
		edge->size = edges->level[k].size_bytes = reach;
		edge->low = edges->level[k].low_bytes = reach / BLUR;
		edge->high = reach * BLUR;
		edge->inside = level->latency_cycles;
		edge->outside = k + 1 < edges->n ? level[1].latency_cycles :
				machine->general.memory_latency_cycles;
		edges->spectrum.cycles[k] = edge->inside;
		edges->spectrum.bound[k] = (edge->inside + edge->outside) / 2;
		edges->fitted[k] = true;
	}
}
