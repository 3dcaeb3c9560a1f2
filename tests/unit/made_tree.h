/* SPDX-License-Identifier: GPL-2.0 */
/* Small trees of files, for tests of what reads /proc and /sys. */
#ifndef MADE_TREE_H
#define MADE_TREE_H

/** made_tree() - a new, empty folder; made_tree_free() it */
char *made_tree(void);
/** made_tree_file() - put a file into it, and the folders above it */
void made_tree_file(const char *root, const char *path, const char *text);
/** made_tree_free() - remove all of it */
void made_tree_free(char *root);

#endif
