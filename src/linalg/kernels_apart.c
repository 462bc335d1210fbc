/* kernels_apart.c - squared Euclidean distances between vectors: rows against the lanes of octets.
 *
 *   d2(r,l) = sum_e (f_r[e] - G[e,l])^2,  even and odd e apart and added at the end
 *
 * A tile of rows x two vectors of lanes lives in registers. Long vectors are cut into pieces of
 * which both sides stay in the nearest caches; the sums wait meanwhile, so that the order of
 * additions, hence the bits, are the same for any number of rows, lanes and pieces. */
#include "linalg/kernels_vec.h"

#define STRIP 16 /* rows whose sums wait on the stack */
#if VW == 8
#define ROWS 6
#else
#define ROWS 3
#endif
#define PAIR 2

/* Where two vectors of lanes are, and the sums of row 0; those of the next are `step` further. */
typedef struct lanes {
    const double *G[PAIR];
    double *sums[PAIR];
    size_t step;
} lanes;

/* entries of nr rows from F on against nv vectors. */
INLINE void tile(int nr, int nv, size_t entries, const double *F, size_t stride, size_t row,
                 const lanes *at)
{
    vd even[ROWS][PAIR], odd[ROWS][PAIR];
    size_t e = 0;
    UNROLL
    for (int r = 0; r < nr; r++) {
        UNROLL
        for (int v = 0; v < nv; v++) {
            const double *s = at->sums[v] + (row + (size_t)r) * at->step;
            even[r][v] = CAT(s, 0);
            odd[r][v] = CAT(s, 1);
        }
    }
    for (; e + 2 <= entries; e += 2) {
        UNROLL
        for (int v = 0; v < nv; v++) {
            vd a = CAT(at->G[v], e), b = CAT(at->G[v], e + 1);
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
                vd x = v_set(F[(size_t)r * stride + e]) - CAT(at->G[v], e);
                even[r][v] += x * x;
            }
        }
    }
    UNROLL
    for (int r = 0; r < nr; r++) {
        UNROLL
        for (int v = 0; v < nv; v++) {
            double *s = at->sums[v] + (row + (size_t)r) * at->step;
            AT(s, 0) = even[r][v];
            AT(s, 1) = odd[r][v];
        }
    }
}

INLINE void all_rows(int nv, size_t entries, size_t rows, const double *F, size_t stride,
                     const lanes *at)
{
    size_t r = 0;
    for (; r + ROWS <= rows; r += ROWS)
        tile(ROWS, nv, entries, F + r * stride, stride, r, at);
    for (; r < rows; r++)
        tile(1, nv, entries, F + r * stride, stride, r, at);
}

void KERNEL(apart_add)(size_t entries, size_t rows, const double *F, size_t stride, size_t octets,
                       const double *G, double *sums)
{
    const size_t per_octet = LANES / VW, vectors = octets * per_octet;
    for (size_t v = 0; v < vectors; v += PAIR) {
        lanes at = {.step = octets * 2 * LANES};
        for (size_t u = v; u < v + PAIR && u < vectors; u++) {
            size_t g = u / per_octet, lane = u % per_octet * VW;
            at.G[u - v] = G + g * entries * LANES + lane;
            at.sums[u - v] = sums + g * 2 * LANES + lane;
        }
        if (v + 1 < vectors)
            all_rows(PAIR, entries, rows, F, stride, &at);
        else
            all_rows(1, entries, rows, F, stride, &at);
    }
}

void KERNEL(apart_end)(size_t count, const double *sums, double *d2)
{
    for (size_t i = 0; i < count; i++, sums += 2 * LANES, d2 += LANES)
        for (int l = 0; l < LANES; l += VW)
            AT(d2 + l, 0) = CAT(sums + l, 0) + CAT(sums + l, 1);
}

void KERNEL(apart)(size_t entries, size_t rows, const double *F, size_t stride, size_t octets,
                   const double *G, double *d2)
{
    _Alignas(64) double sums[STRIP * 2 * 2 * LANES];
    size_t most = octets > 2 * STRIP ? 1 : 2 * STRIP / octets;
    for (size_t r = 0; r < rows; r += most) {
        size_t some = rows - r < most ? rows - r : most;
        for (size_t e = 0; e < some * octets * 2 * LANES; e++)
            sums[e] = 0.0;
        KERNEL(apart_add)(entries, some, F + r * stride, stride, octets, G, sums);
        KERNEL(apart_end)(some * octets, sums, d2 + r * octets * LANES);
    }
}
