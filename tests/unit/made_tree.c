// SPDX-License-Identifier: GPL-2.0
/* Small trees of files. */
#include "made_tree.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_ROOM 4096

static void give_up(const char *what)
{
	fprintf(stderr, "made_tree: %s: %s\n", what, strerror(errno));
	abort();
}

char *made_tree(void)
{
	const char *folder = getenv("TMPDIR");
	char *root;

	if (asprintf(&root, "%s/mp-tree-XXXXXX",
		     folder && folder[0] ? folder : "/tmp") < 0)
		abort();
	if (!mkdtemp(root))
		give_up(root);
	return root;
}

void made_tree_file(const char *root, const char *path, const char *text)
{
	char name[NAME_ROOM];
	FILE *file;

	snprintf(name, sizeof(name), "%s%s", root, path);
	for (char *c = name + strlen(root) + 1; (c = strchr(c, '/')); c++) {
		*c = '\0';
		if (mkdir(name, 0755) && errno != EEXIST)
			give_up(name);
		*c = '/';
	}
	file = fopen(name, "we");
	if (!file)
		give_up(name);
	fputs(text, file);
	fclose(file);
}

static int remove_one(const char *path, const struct stat *st, int kind,
		      struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

void made_tree_free(char *root)
{
	if (nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS))
		give_up(root);
	free(root);
}
