// SPDX-License-Identifier: GPL-2.0
/* Do levels further out take lines of the innermost one along? Simulated machines
 * whose outer levels have no room for the lines of one set of it. */
#include "made_sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"
#include "probe/cpu_spared.h"

#define MACHINE \
	"machine name=a clock_mhz=2900 memory_latency=126\n" \
	"place pages=random thp=granted\nclock tsc_mhz=2400 step=1 read=24\n"
#define LEVELS \
	"level name=l1d size=12K ways=12 latency=4 policy=%s index=virtual\n" \
	"level name=l2 size=18K ways=1 latency=16 inclusion=%s\n" \
	"level name=l3 size=48K ways=1 latency=50 inclusion=%s\n"

extern const struct mp_probe mp_probe_cache_size, mp_probe_line,
	mp_probe_latency, mp_probe_dram, mp_probe_ways, mp_probe_policy;

static struct made_sim sim;

/* With the ways of the second level it is known that it need not be asked. */
static void forget_ways(void)
{
	for (uint32_t i = 0; i < sim.facts.n; i++)
		if (!strcmp(sim.facts.fact[i].name, "cpu.l2.ways"))
			sim.facts.fact[i].verdict = MP_NOT_MEASURABLE;
}

static void ask(const char *policy, const char *l2, const char *l3)
{
	static const struct mp_probe *const probe[] = {
		&mp_probe_cache_size, &mp_probe_line, &mp_probe_latency,
		&mp_probe_dram, &mp_probe_ways, &mp_probe_policy,
	};
	char text[512];

	snprintf(text, sizeof(text), MACHINE LEVELS, policy, l2, l3);
	made_sim_open(&sim, text);
	sim.view.arena_max_bytes = 16u << 20;
	for (uint32_t i = 0; i < sizeof(probe) / sizeof(probe[0]); i++) {
		made_sim_ask(&sim, probe[i]);
		forget_ways();
	}
}

static void where_none_does_its_policy_is_known(void **state)
{
	static const char *const policy[][2] = {
		{ "lru", "lru" }, { "srrip", "srrip" }, { "bit-plru", "mru" },
	};
	const struct mp_fact *fact;
	struct mp_cpu_spared spared;

	(void)state;
	for (uint32_t p = 0; p < 3; p++) {
		ask(policy[p][0], "non-inclusive", "non-inclusive");
		fact = made_sim_fact(&sim, "cpu.l1d.policy");
		if (fact->verdict != MP_MEASURED ||
		    strcmp(fact->text, policy[p][1]))
			fail_msg("%s: %s (%s)", policy[p][0], fact->text,
				 fact->reason);
		assert_int_equal(mp_cpu_spared(&sim.view, &spared), 0);
		assert_int_equal(spared.n, 3);
		assert_true(spared.is);
		assert_true(spared.lost < 0.1 && spared.gone > 0.6);
		/* The last evidence is what tells. */
		assert_true(fact->evidence[fact->n_evidence - 1] ==
			    spared.id[1]);
		made_sim_close(&sim);
	}
}

/* First in, first out: no line stays, however hot it is. */
static void where_none_stays_it_is_not_told(void **state)
{
	struct mp_cpu_spared spared;

	(void)state;
	ask("fifo", "non-inclusive", "non-inclusive");
	assert_int_equal(mp_cpu_spared(&sim.view, &spared), 0);
	assert_true(spared.n > 0);
	assert_false(spared.is);
	made_sim_close(&sim);
}

static void one_that_does_is_seen(void **state)
{
	static const char *const level[][2] = {
		{ "inclusive", "non-inclusive" },
		{ "non-inclusive", "inclusive" },
	};
	const struct mp_fact *fact;
	struct mp_cpu_spared spared;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		ask("srrip", level[i][0], level[i][1]);
		fact = made_sim_fact(&sim, "cpu.l1d.policy");
		if (fact->verdict == MP_MEASURED &&
		    strcmp(fact->text, "srrip"))
			fail_msg("%s, %s: %s", level[i][0], level[i][1],
				 fact->text);
		assert_int_equal(mp_cpu_spared(&sim.view, &spared), 0);
		assert_int_equal(spared.n, 3);
		assert_true(spared.lost > 0.5);
		assert_false(spared.is);
		made_sim_close(&sim);
	}
}

/* Nothing was measured, or there are no levels to ask of. */
static void without_measurements_nothing_is_said(void **state)
{
	struct mp_cpu_spared spared;

	(void)state;
	made_sim_open(&sim, MACHINE "level name=l1d size=12K ways=12 latency=4\n");
	assert_int_equal(mp_cpu_spared(&sim.view, &spared), 0);
	assert_false(spared.is);
	made_sim_ask(&sim, &mp_probe_cache_size);
	assert_int_equal(mp_cpu_spared(&sim.view, &spared), 0);
	assert_false(spared.is);
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_none_does_its_policy_is_known),
		cmocka_unit_test(where_none_stays_it_is_not_told),
		cmocka_unit_test(one_that_does_is_seen),
		cmocka_unit_test(without_measurements_nothing_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
