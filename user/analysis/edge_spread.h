/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replicates of a length have small pages of their own each: by how the share of
 * hops that miss differs from one to the next, a shape and a capacity are told.
 */
#ifndef MP_EDGE_SPREAD_H
#define MP_EDGE_SPREAD_H

#include "analysis/edge.h"

/**
 * MP_EDGE_SPREAD_LEAST, MP_EDGE_SPREAD_FROM - so many replicates and more tell
 * how they spread, where neither all nor no hops miss, by so large a share
 */
#define MP_EDGE_SPREAD_LEAST 5u
#define MP_EDGE_SPREAD_FROM 0.06

/**
 * mp_edge_spread_off() - how far what replicates differ by is from what they
 * should, a chi-square
 * @shape, @size: what they should go by; @size in bytes
 * @whole: gets it for pages that fall on whole places
 */
double mp_edge_spread_off(const struct mp_edge_data *data,
			  const struct mp_miss_table *table, uint32_t shape,
			  double size, double *whole);

/** mp_edge_spread_points() - so many lengths have a say in that */
uint32_t mp_edge_spread_points(const struct mp_edge_data *data);

#endif
