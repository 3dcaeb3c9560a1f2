// SPDX-License-Identifier: GPL-2.0
/*
 * Notes of a burst. Room is taken for as many as the burst can make: most
 * are short, and there are many.
 */
#include "sim_note.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"

int mp_sim_notes_begin(struct mp_sim_notes *notes, bool sorted, uint64_t most)
{
	const uint32_t cap = sorted ? MP_BATCH_WORDS_MAX / 2 :
				      MP_BATCH_WORDS_MAX;
	const uint32_t room = most < cap ? (uint32_t)most : cap;

	memset(notes, 0, sizeof(*notes));
	notes->room = room;
	notes->sorted = sorted;
	notes->word = malloc((sorted ? 4ull : 1ull) * (room + 1ull) *
			     sizeof(*notes->word));
	if (!notes->word)
		return -ENOMEM;
	if (!sorted)
		return 0;
	notes->hist = (struct mp_hist){
		.key = notes->word + 2ull * room,
		.count = notes->word + 3ull * room,
		.room = room,
	};
	return 0;
}

int mp_sim_notes_add(struct mp_sim_notes *notes, uint64_t ticks)
{
	if (notes->sorted)
		return mp_hist_add(&notes->hist, ticks) ? -EFBIG : 0;
	if (notes->n == notes->room)
		return -EFBIG;
	notes->word[notes->n++] = ticks;
	return 0;
}

int mp_sim_notes_keep(struct mp_sim_notes *notes, struct mp_batch *batch,
		      struct memprobe_sample *sample)
{
	const struct mp_hist *hist = &notes->hist;

	for (uint32_t i = 0; i < hist->n; i++) {
		notes->word[notes->n++] = hist->key[i];
		notes->word[notes->n++] = hist->count[i];
	}
	sample->payload_kind = notes->sorted ? MEMPROBE_PAYLOAD_HIST :
					       MEMPROBE_PAYLOAD_TICKS;
	sample->payload_count = notes->n;
	return mp_batch_words(batch, notes->word, notes->n,
			      &sample->payload_offset);
}

void mp_sim_notes_free(struct mp_sim_notes *notes)
{
	free(notes->word);
	notes->word = NULL;
}
