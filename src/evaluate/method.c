/* method.c - methods by name: [pca-]CLASSIFIER[-METRIC][-ml|-random|-mean|-csp|-multi|-bag].
 *
 * Classifiers and metrics have dashes in their names too (riemannian-lle, log-euclidean), so a
 * name is read from both ends: the map first, then the longest classifier that begins the rest;
 * what is left is the metric. */
#include "evaluate/method.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "classify/samples.h"
#include "evaluate/alignment.h"
#include "learn/fit.h"

/* Metrics under which a map is learned. */
#define LEARNABLE                                                                                  \
    (ONLY(SPD_METRIC_STEIN) | ONLY(SPD_METRIC_AIRM) | ONLY(SPD_METRIC_JEFFREY) |                   \
     ONLY(SPD_METRIC_LOG_EUCLIDEAN))

/* Adds a word to a list of them. */
static void add_word(char *list, size_t size, const char *word)
{
    size_t at = strlen(list);
    snprintf(list + at, size - at, "%s%s", at ? ", " : "", word);
}

#define AUTOMATIC "auto"

/* ---- joined names ---------------------------------------------------------------------------- */

void spd_method_name(const spd_method *method, char *name)
{
    const classifier *c = classifier_of(method->classifier);
    const char *metric = spd_name(SPD_ENUM_METRIC, method->metric);
    int says = metric && c && (c->metrics.named || method->metric != c->metrics.usual);
    if (method_is_automatic(method)) {
        snprintf(name, SPD_METHOD_NAME, AUTOMATIC);
        return;
    }
    int before = method->map == SPD_MAP_PCA, after = method->map != SPD_MAP_NONE && !before;
    const char *base = spd_name(SPD_ENUM_CLASSIFIER, method->classifier),
               *map = spd_name(SPD_ENUM_MAP, method->map);
    snprintf(name, SPD_METHOD_NAME, "%s%s%s%s%s%s", before ? "pca-" : "", base ? base : "?",
             says ? "-" : "", says ? metric : "", after ? "-" : "", after && map ? map : "");
}

/* list <- the names of the metrics in `able`. */
static void list_metrics(unsigned able, char *list, size_t size)
{
    list[0] = '\0';
    for (unsigned i = 0; i < SPD_METRICS; i++)
        if (able & ONLY(i))
            add_word(list, size, spd_name(SPD_ENUM_METRIC, (spd_metric)i));
}

/* Takes the map off `rest`; the map, SPD_MAP_NONE when there is none, SPD_MAPS for two of them. */
static spd_map take_map(char *rest)
{
    spd_map found = SPD_MAP_NONE;
    if (strncmp(rest, "pca-", 4) == 0) {
        found = SPD_MAP_PCA;
        memmove(rest, rest + 4, strlen(rest + 4) + 1);
    }
    for (unsigned map = SPD_MAP_ML; map < SPD_MAPS; map++) {
        if (map == SPD_MAP_PCA)
            continue;
        const char *word = spd_name(SPD_ENUM_MAP, (spd_map)map);
        size_t length = strlen(rest), tail = strlen(word) + 1;
        if (length <= tail || rest[length - tail] != '-' ||
            strcmp(rest + length - tail + 1, word) != 0)
            continue;
        rest[length - tail] = '\0';
        return found == SPD_MAP_NONE ? (spd_map)map : SPD_MAPS;
    }
    return found;
}

/* *kind <- the longest classifier that `rest` is, or begins with before a dash; what is behind it,
 * NULL when there is none. */
static const char *take_classifier(const char *rest, spd_classifier_kind *kind)
{
    size_t longest = 0;
    for (unsigned i = 0; i < SPD_CLASSIFIERS; i++) {
        const char *name = spd_name(SPD_ENUM_CLASSIFIER, (spd_classifier_kind)i);
        size_t length = name ? strlen(name) : 0;
        if (length <= longest || strncmp(rest, name, length) != 0)
            continue;
        if (rest[length] != '\0' && rest[length] != '-')
            continue;
        longest = length;
        *kind = (spd_classifier_kind)i;
    }
    return longest ? rest + longest : NULL;
}

