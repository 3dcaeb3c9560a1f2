// SPDX-License-Identifier: GPL-2.0
/* Tests of a level's ways that have been made, counted by what came of them. */
#include "probe/ways_done.h"

bool mp_ways_is_done(const struct mp_ways_test *done, uint32_t n,
		     const struct mp_ways_test *test)
{
	for (uint32_t i = 0; i < n; i++)
		if ((done[i].here || !test->here) &&
		    done[i].stride == test->stride &&
		    done[i].lines == test->lines &&
		    done[i].flushed == test->flushed &&
		    done[i].apart == test->apart &&
		    done[i].drive == test->drive)
			return true;
	return false;
}

uint32_t mp_ways_n_kept(const struct mp_ways_test *done, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++)
		kept += done[i].kept && !done[i].here;
	return kept;
}

uint32_t mp_ways_n_vain(const struct mp_ways_test *done, uint32_t n,
			uint64_t stride)
{
	uint32_t vain = 0;

	for (uint32_t i = 0; i < n; i++)
		vain += done[i].here && done[i].kept &&
			(!stride || done[i].stride == stride);
	return vain;
}

uint32_t mp_ways_n_unclear(const struct mp_ways_test *done, uint32_t n,
			   bool driven)
{
	uint32_t unclear = 0;

	for (uint32_t i = 0; i < n; i++)
		unclear += done[i].flushed && done[i].unclear &&
			   (done[i].drive != 0) == driven;
	return unclear;
}

bool mp_ways_is_kept(const struct mp_ways_test *done, uint32_t n,
		     uint64_t drive)
{
	for (uint32_t i = 0; i < n; i++)
		if (done[i].drive == drive && done[i].ring_kept)
			return true;
	return false;
}
