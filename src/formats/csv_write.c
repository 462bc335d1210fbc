/* csv_write.c - arrays of at most two dimensions as .csv. Numbers have 17 digits, which is
 * enough to read the same number back. */
#include <inttypes.h>
#include <string.h>

#include "formats/csv.h"
#include "io/text.h"

/* Text in quotes where a reader would otherwise take it apart, and with an apostrophe where a
 * spreadsheet would take it for a formula. */
static void write_text(outfile *out, const char *text)
{
    int quoted = !*text || strpbrk(text, ",;\t\"\r\n #"), formula = plain_is_formula(text);
    if (!quoted) {
        outfile_write(out, "'", formula ? 1 : 0);
        outfile_write(out, text, strlen(text));
        return;
    }
    outfile_write(out, formula ? "\"'" : "\"", formula ? 2 : 1);
    for (; *text; text++)
        outfile_write(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    outfile_write(out, "\"", 1);
}

void csv_write_element(outfile *out, const spd_array *array, size_t i)
{
    if (array->type == SPD_TEXT)
        write_text(out, array->text[i]);
    else if (array->type == SPD_INT64)
        outfile_print(out, "%" PRId64, array->i64[i]);
    else
        outfile_print(out, "%.17g", array->f64[i]);
}

spd_status csv_write(spd_context *ctx, outfile *out, size_t count, const spd_array *const *arrays)
{
    const spd_array *array = arrays[0];
    (void)count; /* one, as the caller made sure */
    if (array->type == SPD_COMPLEX128)
        return ctx_fail(ctx, SPD_EINVAL, "a .csv file cannot hold complex numbers; use .npz");
    if (array->ndim > 2)
        return ctx_fail(ctx, SPD_EINVAL,
                        "a .csv file cannot hold an array of %zu dimensions; use .npz",
                        array->ndim);
    size_t columns = array->ndim == 2 ? array->shape[1] : 1;
    text_locale saved;
    if (text_enter_c_locale(&saved))
        return ctx_nomem(ctx, "a locale");
    for (size_t i = 0; i < array->count && out->status == SPD_OK; i++) {
        csv_write_element(out, array, i);
        outfile_write(out, (i + 1) % columns ? "," : "\n", 1);
    }
    text_leave_c_locale(&saved);
    return SPD_OK;
}
