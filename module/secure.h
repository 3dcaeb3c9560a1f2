/* SPDX-License-Identifier: GPL-2.0 */
/* Who may do what: asked of the caller and of whoever opened the file. */
#ifndef MP_SECURE_H
#define MP_SECURE_H

#include <linux/fs.h>

#include "../ioctl/memprobe.h"

/** mp_is_admin() - have both CAP_SYS_ADMIN? */
bool mp_is_admin(const struct file *file);
/** mp_may_measure() - ARENA and RUN at all: CAP_PERFMON; 0 or -EPERM */
int mp_may_measure(const struct file *file);
/** mp_may_arena() - memory of that kind: CAP_SYS_ADMIN for contiguous */
int mp_may_arena(const struct file *file, const struct memprobe_arena *arena);
/** mp_may_run() - that much quiet: CAP_SYS_ADMIN for interrupts off */
int mp_may_run(const struct file *file, const struct memprobe_run *run);

#endif
