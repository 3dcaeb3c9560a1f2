// SPDX-License-Identifier: GPL-2.0
/* memprobe list: what can be asked here, and who can act. */
#include "cmd.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "opt.h"
#include "probe.h"
#include "utf8.h"

#define COLUMN 14

struct list_args {
	bool json;
	bool help;
};

static const struct list_args defaults;

static const struct mp_opt opts[] = {
	{ .name = "json", .kind = MP_OPT_FLAG,
	  .offset = offsetof(struct list_args, json),
	  .says = "print the lists as JSON" },
	{ .name = "help", .letter = 'h', .kind = MP_OPT_FLAG,
	  .offset = offsetof(struct list_args, help),
	  .says = "this help" },
	{ 0 },
};

static const char *why_not(const struct mp_backend *backend)
{
	return backend->unmet ? backend->unmet() : NULL;
}

/* Names parted by commas; NULL is none. */
static json_t *names_json(const char *names)
{
	json_t *array = json_array();

	while (names && *names) {
		const size_t length = strcspn(names, ",");

		json_array_append_new(array, json_stringn(names, length));
		names += length;
		names += *names == ',';
	}
	return array;
}

static json_t *probes_json(void)
{
	json_t *array = json_array();

	for (int i = 0; mp_probes[i]; i++) {
		const struct mp_probe *probe = mp_probes[i];

		json_array_append_new(array,
			json_pack("{s:s, s:s, s:o, s:o, s:b}",
				  "name", probe->name, "asks", probe->asks,
				  "after", names_json(probe->after),
				  "facts", names_json(probe->facts),
				  "quick", (int)probe->quick));
	}
	return array;
}

static json_t *backends_json(void)
{
	json_t *array = json_array();

	for (int i = 0; mp_backends[i]; i++) {
		const struct mp_backend *backend = mp_backends[i];
		const char *why = why_not(backend);

		json_array_append_new(array,
			json_pack("{s:s, s:s, s:b, s:b, s:s?}",
				  "name", backend->name,
				  "says", backend->says,
				  "asks_file", (int)backend->asks_file,
				  "available", (int)!why, "why", why));
	}
	return array;
}

static int print_json(void)
{
	json_t *root = json_pack("{s:[s], s:o, s:o}", "targets", "cpu",
				 "probes", probes_json(),
				 "backends", backends_json());
	char *text = json_dumps(root, JSON_INDENT(2));

	json_decref(root);
	if (!text)
		return mp_cmd_fail(&mp_cmd_list, MP_EXIT_FAULT,
				   "out of memory");
	printf("%s\n", text);
	free(text);
	return MP_EXIT_DONE;
}

/* "  facts: a, b, c", wrapped. */
static void print_names(const char *title, const char *names)
{
	char line[1024];
	size_t used;

	if (!names)
		return;
	used = (size_t)snprintf(line, sizeof(line), "%s ", title);
	for (; *names && used < sizeof(line) - 2; names++) {
		line[used++] = *names;
		if (*names == ',')
			line[used++] = ' ';
	}
	line[used] = '\0';
	printf("%*s", COLUMN, "");
	mp_utf8_wrap(stdout, COLUMN, COLUMN + 2, line);
}

static void print_probe(const struct mp_probe *probe)
{
	printf("  %-*s", COLUMN - 2, probe->name);
	mp_utf8_wrap(stdout, COLUMN, COLUMN, probe->asks);
	print_names("facts:", probe->facts);
	print_names("starts from:", probe->after);
	if (!probe->quick)
		printf("%*snot part of --quick\n", COLUMN, "");
}

static void print_backend(const struct mp_backend *backend)
{
	const char *why = why_not(backend);
	char name[64];

	snprintf(name, sizeof(name), "%s%s", backend->name,
		 backend->asks_file ? "=FILE" : "");
	printf("  %-*s", COLUMN - 2, name);
	mp_utf8_wrap(stdout, COLUMN, COLUMN, backend->says);
	if (!why)
		return;
	printf("%*sunavailable: ", COLUMN, "");
	mp_utf8_wrap(stdout, COLUMN + 13, COLUMN + 2, why);
}

static int print_text(void)
{
	printf("Targets (memprobe run TARGET):\n  cpu\n");
	printf("\nProbes (memprobe run --probe NAME,..):\n");
	for (int i = 0; mp_probes[i]; i++)
		print_probe(mp_probes[i]);
	printf("\nBackends (memprobe run --backend NAME):\n");
	for (int i = 0; mp_backends[i]; i++)
		print_backend(mp_backends[i]);
	return MP_EXIT_DONE;
}

static int run(int argc, char **argv)
{
	struct list_args args = { 0 };
	int code, first;

	if (!mp_cmd_parse(&mp_cmd_list, argc, argv, &args, &args.help, 0, 0,
			  &code, &first))
		return code;
	return args.json ? print_json() : print_text();
}

static const char *const examples[] = {
	"memprobe list",
	"memprobe list --json | jq '.probes[].facts[]'",
	NULL,
};

const struct mp_cmd mp_cmd_list = {
	.name = "list",
	.usage = "[OPTION]..",
	.says = "Say which probes and backends there are, and why one is unavailable.",
	.examples = examples,
	.opts = opts,
	.defaults = &defaults,
	.bytes = sizeof(defaults),
	.run = run,
};
