// SPDX-License-Identifier: GPL-2.0
/*
 * Ways times the bytes after which the sets begin anew are a size. The edge of
 * a level may leave it open: because it is not known whether the level has what
 * lies inside, too, or because too many shapes explain it. How many lines of
 * one set fit asks neither.
 */
#include "probe/ways_size.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/cpu.h"
#include "probe/cpu_edges.h"
#include "probe/ways_level.h"

/* Either limit of an edge may be off by so much: what is borne out in fresh memory and
 * lies no further beyond it does not clash with that. */
#define LIMIT_OFF 1.02

/* What is left says so. */
struct sizes {
	double low;
	double high;
	double best;		/* of the likeliest */
	bool any_exclusive;
	bool all_exclusive;
};

static void add_up(const struct mp_ways_sets *left, struct sizes *sizes)
{
	double most = 0;

	*sizes = (struct sizes){ .low = INFINITY, .all_exclusive = left->n };
	for (uint32_t i = 0; i < left->n; i++) {
		const struct mp_ways_guess *guess = &left->guess[i];
		const double bytes = (double)guess->span * guess->ways;

		sizes->low = fmin(sizes->low, bytes);
		sizes->high = fmax(sizes->high, bytes);
		sizes->any_exclusive |= guess->exclusive;
		sizes->all_exclusive &= guess->exclusive;
		if (guess->weight > most)
			sizes->best = bytes;
		most = fmax(most, guess->weight);
	}
}

/* What another probe says of what the level holds of those inside. */
static bool is_contradicted(const struct mp_fact *inclusion,
			    const struct sizes *sizes)
{
	if (!inclusion || inclusion->verdict != MP_MEASURED)
		return false;
	return strcmp(inclusion->text, "exclusive") ? sizes->all_exclusive :
						      !sizes->any_exclusive;
}

int mp_ways_own_edges(const struct mp_view *view, uint32_t from, uint32_t k,
		      bool *own)
{
	struct mp_cpu_edges edges;
	const int err = mp_cpu_edges_find(view, &edges);

	*own = false;
	if (err)
		return err == -ENODATA ? 0 : err;
	*own = k < edges.n && k < edges.doubt.level && k < edges.muddled;
	for (; from <= k && *own; from++)
		*own = !mp_cpu_may_hide(&edges, from);
	mp_cpu_edges_free(&edges);
	return 0;
}

struct mp_fact *mp_ways_again(struct mp_facts *facts, const struct mp_fact *old,
			      const uint64_t evidence[2])
{
	struct mp_fact *fact = mp_facts_add(facts, old->name, &old->where);

	if (!fact)
		return NULL;
	snprintf(fact->unit, sizeof(fact->unit), "%s", old->unit);
	for (uint32_t i = 0; i < 2; i++)
		if (evidence[i])
			mp_fact_note(fact, evidence[i]);
	for (uint32_t i = 0; i < old->n_evidence; i++)
		mp_fact_note(fact, old->evidence[i]);
	return fact;
}

static int renew_size(const struct mp_fact *old,
		      const struct mp_ways_found *found,
		      const struct sizes *sizes, struct mp_facts *facts)
{
	const struct mp_ways_guess *guess = found->left->guess;
	const double least = old->low / LIMIT_OFF;
	struct mp_fact *fact;

	if (sizes->high > sizes->low * MP_CPU_APART_MAX ||
	    sizes->high > old->high * (old->high > old->low ? LIMIT_OFF : 1) ||
	    (sizes->low < least && sizes->high >= least))
		return 0;
	fact = mp_ways_again(facts, old, found->evidence);
	if (!fact)
		return -ENOMEM;
	fact->low = sizes->low;
	fact->high = sizes->high;
	fact->value = sizes->best;
	fact->verdict = MP_MEASURED;
	snprintf(fact->method, sizeof(fact->method),
		 "%u ways of sets that begin anew after %llu bytes%s explain alone how many lines fit; by its edge %.0f to %.0f KiB",
		 guess->ways, (unsigned long long)guess->span,
		 found->left->n > 1 ? ", or the like," : "", old->low / 1024,
		 old->high / 1024);
	if (sizes->high >= least)
		return 0;
	fact->verdict = MP_DISPUTED;
	fact->high = old->low;
	snprintf(fact->reason, sizeof(fact->reason),
		 "its ways and sets make no more than %.0f KiB, and its edge says that it has %.0f KiB at least",
		 sizes->high / 1024, old->low / 1024);
	return 0;
}

