// SPDX-License-Identifier: GPL-2.0
#include "../../arena.c"
#include "../tests.h"

void mp_test_total_mib(u32 mib)
{
	static u32 first;

	if (!first)
		first = arena_total_mib;
	arena_total_mib = mib ? mib : first;
}
