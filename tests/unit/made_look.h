/* SPDX-License-Identifier: GPL-2.0 */
/* Looks at batches, as the runner counts them: of each, what follows is kept. */
#ifndef MADE_LOOK_H
#define MADE_LOOK_H

#include <stdint.h>

/** made_look() - the number of another look, of all that a program takes */
uint64_t made_look(void);

#endif
