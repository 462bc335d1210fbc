/* test_callers_each.c - every public function of both headers, called by eight threads at once,
 * each with a context and a number of threads of its own: the results equal those of one caller
 * alone, bit for bit. A job calls a few functions and adds what they answer to a trace; traces are
 * compared.
 *
 * The headers are read to see that no function is left out: each must be called by a job below. */
#define _XOPEN_SOURCE 700 /* nftw */
#include <ctype.h>
#include <ftw.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "random_spd.h"
#include "test.h"

enum { CALLERS = 8, CALLS = 2, N = 6, M = 2, P = 18, CLASSES = 3, SIDE = 24 };

/* What all callers share and only read. */
static double *X, *W;
static int label[P];

/* One caller: its context, a folder for its files, and all that its calls have answered so far. */
typedef struct caller {
    spd_context *ctx;
    char folder[32];
    uint64_t trace;
    int failed;
} caller;

/* ---- the trace ------------------------------------------------------------------------------- */

/* FNV-1a over the bytes. */
static void add(caller *c, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++)
        c->trace = (c->trace ^ b[i]) * UINT64_C(1099511628211);
}

static void add_reals(caller *c, size_t count, const double *x)
{
    add(c, x, count * sizeof *x);
}

static void add_number(caller *c, double x)
{
    add_reals(c, 1, &x);
}

static void add_text(caller *c, const char *text)
{
    add(c, text ? text : "(null)", text ? strlen(text) + 1 : 7);
}

/* A status, which must be no failure, and its remark. */
static void good(caller *c, spd_status status)
{
    add_number(c, status);
    c->failed += status < 0;
    if (status < 0)
        printf("    %s\n", said(c->ctx));
}

static const char *in_folder(const caller *c, const char *name, char *path)
{
    snprintf(path, 100, "%s/%s", c->folder, name);
    return path;
}

/* ---- jobs: context, names -------------------------------------------------------------------- */

static int count_reports(void *user, const spd_progress *progress)
{
    ++*(int *)user;
    return !progress->task || !progress->unit;
}

static void job_context(caller *c)
{
    double D2[P * P], bad[4] = {1.0, 0.0, 0.0, -1.0};
    int reports = 0;
    spd_context *own = spd_context_new();
    spd_context_set_threads(own, 2);
    add_number(c, spd_context_threads(own));
    spd_context_set_progress(own, count_reports, &reports);
    good(c, spd_pairwise2(own, SPD_METRIC_STEIN, SPD_SET(N, P, X), NULL, D2));
    add_reals(c, P * P, D2);
    add_number(c, spd_check(own, SPD_SET(2, 1, bad), 0.0));
    add_text(c, spd_context_error(own)->message);
    spd_context_set_progress(own, NULL, NULL);
    char device[100];
    spd_engine engine = (spd_engine)spd_parse(own, SPD_ENUM_ENGINE, "auto");
    add_text(c, spd_name(SPD_ENUM_ENGINE, engine));
    spd_context_set_engine(own, engine); /* the work is too small for a GPU */
    good(c, spd_engine_device(own, SPD_ENGINE_CPU, sizeof device, device));
    add_text(c, spd_context_engine_info(own));
    add_number(c, (double)spd_context_device_calls(own));
    add_text(c, device);
    int64_t index;
    /* of sets that are empty no GPU is asked */
    add_number(c, spd_check(own, THERE(N, 0, X), 0.0));
    add_text(c, said(own));
    add_number(c, spd_apply(own, SPD_FUNCTION_LOG, 0.0, THERE(N, 0, X), D2));
    add_number(c, spd_pairwise2(own, SPD_METRIC_STEIN, THERE(N, 0, X), NULL, D2));
    add_number(c, spd_mean(own, SPD_METRIC_STEIN, THERE(N, 0, X), NULL, D2, NULL));
    add_number(c,
               spd_nearest(own, SPD_METRIC_STEIN, THERE(N, 0, X), NULL, 1, NULL, &index, D2, NULL));
    add_number(c, spd_kernel(NULL, SPD_KERNEL_STEIN, 1.0, THERE(N, 0, X), NULL, D2));
    add_number(c, spd_congruence(own, THERE(N, 0, X), M, W, D2));
    add_number(c, spd_fit(NULL, THERE(N, 0, X), label, NULL, NULL, NULL));
    spd_ranks about = SPD_STRUCT(spd_ranks); /* of a process alone: a job has one caller */
    spd_ranks_info(own, &about);
    add_text(c, about.ranks == 1 && spd_ranks_any(own, 1) && spd_ranks_join(NULL) < 0 &&
                        spd_ranks_library(own, 0, NULL) < 0
                    ? "alone"
                    : "");
    spd_ranks_pause(own, 1);
    spd_ranks_stop(own, 1);
    spd_context_free(own);
    add_text(c, spd_version());
    add_text(c, spd_isa_name());
    good(c, spd_isa_check(c->ctx));
    for (int status = SPD_EDEVICE; status <= SPD_NOT_DEFINITE; status++)
        add_text(c, spd_status_text((spd_status)status));
}

