/* spdfun.c - logarithm, exponential, roots and powers, through eigenvalues or as sums over poles.
 */
#include "geometry/spdfun.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/definite.h"
#include "linalg/dense.h"
#include "linalg/poles.h"

int spdfun_needs_spd(spd_function f)
{
    return f != SPD_FUNCTION_EXP && f != SPD_FUNCTION_FLOOR;
}

static double value_of(spd_function f, double power, double x)
{
    switch (f) {
    case SPD_FUNCTION_LOG:
        return log(x);
    case SPD_FUNCTION_EXP:
        return exp(x);
    case SPD_FUNCTION_SQRT:
        return sqrt(x);
    case SPD_FUNCTION_INVSQRT:
        return 1.0 / sqrt(x);
    case SPD_FUNCTION_FLOOR:
        return x < power ? power : x;
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

/* The matrices once more, and what the one or the other way takes. */
size_t spdfun_work(size_t n)
{
    size_t map = (SPDFUN_OCTETS * (n * n + n) + n * n) * LANES + kernels_eigh_work(n);
    size_t sums = kernels_poles_work(n);
    return TRI(n) * LANES + (map > sums ? map : sums);
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

/* From here on poles beat eigenvectors (measured). */
#define POLES_FROM 12

/* And from here on LAPACK's eigenvectors beat poles, whose octets have left the cache. */
#define POLES_UNTIL 400

/* So large, two matrices are had faster one by one than in an octet with six idle lanes. */
#define IDLE_FROM 64

/* The number of f in poles.h, or -1. */
static int poles_of(spd_function f, size_t n)
{
    if (n < POLES_FROM)
        return -1;
    return f == SPD_FUNCTION_LOG       ? POLES_LOG
           : f == SPD_FUNCTION_SQRT    ? POLES_SQRT
           : f == SPD_FUNCTION_INVSQRT ? POLES_INVSQRT
                                       : -1;
}

int spdfun_prefers_dense(const kernels *k, spd_function f, size_t n, size_t p)
{
    if (poles_of(f, n) < 0)
        return n >= kernels_dense_from(k);
    return n >= POLES_UNTIL || (n >= IDLE_FROM && p <= 2);
}

/* edges (2 x 8) <- smallest and largest of values (n x 8). */
static void extremes(size_t n, const double *value, double *edges)
{
    double *low = edges, *high = edges + LANES;
    memcpy(low, value, LANES * sizeof *low);
    memcpy(high, value, LANES * sizeof *high);
    for (size_t e = LANES; e < n * LANES; e++) {
        low[e % LANES] = fmin(low[e % LANES], value[e]);
        high[e % LANES] = fmax(high[e % LANES], value[e]);
    }
}

/* The lanes in mask of `to` (count x 8) <- those of `from`. */
static void merge_lanes(unsigned mask, size_t count, const double *from, double *to)
{
    for (size_t e = 0; e < count * LANES; e++)
        if (mask >> (e % LANES) & 1u)
            to[e] = from[e];
}

/* One octet by poles, and by eigenvalues in the lanes that these do not serve. kept: TRI x 8. */
static unsigned apply_by_poles(const kernels *k, const function_choice *choice, int number,
                               size_t n, double *A, double *edges, double *kept, double *work)
{
    unsigned bad = 0;
    double own[2 * LANES];
    memcpy(kept, A, TRI(n) * LANES * sizeof *A);
    unsigned missed = k->by_poles(n, number, A, edges, work);
    for (size_t i = 0; i < 2 * LANES; i++)
        edges[i] = value_of(choice->f, choice->power, edges[i]);
    if (missed) {
        const double *value = spdfun_map(k, choice_rule, choice, n, 1, kept, &bad, work);
        extremes(n, value, own);
        merge_lanes(missed, TRI(n), kept, A);
        merge_lanes(missed, 2, own, edges);
    }
    return bad & missed;
}

void spdfun_edges(const kernels *k, spd_function f, double power, size_t n, size_t octets,
                  double *A, double *edges, unsigned *bad, double *work)
{
    const function_choice choice = {f, power};
    int number = poles_of(f, n);
    double *rest = work + TRI(n) * LANES;
    if (number < 0) {
        const double *value = spdfun_map(k, choice_rule, &choice, n, octets, A, bad, rest);
        for (size_t g = 0; g < octets; g++)
            extremes(n, value + g * n * LANES, edges + 2 * g * LANES);
        return;
    }
    for (size_t g = 0; g < octets; g++)
        bad[g] = apply_by_poles(k, &choice, number, n, A + g * TRI(n) * LANES,
                                edges + 2 * g * LANES, work, rest);
}

void spdfun_apply(const kernels *k, spd_function f, double power, size_t n, size_t octets,
                  double *A, unsigned *bad, double *work)
{
    _Alignas(64) double edges[SPDFUN_OCTETS * 2 * LANES];
    spdfun_edges(k, f, power, n, octets, A, edges, bad, work);
}

size_t spdfun_judged_work(size_t n)
{
    return SPDFUN_OCTETS * TRI(n) * LANES + spdfun_work(n);
}

/* Are the eigenvalues whose f is a and b so far apart that definite.h has to decide? */
static int is_doubtful(const function_choice *choice, double a, double b)
{
    double low = fmin(a, b), high = fmax(a, b);
    switch (choice->f) {
    case SPD_FUNCTION_LOG:
        return definite_doubt_spread(exp(low - high), 1.0);
    case SPD_FUNCTION_POWER:
        return definite_doubt_spread(pow(low / high, 1.0 / fabs(choice->power)), 1.0);
    default:
        return definite_doubt_spread(low * low, high * high);
    }
}

void spdfun_judged(const kernels *k, spd_function f, double power, size_t n, size_t octets,
                   double *A, unsigned *bad, double *work)
{
    _Alignas(64) double edges[SPDFUN_OCTETS * 2 * LANES];
    const function_choice choice = {f, power};
    size_t entries = TRI(n) * LANES;
    double *given = work, *rest = given + octets * entries;
    memcpy(given, A, octets * entries * sizeof *A);
    spdfun_edges(k, f, power, n, octets, A, edges, bad, rest);
    for (size_t g = 0; g < octets && spdfun_needs_spd(f); g++) {
        const double *low = edges + 2 * g * LANES, *high = low + LANES;
        int doubt = 0;
        for (size_t l = 0; l < LANES; l++)
            doubt |= is_doubtful(&choice, low[l], high[l]);
        if (doubt)
            bad[g] |= definite_lanes(k, n, given + g * entries, rest);
    }
}

/* ---- derivatives ----------------------------------------------------------------------------- */

/* The eigenvalues of an octet that is f of itself, with the identity for a derivative. */
#define UNTOUCHED HUGE_VAL

/* Are all eigenvalues of an octet above the floor? scratch: TRI x 8. */
static int above_floor(const kernels *k, size_t n, const double *A, double power, double *scratch)
{
    memcpy(scratch, A, TRI(n) * LANES * sizeof *A);
    for (size_t r = 0; r < n; r++)
        for (size_t l = 0; l < LANES; l++)
            scratch[(TRI(r) + r) * LANES + l] -= power;
    return k->chol(n, scratch, NULL) == 0;
}

size_t spdfun_spectrum_work(size_t n)
{
    return (n * n + n) * LANES + kernels_eigh_work(n);
}

unsigned spdfun_judge(const kernels *k, size_t n, const double *given, const double *lambda,
                      double *work)
{
    _Alignas(64) double edges[2 * LANES];
    int doubt = 0;
    extremes(n, lambda, edges);
    for (size_t l = 0; l < LANES; l++)
        doubt |= definite_doubt_spread(edges[l], edges[LANES + l]);
    return doubt ? definite_lanes(k, n, given, work) : 0;
}

void spdfun_spectrum(const kernels *k, spd_function f, double power, size_t n, size_t octets,
                     double *A, double *lambda, double *Z, unsigned *bad, double *work)
{
    size_t entries = TRI(n) * LANES, untouched = 0;
    double *full = work, *value = full + n * n * LANES;
    for (; f == SPD_FUNCTION_FLOOR && untouched < octets; untouched++)
        if (!above_floor(k, n, A + untouched * entries, power, full))
            break;
    if (untouched == octets) {
        for (size_t e = 0; e < octets * n * LANES; e++)
            lambda[e] = UNTOUCHED;
        memset(bad, 0, octets * sizeof *bad);
        return;
    }
    k->eigh(n, octets, A, lambda, Z, bad, value + n * LANES);
    for (size_t g = 0; g < octets; g++, lambda += n * LANES) {
        spdfun_values(f, power, n * LANES, lambda, value);
        bad[g] |= nan_lanes(n, value);
        k->rebuild(n, Z + g * n * n * LANES, value, A + g * entries, full);
    }
}

static divided_rule rule_of(spd_function f)
{
    return f == SPD_FUNCTION_LOG     ? DIVIDED_LOG
           : f == SPD_FUNCTION_EXP   ? DIVIDED_EXP
           : f == SPD_FUNCTION_FLOOR ? DIVIDED_FLOOR
                                     : DIVIDED_POWER;
}

size_t spdfun_derivative_work(size_t n)
{
    return (2 * n * n + n) * LANES;
}

void spdfun_derivative(const kernels *k, spd_function f, double power, size_t n,
                       const double *lambda, const double *Z, double *G, double *work)
{
    double *value = work + 2 * n * n * LANES;
    if (lambda[0] == UNTOUCHED)
        return;
    spdfun_values(f, power, n * LANES, lambda, value);
    k->turn(n, 0, Z, G, work);
    if (f == SPD_FUNCTION_SQRT || f == SPD_FUNCTION_INVSQRT)
        power = f == SPD_FUNCTION_SQRT ? 0.5 : -0.5;
    k->divided(n, rule_of(f), power, lambda, value, G);
    k->turn(n, 1, Z, G, work);
}

/* ---- one by one ------------------------------------------------------------------------------ */

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
