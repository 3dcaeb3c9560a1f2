// SPDX-License-Identifier: GPL-2.0
/*
 * Notes of bursts, and the samples that they become. A sample says only what
 * was seen: counts that a round had as a whole hold for its bursts where
 * they are zero, and are unknown otherwise.
 */
#include "user_note.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "hist.h"

static uint16_t short_count(uint64_t n)
{
	return n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
}

struct mp_user_usage mp_user_usage_now(void)
{
	struct rusage now;

	getrusage(RUSAGE_THREAD, &now);
	return (struct mp_user_usage){
		.switches = (uint64_t)now.ru_nvcsw + (uint64_t)now.ru_nivcsw,
		.faults = (uint64_t)now.ru_minflt + (uint64_t)now.ru_majflt,
	};
}

struct mp_user_usage mp_user_usage_since(const struct mp_user_usage *then)
{
	struct mp_user_usage now = mp_user_usage_now();

	now.switches -= then->switches;
	now.faults -= then->faults;
	return now;
}

int mp_user_notes_make(struct mp_user_notes *notes, uint32_t bursts)
{
	const size_t bytes = bursts * sizeof(*notes->burst);

	memset(notes, 0, sizeof(*notes));
	notes->burst = malloc(bytes);
	if (!notes->burst)
		return -ENOMEM;
	/* Not to zero: a compiler makes that calloc(), which touches nothing. */
	memset(notes->burst, 0xff, bytes);
	return 0;
}

int mp_user_notes_groups(struct mp_user_notes *notes, uint32_t groups)
{
	const size_t n = groups;

	notes->ticks = malloc(n * sizeof(*notes->ticks));
	notes->pair = malloc(MP_USER_PAYLOAD_ROOM * n * sizeof(*notes->pair));
	if (!notes->ticks || !notes->pair)
		return -ENOMEM;
	memset(notes->ticks, 0xff, n * sizeof(*notes->ticks));
	notes->groups = groups;
	return 0;
}

void mp_user_notes_free(struct mp_user_notes *notes)
{
	free(notes->burst);
	free(notes->ticks);
	free(notes->pair);
	memset(notes, 0, sizeof(*notes));
}

static int keep_histogram(const uint64_t *ticks, uint32_t n, uint64_t *room,
			  struct mp_batch *batch, struct mp_user_payload *at)
{
	struct mp_hist hist = { .key = room, .count = room + n, .room = n };
	uint64_t *pair = room + 2 * (size_t)n;

	for (uint32_t i = 0; i < n; i++)
		mp_hist_add(&hist, ticks[i]);
	for (uint32_t i = 0; i < hist.n; i++) {
		pair[2 * i] = hist.key[i];
		pair[2 * i + 1] = hist.count[i];
	}
	at->count = 2 * hist.n;
	return mp_batch_words(batch, pair, at->count, &at->offset);
}

int mp_user_payload_keep(const uint64_t *ticks, uint32_t n, uint32_t detail,
		       uint64_t *room, struct mp_batch *batch,
		       struct mp_user_payload *at)
{
	memset(at, 0, sizeof(*at));
	if (!n)
		return 0;
	if (detail == MP_DETAIL_HIST) {
		at->kind = MEMPROBE_PAYLOAD_HIST;
		return keep_histogram(ticks, n, room, batch, at);
	}
	at->kind = MEMPROBE_PAYLOAD_TICKS;
	at->count = n;
	return mp_batch_words(batch, ticks, n, &at->offset);
}

void mp_user_payload_tell(const struct mp_user_payload *at,
			struct memprobe_sample *sample)
{
	sample->payload_kind = at->kind;
	sample->payload_offset = at->offset;
	sample->payload_count = at->count;
}

int mp_user_notes_keep(const struct mp_user_notes *notes, uint32_t detail,
		       struct mp_user_burst *burst, struct mp_batch *batch)
{
	return mp_user_payload_keep(notes->ticks, notes->groups, detail,
				  notes->pair, batch, &burst->payload);
}

static uint32_t flags_of(const struct mp_user_burst *burst, uint64_t hops)
{
	uint32_t flags = 0;

	if (burst->chase.gaps)
		flags |= MEMPROBE_F_GAP;
	if (burst->cold)
		flags |= MEMPROBE_F_COLD;
	if (burst->cpu != burst->cpu_end)
		flags |= MEMPROBE_F_MIGRATED;
	if (burst->chase.done_hops < hops)
		flags |= MEMPROBE_F_SHORT;
	return flags;
}

void mp_user_usage_tell(const struct mp_user_usage *usage,
			struct memprobe_sample *sample)
{
	if (!usage->switches)
		sample->valid |= 1ull << MEMPROBE_VALID_SWITCHES;
	if (!usage->faults)
		sample->valid |= 1ull << MEMPROBE_VALID_FAULTS;
}

static void fill_usage(const struct mp_user_notes *notes,
		       const struct mp_user_burst *burst,
		       struct memprobe_sample *sample)
{
	const struct mp_user_usage *usage = &burst->usage;

	if (!notes->usage_each) {
		mp_user_usage_tell(&notes->usage, sample);
		return;
	}
	sample->valid |= 1ull << MEMPROBE_VALID_SWITCHES |
			 1ull << MEMPROBE_VALID_FAULTS;
	sample->switches = short_count(usage->switches);
	sample->faults = short_count(usage->faults);
	if (usage->switches)
		sample->flags |= MEMPROBE_F_SWITCHED;
	if (usage->faults)
		sample->flags |= MEMPROBE_F_FAULT;
}

static void fill_sample(const struct mp_user_about *about,
			const struct mp_user_burst *burst,
			struct memprobe_sample *sample)
{
	const struct mp_chase *chase = &burst->chase;

	sample->actor = about->index;
	sample->round = about->round;
	sample->place = burst->cpu;
	sample->cpu_end = burst->cpu_end;
	sample->hops = chase->done_hops;
	sample->bytes = about->actor->length;
	sample->ticks = chase->ticks;
	sample->start_ns = mp_user_clock_ns(about->clock, chase->start_tick);
	sample->gap_ticks = chase->lost_ticks;
	sample->gap_max_ticks = chase->look_max_ticks;
	sample->gaps = chase->gaps;
	if (chase->ticks > about->window_ticks)
		sample->overrun_ticks = chase->ticks - about->window_ticks;
	sample->warm_hops = burst->warm_hops;
	sample->valid = 1ull << MEMPROBE_VALID_START |
			1ull << MEMPROBE_VALID_GAPS |
			1ull << MEMPROBE_VALID_CPU_END |
			1ull << MEMPROBE_VALID_OVERRUN;
	sample->flags = flags_of(burst, about->hops);
	mp_user_payload_tell(&burst->payload, sample);
}

int mp_user_notes_give(const struct mp_user_notes *notes,
		       const struct mp_user_about *about,
		       struct mp_batch *batch)
{
	for (uint32_t i = 0; i < notes->n; i++) {
		struct memprobe_sample *sample = mp_batch_add(batch);

		if (!sample)
			return -ENOMEM;
		sample->burst = (uint16_t)i;
		fill_sample(about, &notes->burst[i], sample);
		fill_usage(notes, &notes->burst[i], sample);
	}
	return 0;
}
