/* settings.c - axes of a grid, their product, and the choice of the best. */
#include "evaluate/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "classify/samples.h"
#include "evaluate/method.h"

#define ANYWHERE SIZE_MAX /* place of a value that means nothing in this setting */

/* The values of one parameter, ascending. */
typedef struct axis {
    size_t count;
    double *value;
} axis;

/* One way to learn the map; places among all. */
typedef struct way {
    double objective, nu_w, nu_b; /* NaN: the usual */
    size_t at_objective, at_nu_w, at_nu_b;
} way;

typedef struct ways {
    size_t count;
    way *way;
} ways;

/* ---- axes ------------------------------------------------------------------------------------ */

/* m <- n/8, n/4, 3n/8, n/2, 3n/4, n, rounded. */
static size_t sizes(size_t n, double *m)
{
    static const double share[] = {0.125, 0.25, 0.375, 0.5, 0.75, 1.0};
    size_t count = sizeof share / sizeof *share;
    for (size_t i = 0; i < count; i++)
        m[i] = fmax(1.0, floor(share[i] * (double)n + 0.5));
    return count;
}

/* Of the map's own parameters m alone has an axis of its own; for nu_b see add_ways. */
static size_t own_values(const spd_method *method, const samples *train, unsigned parameter,
                         double *value)
{
    if (parameter == SPD_PARAMETER_M)
        return sizes(samples_size(train), value);
    if (method_of_map((spd_parameter)parameter))
        return 0;
    const classifier *c = classifier_of(method->classifier);
    return choice_grid(classifier_choice(c, (spd_parameter)parameter), train, value);
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
    qsort(a->value, count, sizeof *value, order_ascending);
    for (size_t i = 1; i < count; i++)
        if (a->value[i] > a->value[a->count - 1])
            a->value[a->count++] = a->value[i];
    return SPD_OK;
}

/* Is beta settled, by a value or a grid, so that beta-scale is idle? */
static int has_beta(const spd_method *method, const spd_grid *grid)
{
    return !isnan(method->value[SPD_PARAMETER_BETA]) ||
           (grid && grid->count[SPD_PARAMETER_BETA] > 0);
}

static spd_status axis_make(spd_context *ctx, const spd_method *method, const samples *train,
                            const spd_grid *grid, unsigned parameter, arena *keep, axis *a)
{
    double own[GRID_ROOM];
    if (!spd_method_uses(method, (spd_parameter)parameter) ||
        (parameter == SPD_PARAMETER_BETA_SCALE && has_beta(method, grid)))
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
        if (status == SPD_OK && parameter == SPD_PARAMETER_M &&
            a->value[i] > (double)samples_size(train))
            status = ctx_fail(ctx, SPD_EINVAL, "m = %g is larger than the %zu x %zu matrices",
                              a->value[i], samples_size(train), samples_size(train));
    }
    return status;
}

/* ---- ways to learn --------------------------------------------------------------------------- */

#define NEIGHBOURS 7

/* Adds what the axes make of an objective. Without a nu_b of the user's the difference has these, where
 * they are smaller than nu_w, by default the smallest class, and nu_w; of the user's those above are
 * left out. No other objective has neighbours to choose (docs/notes/results-earlier.md). */
static void add_ways(const axis *axes, double objective, size_t smallest, ways *all)
{
    const axis *w = &axes[SPD_PARAMETER_NU_W], *given = &axes[SPD_PARAMETER_NU_B];
    const int limited = objective == (double)SPD_OBJECTIVE_DIFFERENCE;
    for (size_t i = 0; i < w->count; i++) {
        double own[NEIGHBOURS + 1] = {1, 2, 3, 5, 10, 20, 50};
        const double most = isnan(w->value[i]) ? (double)smallest : w->value[i];
        size_t count = 0;
        while (count < NEIGHBOURS && own[count] < most)
            count++;
        own[count] = most;
        const axis mine = {count + 1, own}, *b = limited && isnan(given->value[0]) ? &mine : given;
        for (size_t j = 0; j < b->count && (j == 0 || !limited || b->value[j] <= most); j++)
            all->way[all->count++] =
                (way){objective, w->value[i], b->value[j], (size_t)objective, i, j};
    }
}

static spd_status list_ways(spd_context *ctx, const spd_method *method, const axis *axes,
                            size_t smallest, arena *keep, ways *all)
{
    double own = (double)method_fit_options(method).objective;
    const axis usual = {1, &own}, *given = &axes[SPD_PARAMETER_OBJECTIVE];
    const axis *objectives = isnan(given->value[0]) ? &usual : given;
    size_t most = objectives->count * axes[SPD_PARAMETER_NU_W].count *
                  (axes[SPD_PARAMETER_NU_B].count + NEIGHBOURS + 1);
    *all = (ways){.way = arena_alloc(keep, most, sizeof *all->way)};
    if (!all->way)
        return ctx_nomem(ctx, "a grid");
    for (size_t i = 0; i < objectives->count; i++)
        add_ways(axes, objectives->value[i], smallest, all);
    return SPD_OK;
}

/* ---- products -------------------------------------------------------------------------------- */

