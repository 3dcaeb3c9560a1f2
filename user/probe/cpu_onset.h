/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where hops begin to miss a level, all at once. In large pages, or in memory
 * that lies in a row, lines fall on all sets evenly: none misses up to the
 * capacity, and beyond it some do, whoever is evicted, and whatever the level
 * inside serves in between. The longest ring of which none misses is no longer
 * than the level is large, but for lines that stay inside for good; the shortest
 * of which some do is no shorter.
 */
#ifndef MP_PROBE_CPU_ONSET_H
#define MP_PROBE_CPU_ONSET_H

#include "probe/cpu_edges.h"

/**
 * struct mp_cpu_onset - where misses set in
 * @known: they do, and at once
 * @low: the longest ring of which no hop misses, bytes
 * @high: the shortest of which some do
 * @kept: share of the lines of the first that the levels inside keep for good
 * @id: of the two experiments
 * @replicates: how often the next ring has yet to be walked, or 0
 * @want: that ring
 */
struct mp_cpu_onset {
	bool known;
	double low;
	double high;
	double kept;
	uint64_t id[2];
	uint32_t replicates;
	struct mp_exp want;
};

/**
 * mp_cpu_onset_look() - where do misses of level @k set in?
 * @low, @high: between these, bytes
 *
 * Nothing is known where hops are not timed singly, in small pages, or where
 * others crowd the level; nor where some sets may be fuller than others.
 * Return: 0 or -ENOMEM.
 */
int mp_cpu_onset_look(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      double low, double high, struct mp_cpu_onset *onset);

#endif
