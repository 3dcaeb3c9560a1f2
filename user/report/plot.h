/* SPDX-License-Identifier: GPL-2.0 */
/* A curve in a terminal: value against footprint, both logarithmic. */
#ifndef MP_PLOT_H
#define MP_PLOT_H

#include <stdint.h>
#include <stdio.h>

#include "fact.h"
#include "report/style.h"

/** Size of the drawing area, in characters. */
#define MP_PLOT_COLUMNS 60
#define MP_PLOT_ROWS 15

/**
 * struct mp_plot_mark - a vertical line
 * @x: where, on the series' first axis
 * @name: up to seven characters, written above it
 */
struct mp_plot_mark {
	double x;
	char name[8];
};

/**
 * mp_plot_draw() - draw a series of one axis
 * @out: where to
 * @series: points in any order; those that are not above zero are left out,
 *	a logarithm has no place for them
 * @mark: lines to draw behind the curve; those outside it are left out
 * @n_marks: how many
 * @style: how it may look
 * Return: 0; -ENODATA, and nothing printed, when fewer than two different
 * places are left; -ENOMEM.
 */
int mp_plot_draw(FILE *out, const struct mp_series *series,
		 const struct mp_plot_mark *mark, uint32_t n_marks,
		 const struct mp_style *style);

#endif
