/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Latency curves whose truth is known: a sum of steps, one a level, that rise
 * as the ways in which caches work make them rise.
 */
#ifndef MADE_CURVE_H
#define MADE_CURVE_H

#include <stdint.h>

#include "analysis/levels.h"
#include "analysis/miss.h"
#include "rng.h"

#define MADE_POINTS MP_LEVELS_POINTS_MAX
#define MADE_STEPS 5

#define KIB 1024.0
#define MIB 1048576.0

/**
 * enum made_policy - how the misses of a step grow
 * @EVEN: contiguous memory, the least recently used line goes
 * @SCATTERED: the same, with pages that fall on the sets at random
 * @RANDOM: a random line goes
 * @RESISTING: what is held stays, nine lines of ten
 */
enum made_policy {
	EVEN,
	SCATTERED,
	RANDOM,
	RESISTING,
};

/**
 * struct made_step - one level of cache
 * @bytes: its capacity
 * @latency: its own
 * @policy: enum made_policy
 * @ways: associativity, where the policy asks for it
 */
struct made_step {
	double bytes;
	double latency;
	enum made_policy policy;
	uint32_t ways;
};

/**
 * struct made_machine - what a curve is made from
 * @n: levels
 * @step: inner to outer
 * @memory: latency of memory
 * @tlb_bytes: reach of the first TLB, 0 = endless
 * @tlb_cost: what its misses add in the end
 * @walk_bytes: reach of the second, 0 = endless
 * @walk_cost: what each doubling beyond adds
 */
struct made_machine {
	uint32_t n;
	struct made_step step[MADE_STEPS];
	double memory;
	double tlb_bytes;
	double tlb_cost;
	double walk_bytes;
	double walk_cost;
};

/** struct made_curve - a curve */
struct made_curve {
	uint32_t n;
	struct mp_curve_point point[MADE_POINTS];
};

/** made_latency() - of one footprint */
double made_latency(const struct made_machine *machine, double bytes);

/** made_add() - measure one more footprint */
void made_add(const struct made_machine *machine, double bytes,
	      struct made_curve *curve);

/** made_measure() - 2, 3, 4, 6, 8, 12 KiB and so on, times @shift */
void made_measure(const struct made_machine *machine, double to_bytes,
		  double shift, struct made_curve *curve);

/** made_draw() - a machine of one to four levels, each a good deal larger and
 * slower than the one inside it */
void made_draw(struct mp_rng *rng, struct made_machine *machine);

/** made_disturb() - normal noise of so large a share */
void made_disturb(struct made_curve *curve, double sd, struct mp_rng *rng);

/** made_round() - to whole cycles */
void made_round(struct made_curve *curve);

/** made_mru_miss() - miss share of a level of 16 ways whose pages fall on its
 * sets at random, and of whose full sets some lines stay: a blurred edge. By
 * the table of user/analysis, so that a fit can find it */
double made_mru_miss(double x);

/** made_find() - the point of a footprint; NULL where there is none */
struct mp_curve_point *made_find(struct made_curve *curve, double bytes);

#endif