static void job_libraries(caller *c)
{
    spd_library row = SPD_STRUCT(spd_library);
    for (size_t i = 0; spd_library_at(i, &row); i++)
        add(c, &row, sizeof row);
    for (size_t i = 0; spd_data_library_at(i, &row); i++)
        add(c, &row, sizeof row);
    for (size_t i = 0; spd_result_field_at(i); i++)
        add_text(c, spd_result_field_at(i)->name);
}

/* All words of all enumerations, there and back, and the message for one that they do not have. */
static void job_words(caller *c)
{
    for (unsigned of = 0; of < SPD_ENUMS; of++) {
        for (unsigned i = 0; spd_name((spd_enum)of, i); i++) {
            add_text(c, spd_name((spd_enum)of, i));
            add_number(c, spd_parse(c->ctx, (spd_enum)of, spd_name((spd_enum)of, i)));
        }
        add_number(c, spd_parse(c->ctx, (spd_enum)of, "nonsens"));
        add_text(c, said(c->ctx));
    }
}

/* ---- jobs: linear algebra and geometry ------------------------------------------------------- */

static void job_algebra(caller *c)
{
    enum { ALL = P * N * N };
    double *A = copy_of(ALL, X), *B = block(ALL), lambda[P * N];
    good(c, spd_check(c->ctx, SPD_SET(N, P, X), 0.0));
    spd_symmetrize(N, P, A);
    spd_complex_extract(N / 2, N / 2, P, A, B);
    spd_complex_embed(N / 2, N / 2, P, B, A);
    add_reals(c, P * (N / 2 * 2) * (N / 2 * 2), A);
    memcpy(A, X, ALL * sizeof *A);
    spd_regularize(N, P, A, 1e-3, 1e-6);
    add_reals(c, ALL, A);
    good(c, spd_cholesky(c->ctx, SPD_SET(N, P, X), B));
    add_reals(c, ALL, B);
    good(c, spd_logdet(c->ctx, SPD_SET(N, P, X), lambda));
    add_reals(c, P, lambda);
    good(c, spd_inverse(c->ctx, SPD_SET(N, P, X), B));
    add_reals(c, ALL, B);
    good(c, spd_eigh(c->ctx, SPD_SET(N, P, X), lambda, B));
    add_reals(c, P * N, lambda);
    add_reals(c, ALL, B);
    good(c, spd_eigh_general(c->ctx, SPD_SET(N, P, X), SPD_SET(N, P, A), lambda, B));
    add_reals(c, P * N, lambda);
    add_reals(c, ALL, B);
    good(c, spd_congruence(c->ctx, SPD_SET(N, P, X), M, W, B));
    add_reals(c, P * M * M, B);
}

static void add_metric(caller *c, spd_metric metric)
{
    double D2[P * P], d2, G[N * N];
    int64_t index[P * 3];
    spd_mean_info info = SPD_STRUCT(spd_mean_info);
    good(c, spd_distance2(c->ctx, metric, N, X, X + N * N, &d2));
    add_number(c, d2);
    good(c, spd_pairwise2(c->ctx, metric, SPD_SET(N, P, X), NULL, D2));
    add_reals(c, P * P, D2);
    const spd_nearest_options how = {.size = sizeof how, .search = SPD_SEARCH_APPROXIMATE};
    good(c, spd_nearest(c->ctx, metric, SPD_SET(N, P, X), NULL, 3, &how, index, D2, NULL));
    add(c, index, sizeof index);
    good(c, spd_nearest(c->ctx, metric, SPD_SET(N, P, X), NULL, 3, NULL, index, D2, NULL));
    add(c, index, sizeof index);
    add_reals(c, P * 3, D2);
    good(c, spd_mean(c->ctx, metric, SPD_SET(N, P, X), NULL, G, &info));
    add_reals(c, N * N, G);
    add_number(c, info.iterations);
    good(c, spd_geodesic(c->ctx, metric, N, X, X + N * N, 0.3, G));
    add_reals(c, N * N, G);
    const double t = 0.3;
    good(c, spd_geodesics(c->ctx, metric, SPD_SET(N, 1, X), SPD_SET(N, 1, X + N * N), 1, &t, G));
    add_reals(c, N * N, G);
}

static void job_metrics(caller *c)
{
    for (int metric = 0; metric < SPD_METRICS; metric++)
        add_metric(c, (spd_metric)metric);
}

