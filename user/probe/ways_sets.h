/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What ways and sets a level may have, by its size: all guesses, what each
 * says of the lines that fit at a stride, and which test parts them best.
 */
#ifndef MP_WAYS_SETS_H
#define MP_WAYS_SETS_H

#include <stdbool.h>
#include <stdint.h>

/** MP_WAYS_MAX - the most lines in a set that are told apart */
#define MP_WAYS_MAX 64u
/** MP_WAYS_ODD_REGULAR - numbers of sets with a larger odd factor are rare */
#define MP_WAYS_ODD_REGULAR 15u
/** MP_WAYS_TESTS - tests of a level, at most */
#define MP_WAYS_TESTS 96u

/** MP_WAYS_FIT_SHARE, MP_WAYS_MISS_SHARE - of the share of misses that one line
 * too many makes at least, less than this is none, and more than that one */
#define MP_WAYS_FIT_SHARE 0.35
#define MP_WAYS_MISS_SHARE 0.65

/**
 * struct mp_ways_guess - a way that a level may be built
 * @span: bytes after which the sets begin anew
 * @ways: lines in a set
 * @exclusive: it holds what the level inside does not, beside that
 * @weight: how often machines are built so, of no unit
 */
struct mp_ways_guess {
	uint64_t span;
	uint32_t ways;
	bool exclusive;
	double weight;
};

/** enum mp_ways_beside - what is known of a level and those inside it */
enum mp_ways_beside {
	MP_WAYS_EITHER,
	MP_WAYS_EXCLUSIVE,	/* it has what they have not, beside that */
	MP_WAYS_ITSELF,		/* what fits is what it has, all by itself */
};

/**
 * struct mp_ways_sets - what is left of the guesses of a level
 * @line: sets are so many bytes apart, or a multiple
 * @grain: strides are multiples of this, the level's own line
 * @grain_known: .. and not just the longest that it may be
 * @piece: bytes that lie in a row in memory; of small pages, nothing is said
 *	beyond one unless the level goes by virtual addresses
 * @small: memory is of small pages that lie anywhere
 * @clear: of more lines than this, over more pages, only that they fit can be
 *	seen; 0 = of any
 * @inner: of the level inside, or NULL
 * @most: lines that it and those inside it may hold, wherever they lie
 * @loose: for levels further out: none of the guesses was borne out, if there
 *	are any; they are good for planning, and it may hold any lines
 * @beside: guesses that say otherwise are not made
 * @brought: prefetchers may bring lines that a ring does not have
 * @rounds: walks may take turns, a ring and a few lines
 * @n, @room, @guess: the guesses
 */
struct mp_ways_sets {
	uint64_t line;
	uint64_t grain;
	bool grain_known;
	uint64_t piece;
	bool small;
	uint32_t clear;
	const struct mp_ways_sets *inner;
	uint64_t most;
	bool loose;
	enum mp_ways_beside beside;
	bool brought;
	bool rounds;
	uint32_t n;
	uint32_t room;
	struct mp_ways_guess *guess;
};

/** enum mp_ways_kind - guesses by how regular their number of sets is */
enum mp_ways_kind {
	MP_WAYS_REGULAR,	/* a power of two times a small odd number */
	MP_WAYS_ODD,		/* any other number */
};

/**
 * struct mp_ways_control - the ring that a test was held against
 * @stride, @skew, @lines: see struct mp_ring; no lines: there was none, or what
 *	the test says does not rest on it
 */
struct mp_ways_control {
	uint64_t stride;
	uint64_t skew;
	uint32_t lines;
};

/**
 * struct mp_ways_test - do so many lines so far apart stay in a level?
 * @stride: bytes from line to line
 * @lines: how many
 * @least: if not, so many of a turn's hops miss at least, as a share
 * @flushed: each turn other lines put these out of the levels inside
 * @apart: .. those others keep off the sets of this level that its lines fall
 *	on only if its span is a multiple of this, or has as much in common with
 *	@stride as a multiple has; 0 = whichever guess is right
 * @drive: .. those others are a ring of so many bytes behind them, wherever sets
 *	lie; 0 = they are chosen one by one
 * @here: it says more if all of them are seen to be served by the level
 * @hidden: made, and some hops missed the next level, too, which may then be
 *	what puts lines out of this one, or translations that missed hid it; as
 *	many lines at any multiple of the stride would do no better
 * @unclear: made, and it said nothing
 * @kept: made, and the level inside kept some of the lines
 * @missed: made, and a share so great of its lines missed; 0 = not known
 * @held: made, and the level itself served so many of them each turn, at least
 * @ring_kept: made, and the level inside kept lines of its ring
 * @left: made, and so many guesses were left
 * @control: made, and its lines fit as they take no longer than those of this
 */
struct mp_ways_test {
	uint64_t stride;
	uint32_t lines;
	uint64_t apart;
	uint64_t drive;
	bool flushed;
	bool here;
	bool hidden;
	bool unclear;
	bool kept;
	bool ring_kept;
	double least;
	double missed;
	uint32_t held;
	uint32_t left;
	struct mp_ways_control control;
};

