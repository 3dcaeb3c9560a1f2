// SPDX-License-Identifier: GPL-2.0
/*
 * What a chase brings: as many bursts as were asked for, each complete and
 * in range, its flags and its witnesses in agreement, and a grant that says
 * what was really had.
 */
#include "subject.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <cmocka.h>

#include "chase.h"
#include "limits.h"

#define VALID_ALL ((1ull << (MEMPROBE_VALID_OVERRUN + 1)) - 1)
#define FLAGS_ALL (MEMPROBE_F_GAP | MEMPROBE_F_COLD | MEMPROBE_F_MIGRATED | \
		   MEMPROBE_F_SWITCHED | MEMPROBE_F_FAULT | MEMPROBE_F_NMI | \
		   MEMPROBE_F_SMI | MEMPROBE_F_CLOCK | MEMPROBE_F_SHORT)

/* The slowest tick counters and the fastest core clocks there are. */
#define TICK_HZ_LEAST 1e5
#define CORE_HZ_LEAST 1e7
#define CORE_HZ_MOST 2e10

typedef void sees_fn(const struct bench *bench, const struct mp_batch *batch);

/* One look at each of the suite's experiments. */
static void each_ask(const struct subject *subject, sees_fn *sees)
{
	static struct bench bench;
	struct mp_batch batch;

	bench_open(&bench, subject);
	for (uint32_t i = 0; i < ASKS; i++) {
		bench_ask(&bench, (enum ask)i, 0, &batch);
		sees(&bench, &batch);
		mp_batch_free(&batch);
	}
	bench_close(&bench);
}

static bool is_valid(const struct memprobe_sample *sample, uint32_t bit)
{
	return sample->valid >> bit & 1;
}

/* -- bursts ------------------------------------------------------------- */

static void see_bursts(const struct bench *bench, const struct mp_batch *batch)
{
	const uint32_t bursts = batch->exp.actor[0].bursts;

	(void)bench;
	assert_int_equal(batch->n_samples, batch->exp.rounds * bursts);
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		assert_int_equal(sample->actor, 0);
		assert_int_equal(sample->copy, 0);
		assert_int_equal(sample->round, i / bursts);
		assert_int_equal(sample->burst, i % bursts);
		assert_true(sample->bytes == batch->exp.actor[0].length);
		if (!(sample->flags & MEMPROBE_F_MIGRATED))
			assert_int_equal(sample->place,
					 batch->exp.actor[0].place);
	}
}

static void a_chase_gives_the_bursts_of_every_round(
	const struct subject *subject)
{
	each_ask(subject, see_bursts);
}

/* Hops go in looks or in groups; those that were not made are admitted. */
static void see_hops(const struct bench *bench, const struct mp_batch *batch)
{
	const struct mp_actor *actor = &batch->exp.actor[0];
	const bool grouped = actor->detail != MP_DETAIL_TOTALS;
	const uint64_t unit = grouped ? actor->group : MP_CHASE_LOOK_HOPS;

	(void)bench;
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		assert_true(sample->hops > 0);
		assert_true(sample->hops < actor->hops + unit);
		if (sample->flags & MEMPROBE_F_SHORT)
			assert_true(sample->hops < actor->hops);
		else
			assert_true(sample->hops >= actor->hops);
	}
}

static void hops_are_as_asked_or_flagged_short(const struct subject *subject)
{
	each_ask(subject, see_hops);
}

static void see_time(const struct bench *bench, const struct mp_batch *batch)
{
	const uint64_t end_ns = batch->start_ns + batch->cost_ns;
	uint64_t last_ns = batch->start_ns;
	double sum_ns = 0;

	(void)bench;
	assert_true(batch->start_ns > 0);
	assert_true(batch->cost_ns > 0);
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		assert_true(sample->ticks > 0);
		sum_ns += (double)sample->ticks * 1e9 / batch->grant.tick_hz;
		if (!is_valid(sample, MEMPROBE_VALID_START))
			continue;
		assert_true(sample->start_ns >= last_ns);
		assert_true(sample->start_ns <= end_ns);
		last_ns = sample->start_ns;
	}
	/* Two clocks: they may differ a little in how long a second is. */
	assert_true(sum_ns <= (double)batch->cost_ns * 1.01);
}

static void bursts_take_time_and_follow_one_another(
	const struct subject *subject)
{
	each_ask(subject, see_time);
}

/* -- witnesses ---------------------------------------------------------- */

