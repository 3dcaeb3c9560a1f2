// SPDX-License-Identifier: GPL-2.0
/* Probe ways on made-up CPUs whose associativity is stated. */
#include <string.h>

#include "made_view.h"

#define KIB 1024ull
#define MIB 1048576ull

static const struct mp_probe *probe;
static struct made_view made;
static struct made_cpu cpu;
static struct made_test test = { "ways", &probe, &cpu, &made };

static void know_latency(const char *ns_name, const char *cycles_name,
			 double cycles)
{
	made_view_know(&made, ns_name, cycles / CORE_GHZ, "ns");
	made_view_know(&made, cycles_name, cycles, "cycles");
}

/* A run in which sizes, lines and latencies are known. */
static void start(uint32_t depth)
{
	made_view_open(&made, &cpu, depth);
	made_view_know_sizes(&made);
	know_latency("cpu.l1d.latency", "cpu.l1d.latency-cycles",
		     cpu.cache[0].cycles);
	know_latency("cpu.l2.latency", "cpu.l2.latency-cycles",
		     cpu.cache[1].cycles);
	if (cpu.n_caches > 2)
		know_latency("cpu.l3.latency", "cpu.l3.latency-cycles",
			     cpu.cache[2].cycles);
	made_view_know(&made, "cpu.dram.latency", cpu.memory_cycles / CORE_GHZ,
		       "ns");
}

static void ask(void)
{
	start(MP_DEPTH_DEFAULT);
	made_view_ask(&made, probe);
}

static void set(uint32_t k, uint64_t bytes, uint32_t ways)
{
	cpu.cache[k].bytes = bytes;
	cpu.cache[k].ways = ways;
}

static void twelve_ways_and_sixteen_are_counted(void **state)
{
	(void)state;
	ask();
	made_fact_is(&made, "cpu.l1d.ways", 12, 0);
	made_fact_is(&made, "cpu.l2.ways", 16, 0);
	made_fact_ends(&made, "cpu.l3.ways", MP_NOT_MEASURABLE);
	/* Five replicates bear the count out. */
	assert_true(made_fact(&made, "cpu.l1d.ways")->low == 12);
	assert_true(made_fact(&made, "cpu.l1d.ways")->high == 12);
	assert_in_range(made.asked.rounds, 2, 63);
	assert_true(made.asked.hops < 30000000);
	assert_true(made.asked.bytes_max <= 64 * MIB);
}

/* A ring of lines of one set of the second level never leaves the first. */
static void what_the_level_inside_hides_is_not_guessed_at(void **state)
{
	(void)state;
	set(0, 32 * KIB, 8);
	set(1, MIB, 8);
	ask();
	made_fact_is(&made, "cpu.l1d.ways", 8, 0);
	made_fact_ends(&made, "cpu.l2.ways", MP_NOT_MEASURABLE);
	made_view_close(&made);
	set(0, 48 * KIB, 12);
	set(1, 512 * KIB, 8);
	ask();
	made_fact_is(&made, "cpu.l1d.ways", 12, 0);
	made_fact_ends(&made, "cpu.l2.ways", MP_NOT_MEASURABLE);
}

static void two_ways_and_lines_of_128_bytes_are_seen(void **state)
{
	(void)state;
	set(0, 64 * KIB, 2);
	set(1, MIB, 16);
	for (uint32_t k = 0; k < 3; k++)
		cpu.cache[k].line = 128;
	ask();
	made_fact_is(&made, "cpu.l1d.ways", 2, 0);
	made_fact_is(&made, "cpu.l2.ways", 16, 0);
}

/* 1.25 MiB: 20 ways of a power of two of sets, or 10 of a larger one. */
static void a_size_that_is_no_power_of_two_is_shared_out(void **state)
{
	(void)state;
	set(0, 32 * KIB, 8);
	set(1, 1280 * KIB, 20);
	ask();
	made_fact_is(&made, "cpu.l2.ways", 20, 0);
	made_view_close(&made);
	set(0, 32 * KIB, 4);
	set(1, 1280 * KIB, 10);
	ask();
	made_fact_is(&made, "cpu.l2.ways", 10, 0);
}

/* 96 sets: an odd factor of the size that is none of the ways. Lines a power
 * of two apart spread over three sets of it, 24 ways that hide the 16. */
static void an_odd_number_of_sets_is_not_taken_for_ways(void **state)
{
	(void)state;
	set(0, 48 * KIB, 8);
	ask();
	made_fact_is(&made, "cpu.l1d.ways", 8, 0);
	made_fact_is(&made, "cpu.l2.ways", 16, 0);
}

static void fewer_than_five_replicates_confirm_nothing(void **state)
{
	(void)state;
	start(MP_DEPTH_DEFAULT);
	made_view_plan(&made, probe);
	made_view_keep(&made, 3);
	made_view_infer(&made, probe);
	made_fact_ends(&made, "cpu.l1d.ways", MP_NOT_MEASURABLE);
}

/* Scattered pages fall on one set by luck once, not five times. */
static void small_pages_that_always_meet_go_by_virtual_addresses(void **state)
{
	(void)state;
	start(MP_DEPTH_DEFAULT);
	made_view_plan(&made, probe);
	for (uint32_t i = 0; i < made.view.n_batches; i++)
		made.batch[i]->grant.arena[0].pages = MP_PAGES_4K;
	made_view_infer(&made, probe);
	made_fact_is(&made, "cpu.l1d.ways", 12, 0);
	made_fact_is(&made, "cpu.l2.ways", 16, 0);
}

