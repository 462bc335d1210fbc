/* npy_write.c - the image of an array as an .npy file, version 1.0.
 *
 * Numbers are written where they lie; text is spread out to UTF-32. */
#include "io/npy.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/array.h"
#include "io/text.h"

/* *widest <- code points of the longest text, at least 1. */
static spd_status widest_text(spd_context *ctx, const spd_array *array, size_t *widest)
{
    size_t most = 1;
    for (size_t i = 0; i < array->count; i++) {
        size_t length = utf8_length(array->text[i]);
        if (length == SIZE_MAX)
            return ctx_fail(ctx, SPD_EINVAL, "string %zu of '%.60s' is not UTF-8", i,
                            array->name ? array->name : "array");
        if (length > most)
            most = length;
    }
    *widest = most;
    return SPD_OK;
}

/* image->owned <- count x widest code points, padded with zeros. */
static spd_status spread_texts(spd_context *ctx, const spd_array *array, size_t widest,
                               npy_image *image)
{
    size_t items;
    uint32_t *codes = mem_mul(array->count, widest, &items) ? NULL : mem_zero(items, sizeof *codes);
    if (!codes)
        return ctx_nomem(ctx, "texts to be written");
    for (size_t i = 0; i < array->count; i++) {
        const char *text = array->text[i];
        size_t left = strlen(text);
        for (uint32_t *out = codes + i * widest; left; out++) {
            size_t took = utf8_get(text, left, out);
            text += took;
            left -= took;
        }
    }
    image->owned = codes;
    image->data = codes;
    image->data_size = items * sizeof *codes;
    return SPD_OK;
}

/* Magic word, length, dictionary, spaces up to a multiple of 64, newline. */
static void write_header(const spd_array *array, const char *descr, npy_image *image)
{
    char *text = image->header + 10;
    size_t room = sizeof image->header - 10;
    size_t used =
        (size_t)snprintf(text, room, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (size_t d = 0; d < array->ndim; d++)
        used += (size_t)snprintf(text + used, room - used, d ? " %zu," : "%zu,", array->shape[d]);
    if (array->ndim > 1)
        used--; /* Python writes (3,) but (3, 4) */
    used += (size_t)snprintf(text + used, room - used, "), }");
    image->header_size = (10 + used + 1 + 63) / 64 * 64;
    memset(text + used, ' ', image->header_size - 10 - used);
    image->header[image->header_size - 1] = '\n';
    size_t length = image->header_size - 10;
    const char start[] = {(char)0x93,         'N', 'U', 'M', 'P', 'Y', 1, 0, (char)(length & 255),
                          (char)(length >> 8)};
    memcpy(image->header, start, sizeof start);
}

spd_status npy_image_make(spd_context *ctx, const spd_array *array, npy_image *image)
{
    char descr[32] = "<f8";
    npy_image made = {.data = array->f64, .data_size = array->count * array_width(array->type)};
    if (array->type == SPD_INT64) {
        snprintf(descr, sizeof descr, "<i8");
        made.data = array->i64;
    } else if (array->type == SPD_COMPLEX128) {
        snprintf(descr, sizeof descr, "<c16");
    } else if (array->type == SPD_TEXT) {
        size_t widest = 1;
        spd_status status = widest_text(ctx, array, &widest);
        if (status == SPD_OK)
            status = spread_texts(ctx, array, widest, &made);
        if (status < 0)
            return status;
        snprintf(descr, sizeof descr, "<U%zu", widest);
    }
    write_header(array, descr, &made);
    *image = made;
    return SPD_OK;
}

void npy_image_free(npy_image *image)
{
    mem_free(image->owned);
    image->owned = NULL;
}

spd_status npy_write(spd_context *ctx, outfile *out, size_t count, const spd_array *const *arrays)
{
    npy_image image;
    (void)count; /* one, as the caller made sure */
    spd_status status = npy_image_make(ctx, arrays[0], &image);
    if (status < 0)
        return status;
    outfile_write(out, image.header, image.header_size);
    outfile_write(out, image.data, image.data_size);
    npy_image_free(&image);
    return SPD_OK;
}
