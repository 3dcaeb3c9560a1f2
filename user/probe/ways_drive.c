// SPDX-License-Identifier: GPL-2.0
/*
 * Driven tests. Where it is not known which other lines share a set of the level
 * inside with those of a test, since its sets do not begin anew with each piece
 * of memory, or its ways are not known, a ring that is longer than all that the
 * levels inside hold puts them out of those, wherever they lie. It lies behind
 * the lines of the test, and how many of its own fall on their sets follows from
 * the guess. A slot in the page of each line brings its translation just before
 * that is timed, so there is nothing to be held against.
 */
#include "probe/ways_drive.h"

#include <math.h>

#include "backend.h"
#include "ioctl/memprobe.h"
#include "perm.h"
#include "probe/cpu_tally.h"
#include "probe/ways_flush.h"
#include "probe/ways_held.h"
#include "probe/ways_level.h"
#include "window.h"

#define PAGE MP_WAYS_PAGE
/* Half a page from a line lies the slot that brings its translation. */
#define BESIDE (PAGE / 2)
/* The ring has room from so far behind the last line on, and keeps off both ends of
 * that by a page. */
#define RING_BEHIND (2 * PAGE)
#define RING_MARGIN PAGE
/* So long it is, of all that the levels inside may hold, which allows for a size
 * that is a quarter larger, and so often it is walked in a round: the shorter it
 * is the fewer of its lines fall on a set, but what throws out lines at random
 * then keeps those that it should not. */
static const double drives[MP_WAYS_DRIVES] = { 0.85, 1.1, 1.6 };
#define DRIVE_TURNS 4u
/* Rounds, of which the first third finds what was there before; of the others so
 * many are not disturbed. */
#define ROUNDS_MOST 36u
#define ROUNDS_LEAST 12u
#define COLD_PART 3u
#define CALM_PART 0.5
#define HOPS_MOST 4e5
/* Hops of a burst of the ring: few enough for a gap to spoil little. */
#define BURST_HOPS 2048u
/* Lines that are looked at one by one. */
#define LOOKED_AT 64u
/* One line that stayed inside, of those that are timed or of the ring, would make
 * more than this of a line's hops. */
#define INSIDE_NONE 0.5
/* Any number would do. */
#define SEED 0x6472697665ull
enum actor { LINES, RING, ACTORS };

/* -- what is expected --------------------------------------------------- */

static double rounds_of(const struct mp_ways_sets *sets, uint64_t drive)
{
	return fmin(floor(HOPS_MOST / (DRIVE_TURNS * (double)drive /
				       (double)sets->line)), ROUNDS_MOST);
}

uint64_t mp_ways_drive_bytes(const struct mp_ways_sets *sets, uint32_t which)
{
	const struct mp_ways_sets *in = sets->inner;
	double bytes;

	/* What prefetchers do with lines that come at one stride, or in the same
	 * order each time, is not known. */
	if (!in || sets->small || sets->brought || !sets->rounds)
		return 0;
	bytes = ceil(drives[which] * (double)in->most * (double)in->line / PAGE) *
		PAGE + 2 * RING_MARGIN;
	return rounds_of(sets, (uint64_t)fmin(bytes, HOPS_MOST * PAGE)) <
	       ROUNDS_LEAST ? 0 : (uint64_t)bytes;
}

static uint64_t ring_at(const struct mp_ways_test *test)
{
	return (test->lines ? test->lines - 1 : 0) * test->stride + RING_BEHIND;
}

uint64_t mp_ways_drive_end(const struct mp_ways_test *test)
{
	return ring_at(test) + test->drive;
}

uint64_t mp_ways_drive_lines(uint64_t piece, uint64_t stride, uint64_t drive)
{
	const uint64_t room = piece > drive + RING_BEHIND ?
			      (piece - drive - RING_BEHIND) / stride + 1 : 0;

	return room < MP_WAYS_DRIVE_LINES ? room : MP_WAYS_DRIVE_LINES;
}

/* Multiples of @apart before @end. */
static uint64_t multiples(uint64_t end, uint64_t apart)
{
	return (end + apart - 1) / apart;
}

/* Does a slot that brings a translation fall on the set of a line whose own lies
 * so many bytes before or behind? */
static bool is_beside(const struct mp_ways_guess *guess, uint64_t bytes)
{
	return (bytes + BESIDE) % guess->span == 0 ||
	       (bytes + guess->span - BESIDE % guess->span) % guess->span == 0;
}

/* .. of so many lines of a test? */
static bool may_be_beside(const struct mp_ways_guess *guess,
			  const struct mp_ways_test *test, uint64_t lines)
{
	bool beside = false;

	if (BESIDE % mp_gcd(guess->span, test->stride))
		return false;
	for (uint64_t n = 0; n < lines && !beside; n++)
		beside = is_beside(guess, n * test->stride);
	return beside;
}

