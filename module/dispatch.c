// SPDX-License-Identifier: GPL-2.0
/*
 * The one place that reads and writes memory of the caller. A table has the
 * size of each command's struct, now and in its first version; handlers get
 * kernel memory, checked, and what they leave there is copied back.
 */
#include "dispatch.h"

#include <linux/capability.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "check.h"
#include "file.h"
#include "limits.h"
#include "run.h"
#include "secure.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

#define ROOM_GFP (GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

/* A call: the struct in kernel memory, and where it came from. */
struct call {
	struct file *file;
	struct mp_file *own;
	void __user *from;
	u32 size;
	union {
		struct memprobe_info info;
		struct memprobe_arena arena;
		struct memprobe_run run;
	} word;
};

struct command {
	unsigned int number;
	u32 size;
	u32 first_size;
	int (*handle)(struct call *call);
};

static void what_we_have(struct memprobe_info *have)
{
	memset(have, 0, sizeof(*have));
	mp_mem_info(have);
	mp_run_info(have);
}

/* -- INFO -------------------------------------------------------------------- */

static int handle_info(struct call *call)
{
	const u32 size = call->word.info.size;
	int err;

	err = mp_check_info(&call->word.info);
	if (err)
		return err;
	mp_run_refresh();
	what_we_have(&call->word.info);
	call->word.info.size = size;
	return 0;
}

/* -- ARENA ------------------------------------------------------------------- */

static int handle_arena(struct call *call)
{
	struct memprobe_arena *arena = &call->word.arena;
	const bool take = arena->op == MEMPROBE_ARENA_TAKE;
	struct memprobe_info have;
	int err;

	err = mp_may_measure(call->file);
	if (err)
		return err;
	what_we_have(&have);
	err = mp_check_arena(arena, &have);
	if (err)
		return err;
	err = mp_may_arena(call->file, arena);
	if (err)
		return err;
	arena->got = 0;
	err = mp_file_arena(call->own, arena);
	if (err || !take)
		return err;
	/* Nobody knows the arena's number if it cannot be told. */
	if (!copy_to_user(call->from, arena, min_t(u32, call->size,
						   sizeof(*arena))))
		return 0;
	arena->op = MEMPROBE_ARENA_GIVE;
	mp_file_arena(call->own, arena);
	return -EFAULT;
}

/* -- RUN --------------------------------------------------------------------- */

static int read_actor(struct mp_job *job, const struct memprobe_info *have)
{
	int err;

	err = copy_struct_from_user(&job->actor, sizeof(job->actor),
				    u64_to_user_ptr(job->run.actors),
				    job->run.actor_size);
	return err ? err : mp_check_actor(&job->actor, &job->run, have);
}

static void __user *event_at(const struct mp_job *job, u32 i)
{
	return u64_to_user_ptr(job->run.events + (u64)i * job->run.event_size);
}

static int read_events(struct mp_job *job)
{
	u32 i;
	int err;

	for (i = 0; i < job->run.n_events; i++) {
		err = copy_struct_from_user(&job->event[i],
					    sizeof(job->event[i]),
					    event_at(job, i),
					    job->run.event_size);
		if (err)
			return err;
		if (job->event[i].size != job->run.event_size)
			return -EINVAL;
		err = mp_check_event(&job->event[i]);
		if (err)
			return err;
	}
	return 0;
}

/* Slots of the steps are looked at when their arena is known. */
static int read_steps(struct mp_job *job)
{
	const u64 bytes = (u64)job->run.n_steps * sizeof(*job->step);

	if (!bytes)
		return 0;
	job->step = kvmalloc(bytes, ROOM_GFP);
	if (!job->step)
		return -ENOMEM;
	return copy_from_user(job->step, u64_to_user_ptr(job->run.steps),
			      bytes) ? -EFAULT : 0;
}

static int make_room(struct mp_job *job)
{
	job->sample = kvcalloc(job->actor.bursts, sizeof(*job->sample),
			       ROOM_GFP);
	if (!job->sample)
		return -ENOMEM;
	if (!job->run.n_ticks)
		return 0;
	job->ticks = kvcalloc(job->run.n_ticks, sizeof(*job->ticks), ROOM_GFP);
	return job->ticks ? 0 : -ENOMEM;
}

