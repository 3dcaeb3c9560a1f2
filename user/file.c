// SPDX-License-Identifier: GPL-2.0
/*
 * Whole files: read with a bound, written under another name first so that
 * no reader ever sees half of one.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "why.h"

#define NAME_TRIES 100

static int say_errno(char *why, size_t room, int err, const char *path)
{
	return mp_why(why, room, err, "%s: %s", path, strerror(-err));
}

/* -errno of the last call; never 0, whatever the library left there. */
static int last_error(void)
{
	return errno ? -errno : -EIO;
}

static int check_regular(int fd, const char *path, uint64_t max_bytes,
			 size_t *bytes, char *why, size_t room)
{
	struct stat st;

	if (fstat(fd, &st))
		return say_errno(why, room, last_error(), path);
	if (S_ISDIR(st.st_mode))
		return say_errno(why, room, -EISDIR, path);
	if (!S_ISREG(st.st_mode))
		return mp_why(why, room, -EINVAL, "%s: not a regular file",
			      path);
	if ((uint64_t)st.st_size > max_bytes)
		return mp_why(why, room, -EFBIG,
			      "%s: %llu bytes, at most %llu are read",
			      path, (unsigned long long)st.st_size,
			      (unsigned long long)max_bytes);
	*bytes = (size_t)st.st_size;
	return 0;
}

/* Up to @room bytes; a file that shrinks meanwhile gives fewer. */
static int read_all(int fd, char *data, size_t room, size_t *bytes)
{
	size_t done = 0;

	while (done < room) {
		ssize_t n = read(fd, data + done, room - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return last_error();
		if (!n)
			break;
		done += (size_t)n;
	}
	*bytes = done;
	return 0;
}

static int write_all(int fd, const char *data, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t n = write(fd, data + done, bytes - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return last_error();
		done += (size_t)n;
	}
	return 0;
}

/* A new file beside @path, made by open() so that the umask holds. */
static int open_beside(const char *path, char **name)
{
	int fd = -1;

	for (int i = 0; i < NAME_TRIES && fd < 0; i++) {
		if (asprintf(name, "%s.%ld-%d.tmp", path, (long)getpid(), i) <
		    0) {
			*name = NULL;
			return -ENOMEM;
		}
		fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			break;
		fd = last_error();
		free(*name);
		*name = NULL;
		if (fd != -EEXIST)
			break;
	}
	return fd;
}

static int write_pieces(int fd, const struct mp_piece *piece, uint32_t n)
{
	int err = 0;

	for (uint32_t i = 0; i < n && !err; i++)
		err = write_all(fd, piece[i].data, piece[i].bytes);
	if (!err && fsync(fd) && errno != EINVAL && errno != EROFS)
		err = last_error();
	return err;
}

static int replace(const char *path, const struct mp_piece *piece, uint32_t n)
{
	char *name;
	int err;
	int fd;

	fd = open_beside(path, &name);
	if (fd < 0)
		return fd;
	err = write_pieces(fd, piece, n);
	if (close(fd) && !err)
		err = last_error();
	if (!err && rename(name, path))
		err = last_error();
	if (err)
		unlink(name);
	free(name);
	return err;
}

int mp_file_read(const char *path, uint64_t max_bytes, void **data,
		 size_t *bytes, char *why, size_t room)
{
	char *text = NULL;
	size_t size = 0;
	int err;
	int fd;

	*data = NULL;
	*bytes = 0;
	/* Without O_NONBLOCK a pipe without a writer would hold us here. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return say_errno(why, room, last_error(), path);
	err = check_regular(fd, path, max_bytes, &size, why, room);
	if (err)
		goto err_close;
	text = malloc(size + 1);
	if (!text) {
		err = mp_why(why, room, -ENOMEM,
			     "%s: no memory for its %zu bytes",
			     path, size);
		goto err_close;
	}
	err = read_all(fd, text, size, &size);
	if (err) {
		say_errno(why, room, err, path);
		goto err_close;
	}
	text[size] = '\0';
	*data = text;
	*bytes = size;
	text = NULL;

err_close:
	free(text);
	close(fd);
	return err;
}

int mp_file_write(const char *path, const struct mp_piece *piece, uint32_t n,
		  char *why, size_t room)
{
	struct stat st;
	char *real;
	int err;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return mp_why(why, room, -EINVAL,
			      "%s: is there and is not a regular file, name "
			      "another",
			      path);
	/* The file behind a link is replaced, not the link. */
	real = realpath(path, NULL);
	err = replace(real ? real : path, piece, n);
	free(real);
	return err ? say_errno(why, room, err, path) : 0;
}
