// SPDX-License-Identifier: GPL-2.0
/*
 * Which CPUs share a level, asked of a machine that is played by formula: a
 * hop takes what its level takes, or what the next one does where both rings
 * are in a level that the two CPUs share.
 */
#include "probe.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "pool.h"
#include "rng.h"

#define KIB 1024.0
#define LEVELS 3
#define BATCHES 4096
#define READ_TICKS 60.0

static const double sizes[LEVELS] = { 32 * KIB, 1024 * KIB, 32768 * KIB };
static const char *const names[LEVELS] = { "l1d", "l2", "l3" };

/*
 * @size: of each level; 0: absent
 * @verdict: of each size
 * @ticks: a hop of each level, memory last
 * @group: CPUs that share a level: so many neighbours
 * @noise: how far apart replicates lie, ticks
 * @ebbs: how far apart the levels' moments lie, ticks: alike in a replicate
 * @error, @disturbed: of all batches
 * @weak: share of the effect that shows
 * @inside: share of the hops of a level that the one inside serves
 */
struct world {
	double size[LEVELS];
	uint32_t verdict[LEVELS];
	double ticks[LEVELS + 1];
	uint32_t group[LEVELS];
	double noise;
	double ebbs;
	int error;
	bool disturbed;
	double weak;
	double inside;
	struct mp_view view;
	struct mp_facts facts;
	struct mp_facts found;
	struct mp_pool pool;
	struct mp_batch *batch[BATCHES];
	uint32_t n;
	uint32_t others;
};

static struct world world;
static const struct mp_probe *probe;

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
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
		.facts = &world.facts,
	};
	mp_cpus_parse(&world.view.cpus, "0-3");
	probe = mp_probe_find("shared");
	return probe ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < world.n; i++) {
		mp_batch_free(world.batch[i]);
		free(world.batch[i]);
	}
	mp_pool_free(&world.pool);
	mp_facts_free(&world.facts);
	mp_facts_free(&world.found);
	return 0;
}

static void know(const char *name, double value, uint32_t verdict)
{
	struct mp_where where;
	struct mp_fact *fact;

	mp_where_cpu(&where, world.view.cpu);
	fact = mp_facts_add(&world.facts, name, &where);
	assert_non_null(fact);
	fact->verdict = verdict;
	fact->value = fact->low = fact->high = value;
	if (verdict == MP_VARIES)
		fact->high = 2 * value;
}

static void know_all(void)
{
	char name[MP_FACT_NAME];

	know("cpu.l1d.line", 64, MP_MEASURED);
	for (uint32_t k = 0; k < LEVELS; k++) {
		snprintf(name, sizeof(name), "cpu.%s.size", names[k]);
		know(name, world.size[k], world.size[k] > 0 ?
		     world.verdict[k] : MP_ABSENT);
	}
}

/* The level that a ring of 7/8 of it, or 15/8, was cut to. */
static uint32_t level_of(const struct mp_exp *exp)
{
	for (uint32_t k = 0; k < LEVELS; k++) {
		const double part = (double)exp->actor[0].length /
				    world.size[k];

		if ((part > 0.85 && part < 0.9) || (part > 1.85 && part < 1.9))
			return k;
	}
	fail_msg("%llu bytes fill no level",
		 (unsigned long long)exp->actor[0].length);
	return 0;
}

static bool share(uint32_t k, uint32_t a, uint32_t b)
{
	return a / world.group[k] == b / world.group[k];
}

/* What a hop of an actor takes, less noise. */
static double hop_of(const struct mp_exp *exp, uint32_t actor)
{
	const uint32_t k = level_of(exp);
	const struct mp_actor *beside = &exp->actor[actor + 1];
	const double all = (double)(exp->actor[actor].length +
				    beside->length);
	const double miss = world.ticks[k + 1] - world.ticks[k];

	if ((double)exp->actor[actor].length > world.size[k])
		return world.ticks[k + 1];
	if (all > world.size[k] && share(k, world.view.cpu, beside->place))
		return world.ticks[k] + world.weak * miss;
	return world.ticks[k] - (k ? world.inside *
			       (world.ticks[k] - world.ticks[k - 1]) : 0);
}

static double spread(struct mp_rng *rng, double width)
{
	return width * ((double)mp_rng_below(rng, 2001) / 1000 - 1);
}

static void add_samples(struct mp_batch *batch, uint32_t actor, double hop)
{
	const struct mp_actor *who = &batch->exp.actor[actor];

	for (uint32_t i = 0; i < batch->exp.rounds * who->bursts; i++) {
		struct memprobe_sample *sample = mp_batch_add(batch);

		assert_non_null(sample);
		sample->actor = (uint16_t)actor;
		sample->round = (uint16_t)(i / who->bursts);
		sample->burst = (uint16_t)(i % who->bursts);
		sample->hops = who->hops;
		/* Before the last turn it reads as if nothing were beside. */
		if (sample->burst < who->bursts / 3)
			hop = fmin(hop, world.ticks[level_of(&batch->exp)]);
		else
			hop = hop_of(&batch->exp, actor);
		sample->ticks = (uint64_t)((READ_TICKS + hop) *
					   (double)who->hops);
		if (world.disturbed)
			sample->flags = MEMPROBE_F_GAP;
	}
}

