/* test_lasso.c - sparse coding against proximal gradient and against the conditions of optimality,
 * for dictionaries from orthogonal to singular, codes from empty to full. */
#include "repeat.h"
#include "twin_lasso.h"

#include "classify/lasso.h"

/* A dictionary and queries for it: A (p x dim) rows are atoms, Y (q x dim) are queries. */
typedef struct problem {
    size_t p, q, dim;
    double *K, *k, *y2;
} problem;

static problem make_problem(uint64_t seed, size_t p, size_t q, size_t dim, double common)
{
    rng r = seeded(seed);
    problem m = {p, q, dim, block(p * p), block(p * q), block(q)};
    double *A = block((p + q) * dim), *shared = block(dim);
    for (size_t d = 0; d < dim; d++)
        shared[d] = common * rng_normal(&r);
    for (size_t i = 0; i < p + q; i++) {
        double *a = A + i * dim;
        for (size_t d = 0; d < dim; d++)
            a[d] = shared[d] + rng_normal(&r);
        double length = norm(dim, a);
        for (size_t d = 0; d < dim; d++)
            a[d] /= length;
    }
    double *T = block(p * dim);
    flip(p, dim, A, T);
    times(p, dim, p, A, T, m.K);
    spd_symmetrize(p, 1, m.K);
    times(q, dim, p, A + p * dim, T, m.k);
    for (size_t i = 0; i < q; i++)
        m.y2[i] = 1.0;
    return m;
}

/* A solver with the dictionary, one query. code->atom and value are only valid until it ends. */
typedef struct session {
    lasso *solver;
    arena room;
    lasso_dictionary dictionary;
} session;

static session open_session(size_t p, const double *K)
{
    session s = {.solver = lasso_new(p)};
    CHECK(s.solver && lasso_dictionary_make(NULL, p, K, &s.room, &s.dictionary) == SPD_OK &&
              lasso_dictionary_shift(NULL, 1e-3, &s.room, &s.dictionary) == SPD_OK,
          "no session");
    CHECK(!s.dictionary.inverse == (s.dictionary.shifted != NULL), "neither inverse, or both");
    return s;
}

static void close_session(session *s)
{
    lasso_free(s->solver);
    arena_free(&s->room);
}

/* v (p) <- the code of query i. */
static lasso_code solve(session *s, const double *k, double lambda, double y2, double *v)
{
    lasso_code code = {0};
    lasso_begin(s->solver, &s->dictionary, lambda, 1, k);
    CHECK(lasso_solve(s->solver, 0, y2, &code) == SPD_OK, "no solution");
    memset(v, 0, s->dictionary.p * sizeof *v);
    for (size_t a = 0; a < code.count; a++) {
        CHECK(code.value[a] != 0.0 && (a == 0 || code.atom[a] > code.atom[a - 1]), "atom %zu", a);
        v[code.atom[a]] = code.value[a];
    }
    return code;
}

/* Largest breach of: |g_j| <= lambda/2, and g_j = lambda/2 sign(v_j) where v_j is not zero. */
static double breach(size_t p, const double *K, const double *k, double lambda, const double *v)
{
    double worst = 0.0;
    for (size_t i = 0; i < p; i++) {
        double g = k[i];
        for (size_t j = 0; j < p; j++)
            g -= K[i * p + j] * v[j];
        double off = v[i] == 0.0 ? fabs(g) - 0.5 * lambda : fabs(g - copysign(0.5 * lambda, v[i]));
        worst = fmax(worst, off);
    }
    return worst;
}