/* Lines of the ring on the set of a line that is so many before the last. */
static uint64_t of_ring(const struct mp_ways_guess *guess,
			const struct mp_ways_test *test, uint64_t before)
{
	const uint64_t span = guess->span, bytes = before * test->stride;
	const uint64_t at = span - (bytes + RING_BEHIND) % span;

	return test->drive / span + (at % span < test->drive % span);
}

/* The most lines of which none has more on its set than that holds, as long as
 * they all have sets of their own. */
static uint64_t first_full(const struct mp_ways_guess *guess,
			   const struct mp_ways_test *test, uint64_t own_sets)
{
	const uint64_t most = own_sets < LOOKED_AT ? own_sets : LOOKED_AT;
	const bool may = BESIDE % mp_gcd(guess->span, test->stride) == 0;
	uint64_t ring = 0, n = 0;
	bool beside = false;

	for (; n < most; n++) {
		const uint64_t one = of_ring(guess, test, n);

		ring = one > ring ? one : ring;
		beside |= may && is_beside(guess, n * test->stride);
		if (1 + ring + beside > guess->ways)
			break;
	}
	return n;
}

double mp_ways_drive_missing(const struct mp_ways_guess *guess,
			     const struct mp_ways_test *test)
{
	const uint64_t own_sets = mp_ways_sets_of(guess, test->stride);
	const uint64_t beside = may_be_beside(guess, test, test->lines) ?
				(test->lines - 1) / own_sets + 1 : 0;
	uint64_t missing = 0;

	for (uint64_t n = 0; n < test->lines; n++) {
		const uint64_t own = (test->lines - 1 - n % own_sets) /
				     own_sets + 1;

		missing += own + beside + of_ring(guess, test, n) > guess->ways;
	}
	return (double)missing / test->lines;
}

/* Ways that the ring takes of each set that lines fall on: one at least where any
 * of it falls on each, as it comes and goes through that, however many they are,
 * and whatever is done with lines that are new. What an exclusive level has of it
 * may lie inside, and so may what the level inside keeps. */
static uint64_t least_of_ring(const struct mp_ways_guess *guess,
			      const struct mp_ways_test *test, uint64_t apart)
{
	const uint64_t from = RING_BEHIND + RING_MARGIN;
	const uint64_t to = RING_BEHIND + test->drive - RING_MARGIN;

	return !guess->exclusive && !test->ring_kept &&
	       multiples(to, apart) - multiples(from, apart) >=
	       guess->span / apart;
}

struct mp_ways_range mp_ways_drive_held(const struct mp_ways_guess *guess,
					const struct mp_ways_test *test)
{
	const uint64_t apart = mp_gcd(guess->span, test->stride);
	const uint64_t own_sets = guess->span / apart;
	const uint64_t each = BESIDE % apart ? 1 : 2;
	/* Of the ring some sets get one line more than others: wherever they lie,
	 * that begins so far behind one that a line falls on. */
	const uint64_t over = multiples(RING_BEHIND + test->drive % guess->span,
					apart) - multiples(RING_BEHIND, apart);
	const uint64_t most = test->drive / guess->span + (over > 0);
	const uint64_t least = least_of_ring(guess, test, apart);
	struct mp_ways_range held = { 0, own_sets * (guess->ways - least) };

	if (most < guess->ways)
		held.low = own_sets * ((guess->ways - most) / each);
	if (held.low < own_sets) {
		const uint64_t full = first_full(guess, test, own_sets);

		held.low = full > held.low ? full : held.low;
	}
	return held;
}

/* -- what is asked ------------------------------------------------------ */

static void walk_ring(const struct mp_ways_rig *rig,
		      const struct mp_ways_test *test, struct mp_actor *ring)
{
	const uint64_t length = test->drive - 2 * RING_MARGIN;
	const uint64_t hops = DRIVE_TURNS * (length / rig->sets->line);

	ring->op = MP_OP_CHASE;
	ring->phase = 0;
	ring->offset = ring_at(test) + RING_MARGIN;
	ring->length = length;
	ring->stride = rig->sets->line;
	/* A page at a time: of translations it needs few. */
	ring->reach = PAGE;
	ring->warm_hops = 0;
	ring->bursts = (uint32_t)((hops + BURST_HOPS - 1) / BURST_HOPS);
	ring->hops = (hops + ring->bursts - 1) / ring->bursts;
}

bool mp_ways_drive_exp(const struct mp_ways_rig *rig,
		       const struct mp_ways_test *test, struct mp_exp *exp)
{
	const double rounds = rounds_of(rig->sets, test->drive);
	uint32_t order[MP_WAYS_DRIVE_LINES];
	struct mp_rng rng;

	if (test->lines > MP_WAYS_DRIVE_LINES || rounds < ROUNDS_LEAST ||
	    test->stride % PAGE)
		return false;
	mp_ways_sequence(rig, BESIDE, MP_DETAIL_HIST, 1, exp);
	mp_rng_seed(&rng, SEED);
	mp_perm_order(order, test->lines, 0, &rng);
	for (uint32_t i = 0; i < test->lines; i++) {
		const uint64_t at = order[i] * test->stride;

		mp_ways_step(at + BESIDE, MEMPROBE_STEP_TOUCH, exp);
		mp_ways_step(at, MEMPROBE_STEP_TIME, exp);
	}
	exp->window_ns = MP_WINDOW_MAX_NS;
	exp->rounds = (uint32_t)rounds;
	exp->n_actors = ACTORS;
	exp->actor[RING] = exp->actor[LINES];
	exp->actor[LINES].phase = 1;
	walk_ring(rig, test, &exp->actor[RING]);
	exp->arena[0].bytes = mp_ways_drive_end(test);
	return exp->arena[0].bytes <= rig->view->arena_max_bytes &&
	       mp_exp_check(exp, NULL, 0) == 0;
}

