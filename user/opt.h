/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options from descriptors: one table a command says what there is, of which
 * type, what is allowed and what it is for. getopt_long(3) is fed from it,
 * values are checked by it, and help is printed from it.
 */
#ifndef MP_OPT_H
#define MP_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** enum mp_opt_kind - type of an option, and of the field that it sets */
enum mp_opt_kind {
	MP_OPT_FLAG,	/* bool */
	MP_OPT_INT,	/* int, least .. most */
	MP_OPT_U64,	/* uint64_t, any; decimal or 0x.. */
	MP_OPT_CHOICE,	/* int, index of the word in @choices */
	MP_OPT_TEXT,	/* const char *, not empty */
};

/**
 * struct mp_opt - one option
 * @name: long name
 * @letter: short name, 0 = none
 * @kind: enum mp_opt_kind
 * @offset: of the field that it sets
 * @value: what help calls its value; NULL for a flag
 * @says: what it is for, for help
 * @least, @most: bounds of an MP_OPT_INT
 * @choices: words of an MP_OPT_CHOICE, NULL-terminated
 */
struct mp_opt {
	const char *name;
	char letter;
	uint32_t kind;
	size_t offset;
	const char *value;
	const char *says;
	int least;
	int most;
	const char *const *choices;
};

/** MP_OPT_WHY - room for any refusal, its value cut where it is very long */
#define MP_OPT_WHY 512

/**
 * mp_opt_parse() - options into fields
 * @opts: the table; an entry without name ends it
 * @argc, @argv: the arguments, argv[0] a command's name. They are put in
 *	order: options first
 * @into: the struct whose fields are set; others keep their defaults
 * @first: gets the index of the first argument that is no option
 * @why: gets one line with a refusal: flag, value, what is allowed
 * @room: bytes of @why
 * Return: 0 or -EINVAL.
 */
int mp_opt_parse(const struct mp_opt *opts, int argc, char **argv, void *into,
		 int *first, char *why, size_t room);

/**
 * mp_opt_help() - the table as the lines of a help text, in 80 columns
 * @opts: the table
 * @defaults: the struct as it is when no option is given, to say what holds
 *	then; NULL = nothing to say
 * @out: where to
 */
void mp_opt_help(const struct mp_opt *opts, const void *defaults, FILE *out);

#endif
