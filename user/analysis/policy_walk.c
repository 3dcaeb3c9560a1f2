// SPDX-License-Identifier: GPL-2.0
/* Accesses to lines of one set, drawn so that policies differ in what hits. */
#include "analysis/policy_walk.h"

#include <string.h>

#include "perm.h"

/* Lines that are looked at: so many more than fit, and twice as many as fit
 * where that is more. */
#define MORE 6u
/* .. in smaller lists. */
static const uint32_t more_of[MP_POLICY_SIZES] = { 0, 0, MORE, 4, 3 };

/* Orders that are tried: of any about half will do. */
#define ORDERS 32u
/* Lines that are drawn for a look, if the first ones lead a prefetcher on. */
#define DRAWN 8u

/*
 * What is drawn: of a hundred looks so many go to lines that were not looked
 * at lately. Lately: with so many eighths of the ways in other lines looked
 * at since, from and to. Lines that are about to go tell policies apart best;
 * some tell only by what is done to the youngest. And some policies are one
 * until a full set has been looked at twice.
 */
static const struct mix {
	uint32_t new_percent;
	uint32_t from;
	uint32_t to;
	bool twice;
} mixes[] = {
	{ 50, 4, 10, false },
	{ 35, 0, 10, false },
	{ 50, 4, 10, true },
};

/* A walk while it is drawn. */
struct draw {
	struct mp_policy_walk *walk;
	const struct mp_policy_shape *shape;
	const struct mix *mix;
	struct mp_rng rng;
	uint32_t first;		/* of the lines that are looked at */
	uint32_t looks;		/* so far */
	uint32_t before[2];	/* where the last two looks went */
	uint32_t room;		/* steps that are left */
	uint32_t left[MP_POLICY_LINES];	/* visits that a line has left */
	uint32_t last[MP_POLICY_LINES];	/* when it was looked at, 0 = not yet */
	bool inside[MP_POLICY_LINES];	/* it may lie in a level inside */
};

static void add(struct draw *draw, uint32_t line, uint32_t what)
{
	struct mp_policy_walk *walk = draw->walk;
	const uint32_t cost = what == MP_POLICY_LEAVE ?
			      draw->shape->leave : 1;

	if (draw->room < cost) {
		draw->room = 0;
		return;
	}
	draw->room -= cost;
	walk->step[walk->n++] = (struct mp_policy_step){
		.line = (uint16_t)line,
		.what = (uint16_t)what,
	};
	if (what != MP_POLICY_LEAVE)
		draw->left[line]--;
}

/* Where lines have few visits those that are looked at keep theirs: most
 * policies have driven them out by then. */
static void empty_the_set(struct draw *draw)
{
	const uint32_t ways = draw->walk->ways;
	const bool few = draw->shape->visits < MP_POLICY_VISITS;

	for (uint32_t i = 0; i < draw->first; i++)
		add(draw, i, MP_POLICY_TOUCH);
	/* Bits and ages of the ways come nearer to one another so. */
	for (uint32_t i = draw->first - ways; i < draw->first && !few; i++)
		add(draw, i, MP_POLICY_TOUCH);
	for (uint32_t i = 0; i < (few ? draw->first : draw->walk->lines); i++)
		add(draw, i, MP_POLICY_FLUSH);
}

/* How many lines were looked at after this one? */
static uint32_t younger(const struct draw *draw, uint32_t line)
{
	uint32_t n = 0;

	for (uint32_t i = draw->first; i < draw->walk->lines; i++)
		n += draw->last[i] > draw->last[line];
	return n;
}

/* One of those that were looked at lately, or of the others.
 * Return: the line; lines: there is none left. */
static uint32_t choose(struct draw *draw, bool lately)
{
	const uint32_t lines = draw->walk->lines, ways = draw->walk->ways;
	uint32_t of[MP_POLICY_LINES], n = 0;

	for (uint32_t i = draw->first; i < lines; i++) {
		const uint32_t since = 8 * younger(draw, i);
		const bool is_late = draw->last[i] &&
				     since <= draw->mix->to * ways;

		if (!draw->left[i] || is_late != lately)
			continue;
		if (!is_late || since >= draw->mix->from * ways)
			of[n++] = i;
	}
	return n ? of[mp_rng_below(&draw->rng, n)] : lines;
}

/* The step from place to place that was made last, once more? */
static bool goes_on(const uint32_t before[2], uint32_t place)
{
	return before[0] != before[1] &&
	       place - before[0] == before[0] - before[1];
}

