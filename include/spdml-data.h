/* spdml-data.h - the public interface of libspdml-data: from files, images, motion capture and
 * tables to sets of symmetric positive definite matrices, and generated data. The conventions are
 * those of spdml.h, which this header includes. */
#ifndef SPDML_DATA_H
#define SPDML_DATA_H

#include "spdml.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- arrays and data sets in files ----------------------------------------------------------- */

/* *array (new, freed with spd_array_free) <- one array from a file:
 *   .npy
 *   .npz   name selects the member; NULL: the only one
 *   .mat   name selects the variable; "name.field" a field of structs. MATLAB's n x n x p becomes
 *          p x n x n, cells of p matrices r x c become p x r x c, other arrays keep MATLAB's shape;
 *          all are row-major here. Arrays that h5py wrote without MATLAB_class keep their shape
 *   .csv   a numeric table
 * Integers of any width and bool become int64; float32 and float64 of either byte order become
 * float64, complex64 and complex128 SPD_TYPE_COMPLEX128; bytes and unicode become text. SPD_EIO if
 * the file changes while it is read; later changes do not affect the array.
 *
 * The path "-" is standard input, which is read into memory entirely; its format is recognised by
 * its content, .csv otherwise. A file of that name is "./-". This applies to spd_data_load too. */
SPD_API spd_status spd_array_read(spd_context *ctx, const char *path, const char *name,
                                  spd_array **array);

/* Writes arrays to path, in the format of its ending: .npy and .csv take one (at most two
 * dimensions and no complex numbers in .csv), .npz and .mat any number. The file appears
 * atomically, or not at all. The arrays may be the caller's own. */
SPD_API spd_status spd_arrays_write(spd_context *ctx, const char *path, size_t count,
                                    const spd_array *const *arrays);

/* A data set: p SPD matrices, optional labels, further per-sample arrays. Made by the library, may
 * grow; write matrices of your own with spd_arrays_write. */
typedef struct spd_data {
    size_t p, n;
    double *X;               /* p x n x n */
    size_t classes;          /* 0 without labels */
    int *label;              /* p class numbers 0 .. classes-1, or NULL */
    const char **class_name; /* classes texts, in numerical order if all are numbers */
    spd_array *y;            /* the labels as read, with first dimension p, or NULL */
    size_t columns;          /* further arrays whose first dimension is p */
    spd_array **column;
    const char *source; /* the path of the file, for messages */
    const char *meta;   /* how the matrices were made, JSON text; NULL if the file has none */
    spd_array *x;       /* the array that contains X, with its name in the file */
    int hermitian; /* non-zero: the file has complex Hermitian matrices, n/2 x n/2, and X their real
                      forms (spd_complex_embed); they are written as complex matrices again */
    /* The observations whose covariances are X, as in spd_samples, from the columns feature_mean
     * and feature_count; NULL without these. */
    size_t blocks;
    const double *mean, *observations;
    int checked; /* the matrices have been tested as spd_check does, and are good */
} spd_data;

typedef struct spd_load_options {
    size_t size;
    const char *x_name; /* variable that contains the matrices; NULL: "X", or the only 3-d array */
    const char *y_name; /* variable that contains the labels; NULL: "y" if there is one */
    const char *labels; /* a file with the labels (.npy, .csv, .npz), or NULL */
    int symmetrize;     /* repair asymmetry instead of refusing it */
    double regularize;  /* adds this times tr(X)/n to the diagonal */
    int unchecked;      /* skip the checks for NaN, symmetry and positive definiteness */
    int anywhere;       /* a .list may name files outside its own folder */
} spd_load_options;

/* *data (new, freed with spd_data_free) <- a data set from .npz, .npy, .mat or .csv (one flattened
 * n*n row per sample, optional header line, labels in a column named y or label). options NULL
 * means all zero. The message of a failure names file, sample and cause; spd_error has remedies. */
