// SPDX-License-Identifier: GPL-2.0
/*
 * The backend "kmod": measures the machine that it runs on through
 * memprobe.ko, burst by burst in short windows in which the kernel keeps
 * interrupts and other tasks off this CPU, in memory that it can give in one
 * physically contiguous piece. This side plans, asks and keeps; the loads
 * are the module's.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kmod_dev.h"
#include "kmod_note.h"
#include "kmod_plan.h"
#include "kmod_walk.h"
#include "limits.h"
#include "user_place.h"
#include "why.h"

/* What a trial of a kind of pages takes. */
#define TRIAL_BYTES (2ull << 20)
/* The module's idea of the tick rate and ours may differ by this share: its
 * is a short measurement. */
#define TICK_SHARE 0.02
#define NO_MACHINE "user-mode Linux: no measurement of this machine"
#define IRQS_OFF (MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF)

/*
 * The backend's own.
 * @quiet: flags of runs: how windows are kept quiet, 0 = not at all
 * @prefetch: the flag that turns prefetchers off, 0 = it cannot be had
 * @got: what the rehearsal got, enum memprobe_run_flag
 * @contig: a trial got contiguous memory
 * @huge: a trial got huge pages
 * @noisy: windows are not to be quiet
 * @why: what is wrong with the present batch
 */
struct kmod {
	struct mp_user_place place;
	struct mp_kmod_dev dev;
	uint32_t quiet;
	uint32_t prefetch;
	uint32_t got;
	uint64_t arena_max_bytes;
	uint32_t pages;
	bool pages_forced;
	bool contig;
	bool huge;
	bool noisy;
	char why[MP_TARGET_WHY];
};

/* Return: NULL, or why the module cannot be used; room for one such line. */
static const char *unmet_kmod(void)
{
	static char why[MP_TARGET_WHY];
	struct mp_kmod_dev dev;

	if (mp_user_clock_unmet())
		return mp_user_clock_unmet();
	if (mp_kmod_dev_open(&dev, why, sizeof(why)))
		return why;
	mp_kmod_dev_close(&dev);
	return NULL;
}

static uint64_t arena_max(struct kmod *kmod)
{
	const struct memprobe_info *info = &kmod->dev.info;
	uint64_t bytes = mp_user_place_arena_max(&kmod->place);

	if (bytes > info->arena_max_bytes)
		bytes = info->arena_max_bytes;
	return bytes < info->total_max_bytes ? bytes : info->total_max_bytes;
}

/* -- one batch ------------------------------------------------------------ */

static int check_exp(struct kmod *kmod, const struct mp_exp *exp)
{
	int err;

	err = mp_user_place_check(&kmod->place, exp);
	if (err)
		return mp_why(kmod->why, sizeof(kmod->why), err, "one actor "
			      "on CPU %d, in one arena, is all that there is "
			      "here", kmod->place.sched.cpu);
	if (kmod->pages_forced && exp->arena[0].pages != kmod->pages)
		return mp_why(kmod->why, sizeof(kmod->why), -EOPNOTSUPP,
			      "pages %s: only %s were asked for",
			      mp_pages_name(exp->arena[0].pages),
			      mp_pages_name(kmod->pages));
	return 0;
}

static int walk_rounds(struct kmod *kmod, struct mp_batch *batch,
		       struct mp_kmod_walk *walk)
{
	struct mp_grant *grant = &batch->grant;
	int err = 0;

	grant->n_clocks = 2;
	mp_user_clock_core(&kmod->place.clock, &grant->clock[0]);
	for (uint32_t i = 0; i < batch->exp.rounds && !err && !walk->ended;
	     i++)
		err = mp_kmod_walk_round(walk, (uint16_t)i, batch, kmod->why,
					 sizeof(kmod->why));
	mp_user_clock_core(&kmod->place.clock, &grant->clock[1]);
	return err;
}

/*
 * Prefetchers off are a wish: where the first call is refused the batch is
 * measured without, and if that works they are not wished for again. What a
 * later call refuses is another matter, and there are samples by then.
 */
static int walk_as_wished(struct kmod *kmod, struct mp_batch *batch,
			  struct mp_kmod_plan *plan, struct mp_kmod_walk *walk)
{
	const struct mp_kmod_walk fresh = *walk;
	int err = walk_rounds(kmod, batch, walk);

	if (!(plan->flags & MEMPROBE_RUN_PREFETCH_OFF) || batch->n_samples ||
	    (err != -EPERM && err != -EOPNOTSUPP))
		return err;
	plan->flags &= ~(uint32_t)MEMPROBE_RUN_PREFETCH_OFF;
	*walk = fresh;
	err = walk_rounds(kmod, batch, walk);
	if (!err)
		kmod->prefetch = 0;
	return err;
}

