// SPDX-License-Identifier: GPL-2.0
/* The backend "user" through its row of the table, on this machine. */
#include "backend.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <cmocka.h>

#include "limits.h"

#define BYTES 16384u
#define STRIDE 64u
#define SEED 11u
/* Of so many batches one at least is not disturbed. */
#define TRIES 50u

extern const struct mp_backend mp_backend_user;

static const struct mp_backend *const user = &mp_backend_user;

static struct mp_opts any_opts(void)
{
	return (struct mp_opts){
		.cpu = -1, .node = -1, .pages = -1, .seed = SEED,
	};
}

static void open_as(struct mp_target *target, const struct mp_opts *opts)
{
	memset(target, 0, sizeof(*target));
	target->backend = user;
	if (user->open(target, opts))
		fail_msg("%s", target->why);
}

/* Open fails so, and says why in one line. */
static void refused(const struct mp_opts *opts, int err, const char *word)
{
	struct mp_target target = { .backend = user };

	assert_int_equal(user->open(&target, opts), err);
	assert_null(target.priv);
	if (!strstr(target.why, word))
		fail_msg("\"%s\" does not say \"%s\"", target.why, word);
	assert_null(strchr(target.why, '\n'));
	user->close(&target);
}

static struct mp_host *look(struct mp_target *target)
{
	struct mp_host *host = calloc(1, sizeof(*host));

	assert_non_null(host);
	assert_int_equal(user->look(target, host), 0);
	return host;
}

static struct mp_exp small_chase(uint32_t cpu, uint32_t pages)
{
	struct mp_exp exp;

	mp_exp_chase(&exp, cpu, pages, BYTES, STRIDE, 0);
	exp.actor[0].warm_hops = 2 * BYTES / STRIDE;
	exp.actor[0].hops = 2048;
	exp.actor[0].bursts = 6;
	return exp;
}

static uint32_t cpu_of(struct mp_target *target)
{
	struct mp_host *host = look(target);
	const uint32_t cpu = host->cpu;

	free(host);
	return cpu;
}

static void run(struct mp_target *target, const struct mp_exp *exp,
		struct mp_batch *batch)
{
	mp_batch_init(batch, exp, 5);
	assert_int_equal(user->run(target, exp, 5, batch), 0);
	assert_true(mp_exp_equal(&batch->exp, exp));
	assert_int_equal(batch->id, mp_exp_id(exp));
	assert_int_equal(batch->replicate, 5);
}

static void expect_error(struct mp_target *target, const struct mp_exp *exp,
			 int err)
{
	struct mp_batch batch;

	run(target, exp, &batch);
	assert_int_equal(batch.error, err);
	assert_int_equal(batch.n_samples, 0);
	assert_int_equal(batch.n_words, 0);
	mp_batch_free(&batch);
}

static void a_look_tells_what_can_be_done_and_where(void **state)
{
	const struct mp_opts opts = any_opts();
	struct mp_target target;
	struct utsname system;
	struct mp_host *host;
	bool kernel = false;

	(void)state;
	open_as(&target, &opts);
	host = look(&target);
	assert_true(host->caps & MP_CAP_CHASE);
	assert_true(host->caps & MP_CAP_SEQUENCE);
	assert_true(host->caps & MP_CAP_CORE_CLOCK);
	assert_false(host->caps & MP_CAP_MODELLED);
	assert_int_equal(host->cpu, sched_getcpu());
	assert_int_equal(host->node, MP_NODE_ANY);
	assert_false(host->pages_forced);
	assert_true(host->pages == MP_PAGES_4K || host->pages == MP_PAGES_THP);
	assert_true(host->arena_max_bytes <= MP_ARENA_CAP_BYTES);
	assert_true(host->arena_max_bytes > BYTES);
	assert_true(host->start_ns > 0);
	assert_string_equal(host->label, "");
	assert_int_equal(uname(&system), 0);
	for (uint32_t i = 0; i < host->n_conditions; i++)
		kernel = kernel || strstr(host->condition[i].text,
					  system.release);
	assert_true(kernel);
	free(host);
	user->close(&target);
}

