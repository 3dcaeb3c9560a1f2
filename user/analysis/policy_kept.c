// SPDX-License-Identifier: GPL-2.0
/* Verdicts that have been given are not given anew. */
#include "analysis/policy_kept.h"

#include <errno.h>

#include "analysis/kept.h"

static void add_seen(struct mp_kept_key *key, const struct mp_policy_seen *seen)
{
	const struct mp_policy_walk *walk = seen->walk;
	const uint32_t looks = mp_policy_looks(walk);

	mp_kept_add_word(key, walk->ways);
	mp_kept_add_word(key, walk->lines);
	for (uint32_t i = 0; i < walk->lines && i < MP_POLICY_LINES; i++)
		mp_kept_add_word(key, walk->place[i]);
	mp_kept_add_word(key, walk->n);
	for (uint32_t i = 0; i < walk->n; i++)
		mp_kept_add_word(key, (uint64_t)walk->step[i].line << 16 |
				      walk->step[i].what);
	mp_kept_add(key, seen->hit, looks);
	mp_kept_add(key, seen->error, looks);
}

int mp_policy_judge_kept(const struct mp_policy_seen *seen, uint32_t n,
			 struct mp_policy_verdict *verdict)
{
	static struct mp_kept kept;
	struct mp_kept_key key;
	int err;

	_Static_assert(sizeof(*verdict) <= MP_KEPT_BYTES,
		       "a verdict has to fit");
	mp_kept_begin(&key);
	mp_kept_add_word(&key, n);
	for (uint32_t i = 0; i < n; i++)
		add_seen(&key, &seen[i]);
	if (mp_kept_find(&kept, &key, verdict, sizeof(*verdict), &err))
		return err;
	err = mp_policy_judge(seen, n, verdict);
	/* A lack of memory is no answer. */
	if (!err || err == -ENODATA)
		mp_kept_note(&kept, &key, verdict, sizeof(*verdict), err);
	return err;
}
