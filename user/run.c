// SPDX-License-Identifier: GPL-2.0
/*
 * What there is to do with a run before and after the loop: its budget, its
 * recording, the claims beside its facts.
 */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"

static const char *const stop_names[] = {
	[MP_STOP_DONE] = "done",
	[MP_STOP_TIME] = "time",
	[MP_STOP_SIGNAL] = "signal",
};

const char *mp_run_stop_name(uint32_t stop)
{
	return stop <= MP_STOP_SIGNAL ? stop_names[stop] : "unknown";
}

uint64_t mp_run_budget_ns(uint32_t depth)
{
	switch (depth) {
	case MP_DEPTH_QUICK:
		return MP_BUDGET_QUICK_NS;
	case MP_DEPTH_DEEP:
		return MP_BUDGET_DEEP_NS;
	default:
		return MP_BUDGET_DEFAULT_NS;
	}
}

void mp_run_adopt(struct mp_run_opts *opts, const struct mp_host *host)
{
	if (!host->recorded)
		return;
	opts->seed = host->recorded->head.seed;
	opts->depth = host->recorded->head.depth;
	opts->budget_ns = host->recorded->head.budget_ns;
	opts->limit_ns = host->recorded->head.limit_ns;
}

int mp_run_save(const struct mp_run *run, const char *path, char *why,
		size_t room)
{
	struct mp_save_head head = {
		.seed = run->seed,
		.budget_ns = run->budget_ns,
		.limit_ns = run->limit_ns,
		.depth = run->depth,
		.host = run->host,
	};

	memcpy(head.probes, run->probes, sizeof(head.probes));
	snprintf(head.stop, sizeof(head.stop), "%s",
		 mp_run_stop_name(run->stop));
	return mp_save_write(path, &head,
			     (const struct mp_batch *const *)run->batch,
			     run->n_batches, why, room);
}

void mp_run_free(struct mp_run *run)
{
	for (uint32_t i = 0; i < run->n_batches; i++) {
		mp_batch_free(run->batch[i]);
		free(run->batch[i]);
	}
	free(run->batch);
	mp_facts_free(&run->facts);
	memset(run, 0, sizeof(*run));
}

void mp_facts_claim(struct mp_facts *facts, const struct mp_host *host)
{
	for (uint32_t i = 0; i < facts->n; i++) {
		struct mp_fact *fact = &facts->fact[i];

		for (uint32_t k = 0; k < host->n_claims; k++) {
			const struct mp_host_claim *claim = &host->claim[k];

			if (fact->claim.known ||
			    strcmp(claim->fact, fact->name))
				continue;
			fact->claim.known = true;
			fact->claim.value = claim->value;
			memcpy(fact->claim.source, claim->source,
			       sizeof(fact->claim.source));
		}
	}
}
