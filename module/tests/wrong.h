/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests that are in order, and what must be said when one field of them is
 * not. Shared by KUnit and the tests in user space: the rules are the UAPI's,
 * written down once more and not taken from the code.
 */
#ifndef MP_WRONG_H
#define MP_WRONG_H

#include "../check.h"
#include "../limits.h"

/**
 * struct mp_wrong - one field set to something
 * @what: the field and the value, in words of C
 * @at: where the field begins
 * @bytes: its size
 * @value: what it is set to
 * @err: what must be said; 0 = that is in order too
 */
struct mp_wrong {
	const char *what;
	__u32 at;
	__u32 bytes;
	__u64 value;
	int err;
};

#define MP_WRONG(_struct, _field, _value, _err) {			\
	.what = #_field " = " #_value,					\
	.at = __builtin_offsetof(struct _struct, _field),		\
	.bytes = sizeof(((struct _struct *)0)->_field),			\
	.value = (__u64)(_value),					\
	.err = (_err),							\
}

#define MP_WRONG_COUNT(_list) (sizeof(_list) / sizeof((_list)[0]))

/** mp_wrong_set() - set the one field */
static inline void mp_wrong_set(void *request, const struct mp_wrong *wrong)
{
	char *at = (char *)request + wrong->at;

	if (wrong->bytes == sizeof(__u64))
		*(__u64 *)at = wrong->value;
	else
		*(__u32 *)at = (__u32)wrong->value;
}

/** mp_good_have() - an INFO of a machine that can do everything */
static inline struct memprobe_info mp_good_have(void)
{
	const struct memprobe_info have = {
		.size = sizeof(have),
		.ops = 1u << MEMPROBE_OP_CHASE | 1u << MEMPROBE_OP_SEQUENCE,
		.kinds = 1u << MEMPROBE_KIND_CONTIG |
			 1u << MEMPROBE_KIND_HUGE |
			 1u << MEMPROBE_KIND_SCATTERED |
			 1u << MEMPROBE_KIND_BLOCKS,
		.arena_flags = MP_ARENA_SETTABLE | MEMPROBE_ARENA_CONTIG,
		.run_flags = MP_RUN_SETTABLE | MEMPROBE_RUN_SINGLE_CPU |
			     MEMPROBE_RUN_HYPERVISOR,
		.window_default_ns = 200000,
		.window_min_ns = 20000,
		.window_max_ns = 10000000,
		.call_max_ns = 10000000000ull,
		.arenas_max = 16,
		.arena_max_bytes = 64 << 20,
		.total_max_bytes = 64 << 20,
		.uncached_min_bytes = 16 << 20,
		.page_shift_max = 30,
		.actors_max = 1,
		.events_max = 8,
		.bursts_max = 16,
		.hops_max = 1 << 20,
		.ring_slots_max = 4096,
		.steps_max = 64,
		.visits_max = 4,
		.ticks_max = 256,
		.group_max = 64,
		.page_shift = 12,
		.huge_shift = 21,
		.contig_max_bytes = 48 << 20,
		.uncached_min_slots = 4096,
	};

	return have;
}

static inline struct memprobe_arena mp_good_take(__u32 kind)
{
	const struct memprobe_arena arena = {
		.size = sizeof(arena),
		.op = MEMPROBE_ARENA_TAKE,
		.kind = kind,
		.bytes = 32 << 20,
	};

	return arena;
}

static inline struct memprobe_arena mp_good_give(void)
{
	const struct memprobe_arena arena = {
		.size = sizeof(arena),
		.op = MEMPROBE_ARENA_GIVE,
		.id = 3,
	};

	return arena;
}

static inline struct memprobe_run mp_good_run(void)
{
	const struct memprobe_run run = {
		.size = sizeof(run),
		.flags = MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF,
		.window_ns = 200000,
		.n_actors = 1,
		.actor_size = sizeof(struct memprobe_actor),
		.n_events = 1,
		.event_size = sizeof(struct memprobe_event),
		.n_ticks = 64,
		.n_samples = 4,
	};

	return run;
}

static inline struct memprobe_actor mp_good_chase(void)
{
	const struct memprobe_actor actor = {
		.size = sizeof(actor),
		.op = MEMPROBE_OP_CHASE,
		.arena = 1,
		.offset = 128,
		.length = 4096 * 16,
		.stride = 4096,
		.reach = 4096 * 4,
		.skew = 64,
		.seed = 1,
		.hops = 128,
		.warm_hops = 64,
		.rewarm_hops = 64,
		.bursts = 4,
		.group = 8,
	};

	return actor;
}

