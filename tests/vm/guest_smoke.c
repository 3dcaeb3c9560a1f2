// SPDX-License-Identifier: GPL-2.0
/*
 * The least that a loaded module shows: its device is there and opens.
 *
 * A guest_*.c is compiled statically for every kernel's architecture and run
 * as root in its guest. It prints a line for what it checks, "ok ...",
 * "FAIL ..." or "skipped: ...", and ends with "N passed, N failed, N skipped".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ioctl/memprobe.h"

#define DEVICE "/dev/memprobe"

static int passed, failed;

static bool check(bool holds, const char *what, int error)
{
	if (holds) {
		passed++;
		printf("ok    %s\n", what);
	} else {
		failed++;
		printf("FAIL  %s%s%s\n", what, error ? ": " : "",
		       error ? strerror(error) : "");
	}
	return holds;
}

int main(void)
{
	struct stat st;
	int fd;

	if (check(!stat(DEVICE, &st), DEVICE " is there", errno))
		check(S_ISCHR(st.st_mode), DEVICE " is a character device", 0);
	fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (check(fd >= 0, DEVICE " opens", errno)) {
		errno = 0;
		check(ioctl(fd, _IO('?', 255)) == -1 && errno == ENOTTY,
		      "a command of somebody else's is refused with ENOTTY",
		      errno);
		check(!close(fd), DEVICE " closes", errno);
	}
	printf("%d passed, %d failed, 0 skipped\n", passed, failed);
	return failed ? 1 : 0;
}
