/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of memprobe_kunit.ko share. */
#ifndef MP_TESTS_H
#define MP_TESTS_H

#include <kunit/test.h>
#include <linux/types.h>

#include "../core/ring.h"

extern struct kunit_suite mp_core_suite;
extern struct kunit_suite mp_window_suite;
extern struct kunit_suite mp_ring_suite;
extern struct kunit_suite mp_chase_suite;
extern struct kunit_suite mp_steps_suite;
extern struct kunit_suite mp_check_suite;
extern struct kunit_suite mp_limits_suite;
extern struct kunit_suite mp_arena_suite;
extern struct kunit_suite mp_quiet_suite;
extern struct kunit_suite mp_run_suite;

/** MP_TEST_SLOTS - of the small ring. No divisor of the 64 hops of a block. */
#define MP_TEST_SLOTS 37u

/**
 * struct mp_test_ring - a small ring, a line a slot
 * @memory: the slots
 * @order: the order in which they are visited
 * @first: the first of them
 */
struct mp_test_ring {
	u64 memory[MP_TEST_SLOTS][8];
	u32 order[MP_TEST_SLOTS];
	const void *first;
};

/** mp_test_ring() - a linked ring; it goes when the test ends */
struct mp_test_ring *mp_test_ring(struct kunit *test);

/** mp_test_after() - the slot that lies so many hops after the first one */
const void *mp_test_after(const struct mp_test_ring *ring, u64 hops);

/** mp_test_hz() - ticks a second; measured once; 0 = it cannot be */
u64 mp_test_hz(void);

/** mp_test_stay() - keep the caller on the CPU where it is; tells which */
u32 mp_test_stay(void);

/** mp_test_offline_cpu() - a CPU that is not online; -1 = there is none */
int mp_test_offline_cpu(void);

/** mp_test_other_cpu() - a CPU that is online but not this; -1 = none */
int mp_test_other_cpu(u32 cpu);

/** mp_test_total_mib() - cap over all arenas of this copy; 0 = as it was */
void mp_test_total_mib(u32 mib);

#endif
