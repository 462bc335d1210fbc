/* evaluation.c - results of all rounds: room for them, and what they come to. */
#include "evaluate/evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- room ------------------------------------------------------------------------------------
 */

static spd_status result_room(spd_context *ctx, const spd_method *method, const spd_evaluation *e,
                              spd_method_result *result)
{
    spd_method_name(method, result->name);
    result->confusion = mem_zero(e->classes, e->classes * sizeof *result->confusion);
    result->p_value = mem_zero(e->methods, sizeof *result->p_value);
    result->outcome = mem_zero(e->rounds, sizeof *result->outcome);
    if (!result->confusion || !result->p_value || !result->outcome)
        return ctx_nomem(ctx, "results");
    for (size_t r = 0; r < e->rounds; r++) {
        spd_outcome *o = result->outcome[r] = mem_zero(1, sizeof *o);
        if (!o || !(o->predicted = mem_zero(e->round[r]->test_count, sizeof *o->predicted)))
            return ctx_nomem(ctx, "results");
    }
    return SPD_OK;
}

spd_status evaluation_room(spd_context *ctx, size_t methods, const spd_method *method,
                           spd_evaluation *e)
{
    spd_status status = SPD_OK;
    e->methods = methods;
    e->method = mem_zero(methods, sizeof *e->method);
    if (!e->method)
        return ctx_nomem(ctx, "results");
    for (size_t m = 0; m < methods && status == SPD_OK; m++) {
        e->method[m] = mem_zero(1, sizeof **e->method);
        status = e->method[m] ? result_room(ctx, &method[m], e, e->method[m])
                              : ctx_nomem(ctx, "results");
    }
    return status;
}

static void result_free(spd_method_result *result, size_t rounds)
{
    for (size_t r = 0; result->outcome && r < rounds; r++)
        if (result->outcome[r]) {
            mem_free(result->outcome[r]->predicted);
            spd_model_free(result->outcome[r]->model);
            mem_free(result->outcome[r]);
        }
    mem_free(result->outcome);
    mem_free(result->confusion);
    mem_free(result->p_value);
    mem_free(result);
}

void spd_evaluation_free(spd_evaluation *e)
{
    if (!e)
        return;
    for (size_t m = 0; e->method && m < e->methods; m++)
        if (e->method[m])
            result_free(e->method[m], e->rounds);
    for (size_t r = 0; r < e->rounds; r++) {
        mem_free(e->round[r]->train);
        mem_free(e->round[r]->test);
        mem_free(e->round[r]);
    }
    for (size_t i = 0; i < e->remarks; i++)
        mem_free(e->remark[i]);
    mem_free(e->method);
    mem_free(e->round);
    mem_free(e->remark);
    mem_free(e);
}

/* ---- means -----------------------------------------------------------------------------------
 */

static void mean_accuracy(const spd_evaluation *e, spd_outcome *const *outcome, int balanced,
                          double *mean, double *deviation)
{
    double sum = 0.0, squares = 0.0, rounds = (double)e->rounds;
    for (size_t r = 0; r < e->rounds; r++)
        sum += balanced ? outcome[r]->balanced : outcome[r]->accuracy;
    *mean = sum / rounds;
    for (size_t r = 0; r < e->rounds; r++) {
        double gap = (balanced ? outcome[r]->balanced : outcome[r]->accuracy) - *mean;
        squares += gap * gap;
    }
    *deviation = e->rounds > 1 ? sqrt(squares / (rounds - 1.0)) : 0.0;
}

