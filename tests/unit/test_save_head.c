// SPDX-License-Identifier: GPL-2.0
/*
 * The head of a saved run comes back as it was; a head in which anything is
 * missing, of another type or out of its range is refused by name.
 */
#include "save_head.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "probe.h"

static void fill(struct mp_save_head *head)
{
	struct mp_host *host = &head->host;

	memset(head, 0, sizeof(*head));
	head->seed = UINT64_MAX;
	head->budget_ns = 10000000000;
	head->limit_ns = 60000000000;
	head->depth = MP_DEPTH_DEEP;
	strcpy(head->probes, "clock,cache-size");
	strcpy(head->stop, "signal");
	host->caps = MP_CAP_CHASE | MP_CAP_HUGE | MP_CAP_MODELLED;
	host->cpu = 77;
	mp_cpus_parse(&host->cpus, "0-3,77,1023");
	host->node = 1;
	host->pages = MP_PAGES_THP;
	host->pages_forced = true;
	host->arena_max_bytes = UINT64_MAX - 1;
	host->start_ns = 123456789012345678;
	strcpy(host->model, "Some CPU \"quoted\" \xc2\xae");
	strcpy(host->label, "simulated: zen4");
	mp_host_claim(host, "cpu.l1d.size", 32768, "cpuid");
	mp_host_claim(host, "cpu.clock", 3.6781234567891e9, "sysfs");
	mp_host_condition(host, "governor", "performance");
	mp_host_condition(host, "load", "0.25");
	mp_host_condition(host, "load", "a second one of that key");
}

static void a_head_comes_back_as_it_was(void **state)
{
	static struct mp_save_head before;
	static struct mp_save_head after;
	char why[256] = "";
	json_t *json;
	json_t *again;
	char *text;

	(void)state;
	fill(&before);
	json = mp_save_head_json(&before);
	assert_non_null(json);
	/* Through text, as it goes to disk. */
	text = json_dumps(json, 0);
	again = json_loads(text, 0, NULL);
	assert_int_equal(mp_save_head_parse(&after, again, why, sizeof(why)),
			 0);
	assert_memory_equal(&before, &after, sizeof(before));
	free(text);
	json_decref(json);
	json_decref(again);
}

static void an_empty_host_comes_back_too(void **state)
{
	static struct mp_save_head before;
	static struct mp_save_head after;
	json_t *json;

	(void)state;
	before.host.node = MP_NODE_ANY;
	json = mp_save_head_json(&before);
	assert_int_equal(mp_save_head_parse(&after, json, NULL, 0), 0);
	assert_memory_equal(&before, &after, sizeof(before));
	json_decref(json);
}

static void the_pointer_to_a_recording_is_not_kept(void **state)
{
	static struct mp_save_head before;
	static struct mp_save_head after;
	static struct mp_save save;
	json_t *json;

	(void)state;
	fill(&before);
	before.host.recorded = &save;
	json = mp_save_head_json(&before);
	assert_int_equal(mp_save_head_parse(&after, json, NULL, 0), 0);
	assert_null(after.host.recorded);
	json_decref(json);
}

static void text_that_is_no_utf8_is_kept_as_far_as_it_goes(void **state)
{
	static struct mp_save_head before;
	static struct mp_save_head after;
	json_t *json;

	(void)state;
	fill(&before);
	strcpy(before.host.model, "cut \xc2");
	json = mp_save_head_json(&before);
	assert_non_null(json);
	assert_int_equal(mp_save_head_parse(&after, json, NULL, 0), 0);
	assert_string_equal(after.host.model, "cut ?");
	json_decref(json);
}

/* Replace one key, of the head or of its host, and expect a complaint. */
static void refuse(const char *in, const char *key, json_t *value)
{
	static struct mp_save_head head;
	char why[256] = "";
	json_t *json;
	json_t *to;

	fill(&head);
	json = mp_save_head_json(&head);
	to = in ? json_object_get(json, in) : json;
	if (value)
		json_object_set_new(to, key, value);
	else
		json_object_del(to, key);
	if (!mp_save_head_parse(&head, json, why, sizeof(why)))
		fail_msg("%s.%s was taken", in ? in : "head", key);
	assert_non_null(strstr(why, key));
	json_decref(json);
}

static json_t *list_of(int n, const char *one)
{
	json_t *list = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(list, json_loads(one, JSON_DECODE_ANY,
						       NULL));
	return list;
}

