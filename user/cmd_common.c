// SPDX-License-Identifier: GPL-2.0
/*
 * What all subcommands do alike: parse, help, complain. The first thing on
 * stderr is always "memprobe NAME:", the complaint one line.
 */
#include "cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "opt.h"
#include "report/json.h"
#include "utf8.h"

#define WHY_ROOM 512

static void print_help(const struct mp_cmd *cmd)
{
	printf("usage: memprobe %s %s\n\n", cmd->name, cmd->usage);
	mp_utf8_wrap(stdout, 0, 0, cmd->says);
	if (cmd->more) {
		putchar('\n');
		mp_utf8_wrap(stdout, 0, 0, cmd->more);
	}
	printf("\nOptions:\n");
	mp_opt_help(cmd->opts, cmd->defaults, stdout);
	printf("\nExamples:\n");
	for (int i = 0; cmd->examples[i]; i++)
		printf("  %s\n", cmd->examples[i]);
}

static void complain(const struct mp_cmd *cmd, const char *format,
		     va_list args)
{
	char line[2048];

	vsnprintf(line, sizeof(line), format, args);
	mp_utf8_clean(line);
	fprintf(stderr, "memprobe %s: %s\n", cmd->name, line);
}

void mp_cmd_say(const struct mp_cmd *cmd, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(cmd, format, args);
	va_end(args);
}

int mp_cmd_fail(const struct mp_cmd *cmd, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(cmd, format, args);
	va_end(args);
	return code;
}

bool mp_cmd_parse(const struct mp_cmd *cmd, int argc, char **argv, void *into,
		  const bool *help, int least, int most, int *code, int *first)
{
	char why[MP_OPT_WHY];

	*code = MP_EXIT_USAGE;
	memcpy(into, cmd->defaults, cmd->bytes);
	if (mp_opt_parse(cmd->opts, argc, argv, into, first, why,
			 sizeof(why))) {
		mp_cmd_fail(cmd, MP_EXIT_USAGE, "%s", why);
		return false;
	}
	if (*help) {
		print_help(cmd);
		*code = MP_EXIT_DONE;
		return false;
	}
	if (argc - *first < least) {
		mp_cmd_fail(cmd, MP_EXIT_USAGE,
			    "a file is missing: memprobe %s %s", cmd->name,
			    cmd->usage);
		return false;
	}
	if (argc - *first > most) {
		mp_cmd_fail(cmd, MP_EXIT_USAGE,
			    "%.200s: one argument too many: memprobe %s %s",
			    argv[*first + most], cmd->name, cmd->usage);
		return false;
	}
	return true;
}

int mp_cmd_report(const struct mp_cmd *cmd, const char *path,
		  struct mp_report *report)
{
	char why[WHY_ROOM];
	size_t bytes;
	void *text;
	int err;

	err = mp_file_read(path, MP_JSON_MAX_BYTES, &text, &bytes, why,
			   sizeof(why));
	if (err)
		return mp_cmd_fail(cmd, MP_EXIT_USAGE, "%s", why);
	err = mp_json_read(text, bytes, report, why, sizeof(why));
	free(text);
	if (err)
		return mp_cmd_fail(cmd, MP_EXIT_USAGE, "%s: %s", path, why);
	return 0;
}

int mp_cmd_print(const char *text)
{
	/* What is lost is found out when stdout is closed, in main(). */
	fputs(text, stdout);
	return MP_EXIT_DONE;
}

int mp_cmd_exit_of(int err)
{
	switch (-err) {
	case EACCES:
	case EBUSY:
	case EPERM:
	case ENODEV:
	case ENOMEM:
	case EOPNOTSUPP:
		return MP_EXIT_DENIED;
	default:
		return MP_EXIT_USAGE;
	}
}
