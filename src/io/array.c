/* array.c - making, naming, converting and freeing arrays. */
#include "io/array.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

int array_count(size_t ndim, const size_t *shape, size_t *count)
{
    size_t product = 1;
    for (size_t d = 0; d < ndim; d++)
        if (shape[d] == 0)
            product = 0;
    for (size_t d = 0; d < ndim; d++)
        if (mem_mul(product, shape[d], &product))
            return 1;
    *count = product;
    return 0;
}

/* An array without elements' memory. */
static spd_status bare_array(spd_context *ctx, spd_type type, size_t ndim, const size_t *shape,
                             spd_array **array)
{
    size_t count;
    if (ndim > SPD_MAX_DIMS || array_count(ndim, shape, &count))
        return ctx_fail(ctx, SPD_EFORMAT, "an array of %zu dimensions is too large", ndim);
    held_array *held = mem_zero(1, sizeof *held);
    if (!held)
        return ctx_nomem(ctx, "an array");
    spd_array *bare = &held->array;
    bare->type = type;
    bare->ndim = ndim;
    bare->count = count;
    if (ndim)
        memcpy(bare->shape, shape, ndim * sizeof *shape);
    *array = bare;
    return SPD_OK;
}

size_t array_width(spd_type type)
{
    return type == SPD_TYPE_COMPLEX128 ? 16 : 8;
}

spd_status array_new(spd_context *ctx, spd_type type, size_t ndim, const size_t *shape,
                     spd_array **array)
{
    spd_array *fresh;
    spd_status status = bare_array(ctx, type, ndim, shape, &fresh);
    if (status < 0)
        return status;
    void *data = mem_alloc(fresh->count, array_width(type));
    if (!data) {
        char text[80];
        array_shape_text(ndim, shape, text, sizeof text);
        spd_array_free(fresh);
        return ctx_fail(ctx, SPD_ENOMEM, "out of memory for an array of %s numbers", text);
    }
    if (type == SPD_TYPE_INT64)
        fresh->i64 = data;
    else
        fresh->f64 = data;
    *array = fresh;
    return SPD_OK;
}

spd_status array_adopt(spd_context *ctx, spd_type type, size_t ndim, const size_t *shape,
                       double *data, spd_array **array)
{
    spd_array *fresh;
    spd_status status = bare_array(ctx, type, ndim, shape, &fresh);
    if (status < 0)
        return status;
    fresh->f64 = data;
    *array = fresh;
    return SPD_OK;
}

spd_status array_new_text(spd_context *ctx, size_t ndim, const size_t *shape, size_t bytes,
                          spd_array **array, char **pool)
{
    spd_array *fresh;
    spd_status status = bare_array(ctx, SPD_TYPE_TEXT, ndim, shape, &fresh);
    if (status < 0)
        return status;
    size_t pointers;
    if (!mem_mul(fresh->count, sizeof *fresh->text, &pointers) && bytes <= SIZE_MAX - pointers)
        fresh->text = mem_alloc(pointers + bytes, 1);
    if (!fresh->text) {
        spd_array_free(fresh);
        return ctx_nomem(ctx, "an array of texts");
    }
    *pool = (char *)(fresh->text + fresh->count);
    *array = fresh;
    return SPD_OK;
}

spd_status array_hand_over(spd_status status, spd_array *fresh, spd_array **array)
{
    if (status < 0)
        spd_array_free(fresh);
    else
        *array = fresh;
    return status;
}

spd_status array_rename(spd_context *ctx, spd_array *array, const char *name)
{
    char *copy = name ? mem_text(name) : NULL;
    if (name && !copy)
        return ctx_nomem(ctx, "an array's name");
    mem_free((char *)array->name);
    array->name = copy;
    return SPD_OK;
}

spd_status array_to_float(spd_context *ctx, spd_array *array)
{
    if (array->type == SPD_TYPE_TEXT)
        return ctx_fail(ctx, SPD_EINVAL, "holds text where numbers are expected");
    if (array->type == SPD_TYPE_COMPLEX128)
        return ctx_fail(ctx, SPD_EINVAL, "holds complex numbers where real ones are expected");
    if (array->type == SPD_TYPE_FLOAT64)
        return SPD_OK;
    double *data = mem_alloc(array->count, sizeof *data);
    if (!data)
        return ctx_nomem(ctx, "the conversion of integers");
    for (size_t i = 0; i < array->count; i++)
        data[i] = (double)array->i64[i];
    mem_free(array->i64);
    array->i64 = NULL;
    array->f64 = data;
    array->type = SPD_TYPE_FLOAT64;
    return SPD_OK;
}

void spd_array_free(spd_array *array)
{
    if (!array)
        return;
    held_array *held = (held_array *)array;
    mem_free(held->block ? held->block : array->f64);
    mem_free(array->i64);
    mem_free(array->text);
    mem_free((char *)array->name);
    mem_free(array);
}

int array_is_vector(size_t ndim, const size_t *shape)
{
    size_t longer = 0;
    for (size_t d = 0; d < ndim; d++)
        longer += shape[d] != 1;
    return ndim >= 1 && longer <= 1;
}

void array_shape_text(size_t ndim, const size_t *shape, char *text, size_t size)
{
    size_t used = 0;
    if (ndim == 0)
        snprintf(text, size, "1");
    for (size_t d = 0; d < ndim && used < size; d++)
        used += (size_t)snprintf(text + used, size - used, d ? " x %zu" : "%zu", shape[d]);
}

void walk_start(array_walk *walk, size_t ndim, const size_t *shape, const size_t *stride)
{
    memset(walk, 0, sizeof *walk);
    walk->ndim = ndim;
    for (size_t d = 0; d < ndim; d++) {
        walk->shape[d] = shape[d];
        walk->stride[d] = stride[d];
    }
}

size_t walk_next(array_walk *walk)
{
    size_t here = walk->offset;
    for (size_t d = walk->ndim; d-- > 0;) {
        walk->offset += walk->stride[d];
        if (++walk->at[d] < walk->shape[d])
            break;
        walk->offset -= walk->stride[d] * walk->shape[d];
        walk->at[d] = 0;
    }
    return here;
}

void walk_fortran(size_t ndim, const size_t *shape, size_t *stride)
{
    size_t step = 1;
    for (size_t d = 0; d < ndim; d++) {
        stride[d] = step;
        step *= shape[d];
    }
}
