// SPDX-License-Identifier: GPL-2.0
/* Neighbours that come along with a load, each time or at times only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "probe/line.h"

#define MACHINE \
	"machine name=a clock_mhz=2500 memory_latency=250\n" \
	"clock tsc_mhz=2500 step=1 read=50\nplace pages=contiguous\n" \
	"noise gaps=0.02\nlevel name=l1d size=16K ways=4 latency=3\n"
#define LINES_64 MACHINE "level name=l2 size=96K ways=12 latency=11\n"
#define LINES_128 MACHINE "level name=l2 size=96K ways=12 line=128 latency=11\n"
#define ADJACENT "prefetch kind=adjacent into=l2 switch=no\n"
/* Steps that are timed: what is asked for, what is there, what is nowhere. */
#define KINDS 3u
#define ASKED 0u
#define NOWHERE 2u
#define PLANS 64u

static struct made_sim sim;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

static void open_machine(const char *text)
{
	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = 16u << 20;
	sim.view.caps |= MP_CAP_SEQUENCE;
}

static uint32_t says(const char *text, enum mp_line_pair pair)
{
	struct mp_plan plan = { 0 };
	uint32_t answer;

	open_machine(text);
	assert_int_equal(mp_line_flush(&sim.view, pair, 64, NULL),
			 MP_LINE_OPEN);
	assert_int_equal(mp_line_flush_plan(&sim.view, pair, 64, &plan), 0);
	made_sim_run(&sim, &plan);
	answer = mp_line_flush(&sim.view, pair, 64, NULL);
	made_sim_close(&sim);
	return answer;
}

static void a_line_comes_whole_and_goes_whole(void **state)
{
	(void)state;
	assert_int_equal(says(LINES_128, MP_LINE_COMES), MP_LINE_YES);
	assert_int_equal(says(LINES_128, MP_LINE_ALONG), MP_LINE_YES);
	assert_int_equal(says(LINES_64, MP_LINE_COMES), MP_LINE_NO);
	assert_int_equal(says(LINES_64 ADJACENT, MP_LINE_COMES), MP_LINE_YES);
	assert_int_equal(says(LINES_64 ADJACENT, MP_LINE_ALONG), MP_LINE_NO);
	open_machine(LINES_64);
}

/* Of @pair, every @each-th of those that are asked for is found nowhere. */
static void lose(enum mp_line_pair pair, uint32_t each)
{
	struct mp_plan plan = { 0 };
	uint64_t id;

	assert_int_equal(mp_line_flush_plan(&sim.view, pair, 64, &plan), 0);
	id = mp_exp_id(&plan.wanted[0].exp);
	mp_plan_free(&plan);
	for (uint32_t i = 0; i < sim.n; i++) {
		struct mp_batch *batch = sim.batch[i];

		for (uint32_t k = 0; k < batch->n_samples && batch->id == id; k++) {
			const struct memprobe_sample *s = &batch->sample[k];
			uint64_t *word = batch->payload + s->payload_offset;

			for (uint32_t w = 0; w < s->payload_count;
			     w += each * KINDS)
				word[w + ASKED] = word[w + NOWHERE];
		}
	}
}

/* A prefetcher that brings a line's neighbour along while rings are walked,
 * and not when single lines are loaded, far from each other. */
static void ask_lines(bool at_times)
{
	const struct mp_probe *probe = mp_probe_find("line");

	open_machine(LINES_64 ADJACENT);
	made_sim_ask(&sim, mp_probe_find("line-l1d"));
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	for (uint32_t i = 0; i < PLANS; i++) {
		struct mp_plan plan = { 0 };

		assert_true(probe->next(&sim.view, &plan) >= 0);
		if (!made_sim_run(&sim, &plan))
			break;
		lose(MP_LINE_ALONG, 1);
		if (at_times)
			lose(MP_LINE_COMES, 2);
	}
	assert_int_equal(probe->infer(&sim.view, &sim.facts), 0);
}

