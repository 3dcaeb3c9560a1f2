// SPDX-License-Identifier: GPL-2.0
/* One level's edge, or that of two: a few lines that leave a level bit by bit, timed hop
 * by hop. Simulated machines whose pages lie anywhere. */
#include "probe/cpu_parted.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "probe/cpu_after.h"
#include "probe/cpu_edges.h"
#include "probe/cpu_stairs.h"

#define CLOCK(memory, step) \
	"machine name=a clock_mhz=3050 memory_latency=" memory "\n" \
	"place pages=random thp=refused\nclock tsc_mhz=3050 read=40 step=" step "\n"
#define L1 "level name=l1d size=16K ways=8 line=64 latency=5 policy=lru\n"
#define L2(latency) \
	"level name=l2 size=64K ways=4 line=64 policy=lru latency=" latency "\n"

static struct made_sim sim;
static struct mp_cpu_edges edges;
static uint32_t rounds;

/* Plans until nothing is wanted, of levels of which the first may be more than one. */
static void look(const char *text)
{
	struct mp_plan plan = { 0 };

	made_sim_open(&sim, text);
	made_sim_tell_quiet(&sim);
	made_sim_edges(&sim, &edges);
	edges.level[0].high_bytes = edges.edge[edges.n - 1].high;
	edges.n = 1;
	edges.single = false;
	edges.flat = true;
	edges.muddled = edges.contradicted = MP_CPU_LEVELS;
	rounds = 0;
	do {
		const struct mp_cpu_edges before = edges;

		edges.doubt.level = 0;
		assert_int_equal(mp_cpu_after_find(&sim.view, &edges), 0);
		assert_int_equal(mp_cpu_after_plan(&sim.view, &edges, &plan), 0);
		if (!made_sim_run(&sim, &plan))
			break;
		mp_curve_free(&edges.after);
		edges = before;
		memset(&edges.after, 0, sizeof(edges.after));
	} while (++rounds < 5);
}

static void done(void)
{
	mp_cpu_edges_free(&edges);
	made_sim_close(&sim);
}

/* The second level goes from 48 to more than 80 KiB, and is one. */
static void is_one_level(const char *text, uint32_t n)
{
	look(text);
	assert_int_equal(rounds, n);
	assert_int_equal(edges.after_n, 2);
	assert_int_equal(edges.n, 2);
	assert_int_equal(edges.doubt.level, MP_CPU_LEVELS);
	assert_true(edges.edge[1].high > edges.edge[1].low * MP_CPU_STAIRS_SHARP);
	assert_true(edges.edge[1].low <= 64 << 10 && edges.edge[1].high >= 64 << 10);
	done();
}

/* .. also by the clocks of those machines below that have another one. */
static void what_is_here_or_beyond_is_of_one_level(void **state)
{
	(void)state;
	is_one_level(CLOCK("251", "31") L1 L2("20"), 2);
	is_one_level(CLOCK("451", "31") L1 L2("20"), 2);
	is_one_level(CLOCK("451", "91") L1 L2("20"), 2);
}

/* .. after so many rounds of plans the second level may still be two. */
static void stays_in_doubt(const char *text, uint32_t n)
{
	look(text);
	assert_int_equal(rounds, n);
	assert_int_equal(edges.doubt.level, 1);
	assert_true(edges.doubt.wide);
	done();
}

/* Lines that another level serves are told by themselves, .. */
static void what_lies_between_is_anothers(void **state)
{
	(void)state;
	stays_in_doubt(CLOCK("451", "31") L1 L2("20")
		       "level name=l3 size=96K ways=2 line=64 latency=120 policy=lru\n", 2);
}

/* .. or by the mean of those that look like the level's own. */
static void what_is_nearer_than_a_step_moves_a_mean(void **state)
{
	(void)state;
	stays_in_doubt(CLOCK("451", "91") L1 L2("20")
		       "level name=l3 size=96K ways=2 line=64 latency=40 policy=lru\n", 2);
}

/* A step as long as what lies between tells nothing, and nothing is asked. */
static void a_long_step_is_not_asked(void **state)
{
	(void)state;
	stays_in_doubt(CLOCK("251", "131") L1 L2("20"), 1);
}

/* Levels lie further apart than these two stairs leave room for. */
static void where_no_level_has_room_none_hides(void **state)
{
	(void)state;
	is_one_level(CLOCK("200", "131") L1 L2("90"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_here_or_beyond_is_of_one_level),
		cmocka_unit_test(what_lies_between_is_anothers),
		cmocka_unit_test(what_is_nearer_than_a_step_moves_a_mean),
		cmocka_unit_test(a_long_step_is_not_asked),
		cmocka_unit_test(where_no_level_has_room_none_hides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
