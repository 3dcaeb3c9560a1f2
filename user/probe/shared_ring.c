// SPDX-License-Identifier: GPL-2.0
/*
 * What is walked lies in a level; then somebody sweeps it, with a ring that it
 * has not the room for; then what is walked is read once more, hop by hop. One
 * does it after the other, so that it does not matter who is how quick. The
 * other CPU sweeps; and, to compare, a tiny ring before, of which nothing is
 * put out; and this CPU itself, which puts out what can be.
 */
#include "probe/shared_ring.h"

#include <math.h>

/* What is walked is so much of the least that a level has room for, but so many
 * slots, and so many times what the levels inside hold, as far as .. */
#define WALKED_USUAL 0.5
#define WALKED_SLOTS 64u
#define INNER_TIMES 2.5
#define WALKED_MOST 0.75
/* .. that is. Else it is a small ring, and a larger one is walked beside it for
 * so many turns, which takes the levels inside from it: a level has room for
 * both. */
#define BOTH_MOST 0.9
#define SMALL_PART 0.2
#define SMALL_SLOTS 24u
#define BESIDE_TIMES 1.25
#define BESIDE_TURNS 4u
/* What sweeps is so much of the most that the level may have room for, and as
 * much more as the levels inside may keep of it; less where both together are
 * not so small a part of the level outside, which then might put out of the
 * inner one what it puts out itself. */
#define SWEEP_MOST 1.4
#define SWEEP_LEAST 1.25
#define OUTER_PART 0.75
/* .. more than once, as lines that were used again and again may stay longer.
 * The other CPU's levels inside may hold some of it from the last time, so it
 * goes round once more than this one: no less of it comes to the level. */
#define SWEEP_TURNS 2u
#define SWEEP_TURNS_OTHER 3u
/* Limits of where a level's misses set in lie no further apart. */
#define SIZE_APART 2.5
/* A ring that every level has room for beside the other. */
#define TINY_BYTES 4096u
/* Every second line at least, as a line's neighbour may be fetched along, or
 * all where sets are no power of two and the others would hold them as well; so
 * many slots at most, so that a turn of a large level stays short. */
#define SLOTS_MAX 16384u
#define SLOTS_LEAST 16u
#define REACH (64u << 10)
/* Actors walk whole turns, in bursts of so many hops, or a few times that. */
#define CHUNK 64u
#define CHUNKS_MAX 4u
/* .. of more where they are not timed; a window holds as many of a slow memory. */
#define BURST_HOPS 1024u
#define WINDOW_NS 1000000u
/* It takes so many turns until what was put out is back, where lines go by
 * chance. */
#define REFILLS 2u
/* A replicate sees both in turn; so often where a round takes long, or not.
 * The first round does not count. */
#define ROUNDS_DEAR 2u
#define ROUNDS_CHEAP 3u
#define DEAR_SLOTS 2048u

/* Of a round, in this order. */
enum phase {
	PHASE_FETCH,	/* what is walked is fetched, */
	PHASE_ASIDE,	/* .. put out of the levels inside, */
	PHASE_TINY,	/* .. left alone but for a tiny ring, */
	PHASE_CALM,	/* .. and read */
	PHASE_AGAIN,	/* put out of the levels inside, */
	PHASE_SWEEP,	/* .. swept, */
	PHASE_TOUCH,
	PHASE_SWEPT,	/* .. and read */
};

/* A hop served by level @k, ns; beyond the outermost it is memory's. */
static double serving(const struct mp_view *view, uint32_t k)
{
	if (k < MP_CPU_LEVELS && !mp_cpu_is_absent(view, k))
		return mp_cpu_value(view, mp_cpu_level_name[k], "latency");
	return mp_cpu_value(view, "dram", "latency");
}

static bool is_memory(const struct mp_view *view, uint32_t k)
{
	return k >= MP_CPU_LEVELS || mp_cpu_is_absent(view, k);
}

int mp_shared_ground(const struct mp_view *view,
		     struct mp_shared_ground *ground)
{
	struct mp_sweep sweep;

	mp_cpu_main_sweep(view, &sweep);
	ground->stride = sweep.stride;
	return mp_cpu_rooms(view, &ground->rooms);
}

