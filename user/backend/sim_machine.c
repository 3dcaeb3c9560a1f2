// SPDX-License-Identifier: GPL-2.0
/*
 * The machine file: its words and their keys as tables. The rules that tie
 * keys to one another are in sim_rules.c.
 */
#include "sim_machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "sim_qlru.h"
#include "sim_rules.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define LIST_TEXT 160

#define KIB 1024.0
#define MIB (KIB * KIB)
#define GIB (KIB * MIB)
#define CYCLES_MAX 1000000

const char *const mp_sim_level_names[] = { "l1d", "l2", "l3", "l4", NULL };
const char *const mp_sim_policy_names[] = {
	[MP_SIM_LRU] = "lru",
	[MP_SIM_FIFO] = "fifo",
	[MP_SIM_RANDOM] = "random",
	[MP_SIM_TREE_PLRU] = "tree-plru",
	[MP_SIM_BIT_PLRU] = "bit-plru",
	[MP_SIM_NRU] = "nru",
	[MP_SIM_SRRIP] = "srrip",
	NULL,
};
static const char *const index_names[] = { "physical", "virtual", NULL };
const char *const mp_sim_inclusion_names[] = { "non-inclusive", "inclusive",
					       "exclusive", NULL };
static const char *const tlb_names[] = { "4K", "2M", "1G", NULL };
const char *const mp_sim_page_names[] = { "4K", "2M", "1G", "all", NULL };
static const char *const prefetch_names[] = { "adjacent", "next", "stride",
					      "stream", NULL };
static const char *const yes_names[] = { "no", "yes", NULL };
static const char *const seen_names[] = { "yes", "no", NULL };
static const char *const pages_names[] = { "random", "contiguous", NULL };
static const char *const thp_names[] = { "granted", "refused", NULL };

static bool is_qlru(const char *text)
{
	return mp_sim_qlru_parse(text, NULL);
}

#define IN(type, member) .offset = offsetof(struct type, member)
#define POLICY(type) \
	{ "policy", MP_SIM_NAMED, IN(type, policy), .fallback = "lru", \
	  .choices = mp_sim_policy_names, .further = is_qlru, \
	  .instead = "qlru_hXX_mX_rX_uX" }

static const struct mp_sim_key general_keys[] = {
	{ "name", MP_SIM_TEXT, IN(mp_sim_general, name) },
	{ "cpus", MP_SIM_COUNT, IN(mp_sim_general, cpus), "1", 1, 1024 },
	{ "clock_mhz", MP_SIM_REAL, IN(mp_sim_general, clock_mhz), "3000", 1,
	  20000 },
	{ "memory_latency", MP_SIM_COUNT,
	  IN(mp_sim_general, memory_latency_cycles), "300", 1, CYCLES_MAX },
	{ "ram", MP_SIM_SIZE, IN(mp_sim_general, ram_bytes), "16G", 8 * MIB,
	  4096 * GIB },
	{ 0 },
};

static const struct mp_sim_key level_keys[] = {
	{ "name", MP_SIM_CHOICE, IN(mp_sim_level, name),
	  .choices = mp_sim_level_names },
	{ "size", MP_SIM_SIZE, IN(mp_sim_level, size_bytes), NULL, 8, 4 * GIB },
	{ "ways", MP_SIM_COUNT, IN(mp_sim_level, ways), NULL, 1, MP_SIM_WAYS_MAX,
	  .instead = "full" },
	{ "line", MP_SIM_SIZE, IN(mp_sim_level, line_bytes), "64", 8, 4 * KIB },
	{ "sector", MP_SIM_SIZE, IN(mp_sim_level, sector_bytes), "", 8,
	  4 * KIB },
	{ "latency", MP_SIM_COUNT, IN(mp_sim_level, latency_cycles), NULL, 1,
	  CYCLES_MAX },
	POLICY(mp_sim_level),
	{ "index", MP_SIM_CHOICE, IN(mp_sim_level, index), "",
	  .choices = index_names },
	{ "inclusion", MP_SIM_CHOICE, IN(mp_sim_level, inclusion),
	  "non-inclusive", .choices = mp_sim_inclusion_names },
	{ "slices", MP_SIM_COUNT, IN(mp_sim_level, slices), "1", 1, 1024 },
	{ "shared", MP_SIM_COUNT, IN(mp_sim_level, shared), "1", 1, 1024 },
	{ 0 },
};

