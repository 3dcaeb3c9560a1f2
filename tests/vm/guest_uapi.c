// SPDX-License-Identifier: GPL-2.0
/*
 * Each command against each errno that ioctl/memprobe.h promises: requests
 * that are wrong in one way only. After a refusal nothing may have changed.
 * On x86-64 all of it once more by the way that 32-bit processes take.
 */
#include "guest_uapi.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define LIMIT_S 240
#define PAGE 4096u
#define TALLIES 64
#define TAIL_BYTES 96

#ifdef __x86_64__
#define KERNEL_ADDRESS 0xffff888000001000ul
#else
#define KERNEL_ADDRESS 0xffff000000001000ul
#endif

/* Shared with children, so that what they checked is counted too. */
static struct tallies {
	unsigned int refusals;
	unsigned int used;
	struct tally {
		char command[24];
		int error;
		unsigned int good;
	} of[TALLIES];
} *tallies;

static void count(const char *command, int error)
{
	struct tally *tally;
	unsigned int i;

	for (i = 0; i < tallies->used; i++)
		if (!strcmp(tallies->of[i].command, command) &&
		    tallies->of[i].error == error)
			break;
	if (i == TALLIES)
		return;
	tally = &tallies->of[i];
	if (i == tallies->used) {
		snprintf(tally->command, sizeof(tally->command), "%s", command);
		tally->error = error;
		tallies->used++;
	}
	tally->good++;
}

static void unchanged(struct guest *g, const char *after)
{
	struct memprobe_info info;
	int error;

	tallies->refusals++;
	if (!guest_pinned_to(g->cpu))
		expect(false, guest_text("affinity after %s", after),
		       "CPU %d alone, got others", g->cpu);
	error = guest_info(g->fd, &info);
	if (error)
		expect_error(guest_text("INFO after %s", after), error, 0, 0);
	guest_default(g);
	error = guest_run(g);
	if (error)
		expect_error(guest_text("a default run after %s", after), error,
			     0, 0);
}

void tallied(const char *command, const char *what, int got, int want,
	     int or_else)
{
	if (expect_error(guest_text("%s: %s", command, what), got, want,
			 or_else))
		count(command, -got);
}

void answer(struct guest *g, const char *command, const char *what, int got,
	    int want, int or_else)
{
	tallied(command, what, got, want, or_else);
	if (got)
		unchanged(g, what);
}

static __u64 limit_of(const struct memprobe_info *info,
		      const struct change *change)
{
	__u64 value = 0;

	/* Little-endian, as both architectures are. */
	if (change->limit)
		memcpy(&value, (const char *)info + change->limit,
		       change->limit_width);
	return value;
}

void change_request(struct guest *g, struct memprobe_arena *arena,
		    const struct wrong *wrong)
{
	char *const parts[] = {
		[IN_RUN] = (char *)&g->run,
		[IN_ACTOR] = (char *)&g->actor[0],
		[IN_EVENT] = (char *)&g->event[0],
		[IN_ARENA] = (char *)arena,
	};
	const struct change *change;
	__u64 value;
	int i;

	for (i = 0; i < CHANGES; i++) {
		change = &wrong->change[i];
		if (change->part == NO_CHANGE)
			break;
		value = change->value + limit_of(&g->info, change);
		memcpy(parts[change->part] + change->offset, &value,
		       change->width);
	}
}

/* How many had failed when this child began. */
static unsigned int failed_before;

bool in_child(const char *what, unsigned int limit_ms)
{
	pid_t child;
	int status;

	fflush(stdout);
	failed_before = guest_failed();
	child = fork();
	if (child < 0) {
		expect_error(guest_text("fork for %s", what), -errno, 0, 0);
		return false;
	}
	if (!child)
		return true;
	status = guest_reap(child, limit_ms);
	expect(!status, what, "a child in which nothing failed, got %d", status);
	return false;
}

void child_ends(void)
{
	fflush(stdout);
	_exit(guest_failed() > failed_before ? 1 : 0);
}

