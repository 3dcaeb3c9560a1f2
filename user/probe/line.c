// SPDX-License-Identifier: GPL-2.0
/*
 * Probe line: in what units do the levels outside the first fetch and allot?
 *
 * Lines are counted: of slots that lie far apart a level holds as many as it
 * has lines, so what it holds tells how long they are at most. Lines do not
 * shrink outwards: a level is asked first whether its lines are as long as
 * those of the level inside, which most are, then whether twice as long.
 *
 * A prefetcher that always brings the neighbour takes up twice the room, as
 * longer lines would. Where one may be at work, flushing tells: within a
 * line the neighbour goes too.
 *
 * Where hops can be timed one by one there is a shorter way: what comes along
 * with a load is one line, and of lines twice as long a level would not hold as
 * many as hops find in it.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "backend.h"
#include "probe/cpu.h"
#include "probe/cpu_room.h"
#include "probe/line.h"
#include "probe/line_inner.h"

#define FLUSHED 64u
/* So many times the lines that a level inside holds have to be counted: with
 * fewer some of its sets are full, and keep theirs, and of two levels with
 * lines twice as long both together would hold the others. */
#define MORE_LINES 1.1
#define MANY_LINES 1.5
/* .. or a little fewer, of nearly as many as there is room for: lines twice as
 * long leave room for hardly more than half of them. */
#define FULLER 0.9
#define MANY_FULLER 1.4

/* A level holds so many times what it could if its lines were twice as long:
 * where its size is known, and where only its edge is. */
#define MORE_HELD 1.1
#define MORE_HELD_EDGE 1.2

/* A level outside that is no larger than this is full of the same lines. */
#define NEAR 1.7

static const char why_near[] =
	"the level outside it is so near that lines it puts out may be lost here, too";
static const char why_unsure[] =
	"how many lines it holds does not show clearly: its edge is too blurred, or its size is not right";
static const char why_open[] = "too few undisturbed measurements";
static const char why_few[] =
	"a level inside holds as many lines: how many this one holds does not show";
static const char why_size[] =
	"its size, from which lines are counted, is not known, or there is no such level";
static const char why_inner[] =
	"the line or the size of the level inside is not known";

/**
 * struct answer - of one level
 * @why: why its line is not known, NULL = it is
 * @line: bytes
 * @sector: bytes, 0 = not known; may be known where the line is not
 * @seen: what came along, and was found again, told the line
 * @parted, @stayed: .. or neighbours that went apart, or one of which stayed
 *	where the other was flushed; @joined, @lost: .. and halves did not
 * @room: what was counted fits so much, bytes
 * @replicates: the fewest that it rests on
 * @fetched: .. of what the sector rests on, where that was seen by itself
 */
struct answer {
	const char *why;
	uint32_t line;
	uint32_t sector;
	uint32_t replicates;
	uint32_t fetched;
	double room;
	bool seen;
	bool parted, joined;
	bool stayed, lost;
};

/*
 * Longer than the line inside: is it, or is the rest brought along? A line
 * always brings all of itself, and that goes with any part of it. What a
 * prefetcher brings stays; but where it brings it at times only, what is gone
 * may not have come.
 */
static int confirm(const struct mp_view *view, bool quiet,
		   struct mp_plan *plan, struct mp_fact *fact,
		   struct answer *out)
{
	const uint32_t apart = out->line / 2;
	uint32_t says, comes;
	int err = 0;

	if (quiet)
		return 0;
	if (apart < FLUSHED || !(view->caps & MP_CAP_SEQUENCE)) {
		out->why = "a prefetcher that cannot be turned off may bring neighbours along: they take room as longer lines would";
		return 0;
	}
	if (plan) {
		plan->stage++;
		err = mp_line_flush_plan(view, MP_LINE_ALONG, apart, plan);
		if (!err)
			err = mp_line_flush_plan(view, MP_LINE_COMES, apart,
						 plan);
	}
	says = mp_line_flush(view, MP_LINE_ALONG, apart, fact);
	comes = mp_line_flush(view, MP_LINE_COMES, apart, fact);
	/* What is planned is taken for confirmed until it is measured. */
	if (says != MP_LINE_YES && !(plan && says == MP_LINE_OPEN))
		out->why = "neighbours are brought along that do not go when one is flushed: a prefetcher, and what lines it hides is not known";
	else if (comes != MP_LINE_YES && !(plan && comes == MP_LINE_OPEN))
		out->why = "neighbours are brought along at times only: a prefetcher that cannot be turned off, and what lines it hides is not known";
	return err;
}

