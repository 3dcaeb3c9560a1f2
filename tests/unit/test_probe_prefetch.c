// SPDX-License-Identifier: GPL-2.0
/* Probe prefetch on simulated machines whose prefetchers are stated. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "made_view.h"
#include "probe/cpu.h"
#include "sim_ask.h"
#include "temp_folder.h"

#define KIB 1024.0
#define NS(cycles) ((cycles) / 3.0)

static const char *const names[] = { "adjacent", "next", "stride", "stream" };
enum { ADJACENT = 1, NEXT = 2, STRIDE = 4, STREAM = 8, ALL = 15 };

static struct sim_ask ask;

/* Three levels, with what is told of their lines; 0: nothing is. */
static void tell(const uint32_t line[3])
{
	static const double size[] = { 32 * KIB, 512 * KIB, 4096 * KIB };
	static const double cycles[] = { 4, 14, 50 };
	char name[32];

	for (uint32_t k = 0; k < 3; k++) {
		const char *level = mp_cpu_level_name[k];

		snprintf(name, sizeof(name), "cpu.%s.size", level);
		sim_ask_know(&ask, name, size[k]);
		snprintf(name, sizeof(name), "cpu.%s.latency", level);
		sim_ask_know(&ask, name, NS(cycles[k]));
		snprintf(name, sizeof(name), "cpu.%s.line", level);
		if (line[k])
			sim_ask_know(&ask, name, line[k]);
	}
	sim_ask_know(&ask, "cpu.l4.size", NAN);
	sim_ask_know(&ask, "cpu.dram.latency", NS(250));
}

/* Lines of a machine, those that are told of, and what else its third level
 * is. */
static void put_as(const uint32_t line[3], const uint32_t told[3],
		   const char *third, const char *more)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "machine name=x clock_mhz=3000 memory_latency=250\n"
		 "level name=l1d size=32K ways=8 latency=4 line=%u\n"
		 "level name=l2 size=512K ways=8 latency=14 line=%u\n"
		 "level name=l3 size=4M ways=16 latency=50 line=%u%s\n"
		 "tlb level=1 page=4K entries=64 ways=4\n"
		 "walk cost=30\n%s\n", line[0] ? line[0] : 64,
		 line[1] ? line[1] : 64,
		 line[2] ? line[2] : 64, third, more);
	tell(told);
	sim_ask(&ask, text, mp_probe_find("prefetch"), 7);
}

static void put(const uint32_t line[3], const char *more)
{
	put_as(line, line, "", more);
}

static const struct mp_fact *fact_of(uint32_t kind)
{
	char name[48];

	snprintf(name, sizeof(name), "cpu.prefetch.%s", names[kind]);
	return sim_ask_fact(&ask, name);
}

/* All that are there work, and all others are absent; those of @open may be
 * not measurable as well. */
static void found(uint32_t there, uint32_t open, const char *what)
{
	for (uint32_t i = 0; i < 4; i++) {
		const struct mp_fact *fact = fact_of(i);
		const bool works = fact->verdict == MP_MEASURED &&
				   fact->is_text &&
				   !strcmp(fact->text, "works");

		if (fact->verdict == MP_NOT_MEASURABLE && open >> i & 1)
			continue;
		if (there >> i & 1 ? !works : fact->verdict != MP_ABSENT)
			fail_msg("%s: %s is %s '%s' (%s; %s)", what, names[i],
				 mp_verdict_name(fact->verdict), fact->text,
				 fact->reason, fact->method);
		assert_true(fact->n_evidence > 0);
		assert_true(isnan(fact->confidence));
	}
}

static const uint32_t usual[] = { 64, 64, 64 };

/* Sets of kinds, each kind into a level of its own choice: one in @every. */
static void sets(const uint32_t line[3], uint32_t open, uint32_t every)
{
	for (uint32_t set = 0, n = 0; set < 16 * 16; set++) {
		const uint32_t there = set % 16, into = set / 16;
		char text[512] = "";

		if (into & ~there || n++ % every)
			continue;
		for (uint32_t i = 0; i < 4; i++) {
			const size_t used = strlen(text);

			if (there >> i & 1)
				snprintf(text + used, sizeof(text) - used,
					 "prefetch kind=%s into=l%s\n",
					 names[i], into >> i & 1 ? "2" : "1d");
		}
		put(line, text);
		found(there, open, text);
		sim_ask_free(&ask);
	}
}

