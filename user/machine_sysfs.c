// SPDX-License-Identifier: GPL-2.0
/*
 * Claims from the kernel's files: caches from sysfs, which on arm64 is where
 * the firmware's word ends up, and a model name where CPUID gives none.
 */
#include "machine_source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE "sysfs"
#define PATH_ROOM 512
#define LINE_ROOM 256
/* No CPU has so many caches. */
#define INDICES_MAX 32u

int mp_file_line(char *text, size_t room, const char *root,
		 const char *format, ...)
{
	char path[PATH_ROOM];
	va_list args;
	FILE *file;
	int n;

	n = snprintf(path, sizeof(path), "%s", root);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	va_start(args, format);
	vsnprintf(path + n, sizeof(path) - (size_t)n, format, args);
	va_end(args);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	if (!fgets(text, (int)room, file))
		text[0] = '\0';
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return text[0] ? 0 : -ENODATA;
}

bool mp_cpu_listed(const char *list, uint32_t cpu)
{
	while (*list) {
		unsigned long first, last;
		char *end;

		first = strtoul(list, &end, 10);
		if (end == list)
			return false;
		last = first;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (cpu >= first && cpu <= last)
			return true;
		list = *end == ',' ? end + 1 : "";
	}
	return false;
}

bool mp_sysfs_online(const char *root, uint32_t cpu)
{
	char list[4096];

	if (mp_file_line(list, sizeof(list), root,
			 "/sys/devices/system/cpu/online"))
		return true;
	return mp_cpu_listed(list, cpu);
}

/* "48K", "2048K", "1M"; 0 when it is not understood. */
static uint64_t parse_size(const char *text)
{
	unsigned long long value;
	char *end;

	value = strtoull(text, &end, 10);
	if (end == text)
		return 0;
	switch (*end) {
	case '\0':
		return value;
	case 'K':
		return value << 10;
	case 'M':
		return value << 20;
	case 'G':
		return value << 30;
	default:
		return 0;
	}
}

static uint32_t number_of(const char *root, uint32_t cpu, uint32_t index,
			  const char *field)
{
	char text[LINE_ROOM];

	if (mp_file_line(text, sizeof(text), root,
			 "/sys/devices/system/cpu/cpu%u/cache/index%u/%s", cpu,
			 index, field))
		return 0;
	return (uint32_t)strtoul(text, NULL, 10);
}

/* Of a list of CPUs those that may be used, as no others can be asked about:
 * all, where that is not known; 0 where the list is not understood. */
static uint32_t usable_of(const struct mp_host *host, const char *list)
{
	struct mp_cpus cpus;

	if (mp_cpus_parse(&cpus, list))
		return 0;
	if (mp_cpus_count(&host->cpus))
		for (uint32_t i = 0; i < MP_CPUS_MAX / 64; i++)
			cpus.word[i] &= host->cpus.word[i];
	return mp_cpus_count(&cpus);
}

void mp_sysfs_claims(struct mp_host *host, const char *root, uint32_t cpu)
{
	static const char path[] =
		"/sys/devices/system/cpu/cpu%u/cache/index%u/%s";
	char text[LINE_ROOM];

	for (uint32_t i = 0; i < INDICES_MAX; i++) {
		struct mp_cache_claim cache = { 0 };

		if (mp_file_line(text, sizeof(text), root, path, cpu, i,
				 "type"))
			break;
		if (strcmp(text, "Data") != 0 && strcmp(text, "Unified") != 0)
			continue;
		cache.level = number_of(root, cpu, i, "level");
		cache.line_bytes =
			number_of(root, cpu, i, "coherency_line_size");
		cache.ways = number_of(root, cpu, i, "ways_of_associativity");
		if (mp_file_line(text, sizeof(text), root, path, cpu, i,
				 "size") == 0)
			cache.size_bytes = parse_size(text);
		if (mp_file_line(text, sizeof(text), root, path, cpu, i,
				 "shared_cpu_list") == 0)
			cache.shared_cpus = usable_of(host, text);
		mp_claim_cache(host, &cache, SOURCE);
	}
}

/* "key : value" of /proc/cpuinfo; NULL when it is another key. */
static const char *value_of(const char *line, const char *key)
{
	const size_t length = strlen(key);

	if (strncmp(line, key, length) != 0)
		return NULL;
	line += length;
	line += strspn(line, " \t");
	if (*line != ':')
		return NULL;
	return line + 1 + strspn(line + 1, " \t");
}

void mp_sysfs_model(struct mp_host *host, const char *root, uint32_t cpu)
{
	char path[PATH_ROOM], line[4096];
	char maker[32] = "", part[32] = "";
	const char *value;
	bool here = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", root);
	file = host->model[0] ? NULL : fopen(path, "re");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		value = value_of(line, "processor");
		if (value)
			here = strtoul(value, NULL, 10) == cpu;
		value = value_of(line, "CPU implementer");
		if (here && value)
			snprintf(maker, sizeof(maker), "%.31s", value);
		value = value_of(line, "CPU part");
		if (here && value)
			snprintf(part, sizeof(part), "%.31s", value);
	}
	fclose(file);
	if (maker[0] && part[0])
		snprintf(host->model, sizeof(host->model),
			 "ARM implementer %s part %s", maker, part);
}
