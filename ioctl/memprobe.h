/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The words that memprobe's kernel module, user space and GPU hosts share:
 * the sample first, then the three commands of /dev/memprobe.
 *
 * One sample is one burst of one actor, raw, in the same fixed layout
 * wherever it was taken and on disk.
 */
#ifndef MEMPROBE_UAPI_H
#define MEMPROBE_UAPI_H

#include <linux/ioctl.h>
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

/**
 * DOC: /dev/memprobe
 *
 * Three commands: %MEMPROBE_INFO tells what there is, %MEMPROBE_ARENA takes
 * memory and gives it back, %MEMPROBE_RUN carries out one experiment. Each
 * takes the address of a struct whose first field is its size as the caller
 * knows it. Structs grow at their end and never otherwise: a field that an
 * older caller does not know reads as 0, and 0 means what was done before
 * there was the field. Bytes that an older kernel does not know must be 0.
 *
 * Which memory: that of arenas only, which the module has allocated itself.
 * No address, no register number, no program and no path crosses this
 * interface in either direction.
 *
 * Who may: opening is a matter of the node's mode, 0600 unless an
 * administrator says otherwise. INFO is for whoever has it open. ARENA and
 * RUN ask for CAP_PERFMON (or CAP_SYS_ADMIN), and for CAP_SYS_ADMIN where
 * interrupts or prefetchers are turned off and where memory is physically
 * contiguous or uncached; they ask it of the caller and of whoever opened
 * the file. A locked-down kernel keeps prefetcher registers out of reach, and
 * one that is locked down for confidentiality event counters too.
 *
 * Errors of all commands:
 *
 * ENOTTY	no such command
 * EFAULT	an address is not the caller's to read or to write
 * EINVAL	the struct is shorter than its first version, or all of it is
 *		understood and a field is not correct
 * E2BIG	bytes are set where this kernel knows no field, or the struct is of
 *		more than 4096 bytes
 * EOPNOTSUPP	a known field holds what this kernel or machine has not: an
 *		unknown flag, a reserved field that is not 0, an op, a kind
 * ERANGE	a limit that INFO tells is exceeded
 * EOVERFLOW	offset and length have no sum
 * EPERM	a capability is missing, or the kernel is locked down
 * ENOENT	no arena of this number in this file
 * ENXIO	the CPU or the node is not online
 * ENOMEM	no memory of that kind, or beyond the cap over all files
 * EBUSY	another run holds the machine, or a run uses this file
 * EINTR	a signal came before there was anything to give
 * ENODEV	the clock jumps or stands still, and nothing can be timed
 */

/** MEMPROBE_IOC - the letter; 0xD5 is free in ioctl-number.rst. */
#define MEMPROBE_IOC 0xD5

#define MEMPROBE_INFO _IO(MEMPROBE_IOC, 0x00)
#define MEMPROBE_ARENA _IO(MEMPROBE_IOC, 0x01)
#define MEMPROBE_RUN _IO(MEMPROBE_IOC, 0x02)

/**
 * enum memprobe_op - bits of memprobe_info.ops, values of memprobe_actor.op
 * @MEMPROBE_OP_CHASE: dependent loads round a ring
 * @MEMPROBE_OP_SEQUENCE: a list of slots, one after the other
 */
enum memprobe_op {
	MEMPROBE_OP_CHASE = 1,
	MEMPROBE_OP_SEQUENCE = 2,
};

/**
 * enum memprobe_step - the low two bits of a step of a sequence
 * @MEMPROBE_STEP_TOUCH: load from the slot
 * @MEMPROBE_STEP_TIME: the same, timed
 * @MEMPROBE_STEP_FLUSH: load from it, then flush its line
 *
 * The slot's number stands above them.
 */
enum memprobe_step {
	MEMPROBE_STEP_TOUCH = 0,
	MEMPROBE_STEP_TIME = 1,
	MEMPROBE_STEP_FLUSH = 2,
};

/** MEMPROBE_STEP() - a step of a sequence */
#define MEMPROBE_STEP(slot, what) ((__u32)(slot) << 2 | (what))

/**
 * enum memprobe_kind - kinds of arenas; bit n of memprobe_info.kinds is
 *	kind n
 * @MEMPROBE_KIND_CONTIG: physically contiguous throughout, in the kernel's
 *	own mapping of all memory
 * @MEMPROBE_KIND_HUGE: virtually contiguous, in huge pages where the kernel
 *	has them
 * @MEMPROBE_KIND_SCATTERED: small pages in no order
 * @MEMPROBE_KIND_BLOCKS: physically contiguous blocks of 4 MiB (or what
 *	got_block_shift says), mapped one behind the other in small pages
 */
