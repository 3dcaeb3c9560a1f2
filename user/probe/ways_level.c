// SPDX-License-Identifier: GPL-2.0
/* What is known of a level before its ways are: limits, latencies, lines. */
#include "probe/ways_level.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/spectrum.h"
#include "ioctl/memprobe.h"
#include "probe/cpu.h"
#include "probe/line.h"

/* The limits of sizes are taken to be so much wider; a size of which only the
 * limits are known will do, but they hold less often. */
#define SIZE_ERROR 0.02
#define LEAST_ERROR 0.1
/* What is behind the next level, if that is not known, takes so many times as
 * long as the next one at least. */
#define BEYOND_LEAST 1.2
/* Shares of mean times that can be told from none, by how well a mean time and
 * a latency are known, cycles. */
#define MEAN_ERROR_CYCLES 0.04
#define MEAN_ERROR 0.002
#define LATENCY_ERROR 0.02
/* In a mean the next level misses too where a hop takes this much longer than
 * a miss of this one, in steps from this level to the next; and of one line that
 * it misses so much of the time is left by others that take a little less. */
#define BEYOND_MEAN 1.3
#define BEYOND_FEW 0.93
#define BEYOND_ONE 0.7
/* Others put so many of the lines out of a full level. */
#define CROWDED_SHARE 0.1

const struct mp_fact *mp_ways_size_of(const struct mp_view *view, uint32_t k)
{
	char name[MP_FACT_NAME];

	snprintf(name, sizeof(name), "cpu.%s.size", mp_cpu_level_name[k]);
	return mp_facts_find(view->facts, name);
}

/* Cycles of a level behind the @k-th one, or of memory where there is no such
 * level; NaN = not known, as it may be there. */
static double behind(const struct mp_view *view, uint32_t k, uint32_t other)
{
	const char *name = mp_cpu_level_name[k];
	bool there = false;

	for (uint32_t i = k + 1; i <= other && i < MP_CPU_LEVELS; i++) {
		const double cycles = mp_cpu_value(view, mp_cpu_level_name[i],
						   "latency-cycles");

		if (i == other && !isnan(cycles))
			return cycles;
		there = mp_ways_size_of(view, i) && !mp_cpu_is_absent(view, i);
		if (!there)
			break;
	}
	return there && other < MP_CPU_LEVELS ? NAN :
	       mp_cpu_value(view, name, "latency-cycles") *
	       mp_cpu_value(view, "dram", "latency") /
	       mp_cpu_value(view, name, "latency");
}

/* Limits of its size, taken wider than they are said to be. */
static bool find_limits(const struct mp_fact *size,
			struct mp_ways_level *level)
{
	const bool least = size && size->verdict == MP_AT_LEAST;

	if (!size || !(size->verdict == MP_MEASURED ||
		       (least && size->high > size->low)))
		return false;
	level->low_bytes = size->low * (1 - (least ? LEAST_ERROR : SIZE_ERROR));
	level->high_bytes = size->high *
			    (1 + (least ? MP_WAYS_MOST_ERROR : SIZE_ERROR));
	return true;
}

uint64_t mp_ways_line_of(const struct mp_view *view, uint32_t k,
			 uint64_t usual)
{
	const double line = mp_cpu_value(view, mp_cpu_level_name[k], "line");

	return isnan(line) ? usual : (uint64_t)line;
}

/* An inclusive level puts out what lies further inside with its own, if that is
 * more than it has room for; and of some nobody knows that they are none. */
static double left_by(const struct mp_view *view, uint32_t k)
{
	const struct mp_fact *size;

	if (k >= MP_CPU_LEVELS || mp_cpu_is_absent(view, k) ||
	    !mp_cpu_may_be(view, k, "inclusive"))
		return INFINITY;
	size = mp_ways_size_of(view, k);
	return size && (size->verdict == MP_MEASURED ||
			size->verdict == MP_AT_LEAST) ? size->low : 0;
}

bool mp_ways_level_known(const struct mp_view *view, uint32_t k,
			 struct mp_ways_level *level)
{
	const char *name = mp_cpu_level_name[k];

