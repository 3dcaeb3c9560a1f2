// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of the module, as samples of a batch. They are taken over as they
 * are; what only this side can know is added: their number in the replicate,
 * whether they are as long as was asked for, and whether what others did
 * between two windows may show.
 */
#include "kmod_note.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user_note.h"
#include "user_stale.h"
#include "why.h"

static const struct {
	uint32_t slot;
	const char *name;
} names[] = {
	{ MEMPROBE_SLOT_APERF, "aperf" },
	{ MEMPROBE_SLOT_MPERF, "mperf" },
	{ MEMPROBE_SLOT_EMPTY, "empty" },
	{ MEMPROBE_SLOT_QUIET, "quiet_ns" },
	{ MEMPROBE_SLOT_BUSY, "busy_ns" },
};

void mp_kmod_note_names(struct mp_grant *grant)
{
	grant->n_counters = MEMPROBE_SLOT_BUSY + 1;
	for (uint32_t i = 0; i < grant->n_counters; i++)
		snprintf(grant->counter[i], MP_GRANT_TEXT, "no event");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		snprintf(grant->counter[names[i].slot], MP_GRANT_TEXT, "%s",
			 names[i].name);
}

int mp_kmod_note_make(struct mp_kmod_note *note,
		      const struct mp_kmod_plan *plan, uint32_t bursts)
{
	const size_t ticks = (size_t)plan->burst_ticks * bursts;

	memset(note, 0, sizeof(*note));
	note->sample = calloc(bursts, sizeof(*note->sample));
	note->ticks = calloc(ticks + 1, sizeof(*note->ticks));
	note->room = calloc(MP_USER_PAYLOAD_ROOM *
			    ((size_t)plan->burst_ticks + 1),
			    sizeof(*note->room));
	if (!note->sample || !note->ticks || !note->room) {
		mp_kmod_note_free(note);
		return -ENOMEM;
	}
	return 0;
}

void mp_kmod_note_free(struct mp_kmod_note *note)
{
	free(note->sample);
	free(note->ticks);
	free(note->room);
	memset(note, 0, sizeof(*note));
}

static bool is_known(const struct memprobe_sample *sample, uint32_t bit)
{
	return sample->valid >> bit & 1;
}

static double ns_of(const struct mp_kmod_call *call, uint64_t ticks)
{
	return (double)ticks * 1e9 / call->clock->hz;
}

/* A hop where nothing came between: the quickest burst has it. 0 = unknown. */
static double hop_ns_of(const struct mp_kmod_note *note,
			const struct mp_kmod_call *call)
{
	double least = 0;

	for (uint32_t i = 0; i < call->run->n_samples; i++) {
		const struct memprobe_sample *sample = &note->sample[i];
		double ns;

		if (!sample->hops)
			continue;
		ns = ns_of(call, sample->ticks) / (double)sample->hops;
		if (!(least > 0) || ns < least)
			least = ns;
	}
	return least;
}

/*
 * How long others may have had the CPU before a burst, ns. Where the module
 * does not know, all the time since the burst before, or since the call,
 * may have been theirs.
 */
static double gap_before(const struct mp_kmod_note *note,
			 const struct mp_kmod_call *call, uint32_t i)
{
	const struct memprobe_sample *sample = &note->sample[i];
	double since_ns = (double)call->start_ns;

	if (is_known(sample, MEMPROBE_SLOT_BUSY))
		return (double)sample->counter[MEMPROBE_SLOT_BUSY];
	if (!is_known(sample, MEMPROBE_VALID_START) ||
	    (i && !is_known(sample - 1, MEMPROBE_VALID_START)))
		return (double)call->run->slept_ns;
	if (i)
		since_ns = (double)sample[-1].start_ns +
			   ns_of(call, sample[-1].ticks);
	return (double)sample->start_ns > since_ns ?
	       (double)sample->start_ns - since_ns : 0;
}

