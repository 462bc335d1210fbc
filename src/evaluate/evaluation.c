/* evaluation.c - results of all rounds: room for them, and what they come to. */
#include "evaluate/evaluation.h"

#include <math.h>

#include "base/order.h"

/* ---- room ------------------------------------------------------------------------------------ */

static void result_room(const spd_method *method, arena *keep, const spd_evaluation *e,
                        spd_method_result *result)
{
    spd_method_name(method, result->name);
    result->confusion = arena_zero(keep, e->classes, e->classes * sizeof *result->confusion);
    result->p_value = arena_zero(keep, e->methods, sizeof *result->p_value);
    result->outcome = arena_zero(keep, e->rounds, sizeof *result->outcome);
    for (size_t r = 0; r < e->rounds && !keep->failed; r++) {
        spd_outcome *o = result->outcome[r] = arena_zero(keep, 1, sizeof *o);
        if (o)
            o->predicted = arena_zero(keep, e->round[r]->test_count, sizeof *o->predicted);
    }
}

spd_status evaluation_room(spd_context *ctx, size_t methods, const spd_method *method, arena *keep,
                           spd_evaluation *e)
{
    e->method = arena_zero(keep, methods, sizeof *e->method);
    e->methods = e->method ? methods : 0;
    for (size_t m = 0; m < e->methods && !keep->failed; m++) {
        e->method[m] = arena_zero(keep, 1, sizeof **e->method);
        if (e->method[m])
            result_room(&method[m], keep, e, e->method[m]);
    }
    return arena_status(keep, ctx, "results");
}

void spd_evaluation_free(spd_evaluation *e)
{
    if (!e)
        return;
    for (size_t m = 0; m < e->methods && e->method[m]; m++)
        for (size_t r = 0; e->method[m]->outcome && r < e->rounds && e->method[m]->outcome[r]; r++)
            spd_model_free(e->method[m]->outcome[r]->model);
    arena room = ((own_evaluation *)e)->room;
    arena_free(&room);
}

/* ---- means ----------------------------------------------------------------------------------- */

/* A number of an outcome or of a result, by its offset. */
static double *number_at(void *record, size_t offset)
{
    return (double *)(void *)((char *)record + offset);
}

/* Mean and deviation of a field over the rounds that have the number; NaN where none has. */
static void average_field(const spd_evaluation *e, const spd_result_field *f,
                          spd_method_result *result)
{
    double sum = 0.0, squares = 0.0, rounds = 0.0;
    for (size_t r = 0; r < e->rounds; r++) {
        double number = *number_at(result->outcome[r], f->outcome);
        sum += isnan(number) ? 0.0 : number;
        rounds += !isnan(number);
    }
    double mean = *number_at(result, f->mean) = sum / rounds;
    if (f->deviation == SPD_NO_INDEX)
        return;
    for (size_t r = 0; r < e->rounds; r++) {
        double gap = *number_at(result->outcome[r], f->outcome) - mean;
        squares += isnan(gap) ? 0.0 : gap * gap;
    }
    *number_at(result, f->deviation) = rounds > 1.0 ? sqrt(squares / (rounds - 1.0)) : 0.0 * mean;
}

static void average(const samples *all, const spd_evaluation *e, spd_method_result *result)
{
    const spd_result_field *f;
    for (size_t k = 0; (f = spd_result_field_at(k)); k++)
        if (f->mean != SPD_NO_INDEX)
            average_field(e, f, result);
    for (size_t r = 0; r < e->rounds; r++) {
        const spd_round *round = e->round[r];
        for (size_t i = 0; i < round->test_count; i++)
            result->confusion[(size_t)all->label[round->test[i]] * e->classes +
                              (size_t)result->outcome[r]->predicted[i]]++;
    }
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

/* ---- McNemar's test -------------------------------------------------------------------------- */

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
    return order_median(rounds, p);
}

spd_status evaluation_conclude(spd_context *ctx, const samples *all, spd_evaluation *e)
{
    arena room = {0};
    double *p = arena_alloc(&room, e->rounds, sizeof *p);
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
    arena_free(&room);
    return SPD_OK;
}
