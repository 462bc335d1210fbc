/* fuzz_geometry.c - the functions on sets of matrices, with any sizes, options and numbers: a
 * result without NaN, or a failure with a message that leaves its outputs alone. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "fuzz.h"

enum { N = 5, P = 6, ROOM = P * (N + 2) * (N + 2) };

/* What a call is given. */
typedef struct call {
    spd_context *ctx;
    fuzz_input in;
    size_t n, p, q, m;
    spd_metric metric;
    double X[P * N * N], Y[P * N * N], W[N * N];
    double out[ROOM], more[ROOM];
    int in_place; /* outputs may be incomplete after a failure */
} call;

static const double canary = 0x1.23456789abcdep+77;

static void draw(call *c)
{
    unsigned sizes = fuzz_byte(&c->in);
    c->n = sizes % (N + 1);
    c->p = fuzz_below(&c->in, P + 1);
    c->q = fuzz_below(&c->in, P + 1);
    c->m = fuzz_below(&c->in, N + 1);
    c->metric = (spd_metric)fuzz_below(&c->in, SPD_METRICS + 1);
    fuzz_matrices(&c->in, c->n, c->p, c->X);
    if (sizes & 128)
        memcpy(c->Y, c->X, sizeof c->Y);
    else
        fuzz_matrices(&c->in, c->n, c->q, c->Y);
    for (size_t i = 0; i < c->n * c->m; i++)
        c->W[i] = (i / c->m == i % c->m ? 1.0 : 0.0) + (sizes & 64 ? fuzz_real(&c->in) : 0.0);
    for (size_t i = 0; i < ROOM; i++)
        c->out[i] = c->more[i] = canary;
}

/* ---- the functions --------------------------------------------------------------------------- */

static spd_status do_check(call *c)
{
    return spd_check(c->ctx, SPD_SET(c->n, c->p, c->X), fuzz_real(&c->in));
}

static spd_status do_cholesky(call *c)
{
    return spd_cholesky(c->ctx, SPD_SET(c->n, c->p, c->X), c->out);
}

static spd_status do_logdet(call *c)
{
    return spd_logdet(c->ctx, SPD_SET(c->n, c->p, c->X), c->out);
}

static spd_status do_inverse(call *c)
{
    return spd_inverse(c->ctx, SPD_SET(c->n, c->p, c->X), c->out);
}

static spd_status do_eigh(call *c)
{
    return spd_eigh(c->ctx, SPD_SET(c->n, c->p, c->X), c->out,
                    fuzz_byte(&c->in) & 1 ? c->more : NULL);
}

static spd_status do_eigh_general(call *c)
{
    size_t p = c->p < c->q ? c->p : c->q;
    return spd_eigh_general(c->ctx, SPD_SET(c->n, p, c->X), SPD_SET(c->n, p, c->Y), c->out,
                            fuzz_byte(&c->in) & 1 ? c->more : NULL);
}

static spd_status do_congruence(call *c)
{
    return spd_congruence(c->ctx, SPD_SET(c->n, c->p, c->X), c->m, c->W, c->out);
}

static spd_status do_distance(call *c)
{
    return c->p && c->q ? spd_distance2(c->ctx, c->metric, c->n, c->X, c->Y, c->out) : SPD_OK;
}

static spd_status do_pairwise(call *c)
{
    c->in_place = 1;
    return spd_pairwise2(c->ctx, c->metric, SPD_SET(c->n, c->p, c->X),
                         fuzz_byte(&c->in) & 1 ? SPD_SET(c->n, c->q, c->Y) : NULL, c->out);
}

static spd_status do_kernel(call *c)
{
    c->in_place = 1;
    return spd_kernel(c->ctx, (spd_kernel_kind)fuzz_below(&c->in, 3), fuzz_real(&c->in),
                      SPD_SET(c->n, c->p, c->X),
                      fuzz_byte(&c->in) & 1 ? SPD_SET(c->n, c->q, c->Y) : NULL, c->out);
}

static spd_status do_nearest(call *c)
{
    int64_t index[P * (P + 2)];
    unsigned how = fuzz_byte(&c->in);
    size_t k = fuzz_below(&c->in, P + 2);
    const spd_nearest_options o = {.size = sizeof o, .brute = how & 1};
    return spd_nearest(c->ctx, c->metric, SPD_SET(c->n, c->p, c->X),
                       how & 2 ? SPD_SET(c->n, c->q, c->Y) : NULL, k, &o, index, c->out, NULL);
}

static spd_status do_mean(call *c)
{
    double weights[P];
    spd_mean_info info = SPD_STRUCT(spd_mean_info);
    unsigned how = fuzz_byte(&c->in);
    spd_mean_options options = {.size = sizeof options,
                                .weights = how & 1 ? weights : NULL,
                                .tol = how & 2 ? fuzz_real(&c->in) : 0.0,
                                .max_iter = (int)fuzz_byte(&c->in) - 2};
    for (size_t i = 0; i < P; i++)
        weights[i] = how & 1 ? fuzz_real(&c->in) : 1.0;
    return spd_mean(c->ctx, c->metric, SPD_SET(c->n, c->p, c->X), how & 4 ? NULL : &options, c->out,
                    how & 8 ? NULL : &info);
}

