/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The family of policies that is called quad-age LRU: each line has one of
 * four ages, and five parameters say how ages change.
 */
#ifndef MP_SIM_QLRU_H
#define MP_SIM_QLRU_H

#include <stdbool.h>

#include "rng.h"
#include "sim_policy.h"

/**
 * struct mp_sim_qlru - one of the family
 * @hit_oldest, @hit_older: the age that a hit gives to a line of age 3 and
 *	of age 2; younger ones get 0 (hXX)
 * @fill: age of a line that is filled (mX)
 * @odds: 0, or only one of so many gets age @fill and the others 3 (mrN)
 * @victim: 0 .. 2 (rX): 2 fills empty ways from the last one on
 * @update: 0 .. 3 (uX): bit 0: the line just used keeps its age; bit 1: all
 *	grow by one, not by what the oldest lacks
 * @on_miss: ages grow on misses only, before the victim is chosen (umo)
 */
struct mp_sim_qlru {
	uint8_t hit_oldest;
	uint8_t hit_older;
	uint8_t fill;
	uint8_t victim;
	uint8_t update;
	bool on_miss;
	uint32_t odds;
};

/** MP_SIM_QLRU_NONE - no way was just used. */
#define MP_SIM_QLRU_NONE UINT32_MAX

/**
 * mp_sim_qlru_parse() - qlru_hXX_mX_rX_uX, with mrN for mX, and _umo
 * @qlru: gets the parameters; may be NULL
 * Return: it is one.
 */
bool mp_sim_qlru_parse(const char *text, struct mp_sim_qlru *qlru);

#define MP_SIM_QLRU_OLDEST 3u
#define MP_SIM_QLRU_OTHERS 1u
#define MP_SIM_QLRU_BY_ONE 2u

/** mp_sim_qlru_hit_age() - age of a line of @age that is hit */
static inline uint32_t mp_sim_qlru_hit_age(const struct mp_sim_qlru *qlru, uint32_t age)
{
	if (age == MP_SIM_QLRU_OLDEST)
		return qlru->hit_oldest;
	return age == 2 ? qlru->hit_older : 0;
}

/** mp_sim_qlru_fill_age() - age of a line that is filled */
static inline uint32_t mp_sim_qlru_fill_age(const struct mp_sim_qlru *qlru,
			      struct mp_rng *rng)
{
	if (qlru->odds && mp_rng_below(rng, qlru->odds))
		return MP_SIM_QLRU_OLDEST;
	return qlru->fill;
}

/*
 * Sets of up to 64 ways. An order keeps what each way lacks to age 3: its low
 * bit in @a, its high bit in @b. So an empty way, all zero, counts as oldest.
 * Growing older is losing what lacks, so that all ways of a set are aged by a
 * few operations on words.
 */

static inline uint64_t mp_sim_qlru_bits(uint32_t n)
{
	return n >= 64 ? ~0ull : (1ull << n) - 1;
}

static inline uint32_t mp_sim_qlru_age(const struct mp_sim_order *order, uint32_t way)
{
	return MP_SIM_QLRU_OLDEST - (uint32_t)((order->a >> way & 1) |
				   (order->b >> way & 1) << 1);
}

static inline void mp_sim_qlru_set_age(struct mp_sim_order *order, uint32_t way,
			 uint32_t age)
{
	const uint64_t bit = 1ull << way, lack = MP_SIM_QLRU_OLDEST - age;

	order->a = lack & 1 ? order->a | bit : order->a & ~bit;
	order->b = lack & 2 ? order->b | bit : order->b & ~bit;
}

/**
 * mp_sim_qlru_update() - let ages grow where none of @room ways has age 3
 * @way: the one that was just used, or MP_SIM_QLRU_NONE
 */
static inline void mp_sim_qlru_update(const struct mp_sim_qlru *qlru,
			struct mp_sim_order *order, uint32_t room,
			uint32_t way)
{
	const uint64_t all = mp_sim_qlru_bits(room);
	uint64_t who = all, a = order->a, b = order->b;

	if (~(a | b) & all)
		return;
	if (qlru->update & MP_SIM_QLRU_OTHERS && way != MP_SIM_QLRU_NONE)
		who &= ~(1ull << way);
	if (qlru->update & MP_SIM_QLRU_BY_ONE || a & ~b & who) {
		/* 1, 2, 3 -> 0, 1, 2 */
		b = order->a & order->b;
		a = ~order->a;
	} else if (~a & who) {
		/* 2, 3 -> 0, 1 */
		b = 0;
	} else {
		a = 0;
		b = 0;
	}
	order->a = (order->a & ~who) | (a & who);
	order->b = (order->b & ~who) | (b & who);
}

/** mp_sim_qlru_victim() - the first way of age 3; without one the first */
static inline uint32_t mp_sim_qlru_victim(const struct mp_sim_order *order, uint32_t room)
{
	const uint64_t oldest = ~(order->a | order->b) & mp_sim_qlru_bits(room);

	return oldest ? (uint32_t)__builtin_ctzll(oldest) : 0;
}

#endif
