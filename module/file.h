/* SPDX-License-Identifier: GPL-2.0 */
/* An open file of /dev/memprobe, and what belongs to it. */
#ifndef MP_FILE_H
#define MP_FILE_H

#include <linux/fs.h>
#include <linux/mutex.h>

#include "../ioctl/memprobe.h"
#include "arena.h"

/**
 * struct mp_file - what an open file owns
 * @lock: over all that follows; never held in a window
 * @running: a RUN uses the arenas; they stay as they are until it ends
 * @last_id: number of the arena taken last
 * @arena: its arenas, NULL where there is none
 */
struct mp_file {
	struct mutex lock; /* over all that follows */
	bool running;
	u32 last_id;
	struct mp_mem *arena[MP_ARENAS_MAX];
};

/** mp_file_arena() - carry out a checked ARENA; -errno by the contract */
int mp_file_arena(struct mp_file *own, struct memprobe_arena *arena);

/**
 * mp_file_run_begin() - keep the arenas of a file as they are
 * Return: 0; -EBUSY when another run uses the file; -EINTR.
 */
int mp_file_run_begin(struct mp_file *own);
/** mp_file_run_end() - the opposite */
void mp_file_run_end(struct mp_file *own);

/** mp_file_find() - an arena by its number; NULL; while a run uses the file */
struct mp_mem *mp_file_find(const struct mp_file *own, u32 id);

/** mp_device_register() / mp_device_unregister() - /dev/memprobe */
int mp_device_register(void);
void mp_device_unregister(void);

#endif