/**
 * struct counting - how far counting has come
 * @rooms: how large the levels are
 * @inner: line of the level inside, bytes; where that is not known, of the
 *	last one that is: it is no shorter
 * @lost: there is a level inside of which neither is known, how many lines
 *	it holds and how large it is: no lines are counted
 * @edges, @fetch: what single hops say, NULL where they were not timed
 * @held: lines that a level inside holds, the most
 * @share, @quiet: as in struct mp_line_count, of lines as long as @inner, and
 *	of all
 */
struct counting {
	struct mp_cpu_rooms rooms;
	uint32_t inner;
	bool lost;
	const struct mp_cpu_edges *edges;
	const struct mp_line_fetch *fetch;
	double held;
	double share;
	bool quiet;
};

/* Few lines that stay prove nothing yet: nearly as many as there is room for
 * have to stay as well. */
static int count_fuller(const struct mp_view *view, double size, uint32_t unit,
			struct mp_plan *plan, struct mp_fact *fact,
			const struct mp_line_room *room,
			struct mp_line_count *count)
{
	struct mp_line_room fuller = *room;
	const uint32_t replicates = count->replicates;
	int err = 0;

	if (count->fits != MP_LINE_YES ||
	    room->fits_bytes / unit >= MANY_LINES * room->held)
		return 0;
	fuller.fits_bytes = size * FULLER;
	if (fuller.fits_bytes / unit < MANY_FULLER * room->held) {
		count->fits = MP_LINE_UNSURE;
		return 0;
	}
	if (plan) {
		plan->stage++;
		err = mp_line_count_plan(view, &fuller, unit, plan);
	}
	if (!err)
		err = mp_line_count(view, &fuller, unit, fact, count);
	if (count->fits == MP_LINE_NO)
		count->fits = MP_LINE_UNSURE;
	if (replicates < count->replicates)
		count->replicates = replicates;
	return err;
}

/* Longer and longer lines, until as many stay as there is room for. */
static int count_up(const struct mp_view *view, double size,
		    struct mp_plan *plan, struct mp_fact *fact,
		    struct counting *counting, struct answer *out)
{
	struct mp_line_room room;
	int err = 0;

	counting->share = NAN;
	counting->quiet = true;
	*out = (struct answer){ .why = why_open };
	mp_line_room_of(size, &room);
	room.held = counting->held;
	for (uint32_t unit = counting->inner; unit <= MP_LINE_MAX && !err;
	     unit *= 2) {
		struct mp_line_count count = { .fits = MP_LINE_OPEN };
		uint32_t first;

		/* A level inside would hold all that is counted. */
		if (room.fits_bytes / unit < MORE_LINES * counting->held) {
			out->why = why_few;
			return 0;
		}
		if (plan)
			err = mp_line_count_plan(view, &room, unit, plan);
		if (!err)
			err = mp_line_count(view, &room, unit, fact, &count);
		first = count.fits;
		if (!err)
			err = count_fuller(view, size, unit, plan, fact, &room,
					   &count);
		if (err || count.fits == MP_LINE_OPEN)
			return err;
		counting->quiet &= count.quiet;
		if (count.fits == MP_LINE_UNSURE) {
			out->why = first == MP_LINE_YES ? why_few : why_unsure;
			return 0;
		}
		if (unit == counting->inner)
			counting->share = count.share;
		if (count.fits == MP_LINE_YES) {
			*out = (struct answer){ .line = unit, .sector = unit,
						.replicates = count.replicates,
						.room = size };
			return 0;
		}
		if (plan)
			plan->stage++;
	}
	out->why = "it holds fewer lines than if they were as long as any are";
	return err;
}

