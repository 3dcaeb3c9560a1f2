// SPDX-License-Identifier: GPL-2.0
/* What a report keeps of the experiments that facts rest on. */
#include "cmd_evidence.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "made_batch.h"

#define BATCHES_MAX 8

/* A run of a few batches, and a report of one fact that rests on some. */
struct made {
	struct mp_run run;
	struct mp_batch batch[BATCHES_MAX];
	struct mp_batch *list[BATCHES_MAX];
	struct mp_report report;
};

static struct mp_fact *begin(struct made *made)
{
	struct mp_where where;
	struct mp_fact *fact;

	memset(made, 0, sizeof(*made));
	mp_report_init(&made->report);
	mp_where_cpu(&where, 0);
	fact = mp_facts_add(&made->report.facts, "cpu.l2.size", &where);
	assert_non_null(fact);
	made->run.batch = made->list;
	return fact;
}

static void end(struct made *made)
{
	for (uint32_t i = 0; i < made->run.n_batches; i++)
		mp_batch_free(&made->batch[i]);
	mp_report_free(&made->report);
}

static struct mp_batch *add_batch(struct made *made, const struct mp_exp *exp)
{
	const uint32_t n = made->run.n_batches++;

	made->list[n] = &made->batch[n];
	mp_batch_init(&made->batch[n], exp, n);
	made->batch[n].grant.tick_hz = 2e9;
	made->batch[n].grant.n_arenas = exp->n_arenas;
	return &made->batch[n];
}

/* A burst of @actor, two ticks a nanosecond. */
static void add_burst(struct mp_batch *batch, uint32_t actor, double hop_ns,
		      bool calm)
{
	struct memprobe_sample *sample = mp_batch_add(batch);

	assert_non_null(sample);
	sample->actor = actor;
	sample->hops = 1000;
	sample->ticks = (uint64_t)(hop_ns * 2000);
	if (!calm)
		sample->flags = MEMPROBE_F_GAP;
}

static void only_what_a_fact_names_is_kept_and_once(void **state)
{
	struct made made;
	struct mp_fact *fact = begin(&made);
	struct mp_exp one, other;

	(void)state;
	made_exp(&one, 65536);
	made_exp(&other, 131072);
	add_burst(add_batch(&made, &one), 0, 5, true);
	add_burst(add_batch(&made, &other), 0, 9, true);
	mp_fact_note(fact, mp_exp_id(&one));
	mp_fact_note(fact, 12345);	/* planned, and never run */
	assert_int_equal(mp_evidence_collect(&made.run, &made.report), 0);
	assert_int_equal(made.report.n_experiments, 1);
	assert_true(made.report.experiment[0].id == mp_exp_id(&one));
	assert_int_equal(mp_evidence_collect(&made.run, &made.report), 0);
	assert_int_equal(made.report.n_experiments, 1);
	end(&made);
}

static void the_words_are_those_that_the_id_hashes(void **state)
{
	struct made made;
	struct mp_fact *fact = begin(&made);
	struct mp_exp exp, again;

	(void)state;
	made_exp(&exp, 65536);
	mp_fact_note(fact, mp_exp_id(&exp));
	add_burst(add_batch(&made, &exp), 0, 5, true);
	assert_int_equal(mp_evidence_collect(&made.run, &made.report), 0);
	assert_int_equal(mp_exp_parse(&again, made.report.experiment[0].text,
				      NULL, 0), 0);
	assert_true(mp_exp_equal(&exp, &again));
	end(&made);
}

