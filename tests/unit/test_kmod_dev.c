// SPDX-License-Identifier: GPL-2.0
/* The way to /dev/memprobe: what is asked, and what its errors become. */
#include "backend/kmod_dev.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "fake_kmod.h"

#define ROOM 256

static char why[ROOM];

static void assert_says(const char *word)
{
	if (!strstr(why, word))
		fail_msg("\"%s\" does not say \"%s\"", why, word);
	assert_null(strchr(why, '\n'));
	assert_true(strlen(why) < ROOM - 1);
}

static struct mp_kmod_dev opened(void)
{
	struct mp_kmod_dev dev;

	assert_int_equal(mp_kmod_dev_open(&dev, why, sizeof(why)), 0);
	return dev;
}

static void open_fails(int err, const char *word)
{
	struct mp_kmod_dev dev;

	assert_int_equal(mp_kmod_dev_open(&dev, why, sizeof(why)), err);
	assert_says(word);
	assert_int_equal(dev.fd, -1);
	assert_int_equal(fake_kmod.n_open, 0);
	mp_kmod_dev_close(&dev);
}

static void a_module_that_is_not_loaded_is_missing_and_how_to_load_it(
	void **state)
{
	(void)state;
	fake_kmod_load();
	fake_kmod.open_err = -ENOENT;
	open_fails(-ENODEV, "make run KMOD=1");
	fake_kmod.open_err = -ENXIO;
	open_fails(-ENODEV, "insmod");
	fake_kmod.open_err = -EACCES;
	open_fails(-EACCES, "run as root");
	fake_kmod.open_err = -EMFILE;
	open_fails(-EMFILE, "cannot be opened");
}

static void a_module_that_cannot_be_worked_with_is_refused(void **state)
{
	(void)state;
	fake_kmod_load();
	fake_kmod.info_err = -ENOTTY;
	open_fails(-ENODEV, "another driver");
	fake_kmod.info_err = -E2BIG;
	open_fails(-ENODEV, "built with this program");
	fake_kmod_load();
	fake_kmod.info.ops = 0;
	open_fails(-ENODEV, "no chase");
	fake_kmod_load();
	fake_kmod.info.sample_size = 128;
	open_fails(-ENODEV, "samples");
	fake_kmod_load();
	fake_kmod.info.tick_hz = 0;
	open_fails(-ENODEV, "clock");
}

static int take(const struct mp_kmod_dev *dev, const struct mp_arena *want,
		bool forced, struct mp_grant_arena *granted)
{
	struct memprobe_arena got;
	uint32_t kind;
	int err;

	err = mp_kmod_dev_take(dev, want, forced, &got, &kind, why,
			       sizeof(why));
	if (err)
		return err;
	mp_kmod_dev_grant(&got, kind, granted);
	mp_kmod_dev_give(dev, got.id);
	assert_int_equal(fake_kmod.n_held, 0);
	return 0;
}

/* The kind of arena that a kind of pages is asked for as, and gets. */
static void asks(uint32_t pages, uint32_t kind, uint32_t flags)
{
	const struct mp_arena want = { 4ull << 20, pages, MP_NODE_ANY };
	struct mp_kmod_dev dev = opened();
	struct mp_grant_arena granted;

	assert_int_equal(take(&dev, &want, true, &granted), 0);
	assert_int_equal(fake_kmod.taken.size, sizeof(struct memprobe_arena));
	assert_int_equal(fake_kmod.taken.kind, kind);
	assert_int_equal(fake_kmod.taken.flags, flags);
	assert_int_equal(fake_kmod.taken.bytes, want.bytes);
	assert_int_equal(fake_kmod.taken.reserved, 0);
	assert_int_equal(granted.pages, pages);
	assert_int_equal(granted.bytes, want.bytes);
	assert_int_equal(granted.huge_bytes,
			 pages == MP_PAGES_4K ? 0 : want.bytes);
	mp_kmod_dev_close(&dev);
}

static void each_kind_of_pages_is_a_kind_of_arena(void **state)
{
	(void)state;
	fake_kmod_load();
	asks(MP_PAGES_CONTIG, MEMPROBE_KIND_CONTIG, 0);
	asks(MP_PAGES_UNCACHED, MEMPROBE_KIND_CONTIG,
	     MEMPROBE_ARENA_UNCACHED);
	asks(MP_PAGES_THP, MEMPROBE_KIND_HUGE, 0);
	asks(MP_PAGES_2M, MEMPROBE_KIND_HUGE, 0);
	asks(MP_PAGES_4K, MEMPROBE_KIND_SCATTERED, 0);
}

