// SPDX-License-Identifier: GPL-2.0
/*
 * Probe tlb where something runs beside its rings: simulated machines by a
 * clock too coarse for single hops, of whose samples some are made dearer, as
 * a page of others in a set would.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "made_sim.h"

/* As a guest of a processor of 2024 was found: steps of 10 ns, one set of 96
 * entries, and 256 of 16 ways behind it. */
#define MACHINE "machine name=a clock_mhz=3700 memory_latency=400\n" \
	"clock tsc_mhz=2100 step=21 read=20\n" \
	"place pages=random thp=refused\n" \
	"level name=l1d size=48K ways=12 latency=4\n" \
	"level name=l2 size=1M ways=16 latency=14 index=physical\n" \
	"tlb level=2 page=4K entries=4096 ways=16 cost=7\n" \
	"walk cost=50\n"
#define PAGE 4096u

static struct made_sim sim;

/* How much longer a hop of a batch takes, in ticks. */
typedef double dearer_fn(const struct mp_batch *batch);

static dearer_fn *dearer;

static void spoil(struct mp_batch *batch)
{
	const double more = dearer(batch);

	for (uint32_t i = 0; i < batch->n_samples; i++)
		batch->sample[i].ticks +=
			(uint64_t)(int64_t)(more *
					    (double)batch->sample[i].hops);
}

static const struct mp_fact *ask(const char *first, dearer_fn *how,
				 const char *name)
{
	extern const struct mp_probe mp_probe_tlb;
	char text[1024];

	snprintf(text, sizeof(text), MACHINE "tlb level=1 page=4K %s\n", first);
	dearer = how;
	made_sim_open(&sim, text);
	sim.spoil = how ? spoil : NULL;
	sim.view.arena_max_bytes = 512u << 20;
	made_sim_ask(&sim, &mp_probe_tlb);
	return made_sim_fact(&sim, name);
}

static void is(const struct mp_fact *fact, double value)
{
	if (fact->verdict != MP_MEASURED || fact->value != value)
		fail_msg("%s: verdict %u, %g for %g: %s", fact->name,
			 fact->verdict, fact->value, value, fact->reason);
}

static uint64_t pages_of(const struct mp_batch *batch)
{
	const struct mp_actor *actor = &batch->exp.actor[0];

	return actor->stride >= PAGE ? actor->length / actor->stride : 1;
}

static uint64_t apart(const struct mp_batch *batch)
{
	return batch->exp.actor[0].stride / PAGE;
}

/* Between two rings of a round a dozen other pages are used: those of more
 * than 72 miss some each turn. */
static double between_rounds(const struct mp_batch *batch)
{
	const double pages = (double)pages_of(batch);

	return batch->exp.rounds > 1 && pages > 72 ? 4 * (pages - 72) / pages :
						     0;
}

/* .. and what a page too many costs is not the same twice, as where a single set
 * does not lose all of its pages. */
static double never_alike(const struct mp_batch *batch)
{
	const uint64_t pages = pages_of(batch);

	if (pages > 96 && pages < 101)
		return 0.1 * (double)(batch->replicate % 5) +
		       0.7 * (double)(batch->exp.actor[0].skew / 64 % 3);
	return between_rounds(batch);
}

static void pages_used_between_rounds_hide_no_entries(void **state)
{
	(void)state;
	is(ask("entries=96 ways=96 policy=bit-plru", never_alike, "cpu.dtlb.entries"), 96);
	made_sim_close(&sim);
}

/* One set keeps a quarter of 97 pages, as such a guest's did: 5.3 cycles a hop, 6.5
 * of 98, and 7 of all from 100 on. */
static double keeps_a_few(const struct mp_batch *batch)
{
	const uint64_t pages = pages_of(batch);

	return pages == 97 ? -1 : pages == 98 ? -0.3 : 0;
}

/* What all of 121 pages cost is a hit in the second level. */
static void one_set_that_keeps_a_few_has_a_second_behind_it(void **state)
{
	(void)state;
	is(ask("entries=96 ways=96 policy=lru", keeps_a_few,
	       "cpu.stlb.entries"), 4096);
	is(made_sim_fact(&sim, "cpu.dtlb.entries"), 96);
	assert_true(made_sim_fact(&sim, "cpu.stlb.hit-cost")->verdict ==
		    MP_MEASURED);
	made_sim_close(&sim);
}

/* .. and twins of more than 60 pages are dear: no more than 120 lines are known to be
 * held, which is one less than a quarter more pages have. */
static double keeps_a_few_of_120(const struct mp_batch *batch)
{
	const double pages = (double)pages_of(batch);

	return keeps_a_few(batch) + (batch->exp.rounds > 1 && pages > 60 ?
				     4 * (pages - 60) / pages : 0);
}

static void no_more_pages_are_asked_than_lines_are_held(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	fact = ask("entries=96 ways=96 policy=lru", keeps_a_few_of_120,
		   "cpu.stlb.entries");
	if (strstr(fact->reason, "no one cost"))
		fail_msg("%s", fact->reason);
	is(made_sim_fact(&sim, "cpu.dtlb.entries"), 96);
	made_sim_close(&sim);
}

/* A set of the second level is full with a page of others: in some replicates from
 * 121 pages of the 128 on that eight of its sets hold .. */
static double at_times(const struct mp_batch *batch)
{
	const uint64_t pages = pages_of(batch);

	return apart(batch) >= 32 && pages > 120 && pages < 129 &&
	       batch->replicate % 4 ? 1 : 0;
}

/* .. and in all, by chance, from 125 on. */
static double at_times_or_always(const struct mp_batch *batch)
{
	const uint64_t pages = pages_of(batch);

	return apart(batch) >= 32 && pages > 124 && pages < 129 ?
	       3 : at_times(batch) + between_rounds(batch);
}

static void a_set_that_others_fill_at_times_gives_no_count(void **state)
{
	const struct mp_fact *fact;

	(void)state;
	fact = ask("entries=96 ways=96 policy=lru", at_times_or_always, "cpu.stlb.entries");
	assert_int_equal(fact->verdict, MP_NOT_MEASURABLE);
	if (!strstr(fact->reason, "entries at times"))
		fail_msg("%s", fact->reason);
	is(made_sim_fact(&sim, "cpu.dtlb.entries"), 96);
	made_sim_close(&sim);
}

/* From 125 pages on some replicates are dear in a row, and none of fewer. */
static double by_few_replicates(const struct mp_batch *batch)
{
	const uint64_t pages = pages_of(batch);

	return apart(batch) >= 32 && pages > 124 && pages < 129 &&
	       batch->replicate < 6 ? 3 : between_rounds(batch);
}

static void a_page_too_many_walks_in_each_of_many_replicates(void **state)
{
	(void)state;
	assert_int_equal(ask("entries=96 ways=96 policy=lru", by_few_replicates,
			     "cpu.stlb.entries")->verdict, MP_NOT_MEASURABLE);
	is(made_sim_fact(&sim, "cpu.dtlb.entries"), 96);
	made_sim_close(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_used_between_rounds_hide_no_entries),
		cmocka_unit_test(one_set_that_keeps_a_few_has_a_second_behind_it),
		cmocka_unit_test(no_more_pages_are_asked_than_lines_are_held),
		cmocka_unit_test(
			a_page_too_many_walks_in_each_of_many_replicates),
		cmocka_unit_test(a_set_that_others_fill_at_times_gives_no_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
