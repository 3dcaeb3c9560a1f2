// SPDX-License-Identifier: GPL-2.0
/*
 * A ring a little longer than a level, in random order: some of its sets have
 * more lines than they hold, and which ones is the same again after as many
 * bytes as the sets begin anew after. Each hop is timed, and it is known from
 * the seed where it went. What the levels inside serve in between makes hits of
 * some of them, but of none a miss: so levels that hide this one from other
 * tests do not hide it from this one.
 *
 * Once that is known, a ring is half a row of sets longer than so many full ones:
 * half of the sets have one line more than the others. Those that have not must
 * not miss at all, and those that have must.
 */
#include "probe/ways_comb.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/comb.h"
#include "analysis/kept.h"
#include "probe/cpu.h"
#include "probe/turn.h"
#include "probe/ways_level.h"

#define REPLICATES 3u
#define PROOFS 5u
/* The first ring is so much longer than the level, the next ones by as much
 * again; where fewer or more of the lines miss than this, not many sets differ,
 * and the next one is longer, or shorter. */
#define LONGER 1.05
#define STEP 1.1
#define LENGTHS 6u
#define MISSED_LEAST 0.02
#define MISSED_MOST 0.95
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

/* -- the ring --------------------------------------------------------------- */

static void comb_exp(const struct mp_ways_rig *rig, uint64_t length,
		     struct mp_exp *exp)
{
	const struct mp_view *view = rig->view;

	mp_exp_chase(exp, view->cpu, rig->pages, length, rig->sets->grain,
		     MP_TURN_REACH < length ? MP_TURN_REACH : 0);
	exp->arena[0].bytes = (length + MP_WAYS_HUGE - 1) / MP_WAYS_HUGE *
			      MP_WAYS_HUGE;
	exp->arena[0].node = view->node;
	exp->quiet = view->quiet;
	mp_turn_actor(&exp->actor[0]);
}

/* -- what came of it -------------------------------------------------------- */

/* Hops between two levels take half of either. */
static struct mp_turn_times times_of(const struct mp_ways_level *level)
{
	return (struct mp_turn_times){
		.least = level->k && level->single ?
			 (level->inner_cycles + level->own_cycles) / 2 :
			 -INFINITY,
		.most = (level->own_cycles + level->next_cycles) / 2,
		.far = level->beyond_cycles >
		       level->next_cycles * MP_WAYS_APART ?
		       (level->next_cycles + level->beyond_cycles) / 2 :
		       INFINITY,
	};
}

static int turn_take(const struct mp_ways_rig *rig, const struct mp_batch *batch,
		     struct mp_turn *turn)
{
	const struct mp_turn_times times = times_of(&rig->level);

	return mp_turn_take(rig->view, batch, &times, turn);
}

/* Slots that lie in a row in memory. */
static uint32_t row_of(const struct mp_batch *batch, uint32_t slots)
{
	const struct mp_grant_arena *arena = &batch->grant.arena[0];
	const uint64_t stride = batch->exp.actor[0].stride;

	if (arena->contiguous)
		return slots;
	return (uint32_t)((arena->pages == MP_PAGES_4K ? MP_WAYS_PAGE :
							MP_WAYS_HUGE) / stride);
}

static int add_rows(const struct mp_batch *batch, const struct mp_turn *turn,
		    struct mp_comb_row **row, uint32_t *n)
{
	const uint32_t each = row_of(batch, turn->slots);
	const uint32_t more = (turn->slots + each - 1) / each;
	struct mp_comb_row *all = realloc(*row, (*n + more) * sizeof(*all));

	if (!all)
		return -ENOMEM;
	*row = all;
	for (uint32_t first = 0; first < turn->slots; first += each)
		all[(*n)++] = (struct mp_comb_row){
			.n = turn->slots - first < each ? turn->slots - first :
							  each,
			.seen = turn->seen + first,
			.missed = turn->missed + first,
		};
	return 0;
}

static int find_in(const struct mp_ways_rig *rig,
		   const struct mp_batch *const batch[REPLICATES],
		   struct mp_comb *comb)
{
	struct mp_turn turn[REPLICATES] = { { 0 } };
	struct mp_comb_row *row = NULL;
	uint32_t n = 0;
	int err = 0;

