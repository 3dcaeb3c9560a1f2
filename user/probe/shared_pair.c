// SPDX-License-Identifier: GPL-2.0
/*
 * A ring that nearly fills a level is walked beside a tiny ring on another
 * CPU, then beside one as large as the level; and, to compare, one that is
 * too large for it. The first two are phases of one experiment, so that they
 * have the same memory and the same moment.
 */
#include "probe/shared_pair.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/stat.h"

/*
 * What is walked, in eighths of the level. With the level's own size beside
 * it that is nearly twice of what it holds; and where the oldest line goes,
 * lines that come round often stay, so it must not be much less: see
 * is_sensitive().
 */
#define EIGHTHS_OWN 7
#define EIGHTHS_LOAD 8
/* A ring that every level has room for beside the other. */
#define TINY_BYTES 4096u
/* Every second line at least, as a line's neighbour may be fetched along, or
 * all where sets are no power of two and the others would hold them as well; so
 * many slots at most, so that a turn of a large level stays short. */
#define SLOTS_MAX 16384u
#define REACH (64u << 10)
/* Hops are timed one by one: that slows them down, and it is the load beside
 * them that shall be quick. The last of three turns counts. */
#define HOPS 512u
#define HOPS_LEAST 64u
#define TURNS 3u
#define BURSTS_LEAST 24u
#define BURSTS_MIN 4u
#define BURSTS_MAX 512u
/* A replicate sees both in turn, so that they have the same memory and the
 * same moment; so often where a round takes long, or not. The first round
 * does not count: a level that strangers use takes more than a turn until
 * it holds a new ring, and what comes second would only seem quicker. */
#define ROUNDS_DEAR 2u
#define ROUNDS_CHEAP 4u
#define DEAR_SLOTS 8192u
/* Replicates, and how many are looked at. */
#define REPLICATES 7u
#define REPLICATES_DEEP 12u
#define REPLICATES_MAX 16u
/* Actors: what is walked, and what lies beside it. */
#define WALKED 0u
#define BESIDE 1u
#define WALKED_AGAIN 2u
#define BESIDE_AGAIN 3u
/* Of what all missing would take: a shared level shows more than half of it
 * under any policy, another one nothing; limits on one side of this decide. */
#define SHARE 0.25
/* .. but an exclusive one whose policy resists a walk shows a little. */
#define NOTHING 0.12
/* The load has to come round this often, in level sizes a turn, with what is
 * walked: 1 would be just full. */
#define PRESSURE 1.05
/* Limits of a size that rings can be cut to. */
#define SIZE_APART 4.0
/* What is walked is beyond a level inside that is so many times as small; and
 * beyond one less small where hops are seen to miss that: so much of the step
 * between the latencies of both. */
#define INNER_TIMES 2.0
#define INNER_LEAST 1.25
#define MISSES_INNER 0.85

/* A level of its own can do no more than make all of what is walked miss; of
 * the ring that shows what missing takes it may hold its size. */
#define ALL_MISS ((EIGHTHS_OWN + EIGHTHS_LOAD) / (double)EIGHTHS_OWN)

/* Misses count from here on: a part of what a hop takes when all miss. */
#define SCALE_LEAST 0.2

/*
 * The counted replicates of one experiment, ticks a hop: beside a tiny ring,
 * and beside a load where there is one; and what the load adds to it by hops
 * that miss the level outside as well.
 */
struct seen {
	uint32_t n;
	double calm[REPLICATES_MAX];
	double loaded[REPLICATES_MAX];
	double past[REPLICATES_MAX];
	double read_ticks;
	double ns_per_tick;
	uint64_t id;
};

