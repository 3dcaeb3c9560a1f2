// SPDX-License-Identifier: GPL-2.0
/*
 * A ring that is half a row of sets longer than so many full ones: half of the
 * sets have one line more than the others. Those that have not must not miss at
 * all, and those that have must.
 */
#include "probe/ways_proof.h"

#include <errno.h>
#include <math.h>

#include "probe/cpu.h"

/* Of what one line too many makes, so much is seen at least, though levels inside
 * keep some; and less than this part of that is none at all. A level that holds
 * its lines beside those of a level inside has room for now more, now fewer of a
 * set: its misses grow little by little. */
#define MISS_LEAST 0.1
#define NONE_PART 0.05
/* A row of sets misses hardly at all if it does so little of what all do; of the
 * rows no more than one of so many may. */
#define SILENT 0.1
#define SILENT_PART 4u
/* Lines of one of two slices miss twice as often once they have as all lines of
 * a set do; where any line may, as often. */
#define AGAIN 1.4
/* .. and so do those that a policy puts out each turn. Of slices that are too full
 * no more miss than they have, but for this; and the first or the last row, which
 * has few others of its group, misses more often than others. It has to be seen in
 * so many windows, by so many errors, that neither does: and by this part at least. */
#define OF_SLICES 1.1
#define EDGE_WINDOWS 10.0
#define EDGE_SURE 3.0
#define EDGE_LEAST 1.15
/* Of the sets that have as many lines as fit, so many are seen to hold them all:
 * more than would be if hops that are served inside seemed to be at times. Or
 * less is served inside than this part of a line of each. */
#define HELD_PART 0.25
#define KEPT_PART 0.75
/* Replicates that have to show it; levels inside may keep just such lines that
 * others see nothing, or only some rows. */
#define TOLD_LEAST 2u
/* Places near those where one line more begins and ends do not count, up to this
 * part of a row: the period is known to one slot, and so are they. */
#define NEAR_PART 8u

/* Looks at lines of sets that have one more, or do not, and those that missed;
 * and pairs of looks at a line, and of such as both missed. */
struct tally {
	double seen;
	double missed;
	double pairs;
	double missed_both;
};

static void add(struct tally *tally, const struct mp_turn *turn, uint32_t slot)
{
	const double seen = turn->seen[slot], missed = turn->missed[slot];

	tally->seen += seen;
	tally->missed += missed;
	tally->pairs += seen * (seen - 1);
	tally->missed_both += missed * (missed - 1);
}

static void add_tally(struct tally *to, const struct tally *from)
{
	to->seen += from->seen;
	to->missed += from->missed;
	to->pairs += from->pairs;
	to->missed_both += from->missed_both;
}

/* Misses, in what one line too many makes at least. */
static double in_lines(const struct tally *tally, uint32_t ways)
{
	return tally->seen > 0 ? tally->missed / tally->seen * (ways + 1) : NAN;
}

/* Windows of a row, the sum of their shares that missed, and of its squares. */
struct edge {
	double n;
	double sum;
	double squares;
};

/* All replicates of a proof. */
struct proof {
	const struct mp_ways_proof *of;
	struct tally most_full;	/* of the replicate that misses most */
	struct tally over;
	double beyond;		/* looks that the next level missed, too */
	uint32_t sets;		/* full ones all of whose lines were looked at .. */
	uint32_t held;		/* .. and that were seen to hold them all */
	double looks;		/* at lines of full sets .. */
	double inside;		/* .. that a level inside served */
	struct tally row_all[MP_WAYS_MAX + 1];	/* of sets with one more .. */
	struct edge edge[2];	/* .. the first row, and the last */
	uint32_t again;		/* .. replicates in which the same lines miss again */
	uint32_t told;		/* replicates in which all rows miss .. */
	uint32_t denied;	/* .. and in which some hardly do */
	bool failed;		/* of one nothing is known */
};

/* Is what was served inside known of means? */
static bool by_means(const struct proof *proof)
{
	return proof->of->level->k && !proof->of->level->single;
}

/* There may be slices. */
static bool is_hashed(const struct proof *proof)
{
	return proof->of->level->k >= MP_CPU_FIRST_HASHED;
}

/* Of the rows so many hardly miss. */
static uint32_t n_silent(const struct tally *row, uint32_t n, double share)
{
	uint32_t silent = 0;

	for (uint32_t i = 0; i < n; i++)
		silent += !(row[i].missed > SILENT * share * row[i].seen);
	return silent;
}