static spd_status do_geodesic(call *c)
{
    return c->p && c->q
               ? spd_geodesic(c->ctx, c->metric, c->n, c->X, c->Y, fuzz_real(&c->in), c->out)
               : SPD_OK;
}

static spd_status do_apply(call *c)
{
    spd_function f = (spd_function)fuzz_below(&c->in, SPD_FUNCTION_POWER + 2);
    return spd_apply(c->ctx, f, fuzz_real(&c->in), SPD_SET(c->n, c->p, c->X), c->out);
}

static spd_status do_recenter(call *c)
{
    int group[P];
    for (size_t i = 0; i < P; i++)
        group[i] = (int)fuzz_byte(&c->in) % 4 - (fuzz_byte(&c->in) > 250);
    return spd_recenter(c->ctx, c->metric, c->n, c->p, c->X, group, c->out);
}

static spd_status do_covariance(call *c)
{
    unsigned how = fuzz_byte(&c->in);
    spd_covariance_options options = {.shrinkage = (spd_shrinkage)(how % (SPD_SHRINKAGES + 1)),
                                      .shrink = fuzz_real(&c->in),
                                      .regularize = fuzz_real(&c->in)};
    if (how & 128) {
        options.W = c->W;
        options.m = c->m;
        options.n = how & 64 ? c->n : 0;
    }
    return spd_covariance(c->ctx, c->p * c->n, c->n, c->X, how & 32 ? NULL : &options, c->out);
}

static spd_status do_embed(call *c)
{
    spd_embed_info info = SPD_STRUCT(spd_embed_info);
    spd_embed_options options = {.size = sizeof options,
                                 .kind = (spd_embedding)fuzz_below(&c->in, SPD_EMBEDDINGS + 1),
                                 .metric = c->metric,
                                 .k = fuzz_below(&c->in, P + 1),
                                 .dimensions = fuzz_below(&c->in, P + 1),
                                 .iterations = 1 + fuzz_below(&c->in, 4),
                                 .perplexity = fuzz_byte(&c->in) & 1 ? fuzz_real(&c->in) : 0.0,
                                 .theta = fuzz_byte(&c->in) & 1 ? fuzz_real(&c->in) : 0.5};
    return spd_embed(c->ctx, &options, c->n, c->p, c->X, c->out, c->more, &info);
}

static spd_status do_repair(call *c)
{
    spd_symmetrize(c->n, c->p, c->X);
    spd_regularize(c->n, c->p, c->X, fuzz_real(&c->in), fuzz_real(&c->in));
    return SPD_OK;
}

static spd_status do_cost(call *c)
{
    spd_pair pairs[P];
    spd_fit_options options;
    size_t count = fuzz_below(&c->in, P + 1);
    for (size_t k = 0; k < count; k++)
        pairs[k] = (spd_pair){fuzz_byte(&c->in) % (P + 1), fuzz_byte(&c->in) % (P + 1),
                              fuzz_real(&c->in), fuzz_real(&c->in)};
    spd_fit_defaults(&options, sizeof options);
    options.m = c->m;
    options.metric = c->metric;
    options.objective = (spd_objective)fuzz_below(&c->in, SPD_OBJECTIVE_SOFTMAX + 2);
    options.W = c->W;
    options.pairs = count;
    options.own_pairs = pairs;
    return spd_cost(c->ctx, SPD_SET(c->n, c->p, c->X), &options, c->out,
                    fuzz_byte(&c->in) & 1 ? c->more : NULL);
}

/* ---- the promises ---------------------------------------------------------------------------- */

static int untouched(const double *values)
{
    for (size_t i = 0; i < ROOM; i++)
        if (memcmp(&values[i], &canary, sizeof canary) != 0)
            return 0;
    return 1;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    static spd_status (*const functions[])(call *) = {
        do_check,    do_cholesky,   do_logdet, do_inverse, do_eigh, do_eigh_general, do_congruence,
        do_distance, do_pairwise,   do_kernel, do_nearest, do_mean, do_geodesic,     do_apply,
        do_recenter, do_covariance, do_embed,  do_repair,  do_cost};
    static call c;
    c = (call){.ctx = fuzz_context(), .in = {bytes, size}};
    const long live = mem_live();
    size_t which = fuzz_below(&c.in, sizeof functions / sizeof *functions);
    draw(&c);
    spd_status status = functions[which](&c);
    fuzz_check_message(c.ctx, status);
    if (status < 0 && !c.in_place && (!untouched(c.out) || !untouched(c.more)))
        abort();
    if (mem_live() != live)
        abort();
    return 0;
}
