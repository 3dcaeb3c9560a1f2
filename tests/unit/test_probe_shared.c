// SPDX-License-Identifier: GPL-2.0
/* Which CPUs share a level, asked of a machine that is played by formula. */
#include "probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sharing.h"
#include "pool.h"

#define KIB 1024.0
#define LEVELS MADE_SHARING_LEVELS
#define BATCHES 4096

static const double sizes[LEVELS] = { 32 * KIB, 1024 * KIB, 32768 * KIB };
static const char *const names[LEVELS] = { "l1d", "l2", "l3" };

static struct made_sharing world;

/* What was found, and asked; @blind: latencies are not known. */
static struct {
	struct mp_facts facts;
	struct mp_facts found;
	struct mp_pool pool;
	struct mp_batch *batch[BATCHES];
	uint32_t n;
	uint32_t others;
	bool blind;
	const char *unknown;	/* a level whose latency is not known */
} run;

static const struct mp_probe *probe;

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	memset(&run, 0, sizeof(run));
	memcpy(world.size, sizes, sizeof(sizes));
	memcpy(world.ticks, (double[]){ 4, 14, 40, 250 },
	       sizeof(world.ticks));
	world.group[0] = 1;
	world.group[1] = 2;
	world.group[2] = 4;
	world.weak = 1;
	world.view = (struct mp_view){
		.caps = MP_CAP_CHASE | MP_CAP_ACTORS,
		.cpu = 1,
		.node = MP_NODE_ANY,
		.pages = MP_PAGES_THP,
		.arena_max_bytes = 512ull << 20,
		.depth = MP_DEPTH_DEFAULT,
		.seed = 7,
		.facts = &run.facts,
	};
	mp_cpus_parse(&world.view.cpus, "0-3");
	probe = mp_probe_find("shared");
	return probe ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < run.n; i++) {
		mp_batch_free(run.batch[i]);
		free(run.batch[i]);
	}
	mp_pool_free(&run.pool);
	mp_facts_free(&run.facts);
	mp_facts_free(&run.found);
	return 0;
}

static void know(const char *name, double value, uint32_t verdict)
{
	struct mp_where where;
	struct mp_fact *fact;

	mp_where_cpu(&where, world.view.cpu);
	fact = mp_facts_add(&run.facts, name, &where);
	assert_non_null(fact);
	fact->verdict = verdict;
	fact->value = fact->low = fact->high = value;
	if (verdict == MP_VARIES)
		fact->high = 2 * value;
}

static void know_latencies(void)
{
	char name[MP_FACT_NAME];

	for (uint32_t k = 0; k < LEVELS; k++) {
		snprintf(name, sizeof(name), "cpu.%s.latency", names[k]);
		know(name, world.ticks[k],
		     run.unknown && !strcmp(run.unknown, names[k]) ?
		     MP_NOT_MEASURABLE : MP_MEASURED);
	}
	know("cpu.dram.latency", world.ticks[LEVELS], MP_MEASURED);
}

static void know_all(void)
{
	char name[MP_FACT_NAME];

	know("cpu.l1d.line", 64, MP_MEASURED);
	know("cpu.l4.size", 0, MP_ABSENT);
	for (uint32_t k = 0; k < LEVELS; k++) {
		snprintf(name, sizeof(name), "cpu.%s.size", names[k]);
		know(name, world.size[k], world.size[k] > 0 ?
		     world.verdict[k] : MP_ABSENT);
	}
}

