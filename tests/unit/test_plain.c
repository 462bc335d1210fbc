/* test_plain.c - text made harmless: what is escaped, what stays, and where it is cut. */
#include "base/plain.h"
#include "test.h"

static void check_plain(const char *text, const char *wanted)
{
    char once[200], twice[200];
    size_t length = plain_text(text, "", once, sizeof once);
    CHECK(strcmp(once, wanted) == 0 && length == strlen(wanted), "'%s'", once);
    plain_text(once, "", twice, sizeof twice);
    CHECK(strcmp(once, twice) == 0, "'%s' then '%s'", once, twice);
}

TEST(what_terminals_obey_is_escaped)
{
    check_plain("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m");
    check_plain("a\nb\tc\rd\a\x7f", "a\\x0ab\\x09c\\x0dd\\x07\\x7f");
    check_plain("\xc2\x9b", "\\u009b"); /* CSI in one character */
    check_plain("\xe2\x80\xae"
                "abc",
                "\\u202eabc"); /* right to left */
    check_plain("\xe2\x81\xa6x\xe2\x81\xa9", "\\u2066x\\u2069");
    check_plain("\xe2\x80\xa8", "\\u2028");
}

TEST(text_of_all_languages_stays)
{
    check_plain("", "");
    check_plain("plain, with 'quotes' and \\ and ~", "plain, with 'quotes' and \\ and ~");
    check_plain("M\xc3\xbcller \xe6\xbc\xa2 \xf0\x9f\x99\x82",
                "M\xc3\xbcller \xe6\xbc\xa2 \xf0\x9f\x99\x82");
    check_plain("\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d");
}

TEST(bytes_that_are_no_text)
{
    check_plain("\xff\xfe", "\\xff\\xfe");
    check_plain("a\x9b"
                "b",
                "a\\x9bb");                         /* a lone C1 byte */
    check_plain("\xc0\x9b", "\\xc0\\x9b");          /* an overlong escape */
    check_plain("\xe2\x80", "\\xe2\\x80");          /* cut off */
    check_plain("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* half of a pair */
}

TEST(cuts_fall_between_characters)
{
    char plain[8];
    CHECK(plain_text("abc\x1b"
                     "def",
                     "", plain, sizeof plain) == 10,
          "length");
    CHECK(strcmp(plain, "abc\\x1b") == 0, "'%s'", plain);
    CHECK(plain_text("abcd\x1b"
                     "def",
                     "", plain, sizeof plain) == 11,
          "length");
    CHECK(strcmp(plain, "abcd") == 0, "'%s'", plain);
    CHECK(plain_text("a\nb", "\n", plain, sizeof plain) == 3 && strcmp(plain, "a\nb") == 0, "kept");
    CHECK(plain_text("abc", "", NULL, 0) == 3, "length alone");
}
