// SPDX-License-Identifier: GPL-2.0
/* Lines by what goes with a neighbour that is flushed, on simulated machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "probe/line.h"

#define CLOCK "clock tsc_mhz=2500 step=1 read=50\n"
#define MACHINE "machine name=a clock_mhz=2500 memory_latency=250\n" CLOCK
#define ROW "place pages=contiguous\n"
#define SMALL "place pages=random thp=refused\n"
#define NOISE "noise gaps=0.02\n"

static struct made_sim sim;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

static void ask(const char *text)
{
	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = 64u << 20;
	sim.view.caps |= MP_CAP_SEQUENCE | MP_CAP_PHASES | MP_CAP_MIXED;
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	made_sim_ask(&sim, mp_probe_find("line-l1d"));
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	made_sim_ask(&sim, mp_probe_find("line"));
}

static void is(const char *name, double bytes)
{
	const struct mp_fact *fact = made_sim_fact(&sim, name);

	if (fact->verdict != MP_MEASURED || fact->value != bytes)
		fail_msg("%s: verdict %u, %g for %g: %s", name, fact->verdict,
			 fact->value, bytes, fact->reason);
}

/* What the second holds beside the first is not known, nor what the third
 * holds; each other line is brought ahead. */
static void prefetchers_and_unknown_sizes_hide_no_line(void **state)
{
	(void)state;
	ask(MACHINE SMALL NOISE
	    "level name=l1d size=64K ways=8 latency=5 policy=fifo\n"
	    "level name=l2 size=160K ways=4 latency=20 policy=nru "
	    "inclusion=exclusive\n"
	    "level name=l3 size=512K ways=8 latency=70 slices=2 "
	    "inclusion=inclusive\n"
	    "prefetch kind=next into=l1d switch=no\n");
	is("cpu.l2.line", 64);
	is("cpu.l2.sector", 64);
	is("cpu.l3.line", 64);
}

/* A pair of 64 bytes comes at any load, and goes as one where lines are longer
 * only. */
static void pairs_that_are_brought_along_are_no_lines(void **state)
{
	(void)state;
	ask(MACHINE ROW NOISE
	    "level name=l1d size=64K ways=8 latency=4 policy=fifo\n"
	    "level name=l2 size=120K ways=12 latency=20 policy=srrip\n"
	    "level name=l3 size=384K ways=32 line=256 latency=63 "
	    "policy=tree-plru index=virtual slices=3\n"
	    "prefetch kind=adjacent into=l2 switch=no\n");
	is("cpu.l2.line", 64);
	is("cpu.l3.line", 256);
}

/* -- where levels end is known -------------------------------------------- */

static void open(const char *text, struct mp_cpu_edges *edges)
{
	made_sim_open(&sim, text);
	sim.view.caps |= MP_CAP_SEQUENCE | MP_CAP_PHASES | MP_CAP_MIXED;
	made_sim_edges(&sim, edges);
	for (uint32_t k = 0; k <= edges->n; k++)
		edges->spectrum.cycles[k] = k ? edges->edge[k - 1].outside :
						edges->edge[0].inside;
}

static uint32_t lost(const char *text, uint32_t apart)
{
	uint32_t says = MP_LINE_OPEN, replicates, made = 1;
	struct mp_line_asked asked;
	struct mp_cpu_edges edges;

	open(text, &edges);
	asked = (struct mp_line_asked){
		.edges = &edges, .level = 1, .unit = apart,
		.size = mp_line_edge(&edges, 1),
	};
	while (made) {
		struct mp_plan plan = { 0 };

		assert_int_equal(mp_line_lost(&sim.view, &asked,
				mp_line_edge(&edges, 0), 64, &plan, NULL,
				&says, &replicates), 0);
		made = made_sim_run(&sim, &plan);
	}
	made_sim_close(&sim);
	return says;
}

/* Of level @k, where lines inside are known; 0: that does not show. @blurred: the
 * first two are not told apart. */
