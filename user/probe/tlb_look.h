/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looks at a TLB: what a load costs more when a ring visits so many pages,
 * one line of each, a stride of pages apart.
 */
#ifndef MP_TLB_LOOK_H
#define MP_TLB_LOOK_H

#include "probe.h"

/** MP_TLB_SMALL_PAGE - bytes */
#define MP_TLB_SMALL_PAGE 4096u

/**
 * struct mp_tlb_ask - whom to ask, and what is not known yet
 * @view: what is known
 * @plan: gets what is not; NULL: nothing more can be had
 * @pages: enum mp_pages to wish for
 * @page_bytes: of one of them
 * @pages_most: an arena may have so many
 * @line: bytes
 * @skew: each page's line lies so many lines further into it than the last's
 * @other_skew: another one, by which the caches lose other lines
 * @is_beside: of twins, the second has the same skew, half a page away
 * @lines_held: so many lines, one a page, surely hit the innermost cache
 * @lines_apart: .. of pages however far apart; the others lie side by side
 * @lines_most: so many may; where they do, mp_tlb_twin() tells
 * @step_cycles: of the clock
 * @single: single hops are timed
 * @longer: in bursts of more turns: once, or twice
 * @base_cycles, @base_error: of a load that needs no TLB, NaN = not known
 * @base_hop: the same of most hops, where single ones are timed; NaN
 * @taken: cycles of a turn that are paid while all pages fit, as what runs between
 *	bursts has an entry, and keeps it; 0
 * @at_times: a ring that fits walked in some replicates: a full set was asked for one
 *	more, for what runs beside the ring, so that by means a full set is not
 *	told from one with a page too many; of the distance asked last
 * @lacks: something that was asked for is not there yet
 * @refused: memory of this page kind was not granted
 * @err: -ENOMEM
 */
struct mp_tlb_ask {
	const struct mp_view *view;
	struct mp_plan *plan;
	uint32_t pages;
	uint64_t page_bytes;
	uint64_t pages_most;
	uint32_t line;
	uint32_t skew;
	uint32_t other_skew;
	bool is_beside;
	uint32_t lines_held;
	uint32_t lines_apart;
	uint32_t lines_most;
	double step_cycles;
	bool single;
	uint32_t longer;
	double base_cycles;
	double base_error;
	double base_hop;
	double taken;
	bool at_times;
	bool lacks;
	bool refused;
	int err;
};

/**
 * struct mp_tlb_seen - what a ring showed
 * @cycles: beyond what its lines cost without translation
 * @least: the same of the cheapest replicate: each has another placement of
 *	pages, and what the caches lose differs with it
 * @error: standard error of that
 * @n: replicates
 * @id: of the experiment
 */
struct mp_tlb_seen {
	double cycles;
	double least;
	double error;
	uint32_t n;
	uint64_t id;
};

/** mp_tlb_take_off() - leave of @seen what is beyond the cost of @packed, the
 * same lines in a row */
void mp_tlb_take_off(struct mp_tlb_seen *seen,
		     const struct mp_tlb_seen *packed);

/** enum mp_tlb_say - an answer */
enum mp_tlb_say {
	MP_TLB_NO,
	MP_TLB_YES,
	MP_TLB_UNSURE,	/* it cannot be told */
	MP_TLB_LACKS,	/* it has been asked for */
};

/** MP_TLB_REPLICATES, MP_TLB_MANY - of a look at first, and at most */
#define MP_TLB_REPLICATES 3u
#define MP_TLB_MANY 12u

/**
 * mp_tlb_ask_init() - ask about pages of a kind
 * @plan: may be NULL
 * @single: time single hops where the clock is fine enough for it
 *
 * Return: whether the innermost cache is known well enough, and the cost of a
 * load without translation; if not, @ask->lacks says whether it will be.
 */
bool mp_tlb_ask_init(struct mp_tlb_ask *ask, const struct mp_view *view,
		     struct mp_plan *plan, uint32_t pages, bool single);

/** mp_tlb_one_error() - standard error of a single replicate, cycles a hop: as those
 * of a load that needs no TLB lie apart */
double mp_tlb_one_error(const struct mp_tlb_ask *ask);

/** mp_tlb_taken() - cycles of a hop over @n pages that may be paid for what is taken */
double mp_tlb_taken(const struct mp_tlb_ask *ask, uint32_t n);

/**
 * mp_tlb_look() - what @n pages cost, @stride pages apart
 * @replicates: so many at least; those that there are beyond count too
 * Return: false where they are not there (and are asked for)
 */
bool mp_tlb_look(struct mp_tlb_ask *ask, uint32_t stride, uint32_t n,
		 uint32_t replicates, struct mp_tlb_seen *seen);

/**
 * mp_tlb_mostly() - what most hops of a ring cost of those that cost more than
 * @cycles
 *
 * What the caches lose of its lines is paid by a few, and does not count.
 * @seen: gets it; @seen->n = 0: cannot be told, nothing is asked for.
 */
