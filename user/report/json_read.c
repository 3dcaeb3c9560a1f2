// SPDX-License-Identifier: GPL-2.0
/*
 * A report from JSON, through jansson. The file may come from anywhere: what
 * is not right is refused with its place in the document, and nothing of it
 * is kept.
 */
#include "report/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_table.h"
#include "utf8.h"

/* Facts and series come from probes, a few each; points from one sweep. */
#define FACTS_MAX 65536u
#define SERIES_MAX 4096u
#define EXPERIMENTS_MAX 65536u
#define POINTS_MAX 1048576u

/* Where element @i of a list stands. */
static void step_into(struct mp_json_at *at, const struct mp_json_at *outer,
		      const char *list, size_t i)
{
	*at = *outer;
	snprintf(at->path, sizeof(at->path), "%.60s%s%s[%zu]", outer->path,
		 outer->path[0] ? "." : "", list, i);
}

static int value_read(const json_t *object, struct mp_fact *fact,
		      const struct mp_json_at *at)
{
	const json_t *json = json_object_get(object, "value");

	if (!json_is_string(json)) {
		if (!json)
			return mp_json_fail(at, "value", "is missing");
		return mp_json_real(json, "value", &fact->value, at);
	}
	if (json_string_length(json) >= sizeof(fact->text))
		return mp_json_fail(at, "value", "more than %zu bytes",
				    sizeof(fact->text) - 1);
	fact->is_text = true;
	snprintf(fact->text, sizeof(fact->text), "%s",
		 json_string_value(json));
	return 0;
}

static int claim_read(const json_t *object, struct mp_claim *claim,
		      const struct mp_json_at *outer)
{
	const json_t *json = json_object_get(object, "claim");
	struct mp_json_at at = *outer;

	if (json_is_null(json))
		return 0;
	if (!json_is_object(json))
		return mp_json_fail(outer, "claim", "wants an object or null");
	snprintf(at.path, sizeof(at.path), "%.100s.claim", outer->path);
	claim->known = true;
	return mp_fields_read(mp_json_claim, json, claim, &at);
}

static int evidence_read(const json_t *object, struct mp_fact *fact,
			 const struct mp_json_at *at)
{
	const json_t *array = mp_json_array(object, "evidence", at);
	json_t *json;
	size_t i;

	if (!array)
		return -EINVAL;
	if (json_array_size(array) > MP_FACT_EVIDENCE)
		return mp_json_fail(at, "evidence", "at most %d of them",
				    MP_FACT_EVIDENCE);
	json_array_foreach(array, i, json) {
		if (!mp_json_id_read(json, &fact->evidence[fact->n_evidence]))
			return mp_json_fail(at, "evidence",
					    "wants texts of 16 hex digits");
		fact->n_evidence++;
	}
	return 0;
}

static int fact_read(const json_t *json, struct mp_facts *facts,
		     const struct mp_json_at *at)
{
	static const struct mp_where nowhere;
	struct mp_fact *fact;
	int err;

	if (!json_is_object(json))
		return mp_json_fail(at, "", "wants an object");
	fact = mp_facts_add(facts, "", &nowhere);
	if (!fact)
		return -ENOMEM;
	err = mp_fields_read(mp_json_fact_head, json, fact, at);
	if (!err)
		err = value_read(json, fact, at);
	if (!err)
		err = mp_fields_read(mp_json_fact, json, fact, at);
	if (!err)
		err = evidence_read(json, fact, at);
	if (!err)
		err = claim_read(json, &fact->claim, at);
	if (!err)
		err = mp_fields_read(mp_json_fact_tail, json, fact, at);
	return err;
}

