// SPDX-License-Identifier: GPL-2.0
/*
 * Peaks of single-hop latencies, over a scale that is linear for the fastest
 * hops and logarithmic for the slow ones: a level of 300 cycles varies by
 * some, one of 4 by less than the clock can show.
 */
#include "analysis/spectrum.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/hops.h"
#include "analysis/kept.h"
#include "analysis/spectrum_cut.h"

/* The scale: log2(cycles + OFFSET), so many bins to the octave. */
#define OFFSET MP_SPECTRUM_OFFSET
#define GRAIN MP_SPECTRUM_GRAIN
#define BINS MP_SPECTRUM_BINS
/* A hop that takes so long was interrupted: page walks of all levels from
 * the memory of another node take half of it. */
#define INTERRUPTED_NS 1500.0
/* Two peaks with less of a valley between them are one. */
#define VALLEY 0.6
/* Of the hops of some footprint a peak has this share, or is none. */
#define SHARE_MIN 0.2
/* .. and footprints whose shares differ by less show it alike. */
#define NO_BETTER 0.01
/* Where a valley's floor is flat, it ends where it rises by so much. */
#define FLOOR 1.5
#define FLOOR_LEAST 0.002
/* Hops this far from a peak are of it: of its place and the clock's steps. */
#define CORE_SHARE 0.04
#define CORE_STEPS 1.6
/* Two places that are so many steps apart have no reading of the clock in
 * common: each is read as the step before it or as the one after. */
#define STEPS_APART 2.0
/* The two lie nearer than this to it; more hops than that share beside them
 * are another place's. */
#define READINGS 1.05
#define NOT_ITS_OWN 0.005
/* The hops of a batch that has been asked so often before are sorted. */
#define TIMES_ASKED 2u
/* Times that the means of peaks are taken. */
#define PASSES 2u

struct density {
	double at[BINS];
};

struct peak {
	uint32_t bin;
	uint32_t cut;		/* it begins there, cut off the one before; or 0 */
	uint32_t from;		/* bins that are its own: from .. to - 1 */
	uint32_t to;
	double share;
	uint32_t point;		/* of the curve, with that share */
};

struct work {
	const struct mp_curve *curve;
	struct mp_spectrum_read read;
	double kernel[BINS];	/* spread of a bin, in bins */
	struct density *point;	/* smoothed, one a length */
	double most[BINS];	/* over all lengths */
	struct peak peak[BINS];
	uint32_t n;
};

double mp_spectrum_step(const struct mp_batch *batch)
{
	return mp_clock_cycles(batch, (double)batch->grant.tick_step);
}

static double place(double cycles)
{
	double bin = (log2(fmax(cycles, 2 - OFFSET) + OFFSET) - 1) * GRAIN;

	return fmin(fmax(bin, 0), BINS - 1.001);
}

static bool is_single(const struct mp_batch *batch)
{
	return batch->exp.actor[0].detail == MP_DETAIL_HIST &&
	       batch->exp.actor[0].group == 1;
}

/* Inlined with a constant @take: some ask for millions of hops. */
static inline __attribute__((always_inline)) void
each_hop(const struct mp_batch *batch,
	 void (*take)(void *ctx, double cycles, double n), void *ctx)
{
	const double per_tick = mp_clock_cycles(batch, 1);
	const double per_ns = mp_clock_core_hz(batch) * 1e-9;
	const double most = INTERRUPTED_NS * per_ns;

	for (uint32_t i = 0; i < batch->n_samples; i++) {
		const struct memprobe_sample *s = &batch->sample[i];
		const uint64_t *word = batch->payload + s->payload_offset;

		if (!mp_sample_calm(s) ||
		    s->payload_kind != MEMPROBE_PAYLOAD_HIST)
			continue;
		for (uint32_t w = 0; w + 1 < s->payload_count; w += 2) {
			double ticks = (double)word[w] -
				       batch->grant.read_ticks;

			if (ticks * per_tick < most)
				take(ctx, ticks * per_tick,
				     (double)word[w + 1]);
		}
	}
}

void mp_spectrum_each_hop(const struct mp_batch *batch,
			  void (*take)(void *ctx, double cycles, double n),
			  void *ctx)
{
	each_hop(batch, take, ctx);
}

static void take_density(void *ctx, double cycles, double n)
{
	struct density *density = ctx;
	double at = place(cycles);
	uint32_t bin = (uint32_t)at;

	density->at[bin] += n * (bin + 1 - at);
	density->at[bin + 1] += n * (at - bin);
}

