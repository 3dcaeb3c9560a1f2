/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GUEST_HOSTILE_H
#define GUEST_HOSTILE_H

#include "guest_lib.h"

#define QUIET (MEMPROBE_RUN_PREEMPT_OFF | MEMPROBE_RUN_IRQ_OFF)
/* Against a hang; no measure of speed. */
#define CHILD_MS 100000
#define PAGE 4096u

/** heed() - let a signal interrupt, and do nothing else */
void heed(int number);

/** random_word() - the next of a sequence that is always the same */
__u64 random_word(__u64 *state);

/** runner() - a child that runs for about so long, and ends with 0 if its
 *  runs did; @fd: the file it uses, -1 = one of its own
 */
pid_t runner(struct guest *g, unsigned int ms, bool own_file);

/** oom_kills() - processes that the kernel killed for memory so far */
long long oom_kills(void);

/* Each is one check, or a few. */
void hostile_storm(struct guest *g);
void hostile_arenas(struct guest *g);
void hostile_close(struct guest *g);
void hostile_shared_file(struct guest *g);
void hostile_kill(struct guest *g);
void hostile_exit(struct guest *g);
void hostile_signals(struct guest *g);
void hostile_fifo(struct guest *g);
void hostile_opens(struct guest *g);
void hostile_freezer(struct guest *g);
void hostile_offline(struct guest *g);
void hostile_moved(struct guest *g);
void hostile_unload(struct guest *g);
void hostile_memory(struct guest *g);
void hostile_warm_up(struct guest *g);
void hostile_large(struct guest *g);
void hostile_fuzz(struct guest *g);

#endif
