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

/* It has them: that they are gone is not said. */
static void has(const char *first, const char *second)
{
	const struct mp_fact *fact;

	ask(first, second);
	fact = asked("ways");
	if (fact->verdict == MP_MEASURED &&
	    !strcmp(fact->text, "non-inclusive"))
		fail_msg("%s before %s: %s", first, second, fact->method);
	made_sim_close(&sim);
}

#define RANDOM "size=16K ways=8 policy=random"
#define SECOND "size=256K ways=4 index=physical "

/* They have left it long ago. */
static void lines_that_stay_inside_alone_are_gone(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	ask(RANDOM, SECOND);
	fact = asked("ways");
	assert_int_equal(fact->verdict, MP_MEASURED);
	assert_string_equal(fact->text, "non-inclusive");
	assert_non_null(strstr(fact->method, "a line stayed inside"));
	assert_true(fact->n_evidence > 2);
	made_sim_close(&sim);
}

/* An exclusive level was given them just then, and one that includes them has
 * those that stay: of random ways some do. */
static void what_is_there_is_not_said_to_be_gone(void **state)
{
	(void)state;
	has(RANDOM, SECOND "inclusion=inclusive");
	has("size=16K ways=8 policy=fifo",
	    SECOND "policy=random inclusion=inclusive");
	has("size=16K ways=8 policy=fifo", SECOND "inclusion=exclusive");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_stay_inside_alone_are_gone),
		cmocka_unit_test(what_is_there_is_not_said_to_be_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
