/* kernels_solve.c - products and triangular solves with full matrices in the lanes: the pieces of
 * the generalised eigenvalue problem.
 *
 *   L B = B0,  L' B = B0                     forward and backward substitution
 *   C = L^-1 X L^-T                          reduction of X v = lambda L L' v
 *   C = L' X L,  A = Z diag(f) Z'  */
#include "linalg/kernels_tile.h"

/* ---- L B = B0 ----------------------------------------------------------------------------- */

/* Rows I.. of columns c.. of B (ld columns): B(I,c) <- L(I,I)^-1 (B(I,c) - L(I,:I) B(:I,c)). */
INLINE void solve_tile(int nr, int nc, size_t ld, size_t I, const double *L, double *B)
{
    tile t;
    const double *l[TILE];
    const double *b0 = B;
    tile_zero(nr, nc, &t);
    UNROLL
    for (int a = 0; a < nr; a++)
        l[a] = ctri_row(L, I + (size_t)a);
    for (size_t k = 0; k < I; k++, b0 += ld * LANES)
        tile_rows(nr, nc, l, k, b0, &t);
    double *target = B + I * ld * LANES;
    tile_subtract_from(nr, nc, target, ld, 0, 0, &t);
    UNROLL
    for (int a = 0; a < nr; a++) {
        vd inverse = v_recip(CAT(l[a] + I * LANES, a));
        UNROLL
        for (int b = 0; b < nc; b++) {
            UNROLL
            for (int c = 0; c < a; c++)
                t.at[a][b] -= CAT(l[a] + I * LANES, c) * t.at[c][b];
            t.at[a][b] *= inverse;
        }
    }
    tile_store(nr, nc, &t, target, ld, 0, 0);
}

static void solve_rows(size_t nr, size_t k, size_t I, const double *L, double *B)
{
    size_t c = 0;
    if (nr == TILE)
        for (; c + TILE <= k; c += TILE)
            solve_tile(TILE, TILE, k, I, L, B + c * LANES);
    for (size_t r = 0; r < nr; r++) {
        size_t d = c;
        for (; d + TILE <= k; d += TILE)
            solve_tile(1, TILE, k, I + r, L, B + d * LANES);
        for (; d < k; d++)
            solve_tile(1, 1, k, I + r, L, B + d * LANES);
    }
}

void KERNEL(solve)(size_t n, size_t k, const double *L, double *B)
{
    for (int l = 0; l < LANES; l += VW)
        for (size_t I = 0; I < n && !stop_within(n); I += TILE)
            solve_rows(tile_size(n - I), k, I, L + l, B + l);
}

/* ---- L B ---------------------------------------------------------------------------------- */

/* Rows I..I+nr-1 of columns c.. of B: they need rows above, which must not have been replaced. */
INLINE void lower_tile(int nr, int nc, size_t ld, size_t I, const double *L, double *B)
{
    tile t;
    const double *l[TILE];
    const double *b0 = B;
    tile_zero(nr, nc, &t);
    UNROLL
    for (int a = 0; a < nr; a++)
        l[a] = ctri_row(L, I + (size_t)a);
    for (size_t k = 0; k < I; k++, b0 += ld * LANES)
        tile_rows(nr, nc, l, k, b0, &t);
    UNROLL
    for (int c = 0; c < nr; c++, b0 += ld * LANES) {
        UNROLL
        for (int a = c; a < nr; a++) {
            vd x = CAT(l[a] + I * LANES, c);
            UNROLL
            for (int b = 0; b < nc; b++)
                t.at[a][b] += x * CAT(b0, b);
        }
    }
    tile_store(nr, nc, &t, B + I * ld * LANES, ld, 0, 0);
}

/* Rows I .. I+nr-1, nr at most TILE. */
static void lower_rows(size_t nr, size_t k, size_t I, const double *L, double *B)
{
    size_t c = 0;
    if (nr == TILE)
        for (; c + TILE <= k; c += TILE)
            lower_tile(TILE, TILE, k, I, L, B + c * LANES);
    for (size_t r = nr; r-- > 0;) {
        size_t d = c;
        for (; d + TILE <= k; d += TILE)
            lower_tile(1, TILE, k, I + r, L, B + d * LANES);
        for (; d < k; d++)
            lower_tile(1, 1, k, I + r, L, B + d * LANES);
    }
}

