// SPDX-License-Identifier: GPL-2.0
/*
 * What is tested, compiled once more: an object belongs to one module, and
 * memprobe.ko is to be the same with and without tests. This file: the core.
 */
#include "../core/gap.c"
#include "../core/hist.c"
#include "../core/perm.c"
#include "../core/ring.c"
#include "../core/rng.c"
#include "../core/window.c"