static const struct mp_sim_key tlb_keys[] = {
	{ "level", MP_SIM_COUNT, IN(mp_sim_tlb_level, level), NULL, 1,
	  MP_SIM_TLB_LEVELS },
	{ "page", MP_SIM_CHOICE, IN(mp_sim_tlb_level, page),
	  .choices = tlb_names },
	{ "entries", MP_SIM_COUNT, IN(mp_sim_tlb_level, entries), NULL, 1,
	  MP_SIM_WAYS_MAX },
	{ "ways", MP_SIM_COUNT, IN(mp_sim_tlb_level, ways), NULL, 1, MP_SIM_WAYS_MAX,
	  .instead = "full" },
	{ "cost", MP_SIM_COUNT, IN(mp_sim_tlb_level, cost_cycles), "0", 0,
	  CYCLES_MAX },
	POLICY(mp_sim_tlb_level),
	{ 0 },
};

static const struct mp_sim_key walk_keys[] = {
	{ "cost", MP_SIM_COUNT, IN(mp_sim_page_walk, cost_cycles), NULL, 0,
	  CYCLES_MAX },
	{ "page", MP_SIM_CHOICE, IN(mp_sim_page_walk, page), "all",
	  .choices = mp_sim_page_names },
	{ 0 },
};

static const struct mp_sim_key prefetch_keys[] = {
	{ "kind", MP_SIM_NAMED, IN(mp_sim_prefetch, kind),
	  .choices = prefetch_names },
	{ "into", MP_SIM_CHOICE, IN(mp_sim_prefetch, into),
	  .choices = mp_sim_level_names },
	{ "switch", MP_SIM_CHOICE, IN(mp_sim_prefetch, can_switch), "yes",
	  .choices = yes_names },
	{ 0 },
};

static const struct mp_sim_key place_keys[] = {
	{ "pages", MP_SIM_CHOICE, IN(mp_sim_pages, contiguous), "random",
	  .choices = pages_names },
	{ "thp", MP_SIM_CHOICE, IN(mp_sim_pages, thp_refused), "granted",
	  .choices = thp_names },
	{ "huge", MP_SIM_COUNT, IN(mp_sim_pages, huge_pages), "0", 0, 1048576 },
	{ "giant", MP_SIM_COUNT, IN(mp_sim_pages, giant_pages), "0", 0, 4096 },
	{ 0 },
};

static const struct mp_sim_key clock_keys[] = {
	{ "tsc_mhz", MP_SIM_REAL, IN(mp_sim_ticks, tsc_mhz), "2600", 1, 20000 },
	{ "step", MP_SIM_COUNT, IN(mp_sim_ticks, step_ticks), "1", 1, 1000000 },
	{ "read", MP_SIM_COUNT, IN(mp_sim_ticks, read_cycles), "25", 0, 100000 },
	{ "drift", MP_SIM_REAL, IN(mp_sim_ticks, drift), "0", 0, 0.5 },
	{ "jumps", MP_SIM_REAL, IN(mp_sim_ticks, jumps_hz), "0", 0, 1000 },
	{ 0 },
};

static const struct mp_sim_key noise_keys[] = {
	{ "gaps", MP_SIM_REAL, IN(mp_sim_noise, gaps), "0", 0, 0.9 },
	{ "gap_us", MP_SIM_RANGE, IN(mp_sim_noise, gap_us), "2..400", 0.01,
	  1000000 },
	{ "seen", MP_SIM_CHOICE, IN(mp_sim_noise, unseen), "yes",
	  .choices = seen_names },
	{ 0 },
};

static const struct mp_sim_key neighbour_keys[] = {
	{ "level", MP_SIM_CHOICE, IN(mp_sim_neighbour, level),
	  .choices = mp_sim_level_names },
	{ "share", MP_SIM_RANGE, IN(mp_sim_neighbour, share), "0.2..0.8", 0,
	  0.99 },
	{ "period_ms", MP_SIM_REAL, IN(mp_sim_neighbour, period_ms), "50", 0.1,
	  1000000 },
	{ 0 },
};

/*
 * @room: how often the word may stand in a file
 * @count: offset of the machine's counter, or 0 where @room is 1
 * @at: offset of the first element; each begins with its line's number
 */
