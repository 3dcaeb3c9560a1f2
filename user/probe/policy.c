// SPDX-License-Identifier: GPL-2.0
/*
 * Probe policy: which line of a full set goes?
 *
 * Some lines of one set are accessed in sequences that were drawn so that
 * policies differ in which accesses hit. What hit is held against all
 * policies that are known here, each of which says what would have hit; and
 * more sequences are asked for until one class of them is left.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/policy_kept.h"
#include "backend.h"
#include "probe/cpu_spared.h"
#include "probe/policy_look.h"

/* Levels that are asked. */
#define LEVELS 3u
/* Walks to begin with, and so many more each time that classes are left. */
#define WALKS_FIRST 6u
#define WALKS_MORE 4u
/* Walks are chosen from these, so many each time. */
#define CHOOSE_FROM (MP_POLICY_WALKS + 96u)
/* Shares known no better than this tell nothing. */
#define BLURRED 0.3
/* So many looks may find a line that was to leave the level inside, or was to stay
 * in the next one; and such a
 * share of those that hit, for all that their times together say: these are as
 * good as the levels' latencies. */
#define STAYED 0.02
#define STAYED_ALL 0.25
/* Where nearly all looks hit, nothing was driven out. */
#define ALL_HIT 0.95
/* .. and where no more did, and a policy says which, they drove one another out. */
#define MANY_HIT 0.85
/* What a policy is worse by, which is not the one: ten contradicted looks. */
#define CRAMPED_APART 46.0
/* The nearest policy is contradicted in no more than such a share of looks. */
#define NEARLY 0.1

/* What was seen of a level. */
struct found {
	uint32_t n;		/* walks */
	bool contiguous;
	double error;		/* of shares, in the mean */
	double hits;		/* share of looks, in the mean */
	bool stayed;		/* too many looks at what had not left */
	bool far;		/* .. and at what the next level has not, either */
	struct mp_cpu_spared spared;
	struct mp_policy_verdict verdict;
	uint32_t class;		/* MP_POLICY_CLASSES: not known */
	uint32_t number[MP_POLICY_WALKS_ALL];
	struct mp_policy_walk walk[MP_POLICY_WALKS_ALL];
	struct mp_policy_looked looked[MP_POLICY_WALKS_ALL];
};

static void add_means(struct found *found)
{
	uint32_t all = 0, stayed = 0, far = 0, hits = 0;
	double inside = 0, squares = 0;

	found->contiguous = true;
	for (uint32_t i = 0; i < found->n; i++) {
		const uint32_t looks = mp_policy_looks(&found->walk[i]);

		found->contiguous &= found->looked[i].contiguous;
		stayed += found->looked[i].stayed;
		far += found->looked[i].far;
		hits += found->looked[i].hits;
		inside += found->looked[i].inside;
		squares += found->looked[i].inside_squares;
		for (uint32_t k = 0; k < looks; k++) {
			if (isnan(found->looked[i].error[k]))
				continue;
			all++;
			found->error += found->looked[i].error[k];
			found->hits += found->looked[i].hit[k];
		}
	}
	inside -= MP_POLICY_SURE * sqrt(squares);
	found->stayed = stayed > STAYED * all || inside > STAYED_ALL * hits;
	found->far = far > STAYED * all;
	found->error /= all ? all : 1;
	found->hits /= all ? all : 1;
}

/* The walks that were measured, and what they say. */
static int find(const struct mp_view *view,
		const struct mp_policy_level *level, struct found *found)
{
	struct mp_policy_seen seen[MP_POLICY_WALKS_ALL];
	uint32_t last = MP_POLICY_WALKS;

	memset(found, 0, sizeof(*found));
	found->class = MP_POLICY_CLASSES;
	for (uint32_t i = 0; i < last && found->n < MP_POLICY_WALKS_ALL; i++) {
		struct mp_policy_walk *walk = &found->walk[found->n];
		struct mp_policy_looked *looked = &found->looked[found->n];
		int err;

		mp_policy_look_walk(level, i, walk);
		err = mp_policy_look_at(level, view, walk, looked);
		if (err == -ENOMEM)
			return err;
		if (err)
			continue;
		/* None is chosen before these are there. */
		if (found->n + 1 == MP_POLICY_WALKS)
			last = CHOOSE_FROM;
		found->number[found->n] = i;
		seen[found->n++] = (struct mp_policy_seen){
			walk, looked->hit, looked->error,
		};
	}
	add_means(found);
	return found->n ?
	       mp_policy_judge_kept(seen, found->n, &found->verdict) : 0;
}

