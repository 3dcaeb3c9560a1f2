/* SPDX-License-Identifier: GPL-2.0 */
/* What a run shows and heeds while it goes: progress, ^C, the wall clock. */
#ifndef MP_CMD_WATCH_H
#define MP_CMD_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/** struct mp_watch - for mp_watch_progress() */
struct mp_watch {
	bool shows;
	int columns;
	uint64_t shown_ns;
};

/**
 * mp_watch_start() - heed SIGINT, SIGTERM, SIGHUP and the wall clock
 * @watch: gets ready for progress
 * @limit_s: the run is to end after so many seconds of wall time, 0 = none
 * @quiet: no progress
 *
 * The first signal asks the run to end, the second ends the process.
 * Progress is shown where stderr is a terminal that can rewrite a line.
 */
void mp_watch_start(struct mp_watch *watch, uint32_t limit_s, bool quiet);

/** mp_watch_end() - wipe the progress line, heed signals no more; after a
 * first signal the second still ends the process */
void mp_watch_end(struct mp_watch *watch);

/** mp_watch_stop() - not 0 once the run is to end */
const volatile sig_atomic_t *mp_watch_stop(void);

/** mp_watch_late() - was it the wall clock that asked? */
bool mp_watch_late(void);

/** mp_watch_progress() - one line, rewritten; @ctx is a struct mp_watch */
void mp_watch_progress(void *ctx, const char *probe, double done,
		       const char *what);

#endif
