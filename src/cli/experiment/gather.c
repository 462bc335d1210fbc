/* gather.c - from results.json of evaluations to one table. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/experiment/experiment.h"

/* ---- memory -----------------------------------------------------------------------------------
 */

static double *nothing(size_t count)
{
    double *values = cli_alloc(count, sizeof *values, "a table");
    for (size_t i = 0; i < count; i++)
        values[i] = NAN;
    return values;
}

void experiment_table_make(experiment_table *t, size_t rows, size_t columns)
{
    *t = (experiment_table){.rows = rows, .columns = columns};
    t->row = cli_alloc(rows, sizeof *t->row, "a table");
    t->column = cli_alloc(columns, sizeof *t->column, "a table");
    t->value = nothing(rows * columns);
    t->deviation = nothing(rows * columns);
    t->paper = nothing(rows * columns);
    t->compared = cli_alloc(columns, 1, "a table");
}

void experiment_table_free(experiment_table *t)
{
    cli_free(t->row);
    cli_free(t->column);
    cli_free(t->value);
    cli_free(t->deviation);
    cli_free(t->paper);
    cli_free(t->compared);
    *t = (experiment_table){0};
}

/* The table with further rows and columns, which hold nothing. */
static void extend(experiment_table *t, size_t rows, size_t columns)
{
    experiment_table more;
    experiment_table_make(&more, t->rows + rows, t->columns + columns);
    for (size_t r = 0; r < t->rows; r++) {
        memcpy(more.row[r], t->row[r], sizeof *t->row);
        for (size_t c = 0; c < t->columns; c++) {
            more.value[r * more.columns + c] = t->value[r * t->columns + c];
            more.deviation[r * more.columns + c] = t->deviation[r * t->columns + c];
            more.paper[r * more.columns + c] = t->paper[r * t->columns + c];
        }
    }
    for (size_t c = 0; c < t->columns; c++) {
        memcpy(more.column[c], t->column[c], sizeof *t->column);
        more.compared[c] = t->compared[c];
    }
    experiment_table_free(t);
    *t = more;
}

static void set_name(char name[EXPERIMENT_NAME], const char *text)
{
    snprintf(name, EXPERIMENT_NAME, "%s", text);
}

/* ---- results of an evaluation -----------------------------------------------------------------
 */

static double real(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Rows are the methods. */
static void make_rows(experiment_table *t, const json_t *results)
{
    if (t->rows)
        return;
    extend(t, json_array_size(results), 0);
    for (size_t r = 0; r < t->rows; r++)
        set_name(t->row[r],
                 json_string_value(json_object_get(json_array_get(results, r), "method")));
}

static void take_by(experiment_table *t, const json_t *results)
{
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(json_array_get(results, 0), "by"), key, value)
    {
        size_t at = t->columns;
        extend(t, 0, 1);
        set_name(t->column[at], key);
        for (size_t r = 0; r < t->rows; r++)
            t->value[r * t->columns + at] =
                real(json_object_get(json_array_get(results, r), "by"), key);
    }
}

/* Several rounds have a deviation. */
static void take_means(experiment_table *t, const json_t *results, const char *column, int rounds)
{
    size_t at = t->columns;
    extend(t, 0, 1);
    set_name(t->column[at], column);
    for (size_t r = 0; r < t->rows && r < json_array_size(results); r++) {
        const json_t *result = json_array_get(results, r);
        t->value[r * t->columns + at] = real(result, "accuracy_mean");
        if (rounds > 1)
            t->deviation[r * t->columns + at] = real(result, "accuracy_std");
    }
}

static void take_words(experiment *x, const json_t *root)
{
    const char *protocol = json_string_value(json_object_get(root, "protocol"));
    if (x->matrices[0])
        return;
    snprintf(x->matrices, sizeof x->matrices, "%.0f matrices %.0f x %.0f, %.0f classes",
             real(root, "matrices"), real(root, "n"), real(root, "n"), real(root, "classes"));
    if (!x->protocol && protocol) {
        x->protocol = cli_alloc(strlen(protocol) + 1, 1, "a protocol");
        memcpy(x->protocol, protocol, strlen(protocol));
    }
}

int experiment_gather(experiment *x, const char *folder, const char *column, int by)
{
    json_error_t error;
    char name[EXPERIMENT_NAME];
    snprintf(name, sizeof name, "%.40s/results.json", folder);
    char *path = experiment_path(x, name);
    json_t *root = json_load_file(path, 0, &error);
    if (!root)
        cli_error("%s: cannot be read: %s", path, error.text);
    cli_free(path);
    if (!root)
        return CLI_FAILED;
    const json_t *results = json_object_get(root, "results");
    take_words(x, root);
    make_rows(&x->table, results);
    if (by)
        take_by(&x->table, results);
    take_means(&x->table, results, column, (int)real(root, "rounds"));
    json_decref(root);
    return CLI_GOOD;
}

/* ---- rows -------------------------------------------------------------------------------------
 */

size_t experiment_table_row(experiment_table *t, const char *name)
{
    size_t at = 0;
    while (at < t->rows && strcmp(t->row[at], name) != 0)
        at++;
    if (at == t->rows) {
        extend(t, 1, 0);
        set_name(t->row[at], name);
    }
    return at;
}

size_t experiment_table_column(const experiment_table *t, const char *name)
{
    size_t at = 0;
    while (at < t->columns && strcmp(t->column[at], name) != 0)
        at++;
    return at;
}
