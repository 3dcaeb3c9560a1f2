/* SPDX-License-Identifier: GPL-2.0 */
/* Ticks that are noted while a burst runs: its payload. */
#ifndef MP_SIM_NOTE_H
#define MP_SIM_NOTE_H

#include <stdbool.h>

#include "batch.h"
#include "hist.h"

/**
 * struct mp_sim_notes - ticks in order, or a histogram of them
 * @word: owned
 * @n: ticks in @word
 * @room: that fit
 * @sorted: they go into @hist instead
 * @hist: lies behind the room for its pairs, in @word
 */
struct mp_sim_notes {
	uint64_t *word;
	uint32_t n;
	uint32_t room;
	bool sorted;
	struct mp_hist hist;
};

/**
 * mp_sim_notes_begin() - room for the notes of a burst
 * @sorted: a histogram is wanted
 * @most: so many there are at most
 * Return: 0 or -ENOMEM. mp_sim_notes_free() them in either case.
 */
int mp_sim_notes_begin(struct mp_sim_notes *notes, bool sorted, uint64_t most);

/** mp_sim_notes_add() - one more; 0, or -EFBIG: more than a batch can keep */
int mp_sim_notes_add(struct mp_sim_notes *notes, uint64_t ticks);

/**
 * mp_sim_notes_keep() - into the payload of a batch
 * @sample: gets kind, offset and count
 * Return: 0, -ENOMEM, -EFBIG.
 */
int mp_sim_notes_keep(struct mp_sim_notes *notes, struct mp_batch *batch,
		      struct memprobe_sample *sample);

void mp_sim_notes_free(struct mp_sim_notes *notes);

#endif