struct word {
	const char *name;
	const struct mp_sim_key *keys;
	uint32_t room;
	size_t count;
	size_t at;
	size_t size;
	int (*check)(struct mp_sim_machine *machine, void *element,
		     const struct mp_sim_spot *spot);
};

#define MACHINE(member) offsetof(struct mp_sim_machine, member)
#define ONE(member) .room = 1, .at = MACHINE(member), \
	.size = sizeof(((struct mp_sim_machine *)NULL)->member)
#define MANY(counter, member) \
	.room = COUNT(((struct mp_sim_machine *)NULL)->member), \
	.count = MACHINE(counter), .at = MACHINE(member), \
	.size = sizeof(((struct mp_sim_machine *)NULL)->member[0])

static const struct word words[] = {
	{ "machine", general_keys, ONE(general) },
	{ "level", level_keys, MANY(n_levels, level), .check = mp_sim_rule_level },
	{ "tlb", tlb_keys, MANY(n_tlbs, tlb), .check = mp_sim_rule_tlb },
	{ "walk", walk_keys, MANY(n_walks, walk), .check = mp_sim_rule_walk },
	{ "prefetch", prefetch_keys, MANY(n_prefetchers, prefetch) },
	{ "place", place_keys, ONE(pages) },
	{ "clock", clock_keys, ONE(ticks) },
	{ "noise", noise_keys, ONE(noise) },
	{ "neighbour", neighbour_keys, MANY(n_neighbours, neighbour),
	  .check = mp_sim_rule_neighbour },
};

static int unknown_word(const char *name, const struct mp_sim_spot *spot)
{
	char list[LIST_TEXT] = "";

	for (size_t i = 0; i < COUNT(words); i++)
		mp_sim_list(list, sizeof(list), words[i].name);
	mp_sim_list(list, sizeof(list), "expect");
	return mp_sim_wrong(spot, "%.40s is no word of this format: its words "
			    "are %s", name, list);
}

static int read_word(struct mp_sim_machine *machine, const struct word *word,
		     char *pairs, const struct mp_sim_spot *spot)
{
	char *element = (char *)machine + word->at;
	uint32_t *count = NULL;
	int err;

	if (word->count) {
		count = (uint32_t *)((char *)machine + word->count);
		element += *count * word->size;
	}
	if (count ? *count >= word->room : *(uint32_t *)element != 0)
		return mp_sim_wrong(spot, "%s: stated too often, at most %u "
				    "allowed", word->name, word->room);
	memset(element, 0, word->size);
	*(uint32_t *)element = spot->line;
	if (word->keys == level_keys)
		((struct mp_sim_level *)element)->index = MP_SIM_INDEX_USUAL;
	err = mp_sim_keys(word->keys, word->name, pairs, element, spot);
	if (!err && word->check)
		err = word->check(machine, element, spot);
	if (!err && count)
		++*count;
	return err;
}

static bool is_fact(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	size_t n = 0;
	bool dotted = false;

	for (; *name; name++) {
		if (*name == '.' && n) {
			dotted = true;
			n = 0;
		} else if (strchr(letters, *name)) {
			n++;
		} else {
			return false;
		}
	}
	return n && dotted;
}

static int read_expect(struct mp_sim_machine *machine, char *pair,
		       const struct mp_sim_spot *spot)
{
	struct mp_sim_expect *expect;
	char *value = strchr(pair, '=');

	if (!value || !value[1] || strlen(value + 1) >= MP_SIM_NAME)
		return mp_sim_wrong(spot, "expect %.40s: FACT=VALUE, the value "
				    "of at most %d characters", pair,
				    MP_SIM_NAME - 1);
	*value++ = '\0';
	if (!is_fact(pair) || strlen(pair) >= MP_SIM_NAME)
		return mp_sim_wrong(spot, "expect %.40s: a fact is named like "
				    "cpu.l1d.size", pair);
	if (value[0] == '|' || value[strlen(value) - 1] == '|' ||
	    strstr(value, "||"))
		return mp_sim_wrong(spot, "expect %.40s=%.40s: nothing stands "
				    "beside a bar", pair, value);
	if (mp_sim_machine_expect(machine, pair))
		return mp_sim_wrong(spot, "expect %.40s: stated twice", pair);
	expect = realloc(machine->expect,
			 (machine->n_expects + 1) * sizeof(*expect));
	if (!expect)
		return -ENOMEM;
	machine->expect = expect;
	expect += machine->n_expects++;
	strcpy(expect->fact, pair);
	strcpy(expect->value, value);
	return 0;
}

