// SPDX-License-Identifier: GPL-2.0
/* What a second level holds of lines that stay inside while their sets in it are
 * driven through, on simulated machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"

#define MACHINE "machine name=a cpus=1 clock_mhz=3000 memory_latency=250\n" \
		"clock tsc_mhz=3000 step=1 read=40\n" \
		"place pages=contiguous\nnoise gaps=0.02\n"

static struct made_sim sim;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

static const struct mp_fact *asked(const char *probe)
{
	made_sim_ask(&sim, mp_probe_find(probe));
	return made_sim_fact(&sim, "cpu.l2.inclusion");
}

static void ask(const char *first, const char *second)
{
	char text[1024];

	snprintf(text, sizeof(text), MACHINE "level name=l1d %s latency=4\n"
		 "level name=l2 %s latency=14\n"
		 "level name=l3 size=2M ways=16 line=256 latency=40\n", first, second);
	made_sim_open_quiet(&sim, text, 1);
	sim.view.caps |= MP_CAP_CORE_CLOCK | MP_CAP_SEQUENCE | MP_CAP_PHASES;
	made_sim_ask(&sim, mp_probe_find("line-l1d"));
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	made_sim_ask(&sim, mp_probe_find("line"));
	assert_int_equal(asked("inclusion")->verdict, MP_NOT_MEASURABLE);
	made_sim_ask(&sim, mp_probe_find("latency"));
	made_sim_ask(&sim, mp_probe_find("dram"));
}

static void is(const char *first, const char *second, const char *inclusion)
{
	const struct mp_fact *fact;

	ask(first, second);
	fact = asked("ways");
	if (fact->verdict != MP_MEASURED || strcmp(fact->text, inclusion))
		fail_msg("%s %s for %s: %s", mp_verdict_name(fact->verdict),
			 fact->text, inclusion, fact->reason);
	assert_true(fact->n_evidence > 0);
}

static void is_not(const char *first, const char *second, const char *wrong)
{
	const struct mp_fact *fact;

	ask(first, second);
	fact = asked("ways");
	if (fact->verdict == MP_MEASURED && !strcmp(fact->text, wrong))
		fail_msg("%s: %s", fact->text, fact->method);
}

#define RANDOM "size=16K ways=8 policy=random"
#define SECOND "size=256K ways=4 index=physical "

/* They have left it long ago. */
static void lines_that_stay_inside_alone_are_gone(void **state)
{
	(void)state;
	is(RANDOM, SECOND, "non-inclusive");
}

/* Levels that have them are not told apart: an exclusive one was given them just
 * then, and one that includes them has those that stay. */
static void what_is_there_is_not_said_to_be_gone(void **state)
{
	(void)state;
	is_not(RANDOM, SECOND "inclusion=inclusive", "non-inclusive");
	made_sim_close(&sim);
	is_not("size=16K ways=8 policy=fifo", SECOND "inclusion=exclusive",
	       "non-inclusive");
	made_sim_close(&sim);
	is_not("size=24064 ways=8 policy=fifo index=physical",
	       "size=384K ways=8 policy=random index=physical "
	       "inclusion=inclusive", "non-inclusive");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(lines_that_stay_inside_alone_are_gone,
					  end),
		cmocka_unit_test_teardown(what_is_there_is_not_said_to_be_gone,
					  end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
