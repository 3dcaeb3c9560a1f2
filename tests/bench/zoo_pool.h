/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Jobs by number in forked workers. What a job finds comes back as bytes; a
 * job that crashes or hangs costs its worker, which is replaced, and no more.
 */
#ifndef ZOO_POOL_H
#define ZOO_POOL_H

#include <stddef.h>
#include <stdint.h>

/** ZOO_WORKERS_MAX - workers that may be asked for. */
#define ZOO_WORKERS_MAX 256u

/**
 * struct zoo_pool - what is to be done, and by whom
 * @jobs: numbers 0 .. @jobs - 1
 * @workers: processes, 1 .. ZOO_WORKERS_MAX
 * @limit_s: a job that takes longer has hung
 * @room: bytes that a job may answer at most
 * @work: in a worker: one job. Fills @answer, returns the bytes of it
 * @take: in the caller: an answer, in the order in which they come.
 *	@signal is 0, or what ended the worker, SIGALRM for one that hung, or
 *	-1 for one that left by itself; there is no answer then
 * @ctx: handed to both
 */
struct zoo_pool {
	uint32_t jobs;
	uint32_t workers;
	uint32_t limit_s;
	size_t room;
	size_t (*work)(void *ctx, uint32_t job, void *answer);
	void (*take)(void *ctx, uint32_t job, int signal, const void *answer,
		     size_t bytes);
	void *ctx;
};

/** zoo_pool_run() - do all jobs. Return: 0 or a negative errno. */
int zoo_pool_run(const struct zoo_pool *pool);

#endif