/*
 * Level @k, given the line of the one inside. With @plan, what is missing is
 * wanted. A level that holds what the ones inside do not holds more in all
 * than its size: where that shows no edge, the sum may.
 */
static int settle(const struct mp_view *view, uint32_t k,
		  struct counting *counting, struct mp_plan *plan,
		  struct mp_fact *fact, struct answer *out)
{
	const uint32_t inner = counting->inner;
	double size = 0;
	int err = 0;

	out->why = why_unsure;
	for (uint32_t i = k + 1; i-- && !err && out->why == why_unsure;) {
		size += counting->rooms.bytes[i];
		if (isnan(size))
			break;
		err = count_up(view, size, plan, fact, counting, out);
		if (plan)
			plan->stage++;
		/* It has what the ones inside hold in it already. */
		if (counting->rooms.sum[i])
			break;
	}
	if (err || out->why || out->line == inner)
		return err;
	out->sector = mp_line_sector(counting->share, inner, out->line);
	return confirm(view, counting->quiet, plan, fact, out);
}

/* Lines that the level outside puts out here, as it includes this one, seem
 * to be fewer than fit, and longer. It has fewer lines of twice the length
 * than were counted, or of four times the length, if there are such. */
static bool is_near(const struct mp_view *view, uint32_t k, uint32_t inner,
		    const struct answer *answer)
{
	const uint32_t longest = 2 * answer->line > MP_LINE_MAX ||
				 answer->line > 2 * inner ? 1 : 2;
	const struct mp_fact *fact;

	if (k + 1 >= MP_CPU_LEVELS)
		return false;
	fact = mp_cpu_found(view, k + 1, "size");
	if (fact && fact->verdict == MP_ABSENT)
		return false;
	return !fact || !mp_verdict_known(fact->verdict) ||
	       fact->value < NEAR * longest * answer->room;
}

/* What of a level of about @size proves that lines are not twice as long. */
static double enough_of(const struct mp_view *view,
			const struct counting *counting, uint32_t k)
{
	const struct mp_fact *size = mp_cpu_found(view, k, "size");

	if (!counting->rooms.sum[k] && size)
		return MORE_HELD * fmax(size->high, size->value) / 2;
	return MORE_HELD_EDGE * counting->edges->edge[k].high / 2;
}

/* Do neighbours go apart, so that lines are no longer? Or, with @longer, do they
 * never, so that they are? */
static int part(const struct mp_view *view, const struct counting *counting,
		struct mp_line_asked *asked, bool longer, struct mp_plan *plan,
		struct mp_fact *fact, struct answer *out)
{
	const struct mp_cpu_edges *edges = counting->edges;
	const double inner = mp_line_edge(edges, asked->level - 1);
	uint32_t replicates;
	int err;

	asked->size = mp_line_edge(edges, asked->level);
	if (asked->level + 1 < MP_CPU_LEVELS)
		asked->next_most = counting->fetch->most[asked->level + 1];
	if (longer)
		err = mp_line_longer(view, asked, inner, plan, fact,
				     &replicates);
	else
		err = mp_line_apart(view, asked, inner, plan, fact,
				    &replicates);
	if (!err && replicates)
		*out = (struct answer){ .line = asked->unit,
					.sector = longer ? out->sector :
							   asked->unit,
					.seen = true, .joined = longer,
					.parted = !longer,
					.replicates = replicates,
					.fetched = out->fetched,
					.room = asked->size };
	return err;
}

static bool has_hops(const struct counting *counting, uint32_t k)
{
	return counting->edges && k < counting->edges->n &&
	       k < counting->edges->doubt.level;
}

/* Do hops find so many lines of level @k that they cannot be longer? */
static int find_enough(const struct mp_view *view,
		       const struct counting *counting,
		       struct mp_line_asked *asked, struct mp_plan *plan,
		       struct mp_fact *fact, uint32_t *replicates)
{
	const uint32_t k = asked->level;
	double held = 0;
	int err;

