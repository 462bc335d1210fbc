/* stacks.c - stacks n x n x p of symmetric and Hermitian matrices, maps W, and samples with labels. */
#include <math.h>
#include <string.h>

#include "gateway.h"

/* ---- from MATLAB ----------------------------------------------------------------------------- */

/* Z (rows x columns, real and imaginary parts in turn, row by row) <- a matrix of MATLAB. */
static void gather(const mxArray *value, size_t first, size_t rows, size_t columns, double *Z)
{
    int single = mxIsSingle(value);
    const double *re = single ? NULL : mxGetPr(value), *im = single ? NULL : mxGetPi(value);
    const float *sre = single ? mxGetData(value) : NULL,
                *sim = single ? mxGetImagData(value) : NULL;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            size_t at = first + j * rows + i, to = 2 * (i * columns + j);
            Z[to] = single ? (double)sre[at] : re[at];
            Z[to + 1] = single ? (sim ? (double)sim[at] : 0.0) : im ? im[at] : 0.0;
        }
}

/* The stack as float64 of our own: real forms of complex matrices, or a copy. */
static double *own_copy(const mxArray *value, const stack *s)
{
    size_t n = s->n, N = s->set.n, each = n * n;
    double *X = mxMalloc(N * N * s->p * sizeof *X);
    if (s->complex) {
        double *Z = mxMalloc(2 * each * sizeof *Z);
        for (size_t k = 0; k < s->p; k++) {
            gather(value, k * each, n, n, Z);
            spd_complex_embed(n, n, 1, Z, X + k * N * N);
        }
        mxFree(Z);
    } else if (mxIsSingle(value)) {
        const float *from = mxGetData(value);
        for (size_t e = 0; e < each * s->p; e++)
            X[e] = (double)from[e];
    } else {
        memcpy(X, mxGetPr(value), each * s->p * sizeof *X);
    }
    return X;
}

static void check_shape(const mxArray *value, const char *name, stack *s)
{
    const mwSize *size = mxGetDimensions(value);
    size_t ndim = mxGetNumberOfDimensions(value);
    if (!(mxIsDouble(value) || mxIsSingle(value)) || mxIsSparse(value))
        call_fail(
            "invalidArgument",
            "%s must be a full array of class double or single, not %s%s; try double(full(%s))",
            name, mxIsSparse(value) ? "sparse " : "", mxGetClassName(value), name);
    if (ndim > 3 || size[0] != size[1])
        call_fail("invalidArgument", "%s must be n x n x p, not %zu x %zu%s", name, (size_t)size[0],
                  (size_t)size[1], ndim > 3 ? " x ... with more than three dimensions" : " x p");
    s->n = size[0];
    s->p = ndim == 3 ? size[2] : 1;
    if (s->n == 0 || s->p == 0)
        call_fail("invalidArgument", "%s is empty", name);
}

static void fill(call *c, const mxArray *value, int complex, stack *s)
{
    s->complex = complex;
    s->set = (spd_set)SPD_STRUCT(spd_set);
    s->set.n = complex ? 2 * s->n : s->n;
    s->set.p = s->p;
    s->set.hermitian = complex;
    int repairs = c->symmetrize || c->regularize > 0.0;
    if (!complex && !repairs) {
        s->set.X = mxGetData(value);
        s->set.type = mxIsSingle(value) ? SPD_TYPE_FLOAT32 : SPD_TYPE_FLOAT64;
        return;
    }
    double *X = own_copy(value, s);
    if (c->symmetrize)
        spd_symmetrize(s->set.n, s->p, X);
    if (c->regularize > 0.0)
        spd_regularize(s->set.n, s->p, X, c->regularize, 0.0);
    s->set.X = X;
}

/* What helps against the last failure of spd_check, which knows nothing of how matrices are read. */
static void take_remedy(call *c, const stack *s)
{
    const spd_error *e = spd_context_error(c->ctx);
    size_t n = s->set.n;
    double trace = 0.0;
    c->remedy = e->status == SPD_ENOTSYM ? SPD_REMEDY_SYMMETRIZE : SPD_REMEDY_NONE;
    if (e->status != SPD_ENOTSPD || s->set.type != SPD_TYPE_FLOAT64 || e->index >= s->p)
        return;
    const double *X = (const double *)s->set.X + e->index * n * n;
    for (size_t i = 0; i < n; i++)
        trace += X[i * n + i];
    c->remedy = trace > 0.0 ? SPD_REMEDY_REGULARIZE : SPD_REMEDY_REMOVE;
    for (c->remedy_value = 1e-6;
         trace > 0.0 && c->remedy_value < 4.0 * fabs(e->value) * (double)n / trace;)
        c->remedy_value *= 10.0; /* well above zero, as in files */
}

