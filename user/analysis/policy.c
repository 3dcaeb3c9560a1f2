// SPDX-License-Identifier: GPL-2.0
/*
 * By which policy does a set choose what goes? Each candidate says of each
 * look whether it hits; what was seen is held against that. A candidate is
 * out when it is much worse than the best, and the best has to be good: a
 * policy that is not among them must not pass for the one that is nearest.
 */
#include "analysis/policy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A set may have been in any state before it was emptied. Bits of ways stay.
 * Ages go with the lines, but where new lines go first others may have left
 * something that never goes; and definitions differ in what an empty way does.
 */
#define STARTS MP_POLICY_WAYS
#define STARTS_AGE 4u
/* A burst that finds lines of the one before leaves others to the next: until a
 * state comes back, or for so many bursts. */
#define BURSTS_ON 16u
/* So often a set is filled at random, to see how often a line stays. */
#define DRAWS 96u
/* A share is not known better than this: disturbances flip a few in a
 * hundred, and levels of the clock's mean are estimates. */
#define ERROR_LEAST 0.08
/* What drawing adds to that. */
#define ERROR_DRAWN 0.05
/* A look costs a candidate no more than this, -ln 0.01: one in a hundred is
 * what it is for reasons that have nothing to do with policies. */
#define COST_MOST 4.6
/* Worse than the best by five contradicted looks: out. */
#define APART 23.0
#define TELLS_MOST 5u
/* While more walks are to come a candidate needs to be worse by this. */
#define APART_EARLY 80.0
/* The best may be contradicted in so many looks, and such a share. */
#define CONTRADICTED 2u
#define CONTRADICTED_SHARE 0.015
/* A look is contradicted when it is nearer to the contrary of what was said;
 * of a share that was drawn, when it is farther off than chance takes it. */
#define CONTRARY 0.5
#define CONTRARY_DRAWN 0.35
/* Steps towards the mixture of start states that fits best. */
#define MIX_STEPS 12u

/* What one candidate says of one walk. */
struct said {
	uint32_t n;		/* outcomes that differ, by start states */
	uint8_t outcome[STARTS][MP_POLICY_STEPS];
	double hit[MP_POLICY_STEPS];
	double error;
	double contrary;
};

/* A candidate on trial. */
struct trial {
	struct mp_policy policy;
	double cost;
	uint32_t contradicted;
	bool out;
};

struct court {
	uint32_t n;
	struct trial trial[MP_POLICIES];
	struct said said;
	struct mp_policy_set start[STARTS];
};

uint32_t mp_policy_looks(const struct mp_policy_walk *walk)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < walk->n; i++)
		n += walk->step[i].what == MP_POLICY_LOOK;
	return n;
}

/* Up to the first look. Return: the step that it is. */
static uint32_t walk_in(const struct mp_policy_walk *walk,
			struct mp_policy_set *set)
{
	uint32_t i;

	for (i = 0; i < walk->n && walk->step[i].what != MP_POLICY_LOOK; i++)
		if (walk->step[i].what == MP_POLICY_FLUSH)
			mp_policy_set_flush(set, walk->step[i].line);
		else
			mp_policy_set_touch(set, walk->step[i].line);
	return i;
}

static void walk_on(const struct mp_policy_walk *walk, uint32_t from,
		    struct mp_policy_set *set, uint8_t *hit)
{
	for (uint32_t i = from; i < walk->n; i++)
		if (walk->step[i].what == MP_POLICY_LOOK)
			*hit++ = mp_policy_set_touch(set, walk->step[i].line);
}

/* Lines that are not flushed may still be there when the next burst begins: in
 * a set that keeps them against all that empties it. */
static bool keeps_lines(const struct mp_policy_walk *walk)
{
	uint32_t flushed = 0;

	for (uint32_t i = 0; i < walk->n; i++)
		flushed += walk->step[i].what == MP_POLICY_FLUSH;
	return flushed < walk->lines;
}

/* A burst to its end, and the next up to its first look. Return: the step that
 * it is. */
