/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a found fact is worth, given what a machine file expects of it. The
 * rule is one for all machines: a wrong answer is worse than none.
 */
#ifndef SCORE_H
#define SCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/sim_machine.h"
#include "fact.h"

/** SCORE_WHY - room for what is said of a fact. */
#define SCORE_WHY 512

/**
 * enum score - what a fact is worth; of alternatives the best one is taken
 * @SCORE_RIGHT: what was expected: a number near enough, a text, a verdict
 * @SCORE_OPEN: unanswered: no number, and nothing false either
 * @SCORE_WRONG: called measured and is not so, a bound that does not hold,
 *	absent though it is there, or an expectation that no rule covers
 * @SCORE_ANY: the file expects nothing of it
 */
enum score {
	SCORE_RIGHT,
	SCORE_OPEN,
	SCORE_WRONG,
	SCORE_ANY,
	SCORES,
};

/**
 * struct score_judged - what a fact is worth by the strict rule
 * @score: as of score_fact(), but that entries of a TLB have to be right as
 *	they are, and that a right value with limits too far apart (1.29 for
 *	a size, 1.05 for a latency) is SCORE_OPEN
 * @has_limits: it is a right number, and so its limits can be asked about
 * @held: the truth is within them
 */
struct score_judged {
	enum score score;
	bool has_limits;
	bool held;
};

/**
 * struct score_tally - facts of a machine by what they are worth
 * @n: how many of each score
 * @missing: of the unanswered, those that every machine has to answer
 */
struct score_tally {
	uint32_t n[SCORES];
	uint32_t missing;
};

/** score_name() - "right", "unanswered", "WRONG", "any" */
const char *score_name(enum score score);

/**
 * score_fact() - one fact against what is expected of it
 * @name: of the fact; says which rule is used
 * @expected: as in the machine file
 * @fact: what was found, NULL = nothing
 *
 * A number is right within 12.5 % for sizes; 2 % or half a cycle for
 * cycles; 2 % for ns and the clock; as it is for lines and ways; and for
 * TLB entries inside the fact's own limits.
 */
enum score score_fact(const char *name, const char *expected,
		      const struct mp_fact *fact);

/**
 * score_judge() - one fact against what is expected of it, strictly
 * @clock_hz: of the machine, for what is half a cycle in ns; 0 = unknown
 * @judged: gets the result
 *
 * This is the rule that the zoo is scored by; all else as of score_fact().
 */
void score_judge(const char *name, const char *expected,
		 const struct mp_fact *fact, double clock_hz,
		 struct score_judged *judged);

/** score_must() - is it one that a machine without it fails for? */
bool score_must(const char *name);

/** score_count() - one more of a score */
void score_count(struct score_tally *tally, const char *name,
		 enum score score);

/** score_add() - all of one tally to another */
void score_add(struct score_tally *to, const struct score_tally *from);

/** score_fails() - does a machine with this tally fail? */
bool score_fails(const struct score_tally *tally);

/** score_say() - "expected 32K, got >= 28 KiB: too noisy .." */
const char *score_say(char text[SCORE_WHY], const char *expected,
		      const struct mp_fact *fact);

#endif