static void see_masks(const struct bench *bench, const struct mp_batch *batch)
{
	(void)bench;
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		assert_int_equal(sample->valid & ~VALID_ALL, 0);
		assert_int_equal(sample->flags & ~FLAGS_ALL, 0);
		for (uint32_t k = batch->grant.n_counters;
		     k < MEMPROBE_COUNTERS; k++)
			assert_false(is_valid(sample, k));
	}
}

static void masks_hold_known_bits_only(const struct subject *subject)
{
	each_ask(subject, see_masks);
}

/* What a flag rests on: a field that is known, and says so. */
static void see_witness(const struct memprobe_sample *sample, uint32_t flag,
			uint32_t bit, bool says)
{
	const bool flagged = sample->flags & flag;

	if (is_valid(sample, bit))
		assert_true(flagged == says);
	else
		assert_false(flagged);
}

static void see_flags(const struct bench *bench, const struct mp_batch *batch)
{
	(void)bench;
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		see_witness(sample, MEMPROBE_F_GAP, MEMPROBE_VALID_GAPS,
			    sample->gaps);
		see_witness(sample, MEMPROBE_F_MIGRATED,
			    MEMPROBE_VALID_CPU_END,
			    sample->cpu_end != sample->place);
		see_witness(sample, MEMPROBE_F_SWITCHED,
			    MEMPROBE_VALID_SWITCHES, sample->switches);
		see_witness(sample, MEMPROBE_F_FAULT, MEMPROBE_VALID_FAULTS,
			    sample->faults);
		see_witness(sample, MEMPROBE_F_NMI, MEMPROBE_VALID_NMI,
			    sample->nmi);
		see_witness(sample, MEMPROBE_F_SMI, MEMPROBE_VALID_SMI,
			    sample->smi);
	}
}

static void flags_agree_with_their_witnesses(const struct subject *subject)
{
	each_ask(subject, see_flags);
}

static void see_gaps(const struct bench *bench, const struct mp_batch *batch)
{
	(void)bench;
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		if (!is_valid(sample, MEMPROBE_VALID_GAPS))
			continue;
		assert_true(sample->gap_ticks <= sample->ticks);
		assert_true(sample->gap_max_ticks <= sample->ticks);
		assert_true(!sample->gaps == !sample->gap_ticks);
		if (sample->gaps)
			assert_true(sample->gap_max_ticks >
				    batch->grant.gap_ticks);
	}
}

static void gaps_lie_inside_their_burst(const struct subject *subject)
{
	each_ask(subject, see_gaps);
}

/* -- the window --------------------------------------------------------- */

/* No look comes later than an eighth of a window, unless somebody else ran. */
static void see_window(const struct bench *bench, const struct mp_batch *batch)
{
	const double window_ticks = (double)batch->exp.window_ns * 1e-9 *
				    batch->grant.tick_hz;

	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		if (mp_sample_calm(sample))
			assert_true((double)sample->ticks <=
				    window_ticks * 1.125);
		/* A quiet window holds more than the stretch. */
		if (is_valid(sample, MEMPROBE_VALID_OVERRUN) &&
		    !bench->target.backend->has_windows)
			assert_true(sample->overrun_ticks < sample->ticks);
	}
}

static void a_window_is_kept_unless_disturbed(const struct subject *subject)
{
	each_ask(subject, see_window);
}

static void what_a_window_cannot_hold_is_flagged_short(
	const struct subject *subject)
{
	static const enum ask asks[] = { ASK_WINDOW, ASK_WINDOW_FAR };
	static struct bench bench;
	struct mp_batch batch;

	bench_open(&bench, subject);
	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		bench_ask(&bench, asks[i], 0, &batch);
		for (uint32_t k = 0; k < batch.n_samples; k++)
			assert_true(batch.sample[k].flags & MEMPROBE_F_SHORT);
		mp_batch_free(&batch);
	}
	bench_close(&bench);
}

/* -- the grant ---------------------------------------------------------- */

static void see_arena(const struct bench *bench, const struct mp_batch *batch)
{
	const struct mp_grant *grant = &batch->grant;
	const struct mp_grant_arena *arena = &grant->arena[0];
	const bool huge = arena->pages == MP_PAGES_THP ||
			  arena->pages == MP_PAGES_2M ||
			  arena->pages == MP_PAGES_1G;

	(void)bench;
	assert_int_equal(grant->n_arenas, batch->exp.n_arenas);
	assert_true(arena->bytes >= batch->exp.arena[0].bytes);
	assert_true(arena->huge_bytes <= arena->bytes);
	assert_true(arena->pages < MP_PAGES_KINDS);
	assert_true(arena->node >= MP_NODE_ANY);
	assert_true(arena->contiguous <= 1);
	assert_true(!huge || arena->huge_bytes == arena->bytes);
}

