/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is noted of bursts while they run, in memory set aside for it, and
 * made samples of when all are done.
 */
#ifndef MP_USER_NOTE_H
#define MP_USER_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "batch.h"
#include "chase.h"
#include "user_clock.h"

/** struct mp_user_usage - what the kernel counted of this thread */
struct mp_user_usage {
	uint64_t switches;
	uint64_t faults;
};

/** MP_USER_USAGE_UNKNOWN - nobody has looked */
#define MP_USER_USAGE_UNKNOWN \
	((struct mp_user_usage){ .switches = UINT64_MAX, .faults = UINT64_MAX })

/** mp_user_usage_now() - counts so far; a system call of about 0.3 us */
struct mp_user_usage mp_user_usage_now(void);
/** mp_user_usage_since() - counts since then */
struct mp_user_usage mp_user_usage_since(const struct mp_user_usage *then);
/** mp_user_usage_tell() - counts of a time in which a sample was made, and others:
 * those of it are known where they are zero */
void mp_user_usage_tell(const struct mp_user_usage *usage,
			struct memprobe_sample *sample);

/**
 * struct mp_user_payload - the words of a burst in its batch
 * @kind: enum memprobe_payload
 * @offset: the first
 * @count: how many
 */
struct mp_user_payload {
	uint32_t kind;
	uint32_t offset;
	uint32_t count;
};

/** MP_USER_PAYLOAD_ROOM - words of room for each of a burst's ticks */
#define MP_USER_PAYLOAD_ROOM 4u

/**
 * mp_user_payload_keep() - the ticks of a burst into the batch
 * @ticks: of groups, or of steps
 * @n: how many; 0 = no words
 * @detail: as enum mp_detail wants them
 * @room: MP_USER_PAYLOAD_ROOM * @n words to make a histogram in
 * @at: gets where they are
 * Return: 0, -ENOMEM or -EFBIG.
 */
int mp_user_payload_keep(const uint64_t *ticks, uint32_t n, uint32_t detail,
		       uint64_t *room, struct mp_batch *batch,
		       struct mp_user_payload *at);

/** mp_user_payload_tell() - say in a sample where its words are */
void mp_user_payload_tell(const struct mp_user_payload *at,
			struct memprobe_sample *sample);

/**
 * struct mp_user_burst - what is noted of a burst
 * @chase: what came out; where groups are timed, sums over them
 * @end_tick: when it ended
 * @warm_hops: unmeasured hops before it since the memory was disturbed
 * @cpu: CPU that it began on
 * @cpu_end: CPU that it ended on
 * @usage: counts, if @usage_each
 * @cold: part of its ring may have been evicted
 * @payload: its words in the batch
 */
struct mp_user_burst {
	struct mp_chase chase;
	uint64_t end_tick;
	uint64_t warm_hops;
	uint32_t cpu;
	uint32_t cpu_end;
	struct mp_user_usage usage;
	bool cold;
	struct mp_user_payload payload;
};

/**
 * struct mp_user_notes - what is noted of the bursts of a round
 * @burst: owned
 * @n: bursts that were run
 * @usage_each: a burst has its own usage, not the round
 * @usage: counts of the whole round, or MP_USER_USAGE_UNKNOWN
 * @groups: groups of hops in a burst, 0 = totals only
 * @ticks: of the groups; owned
 * @pair: room to make a histogram in; owned
 */
struct mp_user_notes {
	struct mp_user_burst *burst;
	uint32_t n;
	bool usage_each;
	struct mp_user_usage usage;
	uint32_t groups;
	uint64_t *ticks;
	uint64_t *pair;
};

/**
 * struct mp_user_about - what the samples of a round have in common
 * @clock: the clock
 * @actor: whose they are
 * @hops: hops, or steps, that a burst was to make
 * @index: number of the actor in the experiment
 * @round: number of the round
 * @window_ticks: the longest burst
 */
struct mp_user_about {
	const struct mp_user_clock *clock;
	const struct mp_actor *actor;
	uint64_t hops;
	uint32_t index;
	uint16_t round;
	uint64_t window_ticks;
};

/** mp_user_notes_make() - room for @bursts, touched; -ENOMEM */
int mp_user_notes_make(struct mp_user_notes *notes, uint32_t bursts);
/** mp_user_notes_groups() - room for @groups of hops a burst; -ENOMEM */
int mp_user_notes_groups(struct mp_user_notes *notes, uint32_t groups);
/** mp_user_notes_free() - give back */
void mp_user_notes_free(struct mp_user_notes *notes);

/** mp_user_notes_keep() - the groups' ticks of a burst into the batch, as
 * @detail (enum mp_detail) wants them; -ENOMEM, -EFBIG */
int mp_user_notes_keep(const struct mp_user_notes *notes, uint32_t detail,
		       struct mp_user_burst *burst, struct mp_batch *batch);

/** mp_user_notes_give() - a sample of each burst into the batch; -ENOMEM */
int mp_user_notes_give(const struct mp_user_notes *notes,
		       const struct mp_user_about *about,
		       struct mp_batch *batch);

#endif
