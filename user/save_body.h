/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The batches of a saved run as tables of fixed rows, which is what its file
 * holds: the text of the experiments (each once), a row a batch, a row a
 * sample, a row a word of payload.
 */
#ifndef MP_SAVE_BODY_H
#define MP_SAVE_BODY_H

#include <stddef.h>
#include <stdint.h>

#include "plane.h"
#include "save.h"

/** enum mp_save_part - the tables, in the order of the file */
enum mp_save_part {
	MP_SAVE_EXPS,	/* characters: a line an experiment */
	MP_SAVE_BATCHES,
	MP_SAVE_SAMPLES,
	MP_SAVE_WORDS,
	MP_SAVE_PARTS,
};

/** mp_save_tables - what the rows of each look like */
extern const struct mp_table mp_save_tables[MP_SAVE_PARTS];

/** struct mp_save_body - rows and how many, by part */
struct mp_save_body {
	void *rows[MP_SAVE_PARTS];
	uint64_t n[MP_SAVE_PARTS];
};

/**
 * mp_save_body_fill() - batches to rows
 * @body: zeroed; mp_save_body_free() it, after an error too
 * @batch: batches
 * @n: how many
 * @why: gets one clear line with -EINVAL
 * @room: bytes of @why
 * Return: 0, -EINVAL for a batch that is not well formed, -ENOMEM.
 */
int mp_save_body_fill(struct mp_save_body *body,
		      const struct mp_batch *const *batch, uint32_t n,
		      char *why, size_t room);

/**
 * mp_save_body_alloc() - zeroed rows for the numbers in @body->n
 * @first: the parts before this one are left alone
 * Return: 0 or -ENOMEM.
 */
int mp_save_body_alloc(struct mp_save_body *body, enum mp_save_part first);

/**
 * mp_save_body_batches() - rows to batches; the text of @body is used up
 * @body: rows that nobody has checked
 * @save: gets the batches; mp_save_free() it, after an error too
 * @why: gets what is wrong
 * @room: bytes of @why
 * Return: 0, -EIO for rows that cannot be, -EINVAL for an experiment that is
 * not understood, -ENOMEM.
 */
int mp_save_body_batches(const struct mp_save_body *body,
			 struct mp_save *save, char *why, size_t room);

/** mp_save_body_free() - give back what it owns; empty then */
void mp_save_body_free(struct mp_save_body *body);

#endif
