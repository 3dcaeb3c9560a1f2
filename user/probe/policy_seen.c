// SPDX-License-Identifier: GPL-2.0
/*
 * What was seen of walks over lines of one set: which share of the looks at a
 * line hit.
 *
 * Other lines of the process fall on some set, too: its stack, the list of
 * steps, where ticks go. So a walk is made over several sets, and one that
 * shows what the others do not is left out.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/clock.h"
#include "analysis/stat.h"
#include "probe/policy_control.h"
#include "probe/policy_look.h"

#define HUGE_PAGE (2ull << 20)
/* What takes longer than so many misses counts as no longer; and more than this
 * is no hit of the next level. */
#define FAR 2.0
#define BEYOND 1.5
/* Of bursts so many find a line behind a level that may have put it out. */
#define LOST_LEAST 0.25
/* A set of which others use a way is off by a whole hit, in some looks. */
#define APART 0.5

/* Readings of a walk: a row for each burst. */
struct readings {
	uint32_t looks;
	uint32_t n;
	uint32_t room;
	double *ticks;
	double hz;
	double step;
};

/* Which set a line falls on is known within a contiguous stretch, and in all
 * pages alike where sets repeat in each. */
static bool is_contiguous(const struct mp_policy_level *level,
			  const struct mp_batch *batch)
{
	const struct mp_grant_arena *a = &batch->grant.arena[0];
	const struct mp_actor *actor = &batch->exp.actor[0];
	const uint64_t end = actor->offset + actor->length - actor->stride +
			     MP_STEPS_SLOT;
	const bool huge = a->pages == MP_PAGES_THP ||
			  a->pages == MP_PAGES_2M || a->pages == MP_PAGES_1G;

	return a->contiguous || !(MP_POLICY_PAGE % level->way_bytes) ||
	       (huge && (level->repeats || end <= HUGE_PAGE));
}

static int add_row(struct readings *readings, const uint64_t *word)
{
	const uint32_t wide = readings->looks;

	if (readings->n == readings->room) {
		const uint32_t room = readings->room ? 2 * readings->room : 64;
		double *more = realloc(readings->ticks, (size_t)room * wide *
				       sizeof(*more));

		if (!more)
			return -ENOMEM;
		readings->ticks = more;
		readings->room = room;
	}
	for (uint32_t i = 0; i < wide; i++)
		readings->ticks[(size_t)readings->n * wide + i] =
			(double)word[i];
	readings->n++;
	return 0;
}

static int read_batch(const struct mp_batch *batch, struct readings *readings)
{
	int err = 0;

	readings->hz = batch->grant.tick_hz;
	readings->step = (double)batch->grant.tick_step;
	for (uint32_t i = 0; i < batch->n_samples && !err; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		if (mp_sample_calm(sample) &&
		    sample->payload_kind == MEMPROBE_PAYLOAD_TICKS &&
		    sample->payload_count == readings->looks)
			err = add_row(readings, batch->payload +
						sample->payload_offset);
	}
	return err;
}

static int read_all(const struct mp_policy_level *level,
		    const struct mp_view *view, const struct mp_exp *exp,
		    uint64_t id, struct readings *readings, bool *contiguous)
{
	const struct mp_batch *batch;
	uint32_t at = 0;
	int err = 0;

	while (!err && (batch = mp_view_next(view, id, &at))) {
		if (!mp_batch_counts(batch) ||
		    !(batch->grant.tick_hz > 0) ||
		    !mp_exp_equal(&batch->exp, exp))
			continue;
		*contiguous &= is_contiguous(level, batch);
		err = read_batch(batch, readings);
	}
	return !err && !readings->n ? -ENODATA : err;
}

/* Mean of a look's readings, none of them taken for more than @cap. */
static double mean_of(const struct readings *readings, uint32_t look,
		      double cap, double *error)
{
	double sum = 0, squares = 0, mean;

	for (uint32_t i = 0; i < readings->n; i++) {
		const double t = fmin(readings->ticks[(size_t)i *
					readings->looks + look], cap);

		sum += t;
		squares += t * t;
	}
	mean = sum / readings->n;
	*error = sqrt(fmax(squares / readings->n - mean * mean, 0) /
		      readings->n);
	return mean;
}

/* Of a control: what comes between now and then is not to show. */
static double calm_mean(const struct readings *readings, uint32_t look,
			double beyond, double *error)
{
	double *sorted = malloc(readings->n * sizeof(*sorted)), middle = NAN;

	for (uint32_t i = 0; sorted && i < readings->n; i++)
		sorted[i] = readings->ticks[(size_t)i * readings->looks + look];
	if (sorted)
		middle = mp_stat_median(sorted, readings->n);
	free(sorted);
	return mean_of(readings, look, middle + beyond, error);
}

/* All that was read of a walk. */
struct read {
	struct readings control;
	uint32_t sets;		/* that it was made over undisturbed */
	struct readings set[MP_POLICY_SETS_MOST];
};

/* Share of bursts in which a line was behind the nearest level that may have put
 * it out; NAN: that is the next one, or steps of the clock hide it. A mean is that
 * of hits and misses as well. */
static double lost_of(const struct mp_policy_level *level,
		      const struct readings *readings, uint32_t look,
		      double hit)
{
	const double tick = 1e-9 * readings->hz;
	uint32_t n = 0;

	if (!(readings->step <= level->lost_apart_ns * tick))
		return NAN;
	for (uint32_t i = 0; i < readings->n; i++)
		n += readings->ticks[(size_t)i * readings->looks + look] >
		     hit + level->lost_ns * tick;
	return (double)n / readings->n;
}

