// SPDX-License-Identifier: GPL-2.0
/*
 * Words for people and for files. File names, machine names and the texts
 * of a report that somebody sent may hold anything; a terminal and a JSON
 * parser get clean UTF-8 only.
 */
#include "utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bytes of the character that begins here, 0 when none does (RFC 3629). */
static int sequence(const unsigned char *c, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	int n;

	if (c[0] < 0x80) {
		*code = c[0];
		return 1;
	}
	if (c[0] >= 0xc2 && c[0] < 0xe0)
		n = 2;
	else if (c[0] >= 0xe0 && c[0] < 0xf0)
		n = 3;
	else if (c[0] >= 0xf0 && c[0] < 0xf5)
		n = 4;
	else
		return 0;
	*code = c[0] & (0x7fu >> n);
	for (int i = 1; i < n; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (c[i] & 0x3fu);
	}
	if (*code < least[n] || *code > 0x10ffff ||
	    (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return n;
}

/* Controls, and the marks that turn the direction of writing. */
static bool obeyed(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) ||
	       (code >= 0x200e && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

void mp_utf8_clean(char *text)
{
	unsigned char *c = (unsigned char *)text;

	while (*c) {
		uint32_t code;
		int n = sequence(c, &code);

		if (n == 0 || obeyed(code)) {
			n = n ? n : 1;
			memset(c, '?', (size_t)n);
		}
		c += n;
	}
}

int mp_utf8_width(const char *text)
{
	int width = 0;

	for (; *text; text++)
		if (((unsigned char)*text & 0xc0) != 0x80)
			width++;
	return width;
}

/* Columns of the word that begins here; @bytes gets its length. */
static int word_width(const char *text, size_t *bytes)
{
	int width = 0;

	for (*bytes = 0; text[*bytes] && text[*bytes] != ' '; (*bytes)++)
		if (((unsigned char)text[*bytes] & 0xc0) != 0x80)
			width++;
	return width;
}

void mp_utf8_wrap(FILE *out, int column, int indent, const char *text)
{
	bool first = true;

	while (*text) {
		size_t bytes;
		const int width = word_width(text, &bytes);

		if (!first && column + 1 + width >= MP_COLUMNS) {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
			first = true;
		}
		fprintf(out, "%s%.*s", first ? "" : " ", (int)bytes, text);
		column += width + !first;
		first = false;
		text += bytes;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}
