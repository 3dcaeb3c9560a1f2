/* SPDX-License-Identifier: GPL-2.0 */
/* Simulated machines made of a few words, for the tests of sim's parts. */
#ifndef MADE_MACHINE_H
#define MADE_MACHINE_H

#include "backend/sim_machine.h"

/** made_machine() - parse and honour text, or fail the test with the reason;
 * mp_sim_machine_free() it */
void made_machine(struct mp_sim_machine *machine, const char *text);

#endif
