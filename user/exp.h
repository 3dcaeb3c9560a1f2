/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An experiment: what to do, as plain data. Backends obey or refuse it;
 * probes make it up. One field table prints, parses, hashes and compares.
 */
#ifndef MP_EXP_H
#define MP_EXP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What one experiment may hold at most. */
#define MP_EXP_ARENAS 4
#define MP_EXP_ACTORS 8
#define MP_EXP_STEPS 512
/** Room for an experiment in words, terminator included. */
#define MP_EXP_TEXT 16384

/** enum mp_op - what an actor does */
enum mp_op {
	MP_OP_NONE,
	MP_OP_CHASE,	/* dependent loads round a ring */
	MP_OP_SEQUENCE,	/* a bounded list of slots: touch, time, flush */
	MP_OP_STREAM,	/* read, write, copy */
	MP_OP_PINGPONG,	/* a line handed to and fro */
	MP_OP_GAP,	/* spin on the clock */
	MP_OP_CODE,	/* a program; GPU backends only */
	MP_OPS,
};

/** enum mp_pages - kind of memory that an arena wishes for or has got */
enum mp_pages {
	MP_PAGES_4K,	/* small pages, huge ones ruled out */
	MP_PAGES_THP,	/* transparent huge pages */
	MP_PAGES_2M,	/* reserved huge pages */
	MP_PAGES_1G,
	MP_PAGES_CONTIG,	/* physically contiguous (kernel module) */
	MP_PAGES_DEVICE,	/* memory of a GPU */
	MP_PAGES_UNCACHED,
	MP_PAGES_KINDS,
};

/** enum mp_detail - what a chase keeps of a burst beside its totals */
enum mp_detail {
	MP_DETAIL_TOTALS,
	MP_DETAIL_HIST,		/* exact histogram of ticks a group of hops */
	MP_DETAIL_TICKS,	/* ordered ticks a group of hops */
};

/** enum mp_access - path that a load takes */
enum mp_access {
	MP_ACCESS_CACHED,
	MP_ACCESS_NONTEMPORAL,
	MP_ACCESS_TEXTURE,
	MP_ACCESS_CONSTANT,
	MP_ACCESS_SHARED,
	MP_ACCESS_L2,
};

/** enum mp_wish - wishes of an experiment, bits; the grant says what came */
enum mp_wish {
	MP_WISH_PREEMPT_OFF = 1u << 0,
	MP_WISH_IRQ_OFF = 1u << 1,
	MP_WISH_PREFETCH_OFF = 1u << 2,
};

/** MP_NODE_ANY - an arena that does not ask for a node. */
#define MP_NODE_ANY (-1)

/**
 * struct mp_arena - memory of an experiment
 * @bytes: how much
 * @pages: enum mp_pages, a wish
 * @node: NUMA node, a wish, or MP_NODE_ANY
 */
struct mp_arena {
	uint64_t bytes;
	uint32_t pages;
	int32_t node;
};

/**
 * struct mp_actor - who does what in an experiment
 * @op: enum mp_op
 * @place: CPU, or SM of a device
 * @arena: index of its arena
 * @offset: where in the arena its span begins, bytes
 * @length: its span, bytes; a ring has length / stride slots
 * @phase: actors of one phase start together, phases follow in order
 * @copies: 1, or so many places in a row with a slice each; the slices,
 *	@length bytes each, follow one another from @offset
 * @together: copies run at once rather than in turn
 * @background: runs until the others of its phase end; not measured
 * @stride: bytes from slot to slot
 * @reach: window of the visiting order in bytes, 0 = full random
 * @skew: see struct mp_ring
 * @warm_hops: hops made before the first burst of its first round
 * @hops: hops of one burst; the window may end it earlier
 * @bursts: bursts a round
 * @every: takes part in the last of each so many rounds
 * @group: hops timed together where detail keeps more than totals
 * @detail: enum mp_detail
 * @access: enum mp_access
 * @pace: hops a second of a load, 0 = as fast as it goes
 * @threads: threads of a GPU actor
 */
