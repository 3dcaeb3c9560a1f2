// SPDX-License-Identifier: GPL-2.0
/*
 * A ring a little longer than a level, in random order: some of its sets have
 * more lines than they hold, and which ones is the same again after as many
 * bytes as the sets begin anew after. Each hop is timed, and it is known from
 * the seed where it went. What the levels inside serve in between makes hits of
 * some of them, but of none a miss: so levels that hide this one from other
 * tests do not hide it from this one.
 *
 * Once that is known, another ring proves how many lines they hold (ways_proof.c).
 */
#include "probe/ways_comb.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/comb.h"
#include "analysis/kept.h"
#include "probe/turn.h"
#include "probe/ways_proof.h"

#define REPLICATES 3u
/* The first ring is so much longer than the level. Where fewer or more of the
 * lines miss than this, not many sets differ, and the next one is longer, or
 * shorter. Where all sets have more than they hold they differ little, so that
 * it is shorter, too, if a ring shows nothing otherwise. */
#define LONGER 1.05
#define STEP 1.1
#define SHORTER 1.03
#define LENGTHS 6u
/* Chance makes what missed of a whole ring less likely than this. What comes from
 * its order may be more: that is for the proof to tell. */
#define WHOLE_SURE 100.0
/* Of lines that are alone in their set hardly any misses, of sets of one way; and of
 * the others all do, but for what is served inside. */
#define ALONE_OTHERS 0.05
#define ALONE_LEAST 0.3
#define MISSED_LEAST 0.02
#define MISSED_MOST 0.95

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

/* Slots that lie in a row in memory; or @whole, by virtual addresses. */
static uint32_t row_of(const struct mp_batch *batch, uint32_t slots, bool whole)
{
	const struct mp_grant_arena *arena = &batch->grant.arena[0];
	const uint64_t stride = batch->exp.actor[0].stride;

	if (arena->contiguous || whole)
		return slots;
	return (uint32_t)((arena->pages == MP_PAGES_4K ? MP_WAYS_PAGE :
							MP_WAYS_HUGE) / stride);
}

static int add_rows(const struct mp_batch *batch, const struct mp_turn *turn,
		    bool whole, struct mp_comb_row **row, uint32_t *n)
{
	const uint32_t each = row_of(batch, turn->slots, whole);
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

/* All of a ring. Of one way the period is longer than half of it, and all lines miss
 * that have another one of their set. */
static int find_whole(const struct mp_ways_rig *rig,
		      const struct mp_comb_row row[REPLICATES],
		      struct mp_comb *comb)
{
	const double grain = (double)rig->sets->grain;
	const double low = row->n / (MP_WAYS_MAX + 1.0);
	const double high = fmin(rig->level.high_bytes / grain, row->n);
	struct mp_comb_whole whole;
	const int err = mp_comb_whole_find(row, REPLICATES, (uint32_t)low,
					   (uint32_t)high, &whole);

	*comb = (struct mp_comb){ .missed = whole.missed };
	if (!err && whole.score > WHOLE_SURE &&
	    (2 * whole.period < row->n ||
	     (whole.share > ALONE_LEAST &&
	      whole.others < ALONE_OTHERS * whole.share)))
		comb->period = whole.period;
	return err;
}

static int find_rows(const struct mp_ways_rig *rig,
		     const struct mp_batch *const batch[REPLICATES],
		     const struct mp_turn turn[REPLICATES], bool whole,
		     struct mp_comb *comb)
{
	struct mp_comb_row *row = NULL;
	uint32_t rows = 0;
	int err = 0;

	for (uint32_t i = 0; i < REPLICATES && !err; i++)
		err = add_rows(batch[i], &turn[i], whole, &row, &rows);
	if (!err)
		err = whole ? find_whole(rig, row, comb) :
			      mp_comb_find(row, rows, comb);
	free(row);
	return err;
}

/* Where memory lies in pieces that may lie anywhere all of it shows the period if
 * the sets go by virtual addresses, or begin anew with each piece. Else pieces
 * do, if it is shorter than those. */
static int find_in(const struct mp_ways_rig *rig,
		   const struct mp_batch *const batch[REPLICATES],
		   struct mp_comb *comb)
{
	struct mp_turn turn[REPLICATES] = { { 0 } };
	int err = 0;

	for (uint32_t i = 0; i < REPLICATES && !err; i++)
		err = turn_take(rig, batch[i], &turn[i]);
	if (!err)
		err = find_rows(rig, batch, turn, true, comb);
	if (!err && !comb->period && !isnan(comb->missed))
		err = find_rows(rig, batch, turn, false, comb);
	for (uint32_t i = 0; i < REPLICATES; i++)
		mp_turn_free(&turn[i]);
	return err;
}

/* All that an answer depends on. */
static void begin_key(struct mp_kept_key *key, const struct mp_ways_rig *rig,
		      const struct mp_batch *const *batch, uint32_t n)
{
	mp_kept_begin(key);
	mp_kept_add(key, &rig->level.inner_cycles, 1);
	mp_kept_add_word(key, rig->level.single);
	mp_kept_add(key, &rig->level.low_bytes, 1);
	mp_kept_add(key, &rig->level.high_bytes, 1);
	mp_kept_add_word(key, rig->sets->grain);
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

/* The longest ring of which nothing missed, and the shortest of which all did, or
 * so much that it told nothing. */
struct tried {
	double none;
	double more;
};

static double next_length(struct tried *tried, double length, double missed)
{
	if (missed < MISSED_LEAST)
		tried->none = fmax(tried->none, length);
	else
		tried->more = fmin(tried->more, length);
	if (isnan(tried->more))
		return length * STEP;
	if (isnan(tried->none))
		return tried->more / (missed > MISSED_MOST ? STEP : SHORTER);
	return (tried->none + tried->more) / 2;
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

/* Is it known which slots share a set? */
static bool is_in_row(const struct mp_batch *batch, uint64_t bytes)
{
	const struct mp_grant_arena *arena = &batch->grant.arena[0];

	return arena->contiguous || (arena->pages != MP_PAGES_4K &&
				     MP_WAYS_HUGE % bytes == 0);
}

/* What so many replicates say: 1 = so many lines, 0 = not so, -EAGAIN: it may be. */
static int judge_proof(const struct mp_ways_rig *rig,
		       const struct mp_batch *const *batch, uint32_t n,
		       uint32_t ways, const struct mp_ways_comb *comb)
{
	struct mp_turn turn[MP_WAYS_PROOFS] = { { 0 } };
	struct mp_ways_proof proof = {
		.level = &rig->level,
		.row = (uint32_t)(comb->bytes / rig->sets->grain),
		.window = (uint32_t)(MP_TURN_REACH / rig->sets->grain),
		.ways = ways,
	};
	int err = 0;

	for (uint32_t i = 0; i < n && !err; i++) {
		proof.thrown |= !is_in_row(batch[i], comb->bytes);
		err = turn_take(rig, batch[i], &turn[i]);
	}
	if (!err)
		err = mp_ways_prove(&proof, turn, n);
	for (uint32_t i = 0; i < n; i++)
		mp_turn_free(&turn[i]);
	return err;
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
	const struct mp_batch *batch[MP_WAYS_PROOFS];
	int said = -EAGAIN;

	comb->outcome = MP_WAYS_COMB_NONE;
	for (uint32_t n = 1; half && said == -EAGAIN; n = MP_WAYS_PROOFS) {
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