void bad_addresses(struct bad_address *bad, const void *data, size_t bytes)
{
	static unsigned char *pages;
	const size_t readable = bytes < 16 ? bytes / 2 : 8;

	if (!pages) {
		pages = guest_shared(2 * PAGE);
		mprotect(pages + PAGE, PAGE, PROT_NONE);
	}
	memcpy(pages + PAGE - readable, data, readable);
	bad[0] = (struct bad_address){ "NULL", NULL };
	bad[1] = (struct bad_address){ "an address of the kernel",
				       (unsigned char *)KERNEL_ADDRESS };
	bad[2] = (struct bad_address){ "memory that ends too early",
				       pages + PAGE - readable };
}

void *read_only_copy(const void *data, size_t bytes)
{
	static unsigned char *page;

	if (!page)
		page = guest_shared(PAGE);
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
	memcpy(page, data, bytes);
	mprotect(page, PAGE, PROT_READ);
	return page;
}

struct command {
	const char *name;
	unsigned long number;
	size_t bytes;
};

static const struct command commands[] = {
	{ "INFO", MEMPROBE_INFO, sizeof(struct memprobe_info) },
	{ "ARENA", MEMPROBE_ARENA, sizeof(struct memprobe_arena) },
	{ "RUN", MEMPROBE_RUN, sizeof(struct memprobe_run) },
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* A request of this command that works, in @to. */
static void correct(struct guest *g, const struct command *command, void *to)
{
	struct memprobe_arena arena = {
		.size = sizeof(arena),
		.op = MEMPROBE_ARENA_TAKE,
		.kind = MEMPROBE_KIND_SCATTERED,
		.bytes = PAGE,
	};
	struct memprobe_info info = { .size = sizeof(info) };

	guest_default(g);
	if (command->number == MEMPROBE_INFO)
		memcpy(to, &info, sizeof(info));
	else if (command->number == MEMPROBE_ARENA)
		memcpy(to, &arena, sizeof(arena));
	else
		memcpy(to, &g->run, sizeof(g->run));
}

/* A request with another size, and the last byte of that size set or not. */
static void with_size(struct guest *g, const struct command *command,
		      __u32 size, unsigned char last, int want, int or_else)
{
	static unsigned char *buffer;
	const char *what = guest_text("size %u of %zu%s", size, command->bytes,
				      last ? ", the last byte set" : "");
	struct memprobe_arena arena;
	int error;

	if (!buffer)
		buffer = guest_shared(3 * PAGE);
	memset(buffer, 0, 3 * PAGE);
	correct(g, command, buffer);
	memcpy(buffer, &size, sizeof(size));
	if (last)
		buffer[size - 1] = last;
	if (size < 2 * PAGE)
		memset(buffer + (size > command->bytes ? size : command->bytes),
		       0xa5, 64);
	error = guest_call(g->fd, command->number, buffer);
	answer(g, command->name, what, error, want, or_else);
	if (size < 2 * PAGE &&
	    buffer[size > command->bytes ? size : command->bytes] != 0xa5)
		expect(false, what, "no byte written behind the struct");
	if (!error && command->number == MEMPROBE_ARENA) {
		memcpy(&arena, buffer, sizeof(arena));
		guest_give(g->fd, arena.id);
	}
}

static void sizes(struct guest *g, const struct command *command)
{
	const __u32 bytes = (__u32)command->bytes;

	with_size(g, command, 0, 0, EINVAL, EINVAL);
	with_size(g, command, 3, 0, EINVAL, EINVAL);
	with_size(g, command, 8, 0, EINVAL, EINVAL);
	with_size(g, command, bytes - 8, 0, EINVAL, EINVAL);
	with_size(g, command, bytes - 1, 0, EINVAL, EINVAL);
	with_size(g, command, bytes, 0, 0, 0);
	with_size(g, command, bytes + 1, 0, 0, 0);
	with_size(g, command, bytes + 8, 0, 0, 0);
	with_size(g, command, bytes + TAIL_BYTES, 0, 0, 0);
	with_size(g, command, bytes + 1, 1, E2BIG, E2BIG);
	with_size(g, command, bytes + 8, 0x80, E2BIG, E2BIG);
	with_size(g, command, bytes + TAIL_BYTES, 1, E2BIG, E2BIG);
	/* The header names no end of growth; the kernel may have one. */
	with_size(g, command, 2 * PAGE, 0, 0, E2BIG);
	with_size(g, command, 0xffffffffu, 0, E2BIG, EFAULT);
}

static void addresses(struct guest *g, const struct command *command)
{
	unsigned char request[256];
	struct bad_address bad[BAD_ADDRESSES];
	unsigned int i;

	for (i = 0; i < BAD_ADDRESSES; i++) {
		correct(g, command, request);
		bad_addresses(bad, request, command->bytes);
		answer(g, command->name, bad[i].what,
		       guest_call(g->fd, command->number, bad[i].address),
		       EFAULT, EFAULT);
	}
	correct(g, command, request);
	answer(g, command->name, "a struct that cannot be written to",
	       guest_call(g->fd, command->number,
			  read_only_copy(request, command->bytes)),
	       EFAULT, EFAULT);
}

static void unknown_commands(struct guest *g)
{
	unsigned char *request = guest_shared(PAGE);
	const unsigned long others[] = {
		_IOW(MEMPROBE_IOC, 0x00, struct memprobe_info),
		_IOR(MEMPROBE_IOC, 0x00, __u32),
		_IOWR(MEMPROBE_IOC, 0x00, struct memprobe_info),
		_IOWR(MEMPROBE_IOC, 0x01, struct memprobe_arena),
		_IOW(MEMPROBE_IOC, 0x02, struct memprobe_run),
		_IO(MEMPROBE_IOC - 1, 0x00),
		_IO(MEMPROBE_IOC + 1, 0x02),
		_IO(0, 0),
		0xfffffffful,
	};
	unsigned int i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		correct(g, &commands[0], request);
		answer(g, "-", guest_text("command %#lx", others[i]),
		       guest_call(g->fd, others[i], request), ENOTTY, ENOTTY);
	}
	for (i = 3; i < 256; i = i < 9 ? i + 1 : 2 * i - 1) {
		correct(g, &commands[0], request);
		answer(g, "-", guest_text("command number %u", i),
		       guest_call(g->fd, _IO(MEMPROBE_IOC, i), request), ENOTTY,
		       ENOTTY);
	}
	munmap(request, PAGE);
}

