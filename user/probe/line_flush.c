// SPDX-License-Identifier: GPL-2.0
/*
 * Flushing one of two neighbours: within a line the other goes with it,
 * whatever has brought it in. Beside each pair stand two others that say how
 * long a load takes that is there, and one that is nowhere.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analysis/stat.h"
#include "ioctl/memprobe.h"
#include "probe/line.h"

#define SLOT 64u
/* Pairs lie so far apart that what is fetched along with one, ahead or
 * beside, does not reach the next. */
#define GROUP_SLOTS 16u
#define GROUPS 40u
/* .. and of so many slots the last shares no pair of lines with the next. */
#define PAIRED 4u
#define KINDS 3u
enum kind { ASKED, THERE, NOWHERE };
#define BURSTS 8u
#define REPLICATES 3u
/* Steps that something interrupted are the longest; so many are left out. */
#define KEPT 0.98
/* Nowhere has to take so much longer than there. */
#define CONTRAST 1.5
#define LIKE_THERE 0.3
#define LIKE_NOWHERE 0.7
/* The nearest level outside takes longer by more than this part of a hit; and
 * so many standard errors. */
#define LATER 0.3
#define SURE 4.0
/* Of what is nowhere so few take less than what is somewhere; and what comes
 * each time does so but for those that something interrupted. */
#define NOWHERE_LEAST 0.02
#define EACH_TIME 0.9

static void step(struct mp_exp *exp, uint32_t slot, uint32_t what)
{
	exp->steps[exp->n_steps++] = MEMPROBE_STEP(slot, what);
}

/* Visits are to the lower half twice before they come to the upper one. */
static void ask_beyond(struct mp_exp *exp, uint32_t slot)
{
	step(exp, slot + 1, MEMPROBE_STEP_FLUSH);
	for (uint32_t i = 0; i < 3; i++)
		step(exp, slot, MEMPROBE_STEP_FLUSH);
	step(exp, slot, MEMPROBE_STEP_TOUCH);
	step(exp, slot + 1, MEMPROBE_STEP_TIME);
}

/* What is brought along may lie ahead, so each of a pair is timed in turn
 * where the other alone is loaded. */
static void ask(struct mp_exp *exp, enum mp_line_pair pair, uint32_t apart,
		uint32_t slot, bool ahead)
{
	uint32_t other = slot + apart / SLOT;

	if (pair != MP_LINE_BOTH && ahead) {
		other = slot;
		slot += apart / SLOT;
	}
	if (apart < SLOT) {
		step(exp, slot, MEMPROBE_STEP_TOUCH);
		step(exp, slot, MEMPROBE_STEP_FLUSH);
		step(exp, slot, MEMPROBE_STEP_TIME);
		return;
	}
	step(exp, slot, pair == MP_LINE_BOTH ? MEMPROBE_STEP_TOUCH :
					       MEMPROBE_STEP_FLUSH);
	step(exp, other, pair == MP_LINE_COMES ? MEMPROBE_STEP_TOUCH :
						MEMPROBE_STEP_FLUSH);
	step(exp, slot, MEMPROBE_STEP_TIME);
}

static void sequence(const struct mp_view *view, enum mp_line_pair pair,
		     uint32_t apart, struct mp_exp *exp)
{
	mp_exp_chase(exp, view->cpu, view->pages,
		     GROUPS * KINDS * GROUP_SLOTS * SLOT, SLOT, 0);
	exp->arena[0].node = view->node;
	exp->quiet = view->quiet;
	exp->actor[0].op = MP_OP_SEQUENCE;
	exp->actor[0].warm_hops = 0;
	exp->actor[0].bursts = BURSTS;
	exp->actor[0].detail = MP_DETAIL_TICKS;
	for (uint32_t i = 0; i < GROUPS; i++) {
		const uint32_t at = i * KINDS * GROUP_SLOTS;

		if (pair == MP_LINE_BEYOND)
			ask_beyond(exp, at + PAIRED - 1);
		else
			ask(exp, pair, apart, at, i % 2);
		step(exp, at + THERE * GROUP_SLOTS, MEMPROBE_STEP_TOUCH);
		step(exp, at + THERE * GROUP_SLOTS, MEMPROBE_STEP_TIME);
		step(exp, at + NOWHERE * GROUP_SLOTS, MEMPROBE_STEP_FLUSH);
		step(exp, at + NOWHERE * GROUP_SLOTS, MEMPROBE_STEP_TIME);
	}
}

