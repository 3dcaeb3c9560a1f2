// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of the loop, each shown with probes and a backend that are made
 * for it: order, pooling, repeats, time, and every way to end.
 */
#include "runner.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fake_target.h"
#include "limits.h"
#include "made_batch.h"

#define PLENTY_NS 1000000000ull
#define KIB 1024u

static struct mp_target target;
static struct mp_host host;
static struct mp_run run;

/* What the probes saw when they inferred. */
static struct mp_view seen_a;
static struct mp_view seen_b;
static uint32_t inferred_a;
static uint32_t inferred_b;
static uint32_t asked;

/* 1, 2 and 3 KiB, three replicates each, as often as it is asked. */
static int next_three(const struct mp_view *view, struct mp_plan *plan)
{
	(void)view;
	asked++;
	for (uint64_t i = 1; i <= 3; i++)
		fake_want(plan, i * KIB, 3);
	return 1;
}

/* 1 KiB five times: two more than next_three() has. */
static int next_five(const struct mp_view *view, struct mp_plan *plan)
{
	(void)view;
	fake_want(plan, KIB, 5);
	return 1;
}

/* Always something that nobody has seen yet. */
static int next_endless(const struct mp_view *view, struct mp_plan *plan)
{
	asked++;
	fake_want(plan, (view->n_batches + 1) * KIB, 1);
	return 1;
}

#define TESTS 300u
static int next_patient(const struct mp_view *view, struct mp_plan *plan)
{
	return view->n_batches < TESTS ? next_endless(view, plan) : 0;
}

static int next_many(const struct mp_view *view, struct mp_plan *plan)
{
	(void)view;
	for (uint64_t i = 1; i <= 10; i++)
		fake_want(plan, i * KIB, 10);
	return 1;
}

static int next_nothing(const struct mp_view *view, struct mp_plan *plan)
{
	(void)view;
	(void)plan;
	asked++;
	return 0;
}

static int next_malformed(const struct mp_view *view, struct mp_plan *plan)
{
	(void)view;
	fake_want(plan, KIB, 3);
	plan->wanted[0].exp.actor[0].stride = 12;
	return 1;
}

static int next_broken(const struct mp_view *view, struct mp_plan *plan)
{
	(void)view;
	fake_want(plan, KIB, 1);
	return -EPROTO;
}

/* "a.counted": how many batches of the view count. */
static int infer_a(const struct mp_view *view, struct mp_facts *facts)
{
	struct mp_where where;
	struct mp_fact *fact;

	seen_a = *view;
	inferred_a++;
	mp_where_cpu(&where, view->cpu);
	fact = mp_facts_add(facts, "a.counted", &where);
	for (uint32_t i = 0; i < view->n_batches; i++)
		fact->value += mp_batch_counts(view->batch[i]);
	return 0;
}

/* "b.from-a": what a found; "b.claimed": whether it saw a claim. */
static int infer_b(const struct mp_view *view, struct mp_facts *facts)
{
	const struct mp_fact *a = mp_facts_find(view->facts, "a.counted");
	double from_a = a ? a->value : -1;
	bool claimed = a && a->claim.known;
	struct mp_where where;

	seen_b = *view;
	inferred_b++;
	mp_where_cpu(&where, view->cpu);
	mp_facts_add(facts, "b.from-a", &where)->value = from_a;
	mp_facts_add(facts, "b.claimed", &where)->value = claimed;
	return 0;
}

static int infer_broken(const struct mp_view *view, struct mp_facts *facts)
{
	(void)view;
	(void)facts;
	return -EPROTO;
}

#define PROBE_A(id, plan, heavy) \
	static const struct mp_probe id = { \
		.name = #id, .facts = "a.counted", .weight = heavy, \
		.needs = MP_CAP_CHASE, .next = plan, .infer = infer_a, \
	}
#define PROBE_B(id, plan, heavy) \
	static const struct mp_probe id = { \
		.name = #id, .facts = "b.from-a,b.claimed", .weight = heavy, \
		.next = plan, .infer = infer_b, \
	}

