/* spd.c - SPD matrices whose classes differ in a few dimensions only.
 *
 * Sample i of class c, with Q = [U V] orthogonal, U (n x d) the planted subspace, k = n - d:
 *
 *   X_i = Q G_i [ S_i      ] G_i' Q'      S_i = exp(C_c/2) exp(E_i) exp(C_c/2)     d x d
 *               [      N_i ]              N_i = exp(F_i)                           k x k
 *
 * E_i, F_i and the class centres C_c are symmetric Gaussian matrices with mean zero, and G_i =
 * I + K_i mixes the two blocks a little. By the root mean square of the eigenvalues: E_i has
 * WITHIN, F_i nuisance WITHIN; the distance |C_b - C_c|_F of two classes is signal |E_i|_F, again
 * by root mean square. Whatever orthonormal W spans U sees the classes without the nuisance. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/rng.h"
#include "run/parallel.h"
#include "io/array.h"
#include "formats/data.h"
#include "io/text.h"
#include "linalg/dense.h"
#include "linalg/tall.h"
#include "synth/noise.h"
#include "synth/synth.h"

#define WITHIN   0.5  /* logarithms of eigenvalues, root mean square */
#define NUISANCE 3.0  /* the same outside the planted subspace, in units of WITHIN */
#define MIXING   0.05 /* the same of |K_i|_F / sqrt(n) */

#define MOST_ROWS 4096

/* What a random number is for; keeps the streams apart. */
enum { FOR_BASIS = 1, FOR_CLASS, FOR_SAMPLE, FOR_MIXING };

typedef struct planting {
    const spd_synth_options *options;
    size_t n, d, k, p, threads;
    double *Q;       /* n x n */
    double *work;    /* to orthonormalise it */
    double *centre;  /* classes x d x d: exp(C_c/2) */
    double *signal;  /* p x d x d: E_i, then exp(E_i), then S_i */
    double *noise;   /* p x k x k: F_i, then N_i */
    double *X;       /* p x n x n */
    double *scratch; /* threads x 4 n n */
    arena room;      /* of all but X */
} planting;

/* A (n x n) <- symmetric Gaussian whose eigenvalues have this root mean square. */
static void draw_symmetric(rng *r, size_t n, double scale, double *A)
{
    const double each = scale / sqrt((double)n + 1.0);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            A[i * n + j] = A[j * n + i] = each * rng_normal(r);
        A[i * n + i] = each * sqrt(2.0) * rng_normal(r);
    }
}

static rng stream(const planting *g, uint64_t purpose, size_t index)
{
    rng r;
    rng_seed(&r, rng_key(g->options->seed, purpose, index));
    return r;
}

/* The only chunk of its loop, which sees to BLAS. */
static spd_status draw_basis(void *user, size_t chunk, int thread)
{
    planting *g = user;
    const size_t n = g->n;
    rng r = stream(g, FOR_BASIS, chunk);
    (void)thread;
    do
        for (size_t e = 0; e < n * n; e++)
            g->Q[e] = rng_normal(&r);
    while (tall_orthonormalise(n, n, g->Q, g->work) < 1e-8);
    return SPD_OK;
}

static spd_status draw_centres(spd_context *ctx, planting *g)
{
    const size_t d = g->d, classes = g->options->classes;
    for (size_t c = 0; c < classes; c++) {
        rng r = stream(g, FOR_CLASS, c);
        /* Half of C_c; two centres are sqrt 2 times as far apart as one is from zero. */
        draw_symmetric(&r, d, g->options->signal * WITHIN / sqrt(8.0), g->centre + c * d * d);
    }
    return spd_apply(ctx, SPD_FUNCTION_EXP, 0.0, SPD_SET(d, classes, g->centre), g->centre);
}

static spd_status draw_sample(void *user, size_t i, int thread)
{
    planting *g = user;
    (void)thread;
    rng r = stream(g, FOR_SAMPLE, i);
    draw_symmetric(&r, g->d, WITHIN, g->signal + i * g->d * g->d);
    if (g->k)
        draw_symmetric(&r, g->k, NUISANCE * WITHIN, g->noise + i * g->k * g->k);
    return SPD_OK;
}