static void average(const samples *all, const spd_evaluation *e, spd_method_result *result)
{
    spd_outcome *const *outcome = result->outcome;
    mean_accuracy(e, outcome, 0, &result->accuracy, &result->accuracy_deviation);
    mean_accuracy(e, outcome, 1, &result->balanced, &result->balanced_deviation);
    for (size_t r = 0; r < e->rounds; r++) {
        const spd_round *round = e->round[r];
        result->tune_seconds += outcome[r]->tune_seconds;
        result->fit_seconds += outcome[r]->fit_seconds;
        result->test_seconds += outcome[r]->test_seconds;
        for (size_t i = 0; i < round->test_count; i++)
            result->confusion[(size_t)all->label[round->test[i]] * e->classes +
                              (size_t)outcome[r]->predicted[i]]++;
    }
    result->tune_seconds /= (double)e->rounds;
    result->fit_seconds /= (double)e->rounds;
    result->test_seconds /= (double)e->rounds;
}

static void count_folds(spd_evaluation *e)
{
    for (size_t m = 0; m < e->methods; m++)
        for (size_t r = 0; r < e->rounds; r++) {
            int folds = e->method[m]->outcome[r]->folds;
            if (folds && (e->least_folds == 0 || folds < e->least_folds))
                e->least_folds = folds;
            e->most_folds = folds > e->most_folds ? folds : e->most_folds;
        }
}

/* ---- McNemar's test --------------------------------------------------------------------------
 */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Room to compare two methods: tests at once, and a p value for each round. */
typedef struct comparison {
    int *truth, *first, *second; /* test samples of all rounds, one round after the other */
    double *p;                   /* rounds */
} comparison;

static size_t chain_round(const samples *all, const spd_evaluation *e, size_t round, size_t a,
                          size_t b, size_t at, comparison *c)
{
    const spd_round *r = e->round[round];
    for (size_t i = 0; i < r->test_count; i++, at++) {
        c->truth[at] = all->label[r->test[i]];
        c->first[at] = e->method[a]->outcome[round]->predicted[i];
        c->second[at] = e->method[b]->outcome[round]->predicted[i];
    }
    return at;
}

/* All rounds at once where each sample is tested once, else the median over the rounds. */
static spd_status compare(spd_context *ctx, const samples *all, const spd_evaluation *e, size_t a,
                          size_t b, comparison *c)
{
    size_t tests = e->repeats_samples ? e->rounds : 1, at = 0;
    spd_status status = SPD_OK;
    for (size_t t = 0; t < tests && status == SPD_OK; t++) {
        spd_mcnemar_result result = SPD_INIT(spd_mcnemar_result);
        if (e->repeats_samples)
            at = chain_round(all, e, t, a, b, 0, c);
        for (size_t r = 0; r < e->rounds && !e->repeats_samples; r++)
            at = chain_round(all, e, r, a, b, at, c);
        status = spd_mcnemar(ctx, at, c->truth, c->first, c->second, &result);
        c->p[t] = result.p_value;
    }
    qsort(c->p, tests, sizeof *c->p, ascending);
    e->method[a]->p_value[b] = e->method[b]->p_value[a] =
        (c->p[(tests - 1) / 2] + c->p[tests / 2]) / 2;
    return status;
}

static spd_status compare_all(spd_context *ctx, const samples *all, const spd_evaluation *e)
{
    size_t tests = 0;
    for (size_t r = 0; r < e->rounds; r++)
        tests += e->round[r]->test_count;
    int *labels = mem_alloc(3 * tests, sizeof *labels);
    comparison c = {labels, labels + tests, labels + 2 * tests, NULL};
    c.p = mem_zero(e->rounds, sizeof *c.p);
    spd_status status = labels && c.p ? SPD_OK : ctx_nomem(ctx, "comparisons");
    for (size_t a = 0; a < e->methods; a++) {
        e->method[a]->p_value[a] = 1.0;
        for (size_t b = a + 1; b < e->methods && status == SPD_OK; b++)
            status = compare(ctx, all, e, a, b, &c);
    }
    mem_free(labels);
    mem_free(c.p);
    return status;
}

spd_status evaluation_conclude(spd_context *ctx, const samples *all, spd_evaluation *e)
{
    for (size_t m = 0; m < e->methods; m++)
        average(all, e, e->method[m]);
    count_folds(e);
    return compare_all(ctx, all, e);
}
