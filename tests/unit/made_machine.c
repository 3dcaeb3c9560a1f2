// SPDX-License-Identifier: GPL-2.0
/*
 * Simulated machines made of a few words, for the tests of sim's parts.
 */
#include "made_machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "backend/sim_honour.h"

void made_machine(struct mp_sim_machine *machine, const char *text)
{
	char why[256] = "";

	if (mp_sim_machine_parse(machine, text, "made.machine", why,
				 sizeof(why)) ||
	    mp_sim_honour(machine, "made.machine", why, sizeof(why)))
		fail_msg("%s", why);
}
