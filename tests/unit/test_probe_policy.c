// SPDX-License-Identifier: GPL-2.0
/* Probe policy on simulated machines whose policies are stated. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "made_view.h"
#include "sim_ask.h"
#include "temp_folder.h"

#define KIB 1024.0

/* A machine of two levels that are asked and one behind them. */
struct asked {
	const char *policy[2];
	uint32_t ways[2];
	const char *more;	/* further lines of the file, or "" */
	const char *l2;		/* further keys of the second level, or "" */
	double told_ways;	/* of the first level; 0 = those that it has */
	double line;		/* that an earlier probe has found, 0 = 64 */
};

static struct sim_ask ask;

static void tell(const struct asked *a)
{
	const double ways = a->told_ways > 0 ? a->told_ways : a->ways[0];

	const double line = a->line > 0 ? a->line : 64;

	sim_ask_know(&ask, "cpu.l1d.line", line);
	sim_ask_know(&ask, "cpu.l2.line", line);
	sim_ask_know(&ask, "cpu.l3.line", line);
	sim_ask_know(&ask, "cpu.l1d.size", a->ways[0] * 4 * KIB);
	sim_ask_know(&ask, "cpu.l1d.ways", ways);
	sim_ask_know(&ask, "cpu.l1d.latency", 4 / 3.0);
	sim_ask_know(&ask, "cpu.l2.size", a->ways[1] * 64 * KIB);
	sim_ask_know(&ask, "cpu.l2.ways", a->ways[1]);
	sim_ask_know(&ask, "cpu.l2.latency", 14 / 3.0);
	sim_ask_know(&ask, "cpu.l3.size", 16 * KIB * KIB);
	sim_ask_know(&ask, "cpu.l3.latency", 50 / 3.0);
	sim_ask_know(&ask, "cpu.dram.latency", 250 / 3.0);
}

static void know(const char *level, const char *what, double value)
{
	char name[32];

	snprintf(name, sizeof(name), "cpu.%s.%s", level, what);
	sim_ask_know(&ask, name, value);
}

/* At 3 GHz. */
static void know_level(const char *level, uint32_t line, uint32_t kib,
		       uint32_t ways, uint32_t cycles)
{
	know(level, "line", line);
	know(level, "size", kib * KIB);
	know(level, "ways", ways);
	know(level, "latency", cycles / 3.0);
}

static void put(const struct asked *a)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "machine name=x clock_mhz=3000 memory_latency=250\n"
		 "level name=l1d size=%uK ways=%u latency=4 policy=%s\n"
		 "level name=l2 size=%uK ways=%u latency=14 policy=%s %s\n"
		 "level name=l3 size=16M ways=16 latency=50\n"
		 "%swalk cost=30\n%s\n",
		 a->ways[0] * 4, a->ways[0], a->policy[0], a->ways[1] * 64,
		 a->ways[1], a->policy[1], a->l2,
		 strstr(a->more, "tlb") ? "" :
		 "tlb level=1 page=4K entries=64 ways=4\n"
		 "tlb level=1 page=2M entries=32 ways=full\n"
		 "tlb level=2 page=4K entries=1536 ways=12 cost=7\n",
		 a->more);
	tell(a);
	sim_ask(&ask, text, mp_probe_find("policy"), 5);
}

static void found(const char *name, const char *class)
{
	const struct mp_fact *fact = sim_ask_fact(&ask, name);

	if (fact->verdict != MP_MEASURED || !fact->is_text ||
	    strcmp(fact->text, class))
		fail_msg("%s: %s '%s', '%s' expected; %s", name,
			 mp_verdict_name(fact->verdict), fact->text, class,
			 fact->reason);
	assert_true(fact->n_evidence >= 6);
	assert_true(isnan(fact->confidence));
}

static void cannot(const char *name, const char *why)
{
	const struct mp_fact *fact = sim_ask_fact(&ask, name);

	assert_int_equal(fact->verdict, MP_NOT_MEASURABLE);
	if (!strstr(fact->reason, why))
		fail_msg("%s: '%s', not '%s'", name, fact->reason, why);
}

