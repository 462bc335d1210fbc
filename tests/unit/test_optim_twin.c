/* test_optim_twin.c - a run of the minimiser followed step by step by a slow twin that never turns
 * the basis: equations 6 and 7 in full, with their last V', and every vector transported anew. */
#include "test_optim_common.h"
#include "test.h"

#include "optim/lbfgs.h"

#define N     10
#define M     4
#define SIZE  (N * M)
#define STEPS 12

/* Point, direction and gradient after each iteration, and the step that led there. */
typedef struct record {
    double W[STEPS + 1][SIZE], H[STEPS + 1][SIZE], grad[STEPS + 1][SIZE], step[STEPS + 1];
} record;

static int keep(void *user, const minimise_state *s, const spd_fit_step *last)
{
    record *r = user;
    memcpy(r->W[s->iteration], s->W, sizeof r->W[0]);
    memcpy(r->H[s->iteration], s->H, sizeof r->H[0]);
    memcpy(r->grad[s->iteration], s->grad, sizeof r->grad[0]);
    r->step[s->iteration] = last->step;
    return 0;
}

/* C (r x c) <- A' B for A (k x r), B (k x c) */
static void trans_times(size_t k, size_t r, size_t c, const double *A, const double *B, double *C)
{
    double *T = block(k * r);
    flip(k, r, A, T);
    times(r, k, c, T, B, C);
}

/* Where the twin stands, and how it came there from W along H = U diag(sigma) V'. */
typedef struct twin {
    double W[SIZE], Wt[SIZE], U[SIZE], V[M * M], sigma[M], t;
} twin;

/* A <- A V diag(cos or sin of sigma t) */
static void turn(const twin *w, const double *A, double (*f)(double), double *out)
{
    times(N, M, M, A, w->V, out);
    for (size_t e = 0; e < SIZE; e++)
        out[e] *= f(w->sigma[e % M] * w->t);
}

/* Goes from w->W along H by t: Wt <- (W V cos + U sin) V'. */
static void twin_go(twin *w, const double *H, double t)
{
    double A[SIZE], Vt[M * M], rest[M], C[SIZE];
    memcpy(A, H, sizeof A);
    w->t = t;
    CHECK(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'S', 'S', N, M, A, M, w->sigma, w->U, M, Vt, M, rest) ==
              0,
          "svd");
    flip(M, M, Vt, w->V);
    turn(w, w->W, cos, C);
    for (size_t e = 0; e < SIZE; e++)
        C[e] += w->U[e] * sin(w->sigma[e % M] * t);
    times(N, M, M, C, Vt, w->Wt);
}

/* D <- D - U U'D + (U cos - W V sin) U'D */
static void twin_carry(const twin *w, double *D)
{
    double K[SIZE], P[M * M], F[SIZE];
    turn(w, w->W, sin, K);
    for (size_t e = 0; e < SIZE; e++)
        K[e] = w->U[e] * (cos(w->sigma[e % M] * w->t) - 1.0) - K[e];
    trans_times(N, M, M, w->U, D, P);
    times(N, M, M, K, P, F);
    for (size_t e = 0; e < SIZE; e++)
        D[e] += F[e];
}

/* out <- A, a vector of the run at W, in the twin's basis of the same space. */
static void into_basis(const double *W, const double *mine, const double *A, double *out)
{
    double R[M * M];
    trans_times(N, M, M, W, mine, R);
    times(N, M, M, A, R, out);
}

/* The direction from what has been carried here: expected <- -grad + beta h, or L-BFGS's. */
static void expect(spd_solver solver, lbfgs *memory, const double *grad, const double *h,
                   const double *before, double t, double norm_before, double *expected)
{
    if (solver == SPD_SOLVER_LBFGS) {
        lbfgs_add(memory, t, h, grad, before);
        lbfgs_direction(memory, grad, expected);
        return;
    }
    double product = 0.0;
    for (size_t e = 0; e < SIZE; e++)
        product += grad[e] * (grad[e] - before[e]);
    double beta = fmax(0.0, product / (norm_before * norm_before));
    for (size_t e = 0; e < SIZE; e++)
        expected[e] = beta * h[e] - grad[e];
}

/* Follows iteration k to k + 1; the twin's point moves on. */
static void follow(const record *r, int k, spd_solver solver, twin *w, lbfgs *memory)
{
    double h[SIZE], before[SIZE], grad[SIZE], H[SIZE], expected[SIZE];
    into_basis(r->W[k], w->W, r->H[k], h);
    into_basis(r->W[k], w->W, r->grad[k], before);
    double norm_before = norm(SIZE, before);
    twin_go(w, h, r->step[k + 1]);
    into_basis(r->W[k + 1], w->Wt, r->W[k + 1], H);
    CHECK(gap_between(SIZE, H, w->Wt) < 1e-11, "W after %d", k + 1);
    twin_carry(w, h);
    twin_carry(w, before);
    for (size_t v = 0; v < 2 * memory->count; v++)
        twin_carry(w, lbfgs_vector(memory, v));
    lbfgs_weigh(memory);
    into_basis(r->W[k + 1], w->Wt, r->grad[k + 1], grad);
    into_basis(r->W[k + 1], w->Wt, r->H[k + 1], H);
    expect(solver, memory, grad, h, before, r->step[k + 1], norm_before, expected);
    CHECK(relative_gap(SIZE, H, expected) < 1e-8, "solver %d: H after %d", (int)solver, k + 1);
    memcpy(w->W, w->Wt, sizeof w->W);
}

static void check_run(spd_solver solver)
{
    rng seed = seeded(40);
    slow *p = slow_new(&seed, N, M, 6, 10.0, cost_fisher);
    minimise_options o = {.solver = solver, .max_iter = STEPS};
    minimise_state s = state_new(N, M, p->W);
    record *r = take_zeros(1, sizeof *r);
    double *room = block(lbfgs_room(SIZE));
    twin w;
    lbfgs memory;
    CHECK(r && minimise(&p->base, &o, 0, &s, keep, r) == SPD_OK, "run");
    CHECK(s.iteration == STEPS && p->starts == 1, "%d iterations", s.iteration);
    lbfgs_open(&memory, SIZE, room);
    memcpy(w.W, r->W[0], sizeof w.W);
    for (int k = 0; k < STEPS; k++)
        follow(r, k, solver, &w, &memory);
    int further = 0; /* steps that were not what L-BFGS tries first */
    for (int k = 2; k <= STEPS; k++)
        further += r->step[k] != 1.0;
    CHECK(solver != SPD_SOLVER_LBFGS || (further > 0 && further < STEPS - 1), "%d", further);
    CHECK(solver != SPD_SOLVER_LBFGS || memory.count == LBFGS_MEMORY, "%zu pairs", memory.count);
    minimise_close(&s);
}

TEST(runs_follow_the_equations)
{
    for (int solver = SPD_SOLVER_POLAK_RIBIERE; solver <= SPD_SOLVER_LBFGS; solver++)
        check_run((spd_solver)solver);
}
