// SPDX-License-Identifier: GPL-2.0
/* What came of all machines of the zoo. */
#include "zoo_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PPM 1e6

/* Where bins of confidence begin. */
static const double bin_begin[ZOO_BINS] = {
	0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99,
};

static int add_note(struct zoo_notes *notes, uint32_t job, const char *name,
		    const char *said)
{
	struct zoo_note *note;

	if (notes->n == notes->room) {
		const uint32_t room = notes->room ? 2 * notes->room : 64;

		note = realloc(notes->note, room * sizeof(*note));
		if (!note)
			return -ENOMEM;
		notes->note = note;
		notes->room = room;
	}
	note = &notes->note[notes->n++];
	note->job = job;
	snprintf(note->name, sizeof(note->name), "%s", name);
	snprintf(note->said, sizeof(note->said), "%s", said);
	return 0;
}

static struct zoo_row *row_of(struct zoo_table *table, const char *name)
{
	struct zoo_row *row = table->row;

	for (uint32_t i = 0; i < table->n_rows; i++) {
		if (!strcmp(row[i].name, name))
			return &row[i];
	}
	if (table->n_rows == table->room_rows) {
		const uint32_t room = table->room_rows + 64;

		row = realloc(row, room * sizeof(*row));
		if (!row)
			return NULL;
		table->row = row;
		table->room_rows = room;
	}
	row = &table->row[table->n_rows++];
	memset(row, 0, sizeof(*row));
	snprintf(row->name, sizeof(row->name), "%s", name);
	return row;
}

static void take_confidence(struct zoo_table *table,
			    const struct zoo_fact *fact)
{
	uint32_t k = ZOO_BINS - 1;

	if (!(fact->confidence >= 0 && fact->confidence <= 1))
		return;
	while (fact->confidence < bin_begin[k])
		k--;
	table->bin[k].n++;
	table->bin[k].held += fact->score != SCORE_WRONG;
	table->bin[k].sum_ppm += (uint64_t)llround(fact->confidence * PPM);
}

static int take_fact(struct zoo_table *table, uint32_t job, uint32_t noise,
		     const struct zoo_fact *fact)
{
	struct zoo_row *row = row_of(table, fact->name);
	struct zoo_counts *counts;

	if (!row)
		return -ENOMEM;
	counts = &row->by_noise[noise];
	row->is_promised |= fact->is_promised;
	counts->asked++;
	counts->answered += fact->score == SCORE_RIGHT;
	counts->open += fact->score == SCORE_OPEN;
	counts->wrong += fact->score == SCORE_WRONG;
	counts->limits += fact->has_limits;
	counts->held += fact->has_limits && fact->held;
	take_confidence(table, fact);
	if (fact->class < MP_CONFIDENCE_CLASSES) {
		table->count[fact->class].n++;
		table->count[fact->class].held += fact->score != SCORE_WRONG;
	}
	if (fact->score == SCORE_WRONG)
		return add_note(&table->wrong, job, fact->name, fact->said);
	if (fact->score == SCORE_OPEN && table->keep_open && fact->is_promised)
		return add_note(&table->open, job, fact->name, fact->said);
	return 0;
}

int zoo_table_take(struct zoo_table *table, uint32_t job, uint32_t noise,
		   const struct zoo_result *result)
{
	int err = 0;

	table->redraws += result->redraws;
	if (result->failed)
		return zoo_table_broken(table, job, result->why);
	table->machines++;
	table->cpu_ns += result->cpu_ns;
	table->sim_ns += result->sim_ns;
	table->hops += result->hops;
	for (uint32_t i = 0; i < result->n && !err; i++)
		err = take_fact(table, job, noise, &result->fact[i]);
	return err;
}

int zoo_table_broken(struct zoo_table *table, uint32_t job, const char *why)
{
	table->failed++;
	return add_note(&table->broken, job, "", why);
}

static int compare_notes(const void *a, const void *b)
{
	const struct zoo_note *one = a, *other = b;

	if (one->job != other->job)
		return one->job < other->job ? -1 : 1;
	return strcmp(one->name, other->name);
}

static int compare_rows(const void *a, const void *b)
{
	const struct zoo_row *one = a, *other = b;

	return strcmp(one->name, other->name);
}

static void sort_notes(struct zoo_notes *notes)
{
	if (notes->n)
		qsort(notes->note, notes->n, sizeof(*notes->note),
		      compare_notes);
}

void zoo_table_sort(struct zoo_table *table)
{
	sort_notes(&table->wrong);
	sort_notes(&table->open);
	sort_notes(&table->broken);
	if (table->n_rows)
		qsort(table->row, table->n_rows, sizeof(*table->row),
		      compare_rows);
}

static struct zoo_counts row_sum(const struct zoo_row *row, uint32_t noise)
{
	struct zoo_counts sum = { 0 };

	for (uint32_t i = 0; i < ZOO_COLUMNS; i++) {
		if (noise == ZOO_COLUMNS || noise == i)
			zoo_counts_add(&sum, &row->by_noise[i]);
	}
	return sum;
}

