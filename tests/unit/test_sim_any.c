// SPDX-License-Identifier: GPL-2.0
/*
 * Machines and experiments by chance: whatever is parsed and honoured can be
 * measured, twice alike, and no hop costs less than the first level or more
 * than a walk and memory.
 */
#include "backend/sim_chase.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "backend/sim_honour.h"
#include "backend/sim_sequence.h"
#include "made_batch.h"
#include "rng.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define MACHINES 300u
#define KIB 1024ull
#define L1_CYCLES 4
#define MOST_CYCLES (300 + 30)

static const char *const policies[] = {
	"lru", "fifo", "random", "tree-plru", "bit-plru", "nru", "srrip",
	"qlru_h11_m1_r0_u0", "qlru_h00_m1_r2_u1", "qlru_h21_m3_r1_u3",
	"qlru_h20_mr8_r0_u2_umo",
};
static const char *const inclusions[] = { "non-inclusive", "inclusive",
					  "exclusive" };
static const char *const kinds[] = { "adjacent", "next", "stride", "stream" };
static const char *const levels[] = { "l1d", "l2", "l3" };

struct text {
	char words[4096];
	size_t length;
};

static void say(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text->length += (size_t)vsnprintf(text->words + text->length,
					  sizeof(text->words) - text->length,
					  format, args);
	va_end(args);
	assert_true(text->length < sizeof(text->words));
}

static uint32_t below(struct mp_rng *rng, uint32_t n)
{
	return (uint32_t)mp_rng_below(rng, n);
}

/* Ways are a power of two, so that a tree can have them; sets need not be. */
static void say_level(struct text *text, uint32_t i, struct mp_rng *rng)
{
	const uint32_t ways = 1u << below(rng, 5);
	const uint32_t slices = i == 2 ? 1 + below(rng, 3) : 1;
	const uint32_t sets = 1 + below(rng, i == 0 ? 16 : 64);
	const char *inclusion = i ? inclusions[below(rng, 3)] : inclusions[0];
	const bool is_exclusive = inclusion == inclusions[2];
	const uint32_t line = i && !is_exclusive ? 64 << below(rng, 2) : 64;

	say(text, "level name=%s size=%u line=%u latency=%u policy=%s "
	    "inclusion=%s slices=%u shared=%u ", levels[i],
	    ways * sets * slices * line, line, i == 0 ? 4 : i == 1 ? 14 : 50,
	    policies[below(rng, COUNT(policies))], inclusion, slices,
	    1 + below(rng, 3));
	say(text, "ways=%u\n", ways);
}

static void say_machine(struct text *text, struct mp_rng *rng)
{
	const uint32_t n = 1 + below(rng, 3);

	text->length = 0;
	say(text, "machine name=any cpus=3 memory_latency=300 ram=64M "
	    "clock_mhz=1000\nclock tsc_mhz=1000 read=0\n");
	for (uint32_t i = 0; i < n; i++)
		say_level(text, i, rng);
	if (below(rng, 2))
		say(text, "tlb level=1 page=4K entries=%u ways=full policy=%s\n"
		    "walk cost=30\n", 1u << below(rng, 8),
		    policies[below(rng, COUNT(policies))]);
	if (below(rng, 3) == 0)
		say(text, "tlb level=2 page=2M entries=8 ways=2 cost=5\n");
	for (uint32_t i = below(rng, 3); i; i--)
		say(text, "prefetch kind=%s into=%s\n", kinds[below(rng, 4)],
		    levels[below(rng, n)]);
	if (below(rng, 3) == 0)
		say(text, "neighbour level=%s period_ms=0.2\n",
		    levels[below(rng, n)]);
	if (below(rng, 3) == 0)
		say(text, "place pages=contiguous thp=refused huge=20\n");
}

