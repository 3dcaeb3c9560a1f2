// SPDX-License-Identifier: GPL-2.0
/* The jobs of the zoo. */
#include "zoo_job.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "zoo_expect.h"

#define ENDING ".machine"

static int is_machine(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ENDING);
}

static int find_files(struct zoo_jobs *jobs)
{
	struct dirent **entry;
	const int n = scandir(jobs->folder, &entry, is_machine, alphasort);

	if (n <= 0) {
		fprintf(stderr, "zoo: --machines-dir %s: %s\n", jobs->folder,
			n ? strerror(errno) : "no *" ENDING " in it");
		return n ? -errno : -ENOENT;
	}
	jobs->file = calloc((size_t)n, sizeof(*jobs->file));
	for (int i = 0; i < n; i++) {
		if (jobs->file)
			snprintf(jobs->file[i], ZOO_PATH, "%.*s/%.200s",
				 ZOO_PATH / 2, jobs->folder, entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	jobs->machines = (uint32_t)n;
	return jobs->file ? 0 : -ENOMEM;
}

int zoo_jobs_open(struct zoo_jobs *jobs)
{
	const char *temp = getenv("TMPDIR");
	int err = 0;

	if (jobs->folder)
		err = find_files(jobs);
	if (err)
		return err;
	if (!jobs->n_noises)
		jobs->noise[jobs->n_noises++] = jobs->folder ?
			ZOO_NOISE_OWN : ZOO_NOISE_DEFAULT;
	snprintf(jobs->scratch, sizeof(jobs->scratch), "%.200s/zoo-XXXXXX",
		 temp ? temp : "/tmp");
	if (mkdtemp(jobs->scratch))
		return 0;
	err = -errno;
	fprintf(stderr, "zoo: %s: %s\n", jobs->scratch, strerror(errno));
	return err;
}

void zoo_jobs_close(struct zoo_jobs *jobs)
{
	free(jobs->file);
	jobs->file = NULL;
	/* What workers that died left in it stays, and the folder with it. */
	rmdir(jobs->scratch);
}

uint32_t zoo_job_noise(const struct zoo_jobs *jobs, uint32_t job)
{
	return jobs->noise[job % jobs->n_noises];
}

void zoo_job_file(const struct zoo_jobs *jobs, uint32_t job,
		  const char *folder, char path[ZOO_PATH])
{
	const uint32_t i = job / jobs->n_noises;
	const char *noise = zoo_noise_name(zoo_job_noise(jobs, job));
	const char *file = jobs->file ? jobs->file[i] : NULL;
	const char *slash = file ? strrchr(file, '/') : NULL;

	if (slash)
		snprintf(path, ZOO_PATH, "%.*s/%.*s-%s" ENDING, ZOO_PATH / 2,
			 folder, (int)(strlen(slash + 1) - strlen(ENDING)),
			 slash + 1, noise);
	else
		snprintf(path, ZOO_PATH, "%.*s/zoo-%llu-%u-%s" ENDING,
			 ZOO_PATH / 2, folder,
			 (unsigned long long)jobs->wish.seed, i, noise);
}

static char *random_text(const struct zoo_jobs *jobs, uint64_t index,
			 uint32_t noise, uint32_t *redraws)
{
	struct zoo_wish wish = jobs->wish;
	struct mp_sim_machine machine;
	char *text = NULL;

	wish.noise = noise;
	*redraws = zoo_machine_draw(&machine, &wish, index);
	if (!zoo_expect(&machine))
		text = zoo_machine_text(&machine);
	mp_sim_machine_free(&machine);
	return text;
}

/* With its own noise the file stays as it is. */
static char *file_text(const char *file, uint32_t noise)
{
	struct mp_sim_machine machine;
	char why[ZOO_WHY], *text;
	void *own;
	size_t bytes;

	if (noise == ZOO_NOISE_OWN)
		return mp_file_read(file, MP_SIM_FILE_MAX_BYTES, &own, &bytes,
				    why, sizeof(why)) ? NULL : own;
	if (mp_sim_machine_read(&machine, file, why, sizeof(why)))
		return NULL;
	zoo_noise_set(&machine, noise);
	text = zoo_machine_text(&machine);
	mp_sim_machine_free(&machine);
	return text;
}

static char *text_of(const struct zoo_jobs *jobs, uint32_t job,
		     uint32_t *redraws)
{
	const uint32_t i = job / jobs->n_noises;
	const uint32_t noise = zoo_job_noise(jobs, job);

	*redraws = 0;
	return jobs->file ? file_text(jobs->file[i], noise) :
			    random_text(jobs, i, noise, redraws);
}

char *zoo_job_text(const struct zoo_jobs *jobs, uint32_t job)
{
	uint32_t redraws;

	return text_of(jobs, job, &redraws);
}

static bool write_text(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");
	bool good;

	if (!out)
		return false;
	good = fputs(text, out) >= 0;
	return !fclose(out) && good;
}

void zoo_job_run(const struct zoo_jobs *jobs, uint32_t job,
		 struct zoo_result *result)
{
	char path[ZOO_PATH], *text;
	uint32_t redraws = 0;

	/* A file that cannot be read or understood says so when it is run. */
	if (jobs->file && zoo_job_noise(jobs, job) == ZOO_NOISE_OWN) {
		zoo_run(&jobs->how, jobs->file[job / jobs->n_noises], result);
		result->redraws = 0;
		return;
	}
	zoo_job_file(jobs, job, jobs->scratch, path);
	text = text_of(jobs, job, &redraws);
	if (text && write_text(path, text)) {
		zoo_run(&jobs->how, path, result);
	} else if (!text && jobs->file) {
		zoo_run(&jobs->how, jobs->file[job / jobs->n_noises], result);
	} else {
		memset(result, 0, offsetof(struct zoo_result, fact));
		result->failed = true;
		snprintf(result->why, sizeof(result->why), "%.200s: cannot be "
			 "written", path);
	}
	unlink(path);
	free(text);
	result->redraws = redraws;
}

char *zoo_show(const struct zoo_jobs *jobs, const char *which)
{
	struct mp_sim_machine machine;
	char why[ZOO_WHY], *text = NULL, *end;
	const uint64_t index = strtoull(which, &end, 10);
	uint32_t redraws;

	if (!*end && end != which) {
		text = random_text(jobs, index, jobs->n_noises ?
				   jobs->noise[0] : ZOO_NOISE_DEFAULT,
				   &redraws);
	} else if (mp_sim_machine_read(&machine, which, why, sizeof(why))) {
		fprintf(stderr, "zoo: %s\n", why);
	} else {
		if (!zoo_expect(&machine))
			text = zoo_machine_text(&machine);
		mp_sim_machine_free(&machine);
	}
	return text;
}
