/* test_kernels.c - every interleaved kernel, on every instruction set of this machine, against
 * LAPACK one matrix at a time. Spectra: well and badly conditioned, graded, clustered; sizes
 * that are and are not multiples of the tile. */
#include "unit/test_kernels_common.h"

#include <cblas.h>
#include <lapacke.h>

static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 20, 23, 32, 48, 64, 93};
#define SIZES (sizeof sizes / sizeof *sizes)
#define MAX_N 93

/* Eight matrices of one size, in both layouts, with room for results. */
typedef struct eight {
    size_t n;
    double *X[LANES]; /* n x n each */
    double *octet;    /* TRI x 8 */
    double *out, *full, *work;
} eight;

static eight eight_new(size_t n)
{
    eight s = {.n = n};
    for (int l = 0; l < LANES; l++)
        s.X[l] = take_aligned(n * n, sizeof(double));
    s.octet = take_aligned(2 * TRI(n) * LANES, sizeof(double));
    s.out = take_aligned(2 * TRI(n) * LANES, sizeof(double));
    s.full = take_aligned(2 * n * n * LANES, sizeof(double));
    s.work = take_aligned(n * n * LANES + kernels_eigh_work(n), sizeof(double));
    return s;
}

/* Largest eigenvalue 1, smallest 1/condition. */
static void fill_spd(eight *s, rng *r, double condition)
{
    double *lambda = block(s->n);
    for (size_t i = 0; i < s->n; i++)
        lambda[i] = spaced(i, s->n, condition) / spaced(0, s->n, condition);
    for (int l = 0; l < LANES; l++)
        random_with_spectrum(r, s->n, lambda, s->X[l]);
    k->pack(s->n, LANES, (const double *const *)s->X, s->octet);
}

static double at(const double *octet, size_t r, size_t c, int l)
{
    return octet[(r >= c ? TRI(r) + c : TRI(c) + r) * LANES + (size_t)l];
}

TEST(unknown_set)
{
    CHECK(kernels_named("pdp11") == NULL, "a set that does not exist");
    CHECK(kernels_named("baseline") != NULL, "the set that always exists");
}

static double max_abs(size_t count, const double *x)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

TEST(pack_and_back)
{
    rng r = seeded(1);
    for (size_t i = 0; i < SIZES; i++) {
        eight s = eight_new(sizes[i]);
        size_t n = s.n;
        for (size_t count = 1; count <= LANES; count++) {
            fill_spd(&s, &r, 10.0);
            k->pack(n, count, (const double *const *)s.X, s.octet);
            for (int l = 0; l < LANES; l++)
                for (size_t a = 0; a < n; a++)
                    for (size_t b = 0; b <= a; b++) {
                        double expected = (size_t)l < count ? s.X[l][a * n + b] : (a == b);
                        CHECK(at(s.octet, a, b, l) == expected, "n %zu lane %d", n, l);
                    }
            double *back[LANES];
            for (size_t l = 0; l < count; l++)
                back[l] = s.full + l * n * n;
            k->unpack_sym(n, count, s.octet, back);
            for (size_t l = 0; l < count; l++)
                CHECK(memcmp(back[l], s.X[l], n * n * sizeof(double)) == 0, "n %zu", n);
        }
    }
}

TEST(gather_split_scatter)
{
    for (size_t entries = 1; entries < 40; entries++)
        for (size_t count = 1; count <= LANES; count++) {
            double data[LANES][40], out[LANES][40];
            _Alignas(64) double octet[40 * LANES];
            double scale[LANES];
            const double *in[LANES];
            double *back[LANES];
            for (size_t l = 0; l < LANES; l++) {
                in[l] = data[l];
                back[l] = out[l];
                scale[l] = (double)l - 3.0;
                for (size_t e = 0; e < 40; e++) {
                    data[l][e] = (double)(l * 100 + e);
                    out[l][e] = -1.0;
                }
            }
            k->gather(entries, count, in, octet);
            for (size_t e = 0; e < entries; e++)
                for (size_t l = 0; l < LANES; l++)
                    CHECK(octet[e * LANES + l] == data[l < count ? l : 0][e], "entry %zu", e);
            k->split(entries, count, octet, back);
            for (size_t l = 0; l < LANES; l++)
                for (size_t e = 0; e < 40; e++)
                    CHECK(out[l][e] == (l < count && e < entries ? data[l][e] : -1.0), "split");
            back[count - 1] = back[0]; /* a target that repeats */
            double expected = out[0][entries - 1] + scale[0] * data[0][entries - 1];
            if (count > 1)
                expected += scale[count - 1] * data[count - 1][entries - 1];
            k->scatter(entries, count, octet, scale, back);
            CHECK(out[0][entries - 1] == expected, "entries %zu count %zu", entries, count);
        }
}

