// SPDX-License-Identifier: GPL-2.0
/* What the trials of all lists say of each kind of prefetcher. */
#include "probe/prefetch_judge.h"

#include <math.h>

#include "steps.h"

/*
 * A level takes 1.6 times as long as the one inside or more. A line that is
 * brought further in with prefetchers on takes less than so large a share of
 * what it takes with them off, ..
 */
#define FURTHER_IN 0.8
/* .. one that is not, more than that; and a hit cannot come further in. */
#define AS_FAR 0.85
#define BEHIND_FIRST 1.3
#define SURE 4.0

/* The lists of a unit; strides are those of the longest line for all, and
 * long runs those of the shortest. */
uint32_t mp_prefetch_lists(uint32_t u)
{
	return u ? MP_PREFETCH_STRIDES : MP_PREFETCH_LISTS;
}

static uint32_t came(const struct mp_prefetch_all *seen, uint32_t u,
		     uint32_t list, uint32_t kind)
{
	return mp_prefetch_came(&seen->list[u][list], kind, seen->ground.bar,
				false);
}

static bool never(uint32_t came)
{
	return came == MP_PREFETCH_NEVER || came == MP_PREFETCH_UNTRIED;
}

static void leave_open(struct mp_prefetch_answer *answer, const char *why)
{
	if (answer->says == MP_PREFETCH_WORKS)
		return;
	answer->says = MP_PREFETCH_OPEN;
	if (!answer->open)
		answer->open = why;
}

static void works(struct mp_prefetch_answer *answer, uint32_t u, uint32_t list,
		  uint32_t trial, double bar)
{
	answer->says = MP_PREFETCH_WORKS;
	answer->unit = u;
	answer->list = list;
	answer->trial = trial;
	answer->bar = bar;
}

/* Nothing came; where that was seen is told of if it is all there is. */
static void comes_not(struct mp_prefetch_answer *answer, uint32_t u,
		      uint32_t list, uint32_t trial, double bar)
{
	if (answer->says != MP_PREFETCH_NOTHING)
		return;
	works(answer, u, list, trial, bar);
	answer->says = MP_PREFETCH_ABSENT;
}

static const char *why_unclear(uint32_t came)
{
	switch (came) {
	case MP_PREFETCH_UNTRIED:
	case MP_PREFETCH_TOO_FEW:
		return "too few trials were measured undisturbed";
	case MP_PREFETCH_UNCLEAR:
		return "lines that were there and lines that were not are not told apart";
	default:
		return "the line comes at times only";
	}
}

static void judge_next(const struct mp_prefetch_all *seen, uint32_t u,
		       struct mp_prefetch_answer *answer)
{
	const uint32_t beyond = came(seen, u, MP_PREFETCH_PAIRS,
				     MP_PREFETCH_BEYOND);
	const uint32_t up = came(seen, u, MP_PREFETCH_PAIRS, MP_PREFETCH_UP);

	if (beyond == MP_PREFETCH_NEVER)
		comes_not(answer, u, MP_PREFETCH_PAIRS, MP_PREFETCH_BEYOND,
			  seen->ground.bar);
	else if (beyond != MP_PREFETCH_COMES)
		leave_open(answer, why_unclear(beyond));
	else if (up != MP_PREFETCH_COMES)
		leave_open(answer, "the line behind comes across the end of a pair, and not always within one");
	else
		works(answer, u, MP_PREFETCH_PAIRS, MP_PREFETCH_BEYOND,
		      seen->ground.bar);
}

/* Time of a kind of pairs, and how far off that may be. */
static double time_of(const struct mp_prefetch_all *seen,
		      const struct mp_prefetch_seen *pairs, uint32_t kind,
		      double *off)
{
	double error;
	const double hit = mp_prefetch_mean(pairs, kind, &error);

	*off = SURE * error * pairs->span_ns;
	return seen->ground.hit_ns + (1 - hit) * pairs->span_ns;
}

/*
 * Is what comes further in than it is with prefetchers off? Then one has
 * brought it; else a line of an outer level has, which it shares.
 */
