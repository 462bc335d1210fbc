/* test_evaluate_run.c - protocols, rounds and results of spd_evaluate against the single calls that
 * it is made of; parts of sets of samples. */
#include "classify_steps.h"

#define N       4
#define P       24
#define METHODS 3

static const char *const names[METHODS] = {"nn-airm", "knn-stein-ml", "nn-stein-ml"};

typedef struct setup {
    labelled_set set;
    spd_method method[METHODS];
    const spd_method *method_at[METHODS];
    spd_fit_options fit;
    spd_grid grid;
    spd_evaluate_options options;
} setup;

static const double sizes[] = {2, 3}, nu_b[] = {1, 2}, k[] = {1, 3};

static void set_up(setup *s, size_t p, size_t classes)
{
    *s = (setup){.set = labelled_random(3, N, p, classes, 0.5)};
    spd_fit_defaults(&s->fit, sizeof s->fit);
    s->fit.max_iter = 5;
    s->grid.count[SPD_PARAMETER_M] = s->grid.count[SPD_PARAMETER_NU_B] =
        s->grid.count[SPD_PARAMETER_K] = 2;
    s->grid.value[SPD_PARAMETER_M] = sizes;
    s->grid.value[SPD_PARAMETER_NU_B] = nu_b;
    s->grid.value[SPD_PARAMETER_K] = k;
    spd_evaluate_defaults(&s->options, sizeof s->options);
    for (size_t m = 0; m < METHODS; m++) {
        s->method[m] = (spd_method)SPD_STRUCT(spd_method);
        CHECK(spd_method_parse(NULL, names[m], &s->method[m]) == SPD_OK, "%s", names[m]);
        s->method[m].fit = &s->fit;
        s->method_at[m] = &s->method[m];
    }
    s->options.methods = METHODS;
    s->options.method = s->method_at;
    s->options.grid = &s->grid;
    s->options.folds = 3;
}

static spd_evaluation *run(const setup *s)
{
    spd_evaluation *e = NULL;
    spd_context *ctx = context_on(0);
    spd_status status = spd_evaluate(ctx, &s->set.samples, &s->options, &e);
    CHECK(status == SPD_OK && e, "%d, %s", status, said(ctx));
    return OWNED(spd_evaluation, e);
}

TEST(parts_of_samples)
{
    labelled_set set = labelled_random(1, N, P, 3, 0.4);
    const size_t index[] = {7, 0, 23, 7};
    double V[P * 6];
    spd_samples all = set.samples, *part = NULL;
    long live = mem_live();
    for (size_t e = 0; e < P * 6; e++)
        V[e] = (double)e;
    all.V = V;
    all.height = 2;
    all.width = 3;
    CHECK(spd_samples_subset(NULL, &all, 4, index, &part) == SPD_OK, " ");
    CHECK(part->p == 4 && part->n == N && part->classes == 3 && part->height == 2, "shape");
    for (size_t i = 0; i < 4; i++) {
        CHECK(memcmp(part->X + i * N * N, all.X + index[i] * N * N, N * N * sizeof *V) == 0,
              "matrix %zu", i);
        CHECK(memcmp(part->V + i * 6, V + index[i] * 6, 6 * sizeof *V) == 0, "vector %zu", i);
        CHECK(part->label[i] == all.label[index[i]], "label %zu", i);
    }
    spd_samples_free(part);
    all.X = NULL;
    all.label = NULL;
    CHECK(spd_samples_subset(NULL, &all, 1, index, &part) == SPD_OK, " ");
    CHECK(!part->X && !part->label && part->V, "only what there is");
    spd_samples_free(part);
    spd_samples_free(NULL);
    const size_t beyond = P;
    part = NULL;
    CHECK(spd_samples_subset(NULL, &all, 1, &beyond, &part) == SPD_EINVAL && !part, "beyond");
    CHECK(spd_samples_subset(NULL, &all, 0, index, &part) == SPD_EINVAL && !part, "none");
    all.size = 0;
    CHECK(spd_samples_subset(NULL, &all, 1, index, &part) == SPD_EINVAL && !part, "no size");
    CHECK(mem_live() == live, "leak");
}

