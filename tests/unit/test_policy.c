// SPDX-License-Identifier: GPL-2.0
/* Classes of replacement policy, from what sets made up for tests have done. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "made_policy.h"

#define BURSTS 12u

static struct made_looks looks;
static struct made_policy policies[MADE_POLICIES];

static struct mp_policy_verdict judge(const struct made_policy *policy,
				      uint32_t ways, uint32_t walks,
				      double flips, uint64_t seed)
{
	struct mp_policy_verdict verdict;

	made_looks(&looks, policy, ways, 0, walks, BURSTS, flips, seed);
	assert_int_equal(mp_policy_judge(looks.seen, looks.n, &verdict), 0);
	return verdict;
}

static bool is_one(uint32_t classes)
{
	return classes && !(classes & (classes - 1));
}

static void is_class(uint32_t rule, uint32_t class, uint32_t ways,
		     double flips)
{
	const struct made_policy policy = { .class = class, .rule = rule };
	const struct mp_policy_verdict verdict =
		judge(&policy, ways, 12, flips, 7);

	if (verdict.classes != 1u << class)
		fail_msg("%u ways, rule %u: classes %x, %u of %u contradicted",
			 ways, rule, verdict.classes, verdict.contradicted,
			 verdict.looks);
}

static void every_named_class_is_found(double flips)
{
	static const uint32_t ways[] = { 6, 8, 11, 12, 16 };

	for (uint32_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		is_class(MADE_LRU, MP_POLICY_LRU, ways[i], flips);
		is_class(MADE_FIFO, MP_POLICY_FIFO, ways[i], flips);
		is_class(MADE_RANDOM, MP_POLICY_RANDOM, ways[i], flips);
		is_class(MADE_BIT_PLRU, MP_POLICY_MRU, ways[i], flips);
		is_class(MADE_NRU, MP_POLICY_MRU, ways[i], flips);
		is_class(MADE_SRRIP, MP_POLICY_SRRIP, ways[i], flips);
		is_class(MADE_SRRIP_FP, MP_POLICY_QLRU, ways[i], flips);
	}
	for (uint32_t n = 4; n <= 32; n *= 2)
		is_class(MADE_TREE, MP_POLICY_PLRU, n, flips);
	is_class(MADE_TREE, MP_POLICY_PLRU, 12, flips);
}

static void each_class_is_found_where_looks_are_clean(void **state)
{
	(void)state;
	every_named_class_is_found(0);
}

static void each_class_is_found_where_one_look_in_a_hundred_is_wrong(void **state)
{
	(void)state;
	every_named_class_is_found(0.01);
}

static struct mp_policy_verdict judge_size(uint32_t rule, uint32_t ways,
					   uint32_t size)
{
	const struct made_policy policy = { .rule = rule };
	struct mp_policy_verdict verdict;

	made_looks(&looks, &policy, ways, size, 18, BURSTS, 0.01, size);
	assert_int_equal(mp_policy_judge(looks.seen, looks.n, &verdict), 0);
	return verdict;
}

static void small_lists_tell_the_same(void **state)
{
	(void)state;
	for (uint32_t size = 1; size < MP_POLICY_SIZES; size++) {
		for (uint32_t ways = 6; ways <= 16; ways += 5) {
			const struct {
				uint32_t rule;
				uint32_t class;
			} of[] = {
				{ MADE_LRU, MP_POLICY_LRU },
				{ MADE_FIFO, MP_POLICY_FIFO },
				{ MADE_RANDOM, MP_POLICY_RANDOM },
				{ MADE_NRU, MP_POLICY_MRU },
			};

			for (uint32_t i = 0; i < 4; i++)
				assert_int_equal(judge_size(of[i].rule, ways,
							    size).classes,
						 1u << of[i].class);
		}
	}
}

static void quad_ages_as_they_are_built_are_found(void **state)
{
	/* Second and last levels of CPUs, as the literature has them. */
	static const struct made_policy built[] = {
		{ .rule = MADE_QLRU, .h = 0, .m = 1, .r = 2, .u = 1 },
		{ .rule = MADE_QLRU, .h = 0, .m = 1, .r = 0, .u = 1 },
		{ .rule = MADE_QLRU, .h = 11, .m = 1, .r = 0, .u = 0 },
		{ .rule = MADE_QLRU, .h = 11, .m = 1, .r = 1, .u = 2 },
	};

	(void)state;
	for (uint32_t ways = 4; ways <= 16; ways += 4)
		for (uint32_t i = 0; i < 4; i++)
			assert_int_equal(judge(&built[i], ways, 12, 0.01, i)
					 .classes, 1u << MP_POLICY_QLRU);
}

