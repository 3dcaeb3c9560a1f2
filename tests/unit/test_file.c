// SPDX-License-Identifier: GPL-2.0
/*
 * Files are read whole or refused, and written whole or not at all.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "temp_folder.h"

static int write_text(const char *path, const char *text)
{
	struct mp_piece piece = { text, strlen(text) };
	char why[256];

	return mp_file_write(path, &piece, 1, why, sizeof(why));
}

static void assert_holds(const char *path, const char *text)
{
	char why[256];
	size_t bytes;
	void *data;

	assert_int_equal(mp_file_read(path, 1000, &data, &bytes, why,
				      sizeof(why)), 0);
	assert_int_equal(bytes, strlen(text));
	assert_string_equal(data, text);
	free(data);
}

static void what_is_written_is_read_back(void **state)
{
	struct mp_piece pieces[] = { { "one ", 4 }, { NULL, 0 }, { "two", 3 } };
	const char *path = temp_path("a");
	char why[256];

	(void)state;
	assert_int_equal(mp_file_write(path, pieces, 3, why, sizeof(why)), 0);
	assert_holds(path, "one two");
	assert_int_equal(write_text(path, ""), 0);
	assert_holds(path, "");
	assert_int_equal(temp_folder_files(), 1);
	temp_folder_empty();
}

static void the_file_behind_a_link_is_replaced_and_the_link_stays(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(write_text(temp_path("real"), "old"), 0);
	assert_int_equal(symlink("real", temp_path("link")), 0);
	assert_int_equal(write_text(temp_path("link"), "new"), 0);
	assert_holds(temp_path("real"), "new");
	assert_int_equal(lstat(temp_path("link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	temp_folder_empty();
}

static void a_new_file_has_the_rights_that_the_umask_leaves(void **state)
{
	mode_t before = umask(027);
	struct stat st;

	(void)state;
	assert_int_equal(write_text(temp_path("a"), "x"), 0);
	umask(before);
	assert_int_equal(stat(temp_path("a"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	temp_folder_empty();
}

static void what_is_no_regular_file_is_never_replaced(void **state)
{
	char why[256];
	struct mp_piece piece = { "x", 1 };

	(void)state;
	assert_int_equal(mkfifo(temp_path("pipe"), 0600), 0);
	assert_int_equal(mp_file_write(temp_path("pipe"), &piece, 1, why,
				       sizeof(why)), -EINVAL);
	assert_non_null(strstr(why, "pipe"));
	assert_int_equal(mp_file_write(temp_folder(), &piece, 1, why, sizeof(why)),
			 -EINVAL);
	assert_int_equal(mp_file_write("/dev/null", &piece, 1, why,
				       sizeof(why)), -EINVAL);
	assert_int_equal(temp_folder_files(), 1);
	temp_folder_empty();
}

static void a_failed_write_leaves_nothing_behind(void **state)
{
	struct mp_piece piece = { "x", 1 };
	char why[256];

	(void)state;
	assert_int_equal(mp_file_write(temp_path("none/a"), &piece, 1, why,
				       sizeof(why)), -ENOENT);
	assert_non_null(strstr(why, "none/a"));
	assert_int_equal(temp_folder_files(), 0);
}

static void a_left_over_of_the_same_name_is_stepped_over(void **state)
{
	char name[64];

	(void)state;
	snprintf(name, sizeof(name), "a.%ld-0.tmp", (long)getpid());
	assert_int_equal(write_text(temp_path(name), "left over"), 0);
	assert_int_equal(write_text(temp_path("a"), "new"), 0);
	assert_holds(temp_path("a"), "new");
	assert_holds(temp_path(name), "left over");
	temp_folder_empty();
}

static int read_error(const char *path, uint64_t max_bytes)
{
	char why[256] = "";
	size_t bytes;
	void *data;
	int err;

	err = mp_file_read(path, max_bytes, &data, &bytes, why, sizeof(why));
	assert_null(data);
	assert_non_null(strstr(why, path));
	return err;
}

static void what_cannot_be_read_is_refused_with_its_name(void **state)
{
	(void)state;
	assert_int_equal(write_text(temp_path("a"), "12345"), 0);
	assert_int_equal(mkfifo(temp_path("pipe"), 0600), 0);
	assert_int_equal(read_error(temp_path("b"), 10), -ENOENT);
	assert_int_equal(read_error(temp_folder(), 10), -EISDIR);
	assert_int_equal(read_error(temp_path("pipe"), 10), -EINVAL);
	assert_int_equal(read_error("/dev/null", 10), -EINVAL);
	assert_int_equal(read_error(temp_path("a"), 4), -EFBIG);
	assert_int_equal(read_error(temp_path("a/b"), 4), -ENOTDIR);
	assert_holds(temp_path("a"), "12345");
	temp_folder_empty();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(the_file_behind_a_link_is_replaced_and_the_link_stays),
		cmocka_unit_test(a_new_file_has_the_rights_that_the_umask_leaves),
		cmocka_unit_test(what_is_no_regular_file_is_never_replaced),
		cmocka_unit_test(a_failed_write_leaves_nothing_behind),
		cmocka_unit_test(a_left_over_of_the_same_name_is_stepped_over),
		cmocka_unit_test(what_cannot_be_read_is_refused_with_its_name),
	};

	return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
