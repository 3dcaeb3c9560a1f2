/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Answers of a pure function that are kept for when the same is asked again:
 * probes ask anew of all data each round, and most of it is what it was.
 */
#ifndef MP_KEPT_H
#define MP_KEPT_H

#include <stddef.h>
#include <stdint.h>

/** MP_KEPT_ANSWERS - the latest of a function that are kept: more than a probe
 * asks for in a round, as the same are asked for in the same order in the next */
#define MP_KEPT_ANSWERS 2048
/** MP_KEPT_BYTES - of an answer, at most */
#define MP_KEPT_BYTES 288

/**
 * struct mp_kept_key - all that an answer depends on, in 128 bits
 *
 * Two questions that differ have the same key once in 2^128 times.
 */
struct mp_kept_key {
	uint64_t a;
	uint64_t b;
};

/**
 * struct mp_kept - answers of one function, of one thread; all zero is none
 * @n: answers that there have been; each takes the place of the one
 *	MP_KEPT_ANSWERS before it
 * @key: what each answers
 * @err: what came with it
 * @answer: the answers
 */
struct mp_kept {
	uint32_t n;
	struct mp_kept_key key[MP_KEPT_ANSWERS];
	int err[MP_KEPT_ANSWERS];
	unsigned char answer[MP_KEPT_ANSWERS][MP_KEPT_BYTES];
};

/** mp_kept_begin() - a key of nothing */
void mp_kept_begin(struct mp_kept_key *key);

/** mp_kept_add() - the answer depends on this, too: @n doubles */
void mp_kept_add(struct mp_kept_key *key, const double *value, size_t n);

/** mp_kept_add_word() - .. or on a whole number */
void mp_kept_add_word(struct mp_kept_key *key, uint64_t word);

/**
 * mp_kept_find() - has it been answered?
 * @answer, @bytes: gets the answer, as it was given
 * @err: gets what came with it
 * Return: whether it has.
 */
int mp_kept_find(const struct mp_kept *kept, const struct mp_kept_key *key,
		 void *answer, size_t bytes, int *err);

/** mp_kept_note() - this is the answer, of MP_KEPT_BYTES at most */
void mp_kept_note(struct mp_kept *kept, const struct mp_kept_key *key,
		  const void *answer, size_t bytes, int err);

#endif