static void a_tree_may_fill_where_its_bits_point(void **state)
{
	const struct made_policy blind = { .class = MP_POLICY_PLRU,
					   .rule = MADE_TREE, .blind = true };

	(void)state;
	for (uint32_t ways = 4; ways <= 16; ways *= 2) {
		const struct mp_policy_verdict verdict =
			judge(&blind, ways, 12, 0, 7);

		assert_int_equal(verdict.classes, 1u << MP_POLICY_PLRU);
		assert_true(verdict.best.blind);
		assert_int_equal(verdict.contradicted, 0);
	}
}

static void what_is_the_same_with_two_ways_is_not_told_apart(void **state)
{
	const struct made_policy lru = { .rule = MADE_LRU };
	const struct made_policy tree = { .rule = MADE_TREE };
	const uint32_t same = 1u << MP_POLICY_LRU | 1u << MP_POLICY_PLRU |
			      1u << MP_POLICY_MRU;

	(void)state;
	assert_int_equal(judge(&lru, 2, 18, 0, 1).classes & same, same);
	assert_int_equal(judge(&tree, 2, 18, 0, 1).classes & same, same);
}

static void one_walk_is_too_little_and_names_what_is_left(void **state)
{
	const struct made_policy lru = { .rule = MADE_LRU };
	const struct mp_policy_verdict verdict = judge(&lru, 8, 1, 0, 1);
	char text[64];

	(void)state;
	assert_true(verdict.classes >> MP_POLICY_LRU & 1);
	assert_false(is_one(verdict.classes));
	mp_policy_classes_print(verdict.classes, text, sizeof(text));
	assert_non_null(strstr(text, "lru or "));
}

/* Half of the sets of a cache that tries two policies, say. */
static void a_policy_that_is_none_of_them_fits_none(void **state)
{
	const struct made_policy of[] = { { .rule = MADE_LRU },
					  { .rule = MADE_FIFO } };
	static struct made_looks other;
	struct mp_policy_verdict verdict;

	(void)state;
	made_looks(&looks, &of[0], 8, 0, 12, BURSTS, 0, 1);
	made_looks(&other, &of[1], 8, 0, 12, BURSTS, 0, 1);
	for (uint32_t i = 0; i < 12; i += 2)
		looks.seen[i] = other.seen[i];
	assert_int_equal(mp_policy_judge(looks.seen, 12, &verdict), 0);
	assert_int_equal(verdict.classes, 0);
	assert_true(verdict.contradicted > 2);
}

static void a_set_of_fewer_ways_than_told_fits_none(void **state)
{
	const struct made_policy lru = { .rule = MADE_LRU };
	struct made_set set;
	struct mp_policy_verdict verdict;

	(void)state;
	made_looks(&looks, &lru, 8, 0, 6, BURSTS, 0, 1);
	for (uint32_t k = 0; k < 6; k++) {
		uint32_t look = 0;

		made_set_open(&set, &lru, 7, 1);
		for (uint32_t i = 0; i < looks.walk[k].n; i++) {
			const struct mp_policy_step *step =
				&looks.walk[k].step[i];

			if (step->what == MP_POLICY_FLUSH)
				made_set_flush(&set, step->line);
			else if (step->what == MP_POLICY_LOOK)
				looks.hit[k][look++] =
					made_set_touch(&set, step->line);
			else
				made_set_touch(&set, step->line);
		}
	}
	assert_int_equal(mp_policy_judge(looks.seen, 6, &verdict), 0);
	assert_int_equal(verdict.classes, 0);
}

/* A burst leaves lines to the next, which leaves others: bursts go round in
 * states, and what is seen is a mixture of them. */
