// SPDX-License-Identifier: GPL-2.0
/*
 * Claims from CPUID: caches from the deterministic leaves (Intel 4, AMD
 * 0x8000001D; Intel SDM vol. 2A "CPUID", AMD APM vol. 3 appendix E), TLBs
 * from Intel leaf 0x18, before that leaf 2, and from AMD 0x80000005 and
 * 0x80000006. The leaves are read through a function, so that tests can
 * speak for any CPU. AMD leaf 0x80000019 tells of 1 GiB pages only, about
 * which there is no fact, and is not read.
 */
#include "machine_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SOURCE "cpuid"

#define LEAF_HYPERVISOR 0x40000000u
#define LEAF_AMD_L1 0x80000005u
#define LEAF_AMD_L2 0x80000006u
#define LEAF_AMD_CACHES 0x8000001du

/* A CPU has a handful of caches and of TLBs; more is a reader gone wrong. */
#define SUBLEAVES_MAX 32u

enum vendor { VENDOR_OTHER, VENDOR_INTEL, VENDOR_AMD };

/* Leaf 2: one byte, one TLB that serves loads from 4 KiB pages. */
struct tlb_byte {
	uint8_t byte;
	uint8_t level;
	uint16_t entries;
};

/* Intel SDM vol. 2A, table "Encoding of CPUID Leaf 2 Descriptors". */
static const struct tlb_byte tlb_bytes[] = {
	{ 0x03, 1, 64 },   { 0x57, 1, 16 },   { 0x59, 1, 16 },
	{ 0x5b, 1, 64 },   { 0x5c, 1, 128 },  { 0x5d, 1, 256 },
	{ 0x64, 1, 512 },  { 0x6b, 1, 256 },  { 0xa0, 1, 32 },
	{ 0xb3, 1, 128 },  { 0xb4, 1, 256 },  { 0xba, 1, 64 },
	{ 0xc0, 1, 8 },    { 0xc2, 1, 16 },   { 0xc1, 2, 1024 },
	{ 0xc3, 2, 1536 }, { 0xca, 2, 512 },
};

/* AMD 0x80000006: associativity codes; 0 = not there or not said. */
static const uint16_t amd_ways[16] = {
	[1] = 1, [2] = 2, [3] = 3, [4] = 4, [5] = 6, [6] = 8, [8] = 16,
	[10] = 32, [11] = 48, [12] = 64, [13] = 96, [14] = 128,
};

static uint32_t bits(uint32_t word, unsigned int high, unsigned int low)
{
	return (word >> low) & (uint32_t)((1ull << (high - low + 1)) - 1);
}

static uint32_t last_leaf(mp_cpuid_read_fn read, void *ctx, uint32_t base)
{
	struct mp_cpuid r;

	if (!read(ctx, base, 0, &r))
		return 0;
	return r.eax;
}

static bool read_leaf(mp_cpuid_read_fn read, void *ctx, uint32_t leaf,
		      uint32_t subleaf, struct mp_cpuid *r)
{
	uint32_t base = leaf & 0xc0000000u;
	uint32_t last = last_leaf(read, ctx, base);

	/* The base leaf of a range that is not there answers anything. */
	if (last < leaf || last - base > 0xffffu)
		return false;
	return read(ctx, leaf, subleaf, r);
}

static void vendor_text(mp_cpuid_read_fn read, void *ctx, char text[13])
{
	struct mp_cpuid r = { 0 };

	read(ctx, 0, 0, &r);
	memcpy(text, &r.ebx, 4);
	memcpy(text + 4, &r.edx, 4);
	memcpy(text + 8, &r.ecx, 4);
	text[12] = '\0';
}

static enum vendor vendor_of(mp_cpuid_read_fn read, void *ctx)
{
	char text[13];

	vendor_text(read, ctx, text);
	if (strcmp(text, "GenuineIntel") == 0)
		return VENDOR_INTEL;
	if (strcmp(text, "AuthenticAMD") == 0 ||
	    strcmp(text, "HygonGenuine") == 0)
		return VENDOR_AMD;
	return VENDOR_OTHER;
}

