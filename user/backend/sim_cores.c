// SPDX-License-Identifier: GPL-2.0
/*
 * One stretch of memory holds the state of all CPUs, so that two moments can
 * be compared as bytes. Where CPUs share a level they are given the same part
 * of it.
 */
#include "sim_cores.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STATE_ALIGN 64u
/* An arena below this part of the state touches few of its pages. */
#define FRESH_SHARE 0.25
/* What lines lie in levels is not noted for more of them. */
#define HELD_BYTES (64u << 20)
/* Frames of different arenas come from different streams. */
#define ARENA_SALT 0x9e3779b97f4a7c15ull

static uint64_t round_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

/* Arenas lie one behind the other, each at a multiple of its page size. */
static int init_places(struct mp_sim_cores *cores,
		       const struct mp_sim_want *want, uint64_t *reach_bytes)
{
	const uint64_t small = 1ull << MP_SIM_SMALL_SHIFT;
	uint64_t end = 0;
	int err = 0;

	for (uint32_t i = 0; i < want->n_arenas && !err; i++) {
		struct mp_sim_place *place = &cores->place[i];

		err = mp_sim_place_init(place, cores->machine, want->bytes[i],
					want->page[i],
					want->seed + i * ARENA_SALT);
		place->base = round_up(end, 1ull << place->shift);
		end = place->base + round_up(want->bytes[i], small);
		cores->n_places++;
	}
	*reach_bytes = end;
	return err;
}

static int init_memories(struct mp_sim_cores *cores,
			 const struct mp_sim_want *want, uint64_t reach_bytes)
{
	int err = 0;

	cores->n = want->n_cpus;
	for (uint32_t i = 0; i < cores->n && !err; i++) {
		struct mp_sim_memory *memory = &cores->memory[i];

		memory->place = cores->place;
		memory->n_places = cores->n_places;
		err = mp_sim_memory_init(memory, cores->machine, want->cpu[i],
					 reach_bytes, want->prefetch_off);
		memory->other = &cores->memory[(i + 1) % cores->n];
	}
	return err;
}

/* The first CPU that shares a level with one; itself where none does. */
static uint32_t sharer(const struct mp_sim_cores *cores, uint32_t core,
		       uint32_t level)
{
	const uint32_t shared = cores->machine->level[level].shared;
	uint32_t i = 0;

	while (cores->memory[i].cpu / shared !=
	       cores->memory[core].cpu / shared)
		i++;
	return i;
}

/*
 * Parts of the state, in one order for measuring and for handing out: where
 * @state is NULL nothing is handed out.
 */
struct parts {
	char *state;
	size_t bytes;
	struct mp_rng *rng;
};

static void *take_part(struct parts *parts, size_t bytes)
{
	char *at = parts->state ? parts->state + parts->bytes : NULL;

	parts->bytes += round_up(bytes, STATE_ALIGN);
	return at;
}

static void part_prefetchers(struct mp_sim_memory *memory, struct parts *parts)
{
	for (uint32_t i = 0; i < memory->n_prefetchers; i++) {
		struct mp_sim_prefetcher *prefetcher = &memory->prefetcher[i];

		prefetcher->region = take_part(parts,
				mp_sim_prefetch_bytes(prefetcher));
	}
}

/* Pages of one size that are splintered share TLBs with those of another. */
static void part_tlbs(struct mp_sim_memory *memory, struct parts *parts)
{
	void *state[MP_SIM_TLBS] = { NULL };
	bool is_parted[MP_SIM_TLBS] = { false };

	for (uint32_t page = 0; page < MP_SIM_PAGE_SIZES; page++) {
		struct mp_sim_tlb *tlb = &memory->tlb[page];

		for (uint32_t i = 0; i < tlb->n; i++) {
			const uint32_t k = tlb->index[i];

			if (!is_parted[k])
				state[k] = take_part(parts,
					mp_sim_cache_bytes(&tlb->store[i]));
			is_parted[k] = true;
			if (state[k])
				mp_sim_cache_attach(&tlb->store[i], state[k],
						    parts->rng);
		}
	}
}

static void part_level(struct mp_sim_cores *cores, uint32_t core,
		       uint32_t i, struct parts *parts)
{
	const uint32_t first = sharer(cores, core, i);
	struct mp_sim_cache *level = &cores->memory[core].level[i];
	void *at;

	if (first != core) {
		*level = cores->memory[first].level[i];
		return;
	}
	at = take_part(parts, mp_sim_cache_bytes(level));
	if (at)
		mp_sim_cache_attach(level, at, parts->rng);
}

static bool is_alone(const struct mp_sim_cores *cores, uint32_t core)
{
	for (uint32_t i = 0; i < cores->n; i++) {
		if (i != core && sharer(cores, i, 0) == sharer(cores, core, 0))
			return false;
	}
	return true;
}

/* What is a CPU's own but for the levels outside lies in a row. */
static void part_home(struct mp_sim_cores *cores, uint32_t core,
		      struct parts *parts)
{
	struct mp_sim_memory *memory = &cores->memory[core];
	const size_t begin = parts->bytes;

