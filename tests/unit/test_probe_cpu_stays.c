// SPDX-License-Identifier: GPL-2.0
/* Levels that throw out any line, and what those outside hold of it: simulated
 * machines on which no ring stays inside, and no lines can be kept out. */
#include "like_runs.h"
#include "made_sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"

#define KIB 1024.0
#define MACHINE \
	"machine name=a clock_mhz=3000 memory_latency=200\n" \
	"place pages=random\nclock tsc_mhz=3000 read=20 step=1\n"
/* Sets of both begin anew after the same bytes. */
#define L1 "level name=l1d size=16K ways=4 latency=4 policy=random\n"
#define L2 "level name=l2 size=48K ways=12 latency=14 "

extern const struct mp_probe mp_probe_cache_size, mp_probe_inclusion;

static struct made_sim sim;

static void ask(const char *text)
{
	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = 4u << 20;
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	made_sim_ask(&sim, &mp_probe_cache_size);
	made_sim_ask(&sim, &mp_probe_inclusion);
}

static void expect(const char *text, const char *name, const char *inclusion)
{
	const struct mp_fact *fact;

	ask(text);
	fact = made_sim_fact(&sim, name);
	if (fact->verdict != MP_MEASURED || strcmp(fact->text, inclusion))
		fail_msg("%s: %s (%s; %s)\n%s", name, fact->text, fact->reason,
			 fact->method, text);
	assert_non_null(strstr(fact->method, "chance"));
	assert_int_equal(fact->n_evidence, 2);
	made_sim_close(&sim);
}

static void chance_tells_each_kind(void **state)
{
	static const char *const policy[] = { "lru", "fifo", "random" };
	static const char *const inclusion[] = {
		"inclusive", "exclusive", "non-inclusive",
	};
	char text[512];

	(void)state;
	for (uint32_t p = 0; p < 3; p++) {
		for (uint32_t i = 0; i < 3; i++) {
			/* Random replacement keeps some that were driven out,
			 * whatever it does with those inside. */
			if (p == 2 && i < 2)
				continue;
			snprintf(text, sizeof(text), MACHINE L1 L2
				 "policy=%s inclusion=%s\n", policy[p],
				 inclusion[i]);
			expect(text, "cpu.l2.inclusion", inclusion[i]);
		}
	}
}

static void a_level_behind_two_is_told_as_well(void **state)
{
	(void)state;
	expect(MACHINE "level name=l1d size=4K ways=4 latency=4\n"
	       "level name=l2 size=32K ways=8 latency=14 policy=random\n"
	       "level name=l3 size=128K ways=32 latency=40\n",
	       "cpu.l3.inclusion", "non-inclusive");
}

/* Neighbours of 64 bytes share its lines, and are fetched when a line of the
 * level inside is used: that brings back what was lost. */
static void what_neighbours_bring_back_was_not_put_there(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	ask(MACHINE "prefetch kind=adjacent into=l2 switch=no\n"
	    "level name=l1d size=8K ways=4 latency=4\n"
	    "level name=l2 size=32K ways=8 latency=14 policy=random\n"
	    "level name=l3 size=128K ways=32 line=128 latency=40\n");
	fact = made_sim_fact(&sim, "cpu.l3.inclusion");
	if (fact->verdict == MP_MEASURED &&
	    strcmp(fact->text, "non-inclusive"))
		fail_msg("%s (%s)", fact->text, fact->method);
	made_sim_close(&sim);
}

static void sizes_go_with_what_is_known(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	ask(MACHINE L1 L2 "policy=lru\n");
	fact = made_sim_fact(&sim, "cpu.l2.size");
	if (fact->verdict != MP_MEASURED || fact->low > 48 * KIB ||
	    fact->high < 48 * KIB)
		fail_msg("%.1f .. %.1f KiB (%s)", fact->low / KIB,
			 fact->high / KIB, fact->reason);
	made_sim_close(&sim);
}

