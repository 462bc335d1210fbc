/* kernels_vec.h - vectors of doubles for one instruction set: types, masks, roots, logarithm.
 *
 * Included only by kernels_*.c, which are compiled once per instruction set with KERNELS_ISA set
 * to its name. VW doubles make a vector; an octet of 8 lanes is 8/VW vectors. */
#ifndef SPD_LINALG_KERNELS_VEC_H
#define SPD_LINALG_KERNELS_VEC_H

#include <stdint.h>

#include "linalg/kernels.h"

#define KERNEL_PASTE(name, isa)  name##_##isa
#define KERNEL_EXPAND(name, isa) KERNEL_PASTE(name, isa)
#define KERNEL(name)             KERNEL_EXPAND(name, KERNELS_ISA)

/* The kernels of this set; kernels.h says what they do. */
void KERNEL(pack)(size_t n, size_t count, const double *const *X, double *octet);
void KERNEL(unpack_sym)(size_t n, size_t count, const double *octet, double *const *Y);
void KERNEL(gather)(size_t entries, size_t count, const double *const *T, double *octet);
void KERNEL(split)(size_t entries, size_t count, const double *octet, double *const *T);
void KERNEL(scatter)(size_t entries, size_t count, const double *octet, const double *scale,
                     double *const *T);
void KERNEL(spread)(size_t entries, const double *f, double *G);
void KERNEL(average)(size_t entries, const double *f, const double *G, double *A);
void KERNEL(middle)(size_t entries, const double *A, const double *B, double *C);
void KERNEL(share)(size_t entries, const double *c, const double *A, double *S, double *T);
void KERNEL(apart_add)(size_t entries, size_t rows, const double *F, size_t stride, size_t octets,
                       const double *G, double *sums);
void KERNEL(apart_end)(size_t count, const double *sums, double *d2);
void KERNEL(apart)(size_t entries, size_t rows, const double *F, size_t stride, size_t octets,
                   const double *G, double *d2);
void KERNEL(cross)(size_t entries, const double *f, const double *G, double *d2);
void KERNEL(log)(size_t count, const double *x, double *y);
void KERNEL(axpy)(size_t entries, double a, const double *x, double *y);
void KERNEL(axpy4)(size_t entries, const double *a, const double *x, size_t stride, double *y);
double KERNEL(axpby_dot)(size_t entries, double a, const double *x, double b, double *y,
                         const double *z);
void KERNEL(blend)(size_t entries, const double *c, const double *q, double *y);
void KERNEL(collect)(size_t entries, const double *z, const double *q, double *r);
void KERNEL(widen)(size_t entries, const float *x, double *y);
unsigned KERNEL(chol)(size_t n, double *A, double *logdet);
void KERNEL(tri_inverse)(size_t n, const double *L, double *Linv);
void KERNEL(tri_gram)(size_t n, const double *Linv, double *A);
void KERNEL(solve)(size_t n, size_t k, const double *L, double *B);
void KERNEL(solve_trans)(size_t n, size_t k, const double *L, double *B);
void KERNEL(lower_times)(size_t n, size_t k, const double *L, double *B);
void KERNEL(reduce)(size_t n, const double *L, const double *X, double *C, double *work);
void KERNEL(expand)(size_t n, const double *L, const double *X, double *C, double *work);
void KERNEL(eigvals)(size_t n, size_t octets, double *A, double *lambda, unsigned *bad,
                     double *work);
void KERNEL(eigh)(size_t n, size_t octets, double *A, double *lambda, double *Z, unsigned *bad,
                  double *work);
int KERNEL(eigh_single)(size_t n, const double *A, double *lambda, double *Z, double *work);
void KERNEL(rank)(size_t n, const double *lambda, size_t *rank);
void KERNEL(rebuild)(size_t n, const double *Z, const double *f, double *A, double *work);
void KERNEL(turn)(size_t n, int back, const double *Z, double *A, double *work);
void KERNEL(divided)(size_t n, divided_rule rule, double parameter, const double *lambda,
                     const double *f, double *A);
