// SPDX-License-Identifier: GPL-2.0
/* sysfs and cpuinfo: captured in the small. */
#include "machine_source.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "made_tree.h"

#define CACHE "/sys/devices/system/cpu/cpu3/cache"

static void put_cache(const char *root, int index, const char *type, int level,
		      const char *size, const char *line, const char *ways)
{
	const struct {
		const char *field;
		const char *text;
	} rows[] = {
		{ "type", type }, { "size", size },
		{ "coherency_line_size", line },
		{ "ways_of_associativity", ways },
	};
	char path[256], text[16];

	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), CACHE "/index%d/%s", index,
			 rows[i].field);
		if (rows[i].text)
			made_tree_file(root, path, rows[i].text);
	}
	snprintf(path, sizeof(path), CACHE "/index%d/level", index);
	snprintf(text, sizeof(text), "%d\n", level);
	made_tree_file(root, path, text);
}

static double claim_of(const struct mp_host *host, const char *fact)
{
	for (uint32_t i = 0; i < host->n_claims; i++)
		if (strcmp(host->claim[i].fact, fact) == 0)
			return host->claim[i].value;
	return -1;
}

static void caches_of_data_are_claimed_and_others_are_not(void **state)
{
	struct mp_host host = { 0 };
	char *root = made_tree();

	(void)state;
	put_cache(root, 0, "Data\n", 1, "48K\n", "64\n", "12\n");
	put_cache(root, 1, "Instruction\n", 1, "64K\n", "64\n", "16\n");
	put_cache(root, 2, "Unified\n", 2, "2M\n", "128\n", "16\n");
	mp_sysfs_claims(&host, root, 3);
	assert_true(claim_of(&host, "cpu.l1d.size") == 49152);
	assert_true(claim_of(&host, "cpu.l1d.ways") == 12);
	assert_true(claim_of(&host, "cpu.l2.size") == 2097152);
	assert_true(claim_of(&host, "cpu.l2.line") == 128);
	assert_int_equal(host.n_claims, 6);
	assert_string_equal(host.claim[0].source, "sysfs");
	made_tree_free(root);
}

static void what_is_empty_missing_or_odd_is_left_out(void **state)
{
	struct mp_host host = { 0 };
	char *root = made_tree();

	(void)state;
	put_cache(root, 0, "Data\n", 1, "lots\n", "\n", NULL);
	put_cache(root, 1, "Unified\n", 2, "12Q\n", "64\n", "0\n");
	put_cache(root, 2, "Unified\n", 9, "1M\n", "64\n", "8\n");
	mp_sysfs_claims(&host, root, 3);
	assert_int_equal(host.n_claims, 1);
	assert_true(claim_of(&host, "cpu.l2.line") == 64);
	mp_sysfs_claims(&host, root, 4);
	assert_int_equal(host.n_claims, 1);
	made_tree_free(root);
}

static void an_earlier_source_is_believed_first(void **state)
{
	struct mp_host host = { 0 };
	char *root = made_tree();

	(void)state;
	put_cache(root, 0, "Data\n", 1, "48K\n", "64\n", "12\n");
	mp_host_claim(&host, "cpu.l1d.size", 32768, "cpuid");
	mp_sysfs_claims(&host, root, 3);
	assert_true(claim_of(&host, "cpu.l1d.size") == 32768);
	assert_true(claim_of(&host, "cpu.l1d.ways") == 12);
	assert_int_equal(host.n_claims, 3);
	made_tree_free(root);
}

static void lists_of_cpus_are_understood(void **state)
{
	(void)state;
	assert_true(mp_cpu_listed("0", 0));
	assert_true(mp_cpu_listed("0-3,8,10-11", 2));
	assert_true(mp_cpu_listed("0-3,8,10-11", 8));
	assert_true(mp_cpu_listed("0-3,8,10-11", 11));
	assert_false(mp_cpu_listed("0-3,8,10-11", 9));
	assert_false(mp_cpu_listed("", 0));
	assert_false(mp_cpu_listed("none", 0));
}

static void a_cpu_is_online_where_the_list_says_so_or_is_missing(void **state)
{
	char *root = made_tree();

	(void)state;
	assert_true(mp_sysfs_online(root, 7));
	made_tree_file(root, "/sys/devices/system/cpu/online", "0-1,4\n");
	assert_true(mp_sysfs_online(root, 4));
	assert_false(mp_sysfs_online(root, 2));
	made_tree_free(root);
}

static void an_arm_model_is_that_of_the_cpu_asked_about(void **state)
{
	struct mp_host host = { 0 };
	char *root = made_tree();

	(void)state;
	made_tree_file(root, "/proc/cpuinfo",
		       "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n"
		       "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n");
	mp_sysfs_model(&host, root, 1);
	assert_string_equal(host.model, "ARM implementer 0x41 part 0xd0c");
	mp_sysfs_model(&host, root, 0);
	assert_string_equal(host.model, "ARM implementer 0x41 part 0xd0c");
	made_tree_free(root);
}

static void the_first_line_of_a_file_comes_without_its_end(void **state)
{
	char text[8], *root = made_tree();

	(void)state;
	made_tree_file(root, "/a1", "one\ntwo\n");
	made_tree_file(root, "/empty", "");
	assert_int_equal(mp_file_line(text, sizeof(text), root, "/a%d", 1), 0);
	assert_string_equal(text, "one");
	assert_int_equal(mp_file_line(text, sizeof(text), root, "/a%d", 2),
			 -ENOENT);
	assert_int_equal(mp_file_line(text, sizeof(text), root, "/empty"),
			 -ENODATA);
	made_tree_free(root);
}

static void those_that_share_are_counted_as_far_as_they_may_be_used(void **state)
{
	struct mp_host host = { 0 };
	char *root = made_tree();

	(void)state;
	put_cache(root, 0, "Data\n", 1, "48K\n", "64\n", "12\n");
	made_tree_file(root, CACHE "/index0/shared_cpu_list", "3\n");
	put_cache(root, 1, "Unified\n", 2, "2M\n", "64\n", "16\n");
	made_tree_file(root, CACHE "/index1/shared_cpu_list", "2-3,66-67\n");
	put_cache(root, 2, "Unified\n", 3, "32M\n", "64\n", "16\n");
	made_tree_file(root, CACHE "/index2/shared_cpu_list", "?\n");
	mp_sysfs_claims(&host, root, 3);
	assert_true(claim_of(&host, "cpu.l1d.shared") == 1);
	assert_true(claim_of(&host, "cpu.l2.shared") == 4);
	assert_true(claim_of(&host, "cpu.l3.shared") == -1);
	memset(&host, 0, sizeof(host));
	assert_int_equal(mp_cpus_parse(&host.cpus, "1-3"), 0);
	mp_sysfs_claims(&host, root, 3);
	assert_true(claim_of(&host, "cpu.l1d.shared") == 1);
	assert_true(claim_of(&host, "cpu.l2.shared") == 2);
	made_tree_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(caches_of_data_are_claimed_and_others_are_not),
		cmocka_unit_test(those_that_share_are_counted_as_far_as_they_may_be_used),
		cmocka_unit_test(what_is_empty_missing_or_odd_is_left_out),
		cmocka_unit_test(an_earlier_source_is_believed_first),
		cmocka_unit_test(lists_of_cpus_are_understood),
		cmocka_unit_test(
			a_cpu_is_online_where_the_list_says_so_or_is_missing),
		cmocka_unit_test(an_arm_model_is_that_of_the_cpu_asked_about),
		cmocka_unit_test(the_first_line_of_a_file_comes_without_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