static void both_are(const char *policy, const char *class, uint32_t inner,
		     uint32_t outer, const char *more)
{
	const struct asked a = { { policy, policy }, { inner, outer }, more,
				 "", 0, 0 };

	put(&a);
	found("cpu.l1d.policy", class);
	found("cpu.l2.policy", class);
	cannot("cpu.l3.policy", "slices");
	sim_ask_free(&ask);
}

static void all_are_found(const char *more)
{
	both_are("lru", "lru", 8, 16, more);
	both_are("fifo", "fifo", 12, 8, more);
	both_are("random", "random", 8, 8, more);
	both_are("tree-plru", "plru", 8, 16, more);
	both_are("bit-plru", "mru", 8, 12, more);
	both_are("nru", "mru", 4, 8, more);
	both_are("srrip", "srrip", 8, 16, more);
	both_are("qlru_h00_m1_r2_u1", "qlru", 8, 8, more);
	both_are("qlru_h11_m1_r0_u0", "qlru", 12, 16, more);
}

static void each_class_is_found_in_both_levels(void **state)
{
	(void)state;
	all_are_found("");
}

/* A miss takes nine ticks of a clock that moves by 26. */
static void a_clock_that_hides_a_hop_is_seen_through(void **state)
{
	(void)state;
	all_are_found("clock tsc_mhz=2600 step=26\nnoise gaps=0.02");
}

static void gaps_of_eight_per_cent_are_no_misses(void **state)
{
	(void)state;
	all_are_found("clock tsc_mhz=2600 step=26\nnoise gaps=0.08 seen=no");
}

static void levels_with_different_policies_are_kept_apart(void **state)
{
	const struct asked a = { { "tree-plru", "fifo" }, { 8, 8 }, "", "",
				 0, 0 };

	(void)state;
	put(&a);
	found("cpu.l1d.policy", "plru");
	found("cpu.l2.policy", "fifo");
}

static void classes_that_two_ways_do_not_tell_apart_are_named(void **state)
{
	const struct asked a = { { "lru", "lru" }, { 2, 8 }, "", "", 0, 0 };

	(void)state;
	put(&a);
	cannot("cpu.l1d.policy", "lru or plru or mru");
	found("cpu.l2.policy", "lru");
}

static void small_pages_hide_the_sets_of_the_second_level(void **state)
{
	const struct asked a = { { "lru", "lru" }, { 8, 8 },
				 "place thp=refused", "", 0, 0 };

	(void)state;
	put(&a);
	found("cpu.l1d.policy", "lru");
	cannot("cpu.l2.policy", "huge pages");
}

/* .. but not where it is indexed by virtual address: lines do go as one policy
 * has it, and only a set makes them. Any line may go for other reasons. */
static void a_level_that_small_pages_do_not_scatter_is_known_by_what_goes(
	void **state)
{
	(void)state;
	put(&(struct asked){ { "lru", "srrip" }, { 8, 8 },
			     "place thp=refused", "index=virtual", 0, 0 });
	found("cpu.l2.policy", "srrip");
	sim_ask_free(&ask);
	put(&(struct asked){ { "lru", "random" }, { 8, 8 },
			     "place thp=refused", "index=virtual", 0, 0 });
	cannot("cpu.l2.policy", "huge pages");
}

/* No huge page is there to keep walks within. */
static void small_pages_leave_walks_as_long_as_they_are(void **state)
{
	(void)state;
	know_level("l1d", 64, 39, 6, 5);
	know("l1d", "sector", 32);
	know_level("l2", 64, 448, 8, 14);
	know("l2", "sector", 64);
	sim_ask_know(&ask, "cpu.dram.latency", 250 / 3.0);
	sim_ask(&ask, "machine name=x clock_mhz=3000 memory_latency=250\n"
		"level name=l1d size=39K ways=6 sector=32 latency=5 "
		"policy=fifo\n"
		"level name=l2 size=448K ways=8 latency=14 policy=lru "
		"index=virtual\n"
		"tlb level=1 page=4K entries=64 ways=4\nwalk cost=30\n"
		"place thp=refused\n", mp_probe_find("policy"), 5);
	found("cpu.l2.policy", "lru");
}

/* It includes the first one, and has room for 32 lines of one of its sets, of
 * 36 that are accessed. */