/* One stage of a plan, as the runner does it. */
static bool measure(const struct mp_plan *plan)
{
	const uint32_t before = run.n;

	for (uint32_t stage = 0; stage <= plan->stage && run.n == before;
	     stage++) {
		for (uint32_t i = 0; i < plan->n; i++) {
			const struct mp_wanted *wanted = &plan->wanted[i];
			struct mp_pooled *pooled;

			made_sharing_check(&world, &wanted->exp);
			pooled = mp_pool_want(&run.pool, &wanted->exp,
					      probe);
			while (wanted->stage == stage &&
			       !mp_pooled_enough(pooled,
						 wanted->replicates)) {
				struct mp_batch *batch =
					calloc(1, sizeof(*batch));

				assert_true(run.n < BATCHES);
				mp_batch_init(batch, &wanted->exp,
					      pooled->tries);
				made_sharing_answer(&world, batch);
				run.batch[run.n++] = batch;
				mp_pooled_note(pooled, batch);
			}
		}
	}
	return run.n > before;
}

static uint32_t others_of(const struct mp_plan *plan)
{
	struct mp_cpus cpus = { 0 };

	for (uint32_t i = 0; i < plan->n; i++)
		mp_cpus_add(&cpus, made_sharing_sweep(&plan->wanted[i].exp)->place);
	/* .. but for the CPU itself. */
	return mp_cpus_count(&cpus) ? mp_cpus_count(&cpus) - 1 : 0;
}

static void ask(void)
{
	bool more = true;

	if (!mp_facts_find(&run.facts, "cpu.l1d.size"))
		know_all();
	if (!run.blind)
		know_latencies();
	for (uint32_t i = 0; i < 64 && more; i++) {
		struct mp_plan plan = { 0 };

		world.view.n_batches = run.n;
		world.view.batch = (const struct mp_batch *const *)run.batch;
		more = probe->next(&world.view, &plan) > 0 && measure(&plan);
		run.others = others_of(&plan);
		mp_plan_free(&plan);
	}
	assert_false(more);
	world.view.n_batches = run.n;
	world.view.batch = (const struct mp_batch *const *)run.batch;
	assert_int_equal(probe->infer(&world.view, &run.found), 0);
	/* .. and the fourth, which this world has not. */
	assert_int_equal(run.found.n, LEVELS + 1);
	assert_string_equal(run.found.fact[LEVELS].name, "cpu.l4.shared");
	assert_true(run.found.fact[LEVELS].verdict == MP_ABSENT ||
		    run.found.fact[LEVELS].verdict == MP_NOT_MEASURABLE);
}

static const struct mp_fact *fact_of(uint32_t k)
{
	char name[MP_FACT_NAME];
	const struct mp_fact *fact;

	snprintf(name, sizeof(name), "cpu.%s.shared", names[k]);
	fact = mp_facts_find(&run.found, name);
	assert_non_null(fact);
	assert_string_equal(fact->unit, "cpus");
	return fact;
}

static void shared_by(uint32_t k, double cpus, const char *method)
{
	const struct mp_fact *fact = fact_of(k);

	if (fact->verdict != MP_MEASURED)
		fail_msg("%s: %s: %s", names[k],
			 mp_verdict_name(fact->verdict), fact->reason);
	assert_true(fact->value == cpus && fact->low == cpus &&
		    fact->high == cpus);
	assert_true(fact->n_evidence > 0);
	if (!strstr(fact->method, method))
		fail_msg("\"%s\" does not say \"%s\"", fact->method, method);
}

static void cannot(uint32_t k, const char *reason)
{
	const struct mp_fact *fact = fact_of(k);

	if (fact->verdict != MP_NOT_MEASURABLE)
		fail_msg("%s: %s, %g", names[k],
			 mp_verdict_name(fact->verdict), fact->value);
	if (!strstr(fact->reason, reason))
		fail_msg("\"%s\" does not say \"%s\"", fact->reason, reason);
}

static void those_that_share_a_level_are_counted(void **state)
{
	(void)state;
	world.noise = 0.5;
	ask();
	shared_by(0, 1, "CPU 1 has it alone, of CPUs 0-3");
	shared_by(1, 2, "CPUs 0-1 share, of CPUs 0-3");
	shared_by(2, 4, "CPUs 0-3 share, of CPUs 0-3");
}

