/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of fixed rows as byte planes: column by column, all first bytes,
 * then all second bytes, and so on. What repeats from row to row lies side by
 * side then, and compresses to little. Byte order is little-endian.
 */
#ifndef MP_PLANE_H
#define MP_PLANE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct mp_column - one field of a row, or an array of such
 * @name: as in a saved run's head
 * @offset: of the first element, bytes into the row
 * @width: bytes of an element: 1, 2, 4 or 8
 * @count: elements
 * @step: from element to element in the row, bytes
 */
struct mp_column {
	const char *name;
	uint16_t offset;
	uint16_t width;
	uint16_t count;
	uint16_t step;
};

/** struct mp_table - what the rows of a table look like in memory */
struct mp_table {
	const char *name;
	const struct mp_column *column;
	uint32_t n_columns;
	uint32_t row_bytes;
};

/** mp_table_packed() - bytes that so many rows fill as planes */
uint64_t mp_table_packed(const struct mp_table *table, uint64_t rows);

/** mp_table_pack() - rows to planes, mp_table_packed() bytes at @planes */
void mp_table_pack(const struct mp_table *table, const void *rows, uint64_t n,
		   uint8_t *planes);

/** mp_table_describe() - {"table", "rows", "columns": [[name, width, count]]}
 * Return: a new reference, NULL when out of memory. */
json_t *mp_table_describe(const struct mp_table *table, uint64_t rows);

/**
 * mp_table_check() - can what a description describes be read?
 * @table: the table as this build knows it
 * @description: what mp_table_describe() made, perhaps in another build
 * @max_bytes: the most that its planes, and its rows in memory, may take
 * @rows: gets the number of rows
 * @packed_bytes: gets the bytes that its planes fill
 * @why: gets one clear line with an error
 * @room: bytes of @why
 * Return: 0; -EINVAL for a column that this build does not know, or a count
 * out of bounds. A column that the description lacks reads as zero.
 */
int mp_table_check(const struct mp_table *table, const json_t *description,
		   uint64_t max_bytes, uint64_t *rows, uint64_t *packed_bytes,
		   char *why, size_t room);

/** mp_table_unpack() - planes to zeroed rows, after mp_table_check() */
void mp_table_unpack(const struct mp_table *table, const json_t *description,
		     const uint8_t *planes, void *rows);

#endif