	*replicates = 0;
	if (!counting->fetch->quiet || !counting->fetch->peaks)
		return 0;
	asked->size = counting->rooms.bytes[k];
	if (!isnan(asked->size)) {
		asked->enough = enough_of(view, counting, k);
		err = mp_line_held(view, asked, plan, fact, &held, replicates);
		if (err || held >= asked->enough)
			return err;
	}
	asked->size = mp_line_edge(counting->edges, k);
	return mp_line_alike(view, asked, plan, fact, replicates);
}

/* What comes along with a load into level @k. */
static void look_first(const struct mp_view *view, uint32_t k,
		       const struct counting *counting, struct mp_fact *fact,
		       struct answer *out)
{
	const struct mp_line_fetch *fetch = counting->fetch;
	uint32_t least;

	*out = (struct answer){ .why = why_unsure };
	if (!has_hops(counting, k))
		return;
	least = counting->inner > fetch->least[k] ? counting->inner :
						    fetch->least[k];
	if (!least || least != fetch->most[k])
		return;
	if (fact)
		mp_line_along_note(view, fact);
	out->fetched = fetch->replicates;
	out->sector = least;
}

/*
 * Level @k by what comes along with a load, as @out has it, and by what hops
 * find in it, or by what goes. With @plan, what is missing is wanted. Return:
 * 0 or -ENOMEM.
 */
static int look(const struct mp_view *view, uint32_t k,
		const struct counting *counting, struct mp_plan *plan,
		struct mp_fact *fact, struct answer *out)
{
	const struct mp_line_fetch *fetch = counting->fetch;
	const uint32_t least = out->sector;
	struct mp_line_asked asked = { .edges = counting->edges, .level = k,
				       .unit = least };
	uint32_t replicates;
	int err;

	if (!least)
		return 0;
	asked.size = mp_line_edge(counting->edges, k);
	err = find_enough(view, counting, &asked, plan, fact, &replicates);
	if (err || !replicates)
		return err ? err : part(view, counting, &asked, false, plan,
					fact, out);
	*out = (struct answer){ .line = least, .sector = least, .seen = true,
				.replicates = replicates,
				.fetched = fetch->replicates,
				.room = asked.size };
	return 0;
}

/*
 * What neither showed: no line is shorter than that of the level inside, and
 * where its neighbours go apart it is no longer, whatever brings them along. It
 * is where they never do, and nothing brings them along.
 */
static int look_again(const struct mp_view *view, uint32_t k,
		      const struct counting *counting, struct mp_plan *plan,
		      struct mp_fact *fact, struct answer *out)
{
	struct mp_line_asked asked = { .edges = counting->edges, .level = k,
				       .unit = counting->inner };
	int err = 0;

	if (!out->why || out->why == why_open || !asked.unit ||
	    !has_hops(counting, k))
		return 0;
	if (plan)
		plan->stage++;
	/* Or it was asked. */
	if (!out->sector)
		err = part(view, counting, &asked, false, plan, fact, out);
	if (err || !out->why || !counting->fetch->quiet)
		return err;
	/* Longer than what comes along, or than lines inside. */
	if (out->sector)
		asked.unit = out->sector;
	return part(view, counting, &asked, true, plan, fact, out);
}

/* Ready for the level outside @k, of which @line is known, or 0. */
static void step_out(uint32_t k, uint32_t line, struct counting *counting)
{
	const double room = counting->rooms.bytes[k];

	if (line)
		counting->inner = line;
	/* No line is shorter than those inside. */
	if (counting->inner)
		counting->held = fmax(counting->held, room / counting->inner);
	counting->lost |= !counting->inner || isnan(room);
}

/**
 * struct ground - what is known before the levels outside the first
 * @edges: of the levels; @fetch: what they fetch
 * @inner: the first level's line
 * @counting: begun
 */
struct ground {
	struct mp_cpu_edges edges;
	struct mp_line_fetch fetch;
	struct mp_line_inner inner;
	struct counting counting;
};

/* The first level is where counting starts. Free with ground_free(). */
static int ground_find(const struct mp_view *view, struct mp_plan *plan,
		       struct ground *ground)
{
	struct mp_line_inner *inner = &ground->inner;
	struct counting *counting = &ground->counting;
	int err;