static bool is_clear(const struct mp_cpu_rooms *rooms, uint32_t k)
{
	return rooms->low[k] > 0 &&
	       rooms->high[k] <= rooms->low[k] * SIZE_APART;
}

/* Bytes of whole chunks of slots, or of whole slots where there is no chunk. */
static uint64_t cut(double bytes, uint64_t stride)
{
	const uint64_t slots = (uint64_t)(bytes / (double)stride);
	uint64_t chunk = CHUNK;

	while (chunk < CHUNK * CHUNKS_MAX && slots >= 8 * chunk)
		chunk *= 2;
	return (slots >= CHUNK ? slots - slots % chunk : slots) * stride;
}

/* More than the levels inside hold, and well within this; 0: no such ring. */
static double large_ring(const struct mp_shared_ground *ground, uint32_t k)
{
	const double low = ground->rooms.low[k];
	const double inner = k ? ground->rooms.high[k - 1] : 0;
	double bytes = fmax(WALKED_USUAL * low, INNER_TIMES * inner);

	if (isnan(inner) || bytes > WALKED_MOST * low)
		return 0;
	bytes = fmax(bytes + (CHUNK - 1) * (double)ground->stride,
		     WALKED_SLOTS * (double)ground->stride);
	return fmin(bytes, WALKED_MOST * low);
}

/* A small ring, and one beside it. */
static void small_ring(const struct mp_shared_ground *ground, uint32_t k,
		       struct mp_shared_level *level)
{
	const struct mp_cpu_rooms *rooms = &ground->rooms;
	const double size = isnan(rooms->bytes[k]) ?
			    sqrt(rooms->low[k] * rooms->high[k]) :
			    rooms->bytes[k];
	const double both = BOTH_MOST * size;
	const double walked = fmax(SMALL_PART * both,
				   SMALL_SLOTS * (double)level->stride);
	double beside = both - walked;

	if (beside > BESIDE_TIMES * rooms->high[k - 1])
		beside = BESIDE_TIMES * rooms->high[k - 1];
	level->walked = cut(walked, level->stride);
	level->beside = beside > 0 ? cut(beside, level->stride) : 0;
}

/* May the levels inside hold much of what is walked, or of what is beside it? Of
 * slots further apart than those that fill sets as they should as many as of these,
 * if they fall on all sets all the same. */
static bool is_sparse(const struct mp_shared_ground *ground, uint32_t k,
		      const struct mp_shared_level *level)
{
	const double times = (double)(level->stride / ground->stride);
	double kept = 0;

	for (uint32_t i = 0; i < k; i++)
		kept += ground->rooms.high[i] * times;
	return times > 1 && k &&
	       (!level->apart || !(kept * INNER_TIMES <= (double)level->walked));
}

static double sweep_of(const struct mp_view *view,
		    const struct mp_shared_ground *ground, uint32_t k,
		    double beside)
{
	const double high = ground->rooms.high[k];
	const double inner = k ? ground->rooms.high[k - 1] : 0;
	const double kept = isnan(inner) ? high : inner;
	double room;

	if (is_memory(view, k + 1))
		return SWEEP_MOST * high + kept;
	room = OUTER_PART * ground->rooms.low[k + 1] - beside;
	if (isnan(room))
		return SWEEP_MOST * high + kept;
	return fmin(fmax(room, SWEEP_LEAST * high + kept),
		    SWEEP_MOST * high + kept);
}

static void know_latencies(const struct mp_view *view, uint32_t k,
			   struct mp_shared_level *level)
{
	level->inner_ns = k ? serving(view, k - 1) : 0;
	level->own_ns = serving(view, k);
	level->next_ns = serving(view, k + 1);
	level->past_ns = serving(view, k + 2);
}

/* What levels inside may hold of what is walked, with what is beside it. */
static double inner_part(const struct mp_view *view,
			 const struct mp_shared_ground *ground, uint32_t k,
			 const struct mp_shared_level *level)
{
	const double inner = k ? ground->rooms.high[k - 1] : 0;
	const double left = (inner - (double)level->beside) /
			    (double)level->walked;

	/* Only one that is leaves to those inside what they hold. */
	if (!k || !mp_cpu_may_be(view, k, "exclusive"))
		return 0;
	return isnan(inner) ? NAN : fmax(fmin(left, 1), 0);
}

