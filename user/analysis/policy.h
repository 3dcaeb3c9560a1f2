/* SPDX-License-Identifier: GPL-2.0 */
/* By which policy does a set choose what goes? */
#ifndef MP_POLICY_H
#define MP_POLICY_H

#include <stddef.h>

#include "analysis/policy_walk.h"

/**
 * struct mp_policy_seen - what was seen of one walk
 * @walk: the walk
 * @hit: of each of its looks in order, the share of times that it hit
 * @error: .. and its standard error; NaN: this look tells nothing
 */
struct mp_policy_seen {
	const struct mp_policy_walk *walk;
	const double *hit;
	const double *error;
};

/** MP_POLICY_LEFT - candidates that a verdict names */
#define MP_POLICY_LEFT 16u

/**
 * struct mp_policy_verdict - what is left
 * @looks: that tell something
 * @classes: those that explain all of it nearly as well as the best one; a
 *	bit each. 0: none of those known here does
 * @contradicted: looks that the best candidate says the contrary of
 * @best: the best candidate
 * @apart: by how much the best of another class is worse, in natural units of
 *	log likelihood; where that is not in @classes
 * @dispersion: looks are off by so much more than errors explain; 1, or more: of
 *	costs it takes that many times as much to tell candidates apart
 * @n_left, @left: candidates of @classes that are not of the best one's, or the
 *	first of them
 */
struct mp_policy_verdict {
	uint32_t looks;
	uint32_t classes;
	uint32_t contradicted;
	struct mp_policy best;
	double apart;
	double dispersion;
	uint32_t n_left;
	struct mp_policy left[MP_POLICY_LEFT];
};

/** mp_policy_looks() - looks of a walk */
uint32_t mp_policy_looks(const struct mp_policy_walk *walk);

/**
 * mp_policy_judge() - which classes of policy explain what was seen?
 * @seen: walks over sets of the same ways, in the order of their making
 * @n: how many
 * @verdict: gets the answer
 * Return: 0; -ENODATA: nothing was seen; -ENOMEM.
 */
int mp_policy_judge(const struct mp_policy_seen *seen, uint32_t n,
		    struct mp_policy_verdict *verdict);

/** mp_policy_tells() - at how many looks of a walk the best candidate and those
 * left say the contrary of each other, of each no more than so many as it
 * takes to rule one out */
uint32_t mp_policy_tells(const struct mp_policy_verdict *verdict,
			 const struct mp_policy_walk *walk);

/** mp_policy_classes_print() - "lru or plru" */
void mp_policy_classes_print(uint32_t classes, char *text, size_t room);

#endif
