/* columns.c - values of columns, sorted and numbered; clauses over them. */
#include "cli/evaluate/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/frame/cli_memory.h"

#define VALUE_ROOM 32 /* characters of a number */

/* ---- columns ----------------------------------------------------------------------------------
 */

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

static void no_column(const spd_data *data, const char *column, const char *asked)
{
    char list[400] = "";
    size_t at = 0;
    for (size_t i = 0; i < data->columns && at < sizeof list; i++)
        if (data->column[i]->name && one_value_each(data, data->column[i]))
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "",
                                   data->column[i]->name);
    const char *labels = data->y && data->y->name ? data->y->name : "y";
    if (data->label && at < sizeof list)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", labels);
    cli_error("%s: --%s: no column '%s' with one value per matrix; there %s %s", data->source,
              asked, column, at ? "are" : "is", at ? list : "none");
}

/* ---- values -----------------------------------------------------------------------------------
 */

/* A value; all of a column are of one type. */
typedef struct cell {
    spd_type type;
    int64_t whole;
    double number; /* not NaN */
    const char *text;
    size_t sample;
} cell;

static int compare_values(const cell *x, const cell *y)
{
    if (x->type == SPD_TEXT)
        return strcmp(x->text, y->text);
    if (x->type == SPD_INT64)
        return (x->whole > y->whole) - (x->whole < y->whole);
    return (x->number > y->number) - (x->number < y->number);
}

static int by_value(const void *a, const void *b)
{
    const cell *x = a, *y = b;
    int order = compare_values(x, y);
    return order ? order : (x->sample > y->sample) - (x->sample < y->sample);
}

/* Different values have different texts. */
static char *value_text(const cell *c)
{
    size_t room = c->type == SPD_TEXT ? strlen(c->text) + 1 : VALUE_ROOM;
    char *text = cli_alloc(room, 1, "a value");
    if (c->type == SPD_TEXT) {
        memcpy(text, c->text, room);
    } else if (c->type == SPD_INT64) {
        snprintf(text, room, "%" PRId64, c->whole);
    } else {
        snprintf(text, room, "%.15g", c->number);
        double back = strtod(text, NULL);
        if (back < c->number || back > c->number)
            snprintf(text, room, "%.17g", c->number);
    }
    return text;
}

static void number_values(size_t p, cell *cells, groups *g)
{
    qsort(cells, p, sizeof *cells, by_value);
    for (size_t i = 0; i < p; i++) {
        if (i == 0 || compare_values(&cells[i - 1], &cells[i]) != 0)
            g->name[g->count++] = value_text(&cells[i]);
        g->group[cells[i].sample] = (int)g->count - 1;
    }
}

static cell cell_of(const spd_array *a, size_t i)
{
    cell c = {.type = a->type, .sample = i};
    if (a->type == SPD_TEXT)
        c.text = a->text[i];
    else if (a->type == SPD_INT64)
        c.whole = a->i64[i];
    else
        c.number = a->f64[i];
    return c;
}

static void take_labels(const spd_data *data, groups *g)
{
    g->count = data->classes;
    for (size_t i = 0; i < data->p; i++)
        g->group[i] = data->label[i];
    for (size_t c = 0; c < data->classes; c++)
        g->name[c] = value_text(&(cell){.type = SPD_TEXT, .text = data->class_name[c]});
}

/* A missing value belongs to no group. */
static int missing_value(const spd_data *data, const char *column, const char *asked,
                         const spd_array *a)
{
    for (size_t i = 0; a->type == SPD_FLOAT64 && i < data->p; i++)
        if (isnan(a->f64[i])) {
            cli_error("%s: --%s: %s of matrix %zu is missing (nan); give it a value or leave the "
                      "matrix out",
                      data->source, asked, column, i);
            return CLI_FAILED;
        }
    return CLI_GOOD;
}

