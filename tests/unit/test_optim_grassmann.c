/* test_optim_grassmann.c - tall decompositions, geodesics and transport on the Grassmann manifold,
 * against their definitions. */
#include "test_optim_common.h"
#include "test.h"

#include "linalg/tall.h"
#include "optim/grassmann.h"

static const size_t SIZES[][2] = {{6, 1}, {6, 5}, {2, 1}, {12, 4}, {20, 7}, {20, 19}, {93, 20}};
#define COUNT (sizeof SIZES / sizeof SIZES[0])

/* A geodesic from a random point: W and H are its point and velocity at 0. */
typedef struct course {
    size_t n, m, count;
    double *W, *H, *M, *block;
    grassmann_path g;
    rng r;
} course;

static void random_tangent(course *c, double *D)
{
    double *M = block(c->m * c->m);
    for (size_t e = 0; e < c->count; e++)
        D[e] = rng_normal(&c->r);
    grassmann_project(c->n, c->m, c->W, D, M);
}

/* A (n x m) <- one with singular values from 1 to 1e-14 or so, or as large as that times 2^power:
 * the columns of A, made ever shorter, the last one 0, and then mixed. */
static void grade(rng *r, size_t n, size_t m, int power, double *A)
{
    double *Q = block(m * m), *B = block(n * m);
    random_orthogonal(r, m, Q);
    for (size_t e = 0; e < n * m; e++)
        A[e] *= m > 1 && e % m == m - 1
                    ? 0.0
                    : ldexp(pow(0.1, 14.0 * (double)(e % m) / (double)m), power);
    times(n, m, m, A, Q, B);
    memcpy(A, B, n * m * sizeof *A);
}

/* Of every size, with singular values that are alike and then with some that are very small. */
static course course_new(size_t k)
{
    course c = {.n = SIZES[k % COUNT][0], .m = SIZES[k % COUNT][1]};
    c.count = c.n * c.m;
    rng_seed(&c.r, 100 + k);
    c.W = block(c.count);
    c.H = block(c.count);
    c.M = block(c.m * c.m);
    c.block = block(grassmann_room(c.n, c.m));
    grassmann_open(&c.g, c.n, c.m, c.block);
    random_frame(&c.r, c.n, c.m, c.W);
    random_tangent(&c, c.H);
    if (k >= COUNT)
        grade(&c.r, c.n, c.m, 0, c.H);
    CHECK(grassmann_aim(&c.g, c.H) == 0, "n = %zu", c.n);
    grassmann_depart(&c.g, c.W);
    return c;
}

/* D <- tau(D) */
static void carry(course *c, double *D)
{
    grassmann_pack(&c->g, D, c->M);
    grassmann_carry(&c->g, c->M, D);
}

/* D <- a random tangent at W, E <- the same carried to W(t). */
static void carry_random(course *c, double t, double *D, double *E)
{
    random_tangent(c, D);
    memcpy(E, D, c->count * sizeof *D);
    grassmann_go(&c->g, c->W, t);
    carry(c, E);
}

/* |A'B| for A, B n x m. */
static double overlap(const course *c, const double *A, const double *B)
{
    double *M = block(c->m * c->m);
    tall_inner(c->n, c->m, A, B, M);
    double size = norm(c->m * c->m, M);
    return size;
}

