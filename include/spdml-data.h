/* spdml-data.h - the public face of libspdml-data: from files, images, motion capture and tables to
 * sets of symmetric positive definite matrices, and generated data. The conventions are those of
 * spdml.h, which this header includes. */
#ifndef SPDML_DATA_H
#define SPDML_DATA_H

#include "spdml.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- arrays and data sets in files --------------------------------------------------------- */

/* A path "-" is standard input, which is read whole into memory; its format is known by its
 * content, or else it is .csv. A file of that name is "./-". This holds for spd_data_load too.
 *
 * Reads one array, new, freed with spd_array_free, from .npy, .npz (name picks the member; NULL:
 * the only one), .mat (likewise; MATLAB's n x n x p becomes p x n x n, other arrays keep MATLAB's
 * shape; all are row-major here; cells of p matrices r x c are p x r x c, a field of structs is
 * "name.field"; what h5py wrote without MATLAB_class keeps its shape), or .csv (a numeric table).
 * SPD_EIO when the file changes while it is read; later changes do not reach the array. Integers of
 * any width become int64, bool too; float32 and float64 of either byte order become float64,
 * complex64 and complex128 SPD_COMPLEX128; bytes and unicode become text. */
SPD_API spd_status spd_array_read(spd_context *ctx, const char *path, const char *name,
                                  spd_array **array);

/* Writes arrays to path by its ending: .npy and .csv take one (two dimensions at most and no
 * complex numbers for .csv), .npz and .mat any number. The file appears atomically, or not at all.
 * The arrays may be the caller's own. */
SPD_API spd_status spd_arrays_write(spd_context *ctx, const char *path, size_t count,
                                    const spd_array *const *arrays);

/* A data set: p SPD matrices, optional labels, further per-sample arrays. Made by the library, may
 * grow; matrices of your own are written with spd_arrays_write. */
typedef struct spd_data {
    size_t p, n;
    double *X;      /* p x n x n */
    size_t classes; /* 0 without labels */
    int *label;     /* p class numbers 0 .. classes-1, or NULL */
    const char *
        *class_name; /* classes texts; ordered as numbers if all are numbers, else as text */
    spd_array *y;    /* the labels as they were read, with first dimension p, or NULL */
    size_t columns;  /* further arrays whose first dimension is p */
    spd_array **column;
    const char *source; /* the file's path, for messages */
    const char *meta;   /* how the matrices were made, JSON text; NULL if the file has none */
    spd_array *x;       /* the array that X lies in, with the name under which it was read */
    int hermitian; /* non-zero: the file holds complex Hermitian matrices, n/2 x n/2, and X their
                      real forms (spd_complex_embed); they are written as complex ones again */
} spd_data;

typedef struct spd_load_options {
    size_t size;
    const char *x_name; /* variable that holds the matrices; NULL: "X", or the only 3-d array */
    const char *y_name; /* variable that holds the labels; NULL: "y" if there is one */
    const char *labels; /* a file with the labels (.npy, .csv, .npz), or NULL */
    int symmetrize;     /* repair asymmetry instead of refusing it */
    double regularize;  /* adds this times tr(X)/n to the diagonal */
    double ridge;       /* adds this to the diagonal */
    int unchecked;      /* skip the checks for NaN, symmetry and positive definiteness */
    int anywhere;       /* a .list may name files outside its own folder */
} spd_load_options;

/* Reads a data set from .npz, .npy, .mat or .csv (one flattened n*n row per sample, header line
 * optional, a column named y or label holds labels). *data is new, freed with spd_data_free.
 * options NULL means all zero. The message of a failure names file, sample, cause and remedy. */
SPD_API spd_status spd_data_load(spd_context *ctx, const char *path,
                                 const spd_load_options *options, spd_data **data);
SPD_API void spd_data_free(spd_data *data);