static void fill_grant(struct kmod *kmod, const struct mp_kmod_walk *walk,
		       const struct mp_grant_arena *arena,
		       struct mp_grant *grant)
{
	const struct memprobe_info *info = &kmod->dev.info;
	const double most = (double)info->look_millis / 1000;
	const double empty = kmod->place.clock.empty_ticks;

	mp_user_place_grant(&kmod->place, arena, 1, grant);
	/* The module's loop is the same code, but not in the same place. */
	if (info->empty_millis)
		grant->read_ticks = fmax(grant->read_ticks - empty +
					 (double)info->empty_millis / 1000, 0);
	if (info->look_millis && grant->look_ticks > most)
		grant->look_ticks = most;
	grant->gap_ticks = walk->gap_ticks;
	mp_kmod_note_names(grant);
	if (walk->got & MEMPROBE_RUN_PREEMPT_OFF)
		grant->got |= MP_GOT_PREEMPT_OFF;
	if (walk->got & MEMPROBE_RUN_IRQ_OFF)
		grant->got |= MP_GOT_IRQ_OFF;
	if (walk->got & MEMPROBE_RUN_PREFETCH_OFF)
		grant->got |= MP_GOT_PREFETCH_OFF;
	kmod->got = walk->got;
}

static int measure_in(struct kmod *kmod, struct mp_batch *batch,
		      struct mp_kmod_plan *plan,
		      const struct mp_kmod_note *note)
{
	struct mp_kmod_walk walk = {
		.dev = &kmod->dev,
		.clock = &kmod->place.clock,
		.plan = plan,
		.note = note,
		.seed = mp_exp_seed(kmod->place.seed, batch->id,
				    batch->replicate),
		.bursts = batch->exp.actor[0].bursts,
	};
	struct mp_grant_arena granted;
	struct memprobe_arena arena;
	uint32_t kind;
	int err;

	err = mp_kmod_dev_take(&kmod->dev, &batch->exp.arena[0],
			       kmod->pages_forced, &arena, &kind, kmod->why,
			       sizeof(kmod->why));
	if (err)
		return err;
	walk.arena = arena.id;
	/* Looking for a large arena takes its time: it is not the batch's. */
	walk.late_ns = mp_user_now_ns() + MP_USER_BATCH_NS;
	mp_user_clock_read(&kmod->place.clock, 1);
	err = walk_as_wished(kmod, batch, plan, &walk);
	mp_user_clock_read(&kmod->place.clock, 0.5);
	mp_kmod_dev_give(&kmod->dev, arena.id);
	if (err)
		return err;
	mp_user_place_settle(&kmod->place, batch);
	mp_kmod_dev_grant(&arena, kind, &granted);
	fill_grant(kmod, &walk, &granted, &batch->grant);
	return 0;
}

static uint32_t flags_for(const struct kmod *kmod, const struct mp_exp *exp)
{
	if (exp->quiet & MP_WISH_PREFETCH_OFF &&
	    kmod->quiet & MEMPROBE_RUN_IRQ_OFF)
		return kmod->quiet | kmod->prefetch;
	return kmod->quiet;
}

static int measure(struct kmod *kmod, struct mp_batch *batch)
{
	const struct mp_exp *exp = &batch->exp;
	struct mp_kmod_plan plan;
	struct mp_kmod_note note;
	int err;

	if (exp->arena[0].bytes >= MP_USER_ROOM_AGAIN_BYTES)
		kmod->arena_max_bytes = arena_max(kmod);
	if (exp->arena[0].bytes > kmod->arena_max_bytes)
		return mp_why(kmod->why, sizeof(kmod->why), -ENOMEM,
			      "arena of %ju bytes: %ju are allowed",
			      (uintmax_t)exp->arena[0].bytes,
			      (uintmax_t)kmod->arena_max_bytes);
	err = mp_kmod_plan_make(&plan, exp, &kmod->dev.info,
				flags_for(kmod, exp), kmod->why,
				sizeof(kmod->why));
	if (err)
		return err;
	err = mp_kmod_note_make(&note, &plan,
				mp_kmod_plan_bursts(&plan,
						    exp->actor[0].bursts));
	if (err)
		return mp_why(kmod->why, sizeof(kmod->why), err,
			      "out of memory");
	batch->grant.got = mp_user_sched_raise(&kmod->place.sched);
	err = measure_in(kmod, batch, &plan, &note);
	mp_user_sched_drop(&kmod->place.sched);
	mp_kmod_note_free(&note);
	return err;
}

/*
 * Moved away, the module takes what we ask for wrong, or says so at the end.
 * The next try shall find us in our place.
 */
static int heed_move(struct kmod *kmod, int err)
{
	if ((err != -EINVAL && err != -EAGAIN) ||
	    mp_user_sched_holds(&kmod->place.sched))
		return err;
	mp_user_sched_pin(&kmod->place.sched);
	return mp_why(kmod->why, sizeof(kmod->why), -EAGAIN, "somebody has "
		      "moved this program away from CPU %d: see to its cpuset",
		      kmod->place.sched.cpu);
}