TEST(entry_kernels)
{
    rng r = seeded(2);
    for (size_t entries = 1; entries < 30; entries++) {
        double f[60] = {0};
        _Alignas(64) double G[60 * LANES] = {0}, A[30 * LANES] = {0}, d2[LANES];
        _Alignas(64) double S[30 * LANES] = {0}, T[30 * LANES];
        for (size_t e = 0; e < 2 * entries; e++) {
            f[e] = rng_normal(&r);
            for (int l = 0; l < LANES; l++)
                G[e * LANES + (size_t)l] = rng_normal(&r);
        }
        k->average(entries, f, G, A);
        for (size_t e = 0; e < entries * LANES; e++)
            CHECK(A[e] == 0.5 * (f[e / LANES] + G[e]), "average");
        memcpy(S, f, sizeof f);
        memset(S + 60, 0, sizeof S - sizeof f);
        memcpy(T, G, sizeof T);
        k->share(entries, G, A, S, T);
        for (size_t e = 0; e < 30 * LANES; e++) {
            double part = e < entries * LANES ? G[e % LANES] * A[e] : 0.0;
            double size = fabs(part) + fabs(S[e]) + fabs(T[e]);
            CHECK_CLOSE(S[e], (e < 60 ? f[e] : 0.0) + part, 1e-15 * size, "share");
            CHECK_CLOSE(T[e], G[e] + part, 1e-15 * size, "share");
        }
        k->apart(entries, 1, f, 0, 1, G, d2);
        for (int l = 0; l < LANES; l++) {
            double sum = 0.0;
            for (size_t e = 0; e < entries; e++)
                sum += pow(f[e] - G[e * LANES + (size_t)l], 2);
            CHECK_CLOSE(d2[l], sum, 1e-14 * sum, "apart");
        }
        k->cross(entries, f, G, d2);
        for (int l = 0; l < LANES; l++) {
            double sum = 0.0;
            for (size_t e = 0; e < entries; e++)
                sum += (f[e] - G[e * LANES + (size_t)l]) *
                       (G[(entries + e) * LANES + (size_t)l] - f[entries + e]);
            CHECK_CLOSE(d2[l], sum, 1e-13 * (double)entries, "cross");
        }
        k->spread(entries, f, A);
        for (size_t e = 0; e < entries * LANES; e++)
            CHECK(A[e] == f[e / LANES], "spread");
    }
}

TEST(logarithm)
{
    rng r = seeded(3);
    _Alignas(64) double x[100 * LANES], y[100 * LANES];
    for (size_t e = 0; e < 100 * LANES; e++) {
        x[e] = exp(rng_normal(&r) * (e % 3 == 0 ? 1e-3 : e % 3 == 1 ? 1.0 : 200.0));
        x[e] = fmin(fmax(x[e], 2.3e-308), 1.7e308);
    }
    x[0] = 1.0;
    x[1] = 0x1p-1022;
    x[2] = 1.7976931348623157e308;
    x[3] = 1.4142135623730951;
    x[4] = nextafter(1.0, 2.0);
    x[5] = nextafter(1.0, 0.0);
    k->log(100, x, y);
    for (size_t e = 0; e < 100 * LANES; e++)
        CHECK_CLOSE(y[e], log(x[e]), 4e-16 * fabs(log(x[e])), "x = %.17g", x[e]);
    CHECK(y[0] == 0.0, "ln 1 = %g", y[0]);
}

