/* SPDX-License-Identifier: GPL-2.0 */
/* Whole files: read with a bound, written all or nothing. */
#ifndef MP_FILE_H
#define MP_FILE_H

#include <stddef.h>
#include <stdint.h>

/**
 * mp_file_read() - a regular file into memory
 * @path: its name
 * @max_bytes: a larger file is refused
 * @data: gets the bytes and a NUL that @bytes does not count; free() it
 * @bytes: gets how many
 * @why: gets one clear line with any error
 * @room: bytes of @why
 * Return: 0; -EFBIG too large, -EISDIR or -EINVAL not a regular file,
 * -ENOENT, -EACCES .., -ENOMEM.
 */
int mp_file_read(const char *path, uint64_t max_bytes, void **data,
		 size_t *bytes, char *why, size_t room);

/** struct mp_piece - bytes that follow one another in a file */
struct mp_piece {
	const void *data;
	size_t bytes;
};

/**
 * mp_file_write() - all pieces or nothing
 * @path: a new name, or a regular file that is replaced; a symbolic link is
 *	followed
 * @piece: what to write
 * @n: pieces
 * @why: gets one clear line with any error
 * @room: bytes of @why
 *
 * The bytes go to a new file beside it that takes its name when complete:
 * a reader sees the old file or the new one.
 * Return: 0; -EINVAL when @path is there and no regular file; -ENOSPC,
 * -EACCES, ..
 */
int mp_file_write(const char *path, const struct mp_piece *piece, uint32_t n,
		  char *why, size_t room);

#endif
