// SPDX-License-Identifier: GPL-2.0
/*
 * What would change an answer: a list of points, each of which looks into the
 * report and speaks only where it finds what it is about. Remedies are for
 * machines; a simulated one has none.
 */
#include "cmd_explain_change.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_explain_clue.h"
#include "names.h"
#include "report/format.h"
#include "utf8.h"

#define LINE_ROOM 1024
/* Disturbed shares that are worth a word, and a load that is. */
#define DISTURBED 0.05
#define LOADED 0.5
/* A clock of longer steps does not time single hops. */
#define FINE_CYCLES 3
/* With fewer replicates there are no limits to speak of. */
#define REPLICATES 5

/* Each fills the line and returns true, or has nothing to say. */
typedef bool point_fn(const struct mp_doubted *d, char line[LINE_ROOM]);

static bool tell(char line[LINE_ROOM], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool tell(char line[LINE_ROOM], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(line, LINE_ROOM, format, args);
	va_end(args);
	return true;
}

/* It was measured on the machine itself: remedies can be tried there. */
static bool lives(const struct mp_report *report)
{
	return !report->label[0];
}

static const char *condition(const struct mp_report *report, const char *key)
{
	for (uint32_t i = 0; i < report->n_conditions; i++)
		if (strcmp(report->condition[i].key, key) == 0)
			return report->condition[i].text;
	return NULL;
}

static double share(uint32_t part, uint32_t all)
{
	return all ? (double)part / all : 0;
}

/* There is something that a better run could tell. */
static bool is_open(const struct mp_doubted *d)
{
	return d->fact->verdict != MP_MEASURED &&
	       d->fact->verdict != MP_ABSENT;
}

/* Also where limits could lie closer together. */
static bool is_loose(const struct mp_doubted *d)
{
	return is_open(d) || d->fact->low < d->fact->high;
}

/* -- by verdict ------------------------------------------------------------ */

static bool by_verdict(const struct mp_doubted *d, char line[LINE_ROOM])
{
	const struct mp_fact *fact = d->fact;
	char range[MP_FORMAT_ROOM];

	switch (fact->verdict) {
	case MP_MEASURED:
		if (fact->is_text || !(fact->low < fact->high))
			return tell(line, "It would be overturned by %s.",
				    d->kind->overturn);
		mp_format_range(range, fact->low, fact->high, fact->unit);
		return tell(line, "Any value within %s is as good as this one by what was seen. It would be overturned by %s.",
			    range, d->kind->overturn);
	case MP_AT_LEAST:
		return tell(line, "This is a lower limit, and what may lie above it is open.");
	case MP_AT_MOST:
		return tell(line, "This is an upper limit, and what may lie below it is open.");
	case MP_ABSENT:
		return tell(line, "It was looked for and not found. It would be overturned by experiments that reach further than these did.");
	case MP_VARIES:
		return tell(line, "It has no single value here: the limits are the range that was seen. It would be measured where what moves it holds still.");
	case MP_DISPUTED:
		return tell(line, "Two estimators differ, and neither is taken for right: it would be settled where both say the same.");
	default:
		return tell(line, "No answer is given; the reason stands above.");
	}
}

static bool by_reason(const struct mp_doubted *d, char line[LINE_ROOM])
{
	const struct mp_clue *clue = mp_clue_find(d->fact->reason);

	if (!clue || (clue->remedy && !lives(d->report)))
		return false;
	if (clue->without_module &&
	    strcmp(d->report->run.backend, "kmod") == 0)
		return false;
	return tell(line, "%s", clue->says);
}

/* -- by what it starts from ------------------------------------------------ */

/* "cpu.l2." of "cpu.l2.size"; 0 = it has no such part. */
static size_t level_length(const char *name)
{
	const char *dot = strchr(name, '.');

	dot = dot ? strchr(dot + 1, '.') : NULL;
	return dot ? (size_t)(dot - name) + 1 : 0;
}

/* Does what answers the doubted fact start from what answers this one? */
static bool starts_from(const struct mp_doubted *d, const char *name)
{
	const struct mp_probe *before = mp_probe_of_fact(name);

	return d->probe && before &&
	       mp_names_has(d->probe->after, before->name);
}

static bool by_answers_before(const struct mp_doubted *d,
			      char line[LINE_ROOM])
{
	const struct mp_facts *facts = &d->report->facts;
	const size_t level = level_length(d->fact->name);
	size_t used = 0;

	if (!is_open(d) || !level)
		return false;
	line[0] = '\0';
	for (uint32_t i = 0; i < facts->n; i++) {
		const struct mp_fact *fact = &facts->fact[i];

		if (fact->verdict == MP_MEASURED ||
		    strncmp(fact->name, d->fact->name, level) != 0 ||
		    !mp_where_equal(&fact->where, &d->fact->where) ||
		    !starts_from(d, fact->name) || used >= LINE_ROOM / 2)
			continue;
		used += (size_t)snprintf(line + used, LINE_ROOM - used,
					 "%s%s (%s)", used ? ", " :
					 "It starts from answers that are not measured either: ",
					 fact->name,
					 mp_verdict_name(fact->verdict));
	}
	return used > 0;
}

/* -- by the run ------------------------------------------------------------ */

static bool by_stop(const struct mp_doubted *d, char line[LINE_ROOM])
{
	const struct mp_report_run *run = &d->report->run;

	if (strcmp(run->stop, "time") == 0)
		return tell(line, "The time limit of %u s cut the run short: more replicates come with a longer --time-limit.",
			    run->time_limit_s);
	if (strcmp(run->stop, "signal") == 0)
		return tell(line, "The run was interrupted: what it had not measured by then is missing.");
	return false;
}

static bool by_depth(const struct mp_doubted *d, char line[LINE_ROOM])
{
	const bool quick = strcmp(d->report->run.depth, "quick") == 0;

	if (!is_open(d))
		return quick && tell(line, "It was a quick run: one without --quick has more replicates, and its limits may lie closer together.");
	if (quick)
		return tell(line, "It was a quick run: one without --quick takes more time, and has more replicates and more probes to start from.");
	if (d->probe && lives(d->report) && strchr(d->report->run.probes, ','))
		return tell(line, "The time was shared by several probes: memprobe run --probe %s gives all of it to this one and those that it starts from, --deep makes it more for each.",
			    d->probe->name);
	return false;
}

static bool by_replicates(const struct mp_doubted *d, char line[LINE_ROOM])
{
	const uint32_t most = d->evidence->most_counted;

	if (!d->evidence->n || most >= REPLICATES || !is_loose(d) ||
	    !d->kind->wants)
		return false;
	return tell(line, "No experiment behind it has more than %u replicate%s that count%s: how far they lie apart in fresh memory is hardly known.",
		    most, most == 1 ? "" : "s", most == 1 ? "s" : "");
}

static bool by_disturbed(const struct mp_doubted *d, char line[LINE_ROOM])
{
	const struct mp_evidence *evidence = d->evidence;
	const struct mp_report_run *run = &d->report->run;

	if (share(evidence->disturbed, evidence->batches) > DISTURBED)
		return tell(line, "Of the %u replicates behind it %u came out disturbed and did not count (of all batches of the run, %u of %u). A calmer CPU would leave more of them.",
			    evidence->batches, evidence->disturbed,
			    run->disturbed, run->batches);
	if (share(run->disturbed, run->batches) > DISTURBED)
		return tell(line, "Of all batches of the run %u of %u (%.0f %%) were disturbed and did not count.",
			    run->disturbed, run->batches,
			    100 * share(run->disturbed, run->batches));
	return false;
}

static bool by_given_up(const struct mp_doubted *d, char line[LINE_ROOM])
{
	const struct mp_report_run *run = &d->report->run;

	return run->given_up && is_open(d) &&
	       tell(line, "%u replicate%s of the run could not be had undisturbed, however often they were tried.",
		    run->given_up, run->given_up == 1 ? "" : "s");
}

/* -- by the conditions ----------------------------------------------------- */

static bool by_load(const struct mp_doubted *d, char line[LINE_ROOM])
{
	const char *load = condition(d->report, "load-average");

	if (!load || !(strtod(load, NULL) >= LOADED))
		return false;
	return tell(line, "The machine was busy when the run began (load average %s): an idle one, or a CPU that is kept free of others (isolcpus, --cpu), disturbs less.",
		    load);
}

static bool by_guest(const struct mp_doubted *d, char line[LINE_ROOM])
{
	if (!d->kind->guest || (!condition(d->report, "hypervisor") &&
				!condition(d->report, "window-hypervisor")))
		return false;
	return tell(line, "%s", d->kind->guest);
}

static bool by_pages(const struct mp_doubted *d, char line[LINE_ROOM])
{
	const struct mp_report *report = d->report;
	const char *pages = condition(report, "pages");

	if (report->run.pages_forced)
		return tell(line, "Pages were forced to be %s by --pages: no other kind was tried.",
			    report->run.pages);
	if (!(d->kind->wants & MP_WANTS_CONTIG) || !is_loose(d) || !pages ||
	    !strstr(pages, "reserved 2 MiB: none") ||
	    mp_evidence_has(d->evidence, "2m") ||
	    mp_evidence_has(d->evidence, "contig"))
		return false;
	return tell(line, "No reserved huge pages were free. With some (as root, echo 64 > /proc/sys/vm/nr_hugepages) pages fall on the sets of a level evenly, and rings lie in a row.");
}

static double step_cycles(const struct mp_doubted *d, double *ns)
{
	const char *step = condition(d->report, "tick-step");
	const struct mp_fact *clock;

	clock = mp_report_fact(d->report, "cpu.clock", &d->fact->where);
	step = step ? strchr(step, '(') : NULL;
	if (!step || !clock || !mp_verdict_known(clock->verdict))
		return NAN;
	*ns = strtod(step + 1, NULL);
	return *ns * clock->value / 1e9;
}

static bool by_clock_step(const struct mp_doubted *d, char line[LINE_ROOM])
{
	double ns = 0, cycles = step_cycles(d, &ns);

	if (!(d->kind->wants & MP_WANTS_FINE_CLOCK) || !is_loose(d) ||
	    !(cycles > FINE_CYCLES))
		return false;
	return tell(line, "The clock moves in steps of %.1f ns, %.0f cycles of this core: single hops cannot be timed, and means over many had to do. A machine whose clock has steps of up to %d cycles tells more.",
		    ns, cycles, FINE_CYCLES);
}

static bool by_module(const struct mp_doubted *d, char line[LINE_ROOM])
{
	const struct mp_report *report = d->report;
	const bool noisy = share(report->run.disturbed, report->run.batches) >
			   DISTURBED;

	if (!lives(report) || strcmp(report->run.backend, "user") != 0 ||
	    d->fact->verdict == MP_ABSENT ||
	    (d->fact->verdict == MP_MEASURED && !noisy))
		return false;
	return tell(line, "It was measured from user space. Where the kernel module can be loaded (make run KMOD=1), windows with interrupts off%s are to be had.",
		    d->kind->wants & MP_WANTS_CONTIG ?
		    ", and memory that is physically contiguous," : "");
}

/* -- beside all that ------------------------------------------------------- */

static bool by_claim(const struct mp_doubted *d, char line[LINE_ROOM])
{
	if (!mp_report_disagreement(d->report, d->fact))
		return false;
	return tell(line, "The claim of %s took no part in this, and does not change it: it lies outside of what was seen, and one of the two is wrong, or speaks of something else (what is built in, rather than what this CPU could use).",
		    d->fact->claim.source);
}

static bool by_label(const struct mp_doubted *d, char line[LINE_ROOM])
{
	const char *label = d->report->label;

	if (lives(d->report))
		return false;
	if (strncmp(label, "recorded", strlen("recorded")) == 0)
		return tell(line, "This is no machine that was measured now (%s): other answers need another recording, or another version of the estimators.",
			    label);
	return tell(line, "This is no real machine (%s): other answers need another description, or another --seed.",
		    label);
}

static point_fn *const points[] = {
	by_verdict, by_reason, by_answers_before, by_stop, by_depth,
	by_replicates, by_disturbed, by_given_up, by_load, by_guest, by_pages,
	by_clock_step, by_module, by_claim, by_label,
};

void mp_change_write(FILE *out, const struct mp_doubted *doubted)
{
	char line[LINE_ROOM];

	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		if (!points[i](doubted, line))
			continue;
		fputs("- ", out);
		mp_utf8_wrap(out, 2, 2, line);
	}
}
