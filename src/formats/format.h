/* format.h - opening a file of arrays by its ending or content, and the formats beside .npy and
 * .npz (io/file.h). */
#ifndef SPD_FORMATS_FORMAT_H
#define SPD_FORMATS_FORMAT_H

#include "io/file.h"
#include "spdml-data.h"

/* How the caller will use the file; it matters for .csv alone. */
typedef struct io_purpose {
    int data_set;       /* rows are matrices, a column may hold labels */
    const char *y_name; /* name of that column, or NULL */
} io_purpose;

/* Opens by ending, or by content where the ending says nothing. */
spd_status io_open(spd_context *ctx, const char *path, const io_purpose *purpose, io_file **file);

/* The formats: a .mat file with its path and source, and a .csv text in memory, whose bytes must
 * outlive the file. On failure they leave file->state to be closed. */
spd_status mat_open(spd_context *ctx, io_file *file);
spd_status csv_open(spd_context *ctx, io_file *file, const char *bytes, size_t size,
                    const io_purpose *purpose);

/* Writers: all arrays into the temporary file of `out`. */
spd_status mat_write(spd_context *ctx, outfile *out, size_t count, const spd_array *const *arrays);
spd_status csv_write(spd_context *ctx, outfile *out, size_t count, const spd_array *const *arrays);

#endif