TEST(chol_logdet_inverse)
{
    rng r = seeded(4);
    for (size_t i = 0; i < SIZES; i++)
        for (double condition = 1.0; condition < 2e10; condition *= 1e5) {
            eight s = eight_new(sizes[i]);
            size_t n = s.n;
            double *L = take_aligned(n * n, sizeof *L), logdet[LANES] __attribute__((aligned(64)));
            fill_spd(&s, &r, condition);
            CHECK(k->chol(n, s.octet, logdet) == 0, "n %zu", n);
            k->tri_inverse(n, s.octet, s.out);
            k->tri_gram(n, s.out, s.full);
            for (int l = 0; l < LANES; l++) {
                memcpy(L, s.X[l], n * n * sizeof *L);
                LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', (int)n, L, (int)n);
                double expected = 0.0;
                for (size_t a = 0; a < n; a++) {
                    expected += 2.0 * log(L[a * n + a]);
                    for (size_t b = 0; b <= a; b++)
                        CHECK_CLOSE(at(s.octet, a, b, l), L[a * n + b],
                                    4e-16 * condition * (double)n + 1e-15, "L n %zu", n);
                }
                CHECK_CLOSE(logdet[l], expected,
                            1e-12 * fabs(expected) + 1e-15 * (double)n * condition,
                            "logdet n %zu condition %g", n, condition);
                LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', (int)n, L, (int)n);
                double scale = max_abs(n * n, L);
                for (size_t a = 0; a < n; a++)
                    for (size_t b = 0; b <= a; b++)
                        CHECK_CLOSE(at(s.full, a, b, l), L[a * n + b],
                                    1e-15 * (double)n * condition * scale, "inverse n %zu", n);
            }
        }
}

/* One lane after the other is spoilt; the others must keep their bits. */
TEST(bad_lanes_keep_to_themselves)
{
    rng r = seeded(5);
    for (size_t i = 1; i < SIZES; i++) {
        eight s = eight_new(sizes[i]);
        size_t n = s.n, bytes = TRI(n) * LANES * sizeof(double);
        double good[LANES] __attribute__((aligned(64))), logdet[LANES] __attribute__((aligned(64)));
        fill_spd(&s, &r, 100.0);
        double *start = take_aligned(bytes, 1);
        memcpy(start, s.octet, bytes);
        CHECK(k->chol(n, s.octet, good) == 0, "n %zu", n);
        memcpy(s.out, s.octet, bytes);
        const double spoil[] = {-1.0, 0.0, NAN, INFINITY, 1e-310};
        for (int l = 0; l < LANES; l++)
            for (size_t q = 0; q < sizeof spoil / sizeof *spoil; q++) {
                size_t row = rng_below(&r, n);
                memcpy(s.octet, start, bytes);
                s.octet[(TRI(row) + row) * LANES + (size_t)l] = spoil[q];
                CHECK(k->chol(n, s.octet, logdet) == 1u << l, "n %zu lane %d %g", n, l, spoil[q]);
                CHECK(isnan(logdet[l]), "logdet of a bad lane is %g", logdet[l]);
                for (int other = 0; other < LANES; other++)
                    for (size_t e = 0; other != l && e < TRI(n); e++)
                        CHECK(s.octet[e * LANES + (size_t)other] ==
                                  s.out[e * LANES + (size_t)other],
                              "n %zu lane %d disturbs %d", n, l, other);
            }
    }
}

TEST(logdet_of_extreme_scale)
{
    rng r = seeded(6);
    eight s = eight_new(64);
    double logdet[LANES] __attribute__((aligned(64)));
    fill_spd(&s, &r, 10.0);
    memcpy(s.out, s.octet, TRI(64) * LANES * sizeof(double));
    k->chol(64, s.out, logdet);
    for (int sign = -1; sign <= 1; sign += 2) {
        double scaled[LANES] __attribute__((aligned(64)));
        for (size_t e = 0; e < TRI(64) * LANES; e++)
            s.out[e] = ldexp(s.octet[e], sign * 900);
        CHECK(k->chol(64, s.out, scaled) == 0, "scale");
        for (int l = 0; l < LANES; l++)
            CHECK_CLOSE(scaled[l], logdet[l] + sign * 900 * 64 * log(2.0), 1e-10, "lane %d", l);
    }
}

