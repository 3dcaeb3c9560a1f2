/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MP_SIM_RULES_H
#define MP_SIM_RULES_H

#include "sim_machine.h"

/**
 * mp_sim_rule_level() and its like - judge what a line has stated
 * @machine: what was stated before it
 * @element: the struct of the line's word, with every key in its range. What
 *	depends on other keys is filled in: `full` ways, the usual sector
 *	and index
 * @spot: the line
 * Return: 0, or -EINVAL and the spot's why.
 */
int mp_sim_rule_level(struct mp_sim_machine *machine, void *element,
		      const struct mp_sim_spot *spot);
int mp_sim_rule_tlb(struct mp_sim_machine *machine, void *element,
		    const struct mp_sim_spot *spot);
int mp_sim_rule_walk(struct mp_sim_machine *machine, void *element,
		     const struct mp_sim_spot *spot);
int mp_sim_rule_neighbour(struct mp_sim_machine *machine, void *element,
			  const struct mp_sim_spot *spot);

/** mp_sim_rule_whole() - what can only be judged when every line is read */
int mp_sim_rule_whole(const struct mp_sim_machine *machine,
		      struct mp_sim_spot *spot);

#endif
