// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU made up for tests. Each slot of a ring falls on a set of each level;
 * of a set that holds more lines than ways every hop misses (or as many as a
 * random victim makes miss), and what misses goes on to the next level.
 */
#include "made_cpu.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chase.h"
#include "ioctl/memprobe.h"
#include "ring.h"
#include "rng.h"

#define SMALL_PAGE 4096u
#define HUGE_PAGE (2u << 20)
/* Page frames are drawn from so many. */
#define FRAMES (1ull << 28)
/* So many times a level's lines on its sets: every set is too full. */
#define TOO_FULL 6
#define READ_TICKS 40.0
#define LOOK_TICKS 1.5
/* Slots nearer than this a prefetcher brings. */
#define NEAR 256u
#define WAYS_MAX 64u
#define LINES_MAX (4 * WAYS_MAX)

/* An experiment as it is played: what was granted, and what is drawn. */
struct play {
	const struct made_cpu *cpu;
	const struct mp_actor *actor;
	uint64_t page;
	uint64_t slots;
	uint64_t seed;
	uint32_t replicate;
};

static double uniform(uint64_t word)
{
	return (double)(mp_rng_mix(word) >> 11) / 9007199254740992.0;
}

/* -- caches ------------------------------------------------------------- */

static uint32_t line_of(const struct made_cache *cache)
{
	return cache->line ? cache->line : 64;
}

static uint64_t slot_offset(const struct play *play, uint64_t slot)
{
	const struct mp_ring ring = {
		.stride_bytes = play->actor->stride,
		.skew_bytes = play->actor->skew,
	};

	return mp_ring_offset(&ring, (uint32_t)slot);
}

static uint64_t frame(const struct play *play, uint64_t page, uint64_t salt)
{
	return mp_rng_mix(play->seed ^ mp_rng_mix(page + salt)) % FRAMES;
}

/* Where in a level each small page of the arena begins, in lines. */
static uint64_t *page_lines(const struct play *play,
			    const struct made_cache *cache)
{
	uint64_t n = play->actor->length / SMALL_PAGE + 1;
	uint64_t *lines = malloc(n * sizeof(*lines));

	assert(lines);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t offset = i * SMALL_PAGE;
		uint64_t address = frame(play, offset / play->page, 1) *
				   play->page + offset % play->page;

		if (cache->scattered && play->page > SMALL_PAGE)
			address = frame(play, address / SMALL_PAGE, 2) *
				  SMALL_PAGE;
		lines[i] = address / line_of(cache);
	}
	return lines;
}

/* The set of a level that each slot falls on. */
static uint32_t *slot_sets(const struct play *play,
			   const struct made_cache *cache, uint64_t sets)
{
	uint32_t *set = malloc(play->slots * sizeof(*set));
	uint64_t *lines = page_lines(play, cache);

	assert(set);
	for (uint64_t i = 0; i < play->slots; i++) {
		uint64_t offset = slot_offset(play, i);

		set[i] = (uint32_t)((lines[offset / SMALL_PAGE] +
			offset % SMALL_PAGE / line_of(cache)) % sets);
	}
	free(lines);
	return set;
}

/* Of slots that share a line the first to come brings it in. */
static bool brings_line(const struct play *play,
			const struct made_cache *cache, uint64_t slot)
{
	const uint32_t line = line_of(cache);
	const uint64_t stride = play->actor->stride;

	return stride >= line || !slot ||
	       slot * stride / line != (slot - 1) * stride / line;
}

static uint32_t ways_of(const struct play *play,
			const struct made_cache *cache)
{
	return cache->ways_left && play->replicate % 2 ? cache->ways_left :
							 cache->ways;
}

