// SPDX-License-Identifier: GPL-2.0
/* More of the module, whose static names would meet; see copy_core.c. */
#include "../rate.c"
#include "../sample.c"