unsigned KERNEL(by_poles)(size_t n, int f, double *A, double *edges, double *work);
unsigned KERNEL(few_by_poles)(size_t n, int f, double *A, double *edges, double *work);
unsigned KERNEL(few_chol)(size_t n, double *A, double *logdet);
void KERNEL(few_inverse)(size_t n, const double *L, double *Linv, double *A);
double KERNEL(log_norm2)(size_t n, const double *d, const double *e, double *work);
void KERNEL(product)(size_t rows, size_t depth, size_t m, const double *A, size_t row_stride,
                     size_t col_stride, const double *B, double *C, const double *next);
void KERNEL(product_onto)(size_t rows, size_t depth, size_t m, const double *A, size_t row_stride,
                          size_t col_stride, const double *B, const double *s, double *C);
void KERNEL(product_lower)(size_t depth, size_t m, const double *A, size_t row_stride,
                           size_t col_stride, const double *B, double *C);

#if defined(__AVX512F__)
#include <immintrin.h>
#define VW   8
#define TILE 4
#elif defined(__AVX__)
#include <immintrin.h>
#define VW   4
#define TILE 3
#elif defined(__SSE2__)
#include <emmintrin.h>
#define VW   2
#define TILE 3
#else
#define VW   2
#define TILE 4
#endif

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8")

typedef double vd __attribute__((vector_size(8 * VW), may_alias));
typedef int64_t vi __attribute__((vector_size(8 * VW), may_alias));

/* The same at any address. */
typedef double vu __attribute__((vector_size(8 * VW), aligned(8), may_alias));

/* Element e of an octet, at lane offset already added to the pointer. */
#define AT(p, e)  (*(vd *)((p) + (size_t)(e)*LANES))
#define CAT(p, e) (*(const vd *)((p) + (size_t)(e)*LANES))

#if VW == 8
#define V_ALL(x) ((vd){x, x, x, x, x, x, x, x})
#elif VW == 4
#define V_ALL(x) ((vd){x, x, x, x})
#else
#define V_ALL(x) ((vd){x, x})
#endif

INLINE vd v_set(double x)
{
    return V_ALL(x);
}

INLINE vd v_select(vi mask, vd yes, vd no)
{
    return (vd)(((vi)yes & mask) | ((vi)no & ~mask));
}

INLINE vd v_abs(vd x)
{
    return (vd)((vi)x & INT64_MAX);
}

INLINE vd v_max(vd a, vd b)
{
    return v_select(a > b, a, b);
}

/* Sign of b on the magnitude of a. */
INLINE vd v_copysign(vd a, vd b)
{
    return (vd)(((vi)a & INT64_MAX) | ((vi)b & INT64_MIN));
}

/* v_bits: bit i set where lane i of the mask is. */
#if defined(__AVX512F__)
INLINE unsigned v_bits(vi mask)
{
    return _mm512_movepi64_mask((__m512i)mask);
}

/* 14-bit estimate and two Newton steps: as good as a division, without the divider's wait.
 * x must be a positive normal number. */
INLINE vd v_rsqrt(vd x)
{
    vd y = (vd)_mm512_rsqrt14_pd((__m512d)x);
    vd h = 0.5 * x;
    y = y + y * (0.5 - h * y * y);
    vd e = 0.5 - h * y * y;
    return y + y * e;
}

INLINE vd v_recip(vd x)
{
    vd y = (vd)_mm512_rcp14_pd((__m512d)x);
    y = y + y * (1.0 - x * y);
    return y + y * (1.0 - x * y);
}
#elif defined(__AVX__)
INLINE unsigned v_bits(vi mask)
{
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
}

INLINE vd v_rsqrt(vd x)
{
    return 1.0 / (vd)_mm256_sqrt_pd((__m256d)x);
}
#elif defined(__SSE2__)
INLINE unsigned v_bits(vi mask)
{
    return (unsigned)_mm_movemask_pd((__m128d)mask);
}

INLINE vd v_rsqrt(vd x)
{
    return 1.0 / (vd)_mm_sqrt_pd((__m128d)x);
}
#else
INLINE unsigned v_bits(vi mask)
{
    return (unsigned)(mask[0] & 1) | (unsigned)(mask[1] & 2);
}