static void smooth(const struct work *work, const struct density *in,
		   struct density *out)
{
	memset(out, 0, sizeof(*out));
	for (int32_t i = 0; i < BINS; i++) {
		const double sd = work->kernel[i];
		const int32_t span = (int32_t)ceil(3 * sd);

		if (in->at[i] <= 0)
			continue;
		for (int32_t k = i - span; k <= i + span; k++) {
			double off = (k - i) / sd;

			if (k >= 0 && k < BINS)
				out->at[k] += in->at[i] * exp(-off * off / 2) /
					      (sd * sqrt(2 * M_PI));
		}
	}
}

/* One length: its hops, whatever their number, weigh 1. */
static void fill_point(struct work *work, uint32_t i)
{
	const struct mp_curve_at *at = &work->curve->at[i];
	struct mp_spectrum_sums *sums = &work->read.sums[i];
	struct density raw = { { 0 } };
	double all = 0;

	for (uint32_t r = 0; r < at->n; r++)
		if (is_single(at->batch[r]))
			mp_spectrum_each_hop(at->batch[r], take_density, &raw);
	for (uint32_t b = 0; b < BINS; b++)
		all += raw.at[b];
	for (uint32_t b = 0; b < BINS && all > 0; b++) {
		raw.at[b] /= all;
		sums->share[b + 1] = sums->share[b] + raw.at[b];
		sums->cycles[b + 1] = sums->cycles[b] +
				      raw.at[b] * mp_spectrum_cycles_at(b);
		work->read.any[b] |= raw.at[b] > 0;
	}
	smooth(work, &raw, &work->point[i]);
	for (uint32_t b = 0; b < BINS; b++)
		work->most[b] = fmax(work->most[b], work->point[i].at[b]);
}

/* A bin is some cycles wide, and the clock's step may be wider. */
static void fill_kernel(struct work *work)
{
	for (uint32_t i = 0; i < BINS; i++) {
		double width = (mp_spectrum_cycles_at(i) + OFFSET) * M_LN2 / GRAIN;

		work->kernel[i] = fmax(1, 0.6 * work->read.step / width);
	}
}

static void find_tops(struct work *work)
{
	for (uint32_t i = 0; i < BINS; i++) {
		double before = i ? work->most[i - 1] : 0;
		double after = i + 1 < BINS ? work->most[i + 1] : 0;

		if (work->most[i] > before && work->most[i] >= after)
			work->peak[work->n++] = (struct peak){ .bin = i };
	}
}

static uint32_t lowest(const struct work *work, uint32_t from, uint32_t to)
{
	uint32_t least = from;

	for (uint32_t i = from; i <= to; i++)
		if (work->most[i] < work->most[least])
			least = i;
	return least;
}

static void drop(struct work *work, uint32_t i)
{
	memmove(&work->peak[i], &work->peak[i + 1],
		(work->n - i - 1) * sizeof(work->peak[0]));
	work->n--;
}

/* Of two tops with no valley between them the higher one stays. */
static void merge_tops(struct work *work)
{
	uint32_t i = 0;

	while (i + 1 < work->n) {
		double a = work->most[work->peak[i].bin];
		double b = work->most[work->peak[i + 1].bin];
		uint32_t at = lowest(work, work->peak[i].bin,
				     work->peak[i + 1].bin);

		if (work->most[at] <= VALLEY * fmin(a, b)) {
			i++;
			continue;
		}
		drop(work, a < b ? i : i + 1);
		i = i ? i - 1 : 0;
	}
}

/*
 * The step smears places that lie two steps apart or less over each other. They
 * are two all the same where no length reads both as one.
 */
static void cut_tops(struct work *work)
{
	for (uint32_t i = 0; i < work->n && work->n < BINS; i++) {
		struct peak *peak = &work->peak[i];
		const uint32_t from = peak->cut ? peak->cut : !i ? 0 :
				      lowest(work, peak[-1].bin, peak->bin);
		const uint32_t to = i + 1 < work->n ?
				    lowest(work, peak->bin, peak[1].bin) : BINS;
		double apart[2];
		const uint32_t cut = mp_spectrum_cut(&work->read, from, to,
						     apart);

		if (!cut)
			continue;
		memmove(peak + 1, peak, (work->n - i) * sizeof(*peak));
		work->n++;
		peak[0].bin = (uint32_t)place(apart[0]);
		peak[1].bin = (uint32_t)place(apart[1]);
		peak[1].cut = cut;
	}
}

/* What lies beside a peak belongs to it; where nothing does, to the faster
 * one, as what is added to a load makes it slower. */
