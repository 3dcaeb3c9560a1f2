/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What module/core needs from outside, in one place. The code in this
 * folder is freestanding: the kernel module, the user-space tool and the
 * GPU hosts compile the same files, and only this header knows which.
 */
#ifndef MP_CORE_H
#define MP_CORE_H

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/stddef.h>
#include <linux/types.h>
#else
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

/** MP_BREATHE_ITEMS - items of a long loop between two breaths */
#define MP_BREATHE_ITEMS 4096u

/**
 * mp_breathe() - in a long loop: let others run, where nobody else sees to it
 *
 * Never inside a window: what is timed calls nothing.
 */
static inline void mp_breathe(void)
{
#ifdef __KERNEL__
	cond_resched();
#endif
}

#endif
