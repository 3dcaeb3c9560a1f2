// SPDX-License-Identifier: GPL-2.0
/*
 * The table of backends, made from backend/list.h, and what they all need
 * to say about a host and about an error.
 */
#include "backend.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MP_BACKEND(name) extern const struct mp_backend mp_backend_##name;
#include "backend/list.h"
#undef MP_BACKEND

static const struct {
	uint32_t cap;
	const char *name;
} caps[] = {
	{ MP_CAP_CHASE, "chase" },
	{ MP_CAP_SEQUENCE, "sequence" },
	{ MP_CAP_STREAM, "stream" },
	{ MP_CAP_PINGPONG, "pingpong" },
	{ MP_CAP_GAP, "gap" },
	{ MP_CAP_CODE, "code" },
	{ MP_CAP_HUGE, "huge" },
	{ MP_CAP_CORE_CLOCK, "core-clock" },
	{ MP_CAP_ACTORS, "actors" },
	{ MP_CAP_MODELLED, "modelled" },
	{ MP_CAP_PREFETCH_OFF, "prefetch-off" },
	{ MP_CAP_GIANT, "giant" },
	{ MP_CAP_PHASES, "phases" },
	{ MP_CAP_MIXED, "mixed" },
};

bool mp_host_lives(const struct mp_host *host)
{
	return !host->recorded && !(host->caps & MP_CAP_MODELLED);
}

const char *mp_cap_name(uint32_t cap)
{
	for (size_t i = 0; i < sizeof(caps) / sizeof(caps[0]); i++) {
		if (caps[i].cap == cap)
			return caps[i].name;
	}
	return NULL;
}

void mp_host_claim(struct mp_host *host, const char *fact, double value,
		   const char *source)
{
	struct mp_host_claim *claim;

	if (host->n_claims == MP_HOST_CLAIMS || !isfinite(value))
		return;
	claim = &host->claim[host->n_claims++];
	memset(claim, 0, sizeof(*claim));
	snprintf(claim->fact, sizeof(claim->fact), "%s", fact);
	snprintf(claim->source, sizeof(claim->source), "%s", source);
	claim->value = value;
}

void mp_host_condition(struct mp_host *host, const char *key,
		       const char *format, ...)
{
	struct mp_text_pair *pair;
	va_list args;

	if (host->n_conditions == MP_HOST_CONDITIONS)
		return;
	pair = &host->condition[host->n_conditions++];
	memset(pair, 0, sizeof(*pair));
	snprintf(pair->key, sizeof(pair->key), "%s", key);
	va_start(args, format);
	vsnprintf(pair->text, sizeof(pair->text), format, args);
	va_end(args);
}

int mp_target_fail(struct mp_target *target, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(target->why, sizeof(target->why), format, args);
	va_end(args);
	return err;
}

const struct mp_backend *mp_backend_find(const char *name)
{
	for (uint32_t i = 0; mp_backends[i]; i++) {
		if (!strcmp(mp_backends[i]->name, name))
			return mp_backends[i];
	}
	return NULL;
}

#define MP_BACKEND(name) &mp_backend_##name,
const struct mp_backend *const mp_backends[] = {
#include "backend/list.h"
	NULL,
};
#undef MP_BACKEND
