// SPDX-License-Identifier: GPL-2.0
/* What is kept is what was answered, to that question and to no other. */
#include "analysis/kept.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/edge_kept.h"
#include "analysis/policy_kept.h"
#include "probe/ways_kept.h"

#define POINTS 24u

static const struct mp_miss_table *table;

static struct mp_kept_key key_of(uint64_t a, uint64_t b)
{
	struct mp_kept_key key;

	mp_kept_begin(&key);
	mp_kept_add_word(&key, a);
	mp_kept_add_word(&key, b);
	return key;
}

static bool same_key(const struct mp_kept_key *x, const struct mp_kept_key *y)
{
	return x->a == y->a || x->b == y->b;
}

static void every_word_of_a_key_counts_and_so_does_their_order(void **state)
{
	const struct mp_kept_key key = key_of(1, 2);
	const struct mp_kept_key others[] = {
		key_of(2, 1), key_of(1, 3), key_of(0, 2), key_of(0, 0),
		key_of(1ull << 63, 2), key_of(1, 2ull << 62),
	};
	const double zero[] = { 0.0, -0.0 };
	struct mp_kept_key plus, minus, same = key_of(1, 2);

	(void)state;
	assert_memory_equal(&key, &same, sizeof(key));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(same_key(&key, &others[i]));
	mp_kept_begin(&plus);
	mp_kept_begin(&minus);
	mp_kept_add(&plus, &zero[0], 1);
	mp_kept_add(&minus, &zero[1], 1);
	assert_false(same_key(&plus, &minus));
}

static void the_latest_answers_are_found_and_older_ones_are_not(void **state)
{
	static struct mp_kept kept;
	const uint32_t n = MP_KEPT_ANSWERS + 3;
	struct mp_kept_key key;
	uint64_t answer = 77;
	int err = 5;

	(void)state;
	key = key_of(0, 0);
	assert_false(mp_kept_find(&kept, &key, &answer, sizeof(answer), &err));
	assert_int_equal(answer, 77);
	for (uint64_t i = 0; i < n; i++) {
		key = key_of(0, i);
		mp_kept_note(&kept, &key, &i, sizeof(i), (int)i + 1);
	}
	for (uint64_t i = 0; i < n; i++) {
		key = key_of(0, i);
		assert_int_equal(mp_kept_find(&kept, &key, &answer,
					      sizeof(answer), &err), i >= 3);
		if (i < 3)
			continue;
		assert_int_equal(answer, i);
		assert_int_equal(err, (int)i + 1);
	}
}

/* An edge at 32 KiB, a little noise on top. */
static void make_data(struct mp_edge_data *data)
{
	memset(data, 0, sizeof(*data));
	data->n = POINTS;
	data->from = 16384;
	data->to = 65536;
	data->scatters = MP_EDGE_ANY;
	for (uint32_t i = 0; i < POINTS; i++) {
		struct mp_edge_point *p = &data->point[i];

		p->x = 8192.0 * (i + 2) / 4;
		p->n = 5;
		for (uint32_t r = 0; r < p->n; r++)
			p->y[r] = 0.01 + 0.001 * ((i * 7 + r * 3) % 5) +
				  0.98 * mp_miss_lookup(table, 17, p->x / 32768);
	}
}

/* What is kept must be what a fit of these very data says, twice. */
static void check_fits(const struct mp_edge_data *data, uint64_t seed)
{
	struct mp_edge own, kept;
	struct mp_pair own_pair, kept_pair;
	const int err = mp_edge_fit(data, table, seed, &own);
	const int pair_err = mp_pair_fit(data, table, &own_pair);

	for (int i = 0; i < 2; i++) {
		memset(&kept, 0, sizeof(kept));
		assert_int_equal(mp_edge_fit_kept(data, table, seed, &kept),
				 err);
		assert_memory_equal(&kept, &own, sizeof(own));
		assert_int_equal(mp_pair_fit_kept(data, table, &kept_pair),
				 pair_err);
		assert_memory_equal(&kept_pair, &own_pair, sizeof(own_pair));
	}
}