/* S_i and N_i of all samples. */
static spd_status make_blocks(spd_context *ctx, planting *g)
{
    const size_t d = g->d, samples = g->options->samples;
    spd_status status =
        parallel_for(ctx, g->p, draw_sample, g, "drawing", "matrices", (double)g->p, NULL);
    if (status >= 0)
        status = spd_apply(ctx, SPD_FUNCTION_EXP, 0.0, SPD_SET(d, g->p, g->signal), g->signal);
    if (status >= 0 && g->k)
        status = spd_apply(ctx, SPD_FUNCTION_EXP, 0.0, SPD_SET(g->k, g->p, g->noise), g->noise);
    for (size_t c = 0; c < g->options->classes && status >= 0; c++) {
        double *S = g->X; /* free until samples are assembled; n >= d */
        status = spd_congruence(ctx, SPD_SET(d, samples, g->signal + c * samples * d * d), d,
                                g->centre + c * d * d, S);
        if (status >= 0)
            memcpy(g->signal + c * samples * d * d, S, samples * d * d * sizeof *S);
    }
    return status;
}

/* Z (n x n) <- the two blocks of a sample. */
static void place_blocks(const planting *g, size_t i, double *Z)
{
    const size_t n = g->n, d = g->d, k = g->k;
    const double *S = g->signal + i * d * d, *N = g->noise + i * k * k;
    memset(Z, 0, n * n * sizeof *Z);
    for (size_t r = 0; r < d; r++)
        memcpy(Z + r * n, S + r * d, d * sizeof *Z);
    for (size_t r = 0; r < k; r++)
        memcpy(Z + (d + r) * n + d, N + r * k, k * sizeof *Z);
}

/* X_i = A' Z A with A = (Q G_i)'. */
static spd_status assemble_sample(void *user, size_t i, int thread)
{
    planting *g = user;
    const size_t n = g->n, each = n * n;
    double *Z = g->scratch + (size_t)thread * 4 * each;
    double *G = Z + each, *A = G + each, *work = A + each;
    rng r = stream(g, FOR_MIXING, i);
    for (size_t e = 0; e < each; e++)
        work[e] = (e % (n + 1) == 0) + MIXING / sqrt((double)n) * rng_normal(&r);
    dense_product(n, g->Q, work, G);
    for (size_t e = 0; e < each; e++)
        A[e] = G[e % n * n + e / n];
    place_blocks(g, i, Z);
    dense_congruence(n, A, Z, g->X + i * each, work);
    return SPD_OK;
}

static spd_status make_room(spd_context *ctx, planting *g)
{
    const size_t n = g->n, d = g->d, k = g->k;
    g->threads = (size_t)parallel_threads(ctx);
    g->Q = arena_alloc(&g->room, n * n, sizeof *g->Q);
    g->work = arena_alloc(&g->room, tall_orthonormalise_work(n, n), sizeof *g->work);
    g->centre = arena_alloc(&g->room, g->options->classes, d * d * sizeof *g->centre);
    g->signal = arena_alloc(&g->room, g->p, d * d * sizeof *g->signal);
    g->noise = arena_alloc(&g->room, g->p, k * k * sizeof *g->noise);
    g->scratch = arena_alloc(&g->room, g->threads, 4 * n * n * sizeof *g->scratch);
    return arena_status(&g->room, ctx, "generated matrices");
}

static spd_status generate(spd_context *ctx, planting *g)
{
    spd_status status = make_room(ctx, g);
    if (status >= 0)
        status = parallel_for(ctx, 1, draw_basis, g, NULL, NULL, 0.0, NULL);
    if (status >= 0)
        status = draw_centres(ctx, g);
    if (status >= 0)
        status = make_blocks(ctx, g);
    if (status >= 0)
        status = parallel_for(ctx, g->p, assemble_sample, g, "assembling", "matrices", (double)g->p,
                              NULL);
    if (status >= 0)
        status = spd_check(ctx, SPD_SET(g->n, g->p, g->X), 0.0);
    if (status == SPD_ENOTSPD || status == SPD_ENOTFINITE)
        status =
            ctx_fail(ctx, SPD_EINVAL, "signal %g makes the matrices too ill-conditioned; lower it",
                     g->options->signal);
    return status;
}

