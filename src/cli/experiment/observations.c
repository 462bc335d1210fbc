/* observations.c - accuracy against the number r of observations in a test matrix.
 *
 * Training matrices are made of all observations, test matrices of every second, fourth, ... of
 * them. A covariance of r observations has rank r - 1: with r <= n it is singular, and has to be
 * repaired before distances exist, here by e tr(C)/n on its diagonal. After the map the
 * observations are projected first (math.md, eq. 12), and the same holds for r <= m only. */
#include <math.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/experiment/vectors.h"
#include "cli/frame/signals.h"

#define PROTOCOL_ROOM 80

/* One run: a method, with its map where it has one, on one split. */
typedef struct trial {
    experiment *x;
    const vectors *v;
    const char *train; /* p: 1 training, 0 test */
    spd_method method; /* without its map */
    spd_model *model;  /* NULL: none */
    size_t size;       /* of the matrices compared: n or m */
} trial;

/* ---- matrices ---------------------------------------------------------------------------------
 */

/* Training and test matrices of a split. */
typedef struct part {
    size_t p;
    double *X; /* p x size x size */
    int *label;
} part;

static void part_free(part *a)
{
    cli_free(a->X);
    cli_free(a->label);
    *a = (part){0};
}

/* *a <- covariances of the samples on one side, from `taken` observations, every so many-th. */
static int describe(const trial *t, char side, size_t every, size_t taken, part *a)
{
    const vectors *v = t->v;
    spd_covariance_options o = {.n = v->n};
    spd_status status = SPD_OK;
    if (t->model) {
        o.W = t->model->W;
        o.m = t->model->m;
    }
    if (taken <= t->size)
        o.regularize = arguments_real(t->x->s->args, "regularize");
    *a = (part){0};
    a->X = cli_alloc_table(v->p, t->size * t->size, sizeof *a->X, "covariances");
    a->label = cli_alloc(v->p, sizeof *a->label, "labels");
    double *rows = cli_alloc_table(taken, v->n, sizeof *rows, "observations");
    for (size_t i = 0; i < v->p && status >= 0; i++)
        if (t->train[i] == side) {
            vectors_take(v, i, every, taken, rows);
            status = spd_covariance(t->x->s->ctx, taken, v->n, rows, &o,
                                    a->X + a->p * t->size * t->size);
            a->label[a->p++] = v->label[i];
        }
    cli_free(rows);
    return status < 0 ? session_fail(t->x->s, status) : CLI_GOOD;
}

static spd_samples samples_of(const trial *t, const part *a)
{
    return (spd_samples){.size = sizeof(spd_samples),
                         .p = a->p,
                         .n = t->size,
                         .X = a->X,
                         .classes = t->v->classes,
                         .label = a->label};
}

/* ---- one split --------------------------------------------------------------------------------
 */

/* The map of a method is learned from the training matrices. */
static int learn(trial *t)
{
    part train;
    spd_fit_options o;
    spd_fit_defaults(&o);
    o.m = t->x->m;
    o.metric = t->method.metric;
    o.seed = (uint64_t)arguments_int(t->x->s->args, "seed");
    int code = describe(t, 1, 1, t->v->r, &train);
    if (!code) {
        spd_status status = spd_fit(t->x->s->ctx, t->size, train.p, train.X, train.label, &o, NULL,
                                    NULL, NULL, &t->model);
        code = status < 0 ? session_fail(t->x->s, status) : CLI_GOOD;
    }
    if (!code)
        t->size = t->model->m;
    part_free(&train);
    return code;
}

/* Is there time for another step? Small ones sheet no progress of their own. */
static int go_on(const trial *t)
{
    return signals_interrupted() ? session_fail(t->x->s, SPD_ECANCELLED) : CLI_GOOD;
}

static int test_at(const trial *t, const spd_classifier *classifier, size_t every, double *accuracy)
{
    part test;
    spd_score score = SPD_INIT(spd_score);
    int code = describe(t, 0, every, t->v->r / every, &test);
    if (!code)
        code = go_on(t);
    if (!code) {
        int *predicted = cli_alloc(test.p, sizeof *predicted, "predictions");
        spd_samples queries = samples_of(t, &test);
        queries.label = NULL;
        spd_status status = spd_classifier_predict(t->x->s->ctx, classifier, &queries, predicted);
        if (status >= 0)
            status = spd_score_predictions(t->x->s->ctx, test.p, t->v->classes, test.label,
                                           predicted, &score, NULL);
        code = status < 0 ? session_fail(t->x->s, status) : CLI_GOOD;
        cli_free(predicted);
    }
    *accuracy = score.accuracy;
    part_free(&test);
    return code;
}

