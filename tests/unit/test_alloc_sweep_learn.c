/* test_alloc_sweep_learn.c - every allocation of the functions that learn and judge fails once: the
 * call says so, leaks nothing and leaves its outputs alone. The sweep of geometry is in
 * test_alloc_sweep_geometry.c; those of files, graphs and fits are with their tests. */
#include "classify_steps.h"

#define N    5
#define P    12
#define ROOM (P * N * N)

typedef struct input {
    labelled_set set;
    spd_method method;
    spd_metric metric;          /* of the cost */
    const spd_fit_state *state; /* of a fit that is to be resumed */
} input;

/* out (ROOM) is filled when the call is good, and only then. */
typedef spd_status (*call)(spd_context *ctx, const input *in, double *out);

static spd_status call_recenter(spd_context *ctx, const input *in, double *out)
{
    return spd_recenter(ctx, SPD_METRIC_AIRM, N, P, in->set.X, in->set.label, out);
}

static spd_status call_split(spd_context *ctx, const input *in, double *out)
{
    char train[P] = {0};
    spd_status status = spd_split(ctx, P, in->set.label, 0.5, 0, 1, 0, train);
    for (size_t i = 0; i < P && status == SPD_OK; i++)
        out[i] = train[i];
    return status;
}

static spd_status call_cost(spd_context *ctx, const input *in, double *out)
{
    const spd_pair pair[] = {{0, 3, 1.0, 0.0}, {0, 1, 0.0, 1.0}};
    double W[N * 2] = {0};
    W[0] = W[3] = 1.0;
    spd_fit_options o = fit_defaults();
    o.metric = in->metric;
    o.m = 2;
    o.W = W;
    o.pairs = 2;
    o.own_pairs = pair;
    return spd_cost(ctx, SPD_SET(N, P, in->set.X), &o, out, out + 1);
}

static spd_status call_variance(spd_context *ctx, const input *in, double *out)
{
    OWN(spd_model) model = NULL;
    spd_fit_options o = fit_defaults();
    o.learning = SPD_LEARNING_VARIANCE;
    o.m = 2;
    o.max_iter = 2;
    spd_status status = spd_fit(ctx, SPD_SET(N, P, in->set.X), NULL, &o, NULL, &model);
    if (status >= 0)
        memcpy(out, model->W, N * 2 * sizeof *out);
    return status;
}

static void few_steps(spd_fit_options *o)
{
    spd_fit_defaults(o, sizeof *o);
    o->m = 2;
    o->max_iter = 2;
    o->restarts = 2;
}

static spd_status call_resume(spd_context *ctx, const input *in, double *out)
{
    OWN(spd_model) model = NULL;
    spd_fit_hooks watch = {.size = sizeof watch, .resume = in->state};
    spd_fit_options o;
    few_steps(&o);
    spd_status status = spd_fit(ctx, SPD_SET(N, P, in->set.X), in->set.label, &o, &watch, &model);
    if (status >= 0)
        memcpy(out, model->W, N * 2 * sizeof *out);
    return status;
}

static spd_status call_classify(spd_context *ctx, const input *in, double *out)
{
    OWN(spd_classifier) c = NULL;
    int label[P];
    spd_status status = spd_classifier_fit(ctx, &in->method, &in->set.samples, NULL, &c);
    if (status >= 0)
        status = spd_classifier_predict(ctx, c, &in->set.samples, label);
    for (size_t i = 0; i < P && status >= 0; i++)
        out[i] = label[i];
    return status;
}

static spd_evaluate_options judged_by(spd_protocol protocol, const spd_method *const *method)
{
    spd_evaluate_options o;
    spd_evaluate_defaults(&o, sizeof o);
    o.methods = 1;
    o.method = method;
    o.protocol = protocol;
    o.folds = 2;
    return o;
}

