// SPDX-License-Identifier: GPL-2.0
/*
 * The conditions under which a run measures, as the kernel's files tell
 * them: what a reader needs to judge a result or to repeat it. What a file
 * does not say is left out. Of the kernel's command line only the words
 * about quiet CPUs are taken: the rest is nobody's business.
 */
#include "machine_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_ROOM 4096
#define CPU_DIR "/sys/devices/system/cpu"

/* A file whose first line is the condition. */
struct condition_file {
	const char *key;
	const char *path;
};

static const struct condition_file plain_files[] = {
	{ "cpus-online", CPU_DIR "/online" },
	{ "cpus-isolated", CPU_DIR "/isolated" },
	{ "nohz-full", CPU_DIR "/nohz_full" },
	{ "smt", CPU_DIR "/smt/control" },
	{ "clocksource",
	  "/sys/devices/system/clocksource/clocksource0/current_clocksource" },
	{ "system-vendor", "/sys/class/dmi/id/sys_vendor" },
	{ "system-product", "/sys/class/dmi/id/product_name" },
};

/* Told only to who asked for it. */
static const struct condition_file private_files[] = {
	{ "host", "/proc/sys/kernel/hostname" },
	{ "system-serial", "/sys/class/dmi/id/product_serial" },
	{ "system-uuid", "/sys/class/dmi/id/product_uuid" },
	{ "board-serial", "/sys/class/dmi/id/board_serial" },
	{ "chassis-serial", "/sys/class/dmi/id/chassis_serial" },
};

/* A word "key=value" of the kernel's command line. */
static const struct condition_file command_words[] = {
	{ "isolcpus", "isolcpus=" },
	{ "nohz-full", "nohz_full=" },
	{ "rcu-nocbs", "rcu_nocbs=" },
};

static bool noted(const struct mp_host *host, const char *key)
{
	for (uint32_t i = 0; i < host->n_conditions; i++)
		if (strcmp(host->condition[i].key, key) == 0)
			return true;
	return false;
}

static void note(struct mp_host *host, const char *key, const char *text)
{
	if (!noted(host, key))
		mp_host_condition(host, key, "%s", text);
}

static void note_files(struct mp_host *host, const char *root,
		       const struct condition_file *file, size_t n)
{
	char line[LINE_ROOM];

	for (size_t i = 0; i < n; i++)
		if (mp_file_line(line, sizeof(line), root, "%s",
				 file[i].path) == 0 &&
		    strcmp(line, "(null)") != 0)
			note(host, file[i].key, line);
}

static void note_command_line(struct mp_host *host, const char *root)
{
	const size_t n = sizeof(command_words) / sizeof(command_words[0]);
	char line[LINE_ROOM], *word, *rest = NULL;

	if (mp_file_line(line, sizeof(line), root, "/proc/cmdline"))
		return;
	for (word = strtok_r(line, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		for (size_t i = 0; i < n; i++) {
			const size_t length = strlen(command_words[i].path);

			if (strncmp(word, command_words[i].path, length) == 0)
				note(host, command_words[i].key,
				     word + length);
		}
	}
}

static void note_load(struct mp_host *host, const char *root)
{
	char line[LINE_ROOM];
	double one, five, fifteen;

	if (mp_file_line(line, sizeof(line), root, "/proc/loadavg"))
		return;
	if (sscanf(line, "%lf %lf %lf", &one, &five, &fifteen) == 3)
		mp_host_condition(host, "load-average", "%.2f %.2f %.2f", one,
				  five, fifteen);
}

/* "always [madvise] never" -> "madvise" */
static void note_choice(struct mp_host *host, const char *root,
			const char *key, const char *path)
{
	char line[LINE_ROOM], *from, *to;

	if (mp_file_line(line, sizeof(line), root, "%s", path))
		return;
	from = strchr(line, '[');
	to = from ? strchr(from, ']') : NULL;
	if (!to)
		return;
	*to = '\0';
	note(host, key, from + 1);
}

/* One line "Key:  value" of a file; the value without its leading blanks. */
static void note_line(struct mp_host *host, const char *root,
		      const char *path, const char *word, const char *key)
{
	char name[512], line[LINE_ROOM];
	const size_t length = strlen(word);
	FILE *file;

	snprintf(name, sizeof(name), "%s%s", root, path);
	file = fopen(name, "re");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		char *value = line + length;

		if (strncmp(line, word, length) != 0)
			continue;
		value += strspn(value, " \t");
		if (*value != ':')
			continue;
		value += 1 + strspn(value + 1, " \t");
		value[strcspn(value, "\n")] = '\0';
		if (*value)
			note(host, key, value);
		break;
	}
	fclose(file);
}

static void note_turbo(struct mp_host *host, const char *root)
{
	char line[LINE_ROOM];

	if (mp_file_line(line, sizeof(line), root,
			 CPU_DIR "/intel_pstate/no_turbo") == 0)
		note(host, "turbo", line[0] == '0' ? "on" : "off");
	if (mp_file_line(line, sizeof(line), root,
			 CPU_DIR "/cpufreq/boost") == 0)
		note(host, "turbo", line[0] == '0' ? "off" : "on");
}

static void note_frequency(struct mp_host *host, const char *root,
			   uint32_t cpu)
{
	static const char *const names[][2] = {
		{ "governor", "scaling_governor" },
		{ "frequency-driver", "scaling_driver" },
		{ "frequency-least-khz", "scaling_min_freq" },
		{ "frequency-most-khz", "scaling_max_freq" },
	};
	char line[LINE_ROOM];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (mp_file_line(line, sizeof(line), root,
				 CPU_DIR "/cpu%u/cpufreq/%s", cpu,
				 names[i][1]) == 0)
			note(host, names[i][0], line);
	note_turbo(host, root);
}

void mp_conditions_read(struct mp_host *host, const char *root, uint32_t cpu,
			bool identify)
{
	note_line(host, root, "/proc/cpuinfo", "model name", "cpu-name");
	note_line(host, root, "/proc/cpuinfo", "microcode", "microcode");
	note_files(host, root, plain_files,
		   sizeof(plain_files) / sizeof(plain_files[0]));
	note_command_line(host, root);
	note_line(host, root, "/proc/self/status", "Cpus_allowed_list",
		  "cpus-allowed");
	note_frequency(host, root, cpu);
	note_load(host, root);
	note_line(host, root, "/proc/meminfo", "MemTotal", "memory-total");
	note_line(host, root, "/proc/meminfo", "MemAvailable",
		  "memory-available");
	note_line(host, root, "/proc/meminfo", "HugePages_Free",
		  "huge-pages-free");
	note_choice(host, root, "thp",
		    "/sys/kernel/mm/transparent_hugepage/enabled");
	note_choice(host, root, "thp-defrag",
		    "/sys/kernel/mm/transparent_hugepage/defrag");
	if (identify)
		note_files(host, root, private_files,
			   sizeof(private_files) / sizeof(private_files[0]));
}
