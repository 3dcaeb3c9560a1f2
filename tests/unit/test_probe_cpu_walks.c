// SPDX-License-Identifier: GPL-2.0
/* Simulated machines whose TLBs end where a level does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "probe/cpu_walks.h"

#define ARENA_BYTES (4u << 20)
#define KIB 1024.0

static struct made_sim sim;

/* Walks take as long as misses of the third level, from 512 KiB on; hits of the
 * second TLB as long as those of the second level, from 64 KiB on. */
#define MACHINE(l2) \
	"machine name=a clock_mhz=3500 memory_latency=103\n" \
	"clock tsc_mhz=3100 step=1 read=87\n" \
	"place pages=random thp=refused\n" \
	"level name=l1d size=32K ways=8 latency=6\n" \
	"level name=l2 size=176K ways=11 latency=25 index=physical " l2 "\n" \
	"level name=l3 size=640K ways=4 latency=42 index=physical\n" \
	"tlb level=1 page=4K entries=16 ways=16\n" \
	"tlb level=2 page=4K entries=128 ways=8 cost=13\n" \
	"walk cost=70 page=all\nnoise gaps=0.02 seen=yes\n"

static void ask(const char *text)
{
	made_sim_open(&sim, text);
	sim.view.quiet = MP_WISH_PREFETCH_OFF;
	sim.view.caps |= MP_CAP_SEQUENCE;
	sim.view.arena_max_bytes = ARENA_BYTES;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
}

/* Their hops made up for a fifth of the third level, and all but a ninth of the
 * second one. */
static void dear_pages_are_no_misses(void **state)
{
	(void)state;
	ask(MACHINE("policy=random inclusion=inclusive"));
	made_sim_not_wrong(&sim, "cpu.l3.size", 640 * KIB, 0.125);
	assert_true(made_sim_fact(&sim, "cpu.l2.size")->low > 140 * KIB);
	made_sim_close(&sim);
}

/* Where all pages have to be walked for, of the eight hops in each the first;
 * where all are known, none. */
static void shares_are_those_of_first_hops(void **state)
{
	struct mp_cpu_edges edges;
	struct mp_cpu_walks walks;

	(void)state;
	ask(MACHINE(""));
	made_sim_not_wrong(&sim, "cpu.l2.size", 176 * KIB, 0.125);
	assert_int_equal(made_sim_fact(&sim, "cpu.l2.size")->verdict,
			 MP_MEASURED);
	assert_int_equal(mp_cpu_edges_find(&sim.view, &edges), 0);
	mp_cpu_walks_find(&edges, &edges.side[0], 2, &walks);
	assert_true(walks.n > 3);
	assert_true(mp_cpu_walks_at(&walks, 700 * KIB) > 0.1);
	assert_true(mp_cpu_walks_at(&walks, 700 * KIB) < 0.14);
	assert_true(mp_cpu_walks_at(&walks, 450 * KIB) < 0.01);
	mp_cpu_walks_find(&edges, &edges.side[0], 0, &walks);
	assert_true(walks.n > 0 && walks.length[0] < 64 * KIB);
	assert_true(walks.share[0] == 0);
	mp_cpu_edges_free(&edges);
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dear_pages_are_no_misses),
		cmocka_unit_test(shares_are_those_of_first_hops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
