// SPDX-License-Identifier: GPL-2.0
/*
 * The memory hierarchy as a picture: a staircase of boxes, each level wider
 * than the one inside it, and beside each box what was measured, its limits,
 * what is claimed, and how long a load takes.
 */
#include "report/picture.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "report/format.h"
#include "utf8.h"

#define LEVELS 4
/* Inside of the innermost box, and how much each further one is wider. */
#define BOX_INSIDE 5
#define BOX_STEP 2
/* Where the table begins: right of the widest box. */
#define TABLE_COLUMN 17
/* The table's columns; the widest rows take 78 of the 80. */
#define VALUE_WIDTH 10
#define RANGE_WIDTH 20
#define CLAIM_WIDTH 9
#define LATENCY_WIDTH 9
#define CYCLES_WIDTH 8
#define LINE_ROOM 256

struct rung {
	const char *name;	/* "l1d" */
	const char *title;	/* "L1d" */
};

static const struct rung levels[LEVELS] = {
	{ "l1d", "L1d" }, { "l2", "L2" }, { "l3", "L3" }, { "l4", "L4" },
};
static const struct rung memory = { "dram", "DRAM" };

static const char *const level_facts[] = {
	"size", "latency", "latency-cycles", "line", "ways",
};
static const char *const memory_facts[] = { "latency", "latency-random" };

struct picture {
	FILE *out;
	const struct mp_report *report;
	const struct mp_where *where;
	const struct mp_style *style;
};

static const struct mp_fact *fact_of(const struct picture *picture,
				     const struct rung *rung, const char *what)
{
	char name[MP_FACT_NAME];

	snprintf(name, sizeof(name), "cpu.%s.%s", rung->name, what);
	return mp_report_fact(picture->report, name, picture->where);
}

/* Something to show: known, or at least asked about and claimed. */
static bool shown(const struct picture *picture, const struct rung *rung)
{
	const struct mp_fact *fact = fact_of(picture, rung, "size");

	if (fact)
		return fact->verdict != MP_ABSENT || fact->claim.known;
	for (size_t i = 1; i < sizeof(level_facts) / sizeof(level_facts[0]);
	     i++) {
		fact = fact_of(picture, rung, level_facts[i]);
		if (fact && mp_verdict_known(fact->verdict))
			return true;
	}
	return false;
}

const char *mp_claim_mark(const struct mp_report *report,
			  const struct mp_fact *fact,
			  const struct mp_style *style, enum mp_ink *ink)
{
	const bool differs = mp_report_disagreement(report, fact);

	if (ink)
		*ink = differs ? MP_INK_WARN : MP_INK_GOOD;
	if (differs)
		return style->utf8 ? "\u2260" : "!=";
	if (fact->claim.known && mp_verdict_known(fact->verdict))
		return "=";
	return "";
}

/* Text to the right of a column, by characters. */
static void right(FILE *out, int width, const char *text)
{
	fprintf(out, "%*s%s", width - mp_utf8_width(text), "", text);
}

static void line_of(const struct picture *picture, int width)
{
	for (int i = 0; i < width; i++)
		fputs(picture->style->utf8 ? "\u2500" : "-", picture->out);
}

static int inside(int depth)
{
	return BOX_INSIDE + BOX_STEP * depth;
}

/* The box of one level: its left part of the table's line. */
static void box_body(const struct picture *picture, int depth,
		     const char *title)
{
	const char *wall = picture->style->utf8 ? "\u2502" : "|";
	const int width = inside(depth);

	fprintf(picture->out, "%s %s%s%s%*s%s%*s", wall,
		mp_style_on(picture->style, MP_INK_TITLE), title,
		mp_style_off(picture->style),
		width - 1 - (int)strlen(title), "", wall,
		TABLE_COLUMN - width - 2, "");
}

static void box_top(const struct picture *picture)
{
	fputs(picture->style->utf8 ? "\u250c" : "+", picture->out);
	line_of(picture, BOX_INSIDE);
	fputs(picture->style->utf8 ? "\u2510" : "+", picture->out);
	fprintf(picture->out, "%*s", TABLE_COLUMN - BOX_INSIDE - 2, "");
}

/* The line between a level and the next, wider one. */
static void box_step(const struct picture *picture, int depth)
{
	const bool utf8 = picture->style->utf8;

	fputs(utf8 ? "\u251c" : "+", picture->out);
	line_of(picture, inside(depth));
	fputs(utf8 ? "\u2534" : "+", picture->out);
	line_of(picture, BOX_STEP - 1);
	fputs(utf8 ? "\u2510" : "+", picture->out);
	fprintf(picture->out, "%*s", TABLE_COLUMN - inside(depth + 1) - 2,
		"");
}

static void box_bottom(const struct picture *picture, int depth)
{
	fputs(picture->style->utf8 ? "\u2514" : "+", picture->out);
	line_of(picture, inside(depth));
	fputs(picture->style->utf8 ? "\u2518" : "+", picture->out);
	fprintf(picture->out, "%*s", TABLE_COLUMN - inside(depth) - 2, "");
}

static void print_claim(const struct picture *picture,
			const struct mp_fact *fact)
{
	char text[MP_FORMAT_ROOM] = "";
	const char *mark = "";
	enum mp_ink ink = MP_INK_NONE;

	if (fact && fact->claim.known) {
		mp_format_human(text, fact->claim.value, fact->unit);
		mark = mp_claim_mark(picture->report, fact, picture->style,
				     &ink);
	}
	right(picture->out, CLAIM_WIDTH, text);
	fprintf(picture->out, " %s%s%s%*s", mp_style_on(picture->style, ink),
		mark, mp_style_off(picture->style), 2 - mp_utf8_width(mark),
		"");
}

