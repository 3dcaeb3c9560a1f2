// SPDX-License-Identifier: GPL-2.0
/* CPUID: leaves of CPUs of each kind, as tables. */
#include "machine_source.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* A leaf and what it answers; the end is a row of leaf END. */
#define END 0xffffffffu
struct leaf {
	uint32_t leaf;
	uint32_t subleaf;
	struct mp_cpuid r;
};

/* Leaf 4: type and level; ways, line; sets. */
#define CACHE_A(type, level) ((type) | (level) << 5)
#define CACHE_B(ways, line) (((uint32_t)(ways) - 1) << 22 | ((line) - 1))

/* Leaf 0x18: 4 KiB pages and ways; type and level. */
#define TLB_B(ways) ((uint32_t)(ways) << 16 | 1)
#define TLB_D(type, level) ((type) | (level) << 5)


static bool answer(void *ctx, uint32_t leaf, uint32_t subleaf,
		   struct mp_cpuid *out)
{
	memset(out, 0, sizeof(*out));
	for (const struct leaf *row = ctx; row->leaf != END; row++) {
		if (row->leaf == leaf && row->subleaf == subleaf) {
			*out = row->r;
			return true;
		}
	}
	return true;
}

static void claims_of(const struct leaf *leaves, struct mp_host *host)
{
	memset(host, 0, sizeof(*host));
	mp_cpuid_claims(host, answer, (void *)leaves);
}

static void claims(const struct mp_host *host, const char *fact, double value)
{
	for (uint32_t i = 0; i < host->n_claims; i++) {
		if (strcmp(host->claim[i].fact, fact) != 0)
			continue;
		if (host->claim[i].value != value)
			fail_msg("%s is %.0f, not %.0f", fact,
				 host->claim[i].value, value);
		assert_string_equal(host->claim[i].source, "cpuid");
		return;
	}
	fail_msg("%s is not claimed", fact);
}

static void silent(const struct mp_host *host, const char *fact)
{
	for (uint32_t i = 0; i < host->n_claims; i++)
		if (strcmp(host->claim[i].fact, fact) == 0)
			fail_msg("%s is claimed", fact);
}

/* A large-core server part that declares an absurd last level. */
static const struct leaf intel_new[] = {
	{ 0, 0, { 0x1f, 0x756e6547, 0x6c65746e, 0x49656e69 } },
	{ 1, 0, { 0x000a0671, 0, 0x80000000, 0 } },
	{ 4, 0, { CACHE_A(1, 1), CACHE_B(12, 64), 63, 0 } },
	{ 4, 1, { CACHE_A(2, 1), CACHE_B(16, 64), 63, 0 } },
	{ 4, 2, { CACHE_A(3, 2), CACHE_B(16, 64), 2047, 0 } },
	{ 4, 3, { CACHE_A(3, 3), CACHE_B(16, 64), 491519, 0 } },
	{ 0x18, 0, { 5, 0, 0, 0 } },
	{ 0x18, 1, { 0, TLB_B(8), 32, TLB_D(2, 1) } },	/* instructions */
	{ 0x18, 2, { 0, TLB_B(96), 1, TLB_D(4, 1) } },	/* loads */
	{ 0x18, 3, { 0, TLB_B(16), 1, TLB_D(5, 1) } },	/* stores */
	{ 0x18, 4, { 0, TLB_B(8), 128, TLB_D(3, 2) } },
	{ 0x18, 5, { 0, TLB_B(8), 128, TLB_D(3, 2) } },
	{ 0x40000000, 0, { 0, 0x4b4d564b, 0x564b4d56, 0x4d } },
	{ END, 0, { 0, 0, 0, 0 } },
};

/* A part from before leaf 0x18. */
static const struct leaf intel_old[] = {
	{ 0, 0, { 0x16, 0x756e6547, 0x6c65746e, 0x49656e69 } },
	{ 1, 0, { 0x000506e3, 0, 0, 0 } },
	{ 2, 0, { 0x76036301, 0x00f0b5ff, 0, 0x00c30000 } },
	{ 4, 0, { CACHE_A(1, 1), CACHE_B(8, 64), 63, 0 } },
	{ END, 0, { 0, 0, 0, 0 } },
};

