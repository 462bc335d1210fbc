/* test_explain.c - patterns of a map against their definition, what does not depend on the basis of
 * W, and the example that patterns exist for: a row of noise with a large weight. */
#include "repeat.h"

#include "random_spd.h"

enum { N = 9, M = 3 };

typedef struct found {
    double weight[N], carried[N], kept[N], pattern[N * M], variance[M];
} found;

static spd_status explain(const double *W, const double *mean, found *f)
{
    spd_explanation e = {.size = sizeof e,
                         .weight = f->weight,
                         .carried = f->carried,
                         .kept = f->kept,
                         .pattern = f->pattern,
                         .variance = f->variance};
    return spd_explain(NULL, N, M, W, mean, &e);
}

static void random_map(rng *r, double *W)
{
    for (size_t i = 0; i < N * M; i++)
        W[i] = rng_normal(r);
}

/* A (N x M) <- X W (W'XW)^-1, and S (M x M) <- W'XW */
static void twin_patterns(const double *W, const double *X, double *A, double *S)
{
    double T[M * N], XW[N * M], inverse[M * M];
    flip(N, M, W, T);
    congruent(M, N, T, X, S);
    times(N, N, M, X, W, XW);
    CHECK(spd_inverse(NULL, SPD_SET(M, 1, S), inverse) == SPD_OK, "inverse");
    times(N, M, M, XW, inverse, A);
}

/* Whatever basis W has: carried is the diagonal of A S A'. */
TEST(carried_is_its_definition)
{
    rng r = seeded(3);
    for (int turn = 0; turn < 5; turn++) {
        double *X = random_set(&r, N, 1, 100.0), W[N * M], A[N * M], S[M * M], C[N * N];
        found f;
        random_map(&r, W);
        twin_patterns(W, X, A, S);
        congruent(N, M, A, S, C);
        CHECK(explain(W, X, &f) == SPD_OK, "explained");
        for (size_t i = 0; i < N; i++) {
            CHECK_CLOSE(f.carried[i], C[i * N + i], 1e-11 * C[i * N + i], "row %zu", i);
            CHECK_CLOSE(f.kept[i], C[i * N + i] / X[i * N + i], 1e-11, "row %zu", i);
        }
    }
}

/* The patterns are those of the principal axes: with U = W V / sqrt(variance), V of the orthonormal
 * W, X U = A and U'XU = I; so A's columns are X (U) and (A' X^-1 A) = I. */
TEST(patterns_have_variance_one)
{
    rng r = seeded(4);
    double *X = random_set(&r, N, 1, 30.0), W[N * M], back[N * M], T[M * N], G[M * M],
           inverse[N * N];
    found f;
    random_map(&r, W);
    CHECK(explain(W, X, &f) == SPD_OK, "explained");
    CHECK(spd_inverse(NULL, SPD_SET(N, 1, X), inverse) == SPD_OK, "inverse");
    flip(N, M, f.pattern, T);
    times(N, N, M, inverse, f.pattern, back);
    times(M, N, M, T, back, G);
    for (size_t a = 0; a < M; a++) {
        double length = 0.0, largest = 0.0;
        for (size_t b = 0; b < M; b++)
            CHECK_CLOSE(G[a * M + b], a == b ? 1.0 : 0.0, 1e-11, "%zu, %zu", a, b);
        for (size_t i = 0; i < N; i++) {
            length += back[i * M + a] * back[i * M + a]; /* U_a has length 1/sqrt(variance) */
            if (fabs(f.pattern[i * M + a]) > fabs(largest))
                largest = f.pattern[i * M + a];
        }
        CHECK_CLOSE(length * f.variance[a], 1.0, 1e-11, "component %zu", a);
        CHECK(largest > 0.0 && (a == 0 || f.variance[a] <= f.variance[a - 1]), "component %zu", a);
    }
}

