// SPDX-License-Identifier: GPL-2.0
/* The zoo's counts, and the bounds that they are held against. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/bench/zoo_table.h"

static struct zoo_counts counts(uint32_t answered, uint32_t open,
				uint32_t wrong)
{
	return (struct zoo_counts){
		.asked = answered + open + wrong, .answered = answered,
		.open = open, .wrong = wrong, .limits = answered,
		/* 95 %, as they should. */
		.held = (uint32_t)lround(0.95 * answered),
	};
}

static uint32_t gate(uint32_t class, struct zoo_counts all, uint32_t machines)
{
	char why[512];
	const uint32_t n = zoo_gate(class, &all, &all, machines, why,
				    sizeof(why));

	assert_int_equal(n > 0, strlen(why) > 0);
	return n;
}

static void facts_are_classed_by_their_names(void **state)
{
	(void)state;
	assert_int_equal(zoo_class_of("cpu.l1d.size"), ZOO_SIZE);
	assert_int_equal(zoo_class_of("cpu.l3.latency-cycles"), ZOO_LATENCY);
	assert_int_equal(zoo_class_of("cpu.dram.latency"), ZOO_LATENCY);
	assert_int_equal(zoo_class_of("cpu.l2.line"), ZOO_LINE);
	assert_int_equal(zoo_class_of("cpu.l2.ways"), ZOO_WAYS);
	assert_int_equal(zoo_class_of("cpu.stlb-2m.entries"), ZOO_ENTRIES);
	assert_int_equal(zoo_class_of("cpu.dtlb.ways"), ZOO_TLB_WAYS);
	assert_int_equal(zoo_class_of("cpu.stlb.hit-cost"), ZOO_COST);
	assert_int_equal(zoo_class_of("cpu.walk.cost"), ZOO_COST);
	assert_int_equal(zoo_class_of("cpu.l2.policy"), ZOO_POLICY_CLASS);
	assert_int_equal(zoo_class_of("cpu.l3.inclusion"), ZOO_INCLUSION_KIND);
	assert_int_equal(zoo_class_of("cpu.l1d.sector"), ZOO_SECTORS);
	assert_int_equal(zoo_class_of("cpu.l3.shared"), ZOO_SHARED);
	assert_int_equal(zoo_class_of("cpu.prefetch.next"), ZOO_FETCH);
	assert_int_equal(zoo_class_of("cpu.clock"), ZOO_OTHER);
	assert_int_equal(zoo_class_of("gpu.sm.count"), ZOO_OTHER);
}

static void chances_are_those_of_a_binomial_law(void **state)
{
	(void)state;
	assert_true(fabs(zoo_at_most(0, 10, 0.5) - 1 / 1024.0) < 1e-12);
	assert_true(fabs(zoo_at_most(5, 10, 0.5) - 638 / 1024.0) < 1e-12);
	assert_true(fabs(zoo_at_most(0, 3, 0.1) - 0.729) < 1e-12);
	assert_true(fabs(zoo_at_most(9700, 10000, 0.97) - 0.5) < 0.03);
	assert_true(zoo_at_most(10, 10, 0.3) >= 1);
	assert_true(zoo_at_most(0, 10, 0) >= 1);
	assert_true(zoo_at_most(9, 10, 1) <= 0);
	assert_true(zoo_at_most(0, 0, 0.5) >= 1);
}

static void what_keeps_its_bounds_passes(void **state)
{
	(void)state;
	for (uint32_t class = 0; class < ZOO_CLASSES; class++) {
		assert_int_equal(gate(class, counts(0, 0, 0), 200), 0);
		assert_int_equal(gate(class, counts(490, 10, 0), 200), 0);
		assert_int_equal(gate(class, counts(29400, 600, 0), 10000), 0);
	}
}

static void one_wrong_size_latency_line_or_ways_fails(void **state)
{
	(void)state;
	for (uint32_t class = ZOO_SIZE; class <= ZOO_WAYS; class++) {
		assert_int_equal(gate(class, counts(490, 9, 1), 200), 1);
		assert_int_equal(gate(class, counts(29400, 599, 1), 10000), 1);
	}
	assert_int_equal(gate(ZOO_TLB_WAYS, counts(499, 0, 1), 200), 1);
}

static void a_few_other_wrong_ones_may_be_chance_and_more_may_not(void **state)
{
	(void)state;
	/* Of 500 with one in a thousand: six come once in 70,000 times. */
	assert_int_equal(gate(ZOO_POLICY_CLASS, counts(497, 0, 3), 200), 0);
	assert_int_equal(gate(ZOO_POLICY_CLASS, counts(494, 0, 6), 200), 1);
	assert_int_equal(gate(ZOO_ENTRIES, counts(9990, 0, 10), 10000), 0);
	assert_int_equal(gate(ZOO_ENTRIES, counts(9989, 0, 11), 10000), 1);
}

