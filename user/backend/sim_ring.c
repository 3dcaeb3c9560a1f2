// SPDX-License-Identifier: GPL-2.0
/*
 * The walk round a ring.
 *
 * A ring is often walked for hundreds of turns. When the whole state of the
 * machine (every tag in its order, every policy bit, what prefetchers
 * remember, the random source) is the same at two ends of a turn, each
 * further turn must be like the one between, so that one is noted hop by hop
 * and the others are summed up from the notes. This is exact: it is no
 * approximation of a steady state but the proof of one, and where there is
 * none (random replacement that misses) the hops are simulated one by one for
 * ever.
 *
 * Where other CPUs make their hops in between, a turn that stays at home is
 * one that the first level served and that left this level, the TLBs and what
 * prefetchers remember as they were: it saw nothing of the others, and they
 * nothing of it. Turns like it are summed up until something is put out of
 * that level.
 */
#include "sim_ring.h"

#include <stdlib.h>
#include <string.h>

#include "sim_fill.h"

/* A copy of more state than this, or notes of more slots, cost too much. */
#define STEADY_STATE_BYTES (64u << 20)
#define STEADY_SLOTS (1u << 22)
/* Hops that take as long as copying and comparing so many bytes of state. */
#define STATE_BYTES_A_HOP 128u
/* Walking so many times what the machine holds leaves no trace of before. */
#define KEPT_TURNS 4u
/* Look-ups of longer rings would not stay in this machine's caches. */
#define KEPT_SLOTS 4096u

static void address(const struct mp_sim_ring *ring, uint32_t first,
		    uint32_t n, struct mp_sim_block *block)
{
	const uint32_t *slot = ring->order + first;

	block->place = ring->place;
	for (uint32_t k = 0; k < n; k++)
		block->virtual[k] = ring->base +
				    mp_ring_offset(&ring->shape, slot[k]);
}

static void look_up(const struct mp_sim_ring *ring, uint32_t first,
		    uint32_t n, struct mp_sim_block *block)
{
	address(ring, first, n, block);
	mp_sim_memory_look_up(ring->memory, block, n);
}

/* Loads of @n positions of the ring from @first on; no more than a block. */
static uint64_t load_slots(struct mp_sim_ring *ring, uint32_t first, uint32_t n,
			   uint64_t *sum)
{
	const uint32_t inside = first % MP_SIM_BLOCK;
	const struct mp_sim_block *kept = ring->block + first / MP_SIM_BLOCK;
	struct mp_sim_block block;
	uint64_t cycles, before;
	uint32_t here;

	if (!ring->block) {
		look_up(ring, first, n, &block);
		return mp_sim_memory_loads(ring->memory, &block, 0, n, sum);
	}
	here = n < MP_SIM_BLOCK - inside ? n : MP_SIM_BLOCK - inside;
	cycles = mp_sim_memory_loads(ring->memory, kept, inside, here, sum);
	if (here == n)
		return cycles;
	if (sum)
		sum += here;
	n -= here;
	before = cycles;
	cycles += mp_sim_memory_loads(ring->memory, kept + 1, 0, n, sum);
	for (uint32_t k = 0; sum && k < n; k++)
		sum[k] += before;
	return cycles;
}

static uint64_t max_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t slots_of(const struct mp_sim_cache *cache, uint64_t stride)
{
	return cache->sets * cache->ways *
	       max_of((1ull << cache->line_shift) / stride, 1);
}

/* Slots of the ring after which nothing before them matters to levels any
 * more .. */
static uint64_t kept_by_levels(const struct mp_sim_ring *ring)
{
	const struct mp_sim_memory *memory = ring->memory;
	uint64_t slots = 0;

	for (uint32_t i = 0; i < memory->n_levels; i++)
		slots = max_of(slots, slots_of(&memory->level[i],
					       ring->shape.stride_bytes));
	return slots * KEPT_TURNS;
}

/* .. and to TLBs, whose pages are many slots each. */
static uint64_t kept_by_tlbs(const struct mp_sim_ring *ring)
{
	const struct mp_sim_tlb *tlb = &ring->memory->tlb[ring->place->page];
	uint64_t slots = 0;

	for (uint32_t i = 0; i < tlb->n; i++)
		slots = max_of(slots, slots_of(&tlb->store[i],
					       ring->shape.stride_bytes));
	return slots * KEPT_TURNS;
}

static uint32_t block_of(uint64_t slots)
{
	return slots < MP_SIM_BLOCK ? (uint32_t)slots : MP_SIM_BLOCK;
}

/* What every turn looks up is looked up once. */
static void keep_blocks(struct mp_sim_ring *ring)
{
	const uint32_t n = (ring->slots + MP_SIM_BLOCK - 1) / MP_SIM_BLOCK;

	if (ring->slots > KEPT_SLOTS)
		return;
	ring->block = malloc(n * sizeof(*ring->block));
	for (uint32_t i = 0; ring->block && i < n; i++)
		look_up(ring, i * MP_SIM_BLOCK,
			block_of(ring->slots - i * MP_SIM_BLOCK),
			&ring->block[i]);
}

