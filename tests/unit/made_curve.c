// SPDX-License-Identifier: GPL-2.0
/* Latency curves whose truth is known. */
#include "made_curve.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Share of misses of a footprint that is x times the capacity. */
static double misses(enum made_policy policy, uint32_t ways, double x)
{
	double miss = 1, term;

	switch (policy) {
	case EVEN:
		/* So large a part of the sets holds one line more. */
		return x <= 1 ? 0 : fmin((x - 1) * (ways + 1) / x, 1);
	case SCATTERED:
		/* As many others or more share the set of a line. */
		term = exp(-x * ways);
		for (uint32_t n = 0; n < ways; n++) {
			miss -= term;
			term *= x * ways / (n + 1);
		}
		return fmax(miss, 0);
	case RANDOM:
		/* A line stays if no miss of a round picks its place. */
		for (int i = 0; i < 400; i++)
			miss = 1 - exp(-x * miss);
		return x <= 1 ? 0 : miss;
	case RESISTING:
		break;
	}
	return fmax(1 - 0.9 / x, 0);
}

double made_latency(const struct made_machine *machine, double bytes)
{
	double latency = machine->step[0].latency;

	for (uint32_t k = 0; k < machine->n; k++) {
		const struct made_step *s = &machine->step[k];
		double next = k + 1 < machine->n ? s[1].latency :
			machine->memory;

		latency += (next - s->latency) *
			misses(s->policy, s->ways, bytes / s->bytes);
	}
	if (machine->tlb_bytes > 0 && bytes > machine->tlb_bytes)
		latency += machine->tlb_cost * (1 - machine->tlb_bytes / bytes);
	if (machine->walk_bytes > 0 && bytes > machine->walk_bytes)
		latency += machine->walk_cost * log2(bytes / machine->walk_bytes);
	return latency;
}

void made_add(const struct made_machine *machine, double bytes,
	      struct made_curve *curve)
{
	curve->point[curve->n++] = (struct mp_curve_point){
		bytes, made_latency(machine, bytes) };
}

void made_measure(const struct made_machine *machine, double to_bytes,
		  double shift, struct made_curve *curve)
{
	curve->n = 0;
	for (double bytes = 2 * KIB; bytes * shift <= to_bytes; bytes *= 2) {
		made_add(machine, bytes * shift, curve);
		made_add(machine, 1.5 * bytes * shift, curve);
	}
}

void made_draw(struct mp_rng *rng, struct made_machine *machine)
{
	static const enum made_policy policy[] = { EVEN, EVEN, RANDOM };
	double bytes = 16 * KIB * exp2(0.25 * (double)mp_rng_below(rng, 9));
	double latency = 3 + (double)mp_rng_below(rng, 3);

	memset(machine, 0, sizeof(*machine));
	machine->n = 1 + (uint32_t)mp_rng_below(rng, 4);
	for (uint32_t k = 0; k < machine->n; k++) {
		machine->step[k] = (struct made_step){ bytes, latency,
			k ? policy[mp_rng_below(rng, 3)] : EVEN, 8 };
		bytes *= exp2(3 + 0.25 * (double)mp_rng_below(rng, 7));
		latency *= 2.5 + 0.25 * (double)mp_rng_below(rng, 7);
	}
	machine->memory = latency;
	machine->tlb_bytes = 256 * KIB;
	if (machine->n > 1)
		machine->tlb_cost = machine->step[1].latency / 3;
}

static double normal(struct mp_rng *rng)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)mp_rng_below(rng, 1u << 20) / (1u << 20);
	return sum - 6;
}

void made_disturb(struct made_curve *curve, double sd, struct mp_rng *rng)
{
	for (uint32_t i = 0; i < curve->n; i++)
		curve->point[i].latency *= 1 + sd * normal(rng);
}

void made_round(struct made_curve *curve)
{
	for (uint32_t i = 0; i < curve->n; i++)
		curve->point[i].latency = round(curve->point[i].latency);
}

double made_mru_miss(double x)
{
	const struct mp_miss_table *table = mp_miss_table_get();
	uint32_t i = 0;

	while (i < MP_MISS_SHAPES &&
	       (table->shape[i].policy != MP_MISS_MRU ||
		table->shape[i].scatter != 1 || table->shape[i].ways != 16))
		i++;
	assert(i < MP_MISS_SHAPES);
	return mp_miss_lookup(table, i, x);
}

struct mp_curve_point *made_find(struct made_curve *curve, double bytes)
{
	for (uint32_t i = 0; i < curve->n; i++)
		if (curve->point[i].footprint_bytes == bytes)
			return &curve->point[i];
	return NULL;
}
