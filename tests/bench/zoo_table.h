/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What came of all machines of the zoo: counts a fact and noise level, the
 * wrong ones, how far confidence is to be trusted, and where the time went.
 * Nothing here depends on the order in which results come.
 */
#ifndef ZOO_TABLE_H
#define ZOO_TABLE_H

#include <stdio.h>

#include "confidence.h"
#include "zoo_class.h"
#include "zoo_machine.h"
#include "zoo_run.h"

#define ZOO_COLUMNS (ZOO_NOISES + 1)
#define ZOO_BINS 8
/** ZOO_WRONG_LINES - wrong facts that are listed. */
#define ZOO_WRONG_LINES 50u

/** struct zoo_row - counts of one fact by noise level */
struct zoo_row {
	char name[MP_FACT_NAME];
	bool is_promised;
	struct zoo_counts by_noise[ZOO_COLUMNS];
};

/** struct zoo_note - something to be said of a job */
struct zoo_note {
	uint32_t job;
	char name[MP_FACT_NAME];
	char said[ZOO_WHY];
};

/** struct zoo_notes - a growing list of those */
struct zoo_notes {
	uint32_t n;
	uint32_t room;
	struct zoo_note *note;
};

/** struct zoo_bin - facts of a confidence; @sum_ppm: of it, in millionths */
struct zoo_bin {
	uint32_t n;
	uint32_t held;
	uint64_t sum_ppm;
};

/**
 * struct zoo_table - all of it
 * @machines: that were measured; @failed: that were not, crashes among them
 * @count: facts by mp_confidence_class()
 * @wrong: wrong facts; @open: those not answered, kept where @keep_open;
 *	@broken: why jobs failed
 */
struct zoo_table {
	bool keep_open;
	uint32_t machines;
	uint32_t failed;
	uint64_t redraws;
	uint64_t cpu_ns;
	uint64_t sim_ns;
	uint64_t hops;
	uint32_t n_rows;
	uint32_t room_rows;
	struct zoo_row *row;
	struct zoo_bin bin[ZOO_BINS];
	struct mp_confidence_count count[MP_CONFIDENCE_CLASSES];
	struct zoo_notes wrong;
	struct zoo_notes open;
	struct zoo_notes broken;
};

/** zoo_table_take() - a machine's result; -ENOMEM */
int zoo_table_take(struct zoo_table *table, uint32_t job, uint32_t noise,
		   const struct zoo_result *result);

/** zoo_table_broken() - a job without a result, and why; -ENOMEM */
int zoo_table_broken(struct zoo_table *table, uint32_t job, const char *why);

/** zoo_table_sort() - after the last result: everything in order */
void zoo_table_sort(struct zoo_table *table);

/** zoo_table_sum() - counts of a class at a noise level; ZOO_COLUMNS = all,
 * ZOO_CLASSES = every class */
struct zoo_counts zoo_table_sum(const struct zoo_table *table, uint32_t class,
				uint32_t noise);

/** zoo_table_print() - the table, and that of confidence where any is known */
void zoo_table_print(const struct zoo_table *table, FILE *out);

/** zoo_table_calibrate() - print the counts as user/confidence_table.c */
void zoo_table_calibrate(const struct zoo_table *table, FILE *out);

/** zoo_table_gate() - print every bound that is not kept; how many */
uint32_t zoo_table_gate(const struct zoo_table *table, FILE *out);

void zoo_table_free(struct zoo_table *table);

#endif