static void check_problem(const problem *m, const char *name)
{
    const double lambdas[] = {1e-4, 1e-3, 1e-2, 0.1, 0.5, 1.2};
    double *v = block(m->p), *w = block(m->p);
    session s = open_session(m->p, m->K);
    for (size_t l = 0; l < sizeof lambdas / sizeof *lambdas; l++)
        for (size_t i = 0; i < m->q; i++) {
            const double *k = m->k + i * m->p, lambda = lambdas[l];
            lasso_code code = solve(&s, k, lambda, m->y2[i], v);
            double P = twin_objective(m->p, m->K, k, lambda, v);
            CHECK(code.converged && code.gap <= LASSO_TOLERANCE * -P + 1e-14,
                  "%s, lambda %g: gap %g", name, lambda, code.gap);
            CHECK_CLOSE(code.objective, P, 1e-13, "%s, lambda %g", name, lambda);
            twin_lasso(m->p, m->K, k, lambda, 5000, w);
            double best = twin_objective(m->p, m->K, k, lambda, w);
            CHECK(P <= best + code.gap + 1e-13, "%s, lambda %g: %.15g above the twin's %.15g", name,
                  lambda, P, best);
            /* the gap bounds the distance from below too, as far as the twin went */
            CHECK(best >= P - code.gap - 1e-13, "%s, lambda %g: gap %g, but %g lower", name, lambda,
                  code.gap, P - best);
            CHECK(breach(m->p, m->K, k, lambda, v) <= 1e-3 * sqrt(-P) + 1e-12,
                  "%s, lambda %g: breach %g", name, lambda, breach(m->p, m->K, k, lambda, v));
        }
    close_session(&s);
}

TEST(against_proximal_gradient)
{
    const struct {
        const char *name;
        size_t p, dim;
        double common;
    } kinds[] = {{"one atom", 1, 4, 0.0},
                 {"two atoms", 2, 5, 0.0},
                 {"square", 20, 25, 0.0},
                 {"tall", 24, 400, 0.0},
                 {"overcomplete", 40, 12, 0.0},
                 {"alike", 24, 60, 3.0},
                 {"alike, overcomplete", 40, 15, 3.0}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        problem m = make_problem(i + 1, kinds[i].p, 3, kinds[i].dim, kinds[i].common);
        check_problem(&m, kinds[i].name);
    }
}

/* Large enough for working sets to grow and for both ways to be taken. */
TEST(optimality_of_large_ones)
{
    const double lambdas[] = {1e-4, 1e-2, 0.1};
    for (int kind = 0; kind < 3; kind++) {
        problem m =
            make_problem(40 + (uint64_t)kind, 220, 5, kind == 1 ? 80 : 400, kind == 2 ? 2.0 : 0.0);
        double *v = block(m.p);
        session s = open_session(m.p, m.K);
        CHECK((s.dictionary.inverse != NULL) == (kind != 1), "kind %d", kind);
        for (size_t l = 0; l < 3; l++)
            for (size_t i = 0; i < m.q; i++) {
                lasso_code code = solve(&s, m.k + i * m.p, lambdas[l], 1.0, v);
                double off = breach(m.p, m.K, m.k + i * m.p, lambdas[l], v);
                CHECK(code.converged && code.gap <= -LASSO_TOLERANCE * code.objective + 1e-14,
                      "kind %d lambda %g: gap %g of %g", kind, lambdas[l], code.gap,
                      code.objective);
                CHECK(off <= 1e-3 * sqrt(-code.objective), "kind %d lambda %g", kind, lambdas[l]);
            }
        close_session(&s);
    }
}

/* A smooth kernel of points on a line: hardly any rank, atoms join and leave by the dozen, and the
 * factor of the support changes all the time. */
TEST(nearly_singular)
{
    size_t p = 160;
    double *K = block(p * p), *k = block(p), *v = block(p), *w = block(p);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            K[i * p + j] = exp(-30.0 * pow(((double)i - (double)j) / (double)p, 2.0));
    session s = open_session(p, K);
    CHECK(!s.dictionary.inverse, "well conditioned");
    for (int l = 1; l <= 6; l++)
        for (int query = 0; query < 3; query++) {
            double lambda = pow(10.0, -l), at = 0.31 + 0.17 * query;
            for (size_t i = 0; i < p; i++) /* of a point and its mirror image */
                k[i] = 0.5 * exp(-30.0 * pow((double)i / (double)p - at, 2.0)) -
                       0.5 * exp(-30.0 * pow((double)i / (double)p - 1.0 + at, 2.0));
            lasso_code code = solve(&s, k, lambda, 1.0, v);
            CHECK(code.converged && code.gap <= -LASSO_TOLERANCE * code.objective + 1e-14,
                  "lambda %g: gap %g of %g", lambda, code.gap, code.objective);
            CHECK(breach(p, K, k, lambda, v) <= 1e-3 * sqrt(-code.objective) + 1e-12,
                  "lambda %g: breach %g", lambda, breach(p, K, k, lambda, v));
            twin_lasso(p, K, k, lambda, 3000, w);
            CHECK(code.objective <= twin_objective(p, K, k, lambda, w) + code.gap + 1e-13,
                  "lambda %g: above the twin", lambda);
        }
    close_session(&s);
}

