/* sheet.c - the two forms of a result. */
#include "cli/frame/sheet.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/frame/message.h"
#include "cli/frame/screen.h"
#include "cli/frame/text_file.h"
#include "cli/frame/words.h"

#define LABEL_WIDTH 18
#define SMALL       12                /* rows and columns that fit a terminal */
#define LARGEST     ((size_t)1 << 26) /* bytes of a file of JSON */

static json_t *checked(json_t *value)
{
    if (!value)
        cli_out_of_memory("the JSON report");
    return value;
}

void sheet_open(sheet *r, int json)
{
    r->object = json ? checked(json_object()) : NULL;
}

void sheet_close(sheet *r)
{
    if (!r->object)
        return;
    text_file_json(stdout, r->object);
    json_decref(r->object);
    r->object = NULL;
}

void sheet_json(sheet *r, const char *key, json_t *value)
{
    checked(value);
    if (!r->object)
        json_decref(value);
    else
        sheet_json_set(r->object, key, value);
}

void sheet_json_set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, checked(value)) != 0)
        cli_out_of_memory("the JSON report");
}

void sheet_line(sheet *r, const char *label, const char *format, ...)
{
    if (r->object || !label)
        return;
    va_list args;
    va_start(args, format);
    screen_print("%-*s ", LABEL_WIDTH, label);
    screen_vprint(format, args);
    putchar('\n');
    va_end(args);
}

json_t *sheet_json_text(const char *text)
{
    json_error_t error;
    json_t *value = json_pack_ex(&error, 0, "s", text);
    if (value || json_error_code(&error) != json_error_invalid_utf8)
        return checked(value);
    size_t length = strlen(text);
    char *copy = cli_alloc(length + 1, 1, "a name");
    for (size_t i = 0; i < length; i++)
        copy[i] = (unsigned char)text[i] < 128 ? text[i] : '?';
    value = checked(json_string(copy));
    cli_free(copy);
    return value;
}

json_t *sheet_json_real(double value)
{
    return checked(isfinite(value) ? json_real(value) : json_null());
}

json_t *sheet_json_whole(json_int_t value)
{
    return checked(json_integer(value));
}

void sheet_count(sheet *r, const char *key, const char *label, size_t value, const char *unit)
{
    if (key)
        sheet_json(r, key, json_integer((json_int_t)value));
    sheet_line(r, label, "%zu%s%s", value, unit[0] ? " " : "", unit);
}

void sheet_real(sheet *r, const char *key, const char *label, double value)
{
    if (key)
        sheet_json(r, key, sheet_json_real(value));
    sheet_line(r, label, "%.6g", value);
}

void sheet_text(sheet *r, const char *key, const char *label, const char *value)
{
    if (!value)
        return;
    if (key)
        sheet_json(r, key, sheet_json_text(value));
    sheet_line(r, label, "%s", value);
}

void sheet_flag(sheet *r, const char *key, const char *label, int value)
{
    if (key)
        sheet_json(r, key, json_boolean(value));
    sheet_line(r, label, "%s", value ? "yes" : "no");
}

void sheet_size(sheet *r, size_t n, int is_complex)
{
    sheet_count(r, "n", NULL, n, "");
    if (is_complex)
        sheet_flag(r, "complex", NULL, 1);
}

void sheet_set(sheet *r, size_t p, size_t n, int is_complex)
{
    sheet_count(r, "p", "matrices", p, "");
    sheet_size(r, n, is_complex);
    sheet_line(r, "size", "%zu x %zu%s", n, n, is_complex ? ", complex" : "");
}

static void release_json(void *value)
{
    json_decref(value);
}

json_t *sheet_json_keep(json_t *value)
{
    cli_keep(checked(value), release_json);
    return value;
}

char *sheet_json_say(const json_t *value, size_t flags)
{
    flags |= JSON_ENCODE_ANY | JSON_REAL_PRECISION(6);
    if (json_is_string(value))
        return words_text("%s", json_string_value(value));
    size_t length = json_dumpb(value, NULL, 0, flags);
    char *text = cli_alloc(length + 1, 1, "a value");
    if (length == 0 || json_dumpb(value, text, length, flags) != length)
        cli_out_of_memory("the parameters");
    return text;
}

json_t *sheet_json_list(void)
{
    return checked(json_array());
}

json_t *sheet_json_texts(size_t count, const char *const *text)
{
    json_t *list = sheet_json_list();
    for (size_t i = 0; i < count; i++)
        sheet_json_append(list, sheet_json_text(text[i]));
    return list;
}

json_t *sheet_json_words(const struct words *w)
{
    return sheet_json_texts(w->count, (const char *const *)w->word);
}

json_t *sheet_json_object(void)
{
    return checked(json_object());
}

json_t *sheet_json_parse(const char *text)
{
    json_error_t error;
    json_t *value = json_loads(text, 0, &error);
    if (json_is_object(value))
        return value;
    if (!value && !error.text[0]) /* as jansson has it */
        cli_out_of_memory("JSON");
    json_decref(value);
    return NULL;
}

json_t *sheet_json_load(const char *path)
{
    json_error_t error;
    size_t length;
    char *text = text_file_read(path, LARGEST + 1, &length);
    if (!text)
        cli_fail("%s: cannot be read: %s", path, strerror(errno));
    if (length > LARGEST)
        cli_fail("%s: is longer than %zu bytes", path, LARGEST);
    json_t *root = json_loadb(text, length, 0, &error);
    cli_free(text);
    if (!root)
        cli_fail("%s: is not JSON: %s", path, error.text);
    return sheet_json_keep(root);
}

void sheet_json_append(json_t *list, json_t *value)
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

json_t *sheet_json_reals(size_t count, const double *values)
{
    json_t *list = sheet_json_list();
    for (size_t i = 0; i < count; i++)
        sheet_json_append(list, sheet_json_real(values[i]));
    return list;
}

json_t *sheet_json_matrix(size_t rows, size_t columns, const double *values)
{
    json_t *matrix = sheet_json_list();
    for (size_t i = 0; i < rows; i++)
        sheet_json_append(matrix, sheet_json_reals(columns, values + i * columns));
    return matrix;
}

int sheet_is_small(size_t rows, size_t columns)
{
    return rows <= SMALL && columns <= SMALL;
}

void sheet_hint(sheet *r, size_t rows, size_t columns)
{
    sheet_line(r, "hint", "-o FILE writes all %zu x %zu values", rows, columns);
}

void sheet_matrix(sheet *r, const char *key, size_t rows, size_t columns, const double *values)
{
    if (!sheet_is_small(rows, columns))
        sheet_hint(r, rows, columns);
    else if (r->object)
        sheet_json(r, key, sheet_json_matrix(rows, columns, values));
    else
        print_matrix(rows, columns, values);
}

void sheet_complex_matrix(sheet *r, const char *key, size_t rows, size_t columns,
                          const double *values)
{
    static const char *const titles[] = {"real part", "imaginary part"};
    if (!sheet_is_small(rows, columns)) {
        sheet_hint(r, rows, columns);
        return;
    }
    for (size_t part = 0; part < 2; part++) {
        char name[80];
        double *one = cli_alloc_table(rows, columns, sizeof *one, "numbers");
        for (size_t e = 0; e < rows * columns; e++)
            one[e] = values[2 * e + part];
        snprintf(name, sizeof name, "%s%s", key, part ? "_imaginary" : "");
        sheet_line(r, titles[part], "%s", "");
        sheet_matrix(r, name, rows, columns, one);
    }
}