TEST(triangular_solves)
{
    rng r = seeded(7);
    for (size_t i = 0; i < SIZES; i++)
        for (size_t columns = 1; columns <= 11; columns += 3) {
            eight s = eight_new(sizes[i]);
            size_t n = s.n;
            double *B = take_aligned(n * columns * LANES, sizeof *B);
            double *B0 = take_aligned(n * columns * LANES, sizeof *B);
            fill_spd(&s, &r, 50.0);
            k->chol(n, s.octet, NULL);
            for (int trans = 0; trans < 2; trans++) {
                for (size_t e = 0; e < n * columns * LANES; e++)
                    B0[e] = B[e] = rng_normal(&r);
                if (trans)
                    k->solve_trans(n, columns, s.octet, B);
                else
                    k->solve(n, columns, s.octet, B);
                for (size_t e = 0; e < n * columns * LANES; e++) {
                    size_t row = e / LANES / columns, c = e / LANES % columns;
                    int l = (int)(e % LANES);
                    double sum = 0.0;
                    for (size_t q = trans ? row : 0; q < (trans ? n : row + 1); q++)
                        sum += at(s.octet, row, q, l) * B[(q * columns + c) * LANES + (size_t)l];
                    CHECK_CLOSE(sum, B0[e], 1e-13 * (double)n, "n %zu trans %d", n, trans);
                }
                if (trans)
                    continue;
                k->lower_times(n, columns, s.octet, B); /* and back */
                for (size_t e = 0; e < n * columns * LANES; e++)
                    CHECK_CLOSE(B[e], B0[e], 1e-13 * (double)n, "n %zu: L L^-1 B", n);
            }
        }
}

/* L (reduce(X)) L' = X, and expand undoes reduce when the roles are turned: L'(.)L. */
TEST(congruences)
{
    rng r = seeded(8);
    for (size_t i = 0; i < SIZES; i++) {
        eight s = eight_new(sizes[i]), y = eight_new(sizes[i]);
        size_t n = s.n;
        fill_spd(&s, &r, 30.0);
        fill_spd(&y, &r, 30.0);
        k->chol(n, y.octet, NULL);
        k->reduce(n, y.octet, s.octet, s.out, s.work);
        k->expand(n, y.octet, s.octet, y.out, s.work);
        for (int l = 0; l < LANES; l++)
            for (size_t a = 0; a < n; a++)
                for (size_t b = 0; b <= a; b++) {
                    double back = 0.0, forth = 0.0;
                    for (size_t c = 0; c <= a; c++)
                        for (size_t d = 0; d <= b; d++)
                            back +=
                                at(y.octet, a, c, l) * at(s.out, c, d, l) * at(y.octet, b, d, l);
                    for (size_t c = a; c < n; c++)
                        for (size_t d = b; d < n; d++)
                            forth +=
                                at(y.octet, c, a, l) * s.X[l][c * n + d] * at(y.octet, d, b, l);
                    CHECK_CLOSE(back, s.X[l][a * n + b], 1e-13 * (double)n * 30.0, "n %zu", n);
                    CHECK_CLOSE(at(y.out, a, b, l), forth, 1e-14 * (double)n, "expand n %zu", n);
                }
        memcpy(y.out, s.octet, TRI(n) * LANES * sizeof(double));
        k->reduce(n, y.octet, y.out, y.out, s.work); /* in place */
        CHECK(memcmp(y.out, s.out, TRI(n) * LANES * sizeof(double)) == 0, "in place, n %zu", n);
    }
}

/* Spectra by lane: random indefinite, badly conditioned, graded, clustered, diagonal, zero,
 * rank one, huge. */
static void fill_spectra(eight *s, rng *r)
{
    size_t n = s->n;
    double *lambda = take_aligned(n, sizeof *lambda);
    for (int l = 0; l < LANES; l++) {
        for (size_t i = 0; i < n; i++) {
            double t = n > 1 ? (double)i / (double)(n - 1) : 0.0;
            const double kinds[LANES] = {rng_normal(r),        pow(10.0, -10.0 * t),
                                         pow(10.0, -18.0 * t), i % 3 ? 1.0 : 1.0 + 1e-14,
                                         (double)i - 2.0,      0.0,
                                         i == 0 ? 5.0 : 0.0,   1e150 * rng_normal(r)};
            lambda[i] = kinds[l];
        }
        if (l == 4)
            for (size_t e = 0; e < n * n; e++)
                s->X[l][e] = e % (n + 1) ? 0.0 : lambda[e / (n + 1)];
        else if (l == 2) /* graded: D A D keeps the grading in place */
            for (size_t e = 0; e < n * n; e++)
                s->X[l][e] = sqrt(lambda[e / n]) * sqrt(lambda[e % n]) *
                             (e / n == e % n ? 2.0 : 1.0 / (double)(1 + e / n + e % n));
        else
            random_with_spectrum(r, n, lambda, s->X[l]);
    }
    k->pack(n, LANES, (const double *const *)s->X, s->octet);
}

