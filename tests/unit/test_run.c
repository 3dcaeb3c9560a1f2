// SPDX-License-Identifier: GPL-2.0
/* What a run keeps, saves, and takes over from a recording. */
#include "run.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "limits.h"
#include "made_batch.h"
#include "temp_folder.h"

/* A run of two batches, made without a loop. */
static void make(struct mp_run *run)
{
	struct mp_exp exp;

	memset(run, 0, sizeof(*run));
	run->seed = 5;
	run->depth = MP_DEPTH_QUICK;
	run->budget_ns = 7;
	run->limit_ns = 8;
	run->stop = MP_STOP_SIGNAL;
	strcpy(run->probes, "clock,line");
	strcpy(run->host.model, "made up");
	run->batch = calloc(2, sizeof(*run->batch));
	run->n_batches = 2;
	for (uint32_t i = 0; i < 2; i++) {
		made_exp(&exp, 4096);
		run->batch[i] = malloc(sizeof(**run->batch));
		mp_batch_init(run->batch[i], &exp, i);
		made_batch(run->batch[i], 3, 0, 2);
	}
}

static void a_saved_run_holds_what_the_run_was(void **state)
{
	static struct mp_run run;
	static struct mp_save save;
	char why[256] = "";

	(void)state;
	make(&run);
	assert_int_equal(mp_run_save(&run, temp_path("run"), why,
				     sizeof(why)), 0);
	assert_int_equal(mp_save_read(temp_path("run"), &save, why,
				      sizeof(why)), 0);
	assert_int_equal(save.head.seed, 5);
	assert_int_equal(save.head.depth, MP_DEPTH_QUICK);
	assert_int_equal(save.head.budget_ns, 7);
	assert_int_equal(save.head.limit_ns, 8);
	assert_string_equal(save.head.probes, "clock,line");
	assert_string_equal(save.head.stop, "signal");
	assert_string_equal(save.head.host.model, "made up");
	assert_int_equal(save.n_batches, 2);
	for (uint32_t i = 0; i < 2; i++)
		assert_true(made_batch_equal(save.batch[i], run.batch[i]));
	mp_save_free(&save);
	mp_run_free(&run);
	assert_int_equal(run.n_batches, 0);
	mp_run_free(&run);
}

static void a_recording_brings_its_seed_depth_and_budget(void **state)
{
	static struct mp_host host;
	static struct mp_save save;
	struct mp_run_opts opts = { .seed = 1, .depth = 1, .budget_ns = 1,
				    .limit_ns = 1, .n_probes = 1 };

	(void)state;
	mp_run_adopt(&opts, &host);
	assert_int_equal(opts.seed, 1);
	save.head.seed = 42;
	save.head.depth = MP_DEPTH_DEEP;
	save.head.budget_ns = 43;
	save.head.limit_ns = 44;
	host.recorded = &save;
	mp_run_adopt(&opts, &host);
	assert_int_equal(opts.seed, 42);
	assert_int_equal(opts.depth, MP_DEPTH_DEEP);
	assert_int_equal(opts.budget_ns, 43);
	assert_int_equal(opts.limit_ns, 44);
	assert_int_equal(opts.n_probes, 1);
}

static void a_deeper_run_may_cost_more(void **state)
{
	(void)state;
	assert_int_equal(mp_run_budget_ns(MP_DEPTH_QUICK), MP_BUDGET_QUICK_NS);
	assert_true(mp_run_budget_ns(MP_DEPTH_QUICK) <
		    mp_run_budget_ns(MP_DEPTH_DEFAULT));
	assert_true(mp_run_budget_ns(MP_DEPTH_DEFAULT) <
		    mp_run_budget_ns(MP_DEPTH_DEEP));
}

static void every_way_to_end_has_a_name(void **state)
{
	(void)state;
	assert_string_equal(mp_run_stop_name(MP_STOP_DONE), "done");
	assert_string_equal(mp_run_stop_name(MP_STOP_TIME), "time");
	assert_string_equal(mp_run_stop_name(MP_STOP_SIGNAL), "signal");
	assert_string_equal(mp_run_stop_name(99), "unknown");
}

static void a_claim_goes_to_every_fact_of_its_name(void **state)
{
	struct mp_facts facts = { 0 };
	static struct mp_host host;
	struct mp_where where;

	(void)state;
	mp_where_cpu(&where, 0);
	mp_facts_add(&facts, "cpu.l1d.size", &where);
	mp_where_cpu(&where, 8);
	mp_facts_add(&facts, "cpu.l1d.size", &where);
	mp_facts_add(&facts, "cpu.l2.size", &where);
	mp_host_claim(&host, "cpu.l1d.size", 32768, "cpuid");
	mp_host_claim(&host, "cpu.l3.size", 1, "cpuid");
	mp_facts_claim(&facts, &host);
	assert_true(facts.fact[0].claim.known);
	assert_true(facts.fact[1].claim.known);
	assert_true(facts.fact[1].claim.value == 32768);
	assert_false(facts.fact[2].claim.known);
	mp_facts_free(&facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_saved_run_holds_what_the_run_was),
		cmocka_unit_test(a_recording_brings_its_seed_depth_and_budget),
		cmocka_unit_test(a_deeper_run_may_cost_more),
		cmocka_unit_test(every_way_to_end_has_a_name),
		cmocka_unit_test(a_claim_goes_to_every_fact_of_its_name),
	};

	return cmocka_run_group_tests(tests, temp_folder_make,
				      temp_folder_remove);
}
