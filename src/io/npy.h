/* npy.h - numpy's .npy format: a magic word, a header in the form of a Python dictionary, and
 * the elements. Readers of other formats describe their elements by the same header and have
 * them decoded here. */
#ifndef SPD_IO_NPY_H
#define SPD_IO_NPY_H

#include "base/context.h"
#include "io/file.h"

/* Longest header that is read: ours has 128 bytes, numpy's own limit is 10000. */
#define NPY_MAX_HEADER 65536

/* What the header says. Sizes are checked: count and bytes fit into size_t. */
typedef struct npy_header {
    char kind;      /* 'f' 'c' 'i' 'u' 'b' 'S' 'U'; others cannot be decoded */
    char descr[24]; /* the type as written, cut, for messages */
    size_t width;   /* bytes of an element */
    int swap;       /* stored big-endian */
    int fortran;    /* first dimension fastest */
    size_t ndim;
    size_t shape[SPD_MAX_DIMS];
    size_t stride[SPD_MAX_DIMS]; /* elements from one to the next along each dimension */
    size_t count;                /* elements */
    size_t bytes;                /* count * width */
    size_t data_from;            /* where the elements start */
} npy_header;

/* The number of bytes before the elements, from the first 12 bytes (size of them are there). */
spd_status npy_prefix(spd_context *ctx, const unsigned char *bytes, size_t size, size_t *length);

/* Parses the header; bytes holds at least the header (size bytes are there). Whether the
 * elements are there too is for npy_decode's caller to check. */
spd_status npy_parse(spd_context *ctx, const unsigned char *bytes, size_t size, npy_header *header);

/* The header of a file whose elements are all there and of a type that is read. */
spd_status npy_read_header(spd_context *ctx, const io_source *source, npy_header *header);

/* Shape and whether it is readable, for the list of a file's arrays. */
void npy_describe(const npy_header *header, io_entry *entry);

/* Header and elements of an .npy image in memory. */
spd_status npy_read_memory(spd_context *ctx, const unsigned char *bytes, size_t size,
                           spd_array **array);

/* The same from a block of memory.h, which is taken over in any case: native elements stay in it,
 * else it is freed. */
spd_status npy_read_block(spd_context *ctx, unsigned char *bytes, size_t size, spd_array **array);

/* An .npy file ready to be written: a header (size multiple of 64), then the elements. */
typedef struct npy_image {
    char header[512];
    size_t header_size;
    const void *data; /* bytes of elements; belongs to the array, or is `owned` */
    size_t data_size;
    void *owned;
} npy_image;

/* Text becomes '<U', float64 '<f8', complex128 '<c16', int64 '<i8'. The array must live as long as
 * the image. */
spd_status npy_image_make(spd_context *ctx, const spd_array *array, npy_image *image);
void npy_image_free(npy_image *image);

#endif