static void two_cpus_with_an_outer_level_in_common(void **state)
{
	(void)state;
	mp_cpus_parse(&world.view.cpus, "0-1");
	world.group[1] = 1;
	ask();
	shared_by(0, 1, "CPU 1 has it alone");
	shared_by(1, 1, "CPU 1 has it alone");
	shared_by(2, 2, "CPUs 0-1 share");
}

static void threads_of_one_core_share_all(void **state)
{
	(void)state;
	mp_cpus_parse(&world.view.cpus, "0-1");
	world.group[0] = 2;
	ask();
	shared_by(0, 2, "CPUs 0-1 share");
	shared_by(1, 2, "CPUs 0-1 share");
}

/* Two CPUs, and a second level that is half as large again as the first. */
static void make_near(void)
{
	mp_cpus_parse(&world.view.cpus, "0-1");
	world.size[1] = 48 * KIB;
}

static void a_near_level_inside_that_serves_nothing_is_no_hindrance(void **state)
{
	(void)state;
	make_near();
	ask();
	shared_by(1, 2, "CPUs 0-1 share");
}

static void a_near_level_inside_may_serve_what_is_walked(void **state)
{
	(void)state;
	make_near();
	world.group[1] = 1;
	world.inside = 0.85;
	ask();
	cannot(1, "the level inside may serve part");
}

static void a_near_level_inside_may_serve_some_of_it(void **state)
{
	(void)state;
	make_near();
	world.group[1] = 1;
	world.inside = 0.3;
	ask();
	shared_by(1, 1, "CPU 1 has it alone");
}

static void lines_that_are_fetched_along_are_served_in_any_case(void **state)
{
	(void)state;
	make_near();
	world.group[1] = 1;
	world.along = true;
	world.inside = 0.75;
	ask();
	shared_by(1, 1, "CPU 1 has it alone");
}

static void a_near_level_inside_needs_both_latencies(void **state)
{
	(void)state;
	run.blind = true;
	make_near();
	ask();
	cannot(1, "the level inside is nearly as large");
}

static void more_cpus_than_are_tested_give_at_least(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	mp_cpus_parse(&world.view.cpus, "0-127");
	world.view.cpu = 64;
	world.group[2] = 128;
	ask();
	assert_in_range(run.others, 8, 14);
	fact = fact_of(2);
	assert_int_equal(fact->verdict, MP_AT_LEAST);
	assert_true(fact->value == 1 + run.others);
	assert_true(fact->low == fact->value && fact->high == 128);
	if (!strstr(fact->method, "60-68"))
		fail_msg("%s", fact->method);
	assert_true(strstr(fact->reason, "not tested"));
	/* None of those that were tested, but one of the others might. */
	fact = fact_of(0);
	assert_int_equal(fact->verdict, MP_AT_LEAST);
	assert_true(fact->value == 1);
}

static void a_single_cpu_has_none_to_share_with(void **state)
{
	(void)state;
	mp_cpus_parse(&world.view.cpus, "1");
	ask();
	assert_int_equal(run.n, 0);
	for (uint32_t k = 0; k < LEVELS; k++)
		cannot(k, "CPU 1 is the only one that may be used");
}

static void noise_of_a_replicate_s_moment_is_no_hindrance(void **state)
{
	(void)state;
	world.ebbs = 10;
	ask();
	shared_by(0, 1, "CPU 1 has it alone");
	shared_by(1, 2, "CPUs 0-1 share");
}

static void noise_as_large_as_the_effect_is_said(void **state)
{
	(void)state;
	world.noise = 35;
	mp_cpus_parse(&world.view.cpus, "1-2");
	ask();
	cannot(0, "with CPU 2");
	cannot(1, "with CPU 2");
	shared_by(2, 2, "CPUs 1-2 share");
}