const char *const mp_tie_doubt_text[MP_DOUBTS] = {
	[MP_DOUBT_NONE] = "",
	[MP_DOUBT_NOISE] = "replicates without the load lie as far apart as it would show",
	[MP_DOUBT_FLAT] = "a ring twice as large is not slower",
	[MP_DOUBT_WEAK] = "nothing shows, but the load is too slow to evict what is walked",
	[MP_DOUBT_INNER] = "the level inside may serve part of what is walked",
	[MP_DOUBT_CROWD] = "nothing shows, but strangers use the level, and one load may be lost among theirs",
	[MP_DOUBT_BETWEEN] = "hops get slower, but too little for a level that is shared",
	[MP_DOUBT_OUTER] = "the level outside it is so small that it may be what evicts",
	[MP_DOUBT_PAST] = "what the load puts out comes back from beyond the level outside, which may be what evicts",
	[MP_DOUBT_ORDER] = "an inner level seems shared and an outer one not",
};

/* Only a level that is exclusive leaves to those inside what they hold. */
static double beside_of(const struct mp_view *view,
			const struct mp_cpu_rooms *rooms, uint32_t k)
{
	const struct mp_fact *fact = mp_cpu_found(view, k, "inclusion");

	if (!k)
		return 0;
	if (fact && fact->verdict == MP_MEASURED &&
	    strcmp(fact->text, "exclusive"))
		return 0;
	return isnan(rooms->bytes[k - 1]) ? 1 :
	       rooms->bytes[k - 1] / rooms->bytes[k];
}

/* Limits of what misses set in at are near each other. */
static bool is_clear(const struct mp_view *view,
		     const struct mp_cpu_rooms *rooms, uint32_t k)
{
	const struct mp_fact *fact = mp_cpu_found(view, k, "size");

	return rooms->sum[k] || (fact && fact->low > 0 &&
				 fact->high <= fact->low * SIZE_APART);
}

/* Hops of what is walked take so long, ns, if none is served inside; NaN: not
 * known. */
static double missing_inner(const struct mp_view *view, uint32_t k)
{
	const double inner = mp_cpu_value(view, mp_cpu_level_name[k - 1],
					  "latency");
	const double own = mp_cpu_value(view, mp_cpu_level_name[k], "latency");

	return inner + MISSES_INNER * (own - inner);
}

/* A hop served by level @k, ns; beyond the outermost it is memory's. */
static double serving(const struct mp_view *view, uint32_t k)
{
	const struct mp_fact *size = k < MP_CPU_LEVELS ?
				     mp_cpu_found(view, k, "size") : NULL;

	if (k < MP_CPU_LEVELS && !(size && size->verdict == MP_ABSENT))
		return mp_cpu_value(view, mp_cpu_level_name[k], "latency");
	return mp_cpu_value(view, "dram", "latency");
}

int mp_shared_ground(const struct mp_view *view,
		     struct mp_shared_ground *ground)
{
	struct mp_sweep sweep;

	mp_cpu_main_sweep(view, &sweep);
	ground->stride = sweep.stride;
	return mp_cpu_rooms(view, &ground->rooms);
}

const char *mp_shared_level(const struct mp_view *view,
			    const struct mp_shared_ground *ground, uint32_t k,
			    struct mp_shared_level *level)
{
	const struct mp_cpu_rooms *rooms = &ground->rooms;
	static const char unknown[] = "the size of the level is not known well enough to fill it";
	static const char near[] = "the level inside is nearly as large, or what it holds is not known: what is walked may stay there";
	static const char small[] = "the level is too small for rings that others crowd";
	const struct mp_fact *fact = mp_cpu_found(view, k, "size");
	double inner;

	if (isnan(rooms->bytes[k]) || !is_clear(view, rooms, k))
		return unknown;
	level->moves = fact->verdict == MP_VARIES;
	level->size = rooms->bytes[k];
	level->beside = beside_of(view, rooms, k);
	level->own_ns = serving(view, k);
	level->next_ns = serving(view, k + 1);
	level->past_ns = serving(view, k + 2);
	inner = k ? rooms->bytes[k - 1] : 0;
	level->least_ns = 0;
	if (!(level->size > INNER_TIMES * inner)) {
		level->least_ns = missing_inner(view, k);
		if (!(level->size > INNER_LEAST * inner) ||
		    isnan(level->least_ns))
			return near;
	}
	level->stride = ground->stride;
	while (level->size / (double)level->stride > SLOTS_MAX)
		level->stride *= 2;
	return level->size >= 16.0 * (double)level->stride ? NULL : small;
}

