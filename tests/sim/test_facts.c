// SPDX-License-Identifier: GPL-2.0
/*
 * Every machine of a folder, measured as the tool measures and compared with
 * what its file expects. One test a machine; it fails for a wrong fact, and
 * for an open question that every machine has to answer.
 *
 *	test_facts [-s SEED] [MACHINE-FILE...]	(none: all of tests/sim)
 */
#include "score.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "backend.h"
#include "limits.h"
#include "names.h"
#include "runner.h"

#define FOLDER "tests/sim"
#define ENDING ".machine"
#define MACHINES_MAX 256
#define NAME_ROOM 96
#define WORKERS_MAX 8
#define PATH_ROOM 512
#define NS_PER_S 1000000000ull

/* Depths that are tried; deep runs are for people with time. */
#define DEPTHS (MP_DEPTH_DEFAULT + 1)

/* A machine that is measured at some depth. */
struct job {
	char file[PATH_ROOM];
	char sentence[NAME_ROOM];
	uint32_t depth;
};

/* Geometries that differ most: which of them a quick run is tried on. */
static const char *const quick_ones[] = {
	"golden-cove", "zen2", "two-levels",
};

/* Tallies of a process that works off a share of the jobs, and its words. */
struct worker {
	pid_t pid;
	FILE *said;
	struct score_tally *total;
};

static uint64_t seed = MP_SEED_DEFAULT;
/* Of this process; where there are several, shared with the one that sums up. */
static struct score_tally *total;

/* -- one machine -------------------------------------------------------- */

static void open_machine(struct mp_target *target, struct mp_host *host,
			 const char *file)
{
	const struct mp_opts opts = {
		.cpu = -1, .node = -1, .pages = -1, .seed = seed,
		.file = file,
	};

	memset(target, 0, sizeof(*target));
	memset(host, 0, sizeof(*host));
	target->backend = mp_backend_find("sim");
	assert_non_null(target->backend);
	if (target->backend->open(target, &opts))
		fail_msg("%s", target->why);
	assert_int_equal(target->backend->look(target, host), 0);
}

/* As the command does it; mp_run_free() the run. */
static void measure(const struct job *job, struct mp_run *run)
{
	const uint64_t limit_ns = MP_TIME_LIMIT_S * NS_PER_S;
	const uint64_t budget_ns = mp_run_budget_ns(job->depth);
	static struct mp_run_list list;
	struct mp_run_opts opts = {
		.depth = job->depth,
		.seed = seed,
		.budget_ns = budget_ns < limit_ns ? budget_ns : limit_ns,
		.limit_ns = limit_ns,
	};
	static struct mp_host host;
	struct mp_target target;
	char why[MP_TARGET_WHY];

	if (mp_run_select(mp_probes, NULL, job->depth == MP_DEPTH_QUICK, &list,
			  why, sizeof(why)))
		fail_msg("%s", why);
	opts.probe = list.probe;
	opts.n_probes = list.n;
	open_machine(&target, &host, job->file);
	if (mp_run_all(&target, &host, &opts, run))
		fail_msg("%s", target.why);
	target.backend->close(&target);
}

static void read_machine(struct mp_sim_machine *machine, const char *file)
{
	char why[MP_TARGET_WHY];

	if (mp_sim_machine_read(machine, file, why, sizeof(why)))
		fail_msg("%s", why);
}

/* A quick run answers for what every machine must, and for no more. */
static bool is_asked(const struct job *job, const char *fact)
{
	return job->depth != MP_DEPTH_QUICK || score_must(fact);
}

static void tell(const struct job *job, const struct mp_sim_expect *expect,
		 const struct mp_fact *fact, enum score score)
{
	char text[SCORE_WHY];

	if (score != SCORE_OPEN && score != SCORE_WRONG)
		return;
	print_message("# %s %s: %s: %s\n", score_name(score), job->sentence,
		      expect->fact, score_say(text, expect->value, fact));
}

static struct score_tally judge(const struct job *job,
				const struct mp_sim_machine *machine,
				const struct mp_facts *facts)
{
	struct score_tally tally = { 0 };

	for (uint32_t i = 0; i < machine->n_expects; i++) {
		const struct mp_sim_expect *expect = &machine->expect[i];
		const struct mp_fact *fact;
		enum score score;

		if (!is_asked(job, expect->fact))
			continue;
		fact = mp_facts_find(facts, expect->fact);
		score = score_fact(expect->fact, expect->value, fact);
		score_count(&tally, expect->fact, score);
		tell(job, expect, fact, score);
	}
	return tally;
}

