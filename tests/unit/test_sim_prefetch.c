// SPDX-License-Identifier: GPL-2.0
/*
 * What prefetchers want, load by load as their kinds are defined; where it
 * goes; and that they can be turned off.
 */
#include "backend/sim_prefetch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "backend/sim_chase.h"
#include "made_batch.h"
#include "made_machine.h"
#include "made_ring.h"

#define KIB 1024ull
#define PAGE 4096u
#define LINE 64u
#define NONE UINT32_MAX

struct eye {
	struct mp_sim_machine machine;
	struct mp_sim_prefetcher prefetcher;
	struct mp_sim_region region[MP_SIM_PREFETCH_REGIONS];
};

static void make(struct eye *eye, const char *text)
{
	memset(eye, 0, sizeof(*eye));
	made_machine(&eye->machine, text);
	mp_sim_prefetch_init(&eye->prefetcher, &eye->machine, 0);
	eye->prefetcher.region = eye->region;
}

static void destroy(struct eye *eye)
{
	mp_sim_machine_free(&eye->machine);
}

/* A load of a line of 64 bytes wants @n lines, from @first on by @step. */
static void assert_wants(struct eye *eye, uint32_t line, uint32_t n,
			 uint32_t first, int32_t step)
{
	uint64_t want[MP_SIM_PREFETCH_AHEAD];
	const uint32_t got = mp_sim_prefetch_see(&eye->prefetcher,
						 line * LINE + 8ull, want);

	if (got != n)
		fail_msg("line %u wants %u lines, not %u", line, got, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(want[i], (first + (int64_t)i * step) * LINE +
					  8);
}

#define EYE(kind) \
	"level name=l1d size=32K ways=8 latency=4\n" \
	"prefetch kind=" kind " into=l1d\n"

static void adjacent_wants_the_other_of_a_pair(void **state)
{
	struct eye eye;

	(void)state;
	make(&eye, EYE("adjacent"));
	assert_wants(&eye, 0, 1, 1, 0);
	assert_wants(&eye, 1, 1, 0, 0);
	assert_wants(&eye, 63, 1, 62, 0);
	destroy(&eye);
}

static void next_wants_the_line_behind_in_its_page(void **state)
{
	struct eye eye;

	(void)state;
	make(&eye, EYE("next"));
	assert_wants(&eye, 0, 1, 1, 0);
	assert_wants(&eye, 62, 1, 63, 0);
	assert_wants(&eye, 63, 0, 0, 0);
	assert_wants(&eye, 64, 1, 65, 0);
	destroy(&eye);
}

static void a_stride_is_believed_when_it_comes_twice(void **state)
{
	struct eye eye;

	(void)state;
	make(&eye, EYE("stride"));
	assert_wants(&eye, 10, 0, 0, 0);
	assert_wants(&eye, 13, 0, 0, 0);
	assert_wants(&eye, 16, 1, 19, 0);
	/* The same line again is no step. */
	assert_wants(&eye, 16, 0, 0, 0);
	assert_wants(&eye, 19, 1, 22, 0);
	assert_wants(&eye, 12, 0, 0, 0);
	assert_wants(&eye, 5, 0, 0, 0);
	/* -7 twice, but the third step would leave the page. */
	assert_wants(&eye, 60, 0, 0, 0);
	assert_wants(&eye, 40, 0, 0, 0);
	assert_wants(&eye, 20, 1, 0, 0);
	assert_wants(&eye, 0, 0, 0, 0);
	destroy(&eye);
}

static void a_stream_is_three_lines_up_or_down(void **state)
{
	struct eye eye;

	(void)state;
	make(&eye, EYE("stream"));
	assert_wants(&eye, 64, 0, 0, 0);
	assert_wants(&eye, 65, 0, 0, 0);
	assert_wants(&eye, 66, 4, 67, 1);
	assert_wants(&eye, 68, 4, 69, 1);
	/* Down: the first step is one, the second is believed. */
	assert_wants(&eye, 67, 0, 0, 0);
	assert_wants(&eye, 66, 2, 65, -1);
	/* Too far for a stream. */
	assert_wants(&eye, 80, 0, 0, 0);
	assert_wants(&eye, 81, 0, 0, 0);
	assert_wants(&eye, 83, 4, 84, 1);
	assert_wants(&eye, 126, 0, 0, 0);
	destroy(&eye);
}

static void sixteen_pages_are_remembered(void **state)
{
	struct eye eye;

	(void)state;
	make(&eye, EYE("stride"));
	for (uint32_t page = 0; page < 16; page++) {
		assert_wants(&eye, page * 64 + 1, 0, 0, 0);
		assert_wants(&eye, page * 64 + 3, 0, 0, 0);
	}
	for (uint32_t page = 0; page < 16; page++)
		assert_wants(&eye, page * 64 + 5, 1, page * 64 + 7, 0);
	/* One more: the page seen longest ago is forgotten. */
	assert_wants(&eye, 16 * 64, 0, 0, 0);
	assert_wants(&eye, 7, 0, 0, 0);
	assert_wants(&eye, 9, 0, 0, 0);
	assert_wants(&eye, 11, 1, 13, 0);
	destroy(&eye);
}

static void wider_lines_are_dealt_in(void **state)
{
	struct eye eye;

	(void)state;
	make(&eye, "level name=l1d size=32K ways=8 latency=4\n"
	     "level name=l2 size=256K ways=8 latency=14 line=256\n"
	     "prefetch kind=adjacent into=l2\n");
	assert_wants(&eye, 0, 1, 4, 0);
	assert_wants(&eye, 5, 1, 1, 0);
	destroy(&eye);
}

/* Cycles of loads of single lines of one machine. */
static void assert_loads(const char *text, const uint32_t *line,
			 const uint32_t *cycles, uint32_t n)
{
	struct mp_sim_machine machine;
	struct mp_sim_cores cores;

	made_cores(&machine, &cores, text, 64 * KIB);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t spent = mp_sim_memory_load(
				&cores.memory[0], line[i] * (uint64_t)LINE);

		if (spent != cycles[i])
			fail_msg("load %u, of line %u: %u cycles, not %u", i,
				 line[i], spent, cycles[i]);
	}
	mp_sim_cores_free(&cores);
	mp_sim_machine_free(&machine);
}