/* H V = U diag(sigma) from H'H, and U is orthonormal as far as sigma weighs. */
TEST(axes_rebuild)
{
    static const int power[] = {0, 0, -900, 900};
    for (size_t k = 0; k < 4 * COUNT; k++) {
        size_t n = SIZES[k % COUNT][0], m = SIZES[k % COUNT][1];
        rng r = seeded(k);
        double *H = block(n * m), *A = block(n * m), *U = block(n * m), *V = block(m * m);
        double *sigma = block(m), *work = block(tall_axes_work(n, m));
        for (size_t e = 0; e < n * m; e++)
            H[e] = rng_normal(&r);
        if (k >= COUNT)
            grade(&r, n, m, power[k / COUNT], H);
        CHECK(tall_axes(n, m, H, U, sigma, V, work) == 0, "n = %zu", n);
        CHECK(frame_error(m, m, V) < 1e-13, "n = %zu", n);
        times(n, m, m, H, V, A);
        for (size_t e = 0; e < n * m; e++) {
            size_t c = e % m;
            CHECK(sigma[c] >= 0.0, "column %zu", c);
            CHECK(c == 0 || sigma[c] <= sigma[c - 1] + 1e-7 * sigma[0], "column %zu", c);
            CHECK_CLOSE(U[e] * sigma[c], A[e], 1e-14 * sigma[0], "n = %zu m = %zu", n, m);
            U[e] *= sigma[c] / sigma[0];
        }
        tall_inner(n, m, U, U, V);
        for (size_t e = 0; e < m * m; e++)
            CHECK_CLOSE(V[e], e / m == e % m ? pow(sigma[e / m] / sigma[0], 2.0) : 0.0, 1e-14,
                        "n = %zu m = %zu: entry %zu", n, m, e);
    }
}

TEST(axes_of_nothing_and_of_rubbish)
{
    double H[6] = {0}, U[6], V[4], sigma[2], work[200];
    CHECK(tall_axes_work(3, 2) <= 200, "%zu", tall_axes_work(3, 2));
    CHECK(tall_axes(3, 2, H, U, sigma, V, work) == 0, "zero");
    CHECK(sigma[0] == 0.0 && sigma[1] == 0.0 && norm(6, U) == 0.0, "%g", sigma[0]);
    CHECK(frame_error(2, 2, V) < 1e-15, "%g", V[0]);
    H[4] = INFINITY;
    CHECK(tall_axes(3, 2, H, U, sigma, V, work) != 0, "not finite");
}

/* Q'A is upper triangular with a positive diagonal, Q Q'A = A. */
TEST(orthonormalise_keeps_the_span)
{
    for (size_t k = 0; k < COUNT; k++) {
        size_t n = SIZES[k][0], m = SIZES[k][1];
        rng r = seeded(k);
        double *A = block(n * m), *Q = block(n * m), *R = block(m * m), *B = block(n * m);
        double *work = block(tall_orthonormalise_work(n, m)), least = INFINITY;
        for (size_t e = 0; e < n * m; e++)
            A[e] = Q[e] = rng_normal(&r);
        double told = tall_orthonormalise(n, m, Q, work);
        CHECK(frame_error(n, m, Q) < 1e-13, "n = %zu", n);
        tall_inner(n, m, Q, A, R);
        for (size_t i = 0; i < m; i++) {
            least = fmin(least, R[i * m + i]);
            for (size_t j = 0; j < i; j++)
                CHECK(fabs(R[i * m + j]) < 1e-12, "R[%zu][%zu]", i, j);
        }
        CHECK(least > 0.0, "%g", least);
        CHECK_CLOSE(told, least, 1e-12, "n = %zu", n);
        times(n, m, m, Q, R, B);
        CHECK(relative_gap(n * m, B, A) < 1e-13, "n = %zu m = %zu", n, m);
    }
}

TEST(orthonormalise_sees_lost_rank)
{
    double A[] = {1, 2, 2, 4, 3, 6}, work[200];
    CHECK(tall_orthonormalise_work(3, 2) <= 200, "%zu", tall_orthonormalise_work(3, 2));
    CHECK(tall_orthonormalise(3, 2, A, work) < 1e-14, "columns are parallel");
}

TEST(geodesic_stays_orthonormal)
{
    for (size_t k = 0; k < 2 * COUNT; k++) {
        course c = course_new(k);
        for (int i = 0; i <= 10; i++) {
            double t = 0.157 * i / c.g.sigma[0];
            grassmann_go(&c.g, c.W, t);
            CHECK(frame_error(c.n, c.m, c.g.end) < 1e-13, "m = %zu t = %g", c.m, t);
        }
    }
}

