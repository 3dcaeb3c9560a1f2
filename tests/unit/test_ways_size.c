// SPDX-License-Identifier: GPL-2.0
/* Sizes that edges leave open, and that ways and sets answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "backend.h"
#include "made_sim.h"
#include "probe/ways_size.h"

#define KIB 1024u
#define ARENA_BYTES (64u << 20)

#define HEAD "machine name=x clock_mhz=3000 memory_latency=270\n" \
	     "clock tsc_mhz=3000 step=1 read=40\n" \
	     "tlb level=1 page=4K entries=64 ways=4\n" \
	     "tlb level=1 page=2M entries=32 ways=full\nwalk cost=30\n"
/* No line stays in the first level, so that nothing tells what the second one
 * holds beside it. */
#define OPEN HEAD "level name=l1d size=16K ways=1 latency=4\n" \
	     "level name=l2 size=80K ways=32 latency=14\n"
#define OPEN_LARGE HEAD "level name=l1d size=16K ways=1 latency=4\n" \
	     "level name=l2 size=160K ways=32 latency=14\n"
#define BESIDE HEAD "level name=l1d size=16K ways=8 latency=4 policy=fifo\n" \
	     "level name=l2 size=48K ways=12 latency=14 inclusion=exclusive\n"

#define OUTER HEAD "level name=l1d size=16K ways=8 latency=4\n" \
	     "level name=l2 size=64K ways=8 latency=14\n" \
	     "level name=l3 size=256K ways=8 latency=40 slices=4\n"

/* What hops find behind the second level's edge is the third one's doing. */
#define HIDING "machine name=a clock_mhz=2050 memory_latency=350\n" \
	       "clock tsc_mhz=3800 step=1 read=50\n" \
	       "place pages=random thp=refused huge=0\n" \
	       "level name=l1d size=20K ways=16 latency=3 policy=tree-plru\n" \
	       "level name=l2 size=96K ways=16 latency=14 index=physical " \
	       "policy=qlru_h00_m1_r2_u1 inclusion=exclusive\n" \
	       "level name=l3 size=174K ways=1 latency=24 index=physical " \
	       "inclusion=inclusive\nnoise gaps=0.02\n"

static struct made_sim sim;

static int end(void **state)
{
	(void)state;
	made_sim_close(&sim);
	return 0;
}

static void ask_edges(const char *text)
{
	static const char *const probes[] = {
		"cache-size", "line", "inclusion", "latency", "dram",
	};

	made_sim_open(&sim, text);
	sim.view.caps |= MP_CAP_SEQUENCE | MP_CAP_CORE_CLOCK;
	sim.view.arena_max_bytes = ARENA_BYTES;
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		made_sim_ask(&sim, mp_probe_find(probes[i]));
}

/* As the runner has it. */
static void ask_ways(void)
{
	const struct mp_probe *ways = mp_probe_find("ways");
	const uint32_t before = sim.facts.n;

	made_sim_ask(&sim, ways);
	mp_facts_renew(&sim.facts, before, ways->renews);
}

/* A fact of the run, to be changed. */
static struct mp_fact *fact_of(const char *name)
{
	return &sim.facts.fact[made_sim_fact(&sim, name) - sim.facts.fact];
}

static void ways_and_sets_say_what_the_edge_leaves_open(void **state)
{
	const struct mp_fact *size;
	uint64_t edge;

	(void)state;
	ask_edges(OPEN);
	size = made_sim_fact(&sim, "cpu.l2.size");
	assert_int_equal(size->verdict, MP_AT_LEAST);
	edge = size->evidence[0];
	ask_ways();
	size = made_sim_fact(&sim, "cpu.l2.size");
	assert_int_equal(size->verdict, MP_MEASURED);
	assert_true(size->value == 80 * KIB);
	assert_true(size->low == size->value && size->high == size->value);
	assert_string_equal(size->unit, "bytes");
	assert_string_equal(size->reason, "");
	assert_non_null(strstr(size->method, "32 ways"));
	/* What the edge was seen in is evidence still. */
	for (uint32_t i = 0; i < size->n_evidence && edge; i++)
		if (size->evidence[i] == edge)
			edge = 0;
	assert_true(size->n_evidence > 2 && !edge);
	/* Nobody knows what it holds of the first level, ways included. */
	assert_int_equal(made_sim_fact(&sim, "cpu.l2.inclusion")->verdict,
			 MP_NOT_MEASURABLE);
}