/* Do the same lines miss again? If a hash spreads the lines of what seems to be
 * a set over slices, those of the slice that has one too many do. */
static bool is_again(const struct tally *over)
{
	const double share = over->missed / over->seen;
	const double again = over->pairs > over->seen / 2 ?
			     over->missed_both / over->pairs : share;

	return !(again < AGAIN * share * share);
}

/* Do so many of the rows hardly miss? */
static bool is_of_few_rows(const struct proof *proof, const struct tally *row,
			   const struct tally *over)
{
	return n_silent(row, proof->of->ways + 1, over->missed / over->seen) >
	       (proof->of->ways + 1) / SILENT_PART;
}

/*
 * Where sets hold one line too many, any of these may miss. If the sets began
 * anew only after several rows, and had as many fewer lines, it would be those
 * of one row in several.
 */
static void judge_rows(struct proof *proof, const struct tally *row)
{
	struct tally over = { 0 };

	for (uint32_t i = 0; i <= proof->of->ways; i++)
		add_tally(&over, &row[i]);
	add_tally(&proof->over, &over);
	if (!(in_lines(&over, proof->of->ways) > MISS_LEAST))
		return;
	if (is_of_few_rows(proof, row, &over))
		proof->denied++;
	else
		proof->told++;
	proof->again += is_hashed(proof) && is_again(&over);
	for (uint32_t i = 0; i <= proof->of->ways; i++)
		add_tally(&proof->row_all[i], &row[i]);
}

/* Slots of a row from @from on that lie in one window. */
static void add_window(struct edge *edge, const struct mp_turn *turn,
		       uint32_t from, uint32_t to)
{
	double seen = 0, missed = 0;

	for (uint32_t slot = from; slot < to; slot++) {
		seen += turn->seen[slot];
		missed += turn->missed[slot];
	}
	if (!(seen > 0))
		return;
	edge->n++;
	edge->sum += missed / seen;
	edge->squares += missed * missed / (seen * seen);
}

/* Of sets with one line more, the first and the last one. */
static void add_edges(const struct mp_turn *turn, struct proof *proof)
{
	const uint32_t half = proof->of->row / 2;

	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t at = 0; at < half; at += proof->of->window) {
			const uint32_t first = i * proof->of->ways * proof->of->row;
			const uint32_t end = at + proof->of->window < half ?
					     at + proof->of->window : half;

			add_window(&proof->edge[i], turn, first + at, first + end);
		}
}

/* Is a row sure to miss less often than this? */
static bool is_below(const struct edge *edge, double share)
{
	const double mean = edge->sum / edge->n;
	const double variance = fmax(edge->squares / edge->n - mean * mean, 0);

	return edge->n >= EDGE_WINDOWS &&
	       mean + EDGE_SURE * sqrt(variance / (edge->n - 1)) < share;
}

/*
 * May they be lines of so many slices? In each group of as many rows every slice
 * has one. One line too many lies in a group that the first row is in, or the
 * last, with others at most half as many as slices. (One line of each slice is
 * thought of for two of them alone.)
 */
static bool may_be_slices(const struct proof *proof, uint32_t slices)
{
	const double each = proof->of->ways / slices + 1.0, all = proof->of->ways + 1.0;
	const uint32_t few = (slices + 1) / 2, others = slices + 1 - few;
	const double share = proof->over.missed / proof->over.seen;
	const double more = all / (few * each);

	if (share > OF_SLICES * few * others / slices * each / all)
		return false;
	for (uint32_t i = 0; i < 2; i++)
		if (!is_below(&proof->edge[i], share * (1 + more) / 2))
			return true;
	return more < EDGE_LEAST;
}

/* Do the same lines miss again, as those of slices do? */
static bool is_of_slices(const struct proof *proof)
{
	if (2 * proof->again < proof->told + proof->denied)
		return false;
	for (uint32_t slices = 2; slices <= proof->of->ways; slices++)
		if (proof->of->ways % slices == 0 &&
		    (slices == 2 || slices < proof->of->ways) &&
		    may_be_slices(proof, slices))
			return true;
	return false;
}

