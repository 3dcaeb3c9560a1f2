// SPDX-License-Identifier: GPL-2.0
/* One machine of the zoo, measured as the tool measures, and judged. */
#include "zoo_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "backend.h"
#include "confidence.h"
#include "limits.h"
#include "names.h"
#include "runner.h"

#define NS_PER_S 1000000000ull
#define MHZ 1e6

/* The simulator's own time is taken by a backend around it. */
static struct mp_backend timed;
static const struct mp_backend *real;
static uint64_t sim_ns;

static uint64_t cpu_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static int run_timed(struct mp_target *target, const struct mp_exp *exp,
		     uint32_t replicate, struct mp_batch *batch)
{
	const uint64_t begin_ns = cpu_now_ns();
	const int err = real->run(target, exp, replicate, batch);

	sim_ns += cpu_now_ns() - begin_ns;
	return err;
}

static int open_machine(struct mp_target *target, struct mp_host *host,
			const struct zoo_how *how, const char *file)
{
	const struct mp_opts opts = {
		.cpu = -1, .node = -1, .pages = -1, .seed = how->seed,
		.file = file,
	};
	int err;

	memset(target, 0, sizeof(*target));
	memset(host, 0, sizeof(*host));
	real = mp_backend_find("sim");
	timed = *real;
	timed.run = run_timed;
	target->backend = &timed;
	err = timed.open(target, &opts);
	if (err)
		return err;
	err = timed.look(target, host);
	if (err)
		timed.close(target);
	return err;
}

static int measure(const struct zoo_how *how, const char *file,
		   struct mp_run *run, struct zoo_result *result)
{
	const uint64_t limit_ns = MP_TIME_LIMIT_S * NS_PER_S;
	const struct mp_run_opts opts = {
		.probe = how->list.probe,
		.n_probes = how->list.n,
		.depth = how->depth,
		.seed = how->seed,
		.budget_ns = how->budget_ns < limit_ns ? how->budget_ns :
							 limit_ns,
		.limit_ns = limit_ns,
	};
	struct mp_target target;
	static struct mp_host host;
	int err;

	memset(run, 0, sizeof(*run));
	err = open_machine(&target, &host, how, file);
	if (!err) {
		err = mp_run_all(&target, &host, &opts, run);
		timed.close(&target);
	}
	if (err) {
		result->failed = true;
		snprintf(result->why, sizeof(result->why), "%.*s", ZOO_WHY - 1,
			 target.why);
	}
	return err;
}

bool zoo_promised(const struct mp_run_list *list, const char *fact)
{
	char name[MP_FACT_NAME];

	for (uint32_t i = 0; i < list->n; i++) {
		const char *rest = list->probe[i]->facts;

		while (mp_names_next(&rest, name, sizeof(name))) {
			if (!strcmp(name, fact))
				return true;
		}
	}
	return false;
}

static uint64_t hops_of(const struct mp_run *run)
{
	uint64_t hops = 0;

	for (uint32_t i = 0; i < run->n_batches; i++) {
		const struct mp_batch *batch = run->batch[i];

		for (uint32_t k = 0; k < batch->n_samples; k++)
			hops += batch->sample[k].hops;
	}
	return hops;
}

static void judge_one(const struct zoo_how *how,
		      const struct mp_sim_machine *machine,
		      const struct mp_sim_expect *expect,
		      const struct mp_run *run, struct zoo_result *result)
{
	const struct mp_fact *found = mp_facts_find(&run->facts, expect->fact);
	struct zoo_fact *fact = &result->fact[result->n];
	struct score_judged judged;
	char text[SCORE_WHY];

	memset(fact, 0, sizeof(*fact));
	fact->is_promised = zoo_promised(&how->list, expect->fact);
	if (how->is_partial && !fact->is_promised)
		return;
	score_judge(expect->fact, expect->value, found,
		    machine->general.clock_mhz * MHZ, &judged);
	if (judged.score == SCORE_ANY)
		return;
	snprintf(fact->name, sizeof(fact->name), "%.*s", MP_FACT_NAME - 1,
		 expect->fact);
	fact->score = (uint8_t)judged.score;
	fact->has_limits = judged.has_limits;
	fact->held = judged.held;
	fact->confidence = found ? found->confidence : NAN;
	fact->class = found ? mp_confidence_class(found, mp_run_is_fine(run)) :
			      MP_CONFIDENCE_UNKNOWN;
	if (judged.score != SCORE_RIGHT)
		snprintf(fact->said, sizeof(fact->said), "%.*s", ZOO_WHY - 1,
			 score_say(text, expect->value, found));
	result->n++;
}

static void judge(const struct zoo_how *how,
		  const struct mp_sim_machine *machine,
		  const struct mp_run *run, struct zoo_result *result)
{
	if (machine->n_expects > ZOO_FACTS_MAX) {
		result->failed = true;
		snprintf(result->why, sizeof(result->why), "%u facts are "
			 "expected: at most %u", machine->n_expects,
			 ZOO_FACTS_MAX);
		return;
	}
	for (uint32_t i = 0; i < machine->n_expects; i++)
		judge_one(how, machine, &machine->expect[i], run, result);
}

size_t zoo_result_bytes(const struct zoo_result *result)
{
	return offsetof(struct zoo_result, fact) +
	       result->n * sizeof(result->fact[0]);
}

void zoo_run(const struct zoo_how *how, const char *file,
	     struct zoo_result *result)
{
	const uint64_t begin_ns = cpu_now_ns();
	struct mp_sim_machine machine;
	struct mp_run run;

	memset(result, 0, offsetof(struct zoo_result, fact));
	sim_ns = 0;
	if (mp_sim_machine_read(&machine, file, result->why,
				sizeof(result->why))) {
		result->failed = true;
		return;
	}
	if (!measure(how, file, &run, result)) {
		judge(how, &machine, &run, result);
		result->hops = hops_of(&run);
	}
	mp_run_free(&run);
	mp_sim_machine_free(&machine);
	result->cpu_ns = cpu_now_ns() - begin_ns;
	result->sim_ns = sim_ns;
}
