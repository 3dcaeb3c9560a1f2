/* SPDX-License-Identifier: GPL-2.0 */
/* An architecture of which the module knows nothing but the clock. */
#ifndef MP_NONE_H
#define MP_NONE_H

#include <linux/errno.h>

static inline void mp_machine_init(struct mp_machine *machine)
{
}

static inline bool mp_hypervisor(void)
{
	return false;
}

static inline u64 mp_witness_valid(void)
{
	return 0;
}

static inline void mp_witness_read(struct mp_witness *seen)
{
	seen->known = 0;
	seen->nmi = 0;
	seen->smi = 0;
}

static inline void mp_freq_read(struct mp_freq *freq)
{
	freq->known = false;
}

static inline bool mp_prefetch_off(const struct mp_prefetch *prefetch,
				   u64 *saved)
{
	return false;
}

static inline void mp_prefetch_restore(const struct mp_prefetch *prefetch,
				       u64 saved)
{
}

static inline u32 mp_map_shift(unsigned long address)
{
	return 0;
}

static inline bool mp_cache_can(void)
{
	return false;
}

static inline int mp_cache_off(unsigned long address, unsigned long pages)
{
	return -EOPNOTSUPP;
}

static inline int mp_cache_on(unsigned long address, unsigned long pages)
{
	return 0;
}

#endif