static void what_stays_for_where_it_lies_is_no_chance(void **state)
{
	static const char *const policy[] = { "bit-plru", "nru", "srrip" };
	const struct mp_fact *fact;
	char text[512];

	(void)state;
	for (uint32_t p = 0; p < 3; p++) {
		snprintf(text, sizeof(text), MACHINE
			 "level name=l1d size=16K ways=4 latency=4 policy=%s\n"
			 L2 "policy=fifo\n", policy[p]);
		ask(text);
		fact = made_sim_fact(&sim, "cpu.l2.inclusion");
		if (fact->verdict == MP_MEASURED &&
		    strcmp(fact->text, "non-inclusive"))
			fail_msg("%s: %s (%s)", policy[p], fact->text,
				 fact->method);
		made_sim_close(&sim);
	}
}

/* Whatever a file or a device says of a burst. */
static void bursts_that_none_asked_for_are_no_part_of_it(void **state)
{
	uint32_t n = 0;

	(void)state;
	ask(MACHINE L1 L2 "policy=lru\n");
	for (uint32_t i = 0; i < sim.n; i++) {
		struct mp_batch *batch = sim.batch[i];

		for (uint32_t k = 0; k < batch->n_samples; k++) {
			struct memprobe_sample *sample = &batch->sample[k];

			if (sample->payload_kind != MEMPROBE_PAYLOAD_TICKS ||
			    !sample->actor)
				continue;
			if (n++ % 2)
				sample->round = UINT16_MAX;
			else
				sample->burst = UINT16_MAX;
		}
	}
	assert_true(n > 0);
	made_sim_ask(&sim, &mp_probe_inclusion);
	/* A longer ring is asked instead. */
	assert_string_equal(made_sim_fact(&sim, "cpu.l2.inclusion")->text,
			    "non-inclusive");
	made_sim_close(&sim);
}

/* Of a level of one way in small pages lines stay where a page has the place for
 * itself, and a longer ring has fewer of these: no level outside took them along. */
static void lines_of_one_page_stay_or_go_together(void **state)
{
	static const char *const machine[] = {
		"machine name=a clock_mhz=4800 memory_latency=256\n"
		"level name=l1d size=15K ways=5 latency=3 "
		"policy=qlru_h00_m1_r0_u1\n"
		"level name=l2 size=44K ways=32 latency=6 policy=bit-plru\n"
		"level name=l3 size=128K ways=1 latency=19\n"
		"level name=l4 size=256K ways=16 latency=44 policy=bit-plru "
		"index=virtual\n"
		"place pages=random thp=refused\n"
		"clock tsc_mhz=4000 step=1 read=55\n",
		"machine name=a clock_mhz=3000 memory_latency=300\n"
		"level name=l1d size=32K ways=16 latency=3 policy=nru\n"
		"level name=l2 size=64K ways=8 latency=14 "
		"policy=qlru_h00_m1_r2_u1 index=virtual\n"
		"level name=l3 size=128K ways=4 latency=48 policy=tree-plru\n"
		"level name=l4 size=219K ways=12 latency=135 policy=nru "
		"inclusion=exclusive\n"
		"place pages=random thp=refused\n"
		"clock tsc_mhz=3000 step=1 read=55\n",
	};

	(void)state;
	for (uint32_t i = 0; i < like_runs(2); i++) {
		const struct mp_fact *fact;

		ask(machine[i]);
		fact = made_sim_fact(&sim, "cpu.l4.inclusion");
		if (fact->verdict == MP_MEASURED &&
		    !strcmp(fact->text, "inclusive"))
			fail_msg("inclusive (%s)\n%s", fact->method, machine[i]);
		made_sim_close(&sim);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chance_tells_each_kind),
		cmocka_unit_test(a_level_behind_two_is_told_as_well),
		cmocka_unit_test(what_neighbours_bring_back_was_not_put_there),
		cmocka_unit_test(sizes_go_with_what_is_known),
		cmocka_unit_test(what_stays_for_where_it_lies_is_no_chance),
		cmocka_unit_test(bursts_that_none_asked_for_are_no_part_of_it),
		cmocka_unit_test(lines_of_one_page_stay_or_go_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
