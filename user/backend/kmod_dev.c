// SPDX-License-Identifier: GPL-2.0
/*
 * The way to /dev/memprobe. Errors are put into words where they arise:
 * what was asked for, what the module said, what to do about it.
 */
#include "kmod_dev.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "why.h"

/* While the machine is held: first nap, and how often it is doubled. */
#define NAP_NS 2000000ull
#define NAPS 9u
/* Pages from here on are huge ones. */
#define HUGE_SHIFT 21u

static int way_open(const char *path)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int way_call(int fd, unsigned long command, void *arg)
{
	const int ret = ioctl(fd, command, arg);

	return ret < 0 ? -errno : ret;
}

static void way_close(int fd)
{
	close(fd);
}

static void way_nap(uint64_t ns)
{
	const struct timespec time = {
		.tv_sec = (time_t)(ns / 1000000000ull),
		.tv_nsec = (long)(ns % 1000000000ull),
	};

	nanosleep(&time, NULL);
}

static const struct mp_kmod_way kernel = {
	.open = way_open,
	.call = way_call,
	.close = way_close,
	.nap = way_nap,
};

const struct mp_kmod_way *mp_kmod_way = &kernel;

/* What the errors of the commands mean, and what helps. */
static const struct {
	int err;
	const char *text;
} meanings[] = {
	{ -EPERM, "not permitted: the module wants CAP_SYS_ADMIN of this program and of whoever opened the device, and lockdown forbids some of it: run as root" },
	{ -EACCES, "not permitted: run as root" },
	{ -EBUSY, "another run holds the machine: wait for it to end" },
	{ -ENOMEM, "no memory of that kind is left, or the module's cap over all its users is reached" },
	{ -ERANGE, "beyond a limit of the module" },
	{ -EINVAL, "the module takes it for wrong: is it of the same version as this program?" },
	{ -E2BIG, "the module does not know all of it: load the one that was built with this program" },
	{ -EOPNOTSUPP, "the module or this machine has not got it" },
	{ -ENOTTY, "the module does not know the command: is it another driver?" },
	{ -ENXIO, "the CPU or the node is not online" },
	{ -ENOENT, "the arena is not there" },
	{ -EINTR, "interrupted" },
};

static int fail(const char *what, int err, char *why, size_t room)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		if (meanings[i].err == err)
			return mp_why(why, room, err, "%s: %s", what,
				      meanings[i].text);
	}
	return mp_why(why, room, err, "%s: %s", what, strerror(-err));
}

static int not_opened(int err, char *why, size_t room)
{
	switch (err) {
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		return mp_why(why, room, -ENODEV, MP_KMOD_PATH ": the module "
			      "is not loaded: make run KMOD=1 does that for "
			      "one run, or, as root, insmod "
			      "module/memprobe.ko");
	case -EACCES:
	case -EPERM:
		return mp_why(why, room, err, MP_KMOD_PATH ": may not be "
			      "opened by this user: run as root");
	default:
		return mp_why(why, room, err, MP_KMOD_PATH ": cannot be "
			      "opened: %s", strerror(-err));
	}
}

/* Is it a module that can be worked with? */
static int check_info(const struct memprobe_info *info, char *why,
		      size_t room)
{
	const char *fault = NULL;

	if (!(info->ops & 1u << MEMPROBE_OP_CHASE))
		fault = "it knows no chase";
	else if (info->sample_size < sizeof(struct memprobe_sample))
		fault = "its samples are too short";
	else if (!info->tick_hz)
		fault = "its clock stands still";
	else if (!info->kinds)
		fault = "it knows no kind of memory";
	else if (!info->bursts_max || !info->ring_slots_max)
		fault = "its limits allow no run";
	if (!fault)
		return 0;
	return mp_why(why, room, -ENODEV, MP_KMOD_PATH ": %s: load the "
		      "module that was built with this program", fault);
}

