// SPDX-License-Identifier: GPL-2.0
/* What a crowd says where the shape of an edge is another one than it looks like. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "probe/cpu_edges.h"

static struct made_sim sim;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

/*
 * Two ways over small pages include the first level: rings miss both from 26 KiB on,
 * and at no length is the second level seen. A third of what the crowd finds takes its 8
 * cycles.
 */
static void a_level_that_only_a_crowd_shows_is_no_size_of_the_one_inside(void **state)
{
	struct mp_cpu_edges edges;
	const struct mp_fact *fact;

	(void)state;
	made_sim_ask_levels(&sim,
		"machine name=a clock_mhz=800 memory_latency=498\n"
		"clock tsc_mhz=2100 step=1 read=30\n"
		"place pages=random thp=refused\n"
		"level name=l1d size=40K ways=20 latency=4 policy=random\n"
		"level name=l2 size=60K ways=2 latency=8 policy=fifo "
		"index=physical inclusion=inclusive\n"
		"tlb level=1 page=4K entries=48 ways=48\nwalk cost=46\n", 700240);
	assert_int_equal(mp_cpu_edges_find(&sim.view, &edges), 0);
	assert_true(edges.count[0].known && edges.count[0].hidden > 10 << 10 &&
		    !edges.count[0].bare);
	assert_true(mp_cpu_may_hide(&edges, 0));
	mp_cpu_edges_free(&edges);
	fact = made_sim_fact(&sim, "cpu.l1d.size");
	assert_int_equal(fact->verdict, MP_AT_LEAST);
	assert_true(fact->low <= 40 << 10);
	assert_non_null(strstr(fact->reason, "takes what no level does"));
}

/*
 * Quad ages over pages of two colours look like a smaller level of random ways, which does
 * not hold what is found of a crowd. Lines that were used twice are kept, and looked for no
 * more: the first crowd is too short.
 */
static void a_shape_that_holds_less_than_is_found_says_nothing(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	made_sim_ask_levels(&sim,
		"machine name=a clock_mhz=4500 memory_latency=307\n"
		"clock tsc_mhz=3500 step=1 read=37\n"
		"place pages=random thp=refused\n"
		"level name=l1d size=64K ways=8 latency=4 policy=srrip "
		"index=physical\n"
		"level name=l2 size=512K ways=16 latency=13 policy=random\n"
		"level name=l3 size=4352K ways=17 latency=49 policy=fifo "
		"index=physical\n"
		"noise gaps=0.02\n", 700240);
	fact = made_sim_fact(&sim, "cpu.l1d.size");
	assert_int_equal(fact->verdict, MP_MEASURED);
	assert_true(fact->low <= 64 << 10 && fact->high >= 64 << 10);
	made_sim_not_wrong(&sim, "cpu.l1d.size", 64 << 10, 0.125);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			a_level_that_only_a_crowd_shows_is_no_size_of_the_one_inside,
			end),
		cmocka_unit_test_teardown(
			a_shape_that_holds_less_than_is_found_says_nothing, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