enum memprobe_kind {
	MEMPROBE_KIND_CONTIG = 1,
	MEMPROBE_KIND_HUGE = 2,
	MEMPROBE_KIND_SCATTERED = 3,
	MEMPROBE_KIND_BLOCKS = 4,
};

/** enum memprobe_arena_op - what ARENA is to do */
enum memprobe_arena_op {
	MEMPROBE_ARENA_TAKE = 1,
	MEMPROBE_ARENA_GIVE = 2,
};

/**
 * enum memprobe_arena_flag - bits of memprobe_arena.flags and .got
 * @MEMPROBE_ARENA_NODE: from the node in @node and no other; not for huge
 *	arenas, for which no kernel function takes a node
 * @MEMPROBE_ARENA_UNCACHED: uncached; contiguous arenas of at least
 *	memprobe_info.uncached_min_bytes only. In got: it was requested of
 *	the kernel; a hypervisor may pay no heed
 * @MEMPROBE_ARENA_CONTIG: got only: one physically contiguous piece
 */
enum memprobe_arena_flag {
	MEMPROBE_ARENA_NODE = 1u << 0,
	MEMPROBE_ARENA_UNCACHED = 1u << 1,
	MEMPROBE_ARENA_CONTIG = 1u << 8,
};

/**
 * enum memprobe_run_flag - bits of memprobe_run.flags, .got and
 *	memprobe_info.run_flags
 * @MEMPROBE_RUN_PREEMPT_OFF: no other task in a window. Without it there is
 *	none either in a kernel that gives the CPU away at chosen points only:
 *	the rest between windows is kept then, too
 * @MEMPROBE_RUN_IRQ_OFF: no maskable interrupt in it either; implies the
 *	former, which must be set too
 * @MEMPROBE_RUN_PREFETCH_OFF: hardware prefetchers off in it; needs
 *	MEMPROBE_RUN_IRQ_OFF
 * @MEMPROBE_RUN_SINGLE_CPU: got only: the machine has one CPU online, all
 *	of it stood still in a quiet window
 * @MEMPROBE_RUN_SIBLING: got only: another thread of this core is online;
 *	what is per core (prefetchers, caches) it shared
 * @MEMPROBE_RUN_COUNTED: got only: at least one event was counted
 * @MEMPROBE_RUN_HYPERVISOR: got only: under a hypervisor, which can take the
 *	CPU in a quiet window too; told on x86 only
 * @MEMPROBE_RUN_NO_MEASUREMENT: got only: interrupts off is a mere flag here
 *	(user-mode Linux); what was timed is no measurement of a quiet machine
 */
enum memprobe_run_flag {
	MEMPROBE_RUN_PREEMPT_OFF = 1u << 0,
	MEMPROBE_RUN_IRQ_OFF = 1u << 1,
	MEMPROBE_RUN_PREFETCH_OFF = 1u << 2,
	MEMPROBE_RUN_SINGLE_CPU = 1u << 8,
	MEMPROBE_RUN_SIBLING = 1u << 9,
	MEMPROBE_RUN_COUNTED = 1u << 10,
	MEMPROBE_RUN_HYPERVISOR = 1u << 11,
	MEMPROBE_RUN_NO_MEASUREMENT = 1u << 12,
};

/**
 * enum memprobe_stop - why a run ended
 * @MEMPROBE_STOP_DONE: all bursts were made
 * @MEMPROBE_STOP_SIGNAL: a signal is pending, or the caller is to be frozen
 * @MEMPROBE_STOP_HOTPLUG: the CPU went offline
 * @MEMPROBE_STOP_MOVED: somebody moved the caller to another CPU
 * @MEMPROBE_STOP_TIME: memprobe_info.call_max_ns are over, maybe before the
 *	first sample
 */
enum memprobe_stop {
	MEMPROBE_STOP_DONE = 0,
	MEMPROBE_STOP_SIGNAL = 1,
	MEMPROBE_STOP_HOTPLUG = 2,
	MEMPROBE_STOP_MOVED = 3,
	MEMPROBE_STOP_TIME = 4,
};

/**
 * enum memprobe_clock - the clock of ticks
 * @MEMPROBE_CLOCK_TSC: x86 time-stamp counter
 * @MEMPROBE_CLOCK_CNTVCT: arm64 virtual counter
 * @MEMPROBE_CLOCK_HOST_TSC: the host's, seen from user-mode Linux: no
 *	measurement of this machine
 */
