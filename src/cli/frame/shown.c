/* shown.c - complex matrices as users know them. */
#include "cli/frame/shown.h"

#include "cli/frame/cli_memory.h"
#include "cli/frame/message.h"

size_t shown_rows(size_t n, int hermitian)
{
    return hermitian ? n / 2 : n;
}

size_t shown_n(const spd_data *data)
{
    return shown_rows(data->n, data->hermitian);
}

size_t shown_map_n(const spd_model *model)
{
    return shown_rows(model->n, model->options->hermitian);
}

size_t shown_map_m(const spd_model *model)
{
    return shown_rows(model->m, model->options->hermitian);
}

const char *shown_kind(int hermitian)
{
    return hermitian ? "complex " : "";
}

spd_array shown_matrix(const char *name, size_t rows, size_t columns, double *values, int hermitian)
{
    spd_array array = {.name = name,
                       .type = hermitian ? SPD_TYPE_COMPLEX128 : SPD_TYPE_FLOAT64,
                       .ndim = 2,
                       .shape = {shown_rows(rows, hermitian), shown_rows(columns, hermitian)},
                       .f64 = values};
    array.count = array.shape[0] * array.shape[1];
    if (hermitian && values) {
        array.f64 = cli_alloc_table(rows, columns, sizeof *values / 2, "complex numbers");
        spd_complex_extract(rows / 2, columns / 2, 1, values, array.f64);
    }
    return array;
}

void shown_check(const char *a, const char *does, size_t n, int hermitian, const spd_data *b)
{
    size_t own = shown_rows(n, hermitian), other = shown_n(b);
    if (n == b->n && !hermitian == !b->hermitian)
        return;
    cli_fail("%s %s %s%zu x %zu matrices, but %s holds %s%zu x %zu%s", a, does,
             shown_kind(hermitian), own, own, b->source, shown_kind(b->hermitian), other, other,
             hermitian && !b->hermitian ? " real ones" : "");
}