void KERNEL(lower_times)(size_t n, size_t k, const double *L, double *B)
{
    for (int l = 0; l < LANES; l += VW) {
        size_t left = n % TILE, I = n - left;
        lower_rows(left, k, I, L + l, B + l);
        for (; I > 0 && !stop_within(n); I -= TILE)
            lower_rows(TILE, k, I - TILE, L + l, B + l);
    }
}

/* ---- L' B = B0 ---------------------------------------------------------------------------- */

/* Rows I..I+nr-1, bottom up: B(I,c) <- L(I,I)'^-1 (B(I,c) - L(I+nr:,I)' B(I+nr:,c)). */
INLINE void back_tile(int nr, int nc, size_t n, size_t ld, size_t I, const double *L, double *B)
{
    tile t;
    tile_zero(nr, nc, &t);
    size_t first = I + (size_t)nr;
    const double *l = ctri_row(L, first) + I * LANES;
    const double *b0 = B + first * ld * LANES;
    for (size_t k = first; k < n; k++) {
        tile_outer(nr, nc, l, b0, &t);
        l += (k + 1) * LANES;
        b0 += ld * LANES;
    }
    double *target = B + I * ld * LANES;
    tile_subtract_from(nr, nc, target, ld, 0, 0, &t);
    UNROLL
    for (int a = nr - 1; a >= 0; a--) {
        vd inverse = v_recip(CAT(ctri_row(L, I + (size_t)a) + I * LANES, a));
        UNROLL
        for (int b = 0; b < nc; b++) {
            UNROLL
            for (int c = a + 1; c < nr; c++)
                t.at[a][b] -= CAT(ctri_row(L, I + (size_t)c) + I * LANES, a) * t.at[c][b];
            t.at[a][b] *= inverse;
        }
    }
    tile_store(nr, nc, &t, target, ld, 0, 0);
}

/* Rows I .. I+nr-1; nr is TILE or 1. */
static void back_rows(size_t nr, size_t n, size_t k, size_t I, const double *L, double *B)
{
    size_t c = 0;
    if (nr == TILE)
        for (; c + TILE <= k; c += TILE)
            back_tile(TILE, TILE, n, k, I, L, B + c * LANES);
    for (size_t r = nr; r-- > 0;) {
        size_t d = c;
        for (; d + TILE <= k; d += TILE)
            back_tile(1, TILE, n, k, I + r, L, B + d * LANES);
        for (; d < k; d++)
            back_tile(1, 1, n, k, I + r, L, B + d * LANES);
    }
}

void KERNEL(solve_trans)(size_t n, size_t k, const double *L, double *B)
{
    for (int l = 0; l < LANES; l += VW) {
        size_t I = n;
        for (; I >= TILE && !stop_within(n); I -= TILE)
            back_rows(TILE, n, k, I - TILE, L + l, B + l);
        for (; I > 0 && !stop_within(n); I--)
            back_rows(1, n, k, I - 1, L + l, B + l);
    }
}

/* ---- congruences -------------------------------------------------------------------------- */

/* F (n x n) <- both triangles of X (TRI). */
static void unfold(size_t n, const double *X, double *F)
{
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++) {
            vd x = CAT(ctri_row(X, r), c);
            AT(F, r * n + c) = x;
            AT(F, c * n + r) = x;
        }
}