static void sorted_values(size_t n, const double *lambda, int l, double *sorted)
{
    size_t *rank = take_aligned(n * LANES, sizeof *rank);
    k->rank(n, lambda, rank);
    for (size_t i = 0; i < n; i++)
        sorted[rank[i * LANES + (size_t)l]] = lambda[i * LANES + (size_t)l];
}

static void check_vectors(size_t n, const double *X, const double *lambda, const double *Z, int l,
                          double norm)
{
    double worst_orthogonal = 0.0, worst_residual = 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double dot = 0.0, residual = 0.0;
            for (size_t q = 0; q < n; q++) {
                double zj = Z[(q * n + j) * LANES + (size_t)l];
                dot += Z[(q * n + i) * LANES + (size_t)l] * zj;
                residual += X[i * n + q] * zj;
            }
            residual -= lambda[j * LANES + (size_t)l] * Z[(i * n + j) * LANES + (size_t)l];
            worst_orthogonal = fmax(worst_orthogonal, fabs(dot - (i == j)));
            worst_residual = fmax(worst_residual, fabs(residual));
        }
    CHECK(worst_orthogonal <= 1e-13, "n %zu lane %d: V'V - I = %g", n, l, worst_orthogonal);
    CHECK(worst_residual <= 1e-13 * norm, "n %zu lane %d: residual %g", n, l, worst_residual);
}

TEST(eigen_against_lapack)
{
    rng r = seeded(9);
    double *reference = take_aligned(MAX_N, sizeof *reference);
    double *sorted = take_aligned(MAX_N, sizeof *sorted);
    for (size_t i = 0; i < SIZES; i++) {
        eight s = eight_new(sizes[i]);
        size_t n = s.n;
        double *lambda = take_aligned(2 * n * LANES, sizeof *lambda);
        double *values = take_aligned(2 * n * LANES, sizeof *values);
        unsigned bad[2];
        fill_spectra(&s, &r);
        size_t entries = TRI(n) * LANES;
        for (size_t octets = 1; octets <= 2; octets++) {
            memcpy(s.out, s.octet, entries * sizeof(double));
            memcpy(s.out + entries, s.octet, entries * sizeof(double));
            k->eigvals(n, octets, s.out, values, bad, s.work);
            CHECK(bad[0] == 0, "n %zu: lanes %x", n, bad[0]);
            memcpy(s.out, s.octet, entries * sizeof(double));
            memcpy(s.out + entries, s.octet, entries * sizeof(double));
            k->eigh(n, octets, s.out, lambda, s.full, bad, s.work);
            CHECK(bad[0] == 0, "n %zu: lanes %x", n, bad[0]);
            for (int l = 0; l < LANES; l++) {
                double *A = take_aligned(n * n, sizeof *A);
                memcpy(A, s.X[l], n * n * sizeof *A);
                LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', (int)n, A, (int)n, reference);
                double norm = fmax(fabs(reference[0]), fabs(reference[n - 1]));
                sorted_values(n, values + (octets - 1) * n * LANES, l, sorted);
                for (size_t q = 0; q < n; q++)
                    CHECK_CLOSE(sorted[q], reference[q], 1e-13 * norm, "values n %zu lane %d", n,
                                l);
                sorted_values(n, lambda + (octets - 1) * n * LANES, l, sorted);
                for (size_t q = 0; q < n; q++)
                    CHECK_CLOSE(sorted[q], reference[q], 1e-13 * norm, "eigh n %zu lane %d", n, l);
                check_vectors(n, s.X[l], lambda + (octets - 1) * n * LANES,
                              s.full + (octets - 1) * n * n * LANES, l, norm);
            }
        }
    }
}

