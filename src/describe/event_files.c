/* event_files.c - the table of events that belongs to an input. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "describe/inputs.h"
#include "io/source.h"
#include "io/text.h"

/* How the names of tables end: as BIDS has it, and with commas. */
static const char *const tails[] = {"_events.tsv", "_events.csv"};
#define TAILS (sizeof tails / sizeof *tails)

static int ends_in(const char *path, size_t count, const char *const *ends)
{
    const size_t length = strlen(path);
    for (size_t t = 0; t < count; t++) {
        const size_t tail = strlen(ends[t]);
        if (length >= tail && strcmp(path + length - tail, ends[t]) == 0)
            return 1;
    }
    return 0;
}

int events_is_named(const char *path)
{
    return ends_in(path, TAILS, tails);
}

int events_is_beside(const char *path)
{
    static const char *const others[] = {"_channels.tsv", "_electrodes.tsv", "_scans.tsv",
                                         "_sessions.tsv", "participants.tsv"};
    return events_is_named(path) || ends_in(path, sizeof others / sizeof *others, others);
}

static spd_status read_table(spd_context *ctx, const char *path, recording_events *events)
{
    io_source *source;
    spd_status status = source_load(ctx, path, &source);
    if (status == SPD_OK) {
        status = events_parse(ctx, (const char *)source->bytes, source->size, events);
        source_free(source);
    }
    if (status < 0)
        ctx_prefix(ctx, path);
    return status;
}

/* The path without its ending, and without "_eeg", "_ieeg" or "_meg" before it: its length. */
static size_t stem_length(const char *path)
{
    static const char *const kinds[] = {"_eeg", "_ieeg", "_meg"};
    size_t length = strlen(path) - strlen(path_ending(path));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const size_t tail = strlen(kinds[k]);
        if (length > tail && memcmp(path + length - tail, kinds[k], tail) == 0)
            return length - tail;
    }
    return length;
}

/* "a/sub-01_task-x_eeg.edf" has its events in "a/sub-01_task-x_events.tsv". */
static spd_status read_beside(spd_context *ctx, const char *path, recording_events *events)
{
    const size_t stem = stem_length(path), room = stem + 16;
    spd_status status = SPD_OK;
    char *name = mem_alloc(room, 1);
    if (!name)
        return ctx_nomem(ctx, "a path");
    for (size_t t = 0; t < TAILS && events->count == 0 && status == SPD_OK; t++) {
        snprintf(name, room, "%.*s%s", (int)stem, path, tails[t]);
        if (access(name, F_OK) == 0)
            status = read_table(ctx, name, events);
    }
    mem_free(name);
    return status;
}

spd_status events_of_input(spd_context *ctx, const inputs *list, const item *what,
                           recording_events *events)
{
    const char *named = list->options->events;
    if (strcmp(named, "auto") != 0 && list->count > 1)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%.200s: a table of events is for one recording, but there are %zu inputs; "
                        "'auto' takes the table beside each",
                        named, list->count);
    if (strcmp(named, "auto") != 0)
        return read_table(ctx, named, events);
    return what->archive || what->array ? SPD_OK : read_beside(ctx, what->name, events);
}