static uint32_t choose_apart(struct draw *draw, bool lately)
{
	const struct mp_policy_walk *walk = draw->walk;
	uint32_t line = choose(draw, lately);

	for (uint32_t i = 1; i < DRAWN && line < walk->lines &&
			     goes_on(draw->before, walk->place[line]); i++)
		line = choose(draw, lately);
	return line;
}

/* All lines of its kind go. */
static void leave(struct draw *draw, uint32_t line)
{
	const uint32_t kinds = draw->shape->kinds;
	const uint32_t *place = draw->walk->place;

	add(draw, line, MP_POLICY_LEAVE);
	for (uint32_t i = 0; i < draw->walk->lines; i++)
		if (place[i] % kinds == place[line] % kinds)
			draw->inside[i] = false;
}

static void look(struct draw *draw, uint32_t line)
{
	if (draw->shape->leave && draw->inside[line])
		leave(draw, line);
	add(draw, line, MP_POLICY_LOOK);
	draw->last[line] = ++draw->looks;
	draw->inside[line] = true;
	draw->before[1] = draw->before[0];
	draw->before[0] = draw->walk->place[line];
}

static uint32_t looked_at(uint32_t ways)
{
	return ways + (ways > MORE ? ways : MORE);
}

void mp_policy_shape_of(struct mp_policy_shape *shape, uint32_t ways,
			uint32_t visits, uint32_t size)
{
	const bool few = visits < MP_POLICY_VISITS;
	const uint32_t more = more_of[size];

	*shape = (struct mp_policy_shape){
		.ways = ways,
		.empty = 2 * ways,
		.looked = more ? ways + more : looked_at(ways),
		.narrow = size > 0,
		.visits = visits,
		.kinds = 1,
		.room = MP_POLICY_STEPS,
	};
	/* What is looked at and not flushed takes more to drive out. */
	if (more && !few)
		shape->empty = ways;
	if (!size && few)
		shape->looked *= 2;
}

uint32_t mp_policy_shape_lines(const struct mp_policy_shape *shape)
{
	return shape->empty + shape->looked;
}

static bool leads_on(uint32_t n, const uint32_t *place)
{
	for (uint32_t i = 2; i < n; i++)
		if (place[i] - place[i - 1] == place[i - 1] - place[i - 2])
			return true;
	return false;
}

void mp_policy_places(uint32_t n, uint32_t *place)
{
	struct mp_rng rng;

	mp_rng_seed(&rng, n);
	for (uint32_t i = 0; i < ORDERS && (!i || leads_on(n, place)); i++)
		mp_perm_order(place, n, 0, &rng);
}

void mp_policy_shape_places(const struct mp_policy_shape *shape,
			    uint32_t *place)
{
	if (!shape->narrow) {
		mp_policy_places(mp_policy_shape_lines(shape), place);
		return;
	}
	mp_policy_places(shape->empty, place);
	for (uint32_t i = 0; i < shape->empty; i++)
		place[i] += shape->looked;
	mp_policy_places(shape->looked, place + shape->empty);
}

void mp_policy_walk_make(struct mp_policy_walk *walk,
			 const struct mp_policy_shape *shape, uint64_t seed)
{
	struct draw draw = {
		.walk = walk,
		.shape = shape,
		.mix = &mixes[seed % (sizeof(mixes) / sizeof(mixes[0]))],
		.first = shape->empty,
		.room = shape->room < MP_POLICY_STEPS ? shape->room :
							MP_POLICY_STEPS,
	};
	/* Where lines have few visits looking twice leaves few others: only in
	 * walks that come so late that they are chosen. */
	const bool twice = draw.mix->twice &&
			   (shape->visits >= MP_POLICY_VISITS ||
			    seed >= MP_POLICY_WALKS);

	walk->ways = shape->ways;
	walk->lines = mp_policy_shape_lines(shape);
	walk->n = 0;
	mp_policy_shape_places(shape, walk->place);
	mp_rng_seed(&draw.rng, seed);
	for (uint32_t i = 0; i < walk->lines; i++)
		draw.left[i] = shape->visits;
	empty_the_set(&draw);
	for (uint32_t i = 0; twice && i < 2 * shape->ways; i++)
		look(&draw, draw.first + i % shape->ways);
	while (draw.room) {
		const bool lately = mp_rng_below(&draw.rng, 100) >=
				    draw.mix->new_percent;
		uint32_t line = choose_apart(&draw, lately);

		if (line == walk->lines)
			line = choose_apart(&draw, !lately);
		if (line == walk->lines)
			return;
		look(&draw, line);
	}
}