/*
 * Does the comparison see anything? Each number that came out right is
 * expected to be twice as large, and so has to be wrong.
 */
static uint32_t count_doubles_found(const struct mp_sim_machine *machine,
				    const struct mp_facts *facts)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < machine->n_expects; i++) {
		const struct mp_sim_expect *expect = &machine->expect[i];
		const struct mp_fact *fact;
		char twice[MP_SIM_NAME];
		double truth;

		fact = mp_facts_find(facts, expect->fact);
		if (mp_sim_number(expect->value, true, &truth) ||
		    score_fact(expect->fact, expect->value, fact) !=
		    SCORE_RIGHT)
			continue;
		snprintf(twice, sizeof(twice), "%.1f", 2 * truth);
		if (score_fact(expect->fact, twice, fact) != SCORE_WRONG)
			fail_msg("%s: both %s and %s are called right",
				 expect->fact, expect->value, twice);
		n++;
	}
	return n;
}

static void one_machine(void **state)
{
	const struct job *job = *state;
	struct mp_sim_machine machine;
	struct score_tally tally;
	uint32_t doubles;
	struct mp_run run;

	read_machine(&machine, job->file);
	measure(job, &run);
	tally = judge(job, &machine, &run.facts);
	score_add(&total[job->depth], &tally);
	doubles = count_doubles_found(&machine, &run.facts);
	mp_run_free(&run);
	mp_sim_machine_free(&machine);
	if (score_fails(&tally))
		fail_msg("%u wrong, %u unanswered that must not be",
			 tally.n[SCORE_WRONG], tally.missing);
	assert_true(doubles > 0);
}

/* -- the folder --------------------------------------------------------- */

static bool is_promised(const char *fact)
{
	char name[MP_FACT_NAME];

	for (uint32_t i = 0; mp_probes[i]; i++) {
		const char *rest = mp_probes[i]->facts;

		while (mp_names_next(&rest, name, sizeof(name))) {
			if (!strcmp(name, fact))
				return true;
		}
	}
	return false;
}

/* A misspelt one would be unanswered for ever. */
static void every_expectation_is_of_a_fact_that_a_probe_promises(void **state)
{
	uint32_t unknown = 0;

	for (const struct job *job = *state; job->file[0]; job++) {
		struct mp_sim_machine machine;

		read_machine(&machine, job->file);
		for (uint32_t i = 0; i < machine.n_expects; i++) {
			if (is_promised(machine.expect[i].fact))
				continue;
			print_message("# %s: no probe promises %s\n", job->file,
				      machine.expect[i].fact);
			unknown++;
		}
		mp_sim_machine_free(&machine);
	}
	assert_int_equal(unknown, 0);
}

static void add_job(struct job *jobs, uint32_t *n, const char *file,
		    uint32_t depth)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	const size_t length = strcspn(base, ".");
	struct job *job;

	if (*n == MACHINES_MAX) {
		fprintf(stderr, "test_facts: more than %d machines\n",
			MACHINES_MAX);
		exit(1);
	}
	job = &jobs[(*n)++];
	snprintf(job->file, sizeof(job->file), "%s", file);
	snprintf(job->sentence, sizeof(job->sentence),
		 depth == MP_DEPTH_QUICK ?
		 "a_quick_run_answers_what_it_must_of_%.*s" :
		 "the_facts_of_%.*s_come_out_right", (int)length, base);
	job->depth = depth;
}

static int is_machine(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ENDING);
}

/* Return: how many there are in the folder. */
static uint32_t add_folder(struct job *jobs)
{
	struct dirent **entry;
	char path[PATH_ROOM];
	uint32_t n = 0;
	int found;

	found = scandir(FOLDER, &entry, is_machine, alphasort);
	for (int i = 0; i < found; i++) {
		snprintf(path, sizeof(path), FOLDER "/%s", entry[i]->d_name);
		add_job(jobs, &n, path, MP_DEPTH_DEFAULT);
		free(entry[i]);
	}
	if (found >= 0)
		free(entry);
	for (size_t i = 0; n && i < sizeof(quick_ones) / sizeof(char *); i++) {
		snprintf(path, sizeof(path), FOLDER "/%s" ENDING,
			 quick_ones[i]);
		add_job(jobs, &n, path, MP_DEPTH_QUICK);
	}
	return n;
}