static void print_measured(const struct picture *picture, int width,
			   const struct mp_fact *fact)
{
	char text[MP_FORMAT_ROOM];

	right(picture->out, width,
	      mp_format_fact(text, fact, picture->style->utf8));
}

static void print_range(const struct picture *picture,
			const struct mp_fact *fact)
{
	char text[MP_FORMAT_ROOM] = "";

	if (fact && mp_verdict_known(fact->verdict))
		mp_format_range(text, fact->low, fact->high, fact->unit);
	fprintf(picture->out, "  %s%*s", text,
		RANGE_WIDTH - mp_utf8_width(text), "");
}

/* Adds to a line of words; the first comes without a comma. */
static void add_words(char *line, size_t room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add_words(char *line, size_t room, const char *format, ...)
{
	size_t used = strlen(line);
	va_list args;

	if (used)
		used += (size_t)snprintf(line + used, room - used, ", ");
	if (used >= room)
		return;
	va_start(args, format);
	vsnprintf(line + used, room - used, format, args);
	va_end(args);
}

/* "64 B lines", "8 ways (claimed 12)" */
static void add_count(const struct picture *picture, char *line, size_t room,
		      const struct mp_fact *fact, const char *noun)
{
	char text[MP_FORMAT_ROOM], claim[MP_FORMAT_ROOM];

	if (!fact || fact->verdict == MP_ABSENT)
		return;
	if (!mp_verdict_known(fact->verdict)) {
		add_words(line, room, "%s not measurable", noun);
		return;
	}
	mp_format_fact(text, fact, picture->style->utf8);
	if (!fact->claim.known) {
		add_words(line, room, "%s %s", text, noun);
	} else if (mp_report_disagreement(picture->report, fact) ||
		   fabs(fact->value - fact->claim.value) >= 1) {
		mp_format_human(claim, fact->claim.value, fact->unit);
		add_words(line, room, "%s %s (claimed %s)", text, noun, claim);
	} else {
		add_words(line, room, "%s %s (as claimed)", text, noun);
	}
}

static void level_words(const struct picture *picture,
			const struct rung *rung)
{
	const struct mp_fact *size = fact_of(picture, rung, "size");
	const struct mp_fact *latency = fact_of(picture, rung, "latency");
	char line[LINE_ROOM] = "";

	if (size && size->verdict != MP_ABSENT)
		add_words(line, sizeof(line), "%s",
			  mp_verdict_name(size->verdict));
	add_count(picture, line, sizeof(line), fact_of(picture, rung, "line"),
		  "lines");
	add_count(picture, line, sizeof(line), fact_of(picture, rung, "ways"),
		  "ways");
	if (latency && latency->verdict != MP_MEASURED &&
	    mp_verdict_known(latency->verdict))
		add_words(line, sizeof(line), "latency %s",
			  mp_verdict_name(latency->verdict));
	fprintf(picture->out, "  %s\n", line);
}

static void level_row(const struct picture *picture, const struct rung *rung,
		      int depth)
{
	const struct mp_fact *size = fact_of(picture, rung, "size");

	box_body(picture, depth, rung->title);
	print_measured(picture, VALUE_WIDTH, size);
	print_range(picture, size);
	print_claim(picture, size);
	print_measured(picture, LATENCY_WIDTH,
		       fact_of(picture, rung, "latency"));
	print_measured(picture, CYCLES_WIDTH,
		       fact_of(picture, rung, "latency-cycles"));
	fputc('\n', picture->out);
}

static void memory_rows(const struct picture *picture, int depth)
{
	const struct mp_fact *random =
		fact_of(picture, &memory, "latency-random");
	char text[MP_FORMAT_ROOM];

	box_body(picture, depth, memory.title);
	fprintf(picture->out, "%*s",
		VALUE_WIDTH + 2 + RANGE_WIDTH + CLAIM_WIDTH + 3, "");
	print_measured(picture, LATENCY_WIDTH,
		       fact_of(picture, &memory, "latency"));
	fputc('\n', picture->out);
	box_bottom(picture, depth);
	mp_format_fact(text, random, picture->style->utf8);
	if (text[0])
		fprintf(picture->out, "  %s at random pages, page walks included",
			text);
	fputc('\n', picture->out);
}

void mp_picture_draw(FILE *out, const struct mp_report *report,
		     const struct mp_where *where,
		     const struct mp_style *style)
{
	const struct picture picture = { out, report, where, style };
	int depth = 0;

	box_top(&picture);
	fprintf(out, "%*s  %-*s%*s   %*s%*s\n", VALUE_WIDTH, "measured",
		RANGE_WIDTH, "95 % interval", CLAIM_WIDTH, "claimed",
		LATENCY_WIDTH, "latency", CYCLES_WIDTH, "cycles");
	for (int i = 0; i < LEVELS; i++) {
		if (!shown(&picture, &levels[i]))
			continue;
		level_row(&picture, &levels[i], depth);
		box_step(&picture, depth);
		level_words(&picture, &levels[i]);
		depth++;
	}
	memory_rows(&picture, depth);
}

static bool one_of(const char *name, const struct rung *rung,
		   const char *const *what, size_t n)
{
	char other[MP_FACT_NAME];

	for (size_t i = 0; i < n; i++) {
		snprintf(other, sizeof(other), "cpu.%s.%s", rung->name,
			 what[i]);
		if (strcmp(name, other) == 0)
			return true;
	}
	return false;
}

bool mp_picture_has(const char *name)
{
	for (int i = 0; i < LEVELS; i++)
		if (one_of(name, &levels[i], level_facts,
			   sizeof(level_facts) / sizeof(level_facts[0])))
			return true;
	return one_of(name, &memory, memory_facts,
		      sizeof(memory_facts) / sizeof(memory_facts[0]));
}
