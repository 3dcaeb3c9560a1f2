// SPDX-License-Identifier: GPL-2.0
/*
 * Probe shared: how many CPUs share each level?
 *
 * A ring that nearly fills a level is walked on the CPU asked about, beside
 * another one on another CPU: a tiny one, which leaves the level alone, or
 * one as large as the level, which cannot be there as well. Where hops get as
 * slow as those of a ring too large for the level, both CPUs use the same.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stat.h"
#include "backend.h"
#include "probe/cpu.h"

/* Levels asked about. */
#define LEVELS 3
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
/* Every second line at least, as a line's neighbour may be fetched along; so
 * many slots at most, so that a turn of a large level stays short. */
#define APART 2u
#define SLOTS_MAX 16384u
#define REACH (64u << 10)
/* Hops are timed one by one: that slows them down, and it is the load beside
 * them that shall be quick. The last of three turns counts. */
#define HOPS 512u
#define TURNS 3u
#define BURSTS_LEAST 24u
#define BURSTS_MIN 4u
#define BURSTS_MAX 512u
/* A replicate sees both in turn, so that they have the same memory and the
 * same moment; so often where a round takes long, or not. */
#define ROUNDS_DEAR 2u
#define ROUNDS_CHEAP 4u
#define DEAR_SLOTS 8192u
/* Replicates, and how many are looked at. */
#define REPLICATES 7u
#define REPLICATES_DEEP 12u
#define REPLICATES_MAX 16u
#define REPLICATES_MIN 5u
/* Actors: what is walked, and what lies beside it. */
#define WALKED 0u
#define BESIDE 1u
#define WALKED_AGAIN 2u
#define BESIDE_AGAIN 3u
/* Other CPUs: so many of the nearest numbers, then doubling distances. */
#define NEAR 8u
#define OTHERS_MAX 14u
/* Of what all missing would take: a shared level shows more than half of it
 * under any policy, another one nothing; limits on one side of this decide. */
#define SHARE 0.25
/* The load has to come round this often, in level sizes a turn, with what is
 * walked: 1 would be just full. */
#define PRESSURE 1.05
/* A level outside that is so many times as large is not filled by both. */
#define OUTER_TIMES 4.0
/* Limits of a size that rings can be cut to. */
#define SIZE_APART 4.0
/* What is walked has to be beyond the level inside by so much. */
#define INNER_TIMES 2.0

/* enum tie - does another CPU share a level? */
enum tie {
	TIE_NOT_ASKED,
	TIE_PRIVATE,
	TIE_SHARED,
	TIE_UNCLEAR,
};

/* Why it is unclear. */
enum doubt {
	DOUBT_NONE,
	DOUBT_NOISE,	/* the quiet ones differ as much as it would matter */
	DOUBT_FLAT,	/* too large a ring is no slower */
	DOUBT_WEAK,	/* nothing shows, but it would not need to */
	DOUBT_CROWD,	/* nothing shows, where strangers are at work, too */
	DOUBT_BETWEEN,	/* some effect, neither none nor all */
	DOUBT_OUTER,	/* the level outside may be what evicts */
	DOUBT_ORDER,	/* inner shared, outer not: one of them is wrong */
};

static const char *const doubt_text[] = {
	[DOUBT_NONE] = "",
	[DOUBT_NOISE] = "replicates without the load lie as far apart as it would show",
	[DOUBT_FLAT] = "a ring twice as large is not slower",
	[DOUBT_WEAK] = "nothing shows, but the load is too slow to evict what is walked",
	[DOUBT_CROWD] = "nothing shows, but strangers use the level, and one load may be lost among theirs",
	[DOUBT_BETWEEN] = "hops get slower, but too little for a level that is shared",
	[DOUBT_OUTER] = "the level outside it is so small that it may be what evicts",
	[DOUBT_ORDER] = "an inner level seems shared and an outer one not",
};

