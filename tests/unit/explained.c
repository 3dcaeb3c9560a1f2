// SPDX-License-Identifier: GPL-2.0
/* What is said of a fact, for the tests of explain. */
#include "explained.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd_explain_page.h"

static void one_blank_each(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		const char c = isspace((unsigned char)*from) ? ' ' : *from;

		if (c != ' ' || (to > text && to[-1] != ' '))
			*to++ = c;
	}
	*to = '\0';
}

struct mp_fact *explained_fact(struct mp_report *report, const char *name)
{
	for (uint32_t i = 0; i < report->facts.n; i++)
		if (strcmp(report->facts.fact[i].name, name) == 0)
			return &report->facts.fact[i];
	fail_msg("%s: the sample has no such fact", name);
	return NULL;
}

char *explained_page(const struct mp_report *report, const char *name)
{
	const struct mp_style style = { 0 };
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	mp_explain_write(out, report,
			 explained_fact((struct mp_report *)report, name),
			 &style);
	assert_false(ferror(out));
	fclose(out);
	one_blank_each(text);
	return text;
}

char *explained_change(const struct mp_report *report, const char *name)
{
	char *page = explained_page(report, name);
	char *from = strstr(page, "What would change the answer");

	assert_non_null(from);
	memmove(page, from, strlen(from) + 1);
	return page;
}

void explained_condition(struct mp_report *report, const char *key,
			 const char *text)
{
	uint32_t i = 0;

	while (i < report->n_conditions &&
	       strcmp(report->condition[i].key, key) != 0)
		i++;
	if (i == report->n_conditions)
		report->n_conditions++;
	assert_true(i < MP_HOST_CONDITIONS);
	snprintf(report->condition[i].key, sizeof(report->condition[i].key),
		 "%s", key);
	snprintf(report->condition[i].text, sizeof(report->condition[i].text),
		 "%s", text);
}