/* One atom a million times longer than the others, half of which are nearly alike. */
TEST(atoms_of_different_lengths)
{
    size_t p = 80, dim = 60;
    problem m = make_problem(31, p, 3, dim, 0.0);
    double *v = block(p);
    for (size_t i = 1; i < p; i += 2) /* K of atoms a_i + 1e-3 of a_(i-1): rows, then columns */
        for (int side = 0; side < 2; side++)
            for (size_t j = 0; j < p; j++) {
                size_t own = side ? j * p + i : i * p + j, other = side ? own - 1 : own - p;
                m.K[own] = m.K[other] + 1e-3 * m.K[own];
            }
    for (size_t q = 0; q < m.q; q++)
        for (size_t i = 1; i < p; i += 2)
            m.k[q * p + i] = m.k[q * p + i - 1] + 1e-3 * m.k[q * p + i];
    for (size_t j = 0; j < p; j++) {
        m.K[7 * p + j] *= 1e6;
        m.K[j * p + 7] *= 1e6;
    }
    for (size_t q = 0; q < m.q; q++)
        m.k[q * p + 7] *= 1e6;
    session s = open_session(p, m.K);
    for (int l = 1; l <= 6; l++)
        for (size_t q = 0; q < m.q; q++) {
            lasso_code code = solve(&s, m.k + q * p, pow(10.0, -l), 1.0, v);
            CHECK(code.converged && code.gap <= 1e-6 * -code.objective,
                  "lambda 1e-%d: gap %g of %g", l, code.gap, code.objective);
        }
    close_session(&s);
}

/* The same dictionary with and without its inverse: two ways, one solution. */
TEST(both_ways)
{
    problem m = make_problem(9, 60, 6, 200, 0.5);
    double *v = block(m.p), *w = block(m.p);
    session s = open_session(m.p, m.K);
    for (int l = 0; l < 3; l++)
        for (size_t i = 0; i < m.q; i++) {
            double lambda = pow(10.0, -1.0 - l), *inverse = s.dictionary.inverse;
            lasso_code one = solve(&s, m.k + i * m.p, lambda, 1.0, v);
            double first = one.objective;
            s.dictionary.inverse = NULL;
            lasso_code two = solve(&s, m.k + i * m.p, lambda, 1.0, w);
            s.dictionary.inverse = inverse;
            CHECK_CLOSE(two.objective, first, 2e-8 * fabs(first), "lambda %g", lambda);
            CHECK(gap_between(m.p, v, w) <= 1e-3 * norm(m.p, w), "lambda %g", lambda);
        }
    close_session(&s);
}

/* Points in space under a Gaussian kernel: no inverse to be trusted, and codes of most atoms. */
TEST(full_codes_without_an_inverse)
{
    enum { P = 160, Q = 6 };
    rng r = seeded(21);
    double x[P + Q][3], *K = block(P * P), *k = block(Q * P), *v = block(P), *w = block(P);
    for (size_t i = 0; i < P + Q; i++)
        for (int e = 0; e < 3; e++)
            x[i][e] = rng_normal(&r);
    for (size_t i = 0; i < P + Q; i++)
        for (size_t j = 0; j < P; j++) {
            double d2 = 0.0;
            for (int e = 0; e < 3; e++)
                d2 += pow(x[i][e] - x[j][e], 2.0);
            *(i < P ? &K[i * P + j] : &k[(i - P) * P + j]) = exp(-0.5 * d2);
        }
    session s = open_session(P, K);
    CHECK(s.dictionary.shifted, "an inverse");
    for (int l = 2; l <= 6; l += 2)
        for (size_t i = 0; i < Q; i++) {
            double lambda = pow(10.0, -l), *shifted = s.dictionary.shifted;
            lasso_code one = solve(&s, k + i * P, lambda, 1.0, v);
            double first = one.objective;
            CHECK(one.converged && one.gap <= -LASSO_TOLERANCE * first + 1e-14,
                  "lambda %g: gap %g of %g", lambda, one.gap, first);
            s.dictionary.shifted = NULL;
            lasso_code two = solve(&s, k + i * P, lambda, 1.0, w);
            s.dictionary.shifted = shifted;
            CHECK(two.converged, "lambda %g, the other way: gap %g", lambda, two.gap);
            CHECK_CLOSE(first, two.objective, 2e-8 * fabs(first), "lambda %g", lambda);
        }
    close_session(&s);
}

