/* SPDX-License-Identifier: GPL-2.0 */
/* The readable head of a saved run, to and from JSON. */
#ifndef MP_SAVE_HEAD_H
#define MP_SAVE_HEAD_H

#include <jansson.h>
#include <stddef.h>

#include "save.h"

/**
 * mp_save_head_json() - a head as a JSON object
 * Return: a new reference, NULL when out of memory.
 */
json_t *mp_save_head_json(const struct mp_save_head *head);

/**
 * mp_save_head_parse() - from JSON
 * @head: gets the head; text that is not there is empty
 * @json: any JSON value
 * @why: gets one clear line with an error
 * @room: bytes of @why
 * Return: 0 or -EINVAL.
 */
int mp_save_head_parse(struct mp_save_head *head, const json_t *json,
		       char *why, size_t room);

#endif
