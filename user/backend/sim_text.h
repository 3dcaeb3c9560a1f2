/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statements of a machine file: words with key=value pairs, read by tables.
 * Nothing here knows what a word means.
 */
#ifndef MP_SIM_TEXT_H
#define MP_SIM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** MP_SIM_NAME - room for a text value, terminator included. */
#define MP_SIM_NAME 64

/** enum mp_sim_kind - what a value is, and what it is stored as */
enum mp_sim_kind {
	MP_SIM_TEXT,	/* a text: char[MP_SIM_NAME] */
	MP_SIM_COUNT,	/* a whole number: uint32_t */
	MP_SIM_SIZE,	/* bytes, with K, M or G: uint64_t */
	MP_SIM_REAL,	/* a number: double */
	MP_SIM_RANGE,	/* LOW..HIGH, or one number for both: struct mp_sim_range */
	MP_SIM_CHOICE,	/* one of a list of words, its index: uint32_t */
	MP_SIM_NAMED,	/* a choice that is kept as written: struct mp_sim_named */
};

/** struct mp_sim_range - from @low to @high */
struct mp_sim_range {
	double low;
	double high;
};

/** struct mp_sim_named - a choice, its index and its words */
struct mp_sim_named {
	uint32_t index;
	char text[MP_SIM_NAME];
};

/**
 * struct mp_sim_key - one key of a word
 * @name: before the '='
 * @kind: enum mp_sim_kind
 * @offset: of its field in the word's struct
 * @fallback: value when it is left out, as text; NULL: it must be given
 * @low: least value
 * @high: greatest value
 * @instead: a word that may stand for a number, and is stored as 0; or how
 *	what @further accepts is written; or NULL
 * @choices: of a choice, NULL-terminated
 * @further: of a choice, accepts further words as the index after the last
 *	of @choices; or NULL
 */
struct mp_sim_key {
	const char *name;
	uint32_t kind;
	size_t offset;
	const char *fallback;
	double low;
	double high;
	const char *instead;
	const char *const *choices;
	bool (*further)(const char *text);
};

/**
 * struct mp_sim_spot - where in a file the parser is, and room for what is
 * wrong there
 */
struct mp_sim_spot {
	const char *file;
	uint32_t line;
	char *why;
	size_t room;
};

/** mp_sim_wrong() - "FILE:LINE: .." into the spot's room; returns -EINVAL */
int mp_sim_wrong(const struct mp_sim_spot *spot, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * mp_sim_number() - a plain decimal number: digits, at most one point
 * @text: the number and no more, but for K, M or G (binary) where @sizes
 * Return: 0 or -EINVAL.
 */
int mp_sim_number(const char *text, bool sizes, double *value);

/**
 * mp_sim_word() - cut the next word off a line
 * @rest: in: where to look; out: behind the word. The line is written to
 * Return: the word, NULL at the end or before a comment.
 */
char *mp_sim_word(char **rest);

/** mp_sim_list() - append @name to a comma-separated list; too long = cut */
void mp_sim_list(char *list, size_t room, const char *name);

/**
 * mp_sim_keys() - read key=value pairs into a struct
 * @keys: the keys of the word, ended by a NULL name
 * @word: the word, for messages
 * @pairs: the rest of the line; written to
 * @into: the struct that the keys' offsets are in
 * Return: 0, or -EINVAL with the spot's why set: a pair without '=', an
 * unknown or doubled key, a value that is not allowed, a missing key.
 */
int mp_sim_keys(const struct mp_sim_key *keys, const char *word, char *pairs,
		void *into, const struct mp_sim_spot *spot);

#endif
