/* file.h - one face for every format: a file holds named arrays, listed first and read on demand.
 *
 * A format is one function that fills entries and two callbacks. Readers' messages do not name the
 * file; io_open and io_read put its path in front. */
#ifndef SPD_IO_FILE_H
#define SPD_IO_FILE_H

#include "base/context.h"
#include "io/outfile.h"
#include "io/source.h"

typedef enum io_format {
    FORMAT_NONE = 0,
    FORMAT_NPY,
    FORMAT_NPZ,
    FORMAT_MAT,
    FORMAT_CSV
} io_format;

typedef struct io_entry {
    char *name; /* NULL in formats without names */
    size_t ndim;
    size_t shape[SPD_MAX_DIMS];
    int readable;   /* zero: its type is one we cannot read */
    int is_complex; /* complex numbers, which only io_read_complex reads; readable is zero */
    size_t member;  /* the format's own number for it */
} io_entry;

typedef struct io_file io_file;
struct io_file {
    char *path; /* NULL when the content is lent */
    io_format format;
    io_source *source; /* where its content comes from; NULL where that is lent */
    size_t count;
    io_entry *entry; /* count entries */
    void *state;     /* the format's own */
    spd_status (*read)(spd_context *ctx, io_file *file, const io_entry *entry, spd_array **array);
    void (*close)(void *state);
};

/* Reads an entry; the array carries the entry's name. Complex numbers are refused. */
spd_status io_read(spd_context *ctx, io_file *file, const io_entry *entry, spd_array **array);

/* The same where the numbers may be complex. */
spd_status io_read_complex(spd_context *ctx, io_file *file, const io_entry *entry,
                           spd_array **array);

void io_close(io_file *file);

/* The entry of that name, or NULL. */
const io_entry *io_find(const io_file *file, const char *name);

/* "X, y, weights", cut to size. */
void io_names(const io_file *file, char *text, size_t size);

/* For formats: a further entry, like this one with a copy of name (or NULL). */
spd_status io_add_entry(spd_context *ctx, io_file *file, const char *name, const io_entry *like);

/* The formats of a model file: the array, or the arrays, of file->source; and those of an .npz in
 * memory, whose bytes must outlive the file. On failure they leave file->state to be closed. */
spd_status npy_open(spd_context *ctx, io_file *file);
spd_status npz_open_source(spd_context *ctx, io_file *file);
spd_status npz_open(spd_context *ctx, io_file *file, const unsigned char *bytes, size_t size);

/* Is the file an .npz with a member meta.json, the text that may stand beside the arrays? */
int npz_has_meta(const io_file *file);

/* *meta <- that text, new; NULL where there is none. */
spd_status npz_read_meta(spd_context *ctx, const io_file *file, char **meta);

/* Writers: all arrays into the temporary file of `out`. */
spd_status npy_write(spd_context *ctx, outfile *out, size_t count, const spd_array *const *arrays);
spd_status npz_write(spd_context *ctx, outfile *out, size_t count, const spd_array *const *arrays);
spd_status npz_write_with(spd_context *ctx, outfile *out, size_t count,
                          const spd_array *const *arrays, const char *meta);

/* Arrays with a text (JSON): how models and checkpoints are stored, as an .npz whose member
 * meta.json is the text. */
typedef struct io_bundle {
    io_file *file; /* where arrays are read from when they are asked for; NULL: all are there */
    size_t count;
    spd_array **array; /* count arrays, by name; NULL what was not read */
    char *meta;
} io_bundle;

/* Writes such a file, whatever its ending; it appears atomically, or not at all. */
spd_status bundle_write(spd_context *ctx, const char *path, size_t count,
                        const spd_array *const *arrays, const char *meta);

/* The same in memory: *bytes is new, freed with mem_free. */
spd_status bundle_write_memory(spd_context *ctx, size_t count, const spd_array *const *arrays,
                               const char *meta, unsigned char **bytes, size_t *size);

/* Opens one, new, and reads its text. Checksums of all that is read are checked. */
spd_status bundle_read(spd_context *ctx, const char *path, io_bundle **bundle);
void bundle_free(io_bundle *bundle);

/* The same for an .npz image in memory, which must outlive it; messages do not name a file. */
spd_status bundle_read_memory(spd_context *ctx, const unsigned char *bytes, size_t size,
                              io_bundle **bundle);

/* *array <- the array of that name, which the bundle keeps; NULL when it is not rows x columns:
 * what nobody asks for is not unpacked. SPD_EFORMAT when there is none. */
spd_status bundle_array(spd_context *ctx, const io_bundle *bundle, const char *name, size_t rows,
                        size_t columns, const spd_array **array);

#endif