static bool is_open(const struct found *found)
{
	const uint32_t classes = found->verdict.classes;

	return !found->n || classes & (classes - 1);
}

/*
 * Do lines of a walk share a set? Where pages are thrown at random that would
 * be by the pages that the lines got, others each time. So where one policy,
 * but for one that throws out any line, says of each look whether it hits, and
 * many do not, they do: the level is indexed otherwise than by those pages.
 */
static bool shares_set(const struct mp_policy_level *level,
		       const struct found *found)
{
	return !level->k || found->contiguous ||
	       (found->verdict.best.class != MP_POLICY_RANDOM &&
		found->hits <= MANY_HIT);
}

/* All lines were in the next level when they came in here: one that has lost
 * them may have put them out of this one, too, whatever this one's policy is. */
static bool is_put_out(const struct mp_policy_level *level,
		       const struct found *found)
{
	return level->outer && found->far && !level->spared;
}

/* .. unless it takes nothing along. That is asked of the innermost level. */
static int ask_spared(const struct mp_view *view,
		      struct mp_policy_level *level, struct found *found)
{
	int err;

	if (level->k || !is_put_out(level, found))
		return 0;
	err = mp_cpu_spared(view, &found->spared);
	level->spared = found->spared.is;
	return err;
}

/* Some looks may not be this level's doing then: where one is against the best
 * policy, another has to be worse by twice as many as else. */
static bool is_near(const struct mp_policy_level *level,
		    const struct found *found)
{
	return level->cramped && !level->spared &&
	       found->verdict.contradicted &&
	       found->verdict.apart <
		       CRAMPED_APART * found->verdict.dispersion;
}

static bool is_known(const struct mp_policy_level *level,
		     const struct found *found)
{
	return found->verdict.classes && !is_open(found) &&
	       found->error <= BLURRED && found->hits <= ALL_HIT &&
	       !found->stayed && !is_put_out(level, found) &&
	       !is_near(level, found) &&
	       shares_set(level, found);
}

/* What no policy explains may be lines that come in by halves. And where one
 * explains nearly all, lines may be fetched before their turn: burst after burst
 * the same ones come from memory. With fewer visits they come from further in. And
 * what the next level lacks may be but the other half. */
static bool may_halve(const struct mp_policy_level *level,
		      const struct found *found)
{
	const struct mp_policy_verdict *verdict = &found->verdict;
	const bool nearly = verdict->contradicted <= NEARLY * verdict->looks;

	if (level->unsure || is_put_out(level, found))
		return !verdict->classes || found->stayed ||
		       is_put_out(level, found);
	return !verdict->classes && nearly && found->error <= BLURRED;
}

static int find_either(const struct mp_view *view,
		       struct mp_policy_level *level, struct found *found)
{
	int err = find(view, level, found);

	if (!err && found->n >= WALKS_FIRST && may_halve(level, found) &&
	    mp_policy_level_halve(view, level))
		err = find(view, level, found);
	if (!err)
		err = ask_spared(view, level, found);
	if (!err && is_known(level, found))
		found->class = found->verdict.best.class;
	return err;
}

static int plan_walk(const struct mp_view *view,
		     const struct mp_policy_level *level,
		     const struct mp_policy_walk *walk, struct mp_plan *plan)
{
	const uint32_t all = MP_POLICY_LOOK_REPLICATES;
	const uint32_t each = (all + level->sets - 1) / level->sets;
	struct mp_exp exp;
	int err = 0;

	for (uint32_t i = 0; i < level->sets && !err; i++) {
		mp_policy_look_exp(level, view, walk, i, &exp);
		if (exp.arena[0].bytes <= view->arena_max_bytes)
			err = mp_plan_add(plan, &exp, each);
	}
	mp_policy_look_exp(level, view, walk, MP_POLICY_CONTROL, &exp);
	if (!err && exp.arena[0].bytes <= view->arena_max_bytes)
		err = mp_plan_add(plan, &exp, all);
	return err;
}