static uint32_t line_of(const char *text, uint32_t k, uint32_t inner,
			bool blurred)
{
	struct mp_line_goes goes;
	struct mp_cpu_edges edges;
	uint32_t made = 1;

	open(text, &edges);
	edges.spectrum.blurred[0] = blurred;
	while (made) {
		struct mp_plan plan = { 0 };

		assert_int_equal(mp_line_goes(&sim.view, &edges, k, inner,
					      &plan, NULL, &goes), 0);
		made = made_sim_run(&sim, &plan);
	}
	made_sim_close(&sim);
	return goes.line;
}

#define TWO(more) \
	MACHINE ROW \
	"level name=l1d size=32K ways=8 latency=4\n" \
	"level name=l2 size=256K ways=8 latency=14 " more "\n"

static void the_nearest_that_does_not_go_is_a_line_away(void **state)
{
	static const char *const text[] = {
		TWO("policy=random"), TWO("line=128 policy=fifo"),
		TWO("line=256 policy=srrip"), TWO("line=128 sector=64"),
	};
	static const uint32_t line[] = { 64, 128, 256, 128 };

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		for (uint32_t apart = 64; apart <= 256; apart *= 2)
			assert_int_equal(lost(text[i], apart),
					 apart < line[i] ? MP_LINE_YES :
							   MP_LINE_NO);
	}
}

/* Of a level of one way in memory that lies in a row the ring puts out the same
 * lines each time. */
static void what_a_ring_puts_out_did_not_go_with_a_flush(void **state)
{
	(void)state;
	for (uint32_t kib = 12; kib <= 32; kib += 2) {
		char text[512];

		snprintf(text, sizeof(text), MACHINE ROW
			 "level name=l1d size=8K ways=8 latency=4\n"
			 "level name=l2 size=%uK ways=1 latency=14\n", kib);
		assert_int_not_equal(lost(text, 64), MP_LINE_YES);
	}
}

#define THREE(second, third) \
	MACHINE SMALL \
	"level name=l1d size=32K ways=8 latency=4\n" \
	"level name=l2 size=128K ways=4 latency=14 " second "\n" \
	"level name=l3 size=512K ways=8 latency=50 " third "\n" \
	"prefetch kind=adjacent into=l1d switch=no\n"

/* The outer level has such lines too, and does not include it. */
static void longer_lines_of_a_level_between_show(void **state)
{
	const char *text = THREE("line=128 policy=random",
				 "line=128 policy=random");

	(void)state;
	assert_int_equal(line_of(text, 1, 64, false), 128);
	assert_int_equal(line_of(text, 2, 128, false), 128);
}

/* All that goes from the last goes from the second and the first as well. */
static void longer_lines_further_out_are_not_taken_for_own_ones(void **state)
{
	(void)state;
	assert_int_equal(line_of(THREE("", "line=128 inclusion=inclusive"), 1,
				 64, false), 0);
	assert_int_equal(line_of(THREE("", "line=128"), 1, 64, false), 64);
}

static void a_level_further_out_says_it_of_those_inside(void **state)
{
	(void)state;
	assert_int_equal(line_of(THREE("", ""), 1, 64, true), 64);
	assert_int_equal(line_of(THREE("", "line=128"), 1, 64, true), 0);
}

#define TEST(f) cmocka_unit_test_teardown(f, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(prefetchers_and_unknown_sizes_hide_no_line),
		TEST(pairs_that_are_brought_along_are_no_lines),
		cmocka_unit_test(the_nearest_that_does_not_go_is_a_line_away),
		cmocka_unit_test(what_a_ring_puts_out_did_not_go_with_a_flush),
		cmocka_unit_test(longer_lines_of_a_level_between_show),
		cmocka_unit_test(longer_lines_further_out_are_not_taken_for_own_ones),
		cmocka_unit_test(a_level_further_out_says_it_of_those_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
