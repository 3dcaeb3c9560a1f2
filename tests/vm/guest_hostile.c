// SPDX-License-Identifier: GPL-2.0
/*
 * What somebody with the device open could do to a machine: each attempt is
 * refused or harmless, and a default run works after it. The kernel's log is
 * read at the end; not a line of alarm may be in it.
 *
 *	guest_hostile [NAME]	(all)
 */
#include "guest_hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_S 400

static const struct attempt {
	const char *name;
	void (*make)(struct guest *g);
} attempts[] = {
	{ "run-storm", hostile_storm },
	{ "arena-during-run", hostile_arenas },
	{ "close-during-run", hostile_close },
	{ "shared-file", hostile_shared_file },
	{ "kill-9", hostile_kill },
	{ "exit-of-thread", hostile_exit },
	{ "signal-storm", hostile_signals },
	{ "fifo-99", hostile_fifo },
	{ "many-opens", hostile_opens },
	{ "freezer", hostile_freezer },
	{ "cpu-offline", hostile_offline },
	{ "moved", hostile_moved },
	{ "unload", hostile_unload },
	{ "memory-pressure", hostile_memory },
	{ "endless-warm-up", hostile_warm_up },
	{ "large-struct", hostile_large },
	{ "fuzz", hostile_fuzz },
};

#define ATTEMPTS (sizeof(attempts) / sizeof(attempts[0]))

static void nothing(int number)
{
	(void)number;
}

void heed(int number)
{
	struct sigaction action = { .sa_handler = nothing };

	sigaction(number, &action, NULL);
}

__u64 random_word(__u64 *state)
{
	__u64 word = *state += 0x9e3779b97f4a7c15ull;

	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9ull;
	word = (word ^ word >> 27) * 0x94d049bb133111ebull;
	return word ^ word >> 31;
}

pid_t runner(struct guest *g, unsigned int ms, bool own_file)
{
	pid_t child;
	int error;

	fflush(stdout);
	child = fork();
	if (child)
		return child;
	if (own_file) {
		g = guest_new(g->cpu);
		if (!g)
			_exit(1);
	}
	guest_long(g, ms);
	g->run.flags = QUIET;
	error = guest_run(g);
	_exit(error ? -error : 0);
}

long long oom_kills(void)
{
	char line[128];
	long long kills = -1;
	FILE *file = fopen("/proc/vmstat", "r");

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "oom_kill %lld", &kills) == 1)
			break;
	fclose(file);
	return kills;
}

/* From here on, what the kernel says. */
static int follow_log(void)
{
	const int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

static const char *alarm_in(const char *line)
{
	static const char *const alarms[] = {
		"WARNING:", "BUG:", "Oops", "suspicious RCU usage",
		"possible recursive locking", "general protection fault",
		"invalid opcode", "Call Trace:", "rcu: INFO", "soft lockup",
		"hard LOCKUP", "blocked for more than", "Unable to handle",
		"scheduling while atomic", "sleeping function called",
		"Bad page", "refcount_t:", "list_add corruption",
		"list_del corruption", "Out of memory", "UBSAN", "KASAN",
	};
	size_t i;

	for (i = 0; i < sizeof(alarms) / sizeof(alarms[0]); i++)
		if (strstr(line, alarms[i]))
			return alarms[i];
	return NULL;
}

static void judge_log(int fd)
{
	char line[2048];
	unsigned int bad = 0;
	ssize_t got;

	if (fd < 0) {
		skipped("the kernel's log", "/dev/kmsg cannot be read");
		return;
	}
	for (;;) {
		got = read(fd, line, sizeof(line) - 1);
		/* EPIPE: lines were lost; the next read goes on behind them. */
		if (got < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (got <= 0)
			break;
		line[got] = '\0';
		if (alarm_in(line) && bad++ < 20)
			printf("log   %s", line);
	}
	expect_equal("the kernel's log: lines of alarm", bad, 0);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *result[ATTEMPTS];
	unsigned int fails, skips;
	struct guest *g;
	int log;
	size_t i;

	guest_begin("guest_hostile", LIMIT_S);
	log = follow_log();
	for (i = 0; i < ATTEMPTS; i++) {
		result[i] = NULL;
		if (argc > 1 && strcmp(argv[1], attempts[i].name))
			continue;
		fails = guest_failed();
		skips = guest_skipped();
		g = guest_new(0);
		if (g) {
			attempts[i].make(g);
			guest_free(g);
		}
		guest_pin(0);
		guest_works(attempts[i].name);
		result[i] = guest_failed() > fails ? "FAIL"
			    : guest_skipped() > skips ? "skipped" : "ok";
	}
	judge_log(log);
	for (i = 0; i < ATTEMPTS; i++)
		if (result[i])
			printf("table hostile %s %s\n", attempts[i].name,
			       result[i]);
	return guest_end();
}
