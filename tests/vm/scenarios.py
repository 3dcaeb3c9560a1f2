# SPDX-License-Identifier: GPL-2.0
"""What tests/vm/run-rig1 boots: one entry, one boot on each of its kernels.

name    of the scenario, unique
kernels where it is run
run     the run.list, see tests/vm/init.c. A line "@guests" stands for every
        guest program that 'guests' names or, without it, every guest_*.c; one
        that is not there is a failure
smp, mem, icount, append, seconds
        how the machine is made: CPUs, MiB, time by instructions, more for
        the kernel's command line, limit in seconds for the whole boot
tool    needs build/memprobe: it is /memprobe in the guest, with its libraries
tool_lists
        a word that 'memprobe list' has to say, else the scenario is skipped
slow    not in every run: only with --slow, or when named
expect  regular expressions: each has to be found in what the commands said
"""

X86 = ("x86-6.1", "x86-6.12")
ARM64 = ("arm64-6.1",)
ALL = X86 + ARM64

# Loaded, used, unloaded; and a second time, for what the first left behind.
LOAD_USE_UNLOAD = """
20 insmod /memprobe.ko
10 mknod-wait /dev/memprobe
@guests
10 rmmod memprobe
10 gone /dev/memprobe
20 insmod /memprobe.ko
10 mknod-wait /dev/memprobe
10 rmmod memprobe
10 gone /dev/memprobe
"""

SCENARIOS = [
    {
        "name": "two CPUs",
        "kernels": ("x86-6.1",),
        "smp": 2,
        "mem": 1024,
        "seconds": 400,
        "guest_seconds": 150,
        "guests": ["guest_uapi", "guest_run"],
        "run": LOAD_USE_UNLOAD,
    },
    {
        "name": "two CPUs, a later kernel",
        "kernels": ("x86-6.12",),
        "smp": 2,
        "mem": 1024,
        "seconds": 400,
        "guest_seconds": 150,
        "guests": ["guest_uapi", "guest_run"],
        "run": LOAD_USE_UNLOAD,
    },
    {
        "name": "one CPU, little memory",
        "kernels": ("x86-6.1",),
        "smp": 1,
        "mem": 512,
        "seconds": 300,
        "guest_seconds": 100,
        "guests": ["guest_smoke", "guest_run"],
        "run": LOAD_USE_UNLOAD,
    },
    {
        # The guest's only performance counters that count are here, and no
        # host's noise is in its time.
        "name": "time by instructions",
        "kernels": ARM64,
        "smp": 1,
        "mem": 512,
        "icount": True,
        "seconds": 400,
        "guest_seconds": 200,
        "guests": ["guest_pmu", "guest_uapi"],
        "run": LOAD_USE_UNLOAD,
    },
    {
        "name": "the tool",
        "kernels": ("x86-6.1",),
        "smp": 2,
        "mem": 1024,
        "tool": True,
        "tool_lists": "kmod",
        "seconds": 300,
        # A guest without hardware may leave it nothing to measure (4), or
        # nothing to trust (5).
        "run": """
            20 insmod /memprobe.ko
            10 mknod-wait /dev/memprobe
            240 ends 0,4,5 /memprobe run --backend kmod --quick -o /tmp/report.json
            10 send /tmp/report.json
            10 rmmod memprobe
            10 gone /dev/memprobe
        """,
        # It was the module that measured, and a fact that any guest has.
        "expect": [r"target cpu, backend kmod\b", r"^cpu\.clock: \d"],
    },
    {
        # Twenty thousand windows of mixed size, by a clock outside.
        "name": "quiet windows",
        "kernels": ARM64,
        "smp": 1,
        "mem": 512,
        "icount": True,
        "slow": True,
        "seconds": 900,
        "run": """
            20 insmod /memprobe.ko
            10 mknod-wait /dev/memprobe
            800 /guest_quiet exact 20000
            10 rmmod memprobe
        """,
    },
    {
        "name": "hostile callers",
        "kernels": X86,
        "smp": 2,
        "mem": 1024,
        "slow": True,
        "seconds": 600,
        "guest_seconds": 420,
        "guests": ["guest_hostile"],
        "run": LOAD_USE_UNLOAD,
    },
    {
        "name": "all on arm64",
        "kernels": ARM64,
        "smp": 2,
        "mem": 1024,
        "slow": True,
        "seconds": 900,
        "guest_seconds": 420,
        "guests": ["guest_smoke", "guest_uapi", "guest_run", "guest_hostile"],
        "run": LOAD_USE_UNLOAD,
    },
    {
        "name": "all on a later kernel",
        "kernels": ("x86-6.12",),
        "smp": 2,
        "mem": 1024,
        "slow": True,
        "seconds": 600,
        "guest_seconds": 200,
        "guests": ["guest_quiet", "guest_sweep"],
        "run": LOAD_USE_UNLOAD,
    },
]
