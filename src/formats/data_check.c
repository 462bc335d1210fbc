/* data_check.c - are the matrices of a data set what they should be? */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/stop.h"
#include "run/parallel.h"
#include "formats/data.h"
#include "io/text.h"

#define CHUNK_BYTES   ((size_t)1 << 22) /* of matrices that a thread looks at at a time */
#define NO_COVARIANCE 0.1               /* asymmetry that is not a matter of rounding */

double data_asymmetry(size_t n, const double *X)
{
    double largest = 0.0, worst = 0.0;
    int finite = 1;
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++) {
            double low = X[r * n + c], high = X[c * n + r];
            double gap = fabs(low / 2 - high / 2); /* halves: no overflow */
            finite &= isfinite(low) && isfinite(high);
            largest = fabs(low) > largest ? fabs(low) : largest;
            largest = fabs(high) > largest ? fabs(high) : largest;
            worst = gap > worst ? gap : worst;
        }
    if (!finite)
        return (double)NAN;
    return largest > 0 ? 2 * (worst / largest) : 0.0;
}

/* "X[17] (label 3)" into text. */
static void name_sample(const spd_data *data, size_t i, char *text, size_t size)
{
    char plain[40];
    int used = snprintf(text, size, "X[%zu]", i);
    if (data->label)
        snprintf(text + used, size - (size_t)used, " (label %s)",
                 text_plain(data->class_name[data->label[i]], plain, sizeof plain));
}

/* The largest imaginary part on the diagonal of a complex matrix, of which X (n x n) is the real
 * form, relative to its largest entry. */
static double imaginary_diagonal(size_t n, const double *X)
{
    double largest = 0.0, worst = 0.0;
    for (size_t e = 0; e < n * n; e++)
        largest = fmax(largest, fabs(X[e]));
    for (size_t r = 0; r < n; r += 2)
        worst = fmax(worst, fabs(X[(r + 1) * n + r]));
    return largest > 0.0 ? worst / largest : 0.0;
}

static spd_status refuse_asymmetry(spd_context *ctx, const spd_data *data, size_t i,
                                   double asymmetry)
{
    size_t n = data->n;
    double diagonal = data->hermitian ? imaginary_diagonal(n, data->X + i * n * n) : 0.0;
    char sample[80];
    name_sample(data, i, sample, sizeof sample);
    if (diagonal > DATA_SYMMETRY)
        ctx_fail_at(ctx, SPD_ENOTSYM, i, asymmetry,
                    "%s is not Hermitian: its diagonal has imaginary parts (%.2g of the largest "
                    "entry)",
                    sample, diagonal);
    else
        ctx_fail_at(ctx, SPD_ENOTSYM, i, asymmetry, "%s is not %s by %.2g of the largest)", sample,
                    data->hermitian ? "Hermitian (entries and conjugates of their mirror images "
                                      "differ"
                                    : "symmetric (entries differ",
                    asymmetry);
    if (asymmetry > NO_COVARIANCE) {
        ctx_append(ctx, "; it is no covariance matrix. If these are images, describe them first");
        return SPD_ENOTSYM;
    }
    return ctx_advise(ctx, SPD_ENOTSYM, SPD_REMEDY_SYMMETRIZE, 0.0);
}

/* What is found in each chunk of the matrices. */
typedef struct looking {
    const spd_data *data;
    size_t each;     /* matrices of a chunk */
    size_t *crooked; /* the first asymmetric one of each chunk, or SPD_NO_INDEX */
    size_t *endless; /* the first with NaN or Inf */
} looking;

static spd_status look_at_chunk(void *user, size_t chunk, int thread)
{
    const looking *l = user;
    size_t n = l->data->n, first = chunk * l->each, p = l->data->p;
    (void)thread;
    l->crooked[chunk] = l->endless[chunk] = SPD_NO_INDEX;
    for (size_t i = first; i < first + l->each && i < p && !stop_wanted(); i++) {
        double asymmetry = data_asymmetry(n, l->data->X + i * n * n);
        if (isnan(asymmetry)) {
            l->endless[chunk] = i;
            return SPD_ENOTFINITE;
        }
        if (asymmetry > DATA_SYMMETRY && l->crooked[chunk] == SPD_NO_INDEX)
            l->crooked[chunk] = i;
    }
    return SPD_OK;
}

static spd_status refuse_endless(spd_context *ctx, const spd_data *data, size_t i)
{
    char sample[80];
    name_sample(data, i, sample, sizeof sample);
    ctx_fail_at(ctx, SPD_ENOTFINITE, i, 0.0, "%s holds NaN or Inf", sample);
    return ctx_advise(ctx, SPD_ENOTFINITE, SPD_REMEDY_LEAVE_OUT, 0.0);
}