static void lines_that_are_there_at_once_are_few(void **state)
{
	(void)state;
	know_level("l1d", 64, 96, 12, 5);
	know_level("l2", 64, 256, 4, 13);
	sim_ask_know(&ask, "cpu.dram.latency", 250 / 3.0);
	sim_ask(&ask, "machine name=x clock_mhz=3000 memory_latency=250\n"
		"level name=l1d size=96K ways=12 latency=5 policy=srrip\n"
		"level name=l2 size=256K ways=4 latency=13 "
		"inclusion=inclusive policy=qlru_h00_m1_r2_u1\n"
		"tlb level=1 page=2M entries=32 ways=full\nwalk cost=30\n",
		mp_probe_find("policy"), 5);
	found("cpu.l1d.policy", "srrip");
	found("cpu.l2.policy", "qlru");
}

/* Sets of 80 KiB a way begin anew elsewhere in the next huge page, which more
 * lines of one set would need. */
static void fewer_lines_fit_a_huge_page(void **state)
{
	(void)state;
	know_level("l1d", 32, 128, 16, 4);
	know_level("l2", 32, 320, 4, 14);
	sim_ask_know(&ask, "cpu.dram.latency", 250 / 3.0);
	sim_ask(&ask, "machine name=x clock_mhz=3000 memory_latency=250\n"
		"level name=l1d size=128K ways=16 line=32 latency=4 "
		"policy=nru\n"
		"level name=l2 size=320K ways=4 line=32 latency=14 "
		"policy=qlru_h00_m1_r2_u1\n"
		"tlb level=1 page=2M entries=32 ways=full\nwalk cost=30\n",
		mp_probe_find("policy"), 5);
	found("cpu.l1d.policy", "mru");
	found("cpu.l2.policy", "qlru");
}

/* Sets begin anew after 3 KiB inside and 88 KiB here: a huge page has seven
 * lines of one set in both, but 23 of one set here. */
static void lines_leave_the_level_inside_kind_by_kind(void **state)
{
	(void)state;
	know_level("l1d", 64, 24, 8, 4);
	know("l1d", "sector", 64);
	know_level("l2", 64, 704, 8, 14);
	know("l2", "sector", 64);
	sim_ask_know(&ask, "cpu.dram.latency", 250 / 3.0);
	sim_ask(&ask, "machine name=x clock_mhz=3000 memory_latency=250\n"
		"level name=l1d size=24K ways=8 latency=4 policy=tree-plru\n"
		"level name=l2 size=704K ways=8 latency=14 policy=lru\n"
		"tlb level=1 page=2M entries=32 ways=full\nwalk cost=30\n",
		mp_probe_find("policy"), 5);
	found("cpu.l2.policy", "lru");
}

/* Six turns of its ways leave hardly any line in the first level. */
static void a_level_that_puts_out_any_line_does_not_hide_the_next(void **state)
{
	(void)state;
	put(&(struct asked){ { "random", "lru" }, { 4, 8 }, "", "", 0, 0 });
	found("cpu.l1d.policy", "random");
	found("cpu.l2.policy", "lru");
	sim_ask_free(&ask);
	put(&(struct asked){ { "random", "nru" }, { 4, 8 }, "", "", 0, 0 });
	found("cpu.l2.policy", "mru");
}

/* What leaves the first level goes to the second one, which puts it out later. */
static void lines_leave_two_levels_one_after_the_other(void **state)
{
	(void)state;
	sim_ask_know(&ask, "cpu.l3.ways", 16);
	sim_ask_know_text(&ask, "cpu.l2.inclusion", "exclusive");
	put(&(struct asked){ { "tree-plru", "bit-plru" }, { 8, 12 }, "",
			     "inclusion=exclusive", 0, 0 });
	found("cpu.l3.policy", "lru");
}

/* Lines that leave the levels inside far outnumber those of the first one. */
static void what_is_not_looked_at_need_not_stay_in_a_control(void **state)
{
	(void)state;
	know_level("l1d", 256, 10, 20, 4);
	know("l1d", "sector", 256);
	know_level("l2", 256, 96, 12, 11);
	know("l2", "sector", 256);
	sim_ask_know(&ask, "cpu.dram.latency", 250 / 3.0);
	ask.quiet = MP_WISH_PREFETCH_OFF;
	sim_ask(&ask, "machine name=x clock_mhz=3000 memory_latency=250\n"
		"level name=l1d size=10K ways=20 line=256 latency=4 "
		"policy=lru\n"
		"level name=l2 size=96K ways=12 line=256 latency=11 "
		"policy=srrip\n"
		"tlb level=1 page=4K entries=4 ways=full\n"
		"tlb level=2 page=4K entries=256 ways=8 cost=7\nwalk cost=30\n",
		mp_probe_find("policy"), 5);
	found("cpu.l2.policy", "srrip");
}