static bool is_cold(const struct mp_user_stale *stale, double hop_ns,
		    uint64_t hops, bool singly)
{
	if (!(hop_ns > 0))
		return mp_user_stale_lines(stale) > 0;
	return mp_user_stale_cold(stale, hop_ns, hops, singly);
}

/* What a ring may have lost between windows, and has got back since. */
static void flag_cold(const struct mp_kmod_note *note,
		      const struct mp_kmod_call *call)
{
	const struct memprobe_actor *actor = &call->plan->actor;
	const double hop_ns = hop_ns_of(note, call);
	struct mp_user_stale stale;

	mp_user_stale_init(&stale, actor->length / actor->stride,
			   actor->rewarm_hops);
	for (uint32_t i = 0; i < call->run->n_samples; i++) {
		struct memprobe_sample *sample = &note->sample[i];
		const uint64_t warm = sample->warm_hops < actor->rewarm_hops ?
				      sample->warm_hops : actor->rewarm_hops;

		mp_user_stale_gap(&stale, gap_before(note, call, i));
		mp_user_stale_hops(&stale, warm);
		if (is_cold(&stale, hop_ns, sample->hops, actor->group == 1))
			sample->flags |= MEMPROBE_F_COLD;
		if (sample->gaps)
			mp_user_stale_gap(&stale,
					  ns_of(call, sample->gap_ticks));
		else
			mp_user_stale_hops(&stale, sample->hops);
	}
}

static int keep_ticks(const struct mp_kmod_note *note,
		      const struct mp_kmod_call *call,
		      const struct memprobe_sample *from,
		      struct mp_batch *batch, struct mp_user_payload *payload)
{
	const uint32_t count = from->payload_count;

	if (!count)
		return mp_user_payload_keep(NULL, 0, 0, NULL, batch, payload);
	if (from->payload_kind != MEMPROBE_PAYLOAD_TICKS ||
	    count > call->plan->burst_ticks ||
	    from->payload_offset > call->run->n_ticks ||
	    count > call->run->n_ticks - from->payload_offset)
		return -EIO;
	return mp_user_payload_keep(note->ticks + from->payload_offset, count,
				    call->plan->burst_detail, note->room,
				    batch, payload);
}

static int give_one(const struct mp_kmod_note *note,
		    const struct mp_kmod_call *call, uint32_t i,
		    struct mp_batch *batch)
{
	const struct memprobe_sample *from = &note->sample[i];
	struct mp_user_payload payload;
	struct memprobe_sample *sample;
	int err;

	err = keep_ticks(note, call, from, batch, &payload);
	if (err)
		return err;
	sample = mp_batch_add(batch);
	if (!sample)
		return -ENOMEM;
	*sample = *from;
	sample->round = call->round;
	sample->burst = (uint16_t)(call->before + i);
	if (call->plan->actor.op == MEMPROBE_OP_CHASE &&
	    sample->hops < call->plan->actor.hops)
		sample->flags |= MEMPROBE_F_SHORT;
	mp_user_payload_tell(&payload, sample);
	return 0;
}

int mp_kmod_note_give(const struct mp_kmod_note *note,
		      const struct mp_kmod_call *call, struct mp_batch *batch,
		      char *why, size_t room)
{
	int err = 0;

	if (call->run->n_samples > call->bursts ||
	    call->run->n_ticks > call->bursts * call->plan->burst_ticks)
		return mp_why(why, room, -EIO, "run: %u samples and %u words "
			      "came where %u and %u had room",
			      call->run->n_samples, call->run->n_ticks,
			      call->bursts,
			      call->bursts * call->plan->burst_ticks);
	flag_cold(note, call);
	for (uint32_t i = 0; i < call->run->n_samples && !err; i++)
		err = give_one(note, call, i, batch);
	if (err == -EIO)
		return mp_why(why, room, err, "run: a sample says that it has "
			      "words where there are none of its own");
	if (err)
		return mp_why(why, room, err, "run: no room to keep what came");
	return 0;
}