/* By means: what comes between in one of some hundred bursts does no harm. */
static double share_of(const struct mp_policy_level *level,
		       const struct readings *readings,
		       const struct readings *control, uint32_t look,
		       double *error, double *lost)
{
	const double tick = 1e-9 * readings->hz;
	const double miss = level->miss_ns * tick;
	const double beyond = FAR * miss + 2 * readings->step;
	double off[2], hit, more;

	hit = calm_mean(control, look, beyond, &off[0]) + level->more_ns * tick;
	more = mean_of(readings, look, hit + beyond, &off[1]) - hit;
	*error = hypot(off[0], off[1]) / miss;
	*lost = lost_of(level, readings, look, hit);
	return 1 - more / miss;
}

/* One that is apart from all others is left out, where these agree. */
static bool is_apart(const double *share, uint32_t n, uint32_t one)
{
	double low = INFINITY, high = -INFINITY;

	for (uint32_t i = 0; i < n; i++) {
		if (i == one)
			continue;
		low = fmin(low, share[i]);
		high = fmax(high, share[i]);
	}
	return n > 2 && high - low < APART &&
	       (share[one] > high + APART || share[one] < low - APART);
}

/* A share is known no better than steps of the clock let a mean be known. */
static double least_error(const struct mp_policy_level *level,
			  const struct read *read)
{
	const struct readings *control = &read->control;
	const double miss = level->miss_ns * 1e-9 * control->hz;

	return control->step / 2 / sqrt(control->n) / miss;
}

/* More of a hit than this level has: it was one inside. What no single look
 * shows for certain all together do. */
static void see_inside(const struct mp_policy_level *level, double over,
		       double error, struct mp_policy_looked *looked)
{
	const double inside = level->inside_ns / level->miss_ns;

	looked->stayed += over > inside / 2 &&
			  MP_POLICY_SURE * error < inside / 2;
	looked->inside += over / inside;
	looked->inside_squares += error * error / (inside * inside);
	looked->hits++;
}

static void see_look(const struct mp_policy_level *level,
		     const struct read *read, uint32_t look,
		     struct mp_policy_looked *looked)
{
	double share[MP_POLICY_SETS_MOST], error[MP_POLICY_SETS_MOST];
	double lost[MP_POLICY_SETS_MOST], sum = 0, squares = 0, far = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < read->sets; i++)
		share[i] = share_of(level, &read->set[i], &read->control, look,
				    &error[i], &lost[i]);
	for (uint32_t i = 0; i < read->sets; i++) {
		if (is_apart(share, read->sets, i))
			continue;
		sum += share[i];
		squares += error[i] * error[i];
		far += lost[i];
		n++;
	}
	looked->far += isnan(far) ? sum / n < 1 - BEYOND :
				    far / n > LOST_LEAST;
	looked->hit[look] = fmin(fmax(sum / n, 0), 1);
	looked->error[look] = sqrt(squares) / n;
	if (level->k && sum / n > APART)
		see_inside(level, sum / n - 1,
			   fmax(looked->error[look], least_error(level, read)),
			   looked);
}

/* First looks come after a flush, in the control too, and tell nothing. */
static void see(const struct mp_policy_level *level,
		const struct mp_policy_walk *walk, const struct read *read,
		struct mp_policy_looked *looked)
{
	bool seen[MP_POLICY_LINES] = { false };
	uint32_t look = 0;

	looked->stayed = 0;
	looked->hits = 0;
	looked->inside = 0;
	looked->inside_squares = 0;
	looked->far = 0;
	for (uint32_t i = 0; i < walk->n; i++) {
		if (walk->step[i].what != MP_POLICY_LOOK)
			continue;
		looked->hit[look] = 0;
		looked->error[look] = NAN;
		if (seen[walk->step[i].line])
			see_look(level, read, look, looked);
		seen[walk->step[i].line] = true;
		look++;
	}
}

static int read_sets(const struct mp_policy_level *level,
		     const struct mp_view *view,
		     const struct mp_policy_walk *walk, struct read *read,
		     struct mp_policy_looked *looked)
{
	struct mp_exp exp;
	int err = 0;

	for (uint32_t i = 0; i < level->sets && !err; i++) {
		struct readings *readings = &read->set[read->sets];

		mp_policy_look_exp(level, view, walk, i, &exp);
		looked->id = mp_exp_id(&exp);
		err = read_all(level, view, &exp, looked->id, readings,
			       &looked->contiguous);
		read->sets += !err;
		if (err == -ENODATA)
			err = 0;
	}
	return !err && !read->sets ? -ENODATA : err;
}

int mp_policy_look_at(const struct mp_policy_level *level,
		      const struct mp_view *view,
		      const struct mp_policy_walk *walk,
		      struct mp_policy_looked *looked)
{
	struct read read = { .control = { .looks = mp_policy_looks(walk) } };
	struct mp_exp exp;
	int err;

	for (uint32_t i = 0; i < MP_POLICY_SETS_MOST; i++)
		read.set[i].looks = read.control.looks;
	looked->contiguous = true;
	mp_policy_look_exp(level, view, walk, MP_POLICY_CONTROL, &exp);
	err = read_all(level, view, &exp, mp_exp_id(&exp), &read.control,
		       &looked->contiguous);
	if (!err)
		err = read_sets(level, view, walk, &read, looked);
	if (!err)
		see(level, walk, &read, looked);
	free(read.control.ticks);
	for (uint32_t i = 0; i < MP_POLICY_SETS_MOST; i++)
		free(read.set[i].ticks);
	return err;
}