/* A hit of the first level takes three cycles less, and a miss 400 more. */
static void noise_is_no_hit_inside(void **state)
{
	(void)state;
	know_level("l1d", 64, 32, 8, 4);
	know_level("l2", 64, 512, 8, 7);
	sim_ask_know(&ask, "cpu.dram.latency", 400 / 3.0);
	sim_ask(&ask, "machine name=x clock_mhz=3000 memory_latency=400\n"
		"level name=l1d size=32K ways=8 latency=4\n"
		"level name=l2 size=512K ways=8 latency=7 policy=fifo\n"
		"clock tsc_mhz=2600 step=26\nnoise gaps=0.04 seen=no\n",
		mp_probe_find("policy"), 5);
	found("cpu.l2.policy", "fifo");
}

/* It has four times the ways that it is told to have. */
static void lines_that_stay_in_the_first_level_are_seen(void **state)
{
	(void)state;
	put(&(struct asked){ { "lru", "lru" }, { 48, 8 }, "", "", 8, 0 });
	cannot("cpu.l2.policy", "lines stay in the level inside");
}

/* Ages do nearly the same with so few ways. */
static void walks_are_chosen_for_what_is_left(void **state)
{
	(void)state;
	put(&(struct asked){ { "nru", "lru" }, { 2, 3 }, "", "", 0, 0 });
	found("cpu.l1d.policy", "mru");
	found("cpu.l2.policy", "lru");
}

/* Each line of a set lies in a page of its own, and a translation that comes
 * from the second TLB takes as long as a miss. */
static void translations_are_no_misses(void **state)
{
	static const char tlbs[] =
		"tlb level=1 page=4K entries=10 ways=full\n"
		"tlb level=2 page=4K entries=1536 ways=12 cost=9";

	(void)state;
	both_are("lru", "lru", 8, 16, tlbs);
	both_are("fifo", "fifo", 8, 16, tlbs);
	both_are("srrip", "srrip", 12, 16, tlbs);
	both_are("tree-plru", "plru", 8, 8, tlbs);
	both_are("random", "random", 8, 8, tlbs);
}

/* Its slots have room for two visits in one line. */
static void a_line_of_32_bytes_is_visited_twice(void **state)
{
	const struct asked a = { { "tree-plru", "lru" }, { 8, 8 }, "", "",
				 0, 32 };

	(void)state;
	put(&a);
	found("cpu.l1d.policy", "plru");
	for (uint32_t i = 0; i < ask.view.n_batches; i++) {
		const struct mp_exp *exp = &ask.batch[i]->exp;

		for (uint32_t k = 0; k < exp->n_steps; k++) {
			uint32_t visits = 0;

			for (uint32_t m = 0; m < exp->n_steps; m++)
				visits += exp->steps[m] / 4 ==
					  exp->steps[k] / 4;
			assert_true(visits <= 2);
		}
	}
}

/* .. and is not flushed then: some stay from burst to burst. */
static void lines_that_stay_from_burst_to_burst_are_expected(void **state)
{
	(void)state;
	know("l1d", "line", 32);
	know("l1d", "size", 13824);
	know("l1d", "ways", 27);
	know("l1d", "latency", 1);
	know_level("l2", 32, 128, 32, 9);
	sim_ask_know(&ask, "cpu.dram.latency", 250 / 3.0);
	sim_ask(&ask, "machine name=x clock_mhz=3000 memory_latency=250\n"
		"level name=l1d size=13824 ways=27 line=32 latency=3 "
		"policy=srrip\n"
		"level name=l2 size=128K ways=32 line=32 latency=9\n"
		"tlb level=1 page=2M entries=32 ways=full\nwalk cost=30\n",
		mp_probe_find("policy"), 5);
	found("cpu.l1d.policy", "srrip");
}

