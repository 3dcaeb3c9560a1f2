/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers in words. No number that is not finite is ever printed. */
#ifndef MP_FORMAT_H
#define MP_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "fact.h"

/** MP_FORMAT_ROOM - room for any of these. */
#define MP_FORMAT_ROOM 64

/** mp_format_plain() - for programs: "32768", "1.0887", no exponent for what
 * is usual; "-" for an unknown one */
const char *mp_format_plain(char text[MP_FORMAT_ROOM], double value);

/** mp_format_human() - for people: "32 KiB", "1.09 ns", "3.68 GHz", "72";
 * "-" for an unknown one */
const char *mp_format_human(char text[MP_FORMAT_ROOM], double value,
			    const char *unit);

/** mp_format_counted() - what mp_format_human() leaves out of a unit, for
 * where no row says what is counted: " ways", or "" */
const char *mp_format_counted(const char *unit);

/** mp_format_range() - for people: "30 .. 33 KiB"; one side only: "30 KiB ..";
 * neither: "-" */
const char *mp_format_range(char text[MP_FORMAT_ROOM], double low, double high,
			    const char *unit);

/** mp_format_fact() - value of a fact for people, with what its verdict puts
 * before it: ">= 64 MiB"; "absent"; "?" where it is not known; "" for NULL */
const char *mp_format_fact(char text[MP_FORMAT_ROOM],
			   const struct mp_fact *fact, bool utf8);

/** MP_FORMAT_WHERE - room for what a fact is about, in words. */
#define MP_FORMAT_WHERE (MP_WHERE_KEYS * 2 * (MP_WHERE_TEXT + 1))

/** mp_format_where() - "cpus=0", "device=cuda:0 sm=17", "-" */
const char *mp_format_where(char text[MP_FORMAT_WHERE],
			    const struct mp_where *where);

#endif
