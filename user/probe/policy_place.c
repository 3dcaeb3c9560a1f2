// SPDX-License-Identifier: GPL-2.0
/*
 * Where the lines of a walk lie. Those of a set here may be of several kinds,
 * by the sets of the levels inside that they fall on. Each kind has lines of
 * its own that drive it out of these: of the same sets there, and of others
 * here. The fewer kinds there are, the further apart lines of a set lie.
 */
#include "probe/policy_place.h"

#include <stdlib.h>

#include "probe/policy_control.h"
#include "probe/ways_held.h"
#include "steps.h"

uint64_t mp_policy_place_around(const struct mp_policy_level *level)
{
	return level->way_bytes /
	       mp_gcd(level->way_bytes, level->inner_span);
}

/* The first lines of the sets of a kind, but for those of the set here. */
static void place_leaves(const struct mp_policy_level *level, uint32_t kind,
			 uint32_t n, uint64_t *at)
{
	uint64_t next = kind * level->own_bytes % level->inner_span;

	for (uint32_t i = 0; i < n; next += level->inner_span)
		if (next % level->way_bytes)
			at[i++] = next;
}

bool mp_policy_place_walk(const struct mp_policy_level *level,
			  struct mp_policy_placed *placed)
{
	const struct mp_policy_shape *shape = &level->shape;
	uint32_t place[MP_POLICY_LINES];

	placed->own = mp_policy_shape_lines(shape);
	placed->leaves = shape->leave ? level->leave_lines : 0;
	placed->n = placed->own + placed->leaves * shape->kinds;
	if (placed->n > MP_EXP_STEPS)
		return false;
	mp_policy_shape_places(shape, place);
	for (uint32_t i = 0; i < placed->own; i++)
		placed->at[i] = place[i] * level->own_bytes;
	for (uint32_t i = 0; i < shape->kinds && placed->leaves; i++)
		place_leaves(level, i, placed->leaves,
			     placed->at + placed->own + i * placed->leaves);
	return true;
}

bool mp_policy_place_control(const struct mp_policy_level *level,
			     struct mp_policy_placed *placed)
{
	const uint32_t empty = level->shape.empty;
	struct mp_policy_control control;
	bool fits = mp_policy_place_walk(level, placed);

	mp_policy_control_init(&control, level->line, level->inner_way,
			       level->inner_most, level->inner_spare);
	for (uint32_t i = 0; fits && i < placed->n; i++)
		fits = mp_policy_control_place(&control, placed->at[i],
					       i >= empty && i < placed->own,
					       &placed->at[i]);
	return fits;
}

uint64_t mp_policy_place_bytes(const struct mp_policy_placed *placed)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < placed->n; i++)
		if (placed->at[i] > most)
			most = placed->at[i];
	return most + MP_STEPS_SLOT;
}

/* A line in another level. */
struct there {
	uint64_t set;
	uint64_t line;
	bool looked;
};

static int by_set(const void *a, const void *b)
{
	const struct there *x = a, *y = b;

	if (x->set != y->set)
		return x->set > y->set ? 1 : -1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Return: how many there are. */
static uint32_t list(const struct mp_policy_level *level,
		     const struct mp_policy_placed *placed, uint32_t from,
		     uint64_t way, uint32_t line, struct there *there)
{
	uint32_t n = 0;

	for (uint32_t i = from; i < placed->n; i++)
		there[n++] = (struct there){
			.set = placed->at[i] % way / line,
			.line = placed->at[i] / line,
			.looked = i >= level->shape.empty && i < placed->own,
		};
	qsort(there, n, sizeof(there[0]), by_set);
	return n;
}

/* Lines of the set of the first of @n; and where the next set begins. */
static uint32_t count(const struct there *there, uint32_t n, uint32_t *next,
		      bool *looked)
{
	uint32_t lines = 0, i;

	*looked = false;
	for (i = 0; i < n && there[i].set == there[0].set; i++) {
		lines += !i || there[i].line != there[i - 1].line;
		*looked |= there[i].looked;
	}
	*next = i;
	return lines;
}

bool mp_policy_place_fits(const struct mp_policy_level *level,
			  const struct mp_policy_placed *placed, bool control,
			  uint64_t way, uint32_t ways, uint32_t line)
{
	const struct mp_policy_shape *shape = &level->shape;
	const uint32_t from = shape->narrow && !control ? shape->empty : 0;
	const uint32_t leaves = placed->leaves * shape->kinds;
	struct there there[MP_EXP_STEPS];
	const uint32_t n = list(level, placed, from, way, line, there);
	uint32_t held = 0;

	for (uint32_t i = 0, next; i < n; i += next) {
		bool looked;
		const uint32_t lines = count(&there[i], n - i, &next, &looked);

		if (looked && lines > ways)
			return false;
		held += lines < ways ? lines : ways;
	}
	/* All kinds alike. */
	return control || held >= n - leaves + level->leave_least * shape->kinds;
}
