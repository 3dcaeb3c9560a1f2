// SPDX-License-Identifier: GPL-2.0
/* Words for people: what may be printed, how wide it is, where it wraps. */
#include "utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void cleaned(const char *from, const char *to)
{
	char text[64];

	snprintf(text, sizeof(text), "%s", from);
	mp_utf8_clean(text);
	assert_string_equal(text, to);
}

static void good_text_of_every_length_is_left_alone(void **state)
{
	(void)state;
	cleaned("", "");
	cleaned("plain ~", "plain ~");
	cleaned("\xc3\xa9 \xe2\x89\xa0 \xf0\x9f\x98\x80",
		"\xc3\xa9 \xe2\x89\xa0 \xf0\x9f\x98\x80");
}

static void bytes_that_are_no_utf8_become_question_marks(void **state)
{
	(void)state;
	cleaned("a\xff z", "a? z");
	cleaned("\x80", "?");
	/* cut short, overlong, a surrogate, beyond the last code */
	cleaned("a\xe2\x89", "a??");
	cleaned("\xc0\xaf", "??");
	cleaned("\xe0\x80\xaf", "???");
	cleaned("\xed\xa0\x80", "???");
	cleaned("\xf4\x90\x80\x80", "????");
}

static void what_a_terminal_would_obey_becomes_question_marks(void **state)
{
	(void)state;
	cleaned("\033[31mred\n\t\177", "?[31mred???");
	/* C1 control, right-to-left override */
	cleaned("\xc2\x9b" "31m", "??31m");
	cleaned("\xe2\x80\xae" "x", "???x");
}

static void width_counts_characters(void **state)
{
	(void)state;
	assert_int_equal(mp_utf8_width(""), 0);
	assert_int_equal(mp_utf8_width("abc"), 3);
	assert_int_equal(mp_utf8_width("\xe2\x89\xa0\xc3\xa9"), 2);
}

/* The widest line of what was printed. */
static int widest(const char *text)
{
	int most = 0, width = 0;

	for (; *text; text++) {
		width = *text == '\n' ? 0 : width + 1;
		most = width > most ? width : most;
	}
	return most;
}

static void words_wrap_before_the_last_column_and_none_is_lost(void **state)
{
	const char *words = "a quite long line of words, so long that it has to be put on more than one line, and then on a third line, for it goes on and on until it ends";
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	mp_utf8_wrap(out, 0, 4, words);
	fclose(out);
	assert_true(widest(text) < MP_COLUMNS);
	assert_true(widest(text) > MP_COLUMNS - 20);
	assert_non_null(strstr(text, "\n    "));
	assert_int_equal(text[bytes - 1], '\n');
	/* Line ends and indents taken out, the words are what they were. */
	for (char *c = text; (c = strstr(c, "\n    ")); )
		memmove(c + 1, c + 5, strlen(c + 5) + 1), *c = ' ';
	text[strlen(text) - 1] = '\0';
	assert_string_equal(text, words);
	free(text);
}

static void a_word_wider_than_the_line_stands_alone(void **state)
{
	char word[200];
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	memset(word, 'w', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	mp_utf8_wrap(out, 0, 0, word);
	fclose(out);
	assert_int_equal(bytes, sizeof(word));
	assert_int_equal(strcspn(text, "\n"), sizeof(word) - 1);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_text_of_every_length_is_left_alone),
		cmocka_unit_test(bytes_that_are_no_utf8_become_question_marks),
		cmocka_unit_test(
			what_a_terminal_would_obey_becomes_question_marks),
		cmocka_unit_test(width_counts_characters),
		cmocka_unit_test(
			words_wrap_before_the_last_column_and_none_is_lost),
		cmocka_unit_test(a_word_wider_than_the_line_stands_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
