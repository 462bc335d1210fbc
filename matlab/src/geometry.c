/* geometry.c - distances, means, geodesics, functions of matrices, kernels, neighbours, embeddings. */
#include <math.h>
#include <string.h>

#include "gateway.h"

/* X, and Y or NULL if it is left out or empty. */
static stack *take_two(call *c, stack *X, stack *Y)
{
    stack_take(c, c->input[0], "X", 1, X);
    if (c->inputs < 2 || mxIsEmpty(c->input[1]))
        return NULL;
    stack_like(c, c->input[1], "Y", X, Y);
    return Y;
}

static spd_metric metric_option(call *c)
{
    return (spd_metric)option_word(c, "metric", SPD_ENUM_METRIC, SPD_METRIC_AIRM);
}

/* Frees by mxFree when MATLAB's function ends; the library writes row by row. */
static double *table(size_t rows, size_t columns)
{
    return mxCalloc(rows * columns + 1, sizeof(double));
}

static void take_roots(size_t count, double *d)
{
    for (size_t e = 0; e < count; e++)
        d[e] = sqrt(fmax(d[e], 0.0));
}

void command_distance(call *c)
{
    stack X, second;
    call_arguments(c, 1, 2);
    spd_metric metric = metric_option(c);
    int squared = option_flag(c, "squared");
    options_done(c);
    stack *Y = take_two(c, &X, &second);
    size_t q = Y ? Y->p : X.p;
    double *D = table(X.p, q);
    call_check(c, spd_pairwise2(c->ctx, metric, &X.set, Y ? &Y->set : NULL, D));
    if (!squared)
        take_roots(X.p * q, D);
    call_return(c, 0, matrix_of(X.p, q, D));
}

void command_mean(call *c)
{
    stack X;
    size_t count = 0;
    spd_mean_options o = SPD_STRUCT(spd_mean_options);
    spd_mean_info info = SPD_STRUCT(spd_mean_info);
    static const option rows[] = {{"tol", REAL, 0, INTO(spd_mean_options, tol)},
                                  {"maxiter", INT, 0, INTO(spd_mean_options, max_iter)}};
    call_arguments(c, 1, 1);
    o.max_iter = 200; /* as the command */
    spd_metric metric = metric_option(c);
    options_take(c, COUNT(rows), rows, &o);
    const mxArray *weights = option_value(c, "weights");
    options_done(c);
    stack_take(c, c->input[0], "X", 1, &X);
    if (weights) {
        o.weights = numbers_take(weights, "Weights", &count);
        if (count != X.p)
            call_fail("invalidArgument", "mean: 'Weights' has %zu entries for %zu matrices", count,
                      X.p);
    }
    result M = result_stack(X.n, 1, X.complex);
    call_check(c, spd_mean(c->ctx, metric, &X.set, &o, M.X, &info));
    call_return(c, 0, result_array(&M));
    mxArray *about = record();
    field(about, "iterations", number(info.iterations));
    field(about, "residual", number(info.residual));
    field(about, "converged", mxCreateLogicalScalar(info.converged != 0));
    call_return(c, 1, about);
}

void command_geodesic(call *c)
{
    stack X, Y;
    size_t steps;
    call_arguments(c, 3, 3);
    spd_metric metric = metric_option(c);
    options_done(c);
    stack_take(c, c->input[0], "X", 1, &X);
    stack_like(c, c->input[1], "Y", &X, &Y);
    double *t = numbers_take(c->input[2], "t", &steps);
    if (X.p == 1 && Y.p == 1 && steps > 1) { /* points on one geodesic */
        result G = result_stack(X.n, steps, X.complex);
        size_t each = X.set.n * X.set.n;
        const double *x = stack_doubles(c, &X), *y = stack_doubles(c, &Y);
        for (size_t k = 0; k < steps; k++)
            call_check(c, spd_geodesic(c->ctx, metric, X.set.n, x, y, t[k], G.X + k * each));
        call_return(c, 0, result_array(&G));
        return;
    }
    if (X.p != Y.p || (steps != 1 && steps != X.p))
        call_fail("invalidArgument",
                  "geodesic: X has %zu matrices, Y %zu and t %zu numbers; they must be as many",
                  X.p, Y.p, steps);
    result G = result_stack(X.n, X.p, X.complex);
    call_check(c, spd_geodesics(c->ctx, metric, &X.set, &Y.set, steps, t, G.X));
    call_return(c, 0, result_array(&G));
}

static void apply(call *c, spd_function f, int arguments)
{
    stack X;
    size_t count = 1;
    call_arguments(c, arguments, arguments);
    options_done(c);
    double *power = arguments > 1 ? numbers_take(c->input[1], "the power", &count) : NULL;
    if (count != 1)
        call_fail("invalidArgument", "powm: the power must be one number");
    stack_take(c, c->input[0], "X", f != SPD_FUNCTION_EXP, &X);
    result F = result_stack(X.n, X.p, X.complex);
    call_check(c, spd_apply(c->ctx, f, power ? *power : 1.0, &X.set, F.X));
    call_return(c, 0, result_array(&F));
}

void command_logm(call *c)
{
    apply(c, SPD_FUNCTION_LOG, 1);
}

void command_expm(call *c)
{
    apply(c, SPD_FUNCTION_EXP, 1);
}