/* spd_check tests for NaN and Inf first, then symmetry, definiteness last. */
static void check(call *c, int definite, const char *name, const stack *s)
{
    spd_status status = spd_check(c->ctx, &s->set, 0.0);
    c->alias = name; /* the library calls it X */
    if (status < 0)
        take_remedy(c, s);
    if (definite || status != SPD_ENOTSPD)
        call_check(c, status);
    c->alias = NULL;
    c->remedy = SPD_REMEDY_NONE;
}

static const mxArray *matrices_in(const mxArray *value, const char *name)
{
    const mxArray *X = mxIsStruct(value) ? mxGetField(value, 0, "X") : value;
    if (!X)
        call_fail("invalidArgument", "%s is a struct without the field X", name);
    return X;
}

void stack_take(call *c, const mxArray *value, const char *name, int definite, stack *s)
{
    value = matrices_in(value, name);
    check_shape(value, name, s);
    fill(c, value, mxIsComplex(value), s);
    check(c, definite, name, s);
}

void stack_like(call *c, const mxArray *value, const char *name, const stack *other, stack *s)
{
    value = matrices_in(value, name);
    check_shape(value, name, s);
    if (s->n != other->n)
        call_fail("invalidArgument", "%s: %s has %zu x %zu matrices, the others are %zu x %zu",
                  c->command, name, s->n, s->n, other->n, other->n);
    if (!mxIsComplex(value) != !other->complex)
        call_fail("invalidArgument",
                  "%s: either all matrices are complex or none; try complex(...)", c->command);
    fill(c, value, other->complex, s);
    check(c, 1, name, s);
}

const double *stack_doubles(call *c, stack *s)
{
    (void)c;
    if (s->set.type == SPD_TYPE_FLOAT32) {
        const float *from = s->set.X;
        size_t count = s->set.n * s->set.n * s->p;
        double *X = mxMalloc(count * sizeof *X);
        for (size_t e = 0; e < count; e++)
            X[e] = (double)from[e];
        s->set.X = X;
        s->set.type = SPD_TYPE_FLOAT64;
    }
    return s->set.X;
}

/* ---- to MATLAB ------------------------------------------------------------------------------- */

result result_stack(size_t n, size_t p, int complex)
{
    const mwSize shape[] = {n, n, p};
    result r = {n, p, complex, NULL, NULL};
    r.array = mxCreateNumericArray(3, shape, mxDOUBLE_CLASS, complex ? mxCOMPLEX : mxREAL);
    r.X = complex ? mxMalloc(4 * n * n * p * sizeof *r.X) : mxGetPr(r.array);
    return r;
}

/* re, im (columns after each other) <- Z (rows x columns, row by row). */
static void scatter(size_t rows, size_t columns, const double *Z, double *re, double *im)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            re[j * rows + i] = Z[2 * (i * columns + j)];
            im[j * rows + i] = Z[2 * (i * columns + j) + 1];
        }
}

mxArray *result_array(result *r)
{
    size_t each = r->n * r->n;
    if (!r->complex)
        return r->array;
    spd_complex_extract(r->n, r->n, r->p, r->X, r->X);
    for (size_t k = 0; k < r->p; k++)
        scatter(r->n, r->n, r->X + 2 * k * each, mxGetPr(r->array) + k * each,
                mxGetPi(r->array) + k * each);
    mxFree(r->X);
    return r->array;
}

/* ---- maps ------------------------------------------------------------------------------------ */

mxArray *map_of(size_t n, size_t m, int complex, const double *W)
{
    if (!complex)
        return matrix_of(n, m, W);
    n /= 2;
    m /= 2;
    double *Z = mxMalloc(2 * n * m * sizeof *Z);
    mxArray *array = mxCreateDoubleMatrix(n, m, mxCOMPLEX);
    spd_complex_extract(n, m, 1, W, Z);
    scatter(n, m, Z, mxGetPr(array), mxGetPi(array));
    mxFree(Z);
    return array;
}

