// SPDX-License-Identifier: GPL-2.0
/*
 * How fast the simulator is: hops a second through machines of several
 * kinds, none of them summed up, and what a small batch costs in a machine
 * with a large level. Ratios within one run say more than its numbers.
 *
 *	build/sim-hops [MILLISECONDS each]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "backend/sim_chase.h"
#include "backend/sim_honour.h"
#include "backend/sim_ring.h"
#include "perm.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define KIB 1024ull
#define MIB (KIB * KIB)
#define HOPS 65536u
#define TRIES 5
#define MS_DEFAULT 200.0
#define WHY 256

#define LEVELS(policy, inclusion) \
	"level name=l1d size=32K ways=8 latency=4 policy=" policy "\n" \
	"level name=l2 size=512K ways=8 latency=14 policy=" policy "\n" \
	"level name=l3 size=4M ways=16 latency=50 policy=" policy \
	" inclusion=" inclusion "\n"
#define TLBS \
	"tlb level=1 page=4K entries=64 ways=4\n" \
	"tlb level=2 page=4K entries=1536 ways=12 cost=7\n" \
	"walk cost=30\n"

static const struct {
	const char *name;
	const char *text;
	uint64_t bytes;
} rows[] = {
	{ "lru, tlb", LEVELS("lru", "non-inclusive") TLBS, 2 * MIB },
	{ "lru, no tlb", LEVELS("lru", "non-inclusive"), 2 * MIB },
	{ "lru, 64 MiB", LEVELS("lru", "non-inclusive") TLBS, 64 * MIB },
	{ "lru, 16 KiB", LEVELS("lru", "non-inclusive") TLBS, 16 * KIB },
	{ "tree-plru", LEVELS("tree-plru", "non-inclusive") TLBS, 2 * MIB },
	{ "bit-plru", LEVELS("bit-plru", "non-inclusive") TLBS, 2 * MIB },
	{ "srrip", LEVELS("srrip", "non-inclusive") TLBS, 2 * MIB },
	{ "qlru", LEVELS("qlru_h11_m1_r0_u0", "non-inclusive") TLBS, 2 * MIB },
	{ "random", LEVELS("random", "non-inclusive") TLBS, 2 * MIB },
	{ "adjacent", LEVELS("lru", "non-inclusive") TLBS
	  "prefetch kind=adjacent into=l2\n", 2 * MIB },
	{ "stream", LEVELS("lru", "non-inclusive") TLBS
	  "prefetch kind=stream into=l2\n", 2 * MIB },
	{ "inclusive", LEVELS("lru", "inclusive") TLBS, 2 * MIB },
	{ "exclusive", LEVELS("lru", "exclusive") TLBS, 2 * MIB },
};

static const char large[] =
	"machine name=large\n"
	"level name=l1d size=32K ways=8 latency=4\n"
	"level name=l2 size=1M ways=8 latency=14\n"
	"level name=l3 size=32M ways=16 latency=50\n" TLBS;

/* Time that this process had a CPU: others do not show in it. */
static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void fail(const char *what)
{
	fprintf(stderr, "sim-hops: %s\n", what);
	exit(1);
}

static void parse(struct mp_sim_machine *machine, const char *text)
{
	char why[WHY];

	if (mp_sim_machine_parse(machine, text, "row", why, sizeof(why)) ||
	    mp_sim_honour(machine, "row", why, sizeof(why)))
		fail(why);
}

/* Million hops a second, the best of a few stretches. */
static double time_hops(struct mp_sim_ring *ring, double ms)
{
	double best = 0;

	for (uint32_t i = 0; i < TRIES; i++) {
		const double start = now_ms();
		double hops = 0, spent;

		do {
			mp_sim_ring_hops(ring, HOPS);
			hops += HOPS;
			spent = now_ms() - start;
		} while (spent < ms / TRIES);
		if (hops / spent > best)
			best = hops / spent;
	}
	return best * 1e-3;
}

static double measure(const char *text, uint64_t bytes, double ms)
{
	const struct mp_ring shape = { .length_bytes = bytes,
				       .stride_bytes = 64 };
	const struct mp_sim_want want = { .n_arenas = 1, .bytes = { bytes },
					  .n_cpus = 1, .seed = 1 };
	uint32_t *order = malloc(mp_ring_slots(&shape) * sizeof(*order));
	struct mp_sim_machine machine;
	struct mp_sim_cores *cores = malloc(sizeof(*cores));
	struct mp_sim_ring ring;
	struct mp_rng rng;
	double mhops;

	parse(&machine, text);
	if (!order || !cores || mp_sim_cores_init(cores, &machine, &want))
		fail("out of memory");
	mp_rng_seed(&rng, 1);
	mp_perm_order(order, mp_ring_slots(&shape), 0, &rng);
	mp_sim_ring_lay(&ring, cores, &cores->memory[0], &shape, 0, order);
	ring.in_turn = true;
	time_hops(&ring, ms / 10);
	mhops = time_hops(&ring, ms);
	mp_sim_ring_free(&ring);
	mp_sim_cores_free(cores);
	mp_sim_machine_free(&machine);
	free(cores);
	free(order);
	return mhops;
}

/* Microseconds of a batch that is hardly more than its beginning. */
static double time_batches(uint64_t bytes, double ms)
{
	const double start = now_ms();
	struct mp_sim_machine machine;
	struct mp_sim_room room = { 0 };
	struct mp_batch batch;
	struct mp_exp exp;
	double spent;
	uint32_t n = 0;

	parse(&machine, large);
	mp_exp_chase(&exp, 0, MP_PAGES_4K, bytes, 64, 0);
	exp.actor[0].hops = 64;
	exp.actor[0].bursts = 1;
	do {
		mp_batch_init(&batch, &exp, n++);
		if (mp_sim_chase(&machine, 1, &room, &batch))
			fail("a batch failed");
		mp_batch_free(&batch);
		spent = now_ms() - start;
	} while (spent < ms);
	mp_sim_room_free(&room);
	mp_sim_machine_free(&machine);
	return spent * 1e3 / n;
}

int main(int argc, char **argv)
{
	const double ms = argc > 1 ? strtod(argv[1], NULL) : MS_DEFAULT;
	static const uint64_t sizes[] = { 16 * KIB, 256 * KIB, 4 * MIB };
	double first = 0;

	printf("%-14s %8s %8s\n", "machine", "Mhops/s", "ratio");
	for (size_t i = 0; i < COUNT(rows); i++) {
		const double mhops = measure(rows[i].text, rows[i].bytes, ms);

		if (!i)
			first = mhops;
		printf("%-14s %8.1f %8.2f\n", rows[i].name, mhops,
		       mhops / first);
	}
	printf("\na batch of 64 hops, last level of 32 MiB\n");
	for (size_t i = 0; i < COUNT(sizes); i++)
		printf("%8llu KiB %8.1f us\n",
		       (unsigned long long)(sizes[i] / KIB),
		       time_batches(sizes[i], ms));
	return 0;
}
