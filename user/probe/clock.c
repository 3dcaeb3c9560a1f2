// SPDX-License-Identifier: GPL-2.0
/* Probe clock: how fast does the core run, and does it hold still? */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/clock.h"
#include "analysis/stat.h"
#include "analysis/sweep.h"
#include "backend.h"
#include "probe.h"

/* A range wider than this is a clock that moved. */
#define HELD 0.02
#define LENGTH 4096u
#define STRIDE 64u

struct readings {
	uint32_t n;
	uint32_t n_mul;
	double *add;
	double *mul;
};

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_sweep sweep;

	/* Every batch brings a record; alone, a few small ones do. */
	if (view->n_batches)
		return 0;
	mp_sweep_init(&sweep, view, STRIDE, 0);
	return mp_sweep_plan(&sweep, view, LENGTH, 5, plan) ? : 1;
}

static int readings_take(const struct mp_view *view, struct readings *r)
{
	size_t room = (size_t)view->n_batches * MP_GRANT_CLOCKS + 1;

	r->n = r->n_mul = 0;
	r->add = calloc(room, sizeof(double));
	r->mul = calloc(room, sizeof(double));
	if (!r->add || !r->mul)
		return -ENOMEM;
	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_grant *grant = &view->batch[i]->grant;

		for (uint32_t k = 0; k < grant->n_clocks; k++) {
			if (grant->clock[k].add_hz > 0)
				r->add[r->n++] = grant->clock[k].add_hz;
			if (grant->clock[k].mul_hz > 0)
				r->mul[r->n_mul++] = grant->clock[k].mul_hz;
		}
	}
	return 0;
}

static void judge(struct readings *r, const struct mp_view *view,
		  struct mp_fact *fact)
{
	struct mp_interval add;
	double mul;

	mp_stat_limits(r->add, r->n, view->seed, &add);
	mul = mp_stat_median(r->mul, r->n_mul);
	fact->verdict = MP_MEASURED;
	fact->value = add.value;
	/* The middle 95 % of what was seen: a clock is a thing that moves. */
	fact->low = mp_stat_quantile(r->add, r->n, 0.025);
	fact->high = mp_stat_quantile(r->add, r->n, 0.975);
	snprintf(fact->method, sizeof(fact->method),
		 "dependent adds, register to register, timed before and after each batch%s",
		 r->n_mul ? "; checked by dependent multiplies" : "");
	if (r->n_mul && fabs(mul / add.value - 1) > MP_CLOCK_DISPUTE) {
		fact->verdict = MP_DISPUTED;
		fact->low = fmin(fact->low, mul);
		fact->high = fmax(fact->high, mul);
		snprintf(fact->reason, sizeof(fact->reason),
			 "adds say %.0f MHz, multiplies say %.0f MHz",
			 add.value / 1e6, mul / 1e6);
	} else if (fact->high / fact->low > 1 + HELD) {
		fact->verdict = MP_VARIES;
		snprintf(fact->reason, sizeof(fact->reason),
			 "the clock changed while it was measured");
	}
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	struct readings r;
	struct mp_where where;
	struct mp_fact *fact;
	int err = -ENOMEM;

	mp_where_cpu(&where, view->cpu);
	fact = mp_facts_add(facts, "cpu.clock", &where);
	if (!fact)
		return -ENOMEM;
	snprintf(fact->unit, sizeof(fact->unit), "Hz");
	if (readings_take(view, &r))
		goto out;
	for (uint32_t i = 0; i < view->n_batches && i < 8; i++)
		mp_fact_note(fact, view->batch[i]->id);
	if (r.n)
		judge(&r, view, fact);
	else
		mp_fact_cannot(fact, "Hz", "no chain of known latency could be timed here");
	err = 0;
out:
	free(r.add);
	free(r.mul);
	return err;
}

const struct mp_probe mp_probe_clock = {
	.name = "clock",
	.asks = "how fast does the core run, and does it hold still?",
	.facts = "cpu.clock",
	.needs = MP_CAP_CHASE | MP_CAP_CORE_CLOCK,
	.weight = 1,
	.quick = true,
	.next = next,
	.infer = infer,
};
