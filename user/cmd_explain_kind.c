// SPDX-License-Identifier: GPL-2.0
/*
 * How each kind of fact is found out. The long version, with worked examples,
 * is Documentation/how-it-knows.md; a paragraph here is its short one, and
 * changes with it.
 */
#include "cmd_explain_kind.h"

#include <fnmatch.h>
#include <stddef.h>

#define OF_HOST "A hypervisor lies below, and can take the CPU away or share the cache among guests without a trace in this one."
#define OF_PAGES "A hypervisor lies below: a guest cannot see whether its huge pages are contiguous in the machine's own memory."

/* The first pattern that fits counts. */
static const struct mp_kind kinds[] = {
	{
		.pattern = "cpu.dram.*",
		.is = "what a load from memory takes",
		.section = "Memory", .anchor = "memory",
		.estimator = "A ring much longer than the outermost cache is walked, so that nearly every hop goes to memory. Visited a few pages at a time the page walks are shared by many loads, and what is left is memory alone; visited in random order each load pays its walk, and that is the second fact. Where single hops can be timed, the slowest peak of their times is memory.",
		.table = "A hop over the longest rings should take the same: if it still grew with the footprint, a cache would still have served part of it.",
		.overturn = "a longer ring whose hops take longer still",
		.guest = "A hypervisor lies below: a page walk of a guest is a nested one, and costs more than one of the bare machine.",
		.wants = MP_WANTS_CURVE | MP_WANTS_CALM,
	}, {
		.pattern = "cpu.*tlb*.entries",
		.is = "how many pages a TLB knows",
		.section = "TLBs and page walks", .anchor = "tlbs-and-page-walks",
		.estimator = "Rings have one line in each page, and so few lines that all of them stay in the innermost cache: what a longer one costs more is translation. As long as the pages fit, no hop misses; the first page too many makes one set miss. That number is bisected, and has to come out as half as many with the pages twice as far apart. What runs between bursts may keep an entry: then a few pages less than fit already cost something each turn, which is told and does not count.",
		.table = "Slots are pages. The last ring of which none misses takes no longer a hop than lines packed into one page, but for what the method says is paid anyway; one page more does.",
		.overturn = "a ring of one page more that still fits, or one of as many that misses beside what is paid anyway",
		.guest = NULL,
		.wants = MP_WANTS_FINE_CLOCK,
	}, {
		.pattern = "cpu.*tlb*.ways",
		.is = "how many pages of one set a TLB knows",
		.section = "TLBs and page walks", .anchor = "tlbs-and-page-walks",
		.estimator = "The pages of a ring are moved apart: every second page, every fourth, and so on. Each time half as many fit, until the distance spans all sets and all pages fall on one. How many fit then, and at any greater distance, are the ways.",
		.table = "Slots are pages, the stride is their distance. Moved further apart, as many have to fit as before.",
		.overturn = "another number of pages that fit once their distance spans all sets",
		.guest = NULL,
		.wants = MP_WANTS_FINE_CLOCK,
	}, {
		.pattern = "cpu.stlb.hit-cost",
		.is = "what a load costs more that the second TLB has to translate",
		.section = "TLBs and page walks", .anchor = "tlbs-and-page-walks",
		.estimator = "Two rings of more pages than the first TLB has entries, and few enough for the second, are held against as many lines packed into one page. The difference is the cost; the two rings have to agree on it.",
		.table = "Slots are pages. What a hop takes beyond the packed ring is the cost of translation.",
		.overturn = "rings of other numbers of pages that cost another amount more",
		.guest = NULL,
		.wants = MP_WANTS_FINE_CLOCK,
	}, {
		.pattern = "cpu.walk.cost",
		.is = "what a load costs more that misses all TLBs",
		.section = "TLBs and page walks", .anchor = "tlbs-and-page-walks",
		.estimator = "Two rings of more pages than all TLBs have entries, their lines few enough for the innermost cache, are held against as many lines packed into one page. The difference is the walk, with its tables in the cache.",
		.table = "Slots are pages. What a hop takes beyond the packed ring is the cost of translation.",
		.overturn = "rings of other numbers of pages that cost another amount more",
		.guest = "A hypervisor lies below: the walk is a nested one, through the tables of guest and host. That is what it costs here, and more than on the bare machine.",
		.wants = MP_WANTS_FINE_CLOCK,
	}, {
		.pattern = "cpu.*.size",
		.is = "how much a level of cache holds, as far as this CPU can use it",
		.section = "Size", .anchor = "size",
		.estimator = "Rings of growing length are walked. Once a ring outgrows the level, hops begin to miss it; how fast the misses set in depends on the ways, on who is evicted and on how pages fall on the sets. So the edge is fitted with a family of shapes of known capacity, and the capacity that explains it is the answer. The middle of the edge would be too large by a third at times, its foot too small. Where a page's first hop looks like a miss for its translation, rings of one slot a page tell how many do, and that is taken off. Of a measured inner level the value is the roundest number within the limits. Where those lie far apart lines are counted: of many more than fit the share that is found is the share that there is room for, whoever is evicted; more closely, if that may settle it. Where the edge leaves the size open and the ways of the level are known, ways times the bytes after which its sets begin anew may settle it. Where a coarse clock leaves open whether a level is two, a few lines are timed each time that others have been walked: they go from level to level within a few lines of a capacity, whoever is evicted.",
		.table = "Below the size a hop takes what the level takes; above it, what comes next. The answer is where the rise begins, not where it ends.",
		.overturn = "a ring below the low limit whose hops miss the level, or one above the high limit whose hops do not",
		.guest = "A hypervisor lies below: huge pages of a guest need not be contiguous in the machine's own memory, and of a shared level neighbours may hold a part.",
		.wants = MP_WANTS_CONTIG | MP_WANTS_CURVE | MP_WANTS_CALM,
	}, {
		.pattern = "cpu.*.latency*",
		.is = "what a dependent load takes that this level serves",
		.section = "Latency", .anchor = "latency",
		.estimator = "A load that needs the result of the one before it cannot start earlier, so the time of a turn over its hops is the latency. Where the clock is fine enough hops are timed one by one, and the peak of their times at this level is averaged. Where it is coarse, a footprint is taken that the level inside misses and this one holds; what hops of its neighbours add is taken out by the fitted edges. Nothing makes a load faster, so the faster replicates count. Where prefetchers are off, a few lines that others have put out of the level inside are all of this one, and are held against that: of the two they are the purer.",
		.table = "The ring is one that this level serves as nearly alone as the edges allow. Its mean may hold a few hops of the neighbours; the answer has them taken out.",
		.overturn = "undisturbed replicates of the same ring that come out beyond the limits",
		.guest = OF_HOST,
		.wants = MP_WANTS_FINE_CLOCK | MP_WANTS_CURVE | MP_WANTS_CALM,
	}, {
		.pattern = "cpu.*.line",
		.is = "what a level allots and evicts at once",
		.section = "Line", .anchor = "line",
		.estimator = "Of slots that lie far apart a level holds as many as it has lines. So rings have as many slots as there would be room for if lines were of a length that is tried: if they stay, lines are no longer than that; if they do not, they are longer. Where sequences can be run, one of two neighbours is flushed: if the other stays, they share no line. Further out a ring puts it out of the levels inside between flush and look, beside lines of which something far away was flushed. And pairs of neighbours are looked at behind slots drawn at random: two lines go one without the other at times, halves of one never do.",
		.table = "Rings of the same number of slots, more or less far apart, show which still fit; sequences show what goes when a neighbour is flushed.",
		.overturn = "a sparse ring of as many slots as lines that does not fit, or a neighbour that goes with a flush",
		.guest = NULL,
		.wants = MP_WANTS_CALM,
	}, {
		.pattern = "cpu.*.sector",
		.is = "what a level fetches at once",
		.section = "Line", .anchor = "line",
		.estimator = "Slots that share a sector come together: the first misses, the rest find it there. So in a ring that is too long for the level the misses halve each time the stride is halved, once it is below the sector. Where that begins is the sector. Where sequences can be run, a line is flushed, one slot of it loaded and a neighbour timed: if that is as fast as what was loaded itself, the two come together.",
		.table = "Rings of one length and several strides: a hop gets faster with a shorter stride once slots share a sector; sequences show which neighbours of a load come with it.",
		.overturn = "misses that go on to halve at a longer stride, or cease at a shorter one",
		.guest = NULL,
		.wants = MP_WANTS_CALM,
	}, {
		.pattern = "cpu.*.ways",
		.is = "how many lines of one set a level holds",
		.section = "Ways", .anchor = "ways",
		.estimator = "Lines a certain distance apart fall on few sets, and each holds as many as it has ways. Whether so many lines so far apart stay in the level rules out pairs of ways and sets; tests go on until one number of ways is left. Then the fewest lines that just fill a set are walked, and one more, five times or more each in fresh memory.",
		.table = "Slots are lines of one set, the stride their distance. The ring that is full stays and takes what the level takes; one line more is slower.",
		.overturn = "one line more that still fits, or a full set that misses, in fresh memory",
		.guest = OF_PAGES,
		.wants = MP_WANTS_CONTIG | MP_WANTS_FINE_CLOCK,
	}, {
		.pattern = "cpu.*.policy",
		.is = "which line of a full set goes",
		.section = "Replacement policy", .anchor = "replacement-policy",
		.estimator = "Sequences of accesses to lines of one set are walked, and each access is timed: does it hit? The answers are held against the simulation of each policy known here, from several states that the set may have been in. A policy is the answer if all that explain the hits as well are of its class, and it is contradicted by hardly any.",
		.table = "Each is another sequence of accesses, made in so many bursts. Their timed accesses are not in the report; the method says what they came to.",
		.overturn = "accesses that hit where the policy has evicted the line, in more than a few of them",
		.guest = OF_PAGES,
		.wants = MP_WANTS_CONTIG | MP_WANTS_FINE_CLOCK,
	}, {
		.pattern = "cpu.*.inclusion",
		.is = "whether a level holds what the levels inside it hold",
		.section = "Inclusion", .anchor = "inclusion",
		.estimator = "A small ring stays hot in the level inside while this level is driven through by others. Then it is put out of the level inside, and walked once more. An exclusive level has just been given its lines, and has them; one that had them beside the level inside has lost them long ago; an inclusive one takes them along out of the level inside when it loses them. Where no ring stays inside, rings of pages that crowd the level inside are walked: an exclusive level's edge is nearer for these, by what the level inside lacks. Or lines are counted that fit while others keep them out of the level inside: an exclusive level's edge lies further out than these. Or lines that the level inside drops while they are used are looked for at once: an exclusive level has just been given them. Or a line stays inside while its set here, of a second level of known ways, is driven through by a few others, and is gone from here once it has left: then the level is non-inclusive. Or another CPU that shares the level looks for what this one has just loaded, and for what has left the levels inside since: an exclusive level has the second only. And when the other CPU has driven the level through, this one's own levels have what they had, unless the level includes them.",
		.table = "Several walks of one CPU by turns; the time is that of the last, which looks where the lines of the small ring are now.",
		.overturn = "another share of the small ring's lines that are found here after it was put out",
		.guest = OF_HOST,
		.wants = MP_WANTS_FINE_CLOCK | MP_WANTS_CALM,
	}, {
		.pattern = "cpu.*.shared",
		.is = "how many CPUs share a level, the one asked about included",
		.section = "Shared levels", .anchor = "shared-levels",
		.estimator = "This CPU walks a ring of most of the level, while another CPU walks a tiny ring, and then one as large as the level. If the two share it, the second load puts lines out and hops get slower; all else is the same in both. How much slower it could get at all is shown by a ring of nearly twice the level.",
		.table = "The time is that of this CPU's hops in the last phase: beside a load as large as the level. Loads are walks of the other CPU.",
		.overturn = "hops that get slower beside a CPU that seemed apart, or do not beside one that seemed to share",
		.guest = OF_HOST,
		.wants = MP_WANTS_FINE_CLOCK | MP_WANTS_CALM,
	}, {
		.pattern = "cpu.clock",
		.is = "how fast the core runs",
		.section = "Clock", .anchor = "clock",
		.estimator = "Before and after each batch a chain of additions from register to register is timed, which takes one cycle each; on x86 a chain of multiplications of three cycles beside it. The median over the run is the answer, the middle 95 % of what was seen its limits.",
		.table = "The chains are timed beside each of these; the time of a hop takes no part.",
		.overturn = "chains that take another time: a governor, turbo steps, heat, a neighbour on the other thread of the core",
		.guest = OF_HOST,
		.wants = 0,
	}, {
		.pattern = "cpu.prefetch.*",
		.is = "whether a prefetcher is at work",
		.section = "What a machine lets be known", .anchor = "what-a-machine-lets-be-known",
		.estimator = "A prefetcher shows where a ring in an order that it can guess is faster than one in an order that it cannot, all else being the same.",
		.table = "Rings that differ in order or stride only: what one takes less than the other is what was brought ahead.",
		.overturn = "rings of either order that take the same, or no longer do",
		.guest = OF_HOST,
		.wants = MP_WANTS_CALM,
	},
};

static const struct mp_kind other_kind = {
	.pattern = "*",
	.is = "a fact of a kind that this version does not know",
	.section = "What all answers share", .anchor = "what-all-answers-share",
	.estimator = "This version has no words for this kind of fact: the method above is all there is.",
	.table = "What was measured, experiment by experiment.",
	.overturn = "replicates of the same experiments that come out otherwise",
};

const struct mp_kind *mp_kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (fnmatch(kinds[i].pattern, name, 0) == 0)
			return &kinds[i];
	return &other_kind;
}

bool mp_kind_known(const struct mp_kind *kind)
{
	return kind != &other_kind;
}