enum memprobe_clock {
	MEMPROBE_CLOCK_TSC = 1,
	MEMPROBE_CLOCK_CNTVCT = 2,
	MEMPROBE_CLOCK_HOST_TSC = 3,
};

/**
 * enum memprobe_slot - what the counters of a sample of this module are
 * @MEMPROBE_SLOT_EVENT: the first event; as many follow as a run may ask for
 * @MEMPROBE_SLOT_APERF: x86, cycles of the core clock
 * @MEMPROBE_SLOT_MPERF: x86, ticks of the reference clock; both over the
 *	measured stretch
 * @MEMPROBE_SLOT_EMPTY: ticks of an empty window, measured in this one
 * @MEMPROBE_SLOT_QUIET: ns that this window was quiet in all
 * @MEMPROBE_SLOT_BUSY: ns between the window before (or the warm-up) and this
 *	one in which the CPU did not idle, nor rewarm: what others may have
 *	evicted
 */
enum memprobe_slot {
	MEMPROBE_SLOT_EVENT = 0,
	MEMPROBE_SLOT_APERF = 8,
	MEMPROBE_SLOT_MPERF = 9,
	MEMPROBE_SLOT_EMPTY = 10,
	MEMPROBE_SLOT_QUIET = 11,
	MEMPROBE_SLOT_BUSY = 12,
};

/** MEMPROBE_EVENTS - events that one run may count. */
#define MEMPROBE_EVENTS 8

/**
 * struct memprobe_info - what there is, and how much of it
 * @size: in: bytes of this struct
 * @flags: in: 0
 * @ops: out: ops that RUN knows, bit n is op n
 * @kinds: out: kinds that ARENA knows, bit n is kind n
 * @arena_flags: out: flags that may be asked of ARENA here
 * @run_flags: out: flags that RUN knows here; of the got-only bits those that
 *	hold for all runs
 * @clock: out: enum memprobe_clock
 * @sample_size: out: bytes of a sample
 * @valid: out: bits of enum memprobe_valid that samples can have here
 * @tick_hz: out: ticks a second, measured since the module was loaded
 * @empty_millis: out: ticks of an empty window, times 1000
 * @look_millis: out: most that one of the looks that lie 64 hops apart can
 *	cost, ticks times 1000
 * @window_default_ns: out: window of a run that names none
 * @window_min_ns: out: the least
 * @window_max_ns: out: the most
 * @call_max_ns: out: a RUN ends after this
 * @duty_percent: out: the most of a CPU's time that quiet windows may take
 * @arenas_max: out: arenas of one file
 * @arena_max_bytes: out: bytes of one arena
 * @total_max_bytes: out: bytes of all arenas of all files
 * @uncached_min_bytes: out: the least of an uncached arena
 * @page_shift_max: out: the greatest memprobe_arena.page_shift
 * @actors_max: out: actors of a run
 * @events_max: out: events of a run
 * @bursts_max: out: bursts of an actor
 * @hops_max: out: hops of a burst
 * @ring_slots_max: out: slots of a ring
 * @steps_max: out: steps of a sequence
 * @visits_max: out: times that a sequence may visit one slot
 * @ticks_max: out: words of memprobe_run.ticks
 * @group_max: out: hops timed together; fewer in a window that has no time
 *	for so many at 2 us each
 * @cpus: out: CPUs online
 * @page_shift: out: the kernel's small pages are of 2^page_shift bytes
 * @huge_shift: out: those of a huge arena, 0 = it has none
 * @contig_max_bytes: out: bytes of one contiguous arena
 * @uncached_min_slots: out: the least slots of a ring in an uncached arena
 * @reserved: out: 0
 */
struct memprobe_info {
	__u32 size;
	__u32 flags;
	__u32 ops;
	__u32 kinds;
	__u32 arena_flags;
	__u32 run_flags;
	__u32 clock;
	__u32 sample_size;
	__u64 valid;
	__u64 tick_hz;
	__u64 empty_millis;
	__u64 look_millis;
	__u64 window_default_ns;
	__u64 window_min_ns;
	__u64 window_max_ns;
	__u64 call_max_ns;
	__u32 duty_percent;
	__u32 arenas_max;
	__u64 arena_max_bytes;
	__u64 total_max_bytes;
	__u64 uncached_min_bytes;
	__u32 page_shift_max;
	__u32 actors_max;
	__u32 events_max;
	__u32 bursts_max;
	__u64 hops_max;
	__u32 ring_slots_max;
	__u32 steps_max;
	__u32 visits_max;
	__u32 ticks_max;
	__u32 group_max;
	__u32 cpus;
	__u32 page_shift;
	__u32 huge_shift;
	__u64 contig_max_bytes;
	__u32 uncached_min_slots;
	__u32 reserved;
};

