/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-mode Linux: the clock is the host's, and nothing else is known.
 */
#ifndef MP_UM_MACHINE_H
#define MP_UM_MACHINE_H

#include "../../../ioctl/memprobe.h"
#include "../none.h"

static inline u32 mp_clock_kind(void)
{
	return MEMPROBE_CLOCK_HOST_TSC;
}

#endif