/* The same for lines that come for the first time. */
static void fill_slots(const struct mp_sim_ring *ring, uint32_t first,
		       uint32_t n, struct mp_sim_filler *filler)
{
	struct mp_sim_block block;

	if (ring->block && first % MP_SIM_BLOCK == 0) {
		mp_sim_fill_loads(filler, ring->block + first / MP_SIM_BLOCK, n);
		return;
	}
	look_up(ring, first, n, &block);
	mp_sim_fill_loads(filler, &block, n);
}

/* The last @kept slots come to levels and TLBs, those before only to TLBs. */
static void walk_once(struct mp_sim_ring *ring, uint64_t kept, uint64_t in_tlbs)
{
	const uint32_t slots = ring->slots;
	const uint64_t levels_from = kept < slots ? slots - kept : 0;
	uint64_t i = in_tlbs < slots ? slots - in_tlbs : 0;
	struct mp_sim_filler filler;
	struct mp_sim_block block;
	bool is_filling;
	uint32_t n;

	for (; i < levels_from; i += n) {
		n = block_of(levels_from - i);
		address(ring, (uint32_t)i, n, &block);
		mp_sim_memory_look_up_pages(ring->memory, &block, n);
		mp_sim_memory_translate(ring->memory, &block, n);
	}
	is_filling = mp_sim_fill_begin(&filler, ring->cores, ring->memory,
				       &ring->shape, slots - levels_from);
	for (i = levels_from; i < slots; i += n) {
		n = block_of(slots - i);
		if (is_filling)
			fill_slots(ring, (uint32_t)i, n, &filler);
		else
			load_slots(ring, (uint32_t)i, n, NULL);
	}
	if (is_filling)
		mp_sim_fill_end(&filler);
}

void mp_sim_ring_lay(struct mp_sim_ring *ring, struct mp_sim_cores *cores,
		     struct mp_sim_memory *memory, const struct mp_ring *shape,
		     uint64_t base, const uint32_t *order)
{
	uint64_t kept, in_tlbs;

	*ring = (struct mp_sim_ring){
		.cores = cores,
		.memory = memory,
		.place = mp_sim_memory_place(memory, base),
		.shape = *shape,
		.order = order,
		.slots = mp_ring_slots(shape),
		.base = base,
		.patience_hops = cores->state_bytes / STATE_BYTES_A_HOP,
		.home_hops = memory->home_bytes / STATE_BYTES_A_HOP,
		.is_fresh = true,
	};
	kept = kept_by_levels(ring);
	in_tlbs = kept_by_tlbs(ring);
	/* Draws of TLBs and levels depend on one another. */
	if (!memory->translates_apart)
		kept = max_of(kept, in_tlbs);
	keep_blocks(ring);
	walk_once(ring, kept, in_tlbs);
}

/* Somebody puts something out of the first level. */
static void heed(void *ring)
{
	mp_sim_ring_unsettle(ring);
}

/* The same for one that stayed at home for a turn, while others had theirs. */
static void try_home(struct mp_sim_ring *ring)
{
	struct mp_sim_memory *memory = ring->memory;
	const size_t bytes = memory->home_bytes;

	if (ring->outward != memory->outward || memory->heed ||
	    !memory->home || memory->draws_at_home ||
	    ring->watched_hops < ring->home_hops || ring->slots > KEPT_SLOTS)
		return;
	if (!ring->own)
		ring->own = malloc(bytes +
				   (ring->slots + 1ull) * sizeof(*ring->sum));
	if (!ring->own)
		return;
	ring->before = ring->own;
	ring->sum = (void *)(ring->own + bytes);
	memcpy(ring->before, memory->home, bytes);
	ring->sum[0] = 0;
	ring->phase = MP_SIM_RECORD;
	memory->heed = heed;
	memory->heeds = ring;
}

static void let_go(struct mp_sim_ring *ring)
{
	struct mp_sim_memory *memory = ring->memory;

	if (!memory || memory->heeds != ring)
		return;
	memory->heed = NULL;
	memory->heeds = NULL;
}

static bool is_unchanged(const struct mp_sim_ring *ring)
{
	const struct mp_sim_memory *memory = ring->memory;

	if (memory->heeds == ring)
		return ring->outward == memory->outward &&
		       !memcmp(ring->before, memory->home, memory->home_bytes);
	return !memcmp(ring->before, ring->cores->state,
		       ring->cores->state_bytes);
}

/* Is it worth while to find out whether the next turn is like the others? */
static void try_record(struct mp_sim_ring *ring)
{
	struct mp_sim_cores *cores = ring->cores;

	if (ring->watched_hops < ring->patience_hops ||
	    cores->state_bytes > STEADY_STATE_BYTES ||
	    ring->slots > STEADY_SLOTS)
		return;
	ring->before = mp_sim_room_take(cores->room, MP_SIM_ROOM_BEFORE,
					cores->state_bytes);
	ring->sum = mp_sim_room_take(cores->room, MP_SIM_ROOM_SUM,
				     (ring->slots + 1ull) * sizeof(*ring->sum));
	if (!ring->before || !ring->sum)
		return;
	memcpy(ring->before, cores->state, cores->state_bytes);
	ring->sum[0] = 0;
	ring->phase = MP_SIM_RECORD;
}

