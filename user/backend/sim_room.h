/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_SIM_ROOM_H
#define MP_SIM_ROOM_H

#include <stddef.h>

/** enum mp_sim_room_part - what large memory is for */
enum mp_sim_room_part {
	MP_SIM_ROOM_STATE,
	MP_SIM_ROOM_BEFORE,
	MP_SIM_ROOM_SUM,
	MP_SIM_ROOM_HELD,
	MP_SIM_ROOM_PARTS,
};

/**
 * struct mp_sim_room - memory that batch after batch needs
 * @at, @bytes: of each part; owned
 *
 * Fresh memory costs a page fault for each 4 KiB, which is more than many a
 * batch does with it. All zero is an empty room.
 */
struct mp_sim_room {
	void *at[MP_SIM_ROOM_PARTS];
	size_t bytes[MP_SIM_ROOM_PARTS];
};

/**
 * mp_sim_room_take() - memory for one purpose, until it is asked for again
 * Return: @bytes of anything, 64-byte aligned, and in huge pages where it is
 * large and this machine has them; NULL when out of memory.
 */
void *mp_sim_room_take(struct mp_sim_room *room, enum mp_sim_room_part part,
		       size_t bytes);

void mp_sim_room_free(struct mp_sim_room *room);

#endif