PROBE_A(three, next_three, 1);
PROBE_B(three_b, next_three, 1);
PROBE_B(five_b, next_five, 1);
PROBE_A(endless, next_endless, 1);
PROBE_A(patient, next_patient, 1);
PROBE_A(many, next_many, 1);
PROBE_B(many_b, next_many, 3);
PROBE_A(nothing, next_nothing, 1);
PROBE_A(malformed, next_malformed, 1);
PROBE_A(broken, next_broken, 1);

static int setup(void **state)
{
	(void)state;
	fake_reset(&target, &host);
	memset(&seen_a, 0, sizeof(seen_a));
	memset(&seen_b, 0, sizeof(seen_b));
	inferred_a = 0;
	inferred_b = 0;
	asked = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	mp_run_free(&run);
	return 0;
}

static int go_within(const struct mp_probe *a, const struct mp_probe *b,
		     uint64_t budget_ns, uint64_t limit_ns)
{
	const struct mp_probe *probes[] = { a, b };
	struct mp_run_opts opts = {
		.probe = probes,
		.n_probes = b ? 2 : 1,
		.depth = MP_DEPTH_DEEP,
		.seed = 77,
		.budget_ns = budget_ns,
		.limit_ns = limit_ns,
		.stop = &fake.stop,
	};

	return mp_run_all(&target, &host, &opts, &run);
}

static void go(const struct mp_probe *a, const struct mp_probe *b)
{
	assert_int_equal(go_within(a, b, PLENTY_NS, PLENTY_NS), 0);
}

static double fact(const char *name)
{
	const struct mp_fact *found = mp_facts_find(&run.facts, name);

	assert_non_null(found);
	return found->value;
}

static uint32_t calls_of(uint64_t kib)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < fake.n_calls; i++)
		n += fake.call[i].bytes == kib * KIB;
	return n;
}

/* -- order and pooling -------------------------------------------------- */

static void replicates_go_round_robin_over_a_plan(void **state)
{
	(void)state;
	go(&three, NULL);
	assert_int_equal(fake.n_calls, 9);
	for (uint32_t i = 0; i < 9; i++)
		fake_was_called(i, 1 + i % 3, i / 3);
	assert_int_equal(run.n_batches, 9);
	assert_int_equal(run.n_counted, 9);
	assert_int_equal(run.stop, MP_STOP_DONE);
}

static void a_plan_that_adds_no_batch_ends_the_probe(void **state)
{
	(void)state;
	go(&three, NULL);
	assert_int_equal(asked, 2);
	assert_int_equal(inferred_a, 1);
}

static void a_probe_that_has_no_plan_infers_at_once(void **state)
{
	(void)state;
	go(&nothing, NULL);
	assert_int_equal(asked, 1);
	assert_int_equal(fake.n_calls, 0);
	assert_int_equal(inferred_a, 1);
}

static void equal_experiments_of_two_probes_are_measured_once(void **state)
{
	(void)state;
	go(&three, &three_b);
	assert_int_equal(fake.n_calls, 9);
	assert_int_equal(seen_b.n_batches, 9);
	/* Each look at them has a number of its own. */
	assert_int_not_equal(seen_a.look, 0);
	assert_true(seen_b.look > seen_a.look);
}

static void who_wants_more_gets_only_what_is_missing(void **state)
{
	(void)state;
	go(&three, &five_b);
	assert_int_equal(fake.n_calls, 11);
	fake_was_called(9, 1, 3);
	fake_was_called(10, 1, 4);
}

static void a_later_probe_sees_the_facts_of_an_earlier_one(void **state)
{
	(void)state;
	go(&three, &five_b);
	assert_true(fact("a.counted") == 9);
	assert_true(fact("b.from-a") == 9);
}

