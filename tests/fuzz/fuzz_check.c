// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzzer of the module's validators. What they answer must be an errno that
 * the UAPI names; what they let pass must keep every limit; and it is carried
 * out then, in an arena that is just as large as it says, so that what a
 * limit does not keep out the address sanitizer finds, or a look at each link.
 *
 * An input is a list of edits of requests that are in order: most of them are
 * one field away from being accepted, or accepted.
 */
#include "module/tests/wrong.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chase.h"
#include "core/steps.h"

#define ARENA_BYTES (128u << 10)
#define STEPS 64u
/* More hops of a chase prove nothing new. */
#define HOPS_WALKED 256u

#define MUST(what)							\
	do {								\
		if (!(what)) {						\
			fprintf(stderr, "%s:%d: not so: %s\n",		\
				__FILE__, __LINE__, #what);		\
			abort();					\
		}							\
	} while (0)

/* All that one input asks for. */
struct wish {
	struct memprobe_info info;
	struct memprobe_arena arena;
	struct memprobe_run run;
	struct memprobe_actor actor;
	struct memprobe_event event;
	__u32 step[STEPS];
	__u32 got;
	__u32 unused;
};

static const __u64 edges[] = {
	0, 1, 2, 3, 4, 7, 8, 11, 12, 16, 21, 30, 31, 32, 40, 48, 63, 64, 65,
	112, 120, 255, 256, 264, 4095, 4096, 4097, 4104, 65536, ARENA_BYTES,
	1 << 20, (16 << 20) - 1, 16 << 20, 64 << 20, 20000, 10000000, 10000000000ull,
	0x7fffffff, 0x80000000, 0xffffffff, 1ull << 32, 1ull << 40, 1ull << 63,
	~0ull - 4095, ~0ull - 63, ~0ull - 7, ~0ull,
};

/* -- from bytes to a wish --------------------------------------------------- */

struct input {
	const __u8 *at;
	size_t left;
};

static __u64 take(struct input *input, size_t bytes)
{
	__u64 value = 0;

	if (bytes > input->left)
		bytes = input->left;
	memcpy(&value, input->at, bytes);
	input->at += bytes;
	input->left -= bytes;
	return value;
}

static __u64 value_of(struct input *input, __u64 old)
{
	switch (take(input, 1) % 6) {
	case 0:
		return take(input, 1);
	case 1:
		return take(input, 4);
	case 2:
		return take(input, 8);
	case 3:
		return old + 1;
	case 4:
		return old - 1;
	default:
		return edges[take(input, 1) % (sizeof(edges) /
					       sizeof(edges[0]))];
	}
}

static void edit(struct wish *wish, struct input *input)
{
	__u32 *words = (__u32 *)wish;
	const __u32 at = (__u32)take(input, 2) % (sizeof(*wish) / 4 - 1);
	__u64 value;

	/* Of two words, or one. */
	memcpy(&value, words + at, sizeof(value));
	value = value_of(input, value);
	memcpy(words + at, &value, take(input, 1) % 2 ? 4 : sizeof(value));
}

static void fill(struct wish *wish, struct input *input)
{
	const __u64 kind = take(input, 1);

	memset(wish, 0, sizeof(*wish));
	wish->run = mp_good_run();
	wish->actor = kind & 1 ? mp_good_sequence(&wish->run) :
				 mp_good_chase();
	wish->arena = kind & 2 ? mp_good_give() :
				 mp_good_take(1 + (kind >> 2) % 4);
	for (__u32 i = 0; i < STEPS; i++)
		wish->step[i] = MEMPROBE_STEP(i % 16, i % 3);
	while (input->left)
		edit(wish, input);
}

/* -- what is accepted ------------------------------------------------------- */

static void arena_keeps_limits(const struct memprobe_arena *arena,
			       const struct memprobe_info *have)
{
	MUST(arena->reserved == 0);
	MUST((arena->flags & ~MP_ARENA_SETTABLE) == 0);
	if (arena->op == MEMPROBE_ARENA_GIVE) {
		MUST(!arena->flags && !arena->kind && !arena->bytes);
		return;
	}
	MUST(arena->op == MEMPROBE_ARENA_TAKE);
	MUST(arena->kind >= 1 && arena->kind <= 4);
	MUST(arena->bytes && arena->bytes <= have->arena_max_bytes);
	MUST(arena->kind != MEMPROBE_KIND_CONTIG ||
	     arena->bytes <= have->contig_max_bytes);
	MUST(arena->node >= 0);
	MUST(arena->page_shift <= have->page_shift_max);
	MUST(!arena->page_shift || arena->page_shift >= have->page_shift);
	if (arena->flags & MEMPROBE_ARENA_UNCACHED) {
		MUST(arena->kind == MEMPROBE_KIND_CONTIG);
		MUST(arena->bytes >= have->uncached_min_bytes);
	}
	if (!(arena->flags & MEMPROBE_ARENA_NODE))
		MUST(arena->node == 0);
}

static void run_keeps_limits(const struct memprobe_run *run,
			     const struct memprobe_info *have)
{
	const __u32 stride = mp_run_stride(run);

	MUST(run->reserved == 0);
	MUST((run->flags & ~MP_RUN_SETTABLE) == 0);
	if (run->flags & MEMPROBE_RUN_PREFETCH_OFF)
		MUST(run->flags & MEMPROBE_RUN_IRQ_OFF);
	if (run->flags & MEMPROBE_RUN_IRQ_OFF)
		MUST(run->flags & MEMPROBE_RUN_PREEMPT_OFF);
	MUST(!run->window_ns || (run->window_ns >= have->window_min_ns &&
				 run->window_ns <= have->window_max_ns));
	MUST(run->n_actors == 1);
	MUST(run->n_events <= have->events_max);
	MUST(run->n_steps <= have->steps_max);
	MUST(run->n_ticks <= have->ticks_max);
	MUST(run->actor_size >= sizeof(struct memprobe_actor));
	MUST(run->actor_size <= MP_STRUCT_MAX);
	MUST(!run->n_events ||
	     (run->event_size >= sizeof(struct memprobe_event) &&
	      run->event_size <= MP_STRUCT_MAX));
	MUST(stride >= sizeof(struct memprobe_sample));
	MUST(stride <= MP_SAMPLE_STRIDE_MAX && stride % 8 == 0);
}

static void actor_keeps_limits(const struct memprobe_actor *actor,
			       const struct memprobe_run *run,
			       const struct memprobe_info *have)
{
	MUST(!actor->flags && !actor->phase);
	MUST(actor->offset % 64 == 0);
	MUST(actor->offset + actor->length >= actor->length);
	MUST(actor->stride >= 8 && actor->stride % 8 == 0);
	MUST(actor->length >= actor->stride);
	MUST(mp_actor_slots(actor) >= 1);
	MUST(actor->length / actor->stride <= have->ring_slots_max);
	MUST(actor->bursts && actor->bursts <= have->bursts_max);
	MUST(actor->bursts <= run->n_samples);
	MUST(actor->warm_hops <= have->hops_max);
	MUST(actor->rewarm_hops <= have->hops_max);
	MUST(actor->hops <= have->hops_max);
	MUST(actor->group <= have->group_max);
	/* Hops of 2 us each, in the window and an eighth of it. */
	MUST(2000ull * actor->group <=
	     (run->window_ns ? run->window_ns : have->window_default_ns) *
	     9 / 8);
	if (actor->op == MEMPROBE_OP_SEQUENCE) {
		MUST(!actor->hops && !actor->group && run->n_steps);
		MUST(actor->stride % 64 == 0);
	} else {
		MUST(actor->op == MEMPROBE_OP_CHASE);
		MUST(actor->hops && !run->n_steps);
	}
}

/* -- carried out ------------------------------------------------------------ */

static void walk_groups(const struct memprobe_actor *actor,
			const struct memprobe_run *run, const void *cursor)
{
	const __u32 groups = (__u32)(actor->hops / actor->group);
	__u64 *ticks = malloc((size_t)run->n_ticks * sizeof(*ticks));
	__u32 i;

	MUST(ticks);
	for (i = 0; i < actor->bursts; i++) {
		__u64 *to = ticks + (size_t)i * groups;

		/* The timed code itself is built without a sanitizer. */
		memset(to, 0, groups * sizeof(*to));
		MUST(mp_chase_groups(&cursor, (uint64_t *)to, groups,
				     actor->group, 0, 0) == groups);
	}
	free(ticks);
}

static void walk_ring(const struct memprobe_actor *actor,
		      const struct memprobe_run *run, char *base)
{
	const struct mp_ring ring = mp_actor_ring(actor);
	const __u32 slots = mp_ring_slots(&ring);
	uint32_t *order = malloc(slots * sizeof(*order));
	struct mp_chase chase = {
		.hops = actor->hops < HOPS_WALKED ? actor->hops : HOPS_WALKED,
		.gap_ticks = ~0ull,
	};
	struct mp_rng rng;
	char *first, *at;
	__u32 i;

	MUST(order);
	mp_rng_seed(&rng, actor->seed);
	first = mp_ring_link(&ring, base, order, &rng);
	at = first;
	for (i = 0; i < slots; i++) {
		MUST(at >= base && (size_t)(at - base) % 8 == 0);
		MUST((size_t)(at - base) + 8 <= actor->length);
		MUST(i == 0 || at != first);
		at = *(char **)at;
	}
	MUST(at == first);
	free(order);
	chase.cursor = first;
	mp_chase_run(&chase);
	MUST(chase.done_hops >= chase.hops);
	if (actor->group)
		walk_groups(actor, run, first);
}

static void walk_steps(const struct memprobe_actor *actor,
		       const struct memprobe_run *run, const __u32 *step,
		       char *base)
{
	const __u32 slots = mp_actor_slots(actor);
	const struct mp_steps steps = {
		.base = base,
		.stride = actor->stride,
		.slots = slots,
		.step = step,
		.n = run->n_steps,
		.visits = malloc(slots),
	};
	__u64 *ticks = malloc((size_t)run->n_ticks * sizeof(*ticks));
	__u32 i, done, n = 0;
	uint64_t whole;
	int err;

	MUST(steps.visits && (ticks || !run->n_ticks));
	err = mp_check_steps(actor, run, step, steps.visits);
	MUST(err == 0 || err == -EINVAL || err == -EOPNOTSUPP ||
	     err == -ERANGE);
	for (i = 0; !err && i < actor->bursts; i++) {
		done = mp_steps_run(mp_steps_link(&steps), 0, &whole);
		MUST(done == run->n_steps);
		n += mp_steps_collect(&steps, done, (uint64_t *)ticks + n);
		MUST(n <= run->n_ticks);
	}
	free(ticks);
	free(steps.visits);
}

/* In memory that ends where the arena ends. */
static void carry_out(const struct wish *wish)
{
	char *arena = aligned_alloc(4096, ARENA_BYTES);

	MUST(arena);
	if (wish->actor.op == MEMPROBE_OP_SEQUENCE)
		walk_steps(&wish->actor, &wish->run, wish->step,
			   arena + wish->actor.offset);
	else
		walk_ring(&wish->actor, &wish->run,
			  arena + wish->actor.offset);
	free(arena);
}

/* -- the checks, as the module does them ------------------------------------ */

static void check_arena(const struct wish *wish,
			const struct memprobe_info *have)
{
	const int err = mp_check_arena(&wish->arena, have);

	MUST(err == 0 || err == -EINVAL || err == -EOPNOTSUPP ||
	     err == -ERANGE);
	if (!err)
		arena_keeps_limits(&wish->arena, have);
}

static void check_run(const struct wish *wish,
		      const struct memprobe_info *have)
{
	int err = mp_check_run(&wish->run, have);

	MUST(err == 0 || err == -EINVAL || err == -EOPNOTSUPP ||
	     err == -ERANGE || err == -E2BIG);
	if (err)
		return;
	run_keeps_limits(&wish->run, have);
	err = mp_check_actor(&wish->actor, &wish->run, have);
	MUST(err == 0 || err == -EINVAL || err == -EOPNOTSUPP ||
	     err == -ERANGE || err == -EOVERFLOW);
	if (err)
		return;
	actor_keeps_limits(&wish->actor, &wish->run, have);
	err = mp_check_span(&wish->actor, ARENA_BYTES, wish->got);
	MUST(err == 0 || err == -EINVAL || err == -EOPNOTSUPP);
	if (err)
		return;
	MUST(wish->actor.offset + wish->actor.length <= ARENA_BYTES);
	MUST(!(wish->got & MEMPROBE_ARENA_UNCACHED));
	carry_out(wish);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	const struct memprobe_info have = mp_good_have();
	struct input input = { .at = data, .left = size };
	struct wish wish;
	int err;

	fill(&wish, &input);
	err = mp_check_info(&wish.info);
	MUST(err == (wish.info.flags ? -EOPNOTSUPP : 0));
	err = mp_check_event(&wish.event);
	MUST(err == (wish.event.reserved ? -EOPNOTSUPP : 0));
	check_arena(&wish, &have);
	check_run(&wish, &have);
	return 0;
}