SPD_API spd_status spd_data_load(spd_context *ctx, const char *path,
                                 const spd_load_options *options, spd_data **data);
SPD_API void spd_data_free(spd_data *data);

/* *samples <- the matrices, labels and class names of a data set, for training and predicting; the
 * data set still owns them. size: sizeof *samples. */
SPD_API void spd_data_samples(const spd_data *data, spd_samples *samples, size_t size);

/* The same for sets that need not fit into memory: an .npy file, or a .list (a text with the path
 * of an .npy file in each line, relative to its own folder and within it, or anywhere with
 * options->anywhere). *set has the matrices, which stay in their files (spd_set_open); *data has
 * the rest, with X NULL. Matrices are repaired as they are read; the functions that read them check
 * them. options->labels may name a .list too. spd_data_load reads a .list as one set. */
SPD_API spd_status spd_data_open(spd_context *ctx, const char *path,
                                 const spd_load_options *options, spd_data **data, spd_set **set);

/* Writes X, y and the columns to .npz (with meta as its member meta.json) or .mat, X and y to .csv
 * (a header, then a row for each matrix), or X alone to .npy; atomically. */
SPD_API spd_status spd_data_save(spd_context *ctx, const spd_data *data, const char *path);

/* *selected (new, freed with spd_data_free) <- the count samples with the numbers index, in this
 * order, with their labels and columns. Only classes that still have samples remain. */
SPD_API spd_status spd_data_select(spd_context *ctx, const spd_data *data, size_t count,
                                   const size_t *index, spd_data **selected);

/* *joined (new, freed with spd_data_free) <- count sets, one after the other: matrices of one size,
 * all with labels of one type or all without. It has the columns that all sets have with the same
 * shape and, unless `source` is NULL, a column of that name with the path of each sample's file. If
 * all sets have meta, it has the meta of the first: compare them before. */
SPD_API spd_status spd_data_join(spd_context *ctx, size_t count, const spd_data *const *sets,
                                 const char *source, spd_data **joined);

/* The contents and the defects of a data set. A matrix counts as singular if it has a Cholesky
 * factor, but a condition number above 1e15: it is positive definite only by rounding. */
typedef struct spd_survey {
    size_t size;
    size_t not_finite, not_symmetric, not_definite; /* numbers of matrices, each counted once */
    size_t first_not_finite, first_not_symmetric, first_not_definite; /* SPD_NO_INDEX: none */
    double min_eigenvalue, max_eigenvalue;                            /* over all finite matrices */
    double max_condition;            /* largest lambda_max/lambda_min; Inf if one is singular */
    double max_asymmetry;            /* largest |x_ij - x_ji| / max|x| */
    size_t singular, first_singular; /* definite, but the condition is above 1e15 */
    double first_eigenvalue;         /* the smallest of first_not_definite; 0 if there is none */
    unsigned remedy;                 /* for that matrix, as in spd_error */
    double remedy_value;
} spd_survey;
SPD_API spd_status spd_data_survey(spd_context *ctx, const spd_data *data, spd_survey *survey);

/* ---- descriptors ----------------------------------------------------------------------------- */

typedef enum spd_descriptor {
    SPD_DESCRIPTOR_COVARIANCE = 0, /* tables of observations, multichannel signals */
    SPD_DESCRIPTOR_SIFT_COLOR,     /* images: dense SIFT and colours of 3 x 3 patches */
    SPD_DESCRIPTOR_GABOR,          /* images: intensity, position, Gabor magnitudes */
    SPD_DESCRIPTOR_REGION,         /* images: Tuzel's features in rectangles */
    SPD_DESCRIPTOR_JOINTS,         /* motion capture: joint positions */
    SPD_DESCRIPTORS                /* how many there are */
} spd_descriptor;

/* A rectangle of an image. It will not change. */
typedef struct spd_rect {
    size_t x, y, width, height; /* pixels, from the upper left */
} spd_rect;

