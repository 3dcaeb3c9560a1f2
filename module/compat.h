/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kernels differ in, by symbol and not by version. All of it is here.
 */
#ifndef MP_COMPAT_H
#define MP_COMPAT_H

#include <linux/kconfig.h>

/* Contiguous memory beyond what the buddy allocator hands out. */
#if IS_ENABLED(CONFIG_CONTIG_ALLOC)
#define MP_HAVE_CONTIG_RANGE 1
#else
#define MP_HAVE_CONTIG_RANGE 0
#endif

/* What alloc_contig_range() is told of ranges that are nothing special. */
#ifdef ACR_FLAGS_NONE
#define MP_CONTIG_PLAIN ACR_FLAGS_NONE
#else
#define MP_CONTIG_PLAIN MIGRATE_MOVABLE
#endif

/* vmalloc memory in huge pages; elsewhere vmalloc_huge() gives small ones. */
#if IS_ENABLED(CONFIG_HAVE_ARCH_HUGE_VMALLOC) && \
	IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE)
#define MP_HUGE_SHIFT PMD_SHIFT
#else
#define MP_HUGE_SHIFT 0
#endif

/* Performance events of the kernel's own. */
#if IS_ENABLED(CONFIG_PERF_EVENTS)
#define MP_HAVE_PERF 1
#else
#define MP_HAVE_PERF 0
#endif

/* Interrupts that are off only in name. */
#if IS_ENABLED(CONFIG_UML)
#define MP_NO_MEASUREMENT 1
#else
#define MP_NO_MEASUREMENT 0
#endif

#endif
