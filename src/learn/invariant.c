/* invariant.c - subspaces that no sample mixes, and starts that no descent leaves (math.md, eq.
 * 23).
 *
 * If V'X_iV is block-diagonal for all samples i, a map whose span is the sum of its parts in the
 * blocks has a gradient of the same kind: descent never leaves such maps, and ends at the best of
 * them, mostly a saddle point.
 *
 *   M, A, B   sums of samples: M plain, A and B with random weights, less M
 *   V         V'MV = I, V'AV diagonal: each column lies within one of the finest subspaces
 *   C = V'BV  columns k and l belong together if C_kl is not 0, directly or through others
 *
 * Samples count by X_i/tr X_i, and a few of them, evenly spread, are enough: subspaces that are
 * finer than those of all samples only turn a start that needed no turn. */
#include "learn/start.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/rng.h"
#include "learn/complex_map.h"
#include "linalg/dense.h"
#include "linalg/tall.h"

#define SAMPLES 48
#define SEED    7
#define COUPLED 1e-6 /* of C_kl, over sqrt(C_kk C_ll): what is less is rounding */
#define MIXED   1e-3 /* of an entry of the projection on a span */
#define ANGLE   0.1  /* of a turn, in radians */

typedef struct subspaces {
    size_t n, count; /* 1: no structure, and nothing below is there */
    size_t *block;   /* n: the subspace of each column of V, from 0, by their first rows */
    double *V;       /* n x n */
    double *inverse; /* n x n: V^-1 transposed */
} subspaces;

/* M, A, B (n x n each) <- the sums; X: n x n. */
static spd_status add_up(const spd_set *set, double *M, double *A, double *B, double *X)
{
    size_t n = set->n, n2 = n * n, samples = set->p < SAMPLES ? set->p : SAMPLES;
    double weight_a = 0.0, weight_b = 0.0;
    rng r;
    rng_seed(&r, SEED);
    memset(M, 0, n2 * sizeof *M);
    memset(A, 0, n2 * sizeof *A);
    memset(B, 0, n2 * sizeof *B);
    for (size_t k = 0; k < samples; k++) {
        double a = rng_uniform(&r), b = rng_uniform(&r), trace = 0.0;
        if (set_read(set, k * set->p / samples, 1, X) < 0)
            return SPD_EIO;
        for (size_t c = 0; c < n; c++)
            trace += X[c * n + c];
        double scale = 1.0 / trace;
        for (size_t e = 0; e < n2; e++) {
            double x = scale * X[e];
            M[e] += x;
            A[e] += a * x;
            B[e] += b * x;
        }
        weight_a += a;
        weight_b += b;
    }
    for (size_t e = 0; e < n2; e++) {
        M[e] /= (double)samples;
        A[e] = A[e] / weight_a - M[e];
        B[e] = B[e] / weight_b - M[e];
    }
    return SPD_OK;
}

/* Of what k belongs to, while groups are being joined, the first one. */
static size_t root(size_t *group, size_t k)
{
    while (group[k] != k)
        k = group[k] = group[group[k]];
    return k;
}

static void join(size_t *group, size_t k, size_t l)
{
    size_t a = root(group, k), b = root(group, l);
    group[a > b ? a : b] = a < b ? a : b;
}

/* group (n) <- numbered from 0, in order; returns how many there are. */
static size_t number(size_t n, size_t *group)
{
    size_t count = 0;
    for (size_t k = 0; k < n; k++)
        group[k] = root(group, k);
    for (size_t k = 0; k < n; k++)
        group[k] = group[k] == k ? count++ : group[group[k]];
    return count;
}

/* block (n) <- which columns of V belong together, by C; returns how many subspaces there are. */
static size_t part(size_t n, const double *C, const double *lambda, size_t *block)
{
    for (size_t k = 0; k < n; k++)
        block[k] = k;
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < k; l++) {
            double own_k = fabs(C[k * n + k]) + fabs(lambda[k]);
            double own_l = fabs(C[l * n + l]) + fabs(lambda[l]);
            if (fabs(C[k * n + l]) > COUPLED * sqrt(own_k * own_l))
                join(block, k, l);
        }
    return number(n, block);
}

