// SPDX-License-Identifier: GPL-2.0
/*
 * The backend: what it opens and what it refuses, what it says of itself,
 * what it runs, and that every machine file of the tests can be had.
 */
#include "backend.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "limits.h"
#include "temp_folder.h"

#define MACHINES "tests/sim"

extern const struct mp_backend mp_backend_sim;

static struct mp_target target;

static const char small[] =
	"machine name=small cpus=2 ram=64M\n"
	"level name=l1d size=32K ways=8 latency=4\n";

static const char *write_machine(const char *text)
{
	const char *path = temp_path("small.machine");
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	return path;
}

static struct mp_opts usual(const char *file)
{
	return (struct mp_opts){
		.cpu = -1,
		.node = -1,
		.pages = -1,
		.seed = 7,
		.file = file,
	};
}

static int open_with(const char *text, struct mp_opts opts)
{
	memset(&target, 0, sizeof(target));
	target.backend = &mp_backend_sim;
	opts.file = write_machine(text);
	return mp_backend_sim.open(&target, &opts);
}

static void assert_refuses(const char *text, struct mp_opts opts, int error,
			   const char *says)
{
	assert_int_equal(open_with(text, opts), error);
	if (!strstr(target.why, says))
		fail_msg("'%s' is said", target.why);
	assert_null(target.priv);
	mp_backend_sim.close(&target);
}

static void it_says_what_it_is(void **state)
{
	struct mp_host host = { 0 };

	(void)state;
	assert_int_equal(open_with(small, usual(NULL)), 0);
	assert_int_equal(target.seed, 7);
	assert_int_equal(mp_backend_sim.look(&target, &host), 0);
	assert_int_equal(host.caps, MP_CAP_CHASE | MP_CAP_SEQUENCE |
			 MP_CAP_CORE_CLOCK | MP_CAP_MODELLED | MP_CAP_HUGE |
			 MP_CAP_ACTORS | MP_CAP_PREFETCH_OFF |
			 MP_CAP_PHASES | MP_CAP_MIXED);
	assert_int_equal(host.cpu, 0);
	assert_int_equal(host.node, MP_NODE_ANY);
	assert_int_equal(host.pages, MP_PAGES_THP);
	assert_false(host.pages_forced);
	assert_int_equal(host.arena_max_bytes, 32u << 20);
	assert_string_equal(host.model, "small");
	assert_string_equal(host.label, "simulated: small.machine");
	assert_int_equal(host.n_claims, 0);
	mp_backend_sim.close(&target);
}

static void wishes_of_the_user_are_heeded(void **state)
{
	struct mp_opts opts = usual(NULL);
	struct mp_host host = { 0 };

	(void)state;
	opts.cpu = 1;
	opts.node = 0;
	opts.pages = MP_PAGES_4K;
	assert_int_equal(open_with(small, opts), 0);
	assert_int_equal(mp_backend_sim.look(&target, &host), 0);
	assert_int_equal(host.cpu, 1);
	assert_int_equal(host.pages, MP_PAGES_4K);
	assert_true(host.pages_forced);
	assert_false(host.caps & MP_CAP_HUGE);
	mp_backend_sim.close(&target);
}

static void reserved_pages_bound_the_arena(void **state)
{
	struct mp_opts opts = usual(NULL);
	struct mp_host host = { 0 };
	char text[256];

	(void)state;
	opts.pages = MP_PAGES_2M;
	snprintf(text, sizeof(text), "%splace thp=refused huge=5\n", small);
	assert_int_equal(open_with(text, opts), 0);
	assert_int_equal(mp_backend_sim.look(&target, &host), 0);
	assert_int_equal(host.arena_max_bytes, 10u << 20);
	assert_true(host.caps & MP_CAP_HUGE);
	mp_backend_sim.close(&target);
}

static void a_machine_without_huge_pages_says_so(void **state)
{
	struct mp_host host = { 0 };
	char text[256];

	(void)state;
	snprintf(text, sizeof(text), "%splace thp=refused\n", small);
	assert_int_equal(open_with(text, usual(NULL)), 0);
	assert_int_equal(mp_backend_sim.look(&target, &host), 0);
	assert_false(host.caps & MP_CAP_HUGE);
	mp_backend_sim.close(&target);
}

static uint32_t caps_of(const char *words)
{
	struct mp_host host = { 0 };
	char text[512];

	snprintf(text, sizeof(text), "%s%s", small, words);
	assert_int_equal(open_with(text, usual(NULL)), 0);
	assert_int_equal(mp_backend_sim.look(&target, &host), 0);
	mp_backend_sim.close(&target);
	return host.caps;
}