/* Of a full set, lines that were looked at, and that the level itself served. */
static void add_set(const struct mp_turn *turn, uint32_t at, struct proof *proof)
{
	uint32_t seen = 0, here = 0;

	for (uint32_t i = 0; i < proof->of->ways; i++) {
		const uint32_t slot = i * proof->of->row + at;

		seen += turn->seen[slot] > 0;
		here += turn->here[slot] > 0;
		proof->looks += turn->seen[slot];
		proof->inside += turn->seen[slot] - turn->here[slot] -
				 turn->missed[slot];
	}
	proof->sets += seen == proof->of->ways;
	proof->held += here == proof->of->ways;
}

/*
 * A clock too coarse for what lies inside knows only the mean of what did not
 * miss. As many of those were served by the level inside as make it less than
 * a hit here takes.
 */
static void add_means(const struct mp_turn *turn, struct proof *proof)
{
	const struct mp_ways_level *level = proof->of->level;
	const double faster = level->own_cycles * (double)turn->hits -
			      turn->hit_cycles;

	proof->looks += (double)turn->hits;
	proof->inside += fmax(faster, 0) /
			 (level->own_cycles - level->inner_cycles);
}

static void add_turn(const struct mp_turn *turn, struct proof *proof)
{
	const uint32_t half = proof->of->row / 2;
	const uint32_t near = proof->of->ways + 1 < proof->of->row / NEAR_PART ?
			      proof->of->ways + 1 : proof->of->row / NEAR_PART;
	struct tally full = { 0 }, row[MP_WAYS_MAX + 1] = { { 0 } };

	for (uint32_t slot = 0; slot < turn->slots; slot++) {
		const uint32_t at = slot % proof->of->row, from = at % half;

		if (from < near || from + near >= half || at >= 2 * half)
			continue;
		add(at < half ? &row[slot / proof->of->row] : &full, turn, slot);
		if (at >= half && slot < proof->of->row && !by_means(proof))
			add_set(turn, at, proof);
	}
	if (by_means(proof))
		add_means(turn, proof);
	judge_rows(proof, row);
	add_edges(turn, proof);
	proof->beyond += (double)turn->beyond;
	proof->failed |= !(full.seen > 0);
	if (!(in_lines(&full, proof->of->ways) <=
	      in_lines(&proof->most_full, proof->of->ways)))
		proof->most_full = full;
}

/*
 * A line that a level inside keeps for good does not ask for room here, and all
 * sets may have one more than fits that never misses. What this level has lost
 * comes back with a miss: where there is none, it has all lines that it ever
 * serves. And were one of each set kept, so much would be served inside.
 */
static bool holds_all(const struct proof *proof)
{
	return proof->held > HELD_PART * proof->sets ||
	       proof->inside * proof->of->ways < KEPT_PART * proof->looks;
}

/*
 * Where pieces of memory lie anywhere rows miss or not as chance has it, unless
 * the level is indexed by virtual address: then they do each time. Else those of
 * one row in several are the same ones in each replicate; which ones a policy puts
 * out depends on the order of the ring, so that all do in one or the other. Which
 * rows are of a slice may depend on where memory lies.
 */
static bool is_told(const struct proof *proof)
{
	if (proof->of->thrown)
		return proof->told >= MP_WAYS_PROOFS;
	if (is_hashed(proof))
		return proof->told >= TOLD_LEAST && proof->told > proof->denied;
	return proof->told + proof->denied >= TOLD_LEAST &&
	       !is_of_few_rows(proof, proof->row_all, &proof->over);
}

static bool is_proven(const struct proof *proof)
{
	return !proof->failed && is_told(proof) && !is_of_slices(proof) &&
	       2 * proof->beyond < proof->over.missed &&
	       holds_all(proof) &&
	       in_lines(&proof->most_full, proof->of->ways) <
	       NONE_PART * in_lines(&proof->over, proof->of->ways);
}

/* Full sets miss so much that no sets with one line more could be told apart. */
static bool is_hopeless(const struct proof *proof)
{
	return !(in_lines(&proof->most_full, proof->of->ways) <
		 NONE_PART * (proof->of->ways + 1));
}

int mp_ways_prove(const struct mp_ways_proof *of, const struct mp_turn *turn,
		  uint32_t n)
{
	struct proof proof = { .of = of };

	for (uint32_t i = 0; i < n; i++)
		add_turn(&turn[i], &proof);
	if (proof.failed || is_hopeless(&proof))
		return 0;
	return n < MP_WAYS_PROOFS ? -EAGAIN : is_proven(&proof);
}