#define LEVELS(inclusion) \
	"level name=l1d size=128 ways=full latency=4\n" \
	"level name=l2 size=512 ways=full latency=10 inclusion=" inclusion "\n"

static void what_is_wanted_goes_into_its_level_and_outwards(void **state)
{
	static const uint32_t line[] = { 0, 1, 4, 6, 5, 7 };
	static const uint32_t into_l2[] = { 300, 10, 300, 300, 10, 10 };
	/* The first level holds two lines: 5 has gone when 6 brings 7. */
	static const uint32_t into_l1[] = { 300, 4, 300, 300, 10, 10 };

	(void)state;
	assert_loads(LEVELS("non-inclusive") "prefetch kind=adjacent into=l2\n",
		     line, into_l2, 6);
	assert_loads(LEVELS("inclusive") "prefetch kind=adjacent into=l2\n",
		     line, into_l2, 6);
	assert_loads(LEVELS("inclusive") "prefetch kind=adjacent into=l1d\n",
		     line, into_l1, 6);
}

static void a_load_that_is_served_further_in_is_not_seen(void **state)
{
	static const char text[] =
		LEVELS("non-inclusive") "prefetch kind=stride into=l2\n";
	/* The second load of 2 hits inside, so that 4 is the second step. */
	static const uint32_t line[] = { 0, 2, 2, 4, 6 };
	static const uint32_t cycles[] = { 300, 300, 4, 300, 10 };

	(void)state;
	assert_loads(text, line, cycles, 5);
}

