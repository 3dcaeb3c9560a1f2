// SPDX-License-Identifier: GPL-2.0
/*
 * The file of a saved run: one line of text with sizes and a checksum, the
 * head in JSON, and the tables of its body as byte planes in one zstd frame.
 */
#include "save.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "file.h"
#include "hash.h"
#include "limits.h"
#include "save_body.h"
#include "save_head.h"
#include "why.h"

/* Beyond this level a default run takes seconds and saves a few percent. */
#define ZSTD_LEVEL 9
#define LINE_ROOM 128
#define MAGIC "memprobe-run/"

/* A file in memory: its parts, found and their checksum right. */
struct file {
	const char *path;
	char *data;
	size_t bytes;
	const char *head;
	size_t head_bytes;
	const uint8_t *frame;
	size_t frame_bytes;
	char *why;
	size_t room;
};

static int body_pack(const struct mp_save_body *body, struct mp_piece *frame,
		     char *why, size_t room)
{
	uint64_t bytes = 0;
	uint8_t *planes;
	uint8_t *at;
	void *packed;
	ZSTD_CCtx *zstd;
	int err = -ENOMEM;

	for (int p = 0; p < MP_SAVE_PARTS; p++)
		bytes += mp_table_packed(&mp_save_tables[p], body->n[p]);
	if (bytes > MP_SAVE_MAX_BYTES)
		return mp_why(why, room, -EFBIG,
			      "the run has %" PRIu64
			      " bytes, %llu can be saved (limits.h: "
			      "MP_SAVE_MAX_BYTES)",
			      bytes, MP_SAVE_MAX_BYTES);
	planes = malloc(bytes + 1);
	packed = malloc(ZSTD_compressBound(bytes));
	zstd = ZSTD_createCCtx();
	if (!planes || !packed || !zstd)
		goto err_free;
	at = planes;
	for (int p = 0; p < MP_SAVE_PARTS; p++) {
		mp_table_pack(&mp_save_tables[p], body->rows[p], body->n[p],
			      at);
		at += mp_table_packed(&mp_save_tables[p], body->n[p]);
	}
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	frame->bytes = ZSTD_compress2(zstd, packed, ZSTD_compressBound(bytes),
				      planes, bytes);
	if (ZSTD_isError(frame->bytes))
		goto err_free;
	frame->data = packed;
	packed = NULL;
	err = 0;

err_free:
	ZSTD_freeCCtx(zstd);
	free(packed);
	free(planes);
	return err;
}

static char *head_text(const struct mp_save_head *head,
		       const struct mp_save_body *body)
{
	json_t *json = mp_save_head_json(head);
	json_t *list = json_array();
	char *text = NULL;
	int err = !json || !list;

	for (int p = 0; p < MP_SAVE_PARTS; p++)
		err |= json_array_append_new(
			list,
			mp_table_describe(&mp_save_tables[p], body->n[p]));
	err |= json_object_set_new(json, "tables", list);
	if (!err)
		text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	return text;
}

static void print_line(char line[LINE_ROOM], size_t head_bytes,
		       size_t body_bytes, uint64_t sum)
{
	snprintf(line, LINE_ROOM,
		 MP_SAVE_FORMAT " head=%zu body=%zu sum=%016" PRIx64 "\n",
		 head_bytes, body_bytes, sum);
}

static int write_pieces(const char *path, const char *head,
			const struct mp_piece *frame, char *why, size_t room)
{
	struct mp_piece piece[] = {
		{ NULL, 0 },
		{ head, strlen(head) },
		{ "\n", 1 },
		*frame,
	};
	uint64_t sum = MP_HASH_START;
	char line[LINE_ROOM];

	for (int i = 1; i < 4; i++)
		sum = mp_hash_bytes(sum, piece[i].data, piece[i].bytes);
	print_line(line, piece[1].bytes, frame->bytes, sum);
	piece[0] = (struct mp_piece){ line, strlen(line) };
	return mp_file_write(path, piece, 4, why, room);
}

