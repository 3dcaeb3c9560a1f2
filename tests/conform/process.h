/* SPDX-License-Identifier: GPL-2.0 */
/* What a backend could leave changed behind it: this process, this system. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stddef.h>
#include <stdint.h>

/** PROCESS_ROOM - room for the notes. */
#define PROCESS_ROOM 4096

/**
 * process_note() - everything that is to be found again, a line each
 *
 * CPUs and nodes allowed, policy, priority, nice levels, memory policy,
 * locked memory, threads, signals, timer slack, open files, and the system's
 * switches for huge pages, as the kernel tells them.
 */
void process_note(char text[PROCESS_ROOM]);

/** process_assert_same() - two notes are equal; fails with the lines that differ */
void process_assert_same(const char *before, const char *after);

/** process_mapped_bytes() - address space in use; 0 = unknown */
uint64_t process_mapped_bytes(void);

#endif
