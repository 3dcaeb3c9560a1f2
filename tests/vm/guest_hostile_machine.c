// SPDX-License-Identifier: GPL-2.0
/*
 * Against the machine: its processor time, its memory, its CPUs.
 */
#include "guest_hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1ull << 20)
#define FIFO_NS (2 * GUEST_NS_PER_S)
#define OPENERS 8
#define OPENS 64
#define LARGE_TRIES 10
#define LONG_MS 1500
#define MOVES 3
/* No more than what the module leaves, and what it may be off by. */
#define LEFT_BYTES (8 * MIB)
#define CGROUPS "/tmp/memprobe-cgroup"

/* Runs at the highest real-time priority, each of one long window. */
static void fifo_runner(struct guest *g)
{
	struct sched_param highest = {
		.sched_priority = sched_get_priority_max(SCHED_FIFO),
	};
	const __u64 end = guest_now_ns(CLOCK_MONOTONIC) + FIFO_NS;
	struct guest *own = guest_new(g->cpu);

	if (!own || sched_setscheduler(0, SCHED_FIFO, &highest))
		_exit(1);
	while (guest_now_ns(CLOCK_MONOTONIC) < end) {
		guest_default(own);
		guest_bursts(own, 1, own->info.hops_max,
			     own->info.window_max_ns);
		own->run.flags = QUIET;
		if (guest_run(own))
			_exit(2);
	}
	_exit(0);
}

/* An ordinary task on the same CPU: how much of it does it get? */
void hostile_fifo(struct guest *g)
{
	__u64 begin, cpu_begin, wall, used;
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (!child)
		fifo_runner(g);
	guest_pin(g->cpu);
	begin = guest_now_ns(CLOCK_MONOTONIC);
	cpu_begin = guest_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	while (guest_now_ns(CLOCK_MONOTONIC) - begin < FIFO_NS / 2)
		;
	wall = guest_now_ns(CLOCK_MONOTONIC) - begin;
	used = guest_now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin;
	status = guest_reap(child, CHILD_MS);
	note("beside a run at FIFO 99: %llu of %llu ms", used / GUEST_NS_PER_MS,
	     wall / GUEST_NS_PER_MS);
	expect(!status, "FIFO 99: the run", "to work, got %d", status);
	/* The duty leaves half; real-time throttling alone left a twentieth. */
	expect(used > wall / 10, "FIFO 99: an ordinary task beside it",
	       "a tenth of the CPU, got %llu of %llu ms",
	       used / GUEST_NS_PER_MS, wall / GUEST_NS_PER_MS);
}

/* What the openers have in common. */
struct openers {
	__u32 held;
	__u32 full;
	__u32 seen;
};

static __u64 meminfo_bytes(const char *key)
{
	char line[128];
	unsigned long long kib = 0;
	FILE *file = fopen("/proc/meminfo", "r");

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)) &&
		    sscanf(line + strlen(key), ": %llu kB", &kib) == 1)
			break;
	fclose(file);
	return kib << 10;
}

static __u64 available_bytes(void)
{
	return meminfo_bytes("MemAvailable");
}

/*
 * Files full of arenas, as many as can be had; all of them held until nobody
 * gets another one, and it was seen what is left.
 */
static int opener(__u32 kind, __u64 bytes, struct openers *all)
{
	const __u64 end = guest_now_ns(CLOCK_MONOTONIC) +
			  CHILD_MS / 2 * GUEST_NS_PER_MS;
	struct memprobe_arena arena;
	int fds[OPENS], error = 0;
	unsigned int i;

	for (i = 0; i < OPENS; i++) {
		fds[i] = guest_open();
		if (fds[i] < 0)
			return 1;
	}
	for (i = 0; !error; i++) {
		error = guest_take(fds[i % OPENS], kind, bytes, &arena);
		if (!error)
			__atomic_add_fetch(&all->held, 1, __ATOMIC_RELAXED);
	}
	__atomic_add_fetch(&all->full, 1, __ATOMIC_RELAXED);
	while (!__atomic_load_n(&all->seen, __ATOMIC_RELAXED) &&
	       guest_now_ns(CLOCK_MONOTONIC) < end)
		guest_sleep_ns(10 * GUEST_NS_PER_MS);
	return error == -ENOMEM || error == -ERANGE ? 0 : 2;
}