static void answer(struct mp_batch *batch)
{
	const struct mp_exp *exp = &batch->exp;
	double moment;
	struct mp_rng rng;

	batch->cost_ns = 1000000;
	batch->error = world.error;
	if (world.error)
		return;
	mp_rng_seed(&rng, mp_exp_seed(1, batch->id, batch->replicate));
	batch->grant.read_ticks = READ_TICKS;
	batch->grant.tick_hz = 1e9;
	moment = spread(&rng, world.ebbs);
	for (uint32_t i = 0; i < exp->n_actors; i++) {
		const uint32_t from = batch->n_samples;
		double noise;

		if (exp->actor[i].background)
			continue;
		add_samples(batch, i, hop_of(exp, i));
		noise = moment + spread(&rng, world.noise);
		for (uint32_t k = from; k < batch->n_samples; k++)
			batch->sample[k].ticks += (uint64_t)(int64_t)(noise *
				(double)batch->sample[k].hops);
	}
}

static void check_wanted(const struct mp_exp *exp)
{
	uint64_t bytes = 0;
	char why[256];

	if (mp_exp_check(exp, why, sizeof(why)))
		fail_msg("%s", why);
	for (uint32_t i = 0; i < exp->n_arenas; i++)
		bytes += exp->arena[i].bytes;
	assert_true(bytes <= world.view.arena_max_bytes);
	for (uint32_t i = 0; i < exp->n_actors; i++) {
		const struct mp_actor *actor = &exp->actor[i];

		assert_int_equal(actor->stride, exp->actor[0].stride);
		assert_true(mp_cpus_has(&world.view.cpus, actor->place));
		assert_int_equal(actor->place == world.view.cpu,
				 !actor->background);
		assert_int_equal(actor->arena, actor->background);
	}
}

/* One stage of a plan, as the runner does it. */
static bool measure(const struct mp_plan *plan)
{
	const uint32_t before = world.n;

	for (uint32_t stage = 0; stage <= plan->stage && world.n == before;
	     stage++) {
		for (uint32_t i = 0; i < plan->n; i++) {
			const struct mp_wanted *wanted = &plan->wanted[i];
			struct mp_pooled *pooled;

			check_wanted(&wanted->exp);
			pooled = mp_pool_want(&world.pool, &wanted->exp,
					      probe);
			while (wanted->stage == stage &&
			       !mp_pooled_enough(pooled,
						 wanted->replicates)) {
				struct mp_batch *batch =
					calloc(1, sizeof(*batch));

				assert_true(world.n < BATCHES);
				mp_batch_init(batch, &wanted->exp,
					      pooled->tries);
				answer(batch);
				world.batch[world.n++] = batch;
				mp_pooled_note(pooled, batch);
			}
		}
	}
	return world.n > before;
}

static uint32_t others_of(const struct mp_plan *plan)
{
	struct mp_cpus cpus = { 0 };

	for (uint32_t i = 0; i < plan->n; i++)
		mp_cpus_add(&cpus, plan->wanted[i].exp.actor[1].place);
	return mp_cpus_count(&cpus);
}

static void ask(void)
{
	bool more = true;

	know_all();
	for (uint32_t i = 0; i < 64 && more; i++) {
		struct mp_plan plan = { 0 };

		world.view.n_batches = world.n;
		world.view.batch = (const struct mp_batch *const *)world.batch;
		more = probe->next(&world.view, &plan) > 0 && measure(&plan);
		world.others = others_of(&plan);
		mp_plan_free(&plan);
	}
	assert_false(more);
	world.view.n_batches = world.n;
	world.view.batch = (const struct mp_batch *const *)world.batch;
	assert_int_equal(probe->infer(&world.view, &world.found), 0);
	/* .. and the fourth, which this world has not. */
	assert_int_equal(world.found.n, LEVELS + 1);
	assert_string_equal(world.found.fact[LEVELS].name, "cpu.l4.shared");
	assert_true(world.found.fact[LEVELS].verdict == MP_ABSENT ||
		    world.found.fact[LEVELS].verdict == MP_NOT_MEASURABLE);
}

