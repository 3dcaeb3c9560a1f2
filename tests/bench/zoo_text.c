// SPDX-License-Identifier: GPL-2.0
/* A machine as the text of a machine file; every value is written out. */
#include "zoo_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Expectations of one line at most. */
#define EXPECTS_A_LINE 6

const char *zoo_size_text(char text[ZOO_SIZE_TEXT], uint64_t bytes)
{
	if (bytes && bytes % (1u << 30) == 0)
		snprintf(text, ZOO_SIZE_TEXT, "%lluG", (unsigned long long)bytes >> 30);
	else if (bytes && bytes % (1u << 20) == 0)
		snprintf(text, ZOO_SIZE_TEXT, "%lluM", (unsigned long long)bytes >> 20);
	else if (bytes && bytes % (1u << 10) == 0)
		snprintf(text, ZOO_SIZE_TEXT, "%lluK", (unsigned long long)bytes >> 10);
	else
		snprintf(text, ZOO_SIZE_TEXT, "%llu", (unsigned long long)bytes);
	return text;
}

static void print_level(FILE *out, const struct mp_sim_level *level)
{
	char text[ZOO_SIZE_TEXT];

	fprintf(out, "level    name=%s size=%s", mp_sim_level_names[level->name],
		zoo_size_text(text, level->size_bytes));
	fprintf(out, " ways=%u line=%llu", level->ways,
		(unsigned long long)level->line_bytes);
	if (level->sector_bytes != level->line_bytes)
		fprintf(out, " sector=%llu",
			(unsigned long long)level->sector_bytes);
	fprintf(out, " latency=%u policy=%s index=%s", level->latency_cycles,
		level->policy.text,
		level->index == MP_SIM_VIRTUAL ? "virtual" : "physical");
	if (level->inclusion != MP_SIM_NON_INCLUSIVE)
		fprintf(out, " inclusion=%s",
			mp_sim_inclusion_names[level->inclusion]);
	fprintf(out, " slices=%u shared=%u\n", level->slices, level->shared);
}

static void print_translation(FILE *out, const struct mp_sim_machine *machine)
{
	for (uint32_t i = 0; i < machine->n_tlbs; i++) {
		const struct mp_sim_tlb_level *tlb = &machine->tlb[i];

		fprintf(out, "tlb      level=%u page=%s entries=%u ways=%u "
			"cost=%u policy=%s\n", tlb->level,
			mp_sim_page_names[tlb->page], tlb->entries, tlb->ways,
			tlb->cost_cycles, tlb->policy.text);
	}
	for (uint32_t i = 0; i < machine->n_walks; i++)
		fprintf(out, "walk     cost=%u page=%s\n",
			machine->walk[i].cost_cycles,
			mp_sim_page_names[machine->walk[i].page]);
	for (uint32_t i = 0; i < machine->n_prefetchers; i++)
		fprintf(out, "prefetch kind=%s into=%s switch=%s\n",
			machine->prefetch[i].kind.text,
			mp_sim_level_names[machine->prefetch[i].into],
			machine->prefetch[i].can_switch ? "yes" : "no");
}

static void print_conditions(FILE *out, const struct mp_sim_machine *machine)
{
	const struct mp_sim_pages *pages = &machine->pages;
	const struct mp_sim_ticks *ticks = &machine->ticks;
	const struct mp_sim_noise *noise = &machine->noise;

	fprintf(out, "place    pages=%s thp=%s huge=%u\n",
		pages->contiguous ? "contiguous" : "random",
		pages->thp_refused ? "refused" : "granted", pages->huge_pages);
	fprintf(out, "clock    tsc_mhz=%.10g step=%u read=%u", ticks->tsc_mhz,
		ticks->step_ticks, ticks->read_cycles);
	if (ticks->drift > 0 || ticks->jumps_hz > 0)
		fprintf(out, " drift=%.10g jumps=%.10g", ticks->drift,
			ticks->jumps_hz);
	fprintf(out, "\nnoise    gaps=%.10g gap_us=%.10g..%.10g seen=%s\n",
		noise->gaps, noise->gap_us.low, noise->gap_us.high,
		noise->unseen ? "no" : "yes");
	for (uint32_t i = 0; i < machine->n_neighbours; i++) {
		const struct mp_sim_neighbour *near = &machine->neighbour[i];

		fprintf(out, "neighbour level=%s share=%.10g..%.10g "
			"period_ms=%.10g\n", mp_sim_level_names[near->level],
			near->share.low, near->share.high, near->period_ms);
	}
}

/* "cpu.l2" of "cpu.l2.size": what a fact is about. */
static size_t subject_of(const char *fact)
{
	const char *dot = strchr(fact, '.');
	const char *next = dot ? strchr(dot + 1, '.') : NULL;

	return next ? (size_t)(next - fact) : strlen(fact);
}

/* Each subject has lines of its own. */
static void print_expects(FILE *out, const struct mp_sim_machine *machine)
{
	uint32_t of_line = 0;

	for (uint32_t i = 0; i < machine->n_expects; i++) {
		const struct mp_sim_expect *expect = &machine->expect[i];
		const size_t n = subject_of(expect->fact);

		if (of_line && of_line < EXPECTS_A_LINE &&
		    subject_of(expect[-1].fact) == n &&
		    !strncmp(expect[-1].fact, expect->fact, n)) {
			of_line++;
			fputc(' ', out);
		} else {
			fprintf(out, "%sexpect   ", i ? "\n" : "");
			of_line = 1;
		}
		fprintf(out, "%s=%s", expect->fact, expect->value);
	}
	if (of_line)
		fputc('\n', out);
}

char *zoo_machine_text(const struct mp_sim_machine *machine)
{
	const struct mp_sim_general *general = &machine->general;
	char *text = NULL, ram[ZOO_SIZE_TEXT];
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	fprintf(out, "# SPDX-License-Identifier: GPL-2.0\n");
	fprintf(out, "machine  name=%s cpus=%u clock_mhz=%.10g "
		"memory_latency=%u ram=%s\n", general->name, general->cpus,
		general->clock_mhz, general->memory_latency_cycles,
		zoo_size_text(ram, general->ram_bytes));
	for (uint32_t i = 0; i < machine->n_levels; i++)
		print_level(out, &machine->level[i]);
	print_translation(out, machine);
	print_conditions(out, machine);
	print_expects(out, machine);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
