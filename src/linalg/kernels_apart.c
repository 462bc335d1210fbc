/* kernels_apart.c - squared Euclidean distances between vectors: rows against the lanes of octets.
 *
 *   d2(r,l) = sum_e (f_r[e] - G[e,l])^2,  even and odd e apart and added at the end
 *
 * A tile of rows x two vectors of lanes lives in registers. Long vectors are cut into pieces of
 * which both sides stay in the nearest caches; the sums wait meanwhile, so that the order of
 * additions is the same for any number of rows and lanes. */
#include "linalg/kernels_vec.h"

#define PIECE 256 /* entries, even */
#define STRIP 32  /* rows whose sums wait */
#if VW == 8
#define ROWS 6
#else
#define ROWS 3
#endif
#define PAIR 2

typedef struct sums {
    vd even, odd;
} sums;

/* entries of nr rows against nv vectors, whose elements lie LANES doubles apart; s (rows x PAIR). */
INLINE void tile(int nr, int nv, size_t entries, const double *F, size_t stride,
                 const double *const *G, sums *s)
{
    vd even[ROWS][PAIR], odd[ROWS][PAIR];
    size_t e = 0;
    UNROLL
    for (int r = 0; r < nr; r++) {
        UNROLL
        for (int v = 0; v < nv; v++) {
            even[r][v] = s[r * PAIR + v].even;
            odd[r][v] = s[r * PAIR + v].odd;
        }
    }
    for (; e + 2 <= entries; e += 2) {
        UNROLL
        for (int v = 0; v < nv; v++) {
            vd a = CAT(G[v], e), b = CAT(G[v], e + 1);
            UNROLL
            for (int r = 0; r < nr; r++) {
                const double *f = F + (size_t)r * stride + e;
                vd x = v_set(f[0]) - a, y = v_set(f[1]) - b;
                even[r][v] += x * x;
                odd[r][v] += y * y;
            }
        }
    }
    for (; e < entries; e++) {
        UNROLL
        for (int v = 0; v < nv; v++) {
            UNROLL
            for (int r = 0; r < nr; r++) {
                vd x = v_set(F[(size_t)r * stride + e]) - CAT(G[v], e);
                even[r][v] += x * x;
            }
        }
    }
    UNROLL
    for (int r = 0; r < nr; r++) {
        UNROLL
        for (int v = 0; v < nv; v++) {
            s[r * PAIR + v].even = even[r][v];
            s[r * PAIR + v].odd = odd[r][v];
        }
    }
}

/* All rows of a strip and one piece. */
INLINE void add_piece(int nv, size_t entries, size_t rows, const double *F, size_t stride,
                      const double *const *G, sums *s)
{
    size_t r = 0;
    for (; r + ROWS <= rows; r += ROWS)
        tile(ROWS, nv, entries, F + r * stride, stride, G, s + r * PAIR);
    for (; r < rows; r++)
        tile(1, nv, entries, F + r * stride, stride, G, s + r * PAIR);
}

/* A strip of rows against the vectors G[0] .. G[nv-1]; result r, v to d2[v] + r * apart. */
static void strip(int nv, size_t entries, size_t rows, const double *F, size_t stride,
                  const double *const *G, double *const *d2, size_t apart)
{
    sums s[STRIP * PAIR];
    const vd none = v_set(0.0);
    for (size_t i = 0; i < rows * PAIR; i++)
        s[i] = (sums){none, none};
    for (size_t e = 0; e < entries; e += PIECE) {
        size_t some = entries - e < PIECE ? entries - e : PIECE;
        const double *here[PAIR] = {G[0] + e * LANES, nv == PAIR ? G[1] + e * LANES : NULL};
        if (nv == PAIR)
            add_piece(PAIR, some, rows, F + e, stride, here, s);
        else
            add_piece(1, some, rows, F + e, stride, here, s);
    }
    for (size_t r = 0; r < rows; r++)
        for (int v = 0; v < nv; v++)
            *(vd *)(d2[v] + r * apart) = s[r * PAIR + (size_t)v].even + s[r * PAIR + (size_t)v].odd;
}

void KERNEL(apart)(size_t entries, size_t rows, const double *F, size_t stride, size_t octets,
                   const double *G, double *d2)
{
    const size_t per_octet = LANES / VW, vectors = octets * per_octet;
    for (size_t v = 0; v < vectors; v += PAIR) {
        int nv = v + 1 < vectors ? PAIR : 1;
        const double *from[PAIR] = {NULL, NULL};
        double *to[PAIR] = {NULL, NULL};
        for (size_t u = 0; u < (size_t)nv; u++) {
            size_t g = (v + u) / per_octet, lane = (v + u) % per_octet * VW;
            from[u] = G + g * entries * LANES + lane;
            to[u] = d2 + g * LANES + lane;
        }
        for (size_t r = 0; r < rows; r += STRIP) {
            double *here[PAIR] = {to[0] + r * octets * LANES, nv == PAIR ? to[1] + r * octets * LANES : NULL};
            strip(nv, entries, rows - r < STRIP ? rows - r : STRIP, F + r * stride, stride, from,
                  here, octets * LANES);
        }
    }
}
