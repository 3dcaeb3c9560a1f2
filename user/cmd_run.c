// SPDX-License-Identifier: GPL-2.0
/*
 * memprobe run: measure, print what was found, keep it. All that can be
 * refused is refused before anything is measured.
 */
#include "cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backend.h"
#include "cmd_evidence.h"
#include "cmd_outcome.h"
#include "cmd_watch.h"
#include "file.h"
#include "limits.h"
#include "opt.h"
#include "probe.h"
#include "report.h"
#include "report/json.h"
#include "report/text.h"
#include "run.h"
#include "runner.h"
#include "select.h"

#define WHY_ROOM 512
#define TARGET "cpu"
#define NODES_MAX 1024
#define NS_PER_S 1000000000ull

struct run_args {
	const char *probes;
	const char *backend;
	int cpu;
	int node;
	int pages;
	uint64_t seed;
	int time_limit_s;
	const char *output;
	const char *save;
	bool quick;
	bool deep;
	bool json;
	bool identify;
	bool noisy;
	bool quiet;
	bool verbose;
	bool no_color;
	bool dry_run;
	bool help;
};

static const char *const page_words[] = { "4k", "thp", "huge", "contig", NULL };
static const int page_kinds[] = {
	MP_PAGES_4K, MP_PAGES_THP, MP_PAGES_2M, MP_PAGES_CONTIG,
};

static const struct run_args defaults = {
	.backend = "auto",
	.cpu = -1,
	.node = -1,
	.pages = -1,
	.seed = MP_SEED_DEFAULT,
	.time_limit_s = MP_TIME_LIMIT_S,
};

#define FIELD(member) .offset = offsetof(struct run_args, member)

static const struct mp_opt opts[] = {
	{ .name = "probe", .kind = MP_OPT_TEXT, FIELD(probes),
	  .value = "NAME,..",
	  .says = "ask only these, and those that they start from; 'memprobe list' names them" },
	{ .name = "backend", .kind = MP_OPT_TEXT, FIELD(backend),
	  .value = "NAME",
	  .says = "auto, kmod (this machine, through memprobe.ko), user (this machine, without), sim=FILE (a simulated machine), replay=FILE (a run kept with --save)" },
	{ .name = "cpu", .kind = MP_OPT_INT, FIELD(cpu), .value = "N",
	  .least = 0, .most = MP_HOST_CPUS - 1,
	  .says = "measure on this CPU" },
	{ .name = "node", .kind = MP_OPT_INT, FIELD(node), .value = "N",
	  .least = 0, .most = NODES_MAX - 1,
	  .says = "take memory from this NUMA node" },
	{ .name = "pages", .kind = MP_OPT_CHOICE, FIELD(pages),
	  .value = "KIND", .choices = page_words,
	  .says = "use this kind of pages and no other; ends with 3 where they are not to be had" },
	{ .name = "noisy", .kind = MP_OPT_FLAG, FIELD(noisy),
	  .says = "kmod: leave interrupts and preemption on: the noisy twin of its quiet windows" },
	{ .name = "seed", .kind = MP_OPT_U64, FIELD(seed), .value = "N",
	  .says = "seed of all that is random; the report tells it" },
	{ .name = "quick", .kind = MP_OPT_FLAG, FIELD(quick),
	  .says = "the main answers in a few seconds" },
	{ .name = "deep", .kind = MP_OPT_FLAG, FIELD(deep),
	  .says = "up to a minute: the same questions, three times the time" },
	{ .name = "time-limit", .kind = MP_OPT_INT, FIELD(time_limit_s),
	  .value = "S", .least = MP_TIME_LIMIT_MIN_S,
	  .most = MP_TIME_LIMIT_MAX_S,
	  .says = "end after so many seconds" },
	{ .name = "output", .letter = 'o', .kind = MP_OPT_TEXT, FIELD(output),
	  .value = "FILE",
	  .says = "keep the report here, as JSON ('memprobe show' prints it)" },
	{ .name = "save", .kind = MP_OPT_TEXT, FIELD(save), .value = "FILE",
	  .says = "keep all that was measured here, for --backend replay=FILE" },
	{ .name = "json", .kind = MP_OPT_FLAG, FIELD(json),
	  .says = "print the report as JSON" },
	{ .name = "identify", .kind = MP_OPT_FLAG, FIELD(identify),
	  .says = "put host name and serial numbers into the report" },
	{ .name = "dry-run", .kind = MP_OPT_FLAG, FIELD(dry_run),
	  .says = "print the experiments that each probe would begin with" },
	{ .name = "quiet", .letter = 'q', .kind = MP_OPT_FLAG, FIELD(quiet),
	  .says = "no progress and no talk on stderr" },
	{ .name = "verbose", .letter = 'v', .kind = MP_OPT_FLAG,
	  FIELD(verbose),
	  .says = "say for each fact how it was found, and from what" },
	{ .name = "no-color", .kind = MP_OPT_FLAG, FIELD(no_color),
	  .says = "no colours on a terminal (so does NO_COLOR)" },
	{ .name = "help", .letter = 'h', .kind = MP_OPT_FLAG, FIELD(help),
	  .says = "this help" },
	{ 0 },
};

