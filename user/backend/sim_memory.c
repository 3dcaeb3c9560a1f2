// SPDX-License-Identifier: GPL-2.0
/*
 * Loads through translation and levels, and the walk round a ring.
 *
 * A ring is often walked for hundreds of turns. When the whole state of the
 * machine (every tag in its order, every policy bit, the random source) is
 * the same at two ends of a turn, each further turn must be like the one
 * between, so that one is noted hop by hop and the others are summed up from
 * the notes. This is exact: it is no approximation of a steady state but the
 * proof of one, and where there is none (random replacement that misses) the
 * hops are simulated one by one for ever.
 */
#include "sim_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A copy of more state than this, or notes of more slots, cost too much. */
#define STEADY_STATE_BYTES (64u << 20)
#define STEADY_SLOTS (1u << 22)
/* Hops that take as long as copying and comparing so many bytes of state. */
#define STATE_BYTES_A_HOP 128u
/* Walking so many times what the machine holds leaves no trace of before. */
#define KEPT_TURNS 4u
#define STATE_ALIGN 64u

/* A block of loads: their addresses, and the sets of these everywhere. */
struct block {
	uint64_t virtual[MP_SIM_BLOCK];
	uint64_t physical[MP_SIM_BLOCK];
	uint64_t tlb_set[MP_SIM_TLB_LEVELS][MP_SIM_BLOCK];
	uint64_t set[MP_SIM_LEVELS][MP_SIM_BLOCK];
};

static uint64_t set_in(const struct mp_sim_memory *memory, uint32_t i,
		       uint64_t virtual)
{
	const uint64_t physical = mp_sim_place_physical(&memory->place,
							virtual);
	uint64_t set;

	mp_sim_cache_sets(&memory->level[i], &virtual, &physical, 1, &set);
	return set;
}

/* A line is put out of an inclusive level: nothing inside may keep it. */
static void put_out_inside(struct mp_sim_memory *memory, uint32_t i,
			   uint64_t virtual)
{
	const uint64_t end = virtual + (1ull << memory->level[i].line_shift);

	for (uint32_t k = 0; k < i; k++) {
		const uint64_t step = 1ull << memory->level[k].line_shift;

		for (uint64_t at = virtual; at < end; at += step)
			mp_sim_cache_take(&memory->level[k],
					  set_in(memory, k, at), at);
	}
}

static uint32_t load_plain(struct mp_sim_memory *memory,
			   const struct block *block, uint32_t n)
{
	for (uint32_t i = 0; i < memory->n_levels; i++) {
		if (mp_sim_cache_touch(&memory->level[i], block->set[i][n],
				       block->virtual[n]))
			return memory->latency_cycles[i];
	}
	return memory->machine->general.memory_latency_cycles;
}

/*
 * An exclusive level is filled by what the level inside it puts out, and a
 * line that is found in it moves inwards. So a victim may have to be passed
 * on outwards after the load itself has been served.
 */
static uint32_t load_mixed(struct mp_sim_memory *memory,
			   const struct block *block, uint32_t n)
{
	uint32_t cycles = 0;
	uint64_t victim = 0;
	bool put_out = false, hit;

	for (uint32_t i = 0; i < memory->n_levels; i++) {
		struct mp_sim_cache *level = &memory->level[i];

		if (memory->inclusion[i] == MP_SIM_EXCLUSIVE) {
			hit = !cycles && mp_sim_cache_take(level,
					block->set[i][n], block->virtual[n]);
			level->victim = 0;
			if (put_out)
				mp_sim_cache_touch(level,
					set_in(memory, i, victim), victim);
		} else if (!cycles) {
			hit = mp_sim_cache_touch(level, block->set[i][n],
						 block->virtual[n]);
		} else {
			break;
		}
		put_out = mp_sim_cache_victim(level, &victim);
		if (put_out && memory->inclusion[i] == MP_SIM_INCLUSIVE)
			put_out_inside(memory, i, victim);
		if (hit)
			cycles = memory->latency_cycles[i];
	}
	return cycles ? cycles : memory->machine->general.memory_latency_cycles;
}

/* block->virtual is filled in already. */
static void look_up(const struct mp_sim_memory *memory, struct block *block,
		    uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		block->physical[k] = mp_sim_place_physical(&memory->place,
							   block->virtual[k]);
	for (uint32_t i = 0; i < memory->tlb.n; i++)
		mp_sim_cache_sets(&memory->tlb.store[i], block->virtual,
				  block->virtual, n, block->tlb_set[i]);
	for (uint32_t i = 0; i < memory->n_levels; i++)
		mp_sim_cache_sets(&memory->level[i], block->virtual,
				  block->physical, n, block->set[i]);
}

static uint32_t load(struct mp_sim_memory *memory, const struct block *block,
		     uint32_t n)
{
	const uint32_t cycles = mp_sim_tlb_load(&memory->tlb,
						&block->tlb_set[0][n],
						block->virtual[n]);

	if (memory->is_plain)
		return cycles + load_plain(memory, block, n);
	return cycles + load_mixed(memory, block, n);
}