static void add_derivatives(caller *c)
{
    const uint32_t pairs[4] = {0, 1, 2, 3};
    const double weight[2] = {1.0, -2.0};
    double *F = block(P * N * N), *G = block(N * M), *s = block(spd_spectrum_size(N, P)), d2[2];
    good(c, spd_apply_spectrum(c->ctx, SPD_FUNCTION_LOG, 0.0, SPD_SET(N, P, X), F, s));
    good(c, spd_apply_derivative(c->ctx, SPD_FUNCTION_LOG, 0.0, s, SPD_SET(N, P, X), F));
    add_reals(c, P * N * N, F);
    good(c, spd_pairs_gradient(c->ctx, SPD_METRIC_AIRM, SPD_SET(N, P, X), 2, pairs, weight, d2, F));
    add_reals(c, P * N * N, F);
    good(c, spd_congruence_gradient(c->ctx, SPD_SET(N, P, X), M, W, X, F, G));
    add_reals(c, P * N * N, F);
    add_reals(c, N * M, G);
}

static void job_functions(caller *c)
{
    double *F = block(P * N * N), K[P * P], Y[P * 2], C[N * N];
    spd_embed_info info = SPD_STRUCT(spd_embed_info);
    spd_covariance_options shrunk = {.shrinkage = SPD_SHRINKAGE_OAS};
    for (int f = 0; f <= SPD_FUNCTION_FLOOR; f++) {
        good(c, spd_apply(c->ctx, (spd_function)f, 0.3, SPD_SET(N, P, X), F));
        add_reals(c, P * N * N, F);
    }
    add_derivatives(c);
    for (int kind = 0; kind <= SPD_KERNEL_LOG_EUCLIDEAN; kind++) {
        good(c, spd_kernel(c->ctx, (spd_kernel_kind)kind, 0.5, SPD_SET(N, P, X), NULL, K));
        add_reals(c, P * P, K);
    }
    for (int kind = 0; kind < SPD_EMBEDDINGS; kind++) {
        spd_embed_options o = {
            .size = sizeof o, .kind = (spd_embedding)kind, .k = 8, .dimensions = 2};
        good(c, spd_embed(c->ctx, &o, N, P, X, Y, NULL, &info));
        add_reals(c, P * 2, Y);
    }
    spd_explanation found = {.size = sizeof found, .carried = Y, .pattern = K};
    good(c, spd_explain(c->ctx, N, M, X, X, &found));
    add_reals(c, N, Y);
    add_reals(c, N * M, K);
    good(c, spd_recenter(c->ctx, SPD_METRIC_AIRM, N, P, X, label, F));
    add_reals(c, P * N * N, F);
    good(c, spd_covariances(c->ctx, 1, N, P * N, X, &shrunk, C));
    add_reals(c, N * N, C);
    good(c, spd_covariance(c->ctx, P * N, N, X, &shrunk, C));
    add_reals(c, N * N, C);
}

/* ---- jobs: learning -------------------------------------------------------------------------- */

static void add_model(caller *c, const spd_model *model)
{
    if (!model)
        return;
    add_reals(c, model->n * model->m, model->W);
    add_number(c, model->cost);
    add_number(c, model->iterations);
}

static spd_fit_options few_iterations(void)
{
    spd_fit_options o;
    spd_fit_defaults(&o, sizeof o);
    o.m = M;
    o.max_iter = 6;
    return o;
}

static int save_third(void *user, const spd_fit_state *state, const spd_fit_step *last,
                      int iteration)
{
    caller *c = user;
    char path[100];
    spd_model *model = NULL;
    spd_fit_options o = few_iterations();
    add_number(c, last->cost);
    if (iteration != 3)
        return 0;
    good(c, spd_fit_state_save(c->ctx, state, in_folder(c, "state.spdml", path)));
    good(c, spd_fit_state_model(c->ctx, state, &model));
    add_model(c, model);
    spd_model_free(model);
    spd_fit_resolve(&o);
    add_text(c, spd_fit_state_differs(state, &o));
    spd_fit_state_options(state, &o);
    add_number(c, (double)o.m);
    return 0;
}

/* Goes on from the third iteration, and ends where the whole fit has ended. */
static void resume_fit(caller *c, const spd_fit_options *o)
{
    char path[100];
    OWN(spd_fit_state) state = NULL;
    spd_model *model = NULL;
    unsigned char *bytes = NULL;
    size_t size = 0;
    good(c, spd_fit_state_load(c->ctx, in_folder(c, "state.spdml", path), &state));
    spd_fit_hooks watch = {.size = sizeof watch, .resume = state};
    good(c, spd_fit(c->ctx, SPD_SET(N, P, X), label, o, &watch, &model));
    add_model(c, model);
    good(c, spd_model_save(c->ctx, model, in_folder(c, "model.spdml", path)));
    spd_model_free(model);
    model = NULL;
    good(c, spd_model_load(c->ctx, path, &model));
    add_model(c, model);
    good(c, spd_model_pack(c->ctx, model, &bytes, &size));
    spd_model_free(model);
    model = NULL;
    good(c, spd_model_unpack(c->ctx, bytes, size, &model));
    spd_bytes_free(bytes);
    add_model(c, model);
    add_number(c, isnan(spd_model_gain(model))); /* three iterations say nothing */
    add_number(c, spd_file_kind(path));
    spd_model_free(model);
}

