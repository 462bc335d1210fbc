/* csv_file.c - .csv files as arrays (a table of numbers, or a column of texts) and as data sets
 * (one flattened matrix per row, and a column of labels). */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "formats/csv.h"
#include "io/array.h"
#include "io/text.h"

/* ---- writing -------------------------------------------------------------------------------- */

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
    if (array->type == SPD_TYPE_TEXT)
        write_text(out, array->text[i]);
    else if (array->type == SPD_TYPE_INT64)
        outfile_print(out, "%" PRId64, array->i64[i]);
    else
        outfile_print(out, "%.17g", array->f64[i]);
}

spd_status csv_write(spd_context *ctx, outfile *out, size_t count, const spd_array *const *arrays)
{
    const spd_array *array = arrays[0];
    (void)count; /* one, as the caller made sure */
    if (array->type == SPD_TYPE_COMPLEX128)
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

/* ---- data sets ------------------------------------------------------------------------------ */

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

/* ---- reading -------------------------------------------------------------------------------- */

static void close_csv(void *state)
{
    if (state)
        csv_table_free(state);
    mem_free(state);
}

/* The member of an entry is a column: alone for an array of one dimension, else left out. */
static spd_status read_csv(spd_context *ctx, io_file *file, const io_entry *entry,
                           spd_array **array)
{
    const csv_table *table = file->state;
    const int alone = entry->ndim == 1;
    if (alone && (table->seen[entry->member] & CSV_TEXT))
        return csv_texts(ctx, table, entry->member, array);
    spd_array *fresh;
    spd_status status = array_new(ctx, SPD_TYPE_FLOAT64, entry->ndim, entry->shape, &fresh);
    if (status < 0)
        return status;
    status = csv_numbers(ctx, table, entry->member, alone, fresh->f64);
    return array_hand_over(status, fresh, array);
}

/* n with n * n = count, or 0. */
static size_t whole_root(size_t count)
{
    size_t n = (size_t)(sqrt((double)count) + 0.5);
    return n <= UINT32_MAX && n * n == count ? n : 0;
}

/* Without a header that names it, the only column without a number holds the labels. A column
 * of numbers with a text among them is a mistake, to be named when it is read. */
static void find_labels(csv_table *table)
{
    size_t texts = 0, last = table->columns;
    for (size_t j = 0; j < table->columns; j++) {
        int text = (table->seen[j] & CSV_TEXT) && !(table->seen[j] & CSV_NUMBER);
        texts += (size_t)text;
        last = text ? j : last;
    }
    if (table->label == table->columns && texts == 1 && table->columns > 1)
        table->label = last;
}

static spd_status list_data_set(spd_context *ctx, io_file *file, csv_table *table,
                                const char *y_name)
{
    if (!y_name)
        find_labels(table);
    int labelled = table->label < table->columns;
    size_t numbers = table->columns - (labelled ? 1 : 0), n = whole_root(numbers);
    const io_entry X = {
        .member = table->label, .readable = 1, .ndim = 3, .shape = {table->rows, n, n}};
    const io_entry y = {.member = table->label, .readable = 1, .ndim = 1, .shape = {table->rows}};
    if (numbers > 0 && n == 0)
        return ctx_fail(ctx, SPD_EINVAL, "rows of %zu numbers are not flattened n x n matrices%s",
                        numbers,
                        whole_root(numbers - 1) && !labelled
                            ? "; if a column holds labels, name it y in a header line"
                            : "; if they are samples of signals, the descriptor 'covariance' makes "
                              "matrices of them");
    spd_status status = io_add_entry(ctx, file, "X", &X);
    if (status == SPD_OK && labelled)
        status = io_add_entry(ctx, file, y_name ? y_name : "y", &y);
    return status;
}

spd_status csv_open(spd_context *ctx, io_file *file, const char *bytes, size_t size,
                    const io_purpose *purpose)
{
    csv_table *table = file->state = mem_zero(1, sizeof *table);
    file->close = close_csv;
    file->read = read_csv;
    if (!table)
        return ctx_nomem(ctx, "a table");
    spd_status status = csv_survey(ctx, bytes, size, purpose->y_name, table);
    if (status < 0)
        return status;
    if (purpose->data_set)
        return list_data_set(ctx, file, table, purpose->y_name);
    const int alone = table->columns == 1;
    const io_entry whole = {.member = alone ? 0 : table->columns,
                            .readable = 1,
                            .ndim = alone ? 1 : 2,
                            .shape = {table->rows, table->columns}};
    return io_add_entry(ctx, file, NULL, &whole);
}
