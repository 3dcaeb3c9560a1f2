// SPDX-License-Identifier: GPL-2.0
/* A folder for a test's files, gone when the test program ends. */
#include "temp_folder.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TURNS 8

static char folder[256];

int temp_folder_make(void **state)
{
	const char *parent = getenv("TMPDIR");

	(void)state;
	snprintf(folder, sizeof(folder), "%s/memprobe-test-XXXXXX",
		 parent ? parent : P_tmpdir);
	return mkdtemp(folder) ? 0 : -1;
}

int temp_folder_remove(void **state)
{
	(void)state;
	temp_folder_empty();
	return rmdir(folder);
}

const char *temp_folder(void)
{
	return folder;
}

const char *temp_path(const char *name)
{
	static char path[TURNS][1024];
	static int turn;

	turn = (turn + 1) % TURNS;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

void temp_folder_empty(void)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	assert(dir);
	while ((entry = readdir(dir))) {
		const char *path = temp_path(entry->d_name);

		if (entry->d_name[0] != '.' && unlink(path))
			rmdir(path);
	}
	closedir(dir);
}

int temp_folder_files(void)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int n = 0;

	assert(dir);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}