/* v <- by plain coordinate descent, until no coefficient moves by 1e-12. */
static void descend_plainly(size_t p, const double *K, const double *k, double lambda, double *v)
{
    double furthest = 1.0;
    memset(v, 0, p * sizeof *v);
    for (int sweep = 0; sweep < 100000 && furthest > 1e-12; sweep++) {
        furthest = 0.0;
        for (size_t j = 0; j < p; j++) {
            double z = k[j] + K[j * (p + 1)] * v[j], size = K[j * (p + 1)];
            for (size_t i = 0; i < p; i++)
                z -= K[j * p + i] * v[i];
            double to = copysign(fmax(fabs(z) - 0.5 * lambda, 0.0) / size, z);
            furthest = fmax(furthest, fabs(to - v[j]));
            v[j] = to;
        }
    }
    CHECK(furthest <= 1e-12, "lambda %g: still moves by %g", lambda, furthest);
}

/* The working set, the dual and the steps against plain coordinate descent: coefficients differ by no
 * more than the gap allows, |v - w|^2 <= gap / smallest eigenvalue, here above 0.01. */
TEST(coefficients_by_coordinate_descent)
{
    problem m = make_problem(12, 130, 3, 220, 0.0);
    double *v = block(m.p), *w = block(m.p);
    session s = open_session(m.p, m.K);
    CHECK(s.dictionary.inverse, "no inverse");
    for (int l = 1; l <= 4; l++)
        for (size_t i = 0; i < m.q; i++) {
            double lambda = pow(10.0, -l), *inverse = s.dictionary.inverse;
            FREED_BY(arena_free) arena room = {0};
            descend_plainly(m.p, m.K, m.k + i * m.p, lambda, w);
            for (int way = 0; way < 3; way++) {
                s.dictionary.inverse = way == 0 ? inverse : NULL;
                s.dictionary.shifted = NULL;
                if (way == 2)
                    CHECK(lasso_dictionary_shift(NULL, lambda, &room, &s.dictionary) == SPD_OK &&
                              s.dictionary.shifted,
                          "no shift");
                lasso_code code = solve(&s, m.k + i * m.p, lambda, 1.0, v);
                CHECK(code.converged, "lambda %g, way %d: gap %g", lambda, way, code.gap);
                CHECK(gap_between(m.p, v, w) <= sqrt(code.gap / 0.01) + 1e-9,
                      "lambda %g, way %d: codes differ by %g, gap %g", lambda, way,
                      gap_between(m.p, v, w), code.gap);
            }
            s.dictionary.inverse = inverse;
            s.dictionary.shifted = NULL;
        }
    close_session(&s);
}

/* A dictionary made for one lambda serves another, and is made to suit it. */
TEST(shift_follows_lambda)
{
    problem m = make_problem(13, 100, 2, 40, 0.0);
    double *v = block(m.p), *w = block(m.p);
    session s = open_session(m.p, m.K);
    lasso_dictionary first = s.dictionary, other = first;
    CHECK(first.shifted, "an inverse");
    FREED_BY(arena_free) arena room = {0};
    CHECK(lasso_dictionary_suit(NULL, 1e-3, &room, &other) == SPD_OK &&
              other.shifted == first.shifted,
          "made again for the same lambda");
    CHECK(lasso_dictionary_suit(NULL, 1e-5, &room, &other) == SPD_OK &&
              other.shifted != first.shifted && other.shift < first.shift,
          "not made for another lambda");
    for (size_t i = 0; i < m.q; i++) {
        double one = solve(&s, m.k + i * m.p, 1e-5, 1.0, v).objective;
        s.dictionary = other;
        lasso_code code = solve(&s, m.k + i * m.p, 1e-5, 1.0, w);
        s.dictionary = first;
        CHECK(code.converged, "gap %g", code.gap);
        CHECK_CLOSE(code.objective, one, 2e-8 * fabs(one), "query %zu", i);
    }
    close_session(&s);
}

