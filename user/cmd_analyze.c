// SPDX-License-Identifier: GPL-2.0
/* memprobe analyze: the cache levels in stored latency curves. */
#include "cmd.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/levels.h"
#include "curve.h"
#include "file.h"
#include "opt.h"
#include "report/format.h"
#include "report/json_field.h"
#include "report/plot.h"
#include "report/style.h"

#define WHY_ROOM 512
#define LEVELS_MAX 16
#define FILES_MAX 64
/* As in a report: finer than any measurement. */
#define DIGITS 9

struct analyze_args {
	bool json;
	bool no_color;
	bool help;
};

/* The levels of one machine. */
struct finding {
	const char *path;
	uint32_t files;
	struct mp_series curve;
	struct mp_level level[LEVELS_MAX];
	uint32_t n;
};

static const struct analyze_args defaults;

static const struct mp_opt opts[] = {
	{ .name = "json", .kind = MP_OPT_FLAG,
	  .offset = offsetof(struct analyze_args, json),
	  .says = "print the levels as JSON" },
	{ .name = "no-color", .kind = MP_OPT_FLAG,
	  .offset = offsetof(struct analyze_args, no_color),
	  .says = "no colours on a terminal (so does NO_COLOR)" },
	{ .name = "help", .letter = 'h', .kind = MP_OPT_FLAG,
	  .offset = offsetof(struct analyze_args, help),
	  .says = "this help" },
	{ 0 },
};

static json_t *level_json(const struct mp_level *level)
{
	return json_pack("{s:o, s:o, s:o, s:o}",
			 "size_bytes", mp_json_number(level->size_bytes),
			 "low_bytes", mp_json_number(level->low_bytes),
			 "high_bytes", mp_json_number(level->high_bytes),
			 "latency", mp_json_number(level->latency));
}

static int print_json(const struct finding *finding)
{
	json_t *levels = json_array(), *root;
	char *text = NULL;

	for (uint32_t i = 0; i < finding->n; i++)
		if (json_array_append_new(levels,
					  level_json(&finding->level[i])))
			goto out;
	root = json_pack("{s:O}", "levels", levels);
	text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS));
	json_decref(root);
	if (text)
		printf("%s\n", text);
out:
	json_decref(levels);
	if (!text)
		return mp_cmd_fail(&mp_cmd_analyze, MP_EXIT_FAULT,
				   "out of memory");
	free(text);
	return MP_EXIT_DONE;
}

static void print_levels(const struct finding *finding)
{
	char size[MP_FORMAT_ROOM], range[MP_FORMAT_ROOM];
	char latency[MP_FORMAT_ROOM];
	const char *unit = finding->curve.unit;

	printf("\nlevel        size  %-22s latency\n", "bracket");
	for (uint32_t i = 0; i < finding->n; i++) {
		const struct mp_level *level = &finding->level[i];

		mp_format_human(size, level->size_bytes, "bytes");
		mp_format_range(range, level->low_bytes, level->high_bytes,
				"bytes");
		mp_format_human(latency, level->latency, "");
		printf("L%-4u %11s  %-22s %s %s\n", i + 1, size, range,
		       latency, unit);
	}
}

static int print_text(const struct finding *finding,
		      const struct analyze_args *args)
{
	struct mp_plot_mark mark[LEVELS_MAX];
	struct mp_style style;

	mp_style_guess(&style, STDOUT_FILENO, args->no_color);
	for (uint32_t i = 0; i < finding->n; i++) {
		mark[i].x = finding->level[i].size_bytes;
		snprintf(mark[i].name, sizeof(mark[i].name), "L%hhu",
			 (unsigned char)(i + 1));
	}
	printf("%s", finding->path);
	if (finding->files > 1)
		printf(" and %u more", finding->files - 1);
	printf(": %u points, %u level%s of cache\n", finding->curve.n,
	       finding->n, finding->n == 1 ? "" : "s");
	if (finding->n)
		print_levels(finding);
	printf("\nlatency by footprint, %s\n", finding->curve.unit);
	mp_plot_draw(stdout, &finding->curve, mark, finding->n, &style);
	return MP_EXIT_DONE;
}

static int find_levels(struct finding *finding)
{
	const struct mp_series *curve = &finding->curve;
	struct mp_curve_point *point = calloc(curve->n, sizeof(*point));
	int err;

	if (!point)
		return -ENOMEM;
	for (uint32_t i = 0; i < curve->n; i++) {
		point[i].footprint_bytes = curve->point[i].x;
		point[i].latency = curve->point[i].value;
	}
	err = mp_levels_find(point, curve->n, finding->level, LEVELS_MAX,
			     &finding->n);
	free(point);
	return err;
}

