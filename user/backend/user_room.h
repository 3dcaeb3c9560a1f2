/* SPDX-License-Identifier: GPL-2.0 */
/* How much memory a measurement may take without harm to anybody. */
#ifndef MP_USER_ROOM_H
#define MP_USER_ROOM_H

#include <stdint.h>

#define MP_USER_ROOM_TEXT 96

/**
 * struct mp_user_room - what may still be taken
 * @bytes: so much, in all
 * @bound: what sets that bound: "MemAvailable", "RLIMIT_AS", "cgroup
 *	/sys/fs/cgroup/x memory.max" ..
 */
struct mp_user_room {
	uint64_t bytes;
	char bound[MP_USER_ROOM_TEXT];
};

/**
 * mp_user_room_read() - ask the kernel
 * @room: gets the answer
 * @root: put before every path; "" for this machine
 *
 * The least of MemAvailable, of limit less usage at every level of the
 * memory cgroups (v1 and v2) that this process is in, and of RLIMIT_AS and
 * RLIMIT_DATA. File pages that a cgroup could drop at no cost count as not
 * used. Process context; reads files.
 * Return: 0, or -ENODATA where not even MemAvailable can be read: @bytes is
 * what the other bounds leave, and may be UINT64_MAX.
 */
int mp_user_room_read(struct mp_user_room *room, const char *root);

/**
 * mp_user_room_reserved() - bytes in reserved huge pages of one size that
 * nobody uses or has a claim on; 0 where the kernel has no such pages
 */
uint64_t mp_user_room_reserved(const char *root, uint64_t page_bytes);

#endif
