// SPDX-License-Identifier: GPL-2.0
/*
 * What runs give: samples, ticks of groups, ticks of sequences, witnesses.
 *
 *	guest_run [plain]
 *
 * plain: this machine has caches of its own, so what was flushed is slower
 * than what was touched. An emulated machine has none, and is not asked.
 */
#include "guest_run.h"

#include <string.h>

#define LIMIT_S 240
#define FILL 0xa5

bool run_ok(struct guest *g, const char *what)
{
	const int error = guest_run(g);

	if (error)
		return expect_error(what, error, 0, 0);
	return true;
}

static __u64 whole_blocks(__u64 hops)
{
	return (hops + 63) / 64 * 64;
}

static const char *fault_of(const struct guest *g, __u32 i,
			    const struct memprobe_sample *s)
{
	const struct memprobe_actor *actor = &g->actor[0];
	const __u64 asked = whole_blocks(actor->hops);
	const bool cut = s->flags & MEMPROBE_F_SHORT;

	if (s->actor || s->copy || s->round)
		return "an actor, a copy or a round that there was not";
	if (s->place != actor->cpu)
		return "another CPU";
	if (s->burst != (__u16)i)
		return "bursts not in order";
	if (actor->op == MEMPROBE_OP_CHASE && !cut && s->hops != asked)
		return "not the hops that were asked for";
	if (actor->op == MEMPROBE_OP_CHASE && (!s->hops || s->hops > asked))
		return "no hops, or too many";
	if (s->bytes != actor->length)
		return "bytes that are not the footprint";
	if (!s->ticks)
		return "no ticks";
	if (s->valid & ~g->info.valid)
		return "valid bits that INFO does not know";
	if (s->flags & ~(MEMPROBE_F_SHORT | 0xffu))
		return "unknown flags";
	if (known(s, MEMPROBE_VALID_CPU_END) && s->cpu_end != actor->cpu &&
	    !(s->flags & MEMPROBE_F_MIGRATED))
		return "another CPU at the end, and no flag";
	if (known(s, MEMPROBE_VALID_GAPS) &&
	    !s->gaps != !(s->flags & MEMPROBE_F_GAP))
		return "gaps without the flag, or the flag without gaps";
	if (known(s, MEMPROBE_VALID_GAPS) && s->gap_ticks > s->ticks)
		return "gaps longer than the burst";
	return NULL;
}

void check_samples(struct guest *g, const char *what)
{
	const char *fault = NULL;
	__u64 last_ns = 0;
	__u32 i;

	for (i = 0; i < g->run.n_samples && !fault; i++) {
		fault = fault_of(g, i, &g->sample[i]);
		if (!known(&g->sample[i], MEMPROBE_VALID_START))
			continue;
		if (g->sample[i].start_ns <= last_ns && !fault)
			fault = "starts that do not rise";
		last_ns = g->sample[i].start_ns;
	}
	expect(!fault, guest_text("%s: samples", what),
	       "each to be sound, sample %u has %s", i - 1, fault);
	expect_equal(guest_text("%s: number of samples", what),
		     g->run.n_samples, g->actor[0].bursts);
	expect_equal(guest_text("%s: windows", what), g->run.windows,
		     g->actor[0].bursts);
	expect_equal(guest_text("%s: why it ended", what), g->run.stop,
		     MEMPROBE_STOP_DONE);
}