static void a_chase_gives_a_batch_with_all_that_is_promised(void **state)
{
	const struct mp_opts opts = any_opts();
	struct mp_target target;
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	open_as(&target, &opts);
	exp = small_chase(cpu_of(&target), MP_PAGES_4K);
	run(&target, &exp, &batch);
	assert_int_equal(batch.error, 0);
	assert_int_equal(batch.n_samples, 6);
	assert_true(batch.start_ns > 0);
	assert_true(batch.cost_ns > 0);
	assert_true(batch.grant.tick_hz > 1e5);
	assert_true(batch.grant.tick_step >= 1);
	assert_true(batch.grant.gap_ticks > 0);
	assert_int_equal(batch.grant.n_arenas, 1);
	assert_int_equal(batch.grant.arena[0].pages, MP_PAGES_4K);
	assert_true(batch.grant.arena[0].bytes >= BYTES);
	assert_int_equal(batch.grant.n_clocks, 2);
	assert_true(batch.grant.clock[0].add_hz > 0);
	assert_true(batch.grant.clock[1].add_hz > 0);
	assert_true(batch.grant.clock[0].at_ns < batch.grant.clock[1].at_ns);
	for (uint32_t i = 0; i < batch.n_samples; i++) {
		const struct memprobe_sample *sample = &batch.sample[i];

		assert_int_equal(sample->place, exp.actor[0].place);
		assert_int_equal(sample->bytes, BYTES);
		assert_true(sample->hops > 0);
		assert_true(sample->ticks > 0);
		assert_true(sample->start_ns >= batch.start_ns);
		assert_true(sample->start_ns <= batch.start_ns +
						batch.cost_ns);
	}
	mp_batch_free(&batch);
	user->close(&target);
}

static void rounds_follow_one_another(void **state)
{
	const struct mp_opts opts = any_opts();
	struct mp_target target;
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	open_as(&target, &opts);
	exp = small_chase(cpu_of(&target), MP_PAGES_4K);
	exp.rounds = 3;
	exp.actor[0].bursts = 2;
	run(&target, &exp, &batch);
	assert_int_equal(batch.error, 0);
	assert_int_equal(batch.n_samples, 6);
	for (uint32_t i = 0; i < 6; i++) {
		assert_int_equal(batch.sample[i].round, i / 2);
		assert_int_equal(batch.sample[i].burst, i % 2);
	}
	mp_batch_free(&batch);
	user->close(&target);
}

static void what_it_cannot_do_is_refused(void **state)
{
	const struct mp_opts opts = any_opts();
	struct mp_target target;
	struct mp_exp exp;
	uint32_t cpu;

	(void)state;
	open_as(&target, &opts);
	cpu = cpu_of(&target);
	exp = small_chase(cpu, MP_PAGES_CONTIG);
	expect_error(&target, &exp, -EOPNOTSUPP);
	exp = small_chase(cpu + 1, MP_PAGES_4K);
	expect_error(&target, &exp, -EOPNOTSUPP);
	exp = small_chase(cpu, MP_PAGES_4K);
	exp.actor[0].pace = 1000;
	expect_error(&target, &exp, -EOPNOTSUPP);
	exp = small_chase(cpu, MP_PAGES_4K);
	exp.actor[0].access = MP_ACCESS_NONTEMPORAL;
	expect_error(&target, &exp, -EOPNOTSUPP);
	exp = small_chase(cpu, MP_PAGES_4K);
	exp.arena[0].bytes = 2 * BYTES;
	exp.actor[0].copies = 2;
	expect_error(&target, &exp, -EOPNOTSUPP);
	exp = small_chase(cpu, MP_PAGES_4K);
	exp.actor[0].op = MP_OP_STREAM;
	expect_error(&target, &exp, -EOPNOTSUPP);
	exp = small_chase(cpu, MP_PAGES_4K);
	exp.actor[0].length = 2 * BYTES;
	expect_error(&target, &exp, -EINVAL);
	user->close(&target);
}

static void an_arena_beyond_the_bound_is_no_memory(void **state)
{
	const struct mp_opts opts = any_opts();
	struct mp_target target;
	struct mp_batch batch;
	struct mp_exp exp;
	uint32_t cpu;

	(void)state;
	open_as(&target, &opts);
	cpu = cpu_of(&target);
	exp = small_chase(cpu, MP_PAGES_4K);
	exp.arena[0].bytes = MP_ARENA_CAP_BYTES + 1;
	expect_error(&target, &exp, -ENOMEM);
	/* And the next one is measured as if nothing had been. */
	exp = small_chase(cpu, MP_PAGES_4K);
	run(&target, &exp, &batch);
	assert_int_equal(batch.error, 0);
	mp_batch_free(&batch);
	user->close(&target);
}

static void wishes_are_read_back_not_obeyed_or_refused(void **state)
{
	const struct mp_opts opts = any_opts();
	struct mp_target target;
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	open_as(&target, &opts);
	exp = small_chase(cpu_of(&target), MP_PAGES_2M);
	exp.arena[0].node = 9999;
	exp.quiet = MP_WISH_IRQ_OFF | MP_WISH_PREFETCH_OFF;
	run(&target, &exp, &batch);
	assert_int_equal(batch.error, 0);
	assert_true(batch.grant.arena[0].pages == MP_PAGES_4K ||
		    batch.grant.arena[0].huge_bytes > 0);
	assert_int_not_equal(batch.grant.arena[0].node, 9999);
	assert_int_equal(batch.grant.got & (MP_GOT_IRQ_OFF |
					    MP_GOT_PREFETCH_OFF), 0);
	mp_batch_free(&batch);
	user->close(&target);
}

