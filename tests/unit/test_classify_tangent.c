/* test_classify_tangent.c - nearest vectors, tangent spaces, pga and ts-lda against the formulas
 * written out: whole tangent vectors, whole scatter matrices, LAPACK's solver. */
#include "unit/test_classify_common.h"

#include "classify/vectors.h"
#include "classify/tangent.h"

#define Q 20
#define C 4

TEST(nearest_vectors)
{
    const size_t dims[] = {0, 1, 7, 8, 9, 255, 256, 257, 600};
    enum { COUNT = 23, QUERIES = 37 };
    rng r = seeded(1);
    for (size_t d = 0; d < sizeof dims / sizeof *dims; d++) {
        size_t dim = dims[d];
        double *V = block(COUNT * dim), *W = block(QUERIES * dim);
        int index[QUERIES], of[COUNT];
        for (int j = 0; j < COUNT; j++)
            of[j] = j;
        for (size_t e = 0; e < COUNT * dim; e++)
            V[e] = rng_normal(&r);
        for (size_t e = 0; e < QUERIES * dim; e++)
            W[e] = rng_normal(&r);
        memcpy(V + 20 * dim, V + 11 * dim, dim * sizeof *V); /* twice the same */
        memcpy(W, V + 11 * dim, dim * sizeof *V);
        CHECK(vectors_nearest(NULL, dim, COUNT, V, of, QUERIES, W, index, 0, NULL) == SPD_OK,
              "dim %zu", dim);
        CHECK(index[0] == (dim ? 11 : 0), "dim %zu: %d", dim, index[0]);
        for (size_t i = 0; i < QUERIES; i++) {
            size_t best = 0;
            for (size_t j = 1; j < COUNT; j++)
                if (gap_between(dim, W + i * dim, V + j * dim) <
                    gap_between(dim, W + i * dim, V + best * dim))
                    best = j;
            CHECK(index[i] == (int)best, "dim %zu, query %zu: %d, expected %zu", dim, i, index[i],
                  best);
        }
    }
}

TEST(products)
{
    enum { ROWS = 70, OTHERS = 13, DIM = 21 };
    rng r = seeded(2);
    double *A = block(ROWS * DIM), *B = block(OTHERS * DIM), *T = block(DIM * OTHERS);
    double *expected = block(ROWS * OTHERS), *got = block(ROWS * OTHERS);
    for (size_t e = 0; e < ROWS * DIM; e++)
        A[e] = rng_normal(&r);
    for (size_t e = 0; e < OTHERS * DIM; e++)
        B[e] = rng_normal(&r);
    vectors_flip(OTHERS, DIM, B, T);
    times(ROWS, DIM, OTHERS, A, T, expected);
    CHECK(vectors_products(NULL, DIM, ROWS, A, OTHERS, B, got) == SPD_OK, "products");
    CHECK(relative_gap(ROWS * OTHERS, got, expected) < 1e-14, "products");
    CHECK(vectors_products(NULL, 0, ROWS, A, OTHERS, B, got) == SPD_OK, "no dimensions");
    CHECK(norm(ROWS * OTHERS, got) == 0.0, "products of nothing are zero");
}

/* t (n(n+1)/2) <- lower triangle of A, off-diagonals times sqrt 2. */
static void twin_vec(size_t n, const double *A, double *t)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            *t++ = A[i * n + j] * (i == j ? 1.0 : sqrt(2.0));
}

/* T (p x n(n+1)/2) <- tangent vectors of X at M: log(M^-1/2 X M^-1/2), or log X - log M. */
static void twin_tangent(spd_metric metric, size_t n, const double *M, size_t p, const double *X,
                         double *T)
{
    size_t n2 = n * n, dim = n * (n + 1) / 2;
    double *W = block(n2), *B = block(n2), *L = block(n2), *logM = block(n2);
    spd_apply(NULL, SPD_FUNCTION_INVSQRT, 0.0, SPD_SET(n, 1, M), W);
    twin_function(n, log, M, logM);
    for (size_t i = 0; i < p; i++) {
        if (metric == SPD_METRIC_LOG_EUCLIDEAN) {
            twin_function(n, log, X + i * n2, L);
            for (size_t e = 0; e < n2; e++)
                L[e] -= logM[e];
        } else {
            congruent(n, n, W, X + i * n2, B);
            twin_function(n, log, B, L);
        }
        twin_vec(n, L, T + i * dim);
    }
}