	*counting = (struct counting){ .share = NAN };
	err = mp_cpu_edges_find(view, &ground->edges);
	if (err && err != -ENODATA)
		return err;
	if (!err) {
		counting->edges = &ground->edges;
		counting->fetch = &ground->fetch;
		err = mp_line_fetch(view, &ground->edges, &ground->fetch);
		if (err)
			return err;
	}
	err = mp_line_inner(view, counting->edges, plan, NULL, inner);
	if (err)
		return err;
	mp_cpu_rooms_of(view, counting->edges, &counting->rooms);
	step_out(0, inner->line, counting);
	return 0;
}

static void ground_free(struct ground *ground)
{
	if (ground->counting.edges)
		mp_cpu_edges_free(&ground->edges);
}

/* As counting has it, where what came along says nothing else. */
static int count(const struct mp_view *view, uint32_t k,
		 struct counting *counting, struct mp_plan *plan,
		 struct mp_fact *fact, struct answer *out)
{
	const struct answer seen = *out;
	int err = 0;

	if (isnan(counting->rooms.bytes[k]))
		out->why = why_size;
	else if (counting->lost)
		out->why = why_inner;
	else
		err = settle(view, k, counting, plan, fact, out);
	if (seen.sector && !out->why && out->line < seen.sector)
		out->why = "neighbours further away come along than lie in a line as lines are counted";
	/* The neighbour of a line that comes along takes room, and goes when it does. */
	else if (!err && !out->why && out->line > counting->inner &&
		 mp_cpu_may_prefetch(view))
		out->why = "lines that are longer than those inside were only counted, and a prefetcher that stays on may have brought the neighbours of shorter ones";
	if (out->why)
		out->sector = 0;
	if (seen.sector) {
		out->sector = seen.sector;
		out->fetched = seen.fetched;
	}
	return err;
}

static int flush(const struct mp_view *view, uint32_t k,
		 const struct counting *counting, struct mp_plan *plan,
		 struct mp_fact *fact, struct answer *out)
{
	struct mp_line_goes goes;
	int err;

	if (!counting->edges)
		return 0;
	err = mp_line_goes(view, counting->edges, k, counting->inner, plan,
			   fact, &goes);
	if (err || !goes.line)
		return err;
	*out = (struct answer){ .line = goes.line, .seen = true,
				.stayed = !goes.halves, .lost = goes.halves,
				.sector = goes.halves ? out->sector : goes.line,
				.fetched = goes.halves ? out->fetched : 0,
				.replicates = goes.replicates };
	return 0;
}

static int level_of(const struct mp_view *view, uint32_t k,
		    struct counting *counting, struct mp_plan *plan,
		    struct mp_fact *fact, struct answer *out)
{
	int err;

	look_first(view, k, counting, fact, out);
	err = flush(view, k, counting, plan, fact, out);
	if (err || out->seen)
		return err;
	err = look(view, k, counting, plan, fact, out);
	if (plan)
		plan->stage++;
	if (!err && !out->seen)
		err = count(view, k, counting, plan, fact, out);
	if (!err)
		err = look_again(view, k, counting, plan, fact, out);
	return err;
}

static int next(const struct mp_view *view, struct mp_plan *plan)
{
	struct ground ground;
	int err = ground_find(view, plan, &ground);

	plan->stage++;
	if (!err)
		err = mp_line_fetch_plan(view, plan);
	plan->stage++;
	for (uint32_t k = 1; k < MP_CPU_LEVELS && !err; k++) {
		struct answer answer;

		err = level_of(view, k, &ground.counting, plan, NULL, &answer);
		if (err || answer.why == why_open)
			break;
		step_out(k, answer.why ? 0 : answer.line, &ground.counting);
		plan->stage++;
	}
	ground_free(&ground);
	return err ? err : 1;
}