static void bursts_that_find_lines_of_the_one_before_go_round(void **state)
{
	const struct made_policy srrip = { .rule = MADE_SRRIP };
	struct mp_policy_verdict verdict;

	(void)state;
	made_looks_alone(&looks, &srrip, 25, MP_POLICY_VISITS / 2, MP_POLICY_WALKS,
			 MADE_WALKS, 16);
	assert_int_equal(mp_policy_judge(looks.seen, looks.n, &verdict), 0);
	assert_int_equal(verdict.best.class, MP_POLICY_SRRIP);
	assert_int_equal(verdict.contradicted, 0);
}

/* What was in a set goes in a few bursts, and where all lines are flushed nothing
 * takes its place: more ways are empty than of a set that others have filled. */
static void random_sets_that_nobody_else_comes_to_are_known(void **state)
{
	const struct made_policy any = { .rule = MADE_RANDOM };
	struct mp_policy_verdict verdict;

	(void)state;
	for (uint32_t ways = 16; ways <= 32; ways += 8) {
		made_looks_alone(&looks, &any, ways, MP_POLICY_VISITS, 0, 6, 64);
		assert_int_equal(mp_policy_judge(looks.seen, looks.n, &verdict),
				 0);
		assert_int_equal(verdict.classes, 1u << MP_POLICY_RANDOM);
		assert_true(verdict.best.alone);
		made_looks(&looks, &any, ways, 0, 6, 64, 0, 1);
		assert_int_equal(mp_policy_judge(looks.seen, looks.n, &verdict),
				 0);
		assert_int_equal(verdict.classes, 1u << MP_POLICY_RANDOM);
	}
}

static void nothing_seen_is_no_answer(void **state)
{
	struct mp_policy_verdict verdict;

	(void)state;
	assert_int_equal(mp_policy_judge(NULL, 0, &verdict), -ENODATA);
}

/* Return: was the one class answered? It may be left open, but not wrong. */
static bool is_right_or_open(const struct made_policy *policy, uint32_t ways,
			     double flips, uint64_t seed)
{
	const struct mp_policy_verdict verdict =
		judge(policy, ways, 6 + 6 * (seed % 3), flips, seed);
	char name[40];

	made_policy_name(policy, name, sizeof(name));
	if (is_one(verdict.classes) && verdict.classes != 1u << policy->class)
		fail_msg("%s, %u ways, seed %u: taken for %x", name, ways,
			 (uint32_t)seed, verdict.classes);
	return is_one(verdict.classes);
}

/* Misses that cost less than was thought: the share of hits is half of what it is.
 * What fits that a little better is no policy for it. */
static void shares_that_are_all_off_show_no_other_policy(void **state)
{
	const struct made_policy policy = { .class = MP_POLICY_MRU,
					    .rule = MADE_NRU };
	struct mp_policy_verdict verdict;

	(void)state;
	for (uint64_t seed = 0; seed < 6; seed++) {
		made_looks(&looks, &policy, 12, 0, 10, BURSTS, 0, seed);
		for (uint32_t i = 0; i < looks.n; i++)
			for (uint32_t k = 0; k < MP_POLICY_STEPS; k++)
				looks.hit[i][k] /= 2;
		assert_int_equal(mp_policy_judge(looks.seen, looks.n,
						 &verdict), 0);
		assert_false(is_one(verdict.classes) &&
			     verdict.classes != 1u << MP_POLICY_MRU);
		assert_true(verdict.dispersion > 1);
		assert_true(verdict.apart >= 23 * verdict.dispersion);
	}
}

static void no_policy_is_taken_for_one_of_another_class(void **state)
{
	uint32_t all = 0, answered = 0;

	(void)state;
	for (uint32_t ways = 2; ways <= 16; ways++) {
		const uint32_t n = made_policies(ways, policies);

		/* A ninth of them at each number of ways, in turn. */
		for (uint32_t i = ways % 9; i < n; i += 9) {
			answered += is_right_or_open(&policies[i], ways,
						     (i % 4) * 0.01, i + ways);
			all++;
		}
	}
	assert_true(answered > all * 6 / 10);
}

static void make(struct mp_policy_walk *walk, uint32_t ways, uint32_t leave,
		 uint64_t seed)
{
	struct mp_policy_shape shape;

	mp_policy_shape_of(&shape, ways, MP_POLICY_VISITS, 0);
	shape.leave = leave;
	mp_policy_walk_make(walk, &shape, seed);
}