static void among_strangers_only_an_effect_is_an_answer(void **state)
{
	(void)state;
	world.verdict[2] = MP_VARIES;
	world.group[2] = 2;
	mp_cpus_parse(&world.view.cpus, "1,3");
	ask();
	cannot(2, "strangers use the level");
	mp_facts_free(&run.found);
	mp_facts_free(&run.facts);
	mp_cpus_parse(&world.view.cpus, "0-1");
	ask();
	shared_by(2, 2, "CPUs 0-1 share");
}

static void a_level_outside_may_be_what_evicts(void **state)
{
	(void)state;
	run.blind = true;
	ask();
	cannot(1, "the level outside may be what evicts");
	shared_by(2, 4, "CPUs 0-3 share");
	shared_by(0, 1, "CPU 1 has it alone");
}

static void an_inner_level_is_not_shared_further_than_an_outer_one(
	void **state)
{
	(void)state;
	world.group[1] = 4;
	world.group[2] = 2;
	mp_cpus_parse(&world.view.cpus, "1,3");
	ask();
	cannot(1, "an inner level seems shared and an outer one not");
	cannot(2, "an inner level seems shared and an outer one not");
}

/* Where what comes back from is known it is told from what the outer one puts
 * out. */
static void what_a_small_level_outside_still_has_it_has_not_put_out(
	void **state)
{
	(void)state;
	world.size[2] = 3584 * KIB;
	ask();
	shared_by(1, 2, "CPUs 0-1 share");
}

static void what_comes_back_from_beyond_the_next_is_no_answer(void **state)
{
	(void)state;
	mp_cpus_parse(&world.view.cpus, "0-1");
	world.size[2] = 3584 * KIB;
	world.beyond = true;
	ask();
	cannot(1, "comes back from beyond the level outside");
}

/* .. nor where it is not known how much faster the level itself would have been. */
static void beyond_the_next_is_told_without_the_latency_of_the_level(void **state)
{
	(void)state;
	mp_cpus_parse(&world.view.cpus, "0-1");
	world.size[2] = 3584 * KIB;
	world.beyond = true;
	run.unknown = "l2";
	ask();
	cannot(1, "comes back from beyond the level outside");
}

static void a_level_that_keeps_what_it_has_proves_nothing(void **state)
{
	(void)state;
	world.keeps = true;
	ask();
	for (uint32_t k = 0; k < LEVELS; k++)
		cannot(k, "does not put out what is walked");
}

/* An exclusive level has nothing of what the one inside holds. */
static void ask_of_second(const char *inclusion)
{
	world.size[1] = 34 * KIB;
	world.group[1] = 1;
	mp_cpus_parse(&world.view.cpus, "0-1");
	know("cpu.l2.inclusion", 0, MP_MEASURED);
	snprintf(run.facts.fact[0].text, sizeof(run.facts.fact[0].text),
		 "%s", inclusion);
	ask();
}

static void of_an_exclusive_level_little_may_be_seen(void **state)
{
	(void)state;
	ask_of_second("exclusive");
	cannot(1, "the level inside may serve part");
}

static void one_that_is_not_is_seen_as_a_whole(void **state)
{
	(void)state;
	ask_of_second("non-inclusive");
	shared_by(1, 1, "CPU 1 has it alone");
}

static void half_an_effect_is_none_of_both(void **state)
{
	(void)state;
	world.weak = 0.2;
	world.noise = 0.5;
	mp_cpus_parse(&world.view.cpus, "0-1");
	ask();
	cannot(1, "too little for a level that is shared");
}

static void what_is_not_there_is_absent(void **state)
{
	(void)state;
	world.size[2] = 0;
	ask();
	assert_int_equal(fact_of(2)->verdict, MP_ABSENT);
	shared_by(1, 2, "CPUs 0-1 share");
}