/* Loads of @n positions of the ring from @first on; no more than a block. */
static uint64_t load_slots(struct mp_sim_memory *memory, uint32_t first,
			   uint32_t n, uint64_t *sum)
{
	const uint32_t *slot = memory->order + first;
	uint64_t cycles = 0;
	struct block block;

	for (uint32_t k = 0; k < n; k++)
		block.virtual[k] = memory->offset +
				   mp_ring_offset(&memory->ring, slot[k]);
	look_up(memory, &block, n);
	for (uint32_t k = 0; k < n; k++) {
		cycles += load(memory, &block, k);
		if (sum)
			sum[k] = cycles;
	}
	return cycles;
}

static int init_levels(struct mp_sim_memory *memory, uint64_t bytes)
{
	const struct mp_sim_machine *machine = memory->machine;
	int err = 0;

	memory->is_plain = true;
	memory->n_levels = machine->n_levels;
	for (uint32_t i = 0; i < machine->n_levels && !err; i++) {
		const struct mp_sim_level *level = &machine->level[i];
		struct mp_sim_shape shape = {
			.lines = level->size_bytes / level->line_bytes,
			.ways = level->ways,
			.slices = level->slices,
			.line_bytes = level->line_bytes,
			.sector_bytes = level->sector_bytes,
			.policy = level->policy.index,
			.by_virtual = level->index == MP_SIM_VIRTUAL,
		};

		memory->latency_cycles[i] = level->latency_cycles;
		memory->inclusion[i] = level->inclusion;
		if (level->inclusion != MP_SIM_NON_INCLUSIVE)
			memory->is_plain = false;
		mp_sim_qlru_parse(level->policy.text, &shape.qlru);
		err = mp_sim_cache_init(&memory->level[i], &shape, bytes);
	}
	return err;
}

/* The random source first: where it is used, a comparison ends there. */
static int init_state(struct mp_sim_memory *memory, uint64_t seed)
{
	struct mp_rng *rng;
	char *at;

	memory->state_bytes = STATE_ALIGN;
	for (uint32_t i = 0; i < memory->tlb.n; i++)
		memory->state_bytes += mp_sim_cache_bytes(&memory->tlb.store[i]);
	for (uint32_t i = 0; i < memory->n_levels; i++)
		memory->state_bytes += mp_sim_cache_bytes(&memory->level[i]);
	memory->state = calloc(1, memory->state_bytes);
	if (!memory->state)
		return -ENOMEM;
	rng = memory->state;
	mp_rng_seed(rng, seed);
	at = (char *)memory->state + STATE_ALIGN;
	for (uint32_t i = 0; i < memory->tlb.n; i++) {
		mp_sim_cache_attach(&memory->tlb.store[i], at, rng);
		at += mp_sim_cache_bytes(&memory->tlb.store[i]);
	}
	for (uint32_t i = 0; i < memory->n_levels; i++) {
		mp_sim_cache_attach(&memory->level[i], at, rng);
		at += mp_sim_cache_bytes(&memory->level[i]);
	}
	return 0;
}

int mp_sim_memory_init(struct mp_sim_memory *memory,
		       const struct mp_sim_machine *machine, uint64_t bytes,
		       bool huge, uint64_t seed)
{
	int err;

	memset(memory, 0, sizeof(*memory));
	memory->machine = machine;
	err = mp_sim_place_init(&memory->place, machine, bytes, huge, seed);
	if (!err)
		err = mp_sim_tlb_init(&memory->tlb, machine, huge, bytes);
	if (!err)
		err = init_levels(memory, bytes);
	if (!err)
		err = init_state(memory, mp_rng_mix(seed));
	if (err)
		mp_sim_memory_free(memory);
	return err;
}

void mp_sim_memory_free(struct mp_sim_memory *memory)
{
	mp_sim_place_free(&memory->place);
	free(memory->state);
	free(memory->before);
	free(memory->sum);
	memory->state = NULL;
	memory->before = NULL;
	memory->sum = NULL;
}

uint32_t mp_sim_memory_load(struct mp_sim_memory *memory, uint64_t virtual)
{
	struct block block;

	block.virtual[0] = virtual;
	look_up(memory, &block, 1);
	return load(memory, &block, 0);
}

void mp_sim_memory_flush(struct mp_sim_memory *memory, uint64_t virtual)
{
	for (uint32_t i = 0; i < memory->n_levels; i++) {
		struct mp_sim_cache *level = &memory->level[i];
		const uint64_t line = virtual >> level->line_shift
					      << level->line_shift;

		if (mp_sim_cache_take(level, set_in(memory, i, line), line) &&
		    memory->inclusion[i] == MP_SIM_INCLUSIVE)
			put_out_inside(memory, i, line);
	}
}