/* Nothing has said how much a miss brings in: it is half of a slot. */
static void sectors_that_are_not_there_yet_are_no_misses(void **state)
{
	(void)state;
	put(&(struct asked){ { "nru sector=32", "lru" }, { 8, 16 }, "", "",
			     0, 0 });
	found("cpu.l1d.policy", "mru");
	found("cpu.l2.policy", "lru");
	sim_ask_free(&ask);
	put(&(struct asked){ { "tree-plru", "nru sector=32" }, { 8, 16 }, "",
			     "", 0, 0 });
	found("cpu.l1d.policy", "plru");
	found("cpu.l2.policy", "mru");
}

/* Lines leave both levels inside before they are looked at. */
static void a_third_level_that_is_not_hashed_is_asked_too(void **state)
{
	(void)state;
	sim_ask_know(&ask, "cpu.l3.ways", 16);
	put(&(struct asked){ { "lru", "srrip" }, { 8, 8 }, "", "", 0, 0 });
	found("cpu.l2.policy", "srrip");
	found("cpu.l3.policy", "lru");
}

/* 83 sets: no size tells that they begin anew after so many bytes. */
static void a_distance_that_was_seen_is_better_than_a_size(void **state)
{
	const struct mp_point point = { .x = 5312, .value = 4 };
	struct mp_where where;
	struct mp_series *series;

	(void)state;
	mp_where_cpu(&where, 0);
	series = mp_facts_add_series(&ask.known, "cpu.l1d.ways", &where);
	assert_non_null(series);
	assert_int_equal(mp_series_add(series, &point), 0);
	sim_ask_know(&ask, "cpu.l1d.line", 64);
	sim_ask_know(&ask, "cpu.l1d.size", 21504);
	sim_ask_know(&ask, "cpu.l1d.ways", 4);
	sim_ask_know(&ask, "cpu.l1d.latency", 1);
	sim_ask_know(&ask, "cpu.l2.latency", 4);
	sim_ask(&ask, "machine name=x clock_mhz=3000 memory_latency=250\n"
		"level name=l1d size=21248 ways=4 latency=3 policy=tree-plru\n"
		"level name=l2 size=256K ways=16 latency=12\n"
		"tlb level=1 page=2M entries=32 ways=full\nwalk cost=30\n",
		mp_probe_find("policy"), 5);
	found("cpu.l1d.policy", "plru");
}

/* Lines enter an exclusive level when they leave the one inside: a hit takes
 * its line away, and even fifo would look like lru. */
static void an_exclusive_level_is_not_taken_for_another_policy(void **state)
{
	static const char *const policy[] = { "fifo", "lru", "tree-plru" };

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		const struct asked a = { { "lru", policy[i] }, { 8, 8 }, "",
					 "inclusion=exclusive", 0, 0 };

		put(&a);
		cannot("cpu.l2.policy", "no policy known here");
		sim_ask_free(&ask);
	}
}

static void an_inclusive_level_is_like_any_other(void **state)
{
	const struct asked a = { { "lru", "srrip" }, { 8, 16 }, "",
				 "inclusion=inclusive", 0, 0 };

	(void)state;
	put(&a);
	found("cpu.l2.policy", "srrip");
}

/* Eight ways in each of four slices, and others of the walk on the same: they put
 * lines out of the second level, and another policy of ages explains that. */
static void what_an_inclusive_level_puts_out_shows_no_policy(void **state)
{
	(void)state;
	know_level("l1d", 64, 64, 4, 5);
	know("l1d", "sector", 32);
	know_level("l2", 64, 128, 4, 9);
	know("l3", "size", 512 * KIB);
	know("l3", "latency", 18 / 3.0);
	sim_ask_know(&ask, "cpu.dram.latency", 250 / 3.0);
	sim_ask(&ask, "machine name=x clock_mhz=3000 memory_latency=250\n"
		"level name=l1d size=64K ways=4 sector=32 latency=5 "
		"policy=nru\n"
		"level name=l2 size=128K ways=4 latency=9 policy=srrip "
		"inclusion=inclusive\n"
		"level name=l3 size=512K ways=8 line=128 latency=18 slices=4 "
		"inclusion=inclusive\n"
		"clock tsc_mhz=3000\n", mp_probe_find("policy"), 5);
	cannot("cpu.l2.policy", "put them out");
}

