/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What only a kernel may do or know of a machine, in one place that chooses
 * the architecture; the timed code's needs are apart, in mp_arch.h. All of
 * it says whether it is known: unknown is never 0.
 */
#ifndef MP_MACHINE_H
#define MP_MACHINE_H

#include <linux/types.h>

/**
 * struct mp_witness - counts of a CPU that tell what came between
 * @nmi: non-maskable interrupts
 * @smi: system-management interrupts
 * @known: MEMPROBE_VALID_NMI and _SMI, as bits
 */
struct mp_witness {
	u64 nmi;
	u64 smi;
	u64 known;
};

/**
 * struct mp_freq - counts of the core clock and the reference clock
 * @known: both are
 */
struct mp_freq {
	u64 aperf;
	u64 mperf;
	bool known;
};

/**
 * struct mp_prefetch - the register that turns prefetchers off
 * @off: bits that turn them off; 0 = not known here
 */
struct mp_prefetch {
	u32 msr;
	u64 off;
};

/**
 * struct mp_machine - what was found once, when the module was loaded
 * @smi: SMIs are counted
 * @freq: the core clock is counted
 * @prefetch: how prefetchers are turned off
 */
struct mp_machine {
	bool smi;
	bool freq;
	struct mp_prefetch prefetch;
};

extern struct mp_machine mp_machine;

#if defined(CONFIG_UML)
#include "um/mp_machine.h"
#elif defined(CONFIG_X86_64)
#include "x86/mp_machine.h"
#elif defined(CONFIG_ARM64)
#include "arm64/mp_machine.h"
#else
#error "memprobe measures on x86-64 and arm64; see module/arch to add another"
#endif

/*
 * mp_machine_init() - ask once what this machine has; at load
 * mp_clock_kind() - enum memprobe_clock
 * mp_hypervisor() - is there one? false where that is not known
 * mp_witness_valid() - bits of enum memprobe_valid that mp_witness_read()
 *	can know here
 * mp_witness_read() - counts of this CPU; preemption off
 * mp_freq_read() - the same
 * mp_prefetch_off() - on this CPU, interrupts off; true: it reads back as
 *	written, and @saved is to be handed to mp_prefetch_restore()
 * mp_map_shift() - size of the page that maps a kernel address, 0 = unknown
 * mp_cache_can(), mp_cache_off(), mp_cache_on() - make pages of the kernel's
 *	mapping of all memory uncached, and cached again; sleep
 */

#endif
