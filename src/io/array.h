/* array.h - life of an spd_array, and walks over storage of another order.
 *
 * Counts come from file headers, so every product is checked before memory is asked for. Text
 * arrays own one block: count pointers, then the characters they point to. */
#ifndef SPD_IO_ARRAY_H
#define SPD_IO_ARRAY_H

#include "base/context.h"

/* What spd_array_free frees: a public array, and the block that its f64 lies in where that does not
 * begin one, or NULL. */
typedef struct held_array {
    spd_array array; /* first: a pointer to it is one to the whole */
    void *block;
} held_array;

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "readers swap for little-endian hosts");
_Static_assert(sizeof(double) == 8 && sizeof(float) == 4, "IEEE 754 storage is assumed");

/* *count <- product of the shape; non-zero when it does not fit. A zero anywhere gives zero. */
int array_count(size_t ndim, const size_t *shape, size_t *count);

/* Bytes of a number of that type. */
size_t array_width(spd_type type);

/* A new array of float64, int64 or complex128 elements, uninitialised. */
spd_status array_new(spd_context *ctx, spd_type type, size_t ndim, const size_t *shape,
                     spd_array **array);

/* The same around a block that the array takes over on success: data, count float64 or complex128.
 */
spd_status array_adopt(spd_context *ctx, spd_type type, size_t ndim, const size_t *shape,
                       double *data, spd_array **array);

/* A new text array with room for `bytes` characters (terminators included) at *pool. The caller
 * fills the pool and sets the pointers. */
spd_status array_new_text(spd_context *ctx, size_t ndim, const size_t *shape, size_t bytes,
                          spd_array **array, char **pool);

/* *array <- a new array that is complete, which a failure frees instead; returns the status. */
spd_status array_hand_over(spd_status status, spd_array *fresh, spd_array **array);

/* Gives the array a name (a copy; NULL removes it). */
spd_status array_rename(spd_context *ctx, spd_array *array, const char *name);

/* The array as float64: converted in place from int64. SPD_EINVAL for others. */
spd_status array_to_float(spd_context *ctx, spd_array *array);

/* Non-zero when at most one dimension differs from 1. */
int array_is_vector(size_t ndim, const size_t *shape);

/* "200 x 93 x 93" into text, cut to size. */
void array_shape_text(size_t ndim, const size_t *shape, char *text, size_t size);

/* A walk over all elements in row-major order that knows where each one lies in a storage with
 * the given strides (in elements). */
typedef struct array_walk {
    size_t ndim;
    size_t shape[SPD_MAX_DIMS], stride[SPD_MAX_DIMS], at[SPD_MAX_DIMS];
    size_t offset;
} array_walk;

void walk_start(array_walk *walk, size_t ndim, const size_t *shape, const size_t *stride);

/* The offset of the present element; then on to the next. */
size_t walk_next(array_walk *walk);

/* Strides (ndim) of the first-dimension-fastest order that Fortran uses. */
void walk_fortran(size_t ndim, const size_t *shape, size_t *stride);

#endif
