// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of names, taken apart one by one.
 */
#include "names.h"

#include <stdio.h>
#include <string.h>

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
