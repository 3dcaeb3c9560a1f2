/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dice of the zoo: draws from one stream each feature of a machine, so that
 * a feature that is drawn again leaves all others as they are.
 */
#ifndef ZOO_DICE_H
#define ZOO_DICE_H

#include <stdbool.h>
#include <stdint.h>

#include "rng.h"

/** struct zoo_pick - a value and how often it comes, by weight */
struct zoo_pick {
	uint32_t value;
	uint32_t weight;
};

/** zoo_dice() - the stream of a feature of a machine of a seed */
struct mp_rng zoo_dice(uint64_t seed, uint64_t index, uint32_t feature);

/** zoo_chance() - true in @percent of all draws */
bool zoo_chance(struct mp_rng *rng, uint32_t percent);

/** zoo_between() - a whole number, @low and @high among them */
uint32_t zoo_between(struct mp_rng *rng, uint32_t low, uint32_t high);

/** zoo_log_between() - a number from @low to @high, evenly in its logarithm */
double zoo_log_between(struct mp_rng *rng, double low, double high);

/** zoo_pick() - one of @n values by their weights */
uint32_t zoo_pick(struct mp_rng *rng, const struct zoo_pick *from, uint32_t n);

#define ZOO_PICK(rng, from) \
	zoo_pick(rng, from, sizeof(from) / sizeof((from)[0]))

#endif
