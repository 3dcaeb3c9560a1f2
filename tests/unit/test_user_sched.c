// SPDX-License-Identifier: GPL-2.0
/* Pinning and rights: chosen, taken, and given back. */
#include "backend/user_sched.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define CPUS 2048

static cpu_set_t *set_of(const int *cpu, size_t n)
{
	cpu_set_t *set = CPU_ALLOC(CPUS);

	assert_non_null(set);
	CPU_ZERO_S(CPU_ALLOC_SIZE(CPUS), set);
	for (size_t i = 0; i < n; i++)
		CPU_SET_S(cpu[i], CPU_ALLOC_SIZE(CPUS), set);
	return set;
}

static void a_set_prints_as_ranges(void **state)
{
	const int cpu[] = { 0, 1, 2, 5, 7, 8, 1500, 1501, 2047 };
	cpu_set_t *set = set_of(cpu, 9);
	cpu_set_t *none = set_of(cpu, 0);
	char text[64];

	(void)state;
	mp_user_cpus_print(set, CPUS, text, sizeof(text));
	assert_string_equal(text, "0-2,5,7-8,1500-1501,2047");
	mp_user_cpus_print(set, CPUS, text, 6);
	assert_true(strlen(text) < 6);
	mp_user_cpus_print(none, CPUS, text, sizeof(text));
	assert_string_equal(text, "");
	CPU_FREE(set);
	CPU_FREE(none);
}

static void busy_time_is_read_by_cpu_number(void **state)
{
	char text[] = "cpu  999 9 9 9 9 9 9 9 0 0\n"
		      "cpu0 100 10 20 5000 700 3 4 5 0 0\n"
		      "cpu3 1 2 3 4 5 6 7\n"
		      "cpu9 1 1 1 1 1 1 1 1 1 1\n"
		      "intr 12345 1 2 3\nctxt 99\n";
	FILE *stat = fmemopen(text, sizeof(text) - 1, "r");
	uint64_t busy[8];

	(void)state;
	assert_non_null(stat);
	memset(busy, 0xff, sizeof(busy));
	mp_user_cpus_busy(stat, busy, 8);
	fclose(stat);
	assert_int_equal(busy[0], 100 + 10 + 20 + 3 + 4 + 5);
	assert_int_equal(busy[1], 0);
	/* Old kernels have no steal. */
	assert_int_equal(busy[3], 1 + 2 + 3 + 6 + 7);
}

static void the_calmest_cpu_of_the_set_is_chosen_and_of_equals_the_last(
	void **state)
{
	const int all[] = { 0, 1, 2, 3 }, some[] = { 0, 1 };
	const uint64_t from[CPUS] = { 50, 10, 10, 10 };
	const uint64_t to[CPUS] = { 51, 19, 11, 11 };
	cpu_set_t *four = set_of(all, 4);
	cpu_set_t *two = set_of(some, 2);
	cpu_set_t *none = set_of(all, 0);

	(void)state;
	assert_int_equal(mp_user_cpus_calmest(four, CPUS, from, to), 3);
	assert_int_equal(mp_user_cpus_calmest(two, CPUS, from, to), 0);
	assert_int_equal(mp_user_cpus_calmest(none, CPUS, from, to), -1);
	CPU_FREE(four);
	CPU_FREE(two);
	CPU_FREE(none);
}

static void the_thread_is_pinned_and_its_mask_comes_back(void **state)
{
	struct mp_user_sched sched;
	cpu_set_t before, pinned, after;
	char why[256] = "";

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(mp_user_sched_open(&sched, -1, why, sizeof(why)), 0);
	assert_true(CPU_ISSET(sched.cpu, &before));
	assert_int_equal(sched_getaffinity(0, sizeof(pinned), &pinned), 0);
	assert_int_equal(CPU_COUNT(&pinned), 1);
	assert_true(CPU_ISSET(sched.cpu, &pinned));
	assert_int_equal(sched_getcpu(), sched.cpu);
	assert_true(strlen(mp_user_sched_rights(&sched)) > 0);
	mp_user_sched_close(&sched);
	mp_user_sched_close(&sched);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
}

