// SPDX-License-Identifier: GPL-2.0
/*
 * What memory is free to take. The kernel has no one answer: the machine has
 * its MemAvailable, each memory cgroup above the process its own limit, and
 * the process its resource limits. The least of them holds; asking for more
 * wakes the OOM killer, who need not choose the one that asked.
 */
#include "user_room.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "machine_source.h"

#define LINE_ROOM 1024
#define PATH_ROOM 2048
/* v1 writes "no limit" as the greatest multiple of a page. */
#define NO_LIMIT (1ull << 60)

/* How one version of memory cgroups writes what we ask. */
struct cgroup_files {
	const char *fs_type;
	const char *limit[2];
	const char *usage;
	const char *idle;	/* key in memory.stat */
};

static const struct cgroup_files v1_files = {
	.fs_type = "cgroup",
	.limit = { "memory.limit_in_bytes", NULL },
	.usage = "memory.usage_in_bytes",
	.idle = "total_inactive_file",
};

static const struct cgroup_files v2_files = {
	.fs_type = "cgroup2",
	.limit = { "memory.max", "memory.high" },
	.usage = "memory.current",
	.idle = "inactive_file",
};

__attribute__((format(printf, 3, 4)))
static void lower(struct mp_user_room *room, uint64_t bytes,
		  const char *format, ...)
{
	va_list args;

	if (bytes >= room->bytes)
		return;
	room->bytes = bytes;
	va_start(args, format);
	vsnprintf(room->bound, sizeof(room->bound), format, args);
	va_end(args);
}

static uint64_t less(uint64_t limit, uint64_t used)
{
	return limit > used ? limit - used : 0;
}

static bool read_number(const char *root, const char *folder,
			const char *name, uint64_t *value)
{
	char line[LINE_ROOM], *end;

	if (mp_file_line(line, sizeof(line), root, "%s/%s", folder, name))
		return false;
	errno = 0;
	*value = strtoull(line, &end, 10);
	return end != line && !errno;	/* "max" is no number: no limit */
}

/* The number after a key in a file of "key number" lines. */
static bool read_keyed(const char *root, const char *path, const char *key,
		       uint64_t *value)
{
	const size_t length = strlen(key);
	char name[PATH_ROOM], line[LINE_ROOM];
	bool found = false;
	FILE *file;

	snprintf(name, sizeof(name), "%s%s", root, path);
	file = fopen(name, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, length) != 0)
			continue;
		found = sscanf(line + length, " %ju", value) == 1;
	}
	fclose(file);
	return found;
}

/* The bounds of one cgroup: a folder with its files. */
static void lower_by_group(struct mp_user_room *room, const char *root,
			   const struct cgroup_files *files,
			   const char *folder)
{
	char stat[PATH_ROOM + 16];
	uint64_t limit, used, idle;

	if (!read_number(root, folder, files->usage, &used))
		return;
	snprintf(stat, sizeof(stat), "%s/memory.stat", folder);
	if (!read_keyed(root, stat, files->idle, &idle))
		idle = 0;
	for (int i = 0; i < 2 && files->limit[i]; i++) {
		if (!read_number(root, folder, files->limit[i], &limit) ||
		    limit >= NO_LIMIT)
			continue;
		lower(room, less(limit, less(used, idle)), "cgroup %s %s",
		      folder, files->limit[i]);
	}
}

/* The folder and all above it, up to the mount point. */
static void lower_by_path(struct mp_user_room *room, const char *root,
			  const struct cgroup_files *files,
			  const char *mount, const char *inside)
{
	const size_t top = strlen(mount);
	char folder[PATH_ROOM];
	char *end;

	if ((size_t)snprintf(folder, sizeof(folder), "%s%s", mount, inside) >=
	    sizeof(folder))
		return;
	for (;;) {
		lower_by_group(room, root, files, folder);
		end = strrchr(folder, '/');
		if (!end || strlen(folder) <= top)
			return;
		*end = '\0';
	}
}

static bool has_word(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (; list; list = strchr(list, ',')) {
		if (*list == ',')
			list++;
		if (strncmp(list, word, length) == 0 &&
		    (list[length] == ',' || list[length] == '\0'))
			return true;
	}
	return false;
}

