/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMPROBE_TESTS_INIT_WORDS_H
#define MEMPROBE_TESTS_INIT_WORDS_H

#include <stdbool.h>

/**
 * mp_word() - carry out a command that needs no program
 * @argv: the command and its arguments, ended by NULL
 * @rc: set to its exit status
 *
 * Return: false if there is no such command.
 */
bool mp_word(char **argv, int *rc);

#endif
