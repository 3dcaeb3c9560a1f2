// SPDX-License-Identifier: GPL-2.0
/* Choices of tests that have been made are not made again. */
#include "probe/ways_kept.h"

#include <stddef.h>

#include "analysis/kept.h"

static void add_sets(struct mp_kept_key *key, const struct mp_ways_sets *sets)
{
	mp_kept_add_word(key, sets->line);
	mp_kept_add_word(key, sets->grain);
	mp_kept_add_word(key, sets->piece);
	mp_kept_add_word(key, sets->small);
	mp_kept_add_word(key, sets->clear);
	mp_kept_add_word(key, sets->n);
	for (uint32_t i = 0; i < sets->n; i++) {
		const struct mp_ways_guess *guess = &sets->guess[i];

		mp_kept_add_word(key, guess->span);
		mp_kept_add_word(key, guess->ways);
		mp_kept_add_word(key, guess->exclusive);
		mp_kept_add(key, &guess->weight, 1);
	}
	mp_kept_add_word(key, sets->most);
	mp_kept_add_word(key, sets->loose);
	mp_kept_add_word(key, sets->inner != NULL);
	if (sets->inner)
		add_sets(key, sets->inner);
}

bool mp_ways_choose_kept(const struct mp_ways_sets *sets, double finest,
			 bool with_flushed, const struct mp_ways_test *done,
			 uint32_t n_done, struct mp_ways_test *test)
{
	static struct mp_kept kept;
	struct mp_kept_key key;
	int found;

	_Static_assert(sizeof(*test) <= MP_KEPT_BYTES, "a test has to fit");
	mp_kept_begin(&key);
	mp_kept_add(&key, &finest, 1);
	mp_kept_add_word(&key, with_flushed);
	add_sets(&key, sets);
	mp_kept_add_word(&key, n_done);
	for (uint32_t i = 0; i < n_done; i++) {
		mp_kept_add_word(&key, done[i].stride);
		mp_kept_add_word(&key, done[i].lines);
		mp_kept_add_word(&key, done[i].flushed);
		mp_kept_add_word(&key, done[i].apart);
		mp_kept_add_word(&key, done[i].here);
		mp_kept_add_word(&key, done[i].hidden);
		mp_kept_add_word(&key, done[i].unclear);
		mp_kept_add_word(&key, done[i].kept);
	}
	if (mp_kept_find(&kept, &key, test, sizeof(*test), &found))
		return found;
	found = mp_ways_choose(sets, finest, with_flushed, done, n_done, test);
	mp_kept_note(&kept, &key, test, sizeof(*test), found);
	return found;
}
