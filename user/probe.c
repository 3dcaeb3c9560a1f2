// SPDX-License-Identifier: GPL-2.0
/*
 * The table of probes, made from probe/list.h, and the plans they write.
 */
#include "probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

#define ROOM_FIRST 32u
/* Of so many experiments one is asked for again. */
#define ASKED_AGAIN 3u

#define MP_PROBE(name) extern const struct mp_probe mp_probe_##name;
#include "probe/list.h"
#undef MP_PROBE

static const char *const depth_names[MP_DEPTHS] = {
	[MP_DEPTH_QUICK] = "quick",
	[MP_DEPTH_DEFAULT] = "default",
	[MP_DEPTH_DEEP] = "deep",
};

/* The line that wants this experiment in the plan's stage, or so many of it
 * in an earlier one. */
static struct mp_wanted *find(const struct mp_plan *plan,
			      const struct mp_exp *exp, uint32_t replicates)
{
	for (uint32_t i = 0; i < plan->n; i++) {
		struct mp_wanted *wanted = &plan->wanted[i];

		if (!mp_exp_equal(&wanted->exp, exp))
			continue;
		if (wanted->stage == plan->stage ||
		    (wanted->stage < plan->stage &&
		     wanted->replicates >= replicates))
			return wanted;
	}
	return NULL;
}

static int grow(struct mp_plan *plan)
{
	uint32_t room = plan->room ? plan->room * 2 : ROOM_FIRST;
	struct mp_wanted *bigger;

	bigger = reallocarray(plan->wanted, room, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	plan->wanted = bigger;
	plan->room = room;
	return 0;
}

/* The same few are asked for several times in a row. */
static void note_asked(struct mp_asked *asked, uint64_t id, uint64_t stamp)
{
	if (asked->n > MP_ASKED)
		return;
	for (uint32_t i = 1; i <= ASKED_AGAIN && i <= asked->n; i++)
		if (asked->of[asked->n - i].id == id)
			return;
	if (asked->n < MP_ASKED) {
		asked->of[asked->n].id = id;
		asked->of[asked->n].stamp = stamp;
	}
	asked->n++;
}

bool mp_asked_holds(const struct mp_asked *asked, const struct mp_view *view)
{
	for (uint32_t i = 0; i < asked->n && i < MP_ASKED; i++) {
		const struct mp_batch_list *list =
			mp_batch_index_find(view->index, asked->of[i].id);

		if (asked->of[i].stamp != (list ? list->stamp : 0))
			return false;
	}
	return asked->n <= MP_ASKED;
}

const struct mp_batch *mp_view_next(const struct mp_view *view, uint64_t id,
				    uint32_t *at)
{
	const struct mp_batch_list *list;

	if (view->index) {
		list = mp_batch_index_find(view->index, id);
		if (view->asked && !*at)
			note_asked(view->asked, id, list ? list->stamp : 0);
		return list && *at < list->n ? list->batch[(*at)++] : NULL;
	}
	while (*at < view->n_batches) {
		const struct mp_batch *batch = view->batch[(*at)++];

		if (batch->id == id)
			return batch;
	}
	return NULL;
}

const char *mp_depth_name(uint32_t depth)
{
	return depth < MP_DEPTHS ? depth_names[depth] : "unknown";
}

int mp_depth_parse(const char *name, uint32_t *depth)
{
	for (uint32_t i = 0; i < MP_DEPTHS; i++) {
		if (strcmp(depth_names[i], name))
			continue;
		*depth = i;
		return 0;
	}
	return -EINVAL;
}

int mp_plan_add(struct mp_plan *plan, const struct mp_exp *exp,
		uint32_t replicates)
{
	struct mp_wanted *wanted = find(plan, exp, replicates);

	if (wanted) {
		if (wanted->replicates < replicates)
			wanted->replicates = replicates;
		return 0;
	}
	if (plan->n == plan->room && grow(plan))
		return -ENOMEM;
	wanted = &plan->wanted[plan->n++];
	wanted->exp = *exp;
	wanted->replicates = replicates;
	wanted->stage = plan->stage;
	return 0;
}

void mp_plan_free(struct mp_plan *plan)
{
	free(plan->wanted);
	memset(plan, 0, sizeof(*plan));
}

const struct mp_probe *mp_probe_find(const char *name)
{
	for (uint32_t i = 0; mp_probes[i]; i++) {
		if (!strcmp(mp_probes[i]->name, name))
			return mp_probes[i];
	}
	return NULL;
}

const struct mp_probe *mp_probe_of_fact(const char *fact)
{
	for (uint32_t i = 0; mp_probes[i]; i++) {
		if (mp_names_has(mp_probes[i]->facts, fact))
			return mp_probes[i];
	}
	return NULL;
}

#define MP_PROBE(name) &mp_probe_##name,
const struct mp_probe *const mp_probes[] = {
#include "probe/list.h"
	NULL,
};
#undef MP_PROBE
