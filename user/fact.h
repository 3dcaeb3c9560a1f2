/* SPDX-License-Identifier: GPL-2.0 */
/* A fact: what was found out, where, how well, by what, beside what is claimed. */
#ifndef MP_FACT_H
#define MP_FACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MP_FACT_NAME 48
#define MP_FACT_TEXT 256
#define MP_FACT_UNIT 16
#define MP_FACT_EVIDENCE 32
#define MP_WHERE_TEXT 32
#define MP_WHERE_KEYS 2

/** enum mp_verdict - how far a fact goes */
enum mp_verdict {
	MP_MEASURED,
	MP_AT_LEAST,
	MP_AT_MOST,
	MP_ABSENT,	/* the thing asked about is not there */
	MP_VARIES,	/* it moved while it was measured: low..high is the range seen */
	MP_DISPUTED,	/* two estimators differ */
	MP_NOT_MEASURABLE,
	MP_VERDICTS,
};

/**
 * struct mp_where - what a fact is about: up to two keys, such as
 * cpus=0, node=1, device=cuda:0 with sm=17
 * @n: keys used
 * @key: their names
 * @value: their values as text
 * @number: the value is printed as a number
 */
struct mp_where {
	uint32_t n;
	char key[MP_WHERE_KEYS][MP_WHERE_TEXT];
	char value[MP_WHERE_KEYS][MP_WHERE_TEXT];
	bool number[MP_WHERE_KEYS];
};

/**
 * struct mp_claim - what the system says of the same quantity
 * @known: there is one
 * @value: in the fact's unit
 * @source: "cpuid", "sysfs", "hwloc"
 */
struct mp_claim {
	bool known;
	double value;
	char source[MP_FACT_UNIT];
};

/**
 * struct mp_point - a point of a series
 * @x: first axis
 * @y: second axis, or 0
 * @value: what was measured; the median of the replicates
 * @low: least replicate
 * @high: greatest replicate
 * @n: replicates
 */
struct mp_point {
	double x;
	double y;
	double value;
	double low;
	double high;
	uint32_t n;
};

/**
 * struct mp_series - points over one or two axes
 * @name: such as "cpu.latency"
 * @x_name, @x_unit, @y_name, @y_unit: axes; @y_name empty = one axis
 * @unit: of the value
 * @n: points
 * @point: owned
 */
struct mp_series {
	char name[MP_FACT_NAME];
	struct mp_where where;
	char x_name[MP_FACT_UNIT], x_unit[MP_FACT_UNIT];
	char y_name[MP_FACT_UNIT], y_unit[MP_FACT_UNIT];
	char unit[MP_FACT_UNIT];
	uint32_t n;
	struct mp_point *point;
};

/**
 * struct mp_fact - one answer
 * @name: such as "cpu.l1d.size"
 * @where: what it is about
 * @verdict: enum mp_verdict
 * @is_text: the value is @text, not @value
 * @value: number; not used where nothing is known (absent, not-measurable)
 * @low, @high: 95 % limits, or a bracket (see DESIGN), or the range seen
 * @unit: "bytes", "ns", "cycles", "ways", "entries", "cpus", "Hz"
 * @text: value as text (a policy)
 * @confidence: 0..1, or NaN = not known
 * @method: how it was found out, one line
 * @reason: why it is not measurable, disputed, varies ..
 * @n_evidence, @evidence: ids of the experiments it rests on
 * @claim: what the system says
 * @series: name of the series behind it, or empty
 */
struct mp_fact {
	char name[MP_FACT_NAME];
	struct mp_where where;
	uint32_t verdict;
	bool is_text;
	double value;
	double low;
	double high;
	char unit[MP_FACT_UNIT];
	char text[MP_FACT_NAME];
	double confidence;
	char method[MP_FACT_TEXT];
	char reason[MP_FACT_TEXT];
	uint32_t n_evidence;
	uint64_t evidence[MP_FACT_EVIDENCE];
	struct mp_claim claim;
	char series[MP_FACT_NAME];
};

/** struct mp_facts - a growing list of facts and of series */
struct mp_facts {
	uint32_t n;
	uint32_t room;
	struct mp_fact *fact;
	uint32_t n_series;
	uint32_t room_series;
	struct mp_series *series;
};

/** mp_verdict_name() - "measured", "at-least", .. */
const char *mp_verdict_name(uint32_t verdict);
/** mp_verdict_parse() - from its name; -EINVAL */
int mp_verdict_parse(const char *name, uint32_t *verdict);
/** mp_verdict_known() - does a fact of this verdict have a value? */
bool mp_verdict_known(uint32_t verdict);

/** mp_facts_add() - append a fact with everything empty, confidence NaN;
 * NULL when out of memory. Valid until the next call. */
struct mp_fact *mp_facts_add(struct mp_facts *facts, const char *name,
			     const struct mp_where *where);
/** mp_facts_find() - by name (first such), NULL when there is none */
const struct mp_fact *mp_facts_find(const struct mp_facts *facts,
				    const char *name);
/** mp_facts_renew() - the facts from the @from-th on that have name and place of
 * an earlier one take its place in the list; @names: only these */
void mp_facts_renew(struct mp_facts *facts, uint32_t from, const char *names);
/** mp_facts_add_series() - append an empty series; NULL when out of memory */
struct mp_series *mp_facts_add_series(struct mp_facts *facts,
				      const char *name,
				      const struct mp_where *where);
const struct mp_series *mp_facts_find_series(const struct mp_facts *facts,
					     const char *name);
/** mp_series_add() - append a point; -ENOMEM */
int mp_series_add(struct mp_series *series, const struct mp_point *point);
void mp_facts_free(struct mp_facts *facts);

/** mp_fact_note() - add an experiment to the evidence, once; full = ignored */
void mp_fact_note(struct mp_fact *fact, uint64_t id);
/** mp_fact_cannot() - make it not-measurable, and why */
void mp_fact_cannot(struct mp_fact *fact, const char *unit,
		    const char *reason, ...)
	__attribute__((format(printf, 3, 4)));
/** mp_fact_disagrees() - the claim is known and lies outside [low, high] */
bool mp_fact_disagrees(const struct mp_fact *fact);

/** mp_where_cpu() - {"cpus": "N"} */
void mp_where_cpu(struct mp_where *where, uint32_t cpu);
bool mp_where_equal(const struct mp_where *a, const struct mp_where *b);

#endif