static int not_a_run(const struct file *file)
{
	return mp_why(file->why, file->room, -EINVAL,
		      "%s: not a saved run of memprobe (its first line does "
		      "not begin with %s)", file->path, MP_SAVE_FORMAT);
}

static int damaged(const struct file *file, const char *what)
{
	return mp_why(file->why, file->room, -EIO,
		      "%s: damaged (%s), take another copy or measure again",
		      file->path, what);
}

static int split(struct file *file)
{
	char line[LINE_ROOM];
	uint64_t sum;
	char *end;
	char *at;

	if (file->bytes < strlen(MAGIC) ||
	    memcmp(file->data, MAGIC, strlen(MAGIC)))
		return not_a_run(file);
	end = memchr(file->data, '\n', file->bytes);
	if (!end || end - file->data >= LINE_ROOM - 1)
		return damaged(file, "its first line");
	if (sscanf(file->data, MP_SAVE_FORMAT " head=%zu body=%zu sum=%" SCNx64,
		   &file->head_bytes, &file->frame_bytes, &sum) != 3)
		return not_a_run(file);
	/* Printed again it must be the same: no sign, blank or wrap passes. */
	print_line(line, file->head_bytes, file->frame_bytes, sum);
	if (strncmp(line, file->data, (size_t)(end - file->data) + 1))
		return damaged(file, "its first line");
	at = end + 1;
	if (file->head_bytes > MP_SAVE_HEAD_MAX_BYTES ||
	    file->frame_bytes > MP_SAVE_MAX_BYTES)
		return damaged(file, "its sizes");
	if (file->bytes - (size_t)(at - file->data) !=
	    file->head_bytes + 1 + file->frame_bytes)
		return damaged(file, "truncated, or something follows it");
	if (mp_hash_bytes(MP_HASH_START, at,
			  file->head_bytes + 1 + file->frame_bytes) != sum)
		return damaged(file, "its checksum");
	file->head = at;
	file->frame = (const uint8_t *)at + file->head_bytes + 1;
	return 0;
}

static int check_tables(const struct file *file, const json_t *list,
			struct mp_save_body *body, uint64_t *bytes)
{
	char why[256] = "";
	uint64_t left = MP_SAVE_MAX_BYTES;

	*bytes = 0;
	if (!json_is_array(list) || json_array_size(list) != MP_SAVE_PARTS)
		return damaged(file, "its list of tables");
	for (int p = 0; p < MP_SAVE_PARTS; p++) {
		const json_t *said = json_array_get(list, (size_t)p);
		const char *name;
		uint64_t packed;

		name = json_string_value(json_object_get(said, "table"));
		if (!name || strcmp(name, mp_save_tables[p].name))
			return damaged(file, "its list of tables");
		if (mp_table_check(&mp_save_tables[p], said, left, &body->n[p],
				   &packed, why, sizeof(why)))
			return mp_why(file->why, file->room, -EINVAL, "%s: %s",
				      file->path, why);
		left -= packed;
		*bytes += packed;
	}
	return 0;
}

static int unpack(const struct file *file, uint64_t bytes, uint8_t **planes)
{
	unsigned long long said;
	size_t n;

	/* Nothing is allocated on the frame's word: it must say the same. */
	said = ZSTD_getFrameContentSize(file->frame, file->frame_bytes);
	if (said != bytes ||
	    ZSTD_findFrameCompressedSize(file->frame, file->frame_bytes) !=
	    file->frame_bytes)
		return damaged(file, "the size of its tables");
	*planes = malloc(bytes + 1);
	if (!*planes)
		return -ENOMEM;
	n = ZSTD_decompress(*planes, bytes, file->frame, file->frame_bytes);
	if (!ZSTD_isError(n) && n == bytes)
		return 0;
	free(*planes);
	return damaged(file, "its tables");
}

