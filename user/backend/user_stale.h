/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much of a ring that was warm may have been evicted by others since:
 * a small model, so that a short interrupt does not condemn a large ring and
 * a long absence does not pass for nothing.
 */
#ifndef MP_USER_STALE_H
#define MP_USER_STALE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct mp_user_stale - what may be stale
 * @need_hops: hops after which all is warm again: a turn of the ring, or
 *	what warm-up was asked for where that is less; 0 = nothing to keep warm
 * @lines: slots that may have been stale at the last gap
 * @since_hops: hops made since
 */
struct mp_user_stale {
	uint64_t need_hops;
	double lines;
	uint64_t since_hops;
};

/** mp_user_stale_init() - all is fresh; need: the lesser of both */
void mp_user_stale_init(struct mp_user_stale *stale, uint64_t slots,
			uint64_t warm_hops);

/** mp_user_stale_gap() - somebody else had the CPU for so long */
void mp_user_stale_gap(struct mp_user_stale *stale, double gap_ns);

/** mp_user_stale_hops() - so many slots were visited */
void mp_user_stale_hops(struct mp_user_stale *stale, uint64_t hops);

/** mp_user_stale_lines() - slots that may be stale now */
double mp_user_stale_lines(const struct mp_user_stale *stale);

/**
 * mp_user_stale_cold() - would it show?
 * @hop_ns: what a hop takes
 * @burst_hops: hops of a burst
 * @singly: each is timed by itself
 *
 * True when the misses to expect in a burst could lengthen it by more than
 * two per cent; where hops are told from one another, only when they could be
 * more than two per cent of these.
 */
bool mp_user_stale_cold(const struct mp_user_stale *stale, double hop_ns,
			uint64_t burst_hops, bool singly);

#endif