/* Values and places of classifier setting `number`; the last axis runs fastest. */
static void put_decision(const axis *axes, size_t number, double *value, size_t *at)
{
    for (unsigned i = SPD_PARAMETERS; i-- > 0;)
        if (!method_of_map((spd_parameter)i)) {
            at[i] = number % axes[i].count;
            value[i] = axes[i].value[at[i]];
            number /= axes[i].count;
        }
}

/* Values and places of a map setting: sizes in ascending order, each with all ways. */
static void put_map(const axis *m, const ways *all, size_t number, double *value, size_t *at)
{
    const way *w = &all->way[number % all->count];
    at[SPD_PARAMETER_M] = number / all->count;
    at[SPD_PARAMETER_OBJECTIVE] = w->at_objective;
    at[SPD_PARAMETER_NU_W] = w->at_nu_w;
    at[SPD_PARAMETER_NU_B] = w->at_nu_b;
    value[SPD_PARAMETER_M] = m->value[at[SPD_PARAMETER_M]];
    value[SPD_PARAMETER_OBJECTIVE] = w->objective;
    value[SPD_PARAMETER_NU_W] = w->nu_w;
    value[SPD_PARAMETER_NU_B] = w->nu_b;
}

/* The size n, the last, has no map to learn, hence no ways. */
static void put_no_map(const axis *m, double *value, size_t *at)
{
    for (unsigned i = 0; i < SPD_PARAMETERS; i++)
        if (method_of_map((spd_parameter)i)) {
            at[i] = ANYWHERE;
            value[i] = NAN;
        }
    at[SPD_PARAMETER_M] = m->count - 1;
    value[SPD_PARAMETER_M] = m->value[m->count - 1];
}

static spd_status combine(spd_context *ctx, size_t n, const axis *axes, const ways *all,
                          arena *keep, settings *s)
{
    const axis *m = &axes[SPD_PARAMETER_M];
    int none = m->value[m->count - 1] == (double)n;
    s->fitted = (m->count - (none ? 1 : 0)) * all->count;
    s->maps = s->fitted + (none ? 1 : 0);
    s->ways = all->count;
    s->decisions = 1;
    for (unsigned i = 0; i < SPD_PARAMETERS; i++)
        if (!method_of_map((spd_parameter)i))
            s->decisions *= axes[i].count;
    s->at = arena_alloc(keep, settings_count(s), SPD_PARAMETERS * sizeof *s->at);
    s->value = arena_alloc(keep, settings_count(s), SPD_PARAMETERS * sizeof *s->value);
    if (!s->at || !s->value)
        return ctx_nomem(ctx, "a grid");
    for (size_t k = 0; k < settings_count(s); k++) {
        double *value = s->value + k * SPD_PARAMETERS;
        size_t *at = s->at + k * SPD_PARAMETERS, map = k / s->decisions;
        put_decision(axes, k % s->decisions, value, at);
        if (map < s->fitted)
            put_map(m, all, map, value, at);
        else
            put_no_map(m, value, at);
    }
    return SPD_OK;
}

spd_status settings_make(spd_context *ctx, const spd_method *method, const samples *train,
                         const spd_grid *grid, size_t smallest, arena *keep, settings *s)
{
    spd_status status = SPD_OK;
    axis axes[SPD_PARAMETERS];
    ways all = {.count = 1, .way = &(way){NAN, NAN, NAN, 0, 0, 0}};
    *s = (settings){0};
    for (unsigned i = 0; i < SPD_PARAMETERS && status == SPD_OK; i++) {
        status = axis_make(ctx, method, train, grid, i, keep, &axes[i]);
        if (status == SPD_OK)
            status = axis_check(ctx, method, train, i, &axes[i]);
    }
    if (status == SPD_OK && method->map == SPD_MAP_ML)
        status = list_ways(ctx, method, axes, smallest, keep, &all);
    return status == SPD_OK ? combine(ctx, samples_size(train), axes, &all, keep, s) : status;
}

size_t settings_count(const settings *s)
{
    return s->maps * s->decisions;
}

void settings_use(const settings *s, size_t setting, spd_method *method)
{
    memcpy(method->value, s->value + setting * SPD_PARAMETERS,
           SPD_PARAMETERS * sizeof *method->value);
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* On how many axes two settings are one step apart; -1 when any is more. Objectives are in no
 * order: two of them are far apart. */
static int steps_apart(const size_t *a, const size_t *b)
{
    int steps = 0;
    for (unsigned i = 0; i < SPD_PARAMETERS; i++) {
        if (a[i] == b[i] || a[i] == ANYWHERE || b[i] == ANYWHERE)
            continue;
        if (i == SPD_PARAMETER_OBJECTIVE || (a[i] + 1 != b[i] && b[i] + 1 != a[i]))
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
size_t settings_best(const settings *s, const int64_t *right, const size_t *out, size_t first,
                     size_t last)
{
    size_t best = SIZE_MAX;
    double best_mean = 0.0;
    for (size_t i = first; i < last; i++) {
        if (right[i] < 0 || (out && out[i / s->decisions]) ||
            (best != SIZE_MAX && right[i] < right[best]))
            continue;
        double mean = smoothed(s, right, i);
        if (best != SIZE_MAX && right[i] == right[best] && mean <= best_mean + 1e-12)
            continue;
        best = i;
        best_mean = mean;
    }
    return best;
}
