/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs that run inside a virtual machine share: words about
 * what was expected, and requests to /dev/memprobe that are correct until a
 * test changes them. A program is its guest_NAME.c, all guest_NAME_*.c and
 * guest_lib*.c, linked statically.
 */
#ifndef GUEST_LIB_H
#define GUEST_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "ioctl/memprobe.h"

#define GUEST_SAMPLES 1024
#define GUEST_TICKS 8192
#define GUEST_STEPS 512
#define GUEST_ARENA_BYTES (256u << 10)
#define GUEST_NS_PER_S 1000000000ull
#define GUEST_NS_PER_MS 1000000ull

/*
 * Words: "ok    <what>", "FAIL  <what>: expected .., got ..",
 * "skipped: <what>: why", and at the end "N passed, N failed, N skipped".
 */

/** guest_begin() - start of a program that ends within so many seconds */
void guest_begin(const char *program, unsigned int limit_s);

/** guest_end() - say the last line; the program's exit status */
int guest_end(void);

/** guest_text() - as printf(), into one of 64 buffers used in turn */
const char *guest_text(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/** expect() - one check; @expected is said only if it does not hold */
bool expect(bool good, const char *what, const char *expected, ...)
	__attribute__((format(printf, 3, 4)));

/** expect_equal() / expect_between() - the same for numbers */
bool expect_equal(const char *what, __u64 got, __u64 want);
bool expect_between(const char *what, __u64 got, __u64 least, __u64 most);

/**
 * expect_error() - a call's result against the errno that the header names
 * @what: what was tried
 * @got: 0 or a negative errno
 * @want: 0 or an errno
 * @or_else: another that the header's words allow too; @want if none
 */
bool expect_error(const char *what, int got, int want, int or_else);

/** guest_failed() - how many checks failed so far, those of children too */
unsigned int guest_failed(void);

/** guest_skipped() - how many could not be made so far */
unsigned int guest_skipped(void);

/** skipped() - what could not be tried here, and why */
void skipped(const char *what, const char *why);

/** note() - a line for people; nothing is decided by it */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** guest_error_name() - "EINVAL" for 22, "works" for 0 */
const char *guest_error_name(int error);

/* The machine. */

/** guest_now_ns() - a clock of clock_gettime() in ns */
__u64 guest_now_ns(clockid_t clock);

/** guest_sleep_ns() - sleep at least as long, through signals */
void guest_sleep_ns(__u64 ns);

/** guest_cpus() - CPUs online */
int guest_cpus(void);

/** guest_pin() - bind the caller to one CPU; -1 = to all online */
int guest_pin(int cpu);

/** guest_pinned_to() - is the caller bound to this CPU and no other? */
bool guest_pinned_to(int cpu);

/** guest_write() - write a word into a file of /proc or /sys; 0 or -errno */
int guest_write(const char *path, const char *word);

/** guest_read() - the number in a file of /proc or /sys; @otherwise if none */
long long guest_read(const char *path, long long otherwise);

/** guest_await_run() - wait until a process or thread is in the call RUN
 *
 * How soon it gets there is up to the host, which may be busy. After a second
 * in a kernel that does not tell, or twenty, it is taken to be there; then it
 * is given a while for its first windows.
 */
void guest_await_run(pid_t thread);

/** guest_await_id() - the same, of a thread that is about to tell its number */
void guest_await_id(const volatile pid_t *thread);

/** guest_reap() - wait for a child at most so long, then kill it; its exit
 *  status, 128 + signal, or -1 if it had to be killed
 */
int guest_reap(pid_t child, unsigned int limit_ms);

/** guest_shared() - zeroed memory shared with children, below 4 GiB on x86 */
void *guest_shared(size_t bytes);

/** guest_low() - zeroed memory of this process alone, below 4 GiB on x86 */
void *guest_low(size_t bytes);

/** guest_order() - put numbers in rising order */
void guest_order(__u64 *numbers, size_t n);

/* The device. */

/** guest_device() - path of the node */
const char *guest_device(void);

/** guest_open() - a file of the device, or -errno */
int guest_open(void);

/** guest_call() - one ioctl: 0 or -errno */
int guest_call(int fd, unsigned long command, void *argument);

/**
 * guest_use_compat() - from here on call as a 32-bit process does
 * Return: false where there is no such entry.
 */
bool guest_use_compat(void);

int guest_info(int fd, struct memprobe_info *info);
int guest_take(int fd, __u32 kind, __u64 bytes, struct memprobe_arena *arena);
int guest_take_arena(int fd, struct memprobe_arena *arena);
int guest_give(int fd, __u32 id);

/**
 * guest_is_um() - user-mode Linux? There each mapped page is a mapping of the
 *	host's, and the kernel ends when the host allows no more of them
 */
bool guest_is_um(const struct memprobe_info *info);

/**
 * guest_bulk_kind() - the kind of which a test may take all there is: in
 *	user-mode Linux what lies in the kernel's own mapping of all memory
 */
__u32 guest_bulk_kind(const struct memprobe_info *info);

/**
 * struct guest - a request that is correct, and all that it points to
 *
 * All of it lies in shared memory, where children can write too.
 */
struct guest {
	int fd;
	int cpu;
	struct memprobe_info info;
	struct memprobe_arena arena;
	struct memprobe_run run;
	struct memprobe_actor actor[2];
	struct memprobe_event event[MEMPROBE_EVENTS + 1];
	__u32 step[GUEST_STEPS];
	__u64 ticks[GUEST_TICKS];
	struct memprobe_sample sample[GUEST_SAMPLES];
};

/**
 * guest_new() - a file of its own, a small scattered arena, a correct request
 * Return: NULL if there is none, which then was said as a failure.
 */
struct guest *guest_new(int cpu);

/** guest_free() - close its file */
void guest_free(struct guest *g);

/** guest_default() - make the request the default one again */
void guest_default(struct guest *g);

/** guest_bursts() - so many bursts, of so many hops, in such windows */
void guest_bursts(struct guest *g, __u32 bursts, __u64 hops, __u64 window_ns);

/** guest_long() - a run that takes about so long: full windows, half asleep */
void guest_long(struct guest *g, unsigned int ms);

/** guest_run() - carry the request out: 0 or -errno */
int guest_run(struct guest *g);

/** guest_works() - does a default run on a file of its own still work? */
bool guest_works(const char *after);

#endif
