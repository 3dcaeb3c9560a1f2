// SPDX-License-Identifier: GPL-2.0
/*
 * What was done, in words: experiments that differ in footprint and stride
 * only are told together.
 */
#include "cmd_explain_evidence.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/format.h"
#include "utf8.h"

#define LINE_ROOM 1024
#define CPUS_SHOWN 8u

/* Experiments that are told together: a first one, and what varies. */
struct group {
	const struct mp_evidence_item *first;
	uint32_t n;
	double length[2], stride[2], reach[2], hops[2], steps[2];
	uint32_t batches, counted, disturbed, failed, bursts, calm;
	uint32_t n_loads;
	uint32_t load[CPUS_SHOWN];
	double load_bytes[2];
};

static void say(char line[LINE_ROOM], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(char line[LINE_ROOM], const char *format, ...)
{
	const size_t used = strlen(line);
	va_list args;

	va_start(args, format);
	vsnprintf(line + used, LINE_ROOM - used, format, args);
	va_end(args);
}

static bool alike(const struct mp_evidence_item *a,
		  const struct mp_evidence_item *b)
{
	const struct mp_actor *one = mp_evidence_measured(a);
	const struct mp_actor *other = mp_evidence_measured(b);

	return a->known == b->known && one->op == other->op &&
	       one->detail == other->detail && one->group == other->group &&
	       one->place == other->place && !one->reach == !other->reach &&
	       !one->skew == !other->skew &&
	       a->exp.n_actors == b->exp.n_actors &&
	       a->exp.quiet == b->exp.quiet &&
	       a->exp.arena[one->arena].pages ==
	       b->exp.arena[other->arena].pages &&
	       strcmp(a->told->pages, b->told->pages) == 0;
}

static void widen(double range[2], double value, bool first)
{
	if (first || value < range[0])
		range[0] = value;
	if (first || value > range[1])
		range[1] = value;
}

static void add_loads(struct group *group, const struct mp_evidence_item *item)
{
	for (uint32_t i = 0; i < item->exp.n_actors; i++) {
		const struct mp_actor *actor = &item->exp.actor[i];
		uint32_t k = 0;

		if (!actor->background)
			continue;
		widen(group->load_bytes, (double)actor->length,
		      !group->n_loads);
		while (k < group->n_loads && group->load[k] != actor->place)
			k++;
		if (k == group->n_loads && k < CPUS_SHOWN)
			group->load[group->n_loads++] = actor->place;
	}
}

static void add(struct group *group, const struct mp_evidence_item *item)
{
	const struct mp_actor *actor = mp_evidence_measured(item);
	const bool first = !group->n++;

	if (first)
		group->first = item;
	widen(group->length, (double)actor->length, first);
	widen(group->stride, (double)actor->stride, first);
	widen(group->reach, (double)actor->reach, first);
	widen(group->hops, (double)actor->hops, first);
	widen(group->steps, (double)item->told->steps, first);
	group->batches += item->told->batches;
	group->counted += item->told->counted;
	group->disturbed += item->told->disturbed;
	group->failed += item->told->failed;
	group->bursts += item->told->bursts;
	group->calm += item->told->calm;
	add_loads(group, item);
}

static void say_range(char line[LINE_ROOM], const double range[2],
		      const char *unit)
{
	char text[MP_FORMAT_ROOM];

	say(line, "%s", range[0] < range[1] ?
	    mp_format_range(text, range[0], range[1], unit) :
	    mp_format_human(text, range[0], unit));
}

static void say_order(char line[LINE_ROOM], const struct group *group)
{
	const struct mp_actor *actor = mp_evidence_measured(group->first);

	if (actor->skew)
		say(line, ", each page's line one further into it");
	if (!actor->reach) {
		say(line, ", all in one random order");
		return;
	}
	say(line, ", in random order within windows of ");
	say_range(line, group->reach, "bytes");
}

static void say_timing(char line[LINE_ROOM], const struct group *group)
{
	const struct mp_actor *actor = mp_evidence_measured(group->first);

	if (actor->detail == MP_DETAIL_TOTALS) {
		say(line, "; timed ");
		say_range(line, group->hops, "");
		say(line, " hops at a time");
	} else if (actor->group == 1) {
		say(line, "; each hop timed by itself");
	} else {
		say(line, "; %u hops timed together", actor->group);
	}
}

static void say_others(char line[LINE_ROOM], const struct group *group)
{
	const uint32_t actors = group->first->exp.n_actors;

	if (group->n_loads) {
		say(line, "; beside loads over ");
		say_range(line, group->load_bytes, "bytes");
		say(line, " on CPU%s ", group->n_loads > 1 ? "s" : "");
		for (uint32_t i = 0; i < group->n_loads; i++)
			say(line, "%s%u", i ? ", " : "", group->load[i]);
	} else if (actors > 1) {
		say(line, "; the last of %u walks that this CPU makes by turns, %u rounds",
		    actors, group->first->exp.rounds);
	}
}

static void say_memory(char line[LINE_ROOM], const struct group *group)
{
	const struct mp_exp *exp = &group->first->exp;
	const char *got = group->first->told->pages;
	const struct mp_actor *actor = mp_evidence_measured(group->first);

	say(line, "; pages: %s asked for, ",
	    mp_pages_name(exp->arena[actor->arena].pages));
	say(line, got[0] ? "%s given" : "none given", got);
	if (exp->quiet & MP_WISH_PREFETCH_OFF)
		say(line, "; prefetchers asked to be off");
}

static void say_what(char line[LINE_ROOM], const struct group *group)
{
	const struct mp_actor *actor = mp_evidence_measured(group->first);

	if (!group->first->known) {
		say(line, "Something in words that this version does not understand: %.200s",
		    group->first->told->text ? group->first->told->text : "");
		return;
	}
	if (actor->op == MP_OP_CHASE) {
		say(line, "Dependent loads round rings of ");
		say_range(line, group->length, "bytes");
		say(line, ", a slot each ");
		say_range(line, group->stride, "bytes");
		say_order(line, group);
		say_timing(line, group);
	} else if (actor->op == MP_OP_SEQUENCE) {
		say(line, "Sequences of ");
		say_range(line, group->steps, "");
		say(line, " accesses to slots ");
		say_range(line, group->stride, "bytes");
		say(line, " apart");
	} else {
		say(line, "A %s over ", mp_op_name(actor->op));
		say_range(line, group->length, "bytes");
	}
	say_others(line, group);
	say_memory(line, group);
}

static void write_group(FILE *out, const struct group *group)
{
	char line[LINE_ROOM] = "";

	say_what(line, group);
	say(line, ". %u experiment%s, %u replicate%s: %u count, %u disturbed, %u failed; %u of %u bursts were disturbed.",
	    group->n, group->n == 1 ? "" : "s", group->batches,
	    group->batches == 1 ? "" : "s", group->counted, group->disturbed,
	    group->failed, group->bursts - group->calm, group->bursts);
	fputs("- ", out);
	mp_utf8_wrap(out, 2, 2, line);
}

void mp_evidence_done(FILE *out, const struct mp_evidence *evidence)
{
	bool told[MP_FACT_EVIDENCE] = { false };

	for (uint32_t i = 0; i < evidence->n; i++) {
		struct group group = { 0 };

		if (told[i])
			continue;
		for (uint32_t k = i; k < evidence->n; k++) {
			if (told[k] || !alike(&evidence->item[i],
					      &evidence->item[k]))
				continue;
			told[k] = true;
			add(&group, &evidence->item[k]);
		}
		write_group(out, &group);
	}
}