static int read_body(const struct file *file, const json_t *list,
		     struct mp_save_body *body)
{
	uint8_t *planes = NULL;
	uint8_t *at;
	uint64_t bytes;
	int err;

	err = check_tables(file, list, body, &bytes);
	if (err)
		return err;
	err = unpack(file, bytes, &planes);
	if (err)
		return err;
	err = mp_save_body_alloc(body, MP_SAVE_EXPS);
	if (err)
		goto err_free;
	at = planes;
	for (int p = 0; p < MP_SAVE_PARTS; p++) {
		const json_t *said = json_array_get(list, (size_t)p);
		uint64_t packed;
		uint64_t rows;

		mp_table_check(&mp_save_tables[p], said, MP_SAVE_MAX_BYTES,
			       &rows, &packed, NULL, 0);
		mp_table_unpack(&mp_save_tables[p], said, at, body->rows[p]);
		at += packed;
	}

err_free:
	free(planes);
	return err;
}

static int read_batches(const struct file *file, const json_t *list,
			struct mp_save *save)
{
	struct mp_save_body body = { 0 };
	char wrong[256] = "";
	int err;

	err = read_body(file, list, &body);
	if (err)
		goto err_free;
	err = mp_save_body_batches(&body, save, wrong, sizeof(wrong));
	if (err == -EIO)
		damaged(file, wrong);
	else if (err)
		mp_why(file->why, file->room, err, "%s: %s", file->path, wrong);

err_free:
	mp_save_body_free(&body);
	return err;
}

static int read_parts(struct file *file, struct mp_save *save)
{
	json_error_t error;
	char why[256] = "";
	json_t *json;
	int err;

	err = split(file);
	if (err)
		return err;
	json = json_loadb(file->head, file->head_bytes, JSON_REJECT_DUPLICATES,
			  &error);
	if (!json)
		return mp_why(file->why, file->room, -EINVAL,
			      "%s: its head is not JSON: %s", file->path,
			      error.text);
	err = mp_save_head_parse(&save->head, json, why, sizeof(why));
	if (err)
		mp_why(file->why, file->room, err, "%s: %s", file->path, why);
	else
		err = read_batches(file, json_object_get(json, "tables"), save);
	json_decref(json);
	return err;
}

int mp_save_write(const char *path, const struct mp_save_head *head,
		  const struct mp_batch *const *batch, uint32_t n, char *why,
		  size_t room)
{
	struct mp_piece frame = { NULL, 0 };
	struct mp_save_body body = { 0 };
	char *text = NULL;
	int err;

	err = mp_save_body_fill(&body, batch, n, why, room);
	if (!err)
		err = body_pack(&body, &frame, why, room);
	if (err)
		goto err_free;
	text = head_text(head, &body);
	err = text ? write_pieces(path, text, &frame, why, room) : -ENOMEM;

err_free:
	if (err == -ENOMEM)
		mp_why(why, room, err, "%s: no memory to save the run", path);
	free(text);
	free((void *)frame.data);
	mp_save_body_free(&body);
	return err;
}

int mp_save_read(const char *path, struct mp_save *save, char *why, size_t room)
{
	struct file file = { .path = path, .why = why, .room = room };
	void *data;
	int err;

	memset(save, 0, sizeof(*save));
	err = mp_file_read(path, MP_SAVE_MAX_BYTES, &data, &file.bytes, why,
			   room);
	if (err)
		return err;
	file.data = data;
	err = read_parts(&file, save);
	free(data);
	if (err)
		mp_save_free(save);
	if (err == -ENOMEM)
		mp_why(why, room, err, "%s: no memory to read it", path);
	return err;
}

void mp_save_free(struct mp_save *save)
{
	for (uint32_t i = 0; i < save->n_batches; i++) {
		mp_batch_free(save->batch[i]);
		free(save->batch[i]);
	}
	free(save->batch);
	memset(save, 0, sizeof(*save));
}
