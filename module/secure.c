// SPDX-License-Identifier: GPL-2.0
/*
 * Rights. A file that root opened gives its rights to nobody it is passed to,
 * and root who is handed a file that somebody else opened is not made to work
 * for them: both sides must have the right.
 */
#include "secure.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/security.h>

#include "arena.h"

bool mp_is_admin(const struct file *file)
{
	return capable(CAP_SYS_ADMIN) &&
	       file_ns_capable(file, &init_user_ns, CAP_SYS_ADMIN);
}

int mp_may_measure(const struct file *file)
{
	if (!perfmon_capable())
		return -EPERM;
	if (file_ns_capable(file, &init_user_ns, CAP_PERFMON) ||
	    file_ns_capable(file, &init_user_ns, CAP_SYS_ADMIN))
		return 0;
	return -EPERM;
}

int mp_may_arena(const struct file *file, const struct memprobe_arena *arena)
{
	if (arena->op == MEMPROBE_ARENA_GIVE)
		return 0;
	if (mp_mem_guarded(arena->kind, arena->flags) && !mp_is_admin(file))
		return -EPERM;
	return 0;
}

int mp_may_run(const struct file *file, const struct memprobe_run *run)
{
	const u32 guarded = MEMPROBE_RUN_IRQ_OFF | MEMPROBE_RUN_PREFETCH_OFF;

	if ((run->flags & guarded) && !mp_is_admin(file))
		return -EPERM;
	if ((run->flags & MEMPROBE_RUN_PREFETCH_OFF) &&
	    security_locked_down(LOCKDOWN_MSR))
		return -EPERM;
	return 0;
}