/* accuracy (octaves) <- of one method on one split, from all observations down. */
static int run_trial(trial *t, size_t octaves, double *accuracy)
{
    part train = {0};
    spd_classifier *classifier = NULL;
    int code = t->method.map == SPD_MAP_ML ? learn(t) : CLI_GOOD;
    t->method.map = SPD_MAP_NONE;
    if (!code)
        code = describe(t, 1, 1, t->v->r, &train);
    if (!code) {
        spd_samples known = samples_of(t, &train);
        spd_status status = spd_classifier_fit(t->x->s->ctx, &t->method, &known, NULL, &classifier);
        code = status < 0 ? session_fail(t->x->s, status) : CLI_GOOD;
    }
    for (size_t k = 0; k < octaves && !code; k++)
        code = test_at(t, classifier, (size_t)1 << k, &accuracy[k]);
    spd_classifier_free(classifier);
    spd_model_free(t->model);
    part_free(&train);
    return code;
}

/* ---- all splits -------------------------------------------------------------------------------
 */

/* As many halvings as it takes to fall to m or below. */
static size_t count_octaves(const experiment *x, const vectors *v)
{
    size_t octaves = 1;
    while ((v->r >> (octaves - 1)) > x->m && (v->r >> octaves) >= 2)
        octaves++;
    return octaves;
}

/* Column `method` of the table <- mean and deviation over the splits; accuracy is repeats x
 * octaves.
 */
static void summarise(experiment_table *t, size_t method, size_t repeats, const double *accuracy)
{
    for (size_t k = 0; k < t->rows; k++) {
        double sum = 0.0, squares = 0.0;
        for (size_t s = 0; s < repeats; s++)
            sum += accuracy[s * t->rows + k];
        double mean = sum / (double)repeats;
        for (size_t s = 0; s < repeats; s++)
            squares += (accuracy[s * t->rows + k] - mean) * (accuracy[s * t->rows + k] - mean);
        t->value[k * t->columns + method] = mean;
        if (repeats > 1)
            t->deviation[k * t->columns + method] = sqrt(squares / (double)(repeats - 1));
    }
}

static int run_method(experiment *x, const vectors *v, size_t column, const spd_method *method)
{
    size_t octaves = x->table.rows;
    uint64_t seed = (uint64_t)arguments_int(x->s->args, "seed");
    double *accuracy = cli_alloc_table(x->repeats, octaves, sizeof *accuracy, "results");
    char *train = cli_alloc(v->p, 1, "flags");
    int code = CLI_GOOD;
    for (size_t s = 0; s < x->repeats && !code; s++) {
        trial t = {.x = x, .v = v, .train = train, .method = *method, .size = v->n};
        spd_status status = spd_split(x->s->ctx, v->p, v->label, 0.5, 0, seed, s, train);
        code = status < 0 ? session_fail(x->s, status)
                          : run_trial(&t, octaves, &accuracy[s * octaves]);
        if (!code)
            session_talk(x->s, "split %zu, %s: %.1f %% with all observations", s + 1,
                         x->table.column[column], 100.0 * accuracy[s * octaves]);
    }
    if (!code)
        summarise(&x->table, column, x->repeats, accuracy);
    cli_free(accuracy);
    cli_free(train);
    return code;
}

/* ---- methods ----------------------------------------------------------------------------------
 */

/* method (of words) <- parsed; here a method is a classifier of matrices, with or without -ml. */
static int parse_methods(experiment *x, words *names, spd_method *method)
{
    for (size_t i = 0; i < names->count; i++) {
        method[i] = (spd_method)SPD_INIT(spd_method);
        spd_status status = spd_method_parse(x->s->ctx, names->word[i], &method[i]);
        if (status < 0) {
            session_fail(x->s, status);
            return CLI_MISUSED;
        }
        if (spd_method_on_vectors(&method[i]) ||
            (method[i].map != SPD_MAP_NONE && method[i].map != SPD_MAP_ML)) {
            cli_error("%s: observations compares methods on matrices, as they are or with -ml",
                      names->word[i]);
            return CLI_MISUSED;
        }
    }
    return CLI_GOOD;
}

