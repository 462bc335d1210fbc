/* evaluation.c - results of all rounds: room for them, and what they come to. */
#include "evaluate/evaluation.h"

#include <math.h>
#include <stdlib.h>

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

/* McNemar's test over all rounds at once where each sample is tested once, else the median over
 * the rounds. p: room for a value of each round. */
static double compare(const samples *all, const spd_evaluation *e, const spd_method_result *first,
                      const spd_method_result *second, double *p)
{
    size_t rounds = e->rounds, only_first = 0, only_second = 0;
    for (size_t r = 0; r < rounds; r++) {
        const spd_round *round = e->round[r];
        if (e->repeats_samples)
            only_first = only_second = 0;
        for (size_t i = 0; i < round->test_count; i++) {
            int truth = all->label[round->test[i]];
            int a = first->outcome[r]->predicted[i] == truth;
            int b = second->outcome[r]->predicted[i] == truth;
            only_first += a && !b;
            only_second += b && !a;
        }
        p[r] = score_mcnemar(only_first, only_second);
    }
    if (!e->repeats_samples)
        return p[rounds - 1];
    qsort(p, rounds, sizeof *p, ascending);
    return (p[(rounds - 1) / 2] + p[rounds / 2]) / 2;
}

spd_status evaluation_conclude(spd_context *ctx, const samples *all, spd_evaluation *e)
{
    double *p = mem_alloc(e->rounds, sizeof *p);
    if (!p)
        return ctx_nomem(ctx, "tests");
    for (size_t m = 0; m < e->methods; m++) {
        average(all, e, e->method[m]);
        e->method[m]->p_value[m] = 1.0;
        for (size_t k = 0; k < m; k++)
            e->method[m]->p_value[k] = e->method[k]->p_value[m] =
                compare(all, e, e->method[k], e->method[m], p);
    }
    count_folds(e);
    mem_free(p);
    return SPD_OK;
}
