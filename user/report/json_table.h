/* SPDX-License-Identifier: GPL-2.0 */
/* Which field of a report stands under which key: for writing and reading. */
#ifndef MP_JSON_TABLE_H
#define MP_JSON_TABLE_H

#include "report/json_field.h"

/* Of struct mp_report */
extern const struct mp_field mp_json_tool[];
extern const struct mp_field mp_json_machine[];
/* Of struct mp_report_run */
extern const struct mp_field mp_json_run[];
/* Of struct mp_host_claim */
extern const struct mp_field mp_json_host_claim[];
/* Of struct mp_fact: before its value, after it, and at the end */
extern const struct mp_field mp_json_fact_head[];
extern const struct mp_field mp_json_fact[];
extern const struct mp_field mp_json_fact_tail[];
/* Of struct mp_claim, struct mp_series, struct mp_point */
extern const struct mp_field mp_json_claim[];
extern const struct mp_field mp_json_series[];
extern const struct mp_field mp_json_point[];
/* Of struct mp_report_exp: before its words, and after */
extern const struct mp_field mp_json_exp_head[];
extern const struct mp_field mp_json_exp[];
/* Of struct mp_disagreement */
extern const struct mp_field mp_json_disagreement[];

#endif