static int read_info(struct mp_kmod_dev *dev, char *why, size_t room)
{
	int err;

	memset(&dev->info, 0, sizeof(dev->info));
	dev->info.size = sizeof(dev->info);
	err = mp_kmod_way->call(dev->fd, MEMPROBE_INFO, &dev->info);
	if (err < 0) {
		err = fail(MP_KMOD_PATH ": INFO", err, why, room);
		/* What cannot even tell what there is is not the module. */
		return err == -EPERM || err == -EACCES ? err : -ENODEV;
	}
	return check_info(&dev->info, why, room);
}

int mp_kmod_dev_open(struct mp_kmod_dev *dev, char *why, size_t room)
{
	int err;

	dev->fd = mp_kmod_way->open(MP_KMOD_PATH);
	if (dev->fd < 0) {
		err = dev->fd;
		dev->fd = -1;
		return not_opened(err, why, room);
	}
	err = read_info(dev, why, room);
	if (err)
		mp_kmod_dev_close(dev);
	return err;
}

void mp_kmod_dev_close(struct mp_kmod_dev *dev)
{
	if (dev->fd >= 0)
		mp_kmod_way->close(dev->fd);
	dev->fd = -1;
}

/* What a kind of pages is to the module. */
struct kind {
	uint32_t kind;
	uint32_t flags;
	uint32_t instead;	/* enum mp_pages, to be tried next */
};

#define NOTHING_ELSE MP_PAGES_KINDS

/*
 * The kernel has no reserved huge pages for itself and nothing transparent
 * about its own: to it both are virtually contiguous memory in huge pages.
 */
static const struct kind kinds[MP_PAGES_KINDS] = {
	[MP_PAGES_4K] = { MEMPROBE_KIND_SCATTERED, 0, NOTHING_ELSE },
	[MP_PAGES_THP] = { MEMPROBE_KIND_HUGE, 0, MP_PAGES_4K },
	[MP_PAGES_2M] = { MEMPROBE_KIND_HUGE, 0, MP_PAGES_4K },
	[MP_PAGES_CONTIG] = { MEMPROBE_KIND_CONTIG, 0, MP_PAGES_THP },
	[MP_PAGES_UNCACHED] = { MEMPROBE_KIND_CONTIG, MEMPROBE_ARENA_UNCACHED,
				NOTHING_ELSE },
};

static bool is_known(const struct mp_kmod_dev *dev, uint32_t pages)
{
	const struct kind *kind = &kinds[pages];

	return kind->kind && dev->info.kinds >> kind->kind & 1 &&
	       !(kind->flags & ~dev->info.arena_flags);
}

static int take(const struct mp_kmod_dev *dev, const struct mp_arena *want,
		uint32_t pages, int32_t node, struct memprobe_arena *got)
{
	const struct kind *kind = &kinds[pages];
	int err;

	*got = (struct memprobe_arena){
		.size = sizeof(*got),
		.op = MEMPROBE_ARENA_TAKE,
		.kind = kind->kind,
		.flags = kind->flags,
		.bytes = want->bytes,
	};
	if (kind->flags & MEMPROBE_ARENA_UNCACHED &&
	    got->bytes < dev->info.uncached_min_bytes)
		got->bytes = dev->info.uncached_min_bytes;
	/* Whole huge pages, or the kernel takes small ones for what is less. */
	if (kind->kind == MEMPROBE_KIND_HUGE)
		got->page_shift = dev->info.huge_shift;
	if (node >= 0) {
		got->flags |= MEMPROBE_ARENA_NODE;
		got->node = node;
	}
	err = mp_kmod_way->call(dev->fd, MEMPROBE_ARENA, got);
	if (err < 0)
		return err;
	if (got->bytes >= want->bytes)
		return 0;
	mp_kmod_dev_give(dev, got->id);
	return -EIO;
}

/* Errors that another node or another kind can mend. */
static bool is_lack(int err)
{
	return err == -ENOMEM || err == -ENXIO || err == -EOPNOTSUPP ||
	       err == -EINVAL || err == -ERANGE;
}

/* The node is a wish. */
static int take_kind(const struct mp_kmod_dev *dev,
		     const struct mp_arena *want, uint32_t pages,
		     struct memprobe_arena *got)
{
	int err = -ENXIO;

