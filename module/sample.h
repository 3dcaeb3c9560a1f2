/* SPDX-License-Identifier: GPL-2.0 */
/* From what was seen of a window to a sample. */
#ifndef MP_SAMPLE_H
#define MP_SAMPLE_H

#include "../ioctl/memprobe.h"
#include "quiet.h"

/** mp_sample_fill() - all but when it began and which burst it is */
void mp_sample_fill(struct memprobe_sample *sample,
		    const struct mp_quiet *quiet,
		    const struct memprobe_actor *actor);

/** mp_sample_count() - a counter that is known */
void mp_sample_count(struct memprobe_sample *sample, u32 slot, u64 count);

/**
 * mp_sample_groups() - the ticks of its groups
 * @quiet: its @ticks hold them
 * @offset: where they stand in the payload
 * @n: how many
 *
 * Of a chase in groups the sample's ticks are their sum, and a group stands
 * where a look does.
 */
void mp_sample_groups(struct memprobe_sample *sample,
		      const struct mp_quiet *quiet, u32 offset, u32 n);

/** mp_sample_valid() - bits of memprobe_sample.valid that can be set here */
u64 mp_sample_valid(void);

#endif