static bool is_measured(const struct found *found, uint32_t number)
{
	for (uint32_t i = 0; i < found->n; i++)
		if (found->number[i] == number)
			return true;
	return false;
}

/* Of the walks that there might be the one that tells most of what is left
 * apart, but for those @chosen before. 0: none does. */
static uint32_t choose(const struct mp_policy_level *level,
		       const struct found *found, const uint32_t *chosen,
		       uint32_t n)
{
	uint32_t best = 0, most = 0;
	struct mp_policy_walk walk;

	for (uint32_t i = MP_POLICY_WALKS; i < CHOOSE_FROM; i++) {
		bool is_new = !is_measured(found, i);
		uint32_t tells;

		for (uint32_t k = 0; k < n; k++)
			is_new &= chosen[k] != i;
		if (!is_new)
			continue;
		mp_policy_look_walk(level, i, &walk);
		tells = mp_policy_tells(&found->verdict, &walk);
		if (tells <= most)
			continue;
		most = tells;
		best = i;
	}
	return best;
}

/* Drawn walks show little where what is left does nearly the same. */
static int plan_chosen(const struct mp_view *view,
		       const struct mp_policy_level *level,
		       const struct found *found, struct mp_plan *plan)
{
	uint32_t chosen[WALKS_MORE];
	struct mp_policy_walk walk;
	int err = 0;

	if (found->n < MP_POLICY_WALKS || !found->verdict.classes ||
	    !is_open(found))
		return 0;
	for (uint32_t i = 0; i < WALKS_MORE && !err &&
			     found->n + i < MP_POLICY_WALKS_ALL; i++) {
		chosen[i] = choose(level, found, chosen, i);
		if (!chosen[i])
			return 0;
		mp_policy_look_walk(level, chosen[i], &walk);
		err = plan_walk(view, level, &walk, plan);
	}
	return err;
}

static bool wants_more(const struct mp_policy_level *level,
		       const struct found *found)
{
	return is_open(found) || is_near(level, found);
}

static int plan_level(const struct mp_view *view, uint32_t k,
		      const uint32_t *inside, struct mp_plan *plan,
		      struct found *found)
{
	struct mp_policy_level level;
	uint32_t walks = WALKS_FIRST;
	char why[MP_FACT_TEXT];
	int err;

	found->class = MP_POLICY_CLASSES;
	if (!mp_policy_level_find(view, k, inside, &level, why))
		return 0;
	err = find_either(view, &level, found);
	if (err)
		return err;
	if (found->n >= WALKS_FIRST && wants_more(&level, found))
		walks = found->n + WALKS_MORE;
	if (found->n && !wants_more(&level, found))
		walks = found->n;
	err = plan_chosen(view, &level, found, plan);
	if (!err && !k && found->n >= WALKS_FIRST && is_put_out(&level, found))
		err = mp_cpu_spared_plan(view, plan);
	for (uint32_t i = 0; i < walks && i < MP_POLICY_WALKS && !err; i++) {
		mp_policy_look_walk(&level, i, &found->walk[0]);
		err = plan_walk(view, &level, &found->walk[0], plan);
	}
	return err;
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	struct found *found = malloc(sizeof(*found));
	int err = found ? 0 : -ENOMEM;
	uint32_t inside[LEVELS];

	for (uint32_t k = 0; k < LEVELS && !err; k++) {
		plan->stage = k;
		err = plan_level(view, k, inside, plan, found);
		inside[k] = found->class;
	}
	free(found);
	return err ? err : 1;
}

