/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A saved run: everything that was measured, and enough about the run to
 * measure, or to answer, the same again.
 */
#ifndef MP_SAVE_H
#define MP_SAVE_H

#include <stddef.h>
#include <stdint.h>

#include "backend.h"
#include "batch.h"

#define MP_SAVE_FORMAT "memprobe-run/1"
#define MP_SAVE_PROBES 512

/**
 * struct mp_save_head - the readable part of a saved run
 * @seed: run seed
 * @budget_ns: what the calm run was allowed to cost
 * @limit_ns: what it was allowed to cost with all repeats
 * @depth: enum mp_depth
 * @probes: names of the probes that ran, comma-separated, in their order
 * @stop: how it ended: "done", "time" or "signal"
 * @host: what was known about the machine (@host.recorded is not kept)
 */
struct mp_save_head {
	uint64_t seed;
	uint64_t budget_ns;
	uint64_t limit_ns;
	uint32_t depth;
	char probes[MP_SAVE_PROBES];
	char stop[MP_FACT_UNIT];
	struct mp_host host;
};

/**
 * struct mp_save - a saved run in memory
 * @head: its head
 * @n_batches: batches
 * @batch: owned, each of them too, in order of arrival
 */
struct mp_save {
	struct mp_save_head head;
	uint32_t n_batches;
	struct mp_batch **batch;
};

/**
 * mp_save_write() - keep a run in a file, all or nothing
 * @path: its name
 * @head: what is told about the run
 * @batch: what was measured, in order of arrival
 * @n: batches
 * @why: gets one clear line with any error
 * @room: bytes of @why
 *
 * The file: a line of text with sizes and a checksum, a head in JSON that
 * also names the columns, and the columns as byte planes in one zstd frame.
 * Return: 0; -EINVAL for a batch that is not well formed (no such file could
 * be read back), -EFBIG beyond MP_SAVE_MAX_BYTES, -ENOMEM, or what the file
 * system said.
 */
int mp_save_write(const char *path, const struct mp_save_head *head,
		  const struct mp_batch *const *batch, uint32_t n, char *why,
		  size_t room);

/**
 * mp_save_read() - a saved run from a file
 * @path: its name
 * @save: gets the run; empty after an error
 * @why: gets one clear line with any error
 * @room: bytes of @why
 *
 * Every count and every field is checked before it is used, and never more
 * than a small multiple of MP_SAVE_MAX_BYTES is allocated.
 * Return: 0; -EINVAL no saved run, or of another format; -EIO truncated or
 * damaged; -EFBIG, -ENOMEM, -ENOENT, ..
 */
int mp_save_read(const char *path, struct mp_save *save, char *why,
		 size_t room);

/** mp_save_free() - give back what it owns; empty then */
void mp_save_free(struct mp_save *save);

#endif
