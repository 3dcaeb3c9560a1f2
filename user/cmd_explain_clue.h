/* SPDX-License-Identifier: GPL-2.0 */
/* What the reason of a fact is a clue to: what would remove it. */
#ifndef MP_CMD_EXPLAIN_CLUE_H
#define MP_CMD_EXPLAIN_CLUE_H

#include <stdbool.h>

/**
 * struct mp_clue - a reason, and what would remove it
 * @words: words of the reason
 * @says: what would remove it, or why nothing would
 * @remedy: it is something that can be done to a machine
 * @without_module: it is of no use to those who have the kernel module
 */
struct mp_clue {
	const char *words;
	const char *says;
	bool remedy;
	bool without_module;
};

/** mp_clue_find() - the first whose words stand in a reason; NULL */
const struct mp_clue *mp_clue_find(const char *reason);

#endif
