/* data.h - the steps of loading a data set, one file each: data.c finds and reads the arrays,
 * labels.c makes classes of labels, data_check.c judges the matrices. */
#ifndef SPD_FORMATS_DATA_H
#define SPD_FORMATS_DATA_H

#include "base/context.h"
#include "spdml-data.h"
#include "io/file.h"

/* Relative asymmetry that is taken for rounding. */
#define DATA_SYMMETRY 1e-10

/* data->classes, label and class_name <- from data->y (p labels). */
spd_status labels_classify(spd_context *ctx, spd_data *data);

/* The column of that name, or NULL. */
spd_array *data_column(const spd_data *data, const char *name);

/* Labels and further arrays of a file whose samples are in the entry x: data->y, classes and
 * columns, each with data->p rows; data->source names the file. */
spd_status data_read_extras(spd_context *ctx, io_file *file, const io_entry *x,
                            const spd_load_options *options, spd_data *data);

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
