// SPDX-License-Identifier: GPL-2.0
/*
 * What a found fact is worth, given what a machine file expects of it.
 */
#include "score.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "names.h"
#include "report/format.h"

/* What a bound may overshoot when rounding is all that is wrong with it. */
#define ROUNDING 1e-9
#define NS_PER_S 1e9

/* Half a cycle, where that is more than the share. */
#define SLACK_CYCLES 0.5

/*
 * When is a number right? By the end of the fact's name, the first that fits.
 * @share: it may be off by this share
 * @slack: or by so much in its unit
 * @slack_cycles: or by so many core cycles; the unit is ns
 * @inside: or not at all, as long as the truth is within its limits; by the
 *	strict rule it has to be right as it is
 * @apart: limits further apart than this factor are no answer by the strict
 *	rule; 0 = any are
 */
struct rule {
	const char *ending;
	double share;
	double slack;
	double slack_cycles;
	bool inside;
	double apart;
};

/* How strictly: @clock_hz matters to the strict rule only, 0 = unknown. */
struct manner {
	bool strict;
	double clock_hz;
};

static const struct rule rules[] = {
	{ .ending = ".size", .share = 0.125, .apart = 1.29 },
	{ .ending = ".line" },
	{ .ending = ".sector" },
	{ .ending = ".ways" },
	{ .ending = ".shared" },
	{ .ending = ".entries", .inside = true },
	{ .ending = ".latency-cycles", .share = 0.02, .slack = SLACK_CYCLES,
	  .apart = 1.05 },
	{ .ending = ".hit-cost", .share = 0.02, .slack = SLACK_CYCLES },
	{ .ending = ".cost", .share = 0.02, .slack = SLACK_CYCLES },
	{ .ending = ".latency", .share = 0.02, .slack_cycles = SLACK_CYCLES,
	  .apart = 1.05 },
	{ .ending = ".latency-random", .share = 0.02 },
	{ .ending = ".clock", .share = 0.02 },
};

static const char *const must[] = {
	"cpu.l1d.size", "cpu.l1d.latency-cycles", "cpu.l1d.line",
	"cpu.l2.size", "cpu.l2.latency-cycles", "cpu.dram.latency",
};

static const char *const names[SCORES] = {
	[SCORE_RIGHT] = "right",
	[SCORE_OPEN] = "unanswered",
	[SCORE_WRONG] = "WRONG",
	[SCORE_ANY] = "any",
};

static const struct rule *rule_of(const char *name)
{
	const size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const size_t tail = strlen(rules[i].ending);

		if (length > tail &&
		    !strcmp(name + length - tail, rules[i].ending))
			return &rules[i];
	}
	return NULL;
}

/* By how much a value may be off, in its unit. */
static double slack_of(const struct rule *rule, const struct manner *manner)
{
	if (manner->strict && manner->clock_hz > 0 && rule->slack_cycles > 0)
		return rule->slack_cycles * NS_PER_S / manner->clock_hz;
	return rule->slack;
}

static bool is_near(const struct rule *rule, const struct manner *manner,
		    const struct mp_fact *fact, double truth)
{
	const double off = fabs(fact->value - truth);

	if (fact->is_text || !isfinite(fact->value))
		return false;
	if (rule->inside && !manner->strict)
		return fact->low <= truth && truth <= fact->high;
	return off <= rule->share * truth || off <= slack_of(rule, manner);
}

/* By how much a bound may miss the truth before it is a false one. */
static double leeway(const struct rule *rule, const struct manner *manner,
		     double truth)
{
	return fmax(fmax(rule->share, ROUNDING) * truth,
		    slack_of(rule, manner));
}

static enum score score_number(const struct rule *rule,
			       const struct manner *manner,
			       const struct mp_fact *fact, double truth)
{
	const double free = leeway(rule, manner, truth);

	switch (fact->verdict) {
	case MP_MEASURED:
		return is_near(rule, manner, fact, truth) ? SCORE_RIGHT :
							    SCORE_WRONG;
	case MP_AT_LEAST:
		return fact->value <= truth + free ? SCORE_OPEN : SCORE_WRONG;
	case MP_AT_MOST:
		return fact->value >= truth - free ? SCORE_OPEN : SCORE_WRONG;
	case MP_ABSENT:
		return SCORE_WRONG;
	default:
		return SCORE_OPEN;
	}
}

static enum score score_text(const struct mp_fact *fact, const char *truth)
{
	switch (fact->verdict) {
	case MP_MEASURED:
		return fact->is_text && !strcmp(fact->text, truth) ?
		       SCORE_RIGHT : SCORE_WRONG;
	case MP_ABSENT:
		return SCORE_WRONG;
	default:
		return SCORE_OPEN;
	}
}

/* Something that has no one value: whoever states one is wrong, and so is
 * who sets bounds to what is not there or denies what is. */
static enum score score_verdict(uint32_t wanted, const struct mp_fact *fact)
{
	if (fact->verdict == wanted)
		return SCORE_RIGHT;
	switch (fact->verdict) {
	case MP_MEASURED:
	case MP_ABSENT:
		return SCORE_WRONG;
	case MP_AT_LEAST:
	case MP_AT_MOST:
		return wanted == MP_ABSENT ? SCORE_WRONG : SCORE_OPEN;
	default:
		return SCORE_OPEN;
	}
}

