/* kernels_tridiagonal.h - step 1 of the symmetric eigenvalue problem: scaling, and Householder
 * reduction to tridiagonal form. Included by kernels_eigh.c, which says more, and by
 * kernels_poles.c. */
#ifndef SPD_LINALG_KERNELS_TRIDIAGONAL_H
#define SPD_LINALG_KERNELS_TRIDIAGONAL_H

#include <float.h>
#include <math.h>

#include "linalg/kernels_tile.h"

#define PAIR       2
#define MAX_SWEEPS 80 /* per eigenvalue; two are usual */
#define PENDING    4  /* sweeps applied to the eigenvectors in one go */
#define NEGLIGIBLE 1e-20
#define VANISHING  1e-290

typedef struct vp {
    vd v[PAIR];
} vp;

/* Scratch of one pair of vectors: n entries each. */
typedef struct eigen_work {
    vp *d, *e;
    vp *c, *s;   /* PENDING x n */
    vd *h[PAIR]; /* 1/h of each reflector, 0 for none */
    vd *p, *q;
} eigen_work;

/* ---- scaling ------------------------------------------------------------------------------ */

/* A <- A / 2^k with largest entry near 1; *back <- 2^k. Lanes with NaN or Inf become zero. */
static vi scale_lanes(size_t n, double *A, vd *back)
{
    size_t count = TRI(n);
    vd largest = v_set(0.0), sum = v_set(0.0);
    for (size_t e = 0; e < count; e++) {
        vd x = v_abs(CAT(A, e));
        largest = v_max(x, largest);
        sum += x * 0.0; /* NaN if any entry is NaN or Inf */
    }
    vi bad = ~(sum == 0.0);
    vi exponent;
    v_split(v_select(bad, v_set(1.0), v_max(largest, v_set(DBL_MIN))), &exponent);
    vi high = exponent > 1000, low = exponent < -1000;
    exponent = (exponent & ~high & ~low) | (1000 & high) | (-1000 & low);
    vd scale = (vd)((1023 - exponent) << 52);
    *back = (vd)((1023 + exponent) << 52);
    for (size_t e = 0; e < count; e++)
        AT(A, e) = v_select(bad, v_set(0.0), CAT(A, e) * scale);
    return bad;
}

/* ---- Householder ---------------------------------------------------------------------------- */

/* Turns row i (u, i entries) into the reflector, returns the off-diagonal entry; *h_inverse <-
 * 1/h, or 0 where the row is already bare. */
static vd make_reflector(size_t i, double *u, vd *h_inverse)
{
    vd sigma = v_set(0.0), other = v_set(0.0);
    size_t k = 0;
    for (; k + 2 < i; k += 2) {
        sigma += CAT(u, k) * CAT(u, k);
        other += CAT(u, k + 1) * CAT(u, k + 1);
    }
    for (; k + 1 < i; k++)
        sigma += CAT(u, k) * CAT(u, k);
    sigma += other;
    vd alpha = CAT(u, i - 1);
    vi needed = sigma > VANISHING;
    vd square = v_select(needed, alpha * alpha + sigma, v_set(1.0));
    vd norm = square * v_rsqrt(square);
    vd off = -v_copysign(norm, alpha);
    vd h = square - alpha * off;
    AT(u, i - 1) = v_select(needed, alpha - off, v_set(0.0));
    *h_inverse = v_select(needed, v_recip(h), v_set(0.0));
    return v_select(needed, off, alpha);
}

/* What is still to be done to the matrix (u, q of the last reflector) and what comes next. */
typedef struct update {
    const double *u; /* last reflector, a row of A */
    vd *q;           /* A <- A - u q' - q u' is pending */
    const double *next;
    vd *p; /* p <- A next, with the updated A */
} update;

/* Row j alone: A(j,k) -= u(j) q(k) + q(j) u(k), k <= j. */
static void update_row(size_t j, double *A, const update *t)
{
    double *row = tri_row(A, j);
    vd uj = CAT(t->u, j), qj = t->q[j];
    for (size_t k = 0; k <= j; k++)
        AT(row, k) -= uj * t->q[k] + qj * CAT(t->u, k);
}