static void prefetchers_can_be_stopped_where_one_has_a_switch(void **state)
{
	(void)state;
	assert_true(caps_of("") & MP_CAP_PREFETCH_OFF);
	assert_true(caps_of("prefetch kind=next into=l1d\n") &
		    MP_CAP_PREFETCH_OFF);
	/* Whether that were all of them, each batch says. */
	assert_true(caps_of("prefetch kind=next into=l1d\n"
			    "prefetch kind=stream into=l1d switch=no\n") &
		    MP_CAP_PREFETCH_OFF);
	assert_false(caps_of("prefetch kind=stream into=l1d switch=no\n") &
		     MP_CAP_PREFETCH_OFF);
}

static void giant_pages_are_had_where_some_are_reserved(void **state)
{
	struct mp_opts opts = usual(NULL);
	struct mp_batch batch;
	struct mp_exp exp;

	(void)state;
	assert_false(caps_of("") & MP_CAP_GIANT);
	assert_true(caps_of("place giant=1\n") & MP_CAP_GIANT);
	opts.pages = MP_PAGES_1G;
	assert_int_equal(open_with("machine name=a ram=4G\n"
				   "level name=l1d size=32K ways=8 latency=4\n"
				   "place giant=2\n", opts), 0);
	mp_exp_chase(&exp, 0, MP_PAGES_1G, 65536, 64, 0);
	mp_batch_init(&batch, &exp, 0);
	assert_int_equal(mp_backend_sim.run(&target, &exp, 0, &batch), 0);
	assert_int_equal(batch.error, 0);
	assert_int_equal(batch.grant.arena[0].pages, MP_PAGES_1G);
	assert_true(batch.grant.arena[0].huge_bytes == 1ull << 30);
	mp_batch_free(&batch);
	/* Two are for all arenas together. */
	exp.n_arenas = 3;
	exp.arena[1] = exp.arena[0];
	exp.arena[2] = exp.arena[0];
	mp_batch_init(&batch, &exp, 0);
	assert_int_equal(mp_backend_sim.run(&target, &exp, 0, &batch), 0);
	assert_int_equal(batch.error, -ENOMEM);
	mp_batch_free(&batch);
	mp_backend_sim.close(&target);
}

static void what_the_machine_lacks_is_refused_with_the_reason(void **state)
{
	struct mp_opts opts = usual(NULL);
	char text[256];

	(void)state;
	opts.cpu = 2;
	assert_refuses(small, opts, -EINVAL, "CPU 2: this machine has 0 .. 1");
	opts = usual(NULL);
	opts.node = 1;
	assert_refuses(small, opts, -EINVAL, "node 1: this machine has node 0");
	opts = usual(NULL);
	opts.pages = MP_PAGES_2M;
	assert_refuses(small, opts, -EPERM, "pages 2m: this machine has none");
	opts.pages = MP_PAGES_1G;
	assert_refuses(small, opts, -EPERM, "pages 1g: this machine has none");
	opts.pages = MP_PAGES_UNCACHED;
	assert_refuses(small, opts, -EINVAL, "has 4k, thp, huge or 1g");
	opts.pages = MP_PAGES_CONTIG;
	assert_refuses(small, opts, -EPERM, "has 4k, thp, huge or 1g");
	opts.pages = MP_PAGES_THP;
	snprintf(text, sizeof(text), "%splace thp=refused\n", small);
	assert_refuses(text, opts, -EPERM, "pages thp: this machine refuses");
}

static void a_file_that_is_wrong_is_refused_with_its_line(void **state)
{
	struct mp_opts opts = usual(temp_path("missing"));

	(void)state;
	assert_refuses("level name=l1d\n", usual(NULL), -EINVAL,
		       "small.machine:1: level: size is missing");
	assert_refuses("level name=l1d size=32K ways=8 latency=4\n"
		       "level name=l2 size=1M ways=8 latency=14 line=32\n",
		       usual(NULL), -EINVAL,
		       "small.machine:2: level line=32: less than the 64");
	memset(&target, 0, sizeof(target));
	assert_int_equal(mp_backend_sim.open(&target, &opts), -ENOENT);
	assert_non_null(strstr(target.why, "missing"));
	opts.file = NULL;
	assert_int_equal(mp_backend_sim.open(&target, &opts), -EINVAL);
	assert_non_null(strstr(target.why, "sim=FILE"));
}

static int run_error(const struct mp_exp *exp)
{
	struct mp_batch batch;
	int error;

	mp_batch_init(&batch, exp, 0);
	assert_int_equal(mp_backend_sim.run(&target, exp, 0, &batch), 0);
	error = batch.error;
	if (error)
		assert_int_equal(batch.n_samples, 0);
	else
		assert_true(batch.n_samples > 0);
	assert_true(batch.id == mp_exp_id(exp));
	mp_batch_free(&batch);
	return error;
}

