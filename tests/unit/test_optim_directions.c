/* test_optim_directions.c - L-BFGS's direction against what it must be on quadratic costs, where
 * answers are known. */
#include "random_spd.h"
#include "test.h"

#include "optim/lbfgs.h"

#define N 6

static double dot(const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t e = 0; e < N; e++)
        sum += a[e] * b[e];
    return sum;
}

TEST(without_pairs_the_gradient)
{
    double room[2 * LBFGS_MEMORY * N], g[N] = {1, -2, 3, 0, 5, 6}, H[N];
    lbfgs memory;
    CHECK(lbfgs_room(N) == 2 * LBFGS_MEMORY * N, "%zu", lbfgs_room(N));
    lbfgs_open(&memory, N, room);
    lbfgs_direction(&memory, g, H);
    for (size_t e = 0; e < N; e++)
        CHECK(H[e] == -g[e], "entry %zu", e);
}

/* B <- (I - s y'/sy) B (I - y s'/sy) + s s'/sy, the dense formula. */
static void dense_update(double *B, const double *s, const double *y)
{
    double P[N * N], T[N * N], sy = dot(s, y);
    for (size_t e = 0; e < N * N; e++)
        P[e] = (e / N == e % N) - s[e / N] * y[e % N] / sy;
    times(N, N, N, P, B, T);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            B[i * N + j] = s[i] * s[j] / sy;
            for (size_t k = 0; k < N; k++)
                B[i * N + j] += T[i * N + k] * P[j * N + k];
        }
}

/* The recursion over the last pairs is the dense update of gamma I by the same pairs. */
TEST(agrees_with_the_dense_formula)
{
    rng r = seeded(2);
    double room[2 * LBFGS_MEMORY * N], A[N * N], S[20][N], Y[20][N], g[N], zero[N] = {0}, H[N];
    lbfgs memory;
    random_spd(&r, N, 50.0, A);
    lbfgs_open(&memory, N, room);
    for (size_t k = 0; k < 20; k++) {
        double half[N], B[N * N], expected[N];
        for (size_t e = 0; e < N; e++) {
            S[k][e] = rng_normal(&r);
            half[e] = 0.5 * S[k][e];
            g[e] = rng_normal(&r);
        }
        times(N, N, 1, A, S[k], Y[k]);
        lbfgs_add(&memory, 2.0, half, Y[k], zero);
        CHECK(memory.count == (k < LBFGS_MEMORY ? k + 1 : LBFGS_MEMORY), "%zu", memory.count);
        for (size_t e = 0; e < N * N; e++)
            B[e] = (e / N == e % N) * dot(S[k], Y[k]) / dot(Y[k], Y[k]);
        for (size_t i = k + 1 - memory.count; i <= k; i++)
            dense_update(B, S[i], Y[i]);
        times(N, N, 1, B, g, expected);
        lbfgs_direction(&memory, g, H);
        for (size_t e = 0; e < N; e++)
            H[e] = -H[e];
        CHECK(relative_gap(N, H, expected) < 1e-9, "pair %zu", k);
    }
}

/* Every vector comes by once, steps and changes alike. */
TEST(vectors_are_all_handed_out)
{
    double room[2 * LBFGS_MEMORY * N], s[N] = {1}, zero[N] = {0};
    lbfgs memory;
    lbfgs_open(&memory, N, room);
    for (int k = 0; k < LBFGS_MEMORY + 3; k++) {
        int sum = 0;
        lbfgs_add(&memory, 1.0, s, s, zero);
        for (size_t v = 0; v < 2 * memory.count; v++)
            lbfgs_vector(&memory, v)[1] = 1.0;
        for (size_t e = 1; e < 2 * LBFGS_MEMORY * N; e += N)
            sum += room[e] == 1.0 && room[e - 1] == 1.0;
        CHECK(sum >= 2 * (k < LBFGS_MEMORY ? k + 1 : LBFGS_MEMORY), "%d after %d", sum, k);
    }
}

TEST(pairs_without_curvature_are_passed_over)
{
    double room[2 * LBFGS_MEMORY * N], s[N] = {1, 1}, up[N] = {1}, down[N] = {-1}, zero[N] = {0};
    double across[N] = {1, -1}, hardly[N] = {1, -1 + 1e-9}, H[N], G[N];
    lbfgs memory;
    lbfgs_open(&memory, N, room);
    lbfgs_add(&memory, 1.0, s, down, zero);
    lbfgs_add(&memory, 1.0, s, across, zero);
    lbfgs_add(&memory, 1.0, s, hardly, zero);
    lbfgs_add(&memory, 1.0, s, zero, zero);
    CHECK(memory.count == 0, "%zu", memory.count);
    for (int k = 0; k < LBFGS_MEMORY; k++)
        lbfgs_add(&memory, 1.0, s, up, zero);
    lbfgs_direction(&memory, s, H);
    lbfgs_add(&memory, 1.0, s, down, zero);
    CHECK(memory.count == LBFGS_MEMORY - 1, "the oldest made room: %zu", memory.count);
    lbfgs_direction(&memory, s, G);
    CHECK(relative_gap(N, G, H) < 1e-12, "equal pairs: one more or less is the same");
    lbfgs_vector(&memory, 2)[0] = -5.0; /* a transport has spoilt it */
    lbfgs_weigh(&memory);
    lbfgs_direction(&memory, s, G);
    CHECK(relative_gap(N, G, H) < 1e-12, "takes no part");
    lbfgs_forget(&memory);
    CHECK(memory.count == 0, "%zu", memory.count);
}