static uint32_t beside_quiet(const struct mp_prefetch_all *seen, uint32_t u,
			     uint32_t kind)
{
	double on_off, off_off;
	const double on = time_of(seen, &seen->list[u][MP_PREFETCH_PAIRS],
				  kind, &on_off);
	const double off = time_of(seen, &seen->quiet[u], kind, &off_off);

	if (!seen->quiet[u].batches || isnan(on - off) ||
	    off - off_off < BEHIND_FIRST * seen->ground.hit_ns)
		return MP_PREFETCH_UNTRIED;
	if (on + on_off < FURTHER_IN * (off - off_off))
		return MP_PREFETCH_COMES;
	return on - on_off > AS_FAR * (off + off_off) ? MP_PREFETCH_NEVER :
							MP_PREFETCH_AT_TIMES;
}

/* Half-way from what it is with prefetchers off to what it is with them on. */
static double bar_beside_quiet(const struct mp_prefetch_all *seen, uint32_t u,
			       uint32_t kind)
{
	double error;

	return (mp_prefetch_mean(&seen->list[u][MP_PREFETCH_PAIRS], kind,
				 &error) +
		mp_prefetch_mean(&seen->quiet[u], kind, &error)) / 2;
}

/*
 * Of lines of half a slot the upper one cannot be flushed beforehand, and a
 * backend that lays the list anew before each burst has just written it: that
 * it is there tells nothing, that it is not does; and so does that it is
 * further out with prefetchers off.
 */
static void judge_half_pair(const struct mp_prefetch_all *seen, uint32_t u,
			    struct mp_prefetch_answer *answer)
{
	const uint32_t list = MP_PREFETCH_PAIRS, kind = MP_PREFETCH_UP;
	const double apart = seen->ground.pair_bar[u];
	const double bar = isnan(apart) ? seen->ground.bar : apart;
	const uint32_t up = mp_prefetch_came(&seen->list[u][list], kind, bar,
					     !isnan(apart));
	const uint32_t quiet = beside_quiet(seen, u, kind);

	if (up == MP_PREFETCH_NEVER || quiet == MP_PREFETCH_NEVER)
		comes_not(answer, u, list, kind, bar);
	else if (up != MP_PREFETCH_COMES)
		leave_open(answer, why_unclear(up));
	else if (quiet == MP_PREFETCH_COMES &&
		 came(seen, u, list, MP_PREFETCH_BEYOND) == MP_PREFETCH_NEVER)
		works(answer, u, list, kind, bar_beside_quiet(seen, u, kind));
	else
		leave_open(answer, "lines may be too short to flush one of a pair and load the other");
}

/* Nothing is known of the levels: what else tells whether the other line of a
 * pair lies in one line of an outer level with the flushed one? */
static void judge_unknown_pair(const struct mp_prefetch_all *seen, uint32_t u,
			       struct mp_prefetch_answer *answer)
{
	const uint32_t list = MP_PREFETCH_PAIRS, kind = MP_PREFETCH_DOWN;
	const uint32_t quiet = beside_quiet(seen, u, kind);

	/* Had it been brought further in, it would have stayed there. */
	if (quiet == MP_PREFETCH_NEVER ||
	    (quiet != MP_PREFETCH_COMES && seen->ground.stays[u] &&
	     came(seen, u, list, MP_PREFETCH_KEPT) == MP_PREFETCH_NEVER))
		comes_not(answer, u, list, MP_PREFETCH_KEPT, seen->ground.bar);
	else if (quiet == MP_PREFETCH_COMES)
		works(answer, u, list, kind, bar_beside_quiet(seen, u, kind));
	else
		leave_open(answer, "what comes along may lie in the same line of a level whose line or latency is not known");
}

/* The other line goes with the flushed one, as within a line of an outer
 * level: was it further in than there? */
static void judge_held_pair(const struct mp_prefetch_all *seen, uint32_t u,
			    struct mp_prefetch_answer *answer)
{
	const struct mp_prefetch_seen *pairs =
		&seen->list[u][MP_PREFETCH_PAIRS];
	const double bar = seen->ground.pair_bar[u];
	const uint32_t down = isnan(bar) ? MP_PREFETCH_UNTRIED :
		mp_prefetch_came(pairs, MP_PREFETCH_DOWN, bar, true);

