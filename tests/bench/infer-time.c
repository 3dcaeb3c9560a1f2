// SPDX-License-Identifier: GPL-2.0
/*
 * How long it takes to answer from what a saved run holds: each probe's
 * inference once, over all batches, as a run has it: what follows from a batch,
 * and where those of an experiment are, is found once ("batches"), and what one
 * probe has worked out the next may know. Nothing is remembered from before.
 *
 *	build/memprobe run --save kept.mpr && build/infer-time kept.mpr
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "batch_index.h"
#include "names.h"
#include "probe.h"
#include "runner.h"
#include "save.h"

#define WHY 256

/* Time that this process had a CPU: others do not show in it. */
static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void fill_view(const struct mp_save *save,
		      const struct mp_batch_index *index,
		      const struct mp_facts *facts, struct mp_view *view)
{
	static uint64_t looks;

	mp_run_view(&save->head.host, view);
	view->depth = save->head.depth;
	view->seed = save->head.seed;
	view->n_batches = save->n_batches;
	view->batch = (const struct mp_batch *const *)save->batch;
	view->index = index;
	view->facts = facts;
	view->look = ++looks;
}

/* Return: ms of this probe; below 0: it broke. */
static double infer(const struct mp_save *save,
		    const struct mp_batch_index *index,
		    const struct mp_probe *probe, struct mp_facts *facts)
{
	struct mp_view view;
	double from_ms;

	fill_view(save, index, facts, &view);
	if (probe->needs & ~view.caps)
		return 0;
	from_ms = now_ms();
	return probe->infer(&view, facts) ? -1 : now_ms() - from_ms;
}

/* What a run does with each batch as it comes. Return: as above. */
static double keep(const struct mp_save *save, struct mp_batch_index *index)
{
	const double from_ms = now_ms();

	for (uint32_t i = 0; i < save->n_batches; i++) {
		mp_batch_keep(save->batch[i]);
		if (mp_batch_index_add(index, save->batch[i]))
			return -1;
	}
	return now_ms() - from_ms;
}

int main(int argc, char **argv)
{
	struct mp_batch_index index = { 0 };
	struct mp_facts facts = { 0 };
	char why[WHY], name[MP_FACT_NAME];
	struct mp_save save;
	const char *rest;
	double all_ms;

	if (argc != 2) {
		fprintf(stderr, "usage: infer-time RUN.mpr\n");
		return 2;
	}
	if (mp_save_read(argv[1], &save, why, sizeof(why))) {
		fprintf(stderr, "infer-time: %s\n", why);
		return 1;
	}
	all_ms = keep(&save, &index);
	if (all_ms < 0) {
		fprintf(stderr, "infer-time: out of memory\n");
		return 1;
	}
	printf("%-16s %8.1f ms\n", "batches", all_ms);
	rest = save.head.probes;
	while (mp_names_next(&rest, name, sizeof(name))) {
		const struct mp_probe *probe = mp_probe_find(name);
		const double ms = probe ? infer(&save, &index, probe, &facts) : 0;

		if (ms < 0) {
			fprintf(stderr, "infer-time: probe %s broke\n", name);
			return 1;
		}
		printf("%-16s %8.1f ms\n", name, ms);
		all_ms += ms;
	}
	printf("%-16s %8.1f ms, %u batches\n", "all", all_ms, save.n_batches);
	mp_facts_free(&facts);
	mp_batch_index_free(&index);
	mp_save_free(&save);
	return 0;
}