int mp_line_flush_plan(const struct mp_view *view, enum mp_line_pair pair,
		       uint32_t apart, struct mp_plan *plan)
{
	struct mp_exp exp;

	sequence(view, pair, apart, &exp);
	return mp_plan_add(plan, &exp, REPLICATES);
}

/* Ticks of the steps of each kind. */
struct ticks {
	uint32_t n[KINDS];
	uint32_t room;
	double *value[KINDS];
};

static void take(const struct mp_batch *batch, struct ticks *ticks)
{
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *s = &batch->sample[i];
		const uint64_t *word = batch->payload + s->payload_offset;

		if (!mp_sample_calm(s) ||
		    s->payload_kind != MEMPROBE_PAYLOAD_TICKS)
			continue;
		for (uint32_t w = 0; w < s->payload_count; w++) {
			const uint32_t kind = w % KINDS;

			if (ticks->n[kind] < ticks->room)
				ticks->value[kind][ticks->n[kind]++] =
					(double)word[w];
		}
	}
}

static double usual(double *value, uint32_t n)
{
	mp_stat_sort(value, n);
	return mp_stat_mean(value, (size_t)(KEPT * n));
}

/* Is what was asked for further away than what is there, if by little? */
static bool is_further(const struct ticks *ticks, const double *time)
{
	double error[KINDS];

	for (uint32_t i = 0; i < KINDS; i++)
		error[i] = mp_stat_sd(ticks->value[i],
				      (size_t)(KEPT * ticks->n[i])) /
			   sqrt(KEPT * ticks->n[i]);
	return time[ASKED] - time[THERE] >
	       fmax(LATER * time[THERE], SURE * hypot(error[ASKED],
						      error[THERE]));
}

/* Is it found each time, further in than nowhere at all? From wherever it
 * comes: of a line that is long further out only. */
static bool comes(const struct ticks *ticks)
{
	const double nowhere = mp_stat_quantile(ticks->value[NOWHERE],
						ticks->n[NOWHERE], NOWHERE_LEAST);
	uint32_t n = 0;

	while (n < ticks->n[ASKED] && ticks->value[ASKED][n] < nowhere)
		n++;
	return n >= EACH_TIME * ticks->n[ASKED];
}

static uint32_t judge(struct ticks *ticks, enum mp_line_pair pair,
		      double read_ticks)
{
	double time[KINDS], z;

	for (uint32_t i = 0; i < KINDS; i++)
		time[i] = usual(ticks->value[i], ticks->n[i]) - read_ticks;
	if (!(time[NOWHERE] > CONTRAST * fmax(time[THERE], 0)))
		return MP_LINE_UNSURE;
	if (pair == MP_LINE_BEYOND)
		return is_further(ticks, time) ? MP_LINE_YES : MP_LINE_NO;
	if (pair == MP_LINE_COMES)
		return comes(ticks) ? MP_LINE_YES : MP_LINE_NO;
	z = (time[ASKED] - time[THERE]) / (time[NOWHERE] - time[THERE]);
	return z < LIKE_THERE ? MP_LINE_NO :
	       z > LIKE_NOWHERE ? MP_LINE_YES : MP_LINE_UNSURE;
}

uint32_t mp_line_flush(const struct mp_view *view, enum mp_line_pair pair,
		       uint32_t apart, struct mp_fact *fact)
{
	const uint32_t room = GROUPS * BURSTS * 2 * REPLICATES;
	struct ticks ticks = { .room = room };
	uint32_t says = MP_LINE_OPEN;
	double read_ticks = 0;
	struct mp_exp exp;
	double *all = calloc((size_t)KINDS * room, sizeof(*all));

	if (!all)
		return MP_LINE_OPEN;
	for (uint32_t i = 0; i < KINDS; i++)
		ticks.value[i] = all + (size_t)i * room;
	sequence(view, pair, apart, &exp);
	for (uint32_t i = 0; i < view->n_batches; i++) {
		const struct mp_batch *batch = view->batch[i];

		if (!mp_batch_counts(batch) || !mp_exp_equal(&batch->exp, &exp))
			continue;
		take(batch, &ticks);
		read_ticks = batch->grant.read_ticks;
		if (fact)
			mp_fact_note(fact, batch->id);
	}
	if (ticks.n[ASKED])
		says = judge(&ticks, pair, read_ticks);
	free(all);
	return says;
}