struct zoo_counts zoo_table_sum(const struct zoo_table *table, uint32_t class,
				uint32_t noise)
{
	struct zoo_counts sum = { 0 };

	for (uint32_t i = 0; i < table->n_rows; i++) {
		const struct zoo_row *row = &table->row[i];
		const struct zoo_counts one = row_sum(row, noise);

		if (class == ZOO_CLASSES || zoo_class_of(row->name) == class)
			zoo_counts_add(&sum, &one);
	}
	return sum;
}

static double percent(uint32_t part, uint32_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void print_counts(FILE *out, const char *name, uint32_t noise,
			 const struct zoo_counts *counts)
{
	if (!counts->asked)
		return;
	fprintf(out, "%-26s %-8s %7u %8.2f %% %7u %6u ", name,
		noise == ZOO_COLUMNS ? "all" : zoo_noise_name(noise),
		counts->asked, percent(counts->answered, counts->asked),
		counts->open, counts->wrong);
	if (counts->limits)
		fprintf(out, "%8.2f %%\n", percent(counts->held,
						   counts->limits));
	else
		fprintf(out, "%8s\n", "-");
}

/* Lines of one class or row: each noise level, and all where several are. */
static void print_noises(const struct zoo_table *table, FILE *out,
			 const char *name, uint32_t class,
			 const struct zoo_row *row)
{
	uint32_t seen = 0;

	for (uint32_t noise = 0; noise <= ZOO_COLUMNS; noise++) {
		const struct zoo_counts counts = row ? row_sum(row, noise) :
			zoo_table_sum(table, class, noise);

		if (noise == ZOO_COLUMNS && seen < 2)
			break;
		seen += counts.asked > 0;
		print_counts(out, name, noise, &counts);
	}
}

static void print_unpromised(const struct zoo_table *table, FILE *out)
{
	const char *before = "asked, but promised by no probe:";

	for (uint32_t i = 0; i < table->n_rows; i++) {
		if (table->row[i].is_promised)
			continue;
		fprintf(out, "%s %s", before, table->row[i].name);
		before = "";
	}
	if (!*before)
		fprintf(out, "\n");
}

static void print_confidence(const struct zoo_table *table, FILE *out)
{
	bool any = false;

	for (uint32_t i = 0; i < ZOO_BINS; i++) {
		const struct zoo_bin *bin = &table->bin[i];

		if (!bin->n)
			continue;
		if (!any)
			fprintf(out, "\n%-26s %7s %10s %10s\n", "confidence",
				"facts", "given", "held");
		any = true;
		fprintf(out, "%4.2f ..%19s %7u %8.2f %% %8.2f %%\n",
			bin_begin[i], "", bin->n,
			100 * (double)bin->sum_ppm / PPM / bin->n,
			percent(bin->held, bin->n));
	}
}

void zoo_table_print(const struct zoo_table *table, FILE *out)
{
	fprintf(out, "%-26s %-8s %7s %10s %7s %6s %10s\n", "fact", "noise",
		"asked", "answered", "not-m.", "wrong", "covered");
	for (uint32_t class = 0; class < ZOO_CLASSES; class++)
		print_noises(table, out, zoo_class_name(class), class, NULL);
	fprintf(out, "\n");
	for (uint32_t i = 0; i < table->n_rows; i++)
		print_noises(table, out, table->row[i].name, 0,
			     &table->row[i]);
	print_unpromised(table, out);
	print_confidence(table, out);
}

void zoo_table_calibrate(const struct zoo_table *table, FILE *out)
{
	fprintf(out, "// SPDX-License-Identifier: GPL-2.0\n"
		"/* Made by 'build/zoo --calibrate'; not to be written by hand. */\n"
		"#include \"confidence.h\"\n\n"
		"const struct mp_confidence_count mp_confidence_table[MP_CONFIDENCE_CLASSES] = {\n");
	for (uint32_t i = 0; i < MP_CONFIDENCE_CLASSES; i++)
		if (table->count[i].n)
			fprintf(out, "\t[%u] = { %u, %u },\n", i,
				table->count[i].n, table->count[i].held);
	fprintf(out, "};\n");
}

uint32_t zoo_table_gate(const struct zoo_table *table, FILE *out)
{
	uint32_t n = 0;
	char why[512];

	for (uint32_t class = 0; class < ZOO_CLASSES; class++) {
		const struct zoo_counts all =
			zoo_table_sum(table, class, ZOO_COLUMNS);
		const struct zoo_counts quiet =
			zoo_table_sum(table, class, ZOO_NOISE_NONE);
		struct zoo_counts noisy = all;

		noisy.limits -= quiet.limits;
		noisy.held -= quiet.held;
		if (!zoo_gate(class, &all, &noisy, table->machines, why,
			      sizeof(why)))
			continue;
		fprintf(out, "OVER ITS BOUND: %s: %s\n", zoo_class_name(class),
			why);
		n++;
	}
	return n;
}

void zoo_table_free(struct zoo_table *table)
{
	free(table->row);
	free(table->wrong.note);
	free(table->open.note);
	free(table->broken.note);
	memset(table, 0, sizeof(*table));
}
