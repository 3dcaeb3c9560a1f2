// SPDX-License-Identifier: GPL-2.0
/*
 * The head of a saved run: one JSON object, written key by key and read back
 * with every type, length and range checked. Keys that are not known are left
 * alone, so that a later build can add some.
 */
#include "save_head.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"
#include "utf8.h"
#include "why.h"

#define CAP_BITS 32

/* An object that is being read, its name, and where complaints go. */
struct in {
	const json_t *json;
	const char *name;
	char *why;
	size_t room;
};

/* Text that is no UTF-8 (a name cut in its middle) must not lose a run. */
static json_t *text_json(const char *text)
{
	json_t *json = json_string(text);
	char *copy;

	if (json)
		return json;
	copy = strdup(text);
	if (!copy)
		return NULL;
	mp_utf8_clean(copy);
	json = json_string(copy);
	free(copy);
	return json;
}

/* Many readers of JSON are exact to 2^53 only: wide numbers go as text. */
static json_t *wide_json(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return json_string(text);
}

/* @list when all went well, else nothing. Takes the list over. */
static json_t *whole(json_t *list, int err)
{
	if (!err)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *caps_json(uint32_t caps)
{
	json_t *list = json_array();
	int err = !list;

	for (int bit = 0; bit < CAP_BITS; bit++) {
		const char *name = mp_cap_name(1u << bit);

		if ((caps & 1u << bit) && name)
			err |= json_array_append_new(list, json_string(name));
	}
	return whole(list, err);
}

static json_t *claims_json(const struct mp_host *host)
{
	json_t *list = json_array();
	int err = !list;

	for (uint32_t i = 0; i < host->n_claims; i++) {
		const struct mp_host_claim *claim = &host->claim[i];
		json_t *one = json_object();

		err |= json_object_set_new(one, "fact", text_json(claim->fact));
		err |= json_object_set_new(one, "value",
					   json_real(claim->value));
		err |= json_object_set_new(one, "source",
					   text_json(claim->source));
		err |= json_array_append_new(list, one);
	}
	return whole(list, err);
}

static json_t *conditions_json(const struct mp_host *host)
{
	json_t *list = json_array();
	int err = !list;

	for (uint32_t i = 0; i < host->n_conditions; i++) {
		const struct mp_text_pair *pair = &host->condition[i];
		json_t *one = json_array();

		err |= json_array_append_new(one, text_json(pair->key));
		err |= json_array_append_new(one, text_json(pair->text));
		err |= json_array_append_new(list, one);
	}
	return whole(list, err);
}

static json_t *host_json(const struct mp_host *host)
{
	char cpus[MP_CPUS_TEXT];
	json_t *json = json_object();
	int err = !json;

	err |= json_object_set_new(json, "model", text_json(host->model));
	err |= json_object_set_new(json, "label", text_json(host->label));
	err |= json_object_set_new(json, "caps", caps_json(host->caps));
	err |= json_object_set_new(json, "cpu", json_integer(host->cpu));
	mp_cpus_print(&host->cpus, cpus, sizeof(cpus));
	err |= json_object_set_new(json, "cpus", json_string(cpus));
	err |= json_object_set_new(json, "node", json_integer(host->node));
	err |= json_object_set_new(json, "pages",
				   json_string(mp_pages_name(host->pages)));
	err |= json_object_set_new(json, "pages_forced",
				   json_boolean(host->pages_forced));
	err |= json_object_set_new(json, "arena_max_bytes",
				   wide_json(host->arena_max_bytes));
	err |= json_object_set_new(json, "start_ns", wide_json(host->start_ns));
	err |= json_object_set_new(json, "claims", claims_json(host));
	err |= json_object_set_new(json, "conditions", conditions_json(host));
	return whole(json, err);
}

static int wrong(const struct in *in, const char *key, const char *wanted)
{
	return mp_why(in->why, in->room, -EINVAL, "%s.%s: %s is wanted",
		      in->name, key, wanted);
}

static int get_object(const struct in *from, const char *key, struct in *to)
{
	*to = *from;
	to->name = key;
	to->json = json_object_get(from->json, key);
	return json_is_object(to->json) ? 0 : wrong(from, key, "an object");
}

static int get_list(const struct in *in, const char *key, size_t most,
		    const json_t **list)
{
	*list = json_object_get(in->json, key);
	if (json_is_array(*list) && json_array_size(*list) <= most)
		return 0;
	return mp_why(in->why, in->room, -EINVAL,
		      "%s.%s: a list of %zu at most is wanted",
		      in->name, key, most);
}

static int get_text(const struct in *in, const char *key, char *text,
		    size_t room)
{
	const char *value;

	value = json_string_value(json_object_get(in->json, key));
	if (!value || strlen(value) >= room)
		return mp_why(in->why, in->room, -EINVAL,
			      "%s.%s: a text shorter than %zu is wanted",
			      in->name, key, room);
	strcpy(text, value);
	return 0;
}

static int get_int(const struct in *in, const char *key, int64_t low,
		   int64_t high, int64_t *value)
{
	const json_t *json = json_object_get(in->json, key);

	*value = json_integer_value(json);
	if (json_is_integer(json) && *value >= low && *value <= high)
		return 0;
	return mp_why(in->why, in->room, -EINVAL,
		      "%s.%s: a whole number %lld .. %lld is wanted",
		      in->name, key, (long long)low, (long long)high);
}

static int get_wide(const struct in *in, const char *key, uint64_t *value)
{
	char text[24];
	char *end;
	int err;

	err = get_text(in, key, text, sizeof(text));
	if (err)
		return err;
	errno = 0;
	*value = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno)
		return wrong(in, key, "a whole number as text, below 2^64,");
	return 0;
}