static void job_fit(caller *c)
{
    static const spd_metric learnable[] = {SPD_METRIC_STEIN, SPD_METRIC_AIRM, SPD_METRIC_JEFFREY,
                                           SPD_METRIC_LOG_EUCLIDEAN};
    spd_fit_options o = few_iterations();
    spd_fit_hooks watch = {.size = sizeof watch, .after = save_third, .user = c};
    for (size_t i = 0; i < 4; i++) {
        OWN(spd_model) model = NULL;
        o.metric = learnable[i];
        good(c, spd_fit(c->ctx, SPD_SET(N, P, X), label, &o, i ? NULL : &watch, &model));
        add_model(c, model);
    }
    o.metric = SPD_METRIC_STEIN;
    resume_fit(c, &o);
}

static void job_cost(caller *c)
{
    spd_fit_options o = few_iterations();
    spd_pair *pairs = NULL;
    size_t count = 0;
    double cost = 0.0, gradient[N * M];
    good(c, spd_affinity(c->ctx, SPD_SET(N, P, X), label, &o, &pairs, &count));
    add(c, pairs, count * sizeof *pairs);
    o.learning = SPD_LEARNING_OWN_GRAPH;
    o.own_pairs = pairs;
    o.pairs = count;
    o.W = W;
    good(c, spd_cost(c->ctx, SPD_SET(N, P, X), &o, &cost, gradient));
    add_number(c, cost);
    add_reals(c, N * M, gradient);
    spd_pairs_free(pairs);
}

/* All that is done with a set, wherever it lies. */
static void use_store(caller *c, const spd_set *store)
{
    enum { K = 2 };
    spd_fit_options o = few_iterations();
    OWN(spd_model) model = NULL;
    spd_pair *pairs = NULL;
    size_t count = 0;
    int64_t index[P * K];
    double S[P * M * M], A[N * N], d2[P * K], some[2 * N * N];
    add_number(c, (double)(store)->hermitian);
    add_number(c, spd_set_bytes(store) + (double)((store)->n * (store)->p));
    good(c, spd_set_read(c->ctx, store, 3, 2, some));
    good(c, spd_check(c->ctx, store, 1e-6));
    good(c, spd_congruence(c->ctx, store, M, W, S));
    good(c, spd_mean(c->ctx, SPD_METRIC_AIRM, store, NULL, A, NULL));
    good(c, spd_nearest(c->ctx, SPD_METRIC_STEIN, store, NULL, K, NULL, index, d2, NULL));
    good(c, spd_affinity(c->ctx, store, label, &o, &pairs, &count));
    good(c, spd_fit(c->ctx, store, label, &o, NULL, &model));
    add_reals(c, 2 * N * N, some);
    add_reals(c, P * M * M, S);
    add_reals(c, N * N, A);
    add(c, index, sizeof index);
    add(c, pairs, count * sizeof *pairs);
    add_model(c, model);
    spd_pairs_free(pairs);
}

static void job_store(caller *c)
{
    char path[100];
    const char *paths[] = {in_folder(c, "set.npy", path)};
    spd_set *file = NULL, *again = NULL, single = *SPD_SET(N, P, NULL);
    float narrow[P * N * N];
    double was = spd_context_memory(c->ctx);
    for (size_t e = 0; e < P * N * N; e++)
        narrow[e] = (float)X[e];
    const spd_array set = {
        .type = SPD_TYPE_FLOAT64, .ndim = 3, .shape = {P, N, N}, .count = P * N * N, .f64 = X};
    const spd_array *list[] = {&set};
    good(c, spd_arrays_write(c->ctx, path, 1, list));
    single.X = narrow;
    single.type = SPD_TYPE_FLOAT32;
    good(c, spd_set_open(c->ctx, 1, paths, NULL, &file));
    good(c, spd_set_load(c->ctx, file, SPD_TYPE_FLOAT32, &again));
    good(c, spd_set_hold(c->ctx, file));
    spd_context_set_memory(c->ctx, 1e6);
    add_number(c, spd_context_memory(c->ctx) < was);
    const spd_set *all[] = {SPD_SET(N, P, X), &single, file, again};
    for (size_t i = 0; i < 4; i++)
        use_store(c, all[i]);
    spd_context_set_memory(c->ctx, 0.0);
    spd_set_free(file);
    OWN(spd_data) data = NULL;
    good(c, spd_data_open(c->ctx, path, NULL, &data, &file));
    add_number(c, (double)(data->p * data->n));
    spd_set_free(file);
    spd_set_free(again);
}

/* ---- jobs: recognition ----------------------------------------------------------------------- */

static spd_samples all_samples(void)
{
    return (spd_samples){.size = sizeof(spd_samples),
                         .p = P,
                         .n = N,
                         .X = X,
                         .height = N,
                         .width = N,
                         .V = X,
                         .classes = CLASSES,
                         .label = label};
}

