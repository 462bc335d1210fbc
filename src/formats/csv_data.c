/* csv_data.c - a data set as .csv: a header, then a row for each matrix, its label in front of its
 * n n entries, as spd_data_load reads it. Columns have no place in it. */
#include <inttypes.h>

#include "formats/csv.h"
#include "io/text.h"

static void write_header(outfile *out, const spd_data *data)
{
    outfile_write(out, "y", data->y ? 1 : 0);
    for (size_t i = 0; i < data->n; i++)
        for (size_t j = 0; j < data->n; j++)
            outfile_print(out, "%sx_%zu_%zu", data->y || i + j ? "," : "", i, j);
    outfile_print(out, "\n");
}

static void write_row(outfile *out, const spd_data *data, size_t sample)
{
    const size_t each = data->n * data->n;
    if (data->y)
        csv_write_element(out, data->y, sample);
    for (size_t e = 0; e < each; e++)
        outfile_print(out, "%s%.17g", data->y || e ? "," : "", data->X[sample * each + e]);
    outfile_print(out, "\n");
}

spd_status csv_write_data(spd_context *ctx, const char *path, const spd_data *data)
{
    text_locale saved;
    outfile *out;
    if (data->hermitian)
        return ctx_fail(ctx, SPD_EINVAL,
                        "a .csv file cannot hold complex matrices; use .npz, .npy or .mat");
    spd_status status = outfile_open(ctx, path, &out);
    if (status < 0)
        return status;
    outfile_tidy(out);
    status = text_enter_c_locale(&saved) ? ctx_nomem(ctx, "a locale") : SPD_OK;
    if (status == SPD_OK) {
        write_header(out, data);
        for (size_t s = 0; s < data->p && out->status == SPD_OK; s++)
            write_row(out, data, s);
        text_leave_c_locale(&saved);
    }
    return outfile_close(out, status);
}