static void the_grant_describes_every_arena(const struct subject *subject)
{
	each_ask(subject, see_arena);
}

static void see_clocks(const struct bench *bench, const struct mp_batch *batch)
{
	const struct mp_grant *grant = &batch->grant;
	uint64_t last_ns = 0;

	assert_true(isfinite(grant->tick_hz));
	assert_true(grant->tick_hz >= TICK_HZ_LEAST);
	assert_true(grant->tick_step >= 1);
	assert_true(isfinite(grant->read_ticks) && grant->read_ticks >= 0);
	assert_true(isfinite(grant->look_ticks) && grant->look_ticks >= 0);
	assert_true(grant->n_clocks <= MP_GRANT_CLOCKS);
	if (bench->host.caps & MP_CAP_CORE_CLOCK)
		assert_true(grant->n_clocks >= 2);
	for (uint32_t i = 0; i < grant->n_clocks; i++) {
		const struct mp_clock_record *clock = &grant->clock[i];

		assert_true(clock->at_ns > last_ns);
		assert_true(clock->add_hz > CORE_HZ_LEAST);
		assert_true(clock->add_hz < CORE_HZ_MOST);
		assert_true(clock->mul_hz == 0 ||
			    (clock->mul_hz > CORE_HZ_LEAST &&
			     clock->mul_hz < CORE_HZ_MOST));
		last_ns = clock->at_ns;
	}
}

static void the_grant_holds_the_clocks(const struct subject *subject)
{
	each_ask(subject, see_clocks);
}

/* Between the first record and the last lies all that was measured. */
static void see_between(const struct bench *bench,
			const struct mp_batch *batch)
{
	const struct mp_grant *grant = &batch->grant;

	(void)bench;
	if (!grant->n_clocks)
		return;
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		if (!is_valid(sample, MEMPROBE_VALID_START))
			continue;
		assert_true(grant->clock[0].at_ns <= sample->start_ns);
		assert_true(grant->clock[grant->n_clocks - 1].at_ns >=
			    sample->start_ns);
	}
}

static void the_core_clock_is_seen_before_and_after(
	const struct subject *subject)
{
	each_ask(subject, see_between);
}

static void see_names(const struct bench *bench, const struct mp_batch *batch)
{
	(void)bench;
	assert_true(batch->grant.n_counters <= MEMPROBE_COUNTERS);
	for (uint32_t i = 0; i < batch->grant.n_counters; i++)
		assert_one_line(batch->grant.counter[i], MP_GRANT_TEXT);
}

static void counters_have_names(const struct subject *subject)
{
	each_ask(subject, see_names);
}

/* -- does it count? ----------------------------------------------------- */

static void see_counts(const struct bench *bench, const struct mp_batch *batch)
{
	uint32_t disturbed = 0;

	(void)bench;
	for (uint32_t i = 0; i < batch->n_samples; i++)
		disturbed += (batch->sample[i].flags &
			      MEMPROBE_F_DISTURBED) != 0;
	assert_true(mp_batch_counts(batch) ==
		    (2 * disturbed <= batch->n_samples));
}

static void a_batch_counts_when_half_of_it_is_calm(
	const struct subject *subject)
{
	each_ask(subject, see_counts);
}

const struct check chase_checks[] = {
	CHECK(a_chase_gives_the_bursts_of_every_round),
	CHECK(hops_are_as_asked_or_flagged_short),
	CHECK(bursts_take_time_and_follow_one_another),
	CHECK(masks_hold_known_bits_only),
	CHECK(flags_agree_with_their_witnesses),
	CHECK(gaps_lie_inside_their_burst),
	CHECK(a_window_is_kept_unless_disturbed),
	CHECK(what_a_window_cannot_hold_is_flagged_short),
	CHECK(the_grant_describes_every_arena),
	CHECK(the_grant_holds_the_clocks),
	CHECK(the_core_clock_is_seen_before_and_after),
	CHECK(counters_have_names),
	CHECK(a_batch_counts_when_half_of_it_is_calm),
	{ 0 },
};