static void a_view_says_whose_memory_is_asked_about(void **state)
{
	(void)state;
	go(&three, NULL);
	assert_int_equal(seen_a.caps, MP_CAP_CHASE);
	assert_int_equal(seen_a.cpu, 3);
	assert_int_equal(seen_a.node, 1);
	assert_int_equal(seen_a.pages, MP_PAGES_THP);
	assert_true(seen_a.pages_forced);
	assert_int_equal(seen_a.arena_max_bytes, 1 << 30);
	assert_int_equal(seen_a.depth, MP_DEPTH_DEEP);
	assert_int_equal(seen_a.seed, 77);
	assert_int_equal(seen_a.left_ns, PLENTY_NS - 9 * FAKE_COST_NS);
}

/* -- repeats ------------------------------------------------------------ */

/* Whatever is of 2 KiB never counts. */
static void two_is_disturbed(struct mp_batch *batch)
{
	if (batch->exp.arena[0].bytes == 2 * KIB)
		fake_disturb(batch, 3);
}

/* The first replicate of 2 KiB does not count. */
static void two_is_disturbed_once(struct mp_batch *batch)
{
	if (batch->exp.arena[0].bytes == 2 * KIB && !batch->replicate)
		fake_disturb(batch, 4);
}

static void half_are_disturbed(struct mp_batch *batch)
{
	fake_disturb(batch, 2);
}

static void two_says_again(struct mp_batch *batch)
{
	if (batch->exp.arena[0].bytes == 2 * KIB && batch->replicate < 2)
		fake_fail(batch, -EAGAIN);
}

static void two_is_refused(struct mp_batch *batch)
{
	if (batch->exp.arena[0].bytes == 2 * KIB)
		fake_fail(batch, -EOPNOTSUPP);
}

static void what_does_not_count_is_kept_and_tried_under_a_new_number(void **state)
{
	(void)state;
	fake.ending = two_is_disturbed_once;
	go(&three, NULL);
	assert_int_equal(fake.n_calls, 10);
	assert_int_equal(calls_of(2), 4);
	/* The repeat waits its turn in the round. */
	fake_was_called(1, 2, 0);
	fake_was_called(4, 2, 1);
	fake_was_called(7, 2, 2);
	fake_was_called(9, 2, 3);
	assert_int_equal(run.n_batches, 10);
	assert_int_equal(run.n_disturbed, 1);
	assert_int_equal(run.n_repeats, 1);
	assert_int_equal(run.n_given_up, 0);
	assert_true(fact("a.counted") == 9);
}

static void half_disturbed_still_counts(void **state)
{
	(void)state;
	fake.ending = half_are_disturbed;
	go(&three, NULL);
	assert_int_equal(fake.n_calls, 9);
	assert_int_equal(run.n_counted, 9);
}

static void after_the_last_repeat_it_is_given_up(void **state)
{
	(void)state;
	fake.ending = two_is_disturbed;
	go(&three, NULL);
	assert_int_equal(calls_of(2), 3 * (1 + MP_REPEATS_MAX));
	assert_int_equal(calls_of(1), 3);
	assert_int_equal(run.n_given_up, 3);
	assert_int_equal(run.n_repeats, 3 * MP_REPEATS_MAX);
	/* To want the same again adds nothing: the probe ends. */
	assert_int_equal(asked, 2);
}

static void another_probe_may_try_what_was_given_up(void **state)
{
	(void)state;
	fake.ending = two_is_disturbed;
	go(&three, &three_b);
	assert_int_equal(calls_of(2), 2 * 3 * (1 + MP_REPEATS_MAX));
	assert_int_equal(calls_of(1), 3);
}

static void a_passing_error_is_tried_again(void **state)
{
	(void)state;
	fake.ending = two_says_again;
	go(&three, NULL);
	assert_int_equal(calls_of(2), 5);
	assert_int_equal(run.n_failed, 2);
	assert_int_equal(run.n_counted, 9);
}

static void what_is_refused_is_kept_and_never_tried_again(void **state)
{
	(void)state;
	fake.ending = two_is_refused;
	go(&three, &three_b);
	assert_int_equal(calls_of(2), 1);
	assert_int_equal(run.n_failed, 1);
	assert_int_equal(run.n_batches, 7);
	assert_int_equal(run.batch[1]->error, -EOPNOTSUPP);
}