static const struct leaf amd_new[] = {
	{ 0, 0, { 0x10, 0x68747541, 0x444d4163, 0x69746e65 } },
	{ 1, 0, { 0x00a10f11, 0, 0, 0 } },
	/* AMD has no leaf 4: it answers nothing */
	{ 0x80000000, 0, { 0x80000028, 0, 0, 0 } },
	{ 0x80000005, 0, { 0, 0xff48ff40, 0x20080140, 0x20080140 } },
	{ 0x80000006, 0, { 0, 0x6c006200, 0x04006140, 0x00409140 } },
	{ 0x8000001d, 0, { CACHE_A(1, 1), CACHE_B(8, 64), 63, 0 } },
	{ 0x8000001d, 1, { CACHE_A(2, 1), CACHE_B(8, 64), 63, 0 } },
	{ 0x8000001d, 2, { CACHE_A(3, 2), CACHE_B(8, 64), 2047, 0 } },
	{ 0x8000001d, 3, { CACHE_A(3, 3), CACHE_B(16, 64), 32767, 0 } },
	{ END, 0, { 0, 0, 0, 0 } },
};

/* One without the topology extension: the older leaves have to do. */
static const struct leaf amd_old[] = {
	{ 0, 0, { 0x6, 0x68747541, 0x444d4163, 0x69746e65 } },
	{ 1, 0, { 0x00100f43, 0, 0, 0 } },
	{ 0x80000000, 0, { 0x80000008, 0, 0, 0 } },
	{ 0x80000005, 0, { 0, 0xff30ff20, 0x40020140, 0 } },
	{ 0x80000006, 0, { 0, 0x42004200, 0x02008140, 0x0030b140 } },
	{ END, 0, { 0, 0, 0, 0 } },
};

/* The same with its second-level TLB and its last level switched off. */
static const struct leaf amd_off[] = {
	{ 0, 0, { 0x6, 0x68747541, 0x444d4163, 0x69746e65 } },
	{ 0x80000000, 0, { 0x80000008, 0, 0, 0 } },
	{ 0x80000005, 0, { 0, 0, 0x40ff0140, 0 } },
	{ 0x80000006, 0, { 0, 0x02000200, 0x02000140, 0 } },
	{ END, 0, { 0, 0, 0, 0 } },
};

static const struct leaf nothing[] = { { END, 0, { 0, 0, 0, 0 } } };

static void leaf_4_gives_sizes_lines_and_ways_of_data_caches(void **state)
{
	struct mp_host host;

	(void)state;
	claims_of(intel_new, &host);
	claims(&host, "cpu.l1d.size", 48 * 1024);
	claims(&host, "cpu.l1d.ways", 12);
	claims(&host, "cpu.l1d.line", 64);
	claims(&host, "cpu.l2.size", 2 << 20);
	claims(&host, "cpu.l3.size", 480.0 * 1048576);
	claims(&host, "cpu.l3.ways", 16);
}

static void leaf_18_counts_load_tlbs_and_adds_halves_of_one_level(void **state)
{
	struct mp_host host;

	(void)state;
	claims_of(intel_new, &host);
	claims(&host, "cpu.dtlb.entries", 96);
	claims(&host, "cpu.stlb.entries", 2048);
}

static void leaf_2_speaks_where_leaf_18_does_not(void **state)
{
	struct mp_host host;

	(void)state;
	claims_of(intel_old, &host);
	claims(&host, "cpu.dtlb.entries", 64);
	claims(&host, "cpu.stlb.entries", 1536);
}

static void amd_leaves_give_caches_and_tlbs(void **state)
{
	struct mp_host host;

	(void)state;
	claims_of(amd_new, &host);
	claims(&host, "cpu.l1d.size", 32 * 1024);
	claims(&host, "cpu.l2.size", 1 << 20);
	claims(&host, "cpu.l2.ways", 8);
	claims(&host, "cpu.l3.size", 32 << 20);
	claims(&host, "cpu.dtlb.entries", 72);
	claims(&host, "cpu.stlb.entries", 3072);
}