typedef struct tangents {
    size_t dim;
    double *T, *TQ; /* training p x dim, queries q x dim */
} tangents;

static tangents twin_tangents(spd_metric metric, const spd_samples *train,
                              const spd_samples *queries)
{
    size_t n = train->n, dim = n * (n + 1) / 2;
    tangents t = {dim, block(train->p * dim), block(queries->p * dim)};
    double *M = block(n * n);
    spd_mean(NULL, metric, SPD_SET(n, train->p, train->X), NULL, M, NULL);
    twin_tangent(metric, n, M, train->p, train->X, t.T);
    twin_tangent(metric, n, M, queries->p, queries->X, t.TQ);
    return t;
}

/* Nearest neighbour on the d leading axes of T'T. */
static void twin_pga(const spd_samples *train, const spd_samples *queries, const tangents *t,
                     size_t d, int *label)
{
    size_t dim = t->dim, p = train->p;
    double *G = block(dim * dim), *Tt = block(dim * p), *lambda = block(dim), *V = block(dim * dim);
    double *A = block(p * dim), *B = block(dim);
    flip(p, dim, t->T, Tt);
    times(dim, p, dim, Tt, t->T, G);
    twin_eigh(dim, G, lambda, V);
    times(p, dim, dim, t->T, V, A);
    for (size_t i = 0; i < queries->p; i++) {
        double best = INFINITY;
        times(1, dim, dim, t->TQ + i * dim, V, B);
        for (size_t j = 0; j < p; j++) { /* the leading axes come last */
            double gap = gap_between(d, A + j * dim + dim - d, B + dim - d);
            if (gap < best) {
                best = gap;
                label[i] = train->label[j];
            }
        }
    }
}

/* R (p x dim) <- residuals, m (classes x dim) <- means. */
static void twin_residuals(const spd_samples *train, size_t dim, const double *T, double *R,
                           double *m)
{
    for (size_t c = 0; c < train->classes; c++) {
        double count = 0.0;
        memset(m + c * dim, 0, dim * sizeof *m);
        for (size_t i = 0; i < train->p; i++)
            if ((size_t)train->label[i] == c) {
                count += 1.0;
                for (size_t e = 0; e < dim; e++)
                    m[c * dim + e] += T[i * dim + e];
            }
        for (size_t e = 0; e < dim; e++)
            m[c * dim + e] /= count;
    }
    for (size_t i = 0; i < train->p; i++)
        for (size_t e = 0; e < dim; e++)
            R[i * dim + e] = T[i * dim + e] - m[(size_t)train->label[i] * dim + e];
}

/* S (dim x dim) <- (1 - rho) S + rho mu I by the formulas of Ledoit and Wolf, term by term. */
static void twin_shrunk(size_t p, size_t dim, const double *R, double *S)
{
    double mu = 0.0, b = 0.0, d = 0.0, size = (double)dim;
    memset(S, 0, dim * dim * sizeof *S);
    for (size_t i = 0; i < p; i++)
        for (size_t e = 0; e < dim * dim; e++)
            S[e] += R[i * dim + e / dim] * R[i * dim + e % dim] / (double)p;
    for (size_t e = 0; e < dim; e++)
        mu += S[e * dim + e] / size;
    for (size_t i = 0; i < p; i++)
        for (size_t e = 0; e < dim * dim; e++)
            b += pow(R[i * dim + e / dim] * R[i * dim + e % dim] - S[e], 2.0);
    b /= size * (double)p * (double)p;
    for (size_t e = 0; e < dim * dim; e++)
        d += pow(S[e] - (e % (dim + 1) == 0 ? mu : 0.0), 2.0) / size;
    double rho = fmin(b, d) / d;
    for (size_t e = 0; e < dim * dim; e++)
        S[e] = (1.0 - rho) * S[e] + (e % (dim + 1) == 0 ? rho * mu : 0.0);
}

