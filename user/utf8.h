/* SPDX-License-Identifier: GPL-2.0 */
/* Words for people and for files: what may be printed, and how wide it is. */
#ifndef MP_UTF8_H
#define MP_UTF8_H

#include <stddef.h>
#include <stdio.h>

/** MP_COLUMNS - width of everything that is printed for people. */
#define MP_COLUMNS 80

/**
 * mp_utf8_clean() - make a text fit to print and to put into JSON, in place
 *
 * Every byte that is not part of well-formed UTF-8, and every control
 * character (a terminal would obey it), becomes '?'. The text never grows.
 */
void mp_utf8_clean(char *text);

/** mp_utf8_width() - columns of a clean text, one a character */
int mp_utf8_width(const char *text);

/**
 * mp_utf8_wrap() - print words, wrapped to MP_COLUMNS
 * @out: where to
 * @column: where the cursor stands
 * @indent: where following lines begin
 * @text: a clean text; a newline is put behind it
 */
void mp_utf8_wrap(FILE *out, int column, int indent, const char *text);

#endif