static void a_malformed_experiment_never_reaches_the_backend(void **state)
{
	(void)state;
	go(&malformed, NULL);
	assert_int_equal(fake.n_calls, 0);
	assert_int_equal(run.n_batches, 1);
	assert_int_equal(run.batch[0]->error, -EINVAL);
}

/* -- time --------------------------------------------------------------- */

static void a_spent_share_ends_the_plan_in_its_middle(void **state)
{
	(void)state;
	assert_int_equal(go_within(&many, NULL, 25 * FAKE_COST_NS, PLENTY_NS),
			 0);
	assert_int_equal(fake.n_calls, 25);
	assert_int_equal(inferred_a, 1);
	assert_int_equal(seen_a.left_ns, 0);
	assert_int_equal(run.stop, MP_STOP_DONE);
	assert_int_equal(run.calm_ns, 25 * FAKE_COST_NS);
}

static void time_is_shared_out_by_weight(void **state)
{
	(void)state;
	/* Weights 1 and 3; the second wants what the first began, and more. */
	assert_int_equal(go_within(&many, &many_b, 80 * FAKE_COST_NS,
				   PLENTY_NS), 0);
	assert_int_equal(seen_a.n_batches, 20);
	assert_int_equal(seen_b.n_batches, 80);
}

static void what_a_probe_leaves_flows_on(void **state)
{
	(void)state;
	/* Of its 20 the first takes 9. */
	assert_int_equal(go_within(&three, &many_b, 80 * FAKE_COST_NS,
				   PLENTY_NS), 0);
	assert_int_equal(seen_a.n_batches, 9);
	assert_int_equal(seen_b.n_batches, 80);
}

static void a_probe_that_cannot_run_leaves_all_of_its_share(void **state)
{
	(void)state;
	host.caps = 0;
	assert_int_equal(go_within(&many, &many_b, 80 * FAKE_COST_NS,
				   PLENTY_NS), 0);
	assert_int_equal(seen_b.n_batches, 80);
}

static void all_are_disturbed(struct mp_batch *batch)
{
	fake_disturb(batch, 4);
}

static void repeats_are_not_charged_to_the_calm_budget(void **state)
{
	(void)state;
	fake.ending = all_are_disturbed;
	assert_int_equal(go_within(&many, NULL, 20 * FAKE_COST_NS, PLENTY_NS),
			 0);
	assert_int_equal(run.calm_ns, 20 * FAKE_COST_NS);
	assert_true(run.cost_ns > run.calm_ns);
	assert_int_equal(run.cost_ns,
			 (20 + run.n_repeats) * FAKE_COST_NS);
	assert_int_equal(run.stop, MP_STOP_DONE);
}

static void repeats_end_at_the_limit_and_the_next_probe_has_its_share(void **state)
{
	(void)state;
	fake.ending = all_are_disturbed;
	assert_int_equal(go_within(&many, &many_b, 80 * FAKE_COST_NS,
				   120 * FAKE_COST_NS), 0);
	assert_int_equal(run.stop, MP_STOP_TIME);
	assert_int_equal(seen_a.n_batches, 30);
	assert_int_equal(seen_b.n_batches, 120);
	assert_int_equal(run.cost_ns, 120 * FAKE_COST_NS);
}

static void is_dear(struct mp_batch *batch)
{
	batch->cost_ns = 50 * FAKE_COST_NS;
}

static void a_dear_batch_is_paid_by_those_that_follow(void **state)
{
	(void)state;
	fake.ending = is_dear;
	/* Shares 20 and 60: one batch takes 50, so 30 are left for another. */
	assert_int_equal(go_within(&many, &many_b, 80 * FAKE_COST_NS,
				   PLENTY_NS), 0);
	assert_int_equal(seen_a.n_batches, 1);
	assert_int_equal(seen_b.n_batches, 2);
}

