/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Classes of facts, the bounds that each has to keep, and whether counts
 * keep them.
 */
#ifndef ZOO_CLASS_H
#define ZOO_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** ZOO_EXACT_MACHINES - from so many machines on percentages are held as they
 * are; of fewer it is asked whether they could be chance. */
#define ZOO_EXACT_MACHINES 10000u
/** ZOO_CHANCE - what is less likely than this is no chance. */
#define ZOO_CHANCE 0.001

/** enum zoo_class - kinds of facts, over levels */
enum zoo_class {
	ZOO_SIZE,
	ZOO_LATENCY,
	ZOO_LINE,
	ZOO_WAYS,
	ZOO_ENTRIES,
	ZOO_TLB_WAYS,
	ZOO_COST,
	ZOO_POLICY_CLASS,
	ZOO_INCLUSION_KIND,
	ZOO_SECTORS,
	ZOO_SHARED,
	ZOO_FETCH,
	ZOO_OTHER,
	ZOO_CLASSES,
};

/**
 * struct zoo_counts - what facts were worth
 * @asked: = @answered + @open + @wrong
 * @limits: right numbers; @held: of those, with the truth in their limits
 */
struct zoo_counts {
	uint32_t asked;
	uint32_t answered;
	uint32_t open;
	uint32_t wrong;
	uint32_t limits;
	uint32_t held;
};

/** zoo_class_of() - by the fact's name */
uint32_t zoo_class_of(const char *fact);
const char *zoo_class_name(uint32_t class);

/** zoo_counts_add() - all of one to another */
void zoo_counts_add(struct zoo_counts *to, const struct zoo_counts *from);

/** zoo_at_most() - how likely is it that of @n with chance @p at most @k come? */
double zoo_at_most(uint32_t k, uint32_t n, double p);

/**
 * zoo_gate() - is a class over one of its bounds?
 * @class: enum zoo_class
 * @all: its counts over all noise levels
 * @noisy: of those, with any noise
 * @machines: machines that were measured
 * @why: gets each bound that is not kept, a clause each
 * Return: how many are not.
 */
uint32_t zoo_gate(uint32_t class, const struct zoo_counts *all,
		  const struct zoo_counts *noisy, uint32_t machines, char *why,
		  size_t room);

#endif
