// SPDX-License-Identifier: GPL-2.0
/* A machine as the text of a machine file; every value is written out. */
#include "zoo_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Expectations of one line. */
#define EXPECTS_A_LINE 4

/* Sizes as people write them, where that loses nothing. */
static const char *size_text(char text[24], uint64_t bytes)
{
	if (bytes && bytes % (1u << 30) == 0)
		snprintf(text, 24, "%lluG", (unsigned long long)bytes >> 30);
	else if (bytes && bytes % (1u << 20) == 0)
		snprintf(text, 24, "%lluM", (unsigned long long)bytes >> 20);
	else if (bytes && bytes % (1u << 10) == 0)
		snprintf(text, 24, "%lluK", (unsigned long long)bytes >> 10);
	else
		snprintf(text, 24, "%llu", (unsigned long long)bytes);
	return text;
}

static void print_level(FILE *out, const struct mp_sim_level *level)
{
	char text[24];

	fprintf(out, "level    name=%s size=%s", mp_sim_level_names[level->name],
		size_text(text, level->size_bytes));
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

static void print_expects(FILE *out, const struct mp_sim_machine *machine)
{
	for (uint32_t i = 0; i < machine->n_expects; i++)
		fprintf(out, "%s%s=%s%s",
			i % EXPECTS_A_LINE ? " " : "expect   ",
			machine->expect[i].fact, machine->expect[i].value,
			(i + 1) % EXPECTS_A_LINE &&
			i + 1 < machine->n_expects ? "" : "\n");
}

char *zoo_machine_text(const struct mp_sim_machine *machine)
{
	const struct mp_sim_general *general = &machine->general;
	char *text = NULL, ram[24];
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	fprintf(out, "# SPDX-License-Identifier: GPL-2.0\n");
	fprintf(out, "machine  name=%s cpus=%u clock_mhz=%.10g "
		"memory_latency=%u ram=%s\n", general->name, general->cpus,
		general->clock_mhz, general->memory_latency_cycles,
		size_text(ram, general->ram_bytes));
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