	*level = (struct mp_ways_level){ .k = k };
	if (!find_limits(mp_ways_size_of(view, k), level))
		return false;
	level->innermost_bytes = mp_ways_size_of(view, 0)->low;
	level->own_cycles = mp_cpu_value(view, name, "latency-cycles");
	level->inner_cycles = k ? mp_cpu_value(view, mp_cpu_level_name[k - 1],
					       "latency-cycles") : 0;
	level->innermost_cycles = mp_cpu_value(view, "l1d", "latency-cycles");
	level->line = (uint32_t)mp_ways_line_of(view, 0, MP_LINE_MAX);
	level->next_cycles = behind(view, k, k + 1);
	if (!k && isnan(level->next_cycles))
		level->next_cycles = mp_cpu_rises_to(view);
	level->beyond_cycles = behind(view, k, k + 2);
	level->beyond_known = !isnan(level->beyond_cycles);
	level->left_bytes = left_by(view, k + 1);
	if (!level->beyond_known)
		level->beyond_cycles = fmax(2 * level->next_cycles -
					    level->own_cycles,
					    BEYOND_LEAST * level->next_cycles);
	return !isnan(level->innermost_cycles) && !isnan(level->inner_cycles) &&
	       level->next_cycles > level->own_cycles * MP_WAYS_APART;
}

bool mp_ways_may_go_beyond(const struct mp_ways_level *level,
			   const struct mp_ways_test *test, double missed)
{
	const double step = level->next_cycles - level->own_cycles;
	const double one = (level->beyond_cycles - level->own_cycles) / step;

	return missed > BEYOND_MEAN ||
	       (missed < BEYOND_FEW && missed * test->lines > BEYOND_ONE * one &&
		(double)(test->lines * test->stride) > level->left_bytes);
}

static bool has_hist(const struct mp_batch *batch)
{
	for (uint32_t i = 0; i < batch->n_samples; i++)
		if (batch->sample[i].payload_kind == MEMPROBE_PAYLOAD_HIST)
			return true;
	return false;
}

/* Can hops that are so many cycles apart be told? */
static bool tells(const struct mp_view *view, double apart)
{
	const struct mp_batch *last = NULL;

	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_batch *batch = view->batch[i];

		if (batch->exp.actor[0].detail == MP_DETAIL_HIST &&
		    !has_hist(batch) && mp_batch_counts(batch))
			return false;
	}
	for (uint32_t i = view->n_batches; i-- > 0 && !last;)
		last = mp_batch_counts(view->batch[i]) ? view->batch[i] : NULL;
	return last && mp_spectrum_step(last) <= apart / 2;
}

bool mp_ways_times_single(const struct mp_view *view,
			  const struct mp_ways_level *level)
{
	const double inside = level->k ? level->own_cycles -
				  level->inner_cycles : INFINITY;

	return tells(view, fmin(level->next_cycles - level->own_cycles,
				inside));
}

bool mp_ways_tells_misses(const struct mp_view *view,
			  const struct mp_ways_level *level)
{
	const double beyond = level->beyond_cycles >
			      level->next_cycles * MP_WAYS_APART ?
			      level->beyond_cycles - level->next_cycles :
			      INFINITY;

	return tells(view, fmin(level->next_cycles - level->own_cycles, beyond));
}

uint64_t mp_ways_piece_of(const struct mp_view *view, uint32_t pages)
{
	uint64_t piece = MP_WAYS_PAGE;
	bool made = false, failed = false;

	for (uint32_t i = view->n_batches; i-- > 0;) {
		const struct mp_batch *batch = view->batch[i];
		const struct mp_grant_arena *arena = &batch->grant.arena[0];

		if (batch->exp.arena[0].pages != pages)
			continue;
		failed |= batch->error != 0;
		if (batch->error || arena->bytes <= MP_WAYS_PAGE)
			continue;
		made = true;
		if (arena->contiguous && arena->bytes > MP_WAYS_HUGE)
			return view->arena_max_bytes;
		if (arena->pages != MP_PAGES_4K)
			piece = MP_WAYS_HUGE;
		else if (arena->contiguous)
			piece = view->arena_max_bytes;
		if (arena->bytes > MP_WAYS_HUGE)
			return piece;
	}
	if (pages == MP_PAGES_2M)
		return failed && !made ? 0 : MP_WAYS_HUGE;
	return piece;
}

enum mp_ways_beside mp_ways_beside_of(const struct mp_view *view, uint32_t k)
{
	const struct mp_fact *inclusion = k ? mp_cpu_found(view, k, "inclusion") :
					      NULL;

	if (!inclusion || inclusion->verdict != MP_MEASURED)
		return MP_WAYS_EITHER;
	return strcmp(inclusion->text, "exclusive") ? MP_WAYS_ITSELF :
						      MP_WAYS_EXCLUSIVE;
}

double mp_ways_finest(const struct mp_ways_level *level)
{
	const double step = level->next_cycles - level->own_cycles;
	double error = MEAN_ERROR_CYCLES + MEAN_ERROR * level->own_cycles;

	if (level->single)
		return MP_WAYS_FINEST_SINGLE;
	if (level->k)
		error += LATENCY_ERROR * level->own_cycles;
	return error / step + (level->crowded ? CROWDED_SHARE : 0);
}
