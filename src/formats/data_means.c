/* data_means.c - the means of the observations whose covariances the matrices are: a data set
 * carries them in two columns, so that they are selected, joined and written as all others are. */
#include <math.h>

#include "formats/data.h"
#include "io/array.h"

/* Blocks of the matrices as the numbers of observations have them; 0 where the columns do not suit
 * the matrices. */
static size_t count_blocks(const spd_data *data, const spd_array *mean, const spd_array *count)
{
    if (!mean || !count || mean->type == SPD_TEXT || count->type == SPD_TEXT ||
        mean->type == SPD_COMPLEX128 || count->type == SPD_COMPLEX128 || data->hermitian)
        return 0;
    size_t blocks = data->p ? count->count / data->p : 0;
    int suits = mean->count == data->p * data->n && count->count == data->p * blocks &&
                count->ndim <= 2 && blocks > 0 && data->n % blocks == 0;
    return suits ? blocks : 0;
}

static int good(const spd_array *mean, const spd_array *count)
{
    int yes = 1;
    for (size_t e = 0; e < mean->count; e++)
        yes &= isfinite(mean->f64[e]) != 0;
    for (size_t e = 0; e < count->count; e++)
        yes &= count->f64[e] >= 1.0 && isfinite(count->f64[e]);
    return yes;
}

spd_status data_find_means(spd_context *ctx, spd_data *data)
{
    spd_array *mean = data_column(data, DATA_MEAN), *count = data_column(data, DATA_COUNT);
    size_t blocks = count_blocks(data, mean, count);
    data->blocks = 0;
    data->mean = data->observations = NULL;
    if (!blocks)
        return SPD_OK;
    spd_status status = array_to_float(ctx, mean);
    if (status == SPD_OK)
        status = array_to_float(ctx, count);
    if (status < 0 || !good(mean, count))
        return status;
    data->blocks = blocks;
    data->mean = mean->f64;
    data->observations = count->f64;
    return SPD_OK;
}
