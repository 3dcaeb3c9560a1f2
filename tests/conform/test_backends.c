// SPDX-License-Identifier: GPL-2.0
/*
 * The conformance suite: what every backend owes, asked of each of them.
 * Adding a backend: a row of the first table. Adding a sentence: a line of
 * one of the tables of checks.
 */
#include "subject.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

#include "../unit/fake_kmod.h"
#include "../unit/temp_folder.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NAME_ROOM 128
#define MEMORY_BYTES (4ull << 30)

static const struct subject subjects[] = {
	{ .backend = "kmod" },
	{ .backend = "user" },
	{ .backend = "sim", .file = subject_machine,
	  .traits = SUBJECT_SAME | SUBJECT_FILE },
	{ .backend = "replay", .file = subject_recording,
	  .traits = SUBJECT_SAME | SUBJECT_FILE },
	/* Behind the real one: what stands in stays. */
	{ .backend = "kmod", .stand_in = fake_kmod_load },
};

static const struct check *const tables[] = {
	open_checks, look_checks, chase_checks, payload_checks,
	refuse_checks, sequence_checks, actor_checks, repeat_checks,
};

/* A sentence, said of a backend. */
struct claim {
	const struct subject *subject;
	const struct check *check;
	char name[NAME_ROOM];
};

static void it_holds(void **state)
{
	const struct claim *claim = *state;

	if (claim->subject->stand_in)
		claim->subject->stand_in();
	claim->check->holds(claim->subject);
}

static void every_backend_has_its_row(void **state)
{
	(void)state;
	for (uint32_t i = 0; mp_backends[i]; i++) {
		bool found = false;

		for (size_t k = 0; k < COUNT(subjects); k++)
			found = found || !strcmp(subjects[k].backend,
						 mp_backends[i]->name);
		if (!found)
			fail_msg("%s: not among the subjects of this suite",
				 mp_backends[i]->name);
	}
}

static size_t add_claims(struct claim *claims, const struct subject *subject)
{
	size_t n = 0;

	for (size_t i = 0; i < COUNT(tables); i++) {
		for (const struct check *check = tables[i]; check->sentence;
		     check++) {
			struct claim *claim = &claims[n];

			if (check->traits & ~subject->traits)
				continue;
			claim->subject = subject;
			claim->check = check;
			snprintf(claim->name, sizeof(claim->name), "%s%s: %s",
				 subject->backend,
				 subject->stand_in ? " (stand-in)" : "",
				 check->sentence);
			n++;
		}
	}
	return n;
}

static size_t count_checks(void)
{
	size_t n = 0;

	for (size_t i = 0; i < COUNT(tables); i++) {
		for (const struct check *check = tables[i]; check->sentence;
		     check++)
			n++;
	}
	return n;
}

/* A backend that obeys where it should refuse shall not fell the machine. */
static int set_up(void **state)
{
#ifndef __SANITIZE_ADDRESS__
	const struct rlimit limit = { MEMORY_BYTES, RLIM_INFINITY };

	if (setrlimit(RLIMIT_AS, &limit))
		return -1;
#endif
	return temp_folder_make(state);
}

int main(void)
{
	const size_t room = COUNT(subjects) * count_checks();
	struct claim *claims = calloc(room, sizeof(*claims));
	struct CMUnitTest *tests = calloc(room + 1, sizeof(*tests));
	size_t n = 0;
	int failed = 1;

	if (!claims || !tests)
		goto out;
	for (size_t i = 0; i < COUNT(subjects); i++)
		n += add_claims(claims + n, &subjects[i]);
	for (size_t i = 0; i < n; i++)
		tests[i] = (struct CMUnitTest){
			.name = claims[i].name,
			.test_func = it_holds,
			.initial_state = &claims[i],
		};
	tests[n] = (struct CMUnitTest)
		cmocka_unit_test(every_backend_has_its_row);
	failed = _cmocka_run_group_tests("backends", tests, n + 1,
					 set_up, temp_folder_remove);
out:
	free(tests);
	free(claims);
	return failed;
}
