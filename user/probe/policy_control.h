/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the lines of a control lie: in the pages that those of a walk lie in,
 * and so that the innermost level has room for all of them.
 */
#ifndef MP_POLICY_CONTROL_H
#define MP_POLICY_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "exp.h"
#include "steps.h"

/** MP_POLICY_PAGE - bytes of a small page */
#define MP_POLICY_PAGE 4096u
/** MP_POLICY_SETS - lines of a page, at most */
#define MP_POLICY_SETS (MP_POLICY_PAGE / MP_STEPS_SLOT)

/**
 * struct mp_policy_control - what has been placed
 * @line: bytes of a line, MP_STEPS_SLOT at least
 * @way: bytes of a way of the innermost level
 * @most: lines that one of its sets may get
 * @spare: the first of its sets that are for lines that need not stay; 0: all
 *	stay
 * @next: number of lines that were begun
 * @n, @at, @used: lines that hold slots, where, and the bytes of them in use
 * @in_set: lines of each set
 */
struct mp_policy_control {
	uint32_t line;
	uint64_t way;
	uint32_t most;
	uint32_t spare;
	uint32_t next;
	uint32_t n;
	uint64_t at[MP_EXP_STEPS];
	uint32_t used[MP_EXP_STEPS];
	uint32_t in_set[MP_POLICY_SETS];
};

/** mp_policy_control_init() - nothing is placed; @line and @way in bytes */
void mp_policy_control_init(struct mp_policy_control *control, uint32_t line,
			    uint64_t way, uint32_t most, uint32_t spare);

/**
 * mp_policy_control_place() - a slot for one line more
 * @own: where it lies in the walk, bytes
 * @stays: in the innermost level
 * @at: gets where it lies in the control: in the same page
 * Return: false if there is no room.
 */
bool mp_policy_control_place(struct mp_policy_control *control, uint64_t own,
			     bool stays, uint64_t *at);

#endif