static void every_set_of_kinds_is_told(void **state)
{
	(void)state;
	sets(usual, 0, 1);
}

static void they_are_told_among_long_lines(void **state)
{
	static const uint32_t outer[] = { 64, 128, 128 };
	static const uint32_t inner[] = { 128, 128, 256 };

	(void)state;
	sets(outer, 0, 4);
	sets(inner, 0, 7);
}

static void they_are_told_among_short_lines(void **state)
{
	static const uint32_t all[] = { 32, 32, 32 };
	static const uint32_t first[] = { 32, 64, 64 };

	(void)state;
	sets(all, ADJACENT, 5);
	sets(first, ADJACENT, 7);
}

static void lines_four_times_as_long_leave_streams_open(void **state)
{
	static const uint32_t line[] = { 64, 256, 256 };

	(void)state;
	sets(line, STREAM, 5);
}

/* One that fetches the other line of a pair leaves each second load for one of
 * strides to see: of that what is two lines ahead comes, and with it what lies
 * in its longer line further out. */
static void strides_of_pairs_in_longer_lines_are_no_stream(void **state)
{
	static const uint32_t line[] = { 64, 64, 256 };
	static const uint32_t none[] = { 64, 64, 0 };
	static const char all[] = " inclusion=inclusive";

	(void)state;
	put_as(line, line, all, "prefetch kind=adjacent into=l1d\n"
	       "prefetch kind=stride into=l2\n");
	found(ADJACENT | STRIDE, 0, "pairs and strides");
	sim_ask_free(&ask);
	put_as(line, none, all, "prefetch kind=adjacent into=l1d\n"
	       "prefetch kind=stride into=l2\n");
	found(ADJACENT | STRIDE, ADJACENT, "of unknown lines");
	sim_ask_free(&ask);
	put_as(line, line, all, "prefetch kind=adjacent into=l1d\n"
	       "prefetch kind=stride into=l2\nprefetch kind=stream into=l2\n");
	found(ADJACENT | STRIDE | STREAM, 0, "a stream as well");
}

static void noise_and_a_clock_of_steps_do_no_harm(void **state)
{
	(void)state;
	put(usual, "noise gaps=0.08 seen=no\nclock step=26\n");
	found(0, 0, "none");
	sim_ask_free(&ask);
	put(usual, "prefetch kind=adjacent into=l2\n"
	    "prefetch kind=next into=l1d\nprefetch kind=stride into=l2\n"
	    "prefetch kind=stream into=l2\n"
	    "noise gaps=0.08 seen=no\nclock step=26 jumps=2\n");
	found(ALL, 0, "all");
	sim_ask_free(&ask);
	put(usual, "prefetch kind=next into=l3\nclock tsc_mhz=24\n");
	found(NEXT, 0, "coarse");
}

static void a_clock_that_shows_nothing_is_named(void **state)
{
	(void)state;
	put(usual, "prefetch kind=next into=l1d\nclock tsc_mhz=24 step=24\n");
	for (uint32_t i = 0; i < 4; i++) {
		const struct mp_fact *fact = fact_of(i);

		if (fact->verdict == MP_NOT_MEASURABLE)
			assert_true(fact->reason[0]);
		else
			assert_int_equal(fact->verdict, i == 1 ? MP_MEASURED :
							MP_ABSENT);
	}
}

static void unknown_lines_are_tried_at_all_lengths(void **state)
{
	static const uint32_t line[] = { 64, 0, 0 };
	static const uint32_t none[] = { 0, 0, 0 };

	(void)state;
	sets(line, 0, 4);
	sets(none, ADJACENT, 7);
}

/* The line behind the last of a run, and with it its neighbour in a longer line
 * further out: as far ahead as a stream's, and no stream's. */