static void huge_pages_are_whole_ones(void **state)
{
	const struct mp_arena want = { 16384, MP_PAGES_THP, MP_NODE_ANY };
	struct mp_grant_arena granted;
	struct mp_kmod_dev dev;

	(void)state;
	fake_kmod_load();
	dev = opened();
	assert_int_equal(take(&dev, &want, true, &granted), 0);
	assert_int_equal(fake_kmod.taken.page_shift, 21);
	assert_int_equal(granted.bytes, 2 << 20);
	assert_int_equal(granted.huge_bytes, 2 << 20);
	mp_kmod_dev_close(&dev);
}

static void kinds_that_the_kernel_has_not_got_are_refused(void **state)
{
	struct mp_arena want = { 4096, MP_PAGES_DEVICE, MP_NODE_ANY };
	struct mp_grant_arena granted;
	struct mp_kmod_dev dev;

	(void)state;
	fake_kmod_load();
	dev = opened();
	assert_int_equal(take(&dev, &want, false, &granted), -EOPNOTSUPP);
	assert_says("pages device");
	want.pages = MP_PAGES_1G;
	assert_int_equal(take(&dev, &want, false, &granted), -EOPNOTSUPP);
	dev.info.arena_flags = 0;
	want.pages = MP_PAGES_UNCACHED;
	assert_int_equal(take(&dev, &want, false, &granted), -EOPNOTSUPP);
	mp_kmod_dev_close(&dev);
}

static void uncached_memory_is_as_much_as_the_module_wants(void **state)
{
	const struct mp_arena want = { 4096, MP_PAGES_UNCACHED, MP_NODE_ANY };
	struct mp_grant_arena granted;
	struct mp_kmod_dev dev;

	(void)state;
	fake_kmod_load();
	dev = opened();
	assert_int_equal(take(&dev, &want, true, &granted), 0);
	assert_int_equal(fake_kmod.taken.bytes,
			 fake_kmod.info.uncached_min_bytes);
	mp_kmod_dev_close(&dev);
}

static void what_lacks_is_replaced_unless_it_was_asked_for(void **state)
{
	const struct mp_arena want = { 65536, MP_PAGES_CONTIG, MP_NODE_ANY };
	struct mp_grant_arena granted;
	struct mp_kmod_dev dev;

	(void)state;
	fake_kmod_load();
	dev = opened();
	fake_kmod.take_err[MEMPROBE_KIND_CONTIG] = -ENOMEM;
	assert_int_equal(take(&dev, &want, true, &granted), -ENOMEM);
	assert_says("pages contig, 64 KiB: no memory");
	assert_int_equal(take(&dev, &want, false, &granted), 0);
	assert_int_equal(granted.pages, MP_PAGES_THP);
	assert_int_equal(granted.contiguous, 0);
	fake_kmod.take_err[MEMPROBE_KIND_HUGE] = -EOPNOTSUPP;
	assert_int_equal(take(&dev, &want, false, &granted), 0);
	assert_int_equal(granted.pages, MP_PAGES_4K);
	fake_kmod.take_err[MEMPROBE_KIND_SCATTERED] = -ENOMEM;
	assert_int_equal(take(&dev, &want, false, &granted), -ENOMEM);
	/* What is not permitted is not lacking. */
	fake_kmod.take_err[MEMPROBE_KIND_CONTIG] = -EPERM;
	assert_int_equal(take(&dev, &want, false, &granted), -EPERM);
	assert_says("CAP_SYS_ADMIN");
	mp_kmod_dev_close(&dev);
}

static void an_arena_that_came_too_short_is_given_back(void **state)
{
	const struct mp_arena want = { 65536, MP_PAGES_CONTIG, MP_NODE_ANY };
	struct mp_grant_arena granted;
	struct mp_kmod_dev dev;

	(void)state;
	fake_kmod_load();
	dev = opened();
	fake_kmod.short_bytes = 4096;
	assert_int_equal(take(&dev, &want, true, &granted), -EIO);
	assert_int_equal(take(&dev, &want, false, &granted), -EIO);
	assert_says("pages contig, 64 KiB: ");
	assert_int_equal(fake_kmod.n_held, 0);
	mp_kmod_dev_close(&dev);
}

