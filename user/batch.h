/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A batch: one replicate of one experiment, as a backend hands it over:
 * what was granted, the raw samples, what it cost, or the error.
 */
#ifndef MP_BATCH_H
#define MP_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exp.h"
#include "ioctl/memprobe.h"

#define MP_GRANT_CLOCKS 4
#define MP_GRANT_TEXT 32

/**
 * struct mp_clock_record - the core clock as two chains saw it
 * @at_ns: when, on the clock of memprobe_sample.start_ns
 * @add_hz: from register-to-register adds, 0 = unknown
 * @mul_hz: from multiplies, 0 = unknown
 */
struct mp_clock_record {
	uint64_t at_ns;
	double add_hz;
	double mul_hz;
};

/** enum mp_granted - bits of mp_grant.got */
enum mp_granted {
	MP_GOT_FIFO = 1u << 0,		/* SCHED_FIFO */
	MP_GOT_NICE = 1u << 1,		/* a raised nice level */
	MP_GOT_AUTOGROUP = 1u << 2,	/* a raised autogroup */
	MP_GOT_PREEMPT_OFF = 1u << 3,
	MP_GOT_IRQ_OFF = 1u << 4,
	MP_GOT_PREFETCH_OFF = 1u << 5,
};

/**
 * struct mp_grant_arena - what one arena really got
 * @bytes: mapped
 * @huge_bytes: of these, backed by pages of 2 MiB or more as the kernel
 *	tells afterwards (never assumed)
 * @pages: enum mp_pages that all of it has; MP_PAGES_4K where it is mixed
 * @node: node of its pages, MP_NODE_ANY where mixed or unknown
 * @contiguous: 1 physically contiguous throughout, 0 not or unknown
 */
struct mp_grant_arena {
	uint64_t bytes;
	uint64_t huge_bytes;
	uint32_t pages;
	int32_t node;
	uint32_t contiguous;
	uint32_t reserved;
};

/**
 * struct mp_grant - what was really obtained for a batch
 * @tick_hz: ticks a second of the sample clock
 * @tick_step: least step of that clock, ticks
 * @read_ticks: what two reads add to what is timed between them, in ticks
 * @look_ticks: cost of one look at the clock inside a stretch, in ticks
 *	(an estimate, may be 0; measured)
 * @gap_ticks: a stretch between looks longer than this was called a gap
 * @got: bits of enum mp_granted
 * @n_arenas: arenas described
 * @n_clocks: clock records used, in order of time
 * @n_counters: event counters
 * @arena: the arenas
 * @clock: core clock, before and after at least
 * @counter: their names
 */
struct mp_grant {
	double tick_hz;
	double read_ticks;
	double look_ticks;
	uint64_t tick_step;
	uint64_t gap_ticks;
	uint32_t got;
	uint32_t n_arenas;
	uint32_t n_clocks;
	uint32_t n_counters;
	struct mp_grant_arena arena[MP_EXP_ARENAS];
	struct mp_clock_record clock[MP_GRANT_CLOCKS];
	char counter[MEMPROBE_COUNTERS][MP_GRANT_TEXT];
};

/**
 * struct mp_batch_time - hops of a batch that took no longer
 * @cycles: than this
 * @hops: how many
 */
struct mp_batch_time {
	double cycles;
	double hops;
};

/**
 * struct mp_batch_times - single hops of some samples of a batch, by time
 * @first: from this one to the last
 * @asked: times that they were asked for; once is not worth sorting them
 * @n, @time: the times; NULL = not sorted
 */
struct mp_batch_times {
	uint32_t first;
	uint32_t asked;
	uint32_t n;
	struct mp_batch_time *time;
};

/** MP_BATCH_TIMES - lists of times that a batch keeps: of all samples, and of
 * those after the first turns */
#define MP_BATCH_TIMES 2

/**
 * struct mp_batch_kept - what follows from a batch that changes no more
 *
 * Nothing here says more than the samples do. It is filled in by those who
 * work it out, when they do, so that nobody works it out again.
 * @sample, @n_samples: of the batch; a copy with others has to be looked at anew
 * @serial: its own, of all that a process ever kept
 * @counts: mp_batch_counts()
 * @has_ticks, @ticks: mp_clock_hop_ticks() of the first actor
 * @times: see mp_spectrum_slower()
 */
struct mp_batch_kept {
	const struct memprobe_sample *sample;
	uint32_t n_samples;
	uint64_t serial;
	bool counts;
	bool has_ticks;
	double ticks;
	struct mp_batch_times times[MP_BATCH_TIMES];
};

/**
 * struct mp_batch - one replicate of one experiment
 * @exp: the experiment
 * @id: mp_exp_id() of it
 * @replicate: number, from 0
 * @error: 0, or a negative errno and no samples
 * @start_ns: when, on the clock of the samples
 * @cost_ns: what it took in all: building, warming, measuring
 * @grant: what was obtained
 * @n_samples: samples
 * @n_words: words in the payload store
 * @sample: owned; grows by mp_batch_add() only
 * @payload: owned; grows by mp_batch_words() only
 * @kept: owned; NULL = the batch may change, or there was no memory
 */
struct mp_batch {
	struct mp_exp exp;
	uint64_t id;
	uint32_t replicate;
	int32_t error;
	uint64_t start_ns;
	uint64_t cost_ns;
	struct mp_grant grant;
	uint32_t n_samples;
	uint32_t n_words;
	struct memprobe_sample *sample;
	uint64_t *payload;
	struct mp_batch_kept *kept;
};

/** mp_batch_init() - an empty batch of an experiment */
void mp_batch_init(struct mp_batch *batch, const struct mp_exp *exp,
		   uint32_t replicate);

/**
 * mp_batch_copy() - a batch of its own, equal to another
 * @to: not initialised; holds nothing after an error
 * Return: 0 or -ENOMEM.
 */
int mp_batch_copy(struct mp_batch *to, const struct mp_batch *from);

/** mp_batch_keep() - it changes no more: what follows from it may be kept */
void mp_batch_keep(struct mp_batch *batch);

/** mp_batch_kept() - what is kept of a batch; NULL: nothing, or it is a copy of
 * other samples */
struct mp_batch_kept *mp_batch_kept(const struct mp_batch *batch);

/** mp_batch_free() - give back what it owns; the batch is empty then */
void mp_batch_free(struct mp_batch *batch);

/**
 * mp_batch_add() - append a zeroed sample
 * Return: the sample (valid until the next call), NULL when out of memory or
 * beyond MP_BATCH_SAMPLES_MAX.
 */
struct memprobe_sample *mp_batch_add(struct mp_batch *batch);

/**
 * mp_batch_words() - append words to the payload store
 * @offset: gets the first word's index
 * Return: 0, -ENOMEM, or -EFBIG beyond MP_BATCH_WORDS_MAX.
 */
int mp_batch_words(struct mp_batch *batch, const uint64_t *words, uint32_t n,
		   uint32_t *offset);

/** mp_sample_calm() - nothing is known to have disturbed it */
bool mp_sample_calm(const struct memprobe_sample *sample);

/**
 * mp_batch_counts() - does it count? It has samples, and at least half of
 * them are calm. Runner and analysis both ask this and nothing else.
 */
bool mp_batch_counts(const struct mp_batch *batch);

#endif
