/* kernels_pack.c - between matrices one by one and octets interleaved.
 *
 * VW x VW blocks are transposed in registers: VW entries of VW matrices become VW octet
 * entries. What is left at the end of a triangle goes entry by entry. */
#include "linalg/kernels_vec.h"

/* Entries e .. e+VW-1 of the VW arrays in source, as VW vectors over the lanes. */
INLINE void gather_block(const double *const *source, size_t e, vd *t)
{
    UNROLL
    for (int v = 0; v < VW; v++)
        t[v] = *(const vu *)(source[v] + e);
    v_transpose(t);
}

/* `count` <= VW entries from `from` on of VW matrices go to octet entries `to`...; reading a
 * whole vector is allowed when `room`. */
INLINE void gather_some(const double *const *source, size_t from, size_t count, int room,
                        double *octet, size_t to)
{
    if (room) {
        vd t[VW];
        gather_block(source, from, t);
        for (size_t k = 0; k < count; k++)
            AT(octet, to + k) = t[k];
    } else {
        for (size_t k = 0; k < count; k++)
            for (size_t v = 0; v < VW; v++)
                octet[(to + k) * LANES + v] = source[v][from + k];
    }
}

static void gather_all(size_t count, const double *const *source, double *octet)
{
    size_t e = 0;
    for (; e + VW <= count; e += VW) {
        vd t[VW];
        gather_block(source, e, t);
        UNROLL
        for (int v = 0; v < VW; v++)
            AT(octet, e + (size_t)v) = t[v];
    }
    gather_some(source, e, count - e, 0, octet, e);
}

/* Eight pointers, the first one repeated for lanes that are missing. */
static void fill_sources(size_t count, const double *const *X, const double **source)
{
    for (size_t l = 0; l < LANES; l++)
        source[l] = X[l < count ? l : 0];
}

static void identity_lanes(size_t n, size_t first, double *octet)
{
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++)
            for (size_t l = first; l < LANES; l++)
                octet[(TRI(r) + c) * LANES + l] = r == c ? 1.0 : 0.0;
}

void KERNEL(pack)(size_t n, size_t count, const double *const *X, double *octet)
{
    const double *source[LANES];
    fill_sources(count, X, source);
    for (size_t l = 0; l < LANES; l += VW)
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c <= r; c += VW) {
                size_t entries = r + 1 - c < VW ? r + 1 - c : VW;
                int room = r * n + c + VW <= n * n;
                gather_some(source + l, r * n + c, entries, room, octet + l, TRI(r) + c);
            }
    identity_lanes(n, count, octet);
}

void KERNEL(gather)(size_t entries, size_t count, const double *const *T, double *octet)
{
    const double *source[LANES];
    fill_sources(count, T, source);
    for (size_t l = 0; l < LANES; l += VW)
        gather_all(entries, source + l, octet + l);
}

/* VW octet entries from e on, as one vector for each of the VW lanes. */
INLINE void spread_block(const double *octet, size_t e, vd *t)
{
    UNROLL
    for (int v = 0; v < VW; v++)
        t[v] = CAT(octet, e + (size_t)v);
    v_transpose(t);
}

/* T[l] (entries) <- lane l, or with `add` T[l] += scale[l] * lane l, for l < count. */
INLINE void deliver(int add, size_t entries, size_t count, const double *octet, const double *scale,
                    double *const *T)
{
    size_t e = 0;
    for (; e + VW <= entries; e += VW)
        for (size_t l = 0; l < count; l += VW) {
            vd t[VW];
            spread_block(octet + l, e, t);
            for (size_t v = 0; v < VW && l + v < count; v++)
                if (add)
                    *(vu *)(T[l + v] + e) += scale[l + v] * t[v];
                else
                    *(vu *)(T[l + v] + e) = t[v];
        }
    for (; e < entries; e++)
        for (size_t l = 0; l < count; l++)
            if (add)
                T[l][e] += scale[l] * octet[e * LANES + l];
            else
                T[l][e] = octet[e * LANES + l];
}

void KERNEL(split)(size_t entries, size_t count, const double *octet, double *const *T)
{
    deliver(0, entries, count, octet, NULL, T);
}

void KERNEL(scatter)(size_t entries, size_t count, const double *octet, const double *scale,
                     double *const *T)
{
    deliver(1, entries, count, octet, scale, T);
}

void KERNEL(unpack_sym)(size_t n, size_t count, const double *octet, double *const *Y)
{
    for (size_t l = 0; l < count; l++)
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c <= r; c++) {
                double x = octet[(TRI(r) + c) * LANES + l];
                Y[l][r * n + c] = x;
                Y[l][c * n + r] = x;
            }
}