static uint64_t max_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Slots of the ring after which nothing before them matters any more. */
static uint64_t kept_slots(const struct mp_sim_memory *memory)
{
	const uint64_t stride = memory->ring.stride_bytes;
	uint64_t slots = 0;

	for (uint32_t i = 0; i < memory->n_levels; i++) {
		const struct mp_sim_cache *level = &memory->level[i];
		const uint64_t line = 1ull << level->line_shift;

		slots = max_of(slots, level->sets * level->ways *
				      max_of(line / stride, 1));
	}
	for (uint32_t i = 0; i < memory->tlb.n; i++) {
		const struct mp_sim_cache *store = &memory->tlb.store[i];
		const uint64_t page = 1ull << store->line_shift;

		slots = max_of(slots, store->sets * store->ways *
				      max_of(page / stride, 1));
	}
	return slots * KEPT_TURNS;
}

static uint32_t block_of(uint64_t slots)
{
	return slots < MP_SIM_BLOCK ? (uint32_t)slots : MP_SIM_BLOCK;
}

void mp_sim_memory_ring(struct mp_sim_memory *memory,
			const struct mp_ring *ring, uint64_t offset,
			const uint32_t *order)
{
	uint64_t kept;
	uint32_t n;

	memory->ring = *ring;
	memory->order = order;
	memory->slots = mp_ring_slots(ring);
	memory->offset = offset;
	memory->at = 0;
	memory->phase = MP_SIM_WATCH;
	memory->patience_hops = memory->state_bytes / STATE_BYTES_A_HOP;
	memory->watched_hops = 0;
	kept = kept_slots(memory);
	for (uint32_t i = kept < memory->slots ? memory->slots - kept : 0;
	     i < memory->slots; i += n) {
		n = block_of(memory->slots - i);
		load_slots(memory, i, n, NULL);
	}
}

/* Is it worth while to find out whether the next turn is like the others? */
static void try_record(struct mp_sim_memory *memory)
{
	if (memory->watched_hops < memory->patience_hops ||
	    memory->state_bytes > STEADY_STATE_BYTES ||
	    memory->slots > STEADY_SLOTS)
		return;
	if (!memory->before)
		memory->before = malloc(memory->state_bytes);
	if (!memory->sum)
		memory->sum = malloc((memory->slots + 1ull) *
				     sizeof(*memory->sum));
	if (!memory->before || !memory->sum)
		return;
	memcpy(memory->before, memory->state, memory->state_bytes);
	memory->sum[0] = 0;
	memory->phase = MP_SIM_RECORD;
}

static void end_turn(struct mp_sim_memory *memory)
{
	memory->at = 0;
	if (memory->phase == MP_SIM_RECORD) {
		memory->phase = MP_SIM_STEADY;
		if (!memcmp(memory->before, memory->state,
			    memory->state_bytes))
			return;
		memory->phase = MP_SIM_WATCH;
		memory->watched_hops = 0;
		memory->patience_hops *= 2;
	}
	try_record(memory);
}

/* A block at most, and no further than the end of the turn. */
static uint64_t walk(struct mp_sim_memory *memory, uint32_t hops)
{
	uint64_t *sum = NULL, before = 0, cycles;

	if (memory->phase == MP_SIM_RECORD) {
		sum = memory->sum + memory->at;
		before = *sum++;
	}
	cycles = load_slots(memory, memory->at, hops, sum);
	for (uint32_t i = 0; sum && i < hops; i++)
		sum[i] += before;
	memory->watched_hops += hops;
	memory->at += hops;
	if (memory->at == memory->slots)
		end_turn(memory);
	return cycles;
}

static uint64_t sum_up(struct mp_sim_memory *memory, uint64_t hops)
{
	const uint64_t *sum = memory->sum;
	const uint64_t slots = memory->slots;
	const uint64_t end = memory->at + hops % slots;
	uint64_t cycles = hops / slots * sum[slots];

	if (end < slots)
		cycles += sum[end] - sum[memory->at];
	else
		cycles += sum[slots] - sum[memory->at] + sum[end - slots];
	memory->at = (uint32_t)(end < slots ? end : end - slots);
	return cycles;
}

uint64_t mp_sim_memory_hops(struct mp_sim_memory *memory, uint64_t hops)
{
	uint64_t cycles = 0, left;
	uint32_t n;

	while (hops && memory->phase != MP_SIM_STEADY) {
		left = memory->slots - memory->at;
		n = block_of(left < hops ? left : hops);
		cycles += walk(memory, n);
		hops -= n;
	}
	return hops ? cycles + sum_up(memory, hops) : cycles;
}

/* Hops that were summed up have left the state at the turn's beginning. */
static void catch_up(struct mp_sim_memory *memory)
{
	const uint32_t at = memory->at;
	uint32_t n;

	for (uint32_t i = 0; memory->phase == MP_SIM_STEADY && i < at; i += n) {
		n = block_of(at - i);
		load_slots(memory, i, n, NULL);
	}
}

void mp_sim_memory_limit(struct mp_sim_memory *memory, uint32_t level,
			 double share)
{
	catch_up(memory);
	mp_sim_cache_limit(&memory->level[level], share);
	memory->phase = MP_SIM_WATCH;
	memory->watched_hops = 0;
}
