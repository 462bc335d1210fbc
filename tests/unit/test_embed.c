/* test_embed.c - the steps of the embeddings against slow twins, what spd_embed refuses, and every
 * allocation failing once. Whole embeddings are compared with twins in tests/cli/test_embed.py. */
#include "random_spd.h"
#include "repeat.h"

#include "classify/embed.h"

#define N 4
#define P 40
#define K 9

static const spd_metric with_logs[] = {SPD_METRIC_AIRM, SPD_METRIC_LOG_EUCLIDEAN,
                                       SPD_METRIC_LOG_CHOLESKY, SPD_METRIC_EUCLIDEAN};

static double *samples_of(uint64_t seed, size_t n, size_t p)
{
    rng r = seeded(seed);
    return random_set(&r, n, p, 4.0);
}

static spd_embed_options options_of(spd_embedding kind, size_t k, size_t dimensions)
{
    return (spd_embed_options){
        .size = sizeof(spd_embed_options), .kind = kind, .k = k, .dimensions = dimensions};
}

static arena room; /* what a test finds, until its end */

static neighbourhoods found(spd_metric metric, size_t n, size_t p, const double *X, size_t k)
{
    neighbourhoods h;
    CHECK(neighbourhoods_find(NULL, metric, n, p, X, k, 1, &room, &h) == SPD_OK, " ");
    return h;
}

/* v (n n + n, zero where unused) <- the tangent vector at X towards Y in orthonormal coordinates.
 */
static void twin_log_map(spd_metric metric, size_t n, const double *X, const double *Y, double *v)
{
    double *A = block(n * n), *B = block(n * n);
    lapack_int size = (lapack_int)n;
    memset(v, 0, (n * n + n) * sizeof *v);
    if (metric == SPD_METRIC_AIRM) {
        twin_function(n, sqrt, X, A); /* A <- X^-1/2 */
        for (size_t e = 0; e < n * n; e++)
            B[e] = e % (n + 1) == 0 ? 1.0 : 0.0;
        lapack_int pivots[32];
        if (LAPACKE_dgesv(LAPACK_ROW_MAJOR, size, size, A, size, pivots, B, size))
            abort();
        congruent(n, n, B, Y, A);
        twin_function(n, log, A, v);
    } else if (metric == SPD_METRIC_LOG_CHOLESKY) {
        memcpy(A, X, n * n * sizeof *A);
        memcpy(B, Y, n * n * sizeof *B);
        if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', size, A, size) ||
            LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', size, B, size))
            abort();
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c <= r; c++)
                v[r * n + c] =
                    r == c ? log(B[r * n + c] / A[r * n + c]) : B[r * n + c] - A[r * n + c];
    } else {
        int flat = metric == SPD_METRIC_EUCLIDEAN;
        memcpy(A, X, n * n * sizeof *A);
        memcpy(B, Y, n * n * sizeof *B);
        if (!flat) {
            twin_function(n, log, X, A);
            twin_function(n, log, Y, B);
        }
        for (size_t e = 0; e < n * n; e++)
            v[e] = B[e] - A[e];
    }
}

/* Largest gap between G_i and the dot products of the tangent vectors. */
static double gram_gap(spd_metric metric, size_t n, const double *X, const neighbourhoods *h,
                       size_t i)
{
    size_t k = h->k, size = n * n + n;
    double *V = block(k * size), *T = block(size * k), *G = block(k * k), worst = 0.0;
    for (size_t a = 0; a < k; a++)
        twin_log_map(metric, n, X + i * n * n, X + (size_t)h->index[i * k + a] * n * n,
                     V + a * size);
    flip(k, size, V, T);
    times(k, size, k, V, T, G);
    for (size_t e = 0; e < k * k; e++)
        worst = fmax(worst, fabs(G[e] - h->G[i * k * k + e]));
    return worst;
}

