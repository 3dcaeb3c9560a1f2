// SPDX-License-Identifier: GPL-2.0
/* Keys, and a ring of answers. */
#include "analysis/kept.h"

#include <string.h>

#include "rng.h"

/* Two odd numbers of no pattern: what one hash confuses the other does not. */
#define TIMES_A 0x9e3779b97f4a7c15ull
#define TIMES_B 0xd6e8feb86659fd93ull

void mp_kept_begin(struct mp_kept_key *key)
{
	*key = (struct mp_kept_key){ TIMES_B, TIMES_A };
}

/* Each step is a bijection of either half: a change of one word changes
 * both. */
void mp_kept_add_word(struct mp_kept_key *key, uint64_t word)
{
	key->a = (key->a ^ word) * TIMES_A;
	key->a ^= key->a >> 32;
	key->b = mp_rng_mix(key->b + word);
}

void mp_kept_add(struct mp_kept_key *key, const double *value, size_t n)
{
	uint64_t word;

	for (size_t i = 0; i < n; i++) {
		memcpy(&word, &value[i], sizeof(word));
		mp_kept_add_word(key, word);
	}
}

int mp_kept_find(const struct mp_kept *kept, const struct mp_kept_key *key,
		 void *answer, size_t bytes, int *err)
{
	for (uint32_t i = 0; i < MP_KEPT_ANSWERS && i < kept->n; i++) {
		if (kept->key[i].a != key->a || kept->key[i].b != key->b)
			continue;
		memcpy(answer, kept->answer[i], bytes);
		*err = kept->err[i];
		return 1;
	}
	return 0;
}

void mp_kept_note(struct mp_kept *kept, const struct mp_kept_key *key,
		  const void *answer, size_t bytes, int err)
{
	const uint32_t at = kept->n % MP_KEPT_ANSWERS;

	kept->key[at] = *key;
	kept->err[at] = err;
	memcpy(kept->answer[at], answer, bytes);
	/* A count that came round would forget answers, and no more. */
	kept->n++;
}