int groups_take(const spd_data *data, const char *column, const char *asked, groups *g)
{
    const spd_array *a = column_named(data, column);
    int labels = !a && names_labels(data, column);
    *g = (groups){.column = column};
    if (!labels && (!a || !one_value_each(data, a))) {
        no_column(data, column, asked);
        return CLI_FAILED;
    }
    if (!labels && missing_value(data, column, asked, a))
        return CLI_FAILED;
    g->group = cli_alloc(data->p, sizeof *g->group, "groups");
    g->name = cli_alloc(data->p, sizeof *g->name, "groups");
    if (labels) {
        take_labels(data, g);
        return CLI_GOOD;
    }
    cell *cells = cli_alloc(data->p, sizeof *cells, "groups");
    for (size_t i = 0; i < data->p; i++)
        cells[i] = cell_of(a, i);
    number_values(data->p, cells, g);
    cli_free(cells);
    return CLI_GOOD;
}

void groups_free(groups *g)
{
    for (size_t i = 0; i < g->count; i++)
        cli_free(g->name[i]);
    cli_free(g->name);
    cli_free(g->group);
    *g = (groups){0};
}

/* ---- clauses ----------------------------------------------------------------------------------
 */

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

static int no_value(const spd_data *data, const groups *g, const char *asked, const char *wanted)
{
    char list[500] = "";
    size_t at = 0, shown = 0;
    for (; shown < g->count && shown < 30 && at < sizeof list; shown++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", shown ? ", " : "",
                               g->name[shown]);
    cli_error("%s: --%s selects nothing: %s is never '%s'; its values are %s%s", data->source,
              asked, g->column, wanted, list, shown < g->count ? ", ..." : "");
    return CLI_FAILED;
}

/* wanted (g->count) <- 1 for values of the list "v1,v2", or for the one value that the whole of it
 * is. Its commas become ends. */
static int mark_values(const spd_data *data, const groups *g, const char *asked, char *list,
                       char *wanted)
{
    if (strchr(list, ',') && mark_word(g, list, wanted))
        return CLI_GOOD;
    for (char *rest = list, *word; (word = strsep(&rest, ","));)
        if (!mark_word(g, word, wanted))
            return no_value(data, g, asked, word);
    return CLI_GOOD;
}

/* flag &= the column has one of the values of the list. */
static int keep_values(const spd_data *data, const groups *g, const char *asked, char *list,
                       char *flag)
{
    char *wanted = cli_alloc(g->count, 1, "values");
    int code = mark_values(data, g, asked, list, wanted);
    for (size_t i = 0; i < data->p && !code; i++)
        flag[i] = (char)(flag[i] && wanted[g->group[i]]);
    cli_free(wanted);
    return code;
}

/* flag &= the clause holds. text is a copy. */
static int apply_clause(const spd_data *data, const char *asked, char *text, char *flag)
{
    char *equals = strchr(text, '=');
    groups g = {0};
    if (!equals || equals == text || !equals[1]) {
        cli_error("--%s %s: must be COLUMN=value or COLUMN=value,value", asked, text);
        return CLI_MISUSED;
    }
    *equals = '\0';
    int code = groups_take(data, text, asked, &g);
    if (!code)
        code = keep_values(data, &g, asked, equals + 1, flag);
    groups_free(&g);
    return code;
}

int where_select(session *s, const spd_data *data, const char *asked, char *flag)
{
    int code = CLI_GOOD;
    size_t selected = 0;
    memset(flag, 1, data->p);
    for (size_t c = 0; c < arguments_count(s->args, asked) && !code; c++) {
        const char *clause = arguments_nth(s->args, asked, c);
        char *text = cli_text(clause, strlen(clause));
        code = apply_clause(data, asked, text, flag);
        cli_free(text);
    }
    for (size_t i = 0; i < data->p; i++)
        selected += flag[i] != 0;
    if (code || selected)
        return code;
    cli_error("%s: no matrix fulfils all clauses of --%s", data->source, asked);
    return CLI_FAILED;
}

char *where_column(session *s, const char *asked)
{
    const char *clause = arguments_nth(s->args, asked, 0);
    return cli_text(clause, strcspn(clause, "="));
}
