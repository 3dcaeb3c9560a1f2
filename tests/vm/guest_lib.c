// SPDX-License-Identifier: GPL-2.0
/*
 * Words about what was expected, and the machine that the test is on.
 */
#include "guest_lib.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TEXTS 64
#define TEXT_BYTES 256
#define COUNTS_AROUND (16u << 20)

static const char *program_name = "guest";

/* What children checked counts too, so it lies where they can write. */
static struct counts {
	unsigned int passed, failed, skips;
} own_counts, *counts = &own_counts;

static unsigned int add(unsigned int *to)
{
	return __atomic_add_fetch(to, 1, __ATOMIC_RELAXED);
}

/* Async-signal-safe: what hangs may hold the lock of stdout. */
static void out_of_time(int number)
{
	static const char words[] =
		"\nFAIL  the program: expected to end in time, got stuck\n";

	(void)number;
	if (write(STDOUT_FILENO, words, sizeof(words) - 1) < 0)
		_exit(3);
	_exit(2);
}

/*
 * In the middle of much that cannot be written: kernels like to put the first
 * mapping at a power of two, and there the fuzzer's wild pointers point too.
 */
static void share_counts(void)
{
	unsigned char *around;

	around = mmap(NULL, COUNTS_AROUND, PROT_NONE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (around == MAP_FAILED)
		return;
	around += COUNTS_AROUND / 2;
	if (!mprotect(around, 4096, PROT_READ | PROT_WRITE))
		counts = (struct counts *)around;
}

void guest_begin(const char *program, unsigned int limit_s)
{
	struct sigaction action = { .sa_handler = out_of_time };

	program_name = program;
	share_counts();
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGALRM, &action, NULL);
	alarm(limit_s);
}

int guest_end(void)
{
	alarm(0);
	printf("%u passed, %u failed, %u skipped\n", counts->passed,
	       counts->failed, counts->skips);
	fflush(stdout);
	return counts->failed ? 1 : 0;
}

const char *guest_text(const char *format, ...)
{
	static char texts[TEXTS][TEXT_BYTES];
	static unsigned int turn;
	char *text = texts[turn++ % TEXTS];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, TEXT_BYTES, format, arguments);
	va_end(arguments);
	return text;
}

bool expect(bool good, const char *what, const char *expected, ...)
{
	va_list arguments;

	if (good) {
		add(&counts->passed);
		printf("ok    %s\n", what);
		return true;
	}
	add(&counts->failed);
	printf("FAIL  %s: expected ", what);
	va_start(arguments, expected);
	vprintf(expected, arguments);
	va_end(arguments);
	putchar('\n');
	return false;
}

bool expect_equal(const char *what, __u64 got, __u64 want)
{
	return expect(got == want, what, "%llu, got %llu", want, got);
}

bool expect_between(const char *what, __u64 got, __u64 least, __u64 most)
{
	return expect(got >= least && got <= most, what,
		      "%llu..%llu, got %llu", least, most, got);
}

const char *guest_error_name(int error)
{
	const char *name = error ? strerrorname_np(error) : "works";

	return name ? name : guest_text("errno %d", error);
}

bool expect_error(const char *what, int got, int want, int or_else)
{
	const bool good = got == -want || got == -or_else;

	if (or_else == want)
		return expect(good, what, "%s, got %s", guest_error_name(want),
			      guest_error_name(-got));
	return expect(good, what, "%s or %s, got %s", guest_error_name(want),
		      guest_error_name(or_else), guest_error_name(-got));
}

unsigned int guest_failed(void)
{
	return counts->failed;
}

unsigned int guest_skipped(void)
{
	return counts->skips;
}

void skipped(const char *what, const char *why)
{
	add(&counts->skips);
	printf("skipped: %s: %s\n", what, why);
}

void note(const char *format, ...)
{
	va_list arguments;

	printf("note  ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

__u64 guest_now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (__u64)now.tv_sec * GUEST_NS_PER_S + (__u64)now.tv_nsec;
}

void guest_sleep_ns(__u64 ns)
{
	struct timespec rest = {
		.tv_sec = (time_t)(ns / GUEST_NS_PER_S),
		.tv_nsec = (long)(ns % GUEST_NS_PER_S),
	};

	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

int guest_cpus(void)
{
	return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

int guest_pin(int cpu)
{
	cpu_set_t set;
	int i;

	CPU_ZERO(&set);
	if (cpu >= 0)
		CPU_SET(cpu, &set);
	else
		for (i = 0; i < CPU_SETSIZE; i++)
			CPU_SET(i, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

bool guest_pinned_to(int cpu)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return false;
	return CPU_COUNT(&set) == 1 && CPU_ISSET(cpu, &set);
}

int guest_write(const char *path, const char *word)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	int error = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, word, strlen(word)) < 0)
		error = -errno;
	close(fd);
	return error;
}

long long guest_read(const char *path, long long otherwise)
{
	char text[64] = "", *end;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	long long number;
	ssize_t got;

	if (fd < 0)
		return otherwise;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return otherwise;
	number = strtoll(text, &end, 10);
	return end == text ? otherwise : number;
}

int guest_reap(pid_t child, unsigned int limit_ms)
{
	const __u64 end = guest_now_ns(CLOCK_MONOTONIC) +
			  limit_ms * GUEST_NS_PER_MS;
	int status;
	pid_t got;

	for (;;) {
		got = waitpid(child, &status, WNOHANG);
		if (got == child)
			return WIFEXITED(status) ? WEXITSTATUS(status)
						 : 128 + WTERMSIG(status);
		if (got < 0 && errno != EINTR)
			return -1;
		if (guest_now_ns(CLOCK_MONOTONIC) > end)
			break;
		guest_sleep_ns(GUEST_NS_PER_MS);
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return -1;
}

static void *low_memory(size_t bytes, int flags)
{
	void *memory;

#ifdef MAP_32BIT
	flags |= MAP_32BIT;
#endif
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      flags | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		printf("FAIL  %s: expected %zu bytes of memory, got %s\n",
		       program_name, bytes, guest_error_name(errno));
		exit(1);
	}
	return memory;
}

void *guest_shared(size_t bytes)
{
	return low_memory(bytes, MAP_SHARED);
}

void *guest_low(size_t bytes)
{
	return low_memory(bytes, MAP_PRIVATE);
}

static int in_order(const void *one, const void *other)
{
	const __u64 a = *(const __u64 *)one, b = *(const __u64 *)other;

	return (a > b) - (a < b);
}

void guest_order(__u64 *numbers, size_t n)
{
	qsort(numbers, n, sizeof(*numbers), in_order);
}
