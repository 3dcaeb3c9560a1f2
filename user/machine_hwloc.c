// SPDX-License-Identifier: GPL-2.0
/*
 * Claims from hwloc, where neither CPUID nor sysfs said anything, and the
 * shape of the machine. hwloc's own CPUID reader is left out: it would visit
 * every CPU, isolated ones too, to learn what is known already.
 */
#include "machine_source.h"

#include <hwloc.h>
#include <stdlib.h>

#define SOURCE "hwloc"

static hwloc_topology_t load(void)
{
	hwloc_topology_t topology;

	/* Its complaints about odd firmware are no message of this tool. */
	setenv("HWLOC_HIDE_ERRORS", "2", 0);
	if (hwloc_topology_init(&topology))
		return NULL;
	hwloc_topology_set_components(topology,
				      HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
				      "x86");
	if (hwloc_topology_load(topology)) {
		hwloc_topology_destroy(topology);
		return NULL;
	}
	return topology;
}

static void claim(struct mp_host *host, hwloc_obj_t object)
{
	const struct hwloc_cache_attr_s *attr = &object->attr->cache;
	struct mp_cache_claim cache = {
		.level = attr->depth,
		.size_bytes = attr->size,
		.line_bytes = attr->linesize,
	};

	/* -1: fully associative; 0: not known */
	if (attr->associativity > 0)
		cache.ways = (uint32_t)attr->associativity;
	else if (attr->associativity < 0 && attr->linesize)
		cache.ways = (uint32_t)(attr->size / attr->linesize);
	mp_claim_cache(host, &cache, SOURCE);
}

static void note_shape(struct mp_host *host, hwloc_topology_t topology)
{
	const int packages = hwloc_get_nbobjs_by_type(topology,
						      HWLOC_OBJ_PACKAGE);
	const int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
	const int threads = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
	const int nodes = hwloc_get_nbobjs_by_type(topology,
						   HWLOC_OBJ_NUMANODE);

	if (packages <= 0 || cores <= 0 || threads <= 0 || nodes <= 0)
		return;
	mp_host_condition(host, "topology",
			  "%d package%s, %d core%s, %d thread%s, %d node%s",
			  packages, packages == 1 ? "" : "s", cores,
			  cores == 1 ? "" : "s", threads,
			  threads == 1 ? "" : "s", nodes,
			  nodes == 1 ? "" : "s");
}

void mp_hwloc_claims(struct mp_host *host, uint32_t cpu)
{
	hwloc_topology_t topology = load();
	hwloc_obj_t object;

	if (!topology)
		return;
	/* HWLOC_XMLFILE may have put another machine in place of this one. */
	if (!hwloc_topology_is_thissystem(topology))
		goto out;
	note_shape(host, topology);
	object = hwloc_get_pu_obj_by_os_index(topology, cpu);
	for (; object; object = object->parent)
		if (hwloc_obj_type_is_dcache(object->type))
			claim(host, object);
out:
	hwloc_topology_destroy(topology);
}
