/* settings.c - axes of a grid, their product, and the choice of the best. */
#include "evaluate/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/method.h"

#define MAP_PARAMETERS 3
#define ANYWHERE       SIZE_MAX /* place of a value that means nothing in this setting */

/* ---- axes -------------------------------------------------------------------------------------
 */

/* m <- n/8, n/4, 3n/8, n/2, 3n/4, n, rounded. */
static size_t sizes(size_t n, double *m)
{
    static const double share[] = {0.125, 0.25, 0.375, 0.5, 0.75, 1.0};
    size_t count = sizeof share / sizeof *share;
    for (size_t i = 0; i < count; i++)
        m[i] = fmax(1.0, floor(share[i] * (double)n + 0.5));
    return count;
}

static size_t own_values(const spd_method *method, const samples *train, unsigned parameter,
                         double *value)
{
    static const double nu_b[] = {1, 2, 3, 5, 10};
    if (parameter == SPD_PARAM_M)
        return sizes(train->n, value);
    if (parameter == SPD_PARAM_NU_B) {
        memcpy(value, nu_b, sizeof nu_b);
        return sizeof nu_b / sizeof *nu_b;
    }
    if (parameter == SPD_PARAM_NU_W)
        return 0;
    const classifier *c = classifier_of(method->classifier);
    return choice_grid(classifier_choice(c, (spd_parameter)parameter), train, value);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* a <- a sorted copy without repetitions; an empty axis is one default. */
static spd_status axis_set(spd_context *ctx, size_t count, const double *value, arena *keep,
                           axis *a)
{
    a->value = arena_alloc(keep, count ? count : 1, sizeof *a->value);
    if (!a->value)
        return ctx_nomem(ctx, "a grid");
    a->value[0] = NAN;
    a->count = 1;
    if (count == 0)
        return SPD_OK;
    memcpy(a->value, value, count * sizeof *value);
    qsort(a->value, count, sizeof *value, ascending);
    for (size_t i = 1; i < count; i++)
        if (a->value[i] > a->value[a->count - 1])
            a->value[a->count++] = a->value[i];
    return SPD_OK;
}

/* Is beta settled, by a value or a grid, so that beta-scale is idle? */
static int has_beta(const spd_method *method, const spd_grid *grid)
{
    return !isnan(method->value[SPD_PARAM_BETA]) || (grid && grid->count[SPD_PARAM_BETA] > 0);
}

static spd_status axis_make(spd_context *ctx, const spd_method *method, const samples *train,
                            const spd_grid *grid, unsigned parameter, arena *keep, axis *a)
{
    double own[GRID_ROOM];
    if (!spd_method_uses(method, (spd_parameter)parameter) ||
        (parameter == SPD_PARAM_BETA_SCALE && has_beta(method, grid)))
        return axis_set(ctx, 0, NULL, keep, a);
    if (!isnan(method->value[parameter]))
        return axis_set(ctx, 1, &method->value[parameter], keep, a);
    if (grid && grid->count[parameter])
        return axis_set(ctx, grid->count[parameter], grid->value[parameter], keep, a);
    return axis_set(ctx, own_values(method, train, parameter, own), own, keep, a);
}

/* Every value of an axis must be one that the method takes. */
static spd_status axis_check(spd_context *ctx, const spd_method *method, const samples *train,
                             unsigned parameter, const axis *a)
{
    spd_method trial = *method;
    spd_status status = SPD_OK;
    for (size_t i = 0; i < a->count && status == SPD_OK; i++) {
        trial.value[parameter] = a->value[i];
        status = method_check(ctx, &trial);
        if (status == SPD_OK && parameter == SPD_PARAM_M && a->value[i] > (double)train->n)
            status = ctx_fail(ctx, SPD_EINVAL, "m = %g is larger than the %zu x %zu matrices",
                              a->value[i], train->n, train->n);
    }
    return status;
}

/* ---- products ---------------------------------------------------------------------------------
 */

static size_t product(const axis *axes, unsigned first, unsigned last)
{
    size_t count = 1;
    for (unsigned i = first; i < last; i++)
        count *= axes[i].count;
    return count;
}

/* at[first .. last-1] <- where on its axis each value of combination `number` is; the last axis
 * runs fastest. */
static void places(const axis *axes, unsigned first, unsigned last, size_t number, size_t *at)
{
    for (unsigned i = last; i-- > first; number /= axes[i].count)
        at[i] = number % axes[i].count;
}

/* The size n is the last on its axis. One setting of the map is kept of it, without nu. */
static spd_status combine(spd_context *ctx, size_t n, arena *keep, settings *s)
{
    const axis *m = &s->axes[SPD_PARAM_M];
    int identity = m->value[m->count - 1] == (double)n;
    size_t nus = product(s->axes, SPD_PARAM_M + 1, MAP_PARAMETERS);
    s->maps = identity ? (m->count - 1) * nus + 1 : m->count * nus;
    s->decisions = product(s->axes, MAP_PARAMETERS, SPD_PARAMETERS);
    s->at = arena_alloc(keep, settings_count(s), SPD_PARAMETERS * sizeof *s->at);
    if (!s->at)
        return ctx_nomem(ctx, "a grid");
    for (size_t k = 0; k < settings_count(s); k++) {
        size_t *at = s->at + k * SPD_PARAMETERS;
        places(s->axes, 0, MAP_PARAMETERS, k / s->decisions, at);
        places(s->axes, MAP_PARAMETERS, SPD_PARAMETERS, k % s->decisions, at);
        for (unsigned i = SPD_PARAM_NU_W;
             identity && at[SPD_PARAM_M] + 1 == m->count && i <= SPD_PARAM_NU_B; i++)
            at[i] = ANYWHERE;
    }
    return SPD_OK;
}

spd_status settings_make(spd_context *ctx, const spd_method *method, const samples *train,
                         const spd_grid *grid, arena *keep, settings *s)
{
    spd_status status = SPD_OK;
    *s = (settings){0};
    for (unsigned i = 0; i < SPD_PARAMETERS && status == SPD_OK; i++) {
        status = axis_make(ctx, method, train, grid, i, keep, &s->axes[i]);
        if (status == SPD_OK)
            status = axis_check(ctx, method, train, i, &s->axes[i]);
    }
    return status == SPD_OK ? combine(ctx, train->n, keep, s) : status;
}

size_t settings_count(const settings *s)
{
    return s->maps * s->decisions;
}

void settings_use(const settings *s, size_t setting, spd_method *method)
{
    const size_t *at = s->at + setting * SPD_PARAMETERS;
    for (unsigned i = 0; i < SPD_PARAMETERS; i++)
        method->value[i] = at[i] == ANYWHERE ? (double)NAN : s->axes[i].value[at[i]];
}

/* ---- the choice -------------------------------------------------------------------------------
 */

/* On how many axes two settings are one step apart; -1 when any is more. */
static int steps_apart(const size_t *a, const size_t *b)
{
    int steps = 0;
    for (unsigned i = 0; i < SPD_PARAMETERS; i++) {
        if (a[i] == b[i] || a[i] == ANYWHERE || b[i] == ANYWHERE)
            continue;
        if (a[i] + 1 != b[i] && b[i] + 1 != a[i])
            return -1;
        steps++;
    }
    return steps;
}

/* Mean of right over a setting and its neighbours. */
static double smoothed(const settings *s, const int64_t *right, size_t setting)
{
    const size_t *at = s->at + setting * SPD_PARAMETERS;
    double sum = 0.0, weights = 0.0;
    for (size_t k = 0; k < settings_count(s); k++) {
        int steps = steps_apart(at, s->at + k * SPD_PARAMETERS);
        if (steps < 0)
            continue;
        double weight = ldexp(1.0, -steps);
        weights += weight;
        sum += weight * (double)(right[k] > 0 ? right[k] : 0);
    }
    return sum / weights;
}

/* Sorted by m, the first of equals has the smallest. */
size_t settings_best(const settings *s, const int64_t *right)
{
    size_t best = SIZE_MAX;
    double best_mean = 0.0;
    for (size_t i = 0; i < settings_count(s); i++) {
        if (right[i] < 0 || (best != SIZE_MAX && right[i] < right[best]))
            continue;
        double mean = smoothed(s, right, i);
        if (best != SIZE_MAX && right[i] == right[best] && mean <= best_mean + 1e-12)
            continue;
        best = i;
        best_mean = mean;
    }
    return best;
}
