// SPDX-License-Identifier: GPL-2.0
/* What a crowd that is at home says of a level's size, beside its edge. */
#include <math.h>
#include <stdio.h>

#include "analysis/stat.h"
#include "probe/cpu_beside.h"
#include "probe/cpu_count.h"
#include "probe/cpu_edges.h"

/* Times what it holds, and what hits then of one that throws out what is old. */
#define OLD 2.5
#define OLD_FEW 0.05
/* Within limits of a count nearer than this the roundest number is the likeliest. */
#define COUNTED_ROUND 1.15
/* An edge is this much further out than limits of a count have it. */
#define FEWER 1.03

/* Does a level throw out what is old? Of a ring so much longer it has nothing
 * then, and one that throws out any line has a tenth. Of one way each set has the
 * last that came to it, however long ago that was. */
static bool goes_by_age(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *edge = &edges->edge[k];

	return edges->table->shape[edge->shape].ways > 1 &&
	       mp_edge_miss(edge, edges->table, OLD * edge->size) > 1 - OLD_FEW;
}

/* Of few ways lines that lie in a row put out none of each other, as those of a crowd
 * do. What the best shape has says little where limits are far apart. */
static bool may_have_few_ways(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *edge = &edges->edge[k];

	return edges->table->shape[edge->shape].ways <= MP_CPU_CROWDED_WAYS ||
	       edge->high > edge->low * MP_CPU_APART_MAX;
}

/*
 * What a level that is not exclusive has of the lines that are found inside: as
 * many as it had of others that had just come, and were put out of there, or
 * more. Those came longer ago than what is inside, but for the old lines of a
 * level that throws out any.
 */
static double counted_low(const struct mp_cpu_edges *edges, uint32_t k,
			  const struct mp_cpu_beside *beside)
{
	const struct mp_cpu_count *count = &edges->count[k];
	const struct mp_cpu_hot *hot = &beside->hot;

	if (beside->holds == MP_CPU_HOLDS_ALL)
		return count->all_low;
	if ((beside->holds != MP_CPU_HOLDS_SOME &&
	     beside->holds != MP_CPU_HOLDS_NO_OTHERS) ||
	    (may_have_few_ways(edges, k) && !mp_cpu_small_pages(edges, k)))
		return count->own_low;
	return count->own_low + hot->kept *
	       (goes_by_age(edges, k - 1) ? 1 : hot->young) *
	       (count->all_low - count->own_low);
}

/* Of lines that the level inside dropped though they were in use this one had so
 * many, and of what is found inside as many or more, as that came later: is all that
 * more than its edge allows? */
static bool leaks_say_more(const struct mp_cpu_count *count,
			   const struct mp_cpu_beside *beside, double high)
{
	const struct mp_cpu_leaks *leaks = &beside->leaks;

	return leaks->holds == MP_CPU_HOLDS_NO_OTHERS && beside->holds &&
	       !isinf(count->all_high) &&
	       count->own_low + (1 - fmax(leaks->part, leaks->part_more)) *
				(count->all_low - count->own_low) > high;
}

/* What an edge says at least goes by shapes, and by what may lie inside. What lies in
 * the middle of limits does so of those that are left. */
static void no_less(double low, struct mp_fact *fact)
{
	const double middle = mp_stat_between(fact->low, fact->high);

	if (low <= fact->low)
		return;
	fact->low = low;
	if (round(fact->value) == round(middle))
		fact->value = mp_stat_between(low, fact->high);
	else if (fact->value < low)
		fact->value = mp_stat_round(low, fact->high,
					    sqrt(low * fact->high));
}

double mp_cpu_counted_most(const struct mp_cpu_edges *edges, uint32_t k,
			   bool exclusive)
{
	const struct mp_cpu_count *count = &edges->count[k];

	if (!count->known)
		return INFINITY;
	return exclusive ? count->own_high : count->all_high;
}

void mp_cpu_below_next(const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_fact *fact)
{
	if (fact->verdict == MP_AT_LEAST && k + 1 < edges->n &&
	    edges->fitted[k + 1] && k + 1 < edges->doubt.level &&
	    !mp_cpu_may_hide(edges, k + 1) && edges->edge[k + 1].high > fact->low)
		fact->high = fmin(fact->high, edges->edge[k + 1].high);
}

