// SPDX-License-Identifier: GPL-2.0
/*
 * Latencies by a few lines that are timed after others have been walked.
 *
 * A ring between two edges is a mixture where the level inside keeps some of its
 * lines, and what that adds is taken out by a shape. A few lines that others have
 * put out of the level inside are all of the next (cpu_after.c): no shape is in
 * it. Where there are both, that is the value, and the ring bears it out.
 */
#include "probe/latency_after.h"

#include <math.h>
#include <stdio.h>

#include "probe/cpu_after.h"
#include "probe/cpu_stairs.h"

/* Limits further apart than this say less than a ring does. */
#define WIDE 1.06
/* Rings beyond limits are this much further off, where both may be true. */
#define APART 0.02

static const char why_shared[] =
	"lines that are timed may share one of a level inside, whose line is not known to be as short";

void mp_latency_cannot(struct mp_latency *pair, const char *why)
{
	mp_fact_cannot(pair->cycles, "cycles", "%s", why);
	mp_fact_cannot(pair->ns, "ns", "%s", why);
}

bool mp_latency_may_be_brought(const struct mp_view *view,
			       const struct mp_cpu_edges *edges)
{
	const struct mp_fact *line = mp_cpu_found(view, 0, "line");

	return !edges->single && line && line->verdict != MP_MEASURED &&
	       mp_cpu_may_prefetch(view);
}

/* Is what is timed alone in its line of each level inside? */
static bool is_apart(const struct mp_view *view,
		     const struct mp_cpu_edges *edges, uint32_t k)
{
	const uint64_t stride = mp_cpu_after_stride(view, edges);

	for (uint32_t i = 1; i < k; i++)
		if (mp_cpu_shares_lines(view, stride, i))
			return false;
	return true;
}

static void set(const struct mp_interval *limits, uint64_t id,
		struct mp_fact *fact)
{
	fact->verdict = MP_MEASURED;
	fact->value = limits->value;
	fact->low = limits->low;
	fact->high = limits->high;
	fact->reason[0] = 0;
	mp_fact_note(fact, id);
}

/* What no ring bears out is no latency that was measured, with limits so far
 * apart. */
static void doubt_wide(bool in_ns, struct mp_fact *fact)
{
	const double low = fact->low, high = fact->high;

	if (fact->verdict == MP_MEASURED && high > low * MP_LATENCY_CLOSE)
		mp_fact_cannot(fact, in_ns ? "ns" : "cycles",
			       "between %.2f and %.2f by a few lines after others: limits lie too far apart to call it measured",
			       low, high);
}

void mp_latency_stairs(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_latency *pair)
{
	struct mp_fact *fact[] = { pair->cycles, pair->ns };
	const struct mp_curve_at *at;
	struct mp_interval limits;

	if (!is_apart(view, edges, k)) {
		mp_latency_cannot(pair, why_shared);
		return;
	}
	for (uint32_t i = 0; i < 2; i++) {
		if (!mp_cpu_after_latency(view, edges, k, i, &limits, &at)) {
			mp_latency_cannot(pair, "no footprint shows this level without its neighbours");
			return;
		}
		set(&limits, at->id, fact[i]);
		snprintf(fact[i]->method, sizeof(fact[i]->method),
			 "a few lines, each time that others, up to %.0f KiB with them, have been walked",
			 (double)at->length / 1024);
		doubt_wide(i, fact[i]);
	}
}

/* Rings, which a few lines of a coarse clock bear out, if no more. */
static void keep(const struct mp_interval *limits, uint64_t id,
		 struct mp_fact *fact)
{
	mp_fact_note(fact, id);
	fact->low = fmin(fact->low, limits->low);
	fact->high = fmax(fact->high, limits->high);
	snprintf(fact->method, sizeof(fact->method),
		 "rings, with the rest taken out; a few lines, each time that others have put them out of the level inside, say %.2f (%.2f to %.2f) %s",
		 limits->value, limits->low, limits->high, fact->unit);
}

/* Hits further in make either too short. Of rings that is expected; where a few
 * lines take less, beyond their limits, some of them may have stayed inside, or a
 * long step of the clock was misread. */
static bool meet(const struct mp_interval *limits, double ring)
{
	return ring <= limits->high ||
	       ring - limits->value <= APART * limits->value;
}

static void take(const struct mp_interval *limits, uint64_t id, double cycle,
		 struct mp_fact *fact)
{
	const bool has_ring = fact->verdict == MP_MEASURED;
	const double ring = fact->value;
	const double off = fabs(ring - limits->value);
	const bool agree = off <= limits->value * MP_LATENCY_DISPUTE +
				  MP_LATENCY_DISPUTE_CYCLES * cycle &&
			   meet(limits, ring);

	if (has_ring && agree && limits->high > limits->low * WIDE &&
	    ring >= limits->low && ring <= limits->high) {
		keep(limits, id, fact);
		return;
	}
	set(limits, id, fact);
	if (!has_ring) {
		snprintf(fact->method, sizeof(fact->method),
			 "a few lines, each time that others have put them out of the level inside; no ring shows it alone, to check them");
		return;
	}
	snprintf(fact->method, sizeof(fact->method),
		 "a few lines, each time that others have put them out of the level inside; rings, with the rest taken out, say %.2f %s",
		 ring, fact->unit);
	if (agree)
		return;
	fact->verdict = MP_DISPUTED;
	snprintf(fact->reason, sizeof(fact->reason),
		 "a few lines after others say %.2f (%.2f to %.2f), rings %.2f %s: further apart than %.0f %%, or rings beyond those limits and %.0f %% more",
		 limits->value, limits->low, limits->high, ring, fact->unit,
		 100 * MP_LATENCY_DISPUTE, 100 * APART);
}

void mp_latency_second(const struct mp_view *view,
		       const struct mp_cpu_edges *edges, uint32_t k,
		       struct mp_latency *pair, double inner[2])
{
	struct mp_fact *fact[] = { pair->cycles, pair->ns };
	struct mp_interval limits[2];
	uint64_t id;

	if (!is_apart(view, edges, k) ||
	    !mp_cpu_after_alone(view, edges, k, false, &limits[0], &id) ||
	    !mp_cpu_after_alone(view, edges, k, true, &limits[1], &id))
		return;
	/* They are where they were: others did not put them out. */
	if (k && limits[0].value < edges->edge[k - 1].inside * MP_CPU_STAIR_RISES) {
		if (pair->cycles->verdict != MP_MEASURED)
			mp_latency_cannot(pair, "a few lines that others should have put out of the level inside take no longer than it does");
		return;
	}
	for (uint32_t i = 0; i < 2; i++) {
		const bool has_ring = fact[i]->verdict == MP_MEASURED;

		take(&limits[i], id, limits[i].value / limits[0].value, fact[i]);
		inner[i] = fact[i]->value;
		if (!has_ring)
			doubt_wide(i, fact[i]);
	}
}
