// SPDX-License-Identifier: GPL-2.0
/* Rings in kernel memory: one cycle over all slots, and nothing beside them. */
#include "tests.h"

#include <linux/sizes.h>
#include <linux/vmalloc.h>

static void a_ring_that_cannot_be_built_is_refused(struct kunit *test)
{
	static const struct {
		struct mp_ring ring;
		int err;
	} rings[] = {
		{ { 4096, 64, 0, 0 }, 0 },
		{ { 64, 64, 0, 0 }, 0 },
		{ { 8, 8, 0, 0 }, 0 },
		{ { 63, 64, 0, 0 }, -EINVAL },
		{ { 4096, 0, 0, 0 }, -EINVAL },
		{ { 4096, 4, 0, 0 }, -EINVAL },
		{ { 4096, 60, 0, 0 }, -EINVAL },
		{ { 4096, 64, 63, 0 }, -EINVAL },
		{ { 4096, 64, 64, 0 }, 0 },
		{ { 8192, 4096, 0, 4 }, -EINVAL },
		{ { 8192, 4096, 0, 8 }, 0 },
		{ { 8192, 2048, 0, 8 }, -EINVAL },
		{ { 8ull * MP_RING_SLOTS_MAX, 8, 0, 0 }, 0 },
		{ { 8ull * MP_RING_SLOTS_MAX + 8, 8, 0, 0 }, -E2BIG },
		{ { ~0ull, 8, 0, 0 }, -E2BIG },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rings); i++)
		KUNIT_EXPECT_EQ_MSG(test, mp_ring_check(&rings[i].ring),
				    rings[i].err, "ring %u", i);
}

/* Walk @ring in @base: all slots, then the first again. */
static void expect_one_cycle(struct kunit *test, const struct mp_ring *ring,
			     char *base, u32 *order)
{
	const u32 slots = mp_ring_slots(ring);
	void *first, *at;
	struct mp_rng rng;
	u32 i;

	mp_rng_seed(&rng, slots);
	memset(base, 0xff, ring->length_bytes);
	first = mp_ring_link(ring, base, order, &rng);
	at = first;
	for (i = 0; i < slots; i++) {
		KUNIT_ASSERT_PTR_EQ(test, at,
				    (void *)(base + mp_ring_offset(ring,
								   order[i])));
		KUNIT_ASSERT_LE(test, (char *)at - base + (long)sizeof(at),
				(long)ring->length_bytes);
		/* A link that is taken away is not met twice. */
		first = at;
		at = *(void **)at;
		*(void **)first = NULL;
		KUNIT_ASSERT_NOT_NULL(test, at);
	}
	KUNIT_EXPECT_PTR_EQ(test, at,
			    (void *)(base + mp_ring_offset(ring, order[0])));
}

static void a_linked_ring_is_one_cycle_over_all_slots(struct kunit *test)
{
	static const struct mp_ring rings[] = {
		{ SZ_64K, 64, 0, 0 },
		{ SZ_64K - 8, 64, 0, 0 },
		{ SZ_64K, 64, 4096, 0 },
		{ SZ_64K, 64, 4100, 0 },
		{ SZ_64K, 8, 0, 0 },
		{ SZ_64K, SZ_64K, 0, 0 },
		{ SZ_2M, 4096, 0, 64 },
		{ SZ_2M, 4096, SZ_64K, 4088 },
		{ SZ_2M, 4096, 0, 4096 },
		{ SZ_2M, 8192, 0, 8 },
	};
	char *base = vmalloc(SZ_2M);
	u32 *order = vmalloc(sizeof(*order) * SZ_64K / 8);
	u32 i;

	for (i = 0; base && order && i < ARRAY_SIZE(rings); i++)
		expect_one_cycle(test, &rings[i], base, order);
	KUNIT_EXPECT_EQ(test, i, (u32)ARRAY_SIZE(rings));
	vfree(order);
	vfree(base);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_ring_that_cannot_be_built_is_refused),
	KUNIT_CASE(a_linked_ring_is_one_cycle_over_all_slots),
	{}
};

struct kunit_suite mp_ring_suite = {
	.name = "memprobe-ring",
	.test_cases = cases,
};