static void quiet_times(struct guest *g, const char *what, __u64 took_ns)
{
	const __u64 window = g->run.window_ns ? g->run.window_ns
					      : g->info.window_default_ns;
	__u64 sum = 0;
	__u32 i;

	/* A kernel that preempts at chosen points only is quiet unasked. */
	if (!(g->run.flags & MEMPROBE_RUN_PREEMPT_OFF) && !g->run.quiet_ns)
		return;
	expect_between(guest_text("%s: quiet time", what), g->run.quiet_ns, 1,
		       g->run.windows * g->run.quiet_max_ns);
	expect(g->run.quiet_max_ns <= g->run.quiet_ns,
	       guest_text("%s: longest quiet time", what),
	       "at most all of it, %llu of %llu ns", g->run.quiet_max_ns,
	       g->run.quiet_ns);
	expect((g->run.got & g->run.flags) == g->run.flags,
	       guest_text("%s: got", what), "%#x in it, got %#x", g->run.flags,
	       g->run.got);
	for (i = 0; i < g->run.n_samples; i++)
		if (known(&g->sample[i], MEMPROBE_SLOT_QUIET))
			sum += g->sample[i].counter[MEMPROBE_SLOT_QUIET];
	expect(sum <= g->run.quiet_ns + g->run.quiet_ns / 100,
	       guest_text("%s: quiet times of the samples", what),
	       "no more than the run's, %llu of %llu ns", sum,
	       g->run.quiet_ns);
	/* The last window has its rest in the next call. */
	expect(took_ns + g->run.quiet_max_ns >= 2 * g->run.quiet_ns,
	       guest_text("%s: rest", what),
	       "as long as quiet but for the last window, %llu of %llu quiet",
	       g->run.quiet_ns, took_ns);
	expect(g->run.slept_ns <= took_ns, guest_text("%s: sleep", what),
	       "at most %llu ns, got %llu", took_ns, g->run.slept_ns);
	note("%s: longest quiet time %llu ns with windows of %llu ns", what,
	     g->run.quiet_max_ns, window);
}

static void rings(struct guest *g)
{
	static const struct shape {
		const char *what;
		__u64 length, stride, reach, skew, hops;
		__u32 flags;
	} shapes[] = {
		{ "a ring of lines", 64 << 10, 64, 0, 0, 1024, 0 },
		{ "a ring of words", 4096, 8, 0, 0, 777, 0 },
		{ "a ring of one slot", 64, 64, 0, 0, 64, QUIET },
		{ "a ring with a reach", 256 << 10, 64, 4096, 0, 4096, QUIET },
		{ "a ring with a skew", 256 << 10, 4096, 0, 64, 640, QUIET },
		{ "a ring that is not whole", 10000, 192, 0, 0, 100, QUIET },
		{ "a ring, preemption off", 64 << 10, 64, 0, 0, 1,
		  MEMPROBE_RUN_PREEMPT_OFF },
	};
	const struct shape *s;
	__u64 begin, end;
	size_t i;

	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		s = &shapes[i];
		guest_default(g);
		guest_bursts(g, 16, s->hops, 2 * GUEST_NS_PER_MS);
		g->actor[0].length = s->length;
		g->actor[0].stride = s->stride;
		g->actor[0].reach = s->reach;
		g->actor[0].skew = s->skew;
		g->run.flags = s->flags;
		g->run.cookie = 0x1234567890abcdefull;
		begin = guest_now_ns(CLOCK_MONOTONIC);
		if (!run_ok(g, s->what))
			continue;
		end = guest_now_ns(CLOCK_MONOTONIC);
		check_samples(g, s->what);
		quiet_times(g, s->what, end - begin);
		expect_equal(guest_text("%s: cookie", s->what), g->run.cookie,
			     0x1234567890abcdefull);
		if (known(&g->sample[0], MEMPROBE_VALID_START))
			expect_between(guest_text("%s: start", s->what),
				       g->sample[0].start_ns, begin, end);
	}
}

/* Samples further apart than they are long: what lies between is not ours. */
static void strides(struct guest *g)
{
	const __u32 stride = 320, room = 8;
	unsigned char *memory = (unsigned char *)g->sample;
	struct memprobe_sample sample;
	const char *fault = NULL;
	unsigned int touched = 0, i, k;

	guest_default(g);
	guest_bursts(g, 4, 128, 0);
	g->run.n_samples = room;
	g->run.sample_stride = stride;
	memset(memory, FILL, (size_t)stride * room);
	if (!run_ok(g, "samples with a stride"))
		return;
	for (i = 0; i < room; i++)
		for (k = i < 4 ? sizeof(sample) : 0; k < stride; k++)
			touched += memory[i * stride + k] != FILL;
	for (i = 0; i < 4 && !fault; i++) {
		memcpy(&sample, memory + i * stride, sizeof(sample));
		fault = fault_of(g, i, &sample);
	}
	expect_equal("a stride of samples: bytes touched between", touched, 0);
	expect(!fault, "a stride of samples: samples",
	       "each to be sound, sample %u has %s", i - 1, fault);
	expect_equal("a stride of samples: number", g->run.n_samples, 4);
}