static bool is_verdict(const char *text, uint32_t *verdict)
{
	return !mp_verdict_parse(text, verdict) &&
	       (*verdict == MP_ABSENT || *verdict == MP_VARIES ||
		*verdict == MP_NOT_MEASURABLE);
}

/* The limits of a number that came out right. */
static void judge_limits(const struct rule *rule, const struct mp_fact *fact,
			 double truth, struct score_judged *judged)
{
	judged->has_limits = true;
	judged->held = fact->low <= truth * (1 + ROUNDING) &&
		       fact->high >= truth * (1 - ROUNDING);
	if (rule->apart > 0 && !(fact->high <= rule->apart * fact->low))
		judged->score = SCORE_OPEN;
}

static struct score_judged judge_one(const char *name, const char *expected,
				     const struct mp_fact *fact,
				     const struct manner *manner)
{
	const struct rule *rule = rule_of(name);
	struct score_judged judged = { .score = SCORE_ANY };
	uint32_t verdict;
	double truth;

	if (!strcmp(expected, "any"))
		return judged;
	judged.score = SCORE_OPEN;
	if (!fact)
		return judged;
	if (is_verdict(expected, &verdict)) {
		judged.score = score_verdict(verdict, fact);
	} else if (mp_sim_number(expected, true, &truth)) {
		judged.score = score_text(fact, expected);
	} else if (!rule) {
		/* A number that nobody said how to compare proves nothing. */
		judged.score = SCORE_WRONG;
	} else {
		judged.score = score_number(rule, manner, fact, truth);
		if (manner->strict && judged.score == SCORE_RIGHT)
			judge_limits(rule, fact, truth, &judged);
	}
	return judged;
}

static uint32_t merit(enum score score)
{
	static const uint32_t merits[SCORES] = {
		[SCORE_ANY] = 3,
		[SCORE_RIGHT] = 2,
		[SCORE_OPEN] = 1,
		[SCORE_WRONG] = 0,
	};

	return merits[score];
}

const char *score_name(enum score score)
{
	return names[score];
}

static struct score_judged judge(const char *name, const char *expected,
				 const struct mp_fact *fact,
				 const struct manner *manner)
{
	struct score_judged best = { .score = SCORE_WRONG };
	char list[MP_SIM_NAME], word[MP_SIM_NAME];
	const char *rest = list;

	snprintf(list, sizeof(list), "%s", expected);
	for (char *bar = strchr(list, '|'); bar; bar = strchr(bar, '|'))
		*bar = ',';
	while (mp_names_next(&rest, word, sizeof(word))) {
		const struct score_judged one = judge_one(name, word, fact,
							  manner);

		if (merit(one.score) > merit(best.score))
			best = one;
	}
	return best;
}

enum score score_fact(const char *name, const char *expected,
		      const struct mp_fact *fact)
{
	const struct manner manner = { .strict = false };

	return judge(name, expected, fact, &manner).score;
}

void score_judge(const char *name, const char *expected,
		 const struct mp_fact *fact, double clock_hz,
		 struct score_judged *judged)
{
	const struct manner manner = { .strict = true, .clock_hz = clock_hz };

	*judged = judge(name, expected, fact, &manner);
}

bool score_must(const char *name)
{
	for (size_t i = 0; i < sizeof(must) / sizeof(must[0]); i++) {
		if (!strcmp(name, must[i]))
			return true;
	}
	return false;
}

void score_count(struct score_tally *tally, const char *name,
		 enum score score)
{
	tally->n[score]++;
	if (score == SCORE_OPEN && score_must(name))
		tally->missing++;
}

void score_add(struct score_tally *to, const struct score_tally *from)
{
	for (uint32_t i = 0; i < SCORES; i++)
		to->n[i] += from->n[i];
	to->missing += from->missing;
}

bool score_fails(const struct score_tally *tally)
{
	return tally->n[SCORE_WRONG] || tally->missing;
}

const char *score_say(char text[SCORE_WHY], const char *expected,
		      const struct mp_fact *fact)
{
	char value[MP_FORMAT_ROOM] = "", range[MP_FORMAT_ROOM] = "";

	if (!fact) {
		snprintf(text, SCORE_WHY, "expected %s, no such fact",
			 expected);
		return text;
	}
	if (fact->is_text)
		snprintf(value, sizeof(value), " %s", fact->text);
	else if (mp_verdict_known(fact->verdict))
		snprintf(value, sizeof(value), " %.6g", fact->value);
	if (mp_verdict_known(fact->verdict) && !fact->is_text)
		snprintf(range, sizeof(range), " [%.6g, %.6g] %s", fact->low,
			 fact->high, fact->unit);
	snprintf(text, SCORE_WHY, "expected %s, got %s%s%s%s%s", expected,
		 mp_verdict_name(fact->verdict), value, range,
		 fact->reason[0] ? ": " : "", fact->reason);
	return text;
}
