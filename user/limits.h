/* SPDX-License-Identifier: GPL-2.0 */
/* Every limit and default of the tool stands here and nowhere else, but for
 * those of a window, which the kernel module shares. */
#ifndef MP_LIMITS_H
#define MP_LIMITS_H

#include "window.h"

/** One experiment: bursts and hops that make sense. */
#define MP_BURSTS_MAX 4096u
#define MP_HOPS_MAX (1ull << 32)
#define MP_ROUNDS_MAX 1024u
#define MP_COPIES_MAX 4096u
/** What a chase does unless told. Defaults are left out of an experiment's
 * text, so of its id and of saved runs: changing one orphans recordings. */
#define MP_HOPS_DEFAULT 4096u
#define MP_BURSTS_DEFAULT 8u

/** One arena. */
#define MP_ARENA_MAX_BYTES (1ull << 40)

/** Payload words of one batch: 1 MiB. */
#define MP_BATCH_WORDS_MAX (1u << 17)
/** Samples of one batch: 16 MiB. */
#define MP_BATCH_SAMPLES_MAX (1u << 16)

/** A batch that does not count is measured again, at most so often. */
#define MP_REPEATS_MAX 2u
/** A probe is asked for another plan at most so often. The ways of three levels took
 * more than 256 tests, one after the other. */
#define MP_PLANS_MAX 1024u

/** Seed of a run unless given: runs repeat; any number would do. */
#define MP_SEED_DEFAULT 1u

/** Time of a whole run, s: what --time-limit is unless given, its bounds. */
#define MP_TIME_LIMIT_S 60u
#define MP_TIME_LIMIT_MIN_S 1u
#define MP_TIME_LIMIT_MAX_S 86400u
/** What a calm run may cost, ns of measuring, by depth. */
#define MP_BUDGET_QUICK_NS 4000000000ull
#define MP_BUDGET_DEFAULT_NS 12500000000ull
#define MP_BUDGET_DEEP_NS 45000000000ull

/** Memory: no arena beyond this share of what is available, and never more
 * than MP_ARENA_CAP_BYTES in a run. */
#define MP_ARENA_SHARE 0.5
#define MP_ARENA_CAP_BYTES (512ull << 20)

/** A saved run that is larger than this is refused. */
#define MP_SAVE_MAX_BYTES (256ull << 20)
/** The readable head of a saved run. */
#define MP_SAVE_HEAD_MAX_BYTES (1ull << 20)

#endif
