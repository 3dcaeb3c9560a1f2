/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sources that user/machine.c asks, each in its own file. Where a source
 * is a tree of files its root is an argument, so that a captured machine can
 * be read in its place.
 */
#ifndef MP_MACHINE_SOURCE_H
#define MP_MACHINE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend.h"

/** struct mp_cpuid - the four registers of one leaf */
struct mp_cpuid {
	uint32_t eax;
	uint32_t ebx;
	uint32_t ecx;
	uint32_t edx;
};

/**
 * mp_cpuid_read_fn - reads a leaf
 * @ctx: the reader's own
 * Return: true, or false where the leaf does not exist (@out is zeroed).
 */
typedef bool (*mp_cpuid_read_fn)(void *ctx, uint32_t leaf, uint32_t subleaf,
				 struct mp_cpuid *out);

/** mp_claim_once() - a claim, unless the fact has one already */
void mp_claim_once(struct mp_host *host, const char *fact, double value,
		   const char *source);

/** struct mp_cache_claim - one cache as a source describes it; 0 = not said */
struct mp_cache_claim {
	uint32_t level;
	uint64_t size_bytes;
	uint32_t line_bytes;
	uint32_t ways;
	uint32_t shared_cpus;
};

/**
 * mp_claim_cache() - the claims of one data or unified cache
 * A field that is zero, and a level other than 1, 2, 3 or 4, is left out.
 */
void mp_claim_cache(struct mp_host *host, const struct mp_cache_claim *cache,
		    const char *source);

/** mp_cpuid_native() - reader of the CPU that the thread runs on; NULL where
 * the architecture has no CPUID */
mp_cpuid_read_fn mp_cpuid_native(void);

/** mp_cpuid_claims() - caches and TLBs from CPUID leaves */
void mp_cpuid_claims(struct mp_host *host, mp_cpuid_read_fn read, void *ctx);

/** mp_cpuid_model() - "GenuineIntel family 6 model 143"; -ENODATA */
int mp_cpuid_model(mp_cpuid_read_fn read, void *ctx, char *text, size_t room);

/** mp_cpuid_hypervisor() - its signature, such as "KVMKVMKVM", or "unnamed";
 * -ENODATA on bare metal */
int mp_cpuid_hypervisor(mp_cpuid_read_fn read, void *ctx, char *text,
			size_t room);

/** mp_file_line() - first line of the file ROOT/FORMAT.., without its end;
 * -errno, -ENODATA when it is empty */
int mp_file_line(char *text, size_t room, const char *root,
		 const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/** mp_sysfs_online() - is the CPU there and online? Where there is no list
 * (no sysfs), every CPU is taken to be */
bool mp_sysfs_online(const char *root, uint32_t cpu);

/** mp_sysfs_model() - the model from ROOT/proc/cpuinfo, where
 * none is known yet ("ARM implementer 0x41 part 0xd0c") */
void mp_sysfs_model(struct mp_host *host, const char *root, uint32_t cpu);

/** mp_cpu_listed() - is the CPU in a list such as "0-3,8"? */
bool mp_cpu_listed(const char *list, uint32_t cpu);

/** mp_sysfs_claims() - caches from ROOT/sys/devices/system/cpu/cpuN/cache */
void mp_sysfs_claims(struct mp_host *host, const char *root, uint32_t cpu);

/** mp_hwloc_claims() - caches and the shape of the machine from hwloc */
void mp_hwloc_claims(struct mp_host *host, uint32_t cpu);

/** mp_conditions_read() - conditions from ROOT/proc and ROOT/sys */
void mp_conditions_read(struct mp_host *host, const char *root, uint32_t cpu,
			bool identify);

#endif
