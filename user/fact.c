// SPDX-License-Identifier: GPL-2.0
/*
 * Facts, where they hold, and the series behind them: lists that grow.
 */
#include "fact.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

#define ROOM_FIRST 16u

static const char *const verdict_names[MP_VERDICTS] = {
	[MP_MEASURED] = "measured",
	[MP_AT_LEAST] = "at-least",
	[MP_AT_MOST] = "at-most",
	[MP_ABSENT] = "absent",
	[MP_VARIES] = "varies",
	[MP_DISPUTED] = "disputed",
	[MP_NOT_MEASURABLE] = "not-measurable",
};

static int grow(void **list, uint32_t *room, size_t each_bytes)
{
	uint32_t bigger = *room ? *room * 2 : ROOM_FIRST;
	void *data = realloc(*list, bigger * each_bytes);

	if (!data)
		return -ENOMEM;
	*list = data;
	*room = bigger;
	return 0;
}

static void set_text(char *text, size_t room, const char *from)
{
	snprintf(text, room, "%s", from);
}

const char *mp_verdict_name(uint32_t verdict)
{
	return verdict < MP_VERDICTS ? verdict_names[verdict] : "unknown";
}

int mp_verdict_parse(const char *name, uint32_t *verdict)
{
	for (uint32_t i = 0; i < MP_VERDICTS; i++) {
		if (strcmp(verdict_names[i], name))
			continue;
		*verdict = i;
		return 0;
	}
	return -EINVAL;
}

bool mp_verdict_known(uint32_t verdict)
{
	return verdict < MP_VERDICTS && verdict != MP_ABSENT &&
	       verdict != MP_NOT_MEASURABLE;
}

struct mp_fact *mp_facts_add(struct mp_facts *facts, const char *name,
			     const struct mp_where *where)
{
	void *list = facts->fact;
	struct mp_fact *fact;

	if (facts->n == facts->room &&
	    grow(&list, &facts->room, sizeof(*fact)))
		return NULL;
	facts->fact = list;
	fact = &facts->fact[facts->n++];
	memset(fact, 0, sizeof(*fact));
	set_text(fact->name, sizeof(fact->name), name);
	fact->where = *where;
	fact->confidence = NAN;
	return fact;
}

const struct mp_fact *mp_facts_find(const struct mp_facts *facts,
				    const char *name)
{
	for (uint32_t i = 0; i < facts->n; i++) {
		if (!strcmp(facts->fact[i].name, name))
			return &facts->fact[i];
	}
	return NULL;
}

static struct mp_fact *find_before(struct mp_facts *facts, uint32_t before,
				   const struct mp_fact *fact)
{
	for (uint32_t i = 0; i < before; i++) {
		struct mp_fact *old = &facts->fact[i];

		if (!strcmp(old->name, fact->name) &&
		    mp_where_equal(&old->where, &fact->where))
			return old;
	}
	return NULL;
}

void mp_facts_renew(struct mp_facts *facts, uint32_t from, const char *names)
{
	uint32_t kept = from;

	for (uint32_t i = from; i < facts->n; i++) {
		const struct mp_fact *fact = &facts->fact[i];
		struct mp_fact *old = mp_names_has(names, fact->name) ?
				      find_before(facts, from, fact) : NULL;

		if (old)
			*old = *fact;
		else if (kept++ < i)
			facts->fact[kept - 1] = *fact;
	}
	facts->n = kept;
}

struct mp_series *mp_facts_add_series(struct mp_facts *facts,
				      const char *name,
				      const struct mp_where *where)
{
	void *list = facts->series;
	struct mp_series *series;

	if (facts->n_series == facts->room_series &&
	    grow(&list, &facts->room_series, sizeof(*series)))
		return NULL;
	facts->series = list;
	series = &facts->series[facts->n_series++];
	memset(series, 0, sizeof(*series));
	set_text(series->name, sizeof(series->name), name);
	series->where = *where;
	return series;
}

const struct mp_series *mp_facts_find_series(const struct mp_facts *facts,
					     const char *name)
{
	for (uint32_t i = 0; i < facts->n_series; i++) {
		if (!strcmp(facts->series[i].name, name))
			return &facts->series[i];
	}
	return NULL;
}

int mp_series_add(struct mp_series *series, const struct mp_point *point)
{
	struct mp_point *list;

	list = reallocarray(series->point, series->n + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	series->point = list;
	list[series->n++] = *point;
	return 0;
}

void mp_facts_free(struct mp_facts *facts)
{
	for (uint32_t i = 0; i < facts->n_series; i++)
		free(facts->series[i].point);
	free(facts->series);
	free(facts->fact);
	memset(facts, 0, sizeof(*facts));
}

void mp_fact_note(struct mp_fact *fact, uint64_t id)
{
	for (uint32_t i = 0; i < fact->n_evidence; i++) {
		if (fact->evidence[i] == id)
			return;
	}
	if (fact->n_evidence < MP_FACT_EVIDENCE)
		fact->evidence[fact->n_evidence++] = id;
}

void mp_fact_cannot(struct mp_fact *fact, const char *unit,
		    const char *reason, ...)
{
	va_list args;

	fact->verdict = MP_NOT_MEASURABLE;
	fact->is_text = false;
	fact->value = 0;
	fact->low = 0;
	fact->high = 0;
	fact->text[0] = '\0';
	fact->confidence = NAN;
	set_text(fact->unit, sizeof(fact->unit), unit);
	va_start(args, reason);
	vsnprintf(fact->reason, sizeof(fact->reason), reason, args);
	va_end(args);
}

bool mp_fact_disagrees(const struct mp_fact *fact)
{
	double claim = fact->claim.value;

	if (!fact->claim.known || fact->is_text)
		return false;
	switch (fact->verdict) {
	case MP_MEASURED:
	case MP_VARIES:
	case MP_DISPUTED:
		return claim < fact->low || claim > fact->high;
	case MP_AT_LEAST:
		return claim < fact->low;
	case MP_AT_MOST:
		return claim > fact->high;
	case MP_ABSENT:
		/* Something is claimed to be there that was not found. */
		return claim > 0;
	default:
		return false;
	}
}

void mp_where_cpu(struct mp_where *where, uint32_t cpu)
{
	memset(where, 0, sizeof(*where));
	where->n = 1;
	set_text(where->key[0], sizeof(where->key[0]), "cpus");
	snprintf(where->value[0], sizeof(where->value[0]), "%u", cpu);
}

bool mp_where_equal(const struct mp_where *a, const struct mp_where *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n && i < MP_WHERE_KEYS; i++) {
		if (strcmp(a->key[i], b->key[i]) ||
		    strcmp(a->value[i], b->value[i]) ||
		    a->number[i] != b->number[i])
			return false;
	}
	return true;
}