void command_sqrtm(call *c)
{
    apply(c, SPD_FUNCTION_SQRT, 1);
}

void command_powm(call *c)
{
    apply(c, SPD_FUNCTION_POWER, 2);
}

void command_kernel(call *c)
{
    stack X, second;
    call_arguments(c, 1, 2);
    spd_kernel_kind kind =
        (spd_kernel_kind)option_word(c, "kernel", SPD_ENUM_KERNEL, SPD_KERNEL_STEIN);
    double beta = option_real(c, "beta", 1.0);
    options_done(c);
    stack *Y = take_two(c, &X, &second);
    size_t q = Y ? Y->p : X.p;
    double *K = table(X.p, q);
    call_check(c, spd_kernel(c->ctx, kind, beta, &X.set, Y ? &Y->set : NULL, K));
    call_return(c, 0, matrix_of(X.p, q, K));
}

void command_nearest(call *c)
{
    static const option rows[] = {
        {"search", WORD, SPD_ENUM_SEARCH, INTO(spd_nearest_options, search)},
        {"seed", SEED, 0, INTO(spd_nearest_options, seed)}};
    stack X, second;
    spd_nearest_options o = SPD_STRUCT(spd_nearest_options);
    spd_nearest_info info = SPD_STRUCT(spd_nearest_info);
    call_arguments(c, 1, 2);
    o.search = SPD_SEARCH_EXACT;
    o.seed = 1;
    spd_metric metric = metric_option(c);
    int squared = option_flag(c, "squared");
    double k = option_real(c, "k", 1.0);
    options_take(c, COUNT(rows), rows, &o);
    options_done(c);
    stack *Q = take_two(c, &X, &second);
    size_t q = Q ? Q->p : X.p, most = X.p - !Q;
    if (!(k >= 1.0 && k <= (double)most && k == floor(k)))
        call_fail("invalidArgument", "nearest: 'k' must be a whole number from 1 to %zu", most);
    size_t columns = (size_t)k;
    int64_t *index = mxCalloc(q * columns + 1, sizeof *index);
    double *d = table(q, columns), *from_one = table(q, columns);
    c->alias = Q ? NULL : "X";
    call_check(
        c, spd_nearest(c->ctx, metric, &X.set, Q ? &Q->set : NULL, columns, &o, index, d, &info));
    if (!squared)
        take_roots(q * columns, d);
    for (size_t e = 0; e < q * columns; e++)
        from_one[e] = (double)index[e] + 1.0;
    call_return(c, 0, matrix_of(q, columns, from_one));
    call_return(c, 1, matrix_of(q, columns, d));
    mxArray *about = record();
    field(about, "search", mxCreateString(spd_name(SPD_ENUM_SEARCH, info.search)));
    field(about, "pruned", number(info.pruned));
    field(about, "recall", number(info.recall));
    call_return(c, 2, about);
}

/* ---- embeddings ------------------------------------------------------------------------------ */

static void take_embedding(call *c, spd_embed_options *o)
{
    static const option rows[] = {
        {"method", WORD, SPD_ENUM_EMBEDDING, INTO(spd_embed_options, kind)},
        {"metric", WORD, SPD_ENUM_METRIC, INTO(spd_embed_options, metric)},
        {"k", SIZE, 0, INTO(spd_embed_options, k)},
        {"dimensions", SIZE, 0, INTO(spd_embed_options, dimensions)},
        {"perplexity", REAL, 0, INTO(spd_embed_options, perplexity)},
        {"iterations", SIZE, 0, INTO(spd_embed_options, iterations)},
        {"seed", SEED, 0, INTO(spd_embed_options, seed)}};
    o->kind = SPD_EMBEDDING_PGA;
    o->k = 10;
    o->dimensions = 2;
    o->seed = 1;
    o->iterations = 1000;
    options_take(c, COUNT(rows), rows, o);
    options_done(c);
}

void command_embed(call *c)
{
    stack X;
    spd_embed_options o = SPD_STRUCT(spd_embed_options);
    spd_embed_info info = SPD_STRUCT(spd_embed_info);
    call_arguments(c, 1, 1);
    stack_take(c, c->input[0], "X", 1, &X);
    take_embedding(c, &o);
    size_t d = o.dimensions < X.p ? o.dimensions : 1, p = X.p; /* more are refused below */
    double *Y = table(p, d), *lambda = table(d, 1);
    call_check(c, spd_embed(c->ctx, &o, X.set.n, p, stack_doubles(c, &X), Y, lambda, &info));
    int measured = X.complex && (o.kind == SPD_EMBEDDING_PGA || o.kind == SPD_EMBEDDING_MDS);
    for (size_t e = 0; measured && e < p * d; e++)
        Y[e] *= sqrt(0.5);
    for (size_t e = 0; measured && e < d; e++)
        lambda[e] *= 0.5;
    call_return(c, 0, matrix_of(p, d, Y));
    mxArray *about = record();
    field(about, "eigenvalue", matrix_of(d, 1, lambda));
    field(about, "explained", number(info.explained));
    field(about, "bandwidth", number(X.complex ? 0.5 * info.bandwidth : info.bandwidth));
    field(about, "perplexity", number(info.perplexity));
    field(about, "divergence", number(info.divergence));
    call_return(c, 1, about);
}