static const struct mp_fact *fact_of(uint32_t k)
{
	char name[MP_FACT_NAME];
	const struct mp_fact *fact;

	snprintf(name, sizeof(name), "cpu.%s.shared", names[k]);
	fact = mp_facts_find(&world.found, name);
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

static void know_latencies(void)
{
	know("cpu.l1d.latency", world.ticks[0], MP_MEASURED);
	know("cpu.l2.latency", world.ticks[1], MP_MEASURED);
}

static void a_near_level_inside_that_serves_nothing_is_no_hindrance(void **state)
{
	(void)state;
	make_near();
	know_latencies();
	ask();
	shared_by(1, 2, "CPUs 0-1 share");
}

static void a_near_level_inside_may_serve_what_is_walked(void **state)
{
	(void)state;
	make_near();
	know_latencies();
	world.inside = 0.3;
	ask();
	cannot(1, "the level inside may serve part");
}

static void a_near_level_inside_needs_both_latencies(void **state)
{
	(void)state;
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
	assert_in_range(world.others, 8, 14);
	fact = fact_of(2);
	assert_int_equal(fact->verdict, MP_AT_LEAST);
	assert_true(fact->value == 1 + world.others);
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
	assert_int_equal(world.n, 0);
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
	mp_facts_free(&world.found);
	mp_facts_free(&world.facts);
	mp_cpus_parse(&world.view.cpus, "0-1");
	ask();
	shared_by(2, 2, "CPUs 0-1 share");
}

static void a_small_level_outside_may_be_what_evicts(void **state)
{
	(void)state;
	world.size[2] = 3072 * KIB;
	ask();
	cannot(1, "the level outside it is so small");
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

static void a_load_that_is_too_slow_to_evict_proves_nothing(void **state)
{
	(void)state;
	world.ticks[3] = 9000;
	world.group[2] = 2;
	mp_cpus_parse(&world.view.cpus, "1,3");
	ask();
	cannot(2, "too slow to evict");
}

/* What the level inside holds of the walked ring is not in an exclusive one,
 * which a load that comes round as often does not fill then. */
static void ask_of_second(const char *inclusion)
{
	world.size[1] = 72 * KIB;
	world.ticks[2] = 160;
	world.group[1] = 1;
	mp_cpus_parse(&world.view.cpus, "0-1");
	know("cpu.l2.inclusion", 0, MP_MEASURED);
	snprintf(world.facts.fact[0].text, sizeof(world.facts.fact[0].text),
		 "%s", inclusion);
	ask();
}

static void an_exclusive_level_is_harder_to_fill(void **state)
{
	(void)state;
	ask_of_second("exclusive");
	cannot(1, "too slow to evict");
}

static void one_that_is_not_is_filled_as_it_seems(void **state)
{
	(void)state;
	ask_of_second("non-inclusive");
	shared_by(1, 1, "CPU 1 has it alone");
}

static void half_an_effect_is_none_of_both(void **state)
{
	(void)state;
	world.weak = 0.25;
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

static void a_size_that_is_not_known_fills_nothing(void **state)
{
	(void)state;
	world.verdict[1] = MP_AT_LEAST;
	world.verdict[2] = MP_NOT_MEASURABLE;
	ask();
	cannot(1, "size of the level is not known");
	cannot(2, "size of the level is not known");
	shared_by(0, 1, "CPU 1 has it alone");
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
	mp_facts_free(&world.found);
	mp_facts_free(&world.facts);
	mp_pool_free(&world.pool);
	world.error = 0;
	world.disturbed = true;
	ask();
	for (uint32_t k = 0; k < LEVELS; k++)
		cannot(k, "too few replicates");
}

static void too_large_a_ring_that_is_no_slower_shows_nothing(void **state)
{
	(void)state;
	world.ticks[1] = world.ticks[0];
	ask();
	cannot(0, "is not slower");
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
		TEST(a_near_level_inside_needs_both_latencies),
		TEST(more_cpus_than_are_tested_give_at_least),
		TEST(a_single_cpu_has_none_to_share_with),
		TEST(noise_of_a_replicate_s_moment_is_no_hindrance),
		TEST(noise_as_large_as_the_effect_is_said),
		TEST(among_strangers_only_an_effect_is_an_answer),
		TEST(a_small_level_outside_may_be_what_evicts),
		TEST(an_inner_level_is_not_shared_further_than_an_outer_one),
		TEST(a_load_that_is_too_slow_to_evict_proves_nothing),
		TEST(an_exclusive_level_is_harder_to_fill),
		TEST(one_that_is_not_is_filled_as_it_seems),
		TEST(half_an_effect_is_none_of_both),
		TEST(what_is_not_there_is_absent),
		TEST(a_size_that_is_not_known_fills_nothing),
		TEST(a_level_beyond_the_memory_that_may_be_used_is_not_asked),
		TEST(batches_that_fail_or_were_disturbed_are_no_answer),
		TEST(too_large_a_ring_that_is_no_slower_shows_nothing),
		TEST(it_needs_several_actors_and_is_not_quick),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