static void a_fit_of_other_data_is_another_fit(void **state)
{
	struct mp_edge_data base, data;

	(void)state;
	make_data(&base);
	check_fits(&base, 1);
	check_fits(&base, 2);
#define CHECK_WITH(change) \
	do { \
		data = base; \
		change; \
		check_fits(&data, 1); \
	} while (0)
	CHECK_WITH(data.n--);
	CHECK_WITH(data.from *= 0.9);
	CHECK_WITH(data.to *= 1.1);
	CHECK_WITH(data.scatters = MP_EDGE_EVEN);
	CHECK_WITH(data.page_bytes = 4096);
	CHECK_WITH((data.page_bytes = 4096, data.is_share = true));
	CHECK_WITH((data.page_bytes = 4096, data.is_share = true,
		    data.may_hash = true));
	CHECK_WITH(data.point[0].x *= 0.99);
	CHECK_WITH(data.point[12].n--);
	CHECK_WITH(data.point[12].y[4] += 0.05);
	CHECK_WITH(data.point[POINTS - 1].y[0] += 0.2);
	CHECK_WITH(data.n = 2);
#undef CHECK_WITH
	check_fits(&base, 1);
}

static void check_choice(const struct mp_ways_sets *sets, double finest,
			 bool flushed, const struct mp_ways_test *done,
			 uint32_t n_done)
{
	struct mp_ways_test own = { 0 }, kept = { 0 };
	const bool found = mp_ways_choose(sets, finest, flushed, done, n_done,
					  &own);

	for (int i = 0; i < 2; i++) {
		assert_int_equal(mp_ways_choose_kept(sets, finest, flushed,
						     done, n_done, &kept),
				 found);
		assert_int_equal(kept.stride, own.stride);
		assert_int_equal(kept.lines, own.lines);
		assert_int_equal(kept.flushed, own.flushed);
		assert_true(kept.least == own.least);
	}
}

static void a_choice_from_other_guesses_is_another_choice(void **state)
{
	struct mp_ways_sets inner = { .line = 64, .grain = 64, .piece = 4096,
				      .small = true };
	struct mp_ways_sets sets = { .line = 64, .grain = 64,
				     .piece = 2 << 20 };
	struct mp_ways_test done[3] = { 0 };

	(void)state;
	assert_int_equal(mp_ways_add(&inner, MP_WAYS_REGULAR, 32e3, 34e3), 0);
	assert_int_equal(mp_ways_add(&sets, MP_WAYS_REGULAR, 250e3, 270e3), 0);
	check_choice(&sets, 0.01, false, done, 0);
	for (uint32_t i = 0; i < 3; i++) {
		mp_ways_choose(&sets, 0.01, false, done, i, &done[i]);
		check_choice(&sets, 0.01, false, done, i + 1);
	}
	check_choice(&sets, 0.2, false, done, 0);
	sets.piece = 4096;
	check_choice(&sets, 0.01, false, done, 0);
	sets.small = true;
	check_choice(&sets, 0.01, false, done, 0);
	sets.grain = 128;
	check_choice(&sets, 0.01, false, done, 0);
	sets.inner = &inner;
	check_choice(&sets, 0.01, false, done, 0);
	check_choice(&sets, 0.01, true, done, 0);
	inner.n--;
	check_choice(&sets, 0.01, true, done, 0);
	sets.guess[0].weight *= 100;
	check_choice(&sets, 0.01, true, done, 0);
	sets.guess[0].exclusive = true;
	check_choice(&sets, 0.01, true, done, 0);
	sets.n = 5;
	check_choice(&sets, 0.01, true, done, 0);
	mp_ways_free(&sets);
	mp_ways_free(&inner);
}

/* One go at the tests of a level: @makes one, which asks for @id, and leaves a
 * guess less. Return: it went on from where the last one ended. */
static bool go_through(struct mp_ways_rig *rig, struct mp_ways_sets *sets,
		       uint64_t what, uint64_t id, bool makes)
{
	struct mp_ways_test done[MP_WAYS_TESTS] = { { 0 } };
	uint32_t n_done = 0, at = 0, n = sets->n;
	const struct mp_view *view = rig->view;
	const struct mp_ways_state state = { rig, sets, done, &n_done };
	struct mp_ways_resume resume;

	mp_ways_resume(&resume, &state, what);
	if (resume.taken) {
		assert_int_equal(n_done, 1);
		assert_int_equal(done[0].lines, 9);
		assert_int_equal(sets->n, n - 1);
		assert_int_equal(rig->evidence[0], 5);
	}
	if (makes && !resume.taken) {
		mp_view_next(rig->view, id, &at);
		done[n_done++].lines = 9;
		sets->n--;
		rig->evidence[0] = 5;
		mp_ways_mark(&resume, rig);
	}
	/* What lacks batches is looked for each time. */
	mp_view_next(rig->view, 4711, (at = 0, &at));
	rig->evidence[0] = 6;
	mp_ways_suspend(&resume, &state, 0);
	assert_ptr_equal(rig->view, view);
	sets->n = n;
	rig->evidence[0] = 0;
	return resume.taken;
}