bool mp_cpu_counted_alone(const struct mp_cpu_count *count)
{
	return count->known && count->own_low > 0 &&
	       mp_cpu_count_surely(count->doubt,
				   count->own_high / count->own_low) <=
	       MP_CPU_WITHIN_EIGHTH;
}

/* Lines that are at home say what the level holds: those that it serves, if it
 * is exclusive; if it is inclusive, those of the levels inside as well; at
 * least the one, and no more than the other. */
void mp_cpu_counted(const struct mp_cpu_edges *edges, uint32_t k,
		    const struct mp_cpu_beside *beside, double high,
		    struct mp_fact *fact)
{
	const uint32_t holds = beside->holds;
	const struct mp_cpu_count *count = &edges->count[k];
	/* The edge may lie before the sum: then it says nothing against a count. */
	const bool alone = beside->blurred && mp_cpu_counted_alone(count);
	const double least = fact->verdict == MP_AT_LEAST && !alone ? fact->low : 0;
	double low = counted_low(edges, k, beside);

	if (!count->known || mp_cpu_may_hide(edges, k))
		return;
	if (fact->verdict == MP_MEASURED) {
		/* Most likely more than any shape has, of all that it holds. */
		if (low <= fact->high && !alone &&
		    !leaks_say_more(count, beside, fact->high) &&
		    (holds != MP_CPU_HOLDS_ALL || count->all <= fact->high ||
		     isinf(count->all_high))) {
			no_less(low, fact);
			return;
		}
		/* It holds what is found of it, and shapes are but a family. */
		high = INFINITY;
	}
	/* What an edge says at most goes by shapes, and a crowd that was too
	 * small says no more than that. */
	if (count->brief && count->all_low > edges->edge[k].high &&
	    (!holds || holds == MP_CPU_HOLDS_OTHERS))
		return;
	/* Where more lines are found than the best shape holds, or most likely
	 * with those inside than any, it may be none of them. */
	if (low > edges->edge[k].size * MP_CPU_COUNT_MORE ||
	    count->all > edges->edge[k].high || alone)
		high = INFINITY;
	high = fmin(high, mp_cpu_counted_most(edges, k,
					      holds == MP_CPU_HOLDS_OTHERS));
	/* Rings fit that have more lines than were found with those inside: what it
	 * keeps of a crowd goes by more than chance. */
	if (holds != MP_CPU_HOLDS_OTHERS &&
	    count->all_high * FEWER < edges->edge[k].size)
		high = fmax(high, edges->edge[k].high);
	low = fmax(low, least);
	if (!(high > low))
		return;
	if (fact->verdict == MP_MEASURED) {
		snprintf(fact->reason, sizeof(fact->reason),
			 "its edge looks like that of %.0f KiB, and more lines than that are found in it",
			 fact->value / 1024);
		snprintf(fact->method, sizeof(fact->method),
			 "share of many more lines than fit that is found in this level%s: %.0f KiB and more",
			 holds == MP_CPU_HOLDS_ALL ? " and those inside, which it includes" :
			 holds == MP_CPU_HOLDS_OTHERS || !holds ? "" :
			 ", and of those inside", low / 1024);
	}
	fact->verdict = MP_AT_LEAST;
	fact->low = fact->value = low;
	fact->high = high;
	snprintf(fact->unit, sizeof(fact->unit), "bytes");
	/* Where nothing else keeps the limits apart chance must not either. */
	if ((holds ? mp_cpu_count_surely(count->doubt, high / low) : high / low) >
	    MP_CPU_WITHIN_EIGHTH) {
		mp_cpu_below_next(edges, k, fact);
		return;
	}
	fact->verdict = MP_MEASURED;
	fact->reason[0] = 0;
	fact->value = high > low * COUNTED_ROUND ? mp_stat_between(low, high) :
		      mp_stat_round(low, high, sqrt(low * high));
	snprintf(fact->method, sizeof(fact->method),
		 "share of many more lines than fit that is found in %s, %.0f to %.0f KiB, whatever throws the others out",
		 holds == MP_CPU_HOLDS_OTHERS ? "this level, which is exclusive" :
		 holds == MP_CPU_HOLDS_ALL ? "this level and those inside, which it includes" :
		 "this level, and in it and those inside", low / 1024,
		 high / 1024);
}
