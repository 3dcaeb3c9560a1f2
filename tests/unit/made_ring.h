/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MADE_RING_H
#define MADE_RING_H

#include "backend/sim_ring.h"

/** struct made_ring - a ring laid in a machine */
struct made_ring {
	struct mp_sim_machine machine;
	struct mp_sim_cores cores;
	struct mp_sim_ring ring;
	uint32_t *order;
	uint32_t slots;
};

#define MADE_INCLUSIONS 3u
#define MADE_TRIOS 7u

/** made_inclusions, made_trios - what a level may be to those inside it, and
 * policies of three levels */
extern const char *const made_inclusions[MADE_INCLUSIONS];
extern const char *const made_trios[MADE_TRIOS][3];

/**
 * made_cores() - a machine from its text, with one arena of 4 KiB pages and
 *	one CPU, from a fixed seed
 */
void made_cores(struct mp_sim_machine *machine, struct mp_sim_cores *cores,
		const char *text, uint64_t bytes);

/**
 * made_ring() - a ring in it
 * @window: slots that are visited together; 0: fully random; 1: in order
 */
void made_ring(struct made_ring *made, const char *text, uint64_t bytes,
	       uint64_t stride, uint64_t window);

void made_ring_free(struct made_ring *made);

#endif
