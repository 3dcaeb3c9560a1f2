// SPDX-License-Identifier: GPL-2.0
/* A set of CPUs, and the list that it is written as. */
#include "cpus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "1020-1023,": the longest piece of a list. */
#define PIECE 16

void mp_cpus_add(struct mp_cpus *cpus, uint32_t cpu)
{
	if (cpu < MP_CPUS_MAX)
		cpus->word[cpu / 64] |= 1ull << cpu % 64;
}

bool mp_cpus_has(const struct mp_cpus *cpus, uint32_t cpu)
{
	return cpu < MP_CPUS_MAX && cpus->word[cpu / 64] >> cpu % 64 & 1;
}

uint32_t mp_cpus_count(const struct mp_cpus *cpus)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < MP_CPUS_MAX / 64; i++)
		n += (uint32_t)__builtin_popcountll(cpus->word[i]);
	return n;
}

void mp_cpus_print(const struct mp_cpus *cpus, char *text, size_t room)
{
	size_t at = 0;

	if (room)
		text[0] = '\0';
	for (uint32_t cpu = 0; cpu < MP_CPUS_MAX; cpu++) {
		const uint32_t first = cpu;
		char piece[PIECE];
		int n;

		if (!mp_cpus_has(cpus, cpu))
			continue;
		while (mp_cpus_has(cpus, cpu + 1))
			cpu++;
		n = snprintf(piece, sizeof(piece),
			     cpu > first ? "%s%u-%u" : "%s%u", at ? "," : "",
			     first, cpu);
		/* Room for the two dots is kept. */
		if (at + (size_t)n + 3 > room) {
			if (at + 3 <= room)
				strcpy(text + at, "..");
			return;
		}
		strcpy(text + at, piece);
		at += (size_t)n;
	}
}

/* A number within bounds; moves on behind it. */
static int number(const char **at, uint32_t least, uint32_t *cpu)
{
	unsigned long value;
	char *end;

	if (**at < '0' || **at > '9')
		return -EINVAL;
	errno = 0;
	value = strtoul(*at, &end, 10);
	if (errno || value < least || value >= MP_CPUS_MAX)
		return -EINVAL;
	*cpu = (uint32_t)value;
	*at = end;
	return 0;
}

int mp_cpus_parse(struct mp_cpus *cpus, const char *text)
{
	uint32_t least = 0, first, last;

	memset(cpus, 0, sizeof(*cpus));
	while (*text) {
		if (number(&text, least, &first))
			return -EINVAL;
		last = first;
		if (*text == '-') {
			text++;
			if (number(&text, first, &last))
				return -EINVAL;
		}
		for (uint32_t cpu = first; cpu <= last; cpu++)
			mp_cpus_add(cpus, cpu);
		least = last + 1;
		if (*text == ',' && text[1])
			text++;
		else if (*text)
			return -EINVAL;
	}
	return 0;
}