/* Leaf 4 and 0x8000001D share one layout. Returns whether any was there. */
static bool caches(struct mp_host *host, mp_cpuid_read_fn read, void *ctx,
		   uint32_t leaf)
{
	struct mp_cpuid r;
	bool any = false;

	for (uint32_t i = 0; i < SUBLEAVES_MAX; i++) {
		struct mp_cache_claim cache = { 0 };
		uint64_t parts;

		if (!read_leaf(read, ctx, leaf, i, &r))
			break;
		if (bits(r.eax, 4, 0) == 0)
			break;
		/* 1 data, 2 instruction, 3 unified */
		if (bits(r.eax, 4, 0) == 2)
			continue;
		parts = bits(r.ebx, 21, 12) + 1;
		cache.level = bits(r.eax, 7, 5);
		cache.ways = bits(r.ebx, 31, 22) + 1;
		cache.line_bytes = bits(r.ebx, 11, 0) + 1;
		cache.size_bytes = parts * cache.ways * cache.line_bytes *
				   ((uint64_t)r.ecx + 1);
		mp_claim_cache(host, &cache, SOURCE);
		any = true;
	}
	return any;
}

/* Before 0x8000001D: AMD APM vol. 3, E.4.4 and E.4.5. */
static void amd_old_caches(struct mp_host *host, mp_cpuid_read_fn read,
			   void *ctx)
{
	struct mp_cache_claim cache = { 0 };
	struct mp_cpuid r;
	uint32_t ways;

	if (read_leaf(read, ctx, LEAF_AMD_L1, 0, &r)) {
		ways = bits(r.ecx, 23, 16);
		cache.level = 1;
		cache.size_bytes = (uint64_t)bits(r.ecx, 31, 24) << 10;
		cache.line_bytes = bits(r.ecx, 7, 0);
		if (ways == 0xff && cache.line_bytes)
			ways = cache.size_bytes / cache.line_bytes;
		cache.ways = ways;
		mp_claim_cache(host, &cache, SOURCE);
	}
	if (!read_leaf(read, ctx, LEAF_AMD_L2, 0, &r))
		return;
	cache.level = 2;
	cache.size_bytes = (uint64_t)bits(r.ecx, 31, 16) << 10;
	cache.line_bytes = bits(r.ecx, 7, 0);
	cache.ways = amd_ways[bits(r.ecx, 15, 12)];
	if (bits(r.ecx, 15, 12))
		mp_claim_cache(host, &cache, SOURCE);
	cache.level = 3;
	cache.size_bytes = (uint64_t)bits(r.edx, 31, 18) << 19;
	cache.line_bytes = bits(r.edx, 7, 0);
	cache.ways = amd_ways[bits(r.edx, 15, 12)];
	if (bits(r.edx, 15, 12))
		mp_claim_cache(host, &cache, SOURCE);
}

static void claim_tlb(struct mp_host *host, uint32_t level, uint64_t entries)
{
	if (entries == 0)
		return;
	if (level == 1)
		mp_claim_once(host, "cpu.dtlb.entries", (double)entries, SOURCE);
	else if (level == 2)
		mp_claim_once(host, "cpu.stlb.entries", (double)entries, SOURCE);
}

static void amd_tlbs(struct mp_host *host, mp_cpuid_read_fn read, void *ctx)
{
	struct mp_cpuid r;

	if (read_leaf(read, ctx, LEAF_AMD_L1, 0, &r))
		claim_tlb(host, 1, bits(r.ebx, 23, 16));
	/* Associativity code 0: switched off. */
	if (read_leaf(read, ctx, LEAF_AMD_L2, 0, &r) && bits(r.ebx, 31, 28))
		claim_tlb(host, 2, bits(r.ebx, 27, 16));
}

/*
 * Leaf 0x18. Structures of one level that hold 4 KiB translations of loads
 * add up: some CPUs describe one second level as two halves, each for other
 * large pages.
 */