const char *mp_shared_level(const struct mp_view *view,
			    const struct mp_shared_ground *ground, uint32_t k,
			    struct mp_shared_level *level)
{
	static const char unknown[] = "the size of the level is not known well enough to fill it";
	static const char near[] = "the level inside is nearly as large, or what it holds is not known: what is walked may stay there";
	static const char small[] = "the level is too small for rings that others crowd";
	const struct mp_cpu_rooms *rooms = &ground->rooms;
	const struct mp_fact *fact = mp_cpu_found(view, k, "size");
	double both;

	if (!fact || !is_clear(rooms, k))
		return unknown;
	level->moves = fact->verdict == MP_VARIES;
	level->stride = ground->stride;
	while (rooms->high[k] / (double)level->stride > SLOTS_MAX)
		level->stride *= 2;
	level->walked = cut(large_ring(ground, k), level->stride);
	level->beside = 0;
	level->apart = level->walked || !k;
	if (!level->apart)
		small_ring(ground, k, level);
	level->sparse = is_sparse(ground, k, level);
	level->thin = level->stride > ground->stride;
	both = (double)(level->walked + level->beside);
	level->sweep = (uint64_t)(sweep_of(view, ground, k, both) /
				  (double)level->stride + 1) * level->stride;
	level->outermost = is_memory(view, k + 1);
	know_latencies(view, k, level);
	level->inner = inner_part(view, ground, k, level);
	if (isnan(level->inner) ||
	    (!level->apart && !(level->own_ns > level->inner_ns)))
		return near;
	return level->walked >= SLOTS_LEAST * level->stride ? NULL : small;
}

/* -- the experiments ------------------------------------------------------ */

static uint64_t tiny(const struct mp_shared_level *level)
{
	return TINY_BYTES > 2 * level->stride ? TINY_BYTES :
						2 * level->stride;
}

/* Turns round a ring, untimed. */
static void turns_of(uint32_t place, uint32_t phase, uint64_t length,
		     uint64_t stride, uint32_t turns, struct mp_actor *actor)
{
	const uint64_t hops = turns * (length / stride);
	struct mp_exp exp;

	mp_exp_chase(&exp, place, MP_PAGES_4K, length, stride,
		     REACH < length && REACH >= stride ? REACH : 0);
	*actor = exp.actor[0];
	actor->phase = phase;
	actor->warm_hops = CHUNK;
	actor->bursts = (uint32_t)((hops + BURST_HOPS - 1) / BURST_HOPS);
	actor->hops = (hops + actor->bursts - 1) / actor->bursts;
}

/* One turn of what is walked, hop by hop. */
static void timed(const struct mp_view *view,
		  const struct mp_shared_level *level, uint32_t phase,
		  struct mp_actor *actor)
{
	const uint64_t slots = level->walked / level->stride;
	uint64_t chunks = CHUNKS_MAX;

	while (slots / CHUNK % chunks)
		chunks--;
	turns_of(view->cpu, phase, level->walked, level->stride, 1, actor);
	actor->warm_hops = slots;
	actor->hops = slots < CHUNK ? slots : chunks * CHUNK;
	actor->bursts = (uint32_t)(slots / actor->hops);
	actor->detail = MP_DETAIL_HIST;
	actor->group = 1;
}

/* Two arenas: what is walked, with what is beside it; and what sweeps with a
 * tiny ring behind it. */
static void begin(const struct mp_view *view,
		  const struct mp_shared_level *level, struct mp_exp *exp)
{
	mp_exp_chase(exp, view->cpu, view->pages, level->walked, level->stride,
		     0);
	exp->arena[0].node = view->node;
	exp->n_arenas = 2;
	exp->arena[1] = exp->arena[0];
	exp->arena[0].bytes = level->walked + level->beside;
	exp->arena[1].bytes = level->sweep + tiny(level);
	exp->window_ns = WINDOW_NS;
	exp->rounds = level->sweep / level->stride > DEAR_SLOTS ?
		      ROUNDS_DEAR : ROUNDS_CHEAP;
	timed(view, level, PHASE_CALM, &exp->actor[MP_SHARED_CALM]);
	timed(view, level, PHASE_SWEPT, &exp->actor[MP_SHARED_SWEPT]);
	exp->n_actors = 2;
}

