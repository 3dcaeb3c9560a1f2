/* SPDX-License-Identifier: GPL-2.0 */
/* One machine of the zoo, measured as the tool measures, and judged. */
#ifndef ZOO_RUN_H
#define ZOO_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "fact.h"
#include "select.h"
#include "tests/sim/score.h"

/** ZOO_FACTS_MAX - facts of a machine that can be judged. */
#define ZOO_FACTS_MAX 160u
/** ZOO_WHY - room for what is said of a fact or of a failure. */
#define ZOO_WHY 256

/**
 * struct zoo_how - how machines are measured
 * @seed: run seed
 * @list: the probes
 * @is_partial: not all probes: only what these promise is asked
 */
struct zoo_how {
	uint64_t seed;
	uint64_t budget_ns;
	uint32_t depth;
	bool is_partial;
	struct mp_run_list list;
};

/**
 * struct zoo_fact - a fact and what it is worth; those that are not asked
 * for are left out
 * @score: enum score, by the strict rule
 * @is_promised: a probe that ran has it among its facts
 * @confidence: NaN = not known
 * @class: mp_confidence_class()
 * @said: what was expected and what was found, unless it is right
 */
struct zoo_fact {
	char name[MP_FACT_NAME];
	uint8_t score;
	bool has_limits;
	bool held;
	bool is_promised;
	double confidence;
	uint32_t class;
	char said[ZOO_WHY];
};

/**
 * struct zoo_result - what came of a machine
 * @failed: it could not be measured; @why says what is wrong
 * @cpu_ns: CPU time in all; @sim_ns: of that, in the simulator
 * @hops: measured ones
 * @redraws: as zoo_machine_draw() returned them; the caller's
 * @n, @fact: facts that were asked for
 */
struct zoo_result {
	bool failed;
	char why[ZOO_WHY];
	uint64_t cpu_ns;
	uint64_t sim_ns;
	uint64_t hops;
	uint32_t redraws;
	uint32_t n;
	struct zoo_fact fact[ZOO_FACTS_MAX];
};

/** zoo_result_bytes() - of a result, facts that there are included */
size_t zoo_result_bytes(const struct zoo_result *result);

/**
 * zoo_run() - measure a machine file with the tool's own code
 * @file: in which the machine stands, with what is expected
 * @result: gets all
 */
void zoo_run(const struct zoo_how *how, const char *file,
	     struct zoo_result *result);

/** zoo_promised() - is a fact among those that probes of a list promise? */
bool zoo_promised(const struct mp_run_list *list, const char *fact);

#endif