static spd_status call_groups(spd_context *ctx, const input *in, double *out)
{
    const spd_method *method = &in->method;
    int group[P];
    const int aligns = method->recenter != SPD_RECENTERING_NONE;
    for (size_t i = 0; i < P; i++) /* the last has one class: a remark */
        group[i] = i % 3 == 0 && i > 5 && !aligns ? 2 : (int)(i / 6);
    OWN(spd_evaluation) e = NULL;
    spd_evaluate_options o = judged_by(SPD_PROTOCOL_LEAVE_OUT, &method);
    o.group = group;
    o.calibration = aligns ? 0.5 : 0.0;
    spd_samples all = in->set.samples;
    all.group = group;
    spd_status status = spd_evaluate(ctx, &all, &o, &e);
    if (status >= 0)
        out[0] = e->method[0]->accuracy;
    return status;
}

static spd_status call_folds(spd_context *ctx, const input *in, double *out)
{
    const spd_method *method = &in->method;
    OWN(spd_evaluation) e = NULL;
    spd_evaluate_options o = judged_by(SPD_PROTOCOL_FOLDS, &method);
    o.outer_folds = 2;
    o.repeats = 1;
    o.auc = 1;
    spd_status status = spd_evaluate(ctx, &in->set.samples, &o, &e);
    if (status >= 0)
        out[0] = e->method[0]->auc;
    return status;
}

static spd_status call_tests(spd_context *ctx, const input *in, double *out)
{
    spd_wilcoxon_result result = SPD_STRUCT(spd_wilcoxon_result);
    spd_status status = spd_wilcoxon(ctx, P, in->set.X, in->set.X + P, &result);
    if (status >= 0)
        status = spd_holm(ctx, 1, &result.p_value, out);
    return status;
}

static void sweep(const char *name, call c, const input *in)
{
    SCOPE;
    double *out = block(ROOM);
    spd_context *ctx = context_on(1);
    for (sweep_state s = SWEEP(ctx, 1, out, ROOM * sizeof *out); sweep_on(&s);) {
        s.what = name;
        s.remarks = 1;
        s.status = c(ctx, in, out);
        CHECK(spd_context_error(ctx)->status == s.status, "%s says %s", name, said(ctx));
    }
}

TEST(functions)
{
    const struct {
        const char *name;
        call c;
    } calls[] = {{"recenter", call_recenter},
                 {"split", call_split},
                 {"maximal variance", call_variance},
                 {"tests", call_tests}};
    input in = {.set = labelled_random(5, N, P, 3, 0.4), .metric = SPD_METRIC_STEIN};
    sweep("Stein cost", call_cost, &in);
    in.metric = SPD_METRIC_LOG_EUCLIDEAN;
    sweep("log-Euclidean cost", call_cost, &in);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        sweep(calls[i].name, calls[i].c, &in);
}

/* From within a fit, whose state is valid there: at every iteration of both starts. */
static int resume_here(void *user, const spd_fit_state *state, const spd_fit_step *last,
                       int iteration)
{
    (void)last;
    (void)iteration;
    input *in = user;
    in->state = state;
    sweep("resume", call_resume, in);
    return 0;
}

TEST(resumed)
{
    input in = {.set = labelled_random(5, N, P, 3, 0.4)};
    spd_fit_hooks watch = {.size = sizeof watch, .after = resume_here, .user = &in};
    OWN(spd_model) model = NULL;
    spd_fit_options o;
    few_steps(&o);
    CHECK(spd_fit(NULL, SPD_SET(N, P, in.set.X), in.set.label, &o, &watch, &model) >= 0 && in.state,
          "fit");
}

/* pga: more dimensions than samples, so its axes come from the dual problem; the rest for the maps
 * and steps that no other sweep goes through. */
TEST(classifiers)
{
    const char *const names[] = {"pga",          "ts-lda",     "pca-nn-stein", "nn-airm-csp",
                                 "nn-airm-mean", "rsr-random", "cdl-lda",      "mdm-stein"};
    input in = {.set = labelled_random(5, N, P, 3, 0.4)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        in.method = method_of(names[i]);
        sweep(names[i], call_classify, &in);
    }
    in.method = method_of("knn-stein");
    sweep("leave groups out", call_groups, &in);
    sweep("folds", call_folds, &in);
    in.method.normalize = SPD_NORMALIZATION_DETERMINANT;
    in.method.recenter = SPD_RECENTERING_GROUPS;
    sweep("recentre groups", call_groups, &in);
    sweep("recentre", call_classify, &in);
}
