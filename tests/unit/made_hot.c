// SPDX-License-Identifier: GPL-2.0
#include "made_hot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "backend.h"

#define PLANS 24u
#define ARENA_BYTES (64u << 20)

void made_hot_open(struct made_sim *sim, const char *text,
		   struct mp_cpu_edges *edges)
{
	made_sim_open(sim, text);
	sim->view.quiet = MP_WISH_PREFETCH_OFF;
	sim->view.arena_max_bytes = ARENA_BYTES;
	made_sim_edges(sim, edges);
}

void made_hot_run(struct made_sim *sim, const struct mp_cpu_edges *edges,
		  uint32_t k)
{
	for (uint32_t i = 0; i < PLANS; i++) {
		struct mp_plan plan = { 0 };

		assert_int_equal(mp_cpu_hot_plan(&sim->view, edges, k, &plan), 0);
		if (!made_sim_run(sim, &plan))
			return;
	}
	fail_msg("no end after %u plans", PLANS);
}

void made_hot_ask(struct made_sim *sim, const struct mp_cpu_edges *edges,
		  uint32_t k, struct mp_cpu_hot *hot)
{
	made_hot_run(sim, edges, k);
	assert_int_equal(mp_cpu_hot_judge(&sim->view, edges, k, hot), 0);
	made_sim_close(sim);
}

void made_hot_is(const struct mp_cpu_hot *hot, uint32_t holds, const char *text)
{
	if (hot->holds == holds)
		return;
	fail_msg("%u is not %u: inside %.2f gone %.2f (%.2f at least) lost %.2f leaked %.2f still %.2f left %.2f (%s)\n%s",
		 hot->holds, holds, hot->inside, hot->gone, hot->gone_least,
		 hot->lost, hot->leaked, hot->still, hot->left,
		 hot->why ? hot->why : "", text);
}