/* A trained method, into a file and into memory and back. */
static void add_saved(caller *c, spd_classifier *trained)
{
    static const char *const names[CLASSES] = {"a", "b", "c"};
    spd_samples samples = all_samples();
    spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts);
    spd_metadata notes = SPD_STRUCT(spd_metadata);
    spd_classifier *other = NULL;
    unsigned char *bytes = NULL;
    char path[100];
    int found[P];
    double S[P * 3 * N * N], score[P * CLASSES];
    size_t size = 0;
    notes.classes = CLASSES;
    notes.class_name = names;
    good(c, spd_classifier_set_metadata(c->ctx, trained, &notes));
    good(c, spd_classifier_save(c->ctx, trained, in_folder(c, "method.spdml", path)));
    good(c, spd_classifier_load(c->ctx, path, &other));
    unlink(path);
    good(c, spd_classifier_predict(c->ctx, other, &samples, found));
    add(c, found, sizeof found);
    good(c, spd_classifier_pack(c->ctx, other, &bytes, &size));
    spd_classifier_free(other);
    other = NULL;
    good(c, spd_classifier_unpack(c->ctx, bytes, size, &other));
    spd_bytes_free(bytes);
    good(c, spd_classifier_info(c->ctx, other, &facts));
    good(c, spd_classifier_scores(c->ctx, other, &samples, found, score));
    add_reals(c, P * CLASSES, score);
    add_text(c, facts.score);
    add_text(c, spd_name(SPD_ENUM_HOLDING, facts.holding));
    add_number(c, (double)(facts.m + facts.held));
    double *left = block(facts.trained * facts.classes);
    if (strncmp(facts.score, "logarithm", 9) == 0 &&
        spd_classifier_left_out(c->ctx, other, left) == SPD_OK)
        add_reals(c, facts.trained * facts.classes, left);
    add_text(c, spd_classifier_metadata(other)->class_name[1]);
    add_number(c, spd_classifier_weights(other) ? spd_classifier_weights(other)[0] : 0.0);
    if (facts.m > 0) {
        good(c, spd_classifier_map(c->ctx, other, N, P, X, S));
        add_reals(c, P * facts.m * facts.m, S);
    }
    spd_classifier_free(other);
}

static void add_method(caller *c, const char *name)
{
    spd_samples samples = all_samples();
    spd_method method = SPD_STRUCT(spd_method);
    OWN(spd_classifier) trained = NULL;
    char text[SPD_METHOD_NAME];
    int found[P];
    good(c, spd_method_parse(c->ctx, name, &method));
    method.value[SPD_PARAMETER_M] = M;
    method.value[SPD_PARAMETER_K] = 8;
    method.value[SPD_PARAMETER_DIMENSIONS] = 2;
    spd_method_name(&method, text);
    add_text(c, text);
    add_number(c, spd_method_uses(&method, SPD_PARAMETER_M) + 2 * spd_method_on_vectors(&method));
    good(c, spd_classifier_fit(c->ctx, &method, &samples, NULL, &trained));
    if (!trained)
        return;
    good(c, spd_classifier_predict(c->ctx, trained, &samples, found));
    add(c, found, sizeof found);
    add_number(c, spd_classifier_method(trained)->map);
    add_model(c, spd_classifier_model(trained));
    add_saved(c, trained);
}

