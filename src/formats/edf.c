/* edf.c - EDF, EDF+, BDF and BDF+ recordings; see recording.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "formats/recording.h"
#include "io/text.h"

#define HEADER       256
#define MOST_SIGNALS 4096
#define TRIGGER_BITS 0xffff

/* Where the fields of the signals are: bytes before a field, for one signal, and of it. */
enum {
    LABEL = 0,
    PHYSICAL_MIN = 104,
    PHYSICAL_MAX = 112,
    DIGITAL_MIN = 120,
    DIGITAL_MAX = 128,
    SAMPLES = 216,
    NUMBER = 8,
    NAME = 16
};

typedef enum signal_kind { SIGNAL_PLAIN, SIGNAL_TEXT, SIGNAL_TRIGGERS } signal_kind;

typedef struct edf_signal {
    char name[NAME + 1];
    signal_kind kind;
    size_t samples; /* in a record */
    size_t offset;  /* bytes before them in a record */
    double scale, shift;
} edf_signal;

typedef struct edf_file {
    spd_context *ctx;
    const unsigned char *bytes;
    size_t size, width; /* bytes of a sample */
    int plus;           /* EDF+ or BDF+ */
    size_t records, record_bytes, data;
    double seconds; /* of a record */
    double start;   /* of the first record, in the time of the annotations */
    size_t signals;
    edf_signal *signal;
    size_t chosen; /* channels */
    size_t *choice;
} edf_file;

static spd_status bad(const edf_file *f, const char *what)
{
    return ctx_fail(f->ctx, SPD_EFORMAT, "EDF: %s", what);
}

/* ---- the header ------------------------------------------------------------------------------ */

/* *value <- a field of text as a number. Non-zero: it is none. */
static int field_number(const edf_file *f, size_t at, size_t size, double *value)
{
    const char *from = (const char *)f->bytes + at;
    while (size > 0 && (from[size - 1] == ' ' || from[size - 1] == '\0'))
        size--;
    while (size > 0 && *from == ' ') {
        from++;
        size--;
    }
    return !text_number(from, size, value) || !isfinite(*value);
}

/* *value <- a whole number from least to most. */
static spd_status field_whole(const edf_file *f, size_t at, size_t size, double least, double most,
                              const char *what, double *value)
{
    if (field_number(f, at, size, value) || *value < least || *value > most ||
        *value != floor(*value))
        return ctx_fail(f->ctx, SPD_EFORMAT,
                        "EDF: the header's %s is not a whole number from %g to %g", what, least,
                        most);
    return SPD_OK;
}

static spd_status read_header(edf_file *f)
{
    double header = 0.0, records = 0.0, signals = 0.0;
    if (f->size < HEADER)
        return bad(f, "cut off within the header");
    const int bdf = memcmp(f->bytes,
                           "\xff"
                           "BIOSEMI",
                           8) == 0;
    if (!bdf && memcmp(f->bytes, "0       ", 8) != 0)
        return ctx_fail(f->ctx, SPD_EFORMAT, "is not a recording in EDF or BDF");
    f->width = bdf ? 3 : 2;
    f->plus = memcmp(f->bytes + 192, bdf ? "BDF+" : "EDF+", 4) == 0;
    spd_status status = field_whole(f, 252, 4, 1, MOST_SIGNALS, "number of signals", &signals);
    if (status == SPD_OK)
        status = field_whole(f, 184, NUMBER, HEADER, 1e9, "size of the header", &header);
    if (status == SPD_OK)
        status = field_whole(f, 236, NUMBER, -1, 1e9, "number of records", &records);
    if (status < 0)
        return status;
    f->signals = (size_t)signals;
    f->data = HEADER * (f->signals + 1);
    if ((size_t)header != f->data)
        return bad(f, "the size of the header does not fit the number of signals");
    if (f->size < f->data)
        return bad(f, "cut off within the header");
    if (field_number(f, 244, NUMBER, &f->seconds) || f->seconds < 0.0)
        return bad(f, "the length of a record is not a number of seconds");
    f->records = records < 0.0 ? SIZE_MAX : (size_t)records;
    return SPD_OK;
}