/* A code has the same bits whatever was coded before it: which queries share a solver depends on the
 * number of threads. */
TEST(same_bits_after_any_other)
{
    problem m = make_problem(14, 501, 9, 300, 2.0);
    double *v = block(m.p), *w = block(m.p);
    const double lambdas[] = {1e-2, 1e-3, 1e-4};
    session old = open_session(m.p, m.K);
    solve(&old, m.k, 1e-4, 1.0, v);
    for (size_t i = 1; i < m.q; i++)
        for (int l = 0; l < 3; l++) {
            session fresh = open_session(m.p, m.K);
            solve(&old, m.k + i * m.p, lambdas[l], 1.0, v);
            solve(&fresh, m.k + i * m.p, lambdas[l], 1.0, w);
            CHECK(memcmp(v, w, m.p * sizeof *v) == 0, "query %zu, lambda %g", i, lambdas[l]);
            close_session(&fresh);
        }
    close_session(&old);
}

TEST(orthogonal_atoms)
{
    enum { P = 9 };
    double K[P * P] = {0}, k[P], v[P];
    for (size_t j = 0; j < P; j++) {
        K[j * (P + 1)] = 2.0;
        k[j] = 0.1 * (double)j * (j % 2 ? -1.0 : 1.0);
    }
    session s = open_session(P, K);
    solve(&s, k, 0.5, 10.0, v);
    for (size_t j = 0; j < P; j++) {
        double size = fmax(fabs(k[j]) - 0.25, 0.0) / 2.0;
        CHECK_CLOSE(v[j], copysign(size, k[j]), 1e-9, "atom %zu", j);
    }
    close_session(&s);
}

TEST(too_large_a_penalty)
{
    problem m = make_problem(3, 30, 1, 50, 0.0);
    double largest = 0.0, *v = block(m.p);
    for (size_t j = 0; j < m.p; j++)
        largest = fmax(largest, fabs(m.k[j]));
    session s = open_session(m.p, m.K);
    CHECK(solve(&s, m.k, 2.0 * largest, 1.0, v).count == 0, "at the limit");
    CHECK(solve(&s, m.k, 100.0, 1.0, v).count == 0, "far above it");
    lasso_code code = solve(&s, m.k, 1.999 * largest, 1.0, v);
    CHECK(code.count == 1 && code.converged, "%zu atoms just below it", code.count);
    close_session(&s);
}

TEST(query_equals_an_atom)
{
    problem m = make_problem(5, 40, 1, 25, 1.0);
    double *v = block(m.p);
    session s = open_session(m.p, m.K);
    for (size_t j = 0; j < m.p; j++) {
        lasso_code code = solve(&s, m.K + j * m.p, 1e-4, 1.0, v);
        CHECK_CLOSE(code.objective, -pow(1.0 - 0.5e-4, 2.0), 1.1e-8, "atom %zu", j);
        for (size_t i = 0; i < m.p; i++) /* 1e-8 of the objective is 1e-4 of a coefficient */
            CHECK_CLOSE(v[i], i == j ? 1.0 - 0.5e-4 : 0.0, 2e-4, "atom %zu for %zu", i, j);
    }
    close_session(&s);
}

/* Every atom twice: K is singular, the coefficients of twins may share, their sum may not change.
 */
