// SPDX-License-Identifier: GPL-2.0
/* Probe policy where it is known wrong how far apart the lines of a set are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"

static struct made_sim sim;

/* 417 KiB, but its size, measured to an eighth, is nearer to 16 times 24 KiB: so
 * far apart no line drives another out, which first in, first out explained. */
static void lines_that_do_not_meet_show_no_policy(void **state)
{
	static const char *const probes[] = {
		"cache-size", "line", "latency", "dram", "ways", "policy",
	};
	const struct mp_fact *fact;

	(void)state;
	made_sim_open_quiet(&sim,
		"machine name=a clock_mhz=4350 memory_latency=344\n"
		"level name=l1d size=64K ways=16 line=32 latency=4 "
		"policy=random\n"
		"level name=l2 size=417K ways=16 line=32 latency=18 "
		"policy=tree-plru index=physical inclusion=inclusive\n"
		"tlb level=1 page=4K entries=10 ways=5\n"
		"tlb level=2 page=4K entries=2048 ways=8 cost=8\n"
		"walk cost=20 page=all\n"
		"place pages=contiguous thp=granted\n"
		"clock tsc_mhz=2600 step=1 read=27\nnoise gaps=0.02\n", 1);
	sim.view.caps |= MP_CAP_CORE_CLOCK;
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		made_sim_ask(&sim, mp_probe_find(probes[i]));
	fact = made_sim_fact(&sim, "cpu.l2.policy");
	assert_int_equal(fact->verdict, MP_NOT_MEASURABLE);
	assert_non_null(strstr(fact->reason, "do not drive one another out"));
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_do_not_meet_show_no_policy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
