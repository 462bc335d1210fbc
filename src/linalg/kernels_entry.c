/* kernels_entry.c - entry by entry: one array against the eight lanes of an octet, and plain
 * arrays. */
#include "linalg/kernels_vec.h"

void KERNEL(spread)(size_t entries, const double *f, double *G)
{
    for (size_t e = 0; e < entries; e++)
        for (size_t l = 0; l < LANES; l += VW)
            AT(G + l, e) = v_set(f[e]);
}

void KERNEL(average)(size_t entries, const double *f, const double *G, double *A)
{
    for (size_t e = 0; e < entries; e++)
        for (size_t l = 0; l < LANES; l += VW)
            AT(A + l, e) = 0.5 * (v_set(f[e]) + CAT(G + l, e));
}

void KERNEL(middle)(size_t entries, const double *A, const double *B, double *C)
{
    for (size_t e = 0; e < entries; e++)
        for (size_t l = 0; l < LANES; l += VW)
            AT(C + l, e) = 0.5 * (CAT(A + l, e) + CAT(B + l, e));
}

void KERNEL(share)(size_t entries, const double *c, const double *A, double *S, double *T)
{
    for (size_t l = 0; l < LANES; l += VW) {
        const vd factor = CAT(c + l, 0);
        for (size_t e = 0; e < entries; e++) {
            const vd part = factor * CAT(A + l, e);
            AT(S + l, e) += part;
            AT(T + l, e) += part;
        }
    }
}

/* Four running sums hide the latency of the adder. */
void KERNEL(cross)(size_t entries, const double *f, const double *G, double *d2)
{
    for (size_t l = 0; l < LANES; l += VW) {
        vd even = v_set(0.0), odd = v_set(0.0);
        size_t e = 0;
        for (; e + 2 <= entries; e += 2) {
            even +=
                (v_set(f[e]) - CAT(G + l, e)) * (CAT(G + l, entries + e) - v_set(f[entries + e]));
            odd += (v_set(f[e + 1]) - CAT(G + l, e + 1)) *
                   (CAT(G + l, entries + e + 1) - v_set(f[entries + e + 1]));
        }
        for (; e < entries; e++)
            even +=
                (v_set(f[e]) - CAT(G + l, e)) * (CAT(G + l, entries + e) - v_set(f[entries + e]));
        AT(d2 + l, 0) = even + odd;
    }
}

void KERNEL(log)(size_t count, const double *x, double *y)
{
    for (size_t e = 0; e < count * LANES; e += VW)
        *(vd *)(y + e) = v_log(*(const vd *)(x + e));
}

void KERNEL(axpy)(size_t entries, double a, const double *x, double *y)
{
    size_t e = 0;
    for (; e + VW <= entries; e += VW)
        *(vu *)(y + e) += a * *(const vu *)(x + e);
    for (; e < entries; e++)
        y[e] += a * x[e];
}

void KERNEL(axpy4)(size_t entries, const double *a, const double *x, size_t stride, double *y)
{
    size_t e = 0;
    for (; e + VW <= entries; e += VW) {
        vd sum = *(const vu *)(y + e);
        UNROLL
        for (size_t i = 0; i < 4; i++)
            sum += a[i] * *(const vu *)(x + i * stride + e);
        *(vu *)(y + e) = sum;
    }
    for (; e < entries; e++)
        for (size_t i = 0; i < 4; i++)
            y[e] += a[i] * x[i * stride + e];
}

/* Sums in four vectors, so that none waits for the one before. */
double KERNEL(axpby_dot)(size_t entries, double a, const double *x, double b, double *y,
                         const double *z)
{
    vd part[4] = {v_set(0.0), v_set(0.0), v_set(0.0), v_set(0.0)};
    double sum = 0.0;
    size_t e = 0;
    for (; e + 4 * VW <= entries; e += 4 * VW) {
        UNROLL
        for (size_t i = 0; i < 4; i++) {
            vd at = a * *(const vu *)(x + e + i * VW) + b * *(const vu *)(y + e + i * VW);
            *(vu *)(y + e + i * VW) = at;
            part[i] += at * *(const vu *)(z + e + i * VW);
        }
    }
    for (; e < entries; e++) {
        y[e] = a * x[e] + b * y[e];
        sum += y[e] * z[e];
    }
    vd all = (part[0] + part[1]) + (part[2] + part[3]);
    for (size_t l = 0; l < VW; l++)
        sum += all[l];
    return sum;
}

void KERNEL(blend)(size_t entries, const double *c, const double *q, double *y)
{
    size_t e = 0;
    for (; e + VW <= entries; e += VW) {
        vd sum = v_set(0.0);
        UNROLL
        for (size_t j = 0; j < 4; j++)
            sum += *(const vu *)(c + j * entries + e) * *(const vu *)(q + j * entries + e);
        *(vu *)(y + e) = sum;
    }
    for (; e < entries; e++) {
        y[e] = 0.0;
        for (size_t j = 0; j < 4; j++)
            y[e] += c[j * entries + e] * q[j * entries + e];
    }
}

void KERNEL(collect)(size_t entries, const double *z, const double *q, double *r)
{
    size_t e = 0;
    for (; e + VW <= entries; e += VW) {
        vd ze = *(const vu *)(z + e);
        UNROLL
        for (size_t j = 0; j < 4; j++)
            *(vu *)(r + j * entries + e) += ze * *(const vu *)(q + j * entries + e);
    }
    for (; e < entries; e++)
        for (size_t j = 0; j < 4; j++)
            r[j * entries + e] += z[e] * q[j * entries + e];
}

#define FLOATS_AHEAD 1024 /* that are on their way from memory */

void KERNEL(widen)(size_t entries, const float *restrict x, double *restrict y)
{
    size_t e = 0;
    for (; e + 16 <= entries; e += 16) {
        __builtin_prefetch(x + e + FLOATS_AHEAD, 0, 3);
        UNROLL
        for (size_t k = 0; k < 16; k++)
            y[e + k] = (double)x[e + k];
    }
    for (; e < entries; e++)
        y[e] = (double)x[e];
}