	if (!is_known(dev, pages))
		return -EOPNOTSUPP;
	if (want->node >= 0 && dev->info.arena_flags & MEMPROBE_ARENA_NODE)
		err = take(dev, want, pages, want->node, got);
	if (is_lack(err))
		err = take(dev, want, pages, MP_NODE_ANY, got);
	return err;
}

/* This kind and no other; else the arena is given back again. */
static int take_strictly(const struct mp_kmod_dev *dev,
			 const struct mp_arena *want,
			 struct memprobe_arena *got)
{
	struct mp_grant_arena granted;
	int err;

	err = take_kind(dev, want, want->pages, got);
	if (err)
		return err;
	mp_kmod_dev_grant(got, want->pages, &granted);
	if (granted.pages == want->pages)
		return 0;
	mp_kmod_dev_give(dev, got->id);
	return -ENOMEM;
}

int mp_kmod_dev_take(const struct mp_kmod_dev *dev,
		     const struct mp_arena *want, bool forced,
		     struct memprobe_arena *got, uint32_t *kind, char *why,
		     size_t room)
{
	uint32_t pages = want->pages;
	char what[96];
	int err, first = 0;

	if (pages >= MP_PAGES_KINDS || !kinds[pages].kind)
		return mp_why(why, room, -EOPNOTSUPP, "pages %s: not to be had "
			      "from the module", mp_pages_name(pages));
	for (;;) {
		err = forced ? take_strictly(dev, want, got) :
			       take_kind(dev, want, pages, got);
		if (!first)
			first = err;
		if (!err || forced || !is_lack(err) ||
		    kinds[pages].instead == NOTHING_ELSE)
			break;
		pages = kinds[pages].instead;
	}
	*kind = pages;
	if (!err)
		return 0;
	snprintf(what, sizeof(what), "pages %s, %ju KiB",
		 mp_pages_name(want->pages), (uintmax_t)(want->bytes >> 10));
	/* What was wished for tells more than what was tried last. */
	return fail(what, is_lack(err) ? first : err, why, room);
}

void mp_kmod_dev_give(const struct mp_kmod_dev *dev, uint32_t id)
{
	struct memprobe_arena arena = {
		.size = sizeof(arena),
		.op = MEMPROBE_ARENA_GIVE,
		.id = id,
	};

	mp_kmod_way->call(dev->fd, MEMPROBE_ARENA, &arena);
}

void mp_kmod_dev_grant(const struct memprobe_arena *got, uint32_t kind,
		       struct mp_grant_arena *grant)
{
	const bool huge = got->got_page_shift >= HUGE_SHIFT;
	const bool contig = got->got & MEMPROBE_ARENA_CONTIG;
	const bool uncached = got->got & MEMPROBE_ARENA_UNCACHED;

	*grant = (struct mp_grant_arena){
		.bytes = got->bytes,
		.huge_bytes = huge ? got->bytes : 0,
		.pages = MP_PAGES_4K,
		.node = got->got_node < 0 ? MP_NODE_ANY : got->got_node,
		.contiguous = contig,
	};
	if ((kind == MP_PAGES_CONTIG && contig) ||
	    (kind == MP_PAGES_UNCACHED && uncached) ||
	    ((kind == MP_PAGES_THP || kind == MP_PAGES_2M) && huge))
		grant->pages = kind;
}

int mp_kmod_dev_run(const struct mp_kmod_dev *dev, struct memprobe_run *run,
		    char *why, size_t room)
{
	const struct memprobe_run asked = *run;
	uint64_t nap_ns = NAP_NS;
	int err;

	err = mp_kmod_way->call(dev->fd, MEMPROBE_RUN, run);
	for (uint32_t i = 0; err == -EBUSY && i < NAPS; i++) {
		mp_kmod_way->nap(nap_ns);
		nap_ns *= 2;
		*run = asked;
		err = mp_kmod_way->call(dev->fd, MEMPROBE_RUN, run);
	}
	if (err >= 0)
		return 0;
	fail("run", err, why, room);
	/* Later it may be free. */
	return err == -EBUSY ? -EAGAIN : err;
}
