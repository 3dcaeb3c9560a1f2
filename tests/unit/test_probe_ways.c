// SPDX-License-Identifier: GPL-2.0
/* Probe ways on made-up CPUs whose associativity is stated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "made_view.h"

#define KIB 1024ull
#define MIB 1048576ull

static const struct mp_probe *probe;
static struct made_view made;
static struct made_cpu cpu;

static int begin(void **state)
{
	(void)state;
	probe = mp_probe_find("ways");
	made_cpu_usual(&cpu);
	return 0;
}

static int end(void **state)
{
	(void)state;
	made_view_close(&made);
	return 0;
}

static void know_level(const char *size, const char *latency,
		       const char *latency_cycles, uint32_t k)
{
	double cycles = cpu.cache[k].cycles;

	made_view_know(&made, size, (double)cpu.cache[k].bytes, "bytes");
	made_view_know(&made, latency, cycles / 3.5, "ns");
	made_view_know(&made, latency_cycles, cycles, "cycles");
}

/* A run in which sizes, lines and latencies are known. */
static void start(uint32_t depth)
{
	uint32_t line = cpu.cache[0].line ? cpu.cache[0].line : 64;

	made_view_open(&made, &cpu, depth);
	made_view_know(&made, "cpu.l1d.line", line, "bytes");
	know_level("cpu.l1d.size", "cpu.l1d.latency", "cpu.l1d.latency-cycles",
		   0);
	know_level("cpu.l2.size", "cpu.l2.latency", "cpu.l2.latency-cycles", 1);
	if (cpu.n_caches > 2)
		know_level("cpu.l3.size", "cpu.l3.latency",
			   "cpu.l3.latency-cycles", 2);
	else
		made_view_know_absent(&made, "cpu.l3.size");
	made_view_know(&made, "cpu.dram.latency", cpu.memory_cycles / 3.5,
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
	assert_in_range(made.asked.rounds, 2, 16);
	assert_true(made.asked.hops < 30000000);
	assert_true(made.asked.bytes_max <= 64 * MIB);
}

static void eight_ways_are_counted_behind_eight(void **state)
{
	(void)state;
	set(0, 32 * KIB, 8);
	set(1, MIB, 8);
	ask();
	made_fact_is(&made, "cpu.l1d.ways", 8, 0);
	made_fact_is(&made, "cpu.l2.ways", 8, 0);
}

static void fewer_ways_are_counted_behind_more(void **state)
{
	(void)state;
	set(0, 48 * KIB, 12);
	set(1, 512 * KIB, 8);
	ask();
	made_fact_is(&made, "cpu.l1d.ways", 12, 0);
	made_fact_is(&made, "cpu.l2.ways", 8, 0);
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
	made_fact_ends(&made, "cpu.l2.ways", MP_NOT_MEASURABLE);
}

static void fewer_than_five_replicates_leave_a_bracket(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	start(MP_DEPTH_DEFAULT);
	made_view_plan(&made, probe);
	for (uint32_t i = 0; i < made.view.n_batches; i++)
		if (made.batch[i]->replicate >= 3)
			mp_batch_free(made.batch[i]);
	made_view_infer(&made, probe);
	made_fact_is(&made, "cpu.l1d.ways", 12, 0);
	fact = made_fact(&made, "cpu.l1d.ways");
	assert_true(fact->low == 11 && fact->high == 13);
}

/* As if contiguous by luck: what was not granted is not built upon. */
static void small_pages_that_lie_well_are_not_trusted(void **state)
{
	(void)state;
	start(MP_DEPTH_DEFAULT);
	made_view_plan(&made, probe);
	for (uint32_t i = 0; i < made.view.n_batches; i++)
		made.batch[i]->grant.arena[0].pages = MP_PAGES_4K;
	made_view_infer(&made, probe);
	made_fact_is(&made, "cpu.l1d.ways", 12, 0);
	made_fact_ends(&made, "cpu.l2.ways", MP_NOT_MEASURABLE);
}

static void walks_do_not_pass_for_a_full_set(void **state)
{
	(void)state;
	/* Lines a way apart meet in the TLB long before they do here. */
	cpu.n_tlbs = 2;
	cpu.tlb[0] = (struct made_tlb){ 16, 2, 9 };
	cpu.tlb[1] = (struct made_tlb){ 256, 4, 80 };
	cpu.small_only = true;
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
		if (made.facts.fact[i].value == 48 * KIB)
			made.facts.fact[i].value = 36 * KIB;
	made_view_ask(&made, probe);
	made_fact_ends(&made, "cpu.l1d.ways", MP_NOT_MEASURABLE);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(twelve_ways_and_sixteen_are_counted),
		TEST(eight_ways_are_counted_behind_eight),
		TEST(fewer_ways_are_counted_behind_more),
		TEST(two_ways_and_lines_of_128_bytes_are_seen),
		TEST(a_size_that_is_no_power_of_two_is_shared_out),
		TEST(an_odd_number_of_sets_is_not_taken_for_ways),
		TEST(fewer_than_five_replicates_leave_a_bracket),
		TEST(small_pages_that_lie_well_are_not_trusted),
		TEST(walks_do_not_pass_for_a_full_set),
		TEST(scattered_pages_leave_the_second_level_open),
		TEST(forced_pages_and_small_arenas_are_kept_to),
		TEST(a_level_that_is_absent_has_no_ways),
		TEST(without_sizes_nothing_is_asked),
		TEST(a_size_that_contradicts_the_count_gives_no_answer),
		TEST(too_few_undisturbed_batches_tell_nothing),
		cmocka_unit_test(every_fact_is_answered_whatever_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