static int get_flag(const struct in *in, const char *key, bool *value)
{
	const json_t *json = json_object_get(in->json, key);

	*value = json_is_true(json);
	return json_is_boolean(json) ? 0 : wrong(in, key, "true or false");
}

/* A capability that is not known here is none that a probe could need. */
static int get_caps(const struct in *in, uint32_t *caps)
{
	const json_t *list;
	int err;

	err = get_list(in, "caps", CAP_BITS, &list);
	if (err)
		return err;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *said = json_string_value(json_array_get(list, i));

		if (!said)
			return wrong(in, "caps", "a list of texts");
		for (int bit = 0; bit < CAP_BITS; bit++) {
			const char *name = mp_cap_name(1u << bit);

			if (name && !strcmp(name, said))
				*caps |= 1u << bit;
		}
	}
	return 0;
}

static int get_claim(const struct in *in, struct mp_host_claim *claim)
{
	const json_t *value = json_object_get(in->json, "value");
	int err;

	err = get_text(in, "fact", claim->fact, sizeof(claim->fact));
	if (err)
		return err;
	if (!json_is_number(value))
		return wrong(in, "value", "a number");
	claim->value = json_number_value(value);
	return get_text(in, "source", claim->source, sizeof(claim->source));
}

static int get_claims(const struct in *in, struct mp_host *host)
{
	const json_t *list;
	int err;

	err = get_list(in, "claims", MP_HOST_CLAIMS, &list);
	for (size_t i = 0; !err && i < json_array_size(list); i++) {
		struct in one = *in;

		one.name = "claims";
		one.json = json_array_get(list, i);
		err = get_claim(&one, &host->claim[i]);
		host->n_claims++;
	}
	return err;
}

static int get_conditions(const struct in *in, struct mp_host *host)
{
	const json_t *list;
	int err;

	err = get_list(in, "conditions", MP_HOST_CONDITIONS, &list);
	for (size_t i = 0; !err && i < json_array_size(list); i++) {
		struct mp_text_pair *pair = &host->condition[i];
		const char *key;
		const char *text;

		if (json_unpack((json_t *)json_array_get(list, i), "[ss!]",
				&key, &text) ||
		    strlen(key) >= sizeof(pair->key) ||
		    strlen(text) >= sizeof(pair->text))
			return wrong(in, "conditions",
				     "a list of short [key, text]");
		strcpy(pair->key, key);
		strcpy(pair->text, text);
		host->n_conditions++;
	}
	return err;
}