static void what_comes_at_times_only_is_no_line(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	/* That neighbours come each time, and go each time, could be a line: so they
	 * are counted, and may be no more than brought. */
	ask_lines(false);
	fact = made_sim_fact(&sim, "cpu.l2.line");
	assert_int_equal(fact->verdict, MP_NOT_MEASURABLE);
	assert_non_null(strstr(fact->reason, "were only counted"));
	assert_non_null(strstr(fact->method, "as many as lines of 128 bytes make"));
	made_sim_close(&sim);
	ask_lines(true);
	fact = made_sim_fact(&sim, "cpu.l2.line");
	assert_int_equal(fact->verdict, MP_NOT_MEASURABLE);
	assert_non_null(strstr(fact->reason, "at times only"));
}

/* Of random replacement, behind which lies the same line and a clock of 20 cycles
 * a step, counts tell nothing: what stays when its other half is flushed does. */
static void what_a_flush_of_its_other_half_leaves_is_a_line(void **state)
{
	(void)state;
	made_sim_open_quiet(&sim, "machine name=a clock_mhz=5500 "
	    "memory_latency=143\nclock tsc_mhz=3900 step=14 read=33\n"
	    "place pages=contiguous\n"
	    "level name=l1d size=48K ways=16 line=32 latency=4 policy=random\n"
	    "level name=l2 size=192K ways=32 line=32 latency=16 "
	    "policy=qlru_h11_m1_r0_u0 index=physical inclusion=inclusive\n"
	    "level name=l3 size=2560K ways=8 line=32 latency=54 "
	    "policy=bit-plru index=physical\n", 700139);
	mp_facts_free(&sim.facts);
	made_sim_ask(&sim, mp_probe_find("line-l1d"));
	assert_int_equal(made_sim_fact(&sim, "cpu.l1d.line")->verdict,
			 MP_MEASURED);
	assert_true(made_sim_fact(&sim, "cpu.l1d.line")->value == 32);
}

/* Two lines that always come together take room and go together, as one of twice the
 * length; and behind a level of longer lines that includes them no flush parts them. */
static void lines_that_a_prefetcher_pairs_are_no_longer_ones(void **state)
{
	static const char *const probe[] = { "line-l1d", "cache-size", "line" };
	const struct mp_fact *fact;

	(void)state;
	made_sim_open_quiet(&sim,
		"machine name=a clock_mhz=1150 memory_latency=442\n"
		"level name=l1d size=22K ways=8 latency=3 policy=tree-plru index=virtual\n"
		"level name=l2 size=104K ways=16 latency=6 policy=fifo\n"
		"level name=l3 size=512K ways=8 line=256 latency=15 inclusion=inclusive\n"
		"level name=l4 size=1M ways=8 line=256 latency=29 policy=qlru_h00_m1_r2_u1\n"
		ADJACENT
		"place pages=random thp=granted\n"
		"clock tsc_mhz=1900 step=1 read=56\n", 350783);
	sim.facts.n = 0;
	sim.view.arena_max_bytes = 256u << 20;
	for (uint32_t i = 0; i < 3; i++)
		made_sim_ask(&sim, mp_probe_find(probe[i]));
	fact = made_sim_fact(&sim, "cpu.l2.line");
	assert_int_equal(fact->verdict, MP_NOT_MEASURABLE);
	assert_non_null(strstr(fact->reason, "were only counted"));
	made_sim_not_wrong(&sim, "cpu.l3.line", 256, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_line_comes_whole_and_goes_whole,
					  end),
		cmocka_unit_test_teardown(what_comes_at_times_only_is_no_line,
					  end),
		cmocka_unit_test_teardown(
			what_a_flush_of_its_other_half_leaves_is_a_line, end),
		cmocka_unit_test_teardown(
			lines_that_a_prefetcher_pairs_are_no_longer_ones, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
