// SPDX-License-Identifier: GPL-2.0
/*
 * The arithmetic of windows: when the last hop may begin so that the window
 * ends in time, and when the next one may begin. No clock is read here.
 */
#include "window.h"

#define NS_PER_S 1000000000ull

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* In two parts, so that no product is wider than 64 bits. */
uint64_t mp_window_ticks(uint64_t ns, uint64_t hz)
{
	return ns / NS_PER_S * hz + ns % NS_PER_S * hz / NS_PER_S;
}

uint64_t mp_window_ns(uint64_t ticks, uint64_t hz)
{
	return ticks / hz * NS_PER_S + ticks % hz * NS_PER_S / hz;
}

void mp_window_make(struct mp_window *window, uint64_t ns, uint64_t hz)
{
	window->limit = mp_window_ticks(ns, hz);
	window->hard = window->limit + window->limit / MP_WINDOW_OVER_PART;
	window->hop = mp_window_ticks(MP_WINDOW_HOP_NS, hz) + 1;
	window->tail = mp_window_ticks(MP_WINDOW_TAIL_NS, hz) + 1;
	window->hops = ns * MP_WINDOW_HOPS_PER_NS;
}

/* Until when @n hops may begin, in ticks from @elapsed on. */
static uint64_t until(uint64_t hard, uint64_t elapsed,
		      const struct mp_window *window, uint64_t n)
{
	return less(less(hard, elapsed), n * window->hop + window->tail);
}

void mp_window_bound(const struct mp_window *window, uint64_t elapsed,
		     struct mp_chase *chase)
{
	const uint64_t left = less(window->limit, elapsed);

	chase->bounded = 1;
	chase->hard_ticks = until(window->hard, elapsed, window, 0);
	chase->fine_ticks = lesser(left, until(window->hard, elapsed, window,
					       MP_CHASE_FINE_HOPS));
	chase->limit_ticks = lesser(left, until(window->hard, elapsed, window,
						1));
	if (!chase->limit_ticks)
		chase->limit_ticks = 1;
}

void mp_window_rewarm(const struct mp_window *window, uint32_t group,
		      struct mp_window *rewarm)
{
	const uint64_t rest = until(window->hard, 0, window, group);

	*rewarm = *window;
	rewarm->hard = lesser(window->hard / 2, rest);
	rewarm->limit = rewarm->hard - rewarm->hard /
					(MP_WINDOW_OVER_PART + 1);
}

uint64_t mp_window_groups(const struct mp_window *window, uint64_t elapsed,
			  uint32_t group)
{
	const uint64_t ticks = lesser(less(window->limit, elapsed),
				      until(window->hard, elapsed, window,
					    group));

	return ticks ? ticks : 1;
}

uint32_t mp_window_group_max(const struct mp_window *window)
{
	const uint64_t hops = less(window->hard, window->tail) / window->hop;

	return (uint32_t)lesser(hops, MP_CHASE_LOOK_HOPS);
}

uint64_t mp_window_rest(uint64_t end_ns, uint64_t length_ns)
{
	return end_ns + length_ns * (100 - MP_WINDOW_DUTY_PERCENT) /
			MP_WINDOW_DUTY_PERCENT;
}