	if (isnan(bar))
		judge_unknown_pair(seen, u, answer);
	else if (down == MP_PREFETCH_NEVER)
		comes_not(answer, u, MP_PREFETCH_PAIRS, MP_PREFETCH_DOWN, bar);
	else if (down == MP_PREFETCH_COMES)
		works(answer, u, MP_PREFETCH_PAIRS, MP_PREFETCH_DOWN, bar);
	else
		leave_open(answer, why_unclear(down));
}

bool mp_prefetch_wants_quiet(const struct mp_prefetch_all *seen, uint32_t u)
{
	const uint32_t list = MP_PREFETCH_PAIRS;

	if (seen->ground.unit[u] < MP_STEPS_SLOT)
		return came(seen, u, list, MP_PREFETCH_UP) ==
		       MP_PREFETCH_COMES;
	return isnan(seen->ground.pair_bar[u]) &&
	       came(seen, u, list, MP_PREFETCH_DOWN) == MP_PREFETCH_COMES &&
	       came(seen, u, list, MP_PREFETCH_KEPT) != MP_PREFETCH_COMES;
}

static void judge_adjacent(const struct mp_prefetch_all *seen, uint32_t u,
			   struct mp_prefetch_answer *answer)
{
	const uint32_t up = came(seen, u, MP_PREFETCH_PAIRS, MP_PREFETCH_UP);
	const uint32_t down = came(seen, u, MP_PREFETCH_PAIRS,
				   MP_PREFETCH_DOWN);
	const uint32_t kept = came(seen, u, MP_PREFETCH_PAIRS,
				   MP_PREFETCH_KEPT);
	const uint32_t beyond = came(seen, u, MP_PREFETCH_PAIRS,
				     MP_PREFETCH_BEYOND);

	if (seen->ground.unit[u] < MP_STEPS_SLOT)
		judge_half_pair(seen, u, answer);
	else if (down == MP_PREFETCH_NEVER && up != MP_PREFETCH_NEVER &&
		 beyond != MP_PREFETCH_COMES)
		leave_open(answer, "the upper line of a pair comes after the lower one, and the lower one does not after the upper one");
	else if (down == MP_PREFETCH_NEVER)
		comes_not(answer, u, MP_PREFETCH_PAIRS, MP_PREFETCH_DOWN,
			  seen->ground.bar);
	else if (down != MP_PREFETCH_COMES)
		leave_open(answer, why_unclear(down));
	else if (up != MP_PREFETCH_COMES)
		leave_open(answer, "the lower line of a pair comes after the upper one, and the upper one not always after the lower one");
	else if (kept == MP_PREFETCH_COMES)
		works(answer, u, MP_PREFETCH_PAIRS, MP_PREFETCH_KEPT,
		      seen->ground.bar);
	else
		judge_held_pair(seen, u, answer);
}

static void judge_stride(const struct mp_prefetch_all *seen,
			 struct mp_prefetch_answer *answer)
{
	const uint32_t list = MP_PREFETCH_STRIDES;
	const uint32_t step = came(seen, 0, list, MP_PREFETCH_STEP);
	const uint32_t beside = came(seen, 0, list, MP_PREFETCH_BESIDE);

	if (step == MP_PREFETCH_NEVER)
		comes_not(answer, 0, list, MP_PREFETCH_STEP, seen->ground.bar);
	else if (step != MP_PREFETCH_COMES)
		leave_open(answer, why_unclear(step));
	else if (beside != MP_PREFETCH_NEVER)
		leave_open(answer, "lines beside the next step of a stride come as well");
	else
		works(answer, 0, list, MP_PREFETCH_STEP, seen->ground.bar);
}

/* Does nothing but a stream explain that a line four ahead of a run came? */
static const char *other_cause(const struct mp_prefetch_all *seen, uint32_t u,
			       uint32_t trial)
{
	const uint32_t list = MP_PREFETCH_RUNS;

	if (!never(came(seen, u, MP_PREFETCH_PAIRS, MP_PREFETCH_AHEAD)) ||
	    (trial == MP_PREFETCH_EVEN &&
	     !never(came(seen, u, list, MP_PREFETCH_EVEN1))) ||
	    (trial == MP_PREFETCH_UNEVEN &&
	     !never(came(seen, u, list, MP_PREFETCH_UNEVEN1))))
		return "a single load brings lines as far ahead";
	if (trial == MP_PREFETCH_FULL &&
	    !never(came(seen, u, list, MP_PREFETCH_JUMBLE)))
		return "lines ahead of a run come in whatever order its lines are loaded";
	if (trial != MP_PREFETCH_UNEVEN &&
	    !never(came(seen, 0, MP_PREFETCH_STRIDES, MP_PREFETCH_STEP2)))
		return "a stride that goes several steps ahead would look the same";
	return NULL;
}

