/* text_table.c - see text_table.h. */
#include "describe/text_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "io/array.h"
#include "io/text.h"

#define OTHER_STEPS                                                                                \
    0.1 /* part of the rows that need not rise: rounding, and where a trial begins */

/* What is known while columns are chosen. */
typedef struct choosing {
    const csv_table *table;
    const char *aside;
    const char **name; /* columns, NULL those aside; NULL without a header */
    size_t *place;     /* columns: its channel, SIZE_MAX: none */
    size_t chosen;
    arena room; /* of the above */
} choosing;

void text_table_free(text_table *made)
{
    for (size_t c = 0; made->name && made->X && c < made->X->shape[1]; c++)
        mem_free(made->name[c]);
    mem_free(made->name);
    spd_array_free(made->X);
    *made = (text_table){0};
}

spd_status text_table_no_names(spd_context *ctx, int channels_first)
{
    return ctx_fail(ctx, SPD_EINVAL, "channels cannot be chosen by name: %s",
                    channels_first ? "where they are rows, no header names them"
                                   : "no header line names the columns of this table");
}

/* ---- names ----------------------------------------------------------------------------------- */

/* c->name <- what the header says, but for columns aside; columns without a name are called by
 * their number. */
static spd_status read_names(spd_context *ctx, const char *bytes, size_t size, choosing *c)
{
    csv_cursor walk;
    csv_cell cell;
    const size_t columns = c->table->columns;
    csv_start(&walk, bytes, size);
    if (c->table->start.at == walk.at)
        return SPD_OK;
    const size_t room = (size_t)(c->table->start.at - walk.at) + 24 * columns;
    char *pool = arena_alloc(&c->room, room, 1);
    c->name = arena_alloc(&c->room, columns, sizeof *c->name);
    spd_status status = arena_status(&c->room, ctx, "the names of channels");
    for (size_t j = 0; j < columns && status == SPD_OK; j++) {
        csv_next(&walk, &cell);
        size_t length = csv_copy(&cell, pool);
        if (length == 0)
            length = (size_t)snprintf(pool, 24, "column %zu", j + 1);
        c->name[j] = c->aside && c->aside[j] ? NULL : pool;
        pool += length + 1;
    }
    return status;
}

static spd_status choose_named(spd_context *ctx, const char *wanted, choosing *c)
{
    size_t *choice = arena_alloc(&c->room, c->table->columns, sizeof *choice);
    if (!c->name || !c->place)
        return text_table_no_names(ctx, 0);
    if (!choice)
        return ctx_nomem(ctx, "channels");
    spd_status status =
        channels_choose(ctx, wanted, c->table->columns, c->name, choice, &c->chosen);
    for (size_t k = 0; k < c->chosen && status == SPD_OK; k++)
        c->place[choice[k]] = k;
    return status;
}

/* ---- columns of times ------------------------------------------------------------------------ */

/* Is it called as times and row numbers are: "time", "Time (s)", "t_ms", "sample"? */
static int is_time_name(const char *name)
{
    static const char *const known[] = {"t",       "time",   "times",    "timestamp", "timestamps",
                                        "seconds", "sec",    "ms",       "zeit",      "zeitpunkt",
                                        "temps",   "tiempo", "tempo",    "sample",    "index",
                                        "row",     "frame",  "column 1", "Unnamed: 0"};
    char word[24];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (text_same(name, known[i]))
            return 1;
    const size_t length = strcspn(name, " ([_/");
    if (length == 0 || length >= sizeof word)
        return 0;
    memcpy(word, name, length);
    word[length] = '\0';
    return text_same(word, "t") || text_same(word, "time") || text_same(word, "zeit");
}

/* Do the values rise from row to row, but for a few? Clocks jitter: steps need not be equal. */
static int rises(size_t rows, size_t columns, const double *value)
{
    size_t others = 0;
    if (rows < 3)
        return 0;
    for (size_t i = 1; i < rows; i++)
        others += !(value[i * columns] > value[(i - 1) * columns]);
    return (double)others <= OTHER_STEPS * (double)(rows - 1);
}

