// SPDX-License-Identifier: GPL-2.0
/*
 * The reasons that probes give, by words that stand in them. What is not
 * here has no remedy that would not be a guess.
 */
#include "cmd_explain_clue.h"

#include <stddef.h>
#include <string.h>

/* The first that fits counts: what is said more exactly stands before. */
static const struct mp_clue clues[] = {
	{ .words = "hashed over slices: which lines share a set",
	  .says = "No run would tell: which lines share a set of a sliced level cannot be chosen, so its policy is never asked for." },
	{ .words = "pages of 2 MiB take entries of 4 KiB ones",
	  .says = "No run would tell: this core keeps a page of 2 MiB as pieces of 4 KiB, and has no entries of their own for it that would show." },
	{ .words = "others leave of a shared cache",
	  .says = "Neighbours that share the level hold a part of it. A machine without them, or a time when they rest, shows more of it." },
	{ .words = "others do to a shared level",
	  .says = "Neighbours that share the level slow it down while they use it. A machine without them, or a time when they rest, shows it alone." },
	{ .words = "strangers use the level",
	  .says = "One more load shows only where the level is not full of others' lines: on a machine without such neighbours." },
	{ .words = "the only one that may be used",
	  .says = "Sharing takes a second CPU: let the program run on more (taskset, the cpuset of a container).",
	  .remedy = true },
	{ .words = "of the CPUs that may be used were not tested",
	  .says = "CPUs that were not tested may share the level too. The value counts those that were seen to." },
	{ .words = "MiB that may be used",
	  .says = "The experiment needs more memory than the run was allowed: no arena is larger than half of what is available.",
	  .remedy = true },
	{ .words = "limits lie too far apart",
	  .says = "A blurred edge fits many capacities. It gets sharper where the pages fall on the sets evenly (huge pages, contiguous memory), and its fit closer with more replicates." },
	{ .words = "limits too far to call it measured",
	  .says = "The replicates disagree by more than the limits allow. Neighbours that rest, or more replicates, bring them together." },
	{ .words = "no time was left",
	  .says = "What would have told was not measured to its end: the probe's share of the time was spent, or its walks were disturbed." },
	{ .words = "the clock changed while",
	  .says = "The clock has one value only where it holds still: a governor that keeps one frequency, turbo off, and no neighbour that makes the package throttle.",
	  .remedy = true },
	{ .words = "adds say",
	  .says = "Additions and multiplications disagree about the core clock by more than 0.5 %: one of the two chains does not take the cycles it is believed to take on this core, or the clock moved between them." },
	{ .words = "steps of the clock",
	  .says = "The steps of the clock are longer than what a hit and a miss differ by. More bursts do not help; a finer clock does." },
	{ .words = "clock is too coarse",
	  .says = "Single readings are coarser than what is to be told apart. More bursts do not help; a finer clock does." },
	{ .words = "indexed by physical address",
	  .says = "Lines of one set can be chosen only in memory that lies in a row: reserved huge pages, or the contiguous memory of the kernel module.",
	  .remedy = true },
	{ .words = "no test tells them apart",
	  .says = "Lines of one set can be chosen only in memory that lies in a row: reserved huge pages, or the contiguous memory of the kernel module. Where the level inside holds as many lines of the set, single hops have to be timed, which takes a fine clock.",
	  .remedy = true },
	{ .words = "memory is scattered",
	  .says = "Memory that lies in a row (reserved huge pages, the kernel module's contiguous memory) rules the first cause out; lines that are hashed over slices remain hidden.",
	  .remedy = true },
	{ .words = "prefetcher",
	  .says = "Prefetchers bring what was not asked for. The kernel module can turn off those that the core lets be turned off.",
	  .remedy = true, .without_module = true },
	{ .words = "walks one ring at a time only",
	  .says = "The backend that was used cannot walk several rings by turns; backend user can.",
	  .remedy = true },
	{ .words = "all pages that can be had hit it",
	  .says = "The TLB was not filled: more pages than the run could have would show where it ends." },
	{ .words = "no cost of translation seen up to",
	  .says = "The TLB was not filled: more pages than the run could have would show where it ends." },
	{ .words = "innermost cache or the arena ends first",
	  .says = "The ring that would tell needs more lines than the innermost cache holds: beyond that translation cannot be told from misses." },
	{ .words = "may be two",
	  .says = "Two levels so near each other that no plateau shows between them are told apart where single hops can be timed, each level having its own peak: that takes a fine clock. A coarse one will do where prefetchers can be turned off and memory lies in a row." },
	{ .words = "two near each other",
	  .says = "Two levels so near each other that no plateau shows between them are told apart where single hops can be timed, each level having its own peak: that takes a fine clock. A coarse one will do where prefetchers can be turned off and memory lies in a row." },
	{ .words = "is one or two",
	  .says = "Two levels so near each other that no plateau shows between them are told apart where single hops can be timed, each level having its own peak: that takes a fine clock. A coarse one will do where prefetchers can be turned off and memory lies in a row." },
	{ .words = "latency still rises",
	  .says = "The longest ring was not long enough: memory for longer ones shows whether the curve gets flat." },
	{ .words = "cache may still have served part",
	  .says = "A longer ring would show whether hops still get slower." },
	{ .words = "no such level",
	  .says = "Where the size of the level is absent there is nothing to be asked of it." },
	{ .words = "too noisy",
	  .says = "Fewer disturbances: an idle machine, a CPU that is kept free of others, or the quiet windows of the kernel module.",
	  .remedy = true, .without_module = true },
	{ .words = "undisturbed",
	  .says = "Fewer disturbances: an idle machine, a CPU that is kept free of others, or the quiet windows of the kernel module.",
	  .remedy = true, .without_module = true },
};

const struct mp_clue *mp_clue_find(const char *reason)
{
	for (size_t i = 0; i < sizeof(clues) / sizeof(clues[0]); i++)
		if (strstr(reason, clues[i].words))
			return &clues[i];
	return NULL;
}
