// SPDX-License-Identifier: GPL-2.0
/*
 * A chase: the warm-up that was asked for, in short stretches that also show
 * how long a look takes by nature; then one bounded burst at a time. What is
 * noted of a burst goes to memory that is set aside, and is made a sample
 * when all are done: between bursts the cache is left alone.
 */
#include "user_chase.h"

#include <errno.h>
#include <sched.h>

#include "arch.h"
#include "user_note.h"

/* Warm-up goes in stretches of at most this part of itself .. */
#define WARM_PARTS 16u
/* .. and of this part of a window, so that most of them have no gap. */
#define WARM_WINDOWS 4u
#define UNKNOWN_HOP_NS 100u
/* Between two bursts passes less than this, unless somebody else ran. */
#define BETWEEN_NS 5000u
/* The kernel's counts cost two calls and the lines that these evict: each
 * burst has its own from this length on, else a round has, or all have. */
#define USAGE_NS 50000.0
/* Warming up again may take so many times what the actor takes by plan. */
#define REWARM_TIMES 2u
/* Before each burst rings of no more slots are walked round so many times: 10
 * us in a second level. Of longer ones the lines put out are too few to show. */
#define SETTLE_SLOTS 2048u
#define SETTLE_TURNS 2u

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static double ns_of(const struct mp_user_walk *walk, double ticks)
{
	return ticks * 1e9 / walk->clock->hz;
}

static void gap_seen(struct mp_user_walk *walk, uint64_t ticks)
{
	mp_user_stale_gap(&walk->stale, ns_of(walk, (double)ticks));
	walk->warm_hops = 0;
}

/* Gaps inside a stretch: what is lost there holds the hops of a look, too. */
static void gaps_seen(struct mp_user_walk *walk, const struct mp_chase *chase)
{
	const double hops = (double)chase->gaps * MP_CHASE_LOOK_HOPS;
	const uint64_t own = (uint64_t)(walk->hop_ticks * hops);

	gap_seen(walk, chase->lost_ticks - lesser(chase->lost_ticks, own));
}

/* A stretch of warm-up has ended: learn from it. */
static void learn(struct mp_user_walk *walk, const struct mp_chase *chase)
{
	const uint64_t gap_hops = (uint64_t)chase->gaps * MP_CHASE_LOOK_HOPS;
	const uint32_t n = walk->n_looks++;

	walk->look_max[n % MP_GAP_LOOKS] = chase->look_max_ticks;
	walk->gap_ticks = mp_gap_ticks(walk->look_max,
			(uint32_t)lesser(n + 1, MP_GAP_LOOKS),
			mp_user_clock_ticks(walk->clock, 500));
	if (gap_hops < chase->done_hops)
		walk->hop_ticks = (double)(chase->ticks - chase->lost_ticks) /
				  (double)(chase->done_hops - gap_hops);
	walk->warm_hops += chase->done_hops;
	if (chase->gaps)
		gaps_seen(walk, chase);
	else
		mp_user_stale_hops(&walk->stale, chase->done_hops);
}

/* Return: hops made, at least one look's. */
static uint64_t warm_stretch(struct mp_user_walk *walk, uint64_t hops)
{
	struct mp_chase chase = {
		.cursor = walk->cursor,
		.hops = hops,
		.limit_ticks = mp_user_clock_ticks(walk->clock,
						   walk->window_ns /
						   WARM_WINDOWS),
		.gap_ticks = walk->gap_ticks,
	};

	mp_chase_run(&chase);
	walk->cursor = chase.cursor;
	walk->end_tick = chase.start_tick + chase.ticks;
	learn(walk, &chase);
	return chase.done_hops;
}

static bool late(const struct mp_user_walk *walk)
{
	return (int64_t)(mp_ticks_look() - walk->late_tick) > 0;
}

void mp_user_walk_warm(struct mp_user_walk *walk)
{
	const uint64_t hops = walk->actor->warm_hops;
	const uint64_t part = hops / WARM_PARTS + 1;
	uint64_t left = hops, start = mp_ticks_look();

	walk->warmed = true;
	walk->warm_hops = 0;
	walk->n_looks = 0;
	walk->hop_ticks = 0;
	walk->gap_ticks = mp_gap_ticks(NULL, 0,
			mp_user_clock_ticks(walk->clock, 500));
	mp_user_stale_init(&walk->stale, walk->slots, hops);
	walk->end_tick = start;
	while (left && !late(walk))
		left -= lesser(left, warm_stretch(walk, lesser(left, part)));
	/* Cut short: what was not walked is as good as evicted. */
	if (left)
		gap_seen(walk, UINT64_MAX / 2);
	walk->rewarm_ticks = walk->end_tick - start +
			     walk->actor->bursts *
			     mp_user_clock_ticks(walk->clock, walk->window_ns);
	walk->rewarm_ticks *= REWARM_TIMES;
}