static void an_asked_cpu_is_taken(void **state)
{
	struct mp_user_sched sched;
	cpu_set_t mask;
	char why[256];

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(mask), &mask), 0);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &mask))
			continue;
		assert_int_equal(mp_user_sched_open(&sched, cpu, why,
						    sizeof(why)), 0);
		assert_int_equal(sched.cpu, cpu);
		mp_user_sched_close(&sched);
	}
}

static void a_cpu_outside_the_mask_is_refused_and_the_mask_named(void **state)
{
	struct mp_user_sched sched;
	cpu_set_t before, one, after;
	char why[256] = "", allowed[64];
	int cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	while (!CPU_ISSET(cpu, &before))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(mp_user_sched_open(&sched, cpu + 1, why,
					    sizeof(why)), -EINVAL);
	snprintf(allowed, sizeof(allowed), "choose one of %d", cpu);
	assert_non_null(strstr(why, allowed));
	assert_int_equal(mp_user_sched_open(&sched, 123456789, why,
					    sizeof(why)), -EINVAL);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&one, &after));
	sched_setaffinity(0, sizeof(before), &before);
}

static void rights_are_held_only_between_raise_and_drop(void **state)
{
	struct mp_user_sched sched;
	const int policy = sched_getscheduler(0);
	const int nice_level = getpriority(PRIO_PROCESS, 0);
	char why[256];
	uint32_t got;

	(void)state;
	assert_int_equal(mp_user_sched_open(&sched, -1, why, sizeof(why)), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(sched_getscheduler(0), policy);
		got = mp_user_sched_raise(&sched);
		assert_int_equal(got, sched.may);
		assert_int_equal(mp_user_sched_raise(&sched), got);
		if (got & MP_GOT_FIFO)
			assert_int_equal(sched_getscheduler(0), SCHED_FIFO);
		if (got & MP_GOT_NICE)
			assert_true(getpriority(PRIO_PROCESS, 0) < nice_level);
		mp_user_sched_drop(&sched);
		assert_int_equal(sched_getscheduler(0), policy);
		assert_int_equal(getpriority(PRIO_PROCESS, 0), nice_level);
	}
	mp_user_sched_raise(&sched);
	mp_user_sched_close(&sched);
	assert_int_equal(sched_getscheduler(0), policy);
	assert_int_equal(getpriority(PRIO_PROCESS, 0), nice_level);
}

/* No right to real-time priorities; to @nice_room levels below nice 20. */
static bool give_up_rights(rlim_t nice_room)
{
	const struct rlimit none = { 0, 0 };
	const struct rlimit levels = { nice_room, nice_room };
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (setrlimit(RLIMIT_RTPRIO, &none) ||
	    setrlimit(RLIMIT_NICE, &levels) ||
	    syscall(SYS_capget, &head, data))
		return false;
	data[0].effective &= ~(1u << CAP_SYS_NICE);
	data[0].permitted &= ~(1u << CAP_SYS_NICE);
	return syscall(SYS_capset, &head, data) == 0;
}

static int group_nice(void)
{
	FILE *file = fopen("/proc/self/autogroup", "r");
	int level = 99;

	if (!file)
		return 99;
	if (fscanf(file, "%*s nice %d", &level) != 1)
		level = 99;
	fclose(file);
	return level;
}

static bool give_up_all_rights(void)
{
	return give_up_rights(0);
}

static bool keep_five_nice_levels(void)
{
	return give_up_rights(25);
}

/* As in a cgroup without real-time time: refused, whatever one may else. */
static bool have_real_time_refused(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setscheduler, 0,
			 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]),
		.filter = filter,
	};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* In a child, so that what is given up stays with this process. */
