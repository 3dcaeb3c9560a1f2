// SPDX-License-Identifier: GPL-2.0
/*
 * A fully associative store in order of use, as a list through an array of
 * all keys: finding, moving and filling cost the same for ten ways and for
 * ten thousand.
 */
#include "sim_list.h"

static void unlink_key(struct mp_sim_link *list, uint32_t key)
{
	list[list[key].newer].older = list[key].older;
	list[list[key].older].newer = list[key].newer;
}

static void link_first(struct mp_sim_link *list, uint32_t key)
{
	const uint32_t first = list[0].older;

	list[key].newer = 0;
	list[key].older = first;
	list[first].newer = key;
	list[0].older = key;
}

static uint32_t put_out_oldest(struct mp_sim_link *list)
{
	const uint32_t oldest = list[0].newer;

	mp_sim_list_take(list, oldest);
	return oldest;
}

bool mp_sim_list_touch(struct mp_sim_link *list, uint32_t key, uint32_t sector,
		       uint32_t room, bool promote, uint32_t *victim)
{
	const uint32_t sectors = list[key].sectors;

	*victim = 0;
	list[key].sectors = sectors | sector;
	if (!sectors) {
		if (list[0].sectors >= room)
			*victim = put_out_oldest(list);
		list[0].sectors++;
		link_first(list, key);
		return false;
	}
	if (promote && list[0].older != key) {
		unlink_key(list, key);
		link_first(list, key);
	}
	return sectors & sector;
}

bool mp_sim_list_take(struct mp_sim_link *list, uint32_t key)
{
	const struct mp_sim_link absent = { 0, 0, 0 };

	if (!list[key].sectors)
		return false;
	unlink_key(list, key);
	list[key] = absent;
	list[0].sectors--;
	return true;
}

void mp_sim_list_limit(struct mp_sim_link *list, uint32_t room)
{
	while (list[0].sectors > room)
		put_out_oldest(list);
}