/**
 * struct memprobe_arena - take memory, or give it back
 * @size: in: bytes of this struct
 * @op: in: enum memprobe_arena_op
 * @kind: in: enum memprobe_kind; 0 to give back
 * @flags: in: enum memprobe_arena_flag; 0 to give back
 * @bytes: in: how much; 0 to give back. out: rounded up to whole pages
 * @node: in: NUMA node with MEMPROBE_ARENA_NODE, else 0
 * @page_shift: in: 0, or the arena begins at a physical multiple of
 *	2^page_shift and is a multiple of it in length (contiguous:
 *	memprobe_info.page_shift to page_shift_max; huge: huge_shift; others:
 *	page_shift)
 * @id: in: which to give back; out: number of the one taken
 * @got: out: enum memprobe_arena_flag
 * @got_node: out: node of all its pages, -1 = several
 * @got_page_shift: out: the smallest page that maps it, 0 = not known
 * @got_block_shift: out: all of it lies in physically contiguous, aligned
 *	blocks of at least this size
 * @pieces: out: physically contiguous pieces
 * @reserved: 0
 * @took_ns: out: time that it took
 *
 * An arena is its file's; closing gives all back. EBUSY while a RUN uses the
 * file. Taking one never makes the kernel kill a process for memory.
 */
struct memprobe_arena {
	__u32 size;
	__u32 op;
	__u32 kind;
	__u32 flags;
	__u64 bytes;
	__s32 node;
	__u32 page_shift;
	__u32 id;
	__u32 got;
	__s32 got_node;
	__u32 got_page_shift;
	__u32 got_block_shift;
	__u32 pieces;
	__u64 reserved;
	__u64 took_ns;
};

/**
 * struct memprobe_actor - who does what
 * @size: bytes of this struct, as memprobe_run.actor_size
 * @cpu: where; the caller must be bound to it and to no other
 * @phase: 0
 * @op: enum memprobe_op
 * @arena: number of its arena
 * @flags: 0
 * @offset: where in the arena its span begins; a multiple of 64
 * @length: bytes of the span
 * @stride: bytes from slot to slot; slots = length / stride. A multiple of
 *	8, of 64 for a sequence
 * @reach: slots that lie together are visited together: window of the
 *	order in bytes, 0 = full random; 0 for a sequence
 * @skew: bytes by which a slot lies further into its page than the one
 *	before; a multiple of 8; 0, or stride is a multiple of 4096; 0 for a
 *	sequence
 * @seed: of the order of the ring
 * @hops: of a burst, rounded up to a multiple of 64, with groups down to whole
 *	groups; the window may end it earlier. A sequence: 0, all its steps
 * @warm_hops: made once before the first burst, in stretches of at most a
 *	window each, with interrupts on; rounded up to a multiple of 64; 0 for
 *	a sequence
 * @rewarm_hops: made at the beginning of each window, for at most half of it,
 *	and where that is too short but 2 ms are not right before it too, with
 *	interrupts on; rounded and 0 likewise
 * @bursts: how many; each has a window of its own and makes one sample
 * @group: 0, or hops that are timed together: memprobe_run.ticks gets the
 *	ticks of each group
 * @gap_ns: a stretch between two looks at the clock longer than this is a
 *	gap; 0 = by what the warm-up showed
 *
 * In an uncached arena there are chases only, of full random order, over at
 * least memprobe_info.uncached_min_bytes and uncached_min_slots: few lines,
 * read over and over from memory, would disturb their neighbours.
 */
struct memprobe_actor {
	__u32 size;
	__u32 cpu;
	__u32 phase;
	__u32 op;
	__u32 arena;
	__u32 flags;
	__u64 offset;
	__u64 length;
	__u64 stride;
	__u64 reach;
	__u64 skew;
	__u64 seed;
	__u64 hops;
	__u64 warm_hops;
	__u64 rewarm_hops;
	__u32 bursts;
	__u32 group;
	__u64 gap_ns;
};

