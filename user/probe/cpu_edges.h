/* SPDX-License-Identifier: GPL-2.0 */
/* Between the two halves of what the CPU probes share: levels and edges. */
#ifndef MP_CPU_EDGES_H
#define MP_CPU_EDGES_H

#include "probe/cpu.h"

/** MP_CPU_CLEAR_ABOVE - distance kept from the edge inside, a factor */
#define MP_CPU_CLEAR_ABOVE 1.4

/** mp_cpu_fit_points() - add the points from @low to @high to a stretch */
void mp_cpu_fit_points(const struct mp_curve *curve, double low, double high,
		       struct mp_edge_data *data);

/** mp_cpu_holed() - is nothing measured in a stretch inside the outermost of
 * the levels? It may hide one. */
bool mp_cpu_holed(const struct mp_curve *curve, const struct mp_level *level,
		  uint32_t n);

/**
 * mp_cpu_share_clear() - do the peaks tell the levels apart?
 *
 * Not where one peak is two levels whose latencies the clock does not part:
 * its middle moves with the footprint then.
 */
bool mp_cpu_share_clear(const struct mp_curve *curve,
			const struct mp_spectrum *spectrum);

/** mp_cpu_share_muddled() - the innermost level that hops never come to miss,
 * as slots share lines of it; MP_CPU_LEVELS where there is none */
uint32_t mp_cpu_share_muddled(const struct mp_curve *curve,
			      const struct mp_spectrum *spectrum);

/**
 * mp_cpu_share_levels() - the levels that single hops show
 * @curve: whose hops were timed one by one
 * @spectrum: its peaks; the last one is memory, or what the end holds
 * @level, @n: gets a level for each peak but the last, its latency in cycles
 *
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_share_levels(const struct mp_curve *curve,
			const struct mp_spectrum *spectrum,
			struct mp_level level[MP_CPU_LEVELS], uint32_t *n);

/** mp_cpu_share_points() - as mp_cpu_fit_points(), values being the share of
 * hops that missed level @k */
void mp_cpu_share_points(const struct mp_curve *curve,
			 const struct mp_spectrum *spectrum, uint32_t k,
			 double low, double high, struct mp_edge_data *data);

/**
 * mp_cpu_steady() - count each replicate against what a miss took just then
 * @curve: the curve that a stretch was taken from
 * @from, @to: lengths of it at which most hops miss
 * @data: the stretch, from where all hops hit; its values are changed to what
 *	they would be had a miss taken the same all the time
 *
 * Where too little is known of those lengths nothing is changed.
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_steady(const struct mp_curve *curve, double from, double to,
		  struct mp_edge_data *data);

/**
 * mp_cpu_find_doubt() - do the edges explain the curve of means?
 *
 * Where they do not, by ratios, or where single hops take times between those
 * of an edge, a level further in than memory is hidden in one of them, which
 * is in doubt then.
 */
void mp_cpu_find_doubt(const struct mp_view *view, struct mp_cpu_edges *edges);

/**
 * mp_cpu_split() - is level @k of a curve two?
 * @curve: what to look at
 * @level, @n: the levels; where it is two, the second is put in behind it
 * @k: the level in question
 * @doubt: where the curve does not tell, and no level further in is in doubt,
 *	gets this one
 *
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_split(const struct mp_curve *curve,
		 struct mp_level level[MP_CPU_LEVELS], uint32_t *n,
		 uint32_t k, struct mp_cpu_doubt *doubt);

#endif