/* Rows j .. j+nr-1, in one pass over the memory: the pending update, then their share of the
 * symmetric product p = A next: p(k) += A(j+a,k) next(j+a), p(j+a) = A(j+a,:) next. */
INLINE void update_rows(int nr, size_t j, double *A, const update *t)
{
    double *row[TILE];
    vd u[TILE], q[TILE], next[TILE], sum[TILE];
    UNROLL
    for (int a = 0; a < nr; a++) {
        row[a] = tri_row(A, j + (size_t)a);
        u[a] = CAT(t->u, j + (size_t)a);
        q[a] = t->q[j + (size_t)a];
        next[a] = CAT(t->next, j + (size_t)a);
        sum[a] = v_set(0.0);
    }
    for (size_t k = 0; k < j; k++) {
        vd uk = CAT(t->u, k), qk = t->q[k], nk = CAT(t->next, k), pk = t->p[k];
        UNROLL
        for (int a = 0; a < nr; a++) {
            vd x = CAT(row[a], k) - (u[a] * qk + q[a] * uk);
            AT(row[a], k) = x;
            sum[a] += x * nk;
            pk += x * next[a];
        }
        t->p[k] = pk;
    }
    UNROLL
    for (int a = 0; a < nr; a++) {
        UNROLL
        for (int b = 0; b <= a; b++) {
            vd x = CAT(row[a] + j * LANES, b) - (u[a] * q[b] + q[a] * u[b]);
            AT(row[a] + j * LANES, b) = x;
            sum[a] += x * next[b];
            if (b < a)
                sum[b] += x * next[a];
        }
    }
    UNROLL
    for (int a = 0; a < nr; a++)
        t->p[j + (size_t)a] = sum[a];
}

static void update_triangle(size_t i, double *A, const update *t)
{
    size_t j = 0;
    for (; j + TILE <= i; j += TILE)
        update_rows(TILE, j, A, t);
    for (; j < i; j++)
        update_rows(1, j, A, t);
}

/* p (= A u, i entries) <- q = p/h - (u'p / 2h^2) u */
static void finish_q(size_t i, const double *u, vd h_inverse, vd *p)
{
    vd dot = v_set(0.0), other = v_set(0.0);
    size_t k = 0;
    for (; k + 2 <= i; k += 2) {
        dot += CAT(u, k) * p[k];
        other += CAT(u, k + 1) * p[k + 1];
    }
    for (; k < i; k++)
        dot += CAT(u, k) * p[k];
    vd half = 0.5 * (dot + other) * h_inverse * h_inverse;
    for (k = 0; k < i; k++)
        p[k] = p[k] * h_inverse - half * CAT(u, k);
}

/* Leaves d and e in component `side` of w, reflectors in the rows of A. The update by one
 * reflector waits until the next one is known, so that the matrix is passed over once a step;
 * before the first, q = 0. */
static void tridiagonalise(size_t n, double *A, int side, const eigen_work *w)
{
    vd *h = w->h[side];
    update t = {.u = ctri_row(A, n - 1), .q = w->q, .p = w->p};
    for (size_t k = 0; k < n; k++)
        w->q[k] = v_set(0.0);
    for (size_t i = n - 1; i >= 2 && !stop_within(n); i--) {
        double *row = tri_row(A, i);
        update_row(i, A, &t);
        w->e[i - 1].v[side] = make_reflector(i, row, &h[i]);
        t.next = row;
        update_triangle(i, A, &t);
        finish_q(i, row, h[i], t.p);
        vd *spent = t.q;
        t.u = row;
        t.q = t.p;
        t.p = spent;
    }
    for (size_t i = 0; i < 2 && i < n; i++)
        update_row(i, A, &t);
    if (n > 1)
        w->e[0].v[side] = CAT(tri_row(A, 1), 0);
    for (size_t i = 0; i < n; i++)
        w->d[i].v[side] = CAT(tri_row(A, i), i);
    w->e[n - 1].v[side] = v_set(0.0);
}

#endif
