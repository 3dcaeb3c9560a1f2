// SPDX-License-Identifier: GPL-2.0
/*
 * One replicate: an empty machine, a fresh placement, rings and their orders
 * or the slots of a sequence, all from one seed; then all rounds, and what
 * was granted.
 */
#include "sim_chase.h"

#include <errno.h>
#include <stdlib.h>

#include "limits.h"
#include "perm.h"
#include "sim_phase.h"
#include "sim_sequence.h"

/* What building costs: a slot that is linked, a page that is touched. */
#define SLOT_NS 1.2
#define SMALL_PAGE_NS 250.0
#define HUGE_PAGE_NS 60000.0
#define GIANT_PAGE_NS (512 * HUGE_PAGE_NS)
/* Replicate n lies somewhere in the nth stretch of so long. */
#define MOMENT_NS 8000000000ull
#define MOMENTS (1u << 20)

enum salt {
	SALT_WORLD = 1,
	SALT_PLACE,
	SALT_MOMENT,
	SALT_GAPS,
	SALT_BETWEEN,
	SALT_ACTOR = 16,
};

/* Independent streams from one seed. */
static uint64_t salted(uint64_t seed, uint64_t salt)
{
	return mp_rng_mix(mp_rng_mix(seed) + salt);
}

/*
 * One replicate in the making.
 * @pages: what each arena has got, enum mp_pages
 * @order: of each actor's ring; owned
 */
struct job {
	const struct mp_sim_machine *machine;
	struct mp_batch *batch;
	uint64_t run_seed;
	uint64_t seed;
	uint32_t pages[MP_EXP_ARENAS];
	struct mp_sim_cores cores;
	struct mp_sim_troupe troupe;
	uint32_t *order[MP_EXP_ACTORS];
};

/* A stream of each actor's own; that of the first is the batch's. */
static uint64_t seed_of(const struct job *job, uint32_t actor)
{
	return actor ? salted(job->seed, SALT_ACTOR + actor) : job->seed;
}

/* -- memory --------------------------------------------------------------- */

uint64_t mp_sim_chase_max_bytes(const struct mp_sim_machine *machine)
{
	const double share = (double)machine->general.ram_bytes *
			     MP_ARENA_SHARE;

	return share < (double)MP_ARENA_CAP_BYTES ? (uint64_t)share :
						    MP_ARENA_CAP_BYTES;
}

/* Reserved pages are for all arenas together. */
static int take_pages(uint64_t bytes, uint32_t shift, uint32_t reserved,
		      uint64_t *taken)
{
	const uint64_t more = ((bytes - 1) >> shift) + 1;

	if (*taken + more > reserved)
		return -ENOMEM;
	*taken += more;
	return 0;
}

/* Where transparent ones are refused, reserved ones if there are enough. */
static uint32_t instead_of_thp(const struct mp_sim_pages *place,
			       uint64_t bytes, uint64_t *huge)
{
	return take_pages(bytes, MP_SIM_HUGE_SHIFT, place->huge_pages, huge) ?
	       MP_PAGES_4K : MP_PAGES_2M;
}

static int get_pages(const struct mp_sim_machine *machine,
		     const struct mp_exp *exp, uint32_t *got)
{
	const struct mp_sim_pages *place = &machine->pages;
	uint64_t huge = 0, giant = 0;
	int err = 0;

	for (uint32_t i = 0; i < exp->n_arenas && !err; i++) {
		const struct mp_arena *arena = &exp->arena[i];

		got[i] = arena->pages;
		if (arena->pages == MP_PAGES_THP && place->thp_refused)
			got[i] = instead_of_thp(place, arena->bytes, &huge);
		if (arena->pages == MP_PAGES_2M)
			err = take_pages(arena->bytes, MP_SIM_HUGE_SHIFT,
					 place->huge_pages, &huge);
		else if (arena->pages == MP_PAGES_1G)
			err = take_pages(arena->bytes, MP_SIM_GIANT_SHIFT,
					 place->giant_pages, &giant);
		else if (arena->pages > MP_PAGES_1G)
			err = -EOPNOTSUPP;
	}
	return err;
}

static int check_room(const struct mp_sim_machine *machine,
		      const struct mp_exp *exp)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < exp->n_arenas; i++) {
		if (exp->arena[i].bytes > mp_sim_chase_max_bytes(machine))
			return -ENOMEM;
		sum += exp->arena[i].bytes;
	}
	if ((double)sum > (double)machine->general.ram_bytes * MP_ARENA_SHARE)
		return -ENOMEM;
	return 0;
}

