/* SPDX-License-Identifier: GPL-2.0 */
/* A stored latency curve: CSV into a series. */
#ifndef MP_CURVE_H
#define MP_CURVE_H

#include <stddef.h>

#include "fact.h"

/** Bounds of a file that is read as a curve. */
#define MP_CURVE_MAX_BYTES (16ull << 20)
#define MP_CURVE_MAX_POINTS 100000u

/**
 * mp_curve_parse() - points from CSV
 * @text: the file, NUL-terminated; it is taken apart
 * @name: its name, for messages
 * @series: gets the points in order of footprint, and the unit, "cycles" or
 *	"ns"; free series->point. Empty after an error
 * @why: gets "NAME:LINE: what is wrong" with an error
 * @room: bytes of @why
 *
 * The first line that is neither empty nor a comment (#) names the columns:
 * footprint_bytes and latency_cycles or latency_ns, in any order and among
 * any others; with both, cycles are taken.
 * Return: 0, -EINVAL or -ENOMEM.
 */
int mp_curve_parse(char *text, const char *name, struct mp_series *series,
		   char *why, size_t room);

#endif
