/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A sweep: one chase experiment for each of many lengths, all else held;
 * and the curve that its batches draw.
 */
#ifndef MP_SWEEP_H
#define MP_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "probe.h"

/**
 * struct mp_sweep - what a sweep holds fixed
 * @cpu, @pages, @node: place and memory
 * @stride: bytes from slot to slot
 * @reach: window of the order, bytes, 0 = full random
 * @skew: see struct mp_ring
 * @turns: turns of the ring to warm up with ..
 * @turns_max: .. but no more hops than this, as long as that is a turn
 * @warm_max: most warm-up hops; rings of more slots ..
 * @warm_long: .. get so many, as their first turn was their building
 * @hops: hops a burst
 * @quiet: wished-for quiet
 * @single: hops are timed one by one, @hops at most, and their histogram is
 *	kept
 * @bursts: bursts a replicate
 * @least: hops of a burst of single hops, however short the ring
 */
struct mp_sweep {
	uint32_t cpu;
	uint32_t pages;
	int32_t node;
	uint64_t stride;
	uint64_t reach;
	uint64_t skew;
	uint32_t turns;
	uint64_t turns_max;
	uint64_t warm_max;
	uint64_t warm_long;
	uint64_t hops;
	uint32_t bursts;
	uint64_t least;
	uint32_t quiet;
	bool single;
};

/** struct mp_curve_at - the counted replicates of one length
 * @length: bytes of span
 * @id: of the experiment
 * @n: replicates that count
 * @crowded: others, that mp_curve_settle() left out
 * @start_ns: when a replicate began
 * @batch: the batches themselves, the view's
 * @cycles: its core cycles a hop; @ns: the same in ns
 * @mid_cycles, @mid_ns: their medians
 */
struct mp_curve_at {
	uint64_t length;
	uint64_t id;
	uint32_t n;
	uint32_t crowded;
	const struct mp_batch **batch;
	double *start_ns;
	double *cycles;
	double *ns;
	double mid_cycles;
	double mid_ns;
};

/** struct mp_curve - the points of a sweep, by rising length */
struct mp_curve {
	uint32_t n;
	uint32_t room;
	struct mp_curve_at *at;
};

/** mp_sweep_init() - the usual sweep of a view: its CPU, pages and node */
void mp_sweep_init(struct mp_sweep *sweep, const struct mp_view *view,
		   uint64_t stride, uint64_t reach);

/** mp_sweep_singly() - have it time single hops, fewer of them */
void mp_sweep_singly(struct mp_sweep *sweep);

/** mp_sweep_exp() - the experiment of one length of a sweep */
void mp_sweep_exp(const struct mp_sweep *sweep, uint64_t length,
		  struct mp_exp *exp);

/** mp_sweep_plan() - want @replicates of one length; -ENOMEM. Lengths over
 * the view's largest arena are passed over. */
int mp_sweep_plan(const struct mp_sweep *sweep, const struct mp_view *view,
		  uint64_t length, uint32_t replicates, struct mp_plan *plan);

/**
 * mp_sweep_gather() - draw the curve of a sweep
 * @sweep: the template
 * @view: whose batches to look through
 * @curve: gets the points; free it with mp_curve_free()
 *
 * A batch belongs to the sweep when its experiment is the one that
 * mp_sweep_exp() makes of its length, and only if it counts.
 * Return: 0 or -ENOMEM.
 */
int mp_sweep_gather(const struct mp_sweep *sweep, const struct mp_view *view,
		    struct mp_curve *curve);

/** mp_sweep_gather_at() - the same of one length */
int mp_sweep_gather_at(const struct mp_sweep *sweep, const struct mp_view *view,
		       uint64_t length, struct mp_curve *curve);

/**
 * mp_curve_put() - add a replicate to a curve that no sweep draws
 * @curve: zeroed at first
 * @ticks: what a hop of @batch took
 *
 * Return: 0 or -ENOMEM.
 */
int mp_curve_put(struct mp_curve *curve, uint64_t length,
		 const struct mp_batch *batch, double ticks);

void mp_curve_free(struct mp_curve *curve);

/**
 * mp_curve_settle() - leave out replicates that others slowed down
 *
 * Who runs beside this CPU takes some of its caches for as long as it does, and
 * no gap in time tells. Where a ring lies in one piece of memory nothing else
 * makes its replicates differ, and a longer one is not faster: two that agree say
 * how fast it is at least, and all shorter ones; what is slower by far was
 * crowded. But at the edge of an exclusive level each order of visits leaves
 * other lines to it: of many replicates a quarter have to agree. A length of
 * which nothing is left is none. Rings in several pieces are left as they are:
 * there the pages may be what differs.
 */
void mp_curve_settle(struct mp_curve *curve);

/** mp_curve_find() - the point of one length, NULL when there is none */
const struct mp_curve_at *mp_curve_find(const struct mp_curve *curve,
					uint64_t length);

/** mp_curve_middle() - the middle of a point's replicates: cycles, or ns where
 * the core clock is not known */
double mp_curve_middle(const struct mp_curve_at *at);

/** mp_curve_clock_off() - mp_clock_core_off() of a point's replicates, the most */
double mp_curve_clock_off(const struct mp_curve_at *at);

/** mp_curve_fastest() - .. and its two fastest, INFINITY where there are fewer:
 * noise only adds */
void mp_curve_fastest(const struct mp_curve_at *at, double fastest[2]);

/** mp_curve_apart() - do all replicates of one point take more than @times as long as
 * all of another? */
bool mp_curve_apart(const struct mp_curve_at *slow,
		    const struct mp_curve_at *fast, double times);

/** mp_curve_note() - add the experiments from @low to @high to a fact */
void mp_curve_note(const struct mp_curve *curve, double low, double high,
		   struct mp_fact *fact);

#endif
