// SPDX-License-Identifier: GPL-2.0
/*
 * Options from descriptors. A refusal names the flag as it was written, the
 * value and what is allowed, in one line; nothing is clamped or guessed.
 */
#include "opt.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

#define OPTS_MAX 40
/* Where the words of a help line begin. */
#define HELP_COLUMN 24
/* Long options come back from getopt_long as this plus their index. */
#define LONG_BASE 256

/* What getopt_long wants, made from the table. */
struct getopt_table {
	struct option option[OPTS_MAX + 1];
	char letters[2 * OPTS_MAX + 2];
};

static int refuse(char *why, size_t room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse(char *why, size_t room, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, room, format, args);
	va_end(args);
	/* The value came from outside: one line, whatever it holds. */
	for (char *c = why; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return -EINVAL;
}

static void fill_table(const struct mp_opt *opts, struct getopt_table *table)
{
	char *letter = table->letters;

	memset(table, 0, sizeof(*table));
	*letter++ = ':';
	for (int i = 0; i < OPTS_MAX && opts[i].name; i++) {
		const bool takes = opts[i].kind != MP_OPT_FLAG;

		table->option[i].name = opts[i].name;
		table->option[i].has_arg =
			takes ? required_argument : no_argument;
		table->option[i].val = LONG_BASE + i;
		if (opts[i].letter) {
			*letter++ = opts[i].letter;
			if (takes)
				*letter++ = ':';
		}
	}
}

static const struct mp_opt *find(const struct mp_opt *opts, int code)
{
	for (int i = 0; opts[i].name; i++)
		if (code == LONG_BASE + i ||
		    (opts[i].letter && code == opts[i].letter))
			return &opts[i];
	return NULL;
}

/* "4k, thp or huge" */
static void list_choices(const struct mp_opt *opt, char *text, size_t room)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; opt->choices[i] && used < room; i++) {
		const char *glue = i == 0 ? "" :
				   opt->choices[i + 1] ? ", " : " or ";

		used += (size_t)snprintf(text + used, room - used, "%s%s",
					 glue, opt->choices[i]);
	}
}

static int set_int(const struct mp_opt *opt, const char *value, int *field,
		   char *why, size_t room)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(value, &end, 10);
	if (end == value || *end || strchr(" \t\n+", value[0]))
		return refuse(why, room,
			      "--%s %.200s: not a whole number: allowed are %d to %d",
			      opt->name, value, opt->least, opt->most);
	if (errno || number < opt->least || number > opt->most)
		return refuse(why, room, "--%s %.200s: allowed are %d to %d",
			      opt->name, value, opt->least, opt->most);
	*field = (int)number;
	return 0;
}

static int set_u64(const struct mp_opt *opt, const char *value,
		   uint64_t *field, char *why, size_t room)
{
	unsigned long long number;
	int base = 10;
	char *end;

	if (value[0] == '0' && (value[1] == 'x' || value[1] == 'X'))
		base = 16;
	errno = 0;
	number = strtoull(value, &end, base);
	/* strtoull() takes a sign and wraps it round. */
	if (errno || end == value || *end || value[0] < '0' || value[0] > '9')
		return refuse(why, room,
			      "--%s %.200s: allowed are 0 to 18446744073709551615, or 0x and hex digits",
			      opt->name, value);
	*field = number;
	return 0;
}

static int set_choice(const struct mp_opt *opt, const char *value, int *field,
		      char *why, size_t room)
{
	char allowed[256];

	for (int i = 0; opt->choices[i]; i++) {
		if (strcmp(opt->choices[i], value) == 0) {
			*field = i;
			return 0;
		}
	}
	list_choices(opt, allowed, sizeof(allowed));
	return refuse(why, room, "--%s %.200s: allowed are %s", opt->name,
		      value, allowed);
}

static int set(const struct mp_opt *opt, const char *value, void *into,
	       char *why, size_t room)
{
	void *field = (char *)into + opt->offset;

	switch ((enum mp_opt_kind)opt->kind) {
	case MP_OPT_FLAG:
		*(bool *)field = true;
		return 0;
	case MP_OPT_INT:
		return set_int(opt, value, field, why, room);
	case MP_OPT_U64:
		return set_u64(opt, value, field, why, room);
	case MP_OPT_CHOICE:
		return set_choice(opt, value, field, why, room);
	case MP_OPT_TEXT:
		if (!value[0])
			return refuse(why, room,
				      "--%s: the value is empty: give %s",
				      opt->name, opt->value);
		*(const char **)field = value;
		return 0;
	}
	return refuse(why, room, "--%s: of no known kind", opt->name);
}