/* Runs of before there were actors on other CPUs do not say: one. */
static int get_cpus(const struct in *in, struct mp_host *host)
{
	const json_t *json = json_object_get(in->json, "cpus");
	const char *text = json_string_value(json);

	if (!json)
		mp_cpus_add(&host->cpus, host->cpu);
	else if (!text || mp_cpus_parse(&host->cpus, text))
		return wrong(in, "cpus", "a list of CPUs, such as 0-3,8,");
	return 0;
}

static int get_place(const struct in *in, struct mp_host *host)
{
	char pages[MP_FACT_UNIT];
	int64_t value;
	int err;

	err = get_int(in, "cpu", 0, UINT32_MAX, &value);
	if (err)
		return err;
	host->cpu = (uint32_t)value;
	err = get_cpus(in, host);
	if (err)
		return err;
	err = get_int(in, "node", MP_NODE_ANY, INT32_MAX, &value);
	if (err)
		return err;
	host->node = (int32_t)value;
	err = get_text(in, "pages", pages, sizeof(pages));
	if (err)
		return err;
	if (mp_pages_parse(pages, &host->pages))
		return wrong(in, "pages", "a kind of page");
	return get_flag(in, "pages_forced", &host->pages_forced);
}

static int get_host(const struct in *in, struct mp_host *host)
{
	int err;

	err = get_text(in, "model", host->model, sizeof(host->model));
	if (!err)
		err = get_text(in, "label", host->label, sizeof(host->label));
	if (!err)
		err = get_caps(in, &host->caps);
	if (!err)
		err = get_place(in, host);
	if (!err)
		err = get_wide(in, "arena_max_bytes", &host->arena_max_bytes);
	if (!err)
		err = get_wide(in, "start_ns", &host->start_ns);
	if (!err)
		err = get_claims(in, host);
	return err ? err : get_conditions(in, host);
}

static int get_depth(const struct in *in, uint32_t *depth)
{
	char text[MP_FACT_UNIT];
	int err;

	err = get_text(in, "depth", text, sizeof(text));
	if (err)
		return err;
	if (!mp_depth_parse(text, depth))
		return 0;
	return wrong(in, "depth", "quick, default or deep");
}

json_t *mp_save_head_json(const struct mp_save_head *head)
{
	json_t *json = json_object();
	int err = !json;

	err |= json_object_set_new(json, "format", json_string(MP_SAVE_FORMAT));
	err |= json_object_set_new(json, "seed", wide_json(head->seed));
	err |= json_object_set_new(json, "depth",
				   json_string(mp_depth_name(head->depth)));
	err |= json_object_set_new(json, "budget_ns",
				   wide_json(head->budget_ns));
	err |= json_object_set_new(json, "limit_ns", wide_json(head->limit_ns));
	err |= json_object_set_new(json, "probes", text_json(head->probes));
	err |= json_object_set_new(json, "stop", text_json(head->stop));
	err |= json_object_set_new(json, "host", host_json(&head->host));
	return whole(json, err);
}

int mp_save_head_parse(struct mp_save_head *head, const json_t *json, char *why,
		       size_t room)
{
	struct in in = { json, "head", why, room };
	struct in host;
	int err;

	memset(head, 0, sizeof(*head));
	err = get_wide(&in, "seed", &head->seed);
	if (!err)
		err = get_depth(&in, &head->depth);
	if (!err)
		err = get_wide(&in, "budget_ns", &head->budget_ns);
	if (!err)
		err = get_wide(&in, "limit_ns", &head->limit_ns);
	if (!err)
		err = get_text(&in, "probes", head->probes,
			       sizeof(head->probes));
	if (!err)
		err = get_text(&in, "stop", head->stop, sizeof(head->stop));
	if (!err)
		err = get_object(&in, "host", &host);
	return err ? err : get_host(&host, &head->host);
}
