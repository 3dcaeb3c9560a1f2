// SPDX-License-Identifier: GPL-2.0
/*
 * The first process of a test guest: runs what /run.list says, watches the
 * kernel's log meanwhile, reports on the console, and ends the machine.
 *
 * A line of /run.list is "SECONDS COMMAND [ARGUMENT]..", split at blanks;
 * '#' starts a comment. COMMAND is a program or one of the words of
 * init_words.c. It has to end with 0; or, with "fails" before it, to be
 * refused with any other status; or, with "ends 0,5", to end with one of those.
 *
 * Each line gets "MP-RUN n command", then whatever it says, "MP-RC n status"
 * (or "stuck", when it would not even be killed) and "MP-LOG n clean", or
 * in place of "clean" the first line of the kernel's that is a fault's, with
 * all that the kernel said behind "MP-KMSG ". "MP-END n" says how many lines
 * there were; log -1 is what the kernel said after them, "MP-TAINT" its marks
 * of faults. "MP-EXIT code" comes last: 0 if every line did as it had to and
 * the log stayed clean. Without it the machine has crashed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <sys/io.h>
#endif

#include "tests/vm/init_words.h"

#define MARK "memprobe: end of a test command"
#define LINES_MAX 200		/* of one command's kernel log */
#define TAINTS ((1 << 5) | (1 << 7) | (1 << 9) | (1 << 14))	/* B, D, W, L */
#define KILLED_NS 5000000000ll	/* how long one that was killed may linger */

/* What the kernel says when something is wrong with it. */
static const char * const faults[] = {
	"WARNING:", "BUG:", "Oops", "suspicious RCU usage",
	"possible recursive locking", "possible circular locking",
	"possible deadlock", "inconsistent lock state",
	"general protection fault", "Call trace:", "Call Trace:",
	"rcu: INFO", "INFO: task", "soft lockup", "hard LOCKUP", "hung_task",
	"blocked for more than", "UBSAN", "KASAN", "KCSAN", "KFENCE",
	"Unable to handle kernel", "kernel BUG at", "scheduling while atomic",
	"sleeping function called", "Bad page", "refcount_t:",
	"list_add corruption", "list_del corruption", "invalid opcode",
	"memory leak", "stack-protector",
};

static int kmsg = -1;

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static void mount_one(const char *type, const char *where)
{
	mkdir(where, 0755);
	if (mount(type, where, type, 0, NULL) && errno != EBUSY)
		printf("MP-INIT no %s at %s: %s\n", type, where,
		       strerror(errno));
}

static void mount_all(void)
{
	mount_one("proc", "/proc");
	mount_one("sysfs", "/sys");
	mount_one("devtmpfs", "/dev");
	mount_one("tmpfs", "/dev/shm");
	mount_one("tmpfs", "/tmp");
	mount_one("tmpfs", "/run");
	mount_one("debugfs", "/sys/kernel/debug");
	mount_one("cgroup2", "/sys/fs/cgroup");
}

/*
 * Marks that the kernel bears after a fault: should it have said so in words
 * that are not known here, these tell.
 */
static long taints(void)
{
	FILE *file = fopen("/proc/sys/kernel/tainted", "r");
	long value = 0;

	if (file) {
		if (fscanf(file, "%ld", &value) != 1)
			value = 0;
		fclose(file);
	}
	return value & TAINTS;
}

/* The words of a record lie between the first ';' and the end of the line. */
static char *kmsg_text(char *record)
{
	char *text = strchr(record, ';');

	if (!text)
		return record;
	text++;
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static bool is_fault(const char *text)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (strstr(text, faults[i]))
			return true;
	return false;
}

/*
 * A line of the kernel's that lacks its newline cannot be read before the
 * next one comes: here is the next one. Opened anew each time, since the
 * kernel limits the rate for an open file.
 */
static void finish_line(void)
{
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, MARK "\n", strlen(MARK) + 1) < 0)
		printf("MP-INIT /dev/kmsg: %s\n", strerror(errno));
	close(fd);
}

/*
 * Reads what the kernel has said since the last call. Lines before a fault
 * are kept too: they say what led to it.
 */
static bool log_is_clean(int number)
{
	static char lines[LINES_MAX][256];
	char record[8192];
	int count = 0, fault = -1;
	ssize_t got;

	finish_line();
	while ((got = read(kmsg, record, sizeof(record) - 1)) > 0 ||
	       (got < 0 && (errno == EPIPE || errno == EINTR))) {
		const char *text;

		if (got < 0)
			continue;	/* older records were lost: go on */
		record[got] = '\0';
		text = kmsg_text(record);
		if (!strcmp(text, MARK))
			continue;
		if (count == LINES_MAX) {	/* keep the first and the last */
			if (fault == count - 1)
				continue;
			count--;
		}
		snprintf(lines[count], sizeof(lines[0]), "%.255s", text);
		if (fault < 0 && is_fault(text))
			fault = count;
		count++;
	}
	printf("MP-LOG %d %s\n", number, fault < 0 ? "clean" : lines[fault]);
	for (int i = 0; fault >= 0 && i < count; i++)
		printf("MP-KMSG %s\n", lines[i]);
	return fault < 0;
}

static int status_of(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return 128 + WTERMSIG(status);
}

