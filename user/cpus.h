/* SPDX-License-Identifier: GPL-2.0 */
/* A set of CPUs, by number. */
#ifndef MP_CPUS_H
#define MP_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** MP_CPUS_MAX - CPUs that a set has room for; no set holds a greater number */
#define MP_CPUS_MAX 1024u
/** MP_CPUS_TEXT - room for any set in words, terminator included */
#define MP_CPUS_TEXT 4096

/** struct mp_cpus - a bit a CPU; all zero is the empty set */
struct mp_cpus {
	uint64_t word[MP_CPUS_MAX / 64];
};

/** mp_cpus_add() - put one in; beyond MP_CPUS_MAX it is ignored */
void mp_cpus_add(struct mp_cpus *cpus, uint32_t cpu);
/** mp_cpus_has() - is it in the set? */
bool mp_cpus_has(const struct mp_cpus *cpus, uint32_t cpu);
/** mp_cpus_count() - how many there are */
uint32_t mp_cpus_count(const struct mp_cpus *cpus);

/** mp_cpus_print() - "0-3,8"; what does not fit is cut off, and ends ".." */
void mp_cpus_print(const struct mp_cpus *cpus, char *text, size_t room);
/** mp_cpus_parse() - from such words, numbers rising; -EINVAL */
int mp_cpus_parse(struct mp_cpus *cpus, const char *text);

#endif
