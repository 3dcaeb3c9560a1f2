/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does no level further out take lines of the innermost one along? A short ring
 * is kept hot there, while all levels further out are driven through, and is then
 * put out of it. If it stayed there all the while, and comes from memory
 * afterwards, each of them has lost it, and none of them took it away.
 */
#ifndef MP_PROBE_CPU_SPARED_H
#define MP_PROBE_CPU_SPARED_H

#include "probe/cpu.h"

/**
 * struct mp_cpu_spared - what was seen, and what follows
 * @is: lines of the innermost level are spared, whatever goes further out
 * @n: replicates of the experiment and of its control, the fewer
 * @id: of the experiment and of its control
 * @lost: how often a line left the innermost level while it was hot, for each
 *	time that the last level was driven through
 * @left: share of the ring that was put out of the innermost level in the end
 * @gone: share of it that came from memory then; the control's is taken off
 */
struct mp_cpu_spared {
	bool is;
	uint32_t n;
	uint64_t id[2];
	double lost;
	double left;
	double gone;
};

/** mp_cpu_spared_plan() - want what tells; nothing, where nothing can; -ENOMEM */
int mp_cpu_spared_plan(const struct mp_view *view, struct mp_plan *plan);

/** mp_cpu_spared() - what the batches say; 0 or -ENOMEM */
int mp_cpu_spared(const struct mp_view *view, struct mp_cpu_spared *spared);

#endif