/* Misses of one set walked round under random replacement, played out. */
static double any_evicted(uint32_t lines, uint32_t ways)
{
	static double known[WAYS_MAX + 1][LINES_MAX];
	uint32_t held[WAYS_MAX], misses = 0, hops = 0;
	struct mp_rng rng;

	assert(ways <= WAYS_MAX);
	if (lines >= 4 * ways)
		return 1;
	if (known[ways][lines] > 0)
		return known[ways][lines];
	mp_rng_seed(&rng, lines * 64 + ways);
	memset(held, 0xff, sizeof(held));
	for (uint32_t turn = 0; turn < 120; turn++) {
		for (uint32_t line = 0; line < lines; line++) {
			uint32_t way = 0;

			while (way < ways && held[way] != line)
				way++;
			if (way == ways)
				held[mp_rng_below(&rng, ways)] = line;
			hops += turn >= 40;
			misses += turn >= 40 && way == ways;
		}
	}
	known[ways][lines] = (double)misses / hops;
	return known[ways][lines];
}

static double set_misses(const struct made_cache *cache, uint32_t lines,
			 uint32_t ways)
{
	if (lines <= ways)
		return 0;
	return cache->any_evicted ? any_evicted(lines, ways) : 1;
}

/* Do all sets hold far more lines than ways? */
static bool all_too_full(const struct play *play,
			 const struct made_cache *cache)
{
	uint64_t step = play->actor->stride;

	if (step < line_of(cache))
		step = line_of(cache);
	return play->actor->length / step * line_of(cache) >
	       TOO_FULL * cache->bytes;
}

/* Takes from what share of each slot's hops comes so far what hits. */
static void take_hits(const struct play *play, const struct made_cache *cache,
		      float *comes)
{
	uint64_t sets = cache->bytes / line_of(cache) / cache->ways;
	uint32_t *in_set = calloc(sets, sizeof(*in_set));
	uint32_t *set = slot_sets(play, cache, sets);
	uint32_t ways = ways_of(play, cache);

	assert(in_set);
	for (uint64_t i = 0; i < play->slots; i++)
		in_set[set[i]] += brings_line(play, cache, i);
	for (uint64_t i = 0; i < play->slots; i++)
		if (comes[i] > 0)
			comes[i] *= (float)set_misses(cache, in_set[set[i]],
						      ways);
	free(set);
	free(in_set);
}

/* Hops that find the line there because another slot brought it; and the
 * second line of a pair, which a prefetcher may have put there. */
static void take_shared(const struct play *play, uint32_t k, float *comes)
{
	const struct made_cache *cache = &play->cpu->cache[k];
	double neighbour = k == 1 ? play->cpu->neighbour : 0;

	if (play->actor->stride > line_of(cache))
		return;
	for (uint64_t i = 0; i < play->slots; i++) {
		if (!brings_line(play, cache, i))
			comes[i] = 0;
		else if (slot_offset(play, i) / line_of(cache) % 2)
			comes[i] *= (float)(1 - neighbour);
	}
}

/* Share of all hops that go on from level k to the next. */
static double pass_level(const struct play *play, uint32_t k, float *comes)
{
	const struct made_cache *cache = &play->cpu->cache[k];
	double sum = 0;

	if (!all_too_full(play, cache))
		take_hits(play, cache, comes);
	take_shared(play, k, comes);
	for (uint64_t i = 0; i < play->slots; i++)
		sum += comes[i];
	return sum / (double)play->slots;
}

static double swayed(const struct play *play, uint32_t k, double cycles)
{
	double part = uniform(play->seed ^ 77) - 0.5;

	return k < 2 ? cycles : cycles * (1 + 2 * play->cpu->sway * part);
}

/* What share of the hops each level serves, memory being the last. */
static void caches_serve(const struct play *play, double *served)
{
	const struct made_cpu *cpu = play->cpu;
	float *comes = malloc(play->slots * sizeof(*comes));
	double share = 1;

	assert(comes);
	for (uint64_t i = 0; i < play->slots; i++)
		comes[i] = 1;
	for (uint32_t k = 0; k < cpu->n_caches; k++) {
		double goes_on = share > 0 ? pass_level(play, k, comes) : 0;

		if (!k && play->actor->stride < NEAR)
			goes_on *= 1 - cpu->brought;
		served[k] = share - goes_on;
		share = goes_on;
	}
	served[cpu->n_caches] = share;
	free(comes);
}