static uint32_t page_size(uint32_t pages)
{
	switch (pages) {
	case MP_PAGES_4K:
		return MP_SIM_PAGE_4K;
	case MP_PAGES_1G:
		return MP_SIM_PAGE_1G;
	default:
		return MP_SIM_PAGE_2M;
	}
}

static void want_cpu(struct mp_sim_want *want, uint32_t cpu)
{
	for (uint32_t i = 0; i < want->n_cpus; i++) {
		if (want->cpu[i] == cpu)
			return;
	}
	want->cpu[want->n_cpus++] = cpu;
}

static int make_cores(struct job *job, struct mp_sim_room *room)
{
	const struct mp_exp *exp = &job->batch->exp;
	struct mp_sim_want want = {
		.n_arenas = exp->n_arenas,
		.prefetch_off = exp->quiet & MP_WISH_PREFETCH_OFF,
		.seed = salted(job->seed, SALT_PLACE),
		.room = room,
	};
	int err;

	err = check_room(job->machine, exp);
	if (!err)
		err = get_pages(job->machine, exp, job->pages);
	if (err)
		return err;
	for (uint32_t i = 0; i < exp->n_arenas; i++) {
		want.bytes[i] = exp->arena[i].bytes;
		want.page[i] = page_size(job->pages[i]);
	}
	for (uint32_t i = 0; i < exp->n_actors; i++)
		want_cpu(&want, exp->actor[i].place);
	err = mp_sim_cores_init(&job->cores, job->machine, &want);
	if (!err && want.prefetch_off && !job->cores.memory[0].n_prefetchers)
		job->batch->grant.got |= MP_GOT_PREFETCH_OFF;
	return err;
}

/* -- actors --------------------------------------------------------------- */

/* The moment is the replicate's own, whatever was measured before it. */
static void begin_clock(const struct job *job, struct mp_sim_walk *walk)
{
	const uint64_t start_ns = (job->batch->replicate % MOMENTS + 1) *
				  MOMENT_NS +
				  salted(job->seed, SALT_MOMENT) % MOMENT_NS;
	const uint64_t seed = seed_of(job, walk->number);

	mp_sim_clock_init(&walk->clock, job->machine,
			  salted(job->run_seed, SALT_WORLD), start_ns,
			  salted(seed, SALT_GAPS));
	mp_rng_seed(&walk->between, salted(seed, SALT_BETWEEN));
}

static void make_walks(struct job *job)
{
	const struct mp_exp *exp = &job->batch->exp;
	struct mp_sim_cores *cores = &job->cores;

	job->troupe.n = exp->n_actors;
	for (uint32_t i = 0; i < exp->n_actors; i++) {
		const struct mp_actor *actor = &exp->actor[i];
		struct mp_sim_walk *walk = &job->troupe.walk[i];

		walk->machine = job->machine;
		walk->number = i;
		walk->actor = actor;
		walk->cores = cores;
		walk->memory = &cores->memory[0];
		while (walk->memory->cpu != actor->place)
			walk->memory++;
		walk->base = cores->place[actor->arena].base + actor->offset;
		begin_clock(job, walk);
		walk->window_ticks = (uint64_t)mp_sim_walk_ticks(walk,
						(double)exp->window_ns);
	}
}

/* Pages of the arena that hold slots, and the slots. */
static double build_ns(const struct mp_sim_walk *walk)
{
	const struct mp_actor *actor = walk->actor;
	const struct mp_sim_place *place = &walk->cores->place[actor->arena];
	const uint64_t first = actor->offset >> place->shift;
	const uint64_t last = (actor->offset + actor->length - 1) >>
			      place->shift;
	const uint64_t slots = actor->length / actor->stride;
	uint64_t pages = last - first + 1;
	double page_ns = SMALL_PAGE_NS;

	if (place->page == MP_SIM_PAGE_2M)
		page_ns = HUGE_PAGE_NS;
	else if (place->page == MP_SIM_PAGE_1G)
		page_ns = GIANT_PAGE_NS;
	if (pages > slots)
		pages = slots;
	return SLOT_NS * (double)slots + (double)pages * page_ns;
}

/* The order comes from the seed itself, as it does on real machines. */
static uint32_t *make_order(const struct mp_ring *ring, uint64_t seed)
{
	const uint32_t slots = mp_ring_slots(ring);
	uint64_t window = ring->reach_bytes / ring->stride_bytes;
	uint32_t *order = malloc(slots * sizeof(*order));
	struct mp_rng rng;

	if (!order)
		return NULL;
	if (window >= slots)
		window = 0;
	mp_rng_seed(&rng, seed);
	mp_perm_order(order, slots, (uint32_t)window, &rng);
	return order;
}

