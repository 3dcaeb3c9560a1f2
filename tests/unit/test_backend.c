// SPDX-License-Identifier: GPL-2.0
/*
 * The table of backends, and what they say about a host and an error.
 */
#include "backend.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void every_backend_is_found_by_its_own_name(void **state)
{
	uint32_t n = 0;

	(void)state;
	for (; mp_backends[n]; n++)
		assert_ptr_equal(mp_backend_find(mp_backends[n]->name),
				 mp_backends[n]);
	assert_true(n >= 3);
	assert_non_null(mp_backend_find("replay"));
	assert_null(mp_backend_find("Replay"));
	assert_null(mp_backend_find(""));
}

static void each_capability_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (uint32_t cap = 1; cap <= MP_CAP_MODELLED; cap <<= 1) {
		assert_non_null(mp_cap_name(cap));
		for (uint32_t other = 1; other < cap; other <<= 1)
			assert_string_not_equal(mp_cap_name(cap),
						mp_cap_name(other));
	}
	assert_null(mp_cap_name(0));
	assert_null(mp_cap_name(MP_CAP_CHASE | MP_CAP_GAP));
	assert_null(mp_cap_name(1u << 31));
}

static void models_and_recordings_do_not_live_whatever_they_are_labelled(
	void **state)
{
	static struct mp_host host;

	(void)state;
	assert_true(mp_host_lives(&host));
	strcpy(host.label, "no measurement");
	assert_true(mp_host_lives(&host));
	host.caps = MP_CAP_MODELLED;
	assert_false(mp_host_lives(&host));
	host.caps = 0;
	host.recorded = (const struct mp_save *)&host;
	assert_false(mp_host_lives(&host));
}

static void a_full_table_of_claims_ignores_more(void **state)
{
	static struct mp_host host;

	(void)state;
	for (int i = 0; i < MP_HOST_CLAIMS + 5; i++)
		mp_host_claim(&host, "cpu.l1d.size", i, "cpuid");
	assert_int_equal(host.n_claims, MP_HOST_CLAIMS);
	assert_true(host.claim[MP_HOST_CLAIMS - 1].value ==
		    MP_HOST_CLAIMS - 1);
	assert_string_equal(host.claim[0].source, "cpuid");
}

static void a_claim_that_is_no_number_is_none(void **state)
{
	static struct mp_host host;

	(void)state;
	mp_host_claim(&host, "cpu.clock", NAN, "cpuid");
	mp_host_claim(&host, "cpu.clock", INFINITY, "cpuid");
	assert_int_equal(host.n_claims, 0);
}

static void conditions_are_kept_in_order_and_cut_to_fit(void **state)
{
	static struct mp_host host;
	char text[300];

	(void)state;
	memset(text, 't', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	mp_host_condition(&host, "load", "%.2f", 0.25);
	mp_host_condition(&host, "long", "%s", text);
	assert_string_equal(host.condition[0].key, "load");
	assert_string_equal(host.condition[0].text, "0.25");
	assert_int_equal(strlen(host.condition[1].text), MP_HOST_TEXT - 1);
	for (int i = 0; i < MP_HOST_CONDITIONS; i++)
		mp_host_condition(&host, "more", "%d", i);
	assert_int_equal(host.n_conditions, MP_HOST_CONDITIONS);
}

static void an_error_is_said_and_handed_on(void **state)
{
	struct mp_target target = { 0 };

	(void)state;
	assert_int_equal(mp_target_fail(&target, -EPERM, "%s: no", "this"),
			 -EPERM);
	assert_string_equal(target.why, "this: no");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_backend_is_found_by_its_own_name),
		cmocka_unit_test(each_capability_has_a_name_of_its_own),
		cmocka_unit_test(
			models_and_recordings_do_not_live_whatever_they_are_labelled),
		cmocka_unit_test(a_full_table_of_claims_ignores_more),
		cmocka_unit_test(a_claim_that_is_no_number_is_none),
		cmocka_unit_test(conditions_are_kept_in_order_and_cut_to_fit),
		cmocka_unit_test(an_error_is_said_and_handed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
