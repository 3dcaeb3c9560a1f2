// SPDX-License-Identifier: GPL-2.0
/* A probe put to a simulated machine. */
#include "sim_ask.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "backend.h"
#include "limits.h"
#include "made_look.h"
#include "temp_folder.h"

extern const struct mp_backend mp_backend_sim;

#define ROUNDS_MAX MP_PLANS_MAX
#define ARENA_MAX (512ull << 20)

static struct mp_fact *known(struct sim_ask *ask, const char *name)
{
	struct mp_where where;
	struct mp_fact *fact;

	mp_where_cpu(&where, 0);
	fact = mp_facts_add(&ask->known, name, &where);
	assert_non_null(fact);
	return fact;
}

void sim_ask_know_text(struct sim_ask *ask, const char *name, const char *text)
{
	struct mp_fact *fact = known(ask, name);

	fact->verdict = MP_MEASURED;
	fact->is_text = true;
	snprintf(fact->text, sizeof(fact->text), "%s", text);
}

void sim_ask_know(struct sim_ask *ask, const char *name, double value)
{
	struct mp_fact *fact = known(ask, name);

	fact->verdict = isnan(value) ? MP_ABSENT : MP_MEASURED;
	fact->value = fact->low = fact->high = value;
}

static uint32_t counted(const struct sim_ask *ask, const struct mp_exp *exp)
{
	const struct mp_batch_list *list = mp_batch_index_find(&ask->index,
							       mp_exp_id(exp));

	return list ? list->n : 0;
}

static void measure(struct sim_ask *ask, struct mp_target *target,
		    const struct mp_exp *exp, uint32_t replicate)
{
	struct mp_batch *batch = malloc(sizeof(*batch));
	char why[256];

	assert_non_null(batch);
	if (mp_exp_check(exp, why, sizeof(why)))
		fail_msg("a plan holds what cannot be: %s", why);
	mp_batch_init(batch, exp, replicate);
	assert_int_equal(mp_backend_sim.run(target, exp, replicate, batch), 0);
	ask->batch = realloc(ask->batch, (ask->view.n_batches + 1) *
					 sizeof(struct mp_batch *));
	assert_non_null(ask->batch);
	ask->batch[ask->view.n_batches++] = batch;
	ask->view.batch = (const struct mp_batch *const *)ask->batch;
	assert_int_equal(mp_batch_index_add(&ask->index, batch), 0);
}

/* The first stage that lacks anything. */
static bool measure_plan(struct sim_ask *ask, struct mp_target *target,
			 const struct mp_plan *plan)
{
	const uint32_t before = ask->view.n_batches;
	uint32_t last = 0;

	for (uint32_t i = 0; i < plan->n; i++)
		if (plan->wanted[i].stage > last)
			last = plan->wanted[i].stage;
	for (uint32_t stage = 0; stage <= last; stage++) {
		for (uint32_t i = 0; i < plan->n; i++) {
			const struct mp_wanted *wanted = &plan->wanted[i];
			uint32_t n = counted(ask, &wanted->exp);

			for (; wanted->stage == stage &&
			       n < wanted->replicates; n++)
				measure(ask, target, &wanted->exp, n);
		}
		if (ask->view.n_batches != before)
			return true;
	}
	return false;
}

static void open_sim(struct sim_ask *ask, const char *text, uint64_t seed,
		     struct mp_target *target)
{
	const char *path = temp_path("asked.machine");
	const struct mp_opts opts = { .cpu = -1, .node = -1, .pages = -1,
				      .seed = seed, .file = path };
	struct mp_host host = { 0 };
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	memset(target, 0, sizeof(*target));
	target->backend = &mp_backend_sim;
	if (mp_backend_sim.open(target, &opts))
		fail_msg("%s", target->why);
	assert_int_equal(mp_backend_sim.look(target, &host), 0);
	ask->view = (struct mp_view){
		.caps = host.caps,
		.cpu = host.cpu,
		.node = host.node,
		.pages = host.pages,
		.pages_forced = host.pages_forced,
		.arena_max_bytes = ARENA_MAX,
		.depth = MP_DEPTH_DEFAULT,
		.seed = seed,
		.left_ns = UINT64_MAX,
		.facts = &ask->known,
		.quiet = ask->quiet,
		.index = &ask->index,
	};
}

void sim_ask(struct sim_ask *ask, const char *text,
	     const struct mp_probe *probe, uint64_t seed)
{
	struct mp_target target;
	bool more = true;

	open_sim(ask, text, seed, &target);
	while (more) {
		struct mp_plan plan = { 0 };

		assert_true(ask->rounds++ < ROUNDS_MAX);
		ask->view.look = made_look();
		assert_true(probe->next(&ask->view, &plan) >= 0);
		more = measure_plan(ask, &target, &plan);
		mp_plan_free(&plan);
	}
	ask->view.look = made_look();
	assert_int_equal(probe->infer(&ask->view, &ask->found), 0);
	/* What a test asks then is of no look: it may change the view. */
	ask->view.look = 0;
	ask->view.index = NULL;
	mp_backend_sim.close(&target);
}

void sim_ask_free(struct sim_ask *ask)
{
	for (uint32_t i = 0; i < ask->view.n_batches; i++) {
		mp_batch_free(ask->batch[i]);
		free(ask->batch[i]);
	}
	free(ask->batch);
	mp_batch_index_free(&ask->index);
	mp_facts_free(&ask->known);
	mp_facts_free(&ask->found);
	memset(ask, 0, sizeof(*ask));
}

const struct mp_fact *sim_ask_fact(const struct sim_ask *ask,
				   const char *name)
{
	const struct mp_fact *fact = mp_facts_find(&ask->found, name);

	if (!fact)
		fail_msg("no fact %s", name);
	return fact;
}
