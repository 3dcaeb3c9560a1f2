// SPDX-License-Identifier: GPL-2.0
/*
 * memprobe.ko: bounded pointer chases in windows with interrupts and
 * preemption off. What it does and does not is in Documentation/safety.md.
 */
#include <linux/init.h>
#include <linux/module.h>

#include "arch/machine.h"
#include "file.h"
#include "run.h"

struct mp_machine mp_machine;

static int __init memprobe_init(void)
{
	int err;

	mp_machine_init(&mp_machine);
	err = mp_run_init();
	if (err) {
		pr_err("memprobe: the clock stands still or runs at no rate to be trusted\n");
		return err;
	}
	return mp_device_register();
}

static void __exit memprobe_exit(void)
{
	mp_device_unregister();
}

module_init(memprobe_init);
module_exit(memprobe_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The memprobe developers");
MODULE_DESCRIPTION("Bounded, quiet pointer chases that show how memory is built");
