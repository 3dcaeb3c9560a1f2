// SPDX-License-Identifier: GPL-2.0
/*
 * A report as JSON, through jansson. Plain fields stand in tables; what has
 * more than one form is written out here. Building on: jansson refuses a
 * NULL object or value and gives the other back, so that running out of
 * memory anywhere comes out at the end.
 */
#include "report/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/json_table.h"

/* An object of its table's fields; NULL: no memory. */
static json_t *object_of(const struct mp_field *field, const void *from)
{
	json_t *object = json_object();

	if (object && !mp_fields_write(field, from, object)) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static json_t *array_of(const struct mp_field *field, const void *list,
			uint32_t n, size_t each_bytes)
{
	json_t *array = json_array();

	for (uint32_t i = 0; array && i < n; i++) {
		const char *one = (const char *)list + i * each_bytes;

		if (json_array_append_new(array, object_of(field, one))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *value_write(const struct mp_fact *fact)
{
	if (fact->is_text && mp_verdict_known(fact->verdict))
		return json_string(fact->text);
	return mp_json_number(fact->value);
}

static json_t *evidence_write(const struct mp_fact *fact)
{
	json_t *array = json_array();

	for (uint32_t i = 0; array && i < fact->n_evidence; i++) {
		if (json_array_append_new(array,
					  mp_json_id(fact->evidence[i]))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *claim_write(const struct mp_claim *claim)
{
	return claim->known ? object_of(mp_json_claim, claim) : json_null();
}

static json_t *fact_write(const struct mp_fact *fact)
{
	json_t *object = object_of(mp_json_fact_head, fact);

	if (!object)
		return NULL;
	if (json_object_set_new(object, "value", value_write(fact)) ||
	    !mp_fields_write(mp_json_fact, fact, object) ||
	    json_object_set_new(object, "evidence", evidence_write(fact)) ||
	    json_object_set_new(object, "claim", claim_write(&fact->claim)) ||
	    !mp_fields_write(mp_json_fact_tail, fact, object)) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static json_t *facts_write(const struct mp_facts *facts)
{
	json_t *array = json_array();

	for (uint32_t i = 0; array && i < facts->n; i++) {
		if (json_array_append_new(array, fact_write(&facts->fact[i]))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *series_write(const struct mp_facts *facts)
{
	json_t *array = json_array();

	for (uint32_t i = 0; array && i < facts->n_series; i++) {
		const struct mp_series *series = &facts->series[i];
		json_t *object = object_of(mp_json_series, series);
		json_t *points = array_of(mp_json_point, series->point,
					  series->n, sizeof(*series->point));

		if (json_object_set_new(object, "points", points) ||
		    json_array_append(array, object)) {
			json_decref(object);
			json_decref(array);
			return NULL;
		}
		json_decref(object);
	}
	return array;
}

static json_t *experiment_write(const struct mp_report_exp *exp)
{
	json_t *object = object_of(mp_json_exp_head, exp);

	if (!object)
		return NULL;
	if (json_object_set_new(object, "exp",
				json_string(exp->text ? exp->text : "")) ||
	    !mp_fields_write(mp_json_exp, exp, object)) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static json_t *experiments_write(const struct mp_report *report)
{
	json_t *array = json_array();

	for (uint32_t i = 0; array && i < report->n_experiments; i++) {
		if (json_array_append_new(array,
			experiment_write(&report->experiment[i]))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *machine_write(const struct mp_report *report)
{
	json_t *object = object_of(mp_json_machine, report);
	json_t *claims = array_of(mp_json_host_claim, report->claim,
				  report->n_claims, sizeof(report->claim[0]));

	if (json_object_set_new(object, "claims", claims)) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static json_t *conditions_write(const struct mp_report *report)
{
	json_t *object = json_object();

	for (uint32_t i = 0; object && i < report->n_conditions; i++) {
		const struct mp_text_pair *pair = &report->condition[i];

		if (json_object_set_new(object, pair->key,
					json_string(pair->text))) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}

int mp_json_write(const struct mp_report *report, char **text)
{
	const size_t flags = JSON_INDENT(2) |
			     JSON_REAL_PRECISION(MP_REPORT_DIGITS);
	json_t *root = json_object();
	char *body = NULL;
	int n = -1;

	*text = NULL;
	if (!json_object_set_new(root, "schema",
				 json_string(MP_REPORT_SCHEMA)) &&
	    !json_object_set_new(root, "tool",
				 object_of(mp_json_tool, report)) &&
	    !json_object_set_new(root, "machine", machine_write(report)) &&
	    !json_object_set_new(root, "conditions",
				 conditions_write(report)) &&
	    !json_object_set_new(root, "run",
				 object_of(mp_json_run, &report->run)) &&
	    !json_object_set_new(root, "facts",
				 facts_write(&report->facts)) &&
	    !json_object_set_new(root, "series",
				 series_write(&report->facts)) &&
	    !json_object_set_new(root, "experiments",
				 experiments_write(report)) &&
	    !json_object_set_new(root, "disagreements",
				 array_of(mp_json_disagreement,
					  report->disagreement,
					  report->n_disagreements,
					  sizeof(*report->disagreement))))
		body = json_dumps(root, flags);
	if (body)
		n = asprintf(text, "%s\n", body);
	free(body);
	json_decref(root);
	if (n < 0)
		*text = NULL;
	return n < 0 ? -ENOMEM : 0;
}
