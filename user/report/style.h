/* SPDX-License-Identifier: GPL-2.0 */
/* How text may look where it goes. */
#ifndef MP_STYLE_H
#define MP_STYLE_H

#include <stdbool.h>

/**
 * struct mp_style - what the reader's end can show
 * @utf8: line drawing and other characters beyond ASCII
 * @colour: ANSI colours
 * @verbose: methods, reasons and evidence too
 */
struct mp_style {
	bool utf8;
	bool colour;
	bool verbose;
};

/** enum mp_ink - what a colour stands for */
enum mp_ink {
	MP_INK_NONE,
	MP_INK_TITLE,
	MP_INK_GOOD,
	MP_INK_WARN,
	MP_INK_DIM,
	MP_INK_CURVE,
	MP_INKS,
};

/**
 * mp_style_guess() - from the locale, the terminal and the environment
 * @style: gets it; not verbose
 * @fd: where the text goes
 * @no_colour: the user asked for none
 *
 * Colours on a terminal only, and not with NO_COLOR set to anything or
 * TERM=dumb. Needs setlocale(LC_CTYPE, "") to have been called.
 */
void mp_style_guess(struct mp_style *style, int fd, bool no_colour);

/** mp_style_on() - what switches an ink on; "" without colours */
const char *mp_style_on(const struct mp_style *style, enum mp_ink ink);
/** mp_style_off() - what switches any ink off; "" without colours */
const char *mp_style_off(const struct mp_style *style);

#endif