static int points_read(const json_t *json, struct mp_series *series,
		       const struct mp_json_at *outer)
{
	const json_t *array = mp_json_array(json, "points", outer);
	struct mp_json_at at;
	json_t *one;
	size_t i;
	int err;

	if (!array)
		return -EINVAL;
	if (json_array_size(array) > POINTS_MAX)
		return mp_json_fail(outer, "points", "at most %u of them",
				    POINTS_MAX);
	series->point = calloc(json_array_size(array) + 1,
			       sizeof(*series->point));
	if (!series->point)
		return -ENOMEM;
	json_array_foreach(array, i, one) {
		step_into(&at, outer, "points", i);
		if (!json_is_object(one))
			return mp_json_fail(&at, "", "wants an object");
		err = mp_fields_read(mp_json_point, one, &series->point[i],
				     &at);
		if (err)
			return err;
		series->n++;
	}
	return 0;
}

static int one_series_read(const json_t *json, struct mp_facts *facts,
			   const struct mp_json_at *at)
{
	static const struct mp_where nowhere;
	struct mp_series *series;
	int err;

	if (!json_is_object(json))
		return mp_json_fail(at, "", "wants an object");
	series = mp_facts_add_series(facts, "", &nowhere);
	if (!series)
		return -ENOMEM;
	err = mp_fields_read(mp_json_series, json, series, at);
	return err ? err : points_read(json, series, at);
}

static int disagreement_read(const json_t *json, struct mp_report *report,
			     const struct mp_json_at *at)
{
	struct mp_disagreement *one;

	if (!json_is_object(json))
		return mp_json_fail(at, "", "wants an object");
	one = mp_report_add_disagreement(report);
	if (!one)
		return -ENOMEM;
	return mp_fields_read(mp_json_disagreement, json, one, at);
}

static int host_claim_read(const json_t *json, struct mp_report *report,
			   const struct mp_json_at *at)
{
	if (!json_is_object(json))
		return mp_json_fail(at, "", "wants an object");
	return mp_fields_read(mp_json_host_claim, json,
			      &report->claim[report->n_claims++], at);
}

/* The words are not looked into: a version that knows other fields may have
 * written them. */
static int experiment_read(const json_t *json, struct mp_report *report,
			   const struct mp_json_at *at)
{
	struct mp_report_exp *exp;
	const json_t *text;
	int err;

	if (!json_is_object(json))
		return mp_json_fail(at, "", "wants an object");
	exp = mp_report_add_exp(report);
	if (!exp)
		return -ENOMEM;
	err = mp_fields_read(mp_json_exp_head, json, exp, at);
	if (err)
		return err;
	text = json_object_get(json, "exp");
	if (!json_is_string(text) ||
	    json_string_length(text) >= MP_EXP_TEXT)
		return mp_json_fail(at, "exp",
				    "wants a text of at most %d bytes",
				    MP_EXP_TEXT - 1);
	exp->text = strdup(json_string_value(text));
	if (!exp->text)
		return -ENOMEM;
	return mp_fields_read(mp_json_exp, json, exp, at);
}

static int read_fact(const json_t *json, struct mp_report *report,
		     const struct mp_json_at *at)
{
	return fact_read(json, &report->facts, at);
}

static int read_series(const json_t *json, struct mp_report *report,
		       const struct mp_json_at *at)
{
	return one_series_read(json, &report->facts, at);
}

/* A list of the report: what to do with each element, how many there may be. */
static int list_read(const json_t *object, const char *key, size_t most,
		     int (*each)(const json_t *, struct mp_report *,
				 const struct mp_json_at *),
		     struct mp_report *report, const struct mp_json_at *outer)
{
	const json_t *array = mp_json_array(object, key, outer);
	struct mp_json_at at;
	json_t *json;
	size_t i;
	int err;

	if (!array)
		return -EINVAL;
	if (json_array_size(array) > most)
		return mp_json_fail(outer, key, "%zu of them: at most %zu",
				    json_array_size(array), most);
	json_array_foreach(array, i, json) {
		step_into(&at, outer, key, i);
		err = each(json, report, &at);
		if (err)
			return err;
	}
	return 0;
}