/* The class of least (t - m)'S^-1(t - m)/2 - ln(share). */
static void twin_lda(const spd_samples *train, const spd_samples *queries, const tangents *t,
                     int *label)
{
    size_t dim = t->dim, p = train->p;
    lapack_int size = (lapack_int)dim;
    double *R = block(p * dim), *m = block(train->classes * dim), *S = block(dim * dim);
    double *x = block(dim), *y = block(dim);
    twin_residuals(train, dim, t->T, R, m);
    twin_shrunk(p, dim, R, S);
    LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', size, S, size);
    for (size_t i = 0; i < queries->p; i++) {
        double best = INFINITY;
        for (size_t c = 0; c < train->classes; c++) {
            double cost = 0.0, share = 0.0;
            for (size_t e = 0; e < dim; e++)
                x[e] = y[e] = t->TQ[i * dim + e] - m[c * dim + e];
            LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', size, 1, S, size, y, 1);
            for (size_t e = 0; e < dim; e++)
                cost += 0.5 * x[e] * y[e];
            for (size_t j = 0; j < p; j++)
                share += (size_t)train->label[j] == c ? 1.0 / (double)p : 0.0;
            if (cost - log(share) < best) {
                best = cost - log(share);
                label[i] = (int)c;
            }
        }
    }
}

/* Distances between vectors on the axes are those between whole tangent vectors: for training
 * samples exactly, and the axes are orthonormal. */
static void axes_keep_distances(size_t n, size_t p, spd_metric metric)
{
    labelled_set train = labelled_random(3, n, p, C, 0.7);
    tangents t = twin_tangents(metric, &train.samples, &train.samples);
    FREED_BY(arena_free) arena room = {0};
    tangent_space space, *s = &space;
    double *E = NULL, *again = NULL;
    CHECK(tangent_learn(NULL, metric, &train.samples, &room, s) == SPD_OK, "n = %zu", n);
    CHECK(s->rank <= p && s->rank <= t.dim, "rank %zu", s->rank);
    CHECK(tangent_map(NULL, s, &train.samples, &room, &again) == SPD_OK, "map");
    CHECK(gap_between(p * s->rank, again, s->vectors) < 1e-9, "queries as training samples");
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < i; j++)
            CHECK_CLOSE(gap_between(s->rank, s->vectors + i * s->rank, s->vectors + j * s->rank),
                        gap_between(t.dim, t.T + i * t.dim, t.T + j * t.dim), 1e-8, "n = %zu, %s",
                        n, METRIC_NAME(metric));
    E = block(s->rank * s->rank);
    vectors_products(NULL, s->dim, s->rank, s->axes, s->rank, s->axes, E);
    for (size_t e = 0; e < s->rank * s->rank; e++)
        CHECK_CLOSE(E[e], e % (s->rank + 1) == 0 ? 1.0 : 0.0, 1e-7, "axes, n = %zu", n);
}

/* More samples than dimensions, and fewer. */
TEST(tangent_axes)
{
    axes_keep_distances(3, 30, SPD_METRIC_AIRM);
    axes_keep_distances(8, 20, SPD_METRIC_AIRM);
    axes_keep_distances(3, 30, SPD_METRIC_LOG_EUCLIDEAN);
    axes_keep_distances(8, 20, SPD_METRIC_LOG_EUCLIDEAN);
}

static void compare_pga(size_t n, size_t p, spd_metric metric)
{
    const size_t ds[] = {1, 2, 5, 6, 1000};
    labelled_set train = labelled_random(4, n, p, C, 0.9), test = labelled_random(5, n, Q, C, 0.9);
    tangents t = twin_tangents(metric, &train.samples, &test.samples);
    int label[Q], expected[Q];
    for (size_t k = 0; k < sizeof ds / sizeof *ds; k++) {
        spd_method method = steps_method(&classifier_pga, metric, &train.samples);
        method.value[SPD_PARAMETER_DIMENSIONS] = (double)ds[k];
        steps_good(&classifier_pga, &method, &train, &test, label);
        size_t most = p < t.dim ? p : t.dim;
        twin_pga(&train.samples, &test.samples, &t, ds[k] < most ? ds[k] : most, expected);
        CHECK(memcmp(label, expected, sizeof label) == 0, "n = %zu, %zu dimensions", n, ds[k]);
    }
}

