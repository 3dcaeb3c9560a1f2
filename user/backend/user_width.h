/* SPDX-License-Identifier: GPL-2.0 */
/* Has a CPU its core to itself? Nobody tells a guest of its neighbours. */
#ifndef MP_USER_WIDTH_H
#define MP_USER_WIDTH_H

#include <stdint.h>

/**
 * mp_user_width() - how many adds are made in the time of one, on this CPU
 *
 * Adds that do not wait for each other, in the time of as many that do: the
 * width of the core, or what another thread on it leaves of that. A core's
 * frequency has no part in it. The median of some windows of a few us, so that
 * neither an interrupt nor a task counts; a millisecond in all.
 * Return: 3 to 8 of today's cores; 0 where the clock does not tell.
 */
double mp_user_width(void);

/**
 * mp_user_width_best() - the CPU whose core is its own
 * @width: of each; 0 = not known
 * @n: how many
 * @usual: the one that is taken unless another is wider by more than noise is
 * Return: an index.
 */
uint32_t mp_user_width_best(const double *width, uint32_t n, uint32_t usual);

#endif