static void short_windows(struct guest *g)
{
	const struct memprobe_sample *s = &g->sample[0];
	unsigned int cut = 0;
	__u64 begin;
	__u32 i;

	guest_default(g);
	guest_bursts(g, 16, g->info.hops_max, g->info.window_min_ns);
	g->actor[0].length = GUEST_ARENA_BYTES;
	g->run.flags = QUIET;
	begin = guest_now_ns(CLOCK_MONOTONIC);
	if (!run_ok(g, "windows that are too short"))
		return;
	quiet_times(g, "windows that are too short",
		    guest_now_ns(CLOCK_MONOTONIC) - begin);
	check_samples(g, "windows that are too short");
	for (i = 0; i < g->run.n_samples; i++)
		cut += s[i].flags & MEMPROBE_F_SHORT &&
		       s[i].hops < g->info.hops_max;
	expect_equal("windows that are too short: cut", cut, 16);
}

static void groups_of(struct guest *g, __u32 group, __u64 window_ns)
{
	const char *what = guest_text("groups of %u in %llu ns", group,
				      window_ns);
	__u64 words = 0, too_long = 0, misplaced = 0, miscounted = 0, sum, i, k;
	const struct memprobe_sample *s;

	guest_default(g);
	guest_bursts(g, 8, 1000, window_ns);
	g->actor[0].group = group;
	g->run.flags = QUIET;
	g->run.ticks = (__u64)(unsigned long)g->ticks;
	g->run.n_ticks = GUEST_TICKS;
	memset(g->ticks, FILL, sizeof(g->ticks));
	if (!run_ok(g, what))
		return;
	for (i = 0; i < g->run.n_samples; i++) {
		s = &g->sample[i];
		misplaced += s->payload_kind != MEMPROBE_PAYLOAD_TICKS ||
			     s->payload_offset != words;
		/* The last group may be of fewer hops than the others. */
		miscounted += !s->payload_count ||
			      (__u64)s->payload_count * group + group <= s->hops ||
			      ((__u64)s->payload_count - 1) * group >= s->hops;
		for (sum = 0, k = 0; k < s->payload_count; k++)
			sum += g->ticks[(words + k) % GUEST_TICKS];
		too_long += sum > s->ticks || !sum;
		words += s->payload_count;
	}
	expect_equal(guest_text("%s: misplaced", what), misplaced, 0);
	expect_equal(guest_text("%s: miscounted", what), miscounted, 0);
	expect_equal(guest_text("%s: longer than their burst", what), too_long,
		     0);
	expect_equal(guest_text("%s: words", what), g->run.n_ticks, words);
	for (sum = 0, i = words; i < GUEST_TICKS; i++)
		sum += g->ticks[i] != 0xa5a5a5a5a5a5a5a5ull;
	expect_equal(guest_text("%s: words touched behind", what), sum, 0);
}

static void groups(struct guest *g)
{
	groups_of(g, g->info.group_max, 2 * GUEST_NS_PER_MS);
	groups_of(g, 1, 5 * GUEST_NS_PER_MS);
	groups_of(g, 48, 2 * GUEST_NS_PER_MS);
	groups_of(g, 1, g->info.window_min_ns);
}

static void warm_up(struct guest *g)
{
	guest_default(g);
	guest_bursts(g, 4, 256, GUEST_NS_PER_MS);
	g->actor[0].warm_hops = 5000;
	g->actor[0].rewarm_hops = 128;
	g->run.flags = QUIET;
	if (!run_ok(g, "a warm-up"))
		return;
	check_samples(g, "a warm-up");
	expect(g->sample[0].warm_hops >= 128, "a warm-up: its hops",
	       "128 or more, got %llu", g->sample[0].warm_hops);
	note("warm-up of 5000 and 128 hops: the samples say %llu, %llu, %llu",
	     g->sample[0].warm_hops, g->sample[1].warm_hops,
	     g->sample[2].warm_hops);
}