/* By how much the kernel may come to raise what all zones keep back over their
 * highest watermarks, which are not available as it is. What it has raised them by
 * already is in those that it tells. */
static long long raised_bytes(void)
{
	char line[128];
	long long pages = 0, boost = 0, min = 0, high;
	FILE *file = fopen("/proc/zoneinfo", "r");

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		sscanf(line, " boost %lld", &boost);
		sscanf(line, " min %lld", &min);
		/* "high:" is another matter, of lists of pages that CPUs have. */
		if (sscanf(line, " high %lld", &high) == 1)
			pages += min - boost + (high - boost) / 2;
	}
	fclose(file);
	return pages * PAGE;
}

/*
 * What the kernel has left while all is held: of pages that are free, those
 * set aside for large pieces (CMA) are none for its page tables.
 */
static void judge_left(struct openers *all)
{
	const __u64 end = guest_now_ns(CLOCK_MONOTONIC) +
			  CHILD_MS / 2 * GUEST_NS_PER_MS;
	long long left;

	while (__atomic_load_n(&all->full, __ATOMIC_RELAXED) < OPENERS &&
	       guest_now_ns(CLOCK_MONOTONIC) < end)
		guest_sleep_ns(10 * GUEST_NS_PER_MS);
	left = (long long)available_bytes() - raised_bytes() -
	       (long long)meminfo_bytes("CmaFree");
	expect_equal("many opens: processes that got no more",
		     __atomic_load_n(&all->full, __ATOMIC_RELAXED), OPENERS);
	__atomic_store_n(&all->seen, 1, __ATOMIC_RELAXED);
	note("many opens: %lld KiB left", left / 1024);
	expect(left > (long long)LEFT_BYTES, "many opens: what is left",
	       "more than %llu KiB that is for the kernel, got %lld",
	       LEFT_BYTES / 1024, left / 1024);
}

void hostile_opens(struct guest *g)
{
	const __u64 bytes = 4 * MIB;
	const long long kills = oom_kills();
	struct openers *all = guest_shared(PAGE);
	struct memprobe_arena arena;
	pid_t child[OPENERS];
	int i, status, bad = 0, last_bad = 0;

	fflush(stdout);
	for (i = 0; i < OPENERS; i++) {
		child[i] = fork();
		if (!child[i])
			_exit(opener(guest_bulk_kind(&g->info), bytes, all));
	}
	judge_left(all);
	for (i = 0; i < OPENERS; i++) {
		status = guest_reap(child[i], CHILD_MS);
		if (status) {
			last_bad = status;
			bad++;
		}
	}
	note("many opens: %u arenas of 4 MiB at once, of at most %llu", all->held,
	     g->info.total_max_bytes / bytes);
	expect(!bad, "many opens: processes",
	       "all to end with ENOMEM or ERANGE, %d did not, the last with %d",
	       bad, last_bad);
	expect(all->held, "many opens: arenas", "some");
	expect_equal("many opens: killed for memory",
		     (__u64)(oom_kills() - kills), 0);
	expect_error("many opens: an arena after all were closed",
		     guest_take(g->fd, MEMPROBE_KIND_SCATTERED, bytes, &arena),
		     0, 0);
}