TEST(eigen_bad_lanes)
{
    rng r = seeded(10);
    for (size_t n = 1; n <= 20; n += 6) {
        eight s = eight_new(n);
        double *lambda = take_aligned(n * LANES, sizeof *lambda);
        double *good = take_aligned(n * LANES, sizeof *good);
        fill_spd(&s, &r, 100.0);
        unsigned bad;
        memcpy(s.out, s.octet, TRI(n) * LANES * sizeof(double));
        k->eigh(n, 1, s.out, good, s.full, &bad, s.work);
        memcpy(s.out, s.octet, TRI(n) * LANES * sizeof(double));
        s.out[(TRI(n) - 1) * LANES + 2] = NAN;
        s.out[5] = INFINITY;
        k->eigh(n, 1, s.out, lambda, s.full, &bad, s.work);
        CHECK(bad == ((1u << 2) | (1u << 5)), "bad %x", bad);
        for (size_t e = 0; e < n * LANES; e++) {
            if (e % LANES == 2 || e % LANES == 5)
                CHECK(isnan(lambda[e]), "bad lane holds %g", lambda[e]);
            else
                CHECK_CLOSE(lambda[e], good[e], 1e-14, "n %zu", n);
        }
    }
}

/* One matrix at a time, put into its lane to be looked at; the last lane once more very small. */
TEST(eigen_of_one)
{
    rng r = seeded(12);
    double *reference = take_aligned(MAX_N, sizeof *reference);
    for (size_t i = 0; i < SIZES; i++) {
        eight s = eight_new(sizes[i]);
        size_t n = s.n;
        double *lambda = take_aligned(n * LANES, sizeof *lambda),
               *own = take_aligned(n, sizeof *own);
        double *Z = take_aligned(n * n, sizeof *Z), *sorted = take_aligned(n, sizeof *sorted);
        double *work = take_aligned(kernels_single_work(n), sizeof *work);
        fill_spectra(&s, &r);
        for (int round = 0; round <= LANES; round++) {
            int l = round < LANES ? round : LANES - 1;
            for (size_t e = 0; round == LANES && e < n * n; e++)
                s.X[l][e] = s.X[l][e] * 1e-200 * 1e-200;
            CHECK(k->eigh_single(n, s.X[l], own, Z, work) == 0, "n %zu matrix %d", n, round);
            for (size_t e = 0; e < n * n; e++)
                s.full[(e % n * n + e / n) * LANES + (size_t)l] = Z[e];
            for (size_t q = 0; q < n; q++)
                lambda[q * LANES + (size_t)l] = own[q];
            memcpy(Z, s.X[l], n * n * sizeof *Z);
            LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', (int)n, Z, (int)n, reference);
            double norm = fmax(fabs(reference[0]), fabs(reference[n - 1]));
            sorted_values(n, lambda, l, sorted);
            for (size_t q = 0; q < n; q++)
                CHECK_CLOSE(sorted[q], reference[q], 1e-13 * norm, "n %zu matrix %d", n, round);
            check_vectors(n, s.X[l], lambda, s.full, l, norm);
        }
        s.X[0][n * n - 1] = i % 2 ? NAN : INFINITY;
        CHECK(k->eigh_single(n, s.X[0], own, Z, work) != 0, "n %zu: not finite", n);
    }
}

/* Tridiagonal, with ones beside a diagonal of zeros or of what makes a pivot of the first sweep
 * exactly zero: A Z' = Z' diag(lambda), and Z is orthogonal. */
TEST(eigen_of_one_with_zero_pivots)
{
    enum { MOST = 9 };
    static const double last[] = {0.0, -1.0};
    double lambda[MOST], *work = take_aligned(kernels_single_work(MOST), sizeof *work);
    for (size_t n = 2; n <= MOST; n++)
        for (int kind = 0; kind < 4; kind++) {
            double A[MOST * MOST] = {0}, Z[MOST * MOST];
            A[n * n - 1] = last[kind % 2];
            for (size_t i = 0; i + 1 < n; i++)
                A[i * n + i + 1] = A[(i + 1) * n + i] = kind / 2 && i % 2 ? -1.0 : 1.0;
            CHECK(k->eigh_single(n, A, lambda, Z, work) == 0, "n %zu kind %d", n, kind);
            for (size_t a = 0; a < n; a++)
                for (size_t b = 0; b < n; b++) {
                    double image = 0.0, dot = 0.0;
                    for (size_t c = 0; c < n; c++) {
                        image += A[b * n + c] * Z[a * n + c];
                        dot += Z[a * n + c] * Z[b * n + c];
                    }
                    CHECK_CLOSE(image, lambda[a] * Z[a * n + b], 1e-14, "n %zu kind %d", n, kind);
                    CHECK_CLOSE(dot, a == b, 1e-14, "n %zu kind %d", n, kind);
                }
        }
}

