// SPDX-License-Identifier: GPL-2.0
/* From the class of a fact to how often such facts hold. */
#include "confidence.h"

#include <math.h>
#include <string.h>

/* As probes have it that time single hops: analysis/spectrum.h. */
#define STEP_MAX_CYCLES 5.3
/* Fewer say nothing. */
#define COUNTED_MIN 10u
#define NS_PER_S 1e9

/* The first that fits; "" fits all. */
static const struct {
	const char *begin;
	const char *end;
	uint32_t kind;
} kinds[] = {
	{ "cpu.l1d.", ".size", MP_KIND_L1D_SIZE },
	{ "cpu.l", ".size", MP_KIND_SIZE },
	{ "cpu.l", ".latency", MP_KIND_LATENCY },
	{ "cpu.l", ".latency-cycles", MP_KIND_LATENCY },
	{ "cpu.dram.", "", MP_KIND_LATENCY },
	{ "cpu.l", ".line", MP_KIND_LINE },
	{ "cpu.l", ".sector", MP_KIND_SECTOR },
	{ "cpu.l", ".ways", MP_KIND_WAYS },
	{ "cpu.", ".entries", MP_KIND_ENTRIES },
	{ "cpu.", ".ways", MP_KIND_TLB_WAYS },
	{ "cpu.stlb", ".hit-cost", MP_KIND_COST },
	{ "cpu.walk.", ".cost", MP_KIND_COST },
	{ "cpu.l", ".policy", MP_KIND_POLICY },
	{ "cpu.l", ".inclusion", MP_KIND_INCLUSION },
	{ "cpu.l", ".shared", MP_KIND_SHARED },
	{ "cpu.prefetch.", "", MP_KIND_PREFETCH },
};

static bool fits(const char *name, const char *begin, const char *end)
{
	const size_t length = strlen(name), tail = strlen(end);

	return !strncmp(name, begin, strlen(begin)) && length >= tail &&
	       !strcmp(name + length - tail, end);
}

static uint32_t says(uint32_t verdict)
{
	switch (verdict) {
	case MP_MEASURED:
		return MP_SAYS_VALUE;
	case MP_AT_LEAST:
	case MP_AT_MOST:
		return MP_SAYS_BOUND;
	case MP_ABSENT:
		return MP_SAYS_NONE;
	default:
		return MP_SAYINGS;
	}
}

uint32_t mp_confidence_class(const struct mp_fact *fact, bool is_fine)
{
	const uint32_t said = says(fact->verdict);

	if (said == MP_SAYINGS)
		return MP_CONFIDENCE_UNKNOWN;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (fits(fact->name, kinds[i].begin, kinds[i].end))
			return (kinds[i].kind * MP_SAYINGS + said) * 2 +
			       is_fine;
	return MP_CONFIDENCE_UNKNOWN;
}

bool mp_confidence_is_fine(const struct mp_facts *facts, double step_ns)
{
	const struct mp_fact *clock = mp_facts_find(facts, "cpu.clock");

	return clock && mp_verdict_known(clock->verdict) &&
	       step_ns * clock->value <= STEP_MAX_CYCLES * NS_PER_S;
}

void mp_confidence_set(struct mp_facts *facts, bool is_fine)
{
	for (uint32_t i = 0; i < facts->n; i++) {
		struct mp_fact *fact = &facts->fact[i];
		uint32_t class = mp_confidence_class(fact, is_fine);
		const struct mp_confidence_count *count;

		fact->confidence = NAN;
		if (class == MP_CONFIDENCE_UNKNOWN)
			continue;
		count = &mp_confidence_table[class];
		if (count->n >= COUNTED_MIN)
			fact->confidence = (count->held + 1.0) /
					   (count->n + 2.0);
	}
}
