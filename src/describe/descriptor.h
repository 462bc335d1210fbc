/* descriptor.h - the interface every descriptor implements: from one input (an image, a motion
 * clip, a table of observations) to one or more SPD matrices.
 *
 * describe.c finds the inputs, hands each to the descriptor on some thread (with a context of that
 * thread: one thread, no progress, messages as usual but without the input's name, which
 * describe.c puts in front), and collects the matrices, labels and names. */
#ifndef SPD_DESCRIBE_DESCRIPTOR_H
#define SPD_DESCRIBE_DESCRIPTOR_H

#include <jansson.h>

#include "base/arena.h"
#include "base/context.h"
#include "ops/covariance.h"
#include "spdml-data.h"
#include "formats/image.h"
#include "formats/motion.h"
#include "formats/recording.h"

typedef enum input_kind { INPUT_TABLE = 0, INPUT_IMAGE, INPUT_MOTION } input_kind;

#define TIME_NAME_MAX 64 /* bytes, as in spd_describe_info */

/* What is described; the member of the descriptor's kind is set. */
typedef struct input {
    observations table;
    double rate;                    /* of the table, samples per second; 0: as the options say */
    const recording_events *events; /* in the table, or NULL */
    char *const *channel;           /* names of its columns, or NULL */
    const char *time;               /* a column that was left out (text_table.h), or NULL */
    const image *image;
    const motion *motion;
} input;

/* What came of one input: count matrices of one size; description_free frees. */
typedef struct description {
    size_t count, n;
    double *X; /* count x n x n */
    /* Further per-matrix numbers (where a rectangle or a window was), columns of them. */
    size_t columns;
    const char *const *column_name; /* columns texts that live as long as the program */
    double *column;                 /* count x columns */
    /* As in spd_describe_info: filled by description_count. */
    size_t few, fewest, fewest_rows, events_cut;
    char time[TIME_NAME_MAX]; /* the column of times that was left out; else empty */
    char **label;             /* count, where each matrix has one of its own; else NULL */
    size_t channels;
    char **channel; /* names of what the rows stand for, where they are known; else NULL */
    /* Means of the observations behind each matrix, and how many there are in each of the blocks on
     * its diagonal: description_mean. With W and several blocks, which are then added up, none. */
    size_t blocks; /* 0: means are not kept */
    double *mean;  /* count x n */
    double *seen;  /* count x blocks */
} description;

typedef struct descriptor {
    spd_descriptor kind;
    input_kind takes;

    /* *shared <- what all inputs need besides the options (filters), read only from then on, or
     * left alone. Complains about options that make no sense; a default regularisation is resolved
     * before, by spd_describe. */
    spd_status (*prepare)(spd_context *ctx, const spd_describe_options *options, void **shared);
    spd_status (*describe)(spd_context *ctx, const spd_describe_options *options,
                           const void *shared, const input *in, description *out);
    void (*release)(void *shared); /* takes NULL; NULL: nothing is shared */

    /* Puts its parameters into a JSON object; non-zero when out of memory. */
    int (*parameters)(const spd_describe_options *options, json_t *object);
} descriptor;

/* The descriptor of a kind; NULL for a number that is none. */
const descriptor *descriptor_of(spd_descriptor kind);

extern const descriptor descriptor_covariance; /* table.c */
extern const descriptor descriptor_sift_color; /* sift_color.c */
extern const descriptor descriptor_gabor;      /* gabor.c */
extern const descriptor descriptor_region;     /* region.c */
extern const descriptor descriptor_joints;     /* joints.c */

/* Makes room for count matrices of size n x n, of so many blocks, and columns numbers each; X is
 * zeroed. */
spd_status description_room(spd_context *ctx, const spd_covariance_options *covariance,
                            size_t count, size_t n, size_t blocks, size_t columns,
                            description *out);
void description_free(description *out);

/* *out <- what is complete, which a failure frees instead; returns the status. */
spd_status description_hand_over(spd_status status, description *made, description *out);

/* Keeps the mean (of all features, before any W) of block b of matrix k, of r observations. */
void description_mean(const spd_covariance_options *covariance, size_t k, size_t b, size_t r,
                      size_t features, const double *mean, description *out);

/* The covariance of matrix k of *out, with the means and description_count. */
spd_status description_fill(spd_context *ctx, const spd_covariance_options *covariance, size_t k,
                            size_t blocks, const observations *block, description *out);

/* Looks at the observations of one matrix of *out: are there enough for its rank? */
void description_count(const spd_covariance_options *covariance, size_t blocks,
                       const observations *block, description *out);

/* out->channel <- copies of the names of count channels. */
spd_status description_name(spd_context *ctx, size_t count, char *const *name, description *out);

void description_forget_names(description *out);

/* Keeps the one that lacks most of two; few are added. */
void description_join_counts(const description *made, spd_describe_info *all);

/* *out <- one matrix, the covariance of the blocks; untouched by a failure. */
spd_status description_of_blocks(spd_context *ctx, const spd_covariance_options *covariance,
                                 size_t blocks, const observations *block, description *out);

/* *some <- options->observations of them: every k-th from the first on, k as large as it can be. */
spd_status observations_thin(spd_context *ctx, const spd_describe_options *options,
                             const observations *all, arena *keep, observations *some);
/* Of `parameters`. */
int description_observations(const spd_describe_options *options, json_t *object);

/* Cell k, row after row, of a grid of rows x columns over an image; cells differ in size by a pixel
 * at most. */
spd_rect grid_cell(const image *in, size_t rows, size_t columns, size_t k);

/* ---- the record of a run: meta.c ------------------------------------------------------------- */

/* *rows <- {"joints": names, "parents": numbers, -1 for a root, "position": x y z of each in that
 * frame}, new; untouched where the clip has no names. Parents are left out where they are unknown.
 */
spd_status rows_of_clip(spd_context *ctx, const motion *clip, size_t frame, json_t **rows);

/* *rows <- {"channels": names}, new. */
spd_status rows_of_names(spd_context *ctx, size_t channels, char *const *name, json_t **rows);

/* *text <- how the matrices were made, as JSON; new. rows, what their rows are, may be NULL. */
spd_status meta_text(spd_context *ctx, const descriptor *how, const spd_describe_options *options,
                     size_t paths, const char *const *path, const spd_describe_info *skipped,
                     json_t *rows, char **text);

/* What the descriptor adds to the diagonal unless told otherwise. */
double defaults_regularize(spd_descriptor kind);

#endif