static void no_time_at_all_still_infers(void **state)
{
	(void)state;
	assert_int_equal(go_within(&many, &many_b, 0, 0), 0);
	assert_int_equal(fake.n_calls, 0);
	assert_int_equal(inferred_a, 1);
	assert_int_equal(inferred_b, 1);
}

/* -- ends --------------------------------------------------------------- */

static void a_probe_that_never_ends_is_ended(void **state)
{
	(void)state;
	go(&endless, NULL);
	assert_int_equal(asked, MP_PLANS_MAX);
	assert_int_equal(run.n_batches, MP_PLANS_MAX);
	assert_int_equal(inferred_a, 1);
}

static void a_probe_that_asks_one_thing_after_another_is_heard_out(void **state)
{
	(void)state;
	go(&patient, NULL);
	assert_int_equal(run.n_batches, TESTS);
}

static void a_signal_ends_after_the_present_batch_and_all_infer(void **state)
{
	(void)state;
	fake.stop_after = 4;
	go(&many, &many_b);
	assert_int_equal(fake.n_calls, 4);
	assert_int_equal(run.n_batches, 4);
	assert_int_equal(run.stop, MP_STOP_SIGNAL);
	assert_int_equal(inferred_a, 1);
	assert_int_equal(inferred_b, 1);
	assert_true(fact("a.counted") == 4);
}

static void a_broken_backend_ends_the_run_and_says_so(void **state)
{
	(void)state;
	fake.breaks = -EIO;
	assert_int_equal(go_within(&three, NULL, PLENTY_NS, PLENTY_NS), -EIO);
	assert_int_equal(fake.n_calls, 1);
	assert_non_null(strstr(target.why, "'fake'"));
	assert_int_equal(inferred_a, 0);
}

static void a_broken_probe_ends_the_run_and_says_so(void **state)
{
	static const struct mp_probe cannot_infer = {
		.name = "cannot_infer", .facts = "x", .weight = 1,
		.next = next_three, .infer = infer_broken,
	};

	(void)state;
	assert_int_equal(go_within(&broken, NULL, PLENTY_NS, PLENTY_NS),
			 -EPROTO);
	assert_non_null(strstr(target.why, "probe 'broken': cannot plan"));
	mp_run_free(&run);
	assert_int_equal(go_within(&cannot_infer, NULL, PLENTY_NS, PLENTY_NS),
			 -EPROTO);
	assert_non_null(strstr(target.why, "'cannot_infer': cannot infer"));
}

static void more_probes_than_a_run_holds_are_refused(void **state)
{
	const struct mp_probe *list[MP_RUN_PROBES + 1];
	struct mp_run_opts opts = { .probe = list,
				    .n_probes = MP_RUN_PROBES + 1 };

	(void)state;
	for (int i = 0; i <= MP_RUN_PROBES; i++)
		list[i] = &nothing;
	assert_int_equal(mp_run_all(&target, &host, &opts, &run), -E2BIG);
	assert_non_null(strstr(target.why, "MP_RUN_PROBES"));
}

/* -- facts -------------------------------------------------------------- */

static void a_lacking_capability_is_named_and_nothing_is_asked(void **state)
{
	const struct mp_fact *found;

	(void)state;
	host.caps = MP_CAP_GAP;
	go(&three, NULL);
	assert_int_equal(asked, 0);
	assert_int_equal(inferred_a, 0);
	found = mp_facts_find(&run.facts, "a.counted");
	assert_non_null(found);
	assert_int_equal(found->verdict, MP_NOT_MEASURABLE);
	assert_non_null(strstr(found->reason, "'chase'"));
	assert_string_equal(found->where.value[0], "3");
}

static void a_fact_that_a_probe_forgot_is_not_measurable(void **state)
{
	static const struct mp_probe forgetful = {
		.name = "forgetful", .facts = "a.counted,a.lost", .weight = 1,
		.next = next_nothing, .infer = infer_a,
	};
	const struct mp_fact *found;

	(void)state;
	go(&forgetful, NULL);
	assert_int_equal(run.facts.n, 2);
	found = mp_facts_find(&run.facts, "a.lost");
	assert_non_null(found);
	assert_int_equal(found->verdict, MP_NOT_MEASURABLE);
	assert_non_null(strstr(found->reason, "forgetful"));
}

