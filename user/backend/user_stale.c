// SPDX-License-Identifier: GPL-2.0
/*
 * What an absence may have evicted. The model errs on the side of calling a
 * ring cold; it decides on warming up again and on a flag, never on a value.
 */
#include "user_stale.h"

/* An interrupt or a hypervisor's tick walks its own few structures: a line so
 * often, for so long. Beyond that it was somebody's turn to run: 4 GB/s. */
#define SHORT_NS 50000.0
#define SHORT_LINE_NS 64.0
#define LONG_LINE_NS 16.0
/* What a load from memory takes. A stale line costs that, less what a hop
 * takes anyway: a ring that mostly misses loses little. */
#define MISS_NS 100.0
/* What of a burst misses may add before it counts; of its hops, so many. */
#define SHARE 0.02

void mp_user_stale_init(struct mp_user_stale *stale, uint64_t slots,
			uint64_t warm_hops)
{
	*stale = (struct mp_user_stale){
		.need_hops = warm_hops < slots ? warm_hops : slots,
	};
}

double mp_user_stale_lines(const struct mp_user_stale *stale)
{
	if (stale->since_hops >= stale->need_hops)
		return 0;
	return stale->lines * (1 - (double)stale->since_hops /
				       (double)stale->need_hops);
}

void mp_user_stale_gap(struct mp_user_stale *stale, double gap_ns)
{
	const double most = (double)stale->need_hops;
	const double short_ns = gap_ns < SHORT_NS ? gap_ns : SHORT_NS;

	stale->lines = mp_user_stale_lines(stale) + short_ns / SHORT_LINE_NS +
		       (gap_ns - short_ns) / LONG_LINE_NS;
	if (stale->lines > most)
		stale->lines = most;
	stale->since_hops = 0;
}

void mp_user_stale_hops(struct mp_user_stale *stale, uint64_t hops)
{
	stale->since_hops += hops;
}

bool mp_user_stale_cold(const struct mp_user_stale *stale, double hop_ns,
			uint64_t burst_hops, bool singly)
{
	/* A burst that goes round more than once pays for each line once;
	 * one that does not get round pays for its part of them. */
	const double hops = (double)(burst_hops > stale->need_hops ?
				     burst_hops : stale->need_hops);

	const double lines = mp_user_stale_lines(stale);

	return lines * (MISS_NS - hop_ns) > SHARE * hop_ns * hops &&
	       (!singly || lines > SHARE * hops);
}
