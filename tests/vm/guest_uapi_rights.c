// SPDX-License-Identifier: GPL-2.0
/*
 * Who may do what: the capabilities of the caller and of whoever opened.
 */
#include "guest_uapi.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define NOBODY 65534
#define CHILD_MS 30000
#define PAGE 4096u
#define NO_CAP (-1)

/* Become a user who has this capability and no other. */
static int become(int cap)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	memset(data, 0, sizeof(data));
	if (cap != NO_CAP) {
		data[cap / 32].effective = 1u << cap % 32;
		data[cap / 32].permitted = 1u << cap % 32;
	}
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) ||
	    setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY) ||
	    syscall(SYS_capset, &header, data))
		return -errno;
	return 0;
}

static struct memprobe_arena *low_arena(struct guest *g, __u32 kind)
{
	static struct memprobe_arena *arena;

	(void)g;
	if (!arena)
		arena = guest_shared(sizeof(*arena));
	memset(arena, 0, sizeof(*arena));
	arena->size = sizeof(*arena);
	arena->op = MEMPROBE_ARENA_TAKE;
	arena->kind = kind;
	arena->bytes = PAGE;
	return arena;
}

static int take_kind(struct guest *g, int fd, __u32 kind)
{
	struct memprobe_arena *arena = low_arena(g, kind);
	int error = guest_call(fd, MEMPROBE_ARENA, arena);

	if (!error)
		guest_give(fd, arena->id);
	return error;
}

/*
 * What answer() checks after a refusal this caller may not do: so only the
 * result is checked here, and all else by the parent.
 */
static void result(const char *command, const char *what, int got, int want)
{
	tallied(command, what, got, want, want);
}

/* What has to work for the rest to make sense. */
static void must(const char *what, int got)
{
	expect_error(what, got, 0, 0);
}

/* Opened by root, used by somebody else. */
static void handed_on(struct guest *g)
{
	struct memprobe_info info;

	if (!in_child("a file that root opened, without capabilities",
		      CHILD_MS))
		return;
	must("become a user without capabilities", become(NO_CAP));
	result("INFO", "without capabilities", guest_info(g->fd, &info), 0);
	guest_default(g);
	result("RUN", "without capabilities", guest_run(g), EPERM);
	result("ARENA", "without capabilities",
	       take_kind(g, g->fd, MEMPROBE_KIND_SCATTERED), EPERM);
	result("ARENA", "give back without capabilities",
	       guest_give(g->fd, g->arena.id), EPERM);
	child_ends();
}

static void runs_with_perfmon(struct guest *g)
{
	const __u32 off = MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF;

	guest_default(g);
	result("RUN", "CAP_PERFMON: a run", guest_run(g), 0);
	guest_default(g);
	g->run.flags = MEMPROBE_RUN_PREEMPT_OFF;
	result("RUN", "CAP_PERFMON: a run with preemption off", guest_run(g),
	       0);
	guest_default(g);
	g->run.flags = off;
	result("RUN", "CAP_PERFMON: a run with interrupts off", guest_run(g),
	       EPERM);
	if (g->info.run_flags & MEMPROBE_RUN_PREFETCH_OFF) {
		guest_default(g);
		g->run.flags = off | MEMPROBE_RUN_PREFETCH_OFF;
		result("RUN", "CAP_PERFMON: a run with prefetchers off",
		       guest_run(g), EPERM);
	}
	guest_default(g);
	result("RUN", "CAP_PERFMON: a run after these", guest_run(g), 0);
}

