// SPDX-License-Identifier: GPL-2.0
/* A later probe may come to know more of a fact than the one that gave it. */
#include "runner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "fake_target.h"

#define PLENTY_NS 1000000000ull

static struct mp_target target;
static struct mp_host host;
static struct mp_run run;

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	(void)view;
	(void)plan;
	return 0;
}

static int add(struct mp_facts *facts, const char *name, double value)
{
	struct mp_where where;

	mp_where_cpu(&where, 0);
	mp_facts_add(facts, name, &where)->value = value;
	return 0;
}

static int infer_first(const struct mp_view *view, struct mp_facts *facts)
{
	(void)view;
	return add(facts, "a", 1) + add(facts, "b", 2);
}

static int infer_second(const struct mp_view *view, struct mp_facts *facts)
{
	const double seen = mp_facts_find(view->facts, "a")->value;

	return add(facts, "a", seen + 10) + add(facts, "c", 3);
}

static int infer_third(const struct mp_view *view, struct mp_facts *facts)
{
	return add(facts, "d", mp_facts_find(view->facts, "a")->value);
}

static void what_is_renewed_replaces_what_was_found_before(void **state)
{
	static const struct mp_probe probes[] = {
		{ .name = "first", .facts = "a,b", .weight = 1, .next = next,
		  .infer = infer_first },
		{ .name = "second", .facts = "c", .renews = "a", .weight = 1,
		  .next = next, .infer = infer_second },
		{ .name = "third", .facts = "d", .weight = 1, .next = next,
		  .infer = infer_third },
	};
	const struct mp_probe *all[] = { &probes[0], &probes[1], &probes[2] };
	const struct mp_run_opts opts = {
		.probe = all, .n_probes = 3,
		.budget_ns = PLENTY_NS, .limit_ns = PLENTY_NS,
	};

	(void)state;
	fake_reset(&target, &host);
	assert_int_equal(mp_run_all(&target, &host, &opts, &run), 0);
	assert_int_equal(run.facts.n, 4);
	assert_string_equal(run.facts.fact[0].name, "a");
	assert_true(run.facts.fact[0].value == 11);
	assert_true(mp_facts_find(&run.facts, "b")->value == 2);
	/* Those that follow see what holds now. */
	assert_true(mp_facts_find(&run.facts, "d")->value == 11);
	mp_run_free(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_renewed_replaces_what_was_found_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
