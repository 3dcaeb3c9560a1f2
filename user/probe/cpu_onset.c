// SPDX-License-Identifier: GPL-2.0
/*
 * Rings between two limits, ever nearer to where misses set in. Each hop is
 * timed, but for the first to a page, which waits for its translation: that sets
 * in all at once, too, wherever TLBs end.
 */
#include "probe/cpu_onset.h"

#include <math.h>
#include <string.h>

#include "analysis/kept.h"
#include "probe/turn.h"

/* Of the hops so few are none, and so many some. */
#define NONE 0.001
#define SOME 0.02
/* Lengths to the octave; limits no nearer than that are wanted. */
#define GRAIN 32
/* A hash leaves some sets fuller than others. The first of them miss long before
 * a part of all lines does: of two slices of 64 ways one in a thousand at 0.76
 * of the capacity, and so many more only at 0.85. No more steps than that lie
 * between none and some, where there is none. */
#define STEPS_MOST 3
/* Replicates, and of what is said in the end. Pieces of memory that fall on sets
 * by chance, or by a hash, do so otherwise in each: of one length none has some
 * misses where another has none. */
#define REPLICATES 3u
#define SURE_REPLICATES 5u
/* Rings of several pieces of memory; where the second one begins, its lines may
 * fall on sets that the first has filled. */
#define HUGE (2.0 * 1024 * 1024)
/* Hops of a replicate that say something. */
#define LOOKED_LEAST 256.0

enum verdict {
	LACKING,
	UNCLEAR,
	IS_NONE,
	IS_FEW,
	IS_SOME,
};

/* What is asked, of which level. */
struct asked {
	const struct mp_view *view;
	const struct mp_cpu_edges *edges;
	uint32_t k;
	struct mp_cpu_onset *onset;
};

/* Of one replicate: shares of its hops, and of its lines. */
struct shares {
	bool told;	/* enough of them was looked at */
	double missed;
	double next;	/* missed, and not the next level as well */
	double kept;
};

/* What a ring says. */
struct look {
	enum verdict verdict;
	double kept;	/* what stays inside for good, at the most */
	bool in_row;	/* the ring lies so in memory */
};

static double length_of(int step)
{
	return exp2((double)step / GRAIN);
}

static bool onset_exp(const struct asked *asked, int step, struct mp_exp *exp)
{
	const struct mp_view *view = asked->view;
	struct mp_sweep sweep;

	return mp_cpu_level_sweep(view, asked->edges, asked->k, 0, &sweep) &&
	       mp_turn_exp(view, &sweep, length_of(step), exp);
}

/*
 * Lines that a level inside drops some day are there in one turn and not in the
 * next, each by itself: two looks at a line find both inside as often as chance
 * has it. What is kept for good makes that more.
 */
static double kept_of(double inside, double both)
{
	const double more = both - inside * inside;

	return more > 0 ? more / (1 + both - 2 * inside) : 0;
}

static void sum_up(const struct mp_turn *turn, struct shares *shares)
{
	double seen = 0, missed = 0, inside = 0, pairs = 0, both = 0;

	for (uint32_t i = 0; i < turn->slots; i++) {
		const double looks = turn->seen[i];
		const double in = looks - turn->missed[i] - turn->here[i];

		seen += looks;
		missed += turn->missed[i];
		inside += in;
		pairs += looks * (looks - 1);
		both += in * (in - 1);
	}
	shares->told = seen >= LOOKED_LEAST && pairs > 0;
	if (!shares->told)
		return;
	shares->missed = missed / seen;
	shares->next = (missed - (double)turn->beyond) / seen;
	shares->kept = kept_of(inside / seen, both / pairs);
}

static int take_shares(const struct mp_view *view, const struct mp_batch *batch,
		       const struct mp_turn_times *times, struct shares *shares)
{
	struct mp_turn turn = { 0 };
	const int err = mp_turn_take(view, batch, times, &turn);

	if (!err)
		sum_up(&turn, shares);
	mp_turn_free(&turn);
	return err;
}

/* Of the same batch they are taken once: each round asks for them again. */
static int shares_of(const struct asked *asked, const struct mp_batch *batch,
		     struct shares *shares)
{
	static struct mp_kept kept;
	const struct mp_spectrum *spectrum = &asked->edges->spectrum;
	const uint32_t k = asked->k;
	const struct mp_turn_times times = {
		.least = k ? spectrum->bound[k - 1] : 0,
		.most = spectrum->bound[k],
		.far = k + 2 < spectrum->n ? spectrum->bound[k + 1] : INFINITY,
	};
	struct mp_kept_key key;
	int err;

