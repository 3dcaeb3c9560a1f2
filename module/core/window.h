/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_WINDOW_H
#define MP_WINDOW_H

#include "chase.h"
#include "core.h"

/**
 * The window: default, least and most. A tenth of a scheduler slice; most
 * is a thousandth of the kernel's hard-lockup limit (10 s) and half of the
 * five ticks at 250 Hz after which another CPU must keep the time.
 */
#define MP_WINDOW_NS 200000ull
#define MP_WINDOW_MIN_NS 20000ull
#define MP_WINDOW_MAX_NS 10000000ull

/** MP_WINDOW_OVER_PART - a window may last longer by this part of itself. */
#define MP_WINDOW_OVER_PART 8u
/**
 * MP_WINDOW_HOP_NS - the dearest hop: a page walk from memory and a load
 * from the memory of another node.
 */
#define MP_WINDOW_HOP_NS 2000u
/** MP_WINDOW_TAIL_NS - what is read after the last look. */
#define MP_WINDOW_TAIL_NS 1000u
/** MP_WINDOW_HOPS_PER_NS - no core makes more: 3 cycles at 12 GHz. */
#define MP_WINDOW_HOPS_PER_NS 4u
/** MP_WINDOW_DUTY_PERCENT - the most of a CPU's time in quiet windows. */
#define MP_WINDOW_DUTY_PERCENT 50u

/**
 * struct mp_window - how long a window may last, in ticks from its begin
 * @limit: no hop is begun after this
 * @hard: it has ended by then, unless the CPU was taken away
 * @hop: the dearest hop
 * @tail: what is read after the last look
 * @hops: the most that any core could make in it: should the clock stand
 *	still, a window ends after these, be it seconds later
 */
struct mp_window {
	uint64_t limit;
	uint64_t hard;
	uint64_t hop;
	uint64_t tail;
	uint64_t hops;
};

/**
 * mp_window_ticks() / mp_window_ns() - a length of time in ticks, and back
 * @hz: ticks a second, 1 to 1.8e10
 *
 * Rounded down; right for lengths up to 10 minutes.
 */
uint64_t mp_window_ticks(uint64_t ns, uint64_t hz);
uint64_t mp_window_ns(uint64_t ticks, uint64_t hz);

/** mp_window_make() - bounds of a window of so many ns */
void mp_window_make(struct mp_window *window, uint64_t ns, uint64_t hz);

/**
 * mp_window_bound() - bounds of a chase inside a window
 * @window: the window
 * @elapsed: ticks of it that are over
 * @chase: gets its limits, and is made a bounded one
 *
 * A block of few hops is begun only while even the dearest hops would end
 * before the hard end. One hop at least is made, late as it may be.
 */
void mp_window_bound(const struct mp_window *window, uint64_t elapsed,
		     struct mp_chase *chase);

/**
 * mp_window_rewarm() - the part of a window in which its ring is warmed again
 * @window: the window
 * @group: hops that are timed together later, 0 = none
 * @rewarm: gets a window that ends with it
 *
 * Half of it, or what leaves room for a group of the dearest hops.
 */
void mp_window_rewarm(const struct mp_window *window, uint32_t group,
		      struct mp_window *rewarm);

/**
 * mp_window_groups() - until when a group of hops may begin, in ticks from
 * now on; at least 1
 */
uint64_t mp_window_groups(const struct mp_window *window, uint64_t elapsed,
			  uint32_t group);

/**
 * mp_window_group_max() - hops that may be timed together in it: as many of
 * the dearest as it has time for, at most MP_CHASE_LOOK_HOPS
 */
uint32_t mp_window_group_max(const struct mp_window *window);

/**
 * mp_window_rest() - when the next quiet window may begin
 * @end_ns: when the last one ended
 * @length_ns: how long it lasted
 *
 * So that quiet windows take no more than MP_WINDOW_DUTY_PERCENT.
 */
uint64_t mp_window_rest(uint64_t end_ns, uint64_t length_ns);

#endif