static void make_chases(struct mp_exp *exp, struct mp_rng *rng)
{
	exp->n_arenas = 1 + below(rng, 3);
	for (uint32_t i = 0; i < exp->n_arenas; i++) {
		exp->arena[i].bytes = 64 * (16 + below(rng, 2000));
		exp->arena[i].pages = below(rng, 2);
	}
	exp->n_actors = 1 + below(rng, 3);
	for (uint32_t i = 0; i < exp->n_actors; i++) {
		struct mp_actor *actor = &exp->actor[i];

		actor->op = MP_OP_CHASE;
		actor->place = i;
		actor->arena = below(rng, exp->n_arenas);
		actor->phase = below(rng, 2);
		actor->length = exp->arena[actor->arena].bytes;
		actor->stride = 64 << below(rng, 2);
		actor->warm_hops = below(rng, 4000);
		actor->hops = 1 + below(rng, 2000);
		actor->bursts = 1 + below(rng, 3);
		actor->detail = below(rng, 3);
		actor->group = 1 + below(rng, 100);
		if (actor->group > actor->hops)
			actor->group = 1;
	}
	exp->rounds = 1 + below(rng, 2);
}

static void make_sequence(struct mp_exp *exp, struct mp_rng *rng)
{
	mp_exp_chase(exp, below(rng, 3), below(rng, 2), 64 * KIB, 256, 0);
	exp->actor[0].op = MP_OP_SEQUENCE;
	exp->n_steps = 1 + below(rng, MP_EXP_STEPS);
	for (uint32_t i = 0; i < exp->n_steps; i++)
		exp->steps[i] = MEMPROBE_STEP((i * 37 + below(rng, 2)) % 256,
					      below(rng, 3));
}

static void measure(const struct mp_sim_machine *machine,
		    const struct mp_exp *exp, struct mp_batch *batch)
{
	mp_batch_init(batch, exp, 0);
	assert_int_equal(mp_sim_chase(machine, 1, NULL, batch), 0);
	assert_true(batch->n_samples > 0);
}

static void assert_possible(const struct mp_batch *batch)
{
	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *sample = &batch->sample[i];

		/* Each group may end a tick early or late. */
		if (batch->exp.n_steps)
			continue;
		assert_true(sample->ticks + 2 >= sample->hops * L1_CYCLES);
		assert_true(sample->ticks <= sample->hops * MOST_CYCLES + 2);
	}
	for (uint32_t i = 0; batch->exp.n_steps && i < batch->n_words; i++) {
		if (batch->exp.actor[0].detail == MP_DETAIL_TOTALS)
			assert_in_range(batch->payload[i], L1_CYCLES - 1,
					MOST_CYCLES + 1);
	}
}

static void ask(const struct mp_sim_machine *machine, const char *text,
		struct mp_rng *rng)
{
	struct mp_batch a, b;
	struct mp_exp exp;
	char why[256];

	mp_exp_init(&exp);
	if (below(rng, 4))
		make_chases(&exp, rng);
	else
		make_sequence(&exp, rng);
	if (mp_exp_check(&exp, why, sizeof(why)))
		fail_msg("%s", why);
	if (exp.n_steps && mp_sim_sequence_check(&exp))
		return;
	measure(machine, &exp, &a);
	measure(machine, &exp, &b);
	if (!made_batch_equal(&a, &b))
		fail_msg("not twice alike:\n%s", text);
	assert_possible(&a);
	mp_batch_free(&a);
	mp_batch_free(&b);
}

static void any_machine_can_be_measured_twice_alike(void **state)
{
	struct mp_sim_machine machine;
	uint32_t n_honoured = 0;
	struct text text;
	struct mp_rng rng;
	char why[256];

	(void)state;
	mp_rng_seed(&rng, 5);
	for (uint32_t i = 0; i < MACHINES; i++) {
		say_machine(&text, &rng);
		if (mp_sim_machine_parse(&machine, text.words, "any", why,
					 sizeof(why)))
			fail_msg("%s\n%s", why, text.words);
		if (!mp_sim_honour(&machine, "any", why, sizeof(why))) {
			ask(&machine, text.words, &rng);
			n_honoured++;
		}
		mp_sim_machine_free(&machine);
	}
	assert_true(n_honoured > MACHINES / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_machine_can_be_measured_twice_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