/** enum mp_ways_outcome - what came of a test */
enum mp_ways_outcome {
	MP_WAYS_LACKING,	/* it has not been made */
	MP_WAYS_FIT,
	MP_WAYS_FIT_HERE,	/* and no hop was served further inside */
	MP_WAYS_MISS,
	MP_WAYS_MISS_ALL,	/* every hop did: nothing is kept further inside */
	MP_WAYS_HIDDEN,		/* the next level misses too, or the TLB does */
	MP_WAYS_UNCLEAR,
};

/** struct mp_ways_range - most lines that fit: somewhere from low to high */
struct mp_ways_range {
	uint64_t low;
	uint64_t high;
};

/** mp_ways_add() - all guesses of a kind for sizes from @low to @high bytes;
 * -ENOMEM */
int mp_ways_add(struct mp_ways_sets *sets, uint32_t kind, double low,
		double high);
/** mp_ways_add_beside() - exclusive guesses of fewer than @ways lines, for sizes
 * from @low to @high bytes, whose sets begin anew after @span, to one line;
 * -ENOMEM */
int mp_ways_add_beside(struct mp_ways_sets *sets, uint64_t span, uint32_t ways,
		       double low, double high);
/** mp_ways_copy() - @to: the same, with guesses of its own; -ENOMEM */
int mp_ways_copy(struct mp_ways_sets *to, const struct mp_ways_sets *from);
void mp_ways_free(struct mp_ways_sets *sets);

/** mp_ways_held() - lines at a stride that levels up to this one hold, over
 * all guesses that are left, if they lie in one piece of memory */
struct mp_ways_range mp_ways_held(const struct mp_ways_sets *sets,
				  uint64_t stride);

/** mp_ways_fitting() - the same of one guess */
struct mp_ways_range mp_ways_fitting(const struct mp_ways_sets *sets,
				     const struct mp_ways_guess *guess,
				     uint64_t stride);

/** MP_WAYS_DRIVES - rings of so many lengths put lines out of the levels inside */
#define MP_WAYS_DRIVES 3u

/** enum mp_ways_sight - how lines of a full set are seen */
enum mp_ways_sight {
	MP_WAYS_PLAIN,
	MP_WAYS_ALL_HERE,	/* all of them in this level, if that is so */
	MP_WAYS_ALL_PAST,	/* .. of more than there may be room for inside */
	MP_WAYS_FLUSHED,	/* .. as others put them out of those inside */
	MP_WAYS_DRIVEN,		/* .. as a ring does, or longer ones */
	MP_WAYS_SIGHTS = MP_WAYS_DRIVEN + MP_WAYS_DRIVES,
};

/** MP_WAYS_WITNESSES - strides at which one guess is borne out, at most */
#define MP_WAYS_WITNESSES 3u

/** struct mp_ways_tried - strides of rings that told nothing */
struct mp_ways_tried {
	uint32_t n;
	uint64_t stride[MP_WAYS_WITNESSES];
};

/**
 * mp_ways_witness() - the test with the fewest lines that a guess says have
 * just become too many, once they all are seen here
 * @tried: a ring at another stride, where others do not put lines out
 * @full: gets how many still fit: one less, or one less of each set
 * Return: false where what the level inside holds hides it, or, of a flushed
 * test, nothing puts that out.
 */
bool mp_ways_witness(const struct mp_ways_sets *sets,
		     const struct mp_ways_guess *guess,
		     enum mp_ways_sight sight,
		     const struct mp_ways_tried *tried,
		     struct mp_ways_test *test, uint32_t *full);

/** mp_ways_keep() - leave out the guesses that a test's outcome contradicts */
void mp_ways_keep(struct mp_ways_sets *sets, const struct mp_ways_test *test,
		  uint32_t outcome);

/** mp_ways_keep_held() - leave out those that have no room for the lines that a
 * test saw in the level itself, whatever else came of it */
void mp_ways_keep_held(struct mp_ways_sets *sets,
		       const struct mp_ways_test *test);

/** mp_ways_agreed() - the ways that all guesses have; 0 = they differ */
uint32_t mp_ways_agreed(const struct mp_ways_sets *sets);

/** mp_ways_bytes() - the size that all guesses have; 0 = they differ */
uint64_t mp_ways_bytes(const struct mp_ways_sets *sets);

/**
 * mp_ways_times() - how often lines have to meet in the level's sets to be sure
 * that it is those that they meet in
 * @least: so often anyway
 *
 * Memory of small pages lies anywhere: what falls on one set each time goes by
 * virtual addresses.
 * Return: 0 = more often than can be asked.
 */
uint32_t mp_ways_times(const struct mp_ways_sets *sets,
		       const struct mp_ways_guess *guess, uint32_t least);

/**
 * mp_ways_choose() - the test that parts the guesses best
 * @finest: tests whose misses would be a smaller share are of no use
 * @with_flushed: flushed tests may be made
 * @done, @n_done: tests not to be chosen again
 * Return: false where no test parts those that differ.
 */
bool mp_ways_choose(const struct mp_ways_sets *sets, double finest,
		    bool with_flushed, const struct mp_ways_test *done,
		    uint32_t n_done, struct mp_ways_test *test);

#endif