	mp_turn_key(asked->view, batch, &times, &key);
	if (mp_kept_find(&kept, &key, shares, sizeof(*shares), &err))
		return err;
	*shares = (struct shares){ .told = false };
	err = take_shares(asked->view, batch, &times, shares);
	mp_kept_note(&kept, &key, shares, sizeof(*shares), err);
	return err;
}

/* What all replicates say. */
static enum verdict say(const struct shares *shares, uint32_t n)
{
	double least = INFINITY, next = INFINITY, most = 0;

	for (uint32_t i = 0; i < n; i++) {
		least = fmin(least, shares[i].missed);
		next = fmin(next, shares[i].next);
		most = fmax(most, shares[i].missed);
	}
	if (least <= NONE && most >= SOME)
		return UNCLEAR;
	return most <= NONE ? IS_NONE : next >= SOME ? IS_SOME : IS_FEW;
}

/* Is each piece filled like the others? Not where one begins between. */
static bool crosses_piece(int from, int to)
{
	return floor((length_of(from) - 1) / HUGE) !=
	       floor((length_of(to) - 1) / HUGE);
}

/* What a ring says, by so many replicates. */
static int look_at(const struct asked *asked, int step, uint32_t replicates,
		   struct look *look)
{
	const struct mp_batch *batch[SURE_REPLICATES];
	struct shares shares[SURE_REPLICATES];
	struct mp_exp exp;
	bool lacks;

	*look = (struct look){ .verdict = UNCLEAR };
	if (!onset_exp(asked, step, &exp))
		return 0;
	if (!mp_turn_batches(asked->view, &exp, replicates, batch, &lacks)) {
		if (!lacks)
			return 0;
		look->verdict = LACKING;
		asked->onset->want = exp;
		asked->onset->replicates = replicates;
		return 0;
	}
	for (uint32_t i = 0; i < replicates; i++) {
		const int err = shares_of(asked, batch[i], &shares[i]);

		if (err || !shares[i].told)
			return err;
		look->kept = fmax(look->kept, shares[i].kept);
	}
	look->verdict = say(shares, replicates);
	look->in_row = batch[0]->grant.arena[0].contiguous;
	return 0;
}

static bool is_open(const struct look *look)
{
	return look->verdict == LACKING || look->verdict == UNCLEAR;
}

/* The longest ring of which none misses. */
static int find_none(const struct asked *asked, int *low, int high,
		     struct look *look)
{
	while (high - *low > 1) {
		const int step = *low + (high - *low) / 2;
		const int err = look_at(asked, step, REPLICATES, look);

		if (err || is_open(look))
			return err;
		if (look->verdict == IS_NONE)
			*low = step;
		else
			high = step;
	}
	return look_at(asked, *low, SURE_REPLICATES, look);
}

/* The shortest beyond that of which some do, if that is near enough. */
static int find_some(const struct asked *asked, int low, int *high)
{
	for (*high = low + 1; *high <= low + STEPS_MOST; ++*high) {
		struct look look;
		const int err = look_at(asked, *high, SURE_REPLICATES, &look);

		if (err || is_open(&look))
			return err;
		if (look.verdict == IS_SOME) {
			asked->onset->known = look.in_row ||
					      !crosses_piece(low, *high);
			return 0;
		}
	}
	return 0;
}

int mp_cpu_onset_look(const struct mp_view *view,
		      const struct mp_cpu_edges *edges, uint32_t k,
		      double low, double high, struct mp_cpu_onset *onset)
{
	const struct asked asked = { view, edges, k, onset };
	struct look look;
	struct mp_exp exp;
	int from, to, err;

	memset(onset, 0, sizeof(*onset));
	if (!mp_cpu_is_told(edges, k) || edges->crowded || !(low > 0 && high > low) ||
	    mp_cpu_small_pages(edges, k) || k + 1 >= edges->spectrum.n)
		return 0;
	from = (int)floor(log2(low) * GRAIN);
	to = (int)ceil(log2(high) * GRAIN);
	err = find_none(&asked, &from, to, &look);
	if (err || look.verdict != IS_NONE)
		return err;
	onset->kept = look.kept;
	err = find_some(&asked, from, &to);
	if (err || !onset->known)
		return err;
	onset_exp(&asked, from, &exp);
	onset->low = (double)exp.actor[0].length;
	onset->id[0] = mp_exp_id(&exp);
	onset_exp(&asked, to, &exp);
	onset->high = (double)exp.actor[0].length;
	onset->id[1] = mp_exp_id(&exp);
	return 0;
}
