/* npz_write.c - writing .npz through libzip. Equal arrays give equal bytes: the time stamps are
 * fixed, as numpy does it. */
#include <stdio.h>
#include <string.h>
#include <zip.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/npy.h"

/* Arrays from this size on are stored: packing floating point numbers gains little and costs
 * much. */
#define STORE_FROM ((size_t)1 << 20)

#define DOS_DATE_1980_01_01 ((0 << 9) | (1 << 5) | 1)

/* Errors of libzip that carry an errno say more than "Write error". */
static spd_status zip_trouble(spd_context *ctx, zip_error_t *error)
{
    if (zip_error_code_zip(error) == ZIP_ER_MEMORY)
        return ctx_nomem(ctx, "an archive");
    if (zip_error_system_type(error) == ZIP_ET_SYS && zip_error_code_system(error))
        return outfile_error(ctx, zip_error_code_system(error));
    return ctx_fail(ctx, SPD_EIO, "cannot write: %s", zip_error_strerror(error));
}

/* Adds one member made of parts, which stay in use until the archive is closed. size decides
 * whether it is packed. */
static spd_status add_member(spd_context *ctx, zip_t *zip, const char *name,
                             zip_buffer_fragment_t *parts, size_t count, size_t size)
{
    zip_source_t *source = zip_source_buffer_fragment(zip, parts, count, 0);
    if (!source)
        return zip_trouble(ctx, zip_get_error(zip));
    zip_int64_t at = zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8);
    if (at < 0) {
        zip_source_free(source);
        if (zip_error_code_zip(zip_get_error(zip)) == ZIP_ER_EXISTS)
            return ctx_fail(ctx, SPD_EINVAL, "two arrays would be named '%.*s'",
                            (int)strlen(name) - 4, name);
        return zip_trouble(ctx, zip_get_error(zip));
    }
    int method = size < STORE_FROM ? ZIP_CM_DEFLATE : ZIP_CM_STORE;
    if (zip_set_file_compression(zip, (zip_uint64_t)at, method, 0) != 0 ||
        zip_file_set_dostime(zip, (zip_uint64_t)at, 0, DOS_DATE_1980_01_01, 0) != 0)
        return zip_trouble(ctx, zip_get_error(zip));
    return SPD_OK;
}

static spd_status add_array(spd_context *ctx, zip_t *zip, size_t i, const spd_array *array,
                            npy_image *image)
{
    char name[300];
    spd_status status = npy_image_make(ctx, array, image);
    if (status < 0)
        return status;
    int length = array->name ? snprintf(name, sizeof name, "%s.npy", array->name)
                             : snprintf(name, sizeof name, "arr_%zu.npy", i);
    if (length >= (int)sizeof name)
        return ctx_fail(ctx, SPD_EINVAL, "the array's name '%.60s...' is too long", array->name);
    zip_buffer_fragment_t parts[2] = {
        {(zip_uint8_t *)image->header, image->header_size},
        {(zip_uint8_t *)image->data, image->data_size},
    };
    return add_member(ctx, zip, name, parts, image->data_size ? 2 : 1, image->data_size);
}

static spd_status add_text(spd_context *ctx, zip_t *zip, const npz_text *text)
{
    size_t size = strlen(text->text);
    zip_buffer_fragment_t part = {(zip_uint8_t *)(uintptr_t)text->text, size};
    return add_member(ctx, zip, text->name, &part, 1, size);
}

spd_status npz_write(spd_context *ctx, outfile *out, size_t count, const spd_array *const *arrays)
{
    return npz_write_with(ctx, out, count, arrays, NULL);
}

spd_status npz_write_with(spd_context *ctx, outfile *out, size_t count,
                          const spd_array *const *arrays, const npz_text *text)
{
    int code = 0;
    spd_status status = SPD_OK;
    zip_t *zip = NULL;
    npy_image *images = mem_zero(count, sizeof *images);
    if (!images)
        return ctx_nomem(ctx, "an archive");
    zip = zip_open(out->temp, ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (!zip) {
        status = ctx_fail(ctx, SPD_EIO, "cannot write: libzip error %d", code);
        goto done;
    }
    for (size_t i = 0; i < count && status == SPD_OK; i++)
        status = add_array(ctx, zip, i, arrays[i], &images[i]);
    if (status == SPD_OK && text)
        status = add_text(ctx, zip, text);
    if (status == SPD_OK) {
        if (zip_close(zip) == 0)
            zip = NULL;
        else
            status = zip_trouble(ctx, zip_get_error(zip));
    }
done:
    if (zip)
        zip_discard(zip);
    for (size_t i = 0; i < count; i++)
        npy_image_free(&images[i]);
    mem_free(images);
    return status;
}
