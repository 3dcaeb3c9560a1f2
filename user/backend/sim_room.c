// SPDX-License-Identifier: GPL-2.0
/* Memory that is kept from batch to batch. What it held means nothing. */
#include "sim_room.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGN 64u
#define HUGE_BYTES (2u << 20)

/*
 * Sets are met at random, so that in small pages each look into a large store
 * is a walk through the page tables of this machine. A wish, no more.
 */
static void *take(size_t bytes)
{
	void *at;

	if (bytes < HUGE_BYTES)
		return aligned_alloc(ALIGN, bytes);
	at = aligned_alloc(HUGE_BYTES, bytes);
	if (at)
		madvise(at, bytes, MADV_HUGEPAGE);
	return at;
}

void *mp_sim_room_take(struct mp_sim_room *room, enum mp_sim_room_part part,
		       size_t bytes)
{
	const size_t align = bytes < HUGE_BYTES ? ALIGN : HUGE_BYTES;
	const size_t whole = (bytes + align) / align * align;

	if (whole <= room->bytes[part])
		return room->at[part];
	free(room->at[part]);
	room->at[part] = take(whole);
	room->bytes[part] = room->at[part] ? whole : 0;
	return room->at[part];
}

void mp_sim_room_free(struct mp_sim_room *room)
{
	for (int i = 0; i < MP_SIM_ROOM_PARTS; i++)
		free(room->at[i]);
	memset(room, 0, sizeof(*room));
}
