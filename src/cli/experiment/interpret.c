/* interpret.c - the lines of a recipe, one after the other.
 *
 * A recipe is walked twice. The first time nothing is run: every line is read with the values of
 * its variables, so that a mistake in the last one is found before the first one has done anything.
 * What only the data can tell (`values`) is then a stand-in. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/methods/groups.h"
#include "cli/experiment/experiment.h"

#define MOST_LINES 10000 /* that a recipe runs, its loops counted out */
#define MOST_LOOPS 20    /* within one another */
#define STAND_IN   "value"

/* ---- texts ----------------------------------------------------------------------------------- */

/* title, generated, paper-data: the rest of the line, of the first one. */
static void read_text(experiment *x, const words *w)
{
    const char *what = w->word[0];
    const char **kept = strcmp(what, "title") == 0       ? &x->title
                        : strcmp(what, "generated") == 0 ? &x->generated
                                                         : &x->paper_data;
    if (!x->checking && !(*kept)[0])
        *kept = words_join(w, 1, w->count, " ");
}

static void read_note(experiment *x, const words *w)
{
    if (!x->checking && w->count > 1)
        words_take(&x->notes, words_join(w, 1, w->count, " "));
}

/* figure LABEL [log]: rows are points of a figure. */
static void read_figure(experiment *x, const words *w)
{
    int log = w->count == 3 && strcmp(w->word[2], "log") == 0;
    if (w->count != 2 && !log)
        recipe_fail(&x->recipe, "`figure LABEL` or `figure LABEL log` is expected");
    x->axis = w->word[1];
    x->scale = log ? DRAW_LOG10 : DRAW_WHOLE;
}

/* mark NUMBER TEXT: a line across the figure. */
static void read_mark(experiment *x, const words *w)
{
    double at = w->count > 2 ? strtod(w->word[1], NULL) : 0.0;
    if (!(at > 0.0) || x->mark.count == EXPERIMENT_MARKS)
        recipe_fail(&x->recipe, "`mark NUMBER TEXT` is expected, at most %d times",
                    EXPERIMENT_MARKS);
    x->mark_at[x->mark.count] = at;
    words_take(&x->mark, words_join(w, 2, w->count, " "));
}

static void read_paper_columns(experiment *x, const words *w)
{
    x->paper_columns = (words){0};
    for (size_t i = 1; i < w->count; i++)
        words_add(&x->paper_columns, w->word[i]);
}

/* ---- variables ------------------------------------------------------------------------------- */

/* Do all of the variables, with + between, have a value? */
static int holds(const experiment *x, const char *flags)
{
    words names = {0};
    int all = 1;
    words_split(&names, flags, "+");
    for (size_t i = 0; i < names.count; i++) {
        const char *value = recipe_value(&x->recipe, names.word[i]);
        all = all && value && value[0];
    }
    return all;
}

/* set NAME = VALUE [FLAG VALUE]...: the last one whose flag holds. */
static void read_set(experiment *x, const words *w)
{
    if (w->count < 4 || w->count % 2 || strcmp(w->word[2], "=") != 0)
        recipe_fail(&x->recipe, "`set NAME = VALUE` is expected, and FLAG VALUE after it; \"\" is "
                                "an empty value, and quotes keep blanks");
    const char *value = w->word[3];
    for (size_t i = 4; i < w->count; i += 2)
        if (holds(x, w->word[i]))
            value = w->word[i + 1];
    recipe_set(&x->recipe, w->word[1], value);
}

/* divide LIST at K into NAME NAME: the first K of a list with commas, and the others. */
static void read_divide(experiment *x, const words *w)
{
    words list = {0};
    if (w->count != 7 || strcmp(w->word[2], "at") != 0 || strcmp(w->word[4], "into") != 0)
        recipe_fail(&x->recipe, "`divide LIST at K into NAME NAME` is expected");
    words_split(&list, w->word[1], ",");
    size_t k = strtoul(w->word[3], NULL, 10);
    k = k < list.count ? k : list.count;
    recipe_set(&x->recipe, w->word[5], words_join(&list, 0, k, ","));
    recipe_set(&x->recipe, w->word[6], words_join(&list, k, list.count, ","));
}

/* index.csv beside the data, where --labels is not given; there once the data are. */
static void set_labels(experiment *x)
{
    const char *data = recipe_value(&x->recipe, "data");
    char *path = words_text("%s/index.csv", data ? data : "");
    recipe_set(&x->recipe, "labels", data && access(path, F_OK) == 0 ? path : "");
}

/* ---- values of the data ---------------------------------------------------------------------- */

/* values <- what a column of a file holds, each once, in order. */
static void column_values(experiment *x, const char *path, const char *column, words *values)
{
    spd_array *a = session_read(x->s, path, column);
    groups g;
    spd_data data = {.p = a->count, .source = (char *)(uintptr_t)path, .columns = 1, .column = &a};
    groups_take(&data, column, "data", &g);
    for (size_t i = 0; i < g.count; i++)
        words_add(values, g.name[i]);
}