/* Any NaN or Inf anywhere comes first, then the first asymmetric matrix. Every process of a job
 * looks at all, and must not be stopped alone. */
static spd_status check_entries(spd_context *ctx, const spd_data *data, int symmetric)
{
    size_t n = data->n, failed = 0, bytes = n * n * sizeof *data->X;
    looking l = {.data = data, .each = CHUNK_BYTES / bytes + 1};
    size_t chunks = (data->p + l.each - 1) / l.each;
    arena room = {0};
    l.crooked = arena_alloc(&room, chunks, sizeof *l.crooked);
    l.endless = arena_alloc(&room, chunks, sizeof *l.endless);
    spd_status status = arena_status(&room, ctx, "checking");
    if (status == SPD_OK)
        status = parallel_for(ctx, chunks, look_at_chunk, &l, ranks_of(ctx) ? NULL : "checking",
                              "matrices", (double)data->p, &failed);
    if (status == SPD_ENOTFINITE)
        status = refuse_endless(ctx, data, l.endless[failed]);
    for (size_t k = 0; k < chunks && status == SPD_OK && symmetric; k++)
        if (l.crooked[k] != SPD_NO_INDEX)
            status = refuse_asymmetry(ctx, data, l.crooked[k],
                                      data_asymmetry(n, data->X + l.crooked[k] * n * n));
    arena_free(&room);
    return status;
}

/* A power of ten that lifts the smallest eigenvalue well above zero, 1e-6 at least. A matrix that
 * needs more than a tenth of its own scale is hardly a covariance with rounding errors. */
unsigned data_remedy(size_t n, const double *X, double smallest, double *lift)
{
    double trace = 0.0;
    for (size_t r = 0; r < n; r++)
        trace += X[r * n + r];
    *lift = 0.0;
    if (!(trace > 0.0))
        return SPD_REMEDY_REMOVE;
    if (smallest > 0.0 && trace < 0x1p-950) /* definite, but at the end of the range of numbers */
        return SPD_REMEDY_NONE;
    for (*lift = 1e-6; *lift < 4.0 * fabs(smallest) * (double)n / trace;)
        *lift *= 10.0;
    return SPD_REMEDY_REGULARIZE;
}

/* spd_check's words begin with "X[17]": the label goes behind that. */
static void complete_message(spd_context *ctx, const spd_data *data)
{
    if (!ctx || ctx->error.index >= data->p)
        return;
    size_t n = data->n;
    double lift;
    char sample[80], bare[40], words[sizeof ctx->error.message];
    size_t length = (size_t)snprintf(bare, sizeof bare, "X[%zu]", ctx->error.index);
    memcpy(words, ctx->error.message, sizeof words);
    name_sample(data, ctx->error.index, sample, sizeof sample);
    if (strncmp(words, bare, length) == 0)
        ctx_fail_at(ctx, ctx->error.status, ctx->error.index, ctx->error.value, "%s%.300s", sample,
                    words + length);
    if (ctx->error.status == SPD_ENOTSPD) {
        unsigned remedy =
            data_remedy(n, data->X + ctx->error.index * n * n, ctx->error.value, &lift);
        ctx_advise(ctx, SPD_ENOTSPD, remedy, lift);
    }
}

static spd_status check_all(spd_context *ctx, const spd_data *data)
{
    return spd_check(ctx, SPD_SET(data->n, data->p, data->X), DATA_SYMMETRY);
}

spd_status data_check(spd_context *ctx, spd_data *data, const spd_load_options *options)
{
    int repair = options->symmetrize || options->regularize != 0.0;
    spd_status status = repair || options->unchecked ? SPD_OK : check_all(ctx, data);
    int bad = status == SPD_ENOTFINITE || status == SPD_ENOTSYM || status == SPD_ENOTSPD;
    data->checked = status == SPD_OK && !repair && !options->unchecked;
    if (data->checked || (status < 0 && !bad))
        return status;
    /* Which matrix to name, and how, takes another look. */
    if (!options->unchecked)
        status = check_entries(ctx, data, !options->symmetrize);
    if (status < 0)
        return status;
    if (options->symmetrize)
        spd_symmetrize(data->n, data->p, data->X);
    if (options->regularize != 0.0)
        spd_regularize(data->n, data->p, data->X, options->regularize, 0.0);
    if (options->unchecked)
        return SPD_OK;
    status = check_all(ctx, data);
    data->checked = status == SPD_OK;
    if (status < 0)
        complete_message(ctx, data);
    return status;
}
