// SPDX-License-Identifier: GPL-2.0
/* memprobe explain: why a fact of a report should be believed. */
#include "cmd.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd_explain_name.h"
#include "cmd_explain_page.h"
#include "opt.h"
#include "probe.h"
#include "report.h"
#include "report/format.h"
#include "report/page.h"
#include "report/style.h"

#define NAMES_ROOM 256

struct explain_args {
	bool list;
	bool no_color;
	bool help;
};

static const struct explain_args defaults;

static const struct mp_opt opts[] = {
	{ .name = "list", .letter = 'l', .kind = MP_OPT_FLAG,
	  .offset = offsetof(struct explain_args, list),
	  .says = "only name the facts that are meant, with their answers" },
	{ .name = "no-color", .kind = MP_OPT_FLAG,
	  .offset = offsetof(struct explain_args, no_color),
	  .says = "no colours on a terminal (so does NO_COLOR)" },
	{ .name = "help", .letter = 'h', .kind = MP_OPT_FLAG,
	  .offset = offsetof(struct explain_args, help),
	  .says = "this help" },
	{ 0 },
};

#define fail(code, ...) mp_cmd_fail(&mp_cmd_explain, code, __VA_ARGS__)

/* How many facts a word means; NULL means all. */
static uint32_t count(const struct mp_report *report, const char *word,
		      bool exact)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < report->facts.n; i++)
		n += !word || mp_name_means(word, &report->facts.fact[i],
					    exact);
	return n;
}

static int no_such_fact(const struct mp_report *report, const char *word,
			const char *path)
{
	const struct mp_probe *probe = mp_probe_of_fact(word);
	char names[NAMES_ROOM];

	if (!report->facts.n)
		return fail(MP_EXIT_USAGE, "%.60s: %.200s has no facts at all",
			    word, path);
	if (probe)
		return fail(MP_EXIT_USAGE, "%.60s: was not asked for in %.200s: memprobe run --probe %s answers it",
			    word, path, probe->name);
	return fail(MP_EXIT_USAGE, "%.60s: no such fact in %.200s: the nearest are %s; memprobe explain REPORT.json names all",
		    word, path,
		    mp_name_nearest(report, word, names, sizeof(names)));
}

static void print_brief(const struct mp_report *report, const char *word,
			const struct mp_style *style)
{
	const struct mp_fact *last = NULL;
	char where[MP_FORMAT_WHERE];

	for (uint32_t i = 0; i < report->facts.n; i++) {
		const struct mp_fact *fact = &report->facts.fact[i];

		if (word && !mp_name_means(word, fact, false))
			continue;
		if (!last || !mp_where_equal(&last->where, &fact->where))
			mp_page_heading(stdout, report, style, "facts (%s)",
					mp_format_where(where, &fact->where));
		last = fact;
		mp_explain_brief(stdout, report, fact, style);
	}
	if (!last)
		printf("\nno facts\n");
	else
		printf("\nmemprobe explain %s REPORT.json explains one of them.\n",
		       last->name);
}

static void print_full(const struct mp_report *report, const char *word,
		       bool exact, const struct mp_style *style)
{
	for (uint32_t i = 0; i < report->facts.n; i++)
		if (mp_name_means(word, &report->facts.fact[i], exact))
			mp_explain_write(stdout, report,
					 &report->facts.fact[i], style);
}

/* One name is explained at each of its places; what means several names is
 * answered in brief. */
static int explain(const struct mp_report *report, const char *word,
		   const char *path, const struct explain_args *args)
{
	const uint32_t exact = word ? count(report, word, true) : 0;
	const uint32_t all = count(report, word, false);
	struct mp_style style;

	if (word && !all)
		return no_such_fact(report, word, path);
	mp_style_guess(&style, STDOUT_FILENO, args->no_color);
	mp_page_headline(stdout, report, &style);
	if (!args->list && (exact || (word && all == 1)))
		print_full(report, word, exact > 0, &style);
	else
		print_brief(report, word, &style);
	return MP_EXIT_DONE;
}

static int run(int argc, char **argv)
{
	static struct mp_report report;
	struct explain_args args = { 0 };
	const char *word, *path;
	int code, first;

	if (!mp_cmd_parse(&mp_cmd_explain, argc, argv, &args, &args.help, 1, 2,
			  &code, &first))
		return code;
	word = argc - first == 2 ? argv[first] : NULL;
	path = argv[argc - 1];
	/* A name where a report should be: somebody forgot the report. */
	if (!word && mp_probe_of_fact(path) && access(path, F_OK))
		return fail(MP_EXIT_USAGE, "%s: a report is missing: memprobe explain %s REPORT.json",
			    path, path);
	code = mp_cmd_report(&mp_cmd_explain, path, &report);
	if (code)
		return code;
	code = explain(&report, word, path, &args);
	mp_report_free(&report);
	return code;
}

static const char *const examples[] = {
	"memprobe explain cpu.l2.size memprobe-report.json",
	"memprobe explain cpu.l2 memprobe-report.json",
	"memprobe explain memprobe-report.json",
	NULL,
};

const struct mp_cmd mp_cmd_explain = {
	.name = "explain",
	.usage = "[OPTION].. [FACT] REPORT.json",
	.says = "Explain a fact of a report: why it should be believed, and what would change it.",
	.more = "Told are the answer beside the claim, the experiments that it rests on, what they saw, how the answer follows from that, and what would change it, as far as the report tells. FACT is a name, such as cpu.l2.size, or the beginning of several, such as cpu.l2, which are answered in brief. Without FACT all facts of the report are named.",
	.examples = examples,
	.opts = opts,
	.defaults = &defaults,
	.bytes = sizeof(defaults),
	.run = run,
};
