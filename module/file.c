// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/memprobe: what an open file owns, from open to release. An open file
 * holds the module, and a system call holds the file, so nothing is freed
 * while it is used; arenas are taken and given back under the file's lock,
 * and not at all while a run uses them.
 */
#include "file.h"

#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "dispatch.h"

struct mp_mem *mp_file_find(const struct mp_file *own, u32 id)
{
	u32 i;

	for (i = 0; i < MP_ARENAS_MAX; i++)
		if (own->arena[i] && own->arena[i]->id == id)
			return own->arena[i];
	return NULL;
}

static int take(struct mp_file *own, struct memprobe_arena *arena)
{
	u32 i, id = own->last_id + 1;
	struct mp_mem *mem;
	int err;

	for (i = 0; i < MP_ARENAS_MAX && own->arena[i]; i++)
		;
	if (i == MP_ARENAS_MAX)
		return -ERANGE;
	/* Numbers do not come again before four thousand million have. */
	if (!id || mp_file_find(own, id))
		return -ENOMEM;
	err = mp_mem_take(arena, &mem);
	if (err)
		return err;
	mem->id = id;
	own->last_id = id;
	own->arena[i] = mem;
	arena->id = id;
	return 0;
}

static int give(struct mp_file *own, u32 id)
{
	u32 i;

	for (i = 0; i < MP_ARENAS_MAX; i++) {
		if (!own->arena[i] || own->arena[i]->id != id)
			continue;
		mp_mem_give(own->arena[i]);
		own->arena[i] = NULL;
		return 0;
	}
	return -ENOENT;
}

int mp_file_arena(struct mp_file *own, struct memprobe_arena *arena)
{
	int err;

	/* A run holds no lock while it measures, so nobody waits for it. */
	if (mutex_lock_killable(&own->lock))
		return -EINTR;
	if (own->running)
		err = -EBUSY;
	else if (arena->op == MEMPROBE_ARENA_TAKE)
		err = take(own, arena);
	else
		err = give(own, arena->id);
	mutex_unlock(&own->lock);
	return err;
}

int mp_file_run_begin(struct mp_file *own)
{
	int err = 0;

	if (mutex_lock_killable(&own->lock))
		return -EINTR;
	if (own->running)
		err = -EBUSY;
	else
		own->running = true;
	mutex_unlock(&own->lock);
	return err;
}

void mp_file_run_end(struct mp_file *own)
{
	mutex_lock(&own->lock);
	own->running = false;
	mutex_unlock(&own->lock);
}

static int open_file(struct inode *inode, struct file *file)
{
	struct mp_file *own;

	own = kzalloc(sizeof(*own), GFP_KERNEL_ACCOUNT);
	if (!own)
		return -ENOMEM;
	mutex_init(&own->lock);
	file->private_data = own;
	return stream_open(inode, file);
}

static int release_file(struct inode *inode, struct file *file)
{
	struct mp_file *own = file->private_data;
	u32 i;

	for (i = 0; i < MP_ARENAS_MAX; i++)
		if (own->arena[i])
			mp_mem_give(own->arena[i]);
	mutex_destroy(&own->lock);
	kfree(own);
	return 0;
}

static const struct file_operations mp_fops = {
	.owner = THIS_MODULE,
	.open = open_file,
	.release = release_file,
	.unlocked_ioctl = mp_dispatch,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice mp_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "memprobe",
	.fops = &mp_fops,
	.mode = 0600,
};

int mp_device_register(void)
{
	return misc_register(&mp_device);
}

void mp_device_unregister(void)
{
	misc_deregister(&mp_device);
}
