/* mat.h - MATLAB's variables: what the readers of version 5 (mat5.c) and 7.3 (mat73.c) share.
 *
 * Both versions store the first dimension fastest. A(:,:,k) becomes element k of the array's first
 * dimension: n x n x p is read as p x n x n, r x c stays r x c. So a variable is a sequence of
 * pages r x c, in the order in which we want them, each of which is transposed. */
#ifndef SPD_FORMATS_MAT_H
#define SPD_FORMATS_MAT_H

#include "base/context.h"
#include "io/file.h"

typedef enum mat_kind {
    MAT_OTHER,   /* object, function handle, ... */
    MAT_EMPTY,   /* a cell without a value */
    MAT_NUMBERS, /* logical included */
    MAT_CHARS,
    MAT_CELLS,
    MAT_STRUCTS,
    MAT_STRINGS, /* of HDF5, not MATLAB's own */
    MAT_SPARSE
} mat_kind;

/* How a number is stored: kind 'f' 'i' 'u' as in npy.h, '8' for the bytes of UTF-8, 0 unknown. */
typedef struct mat_type {
    char kind;
    unsigned char width; /* in bytes */
    int swap;            /* big-endian */
} mat_type;

/* What a file says of a variable before its elements are read. */
typedef struct mat_variable {
    mat_kind kind;
    mat_type type;             /* of numbers: MATLAB's class; they may be stored as another */
    int is_complex;            /* numbers have imaginary parts */
    int text;                  /* of cells: all are char rows or empty */
    int row_major;             /* not by MATLAB: the last dimension is the fastest, dims are ours */
    size_t rank;               /* may be more than can be read */
    size_t dims[SPD_MAX_DIMS]; /* the first ones, as MATLAB has them */
} mat_variable;

/* Refuses numbers of dimensions that are not supported, and sizes that overflow or that a file of
 * so many bytes cannot hold. *count <- the number of elements. */
spd_status mat_check_size(spd_context *ctx, size_t file_size, const mat_variable *var,
                          size_t *count);

/* Says why a variable cannot be read. */
spd_status mat_refuse(spd_context *ctx, const mat_variable *var);

/* Is it of a kind that can be read? */
int mat_is_readable(const mat_variable *var);

/* shape (rank) <- ours: pages in front, in reversed order; each page r x c as MATLAB shows it. What
 * is row-major stays as it is. */
void mat_shape(const mat_variable *var, size_t *shape);

/* Adds a variable to the list of the file's arrays; member is for the reader. */
spd_status mat_list(spd_context *ctx, io_file *file, const char *name, const mat_variable *var,
                    size_t member);

/* Is a cell with such a content a text, or nothing? */
int mat_is_text_cell(const mat_variable *cell);

/* ---- cells and fields ----------------------------------------------------------------------- */

/* The values of cells, or of one field of several structs, as far as they were looked at. */
typedef struct mat_pile {
    size_t count;
    int text;          /* all are texts, or nothing */
    int numbers;       /* all are matrices of one size */
    mat_variable like; /* the first one; its type is one that holds all */
} mat_pile;

/* Looks at a further value. */
void mat_pile_see(mat_pile *pile, const mat_variable *value);

/* The variable that the values of `cells` make: p matrices r x c are r x c x p numbers, p scalars a
 * column; texts stay cells. What is neither is cells that are no text, which cannot be read. */
mat_variable mat_pile_variable(const mat_pile *pile, const mat_variable *cells);

/* Is it a value of such numbers? */
int mat_pile_fits(const mat_variable *var, const mat_variable *value);

/* ---- the versions -------------------------------------------------------------------------- */

spd_status mat5_open(spd_context *ctx, io_file *file);
spd_status mat73_open(spd_context *ctx, io_file *file);

/* ---- numbers -------------------------------------------------------------------------------- */

/* An array that is being filled. */
typedef struct mat_numbers {
    spd_array *array; /* float64, int64 or complex128 */
    mat_type stored, type;
    size_t pitch;         /* bytes from one stored element to the next */
    size_t lane, lanes;   /* of complex numbers: the part that is put, 1 for the imaginary, of 2 */
    size_t rows, columns; /* of a page */
} mat_numbers;

/* Makes the array of a variable whose size was checked; its elements are not set yet, or zero where
 * they are complex. Elements are stored one behind the other, real parts first. */
spd_status mat_numbers_begin(spd_context *ctx, const mat_variable *var, mat_type stored,
                             mat_numbers *numbers);

/* The count elements from element `first` of the file's order on; of complex ones, one of the two
 * parts (lane). */
spd_status mat_numbers_put(spd_context *ctx, mat_numbers *numbers, size_t first, size_t count,
                           const unsigned char *bytes);

/* ---- texts ---------------------------------------------------------------------------------- */

/* Texts that are being gathered, in the order of the file. All zero is an empty list. */
typedef struct mat_texts {
    char *pool; /* the texts, each with a NUL */
    size_t used, room;
    size_t *start; /* count: where in the pool each begins */
    size_t count;
} mat_texts;

/* Adds the rows of a char matrix, trailing blanks removed, from its characters (size bytes, first
 * dimension fastest). Without columns the rows are empty texts, at most as many as most_empty. */
spd_status mat_texts_add(spd_context *ctx, mat_texts *texts, const mat_variable *chars,
                         mat_type stored, const unsigned char *bytes, size_t size,
                         size_t most_empty);

/* *array <- the texts: those of a char matrix (a vector), or those of a cell array. */
spd_status mat_texts_array(spd_context *ctx, const mat_texts *texts, const mat_variable *var,
                           spd_array **array);
void mat_texts_free(mat_texts *texts);

#endif