/* What was put out comes back, */
static void fetch(const struct mp_view *view,
		  const struct mp_shared_level *level, struct mp_exp *exp)
{
	struct mp_actor *actor = &exp->actor[exp->n_actors++];

	turns_of(view->cpu, PHASE_FETCH, level->walked, level->stride,
		 REFILLS, actor);
	actor->warm_hops = level->walked / level->stride;
}

/* .. and leaves the levels inside. */
static void walk_beside(const struct mp_view *view,
			const struct mp_shared_level *level, uint32_t phase,
			struct mp_exp *exp)
{
	struct mp_actor *actor = &exp->actor[exp->n_actors];

	if (!level->beside)
		return;
	turns_of(view->cpu, phase, level->beside, level->stride, BESIDE_TURNS,
		 actor);
	actor->offset = level->walked;
	exp->n_actors++;
}

/* The tiny ring .. */
static void touch_tiny(uint32_t place, const struct mp_shared_level *level,
		       struct mp_exp *exp)
{
	struct mp_actor *actor = &exp->actor[exp->n_actors++];

	turns_of(place, PHASE_TINY, tiny(level), level->stride, 1, actor);
	actor->arena = 1;
	actor->offset = level->sweep;
}

/* .. and the one that sweeps. */
static void sweep_by(uint32_t place, const struct mp_shared_level *level,
		     uint32_t turns, struct mp_exp *exp)
{
	struct mp_actor *actor = &exp->actor[exp->n_actors++];

	turns_of(place, PHASE_SWEEP, level->sweep, level->stride, turns,
		 actor);
	actor->arena = 1;
}

void mp_shared_pair(const struct mp_view *view,
		    const struct mp_shared_level *level, uint32_t other,
		    struct mp_exp *exp)
{
	begin(view, level, exp);
	fetch(view, level, exp);
	walk_beside(view, level, PHASE_ASIDE, exp);
	touch_tiny(other, level, exp);
	walk_beside(view, level, PHASE_AGAIN, exp);
	sweep_by(other, level, SWEEP_TURNS_OTHER, exp);
}

static uint64_t page_of(const struct mp_shared_level *level)
{
	return level->stride > MP_SHARED_PAGE ? level->stride : MP_SHARED_PAGE;
}

/* A line of each page, between those of what is walked: translations that this
 * CPU's own walks have put out are back. */
static void touch_pages(const struct mp_view *view,
			const struct mp_shared_level *level, uint32_t phase,
			struct mp_exp *exp)
{
	const uint64_t page = page_of(level);
	struct mp_actor *actor = &exp->actor[exp->n_actors++];

	turns_of(view->cpu, phase, (level->walked + page - 1) / page * page,
		 page, 1, actor);
	actor->reach = 0;
	actor->offset = (level->stride < MP_SHARED_PAGE ? level->stride :
						      MP_SHARED_PAGE) / 2;
}

void mp_shared_alone(const struct mp_view *view,
		     const struct mp_shared_level *level, struct mp_exp *exp)
{
	begin(view, level, exp);
	/* The last of its pages may go on beyond what is walked. */
	exp->arena[0].bytes += 2 * page_of(level);
	fetch(view, level, exp);
	walk_beside(view, level, PHASE_ASIDE, exp);
	touch_pages(view, level, PHASE_TINY, exp);
	walk_beside(view, level, PHASE_AGAIN, exp);
	sweep_by(view->cpu, level, SWEEP_TURNS, exp);
	touch_pages(view, level, PHASE_TOUCH, exp);
}

bool mp_shared_has_room(const struct mp_view *view,
			const struct mp_shared_level *level)
{
	struct mp_exp exp;

	mp_shared_alone(view, level, &exp);
	return exp.arena[0].bytes + exp.arena[1].bytes <=
	       view->arena_max_bytes;
}