static uint32_t go_on(const struct mp_policy_walk *walk, uint32_t from,
		      struct mp_policy_set *set)
{
	uint8_t hit[MP_POLICY_STEPS];

	walk_on(walk, from, set, hit);
	return walk_in(walk, set);
}

/* The burst before, if it matters, and up to the first look of this one. */
static uint32_t begin(const struct mp_policy_walk *walk, bool again,
		      struct mp_policy_set *set)
{
	const uint32_t from = walk_in(walk, set);

	return again ? go_on(walk, from, set) : from;
}

/* A burst that finds the set full of others, or as the one before has left it, and
 * as many before that: others have gone from it in time, and do not come back. */
static uint32_t begin_drawn(const struct mp_policy_walk *walk,
			    const struct mp_policy *policy, uint32_t draw,
			    struct mp_policy_set *set)
{
	uint32_t from;

	if (policy->alone && draw)
		return walk_in(walk, set);
	mp_policy_set_start(set, policy, walk->ways, draw, false);
	from = begin(walk, keeps_lines(walk), set);
	for (uint32_t burst = 0; policy->alone && burst < BURSTS_ON; burst++)
		go_on(walk, from, set);
	return from;
}

static void say_drawn(const struct mp_policy_walk *walk, uint32_t looks,
		      const struct mp_policy *policy, struct court *court)
{
	struct said *said = &court->said;

	memset(said->hit, 0, looks * sizeof(said->hit[0]));
	for (uint32_t draw = 0; draw < DRAWS; draw++) {
		struct mp_policy_set *set = &court->start[0];
		const uint32_t from = begin_drawn(walk, policy, draw, set);

		walk_on(walk, from, set, said->outcome[0]);
		for (uint32_t i = 0; i < looks; i++)
			said->hit[i] += said->outcome[0][i] / (double)DRAWS;
	}
	said->n = 1;
	said->error = ERROR_LEAST + ERROR_DRAWN;
	said->contrary = CONTRARY_DRAWN;
}

static bool is_among(const struct court *court, uint32_t n,
		     const struct mp_policy_set *set)
{
	for (uint32_t i = 0; i < n; i++)
		if (mp_policy_set_same(&court->start[i], set))
			return true;
	return false;
}

/*
 * The states in which bursts may have found the set, up to the first look, from
 * start state @i on. Return: the step that it is.
 */
static uint32_t start_from(const struct mp_policy_walk *walk,
			   const struct mp_policy *policy, uint32_t i,
			   struct court *court, uint32_t *states)
{
	const bool again = keeps_lines(walk);
	const uint32_t bursts = !again || mp_policy_is_known(policy) ?
				1 : BURSTS_ON;
	struct mp_policy_set set;
	uint32_t from;

	mp_policy_set_start(&set, policy, walk->ways, i, i & 1);
	if (i < STARTS_AGE / 2)
		mp_policy_set_clear(&set);
	from = begin(walk, again, &set);
	for (uint32_t burst = 0; burst < bursts && *states < STARTS; burst++) {
		struct mp_policy_set *start = &court->start[*states];

		if (burst)
			go_on(walk, from, &set);
		*start = set;
		mp_policy_set_stale(start, i);
		if (is_among(court, *states, start))
			break;
		(*states)++;
	}
	return from;
}

static void say(const struct mp_policy_walk *walk, uint32_t looks,
		const struct mp_policy *policy, struct court *court)
{
	const uint32_t starts = mp_policy_is_known(policy) ? 1 :
				policy->kind == MP_KIND_AGE ? STARTS_AGE :
							      walk->ways;
	struct said *said = &court->said;
	uint32_t from = 0, states = 0;

	if (policy->kind == MP_KIND_RANDOM) {
		say_drawn(walk, looks, policy, court);
		return;
	}
	for (uint32_t i = 0; i < starts; i++)
		from = start_from(walk, policy, i, court, &states);
	said->n = 0;
	said->error = ERROR_LEAST;
	said->contrary = CONTRARY;
	for (uint32_t i = 0; i < states; i++) {
		uint8_t *outcome = said->outcome[said->n];
		bool is_new = true;

		walk_on(walk, from, &court->start[i], outcome);
		for (uint32_t k = 0; k < said->n && is_new; k++)
			is_new = memcmp(outcome, said->outcome[k], looks) != 0;
		said->n += is_new;
	}
	for (uint32_t i = 0; i < looks; i++)
		said->hit[i] = said->outcome[0][i];
}

