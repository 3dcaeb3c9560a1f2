// SPDX-License-Identifier: GPL-2.0
/* Memory that is kept: it grows, and what it held changes no result. */
#include "backend/sim_room.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "backend/sim_chase.h"
#include "made_batch.h"
#include "made_machine.h"

#define KIB 1024ull

static void what_fits_is_the_same_memory_again(void **state)
{
	struct mp_sim_room room = { 0 };
	char *at, *other;

	(void)state;
	at = mp_sim_room_take(&room, MP_SIM_ROOM_SUM, 1000);
	assert_non_null(at);
	assert_int_equal((uintptr_t)at % 64, 0);
	memset(at, 1, 1000);
	assert_ptr_equal(mp_sim_room_take(&room, MP_SIM_ROOM_SUM, 10), at);
	other = mp_sim_room_take(&room, MP_SIM_ROOM_BEFORE, 1000);
	assert_ptr_not_equal(other, at);
	at = mp_sim_room_take(&room, MP_SIM_ROOM_SUM, 1 << 20);
	assert_non_null(at);
	memset(at, 2, 1 << 20);
	mp_sim_room_free(&room);
	assert_null(room.at[MP_SIM_ROOM_SUM]);
}

static void what_is_large_can_lie_in_huge_pages(void **state)
{
	const size_t huge = 2u << 20, bytes = 3 * huge + 5;
	struct mp_sim_room room = { 0 };
	char *at;

	(void)state;
	at = mp_sim_room_take(&room, MP_SIM_ROOM_STATE, bytes);
	assert_non_null(at);
	assert_int_equal((uintptr_t)at % huge, 0);
	/* The last of them is all its own. */
	assert_int_equal(room.bytes[MP_SIM_ROOM_STATE] % huge, 0);
	memset(at, 1, bytes);
	assert_ptr_equal(mp_sim_room_take(&room, MP_SIM_ROOM_STATE, bytes), at);
	mp_sim_room_free(&room);
}

static void a_batch_does_not_depend_on_those_before_it(void **state)
{
	static const char text[] =
		"level name=l1d size=4K ways=4 latency=4 policy=tree-plru\n"
		"level name=l2 size=16K ways=8 latency=14 "
		"policy=qlru_h11_m1_r0_u0\n"
		"tlb level=1 page=4K entries=8 ways=full\nwalk cost=30\n";
	static const uint64_t sizes[] = { 64 * KIB, 2 * KIB, 8 * KIB,
					  256 * KIB, 16 * KIB, 64 * KIB };
	struct mp_sim_room room = { 0 };
	struct mp_sim_machine machine;
	struct mp_batch kept, fresh;
	struct mp_exp exp;

	(void)state;
	made_machine(&machine, text);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		mp_exp_chase(&exp, 0, MP_PAGES_4K, sizes[i], 64, 0);
		exp.actor[0].warm_hops = 20000;
		mp_batch_init(&kept, &exp, 0);
		mp_batch_init(&fresh, &exp, 0);
		assert_int_equal(mp_sim_chase(&machine, 1, &room, &kept), 0);
		assert_int_equal(mp_sim_chase(&machine, 1, NULL, &fresh), 0);
		assert_true(made_batch_equal(&kept, &fresh));
		mp_batch_free(&kept);
		mp_batch_free(&fresh);
	}
	mp_sim_room_free(&room);
	mp_sim_machine_free(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_the_same_memory_again),
		cmocka_unit_test(what_is_large_can_lie_in_huge_pages),
		cmocka_unit_test(a_batch_does_not_depend_on_those_before_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
