/* test_optim_common.h - costs on the Grassmann manifold with a known minimum, and a slow problem
 * (optim/problem.h) that computes everything from scratch from such a cost. */
#ifndef SPD_TEST_OPTIM_COMMON_H
#define SPD_TEST_OPTIM_COMMON_H

#include "random_spd.h"

#include "optim/minimise.h"

typedef struct slow slow;

/* f and the Euclidean gradient G (n x m) at W. */
typedef double (*slow_cost)(const slow *p, const double *W, double *G);

struct slow {
    problem base;
    size_t n, m, p;
    double *X; /* p matrices n x n: what the cost is made of */
    slow_cost cost;
    double *W, *U, *sigma; /* where we stand; the geodesic */
    int starts, aims, probes, steps;
    int calls, fail_at; /* the fail_at-th call of any function fails; 0: none */
    double last_probe;
    double sign;  /* -1: the gradient lies, and nothing descends */
    double cliff; /* the cost does not exist beyond this t; 0: it does everywhere */
};

/* ---- costs -------------------------------------------------------------------------------- */

/* S (m x m) <- W'XW and Y (n x m) <- XW */
HELPER void compress(const slow *p, const double *X, const double *W, double *S, double *Y)
{
    SCOPE;
    double *T = block(p->n * p->m);
    times(p->n, p->n, p->m, X, W, Y);
    flip(p->n, p->m, W, T);
    times(p->m, p->n, p->m, T, Y, S);
}

/* G <- G + scale Y Z */
HELPER void gather(const slow *p, double scale, const double *Y, const double *Z, double *G)
{
    SCOPE;
    double *T = block(p->n * p->m);
    times(p->n, p->m, p->m, Y, Z, T);
    for (size_t e = 0; e < p->n * p->m; e++)
        G[e] += scale * T[e];
}

/* tr(W'XW): its minimum is the sum of the m smallest eigenvalues. */
HELPER double cost_trace(const slow *p, const double *W, double *G)
{
    SCOPE;
    double *S = block(p->m * p->m);
    compress(p, p->X, W, S, G);
    double f = trace_of(p->m, S);
    for (size_t e = 0; e < p->n * p->m; e++)
        G[e] *= 2.0;
    return f;
}

/* f += scale ln det(W'XW), NaN where it is not positive definite, with its gradient. */
HELPER double add_logdet(const slow *p, double scale, const double *X, const double *W, double *G)
{
    SCOPE;
    size_t m = p->m;
    double *S = block(m * m), *Z = block(m * m), *Y = block(p->n * m), f = NAN;
    compress(p, X, W, S, Y);
    spd_symmetrize(m, 1, S);
    if (spd_logdet(NULL, SPD_SET(m, 1, S), &f) == SPD_OK &&
        spd_inverse(NULL, SPD_SET(m, 1, S), Z) == SPD_OK)
        gather(p, 2.0 * scale, Y, Z, G);
    else
        f = NAN;
    return scale * f;
}

/* ln det(W'X_0 W) - ln det(W'X_1 W): its minimum is the sum of the logarithms of the m smallest
 * generalised eigenvalues of (X_0, X_1). */
HELPER double cost_fisher(const slow *p, const double *W, double *G)
{
    memset(G, 0, p->n * p->m * sizeof *G);
    return add_logdet(p, 1.0, p->X, W, G) + add_logdet(p, -1.0, p->X + p->n * p->n, W, G);
}

/* Stein divergences between neighbours in a ring, odd pairs drawn together and even ones apart. */
HELPER double cost_stein(const slow *p, const double *W, double *G)
{
    SCOPE;
    size_t n = p->n;
    double *M = block(n * n), f = 0.0;
    memset(G, 0, n * p->m * sizeof *G);
    for (size_t i = 0; i < p->p; i++) {
        const double *A = p->X + i * n * n, *B = p->X + (i + 1) % p->p * n * n;
        double c = i % 2 ? 1.0 : -1.0;
        for (size_t e = 0; e < n * n; e++)
            M[e] = 0.5 * (A[e] + B[e]);
        f += add_logdet(p, c, M, W, G);
        f += add_logdet(p, -0.5 * c, A, W, G) + add_logdet(p, -0.5 * c, B, W, G);
    }
    return f;
}

HELPER double cost_constant(const slow *p, const double *W, double *G)
{
    (void)W;
    memset(G, 0, p->n * p->m * sizeof *G);
    return 3.0;
}

HELPER double sum_of_smallest(size_t m, const double *lambda, double (*f)(double))
{
    double sum = 0.0;
    for (size_t i = 0; i < m; i++)
        sum += f ? f(lambda[i]) : lambda[i];
    return sum;
}

/* The minimum of cost_trace or cost_fisher. */
HELPER double known_minimum(const slow *p)
{
    SCOPE;
    double *lambda = block(p->n), f;
    if (p->cost == cost_trace)
        twin_eigh(p->n, p->X, lambda, NULL);
    else
        twin_general(p->n, p->X, p->X + p->n * p->n, lambda);
    f = sum_of_smallest(p->m, lambda, p->cost == cost_trace ? NULL : log);
    return f;
}

