/* label_columns.c - which column of a data set without labels could hold them. */
#include "cli/commands/label_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/frame/cli_memory.h"

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Does a text occur twice? Names of files, of which each is the only one, are no classes. */
static int texts_repeat(const spd_array *a)
{
    char **sorted = cli_alloc(a->count, sizeof *sorted, "texts");
    int repeat = 0;
    memcpy(sorted, a->text, a->count * sizeof *sorted);
    qsort(sorted, a->count, sizeof *sorted, by_text);
    for (size_t i = 1; i < a->count && !repeat; i++)
        repeat = by_text(&sorted[i - 1], &sorted[i]) == 0;
    cli_free(sorted);
    return repeat;
}

/* Are all numbers whole, and does one occur twice? */
static int numbers_repeat(const spd_array *a)
{
    double *sorted = cli_alloc(a->count, sizeof *sorted, "numbers");
    int repeat = 0, whole = 1;
    for (size_t i = 0; i < a->count; i++) {
        sorted[i] = a->type == SPD_INT64 ? (double)a->i64[i] : a->f64[i];
        whole &= isfinite(sorted[i]) && floor(sorted[i]) >= sorted[i];
    }
    if (whole)
        qsort(sorted, a->count, sizeof *sorted, by_number);
    for (size_t i = 1; i < a->count && whole && !repeat; i++)
        repeat = by_number(&sorted[i - 1], &sorted[i]) == 0;
    cli_free(sorted);
    return repeat;
}

static int could_be_labels(const spd_data *data, const spd_array *a)
{
    if (!a->name || a->count != data->p)
        return 0;
    return a->type == SPD_TEXT ? texts_repeat(a) : numbers_repeat(a);
}

void label_columns(const spd_data *data, char *text, size_t size)
{
    char names[240] = "";
    size_t found = 0, used = 0;
    for (size_t i = 0; i < data->columns; i++) {
        if (!could_be_labels(data, data->column[i]))
            continue;
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.60s",
                                     found ? ", " : "", data->column[i]->name);
        found++;
    }
    if (size)
        text[0] = '\0';
    if (found == 1)
        snprintf(text, size, "--y %s takes that column", names);
    else if (found > 1)
        snprintf(text, size, "--y NAME takes one of %s", names);
}