/* Eight bursts of 2000 hops; 0 stands for one that its window cut short. */
static bool hops_of(struct guest *g, const char *what, __u64 *hops)
{
	__u32 i;

	guest_default(g);
	guest_bursts(g, 8, 2000, g->info.window_max_ns);
	g->run.flags = QUIET;
	if (!run_ok(g, what))
		return false;
	for (i = 0; i < 8; i++)
		hops[i] = g->sample[i].flags & MEMPROBE_F_SHORT
				  ? 0 : g->sample[i].hops;
	return true;
}

static void repeats(struct guest *g)
{
	__u64 one[8], other[8], different = 0, whole = 0;
	__u32 i;

	if (!hops_of(g, "a run", one) || !hops_of(g, "the same run", other))
		return;
	for (i = 0; i < 8; i++) {
		whole += one[i] && other[i];
		different += one[i] && other[i] && one[i] != other[i];
	}
	expect_equal("the same run: other hops", different, 0);
	expect(whole, "the same run: whole bursts", "some");
}

/*
 * Under a hypervisor there is no counting system-management interrupts, and
 * no core clock: unknown, and not 0.
 */
static void witnesses(struct guest *g)
{
	const struct memprobe_sample *s = &g->sample[0];

	guest_default(g);
	g->run.flags = QUIET;
	if (!run_ok(g, "witnesses"))
		return;
	note("valid %#llx of %#llx, got %#x, steal %s", s->valid, g->info.valid,
	     g->run.got, g->run.valid & 1 ? "known" : "unknown");
	expect(!(g->run.valid & ~1u), "what the run knows",
	       "no unknown bits, got %#x", g->run.valid);
	expect(g->run.gap_ticks, "what a gap is", "more than 0 ticks, got none");
	expect(known(s, MEMPROBE_SLOT_EMPTY), "an empty window's ticks",
	       "to be known");
	expect(known(s, MEMPROBE_SLOT_QUIET), "a window's quiet time",
	       "to be known");
	expect(known(s, MEMPROBE_VALID_GAPS), "gaps", "to be known");
	expect(known(s, MEMPROBE_VALID_CPU_END), "the CPU at the end",
	       "to be known");
	expect(!known(s, MEMPROBE_VALID_SPAN2), "a second clock",
	       "not to be known, there is none");
	expect(!(g->run.got & MEMPROBE_RUN_COUNTED), "no events asked for",
	       "none counted");
	expect(!(g->run.got & MEMPROBE_RUN_SINGLE_CPU) == (guest_cpus() > 1),
	       "a single CPU", "to be said there and only there, got %#x",
	       g->run.got);
	if (!(g->run.got &
	      (MEMPROBE_RUN_HYPERVISOR | MEMPROBE_RUN_NO_MEASUREMENT))) {
		skipped("what a hypervisor hides", "there is none");
		return;
	}
	expect(!known(s, MEMPROBE_VALID_SMI), "system-management interrupts",
	       "to be unknown under a hypervisor");
	expect(!known(s, MEMPROBE_SLOT_APERF) &&
	       !known(s, MEMPROBE_SLOT_MPERF), "the core clock",
	       "to be unknown under a hypervisor");
}

int main(int argc, char **argv)
{
	const bool plain = argc > 1 && !strcmp(argv[1], "plain");
	struct guest *g;

	guest_begin("guest_run", LIMIT_S);
	g = guest_new(0);
	if (!g)
		return guest_end();
	rings(g);
	strides(g);
	short_windows(g);
	groups(g);
	warm_up(g);
	repeats(g);
	witnesses(g);
	run_sequence(g, plain);
	run_events(g);
	run_memory(g);
	guest_works("all runs");
	return guest_end();
}