/*
 * A level that can be asked about.
 * @k: which
 * @size: its size as found
 * @moves: it was found to vary: strangers use it as well
 * @stride: of both rings
 */
struct level {
	uint32_t k;
	double size;
	bool moves;
	uint64_t stride;
};

/* What was found of one level and all others. */
struct found {
	uint32_t tie[OTHERS_MAX];
	uint32_t doubt[OTHERS_MAX];
};

/*
 * The counted replicates of one experiment, ticks a hop: beside a tiny ring,
 * and beside a load where there is one.
 */
struct seen {
	uint32_t n;
	double calm[REPLICATES_MAX];
	double loaded[REPLICATES_MAX];
	double read_ticks;
	uint64_t id;
};

static uint32_t replicates(const struct mp_view *view)
{
	return view->depth == MP_DEPTH_DEEP ? REPLICATES_DEEP : REPLICATES;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* The CPU of those allowed that is so far away, the lower one first. */
static uint32_t add_at(const struct mp_view *view, uint32_t far,
		       uint32_t *other, uint32_t n, uint32_t most)
{
	if (view->cpu >= far && n < most &&
	    mp_cpus_has(&view->cpus, view->cpu - far))
		other[n++] = view->cpu - far;
	if (n < most && mp_cpus_has(&view->cpus, view->cpu + far))
		other[n++] = view->cpu + far;
	return n;
}

/* Which others are asked: near ones, then ever farther ones. */
static uint32_t choose(const struct mp_view *view, uint32_t other[OTHERS_MAX])
{
	uint32_t n = 0, far = 1;

	for (; far < MP_CPUS_MAX && n < NEAR; far++)
		n = add_at(view, far, other, n, NEAR);
	for (far = n ? 2 * distance(view->cpu, other[n - 1]) : MP_CPUS_MAX;
	     far < MP_CPUS_MAX; far *= 2)
		n = add_at(view, far, other, n, OTHERS_MAX);
	return n;
}

static const struct mp_fact *size_fact(const struct mp_view *view, uint32_t k)
{
	char name[MP_FACT_NAME];

	snprintf(name, sizeof(name), "cpu.%s.size", mp_cpu_level_name[k]);
	return mp_facts_find(view->facts, name);
}

static uint64_t line_of(const struct mp_view *view)
{
	const double line = mp_cpu_value(view, "l1d", "line");

	return line >= 16 && line <= 4096 ? (uint64_t)line :
					    MP_CPU_LINE_USUAL;
}

/* False where its size is not known well enough to cut rings to it. Known
 * from below only it could be another level's. */
static bool level_of(const struct mp_view *view, uint32_t k,
		     struct level *level)
{
	const struct mp_fact *fact = size_fact(view, k);

	if (!fact || (fact->verdict != MP_MEASURED &&
		      fact->verdict != MP_VARIES) ||
	    !(fact->low > 0) || fact->high > fact->low * SIZE_APART)
		return false;
	level->k = k;
	level->size = fact->value;
	level->moves = fact->verdict == MP_VARIES;
	if (k && !(level->size > INNER_TIMES *
		   mp_cpu_value(view, mp_cpu_level_name[k - 1], "size")))
		return false;
	level->stride = APART * line_of(view);
	while (level->size / (double)level->stride > SLOTS_MAX)
		level->stride *= 2;
	return level->size >= 16.0 * (double)level->stride;
}

static uint64_t part(const struct level *level, uint32_t eighths)
{
	const uint64_t bytes = (uint64_t)(level->size * eighths / 8);

	return bytes - bytes % level->stride;
}

static uint64_t tiny(const struct level *level)
{
	return TINY_BYTES > 2 * level->stride ? TINY_BYTES :
						2 * level->stride;
}

static void walk_of(const struct mp_view *view, uint64_t length,
		    uint64_t stride, struct mp_actor *actor)
{
	const uint64_t bursts = TURNS * (length / stride) / HOPS + 1;
	struct mp_exp exp;

	mp_exp_chase(&exp, view->cpu, view->pages, length, stride,
		     REACH < length && REACH >= stride ? REACH : 0);
	*actor = exp.actor[0];
	actor->warm_hops = length / stride;
	actor->hops = HOPS;
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
static void make(const struct mp_view *view, const struct level *level,
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
static void make_pair(const struct mp_view *view, const struct level *level,
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
static void make_full(const struct mp_view *view, const struct level *level,
		      uint32_t other, struct mp_exp *exp)
{
	make(view, level, other, part(level, EIGHTHS_OWN + EIGHTHS_LOAD), 0,
	     exp);
}

static bool has_room(const struct mp_view *view, const struct level *level)
{
	return part(level, EIGHTHS_OWN + EIGHTHS_LOAD) + tiny(level) <=
	       view->arena_max_bytes;
}

static int plan_level(const struct mp_view *view, const struct level *level,
		      uint32_t other, bool first, struct mp_plan *plan)
{
	struct mp_exp exp;
	int err;

	make_pair(view, level, other, &exp);
	err = mp_plan_add(plan, &exp, replicates(view));
	if (err || !first)
		return err;
	make_full(view, level, other, &exp);
	return mp_plan_add(plan, &exp, replicates(view));
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	uint32_t other[OTHERS_MAX];
	const uint32_t n = choose(view, other);
	struct level level;
	int err = 0;

	for (uint32_t i = 0; i < n && !err; i++) {
		plan->stage = i;
		for (uint32_t k = 0; k < LEVELS && !err; k++)
			if (level_of(view, k, &level) &&
			    has_room(view, &level))
				err = plan_level(view, &level, other[i], !i,
						 plan);
	}
	return err ? err : n > 0;
}

/* -- what was seen ------------------------------------------------------ */

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

		if (sample->actor == actor && sample->burst >= from &&
		    sample->hops && mp_sample_calm(sample))
			ticks[n++] = (double)sample->ticks /
				     (double)sample->hops;
	}
	return n >= BURSTS_MIN ? mp_stat_midmean(ticks, n) : NAN;
}

static void look(const struct mp_view *view, const struct mp_exp *exp,
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
		seen->loaded[seen->n++] = loaded;
		seen->read_ticks = batch->grant.read_ticks;
	}
}

/*
 * Would a shared level show? While what is walked comes round once, the load
 * makes so many hops as its misses let it; where the oldest line goes, that
 * has to overflow the level, or what is walked stays, and only the load
 * misses.
 */
static bool is_sensitive(double calm, double full, double read_ticks)
{
	const double miss = full - read_ticks;

	return miss > 0 && EIGHTHS_OWN / 8.0 * (1 + calm / miss) > PRESSURE;
}

/* Nothing shows. Does that mean that there is nothing? */
static uint32_t judge_none(const struct level *level, double calm, double full,
			   double read_ticks, uint32_t *doubt)
{
	if (level->moves)
		*doubt = DOUBT_CROWD;
	else if (!is_sensitive(calm, full, read_ticks))
		*doubt = DOUBT_WEAK;
	else
		return TIE_PRIVATE;
	return TIE_UNCLEAR;
}

static uint32_t judge(const struct mp_view *view, const struct level *level,
		      const struct seen *pair, const struct seen *full,
		      uint32_t *doubt)
{
	const double calm = mp_stat_median_of(pair->calm, pair->n);
	const double most = mp_stat_median_of(full->calm, full->n);
	const double scale = most - calm;
	double share[REPLICATES_MAX];
	struct mp_interval limits;

	*doubt = DOUBT_FLAT;
	if (!(scale > 0))
		return TIE_UNCLEAR;
	for (uint32_t i = 0; i < pair->n; i++)
		share[i] = (pair->loaded[i] - pair->calm[i]) / scale;
	mp_stat_limits(share, pair->n, view->seed, &limits);
	*doubt = DOUBT_NONE;
	if (limits.low > SHARE)
		return TIE_SHARED;
	if (limits.high < SHARE && limits.low > -SHARE)
		return judge_none(level, calm, most, pair->read_ticks, doubt);
	*doubt = mp_stat_sd(pair->calm, pair->n) > SHARE * scale ||
		 limits.low < -SHARE ? DOUBT_NOISE : DOUBT_BETWEEN;
	return TIE_UNCLEAR;
}

static void ask_others(const struct mp_view *view, const struct level *level,
		       const uint32_t *other, uint32_t n, struct found *found,
		       struct mp_fact *fact)
{
	struct seen pair, full;
	struct mp_exp exp;

	make_full(view, level, other[0], &exp);
	look(view, &exp, &full);
	if (full.n < REPLICATES_MIN)
		return;
	mp_fact_note(fact, full.id);
	for (uint32_t i = 0; i < n; i++) {
		make_pair(view, level, other[i], &exp);
		look(view, &exp, &pair);
		if (pair.n < REPLICATES_MIN)
			continue;
		found->tie[i] = judge(view, level, &pair, &full,
				      &found->doubt[i]);
		mp_fact_note(fact, pair.id);
	}
}

static void doubt_it(struct found *found, uint32_t i, uint32_t doubt)
{
	found->tie[i] = TIE_UNCLEAR;
	found->doubt[i] = doubt;
}

/*
 * A CPU that shares a level shares those outside it. And where the level
 * outside is shared, and puts out of inner ones what it puts out itself, it
 * must have room for both rings, or an inner level only seems shared.
 */
static void compare(const struct mp_view *view, uint32_t n,
		    struct found found[LEVELS])
{
	for (uint32_t k = 0; k + 1 < LEVELS; k++) {
		const double inner = mp_cpu_value(view, mp_cpu_level_name[k],
						  "size");
		const double outer = mp_cpu_value(view,
						  mp_cpu_level_name[k + 1],
						  "size");

		for (uint32_t i = 0; i < n; i++) {
			if (found[k].tie[i] != TIE_SHARED)
				continue;
			if (found[k + 1].tie[i] == TIE_PRIVATE) {
				doubt_it(&found[k], i, DOUBT_ORDER);
				doubt_it(&found[k + 1], i, DOUBT_ORDER);
			} else if (outer < inner * OUTER_TIMES) {
				doubt_it(&found[k], i, DOUBT_OUTER);
			}
		}
	}
}

/* -- what it means ------------------------------------------------------ */

static uint32_t count(const struct found *found, uint32_t n, uint32_t tie,
		      const uint32_t *other, struct mp_cpus *cpus)
{
	uint32_t out = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (found->tie[i] != tie)
			continue;
		mp_cpus_add(cpus, other[i]);
		out++;
	}
	return out;
}

