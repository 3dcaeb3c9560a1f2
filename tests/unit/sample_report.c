// SPDX-License-Identifier: GPL-2.0
/* A report made by hand. Its machine has never been seen. */
#include "sample_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sample {
	const char *name;
	const char *unit;
	uint32_t verdict;
	double value;
	double low;
	double high;
	double claim;	/* 0 = none */
};

static const struct sample samples[] = {
	{ "cpu.clock", "Hz", MP_MEASURED, 3681234567.8, 3.67e9, 3.69e9, 0 },
	{ "cpu.l1d.size", "bytes", MP_MEASURED, 32768, 30720, 33792, 32768 },
	{ "cpu.l2.size", "bytes", MP_MEASURED, 1048576, 1000000, 1100000,
	  1048576 },
	{ "cpu.l3.size", "bytes", MP_VARIES, 5872025.6, 4194304, 8388608,
	  33554432 },
	{ "cpu.l4.size", "bytes", MP_ABSENT, 0, 0, 0, 0 },
	{ "cpu.l1d.line", "bytes", MP_MEASURED, 64, 64, 64, 64 },
	{ "cpu.l2.line", "bytes", MP_MEASURED, 64, 64, 64, 64 },
	{ "cpu.l1d.ways", "ways", MP_MEASURED, 8, 8, 8, 8 },
	{ "cpu.l2.ways", "ways", MP_MEASURED, 8, 8, 8, 16 },
	{ "cpu.l3.ways", "ways", MP_NOT_MEASURABLE, 0, 0, 0, 16 },
	{ "cpu.l1d.latency", "ns", MP_MEASURED, 1.0887345, 1.08, 1.095, 0 },
	{ "cpu.l1d.latency-cycles", "cycles", MP_MEASURED, 4.004, 3.98, 4.03,
	  0 },
	{ "cpu.l2.latency", "ns", MP_MEASURED, 3.83, 3.8, 3.9, 0 },
	{ "cpu.l2.latency-cycles", "cycles", MP_MEASURED, 14.1, 14, 14.3, 0 },
	{ "cpu.l3.latency", "ns", MP_DISPUTED, 12.5, 11, 15, 0 },
	{ "cpu.l3.latency-cycles", "cycles", MP_DISPUTED, 46.1, 41, 55, 0 },
	{ "cpu.dtlb.entries", "entries", MP_MEASURED, 72, 68, 76, 72 },
	{ "cpu.stlb.entries", "entries", MP_AT_LEAST, 2048, 2048, 0, 3072 },
	{ "cpu.stlb.hit-cost", "cycles", MP_MEASURED, 7.1, 6.9, 7.4, 0 },
	{ "cpu.walk.cost", "cycles", MP_MEASURED, 34, 30, 41, 0 },
	{ "cpu.dram.latency", "ns", MP_MEASURED, 96.4, 94, 99, 0 },
	{ "cpu.dram.latency-random", "ns", MP_MEASURED, 146.2, 140, 152, 0 },
};

/* Footprint in KiB and ns. */
static const double curve[][2] = {
	{ 1, 1.09 },    { 2, 1.09 },    { 4, 1.09 },    { 8, 1.09 },
	{ 16, 1.09 },   { 24, 1.09 },   { 32, 1.24 },   { 40, 3.7 },
	{ 64, 3.83 },   { 128, 3.84 },  { 256, 3.84 },  { 512, 4.2 },
	{ 768, 4.7 },   { 1024, 7.4 },  { 1536, 10.3 }, { 2048, 11.3 },
	{ 4096, 12.4 }, { 6144, 40 },   { 8192, 92 },   { 16384, 96 },
	{ 65536, 97 },  { 262144, 96 },
};

static void out_of_memory(void)
{
	fprintf(stderr, "sample_report: out of memory\n");
	abort();
}

static void add_fact(struct mp_facts *facts, const struct sample *sample)
{
	struct mp_where where;
	struct mp_fact *fact;

	mp_where_cpu(&where, 0);
	fact = mp_facts_add(facts, sample->name, &where);
	if (!fact)
		out_of_memory();
	fact->verdict = sample->verdict;
	fact->value = sample->value;
	fact->low = sample->low;
	fact->high = sample->high;
	snprintf(fact->unit, sizeof(fact->unit), "%s", sample->unit);
	snprintf(fact->method, sizeof(fact->method), "made up for %s",
		 sample->name);
	if (sample->verdict == MP_NOT_MEASURABLE)
		snprintf(fact->reason, sizeof(fact->reason),
			 "neighbours move the last level while its sets are counted");
	if (strstr(sample->name, "latency"))
		snprintf(fact->series, sizeof(fact->series), "cpu.latency");
	mp_fact_note(fact, 0x0123456789abcdefull);
	mp_fact_note(fact, 0xfedcba9876543210ull);
	if (sample->claim > 0) {
		fact->claim.known = true;
		fact->claim.value = sample->claim;
		snprintf(fact->claim.source, sizeof(fact->claim.source),
			 "cpuid");
	}
}