static void an_exclusive_level_takes_only_what_is_nowhere_inside(void **state)
{
	static const char text[] =
		LEVELS("exclusive") "prefetch kind=adjacent into=l2\n";
	/*
	 * 0 brings 1 into the second level; 1 moves inwards, and does not
	 * bring 0, which is there. 8 and 10 put both out into the second.
	 */
	static const uint32_t line[] = { 0, 1, 1, 0, 8, 10, 9, 0, 1 };
	static const uint32_t cycles[] = { 300, 10, 4, 4, 300, 300, 10, 10,
					   10 };

	(void)state;
	assert_loads(text, line, cycles, 9);
}

/* Cycles of the fourth line of four in a row, and what the grant says. */
static uint64_t fourth(const char *words, bool off, bool *got_off)
{
	/* Flushed in an order that is no stream. */
	static const uint32_t flushed[] = { 0, 3, 6, 1, 4, 7, 2, 5 };
	char text[512];
	struct mp_sim_machine machine;
	struct mp_batch batch;
	struct mp_exp exp;
	uint64_t ticks;

	snprintf(text, sizeof(text), "machine name=a clock_mhz=1000 "
		 "memory_latency=200\n"
		 "level name=l1d size=4K ways=4 latency=4\n"
		 "level name=l2 size=64K ways=8 latency=20\n"
		 "clock tsc_mhz=1000 read=0\n%s", words);
	made_machine(&machine, text);
	mp_exp_chase(&exp, 0, MP_PAGES_4K, 4 * KIB, LINE, 0);
	exp.actor[0].op = MP_OP_SEQUENCE;
	exp.actor[0].bursts = 1;
	for (uint32_t i = 0; i < 8; i++)
		exp.steps[exp.n_steps++] = MEMPROBE_STEP(flushed[i],
							 MEMPROBE_STEP_FLUSH);
	for (uint32_t i = 0; i < 4; i++)
		exp.steps[exp.n_steps++] = MEMPROBE_STEP(i,
				i < 3 ? MEMPROBE_STEP_TOUCH :
					MEMPROBE_STEP_TIME);
	exp.quiet = off ? MP_WISH_PREFETCH_OFF : 0;
	mp_batch_init(&batch, &exp, 0);
	assert_int_equal(mp_sim_chase(&machine, 1, NULL, &batch), 0);
	*got_off = batch.grant.got & MP_GOT_PREFETCH_OFF;
	assert_int_equal(batch.n_words, 1);
	ticks = batch.payload[0];
	mp_batch_free(&batch);
	mp_sim_machine_free(&machine);
	return ticks;
}

static void a_switch_turns_them_off_and_the_grant_says_so(void **state)
{
	static const char on[] = "prefetch kind=stream into=l2\n";
	static const char stuck[] = "prefetch kind=stream into=l2 switch=no\n";
	bool got_off;

	(void)state;
	assert_in_range(fourth(on, false, &got_off), 19, 21);
	assert_false(got_off);
	assert_in_range(fourth(on, true, &got_off), 199, 201);
	assert_true(got_off);
	assert_in_range(fourth(stuck, true, &got_off), 19, 21);
	assert_false(got_off);
	assert_in_range(fourth("", true, &got_off), 199, 201);
	assert_true(got_off);
	/* One of two has a switch. */
	assert_in_range(fourth("prefetch kind=next into=l1d\n"
			       "prefetch kind=stream into=l2 switch=no\n",
			       true, &got_off), 19, 21);
	assert_false(got_off);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adjacent_wants_the_other_of_a_pair),
		cmocka_unit_test(next_wants_the_line_behind_in_its_page),
		cmocka_unit_test(a_stride_is_believed_when_it_comes_twice),
		cmocka_unit_test(a_stream_is_three_lines_up_or_down),
		cmocka_unit_test(sixteen_pages_are_remembered),
		cmocka_unit_test(wider_lines_are_dealt_in),
		cmocka_unit_test(
			what_is_wanted_goes_into_its_level_and_outwards),
		cmocka_unit_test(
			a_load_that_is_served_further_in_is_not_seen),
		cmocka_unit_test(
			an_exclusive_level_takes_only_what_is_nowhere_inside),
		cmocka_unit_test(a_switch_turns_them_off_and_the_grant_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