/** mp_good_sequence() - with a run that has steps */
static inline struct memprobe_actor mp_good_sequence(struct memprobe_run *run)
{
	const struct memprobe_actor actor = {
		.size = sizeof(actor),
		.op = MEMPROBE_OP_SEQUENCE,
		.arena = 1,
		.length = 64 * 16,
		.stride = 64,
		.bursts = 4,
	};

	run->n_steps = 8;
	return actor;
}

static const struct mp_wrong mp_wrong_info[] = {
	MP_WRONG(memprobe_info, flags, 0, 0),
	MP_WRONG(memprobe_info, flags, 1, -EOPNOTSUPP),
	MP_WRONG(memprobe_info, flags, 1u << 31, -EOPNOTSUPP),
};

/* Of contiguous memory. */
static const struct mp_wrong mp_wrong_take[] = {
	MP_WRONG(memprobe_arena, op, 0, -EOPNOTSUPP),
	MP_WRONG(memprobe_arena, op, 3, -EOPNOTSUPP),
	MP_WRONG(memprobe_arena, op, ~0u, -EOPNOTSUPP),
	MP_WRONG(memprobe_arena, kind, 0, -EOPNOTSUPP),
	MP_WRONG(memprobe_arena, kind, 5, -EOPNOTSUPP),
	MP_WRONG(memprobe_arena, kind, 33, -EOPNOTSUPP),
	MP_WRONG(memprobe_arena, flags, MEMPROBE_ARENA_NODE, 0),
	MP_WRONG(memprobe_arena, flags, MEMPROBE_ARENA_UNCACHED, 0),
	MP_WRONG(memprobe_arena, flags, MEMPROBE_ARENA_CONTIG, -EOPNOTSUPP),
	MP_WRONG(memprobe_arena, flags, 1u << 2, -EOPNOTSUPP),
	MP_WRONG(memprobe_arena, flags, 1u << 31, -EOPNOTSUPP),
	MP_WRONG(memprobe_arena, bytes, 0, -EINVAL),
	MP_WRONG(memprobe_arena, bytes, 1, 0),
	MP_WRONG(memprobe_arena, bytes, ~0ull, -ERANGE),
	MP_WRONG(memprobe_arena, bytes, 48 << 20, 0),
	MP_WRONG(memprobe_arena, bytes, (48 << 20) + 1, -ERANGE),
	MP_WRONG(memprobe_arena, node, 1, -EINVAL),
	MP_WRONG(memprobe_arena, node, -1, -EINVAL),
	MP_WRONG(memprobe_arena, page_shift, 12, 0),
	MP_WRONG(memprobe_arena, page_shift, 13, 0),
	MP_WRONG(memprobe_arena, page_shift, 11, -EINVAL),
	MP_WRONG(memprobe_arena, page_shift, 1, -EINVAL),
	MP_WRONG(memprobe_arena, page_shift, 64, -ERANGE),
	MP_WRONG(memprobe_arena, page_shift, ~0u, -ERANGE),
	MP_WRONG(memprobe_arena, id, 1, -EINVAL),
	MP_WRONG(memprobe_arena, reserved, 1, -EOPNOTSUPP),
	MP_WRONG(memprobe_arena, reserved, 1ull << 63, -EOPNOTSUPP),
	/* What is only told may hold anything. */
	MP_WRONG(memprobe_arena, got, ~0u, 0),
	MP_WRONG(memprobe_arena, got_node, ~0u, 0),
	MP_WRONG(memprobe_arena, pieces, ~0u, 0),
	MP_WRONG(memprobe_arena, took_ns, ~0ull, 0),
};

/* Of memory in huge pages. */
static const struct mp_wrong mp_wrong_huge[] = {
	MP_WRONG(memprobe_arena, flags, MEMPROBE_ARENA_NODE, -EOPNOTSUPP),
	MP_WRONG(memprobe_arena, flags, MEMPROBE_ARENA_UNCACHED, -EOPNOTSUPP),
	MP_WRONG(memprobe_arena, bytes, (48 << 20) + 1, 0),
	MP_WRONG(memprobe_arena, page_shift, 21, 0),
	MP_WRONG(memprobe_arena, page_shift, 12, -EOPNOTSUPP),
	MP_WRONG(memprobe_arena, page_shift, 22, -EOPNOTSUPP),
};