static void say_line(const struct answer *answer, struct mp_fact *fact)
{
	snprintf(fact->method, sizeof(fact->method),
		 "of slots far apart it holds as many as it has lines: as many as lines of %u bytes make",
		 answer->line);
	if (answer->seen)
		snprintf(fact->method, sizeof(fact->method),
			 "%u bytes come along with a load, and hops find more lines in it than if they were longer",
			 answer->line);
	if (answer->parted)
		snprintf(fact->method, sizeof(fact->method),
			 "no shorter than what comes along, or than lines inside; and slots %u bytes apart leave it one without the other",
			 answer->line);
	if (answer->joined)
		snprintf(fact->method, sizeof(fact->method),
			 "slots %u bytes apart leave it one without the other, and halves of that never do",
			 answer->line);
	if (answer->stayed)
		snprintf(fact->method, sizeof(fact->method),
			 "no shorter than lines inside; and what is loaded stays where a neighbour %u bytes behind is flushed, here or further out",
			 answer->line);
	if (answer->lost)
		snprintf(fact->method, sizeof(fact->method),
			 "what is loaded stays where a neighbour %u bytes behind is flushed, and goes where one at half of that is",
			 answer->line);
	if (answer->why)
		mp_fact_cannot(fact, "bytes", "%s", answer->why);
	else
		mp_line_bracket(fact, answer->line, answer->replicates);
}

/* A sector shorter than the line inside would never be asked for. */
static void say_sector(const struct answer *answer, struct mp_fact *fact)
{
	snprintf(fact->method, sizeof(fact->method),
		 "misses of a ring as dense as the line inside, as a share of those of a sparse one");
	if (answer->fetched)
		snprintf(fact->method, sizeof(fact->method),
			 "of the neighbours of a slot that is loaded the nearest that does not come along into it, or would share a line with it further in, is %u bytes away",
			 answer->sector);
	if (answer->stayed)
		snprintf(fact->method, sizeof(fact->method),
			 "no shorter than lines inside, and its own are as short");
	if (answer->sector)
		mp_line_bracket(fact, answer->sector, answer->fetched ?
				answer->fetched : answer->replicates);
	else if (answer->why)
		mp_fact_cannot(fact, "bytes", "%s", answer->why);
	else
		mp_fact_cannot(fact, "bytes",
			       "what share of its neighbours a miss brings along is not clear");
}

static int say(const struct mp_view *view, struct mp_facts *facts, uint32_t k,
	       struct counting *counting, struct answer *answer)
{
	struct mp_fact *fact = mp_cpu_fact(facts, view, mp_cpu_level_name[k],
					   "line", "bytes");
	struct mp_fact copy;
	int err;

	if (!fact)
		return -ENOMEM;
	err = level_of(view, k, counting, NULL, fact, answer);
	if (err)
		return err;
	if (!answer->why && !answer->seen &&
	    answer->line > counting->inner &&
	    is_near(view, k, counting->inner, answer)) {
		answer->why = why_near;
		answer->sector = answer->fetched ? answer->sector : 0;
	}
	say_line(answer, fact);
	copy = *fact;
	fact = mp_cpu_fact(facts, view, mp_cpu_level_name[k], "sector",
			   "bytes");
	if (!fact)
		return -ENOMEM;
	for (uint32_t i = 0; i < copy.n_evidence; i++)
		mp_fact_note(fact, copy.evidence[i]);
	say_sector(answer, fact);
	return 0;
}

static int infer(const struct mp_view *view, struct mp_facts *facts)
{
	struct ground ground;
	int err = ground_find(view, NULL, &ground);

	if (!err && ground.inner.replicates)
		err = mp_line_l1d_renew(view, ground.counting.edges, facts);
	for (uint32_t k = 1; k < MP_CPU_LEVELS && !err; k++) {
		struct answer answer = { 0 };

		err = say(view, facts, k, &ground.counting, &answer);
		step_out(k, answer.why ? 0 : answer.line, &ground.counting);
	}
	ground_free(&ground);
	return err;
}

const struct mp_probe mp_probe_line = {
	.name = "line",
	.asks = "in what units do the levels outside the first fetch and allot?",
	.after = "line-l1d,cache-size",
	.facts = "cpu.l2.line,cpu.l2.sector,cpu.l3.line,cpu.l3.sector,cpu.l4.line,cpu.l4.sector",
	.renews = "cpu.l1d.line,cpu.l1d.sector",
	.needs = MP_CAP_CHASE,
	.weight = 5,
	.quick = false,
	.next = next,
	.infer = infer,
};