void mp_tlb_mostly(const struct mp_tlb_ask *ask, uint32_t stride, uint32_t n,
		   double cycles, struct mp_tlb_seen *seen);

/**
 * mp_tlb_twin() - what @n pages cost of which two lines each are visited
 *
 * In two rings by turns, each a ring of its own skew over the same pages.
 * Beyond what so many lines in a row cost; @seen->n = 0: cannot be had.
 * Return: false where it is not there yet (and is asked for)
 */
bool mp_tlb_twin(struct mp_tlb_ask *ask, uint32_t stride, uint32_t n,
		 uint32_t replicates, struct mp_tlb_seen *seen);

/** mp_tlb_along_fits() - is there room for the ring of mp_tlb_along()? */
bool mp_tlb_along_fits(const struct mp_tlb_ask *ask, uint32_t n);

/**
 * mp_tlb_along() - what two times @n lines cost along one ring
 *
 * They lie half a page and a line apart, so they fall evenly on the sets of the
 * innermost cache, and take hardly more than @n pages.
 * Beyond what a load costs without translation.
 * Return: false where it is not there yet (and is asked for)
 */
bool mp_tlb_along(struct mp_tlb_ask *ask, uint32_t n, uint32_t replicates,
		  struct mp_tlb_seen *seen);

/** mp_tlb_twin_pages() - so many pages with two lines each have as many lines
 * as a ring of @n, with all that may be fetched along with them */
uint32_t mp_tlb_twin_pages(const struct mp_tlb_ask *ask, uint32_t n);

/**
 * mp_tlb_twin_turns() - turns that each ring of twins takes before the other
 *
 * A burst is a whole number of looks at the clock. What one ring has put out
 * of the other it finds again in the first turn: only that one is dear.
 */
double mp_tlb_twin_turns(uint32_t n);

/**
 * mp_tlb_is_pages() - are so few pages with two lines each cheap?
 * @pages: about half as many as a ring has that is dear: it is for its pages
 *	then. Where twins cannot be had, what the ring says has to do
 * @paid: what each hop of theirs may cost
 * @slack: beside that, what hops of a turn may cost in the mean, each its first
 * Return: enum mp_tlb_say
 */
uint32_t mp_tlb_is_pages(struct mp_tlb_ask *ask, uint32_t stride,
			 uint32_t pages, double paid, double slack);

/** mp_tlb_ring_exp(), mp_tlb_packed_exp(), mp_tlb_along_exp() - @n pages @stride
 * pages apart, a line of each; as many lines in a row; @lines so many bytes apart */
void mp_tlb_ring_exp(const struct mp_tlb_ask *ask, uint32_t stride, uint32_t n,
		     struct mp_exp *exp);
void mp_tlb_packed_exp(const struct mp_tlb_ask *ask, uint32_t n,
		       struct mp_exp *exp);
void mp_tlb_along_exp(const struct mp_tlb_ask *ask, uint64_t stride_bytes,
		      uint32_t lines, struct mp_exp *exp);

/**
 * mp_tlb_gather() - all replicates of an experiment, cycles of a hop
 * Return: false where there are too few (and more are asked for)
 */
bool mp_tlb_gather(struct mp_tlb_ask *ask, const struct mp_exp *exp,
		   uint32_t replicates, struct mp_tlb_seen *seen);

/** mp_tlb_fits() - does an arena have room for such a ring? */
bool mp_tlb_fits(const struct mp_tlb_ask *ask, uint32_t stride, uint32_t n);

/** mp_tlb_clear() - may that be, and does the innermost cache surely hold a line
 * of each? Far apart they fall on fewer of its sets. */
bool mp_tlb_clear(const struct mp_tlb_ask *ask, uint32_t stride, uint32_t n);

/**
 * mp_tlb_share() - of a ring that has been looked at, the share of hops that
 * cost more than @cycles beyond a load without translation; NaN
 */
double mp_tlb_share(const struct mp_tlb_ask *ask, uint32_t stride, uint32_t n,
		    double cycles);

/** mp_tlb_share_least() - of the replicate that has the fewest, the share of
 * hops that take more than @cycles, but no more than @most */
double mp_tlb_share_least(const struct mp_tlb_ask *ask, uint32_t stride,
			  uint32_t n, double cycles, double most);

/** mp_tlb_compare() - is a value above a bound? Clearly, or UNSURE */
uint32_t mp_tlb_compare(double value, double error, double bound);

/**
 * mp_tlb_misses() - does a ring cost more than one without translation?
 *
 * More than half of what one miss a turn would cost; replicates are added
 * until that is clear.
 */
uint32_t mp_tlb_misses(struct mp_tlb_ask *ask, uint32_t stride, uint32_t n);

#endif