/* A run from its options to its report. */
struct session {
	struct run_args args;
	const struct mp_backend *backend;
	bool any_backend;
	const char *file;
	struct mp_run_list list;
	struct mp_target target;
	struct mp_host host;
	struct mp_run_opts run_opts;
	struct mp_run run;
	struct mp_watch watch;
	struct mp_report report;
};

#define fail(code, ...) mp_cmd_fail(&mp_cmd_run, code, __VA_ARGS__)

/* -- what is asked for ---------------------------------------------------- */

static int no_backend(const char *name)
{
	char names[256] = "auto";

	for (int i = 0; mp_backends[i]; i++) {
		const size_t used = strlen(names);

		snprintf(names + used, sizeof(names) - used, ", %s%s",
			 mp_backends[i]->name,
			 mp_backends[i]->asks_file ? "=FILE" : "");
	}
	return fail(MP_EXIT_USAGE, "--backend %.200s: there is none: allowed are %s",
		    name, names);
}

/*
 * What "auto" means: the first that this machine has after @after, or of all.
 * NULL: there is none, and @why tells what the last one lacks.
 */
static const struct mp_backend *next_backend(const struct mp_backend *after,
					     const char **why)
{
	bool passed = !after;

	*why = "there is none in this build";
	for (int i = 0; mp_backends[i]; i++) {
		const bool skip = !passed || mp_backends[i]->asks_file;

		passed = passed || mp_backends[i] == after;
		if (skip)
			continue;
		*why = mp_backends[i]->unmet ? mp_backends[i]->unmet() : NULL;
		if (!*why)
			return mp_backends[i];
	}
	return NULL;
}

static int choose_backend(struct session *session)
{
	const char *why;

	session->any_backend = true;
	session->backend = next_backend(NULL, &why);
	if (session->backend)
		return 0;
	return fail(MP_EXIT_DENIED, "--backend auto: %s", why);
}

static int find_backend(struct session *session)
{
	const char *word = session->args.backend, *file, *why;
	char name[64];

	if (strcmp(word, "auto") == 0)
		return choose_backend(session);
	file = strchr(word, '=');
	snprintf(name, sizeof(name), "%.*s",
		 file ? (int)(file - word) : (int)strlen(word), word);
	session->backend = mp_backend_find(name);
	session->file = file ? file + 1 : NULL;
	if (!session->backend)
		return no_backend(word);
	if (session->backend->asks_file && (!file || !file[1]))
		return fail(MP_EXIT_USAGE, "--backend %s: needs a file: %s=FILE",
			    word, name);
	if (!session->backend->asks_file && file)
		return fail(MP_EXIT_USAGE, "--backend %.200s: takes no file: give %s",
			    word, name);
	why = session->backend->unmet ? session->backend->unmet() : NULL;
	if (why)
		return fail(MP_EXIT_DENIED, "--backend %s: %s", name, why);
	return 0;
}

static int check_noisy(const struct session *session)
{
	if (!session->args.noisy || session->backend->has_windows)
		return 0;
	return fail(MP_EXIT_USAGE, "--noisy: backend %s has no quiet windows to leave out: give --backend kmod",
		    session->backend->name);
}

