// SPDX-License-Identifier: GPL-2.0
/* Rings are cut to what a level is measured to hold, by itself or not. */
#include "probe/cpu_room.h"

#include <errno.h>
#include <math.h>

/* Where misses set in, as far as that is one level's .. */
static bool is_one(const struct mp_cpu_edges *edges, uint32_t k)
{
	return k < edges->n && edges->fitted[k] && k < edges->muddled &&
	       k < edges->doubt.level;
}

/* .. and sharp. */
static bool is_sharp(const struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_edge *edge = &edges->edge[k];

	return is_one(edges, k) && edge->high <= edge->low * MP_CPU_APART_MAX;
}

static void sums(const struct mp_cpu_edges *edges, struct mp_cpu_rooms *rooms)
{
	for (uint32_t k = 0; k < MP_CPU_LEVELS; k++) {
		if (isnan(rooms->bytes[k]) && is_one(edges, k)) {
			rooms->low[k] = edges->edge[k].low;
			rooms->high[k] = edges->edge[k].high;
		}
		if (!k || !isnan(rooms->bytes[k]) || !is_sharp(edges, k))
			continue;
		rooms->bytes[k] = edges->edge[k].size;
		rooms->sum[k] = true;
	}
}

/* What the fact of a size says by itself. */
static void know(const struct mp_fact *size, uint32_t k,
		 struct mp_cpu_rooms *rooms)
{
	const bool is_known = size && (size->verdict == MP_MEASURED ||
				       size->verdict == MP_VARIES);

	rooms->bytes[k] = is_known ? size->value : NAN;
	rooms->low[k] = rooms->high[k] = NAN;
	if (!is_known && !(size && size->verdict == MP_AT_LEAST))
		return;
	rooms->low[k] = size->low;
	/* One that is at least so large may have no upper limit. */
	if (is_known || size->high > size->low)
		rooms->high[k] = size->high;
}

/* Return: is there a level whose size is not known? */
static bool sizes(const struct mp_view *view, struct mp_cpu_rooms *rooms)
{
	bool any = false;

	*rooms = (struct mp_cpu_rooms){ 0 };
	for (uint32_t k = 0; k < MP_CPU_LEVELS; k++) {
		const struct mp_fact *size = mp_cpu_found(view, k, "size");

		know(size, k, rooms);
		if (size && isnan(rooms->bytes[k]) &&
		    size->verdict != MP_ABSENT)
			any = true;
	}
	return any;
}

void mp_cpu_rooms_of(const struct mp_view *view,
		     const struct mp_cpu_edges *edges,
		     struct mp_cpu_rooms *rooms)
{
	if (sizes(view, rooms) && edges)
		sums(edges, rooms);
}

int mp_cpu_rooms(const struct mp_view *view, struct mp_cpu_rooms *rooms)
{
	struct mp_cpu_edges edges;
	int err;

	if (!sizes(view, rooms))
		return 0;
	err = mp_cpu_edges_find(view, &edges);
	if (err)
		return err == -ENODATA ? 0 : err;
	sums(&edges, rooms);
	mp_cpu_edges_free(&edges);
	return 0;
}