static int conditions_read(const json_t *root, struct mp_report *report,
			   const struct mp_json_at *at)
{
	json_t *object = json_object_get(root, "conditions");
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		return mp_json_fail(at, "conditions", "wants an object");
	if (json_object_size(object) > MP_HOST_CONDITIONS)
		return mp_json_fail(at, "conditions", "at most %d of them",
				    MP_HOST_CONDITIONS);
	json_object_foreach(object, key, value) {
		struct mp_text_pair *pair;

		pair = &report->condition[report->n_conditions++];
		if (!json_is_string(value) ||
		    json_string_length(value) >= sizeof(pair->text) ||
		    strlen(key) >= sizeof(pair->key))
			return mp_json_fail(at, "conditions",
					    "%.40s: wants a text of at most %zu bytes",
					    key, sizeof(pair->text) - 1);
		snprintf(pair->key, sizeof(pair->key), "%s", key);
		snprintf(pair->text, sizeof(pair->text), "%s",
			 json_string_value(value));
	}
	return 0;
}

/* An object of the report whose fields stand in a table. */
static int part_read(const json_t *root, const char *key,
		     const struct mp_field *field, void *into,
		     const struct mp_json_at *outer, const json_t **part)
{
	struct mp_json_at at = *outer;
	const json_t *object = json_object_get(root, key);

	if (!json_is_object(object))
		return mp_json_fail(outer, key,
				    object ? "wants an object" : "is missing");
	snprintf(at.path, sizeof(at.path), "%s", key);
	if (part)
		*part = object;
	return mp_fields_read(field, object, into, &at);
}

static int schema_check(const json_t *root, const struct mp_json_at *at)
{
	const char *schema = json_string_value(json_object_get(root, "schema"));

	if (!schema)
		return mp_json_fail(at, "schema",
				    "is missing: not a report of memprobe");
	if (strcmp(schema, MP_REPORT_SCHEMA) != 0)
		return mp_json_fail(at, "schema",
				    "%.60s: this version reads %s", schema,
				    MP_REPORT_SCHEMA);
	return 0;
}

static int report_read(const json_t *root, struct mp_report *report,
		       const struct mp_json_at *top)
{
	struct mp_json_at inside = *top;
	const json_t *machine;
	int err;

	snprintf(inside.path, sizeof(inside.path), "machine");
	err = schema_check(root, top);
	if (!err)
		err = part_read(root, "tool", mp_json_tool, report, top, NULL);
	if (!err)
		err = part_read(root, "machine", mp_json_machine, report, top,
				&machine);
	if (!err)
		err = list_read(machine, "claims", MP_HOST_CLAIMS,
				host_claim_read, report, &inside);
	if (!err)
		err = conditions_read(root, report, top);
	if (!err)
		err = part_read(root, "run", mp_json_run, &report->run, top,
				NULL);
	if (!err)
		err = list_read(root, "facts", FACTS_MAX, read_fact, report,
				top);
	if (!err)
		err = list_read(root, "series", SERIES_MAX, read_series,
				report, top);
	/* Reports were kept before they had any. */
	if (!err && json_object_get(root, "experiments"))
		err = list_read(root, "experiments", EXPERIMENTS_MAX,
				experiment_read, report, top);
	if (!err)
		err = list_read(root, "disagreements", FACTS_MAX,
				disagreement_read, report, top);
	return err;
}

int mp_json_read(const char *text, size_t bytes, struct mp_report *report,
		 char *why, size_t room)
{
	const struct mp_json_at top = { .why = why, .room = room };
	json_error_t error;
	json_t *root;
	int err;

	mp_report_init(report);
	snprintf(why, room, "out of memory");
	root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
	if (!root) {
		snprintf(why, room, "line %d, column %d: %s", error.line,
			 error.column, error.text);
		mp_utf8_clean(why);
		return -EINVAL;
	}
	if (json_is_object(root)) {
		err = report_read(root, report, &top);
	} else {
		snprintf(why, room, "wants a JSON object: not a report of memprobe");
		err = -EINVAL;
	}
	json_decref(root);
	mp_utf8_clean(why);
	if (err)
		mp_report_free(report);
	else
		mp_report_settle(report);
	return err;
}