/* Which long options a shortened one may stand for: "--flag, --file". */
static void list_matches(const struct mp_opt *opts, const char *word,
			 char *text, size_t room)
{
	const char *name = word + strspn(word, "-");
	const size_t length = strcspn(name, "=");
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; opts[i].name && used < room; i++)
		if (strncmp(opts[i].name, name, length) == 0)
			used += (size_t)snprintf(text + used, room - used,
						 "%s--%s", used ? ", " : "",
						 opts[i].name);
}

/* getopt_long() refused; @word is the argument that it stands at. */
static int explain(const struct mp_opt *opts, int code, const char *word,
		   char *why, size_t room)
{
	const struct mp_opt *opt = optopt ? find(opts, optopt) : NULL;
	char matches[256];

	if (opt && code == ':')
		return refuse(why, room, "--%s: needs a value: %s", opt->name,
			      opt->value);
	if (opt)
		return refuse(why, room, "%.200s: --%s takes no value", word,
			      opt->name);
	if (optopt)
		return refuse(why, room, "-%c: no such option: see --help",
			      optopt);
	list_matches(opts, word, matches, sizeof(matches));
	if (matches[0])
		return refuse(why, room, "%.200s: may be any of %s", word,
			      matches);
	return refuse(why, room, "%.200s: no such option: see --help", word);
}

int mp_opt_parse(const struct mp_opt *opts, int argc, char **argv, void *into,
		 int *first, char *why, size_t room)
{
	struct getopt_table table;
	int code, err;

	fill_table(opts, &table);
	opterr = 0;
	optind = 0;	/* glibc: begin anew */
	for (;;) {
		code = getopt_long(argc, argv, table.letters, table.option,
				   NULL);
		if (code == -1)
			break;
		if (code == '?' || code == ':')
			return explain(opts, code, argv[optind - 1], why,
				       room);
		err = set(find(opts, code), optarg, into, why, room);
		if (err)
			return err;
	}
	*first = optind;
	return 0;
}

/* What is allowed: "0 to 1023", "4k, thp or huge". */
static void allowed_text(const struct mp_opt *opt, char *text, size_t room)
{
	text[0] = '\0';
	if (opt->kind == MP_OPT_CHOICE)
		list_choices(opt, text, room);
	else if (opt->kind == MP_OPT_INT)
		snprintf(text, room, "%d to %d", opt->least, opt->most);
}

/* What holds when the option is not given; nothing where that is no value. */
static void default_text(const struct mp_opt *opt, const void *defaults,
			 char *text, size_t room)
{
	const void *field = (const char *)defaults + opt->offset;

	text[0] = '\0';
	switch ((enum mp_opt_kind)opt->kind) {
	case MP_OPT_FLAG:
		break;
	case MP_OPT_INT:
		if (*(const int *)field >= opt->least)
			snprintf(text, room, "%d", *(const int *)field);
		break;
	case MP_OPT_U64:
		snprintf(text, room, "%" PRIu64, *(const uint64_t *)field);
		break;
	case MP_OPT_CHOICE:
		if (*(const int *)field >= 0)
			snprintf(text, room, "%s",
				 opt->choices[*(const int *)field]);
		break;
	case MP_OPT_TEXT:
		if (*(const char *const *)field)
			snprintf(text, room, "%s",
				 *(const char *const *)field);
		break;
	}
}

static void help_line(const struct mp_opt *opt, const void *defaults,
		      FILE *out)
{
	char allowed[256], unless[256] = "", text[1024];
	int column;

	column = fprintf(out, "  ");
	if (opt->letter)
		column += fprintf(out, "-%c, ", opt->letter);
	column += fprintf(out, "--%s", opt->name);
	if (opt->value)
		column += fprintf(out, " %s", opt->value);
	if (column > HELP_COLUMN - 2) {
		fputc('\n', out);
		column = 0;
	}
	fprintf(out, "%*s", HELP_COLUMN - column, "");

	allowed_text(opt, allowed, sizeof(allowed));
	if (defaults)
		default_text(opt, defaults, unless, sizeof(unless));
	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s", opt->says,
		 allowed[0] || unless[0] ? " (" : "", allowed,
		 allowed[0] && unless[0] ? "; " : "", unless,
		 unless[0] ? " unless given" : "",
		 allowed[0] || unless[0] ? ")" : "");
	mp_utf8_wrap(out, HELP_COLUMN, HELP_COLUMN, text);
}

void mp_opt_help(const struct mp_opt *opts, const void *defaults, FILE *out)
{
	for (int i = 0; opts[i].name; i++)
		help_line(&opts[i], defaults, out);
}
