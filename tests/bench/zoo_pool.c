// SPDX-License-Identifier: GPL-2.0
/* Jobs by number in forked workers. */
#include "zoo_pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_JOB UINT32_MAX

/* What stands before an answer. A job that is begun is told of as well, so
 * that it is known which one a worker died of. */
struct head {
	uint32_t job;
	uint32_t is_answer;
	uint64_t bytes;
};

struct worker {
	pid_t pid;
	int from;
	uint32_t job;
};

struct state {
	const struct zoo_pool *pool;
	uint32_t *next;		/* shared with the workers */
	struct worker *worker;
	void *answer;
};

static bool write_all(int to, const void *bytes, size_t n)
{
	while (n) {
		const ssize_t done = write(to, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		bytes = (const char *)bytes + done;
		n -= (size_t)done;
	}
	return true;
}

static bool read_all(int from, void *bytes, size_t n)
{
	while (n) {
		const ssize_t done = read(from, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		bytes = (char *)bytes + done;
		n -= (size_t)done;
	}
	return true;
}

static void work_off(const struct state *state, int to)
{
	const struct zoo_pool *pool = state->pool;
	struct head head = { 0 };

	signal(SIGALRM, SIG_DFL);
	for (;;) {
		head.job = __atomic_fetch_add(state->next, 1, __ATOMIC_RELAXED);
		if (head.job >= pool->jobs)
			break;
		head.is_answer = false;
		head.bytes = 0;
		if (!write_all(to, &head, sizeof(head)))
			break;
		alarm(pool->limit_s);
		head.bytes = pool->work(pool->ctx, head.job, state->answer);
		alarm(0);
		head.is_answer = true;
		if (!write_all(to, &head, sizeof(head)) ||
		    !write_all(to, state->answer, head.bytes))
			break;
	}
}

static int start(struct state *state, struct worker *worker)
{
	int ends[2];

	worker->job = NO_JOB;
	worker->pid = 0;
	if (pipe(ends))
		return -errno;
	fflush(NULL);
	worker->pid = fork();
	if (worker->pid < 0) {
		const int err = -errno;

		worker->pid = 0;
		close(ends[0]);
		close(ends[1]);
		return err;
	}
	if (!worker->pid) {
		close(ends[0]);
		work_off(state, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	worker->from = ends[0];
	return 0;
}

/* It has closed its end. Return: 0, or what became of a job that it leaves
 * behind; -1 for an exit. */
static int end(struct worker *worker)
{
	int status = 0;

	close(worker->from);
	while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
		;
	worker->pid = 0;
	return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

/* Something has come from a worker. */
static int hear(struct state *state, struct worker *worker)
{
	const struct zoo_pool *pool = state->pool;
	struct head head;
	uint32_t lost;
	int what;

	if (read_all(worker->from, &head, sizeof(head)) &&
	    head.bytes <= pool->room &&
	    read_all(worker->from, state->answer, head.bytes)) {
		worker->job = head.is_answer ? NO_JOB : head.job;
		if (head.is_answer)
			pool->take(pool->ctx, head.job, 0, state->answer,
				   head.bytes);
		return 0;
	}
	lost = worker->job;
	what = end(worker);
	if (lost == NO_JOB)
		return 0;
	pool->take(pool->ctx, lost, what, NULL, 0);
	return start(state, worker);
}

static int listen_to(struct state *state)
{
	struct pollfd at[ZOO_WORKERS_MAX];
	uint32_t which[ZOO_WORKERS_MAX];

	for (;;) {
		uint32_t n = 0;

		for (uint32_t i = 0; i < state->pool->workers; i++) {
			if (!state->worker[i].pid)
				continue;
			at[n] = (struct pollfd){ state->worker[i].from, POLLIN,
						 0 };
			which[n++] = i;
		}
		if (!n)
			return 0;
		if (poll(at, n, -1) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		for (uint32_t i = 0; i < n; i++) {
			int err = 0;

			if (at[i].revents)
				err = hear(state, &state->worker[which[i]]);
			if (err)
				return err;
		}
	}
}

/* After an error: nobody is left behind. */
static void stop_all(struct state *state)
{
	for (uint32_t i = 0; i < state->pool->workers; i++) {
		struct worker *worker = &state->worker[i];

		if (!worker->pid)
			continue;
		kill(worker->pid, SIGKILL);
		end(worker);
	}
}

int zoo_pool_run(const struct zoo_pool *pool)
{
	struct state state = { .pool = pool };
	int err = -ENOMEM;

	if (!pool->workers || pool->workers > ZOO_WORKERS_MAX)
		return -EINVAL;
	state.next = mmap(NULL, sizeof(*state.next), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (state.next == MAP_FAILED)
		return -errno;
	state.worker = calloc(pool->workers, sizeof(*state.worker));
	state.answer = malloc(pool->room);
	if (!state.worker || !state.answer)
		goto err_room;
	err = 0;
	for (uint32_t i = 0; i < pool->workers && !err; i++)
		err = start(&state, &state.worker[i]);
	if (!err)
		err = listen_to(&state);
	stop_all(&state);
err_room:
	free(state.worker);
	free(state.answer);
	munmap(state.next, sizeof(*state.next));
	return err;
}
