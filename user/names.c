// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of names, taken apart one by one.
 */
#include "names.h"

#include <stdio.h>
#include <string.h>

/* Longer than any name that is looked for. */
#define NAME_ROOM 64

bool mp_names_next(const char **rest, char *name, size_t room)
{
	const char *from = *rest;
	size_t length;

	if (!from)
		return false;
	length = strcspn(from, ",");
	snprintf(name, room, "%.*s", (int)length, from);
	*rest = from[length] ? from + length + 1 : NULL;
	return true;
}

bool mp_names_has(const char *list, const char *name)
{
	char one[NAME_ROOM];

	while (mp_names_next(&list, one, sizeof(one)))
		if (strcmp(one, name) == 0)
			return true;
	return false;
}