static void walks_keep_to_their_bounds(void **state)
{
	static struct mp_policy_walk walk;
	struct mp_policy_shape shape;

	(void)state;
	for (uint32_t i = 0; i < 200; i++) {
		const uint32_t ways = 2 + i % 39, visits = i % 2 ? 2 : 4;
		const uint32_t leave = i % 5 ? 0 : 3 * ways, room = 300 + i;
		uint32_t visited[MP_POLICY_LINES] = { 0 }, cost = 0;

		mp_policy_shape_of(&shape, ways, visits, i % MP_POLICY_SIZES);
		shape.leave = leave;
		shape.room = room;
		mp_policy_walk_make(&walk, &shape, i);
		for (uint32_t k = 0; k < walk.n; k++) {
			if (walk.step[k].what == MP_POLICY_LEAVE) {
				cost += leave;
				continue;
			}
			cost++;
			assert_true(walk.step[k].line < walk.lines);
			assert_true(++visited[walk.step[k].line] <= visits);
		}
		assert_true(cost <= room && walk.lines <= MP_POLICY_LINES);
		assert_true(mp_policy_looks(&walk) > 0 || ways > 30);
	}
}

/* .. and those in little room have no line there that empties the set when
 * they look at others: these lie in a row. */
static void narrow_walks_keep_lines_apart(void **state)
{
	static struct mp_policy_walk walk;
	struct mp_policy_shape shape;

	(void)state;
	for (uint32_t i = 0; i < 200; i++) {
		const uint32_t ways = 2 + i % 39, visits = i % 2 ? 2 : 4;
		bool there[MP_POLICY_LINES] = { false };
		uint32_t n = 0, once;

		mp_policy_shape_of(&shape, ways, visits,
				   1 + i % (MP_POLICY_SIZES - 1));
		once = shape.looked > shape.empty ? shape.looked : shape.empty;
		mp_policy_walk_make(&walk, &shape, i);
		assert_true(shape.narrow && shape.looked > ways);
		assert_int_equal(walk.lines, shape.empty + shape.looked);
		for (uint32_t k = 0; k < walk.n; k++) {
			const uint32_t line = walk.step[k].line;
			const bool goes = walk.step[k].what == MP_POLICY_FLUSH;

			if (walk.step[k].what == MP_POLICY_LOOK)
				assert_true(walk.place[line] < shape.looked);
			n += !there[line] - goes;
			there[line] = !goes;
			assert_true(n <= once);
		}
	}
}

/* Ages that make three ways all but LRU, which walks as they come tell by less
 * than a look each: some walk tells by more, and none where there is nothing. */
static void some_walks_tell_more_than_others(void **state)
{
	static struct mp_policy_walk walk;
	struct mp_policy_verdict verdict = {
		.best = { .class = MP_POLICY_LRU, .kind = MP_KIND_LRU },
		.n_left = 1,
		.left = { { .class = MP_POLICY_QLRU, .kind = MP_KIND_AGE,
			    .hit = { 0, 0, 0, 1 }, .insert = 1, .grow = 3 } },
	};
	uint32_t all = 0, most = 0;

	(void)state;
	for (uint32_t i = 0; i < 114; i++) {
		uint32_t tells;

		make(&walk, 3, 18, i);
		tells = mp_policy_tells(&verdict, &walk);
		all += tells;
		most = tells > most ? tells : most;
	}
	assert_true(most >= 2 && all < 114);
	verdict.left[0] = verdict.best;
	assert_int_equal(mp_policy_tells(&verdict, &walk), 0);
}

static void two_looks_at_a_line_lie_apart_where_they_must(void **state)
{
	static struct mp_policy_walk walk;
	bool inside[MP_POLICY_LINES] = { false };
	uint32_t leaves = 0;

	(void)state;
	make(&walk, 8, 16, 3);
	for (uint32_t k = 0; k < walk.n; k++) {
		const struct mp_policy_step *step = &walk.step[k];

		if (step->what == MP_POLICY_LEAVE) {
			memset(inside, 0, sizeof(inside));
			leaves++;
		} else if (step->what == MP_POLICY_LOOK) {
			assert_false(inside[step->line]);
			inside[step->line] = true;
		}
	}
	assert_true(leaves > 4);
}

