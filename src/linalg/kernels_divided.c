/* kernels_divided.c - divided differences of a function, against symmetric matrices in the lanes.
 *
 *   (f(a) - f(b))/(a - b)
 *
 * loses its digits where a and b are close. With u = (a - b)/(a + b), t = atanh u = u S(u^2), which
 * is half of ln a - ln b, and tanh w = w T(w^2), it is
 *
 *   ln    2/(a + b) S(u^2)
 *   exp   (f(a) + f(b))/2 T(h^2),                           h = (a - b)/2
 *   x^s   (f(a) + f(b))/(a + b) s S(u^2) T(w^2),            w = s t
 *
 * and S and T are series in small numbers there. */
#include "linalg/kernels_tile.h"

#define CLOSE 0x1p-10 /* of u^2: what S leaves out is below 1e-19 */
#define SMALL 0x1p-4  /* of w^2: what T leaves out is below 1e-16 */

/* atanh(u)/u, z = u^2 */
INLINE vd atanh_series(vd z)
{
    vd s = v_set(1.0 / 11.0);
    s = s * z + 1.0 / 9.0;
    s = s * z + 1.0 / 7.0;
    s = s * z + 1.0 / 5.0;
    s = s * z + 1.0 / 3.0;
    return s * z + 1.0;
}

/* tanh(w)/w, q = w^2 */
INLINE vd tanh_series(vd q)
{
    vd sinh = v_set(1.0 / 39916800.0), cosh = v_set(1.0 / 479001600.0);
    sinh = sinh * q + 1.0 / 362880.0;
    sinh = sinh * q + 1.0 / 5040.0;
    sinh = sinh * q + 1.0 / 120.0;
    sinh = sinh * q + 1.0 / 6.0;
    sinh = sinh * q + 1.0;
    cosh = cosh * q + 1.0 / 3628800.0;
    cosh = cosh * q + 1.0 / 40320.0;
    cosh = cosh * q + 1.0 / 720.0;
    cosh = cosh * q + 1.0 / 24.0;
    cosh = cosh * q + 1.0 / 2.0;
    cosh = cosh * q + 1.0;
    return sinh / cosh;
}

INLINE vd divided_pair(divided_rule rule, double parameter, vd a, vd b, vd fa, vd fb)
{
    vd gap = a - b, sum = a + b, far = (fa - fb) / gap;
    if (rule == DIVIDED_FLOOR)
        return v_select(gap == 0.0, v_select(a > parameter, v_set(1.0), v_set(0.0)), far);
    if (rule == DIVIDED_EXP) {
        vd q = 0.25 * gap * gap;
        return v_select(q < SMALL, 0.5 * (fa + fb) * tanh_series(q), far);
    }
    vd u = gap / sum, z = u * u, s = atanh_series(z);
    if (rule == DIVIDED_LOG)
        return v_select(z < CLOSE, 2.0 * s / sum, far);
    vd w = parameter * u * s, q = w * w;
    vd near = (fa + fb) / sum * (parameter * s) * tanh_series(q);
    return v_select((z < CLOSE) & (q < SMALL), near, far);
}

INLINE void divided_all(divided_rule rule, size_t n, double parameter, const double *lambda,
                        const double *f, double *A)
{
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++, A += LANES) {
            UNROLL
            for (int l = 0; l < LANES; l += VW)
                AT(A + l, 0) *= divided_pair(rule, parameter, CAT(lambda + l, r),
                                             CAT(lambda + l, c), CAT(f + l, r), CAT(f + l, c));
        }
}

void KERNEL(divided)(size_t n, divided_rule rule, double parameter, const double *lambda,
                     const double *f, double *A)
{
    switch (rule) {
    case DIVIDED_LOG:
        divided_all(DIVIDED_LOG, n, parameter, lambda, f, A);
        break;
    case DIVIDED_EXP:
        divided_all(DIVIDED_EXP, n, parameter, lambda, f, A);
        break;
    case DIVIDED_POWER:
        divided_all(DIVIDED_POWER, n, parameter, lambda, f, A);
        break;
    case DIVIDED_FLOOR:
        divided_all(DIVIDED_FLOOR, n, parameter, lambda, f, A);
        break;
    }
}