/* Where field `at` of signal s is. */
static size_t place(const edf_file *f, size_t at, size_t size, size_t s)
{
    return HEADER + at * f->signals + s * size;
}

static void read_name(const edf_file *f, size_t s, edf_signal *made)
{
    memcpy(made->name, f->bytes + place(f, LABEL, NAME, s), NAME);
    for (size_t i = NAME; i-- > 0 && (made->name[i] == ' ' || made->name[i] == '\0');)
        made->name[i] = '\0';
    made->kind =
        strcmp(made->name, "EDF Annotations") == 0 || strcmp(made->name, "BDF Annotations") == 0
            ? SIGNAL_TEXT
        : f->width == 3 && strcmp(made->name, "Status") == 0 ? SIGNAL_TRIGGERS
                                                             : SIGNAL_PLAIN;
}

/* physical = scale digital + shift */
static spd_status read_range(const edf_file *f, size_t s, edf_signal *made)
{
    double value[4];
    static const size_t at[] = {PHYSICAL_MIN, PHYSICAL_MAX, DIGITAL_MIN, DIGITAL_MAX};
    char plain[40];
    int wrong = 0;
    for (size_t k = 0; k < 4; k++)
        wrong |= field_number(f, place(f, at[k], NUMBER, s), NUMBER, &value[k]);
    if (wrong || !(value[3] > value[2]) || value[0] == value[1])
        return ctx_fail(f->ctx, SPD_EFORMAT, "EDF: signal %zu (%s) has no range of values", s + 1,
                        text_plain(made->name, plain, sizeof plain));
    made->scale = (value[1] - value[0]) / (value[3] - value[2]);
    made->shift = value[0] - made->scale * value[2];
    if (!isfinite(made->scale) || !isfinite(made->shift))
        return bad(f, "a range of values that is too large");
    return SPD_OK;
}

static spd_status read_signals(edf_file *f)
{
    spd_status status = SPD_OK;
    for (size_t s = 0; s < f->signals && status == SPD_OK; s++) {
        edf_signal *made = &f->signal[s];
        double samples = 0.0;
        read_name(f, s, made);
        if (made->kind == SIGNAL_PLAIN)
            status = read_range(f, s, made);
        if (status == SPD_OK)
            status = field_whole(f, place(f, SAMPLES, NUMBER, s), NUMBER, 0, 1e8,
                                 "number of samples in a record", &samples);
        made->samples = status == SPD_OK ? (size_t)samples : 0;
        made->offset = f->record_bytes;
        f->record_bytes += made->samples * f->width;
    }
    return status;
}

static spd_status check_records(edf_file *f)
{
    const size_t left = f->size - f->data;
    if (f->record_bytes == 0)
        return bad(f, "records hold no samples");
    if (f->records == SIZE_MAX) /* it was still being recorded */
        f->records = left / f->record_bytes;
    if (f->records == 0)
        return bad(f, "there are no records");
    if (left / f->record_bytes < f->records)
        return ctx_fail(f->ctx, SPD_EFORMAT,
                        "EDF: %zu records of %zu bytes are promised, but only %zu bytes follow the "
                        "header: cut off",
                        f->records, f->record_bytes, left);
    return SPD_OK;
}

/* ---- channels -------------------------------------------------------------------------------- */

static spd_status choose(edf_file *f, const char *wanted, arena *room)
{
    const char **name = arena_zero(room, f->signals, sizeof *name);
    spd_status status = arena_status(room, f->ctx, "channels");
    for (size_t s = 0; s < f->signals && status == SPD_OK; s++) {
        if (f->signal[s].kind != SIGNAL_PLAIN)
            continue;
        name[s] = f->signal[s].name;
        if (!wanted && f->signal[s].samples > 0)
            f->choice[f->chosen++] = s;
    }
    if (status == SPD_OK && wanted)
        status = channels_choose(f->ctx, wanted, f->signals, name, f->choice, &f->chosen);
    return status < 0 || f->chosen ? status : bad(f, "there are no channels");
}