/* One method in one round: spd_tune, spd_classifier_fit, spd_classifier_predict. */
static void twin_round(const setup *s, const spd_round *round, size_t m, const spd_outcome *o)
{
    spd_samples *train = NULL, *test = NULL;
    OWN(spd_classifier) c = NULL;
    spd_method method = s->method[m];
    spd_tune_options tuning = {
        .size = sizeof tuning, .folds = 3, .seed = s->options.seed, .grid = &s->grid};
    spd_tune_info tuned = SPD_STRUCT(spd_tune_info);
    spd_score score = SPD_STRUCT(spd_score);
    int label[P];
    spd_samples_subset(NULL, &s->set.samples, round->train_count, round->train, &train);
    spd_samples_subset(NULL, &s->set.samples, round->test_count, round->test, &test);
    CHECK(spd_tune(NULL, &method, train, &tuning, &tuned) == SPD_OK, "%s", names[m]);
    CHECK(spd_classifier_fit(NULL, &method, train, NULL, &c) >= 0, "%s", names[m]);
    CHECK(spd_classifier_predict(NULL, c, test, label) >= 0, "%s", names[m]);
    CHECK(memcmp(label, o->predicted, test->p * sizeof *label) == 0, "%s: predictions", names[m]);
    CHECK(memcmp(o->value, spd_classifier_method(c)->value, sizeof o->value) == 0, "%s: values",
          names[m]);
    CHECK(o->settings == tuned.settings && o->folds == tuned.folds, "%s: tuning", names[m]);
    CHECK(isnan(tuned.accuracy) ? isnan(o->cv_accuracy) : o->cv_accuracy == tuned.accuracy, "%s",
          names[m]);
    spd_score_predictions(NULL, test->p, 3, test->label, label, &score, NULL);
    CHECK(o->correct == score.correct && o->accuracy == score.accuracy &&
              o->balanced == score.balanced,
          "%s: score", names[m]);
    const spd_model *model = spd_classifier_model(c);
    CHECK((model != NULL) == (m > 0), "%s: a map", names[m]);
    if (o->model)
        CHECK(memcmp(o->model->W, model->W, N * model->m * sizeof(double)) == 0, "%s: W", names[m]);
    spd_samples_free(train);
    spd_samples_free(test);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A score in the table of fields: its mean and deviation are where the table says. */
static void check_field(const spd_method_result *mine, const spd_result_field *f)
{
    double mean = 0.0, squares = 0.0, value[3], found[2];
    for (size_t r = 0; r < 3; r++) {
        memcpy(&value[r], (const char *)mine->outcome[r] + f->outcome, sizeof *value);
        mean += value[r] / 3;
    }
    for (size_t r = 0; r < 3; r++)
        squares += pow(value[r] - mean, 2);
    memcpy(&found[0], (const char *)mine + f->mean, sizeof *found);
    memcpy(&found[1], (const char *)mine + f->deviation, sizeof *found);
    if (isnan(mean))
        CHECK(isnan(found[0]) && isnan(found[1]), "no %s of %s", f->name, mine->name);
    else
        CHECK(fabs(found[0] - mean) < 1e-14 && fabs(found[1] - sqrt(squares / 2)) < 1e-14,
              "%s of %s", f->name, mine->name);
}

/* Deviation, confusion and the median of McNemar's tests, from the outcomes. */
static void twin_summary(const setup *s, const spd_evaluation *e, size_t m)
{
    double p[3], mean = 0.0, squares = 0.0;
    int64_t confusion[9] = {0};
    const spd_method_result *mine = e->method[m], *first = e->method[0];
    for (size_t r = 0; r < 3; r++) {
        int truth[P];
        spd_mcnemar_result test = SPD_STRUCT(spd_mcnemar_result);
        const spd_round *round = e->round[r];
        for (size_t i = 0; i < round->test_count; i++) {
            truth[i] = s->set.label[round->test[i]];
            confusion[3 * truth[i] + mine->outcome[r]->predicted[i]]++;
        }
        spd_mcnemar(NULL, round->test_count, truth, first->outcome[r]->predicted,
                    mine->outcome[r]->predicted, &test);
        p[r] = test.p_value;
        mean += mine->outcome[r]->accuracy / 3;
    }
    for (size_t r = 0; r < 3; r++)
        squares += pow(mine->outcome[r]->accuracy - mean, 2);
    CHECK_CLOSE(mine->accuracy, mean, 1e-14, "mean of %s", mine->name);
    CHECK_CLOSE(mine->accuracy_deviation, sqrt(squares / 2), 1e-14, "deviation of %s", mine->name);
    for (size_t i = 0; i < SPD_RESULT_SCORES; i++)
        check_field(mine, spd_result_field_at(i));
    CHECK(memcmp(confusion, mine->confusion, sizeof confusion) == 0, "confusion of %s", mine->name);
    qsort(p, 3, sizeof *p, ascending);
    CHECK(mine->p_value[0] == p[1] && first->p_value[m] == p[1], "test of %s", mine->name);
}

TEST(splits)
{
    setup s;
    set_up(&s, P, 3);
    s.options.repeats = 3;
    s.options.seed = 11;
    spd_evaluation *e = run(&s);
    CHECK(e->rounds == 3 && e->methods == METHODS && e->classes == 3 && e->repeats_samples, " ");
    for (size_t r = 0; r < 3; r++) {
        char train[P];
        size_t trains = 0, tests = 0;
        spd_split(NULL, P, s.set.label, 0.5, 0, 11, r, train);
        for (size_t i = 0; i < P; i++)
            if (train[i])
                CHECK(e->round[r]->train[trains++] == i, "round %zu, sample %zu", r, i);
            else
                CHECK(e->round[r]->test[tests++] == i, "round %zu, sample %zu", r, i);
        CHECK(trains == e->round[r]->train_count && tests == e->round[r]->test_count, " ");
        for (size_t m = 0; m < METHODS; m++) {
            twin_round(&s, e->round[r], m, e->method[m]->outcome[r]);
            CHECK((e->method[m]->outcome[r]->model != NULL) == (r == 0 && m > 0), "model");
        }
    }
    for (size_t m = 0; m < METHODS; m++)
        twin_summary(&s, e, m);
    CHECK(e->least_folds == 3 && e->most_folds == 3 && !e->folds_grouped, "folds");
}

/* Numbers of groups may have gaps; rounds go up. */
TEST(leaving_out)
{
    setup s;
    int group[P];
    set_up(&s, P, 3);
    for (size_t i = 0; i < P; i++)
        group[i] = i % 4 == 0 ? 9 : i % 4 == 3 ? 2 : 5;
    s.options.protocol = SPD_PROTOCOL_LEAVE_OUT;
    s.options.group = group;
    spd_evaluation *e = run(&s);
    CHECK(e->rounds == 3 && !e->repeats_samples && e->folds_grouped, "%zu rounds", e->rounds);
    const int order[] = {2, 5, 9};
    for (size_t r = 0; r < 3; r++) {
        const spd_round *round = e->round[r];
        CHECK(round->group == order[r], "round %zu leaves %d out", r, round->group);
        CHECK(round->train_count + round->test_count == P, "round %zu", r);
        for (size_t i = 0; i < round->test_count; i++)
            CHECK(group[round->test[i]] == order[r], "round %zu, test %zu", r, i);
        CHECK(e->method[1]->outcome[r]->folds == 2, "a fold for each group that is left");
    }
    s.options.fold_rule = SPD_FOLD_RULE_SINGLE;
    e = run(&s);
    CHECK(!e->folds_grouped && e->method[1]->outcome[0]->folds == 3, "single");
    /* A class is of one group: folds by group would test what they have not seen. */
    s.options.fold_rule = SPD_FOLD_RULE_IF_SHARED;
    s.options.fold_group = s.set.label;
    e = run(&s);
    CHECK(!e->folds_grouped, "not shared");
}

/* Every sample is tested once each time, classes in proportion; groups stay whole. */
TEST(folds)
{
    setup s;
    int group[P];
    set_up(&s, P, 3);
    s.options.protocol = SPD_PROTOCOL_FOLDS;
    s.options.outer_folds = 4;
    s.options.repeats = 2;
    s.options.auc = 1;
    spd_evaluation *e = run(&s);
    CHECK(e->rounds == 8 && e->repeats_samples && !e->folds_grouped, "%zu rounds", e->rounds);
    for (size_t deal = 0; deal < 2; deal++) {
        int tested[P] = {0};
        for (size_t r = 4 * deal; r < 4 * deal + 4; r++) {
            size_t size[3] = {0};
            for (size_t i = 0; i < e->round[r]->test_count; i++) {
                tested[e->round[r]->test[i]]++;
                size[s.set.label[e->round[r]->test[i]]]++;
            }
            CHECK(e->round[r]->train_count + e->round[r]->test_count == P, "round %zu", r);
            for (size_t c = 0; c < 3; c++)
                CHECK(size[c] >= P / 12 && size[c] <= P / 12 + 1, "round %zu: %zu", r, size[c]);
            for (size_t m = 0; m < METHODS; m++)
                CHECK(e->method[m]->outcome[r]->auc >= 0.0 && e->method[m]->outcome[r]->auc <= 1.0,
                      "area %g", e->method[m]->outcome[r]->auc);
        }
        for (size_t i = 0; i < P; i++)
            CHECK(tested[i] == 1, "sample %zu is tested %d times", i, tested[i]);
    }
    CHECK(e->round[0]->test_count != e->round[4]->test_count ||
              memcmp(e->round[0]->test, e->round[4]->test,
                     e->round[0]->test_count * sizeof *e->round[0]->test) != 0,
          "dealt anew");
    for (size_t i = 0; i < P; i++)
        group[i] = (int)(i % 5);
    s.options.group = group;
    s.options.repeats = 1;
    s.options.auc = 0;
    e = run(&s);
    CHECK(e->rounds == 4 && !e->repeats_samples && e->folds_grouped, "%zu rounds", e->rounds);
    CHECK(isnan(e->method[0]->auc) && isnan(e->method[0]->outcome[0]->auc), "no areas");
    for (size_t r = 0; r < 4; r++)
        for (size_t i = 0; i < e->round[r]->train_count; i++)
            for (size_t j = 0; j < e->round[r]->test_count; j++)
                CHECK(group[e->round[r]->train[i]] != group[e->round[r]->test[j]], "torn");
    e = NULL;
    s.options.outer_folds = 6;
    CHECK(spd_evaluate(NULL, &s.set.samples, &s.options, &e) == SPD_EINVAL, "five groups");
    s.options.group = NULL;
    s.options.outer_folds = P + 1;
    CHECK(spd_evaluate(NULL, &s.set.samples, &s.options, &e) == SPD_EINVAL, "too many");
    s.options.outer_folds = 1;
    CHECK(spd_evaluate(NULL, &s.set.samples, &s.options, &e) == SPD_EINVAL && !e, "too few");
}

TEST(naming)
{
    setup s;
    char train[P] = {0}, test[P] = {0};
    set_up(&s, P, 3);
    for (size_t i = 0; i < P; i++) {
        train[i] = i < 14;
        test[i] = i >= 18;
    }
    s.options.protocol = SPD_PROTOCOL_GIVEN;
    s.options.train = train;
    s.options.test = test;
    spd_evaluation *e = run(&s);
    CHECK(e->rounds == 1 && e->round[0]->train_count == 14 && e->round[0]->test_count == 6, " ");
    CHECK(e->round[0]->group == -1 && e->round[0]->test[0] == 18, " ");
    CHECK(e->method[0]->accuracy_deviation == 0.0, "one round");
    for (size_t m = 0; m < METHODS; m++)
        twin_round(&s, e->round[0], m, e->method[m]->outcome[0]);
    s.options.train = NULL;
    e = run(&s);
    CHECK(e->round[0]->train_count == 18 && e->round[0]->test_count == 6, "what the tests leave");
}

TEST(remarks)
{
    setup s;
    char test[P] = {0};
    set_up(&s, P, 3);
    s.options.methods = 1;
    s.options.repeats = 2;
    s.set.label[5] = 3;
    s.set.samples.classes = 4;
    spd_evaluation *e = run(&s);
    CHECK(e->remarks == 1 && e->remark[0]->kind == SPD_REMARK_SINGLES, "%zu remarks", e->remarks);
    CHECK(e->remark[0]->count == 1 && e->remark[0]->label == 3, "class %d", e->remark[0]->label);
    s.options.protocol = SPD_PROTOCOL_GIVEN;
    s.options.test = test;
    test[5] = 1;
    e = run(&s);
    CHECK(e->remarks == 2 && e->remark[0]->kind == SPD_REMARK_ONE_CLASS, "%zu", e->remarks);
    CHECK(e->remark[1]->kind == SPD_REMARK_UNSEEN && e->remark[1]->count == 1 &&
              e->remark[1]->total == 1 && e->remark[1]->label == 3,
          "unseen");
    s.options.protocol = SPD_PROTOCOL_LEAVE_OUT;
    int group[P];
    for (size_t i = 0; i < P; i++)
        group[i] = i == 6 || i == 9 ? 1 : i % 2 ? 2 : 0; /* both of class 0 */
    s.options.group = group;
    e = run(&s);
    CHECK(e->remarks == 2 && e->remark[0]->kind == SPD_REMARK_POOR_ROUNDS &&
              e->remark[0]->round == 1 && e->remark[0]->label == 0 && e->remark[0]->total == 3,
          "%zu remarks, the first of kind %d", e->remarks, (int)e->remark[0]->kind);
    CHECK(e->remark[1]->kind == SPD_REMARK_UNSEEN && e->remark[1]->round == 2, "unseen");
}

typedef struct witness {
    size_t calls, stop_at; /* 0: never */
    size_t round[12], method[12];
} witness;

static int watch(void *user, const spd_evaluation *so_far, size_t round, size_t method)
{
    witness *w = user;
    if (method != SPD_NO_INDEX)
        CHECK(so_far->method[method]->outcome[round]->settings > 0, "an outcome is there");
    w->round[w->calls] = round;
    w->method[w->calls++] = method;
    return w->calls == w->stop_at;
}

TEST(told_and_cancelled)
{
    setup s;
    witness w = {0};
    set_up(&s, P, 3);
    s.options.repeats = 2;
    s.options.after = watch;
    s.options.user = &w;
    spd_evaluation *e = run(&s);
    CHECK(w.calls == 2 * (METHODS + 1), "%zu calls", w.calls);
    for (size_t c = 0; c < w.calls; c++) {
        size_t at = c % (METHODS + 1);
        CHECK(w.round[c] == c / (METHODS + 1) && w.method[c] == (at ? at - 1 : SPD_NO_INDEX),
              "call %zu", c);
    }
    long live = mem_live();
    for (size_t stop = 1; stop <= 2 * (METHODS + 1); stop++) {
        w = (witness){.stop_at = stop};
        e = NULL;
        CHECK(spd_evaluate(NULL, &s.set.samples, &s.options, &e) == SPD_ECANCELLED && !e,
              "stop at %zu", stop);
        CHECK(w.calls == stop && mem_live() == live, "stop at %zu: a leak or a call too many",
              stop);
    }
}

static void refuse(const setup *s, const char *words)
{
    spd_evaluation *e = NULL;
    spd_context *ctx = context_on(0);
    long live = mem_live();
    CHECK(spd_evaluate(ctx, &s->set.samples, &s->options, &e) == SPD_EINVAL && !e, "%s", words);
    CHECK(strstr(said(ctx), words), "%s, not %s", said(ctx), words);
    CHECK(mem_live() == live, "%s: leak", words);
}

TEST(refusals)
{
    setup s;
    char flag[P] = {1, 1};
    int group[P] = {0};
    set_up(&s, P, 3);
    spd_evaluate_options usual = s.options;
    s.options.size = 0;
    refuse(&s, "size");
    s.options = usual;
    s.options.methods = 0;
    refuse(&s, "no methods");
    s.options = usual;
    s.options.repeats = 0;
    refuse(&s, "at least one");
    s.options = usual;
    s.options.fraction = 1.0;
    refuse(&s, "fraction");
    s.options = usual;
    s.options.folds = 1;
    refuse(&s, "nn-airm: 1 folds");
    s.options = usual;
    s.options.protocol = SPD_PROTOCOL_GIVEN;
    refuse(&s, "no samples are named");
    s.options.train = s.options.test = flag;
    refuse(&s, "2 samples train and are tested, the first is number 0");
    memset(flag, 1, sizeof flag);
    s.options.test = NULL;
    refuse(&s, "nothing is left to test");
    s.options = usual;
    s.options.protocol = SPD_PROTOCOL_LEAVE_OUT;
    refuse(&s, "no groups");
    s.options.group = group;
    refuse(&s, "one group");
    group[3] = -1;
    refuse(&s, "1 samples are in no group");
    s.options = usual;
    s.set.label[4] = 3;
    refuse(&s, "sample 4 has class 3");
    s.set.samples.label = NULL;
    refuse(&s, "no labels");
}

/* Every allocation fails once: SPD_ENOMEM, no leak, no result. */
TEST(allocation_sweep)
{
    setup s;
    set_up(&s, 12, 2);
    s.options.repeats = 1;
    s.fit.max_iter = 1;
    s.grid.count[SPD_PARAMETER_M] = s.grid.count[SPD_PARAMETER_NU_B] = 1;
    spd_context *ctx = context_on(1);
    for (sweep_state w = SWEEP(ctx, 99, NULL, 0); sweep_on(&w);) {
        OWN(spd_evaluation) e = NULL;
        w.status = spd_evaluate(ctx, &s.set.samples, &s.options, &e);
        CHECK_MADE(w, e);
        CHECK(spd_context_error(ctx)->status == w.status, "allocation %ld", w.k);
    }
}
