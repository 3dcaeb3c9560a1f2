// SPDX-License-Identifier: GPL-2.0
/*
 * The line that goes with an error, so that saying it and returning it is
 * one statement everywhere.
 */
#include "why.h"

#include <stdarg.h>
#include <stdio.h>

int mp_why(char *why, size_t room, int err, const char *format, ...)
{
	va_list args;

	if (why && room) {
		va_start(args, format);
		vsnprintf(why, room, format, args);
		va_end(args);
	}
	return err;
}
