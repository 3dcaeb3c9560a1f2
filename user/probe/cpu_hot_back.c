// SPDX-License-Identifier: GPL-2.0
/*
 * Hops of the rounds of two walks, over all replicates of an experiment. They
 * are many, and asked for each round: what they say is kept until there are
 * more.
 */
#include "probe/cpu_hot_back.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/clock.h"
#include "analysis/kept.h"
#include "analysis/stat.h"
#include "probe/cpu_hot_shape.h"

/* Of bursts this share, the slowest, is left out: they may have been interrupted. */
#define SLOW_PART 64u
/* Of fewer hops no share is told. */
#define LEFT_LEAST 16.0

/* Of the hops of an actor, and the batches that they are of. */
struct mean {
	double value;
	uint32_t n_batches;
};

/* Behind T nothing can have been lost yet. */
static bool settled(const struct mp_exp *exp, uint32_t actor, uint32_t round)
{
	const uint32_t every = exp->actor[MP_CPU_HOT_T].every;

	return (actor != MP_CPU_HOT_H && actor != MP_CPU_HOT_BESIDE) ||
	       every == 1 || round % every != 0;
}

/* Cycles a hop of a burst, or ns where there is no core clock; NaN: none. */
static double hop_of(const struct mp_batch *batch,
		     const struct memprobe_sample *sample)
{
	const uint64_t *word = batch->payload + sample->payload_offset;
	double ticks = 0, cycles;

	if (!sample->hops || !mp_sample_calm(sample) ||
	    sample->payload_kind != MEMPROBE_PAYLOAD_HIST)
		return NAN;
	for (uint32_t w = 0; w + 1 < sample->payload_count; w += 2)
		ticks += ((double)word[w] - batch->grant.read_ticks) *
			 (double)word[w + 1];
	ticks /= (double)sample->hops;
	cycles = mp_clock_cycles(batch, ticks);
	return isnan(cycles) ? mp_clock_ns(batch, ticks) : cycles;
}

static void count_slow(const struct mp_batch *batch, uint32_t actor,
		       double bound_cycles, double *slow, double *all)
{
	const double per_tick = mp_clock_cycles(batch, 1);

	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];
		const uint64_t *word = batch->payload + sample->payload_offset;

		if (sample->actor != actor || !mp_sample_calm(sample) ||
		    !settled(&batch->exp, actor, sample->round))
			continue;
		for (uint32_t w = 0; w + 1 < sample->payload_count; w += 2) {
			const double ticks = (double)word[w] -
					     batch->grant.read_ticks;

			*all += (double)word[w + 1];
			if (ticks * per_tick > bound_cycles)
				*slow += (double)word[w + 1];
		}
	}
}

static double find_missed(const struct mp_view *view, uint64_t id, uint32_t actor,
			  double bound)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	double slow = 0, all = 0;

	while ((batch = mp_view_next(view, id, &at))) {
		if (mp_batch_counts(batch))
			count_slow(batch, actor, bound, &slow, &all);
	}
	return slow / all;
}

void mp_cpu_hot_gone_most(const struct mp_view *view, uint64_t id,
			  uint32_t actor, const struct mp_spectrum *spectrum,
			  uint32_t k, double most[2])
{
	const struct mp_batch *batch;
	uint32_t at = 0;

	most[0] = 1;
	most[1] = 0;
	while ((batch = mp_view_next(view, id, &at))) {
		double gone = 0, left = 0, all = 0;

		if (!mp_batch_counts(batch))
			continue;
		count_slow(batch, actor, spectrum->bound[k], &gone, &all);
		count_slow(batch, actor, spectrum->bound[k - 1], &left, &all);
		if (!(all > 0))
			continue;
		most[0] = fmin(most[0], left < LEFT_LEAST ? 0 : gone / left);
		most[1] = fmax(most[1], left < LEFT_LEAST ? 1 : gone / left);
	}
}

