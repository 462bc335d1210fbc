/* accuracies.c - accuracies of all runs in one table, the paper's figures beside ours: methods x what was
 * tested, or, with --against, the values of a number x methods. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compare.h"
#include "cli/frame/text_file.h"

#define LARGEST      ((size_t)1 << 20) /* bytes of a file of published figures */
#define MOST_CELLS   10000
#define NOTES_OF_RUN 4 /* runs whose data and protocol are told */

/* ---- cells ----------------------------------------------------------------------------------- */

static void put(accuracy_table *t, const char *row, const char *column, accuracy_cell number)
{
    if (!words_has(&t->row, row))
        words_add(&t->row, row);
    if (!words_has(&t->column, column))
        words_add(&t->column, column);
    number.row = row;
    number.column = column;
    t->cell[t->cells++] = number;
}

static void add_note(accuracy_table *t, char *text)
{
    if (!words_has(&t->notes, text))
        words_take(&t->notes, text);
}

double accuracies_at(const accuracy_table *t, size_t row, size_t column, int paper,
                     double *deviation)
{
    double sum = 0.0, squares = 0.0, count = 0.0;
    *deviation = NAN;
    for (size_t i = 0; i < t->cells; i++) {
        const accuracy_cell *c = &t->cell[i];
        if (c->paper == paper && strcmp(c->row, t->row.word[row]) == 0 &&
            strcmp(c->column, t->column.word[column]) == 0) {
            double step = c->mean - (count > 0.0 ? sum / count : 0.0); /* Welford's update */
            sum += c->mean;
            count += 1.0;
            squares += step * (c->mean - sum / count);
            *deviation = c->deviation;
        }
    }
    if (count > 1.0)
        *deviation = sqrt(squares / (count - 1.0));
    return count > 0.0 ? sum / count : (double)NAN;
}

int accuracies_compared(const accuracy_table *t, size_t column)
{
    double deviation;
    for (size_t r = 0; r < t->row.count; r++)
        if (!isnan(accuracies_at(t, r, column, 1, &deviation)))
            return 1;
    return 0;
}

int accuracies_are_seconds(const accuracy_table *t, size_t column)
{
    return !t->against && strcmp(t->column.word[column], "seconds") == 0;
}

/* ---- ours ------------------------------------------------------------------------------------ */

/* The number under a name: a parameter of the method, or something of the whole run. */
static const json_t *number_of(const json_t *root, const json_t *result, const char *name)
{
    const json_t *value = json_object_get(json_object_get(result, "parameters"), name);
    value = value ? value : json_object_get(root, name);
    return json_is_number(value) ? value : NULL;
}

/* The values of an entry: of --by where that is what is asked for, else one. */
static void put_against(accuracy_table *t, const comparison *c, const entry *e)
{
    const json_t *root = c->root[e->of];
    const json_t *number = number_of(root, e->result, t->against);
    const char *by = json_string_value(json_object_get(root, "by")), *key;
    json_t *value;
    if (by && strcmp(by, t->against) == 0)
        json_object_foreach(json_object_get(e->result, "by"), key, value)
        {
            char *end;
            (void)strtod(key, &end);
            if (*end || !json_is_number(value))
                cli_fail("%s: '%s' of %s is no number", e->run, key, by);
            put(t, key, e->method,
                (accuracy_cell){.mean = json_number_value(value), .deviation = NAN});
        }
    else if (number)
        put(t, words_text("%.6g", json_number_value(number)), e->method,
            (accuracy_cell){.mean = e->mean[0],
                            .deviation = e->rounds > 1 ? e->deviation[0] : NAN});
    else
        add_note(t, words_text("%s: left out, has no number '%s'", e->method, t->against));
}

/* What a method reached: for each value of --by, in all, and in how many seconds. */
static void put_method(accuracy_table *t, const comparison *c, const entry *e, int parts,
                       int seconds)
{
    json_t *by = parts ? json_object_get(e->result, "by") : NULL, *value;
    const json_t *taken = json_object_get(e->result, "test_seconds");
    const char *all = c->one_name ? by ? "all" : "accuracy" : e->run, *key;
    json_object_foreach(by, key, value)
    {
        if (json_is_number(value))
            put(t, e->method, key,
                (accuracy_cell){.mean = json_number_value(value), .deviation = NAN});
    }
    put(t, e->method, all,
        (accuracy_cell){.mean = e->mean[0], .deviation = e->rounds > 1 ? e->deviation[0] : NAN});
    if (seconds && json_is_number(taken))
        put(t, e->method, "seconds",
            (accuracy_cell){.mean = json_number_value(taken), .deviation = NAN});
}

/* ---- the paper's ----------------------------------------------------------------------------- */

/* "-", "58.1" or "58.1+-2.8", in percent unless they are seconds; 0: something else. */
static int put_published(accuracy_table *t, const char *row, const char *column, const char *text)
{
    char *end;
    double unit = strcmp(column, "seconds") == 0 ? 1.0 : 100.0;
    if (strcmp(text, "-") == 0)
        return 1;
    accuracy_cell c = {.paper = 1, .mean = strtod(text, &end) / unit, .deviation = NAN};
    if (end != text && strncmp(end, "+-", 2) == 0)
        c.deviation = strtod(end + 2, &end) / unit;
    put(t, row, column, c);
    return end != text && !*end && isfinite(c.mean);
}

/* The lines of a file: notes behind #, the names of the columns, then a row each. */
static words published_lines(const char *path)
{
    size_t length;
    words lines = {0};
    char *text = text_file_read(path, LARGEST, &length);
    if (!text)
        session_check_path(path);
    if (!text || length == LARGEST || strlen(text) != length)
        cli_fail("%s: cannot be read as a table of published figures (.csv)", path);
    words_split(&lines, text, "\r\n");
    return lines;
}

