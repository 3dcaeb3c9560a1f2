// SPDX-License-Identifier: GPL-2.0
/* How text may look where it goes: asked once, obeyed by every writer. */
#include "report/style.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const inks[MP_INKS] = {
	[MP_INK_NONE] = "",
	[MP_INK_TITLE] = "\033[1m",
	[MP_INK_GOOD] = "\033[32m",
	[MP_INK_WARN] = "\033[1;33m",
	[MP_INK_DIM] = "\033[2m",
	[MP_INK_CURVE] = "\033[36m",
};

static bool set(const char *value)
{
	return value && value[0];
}

void mp_style_guess(struct mp_style *style, int fd, bool no_colour)
{
	const char *term = getenv("TERM");

	memset(style, 0, sizeof(*style));
	style->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	style->colour = !no_colour && isatty(fd) &&
			!set(getenv("NO_COLOR")) && set(term) &&
			strcmp(term, "dumb") != 0;
}

const char *mp_style_on(const struct mp_style *style, enum mp_ink ink)
{
	return style->colour ? inks[ink] : "";
}

const char *mp_style_off(const struct mp_style *style)
{
	return style->colour ? "\033[0m" : "";
}
