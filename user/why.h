/* SPDX-License-Identifier: GPL-2.0 */
/* One clear line with an error: what, which value, what is allowed. */
#ifndef MP_WHY_H
#define MP_WHY_H

#include <stddef.h>

/**
 * mp_why() - say why, and hand the error on
 * @why: gets the line, cut to fit; may be NULL
 * @room: bytes of @why
 * @err: negative errno
 * @format: the line, without a newline
 * Return: @err.
 */
int mp_why(char *why, size_t room, int err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
