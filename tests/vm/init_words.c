// SPDX-License-Identifier: GPL-2.0
/*
 * Commands of a run.list that need no program:
 *
 *	insmod FILE [NAME=VALUE]..	load a module
 *	rmmod NAME			unload it
 *	mknod-wait PATH			wait until it is there (10 s at most)
 *	gone PATH			wait until it is not
 *	sysctl PATH VALUE..		write a file
 *	cat FILE..			show files
 *	has FILE WORD			WORD is somewhere in FILE
 *	online CPU, offline CPU		CPU hotplug
 *	sleep SECONDS
 *	send FILE			hand a file to the host, in base64
 */
#include "tests/vm/init_words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int complain(const char *what)
{
	printf("init: %s: %s\n", what, strerror(errno));
	return 1;
}

static int join(char **argv, char *to, size_t size)
{
	size_t used = 0;

	to[0] = '\0';
	for (; *argv; argv++) {
		int n = snprintf(to + used, size - used, "%s%s",
				 used ? " " : "", *argv);

		if (n < 0 || used + n >= size) {
			errno = E2BIG;
			return complain(*argv);
		}
		used += n;
	}
	return 0;
}

static int do_insmod(char **argv)
{
	char params[2048];
	int fd, rc = 0;

	if (join(argv + 2, params, sizeof(params)))
		return 1;
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return complain(argv[1]);
	if (syscall(SYS_finit_module, fd, params, 0))
		rc = complain(argv[1]);
	close(fd);
	return rc;
}

/* Non-blocking, as rmmod(8) does it: a module in use is an error. */
static int do_rmmod(char **argv)
{
	if (syscall(SYS_delete_module, argv[1], O_NONBLOCK))
		return complain(argv[1]);
	return 0;
}

static int wait_for(const char *path, bool there)
{
	const struct timespec nap = { .tv_nsec = 10000000 };

	for (int i = 0; i < 1000; i++) {
		if (!access(path, F_OK) == there)
			return 0;
		nanosleep(&nap, NULL);
	}
	printf("init: %s is %s there\n", path, there ? "not" : "still");
	return 1;
}

static int do_wait(char **argv)
{
	return wait_for(argv[1], true);
}

static int do_gone(char **argv)
{
	return wait_for(argv[1], false);
}

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return complain(path);
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		rc = complain(path);
	if (close(fd) && !rc)
		rc = complain(path);
	return rc;
}

static int do_sysctl(char **argv)
{
	char value[2048];

	return join(argv + 2, value, sizeof(value)) || put(argv[1], value);
}

static int do_hotplug(char **argv)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%s/online",
		 argv[1]);
	return put(path, strcmp(argv[0], "online") ? "0" : "1");
}

static int do_cat(char **argv)
{
	char line[4096];
	int rc = 0;

	while (*++argv) {
		FILE *file = fopen(*argv, "r");

		if (!file)
			return complain(*argv);
		while (fgets(line, sizeof(line), file))
			fputs(line, stdout);
		if (ferror(file))
			rc = complain(*argv);
		fclose(file);
	}
	return rc;
}

static int do_has(char **argv)
{
	char line[4096];
	bool found = false;
	FILE *file = fopen(argv[1], "r");

	if (!file)
		return complain(argv[1]);
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, argv[2]);
	fclose(file);
	if (!found)
		printf("init: %s: no '%s' in it\n", argv[1], argv[2]);
	return !found;
}

static int do_sleep(char **argv)
{
	sleep(atoi(argv[1]));
	return 0;
}

static void base64(const uint8_t *from, size_t n, char *to)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t bits = from[i] << 16;

		if (i + 1 < n)
			bits |= from[i + 1] << 8;
		if (i + 2 < n)
			bits |= from[i + 2];
		*to++ = digits[bits >> 18];
		*to++ = digits[bits >> 12 & 63];
		*to++ = i + 1 < n ? digits[bits >> 6 & 63] : '=';
		*to++ = i + 2 < n ? digits[bits & 63] : '=';
	}
	*to = '\0';
}

static int do_send(char **argv)
{
	FILE *file = fopen(argv[1], "r");
	const char *base = strrchr(argv[1], '/');
	uint8_t bytes[57];
	char line[80];
	size_t n;

	if (!file)
		return complain(argv[1]);
	printf("MP-FILE %s\n", base ? base + 1 : argv[1]);
	while ((n = fread(bytes, 1, sizeof(bytes), file)) > 0) {
		base64(bytes, n, line);
		printf("MP-B64 %s\n", line);
	}
	printf("MP-FILE-END\n");
	fclose(file);
	return 0;
}

static const struct {
	const char *name;
	int least;	/* arguments */
	int (*carry_out)(char **argv);
} words[] = {
	{ "insmod", 1, do_insmod },
	{ "rmmod", 1, do_rmmod },
	{ "mknod-wait", 1, do_wait },
	{ "gone", 1, do_gone },
	{ "sysctl", 2, do_sysctl },
	{ "online", 1, do_hotplug },
	{ "offline", 1, do_hotplug },
	{ "cat", 1, do_cat },
	{ "has", 2, do_has },
	{ "sleep", 1, do_sleep },
	{ "send", 1, do_send },
};

bool mp_word(char **argv, int *rc)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(argv[0], words[i].name))
			continue;
		if (argc - 1 < words[i].least) {
			errno = EINVAL;
			*rc = complain(argv[0]);
		} else {
			*rc = words[i].carry_out(argv);
		}
		return true;
	}
	return false;
}