static double level_cycles(const struct play *play, uint32_t k)
{
	const struct made_cpu *cpu = play->cpu;

	return swayed(play, k, k < cpu->n_caches ? cpu->cache[k].cycles :
						   cpu->memory_cycles);
}

/* -- translation -------------------------------------------------------- */

/* A page for each slot: they fall on the sets of the TLB by number. */
static double tlb_misses_apart(const struct play *play,
			       const struct made_tlb *tlb)
{
	uint64_t sets = tlb->ways ? tlb->entries / tlb->ways : 1;
	uint32_t ways = tlb->ways ? tlb->ways : tlb->entries;
	uint32_t *in_set = calloc(sets, sizeof(*in_set));
	uint64_t misses = 0;

	assert(in_set);
	for (uint64_t i = 0; i < play->slots; i++)
		in_set[i * play->actor->stride / play->page % sets]++;
	for (uint64_t s = 0; s < sets; s++)
		misses += in_set[s] > ways ? in_set[s] :
			  in_set[s] == ways && tlb == play->cpu->tlb &&
			  play->cpu->taken >> s & 1 ? 4 : 0;
	free(in_set);
	return (double)misses / (double)play->slots;
}

static double tlb_misses(const struct play *play, const struct made_tlb *tlb)
{
	double pages = (double)play->actor->length / (double)play->page;

	if (play->actor->stride >= play->page)
		return tlb_misses_apart(play, tlb);
	if (pages <= tlb->entries)
		return 0;
	/* In windows a page is asked for once a turn, else by each hop. */
	if (play->actor->reach)
		return (double)play->actor->stride / (double)play->page;
	return 1 - tlb->entries / pages;
}

/* What share of the hops hit a TLB or walk, and what that costs each: none of
 * the first, then those that each level of the TLB misses. */
static void tlbs_serve(const struct play *play, double *share, double *cycles)
{
	const struct made_tlb *tlb = play->cpu->tlb;
	const double pages = (double)play->actor->length / (double)play->page;

	share[0] = 1;
	cycles[0] = 0;
	for (uint32_t k = 0; k < play->cpu->n_tlbs; k++) {
		double here = tlb[k].cycles;
		double misses = tlb_misses(play, &tlb[k]);

		if (k + 1 == play->cpu->n_tlbs && pages > tlb[k].entries)
			here *= pow(pages / tlb[k].entries,
				    play->cpu->walks_grow);
		/* What is not in a larger one is not in a smaller one. */
		misses = fmin(misses, share[k]);
		share[k] -= misses;
		share[k + 1] = misses;
		cycles[k + 1] = here;
	}
}

/* -- hops --------------------------------------------------------------- */

/* Kinds of hops: where they are served, and how they are translated. */
#define KINDS ((MADE_CACHES + 1) * (MADE_TLBS + 1))

struct mix {
	uint32_t n;
	double share[KINDS];
	double cycles[KINDS];
};

static void fill_mix(const struct play *play, double factor, struct mix *mix)
{
	double served[MADE_CACHES + 1];
	double share[MADE_TLBS + 1], cycles[MADE_TLBS + 1];

	mix->n = 0;
	caches_serve(play, served);
	tlbs_serve(play, share, cycles);
	for (uint32_t k = 0; k <= play->cpu->n_caches; k++) {
		for (uint32_t t = 0; t <= play->cpu->n_tlbs; t++) {
			mix->share[mix->n] = served[k] * share[t];
			mix->cycles[mix->n++] = factor *
				(level_cycles(play, k) + cycles[t]);
		}
	}
}

static double mean_cycles(const struct mix *mix)
{
	double sum = 0;

	for (uint32_t i = 0; i < mix->n; i++)
		sum += mix->share[i] * mix->cycles[i];
	return sum;
}