static void walks_do_not_pass_for_a_full_set(void **state)
{
	(void)state;
	/* Lines a way apart meet in the TLB long before they do here. */
	cpu.n_tlbs = 2;
	cpu.tlb[0] = (struct made_tlb){ 16, 2, 9 };
	cpu.tlb[1] = (struct made_tlb){ 256, 4, 80 };
	cpu.small_only = true;
	cpu.tick_step = 26;
	set(0, 32 * KIB, 8);
	ask();
	made_fact_is(&made, "cpu.l1d.ways", 8, 0);
}

static void scattered_pages_leave_the_second_level_open(void **state)
{
	(void)state;
	cpu.small_only = true;
	ask();
	made_fact_is(&made, "cpu.l1d.ways", 12, 0);
	made_fact_ends(&made, "cpu.l2.ways", MP_NOT_MEASURABLE);
}

static void forced_pages_and_small_arenas_are_kept_to(void **state)
{
	(void)state;
	start(MP_DEPTH_DEFAULT);
	made.view.pages = MP_PAGES_4K;
	made.view.pages_forced = true;
	made.view.arena_max_bytes = 2 * MIB;
	made_view_ask(&made, probe);
	assert_int_equal(made.asked.kinds, 1u << MP_PAGES_4K);
	assert_true(made.asked.bytes_max <= 2 * MIB);
	made_fact_is(&made, "cpu.l1d.ways", 12, 0);
}

static void a_level_that_is_absent_has_no_ways(void **state)
{
	(void)state;
	cpu.n_caches = 2;
	ask();
	made_fact_is(&made, "cpu.l2.ways", 16, 0);
	made_fact_ends(&made, "cpu.l3.ways", MP_ABSENT);
}

static void without_sizes_nothing_is_asked(void **state)
{
	(void)state;
	made_view_open(&made, &cpu, MP_DEPTH_DEFAULT);
	made_view_ask(&made, probe);
	assert_int_equal(made.asked.batches, 0);
	made_facts_cannot(&made, probe);
}

static void a_size_that_contradicts_the_count_gives_no_answer(void **state)
{
	(void)state;
	start(MP_DEPTH_DEFAULT);
	/* Facts come from others: here they are wrong by a third. */
	for (uint32_t i = 0; i < made.facts.n; i++)
		if (made.facts.fact[i].value == 48 * KIB) {
			made.facts.fact[i].value = 36 * KIB;
			made.facts.fact[i].low = 35 * KIB;
			made.facts.fact[i].high = 37 * KIB;
		}
	made_view_ask(&made, probe);
	made_fact_ends(&made, "cpu.l1d.ways", MP_NOT_MEASURABLE);
}

/* Both limits of a size that is not known better do. */
static void two_limits_of_a_size_are_enough(void **state)
{
	(void)state;
	start(MP_DEPTH_DEFAULT);
	for (uint32_t i = 0; i < made.facts.n; i++) {
		struct mp_fact *fact = &made.facts.fact[i];

		if (!strcmp(fact->name, "cpu.l1d.size") ||
		    !strcmp(fact->name, "cpu.l2.size")) {
			fact->verdict = MP_AT_LEAST;
			fact->low = fact->value * 0.7;
			fact->high = fact->value * 1.2;
			fact->value = fact->low;
		}
	}
	made_view_ask(&made, probe);
	made_fact_is(&made, "cpu.l1d.ways", 12, 0);
	made_fact_is(&made, "cpu.l2.ways", 16, 0);
}

static void too_few_undisturbed_batches_tell_nothing(void **state)
{
	(void)state;
	cpu.disturbed = 0.97;
	ask();
	made_facts_cannot(&made, probe);
}

static void every_fact_is_answered_whatever_happens(void **state)
{
	(void)state;
	made_probe_always_answers("ways");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(twelve_ways_and_sixteen_are_counted, &test),
		MADE_TEST(what_the_level_inside_hides_is_not_guessed_at, &test),
		MADE_TEST(two_ways_and_lines_of_128_bytes_are_seen, &test),
		MADE_TEST(a_size_that_is_no_power_of_two_is_shared_out, &test),
		MADE_TEST(an_odd_number_of_sets_is_not_taken_for_ways, &test),
		MADE_TEST(fewer_than_five_replicates_confirm_nothing, &test),
		MADE_TEST(small_pages_that_always_meet_go_by_virtual_addresses, &test),
		MADE_TEST(walks_do_not_pass_for_a_full_set, &test),
		MADE_TEST(scattered_pages_leave_the_second_level_open, &test),
		MADE_TEST(forced_pages_and_small_arenas_are_kept_to, &test),
		MADE_TEST(a_level_that_is_absent_has_no_ways, &test),
		MADE_TEST(without_sizes_nothing_is_asked, &test),
		MADE_TEST(a_size_that_contradicts_the_count_gives_no_answer, &test),
		MADE_TEST(two_limits_of_a_size_are_enough, &test),
		MADE_TEST(too_few_undisturbed_batches_tell_nothing, &test),
		cmocka_unit_test(every_fact_is_answered_whatever_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