static void job_classifiers(caller *c)
{
    static const char *const names[] = {
        "nn-airm", "knn-stein",      "mdm-airm-mean",          "rsr",        "cdl",    "cdl-lda",
        "pga",     "riemannian-lle", "riemannian-laplacian",   "ksvm-stein", "ts-lda", "src",
        "gsrc",    "nn-stein-ml",    "riemannian-hessian-lle", "cov3dj"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_method(c, names[i]);
}

/* Trained methods that all callers use at once. */
static const char *const shared_names[] = {"nn-stein", "rsr", "ksvm-stein", "ts-lda", "cdl"};
enum { SHARED = sizeof shared_names / sizeof *shared_names };
static spd_classifier *shared[SHARED];

static void job_shared(caller *c)
{
    spd_samples samples = all_samples();
    for (size_t i = 0; i < SHARED; i++) {
        unsigned char *bytes = NULL;
        size_t size = 0;
        double score[P * CLASSES];
        int found[P];
        good(c, spd_classifier_scores(c->ctx, shared[i], &samples, found, score));
        add(c, found, sizeof found);
        add_reals(c, P * CLASSES, score);
        good(c, spd_classifier_pack(c->ctx, shared[i], &bytes, &size));
        add_number(c, (double)size);
        spd_bytes_free(bytes);
    }
}

static void make_shared(void)
{
    spd_samples samples = all_samples();
    for (size_t i = 0; i < SHARED; i++) {
        spd_method method = SPD_STRUCT(spd_method);
        CHECK(spd_method_parse(NULL, shared_names[i], &method) == SPD_OK &&
                  spd_classifier_fit(NULL, &method, &samples, NULL, &shared[i]) >= 0,
              "%s", shared_names[i]);
    }
}

static void job_tuning(caller *c)
{
    static const double cost[] = {1.0, 10.0}, beta[] = {0.5, 1.0};
    spd_samples samples = all_samples();
    spd_grid grid = {.count = {[SPD_PARAMETER_COST] = 2, [SPD_PARAMETER_BETA_SCALE] = 2},
                     .value = {[SPD_PARAMETER_COST] = cost, [SPD_PARAMETER_BETA_SCALE] = beta}};
    spd_tune_options tuning = {.size = sizeof tuning, .folds = 2, .seed = 1, .grid = &grid};
    spd_method a = SPD_STRUCT(spd_method), b = SPD_STRUCT(spd_method);
    spd_method *both[] = {&a, &b};
    spd_tune_info tuned = SPD_STRUCT(spd_tune_info);
    good(c, spd_method_parse(c->ctx, "ksvm-stein", &a));
    good(c, spd_tune(c->ctx, &a, &samples, &tuning, &tuned));
    add_number(c, tuned.accuracy);
    add_number(c, a.value[SPD_PARAMETER_COST]);
    good(c, spd_method_parse(c->ctx, "nn-stein-mean", &a));
    good(c, spd_method_parse(c->ctx, "mdm-stein-mean", &b));
    a.value[SPD_PARAMETER_M] = b.value[SPD_PARAMETER_M] = M;
    good(c, spd_tune_together(c->ctx, 2, both, &samples, &tuning, NULL));
    add_reals(c, SPD_PARAMETERS, b.value);
    spd_league *league = NULL;
    good(c, spd_method_parse(c->ctx, "auto", &a));
    good(c, spd_tune_auto(c->ctx, &a, &samples, &tuning, &tuned, &league));
    add_number(c, tuned.accuracy);
    add_number(c, league ? league->accuracy : 0.0);
    spd_league_free(league);
}

static void job_scores(caller *c)
{
    static const size_t some[] = {5, 2, 11};
    spd_samples samples = all_samples(), *subset = NULL;
    spd_score score = SPD_STRUCT(spd_score);
    spd_mcnemar_result test = SPD_STRUCT(spd_mcnemar_result);
    spd_wilcoxon_result ranks = SPD_STRUCT(spd_wilcoxon_result);
    double number[P * CLASSES], shifted[P], auc = 0.0;
    char train[P];
    int other[P];
    good(c, spd_split(c->ctx, P, label, 0.5, 0, 3, 1, train));
    add(c, train, sizeof train);
    for (int i = 0; i < P; i++)
        other[i] = train[i] ? label[i] : 0;
    good(c, spd_score_predictions(c->ctx, P, CLASSES, label, other, &score, NULL));
    add_number(c, score.balanced);
    good(c, spd_mcnemar(c->ctx, P, label, other, label, &test));
    add_number(c, test.p_value);
    for (int i = 0; i < P * CLASSES; i++)
        number[i] = (double)((i * 7) % 11);
    for (int i = 0; i < P; i++)
        shifted[i] = number[i] + (double)(i % 3) - 0.5;
    good(c, spd_auc(c->ctx, P, CLASSES, label, number, 0, &auc));
    add_number(c, auc);
    good(c, spd_wilcoxon(c->ctx, P, number, shifted, &ranks));
    add_number(c, ranks.p_value);
    good(c, spd_holm(c->ctx, P, (double[P]){0.01, 0.2}, number));
    add_number(c, number[1]);
    good(c, spd_samples_subset(c->ctx, &samples, 3, some, &subset));
    add_reals(c, 3 * N * N, subset->X);
    spd_samples_free(subset);
}

static void job_evaluate(caller *c)
{
    spd_samples samples = all_samples();
    spd_method a = SPD_STRUCT(spd_method), b = SPD_STRUCT(spd_method);
    const spd_method *methods[] = {&a, &b};
    spd_evaluate_options o;
    OWN(spd_evaluation) found = NULL;
    spd_evaluate_defaults(&o, sizeof o);
    good(c, spd_method_parse(c->ctx, "mdm-airm", &a));
    good(c, spd_method_parse(c->ctx, "nn-stein-ml", &b));
    b.value[SPD_PARAMETER_M] = M;
    b.value[SPD_PARAMETER_NU_W] = b.value[SPD_PARAMETER_NU_B] = 2;
    o.methods = 2;
    o.method = methods;
    o.repeats = 2;
    good(c, spd_evaluate(c->ctx, &samples, &o, &found));
    for (size_t i = 0; found && i < found->methods; i++) {
        add_number(c, found->method[i]->accuracy);
        add(c, found->method[i]->confusion, CLASSES * CLASSES * sizeof(int64_t));
        add_reals(c, found->methods, found->method[i]->p_value);
    }
}

/* ---- jobs: files ----------------------------------------------------------------------------- */

static void job_arrays(caller *c)
{
    static const char *const names[] = {"a.npy", "a.npz", "a.mat", "a.csv"};
    spd_array mine = {"X", SPD_TYPE_FLOAT64, 2, {P, N * N}, P * N * N, X, NULL, NULL};
    const spd_array *one[] = {&mine};
    char path[100];
    for (size_t i = 0; i < 4; i++) {
        OWN(spd_array) back = NULL;
        good(c, spd_arrays_write(c->ctx, in_folder(c, names[i], path), 1, one));
        good(c, spd_array_read(c->ctx, path, NULL, &back));
        if (back)
            add_reals(c, back->count, back->f64);
    }
    good(c, spd_text_write(c->ctx, in_folder(c, "a.txt", path), "text\n", 5));
    add_number(c, spd_file_kind(path));
}

/* A set twice, and some of it. */
static void join_and_select(caller *c, const spd_data *data)
{
    const spd_data *const twice[] = {data, data};
    const size_t index[] = {data->p + 1, 0};
    OWN(spd_data) joined = NULL, *some = NULL;
    good(c, spd_data_join(c->ctx, 2, twice, "file", &joined));
    if (joined)
        good(c, spd_data_select(c->ctx, joined, 2, index, &some));
    if (some)
        add_reals(c, some->p * some->n * some->n, some->X);
}

static void job_data(caller *c)
{
    spd_synth_options o;
    OWN(spd_data) data = NULL, *back = NULL;
    spd_survey survey = SPD_STRUCT(spd_survey);
    char path[100];
    spd_synth_defaults(SPD_SYNTH_SPD, &o, sizeof o);
    o.classes = 2;
    o.samples = 3;
    o.n = N;
    o.planted = M;
    good(c, spd_synth_data(c->ctx, &o, NULL, &data));
    good(c, spd_data_save(c->ctx, data, in_folder(c, "data.npz", path)));
    good(c, spd_data_load(c->ctx, path, NULL, &back));
    if (back) {
        spd_samples samples;
        spd_data_samples(back, &samples, sizeof samples);
        add_number(c, (double)(samples.p * samples.n * samples.classes));
        add_reals(c, back->p * back->n * back->n, samples.X);
        good(c, spd_data_survey(c->ctx, back, &survey));
        add_number(c, survey.max_condition);
        join_and_select(c, back);
    }
}

static int remove_one(const char *path, const struct stat *what, int type, struct FTW *where)
{
    (void)what;
    (void)type;
    (void)where;
    return remove(path);
}

static void clear(const char *folder)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Writes a few files of a kind, describes them, and the descriptor meets one that is broken. */
static void describe_made(caller *c, spd_synth_kind kind, spd_descriptor descriptor)
{
    spd_synth_options o;
    spd_describe_options d;
    OWN(spd_data) data = NULL;
    spd_describe_info *failures = NULL;
    size_t files = 0;
    char folder[100], broken[100];
    spd_synth_defaults(kind, &o, sizeof o);
    o.classes = o.samples = 2;
    o.side = SIDE;
    o.subjects = 1;
    o.frames = 120;
    clear(in_folder(c, "made", folder));
    good(c, spd_synth_files(c->ctx, kind, &o, folder, &files));
    add_number(c, (double)files);
    spd_text_write(c->ctx, in_folder(c, "broken.png", broken), "no image", 8);
    const char *paths[] = {folder, broken};
    spd_describe_defaults(descriptor, &d, sizeof d);
    d.keep_going = 1;
    d.width = d.height = SIDE;
    d.covariance.regularize = 1e-3;
    good(c, spd_describe(c->ctx, descriptor, kind == SPD_SYNTH_MOTION ? 1 : 2, paths, &d, &data,
                         &failures));
    if (data)
        add_reals(c, data->p * data->n * data->n, data->X);
    add_number(c, failures ? (double)failures->count : -1.0);
    spd_describe_info_free(failures);
}

static void job_describe(caller *c)
{
    describe_made(c, SPD_SYNTH_TEXTURES, SPD_DESCRIPTOR_SIFT_COLOR);
    describe_made(c, SPD_SYNTH_FACES, SPD_DESCRIPTOR_GABOR);
    describe_made(c, SPD_SYNTH_TEXTURES, SPD_DESCRIPTOR_REGION);
    describe_made(c, SPD_SYNTH_MOTION, SPD_DESCRIPTOR_JOINTS);
}

/* ---- all of them at once --------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(caller *c);
} jobs[] = {
    {"context", job_context},   {"libraries", job_libraries},
    {"words", job_words},       {"algebra", job_algebra},
    {"metrics", job_metrics},   {"functions", job_functions},
    {"fit", job_fit},           {"cost", job_cost},
    {"store", job_store},       {"classifiers", job_classifiers},
    {"shared", job_shared},     {"tuning", job_tuning},
    {"scores", job_scores},     {"evaluate", job_evaluate},
    {"arrays", job_arrays},     {"data", job_data},
    {"describe", job_describe},
};
enum { JOBS = sizeof jobs / sizeof *jobs };

/* One thread of a caller: number, and what each job has answered, call by call. */
typedef struct run {
    int number, calls;
    uint64_t trace[JOBS][CALLS];
    int failed;
    pthread_barrier_t *start; /* of each job, so that all callers are in the same one; or NULL */
} run;

static void *call_all(void *user)
{
    run *r = user;
    caller c = {.ctx = spd_context_new(), .folder = "callers-XXXXXX"};
    if (!mkdtemp(c.folder))
        abort();
    spd_context_set_threads(c.ctx, 1 + r->number % 3);
    for (size_t j = 0; j < JOBS; j++) {
        if (r->start)
            pthread_barrier_wait(r->start);
        for (int i = 0; i < r->calls; i++) {
            SCOPE;
            c.trace = UINT64_C(14695981039346656037);
            jobs[j].run(&c);
            r->trace[j][i] = c.trace;
        }
    }
    r->failed = c.failed;
    spd_context_free(c.ctx);
    clear(c.folder);
    return NULL;
}

TEST(callers_get_what_one_gets)
{
    static run alone, many[CALLERS];
    pthread_t thread[CALLERS];
    pthread_barrier_t start;
    alone.calls = 1;
    call_all(&alone);
    CHECK(alone.failed == 0, "%d calls failed alone", alone.failed);
    pthread_barrier_init(&start, NULL, CALLERS);
    for (int i = 0; i < CALLERS; i++) {
        many[i] = (run){.number = i, .calls = CALLS, .start = &start};
        if (pthread_create(&thread[i], NULL, call_all, &many[i]) != 0)
            abort();
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(thread[i], NULL);
        CHECK(many[i].failed == 0, "%d calls of caller %d failed", many[i].failed, i);
        for (size_t j = 0; j < JOBS; j++)
            for (int k = 0; k < CALLS; k++)
                CHECK(many[i].trace[j][k] == alone.trace[j][0], "%s, caller %d, call %d",
                      jobs[j].name, i, k);
    }
    pthread_barrier_destroy(&start);
}

/* ---- no function is left out ----------------------------------------------------------------- */

static char *read_text(const char *path)
{
    static const size_t room = 1 << 20;
    char *text = take_zeros(room, 1);
    FILE *f = fopen(path, "r");
    if (!f)
        abort();
    size_t size = fread(text, 1, room - 1, f);
    CHECK(size > 1000, "%s", path);
    fclose(f);
    return text;
}

/* Does the name stand in the text as a word? */
static int has_word(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length)
        if (!isalnum((unsigned char)at[length]) && at[length] != '_' &&
            !isalnum((unsigned char)at[-1]) && at[-1] != '_')
            return 1;
    return 0;
}

