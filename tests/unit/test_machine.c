// SPDX-License-Identifier: GPL-2.0
/* All sources together, on the machine that the tests run on. */
#include "machine.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine_source.h"
#include "made_tree.h"

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

#define SETS(cpus) \
	"cpuset=\"" cpus "\" complete_cpuset=\"" cpus "\" " \
	"nodeset=\"0x1\" complete_nodeset=\"0x1\" "

static const char topology_xml[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	"<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
	"<topology version=\"2.0\">\n"
	"<object type=\"Machine\" os_index=\"0\" gp_index=\"1\" "
	SETS("0x1") "allowed_cpuset=\"0x1\" allowed_nodeset=\"0x1\">\n"
	"<object type=\"Package\" os_index=\"0\" gp_index=\"5\" "
	SETS("0x1") ">\n"
	"<object type=\"NUMANode\" os_index=\"0\" gp_index=\"2\" "
	SETS("0x1") "local_memory=\"1048576\"/>\n"
	"<object type=\"L2Cache\" gp_index=\"3\" " SETS("0x1")
	"cache_size=\"262144\" depth=\"2\" cache_linesize=\"64\" "
	"cache_associativity=\"-1\" cache_type=\"0\">\n"
	"<object type=\"Core\" os_index=\"0\" gp_index=\"6\" "
	SETS("0x1") ">\n"
	"<object type=\"PU\" os_index=\"0\" gp_index=\"4\" "
	SETS("0x1") "/>\n"
	"</object>\n</object>\n</object>\n</object>\n</topology>\n";

static void ask_hwloc(const char *this_system, struct mp_host *host)
{
	char *root = made_tree(), path[512];

	made_tree_file(root, "/topology.xml", topology_xml);
	snprintf(path, sizeof(path), "%s/topology.xml", root);
	setenv("HWLOC_XMLFILE", path, 1);
	setenv("HWLOC_THISSYSTEM", this_system, 1);
	memset(host, 0, sizeof(*host));
	mp_hwloc_claims(host, 0);
	unsetenv("HWLOC_XMLFILE");
	unsetenv("HWLOC_THISSYSTEM");
	made_tree_free(root);
}

static void a_topology_claims_caches_above_the_cpu_and_its_shape(void **state)
{
	struct mp_host host;

	(void)state;
	ask_hwloc("1", &host);
	assert_int_equal(host.n_claims, 3);
	assert_string_equal(host.claim[0].fact, "cpu.l2.size");
	assert_true(host.claim[0].value == 262144);
	assert_string_equal(host.claim[0].source, "hwloc");
	/* fully associative */
	assert_string_equal(host.claim[2].fact, "cpu.l2.ways");
	assert_true(host.claim[2].value == 4096);
	assert_string_equal(host.condition[0].text,
			    "1 package, 1 core, 1 thread, 1 node");
}

static void another_machine_s_topology_makes_no_claim(void **state)
{
	struct mp_host host;

	(void)state;
	ask_hwloc("0", &host);
	assert_int_equal(host.n_claims, 0);
	assert_int_equal(host.n_conditions, 0);
}

static void a_cache_is_claimed_field_by_field(void **state)
{
	const struct mp_cache_claim cache = { 2, 1048576, 0, 8, 2 };
	const struct mp_cache_claim beyond = { 5, 1048576, 64, 8, 1 };
	struct mp_host host = { 0 };

	(void)state;
	mp_claim_cache(&host, &cache, "sysfs");
	mp_claim_cache(&host, &beyond, "sysfs");
	assert_int_equal(host.n_claims, 3);
	assert_string_equal(host.claim[0].fact, "cpu.l2.size");
	assert_string_equal(host.claim[1].fact, "cpu.l2.ways");
	assert_string_equal(host.claim[2].fact, "cpu.l2.shared");
	assert_true(host.claim[2].value == 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_fact_is_claimed_twice),
		cmocka_unit_test(no_condition_is_told_twice_and_the_kernel_is),
		cmocka_unit_test(the_thread_comes_back_to_where_it_was_allowed),
		cmocka_unit_test(a_cpu_that_is_not_there_is_refused),
		cmocka_unit_test(a_model_that_is_known_already_stays),
		cmocka_unit_test(
			a_topology_claims_caches_above_the_cpu_and_its_shape),
		cmocka_unit_test(another_machine_s_topology_makes_no_claim),
		cmocka_unit_test(a_cache_is_claimed_field_by_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