TEST(grams_equal_the_twin)
{
    const size_t sizes[] = {1, 2, 5, 17};
    for (size_t s = 0; s < 4; s++)
        for (size_t m = 0; m < 4; m++) {
            size_t n = sizes[s], p = 25, k = 19; /* more than one block of neighbours */
            double *X = samples_of(s + 1, n, p), worst = 0.0;
            neighbourhoods h = found(with_logs[m], n, p, X, k);
            for (size_t i = 0; i < p; i += 3)
                worst = fmax(worst, gram_gap(with_logs[m], n, X, &h, i));
            CHECK(worst < 1e-11 * (double)n, "%s, n = %zu", METRIC_NAME(with_logs[m]), n);
            for (size_t i = 0; i < p; i++) /* along the diagonal: distances */
                for (size_t a = 0; a < k; a++)
                    CHECK_CLOSE(h.G[(i * k + a) * k + a], h.d2[i * k + a], 1e-11 * (double)n, "%s",
                                METRIC_NAME(with_logs[m]));
            arena_free(&room);
        }
}

/* |M x| */
static double image(size_t p, const double *M, const double *x)
{
    double *y = block(p);
    times(p, p, 1, M, x, y);
    return norm(p, y);
}

/* w (k) <- (G + 0.001 tr G I)^-1 1, scaled to sum 1. */
static void twin_weights(size_t k, size_t stride, const double *G, double *w)
{
    double *A = block(k * k), trace = 0.0, sum = 0.0;
    lapack_int pivots[64];
    for (size_t r = 0; r < k; r++)
        trace += G[r * stride + r];
    for (size_t r = 0; r < k; r++) {
        for (size_t c = 0; c < k; c++)
            A[r * k + c] = G[r * stride + c] + (r == c ? 1e-3 * trace : 0.0);
        w[r] = 1.0;
    }
    if (LAPACKE_dgesv(LAPACK_ROW_MAJOR, (lapack_int)k, 1, A, (lapack_int)k, pivots, w, 1))
        abort();
    for (size_t r = 0; r < k; r++)
        sum += w[r];
    for (size_t r = 0; r < k; r++)
        w[r] /= sum;
}

TEST(lle_equals_the_twin)
{
    double *X = samples_of(3, N, P), ones[P], w[K];
    neighbourhoods h = found(SPD_METRIC_AIRM, N, P, X, K);
    for (size_t k = 2; k <= K; k += 7) {
        double *M = take_zeros(P * P, sizeof *M), *R = take_zeros(P * P, sizeof *R),
               *T = block(P * P);
        double *twin = block(P * P);
        CHECK(lle_matrix(NULL, &h, k, M) == SPD_OK, " ");
        for (size_t i = 0; i < P; i++) { /* R = I - W */
            twin_weights(k, K, h.G + i * K * K, w);
            R[i * P + i] = ones[i] = 1.0;
            for (size_t c = 0; c < k; c++)
                R[i * P + (size_t)h.index[i * K + c]] -= w[c];
        }
        flip(P, P, R, T);
        times(P, P, P, T, R, twin);
        CHECK_CLOSE(relative_gap(P * P, M, twin), 0.0, 1e-11, "k = %zu", k);
        CHECK(image(P, M, ones) < 1e-12, "weights do not sum to one: %g", image(P, M, ones));
        CHECK(skewness(P, M) == 0.0, "not symmetric");
    }
    arena_free(&room);
}

/* Fewer neighbours out of many are the same as fewer from the start. */
TEST(fewer_neighbours_are_a_beginning)
{
    double *X = samples_of(4, N, P), degree[P];
    neighbourhoods many = found(SPD_METRIC_AIRM, N, P, X, 20),
                   few = found(SPD_METRIC_AIRM, N, P, X, K);
    double *A = block(P * P), *B = block(P * P);
    for (int kind = 0; kind < 3; kind++) {
        for (int pass = 0; pass < 2; pass++) {
            const neighbourhoods *h = pass ? &few : &many;
            double *M = pass ? A : B;
            memset(M, 0, P * P * sizeof *M);
            if (kind == 0)
                CHECK(lle_matrix(NULL, h, K, M) == SPD_OK, " ");
            else if (kind == 1)
                CHECK(hessian_matrix(NULL, h, K, 2, M) == SPD_OK, " ");
            else
                laplacian_matrix(h, K, laplacian_bandwidth(h, K), degree, M);
        }
        CHECK(relative_gap(P * P, A, B) < 1e-13, "kind %d: %g", kind, relative_gap(P * P, A, B));
    }
    arena_free(&room);
}

