// SPDX-License-Identifier: GPL-2.0
/*
 * memprobe: finds out by measurement how the memory of a machine is built.
 * Here are the table of subcommands, and what holds for all of them: that
 * the three standard files are open, and that no output is lost in silence.
 */
#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <jansson.h>
#include <locale.h>
#include <numa.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "backend.h"
#include "cmd.h"
#include "utf8.h"
#include "version.h"

static const struct mp_cmd *const cmds[] = {
	&mp_cmd_run,
	&mp_cmd_list,
	&mp_cmd_show,
	&mp_cmd_explain,
	&mp_cmd_analyze,
};
#define N_CMDS (sizeof(cmds) / sizeof(cmds[0]))

/*
 * A standard file that is closed would let the next file that is opened
 * take its number. /dev/null, opened the wrong way round, takes it instead:
 * then using it fails, as it should.
 */
static int open_standard_files(void)
{
	for (int fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
			return -EBADF;
	}
	return 0;
}

static void print_help(FILE *out)
{
	fprintf(out, "usage: memprobe COMMAND [OPTION]..\n\n");
	mp_utf8_wrap(out, 0, 0,
		     "Finds out, by measurement, how the memory of this machine is built: cache levels and their sizes, lines, ways and latencies, TLBs, page walks, memory. What the system claims stands beside what was measured, and a clash is a finding.");
	fprintf(out, "\nCommands:\n");
	for (size_t i = 0; i < N_CMDS; i++) {
		fprintf(out, "  %-10s", cmds[i]->name);
		mp_utf8_wrap(out, 12, 12, cmds[i]->says);
	}
	fprintf(out, "\n"
		"  memprobe run                      measure, print what was found\n"
		"  memprobe run --quick -o out.json  in a few seconds, and keep a report\n"
		"  memprobe show out.json            print a report again\n"
		"  memprobe COMMAND --help           options and examples of a command\n"
		"  memprobe --version                version and build\n"
		"\n"
		"Ends with 0 measured; 1 a comparison differs; 2 wrong use or unreadable\n"
		"file; 3 not permitted or a part missing; 4 nothing measurable here;\n"
		"5 too noisy to trust; 70 internal fault.\n");
}

static void print_version(void)
{
	printf("memprobe %s\n", MP_VERSION);
	printf("built for %s with %s%s\n",
#if defined(__x86_64__)
	       "x86-64",
#elif defined(__aarch64__)
	       "arm64",
#else
	       "this architecture",
#endif
#if defined(__clang__)
	       "",
#else
	       "gcc ",
#endif
	       __VERSION__);
	printf("backends:");
	for (uint32_t i = 0; mp_backends[i]; i++)
		printf(" %s", mp_backends[i]->name);
	printf("\nlibraries: hwloc API %u.%u.%u, jansson %s, libnuma API %d, zstd %s\n",
	       hwloc_get_api_version() >> 16,
	       hwloc_get_api_version() >> 8 & 0xff,
	       hwloc_get_api_version() & 0xff, jansson_version_str(),
	       LIBNUMA_API_VERSION, ZSTD_versionString());
}

static int run_command(int argc, char **argv)
{
	char names[128] = "", word[128];
	size_t used = 0;

	for (size_t i = 0; i < N_CMDS; i++)
		if (strcmp(cmds[i]->name, argv[1]) == 0)
			return cmds[i]->run(argc - 1, argv + 1);
	for (size_t i = 0; i < N_CMDS; i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used,
					 "%s%s", i ? ", " : "", cmds[i]->name);
	snprintf(word, sizeof(word), "%s", argv[1]);
	mp_utf8_clean(word);
	fprintf(stderr, "memprobe: %s: no such %s: commands are %s; see memprobe --help\n",
		word, word[0] == '-' ? "option" : "command", names);
	return MP_EXIT_USAGE;
}

static int dispatch(int argc, char **argv)
{
	if (argc < 2) {
		print_help(stderr);
		return MP_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_help(stdout);
		return MP_EXIT_DONE;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		print_version();
		return MP_EXIT_DONE;
	}
	return run_command(argc, argv);
}

int main(int argc, char **argv)
{
	int code;

	if (open_standard_files())
		return MP_EXIT_FAULT;
	setlocale(LC_CTYPE, "");
	code = dispatch(argc, argv);
	/* Also finds what a full disk swallowed earlier. */
	errno = 0;
	if (fflush(stdout) || ferror(stdout) || close(STDOUT_FILENO)) {
		fprintf(stderr, "memprobe: standard output: %s: what was printed is not complete\n",
			errno ? strerror(errno) : "cannot be written");
		return MP_EXIT_FAULT;
	}
	return code;
}
