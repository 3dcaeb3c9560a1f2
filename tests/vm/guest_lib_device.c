// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to /dev/memprobe that are correct until a test changes them.
 */
#include "guest_lib.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_HOPS 1024
#define DEFAULT_BURSTS 2
#define DEFAULT_LENGTH (64u << 10)
#define DEFAULT_STRIDE 64

static bool compat;

const char *guest_device(void)
{
	const char *path = getenv("MEMPROBE_DEVICE");

	return path ? path : "/dev/memprobe";
}

int guest_open(void)
{
	const int fd = open(guest_device(), O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

#ifdef __x86_64__
/* ioctl() by the gate of 32-bit processes: the kernel's compat path. */
static long call_compat(int fd, unsigned long command, void *argument)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a" (result)
			 : "a" (54L), "b" ((long)fd), "c" (command),
			   "d" (argument)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}

bool guest_use_compat(void)
{
	/* Without IA32 emulation the gate is a fault, or leads nowhere. */
	const pid_t child = fork();
	int status;

	if (!child)
		_exit(call_compat(-1, 0, NULL) != -EBADF);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return false;
	compat = WIFEXITED(status) && !WEXITSTATUS(status);
	return compat;
}
#else
static long call_compat(int fd, unsigned long command, void *argument)
{
	(void)fd;
	(void)command;
	(void)argument;
	return -ENOSYS;
}

bool guest_use_compat(void)
{
	return false;
}
#endif

int guest_call(int fd, unsigned long command, void *argument)
{
	if (compat)
		return (int)call_compat(fd, command, argument);
	return ioctl(fd, command, argument) < 0 ? -errno : 0;
}

/*
 * The structs that the calls below get lie on the caller's stack, out of
 * reach of 32 bits; so they go through memory that is in reach, and that no
 * other process and no other thread writes meanwhile.
 */
static int call_copied(int fd, unsigned long command, void *argument,
		       size_t bytes)
{
	static __thread void *low;
	int error;

	if (!low)
		low = guest_low(4096);
	memcpy(low, argument, bytes);
	error = guest_call(fd, command, low);
	memcpy(argument, low, bytes);
	return error;
}

int guest_info(int fd, struct memprobe_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return call_copied(fd, MEMPROBE_INFO, info, sizeof(*info));
}

int guest_take_arena(int fd, struct memprobe_arena *arena)
{
	arena->size = sizeof(*arena);
	arena->op = MEMPROBE_ARENA_TAKE;
	return call_copied(fd, MEMPROBE_ARENA, arena, sizeof(*arena));
}

int guest_take(int fd, __u32 kind, __u64 bytes, struct memprobe_arena *arena)
{
	memset(arena, 0, sizeof(*arena));
	arena->kind = kind;
	arena->bytes = bytes;
	return guest_take_arena(fd, arena);
}

int guest_give(int fd, __u32 id)
{
	struct memprobe_arena arena = {
		.size = sizeof(arena),
		.op = MEMPROBE_ARENA_GIVE,
		.id = id,
	};

	return call_copied(fd, MEMPROBE_ARENA, &arena, sizeof(arena));
}

bool guest_is_um(const struct memprobe_info *info)
{
	return info->clock == MEMPROBE_CLOCK_HOST_TSC;
}

__u32 guest_bulk_kind(const struct memprobe_info *info)
{
	return guest_is_um(info) ? MEMPROBE_KIND_CONTIG
				 : MEMPROBE_KIND_SCATTERED;
}

struct guest *guest_new(int cpu)
{
	struct guest *g = guest_shared(sizeof(*g));
	int error;

	g->cpu = cpu;
	g->fd = guest_open();
	if (g->fd < 0) {
		expect_error("open the device", g->fd, 0, 0);
		goto err_open;
	}
	error = guest_info(g->fd, &g->info);
	if (error) {
		expect_error("INFO", error, 0, 0);
		goto err_call;
	}
	error = guest_take(g->fd, MEMPROBE_KIND_SCATTERED, GUEST_ARENA_BYTES,
			   &g->arena);
	if (error) {
		expect_error("take a small scattered arena", error, 0, 0);
		goto err_call;
	}
	error = guest_pin(cpu);
	if (error) {
		expect_error(guest_text("bind to CPU %d", cpu), error, 0, 0);
		goto err_call;
	}
	guest_default(g);
	return g;

err_call:
	close(g->fd);
err_open:
	munmap(g, sizeof(*g));
	return NULL;
}

void guest_free(struct guest *g)
{
	if (!g)
		return;
	close(g->fd);
	munmap(g, sizeof(*g));
}

void guest_default(struct guest *g)
{
	memset(g->actor, 0, sizeof(g->actor));
	memset(g->event, 0, sizeof(g->event));
	memset(g->step, 0, sizeof(g->step));
	g->actor[0] = (struct memprobe_actor){
		.size = sizeof(g->actor[0]),
		.cpu = (__u32)g->cpu,
		.op = MEMPROBE_OP_CHASE,
		.arena = g->arena.id,
		.length = DEFAULT_LENGTH,
		.stride = DEFAULT_STRIDE,
		.seed = 1,
		.hops = DEFAULT_HOPS,
		.bursts = DEFAULT_BURSTS,
	};
	g->run = (struct memprobe_run){
		.size = sizeof(g->run),
		.actors = (__u64)(unsigned long)g->actor,
		.n_actors = 1,
		.actor_size = sizeof(g->actor[0]),
		.samples = (__u64)(unsigned long)g->sample,
		.n_samples = DEFAULT_BURSTS,
	};
}

void guest_bursts(struct guest *g, __u32 bursts, __u64 hops, __u64 window_ns)
{
	g->actor[0].bursts = bursts;
	g->actor[0].hops = hops;
	g->run.n_samples = bursts;
	g->run.window_ns = window_ns;
}

void guest_long(struct guest *g, unsigned int ms)
{
	const __u64 window_ns = g->info.window_max_ns;
	/* As long asleep as awake. */
	__u64 bursts = ms * GUEST_NS_PER_MS / (2 * window_ns) + 1;

	if (bursts > GUEST_SAMPLES)
		bursts = GUEST_SAMPLES;
	if (bursts > g->info.bursts_max)
		bursts = g->info.bursts_max;
	guest_default(g);
	guest_bursts(g, (__u32)bursts, g->info.hops_max, window_ns);
}

/* Is this thread in the call RUN? What it runs is told while it sleeps. */
static bool in_run(const char *path)
{
	unsigned long call, fd, command = 0;
	FILE *file = fopen(path, "r");

	if (!file)
		return false;
	if (fscanf(file, "%lu %lx %lx", &call, &fd, &command) != 3)
		command = 0;
	fclose(file);
	return command == MEMPROBE_RUN;
}

void guest_await_run(pid_t thread)
{
	const char *path = guest_text("/proc/%d/syscall", (int)thread);
	const __u64 wait_s = access(path, R_OK) ? 1 : 20;
	const __u64 end = guest_now_ns(CLOCK_MONOTONIC) +
			  wait_s * GUEST_NS_PER_S;

	while (!in_run(path) && guest_now_ns(CLOCK_MONOTONIC) < end)
		guest_sleep_ns(GUEST_NS_PER_MS);
	/* It may have slept for the first time before its first window. */
	guest_sleep_ns(100 * GUEST_NS_PER_MS);
}

void guest_await_id(const volatile pid_t *thread)
{
	while (!*thread)
		guest_sleep_ns(GUEST_NS_PER_MS);
	guest_await_run(*thread);
}

int guest_run(struct guest *g)
{
	return guest_call(g->fd, MEMPROBE_RUN, &g->run);
}

bool guest_works(const char *after)
{
	const unsigned int before = guest_failed();
	struct guest *g = guest_new(0);
	int error;

	if (!g)
		return false;
	error = guest_run(g);
	expect_error(guest_text("a default run after %s", after), error, 0, 0);
	if (!error)
		expect_equal(guest_text("its samples, after %s", after),
			     g->run.n_samples, DEFAULT_BURSTS);
	guest_free(g);
	return guest_failed() == before;
}