static uint64_t part(const struct mp_shared_level *level, uint32_t eighths)
{
	const uint64_t bytes = (uint64_t)(level->size * eighths / 8);

	return bytes - bytes % level->stride;
}

static uint64_t tiny(const struct mp_shared_level *level)
{
	return TINY_BYTES > 2 * level->stride ? TINY_BYTES :
						2 * level->stride;
}

static void walk_of(const struct mp_view *view, uint64_t length,
		    uint64_t stride, struct mp_actor *actor)
{
	const uint64_t turns = TURNS * (length / stride);
	uint64_t hops = HOPS, bursts;
	struct mp_exp exp;

	while (hops > HOPS_LEAST && turns < BURSTS_LEAST * hops)
		hops /= 2;
	bursts = turns / hops + 1;

	mp_exp_chase(&exp, view->cpu, view->pages, length, stride,
		     REACH < length && REACH >= stride ? REACH : 0);
	*actor = exp.actor[0];
	actor->warm_hops = length / stride;
	actor->hops = hops;
	actor->bursts = bursts > BURSTS_LEAST ? (uint32_t)bursts :
						BURSTS_LEAST;
	actor->detail = MP_DETAIL_HIST;
	actor->group = 1;
}

static void load_of(uint32_t place, uint64_t offset, uint64_t length,
		    uint64_t stride, struct mp_actor *actor)
{
	struct mp_exp exp;

	mp_exp_chase(&exp, place, MP_PAGES_4K, length, stride,
		     REACH < length && REACH >= stride ? REACH : 0);
	*actor = exp.actor[0];
	actor->arena = 1;
	actor->offset = offset;
	actor->warm_hops = length / stride;
	actor->background = 1;
}

/* Two arenas, and a walk beside a tiny ring at the end of the second. */
static void make(const struct mp_view *view, const struct mp_shared_level *level,
		 uint32_t other, uint64_t own, uint64_t load,
		 struct mp_exp *exp)
{
	mp_exp_chase(exp, view->cpu, view->pages, own, level->stride, 0);
	exp->arena[0].node = view->node;
	exp->n_arenas = 2;
	exp->arena[1] = exp->arena[0];
	exp->arena[1].bytes = load + tiny(level);
	exp->n_actors = 2;
	exp->rounds = own / level->stride > DEAR_SLOTS ? ROUNDS_DEAR :
							 ROUNDS_CHEAP;
	walk_of(view, own, level->stride, &exp->actor[WALKED]);
	load_of(other, load, tiny(level), level->stride, &exp->actor[BESIDE]);
}

/* Beside a tiny ring, then the same beside one as large as the level. */
static void make_pair(const struct mp_view *view, const struct mp_shared_level *level,
		      uint32_t other, struct mp_exp *exp)
{
	const uint64_t load = part(level, EIGHTHS_LOAD);
	struct mp_actor *actor = exp->actor;

	make(view, level, other, part(level, EIGHTHS_OWN), load, exp);
	exp->n_actors = 4;
	actor[WALKED_AGAIN] = actor[WALKED];
	actor[WALKED_AGAIN].phase = 1;
	load_of(other, 0, load, level->stride, &actor[BESIDE_AGAIN]);
	actor[BESIDE_AGAIN].phase = 1;
}

/* What it would be like: all that both walk, walked by one. */
static void make_full(const struct mp_view *view, const struct mp_shared_level *level,
		      uint32_t other, struct mp_exp *exp)
{
	make(view, level, other, part(level, EIGHTHS_OWN + EIGHTHS_LOAD), 0,
	     exp);
}

bool mp_shared_has_room(const struct mp_view *view,
			const struct mp_shared_level *level)
{
	return part(level, EIGHTHS_OWN + EIGHTHS_LOAD) + tiny(level) <=
	       view->arena_max_bytes;
}

