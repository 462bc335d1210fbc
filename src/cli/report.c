/* report.c - the two forms of a result. */
#include "cli/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli_memory.h"

#define LABEL_WIDTH 18
#define SMALL       12 /* rows and columns that fit a terminal */

static json_t *checked(json_t *value)
{
    if (!value)
        cli_out_of_memory("the JSON report");
    return value;
}

void report_open(report *r, int json)
{
    r->object = json ? checked(json_object()) : NULL;
}

void report_close(report *r)
{
    if (!r->object)
        return;
    json_dumpf(r->object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    fputc('\n', stdout);
    json_decref(r->object);
    r->object = NULL;
}

void report_json(report *r, const char *key, json_t *value)
{
    checked(value);
    if (!r->object)
        json_decref(value);
    else if (json_object_set_new(r->object, key, value) != 0)
        cli_out_of_memory("the JSON report");
}

void report_line(report *r, const char *label, const char *format, ...)
{
    if (r->object || !label)
        return;
    va_list args;
    va_start(args, format);
    printf("%-*s ", LABEL_WIDTH, label);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

json_t *report_json_text(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    size_t length = strlen(text);
    char *copy = cli_alloc(length + 1, 1, "a name");
    for (size_t i = 0; i < length; i++)
        copy[i] = (unsigned char)text[i] < 128 ? text[i] : '?';
    value = checked(json_string(copy));
    cli_free(copy);
    return value;
}

json_t *report_json_real(double value)
{
    return checked(isfinite(value) ? json_real(value) : json_null());
}

void report_count(report *r, const char *key, const char *label, size_t value, const char *unit)
{
    if (key)
        report_json(r, key, json_integer((json_int_t)value));
    report_line(r, label, "%zu%s%s", value, unit[0] ? " " : "", unit);
}

void report_real(report *r, const char *key, const char *label, double value)
{
    if (key)
        report_json(r, key, report_json_real(value));
    report_line(r, label, "%.6g", value);
}

void report_text(report *r, const char *key, const char *label, const char *value)
{
    if (key)
        report_json(r, key, report_json_text(value));
    report_line(r, label, "%s", value);
}

void report_flag(report *r, const char *key, const char *label, int value)
{
    if (key)
        report_json(r, key, json_boolean(value));
    report_line(r, label, "%s", value ? "yes" : "no");
}

json_t *report_json_list(void)
{
    return checked(json_array());
}

void report_json_append(json_t *list, json_t *value)
{
    if (json_array_append_new(list, checked(value)) != 0)
        cli_out_of_memory("the JSON report");
}

static void print_matrix(size_t rows, size_t columns, const double *values)
{
    printf("\n%6s", "");
    for (size_t j = 0; j < columns; j++)
        printf(" %12zu", j);
    for (size_t i = 0; i < rows; i++) {
        printf("\n%6zu", i);
        for (size_t j = 0; j < columns; j++)
            printf(" %12.6g", values[i * columns + j]);
    }
    putchar('\n');
}

static json_t *json_matrix(size_t rows, size_t columns, const double *values)
{
    json_t *matrix = report_json_list();
    for (size_t i = 0; i < rows; i++) {
        json_t *row = report_json_list();
        for (size_t j = 0; j < columns; j++)
            report_json_append(row, report_json_real(values[i * columns + j]));
        report_json_append(matrix, row);
    }
    return matrix;
}

int report_is_small(size_t rows, size_t columns)
{
    return rows <= SMALL && columns <= SMALL;
}

void report_hint(report *r, size_t rows, size_t columns)
{
    report_line(r, "hint", "-o FILE writes all %zu x %zu values", rows, columns);
}

void report_matrix(report *r, const char *key, size_t rows, size_t columns, const double *values)
{
    if (!report_is_small(rows, columns))
        report_hint(r, rows, columns);
    else if (r->object)
        report_json(r, key, json_matrix(rows, columns, values));
    else
        print_matrix(rows, columns, values);
}
