// SPDX-License-Identifier: GPL-2.0
/* Experiments by id: ids are hashes, so their low bits say where to look. */
#include "batch_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 64u
#define BATCHES_FIRST 4u

/* Where an id is, or would be: no more than half of the places are taken. */
static uint32_t place_of(const struct mp_batch_index *index, uint64_t id)
{
	uint32_t at = (uint32_t)id & (index->places - 1);

	while (index->place[at] && index->list[index->place[at] - 1].id != id)
		at = (at + 1) & (index->places - 1);
	return at;
}

static int index_grow(struct mp_batch_index *index)
{
	const uint32_t room = index->room ? 2 * index->room : ROOM_FIRST;
	struct mp_batch_list *list;
	uint32_t *place;

	list = reallocarray(index->list, room, sizeof(*list));
	if (!list)
		return -ENOMEM;
	index->list = list;
	place = calloc(2 * (size_t)room, sizeof(*place));
	if (!place)
		return -ENOMEM;
	free(index->place);
	index->place = place;
	index->places = 2 * room;
	index->room = room;
	for (uint32_t i = 0; i < index->n; i++)
		place[place_of(index, list[i].id)] = i + 1;
	return 0;
}

static int list_add(struct mp_batch_list *list, const struct mp_batch *batch)
{
	static uint64_t stamps;
	const uint32_t room = list->room ? 2 * list->room : BATCHES_FIRST;
	const struct mp_batch **more;

	if (list->n == list->room) {
		more = reallocarray(list->batch, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		list->batch = more;
		list->room = room;
	}
	list->batch[list->n++] = batch;
	list->stamp = ++stamps;
	return 0;
}

int mp_batch_index_add(struct mp_batch_index *index,
		       const struct mp_batch *batch)
{
	struct mp_batch_list *list;
	uint32_t at;

	if (index->n == index->room && index_grow(index))
		return -ENOMEM;
	at = place_of(index, batch->id);
	if (!index->place[at]) {
		index->list[index->n] = (struct mp_batch_list){
			.id = batch->id,
		};
		index->place[at] = ++index->n;
	}
	list = &index->list[index->place[at] - 1];
	if (list->n && !mp_exp_equal(&list->batch[0]->exp, &batch->exp))
		return -EEXIST;
	return list_add(list, batch);
}

const struct mp_batch_list *
mp_batch_index_find(const struct mp_batch_index *index, uint64_t id)
{
	const uint32_t at = index->n ? index->place[place_of(index, id)] : 0;

	return at ? &index->list[at - 1] : NULL;
}

void mp_batch_index_free(struct mp_batch_index *index)
{
	for (uint32_t i = 0; i < index->n; i++)
		free(index->list[i].batch);
	free(index->list);
	free(index->place);
	memset(index, 0, sizeof(*index));
}
