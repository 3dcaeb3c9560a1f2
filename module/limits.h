/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits of the kernel module; those of a window are in core/window.h, which
 * user space shares. INFO tells them all.
 */
#ifndef MP_MODULE_LIMITS_H
#define MP_MODULE_LIMITS_H

#include "core/window.h"

/** MP_CALL_MAX_NS - a RUN ends after this. Larger plans are many calls. */
#define MP_CALL_MAX_NS 10000000000ull

/** MP_ACTORS_MAX - one today; more when ping-pong and loads come. */
#define MP_ACTORS_MAX 1u
/** MP_BURSTS_MAX - samples of a run: 1 MiB of them. */
#define MP_BURSTS_MAX 4096u
/** MP_HOPS_MAX - of a burst or a warm-up. */
#define MP_HOPS_MAX (1ull << 32)
/**
 * MP_RING_SLOTS - slots of a ring: linking so many takes below a second, and
 * its scratch 16 MiB.
 */
#define MP_RING_SLOTS (1u << 22)
/** MP_STEPS_MAX - steps of a sequence. */
#define MP_STEPS_MAX 4096u
/** MP_TICKS_MAX - words for ticks of groups and steps: 1 MiB. */
#define MP_TICKS_MAX (1u << 17)
/** MP_GROUP_MAX - hops timed together: as between two looks. */
#define MP_GROUP_MAX MP_CHASE_LOOK_HOPS
/** MP_SAMPLE_STRIDE_MAX - bytes from sample to sample. */
#define MP_SAMPLE_STRIDE_MAX 4096u

/** MP_ARENAS_MAX - arenas of one file. */
#define MP_ARENAS_MAX 16u
/**
 * MP_ARENA_TOTAL_MIB - all arenas of all files, unless the module parameter
 * arena_total_mib says otherwise. A user-mode Linux maps each page by a
 * mapping of its host, which has not many.
 */
#define MP_ARENA_TOTAL_MIB 1024u
#define MP_ARENA_TOTAL_UML_MIB 128u
/** MP_ARENA_SHARE - no arena takes more than 1/so much of what is free. */
#define MP_ARENA_SHARE 2u
/**
 * MP_ARENA_LEAVE_BYTES - nor does any take of the last that is free: page
 * tables of 1 GiB are 2 MiB, and counts of what is free are not exact.
 */
#define MP_ARENA_LEAVE_BYTES (16ull << 20)
/**
 * MP_ARENA_BOOST_PERCENT - nor of what the kernel may come to keep back: it
 * raises watermarks by so much of a zone's highest, or by a block of pages if
 * that is more, unless vm.watermark_boost_factor says otherwise.
 */
#define MP_ARENA_BOOST_PERCENT 150u
/** MP_ARENA_SEARCH_NS - looking for contiguous memory ends after this. */
#define MP_ARENA_SEARCH_NS 3000000000ull
/**
 * MP_BLOCK_SHIFT - blocks of 4 MiB: the most that the buddy allocator of
 * every kernel hands out.
 */
#define MP_BLOCK_SHIFT 22u
/**
 * MP_UNCACHED_MIN_BYTES - few uncached lines, read over and over, would
 * hammer one row of memory.
 */
#define MP_UNCACHED_MIN_BYTES (16ull << 20)
/**
 * MP_UNCACHED_MIN_SLOTS - for the same reason: about 100 loads a row in the
 * 64 ms between two refreshes of memory.
 */
#define MP_UNCACHED_MIN_SLOTS 4096u
/** MP_STRUCT_MAX - no struct of a caller is larger. */
#define MP_STRUCT_MAX 4096u
/** MP_PAGE_SHIFT_MAX - 1 GiB. */
#define MP_PAGE_SHIFT_MAX 30u

/** MP_RATE_SLEEP_MS - how long the rate of the clock is measured. */
#define MP_RATE_SLEEP_MS 20u
/**
 * MP_RATE_OFF_PART - a rate that is off by more than this part of itself is
 * another clock's.
 */
#define MP_RATE_OFF_PART 256u
/** MP_RATE_SUSPENDED_NS - two reads of how long it was suspended differ less. */
#define MP_RATE_SUSPENDED_NS 1000000ull
/** MP_RATE_MIN_HZ, MP_RATE_MAX_HZ - a clock outside is not to be trusted. */
#define MP_RATE_MIN_HZ 1000000ull
#define MP_RATE_MAX_HZ 15000000000ull

#endif