static void replicates_are_counted_by_what_became_of_them(void **state)
{
	struct made made;
	struct mp_fact *fact = begin(&made);
	const struct mp_report_exp *told;
	struct mp_batch *batch;
	struct mp_exp exp;

	(void)state;
	made_exp(&exp, 65536);
	mp_fact_note(fact, mp_exp_id(&exp));
	add_burst(add_batch(&made, &exp), 0, 4, true);
	add_burst(add_batch(&made, &exp), 0, 6, true);
	add_burst(add_batch(&made, &exp), 0, 5, true);
	batch = add_batch(&made, &exp);		/* disturbed, and slow */
	add_burst(batch, 0, 100, false);
	add_burst(batch, 0, 100, false);
	add_burst(batch, 0, 100, true);
	batch = add_batch(&made, &exp);
	batch->error = -5;
	assert_int_equal(mp_evidence_collect(&made.run, &made.report), 0);
	told = &made.report.experiment[0];
	assert_int_equal(told->batches, 5);
	assert_int_equal(told->counted, 3);
	assert_int_equal(told->disturbed, 1);
	assert_int_equal(told->failed, 1);
	assert_int_equal(told->bursts, 6);
	assert_int_equal(told->calm, 4);
	assert_true(told->hop_ns == 5);
	assert_true(told->hop_low_ns == 4 && told->hop_high_ns == 6);
	end(&made);
}

static void pages_are_those_that_came_not_those_wished_for(void **state)
{
	struct made made;
	struct mp_fact *fact = begin(&made);
	struct mp_exp exp;

	(void)state;
	made_exp(&exp, 65536);
	exp.arena[0].pages = MP_PAGES_2M;
	mp_fact_note(fact, mp_exp_id(&exp));
	add_burst(add_batch(&made, &exp), 0, 4, true);
	assert_int_equal(mp_evidence_collect(&made.run, &made.report), 0);
	assert_string_equal(made.report.experiment[0].pages, "4k");
	mp_report_free(&made.report);
	fact = mp_facts_add(&made.report.facts, "cpu.l2.size",
			    &(struct mp_where){ 0 });
	mp_fact_note(fact, mp_exp_id(&exp));
	add_burst(add_batch(&made, &exp), 0, 4, true);
	made.batch[1].grant.arena[0].pages = MP_PAGES_2M;
	assert_int_equal(mp_evidence_collect(&made.run, &made.report), 0);
	assert_string_equal(made.report.experiment[0].pages, "mixed");
	end(&made);
}

static void hops_are_those_of_the_measured_actor_that_acts_last(void **state)
{
	struct made made;
	struct mp_fact *fact = begin(&made);
	struct mp_batch *batch;
	struct mp_exp exp;

	(void)state;
	made_exp(&exp, 65536);
	exp.n_actors = 3;
	exp.actor[1] = exp.actor[0];
	exp.actor[1].phase = 1;
	exp.actor[2] = exp.actor[1];
	exp.actor[2].background = 1;
	mp_fact_note(fact, mp_exp_id(&exp));
	batch = add_batch(&made, &exp);
	add_burst(batch, 0, 3, true);
	add_burst(batch, 1, 8, true);
	assert_int_equal(mp_evidence_collect(&made.run, &made.report), 0);
	assert_true(made.report.experiment[0].hop_ns == 8);
	end(&made);
}

static void a_sequence_has_no_hops_and_leaves_its_slots_out(void **state)
{
	struct made made;
	struct mp_fact *fact = begin(&made);
	const struct mp_report_exp *told;
	struct mp_exp exp;

	(void)state;
	made_exp(&exp, 65536);
	exp.actor[0].op = MP_OP_SEQUENCE;
	exp.n_steps = 200;
	mp_fact_note(fact, mp_exp_id(&exp));
	add_burst(add_batch(&made, &exp), 0, 4, true);
	assert_int_equal(mp_evidence_collect(&made.run, &made.report), 0);
	told = &made.report.experiment[0];
	assert_true(isnan(told->hop_ns) && isnan(told->hop_low_ns));
	assert_int_equal(told->steps, 200);
	assert_null(strstr(told->text, "steps="));
	end(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_a_fact_names_is_kept_and_once),
		cmocka_unit_test(the_words_are_those_that_the_id_hashes),
		cmocka_unit_test(
			replicates_are_counted_by_what_became_of_them),
		cmocka_unit_test(
			pages_are_those_that_came_not_those_wished_for),
		cmocka_unit_test(
			hops_are_those_of_the_measured_actor_that_acts_last),
		cmocka_unit_test(
			a_sequence_has_no_hops_and_leaves_its_slots_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