/* -- what came back ----------------------------------------------------- */

/* Between the level inside, this one, the next, and what lies beyond that, if that
 * is another. */
static void bounds_of(const struct mp_ways_level *level, struct mp_spectrum *at)
{
	*at = (struct mp_spectrum){
		.n = level->beyond_cycles > level->next_cycles * MP_WAYS_APART ?
		     3 : 2,
		.bound = { (level->inner_cycles + level->own_cycles) / 2,
			   (level->own_cycles + level->next_cycles) / 2,
			   (level->next_cycles + level->beyond_cycles) / 2 },
	};
}

/* Where the hops of one actor were served, without the rounds that find what was
 * there before; false: too few of these are left undisturbed. */
static bool find_served(const struct mp_batch *batch, enum actor actor,
			const struct mp_spectrum *at, struct mp_cpu_tally *tally)
{
	const uint32_t cold = batch->exp.rounds / COLD_PART;
	const double wanted = (double)(batch->exp.rounds - cold) *
			      batch->exp.actor[actor].bursts;
	double calm = 0;

	*tally = (struct mp_cpu_tally){ 0 };
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		if (sample->actor != actor || sample->round < cold ||
		    !mp_sample_calm(sample) ||
		    sample->payload_kind != MEMPROBE_PAYLOAD_HIST)
			continue;
		mp_cpu_tally_add(batch, sample, at, 1, tally);
		calm++;
	}
	return calm >= CALM_PART * wanted && tally->all > 0;
}

/* One replicate: none of the lines may have been served inside. */
static enum mp_ways_outcome one_says(const struct mp_ways_level *level,
				     const struct mp_ways_test *test,
				     const struct mp_cpu_tally *lines)
{
	const double slow = lines->slow / lines->all;

	if (!(lines->inside < INSIDE_NONE / test->lines * lines->all))
		return MP_WAYS_UNCLEAR;
	if (slow < MP_WAYS_FIT_SHARE * test->least)
		return MP_WAYS_FIT;
	/* What is behind the next level is not known: it may be that. */
	if (isnan(level->beyond_cycles) ||
	    lines->beyond > MP_WAYS_FINEST_SINGLE * lines->all)
		return MP_WAYS_HIDDEN;
	return slow > MP_WAYS_MISS_SHARE * test->least ? MP_WAYS_MISS :
							 MP_WAYS_UNCLEAR;
}

/* Does the level inside keep lines of the ring? */
static bool is_ring_kept(const struct mp_batch *batch,
			 const struct mp_spectrum *at)
{
	const struct mp_actor *actor = &batch->exp.actor[RING];
	const double lines = (double)(actor->length / actor->stride);
	struct mp_cpu_tally ring;

	return !find_served(batch, RING, at, &ring) ||
	       !(ring.inside < INSIDE_NONE / lines * ring.all);
}

enum mp_ways_outcome mp_ways_drive_look(struct mp_ways_rig *rig,
					const struct mp_ways_test *test,
					uint32_t replicates)
{
	enum mp_ways_outcome all = MP_WAYS_UNCLEAR;
	const struct mp_batch *batch;
	struct mp_spectrum bounds;
	uint32_t n = 0, at = 0;
	double missed = 1;
	struct mp_exp exp;

	rig->ring_kept = false;
	if (!mp_ways_drive_exp(rig, test, &exp))
		return MP_WAYS_UNCLEAR;
	bounds_of(&rig->level, &bounds);
	while ((batch = mp_view_next(rig->view, mp_exp_id(&exp), &at))) {
		enum mp_ways_outcome one = MP_WAYS_UNCLEAR;
		struct mp_cpu_tally lines;

		if (!mp_batch_counts(batch))
			continue;
		if (find_served(batch, LINES, &bounds, &lines))
			one = one_says(&rig->level, test, &lines);
		if (n++ && one != all)
			return MP_WAYS_UNCLEAR;
		all = one;
		missed = fmin(missed, lines.slow / lines.all);
		rig->ring_kept |= is_ring_kept(batch, &bounds);
	}
	if (n < replicates)
		return mp_ways_given_up(rig->view, mp_exp_id(&exp), replicates) ?
		       MP_WAYS_UNCLEAR : MP_WAYS_LACKING;
	rig->evidence[1] = rig->evidence[0];
	rig->evidence[0] = mp_exp_id(&exp);
	rig->missed = all == MP_WAYS_MISS ? missed : 0;
	return all;
}
