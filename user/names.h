/* SPDX-License-Identifier: GPL-2.0 */
/* Lists of names in one text, parted by commas. */
#ifndef MP_NAMES_H
#define MP_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/**
 * mp_names_next() - take the next name off a list
 * @rest: what is left of the list; NULL when it is used up (or there is none)
 * @name: gets the name; one that does not fit is cut and so matches nothing
 * @room: bytes of @name
 * Return: false when there is no more. An empty list has one empty name.
 */
bool mp_names_next(const char **rest, char *name, size_t room);

/** mp_names_has() - is a name of less than 64 bytes one of the list's? */
bool mp_names_has(const char *list, const char *name);

#endif
