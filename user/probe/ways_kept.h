/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_WAYS_KEPT_H
#define MP_WAYS_KEPT_H

#include "probe/ways_sets.h"

/** mp_ways_choose_kept() - what mp_ways_choose() answers, made once: each round
 * goes through all earlier tests again; not for several threads at a time */
bool mp_ways_choose_kept(const struct mp_ways_sets *sets, double finest,
			 bool with_flushed, const struct mp_ways_test *done,
			 uint32_t n_done, struct mp_ways_test *test);

#endif
