// SPDX-License-Identifier: GPL-2.0
/* What a backend could leave changed behind it, in words to compare. */
#include "process.h"

#include <dirent.h>
#include <numaif.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <cmocka.h>

#define LINE_ROOM 1024

/* Lines of /proc/thread-self/status that nobody else changes. */
static const char *const status_lines[] = {
	"Threads:", "SigBlk:", "SigIgn:", "SigCgt:", "VmLck:", "VmPin:",
	"HugetlbPages:", "THP_enabled:", "Cpus_allowed_list:",
	"Mems_allowed_list:", "CapEff:", "NoNewPrivs:",
};

/* One line each: switches of the system, and of the session. */
static const char *const files[] = {
	"/proc/self/autogroup",
	"/proc/self/oom_score_adj",
	"/proc/sys/vm/nr_hugepages",
	"/sys/kernel/mm/transparent_hugepage/enabled",
	"/sys/kernel/mm/transparent_hugepage/defrag",
};

static void put(char text[PROCESS_ROOM], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put(char text[PROCESS_ROOM], const char *format, ...)
{
	const size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, PROCESS_ROOM - used, format, args);
	va_end(args);
}

static bool is_noted(const char *line)
{
	for (size_t i = 0; i < sizeof(status_lines) / sizeof(char *); i++) {
		if (!strncmp(line, status_lines[i], strlen(status_lines[i])))
			return true;
	}
	return false;
}

static void note_status(char text[PROCESS_ROOM])
{
	FILE *file = fopen("/proc/thread-self/status", "re");
	char line[LINE_ROOM];

	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		if (is_noted(line))
			put(text, "%s", line);
	}
	fclose(file);
}

static void note_file(char text[PROCESS_ROOM], const char *path)
{
	FILE *file = fopen(path, "re");
	char line[LINE_ROOM];

	if (!file)
		return;
	if (fgets(line, sizeof(line), file))
		put(text, "%s: %s", path, line);
	fclose(file);
}

static void note_scheduling(char text[PROCESS_ROOM])
{
	struct sched_param param = { 0 };

	sched_getparam(0, &param);
	put(text, "policy: %d, priority %d\n", sched_getscheduler(0),
	    param.sched_priority);
	put(text, "nice: %d\n", getpriority(PRIO_PROCESS, 0));
	put(text, "timer slack: %d\n", prctl(PR_GET_TIMERSLACK));
}

static void note_memory_policy(char text[PROCESS_ROOM])
{
	int policy = -1;

	if (!get_mempolicy(&policy, NULL, 0, NULL, 0))
		put(text, "memory policy: %d\n", policy);
}

static void note_open_files(char text[PROCESS_ROOM])
{
	DIR *folder = opendir("/proc/self/fd");
	int n = 0;

	if (!folder)
		return;
	while (readdir(folder))
		n++;
	closedir(folder);
	put(text, "open files: %d\n", n);
}

void process_note(char text[PROCESS_ROOM])
{
	text[0] = '\0';
	note_status(text);
	note_scheduling(text);
	note_memory_policy(text);
	note_open_files(text);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		note_file(text, files[i]);
}

void process_assert_same(const char *before, const char *after)
{
	while (*before || *after) {
		const size_t was = strcspn(before, "\n");
		const size_t is = strcspn(after, "\n");

		if (was != is || memcmp(before, after, was))
			fail_msg("\"%.*s\" has become \"%.*s\"", (int)was,
				 before, (int)is, after);
		before += was + (before[was] != '\0');
		after += is + (after[is] != '\0');
	}
}

uint64_t process_mapped_bytes(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	uint64_t kib = 0;
	char line[LINE_ROOM];

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "VmSize: %ju", &kib) == 1)
			break;
	}
	fclose(file);
	return kib << 10;
}
