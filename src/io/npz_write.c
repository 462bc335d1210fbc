/* npz_write.c - writing .npz. Equal arrays give equal bytes. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/npy.h"
#include "io/zip.h"

/* Arrays from this size on are stored: packing floating point numbers gains little and costs
 * much. */
#define STORE_FROM ((size_t)1 << 20)

static zip_method method_for(size_t size)
{
    return size < STORE_FROM ? ZIP_DEFLATED : ZIP_STORED;
}

static spd_status add_array(spd_context *ctx, zip_writer *zip, size_t i, const spd_array *array)
{
    char name[300];
    int length = array->name ? snprintf(name, sizeof name, "%s.npy", array->name)
                             : snprintf(name, sizeof name, "arr_%zu.npy", i);
    if (length >= (int)sizeof name)
        return ctx_fail(ctx, SPD_EINVAL, "the array's name '%.60s...' is too long", array->name);
    npy_image image;
    spd_status status = npy_image_make(ctx, array, &image);
    if (status < 0)
        return status;
    const zip_piece pieces[] = {{image.header, image.header_size}, {image.data, image.data_size}};
    status = zip_add(ctx, zip, name, method_for(image.data_size), pieces, 2);
    npy_image_free(&image);
    return status;
}

spd_status npz_write(spd_context *ctx, outfile *out, size_t count, const spd_array *const *arrays)
{
    return npz_write_with(ctx, out, count, arrays, NULL);
}

spd_status npz_write_with(spd_context *ctx, outfile *out, size_t count,
                          const spd_array *const *arrays, const npz_text *text)
{
    zip_writer zip = {.out = out};
    spd_status status = SPD_OK;
    for (size_t i = 0; i < count && status == SPD_OK; i++)
        status = add_array(ctx, &zip, i, arrays[i]);
    if (status == SPD_OK && text) {
        const zip_piece piece = {text->text, strlen(text->text)};
        status = zip_add(ctx, &zip, text->name, method_for(piece.size), &piece, 1);
    }
    if (status == SPD_OK)
        zip_finish(&zip);
    zip_discard(&zip);
    return status;
}