typedef enum spd_regions {
    SPD_REGIONS_WHOLE = 0, /* one block */
    SPD_REGIONS_HALVES,    /* whole, left half, right half */
    SPD_REGIONS_GRID       /* rows x columns cells */
} spd_regions;

/* Options of all descriptors; each reads its own part. Filled by spd_describe_defaults for a
 * descriptor. */
typedef struct spd_describe_options {
    size_t size;
    spd_covariance_options covariance;
    /* inputs and labels */
    const char *index;    /* csv: first column the file, second the label, others columns; or an
                             array file, with a label for each input in their order; or NULL */
    const char *label_by; /* without an index; "auto" (NULL): the arrays' y, else the folders if
                             there are several; "folder"; "none"; or a pattern of names, such as
                             "{subject}_{y}_{}": each {column} takes the text up to what follows */
    const char *x_name;   /* variable in array files; NULL: the obvious one */
    const char *y_name;
    int keep_going; /* skip and list a broken input instead of failing */
    /* images: sift-color, gabor, region */
    size_t width, height; /* resized to this; 0: as it is */
    int grey;             /* no colours */
    int keep_images;      /* the grey, resized images become the column `images` */
    /* sift-color */
    size_t step; /* pixels: 4 */
    /* gabor */
    size_t scales, orientations; /* 5, 8 */
    spd_regions regions;
    size_t grid_rows, grid_columns; /* gabor's SPD_REGIONS_GRID, and cells of region */
    /* region */
    size_t rects; /* rectangles, each a matrix; 0: the grid's cells, else the whole image */
    const spd_rect *rect;
    /* joints */
    const char *asf;                /* skeleton for all .amc files; NULL: next to each */
    int center_root;                /* positions relative to the root joint */
    size_t first_frame, last_frame; /* half open; last 0: to the end */
    size_t pyramid;                 /* levels of the temporal pyramid; 1: only the clip */
    /* covariance: signals */
    double rate;           /* samples per second; 1 if unknown */
    double window, stride; /* seconds; window 0: the whole table; stride 0: no overlap */
    size_t bands;          /* pass bands, stacked; 0: no filter */
    const double *band;    /* bands x 2: low and high edge in Hz */
    size_t order;          /* of the Butterworth filter; 4 */
    const char *group;     /* a column that tells which rows of a long table belong together */
    int channels_first;    /* tables are channels x time, observations in columns */
    /* covariance: recordings (.edf, .bdf), which have their own rate, and events in signals */
    const char *channels;        /* comma-separated names, from a recording or the header of a
                                    table; NULL: all but annotations, triggers and times */
    const char *events;          /* one matrix for each event: a table (onset, duration, label in
                                    seconds), or "auto": the table next to each recording, or else
                                    its annotations and triggers; NULL: none */
    double epoch_from, epoch_to; /* seconds from the onset; both 0: from the onset for the
                                    duration */
    const char *event_names;     /* comma-separated; NULL: all */
    /* joints */
    int overlap;         /* windows of the temporal pyramid overlap by half */
    int unit_range;      /* each axis is scaled to [0, 1] over all joints and frames of the clip */
    size_t observations; /* sift-color, covariance: so many, evenly spaced, of those that an input
                            has; 0: all */
} spd_describe_options;

/* *options <- the defaults of a descriptor: the settings of the method's paper, if any. */
SPD_API void spd_describe_defaults(spd_descriptor kind, spd_describe_options *options, size_t size);

/* Diagnostics of a description: skipped inputs and why, ignored files, matrices of too few
 * observations. Made by the library, may grow. */
