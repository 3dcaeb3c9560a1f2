// SPDX-License-Identifier: GPL-2.0
/*
 * Pinning and scheduling rights. Each way to go before others has a trap:
 * nice alone does nothing between sessions where autogroups are on, and
 * SCHED_FIFO held for long starves what else lives on the CPU. So rights are
 * taken for one batch at a time and given back after it.
 */
#include "user_sched.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "user_width.h"

#define AUTOGROUP "/proc/self/autogroup"
#define BEST_NICE (-20)
#define LOOK_MS 20
/* CPUs whose width is looked at, a millisecond each. */
#define WIDTHS_MAX 16
/* A mask of more CPUs than this is no mask. */
#define CPUS_MAX (1 << 20)
/* The kernel lets one write to autogroup through each 100 ms (unless root). */
#define AUTOGROUP_WAIT_MS 110
#define AUTOGROUP_TRIES 5

static void sleep_ms(long ms)
{
	struct timespec left = { .tv_nsec = ms * 1000000 };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

void mp_user_cpus_print(const cpu_set_t *set, int n_cpus, char *text,
			size_t room)
{
	const size_t bytes = CPU_ALLOC_SIZE(n_cpus);
	size_t at = 0;
	int last, n;

	if (room)
		text[0] = '\0';
	for (int cpu = 0; cpu < n_cpus; cpu = last + 1) {
		last = cpu;
		if (!CPU_ISSET_S(cpu, bytes, set))
			continue;
		while (last + 1 < n_cpus && CPU_ISSET_S(last + 1, bytes, set))
			last++;
		n = last == cpu ?
			snprintf(text + at, room - at, "%s%d", at ? "," : "",
				 cpu) :
			snprintf(text + at, room - at, "%s%d-%d",
				 at ? "," : "", cpu, last);
		if (n < 0 || (size_t)n >= room - at)
			return;
		at += (size_t)n;
	}
}

void mp_user_cpus_busy(FILE *stat, uint64_t *busy, int n_cpus)
{
	uint64_t user, nice, system, irq, softirq, steal;
	char *line = NULL;
	size_t size = 0;
	int cpu;

	memset(busy, 0, (size_t)n_cpus * sizeof(*busy));
	while (getline(&line, &size, stat) > 0) {
		steal = 0;
		if (sscanf(line, "cpu%d %ju %ju %ju %*u %*u %ju %ju %ju", &cpu,
			   &user, &nice, &system, &irq, &softirq,
			   &steal) < 6 ||
		    cpu < 0 || cpu >= n_cpus)
			continue;
		busy[cpu] = user + nice + system + irq + softirq + steal;
	}
	free(line);
}

static uint64_t grown(const uint64_t *from, const uint64_t *to, int cpu)
{
	return to[cpu] > from[cpu] ? to[cpu] - from[cpu] : 0;
}

int mp_user_cpus_calmest(const cpu_set_t *set, int n_cpus,
			 const uint64_t *from, const uint64_t *to)
{
	const size_t bytes = CPU_ALLOC_SIZE(n_cpus);
	uint64_t least = UINT64_MAX, grew;
	int best = -1;

	for (int cpu = 0; cpu < n_cpus; cpu++) {
		if (!CPU_ISSET_S(cpu, bytes, set))
			continue;
		grew = grown(from, to, cpu);
		if (grew > least)
			continue;
		least = grew;
		best = cpu;
	}
	return best;
}

static void read_busy(uint64_t *busy, int n_cpus)
{
	FILE *stat = fopen("/proc/stat", "re");

	if (!stat) {
		memset(busy, 0, (size_t)n_cpus * sizeof(*busy));
		return;
	}
	mp_user_cpus_busy(stat, busy, n_cpus);
	fclose(stat);
}

static int pin(const struct mp_user_sched *sched, int cpu)
{
	const size_t bytes = CPU_ALLOC_SIZE(sched->n_cpus);
	cpu_set_t *set = CPU_ALLOC(sched->n_cpus);
	int err = 0;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	if (sched_setaffinity(0, bytes, set))
		err = -errno;
	CPU_FREE(set);
	return err;
}

/* Of CPUs as calm as one, to a tick, that whose core is its own. The last ones
 * of them are looked at, as many as take little time. */
static int choose_wide(const struct mp_user_sched *sched, int calmest,
		       const uint64_t *from, const uint64_t *to)
{
	const uint64_t least = grown(from, to, calmest);
	double width[WIDTHS_MAX];
	int cpu[WIDTHS_MAX];
	uint32_t n = 0, usual = 0;

	for (int i = sched->n_cpus - 1; i >= 0 && n < WIDTHS_MAX; i--) {
		if (!mp_user_sched_may(sched, i) ||
		    grown(from, to, i) > least + 1 || pin(sched, i))
			continue;
		if (i == calmest)
			usual = n;
		cpu[n] = i;
		width[n++] = mp_user_width();
	}
	return n && cpu[usual] == calmest ?
	       cpu[mp_user_width_best(width, n, usual)] : calmest;
}

/* Return: a CPU of the mask, or -ENOMEM. */
static int choose_cpu(const struct mp_user_sched *sched)
{
	const size_t n = (size_t)sched->n_cpus;
	uint64_t *busy = calloc(2 * n, sizeof(*busy));
	int cpu;

	if (!busy)
		return -ENOMEM;
	read_busy(busy, sched->n_cpus);
	sleep_ms(LOOK_MS);
	read_busy(busy + n, sched->n_cpus);
	cpu = mp_user_cpus_calmest(sched->before, sched->n_cpus, busy,
				   busy + n);
	if (cpu >= 0)
		cpu = choose_wide(sched, cpu, busy, busy + n);
	free(busy);
	return cpu;
}

/* The mask that was found, in a set as large as the kernel needs. */
static int read_mask(struct mp_user_sched *sched)
{
	for (int n = 1024; n <= CPUS_MAX; n *= 2) {
		const size_t bytes = CPU_ALLOC_SIZE(n);
		cpu_set_t *set = CPU_ALLOC(n);

		if (!set)
			return -ENOMEM;
		CPU_ZERO_S(bytes, set);
		if (sched_getaffinity(0, bytes, set) == 0) {
			sched->before = set;
			sched->n_cpus = n;
			return 0;
		}
		CPU_FREE(set);
		if (errno != EINVAL)
			return -errno;
	}
	return -EINVAL;
}

/* "/autogroup-5 nice 0" */
static bool read_autogroup(int *nice_level)
{
	FILE *file = fopen(AUTOGROUP, "re");
	bool found;

	if (!file)
		return false;
	found = fscanf(file, "%*s nice %d", nice_level) == 1;
	fclose(file);
	return found;
}

/* Return: 0, or -errno: -EAGAIN where the last write was just now. */
static int write_autogroup(int nice_level)
{
	int fd = open(AUTOGROUP, O_WRONLY | O_CLOEXEC);
	char text[16];
	int n, err = 0;

	if (fd < 0)
		return -errno;
	n = snprintf(text, sizeof(text), "%d", nice_level);
	if (write(fd, text, (size_t)n) != n)
		err = -errno;
	close(fd);
	return err;
}

static bool autogroups_on(void)
{
	FILE *file = fopen("/proc/sys/kernel/sched_autogroup_enabled", "re");
	int on = 0;

	if (!file)
		return false;
	if (fscanf(file, "%d", &on) != 1)
		on = 0;
	fclose(file);
	return on != 0;
}

static bool is_realtime(int policy)
{
	policy &= ~SCHED_RESET_ON_FORK;
	return policy == SCHED_FIFO || policy == SCHED_RR ||
	       policy == SCHED_DEADLINE;
}

static bool take_fifo(const struct mp_user_sched *sched)
{
	const struct sched_param lowest = {
		.sched_priority = sched_get_priority_min(SCHED_FIFO),
	};

	/* Started under a real-time policy: that is ours to keep. */
	return is_realtime(sched->policy) ||
	       sched_setscheduler(0, SCHED_FIFO, &lowest) == 0;
}

static bool take_nice(const struct mp_user_sched *sched)
{
	struct rlimit limit;
	int level = BEST_NICE;

	if (setpriority(PRIO_PROCESS, 0, level) == 0)
		return true;
	/* Not allowed all: RLIMIT_NICE says how far, as 20 less the level. */
	if (getrlimit(RLIMIT_NICE, &limit) || limit.rlim_cur > 40)
		return false;
	level = 20 - (int)limit.rlim_cur;
	return level < sched->nice &&
	       setpriority(PRIO_PROCESS, 0, level) == 0;
}

static bool take_autogroup(struct mp_user_sched *sched)
{
	if (!autogroups_on() || !read_autogroup(&sched->group_nice) ||
	    sched->group_nice <= BEST_NICE)
		return false;
	return write_autogroup(BEST_NICE) == 0;
}

uint32_t mp_user_sched_raise(struct mp_user_sched *sched)
{
	if (!(sched->got & MP_GOT_FIFO) && take_fifo(sched))
		sched->got |= MP_GOT_FIFO;
	if (sched->got & MP_GOT_FIFO)
		return sched->got;
	if (!(sched->got & MP_GOT_NICE) && take_nice(sched))
		sched->got |= MP_GOT_NICE;
	if (!(sched->got & MP_GOT_AUTOGROUP) && take_autogroup(sched))
		sched->got |= MP_GOT_AUTOGROUP;
	return sched->got;
}

void mp_user_sched_drop(struct mp_user_sched *sched)
{
	/* First what reaches beyond this process. If the kernel says "too
	 * often" it stays raised until the next drop, or close. */
	if (sched->got & MP_GOT_AUTOGROUP &&
	    write_autogroup(sched->group_nice) == 0)
		sched->got &= ~MP_GOT_AUTOGROUP;
	if (sched->got & MP_GOT_NICE)
		setpriority(PRIO_PROCESS, 0, sched->nice);
	if (sched->got & MP_GOT_FIFO && !is_realtime(sched->policy))
		sched_setscheduler(0, sched->policy, &sched->param);
	sched->got &= MP_GOT_AUTOGROUP;
}

static void find_rights(struct mp_user_sched *sched)
{
	sched->policy = sched_getscheduler(0);
	sched_getparam(0, &sched->param);
	errno = 0;
	sched->nice = getpriority(PRIO_PROCESS, 0);
	sched->may = mp_user_sched_raise(sched);
	mp_user_sched_drop(sched);
}

bool mp_user_sched_may(const struct mp_user_sched *sched, int cpu)
{
	return cpu >= 0 && cpu < sched->n_cpus &&
	       CPU_ISSET_S(cpu, CPU_ALLOC_SIZE(sched->n_cpus), sched->before);
}

int mp_user_sched_open(struct mp_user_sched *sched, int cpu, char *why,
		       size_t room)
{
	char allowed[128];
	int err;

	memset(sched, 0, sizeof(*sched));
	err = read_mask(sched);
	if (err) {
		snprintf(why, room, "the affinity mask cannot be read: %s",
			 strerror(-err));
		return err;
	}
	if (cpu < 0)
		cpu = choose_cpu(sched);
	err = cpu < 0 ? cpu : -EINVAL;
	if (!mp_user_sched_may(sched, cpu)) {
		mp_user_cpus_print(sched->before, sched->n_cpus, allowed,
				   sizeof(allowed));
		snprintf(why, room, "CPU %d: not one that this process may "
			 "run on: choose one of %s", cpu, allowed);
		goto err_close;
	}
	err = pin(sched, cpu);
	if (err) {
		snprintf(why, room, "CPU %d: pinning was refused: %s", cpu,
			 strerror(-err));
		goto err_close;
	}
	sched->cpu = cpu;
	find_rights(sched);
	return 0;

err_close:
	mp_user_sched_close(sched);
	return err;
}

bool mp_user_sched_holds(const struct mp_user_sched *sched)
{
	const size_t bytes = CPU_ALLOC_SIZE(sched->n_cpus);
	cpu_set_t *set = CPU_ALLOC(sched->n_cpus);
	bool holds;

	if (!set)
		return false;
	CPU_ZERO_S(bytes, set);
	holds = sched_getaffinity(0, bytes, set) == 0 &&
		CPU_COUNT_S(bytes, set) == 1 &&
		CPU_ISSET_S(sched->cpu, bytes, set);
	CPU_FREE(set);
	return holds;
}

int mp_user_sched_pin(const struct mp_user_sched *sched)
{
	return pin(sched, sched->cpu);
}

void mp_user_sched_close(struct mp_user_sched *sched)
{
	if (!sched->before)
		return;
	for (int i = 0; i < AUTOGROUP_TRIES; i++) {
		mp_user_sched_drop(sched);
		if (!(sched->got & MP_GOT_AUTOGROUP))
			break;
		sleep_ms(AUTOGROUP_WAIT_MS);
	}
	sched_setaffinity(0, CPU_ALLOC_SIZE(sched->n_cpus), sched->before);
	CPU_FREE(sched->before);
	sched->before = NULL;
}

const char *mp_user_sched_rights(const struct mp_user_sched *sched)
{
	if (sched->may & MP_GOT_FIFO)
		return is_realtime(sched->policy) ?
			"real-time, as started" :
			"SCHED_FIFO while measuring";
	if (sched->may & MP_GOT_NICE)
		return sched->may & MP_GOT_AUTOGROUP ?
			"nice and autogroup while measuring" :
			"nice while measuring";
	return sched->may & MP_GOT_AUTOGROUP ?
		"autogroup while measuring" :
		"none: run as root, or allow real-time priority 1 (ulimit -r)";
}