static bool frozen(const char *events)
{
	char text[128] = "";
	const int fd = open(events, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	return strstr(text, "frozen 1");
}

void hostile_freezer(struct guest *g)
{
	const char *group = CGROUPS "/memprobe";
	bool stopped = false;
	int i, error;
	pid_t child;

	mkdir("/tmp", 0755);
	mkdir(CGROUPS, 0755);
	if (mount("none", CGROUPS, "cgroup2", 0, NULL) ||
	    (mkdir(group, 0755) && errno != EEXIST)) {
		skipped("freezer", guest_error_name(errno));
		umount(CGROUPS);
		return;
	}
	child = runner(g, LONG_MS, true);
	error = guest_write(CGROUPS "/memprobe/cgroup.procs",
			    guest_text("%d", child));
	guest_await_run(child);
	expect_error("freezer: a process in its group", error, 0, 0);
	expect_error("freezer: freeze",
		     guest_write(CGROUPS "/memprobe/cgroup.freeze", "1"), 0, 0);
	for (i = 0; i < 2000 && !stopped; i++) {
		stopped = frozen(CGROUPS "/memprobe/cgroup.events");
		guest_sleep_ns(10 * GUEST_NS_PER_MS);
	}
	expect(stopped, "freezer: a run", "to be frozen within twenty seconds");
	guest_default(g);
	error = guest_run(g);
	note("freezer: a run beside a frozen one: %s", guest_error_name(-error));
	expect_error("freezer: thaw",
		     guest_write(CGROUPS "/memprobe/cgroup.freeze", "0"), 0, 0);
	/* The freezer's signal ends the run after its window, as any would. */
	i = guest_reap(child, CHILD_MS);
	expect(!i || i == EINTR, "freezer: the run after it",
	       "to have ended well, got %s", guest_error_name(i));
	rmdir(group);
	umount(CGROUPS);
}

/* A long run in a child on this CPU; its end is told in shared memory. */
static struct guest *long_child(int cpu, pid_t *child)
{
	struct guest *own = guest_new(cpu);

	if (!own)
		return NULL;
	guest_pin(0);
	fflush(stdout);
	*child = fork();
	if (*child)
		return own;
	guest_pin(cpu);
	guest_long(own, LONG_MS);
	_exit(-guest_run(own));
}

void hostile_offline(struct guest *g)
{
	const int last = guest_cpus() - 1;
	const char *path = guest_text("/sys/devices/system/cpu/cpu%d/online",
				      last);
	struct guest *own;
	pid_t child;
	int error;

	(void)g;
	if (last < 1 || guest_read(path, -1) != 1) {
		skipped("a CPU that goes offline", "no CPU here can");
		return;
	}
	own = long_child(last, &child);
	if (!own)
		return;
	guest_await_run(child);
	error = guest_write(path, "0");
	expect_error("offline during a run: the CPU", error, 0, 0);
	expect_equal("offline during a run: the run",
		     (__u64)guest_reap(child, CHILD_MS), 0);
	expect_equal("offline during a run: why it ended", own->run.stop,
		     MEMPROBE_STOP_HOTPLUG);
	expect_error("offline during a run: online again",
		     guest_write(path, "1"), 0, 0);
	guest_free(own);
}

/* Return: what the run ended with; why it did is in *@stop. */
static int move_caller(int cpu, __u32 *stop)
{
	struct guest *own;
	cpu_set_t other;
	pid_t child;
	int error, status;

	own = long_child(cpu, &child);
	if (!own)
		return -1;
	guest_await_run(child);
	CPU_ZERO(&other);
	CPU_SET(1, &other);
	error = sched_setaffinity(child, sizeof(other), &other) ? -errno : 0;
	expect_error("move the caller of a run", error, 0, 0);
	status = guest_reap(child, CHILD_MS);
	*stop = own->run.stop;
	guest_free(own);
	return status;
}

void hostile_moved(struct guest *g)
{
	int i, status = EINVAL;
	__u32 stop = 0;

	if (guest_cpus() < 2) {
		skipped("a caller that is moved", "the machine has one CPU");
		return;
	}
	/* On a busy host it may not have had its first window: no run yet. */
	for (i = 0; i < MOVES && status == EINVAL; i++)
		status = move_caller(g->cpu, &stop);
	if (i > 1)
		note("a caller that is moved: %d times until it had a window", i);
	expect_equal("a caller that is moved: the run", (__u64)status, 0);
	expect_equal("a caller that is moved: why it ended", stop,
		     MEMPROBE_STOP_MOVED);
}

void hostile_unload(struct guest *g)
{
	int error;

	(void)g;
	error = syscall(SYS_delete_module, "memprobe", O_NONBLOCK) ? -errno : 0;
	if (error == -ENOENT || error == -ENOSYS) {
		skipped("unload while it is open", "it is no module here");
		return;
	}
	expect_error("unload while it is open", error, EAGAIN, EBUSY);
}

/* Most memory is taken; what an arena cannot have is ENOMEM, no more. */
static void press(void)
{
	const __u64 bytes = available_bytes() / 100 * 80;
	const unsigned int failed = guest_failed();
	static const __u32 kinds[] = {
		MEMPROBE_KIND_SCATTERED, MEMPROBE_KIND_HUGE,
		MEMPROBE_KIND_CONTIG, MEMPROBE_KIND_BLOCKS,
	};
	struct memprobe_arena arena;
	struct guest *own;
	int error = 0;
	size_t i;
	void *all;

	/* Were somebody killed after all, let it be this one. */
	guest_write("/proc/self/oom_score_adj", "1000");
	own = guest_new(0);
	all = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (!own || all == MAP_FAILED)
		_exit(1);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!(own->info.kinds & 1u << kinds[i]))
			continue;
		error = guest_take(own->fd, kinds[i], own->info.arena_max_bytes,
				   &arena);
		note("arena of %llu MiB, kind %u, with %llu MiB left: %s",
		     own->info.arena_max_bytes / MIB, kinds[i],
		     available_bytes() / MIB, guest_error_name(-error));
		if (error && error != -ENOMEM)
			_exit(2);
		if (!error)
			guest_give(own->fd, arena.id);
	}
	/* Small ones until there are no more. */
	while (!error)
		error = guest_take(own->fd, MEMPROBE_KIND_SCATTERED, 4 * MIB,
				   &arena);
	if (error != -ENOMEM && error != -ERANGE)
		_exit(3);
	_exit(guest_failed() > failed ? 4 : 0);
}

