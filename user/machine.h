/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the system says about itself: claims, to stand beside what was
 * measured, and conditions. For the report only; no probe reads them.
 */
#ifndef MP_MACHINE_H
#define MP_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend.h"

/**
 * mp_machine_claims() - fill in model, claims and conditions of this machine
 * @host: gets them; claims and conditions that it holds already stay, and a
 *	model that is set stays
 * @cpu: the CPU to ask about (on hybrid machines they differ); the thread is
 *	moved there while CPUID is read and moved back
 * @identify: host name and serial numbers may be told
 *
 * One claim a fact: CPUID goes before sysfs, sysfs before hwloc. What no
 * source states is left out. Process context; reads files, allocates.
 * Return: 0, or -ENXIO when the system has no such CPU online.
 */
int mp_machine_claims(struct mp_host *host, uint32_t cpu, bool identify);

#endif
