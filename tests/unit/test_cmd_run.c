// SPDX-License-Identifier: GPL-2.0
/* Which backend "auto" ends up with, where a stand-in for the module refuses.
 * The runs are dry: nothing is measured but what opening takes. */
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_kmod.h"
#include "temp_folder.h"

#define WORDS 8
#define NOTICE "memprobe run: backend kmod: "
#define GOES_ON "; going on with backend user\n"

static char said[4096];

/* The exit code; what went to stderr is in said[]. */
static int dry_run(const char *option, const char *value)
{
	char *argv[WORDS] = { "run", "--dry-run", "--quick", "--probe",
			      "clock", (char *)option, (char *)value };
	int saved[2], into[2], code, argc = 5;
	ssize_t length;

	while (argv[argc])
		argc++;
	fflush(NULL);
	into[0] = open("/dev/null", O_WRONLY);
	into[1] = open(temp_path("stderr"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	for (int i = 0; i < 2; i++) {
		assert_true(into[i] >= 0);
		saved[i] = dup(i + 1);
		dup2(into[i], i + 1);
	}
	code = mp_cmd_run.run(argc, argv);
	fflush(NULL);
	length = pread(into[1], said, sizeof(said) - 1, 0);
	for (int i = 0; i < 2; i++) {
		dup2(saved[i], i + 1);
		close(saved[i]);
		close(into[i]);
	}
	assert_true(length >= 0);
	said[length] = '\0';
	return code;
}

static uint32_t lines_said(void)
{
	uint32_t n = 0;

	for (const char *at = said; *at; at++)
		n += *at == '\n';
	return n;
}

static void assert_says(const char *word)
{
	if (!strstr(said, word))
		fail_msg("\"%s\" does not say \"%s\"", said, word);
}

static void passes_on(const char *why)
{
	assert_int_equal(dry_run(NULL, NULL), MP_EXIT_DONE);
	assert_int_equal(lines_said(), 1);
	assert_says(NOTICE);
	assert_says(why);
	assert_says(GOES_ON);
	assert_int_equal(fake_kmod.n_open, 0);
}

static void auto_takes_the_module_where_it_works(void **state)
{
	(void)state;
	fake_kmod_load();
	assert_int_equal(dry_run(NULL, NULL), MP_EXIT_DONE);
	assert_string_equal(said, "");
	assert_true(fake_kmod.n_runs > 0);
	assert_int_equal(fake_kmod.n_open, 0);
}

static void auto_goes_on_without_a_module_that_will_not_measure(void **state)
{
	(void)state;
	fake_kmod_load();
	fake_kmod.run_deny = MEMPROBE_RUN_PREEMPT_OFF;
	passes_on("CAP_SYS_ADMIN");
	fake_kmod_load();
	fake_kmod.info.tick_hz *= 2;
	passes_on("load it again");
	fake_kmod_load();
	for (int i = 0; i < FAKE_ANSWERS; i++)
		fake_kmod.run_err[i] = -EBUSY;
	passes_on("another run holds the machine");
	fake_kmod_load();
	for (int i = 0; i < FAKE_KINDS; i++)
		fake_kmod.take_err[i] = -ENOMEM;
	passes_on("no memory of that kind");
}

static void a_module_that_was_asked_for_is_not_replaced(void **state)
{
	(void)state;
	fake_kmod_load();
	fake_kmod.info.tick_hz *= 2;
	assert_int_equal(dry_run("--backend", "kmod"), MP_EXIT_DENIED);
	assert_int_equal(lines_said(), 1);
	assert_says("memprobe run: the module's clock ticks at ");
	/* Nor is one that the noisy twin was asked of. */
	assert_int_equal(dry_run("--noisy", NULL), MP_EXIT_DENIED);
	assert_int_equal(lines_said(), 1);
	assert_says("load it again");
}

static void what_no_backend_can_mend_is_not_passed_on(void **state)
{
	(void)state;
	fake_kmod_load();
	fake_kmod.run_err[0] = -EIO;
	assert_int_equal(dry_run(NULL, NULL), MP_EXIT_USAGE);
	assert_int_equal(lines_said(), 1);
	assert_null(strstr(said, "going on"));
}

static void the_last_one_says_why_it_refuses(void **state)
{
	(void)state;
	fake_kmod_load();
	fake_kmod.open_err = -ENOENT;
	assert_int_equal(dry_run("--pages", "contig"), MP_EXIT_DENIED);
	assert_int_equal(lines_said(), 1);
	assert_says("memprobe run: pages contig: ");
	assert_says("make run KMOD=1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(auto_takes_the_module_where_it_works),
		cmocka_unit_test(auto_goes_on_without_a_module_that_will_not_measure),
		cmocka_unit_test(a_module_that_was_asked_for_is_not_replaced),
		cmocka_unit_test(what_no_backend_can_mend_is_not_passed_on),
		cmocka_unit_test(the_last_one_says_why_it_refuses),
	};

	return cmocka_run_group_tests_name("cmd_run", tests, temp_folder_make,
					   temp_folder_remove);
}