static void forced_pages_allow_no_other_kind(void **state)
{
	struct mp_opts opts = any_opts();
	struct mp_target target;
	struct mp_host *host;
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	opts.pages = MP_PAGES_4K;
	open_as(&target, &opts);
	host = look(&target);
	assert_true(host->pages_forced);
	assert_int_equal(host->pages, MP_PAGES_4K);
	assert_false(host->caps & MP_CAP_HUGE);
	exp = small_chase(host->cpu, MP_PAGES_THP);
	expect_error(&target, &exp, -EOPNOTSUPP);
	exp = small_chase(host->cpu, MP_PAGES_4K);
	run(&target, &exp, &batch);
	assert_int_equal(batch.error, 0);
	mp_batch_free(&batch);
	free(host);
	user->close(&target);
}

static void what_the_user_asks_in_vain_is_refused_with_the_remedy(void **state)
{
	struct mp_opts opts = any_opts();

	(void)state;
	opts.cpu = 1000000;
	refused(&opts, -EINVAL, "choose one of");
	opts = any_opts();
	opts.node = 9999;
	refused(&opts, -EINVAL, "choose one of");
	opts = any_opts();
	opts.pages = MP_PAGES_DEVICE;
	refused(&opts, -EINVAL, "choose 4k");
	opts.pages = MP_PAGES_CONTIG;
	refused(&opts, -ENODEV, "make run KMOD=1");
}

static void reserved_pages_that_are_not_there_are_refused(void **state)
{
	struct mp_opts opts = any_opts();
	struct mp_target target = { .backend = user };

	(void)state;
	opts.pages = MP_PAGES_2M;
	if (user->open(&target, &opts) == 0) {
		user->close(&target);
		skip();
	}
	refused(&opts, -EPERM, "nr_hugepages");
}

static void closing_leaves_everything_as_it_was(void **state)
{
	const int policy = sched_getscheduler(0);
	const int nice_level = getpriority(PRIO_PROCESS, 0);
	const struct mp_opts opts = any_opts();
	struct mp_target target;
	struct mp_batch batch;
	struct mp_exp exp;
	cpu_set_t before, after;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	open_as(&target, &opts);
	exp = small_chase(cpu_of(&target), MP_PAGES_4K);
	run(&target, &exp, &batch);
	mp_batch_free(&batch);
	assert_int_equal(sched_getscheduler(0), policy);
	user->close(&target);
	assert_null(target.priv);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	assert_int_equal(sched_getscheduler(0), policy);
	assert_int_equal(getpriority(PRIO_PROCESS, 0), nice_level);
	user->close(&target);
}

static struct mp_exp small_sequence(uint32_t cpu)
{
	struct mp_exp exp;

	mp_exp_chase(&exp, cpu, MP_PAGES_4K, BYTES, STRIDE, 0);
	exp.actor[0].op = MP_OP_SEQUENCE;
	exp.actor[0].bursts = 6;
	exp.n_steps = 3;
	exp.steps[0] = MEMPROBE_STEP(7, MEMPROBE_STEP_FLUSH);
	exp.steps[1] = MEMPROBE_STEP(9, MEMPROBE_STEP_TOUCH);
	exp.steps[2] = MEMPROBE_STEP(7, MEMPROBE_STEP_TIME);
	return exp;
}

/* ns from the first look at the core clock to the first burst, in parts of what
 * the warm-up takes. */
static double clock_before_bursts(const struct mp_batch *batch)
{
	const struct memprobe_sample *first = &batch->sample[0];
	const double hop_ns = (double)first->ticks / (double)first->hops *
			      1e9 / batch->grant.tick_hz;

	return (double)(first->start_ns - batch->grant.clock[0].at_ns) /
	       (hop_ns * (double)batch->exp.actor[0].warm_hops);
}

static void the_clock_is_looked_at_between_warm_up_and_bursts(void **state)
{
	const struct mp_opts opts = any_opts();
	struct mp_target target;
	bool is_between = false;
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	open_as(&target, &opts);
	exp = small_chase(cpu_of(&target), MP_PAGES_4K);
	exp.actor[0].warm_hops = 4000000;
	/* Others may come between. */
	for (uint32_t i = 0; i < TRIES && !is_between; i++) {
		run(&target, &exp, &batch);
		assert_int_equal(batch.error, 0);
		is_between = clock_before_bursts(&batch) < 0.5;
		mp_batch_free(&batch);
	}
	assert_true(is_between);
	user->close(&target);
}

