/* test_poles.c - functions as sums over poles: the tables against the functions, the kernels
 * against the definition through eigenvalues, on every instruction set of this machine; and the
 * kernels for few lanes and for rows of distances against those that they shorten. */
#include "unit/test_kernels_common.h"

#include <float.h>

#include "linalg/dense.h"
#include "linalg/poles.h"

static const size_t sizes[] = {1, 2, 3, 5, 8, 13, 23, 33, 64};
#define SIZES (sizeof sizes / sizeof *sizes)

static double inverse_root(double x)
{
    return 1.0 / sqrt(x);
}

static double (*const functions[])(double) = {log, inverse_root, sqrt};

TEST(tables_are_the_functions)
{
    for (int f = 0; f < 3; f++)
        for (size_t range = 0; range < POLES_RANGES; range++) {
            poles p;
            poles_get((poles_function)f, range, &p);
            size_t over = p.count % 8;
            CHECK(p.reach == poles_reach(range) && over == 0, "range %zu", range);
            for (double x = 1.0; x <= p.reach; x *= 1.17) {
                double sum = p.constant, size = fabs(sum), exact = functions[f](x);
                for (size_t j = 0; j < p.count; j++) {
                    CHECK(p.shift[j] > 0.0, "shift %zu", j);
                    sum += p.weight[j] / (x + p.shift[j]);
                    size += fabs(p.weight[j] / (x + p.shift[j]));
                }
                CHECK_CLOSE(sum, exact, 4.0 * DBL_EPSILON * size, "function %d at %g", f, x);
            }
        }
}

/* Eight matrices with eigenvalues from `scale` / condition to scale. */
typedef struct eight {
    size_t n;
    double *X; /* 8 x n x n */
    double *octet, *edges, *work;
} eight;

static eight eight_new(rng *r, size_t n, double condition, double scale)
{
    eight s = {.n = n, .X = random_set(r, n, LANES, condition)};
    s.octet = take_aligned(TRI(n) * LANES, sizeof(double));
    s.edges = take_aligned(2 * LANES, sizeof(double));
    s.work = take_aligned(kernels_poles_work(n) + 2 * TRI(n) * LANES, sizeof(double));
    for (size_t e = 0; e < LANES * n * n; e++)
        s.X[e] *= scale;
    return s;
}

static void eight_pack(eight *s)
{
    const double *in[LANES];
    for (size_t l = 0; l < LANES; l++)
        in[l] = s->X + l * s->n * s->n;
    k->pack(s->n, LANES, in, s->octet);
}

/* Lane l as a matrix of its own. */
static void lane_of(size_t n, const double *octet, size_t l, double *A)
{
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++)
            A[r * n + c] = A[c * n + r] = octet[(TRI(r) + c) * LANES + l];
}

static void check_lane(const eight *s, int f, size_t l, double condition, double *A, double *E)
{
    size_t n = s->n;
    lane_of(n, s->octet, l, A);
    twin_function(n, functions[f], s->X + l * n * n, E);
    double tolerance =
        20.0 * (double)n * DBL_EPSILON * (f == POLES_SQRT ? sqrt(condition) : condition);
    double size = norm(n * n, E) + (f == POLES_LOG ? 1.0 : 0.0), gap = gap_between(n * n, A, E);
    CHECK(gap <= tolerance * size, "function %d n %zu cond %g: gap %g", f, n, condition, gap);
}

static void check_edges(const eight *s, size_t l, double *A)
{
    size_t n = s->n;
    double *lambda = block(n), *work = block(dense_eigh_work(n));
    memcpy(A, s->X + l * n * n, n * n * sizeof *A);
    CHECK(dense_eigh(n, 0, A, lambda, work) == 0, "n %zu", n);
    double low = s->edges[l] / lambda[0], high = s->edges[LANES + l] / lambda[n - 1];
    CHECK(low > 0.5 && low < 1.0 && high > 1.0 && high < 1.5, "n %zu: %g %g", n, low, high);
}

TEST(agrees_with_definition)
{
    const double conditions[] = {1.0, 1e2, 1e4, 1e7}, scales[] = {1.0, 1e-150, 1e150, 37.0};
    rng r = seeded(1);
    for (size_t i = 0; i < SIZES; i++)
        for (size_t c = 0; c < 4; c++) {
            size_t n = sizes[i];
            eight s = eight_new(&r, n, conditions[c], scales[c]);
            double *A = block(n * n), *E = block(n * n);
            for (int f = 0; f < 3; f++) {
                eight_pack(&s);
                CHECK(k->by_poles(n, f, s.octet, s.edges, s.work) == 0, "n %zu", n);
                for (size_t l = 0; l < LANES; l++) {
                    check_lane(&s, f, l, conditions[c], A, E);
                    check_edges(&s, l, A);
                }
            }
        }
}

/* A lane that is not served is reported, and changes no bit of the others. */
TEST(strange_lanes_keep_to_themselves)
{
    const size_t n = 13, n2 = n * n;
    rng r = seeded(2);
    for (int kind = 0; kind < 4; kind++)
        for (size_t bad = 0; bad < LANES; bad++) {
            eight s = eight_new(&r, n, 1e3, 1.0);
            double *good = block(TRI(n) * LANES), *x = s.X + bad * n2;
            eight_pack(&s);
            CHECK(k->by_poles(n, POLES_LOG, s.octet, s.edges, s.work) == 0, " ");
            memcpy(good, s.octet, TRI(n) * LANES * sizeof *good);
            for (size_t e = 0; e < n2; e++)
                x[e] = e % (n + 1) ? 0.0 : 1.0;
            x[0] = kind == 0 ? NAN : kind == 1 ? -1e-3 : kind == 2 ? 1e-9 : INFINITY;
            eight_pack(&s);
            CHECK(k->by_poles(n, POLES_LOG, s.octet, s.edges, s.work) == 1u << bad, "kind %d",
                  kind);
            for (size_t e = 0; e < TRI(n) * LANES; e++) {
                size_t lane = e % LANES;
                CHECK(lane == bad || s.octet[e] == good[e], "kind %d lane %zu", kind, lane);
            }
        }
}

