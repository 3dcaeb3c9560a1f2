// SPDX-License-Identifier: GPL-2.0
/* Where a ring has shown after how many bytes the sets of a level begin anew. */
#include "probe/ways_search.h"

#include <math.h>

#include "probe/cpu.h"
#include "probe/ways_held.h"
#include "probe/ways_level.h"

/* So many numbers of lines are tried. */
#define PROOFS_MOST 6u
/* Where no more is told than misses the ring of a larger level takes longer than
 * it is worth: those are hashed, most often. */
#define COARSE_MOST (16.0 * MP_MIB)
/* A ring is not walked for fewer of the guesses than this part of their weight. */
#define ALONE_PART 0.1

/* It is known to one line how far apart the lines of a set lie, if it is known
 * how long that is; a number of sets that is regular is taken for what it is. */
bool mp_ways_search_regular(const struct mp_ways_search *search)
{
	const uint64_t sets = search->comb.bytes / search->sets.line;

	return mp_ways_line_of(search->rig.view, search->rig.level.k, 0) &&
	       sets && sets >> __builtin_ctzll(sets) <= MP_WAYS_ODD_REGULAR;
}

/* May lines that share a set of a level inside be lines that share one here? */
static bool may_coincide(const struct mp_ways_search *in, uint64_t span, uint64_t grain)
{
	if (in->rig.level.high_bytes > 0 &&
	    in->rig.level.high_bytes < (double)span)
		return false;
	if (in->by_comb && in->ways)
		return mp_ways_is_multiple(in->comb.bytes, in->sets.grain,
					   span, grain);
	for (uint32_t i = 0; i < in->sets.n && in->ways; i++)
		if (mp_ways_is_multiple(in->sets.guess[i].span, 0, span, grain))
			return true;
	return !in->ways;
}

/* Do the levels inside hold as many lines of each set as of any other? Then an
 * exclusive level looks as if these were its own. They do not, but where sets
 * coincide. */
static bool is_by_itself(const struct mp_ways_search *search)
{
	const struct mp_ways_search *in = search->inner;

	if (search->sets.beside == MP_WAYS_ITSELF)
		return true;
	while (in && !may_coincide(in, search->comb.bytes, search->sets.grain))
		in = in->inner;
	return !in;
}

/* The guesses that a proof leaves: there may be one set more or less, unless
 * their number is regular. */
static int add_proved(struct mp_ways_search *search, uint32_t ways)
{
	struct mp_ways_sets *sets = &search->sets;
	const double bytes = (double)ways * (double)search->comb.bytes;
	const double off = mp_ways_search_regular(search) ? 0 : (double)sets->grain * ways;
	uint32_t kept = 0;
	int err = 0;

	sets->n = 0;
	for (uint32_t kind = MP_WAYS_REGULAR; kind <= MP_WAYS_ODD && !err; kind++)
		err = mp_ways_add(sets, kind, bytes - off, bytes + off);
	for (uint32_t i = 0; i < sets->n; i++)
		if (sets->guess[i].ways == ways)
			sets->guess[kept++] = sets->guess[i];
	sets->n = kept;
	return err ? err : mp_ways_search_keep(search, &search->rig, sets);
}

/* Sets hold so many lines each, and some of these may be lines of the levels
 * inside. Is there an exclusive guess of fewer that tests have left? By others than
 * those that begin anew after as much, to one line, some rows would never miss. */
static int may_be_beside(const struct mp_ways_search *search, uint32_t ways,
			 bool *may)
{
	const struct mp_ways_level *level = &search->rig.level;
	struct mp_ways_search all = *search;
	int err;

	*may = false;
	if (is_by_itself(search))
		return 0;
	all.sets.guess = NULL;
	all.sets.n = all.sets.room = 0;
	err = mp_ways_add_beside(&all.sets, search->comb.bytes, ways,
				 level->low_bytes, level->high_bytes);
	if (!err)
		err = mp_ways_search_keep(&all, &all.rig, &all.sets);
	*may = all.sets.n > 0;
	mp_ways_free(&all.sets);
	return err;
}

