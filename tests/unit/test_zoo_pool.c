// SPDX-License-Identifier: GPL-2.0
/* Jobs of the zoo in workers, some of which do not live to the end. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/bench/zoo_pool.h"

#define JOBS 40u
#define CRASHES 7u
#define LEAVES 12u
#define HANGS 20u
#define ROOM 100000u

struct seen {
	uint32_t answers[JOBS];
	int signal[JOBS];
	bool bad;
};

/* As many words as the job's number says, thousandfold, to fill pipes. */
static size_t count(void *ctx, uint32_t job, void *answer)
{
	const size_t n = job * 1000 / sizeof(uint32_t);

	(void)ctx;
	for (size_t i = 0; i < n; i++)
		((uint32_t *)answer)[i] = job;
	return n * sizeof(uint32_t);
}

static size_t stumble(void *ctx, uint32_t job, void *answer)
{
	if (job == CRASHES)
		kill(getpid(), SIGKILL);
	if (job == LEAVES)
		_exit(0);
	while (job == HANGS)
		pause();
	return count(ctx, job, answer);
}

static void take(void *ctx, uint32_t job, int signal, const void *answer,
		 size_t bytes)
{
	struct seen *seen = ctx;

	seen->answers[job]++;
	seen->signal[job] = signal;
	if (!answer)
		return;
	seen->bad |= bytes != job * 1000 / 4 * 4;
	for (size_t i = 0; i < bytes / 4; i++)
		seen->bad |= ((const uint32_t *)answer)[i] != job;
}

static struct zoo_pool pool_of(struct seen *seen, uint32_t workers)
{
	memset(seen, 0, sizeof(*seen));
	return (struct zoo_pool){
		.jobs = JOBS, .workers = workers, .limit_s = 30, .room = ROOM,
		.work = count, .take = take, .ctx = seen,
	};
}

static void every_job_is_done_once_by_any_number_of_workers(void **state)
{
	struct seen seen;

	(void)state;
	for (uint32_t workers = 1; workers <= 64; workers *= 4) {
		const struct zoo_pool pool = pool_of(&seen, workers);

		assert_int_equal(zoo_pool_run(&pool), 0);
		assert_false(seen.bad);
		for (uint32_t i = 0; i < JOBS; i++) {
			assert_int_equal(seen.answers[i], 1);
			assert_int_equal(seen.signal[i], 0);
		}
	}
	assert_int_equal(waitpid(-1, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
}

static void a_job_that_crashes_or_hangs_is_told_and_the_rest_is_done(void **state)
{
	struct seen seen;
	struct zoo_pool pool = pool_of(&seen, 3);

	(void)state;
	pool.work = stumble;
	pool.limit_s = 3;
	assert_int_equal(zoo_pool_run(&pool), 0);
	assert_false(seen.bad);
	for (uint32_t i = 0; i < JOBS; i++)
		assert_int_equal(seen.answers[i], 1);
	assert_int_equal(seen.signal[CRASHES], SIGKILL);
	assert_int_equal(seen.signal[LEAVES], -1);
	assert_int_equal(seen.signal[HANGS], SIGALRM);
	assert_int_equal(seen.signal[HANGS + 1], 0);
}

static void a_pool_without_workers_is_refused(void **state)
{
	struct seen seen;
	const struct zoo_pool none = pool_of(&seen, 0);
	const struct zoo_pool many = pool_of(&seen, ZOO_WORKERS_MAX + 1);

	(void)state;
	assert_int_equal(zoo_pool_run(&none), -EINVAL);
	assert_int_equal(zoo_pool_run(&many), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			every_job_is_done_once_by_any_number_of_workers),
		cmocka_unit_test(
			a_job_that_crashes_or_hangs_is_told_and_the_rest_is_done),
		cmocka_unit_test(a_pool_without_workers_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