/* Of every length up to some blocks, with z apart and z in y's own place. */
TEST(two_arrays_and_a_product)
{
    enum { MOST = 70 };
    rng r = seeded(14);
    for (size_t count = 0; count <= MOST; count++)
        for (int own = 0; own < 2; own++) {
            double x[MOST], y[MOST + 1], z[MOST], sum = 0.0, size = 0.0, expected[MOST];
            double a = own ? 0.0 : rng_normal(&r), b = rng_normal(&r);
            for (size_t e = 0; e < MOST; e++) {
                x[e] = rng_normal(&r);
                y[e] = rng_normal(&r);
                z[e] = rng_normal(&r);
            }
            y[count] = 7.0;
            for (size_t e = 0; e < count; e++) {
                expected[e] = a * x[e] + b * y[e];
                double term = expected[e] * (own ? expected[e] : z[e]);
                sum += term;
                size += fabs(term);
            }
            double found = k->axpby_dot(count, a, own ? y : x, b, y, own ? y : z);
            CHECK_CLOSE(found, sum, 1e-15 * size, "%zu entries", count);
            for (size_t e = 0; e < count; e++)
                CHECK_CLOSE(y[e], expected[e], 1e-15, "entry %zu of %zu", e, count);
            CHECK(y[count] == 7.0, "beyond %zu", count);
        }
}

TEST(rebuild_from_vectors)
{
    rng r = seeded(11);
    for (size_t i = 0; i < SIZES; i++) {
        eight s = eight_new(sizes[i]);
        size_t n = s.n;
        double *lambda = take_aligned(n * LANES, sizeof *lambda);
        unsigned bad;
        fill_spd(&s, &r, 1000.0);
        memcpy(s.out, s.octet, TRI(n) * LANES * sizeof(double));
        k->eigh(n, 1, s.out, lambda, s.full, &bad, s.work);
        k->rebuild(n, s.full, lambda, s.out, s.work);
        for (size_t e = 0; e < TRI(n) * LANES; e++)
            CHECK_CLOSE(s.out[e], s.octet[e], 1e-13, "n %zu", n);
    }
}

/* Z'AZ and ZAZ' of eight matrices, one of which is spoilt. */
TEST(turn_and_back)
{
    rng r = seeded(21);
    for (size_t i = 0; i < SIZES; i++)
        for (int back = 0; back < 2; back++) {
            eight s = eight_new(sizes[i]);
            size_t n = s.n;
            double *Z[LANES], *known = block(n * n), *M = block(n * n);
            for (int l = 0; l < LANES; l++) {
                Z[l] = take_aligned(n * n, sizeof(double));
                for (size_t e = 0; e < n * n; e++)
                    Z[l][e] = rng_normal(&r);
            }
            fill_spd(&s, &r, 100.0);
            k->gather(n * n, LANES, (const double *const *)Z, s.full);
            memcpy(s.out, s.octet, TRI(n) * LANES * sizeof(double));
            s.out[3] = NAN;
            k->turn(n, back, s.full, s.out, take_aligned(2 * n * n * LANES, sizeof(double)));
            for (int l = 0; l < LANES; l++) {
                flip(n, n, Z[l], M);
                congruent(n, n, back ? Z[l] : M, s.X[l], known);
                for (size_t a = 0; a < n; a++)
                    for (size_t b = 0; b <= a; b++)
                        CHECK(l == 3 || fabs(at(s.out, a, b, l) - known[a * n + b]) <
                                            1e-13 * (double)n * (double)n,
                              "n %zu back %d lane %d", n, back, l);
            }
        }
}