TEST(the_basis_does_not_matter)
{
    rng r = seeded(5);
    double *X = random_set(&r, N, 1, 50.0), W[N * M], R[M * M], other[N * M];
    found a, b;
    random_map(&r, W);
    for (size_t i = 0; i < M * M; i++)
        R[i] = rng_normal(&r) + (i % (M + 1) ? 0.0 : 3.0);
    times(N, M, M, W, R, other);
    CHECK(explain(W, X, &a) == SPD_OK && explain(other, X, &b) == SPD_OK, "explained");
    double weights = 0.0;
    for (size_t i = 0; i < N; i++) {
        CHECK_CLOSE(a.weight[i], b.weight[i], 1e-12, "row %zu", i);
        CHECK_CLOSE(a.carried[i], b.carried[i], 1e-11 * a.carried[i], "row %zu", i);
        CHECK(a.kept[i] > 0.0 && a.kept[i] <= 1.0, "row %zu keeps %g", i, a.kept[i]);
        weights += a.weight[i];
    }
    CHECK_CLOSE(weights, (double)M, 1e-12, "sum of weights");
}

/* One signal in row 0 with the noise of row 1 on top: w = (1, -1) finds it. The noise has as much
 * weight as the signal, and no pattern. */
TEST(noise_has_weight_but_no_pattern)
{
    const double signal = 1.0, noise = 4.0;
    const double X[] = {signal + noise, noise, noise, noise}, W[] = {1.0, -1.0};
    double weight[2], kept[2], pattern[2], variance[1];
    spd_explanation e = {
        .size = sizeof e, .weight = weight, .kept = kept, .pattern = pattern, .variance = variance};
    CHECK(spd_explain(NULL, 2, 1, W, X, &e) == SPD_OK, "explained");
    CHECK_CLOSE(weight[0], 0.5, 1e-14, "signal");
    CHECK_CLOSE(weight[1], 0.5, 1e-14, "noise");
    CHECK_CLOSE(pattern[0], 1.0, 1e-14, "signal");
    CHECK_CLOSE(pattern[1], 0.0, 1e-14, "noise");
    CHECK_CLOSE(kept[0], signal / (signal + noise), 1e-14, "signal");
    CHECK_CLOSE(variance[0], signal / 2.0, 1e-14, "variance");
}

TEST(without_a_mean_there_are_weights)
{
    rng r = seeded(6);
    double W[N * M];
    found f;
    random_map(&r, W);
    CHECK(explain(W, NULL, &f) == SPD_OK, "explained");
    for (size_t i = 0; i < N; i++)
        CHECK(f.carried[i] == f.weight[i] && f.kept[i] == f.weight[i], "row %zu", i);
    for (size_t c = 0; c < M; c++)
        CHECK(f.variance[c] == 1.0, "component %zu", c);
}

TEST(refusals)
{
    rng r = seeded(7);
    double *X = random_set(&r, N, 1, 50.0), W[N * M];
    spd_explanation e = SPD_STRUCT(spd_explanation);
    found f = {.weight = {7.0}};
    random_map(&r, W);
    CHECK(spd_explain(NULL, N, M, NULL, X, &e) == SPD_EINVAL, "no W");
    CHECK(spd_explain(NULL, N, M, W, X, NULL) == SPD_EINVAL, "no room");
    CHECK(spd_explain(NULL, M, N, W, X, &e) == SPD_EINVAL, "m above n");
    for (size_t i = 0; i < N; i++)
        W[i * M + 1] = 2.0 * W[i * M];
    CHECK(explain(W, X, &f) == SPD_EINVAL, "dependent columns");
    W[4] = (double)NAN;
    CHECK(explain(W, X, &f) == SPD_ENOTFINITE, "NaN in W");
    random_map(&r, W);
    X[0] = -1.0;
    CHECK(explain(W, X, &f) == SPD_ENOTSPD, "an indefinite mean");
    CHECK(f.weight[0] == 7.0, "outputs untouched");
}

TEST(memory)
{
    rng r = seeded(8);
    double *X = random_set(&r, N, 1, 50.0), W[N * M];
    random_map(&r, W);
    found f;
    for (sweep_state s = SWEEP(NULL, 1, &f, sizeof f); sweep_on(&s);)
        s.status = explain(W, X, &f);
}
