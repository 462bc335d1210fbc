/* kernels_chol.c - Cholesky factor, log-determinant and inverse of an octet.
 *
 *   A = L L'                     left-looking by tiles: A(I,J) - L(I,:) L(J,:)', then the
 *                                small triangle L(J,J)
 *   ln det A = sum ln pivot      the mantissas are multiplied and the exponents added, one
 *                                logarithm at the end
 *   L^-1, and A^-1 = L^-T L^-1   */
#include <float.h>

#include "linalg/kernels_tile.h"

typedef struct pivots {
    vd inverse[TILE]; /* 1/L(b,b) of the current diagonal tile */
    vd mantissa;      /* product so far */
    vi exponent;
    vi bad; /* lanes that met a pivot that is not positive */
} pivots;

/* Factors the nc x nc tile in place; a bad pivot is replaced by one, so that its lane goes on
 * with harmless numbers. */
INLINE void factor_tile(int nc, tile *t, pivots *v)
{
    UNROLL
    for (int b = 0; b < nc; b++) {
        vd pivot = t->at[b][b];
        vi good = (pivot >= DBL_MIN) & (pivot <= DBL_MAX);
        v->bad |= ~good;
        pivot = v_select(good, pivot, v_set(1.0));
        vi exponent;
        v->mantissa *= v_split(pivot, &exponent);
        v->exponent += exponent;
        vd inverse = v_rsqrt(pivot);
        v->inverse[b] = inverse;
        t->at[b][b] = pivot * inverse;
        UNROLL
        for (int a = b + 1; a < nc; a++)
            t->at[a][b] *= inverse;
        UNROLL
        for (int a = b + 1; a < nc; a++) {
            UNROLL
            for (int c = b + 1; c <= a; c++)
                t->at[a][c] -= t->at[a][b] * t->at[c][b];
        }
    }
    vi carry;
    v->mantissa = v_split(v->mantissa, &carry);
    v->exponent += carry;
}

/* Diagonal tile at J. */
INLINE void chol_diagonal(int nc, size_t J, double *A, pivots *v)
{
    tile t;
    double *row = tri_row(A, J);
    tile_zero(nc, nc, &t);
    tile_dot(nc, nc, J, row, J + 1, 1, row, J + 1, 1, &t);
    tile_subtract_from(nc, nc, row + J * LANES, J + 1, 1, 1, &t);
    factor_tile(nc, &t, v);
    tile_store(nc, nc, &t, row + J * LANES, J + 1, 1, 1);
}

/* Rows I .. I+nr-1 of columns J .. J+TILE-1. */
INLINE void chol_below(int nr, size_t I, size_t J, double *A, const pivots *v)
{
    tile t;
    double *row = tri_row(A, I);
    const double *top = ctri_row(A, J);
    tile_zero(nr, TILE, &t);
    tile_dot(nr, TILE, J, row, I + 1, 1, top, J + 1, 1, &t);
    tile_subtract_from(nr, TILE, row + J * LANES, I + 1, 1, 0, &t);
    UNROLL
    for (int b = 0; b < TILE; b++) {
        const double *L = ctri_row(A, J + (size_t)b) + J * LANES;
        UNROLL
        for (int a = 0; a < nr; a++) {
            UNROLL
            for (int c = 0; c < b; c++)
                t.at[a][b] -= t.at[a][c] * CAT(L, c);
            t.at[a][b] *= v->inverse[b];
        }
    }
    tile_store(nr, TILE, &t, row + J * LANES, I + 1, 1, 0);
}

static void chol_diagonal_any(size_t nc, size_t J, double *A, pivots *v)
{
    switch (nc) {
    case 1:
        chol_diagonal(1, J, A, v);
        break;
    case 2:
        chol_diagonal(2, J, A, v);
        break;
    case 3:
        chol_diagonal(3, J, A, v);
        break;
    default:
        chol_diagonal(TILE, J, A, v);
    }
}

static void chol_below_any(size_t nr, size_t I, size_t J, double *A, const pivots *v)
{
    switch (nr) {
    case 1:
        chol_below(1, I, J, A, v);
        break;
    case 2:
        chol_below(2, I, J, A, v);
        break;
    case 3:
        chol_below(3, I, J, A, v);
        break;
    default:
        chol_below(TILE, I, J, A, v);
    }
}

