// SPDX-License-Identifier: GPL-2.0
/*
 * The module once more, see copy_core.c; all but what needs a system call.
 * Its memory, its rests and its one run are apart from those of memprobe.ko.
 */
#include "../arena.c"
#include "../check.c"
#include "../contig.c"
#include "../file.c"
#include "../pmu.c"
#include "../quiet.c"
#include "../run.c"
#include "tests.h"

struct mp_machine mp_machine;

/* No file is opened here. */
long mp_dispatch(struct file *file, unsigned int number, unsigned long address)
{
	return -ENOIOCTLCMD;
}

void mp_test_total_mib(u32 mib)
{
	static u32 first;

	if (!first)
		first = arena_total_mib;
	arena_total_mib = mib ? mib : first;
}
