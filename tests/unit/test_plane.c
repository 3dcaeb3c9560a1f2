// SPDX-License-Identifier: GPL-2.0
/*
 * Rows become byte planes and come back; a description from elsewhere is
 * believed only as far as it can be.
 */
#include "plane.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define MAX_BYTES 1000000

struct thing {
	uint32_t a;
	uint16_t b;
	uint64_t list[3];
	struct {
		uint8_t x;
		uint32_t y;
	} pair[2];
};

static const struct mp_column columns[] = {
	{ "a", offsetof(struct thing, a), 4, 1, 0 },
	{ "b", offsetof(struct thing, b), 2, 1, 0 },
	{ "list", offsetof(struct thing, list), 8, 3, 8 },
	{ "pair.x", offsetof(struct thing, pair[0].x), 1, 2, 8 },
	{ "pair.y", offsetof(struct thing, pair[0].y), 4, 2, 8 },
};

static const struct mp_table table = {
	"thing", columns, 5, sizeof(struct thing),
};

static void fill(struct thing *thing, uint32_t n)
{
	memset(thing, 0, n * sizeof(*thing));
	for (uint32_t i = 0; i < n; i++) {
		thing[i].a = 0x01020304 + i;
		thing[i].b = (uint16_t)(0x0506 + i);
		for (int k = 0; k < 3; k++)
			thing[i].list[k] = 0x1122334455667788ull * (i + 1) + k;
		thing[i].pair[0].x = 1;
		thing[i].pair[1].x = (uint8_t)i;
		thing[i].pair[0].y = i;
		thing[i].pair[1].y = ~i;
	}
}

static int check(const json_t *said, uint64_t *rows, uint64_t *bytes)
{
	char why[256] = "";
	int err;

	err = mp_table_check(&table, said, MAX_BYTES, rows, bytes, why,
			     sizeof(why));
	if (err)
		assert_non_null(strstr(why, "thing"));
	return err;
}

static void rows_come_back_from_their_planes(void **state)
{
	struct thing before[50];
	struct thing after[50];
	uint8_t planes[50 * 40];
	uint64_t bytes;
	uint64_t rows;
	json_t *said;

	(void)state;
	fill(before, 50);
	assert_int_equal(mp_table_packed(&table, 50), 50 * 40);
	mp_table_pack(&table, before, 50, planes);
	said = mp_table_describe(&table, 50);
	assert_int_equal(check(said, &rows, &bytes), 0);
	assert_int_equal(rows, 50);
	assert_int_equal(bytes, 50 * 40);
	memset(after, 0, sizeof(after));
	mp_table_unpack(&table, said, planes, after);
	assert_memory_equal(before, after, sizeof(before));
	json_decref(said);
}

static void a_plane_holds_one_byte_of_each_row(void **state)
{
	struct thing rows[2];
	uint8_t planes[80];

	(void)state;
	fill(rows, 2);
	mp_table_pack(&table, rows, 2, planes);
	/* a: 01020304 and 01020305, lowest byte first. */
	assert_memory_equal(planes, "\x04\x05\x03\x03\x02\x02\x01\x01", 8);
	/* b: 0506 and 0507. */
	assert_memory_equal(planes + 8, "\x06\x07\x05\x05", 4);
}

static void no_rows_are_no_bytes(void **state)
{
	uint64_t bytes = 1;
	uint64_t rows = 1;
	json_t *said = mp_table_describe(&table, 0);

	(void)state;
	assert_int_equal(check(said, &rows, &bytes), 0);
	assert_int_equal(rows, 0);
	assert_int_equal(bytes, 0);
	mp_table_unpack(&table, said, NULL, NULL);
	json_decref(said);
}

static void a_column_that_an_older_file_lacks_reads_as_zero(void **state)
{
	static const uint8_t planes[] = { 7, 8, 0, 0, 1, 2 };
	struct thing rows[2];
	uint64_t bytes;
	uint64_t n;
	json_t *said;

	(void)state;
	said = json_pack("{s:s,s:i,s:[[sii],[sii]]}", "table", "thing", "rows",
			 2, "columns", "b", 2, 1, "pair.x", 1, 1);
	assert_int_equal(check(said, &n, &bytes), 0);
	assert_int_equal(bytes, sizeof(planes));
	memset(rows, 0, sizeof(rows));
	mp_table_unpack(&table, said, planes, rows);
	assert_int_equal(rows[0].b, 7);
	assert_int_equal(rows[1].b, 8);
	assert_int_equal(rows[0].pair[0].x, 1);
	assert_int_equal(rows[1].pair[0].x, 2);
	assert_int_equal(rows[1].pair[1].x, 0);
	assert_int_equal(rows[1].a, 0);
	json_decref(said);
}

static void a_description_that_cannot_be_is_refused(void **state)
{
	static const char *const wrong[] = {
		"null",
		"[]",
		"{}",
		"{\"rows\":1}",
		"{\"columns\":[]}",
		"{\"rows\":\"1\",\"columns\":[]}",
		"{\"rows\":1.5,\"columns\":[]}",
		"{\"rows\":-1,\"columns\":[]}",
		"{\"rows\":1,\"columns\":{}}",
		"{\"rows\":1,\"columns\":[1]}",
		"{\"rows\":1,\"columns\":[[]]}",
		"{\"rows\":1,\"columns\":[[\"a\",4]]}",
		"{\"rows\":1,\"columns\":[[\"a\",4,1,1]]}",
		"{\"rows\":1,\"columns\":[[4,4,1]]}",
		"{\"rows\":1,\"columns\":[[\"z\",4,1]]}",
		"{\"rows\":1,\"columns\":[[\"a\",8,1]]}",
		"{\"rows\":1,\"columns\":[[\"a\",-4,1]]}",
		"{\"rows\":1,\"columns\":[[\"a\",4,0]]}",
		"{\"rows\":1,\"columns\":[[\"a\",4,-1]]}",
		"{\"rows\":1,\"columns\":[[\"a\",4,2]]}",
		"{\"rows\":1,\"columns\":[[\"list\",8,4]]}",
		"{\"rows\":1,\"columns\":[[\"a\",4,1],[\"a\",4,1]]}",
		"{\"rows\":1,\"columns\":[[\"a\",4,1],[\"b\",2,1],"
		"[\"list\",8,3],[\"pair.x\",1,2],[\"pair.y\",4,2],"
		"[\"a\",4,1]]}",
		"{\"rows\":9223372036854775807,\"columns\":[[\"a\",4,1]]}",
		"{\"rows\":1000001,\"columns\":[[\"a\",4,1]]}",
		/* No planes at all, yet rows that would fill memory. */
		"{\"rows\":900000,\"columns\":[]}",
	};
	uint64_t bytes;
	uint64_t rows;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		json_t *said = json_loads(wrong[i], JSON_DECODE_ANY, NULL);

		assert_non_null(said);
		if (!check(said, &rows, &bytes))
			fail_msg("%s", wrong[i]);
		json_decref(said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_back_from_their_planes),
		cmocka_unit_test(a_plane_holds_one_byte_of_each_row),
		cmocka_unit_test(no_rows_are_no_bytes),
		cmocka_unit_test(a_column_that_an_older_file_lacks_reads_as_zero),
		cmocka_unit_test(a_description_that_cannot_be_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