/* What a level outside puts out of this one, too, may make its edge that of another
 * size: ways that were borne out say that it is not. */
static void ways_of_another_size_than_was_measured_dispute_that(void **state)
{
	const struct mp_fact *size;

	(void)state;
	ask_edges(HEAD "level name=l1d size=84K ways=21 line=32 latency=6\n"
		  "level name=l2 size=512K ways=4 line=32 latency=26\n");
	size = made_sim_fact(&sim, "cpu.l1d.size");
	assert_int_equal(size->verdict, MP_MEASURED);
	assert_true(size->low <= 84 * KIB && size->high >= 84 * KIB);
	ask_ways();
	assert_int_equal(made_sim_fact(&sim, "cpu.l1d.size")->verdict, MP_MEASURED);
	made_sim_close(&sim);

	ask_edges(HEAD "level name=l1d size=84K ways=21 line=32 latency=6\n"
		  "level name=l2 size=512K ways=4 line=32 latency=26\n");
	fact_of("cpu.l1d.size")->value = 96 * KIB;
	fact_of("cpu.l1d.size")->low = 90 * KIB;
	fact_of("cpu.l1d.size")->high = 105 * KIB;
	ask_ways();
	size = made_sim_fact(&sim, "cpu.l1d.size");
	assert_int_equal(made_sim_fact(&sim, "cpu.l1d.ways")->value, 21);
	assert_int_equal(size->verdict, MP_DISPUTED);
	assert_true(size->low <= 84 * KIB && size->high >= 105 * KIB);
	assert_non_null(strstr(size->reason, "21 ways"));
}

/* 137 sets of lines that are longer than those inside: of every second line of 68.5 KiB
 * and half as many more a prefetcher that stays on brings the others, and three to a
 * set look like six. */
static void lines_that_come_beside_longer_ones_fill_ways_as_well(void **state)
{
	const struct mp_fact *ways;
	struct mp_fact *line;

	(void)state;
	ask_edges("machine name=x clock_mhz=2700 memory_latency=140\n"
		  "clock tsc_mhz=2800 step=1 read=53\n"
		  "place pages=contiguous thp=refused\n"
		  "level name=l1d size=11K ways=11 latency=3 "
		  "policy=qlru_h00_m1_r2_u1\n"
		  "level name=l2 size=70144 ways=4 line=128 latency=11 "
		  "index=physical\n"
		  "tlb level=1 page=4K entries=64 ways=64\n"
		  "tlb level=2 page=4K entries=2048 ways=16 cost=9\n"
		  "walk cost=43\nprefetch kind=adjacent into=l2 switch=no\n"
		  "prefetch kind=stream into=l1d switch=yes\n");
	line = fact_of("cpu.l2.line");
	line->verdict = MP_MEASURED;
	line->value = line->low = line->high = 128;
	ask_ways();
	ways = made_sim_fact(&sim, "cpu.l2.ways");
	if (ways->verdict == MP_MEASURED && ways->value != 4)
		fail_msg("%.0f ways: %s", ways->value, ways->method);
	assert_int_not_equal(ways->verdict, MP_ABSENT);
}

/* 32 ways of twice as many sets are not among what the limits allow. */
static void a_limit_that_does_not_hold_makes_no_size(void **state)
{
	struct mp_fact *size;

	(void)state;
	ask_edges(OPEN_LARGE);
	size = fact_of("cpu.l2.size");
	size->verdict = MP_AT_LEAST;
	size->value = size->low = 62 * KIB;
	size->high = 83 * KIB;
	ask_ways();
	assert_int_not_equal(made_sim_fact(&sim, "cpu.l2.size")->verdict,
			     MP_MEASURED);
}

