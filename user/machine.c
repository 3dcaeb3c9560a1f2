// SPDX-License-Identifier: GPL-2.0
/*
 * What the system says about itself, gathered from the sources in the order
 * in which they are believed. CPUID speaks for the CPU that executes it, so
 * the thread moves to the CPU in question for as long as it asks.
 */
#include "machine.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "machine_source.h"

#define CPUS_MAX 8192

void mp_claim_once(struct mp_host *host, const char *fact, double value,
		   const char *source)
{
	for (uint32_t i = 0; i < host->n_claims; i++)
		if (strcmp(host->claim[i].fact, fact) == 0)
			return;
	mp_host_claim(host, fact, value, source);
}

void mp_claim_cache(struct mp_host *host, const struct mp_cache_claim *cache,
		    const char *source)
{
	static const char *const names[] = { NULL, "l1d", "l2", "l3", "l4" };
	const struct {
		const char *field;
		uint64_t value;
	} said[] = {
		{ "size", cache->size_bytes },
		{ "line", cache->line_bytes },
		{ "ways", cache->ways },
		{ "shared", cache->shared_cpus },
	};
	char fact[MP_FACT_NAME];

	if (cache->level == 0 || cache->level > 4)
		return;
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		if (said[i].value == 0)
			continue;
		snprintf(fact, sizeof(fact), "cpu.%s.%s", names[cache->level],
			 said[i].field);
		mp_claim_once(host, fact, (double)said[i].value, source);
	}
}

/* Moves the thread to a CPU; @old gets its mask, to be given back. */
static int move_to(uint32_t cpu, cpu_set_t *old, size_t bytes)
{
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
	int err = 0;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	if (sched_getaffinity(0, bytes, old) || sched_setaffinity(0, bytes, set))
		err = -errno;
	CPU_FREE(set);
	return err;
}

static void ask_cpuid(struct mp_host *host, mp_cpuid_read_fn read)
{
	char text[MP_HOST_TEXT];

	if (!host->model[0])
		mp_cpuid_model(read, NULL, host->model, sizeof(host->model));
	if (mp_cpuid_hypervisor(read, NULL, text, sizeof(text)) == 0)
		mp_host_condition(host, "hypervisor", "%s", text);
	else
		mp_host_condition(host, "hypervisor", "none");
	mp_cpuid_claims(host, read, NULL);
}

/* A CPU that the thread may not visit says nothing through CPUID. */
static void visit(struct mp_host *host, uint32_t cpu, mp_cpuid_read_fn read)
{
	const size_t bytes = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *old = CPU_ALLOC(CPUS_MAX);

	if (!old)
		return;
	if (move_to(cpu, old, bytes) == 0) {
		ask_cpuid(host, read);
		sched_setaffinity(0, bytes, old);
	}
	CPU_FREE(old);
}

static void note_kernel(struct mp_host *host)
{
	struct utsname name;

	if (uname(&name))
		return;
	mp_host_condition(host, "kernel", "%s %s", name.sysname, name.release);
	mp_host_condition(host, "architecture", "%s", name.machine);
	if (!host->model[0])
		snprintf(host->model, sizeof(host->model), "%s", name.machine);
}

int mp_machine_claims(struct mp_host *host, uint32_t cpu, bool identify)
{
	mp_cpuid_read_fn read = mp_cpuid_native();

	if (cpu >= CPUS_MAX)
		return -ENXIO;
	if (!mp_sysfs_online("", cpu))
		return -ENXIO;
	if (read)
		visit(host, cpu, read);
	mp_sysfs_claims(host, "", cpu);
	mp_sysfs_model(host, "", cpu);
	note_kernel(host);
	mp_conditions_read(host, "", cpu, identify);
	mp_hwloc_claims(host, cpu);
	return 0;
}
