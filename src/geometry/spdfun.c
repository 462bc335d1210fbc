/* spdfun.c - logarithm, exponential, roots and powers through eigenvalues. */
#include "geometry/spdfun.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"

int spdfun_needs_spd(spd_function f)
{
    return f != SPD_EXP;
}

static double value_of(spd_function f, double power, double x)
{
    switch (f) {
    case SPD_LOG:
        return log(x);
    case SPD_EXP:
        return exp(x);
    case SPD_SQRT:
        return sqrt(x);
    case SPD_INVSQRT:
        return 1.0 / sqrt(x);
    default:
        return pow(x, power);
    }
}

void spdfun_values(spd_function f, double power, size_t count, const double *lambda, double *value)
{
    int positive = spdfun_needs_spd(f);
    for (size_t i = 0; i < count; i++) {
        double x = lambda[i];
        double y = positive && !(x >= DBL_MIN) ? NAN : value_of(f, power, x);
        value[i] = isfinite(y) ? y : NAN;
    }
}

size_t spdfun_work(size_t n)
{
    return (SPDFUN_OCTETS * (n * n + n) + n * n) * LANES + kernels_eigh_work(n);
}

/* Mask of the lanes in which one of the n x 8 values is NaN. */
static unsigned nan_lanes(size_t n, const double *value)
{
    unsigned mask = 0;
    for (size_t e = 0; e < n * LANES; e++)
        if (isnan(value[e]))
            mask |= 1u << (e % LANES);
    return mask;
}

const double *spdfun_map(const kernels *k, spdfun_rule rule, const void *user, size_t n,
                         size_t octets, double *A, unsigned *bad, double *work)
{
    double *Z = work, *lambda = Z + SPDFUN_OCTETS * n * n * LANES;
    double *full = lambda + SPDFUN_OCTETS * n * LANES, *scratch = full + n * n * LANES;
    k->eigh(n, octets, A, lambda, Z, bad, scratch);
    rule(user, octets * n * LANES, lambda);
    for (size_t g = 0; g < octets; g++) {
        const double *value = lambda + g * n * LANES;
        bad[g] |= nan_lanes(n, value);
        k->rebuild(n, Z + g * n * n * LANES, value, A + g * TRI(n) * LANES, full);
    }
    return lambda;
}

typedef struct function_choice {
    spd_function f;
    double power;
} function_choice;

static void choice_rule(const void *user, size_t count, double *lambda)
{
    const function_choice *choice = user;
    spdfun_values(choice->f, choice->power, count, lambda, lambda);
}

void spdfun_apply(const kernels *k, spd_function f, double power, size_t n, size_t octets,
                  double *A, unsigned *bad, double *work)
{
    const function_choice choice = {f, power};
    spdfun_map(k, choice_rule, &choice, n, octets, A, bad, work);
}

size_t spdfun_dense_work(size_t n)
{
    return n + 2 * n * n + dense_eigh_work(n);
}

int spdfun_dense(spd_function f, double power, size_t n, double *A, double *work)
{
    double *V = work, *B = V + n * n, *value = B + n * n, *scratch = value + n;
    memcpy(V, A, n * n * sizeof *A);
    if (dense_eigh(n, 1, V, value, scratch))
        return 1;
    spdfun_values(f, power, n, value, value);
    for (size_t i = 0; i < n; i++)
        if (isnan(value[i]))
            return 1;
    dense_rebuild(n, V, value, A, B);
    return 0;
}