/* H is tangent, and the derivative of W(t) at 0. */
TEST(geodesic_starts_along_the_tangent)
{
    double dt = 1e-6;
    for (size_t k = 0; k < 2 * COUNT; k++) {
        course c = course_new(k);
        double *D = block(c.count);
        CHECK(overlap(&c, c.W, c.H) < 1e-13 * norm(c.count, c.H), "m = %zu", c.m);
        grassmann_go(&c.g, c.W, dt);
        for (size_t e = 0; e < c.count; e++)
            D[e] = (c.g.end[e] - c.W[e]) / dt;
        CHECK(relative_gap(c.count, D, c.H) < 1e-4, "m = %zu", c.m);
    }
}

TEST(transport_is_an_isometry)
{
    for (size_t k = 0; k < 2 * COUNT; k++) {
        course c = course_new(k);
        double *D = block(c.count), *E = block(c.count), t = 1.1 / c.g.sigma[0];
        random_tangent(&c, D);
        random_tangent(&c, E);
        double dd = tall_dot(c.n, c.m, D, D), de = tall_dot(c.n, c.m, D, E);
        grassmann_go(&c.g, c.W, t);
        carry(&c, D);
        carry(&c, E);
        CHECK_CLOSE(tall_dot(c.n, c.m, D, D), dd, 1e-12 * dd, "m = %zu", c.m);
        CHECK_CLOSE(tall_dot(c.n, c.m, D, E), de, 1e-12 * dd, "m = %zu", c.m);
        CHECK(overlap(&c, c.g.end, D) < 1e-12 * sqrt(dd), "tangent at W(t), m = %zu", c.m);
    }
}

/* Two stretches of the way are as good as all of it. */
TEST(transport_goes_on_from_where_it_has_settled)
{
    for (size_t k = 0; k < 2 * COUNT; k++) {
        course c = course_new(k);
        double *D = block(c.count), *E = block(c.count), t = 0.9 / c.g.sigma[0];
        carry_random(&c, t, D, E);
        grassmann_pack(&c.g, D, c.M);
        for (int i = 0; i < 3; i++) {
            grassmann_go(&c.g, c.W, i == 0 ? 0.2 * t : i == 1 ? 1.5 * t : t);
            grassmann_carry(&c.g, c.M, D);
            grassmann_settle(&c.g);
        }
        CHECK(relative_gap(c.count, D, E) < 1e-13, "m = %zu: %g", c.m, relative_gap(c.count, D, E));
    }
}

/* W'(t) by central differences. */
TEST(transport_maps_the_direction_to_the_velocity)
{
    double dt = 1e-5;
    for (size_t k = 0; k < 2 * COUNT; k++) {
        course c = course_new(k);
        double *D = block(c.count), t = 0.9 / c.g.sigma[0];
        grassmann_go(&c.g, c.W, t + dt);
        memcpy(D, c.g.end, c.count * sizeof *D);
        grassmann_go(&c.g, c.W, t - dt);
        for (size_t e = 0; e < c.count; e++)
            D[e] = (D[e] - c.g.end[e]) / (2.0 * dt);
        grassmann_go(&c.g, c.W, t);
        carry(&c, c.H);
        CHECK(relative_gap(c.count, c.H, D) < 1e-8, "m = %zu", c.m);
    }
}

/* F <- -W(t) (W'(t)' D): what parallel transport integrates. */
static void transport_rate(const course *c, double t, const double *D, double *F)
{
    slow at = {.n = c->n, .m = c->m, .W = c->g.base, .U = c->g.U, .sigma = c->g.sigma};
    double *Wt = block(c->count), *dW = block(c->count), *M = block(c->m * c->m);
    slow_point(&at, t, Wt, dW);
    tall_inner(c->n, c->m, dW, D, M);
    memset(F, 0, c->count * sizeof *F);
    tall_add(c->n, c->m, -1.0, Wt, M, F);
}

