// SPDX-License-Identifier: GPL-2.0
/* What counts leave of the limits of edges. */
#include "probe/cpu_count.h"

#include <math.h>
#include <string.h>

#include "probe/cpu_edges.h"
#include "probe/cpu_hot.h"

/* Limits so far apart are no measured size, whatever else moves them a little. */
#define LEFT_OPEN (1.05 * MP_CPU_APART_MAX)

/* Does no level further out put lines out of this one? Not one that all of
 * the crowd fits, nor one that does not hold what lies inside it. */
bool mp_cpu_count_let_be(const struct mp_view *view,
			 const struct mp_cpu_edges *edges, uint32_t k,
			 const struct mp_cpu_count *count)
{
	struct mp_cpu_hot hot;

	for (uint32_t i = k + 1; i < edges->n; i++) {
		if (edges->fitted[i] && (double)(count->slots * count->apart) <
		    MP_CPU_COUNT_FITS * edges->edge[i].low)
			return true;
		memset(&hot, 0, sizeof(hot));
		if (mp_cpu_hot_judge(view, edges, i, &hot) ||
		    (hot.holds != MP_CPU_HOLDS_OTHERS &&
		     hot.holds != MP_CPU_HOLDS_SOME))
			return false;
	}
	return true;
}

bool mp_cpu_count_is_more(const struct mp_cpu_edges *edges, uint32_t k, double found)
{
	return !k && found > edges->edge[k].size * MP_CPU_COUNT_MORE;
}

/* The best shape is another one, and says nothing of how much it is at most. Where the
 * count does not, either, that is open. */
static void hold_counted(const struct mp_cpu_count *count, struct mp_edge *edge)
{
	edge->low = edge->size = fmax(edge->low, count->own_low);
	edge->high = fmax(edge->high, edge->low * LEFT_OPEN);
	if (isinf(count->all_high))
		return;
	edge->high = count->all_high;
	edge->size = sqrt(edge->low * edge->high);
}

/* The shapes that edges are fitted with are no more than a family. */
static void hold_both(const struct mp_cpu_count *count, struct mp_edge *edge)
{
	edge->low = fmin(edge->low, count->own_low);
	if (count->own_low > edge->high)
		edge->high = isinf(count->all_high) ? count->own_low :
						      count->all_high;
}

void mp_cpu_count_narrow(struct mp_cpu_edges *edges, uint32_t k)
{
	const struct mp_cpu_count *count = &edges->count[k];
	struct mp_edge *edge = &edges->edge[k];

	if (!count->known)
		return;
	if (count->own_low > edge->high || count->found < edge->low) {
		hold_both(count, edge);
		return;
	}
	if (mp_cpu_count_is_more(edges, k, count->own_low)) {
		hold_counted(count, edge);
		return;
	}
	edge->low = fmax(edge->low, count->own_low);
	edge->high = fmin(edge->high, count->all_high);
	edge->size = fmin(fmax(edge->size, edge->low), edge->high);
}

/* What is known of levels further out was asked with limits that counts had narrowed
 * already: by those a level is known to be let be, and how much it holds at most.
 * Its edge is left as it is, as what was asked went by that. */
static void set_most(const struct mp_view *view, struct mp_cpu_edges *edges,
		     uint32_t k)
{
	struct mp_cpu_count *count = &edges->count[k];

	if (!count->known || count->brief || !isinf(count->all_high) ||
	    !mp_cpu_count_let_be(view, edges, k, count))
		return;
	count->own_high = count->served;
	count->all_high = count->found;
}

void mp_cpu_count_levels(const struct mp_view *view, struct mp_cpu_edges *edges)
{
	for (uint32_t k = 0; k < edges->n; k++) {
		mp_cpu_count_lay(view, edges, k);
		mp_cpu_count_judge(view, edges, k);
	}
	for (uint32_t k = 0; k < edges->n; k++)
		mp_cpu_count_narrow(edges, k);
	for (uint32_t k = edges->n; k-- > 0;)
		set_most(view, edges, k);
}