	for (uint32_t i = 0; i < REPLICATES && !err; i++) {
		err = turn_take(rig, batch[i], &turn[i]);
		err = err ? err : add_rows(batch[i], &turn[i], &row, &n);
	}
	if (!err)
		err = mp_comb_find(row, n, comb);
	for (uint32_t i = 0; i < REPLICATES; i++)
		mp_turn_free(&turn[i]);
	free(row);
	return err;
}

/* All that an answer depends on. */
static void begin_key(struct mp_kept_key *key, const struct mp_ways_rig *rig,
		      const struct mp_batch *const *batch, uint32_t n)
{
	mp_kept_begin(key);
	mp_kept_add(key, &rig->level.inner_cycles, 1);
	mp_kept_add_word(key, rig->level.single);
	mp_kept_add(key, &rig->level.own_cycles, 1);
	mp_kept_add(key, &rig->level.next_cycles, 1);
	mp_kept_add(key, &rig->level.beyond_cycles, 1);
	mp_kept_add_word(key, rig->level.k);
	mp_kept_add_word(key, rig->view->seed);
	for (uint32_t i = 0; i < n; i++) {
		mp_kept_add_word(key, batch[i]->id);
		mp_kept_add_word(key, batch[i]->replicate);
		mp_kept_add_word(key, batch[i]->grant.arena[0].contiguous);
		mp_kept_add_word(key, batch[i]->grant.arena[0].pages);
		for (uint32_t s = 0; s < batch[i]->n_samples; s++)
			mp_kept_add_word(key, batch[i]->sample[s].ticks);
	}
}

/* Of the same batches it is found once. */
static int find_kept(const struct mp_ways_rig *rig,
		     const struct mp_batch *const batch[REPLICATES],
		     struct mp_comb *comb)
{
	static struct mp_kept kept;
	struct mp_kept_key key;
	int err;

	begin_key(&key, rig, batch, REPLICATES);
	if (mp_kept_find(&kept, &key, comb, sizeof(*comb), &err))
		return err;
	err = find_in(rig, batch, comb);
	mp_kept_note(&kept, &key, comb, sizeof(*comb), err);
	return err;
}

/* Return: are there as many as are asked for? */
static bool batches_of(const struct mp_ways_rig *rig, uint64_t length,
		       uint32_t replicates, const struct mp_batch **batch,
		       struct mp_ways_comb *comb)
{
	struct mp_exp exp;
	bool lacks;

	comb_exp(rig, length, &exp);
	comb->id = mp_exp_id(&exp);
	if (mp_turn_batches(rig->view, &exp, replicates, batch, &lacks))
		return true;
	comb->outcome = MP_WAYS_COMB_NONE;
	if (lacks) {
		comb->outcome = MP_WAYS_COMB_LACKING;
		comb->lacks = length;
		comb->replicates = replicates;
	}
	return false;
}

/* -- the period ------------------------------------------------------------- */

/* Rings of which nothing missed, or all, or neither. */
struct tried {
	double none;
	double all;
};

static double next_length(struct tried *tried, double length, double missed)
{
	if (missed > MISSED_MOST)
		tried->all = length;
	else
		tried->none = length;
	if (isnan(tried->all))
		return length * STEP;
	return isnan(tried->none) ? length / STEP :
				    (tried->none + tried->all) / 2;
}

int mp_ways_comb_look(const struct mp_ways_rig *rig, struct mp_ways_comb *comb)
{
	const struct mp_ways_level *level = &rig->level;
	const uint64_t grain = rig->sets->grain;
	struct tried tried = { NAN, NAN };
	double bytes = LONGER * (level->low_bytes + level->high_bytes) / 2;

	for (uint32_t i = 0; i < LENGTHS; i++) {
		const uint64_t length = (uint64_t)bytes / grain * grain;
		const struct mp_batch *batch[REPLICATES];
		struct mp_comb found;
		int err;

		if (!batches_of(rig, length, REPLICATES, batch, comb))
			return 0;
		comb->outcome = MP_WAYS_COMB_NONE;
		err = find_kept(rig, batch, &found);
		if (err || isnan(found.missed))
			return err;
		if (found.period && found.missed > MISSED_LEAST &&
		    found.missed < MISSED_MOST) {
			comb->outcome = MP_WAYS_COMB_FOUND;
			comb->bytes = found.period * grain;
			comb->lines = (uint32_t)(length / comb->bytes);
			return 0;
		}
		bytes = next_length(&tried, bytes, found.missed);
	}
	return 0;
}

