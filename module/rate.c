// SPDX-License-Identifier: GPL-2.0
/*
 * The rate of the clock, measured and not believed: two moments at which both
 * clocks were read close together, some time apart.
 */
#include "rate.h"

#include <linux/bitops.h>
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

/* How long the machine has been suspended since it was started. */
static u64 suspended_ns(void)
{
	unsigned long irq;
	u64 ns;

	local_irq_save(irq);
	ns = ktime_get_boottime_ns() - ktime_get_ns();
	local_irq_restore(irq);
	return ns;
}

/*
 * Ticks a second since the first moment; 0 where that makes no sense. Low bits
 * of long times go, so that no product is wider than 64 bits.
 */
static u64 hz_since(const struct mp_rate *rate, const struct instant *now)
{
	u64 ticks = now->tick - rate->first_tick;
	u64 ns = now->raw_ns - rate->first_raw_ns;
	const u32 shift = fls64(ticks) > 34 ? fls64(ticks) - 34 : 0;
	u64 hz;

	if ((s64)ns <= 0 || (s64)ticks <= 0 || !(ns >> shift))
		return 0;
	hz = div64_u64((ticks >> shift) * NSEC_PER_SEC, ns >> shift);
	return hz < MP_RATE_MIN_HZ || hz > MP_RATE_MAX_HZ ? 0 : hz;
}

int mp_rate_measure(struct mp_rate *rate)
{
	const struct instant first = read_both();
	struct mp_rate fresh = {
		.first_tick = first.tick,
		.first_raw_ns = first.raw_ns,
		.suspended_ns = suspended_ns(),
	};
	struct instant now;

	msleep(MP_RATE_SLEEP_MS);
	now = read_both();
	fresh.hz = hz_since(&fresh, &now);
	if (!fresh.hz)
		return -ENODEV;
	fresh.empty_millis = empty_millis();
	fresh.look_millis = look_millis();
	*rate = fresh;
	return 0;
}

int mp_rate_refresh(struct mp_rate *rate)
{
	const struct instant now = read_both();
	const u64 hz = hz_since(rate, &now);
	const u64 off = hz > rate->hz ? hz - rate->hz : rate->hz - hz;

	/* While a machine is suspended one of the clocks may go on alone. */
	if (!hz || off > rate->hz / MP_RATE_OFF_PART ||
	    suspended_ns() - rate->suspended_ns > MP_RATE_SUSPENDED_NS)
		return mp_rate_measure(rate);
	rate->hz = hz;
	return 0;
}