static int read_job(struct mp_job *job, const struct memprobe_info *have)
{
	int err;

	err = read_actor(job, have);
	if (!err)
		err = read_events(job);
	if (!err)
		err = read_steps(job);
	return err ? err : make_room(job);
}

static int write_samples(const struct mp_job *job)
{
	char __user *to = u64_to_user_ptr(job->run.samples);
	const u32 stride = mp_run_stride(&job->run);
	u32 i;

	for (i = 0; i < job->run.n_samples; i++)
		if (copy_to_user(to + (u64)i * stride, &job->sample[i],
				 sizeof(job->sample[i])))
			return -EFAULT;
	return 0;
}

static int write_events(const struct mp_job *job)
{
	struct memprobe_event __user *to;
	u32 i;

	for (i = 0; i < job->run.n_events; i++) {
		to = event_at(job, i);
		if (put_user(job->event[i].error, &to->error))
			return -EFAULT;
	}
	return 0;
}

static int write_job(const struct mp_job *job)
{
	int err;

	err = write_samples(job);
	if (!err)
		err = write_events(job);
	if (!err && job->n_ticks &&
	    copy_to_user(u64_to_user_ptr(job->run.ticks), job->ticks,
			 (u64)job->n_ticks * sizeof(*job->ticks)))
		err = -EFAULT;
	return err;
}

static int run_job(struct call *call, struct mp_job *job)
{
	struct memprobe_info have;
	int err;

	what_we_have(&have);
	err = mp_check_run(&job->run, &have);
	if (!err)
		err = mp_may_run(call->file, &job->run);
	if (!err)
		err = read_job(job, &have);
	mp_run_clear(&job->run);
	if (!err)
		err = mp_run_job(call->own, job);
	if (!err)
		err = write_job(job);
	trace_memprobe_run(&job->run, job->actor.cpu, err);
	return err;
}

static int handle_run(struct call *call)
{
	struct mp_job *job;
	int err;

	err = mp_may_measure(call->file);
	if (err)
		return err;
	job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	if (!job)
		return -ENOMEM;
	job->run = call->word.run;
	job->is_admin = mp_is_admin(call->file);
	err = run_job(call, job);
	call->word.run = job->run;
	kvfree(job->step);
	kvfree(job->sample);
	kvfree(job->ticks);
	kfree(job);
	return err;
}

/* -- the table --------------------------------------------------------------- */

/* The first version of each struct ended with the field named here. */
#define COMMAND(_number, _struct, _last, _handle) {			\
	.number = (_number),						\
	.size = sizeof(struct _struct),					\
	.first_size = offsetofend(struct _struct, _last),		\
	.handle = (_handle),						\
}

static const struct command commands[] = {
	COMMAND(MEMPROBE_INFO, memprobe_info, reserved, handle_info),
	COMMAND(MEMPROBE_ARENA, memprobe_arena, took_ns, handle_arena),
	COMMAND(MEMPROBE_RUN, memprobe_run, reserved, handle_run),
};

static const struct command *find_command(unsigned int number)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].number == number)
			return &commands[i];
	return NULL;
}

long mp_dispatch(struct file *file, unsigned int number, unsigned long address)
{
	const struct command *command = find_command(number);
	struct call call = {
		.file = file,
		.own = file->private_data,
		.from = (void __user *)address,
	};
	int err;

	if (!command)
		return -ENOIOCTLCMD;
	if (get_user(call.size, (u32 __user *)call.from))
		return -EFAULT;
	if (call.size < command->first_size)
		return -EINVAL;
	if (call.size > MP_STRUCT_MAX)
		return -E2BIG;
	err = copy_struct_from_user(&call.word, command->size, call.from,
				    call.size);
	if (err)
		return err;
	err = command->handle(&call);
	if (err)
		return err;
	return copy_to_user(call.from, &call.word,
			    min(call.size, command->size)) ? -EFAULT : 0;
}
