/* recording.h - multichannel recordings from files: EDF, EDF+, BDF and BDF+.
 *
 *   header   256 bytes of text: version, patient, recording, date, time, size of the header, kind,
 *            number of records, seconds of a record, number of signals
 *   signals  256 bytes of text each, field after field for all of them: label, transducer, unit,
 *            physical and digital range, filters, samples in a record
 *   records  for each signal its samples, 16 bits (EDF) or 24 (BDF), the low byte first
 *
 * A signal "EDF Annotations" holds texts: onset, duration and what happened; the first of every
 * record says when the record begins. BioSemi's channel "Status" holds triggers in its lower 16
 * bits. Every size is a claim, checked against the bytes that are there. */
#ifndef SPD_FORMATS_RECORDING_H
#define SPD_FORMATS_RECORDING_H

#include "base/context.h"

typedef struct recording_event {
    double onset, duration; /* seconds from the first sample; duration 0 where it is not known */
    char *label;            /* UTF-8 */
} recording_event;

typedef struct recording_events {
    size_t count;
    recording_event *event; /* count, as they stand in the file */
} recording_events;

typedef struct recording {
    size_t channels, samples;
    double rate;    /* samples per second */
    double *signal; /* samples x channels, in the file's units */
    char **name;    /* channels */
    recording_events events;
} recording;

/* *made <- the recording in memory, new. wanted: names of channels with commas between, in the
 * order in which they are to be; NULL: all but annotations and triggers. All must have one rate.
 * Messages do not name the file. */
spd_status edf_parse(spd_context *ctx, const unsigned char *bytes, size_t size, const char *wanted,
                     recording **made);
void recording_free(recording *made);

/* choice (count) <- the numbers of the channels that wanted names, with commas between and each once,
 * among count names (NULL: of no channel); *chosen <- how many. */
spd_status channels_choose(spd_context *ctx, const char *wanted, size_t count,
                           const char *const *name, size_t *choice, size_t *chosen);

/* Adds an event; the label, of that many bytes, is copied. SPD_EFORMAT when it is not UTF-8. */
spd_status events_add(spd_context *ctx, recording_events *events, double onset, double duration,
                      const char *label, size_t length);
void events_free(recording_events *events);

/* *events <- those of a table (.csv, .tsv) in memory with a header: onset, and where they are there
 * duration and label (or trial_type, type, description, value); in seconds, as BIDS has them. */
spd_status events_parse(spd_context *ctx, const char *bytes, size_t size, recording_events *events);

#endif