	part_prefetchers(memory, parts);
	part_tlbs(memory, parts);
	part_level(cores, core, 0, parts);
	if (!parts->state || !is_alone(cores, core))
		return;
	memory->home = parts->state + begin;
	memory->home_bytes = parts->bytes - begin;
}

/* The random source first: where it is used, a comparison ends there. */
static size_t part_all(struct mp_sim_cores *cores, void *state)
{
	struct parts parts = { .state = state, .rng = state };

	take_part(&parts, sizeof(*parts.rng));
	for (uint32_t i = 0; i < cores->n; i++) {
		part_home(cores, i, &parts);
		for (uint32_t k = 1; k < cores->memory[i].n_levels; k++)
			part_level(cores, i, k, &parts);
	}
	return parts.bytes;
}

/*
 * Zeroes. A small arena uses little of a large state: of fresh memory only
 * that little is ever made.
 */
static int make_state(struct mp_sim_cores *cores, uint64_t reach_bytes)
{
	if (reach_bytes < cores->state_bytes * FRESH_SHARE) {
		cores->fresh = calloc(1, cores->state_bytes);
		cores->state = cores->fresh;
	} else {
		cores->state = mp_sim_room_take(cores->room, MP_SIM_ROOM_STATE,
						cores->state_bytes);
		if (cores->state)
			memset(cores->state, 0, cores->state_bytes);
	}
	return cores->state ? 0 : -ENOMEM;
}

/* Is it often asked whether a level has a line, as one is put out of an
 * inclusive level outside it, or a prefetcher wants it? */
static bool is_asked(const struct mp_sim_memory *memory, uint32_t k)
{
	bool asked = false;

	if (memory->level[k].layout == MP_SIM_LINKED)
		return false;
	for (uint32_t i = k + 1; i < memory->n_levels; i++)
		asked |= memory->inclusion[i] == MP_SIM_INCLUSIVE;
	for (uint32_t i = 0; i < memory->n_prefetchers; i++) {
		const uint32_t into = memory->prefetcher[i].into;

		asked |= into == k || (into > k && memory->inclusion[into] ==
						   MP_SIM_EXCLUSIVE);
	}
	return asked;
}

/* Hands out a bit a line of such levels, which are all empty; where @held is
 * NULL nothing but their bytes. */
static size_t part_held(struct mp_sim_cores *cores, char *held)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < cores->n; i++) {
		struct mp_sim_memory *memory = &cores->memory[i];

		for (uint32_t k = 0; k < memory->n_levels; k++) {
			const uint32_t first = sharer(cores, i, k);
			struct mp_sim_cache *level = &memory->level[k];

			if (!is_asked(memory, k))
				continue;
			if (first != i)
				level->held = cores->memory[first].level[k].held;
			else
				level->held = held ? (void *)(held + bytes) :
						     NULL;
			bytes += first == i ? round_up(level->keys / 8 + 1,
						       STATE_ALIGN) : 0;
		}
	}
	return bytes;
}

/* It is done without where there is no room. */
static void note_held(struct mp_sim_cores *cores)
{
	const size_t bytes = part_held(cores, NULL);
	char *held;

	if (!bytes || bytes > HELD_BYTES)
		return;
	held = mp_sim_room_take(cores->room, MP_SIM_ROOM_HELD, bytes);
	if (!held)
		return;
	memset(held, 0, bytes);
	part_held(cores, held);
}

int mp_sim_cores_init(struct mp_sim_cores *cores,
		      const struct mp_sim_machine *machine,
		      const struct mp_sim_want *want)
{
	uint64_t reach_bytes;
	int err;

	memset(cores, 0, sizeof(*cores));
	cores->machine = machine;
	cores->room = want->room ? want->room : &cores->own;
	err = init_places(cores, want, &reach_bytes);
	if (!err)
		err = init_memories(cores, want, reach_bytes);
	if (err)
		goto err_free;
	cores->state_bytes = part_all(cores, NULL);
	err = make_state(cores, reach_bytes);
	if (err)
		goto err_free;
	part_all(cores, cores->state);
	note_held(cores);
	mp_rng_seed(cores->state, mp_rng_mix(want->seed));
	return 0;

err_free:
	mp_sim_cores_free(cores);
	return err;
}

void mp_sim_cores_free(struct mp_sim_cores *cores)
{
	for (uint32_t i = 0; i < cores->n_places; i++)
		mp_sim_place_free(&cores->place[i]);
	free(cores->fresh);
	mp_sim_room_free(&cores->own);
	memset(cores, 0, sizeof(*cores));
}

/* Those that share it drop the same lines: the second finds none. */
void mp_sim_cores_limit(struct mp_sim_cores *cores, uint32_t level,
			double share)
{
	for (uint32_t i = 0; i < cores->n; i++)
		mp_sim_memory_heed(&cores->memory[i]);
	for (uint32_t i = 0; i < cores->n; i++)
		mp_sim_cache_limit(&cores->memory[i].level[level], share);
}