/* The same for sets that need not fit into memory: an .npy file, or a .list (a text with the path
 * of an .npy file in each line, relative to its own folder and within it, or anywhere if
 * options->anywhere says so). *store has the matrices, which stay in their files (spd_store_open);
 * *data all else, with X NULL. Repairs are made as matrices are read, and checks are for whoever
 * reads them. options->labels may name a .list too. spd_data_load reads a .list as one set. */
SPD_API spd_status spd_data_open(spd_context *ctx, const char *path,
                                 const spd_load_options *options, spd_data **data,
                                 spd_store **store);

/* Writes X, y and the columns to .npz (with meta as its member meta.json) or .mat, X and y to .csv
 * (a header, then a row for each matrix), or X alone to .npy; atomically. */
SPD_API spd_status spd_data_save(spd_context *ctx, const spd_data *data, const char *path);

/* *selected <- the count samples of these numbers, in this order, with their labels and columns;
 * new, freed with spd_data_free. Classes are those that are left. */
SPD_API spd_status spd_data_select(spd_context *ctx, const spd_data *data, size_t count,
                                   const size_t *index, spd_data **selected);

/* *joined <- count sets one after the other, matrices of one size, all with labels of one kind or
 * all without; new, freed with spd_data_free. It has the columns that all of them have with the
 * same shape, and a column of the name `source`, unless that is NULL, with the path of each
 * sample's file. meta is the first one's where all have one: compare them before. */
SPD_API spd_status spd_data_join(spd_context *ctx, size_t count, const spd_data *const *sets,
                                 const char *source, spd_data **joined);

/* What is in a data set and what is wrong with it. Singular matrices are those that have a Cholesky
 * factor, but a condition number above 1e15: positive definite only by rounding. */
typedef struct spd_survey {
    size_t size;
    size_t not_finite, not_symmetric, not_definite; /* how many matrices, each counted once */
    size_t first_not_finite, first_not_symmetric, first_not_definite; /* SPD_NO_INDEX: none */
    double min_eigenvalue, max_eigenvalue;                            /* over all finite matrices */
    double max_condition; /* largest lambda_max/lambda_min; Inf if one is singular */
    double max_asymmetry; /* largest |x_ij - x_ji| / max|x| */
    size_t singular, first_singular;
    double first_eigenvalue; /* the smallest of first_not_definite; 0 if there is none */
    unsigned remedy;         /* what would help that matrix, as in spd_error */
    double remedy_value;
} spd_survey;
SPD_API spd_status spd_data_survey(spd_context *ctx, const spd_data *data, spd_survey *survey);

/* ---- descriptors ---------------------------------------------------------------------------- */

typedef enum spd_descriptor {
    SPD_DESCRIBE_COVARIANCE = 0, /* tables of observations, multichannel signals */
    SPD_DESCRIBE_SIFT_COLOR,     /* images: dense SIFT and colours of 3 x 3 patches */
    SPD_DESCRIBE_GABOR,          /* images: intensity, position, Gabor magnitudes */
    SPD_DESCRIBE_REGION,         /* images: Tuzel's features in rectangles */
    SPD_DESCRIBE_JOINTS,         /* motion capture: joint positions */
    SPD_DESCRIPTORS              /* how many there are */
} spd_descriptor;

/* "covariance", "sift-color", ... */
SPD_API const char *spd_descriptor_name(spd_descriptor kind);
SPD_API spd_status spd_descriptor_parse(spd_context *ctx, const char *name, spd_descriptor *kind);

/* A rectangle of an image. It will not change. */
typedef struct spd_rect {
    size_t x, y, width, height; /* pixels, from the upper left */
} spd_rect;

typedef enum spd_regions {
    SPD_REGIONS_WHOLE = 0, /* one block */
    SPD_REGIONS_HALVES,    /* whole, left half, right half */
    SPD_REGIONS_GRID       /* rows x columns cells */
} spd_regions;
SPD_API const char *spd_regions_name(spd_regions regions);
SPD_API spd_status spd_regions_parse(spd_context *ctx, const char *name, spd_regions *regions);