/* D <- transported from 0 to t by Runge and Kutta's fourth-order rule. */
static void integrate(const course *c, double t, int steps, double *D)
{
    double *F[4], *E = block(c->count), h = t / steps;
    static const double ahead[4] = {0.0, 0.5, 0.5, 1.0};
    for (int k = 0; k < 4; k++)
        F[k] = block(c->count);
    for (int i = 0; i < steps; i++) {
        for (int k = 0; k < 4; k++) {
            for (size_t e = 0; e < c->count; e++)
                E[e] = D[e] + (k ? ahead[k] * h * F[k - 1][e] : 0.0);
            transport_rate(c, (i + ahead[k]) * h, E, F[k]);
        }
        for (size_t e = 0; e < c->count; e++)
            D[e] += h / 6.0 * (F[0][e] + 2.0 * F[1][e] + 2.0 * F[2][e] + F[3][e]);
    }
}

TEST(transport_agrees_with_its_equation)
{
    for (size_t k = 0; k < 2 * COUNT - 1; k++) {
        course c = course_new(k);
        if (c.n > 20)
            continue;
        double *D = block(c.count), *E = block(c.count), t = 1.2 / c.g.sigma[0];
        carry_random(&c, t, E, D);
        integrate(&c, t, 200, E);
        CHECK(relative_gap(c.count, D, E) < 1e-9, "m = %zu", c.m);
    }
}

/* W(t) is equation 6 with its last V'. */
TEST(geodesic_agrees_with_its_equation)
{
    for (size_t k = 0; k < 2 * COUNT; k++) {
        course c = course_new(k);
        slow at = {.n = c.n, .m = c.m, .W = c.g.base, .U = c.g.U, .sigma = c.g.sigma};
        double *full = block(c.count), *T = block(c.m * c.m), *D = block(c.count);
        double t = 1.3 / c.g.sigma[0];
        times(c.n, c.m, c.m, c.W, c.g.V, D);
        CHECK(gap_between(c.count, D, c.g.base) < 1e-14 * sqrt((double)c.m), "W V");
        slow_point(&at, t, D, full);
        flip(c.m, c.m, c.g.V, T);
        times(c.n, c.m, c.m, D, T, full);
        grassmann_go(&c.g, c.W, t);
        CHECK(gap_between(c.count, full, c.g.end) < 1e-13, "m = %zu", c.m);
    }
}

/* f(t) - f(0) - t <grad,H> shrinks like t^2, and <D_W f, W'(t)> is its derivative. */
TEST(taylor_slope_along_a_geodesic)
{
    slow_cost costs[] = {cost_trace, cost_fisher, cost_stein};
    for (size_t k = 0; k < 3; k++) {
        rng r = seeded(5 + k);
        course c = course_new(3);
        slow *p = slow_new(&r, c.n, c.m, 4, 10.0, costs[k]);
        double *G = block(c.count), f, ft, df, rest[2];
        slow_start(&p->base, c.W);
        slow_cost_grad(&p->base, &f, G);
        memcpy(p->W, c.g.base, c.count * sizeof *G);
        double slope = tall_dot(c.n, c.m, G, c.H);
        memcpy(p->U, c.g.U, c.count * sizeof *G);
        memcpy(p->sigma, c.g.sigma, c.m * sizeof *G);
        for (int i = 0; i < 2; i++) {
            double t = i ? 1e-4 : 1e-3;
            slow_probe(&p->base, t, &ft, &df);
            rest[i] = fabs(ft - f - t * slope);
        }
        CHECK_CLOSE(log10(rest[0] / rest[1]), 2.0, 0.05, "cost %zu", k);
    }
}

TEST(drift_is_measured)
{
    double W[] = {1.0, 0.0, 0.0, 1.0 + 1e-6, 0.0, 0.0}, work[4];
    CHECK_CLOSE(grassmann_drift(3, 2, W, work), 2e-6, 1e-11, "(1 + e)^2 - 1");
}
