// SPDX-License-Identifier: GPL-2.0
/* The names of quad-age LRU. */
#include "sim_qlru.h"

#include <stdlib.h>
#include <string.h>

#define OLDEST MP_SIM_QLRU_OLDEST

/* One digit, 0 .. @high, moved over. */
static bool parse_digit(const char **text, uint32_t high, uint8_t *value)
{
	const char c = **text;

	if (c < '0' || c > (char)('0' + high))
		return false;
	*value = (uint8_t)(c - '0');
	++*text;
	return true;
}

static bool parse_word(const char **text, const char *word)
{
	const size_t length = strlen(word);

	if (strncmp(*text, word, length))
		return false;
	*text += length;
	return true;
}

/* "1", or "r16": an age, or how rarely a line is filled with age 1. */
static bool parse_fill(const char **text, struct mp_sim_qlru *qlru)
{
	char *end;

	if (**text != 'r')
		return parse_digit(text, OLDEST, &qlru->fill);
	++*text;
	if (**text < '1' || **text > '9')
		return false;
	qlru->fill = 1;
	qlru->odds = (uint32_t)strtoul(*text, &end, 10);
	if (end - *text > 6)
		return false;
	*text = end;
	return true;
}

bool mp_sim_qlru_parse(const char *text, struct mp_sim_qlru *qlru)
{
	struct mp_sim_qlru read = { 0 };

	if (!parse_word(&text, "qlru_h") ||
	    !parse_digit(&text, 2, &read.hit_oldest) ||
	    !parse_digit(&text, 1, &read.hit_older) ||
	    !parse_word(&text, "_m") || !parse_fill(&text, &read) ||
	    !parse_word(&text, "_r") || !parse_digit(&text, 2, &read.victim) ||
	    !parse_word(&text, "_u") || !parse_digit(&text, 3, &read.update))
		return false;
	read.on_miss = parse_word(&text, "_umo");
	if (*text)
		return false;
	if (qlru)
		*qlru = read;
	return true;
}