typedef enum spd_label_source {
    SPD_LABELS_AUTO = 0, /* the index file if given, else the arrays' y, else the folders if there
                            are several, else none */
    SPD_LABELS_FOLDER,   /* the name of the folder that a file is in */
    SPD_LABELS_PATTERN,  /* what (...) of the pattern matches in the file's name */
    SPD_LABELS_NONE
} spd_label_source;
SPD_API const char *spd_label_source_name(spd_label_source source);
SPD_API spd_status spd_label_source_parse(spd_context *ctx, const char *name,
                                          spd_label_source *source);

/* Everything that shapes a description; each descriptor reads its own part. Filled by
 * spd_describe_defaults for a descriptor. */
typedef struct spd_describe_options {
    size_t size;
    spd_covariance_options covariance;
    /* which inputs are what */
    spd_label_source labels;
    const char *index;   /* csv: first column the file, second the label, others columns; or an
                            array file, with a label for each input in their order; or NULL */
    const char *pattern; /* SPD_LABELS_PATTERN: an extended regular expression with one group */
    const char *x_name;  /* variable in array files; NULL: the obvious one */
    const char *y_name;
    int keep_going; /* skip and list a broken input instead of ending with its failure */
    /* images: sift-color, gabor, region */
    size_t width, height; /* resized to this; 0: as it is */
    int grey;             /* no colours */
    int keep_images;      /* the grey, resized images become the column `images` */
    /* sift-color */
    size_t step, bin; /* pixels: 4, 3 */
    double smooth;    /* deviation of a Gaussian before SIFT, pixels; 0: none */
    /* gabor */
    size_t scales, orientations; /* 5, 8 */
    double kmax, spacing, sigma; /* k_v = kmax / spacing^v; Gaussian envelope */
    spd_regions regions;
    size_t grid_rows, grid_columns; /* gabor's SPD_REGIONS_GRID, and cells of region */
    /* region */
    size_t rects; /* rectangles, each a matrix; 0: the grid's cells, else the whole image */
    const spd_rect *rect;
    /* joints */
    const char *asf;                /* skeleton for all .amc files; NULL: next to each */
    int center_root;                /* positions relative to the root joint */
    size_t first_frame, last_frame; /* half open; last 0: to the end */
    size_t pyramid;                 /* levels of the temporal pyramid; 1: the clip alone */
    /* covariance: signals */
    double rate;           /* samples per second; 1 when unknown */
    double window, stride; /* seconds; window 0: the whole table; stride 0: no overlap */
    size_t bands;          /* pass bands, stacked; 0: no filter */
    const double *band;    /* bands x 2: low and high edge in Hz */
    size_t order;          /* of the Butterworth filter; 4 */
    const char *group;     /* a column that says which rows of a long table belong together */
    int channels_first;    /* tables are channels x time, observations in columns */
    /* covariance: recordings (.edf, .bdf), which bring their rate, and events in signals */
    const char *channels; /* which, with commas between; NULL: all but annotations and triggers */
    const char *events;   /* one matrix for each event: a table (onset, duration, label in seconds),
                             or   "auto", the table beside each recording or else its annotations and
                             triggers; NULL: none */
    double epoch_from,
        epoch_to;            /* seconds from the onset; both 0: from the onset for the duration */
    const char *event_names; /* which, with commas between; NULL: all */
} spd_describe_options;

/* *options <- the defaults of a descriptor: the settings of the method's paper, if it has any. */
SPD_API void spd_describe_defaults(spd_descriptor kind, spd_describe_options *options, size_t size);

/* What a description should not hide: inputs that were skipped, and why; files that were passed
 * over; matrices of too few observations. Made by the library, may grow. */
typedef struct spd_failures {
    size_t count;
    const char **input; /* count names */
    spd_error **error;  /* count; each message begins with the input's name */
    size_t others;      /* files in folders and archives that are no inputs of this descriptor */
    const char **other; /* others names */
    /* Of r observations a covariance has rank r - 1 at most. Matrices with fewer observations than
     * that takes, which only shrinkage or regularisation make positive definite; and observations
     * and rows of the one that lacks most (of its block, where it has several). */
    size_t few, fewest, fewest_rows;
    size_t events_cut; /* events left out, because they do not lie within their recording */
} spd_failures;
SPD_API void spd_failures_free(spd_failures *failures);