TEST(principal_geodesics)
{
    compare_pga(3, 40, SPD_METRIC_AIRM);
    compare_pga(7, 20, SPD_METRIC_AIRM);
    compare_pga(7, 20, SPD_METRIC_LOG_EUCLIDEAN);
}

TEST(parameters_of_pga)
{
    labelled_set train = labelled_random(5, 3, 30, 2, 0.3);
    double values[8];
    size_t count = steps_grid(&classifier_pga, &train.samples, SPD_PARAMETER_DIMENSIONS, values);
    CHECK(count == 2 && values[0] == 5.0 && values[1] == 6.0, "%zu values", count);
    CHECK(choice_standard(classifier_choice(&classifier_pga, SPD_PARAMETER_DIMENSIONS),
                          &train.samples) == 6.0,
          "the default");
    train.samples.n = 100;
    count = steps_grid(&classifier_pga, &train.samples, SPD_PARAMETER_DIMENSIONS, values);
    CHECK(count == 4 && values[3] == 30.0, "%zu values", count);
    spd_method method = {.metric = SPD_METRIC_AIRM};
    spd_context *ctx = context_on(0);
    int label[30];
    train.samples.n = 3;
    method.value[SPD_PARAMETER_DIMENSIONS] = 0.0;
    CHECK_FAILED(ctx,
                 steps_run(ctx, &classifier_pga, &method, &train.samples, &train.samples, label),
                 SPD_EINVAL, "dimensions is 0");
}

static void compare_lda(size_t n, size_t p, spd_metric metric)
{
    labelled_set train = labelled_random(6, n, p, C, 0.9), test = labelled_random(7, n, Q, C, 0.9);
    int label[Q], expected[Q];
    for (size_t i = 0; i < p / 3; i++) /* classes of different size: their shares count */
        train.label[i] = 1;
    tangents t = twin_tangents(metric, &train.samples, &test.samples);
    spd_method method = steps_method(&classifier_ts_lda, metric, &train.samples);
    steps_good(&classifier_ts_lda, &method, &train, &test, label);
    twin_lda(&train.samples, &test.samples, &t, expected);
    CHECK(memcmp(label, expected, sizeof label) == 0, "n = %zu, p = %zu, %s", n, p,
          METRIC_NAME(metric));
}

TEST(discriminants)
{
    compare_lda(3, 60, SPD_METRIC_AIRM);
    compare_lda(4, 12, SPD_METRIC_AIRM);
    compare_lda(8, 24, SPD_METRIC_AIRM); /* 36 dimensions, 24 samples */
    compare_lda(8, 24, SPD_METRIC_STEIN);
    compare_lda(8, 24, SPD_METRIC_LOG_EUCLIDEAN);
    compare_lda(5, 150, SPD_METRIC_LOG_EUCLIDEAN);
}

/* Curved metrics are whitened by the mean, flat ones moved by it. */
TEST(curved_or_flat)
{
    enum { COUNT = 8 };
    labelled_set train = labelled_random(8, 4, COUNT, 2, 0.3);
    FREED_BY(arena_free) arena room = {0};
    tangent_space s;
    spd_context *ctx = context_on(0);
    spd_status status = tangent_learn(ctx, SPD_METRIC_AIRM, &train.samples, &room, &s);
    CHECK(status == SPD_OK && s.whiten && !s.origin, "curved: %d", (int)status);
    status = tangent_learn(ctx, SPD_METRIC_EUCLIDEAN, &train.samples, &room, &s);
    CHECK(status == SPD_OK && s.origin && !s.whiten, "flat: %d", (int)status);
}
