/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The words that memprobe's kernel module, user space and GPU hosts share.
 *
 * One sample is one burst of one actor, raw, in the same fixed layout
 * wherever it was taken and on disk. The ioctl commands of the kernel
 * module join this file with the module.
 */
#ifndef MEMPROBE_UAPI_H
#define MEMPROBE_UAPI_H

#include <linux/types.h>

/** MEMPROBE_COUNTERS - event counters that one sample can hold. */
#define MEMPROBE_COUNTERS 16

/**
 * enum memprobe_valid - bits of memprobe_sample.valid
 *
 * A field whose bit is clear is unknown. Unknown is never zero.
 * Bits 0..15 stand for counter[0..15].
 */
enum memprobe_valid {
	MEMPROBE_VALID_COUNTER0 = 0,
	MEMPROBE_VALID_START = 16,
	MEMPROBE_VALID_SPAN2 = 17,
	MEMPROBE_VALID_GAPS = 18,
	MEMPROBE_VALID_CPU_END = 19,
	MEMPROBE_VALID_NMI = 20,
	MEMPROBE_VALID_SMI = 21,
	MEMPROBE_VALID_SWITCHES = 22,
	MEMPROBE_VALID_FAULTS = 23,
	MEMPROBE_VALID_OVERRUN = 24,
};

/**
 * enum memprobe_flag - bits of memprobe_sample.flags: what disturbed it
 * @MEMPROBE_F_GAP: the clock jumped inside the measured stretch
 * @MEMPROBE_F_COLD: a gap lay between warm-up and this burst, so what was
 *	warm may have been evicted
 * @MEMPROBE_F_MIGRATED: the burst ended on another CPU than it began on
 * @MEMPROBE_F_SWITCHED: the kernel counted a context switch
 * @MEMPROBE_F_FAULT: a page fault was taken
 * @MEMPROBE_F_NMI: a non-maskable interrupt was counted
 * @MEMPROBE_F_SMI: a system-management interrupt was counted
 * @MEMPROBE_F_CLOCK: the core clock before and after differ
 * @MEMPROBE_F_SHORT: the window ended before all hops were made. Not a
 *	disturbance: hops says how many there were
 */
enum memprobe_flag {
	MEMPROBE_F_GAP = 1u << 0,
	MEMPROBE_F_COLD = 1u << 1,
	MEMPROBE_F_MIGRATED = 1u << 2,
	MEMPROBE_F_SWITCHED = 1u << 3,
	MEMPROBE_F_FAULT = 1u << 4,
	MEMPROBE_F_NMI = 1u << 5,
	MEMPROBE_F_SMI = 1u << 6,
	MEMPROBE_F_CLOCK = 1u << 7,
	MEMPROBE_F_SHORT = 1u << 16,
};

/** MEMPROBE_F_DISTURBED - the flags that make a sample a disturbed one. */
#define MEMPROBE_F_DISTURBED 0xffffu

/**
 * enum memprobe_payload - what a sample's payload words are
 * @MEMPROBE_PAYLOAD_HIST: pairs of (ticks, count), ticks rising: an exact,
 *	sparse histogram of ticks a group of hops
 * @MEMPROBE_PAYLOAD_TICKS: ordered ticks, a group of hops each
 * @MEMPROBE_PAYLOAD_LOGHIST: pairs of (bucket, count) of a log-linear
 *	histogram (see mp_hist_bucket())
 * @MEMPROBE_PAYLOAD_WORDS: words whose meaning the op defines
 */
enum memprobe_payload {
	MEMPROBE_PAYLOAD_NONE = 0,
	MEMPROBE_PAYLOAD_HIST = 1,
	MEMPROBE_PAYLOAD_TICKS = 2,
	MEMPROBE_PAYLOAD_LOGHIST = 3,
	MEMPROBE_PAYLOAD_WORDS = 4,
};

/**
 * struct memprobe_sample - one burst of one actor, raw
 * @actor: index of the actor in its experiment
 * @copy: which of the actor's copies, from 0
 * @place: CPU (or SM) that the burst began on
 * @round: round of the replicate, from 0
 * @burst: burst of the actor in this round, from 0
 * @hops: dependent loads made in the measured stretch
 * @bytes: bytes moved (stream ops); for a chase the footprint
 * @ticks: length of the measured stretch in ticks of the grant's clock;
 *	the cost of reading that clock is not subtracted
 * @start_ns: when it began, on CLOCK_MONOTONIC or the simulated clock
 * @span2: its length on a second clock, if there is one
 * @counter: event counter differences; names are in the grant
 * @valid: which fields are known, bits of enum memprobe_valid
 * @flags: what disturbed it, bits of enum memprobe_flag
 * @payload_kind: enum memprobe_payload
 * @payload_offset: first word in the batch's payload store
 * @payload_count: words
 * @gap_ticks: ticks that passed in gaps inside the measured stretch
 * @gap_max_ticks: the longest stretch between two looks at the clock
 * @gaps: gaps inside the measured stretch
 * @cpu_end: CPU that it ended on
 * @nmi: non-maskable interrupts counted
 * @smi: system-management interrupts counted
 * @switches: context switches of this task counted
 * @faults: page faults of this task counted
 * @overrun_ticks: how far it went past its window
 * @warm_hops: unmeasured hops made since the memory was last disturbed
 *
 * All differences are taken over the measured stretch of this burst.
 */
struct memprobe_sample {
	__u32 actor;
	__u32 copy;
	__u32 place;
	__u16 round;
	__u16 burst;
	__u64 hops;
	__u64 bytes;
	__u64 ticks;
	__u64 start_ns;
	__u64 span2;
	__u64 counter[MEMPROBE_COUNTERS];
	__u64 valid;
	__u32 flags;
	__u32 payload_kind;
	__u32 payload_offset;
	__u32 payload_count;
	__u64 gap_ticks;
	__u64 gap_max_ticks;
	__u32 gaps;
	__u32 cpu_end;
	__u16 nmi;
	__u16 smi;
	__u16 switches;
	__u16 faults;
	__u64 overrun_ticks;
	__u64 warm_hops;
};

_Static_assert(sizeof(struct memprobe_sample) == 256,
	       "the sample's layout is part of the ABI");

#endif
