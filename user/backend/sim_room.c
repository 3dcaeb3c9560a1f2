// SPDX-License-Identifier: GPL-2.0
/* Memory that is kept from batch to batch. What it held means nothing. */
#include "sim_room.h"

#include <stdlib.h>
#include <string.h>

#define ALIGN 64u

void *mp_sim_room_take(struct mp_sim_room *room, enum mp_sim_room_part part,
		       size_t bytes)
{
	const size_t whole = (bytes + ALIGN) / ALIGN * ALIGN;

	if (whole <= room->bytes[part])
		return room->at[part];
	free(room->at[part]);
	room->at[part] = aligned_alloc(ALIGN, whole);
	room->bytes[part] = room->at[part] ? whole : 0;
	return room->at[part];
}

void mp_sim_room_free(struct mp_sim_room *room)
{
	for (int i = 0; i < MP_SIM_ROOM_PARTS; i++)
		free(room->at[i]);
	memset(room, 0, sizeof(*room));
}