/* Every third line by place leaves with it, and no other. */
static void lines_leave_with_those_of_their_kind(void **state)
{
	static struct mp_policy_walk walk;
	bool inside[MP_POLICY_LINES] = { false };
	struct mp_policy_shape shape;
	uint32_t kept = 0;

	(void)state;
	mp_policy_shape_of(&shape, 8, MP_POLICY_VISITS, 1);
	shape.leave = 12;
	shape.kinds = 3;
	mp_policy_walk_make(&walk, &shape, 3);
	for (uint32_t k = 0; k < walk.n; k++) {
		const struct mp_policy_step *step = &walk.step[k];

		if (step->what == MP_POLICY_LOOK) {
			assert_false(inside[step->line]);
			inside[step->line] = true;
		}
		for (uint32_t i = 0; i < walk.lines &&
				     step->what == MP_POLICY_LEAVE; i++) {
			if (walk.place[i] % 3 == walk.place[step->line] % 3)
				inside[i] = false;
			kept += inside[i];
		}
	}
	assert_true(kept > 0);
}

static bool goes_on(uint32_t a, uint32_t b, uint32_t c)
{
	return a != b && b - a == c - b;
}

static void no_step_leads_a_prefetcher_on(void **state)
{
	uint32_t place[MP_POLICY_LINES];

	(void)state;
	for (uint32_t n = 8; n <= 240; n++) {
		bool taken[MP_POLICY_LINES] = { false };

		mp_policy_places(n, place);
		for (uint32_t i = 0; i < n; i++) {
			assert_true(place[i] < n && !taken[place[i]]);
			taken[place[i]] = true;
			assert_false(i > 1 && goes_on(place[i - 2],
						      place[i - 1], place[i]));
		}
	}
}

static void looks_do_not_go_on_either(void **state)
{
	static struct mp_policy_walk walk;
	uint32_t on = 0, all = 0;

	(void)state;
	for (uint32_t i = 0; i < 60; i++) {
		uint32_t last[2] = { 0, 0 };

		make(&walk, 8, 0, i);
		for (uint32_t k = 0; k < walk.n; k++) {
			const uint32_t at = walk.place[walk.step[k].line];

			if (walk.step[k].what != MP_POLICY_LOOK)
				continue;
			on += goes_on(last[1], last[0], at);
			all++;
			last[1] = last[0];
			last[0] = at;
		}
	}
	/* Where few are left to choose from it cannot always be helped. */
	assert_true(all > 2000 && on <= all / 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_class_is_found_where_looks_are_clean),
		cmocka_unit_test(
			each_class_is_found_where_one_look_in_a_hundred_is_wrong),
		cmocka_unit_test(a_tree_may_fill_where_its_bits_point),
		cmocka_unit_test(no_step_leads_a_prefetcher_on),
		cmocka_unit_test(looks_do_not_go_on_either),
		cmocka_unit_test(quad_ages_as_they_are_built_are_found),
		cmocka_unit_test(small_lists_tell_the_same),
		cmocka_unit_test(
			what_is_the_same_with_two_ways_is_not_told_apart),
		cmocka_unit_test(one_walk_is_too_little_and_names_what_is_left),
		cmocka_unit_test(a_policy_that_is_none_of_them_fits_none),
		cmocka_unit_test(a_set_of_fewer_ways_than_told_fits_none),
		cmocka_unit_test(bursts_that_find_lines_of_the_one_before_go_round),
		cmocka_unit_test(random_sets_that_nobody_else_comes_to_are_known),
		cmocka_unit_test(nothing_seen_is_no_answer),
		cmocka_unit_test(shares_that_are_all_off_show_no_other_policy),
		cmocka_unit_test(no_policy_is_taken_for_one_of_another_class),
		cmocka_unit_test(walks_keep_to_their_bounds),
		cmocka_unit_test(narrow_walks_keep_lines_apart),
		cmocka_unit_test(some_walks_tell_more_than_others),
		cmocka_unit_test(two_looks_at_a_line_lie_apart_where_they_must),
		cmocka_unit_test(lines_leave_with_those_of_their_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
