/* csv_write.c - arrays of at most two dimensions as .csv. Numbers have 17 digits, which is
 * enough to read the same number back. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/file.h"
#include "io/text.h"

/* Text in quotes where a reader would otherwise take it apart. */
static spd_status write_text(spd_context *ctx, outfile *out, const char *text)
{
    if (*text && !strpbrk(text, ",;\t\"\r\n #"))
        return outfile_write(ctx, out, text, strlen(text));
    spd_status status = outfile_write(ctx, out, "\"", 1);
    for (; *text && status == SPD_OK; text++) {
        if (*text == '"')
            status = outfile_write(ctx, out, "\"", 1);
        if (status == SPD_OK)
            status = outfile_write(ctx, out, text, 1);
    }
    return status < 0 ? status : outfile_write(ctx, out, "\"", 1);
}

static spd_status write_element(spd_context *ctx, outfile *out, const spd_array *array, size_t i)
{
    char text[40];
    int length;
    if (array->type == SPD_TEXT)
        return write_text(ctx, out, array->text[i]);
    if (array->type == SPD_INT64)
        length = snprintf(text, sizeof text, "%" PRId64, array->i64[i]);
    else
        length = snprintf(text, sizeof text, "%.17g", array->f64[i]);
    return outfile_write(ctx, out, text, (size_t)length);
}

spd_status csv_write(spd_context *ctx, outfile *out, size_t count, const spd_array *const *arrays)
{
    const spd_array *array = arrays[0];
    (void)count; /* one, as the caller made sure */
    if (array->ndim > 2)
        return ctx_fail(ctx, SPD_EINVAL, "a .csv file holds no array of %zu dimensions; use .npz",
                        array->ndim);
    size_t columns = array->ndim == 2 ? array->shape[1] : 1;
    text_locale saved;
    if (text_enter_c_locale(&saved))
        return ctx_nomem(ctx, "a locale");
    spd_status status = SPD_OK;
    for (size_t i = 0; i < array->count && status == SPD_OK; i++) {
        status = write_element(ctx, out, array, i);
        if (status == SPD_OK)
            status = outfile_write(ctx, out, (i + 1) % columns ? "," : "\n", 1);
    }
    text_leave_c_locale(&saved);
    return status;
}
