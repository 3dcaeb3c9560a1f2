// SPDX-License-Identifier: GPL-2.0
/*
 * A recording answers as the machine did: the same plan, the same batches,
 * the same facts; and what a better plan no longer asks for is not lost.
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
#include "rng.h"
#include "temp_folder.h"

#define KIB 1024u

static const struct mp_opts no_wish = { .cpu = -1, .node = -1, .pages = -1 };

static struct mp_target machine;
static struct mp_host host;
static struct mp_run live;
static struct mp_run again;

/* Plans that lean on what came: the next footprint follows from the ticks of
 * the last batch, so one different batch makes another plan. */
static int next_leaning(const struct mp_view *view, struct mp_plan *plan)
{
	const struct mp_batch *last;
	uint64_t bytes = 4 * KIB;
	struct mp_exp exp;

	if (view->n_batches >= 40)
		return 0;
	if (view->n_batches) {
		last = view->batch[view->n_batches - 1];
		if (last->n_samples)
			bytes = (1 + last->sample[0].ticks % 64) * KIB;
	}
	for (uint32_t i = 0; i < 3; i++) {
		made_exp(&exp, bytes + i * 128 * KIB);
		assert_int_equal(mp_plan_add(plan, &exp, 2), 0);
	}
	return 1;
}

static int next_half(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_exp exp;

	(void)view;
	made_exp(&exp, 4 * KIB);
	assert_int_equal(mp_plan_add(plan, &exp, 1), 0);
	return 1;
}

static int sum_up(const struct mp_view *view, struct mp_facts *facts,
		  const char *name)
{
	struct mp_where where;
	struct mp_fact *fact;

	mp_where_cpu(&where, view->cpu);
	fact = mp_facts_add(facts, name, &where);
	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_batch *batch = view->batch[i];

		for (uint32_t s = 0; s < batch->n_samples; s++)
			fact->value += (double)batch->sample[s].ticks;
		fact->low += mp_batch_counts(batch);
	}
	fact->high = view->n_batches;
	return 0;
}

static int infer_first(const struct mp_view *view, struct mp_facts *facts)
{
	return sum_up(view, facts, "first");
}

static int infer_second(const struct mp_view *view, struct mp_facts *facts)
{
	return sum_up(view, facts, "second");
}

static const struct mp_probe first = {
	.name = "first", .facts = "first", .weight = 1,
	.next = next_leaning, .infer = infer_first,
};

static const struct mp_probe second = {
	.name = "second", .facts = "second", .weight = 2,
	.next = next_leaning, .infer = infer_second,
};

static const struct mp_probe first_half = {
	.name = "first", .facts = "first", .weight = 1,
	.next = next_half, .infer = infer_first,
};

static const struct mp_probe *const both[] = { &first, &second };
static const struct mp_probe *const half[] = { &first_half };

/* A machine that is disturbed now and then, refuses some, and is uneven in
 * what it costs; all of it follows from the experiment and the number. */
static void uneven(struct mp_batch *batch)
{
	struct mp_rng rng;
	uint64_t dice;

	mp_rng_seed(&rng, mp_exp_seed(8, batch->id, batch->replicate));
	dice = mp_rng_below(&rng, 10);
	batch->cost_ns += mp_rng_below(&rng, 5000);
	if (dice < 3)
		fake_disturb(batch, 4);
	else if (dice == 3)
		fake_fail(batch, -EAGAIN);
	else if (dice == 4)
		fake_fail(batch, -EOPNOTSUPP);
}

static void run_probes(struct mp_target *target, const struct mp_host *of,
		       const struct mp_probe *const *probe, uint32_t n,
		       struct mp_run *run)
{
	struct mp_run_opts opts = {
		.probe = probe, .n_probes = n, .depth = MP_DEPTH_QUICK,
		.seed = 6, .budget_ns = 400000, .limit_ns = 500000,
		.stop = &fake.stop,
	};

	mp_run_adopt(&opts, of);
	assert_int_equal(mp_run_all(target, of, &opts, run), 0);
}

/* Measure the uneven machine and keep it as "x.run". */
static int record(void **state)
{
	char why[256] = "";

	(void)state;
	fake_reset(&machine, &host);
	strcpy(host.model, "uneven");
	mp_host_claim(&host, "first", 1, "cpuid");
	fake.ending = uneven;
	run_probes(&machine, &host, both, 2, &live);
	if (mp_run_save(&live, temp_path("x.run"), why, sizeof(why)))
		fail_msg("%s", why);
	fake.stop = 0;
	return 0;
}

static int forget(void **state)
{
	(void)state;
	mp_run_free(&live);
	mp_run_free(&again);
	temp_folder_empty();
	return 0;
}

static void open_recording(struct mp_target *target, struct mp_host *of,
			   const char *name)
{
	struct mp_opts opts = no_wish;

	memset(target, 0, sizeof(*target));
	memset(of, 0, sizeof(*of));
	target->backend = mp_backend_find("replay");
	assert_non_null(target->backend);
	opts.file = temp_path(name);
	if (target->backend->open(target, &opts))
		fail_msg("%s", target->why);
	assert_int_equal(target->backend->look(target, of), 0);
}

