// SPDX-License-Identifier: GPL-2.0
#include "made_hot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define PLANS 24u

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

void made_hot_is(const struct mp_cpu_hot *hot, uint32_t holds, const char *text)
{
	if (hot->holds == holds)
		return;
	fail_msg("%u is not %u: inside %.2f gone %.2f (%.2f at least) lost %.2f leaked %.2f still %.2f left %.2f (%s)\n%s",
		 hot->holds, holds, hot->inside, hot->gone, hot->gone_least,
		 hot->lost, hot->leaked, hot->still, hot->left,
		 hot->why ? hot->why : "", text);
}