/* Diagonal matrices exp(a, b, 0, ...): AIRM is flat on them, and a and b have no Hessian. */
TEST(hessians_vanish_on_flat_coordinates)
{
    double *X = take_zeros(P * N * N, sizeof *X), *M = take_zeros(P * P, sizeof *M), f[3][P];
    rng r = seeded(6);
    for (size_t i = 0; i < P; i++) {
        f[0][i] = 1.0;
        for (size_t d = 0; d < N; d++) {
            double value = d < 2 ? rng_uniform(&r) : 0.0;
            X[i * N * N + d * (N + 1)] = exp(value);
            if (d < 2)
                f[1 + d][i] = value;
        }
    }
    neighbourhoods h = found(SPD_METRIC_AIRM, N, P, X, K);
    CHECK(hessian_matrix(NULL, &h, K, 2, M) == SPD_OK, " ");
    for (int d = 0; d < 3; d++)
        CHECK(image(P, M, f[d]) < 1e-9, "function %d: %g", d, image(P, M, f[d]));
    for (size_t i = 0; i < P; i++)
        f[0][i] = f[1][i] * f[2][i];
    CHECK(image(P, M, f[0]) > 0.1, "a product has a Hessian: %g", image(P, M, f[0]));
    arena_free(&room);
}

/* In five clusters of equals everything is zero or equal, and nothing is NaN. */
TEST(equal_matrices)
{
    double *X = block(P * N * N), *Y = block(P * 2), lambda[2];
    for (size_t i = 0; i < P; i++)
        for (size_t e = 0; e < N * N; e++)
            X[i * N * N + e] = e % (N + 1) == 0 ? 1.0 + (double)(i % 5) : 0.0;
    neighbourhoods h = found(SPD_METRIC_AIRM, N, P, X, 7);
    for (int kind = 0; kind < 3; kind++) {
        spd_embed_options o = options_of((spd_embedding)kind, 7, 2);
        double t;
        CHECK(embed_graph(NULL, &o, &h, 0, Y, lambda, &t) == SPD_OK, " ");
        for (size_t e = 0; e < P * 2; e++)
            CHECK(isfinite(Y[e]), "kind %d", kind);
        CHECK(lambda[0] == 0.0 && lambda[1] == 0.0, "five parts: two known coordinates");
    }
    arena_free(&room);
}

TEST(laplacian_has_its_null_vector)
{
    double *X = samples_of(7, N, P), *M = take_zeros(P * P, sizeof *M), degree[P], root[P],
           lambda[P];
    neighbourhoods h = found(SPD_METRIC_AIRM, N, P, X, K);
    laplacian_matrix(&h, K, 1e-4, degree, M); /* so small that all weights are at their floor */
    for (size_t i = 0; i < P; i++) {
        CHECK(degree[i] >= 0.99e-12 * K, "%g", degree[i]);
        root[i] = sqrt(degree[i]);
    }
    CHECK(image(P, M, root) < 1e-12 * norm(P, root), "%g", image(P, M, root));
    twin_eigh(P, M, lambda, NULL);
    CHECK(lambda[0] > -1e-13 && lambda[P - 1] < 2.0 + 1e-13, "%g to %g", lambda[0], lambda[P - 1]);
    arena_free(&room);
}

/* Samples 0 .. 29 in three clusters far apart: 15, 10 and 5 of them, mixed. */
static double *clusters(int *cluster)
{
    double *X = samples_of(8, N, 30);
    for (size_t i = 0; i < 30; i++) {
        cluster[i] = i % 6 == 0 ? 2 : i % 3 == 1 ? 1 : 0;
        for (size_t e = 0; e < N * N; e++)
            X[i * N * N + e] *= pow(1e4, cluster[i]);
    }
    return X;
}

