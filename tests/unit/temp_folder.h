/* SPDX-License-Identifier: GPL-2.0 */
/* A folder for a test's files, gone when the test program ends. */
#ifndef TEMP_FOLDER_H
#define TEMP_FOLDER_H

/** temp_folder_make() - group setup of cmocka */
int temp_folder_make(void **state);
/** temp_folder_remove() - group teardown of cmocka */
int temp_folder_remove(void **state);
/** temp_folder() - its name */
const char *temp_folder(void);
/** temp_path() - name of a file in it; the last eight names stay valid */
const char *temp_path(const char *name);
/** temp_folder_empty() - remove what is in it */
void temp_folder_empty(void);
/** temp_folder_files() - how many there are */
int temp_folder_files(void);

#endif
