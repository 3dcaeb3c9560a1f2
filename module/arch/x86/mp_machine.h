/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86-64. Register numbers: Intel SDM volume 4 (IA32_MPERF, IA32_APERF,
 * MSR_SMI_COUNT, MSR_MISC_FEATURE_CONTROL), AMD PPR for family 19h (Prefetch
 * Control, CPUID Fn8000_0021 EAX bit 13).
 *
 * Under a hypervisor no model-specific register is touched: several answer 0
 * for what they do not know, and swallow what is written.
 */
#ifndef MP_X86_MACHINE_H
#define MP_X86_MACHINE_H

#include <linux/hardirq.h>
#include <linux/pgtable.h>
#include <linux/set_memory.h>

#include <asm/cpu_device_id.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "../../../ioctl/memprobe.h"

#define MP_MSR_SMI_COUNT 0x34
#define MP_MSR_MPERF 0xe7
#define MP_MSR_APERF 0xe8
#define MP_MSR_INTEL_PREFETCH 0x1a4
/* Streamer, adjacent line, next line, by instruction pointer. */
#define MP_INTEL_PREFETCH_OFF 0xfull
#define MP_MSR_AMD_PREFETCH 0xc0000108
/* L1 stream, stride, region; L2 stream, up/down. */
#define MP_AMD_PREFETCH_OFF 0x2full
#define MP_AMD_CPUID_PREFETCH 0x80000021u
#define MP_AMD_HAS_PREFETCH 13

static inline u32 mp_clock_kind(void)
{
	return MEMPROBE_CLOCK_TSC;
}

static inline bool mp_hypervisor(void)
{
	return boot_cpu_has(X86_FEATURE_HYPERVISOR);
}

/* Since Nehalem (family 6 model 1Ah); counts since reset. */
static inline bool mp_smi_counted(void)
{
	u64 count;

	return boot_cpu_data.x86_vendor == X86_VENDOR_INTEL &&
	       boot_cpu_data.x86 == 6 && boot_cpu_data.x86_model >= 0x1a &&
	       !mp_hypervisor() && !rdmsrl_safe(MP_MSR_SMI_COUNT, &count);
}

static inline u64 mp_witness_valid(void)
{
	return 1ull << MEMPROBE_VALID_NMI |
	       (mp_machine.smi ? 1ull << MEMPROBE_VALID_SMI : 0);
}

static inline void mp_witness_read(struct mp_witness *seen)
{
	seen->known = mp_witness_valid();
	seen->nmi = raw_cpu_read(irq_stat.__nmi_count);
	seen->smi = 0;
	if (mp_machine.smi && rdmsrl_safe(MP_MSR_SMI_COUNT, &seen->smi))
		seen->known &= ~(1ull << MEMPROBE_VALID_SMI);
}

static inline void mp_freq_read(struct mp_freq *freq)
{
	freq->known = mp_machine.freq &&
		      !rdmsrl_safe(MP_MSR_APERF, &freq->aperf) &&
		      !rdmsrl_safe(MP_MSR_MPERF, &freq->mperf);
}

/*
 * Intel: models whose register the manual's volume 4 gives these four bits:
 * the large cores from Nehalem to Emerald Rapids. Hybrid parts have more
 * registers for their small cores, and are left alone.
 */
static inline bool mp_intel_prefetch(void)
{
	static const u8 models[] = {
		0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f, 0x2a, 0x2d, 0x3a,
		0x3e, 0x3c, 0x3f, 0x45, 0x46, 0x3d, 0x47, 0x4f, 0x56, 0x4e,
		0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6, 0x7d, 0x7e, 0x6a, 0x6c,
		0x8c, 0x8d, 0xa7, 0x8f, 0xcf,
	};
	u32 i;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL ||
	    boot_cpu_data.x86 != 6)
		return false;
	for (i = 0; i < ARRAY_SIZE(models); i++)
		if (models[i] == boot_cpu_data.x86_model)
			return true;
	return false;
}

static inline bool mp_amd_prefetch(void)
{
	if (boot_cpu_data.x86_vendor != X86_VENDOR_AMD ||
	    boot_cpu_data.x86 < 0x19 || boot_cpu_data.x86 > 0x1a ||
	    boot_cpu_data.extended_cpuid_level < MP_AMD_CPUID_PREFETCH)
		return false;
	return cpuid_eax(MP_AMD_CPUID_PREFETCH) >> MP_AMD_HAS_PREFETCH & 1;
}

static inline void mp_prefetch_find(struct mp_prefetch *prefetch)
{
	prefetch->off = 0;
	if (mp_hypervisor())
		return;
	if (mp_intel_prefetch()) {
		prefetch->msr = MP_MSR_INTEL_PREFETCH;
		prefetch->off = MP_INTEL_PREFETCH_OFF;
	} else if (mp_amd_prefetch()) {
		prefetch->msr = MP_MSR_AMD_PREFETCH;
		prefetch->off = MP_AMD_PREFETCH_OFF;
	}
}

static inline void mp_machine_init(struct mp_machine *machine)
{
	machine->smi = mp_smi_counted();
	machine->freq = boot_cpu_has(X86_FEATURE_APERFMPERF) &&
			!mp_hypervisor();
	mp_prefetch_find(&machine->prefetch);
}

static inline void mp_prefetch_restore(const struct mp_prefetch *prefetch,
				       u64 saved)
{
	wrmsrl_safe(prefetch->msr, saved);
}

static inline bool mp_prefetch_off(const struct mp_prefetch *prefetch,
				   u64 *saved)
{
	u64 now = 0;

	if (rdmsrl_safe(prefetch->msr, saved))
		return false;
	if (wrmsrl_safe(prefetch->msr, *saved | prefetch->off))
		return false;
	if (!rdmsrl_safe(prefetch->msr, &now) &&
	    now == (*saved | prefetch->off))
		return true;
	mp_prefetch_restore(prefetch, *saved);
	return false;
}

static inline u32 mp_map_shift(unsigned long address)
{
	unsigned int level;

	if (!lookup_address(address, &level))
		return 0;
	switch (level) {
	case PG_LEVEL_4K:
		return PAGE_SHIFT;
	case PG_LEVEL_2M:
		return PMD_SHIFT;
	case PG_LEVEL_1G:
		return PUD_SHIFT;
	default:
		return 0;
	}
}

static inline bool mp_cache_can(void)
{
	return true;
}

static inline int mp_cache_off(unsigned long address, unsigned long pages)
{
	return set_memory_uc(address, (int)pages);
}

static inline int mp_cache_on(unsigned long address, unsigned long pages)
{
	return set_memory_wb(address, (int)pages);
}

#endif