static void check_few(size_t count, const double *few, const double *all, const char *what)
{
    for (size_t e = 0; e < count * LANES; e++) {
        size_t lane = e % LANES;
        CHECK(lane >= FEW_LANES || few[e] == all[e], "%s entry %zu", what, e);
    }
}

TEST(few_lanes_as_all)
{
    rng r = seeded(3);
    for (size_t i = 0; i < SIZES; i++) {
        size_t n = sizes[i], count = TRI(n) * LANES;
        eight s = eight_new(&r, n, 100.0, 1.0);
        double *all = take_aligned(2 * count, sizeof(double)), *other = all + count;
        double *inverse = s.work, *rest = s.work + count;
        _Alignas(64) double logdet[2 * LANES];
        eight_pack(&s);
        memcpy(all, s.octet, count * sizeof *all);
        CHECK(k->chol(n, all, logdet) == 0 && k->few_chol(n, s.octet, logdet + LANES) == 0, " ");
        check_few(TRI(n), s.octet, all, "chol");
        check_few(1, logdet + LANES, logdet, "logdet");
        k->few_inverse(n, s.octet, rest, inverse);
        k->tri_inverse(n, all, rest);
        k->tri_gram(n, rest, other);
        check_few(TRI(n), inverse, other, "inverse");
        eight_pack(&s);
        k->by_poles(n, POLES_SQRT, s.octet, s.edges, s.work);
        memcpy(all, s.octet, count * sizeof *all);
        eight_pack(&s);
        CHECK(k->few_by_poles(n, POLES_SQRT, s.octet, s.edges, s.work) == 0, "n %zu", n);
        check_few(TRI(n), s.octet, all, "by poles");
    }
}

TEST(norm_of_a_logarithm)
{
    const double conditions[] = {1.0, 1e2, 1e5, 1e7, 1e9};
    rng r = seeded(4);
    for (size_t i = 0; i < SIZES; i++)
        for (size_t c = 0; c < 5; c++) {
            size_t n = sizes[i];
            double *X = random_set(&r, n, 1, conditions[c]), *A = block(n * n), *d = block(2 * n);
            double *room = block(dense_tridiagonal_work(n) + dense_eigh_work(n)), sum = 0.0;
            double *work = take_aligned(kernels_norm_work(n), sizeof(double));
            memcpy(A, X, n * n * sizeof *A);
            dense_tridiagonal(n, 0, A, d, d + n, room);
            double found = k->log_norm2(n, d, d + n, work);
            CHECK(dense_eigh(n, 0, X, d, room) == 0, " ");
            for (size_t j = 0; j < n; j++)
                sum += log(d[j]) * log(d[j]);
            double rounding = 20.0 * (double)n * DBL_EPSILON * conditions[c];
            if (d[0] * poles_reach(POLES_RANGES - 1) < d[n - 1])
                CHECK(isnan(found), "n %zu cond %g", n, conditions[c]);
            else
                CHECK_CLOSE(found, sum, rounding * (sum + 1.0), "n %zu cond %g", n, conditions[c]);
            d[0] = -1.0;
            CHECK(isnan(k->log_norm2(n, d, d + n, work)), "not positive definite");
        }
}

/* Rows together, octets together and vectors in pieces give the bits of one row and one octet. */
TEST(rows_of_distances)
{
    enum { MOST = 19, ENTRIES = 37, FIRST = 14 };
    _Alignas(64) double G[2 * ENTRIES * LANES], part[2 * ENTRIES * LANES];
    _Alignas(64) double all[MOST * 2 * LANES], alone[LANES], sums[MOST * 4 * LANES] = {0.0};
    double F[MOST * ENTRIES];
    rng r = seeded(5);
    for (size_t e = 0; e < MOST * ENTRIES; e++)
        F[e] = rng_normal(&r);
    for (size_t e = 0; e < 2 * ENTRIES * LANES; e++)
        G[e] = rng_normal(&r);
    k->apart(ENTRIES, MOST, F, ENTRIES, 2, G, all);
    for (size_t row = 0; row < MOST; row++)
        for (size_t g = 0; g < 2; g++) {
            k->apart(ENTRIES, 1, F + row * ENTRIES, 0, 1, G + g * ENTRIES * LANES, alone);
            CHECK(memcmp(alone, all + (row * 2 + g) * LANES, sizeof alone) == 0, "row %zu", row);
        }
    for (size_t from = 0, some = FIRST; from < ENTRIES; from += some, some = ENTRIES - from) {
        for (size_t g = 0; g < 2; g++)
            memcpy(part + g * some * LANES, G + (g * ENTRIES + from) * LANES,
                   some * LANES * sizeof *G);
        k->apart_add(some, MOST, F + from, ENTRIES, 2, part, sums);
    }
    for (size_t i = 0; i < MOST * 2; i++) {
        k->apart_end(1, sums + i * 2 * LANES, alone);
        CHECK(memcmp(alone, all + i * LANES, sizeof alone) == 0, "piece by piece %zu", i);
    }
}