/* -- the proof -------------------------------------------------------------- */

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

/* All replicates of a proof. */
struct proof {
	uint32_t row;		/* slots */
	uint32_t ways;
	struct tally most_full;	/* of the replicate that misses most */
	struct tally over;
	double beyond;		/* looks that the next level missed, too */
	uint32_t sets;		/* full ones all of whose lines were looked at .. */
	uint32_t held;		/* .. and that were seen to hold them all */
	double looks;		/* at lines of full sets .. */
	double inside;		/* .. that a level inside served */
	uint32_t told;		/* replicates in which all rows miss .. */
	uint32_t denied;	/* .. and in which some do not */
	bool failed;		/* of one nothing is known */
	bool thrown;		/* pieces of memory may lie anywhere */
	bool hashed;		/* there may be slices */
	bool by_means;		/* what was served inside is known of means */
};

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

/*
 * Where sets hold one line too many, any of these may miss. If the sets began
 * anew only after several rows, and had as many fewer lines, it would be those
 * of one row in several.
 */
static void judge_rows(struct proof *proof, const struct tally *row)
{
	struct tally over = { 0 };

	for (uint32_t i = 0; i <= proof->ways; i++)
		add_tally(&over, &row[i]);
	add_tally(&proof->over, &over);
	if (!(in_lines(&over, proof->ways) > MISS_LEAST))
		return;
	if ((proof->hashed && is_again(&over)) ||
	    n_silent(row, proof->ways + 1, over.missed / over.seen) >
	    (proof->ways + 1) / SILENT_PART)
		proof->denied++;
	else
		proof->told++;
}

/* Of a full set, lines that were looked at, and that the level itself served. */
static void add_set(const struct mp_turn *turn, uint32_t at, struct proof *proof)
{
	uint32_t seen = 0, here = 0;

	for (uint32_t i = 0; i < proof->ways; i++) {
		const uint32_t slot = i * proof->row + at;

		seen += turn->seen[slot] > 0;
		here += turn->here[slot] > 0;
		proof->looks += turn->seen[slot];
		proof->inside += turn->seen[slot] - turn->here[slot] -
				 turn->missed[slot];
	}
	proof->sets += seen == proof->ways;
	proof->held += here == proof->ways;
}

/*
 * A clock too coarse for what lies inside knows only the mean of what did not
 * miss. As many of those were served by the level inside as make it less than
 * a hit here takes.
 */
static void add_means(const struct mp_ways_level *level,
		      const struct mp_turn *turn, struct proof *proof)
{
	const double faster = level->own_cycles * (double)turn->hits -
			      turn->hit_cycles;

	proof->looks += (double)turn->hits;
	proof->inside += fmax(faster, 0) /
			 (level->own_cycles - level->inner_cycles);
}

static void add_turn(const struct mp_turn *turn, struct proof *proof)
{
	const uint32_t half = proof->row / 2;
	const uint32_t near = proof->ways + 1 < proof->row / NEAR_PART ?
			      proof->ways + 1 : proof->row / NEAR_PART;
	struct tally full = { 0 }, row[MP_WAYS_MAX + 1] = { { 0 } };

	for (uint32_t slot = 0; slot < turn->slots; slot++) {
		const uint32_t at = slot % proof->row, from = at % half;

		if (from < near || from + near >= half || at >= 2 * half)
			continue;
		add(at < half ? &row[slot / proof->row] : &full, turn, slot);
		if (at >= half && slot < proof->row && !proof->by_means)
			add_set(turn, at, proof);
	}
	judge_rows(proof, row);
	proof->beyond += (double)turn->beyond;
	proof->failed |= !(full.seen > 0);
	if (!(in_lines(&full, proof->ways) <=
	      in_lines(&proof->most_full, proof->ways)))
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
	       proof->inside * proof->ways < KEPT_PART * proof->looks;
}

/* Where pieces of memory lie anywhere rows miss or not as chance has it, unless
 * the level is indexed by virtual address: then they do each time. */
static bool is_told(const struct proof *proof)
{
	return proof->told >= (proof->thrown ? PROOFS : TOLD_LEAST);
}

