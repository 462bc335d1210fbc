/* report.h - results on stdout: an aligned table for people, or one JSON object for machines.
 *
 * A command says every result once, with its JSON key and its label; either may be NULL, and the
 * result is then left out of that form. Numbers that JSON lacks (Inf, NaN) become null. */
#ifndef SPD_CLI_REPORT_H
#define SPD_CLI_REPORT_H

#include <jansson.h>
#include <stddef.h>

typedef struct report {
    json_t *object; /* NULL when the report is a table */
} report;

void report_open(report *r, int json);

/* Ends the report: writes the JSON object. */
void report_close(report *r);

void report_count(report *r, const char *key, const char *label, size_t value, const char *unit);
void report_real(report *r, const char *key, const char *label, double value);
void report_text(report *r, const char *key, const char *label, const char *value);
void report_flag(report *r, const char *key, const char *label, int value);

/* A line of the table alone. */
void report_line(report *r, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A value of the JSON object alone; takes it over. */
void report_json(report *r, const char *key, json_t *value);

/* Is a matrix small enough to be shown in full? */
int report_is_small(size_t rows, size_t columns);

/* A small matrix, rows x columns, in full; of a larger one the hint to use -o. */
void report_matrix(report *r, const char *key, size_t rows, size_t columns, const double *values);
void report_hint(report *r, size_t rows, size_t columns);

/* Adds a value to a JSON list; takes it over. */
void report_json_append(json_t *list, json_t *value);

/* JSON of one value, checked; bytes that are not UTF-8 become '?'. */
json_t *report_json_text(const char *text);
json_t *report_json_real(double value);
json_t *report_json_list(void);

#endif