static int check_and_measure(void *ctx, struct mp_batch *batch)
{
	struct kmod *kmod = ctx;
	int err;

	kmod->why[0] = '\0';
	err = check_exp(kmod, &batch->exp);
	return err ? err : heed_move(kmod, measure(kmod, batch));
}

static int run_kmod(struct mp_target *target, const struct mp_exp *exp,
		    uint32_t replicate, struct mp_batch *batch)
{
	struct kmod *kmod = target->priv;

	mp_user_place_run(check_and_measure, kmod, exp, replicate, batch);
	if (batch->error)
		mp_target_fail(target, batch->error, "%s", kmod->why);
	return 0;
}

/* -- opening -------------------------------------------------------------- */

/* Does a trial get such pages? 0, or -errno with kmod->why. */
static int try_pages(struct kmod *kmod, uint32_t pages)
{
	const struct mp_arena want = {
		.bytes = TRIAL_BYTES, .pages = pages, .node = kmod->place.node,
	};
	struct memprobe_arena arena;
	uint32_t kind;
	int err;

	err = mp_kmod_dev_take(&kmod->dev, &want, true, &arena, &kind,
			       kmod->why, sizeof(kmod->why));
	if (!err)
		mp_kmod_dev_give(&kmod->dev, arena.id);
	return err;
}

static int open_asked_pages(struct kmod *kmod, struct mp_target *target)
{
	switch (kmod->pages) {
	case MP_PAGES_CONTIG:
	case MP_PAGES_THP:
	case MP_PAGES_2M:
	case MP_PAGES_4K:
		if (!try_pages(kmod, kmod->pages))
			return 0;
		return mp_target_fail(target, -EPERM, "%s", kmod->why);
	default:
		return mp_target_fail(target, -EINVAL, "pages %s: not to be "
				      "had from the module: choose contig, "
				      "thp, huge or 4k",
				      mp_pages_name(kmod->pages));
	}
}

/* The most contiguous kind is the one that hides least of the caches. */
static int open_pages(struct kmod *kmod, struct mp_target *target, int pages)
{
	int err;

	kmod->pages_forced = pages >= 0;
	if (kmod->pages_forced) {
		kmod->pages = (uint32_t)pages;
		return open_asked_pages(kmod, target);
	}
	kmod->contig = try_pages(kmod, MP_PAGES_CONTIG) == 0;
	kmod->huge = try_pages(kmod, MP_PAGES_THP) == 0;
	kmod->pages = kmod->contig ? MP_PAGES_CONTIG :
		      kmod->huge ? MP_PAGES_THP : MP_PAGES_4K;
	if (kmod->pages != MP_PAGES_4K)
		return 0;
	err = try_pages(kmod, MP_PAGES_4K);
	return err ? mp_target_fail(target, err, "%s", kmod->why) : 0;
}

/* Are its ticks ours? A batch is converted with one clock. */
static int open_clock(const struct kmod *kmod, struct mp_target *target)
{
	const double theirs = (double)kmod->dev.info.tick_hz;
	const double ours = kmod->place.clock.hz;

	if (fabs(theirs / ours - 1) <= TICK_SHARE)
		return 0;
	return mp_target_fail(target, -ENODEV, "the module's clock ticks at "
			      "%.0f Hz and the one of this program at %.0f "
			      "Hz: load it again", theirs, ours);
}

/* As quiet as is permitted; a rehearsal shows how quiet that is. */
static int open_windows(struct kmod *kmod, struct mp_target *target)
{
	static const uint32_t ways[] = { IRQS_OFF, MEMPROBE_RUN_PREEMPT_OFF };
	const uint32_t known = kmod->dev.info.run_flags;
	int err = -EOPNOTSUPP;

	snprintf(kmod->why, sizeof(kmod->why), "the module has no quiet "
		 "windows here: give --noisy");
	kmod->prefetch = known & MEMPROBE_RUN_PREFETCH_OFF;
	if (kmod->noisy)
		err = mp_user_place_rehearse(&kmod->place, check_and_measure,
					     kmod, kmod->pages);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (err != -EPERM && err != -EOPNOTSUPP)
			break;
		if (kmod->noisy || ways[i] & ~known)
			continue;
		kmod->quiet = ways[i];
		err = mp_user_place_rehearse(&kmod->place, check_and_measure,
					     kmod, kmod->pages);
	}
	if (!err)
		return 0;
	/* Only a runner comes again. */
	return mp_target_fail(target, err == -EAGAIN ? -EBUSY : err, "%s",
			      kmod->why);
}