static void claims_come_last_and_no_probe_sees_them(void **state)
{
	const struct mp_fact *found;

	(void)state;
	mp_host_claim(&host, "a.counted", 32, "cpuid");
	mp_host_claim(&host, "a.counted", 48, "sysfs");
	go(&three, &five_b);
	assert_true(fact("b.claimed") == 0);
	found = mp_facts_find(&run.facts, "a.counted");
	assert_true(found->claim.known);
	assert_true(found->claim.value == 32);
	assert_string_equal(found->claim.source, "cpuid");
	assert_false(mp_facts_find(&run.facts, "b.from-a")->claim.known);
}

/* -- progress ----------------------------------------------------------- */

struct progress {
	uint32_t n;
	double last;
	char what[64];
};

static void note_progress(void *ctx, const char *probe, double done,
			  const char *what)
{
	struct progress *progress = ctx;

	assert_non_null(probe);
	assert_true(done >= progress->last && done <= 1);
	progress->last = done;
	strcpy(progress->what, what);
	progress->n++;
}

static void progress_never_falls(void **state)
{
	const struct mp_probe *probes[] = { &many, &many_b };
	struct progress progress = { 0 };
	struct mp_run_opts opts = {
		.probe = probes, .n_probes = 2,
		.budget_ns = 80 * FAKE_COST_NS, .limit_ns = PLENTY_NS,
		.progress = note_progress, .ctx = &progress,
	};

	(void)state;
	fake.ending = two_is_disturbed;
	assert_int_equal(mp_run_all(&target, &host, &opts, &run), 0);
	assert_int_equal(progress.n, fake.n_calls);
	assert_true(progress.last > 0.9);
	assert_non_null(strstr(progress.what, "KiB"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(replicates_go_round_robin_over_a_plan),
		TEST(a_plan_that_adds_no_batch_ends_the_probe),
		TEST(a_probe_that_has_no_plan_infers_at_once),
		TEST(equal_experiments_of_two_probes_are_measured_once),
		TEST(who_wants_more_gets_only_what_is_missing),
		TEST(a_later_probe_sees_the_facts_of_an_earlier_one),
		TEST(a_view_says_whose_memory_is_asked_about),
		TEST(what_does_not_count_is_kept_and_tried_under_a_new_number),
		TEST(half_disturbed_still_counts),
		TEST(after_the_last_repeat_it_is_given_up),
		TEST(another_probe_may_try_what_was_given_up),
		TEST(a_passing_error_is_tried_again),
		TEST(what_is_refused_is_kept_and_never_tried_again),
		TEST(a_malformed_experiment_never_reaches_the_backend),
		TEST(a_spent_share_ends_the_plan_in_its_middle),
		TEST(time_is_shared_out_by_weight),
		TEST(what_a_probe_leaves_flows_on),
		TEST(a_probe_that_cannot_run_leaves_all_of_its_share),
		TEST(repeats_are_not_charged_to_the_calm_budget),
		TEST(repeats_end_at_the_limit_and_the_next_probe_has_its_share),
		TEST(a_dear_batch_is_paid_by_those_that_follow),
		TEST(no_time_at_all_still_infers),
		TEST(a_probe_that_never_ends_is_ended),
		TEST(a_probe_that_asks_one_thing_after_another_is_heard_out),
		TEST(a_signal_ends_after_the_present_batch_and_all_infer),
		TEST(a_broken_backend_ends_the_run_and_says_so),
		TEST(a_broken_probe_ends_the_run_and_says_so),
		TEST(more_probes_than_a_run_holds_are_refused),
		TEST(a_lacking_capability_is_named_and_nothing_is_asked),
		TEST(a_fact_that_a_probe_forgot_is_not_measurable),
		TEST(claims_come_last_and_no_probe_sees_them),
		TEST(progress_never_falls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
