/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_SIM_LIST_H
#define MP_SIM_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "core.h"

/**
 * struct mp_sim_link - one line of a fully associative store
 * @older: key of the line behind it, 0 = none
 * @newer: key of the line before it, 0 = none
 * @sectors: sectors that are there; 0: the line is not
 *
 * A store is an array of these, one for each key that there can be, and
 * first the ends of the list under key 0: @older the newest line, @newer the
 * oldest, @sectors how many lines there are. All zero is empty; equal bytes
 * are equal stores.
 */
struct mp_sim_link {
	uint32_t older;
	uint32_t newer;
	uint32_t sectors;
};

/**
 * mp_sim_list_touch() - use a line, filling it if it is not there
 * @list: the store
 * @key: of the line, 1 or more
 * @sector: one bit
 * @room: lines that it may hold, 1 or more
 * @promote: a line that is used becomes the newest (LRU; FIFO: not)
 * @victim: gets the key that made room, 0 where none had to
 * Return: it was there (the sector too).
 */
bool mp_sim_list_touch(struct mp_sim_link *list, uint32_t key, uint32_t sector,
		       uint32_t room, bool promote, uint32_t *victim);

/** mp_sim_list_take() - take a line out; was it there? */
bool mp_sim_list_take(struct mp_sim_link *list, uint32_t key);

/** mp_sim_list_limit() - put out the oldest lines until @room remain */
void mp_sim_list_limit(struct mp_sim_link *list, uint32_t room);

#endif
