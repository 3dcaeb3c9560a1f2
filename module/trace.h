/* SPDX-License-Identifier: GPL-2.0 */
/* One trace event a run: memprobe:memprobe_run. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM memprobe

#if !defined(MP_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define MP_TRACE_H

#include <linux/tracepoint.h>

#include "../ioctl/memprobe.h"

TRACE_EVENT(memprobe_run,
	TP_PROTO(const struct memprobe_run *run, u32 cpu, int err),
	TP_ARGS(run, cpu, err),
	TP_STRUCT__entry(
		__field(u64, cookie)
		__field(u64, window_ns)
		__field(u64, windows)
		__field(u64, quiet_ns)
		__field(u64, quiet_max_ns)
		__field(u32, cpu)
		__field(u32, flags)
		__field(u32, samples)
		__field(u32, stop)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->cookie = run->cookie;
		__entry->window_ns = run->window_ns;
		__entry->windows = run->windows;
		__entry->quiet_ns = run->quiet_ns;
		__entry->quiet_max_ns = run->quiet_max_ns;
		__entry->cpu = cpu;
		__entry->flags = run->flags;
		__entry->samples = err ? 0 : run->n_samples;
		__entry->stop = run->stop;
		__entry->err = err;
	),
	TP_printk("cookie=%llu cpu=%u flags=%#x window_ns=%llu windows=%llu quiet_ns=%llu quiet_max_ns=%llu samples=%u stop=%u err=%d",
		  __entry->cookie, __entry->cpu, __entry->flags,
		  __entry->window_ns, __entry->windows, __entry->quiet_ns,
		  __entry->quiet_max_ns, __entry->samples, __entry->stop,
		  __entry->err)
);

#endif

/* Must stand outside of the guard. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