static double weight_of(const struct mp_policy_seen *seen, uint32_t i,
			double error)
{
	if (isnan(seen->error[i]))
		return 0;
	return 1 / (seen->error[i] * seen->error[i] + error * error);
}

/* How far to go towards an outcome, and what it gains. */
static double gain_of(const struct mp_policy_seen *seen, uint32_t looks,
		      const struct said *said, const uint8_t *outcome,
		      double *part)
{
	double along = 0, length = 0;

	for (uint32_t i = 0; i < looks; i++) {
		const double weight = weight_of(seen, i, said->error);
		const double step = outcome[i] - said->hit[i];

		along += weight * step * (seen->hit[i] - said->hit[i]);
		length += weight * step * step;
	}
	if (!(length > 0) || along <= 0)
		return 0;
	*part = along < length ? along / length : 1;
	return *part * (2 * along - *part * length);
}

/*
 * Bursts may begin in different states, and then what is seen is a mixture
 * of their outcomes. The one that fits best is found step by step.
 */
static void mix(const struct mp_policy_seen *seen, uint32_t looks,
		struct said *said)
{
	for (uint32_t step = 0; said->n > 1 && step < MIX_STEPS; step++) {
		double best = 0, best_part = 0, part = 0;
		const uint8_t *towards = NULL;

		for (uint32_t k = 0; k < said->n; k++) {
			const double gain = gain_of(seen, looks, said,
						    said->outcome[k], &part);

			if (gain <= best)
				continue;
			best = gain;
			best_part = part;
			towards = said->outcome[k];
		}
		if (!towards)
			return;
		for (uint32_t i = 0; i < looks; i++)
			said->hit[i] += best_part * (towards[i] - said->hit[i]);
	}
}

static void hold_against(const struct mp_policy_seen *seen, uint32_t looks,
			 const struct said *said, struct trial *trial)
{
	for (uint32_t i = 0; i < looks; i++) {
		const double off = fabs(seen->hit[i] - said->hit[i]);
		const double cost = off * off *
				    weight_of(seen, i, said->error) / 2;

		trial->cost += cost < COST_MOST ? cost : COST_MOST;
		trial->contradicted += off > said->contrary &&
				       !isnan(seen->error[i]);
	}
}

static double least_cost(const struct court *court)
{
	double least = INFINITY;

	for (uint32_t i = 0; i < court->n; i++)
		if (!court->trial[i].out && court->trial[i].cost < least)
			least = court->trial[i].cost;
	return least;
}

/* What shares are off by more than was thought, where even the best is: looks say
 * that much less then. A half is what each costs. */
static double dispersion(double least, uint32_t looks)
{
	return fmax(2 * least / looks, 1);
}

/* @all: looks up to here that tell. */
static void try_all(const struct mp_policy_seen *seen, uint32_t all,
		    struct court *court)
{
	const uint32_t looks = mp_policy_looks(seen->walk);
	double least;

	for (uint32_t i = 0; i < court->n; i++) {
		struct trial *trial = &court->trial[i];

		if (trial->out)
			continue;
		say(seen->walk, looks, &trial->policy, court);
		mix(seen, looks, &court->said);
		hold_against(seen, looks, &court->said, trial);
	}
	least = least_cost(court);
	for (uint32_t i = 0; i < court->n; i++)
		court->trial[i].out |= court->trial[i].cost >
				       least + APART_EARLY *
				       dispersion(least, all);
}

static void leave(const struct mp_policy *policy,
		  struct mp_policy_verdict *verdict)
{
	const uint32_t n = verdict->n_left;