static void assert_same_batches(const struct mp_run *a, const struct mp_run *b)
{
	assert_int_equal(a->n_batches, b->n_batches);
	for (uint32_t i = 0; i < a->n_batches; i++)
		assert_true(made_batch_equal(a->batch[i], b->batch[i]));
}

static void a_replay_is_the_same_run_again(void **state)
{
	static struct mp_host recorded;
	struct mp_target target;

	(void)state;
	/* The recorded run has met everything that can happen to one. */
	assert_true(live.n_disturbed && live.n_failed && live.n_repeats);
	open_recording(&target, &recorded, "x.run");
	run_probes(&target, &recorded, both, 2, &again);
	assert_same_batches(&live, &again);
	assert_int_equal(again.stop, live.stop);
	assert_int_equal(again.calm_ns, live.calm_ns);
	assert_int_equal(again.cost_ns, live.cost_ns);
	assert_int_equal(again.n_given_up, live.n_given_up);
	assert_int_equal(again.facts.n, live.facts.n);
	for (uint32_t i = 0; i < live.facts.n; i++) {
		const struct mp_fact *a = &live.facts.fact[i];
		const struct mp_fact *b = &again.facts.fact[i];

		assert_string_equal(a->name, b->name);
		assert_true(a->value == b->value);
		assert_true(a->low == b->low && a->high == b->high);
		assert_int_equal(a->claim.known, b->claim.known);
	}
	target.backend->close(&target);
}

static void a_replay_that_is_saved_replays_too(void **state)
{
	static struct mp_host recorded;
	struct mp_target target;
	char why[256];

	(void)state;
	open_recording(&target, &recorded, "x.run");
	run_probes(&target, &recorded, both, 2, &again);
	assert_int_equal(mp_run_save(&again, temp_path("y.run"), why,
				     sizeof(why)), 0);
	target.backend->close(&target);
	mp_run_free(&again);
	open_recording(&target, &recorded, "y.run");
	assert_string_equal(recorded.label, "recorded: y.run (recorded: "
			    "x.run)");
	run_probes(&target, &recorded, both, 2, &again);
	assert_same_batches(&live, &again);
	target.backend->close(&target);
}

static void a_stopped_run_replays_to_the_same_batches_first(void **state)
{
	static struct mp_host recorded;
	struct mp_target target;
	char why[256];

	(void)state;
	mp_run_free(&live);
	fake.n_calls = 0;
	fake.stop_after = 9;
	run_probes(&machine, &host, both, 2, &live);
	assert_int_equal(live.stop, MP_STOP_SIGNAL);
	assert_int_equal(mp_run_save(&live, temp_path("x.run"), why,
				     sizeof(why)), 0);
	fake.stop = 0;
	open_recording(&target, &recorded, "x.run");
	assert_string_equal(recorded.recorded->head.stop, "signal");
	run_probes(&target, &recorded, both, 2, &again);
	assert_true(again.n_batches >= live.n_batches);
	for (uint32_t i = 0; i < live.n_batches; i++)
		assert_true(made_batch_equal(live.batch[i], again.batch[i]));
	for (uint32_t i = live.n_batches; i < again.n_batches; i++)
		assert_int_equal(again.batch[i]->error, -ENODATA);
	target.backend->close(&target);
}

static void what_the_recording_lacks_is_no_data(void **state)
{
	static struct mp_host recorded;
	struct mp_target target;
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	open_recording(&target, &recorded, "x.run");
	made_exp(&exp, 3 << 20);
	mp_batch_init(&batch, &exp, 0);
	assert_int_equal(target.backend->run(&target, &exp, 0, &batch), 0);
	assert_int_equal(batch.error, -ENODATA);
	assert_int_equal(batch.n_samples, 0);
	exp = live.batch[0]->exp;
	mp_batch_init(&batch, &exp, 1000);
	assert_int_equal(target.backend->run(&target, &exp, 1000, &batch), 0);
	assert_int_equal(batch.error, -ENODATA);
	assert_int_equal(batch.replicate, 1000);
	target.backend->close(&target);
}

static void what_nobody_asked_for_joins_before_the_inference(void **state)
{
	static struct mp_host recorded;
	struct mp_target target;
	const struct mp_fact *fact;

	(void)state;
	open_recording(&target, &recorded, "x.run");
	run_probes(&target, &recorded, half, 1, &again);
	fact = mp_facts_find(&again.facts, "first");
	assert_non_null(fact);
	/* All that was measured is seen, each batch once. */
	assert_true(fact->high == live.n_batches);
	assert_true(fact->low == live.n_counted);
	assert_int_equal(again.n_batches, live.n_batches);
	assert_int_equal(again.facts.n, 1);
	assert_true(fact->claim.known);
	target.backend->close(&target);
}