static spd_status unknown_metric(spd_context *ctx, const char *name, const char *word)
{
    char list[200];
    list_metrics(ALL_METRICS, list, sizeof list);
    return ctx_fail(
        ctx, SPD_EINVAL,
        "method %s: '%s' is neither a metric (%s) nor a map (ml, random, mean, csp, multi, bag)",
        name, word, list);
}

static spd_status unknown_classifier(spd_context *ctx, const char *name)
{
    char list[300] = "";
    for (unsigned i = 0; i < SPD_CLASSIFIERS; i++)
        add_word(list, sizeof list, spd_name(SPD_ENUM_CLASSIFIER, (spd_classifier_kind)i));
    return ctx_fail(ctx, SPD_EINVAL,
                    "no method '%s': a name is "
                    "[pca-]CLASSIFIER[-METRIC][-ml|-random|-mean|-csp|-multi|-bag], with one of %s",
                    name, list);
}

static void lower(const char *name, char *text)
{
    size_t i = 0;
    for (; name[i]; i++)
        text[i] = (char)tolower((unsigned char)name[i]);
    text[i] = '\0';
}

spd_status spd_method_parse(spd_context *ctx, const char *name, spd_method *method)
{
    ctx_clear(ctx);
    char text[SPD_METHOD_NAME] = "";
    spd_method parsed = {.size = sizeof parsed};
    if (!name || !method)
        return ctx_fail(ctx, SPD_EINVAL, "the name or the output for a method is missing");
    spd_status status = sized_check(ctx, "spd_method", method);
    if (status < 0)
        return status;
    if (strlen(name) >= sizeof text)
        return ctx_fail(ctx, SPD_EINVAL, "no method '%.80s': the name is too long", name);
    lower(name, text);
    for (unsigned i = 0; i < SPD_MAX_PARAMETERS; i++)
        parsed.value[i] = NAN;
    if (strcmp(text, AUTOMATIC) == 0) {
        parsed.automatic = 1;
        if (method->size < offsetof(spd_method, automatic) + sizeof parsed.automatic)
            return ctx_fail(ctx, SPD_EINVAL, "auto needs a caller built with a newer header");
        sized_give(sizeof parsed, &parsed, method);
        return SPD_OK;
    }
    parsed.map = take_map(text);
    if (parsed.map == SPD_MAPS)
        return ctx_fail(ctx, SPD_EINVAL, "method %s has two maps; name one of them", name);
    const char *rest = take_classifier(text, &parsed.classifier);
    if (!rest)
        return unknown_classifier(ctx, name);
    int metric = *rest == '-' ? spd_parse(NULL, SPD_ENUM_METRIC, rest + 1)
                              : (int)classifier_of(parsed.classifier)->metrics.usual;
    if (metric < 0)
        return unknown_metric(ctx, name, rest + 1);
    parsed.metric = (spd_metric)metric;
    status = method_check(ctx, &parsed);
    if (status == SPD_OK)
        sized_give(sizeof parsed, &parsed, method);
    return status;
}

/* ---- facts ----------------------------------------------------------------------------------- */

int method_is_automatic(const spd_method *given)
{
    return given->size >= offsetof(spd_method, automatic) + sizeof given->automatic &&
           given->automatic;
}

int method_of_map(spd_parameter parameter)
{
    return parameter == SPD_PARAMETER_M || parameter == SPD_PARAMETER_NU_W ||
           parameter == SPD_PARAMETER_NU_B || parameter == SPD_PARAMETER_OBJECTIVE;
}

int spd_method_uses(const spd_method *method, spd_parameter parameter)
{
    const classifier *c = classifier_of(method->classifier);
    if (method_is_automatic(method))
        return 0;
    if (parameter == SPD_PARAMETER_M)
        return method->map != SPD_MAP_NONE && !method_has_parts(method);
    if (method_of_map(parameter))
        return method_learns_map(method);
    if (parameter == SPD_PARAMETER_BETA || parameter == SPD_PARAMETER_BETA_SCALE)
        return c && classifier_choice(c, parameter) && method->metric == SPD_METRIC_STEIN;
    return c && classifier_choice(c, parameter);
}

