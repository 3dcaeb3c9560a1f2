/* SPDX-License-Identifier: GPL-2.0 */
/*
 * After how many bytes the sets of a level begin anew, by what of a ring in
 * random order misses it, and how many lines they hold.
 */
#ifndef MP_WAYS_COMB_H
#define MP_WAYS_COMB_H

#include "probe/ways_test.h"

/** enum mp_ways_comb_outcome - what rings say */
enum mp_ways_comb_outcome {
	MP_WAYS_COMB_LACKING,	/* one of them has to be walked */
	MP_WAYS_COMB_NONE,	/* nothing, or no */
	MP_WAYS_COMB_FOUND,
};

/**
 * struct mp_ways_comb - the period of a level's misses
 * @outcome: of the last question
 * @bytes: the period, known to one line
 * @lines: of a set that the ring had which showed it, at least
 * @id: of the last experiment that was looked at
 * @lacks, @replicates: length of the ring that is lacking, and how often
 */
struct mp_ways_comb {
	enum mp_ways_comb_outcome outcome;
	uint64_t bytes;
	uint32_t lines;
	uint64_t id;
	uint64_t lacks;
	uint32_t replicates;
};

/**
 * mp_ways_comb_look() - after how many bytes do the sets begin anew?
 * @rig: hops of its level have to be timed singly
 * Return: 0 or -ENOMEM.
 */
int mp_ways_comb_look(const struct mp_ways_rig *rig, struct mp_ways_comb *comb);

/**
 * mp_ways_comb_prove() - do sets hold so many lines, and no more?
 * @ways: at most MP_WAYS_MAX
 * @comb: whose period has been found
 * Return: 0 or -ENOMEM.
 */
int mp_ways_comb_prove(const struct mp_ways_rig *rig, uint32_t ways,
		       struct mp_ways_comb *comb);

/** mp_ways_comb_plan() - want the ring that is lacking; -ENOMEM */
int mp_ways_comb_plan(const struct mp_ways_rig *rig,
		      const struct mp_ways_comb *comb, struct mp_plan *plan);

#endif
