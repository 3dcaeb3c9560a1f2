/* SPDX-License-Identifier: GPL-2.0 */
/* Between the halves of probe prefetch: what trials say of each kind. */
#ifndef MP_PREFETCH_JUDGE_H
#define MP_PREFETCH_JUDGE_H

#include "probe/prefetch_ground.h"
#include "probe/prefetch_look.h"

/** enum mp_prefetcher - kinds of prefetchers that have a fact each */
enum mp_prefetcher {
	MP_PREFETCHER_ADJACENT,	/* the other line of an aligned pair */
	MP_PREFETCHER_NEXT,	/* the line behind */
	MP_PREFETCHER_STRIDE,	/* the next of lines equally far apart */
	MP_PREFETCHER_STREAM,	/* lines ahead of those loaded in a row */
	MP_PREFETCHERS,
};

/**
 * struct mp_prefetch_all - what is seen of all lists
 * @list: for each length of lines
 * @quiet: pairs of each, with all prefetchers off
 */
struct mp_prefetch_all {
	struct mp_prefetch_ground ground;
	struct mp_prefetch_seen list[MP_PREFETCH_UNITS][MP_PREFETCH_LISTS];
	struct mp_prefetch_seen quiet[MP_PREFETCH_UNITS];
};

/** mp_prefetch_lists() - how many lists there are for the @u-th length: those
 * of strides and of long runs are asked for once */
uint32_t mp_prefetch_lists(uint32_t u);

/** mp_prefetch_wants_quiet() - do pairs of the @u-th length come in a way that
 * lines of an outer level may explain, unless it is known what they do with
 * prefetchers off? */
bool mp_prefetch_wants_quiet(const struct mp_prefetch_all *all, uint32_t u);

/** enum mp_prefetch_says - what trials say of a kind */
enum mp_prefetch_says {
	MP_PREFETCH_NOTHING,
	MP_PREFETCH_ABSENT,
	MP_PREFETCH_WORKS,
	MP_PREFETCH_OPEN,
};

/**
 * struct mp_prefetch_answer - of one kind
 * @says: enum mp_prefetch_says
 * @open: why nothing can be said
 * @unit, @list, @trial, @bar: where it is seen best
 */
struct mp_prefetch_answer {
	uint32_t says;
	const char *open;
	uint32_t unit;
	uint32_t list;
	uint32_t trial;
	double bar;
};

/** mp_prefetch_judge() - all kinds; a kind works where trials show it that
 * no other explains, and is absent where none of its trials brings a line */
void mp_prefetch_judge(const struct mp_prefetch_all *all,
		       struct mp_prefetch_answer answer[MP_PREFETCHERS]);

#endif
