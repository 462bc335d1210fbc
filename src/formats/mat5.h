/* mat5.h - the elements that a MATLAB file of version 5 consists of.
 *
 * Behind 128 bytes of header stand elements: a tag of type and length, 32 bits each, and the
 * content, padded to 8 bytes. One of up to 4 bytes may stand within its tag. A variable is an
 * element that holds others: flags, dimensions, name, data; in a cell array, one variable per cell.
 * At the outermost level an element may be packed by zlib, as -v7 does.
 *
 * Everything is read from front to back, never twice, and every length is checked against what is
 * left of the element around it: a file is read in time and memory that its unpacked size bounds.
 */
#ifndef SPD_FORMATS_MAT5_H
#define SPD_FORMATS_MAT5_H

#include "formats/mat.h"
#include "io/inflate.h"

#define MAT5_HEADER 128

enum { MI_INT32 = 5, MI_UINT32 = 6, MI_MATRIX = 14, MI_COMPRESSED = 15 };

/* The bytes of one outermost element, from the tag of its variable on. */
typedef struct mat5_stream {
    const unsigned char *bytes; /* plain ones; `left` of them are still to come */
    size_t left;                /* of packed ones: the most that zlib can make of the rest */
    int packed, swap;
    inflater in;
} mat5_stream;

/* The start of an element. */
typedef struct mat5_element {
    uint32_t type;
    size_t size;             /* of the content */
    size_t padding;          /* bytes behind it */
    unsigned char inside[4]; /* the content, where it stands in the tag */
    int is_inside;
} mat5_element;

/* Opens the outermost element at bytes (size, its tag included). mat5_end closes, whatever the
 * status. */
spd_status mat5_begin(spd_context *ctx, mat5_stream *stream, int swap, const unsigned char *bytes,
                      size_t size);
void mat5_end(mat5_stream *stream);

/* The next tag. *left: bytes left of the enclosing element; becomes what is left behind this one.
 */
spd_status mat5_tag(spd_context *ctx, mat5_stream *stream, size_t *left, mat5_element *element);

/* *piece <- the next size bytes of the content: where they are, or buffer (size bytes). */
spd_status mat5_piece(spd_context *ctx, mat5_stream *stream, const mat5_element *element,
                      size_t size, unsigned char *buffer, const unsigned char **piece);

/* Passes over bytes of the stream: `size` of content that is not wanted, and the padding. */
spd_status mat5_skip(spd_context *ctx, mat5_stream *stream, size_t size);

/* Is this the end of the stream, and its checksum, if it has one, right? */
spd_status mat5_check_end(spd_context *ctx, mat5_stream *stream);

/* The 32-bit number at p. */
uint32_t mat5_word(const mat5_stream *stream, const unsigned char *p);

/* How the content of elements of a type is stored; kind 0 for types that hold no numbers. */
mat_type mat5_type(const mat5_stream *stream, uint32_t type);

#endif
