// SPDX-License-Identifier: GPL-2.0
/*
 * The rounds of two walks of cpu_hot_shape.h, with H in the innermost level and R
 * longer than the last one. A level that includes the innermost has all lines
 * that are there: it loses one of H about once each time that it is driven
 * through, and takes it along; and what it keeps in spite of the drive it serves
 * when H is put out of the innermost level.
 */
#include "probe/cpu_spared.h"

#include <errno.h>
#include <math.h>

#include "probe/cpu_hot_back.h"
#include "probe/cpu_hot_shape.h"

#define REPLICATES 3u
/* Losses of a line for each time that the last level was driven through; an
 * inclusive level makes it one, and a smaller one more. */
#define STAYS MP_CPU_HOT_STAYS
/* Of what is put out in the end so much comes from memory. */
#define GONE 0.5

static const enum mp_cpu_hot_kind kinds[] = {
	MP_CPU_HOT_DRIVEN, MP_CPU_HOT_CONTROL,
};

int mp_cpu_spared_plan(const struct mp_view *view, struct mp_plan *plan)
{
	struct mp_cpu_hot_shape shape;
	struct mp_cpu_edges edges;
	struct mp_exp exp;
	int err = mp_cpu_edges_find(view, &edges);

	if (err)
		return err == -ENODATA ? 0 : err;
	if (!mp_cpu_hot_shape_all(view, &edges, &shape)) {
		for (uint32_t i = 0; i < 2 && !err; i++) {
			mp_cpu_hot_exp(view, &shape, kinds[i], &exp);
			err = mp_plan_add(plan, &exp, REPLICATES);
		}
	}
	mp_cpu_edges_free(&edges);
	return err;
}

static int count(const struct mp_view *view, uint64_t id, uint32_t *n)
{
	double mean;

	return mp_cpu_hot_mean(view, id, MP_CPU_HOT_T, INFINITY, &mean, n);
}

static void weigh(const struct mp_view *view, const struct mp_cpu_edges *edges,
		  const struct mp_cpu_hot_shape *shape,
		  struct mp_cpu_spared *spared)
{
	const struct mp_spectrum *at = &edges->spectrum;
	const uint32_t last = edges->n - 1;
	const uint64_t driven = spared->id[0], control = spared->id[1];

	spared->lost = mp_cpu_hot_missed(view, driven, MP_CPU_HOT_H, at, 0) *
		       edges->edge[last].high / (double)shape->chunk;
	spared->left = fmin(mp_cpu_hot_missed(view, driven, MP_CPU_HOT_T, at, 0),
			    mp_cpu_hot_missed(view, control, MP_CPU_HOT_T, at, 0));
	spared->gone = mp_cpu_hot_missed(view, driven, MP_CPU_HOT_T, at, last) -
		       mp_cpu_hot_missed(view, control, MP_CPU_HOT_T, at, last);
	spared->is = spared->lost < STAYS && spared->left > MP_CPU_HOT_PUT_OUT &&
		     spared->gone >= GONE * spared->left;
}

int mp_cpu_spared(const struct mp_view *view, struct mp_cpu_spared *spared)
{
	struct mp_cpu_hot_shape shape;
	struct mp_cpu_edges edges;
	struct mp_exp exp;
	uint32_t n[2];
	int err = mp_cpu_edges_find(view, &edges);

	*spared = (struct mp_cpu_spared){
		.lost = NAN, .left = NAN, .gone = NAN,
	};
	if (err)
		return err == -ENODATA ? 0 : err;
	if (mp_cpu_hot_shape_all(view, &edges, &shape)) {
		mp_cpu_edges_free(&edges);
		return 0;
	}
	for (uint32_t i = 0; i < 2 && !err; i++) {
		mp_cpu_hot_exp(view, &shape, kinds[i], &exp);
		spared->id[i] = mp_exp_id(&exp);
		err = count(view, spared->id[i], &n[i]);
	}
	if (!err) {
		spared->n = n[0] < n[1] ? n[0] : n[1];
		if (spared->n)
			weigh(view, &edges, &shape, spared);
	}
	mp_cpu_edges_free(&edges);
	return err;
}
