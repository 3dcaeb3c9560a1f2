// SPDX-License-Identifier: GPL-2.0
/* Names of facts: whole ones, beginnings, and those that were nearly hit. */
#include "cmd_explain_name.h"

#include <stdio.h>
#include <string.h>

#define NEAREST 4u

bool mp_name_means(const char *word, const struct mp_fact *fact, bool exact)
{
	const size_t length = strlen(word);

	if (strcmp(word, fact->name) == 0)
		return true;
	return !exact && length && strncmp(word, fact->name, length) == 0 &&
	       (fact->name[length] == '.' || word[length - 1] == '.');
}

static uint32_t least(uint32_t a, uint32_t b, uint32_t c)
{
	a = a < b ? a : b;
	return a < c ? a : c;
}

/* Levenshtein's, a row at a time. */
uint32_t mp_name_distance(const char *a, const char *b)
{
	const size_t rows = strnlen(a, MP_FACT_NAME);
	const size_t columns = strnlen(b, MP_FACT_NAME);
	uint32_t row[MP_FACT_NAME + 1];

	for (size_t k = 0; k <= columns; k++)
		row[k] = (uint32_t)k;
	for (size_t i = 1; i <= rows; i++) {
		uint32_t corner = row[0];

		row[0] = (uint32_t)i;
		for (size_t k = 1; k <= columns; k++) {
			const uint32_t above = row[k];

			row[k] = least(above + 1, row[k - 1] + 1,
				       corner + (a[i - 1] != b[k - 1]));
			corner = above;
		}
	}
	return row[columns];
}

static bool has(const struct mp_fact *const *list, uint32_t n,
		const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(list[i]->name, name) == 0)
			return true;
	return false;
}

/* The nearest that is not in the list yet, NULL when all are. */
static const struct mp_fact *next(const struct mp_report *report,
				  const char *word,
				  const struct mp_fact *const *list,
				  uint32_t n)
{
	const struct mp_fact *best = NULL;
	uint32_t nearest = UINT32_MAX;

	for (uint32_t i = 0; i < report->facts.n; i++) {
		const struct mp_fact *fact = &report->facts.fact[i];
		const uint32_t far = mp_name_distance(word, fact->name);

		if (far >= nearest || has(list, n, fact->name))
			continue;
		nearest = far;
		best = fact;
	}
	return best;
}

const char *mp_name_nearest(const struct mp_report *report, const char *word,
			    char *text, size_t room)
{
	const struct mp_fact *list[NEAREST];
	size_t used = 0;
	uint32_t n = 0;

	text[0] = '\0';
	while (n < NEAREST && used < room) {
		list[n] = next(report, word, list, n);
		if (!list[n])
			break;
		used += (size_t)snprintf(text + used, room - used, "%s%s",
					 n ? ", " : "", list[n]->name);
		n++;
	}
	return text;
}
