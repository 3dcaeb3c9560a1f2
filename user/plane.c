// SPDX-License-Identifier: GPL-2.0
/*
 * Byte planes, and the JSON that tells which planes a file holds. A later
 * build may know more columns than an older file has; it still reads it.
 */
#include "plane.h"

#include <errno.h>
#include <string.h>

#include "why.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "planes are cut from little-endian memory"
#endif

static const struct mp_column *column_find(const struct mp_table *table,
					   const char *name)
{
	for (uint32_t i = 0; i < table->n_columns; i++) {
		if (!strcmp(table->column[i].name, name))
			return &table->column[i];
	}
	return NULL;
}

/* The planes of one column; returns the byte after them. */
static uint8_t *column_pack(const struct mp_table *table,
			    const struct mp_column *column, const uint8_t *rows,
			    uint64_t n, uint8_t *plane)
{
	for (uint32_t e = 0; e < column->count; e++) {
		for (uint32_t b = 0; b < column->width; b++) {
			const uint8_t *from =
				rows + column->offset + e * column->step + b;

			for (uint64_t i = 0; i < n; i++)
				*plane++ = from[i * table->row_bytes];
		}
	}
	return plane;
}

static const uint8_t *column_unpack(const struct mp_table *table,
				    const struct mp_column *column,
				    uint32_t count, const uint8_t *plane,
				    uint8_t *rows, uint64_t n)
{
	for (uint32_t e = 0; e < count; e++) {
		for (uint32_t b = 0; b < column->width; b++) {
			uint8_t *to =
				rows + column->offset + e * column->step + b;

			for (uint64_t i = 0; i < n; i++)
				to[i * table->row_bytes] = *plane++;
		}
	}
	return plane;
}

uint64_t mp_table_packed(const struct mp_table *table, uint64_t rows)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < table->n_columns; i++)
		bytes += (uint64_t)table->column[i].width *
			 table->column[i].count * rows;
	return bytes;
}

void mp_table_pack(const struct mp_table *table, const void *rows, uint64_t n,
		   uint8_t *planes)
{
	for (uint32_t i = 0; i < table->n_columns; i++)
		planes = column_pack(table, &table->column[i], rows, n, planes);
}

json_t *mp_table_describe(const struct mp_table *table, uint64_t rows)
{
	json_t *columns = json_array();

	for (uint32_t i = 0; i < table->n_columns; i++) {
		const struct mp_column *column = &table->column[i];

		/* A NULL from here makes the pack below fail. */
		if (json_array_append_new(
			    columns, json_pack("[sii]", column->name,
					       column->width, column->count))) {
			json_decref(columns);
			return NULL;
		}
	}
	return json_pack("{sssIso}", "table", table->name, "rows",
			 (json_int_t)rows, "columns", columns);
}

static int check_column(const struct mp_table *table, const json_t *said,
			uint64_t *row_bytes, char *why, size_t room)
{
	const struct mp_column *column;
	const char *name;
	int width;
	int count;

	if (json_unpack((json_t *)said, "[sii!]", &name, &width, &count))
		return mp_why(why, room, -EINVAL,
			      "table '%s': a column is [name, width, count]",
			      table->name);
	column = column_find(table, name);
	if (!column)
		return mp_why(why, room, -EINVAL,
			      "table '%s': column '%.32s' is not known here, "
			      "it takes a newer memprobe",
			      table->name, name);
	if (width != column->width || count < 1 || count > column->count)
		return mp_why(why, room, -EINVAL,
			      "table '%s': column '%s' has %d x %d bytes, %u x "
			      "%u are known here",
			      table->name, name, count, width, column->count,
			      column->width);
	*row_bytes += (uint64_t)width * (uint64_t)count;
	return 0;
}

static int check_twice(const struct mp_table *table, const json_t *columns,
		       char *why, size_t room)
{
	size_t n = json_array_size(columns);

	for (size_t i = 0; i < n; i++) {
		const char *name;

		name = json_string_value(
			json_array_get(json_array_get(columns, i), 0));
		for (size_t k = 0; k < i; k++) {
			const json_t *other = json_array_get(columns, k);

			if (!strcmp(name, json_string_value(
						  json_array_get(other, 0))))
				return mp_why(why, room, -EINVAL,
					      "table '%s': column '%s' is "
					      "there twice",
					      table->name, name);
		}
	}
	return 0;
}

int mp_table_check(const struct mp_table *table, const json_t *description,
		   uint64_t max_bytes, uint64_t *rows, uint64_t *packed_bytes,
		   char *why, size_t room)
{
	json_t *columns = json_object_get(description, "columns");
	json_int_t n;
	uint64_t row_bytes = 0;
	int err;

	*rows = 0;
	*packed_bytes = 0;
	if (!json_is_array(columns) ||
	    !json_is_integer(json_object_get(description, "rows")))
		return mp_why(why, room, -EINVAL,
			      "table '%s': rows and columns are wanted",
			      table->name);
	n = json_integer_value(json_object_get(description, "rows"));
	if (json_array_size(columns) > table->n_columns)
		return mp_why(why, room, -EINVAL,
			      "table '%s': %zu columns, %u are known here",
			      table->name, json_array_size(columns),
			      table->n_columns);
	for (size_t i = 0; i < json_array_size(columns); i++) {
		err = check_column(table, json_array_get(columns, i),
				   &row_bytes, why, room);
		if (err)
			return err;
	}
	err = check_twice(table, columns, why, room);
	if (err)
		return err;
	/* Rows without columns must not take memory unseen. */
	if (n < 0 || (uint64_t)n > max_bytes / table->row_bytes ||
	    (uint64_t)n * row_bytes > max_bytes)
		return mp_why(
			why, room, -EINVAL,
			"table '%s': %lld rows, 0 .. %llu allowed",
			table->name, (long long)n,
			(unsigned long long)(max_bytes / table->row_bytes));
	*rows = (uint64_t)n;
	*packed_bytes = *rows * row_bytes;
	return 0;
}

void mp_table_unpack(const struct mp_table *table, const json_t *description,
		     const uint8_t *planes, void *rows)
{
	const json_t *columns = json_object_get(description, "columns");
	uint64_t n = (uint64_t)json_integer_value(
		json_object_get(description, "rows"));

	for (size_t i = 0; i < json_array_size(columns); i++) {
		const json_t *said = json_array_get(columns, i);
		const struct mp_column *column;

		column = column_find(
			table, json_string_value(json_array_get(said, 0)));
		planes = column_unpack(
			table, column,
			(uint32_t)json_integer_value(json_array_get(said, 2)),
			planes, rows, n);
	}
}