/* Limits of the second level, so many times apart. */
static void ask_between_limits(double apart)
{
	world.verdict[1] = MP_AT_LEAST;
	world.verdict[2] = MP_NOT_MEASURABLE;
	know_all();
	for (uint32_t i = 0; i < run.facts.n; i++)
		if (run.facts.fact[i].verdict == MP_AT_LEAST)
			run.facts.fact[i].high *= apart;
	ask();
	cannot(2, "size of the level is not known");
	shared_by(0, 1, "CPU 1 has it alone");
}

static void limits_of_a_size_suffice_to_fill_it(void **state)
{
	(void)state;
	ask_between_limits(2);
	shared_by(1, 2, "CPUs 0-1 share");
}

static void a_size_that_is_not_known_fills_nothing(void **state)
{
	(void)state;
	ask_between_limits(4);
	cannot(1, "size of the level is not known");
}

static void a_level_beyond_the_memory_that_may_be_used_is_not_asked(
	void **state)
{
	(void)state;
	world.view.arena_max_bytes = 16 << 20;
	ask();
	cannot(2, "than the 16 MiB that may be used");
	shared_by(1, 2, "CPUs 0-1 share");
}

static void batches_that_fail_or_were_disturbed_are_no_answer(void **state)
{
	(void)state;
	world.error = -95;
	ask();
	for (uint32_t k = 0; k < LEVELS; k++)
		cannot(k, "too few replicates");
	mp_facts_free(&run.found);
	mp_facts_free(&run.facts);
	mp_pool_free(&run.pool);
	world.error = 0;
	world.disturbed = true;
	ask();
	for (uint32_t k = 0; k < LEVELS; k++)
		cannot(k, "too few replicates");
}

static void what_is_put_out_and_no_slower_shows_nothing(void **state)
{
	(void)state;
	world.ticks[1] = world.ticks[0];
	ask();
	cannot(0, "does not put out what is walked");
}

static void it_needs_several_actors_and_is_not_quick(void **state)
{
	(void)state;
	assert_true(probe->needs & MP_CAP_ACTORS);
	assert_false(probe->quick);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(those_that_share_a_level_are_counted),
		TEST(two_cpus_with_an_outer_level_in_common),
		TEST(threads_of_one_core_share_all),
		TEST(a_near_level_inside_that_serves_nothing_is_no_hindrance),
		TEST(a_near_level_inside_may_serve_what_is_walked),
		TEST(a_near_level_inside_may_serve_some_of_it),
		TEST(lines_that_are_fetched_along_are_served_in_any_case),
		TEST(a_near_level_inside_needs_both_latencies),
		TEST(more_cpus_than_are_tested_give_at_least),
		TEST(a_single_cpu_has_none_to_share_with),
		TEST(noise_of_a_replicate_s_moment_is_no_hindrance),
		TEST(noise_as_large_as_the_effect_is_said),
		TEST(among_strangers_only_an_effect_is_an_answer),
		TEST(a_level_outside_may_be_what_evicts),
		TEST(an_inner_level_is_not_shared_further_than_an_outer_one),
		TEST(what_a_small_level_outside_still_has_it_has_not_put_out),
		TEST(what_comes_back_from_beyond_the_next_is_no_answer),
		TEST(beyond_the_next_is_told_without_the_latency_of_the_level),
		TEST(a_level_that_keeps_what_it_has_proves_nothing),
		TEST(of_an_exclusive_level_little_may_be_seen),
		TEST(one_that_is_not_is_seen_as_a_whole),
		TEST(half_an_effect_is_none_of_both),
		TEST(what_is_not_there_is_absent),
		TEST(limits_of_a_size_suffice_to_fill_it),
		TEST(a_size_that_is_not_known_fills_nothing),
		TEST(a_level_beyond_the_memory_that_may_be_used_is_not_asked),
		TEST(batches_that_fail_or_were_disturbed_are_no_answer),
		TEST(what_is_put_out_and_no_slower_shows_nothing),
		TEST(it_needs_several_actors_and_is_not_quick),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
