/* SPDX-License-Identifier: GPL-2.0 */
/* The first table: who can act. */
#ifndef MP_BACKEND_H
#define MP_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "cpus.h"
#include "fact.h"

#define MP_HOST_TEXT 128
#define MP_HOST_CLAIMS 64
#define MP_HOST_CONDITIONS 64
#define MP_HOST_CPUS MP_CPUS_MAX
#define MP_TARGET_WHY 256

/** enum mp_cap - what a backend can do here, bits */
enum mp_cap {
	MP_CAP_CHASE = 1u << 0,
	MP_CAP_SEQUENCE = 1u << 1,
	MP_CAP_STREAM = 1u << 2,
	MP_CAP_PINGPONG = 1u << 3,
	MP_CAP_GAP = 1u << 4,
	MP_CAP_CODE = 1u << 5,
	MP_CAP_HUGE = 1u << 6,	/* pages of 2 MiB can be had */
	MP_CAP_CORE_CLOCK = 1u << 7,	/* clock records are given */
	MP_CAP_ACTORS = 1u << 8,	/* actors on more than one CPU */
	MP_CAP_MODELLED = 1u << 9,	/* a simulated machine, or a model's output */
	MP_CAP_PREFETCH_OFF = 1u << 10,	/* some prefetchers can be turned off, or there are none */
	MP_CAP_GIANT = 1u << 11,	/* pages of 1 GiB can be had */
	MP_CAP_PHASES = 1u << 12,	/* several actors of one CPU, each in a phase of its own */
	MP_CAP_MIXED = 1u << 13,	/* one of these may be a sequence, laid once */
};

/** struct mp_text_pair - something said about the host, for the report only */
struct mp_text_pair {
	char key[MP_FACT_NAME];
	char text[MP_HOST_TEXT];
};

/** struct mp_host_claim - what a source says of the quantity of a fact */
struct mp_host_claim {
	char fact[MP_FACT_NAME];
	double value;
	char source[MP_FACT_UNIT];
};

struct mp_save;

/**
 * struct mp_host - what is known about the machine before measuring
 * @caps: bits of enum mp_cap
 * @cpu: the CPU that probes are placed on
 * @cpus: those that actors of an experiment may be placed on, @cpu among them
 * @node: the node that was asked for, or MP_NODE_ANY
 * @pages: page kind that probes should wish for, enum mp_pages
 * @pages_forced: the user asked for it: no other kind may be used
 * @arena_max_bytes: the largest arena that may be asked for (a resource
 *	limit, not a claim: memory available, cgroup)
 * @start_ns: the sample clock when the backend was opened
 * @model: "AuthenticAMD family 25 model 17", or the simulated machine's name
 * @label: what every output must say, such as "simulated: FILE" or
 *	"recorded: FILE"; empty where a real machine is measured as it is
 * @n_claims, @claim: what the system says; never read by a probe
 * @n_conditions, @condition: kernel, governor, THP, load, scheduling rights
 *	granted ..; for the report only
 * @recorded: the saved run that stands behind it, NULL for a machine that
 *	can be measured; the target's, valid until it is closed
 */
struct mp_host {
	uint32_t caps;
	uint32_t cpu;
	struct mp_cpus cpus;
	int32_t node;
	uint32_t pages;
	bool pages_forced;
	uint64_t arena_max_bytes;
	uint64_t start_ns;
	char model[MP_HOST_TEXT];
	char label[MP_HOST_TEXT];
	uint32_t n_claims;
	struct mp_host_claim claim[MP_HOST_CLAIMS];
	uint32_t n_conditions;
	struct mp_text_pair condition[MP_HOST_CONDITIONS];
	const struct mp_save *recorded;
};

/** mp_host_lives() - it is measured now: neither a model nor a recording */
bool mp_host_lives(const struct mp_host *host);

/** mp_cap_name() - of one bit of enum mp_cap: "chase", "huge" ..; NULL */
const char *mp_cap_name(uint32_t cap);

/** mp_host_claim() - note a claim; a full table ignores it */
void mp_host_claim(struct mp_host *host, const char *fact, double value,
		   const char *source);
/** mp_host_condition() - note a condition; a full table ignores it */
void mp_host_condition(struct mp_host *host, const char *key,
		       const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * struct mp_opts - what the user asked for, as far as backends care
 * @cpu: CPU number, -1 = choose
 * @node: node, -1 = any
 * @pages: enum mp_pages, -1 = choose
 * @seed: run seed
 * @file: machine file (sim) or saved run (replay)
 * @identify: host name and serial numbers may be told
 * @noisy: the backend's quiet windows are left out (mp_backend.has_windows)
 */
struct mp_opts {
	int cpu;
	int node;
	int pages;
	uint64_t seed;
	const char *file;
	bool identify;
	bool noisy;
};

/**
 * struct mp_target - an open backend
 * @backend: its row of the table
 * @seed: run seed; the caller sets it before open, a recording puts the
 *	seed of the recorded run in its place
 * @why: set with any error: one clear line, what, which value, what is
 *	allowed, what to do
 * @priv: the backend's own
 */
struct mp_target {
	const struct mp_backend *backend;
	uint64_t seed;
	char why[MP_TARGET_WHY];
	void *priv;
};

/**
 * struct mp_backend - acts: owns hardware, files, clocks
 * @name: as in --backend
 * @asks_file: --backend NAME=FILE
 * @has_windows: it measures in windows in which others are kept off, and can
 *	leave them out: --noisy
 * @unmet: why this build or machine lacks it, one line that says what to do;
 *	returns NULL when usable. May be NULL = always usable
 * @open: 0; -EACCES/-EPERM/-ENODEV (not permitted, missing: exit 3),
 *	-EINVAL (the user asked for what cannot be: exit 2), -ENOENT ..
 *	(a file that cannot be read: exit 2). target->why is set
 * @look: fills @host (zeroed before)
 * @run: one replicate, into a batch that mp_batch_init() made. Returns 0 and
 *	leaves batch->error = 0 with samples, or batch->error < 0 without:
 *	-EOPNOTSUPP what it cannot do, -ENOMEM, -ENODATA not in the recording,
 *	-EINTR; -EAGAIN and -EINTR are tried again. A non-zero return means
 *	the backend is broken and the run must end
 * @close: gives all back, undoes all that it changed. target->priv may be NULL
 */
struct mp_backend {
	const char *name;
	const char *says;
	bool asks_file;
	bool has_windows;
	const char *(*unmet)(void);
	int (*open)(struct mp_target *target, const struct mp_opts *opts);
	int (*look)(struct mp_target *target, struct mp_host *host);
	int (*run)(struct mp_target *target, const struct mp_exp *exp,
		   uint32_t replicate, struct mp_batch *batch);
	void (*close)(struct mp_target *target);
};

/** mp_target_fail() - set target->why and return @err */
int mp_target_fail(struct mp_target *target, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** mp_backends - the table, NULL-terminated (user/backend/list.h) */
extern const struct mp_backend *const mp_backends[];
const struct mp_backend *mp_backend_find(const char *name);

#endif