/* -- batches ------------------------------------------------------------ */

static uint64_t step_of(const struct made_cpu *cpu)
{
	return cpu->tick_step ? cpu->tick_step : 1;
}

static void make_grant(const struct made_cpu *cpu, const struct mp_exp *exp,
		       uint64_t page, uint64_t seed, struct mp_grant *grant)
{
	struct mp_grant_arena *arena = &grant->arena[0];

	grant->tick_hz = MADE_TICK_HZ;
	grant->tick_step = step_of(cpu);
	grant->read_ticks = READ_TICKS;
	grant->look_ticks = LOOK_TICKS;
	grant->gap_ticks = 2500;
	if (exp->quiet & MP_WISH_PREFETCH_OFF && !(cpu->neighbour > 0) &&
	    !(cpu->brought > 0))
		grant->got |= MP_GOT_PREFETCH_OFF;
	grant->n_arenas = 1;
	arena->bytes = exp->arena[0].bytes;
	arena->node = exp->arena[0].node;
	arena->pages = page > SMALL_PAGE ? exp->arena[0].pages : MP_PAGES_4K;
	arena->huge_bytes = page > SMALL_PAGE ? arena->bytes : 0;
	if (!(cpu->core_hz > 0))
		return;
	grant->n_clocks = 2;
	for (uint32_t i = 0; i < grant->n_clocks; i++) {
		double hz = cpu->core_hz * (1 + 1e-4 * uniform(seed + i));

		grant->clock[i] = (struct mp_clock_record){ i, hz,
							    hz * cpu->mul };
	}
}

/* A stretch as the clock shows it: it moves by steps, and began anywhere. */
static uint64_t shown(double ticks, uint64_t step, double phase)
{
	return (uint64_t)floor(ticks / (double)step + phase) * step;
}

/* Of a kind of hops, those that the clock shows a step longer. */
static uint64_t longer(double ticks, uint64_t step, uint64_t hops)
{
	double steps = ticks / (double)step;

	return (uint64_t)((steps - floor(steps)) * (double)hops + 0.5);
}

/* So many hops read alike; they cost what they read. */
static void note_hops(uint64_t *word, uint32_t *n, uint64_t ticks,
		      uint64_t hops, struct memprobe_sample *sample)
{
	if (!hops)
		return;
	word[(*n)++] = ticks;
	word[(*n)++] = hops;
	sample->ticks += ticks * hops;
}

/* Hops timed one by one: a kind has its share of them, to the hop. */
static void make_hist(struct mp_batch *batch, const struct mix *mix,
		      double ticks_per_cycle, struct memprobe_sample *sample)
{
	const uint64_t step = batch->grant.tick_step;
	uint64_t word[KINDS * 4], done = 0;
	uint32_t n = 0;
	double sum = 0;

	sample->ticks = 0;
	for (uint32_t i = 0; i < mix->n; i++) {
		double ticks = mix->cycles[i] * ticks_per_cycle + READ_TICKS;
		uint64_t upto, hops, more;

		sum += mix->share[i];
		upto = (uint64_t)(fmin(sum, 1) * (double)sample->hops + 0.5);
		hops = upto - done;
		more = longer(ticks, step, hops);
		note_hops(word, &n, shown(ticks, step, 0), hops - more, sample);
		note_hops(word, &n, shown(ticks, step, 1), more, sample);
		done = upto;
	}
	sample->payload_kind = MEMPROBE_PAYLOAD_HIST;
	sample->payload_count = n;
	assert(!mp_batch_words(batch, word, n, &sample->payload_offset));
}