/* Tile of C(I,J) L(J,J)' = B(I,J) - C(I,:J) L(J,:J)', in place in B (n x n); nc columns. */
INLINE void right_solve_tile(int nr, int nc, size_t n, size_t I, size_t J, const double *L,
                             double *B, double *C)
{
    tile t;
    double *row = B + I * n * LANES;
    tile_zero(nr, nc, &t);
    tile_dot(nr, nc, J, row, n, 0, ctri_row(L, J), J + 1, 1, &t);
    tile_subtract_from(nr, nc, row + J * LANES, n, 0, 0, &t);
    UNROLL
    for (int b = 0; b < nc; b++) {
        const double *l = ctri_row(L, J + (size_t)b) + J * LANES;
        vd inverse = v_recip(CAT(l, b));
        UNROLL
        for (int a = 0; a < nr; a++) {
            UNROLL
            for (int c = 0; c < b; c++)
                t.at[a][b] -= t.at[a][c] * CAT(l, c);
            t.at[a][b] *= inverse;
        }
    }
    tile_store(nr, nc, &t, row + J * LANES, n, 0, 0);
    tile_store(nr, nc, &t, tri_row(C, I) + J * LANES, I + 1, 1, I == J);
}

static void right_solve_any(size_t nr, size_t nc, size_t n, size_t I, size_t J, const double *L,
                            double *B, double *C)
{
    if (nr == TILE && nc == TILE) {
        right_solve_tile(TILE, TILE, n, I, J, L, B, C);
        return;
    }
    for (size_t r = 0; r < nr; r++) {
        if (nc == TILE && I > J)
            right_solve_tile(1, TILE, n, I + r, J, L, B, C);
        else
            for (size_t c = 0; c <= r && c < nc; c++)
                right_solve_tile(1, 1, n, I + r, J + c, L, B, C);
    }
}

void KERNEL(reduce)(size_t n, const double *L, const double *X, double *C, double *work)
{
    for (int l = 0; l < LANES; l += VW)
        unfold(n, X + l, work + l);
    KERNEL(solve)(n, n, L, work);
    for (int l = 0; l < LANES; l += VW)
        for (size_t I = 0; I < n && !stop_within(n); I += TILE)
            for (size_t J = 0; J <= I; J += TILE)
                right_solve_any(tile_size(n - I), tile_size(n - J), n, I, J, L + l, work + l,
                                C + l);
}

/* B (n x n) <- L' X, row r: sum_{k >= r} L(k,r) X(k,:). */
static void lower_trans_times(size_t n, const double *L, const double *X, double *B)
{
    unfold(n, X, B);
    for (size_t r = 0; r < n && !stop_within(n); r++)
        for (size_t c = 0; c < n; c++) {
            vd sum = v_set(0.0);
            for (size_t k = r; k < n; k++)
                sum += CAT(ctri_row(L, k), r) * CAT(B, k * n + c);
            AT(B, r * n + c) = sum;
        }
}

void KERNEL(expand)(size_t n, const double *L, const double *X, double *C, double *work)
{
    for (int l = 0; l < LANES; l += VW) {
        double *B = work + l;
        lower_trans_times(n, L + l, X + l, B);
        for (size_t r = 0; r < n && !stop_within(n); r++)
            for (size_t c = 0; c <= r; c++) {
                vd sum = v_set(0.0);
                for (size_t k = c; k < n; k++)
                    sum += CAT(B, r * n + k) * CAT(ctri_row(L + l, k), c);
                AT(tri_row(C + l, r), c) = sum;
            }
    }
}

/* ---- A = Z diag(f) Z' ----------------------------------------------------------------------- */

INLINE void rebuild_tile(int nr, int nc, size_t n, size_t I, size_t J, const double *P,
                         const double *Z, double *A)
{
    tile t;
    tile_zero(nr, nc, &t);
    tile_dot(nr, nc, n, P + I * n * LANES, n, 0, Z + J * n * LANES, n, 0, &t);
    tile_store(nr, nc, &t, tri_row(A, I) + J * LANES, I + 1, 1, I == J);
}

static void rebuild_any(size_t nr, size_t nc, size_t n, size_t I, size_t J, const double *P,
                        const double *Z, double *A)
{
    if (nr == TILE && nc == TILE) {
        rebuild_tile(TILE, TILE, n, I, J, P, Z, A);
        return;
    }
    for (size_t r = 0; r < nr; r++) {
        if (nc == TILE && I > J)
            rebuild_tile(1, TILE, n, I + r, J, P, Z, A);
        else
            for (size_t c = 0; c <= r && c < nc; c++)
                rebuild_tile(1, 1, n, I + r, J + c, P, Z, A);
    }
}

