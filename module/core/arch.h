/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one place that chooses an architecture. A new one needs its
 * mp_arch.h with the same names, and a line here.
 */
#ifndef MP_CORE_ARCH_H
#define MP_CORE_ARCH_H

#if defined(__x86_64__) && defined(__LP64__)
#include "../arch/x86/mp_arch.h"
#elif defined(__aarch64__) && defined(__LP64__)
#include "../arch/arm64/mp_arch.h"
#else
#error "memprobe measures on x86-64 and arm64; see module/arch to add another"
#endif

#endif