static uint32_t replicates(const struct mp_view *view)
{
	return view->depth == MP_DEPTH_DEEP ? REPLICATES_DEEP : REPLICATES;
}

int mp_shared_plan(const struct mp_view *view,
		   const struct mp_shared_level *level, uint32_t other,
		   uint32_t first, struct mp_plan *plan)
{
	const uint32_t n = replicates(view);
	struct mp_exp exp;
	int err;

	make_pair(view, level, other, &exp);
	err = mp_plan_add(plan, &exp, n);
	if (err)
		return err;
	make_full(view, level, first, &exp);
	return mp_plan_add(plan, &exp, n);
}

/* Ticks a hop of one actor over the last turn of its rounds; NaN: too little
 * of it was calm. */
static double last_turn(const struct mp_batch *batch, uint32_t actor)
{
	const uint32_t from = batch->exp.actor[actor].bursts / TURNS *
			      (TURNS - 1);
	double ticks[BURSTS_MAX];
	uint32_t n = 0;

	for (uint32_t i = 0; i < batch->n_samples && n < BURSTS_MAX; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		if (sample->actor == actor && sample->round &&
		    sample->burst >= from &&
		    sample->hops && mp_sample_calm(sample))
			ticks[n++] = (double)sample->ticks /
				     (double)sample->hops;
	}
	return n >= BURSTS_MIN ? mp_stat_midmean(ticks, n) : NAN;
}

/* Which of an actor's hops, over the same turn, miss the level outside as well?
 * Their share; NaN where it is not known what they take. */
static double past_next(const struct mp_batch *batch,
			const struct mp_shared_level *level, uint32_t actor)
{
	const uint32_t from = batch->exp.actor[actor].bursts / TURNS *
			      (TURNS - 1);
	const double bound = (level->next_ns + level->past_ns) / 2;
	double past = 0, all = 0;

	if (!(level->next_ns > 0 && level->past_ns > level->next_ns))
		return NAN;
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];
		const uint64_t *word = batch->payload + sample->payload_offset;

		if (sample->actor != actor || !sample->round ||
		    sample->burst < from || !mp_sample_calm(sample) ||
		    sample->payload_kind != MEMPROBE_PAYLOAD_HIST)
			continue;
		for (uint32_t w = 0; w + 1 < sample->payload_count; w += 2) {
			const double ticks = (double)word[w] -
					     batch->grant.read_ticks;

			all += (double)word[w + 1];
			if (mp_clock_ns(batch, ticks) > bound)
				past += (double)word[w + 1];
		}
	}
	return past / all;
}

/* Ticks that the load adds to a hop by what no level but the one outside can
 * have put out; none where that is not known. */
static double added_past(const struct mp_batch *batch,
			 const struct mp_shared_level *level)
{
	const double more = past_next(batch, level, WALKED_AGAIN) -
			    past_next(batch, level, WALKED);
	const double ticks = (level->past_ns - level->own_ns) /
			     mp_clock_ns(batch, 1);

	return more * ticks > 0 ? more * ticks : 0;
}

static void look(const struct mp_view *view,
		 const struct mp_shared_level *level, const struct mp_exp *exp,
		 struct seen *seen)
{
	*seen = (struct seen){ .id = mp_exp_id(exp) };
	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_batch *batch = view->batch[i];
		double calm, loaded;

		if (batch->id != seen->id || !mp_batch_counts(batch) ||
		    !mp_exp_equal(&batch->exp, exp) ||
		    seen->n == REPLICATES_MAX)
			continue;
		calm = last_turn(batch, WALKED);
		loaded = exp->n_actors > WALKED_AGAIN ?
			 last_turn(batch, WALKED_AGAIN) : calm;
		if (isnan(calm) || isnan(loaded))
			continue;
		seen->calm[seen->n] = calm;
		seen->past[seen->n] = exp->n_actors > WALKED_AGAIN ?
				      added_past(batch, level) : 0;
		seen->loaded[seen->n++] = loaded;
		seen->read_ticks = batch->grant.read_ticks;
		seen->ns_per_tick = mp_clock_ns(batch, 1);
	}
}