static void and_leaves_what_is_warm_as_it_is(void **state)
{
	const struct mp_opts opts = any_opts();
	struct mp_target target;
	struct mp_batch batch;
	bool is_warm = false;
	struct mp_exp exp;

	(void)state;
	open_as(&target, &opts);
	exp = small_chase(cpu_of(&target), MP_PAGES_4K);
	for (uint32_t i = 0; i < TRIES && !is_warm; i++) {
		run(&target, &exp, &batch);
		/* So short a ring is walked two turns more before a burst. */
		is_warm = batch.sample[0].warm_hops ==
			  exp.actor[0].warm_hops + 2 * BYTES / STRIDE;
		mp_batch_free(&batch);
	}
	assert_true(is_warm);
	user->close(&target);
}

static void a_sequence_gives_the_ticks_of_its_timed_steps(void **state)
{
	const struct mp_opts opts = any_opts();
	struct mp_target target;
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	open_as(&target, &opts);
	exp = small_sequence(cpu_of(&target));
	exp.rounds = 2;
	run(&target, &exp, &batch);
	assert_int_equal(batch.error, 0);
	assert_int_equal(batch.n_samples, 12);
	assert_int_equal(batch.n_words, 12);
	assert_true(batch.grant.gap_ticks > 0);
	assert_int_equal(batch.grant.n_clocks, 2);
	for (uint32_t i = 0; i < batch.n_samples; i++) {
		assert_int_equal(batch.sample[i].round, i / 6);
		assert_int_equal(batch.sample[i].hops, 3);
		assert_int_equal(batch.sample[i].payload_offset, i);
	}
	mp_batch_free(&batch);
	user->close(&target);
}

/* An error, and the line that goes with it. */
static void expect_why(struct mp_target *target, const struct mp_exp *exp,
		       int err, const char *why)
{
	expect_error(target, exp, err);
	if (!strstr(target->why, why))
		fail_msg("\"%s\" does not say \"%s\"", target->why, why);
}

static void what_a_sequence_has_no_use_for_is_refused_by_name(void **state)
{
	const struct mp_opts opts = any_opts();
	struct mp_target target;
	struct mp_exp exp;
	uint32_t cpu;

	(void)state;
	open_as(&target, &opts);
	cpu = cpu_of(&target);
	exp = small_sequence(cpu);
	exp.actor[0].stride = STRIDE / 2;
	expect_why(&target, &exp, -EOPNOTSUPP, "stride of a sequence 32: "
		   "user space wants a multiple of 64");
	exp = small_sequence(cpu);
	exp.actor[0].warm_hops = 7;
	expect_why(&target, &exp, -EOPNOTSUPP, "warm_hops of a sequence 7");
	exp = small_sequence(cpu);
	exp.arena[0].bytes *= 2;
	exp.actor[0].offset = 8;
	expect_why(&target, &exp, -EOPNOTSUPP, "offset 8");
	exp = small_sequence(cpu);
	exp.actor[0].op = MP_OP_CHASE;
	expect_why(&target, &exp, -EOPNOTSUPP, "steps of a chase 3");
	exp = small_chase(cpu, MP_PAGES_4K);
	exp.actor[0].op = MP_OP_STREAM;
	expect_why(&target, &exp, -EOPNOTSUPP, "op stream");
	user->close(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_look_tells_what_can_be_done_and_where),
		cmocka_unit_test(a_chase_gives_a_batch_with_all_that_is_promised),
		cmocka_unit_test(the_clock_is_looked_at_between_warm_up_and_bursts),
		cmocka_unit_test(and_leaves_what_is_warm_as_it_is),
		cmocka_unit_test(a_sequence_gives_the_ticks_of_its_timed_steps),
		cmocka_unit_test(what_a_sequence_has_no_use_for_is_refused_by_name),
		cmocka_unit_test(rounds_follow_one_another),
		cmocka_unit_test(what_it_cannot_do_is_refused),
		cmocka_unit_test(an_arena_beyond_the_bound_is_no_memory),
		cmocka_unit_test(wishes_are_read_back_not_obeyed_or_refused),
		cmocka_unit_test(forced_pages_allow_no_other_kind),
		cmocka_unit_test(what_the_user_asks_in_vain_is_refused_with_the_remedy),
		cmocka_unit_test(reserved_pages_that_are_not_there_are_refused),
		cmocka_unit_test(closing_leaves_everything_as_it_was),
	};

	return cmocka_run_group_tests_name("user", tests, NULL, NULL);
}