static spd_status check_rates(const edf_file *f)
{
    const edf_signal *first = &f->signal[f->choice[0]];
    char one[40], two[40];
    for (size_t k = 0; k < f->chosen; k++) {
        const edf_signal *other = &f->signal[f->choice[k]];
        if (other->samples != first->samples || other->samples == 0)
            return ctx_fail(f->ctx, SPD_EINVAL,
                            "channels '%s' and '%s' have %zu and %zu samples in a record; name "
                            "channels of one rate",
                            text_plain(first->name, one, sizeof one),
                            text_plain(other->name, two, sizeof two), first->samples,
                            other->samples);
    }
    if (f->seconds == 0.0)
        return bad(f, "records have no length, so there is no sampling rate");
    return SPD_OK;
}

/* ---- samples --------------------------------------------------------------------------------- */

static int32_t sample_at(const unsigned char *p, size_t width)
{
    uint32_t value = (uint32_t)p[0] | (uint32_t)p[1] << 8;
    if (width == 3)
        value |= (uint32_t)p[2] << 16;
    const uint32_t sign = (uint32_t)1 << (8 * width - 1);
    return (int32_t)((value ^ sign) - sign);
}

static const unsigned char *samples_of(const edf_file *f, size_t record, const edf_signal *signal)
{
    return f->bytes + f->data + record * f->record_bytes + signal->offset;
}

