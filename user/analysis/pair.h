/* SPDX-License-Identifier: GPL-2.0 */
/* Is what looks like one edge of a curve two, a level between them? */
#ifndef MP_PAIR_H
#define MP_PAIR_H

#include "analysis/edge.h"

/**
 * struct mp_pair - two edges that explain a stretch together
 * @size: the two capacities, inner first
 * @valley: the length between them at which the curve rises least
 * @inside, @between, @outside: values of the levels
 * @single: what the best single edge leaves, root mean square as a share of
 *	the whole jump
 * @misfit: what the pair leaves, the same way
 * @dip: how steep the curve of the pair is in its valley, over the less
 *	steep of its two edges, both in logarithms: 1 where there is none
 * @seen: miss share of the outer level at the last point: how much of its
 *	edge was looked at
 */
struct mp_pair {
	double size[2];
	double valley;
	double inside;
	double between;
	double outside;
	double single;
	double misfit;
	double dip;
	double seen;
};

/**
 * mp_pair_fit() - explain a stretch by one edge and by two
 * @data: the stretch; capacities are tried from its first to its last point
 * @table: shapes
 * @pair: gets the answer
 *
 * Return: 0; -ENODATA with too few points, where one edge explains them all,
 * or where no two rising edges fit; -ENOMEM.
 */
int mp_pair_fit(const struct mp_edge_data *data,
		const struct mp_miss_table *table, struct mp_pair *pair);

/** enum mp_pair_verdict - what a pair says of a stretch */
enum mp_pair_verdict {
	MP_PAIR_ONE,	/* nothing speaks for a second edge */
	MP_PAIR_TWO,	/* two explain it much better, and a plateau shows */
	MP_PAIR_EITHER,	/* two explain it better, but no plateau shows */
};

/**
 * mp_pair_judge() - whether the pair is to be believed
 *
 * One edge must leave much that two do not, and a plateau must show: any
 * smooth slope can be had from two edges, but only two edges rise twice.
 */
enum mp_pair_verdict mp_pair_judge(const struct mp_pair *pair);

#endif
