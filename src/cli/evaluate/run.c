/* run.c - every method through every round: tune, fit, predict, score.
 *
 * The test part is looked at once, by predict; its labels are looked at by score alone. */
#include "cli/evaluate/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/frame/cli_memory.h"

/* ---- parts of the data ------------------------------------------------------------------------
 */

/* Copies of some samples. */
typedef struct part {
    spd_samples samples;
    size_t *index; /* samples.p */
    double *X, *V;
    int *label, *group;
} part;

static void part_free(part *a)
{
    cli_free(a->index);
    cli_free(a->X);
    cli_free(a->V);
    cli_free(a->label);
    cli_free(a->group);
}

static double *take_rows(const part *a, size_t size, const double *from)
{
    if (!from)
        return NULL;
    double *rows = cli_alloc_table(a->samples.p, size, sizeof *rows, "numbers");
    for (size_t i = 0; i < a->samples.p; i++)
        memcpy(rows + i * size, from + a->index[i] * size, size * sizeof *rows);
    return rows;
}

static part part_take(const evaluation *e, const char *flags, size_t round)
{
    const spd_samples *all = &e->set.samples;
    part a = {.samples = *all};
    const char *flag = flags + round * all->p;
    a.samples.p = protocol_count(&e->protocol, flags, round);
    a.index = cli_alloc(a.samples.p, sizeof *a.index, "samples");
    a.label = cli_alloc(a.samples.p, sizeof *a.label, "labels");
    a.group = cli_alloc(a.samples.p, sizeof *a.group, "groups");
    for (size_t i = 0, at = 0; i < all->p; i++)
        if (flag[i]) {
            a.index[at] = i;
            a.label[at] = all->label[i];
            a.group[at++] = e->protocol.fold_column ? e->protocol.fold_groups.group[i] : 0;
        }
    a.X = take_rows(&a, all->n * all->n, all->X);
    a.V = take_rows(&a, all->height * all->width, all->V);
    a.samples.X = a.X;
    a.samples.V = a.V;
    a.samples.label = a.label;
    return a;
}

/* Folds by group need two groups; with one, samples are dealt out alone. */
static const int *fold_groups(const evaluation *e, const part *train)
{
    if (!e->protocol.fold_column)
        return NULL;
    for (size_t i = 1; i < train->samples.p; i++)
        if (train->group[i] != train->group[0])
            return train->group;
    return NULL;
}

/* ---- tuning -----------------------------------------------------------------------------------
 */

static int fail_in_method(session *s, const evaluation *e, size_t method, spd_status status)
{
    char place[300];
    snprintf(place, sizeof place, "%.200s: %s", e->set.data->source, e->name[method]);
    return session_fail_in(s, place, status);
}

/* Values and options are the same for all methods, so map and metric decide. */
static int shares_map(const spd_method *a, const spd_method *b)
{
    return a->map != SPD_MAP_NONE && a->map == b->map && a->metric == b->metric;
}

/* Tunes a method together with those after it that share its map. */
static int tune_with_others(session *s, evaluation *e, size_t first, const part *train,
                            size_t round)
{
    spd_tuning tuning = {
        .folds = e->folds, .group = fold_groups(e, train), .seed = e->seed, .grid = &e->grid};
    size_t left = e->methods - first, count = 0;
    size_t *which = cli_alloc(left, sizeof *which, "methods");
    spd_method *method = cli_alloc(left, sizeof *method, "methods");
    spd_tuned *tuned = cli_alloc(left, sizeof *tuned, "methods");
    for (size_t m = first; m < e->methods; m++)
        if (m == first || shares_map(&e->method[first], &e->method[m])) {
            which[count] = m;
            method[count++] = e->method[m];
        }
    spd_status status = spd_tune_together(s->ctx, count, method, &train->samples, &tuning, tuned);
    for (size_t k = 0; k < count && status >= 0; k++) {
        outcome *o = &e->outcome[which[k] * e->protocol.rounds + round];
        o->method = method[k];
        o->tuned = tuned[k];
    }
    cli_free(which);
    cli_free(method);
    cli_free(tuned);
    return status < 0 ? fail_in_method(s, e, first, status) : CLI_GOOD;
}

/* ---- one method in one round ------------------------------------------------------------------
 */

