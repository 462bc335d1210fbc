/* fuzz_learning.c - fits, classifiers, tuning and evaluation on a few small matrices, with any
 * labels and options: a result, or a failure with a message. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "fuzz.h"

enum { N = 4, P = 8, PIXELS = 6 };

/* Matrices, vectors and labels; c->samples points to them. */
typedef struct call {
    spd_context *ctx;
    fuzz_input in;
    size_t n, p;
    double X[P * N * N], V[P * PIXELS], W[N * N];
    int label[P], group[P];
    char train[P], test[P];
    spd_pair pairs[P];
    spd_samples samples;
    spd_fit_options fit;
} call;

static void draw_samples(call *c)
{
    unsigned how = fuzz_byte(&c->in);
    c->n = 1 + how % N;
    c->p = fuzz_below(&c->in, P + 1);
    fuzz_matrices(&c->in, c->n, c->p, c->X);
    for (size_t i = 0; i < P; i++) {
        unsigned b = fuzz_byte(&c->in);
        c->label[i] = (int)(b % 3) - (b == 255);
        c->group[i] = (int)(b / 3 % 4);
        c->train[i] = (b & 64) != 0;
        c->test[i] = (b & 32) != 0;
    }
    for (size_t i = 0; i < P * PIXELS; i++)
        c->V[i] = fuzz_real(&c->in);
    c->samples = (spd_samples){.size = sizeof c->samples,
                               .p = c->p,
                               .n = c->n,
                               .X = how & 128 ? NULL : c->X,
                               .height = 2,
                               .width = PIXELS / 2,
                               .V = how & 64 ? NULL : c->V,
                               .classes = 3,
                               .label = c->label};
    if (how & 32) /* vectors are needed for two classifiers only */
        for (size_t i = 0; i < P * PIXELS; i++)
            c->V[i] = (double)(i * 7 % 11) / 11.0;
}

static void draw_fit(call *c)
{
    spd_fit_options *o = &c->fit;
    spd_fit_defaults(o, sizeof *o);
    o->m = fuzz_below(&c->in, N + 1);
    o->metric = (spd_metric)fuzz_below(&c->in, SPD_METRICS + 1);
    o->learning = (spd_learning)fuzz_below(&c->in, SPD_LEARNING_OWN_GRAPH + 2);
    o->objective = (spd_objective)fuzz_below(&c->in, SPD_OBJECTIVE_SOFTMAX + 2);
    o->nu_w = fuzz_below(&c->in, P + 2);
    o->nu_b = fuzz_below(&c->in, P + 2);
    o->init = (spd_init)fuzz_below(&c->in, SPD_INIT_STEIN + 2);
    o->restarts = (int)fuzz_below(&c->in, 4) - 1;
    o->seed = fuzz_number(&c->in, 1);
    o->solver = (spd_solver)fuzz_below(&c->in, SPD_SOLVER_LBFGS + 2);
    o->max_iter = (int)fuzz_below(&c->in, 6) - 1;
    o->tol = fuzz_byte(&c->in) & 1 ? 1e-5 : fuzz_real(&c->in);
    o->W = c->W;
    for (size_t i = 0; i < N * N; i++)
        c->W[i] = fuzz_real(&c->in);
    o->pairs = o->learning == SPD_LEARNING_OWN_GRAPH ? fuzz_below(&c->in, P) : 0;
    o->own_pairs = o->pairs ? c->pairs : NULL;
    for (size_t k = 0; k < o->pairs; k++)
        c->pairs[k] = (spd_pair){fuzz_byte(&c->in) % (P + 1), fuzz_byte(&c->in) % (P + 1),
                                 fuzz_real(&c->in), fuzz_real(&c->in)};
}

/* A method, with a few values fixed. */
static void draw_method(call *c, spd_method *method)
{
    *method = (spd_method)SPD_STRUCT(spd_method);
    method->classifier = (spd_classifier_kind)fuzz_below(&c->in, SPD_CLASSIFIERS + 1);
    method->map = (spd_map)fuzz_below(&c->in, SPD_MAPS + 1);
    method->metric = (spd_metric)fuzz_below(&c->in, SPD_METRICS + 1);
    for (size_t i = 0; i < SPD_MAX_PARAMETERS; i++)
        method->value[i] = (double)NAN;
    for (unsigned k = fuzz_byte(&c->in) % 4; k; k--)
        method->value[fuzz_below(&c->in, SPD_PARAMETERS)] = fuzz_real(&c->in);
    method->fit = &c->fit;
}

/* ---- the functions --------------------------------------------------------------------------- */

static void do_fit(call *c)
{
    spd_model *model = NULL;
    spd_status status = spd_fit(c->ctx, SPD_SET(c->n, c->p, c->X),
                                fuzz_byte(&c->in) & 1 ? c->label : NULL, &c->fit, NULL, &model);
    fuzz_check(c->ctx, status, model);
    for (size_t i = 0; model && i < model->n * model->m; i++)
        if (!isfinite(model->W[i]))
            abort();
    spd_model_free(model);
}

