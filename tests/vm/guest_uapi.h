/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GUEST_UAPI_H
#define GUEST_UAPI_H

#include "guest_lib.h"

/**
 * struct change - a field of a request, and what it is set to
 * @part: struct that it is in
 * @value: what it gets
 * @limit: offset of the field of struct memprobe_info that @value is added
 *	to; 0 = none
 */
struct change {
	enum part {
		NO_CHANGE,
		IN_RUN,
		IN_ACTOR,
		IN_EVENT,
		IN_ARENA,
	} part;
	size_t offset;
	size_t width;
	__u64 value;
	size_t limit;
	size_t limit_width;
};

#define FIELD(in, type, member)						\
	.part = in, .offset = offsetof(struct type, member),		\
	.width = sizeof(((struct type *)NULL)->member)

#define RUN(member, to) { FIELD(IN_RUN, memprobe_run, member), .value = to }
#define ACTOR(member, to) { FIELD(IN_ACTOR, memprobe_actor, member), .value = to }
#define EVENT(member, to) { FIELD(IN_EVENT, memprobe_event, member), .value = to }
#define ARENA(member, to) { FIELD(IN_ARENA, memprobe_arena, member), .value = to }

#define LIMIT(member) .limit = offsetof(struct memprobe_info, member),	\
	.limit_width = sizeof(((struct memprobe_info *)NULL)->member)
#define RUN_LIMIT(member, of, plus)					\
	{ FIELD(IN_RUN, memprobe_run, member), .value = plus, LIMIT(of) }
#define ACTOR_LIMIT(member, of, plus)					\
	{ FIELD(IN_ACTOR, memprobe_actor, member), .value = plus, LIMIT(of) }
#define ARENA_LIMIT(member, of, plus)					\
	{ FIELD(IN_ARENA, memprobe_arena, member), .value = plus, LIMIT(of) }

#define CHANGES 4

/**
 * struct wrong - a request that is wrong in one way
 * @what: in which
 * @want: errno; 0 = it is not wrong after all
 * @or_else: another that the header's words allow; 0 = none
 */
struct wrong {
	const char *what;
	int want;
	int or_else;
	struct change change[CHANGES];
};

/** change_request() - set the fields in the request (or in @arena) */
void change_request(struct guest *g, struct memprobe_arena *arena,
		    const struct wrong *wrong);

/**
 * tallied() - check a command's result
 * @command: as the table names it
 * @or_else: another errno that is right; @want if none
 */
void tallied(const char *command, const char *what, int got, int want,
	     int or_else);

/**
 * answer() - the same, and that a refusal changed nothing
 */
void answer(struct guest *g, const char *command, const char *what, int got,
	    int want, int or_else);

/**
 * in_child() - fork, and wait for the child in the parent
 * Return: true in the child, which ends with child_ends().
 */
bool in_child(const char *what, unsigned int limit_ms);
void child_ends(void) __attribute__((noreturn));

/* Addresses that are not the caller's to read or to write. */
struct bad_address {
	const char *what;
	unsigned char *address;
};

#define BAD_ADDRESSES 3

/** bad_addresses() - NULL, the kernel's, and @data cut off by a hole */
void bad_addresses(struct bad_address *bad, const void *data, size_t bytes);

/** read_only_copy() - @data where it can be read and not written */
void *read_only_copy(const void *data, size_t bytes);

void uapi_arena(struct guest *g);
void uapi_run(struct guest *g);
void uapi_sequence(struct guest *g);
void uapi_rights(struct guest *g);
void uapi_moment(struct guest *g);
void uapi_memory(struct guest *g);

#endif