static void too_many_unanswered_fail(void **state)
{
	(void)state;
	assert_int_equal(gate(ZOO_SIZE, counts(970, 30, 0), 10000), 0);
	assert_int_equal(gate(ZOO_SIZE, counts(969, 31, 0), 10000), 1);
	/* Of 600 with 97 %: 570 come once in 400 times, 560 hardly ever. */
	assert_int_equal(gate(ZOO_SIZE, counts(570, 30, 0), 200), 0);
	assert_int_equal(gate(ZOO_SIZE, counts(560, 40, 0), 200), 1);
	assert_int_equal(gate(ZOO_WAYS, counts(900, 100, 0), 10000), 0);
	assert_int_equal(gate(ZOO_WAYS, counts(899, 101, 0), 10000), 1);
	assert_int_equal(gate(ZOO_ENTRIES, counts(899, 101, 0), 10000), 1);
	assert_int_equal(gate(ZOO_POLICY_CLASS, counts(750, 250, 0), 10000), 0);
	assert_int_equal(gate(ZOO_POLICY_CLASS, counts(749, 251, 0), 10000), 1);
	assert_int_equal(gate(ZOO_FETCH, counts(600, 400, 0), 10000), 0);
	assert_int_equal(gate(ZOO_FETCH, counts(599, 401, 0), 10000), 1);
}

static void limits_that_miss_too_often_or_too_seldom_fail(void **state)
{
	struct zoo_counts all = counts(10000, 0, 0), quiet = { 0 };
	char why[512];

	(void)state;
	all.held = 9399;
	assert_int_equal(gate(ZOO_SIZE, all, 10000), 1);
	all.held = 9400;
	assert_int_equal(gate(ZOO_SIZE, all, 10000), 0);
	all.held = 9901;
	assert_int_equal(gate(ZOO_SIZE, all, 10000), 0);
	assert_int_equal(gate(ZOO_LATENCY, all, 10000), 1);
	/* Without noise limits may always hold. */
	assert_int_equal(zoo_gate(ZOO_LATENCY, &all, &quiet, 10000, why,
				  sizeof(why)), 0);
	all = counts(300, 0, 0);
	all.held = 300;
	assert_int_equal(gate(ZOO_LATENCY, all, 200), 0);
	all.held = 255;
	assert_int_equal(gate(ZOO_LATENCY, all, 200), 1);
}

static struct zoo_result *result_of(uint32_t n)
{
	static const uint8_t scores[] = { SCORE_RIGHT, SCORE_OPEN,
					  SCORE_WRONG, SCORE_RIGHT };
	static struct zoo_result result;

	memset(&result, 0, sizeof(result));
	result.n = n;
	for (uint32_t i = 0; i < n; i++) {
		struct zoo_fact *fact = &result.fact[i];

		snprintf(fact->name, sizeof(fact->name), i % 2 ?
			 "cpu.l2.size" : "cpu.l1d.size");
		snprintf(fact->said, sizeof(fact->said), "fact %u", i);
		fact->score = scores[i % 4];
		fact->has_limits = fact->score == SCORE_RIGHT;
		fact->held = i % 4 == 3;
		fact->is_promised = i % 2;
		fact->confidence = i % 4 ? 0.9 : NAN;
		fact->class = i % 4 ? 7 + i % 2 : MP_CONFIDENCE_UNKNOWN;
	}
	return &result;
}

static char *printed(struct zoo_table *table)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	zoo_table_sort(table);
	zoo_table_print(table, out);
	fclose(out);
	return text;
}

/* Of eight facts 2 and 6 are of class 7 and wrong; 1, 3, 5 and 7 of class 8,
 * right or open. */
static void what_held_is_written_as_a_table(void **state)
{
	struct zoo_table table = { 0 };
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(out);
	assert_int_equal(zoo_table_take(&table, 0, ZOO_NOISE_LOW,
					result_of(8)), 0);
	zoo_table_calibrate(&table, out);
	fclose(out);
	assert_non_null(strstr(text, "\t[7] = { 2, 0 },\n\t[8] = { 4, 4 },\n"
			       "};\n"));
	free(text);
	zoo_table_free(&table);
}

