// SPDX-License-Identifier: GPL-2.0
/* The timed code once more, with its flags; see copy_core.c. */
#include "../core/chase.c"
#include "../core/steps.c"