static void the_host_is_the_recorded_one_and_says_so(void **state)
{
	static struct mp_host recorded;
	struct mp_target target;

	(void)state;
	open_recording(&target, &recorded, "x.run");
	assert_string_equal(recorded.label, "recorded: x.run");
	assert_string_equal(recorded.model, "uneven");
	assert_int_equal(recorded.caps, host.caps);
	assert_int_equal(recorded.cpu, host.cpu);
	assert_int_equal(recorded.pages, host.pages);
	assert_int_equal(recorded.n_claims, 1);
	assert_int_equal(target.seed, 6);
	assert_non_null(recorded.recorded);
	assert_int_equal(recorded.recorded->head.budget_ns, 400000);
	assert_string_equal(recorded.recorded->head.probes, "first,second");
	target.backend->close(&target);
	assert_null(target.priv);
	target.backend->close(&target);
}

static void a_recorded_simulation_stays_called_one(void **state)
{
	static struct mp_host recorded;
	struct mp_target target;
	char why[256];

	(void)state;
	strcpy(live.host.label, "simulated: zen4");
	live.host.caps |= MP_CAP_MODELLED;
	assert_int_equal(mp_run_save(&live, temp_path("s.run"), why,
				     sizeof(why)), 0);
	open_recording(&target, &recorded, "s.run");
	assert_string_equal(recorded.label,
			    "recorded: s.run (simulated: zen4)");
	assert_true(recorded.caps & MP_CAP_MODELLED);
	target.backend->close(&target);
}

static void long_names_are_cut_and_the_label_stays_whole(void **state)
{
	static struct mp_host recorded;
	struct mp_target target;
	char name[200];
	char why[256];
	size_t length;

	(void)state;
	memset(name, 'n', sizeof(name));
	strcpy(name + 190, "\xff\n.run");
	memset(live.host.label, 'l', MP_HOST_TEXT - 1);
	assert_int_equal(mp_run_save(&live, temp_path(name), why,
				     sizeof(why)), 0);
	open_recording(&target, &recorded, name);
	length = strlen(recorded.label);
	assert_true(length < MP_HOST_TEXT);
	assert_int_equal(recorded.label[length - 1], ')');
	target.backend->close(&target);
}

static void refuse(const struct mp_opts *opts, int err, const char *named)
{
	struct mp_target target = { .backend = mp_backend_find("replay") };

	assert_int_equal(target.backend->open(&target, opts), err);
	assert_null(target.priv);
	if (!strstr(target.why, named))
		fail_msg("'%s' does not name '%s'", target.why, named);
}

static void a_wish_that_the_recording_cannot_grant_is_refused(void **state)
{
	struct mp_opts opts = no_wish;

	(void)state;
	opts.file = temp_path("x.run");
	opts.cpu = 4;
	refuse(&opts, -EINVAL, "--cpu 4");
	opts.cpu = -1;
	opts.node = 0;
	refuse(&opts, -EINVAL, "--node 0");
	opts.node = -1;
	opts.pages = MP_PAGES_4K;
	refuse(&opts, -EINVAL, "--pages 4k");
}

static void the_recorded_wish_is_granted(void **state)
{
	struct mp_target target = { .backend = mp_backend_find("replay") };
	struct mp_opts opts = no_wish;

	(void)state;
	opts.file = temp_path("x.run");
	opts.cpu = 3;
	opts.node = 1;
	opts.pages = MP_PAGES_THP;
	assert_int_equal(target.backend->open(&target, &opts), 0);
	target.backend->close(&target);
}

static void what_is_no_recording_is_refused(void **state)
{
	struct mp_opts opts = no_wish;

	(void)state;
	refuse(&opts, -EINVAL, "FILE");
	opts.file = temp_path("none");
	refuse(&opts, -ENOENT, "none");
	opts.file = temp_folder();
	refuse(&opts, -EISDIR, temp_folder());
}

static void a_replicate_that_is_there_twice_is_refused(void **state)
{
	const struct mp_batch *list[2] = { live.batch[0], live.batch[0] };
	static struct mp_save_head head;
	struct mp_opts opts = no_wish;
	char why[256];

	(void)state;
	head.host.node = MP_NODE_ANY;
	assert_int_equal(mp_save_write(temp_path("twice"), &head, list, 2, why,
				       sizeof(why)), 0);
	opts.file = temp_path("twice");
	refuse(&opts, -EINVAL, "twice");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, record, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_replay_is_the_same_run_again),
		TEST(a_replay_that_is_saved_replays_too),
		TEST(a_stopped_run_replays_to_the_same_batches_first),
		TEST(what_the_recording_lacks_is_no_data),
		TEST(what_nobody_asked_for_joins_before_the_inference),
		TEST(the_host_is_the_recorded_one_and_says_so),
		TEST(a_recorded_simulation_stays_called_one),
		TEST(long_names_are_cut_and_the_label_stays_whole),
		TEST(a_wish_that_the_recording_cannot_grant_is_refused),
		TEST(the_recorded_wish_is_granted),
		TEST(what_is_no_recording_is_refused),
		TEST(a_replicate_that_is_there_twice_is_refused),
	};

	return cmocka_run_group_tests(tests, temp_folder_make,
				      temp_folder_remove);
}
