/* test_pair_tiles.c - pairs by tiles against LAPACK, one pair at a time; and which graphs they
 * serve. */
#include "repeat.h"

#include "fit/pair_sums.h"
#include "fit/pair_tiles.h"
#include "random_spd.h"

/* All pairs of p samples, near ones and far ones. */
static spd_pair *all_pairs(size_t p, size_t *count)
{
    spd_pair *pairs = take(p * p * sizeof *pairs);
    *count = 0;
    for (size_t i = 0; i < p; i++)
        for (size_t j = i + 1; j < p; j++)
            pairs[(*count)++] =
                (spd_pair){(uint32_t)i, (uint32_t)j, (i + j) % 3 > 0, (i + j) % 3 == 0};
    return pairs;
}

/* A (m x m) <- its factor; returns ln det. */
static double factor(size_t m, double *A)
{
    double sum = 0.0;
    CHECK(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', (lapack_int)m, A, (lapack_int)m) == 0, "factor");
    for (size_t a = 0; a < m; a++)
        sum += 2.0 * log(A[a * m + a]);
    return sum;
}

typedef struct case_of {
    size_t m, p;
    double *X, *S, *logdet;
    pair_order order;
    arena keep;
    spd_context *ctx;
} case_of;

static case_of case_new(rng *r, size_t m, size_t p, double condition, int threads)
{
    case_of c = {.m = m, .p = p, .ctx = spd_context_new()};
    size_t count;
    spd_pair *pairs = all_pairs(p, &count);
    spd_context_set_threads(c.ctx, threads);
    split cut = split_make(c.ctx, p);
    c.X = random_set(r, m, p, condition);
    c.S = block(p * TRI(m));
    c.logdet = block(p);
    for (size_t i = 0; i < p; i++) {
        double *A = copy_of(m * m, c.X + i * m * m);
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b <= a; b++)
                c.S[i * TRI(m) + TRI(a) + b] = A[a * m + b];
        c.logdet[i] = factor(m, A);
    }
    CHECK(pair_tiles_serve(m, p, count, pairs), "m %zu p %zu", m, p);
    CHECK_OK(NULL, pair_order_make(c.ctx, &cut, count, pairs, 0, 1, 1000, &c.keep, &c.order));
    return c;
}

static void case_free(case_of *c)
{
    arena_free(&c->keep);
    spd_context_free(c->ctx);
}

/* M (m x m) <- the inverse of the middle of a pair; returns its ln det. */
static double inverse_middle(const case_of *c, const pair *t, double *M)
{
    size_t m = c->m;
    for (size_t e = 0; e < m * m; e++)
        M[e] = 0.5 * (c->X[t->i * m * m + e] + c->X[t->j * m * m + e]);
    double value = factor(m, M);
    LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', (lapack_int)m, M, (lapack_int)m);
    return value;
}

static void compare(case_of *c, rng *r, double condition)
{
    size_t m = c->m, tri = TRI(m), count = c->order.count;
    double *d2 = block(count), *weight = block(count), *M = block(m * m);
    double *Z = block(c->p * tri), *twin = block(c->p * tri), *size = block(c->p);
    pair_tiles *t = pair_tiles_new(c->ctx, m, &c->order, &c->keep);
    memset(size, 0, c->p * sizeof *size);
    for (size_t e = 0; e < c->p * tri; e++)
        twin[e] = Z[e] = rng_normal(r);
    CHECK(pair_tiles_measure(t, c->S, c->logdet, d2) == SPD_OK, "measure");
    for (size_t e = 0; e < count; e++) {
        const pair *at = &c->order.pairs[e];
        weight[e] = e % 4 ? rng_normal(r) : 0.0;
        double expected = inverse_middle(c, at, M), norm = 0.0;
        expected -= 0.5 * (c->logdet[at->i] + c->logdet[at->j]);
        CHECK_CLOSE(d2[e], expected, 1e-14 * (double)m * condition, "m %zu pair %zu", m, e);
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b <= a; b++) {
                twin[at->i * tri + TRI(a) + b] += weight[e] * M[a * m + b];
                twin[at->j * tri + TRI(a) + b] += weight[e] * M[a * m + b];
                norm = fmax(norm, fabs(weight[e] * M[a * m + b]));
            }
        size[at->i] += norm;
        size[at->j] += norm;
    }
    for (int again = 0; again < 2; again++) { /* nothing is left of the call before */
        double *sum = copy_of(c->p * tri, Z);
        CHECK(pair_tiles_weigh(t, weight, sum) == SPD_OK, "weigh");
        for (size_t e = 0; e < c->p * tri; e++)
            CHECK_CLOSE(sum[e], twin[e], 1e-14 * (double)m * condition * (1.0 + size[e / tri]),
                        "m %zu sample %zu", m, e / tri);
    }
}

TEST(pairs_one_at_a_time)
{
    static const size_t sizes[] = {1, 2, 3, 5, 8, 13, 20};
    rng r = seeded(1);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t p = 21; p < 230; p += p < 80 ? 11 + s : 70) {
            double condition = s % 2 ? 1e4 : 10.0;
            FREED_BY(case_free) case_of c = case_new(&r, sizes[s], p, condition, 1);
            compare(&c, &r, condition);
        }
}

TEST(same_bits_for_any_threads)
{
    double *Z[3];
    const size_t m = 9, p = 200;
    for (int threads = 1; threads <= 3; threads++) {
        rng r = seeded(2);
        FREED_BY(case_free) case_of c = case_new(&r, m, p, 10.0, threads);
        double *d2 = block(c.order.count);
        pair_tiles *t = pair_tiles_new(c.ctx, m, &c.order, &c.keep);
        Z[threads - 1] = block(p * TRI(m));
        memset(Z[threads - 1], 0, p * TRI(m) * sizeof(double));
        pair_tiles_measure(t, c.S, c.logdet, d2);
        pair_tiles_weigh(t, d2, Z[threads - 1]);
        CHECK(memcmp(Z[0], Z[threads - 1], p * TRI(m) * sizeof(double)) == 0, "%d threads",
              threads);
    }
}

TEST(graphs_that_have_all_pairs_once)
{
    size_t count;
    spd_pair *pairs = all_pairs(30, &count);
    CHECK(pair_tiles_serve(5, 30, count, pairs), "all");
    CHECK(!pair_tiles_serve(5, 30, count - 1, pairs), "one is missing");
    CHECK(!pair_tiles_serve(5, 31, count, pairs), "one sample more");
    CHECK(!pair_tiles_serve(5000, 30, count, pairs), "sums that are too large");
    pairs[7] = pairs[11];
    CHECK(!pair_tiles_serve(5, 30, count, pairs), "one twice");
    pairs[7] = (spd_pair){8, 0, 1.0, 0.0};
    CHECK(!pair_tiles_serve(5, 30, count, pairs), "one the other way round");
}

/* Sums of softmax over all pairs: made, or out of memory. */
TEST(allocation_failures)
{
    size_t count, p = 40;
    spd_pair *pairs = all_pairs(p, &count);
    spd_context *ctx = context_on(0);
    split cut = split_make(ctx, p);
    for (sweep_state s = SWEEP(NULL, 1, NULL, 0); sweep_on(&s);) {
        arena keep = {0};
        pair_sums *sums = NULL;
        s.status = pair_sums_new(ctx, SPD_METRIC_STEIN, SPD_OBJECTIVE_SOFTMAX, 4, &cut, count,
                                 pairs, &keep, &sums);
        arena_free(&keep);
    }
}