static int check_depth(const struct session *session)
{
	if (!session->args.quick || !session->args.deep)
		return 0;
	return fail(MP_EXIT_USAGE, "--quick --deep: give one of the two");
}

static int find_probes(struct session *session)
{
	char why[WHY_ROOM];

	if (mp_run_select(mp_probes, session->args.probes,
			  session->args.quick, &session->list, why,
			  sizeof(why)))
		return fail(MP_EXIT_USAGE, "%s", why);
	return 0;
}

/* Better to know before a run that its result has nowhere to go. */
static int check_output(const char *flag, const char *path)
{
	char folder[4096];
	struct stat st;
	char *slash;

	if (!path)
		return 0;
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return fail(MP_EXIT_USAGE, "%s %.200s: is there and is not a regular file: name another",
			    flag, path);
	if (snprintf(folder, sizeof(folder), "%s", path) >=
	    (int)sizeof(folder))
		return fail(MP_EXIT_USAGE, "%s: a name of more than %zu bytes",
			    flag, sizeof(folder) - 1);
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	if (access(slash ? folder : ".", W_OK | X_OK))
		return fail(MP_EXIT_USAGE, "%s %.200s: cannot be written: %s",
			    flag, path, strerror(errno));
	return 0;
}

static int check_args(struct session *session, int argc, char **argv,
		      int first)
{
	const struct run_args *args = &session->args;
	int code;

	if (first < argc && strcmp(argv[first], TARGET) != 0)
		return fail(MP_EXIT_USAGE, "%.200s: no such target: there is %s",
			    argv[first], TARGET);
	code = check_output("--output", args->output);
	if (!code)
		code = check_output("--save", args->save);
	if (!code && args->output && args->save &&
	    strcmp(args->output, args->save) == 0)
		code = fail(MP_EXIT_USAGE, "--save %.200s: --output has the same name: give two",
			    args->save);
	if (!code)
		code = find_backend(session);
	if (!code)
		code = check_noisy(session);
	if (!code)
		code = check_depth(session);
	if (!code)
		code = find_probes(session);
	return code;
}

/* -- measuring ------------------------------------------------------------ */

/* What opening a backend, or looking, has failed with, as an exit code. */
static int not_opened(const struct session *session, int err)
{
	const char *why = session->target.why;

	/* A file that may not be read is a wrong file; a machine that may
	 * not be measured is not permitted. */
	return fail(session->backend->asks_file && err == -EACCES ?
		    MP_EXIT_USAGE : mp_cmd_exit_of(err), "%s",
		    why[0] ? why : strerror(-err));
}

static int open_backend(struct session *session)
{
	const struct run_args *args = &session->args;
	const struct mp_opts backend_opts = {
		.cpu = args->cpu,
		.node = args->node,
		.pages = args->pages < 0 ? -1 : page_kinds[args->pages],
		.seed = args->seed,
		.file = session->file,
		.identify = args->identify,
		.noisy = args->noisy,
	};
	struct mp_target *target = &session->target;

	target->backend = session->backend;
	target->seed = args->seed;
	target->why[0] = '\0';
	return session->backend->open(target, &backend_opts);
}

/* Nobody has asked for just this one, and what it lacks is no wrong use. */
static bool may_pass_on(const struct session *session, int err)
{
	return err && session->any_backend && !session->args.noisy &&
	       mp_cmd_exit_of(err) == MP_EXIT_DENIED;
}

static int open_target(struct session *session)
{
	struct mp_target *target = &session->target;
	int err;

	err = open_backend(session);
	while (may_pass_on(session, err)) {
		const struct mp_backend *denied = session->backend, *next;
		const char *why;

		next = next_backend(denied, &why);
		/* What the last one says of itself tells more than that. */
		if (!next)
			break;
		mp_cmd_say(&mp_cmd_run, "backend %s: %s; going on with backend %s",
			   denied->name, target->why, next->name);
		session->backend = next;
		err = open_backend(session);
	}
	if (err)
		return not_opened(session, err);
	err = session->backend->look(target, &session->host);
	if (!err)
		return 0;
	err = not_opened(session, err);
	session->backend->close(target);
	return err;
}