/* CAP_PERFMON alone: nothing contiguous, no interrupts off. */
static void with_perfmon(struct guest *g)
{
	struct memprobe_arena arena, own_arena;
	int fd, own_fd;

	if (!in_child("CAP_PERFMON and no other capability", CHILD_MS))
		return;
	must("become a user with CAP_PERFMON", become(CAP_PERFMON));
	fd = guest_open();
	if (fd < 0) {
		must("open with CAP_PERFMON", fd);
		child_ends();
	}
	result("ARENA", "CAP_PERFMON: a scattered arena",
	       guest_take(fd, MEMPROBE_KIND_SCATTERED, GUEST_ARENA_BYTES,
			  &arena),
	       0);
	if (g->info.kinds & 1u << MEMPROBE_KIND_HUGE)
		result("ARENA", "CAP_PERFMON: a huge arena",
		       take_kind(g, fd, MEMPROBE_KIND_HUGE), 0);
	if (g->info.kinds & 1u << MEMPROBE_KIND_CONTIG)
		result("ARENA", "CAP_PERFMON: a contiguous arena",
		       take_kind(g, fd, MEMPROBE_KIND_CONTIG), EPERM);
	if (g->info.kinds & 1u << MEMPROBE_KIND_BLOCKS)
		result("ARENA", "CAP_PERFMON: contiguous blocks",
		       take_kind(g, fd, MEMPROBE_KIND_BLOCKS), EPERM);
	/* The request lies in memory that the parent has too. */
	own_fd = g->fd;
	own_arena = g->arena;
	g->fd = fd;
	g->arena = arena;
	runs_with_perfmon(g);
	g->fd = own_fd;
	g->arena = own_arena;
	child_ends();
}

/* A contiguous arena of root's, in the hands of CAP_PERFMON. */
static void handed_on_contiguous(struct guest *g)
{
	struct memprobe_arena arena;

	if (!(g->info.kinds & 1u << MEMPROBE_KIND_CONTIG) ||
	    guest_take(g->fd, MEMPROBE_KIND_CONTIG, GUEST_ARENA_BYTES, &arena))
		return;
	if (in_child("a contiguous arena of root's with CAP_PERFMON",
		     CHILD_MS)) {
		must("become a user with CAP_PERFMON", become(CAP_PERFMON));
		guest_default(g);
		g->actor[0].arena = arena.id;
		result("RUN", "CAP_PERFMON: a run in root's contiguous arena",
		       guest_run(g), EPERM);
		child_ends();
	}
	guest_give(g->fd, arena.id);
}

/* Opened by somebody without capabilities, used by root. */
static void handed_up(struct guest *g)
{
	struct memprobe_info info;
	struct memprobe_arena arena;
	int fd, own;

	if (!in_child("a file that nobody opened, with capabilities", CHILD_MS))
		return;
	/* Another effective user loses the effective capabilities for a while. */
	if (seteuid(NOBODY)) {
		must("another effective user", -errno);
		child_ends();
	}
	fd = guest_open();
	if (seteuid(0))
		must("root again", -errno);
	if (fd < 0) {
		must("open as nobody", fd);
		child_ends();
	}
	result("INFO", "of nobody's file", guest_info(fd, &info), 0);
	result("ARENA", "of nobody's file",
	       guest_take(fd, MEMPROBE_KIND_SCATTERED, PAGE, &arena), EPERM);
	own = g->fd;
	g->fd = fd;
	guest_default(g);
	result("RUN", "of nobody's file", guest_run(g), EPERM);
	g->fd = own;
	child_ends();
}

static void not_opened(struct guest *g)
{
	int fd;

	(void)g;
	if (!in_child("the node's mode", CHILD_MS))
		return;
	must("become a user without capabilities", become(NO_CAP));
	fd = guest_open();
	expect_error("open a node of mode 0600", fd < 0 ? fd : 0, EACCES,
		     EACCES);
	child_ends();
}

void uapi_rights(struct guest *g)
{
	struct stat node;

	if (!stat(guest_device(), &node))
		expect_equal("the node's mode", node.st_mode & 0777, 0600);
	not_opened(g);
	handed_on(g);
	if (chmod(guest_device(), 0666)) {
		skipped("files that others open", guest_error_name(errno));
		return;
	}
	with_perfmon(g);
	handed_up(g);
	chmod(guest_device(), 0600);
	handed_on_contiguous(g);
	guest_default(g);
	answer(g, "RUN", "after all that others tried", guest_run(g), 0, 0);
}
