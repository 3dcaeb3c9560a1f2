/* SPDX-License-Identifier: GPL-2.0 */
/* The jobs of the zoo: each is one machine, random or of a folder, at one
 * noise level. */
#ifndef ZOO_JOB_H
#define ZOO_JOB_H

#include "zoo_machine.h"
#include "zoo_run.h"

/** ZOO_PATH - room for a path. */
#define ZOO_PATH 512

/**
 * struct zoo_jobs - what is to be measured; job = machine * @n_noises + noise
 * @wish: of random machines; its noise is not used
 * @folder: of machine files, or NULL: random ones
 * @machines: how many
 * @n_noises, @noise: levels at which each is measured; none given: default
 *	for random ones, their own for files
 * @file: paths of the folder's files
 * @scratch: folder for machine files that are made up
 */
struct zoo_jobs {
	struct zoo_wish wish;
	struct zoo_how how;
	const char *folder;
	uint32_t machines;
	uint32_t n_noises;
	uint32_t noise[ZOO_NOISES];
	char (*file)[ZOO_PATH];
	char scratch[ZOO_PATH / 2];
};

/** zoo_jobs_open() - find the files, make the scratch folder; says what is
 * wrong itself. Return: 0 or a negative errno. */
int zoo_jobs_open(struct zoo_jobs *jobs);
void zoo_jobs_close(struct zoo_jobs *jobs);

/** zoo_job_noise() - enum zoo_noise of a job */
uint32_t zoo_job_noise(const struct zoo_jobs *jobs, uint32_t job);

/** zoo_job_file() - the path that a job's machine has in @folder */
void zoo_job_file(const struct zoo_jobs *jobs, uint32_t job,
		  const char *folder, char path[ZOO_PATH]);

/** zoo_job_text() - its machine file, to be freed; NULL: no such */
char *zoo_job_text(const struct zoo_jobs *jobs, uint32_t job);

/** zoo_job_run() - measure and judge */
void zoo_job_run(const struct zoo_jobs *jobs, uint32_t job,
		 struct zoo_result *result);

/** zoo_show() - a random machine by its number, or a file's, with what the
 * rule expects of it, to be freed; NULL: told why on stderr */
char *zoo_show(const struct zoo_jobs *jobs, const char *which);

#endif
