/* events.c - what happened when: lists of events, and tables of them; channels by name. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "formats/csv.h"
#include "formats/recording.h"
#include "io/text.h"

spd_status events_add(spd_context *ctx, recording_events *events, double onset, double duration,
                      const char *label, size_t length)
{
    recording_event *grown = mem_list(events->event, events->count, sizeof *grown);
    char *own = grown ? mem_part(label, length) : NULL;
    events->event = grown ? grown : events->event;
    if (!own)
        return ctx_nomem(ctx, "a list of events");
    if (utf8_length(own) == SIZE_MAX || strlen(own) != length) {
        mem_free(own);
        return ctx_fail(ctx, SPD_EFORMAT, "event %zu has a label that is not UTF-8 text",
                        events->count + 1);
    }
    events->event[events->count++] = (recording_event){onset, duration, own};
    return SPD_OK;
}

void events_free(recording_events *events)
{
    for (size_t i = 0; i < events->count; i++)
        mem_free(events->event[i].label);
    mem_free(events->event);
    *events = (recording_events){0};
}

/* ---- channels -------------------------------------------------------------------------------- */

static spd_status no_channel(spd_context *ctx, const char *wanted, size_t length, size_t count,
                             const char *const *name)
{
    char text[40] = "", plain[60], each[24], list[300] = "";
    size_t used = 0;
    memcpy(text, wanted, length < sizeof text - 1 ? length : sizeof text - 1);
    for (size_t i = 0; i < count && used + 30 < sizeof list; i++)
        if (name[i])
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     text_plain(name[i], each, sizeof each));
    return ctx_fail(ctx, SPD_EINVAL, "there is no channel '%s'; there are %s",
                    text_plain(text, plain, sizeof plain), list);
}

spd_status channels_choose(spd_context *ctx, const char *wanted, size_t count,
                           const char *const *name, size_t *choice, size_t *chosen)
{
    char plain[60];
    for (*chosen = 0; *wanted; ++*chosen) {
        const size_t length = strcspn(wanted, ",");
        size_t i = 0;
        while (i < count &&
               !(name[i] && strlen(name[i]) == length && memcmp(name[i], wanted, length) == 0))
            i++;
        if (i == count)
            return no_channel(ctx, wanted, length, count, name);
        for (size_t k = 0; k < *chosen; k++)
            if (choice[k] == i)
                return ctx_fail(ctx, SPD_EINVAL, "channel '%s' is named twice",
                                text_plain(name[i], plain, sizeof plain));
        choice[*chosen] = i;
        wanted += length + (wanted[length] == ',');
    }
    return SPD_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

#define MOST_LABEL 1000

/* The columns of a table; SIZE_MAX where there is none. */
typedef struct event_columns {
    size_t count, onset, duration, label;
} event_columns;

static int is_named(const csv_cell *cell, const char *name)
{
    char text[40];
    if (cell->size >= sizeof text)
        return 0;
    csv_copy(cell, text);
    return text_same(text, name);
}

/* Names of the column of labels, the best one first. */
static const char *const label_names[] = {"label", "trial_type", "type",  "description",
                                          "event", "class",      "value", "y"};

static spd_status read_header(spd_context *ctx, csv_cursor *walk, event_columns *found)
{
    csv_cell cell = {0};
    size_t best = sizeof label_names / sizeof *label_names;
    *found = (event_columns){0, SIZE_MAX, SIZE_MAX, SIZE_MAX};
    while (!cell.last && csv_next(walk, &cell) == CSV_CELL) {
        if (is_named(&cell, "onset"))
            found->onset = cell.column;
        if (is_named(&cell, "duration"))
            found->duration = cell.column;
        for (size_t k = 0; k < best; k++)
            if (is_named(&cell, label_names[k])) {
                best = k;
                found->label = cell.column;
            }
        found->count = cell.column + 1;
    }
    if (found->onset == SIZE_MAX || found->label == SIZE_MAX)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "is no table of events: its first line must name the columns onset, "
                        "label (or trial_type) and, if known, duration");
    return SPD_OK;
}

static spd_status bad_cell(spd_context *ctx, const csv_cell *cell, const char *what)
{
    return ctx_fail(ctx, SPD_EFORMAT, "line %zu, column %zu: %s", cell->line, cell->column + 1,
                    what);
}

/* One cell of a row into the event that is being read. */
static spd_status take_cell(spd_context *ctx, const event_columns *at, const csv_cell *cell,
                            recording_event *event, char *label)
{
    double value = 0.0;
    const int number = text_number(cell->from, cell->size, &value) && isfinite(value);
    if (cell->column == at->onset && !number)
        return bad_cell(ctx, cell, "the onset is not a number of seconds");
    if (cell->column == at->onset)
        event->onset = value;
    if (cell->column == at->duration && number && value < 0.0)
        return bad_cell(ctx, cell, "the duration is negative");
    if (cell->column == at->duration)
        event->duration = number ? value : 0.0; /* BIDS: n/a */
    if (cell->column == at->label && cell->size >= MOST_LABEL)
        return bad_cell(ctx, cell, "the label is too long");
    if (cell->column == at->label)
        csv_copy(cell, label);
    return SPD_OK;
}

spd_status events_parse(spd_context *ctx, const char *bytes, size_t size, recording_events *events)
{
    recording_events found = {0};
    recording_event event = {0};
    event_columns at;
    csv_cursor walk;
    csv_cell cell;
    csv_step step = CSV_END;
    char label[MOST_LABEL + 1];
    if (memchr(bytes, 0, size))
        return ctx_fail(ctx, SPD_EFORMAT, "is not a text file (it contains NUL bytes)");
    csv_start(&walk, bytes, size);
    spd_status status = read_header(ctx, &walk, &at);
    while (status == SPD_OK && (step = csv_next(&walk, &cell)) == CSV_CELL) {
        if (cell.column >= at.count || (cell.last && cell.column + 1 < at.count))
            status = bad_cell(ctx, &cell, "the line has not as many cells as the first");
        else
            status = take_cell(ctx, &at, &cell, &event, label);
        if (status == SPD_OK && cell.last)
            status = events_add(ctx, &found, event.onset, event.duration, label, strlen(label));
    }
    if (status == SPD_OK && step != CSV_END)
        status = bad_cell(ctx, &cell, "a quote is not closed, or something follows one");
    if (status == SPD_OK && found.count == 0)
        status = ctx_fail(ctx, SPD_EFORMAT, "holds no events");
    if (status < 0)
        events_free(&found);
    else
        *events = found;
    return status;
}
