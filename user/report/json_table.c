// SPDX-License-Identifier: GPL-2.0
/*
 * Which field of a report stands under which key. A key that is added here
 * is written, read and checked; the schema in Documentation/schema says the
 * same for others.
 */
#include "report/json_table.h"

#include "report.h"

#define FIELD(type, member, field_kind, field_flags)                   \
	{                                                               \
		.key = #member, .kind = (field_kind),                   \
		.offset = offsetof(struct type, member),                \
		.room = sizeof(((struct type *)0)->member),             \
		.flags = (field_flags),                                 \
	}

const struct mp_field mp_json_machine[] = {
	FIELD(mp_report, model, MP_FIELD_TEXT, 0),
	FIELD(mp_report, label, MP_FIELD_TEXT, MP_FIELD_NULLABLE),
	{ 0 },
};

const struct mp_field mp_json_run[] = {
	FIELD(mp_report_run, target, MP_FIELD_TEXT, 0),
	FIELD(mp_report_run, backend, MP_FIELD_TEXT, 0),
	FIELD(mp_report_run, probes, MP_FIELD_WORDS, 0),
	FIELD(mp_report_run, seed, MP_FIELD_SEED, 0),
	FIELD(mp_report_run, depth, MP_FIELD_TEXT, 0),
	FIELD(mp_report_run, cpu, MP_FIELD_U32, 0),
	FIELD(mp_report_run, node, MP_FIELD_NODE, 0),
	FIELD(mp_report_run, pages, MP_FIELD_TEXT, 0),
	FIELD(mp_report_run, pages_forced, MP_FIELD_BOOL, 0),
	FIELD(mp_report_run, started, MP_FIELD_TEXT, MP_FIELD_NULLABLE),
	FIELD(mp_report_run, stop, MP_FIELD_TEXT, 0),
	FIELD(mp_report_run, time_limit_s, MP_FIELD_U32, 0),
	FIELD(mp_report_run, budget_ns, MP_FIELD_U64, 0),
	FIELD(mp_report_run, calm_ns, MP_FIELD_U64, 0),
	FIELD(mp_report_run, cost_ns, MP_FIELD_U64, 0),
	FIELD(mp_report_run, batches, MP_FIELD_U32, 0),
	FIELD(mp_report_run, counted, MP_FIELD_U32, 0),
	FIELD(mp_report_run, disturbed, MP_FIELD_U32, 0),
	FIELD(mp_report_run, failed, MP_FIELD_U32, 0),
	FIELD(mp_report_run, repeats, MP_FIELD_U32, 0),
	FIELD(mp_report_run, given_up, MP_FIELD_U32, 0),
	{ 0 },
};

const struct mp_field mp_json_tool[] = {
	{ "name", MP_FIELD_TEXT, offsetof(struct mp_report, tool),
	  MP_REPORT_WORD, 0 },
	FIELD(mp_report, version, MP_FIELD_TEXT, 0),
	{ 0 },
};

const struct mp_field mp_json_host_claim[] = {
	FIELD(mp_host_claim, fact, MP_FIELD_TEXT, 0),
	FIELD(mp_host_claim, value, MP_FIELD_REAL, 0),
	FIELD(mp_host_claim, source, MP_FIELD_TEXT, 0),
	{ 0 },
};

const struct mp_field mp_json_fact_head[] = {
	FIELD(mp_fact, name, MP_FIELD_TEXT, 0),
	FIELD(mp_fact, where, MP_FIELD_WHERE, 0),
	{ 0 },
};

/* The value stands between these; it is a number, a text or null. */
const struct mp_field mp_json_fact[] = {
	FIELD(mp_fact, unit, MP_FIELD_TEXT, 0),
	FIELD(mp_fact, low, MP_FIELD_REAL, 0),
	FIELD(mp_fact, high, MP_FIELD_REAL, 0),
	FIELD(mp_fact, verdict, MP_FIELD_VERDICT, 0),
	FIELD(mp_fact, confidence, MP_FIELD_REAL, 0),
	FIELD(mp_fact, method, MP_FIELD_TEXT, 0),
	{ 0 },
};

const struct mp_field mp_json_fact_tail[] = {
	FIELD(mp_fact, reason, MP_FIELD_TEXT, MP_FIELD_OPTIONAL),
	FIELD(mp_fact, series, MP_FIELD_TEXT, MP_FIELD_OPTIONAL),
	{ 0 },
};

const struct mp_field mp_json_claim[] = {
	FIELD(mp_claim, value, MP_FIELD_REAL, 0),
	FIELD(mp_claim, source, MP_FIELD_TEXT, 0),
	{ 0 },
};

const struct mp_field mp_json_series[] = {
	FIELD(mp_series, name, MP_FIELD_TEXT, 0),
	FIELD(mp_series, where, MP_FIELD_WHERE, 0),
	FIELD(mp_series, x_name, MP_FIELD_TEXT, 0),
	FIELD(mp_series, x_unit, MP_FIELD_TEXT, 0),
	FIELD(mp_series, y_name, MP_FIELD_TEXT, MP_FIELD_OPTIONAL),
	FIELD(mp_series, y_unit, MP_FIELD_TEXT, MP_FIELD_OPTIONAL),
	FIELD(mp_series, unit, MP_FIELD_TEXT, 0),
	{ 0 },
};

const struct mp_field mp_json_point[] = {
	FIELD(mp_point, x, MP_FIELD_REAL, 0),
	FIELD(mp_point, y, MP_FIELD_REAL, 0),
	FIELD(mp_point, value, MP_FIELD_REAL, 0),
	FIELD(mp_point, low, MP_FIELD_REAL, 0),
	FIELD(mp_point, high, MP_FIELD_REAL, 0),
	FIELD(mp_point, n, MP_FIELD_U32, 0),
	{ 0 },
};

/* The words stand between these; of them only their length is bounded. */
const struct mp_field mp_json_exp_head[] = {
	FIELD(mp_report_exp, id, MP_FIELD_ID, 0),
	{ 0 },
};

const struct mp_field mp_json_exp[] = {
	FIELD(mp_report_exp, steps, MP_FIELD_U32, 0),
	FIELD(mp_report_exp, pages, MP_FIELD_TEXT, MP_FIELD_NULLABLE),
	FIELD(mp_report_exp, batches, MP_FIELD_U32, 0),
	FIELD(mp_report_exp, counted, MP_FIELD_U32, 0),
	FIELD(mp_report_exp, disturbed, MP_FIELD_U32, 0),
	FIELD(mp_report_exp, failed, MP_FIELD_U32, 0),
	FIELD(mp_report_exp, bursts, MP_FIELD_U32, 0),
	FIELD(mp_report_exp, calm, MP_FIELD_U32, 0),
	FIELD(mp_report_exp, hop_ns, MP_FIELD_REAL, 0),
	FIELD(mp_report_exp, hop_low_ns, MP_FIELD_REAL, 0),
	FIELD(mp_report_exp, hop_high_ns, MP_FIELD_REAL, 0),
	{ 0 },
};

const struct mp_field mp_json_disagreement[] = {
	FIELD(mp_disagreement, fact, MP_FIELD_TEXT, 0),
	FIELD(mp_disagreement, where, MP_FIELD_WHERE, 0),
	FIELD(mp_disagreement, measured, MP_FIELD_REAL, 0),
	FIELD(mp_disagreement, claimed, MP_FIELD_REAL, 0),
	FIELD(mp_disagreement, source, MP_FIELD_TEXT, 0),
	{ 0 },
};
