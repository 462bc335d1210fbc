/* log_derivative.c - logarithms eight at a time, derivatives one matrix at a time through BLAS. */
#include "geometry/log_derivative.h"

#include <math.h>
#include <string.h>

#include "geometry/spdfun.h"
#include "linalg/dense.h"

/* With a >= b and x = (a - b)/b, the numerator is ln(1 + x). a - b has no error where a <= 2b, and
 * log1p none where x is small. */
double log_divided(double a, double b)
{
    double large = fmax(a, b), small = fmin(a, b), gap = large - small, x = gap / small;
    if (gap == 0.0)
        return 1.0 / large;
    return (isinf(x) ? log(large) - log(small) : log1p(x)) / gap;
}

size_t log_derivative_work(size_t m)
{
    return (m * m + m) * LANES + kernels_eigh_work(m);
}

unsigned log_derivative_prepare(const kernels *k, size_t m, double *A, double *lambda, double *V,
                                double *work)
{
    double *full = work, *value = full + m * m * LANES, *scratch = value + m * LANES;
    unsigned bad;
    k->eigh(m, 1, A, lambda, V, &bad, scratch);
    spdfun_values(SPD_FUNCTION_LOG, 0.0, m * LANES, lambda, value);
    for (size_t e = 0; e < m * LANES; e++)
        if (isnan(value[e]))
            bad |= 1u << (e % LANES);
    k->rebuild(m, V, value, A, full);
    return bad;
}

void log_derivative_apply(size_t m, const double *lambda, const double *V, double *G, double *work)
{
    double *A = work, *B = A + m * m, *Vt = B + m * m, *scratch = Vt + m * m;
    dense_unpack(m, G, A);
    dense_congruence(m, V, A, B, scratch);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++)
            B[b * m + a] = B[a * m + b] *= log_divided(lambda[a], lambda[b]);
    memcpy(Vt, V, m * m * sizeof *V);
    dense_transpose(m, Vt);
    dense_congruence(m, Vt, B, A, scratch);
    dense_pack(m, A, G);
}
