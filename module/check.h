/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the three commands may say. Pure functions of data: the same object
 * is in the module, in KUnit, and in user space under cmocka and a fuzzer.
 */
#ifndef MP_CHECK_H
#define MP_CHECK_H

#include "../ioctl/memprobe.h"
#include "core/core.h"
#include "core/ring.h"

/** Flags that a caller may set, and those that are only ever told. */
#define MP_RUN_SETTABLE (MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF | \
			 MEMPROBE_RUN_PREFETCH_OFF)
#define MP_ARENA_SETTABLE (MEMPROBE_ARENA_NODE | MEMPROBE_ARENA_UNCACHED)

/*
 * Each returns 0 or a negative errno by the contract in the UAPI header.
 * @have is what INFO tells of this kernel and machine.
 */

/** mp_check_info() - an INFO */
int mp_check_info(const struct memprobe_info *info);

/** mp_check_arena() - an ARENA, but for whether the id or the node exists */
int mp_check_arena(const struct memprobe_arena *arena,
		   const struct memprobe_info *have);

/** mp_check_run() - a RUN, before what it points to is read */
int mp_check_run(const struct memprobe_run *run,
		 const struct memprobe_info *have);

/** mp_check_actor() - an actor of a checked run */
int mp_check_actor(const struct memprobe_actor *actor,
		   const struct memprobe_run *run,
		   const struct memprobe_info *have);

/** mp_check_event() - an event of a checked run */
int mp_check_event(const struct memprobe_event *event);

/** mp_check_steps() - steps of a checked actor; @visits: a byte a slot */
int mp_check_steps(const struct memprobe_actor *actor,
		   const struct memprobe_run *run, const __u32 *step,
		   __u8 *visits);

/**
 * mp_check_span() - does a checked actor's span lie in its arena, and may it
 * do there what it wants?
 * @got: of the arena
 */
int mp_check_span(const struct memprobe_actor *actor, __u64 arena_bytes,
		  __u32 got);

/** mp_actor_ring() - the ring of a chase */
struct mp_ring mp_actor_ring(const struct memprobe_actor *actor);

/** mp_actor_slots() - slots of a checked actor's span */
__u32 mp_actor_slots(const struct memprobe_actor *actor);

/** mp_run_stride() - bytes from one sample to the next */
__u32 mp_run_stride(const struct memprobe_run *run);

#endif
