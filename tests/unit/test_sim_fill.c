// SPDX-License-Identifier: GPL-2.0
/*
 * The first walk of a ring leaves the state that its loads one by one leave,
 * whatever the levels are to one another.
 */
#include "backend/sim_fill.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "made_ring.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define SLOTS 400u
#define SPAN (SLOTS * 192)

static void make_text(char *text, size_t bytes, const char *second,
		      const char *third, const char *const *policy)
{
	snprintf(text, bytes,
		 "machine name=a memory_latency=300\n"
		 "level name=l1d size=1K ways=4 latency=4 policy=%s\n"
		 "level name=l2 size=3K ways=6 latency=14 policy=%s "
		 "inclusion=%s\n"
		 "level name=l3 size=8K ways=8 latency=50 policy=%s "
		 "inclusion=%s slices=2\n"
		 "tlb level=1 page=4K entries=2 ways=2\n"
		 "tlb level=2 page=4K entries=4 ways=2 cost=7\n"
		 "walk cost=30\n",
		 policy[0], policy[1], second, policy[2], third);
}

/* Two machines: a ring is laid in one, and its slots are loaded in the other. */
static void compare(const char *text, uint64_t stride)
{
	struct mp_sim_machine machine;
	struct mp_sim_cores cores;
	struct made_ring made;

	made_ring(&made, text, stride * SLOTS, stride, 0);
	made_cores(&machine, &cores, text, stride * SLOTS);
	for (uint32_t i = 0; i < made.slots; i++)
		mp_sim_memory_load(&cores.memory[0], made.order[i] * stride);
	assert_memory_equal(made.cores.state, cores.state, cores.state_bytes);
	assert_int_equal(made.cores.memory[0].outward,
			 cores.memory[0].outward);
	mp_sim_cores_free(&cores);
	mp_sim_machine_free(&machine);
	made_ring_free(&made);
}

/* A line and its neighbour, each line, or every second one. */
static void a_first_walk_leaves_the_state_that_its_loads_leave(void **state)
{
	static const uint64_t strides[] = { 32, 64, 128, 192 };
	char text[1024];

	(void)state;
	for (size_t i = 0; i < MADE_INCLUSIONS; i++) {
		for (size_t k = 0; k < MADE_INCLUSIONS; k++) {
			for (size_t p = 0; p < MADE_TRIOS; p++) {
				make_text(text, sizeof(text), made_inclusions[i],
					  made_inclusions[k], made_trios[p]);
				for (size_t s = 0; s < COUNT(strides); s++)
					compare(text, strides[s]);
			}
		}
	}
}

static bool is_short(const char *text, uint64_t stride, uint64_t loads)
{
	const struct mp_ring shape = { .length_bytes = SPAN,
				       .stride_bytes = stride };
	struct mp_sim_machine machine;
	struct mp_sim_cores cores;
	struct mp_sim_filler filler;
	bool begun;

	made_cores(&machine, &cores, text, SPAN);
	begun = mp_sim_fill_begin(&filler, &cores, &cores.memory[0], &shape,
				  loads);
	if (begun)
		mp_sim_fill_end(&filler);
	mp_sim_cores_free(&cores);
	mp_sim_machine_free(&machine);
	return begun;
}

static void no_line_comes_twice_on_the_short_way(void **state)
{
	char text[1024];

	(void)state;
	make_text(text, sizeof(text), "inclusive", "exclusive",
		  made_trios[2]);
	assert_true(is_short(text, 64, SLOTS));
	assert_false(is_short(text, 32, SLOTS));
	/* So few that it takes longer to learn how. */
	assert_false(is_short(text, 64, 10));
	strcat(text, "prefetch kind=adjacent into=l2\n");
	assert_false(is_short(text, 64, SLOTS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_first_walk_leaves_the_state_that_its_loads_leave),
		cmocka_unit_test(no_line_comes_twice_on_the_short_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
