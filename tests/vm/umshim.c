// SPDX-License-Identifier: GPL-2.0
/*
 * For LD_PRELOAD, under User Mode Linux on a CPU with AMX.
 *
 * UML keeps the floating point state of a task in an area of fixed size. A
 * host's whole XSAVE state may be larger (AMX: 11 KB); reading is cut short
 * without a word, but writing back a part is refused, and PID 1 dies with
 * "set fp regs failed, errno = 14". Where the state does not fit, this says
 * that there is none to be had, and UML falls back on the old, short form.
 * Where it fits nothing is changed.
 *
 * UMSHIM_HIDE=1 hides it on any host, so that this can be tried.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

#define ROOM 65536	/* larger than any XSAVE area to come */

typedef long ptrace_fn(enum __ptrace_request request, pid_t pid, void *addr,
		       void *data);

/* Does the host's state of @pid fit into what UML has for it? */
static int fits(ptrace_fn *real, pid_t pid, void *addr, const struct iovec *uml)
{
	static char whole[ROOM];
	struct iovec all = { .iov_base = whole, .iov_len = sizeof(whole) };

	if (getenv("UMSHIM_HIDE"))
		return 0;
	if (real(PTRACE_GETREGSET, pid, addr, &all))
		return 1;	/* UML shall hear of this failure itself */
	return all.iov_len <= uml->iov_len;
}

long ptrace(enum __ptrace_request request, ...)
{
	static ptrace_fn *real;
	static int hide = -1;
	pid_t pid;
	void *addr, *data;
	va_list rest;

	va_start(rest, request);
	pid = va_arg(rest, pid_t);
	addr = va_arg(rest, void *);
	data = va_arg(rest, void *);
	va_end(rest);

	if (!real)
		real = (ptrace_fn *)dlsym(RTLD_NEXT, "ptrace");
	if (request == PTRACE_GETREGSET && (unsigned long)addr == NT_X86_XSTATE) {
		if (hide < 0)
			hide = !fits(real, pid, addr, data);
		if (hide) {
			errno = EINVAL;
			return -1;
		}
	}
	return real(request, pid, addr, data);
}
