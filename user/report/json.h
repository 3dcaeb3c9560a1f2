/* SPDX-License-Identifier: GPL-2.0 */
/* A report as JSON, and back: schema memprobe-report/1. */
#ifndef MP_REPORT_JSON_H
#define MP_REPORT_JSON_H

#include <stddef.h>

#include "report.h"

/** MP_JSON_MAX_BYTES - a report that is larger than this is refused. */
#define MP_JSON_MAX_BYTES (64ull << 20)

/**
 * mp_json_write() - a report as text
 * @report: a settled report
 * @text: gets the text, with a newline at its end; free() it
 * Return: 0 or -ENOMEM.
 */
int mp_json_write(const struct mp_report *report, char **text);

/**
 * mp_json_read() - a report from text
 * @text: the text, @bytes long
 * @report: gets it; mp_report_free() it. Empty after an error
 * @why: gets one line with an error: where, what, what is allowed
 * @room: bytes of @why
 *
 * Every field is checked for its type and bounds; keys that are not known
 * are passed over, so that a later version may add some.
 * Return: 0; -EINVAL no JSON, no report, or a field that is not right;
 * -ENOMEM.
 */
int mp_json_read(const char *text, size_t bytes, struct mp_report *report,
		 char *why, size_t room);

#endif