static void name_table(experiment *x, const vectors *v, const words *names, size_t octaves)
{
    experiment_table_make(&x->table, octaves, names->count);
    for (size_t k = 0; k < octaves; k++)
        snprintf(x->table.row[k], EXPERIMENT_NAME, "%zu", v->r >> k);
    for (size_t c = 0; c < names->count; c++)
        snprintf(x->table.column[c], EXPERIMENT_NAME, "%s", names->word[c]);
    snprintf(x->matrices, sizeof x->matrices, "%zu samples, %zu x %zu, %zu classes", v->p, v->n,
             v->n, v->classes);
    x->marks = 2;
    x->mark[0].at = (double)v->n;
    x->mark[1].at = (double)x->m;
    snprintf(x->mark[0].name, EXPERIMENT_NAME, "r = n = %zu", v->n);
    snprintf(x->mark[1].name, EXPERIMENT_NAME, "r = m = %zu", x->m);
}

/* ---- by hand ----------------------------------------------------------------------------------
 */

/* Commands for one method with a map, on the first split, with r observations. */
static void show_commands(experiment *x, const spd_method *method, size_t r)
{
    spd_method plain = *method;
    char name[SPD_METHOD_NAME];
    const char *metric = spd_metric_name(method->metric);
    plain.map = SPD_MAP_NONE;
    spd_method_name(&plain, name);
    experiment_show(x, "describe covariance @train.npz -o @train-covs.npz");
    experiment_show(x, "fit @train-covs.npz --metric %s -m %zu -o @map.spdml", metric, x->m);
    experiment_show(x, "transform @map.spdml @train-covs.npz -o @train-low.npz");
    experiment_show(x, "describe covariance @test-%zu.npz --model @map.spdml%s%s -o @test-low.npz",
                    r, r <= x->m ? " --regularize " : "",
                    r <= x->m ? arguments_text(x->s->args, "regularize") : "");
    experiment_show(x, "classify --train @train-low.npz --test @test-low.npz --method %s", name);
    words_add(&x->notes, "by hand: %s-ml on the first split, r = %zu; %strain.npz and test-%zu.npz",
              name, r, x->temporary ? "-o DIR keeps " : "the observations are in ", r);
}

/* Files and commands where the map needs no regulariser and the original matrices do. */
static int by_hand(experiment *x, const vectors *v, size_t methods, const spd_method *method)
{
    size_t k = 0, at = 0;
    while (at < methods && method[at].map != SPD_MAP_ML)
        at++;
    while (k < x->table.rows && (v->r >> k) > v->n)
        k++;
    while (k + 1 < x->table.rows && (v->r >> (k + 1)) > x->m)
        k++;
    if (at == methods || k == x->table.rows)
        return CLI_GOOD;
    char name[40];
    char *train = cli_alloc(v->p, 1, "flags");
    uint64_t seed = (uint64_t)arguments_int(x->s->args, "seed");
    spd_status status = spd_split(x->s->ctx, v->p, v->label, 0.5, 0, seed, 0, train);
    int code = status < 0 ? session_fail(x->s, status) : CLI_GOOD;
    snprintf(name, sizeof name, "test-%zu.npz", v->r >> k);
    if (!code && !x->temporary)
        code = vectors_write(x, v, train, 1, 1, v->r, "train.npz");
    if (!code && !x->temporary)
        code = vectors_write(x, v, train, 0, (size_t)1 << k, v->r >> k, name);
    show_commands(x, &method[at], v->r >> k);
    cli_free(train);
    return code;
}

/* ---- the experiment ---------------------------------------------------------------------------
 */

static int run_all(experiment *x, const vectors *v, const words *names, const spd_method *method)
{
    int code = CLI_GOOD;
    name_table(x, v, names, count_octaves(x, v));
    x->protocol = cli_alloc(PROTOCOL_ROOM, 1, "a protocol");
    snprintf(x->protocol, PROTOCOL_ROOM, "%zu random split%s, 50 %% of each class train",
             x->repeats, x->repeats == 1 ? "" : "s");
    for (size_t i = 0; i < names->count && !code; i++)
        code = run_method(x, v, i, &method[i]);
    words_add(&x->notes,
              "training matrices from all %zu observations; a test matrix whose rank falls short, "
              "r <= %zu or after the map r <= %zu, gets %s trace/size on its diagonal",
              v->r, v->n, x->m, arguments_text(x->s->args, "regularize"));
    return code ? code : by_hand(x, v, names->count, method);
}

int experiment_observations(experiment *x)
{
    words names = {0};
    vectors v = {0};
    words_split(&names, x->methods, ",");
    spd_method *method = cli_alloc(names.count, sizeof *method, "methods");
    int code = parse_methods(x, &names, method);
    if (!code)
        code = vectors_make(x, &v);
    if (!code)
        code = run_all(x, &v, &names, method);
    vectors_free(&v);
    cli_free(method);
    words_free(&names);
    return code;
}
