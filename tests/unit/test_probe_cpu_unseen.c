// SPDX-License-Identifier: GPL-2.0
/* Peaks of a coarse clock's readings, and the levels that means have found. */
#include "probe/cpu_unseen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "made_hops.h"

/* At 4, 14, 32 and 407 cycles, the last one memory's. */
static void lay(struct mp_cpu_edges *edges, uint32_t n, const double *latency)
{
	static const double cycles[] = { 4, 14, 32, 407 };
	static const double bound[] = { 11, 25, 378, 8000 };

	memset(edges, 0, sizeof(*edges));
	edges->doubt.level = MP_CPU_LEVELS;
	edges->n = n;
	for (uint32_t k = 0; k < n; k++)
		edges->level[k].latency = latency[k];
	edges->peaks.n = 4;
	memcpy(edges->peaks.cycles, cycles, sizeof(cycles));
	memcpy(edges->peaks.bound, bound, sizeof(bound));
}

static uint32_t doubtful(struct mp_cpu_edges *edges, double *unseen)
{
	mp_cpu_unseen_find(edges);
	*unseen = edges->doubt.unseen;
	return edges->doubt.level;
}

static void each_peak_has_a_level(void **state)
{
	const double all[] = { 4, 14, 32 }, more[] = { 4, 7, 14, 32 };
	const double lacks[] = { 4, 7, 32 }, last[] = { 4, 7, 15 };
	struct mp_cpu_edges edges;
	double unseen;

	(void)state;
	lay(&edges, 3, all);
	assert_int_equal(doubtful(&edges, &unseen), MP_CPU_LEVELS);
	lay(&edges, 4, more);
	assert_int_equal(doubtful(&edges, &unseen), MP_CPU_LEVELS);
	lay(&edges, 3, lacks);
	/* It is in the edge from 7 to 32. */
	assert_int_equal(doubtful(&edges, &unseen), 1);
	assert_float_equal(unseen, 14, 0);
	lay(&edges, 3, last);
	assert_int_equal(doubtful(&edges, &unseen), 2);
	assert_float_equal(unseen, 32, 0);
}

/* Slots of full rings share lines: what a level takes is more than means say, but
 * of the first and of those that a few lines told. There are three levels still. */
static void means_of_full_rings_may_be_of_slower_levels(void **state)
{
	const double diluted[] = { 4, 7, 15 }, beyond[] = { 4, 7, 30 };
	struct mp_cpu_edges edges;
	double unseen;

	(void)state;
	lay(&edges, 3, diluted);
	edges.full = true;
	assert_int_equal(doubtful(&edges, &unseen), MP_CPU_LEVELS);
	lay(&edges, 3, beyond);
	edges.full = true;
	assert_int_equal(doubtful(&edges, &unseen), MP_CPU_LEVELS);
	lay(&edges, 2, diluted);
	edges.full = true;
	assert_int_equal(doubtful(&edges, &unseen), 0);
	assert_float_equal(unseen, 14, 0);
	lay(&edges, 3, diluted);
	edges.full = true;
	edges.after_first = 1;
	edges.after_n = 1;
	assert_int_equal(doubtful(&edges, &unseen), 2);
	assert_float_equal(unseen, 14, 0);
}

/* Peaks that share readings are none by themselves; groups have levels of their
 * own, and single hops all. */
static void what_is_blurred_or_known_says_nothing(void **state)
{
	const double two[] = { 4, 32 };
	struct mp_cpu_edges edges;
	double unseen;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		lay(&edges, 2, two);
		edges.peaks.blurred[i] = true;
		assert_int_equal(doubtful(&edges, &unseen), MP_CPU_LEVELS);
	}
	lay(&edges, 2, two);
	edges.groups.n = 2;
	assert_int_equal(doubtful(&edges, &unseen), MP_CPU_LEVELS);
	lay(&edges, 2, two);
	edges.single = true;
	assert_int_equal(doubtful(&edges, &unseen), MP_CPU_LEVELS);
	lay(&edges, 2, two);
	assert_int_equal(doubtful(&edges, &unseen), 0);
	assert_float_equal(unseen, 14, 0);
	/* What is in doubt further in stays so. */
	lay(&edges, 2, two);
	edges.doubt.level = 0;
	assert_int_equal(doubtful(&edges, &unseen), 0);
	assert_float_equal(unseen, 0, 0);
}

/* Of 14 cycles, as long as a peak has most hops; of more where those of a level that is
 * none are among them. */
static void rise_to(struct made_hops *hops, double cycles)
{
	made_hops_open(hops, 1);
	for (uint64_t length = 8; length < 64; length += 8) {
		const struct made_kind kind[] = {
			{ 0.2, 4, 0 }, { 0.6, length < 40 ? 14 : cycles, 0 },
			{ 1, 407, 0 },
		};

		made_hops_add(hops, length << 10, 1, kind, 3);
	}
}

static void a_peak_that_moves_hides_a_level(void **state)
{
	const double known[] = { 4, 14 };
	struct mp_cpu_edges edges;
	struct made_hops hops;
	double unseen;

	(void)state;
	for (uint32_t moves = 0; moves < 2; moves++) {
		rise_to(&hops, moves ? 22 : 15);
		lay(&edges, 2, known);
		edges.full = true;
		edges.peaks.n = 3;
		edges.peaks.cycles[2] = 407;
		edges.peaks.bound[2] = 8000;
		edges.hops[0] = hops.curve;
		assert_int_equal(doubtful(&edges, &unseen),
				 moves ? 1 : MP_CPU_LEVELS);
		assert_float_equal(unseen, moves ? 22 : 0, 0.1);
		made_hops_close(&hops);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_peak_has_a_level),
		cmocka_unit_test(means_of_full_rings_may_be_of_slower_levels),
		cmocka_unit_test(what_is_blurred_or_known_says_nothing),
		cmocka_unit_test(a_peak_that_moves_hides_a_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