static int read_expects(struct mp_sim_machine *machine, char *pairs,
			const struct mp_sim_spot *spot)
{
	char *pair = mp_sim_word(&pairs);
	int err = 0;

	if (!pair)
		return mp_sim_wrong(spot, "expect: FACT=VALUE is missing");
	for (; pair && !err; pair = mp_sim_word(&pairs))
		err = read_expect(machine, pair, spot);
	return err;
}

static int read_line(struct mp_sim_machine *machine, char *line,
		     const struct mp_sim_spot *spot)
{
	char *name = mp_sim_word(&line);

	if (!name)
		return 0;
	if (!strcmp(name, "expect"))
		return read_expects(machine, line, spot);
	for (size_t i = 0; i < COUNT(words); i++) {
		if (!strcmp(words[i].name, name))
			return read_word(machine, &words[i], line, spot);
	}
	return unknown_word(name, spot);
}

/* The file's name without its folder and its ending. */
static void name_after(struct mp_sim_machine *machine, const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	const char *dot = strrchr(base, '.');

	snprintf(machine->general.name, MP_SIM_NAME, "%.*s",
		 (int)(dot && dot > base ? dot - base : MP_SIM_NAME - 1), base);
}

/* A word that is left out means its defaults. */
static void set_defaults(struct mp_sim_machine *machine, const char *file)
{
	const struct mp_sim_spot nowhere = { file, 0, NULL, 0 };
	char named[] = "name=unnamed", none[] = "";

	if (!machine->general.at_line) {
		mp_sim_keys(general_keys, "machine", named, &machine->general,
			    &nowhere);
		name_after(machine, file);
	}
	if (!machine->pages.at_line)
		mp_sim_keys(place_keys, "place", none, &machine->pages,
			    &nowhere);
	if (!machine->ticks.at_line)
		mp_sim_keys(clock_keys, "clock", none, &machine->ticks,
			    &nowhere);
	if (!machine->noise.at_line)
		mp_sim_keys(noise_keys, "noise", none, &machine->noise,
			    &nowhere);
}

int mp_sim_machine_parse(struct mp_sim_machine *machine, const char *text,
			 const char *file, char *why, size_t room)
{
	struct mp_sim_spot spot = { file, 0, why, room };
	char *copy = strdup(text), *line = copy, *end;
	int err = 0;

	memset(machine, 0, sizeof(*machine));
	if (!copy)
		return -ENOMEM;
	while (line && !err) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		spot.line++;
		err = read_line(machine, line, &spot);
		line = end;
	}
	free(copy);
	if (!err)
		err = mp_sim_rule_whole(machine, &spot);
	if (err)
		mp_sim_machine_free(machine);
	else
		set_defaults(machine, file);
	return err;
}

int mp_sim_machine_read(struct mp_sim_machine *machine, const char *file,
			char *why, size_t room)
{
	const struct mp_sim_spot spot = { file, 0, why, room };
	void *text;
	size_t bytes;
	int err;

	memset(machine, 0, sizeof(*machine));
	err = mp_file_read(file, MP_SIM_FILE_MAX_BYTES, &text, &bytes, why,
			   room);
	if (err)
		return err;
	if (strlen(text) != bytes)
		err = mp_sim_wrong(&spot, "a NUL byte: a machine file is text");
	else
		err = mp_sim_machine_parse(machine, text, file, why, room);
	free(text);
	return err;
}

void mp_sim_machine_free(struct mp_sim_machine *machine)
{
	free(machine->expect);
	memset(machine, 0, sizeof(*machine));
}

uint64_t mp_sim_machine_sets(const struct mp_sim_level *level)
{
	return level->size_bytes /
	       (level->line_bytes * level->ways * level->slices);
}

const char *mp_sim_machine_expect(const struct mp_sim_machine *machine,
				  const char *fact)
{
	for (uint32_t i = 0; i < machine->n_expects; i++) {
		if (!strcmp(machine->expect[i].fact, fact))
			return machine->expect[i].value;
	}
	return NULL;
}