static void tests_go_on_until_what_they_rest_on_changes(void **state)
{
	struct mp_batch_index index = { 0 };
	struct mp_view view = { .index = &index, .cpu = 3 };
	struct mp_batch batch[2] = { { .id = 1 }, { .id = 4711 } };
	struct mp_ways_sets sets = { .line = 64, .grain = 64,
				     .piece = 2 << 20 };
	struct mp_ways_rig rig = { .view = &view, .sets = &sets };

	(void)state;
	assert_int_equal(mp_ways_add(&sets, MP_WAYS_REGULAR, 32e3, 34e3), 0);
	assert_int_equal(mp_batch_index_add(&index, &batch[0]), 0);
	assert_false(go_through(&rig, &sets, 1, 1, true));
	assert_true(go_through(&rig, &sets, 1, 1, true));
	assert_true(go_through(&rig, &sets, 1, 1, true));
	/* What was asked for in vain has come: nothing that was made rests on
	 * it. */
	assert_int_equal(mp_batch_index_add(&index, &batch[1]), 0);
	assert_true(go_through(&rig, &sets, 1, 1, true));
	assert_false(go_through(&rig, &sets, 2, 1, true));
	rig.level.own_cycles = 7;
	assert_false(go_through(&rig, &sets, 1, 1, true));
	view.arena_max_bytes = 4096;
	assert_false(go_through(&rig, &sets, 1, 1, true));
	sets.guess[3].weight *= 2;
	assert_false(go_through(&rig, &sets, 1, 1, true));
	assert_true(go_through(&rig, &sets, 1, 1, true));
	assert_int_equal(mp_batch_index_add(&index, &batch[0]), 0);
	assert_false(go_through(&rig, &sets, 1, 1, true));
	view.index = NULL;
	assert_false(go_through(&rig, &sets, 1, 1, true));
	mp_batch_index_free(&index);
	mp_ways_free(&sets);
}

static void check_verdict(const struct mp_policy_seen *seen)
{
	struct mp_policy_verdict own, kept;
	const int err = mp_policy_judge(seen, 1, &own);

	for (int i = 0; i < 2; i++) {
		memset(&kept, 0, sizeof(kept));
		assert_int_equal(mp_policy_judge_kept(seen, 1, &kept), err);
		assert_int_equal(kept.looks, own.looks);
		assert_int_equal(kept.classes, own.classes);
		assert_int_equal(kept.contradicted, own.contradicted);
		assert_int_equal(kept.n_left, own.n_left);
		assert_int_equal(kept.best.class, own.best.class);
		assert_true(kept.apart == own.apart);
	}
}

/* Four lines of a set of four, and one more, each looked at. */
static void a_verdict_on_other_readings_is_another_verdict(void **state)
{
	static struct mp_policy_walk walk = { .ways = 4, .lines = 5, .n = 10 };
	double hit[MP_POLICY_STEPS] = { 0 }, error[MP_POLICY_STEPS];
	const struct mp_policy_seen seen = { &walk, hit, error };

	(void)state;
	for (uint32_t i = 0; i < walk.n; i++) {
		walk.step[i].line = (uint16_t)(i % 5);
		walk.step[i].what = i < 5 ? MP_POLICY_FLUSH : MP_POLICY_LOOK;
		error[i] = 0.05;
	}
	check_verdict(&seen);
	hit[1] = 1;
	check_verdict(&seen);
	error[2] = 0.5;
	check_verdict(&seen);
	walk.step[7].line = 0;
	check_verdict(&seen);
}

static int make_table(void **state)
{
	(void)state;
	table = mp_miss_table_get();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_of_a_key_counts_and_so_does_their_order),
		cmocka_unit_test(the_latest_answers_are_found_and_older_ones_are_not),
		cmocka_unit_test(a_fit_of_other_data_is_another_fit),
		cmocka_unit_test(a_choice_from_other_guesses_is_another_choice),
		cmocka_unit_test(tests_go_on_until_what_they_rest_on_changes),
		cmocka_unit_test(a_verdict_on_other_readings_is_another_verdict),
	};

	return cmocka_run_group_tests_name("kept", tests, make_table, NULL);
}
