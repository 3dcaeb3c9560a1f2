// SPDX-License-Identifier: GPL-2.0
/*
 * Four kinds of prefetchers. Two of them want the same for each load; the
 * others remember, of the pages seen last, how their loads went on.
 */
#include "sim_prefetch.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_SHIFT 12u
/* Equal deltas, or steps in one direction, until it is believed. */
#define BELIEVED 2u
/* Lines from one load of a stream to the next. */
#define STREAM_STEP 2

static uint32_t level_of(const struct mp_sim_machine *machine, uint32_t name)
{
	uint32_t i = 0;

	while (machine->level[i].name != name)
		i++;
	return i;
}

void mp_sim_prefetch_init(struct mp_sim_prefetcher *prefetcher,
			  const struct mp_sim_machine *machine, uint32_t n)
{
	const struct mp_sim_prefetch *prefetch = &machine->prefetch[n];
	const uint32_t into = level_of(machine, prefetch->into);

	*prefetcher = (struct mp_sim_prefetcher){
		.kind = prefetch->kind.index,
		.into = into,
		.line_shift = (uint32_t)__builtin_ctzll(
			machine->level[into].line_bytes),
		.can_switch = prefetch->can_switch,
	};
}

size_t mp_sim_prefetch_bytes(const struct mp_sim_prefetcher *prefetcher)
{
	if (prefetcher->kind == MP_SIM_ADJACENT ||
	    prefetcher->kind == MP_SIM_NEXT)
		return 0;
	return MP_SIM_PREFETCH_REGIONS * sizeof(struct mp_sim_region);
}

/* The page's region, moved to the front; a new one where it had none. */
static struct mp_sim_region *find_region(struct mp_sim_region *region,
					 uint32_t page)
{
	struct mp_sim_region found = { .page = page };
	uint32_t at = 0;

	while (at < MP_SIM_PREFETCH_REGIONS - 1 && region[at].page != page)
		at++;
	if (region[at].page == page)
		found = region[at];
	memmove(region + 1, region, at * sizeof(*region));
	region[0] = found;
	return region;
}

static void learn_stride(struct mp_sim_region *region, int32_t delta)
{
	region->run = delta == region->delta ? region->run + 1 : 1;
	region->delta = delta;
	/* More would be no other state. */
	if (region->run > BELIEVED)
		region->run = BELIEVED;
}

static void learn_stream(struct mp_sim_region *region, int32_t delta)
{
	const int32_t way = delta > 0 ? 1 : -1;

	if (abs(delta) > STREAM_STEP)
		region->run = 0;
	else
		region->run = way == region->delta ? region->run + 1 : 1;
	region->delta = way;
	if (region->run > BELIEVED)
		region->run = BELIEVED;
}

static uint32_t foresee(const struct mp_sim_prefetcher *prefetcher,
			uint64_t virtual, uint64_t *want)
{
	const uint64_t page = virtual >> PAGE_SHIFT;
	struct mp_sim_region *region = find_region(prefetcher->region,
						   (uint32_t)page + 1);
	const uint32_t line = (uint32_t)((virtual & ((1u << PAGE_SHIFT) - 1)) >>
					 prefetcher->line_shift);
	const int32_t delta = (int32_t)line - (int32_t)region->line;
	uint32_t ahead = 1, n = 0;

	if (!region->run && !region->delta) {
		/* The first of its page: there is nothing to compare it with. */
		region->line = line;
		region->delta = INT32_MAX;
		return 0;
	}
	if (!delta)
		return 0;
	region->line = line;
	if (prefetcher->kind == MP_SIM_STREAM) {
		learn_stream(region, delta);
		ahead = MP_SIM_PREFETCH_AHEAD;
	} else {
		learn_stride(region, delta);
	}
	if (region->run < BELIEVED)
		return 0;
	for (uint32_t i = 1; i <= ahead; i++)
		want[n++] = virtual + (uint64_t)((int64_t)region->delta *
					(1 << prefetcher->line_shift) * i);
	return n;
}

uint32_t mp_sim_prefetch_see(const struct mp_sim_prefetcher *prefetcher,
			     uint64_t virtual, uint64_t *want)
{
	const uint64_t line_bytes = 1ull << prefetcher->line_shift;
	uint32_t n = 1, kept = 0;

	switch (prefetcher->kind) {
	case MP_SIM_ADJACENT:
		want[0] = virtual ^ line_bytes;
		break;
	case MP_SIM_NEXT:
		want[0] = virtual + line_bytes;
		break;
	default:
		n = foresee(prefetcher, virtual, want);
		break;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (want[i] >> PAGE_SHIFT == virtual >> PAGE_SHIFT)
			want[kept++] = want[i];
	}
	return kept;
}