static void a_grant_says_no_more_than_the_module(void **state)
{
	struct mp_arena want = { 1 << 20, MP_PAGES_THP, MP_NODE_ANY };
	struct memprobe_arena got = { .bytes = 4096, .got_node = -1 };
	struct mp_grant_arena granted;
	struct mp_kmod_dev dev;

	(void)state;
	fake_kmod_load();
	fake_kmod.page_shift = 0;
	dev = opened();
	assert_int_equal(take(&dev, &want, false, &granted), 0);
	assert_int_equal(granted.pages, MP_PAGES_4K);
	assert_int_equal(granted.huge_bytes, 0);
	assert_int_equal(take(&dev, &want, true, &granted), -ENOMEM);
	assert_int_equal(fake_kmod.n_held, 0);
	want.pages = MP_PAGES_CONTIG;
	assert_int_equal(take(&dev, &want, true, &granted), 0);
	assert_int_equal(granted.pages, MP_PAGES_CONTIG);
	assert_int_equal(granted.contiguous, 1);
	assert_int_equal(granted.huge_bytes, 0);
	mp_kmod_dev_grant(&got, MP_PAGES_CONTIG, &granted);
	assert_int_equal(granted.pages, MP_PAGES_4K);
	assert_int_equal(granted.node, MP_NODE_ANY);
	assert_int_equal(granted.contiguous, 0);
	mp_kmod_dev_close(&dev);
}

static void a_node_is_a_wish(void **state)
{
	const struct mp_arena want = { 4096, MP_PAGES_4K, 1 };
	struct mp_grant_arena granted;
	struct mp_kmod_dev dev;

	(void)state;
	fake_kmod_load();
	dev = opened();
	assert_int_equal(take(&dev, &want, true, &granted), 0);
	assert_int_equal(fake_kmod.taken.flags, MEMPROBE_ARENA_NODE);
	assert_int_equal(fake_kmod.taken.node, 1);
	fake_kmod.node_err = -ENXIO;
	assert_int_equal(take(&dev, &want, true, &granted), 0);
	assert_int_equal(fake_kmod.taken.flags, 0);
	mp_kmod_dev_close(&dev);
}

static void give_up_with(int err, int said, const char *word)
{
	struct mp_kmod_dev dev;
	struct memprobe_actor actor = { .arena = 0 };
	struct memprobe_run run = { .actors = (uintptr_t)&actor };

	fake_kmod_load();
	dev = opened();
	for (int i = 0; i < FAKE_ANSWERS; i++)
		fake_kmod.run_err[i] = err;
	assert_int_equal(mp_kmod_dev_run(&dev, &run, why, sizeof(why)), said);
	assert_says(word);
	mp_kmod_dev_close(&dev);
}

static void errors_of_a_run_are_put_into_words(void **state)
{
	(void)state;
	give_up_with(-EPERM, -EPERM, "CAP_SYS_ADMIN");
	give_up_with(-ENOMEM, -ENOMEM, "no memory");
	give_up_with(-ERANGE, -ERANGE, "a limit of the module");
	give_up_with(-EINVAL, -EINVAL, "same version");
	give_up_with(-E2BIG, -E2BIG, "built with this program");
	give_up_with(-ENXIO, -ENXIO, "not online");
	give_up_with(-EINTR, -EINTR, "interrupted");
	assert_int_equal(fake_kmod.n_naps, 0);
}

static void a_machine_that_is_held_is_waited_for_a_while(void **state)
{
	(void)state;
	give_up_with(-EBUSY, -EAGAIN, "another run holds the machine");
	assert_true(fake_kmod.n_naps > 3);
	assert_true(fake_kmod.n_naps < FAKE_ANSWERS);
	assert_int_equal(fake_kmod.n_runs, fake_kmod.n_naps + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_module_that_is_not_loaded_is_missing_and_how_to_load_it),
		cmocka_unit_test(a_module_that_cannot_be_worked_with_is_refused),
		cmocka_unit_test(each_kind_of_pages_is_a_kind_of_arena),
		cmocka_unit_test(huge_pages_are_whole_ones),
		cmocka_unit_test(kinds_that_the_kernel_has_not_got_are_refused),
		cmocka_unit_test(uncached_memory_is_as_much_as_the_module_wants),
		cmocka_unit_test(what_lacks_is_replaced_unless_it_was_asked_for),
		cmocka_unit_test(an_arena_that_came_too_short_is_given_back),
		cmocka_unit_test(a_grant_says_no_more_than_the_module),
		cmocka_unit_test(a_node_is_a_wish),
		cmocka_unit_test(errors_of_a_run_are_put_into_words),
		cmocka_unit_test(a_machine_that_is_held_is_waited_for_a_while),
	};

	return cmocka_run_group_tests_name("kmod_dev", tests, NULL, NULL);
}