/**
 * struct memprobe_event - a performance event to count in the window
 * @size: bytes of this struct, as memprobe_run.event_size
 * @type: PERF_TYPE_HARDWARE, _HW_CACHE, _RAW, or the number of a core PMU
 * @config, @config1, @config2: as in struct perf_event_attr
 * @error: out: 0 = counted; else a negative errno, and why not: -ENOENT no
 *	such event here, -EOPNOTSUPP not a core PMU or no events at all, -EBUSY
 *	no counter is free, -EPERM the kernel is locked down; or what the PMU
 *	says
 * @reserved: 0
 *
 * An event that cannot be counted fails no run: its counter is not valid.
 */
struct memprobe_event {
	__u32 size;
	__u32 type;
	__u64 config;
	__u64 config1;
	__u64 config2;
	__s32 error;
	__u32 reserved;
};

/**
 * struct memprobe_run - one experiment
 * @size: in: bytes of this struct
 * @flags: in: enum memprobe_run_flag, without the got-only bits
 * @cookie: in: any number; the tracepoint memprobe:memprobe_run tells it
 * @window_ns: in: the window; 0 = memprobe_info.window_default_ns. In short ones
 *	over slow memory there is a look at the clock every few hops, which
 *	shows in ticks; the shortest has time for eight steps of a sequence
 * @actors: in: address of the actors
 * @n_actors: in: how many: one today
 * @actor_size: in: bytes from one actor to the next, a multiple of 8
 * @events: in: address of the events; their @error is written back
 * @n_events: in: how many
 * @event_size: in: bytes from one event to the next, a multiple of 8
 * @steps: in: address of the steps of a sequence, __u32 each
 * @n_steps: in: how many
 * @n_ticks: in: words that @ticks has room for; out: words written
 * @ticks: in: address of __u64 words: groups of a chase or timed steps of a
 *	sequence, burst by burst; samples tell which are whose
 * @samples: in: address of the samples
 * @n_samples: in: samples that there is room for, at least one a burst;
 *	out: samples written
 * @sample_stride: in: bytes from one sample to the next, 256 to 4096, a
 *	multiple of 8; 0 = 256
 * @stop: out: enum memprobe_stop
 * @got: out: enum memprobe_run_flag
 * @windows: out: windows, warm-up not counted
 * @quiet_ns: out: time with preemption or interrupts off, in all
 * @quiet_max_ns: out: the longest of these stretches
 * @slept_ns: out: time spent asleep, between windows and in the warm-up
 * @gap_ticks: out: a stretch between looks longer than this was a gap in the
 *	last window
 * @steal_ns: out: time that the hypervisor took from this CPU meanwhile, as
 *	the kernel counts it, to a tick; advisory
 * @valid: out: bit 0: steal_ns is known
 * @reserved: 0
 *
 * A run is carried out in the caller's context. Between two quiet windows it
 * sleeps at least as long as the last one was. One run at a time on a
 * machine: EBUSY. A signal ends it after the present window: 0 and the
 * samples so far, EINTR where there is none.
 */
struct memprobe_run {
	__u32 size;
	__u32 flags;
	__u64 cookie;
	__u64 window_ns;
	__u64 actors;
	__u32 n_actors;
	__u32 actor_size;
	__u64 events;
	__u32 n_events;
	__u32 event_size;
	__u64 steps;
	__u32 n_steps;
	__u32 n_ticks;
	__u64 ticks;
	__u64 samples;
	__u32 n_samples;
	__u32 sample_stride;
	__u32 stop;
	__u32 got;
	__u64 windows;
	__u64 quiet_ns;
	__u64 quiet_max_ns;
	__u64 slept_ns;
	__u64 gap_ticks;
	__u64 steal_ns;
	__u32 valid;
	__u32 reserved;
};

_Static_assert(sizeof(struct memprobe_info) == 200 &&
	       sizeof(struct memprobe_arena) == 72 &&
	       sizeof(struct memprobe_actor) == 112 &&
	       sizeof(struct memprobe_event) == 40 &&
	       sizeof(struct memprobe_run) == 160,
	       "first versions: structs grow at their end only");
_Static_assert(__builtin_offsetof(struct memprobe_info, valid) == 32 &&
	       __builtin_offsetof(struct memprobe_info, cpus) == 172 &&
	       __builtin_offsetof(struct memprobe_arena, took_ns) == 64 &&
	       __builtin_offsetof(struct memprobe_actor, gap_ns) == 104 &&
	       __builtin_offsetof(struct memprobe_event, error) == 32 &&
	       __builtin_offsetof(struct memprobe_run, reserved) == 156,
	       "the same for callers of 32 and of 64 bits");

#endif
