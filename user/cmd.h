/* SPDX-License-Identifier: GPL-2.0 */
/* Subcommands: one a file, one line each in the table of main.c. */
#ifndef MP_CMD_H
#define MP_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mp_opt;
struct mp_report;

/** enum mp_exit - what the tool ends with */
enum mp_exit {
	MP_EXIT_DONE = 0,	/* measured */
	MP_EXIT_DIFFERS = 1,	/* a comparison found a difference */
	MP_EXIT_USAGE = 2,	/* a wrong option, a file that cannot be read */
	MP_EXIT_DENIED = 3,	/* not permitted, or a part is missing */
	MP_EXIT_NOTHING = 4,	/* nothing measurable here */
	MP_EXIT_NOISY = 5,	/* too noisy to trust */
	MP_EXIT_FAULT = 70,	/* the tool's own fault, or output was lost */
	MP_EXIT_LEFT = 130,	/* interrupted twice */
};

/**
 * struct mp_cmd - a subcommand
 * @name: as on the command line
 * @usage: what follows the name
 * @says: what it does, one line
 * @more: a paragraph for its help, or NULL
 * @examples: lines for its help, NULL-terminated
 * @opts: its options; "help" is among them
 * @defaults: what mp_cmd_parse() begins from; as large as @bytes
 * @bytes: size of the struct that the options set
 * @run: does it. @argc and @argv begin with the name. Returns enum mp_exit
 */
struct mp_cmd {
	const char *name;
	const char *usage;
	const char *says;
	const char *more;
	const char *const *examples;
	const struct mp_opt *opts;
	const void *defaults;
	size_t bytes;
	int (*run)(int argc, char **argv);
};

extern const struct mp_cmd mp_cmd_run;
extern const struct mp_cmd mp_cmd_list;
extern const struct mp_cmd mp_cmd_show;
extern const struct mp_cmd mp_cmd_explain;
extern const struct mp_cmd mp_cmd_analyze;

/**
 * mp_cmd_parse() - options and arguments of a subcommand
 * @cmd: the subcommand
 * @argc, @argv: as handed to it
 * @into: gets the defaults, then what the options say
 * @help: the field of --help in @into
 * @least, @most: how many arguments that are no options it takes
 * @code: gets the exit code where this returns false
 * @first: gets the index of the first argument
 * Return: true to go on; false when help was printed or something refused.
 */
bool mp_cmd_parse(const struct mp_cmd *cmd, int argc, char **argv, void *into,
		  const bool *help, int least, int most, int *code,
		  int *first);

/** mp_cmd_fail() - one line on stderr, "memprobe NAME: .."; returns @code */
int mp_cmd_fail(const struct mp_cmd *cmd, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** mp_cmd_say() - one line of talk on stderr, "memprobe NAME: .." */
void mp_cmd_say(const struct mp_cmd *cmd, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * mp_cmd_report() - read a report that was kept in a file
 * @cmd: who reads, for the complaint
 * @path: the file
 * @report: gets it; mp_report_free() it. Empty after an error
 * Return: 0, or an exit code; what is wrong has been said.
 */
int mp_cmd_report(const struct mp_cmd *cmd, const char *path,
		  struct mp_report *report);

/** mp_cmd_print() - a text to stdout; the exit code */
int mp_cmd_print(const char *text);

/** mp_cmd_exit_of() - exit code of an error while opening or reading */
int mp_cmd_exit_of(int err);

#endif