/* Lines of a set of the first level are too many for those of the second, which
 * does not include it; the third, of which that is not known, has room for them:
 * none of them was behind that. Or it has not, and puts some out. */
static void what_only_the_next_level_has_lost_was_not_put_out(void **state)
{
	static const char *const third[] = {
		"size=24K ways=16 policy=nru",
		"size=32K ways=1 slices=2 inclusion=inclusive",
	};
	struct mp_where where;

	(void)state;
	mp_where_cpu(&where, 0);
	for (uint32_t i = 0; i < 2; i++) {
		char text[512];

		mp_facts_add(&ask.known, "cpu.l4.size", &where)->verdict =
			MP_ABSENT;
		know_level("l1d", 64, 10, 20, 3);
		know_level("l2", 64, 16, 8, 15);
		sim_ask_know_text(&ask, "cpu.l2.inclusion", "non-inclusive");
		know("l3", "latency", 27 / 3.0);
		sim_ask_know(&ask, "cpu.dram.latency", 126 / 3.0);
		snprintf(text, sizeof(text),
			 "machine name=x clock_mhz=3000 memory_latency=126\n"
			 "level name=l1d size=10K ways=20 latency=3 "
			 "policy=bit-plru\n"
			 "level name=l2 size=16K ways=8 latency=15 "
			 "policy=bit-plru\n"
			 "level name=l3 latency=27 %s\n"
			 "clock tsc_mhz=3000\n", third[i]);
		sim_ask(&ask, text, mp_probe_find("policy"), 5);
		if (i)
			cannot("cpu.l1d.policy", "put them out");
		else
			found("cpu.l1d.policy", "mru");
		sim_ask_free(&ask);
	}
}

/* Half of the ways twice as far apart, or twice the ways half as far. */
/* The next line of the first level is the other half of the second one's: a new
 * line is used twice there, and its policy looks like another. */
static void lines_that_are_fetched_along_hide_the_next_policy(void **state)
{
	(void)state;
	know_level("l1d", 64, 32, 8, 4);
	know_level("l2", 128, 512, 8, 14);
	sim_ask_know(&ask, "cpu.dram.latency", 250 / 3.0);
	sim_ask(&ask, "machine name=x clock_mhz=3000 memory_latency=250\n"
		"level name=l1d size=32K ways=8 latency=4\n"
		"level name=l2 size=512K ways=8 line=128 latency=14 "
		"policy=srrip\n"
		"prefetch kind=next into=l1d switch=no\n"
		"clock tsc_mhz=3000\n", mp_probe_find("policy"), 5);
	cannot("cpu.l2.policy", "used twice");
}

static void ways_that_were_counted_wrong_give_no_policy(void **state)
{
	struct asked a = { { "lru", "lru" }, { 8, 8 }, "", "", 4, 0 };

	(void)state;
	put(&a);
	assert_int_equal(sim_ask_fact(&ask, "cpu.l1d.policy")->verdict,
			 MP_NOT_MEASURABLE);
	sim_ask_free(&ask);
	a.told_ways = 16;
	put(&a);
	assert_int_equal(sim_ask_fact(&ask, "cpu.l1d.policy")->verdict,
			 MP_NOT_MEASURABLE);
}

static void lines_that_hold_too_few_steps_are_refused(void **state)
{
	const struct asked a = { { "lru", "lru" }, { 8, 8 }, "", "", 0, 16 };

	(void)state;
	put(&a);
	cannot("cpu.l1d.policy", "lines so short");
	assert_int_equal(ask.view.n_batches, 0);
}

static void a_plan_costs_little(void **state)
{
	const struct asked a = { { "lru", "lru" }, { 8, 16 },
				 "clock tsc_mhz=2600 step=26", "", 0, 0 };
	uint64_t cost_ns = 0;

	(void)state;
	put(&a);
	for (uint32_t i = 0; i < ask.view.n_batches; i++) {
		const struct mp_batch *batch = ask.batch[i];

		cost_ns += batch->cost_ns;
		assert_true(batch->exp.n_steps <= MP_EXP_STEPS);
		assert_true(batch->exp.arena[0].bytes <= 16u << 20);
	}
	/* A fiftieth of a run of usual depth. */
	assert_true(cost_ns < 250000000);
	assert_true(ask.view.n_batches <= 220);
}

