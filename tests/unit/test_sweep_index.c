// SPDX-License-Identifier: GPL-2.0
/* An index of batches changes nothing of the curves that they draw. */
#include "analysis/sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define BATCHES 90u

static struct mp_batch made[BATCHES];
static const struct mp_batch *list[BATCHES];
static struct mp_view view;

static int begin(void **state)
{
	(void)state;
	view = (struct mp_view){ .arena_max_bytes = 1 << 20, .batch = list };
	return 0;
}

static int end(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < view.n_batches; i++)
		mp_batch_free(&made[i]);
	return 0;
}

static void add(const struct mp_sweep *sweep, uint64_t length,
		uint64_t hop_ticks)
{
	struct mp_batch *batch = &made[view.n_batches];
	struct mp_exp exp;

	mp_sweep_exp(sweep, length, &exp);
	mp_batch_init(batch, &exp, view.n_batches);
	batch->grant.tick_hz = 2e9;
	batch->grant.n_clocks = 1;
	batch->grant.clock[0].add_hz = 3e9;
	for (uint32_t i = 0; i < 4; i++) {
		struct memprobe_sample *sample = mp_batch_add(batch);

		assert_non_null(sample);
		sample->hops = 1000;
		sample->ticks = 1000 * hop_ticks + i;
	}
	list[view.n_batches++] = batch;
}

static void same_curves(const struct mp_curve *a, const struct mp_curve *b)
{
	assert_int_equal(a->n, b->n);
	for (uint32_t i = 0; i < a->n; i++) {
		const struct mp_curve_at *x = &a->at[i], *y = &b->at[i];

		assert_int_equal(x->length, y->length);
		assert_int_equal(x->n, y->n);
		assert_true(x->id == y->id);
		assert_true(x->mid_ns == y->mid_ns &&
			    x->mid_cycles == y->mid_cycles);
		for (uint32_t r = 0; r < x->n; r++) {
			assert_ptr_equal(x->batch[r], y->batch[r]);
			assert_true(x->cycles[r] == y->cycles[r] &&
				    x->ns[r] == y->ns[r]);
		}
	}
}

static void an_index_draws_the_same_curve(void **state)
{
	struct mp_batch_index index = { 0 };
	struct mp_sweep sweep, other;
	struct mp_curve scanned, indexed;

	(void)state;
	mp_sweep_init(&sweep, &view, 128, 65536);
	mp_sweep_init(&other, &view, 256, 65536);
	for (uint32_t i = 0; i < 90; i++)
		add(i % 4 ? &sweep : &other, 4096 * (1 + i * 7 % 20), 3 + i);
	for (uint32_t i = 0; i < 3; i++)
		made[13].sample[i].flags = MEMPROBE_F_SWITCHED;
	assert_int_equal(mp_sweep_gather(&sweep, &view, &scanned), 0);
	for (uint32_t i = 0; i < view.n_batches; i++) {
		mp_batch_keep(&made[i]);
		assert_int_equal(mp_batch_index_add(&index, &made[i]),
				 0);
	}
	view.index = &index;
	for (int twice = 0; twice < 2; twice++) {
		assert_int_equal(mp_sweep_gather(&sweep, &view, &indexed),
				 0);
		same_curves(&scanned, &indexed);
		mp_curve_free(&indexed);
	}
	mp_curve_free(&scanned);
	mp_batch_index_free(&index);
}

static void one_length_is_drawn_as_the_curve_has_it(void **state)
{
	struct mp_sweep sweep;
	struct mp_curve all, one;

	(void)state;
	mp_sweep_init(&sweep, &view, 128, 65536);
	for (uint32_t i = 0; i < 40; i++)
		add(&sweep, 4096 * (1 + i % 8), 3 + i);
	assert_int_equal(mp_sweep_gather(&sweep, &view, &all), 0);
	for (uint32_t i = 0; i < all.n; i++) {
		const struct mp_curve alone = { .n = 1, .at = &all.at[i] };

		assert_int_equal(mp_sweep_gather_at(&sweep, &view,
						    all.at[i].length, &one), 0);
		same_curves(&alone, &one);
		mp_curve_free(&one);
	}
	assert_int_equal(mp_sweep_gather_at(&sweep, &view, 4096 + 128,
					    &one), 0);
	assert_int_equal(one.n, 0);
	mp_curve_free(&one);
	mp_curve_free(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_index_draws_the_same_curve,
						begin, end),
		cmocka_unit_test_setup_teardown(
			one_length_is_drawn_as_the_curve_has_it, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
