// SPDX-License-Identifier: GPL-2.0
/*
 * What a run shows and heeds while it goes. A signal handler only sets a
 * flag that the runner looks at between batches, so that the backend always
 * gets to undo what it changed; whoever insists is let go at once.
 */
#include "cmd_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"

#define COLUMNS_DEFAULT 80
/* A terminal need not be told more often. */
#define SHOW_EVERY_NS 100000000ull

enum asked { ASKED_NOT, ASKED_SIGNAL, ASKED_CLOCK };

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static volatile sig_atomic_t asked;
static volatile sig_atomic_t asked_by_user;

static void on_signal(int number)
{
	(void)number;
	if (asked_by_user)
		_exit(MP_EXIT_LEFT);
	asked_by_user = 1;
	asked = ASKED_SIGNAL;
}

static void on_clock(int number)
{
	(void)number;
	if (!asked)
		asked = ASKED_CLOCK;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static void heed(int number, void (*handler)(int))
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = SA_RESTART;
	sigaction(number, &action, NULL);
}

/* nohup(1) and shells' background jobs have asked for some to be ignored. */
static bool ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 &&
	       action.sa_handler == SIG_IGN;
}

static void set_clock(uint32_t limit_s)
{
	const struct itimerval when = { .it_value.tv_sec = limit_s };

	setitimer(ITIMER_REAL, &when, NULL);
}

static int columns_of(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col)
		return COLUMNS_DEFAULT;
	return size.ws_col;
}

void mp_watch_start(struct mp_watch *watch, uint32_t limit_s, bool quiet)
{
	const char *term = getenv("TERM");

	memset(watch, 0, sizeof(*watch));
	watch->shows = !quiet && isatty(STDERR_FILENO) && term && term[0] &&
		       strcmp(term, "dumb") != 0;
	watch->columns = columns_of(STDERR_FILENO);
	asked = ASKED_NOT;
	asked_by_user = 0;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!ignored(signals[i]))
			heed(signals[i], on_signal);
	if (limit_s) {
		heed(SIGALRM, on_clock);
		set_clock(limit_s);
	}
	/* A file beyond ulimit -f is an error like others, not the end. */
	signal(SIGXFSZ, SIG_IGN);
}

void mp_watch_end(struct mp_watch *watch)
{
	set_clock(0);
	/* Who has asked once may insist while the report is written, too. */
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!asked_by_user && !ignored(signals[i]))
			heed(signals[i], SIG_DFL);
	if (watch->shows && watch->shown_ns)
		fputs("\r\033[K", stderr);
	watch->shows = false;
}

const volatile sig_atomic_t *mp_watch_stop(void)
{
	return &asked;
}

bool mp_watch_late(void)
{
	return asked == ASKED_CLOCK;
}

void mp_watch_progress(void *ctx, const char *probe, double done,
		       const char *what)
{
	struct mp_watch *watch = ctx;
	char line[256];
	uint64_t now;

	if (!watch->shows)
		return;
	now = now_ns();
	if (watch->shown_ns && now - watch->shown_ns < SHOW_EVERY_NS)
		return;
	watch->shown_ns = now;
	snprintf(line, sizeof(line), "%3.0f %%  %s: %s%s", 100 * done, probe,
		 what, asked ? ", ending" : "");
	/* A line that wraps cannot be rewritten. */
	fprintf(stderr, "\r%.*s\033[K", watch->columns - 1, line);
	fflush(stderr);
}
