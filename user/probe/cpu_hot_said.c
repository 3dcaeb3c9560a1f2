// SPDX-License-Identifier: GPL-2.0
/* What a ring that was hot in the level inside says of the one outside it. */
#include "probe/cpu_hot_said.h"

#include <math.h>

/* Of H so little that lives further in than in the inner level is none. */
#define INSIDE_LITTLE 0.1
/* Where the outer level is said to have been given H so much of T has left the inner
 * one. */
#define LEFT_MIN 0.8
#define LEFT_MAX 1.3
/* Shares of H that are gone: so many are those of an outer level that had
 * them beside the inner one, this many say that it did not only have those that
 * were put out; no more than this are what Q and noise do. */
#define GONE 0.5
#define GONE_PART 0.4
#define NOT_GONE 0.2
/* Losses of a line for each time the outer level is driven through: no more
 * than this is hot. */
#define HOLDS_STILL 0.3
/* So many more than without the drive, and so many times as many, are the
 * outer level's doing; */
#define LOSES_MORE 0.25
#define LOSES_TIMES 1.5
/* .. it has so many of those no more, and the next one still has most: in a
 * mean, what the inner level alone loses adds to them; */
#define LOSES_LEAST 0.4
#define LOSES_LEAST_MEAN 0.5
#define LOSES_PART 0.7
/* .. and so many times as many as one that takes nothing back has lost: of lines that
 * leave the inner level s times by themselves s / (1 + s), the rest has come since. */
#define LOSES_BEYOND 1.15
#define LOSES_BEYOND_LEAKS 1.3
/* .. none loses a line more often. */
#define LOSES_MOST 1.8

/* Has the outer level no more of what left the inner one so many lines as one that
 * takes them back would have lost? A mean does not tell from where they came back. */
static bool may_be(bool single, double beyond, const struct mp_cpu_hot *hot)
{
	const double left = single ? hot->leaked : hot->lost;
	const double here = hot->lost - hot->past;

	return hot->lost <= LOSES_MOST &&
	       here >= (single ? fmax(LOSES_LEAST, beyond * left / (1 + left)) :
				 LOSES_LEAST_MEAN);
}

bool mp_cpu_hot_may_put_out(bool single, const struct mp_cpu_hot *hot)
{
	return may_be(single, LOSES_BEYOND, hot);
}

bool mp_cpu_hot_puts_out(bool single, const struct mp_cpu_hot *hot)
{
	const double left = single ? hot->leaked : hot->lost;
	const double more = left - hot->still;

	return hot->still > -HOLDS_STILL && more >= LOSES_MORE &&
	       left >= LOSES_TIMES * hot->still &&
	       hot->lost - hot->past >= LOSES_PART * more &&
	       may_be(single, hot->still < HOLDS_STILL ?
			      LOSES_BEYOND : LOSES_BEYOND_LEAKS, hot);
}

static const char leaks[] =
	"lines do not stay in the level inside, however often they are used, so this level sees them again and again";

/* What an exclusive level may be without lives further in, or is gone. */
static bool is_gone(const struct mp_cpu_hot *hot, double part)
{
	return hot->gone_least >= hot->inside + (1 - hot->inside) * part;
}

/* Was the level given H as that was put out of the inner one, and not before? What a
 * level further out has put out of all is gone from here as well, but for neighbours
 * that came along when it was fetched again: no more of these than what leaks. */
static bool is_given(bool is_hot, const struct mp_cpu_hot *hot)
{
	return hot->inside <= INSIDE_LITTLE && is_hot &&
	       fabs(hot->gone) <= NOT_GONE && fabs(hot->lost) < MP_CPU_HOT_STAYS &&
	       hot->past < MP_CPU_HOT_LEAKS_LITTLE &&
	       hot->left >= LEFT_MIN && hot->left <= LEFT_MAX;
}

void mp_cpu_hot_decide(bool roomy, struct mp_cpu_hot *hot)
{
	/* Less than nothing: part of H lives further inside, and hides it. */
	const bool is_hot = fabs(hot->leaked) < HOLDS_STILL &&
			    fabs(hot->beside) < HOLDS_STILL;

	if (is_given(is_hot, hot)) {
		hot->holds = MP_CPU_HOLDS_OTHERS;
	} else if (!(hot->past < HOLDS_STILL)) {
		hot->why = "a level further out puts lines out of all inside";
	} else if (!(hot->left > MP_CPU_HOT_PUT_OUT)) {
		hot->why = "what is put out of the level inside does not leave it";
	} else if (isnan(hot->gone)) {
		hot->why = "putting lines out of the level inside puts them out of this one";
	} else if (hot->leaked >= MP_CPU_HOT_LEAKS_LITTLE && !roomy) {
		hot->why = leaks;
	} else if (is_gone(hot, GONE_PART)) {
		hot->holds = MP_CPU_HOLDS_NO_OTHERS;
		if (fabs(hot->lost) < MP_CPU_HOT_STAYS && hot->leaked < MP_CPU_HOT_LEAKS_LITTLE &&
		    hot->beside < MP_CPU_HOT_LEAKS_LITTLE && is_gone(hot, GONE))
			hot->holds = MP_CPU_HOLDS_SOME;
		else
			hot->why = hot->lost <= -MP_CPU_HOT_STAYS ? MP_CPU_HOT_INSIDE :
				   "lines leave the level inside by themselves as often as an inclusive level would put them out";
	} else if (hot->inside > INSIDE_LITTLE) {
		hot->why = MP_CPU_HOT_INSIDE;
	} else {
		hot->why = is_hot ?
			   "part of what was put out of the level inside was found in this one, part was not" :
			   leaks;
	}
}