TEST(atoms_twice)
{
    problem m = make_problem(6, 15, 4, 40, 0.3);
    size_t p = m.p, twice = 2 * p;
    double *K = block(twice * twice), *k = block(twice), *v = block(twice), *w = block(p);
    for (size_t i = 0; i < twice; i++)
        for (size_t j = 0; j < twice; j++)
            K[i * twice + j] = m.K[i % p * p + j % p];
    session one = open_session(p, m.K), two = open_session(twice, K);
    CHECK(!two.dictionary.inverse, "a singular matrix has an inverse");
    for (size_t i = 0; i < m.q; i++) {
        memcpy(k, m.k + i * p, p * sizeof *k);
        memcpy(k + p, m.k + i * p, p * sizeof *k);
        double once = solve(&one, k, 1e-3, 1.0, w).objective;
        lasso_code code = solve(&two, k, 1e-3, 1.0, v);
        CHECK(code.converged, "gap %g", code.gap);
        CHECK_CLOSE(code.objective, once, 2e-8 * fabs(once), "query %zu", i);
        for (size_t j = 0; j < p; j++)
            CHECK_CLOSE(v[j] + v[j + p], w[j], 1e-3, "atom %zu", j);
    }
    close_session(&one);
    close_session(&two);
}

/* c k and c lambda give c v; permuted atoms give permuted codes. */
TEST(invariances)
{
    problem m = make_problem(7, 50, 2, 120, 0.5);
    size_t p = m.p;
    double *v = block(p), *w = block(p), *K = block(p * p), *k = block(p);
    session s = open_session(p, m.K);
    solve(&s, m.k, 0.02, 1.0, v);
    for (size_t j = 0; j < p; j++)
        k[j] = 1000.0 * m.k[j];
    solve(&s, k, 20.0, 1e6, w);
    for (size_t j = 0; j < p; j++)
        CHECK_CLOSE(w[j], 1000.0 * v[j], 1.0, "scaled, atom %zu", j);
    close_session(&s);
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j < p; j++)
            K[i * p + j] = m.K[i * 7 % p * p + j * 7 % p];
        k[i] = m.k[i * 7 % p];
    }
    s = open_session(p, K);
    solve(&s, k, 0.02, 1.0, w);
    for (size_t i = 0; i < p; i++)
        CHECK_CLOSE(w[i], v[i * 7 % p], 1e-3, "permuted, atom %zu", i);
    close_session(&s);
}

/* A query gets the same code in whatever company. */
TEST(batches)
{
    problem m = make_problem(8, 80, LASSO_BATCH, 200, 0.3);
    double *v = block(m.p);
    session s = open_session(m.p, m.K), other = open_session(m.p, m.K);
    lasso_begin(s.solver, &s.dictionary, 0.01, m.q, m.k);
    for (size_t i = m.q; i-- > 0;) {
        lasso_code code;
        CHECK(lasso_solve(s.solver, i, 1.0, &code) == SPD_OK, "no solution");
        size_t count = solve(&other, m.k + i * m.p, 0.01, 1.0, v).count;
        CHECK(code.count == count, "query %zu: %zu and %zu atoms", i, code.count, count);
        for (size_t a = 0; a < code.count; a++)
            CHECK_CLOSE(code.value[a], v[code.atom[a]], 1e-9, "query %zu", i);
    }
    close_session(&s);
    close_session(&other);
}

static spd_status everything(const problem *m, spd_context *ctx)
{
    FREED_BY(arena_free) arena room = {0};
    lasso_dictionary d = {0};
    lasso *l = lasso_new(m->p);
    lasso_code code;
    spd_status status = l ? lasso_dictionary_make(ctx, m->p, m->K, &room, &d) : SPD_ENOMEM;
    if (status == SPD_OK)
        status = lasso_dictionary_shift(ctx, 2e-4, &room, &d);
    if (status == SPD_OK)
        lasso_begin(l, &d, 2e-4, m->q, m->k);
    for (size_t i = 0; i < m->q && status == SPD_OK; i++)
        status = lasso_solve(l, i, 1.0, &code);
    lasso_free(l);
    return status;
}

TEST(allocation_sweep)
{
    problem problems[] = {make_problem(1, 90, 4, 300, 0.0), make_problem(2, 150, 4, 90, 0.0)};
    for (size_t i = 0; i < 2; i++) {
        spd_context *ctx = context_on(0);
        for (sweep_state s = SWEEP(NULL, 19, NULL, 0); sweep_on(&s);)
            s.status = everything(&problems[i], ctx);
    }
}
