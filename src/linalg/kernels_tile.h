/* kernels_tile.h - the register tile that all O(n^3) kernels share.
 *
 * A tile is nr x nc <= TILE x TILE vectors held in registers. Every function here is inlined
 * with constant nr and nc, so its loops vanish. Sizes that are no multiple of TILE end in a
 * smaller tile, chosen by a switch in the caller. */
#ifndef SPD_LINALG_KERNELS_TILE_H
#define SPD_LINALG_KERNELS_TILE_H

#include "base/stop.h"
#include "linalg/kernels_vec.h"

typedef struct tile {
    vd at[TILE][TILE];
} tile;

/* Start of row r in a packed lower triangle. */
INLINE double *tri_row(double *T, size_t r)
{
    return T + TRI(r) * LANES;
}

INLINE const double *ctri_row(const double *T, size_t r)
{
    return T + TRI(r) * LANES;
}

INLINE size_t tile_size(size_t left)
{
    return left < TILE ? left : TILE;
}

INLINE void tile_zero(int nr, int nc, tile *t)
{
    UNROLL
    for (int a = 0; a < nr; a++) {
        UNROLL
        for (int b = 0; b < nc; b++)
            t->at[a][b] = v_set(0.0);
    }
}

/* t(a,b) += sum_{k < depth} P_a[k] Q_b[k]: rows a of P and b of Q contiguous in k. The first
 * row starts at P and each next one `p_step + a * p_grow` elements later: p_grow is 1 for rows of
 * a packed triangle, 0 for a full matrix. */
INLINE void tile_dot(int nr, int nc, size_t depth, const double *P, size_t p_step, size_t p_grow,
                     const double *Q, size_t q_step, size_t q_grow, tile *t)
{
    const double *p[TILE], *q[TILE];
    UNROLL
    for (int a = 0; a < nr; a++) {
        p[a] = P;
        P += (p_step + (size_t)a * p_grow) * LANES;
    }
    UNROLL
    for (int b = 0; b < nc; b++) {
        q[b] = Q;
        Q += (q_step + (size_t)b * q_grow) * LANES;
    }
    for (size_t k = 0; k < depth; k++) {
        vd qk[TILE];
        UNROLL
        for (int b = 0; b < nc; b++)
            qk[b] = CAT(q[b], k);
        UNROLL
        for (int a = 0; a < nr; a++) {
            vd pk = CAT(p[a], k);
            UNROLL
            for (int b = 0; b < nc; b++)
                t->at[a][b] += pk * qk[b];
        }
    }
}

/* t(a,b) += P_a[k] Q_b for one k: rows P[0] .. P[nr-1], Q contiguous in b. */
INLINE void tile_rows(int nr, int nc, const double *const *P, size_t k, const double *Q, tile *t)
{
    vd q[TILE];
    UNROLL
    for (int b = 0; b < nc; b++)
        q[b] = CAT(Q, b);
    UNROLL
    for (int a = 0; a < nr; a++) {
        vd p = CAT(P[a], k);
        UNROLL
        for (int b = 0; b < nc; b++)
            t->at[a][b] += p * q[b];
    }
}

/* t(a,b) += P_a Q_b for one k: P and Q contiguous in a and b. */
INLINE void tile_outer(int nr, int nc, const double *P, const double *Q, tile *t)
{
    vd q[TILE];
    UNROLL
    for (int b = 0; b < nc; b++)
        q[b] = CAT(Q, b);
    UNROLL
    for (int a = 0; a < nr; a++) {
        vd p = CAT(P, a);
        UNROLL
        for (int b = 0; b < nc; b++)
            t->at[a][b] += p * q[b];
    }
}

/* Stores rows a of the tile at T + a * step (+ growth as in tile_dot). lower: only b <= a. */
INLINE void tile_store(int nr, int nc, const tile *t, double *T, size_t step, size_t grow,
                       int lower)
{
    UNROLL
    for (int a = 0; a < nr; a++) {
        UNROLL
        for (int b = 0; b < nc; b++)
            if (!lower || b <= a)
                AT(T, b) = t->at[a][b];
        T += (step + (size_t)a * grow) * LANES;
    }
}

/* t <- T - t, T laid out as in tile_store; lower: only b <= a is read. */
INLINE void tile_subtract_from(int nr, int nc, const double *T, size_t step, size_t grow, int lower,
                               tile *t)
{
    UNROLL
    for (int a = 0; a < nr; a++) {
        UNROLL
        for (int b = 0; b < nc; b++)
            if (!lower || b <= a)
                t->at[a][b] = CAT(T, b) - t->at[a][b];
        T += (step + (size_t)a * grow) * LANES;
    }
}

#endif