/* Orphans become children of the first process: they are reaped as well. */
static bool reap_until(pid_t pid, int *status, long long deadline_ns)
{
	const struct timespec nap = { .tv_nsec = 2000000 };

	while (now_ns() < deadline_ns) {
		pid_t got = waitpid(-1, status, WNOHANG);

		if (got == pid)
			return true;
		if (got <= 0)
			nanosleep(&nap, NULL);
	}
	return false;
}

static _Noreturn void become(char **argv)
{
	int rc;

	setsid();
	if (mp_word(argv, &rc)) {
		fflush(NULL);
		_exit(rc);
	}
	execvp(argv[0], argv);
	printf("init: %s: %s\n", argv[0], strerror(errno));
	fflush(NULL);
	_exit(127);
}

/* The command's exit status; 124 if it ran out of time; -1 if it is stuck. */
static int run(char **argv, int seconds)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return 126;
	if (!pid)
		become(argv);
	if (reap_until(pid, &status, now_ns() + seconds * 1000000000ll))
		return status_of(status);
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	return reap_until(pid, &status, now_ns() + KILLED_NS) ? 124 : -1;
}

static int split(char *line, char **argv, int max)
{
	int argc = 0;
	char *rest = NULL;

	line[strcspn(line, "#\n")] = '\0';
	for (char *word = strtok_r(line, " \t", &rest); word && argc < max - 1;
	     word = strtok_r(NULL, " \t", &rest))
		argv[argc++] = word;
	argv[argc] = NULL;
	return argc;
}

static void say_command(int number, char **argv)
{
	printf("MP-RUN %d", number);
	for (; *argv; argv++)
		printf(" %s", *argv);
	printf("\n");
}

static bool is_listed(int rc, const char *list)
{
	while (*list) {
		char *rest;
		long value = strtol(list, &rest, 10);

		if (rest == list)
			return false;
		if (value == rc)
			return true;
		list = rest + (*rest == ',');
	}
	return false;
}

/* To be refused is to fail; to crash or to hang is not. */
static bool as_wanted(int rc, char **wanted)
{
	if (!strcmp(wanted[0], "fails"))
		return rc > 0 && rc < 124;
	if (!strcmp(wanted[0], "ends"))
		return is_listed(rc, wanted[1]);
	return !rc;
}

static char **command_of(char **argv)
{
	if (*argv && !strcmp(*argv, "fails"))
		return argv + 1;
	if (*argv && !strcmp(*argv, "ends"))
		return argv[1] ? argv + 2 : argv + 1;
	return argv;
}

/* Returns 0 if all was well, 1 if not, -1 if it makes no sense to go on. */
static int run_line(int number, char **argv)
{
	int seconds = atoi(argv[0]);
	char **command = command_of(argv + 1);
	bool clean;
	int rc;

	if (seconds <= 0 || !*command) {
		printf("MP-INIT line %d: expected SECONDS COMMAND..\n", number);
		return -1;
	}
	say_command(number, argv + 1);
	rc = run(command, seconds);
	if (rc < 0)
		printf("\nMP-RC %d stuck\n", number);
	else
		printf("\nMP-RC %d %d\n", number, rc);
	clean = log_is_clean(number);
	if (rc < 0)
		return -1;
	return as_wanted(rc, argv + 1) && clean ? 0 : 1;
}

static int run_list(const char *path)
{
	FILE *list = fopen(path, "r");
	int failed = 0, number = 0, rc = 0;
	char line[2048], *argv[64];

	if (!list) {
		printf("MP-INIT %s: %s\n", path, strerror(errno));
		return 1;
	}
	while (rc >= 0 && fgets(line, sizeof(line), list)) {
		if (!split(line, argv, 64))
			continue;
		rc = run_line(++number, argv);
		failed += rc != 0;
	}
	fclose(list);
	printf("MP-END %d\n", number);
	return failed || !number ? 1 : 0;
}

/* What the kernel says only after the last command counts as well. */
static int run_all(void)
{
	const struct timespec while_ns = { .tv_nsec = 50000000 };
	long taints_before = taints(), taints_new;
	int rc = run_list("/run.list");

	nanosleep(&while_ns, NULL);
	if (!log_is_clean(-1))
		rc = 1;
	taints_new = taints() & ~taints_before;
	printf("MP-TAINT %ld\n", taints_new);
	return taints_new ? 1 : rc;
}

/*
 * A code is moved up by 16: QEMU itself ends with low ones when it fails,
 * and makes (value << 1) | 1 of what is written.
 */
static _Noreturn void end(int code)
{
	printf("MP-EXIT %d\n", code);
	fflush(NULL);
	tcdrain(STDOUT_FILENO);
#ifdef __x86_64__
	if (!ioperm(0xf4, 4, 1))
		outl(code + 16, 0xf4);
#endif
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	mount_all();
	setenv("PATH", "/:/bin:/sbin:/usr/bin:/usr/sbin", 1);
	setenv("HOME", "/tmp", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("TERM", "dumb", 1);
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg < 0) {
		printf("MP-INIT /dev/kmsg: %s\n", strerror(errno));
		end(1);
	}
	/* What it says of its boot is the rig's, and no fault of the module. */
	log_is_clean(0);
	end(run_all());
}