TEST(components_are_found)
{
    int cluster[30];
    double *X = clusters(cluster);
    neighbourhoods h = found(SPD_METRIC_AIRM, N, 30, X, 4);
    graph_components components;
    spd_context *ctx = context_on(0);
    CHECK(components_find(NULL, &h, 4, &room, &components) == SPD_OK && components.count == 3,
          "%zu", components.count);
    CHECK(components.size[0] == 15 && components.size[1] == 10 && components.size[2] == 5, " ");
    for (size_t i = 0; i < 30; i++)
        CHECK(components.component[i] == (size_t)cluster[i], "sample %zu", i);
    CHECK_FAILED(ctx, components_refuse(ctx, &components, 30, 4, 0), SPD_EINVAL,
                 "3 parts|X[0], with 5");
    CHECK(components_find(NULL, &h, 1, &room, &components) == SPD_OK && components.count > 3, "%zu",
          components.count);
    arena_free(&room);
}

/* A graph of p samples in a row with k random neighbours each, few steps away; G random SPD. */
static neighbourhoods random_graph(uint64_t seed, size_t p, size_t k)
{
    neighbourhoods h = {.p = p, .k = k, .index = take(p * k * sizeof *h.index)};
    rng r = seeded(seed);
    h.G = random_set(&r, k, p, 5.0);
    for (size_t i = 0; i < p; i++)
        for (size_t c = 0; c < k; c++) {
            size_t j = i + rng_below(&r, 7), again = 0;
            j = j < 3 ? 0 : j - 3 < p ? j - 3 : p - 1;
            again |= j == i;
            for (size_t b = 0; b < c; b++)
                again |= (size_t)h.index[i * k + b] == j;
            h.index[i * k + c] = (int64_t)j;
            c -= again;
        }
    return h;
}

/* By who leads to whom, from all to all: i is in a closed group when all it leads to lead back. */
TEST(closed_groups_are_found)
{
    enum { MANY = 24 };
    int several = 0, transient = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        size_t k = 1 + seed % 2;
        neighbourhoods h = random_graph(seed, MANY, k);
        char leads[MANY][MANY] = {{0}};
        graph_components components;
        CHECK(components_find_closed(NULL, &h, k, &room, &components) == SPD_OK, " ");
        for (size_t i = 0; i < MANY; i++)
            for (size_t c = 0; c < k; c++)
                leads[i][h.index[i * k + c]] = 1;
        for (size_t m = 0; m < MANY; m++)
            for (size_t i = 0; i < MANY; i++)
                for (size_t j = 0; j < MANY; j++)
                    leads[i][j] |= leads[i][m] && leads[m][j];
        for (size_t i = 0; i < MANY; i++) {
            int closed = 1;
            for (size_t j = 0; j < MANY; j++)
                closed &= !leads[i][j] || leads[j][i];
            CHECK(closed == (components.component[i] != NO_COMPONENT), "seed %d, sample %zu",
                  (int)seed, i);
            for (size_t j = 0; closed && j < MANY; j++)
                CHECK((i == j || leads[i][j]) ==
                          (components.component[i] == components.component[j]),
                      "%zu, %zu", i, j);
            transient += !closed;
        }
        for (size_t c = 0; c + 1 < components.count; c++)
            CHECK(components.size[c] >= components.size[c + 1], "not by size");
        several += components.count > 1;
    }
    arena_free(&room);
    CHECK(several > 5 && transient > 100, "%d, %d: too easy", several, transient);
}