static void close_kmod(struct mp_target *target)
{
	struct kmod *kmod = target->priv;

	if (!kmod)
		return;
	mp_kmod_dev_close(&kmod->dev);
	mp_user_place_close(&kmod->place);
	free(kmod);
	target->priv = NULL;
}

static int open_parts(struct kmod *kmod, struct mp_target *target,
		      const struct mp_opts *opts)
{
	int err;

	err = mp_kmod_dev_open(&kmod->dev, kmod->why, sizeof(kmod->why));
	if (err)
		return mp_target_fail(target, err, "%s", kmod->why);
	err = mp_user_place_open(&kmod->place, target, opts);
	if (!err)
		err = open_clock(kmod, target);
	if (!err)
		err = open_pages(kmod, target, opts->pages);
	if (err)
		return err;
	kmod->arena_max_bytes = arena_max(kmod);
	return open_windows(kmod, target);
}

static int open_kmod(struct mp_target *target, const struct mp_opts *opts)
{
	struct kmod *kmod;
	int err;

	target->priv = NULL;
	kmod = calloc(1, sizeof(*kmod));
	if (!kmod)
		return mp_target_fail(target, -ENOMEM, "out of memory");
	kmod->dev.fd = -1;
	kmod->noisy = opts->noisy;
	target->priv = kmod;
	err = open_parts(kmod, target, opts);
	if (err)
		close_kmod(target);
	return err;
}

/* -- what is said of it --------------------------------------------------- */

static const char *window_words(const struct kmod *kmod)
{
	if (kmod->got & MEMPROBE_RUN_IRQ_OFF)
		return "interrupts off";
	if (kmod->got & MEMPROBE_RUN_PREEMPT_OFF)
		return "preemption off, interrupts on (off is not permitted)";
	return kmod->noisy ? "interrupts on (--noisy)" : "interrupts on";
}

static void note_windows(struct mp_host *host, const struct kmod *kmod)
{
	const struct memprobe_info *info = &kmod->dev.info;

	mp_host_condition(host, "window", "%s, %.0f us unless an experiment "
			  "asks for another", window_words(kmod),
			  (double)MP_WINDOW_NS / 1000);
	if (!kmod->noisy)
		mp_host_condition(host, "window-duty", "quiet for %u %% of "
				  "the time at most", info->duty_percent);
	mp_host_condition(host, "window-empty", "%.1f ticks",
			  (double)info->empty_millis / 1000);
	if (kmod->got & MEMPROBE_RUN_SINGLE_CPU)
		mp_host_condition(host, "window-cpus", "the only CPU online: "
				  "all of the machine stands still");
	if (kmod->got & MEMPROBE_RUN_SIBLING)
		mp_host_condition(host, "window-sibling", "another thread of "
				  "this core is online, and shares it");
	if (kmod->got & MEMPROBE_RUN_HYPERVISOR)
		mp_host_condition(host, "window-hypervisor", "one is below, "
				  "and can take the CPU in a window too");
}

static void note_memory(struct mp_host *host, const struct kmod *kmod)
{
	if (kmod->pages_forced)
		mp_host_condition(host, "pages", "%s (asked for)",
				  mp_pages_name(kmod->pages));
	else
		mp_host_condition(host, "pages", "%s, contiguous: %s, huge: "
				  "%s", mp_pages_name(kmod->pages),
				  kmod->contig ? "granted" : "not granted",
				  kmod->huge ? "granted" : "not granted");
}

static int look_kmod(struct mp_target *target, struct mp_host *host)
{
	const struct kmod *kmod = target->priv;
	const struct memprobe_info *info = &kmod->dev.info;

	host->caps = MP_CAP_CHASE | MP_CAP_CORE_CLOCK;
	if (info->ops & 1u << MEMPROBE_OP_SEQUENCE)
		host->caps |= MP_CAP_SEQUENCE;
	if (kmod->pages_forced ? kmod->pages != MP_PAGES_4K :
				 kmod->contig || kmod->huge)
		host->caps |= MP_CAP_HUGE;
	host->pages = kmod->pages;
	host->pages_forced = kmod->pages_forced;
	host->arena_max_bytes = kmod->arena_max_bytes;
	if (info->clock == MEMPROBE_CLOCK_HOST_TSC ||
	    (info->run_flags | kmod->got) & MEMPROBE_RUN_NO_MEASUREMENT)
		snprintf(host->label, sizeof(host->label), NO_MACHINE);
	note_windows(host, kmod);
	note_memory(host, kmod);
	return mp_user_place_look(&kmod->place, target, host);
}

const struct mp_backend mp_backend_kmod = {
	.name = "kmod",
	.says = "this machine, through memprobe.ko in windows with interrupts off",
	.has_windows = true,
	.unmet = unmet_kmod,
	.open = open_kmod,
	.look = look_kmod,
	.run = run_kmod,
	.close = close_kmod,
};