static void make_sample(struct mp_batch *batch, uint32_t burst,
			const struct mix *mix, double ticks_per_cycle,
			uint32_t flags, uint64_t seed)
{
	const struct mp_actor *actor = &batch->exp.actor[0];
	struct memprobe_sample *sample = mp_batch_add(batch);
	double window_ticks = (double)batch->exp.window_ns * MADE_TICK_HZ / 1e9;
	double noise = 1 + 2e-3 * (uniform(seed + burst) - 0.5);
	double hop_ticks = mean_cycles(mix) * ticks_per_cycle;

	assert(sample);
	sample->burst = (uint16_t)burst;
	sample->hops = actor->hops;
	sample->bytes = actor->length;
	sample->warm_hops = actor->warm_hops;
	sample->flags = flags;
	if ((double)sample->hops * hop_ticks > window_ticks) {
		sample->hops = (uint64_t)(window_ticks / hop_ticks) + 1;
		sample->flags |= MEMPROBE_F_SHORT;
	}
	/* What was disturbed reads far too long. */
	if (flags & MEMPROBE_F_DISTURBED)
		noise *= 5;
	if (actor->detail == MP_DETAIL_HIST) {
		assert(actor->group == 1);
		make_hist(batch, mix, ticks_per_cycle * noise, sample);
		return;
	}
	hop_ticks = hop_ticks * noise + LOOK_TICKS / MP_CHASE_LOOK_HOPS;
	sample->ticks = shown(READ_TICKS + hop_ticks * (double)sample->hops,
			      batch->grant.tick_step,
			      uniform(seed + burst + 9));
}

void made_cpu_usual(struct made_cpu *cpu)
{
	*cpu = (struct made_cpu){
		.n_caches = 3,
		.cache = {
			{ .bytes = 48 << 10, .ways = 12, .cycles = 5 },
			{ .bytes = 1 << 20, .ways = 16, .cycles = 15 },
			{ .bytes = 8 << 20, .ways = 16, .cycles = 60,
			  .scattered = true },
		},
		.memory_cycles = 350,
		.n_tlbs = 2,
		.tlb = { { 96, 6, 7 }, { 2048, 8, 40 } },
		.core_hz = CORE_GHZ * 1e9,
		.mul = 1,
		.noise = 0.01,
		.seed = 1,
	};
}

void made_cpu_run(const struct made_cpu *cpu, struct mp_batch *batch)
{
	const struct mp_actor *actor = &batch->exp.actor[0];
	uint64_t seed = mp_exp_seed(cpu->seed, batch->id, batch->replicate);
	bool small = cpu->small_only ||
		     batch->exp.arena[0].pages == MP_PAGES_4K;
	struct play play = {
		cpu, actor, small ? SMALL_PAGE : HUGE_PAGE,
		actor->length / actor->stride, seed, batch->replicate };
	bool disturbed = uniform(seed ^ 33) < cpu->disturbed;
	double ticks_per_cycle = MADE_TICK_HZ /
		(cpu->core_hz > 0 ? cpu->core_hz : CORE_GHZ * 1e9);
	struct mix mix = { .n = 1, .share = { 1 },
			   .cycles = { cpu->memory_cycles } };

	/* What a set does is for simulated machines. */
	assert(batch->exp.n_actors == 1 && (actor->op == MP_OP_CHASE ||
					    actor->op == MP_OP_SEQUENCE));
	batch->error = actor->op == MP_OP_CHASE ? cpu->error : -EOPNOTSUPP;
	if (batch->error)
		return;
	/* Of a batch that is disturbed nobody reads the hops. */
	if (!disturbed)
		fill_mix(&play, 1 + cpu->noise * (uniform(seed ^ 55) - 0.5),
			 &mix);
	make_grant(cpu, &batch->exp, play.page, seed, &batch->grant);
	for (uint32_t i = 0; i < actor->bursts; i++)
		make_sample(batch, i, &mix, ticks_per_cycle,
			    /* Here and there one burst alone is hit. */
			    disturbed || (!i && seed % 3 == 0) ?
			    MEMPROBE_F_GAP : 0, seed);
	batch->cost_ns = (uint64_t)(mean_cycles(&mix) * ticks_per_cycle * 1e9 /
		MADE_TICK_HZ * (double)
		(actor->warm_hops + actor->hops * actor->bursts));
}
