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

/* Says that the file is; SPD_EFORMAT. */
spd_status mat5_damaged(spd_context *ctx);

/* The next tag. *left: bytes left of the enclosing element; becomes what is left behind this one.
 */
spd_status mat5_tag(spd_context *ctx, mat5_stream *stream, size_t *left, mat5_element *element);

/* Passes over bytes of the stream: `size` of content that is not wanted, and the padding. */
spd_status mat5_skip(spd_context *ctx, mat5_stream *stream, size_t size);

/* The 32-bit number at p. */
uint32_t mat5_word(const mat5_stream *stream, const unsigned char *p);

/* ---- variables ------------------------------------------------------------------------------ */

/* Room for a name; MATLAB's own limit is 63. */
#define MAT5_NAME 1024

/* Reads the start of a variable: var, its name (room for MAT5_NAME, cut there), and *inner, how
 * many bytes of it are left. *left: of the enclosing element. */
spd_status mat5_header(spd_context *ctx, mat5_stream *stream, size_t *left, mat_variable *var,
                       char *name, size_t *inner);

/* The first `room` bytes of an element of which no more are wanted. */
spd_status mat5_take(spd_context *ctx, mat5_stream *stream, const mat5_element *element,
                     unsigned char *out, size_t room);

/* The data of count numbers; that they are there is seen before memory is asked for. */
spd_status mat5_open_numbers(spd_context *ctx, mat5_stream *stream, size_t count, size_t *inner,
                             mat5_element *data, mat_type *stored);

/* Puts them into numbers from number `first` on, and passes over what is behind them. */
spd_status mat5_put_numbers(spd_context *ctx, mat5_stream *stream, const mat5_element *data,
                            size_t first, size_t count, mat_numbers *numbers);

/* Puts the imaginary parts of these numbers, which follow the real ones. */
spd_status mat5_imaginary(spd_context *ctx, mat5_stream *stream, size_t first, size_t count,
                          size_t *inner, mat_numbers *numbers);

/* The rows of a char matrix, of which only the data is left to read. */
spd_status mat5_chars(spd_context *ctx, mat5_stream *stream, const mat_variable *var, size_t *inner,
                      size_t file_size, mat_texts *texts);

/* Numbers or characters of a variable whose header was read. */
spd_status mat5_plain(spd_context *ctx, mat5_stream *stream, const mat_variable *var,
                      size_t file_size, size_t *inner, spd_array **array);

/* ---- cells and structs (mat5_values.c) ------------------------------------------------------- */

/* Where an array of the list is: a variable, or a field of one; and what was seen of it. */
typedef struct mat5_place {
    size_t at;    /* byte of its outermost element */
    size_t field; /* of structs; 0 for cells; SIZE_MAX: the variable itself */
    mat_variable made;
} mat5_place;

/* How the values of a variable lie: cells one after the other, structs field by field. */
typedef struct mat5_values {
    size_t count;  /* cells, or structs */
    size_t fields; /* 1 for cells */
    char *names;   /* fields x length, each with a NUL at its end; NULL for cells; mem_free */
    size_t length;
    size_t inner; /* bytes of the variable that are left */
} mat5_values;

/* Begins the list of a variable whose header was read. Its names are freed by the caller. */
spd_status mat5_values_begin(spd_context *ctx, mat5_stream *stream, size_t file_size,
                             const mat_variable *var, size_t inner, mat5_values *list);

/* *piles <- what the values of a list are, one for each field; new, freed with mem_free. */
spd_status mat5_values_survey(spd_context *ctx, mat5_stream *stream, mat5_values *list,
                              mat_pile **piles);

/* The variable that field f of a list makes: of a single struct, the field itself. */
mat_variable mat5_value_variable(const mat_variable *var, const mat5_values *list, size_t f,
                                 const mat_pile *piles);

/* Cells or a field of structs, of which only the header was read, as place->made says. */
spd_status mat5_values_read(spd_context *ctx, mat5_stream *stream, const mat_variable *var,
                            const mat5_place *place, size_t file_size, size_t *inner,
                            spd_array **array);

#endif
