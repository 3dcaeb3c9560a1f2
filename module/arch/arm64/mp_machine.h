/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arm64: no NMI count, no SMIs; cycles come from performance events only, as
 * the cycle counter is an undefined instruction in guests without a PMU.
 */
#ifndef MP_ARM64_MACHINE_H
#define MP_ARM64_MACHINE_H

#include "../../../ioctl/memprobe.h"
#include "../none.h"

static inline u32 mp_clock_kind(void)
{
	return MEMPROBE_CLOCK_CNTVCT;
}

#endif
