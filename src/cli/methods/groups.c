/* groups.c - values of columns, sorted and numbered; clauses over them. */
#include "cli/methods/groups.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/frame/words.h"

#define VALUES_SHOWN 30

/* ---- columns --------------------------------------------------------------------------------- */

const spd_array *column_named(const spd_data *data, const char *name)
{
    for (size_t i = 0; i < data->columns; i++) {
        const spd_array *a = data->column[i];
        if (a->name && strcmp(a->name, name) == 0)
            return a;
    }
    return NULL;
}

static int one_value_each(const spd_data *data, const spd_array *a)
{
    return a->count == data->p;
}

/* Labels are called y, and what the array that holds them is called. */
static int names_labels(const spd_data *data, const char *name)
{
    const char *given = data->y ? data->y->name : NULL;
    return data->label && (strcmp(name, "y") == 0 || (given && strcmp(name, given) == 0));
}

static void __attribute__((noreturn))
no_column(const spd_data *data, const char *column, const char *asked)
{
    words names = {0};
    for (size_t i = 0; i < data->columns; i++)
        if (data->column[i]->name && one_value_each(data, data->column[i]))
            words_add(&names, data->column[i]->name);
    if (data->label)
        words_add(&names, data->y && data->y->name ? data->y->name : "y");
    cli_fail("%s: --%s: no column '%s' with one value per matrix; there %s %.399s", data->source,
             asked, column, names.count ? "are" : "is",
             names.count ? words_join(&names, names.count, ", ") : "none");
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The value of a sample. */
typedef struct cell {
    const spd_array *column;
    size_t sample;
} cell;

static int compare_values(const cell *x, const cell *y)
{
    const spd_array *a = x->column;
    size_t i = x->sample, j = y->sample;
    if (a->type == SPD_TYPE_TEXT)
        return strcmp(a->text[i], a->text[j]);
    if (a->type == SPD_TYPE_INT64)
        return (a->i64[i] > a->i64[j]) - (a->i64[i] < a->i64[j]);
    return (a->f64[i] > a->f64[j]) - (a->f64[i] < a->f64[j]);
}

static int by_value(const void *a, const void *b)
{
    const cell *x = a, *y = b;
    int order = compare_values(x, y);
    return order ? order : (x->sample > y->sample) - (x->sample < y->sample);
}

/* Different values have different texts. */
static char *value_text(const spd_array *a, size_t i)
{
    if (a->type == SPD_TYPE_TEXT)
        return words_text("%s", a->text[i]);
    if (a->type == SPD_TYPE_INT64)
        return words_text("%" PRId64, a->i64[i]);
    char *text = words_text("%.15g", a->f64[i]);
    double back = strtod(text, NULL);
    return back < a->f64[i] || back > a->f64[i] ? words_text("%.17g", a->f64[i]) : text;
}

/* g <- the values of an array without missing ones. */
static void groups_of(const spd_array *a, groups *g)
{
    cell *cells = cli_alloc(a->count, sizeof *cells, "groups");
    *g = (groups){.column = a->name,
                  .group = cli_alloc(a->count, sizeof *g->group, "groups"),
                  .name = cli_alloc(a->count, sizeof *g->name, "groups")};
    for (size_t i = 0; i < a->count; i++)
        cells[i] = (cell){a, i};
    qsort(cells, a->count, sizeof *cells, by_value);
    for (size_t i = 0; i < a->count; i++) {
        if (i == 0 || compare_values(&cells[i - 1], &cells[i]) != 0)
            g->name[g->count++] = value_text(a, cells[i].sample);
        g->group[cells[i].sample] = (int)g->count - 1;
    }
    cli_free(cells);
}

void groups_take(const spd_data *data, const char *column, const char *asked, groups *g)
{
    const spd_array *a = column_named(data, column);
    if (!a && names_labels(data, column)) {
        *g = (groups){column, data->classes, data->label, data->class_name};
        return;
    }
    if (!a || !one_value_each(data, a))
        no_column(data, column, asked);
    /* A missing value belongs to no group. */
    for (size_t i = 0; a->type == SPD_TYPE_FLOAT64 && i < data->p; i++)
        if (isnan(a->f64[i]))
            cli_fail("%s: --%s: %s of matrix %zu is missing (nan); give it a value or leave the "
                     "matrix out",
                     data->source, asked, column, i);
    groups_of(a, g);
    g->column = column;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* Columns of texts or whole numbers in which a value occurs more than once: names of files, of
 * which each is the only one, are no classes. */
static int could_be_labels(const spd_data *data, const spd_array *a)
{
    groups g;
    if (!a->name || !one_value_each(data, a) || strcmp(a->name, "feature_count") == 0)
        return 0;
    for (size_t i = 0; a->type == SPD_TYPE_FLOAT64 && i < a->count; i++)
        if (!isfinite(a->f64[i]) || floor(a->f64[i]) < a->f64[i])
            return 0;
    groups_of(a, &g);
    return g.count < a->count;
}

const char *labels_hint(const spd_data *data)
{
    words names = {0};
    for (size_t i = 0; i < data->columns; i++)
        if (could_be_labels(data, data->column[i]))
            words_take(&names, words_text("%.60s", data->column[i]->name));
    if (names.count < 2)
        return names.count ? words_text("--y %s takes that column", names.word[0]) : "";
    return words_text("--y NAME takes one of %.239s", words_join(&names, names.count, ", "));
}

void labels_missing(const spd_data *data, const char *what, const char *or_else)
{
    const char *hint = labels_hint(data);
    cli_fail("%s: has no labels%s; name them with --y or --labels%s%s%s", data->source, what,
             or_else, hint[0] ? "; " : "", hint);
}

/* ---- clauses --------------------------------------------------------------------------------- */

static int is_same_number(const char *wanted, const char *name)
{
    double a, b;
    return option_parse_real(wanted, &a) == 0 && option_parse_real(name, &b) == 0 &&
           !(a < b || a > b);
}

/* wanted <- 1 for values that are this word, or this number where none is the word; how many. */
static size_t mark_word(const groups *g, const char *word, char *wanted)
{
    size_t found = 0;
    for (int numbers = 0; numbers < 2 && !found; numbers++)
        for (size_t v = 0; v < g->count; v++)
            if (numbers ? is_same_number(word, g->name[v]) : strcmp(word, g->name[v]) == 0)
                wanted[v] = (char)(++found > 0);
    return found;
}

static void __attribute__((noreturn))
no_value(const spd_data *data, const groups *g, const char *asked, const char *wanted)
{
    words list = {.count = g->count, .word = (char **)g->name};
    size_t shown = g->count < VALUES_SHOWN ? g->count : VALUES_SHOWN;
    cli_fail("%s: --%s selects nothing: %s is never '%s'; its values are %.499s%s", data->source,
             asked, g->column, wanted, words_join(&list, shown, ", "),
             shown < g->count ? ", ..." : "");
}

/* wanted (g->count) <- 1 for values of the list "v1,v2", or for the one value that the whole of it
 * is. Its commas become ends. */
static void mark_values(const spd_data *data, const groups *g, const char *asked, char *list,
                        char *wanted)
{
    if (strchr(list, ',') && mark_word(g, list, wanted))
        return;
    for (char *rest = list, *word; (word = strsep(&rest, ","));)
        if (!mark_word(g, word, wanted))
            no_value(data, g, asked, word);
}

/* flag &= the clause holds. text is a copy. */
static void apply_clause(const spd_data *data, const char *asked, char *text, char *flag)
{
    char *equals = strchr(text, '=');
    groups g;
    if (!equals || equals == text || !equals[1])
        cli_misuse("--%s %s: must be COLUMN=value or COLUMN=value,value", asked, text);
    *equals = '\0';
    groups_take(data, text, asked, &g);
    /* flag &= the column has one of the values of the list. */
    char *wanted = cli_alloc(g.count, 1, "values");
    mark_values(data, &g, asked, equals + 1, wanted);
    for (size_t i = 0; i < data->p; i++)
        flag[i] = (char)(flag[i] && wanted[g.group[i]]);
}

void where_select(session *s, const spd_data *data, const char *asked, char *flag)
{
    size_t selected = 0;
    memset(flag, 1, data->p);
    for (size_t c = 0; c < arguments_count(s->args, asked); c++) {
        const char *clause = arguments_nth(s->args, asked, c);
        apply_clause(data, asked, cli_text(clause, strlen(clause)), flag);
    }
    for (size_t i = 0; i < data->p; i++)
        selected += flag[i] != 0;
    if (!selected)
        cli_fail("%s: no matrix satisfies all clauses of --%s", data->source, asked);
}

char *where_column(session *s, const char *asked)
{
    const char *clause = arguments_nth(s->args, asked, 0);
    return cli_text(clause, strcspn(clause, "="));
}
