/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Curves of single hops, made hop by hop: a clock of 3 GHz beside a core of
 * 3 GHz, so that a tick is a cycle.
 */
#ifndef MADE_HOPS_H
#define MADE_HOPS_H

#include <stdint.h>

#include "analysis/sweep.h"
#include "rng.h"

#define MADE_HOPS_POINTS 24u
#define MADE_HOPS_REPLICATES 3u
/** MADE_HOPS_READ_TICKS - what reading the clock costs */
#define MADE_HOPS_READ_TICKS 30.0

/**
 * struct made_kind - some hops of a ring
 * @share: of all of them; of the last one what is left
 * @cycles: that such a hop takes
 * @spread: .. give or take
 */
struct made_kind {
	double share;
	double cycles;
	double spread;
};

/**
 * struct made_hops - a curve of them
 * @step: of the clock, ticks
 */
struct made_hops {
	struct mp_curve curve;
	struct mp_curve_at at[MADE_HOPS_POINTS];
	struct mp_batch batch[MADE_HOPS_POINTS][MADE_HOPS_REPLICATES];
	const struct mp_batch *list[MADE_HOPS_POINTS][MADE_HOPS_REPLICATES];
	struct mp_rng rng;
	uint64_t step;
};

/** made_hops_open() - an empty curve */
void made_hops_open(struct made_hops *hops, uint64_t step);

void made_hops_close(struct made_hops *hops);

/** made_hops_fill() - a burst more of a batch */
void made_hops_fill(struct made_hops *hops, struct mp_batch *batch,
		    const struct made_kind *kind, uint32_t n);

/** made_hops_add() - a length more, with so many replicates */
void made_hops_add(struct made_hops *hops, uint64_t length,
		   uint32_t replicates, const struct made_kind *kind,
		   uint32_t n);

#endif