/* ---- the data set ---------------------------------------------------------------------------- */

static spd_status check(spd_context *ctx, const spd_synth_options *o)
{
    size_t p;
    if (o->classes < 1 || o->samples < 1 || mem_mul(o->classes, o->samples, &p) || p > INT32_MAX)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%zu classes of %zu samples; expected at least one of each, and at most "
                        "2^31 - 1 samples in all",
                        o->classes, o->samples);
    if (o->n < 1 || o->n > MOST_ROWS)
        return ctx_fail(ctx, SPD_EINVAL, "n is %zu; expected 1 to %d", o->n, MOST_ROWS);
    if (o->planted < 1 || o->planted > o->n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the planted subspace has %zu dimensions; expected 1 to n = %zu",
                        o->planted, o->n);
    if (!(o->signal >= 0.0 && o->signal <= 100.0))
        return ctx_fail(ctx, SPD_EINVAL, "signal is %g; expected 0 to 100", o->signal);
    return SPD_OK;
}

/* The parameters as JSON. */
static spd_status write_meta(spd_context *ctx, const spd_synth_options *o, spd_data *data)
{
    char text[600];
    text_locale saved;
    if (text_enter_c_locale(&saved))
        return ctx_nomem(ctx, "a locale");
    snprintf(text, sizeof text,
             "{\n  \"kind\": \"data\",\n  \"version\": \"%s\",\n  \"descriptor\": \"synth spd\",\n"
             "  \"parameters\": {\n    \"seed\": %llu,\n    \"classes\": %zu,\n"
             "    \"samples\": %zu,\n    \"n\": %zu,\n    \"planted\": %zu,\n"
             "    \"signal\": %.17g,\n    \"nuisance\": %.17g\n  }\n}",
             spd_version(), (unsigned long long)o->seed, o->classes, o->samples, o->n, o->planted,
             o->signal, NUISANCE);
    text_leave_c_locale(&saved);
    data->meta = mem_text(text);
    return data->meta ? SPD_OK : ctx_nomem(ctx, "the record of the parameters");
}

/* Room for the matrices, and everything that is not a matrix; classes follow one another. */
static spd_status new_data(spd_context *ctx, const spd_synth_options *o, spd_data *data)
{
    const size_t p = o->classes * o->samples, shape[] = {p, o->n, o->n};
    data->p = p;
    data->n = o->n;
    data->source = mem_text("generated data");
    spd_status status = data->source ? SPD_OK : ctx_nomem(ctx, "a data set");
    if (status >= 0)
        status = array_new(ctx, SPD_TYPE_FLOAT64, 3, shape, &data->x);
    if (status >= 0)
        status = array_new(ctx, SPD_TYPE_INT64, 1, shape, &data->y);
    if (status >= 0)
        status = array_rename(ctx, data->x, "X");
    if (status >= 0)
        status = array_rename(ctx, data->y, "y");
    if (status < 0)
        return status;
    data->X = data->x->f64;
    for (size_t i = 0; i < p; i++)
        data->y->i64[i] = (int64_t)(i / o->samples);
    status = labels_classify(ctx, data);
    return status < 0 ? status : write_meta(ctx, o, data);
}

spd_status spd_synth_data(spd_context *ctx, const spd_synth_options *options, double *planted,
                          spd_data **data)
{
    spd_synth_options chosen, *o = &chosen;
    ctx_clear(ctx);
    spd_status status = synth_take(ctx, SPD_SYNTH_SPD, options, o);
    if (status >= 0)
        status = check(ctx, o);
    if (status < 0)
        return status;
    planting g = {.options = o, .n = o->n, .d = o->planted, .k = o->n - o->planted};
    spd_data *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "a data set");
    status = new_data(ctx, o, fresh);
    if (status >= 0) {
        g.p = fresh->p;
        g.X = fresh->X;
        status = generate(ctx, &g);
    }
    if (status >= 0) {
        for (size_t i = 0; planted && i < g.n; i++) /* U */
            memcpy(planted + i * g.d, g.Q + i * g.n, g.d * sizeof *planted);
        *data = fresh;
    } else {
        spd_data_free(fresh);
    }
    arena_free(&g.room);
    return status < 0 ? status : SPD_OK;
}