/* Figures of methods that were not run here get a row too, unless values are the rows. */
static void put_paper(accuracy_table *t, const char *path, const words *lines)
{
    words heading = {0}, ours = t->row, columns = t->column;
    for (size_t i = 0; i < lines->count; i++) {
        const char *line = lines->word[i];
        words w = {0};
        words_split(&w, line, ",");
        if (line[0] == '#') {
            words_take(&t->notes, words_text("paper: %s", line + 1 + strspn(line + 1, " ")));
            continue;
        }
        if (heading.count == 0)
            heading = w;
        else if (w.count != heading.count)
            cli_fail("%s: line '%.60s' has %zu cells, not %zu; - stands for none", path, line,
                     w.count, heading.count);
        for (size_t k = 1; k < w.count && heading.word != w.word; k++)
            if (words_has(&columns, heading.word[k]) &&
                (!t->against || words_has(&ours, w.word[0])) &&
                !put_published(t, w.word[0], heading.word[k], w.word[k]))
                cli_fail("%s: %.60s: 58.1, 58.1+-2.8 or - is expected", path, w.word[k]);
    }
}

/* ---- notes ----------------------------------------------------------------------------------- */

/* What was used of a run, and its remarks. */
static void note_run(accuracy_table *t, const comparison *c, size_t run, size_t *told)
{
    const json_t *root = c->root[run], *round = NULL, *remark;
    const char *protocol = json_string_value(json_object_get(root, "protocol"));
    size_t i, before = t->notes.count;
    for (size_t e = 0; e < c->entries && !round; e++)
        if (c->entry[e].of == run)
            round = json_array_get(json_object_get(c->entry[e].result, "rounds"), 0);
    char *text =
        words_text("%s%s%.0f matrices %.0f x %.0f, %.0f classes; %s; %.0f train, %.0f tested",
                   c->one_name || t->against ? "here" : c->run[run], ": ",
                   json_number_value(json_object_get(root, "matrices")),
                   json_number_value(json_object_get(root, "n")),
                   json_number_value(json_object_get(root, "n")),
                   json_number_value(json_object_get(root, "classes")), protocol ? protocol : "",
                   json_number_value(json_object_get(round, "train")),
                   json_number_value(json_object_get(round, "test")));
    if (*told < NOTES_OF_RUN)
        add_note(t, text);
    *told += t->notes.count > before;
    json_array_foreach(json_object_get(root, "remarks"), i, remark)
    {
        if (json_is_string(remark))
            add_note(t, words_text("%s", json_string_value(remark)));
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    double x = strtod(*(char *const *)a, NULL), y = strtod(*(char *const *)b, NULL);
    return (x > y) - (x < y);
}

void comparison_accuracies(comparison *c, const char *beside, const char *against)
{
    accuracy_table *t = c->table = cli_alloc(1, sizeof *t, "a table");
    words lines = {0};
    size_t room = 2 * c->entries, told = 0;
    if (beside)
        lines = published_lines(beside);
    for (size_t i = 0; i < lines.count; i++)
        for (const char *at = lines.word[i]; *at; at++)
            room += *at == ',';
    for (size_t i = 0; i < c->entries; i++)
        room += json_object_size(json_object_get(c->entry[i].result, "by"));
    if (room > MOST_CELLS)
        cli_fail("%zu numbers are too many for a table; %d can be shown", room, MOST_CELLS);
    t->cell = cli_alloc(room, sizeof *t->cell, "a table");
    t->against = against;
    int seconds = 0;
    for (size_t i = 0; i < lines.count && !seconds; i++)
        seconds = lines.word[i][0] != '#' && strstr(lines.word[i], ",seconds") != NULL;
    for (size_t i = 0; i < c->entries; i++)
        if (against)
            put_against(t, c, &c->entry[i]);
        else
            put_method(t, c, &c->entry[i], beside != NULL, seconds);
    if (against && t->cells == 0)
        cli_fail("no run has a number '%s'; --against takes the column that runs were shown by, or "
                 "a parameter such as nu-b",
                 against);
    if (against)
        qsort(t->row.word, t->row.count, sizeof *t->row.word, by_number);
    if (beside)
        put_paper(t, beside, &lines);
    for (size_t r = 0; r < c->runs && (beside || against); r++)
        note_run(t, c, r, &told);
}

json_t *accuracies_json(const accuracy_table *t)
{
    json_t *rows = sheet_json_list();
    for (size_t r = 0; r < t->row.count; r++) {
        json_t *cells = sheet_json_list();
        for (size_t k = 0; k < t->column.count; k++) {
            json_t *one = sheet_json_object();
            double deviation, mean = accuracies_at(t, r, k, 0, &deviation);
            sheet_json_set(one, "column", sheet_json_text(t->column.word[k]));
            sheet_json_set(one, accuracies_are_seconds(t, k) ? "seconds" : "accuracy",
                           sheet_json_real(mean));
            sheet_json_set(one, "deviation", sheet_json_real(deviation));
            mean = accuracies_at(t, r, k, 1, &deviation);
            sheet_json_set(one, "paper", sheet_json_real(mean));
            sheet_json_set(one, "paper_deviation", sheet_json_real(deviation));
            sheet_json_append(cells, one);
        }
        sheet_json_append(
            rows, json_pack("{s:o,s:o}", "row", sheet_json_text(t->row.word[r]), "cells", cells));
    }
    return rows;
}