static int in_child(bool (*prepare)(void), int (*body)(void))
{
	int status;
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(prepare() ? body() : 77);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Return: 0, or which expectation failed. */
static int nice_instead(void)
{
	const int nice_level = getpriority(PRIO_PROCESS, 0);
	const int group_level = group_nice();
	struct mp_user_sched sched;
	char why[256];

	if (mp_user_sched_open(&sched, -1, why, sizeof(why)))
		return 1;
	if (sched.may & MP_GOT_FIFO)
		return 2;
	if (!(sched.may & MP_GOT_NICE))
		return 77;
	mp_user_sched_raise(&sched);
	if (sched_getscheduler(0) != SCHED_OTHER)
		return 3;
	if (getpriority(PRIO_PROCESS, 0) != -20)
		return 4;
	if (sched.got & MP_GOT_AUTOGROUP && group_nice() != -20)
		return 5;
	mp_user_sched_drop(&sched);
	if (sched.got || group_nice() != group_level)
		return 8;
	mp_user_sched_raise(&sched);
	mp_user_sched_close(&sched);
	if (getpriority(PRIO_PROCESS, 0) != nice_level)
		return 6;
	return group_nice() == group_level ? 0 : 7;
}

static int some_nice(void)
{
	struct mp_user_sched sched;
	char why[256];

	if (mp_user_sched_open(&sched, -1, why, sizeof(why)))
		return 1;
	mp_user_sched_raise(&sched);
	if (!(sched.got & MP_GOT_NICE) || getpriority(PRIO_PROCESS, 0) != -5)
		return 2;
	mp_user_sched_close(&sched);
	return getpriority(PRIO_PROCESS, 0) == 0 ? 0 : 3;
}

static int nothing_at_all(void)
{
	const int group_level = group_nice();
	struct mp_user_sched sched;
	char why[256];

	if (mp_user_sched_open(&sched, -1, why, sizeof(why)))
		return 1;
	if (sched.may || mp_user_sched_raise(&sched))
		return 2;
	if (!strstr(mp_user_sched_rights(&sched), "none"))
		return 3;
	mp_user_sched_close(&sched);
	return group_nice() == group_level ? 0 : 4;
}

static void expect_in_child(bool (*prepare)(void), int (*body)(void))
{
	int status;

	if (getpriority(PRIO_PROCESS, 0) != 0 ||
	    sched_getscheduler(0) != SCHED_OTHER)
		skip();
	status = in_child(prepare, body);
	if (status == 77)
		skip();
	assert_int_equal(status, 0);
}

static void without_real_time_nice_is_taken_and_given_back(void **state)
{
	(void)state;
	expect_in_child(have_real_time_refused, nice_instead);
}

static void as_much_nice_as_allowed_is_taken(void **state)
{
	(void)state;
	expect_in_child(keep_five_nice_levels, some_nice);
}

static void without_any_right_it_works_all_the_same(void **state)
{
	(void)state;
	expect_in_child(give_up_all_rights, nothing_at_all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_set_prints_as_ranges),
		cmocka_unit_test(busy_time_is_read_by_cpu_number),
		cmocka_unit_test(the_calmest_cpu_of_the_set_is_chosen_and_of_equals_the_last),
		cmocka_unit_test(the_thread_is_pinned_and_its_mask_comes_back),
		cmocka_unit_test(an_asked_cpu_is_taken),
		cmocka_unit_test(a_cpu_outside_the_mask_is_refused_and_the_mask_named),
		cmocka_unit_test(rights_are_held_only_between_raise_and_drop),
		cmocka_unit_test(without_real_time_nice_is_taken_and_given_back),
		cmocka_unit_test(as_much_nice_as_allowed_is_taken),
		cmocka_unit_test(without_any_right_it_works_all_the_same),
	};

	return cmocka_run_group_tests_name("user_sched", tests, NULL, NULL);
}