/* A recording answers what was asked of it, unless something else is. */
static void adopt_probes(struct session *session)
{
	const struct mp_save *recorded = session->host.recorded;
	struct mp_run_list list;
	char why[WHY_ROOM];

	if (!recorded || session->args.probes)
		return;
	/* Probes may have gone since it was made; then all are asked. */
	if (mp_run_select(mp_probes, recorded->head.probes, false, &list, why,
			  sizeof(why)) == 0)
		session->list = list;
}

static void fill_run_opts(struct session *session)
{
	const uint32_t depth = session->args.quick ? MP_DEPTH_QUICK :
			       session->args.deep  ? MP_DEPTH_DEEP :
						     MP_DEPTH_DEFAULT;
	struct mp_run_opts *run_opts = &session->run_opts;

	adopt_probes(session);
	run_opts->probe = session->list.probe;
	run_opts->n_probes = session->list.n;
	run_opts->depth = depth;
	run_opts->seed = session->target.seed;
	run_opts->budget_ns = mp_run_budget_ns(depth);
	run_opts->limit_ns = (uint64_t)session->args.time_limit_s * NS_PER_S;
	if (run_opts->budget_ns > run_opts->limit_ns)
		run_opts->budget_ns = run_opts->limit_ns;
	run_opts->stop = mp_watch_stop();
	run_opts->progress = mp_watch_progress;
	run_opts->ctx = &session->watch;
	mp_run_adopt(run_opts, &session->host);
}

/* Only a machine that lives wastes anyone's time. */
static int measure(struct session *session)
{
	struct mp_target *target = &session->target;
	int err;

	fill_run_opts(session);
	mp_watch_start(&session->watch,
		       mp_host_lives(&session->host) ? session->args.time_limit_s : 0,
		       session->args.quiet);
	err = mp_run_all(target, &session->host, &session->run_opts,
			 &session->run);
	mp_watch_end(&session->watch);
	if (err)
		return fail(err == -ENOMEM ? MP_EXIT_DENIED : MP_EXIT_FAULT,
			    "%s", target->why[0] ? target->why :
						   strerror(-err));
	return 0;
}

/* -- a run that is only planned ------------------------------------------- */

static int print_plan(const struct session *session,
		      const struct mp_probe *probe)
{
	const struct mp_host *host = &session->host;
	const struct mp_facts facts = { 0 };
	const struct mp_view view = {
		.caps = host->caps, .cpu = host->cpu, .cpus = host->cpus,
		.node = host->node,
		.pages = host->pages, .pages_forced = host->pages_forced,
		.arena_max_bytes = host->arena_max_bytes,
		.depth = session->run_opts.depth,
		.seed = session->run_opts.seed,
		.left_ns = session->run_opts.budget_ns, .facts = &facts,
	};
	struct mp_plan plan = { 0 };
	char text[MP_EXP_TEXT];

	printf("%s: %s\n", probe->name, probe->asks);
	if (probe->next(&view, &plan) < 0) {
		mp_plan_free(&plan);
		return fail(MP_EXIT_FAULT, "probe %s: cannot plan",
			    probe->name);
	}
	for (uint32_t i = 0; i < plan.n; i++) {
		if (mp_exp_print(&plan.wanted[i].exp, text, sizeof(text)) < 0)
			continue;
		printf("  %u x %s\n", plan.wanted[i].replicates, text);
	}
	if (!plan.n)
		printf("  begins with what earlier probes find\n");
	mp_plan_free(&plan);
	return 0;
}

static int print_plans(struct session *session)
{
	int code = 0;

	fill_run_opts(session);
	for (uint32_t i = 0; i < session->list.n && !code; i++)
		code = print_plan(session, session->list.probe[i]);
	return code;
}

/* -- the report ------------------------------------------------------------ */

static int save_run(const struct session *session)
{
	const char *path = session->args.save;
	char why[WHY_ROOM];

	if (!path)
		return 0;
	if (mp_run_save(&session->run, path, why, sizeof(why)))
		return fail(MP_EXIT_FAULT, "--save: %s", why);
	if (!session->args.quiet)
		mp_cmd_say(&mp_cmd_run, "what was measured is in %s", path);
	return 0;
}

