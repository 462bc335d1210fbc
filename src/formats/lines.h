/* lines.h - text files as lines of words, and words as numbers.
 *
 * For formats made by hand and by old programs: lines end with LF, CR LF or CR, words are parted by
 * blanks, tabs or NULs, bytes beyond ASCII mean nothing. The text is lent and never copied. */
#ifndef SPD_FORMATS_LINES_H
#define SPD_FORMATS_LINES_H

#include "base/context.h"

/* Where a walk stands: before the next word of a line. The first fault ends it: then there are no
 * further lines and words. */
typedef struct lines {
    spd_context *ctx;      /* for the message of that fault, */
    spd_status status;     /* and its status */
    const char *at, *stop; /* what is left of this line */
    const char *next, *end;
    char comment; /* a word that starts with it ends the line; 0: none does */
    size_t line;  /* from 1; 0 before the first */
} lines;

typedef struct word {
    const char *from; /* size bytes, at least one */
    size_t size;
} word;

/* Starts a walk behind a byte order mark; lines_next gives the first line. */
void lines_start(lines *walk, spd_context *ctx, const char *text, size_t size, char comment);

/* Ends the walk with SPD_EFORMAT and a message about a line, or (0) about the file; when it has
 * ended already nothing happens. */
void lines_fail(lines *walk, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* To the next line that has a word; zero at the end of the text. */
int lines_next(lines *walk);

/* The next word of the line; zero at its end. */
int lines_word(lines *walk, word *out);

/* The next word of this line or a later one; zero at the end of the text. */
int lines_any_word(lines *walk, word *out);

/* What is left of the line up to a character, blanks around it dropped; zero when that is
 * nothing. */
int lines_rest(lines *walk, char until, word *out);

/* out (count) <- the next numbers of the line; a fault names what they are of. */
void lines_numbers(lines *walk, const char *what, size_t count, double *out);

/* It is a fault when the line goes on. */
void lines_end(lines *walk, const char *what);

/* Equal but for the case of ASCII letters. */
int word_is(const word *w, const char *text);

/* *value <- the number, correctly rounded; zero when the word is no finite decimal number. */
int word_number(const word *w, double *value);

/* *value <- the digits; zero when there is anything else or it does not fit. */
int word_count(const word *w, size_t *value);

/* A new text from bytes that may be UTF-8, else are taken for Latin-1; NULL when out of memory. */
char *text_from_bytes(const char *bytes);

/* The word for a message: ASCII, shortened. */
typedef struct word_shown {
    char text[44];
} word_shown;
word_shown word_show(const word *w);
word_shown word_show_text(const char *text);

#endif
