/* SPDX-License-Identifier: GPL-2.0 */
/* From a system call to a handler that sees kernel memory only. */
#ifndef MP_DISPATCH_H
#define MP_DISPATCH_H

#include <linux/fs.h>

/** mp_dispatch() - the ioctl of /dev/memprobe; errno by the UAPI's contract */
long mp_dispatch(struct file *file, unsigned int command,
		 unsigned long address);

#endif
