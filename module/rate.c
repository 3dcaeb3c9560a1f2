// SPDX-License-Identifier: GPL-2.0
/*
 * The rate of the clock, measured and not believed: two moments at which both
 * clocks were read close together, some time apart.
 */
#include "rate.h"

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/timekeeping.h>

#include "core/arch.h"
#include "core/chase.h"
#include "limits.h"

#define TRIES 16u
#define READS 64u

struct instant {
	u64 tick;
	u64 raw_ns;
};

/* The try in which least time passed between the reads around. */
static struct instant read_both(void)
{
	struct instant best = { 0 };
	u64 from, to, raw_ns, least = ~0ull;
	unsigned long irq;
	u32 i;

	local_irq_save(irq);
	for (i = 0; i < TRIES; i++) {
		from = mp_ticks_begin();
		raw_ns = ktime_get_raw_fast_ns();
		to = mp_ticks_end();
		if (to - from >= least)
			continue;
		least = to - from;
		best.tick = from + least / 2;
		best.raw_ns = raw_ns;
	}
	local_irq_restore(irq);
	return best;
}

static u64 empty_millis(void)
{
	unsigned long irq;
	u64 sum = 0;
	u32 i;

	local_irq_save(irq);
	for (i = 0; i < READS; i++)
		sum += mp_chase_empty();
	local_irq_restore(irq);
	return sum * 1000 / READS;
}

static u64 look_millis(void)
{
	unsigned long irq;
	u64 start, end;
	u32 i;

	local_irq_save(irq);
	start = mp_ticks_begin();
	for (i = 0; i < READS; i++)
		(void)mp_ticks_look();
	end = mp_ticks_end();
	local_irq_restore(irq);
	return (end - start) * 1000 / READS;
}

/* Ticks a second since the first moment; 0 where that makes no sense. */
static u64 hz_since(const struct mp_rate *rate, const struct instant *now)
{
	const u64 ticks = now->tick - rate->first_tick;
	const u64 ns = now->raw_ns - rate->first_raw_ns;
	u64 hz;

	if (!ns || (s64)ns < 0 || (s64)ticks <= 0)
		return 0;
	hz = mul_u64_u64_div_u64(ticks, NSEC_PER_SEC, ns);
	return hz < MP_RATE_MIN_HZ || hz > MP_RATE_MAX_HZ ? 0 : hz;
}

int mp_rate_measure(struct mp_rate *rate)
{
	struct instant now = read_both();

	rate->first_tick = now.tick;
	rate->first_raw_ns = now.raw_ns;
	msleep(MP_RATE_SLEEP_MS);
	now = read_both();
	rate->hz = hz_since(rate, &now);
	if (!rate->hz)
		return -ENODEV;
	rate->empty_millis = empty_millis();
	rate->look_millis = look_millis();
	return 0;
}

int mp_rate_refresh(struct mp_rate *rate)
{
	const struct instant now = read_both();
	const u64 hz = hz_since(rate, &now);
	const u64 off = hz > rate->hz ? hz - rate->hz : rate->hz - hz;

	if (off > rate->hz / MP_RATE_OFF_PART)
		return mp_rate_measure(rate);
	rate->hz = hz;
	return 0;
}