static void facts_are_counted_by_class_and_noise(void **state)
{
	struct zoo_table table = { 0 };
	struct zoo_counts sum;

	(void)state;
	assert_int_equal(zoo_table_take(&table, 5, ZOO_NOISE_LOW,
					result_of(8)), 0);
	assert_int_equal(zoo_table_take(&table, 2, ZOO_NOISE_HIGH,
					result_of(4)), 0);
	sum = zoo_table_sum(&table, ZOO_SIZE, ZOO_COLUMNS);
	assert_int_equal(sum.asked, 12);
	assert_int_equal(sum.answered, 6);
	assert_int_equal(sum.open, 3);
	assert_int_equal(sum.wrong, 3);
	assert_int_equal(sum.limits, 6);
	assert_int_equal(sum.held, 3);
	assert_int_equal(zoo_table_sum(&table, ZOO_SIZE,
				       ZOO_NOISE_HIGH).asked, 4);
	assert_int_equal(zoo_table_sum(&table, ZOO_LINE,
				       ZOO_COLUMNS).asked, 0);
	assert_int_equal(zoo_table_sum(&table, ZOO_CLASSES,
				       ZOO_COLUMNS).asked, 12);
	assert_int_equal(table.wrong.n, 3);
	assert_int_equal(table.open.n, 0);
	zoo_table_sort(&table);
	assert_int_equal(table.wrong.note[0].job, 2);
	assert_int_equal(table.bin[5].n, 9);
	assert_int_equal(table.bin[5].held, 6);
	zoo_table_free(&table);
}

static void the_table_is_the_same_in_any_order(void **state)
{
	struct zoo_table one = { 0 }, other = { 0 };
	char *text, *again;

	(void)state;
	for (uint32_t i = 0; i < 8; i++) {
		zoo_table_take(&one, i, i % 3, result_of(i));
		zoo_table_take(&other, 7 - i, (7 - i) % 3, result_of(7 - i));
	}
	text = printed(&one);
	again = printed(&other);
	assert_string_equal(text, again);
	assert_non_null(strstr(text, "cpu.l2.size"));
	assert_int_equal(one.wrong.n, other.wrong.n);
	for (uint32_t i = 0; i < one.wrong.n; i++)
		assert_int_equal(one.wrong.note[i].job,
				 other.wrong.note[i].job);
	free(text);
	free(again);
	zoo_table_free(&one);
	zoo_table_free(&other);
}

static void a_table_with_wrong_facts_fails_its_gate(void **state)
{
	struct zoo_table table = { 0 };
	FILE *nowhere = fopen("/dev/null", "w");

	(void)state;
	assert_non_null(nowhere);
	zoo_table_take(&table, 0, ZOO_NOISE_DEFAULT, result_of(1));
	assert_int_equal(zoo_table_gate(&table, nowhere), 0);
	zoo_table_take(&table, 1, ZOO_NOISE_DEFAULT, result_of(4));
	assert_int_equal(zoo_table_gate(&table, nowhere), 1);
	zoo_table_free(&table);
	fclose(nowhere);
}

static void a_machine_that_broke_is_no_machine_measured(void **state)
{
	struct zoo_result *result = result_of(3);
	struct zoo_table table = { 0 };

	(void)state;
	result->failed = true;
	snprintf(result->why, sizeof(result->why), "refused");
	zoo_table_take(&table, 4, ZOO_NOISE_DEFAULT, result);
	zoo_table_broken(&table, 3, "crashed");
	zoo_table_sort(&table);
	assert_int_equal(table.machines, 0);
	assert_int_equal(table.failed, 2);
	assert_int_equal(zoo_table_sum(&table, ZOO_CLASSES,
				       ZOO_COLUMNS).asked, 0);
	assert_string_equal(table.broken.note[0].said, "crashed");
	assert_string_equal(table.broken.note[1].said, "refused");
	zoo_table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_are_classed_by_their_names),
		cmocka_unit_test(chances_are_those_of_a_binomial_law),
		cmocka_unit_test(what_keeps_its_bounds_passes),
		cmocka_unit_test(one_wrong_size_latency_line_or_ways_fails),
		cmocka_unit_test(
			a_few_other_wrong_ones_may_be_chance_and_more_may_not),
		cmocka_unit_test(too_many_unanswered_fail),
		cmocka_unit_test(limits_that_miss_too_often_or_too_seldom_fail),
		cmocka_unit_test(what_held_is_written_as_a_table),
		cmocka_unit_test(facts_are_counted_by_class_and_noise),
		cmocka_unit_test(the_table_is_the_same_in_any_order),
		cmocka_unit_test(a_table_with_wrong_facts_fails_its_gate),
		cmocka_unit_test(a_machine_that_broke_is_no_machine_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