/* How much of a list the data hold, and what is taken of it. */
static void choose(experiment *x, const words *w, const words *there, words *chosen)
{
    words wanted = {0};
    size_t found = 0;
    int first = strcmp(w->word[6], "first") == 0, any = strcmp(w->word[6], "any") == 0;
    words_split(&wanted, w->word[7], ",");
    for (size_t i = 0; i < wanted.count; i++)
        found += (size_t)words_has(there, wanted.word[i]);
    int use = any || (found == wanted.count && (first || there->count > found));
    for (size_t i = 0; i < wanted.count && use; i++)
        if (words_has(there, wanted.word[i]))
            words_add(chosen, wanted.word[i]);
    for (size_t i = 0; i < there->count && first; i++)
        if (!words_has(chosen, there->word[i]))
            words_add(chosen, there->word[i]);
    if (!first && found < wanted.count && x->data)
        words_take(&x->notes,
                   words_text("%zu of the paper's %zu %s are there%s", found, wanted.count,
                              w->word[1], any ? "" : "; all values of the data are used"));
}

/* values NAME = COLUMN of FILE HOW LIST N, at least N of them.
 * first: the list leads when all of it is there, the others follow. any: what is there of the list.
 * all: the list when all of it is there, and others too; else none, for all are taken. */
static void read_values(experiment *x, const words *w)
{
    words there = {0}, chosen = {0};
    if (w->count != 9 || strcmp(w->word[2], "=") != 0 || strcmp(w->word[4], "of") != 0 ||
        (strcmp(w->word[6], "first") != 0 && strcmp(w->word[6], "all") != 0 &&
         strcmp(w->word[6], "any") != 0))
        recipe_fail(&x->recipe, "`values NAME = COLUMN of FILE HOW LIST N` is expected; HOW is "
                                "first, all or any, N how many are needed");
    if (x->checking) {
        recipe_set(&x->recipe, w->word[1], STAND_IN "," STAND_IN);
        return;
    }
    size_t need = strtoul(w->word[8], NULL, 10);
    column_values(x, w->word[5], w->word[3], &there);
    choose(x, w, &there, &chosen);
    if (chosen.count < need)
        cli_fail("%s: column %s has %zu %s; %zu or more are needed, such as %s", w->word[5],
                 w->word[3], chosen.count, w->word[1], need, w->word[7]);
    recipe_set(&x->recipe, w->word[1], words_join(&chosen, 0, chosen.count, ","));
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int begins_with(const char *line, const char *word)
{
    size_t length = strlen(word);
    line += strspn(line, " \t");
    return strncmp(line, word, length) == 0 && strchr(" \t#", line[length]);
}

static void walk(experiment *x, size_t from, size_t to);

/* for NAME in LIST: the lines up to the `end` that belongs to it, for each value of the list. */
static void read_for(experiment *x, const words *w)
{
    recipe *r = &x->recipe;
    words values = {0};
    size_t first = r->next, end = r->next, depth = 1;
    if (w->count != 4 || strcmp(w->word[2], "in") != 0)
        recipe_fail(r, "`for NAME in VALUE,VALUE,...` is expected");
    for (; end < r->line.count && depth; end++)
        depth = depth + (size_t)begins_with(r->line.word[end], "for") -
                (size_t)begins_with(r->line.word[end], "end");
    if (depth)
        recipe_fail(r, "`for` without `end`");
    if (++x->depth > MOST_LOOPS)
        recipe_fail(r, "more than %d loops within one another", MOST_LOOPS);
    words_split(&values, w->word[3], ",");
    for (size_t i = 0; i < values.count; i++) {
        recipe_set(r, w->word[1], values.word[i]);
        walk(x, first, end - 1);
    }
    x->depth--;
    r->next = end;
}

static void read_end(experiment *x, const words *w)
{
    (void)w;
    recipe_fail(&x->recipe, "`end` without `for`");
}

static void read_line(experiment *x, const words *w)
{
    static const struct {
        const char *word;
        void (*read)(experiment *x, const words *w);
    } kinds[] = {
        {"spdml", experiment_step},
        {"for", read_for},
        {"end", read_end},
        {"set", read_set},
        {"values", read_values},
        {"divide", read_divide},
        {"title", read_text},
        {"generated", read_text},
        {"note", read_note},
        {"figure", read_figure},
        {"mark", read_mark},
        {"column", experiment_gather},
        {"columns", experiment_gather},
        {"row", experiment_gather},
        {"rows", experiment_gather},
        {"paper-data", read_text},
        {"paper-columns", read_paper_columns},
        {"paper", experiment_published},
        {"seconds", experiment_seconds},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(w->word[0], kinds[k].word) == 0) {
            kinds[k].read(x, w);
            return;
        }
    recipe_fail(&x->recipe,
                "unknown word '%.60s'; a line begins with spdml, set, for, ...: "
                "docs/experiments.md lists them",
                w->word[0]);
}

static void walk(experiment *x, size_t from, size_t to)
{
    recipe *r = &x->recipe;
    for (r->next = from; r->next < to;) {
        words w = {0};
        r->at = r->next;
        if (x->checking && ++x->walked > MOST_LINES)
            recipe_fail(r, "the loops come to more than %d lines", MOST_LINES);
        set_labels(x);
        recipe_words(r, &w);
        if (w.count)
            read_line(x, &w);
    }
}

void experiment_walk(experiment *x)
{
    x->axis = "";
    x->mark = (words){0};
    walk(x, 0, x->recipe.line.count);
}