static void end_turn(struct mp_sim_ring *ring)
{
	ring->at = 0;
	if (ring->phase == MP_SIM_RECORD) {
		ring->phase = MP_SIM_STEADY;
		if (is_unchanged(ring))
			return;
		if (ring->memory->heeds == ring)
			ring->home_hops *= 2;
		else if (!ring->is_first)
			ring->patience_hops *= 2;
		let_go(ring);
		ring->phase = MP_SIM_WATCH;
		ring->watched_hops = 0;
		ring->is_first = false;
	}
	if (ring->in_turn)
		try_home(ring);
	else
		try_record(ring);
	ring->outward = ring->memory->outward;
}

/* A block at most, and no further than the end of the turn. @each gets the
 * cycles up to and including each hop; it may be NULL. */
static uint64_t walk(struct mp_sim_ring *ring, uint32_t hops, uint64_t *each)
{
	uint64_t *sum = NULL, before = 0, cycles;

	if (ring->phase == MP_SIM_RECORD) {
		sum = ring->sum + ring->at;
		before = *sum++;
	}
	cycles = load_slots(ring, ring->at, hops, sum ? sum : each);
	if (sum && each)
		memcpy(each, sum, hops * sizeof(*each));
	for (uint32_t i = 0; sum && i < hops; i++)
		sum[i] += before;
	ring->watched_hops += hops;
	ring->at += hops;
	if (ring->at == ring->slots)
		end_turn(ring);
	return cycles;
}

static uint64_t sum_up(struct mp_sim_ring *ring, uint64_t hops)
{
	const uint64_t *sum = ring->sum;
	const uint64_t slots = ring->slots;
	const uint64_t end = ring->at + hops % slots;
	uint64_t cycles = hops / slots * sum[slots];

	if (end < slots)
		cycles += sum[end] - sum[ring->at];
	else
		cycles += sum[slots] - sum[ring->at] + sum[end - slots];
	ring->at = (uint32_t)(end < slots ? end : end - slots);
	return cycles;
}

/* Hops that were made before they were asked for. */
static uint64_t take_ahead(struct mp_sim_ring *ring, uint64_t *hops)
{
	const uint32_t from = ring->ahead_at;
	const uint64_t left = ring->ahead_n - from;
	const uint32_t n = (uint32_t)(*hops < left ? *hops : left);

	if (!n)
		return 0;
	ring->ahead_at += n;
	*hops -= n;
	return ring->ahead[from + n - 1] - (from ? ring->ahead[from - 1] : 0);
}

/* A block, where a few hops are asked for at a time: one by one they would
 * cost twice as much. */
static void walk_ahead(struct mp_sim_ring *ring)
{
	ring->ahead_n = block_of(ring->slots - ring->at);
	ring->ahead_at = 0;
	walk(ring, ring->ahead_n, ring->ahead);
}

uint64_t mp_sim_ring_hops(struct mp_sim_ring *ring, uint64_t hops)
{
	uint64_t cycles = take_ahead(ring, &hops), left;
	uint32_t n;

	/* The first turn after that of the builder is often steady. */
	if (ring->is_fresh && !ring->in_turn &&
	    ring->slots >= ring->patience_hops) {
		ring->watched_hops = ring->patience_hops;
		try_record(ring);
		ring->is_first = ring->phase == MP_SIM_RECORD;
		ring->watched_hops = 0;
	}
	ring->is_fresh = false;
	while (hops && ring->phase != MP_SIM_STEADY) {
		if (ring->is_alone && hops < MP_SIM_BLOCK) {
			walk_ahead(ring);
			cycles += take_ahead(ring, &hops);
			continue;
		}
		left = ring->slots - ring->at;
		n = block_of(left < hops ? left : hops);
		cycles += walk(ring, n, NULL);
		hops -= n;
	}
	return hops ? cycles + sum_up(ring, hops) : cycles;
}

/* Hops that were summed up have left the state at the turn's beginning. */
static void catch_up(struct mp_sim_ring *ring)
{
	const uint32_t at = ring->at;
	uint32_t n;

	for (uint32_t i = 0; ring->phase == MP_SIM_STEADY && i < at; i += n) {
		n = block_of(at - i);
		load_slots(ring, i, n, NULL);
	}
}

void mp_sim_ring_unsettle(struct mp_sim_ring *ring)
{
	catch_up(ring);
	let_go(ring);
	ring->phase = MP_SIM_WATCH;
	ring->watched_hops = 0;
}

void mp_sim_ring_free(struct mp_sim_ring *ring)
{
	let_go(ring);
	free(ring->own);
	ring->own = NULL;
	free(ring->block);
	ring->block = NULL;
}