/* W in the library's layout, and its size there. */
double *map_take(const mxArray *value, const char *name, size_t *n, size_t *m, int complex)
{
    if (!(mxIsDouble(value) || mxIsSingle(value)) || mxIsSparse(value) ||
        mxGetNumberOfDimensions(value) != 2 || (mxIsComplex(value) && !complex))
        call_fail("invalidArgument", "%s must be a%s n x m matrix", name, complex ? "" : " real");
    size_t rows = mxGetM(value), columns = mxGetN(value);
    double *Z = mxMalloc(2 * (rows * columns + 1) * sizeof *Z);
    gather(value, 0, rows, columns, Z);
    *n = complex ? 2 * rows : rows;
    *m = complex ? 2 * columns : columns;
    double *W = mxMalloc((*n * *m + 1) * sizeof *W);
    if (complex)
        spd_complex_embed(rows, columns, 1, Z, W);
    for (size_t e = 0; !complex && e < rows * columns; e++)
        W[e] = Z[2 * e];
    mxFree(Z);
    return W;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Means and numbers of the observations behind the matrices, from data that `describe` made. */
static void take_means(samples *s)
{
    const mxArray *mean = mxGetField(s->data, 0, "feature_mean");
    const mxArray *counts = mxGetField(s->data, 0, "feature_count");
    size_t n = s->X.n, p = s->X.p, count, blocks;
    if (!mean || !counts || mxGetM(mean) != p || mxGetN(mean) != n || mxGetM(counts) != p)
        return;
    blocks = mxGetN(counts);
    s->view.blocks = blocks;
    s->view.mean = array_from(mean, "feature_mean", p)->f64;
    s->view.observations = blocks == 1 ? numbers_take(counts, "feature_count", &count)
                                       : array_from(counts, "feature_count", p)->f64;
}

/* V (p x height x width) <- images height x width x p, or features p x d. */
static void take_vectors(call *c, samples *s)
{
    const mxArray *value = option_value(c, "vectors");
    if (!value && s->data)
        value = mxGetField(s->data, 0, "images");
    if (!value)
        call_fail("invalidArgument",
                  "%s: this method reads vectors; give 'Vectors', images h x w x p or p x d",
                  c->command);
    const spd_array *a = array_from(value, "Vectors", s->X.p);
    if (a->type != SPD_TYPE_FLOAT64 || a->ndim < 2 || a->ndim > 3 || a->shape[0] != s->X.p)
        call_fail("invalidArgument",
                  "%s: 'Vectors' must be images h x w x p or features p x d, with p = %zu",
                  c->command, s->X.p);
    s->view.height = a->ndim == 3 ? a->shape[1] : 1;
    s->view.width = a->shape[a->ndim - 1];
    s->view.V = a->f64;
}

void samples_take(call *c, int labelled, int on_vectors, samples *s)
{
    const mxArray *X = c->input[0], *y = c->inputs > 1 ? c->input[1] : NULL;
    s->data = mxIsStruct(X) ? X : NULL;
    if (s->data && (!y || mxIsEmpty(y)))
        y = mxGetField(s->data, 0, "y");
    stack_take(c, X, "X", 1, &s->X);
    s->view = (spd_samples)SPD_STRUCT(spd_samples);
    s->view.p = s->X.p;
    s->view.n = s->X.set.n;
    s->view.X = stack_doubles(c, &s->X);
    s->view.hermitian = s->X.complex;
    if (y && !mxIsEmpty(y))
        labels_take(c, y, s->X.p, "y", &s->y);
    else if (labelled)
        call_fail("invalidArgument", "%s: labels are needed: spdml.%s(X, y, ...)", c->command,
                  c->command);
    s->view.classes = s->y.classes;
    s->view.label = s->y.label;
    s->view.class_name = s->y.name;
    if (s->data)
        take_means(s);
    if (on_vectors)
        take_vectors(c, s);
}

int *groups_take(call *c, const char *name, const samples *s, size_t *count)
{
    const mxArray *value = option_value(c, name);
    labels found = {0};
    if (!value)
        return NULL;
    char *column = text_take(value);
    if (column && !s->data)
        call_fail("invalidArgument",
                  "%s: '%s' must have a value for each matrix; names are those of a struct of data",
                  c->command, name);
    if (column)
        value = mxGetField(s->data, 0, column);
    if (!value)
        call_fail("invalidArgument", "%s: '%s': the data has no field '%s'", c->command, name,
                  column);
    labels_take(c, value, s->X.p, name, &found);
    *count = found.classes;
    return found.label;
}