static void set_ranges(struct work *work)
{
	for (uint32_t i = 0; i < work->n; i++) {
		struct peak *a = &work->peak[i], *b = a + 1;
		uint32_t at;
		double floor;

		a->from = i ? a[-1].to : 0;
		a->to = BINS;
		if (i + 1 == work->n)
			break;
		if (b->cut) {
			a->to = b->cut;
			continue;
		}
		at = lowest(work, a->bin, b->bin);
		floor = fmax(work->most[at] * FLOOR, FLOOR_LEAST);
		for (a->to = b->bin; a->to > at; a->to--)
			if (work->most[a->to] <= floor)
				break;
	}
}

static double share_at(const struct work *work, const struct peak *peak,
		       uint32_t point)
{
	double share = 0;

	for (uint32_t i = peak->from; i < peak->to; i++)
		share += work->point[point].at[i];
	return share;
}

/* The shortest of those that show it best: which of them has a few hops more
 * is how the clock happened to read them, and the latency would be that of the
 * luckiest. */
static void find_share(const struct work *work, struct peak *peak)
{
	peak->share = 0;
	for (uint32_t p = 0; p < work->curve->n; p++)
		peak->share = fmax(peak->share, share_at(work, peak, p));
	peak->point = 0;
	while (peak->share > 0 && share_at(work, peak, peak->point) <
				  peak->share - NO_BETTER)
		peak->point++;
}

/* The least of the small ones goes first: what was beside it joins others. */
static void drop_small(struct work *work)
{
	uint32_t least;

	do {
		least = 0;
		set_ranges(work);
		for (uint32_t i = 0; i < work->n; i++) {
			find_share(work, &work->peak[i]);
			if (work->peak[i].share < work->peak[least].share)
				least = i;
		}
		if (!work->n || work->peak[least].share >= SHARE_MIN)
			return;
		drop(work, least);
	} while (work->n);
}

struct core {
	double from;
	double to;
	double sum;
	double n;
};

static void take_core(void *ctx, double cycles, double n)
{
	struct core *core = ctx;

	if (cycles < core->from || cycles > core->to)
		return;
	core->sum += n * cycles;
	core->n += n;
}

double mp_spectrum_mean(const struct mp_batch *batch, double from, double to)
{
	struct core core = { .from = from, .to = to };

	each_hop(batch, take_core, &core);
	return core.sum / core.n;
}

/* Hops of a peak: of its place, and the steps of the clock on either side. */
static double core_width(double cycles, double step)
{
	return CORE_SHARE * (cycles + OFFSET) + CORE_STEPS * step;
}

/* .. and nearer to it than to the next peak on either side: what the clock's
 * steps make of that would be in its mean. Of two that share a reading that
 * would cut off what is its own. */
static void set_core(const struct mp_spectrum *spectrum, uint32_t k,
		     double step, struct core *core)
{
	const double at = spectrum->cycles[k], width = core_width(at, step);

	*core = (struct core){ .from = at - width, .to = at + width };
	if (k && !spectrum->blurred[k - 1])
		core->from = fmax(core->from,
				  (spectrum->cycles[k - 1] + at) / 2);
	if (k + 1 < spectrum->n && !spectrum->blurred[k])
		core->to = fmin(core->to, (at + spectrum->cycles[k + 1]) / 2);
}

/* Means of the peaks, by where they and their neighbours were thought to be. */
static void move_cycles(const struct work *work, struct mp_spectrum *out)
{
	double mean[MP_SPECTRUM_PEAKS];

	for (uint32_t i = 0; i < out->n; i++) {
		const struct mp_curve_at *at =
			&work->curve->at[work->peak[i].point];
		struct core core;

		set_core(out, i, work->read.step, &core);
		for (uint32_t r = 0; r < at->n; r++)
			if (is_single(at->batch[r]))
				mp_spectrum_each_hop(at->batch[r], take_core,
						     &core);
		mean[i] = core.n > 0 ? core.sum / core.n : out->cycles[i];
	}
	memcpy(out->cycles, mean, out->n * sizeof(mean[0]));
}

static void tell(const struct work *work, struct mp_spectrum *out)
{
	out->n = work->n < MP_SPECTRUM_PEAKS ? work->n : MP_SPECTRUM_PEAKS;
	for (uint32_t i = 0; i < out->n; i++) {
		const struct peak *peak = &work->peak[i];

		out->cycles[i] = mp_spectrum_cycles_at(peak->bin);
		out->bound[i] = mp_spectrum_cycles_at(peak->to);
		out->share[i] = fmin(peak->share, 1);
		out->id[i] = work->curve->at[peak->point].id;
	}
	/* Tops lie on bins; means say better where the middle between is. */
	for (uint32_t i = 0; i < PASSES; i++)
		move_cycles(work, out);
	for (uint32_t i = 0; i + 1 < out->n; i++)
		out->blurred[i] = !work->peak[i + 1].cut &&
				  out->cycles[i + 1] - out->cycles[i] <
				  STEPS_APART * work->read.step;
	move_cycles(work, out);
	for (uint32_t i = 0; i + 1 < out->n; i++)
		out->bound[i] = mp_spectrum_bound(out, i, work->read.step);
}

