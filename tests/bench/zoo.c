// SPDX-License-Identifier: GPL-2.0
/*
 * The zoo: random machines, or those of a folder, measured by the tool's own
 * code on simulators, and what it found held against what they are.
 *
 *	zoo --help
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "limits.h"
#include "run.h"
#include "zoo_job.h"
#include "zoo_pool.h"
#include "zoo_table.h"

#define NS_PER_MS 1000000ull
#define NS_PER_S 1e9
#define MACHINES_DEFAULT 200u
#define MAX_SIZE_DEFAULT (32ull << 20)
/* A machine that takes longer has hung; the slowest takes a tenth of it. */
#define HANG_S 600u

struct zoo {
	struct zoo_jobs jobs;
	struct zoo_table table;
	const char *keep;
	const char *show;
	const char *calibrate;
	uint32_t workers;
	bool no_gate;
	bool ratchet;
	uint32_t max_wrong;
	int err;
};

static const char usage[] =
"zoo: measure simulated machines and compare with what they are\n"
"  --machines N       so many random machines [200]\n"
"  --seed S           of machines and runs [1]\n"
"  --noise LEVEL      none, low, default, high, all [default; files: their own]\n"
"  --machines-dir DIR the *.machine files of DIR instead of random ones\n"
"  --max-size BYTES   of the largest level; K, M, G [32M]\n"
"  --depth DEPTH      quick, default, deep [default]\n"
"  --probe A,B        only these, those that they start from, and their facts\n"
"  --budget-ms MS     simulated time for first tries [as the depth has it]\n"
"  --workers W        processes [one a CPU]\n"
"  --keep DIR         where machines with wrong facts go [build/zoo-wrong]\n"
"  --show INDEX|FILE  print the machine with what is expected of it; no run\n"
"  --no-gate          bounds are not asked for; crashes are\n"
"  --max-wrong N      instead of the bounds: no more wrong facts than so many\n"
"  --calibrate FILE   write how often facts of a kind held: the table that\n"
"                     their confidence comes from\n"
"  --verbose          facts that are not answered, too\n";

enum option_key {
	MACHINES = 1, SEED, NOISE, MACHINES_DIR, MAX_SIZE, DEPTH, PROBE,
	BUDGET_MS, WORKERS, KEEP, SHOW, NO_GATE, MAX_WRONG, CALIBRATE,
	VERBOSE, HELP,
};

static const struct option options[] = {
	{ "machines", required_argument, NULL, MACHINES },
	{ "seed", required_argument, NULL, SEED },
	{ "noise", required_argument, NULL, NOISE },
	{ "machines-dir", required_argument, NULL, MACHINES_DIR },
	{ "max-size", required_argument, NULL, MAX_SIZE },
	{ "depth", required_argument, NULL, DEPTH },
	{ "probe", required_argument, NULL, PROBE },
	{ "budget-ms", required_argument, NULL, BUDGET_MS },
	{ "workers", required_argument, NULL, WORKERS },
	{ "keep", required_argument, NULL, KEEP },
	{ "show", required_argument, NULL, SHOW },
	{ "no-gate", no_argument, NULL, NO_GATE },
	{ "max-wrong", required_argument, NULL, MAX_WRONG },
	{ "calibrate", required_argument, NULL, CALIBRATE },
	{ "verbose", no_argument, NULL, VERBOSE },
	{ "help", no_argument, NULL, HELP },
	{ 0 },
};

static void refuse(const char *option, const char *value, const char *allowed)
{
	fprintf(stderr, "zoo: --%s %s: %s\n", option, value, allowed);
	exit(2);
}

static uint64_t number(const char *option, const char *value, uint64_t low,
		       uint64_t high)
{
	char allowed[96];
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(value, &end, 10);
	snprintf(allowed, sizeof(allowed), "a whole number, %llu .. %llu",
		 (unsigned long long)low, (unsigned long long)high);
	if (errno || *end || end == value || *value == '-' || n < low ||
	    n > high)
		refuse(option, value, allowed);
	return n;
}

static uint64_t size(const char *value)
{
	double bytes;

	if (mp_sim_number(value, true, &bytes) || bytes < ZOO_SIZE_MIN_BYTES ||
	    bytes > ZOO_SIZE_MAX_BYTES)
		refuse("max-size", value, "bytes, 8K .. 256M");
	return (uint64_t)bytes;
}

static void set_noise(struct zoo_jobs *jobs, const char *value)
{
	uint32_t noise;

	jobs->n_noises = 0;
	if (!strcmp(value, "all")) {
		while (jobs->n_noises < ZOO_NOISES) {
			jobs->noise[jobs->n_noises] = jobs->n_noises;
			jobs->n_noises++;
		}
		return;
	}
	if (zoo_noise_parse(value, &noise))
		refuse("noise", value, "none, low, default, high or all");
	jobs->noise[jobs->n_noises++] = noise;
}

