// SPDX-License-Identifier: GPL-2.0
/* memprobe_kunit.ko: the suites run when it is loaded. */
#include "tests.h"

#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "../arch/machine.h"
#include "../dispatch.h"
#include "../rate.h"

/* Of a machine of which nothing is known. */
struct mp_machine mp_machine;

/* No file is opened here. */
long mp_dispatch(struct file *file, unsigned int command,
		 unsigned long address)
{
	return -ENOIOCTLCMD;
}

struct mp_test_ring *mp_test_ring(struct kunit *test)
{
	const struct mp_ring shape = {
		.length_bytes = sizeof_field(struct mp_test_ring, memory),
		.stride_bytes = sizeof(u64) * 8,
	};
	struct mp_test_ring *ring;
	struct mp_rng rng;

	ring = kunit_kzalloc(test, sizeof(*ring), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ring);
	mp_rng_seed(&rng, 1);
	ring->first = mp_ring_link(&shape, ring->memory, ring->order, &rng);
	return ring;
}

const void *mp_test_after(const struct mp_test_ring *ring, u64 hops)
{
	return ring->memory[ring->order[hops % MP_TEST_SLOTS]];
}

u64 mp_test_hz(void)
{
	static struct mp_rate rate;

	if (!rate.hz && mp_rate_measure(&rate))
		rate.hz = 0;
	return rate.hz;
}

u32 mp_test_stay(void)
{
	const u32 cpu = raw_smp_processor_id();

	set_cpus_allowed_ptr(current, cpumask_of(cpu));
	return cpu;
}

int mp_test_offline_cpu(void)
{
	unsigned int cpu;

	/* With one CPU and no other possible, any number but 0 is offline. */
	if (!IS_ENABLED(CONFIG_SMP))
		return 1;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (!cpu_online(cpu))
			return cpu;
	return -1;
}

int mp_test_other_cpu(u32 cpu)
{
	unsigned int other;

	for_each_online_cpu(other)
		if (other != cpu)
			return other;
	return -1;
}

kunit_test_suites(&mp_core_suite, &mp_window_suite, &mp_ring_suite,
		  &mp_chase_suite, &mp_steps_suite, &mp_check_suite,
		  &mp_limits_suite, &mp_arena_suite, &mp_quiet_suite,
		  &mp_run_suite);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The memprobe developers");
MODULE_DESCRIPTION("KUnit suites of memprobe");
