// SPDX-License-Identifier: GPL-2.0
/* Fits that have been made are not made again. */
#include "analysis/edge_kept.h"

#include <errno.h>
#include <math.h>

#include "analysis/kept.h"

/* So near to the least capacity that was tried the best is at the end; it is
 * looked for so much further in then. */
#define AT_END 1.02
#define FURTHER 1.5

static void add_data(struct mp_kept_key *key, const struct mp_edge_data *data)
{
	const double number[] = { data->from, data->to, data->page_bytes };

	mp_kept_add(key, number, sizeof(number) / sizeof(number[0]));
	mp_kept_add_word(key, data->n);
	mp_kept_add_word(key, data->scatters);
	mp_kept_add_word(key, data->is_share);
	mp_kept_add_word(key, data->may_hash);
	for (uint32_t i = 0; i < data->n; i++) {
		const struct mp_edge_point *p = &data->point[i];

		mp_kept_add(key, &p->x, 1);
		mp_kept_add_word(key, p->n);
		mp_kept_add(key, p->y, p->n);
	}
}

int mp_edge_fit_kept(const struct mp_edge_data *data,
		     const struct mp_miss_table *table, uint64_t seed,
		     struct mp_edge *edge)
{
	static struct mp_kept kept;
	struct mp_kept_key key;
	int err;

	_Static_assert(sizeof(*edge) <= MP_KEPT_BYTES, "an edge has to fit");
	mp_kept_begin(&key);
	mp_kept_add_word(&key, (uintptr_t)table);
	mp_kept_add_word(&key, seed);
	add_data(&key, data);
	if (mp_kept_find(&kept, &key, edge, sizeof(*edge), &err))
		return err;
	err = mp_edge_fit(data, table, seed, edge);
	/* A lack of memory is no answer. */
	if (!err || err == -ENODATA)
		mp_kept_note(&kept, &key, edge, sizeof(*edge), err);
	return err;
}

int mp_edge_fit_inside(struct mp_edge_data *data,
		       const struct mp_miss_table *table, uint64_t seed,
		       struct mp_edge *edge)
{
	const double least = data->n ? data->point[0].x : 0;
	int err = mp_edge_fit_kept(data, table, seed, edge);

	while (!err && edge->size < data->from * AT_END && data->from > least) {
		const double from = data->from;
		struct mp_edge nearer;

		data->from = fmax(from / FURTHER, least);
		err = mp_edge_fit_kept(data, table, seed, &nearer);
		if (!err && nearer.size >= edge->size) {
			data->from = from;
			break;
		}
		if (!err)
			*edge = nearer;
	}
	return err;
}

int mp_pair_fit_kept(const struct mp_edge_data *data,
		     const struct mp_miss_table *table, struct mp_pair *pair)
{
	static struct mp_kept kept;
	struct mp_kept_key key;
	int err;

	_Static_assert(sizeof(*pair) <= MP_KEPT_BYTES, "a pair has to fit");
	mp_kept_begin(&key);
	mp_kept_add_word(&key, (uintptr_t)table);
	add_data(&key, data);
	if (mp_kept_find(&kept, &key, pair, sizeof(*pair), &err))
		return err;
	err = mp_pair_fit(data, table, pair);
	if (!err || err == -ENODATA)
		mp_kept_note(&kept, &key, pair, sizeof(*pair), err);
	return err;
}