TEST(product_against_dgemm)
{
    rng r = seeded(12);
    const size_t shapes[][2] = {{1, 1},   {2, 1},   {7, 3},   {9, 8},   {20, 10}, {21, 12},
                                {31, 20}, {40, 30}, {45, 33}, {50, 47}, {93, 20}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        size_t n = shapes[i][0], m = shapes[i][1], ld = PASS_LD(m);
        double *X = take_aligned(n * n, sizeof *X), *W = take_aligned(n * ld, sizeof *W);
        double *Y = take_aligned(n * ld, sizeof *Y), *S = take_aligned(m * ld, sizeof *S);
        double *expected = take_aligned(n * ld, sizeof *expected);
        random_spd(&r, n, 10.0, X);
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < m; b++)
                W[a * ld + b] = rng_normal(&r);
        k->product(n, n, m, X, n, 1, W, Y, X);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)m, (int)n, 1.0, X,
                    (int)n, W, (int)ld, 0.0, expected, (int)ld);
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < m; b++)
                CHECK_CLOSE(Y[a * ld + b], expected[a * ld + b], 1e-13, "X W, n %zu m %zu", n, m);
        for (size_t a = 0; a < n; a++)
            for (size_t b = m; b < ld; b++)
                CHECK(Y[a * ld + b] == 0.0, "padding, n %zu m %zu", n, m);
        k->product(m, n, m, W, 1, ld, Y, S, W);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)m, (int)m, (int)n, 1.0, W,
                    (int)ld, Y, (int)ld, 0.0, expected, (int)ld);
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b < m; b++)
                CHECK_CLOSE(S[a * ld + b], expected[a * ld + b], 1e-12, "W'Y, n %zu m %zu", n, m);
        memset(S, 0, m * ld * sizeof *S);
        k->product_lower(n, m, W, 1, ld, Y, S);
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b <= a; b++)
                CHECK_CLOSE(S[a * ld + b], expected[a * ld + b], 1e-12, "lower, n %zu m %zu", n, m);
    }
}

TEST(widened_floats_are_the_same_numbers)
{
    rng r = seeded(13);
    for (size_t count = 0; count < 70; count++) {
        float x[72];
        double y[72];
        for (size_t e = 0; e < 72; e++) {
            x[e] = (float)rng_normal(&r);
            y[e] = 7.0;
        }
        x[count / 2] = (float)INFINITY;
        k->widen(count, x + 1, y);
        for (size_t e = 0; e < 72; e++)
            CHECK(y[e] == (e < count ? (double)x[e + 1] : 7.0), "entry %zu of %zu", e, count);
    }
}

/* The same on top of what C holds, column by column to another scale; padding stays zero. */
TEST(product_onto_against_dgemm)
{
    rng r = seeded(13);
    const size_t shapes[][2] = {{1, 1}, {7, 3}, {20, 10}, {31, 20}, {40, 30}, {45, 33}, {93, 47}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        size_t n = shapes[i][0], m = shapes[i][1], ld = PASS_LD(m);
        double *Y = take_aligned(n * ld, sizeof *Y), *Z = take_aligned(m * ld, sizeof *Z);
        double *C = take_aligned(n * ld, sizeof *C),
               *expected = take_aligned(n * ld, sizeof *expected);
        double *scale = take_aligned(ld, sizeof *scale);
        for (size_t b = 0; b < m; b++) {
            scale[b] = rng_normal(&r);
            for (size_t a = 0; a < m; a++)
                Z[a * ld + b] = rng_normal(&r);
            for (size_t a = 0; a < n; a++) {
                Y[a * ld + b] = rng_normal(&r);
                C[a * ld + b] = rng_normal(&r);
            }
        }
        for (size_t e = 0; e < n * ld; e++)
            expected[e] = C[e] * scale[e % ld];
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)m, (int)m, 1.0, Y,
                    (int)ld, Z, (int)ld, 1.0, expected, (int)ld);
        k->product_onto(n, m, m, Y, ld, 1, Z, scale, C);
        for (size_t e = 0; e < n * ld; e++)
            CHECK_CLOSE(C[e], expected[e], e % ld < m ? 1e-12 : 0.0, "n %zu m %zu, entry %zu", n, m,
                        e);
    }
}