static void info_flags(struct guest *g)
{
	struct memprobe_info *info = guest_shared(sizeof(*info));
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		memset(info, 0, sizeof(*info));
		info->size = sizeof(*info);
		info->flags = 1u << bit;
		answer(g, "INFO", guest_text("flag bit %u", bit),
		       guest_call(g->fd, MEMPROBE_INFO, info), EOPNOTSUPP,
		       EOPNOTSUPP);
	}
	munmap(info, sizeof(*info));
}

/* The window that the text of the project promises. */
#define WINDOW_MIN_NS 20000ull
#define WINDOW_MAX_NS 10000000ull
#define SOME_NS (100 * GUEST_NS_PER_S)

static void info_sane(struct guest *g)
{
	const struct memprobe_info *i = &g->info;

	expect_equal("INFO: size", i->size, sizeof(*i));
	expect_equal("INFO: sample size", i->sample_size, 256);
	expect_equal("INFO: ops", i->ops, 1u << 1 | 1u << 2);
	expect(i->kinds & 1u << MEMPROBE_KIND_SCATTERED && !(i->kinds & ~0x1eu),
	       "INFO: kinds", "scattered and no unknown ones, got %#x", i->kinds);
	expect(!(i->arena_flags & ~0x103u) &&
	       i->arena_flags & MEMPROBE_ARENA_NODE, "INFO: arena flags",
	       "NODE and no unknown ones, got %#x", i->arena_flags);
	expect((i->run_flags & 3) == 3 && !(i->run_flags & ~0x1f07u),
	       "INFO: run flags", "both quiet ones, no unknown, got %#x",
	       i->run_flags);
	expect_between("INFO: clock", i->clock, 1, 3);
	expect(!(i->valid & ~0x1ffffffull), "INFO: valid",
	       "no unknown bits, got %#llx", i->valid);
	expect_between("INFO: ticks a second", i->tick_hz, 1000000, 10000000000);
	expect_between("INFO: empty window", i->empty_millis, 0, 1000000000);
	expect_between("INFO: a look", i->look_millis, 0, 1000000000);
	expect_equal("INFO: least window", i->window_min_ns, WINDOW_MIN_NS);
	expect_equal("INFO: longest window", i->window_max_ns, WINDOW_MAX_NS);
	expect_between("INFO: default window", i->window_default_ns,
		       WINDOW_MIN_NS, WINDOW_MAX_NS);
	expect_between("INFO: longest call", i->call_max_ns, WINDOW_MAX_NS,
		       SOME_NS);
	expect_between("INFO: duty", i->duty_percent, 1, 50);
	expect_between("INFO: arenas", i->arenas_max, 1, 4096);
	expect_between("INFO: bytes of an arena", i->arena_max_bytes, 1 << 20,
		       i->total_max_bytes);
	expect_between("INFO: greatest page shift", i->page_shift_max, 12, 40);
	expect_equal("INFO: actors", i->actors_max, 1);
	expect_between("INFO: events", i->events_max, 0, MEMPROBE_EVENTS);
	expect_between("INFO: bursts", i->bursts_max, 16, 1u << 24);
	expect_between("INFO: hops", i->hops_max, 4096, ~0ull);
	expect_between("INFO: slots", i->ring_slots_max, 4096, 0x7fffffff);
	expect_between("INFO: steps", i->steps_max, 16, 1u << 24);
	expect_between("INFO: visits", i->visits_max, 1, 4096);
	expect_between("INFO: ticks", i->ticks_max, 16, 1u << 28);
	expect_between("INFO: group", i->group_max, 1, 1u << 24);
	expect_equal("INFO: CPUs", i->cpus, (__u64)guest_cpus());
	expect_between("INFO: bytes of a contiguous arena",
		       i->contig_max_bytes, 1 << 20, i->arena_max_bytes);
	expect_equal("INFO: reserved", i->reserved, 0);
	expect_equal("INFO: small pages", 1ull << i->page_shift,
		     (__u64)sysconf(_SC_PAGESIZE));
	expect(!i->huge_shift || (i->huge_shift > i->page_shift &&
				  i->huge_shift < 40), "INFO: huge pages",
	       "none, or larger ones than the small, got 2^%u", i->huge_shift);
	if (i->arena_flags & MEMPROBE_ARENA_UNCACHED)
		expect_between("INFO: least uncached arena",
			       i->uncached_min_bytes, PAGE, i->arena_max_bytes);
}