static void read_samples(const edf_file *f, recording *made)
{
    for (size_t c = 0; c < f->chosen; c++) {
        const edf_signal *signal = &f->signal[f->choice[c]];
        double *to = made->signal + c;
        for (size_t r = 0; r < f->records; r++) {
            const unsigned char *from = samples_of(f, r, signal);
            for (size_t i = 0; i < signal->samples; i++, to += made->channels)
                *to = signal->scale * sample_at(from + i * f->width, f->width) + signal->shift;
        }
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Triggers: an event wherever the channel changes to something other than 0. */
static spd_status read_triggers(const edf_file *f, const edf_signal *signal, recording_events *to)
{
    spd_status status = SPD_OK;
    unsigned before = 0;
    for (size_t r = 0; r < f->records && status == SPD_OK; r++) {
        const unsigned char *from = samples_of(f, r, signal);
        for (size_t i = 0; i < signal->samples && status == SPD_OK; i++) {
            const unsigned now = (unsigned)sample_at(from + i * f->width, f->width) & TRIGGER_BITS;
            char text[12];
            if (now != before && now) {
                const double at = ((double)r + (double)i / (double)signal->samples) * f->seconds;
                snprintf(text, sizeof text, "%u", now);
                status = events_add(f->ctx, to, at, 0.0, text, strlen(text));
            }
            before = now;
        }
    }
    return status;
}

/* The number at *at, up to one of the marks; *at moves to it. Non-zero: there is none. */
static int take_time(const char *bytes, size_t size, size_t *at, double *value)
{
    size_t from = *at;
    while (*at < size && bytes[*at] != 0x14 && bytes[*at] != 0x15 && bytes[*at] != 0)
        (*at)++;
    if (*at == from || *at == size)
        return 1;
    if (bytes[from] == '+') /* onsets are written with a sign */
        from++;
    return !text_number(bytes + from, *at - from, value) || !isfinite(*value);
}

/* Texts of one list of annotations: onset [0x15 duration] 0x14 text 0x14 text 0x14 0. first: of its
 * record, then its first text is empty and its onset says when the record begins. */
static spd_status take_annotation(edf_file *f, const char *bytes, size_t size, size_t *at,
                                  size_t record, int first, recording_events *to)
{
    double onset = 0.0, duration = 0.0;
    int wrong = take_time(bytes, size, at, &onset);
    if (!wrong && bytes[*at] == 0x15) {
        ++*at;
        wrong = take_time(bytes, size, at, &duration) || duration < 0.0;
    }
    if (wrong || bytes[*at] != 0x14)
        return ctx_fail(f->ctx, SPD_EFORMAT, "EDF: record %zu has a damaged annotation",
                        record + 1);
    if (first && record == 0)
        f->start = onset;
    const double due = f->start + (double)record * f->seconds;
    if (first && fabs(onset - due) > 1e-3 + 1e-9 * due)
        return ctx_fail(f->ctx, SPD_EFORMAT,
                        "EDF: record %zu begins at %g s and not at %g s: there are gaps, which are "
                        "not supported; export the parts as files of their own",
                        record + 1, onset, due);
    spd_status status = SPD_OK;
    for (++*at; *at < size && bytes[*at] && status == SPD_OK; ++*at) {
        const size_t from = *at;
        while (*at < size && bytes[*at] != 0x14)
            ++*at;
        if (*at == size)
            return ctx_fail(f->ctx, SPD_EFORMAT, "EDF: record %zu has an annotation without an end",
                            record + 1);
        if (*at > from)
            status = events_add(f->ctx, to, onset - f->start, duration, bytes + from, *at - from);
    }
    return status;
}

static spd_status read_annotations(edf_file *f, const edf_signal *signal, int keeps_time,
                                   recording_events *to)
{
    const size_t size = signal->samples * f->width;
    spd_status status = SPD_OK;
    for (size_t r = 0; r < f->records && status == SPD_OK; r++) {
        const char *bytes = (const char *)samples_of(f, r, signal);
        int first = keeps_time;
        for (size_t at = 0; at < size && status == SPD_OK; at++) {
            if (!bytes[at])
                continue; /* unused bytes are zero */
            status = take_annotation(f, bytes, size, &at, r, first, to);
            first = 0;
        }
    }
    return status;
}

static spd_status read_events(edf_file *f, recording_events *to)
{
    spd_status status = SPD_OK;
    int keeps_time = f->plus;
    for (size_t s = 0; s < f->signals && status == SPD_OK; s++) {
        if (f->signal[s].kind == SIGNAL_TEXT && f->plus) {
            status = read_annotations(f, &f->signal[s], keeps_time, to);
            keeps_time = 0;
        } else if (f->signal[s].kind == SIGNAL_TRIGGERS) {
            status = read_triggers(f, &f->signal[s], to);
        }
    }
    return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

void recording_free(recording *made)
{
    if (!made)
        return;
    for (size_t c = 0; made->name && c < made->channels; c++)
        mem_free(made->name[c]);
    events_free(&made->events);
    mem_free(made->name);
    mem_free(made->signal);
    mem_free(made);
}

static spd_status make_recording(const edf_file *f, recording **made)
{
    const edf_signal *first = &f->signal[f->choice[0]];
    size_t cells = 0;
    recording *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(f->ctx, "a recording");
    *made = fresh;
    fresh->channels = f->chosen;
    fresh->samples = f->records * first->samples;
    fresh->rate = (double)first->samples / f->seconds;
    if (!mem_mul(fresh->samples, f->chosen, &cells))
        fresh->signal = mem_alloc(cells, sizeof *fresh->signal);
    fresh->name = mem_zero(f->chosen, sizeof *fresh->name);
    int good = fresh->signal && fresh->name;
    for (size_t c = 0; c < f->chosen && good; c++)
        good = (fresh->name[c] = mem_text(f->signal[f->choice[c]].name)) != NULL;
    return good ? SPD_OK : ctx_nomem(f->ctx, "a recording");
}

static spd_status parse(edf_file *f, const char *wanted, arena *room, recording **made)
{
    spd_status status = read_signals(f);
    if (status == SPD_OK)
        status = check_records(f);
    if (status == SPD_OK)
        status = choose(f, wanted, room);
    if (status == SPD_OK)
        status = check_rates(f);
    if (status == SPD_OK)
        status = make_recording(f, made);
    if (status == SPD_OK)
        status = read_events(f, &(*made)->events);
    if (status == SPD_OK)
        read_samples(f, *made);
    return status;
}

spd_status edf_parse(spd_context *ctx, const unsigned char *bytes, size_t size, const char *wanted,
                     recording **made)
{
    edf_file f = {.ctx = ctx, .bytes = bytes, .size = size};
    arena room = {0};
    recording *fresh = NULL;
    spd_status status = read_header(&f);
    if (status < 0)
        return status;
    f.signal = arena_zero(&room, f.signals, sizeof *f.signal);
    f.choice = arena_zero(&room, f.signals, sizeof *f.choice);
    status = arena_status(&room, ctx, "signals");
    if (status == SPD_OK)
        status = parse(&f, wanted, &room, &fresh);
    arena_free(&room);
    if (status < 0)
        recording_free(fresh);
    else
        *made = fresh;
    return status;
}
