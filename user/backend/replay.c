// SPDX-License-Identifier: GPL-2.0
/*
 * Backend "replay": answers from a saved run. Whatever the recording holds it
 * gives back as it was, errors and disturbed batches too; what it does not
 * hold is a batch with -ENODATA.
 */
#include "backend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "save.h"
#include "utf8.h"

/* Enough of a file's name to know it by, with room for a label behind it. */
#define BASENAME_SHOWN 60

/*
 * @order: the recording's batches by (id, replicate), to find one at once
 * @name: last part of the file's name
 */
struct replay {
	struct mp_save save;
	const struct mp_batch **order;
	char name[BASENAME_SHOWN + 1];
};

static int compare(const void *a, const void *b)
{
	const struct mp_batch *x = *(const struct mp_batch *const *)a;
	const struct mp_batch *y = *(const struct mp_batch *const *)b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->replicate != y->replicate)
		return x->replicate < y->replicate ? -1 : 1;
	return 0;
}

static const struct mp_batch *find(const struct replay *replay,
				   const struct mp_batch *wanted)
{
	const struct mp_batch *const *at;

	at = bsearch(&wanted, replay->order, replay->save.n_batches,
		     sizeof(*replay->order), compare);
	/* Ids are hashes: the same id is not yet the same experiment. */
	return at && mp_exp_equal(&(*at)->exp, &wanted->exp) ? *at : NULL;
}

static int make_order(struct replay *replay, struct mp_target *target,
		      const char *file)
{
	uint32_t n = replay->save.n_batches;
	const struct mp_batch **order;

	order = calloc((size_t)n + 1, sizeof(*order));
	if (!order)
		return mp_target_fail(target, -ENOMEM,
				      "%s: no memory to sort "
				      "its %u batches",
				      file, n);
	replay->order = order;
	for (uint32_t i = 0; i < n; i++)
		order[i] = replay->save.batch[i];
	qsort(order, n, sizeof(*order), compare);
	for (uint32_t i = 1; i < n; i++) {
		if (compare(&order[i - 1], &order[i]))
			continue;
		return mp_target_fail(target, -EINVAL,
				      "%s: holds replicate "
				      "%u of one experiment twice",
				      file, order[i]->replicate);
	}
	return 0;
}

/* The last part of a path. */
static void set_name(struct replay *replay, const char *file)
{
	const char *slash = strrchr(file, '/');

	snprintf(replay->name, sizeof(replay->name), "%s",
		 slash ? slash + 1 : file);
	mp_utf8_clean(replay->name);
}

/* A recording cannot be asked for another place than the one it is of. */
static int check_asked(const struct mp_host *host, const struct mp_opts *opts,
		       struct mp_target *target)
{
	if (opts->cpu >= 0 && (uint32_t)opts->cpu != host->cpu)
		return mp_target_fail(target, -EINVAL,
				      "--cpu %d: the recorded "
				      "run was on CPU %u, leave --cpu out",
				      opts->cpu, host->cpu);
	if (opts->node >= 0 && host->node < 0)
		return mp_target_fail(target, -EINVAL,
				      "--node %d: the recorded "
				      "run asked for no node, leave --node out",
				      opts->node);
	if (opts->node >= 0 && opts->node != host->node)
		return mp_target_fail(target, -EINVAL,
				      "--node %d: the recorded "
				      "run was on node %d, leave --node out",
				      opts->node, host->node);
	if (opts->pages >= 0 && (uint32_t)opts->pages != host->pages)
		return mp_target_fail(target, -EINVAL,
				      "--pages %s: the "
				      "recorded run wished for %s, leave "
				      "--pages out",
				      mp_pages_name((uint32_t)opts->pages),
				      mp_pages_name(host->pages));
	return 0;
}

static void replay_close(struct mp_target *target)
{
	struct replay *replay = target->priv;

	target->priv = NULL;
	if (!replay)
		return;
	mp_save_free(&replay->save);
	free(replay->order);
	free(replay);
}

static int replay_open(struct mp_target *target, const struct mp_opts *opts)
{
	struct replay *replay;
	int err;

	if (!opts->file)
		return mp_target_fail(target, -EINVAL,
				      "--backend replay: "
				      "which run? replay=FILE, a file that "
				      "--save wrote");
	replay = calloc(1, sizeof(*replay));
	if (!replay)
		return mp_target_fail(target, -ENOMEM, "no memory to open %s",
				      opts->file);
	target->priv = replay;
	err = mp_save_read(opts->file, &replay->save, target->why,
			   sizeof(target->why));
	if (!err)
		err = check_asked(&replay->save.head.host, opts, target);
	if (!err)
		err = make_order(replay, target, opts->file);
	if (err) {
		replay_close(target);
		return err;
	}
	set_name(replay, opts->file);
	target->seed = replay->save.head.seed;
	return 0;
}

static int replay_look(struct mp_target *target, struct mp_host *host)
{
	const struct replay *replay = target->priv;
	const struct mp_host *then = &replay->save.head.host;

	*host = *then;
	if (then->label[0])
		snprintf(host->label, sizeof(host->label),
			 "recorded: %s (%.*s)", replay->name,
			 MP_HOST_TEXT - BASENAME_SHOWN - 14, then->label);
	else
		snprintf(host->label, sizeof(host->label), "recorded: %s",
			 replay->name);
	host->recorded = &replay->save;
	return 0;
}

static int replay_run(struct mp_target *target, const struct mp_exp *exp,
		      uint32_t replicate, struct mp_batch *batch)
{
	const struct replay *replay = target->priv;
	const struct mp_batch *held;
	struct mp_batch copy;

	mp_batch_init(batch, exp, replicate);
	held = find(replay, batch);
	if (!held) {
		batch->error = -ENODATA;
		return 0;
	}
	if (mp_batch_copy(&copy, held)) {
		batch->error = -ENOMEM;
		return 0;
	}
	*batch = copy;
	return 0;
}

const struct mp_backend mp_backend_replay = {
	.name = "replay",
	.says = "a run that --save kept, answered from its file",
	.asks_file = true,
	.open = replay_open,
	.look = replay_look,
	.run = replay_run,
	.close = replay_close,
};