static void older_amd_leaves_do_where_newer_are_missing(void **state)
{
	struct mp_host host;

	(void)state;
	claims_of(amd_old, &host);
	claims(&host, "cpu.l1d.size", 64 * 1024);
	claims(&host, "cpu.l1d.ways", 2);
	claims(&host, "cpu.l2.size", 512 * 1024);
	claims(&host, "cpu.l2.ways", 16);
	claims(&host, "cpu.l3.size", 6 << 20);
	claims(&host, "cpu.l3.ways", 48);
	claims(&host, "cpu.dtlb.entries", 48);
	claims(&host, "cpu.stlb.entries", 512);
}

static void what_is_switched_off_or_unsaid_is_left_out(void **state)
{
	struct mp_host host;

	(void)state;
	claims_of(amd_off, &host);
	claims(&host, "cpu.l1d.ways", 1024);	/* fully associative */
	silent(&host, "cpu.l2.size");
	silent(&host, "cpu.l3.size");
	silent(&host, "cpu.dtlb.entries");
	silent(&host, "cpu.stlb.entries");
	claims_of(nothing, &host);
	assert_int_equal(host.n_claims, 0);
}

static void a_claim_that_is_there_already_stays(void **state)
{
	struct mp_host host = { 0 };

	(void)state;
	mp_host_claim(&host, "cpu.l1d.size", 1, "cpuid");
	mp_cpuid_claims(&host, answer, (void *)intel_new);
	claims(&host, "cpu.l1d.size", 1);
}

static void a_model_is_vendor_family_and_model(void **state)
{
	char text[64];

	(void)state;
	assert_int_equal(mp_cpuid_model(answer, (void *)intel_new, text,
					sizeof(text)), 0);
	assert_string_equal(text, "GenuineIntel family 6 model 167");
	assert_int_equal(mp_cpuid_model(answer, (void *)amd_new, text,
					sizeof(text)), 0);
	assert_string_equal(text, "AuthenticAMD family 25 model 17");
	assert_int_equal(mp_cpuid_model(answer, (void *)nothing, text,
					sizeof(text)), -ENODATA);
}

static void a_hypervisor_is_named_and_bare_metal_has_none(void **state)
{
	char text[64];

	(void)state;
	assert_int_equal(mp_cpuid_hypervisor(answer, (void *)intel_new, text,
					     sizeof(text)), 0);
	assert_string_equal(text, "KVMKVMKVM");
	assert_int_equal(mp_cpuid_hypervisor(answer, (void *)intel_old, text,
					     sizeof(text)), -ENODATA);
}

/* A reader that answers every leaf with the same word. */
static bool flood(void *ctx, uint32_t leaf, uint32_t subleaf,
		  struct mp_cpuid *out)
{
	const uint32_t word = *(const uint32_t *)ctx;

	(void)subleaf;
	*out = (struct mp_cpuid){ word, word, word, word };
	if (leaf == 0)
		*out = (struct mp_cpuid){ END, 0x756e6547, 0x6c65746e,
					  0x49656e69 };
	return true;
}

static void a_cpu_that_answers_nonsense_ends_too(void **state)
{
	static const uint32_t words[] = { END, 0x7fffffff, 0x21, 0x00000101 };
	struct mp_host host;
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		memset(&host, 0, sizeof(host));
		mp_cpuid_claims(&host, flood, (void *)&words[i]);
		mp_cpuid_hypervisor(flood, (void *)&words[i], text,
				    sizeof(text));
		mp_cpuid_model(flood, (void *)&words[i], text, sizeof(text));
		assert_true(host.n_claims <= MP_HOST_CLAIMS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			leaf_4_gives_sizes_lines_and_ways_of_data_caches),
		cmocka_unit_test(
			leaf_18_counts_load_tlbs_and_adds_halves_of_one_level),
		cmocka_unit_test(leaf_2_speaks_where_leaf_18_does_not),
		cmocka_unit_test(amd_leaves_give_caches_and_tlbs),
		cmocka_unit_test(older_amd_leaves_do_where_newer_are_missing),
		cmocka_unit_test(what_is_switched_off_or_unsaid_is_left_out),
		cmocka_unit_test(a_claim_that_is_there_already_stays),
		cmocka_unit_test(a_model_is_vendor_family_and_model),
		cmocka_unit_test(a_hypervisor_is_named_and_bare_metal_has_none),
		cmocka_unit_test(a_cpu_that_answers_nonsense_ends_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