void hostile_memory(struct guest *g)
{
	const long long kills = oom_kills();
	pid_t child;
	int status;

	if (guest_is_um(&g->info)) {
		skipped("memory pressure", "the host would end this machine");
		return;
	}
	fflush(stdout);
	child = fork();
	if (!child)
		press();
	status = guest_reap(child, CHILD_MS);
	expect(!status, "memory pressure", "ENOMEM and nothing else, got %d",
	       status);
	expect_equal("memory pressure: killed for memory",
		     (__u64)(oom_kills() - kills), 0);
}

/* As much warm-up as can be asked for still ends with the call's limit. */
void hostile_warm_up(struct guest *g)
{
	const __u64 begin = guest_now_ns(CLOCK_MONOTONIC);
	__u64 took;
	int error;

	guest_default(g);
	guest_bursts(g, 2, g->info.hops_max, g->info.window_max_ns);
	g->actor[0].warm_hops = ~0ull;
	g->actor[0].rewarm_hops = ~0ull;
	error = guest_run(g);
	if (error == -ERANGE) {
		guest_default(g);
		guest_bursts(g, 2, g->info.hops_max, g->info.window_max_ns);
		g->actor[0].warm_hops = g->info.hops_max;
		g->actor[0].rewarm_hops = g->info.hops_max;
		error = guest_run(g);
	}
	took = guest_now_ns(CLOCK_MONOTONIC) - begin;
	note("endless warm-up: %s, stop %u, %u samples, %llu ms",
	     guest_error_name(-error), g->run.stop, g->run.n_samples,
	     took / GUEST_NS_PER_MS);
	expect_error("endless warm-up", error, 0, 0);
	/* A busy host stops this machine at times. */
	expect(took < 2 * g->info.call_max_ns, "endless warm-up: time",
	       "at most twice %llu ns, got %llu", g->info.call_max_ns, took);
}

/*
 * A struct of a later version may be larger, but not so large that looking
 * for what is set in it takes the CPU for long: that cannot be interrupted.
 */
void hostile_large(struct guest *g)
{
	const size_t bytes = 1ull << 32;
	__u64 begin, took, least = ~0ull;
	__u32 *memory;
	int i, error = 0;

	if (guest_is_um(&g->info)) {
		skipped("a struct of 4 GiB", "the host would end this machine");
		return;
	}
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED) {
		skipped("a struct of 4 GiB", guest_error_name(errno));
		return;
	}
	/* The least of a few: a busy host stops this machine at times. */
	for (i = 0; i < LARGE_TRIES; i++) {
		*memory = 0xfffffff8u;
		begin = guest_now_ns(CLOCK_MONOTONIC);
		error = guest_call(g->fd, MEMPROBE_INFO, memory);
		took = guest_now_ns(CLOCK_MONOTONIC) - begin;
		if (took < least)
			least = took;
	}
	note("a struct of 4 GiB: %s after %llu ms", guest_error_name(-error),
	     least / GUEST_NS_PER_MS);
	expect(least < GUEST_NS_PER_S / 10, "a struct of 4 GiB",
	       "an answer within 100 ms, got it after %llu",
	       least / GUEST_NS_PER_MS);
	munmap(memory, bytes);
}