typedef struct spd_describe_info {
    size_t count;       /* skipped inputs */
    const char **input; /* count names */
    spd_error **error;  /* count; each message begins with the name of the input */
    size_t others;      /* files in folders or archives that this descriptor cannot read */
    const char **other; /* others names */
    /* The covariance of r observations has rank r - 1 at most. `few` matrices have too few
     * observations, so that only shrinkage or regularisation makes them positive definite; the
     * worst has `fewest` observations of `fewest_rows` rows (of its block, if it has several). */
    size_t few, fewest, fewest_rows;
    size_t events_cut;    /* events left out because they do not lie within their recording */
    size_t times;         /* tables with a column of times, which was left out: it is no channel */
    char time_column[64]; /* its name in the first of them */
} spd_describe_info;
SPD_API void spd_describe_info_free(spd_describe_info *failures);

/* *data (new, freed with spd_data_free) <- the matrices of all inputs, with labels, a column `name`
 * (of the input), the means and numbers of the observations, further columns, and the parameters as
 * JSON in meta. Paths are files, folders (searched recursively, in order of names) or archives
 * (.tar, .tar.gz, .zip, ...) with inputs of the descriptor: images (.png, .jpg, .tif, .webp, ...),
 * motion clips (.amc with .asf, .bvh, .c3d), tables (.csv, .npy) and recordings (.edf, .bdf); or
 * arrays (.npz, .npy, .mat) of several inputs, whose further per-sample arrays become columns.
 * Inputs are described in parallel and read when they are needed. options NULL means the defaults.
 * keep_going skips broken inputs; at least one input must be good. *failures (new, freed with
 * spd_describe_info_free), unless failures is NULL, <- diagnostics. */
SPD_API spd_status spd_describe(spd_context *ctx, spd_descriptor kind, size_t count,
                                const char *const *paths, const spd_describe_options *options,
                                spd_data **data, spd_describe_info **failures);

/* ---- generated data -------------------------------------------------------------------------- */

typedef enum spd_synth_kind {
    SPD_SYNTH_SPD = 0,  /* SPD matrices: class signal in a planted subspace under nuisance */
    SPD_SYNTH_TEXTURES, /* colour images of materials, a folder per class */
    SPD_SYNTH_MOTION,   /* skeletons performing actions: .asf and .amc files, index.csv */
    SPD_SYNTH_FACES,    /* grey images of faces in poses, index.csv */
    SPD_SYNTH_KINDS     /* how many there are */
} spd_synth_kind;

/* Options of all kinds; each reads its own part. The same seed gives the same data. */
typedef struct spd_synth_options {
    size_t size;
    uint64_t seed;
    size_t classes;    /* spd, textures: classes; motion: actions; faces: people */
    size_t samples;    /* spd, textures: per class; motion: repeats of an action by a subject */
    size_t n, planted; /* spd: size of the matrices, dimension of the planted subspace */
    double signal;     /* spd: distance between classes, on the scale of the variation within */
    size_t side;       /* textures, faces: pixels */
    size_t subjects;   /* motion: people, of different proportions and styles */
    size_t frames;     /* motion: approximate number per clip */
} spd_synth_options;

/* *options <- the defaults of a kind: the sizes of the paper's data sets. */
SPD_API void spd_synth_defaults(spd_synth_kind kind, spd_synth_options *options, size_t size);

/* SPD_SYNTH_SPD: *data (new, freed with spd_data_free) <- matrices with labels; planted (n x
 * planted, or NULL) <- the subspace. */
SPD_API spd_status spd_synth_data(spd_context *ctx, const spd_synth_options *options,
                                  double *planted, spd_data **data);

/* The other kinds: writes files into a folder, which must be empty or not exist yet; a failure
 * leaves nothing behind. *files, unless files is NULL, <- the number of files written. */
SPD_API spd_status spd_synth_files(spd_context *ctx, spd_synth_kind kind,
                                   const spd_synth_options *options, const char *folder,
                                   size_t *files);

/* ---- libraries ------------------------------------------------------------------------------- */

/* As spd_library_at, for the libraries that libspdml-data reads and writes files with, without
 * those of formats that the build leaves out. */
SPD_API int spd_data_library_at(size_t index, spd_library *library);

#ifdef __cplusplus
}
#endif
#endif