static int find_mean(const struct mp_view *view, uint64_t id, uint32_t actor,
		     double most, struct mean *mean)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	double *value = NULL, *more;
	size_t n = 0, room = 0;

	mean->n_batches = 0;
	while ((batch = mp_view_next(view, id, &at))) {
		if (!mp_batch_counts(batch))
			continue;
		mean->n_batches++;
		room += batch->n_samples;
		more = realloc(value, room * sizeof(*value));
		if (!more) {
			free(value);
			return -ENOMEM;
		}
		value = more;
		for (uint32_t s = 0; s < batch->n_samples; s++) {
			const struct memprobe_sample *sample = &batch->sample[s];

			if (sample->actor != actor ||
			    !settled(&batch->exp, actor, sample->round))
				continue;
			value[n] = hop_of(batch, sample);
			n += value[n] <= most;
		}
	}
	mp_stat_sort(value, n);
	mean->value = mp_stat_mean(value, isinf(most) ? n - n / SLOW_PART : n);
	free(value);
	return 0;
}

/* What the hops of an actor say rests on the batches of one list; false: that is
 * not known. */
static bool key_of(const struct mp_view *view, uint64_t id, uint32_t actor,
		   struct mp_kept_key *key)
{
	const struct mp_batch_list *list =
		view->index ? mp_batch_index_find(view->index, id) : NULL;

	mp_kept_begin(key);
	if (!list)
		return false;
	mp_kept_add_word(key, list->stamp);
	mp_kept_add_word(key, actor);
	return true;
}

double mp_cpu_hot_missed(const struct mp_view *view, uint64_t id,
			 uint32_t actor, const struct mp_spectrum *spectrum,
			 uint32_t k)
{
	const double bound = spectrum->bound[k];
	static struct mp_kept kept;
	struct mp_kept_key key;
	double missed;
	int err;

	if (!key_of(view, id, actor, &key))
		return find_missed(view, id, actor, bound);
	mp_kept_add(&key, &bound, 1);
	if (mp_kept_find(&kept, &key, &missed, sizeof(missed), &err))
		return missed;
	missed = find_missed(view, id, actor, bound);
	mp_kept_note(&kept, &key, &missed, sizeof(missed), 0);
	return missed;
}

int mp_cpu_hot_mean(const struct mp_view *view, uint64_t id, uint32_t actor,
		    double most, double *mean, uint32_t *n_batches)
{
	static struct mp_kept kept;
	struct mean found = { .value = NAN };
	struct mp_kept_key key;
	bool is_known = key_of(view, id, actor, &key);
	int err;

	if (is_known)
		mp_kept_add(&key, &most, 1);
	if (!is_known || !mp_kept_find(&kept, &key, &found, sizeof(found),
				       &err)) {
		err = find_mean(view, id, actor, most, &found);
		/* A lack of memory is no answer. */
		if (is_known && !err)
			mp_kept_note(&kept, &key, &found, sizeof(found), err);
	}
	*n_batches = found.n_batches;
	if (!err)
		*mean = found.value;
	return err;
}

double mp_cpu_hot_spread(const struct mp_view *view, uint64_t id,
			 double *step_cycles)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	double n = 0, sum = 0, squares = 0, step = 0;

	while ((batch = mp_view_next(view, id, &at))) {
		const double per_tick = mp_clock_cycles(batch, 1);

		if (!mp_batch_counts(batch))
			continue;
		step = mp_spectrum_step(batch);
		for (uint32_t s = 0; s < batch->n_samples; s++) {
			const struct memprobe_sample *sample = &batch->sample[s];
			const uint64_t *word = batch->payload +
					       sample->payload_offset;

			if (sample->actor != MP_CPU_HOT_T || !mp_sample_calm(sample))
				continue;
			for (uint32_t w = 0; w + 1 < sample->payload_count;
			     w += 2) {
				const double x = (double)word[w] * per_tick;

				n += (double)word[w + 1];
				sum += (double)word[w + 1] * x;
				squares += (double)word[w + 1] * x * x;
			}
		}
	}
	*step_cycles = step;
	return squares / n - sum / n * (sum / n) - step * step / 4;
}
