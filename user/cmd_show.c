// SPDX-License-Identifier: GPL-2.0
/* memprobe show: print a report that was kept in a file, or several of them. */
#include "cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opt.h"
#include "report/beside.h"
#include "report/json.h"
#include "report/text.h"
#include "utf8.h"

#define NAME_ROOM 256

struct show_args {
	bool json;
	bool verbose;
	bool no_color;
	bool help;
};

static const struct show_args defaults;

static const struct mp_opt opts[] = {
	{ .name = "json", .kind = MP_OPT_FLAG,
	  .offset = offsetof(struct show_args, json),
	  .says = "print the report as JSON" },
	{ .name = "verbose", .letter = 'v', .kind = MP_OPT_FLAG,
	  .offset = offsetof(struct show_args, verbose),
	  .says = "say for each fact how it was found, and from what" },
	{ .name = "no-color", .kind = MP_OPT_FLAG,
	  .offset = offsetof(struct show_args, no_color),
	  .says = "no colours on a terminal (so does NO_COLOR)" },
	{ .name = "help", .letter = 'h', .kind = MP_OPT_FLAG,
	  .offset = offsetof(struct show_args, help),
	  .says = "this help" },
	{ 0 },
};

static int print_json(const struct mp_report *report)
{
	char *text;
	int code;

	if (mp_json_write(report, &text))
		return mp_cmd_fail(&mp_cmd_show, MP_EXIT_FAULT,
				   "out of memory");
	code = mp_cmd_print(text);
	free(text);
	return code;
}

static int print_text(const struct mp_report *report,
		      const struct show_args *args)
{
	struct mp_style style;

	mp_style_guess(&style, STDOUT_FILENO, args->no_color);
	style.verbose = args->verbose;
	mp_text_write(stdout, report, &style);
	return MP_EXIT_DONE;
}

static int show_one(const char *path, const struct show_args *args)
{
	static struct mp_report report;
	int code;

	code = mp_cmd_report(&mp_cmd_show, path, &report);
	if (code)
		return code;
	code = args->json ? print_json(&report) : print_text(&report, args);
	mp_report_free(&report);
	return code;
}

/* "noisy", of "reports/noisy.json". */
static void name_column(const char *path, char name[NAME_ROOM])
{
	const char *slash = strrchr(path, '/');
	char *end;

	snprintf(name, NAME_ROOM, "%s", slash ? slash + 1 : path);
	end = strrchr(name, '.');
	if (end && end != name && strcmp(end, ".json") == 0)
		*end = '\0';
	mp_utf8_clean(name);
}

static int show_beside(char *const *path, uint32_t n,
		       const struct show_args *args)
{
	static struct mp_report report[MP_BESIDE_MAX];
	static char name[MP_BESIDE_MAX][NAME_ROOM];
	const char *names[MP_BESIDE_MAX];
	struct mp_style style;
	int code = 0;
	uint32_t i;

	for (i = 0; i < n && !code; i++) {
		name_column(path[i], name[i]);
		names[i] = name[i];
		code = mp_cmd_report(&mp_cmd_show, path[i], &report[i]);
	}
	if (!code) {
		mp_style_guess(&style, STDOUT_FILENO, args->no_color);
		mp_beside_write(stdout, report, names, n, &style);
	} else {
		i--;
	}
	while (i)
		mp_report_free(&report[--i]);
	return code;
}

static int run(int argc, char **argv)
{
	struct show_args args = { 0 };
	int code, first, n;

	if (!mp_cmd_parse(&mp_cmd_show, argc, argv, &args, &args.help, 1,
			  MP_BESIDE_MAX, &code, &first))
		return code;
	n = argc - first;
	if (n == 1)
		return show_one(argv[first], &args);
	if (args.json || args.verbose)
		return mp_cmd_fail(&mp_cmd_show, MP_EXIT_USAGE,
				   "--%s: of one report only, and %d are named",
				   args.json ? "json" : "verbose", n);
	return show_beside(argv + first, (uint32_t)n, &args);
}

static const char *const examples[] = {
	"memprobe show memprobe-report.json",
	"memprobe show -v memprobe-report.json",
	"memprobe show noisy.json user.json kernel.json",
	"memprobe show --json memprobe-report.json | jq '.disagreements'",
	NULL,
};

const struct mp_cmd mp_cmd_show = {
	.name = "show",
	.usage = "[OPTION].. REPORT.json..",
	.says = "Print a report that 'memprobe run -o' kept, or several side by side.",
	.more = "Of one report the text is the one that the run printed. Two to four are printed side by side, fact by fact.",
	.examples = examples,
	.opts = opts,
	.defaults = &defaults,
	.bytes = sizeof(defaults),
	.run = run,
};
