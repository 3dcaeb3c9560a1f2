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

/*
 * When is a number right? By the end of the fact's name, the first that fits.
 * @share: it may be off by this share
 * @slack: or by so much in its unit
 * @inside: or not at all, as long as the truth is within its limits
 */
struct rule {
	const char *ending;
	double share;
	double slack;
	bool inside;
};

static const struct rule rules[] = {
	{ .ending = ".size", .share = 0.125 },
	{ .ending = ".line" },
	{ .ending = ".ways" },
	{ .ending = ".entries", .inside = true },
	{ .ending = ".latency-cycles", .share = 0.02, .slack = 0.5 },
	{ .ending = ".hit-cost", .share = 0.02, .slack = 0.5 },
	{ .ending = ".cost", .share = 0.02, .slack = 0.5 },
	{ .ending = ".latency", .share = 0.02 },
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

static bool is_near(const struct rule *rule, const struct mp_fact *fact,
		    double truth)
{
	const double off = fabs(fact->value - truth);

	if (fact->is_text || !isfinite(fact->value))
		return false;
	if (rule->inside)
		return fact->low <= truth && truth <= fact->high;
	return off <= rule->share * truth || off <= rule->slack;
}

/* By how much a bound may miss the truth before it is a false one. */
static double leeway(const struct rule *rule, double truth)
{
	return fmax(fmax(rule->share, ROUNDING) * truth, rule->slack);
}

static enum score score_number(const struct rule *rule,
			       const struct mp_fact *fact, double truth)
{
	const double free = leeway(rule, truth);

	switch (fact->verdict) {
	case MP_MEASURED:
		return is_near(rule, fact, truth) ? SCORE_RIGHT : SCORE_WRONG;
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

static enum score score_one(const char *name, const char *expected,
			    const struct mp_fact *fact)
{
	const struct rule *rule = rule_of(name);
	uint32_t verdict;
	double truth;

	if (!strcmp(expected, "any"))
		return SCORE_ANY;
	if (!fact)
		return SCORE_OPEN;
	if (is_verdict(expected, &verdict))
		return score_verdict(verdict, fact);
	if (mp_sim_number(expected, true, &truth))
		return score_text(fact, expected);
	/* A number that nobody said how to compare proves nothing. */
	return rule ? score_number(rule, fact, truth) : SCORE_WRONG;
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

enum score score_fact(const char *name, const char *expected,
		      const struct mp_fact *fact)
{
	char list[MP_SIM_NAME], word[MP_SIM_NAME];
	enum score best = SCORE_WRONG;
	const char *rest = list;

	snprintf(list, sizeof(list), "%s", expected);
	for (char *bar = strchr(list, '|'); bar; bar = strchr(bar, '|'))
		*bar = ',';
	while (mp_names_next(&rest, word, sizeof(word))) {
		const enum score score = score_one(name, word, fact);

		if (merit(score) > merit(best))
			best = score;
	}
	return best;
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
