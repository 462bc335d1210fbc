/* data.h - loading a data set, step by step: data.c finds and reads the arrays,
 * labels.c makes classes of labels, data_check.c judges the matrices. */
#ifndef SPD_FORMATS_DATA_H
#define SPD_FORMATS_DATA_H

#include "base/arena.h"
#include "spdml-data.h"
#include "io/file.h"

/* Relative asymmetry that is taken for rounding. */
#define DATA_SYMMETRY 1e-10

/* Rows of the matrices as their file has them: complex ones are half as large as their real forms.
 */
static inline size_t data_size(const spd_data *data)
{
    return data->hermitian ? data->n / 2 : data->n;
}

/* data->classes, label and class_name <- from data->y (p labels). */
spd_status labels_classify(spd_context *ctx, spd_data *data);

/* Columns of the means of observations (p x n) and of their numbers (p x blocks). */
#define DATA_MEAN  "feature_mean"
#define DATA_COUNT "feature_count"

/* data->blocks, mean and observations <- from these columns, whose numbers become reals; none where
 * they are not there or do not suit the matrices. */
spd_status data_find_means(spd_context *ctx, spd_data *data);

/* The column of that name, or NULL. */
spd_array *data_column(const spd_data *data, const char *name);

/* *made (new) <- arrays of one dimension, one after the other; NULL where some are texts and others
 * numbers. */
spd_status data_join_arrays(spd_context *ctx, size_t count, spd_array *const *arrays,
                            spd_array **made);

/* Labels and further arrays of a file whose samples are in the entry x: data->y, classes and
 * columns, each with data->p rows; data->source names the file. */
spd_status data_read_extras(spd_context *ctx, io_file *file, const io_entry *x,
                            const spd_load_options *options, spd_data *data);

/* spd_data_load of a list of .npy files. */
spd_status data_load_list(spd_context *ctx, const char *path, const spd_load_options *options,
                          spd_data **data);

/* Has the path the ending of a list (list_file.c): a text that holds a path per line, relative to its
 * own folder; empty lines and those that begin with # do not count? */
int list_is(const char *path);

/* *paths (*count of them, in `keep`) <- the files of a list, or the file itself where it is none.
 * One that leads out of the folder of the list is refused, unless `anywhere` allows it. Messages
 * name the list. */
spd_status list_read(spd_context *ctx, const char *path, int anywhere, arena *keep,
                     const char *const **paths, size_t *count);

/* Repairs what the options ask for and refuses what is left: NaN or Inf, asymmetry, then
 * matrices that are not positive definite. Messages name sample, label, cause and remedy. */
spd_status data_check(spd_context *ctx, spd_data *data, const spd_load_options *options);

/* The remedy for one n x n matrix whose smallest eigenvalue is not above zero, or not above
 * rounding; *lift <- its value. */
unsigned data_remedy(size_t n, const double *X, double smallest, double *lift);

/* max |x_ij - x_ji| / max |x| of one n x n matrix, 0 for the zero matrix; NaN when an entry is
 * NaN or Inf. */
double data_asymmetry(size_t n, const double *X);

#endif
