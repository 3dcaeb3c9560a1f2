// SPDX-License-Identifier: GPL-2.0
/* Classes of facts, and the bounds that each has to keep. */
#include "zoo_class.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/exact.h"

/* Of 95 % limits: so many have to hold, and so many hold of those that were
 * made wide to be safe. */
#define COVERED_MIN 0.94
#define COVERED_MAX 0.99

/*
 * @prefix, @ending: of a fact's name; the first row that fits
 * @wrong_max: share that may be wrong; 0 = none, whatever chance says
 * @answered_min: share that has to be answered
 * @is_narrow: limits that hold too often are too wide
 */
static const struct class {
	const char *name;
	const char *prefix;
	const char *ending;
	uint32_t class;
	double wrong_max;
	double answered_min;
	bool is_narrow;
} classes[] = {
	{ "size", "cpu.l", ".size", ZOO_SIZE, 0, 0.97, false },
	{ "latency", "cpu.", ".latency-cycles", ZOO_LATENCY, 0, 0.97, true },
	{ "latency", "cpu.", ".latency", ZOO_LATENCY, 0, 0.97, true },
	{ "line", "cpu.l", ".line", ZOO_LINE, 0, 0.97, false },
	{ "ways", "cpu.l", ".ways", ZOO_WAYS, 0, 0.90, false },
	{ "tlb-entries", "cpu.", ".entries", ZOO_ENTRIES, 0.001, 0.90, false },
	{ "tlb-ways", "cpu.", ".ways", ZOO_TLB_WAYS, 0, 0.60, false },
	{ "tlb-cost", "cpu.", "cost", ZOO_COST, 0.001, 0.60, false },
	{ "policy", "cpu.", ".policy", ZOO_POLICY_CLASS, 0.001, 0.75, false },
	{ "inclusion", "cpu.", ".inclusion", ZOO_INCLUSION_KIND, 0.001, 0.60,
	  false },
	{ "sector", "cpu.", ".sector", ZOO_SECTORS, 0.001, 0.60, false },
	{ "shared", "cpu.", ".shared", ZOO_SHARED, 0.001, 0.60, false },
	{ "prefetch", "cpu.prefetch", "", ZOO_FETCH, 0.001, 0.60, false },
	{ "other", "", "", ZOO_OTHER, 0.001, 0.60, false },
};

static const struct class *find_name(const char *fact)
{
	const size_t length = strlen(fact);
	const struct class *row = classes;

	for (; row->class != ZOO_OTHER; row++) {
		const size_t tail = strlen(row->ending);

		if (!strncmp(fact, row->prefix, strlen(row->prefix)) &&
		    length >= tail && !strcmp(fact + length - tail, row->ending))
			break;
	}
	return row;
}

static const struct class *find_class(uint32_t class)
{
	const struct class *row = classes;

	while (row->class != class && row->class != ZOO_OTHER)
		row++;
	return row;
}

uint32_t zoo_class_of(const char *fact)
{
	return find_name(fact)->class;
}

const char *zoo_class_name(uint32_t class)
{
	return find_class(class)->name;
}

void zoo_counts_add(struct zoo_counts *to, const struct zoo_counts *from)
{
	to->asked += from->asked;
	to->answered += from->answered;
	to->open += from->open;
	to->wrong += from->wrong;
	to->limits += from->limits;
	to->held += from->held;
}

double zoo_at_most(uint32_t k, uint32_t n, double p)
{
	return mp_exact_few(k, n, p);
}

/* Are there fewer of @n than this share? */
static bool is_under(uint32_t k, uint32_t n, double share, bool exact)
{
	if (exact)
		return k < share * n;
	return zoo_at_most(k, n, share) < ZOO_CHANCE;
}

/* Are there more? That is: of the others, fewer. */
static bool is_over(uint32_t k, uint32_t n, double share, bool exact)
{
	if (exact)
		return k > share * n;
	return is_under(n - k, n, 1 - share, false);
}

struct said {
	char *why;
	size_t room;
	uint32_t n;
};

static void say(struct said *said, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct said *said, const char *format, ...)
{
	const size_t used = strlen(said->why);
	va_list args;

	va_start(args, format);
	if (said->n++ && used + 2 < said->room)
		strcat(said->why, "; ");
	vsnprintf(said->why + strlen(said->why),
		  said->room - strlen(said->why), format, args);
	va_end(args);
}

uint32_t zoo_gate(uint32_t class, const struct zoo_counts *all,
		  const struct zoo_counts *noisy, uint32_t machines, char *why,
		  size_t room)
{
	const struct class *row = find_class(class);
	const bool exact = machines >= ZOO_EXACT_MACHINES;
	struct said said = { why, room, 0 };

	why[0] = '\0';
	if (!all->asked)
		return 0;
	if (row->wrong_max <= 0 ? all->wrong > 0 :
	    is_over(all->wrong, all->asked, row->wrong_max, exact))
		say(&said, "%u of %u wrong: at most %g %%", all->wrong,
		    all->asked, 100 * row->wrong_max);
	if (is_under(all->answered, all->asked, row->answered_min, exact))
		say(&said, "%u of %u answered: at least %g %%", all->answered,
		    all->asked, 100 * row->answered_min);
	if (is_under(all->held, all->limits, COVERED_MIN, exact))
		say(&said, "the limits of %u of %u hold: at least %g %%",
		    all->held, all->limits, 100 * COVERED_MIN);
	if (row->is_narrow &&
	    is_over(noisy->held, noisy->limits, COVERED_MAX, exact))
		say(&said, "under noise the limits of %u of %u hold: at most "
		    "%g %%", noisy->held, noisy->limits, 100 * COVERED_MAX);
	return said.n;
}