/* 0, or an exit code; what is wrong has been said. */
static int read_curve(const char *path, struct mp_series *curve)
{
	char why[WHY_ROOM];
	size_t bytes;
	void *text;
	int err;

	err = mp_file_read(path, MP_CURVE_MAX_BYTES, &text, &bytes, why,
			   sizeof(why));
	if (err)
		return mp_cmd_fail(&mp_cmd_analyze, MP_EXIT_USAGE, "%s", why);
	if (strlen(text) != bytes) {
		free(text);
		return mp_cmd_fail(&mp_cmd_analyze, MP_EXIT_USAGE,
				   "%s: holds zero bytes: not a CSV file",
				   path);
	}
	err = mp_curve_parse(text, path, curve, why, sizeof(why));
	free(text);
	if (err)
		return mp_cmd_fail(&mp_cmd_analyze, MP_EXIT_USAGE, "%s", why);
	return 0;
}

/* Cycles and ns are no points of one curve. */
static int pool_curve(const char *path, const struct mp_series *curve,
		      struct finding *finding)
{
	struct mp_series *all = &finding->curve;
	int err = 0;

	if (finding->files && strcmp(all->unit, curve->unit))
		return mp_cmd_fail(&mp_cmd_analyze, MP_EXIT_USAGE,
				   "%s: latency in %s, but %s has %s: curves that are looked at together need one unit",
				   path, curve->unit, finding->path, all->unit);
	if (!finding->files) {
		finding->path = path;
		snprintf(all->unit, sizeof(all->unit), "%s", curve->unit);
	}
	for (uint32_t i = 0; i < curve->n && !err; i++)
		err = mp_series_add(all, &curve->point[i]);
	if (err)
		return mp_cmd_fail(&mp_cmd_analyze, MP_EXIT_FAULT, "%s: %s",
				   path, strerror(-err));
	finding->files++;
	return 0;
}

static int read_curves(char **path, int n, struct finding *finding)
{
	int code = 0;

	for (int i = 0; i < n && !code; i++) {
		struct mp_series curve = { 0 };

		code = read_curve(path[i], &curve);
		if (!code)
			code = pool_curve(path[i], &curve, finding);
		free(curve.point);
	}
	if (!code && finding->curve.n > MP_LEVELS_POINTS_MAX)
		code = mp_cmd_fail(&mp_cmd_analyze, MP_EXIT_USAGE,
				   "%u points in all: at most %u (levels.h: MP_LEVELS_POINTS_MAX): leave out footprints, or files",
				   finding->curve.n, MP_LEVELS_POINTS_MAX);
	return code;
}

static int run(int argc, char **argv)
{
	struct analyze_args args = { 0 };
	struct finding finding = { 0 };
	int code, first, err;

	if (!mp_cmd_parse(&mp_cmd_analyze, argc, argv, &args, &args.help, 1,
			  FILES_MAX, &code, &first))
		return code;
	code = read_curves(argv + first, argc - first, &finding);
	if (code)
		goto out;
	err = find_levels(&finding);
	if (err)
		code = mp_cmd_fail(&mp_cmd_analyze, MP_EXIT_FAULT, "%s: %s",
				   finding.path, strerror(-err));
	else
		code = args.json ? print_json(&finding) :
				   print_text(&finding, &args);
out:
	free(finding.curve.point);
	return code;
}

static const char *const examples[] = {
	"memprobe analyze curve.csv",
	"memprobe analyze full_random.csv page_random.csv",
	"memprobe analyze --json curve.csv | jq '.levels[0].size_bytes'",
	NULL,
};

const struct mp_cmd mp_cmd_analyze = {
	.name = "analyze",
	.usage = "[OPTION].. CURVE.csv..",
	.says = "Find the cache levels in stored latency curves of one machine.",
	.more = "A file's first line names its columns: footprint_bytes and latency_cycles or latency_ns; a line follows for each footprint. Of several curves of one machine (other runs, other orders of visits) the lower median at each footprint counts, of two the lower one: crowded pages and disturbances only add. Levels come inner to outer; memory itself is no level. The bracket is that of the footprints tried.",
	.examples = examples,
	.opts = opts,
	.defaults = &defaults,
	.bytes = sizeof(defaults),
	.run = run,
};