/*
 * Would a shared level show? While what is walked comes round once, the load
 * makes so many hops as its misses let it; where the oldest line goes, that
 * has to overflow the level, or what is walked stays, and only the load
 * misses.
 */
static bool is_sensitive(const struct mp_shared_level *level, double calm,
			 double full, double read_ticks)
{
	const double miss = full - read_ticks;
	const double own = EIGHTHS_OWN / 8.0 - level->beside;

	return miss > 0 &&
	       own + EIGHTHS_OWN / 8.0 * calm / miss > PRESSURE;
}

/* Nothing shows. Does that mean that there is nothing? */
static uint32_t judge_none(const struct mp_shared_level *level, double calm, double full,
			   double read_ticks, uint32_t *doubt)
{
	if (level->moves)
		*doubt = MP_DOUBT_CROWD;
	else if (!is_sensitive(level, calm, full, read_ticks))
		*doubt = MP_DOUBT_WEAK;
	else
		return MP_TIE_PRIVATE;
	return MP_TIE_UNCLEAR;
}

static uint32_t judge(const struct mp_view *view, const struct mp_shared_level *level,
		      const struct seen *pair, const struct seen *full,
		      uint32_t *doubt)
{
	const double calm = mp_stat_median_of(pair->calm, pair->n);
	const double most = mp_stat_median_of(full->calm, full->n);
	const double scale = most - calm;
	double share[REPLICATES_MAX], own[REPLICATES_MAX];
	struct mp_interval limits, by_level;

	*doubt = MP_DOUBT_INNER;
	if (level->least_ns > 0 && !((calm - pair->read_ticks) *
				     pair->ns_per_tick >= level->least_ns))
		return MP_TIE_UNCLEAR;
	*doubt = MP_DOUBT_FLAT;
	if (!(scale > SCALE_LEAST * (most - pair->read_ticks)))
		return MP_TIE_UNCLEAR;
	for (uint32_t i = 0; i < pair->n; i++) {
		share[i] = (pair->loaded[i] - pair->calm[i]) / scale;
		own[i] = share[i] - pair->past[i] / scale;
	}
	mp_stat_limits(share, pair->n, view->seed, &limits);
	mp_stat_limits(own, pair->n, view->seed, &by_level);
	*doubt = MP_DOUBT_NONE;
	if (by_level.low > SHARE && limits.low <= ALL_MISS)
		return MP_TIE_SHARED;
	*doubt = MP_DOUBT_PAST;
	if (limits.low > SHARE)
		return MP_TIE_UNCLEAR;
	*doubt = MP_DOUBT_NONE;
	if (limits.high < NOTHING && limits.low > -SHARE)
		return judge_none(level, calm, most, pair->read_ticks, doubt);
	*doubt = mp_stat_sd(pair->calm, pair->n) > SHARE * scale ||
		 limits.low < -SHARE ? MP_DOUBT_NOISE : MP_DOUBT_BETWEEN;
	return MP_TIE_UNCLEAR;
}

uint32_t mp_shared_judge(const struct mp_view *view,
			 const struct mp_shared_level *level, uint32_t other,
			 uint32_t first, uint32_t *doubt,
			 struct mp_fact *fact)
{
	struct seen pair, full;
	struct mp_exp exp;

	*doubt = MP_DOUBT_NONE;
	make_full(view, level, first, &exp);
	look(view, level, &exp, &full);
	make_pair(view, level, other, &exp);
	look(view, level, &exp, &pair);
	if (full.n < MP_SHARED_LEAST || pair.n < MP_SHARED_LEAST)
		return MP_TIE_NOT_ASKED;
	if (fact) {
		mp_fact_note(fact, full.id);
		mp_fact_note(fact, pair.id);
	}
	return judge(view, level, &pair, &full, doubt);
}