/* .. but one that it misses by less than an edge may be off by does. */
static void a_limit_just_below_a_size_does_not_hide_it(void **state)
{
	static const struct {
		double high;
		enum mp_verdict verdict;
	} at[] = {
		{ 79.5 * KIB, MP_MEASURED }, { 77.5 * KIB, MP_AT_LEAST },
	};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct mp_fact *size;

		ask_edges(OPEN);
		size = fact_of("cpu.l2.size");
		assert_int_equal(size->verdict, MP_AT_LEAST);
		size->high = at[i].high;
		ask_ways();
		assert_int_equal(made_sim_fact(&sim, "cpu.l2.size")->verdict,
				 at[i].verdict);
		made_sim_close(&sim);
	}
}

static void more_lines_than_two_levels_share_are_exclusive(void **state)
{
	const struct mp_fact *inclusion;

	(void)state;
	ask_edges(BESIDE);
	inclusion = made_sim_fact(&sim, "cpu.l2.inclusion");
	assert_int_equal(inclusion->verdict, MP_NOT_MEASURABLE);
	ask_ways();
	inclusion = made_sim_fact(&sim, "cpu.l2.inclusion");
	assert_int_equal(inclusion->verdict, MP_MEASURED);
	assert_true(inclusion->is_text);
	assert_string_equal(inclusion->text, "exclusive");
	assert_true(inclusion->n_evidence > 0);
}

/* What is renewed where so many guesses are left. */
static const struct mp_fact *renewed_of(uint32_t k, const char *name,
					struct mp_facts *facts,
					struct mp_ways_guess *guess, uint32_t n)
{
	const struct mp_ways_sets left = { .line = 64, .n = n, .guess = guess };
	const struct mp_ways_found found = {
		.k = k, .left = &left, .is_sized = true, .evidence = { 1, 2 },
	};

	mp_facts_free(facts);
	assert_int_equal(mp_ways_renew(&sim.view, &found, facts), 0);
	return mp_facts_find(facts, name);
}

static const struct mp_fact *renewed(struct mp_facts *facts,
				     struct mp_ways_guess *guess, uint32_t n)
{
	return renewed_of(1, "cpu.l2.size", facts, guess, n);
}

static void what_is_left_has_to_agree_with_the_edge(void **state)
{
	struct mp_ways_guess near[] = {
		{ 2560, 32, false, 1 }, { 2560, 29, false, 0.5 },
	};
	struct mp_ways_guess far[] = {
		{ 2560, 32, false, 1 }, { 2560, 24, false, 1 },
	};
	struct mp_ways_guess large[] = { { 5120, 32, false, 1 } };
	struct mp_ways_guess small[] = { { 2560, 16, false, 1 } };
	struct mp_facts facts = { 0 };
	const struct mp_fact *size;

	(void)state;
	ask_edges(OPEN);
	size = renewed(&facts, near, 2);
	assert_non_null(size);
	assert_int_equal(size->verdict, MP_MEASURED);
	assert_true(size->value == 80 * KIB && size->high == 80 * KIB);
	assert_true(size->low == 29 * 2560);
	assert_null(renewed(&facts, far, 2));
	assert_null(renewed(&facts, large, 1));
	assert_null(renewed(&facts, near, 0));
	size = renewed(&facts, small, 1);
	assert_non_null(size);
	assert_int_equal(size->verdict, MP_DISPUTED);
	/* An edge is not known to the line. */
	fact_of("cpu.l2.size")->low = 81 * KIB;
	assert_int_equal(renewed(&facts, near, 1)->verdict, MP_MEASURED);
	fact_of("cpu.l2.size")->low = 82 * KIB;
	assert_int_equal(renewed(&facts, near, 1)->verdict, MP_DISPUTED);
	mp_facts_free(&facts);
}

static void an_answer_of_another_probe_is_not_gone_against(void **state)
{
	struct mp_ways_guess beside[] = { { 2560, 32, true, 1 } };
	struct mp_ways_guess within[] = { { 2560, 32, false, 1 } };
	struct mp_facts facts = { 0 };
	struct mp_fact *inclusion;

	(void)state;
	ask_edges(OPEN);
	assert_non_null(renewed(&facts, beside, 1));
	assert_non_null(mp_facts_find(&facts, "cpu.l2.inclusion"));
	inclusion = fact_of("cpu.l2.inclusion");
	inclusion->verdict = MP_MEASURED;
	inclusion->is_text = true;
	strcpy(inclusion->text, "non-inclusive");
	assert_null(renewed(&facts, beside, 1));
	assert_non_null(renewed(&facts, within, 1));
	assert_null(mp_facts_find(&facts, "cpu.l2.inclusion"));
	strcpy(inclusion->text, "exclusive");
	assert_null(renewed(&facts, within, 1));
	/* A size that is known stays. */
	inclusion->verdict = MP_NOT_MEASURABLE;
	fact_of("cpu.l2.size")->verdict = MP_MEASURED;
	assert_null(renewed(&facts, within, 1));
	mp_facts_free(&facts);
}