static void do_affinity(call *c)
{
    spd_pair *pairs = NULL;
    size_t count = 0;
    spd_status status =
        spd_affinity(c->ctx, SPD_SET(c->n, c->p, c->X), c->label, &c->fit, &pairs, &count);
    fuzz_check_message(c->ctx, status);
    for (size_t k = 0; k < count; k++)
        if (pairs[k].i >= pairs[k].j || pairs[k].j >= c->p)
            abort();
    spd_pairs_free(pairs);
}

static void do_classify(call *c)
{
    spd_method method;
    spd_classifier *classifier = NULL;
    int label[P];
    draw_method(c, &method);
    spd_status status = spd_classifier_fit(c->ctx, &method, &c->samples, NULL, &classifier);
    fuzz_check(c->ctx, status, classifier);
    if (!classifier)
        return;
    spd_samples queries = c->samples;
    queries.label = NULL;
    queries.p = fuzz_below(&c->in, c->p + 1);
    status = spd_classifier_predict(c->ctx, classifier, &queries, label);
    fuzz_check_message(c->ctx, status);
    for (size_t i = 0; status >= 0 && i < queries.p; i++)
        if (label[i] < 0 || (size_t)label[i] >= queries.classes)
            abort();
    spd_classifier_free(classifier);
}

static void do_tune(call *c)
{
    spd_method method;
    spd_tune_info tuned = SPD_STRUCT(spd_tune_info);
    const double values[] = {fuzz_real(&c->in), 2.0};
    spd_grid grid = {0};
    const spd_tune_options tuning = {.size = sizeof tuning,
                                     .folds = (int)fuzz_below(&c->in, 5),
                                     .group = fuzz_byte(&c->in) & 1 ? c->group : NULL,
                                     .seed = 1,
                                     .grid = fuzz_byte(&c->in) & 1 ? &grid : NULL};
    draw_method(c, &method);
    size_t which = fuzz_below(&c->in, SPD_PARAMETERS);
    grid.count[which] = 2;
    grid.value[which] = values;
    fuzz_check_message(c->ctx, spd_tune(c->ctx, &method, &c->samples, &tuning, &tuned));
}

static void do_evaluate(call *c)
{
    spd_method first, second;
    const spd_method *const methods[] = {&first, &second};
    spd_evaluate_options options;
    spd_evaluation *evaluation = NULL;
    draw_method(c, &first);
    draw_method(c, &second);
    spd_evaluate_defaults(&options, sizeof options);
    options.methods = fuzz_below(&c->in, 3);
    options.method = methods;
    options.protocol = (spd_protocol)fuzz_below(&c->in, SPD_PROTOCOL_LEAVE_OUT + 2);
    options.repeats = fuzz_below(&c->in, 3);
    options.fraction = fuzz_byte(&c->in) & 1 ? 0.5 : fuzz_real(&c->in);
    options.per_class = fuzz_below(&c->in, 4);
    options.train = fuzz_byte(&c->in) & 1 ? c->train : NULL;
    options.test = fuzz_byte(&c->in) & 1 ? c->test : NULL;
    options.group = c->group;
    options.folds = (int)fuzz_below(&c->in, 4);
    options.fold_rule = (spd_fold_rule)fuzz_below(&c->in, SPD_FOLD_RULE_SINGLE + 2);
    options.fold_group = fuzz_byte(&c->in) & 1 ? c->group : NULL;
    spd_status status = spd_evaluate(c->ctx, &c->samples, &options, &evaluation);
    fuzz_check(c->ctx, status, evaluation);
    spd_evaluation_free(evaluation);
}

static void do_split(call *c)
{
    char train[P] = {0};
    size_t index[P];
    spd_samples *subset = NULL;
    int64_t confusion[9];
    spd_score score = SPD_STRUCT(spd_score);
    spd_mcnemar_result test = SPD_STRUCT(spd_mcnemar_result);
    fuzz_check_message(c->ctx, spd_split(c->ctx, c->p, c->label, fuzz_real(&c->in),
                                         fuzz_below(&c->in, 4), 1, 0, train));
    for (size_t i = 0; i < P; i++)
        index[i] = fuzz_below(&c->in, P + 1);
    spd_status status = spd_samples_subset(c->ctx, &c->samples, c->p, index, &subset);
    fuzz_check(c->ctx, status, subset);
    spd_samples_free(subset);
    fuzz_check_message(c->ctx, spd_score_predictions(c->ctx, c->p, fuzz_below(&c->in, 4), c->label,
                                                     c->group, &score, confusion));
    fuzz_check_message(c->ctx, spd_mcnemar(c->ctx, c->p, c->label, c->group, c->label, &test));
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    static void (*const functions[])(call *) = {do_fit,  do_classify, do_affinity, do_classify,
                                                do_tune, do_evaluate, do_split,    do_fit};
    static call c;
    c = (call){.ctx = fuzz_context(), .in = {bytes, size}};
    const long live = mem_live();
    size_t which = fuzz_below(&c.in, sizeof functions / sizeof *functions);
    draw_fit(&c);
    draw_samples(&c);
    functions[which](&c);
    if (mem_live() != live)
        abort();
    return 0;
}
