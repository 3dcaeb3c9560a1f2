// SPDX-License-Identifier: GPL-2.0
/* Choices of tests that have been made are not made again. */
#include "probe/ways_kept.h"

#include <stddef.h>
#include <string.h>

#include "analysis/kept.h"

/* A search of a level goes through a handful of lists of guesses; of more
 * guesses than this nothing is kept. */
#define LEFTS 48u
#define GUESSES 4096u

/* All that a choice may depend on. */
static void add_sets(struct mp_kept_key *key, const struct mp_ways_sets *sets)
{
	mp_kept_add_word(key, sets->line);
	mp_kept_add_word(key, sets->grain);
	mp_kept_add_word(key, sets->grain_known);
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
	mp_kept_add_word(key, sets->beside);
	mp_kept_add_word(key, sets->brought);
	mp_kept_add_word(key, sets->rounds);
	mp_kept_add_word(key, sets->inner != NULL);
	if (sets->inner)
		add_sets(key, sets->inner);
}

static void add_level(struct mp_kept_key *key,
		      const struct mp_ways_level *level)
{
	const double number[] = {
		level->low_bytes, level->high_bytes, level->innermost_bytes,
		level->innermost_cycles, level->inner_cycles,
		level->own_cycles, level->next_cycles, level->beyond_cycles,
	};

	mp_kept_add(key, number, sizeof(number) / sizeof(number[0]));
	mp_kept_add_word(key, level->k);
	mp_kept_add_word(key, level->beyond_known);
	mp_kept_add(key, &level->left_bytes, 1);
	mp_kept_add_word(key, level->line);
	mp_kept_add_word(key, level->single);
	mp_kept_add_word(key, level->misses);
	mp_kept_add_word(key, level->crowded);
}

static void add_done(struct mp_kept_key *key, const struct mp_ways_test *done,
		     uint32_t n)
{
	mp_kept_add_word(key, n);
	for (uint32_t i = 0; i < n; i++) {
		const double number[] = { done[i].least, done[i].missed };

		mp_kept_add_word(key, done[i].stride);
		mp_kept_add_word(key, done[i].lines);
		mp_kept_add_word(key, done[i].apart);
		mp_kept_add_word(key, done[i].drive);
		mp_kept_add_word(key, done[i].held);
		mp_kept_add_word(key, done[i].flushed << 4 | done[i].here << 3 |
				      done[i].ring_kept << 5 |
				      done[i].hidden << 2 |
				      done[i].unclear << 1 | done[i].kept);
		mp_kept_add(key, number, 2);
	}
}

static void state_key(const struct mp_ways_state *state,
		      const struct mp_view *view, uint64_t what,
		      struct mp_kept_key *key)
{
	mp_kept_begin(key);
	mp_kept_add_word(key, what);
	add_level(key, &state->rig->level);
	mp_kept_add_word(key, state->rig->pages);
	for (uint32_t i = 0; i < 2; i++)
		mp_kept_add_word(key, state->rig->evidence[i]);
	mp_kept_add_word(key, view->caps);
	mp_kept_add_word(key, view->cpu);
	mp_kept_add_word(key, (uint64_t)view->node);
	mp_kept_add_word(key, view->pages);
	mp_kept_add_word(key, view->quiet);
	mp_kept_add_word(key, view->arena_max_bytes);
	add_sets(key, state->sets);
	add_done(key, state->done, *state->n_done);
}

/* What tests have left, and the experiments that it rests on. */
struct left {
	struct mp_kept_key key;
	struct mp_asked asked;
	uint64_t evidence[2];
	uint32_t n_done;
	struct mp_ways_test done[MP_WAYS_TESTS];
	uint32_t n;
	struct mp_ways_guess guess[GUESSES];
};

static struct left lefts[LEFTS];
static uint32_t n_lefts;

static struct left *left_find(const struct mp_kept_key *key)
{
	for (uint32_t i = 0; i < LEFTS && i < n_lefts; i++)
		if (lefts[i].key.a == key->a && lefts[i].key.b == key->b)
			return &lefts[i];
	return NULL;
}

void mp_ways_resume(struct mp_ways_resume *resume,
		    const struct mp_ways_state *state, uint64_t what)
{
	struct mp_ways_rig *rig = state->rig;
	const struct left *left;

	*resume = (struct mp_ways_resume){ .view = *rig->view,
					   .own = rig->view };
	if (!rig->view->index || rig->view->asked)
		return;
	state_key(state, rig->view, what, &resume->key);
	left = left_find(&resume->key);
	if (left && mp_asked_holds(&left->asked, rig->view)) {
		resume->asked = left->asked;
		memcpy(rig->evidence, left->evidence, sizeof(rig->evidence));
		*state->n_done = left->n_done;
		memcpy(state->done, left->done,
		       left->n_done * sizeof(left->done[0]));
		state->sets->n = left->n;
		if (left->n)
			memcpy(state->sets->guess, left->guess,
			       left->n * sizeof(left->guess[0]));
		resume->taken = true;
	}
	mp_ways_mark(resume, rig);
	resume->view.asked = &resume->asked;
	rig->view = &resume->view;
}

void mp_ways_mark(struct mp_ways_resume *resume, const struct mp_ways_rig *rig)
{
	resume->rests_on = resume->asked.n;
	memcpy(resume->evidence, rig->evidence, sizeof(rig->evidence));
}

void mp_ways_suspend(struct mp_ways_resume *resume,
		     const struct mp_ways_state *state, int err)
{
	struct mp_ways_rig *rig = state->rig;
	struct left *left;

	rig->view = resume->own;
	if (err || !resume->view.asked || resume->rests_on > MP_ASKED ||
	    state->sets->n > GUESSES)
		return;
	left = left_find(&resume->key);
	/* A count that came round would forget some, and no more. */
	if (!left)
		left = &lefts[n_lefts++ % LEFTS];
	left->key = resume->key;
	left->asked = resume->asked;
	left->asked.n = resume->rests_on;
	memcpy(left->evidence, resume->evidence, sizeof(left->evidence));
	left->n_done = *state->n_done;
	memcpy(left->done, state->done, left->n_done * sizeof(left->done[0]));
	left->n = state->sets->n;
	if (left->n)
		memcpy(left->guess, state->sets->guess,
		       left->n * sizeof(left->guess[0]));
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
		mp_kept_add_word(&key, done[i].drive);
		mp_kept_add_word(&key, done[i].ring_kept);
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
