// SPDX-License-Identifier: GPL-2.0
/* A ring in a machine that a test describes. */
#include "made_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "made_machine.h"
#include "perm.h"

#define ORDER_SEED 3
#define SEED 4

const char *const made_inclusions[MADE_INCLUSIONS] = {
	"non-inclusive", "inclusive", "exclusive"
};

const char *const made_trios[MADE_TRIOS][3] = {
	{ "lru", "lru", "lru" },
	{ "tree-plru", "fifo", "random" },
	{ "bit-plru", "srrip", "qlru_h11_m1_r0_u0" },
	{ "random", "lru", "random" },
	{ "fifo", "qlru_h00_m2_r1_u1_umo", "nru" },
	{ "srrip", "qlru_h21_m3_r2_u3", "tree-plru" },
	{ "nru", "qlru_h11_mr2_r1_u0", "bit-plru" },
};

void made_cores(struct mp_sim_machine *machine, struct mp_sim_cores *cores,
		const char *text, uint64_t bytes)
{
	const struct mp_sim_want want = {
		.n_arenas = 1,
		.bytes = { bytes },
		.n_cpus = 1,
		.seed = SEED,
	};

	made_machine(machine, text);
	assert_int_equal(mp_sim_cores_init(cores, machine, &want), 0);
}

void made_ring(struct made_ring *made, const char *text, uint64_t bytes,
	       uint64_t stride, uint64_t window)
{
	const struct mp_ring shape = {
		.length_bytes = bytes,
		.stride_bytes = stride,
	};
	struct mp_rng rng;

	made_cores(&made->machine, &made->cores, text, bytes);
	made->slots = mp_ring_slots(&shape);
	made->order = malloc(made->slots * sizeof(*made->order));
	assert_non_null(made->order);
	mp_rng_seed(&rng, ORDER_SEED);
	mp_perm_order(made->order, made->slots, (uint32_t)window, &rng);
	mp_sim_ring_lay(&made->ring, &made->cores, &made->cores.memory[0],
			&shape, 0, made->order);
}

void made_ring_free(struct made_ring *made)
{
	mp_sim_ring_free(&made->ring);
	mp_sim_cores_free(&made->cores);
	mp_sim_machine_free(&made->machine);
	free(made->order);
}