/* Which were asked, and which share. */
static void tell(const struct mp_view *view, const struct found *found,
		 const uint32_t *other, uint32_t n, struct mp_fact *fact)
{
	struct mp_cpus shares = { 0 }, asked = { 0 };
	char sharing[64], all[64];
	uint32_t with;

	mp_cpus_add(&shares, view->cpu);
	with = count(found, n, TIE_SHARED, other, &shares);
	asked = shares;
	count(found, n, TIE_PRIVATE, other, &asked);
	count(found, n, TIE_UNCLEAR, other, &asked);
	mp_cpus_print(&shares, sharing, sizeof(sharing));
	mp_cpus_print(&asked, all, sizeof(all));
	snprintf(fact->method, sizeof(fact->method),
		 with ? "CPUs %s share, of CPUs %s that were tested: a ring of 7/8 of the level slows down beside one of the level's size" :
		 "CPU %s has it alone, of CPUs %s that were tested: a ring of 7/8 of the level is no slower beside one of the level's size",
		 sharing, all);
}

static uint32_t first_unclear(const struct found *found, uint32_t n)
{
	uint32_t i = 0;

	while (i < n && found->tie[i] != TIE_UNCLEAR)
		i++;
	return i;
}

static void conclude(const struct mp_view *view, const struct found *found,
		     const uint32_t *other, uint32_t n, struct mp_fact *fact)
{
	struct mp_cpus cpus = { 0 };
	const uint32_t shared = count(found, n, TIE_SHARED, other, &cpus);
	const uint32_t alone = count(found, n, TIE_PRIVATE, other, &cpus);
	const uint32_t unclear = count(found, n, TIE_UNCLEAR, other, &cpus);
	const uint32_t open = mp_cpus_count(&view->cpus) - 1 - shared - alone;
	const uint32_t i = first_unclear(found, n);

	if (!shared && unclear) {
		mp_fact_cannot(fact, "cpus", "with CPU %u: %s", other[i],
			       doubt_text[found->doubt[i]]);
		return;
	}
	if (!shared && !alone) {
		mp_fact_cannot(fact, "cpus",
			       "too noisy, or too little time: too few replicates beside any other CPU");
		return;
	}
	tell(view, found, other, n, fact);
	fact->value = fact->low = fact->high = 1 + shared;
	fact->verdict = open ? MP_AT_LEAST : MP_MEASURED;
	if (!open)
		return;
	fact->high += open;
	if (unclear)
		snprintf(fact->reason, sizeof(fact->reason),
			 "with CPU %u: %s", other[i],
			 doubt_text[found->doubt[i]]);
	else
		snprintf(fact->reason, sizeof(fact->reason),
			 "%u of the CPUs that may be used were not tested",
			 open);
}