struct mp_actor {
	uint32_t op;
	uint32_t place;
	uint32_t arena;
	uint32_t phase;
	uint64_t offset;
	uint64_t length;
	uint32_t copies;
	uint32_t together;
	uint32_t background;
	uint32_t group;
	uint64_t stride;
	uint64_t reach;
	uint64_t skew;
	uint64_t warm_hops;
	uint64_t hops;
	uint32_t bursts;
	uint32_t detail;
	uint32_t access;
	uint32_t threads;
	uint64_t pace;
	uint32_t every;
	uint32_t reserved;
};

/**
 * struct mp_exp - an experiment
 * @n_arenas: arenas used
 * @n_actors: actors used
 * @n_steps: steps of a sequence used
 * @rounds: times all phases are gone through
 * @window_ns: the longest stretch that is measured at once
 * @quiet: wished-for quiet, bits of enum mp_wish
 * @carveout: shared-memory carve-out of a GPU in bytes
 * @arena: the arenas
 * @actor: the actors
 * @steps: slots of a sequence, each slot << 2 | {0 touch, 1 time, 2 flush}
 */
struct mp_exp {
	uint32_t n_arenas;
	uint32_t n_actors;
	uint32_t n_steps;
	uint32_t rounds;
	uint64_t window_ns;
	uint32_t quiet;
	uint32_t carveout;
	struct mp_arena arena[MP_EXP_ARENAS];
	struct mp_actor actor[MP_EXP_ACTORS];
	uint32_t steps[MP_EXP_STEPS];
};

/**
 * mp_exp_init() - the empty experiment: one round, default window, no actor
 */
void mp_exp_init(struct mp_exp *exp);

/**
 * mp_exp_chase() - the common one: one arena, one actor that chases
 * @exp: gets the experiment, all other fields at their defaults
 * @place: CPU
 * @pages: wished page kind
 * @length: footprint, bytes
 * @stride: bytes from slot to slot
 * @reach: window of the order, bytes, 0 = full random
 */
void mp_exp_chase(struct mp_exp *exp, uint32_t place, uint32_t pages,
		  uint64_t length, uint64_t stride, uint64_t reach);

/**
 * mp_exp_check() - is it well formed?
 * @exp: the experiment
 * @why: gets what is wrong, which value and what is allowed; may be NULL
 * @room: bytes of @why
 * Return: 0 or -EINVAL.
 */
int mp_exp_check(const struct mp_exp *exp, char *why, size_t room);

/**
 * mp_exp_print() - the experiment in words: "rounds=1 arena0.bytes=.."
 * @exp: the experiment
 * @text: gets the words; fields at their defaults are left out, so that a
 *	field added later changes no old text
 * @room: bytes of @text; MP_EXP_TEXT always suffices
 * Return: length, or -ENOSPC.
 */
int mp_exp_print(const struct mp_exp *exp, char *text, size_t room);

/**
 * mp_exp_parse() - from words
 * Return: 0; -EINVAL and @why for an unknown word, a bad or too large number.
 */
int mp_exp_parse(struct mp_exp *exp, const char *text, char *why, size_t room);

/** mp_exp_id() - 64-bit hash of everything in it (of mp_exp_print()'s text) */
uint64_t mp_exp_id(const struct mp_exp *exp);

/** mp_exp_equal() - same fields, same values */
bool mp_exp_equal(const struct mp_exp *a, const struct mp_exp *b);

/** mp_exp_seed() - seed of a replicate: f(run seed, id, number) */
uint64_t mp_exp_seed(uint64_t run_seed, uint64_t id, uint32_t replicate);

/** mp_pages_name() - "4k", "thp", "2m", "1g", "contig", "device", "uncached" */
const char *mp_pages_name(uint32_t pages);
/** mp_pages_parse() - from its name; -EINVAL */
int mp_pages_parse(const char *name, uint32_t *pages);

/** mp_actor_acts() - does an actor take part in a round? */
bool mp_actor_acts(const struct mp_actor *actor, uint32_t round);

/** mp_exp_sequence() - the actor that the steps are of; NULL: there is none, or
 * more than one */
const struct mp_actor *mp_exp_sequence(const struct mp_exp *exp);

/** mp_op_name() - "none", "chase", "sequence", .. */
const char *mp_op_name(uint32_t op);

#endif