/* ---- the problem -------------------------------------------------------------------------- */

HELPER spd_status slow_status(slow *p)
{
    return ++p->calls == p->fail_at ? SPD_ENOTSPD : SPD_OK;
}

HELPER spd_status slow_start(problem *base, const double *W)
{
    slow *p = (slow *)base;
    memcpy(p->W, W, p->n * p->m * sizeof *W);
    p->starts++;
    return slow_status(p);
}

HELPER spd_status slow_cost_grad(problem *base, double *f, double *G)
{
    slow *p = (slow *)base;
    *f = p->cost(p, p->W, G);
    for (size_t e = 0; e < p->n * p->m; e++)
        G[e] *= p->sign;
    return slow_status(p);
}

HELPER spd_status slow_aim(problem *base, const double *U, const double *sigma, const double *V)
{
    SCOPE;
    slow *p = (slow *)base;
    double *WV = block(p->n * p->m);
    times(p->n, p->m, p->m, p->W, V, WV);
    memcpy(p->W, WV, p->n * p->m * sizeof *WV);
    memcpy(p->U, U, p->n * p->m * sizeof *U);
    memcpy(p->sigma, sigma, p->m * sizeof *sigma);
    p->aims++;
    return slow_status(p);
}

/* Wt <- W(t), dW <- W'(t) */
HELPER void slow_point(const slow *p, double t, double *Wt, double *dW)
{
    for (size_t r = 0; r < p->n; r++)
        for (size_t c = 0; c < p->m; c++) {
            size_t e = r * p->m + c;
            double C = cos(p->sigma[c] * t), S = sin(p->sigma[c] * t);
            Wt[e] = p->W[e] * C + p->U[e] * S;
            dW[e] = p->sigma[c] * (p->U[e] * C - p->W[e] * S);
        }
}

HELPER spd_status slow_probe(problem *base, double t, double *f, double *df)
{
    SCOPE;
    slow *p = (slow *)base;
    size_t count = p->n * p->m;
    double *Wt = block(count), *dW = block(count), *G = block(count);
    slow_point(p, t, Wt, dW);
    *f = p->cost(p, Wt, G);
    *df = 0.0;
    for (size_t e = 0; e < count; e++)
        *df += G[e] * dW[e];
    if (p->cliff > 0.0 && t > p->cliff)
        *f = NAN;
    p->probes++;
    p->last_probe = t;
    return slow_status(p);
}

/* Refuses to go anywhere but where it was probed last. */
HELPER spd_status slow_step(problem *base, double t)
{
    SCOPE;
    slow *p = (slow *)base;
    double *Wt = block(p->n * p->m), *dW = block(p->n * p->m);
    slow_point(p, t, Wt, dW);
    memcpy(p->W, Wt, p->n * p->m * sizeof *Wt);
    p->steps++;
    return t == p->last_probe ? slow_status(p) : SPD_EINVAL;
}

/* W (n x m) <- random orthonormal. */
HELPER void random_frame(rng *r, size_t n, size_t m, double *W)
{
    SCOPE;
    double *Q = block(n * n);
    random_orthogonal(r, n, Q);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < m; c++)
            W[i * m + c] = Q[i * n + c];
}

/* p->W too is a random point. */
HELPER slow *slow_new(rng *r, size_t n, size_t m, size_t p, double condition, slow_cost cost)
{
    slow *q = take_zeros(1, sizeof *q);
    q->base = (problem){.n = n,
                        .m = m,
                        .start = slow_start,
                        .cost_grad = slow_cost_grad,
                        .aim = slow_aim,
                        .probe = slow_probe,
                        .step = slow_step};
    q->n = n;
    q->m = m;
    q->p = p;
    q->cost = cost;
    q->sign = 1.0;
    q->X = random_set(r, n, p, condition);
    q->W = block(n * m);
    q->U = block(n * m);
    q->sigma = block(m);
    random_frame(r, n, m, q->W);
    return q;
}

/* ---- the state ---------------------------------------------------------------------------- */

/* Starts at W, or at the truncated identity when it is NULL; with room for any solver. */
HELPER minimise_state state_new(size_t n, size_t m, const double *W)
{
    minimise_state s;
    if (minimise_open(&s, SPD_SOLVER_LBFGS, n, m) != SPD_OK)
        abort();
    for (size_t e = 0; e < n * m; e++)
        s.W[e] = W ? W[e] : (e / m == e % m);
    return s;
}

HELPER minimise_state state_copy(const minimise_state *s)
{
    minimise_state copy;
    if (minimise_copy(&copy, s) != SPD_OK)
        abort();
    return copy;
}

/* Largest |W'W - I|. */
HELPER double frame_error(size_t n, size_t m, const double *W)
{
    SCOPE;
    double *T = block(n * m), *M = block(m * m), worst = 0.0;
    flip(n, m, W, T);
    times(m, n, m, T, W, M);
    for (size_t e = 0; e < m * m; e++)
        worst = fmax(worst, fabs(M[e] - (e / m == e % m)));
    return worst;
}

#endif
