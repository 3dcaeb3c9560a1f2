// SPDX-License-Identifier: GPL-2.0
#include "made_look.h"

uint64_t made_look(void)
{
	static uint64_t looks;

	return ++looks;
}
