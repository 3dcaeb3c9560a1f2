// SPDX-License-Identifier: GPL-2.0
/* How much memory may be taken, against trees of files made for the purpose. */
#include "backend/user_room.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB (1ull << 20)

static char root[64];

static void put(const char *path, const char *text)
{
	char name[512];
	FILE *file;

	snprintf(name, sizeof(name), "%s/", root);
	for (const char *end = path; (end = strchr(end + 1, '/'));) {
		snprintf(name, sizeof(name), "%s%.*s", root,
			 (int)(end - path), path);
		mkdir(name, 0755);
	}
	snprintf(name, sizeof(name), "%s%s", root, path);
	file = fopen(name, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static int remove_one(const char *path, const struct stat *info, int type,
		      struct FTW *at)
{
	(void)info;
	(void)type;
	(void)at;
	return remove(path);
}

static int make_root(void **state)
{
	(void)state;
	strcpy(root, "/tmp/mp-room-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	(void)state;
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void put_available(unsigned int mib)
{
	char text[128];

	snprintf(text, sizeof(text), "MemTotal:       99999999 kB\n"
		 "MemFree:              17 kB\nMemAvailable:   %u kB\n",
		 mib << 10);
	put("/proc/meminfo", text);
}

static void put_v2(const char *mounted, const char *own)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
		 "31 23 0:28 %s /cg rw,nosuid shared:9 - cgroup2 cgroup2 rw\n",
		 mounted);
	put("/proc/self/mountinfo", text);
	snprintf(text, sizeof(text), "0::%s\n", own);
	put("/proc/self/cgroup", text);
}

static void put_group(const char *path, const char *max, const char *current)
{
	char name[256];

	snprintf(name, sizeof(name), "/cg%s/memory.max", path);
	put(name, max);
	snprintf(name, sizeof(name), "/cg%s/memory.current", path);
	put(name, current);
}

static void expect_room(uint64_t bytes, const char *bound)
{
	struct mp_user_room room;

	assert_int_equal(mp_user_room_read(&room, root), 0);
	assert_int_equal(room.bytes, bytes);
	assert_string_equal(room.bound, bound);
}

static void without_cgroups_what_is_available_bounds(void **state)
{
	(void)state;
	put_available(300);
	expect_room(300 * MIB, "MemAvailable");
}

static void nothing_readable_is_said(void **state)
{
	struct mp_user_room room;

	(void)state;
	assert_int_equal(mp_user_room_read(&room, root), -ENODATA);
	assert_true(room.bytes == UINT64_MAX);
	assert_string_equal(room.bound, "");
}

static void the_tightest_group_on_the_way_up_bounds(void **state)
{
	(void)state;
	put_available(4000);
	put_v2("/", "/a/b/c");
	put_group("/a/b/c", "max\n", "1048576\n");
	put_group("/a/b", "104857600\n", "94371840\n");
	put_group("/a", "1073741824\n", "94371840\n");
	put_group("/sibling", "4096\n", "4096\n");
	expect_room(10 * MIB, "cgroup /cg/a/b memory.max");
}

static void the_groups_leaf_bounds_too(void **state)
{
	(void)state;
	put_available(4000);
	put_v2("/", "/a/b");
	put_group("/a/b", "20971520\n", "1048576\n");
	put_group("/a", "1073741824\n", "94371840\n");
	expect_room(19 * MIB, "cgroup /cg/a/b memory.max");
}

static void a_soft_limit_bounds_as_well(void **state)
{
	(void)state;
	put_available(4000);
	put_v2("/", "/a");
	put_group("/a", "max\n", "1048576\n");
	put("/cg/a/memory.high", "3145728\n");
	expect_room(2 * MIB, "cgroup /cg/a memory.high");
}

static void idle_file_pages_count_as_free(void **state)
{
	(void)state;
	put_available(4000);
	put_v2("/", "/a");
	put_group("/a", "104857600\n", "104857600\n");
	put("/cg/a/memory.stat", "anon 1\ninactive_anon 7\n"
	    "inactive_file 52428800\nactive_file 3\n");
	expect_room(50 * MIB, "cgroup /cg/a memory.max");
}

static void usage_beyond_the_limit_leaves_nothing(void **state)
{
	(void)state;
	put_available(4000);
	put_v2("/", "/a");
	put_group("/a", "1048576\n", "2097152\n");
	expect_room(0, "cgroup /cg/a memory.max");
}

static void in_a_container_paths_begin_at_the_mount(void **state)
{
	(void)state;
	put_available(4000);
	put_v2("/docker/123", "/docker/123/job");
	put_group("/job", "8388608\n", "0\n");
	expect_room(8 * MIB, "cgroup /cg/job memory.max");
}

static void a_path_outside_the_mount_means_the_mount(void **state)
{
	(void)state;
	put_available(4000);
	put_v2("/docker/123", "/docker/1234");
	put_group("", "6291456\n", "0\n");
	expect_room(6 * MIB, "cgroup /cg memory.max");
	put_v2("/", "/../other");
	expect_room(6 * MIB, "cgroup /cg memory.max");
}

static void version_one_groups_are_read_with_their_names(void **state)
{
	(void)state;
	put_available(4000);
	put("/proc/self/mountinfo",
	    "30 22 0:25 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
	    "35 31 0:32 / /cg/memory rw,relatime - cgroup cgroup rw,memory\n");
	put("/proc/self/cgroup",
	    "9:name=systemd:/\n4:cpu,cpuacct:/x\n3:memory:/a/b\n0::/\n");
	put("/cg/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
	put("/cg/memory/a/b/memory.usage_in_bytes", "30461952\n");
	put("/cg/memory/a/memory.limit_in_bytes", "33554432\n");
	put("/cg/memory/a/memory.usage_in_bytes", "31457280\n");
	put("/cg/memory/a/memory.stat",
	    "inactive_file 0\ntotal_inactive_file 1048576\n");
	expect_room(3 * MIB, "cgroup /cg/memory/a memory.limit_in_bytes");
}

static void a_limit_of_the_process_bounds(void **state)
{
	/* So much, on paper, is mapped already that 4 MiB are left. */
	const rlim_t limit = (rlim_t)1 << 50;
	const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	struct rlimit before, lower;
	struct mp_user_room room;
	char text[128];

	(void)state;
	put_available(4000);
	snprintf(text, sizeof(text), "%ju 1 1 1 0 9 0\n",
		 (uintmax_t)((limit - 4 * MIB) / page_bytes));
	put("/proc/self/statm", text);
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	lower = before;
	lower.rlim_cur = limit;
	if (before.rlim_max < limit || setrlimit(RLIMIT_AS, &lower))
		skip();
	assert_int_equal(mp_user_room_read(&room, root), 0);
	setrlimit(RLIMIT_AS, &before);
	assert_int_equal(room.bytes, 4 * MIB);
	assert_string_equal(room.bound, "RLIMIT_AS");
}

static void reserved_pages_with_a_claim_on_them_are_not_free(void **state)
{
	const char *folder = "/sys/kernel/mm/hugepages/hugepages-2048kB";
	char name[128];

	(void)state;
	assert_int_equal(mp_user_room_reserved(root, 2 * MIB), 0);
	snprintf(name, sizeof(name), "%s/free_hugepages", folder);
	put(name, "10\n");
	assert_int_equal(mp_user_room_reserved(root, 2 * MIB), 20 * MIB);
	snprintf(name, sizeof(name), "%s/resv_hugepages", folder);
	put(name, "3\n");
	assert_int_equal(mp_user_room_reserved(root, 2 * MIB), 14 * MIB);
	assert_int_equal(mp_user_room_reserved(root, 1024 * MIB), 0);
}

static void this_machine_has_room(void **state)
{
	struct mp_user_room room;

	(void)state;
	assert_int_equal(mp_user_room_read(&room, ""), 0);
	assert_true(room.bytes > MIB);
	assert_true(room.bound[0]);
}

#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, \
						      remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_ROOT(without_cgroups_what_is_available_bounds),
		IN_ROOT(nothing_readable_is_said),
		IN_ROOT(the_tightest_group_on_the_way_up_bounds),
		IN_ROOT(the_groups_leaf_bounds_too),
		IN_ROOT(a_soft_limit_bounds_as_well),
		IN_ROOT(idle_file_pages_count_as_free),
		IN_ROOT(usage_beyond_the_limit_leaves_nothing),
		IN_ROOT(in_a_container_paths_begin_at_the_mount),
		IN_ROOT(a_path_outside_the_mount_means_the_mount),
		IN_ROOT(version_one_groups_are_read_with_their_names),
		IN_ROOT(a_limit_of_the_process_bounds),
		IN_ROOT(reserved_pages_with_a_claim_on_them_are_not_free),
		cmocka_unit_test(this_machine_has_room),
	};

	return cmocka_run_group_tests_name("user_room", tests, NULL, NULL);
}