int spd_method_on_vectors(const spd_method *method)
{
    const classifier *c = classifier_of(method->classifier);
    return c && c->vectors;
}

int method_learns_map(const spd_method *method)
{
    return method->map == SPD_MAP_ML || method_has_parts(method);
}

int method_has_parts(const spd_method *method)
{
    return method->map == SPD_MAP_MULTI || method->map == SPD_MAP_BAG;
}

size_t method_count(const spd_method *method, spd_parameter parameter)
{
    const double most = 0x1p53; /* more than there is of anything */
    double value = method->value[parameter];
    return value >= most ? (size_t)most : value >= 0.5 ? (size_t)(value + 0.5) : 0;
}

spd_fit_options method_fit_options(const spd_method *method)
{
    spd_fit_options options;
    fit_options_read(NULL, method->fit, &options);
    options.m = method_count(method, SPD_PARAMETER_M);
    options.metric = method->metric;
    options.nu_w = method_count(method, SPD_PARAMETER_NU_W);
    options.nu_b = method_count(method, SPD_PARAMETER_NU_B);
    if (!isnan(method->value[SPD_PARAMETER_OBJECTIVE]))
        options.objective = (spd_objective)method->value[SPD_PARAMETER_OBJECTIVE];
    usual_choices(&options);
    return options;
}

void method_standard_values(spd_method *method, const samples *train)
{
    const classifier *c = classifier_of(method->classifier);
    double *value = method->value;
    for (unsigned i = 0; i < SPD_PARAMETERS; i++) {
        const choice *own = classifier_choice(c, (spd_parameter)i);
        if (!own || !isnan(value[i]))
            continue;
        if (i != SPD_PARAMETER_BETA_SCALE || isnan(value[SPD_PARAMETER_BETA]))
            value[i] = choice_standard(own, train);
    }
}

/* ---- checks ---------------------------------------------------------------------------------- */

static spd_status check_metric(spd_context *ctx, const spd_method *method, const char *name)
{
    char list[200];
    unsigned able = classifier_of(method->classifier)->metrics.able;
    if (method_learns_map(method))
        able &= LEARNABLE;
    if ((unsigned)method->metric < SPD_METRICS && (able & ONLY(method->metric)))
        return SPD_OK;
    list_metrics(able, list, sizeof list);
    return ctx_fail(ctx, SPD_EINVAL, "method %s: %s works with %s%s", name,
                    spd_name(SPD_ENUM_CLASSIFIER, method->classifier), list,
                    method_learns_map(method) ? " (metrics that maps are learned under)" : "");
}

static spd_status check_objective(spd_context *ctx, double value)
{
    if (value == floor(value) && value >= 0.0 && value < 1000.0 &&
        spd_name(SPD_ENUM_OBJECTIVE, (spd_objective)value))
        return SPD_OK;
    return ctx_fail(ctx, SPD_EINVAL, "there is no objective number %g", value);
}

/* Counts are whole and at least 1, the rest is positive. */
static spd_status check_value(spd_context *ctx, spd_parameter parameter, double value)
{
    int real = parameter == SPD_PARAMETER_BETA || parameter == SPD_PARAMETER_BETA_SCALE ||
               parameter == SPD_PARAMETER_LAMBDA || parameter == SPD_PARAMETER_COST;
    if (parameter == SPD_PARAMETER_OBJECTIVE && !isnan(value))
        return check_objective(ctx, value);
    if (isnan(value) || (value > 0.0 && isfinite(value) && (real || value == floor(value))))
        return SPD_OK;
    return ctx_fail(ctx, SPD_EINVAL, "%s = %g is out of range: it must be %s",
                    spd_name(SPD_ENUM_PARAMETER, parameter), value,
                    real ? "positive" : "a whole number, at least 1");
}

