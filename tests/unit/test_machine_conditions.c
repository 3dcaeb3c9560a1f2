// SPDX-License-Identifier: GPL-2.0
/* Conditions: what is told, what is left out, and what nobody's business is. */
#include "machine_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "made_tree.h"

static const char *told(const struct mp_host *host, const char *key)
{
	const char *text = NULL;

	for (uint32_t i = 0; i < host->n_conditions; i++) {
		if (strcmp(host->condition[i].key, key) != 0)
			continue;
		if (text)
			fail_msg("%s is told twice", key);
		text = host->condition[i].text;
	}
	return text;
}

static void files_of_one_line_are_told_as_they_are(void **state)
{
	struct mp_host host = { 0 };
	char *root = made_tree();

	(void)state;
	made_tree_file(root, "/sys/devices/system/cpu/online", "0-7\n");
	made_tree_file(root, "/sys/devices/system/cpu/smt/control", "off\n");
	made_tree_file(root, "/proc/loadavg", "0.50 1.25 2.00 1/99 4242\n");
	made_tree_file(root,
		       "/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor",
		       "performance\n");
	mp_conditions_read(&host, root, 2, false);
	assert_string_equal(told(&host, "cpus-online"), "0-7");
	assert_string_equal(told(&host, "smt"), "off");
	assert_string_equal(told(&host, "load-average"), "0.50 1.25 2.00");
	assert_string_equal(told(&host, "governor"), "performance");
	made_tree_free(root);
}

static void the_choice_in_brackets_is_the_one_in_force(void **state)
{
	struct mp_host host = { 0 };
	char *root = made_tree();

	(void)state;
	made_tree_file(root, "/sys/kernel/mm/transparent_hugepage/enabled",
		       "always [madvise] never\n");
	mp_conditions_read(&host, root, 0, false);
	assert_string_equal(told(&host, "thp"), "madvise");
	made_tree_free(root);
}

static void turbo_is_told_by_either_driver(void **state)
{
	struct mp_host intel = { 0 }, other = { 0 };
	char *root = made_tree();

	(void)state;
	made_tree_file(root, "/sys/devices/system/cpu/cpufreq/boost", "0\n");
	mp_conditions_read(&other, root, 0, false);
	assert_string_equal(told(&other, "turbo"), "off");
	made_tree_file(root, "/sys/devices/system/cpu/intel_pstate/no_turbo",
		       "0\n");
	mp_conditions_read(&intel, root, 0, false);
	assert_string_equal(told(&intel, "turbo"), "on");
	made_tree_free(root);
}

static void of_the_command_line_only_quiet_cpus_are_told(void **state)
{
	struct mp_host host = { 0 };
	char *root = made_tree();

	(void)state;
	made_tree_file(root, "/proc/cmdline",
		       "root=UUID=secret isolcpus=2-3 token=abc nohz_full=3 quiet\n");
	mp_conditions_read(&host, root, 0, false);
	assert_string_equal(told(&host, "isolcpus"), "2-3");
	assert_string_equal(told(&host, "nohz-full"), "3");
	for (uint32_t i = 0; i < host.n_conditions; i++) {
		assert_null(strstr(host.condition[i].text, "secret"));
		assert_null(strstr(host.condition[i].text, "abc"));
	}
	made_tree_free(root);
}

static void lines_are_found_by_their_whole_key(void **state)
{
	struct mp_host host = { 0 };
	char *root = made_tree();

	(void)state;
	made_tree_file(root, "/proc/meminfo",
		       "MemTotalX:   1 kB\nMemTotal:    2048 kB\nMemAvailable: 1024 kB\n");
	made_tree_file(root, "/proc/cpuinfo",
		       "model\t\t: 17\nmodel name\t: A CPU\nmodel name\t: B CPU\n");
	mp_conditions_read(&host, root, 0, false);
	assert_string_equal(told(&host, "memory-total"), "2048 kB");
	assert_string_equal(told(&host, "memory-available"), "1024 kB");
	assert_string_equal(told(&host, "cpu-name"), "A CPU");
	made_tree_free(root);
}

static void what_no_file_says_is_left_out(void **state)
{
	struct mp_host host = { 0 };
	char *root = made_tree();

	(void)state;
	made_tree_file(root, "/sys/devices/system/cpu/nohz_full", "(null)\n");
	made_tree_file(root, "/sys/devices/system/cpu/isolated", "\n");
	made_tree_file(root, "/proc/loadavg", "soon\n");
	mp_conditions_read(&host, root, 0, true);
	assert_int_equal(host.n_conditions, 0);
	made_tree_free(root);
}

static void names_and_serial_numbers_are_told_only_when_asked_for(void **state)
{
	struct mp_host shy = { 0 }, open = { 0 };
	char *root = made_tree();

	(void)state;
	made_tree_file(root, "/proc/sys/kernel/hostname", "alpha\n");
	made_tree_file(root, "/sys/class/dmi/id/product_serial", "S123\n");
	made_tree_file(root, "/sys/class/dmi/id/product_name", "Box\n");
	mp_conditions_read(&shy, root, 0, false);
	assert_null(told(&shy, "host"));
	assert_null(told(&shy, "system-serial"));
	assert_string_equal(told(&shy, "system-product"), "Box");
	mp_conditions_read(&open, root, 0, true);
	assert_string_equal(told(&open, "host"), "alpha");
	assert_string_equal(told(&open, "system-serial"), "S123");
	made_tree_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_one_line_are_told_as_they_are),
		cmocka_unit_test(the_choice_in_brackets_is_the_one_in_force),
		cmocka_unit_test(turbo_is_told_by_either_driver),
		cmocka_unit_test(of_the_command_line_only_quiet_cpus_are_told),
		cmocka_unit_test(lines_are_found_by_their_whole_key),
		cmocka_unit_test(what_no_file_says_is_left_out),
		cmocka_unit_test(
			names_and_serial_numbers_are_told_only_when_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
