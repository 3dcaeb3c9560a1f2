// SPDX-License-Identifier: GPL-2.0
/*
 * Ticks to nanoseconds and core cycles. Raw ticks are kept everywhere
 * else; conversion happens here, once.
 */
#include "analysis/clock.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/stat.h"
#include "chase.h"

/* Samples of a usual batch, for which no memory is asked. */
#define FEW 32u

double mp_clock_ns(const struct mp_batch *batch, double ticks)
{
	if (!(batch->grant.tick_hz > 0))
		return NAN;
	return ticks * 1e9 / batch->grant.tick_hz;
}

double mp_clock_core_hz(const struct mp_batch *batch)
{
	double sum = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < batch->grant.n_clocks; i++) {
		if (!(batch->grant.clock[i].add_hz > 0))
			continue;
		sum += batch->grant.clock[i].add_hz;
		n++;
	}
	return n ? sum / n : NAN;
}

double mp_clock_core_off(const struct mp_batch *batch)
{
	const double mean = mp_clock_core_hz(batch);
	double most = 0;

	for (uint32_t i = 0; i < batch->grant.n_clocks; i++)
		if (batch->grant.clock[i].add_hz > 0)
			most = fmax(most, fabs(batch->grant.clock[i].add_hz -
					       mean));
	return mean > 0 ? most / mean : 0;
}

double mp_clock_cycles(const struct mp_batch *batch, double ticks)
{
	return mp_clock_ns(batch, ticks) * mp_clock_core_hz(batch) / 1e9;
}

/* What reading the clock cost a sample: once around all its hops, with looks
 * between them; or around each group, and no looks. */
static double clock_ticks(const struct mp_batch *batch,
			  const struct memprobe_sample *s)
{
	const struct mp_actor *actor = &batch->exp.actor[s->actor];
	const struct mp_grant *grant = &batch->grant;
	const double hops = (double)s->hops;

	return actor->detail == MP_DETAIL_TOTALS ?
	       grant->read_ticks + grant->look_ticks * hops /
				   MP_CHASE_LOOK_HOPS :
	       grant->read_ticks * hops / actor->group;
}

static double find_hop_ticks(const struct mp_batch *batch, uint32_t actor)
{
	double few[FEW], *value = few, out;
	uint32_t n = 0;

	if (batch->n_samples > FEW)
		value = malloc(batch->n_samples * sizeof(*value));
	if (!value)
		return NAN;
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *s = &batch->sample[i];

		if (s->actor != actor || !s->hops || !mp_sample_calm(s))
			continue;
		value[n++] = ((double)s->ticks - clock_ticks(batch, s)) /
			     (double)s->hops;
	}
	out = mp_stat_midmean(value, n);
	if (value != few)
		free(value);
	return out;
}

double mp_clock_hop_ticks(const struct mp_batch *batch, uint32_t actor)
{
	struct mp_batch_kept *kept = actor ? NULL : mp_batch_kept(batch);

	if (!kept)
		return find_hop_ticks(batch, actor);
	if (!kept->has_ticks)
		kept->ticks = find_hop_ticks(batch, actor);
	kept->has_ticks = true;
	return kept->ticks;
}