spd_status method_check(spd_context *ctx, const spd_method *method)
{
    char name[SPD_METHOD_NAME];
    spd_status status = SPD_OK;
    if (!spd_name(SPD_ENUM_CLASSIFIER, method->classifier) || !spd_name(SPD_ENUM_MAP, method->map))
        return ctx_fail(ctx, SPD_EINVAL, "unknown classifier or map");
    spd_method_name(method, name);
    if (spd_method_on_vectors(method) && method->map != SPD_MAP_NONE)
        return ctx_fail(ctx, SPD_EINVAL,
                        "method %s: %s works on vectors, and maps apply to "
                        "matrices only",
                        name, spd_name(SPD_ENUM_CLASSIFIER, method->classifier));
    status = check_metric(ctx, method, name);
    if (status == SPD_OK)
        status = alignment_check(ctx, method);
    for (unsigned i = 0; i < SPD_PARAMETERS && status == SPD_OK; i++)
        if (spd_method_uses(method, (spd_parameter)i))
            status = check_value(ctx, (spd_parameter)i, method->value[i]);
    return status;
}

/* An objective that the fit names is fixed. */
static void fix_objective(spd_method *method)
{
    spd_fit_options own;
    fit_options_read(NULL, method->fit, &own);
    if (method->value[SPD_PARAMETER_OBJECTIVE] == (double)SPD_OBJECTIVE_AUTO)
        method->value[SPD_PARAMETER_OBJECTIVE] = NAN;
    if (method->map == SPD_MAP_ML && own.objective != SPD_OBJECTIVE_AUTO)
        method->value[SPD_PARAMETER_OBJECTIVE] = (double)own.objective;
}

spd_status method_take(spd_context *ctx, const spd_method *given, spd_method *mine)
{
    *mine = (spd_method){.size = sizeof *mine};
    if (!given)
        return ctx_fail(ctx, SPD_EINVAL, "no method given");
    spd_status status = sized_take(ctx, "spd_method", sizeof *mine, mine, given);
    if (status == SPD_OK)
        fix_objective(mine);
    return status == SPD_OK ? method_check(ctx, mine) : status;
}

int same_number(double a, double b)
{
    return isnan(a) ? isnan(b) : !(a < b || a > b) && !isnan(b);
}

int method_same_map(const spd_method *a, const spd_method *b)
{
    int same = a->map == b->map && a->metric == b->metric && a->fit == b->fit &&
               a->normalize == b->normalize && a->recenter == b->recenter &&
               spd_method_on_vectors(a) == spd_method_on_vectors(b);
    for (unsigned i = 0; i < SPD_PARAMETERS; i++)
        same &= !method_of_map((spd_parameter)i) || same_number(a->value[i], b->value[i]);
    return same;
}

static spd_status check_labels(spd_context *ctx, const samples *train)
{
    spd_status status = samples_check_labels(ctx, train);
    for (size_t i = 1; i < train->p && status == SPD_OK; i++)
        if (train->label[i] != train->label[0])
            return SPD_OK;
    if (status < 0 || train->target)
        return status;
    return ctx_fail(ctx, SPD_EINVAL,
                    "all %zu training samples are of one class; at least two classes are needed",
                    train->p);
}

spd_status method_check_samples(spd_context *ctx, const spd_method *method, const samples *train)
{
    if (!train || train->p == 0)
        return ctx_fail(ctx, SPD_EINVAL, "there are no training samples");
    if (!train->label)
        return ctx_fail(ctx, SPD_EINVAL, "the training samples have no labels");
    if (spd_method_on_vectors(method)) {
        if (!train->V || train->height == 0 || train->width == 0)
            return ctx_fail(ctx, SPD_EINVAL,
                            "%s needs vectors in addition to the matrices, but "
                            "there are none",
                            spd_name(SPD_ENUM_CLASSIFIER, method->classifier));
    } else if (!train->X || train->n == 0) {
        return ctx_fail(ctx, SPD_EINVAL, "%s needs SPD matrices, but there are none",
                        spd_name(SPD_ENUM_CLASSIFIER, method->classifier));
    }
    return check_labels(ctx, train);
}
