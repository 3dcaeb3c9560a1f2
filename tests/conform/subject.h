/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A backend under test: what it takes to open it, and the experiments that
 * the suite asks of every one.
 */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "backend.h"
#include "batch.h"

/** SUBJECT_SEED - run seed of all targets here. */
#define SUBJECT_SEED 11u
/** SUBJECT_REPLICATES - replicates that can be had of each experiment. */
#define SUBJECT_REPLICATES 2u

/** enum subject_trait - what not all backends are, bits */
enum subject_trait {
	SUBJECT_SAME = 1u << 0,	/* equal questions have equal answers */
	SUBJECT_FILE = 1u << 1,	/* it is opened on a file */
};

/**
 * struct subject - a row of the suite
 * @backend: its name in the table of backends
 * @file: gives the file to open it on; NULL: it asks for none
 * @traits: bits of enum subject_trait
 * @stand_in: puts something in the place of what it needs and this machine
 *	may lack; NULL: it is asked as it is
 */
struct subject {
	const char *backend;
	const char *(*file)(void);
	uint32_t traits;
	void (*stand_in)(void);
};

/**
 * struct check - a sentence that has to hold for a backend
 * @sentence: its name
 * @holds: fails as cmocka tests do
 * @traits: what a backend must be for the sentence to make sense
 */
struct check {
	const char *sentence;
	void (*holds)(const struct subject *subject);
	uint32_t traits;
};

#define CHECK(name) { .sentence = #name, .holds = name }
#define CHECK_OF(name, needs) \
	{ .sentence = #name, .holds = name, .traits = needs }

/** Tables of checks, ended by a NULL sentence; one a source file. */
extern const struct check open_checks[];
extern const struct check look_checks[];
extern const struct check chase_checks[];
extern const struct check payload_checks[];
extern const struct check refuse_checks[];
extern const struct check sequence_checks[];
extern const struct check actor_checks[];
extern const struct check repeat_checks[];

/** enum ask - the experiments of the suite: those that a recording holds */
enum ask {
	ASK_SMALL,	/* a ring that fits every cache */
	ASK_ROUNDS,	/* three rounds of two bursts */
	ASK_PART,	/* a span inside a larger arena */
	ASK_FAR,	/* a ring that fits few caches, in a windowed order */
	ASK_SKEW,	/* a slot a page, on changing lines */
	ASK_WINDOW,	/* more hops than the shortest window has time for */
	ASK_WINDOW_FAR,	/* and than the usual one has, further out */
	ASK_HIST,	/* a histogram of groups */
	ASK_TICKS,	/* ticks of groups, in order */
	ASKS,
};

/** ask_name() - "small", "rounds", .. */
const char *ask_name(enum ask ask);
/** ask_make() - the experiment, for the place and the pages of a host */
void ask_make(enum ask ask, const struct mp_host *host, struct mp_exp *exp);

/** subject_machine() - file of a simulated machine */
const char *subject_machine(void);
/** subject_recording() - a run of it that asks for all of enum ask */
const char *subject_recording(void);

/** subject_backend() - its row of the table; fails where there is none */
const struct mp_backend *subject_backend(const struct subject *subject);

/** subject_opts() - what opens it: no wishes */
struct mp_opts subject_opts(const struct subject *subject);

/**
 * struct bench - an open backend
 * @target: the target
 * @host: what it has said of itself
 */
struct bench {
	struct mp_target target;
	struct mp_host host;
};

/** bench_open() - open and look; fails, or skips where the backend is unmet */
void bench_open(struct bench *bench, const struct subject *subject);
/** bench_close() - close it, and see that nothing of it is left */
void bench_close(struct bench *bench);

/**
 * bench_run() - run one replicate
 * @batch: not initialised; mp_batch_free() it
 *
 * Sees to it that the backend survived, that the batch still says what it is
 * one of, and that it has either samples or an error.
 */
void bench_run(struct bench *bench, const struct mp_exp *exp,
	       uint32_t replicate, struct mp_batch *batch);

/** bench_ask() - the same of one of the suite's experiments; has samples */
void bench_ask(struct bench *bench, enum ask ask, uint32_t replicate,
	       struct mp_batch *batch);

/** assert_works() - it goes on measuring as it should */
void assert_works(struct bench *bench);

/** assert_one_line() - something is said, on one line, not cut off */
void assert_one_line(const char *text, size_t room);

#endif
