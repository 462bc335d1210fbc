/* sheet.h - results on stdout: an aligned table for people, or one JSON object for machines.
 *
 * A command says every result once, with its JSON key and its label; either may be NULL, and the
 * result is then left out of that form, as is a text that is NULL. Numbers that JSON lacks (Inf,
 * NaN) become null. */
#ifndef SPD_CLI_FRAME_SHEET_H
#define SPD_CLI_FRAME_SHEET_H

#include <jansson.h>
#include <stddef.h>

struct words; /* words.h */

typedef struct sheet {
    json_t *object; /* NULL when the sheet is a table */
} sheet;

void sheet_open(sheet *r, int json);

/* Ends it: writes the JSON object. */
void sheet_close(sheet *r);

void sheet_count(sheet *r, const char *key, const char *label, size_t value, const char *unit);
void sheet_real(sheet *r, const char *key, const char *label, double value);
void sheet_text(sheet *r, const char *key, const char *label, const char *value);
void sheet_flag(sheet *r, const char *key, const char *label, int value);

/* How many matrices of what size, and whether they are complex. */
void sheet_set(sheet *r, size_t p, size_t n, int is_complex);

/* The size alone, for JSON: n, and whether the matrices are complex, where they are. */
void sheet_size(sheet *r, size_t n, int is_complex);

/* A line of the table alone. */
void sheet_line(sheet *r, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A value of the JSON object alone; takes it over. */
void sheet_json(sheet *r, const char *key, json_t *value);

/* Is a matrix small enough to be shown in full? */
int sheet_is_small(size_t rows, size_t columns);

/* A small matrix, rows x columns, in full; of a larger one the hint to use -o. */
void sheet_matrix(sheet *r, const char *key, size_t rows, size_t columns, const double *values);

/* The same of a complex matrix, real and imaginary parts in turn: its parts one after the other,
 * the imaginary ones in JSON as key_imaginary. */
void sheet_complex_matrix(sheet *r, const char *key, size_t rows, size_t columns,
                          const double *values);
void sheet_hint(sheet *r, size_t rows, size_t columns);

/* Adds a value to a JSON list or object; takes it over. */
void sheet_json_append(json_t *list, json_t *value);
void sheet_json_set(json_t *object, const char *key, json_t *value);

/* JSON of one value, checked; bytes that are not UTF-8 become '?'. */
json_t *sheet_json_text(const char *text);
json_t *sheet_json_real(double value);
json_t *sheet_json_whole(json_int_t value);
json_t *sheet_json_list(void);
json_t *sheet_json_reals(size_t count, const double *values);
json_t *sheet_json_matrix(size_t rows, size_t columns, const double *values);
json_t *sheet_json_texts(size_t count, const char *const *text);
json_t *sheet_json_words(const struct words *w);
json_t *sheet_json_object(void);

/* The object that a text holds; NULL when it holds none. */
json_t *sheet_json_parse(const char *text);

/* A value in words: a text itself, numbers with six digits; flags as JSON_COMPACT. */
char *sheet_json_say(const json_t *value, size_t flags);

/* The value itself, checked; released when the command has run. */
json_t *sheet_json_keep(json_t *value);

/* The value in a file of no more than 1 GB, released when the command has run; a file without one
 * ends the command. */
json_t *sheet_json_load(const char *path);

#endif