static int run_method(session *s, evaluation *e, size_t method, const part *train, const part *test,
                      outcome *o)
{
    spd_classifier *classifier = NULL;
    spd_samples queries = test->samples;
    queries.label = NULL;
    o->predicted = cli_alloc(queries.p, sizeof *o->predicted, "predictions");
    double began = bar_clock();
    spd_status status = spd_classifier_fit(s->ctx, &o->method, &train->samples, NULL, &classifier);
    double fitted = bar_clock();
    if (status >= 0) {
        o->method = *spd_classifier_method(classifier);
        status = spd_classifier_predict(s->ctx, classifier, &queries, o->predicted);
    }
    o->fit_seconds = fitted - began;
    o->test_seconds = bar_clock() - fitted;
    spd_classifier_free(classifier);
    if (status >= 0)
        status = spd_score_predictions(s->ctx, queries.p, queries.classes, test->label,
                                       o->predicted, &o->score, NULL);
    return status < 0 ? fail_in_method(s, e, method, status) : CLI_GOOD;
}

/* ---- rounds -----------------------------------------------------------------------------------
 */

/* Classes that are tested but never trained can only be missed. */
static void remark_unseen(session *s, const evaluation *e, const part *train, const part *test,
                          size_t round)
{
    size_t unseen = 0, first = 0;
    char *known = cli_alloc(train->samples.classes, 1, "classes");
    for (size_t i = 0; i < train->samples.p; i++)
        known[train->label[i]] = 1;
    for (size_t i = test->samples.p; i-- > 0;)
        if (!known[test->label[i]]) {
            unseen++;
            first = i;
        }
    if (unseen)
        session_remark(s,
                       "round %s: %zu of %zu test matrices are of classes without training "
                       "matrices (such as %s) and count as errors",
                       e->protocol.round_name[round], unseen, test->samples.p,
                       e->set.data->class_name[test->label[first]]);
    cli_free(known);
}

static int run_round(session *s, evaluation *e, size_t round)
{
    size_t rounds = e->protocol.rounds;
    part train = part_take(e, e->protocol.train, round);
    part test = part_take(e, e->protocol.test, round);
    int code = CLI_GOOD;
    for (size_t m = 0; m < e->methods && !code; m++) {
        outcome *o = &e->outcome[m * rounds + round];
        if (o->tuned.settings == 0)
            code = tune_with_others(s, e, m, &train, round);
        if (!code)
            code = run_method(s, e, m, &train, &test, o);
        if (!code)
            session_talk(s, "round %s, %s: %.1f %%", e->protocol.round_name[round], e->name[m],
                         100.0 * o->score.accuracy);
    }
    if (!code)
        remark_unseen(s, e, &train, &test, round);
    e->test[round] = (test_set){test.samples.p, test.index, test.label};
    test.index = NULL;
    test.label = NULL;
    part_free(&train);
    part_free(&test);
    return code;
}

int evaluation_run(session *s, evaluation *e)
{
    size_t rounds = e->protocol.rounds;
    int code = CLI_GOOD;
    e->test = cli_alloc(rounds, sizeof *e->test, "rounds");
    e->outcome = cli_alloc(e->methods * rounds, sizeof *e->outcome, "results");
    for (size_t r = 0; r < rounds && !code; r++)
        code = run_round(s, e, r);
    return code;
}

void evaluation_free(evaluation *e)
{
    for (size_t i = 0; e->outcome && i < e->methods * e->protocol.rounds; i++)
        cli_free(e->outcome[i].predicted);
    for (size_t r = 0; e->test && r < e->protocol.rounds; r++) {
        cli_free(e->test[r].index);
        cli_free(e->test[r].truth);
    }
    for (size_t i = 0; i < SPD_PARAMETERS; i++)
        cli_free(e->grid_value[i]);
    cli_free(e->outcome);
    cli_free(e->test);
    cli_free(e->method);
    cli_free(e->name);
    protocol_free(&e->protocol);
    recognition_free(&e->set);
}

/* ---- summaries --------------------------------------------------------------------------------
 */

static const outcome *outcomes_of(const evaluation *e, size_t method)
{
    return e->outcome + method * e->protocol.rounds;
}

void evaluation_accuracy(const evaluation *e, size_t method, int balanced, double *mean,
                         double *deviation)
{
    const outcome *o = outcomes_of(e, method);
    size_t rounds = e->protocol.rounds;
    double sum = 0.0, squares = 0.0;
    for (size_t r = 0; r < rounds; r++)
        sum += balanced ? o[r].score.balanced : o[r].score.accuracy;
    *mean = sum / (double)rounds;
    for (size_t r = 0; r < rounds; r++) {
        double gap = (balanced ? o[r].score.balanced : o[r].score.accuracy) - *mean;
        squares += gap * gap;
    }
    *deviation = rounds > 1 ? sqrt(squares / (double)(rounds - 1)) : 0.0;
}

