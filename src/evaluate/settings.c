/* settings.c - axes of a grid, their product, and the choice of the best. */
#include "evaluate/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/method.h"

#define OWN_VALUES     32 /* on an axis of the method's own */
#define MAP_PARAMETERS 3
#define ANYWHERE       SIZE_MAX /* place of a value that means nothing in this setting */

/* The values of one parameter, ascending. */
typedef struct axis {
    size_t count;
    double *value;
} axis;

static int is_of_map(unsigned parameter)
{
    return parameter <= SPD_PARAM_NU_B;
}

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
    if (parameter == SPD_PARAM_NU_W || parameter == SPD_PARAM_BETA)
        return 0;
    return classifier_of(method->classifier)
        ->grid(train, (spd_parameter)parameter, value, OWN_VALUES);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* a <- a sorted copy without repetitions; an empty axis is one default. */
static spd_status axis_set(spd_context *ctx, size_t count, const double *value, axis *a)
{
    a->value = mem_alloc(count ? count : 1, sizeof *a->value);
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
                            const spd_grid *grid, unsigned parameter, axis *a)
{
    double own[OWN_VALUES];
    size_t count = 0;
    if (!spd_method_uses(method, (spd_parameter)parameter) ||
        (parameter == SPD_PARAM_BETA_SCALE && has_beta(method, grid)))
        return axis_set(ctx, 0, NULL, a);
    if (!isnan(method->value[parameter]))
        return axis_set(ctx, 1, &method->value[parameter], a);
    if (grid && grid->count[parameter])
        return axis_set(ctx, grid->count[parameter], grid->value[parameter], a);
    count = own_values(method, train, parameter, own);
    return axis_set(ctx, count, own, a);
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

/* value, at (count x SPD_PARAMETERS) <- all combinations over the axes `first` .. `last` - 1. */
static void combine(const axis *axes, unsigned first, unsigned last, size_t count, double *value,
                    size_t *at)
{
    for (size_t s = 0; s < count; s++) {
        size_t rest = s;
        for (unsigned i = 0; i < SPD_PARAMETERS; i++) {
            value[s * SPD_PARAMETERS + i] = NAN;
            at[s * SPD_PARAMETERS + i] = 0;
        }
        for (unsigned i = last; i-- > first;) {
            size_t place = rest % axes[i].count;
            rest /= axes[i].count;
            value[s * SPD_PARAMETERS + i] = axes[i].value[place];
            at[s * SPD_PARAMETERS + i] = place;
        }
    }
}

/* Of the settings with m = n one is kept, without nu: returns how many settings are left. */
static size_t fold_identity(size_t n, size_t count, double *value, size_t *at)
{
    size_t kept = 0, seen = 0;
    for (size_t s = 0; s < count; s++) {
        double *v = value + s * SPD_PARAMETERS;
        size_t *a = at + s * SPD_PARAMETERS;
        int identity = v[SPD_PARAM_M] == (double)n;
        if (identity && seen++)
            continue;
        for (unsigned i = SPD_PARAM_NU_W; identity && i <= SPD_PARAM_NU_B; i++) {
            v[i] = NAN;
            a[i] = ANYWHERE;
        }
        memmove(value + kept * SPD_PARAMETERS, v, SPD_PARAMETERS * sizeof *v);
        memmove(at + kept * SPD_PARAMETERS, a, SPD_PARAMETERS * sizeof *a);
        kept++;
    }
    return kept;
}

static size_t product(const axis *axes, unsigned first, unsigned last)
{
    size_t count = 1;
    for (unsigned i = first; i < last; i++)
        count *= axes[i].count;
    return count;
}

static spd_status combine_all(spd_context *ctx, const axis *axes, size_t n, settings *s)
{
    s->maps = product(axes, 0, MAP_PARAMETERS);
    s->decisions = product(axes, MAP_PARAMETERS, SPD_PARAMETERS);
    s->map = mem_alloc(s->maps, SPD_PARAMETERS * sizeof *s->map);
    s->map_at = mem_alloc(s->maps, SPD_PARAMETERS * sizeof *s->map_at);
    s->decision = mem_alloc(s->decisions, SPD_PARAMETERS * sizeof *s->decision);
    s->decision_at = mem_alloc(s->decisions, SPD_PARAMETERS * sizeof *s->decision_at);
    if (!s->map || !s->map_at || !s->decision || !s->decision_at)
        return ctx_nomem(ctx, "a grid");
    combine(axes, 0, MAP_PARAMETERS, s->maps, s->map, s->map_at);
    combine(axes, MAP_PARAMETERS, SPD_PARAMETERS, s->decisions, s->decision, s->decision_at);
    s->maps = fold_identity(n, s->maps, s->map, s->map_at);
    return SPD_OK;
}

spd_status settings_make(spd_context *ctx, const spd_method *method, const samples *train,
                         const spd_grid *grid, settings *s)
{
    axis axes[SPD_PARAMETERS] = {{0}};
    spd_status status = SPD_OK;
    *s = (settings){0};
    for (unsigned i = 0; i < SPD_PARAMETERS && status == SPD_OK; i++) {
        status = axis_make(ctx, method, train, grid, i, &axes[i]);
        if (status == SPD_OK)
            status = axis_check(ctx, method, train, i, &axes[i]);
    }
    if (status == SPD_OK)
        status = combine_all(ctx, axes, train->n, s);
    for (unsigned i = 0; i < SPD_PARAMETERS; i++)
        mem_free(axes[i].value);
    return status;
}

void settings_free(settings *s)
{
    mem_free(s->map);
    mem_free(s->map_at);
    mem_free(s->decision);
    mem_free(s->decision_at);
    *s = (settings){0};
}

size_t settings_count(const settings *s)
{
    return s->maps * s->decisions;
}

void settings_use(const settings *s, size_t setting, spd_method *method)
{
    const double *map = s->map + setting / s->decisions * SPD_PARAMETERS;
    const double *decision = s->decision + setting % s->decisions * SPD_PARAMETERS;
    for (unsigned i = 0; i < SPD_PARAMETERS; i++)
        method->value[i] = is_of_map(i) ? map[i] : decision[i];
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
    const size_t *map = s->map_at + setting / s->decisions * SPD_PARAMETERS;
    const size_t *decision = s->decision_at + setting % s->decisions * SPD_PARAMETERS;
    double sum = 0.0, weights = 0.0;
    for (size_t m = 0; m < s->maps; m++) {
        int far = steps_apart(map, s->map_at + m * SPD_PARAMETERS);
        for (size_t d = 0; d < s->decisions && far >= 0; d++) {
            int more = steps_apart(decision, s->decision_at + d * SPD_PARAMETERS);
            if (more < 0)
                continue;
            double weight = ldexp(1.0, -(far + more));
            int64_t here = right[m * s->decisions + d];
            weights += weight;
            sum += weight * (double)(here > 0 ? here : 0);
        }
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