void KERNEL(rebuild)(size_t n, const double *Z, const double *f, double *A, double *work)
{
    for (int l = 0; l < LANES; l += VW) {
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c < n; c++)
                AT(work + l, r * n + c) = CAT(Z + l, r * n + c) * CAT(f + l, c);
        for (size_t I = 0; I < n && !stop_within(n); I += TILE)
            for (size_t J = 0; J <= I; J += TILE)
                rebuild_any(tile_size(n - I), tile_size(n - J), n, I, J, work + l, Z + l, A + l);
    }
}

/* ---- Z' A Z and Z A Z' ----------------------------------------------------------------------- */

/* Tile of B <- P Q, all n x n. */
INLINE void full_tile(int nr, int nc, size_t n, size_t I, size_t J, const double *P,
                      const double *Q, double *B)
{
    tile t;
    const double *p[TILE];
    const double *q = Q + J * LANES;
    tile_zero(nr, nc, &t);
    UNROLL
    for (int a = 0; a < nr; a++)
        p[a] = P + (I + (size_t)a) * n * LANES;
    for (size_t k = 0; k < n; k++, q += n * LANES)
        tile_rows(nr, nc, p, k, q, &t);
    tile_store(nr, nc, &t, B + (I * n + J) * LANES, n, 0, 0);
}

static void full_any(size_t nr, size_t nc, size_t n, size_t I, size_t J, const double *P,
                     const double *Q, double *B)
{
    if (nr == TILE && nc == TILE) {
        full_tile(TILE, TILE, n, I, J, P, Q, B);
        return;
    }
    for (size_t r = 0; r < nr; r++) {
        if (nc == TILE)
            full_tile(1, TILE, n, I + r, J, P, Q, B);
        else
            for (size_t c = 0; c < nc; c++)
                full_tile(1, 1, n, I + r, J + c, P, Q, B);
    }
}

/* Tile of the lower triangle A <- P' Q. */
INLINE void outer_tile(int nr, int nc, size_t n, size_t I, size_t J, const double *P,
                       const double *Q, double *A)
{
    tile t;
    const double *p = P + I * LANES, *q = Q + J * LANES;
    tile_zero(nr, nc, &t);
    for (size_t k = 0; k < n; k++, p += n * LANES, q += n * LANES)
        tile_outer(nr, nc, p, q, &t);
    tile_store(nr, nc, &t, tri_row(A, I) + J * LANES, I + 1, 1, I == J);
}

static void outer_any(size_t nr, size_t nc, size_t n, size_t I, size_t J, const double *P,
                      const double *Q, double *A)
{
    if (nr == TILE && nc == TILE) {
        outer_tile(TILE, TILE, n, I, J, P, Q, A);
        return;
    }
    for (size_t r = 0; r < nr; r++) {
        if (nc == TILE && I > J)
            outer_tile(1, TILE, n, I + r, J, P, Q, A);
        else
            for (size_t c = 0; c <= r && c < nc; c++)
                outer_tile(1, 1, n, I + r, J + c, P, Q, A);
    }
}

void KERNEL(turn)(size_t n, int back, const double *Z, double *A, double *work)
{
    for (int l = 0; l < LANES; l += VW) {
        double *F = work + l, *B = F + n * n * LANES;
        const double *P = back ? Z + l : F, *Q = back ? F : Z + l;
        unfold(n, A + l, F);
        for (size_t I = 0; I < n && !stop_within(n); I += TILE)
            for (size_t J = 0; J < n; J += TILE)
                full_any(tile_size(n - I), tile_size(n - J), n, I, J, P, Q, B);
        for (size_t I = 0; I < n && !stop_within(n); I += TILE)
            for (size_t J = 0; J <= I; J += TILE) {
                size_t nr = tile_size(n - I), nc = tile_size(n - J);
                if (back)
                    rebuild_any(nr, nc, n, I, J, B, Z + l, A + l);
                else
                    outer_any(nr, nc, n, I, J, Z + l, B, A + l);
            }
    }
}