/* Why a level was not asked about; false: it was. */
static bool is_out(const struct mp_view *view, uint32_t k, uint32_t n,
		   struct mp_fact *fact)
{
	const struct mp_fact *size = size_fact(view, k);
	struct level level;

	if (size && size->verdict == MP_ABSENT) {
		fact->verdict = MP_ABSENT;
		snprintf(fact->method, sizeof(fact->method),
			 "there is no such level");
	} else if (!n) {
		mp_fact_cannot(fact, "cpus",
			       "CPU %u is the only one that may be used: there is none to share with",
			       view->cpu);
	} else if (!level_of(view, k, &level)) {
		mp_fact_cannot(fact, "cpus",
			       "the size of the level is not known well enough to fill it");
	} else if (!has_room(view, &level)) {
		mp_fact_cannot(fact, "cpus",
			       "twice the level is more than the %llu MiB that may be used",
			       (unsigned long long)view->arena_max_bytes >> 20);
	} else {
		return false;
	}
	return true;
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	struct found found[LEVELS] = { 0 };
	struct mp_fact *fact[LEVELS];
	uint32_t other[OTHERS_MAX];
	const uint32_t n = choose(view, other);
	const uint32_t first = facts->n;
	bool out[LEVELS];
	struct level level;

	for (uint32_t k = 0; k < LEVELS; k++)
		if (!mp_cpu_fact(facts, view, mp_cpu_level_name[k], "shared",
				 "cpus"))
			return -ENOMEM;
	/* The list may have moved while it grew. */
	for (uint32_t k = 0; k < LEVELS; k++) {
		fact[k] = &facts->fact[first + k];
		out[k] = is_out(view, k, n, fact[k]);
		if (!out[k] && level_of(view, k, &level))
			ask_others(view, &level, other, n, &found[k], fact[k]);
	}
	compare(view, n, found);
	for (uint32_t k = 0; k < LEVELS; k++)
		if (!out[k])
			conclude(view, &found[k], other, n, fact[k]);
	return 0;
}

const struct mp_probe mp_probe_shared = {
	.name = "shared",
	.asks = "how many CPUs share each level?",
	.after = "cache-size",
	.facts = "cpu.l1d.shared,cpu.l2.shared,cpu.l3.shared",
	.needs = MP_CAP_CHASE | MP_CAP_ACTORS,
	.weight = 2,
	.next = next,
	.infer = infer,
};