static void every_key_is_wanted(void **state)
{
	static const char *const of_head[] = { "seed", "depth", "budget_ns",
					       "limit_ns", "probes", "stop",
					       "host" };
	static const char *const of_host[] = { "model", "label", "caps", "cpu",
					       "node", "pages", "pages_forced",
					       "arena_max_bytes", "start_ns",
					       "claims", "conditions" };

	(void)state;
	for (size_t i = 0; i < sizeof(of_head) / sizeof(of_head[0]); i++) {
		refuse(NULL, of_head[i], NULL);
		refuse(NULL, of_head[i], json_null());
		refuse(NULL, of_head[i], json_real(1.5));
	}
	for (size_t i = 0; i < sizeof(of_host) / sizeof(of_host[0]); i++) {
		refuse("host", of_host[i], NULL);
		refuse("host", of_host[i], json_null());
		refuse("host", of_host[i], json_real(1.5));
	}
}

static void a_head_from_before_there_were_others_has_one_cpu(void **state)
{
	static struct mp_save_head before;
	static struct mp_save_head after;
	struct mp_cpus alone = { 0 };
	char why[256] = "";
	json_t *json;

	(void)state;
	fill(&before);
	json = mp_save_head_json(&before);
	json_object_del(json_object_get(json, "host"), "cpus");
	if (mp_save_head_parse(&after, json, why, sizeof(why)))
		fail_msg("%s", why);
	mp_cpus_add(&alone, 77);
	assert_memory_equal(&after.host.cpus, &alone, sizeof(alone));
	json_decref(json);
	refuse("host", "cpus", json_null());
	refuse("host", "cpus", json_integer(3));
	refuse("host", "cpus", json_string("3-1"));
}

static void values_out_of_range_are_refused(void **state)
{
	char longer[600];

	(void)state;
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	refuse(NULL, "seed", json_string("-1"));
	refuse(NULL, "seed", json_string(""));
	refuse(NULL, "seed", json_string(" 1"));
	refuse(NULL, "seed", json_string("1x"));
	refuse(NULL, "seed", json_string("18446744073709551616"));
	refuse(NULL, "seed", json_string("1111111111111111111111111111111"));
	refuse(NULL, "depth", json_string("deeper"));
	refuse(NULL, "probes", json_string(longer));
	refuse(NULL, "host", json_array());
	refuse("host", "model", json_string(longer));
	refuse("host", "cpu", json_integer(-1));
	refuse("host", "cpu", json_integer(4294967296));
	refuse("host", "node", json_integer(-2));
	refuse("host", "pages", json_string("huge"));
	refuse("host", "pages_forced", json_integer(1));
	refuse("host", "caps", list_of(1, "1"));
	refuse("host", "caps", list_of(33, "\"chase\""));
	refuse("host", "claims", list_of(1, "1"));
	refuse("host", "claims", list_of(65, "{\"fact\":\"a\",\"value\":1,"
					     "\"source\":\"b\"}"));
	refuse("host", "claims", list_of(1, "{\"fact\":\"a\",\"value\":\"1\","
					    "\"source\":\"b\"}"));
	refuse("host", "conditions", list_of(65, "[\"a\",\"b\"]"));
	refuse("host", "conditions", list_of(1, "[\"a\"]"));
	refuse("host", "conditions", list_of(1, "[\"a\",1]"));
	refuse("host", "conditions", list_of(1, "[\"a\",\"b\",\"c\"]"));
}

static void a_capability_of_a_later_build_is_left_out(void **state)
{
	static struct mp_save_head head;
	json_t *json;

	(void)state;
	fill(&head);
	json = mp_save_head_json(&head);
	json_array_append_new(json_object_get(json_object_get(json, "host"),
					      "caps"),
			      json_string("telepathy"));
	json_object_set_new(json, "later", json_true());
	assert_int_equal(mp_save_head_parse(&head, json, NULL, 0), 0);
	assert_int_equal(head.host.caps, MP_CAP_CHASE | MP_CAP_HUGE |
			 MP_CAP_MODELLED);
	json_decref(json);
}

static void what_is_no_object_is_refused(void **state)
{
	static struct mp_save_head head;
	json_t *json = json_string("x");

	(void)state;
	assert_int_equal(mp_save_head_parse(&head, json, NULL, 0), -EINVAL);
	assert_int_equal(mp_save_head_parse(&head, NULL, NULL, 0), -EINVAL);
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_head_comes_back_as_it_was),
		cmocka_unit_test(an_empty_host_comes_back_too),
		cmocka_unit_test(the_pointer_to_a_recording_is_not_kept),
		cmocka_unit_test(text_that_is_no_utf8_is_kept_as_far_as_it_goes),
		cmocka_unit_test(every_key_is_wanted),
		cmocka_unit_test(a_head_from_before_there_were_others_has_one_cpu),
		cmocka_unit_test(values_out_of_range_are_refused),
		cmocka_unit_test(a_capability_of_a_later_build_is_left_out),
		cmocka_unit_test(what_is_no_object_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