/* *data <- the matrices of all inputs, with labels, a column `name` (which input) and further
 * columns, and the parameters as JSON in meta; new, freed with spd_data_free. Paths are files,
 * folders (searched recursively, in order of names) or archives (.tar, .tar.gz, .zip, ...), each
 * with what the descriptor takes: images (.png, .jpg, .tif, .webp, ...), motion clips (.amc with
 * .asf, .bvh, .c3d), tables (.csv, .npy) and recordings (.edf, .bdf); or arrays (.npz, .npy, .mat)
 * of several, whose further per-sample arrays are carried over. Inputs are described in parallel
 * and read as they are needed. options NULL means the defaults. With keep_going broken inputs are
 * skipped, and *failures, if failures is not NULL, lists them, and what was passed over or has too
 * few observations; new, freed with spd_failures_free. At least one input must be good. */
SPD_API spd_status spd_describe(spd_context *ctx, spd_descriptor kind, size_t count,
                                const char *const *paths, const spd_describe_options *options,
                                spd_data **data, spd_failures **failures);

/* ---- generated data -------------------------------------------------------------------------- */

typedef enum spd_synth_kind {
    SPD_SYNTH_SPD = 0,  /* SPD matrices: class signal in a planted subspace under nuisance */
    SPD_SYNTH_TEXTURES, /* colour images of materials, a folder per class */
    SPD_SYNTH_MOTION,   /* skeletons performing actions: .asf and .amc files, index.csv */
    SPD_SYNTH_FACES,    /* grey images of faces in poses, index.csv */
    SPD_SYNTH_KINDS     /* how many there are */
} spd_synth_kind;

/* What is generated; each kind reads its own part. The same seed gives the same data. */
typedef struct spd_synth_options {
    size_t size;
    uint64_t seed;
    size_t classes;    /* spd, textures: classes; motion: actions; faces: people */
    size_t samples;    /* spd, textures: per class; motion: repeats of an action by a subject */
    size_t n, planted; /* spd: size of the matrices, dimension of the planted subspace */
    double signal;     /* spd: distance between classes, on the scale of the variation within */
    double nuisance;   /* spd: variation outside the subspace */
    size_t side;       /* textures, faces: pixels */
    size_t subjects;   /* motion: people, of different proportions and styles */
    size_t frames;     /* motion: about so many per clip */
} spd_synth_options;

/* *options <- the defaults of a kind: the sizes of the paper's data sets. */
SPD_API void spd_synth_defaults(spd_synth_kind kind, spd_synth_options *options, size_t size);

/* "spd", "textures", ... */
SPD_API const char *spd_synth_name(spd_synth_kind kind);
SPD_API spd_status spd_synth_parse(spd_context *ctx, const char *name, spd_synth_kind *kind);

/* SPD_SYNTH_SPD: *data is new, with labels, freed with spd_data_free; planted (n x planted, or
 * NULL)
 * <- the subspace. */
SPD_API spd_status spd_synth_data(spd_context *ctx, const spd_synth_options *options,
                                  double *planted, spd_data **data);

/* The other kinds: writes files into a folder, which must be empty or not exist yet. After a
 * failure nothing is left behind. *files, if files is not NULL, <- how many were written. */
SPD_API spd_status spd_synth_files(spd_context *ctx, spd_synth_kind kind,
                                   const spd_synth_options *options, const char *folder,
                                   size_t *files);

/* ---- libraries beneath ----------------------------------------------------------------------- */

/* As spd_library_at, for the libraries that libspdml-data reads and writes files with. Those of
 * formats that the build leaves out are not among them. */
SPD_API int spd_data_library_at(size_t index, spd_library *library);

#ifdef __cplusplus
}
#endif
#endif