/* What is 1 on one closed group and 0 on the others, and follows elsewhere, is reproduced. */
TEST(closed_groups_make_null_vectors)
{
    enum { MANY = 24 };
    int checked = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        neighbourhoods h = random_graph(seed, MANY, 2);
        double *M = take_zeros((size_t)MANY * MANY, sizeof *M), *Z, lambda[MANY];
        graph_components components;
        CHECK(components_find_closed(NULL, &h, 2, &room, &components) == SPD_OK, " ");
        CHECK(lle_matrix(NULL, &h, 2, M) == SPD_OK, " ");
        Z = block(components.count * MANY);
        CHECK(lle_vectors(NULL, MANY, M, &components, Z) == SPD_OK, " ");
        for (size_t c = 0; c < components.count; c++)
            CHECK(image(MANY, M, Z + c * MANY) < 1e-9, "seed %d", (int)seed);
        twin_eigh(MANY, M, lambda, NULL);
        CHECK(lambda[components.count - 1] < 1e-12 && lambda[components.count] > 1e-8,
              "seed %d, %zu groups: %g", (int)seed, components.count, lambda[components.count - 1]);
        checked += components.count > 1;
    }
    arena_free(&room);
    CHECK(checked > 5, "%d: too easy", checked);
}

/* The first coordinates tell the components, the others are orthogonal to them. */
TEST(components_come_first)
{
    int cluster[30];
    double *X = clusters(cluster), Y[30 * 5], lambda[5], t;
    neighbourhoods h = found(SPD_METRIC_AIRM, N, 30, X, 4);
    for (int kind = 0; kind < 3; kind++) {
        size_t d = kind == SPD_EMBEDDING_HESSIAN_LLE ? 1 : 5;
        spd_embed_options o = options_of((spd_embedding)kind, 4, d);
        CHECK(embed_graph(NULL, &o, &h, 0, Y, lambda, &t) == SPD_OK, " ");
        for (size_t i = 0; i < 30; i++)
            for (size_t j = 0; j < 30; j++) {
                double gap = fabs(Y[i * d] - Y[j * d]);
                if (d > 1)
                    gap += fabs(Y[i * d + 1] - Y[j * d + 1]);
                int same = cluster[i] == cluster[j];
                CHECK(same ? gap < 1e-12 : gap > 0.1 || d == 1, "kind %d, %zu and %zu: %g", kind, i,
                      j, gap);
            }
        CHECK(d == 1 || (lambda[1] == 0.0 && lambda[2] > 1e-6), "%g, %g", lambda[1], lambda[2]);
    }
    arena_free(&room);
}

/* Columns are weighted orthogonal, to the constant too, and of mean square 1. */
TEST(coordinates_are_orthonormal)
{
    double *X = samples_of(9, N, P), Y[P * 3], lambda[3], degree[P],
           *M = take_zeros(P * P, sizeof *M);
    neighbourhoods h = found(SPD_METRIC_AIRM, N, P, X, 12);
    laplacian_matrix(&h, 12, laplacian_bandwidth(&h, 12), degree, M);
    for (int kind = 0; kind < 3; kind++) {
        spd_embed_options o = options_of((spd_embedding)kind, 12, 3);
        double t, total = 0.0;
        CHECK(embed_graph(NULL, &o, &h, 1, Y, lambda, &t) == SPD_OK, " ");
        for (size_t i = 0; i < P; i++)
            total += kind == SPD_EMBEDDING_LAPLACIAN ? degree[i] : 1.0;
        for (size_t a = 0; a < 3; a++)
            for (size_t b = 0; b <= 3; b++) { /* 3: the constant */
                double sum = 0.0;
                for (size_t i = 0; i < P; i++)
                    sum += (kind == SPD_EMBEDDING_LAPLACIAN ? degree[i] : 1.0) / total *
                           Y[i * 3 + a] * (b == 3 ? 1.0 : Y[i * 3 + b]);
                CHECK_CLOSE(sum, a == b ? 1.0 : 0.0, 1e-11, "kind %d, %zu and %zu", kind, a, b);
            }
        CHECK(lambda[0] > 0.0 && lambda[0] <= lambda[1] && lambda[1] <= lambda[2], "not ascending");
    }
    arena_free(&room);
}

TEST(signs)
{
    double Y[] = {1, -4, 0, -2, 3, 0};
    spectral_signs(2, 3, Y);
    CHECK(Y[0] == -1 && Y[3] == 2 && Y[1] == 4 && Y[4] == -3 && Y[2] == 0, " ");
}