static void judge_stream(const struct mp_prefetch_all *seen, uint32_t u,
			 struct mp_prefetch_answer *answer)
{
	static const uint32_t trials[] = {
		MP_PREFETCH_UNEVEN, MP_PREFETCH_EVEN, MP_PREFETCH_FULL,
	};
	const uint32_t list = MP_PREFETCH_RUNS;
	const double bar = seen->ground.bar;

	for (size_t i = 0; i < sizeof(trials) / sizeof(trials[0]); i++) {
		const uint32_t ahead = came(seen, u, list, trials[i]);
		const char *other = ahead == MP_PREFETCH_COMES ?
				    other_cause(seen, u, trials[i]) :
				    why_unclear(ahead);

		if (ahead == MP_PREFETCH_NEVER)
			comes_not(answer, u, list, trials[i], bar);
		else if (ahead != MP_PREFETCH_UNTRIED && other)
			leave_open(answer, other);
		else if (ahead != MP_PREFETCH_UNTRIED)
			works(answer, u, list, trials[i], bar);
	}
}

/* Does a line of an outer level bring its neighbour? It may hold what is
 * timed behind a long run. */
static bool has_long_neighbours(const struct mp_prefetch_all *seen)
{
	for (uint32_t u = 0; u < seen->ground.n_units; u++) {
		if (seen->ground.unit[u] <= MP_STEPS_SLOT)
			continue;
		if (came(seen, u, MP_PREFETCH_PAIRS, MP_PREFETCH_UP) ==
			    MP_PREFETCH_COMES ||
		    came(seen, u, MP_PREFETCH_PAIRS, MP_PREFETCH_BEYOND) ==
			    MP_PREFETCH_COMES)
			return true;
	}
	return false;
}

static bool is_even_stream(const struct mp_prefetch_all *seen)
{
	for (uint32_t u = 0; u < seen->ground.n_units; u++) {
		if (came(seen, u, MP_PREFETCH_RUNS, MP_PREFETCH_EVEN) ==
		    MP_PREFETCH_COMES)
			return true;
	}
	return false;
}

/*
 * Some want to see many loads before they do anything: what comes only then
 * is not understood well enough to be called by a name, but it is there. A
 * stream takes small strides for its own, as a stride does a stream.
 */
static void doubt_absence(const struct mp_prefetch_all *seen,
			  struct mp_prefetch_answer answer[MP_PREFETCHERS])
{
	const uint32_t list = MP_PREFETCH_LONG;
	struct mp_prefetch_answer *stream = &answer[MP_PREFETCHER_STREAM];
	struct mp_prefetch_answer *stride = &answer[MP_PREFETCHER_STRIDE];

	if (has_long_neighbours(seen))
		return;
	if (stream->says == MP_PREFETCH_ABSENT &&
	    stride->says != MP_PREFETCH_WORKS &&
	    !never(came(seen, 0, list, MP_PREFETCH_FIRSTS)))
		leave_open(stream, "after many loads in a row lines ahead come at times");
	if (stride->says == MP_PREFETCH_ABSENT && !is_even_stream(seen) &&
	    (!never(came(seen, 0, list, MP_PREFETCH_SECONDS)) ||
	     !never(came(seen, 0, list, MP_PREFETCH_THIRDS))))
		leave_open(stride, "after many loads two or three lines apart the next comes at times, which other kinds may do, too");
}

void mp_prefetch_judge(const struct mp_prefetch_all *seen,
		       struct mp_prefetch_answer answer[MP_PREFETCHERS])
{
	judge_stride(seen, &answer[MP_PREFETCHER_STRIDE]);
	for (uint32_t u = 0; u < seen->ground.n_units; u++) {
		judge_next(seen, u, &answer[MP_PREFETCHER_NEXT]);
		judge_adjacent(seen, u, &answer[MP_PREFETCHER_ADJACENT]);
		judge_stream(seen, u, &answer[MP_PREFETCHER_STREAM]);
	}
	doubt_absence(seen, answer);
}