static unsigned chol_vector(size_t n, double *A, double *logdet)
{
    pivots v = {.mantissa = v_set(1.0)};
    for (size_t J = 0; J < n && !stop_within(n); J += TILE) {
        size_t nc = tile_size(n - J);
        chol_diagonal_any(nc, J, A, &v);
        for (size_t I = J + nc; I < n; I += TILE)
            chol_below_any(tile_size(n - I), I, J, A, &v);
    }
    if (logdet) {
        vd value = v_log_split(v.mantissa, v.exponent);
        AT(logdet, 0) = v_select(v.bad, v_set(__builtin_nan("")), value);
    }
    return v_bits(v.bad);
}

static unsigned chol_lanes(int lanes, size_t n, double *A, double *logdet)
{
    unsigned bad = 0;
    for (int l = 0; l < lanes; l += VW)
        bad |= chol_vector(n, A + l, logdet ? logdet + l : NULL) << l;
    return bad;
}

unsigned KERNEL(chol)(size_t n, double *A, double *logdet)
{
    return chol_lanes(LANES, n, A, logdet);
}

unsigned KERNEL(few_chol)(size_t n, double *A, double *logdet)
{
    return chol_lanes(FEW_LANES, n, A, logdet) & ((1u << FEW_LANES) - 1u);
}

/* ---- inverse of the factor -------------------------------------------------------------- */

/* Diagonal tile: X = L(J,J)^-1. */
INLINE void inverse_diagonal(int nc, size_t J, const double *L, double *X)
{
    tile t;
    UNROLL
    for (int a = 0; a < nc; a++) {
        const double *l = ctri_row(L, J + (size_t)a) + J * LANES;
        vd inverse = v_recip(CAT(l, a));
        UNROLL
        for (int b = 0; b < a; b++) {
            vd sum = CAT(l, b) * t.at[b][b];
            UNROLL
            for (int c = b + 1; c < a; c++)
                sum += CAT(l, c) * t.at[c][b];
            t.at[a][b] = -sum * inverse;
        }
        t.at[a][a] = inverse;
    }
    tile_store(nc, nc, &t, tri_row(X, J) + J * LANES, J + 1, 1, 1);
}

/* t(a,b) += sum_{k=J}^{I-1} L(I+a,k) X(k,J+b), X lower triangular: for the first TILE values of
 * k only b <= k - J is there. */
INLINE void inverse_gather(int nr, size_t I, size_t J, const double *L, const double *X, tile *t)
{
    const double *l[TILE];
    UNROLL
    for (int a = 0; a < nr; a++)
        l[a] = ctri_row(L, I + (size_t)a) + J * LANES;
    const double *x = ctri_row(X, J) + J * LANES;
    UNROLL
    for (size_t k = 0; k < TILE; k++) {
        UNROLL
        for (int a = 0; a < nr; a++) {
            vd lk = CAT(l[a], k);
            UNROLL
            for (size_t b = 0; b <= k; b++)
                t->at[a][b] += lk * CAT(x, b);
        }
        x += (J + k + 1) * LANES;
    }
    for (size_t k = TILE; k < I - J; k++) {
        tile_rows(nr, TILE, l, k, x, t);
        x += (J + k + 1) * LANES;
    }
}

INLINE void inverse_below(int nr, size_t I, size_t J, const double *L, double *X)
{
    tile t;
    tile_zero(nr, TILE, &t);
    inverse_gather(nr, I, J, L, X, &t);
    UNROLL
    for (int a = 0; a < nr; a++) {
        const double *l = ctri_row(L, I + (size_t)a) + I * LANES;
        /* the diagonal tile of X at I is not there yet when columns go first: divide by L */
        vd inverse = v_recip(CAT(l, a));
        UNROLL
        for (int b = 0; b < TILE; b++) {
            UNROLL
            for (int c = 0; c < a; c++)
                t.at[a][b] += CAT(l, c) * t.at[c][b];
            t.at[a][b] *= -inverse;
        }
    }
    tile_store(nr, TILE, &t, tri_row(X, I) + J * LANES, I + 1, 1, 0);
}

