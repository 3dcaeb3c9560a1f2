// SPDX-License-Identifier: GPL-2.0
/*
 * Performance events. The kernel's own counters, made and given back outside
 * of windows; in a window only the PMU's own read function is called, and
 * only while the event counts on this CPU. No PMU register is touched here:
 * in guests that have no PMU that is an undefined instruction.
 */
#include "pmu.h"

#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/security.h>
#include <linux/smp.h>

#include "compat.h"

#if MP_HAVE_PERF

bool mp_pmu_can(void)
{
	return true;
}

static struct perf_event *create(const struct memprobe_event *want, u32 cpu)
{
	struct perf_event_attr attr = {
		.type = want->type,
		.size = sizeof(attr),
		.config = want->config,
		.config1 = want->config1,
		.config2 = want->config2,
		.pinned = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
}

/* Others (uncore, energy ..) count for more than this CPU. */
static bool of_core(const struct perf_event *event)
{
	return event->pmu->task_ctx_nr == perf_hw_context &&
	       !event->attr.sample_period;
}

/*
 * A type of a PMU's own is tried with nothing in it first: some take an
 * address or a period from config, and those must never see the caller's.
 */
static bool may_do(u32 type, u32 cpu)
{
	const struct memprobe_event nothing = { .type = type };
	struct perf_event *event;
	bool core;

	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE ||
	    type == PERF_TYPE_RAW)
		return true;
	if (type < PERF_TYPE_MAX)
		return false;
	event = create(&nothing, cpu);
	if (IS_ERR(event))
		return false;
	core = of_core(event);
	perf_event_release_kernel(event);
	return core;
}

static struct perf_event *open_event(const struct memprobe_event *want,
				     u32 cpu)
{
	struct perf_event *event;
	int err = 0;

	if (security_locked_down(LOCKDOWN_PERF))
		return ERR_PTR(-EPERM);
	if (!may_do(want->type, cpu))
		return ERR_PTR(-EOPNOTSUPP);
	event = create(want, cpu);
	if (IS_ERR(event))
		return event;
	if (!of_core(event))
		err = -EOPNOTSUPP;
	else if (event->state != PERF_EVENT_STATE_ACTIVE)
		err = -EBUSY;
	if (!err)
		return event;
	perf_event_release_kernel(event);
	return ERR_PTR(err);
}

void mp_pmu_open(struct mp_pmu *pmu, u32 cpu, struct memprobe_event *want,
		 u32 n)
{
	struct perf_event *event;
	u32 i;

	pmu->n = n;
	for (i = 0; i < n; i++) {
		event = open_event(&want[i], cpu);
		pmu->event[i] = IS_ERR(event) ? NULL : event;
		want[i].error = IS_ERR(event) ? PTR_ERR(event) : 0;
	}
}

static bool read_one(struct perf_event *event, u64 *count)
{
	if (!event || event->state != PERF_EVENT_STATE_ACTIVE ||
	    READ_ONCE(event->oncpu) != smp_processor_id())
		return false;
	event->pmu->read(event);
	*count = local64_read(&event->count);
	return true;
}

void mp_pmu_read(const struct mp_pmu *pmu, struct mp_pmu_read *read)
{
	unsigned long irq;
	u32 i;

	read->known = 0;
	if (!pmu->n)
		return;
	/* A PMU's read function expects it so; usually they are off anyway. */
	local_irq_save(irq);
	for (i = 0; i < pmu->n; i++)
		if (read_one(pmu->event[i], &read->count[i]))
			read->known |= 1u << i;
	local_irq_restore(irq);
}

void mp_pmu_close(struct mp_pmu *pmu)
{
	u32 i;

	for (i = 0; i < pmu->n; i++)
		if (pmu->event[i])
			perf_event_release_kernel(pmu->event[i]);
	pmu->n = 0;
}

#else

bool mp_pmu_can(void)
{
	return false;
}

void mp_pmu_open(struct mp_pmu *pmu, u32 cpu, struct memprobe_event *want,
		 u32 n)
{
	u32 i;

	pmu->n = 0;
	for (i = 0; i < n; i++)
		want[i].error = -EOPNOTSUPP;
}

void mp_pmu_read(const struct mp_pmu *pmu, struct mp_pmu_read *read)
{
	read->known = 0;
}

void mp_pmu_close(struct mp_pmu *pmu)
{
}

#endif
