// SPDX-License-Identifier: GPL-2.0
/*
 * Quad-age LRU in two bits a way. Growing older is losing what lacks to age
 * 3, so that all ways of a set are aged by a few operations on words.
 */
#include "sim_qlru.h"

#include <stdlib.h>
#include <string.h>

#define OLDEST 3u
#define UPDATE_OTHERS 1u
#define UPDATE_BY_ONE 2u

static uint64_t low_bits(uint32_t n)
{
	return n >= 64 ? ~0ull : (1ull << n) - 1;
}

/* One digit, 0 .. @high, moved over. */
static bool parse_digit(const char **text, uint32_t high, uint8_t *value)
{
	const char c = **text;

	if (c < '0' || c > (char)('0' + high))
		return false;
	*value = (uint8_t)(c - '0');
	++*text;
	return true;
}

static bool parse_word(const char **text, const char *word)
{
	const size_t length = strlen(word);

	if (strncmp(*text, word, length))
		return false;
	*text += length;
	return true;
}

/* "1", or "r16": an age, or how rarely a line is filled with age 1. */
static bool parse_fill(const char **text, struct mp_sim_qlru *qlru)
{
	char *end;

	if (**text != 'r')
		return parse_digit(text, OLDEST, &qlru->fill);
	++*text;
	if (**text < '1' || **text > '9')
		return false;
	qlru->fill = 1;
	qlru->odds = (uint32_t)strtoul(*text, &end, 10);
	if (end - *text > 6)
		return false;
	*text = end;
	return true;
}

bool mp_sim_qlru_parse(const char *text, struct mp_sim_qlru *qlru)
{
	struct mp_sim_qlru read = { 0 };

	if (!parse_word(&text, "qlru_h") ||
	    !parse_digit(&text, 2, &read.hit_oldest) ||
	    !parse_digit(&text, 1, &read.hit_older) ||
	    !parse_word(&text, "_m") || !parse_fill(&text, &read) ||
	    !parse_word(&text, "_r") || !parse_digit(&text, 2, &read.victim) ||
	    !parse_word(&text, "_u") || !parse_digit(&text, 3, &read.update))
		return false;
	read.on_miss = parse_word(&text, "_umo");
	if (*text)
		return false;
	if (qlru)
		*qlru = read;
	return true;
}

uint32_t mp_sim_qlru_hit_age(const struct mp_sim_qlru *qlru, uint32_t age)
{
	if (age == OLDEST)
		return qlru->hit_oldest;
	return age == 2 ? qlru->hit_older : 0;
}

uint32_t mp_sim_qlru_fill_age(const struct mp_sim_qlru *qlru,
			      struct mp_rng *rng)
{
	if (qlru->odds && mp_rng_below(rng, qlru->odds))
		return OLDEST;
	return qlru->fill;
}

uint32_t mp_sim_qlru_age(const struct mp_sim_order *order, uint32_t way)
{
	return OLDEST - (uint32_t)((order->a >> way & 1) |
				   (order->b >> way & 1) << 1);
}

void mp_sim_qlru_set_age(struct mp_sim_order *order, uint32_t way,
			 uint32_t age)
{
	const uint64_t bit = 1ull << way, lack = OLDEST - age;

	order->a = lack & 1 ? order->a | bit : order->a & ~bit;
	order->b = lack & 2 ? order->b | bit : order->b & ~bit;
}

void mp_sim_qlru_update(const struct mp_sim_qlru *qlru,
			struct mp_sim_order *order, uint32_t room,
			uint32_t way)
{
	const uint64_t all = low_bits(room);
	uint64_t who = all, a = order->a, b = order->b;

	if (~(a | b) & all)
		return;
	if (qlru->update & UPDATE_OTHERS && way != MP_SIM_QLRU_NONE)
		who &= ~(1ull << way);
	if (qlru->update & UPDATE_BY_ONE || a & ~b & who) {
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

uint32_t mp_sim_qlru_victim(const struct mp_sim_order *order, uint32_t room)
{
	const uint64_t oldest = ~(order->a | order->b) & low_bits(room);

	return oldest ? (uint32_t)__builtin_ctzll(oldest) : 0;
}