static void what_it_cannot_do_is_an_error_of_the_batch(void **state)
{
	struct mp_exp good, exp;

	(void)state;
	assert_int_equal(open_with(small, usual(NULL)), 0);
	mp_exp_chase(&good, 0, MP_PAGES_4K, 65536, 64, 0);
	assert_int_equal(run_error(&good), 0);
	exp = good;
	exp.actor[0].op = MP_OP_STREAM;
	assert_int_equal(run_error(&exp), -EOPNOTSUPP);
	exp = good;
	exp.actor[0].access = MP_ACCESS_NONTEMPORAL;
	assert_int_equal(run_error(&exp), -EOPNOTSUPP);
	exp = good;
	exp.actor[0].copies = 2;
	exp.actor[0].length /= 2;
	assert_int_equal(run_error(&exp), -EOPNOTSUPP);
	exp = good;
	exp.actor[0].place = 2;
	assert_int_equal(run_error(&exp), -EOPNOTSUPP);
	exp = good;
	exp.n_actors = 2;
	exp.actor[1] = exp.actor[0];
	assert_int_equal(run_error(&exp), -EOPNOTSUPP);
	exp = good;
	exp.n_actors = 2;
	exp.actor[1] = exp.actor[0];
	exp.actor[0].op = MP_OP_SEQUENCE;
	exp.actor[1].place = 1;
	exp.n_steps = 1;
	assert_int_equal(run_error(&exp), -EOPNOTSUPP);
	exp.actor[1].phase = 1;
	assert_int_equal(run_error(&exp), 0);
	exp.actor[1].op = MP_OP_SEQUENCE;
	assert_int_equal(run_error(&exp), -EOPNOTSUPP);
	exp = good;
	exp.n_actors = 0;
	assert_int_equal(run_error(&exp), -EINVAL);
	exp = good;
	exp.arena[0].bytes = 33u << 20;
	assert_int_equal(run_error(&exp), -ENOMEM);
	mp_backend_sim.close(&target);
}

static void pages_that_are_forced_are_the_only_ones(void **state)
{
	struct mp_opts opts = usual(NULL);
	struct mp_exp exp;

	(void)state;
	opts.pages = MP_PAGES_4K;
	assert_int_equal(open_with(small, opts), 0);
	mp_exp_chase(&exp, 0, MP_PAGES_4K, 65536, 64, 0);
	assert_int_equal(run_error(&exp), 0);
	mp_exp_chase(&exp, 0, MP_PAGES_THP, 65536, 64, 0);
	assert_int_equal(run_error(&exp), -EOPNOTSUPP);
	mp_backend_sim.close(&target);
}

/* Open it, and chase through its first level. */
static void try_machine(const char *path)
{
	const struct mp_opts opts = usual(path);
	struct mp_batch batch;
	struct mp_exp exp;

	memset(&target, 0, sizeof(target));
	if (mp_backend_sim.open(&target, &opts))
		fail_msg("%s", target.why);
	mp_exp_chase(&exp, 0, MP_PAGES_THP, 8192, 64, 0);
	mp_batch_init(&batch, &exp, 0);
	assert_int_equal(mp_backend_sim.run(&target, &exp, 0, &batch), 0);
	assert_int_equal(batch.error, 0);
	mp_batch_free(&batch);
	mp_backend_sim.close(&target);
}

static void every_machine_of_the_tests_can_be_had(void **state)
{
	DIR *folder = opendir(MACHINES);
	const struct dirent *entry;
	char path[512];
	uint32_t n = 0;

	(void)state;
	if (!folder)
		skip();
	while ((entry = readdir(folder))) {
		const char *dot = strrchr(entry->d_name, '.');

		if (!dot || strcmp(dot, ".machine"))
			continue;
		snprintf(path, sizeof(path), MACHINES "/%s", entry->d_name);
		try_machine(path);
		n++;
	}
	closedir(folder);
	assert_true(n >= 14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_says_what_it_is),
		cmocka_unit_test(wishes_of_the_user_are_heeded),
		cmocka_unit_test(reserved_pages_bound_the_arena),
		cmocka_unit_test(a_machine_without_huge_pages_says_so),
		cmocka_unit_test(
			prefetchers_can_be_stopped_where_one_has_a_switch),
		cmocka_unit_test(giant_pages_are_had_where_some_are_reserved),
		cmocka_unit_test(
			what_the_machine_lacks_is_refused_with_the_reason),
		cmocka_unit_test(a_file_that_is_wrong_is_refused_with_its_line),
		cmocka_unit_test(what_it_cannot_do_is_an_error_of_the_batch),
		cmocka_unit_test(pages_that_are_forced_are_the_only_ones),
		cmocka_unit_test(every_machine_of_the_tests_can_be_had),
	};

	return cmocka_run_group_tests(tests, temp_folder_make,
				      temp_folder_remove);
}