static void inverse_diagonal_any(size_t nc, size_t J, const double *L, double *X)
{
    switch (nc) {
    case 1:
        inverse_diagonal(1, J, L, X);
        break;
    case 2:
        inverse_diagonal(2, J, L, X);
        break;
    case 3:
        inverse_diagonal(3, J, L, X);
        break;
    default:
        inverse_diagonal(TILE, J, L, X);
    }
}

static void inverse_below_any(size_t nr, size_t I, size_t J, const double *L, double *X)
{
    switch (nr) {
    case 1:
        inverse_below(1, I, J, L, X);
        break;
    case 2:
        inverse_below(2, I, J, L, X);
        break;
    case 3:
        inverse_below(3, I, J, L, X);
        break;
    default:
        inverse_below(TILE, I, J, L, X);
    }
}

static void inverse_vector(size_t n, const double *L, double *Linv)
{
    for (size_t J = 0; J < n && !stop_within(n); J += TILE) {
        size_t nc = tile_size(n - J);
        inverse_diagonal_any(nc, J, L, Linv);
        for (size_t I = J + nc; I < n; I += TILE)
            inverse_below_any(tile_size(n - I), I, J, L, Linv);
    }
}

void KERNEL(tri_inverse)(size_t n, const double *L, double *Linv)
{
    for (int l = 0; l < LANES; l += VW)
        inverse_vector(n, L + l, Linv + l);
}

/* A(I,J) = sum_{k >= I} X(k,I:)' X(k,J:); rows k that cross the tile end at the diagonal. */
INLINE void gram_tile(int nr, int nc, size_t n, size_t I, size_t J, const double *X, double *A)
{
    tile t;
    const double *x = ctri_row(X, I);
    tile_zero(nr, nc, &t);
    UNROLL
    for (int k = 0; k < nr; k++) {
        UNROLL
        for (int a = 0; a <= k; a++) {
            vd xa = CAT(x + I * LANES, a);
            UNROLL
            for (int b = 0; b < nc; b++)
                if (I != J || b <= k)
                    t.at[a][b] += xa * CAT(x + J * LANES, b);
        }
        x += (I + (size_t)k + 1) * LANES;
    }
    for (size_t k = I + (size_t)nr; k < n; k++) {
        tile_outer(nr, nc, x + I * LANES, x + J * LANES, &t);
        x += (k + 1) * LANES;
    }
    tile_store(nr, nc, &t, tri_row(A, I) + J * LANES, I + 1, 1, I == J);
}

/* Columns narrower than TILE occur on the last diagonal tile only. */
static void gram_last(size_t nc, size_t n, size_t I, const double *X, double *A)
{
    switch (nc) {
    case 1:
        gram_tile(1, 1, n, I, I, X, A);
        break;
    case 2:
        gram_tile(2, 2, n, I, I, X, A);
        break;
    default:
        gram_tile(3, 3, n, I, I, X, A);
    }
}

static void gram_any(size_t nr, size_t n, size_t I, size_t J, const double *X, double *A)
{
    switch (nr) {
    case 1:
        gram_tile(1, TILE, n, I, J, X, A);
        break;
    case 2:
        gram_tile(2, TILE, n, I, J, X, A);
        break;
    case 3:
        gram_tile(3, TILE, n, I, J, X, A);
        break;
    default:
        gram_tile(TILE, TILE, n, I, J, X, A);
    }
}

static void gram_vector(size_t n, const double *Linv, double *A)
{
    for (size_t I = 0; I < n && !stop_within(n); I += TILE) {
        size_t nr = tile_size(n - I);
        for (size_t J = 0; J < I; J += TILE)
            gram_any(nr, n, I, J, Linv, A);
        if (nr == TILE)
            gram_any(nr, n, I, I, Linv, A);
        else
            gram_last(nr, n, I, Linv, A);
    }
}

void KERNEL(tri_gram)(size_t n, const double *Linv, double *A)
{
    for (int l = 0; l < LANES; l += VW)
        gram_vector(n, Linv + l, A + l);
}

void KERNEL(few_inverse)(size_t n, const double *L, double *Linv, double *A)
{
    for (int l = 0; l < FEW_LANES; l += VW) {
        inverse_vector(n, L + l, Linv + l);
        gram_vector(n, Linv + l, A + l);
    }
}