/* The finest subspaces of the set, in `room`. */
static spd_status find(spd_context *ctx, const spd_set *set, arena *room, subspaces *found)
{
    size_t n = set->n, n2 = n * n;
    double *M = arena_alloc(room, n2, sizeof *M), *V = arena_alloc(room, n2, sizeof *V);
    double *C = arena_alloc(room, n2, sizeof *C), *X = arena_alloc(room, n2, sizeof *X);
    double *lambda = arena_alloc(room, n, sizeof *lambda);
    double *work = arena_alloc(room, dense_eigh_work(n), sizeof *work);
    size_t *block = arena_alloc(room, n, sizeof *block);
    spd_status status = arena_status(room, ctx, "the start");
    *found = (subspaces){.n = n, .count = 1};
    if (status == SPD_OK)
        status = set_fail(ctx, set, add_up(set, M, V, C, X));
    if (status < 0 || dense_chol(n, M))
        return status; /* a sum that is singular up to rounding tells nothing */
    dense_reduce(n, M, V);
    if (dense_eigh(n, 1, V, lambda, work))
        return SPD_OK;
    dense_product(n, M, V, X); /* V^-T = L U where V = L^-T U */
    dense_solve_trans(n, M, V);
    dense_congruence(n, V, C, C, M);
    found->count = part(n, C, lambda, block);
    found->block = block;
    found->V = V;
    found->inverse = X;
    return SPD_OK;
}

/* How many groups do the subspaces form that the projection on the span of Q mixes? group: count.
 */
static size_t groups_of(const subspaces *of, size_t m, const double *Q, size_t *group)
{
    for (size_t b = 0; b < of->count; b++)
        group[b] = b;
    for (size_t k = 0; k < of->n; k++)
        for (size_t l = 0; l < k; l++)
            if (of->block[k] != of->block[l] && fabs(tall_dot(1, m, Q + k * m, Q + l * m)) > MIXED)
                join(group, of->block[k], of->block[l]);
    return number(of->count, group);
}

/* Descent from W never mixes the groups that the span of W is a sum of parts of. */
static spd_status turn(spd_context *ctx, const spd_set *set, const subspaces *of, arena *room,
                       size_t m, uint64_t seed, double *W)
{
    size_t n = set->n;
    double *Q = arena_alloc(room, n, m * sizeof *Q);
    double *work = arena_alloc(room, tall_orthonormalise_work(n, m), sizeof *work);
    size_t *group = arena_alloc(room, of->count, sizeof *group);
    rng r;
    spd_status status = arena_status(room, ctx, "the start");
    if (status < 0)
        return status;
    dense_trans_product(n, m, n, of->inverse, W, 0.0, Q);
    tall_orthonormalise(n, m, Q, work); /* of the span of V^-1 W */
    if (groups_of(of, m, Q, group) == 1)
        return SPD_OK;
    rng_seed(&r, seed);
    for (size_t e = 0; e < n * m; e++)
        Q[e] += ANGLE / sqrt((double)n) * rng_normal(&r);
    tall_product(n, n, m, of->V, Q, W);
    tall_orthonormalise(n, m, W, work);
    return set->hermitian ? complex_map_nearest(ctx, n, m, W) : SPD_OK;
}

spd_status invariant_leave(spd_context *ctx, const spd_set *set, size_t m, uint64_t seed, double *W)
{
    arena room = {0};
    subspaces of;
    spd_status status = find(ctx, set, &room, &of);
    if (status == SPD_OK && of.count > 1)
        status = turn(ctx, set, &of, &room, m, seed, W);
    arena_free(&room);
    return status;
}
