/* gather.c - from results.json of evaluations, and from the lines of the paper, to one table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/experiment/experiment.h"

static double real(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text_in(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* ---- ours ------------------------------------------------------------------------------------ */

/* results.json of a folder. */
static json_t *load(const char *folder)
{
    return sheet_json_load(words_text("%s/results.json", folder));
}

/* What the data and the protocol were, of the first evaluation, the page it has written, and what
 * it remarked. */
static void take_words(experiment *x, const char *folder, const json_t *root)
{
    size_t i;
    const json_t *remark;
    char *page = words_text("%s/report.html", folder);
    const char *relative = page + strlen(x->folder) + 1;
    if (!x->matrices[0]) {
        x->matrices = words_text("%.0f matrices %.0f x %.0f, %.0f classes", real(root, "matrices"),
                                 real(root, "n"), real(root, "n"), real(root, "classes"));
        x->protocol = text_in(root, "protocol");
    }
    if (!x->temporary && access(page, R_OK) == 0 && !words_has(&x->reports, relative))
        words_add(&x->reports, relative);
    json_array_foreach(json_object_get(root, "remarks"), i, remark)
    {
        if (!words_has(&x->notes, json_string_value(remark)))
            words_add(&x->notes, json_string_value(remark));
    }
}

static void put(table *t, int across, const char *method, const char *name, double accuracy,
                double deviation)
{
    const char *row = across ? name : method, *column = across ? method : name;
    table_put(t, row, column, TABLE_OURS, accuracy);
    table_put(t, row, column, TABLE_DEVIATION, deviation);
}

/* One result: its mean under a name, with its deviation where there are several rounds; without a
 * name all of its `by`. */
static void take_result(table *t, int across, const char *name, json_t *result, int several)
{
    const char *method = text_in(result, "method"), *key = NULL;
    json_t *value = NULL;
    if (name)
        put(t, across, method, name, real(result, "accuracy_mean"),
            several ? real(result, "accuracy_std") : NAN);
    else
        json_object_foreach(json_object_get(result, "by"), key, value)
        {
            put(t, across, method, key, json_number_value(value),
                several ? real(json_object_get(result, "by_std"), key) : NAN);
        }
}

/* column NAME from FOLDER, columns from FOLDER; row and rows have the methods as columns. */
void experiment_gather(experiment *x, const words *w)
{
    const char *what = w->word[0], *folder = w->word[w->count - 1];
    int named = what[strlen(what) - 1] != 's';
    json_t *result;
    size_t i;
    x->gathers = 1;
    if (w->count != (named ? 4U : 3U) || strcmp(w->word[w->count - 2], "from") != 0)
        recipe_fail(&x->recipe, "`%s%s from FOLDER` is expected", what, named ? " NAME" : "");
    if (x->checking)
        return;
    json_t *root = load(folder);
    take_words(x, folder, root);
    json_array_foreach(json_object_get(root, "results"), i, result)
    {
        take_result(&x->table, what[0] == 'r', named ? w->word[1] : NULL, result,
                    real(root, "rounds") > 1);
    }
}

/* ---- the paper's ----------------------------------------------------------------------------- */

/* "-", "58.1" or "58.1+-2.8" in percent into a cell; 0 when it is something else. */
static int put_percent(table *t, const char *row, const char *column, const char *text)
{
    char *end;
    if (strcmp(text, "-") == 0)
        return 1;
    double percent = strtod(text, &end), deviation = NAN;
    if (end != text && strncmp(end, "+-", 2) == 0)
        deviation = strtod(end + 2, &end);
    table_put(t, row, column, TABLE_PAPER, percent / 100.0);
    table_put(t, row, column, TABLE_PAPER_DEVIATION, deviation / 100.0);
    return end != text && !*end && percent >= 0.0 && percent <= 100.0;
}

/* paper ROW PERCENT...: one for each of paper-columns. */
void experiment_published(experiment *x, const words *w)
{
    if (w->count != x->paper_columns.count + 2)
        recipe_fail(&x->recipe, "`paper ROW PERCENT...` is expected, a figure for each name of a "
                                "line `paper-columns NAME...` before it");
    for (size_t i = 2; i < w->count; i++)
        if (!put_percent(&x->paper, w->word[1], x->paper_columns.word[i - 2], w->word[i]))
            recipe_fail(&x->recipe, "%.60s: 58.1, 58.1+-2.8 or - is expected", w->word[i]);
}

void experiment_add_paper(experiment *x)
{
    const words *rows = &x->paper.row, *columns = &x->paper.column;
    int others = !x->axis[0] && !json_object_get(x->recipe.given, "methods");
    for (size_t r = 0; r < rows->count; r++)
        for (size_t c = 0; c < columns->count; c++)
            for (int k = TABLE_PAPER; k <= TABLE_PAPER_DEVIATION; k++) {
                double number = table_at(&x->paper, r, c, (table_kind)k);
                if (isfinite(number) && words_has(&x->table.column, columns->word[c]) &&
                    (others || words_has(&x->table.row, rows->word[r])))
                    table_put(&x->table, rows->word[r], columns->word[c], (table_kind)k, number);
            }
}

/* seconds METHOD SECONDS from FOLDER: recognising a test set, the paper's seconds next to ours. */
void experiment_seconds(experiment *x, const words *w)
{
    json_t *result;
    size_t i;
    double paper = w->count == 5 ? strtod(w->word[2], NULL) : 0.0;
    if (!(paper > 0.0) || strcmp(w->word[3], "from") != 0)
        recipe_fail(&x->recipe, "`seconds METHOD SECONDS from FOLDER` is expected");
    json_t *root = x->checking ? NULL : load(w->word[4]);
    json_array_foreach(json_object_get(root, "results"), i, result)
    {
        if (strcmp(text_in(result, "method"), w->word[1]) == 0) {
            table_put(&x->times, w->word[1], "seconds", TABLE_OURS, real(result, "test_seconds"));
            table_put(&x->times, w->word[1], "seconds", TABLE_PAPER, paper);
        }
    }
}