static void set_option(struct zoo *zoo, int key, const char *name,
		       const char *value, const char **probes)
{
	struct zoo_jobs *jobs = &zoo->jobs;
	uint64_t limit_ns = MP_TIME_LIMIT_S * (uint64_t)NS_PER_S;

	switch (key) {
	case MACHINES:
		jobs->machines = (uint32_t)number(name, value, 1, 1000000);
		break;
	case SEED:
		jobs->wish.seed = number(name, value, 0, UINT64_MAX);
		break;
	case NOISE:
		set_noise(jobs, value);
		break;
	case MACHINES_DIR:
		jobs->folder = value;
		break;
	case MAX_SIZE:
		jobs->wish.max_bytes = size(value);
		break;
	case DEPTH:
		if (mp_depth_parse(value, &jobs->how.depth))
			refuse(name, value, "quick, default or deep");
		break;
	case PROBE:
		*probes = value;
		break;
	case BUDGET_MS:
		jobs->how.budget_ns = NS_PER_MS *
			number(name, value, 1, limit_ns / NS_PER_MS);
		break;
	case WORKERS:
		zoo->workers = (uint32_t)number(name, value, 1,
						ZOO_WORKERS_MAX);
		break;
	case KEEP:
		zoo->keep = value;
		break;
	case SHOW:
		zoo->show = value;
		break;
	case NO_GATE:
		zoo->no_gate = true;
		break;
	case MAX_WRONG:
		zoo->ratchet = true;
		zoo->max_wrong = (uint32_t)number(name, value, 0, UINT32_MAX);
		break;
	case CALIBRATE:
		zoo->calibrate = value;
		break;
	case VERBOSE:
		zoo->table.keep_open = true;
		break;
	case HELP:
		fputs(usage, stdout);
		exit(0);
	default:
		exit(2);
	}
}

static void read_options(struct zoo *zoo, int argc, char **argv)
{
	struct zoo_how *how = &zoo->jobs.how;
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const char *probes = NULL;
	char why[ZOO_WHY];
	int key, at;

	zoo->workers = cpus < 1 ? 1 : cpus > (long)ZOO_WORKERS_MAX ?
		       ZOO_WORKERS_MAX : (uint32_t)cpus;
	zoo->keep = "build/zoo-wrong";
	zoo->jobs.machines = MACHINES_DEFAULT;
	zoo->jobs.wish.seed = MP_SEED_DEFAULT;
	zoo->jobs.wish.max_bytes = MAX_SIZE_DEFAULT;
	how->depth = MP_DEPTH_DEFAULT;
	while ((key = getopt_long(argc, argv, "", options, &at)) != -1)
		set_option(zoo, key, key == '?' ? "" : options[at].name,
			   optarg, &probes);
	if (optind < argc) {
		fprintf(stderr, "zoo: %s: no such word; see --help\n",
			argv[optind]);
		exit(2);
	}
	how->seed = zoo->jobs.wish.seed;
	how->is_partial = probes || how->depth == MP_DEPTH_QUICK;
	if (!how->budget_ns)
		how->budget_ns = mp_run_budget_ns(how->depth);
	if (mp_run_select(mp_probes, probes, how->depth == MP_DEPTH_QUICK,
			  &how->list, why, sizeof(why)))
		refuse("probe", probes, why);
}

static size_t work(void *ctx, uint32_t job, void *answer)
{
	const struct zoo *zoo = ctx;

	zoo_job_run(&zoo->jobs, job, answer);
	return zoo_result_bytes(answer);
}

static void take(void *ctx, uint32_t job, int signal, const void *answer,
		 size_t bytes)
{
	struct zoo *zoo = ctx;
	char why[ZOO_WHY];
	int err;

	(void)bytes;
	if (answer) {
		err = zoo_table_take(&zoo->table, job,
				     zoo_job_noise(&zoo->jobs, job), answer);
	} else {
		if (signal == SIGALRM)
			snprintf(why, sizeof(why), "hung: not done in %u s",
				 HANG_S);
		else if (signal > 0)
			snprintf(why, sizeof(why), "crashed: %s",
				 strsignal(signal));
		else
			snprintf(why, sizeof(why), "left without an answer");
		err = zoo_table_broken(&zoo->table, job, why);
	}
	if (err)
		zoo->err = err;
}

/* With the folders that it lies in. What fails shows when files are written. */
static void make_folder(const char *folder)
{
	char path[ZOO_PATH];

	/* As much of it as zoo_job_file() takes. */
	snprintf(path, sizeof(path), "%.*s", ZOO_PATH / 2, folder);
	for (size_t n = *path ? 1 : 0; path[n]; n++) {
		if (path[n] != '/')
			continue;
		path[n] = '\0';
		mkdir(path, 0777);
		path[n] = '/';
	}
	mkdir(path, 0777);
}