/* X <- without a column. */
static void drop_channel(spd_array *X, size_t channel)
{
    const size_t n = X->shape[1];
    double *to = X->f64;
    for (size_t e = 0; e < X->shape[0] * n; e++)
        if (e % n != channel)
            *to++ = X->f64[e];
    X->shape[1]--;
    X->count = X->shape[0] * X->shape[1];
}

/* Leaves the first column of times out, unless it is all there is. */
static void drop_time(choosing *c, text_table *made)
{
    spd_array *X = made->X;
    for (size_t j = 0; c->name && c->place && j < c->table->columns && X->shape[1] > 1; j++) {
        const size_t at = c->place[j];
        if (at == SIZE_MAX || !is_time_name(c->name[j]) ||
            !rises(X->shape[0], X->shape[1], X->f64 + at))
            continue;
        text_plain(c->name[j], made->time, sizeof made->time);
        drop_channel(X, at);
        c->place[j] = SIZE_MAX;
        for (size_t k = j + 1; k < c->table->columns; k++)
            c->place[k] -= c->place[k] != SIZE_MAX;
        return;
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

static spd_status copy_names(spd_context *ctx, const choosing *c, text_table *made)
{
    if (!c->name || !c->place)
        return SPD_OK;
    made->name = mem_zero(made->X->shape[1], sizeof *made->name);
    int failed = !made->name;
    for (size_t j = 0; j < c->table->columns && !failed; j++)
        if (c->place[j] != SIZE_MAX)
            failed = !(made->name[c->place[j]] = mem_text(c->name[j]));
    return failed ? ctx_nomem(ctx, "the names of channels") : SPD_OK;
}

/* Does a column with a name hold nothing but text? It may be the labels. */
static int has_text(const choosing *c)
{
    int found = 0;
    for (size_t j = 0; c->name && c->place && j < c->table->columns; j++)
        found |= c->place[j] != SIZE_MAX && (c->table->seen[j] & CSV_TEXT) &&
                 !(c->table->seen[j] & CSV_NUMBER);
    return found;
}

static spd_status read_chosen(spd_context *ctx, const choosing *c, text_table *made)
{
    const size_t shape[2] = {c->table->rows, c->chosen};
    if (shape[0] == 0 || shape[1] == 0)
        return ctx_fail(ctx, SPD_EINVAL, "contains no observations%s",
                        c->aside ? " besides the group column" : "");
    spd_status status = array_new(ctx, SPD_TYPE_FLOAT64, 2, shape, &made->X);
    if (status == SPD_OK)
        status = csv_numbers_at(ctx, c->table, c->chosen, c->place, made->X->f64);
    return status == SPD_EFORMAT && has_text(c) ? ctx_advise(ctx, status, SPD_REMEDY_NAME_Y, 0.0)
                                                : status;
}

spd_status text_table_take(spd_context *ctx, const char *bytes, size_t size, const csv_table *table,
                           const char *aside, const char *wanted, text_table *made)
{
    choosing c = {.table = table, .aside = aside};
    text_table fresh = {0};
    c.place = arena_alloc(&c.room, table->columns, sizeof *c.place);
    spd_status status = c.place ? read_names(ctx, bytes, size, &c) : ctx_nomem(ctx, "a table");
    for (size_t j = 0; c.place && j < table->columns; j++)
        c.place[j] = wanted || (aside && aside[j]) ? SIZE_MAX : c.chosen++;
    if (status == SPD_OK && wanted)
        status = choose_named(ctx, wanted, &c);
    if (status == SPD_OK)
        status = read_chosen(ctx, &c, &fresh);
    if (status == SPD_OK && !wanted)
        drop_time(&c, &fresh);
    if (status == SPD_OK)
        status = copy_names(ctx, &c, &fresh);
    arena_free(&c.room);
    if (status < 0)
        text_table_free(&fresh);
    else
        *made = fresh;
    return status;
}