static void refusals(struct guest *g)
{
	unsigned int i;

	for (i = 0; i < N_COMMANDS; i++) {
		sizes(g, &commands[i]);
		addresses(g, &commands[i]);
	}
	unknown_commands(g);
	info_flags(g);
	uapi_arena(g);
	uapi_run(g);
	uapi_sequence(g);
}

/* The same for 32-bit processes; in a child, which stays one. */
static void compat_refusals(void)
{
	struct guest *g;

	if (!in_child("all of this by the gate of 32-bit processes",
		      LIMIT_S * 1000))
		return;
	if (!guest_use_compat()) {
		skipped("32-bit processes", "no such gate on this machine");
		child_ends();
	}
	g = guest_new(0);
	if (g) {
		info_sane(g);
		refusals(g);
	}
	child_ends();
}

int main(void)
{
	struct guest *g;
	unsigned int i;

	guest_begin("guest_uapi", LIMIT_S);
	tallies = guest_shared(sizeof(*tallies));
	g = guest_new(0);
	if (!g)
		return guest_end();
	info_sane(g);
	refusals(g);
	uapi_moment(g);
	uapi_rights(g);
	uapi_memory(g);
	compat_refusals();
	expect(tallies->refusals > 200, "refusals after which nothing changed",
	       "more than 200, got %u", tallies->refusals);
	guest_works("all refusals");
	for (i = 0; i < tallies->used; i++)
		printf("table %s %s %u\n", tallies->of[i].command,
		       guest_error_name(tallies->of[i].error),
		       tallies->of[i].good);
	return guest_end();
}
