/* inputs.h - what is to be described: a list of inputs made from paths.
 *
 * A path is a file, a folder, an archive, or an array file that holds several inputs. Listing reads
 * no input, except arrays of several and what archives hold of skeletons; reading.c reads one
 * input when its turn has come. */
#ifndef SPD_DESCRIBE_INPUTS_H
#define SPD_DESCRIBE_INPUTS_H

#include "describe/arrays.h"
#include "describe/descriptor.h"
#include "spdml-data.h"

/* ---- which .asf belongs to which .amc: skeletons.c ---------------------------------------------
 *
 * The one given, or of those in the same folder, else in the nearest above it, the one whose stem is
 * the longest prefix of the clip's name. */

typedef struct bones {
    char *path;       /* where it is, archives included */
    skeleton *parsed; /* NULL: broken, and */
    spd_error fault;  /* why */
} bones;

typedef struct skeletons {
    int for_all; /* the first serves every clip */
    size_t count;
    bones *found;
    char *folder; /* the last that was searched for a clip */
} skeletons;

/* Reads the one that serves all. */
spd_status skeletons_give(spd_context *ctx, skeletons *all, const char *path);

/* Adds one from memory; a broken one is kept as such. */
spd_status skeletons_add(spd_context *ctx, skeletons *all, const char *path, const char *text,
                         size_t size);

/* Adds that in a file, likewise; `all` is of skeletons. */
spd_status skeletons_read(spd_context *ctx, void *all, const char *path);

/* Reads all beside a clip on disk. */
spd_status skeletons_beside(spd_context *ctx, skeletons *all, const char *clip);

/* *found <- the clip's own; SPD_EINVAL when there is none or when it is broken. Messages do not
 * name the clip. */
spd_status skeletons_find(spd_context *ctx, const skeletons *all, const char *clip,
                          const skeleton **found);
void skeletons_free(skeletons *all);

/* ---- the list -------------------------------------------------------------------------------- */

/* A file of its own, a file in an archive, or one of an array. */
typedef struct item {
    char *name;          /* "a/b.png", "data.zip/a/b.png", "faces.npz[17]" */
    const char *archive; /* its path, or NULL */
    array_source *array; /* or NULL */
    size_t index;        /* number of the member among the regular ones, or of the slice */
} item;

typedef struct inputs {
    input_kind takes;
    const spd_describe_options *options;
    size_t count;
    item *item;
    size_t arrays;
    array_source **array;
    skeletons bones;
    budget *images; /* the values of images that are being described at once */
    spd_describe_info *skipped;
    double reported; /* when progress was last told */
} inputs;

/* list <- all inputs of the paths (which must outlive it), in their order, then in order of names
 * or as they lie in an archive. Free in any case. */
spd_status inputs_list(spd_context *ctx, input_kind takes, const spd_describe_options *options,
                       size_t count, const char *const *paths, inputs *list);
void inputs_free(inputs *list);

/* Notes that an input is skipped, with the context's message, which begins with its name. */
spd_status inputs_skip(spd_context *ctx, inputs *list, const char *name);

/* Is it called as tables of events are: NAME_events.tsv or .csv? */
int events_is_named(const char *path);

/* Is it such a table, or another that BIDS puts beside recordings, which is no signal? */
int events_is_beside(const char *path);

/* *events <- of an input, as options->events says; none where they are the recording's own, or
 * there is nothing to be found. The message names the table. */
spd_status events_of_input(spd_context *ctx, const inputs *list, const item *what,
                           recording_events *events);

/* One input, read and decoded on the thread that describes it: reading.c */
typedef struct reading {
    input in; /* what the descriptor gets */
    /* What it points into; NULL where it is borrowed. */
    image *picture;
    motion *clip;
    recording *signals;
    recording_events events; /* of a table of events */
    spd_array *array;
    text_table text;
    double *turned;
    motion lent; /* a clip whose positions belong to an array */
} reading;

/* Reads an input; bytes (size of them) are those of an archive's member, else NULL. Messages do
 * not begin with the input's name. Close in any case. */
spd_status reading_open(spd_context *ctx, const inputs *list, const item *what,
                        const unsigned char *bytes, size_t size, reading *r);
void reading_close(reading *r);

#endif