void mp_user_walk_own(struct mp_user_walk *walk, uint64_t ticks)
{
	walk->end_tick += lesser(ticks, mp_ticks_look() - walk->end_tick);
}

static double hop_ns(const struct mp_user_walk *walk)
{
	return walk->hop_ticks > 0 ? ns_of(walk, walk->hop_ticks) :
				     UNKNOWN_HOP_NS;
}

/* Hops that a burst will make, by what one has taken in warm-up. */
static uint64_t burst_hops(const struct mp_user_walk *walk)
{
	const double fit = (double)walk->window_ns / hop_ns(walk);
	const uint64_t hops = walk->actor->hops;

	return fit < (double)hops ? (uint64_t)fit : hops;
}

static bool is_cold(const struct mp_user_walk *walk)
{
	const struct mp_actor *actor = walk->actor;

	if (!(walk->hop_ticks > 0))
		return mp_user_stale_lines(&walk->stale) > 0;
	return mp_user_stale_cold(&walk->stale, hop_ns(walk), burst_hops(walk),
				  actor->detail != MP_DETAIL_TOTALS &&
				  actor->group == 1);
}

/* Has somebody else run since the last stretch, up to @now? */
static void look_between(struct mp_user_walk *walk, uint64_t now)
{
	const uint64_t passed = now - walk->end_tick;

	if (passed > mp_user_clock_ticks(walk->clock, BETWEEN_NS))
		gap_seen(walk, passed);
	walk->end_tick = now;
}

static void rewarm(struct mp_user_walk *walk)
{
	const uint64_t part = walk->stale.need_hops / WARM_PARTS + 1;
	uint64_t start;

	look_between(walk, mp_ticks_look());
	while (is_cold(walk) && walk->rewarm_ticks && !late(walk)) {
		start = walk->end_tick;
		warm_stretch(walk, part);
		walk->rewarm_ticks -= lesser(walk->rewarm_ticks,
					     walk->end_tick - start);
	}
}

/*
 * What is noted of a burst, and the reading of clocks, put out a few lines of
 * the ring. Where it is so short that they show, they are fetched again just
 * before a burst: a turn brings them back, and one more ends what policies
 * make of it.
 */
static uint64_t settle_hops(const struct mp_user_walk *walk)
{
	const uint64_t hops = lesser(walk->actor->warm_hops,
				     SETTLE_TURNS * walk->slots);

	if (walk->phased || walk->slots > SETTLE_SLOTS || late(walk))
		return 0;
	return (hops + MP_CHASE_LOOK_HOPS - 1) / MP_CHASE_LOOK_HOPS *
	       MP_CHASE_LOOK_HOPS;
}

/* Has somebody else run before the burst, or while the ring was settled? */
static void settled(struct mp_user_walk *walk, uint64_t start_tick,
		    uint64_t hops)
{
	const double own = (double)hops * (walk->hop_ticks > 0 ?
		walk->hop_ticks : walk->clock->hz * 1e-9 * UNKNOWN_HOP_NS);

	walk->end_tick += lesser((uint64_t)own, start_tick - walk->end_tick);
	walk->warm_hops += hops;
	mp_user_stale_hops(&walk->stale, hops);
	look_between(walk, start_tick);
}

/* Groups that fit a window, by what a hop has taken in warm-up. */
static uint32_t groups_of(const struct mp_user_walk *walk)
{
	const struct mp_actor *actor = walk->actor;
	const double each_ns = hop_ns(walk) * actor->group +
			       ns_of(walk, walk->clock->read_ticks);
	const double fit = (double)walk->window_ns / each_ns;
	const uint64_t want = actor->hops / actor->group;
	uint64_t n = fit < (double)want ? (uint64_t)fit : want;

	if (n > UINT32_MAX)
		n = UINT32_MAX;
	return n ? (uint32_t)n : 1;
}

static void chase_totals(struct mp_user_walk *walk, struct mp_chase *chase,
			 uint64_t settle)
{
	*chase = (struct mp_chase){
		.cursor = walk->cursor,
		.settle_hops = settle,
		.hops = walk->actor->hops,
		.limit_ticks = mp_user_clock_ticks(walk->clock,
						   walk->window_ns),
		.gap_ticks = walk->gap_ticks,
	};
	mp_chase_run(chase);
	walk->cursor = chase->cursor;
}

/*
 * The same with a clock read around each group: @ticks is the sum over the
 * groups, and a group stands where a look does.
 */
static void sum_groups(struct mp_chase *chase,
		       const struct mp_user_notes *notes)
{
	for (uint32_t i = 0; i < notes->groups; i++) {
		const uint64_t ticks = notes->ticks[i];

		chase->ticks += ticks;
		if (ticks > chase->look_max_ticks)
			chase->look_max_ticks = ticks;
		if (ticks > chase->gap_ticks) {
			chase->lost_ticks += ticks;
			chase->gaps++;
		}
	}
}

