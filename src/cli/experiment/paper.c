/* paper.c - published figures beside ours: those that we have seen, and those of a file.
 */
#include <math.h>
#include <string.h>

#include <jansson.h>

#include "cli/experiment/experiment.h"

/* Figures that the paper has and that we have seen, in percent. */
static const struct {
    const char *experiment, *row, *column;
    double percent;
    const char *note;
} figures[] = {
    {"motion", "cov3dj", "3 train", 95.41,
     "cov3dj: Hussein et al. 2013, covariances in a temporal pyramid with a linear support "
     "vector machine on 11 actions, as quoted in the paper; not run here"},
};

/* ---- a file -----------------------------------------------------------------------------------
 */

static int is_percent(const json_t *value)
{
    double percent = json_is_number(value) ? json_number_value(value) : NAN;
    return percent >= 0.0 && percent <= 100.0;
}

/* A percentage, or an object of them. */
static int is_row(json_t *row)
{
    const char *column;
    json_t *value;
    if (!json_is_object(row))
        return is_percent(row);
    json_object_foreach(row, column, value)
    {
        if (!is_percent(value))
            return 0;
    }
    return 1;
}

int experiment_load_paper(experiment *x)
{
    const char *path = arguments_text(x->s->args, "paper"), *name;
    json_error_t error;
    json_t *row;
    if (!path)
        return CLI_GOOD;
    x->paper = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!x->paper && error.line > 0)
        cli_error("%s: line %d: %.100s", path, error.line, error.text);
    else if (!x->paper)
        cli_error("%s: cannot be read: %.200s", path, error.text);
    else if (!json_is_object(x->paper))
        cli_error("%s: {\"METHOD\": PERCENT, ...} is expected", path);
    if (!json_is_object(x->paper))
        return CLI_FAILED;
    json_object_foreach(x->paper, name, row)
    {
        if (!is_row(row)) {
            cli_error("%s: %.60s: a number from 0 to 100 is expected, or {\"COLUMN\": NUMBER, ...}",
                      path, name);
            return CLI_FAILED;
        }
    }
    return CLI_GOOD;
}

/* ---- the table --------------------------------------------------------------------------------
 */

static void put(experiment_table *t, const char *row, size_t column, double percent)
{
    size_t at = experiment_table_row(t, row);
    t->paper[at * t->columns + column] = percent / 100.0;
    t->compared[column] = 1;
}

/* A figure without a column belongs to the last one, which is over all. */
static void put_row(experiment *x, const char *name, json_t *row)
{
    experiment_table *t = &x->table;
    const char *column;
    json_t *value;
    if (!json_is_object(row)) {
        put(t, name, t->columns - 1, json_number_value(row));
        return;
    }
    json_object_foreach(row, column, value)
    {
        size_t at = experiment_table_column(t, column);
        if (at < t->columns)
            put(t, name, at, json_number_value(value));
        else
            words_add(&x->notes, "%s: %s: no column '%.60s' here",
                      arguments_text(x->s->args, "paper"), name, column);
    }
}

void experiment_add_paper(experiment *x)
{
    const char *name;
    json_t *row;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        size_t column = experiment_table_column(&x->table, figures[i].column);
        if (strcmp(figures[i].experiment, x->kind->name) != 0 || column == x->table.columns)
            continue;
        put(&x->table, figures[i].row, column, figures[i].percent);
        words_add(&x->notes, "%s", figures[i].note);
    }
    json_object_foreach(x->paper, name, row)
    {
        put_row(x, name, row);
    }
}

int experiment_has_paper(const experiment *x)
{
    return memchr(x->table.compared, 1, x->table.columns) != NULL;
}