static int keep_report(const struct session *session, const char *json)
{
	const struct mp_piece piece = { json, strlen(json) };
	const char *path = session->args.output;
	char why[WHY_ROOM];

	if (!path)
		return 0;
	if (mp_file_write(path, &piece, 1, why, sizeof(why)))
		return fail(MP_EXIT_FAULT, "--output: %s", why);
	if (!session->args.quiet)
		mp_cmd_say(&mp_cmd_run, "the report is in %s", path);
	return 0;
}

static int write_report(const struct session *session)
{
	struct mp_style style;
	char *json;
	int code;

	if (mp_json_write(&session->report, &json))
		return fail(MP_EXIT_FAULT, "out of memory");
	/* The file first: whoever reads what is printed may go away. */
	code = keep_report(session, json);
	if (session->args.json) {
		mp_cmd_print(json);
	} else {
		mp_style_guess(&style, STDOUT_FILENO, session->args.no_color);
		style.verbose = session->args.verbose;
		mp_text_write(stdout, &session->report, &style);
	}
	free(json);
	return code;
}

/* How far the answers can be trusted, as an exit code. */
static int judge(const struct session *session)
{
	char why[WHY_ROOM];
	const int code = mp_outcome_judge(&session->report, why, sizeof(why));

	return code ? fail(code, "%s", why) : code;
}

static int measure_and_report(struct session *session)
{
	struct mp_report_run about;
	const time_t started = time(NULL);
	int code, saved;

	code = measure(session);
	if (code)
		goto out;
	mp_outcome_describe(&session->run, session->backend->name, started,
			    mp_watch_late(), &about);
	saved = save_run(session);
	if (mp_report_make(&session->report, &session->run.host, &about,
			   &session->run.facts) ||
	    mp_evidence_collect(&session->run, &session->report)) {
		code = fail(MP_EXIT_FAULT, "out of memory");
		goto out;
	}
	code = write_report(session);
	if (!code)
		code = saved ? saved : judge(session);
out:
	mp_report_free(&session->report);
	mp_run_free(&session->run);
	return code;
}

static int run_session(struct session *session, int argc, char **argv)
{
	int code, first;

	if (!mp_cmd_parse(&mp_cmd_run, argc, argv, &session->args,
			  &session->args.help, 0, 1, &code, &first))
		return code;
	code = check_args(session, argc, argv, first);
	if (code)
		return code;
	code = open_target(session);
	if (code)
		return code;
	code = session->args.dry_run ? print_plans(session) :
				       measure_and_report(session);
	session->backend->close(&session->target);
	return code;
}

static int run(int argc, char **argv)
{
	struct session *session = calloc(1, sizeof(*session));
	int code;

	if (!session)
		return fail(MP_EXIT_FAULT, "out of memory");
	code = run_session(session, argc, argv);
	free(session);
	return code;
}

static const char *const examples[] = {
	"memprobe run",
	"memprobe run --quick -o report.json",
	"memprobe run --deep --cpu 1 -o report.json",
	"memprobe run --probe latency,tlb --cpu 3 --node 1",
	"memprobe run --pages 4k --seed 42 --save kept.mpr",
	"memprobe run --backend replay=kept.mpr --json",
	"memprobe run --backend sim=machine.txt",
	"memprobe run --backend kmod --noisy --quick",
	NULL,
};

const struct mp_cmd mp_cmd_run = {
	.name = "run",
	.usage = "[OPTION].. [TARGET]",
	.says = "Measure, and print what was found beside what is claimed.",
	.more = "TARGET is cpu, the memory as one CPU sees it. ^C once ends the run after the present batch and reports what is known; twice leaves at once. Ends with 0 measured, 2 wrong use, 3 not permitted or a part missing, 4 nothing measurable or out of time before anything was known, 5 too noisy to trust (neither L1 nor L2 could be answered; the report is still written), 70 internal fault.",
	.examples = examples,
	.opts = opts,
	.defaults = &defaults,
	.bytes = sizeof(defaults),
	.run = run,
};