static void sum_up(uint32_t depth, const char *what)
{
	const struct score_tally *tally = &total[depth];
	const uint32_t right = tally->n[SCORE_RIGHT];
	const uint32_t open = tally->n[SCORE_OPEN];
	const uint32_t wrong = tally->n[SCORE_WRONG];

	if (right + open + wrong)
		printf("%s %u right %u unanswered %u wrong %u\n", what,
		       right + open + wrong, right, open, wrong);
}

static int run_jobs(struct job *jobs, uint32_t n)
{
	struct CMUnitTest *tests = calloc(n + 1, sizeof(*tests));
	int failed;

	if (!tests)
		return 1;
	tests[0] = (struct CMUnitTest)cmocka_unit_test_prestate(
		every_expectation_is_of_a_fact_that_a_probe_promises, jobs);
	for (uint32_t i = 0; i < n; i++)
		tests[i + 1] = (struct CMUnitTest){
			.name = jobs[i].sentence,
			.test_func = one_machine,
			.initial_state = &jobs[i],
		};
	failed = _cmocka_run_group_tests("facts", tests, n + 1, NULL, NULL);
	free(tests);
	return failed;
}

/* -- several at once: machines that are simulated disturb nobody -------- */

static struct score_tally *make_total(void)
{
	void *shared = mmap(NULL, DEPTHS * sizeof(*total),
			    PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return shared == MAP_FAILED ? NULL : shared;
}

/* Every @workers-th job, from number @first on, in order. */
static uint32_t take_share(struct job *jobs, uint32_t n, uint32_t first,
			   uint32_t workers)
{
	uint32_t own = 0;

	for (uint32_t i = first; i < n; i += workers)
		jobs[own++] = jobs[i];
	memset(&jobs[own], 0, sizeof(*jobs));
	return own;
}

static bool start_worker(struct worker *worker, struct job *jobs, uint32_t n,
			 uint32_t number, uint32_t workers)
{
	worker->said = tmpfile();
	worker->total = make_total();
	if (!worker->said || !worker->total)
		return false;
	fflush(NULL);
	worker->pid = fork();
	if (worker->pid)
		return worker->pid > 0;
	total = worker->total;
	dup2(fileno(worker->said), STDOUT_FILENO);
	dup2(fileno(worker->said), STDERR_FILENO);
	n = take_share(jobs, n, number, workers);
	exit(run_jobs(jobs, n) ? 1 : 0);
}

/* Its words and tallies. Return: did it do all, and well? */
static bool end_worker(struct worker *worker)
{
	int status, c;

	if (waitpid(worker->pid, &status, 0) != worker->pid)
		return false;
	rewind(worker->said);
	while ((c = getc(worker->said)) != EOF)
		putchar(c);
	for (uint32_t i = 0; i < DEPTHS; i++)
		score_add(&total[i], &worker->total[i]);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int run_workers(struct job *jobs, uint32_t n, uint32_t workers)
{
	struct worker worker[WORKERS_MAX];
	uint32_t started = 0;
	int failed = 0;

	while (started < workers &&
	       start_worker(&worker[started], jobs, n, started, workers))
		started++;
	if (started < workers)
		failed = 1;
	for (uint32_t i = 0; i < started; i++)
		if (!end_worker(&worker[i]))
			failed = 1;
	return failed;
}

static uint32_t workers_for(uint32_t n)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t workers = cpus < 1 ? 1 : (uint32_t)cpus;

	if (workers > WORKERS_MAX)
		workers = WORKERS_MAX;
	return workers < n ? workers : n;
}

int main(int argc, char **argv)
{
	/* The one beyond stays empty: it ends the list. */
	static struct job jobs[MACHINES_MAX + 1];
	uint32_t n = 0;
	int option, failed;

	while ((option = getopt(argc, argv, "s:")) != -1) {
		if (option != 's') {
			fprintf(stderr,
				"test_facts [-s SEED] [MACHINE-FILE...]\n");
			return 2;
		}
		seed = strtoull(optarg, NULL, 10);
	}
	for (int i = optind; i < argc; i++)
		add_job(jobs, &n, argv[i], MP_DEPTH_DEFAULT);
	if (optind == argc)
		n = add_folder(jobs);
	if (!n) {
		fprintf(stderr, "test_facts: no *%s in " FOLDER ": run it at "
			"the top of the tree, or name machine files\n", ENDING);
		return 1;
	}
	total = make_total();
	if (!total)
		return 1;
	failed = run_workers(jobs, n, workers_for(n));
	sum_up(MP_DEPTH_QUICK, "quick facts");
	sum_up(MP_DEPTH_DEFAULT, "facts");
	return failed;
}