/* Are all pairs that are left of sizes beyond the limits of one that was measured? An
 * inclusive level outside may make the edge of one inside look like another. */
static bool clashes(const struct mp_fact *size, const struct sizes *sizes)
{
	return size && size->verdict == MP_MEASURED &&
	       (sizes->high * LIMIT_OFF < size->low ||
		sizes->low > size->high * LIMIT_OFF);
}

static int dispute_size(const struct mp_fact *old,
			const struct mp_ways_found *found,
			const struct sizes *sizes, struct mp_facts *facts)
{
	struct mp_fact *fact = mp_ways_again(facts, old, found->evidence);

	if (!fact)
		return -ENOMEM;
	fact->verdict = MP_DISPUTED;
	fact->value = sizes->best;
	fact->low = fmin(sizes->low, old->low);
	fact->high = fmax(sizes->high, old->high);
	snprintf(fact->method, sizeof(fact->method), "%s", old->method);
	snprintf(fact->reason, sizeof(fact->reason),
		 "%u ways of sets that begin anew after %llu bytes make %.0f KiB, and %.0f to %.0f were measured",
		 found->left->guess->ways,
		 (unsigned long long)found->left->guess->span,
		 sizes->best / 1024, old->low / 1024, old->high / 1024);
	return 0;
}

static int renew_inclusion(const struct mp_fact *old,
			   const struct mp_ways_found *found,
			   struct mp_facts *facts)
{
	struct mp_fact *fact = mp_ways_again(facts, old, found->evidence);

	if (!fact)
		return -ENOMEM;
	fact->verdict = MP_MEASURED;
	fact->is_text = true;
	snprintf(fact->text, sizeof(fact->text), "exclusive");
	snprintf(fact->method, sizeof(fact->method),
		 "more lines fit than %u ways and those inside hold, unless it has them beside those",
		 found->left->guess[0].ways);
	return 0;
}

int mp_ways_renew(const struct mp_view *view, const struct mp_ways_found *found,
		  struct mp_facts *facts)
{
	const struct mp_fact *size = mp_cpu_found(view, found->k, "size");
	const struct mp_fact *inclusion = mp_cpu_found(view, found->k,
						       "inclusion");
	const bool wants_size = found->is_sized && size &&
				size->verdict == MP_AT_LEAST;
	const bool wants_inclusion = inclusion && inclusion->verdict ==
						  MP_NOT_MEASURABLE;
	struct mp_fact was[2];
	struct sizes sizes;
	bool own, in_doubt;
	int err;

	add_up(found->left, &sizes);
	in_doubt = clashes(size, &sizes);
	if (!found->left->n || is_contradicted(inclusion, &sizes) ||
	    !(wants_size || in_doubt || (wants_inclusion && sizes.all_exclusive)))
		return 0;
	/* More than one set's ways stay where the sets of several slices do. */
	if (found->k >= MP_CPU_FIRST_HASHED && sizes.any_exclusive)
		return 0;
	err = mp_ways_own_edges(view, found->k, found->k, &own);
	if (err || !own)
		return err;
	/* The list that they are in grows. */
	was[0] = wants_size || in_doubt ? *size : (struct mp_fact){ 0 };
	was[1] = wants_inclusion ? *inclusion : (struct mp_fact){ 0 };
	if (wants_size)
		err = renew_size(&was[0], found, &sizes, facts);
	if (in_doubt)
		err = dispute_size(&was[0], found, &sizes, facts);
	if (!err && wants_inclusion && sizes.all_exclusive)
		err = renew_inclusion(&was[1], found, facts);
	return err;
}