static bool intel_tlbs(struct mp_host *host, mp_cpuid_read_fn read, void *ctx)
{
	uint64_t entries[3] = { 0 };
	struct mp_cpuid r;
	uint32_t last = 0;

	for (uint32_t i = 0; i <= last && i < SUBLEAVES_MAX; i++) {
		uint32_t type, level;

		if (!read_leaf(read, ctx, 0x18, i, &r))
			break;
		if (i == 0)
			last = r.eax;
		type = bits(r.edx, 4, 0);
		level = bits(r.edx, 7, 5);
		/* 1 data, 3 unified, 4 loads only; 2 and 5: no loads of data */
		if (type != 1 && type != 3 && type != 4)
			continue;
		if (!(r.ebx & 1) || level == 0 || level > 2)
			continue;
		entries[level] += (uint64_t)bits(r.ebx, 31, 16) * r.ecx;
	}
	claim_tlb(host, 1, entries[1]);
	claim_tlb(host, 2, entries[2]);
	return entries[1] || entries[2];
}

static void intel_tlb_byte(struct mp_host *host, uint8_t byte)
{
	for (size_t i = 0; i < sizeof(tlb_bytes) / sizeof(tlb_bytes[0]); i++)
		if (tlb_bytes[i].byte == byte)
			claim_tlb(host, tlb_bytes[i].level,
				  tlb_bytes[i].entries);
}

static void intel_old_tlbs(struct mp_host *host, mp_cpuid_read_fn read,
			   void *ctx)
{
	struct mp_cpuid r;
	uint32_t word[4];

	if (!read_leaf(read, ctx, 2, 0, &r))
		return;
	word[0] = r.eax & ~0xffu;	/* its low byte is a count */
	word[1] = r.ebx;
	word[2] = r.ecx;
	word[3] = r.edx;
	for (unsigned int i = 0; i < 4; i++) {
		if (word[i] & 0x80000000u)
			continue;
		for (unsigned int shift = 0; shift < 32; shift += 8)
			intel_tlb_byte(host, (uint8_t)(word[i] >> shift));
	}
}

void mp_cpuid_claims(struct mp_host *host, mp_cpuid_read_fn read, void *ctx)
{
	switch (vendor_of(read, ctx)) {
	case VENDOR_AMD:
		if (!caches(host, read, ctx, LEAF_AMD_CACHES))
			amd_old_caches(host, read, ctx);
		amd_tlbs(host, read, ctx);
		break;
	case VENDOR_INTEL:
		caches(host, read, ctx, 4);
		if (!intel_tlbs(host, read, ctx))
			intel_old_tlbs(host, read, ctx);
		break;
	case VENDOR_OTHER:
		caches(host, read, ctx, 4);
		break;
	}
}

/* Intel SDM: the extended fields count for families 6 and 15 only. */
int mp_cpuid_model(mp_cpuid_read_fn read, void *ctx, char *text, size_t room)
{
	uint32_t family, model;
	struct mp_cpuid r;
	char vendor[13];

	if (!read_leaf(read, ctx, 1, 0, &r))
		return -ENODATA;
	vendor_text(read, ctx, vendor);
	family = bits(r.eax, 11, 8);
	model = bits(r.eax, 7, 4);
	if (family == 6 || family == 15)
		model |= bits(r.eax, 19, 16) << 4;
	if (family == 15)
		family += bits(r.eax, 27, 20);
	snprintf(text, room, "%s family %u model %u", vendor, family, model);
	return 0;
}

int mp_cpuid_hypervisor(mp_cpuid_read_fn read, void *ctx, char *text,
			size_t room)
{
	struct mp_cpuid r;
	char name[13] = "";

	if (!read_leaf(read, ctx, 1, 0, &r) || !(r.ecx & 0x80000000u))
		return -ENODATA;
	if (read(ctx, LEAF_HYPERVISOR, 0, &r) && r.ebx) {
		memcpy(name, &r.ebx, 4);
		memcpy(name + 4, &r.ecx, 4);
		memcpy(name + 8, &r.edx, 4);
	}
	for (char *c = name; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	snprintf(text, room, "%s", name[0] ? name : "unnamed");
	return 0;
}

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

static bool native(void *ctx, uint32_t leaf, uint32_t subleaf,
		   struct mp_cpuid *out)
{
	(void)ctx;
	memset(out, 0, sizeof(*out));
	__cpuid_count(leaf, subleaf, out->eax, out->ebx, out->ecx, out->edx);
	return true;
}

mp_cpuid_read_fn mp_cpuid_native(void)
{
	return native;
}

#else

mp_cpuid_read_fn mp_cpuid_native(void)
{
	return NULL;
}

#endif