/* How many functions the header declares; those that the source does not name are faults. What
 * OWN(spd_x) declares is freed by spd_x_free. */
static size_t compare(const char *header, const char *source)
{
    char *text = read_text(header), *place;
    size_t count = 0;
    for (char *line = strtok_r(text, "\n", &place); line; line = strtok_r(NULL, "\n", &place)) {
        char *end = strchr(line, '('), name[64], owner[80];
        if (strncmp(line, "SPD_API ", 8) != 0 || !end)
            continue;
        char *begin = end;
        while (isalnum((unsigned char)begin[-1]) || begin[-1] == '_')
            begin--;
        snprintf(name, sizeof name, "%.*s", (int)(end - begin), begin);
        snprintf(owner, sizeof owner, "OWN(%.*s)", (int)strlen(name) - 5, name);
        CHECK(has_word(source, name) || (strstr(name, "_free") && strstr(source, owner)),
              "%s is public, and no job calls it", name);
        count++;
    }
    return count;
}

TEST(every_public_function_is_called)
{
    char *source = read_text(TESTS_FOLDER "/unit/test_callers_each.c");
    static const char *const subjects[] = {"base", "geometry", "learn", "classify", "evaluate"};
    size_t core = 0;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        char header[500];
        snprintf(header, sizeof header, "%s/../include/spdml/%s.h", TESTS_FOLDER, subjects[i]);
        core += compare(header, source);
    }
    size_t data = compare(TESTS_FOLDER "/../include/spdml-data.h", source);
    CHECK(core >= 90 && data >= 15, "%zu and %zu functions", core, data);
}

SETUP(make_samples)
{
    rng r = seeded(1);
    X = random_set(&r, N, P, 100.0);
    W = block(N * M);
    for (size_t e = 0; e < N * M; e++)
        W[e] = rng_normal(&r);
    for (int i = 0; i < P; i++)
        label[i] = i % CLASSES;
    make_shared();
}

TEARDOWN(free_shared)
{
    for (size_t i = 0; i < SHARED; i++)
        spd_classifier_free(shared[i]);
}