/* Does the curve hold single hops, and how fine is their clock? */
static double step_of(const struct mp_curve *curve)
{
	for (uint32_t i = 0; i < curve->n; i++)
		for (uint32_t r = 0; r < curve->at[i].n; r++)
			if (is_single(curve->at[i].batch[r]))
				return mp_spectrum_step(curve->at[i].batch[r]);
	return NAN;
}

static int find(const struct mp_curve *curve, struct mp_spectrum *out)
{
	struct work *work;

	memset(out, 0, sizeof(*out));
	work = calloc(1, sizeof(*work));
	if (!work)
		return -ENOMEM;
	work->curve = work->read.curve = curve;
	work->read.step = step_of(curve);
	if (isnan(work->read.step))
		goto out;
	work->point = calloc(curve->n, sizeof(*work->point));
	work->read.sums = calloc(curve->n, sizeof(*work->read.sums));
	if (!work->point || !work->read.sums) {
		free(work->point);
		free(work->read.sums);
		free(work);
		return -ENOMEM;
	}
	fill_kernel(work);
	for (uint32_t i = 0; i < curve->n; i++)
		fill_point(work, i);
	find_tops(work);
	merge_tops(work);
	cut_tops(work);
	drop_small(work);
	tell(work, out);
out:
	free(work->read.sums);
	free(work->point);
	free(work);
	return 0;
}

/* A curve whose batches change no more; false: some may. */
static bool curve_key(const struct mp_curve *curve, struct mp_kept_key *key)
{
	mp_kept_begin(key);
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct mp_curve_at *at = &curve->at[i];

		mp_kept_add_word(key, at->length);
		for (uint32_t r = 0; r < at->n; r++) {
			const struct mp_batch_kept *kept =
				at->batch ? mp_batch_kept(at->batch[r]) : NULL;

			if (!kept)
				return false;
			mp_kept_add_word(key, kept->serial);
		}
	}
	return true;
}

int mp_spectrum_find(const struct mp_curve *curve, struct mp_spectrum *out)
{
	static struct mp_kept kept;
	struct mp_kept_key key;
	int err;

	_Static_assert(sizeof(*out) <= MP_KEPT_BYTES, "a spectrum has to fit");
	if (!curve_key(curve, &key))
		return find(curve, out);
	if (mp_kept_find(&kept, &key, out, sizeof(*out), &err))
		return err;
	err = find(curve, out);
	/* A lack of memory is no answer. */
	if (!err)
		mp_kept_note(&kept, &key, out, sizeof(*out), err);
	return err;
}

void mp_spectrum_hops_of(const struct mp_batch *batch,
			 const struct mp_spectrum *spectrum, uint32_t k,
			 struct mp_spectrum_hops *out)
{
	struct mp_hops hops;
	struct core core;

	*out = (struct mp_spectrum_hops){ .cycles = NAN };
	if (!is_single(batch))
		return;
	set_core(spectrum, k, mp_spectrum_step(batch), &core);
	if (!mp_hops_gather(batch, &hops)) {
		/* Hits of a second TLB cost a few cycles more. */
		out->cycles = mp_hops_one(&hops, core.from, core.to, &out->n);
		if (isnan(out->cycles))
			out->cycles = mp_hops_mean(&hops, core.from, core.to,
						   &out->n);
		out->all = hops.all;
	}
	mp_hops_free(&hops);
}

double mp_spectrum_core(const struct mp_batch *batch,
			const struct mp_spectrum *spectrum, uint32_t k)
{
	struct mp_spectrum_hops hops;

	mp_spectrum_hops_of(batch, spectrum, k, &hops);
	return hops.cycles;
}

/* Hops about a place and the two beside it. */
struct about {
	double from;
	double to;
	double own_from;
	double own_to;
	double own;
	double other;
};

static void take_about(void *ctx, double cycles, double n)
{
	struct about *about = ctx;

	if (cycles < about->from || cycles > about->to)
		return;
	if (cycles > about->own_from && cycles < about->own_to)
		about->own += n;
	else
		about->other += n;
}