static bool is_proven(const struct proof *proof)
{
	return !proof->failed && is_told(proof) &&
	       proof->told > proof->denied &&
	       2 * proof->beyond < proof->over.missed &&
	       holds_all(proof) &&
	       in_lines(&proof->most_full, proof->ways) <
	       NONE_PART * in_lines(&proof->over, proof->ways);
}

/* Is it known which slots share a set? */
static bool is_in_row(const struct mp_batch *batch, uint64_t bytes)
{
	const struct mp_grant_arena *arena = &batch->grant.arena[0];

	return arena->contiguous || (arena->pages != MP_PAGES_4K &&
				     MP_WAYS_HUGE % bytes == 0);
}

/* Full sets miss so much that no sets with one line more could be told apart. */
static bool is_hopeless(const struct proof *proof)
{
	return !(in_lines(&proof->most_full, proof->ways) <
		 NONE_PART * (proof->ways + 1));
}

/* By so many replicates. */
static int try_proof(const struct mp_ways_rig *rig,
		     const struct mp_batch *const *batch, uint32_t replicates,
		     const struct mp_ways_comb *comb, struct proof *proof)
{
	int err = 0;

	for (uint32_t i = 0; i < replicates && !err; i++) {
		struct mp_turn turn = { 0 };

		proof->thrown |= !is_in_row(batch[i], comb->bytes);
		err = turn_take(rig, batch[i], &turn);
		if (!err)
			add_turn(&turn, proof);
		if (!err && proof->by_means)
			add_means(&rig->level, &turn, proof);
		mp_turn_free(&turn);
	}
	return err;
}

/* What that says: 1 = so many lines, 0 = not so, and -EAGAIN: it may be. */
static int judge_proof(const struct mp_ways_rig *rig,
		       const struct mp_batch *const *batch, uint32_t n,
		       uint32_t ways, const struct mp_ways_comb *comb)
{
	struct proof proof = {
		.row = (uint32_t)(comb->bytes / rig->sets->grain),
		.ways = ways,
		.hashed = rig->level.k >= MP_CPU_FIRST_HASHED,
		.by_means = rig->level.k && !rig->level.single,
	};
	const int err = try_proof(rig, batch, n, comb, &proof);

	if (err)
		return err;
	if (proof.failed || is_hopeless(&proof))
		return 0;
	return n < PROOFS ? -EAGAIN : is_proven(&proof);
}

static int judge_kept(const struct mp_ways_rig *rig,
		      const struct mp_batch *const *batch, uint32_t n,
		      uint32_t ways, const struct mp_ways_comb *comb)
{
	static struct mp_kept kept;
	struct mp_kept_key key;
	uint32_t none = 0;
	int said;

	begin_key(&key, rig, batch, n);
	mp_kept_add_word(&key, ways);
	mp_kept_add_word(&key, comb->bytes);
	mp_kept_add_word(&key, rig->sets->grain);
	if (mp_kept_find(&kept, &key, &none, sizeof(none), &said))
		return said;
	said = judge_proof(rig, batch, n, ways, comb);
	mp_kept_note(&kept, &key, &none, sizeof(none), said);
	return said;
}

int mp_ways_comb_prove(const struct mp_ways_rig *rig, uint32_t ways,
		       struct mp_ways_comb *comb)
{
	const uint64_t grain = rig->sets->grain;
	const uint64_t half = comb->bytes / 2 / grain * grain;
	const uint64_t length = ways * comb->bytes + half;
	const struct mp_batch *batch[PROOFS];
	int said = -EAGAIN;

	comb->outcome = MP_WAYS_COMB_NONE;
	for (uint32_t n = 1; half && said == -EAGAIN; n = PROOFS) {
		if (!batches_of(rig, length, n, batch, comb))
			return 0;
		said = judge_kept(rig, batch, n, ways, comb);
	}
	comb->outcome = said == 1 ? MP_WAYS_COMB_FOUND : MP_WAYS_COMB_NONE;
	return said < 0 && half ? said : 0;
}

int mp_ways_comb_plan(const struct mp_ways_rig *rig,
		      const struct mp_ways_comb *comb, struct mp_plan *plan)
{
	struct mp_exp exp;

	comb_exp(rig, comb->lacks, &exp);
	return mp_plan_add(plan, &exp, comb->replicates);
}