/* Where this process is in the hierarchy: a line "N:controllers:/path". */
static bool own_path(const char *root, bool v2, char *path, size_t size)
{
	char name[PATH_ROOM], line[PATH_ROOM];
	bool found = false;
	FILE *file;

	snprintf(name, sizeof(name), "%s/proc/self/cgroup", root);
	file = fopen(name, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file)) {
		char *names = strchr(line, ':');
		char *where = names ? strchr(names + 1, ':') : NULL;

		if (!where)
			continue;
		*where++ = '\0';
		names++;
		where[strcspn(where, "\n")] = '\0';
		if (v2 ? *names != '\0' : !has_word(names, "memory"))
			continue;
		snprintf(path, size, "%s", where);
		found = true;
	}
	fclose(file);
	return found;
}

/*
 * What of the process's path lies below what is mounted: in a container the
 * mount shows a part of the hierarchy only.
 */
static const char *below(const char *mounted, const char *path)
{
	const size_t length = strlen(mounted);

	if (strcmp(path, "/") == 0 || strstr(path, "/.."))
		return "";
	if (strcmp(mounted, "/") == 0)
		return path;
	if (strncmp(path, mounted, length) == 0 &&
	    (path[length] == '/' || path[length] == '\0'))
		return path + length;
	return "";
}

/* One line of mountinfo, proc(5): the mount of a memory hierarchy or not. */
static void lower_by_mount(struct mp_user_room *room, const char *root,
			   char *line)
{
	char mounted[PATH_ROOM], mount[PATH_ROOM], type[64], options[LINE_ROOM];
	char path[PATH_ROOM];
	const char *rest = strstr(line, " - ");
	bool v2;

	if (!rest || sscanf(line, "%*s %*s %*s %2047s %2047s", mounted,
			    mount) != 2 ||
	    sscanf(rest, " - %63s %*s %1023s", type, options) != 2)
		return;
	v2 = strcmp(type, v2_files.fs_type) == 0;
	if (!v2 && (strcmp(type, v1_files.fs_type) != 0 ||
		    !has_word(options, "memory")))
		return;
	if (!own_path(root, v2, path, sizeof(path)))
		return;
	lower_by_path(room, root, v2 ? &v2_files : &v1_files, mount,
		      below(mounted, path));
}

static void lower_by_cgroups(struct mp_user_room *room, const char *root)
{
	char name[PATH_ROOM];
	char *line = NULL;
	size_t size = 0;
	FILE *file;

	snprintf(name, sizeof(name), "%s/proc/self/mountinfo", root);
	file = fopen(name, "re");
	if (!file)
		return;
	while (getline(&line, &size, file) > 0)
		lower_by_mount(room, root, line);
	free(line);
	fclose(file);
}

/* RLIMIT_AS bounds all that is mapped, RLIMIT_DATA what is writable and ours. */
static void lower_by_rlimits(struct mp_user_room *room, const char *root)
{
	const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t mapped = 0, data = 0;
	char line[LINE_ROOM];
	struct rlimit limit;

	if (mp_file_line(line, sizeof(line), root, "/proc/self/statm") == 0 &&
	    sscanf(line, "%ju %*u %*u %*u %*u %ju", &mapped, &data) != 2)
		mapped = data = 0;
	if (getrlimit(RLIMIT_AS, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY)
		lower(room, less(limit.rlim_cur, mapped * page_bytes),
		      "RLIMIT_AS");
	if (getrlimit(RLIMIT_DATA, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY)
		lower(room, less(limit.rlim_cur, data * page_bytes),
		      "RLIMIT_DATA");
}

int mp_user_room_read(struct mp_user_room *room, const char *root)
{
	uint64_t available_kib;
	int err = -ENODATA;

	memset(room, 0, sizeof(*room));
	room->bytes = UINT64_MAX;
	if (read_keyed(root, "/proc/meminfo", "MemAvailable:",
		       &available_kib)) {
		lower(room, available_kib << 10, "MemAvailable");
		err = 0;
	}
	lower_by_cgroups(room, root);
	lower_by_rlimits(room, root);
	return err;
}

uint64_t mp_user_room_reserved(const char *root, uint64_t page_bytes)
{
	uint64_t free_pages, promised = 0;
	char folder[LINE_ROOM];

	snprintf(folder, sizeof(folder),
		 "/sys/kernel/mm/hugepages/hugepages-%jukB",
		 (uintmax_t)(page_bytes >> 10));
	if (!read_number(root, folder, "free_hugepages", &free_pages))
		return 0;
	read_number(root, folder, "resv_hugepages", &promised);
	return less(free_pages, promised) * page_bytes;
}
