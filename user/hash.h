/* SPDX-License-Identifier: GPL-2.0 */
/* One hash for ids and for checksums: FNV-1a, 64 bits. */
#ifndef MP_HASH_H
#define MP_HASH_H

#include <stddef.h>
#include <stdint.h>

#define MP_HASH_START 0xcbf29ce484222325ull

/**
 * mp_hash_bytes() - go on with a hash
 * @hash: MP_HASH_START, or what an earlier call returned
 * @data: bytes
 * @n: how many
 *
 * Every step is a bijection of the state, so a change of a single byte
 * always changes the result.
 */
static inline uint64_t mp_hash_bytes(uint64_t hash, const void *data, size_t n)
{
	const unsigned char *byte = data;

	for (size_t i = 0; i < n; i++) {
		hash ^= byte[i];
		hash *= 0x100000001b3ull;
	}
	return hash;
}

#endif