	/* One of those that are drawn stands for both. */
	if (policy->class != verdict->best.class && n < MP_POLICY_LEFT &&
	    !(policy->alone && n &&
	      verdict->left[n - 1].kind == MP_KIND_RANDOM))
		verdict->left[verdict->n_left++] = *policy;
}

static void settle(const struct court *court,
		   struct mp_policy_verdict *verdict)
{
	const double least = least_cost(court);
	const double times = dispersion(least, verdict->looks);
	const double most = APART * times;
	const struct trial *best = NULL;

	for (uint32_t i = 0; i < court->n && !best; i++)
		if (!court->trial[i].out && court->trial[i].cost <= least)
			best = &court->trial[i];
	verdict->best = best->policy;
	verdict->contradicted = best->contradicted;
	verdict->dispersion = times;
	verdict->apart = APART_EARLY * times;
	for (uint32_t i = 0; i < court->n; i++) {
		const struct trial *trial = &court->trial[i];
		const double apart = trial->cost - least;

		if (trial->out)
			continue;
		if (apart <= most) {
			verdict->classes |= 1u << trial->policy.class;
			leave(&trial->policy, verdict);
		}
		if (apart > most && apart < verdict->apart &&
		    trial->policy.class != best->policy.class)
			verdict->apart = apart;
	}
	if (verdict->contradicted >
	    CONTRADICTED + CONTRADICTED_SHARE * verdict->looks)
		verdict->classes = 0;
}

static uint32_t looks_that_tell(const struct mp_policy_seen *seen)
{
	const uint32_t looks = mp_policy_looks(seen->walk);
	uint32_t n = 0;

	for (uint32_t i = 0; i < looks; i++)
		n += !isnan(seen->error[i]);
	return n;
}

int mp_policy_judge(const struct mp_policy_seen *seen, uint32_t n,
		    struct mp_policy_verdict *verdict)
{
	struct mp_policy policy[MP_POLICIES];
	struct court *court;

	*verdict = (struct mp_policy_verdict){ 0 };
	if (!n)
		return -ENODATA;
	court = calloc(1, sizeof(*court));
	if (!court)
		return -ENOMEM;
	court->n = mp_policy_list(seen[0].walk->ways, policy);
	for (uint32_t i = 0; i < court->n; i++)
		court->trial[i].policy = policy[i];
	for (uint32_t i = 0; i < n; i++) {
		verdict->looks += looks_that_tell(&seen[i]);
		try_all(&seen[i], verdict->looks, court);
	}
	settle(court, verdict);
	free(court);
	return 0;
}

static void say_once(const struct mp_policy *policy,
		     const struct mp_policy_walk *walk, uint8_t *hit)
{
	struct mp_policy_set set;

	mp_policy_set_start(&set, policy, walk->ways, 0, false);
	mp_policy_set_clear(&set);
	walk_on(walk, walk_in(walk, &set), &set, hit);
}

uint32_t mp_policy_tells(const struct mp_policy_verdict *verdict,
			 const struct mp_policy_walk *walk)
{
	const uint32_t looks = mp_policy_looks(walk);
	uint8_t best[MP_POLICY_STEPS], other[MP_POLICY_STEPS];
	uint32_t all = 0;

	say_once(&verdict->best, walk, best);
	for (uint32_t i = 0; i < verdict->n_left; i++) {
		uint32_t n = 0;

		say_once(&verdict->left[i], walk, other);
		for (uint32_t k = 0; k < looks && n < TELLS_MOST; k++)
			n += best[k] != other[k];
		all += n;
	}
	return all;
}

void mp_policy_classes_print(uint32_t classes, char *text, size_t room)
{
	size_t used = 0;

	snprintf(text, room, "none");
	for (uint32_t i = 0; i < MP_POLICY_CLASSES; i++) {
		if (!(classes >> i & 1))
			continue;
		snprintf(text + used, room - used, "%s%s", used ? " or " : "",
			 mp_policy_class_name(i));
		used = strlen(text);
	}
}