static int lay(struct job *job, struct mp_sim_walk *walk)
{
	const struct mp_actor *actor = walk->actor;
	const struct mp_ring ring = {
		.length_bytes = actor->length,
		.stride_bytes = actor->stride,
		.reach_bytes = actor->reach,
		.skew_bytes = actor->skew,
	};
	uint32_t **order = &job->order[walk->number];

	if (actor->op == MP_OP_SEQUENCE)
		return mp_sim_sequence_lay(walk, &job->batch->exp);
	*order = make_order(&ring, seed_of(job, walk->number));
	if (!*order)
		return -ENOMEM;
	mp_sim_ring_lay(&walk->ring, walk->cores, walk->memory, &ring,
			walk->base, *order);
	return 0;
}

/* Whoever measures builds one ring after the other, then all begin. */
static int lay_all(struct job *job)
{
	struct mp_sim_troupe *troupe = &job->troupe;
	double ns = 0;
	int err = 0;

	mp_sim_walk_neighbours(&troupe->walk[0], true);
	for (uint32_t i = 0; i < troupe->n && !err; i++) {
		err = lay(job, &troupe->walk[i]);
		ns += build_ns(&troupe->walk[i]);
	}
	for (uint32_t i = 0; i < troupe->n; i++)
		mp_sim_clock_sleep(&troupe->walk[i].clock, ns);
	return err;
}

/* -- what was granted ----------------------------------------------------- */

static void fill_arenas(const struct job *job, struct mp_grant *grant)
{
	grant->n_arenas = job->cores.n_places;
	for (uint32_t i = 0; i < grant->n_arenas; i++) {
		const struct mp_sim_place *place = &job->cores.place[i];
		struct mp_grant_arena *arena = &grant->arena[i];

		arena->bytes = place->pages << place->shift;
		arena->huge_bytes = job->pages[i] == MP_PAGES_4K ? 0 :
								   arena->bytes;
		arena->pages = job->pages[i];
		arena->contiguous = job->machine->pages.contiguous ||
				    place->pages == 1;
	}
}

static void fill_grant(const struct job *job, struct mp_grant *grant)
{
	const struct mp_sim_ticks *ticks = &job->machine->ticks;
	const struct mp_sim_walk *walk = &job->troupe.walk[0];

	grant->tick_hz = mp_sim_clock_tick_hz(job->machine);
	grant->tick_step = ticks->step_ticks;
	grant->read_ticks = mp_sim_walk_ticks(walk, ticks->read_cycles * 1e9 /
					  walk->clock.hz);
	grant->gap_ticks = walk->gap_ticks;
	for (uint32_t i = 1; i < job->troupe.n; i++) {
		const struct mp_sim_walk *other = &job->troupe.walk[i];

		if (!other->actor->background &&
		    other->gap_ticks < grant->gap_ticks)
			grant->gap_ticks = other->gap_ticks;
	}
	fill_arenas(job, grant);
}

static int measure(struct job *job)
{
	struct mp_batch *batch = job->batch;
	const struct mp_sim_clock *clock = &job->troupe.walk[0].clock;
	int err;

	make_walks(job);
	err = lay_all(job);
	if (!err)
		err = mp_sim_phase_rounds(&job->troupe, batch);
	batch->start_ns = clock->start_ns;
	batch->cost_ns = (uint64_t)clock->now_ns;
	fill_grant(job, &batch->grant);
	for (uint32_t i = 0; i < job->troupe.n; i++) {
		mp_sim_walk_free(&job->troupe.walk[i]);
		free(job->order[i]);
	}
	return err;
}

static int check_spans(const struct mp_exp *exp)
{
	int err = 0;

	for (uint32_t i = 0; i < exp->n_actors && !err; i++) {
		const struct mp_actor *actor = &exp->actor[i];
		const struct mp_ring ring = {
			.length_bytes = actor->length,
			.stride_bytes = actor->stride,
			.reach_bytes = actor->reach,
			.skew_bytes = actor->skew,
		};

		if (actor->offset + actor->length >
		    exp->arena[actor->arena].bytes)
			return -EINVAL;
		err = mp_ring_check(&ring);
	}
	return err;
}

int mp_sim_chase(const struct mp_sim_machine *machine, uint64_t run_seed,
		 struct mp_sim_room *room, struct mp_batch *batch)
{
	struct job *job = calloc(1, sizeof(*job));
	int err;

	if (!job)
		return -ENOMEM;
	job->machine = machine;
	job->batch = batch;
	job->run_seed = run_seed;
	job->seed = mp_exp_seed(run_seed, batch->id, batch->replicate);
	err = check_spans(&batch->exp);
	if (!err)
		err = make_cores(job, room);
	if (!err) {
		err = measure(job);
		mp_sim_cores_free(&job->cores);
	}
	free(job);
	return err;
}
