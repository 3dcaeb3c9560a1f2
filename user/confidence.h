/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How often do facts of a kind hold? Counted on simulated machines, whose
 * truth is known: tests/bench/zoo.
 */
#ifndef MP_CONFIDENCE_H
#define MP_CONFIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "fact.h"

/** enum mp_confidence_kind - facts that are found out in the same way */
enum mp_confidence_kind {
	MP_KIND_L1D_SIZE,
	MP_KIND_SIZE,
	MP_KIND_LATENCY,
	MP_KIND_LINE,
	MP_KIND_SECTOR,
	MP_KIND_WAYS,
	MP_KIND_ENTRIES,
	MP_KIND_TLB_WAYS,
	MP_KIND_COST,
	MP_KIND_POLICY,
	MP_KIND_INCLUSION,
	MP_KIND_SHARED,
	MP_KIND_PREFETCH,
	MP_KINDS,
};

/** enum mp_confidence_says - what the verdict says */
enum mp_confidence_says {
	MP_SAYS_VALUE,	/* measured */
	MP_SAYS_BOUND,	/* at-least, at-most */
	MP_SAYS_NONE,	/* absent */
	MP_SAYINGS,
};

#define MP_CONFIDENCE_CLASSES (MP_KINDS * MP_SAYINGS * 2u)
#define MP_CONFIDENCE_UNKNOWN UINT32_MAX

/** struct mp_confidence_count - of so many facts so many held */
struct mp_confidence_count {
	uint32_t n;
	uint32_t held;
};

/** mp_confidence_table - by class; made by 'zoo --calibrate' */
extern const struct mp_confidence_count
	mp_confidence_table[MP_CONFIDENCE_CLASSES];

/**
 * mp_confidence_is_fine() - does the clock time single hops?
 * @facts: cpu.clock among them
 * @step_ns: the sample clock's step
 *
 * Return: false as well where the core's clock is not known.
 */
bool mp_confidence_is_fine(const struct mp_facts *facts, double step_ns);

/**
 * mp_confidence_class() - which facts this one is counted with
 *
 * Return: below MP_CONFIDENCE_CLASSES; MP_CONFIDENCE_UNKNOWN for facts that
 * none is counted for, and verdicts that claim nothing.
 */
uint32_t mp_confidence_class(const struct mp_fact *fact, bool is_fine);

/**
 * mp_confidence_set() - fill in the confidence of facts
 *
 * That of its class, (held + 1) / (n + 2), where the class was counted often
 * enough to say something; NaN elsewhere.
 */
void mp_confidence_set(struct mp_facts *facts, bool is_fine);

#endif