/* Of scattered pages, and of blocks. */
static const struct mp_wrong mp_wrong_small[] = {
	MP_WRONG(memprobe_arena, flags, MEMPROBE_ARENA_NODE, 0),
	MP_WRONG(memprobe_arena, flags, MEMPROBE_ARENA_UNCACHED, -EOPNOTSUPP),
	MP_WRONG(memprobe_arena, page_shift, 12, 0),
	MP_WRONG(memprobe_arena, page_shift, 13, -EOPNOTSUPP),
	MP_WRONG(memprobe_arena, page_shift, 21, -EOPNOTSUPP),
};

static const struct mp_wrong mp_wrong_give[] = {
	MP_WRONG(memprobe_arena, kind, 1, -EINVAL),
	MP_WRONG(memprobe_arena, flags, MEMPROBE_ARENA_NODE, -EINVAL),
	MP_WRONG(memprobe_arena, flags, 1u << 2, -EOPNOTSUPP),
	MP_WRONG(memprobe_arena, bytes, 4096, -EINVAL),
	MP_WRONG(memprobe_arena, node, 1, -EINVAL),
	MP_WRONG(memprobe_arena, page_shift, 12, -EINVAL),
	MP_WRONG(memprobe_arena, id, ~0u, 0),
	MP_WRONG(memprobe_arena, reserved, 1, -EOPNOTSUPP),
};

static const struct mp_wrong mp_wrong_run[] = {
	MP_WRONG(memprobe_run, flags, 0, 0),
	MP_WRONG(memprobe_run, flags, MEMPROBE_RUN_PREEMPT_OFF, 0),
	MP_WRONG(memprobe_run, flags, MP_RUN_SETTABLE, 0),
	MP_WRONG(memprobe_run, flags, MEMPROBE_RUN_IRQ_OFF, -EINVAL),
	MP_WRONG(memprobe_run, flags, MEMPROBE_RUN_PREFETCH_OFF, -EINVAL),
	MP_WRONG(memprobe_run, flags, MEMPROBE_RUN_PREEMPT_OFF |
		 MEMPROBE_RUN_PREFETCH_OFF, -EINVAL),
	MP_WRONG(memprobe_run, flags, MEMPROBE_RUN_SINGLE_CPU, -EOPNOTSUPP),
	MP_WRONG(memprobe_run, flags, MEMPROBE_RUN_HYPERVISOR, -EOPNOTSUPP),
	MP_WRONG(memprobe_run, flags, 1u << 3, -EOPNOTSUPP),
	MP_WRONG(memprobe_run, flags, 1u << 31, -EOPNOTSUPP),
	MP_WRONG(memprobe_run, cookie, ~0ull, 0),
	MP_WRONG(memprobe_run, window_ns, 0, 0),
	MP_WRONG(memprobe_run, window_ns, 1, -ERANGE),
	MP_WRONG(memprobe_run, window_ns, ~0ull, -ERANGE),
	MP_WRONG(memprobe_run, n_actors, 0, -EINVAL),
	MP_WRONG(memprobe_run, n_actors, ~0u, -ERANGE),
	MP_WRONG(memprobe_run, actor_size, 0, -EINVAL),
	MP_WRONG(memprobe_run, actor_size, 104, -EINVAL),
	MP_WRONG(memprobe_run, actor_size, 116, -EINVAL),
	MP_WRONG(memprobe_run, actor_size, 120, 0),
	MP_WRONG(memprobe_run, actor_size, MP_STRUCT_MAX, 0),
	MP_WRONG(memprobe_run, actor_size, MP_STRUCT_MAX + 8, -E2BIG),
	MP_WRONG(memprobe_run, event_size, 0, -EINVAL),
	MP_WRONG(memprobe_run, event_size, 32, -EINVAL),
	MP_WRONG(memprobe_run, event_size, 44, -EINVAL),
	MP_WRONG(memprobe_run, event_size, 48, 0),
	MP_WRONG(memprobe_run, event_size, MP_STRUCT_MAX, 0),
	MP_WRONG(memprobe_run, event_size, MP_STRUCT_MAX + 8, -E2BIG),
	MP_WRONG(memprobe_run, n_events, 0, 0),
	MP_WRONG(memprobe_run, n_events, ~0u, -ERANGE),
	MP_WRONG(memprobe_run, n_steps, ~0u, -ERANGE),
	MP_WRONG(memprobe_run, n_ticks, 0, 0),
	MP_WRONG(memprobe_run, n_ticks, ~0u, -ERANGE),
	MP_WRONG(memprobe_run, sample_stride, 256, 0),
	MP_WRONG(memprobe_run, sample_stride, 264, 0),
	MP_WRONG(memprobe_run, sample_stride, 248, -EINVAL),
	MP_WRONG(memprobe_run, sample_stride, 260, -EINVAL),
	MP_WRONG(memprobe_run, sample_stride, MP_SAMPLE_STRIDE_MAX, 0),
	MP_WRONG(memprobe_run, sample_stride, MP_SAMPLE_STRIDE_MAX + 8,
		 -EINVAL),
	MP_WRONG(memprobe_run, reserved, 1, -EOPNOTSUPP),
	MP_WRONG(memprobe_run, stop, ~0u, 0),
	MP_WRONG(memprobe_run, got, ~0u, 0),
	MP_WRONG(memprobe_run, windows, ~0ull, 0),
	MP_WRONG(memprobe_run, valid, ~0u, 0),
};