/* A number of lines has been proved. It counts if no test that was made speaks
 * against it: slices may have other ways to look like so many. */
static int take_proved(struct mp_ways_search *search, uint32_t ways, uint64_t shown_by)
{
	const int err = add_proved(search, ways);

	if (err || !search->sets.n)
		return err;
	search->rig.evidence[0] = search->comb.id;
	search->rig.evidence[1] = shown_by;
	search->ways = ways;
	search->span = search->comb.bytes;
	search->exclusive = search->sets.guess[0].exclusive;
	search->size_rig = search->rig;
	search->is_sized = search->open && mp_ways_search_regular(search);
	return search->is_sized ? mp_ways_copy(&search->sized, &search->sets) :
				  0;
}

/* Fewer and fewer lines, from those that the ring had, as the size allows. */
static int prove(struct mp_ways_search *search)
{
	const struct mp_ways_level *level = &search->rig.level;
	const double span = (double)search->comb.bytes;
	const uint64_t shown_by = search->comb.id;
	uint32_t ways = search->comb.lines;

	while (ways * span > level->high_bytes || ways > MP_WAYS_MAX)
		ways--;
	for (uint32_t i = 0; i < PROOFS_MOST && ways &&
			     ways * span >= level->low_bytes; i++, ways--) {
		bool may;
		int err = may_be_beside(search, ways, &may);

		/* It would not count: no ring is walked for it. */
		if (!err && may)
			continue;
		if (!err)
			err = mp_ways_comb_prove(&search->rig, ways,
						 &search->comb);
		if (err || search->comb.outcome == MP_WAYS_COMB_LACKING)
			return err;
		if (search->comb.outcome == MP_WAYS_COMB_FOUND)
			return take_proved(search, ways, shown_by);
	}
	return 0;
}

/* What the levels inside hold at the most, one beside the other; INFINITY: not
 * known. */
static double most_inside(const struct mp_ways_search *in)
{
	double most = 0;

	for (; in; in = in->inner)
		most += in->rig.level.high_bytes > 0 ?
			in->rig.level.high_bytes : INFINITY;
	return most;
}

/* A level that is known to be exclusive has room for now more, now fewer lines of a
 * set: beside 2048 inside, 587 sets of 12 looked as if 13 were all that they hold.
 * If less lies inside than one line of each set, there often is none of a set. */
static bool has_some_alone(const struct mp_ways_search *search, double span)
{
	return search->sets.beside != MP_WAYS_EXCLUSIVE ||
	       most_inside(search->inner) < span;
}

/* .. as so many of the guesses that are left say, at least? */
static bool may_have_some_alone(const struct mp_ways_search *search)
{
	const struct mp_ways_sets *sets = &search->sets;
	double all = 0, may = 0;

	for (uint32_t i = 0; i < sets->n; i++) {
		const struct mp_ways_guess *guess = &sets->guess[i];

		all += guess->weight;
		may += has_some_alone(search, (double)guess->span) ? guess->weight : 0;
	}
	return may > ALONE_PART * all;
}

/* Where it can be timed which hops miss, and pages are large or lie in a row; and
 * where tests have left anything at all. */
int mp_ways_search_comb(struct mp_ways_search *search)
{
	int err;

	if (!search->rig.level.misses || search->sets.small || !search->sets.n ||
	    !may_have_some_alone(search) ||
	    (!search->rig.level.single &&
	     search->rig.level.high_bytes > COARSE_MOST))
		return 0;
	err = mp_ways_comb_look(&search->rig, &search->comb);
	if (!err && search->comb.outcome == MP_WAYS_COMB_FOUND &&
	    has_some_alone(search, (double)search->comb.bytes))
		err = prove(search);
	if (search->comb.outcome == MP_WAYS_COMB_LACKING)
		search->replicates = search->comb.replicates;
	search->by_comb = search->ways || search->replicates;
	return err;
}