double evaluation_seconds(const evaluation *e, size_t method, int phase)
{
    const outcome *o = outcomes_of(e, method);
    double sum = 0.0;
    for (size_t r = 0; r < e->protocol.rounds; r++)
        sum += phase == 0 ? o[r].tuned.seconds : phase == 1 ? o[r].fit_seconds : o[r].test_seconds;
    return sum / (double)e->protocol.rounds;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The tests of all rounds in one row: truth and predictions of two methods. */
static int compare_pooled(session *s, const evaluation *e, size_t method, double *p_value)
{
    size_t total = 0, at = 0, rounds = e->protocol.rounds;
    for (size_t r = 0; r < rounds; r++)
        total += e->test[r].count;
    int *pooled = cli_alloc_table(3, total, sizeof *pooled, "predictions");
    for (size_t r = 0; r < rounds; r++) {
        size_t count = e->test[r].count, bytes = count * sizeof *pooled;
        memcpy(pooled + at, e->test[r].truth, bytes);
        memcpy(pooled + total + at, outcomes_of(e, 0)[r].predicted, bytes);
        memcpy(pooled + 2 * total + at, outcomes_of(e, method)[r].predicted, bytes);
        at += count;
    }
    spd_mcnemar_result result = {0};
    spd_status status =
        spd_mcnemar(s->ctx, total, pooled, pooled + total, pooled + 2 * total, &result);
    *p_value = result.p_value;
    cli_free(pooled);
    return status < 0 ? session_fail(s, status) : CLI_GOOD;
}

static int compare_median(session *s, const evaluation *e, size_t method, double *p_value)
{
    size_t rounds = e->protocol.rounds;
    double *p = cli_alloc(rounds, sizeof *p, "tests");
    spd_status status = SPD_OK;
    for (size_t r = 0; r < rounds && status == SPD_OK; r++) {
        spd_mcnemar_result result = {0};
        status =
            spd_mcnemar(s->ctx, e->test[r].count, e->test[r].truth, outcomes_of(e, 0)[r].predicted,
                        outcomes_of(e, method)[r].predicted, &result);
        p[r] = result.p_value;
    }
    qsort(p, rounds, sizeof *p, ascending);
    *p_value = (p[(rounds - 1) / 2] + p[rounds / 2]) / 2;
    cli_free(p);
    return status < 0 ? session_fail(s, status) : CLI_GOOD;
}

int evaluation_compare(session *s, const evaluation *e, size_t method, double *p_value)
{
    return e->protocol.repeats_samples ? compare_median(s, e, method, p_value)
                                       : compare_pooled(s, e, method, p_value);
}

void evaluation_by(const evaluation *e, size_t method, size_t *right, size_t *total)
{
    const outcome *o = outcomes_of(e, method);
    for (size_t v = 0; v < e->protocol.by.count; v++)
        right[v] = total[v] = 0;
    for (size_t r = 0; r < e->protocol.rounds; r++)
        for (size_t i = 0; i < e->test[r].count; i++) {
            int value = e->protocol.by.group[e->test[r].index[i]];
            total[value]++;
            right[value] += o[r].predicted[i] == e->test[r].truth[i];
        }
}

void evaluation_confusion(const evaluation *e, size_t method, int64_t *table)
{
    const outcome *o = outcomes_of(e, method);
    size_t classes = e->set.samples.classes;
    memset(table, 0, classes * classes * sizeof *table);
    for (size_t r = 0; r < e->protocol.rounds; r++)
        for (size_t i = 0; i < e->test[r].count; i++)
            table[(size_t)e->test[r].truth[i] * classes + (size_t)o[r].predicted[i]]++;
}

void evaluation_folds(const evaluation *e, int *least, int *most)
{
    *least = *most = 0;
    for (size_t i = 0; i < e->methods * e->protocol.rounds; i++) {
        int folds = e->outcome[i].tuned.folds;
        if (folds == 0)
            continue;
        *least = *least == 0 || folds < *least ? folds : *least;
        *most = folds > *most ? folds : *most;
    }
}
