// SPDX-License-Identifier: GPL-2.0
#include "ask_ways.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void tell(struct sim_ask *ask, const struct ask_ways *of)
{
	static const char *const name[ASK_WAYS_LEVELS] = {
		"l1d", "l2", "l3", "l4" };
	char fact[MP_FACT_NAME];
	struct mp_fact *size;

	for (uint32_t k = 0; k < ASK_WAYS_LEVELS && of->size[k] > 0; k++) {
		snprintf(fact, sizeof(fact), "cpu.%s.size", name[k]);
		sim_ask_know(ask, fact, of->size[k]);
		size = &ask->known.fact[ask->known.n - 1];
		size->low *= 1 - of->error;
		size->high *= 1 + of->error;
		snprintf(fact, sizeof(fact), "cpu.%s.line", name[k]);
		if (of->line > 0)
			sim_ask_know(ask, fact, of->line);
		snprintf(fact, sizeof(fact), "cpu.%s.latency-cycles", name[k]);
		sim_ask_know(ask, fact, of->cycles[k]);
		snprintf(fact, sizeof(fact), "cpu.%s.inclusion", name[k]);
		if (k && of->inclusion)
			sim_ask_know_text(ask, fact, of->inclusion);
		snprintf(fact, sizeof(fact), "cpu.%s.latency", name[k]);
		sim_ask_know(ask, fact, of->cycles[k] * 1e3 / ASK_WAYS_MHZ);
	}
	sim_ask_know(ask, "cpu.dram.latency",
		     of->memory_cycles * 1e3 / ASK_WAYS_MHZ);
}

static void ask_with(struct sim_ask *ask, const struct ask_ways *of,
		     uint32_t quiet)
{
	memset(ask, 0, sizeof(*ask));
	tell(ask, of);
	ask->quiet = quiet;
	sim_ask(ask, of->text, mp_probe_find("ways"), 5);
}

void ask_ways(struct sim_ask *ask, const struct ask_ways *of)
{
	ask_with(ask, of, 0);
}

void ask_ways_quiet(struct sim_ask *ask, const struct ask_ways *of)
{
	ask_with(ask, of, MP_WISH_PREFETCH_OFF);
}

void ask_ways_found(const struct sim_ask *ask, const char *name, uint32_t ways)
{
	const struct mp_fact *fact = sim_ask_fact(ask, name);

	if (fact->verdict != MP_MEASURED || fact->value != ways)
		fail_msg("%s: %s %g, not %u; %s", name,
			 mp_verdict_name(fact->verdict), fact->value, ways,
			 fact->reason);
}