bool mp_spectrum_is_own(const struct mp_batch *batch,
			const struct mp_spectrum *spectrum, uint32_t k)
{
	const bool before = k && spectrum->blurred[k - 1];
	const bool after = k + 1 < spectrum->n && spectrum->blurred[k];
	const double at = mp_spectrum_core(batch, spectrum, k);
	const double step = mp_spectrum_step(batch);
	const double low = before ? spectrum->cycles[k - 1] : at;
	const double high = after ? spectrum->cycles[k + 1] : at;
	struct about about = {
		.own_from = at - READINGS * step,
		.own_to = at + READINGS * step,
		.from = before ? low - core_width(low, step) :
				 at - READINGS * step,
		.to = after ? high + core_width(high, step) :
			      at + READINGS * step,
	};

	if (isnan(at) || (!before && !after))
		return !isnan(at);
	mp_spectrum_each_hop(batch, take_about, &about);
	return about.other < NOT_ITS_OWN * (about.own + about.other);
}

struct shares {
	double bound;
	double slower;
	double all;
};

static void take_share(void *ctx, double cycles, double n)
{
	struct shares *shares = ctx;

	shares->all += n;
	if (cycles > shares->bound)
		shares->slower += n;
}

static double count_slower(const struct mp_batch *batch, double bound)
{
	struct shares shares = { .bound = bound };

	each_hop(batch, take_share, &shares);
	return shares.all > 0 ? shares.slower / shares.all : NAN;
}

static void take_time(void *ctx, double cycles, double n)
{
	struct mp_batch_times *times = ctx;

	times->time[times->n++] = (struct mp_batch_time){ cycles, n };
}

static int by_cycles(const void *a, const void *b)
{
	const double x = ((const struct mp_batch_time *)a)->cycles;
	const double y = ((const struct mp_batch_time *)b)->cycles;

	return (x > y) - (x < y);
}

/* Each time once, with the hops up to it: whole numbers, so the order in which
 * they are added is all one. */
static void sort_times(const struct mp_batch *batch,
		       struct mp_batch_times *times)
{
	uint32_t n = 0;
	double hops = 0;
	size_t room = 1;

	for (uint32_t i = 0; i < batch->n_samples; i++)
		room += batch->sample[i].payload_count / 2;
	times->time = malloc(room * sizeof(*times->time));
	if (!times->time)
		return;
	each_hop(batch, take_time, times);
	qsort(times->time, times->n, sizeof(*times->time), by_cycles);
	for (uint32_t i = 0; i < times->n; i++) {
		hops += times->time[i].hops;
		n += n && times->time[n - 1].cycles == times->time[i].cycles ?
		     0 : 1;
		times->time[n - 1] = (struct mp_batch_time){
			times->time[i].cycles, hops };
	}
	times->n = n;
}

/* The times of a batch's samples, or of those of a batch that begins later; NULL:
 * they are not kept. */
static const struct mp_batch_times *times_of(const struct mp_batch *batch)
{
	struct mp_batch_kept *kept = batch->kept;
	uint32_t first, i = 0;

	if (!kept || batch->n_samples < 2 || batch->sample < kept->sample ||
	    batch->sample + batch->n_samples != kept->sample + kept->n_samples)
		return NULL;
	first = kept->n_samples - batch->n_samples;
	while (i < MP_BATCH_TIMES && kept->times[i].asked &&
	       kept->times[i].first != first)
		i++;
	if (i == MP_BATCH_TIMES)
		return NULL;
	kept->times[i].first = first;
	if (!kept->times[i].time && kept->times[i].asked++ >= TIMES_ASKED)
		sort_times(batch, &kept->times[i]);
	return kept->times[i].time ? &kept->times[i] : NULL;
}

/* Hops that took no longer than @bound; a bound that is no number is beyond
 * all. */
static double hops_within(const struct mp_batch_times *times, double bound)
{
	uint32_t low = 0, high = times->n;

	while (low < high) {
		const uint32_t middle = (low + high) / 2;

		if (times->time[middle].cycles > bound)
			high = middle;
		else
			low = middle + 1;
	}
	return low ? times->time[low - 1].hops : 0;
}

double mp_spectrum_slower(const struct mp_batch *batch,
			  const struct mp_spectrum *spectrum, uint32_t k)
{
	const struct mp_batch_times *times;
	double all;

	if (!is_single(batch))
		return NAN;
	times = times_of(batch);
	if (!times)
		return count_slower(batch, spectrum->bound[k]);
	all = times->n ? times->time[times->n - 1].hops : 0;
	return all > 0 ?
	       (all - hops_within(times, spectrum->bound[k])) / all : NAN;
}