static const struct mp_wrong mp_wrong_chase[] = {
	MP_WRONG(memprobe_actor, size, 0, -EINVAL),
	MP_WRONG(memprobe_actor, size, 120, -EINVAL),
	MP_WRONG(memprobe_actor, cpu, ~0u, 0),
	MP_WRONG(memprobe_actor, phase, 1, -EOPNOTSUPP),
	MP_WRONG(memprobe_actor, op, 0, -EOPNOTSUPP),
	MP_WRONG(memprobe_actor, op, 3, -EOPNOTSUPP),
	MP_WRONG(memprobe_actor, op, 33, -EOPNOTSUPP),
	MP_WRONG(memprobe_actor, arena, ~0u, 0),
	MP_WRONG(memprobe_actor, flags, 1, -EOPNOTSUPP),
	MP_WRONG(memprobe_actor, flags, 1u << 31, -EOPNOTSUPP),
	MP_WRONG(memprobe_actor, offset, 0, 0),
	MP_WRONG(memprobe_actor, offset, 8, -EINVAL),
	MP_WRONG(memprobe_actor, offset, 32, -EINVAL),
	MP_WRONG(memprobe_actor, offset, ~0ull - 63, -EOVERFLOW),
	MP_WRONG(memprobe_actor, length, 0, -EINVAL),
	MP_WRONG(memprobe_actor, length, 4095, -EINVAL),
	MP_WRONG(memprobe_actor, length, 4096 * 4 + 1, 0),
	MP_WRONG(memprobe_actor, length, ~0ull, -EOVERFLOW),
	MP_WRONG(memprobe_actor, length, ~0ull - 4095, -ERANGE),
	MP_WRONG(memprobe_actor, stride, 0, -EINVAL),
	MP_WRONG(memprobe_actor, stride, 4, -EINVAL),
	MP_WRONG(memprobe_actor, stride, 4092, -EINVAL),
	/* A skew wants strides of whole pages. */
	MP_WRONG(memprobe_actor, stride, 4104, -EINVAL),
	MP_WRONG(memprobe_actor, stride, 8192, 0),
	MP_WRONG(memprobe_actor, stride, 4096 * 17, -EINVAL),
	MP_WRONG(memprobe_actor, reach, 0, 0),
	MP_WRONG(memprobe_actor, reach, 4095, -EINVAL),
	MP_WRONG(memprobe_actor, reach, 4097, 0),
	MP_WRONG(memprobe_actor, reach, ~0ull, 0),
	MP_WRONG(memprobe_actor, skew, 0, 0),
	MP_WRONG(memprobe_actor, skew, 4, -EINVAL),
	MP_WRONG(memprobe_actor, skew, ~0ull, -EINVAL),
	MP_WRONG(memprobe_actor, seed, ~0ull, 0),
	MP_WRONG(memprobe_actor, hops, 0, -EINVAL),
	MP_WRONG(memprobe_actor, hops, ~0ull, -ERANGE),
	/* No room for the ticks of 17 groups in each of four bursts. */
	MP_WRONG(memprobe_actor, hops, 8 * 17, -EINVAL),
	MP_WRONG(memprobe_actor, hops, 8 * 17 - 1, 0),
	/* Not one whole group. */
	MP_WRONG(memprobe_actor, hops, 7, -EINVAL),
	MP_WRONG(memprobe_actor, warm_hops, 0, 0),
	MP_WRONG(memprobe_actor, warm_hops, ~0ull, -ERANGE),
	MP_WRONG(memprobe_actor, rewarm_hops, 0, 0),
	MP_WRONG(memprobe_actor, rewarm_hops, ~0ull, -ERANGE),
	MP_WRONG(memprobe_actor, bursts, 0, -EINVAL),
	MP_WRONG(memprobe_actor, bursts, 5, -EINVAL),
	MP_WRONG(memprobe_actor, bursts, ~0u, -ERANGE),
	MP_WRONG(memprobe_actor, group, 0, 0),
	MP_WRONG(memprobe_actor, group, 7, -EINVAL),
	MP_WRONG(memprobe_actor, group, ~0u, -ERANGE),
	MP_WRONG(memprobe_actor, gap_ns, 1, 0),
	MP_WRONG(memprobe_actor, gap_ns, ~0ull, 0),
};