INLINE vd v_rsqrt(vd x)
{
    UNROLL
    for (int i = 0; i < VW; i++)
        x[i] = 1.0 / __builtin_sqrt(x[i]);
    return x;
}
#endif

#if !defined(__AVX512F__)
INLINE vd v_recip(vd x)
{
    return 1.0 / x;
}
#endif

INLINE int v_any(vi mask)
{
    return v_bits(mask) != 0;
}

/* t <- transpose of the VW x VW block in t, by halves: log2(VW) rounds of shuffles. */
#if VW == 8
INLINE void v_transpose(vd *t)
{
    UNROLL
    for (int i = 0; i < 4; i++) {
        vd a = t[i], b = t[i + 4];
        t[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
        t[i + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
    }
    UNROLL
    for (int k = 0; k < 4; k++) {
        int i = (k & 1) + 4 * (k >> 1);
        vd a = t[i], b = t[i + 2];
        t[i] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
        t[i + 2] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
    UNROLL
    for (int i = 0; i < 8; i += 2) {
        vd a = t[i], b = t[i + 1];
        t[i] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
        t[i + 1] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    }
}
#elif VW == 4
INLINE void v_transpose(vd *t)
{
    UNROLL
    for (int i = 0; i < 2; i++) {
        vd a = t[i], b = t[i + 2];
        t[i] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
        t[i + 2] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    }
    UNROLL
    for (int i = 0; i < 4; i += 2) {
        vd a = t[i], b = t[i + 1];
        t[i] = __builtin_shufflevector(a, b, 0, 4, 2, 6);
        t[i + 1] = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    }
}
#else
INLINE void v_transpose(vd *t)
{
    vd a = t[0], b = t[1];
    t[0] = __builtin_shufflevector(a, b, 0, 2);
    t[1] = __builtin_shufflevector(a, b, 1, 3);
}
#endif

/* Splits a positive normal x into mantissa in [1,2) and binary exponent. */
INLINE vd v_split(vd x, vi *exponent)
{
    vi bits = (vi)x;
    *exponent = (bits >> 52) - 1023;
    return (vd)((bits & INT64_C(0x000fffffffffffff)) | INT64_C(0x3ff0000000000000));
}

INLINE vd v_from_int(vi x)
{
    /* |x| < 2^51: add to 1.5 * 2^52 as integers, subtract as doubles. */
    return (vd)(x + INT64_C(0x4338000000000000)) - 0x1.8p52;
}

/* ln(mantissa 2^exponent), mantissa in [1,2): ln(m) = 2 atanh((m-1)/(m+1)) after centring m
 * on 1, series to z^11; ln 2 in two parts. Error below 2 units in the last place. */
INLINE vd v_log_split(vd mantissa, vi exponent)
{
    vi high = mantissa > 1.4142135623730951;
    mantissa = v_select(high, 0.5 * mantissa, mantissa);
    exponent -= high; /* true is -1 */
    vd f = mantissa - 1.0;
    vd s = f / (mantissa + 1.0);
    vd z = s * s;
    vd series = v_set(2.0 / 23.0);
    series = series * z + 2.0 / 21.0;
    series = series * z + 2.0 / 19.0;
    series = series * z + 2.0 / 17.0;
    series = series * z + 2.0 / 15.0;
    series = series * z + 2.0 / 13.0;
    series = series * z + 2.0 / 11.0;
    series = series * z + 2.0 / 9.0;
    series = series * z + 2.0 / 7.0;
    series = series * z + 2.0 / 5.0;
    series = series * z + 2.0 / 3.0;
    /* 2 s = f - s f, and f is exact: the leading term carries no error of s. */
    vd tail = s * (f - z * series);
    vd e = v_from_int(exponent);
    return e * 0x1.62e42fefa3800p-1 + (f - (tail - e * 0x1.ef35793c76730p-45));
}

INLINE vd v_log(vd x)
{
    vi exponent;
    vd mantissa = v_split(x, &exponent);
    return v_log_split(mantissa, exponent);
}

#endif