/* Nothing is known of where its edge is, and whose. */
static void without_an_edge_of_its_own_a_level_gets_no_size(void **state)
{
	struct mp_ways_guess within[] = { { 2560, 32, false, 1 } };
	struct mp_facts facts = { 0 };
	uint32_t n;

	(void)state;
	ask_edges(OPEN);
	n = sim.view.n_batches;
	sim.view.n_batches = 0;
	assert_null(renewed(&facts, within, 1));
	sim.view.n_batches = n;
	assert_non_null(renewed(&facts, within, 1));
	mp_facts_free(&facts);
}

static void an_edge_that_may_be_another_level_s_is_not_added_to(void **state)
{
	struct mp_ways_guess beside[] = { { 6144, 16, true, 1 } };
	struct mp_facts facts = { 0 };
	struct mp_fact *size;

	(void)state;
	made_sim_open(&sim, HIDING);
	sim.view.arena_max_bytes = ARENA_BYTES;
	made_sim_ask(&sim, mp_probe_find("cache-size"));
	made_sim_ask(&sim, mp_probe_find("inclusion"));
	size = fact_of("cpu.l2.size");
	size->verdict = MP_AT_LEAST;
	size->low = 90 * KIB;
	size->high = 180 * KIB;
	assert_null(renewed(&facts, beside, 1));
	assert_null(mp_facts_find(&facts, "cpu.l2.inclusion"));
	mp_facts_free(&facts);
}

/* More lines than one set's ways and those inside hold stay in the sets of
 * several slices, too. */
static void slices_are_not_room_beside_what_lies_inside(void **state)
{
	struct mp_ways_guess beside[] = { { 4096, 7, true, 1 } };
	struct mp_ways_guess within[] = { { 32768, 8, false, 1 } };
	struct mp_facts facts = { 0 };
	struct mp_fact *size, *inclusion;

	(void)state;
	ask_edges(OUTER);
	size = fact_of("cpu.l3.size");
	size->verdict = MP_AT_LEAST;
	size->low = 8 * KIB;
	size->high = 300 * KIB;
	inclusion = fact_of("cpu.l3.inclusion");
	inclusion->verdict = MP_NOT_MEASURABLE;
	assert_null(renewed_of(2, "cpu.l3.size", &facts, beside, 1));
	assert_null(mp_facts_find(&facts, "cpu.l3.inclusion"));
	assert_non_null(renewed_of(2, "cpu.l3.size", &facts, within, 1));
	mp_facts_free(&facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(ways_and_sets_say_what_the_edge_leaves_open, end),
		cmocka_unit_test_teardown(ways_of_another_size_than_was_measured_dispute_that, end),
		cmocka_unit_test_teardown(
			lines_that_come_beside_longer_ones_fill_ways_as_well, end),
		cmocka_unit_test_teardown(a_limit_that_does_not_hold_makes_no_size, end),
		cmocka_unit_test(a_limit_just_below_a_size_does_not_hide_it),
		cmocka_unit_test_teardown(more_lines_than_two_levels_share_are_exclusive, end),
		cmocka_unit_test_teardown(what_is_left_has_to_agree_with_the_edge, end),
		cmocka_unit_test_teardown(an_answer_of_another_probe_is_not_gone_against, end),
		cmocka_unit_test_teardown(without_an_edge_of_its_own_a_level_gets_no_size, end),
		cmocka_unit_test_teardown(an_edge_that_may_be_another_level_s_is_not_added_to, end),
		cmocka_unit_test_teardown(slices_are_not_room_beside_what_lies_inside, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
