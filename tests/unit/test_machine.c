// SPDX-License-Identifier: GPL-2.0
/* All sources together, on the machine that the tests run on. */
#include "machine.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine_source.h"

static uint32_t a_cpu(void)
{
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set))
			return (uint32_t)i;
	return 0;
}

static bool is_told(const struct mp_host *host, const char *key)
{
	for (uint32_t i = 0; i < host->n_conditions; i++)
		if (strcmp(host->condition[i].key, key) == 0)
			return true;
	return false;
}

static void no_fact_is_claimed_twice(void **state)
{
	struct mp_host host = { 0 };

	(void)state;
	assert_int_equal(mp_machine_claims(&host, a_cpu(), false), 0);
	for (uint32_t i = 0; i < host.n_claims; i++) {
		assert_true(host.claim[i].value > 0);
		assert_true(host.claim[i].source[0]);
		for (uint32_t k = 0; k < i; k++)
			assert_string_not_equal(host.claim[i].fact,
						host.claim[k].fact);
	}
}

static void no_condition_is_told_twice_and_the_kernel_is(void **state)
{
	struct mp_host host = { 0 };

	(void)state;
	assert_int_equal(mp_machine_claims(&host, a_cpu(), false), 0);
	assert_true(is_told(&host, "kernel"));
	assert_false(is_told(&host, "host"));
	assert_true(host.model[0]);
	for (uint32_t i = 0; i < host.n_conditions; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_string_not_equal(host.condition[i].key,
						host.condition[k].key);
}

static void the_thread_comes_back_to_where_it_was_allowed(void **state)
{
	struct mp_host host = { 0 };
	cpu_set_t before, after;

	(void)state;
	sched_getaffinity(0, sizeof(before), &before);
	assert_int_equal(mp_machine_claims(&host, a_cpu(), false), 0);
	sched_getaffinity(0, sizeof(after), &after);
	assert_true(CPU_EQUAL(&before, &after));
}

static void a_cpu_that_is_not_there_is_refused(void **state)
{
	struct mp_host host = { 0 };

	(void)state;
	assert_int_equal(mp_machine_claims(&host, 8000, false), -ENXIO);
	assert_int_equal(mp_machine_claims(&host, UINT32_MAX, false), -ENXIO);
	assert_int_equal(host.n_claims, 0);
}

static void a_model_that_is_known_already_stays(void **state)
{
	struct mp_host host = { .model = "a toaster" };

	(void)state;
	assert_int_equal(mp_machine_claims(&host, a_cpu(), false), 0);
	assert_string_equal(host.model, "a toaster");
}

static void another_machine_s_topology_makes_no_claim(void **state)
{
	struct mp_host host = { 0 };

	(void)state;
	setenv("HWLOC_SYNTHETIC", "l2:2(size=12345) l1d:1 pu:1", 1);
	mp_hwloc_claims(&host, 0);
	unsetenv("HWLOC_SYNTHETIC");
	assert_int_equal(host.n_claims, 0);
	assert_int_equal(host.n_conditions, 0);
}

static void a_cache_is_claimed_field_by_field(void **state)
{
	const struct mp_cache_claim cache = { 2, 1048576, 0, 8 };
	const struct mp_cache_claim beyond = { 5, 1048576, 64, 8 };
	struct mp_host host = { 0 };

	(void)state;
	mp_claim_cache(&host, &cache, "sysfs");
	mp_claim_cache(&host, &beyond, "sysfs");
	assert_int_equal(host.n_claims, 2);
	assert_string_equal(host.claim[0].fact, "cpu.l2.size");
	assert_string_equal(host.claim[1].fact, "cpu.l2.ways");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_fact_is_claimed_twice),
		cmocka_unit_test(no_condition_is_told_twice_and_the_kernel_is),
		cmocka_unit_test(the_thread_comes_back_to_where_it_was_allowed),
		cmocka_unit_test(a_cpu_that_is_not_there_is_refused),
		cmocka_unit_test(a_model_that_is_known_already_stays),
		cmocka_unit_test(another_machine_s_topology_makes_no_claim),
		cmocka_unit_test(a_cache_is_claimed_field_by_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