/* Wrong facts go into the file as comments: it stays replayable. */
static void keep_wrong(const struct zoo *zoo)
{
	const struct zoo_notes *wrong = &zoo->table.wrong;
	char path[ZOO_PATH], *text;
	FILE *out;

	if (!wrong->n)
		return;
	make_folder(zoo->keep);
	for (uint32_t i = 0; i < wrong->n;) {
		const uint32_t job = wrong->note[i].job;

		zoo_job_file(&zoo->jobs, job, zoo->keep, path);
		text = zoo_job_text(&zoo->jobs, job);
		out = text ? fopen(path, "w") : NULL;
		if (!out)
			fprintf(stderr, "zoo: %s: %s\n", path, strerror(errno));
		else
			fprintf(out, "%s# replay: memprobe run%s --backend sim=%s "
				"--seed %llu\n", text,
				zoo->jobs.how.depth == MP_DEPTH_QUICK ?
				" --quick" : "", path,
				(unsigned long long)zoo->jobs.how.seed);
		for (; i < wrong->n && wrong->note[i].job == job; i++) {
			if (out)
				fprintf(out, "# wrong: %s: %s\n",
					wrong->note[i].name,
					wrong->note[i].said);
		}
		if (out)
			fclose(out);
		free(text);
	}
}

static void print_notes(const struct zoo *zoo, const char *word,
			const struct zoo_notes *notes, uint32_t most)
{
	char path[ZOO_PATH];

	for (uint32_t i = 0; i < notes->n && i < most; i++) {
		const struct zoo_note *note = &notes->note[i];

		zoo_job_file(&zoo->jobs, note->job, zoo->keep, path);
		printf("%s %s%s%s: %s\n", word, path, note->name[0] ? ": " : "",
		       note->name, note->said);
	}
	if (notes->n > most)
		printf("%s .. and %u more\n", word, notes->n - most);
}

static void print_costs(const struct zoo_table *table, double wall_s)
{
	const double cpu_s = (double)table->cpu_ns / NS_PER_S;
	const double sim_s = (double)table->sim_ns / NS_PER_S;

	if (!table->machines)
		return;
	printf("time: %.1f s, CPU %.3f s a machine: %.0f %% simulating "
	       "(%.1f Mhops/s measured), %.0f %% inferring\n", wall_s,
	       cpu_s / table->machines, 100 * sim_s / cpu_s,
	       sim_s > 0 ? (double)table->hops / sim_s / 1e6 : 0,
	       100 * (1 - sim_s / cpu_s));
}

static int calibrate(const struct zoo *zoo)
{
	FILE *out = fopen(zoo->calibrate, "w");

	if (!out) {
		fprintf(stderr, "zoo: --calibrate %s: %s\n", zoo->calibrate,
			strerror(errno));
		return -errno;
	}
	zoo_table_calibrate(&zoo->table, out);
	return fclose(out) ? -EIO : 0;
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / NS_PER_S;
}

static void print_all(const struct zoo *zoo, double wall_s)
{
	const struct zoo_table *table = &zoo->table;

	printf("zoo: %u machines, seed %llu, depth %s; %llu features drawn "
	       "again that the simulator refuses\n\n", table->machines,
	       (unsigned long long)zoo->jobs.wish.seed,
	       mp_depth_name(zoo->jobs.how.depth),
	       (unsigned long long)table->redraws);
	zoo_table_print(table, stdout);
	printf("\n");
	print_notes(zoo, "open", &table->open, UINT32_MAX);
	print_notes(zoo, "WRONG", &table->wrong, ZOO_WRONG_LINES);
	print_notes(zoo, "FAILED", &table->broken, ZOO_WRONG_LINES);
	print_costs(table, wall_s);
}

static int show(const struct zoo *zoo)
{
	char *text = zoo_show(&zoo->jobs, zoo->show);

	if (!text)
		return 1;
	fputs(text, stdout);
	free(text);
	return 0;
}

int main(int argc, char **argv)
{
	static struct zoo zoo;
	struct zoo_pool pool = {
		.limit_s = HANG_S, .room = sizeof(struct zoo_result),
		.work = work, .take = take, .ctx = &zoo,
	};
	const double begin_s = now_s();
	struct zoo_counts all;
	uint32_t over = 0;
	int err;

	read_options(&zoo, argc, argv);
	if (zoo.show)
		return show(&zoo);
	err = zoo_jobs_open(&zoo.jobs);
	if (err)
		return 2;
	pool.jobs = zoo.jobs.machines * zoo.jobs.n_noises;
	pool.workers = zoo.workers < pool.jobs ? zoo.workers : pool.jobs;
	err = zoo_pool_run(&pool) ?: zoo.err;
	if (err)
		fprintf(stderr, "zoo: %s\n", strerror(-err));
	zoo_table_sort(&zoo.table);
	keep_wrong(&zoo);
	print_all(&zoo, now_s() - begin_s);
	if (zoo.calibrate && calibrate(&zoo))
		err = -EIO;
	all = zoo_table_sum(&zoo.table, ZOO_CLASSES, ZOO_COLUMNS);
	if (zoo.ratchet)
		over = all.wrong > zoo.max_wrong;
	else if (!zoo.no_gate)
		over = zoo_table_gate(&zoo.table, stdout);
	printf("facts %u answered %u not-measurable %u wrong %u covered %u\n",
	       all.asked, all.answered, all.open, all.wrong, all.held);
	err = err || over || zoo.table.failed || !zoo.table.machines;
	zoo_jobs_close(&zoo.jobs);
	zoo_table_free(&zoo.table);
	return err ? 1 : 0;
}
