/* test_pairs.c - the pair loop against the definition: values by the public distances, weights by
 * LAPACK one pair at a time, and by differences of the cost. */
#include "test.h"

#include "geometry/pairs.h"
#include "random_spd.h"

#define P 12

typedef struct problem {
    size_t m, count;
    double *X, *S, *L, *logdet, *Z, *work;
    pair pairs[40];
} problem;

static void refresh(problem *q)
{
    size_t m = q->m;
    lapack_int size = (lapack_int)m;
    for (size_t i = 0; i < P; i++) {
        double *A = copy_of(m * m, q->X + i * m * m);
        LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', size, A, size);
        q->logdet[i] = 0.0;
        for (size_t a = 0; a < m; a++) {
            q->logdet[i] += 2.0 * log(A[a * m + a]);
            for (size_t b = 0; b <= a; b++) {
                q->S[i * TRI(m) + TRI(a) + b] = q->X[i * m * m + a * m + b];
                q->L[i * TRI(m) + TRI(a) + b] = A[a * m + b];
            }
        }
    }
}

static problem problem_new(rng *r, size_t m, size_t count, double condition)
{
    problem q = {.m = m, .count = count};
    q.X = random_set(r, m, P, condition);
    q.S = block(P * TRI(m));
    q.L = block(P * TRI(m));
    q.logdet = block(P);
    q.Z = take_aligned(P * TRI(m), sizeof(double));
    q.work = take_aligned(pairs_work(m), sizeof(double));
    for (size_t i = 0; i < count; i++) {
        size_t a = rng_below(r, P), b = (a + 1 + rng_below(r, P - 1)) % P;
        q.pairs[i] = (pair){(uint32_t)a, (uint32_t)b, rng_normal(r)};
    }
    refresh(&q);
    return q;
}

/* f, and Z when weights: batch by batch, pair by pair. Stein's sample part is left to the test. */
static double value(problem *q, spd_metric metric, int weights)
{
    const kernels *k = kernels_get();
    const pair_rule *rule = pair_rule_get(metric);
    pair_samples s = {q->S, q->L, q->logdet};
    double f = 0.0, d2[PAIR_BATCH], *M = block(2 * PAIR_BATCH * TRI(q->m));
    for (size_t first = 0; first < q->count; first += PAIR_BATCH) {
        size_t count = q->count - first < PAIR_BATCH ? q->count - first : PAIR_BATCH;
        rule->batch(k, q->m, count, q->pairs + first, &s, d2, weights ? M : NULL, q->work);
        for (size_t c = 0; c < count; c++) {
            const pair *t = &q->pairs[first + c];
            f += t->c * d2[c];
            if (!weights)
                continue;
            k->axpy(TRI(q->m), t->c, M + c * TRI(q->m), q->Z + t->i * TRI(q->m));
            k->axpy(TRI(q->m), t->c, M + (rule->sides == 2 ? count + c : c) * TRI(q->m),
                    q->Z + t->j * TRI(q->m));
        }
    }
    return f;
}

static const spd_metric metrics[] = {SPD_METRIC_STEIN, SPD_METRIC_AIRM, SPD_METRIC_JEFFREY,
                                     SPD_METRIC_EUCLIDEAN};
#define RULES (sizeof metrics / sizeof *metrics)

TEST(cost_is_the_sum_of_distances)
{
    rng r = seeded(1);
    const size_t counts[] = {1, 7, 8, 9, 16, 17, 40};
    for (size_t m = 1; m <= 20; m += m < 5 ? 1 : 5)
        for (size_t c = 0; c < 7; c++)
            for (size_t which = 0; which < RULES; which++) {
                problem q = problem_new(&r, m, counts[c], 100.0);
                double expected = 0.0, size = 0.0;
                for (size_t i = 0; i < q.count; i++) {
                    double d2 = twin_dist2(metrics[which], m, q.X + q.pairs[i].i * m * m,
                                           q.X + q.pairs[i].j * m * m);
                    expected += q.pairs[i].c * d2;
                    size += fabs(q.pairs[i].c) * d2;
                }
                CHECK_CLOSE(value(&q, metrics[which], 0), expected, 1e-12 * size + 1e-13, "m %zu",
                            m);
                CHECK_CLOSE(value(&q, metrics[which], 1), expected, 1e-12 * size + 1e-13, "m %zu",
                            m);
            }
}

/* dL = sum_i tr(Z_i dS_i)/2 (eq. 4: the gradient Y_i Z_i belongs to dS = dW'Y + Y'dW), with the
 * sample part added for Stein: what is left of f(X + t H) - f(X) - t slope must fall
 * with t^2. */
TEST(weights_by_taylor_slope)
{
    rng r = seeded(2);
    for (size_t which = 0; which < RULES; which++)
        for (size_t m = 2; m <= 17; m += 5) {
            problem q = problem_new(&r, m, 23, 20.0);
            double *H = random_set(&r, m, P, 5.0), *X0 = copy_of(P * m * m, q.X);
            double f0 = value(&q, metrics[which], 1), slope = 0.0;
            for (size_t i = 0; i < P; i++) {
                double degree = 0.0, *inverse = block(m * m);
                for (size_t c = 0; c < q.count; c++)
                    degree += q.pairs[c].c * ((q.pairs[c].i == i) + (q.pairs[c].j == i));
                spd_inverse(NULL, SPD_SET(m, 1, X0 + i * m * m), inverse);
                for (size_t a = 0; a < m; a++)
                    for (size_t b = 0; b < m; b++) {
                        size_t e = a >= b ? TRI(a) + b : TRI(b) + a;
                        double z = q.Z[i * TRI(m) + e];
                        z -= metrics[which] != SPD_METRIC_STEIN ? 0.0 : degree * inverse[a * m + b];
                        slope += 0.5 * z * H[i * m * m + a * m + b];
                    }
            }
            double remainder[2];
            for (int step = 0; step < 2; step++) {
                double t = step ? 1e-4 : 1e-3;
                for (size_t e = 0; e < P * m * m; e++)
                    q.X[e] = X0[e] + t * H[e];
                refresh(&q);
                remainder[step] = fabs(value(&q, metrics[which], 0) - f0 - t * slope);
            }
            double order = log10(remainder[0] / remainder[1]);
            CHECK(order > 1.8 && order < 2.2, "%s m %zu: order %g, slope %g",
                  METRIC_NAME(metrics[which]), m, order, slope);
        }
}

TEST(indefinite_gives_nan)
{
    rng r = seeded(3);
    for (size_t which = 0; which < 2; which++) {
        problem q = problem_new(&r, 6, 20, 10.0);
        for (size_t e = 0; e < TRI(6); e++)
            q.S[q.pairs[5].i * TRI(6) + e] *= -3.0;
        CHECK(isnan(value(&q, metrics[which], 0)), "%s", METRIC_NAME(metrics[which]));
    }
}
