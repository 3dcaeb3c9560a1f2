/* SPDX-License-Identifier: GPL-2.0 */
/* The way to /dev/memprobe: its commands, and what its errors mean. */
#ifndef MP_KMOD_DEV_H
#define MP_KMOD_DEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "ioctl/memprobe.h"

#define MP_KMOD_PATH "/dev/memprobe"

/**
 * struct mp_kmod_way - how the module is reached
 * @open: a file descriptor, or -errno
 * @call: an ioctl: 0 or more, or -errno
 * @close: of a descriptor
 * @nap: sleep so long
 */
struct mp_kmod_way {
	int (*open)(const char *path);
	int (*call)(int fd, unsigned long command, void *arg);
	void (*close)(int fd);
	void (*nap)(uint64_t ns);
};

/** mp_kmod_way - the kernel's, unless a test has put its own in its place */
extern const struct mp_kmod_way *mp_kmod_way;

/**
 * struct mp_kmod_dev - the open device
 * @fd: -1 when it is not open
 * @info: what the module has said of itself
 */
struct mp_kmod_dev {
	int fd;
	struct memprobe_info info;
};

/**
 * mp_kmod_dev_open() - open it, and ask what there is
 * @why: gets one line with any error: what is missing, what to do
 * @room: bytes of @why
 *
 * Refuses a module that says of itself what cannot be.
 * Return: 0; -ENODEV (not loaded), -EACCES, -EPERM, other -errno. After an
 * error it is closed.
 */
int mp_kmod_dev_open(struct mp_kmod_dev *dev, char *why, size_t room);

/** mp_kmod_dev_close() - with all that it still holds; twice is fine */
void mp_kmod_dev_close(struct mp_kmod_dev *dev);

/**
 * mp_kmod_dev_take() - take an arena
 * @want: bytes, kind, node; a node that cannot be had is a wish not granted
 * @forced: a kind that cannot be had is not replaced by another; an arena
 *	that turns out to be of another is given back
 * @got: gets the module's answer; mp_kmod_dev_give() its @id
 * @kind: gets enum mp_pages: the kind that was asked for in the end
 * @why: gets one line with any error
 * Return: 0; -EOPNOTSUPP for a kind that the module does not know; -ENOMEM,
 * -EPERM, other -errno.
 */
int mp_kmod_dev_take(const struct mp_kmod_dev *dev,
		     const struct mp_arena *want, bool forced,
		     struct memprobe_arena *got, uint32_t *kind, char *why,
		     size_t room);

/** mp_kmod_dev_give() - give an arena back */
void mp_kmod_dev_give(const struct mp_kmod_dev *dev, uint32_t id);

/**
 * mp_kmod_dev_grant() - what an arena is, in the words of a grant
 * @got: what the module said of it
 * @kind: enum mp_pages: what was asked for
 * @grant: gets it; nothing is assumed that the module has not said
 */
void mp_kmod_dev_grant(const struct memprobe_arena *got, uint32_t kind,
		       struct mp_grant_arena *grant);

/**
 * mp_kmod_dev_run() - carry out a run
 * @run: as struct memprobe_run wants it
 * @why: gets one line with any error
 *
 * While another run holds the machine it is tried again for about a second.
 * Return: 0 or -errno; -EAGAIN when the machine was held all that time.
 */
int mp_kmod_dev_run(const struct mp_kmod_dev *dev, struct memprobe_run *run,
		    char *why, size_t room);

#endif
