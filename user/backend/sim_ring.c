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
 */
#include "sim_ring.h"

#include <string.h>

/* A copy of more state than this, or notes of more slots, cost too much. */
#define STEADY_STATE_BYTES (64u << 20)
#define STEADY_SLOTS (1u << 22)
/* Hops that take as long as copying and comparing so many bytes of state. */
#define STATE_BYTES_A_HOP 128u
/* Walking so many times what the machine holds leaves no trace of before. */
#define KEPT_TURNS 4u

/* Loads of @n positions of the ring from @first on; no more than a block. */
static uint64_t load_slots(struct mp_sim_ring *ring, uint32_t first, uint32_t n,
			   uint64_t *sum)
{
	const uint32_t *slot = ring->order + first;
	struct mp_sim_block block;

	block.place = ring->place;
	for (uint32_t k = 0; k < n; k++)
		block.virtual[k] = ring->base +
				   mp_ring_offset(&ring->shape, slot[k]);
	return mp_sim_memory_loads(ring->memory, &block, n, sum);
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

/* Slots of the ring after which nothing before them matters any more. */
static uint64_t kept_slots(const struct mp_sim_ring *ring)
{
	const struct mp_sim_memory *memory = ring->memory;
	const struct mp_sim_tlb *tlb = &memory->tlb[ring->place->page];
	const uint64_t stride = ring->shape.stride_bytes;
	uint64_t slots = 0;

	for (uint32_t i = 0; i < memory->n_levels; i++)
		slots = max_of(slots, slots_of(&memory->level[i], stride));
	for (uint32_t i = 0; i < tlb->n; i++)
		slots = max_of(slots, slots_of(&tlb->store[i], stride));
	return slots * KEPT_TURNS;
}

static uint32_t block_of(uint64_t slots)
{
	return slots < MP_SIM_BLOCK ? (uint32_t)slots : MP_SIM_BLOCK;
}

void mp_sim_ring_lay(struct mp_sim_ring *ring, struct mp_sim_cores *cores,
		     struct mp_sim_memory *memory, const struct mp_ring *shape,
		     uint64_t base, const uint32_t *order)
{
	uint64_t kept;
	uint32_t n;

	*ring = (struct mp_sim_ring){
		.cores = cores,
		.memory = memory,
		.place = mp_sim_memory_place(memory, base),
		.shape = *shape,
		.order = order,
		.slots = mp_ring_slots(shape),
		.base = base,
		.patience_hops = cores->state_bytes / STATE_BYTES_A_HOP,
	};
	kept = kept_slots(ring);
	for (uint32_t i = kept < ring->slots ? ring->slots - (uint32_t)kept : 0;
	     i < ring->slots; i += n) {
		n = block_of(ring->slots - i);
		load_slots(ring, i, n, NULL);
	}
}

/* Is it worth while to find out whether the next turn is like the others? */
static void try_record(struct mp_sim_ring *ring)
{
	struct mp_sim_cores *cores = ring->cores;

	if (ring->in_turn || ring->watched_hops < ring->patience_hops ||
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
		if (!memcmp(ring->before, ring->cores->state,
			    ring->cores->state_bytes))
			return;
		ring->phase = MP_SIM_WATCH;
		ring->watched_hops = 0;
		ring->patience_hops *= 2;
	}
	try_record(ring);
}

/* A block at most, and no further than the end of the turn. */
static uint64_t walk(struct mp_sim_ring *ring, uint32_t hops)
{
	uint64_t *sum = NULL, before = 0, cycles;

	if (ring->phase == MP_SIM_RECORD) {
		sum = ring->sum + ring->at;
		before = *sum++;
	}
	cycles = load_slots(ring, ring->at, hops, sum);
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

uint64_t mp_sim_ring_hops(struct mp_sim_ring *ring, uint64_t hops)
{
	uint64_t cycles = 0, left;
	uint32_t n;

	while (hops && ring->phase != MP_SIM_STEADY) {
		left = ring->slots - ring->at;
		n = block_of(left < hops ? left : hops);
		cycles += walk(ring, n);
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
	ring->phase = MP_SIM_WATCH;
	ring->watched_hops = 0;
}