static void neighbours_of_longer_lines_are_no_stream(void **state)
{
	static const uint32_t line[] = { 128, 128, 256 };
	static const uint32_t none[] = { 0, 0, 0 };
	static const char all[] = " inclusion=inclusive";

	(void)state;
	put_as(line, none, all, "prefetch kind=adjacent into=l2\n"
	       "prefetch kind=next into=l1d\n");
	found(ADJACENT | NEXT, ADJACENT | STREAM, "neighbours");
	sim_ask_free(&ask);
	put_as(line, none, all, "prefetch kind=adjacent into=l2\n"
	       "prefetch kind=next into=l1d\nprefetch kind=stream into=l2\n");
	found(ADJACENT | NEXT | STREAM, ADJACENT, "neighbours and a stream");
}

/* Of prefetchers that are off nothing is known, whoever has turned them off. */
static void prefetchers_that_are_off_are_not_absent(void **state)
{
	struct mp_facts facts = { 0 };

	(void)state;
	put(usual, "prefetch kind=next into=l1d\n");
	for (uint32_t i = 0; i < ask.view.n_batches; i++)
		ask.batch[i]->grant.got |= MP_GOT_PREFETCH_OFF;
	assert_int_equal(mp_probe_find("prefetch")->infer(&ask.view, &facts),
			 0);
	assert_int_equal(facts.n, 4);
	for (uint32_t i = 0; i < facts.n; i++) {
		assert_int_equal(facts.fact[i].verdict, MP_NOT_MEASURABLE);
		assert_non_null(strstr(facts.fact[i].reason, "were off"));
	}
	mp_facts_free(&facts);
}

/* Some batches of a list are not enough to say that something is absent. */
static void too_few_trials_are_no_absence(void **state)
{
	struct mp_facts facts = { 0 };

	(void)state;
	put(usual, "");
	for (uint32_t i = 0; i < ask.view.n_batches; i++) {
		if (ask.batch[i]->replicate > 1)
			ask.batch[i]->error = -ENODATA;
	}
	assert_int_equal(mp_probe_find("prefetch")->infer(&ask.view, &facts),
			 0);
	for (uint32_t i = 2; i < facts.n; i++) {
		assert_int_equal(facts.fact[i].verdict, MP_NOT_MEASURABLE);
		assert_non_null(strstr(facts.fact[i].reason, "too few"));
	}
	mp_facts_free(&facts);
}

static void prefetchers_are_wished_as_they_are(void **state)
{
	struct mp_plan plan = { 0 };

	(void)state;
	put(usual, "");
	ask.view.quiet = MP_WISH_PREFETCH_OFF;
	assert_int_equal(mp_probe_find("prefetch")->next(&ask.view, &plan), 1);
	assert_true(plan.n > 0);
	for (uint32_t i = 0; i < plan.n; i++)
		assert_int_equal(plan.wanted[i].exp.quiet, 0);
	mp_plan_free(&plan);
}

static void a_plan_costs_little(void **state)
{
	uint64_t cost_ns = 0;

	(void)state;
	put(usual, "clock tsc_mhz=2600 step=26\n");
	for (uint32_t i = 0; i < ask.view.n_batches; i++) {
		cost_ns += ask.batch[i]->cost_ns;
		assert_true(ask.batch[i]->exp.arena[0].bytes <= 1u << 20);
	}
	assert_true(cost_ns < 200000000);
	assert_true(ask.view.n_batches <= 60);
}

static void every_fact_is_answered_whatever_happens(void **state)
{
	(void)state;
	made_probe_always_answers("prefetch");
}

static int end(void **state)
{
	(void)state;
	sim_ask_free(&ask);
	return 0;
}

#define TEST(f) cmocka_unit_test_teardown(f, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_set_of_kinds_is_told),
		TEST(they_are_told_among_long_lines),
		TEST(they_are_told_among_short_lines),
		TEST(lines_four_times_as_long_leave_streams_open),
		TEST(strides_of_pairs_in_longer_lines_are_no_stream),
		TEST(noise_and_a_clock_of_steps_do_no_harm),
		TEST(a_clock_that_shows_nothing_is_named),
		TEST(unknown_lines_are_tried_at_all_lengths),
		TEST(neighbours_of_longer_lines_are_no_stream),
		TEST(prefetchers_that_are_off_are_not_absent),
		TEST(too_few_trials_are_no_absence),
		TEST(prefetchers_are_wished_as_they_are),
		TEST(a_plan_costs_little),
		TEST(every_fact_is_answered_whatever_happens),
	};

	return cmocka_run_group_tests(tests, temp_folder_make,
				      temp_folder_remove);
}