static const struct mp_wrong mp_wrong_sequence[] = {
	MP_WRONG(memprobe_actor, offset, 8, -EINVAL),
	MP_WRONG(memprobe_actor, stride, 128, 0),
	MP_WRONG(memprobe_actor, stride, 8, -EINVAL),
	MP_WRONG(memprobe_actor, stride, 72, -EINVAL),
	MP_WRONG(memprobe_actor, length, 63, -EINVAL),
	MP_WRONG(memprobe_actor, reach, 64, -EINVAL),
	MP_WRONG(memprobe_actor, skew, 8, -EINVAL),
	MP_WRONG(memprobe_actor, hops, 64, -EINVAL),
	MP_WRONG(memprobe_actor, warm_hops, 1, -EINVAL),
	MP_WRONG(memprobe_actor, rewarm_hops, 1, -EINVAL),
	MP_WRONG(memprobe_actor, group, 1, -EINVAL),
	MP_WRONG(memprobe_actor, bursts, 5, -EINVAL),
	MP_WRONG(memprobe_actor, op, MEMPROBE_OP_CHASE, -EINVAL),
};

static const struct mp_wrong mp_wrong_event[] = {
	MP_WRONG(memprobe_event, type, ~0u, 0),
	MP_WRONG(memprobe_event, config, ~0ull, 0),
	MP_WRONG(memprobe_event, error, ~0u, 0),
	MP_WRONG(memprobe_event, reserved, 1, -EOPNOTSUPP),
};

/**
 * struct mp_edge - a limit of INFO
 * @what: the field that it holds for
 * @at: where that field begins
 * @bytes: its size
 * @limit_at: where the limit stands in an INFO
 * @limit_bytes: its size
 * @least: it is the least and not the most
 */
struct mp_edge {
	const char *what;
	__u32 at;
	__u32 bytes;
	__u32 limit_at;
	__u32 limit_bytes;
	int least;
};

#define MP_EDGE(_struct, _field, _limit, _least) {			\
	.what = #_field " by " #_limit,					\
	.at = __builtin_offsetof(struct _struct, _field),		\
	.bytes = sizeof(((struct _struct *)0)->_field),			\
	.limit_at = __builtin_offsetof(struct memprobe_info, _limit),	\
	.limit_bytes = sizeof(((struct memprobe_info *)0)->_limit),	\
	.least = (_least),						\
}

/* Of memory in huge pages. */
static const struct mp_edge mp_edge_bytes =
	MP_EDGE(memprobe_arena, bytes, arena_max_bytes, 0);

/* Of contiguous memory. */
static const struct mp_edge mp_edge_shift =
	MP_EDGE(memprobe_arena, page_shift, page_shift_max, 0);

static const struct mp_edge mp_edge_run[] = {
	MP_EDGE(memprobe_run, window_ns, window_min_ns, 1),
	MP_EDGE(memprobe_run, window_ns, window_max_ns, 0),
	MP_EDGE(memprobe_run, n_actors, actors_max, 0),
	MP_EDGE(memprobe_run, n_events, events_max, 0),
	MP_EDGE(memprobe_run, n_steps, steps_max, 0),
	MP_EDGE(memprobe_run, n_ticks, ticks_max, 0),
};

/* Of a chase without groups, in a run with room for all its samples. */
static const struct mp_edge mp_edge_chase[] = {
	MP_EDGE(memprobe_actor, hops, hops_max, 0),
	MP_EDGE(memprobe_actor, warm_hops, hops_max, 0),
	MP_EDGE(memprobe_actor, rewarm_hops, hops_max, 0),
	MP_EDGE(memprobe_actor, bursts, bursts_max, 0),
};

/** mp_edge_of() - the edge as a wrong field: at it, or @beyond it by one */
static inline struct mp_wrong mp_edge_of(const struct mp_edge *edge,
					 const struct memprobe_info *have,
					 int beyond)
{
	const char *limit = (const char *)have + edge->limit_at;
	struct mp_wrong wrong = {
		.what = edge->what,
		.at = edge->at,
		.bytes = edge->bytes,
		.value = edge->limit_bytes == sizeof(__u64) ?
			 *(const __u64 *)limit : *(const __u32 *)limit,
		.err = beyond ? -ERANGE : 0,
	};

	if (beyond)
		wrong.value += edge->least ? -1 : 1;
	return wrong;
}

#endif
