# SPDX-License-Identifier: GPL-2.0
#
# The User Mode Linux that tests/vm/um-build builds: allnoconfig and these.
# Each line costs build time, and 'make check' waits for it.

# What a wish below depends on, and without it no small kernel.
CONFIG_EXPERT=y
CONFIG_64BIT=y

# Modules, and suites in them that run when they are loaded.
CONFIG_MODULES=y
CONFIG_MODULE_UNLOAD=y
CONFIG_KUNIT=y
CONFIG_KUNIT_DEFAULT_ENABLED=y

# An initramfs with static programs, and /dev, /proc and /sys for them.
CONFIG_BLK_DEV_INITRD=y
CONFIG_BINFMT_ELF=y
CONFIG_BINFMT_SCRIPT=y
CONFIG_PROC_FS=y
CONFIG_PROC_SYSCTL=y
CONFIG_SYSFS=y
CONFIG_DEVTMPFS=y
CONFIG_SHMEM=y
CONFIG_TMPFS=y
CONFIG_MULTIUSER=y
CONFIG_FUTEX=y
CONFIG_ADVISE_SYSCALLS=y

# A clock that is finer than the tick.
CONFIG_POSIX_TIMERS=y
CONFIG_HIGH_RES_TIMERS=y

# A kernel log that says what happened, when and where.
CONFIG_PRINTK=y
CONFIG_PRINTK_TIME=y
CONFIG_BUG=y
CONFIG_KALLSYMS=y
CONFIG_STDERR_CONSOLE=y
CONFIG_NULL_CHAN=y

# As distributions compile modules: no stores that the source does not ask for.
CONFIG_INIT_STACK_NONE=y