static void refused(const char *words, const spd_embed_options *o, size_t p)
{
    double *X = samples_of(10, 2, 12), Y[12 * 12] = {0.5}, before[12 * 12];
    spd_context *ctx = context_on(0);
    memcpy(before, Y, sizeof Y);
    spd_status status = spd_embed(ctx, o, 2, p, X, Y, NULL, NULL);
    CHECK(status == SPD_EINVAL, "%s: %d", words, (int)status);
    CHECK_SAYS(ctx, words);
    CHECK(memcmp(before, Y, sizeof Y) == 0, "%s: output touched", words);
}

TEST(what_is_refused)
{
    spd_embed_options o = options_of(SPD_EMBEDDING_LLE, 5, 2);
    refused("one matrix", &o, 1);
    o.k = 12;
    refused("k is 12", &o, 12);
    o.k = 0;
    refused("k is 0", &o, 12);
    o.k = 5;
    o.dimensions = 0;
    refused("0 dimensions", &o, 12);
    o.dimensions = 12;
    refused("12 dimensions", &o, 12);
    o.dimensions = 2;
    o.metric = SPD_METRIC_STEIN;
    refused("stein", &o, 12);
    o.metric = SPD_METRICS;
    refused("unknown metric", &o, 12);
    o = options_of(SPD_EMBEDDING_HESSIAN_LLE, 5, 2);
    refused("= 6 neighbours", &o, 12);
    o.dimensions = 4;
    refused("has only 3", &o, 12);
    o = options_of(SPD_EMBEDDINGS, 5, 2);
    refused("unknown kind", &o, 12);
    o.size = 0;
    CHECK(spd_embed(NULL, &o, 2, 3, &o.theta, &o.theta, NULL, NULL) == SPD_EINVAL, "no size");
    CHECK(spd_embed(NULL, NULL, 2, 3, &o.theta, &o.theta, NULL, NULL) == SPD_EINVAL, " ");
    CHECK(spd_name(SPD_ENUM_EMBEDDING, SPD_EMBEDDINGS) == NULL, " ");
}

TEST(bad_matrices_are_named)
{
    double *X = samples_of(11, N, P), Y[P * 2];
    spd_context *ctx = context_on(0);
    X[17 * N * N] = -1.0;
    for (int kind = 0; kind < SPD_EMBEDDINGS; kind++) {
        spd_embed_options o = options_of((spd_embedding)kind, 8, 2);
        CHECK_FAILED(ctx, spd_embed(ctx, &o, N, P, X, Y, NULL, NULL), SPD_ENOTSPD, "X[17]");
    }
}

TEST(threads_change_no_bit)
{
    double *X = samples_of(12, N, P), Y[2][P * 3];
    spd_context *ctx = context_on(0);
    for (int kind = 0; kind < SPD_EMBEDDINGS; kind++) {
        spd_embed_options o = options_of((spd_embedding)kind, 12, 3);
        for (int pass = 0; pass < 2; pass++) {
            spd_context_set_threads(ctx, pass ? 3 : 1);
            CHECK_OK(ctx, spd_embed(ctx, &o, N, P, X, Y[pass], NULL, NULL));
        }
        CHECK(memcmp(Y[0], Y[1], sizeof Y[0]) == 0, "kind %d", kind);
    }
}

TEST(allocations)
{
    double *X = samples_of(13, N, P), Y[P * 2], lambda[2];
    spd_context *ctx = context_on(1);
    for (int kind = 0; kind < SPD_EMBEDDINGS; kind++) {
        spd_embed_options o = options_of((spd_embedding)kind, 10, 2);
        for (sweep_state s = SWEEP(ctx, 5, Y, sizeof Y); sweep_on(&s);)
            s.status = spd_embed(ctx, &o, N, P, X, Y, lambda, NULL);
        CHECK(spd_context_error(ctx)->status == SPD_OK, "kind %d still says it", kind);
    }
}