static void add_curve(struct mp_facts *facts)
{
	struct mp_series *series;
	struct mp_where where;

	mp_where_cpu(&where, 0);
	series = mp_facts_add_series(facts, "cpu.latency", &where);
	if (!series)
		out_of_memory();
	snprintf(series->x_name, sizeof(series->x_name), "footprint");
	snprintf(series->x_unit, sizeof(series->x_unit), "bytes");
	snprintf(series->unit, sizeof(series->unit), "ns");
	for (size_t i = 0; i < sizeof(curve) / sizeof(curve[0]); i++) {
		const struct mp_point point = {
			.x = curve[i][0] * 1024, .value = curve[i][1],
			.low = curve[i][1] * 0.98, .high = curve[i][1] * 1.03,
			.n = 5,
		};

		if (mp_series_add(series, &point))
			out_of_memory();
	}
}

/* The two that each fact names: a chase that was disturbed in part, and a
 * sequence, which has no hops. */
static void add_experiments(struct mp_report *report)
{
	struct mp_report_exp *exp = mp_report_add_exp(report);

	if (!exp)
		out_of_memory();
	exp->id = 0x0123456789abcdefull;
	exp->text = strdup("arena0.bytes=1048576 arena0.pages=thp actor0.op=chase actor0.length=1048576 actor0.stride=128 actor0.reach=32768 actor0.hops=2048");
	snprintf(exp->pages, sizeof(exp->pages), "mixed");
	exp->batches = 9;
	exp->counted = 7;
	exp->disturbed = 2;
	exp->bursts = 72;
	exp->calm = 60;
	exp->hop_ns = 7.4123456789;
	exp->hop_low_ns = 7.25;
	exp->hop_high_ns = 8.125;
	exp = mp_report_add_exp(report);
	if (!exp)
		out_of_memory();
	exp->id = 0xfedcba9876543210ull;
	exp->text = strdup("arena0.bytes=65536 actor0.op=sequence actor0.length=65536 actor0.stride=4096 actor0.bursts=16");
	exp->steps = 150;
	exp->batches = 1;
	exp->failed = 1;
	if (!exp->text || !report->experiment[0].text)
		out_of_memory();
	mp_report_settle(report);
}

static void fill_run(struct mp_report_run *run)
{
	memset(run, 0, sizeof(*run));
	snprintf(run->target, sizeof(run->target), "cpu");
	snprintf(run->backend, sizeof(run->backend), "user");
	snprintf(run->probes, sizeof(run->probes),
		 "clock,line,cache-size,latency,ways,tlb,dram");
	snprintf(run->depth, sizeof(run->depth), "default");
	snprintf(run->pages, sizeof(run->pages), "thp");
	snprintf(run->stop, sizeof(run->stop), "done");
	snprintf(run->started, sizeof(run->started), "2026-01-31T12:00:00Z");
	run->seed = 0xffffffffffffffffull;
	run->node = MP_NODE_ANY;
	run->time_limit_s = 60;
	run->budget_ns = 10000000000ull;
	run->calm_ns = 8100000000ull;
	run->cost_ns = 8654321000ull;
	run->batches = 312;
	run->counted = 301;
	run->disturbed = 9;
	run->failed = 2;
	run->repeats = 9;
}

void sample_report(struct mp_report *report, const char *label)
{
	static struct mp_host host;
	struct mp_facts facts = { 0 };
	struct mp_report_run run;

	memset(&host, 0, sizeof(host));
	snprintf(host.model, sizeof(host.model),
		 "AuthenticAMD family 25 model 17");
	snprintf(host.label, sizeof(host.label), "%s", label);
	mp_host_claim(&host, "cpu.l1d.size", 32768, "cpuid");
	mp_host_claim(&host, "cpu.l3.size", 33554432, "cpuid");
	mp_host_condition(&host, "kernel", "Linux 6.1.0");
	mp_host_condition(&host, "thp", "madvise");
	mp_host_condition(&host, "scheduling",
			  "SCHED_FIFO granted; nice not needed; autogroup left alone; kept to 97 %% of the CPU");
	fill_run(&run);
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		add_fact(&facts, &samples[i]);
	add_curve(&facts);
	if (mp_report_make(report, &host, &run, &facts))
		out_of_memory();
	add_experiments(report);
}