static void what_is_absent_has_no_policy(void **state)
{
	struct made_view made;
	struct made_cpu cpu;

	(void)state;
	made_cpu_usual(&cpu);
	made_view_open(&made, &cpu, MP_DEPTH_DEFAULT);
	made_view_know_absent(&made, "cpu.l2.size");
	made_view_know_absent(&made, "cpu.l3.size");
	made_view_ask(&made, mp_probe_find("policy"));
	made_fact_ends(&made, "cpu.l1d.policy", MP_NOT_MEASURABLE);
	made_fact_ends(&made, "cpu.l2.policy", MP_ABSENT);
	made_fact_ends(&made, "cpu.l3.policy", MP_ABSENT);
	assert_int_equal(made.asked.batches, 0);
	made_view_close(&made);
}

/* The first level has no more than 32 lines, and a walk twice as many slots:
 * those of one page share lines of its control. */
static void few_lines_are_enough_for_a_control(void **state)
{
	(void)state;
	know_level("l1d", 256, 8, 16, 4);
	sim_ask_know(&ask, "cpu.l2.latency", 11 / 3.0);
	sim_ask(&ask, "machine name=x clock_mhz=3000 memory_latency=250\n"
		"level name=l1d size=8K ways=16 line=256 latency=4 policy=srrip\n"
		"level name=l2 size=256K ways=16 line=256 latency=11\n"
		"tlb level=1 page=4K entries=4 ways=full\n"
		"tlb level=2 page=4K entries=256 ways=8 cost=7\nwalk cost=30\n",
		mp_probe_find("policy"), 5);
	found("cpu.l1d.policy", "srrip");
}

static void every_fact_is_answered_whatever_happens(void **state)
{
	(void)state;
	made_probe_always_answers("policy");
}

static int forget(void **state)
{
	(void)state;
	sim_ask_free(&ask);
	return 0;
}

#define TEST(f) cmocka_unit_test_teardown(f, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_class_is_found_in_both_levels),
		TEST(a_clock_that_hides_a_hop_is_seen_through),
		TEST(gaps_of_eight_per_cent_are_no_misses),
		TEST(levels_with_different_policies_are_kept_apart),
		TEST(classes_that_two_ways_do_not_tell_apart_are_named),
		TEST(small_pages_hide_the_sets_of_the_second_level),
		TEST(a_level_that_small_pages_do_not_scatter_is_known_by_what_goes),
		TEST(small_pages_leave_walks_as_long_as_they_are),
		TEST(lines_that_are_there_at_once_are_few),
		TEST(fewer_lines_fit_a_huge_page),
		TEST(lines_leave_the_level_inside_kind_by_kind),
		TEST(a_level_that_puts_out_any_line_does_not_hide_the_next),
		TEST(lines_leave_two_levels_one_after_the_other),
		TEST(what_is_not_looked_at_need_not_stay_in_a_control),
		TEST(noise_is_no_hit_inside),
		TEST(lines_that_stay_in_the_first_level_are_seen),
		TEST(walks_are_chosen_for_what_is_left),
		TEST(translations_are_no_misses),
		TEST(a_line_of_32_bytes_is_visited_twice),
		TEST(lines_that_stay_from_burst_to_burst_are_expected),
		TEST(sectors_that_are_not_there_yet_are_no_misses),
		TEST(a_third_level_that_is_not_hashed_is_asked_too),
		TEST(a_distance_that_was_seen_is_better_than_a_size),
		TEST(an_exclusive_level_is_not_taken_for_another_policy),
		TEST(an_inclusive_level_is_like_any_other),
		TEST(what_an_inclusive_level_puts_out_shows_no_policy),
		TEST(what_only_the_next_level_has_lost_was_not_put_out),
		TEST(lines_that_are_fetched_along_hide_the_next_policy),
		TEST(ways_that_were_counted_wrong_give_no_policy),
		TEST(lines_that_hold_too_few_steps_are_refused),
		TEST(a_plan_costs_little),
		TEST(what_is_absent_has_no_policy),
		TEST(few_lines_are_enough_for_a_control),
		TEST(every_fact_is_answered_whatever_happens),
	};

	return cmocka_run_group_tests(tests, temp_folder_make,
				      temp_folder_remove);
}