static void leave_open(const struct mp_policy_level *level,
		       const struct found *found, struct mp_fact *fact)
{
	char left[MP_FACT_NAME];

	if (!shares_set(level, found) ||
	    (level->k && !found->contiguous && !found->verdict.classes))
		mp_fact_cannot(fact, "", "this level is indexed by physical address and the memory is not contiguous: ask for huge pages");
	else if (found->stayed)
		mp_fact_cannot(fact, "", "lines stay in the level inside, and what this level does is hidden");
	else if (is_put_out(level, found))
		mp_fact_cannot(fact, "", "a level further out has lost lines meanwhile, and may have put them out of this one, too");
	else if (found->error > BLURRED)
		mp_fact_cannot(fact, "", "the steps of the clock hide whether an access hits");
	else if (found->hits > ALL_HIT)
		mp_fact_cannot(fact, "", "lines %llu bytes apart do not drive one another out: size or ways are not what they seem",
			       (unsigned long long)level->way_bytes);
	else if (!found->verdict.classes)
		mp_fact_cannot(fact, "", "no policy known here explains what hits: the nearest, %s, is contradicted in %u of %u accesses",
			       mp_policy_class_name(found->verdict.best.class),
			       found->verdict.contradicted,
			       found->verdict.looks);
	else if (!is_open(found) && is_near(level, found))
		mp_fact_cannot(fact, "", "%s explains what hits best, another policy nearly as well, and a level further out that may include this one has no room for all lines of a walk",
			       mp_policy_class_name(found->verdict.best.class));
	else {
		mp_policy_classes_print(found->verdict.classes, left,
					sizeof(left));
		mp_fact_cannot(fact, "", "%s explain what hits alike", left);
	}
}

static void settle(const struct mp_policy_level *level,
		   const struct found *found, struct mp_fact *fact)
{
	snprintf(fact->method, sizeof(fact->method),
		 "what hits in %u sequences of accesses to lines of one set, held against each policy's simulation",
		 found->n);
	for (uint32_t i = 0; i < found->n; i++)
		mp_fact_note(fact, found->looked[i].id);
	for (uint32_t i = 0; i < 2 && found->spared.n; i++)
		mp_fact_note(fact, found->spared.id[i]);
	if (!found->n) {
		mp_fact_cannot(fact, "", "no sequence of accesses was measured undisturbed");
		return;
	}
	if (found->class == MP_POLICY_CLASSES) {
		leave_open(level, found, fact);
		return;
	}
	fact->verdict = MP_MEASURED;
	fact->is_text = true;
	snprintf(fact->text, sizeof(fact->text), "%s",
		 mp_policy_class_name(found->class));
}

static int infer_level(const struct mp_view *view, uint32_t k,
		       const uint32_t *inside, struct mp_fact *fact,
		       struct found *found)
{
	struct mp_policy_level level;
	char why[MP_FACT_TEXT];
	int err;

	found->class = MP_POLICY_CLASSES;
	if (mp_cpu_is_absent(view, k)) {
		fact->verdict = MP_ABSENT;
		return 0;
	}
	if (!mp_policy_level_find(view, k, inside, &level, why)) {
		mp_fact_cannot(fact, "", "%s", why);
		return 0;
	}
	err = find_either(view, &level, found);
	if (!err)
		settle(&level, found, fact);
	return err;
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	struct found *found = malloc(sizeof(*found));
	int err = found ? 0 : -ENOMEM;
	uint32_t inside[LEVELS];

	for (uint32_t k = 0; k < LEVELS && !err; k++) {
		struct mp_fact *fact = mp_cpu_fact(facts, view,
						   mp_cpu_level_name[k],
						   "policy", "");

		err = fact ? infer_level(view, k, inside, fact, found) :
			     -ENOMEM;
		inside[k] = found->class;
	}
	free(found);
	return err;
}

const struct mp_probe mp_probe_policy = {
	.name = "policy",
	.asks = "which line of a full set goes?",
	.after = "line,cache-size,latency,dram,ways",
	.facts = "cpu.l1d.policy,cpu.l2.policy,cpu.l3.policy",
	.needs = MP_CAP_SEQUENCE,
	.weight = 3,
	.quick = false,
	.next = next,
	.infer = infer,
};