/* Groups began when the ring was settled: no earlier than they take up to the
 * end, each with as long between it and the next as a read takes. */
static uint64_t groups_began(const struct mp_user_walk *walk,
			     const struct mp_user_burst *burst, uint32_t groups)
{
	const uint64_t spent = burst->chase.ticks +
			(uint64_t)(groups * walk->clock->read_ticks);

	return burst->end_tick - lesser(spent, burst->end_tick -
					       burst->chase.start_tick);
}

static void run_burst(struct mp_user_walk *walk, struct mp_user_burst *burst,
		      const struct mp_user_notes *notes, uint64_t settle)
{
	const uint32_t group = walk->actor->group;
	struct mp_chase *chase = &burst->chase;

	if (!notes->groups) {
		chase_totals(walk, chase, settle);
		burst->end_tick = chase->start_tick + chase->ticks;
		return;
	}
	*chase = (struct mp_chase){
		.done_hops = (uint64_t)notes->groups * group,
		.start_tick = mp_ticks_look(),
		.gap_ticks = walk->gap_ticks *
			     (group / MP_CHASE_LOOK_HOPS + 1) +
			     (uint64_t)walk->clock->read_ticks,
	};
	mp_chase_groups(&walk->cursor, notes->ticks, notes->groups, group, 0,
			settle);
	burst->end_tick = mp_ticks_look();
	sum_groups(chase, notes);
	if (settle)
		chase->start_tick = groups_began(walk, burst, notes->groups);
}

static void watch_burst(struct mp_user_walk *walk, struct mp_user_burst *burst,
			const struct mp_user_notes *notes, uint64_t settle)
{
	struct mp_user_usage before = { 0 };

	if (!walk->least_gap_ticks || walk->gap_ticks < walk->least_gap_ticks)
		walk->least_gap_ticks = walk->gap_ticks;
	if (notes->usage_each)
		before = mp_user_usage_now();
	burst->cpu = (uint32_t)sched_getcpu();
	run_burst(walk, burst, notes, settle);
	burst->cpu_end = (uint32_t)sched_getcpu();
	if (notes->usage_each)
		burst->usage = mp_user_usage_since(&before);
}

/* What comes after a burst, its payload above all, counts as an absence
 * before the next one. */
static int one_burst(struct mp_user_walk *walk, struct mp_user_burst *burst,
		     const struct mp_user_notes *notes, struct mp_batch *batch)
{
	uint64_t settle;

	if (!walk->phased)
		rewarm(walk);
	settle = settle_hops(walk);
	watch_burst(walk, burst, notes, settle);
	if (!walk->phased)
		settled(walk, burst->chase.start_tick, settle);
	burst->cold = is_cold(walk);
	burst->warm_hops = walk->warm_hops;
	if (burst->chase.gaps)
		gaps_seen(walk, &burst->chase);
	else
		mp_user_stale_hops(&walk->stale, burst->chase.done_hops);
	walk->end_tick = burst->end_tick;
	return mp_user_notes_keep(notes, walk->actor->detail, burst, batch);
}

static int run_bursts(struct mp_user_walk *walk, struct mp_user_notes *notes,
		      struct mp_batch *batch)
{
	int err = 0;

	notes->usage_each = (double)burst_hops(walk) * hop_ns(walk) >=
			    USAGE_NS;
	for (uint32_t i = 0; i < walk->actor->bursts && !err; i++) {
		if (i && late(walk))
			break;
		err = one_burst(walk, &notes->burst[i], notes, batch);
		notes->n = i + 1;
	}
	return err;
}

int mp_user_walk_round(struct mp_user_walk *walk, uint16_t round,
		       struct mp_batch *batch)
{
	const struct mp_user_about about = {
		.clock = walk->clock,
		.actor = walk->actor,
		.hops = walk->actor->hops,
		.index = walk->index,
		.round = round,
		.window_ticks = mp_user_clock_ticks(walk->clock,
						    walk->window_ns),
	};
	struct mp_user_usage before;
	struct mp_user_notes notes;
	int err;

	err = mp_user_notes_make(&notes, walk->actor->bursts);
	if (err)
		return err;
	if (!walk->uncounted)
		before = mp_user_usage_now();
	if (!walk->warmed)
		mp_user_walk_warm(walk);
	if (walk->actor->detail != MP_DETAIL_TOTALS)
		err = mp_user_notes_groups(&notes, groups_of(walk));
	if (!err)
		err = run_bursts(walk, &notes, batch);
	notes.usage = walk->uncounted ? MP_USER_USAGE_UNKNOWN :
					mp_user_usage_since(&before);
	if (!err)
		err = mp_user_notes_give(&notes, &about, batch);
	mp_user_notes_free(&notes);
	return err;
}
