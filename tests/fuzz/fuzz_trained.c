/* fuzz_trained.c - edits of trained methods that the library has made, of every kind, with a right
 * archive around them; and any bytes as the archive. What is still a trained method predicts, maps,
 * is explained and written again, or a message says why not. */
#include "evaluate/trained.h"
#include "fuzz_edits.h"

static const char *const names[] = {"nn-airm-ml",
                                    "knn-stein",
                                    "mdm-airm-csp",
                                    "rsr",
                                    "cdl",
                                    "cdl-lda",
                                    "pga",
                                    "ts-lda",
                                    "ksvm-stein",
                                    "ksvm-log-euclidean",
                                    "riemannian-laplacian",
                                    "src",
                                    "nn-stein-multi"};
enum { KINDS = sizeof names / sizeof *names, SIDE = 3 };

static edit_data data;
static spd_samples all;
static io_bundle *base[KINDS];
static json_t *base_meta[KINDS];

static spd_status save(const char *path, void *trained)
{
    return spd_classifier_save(NULL, trained, path);
}

static void make_base(size_t i)
{
    spd_method method = SPD_STRUCT(spd_method);
    spd_classifier *trained = NULL;
    spd_fit_options options;
    spd_fit_defaults(&options, sizeof options);
    options.max_iter = 3;
    if (spd_method_parse(NULL, names[i], &method) < 0)
        abort();
    method.fit = &options;
    if (spd_method_uses(&method, SPD_PARAMETER_K))
        method.value[SPD_PARAMETER_K] = 3;
    if (spd_method_uses(&method, SPD_PARAMETER_DIMENSIONS))
        method.value[SPD_PARAMETER_DIMENSIONS] = 2;
    if (method.classifier == SPD_CLASSIFIER_TS_LDA || method.classifier == SPD_CLASSIFIER_KNN) {
        method.normalize = SPD_NORMALIZATION_TRACE;
        method.recenter = method.classifier == SPD_CLASSIFIER_KNN ? SPD_RECENTERING_TRAINING
                                                                  : SPD_RECENTERING_GROUPS;
    }
    if (spd_classifier_fit(fuzz_context(), &method, &all, NULL, &trained) < 0)
        abort();
    edit_read_back(save, trained, &base[i]);
    spd_classifier_free(trained);
    base_meta[i] = json_loads(base[i]->meta, 0, NULL);
    if (!base_meta[i])
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    edit_data_make(&data);
    all = (spd_samples){.size = sizeof all,
                        .p = EDIT_P,
                        .n = EDIT_N,
                        .X = data.X,
                        .height = SIDE,
                        .width = SIDE,
                        .V = data.X,
                        .classes = 2,
                        .label = data.label,
                        .group = data.label};
    for (size_t i = 0; i < KINDS; i++)
        make_base(i);
    return 0;
}

static void explain(spd_context *ctx, const spd_classifier *c, size_t n, size_t m)
{
    const double *W = spd_classifier_weights(c);
    if (!W || n > EDIT_N)
        return;
    double weight[EDIT_N], carried[EDIT_N], kept[EDIT_N], variance[EDIT_N];
    double pattern[EDIT_N * EDIT_N];
    spd_explanation e = {.size = sizeof e,
                         .weight = weight,
                         .carried = carried,
                         .kept = kept,
                         .pattern = pattern,
                         .variance = variance};
    fuzz_check_message(ctx, spd_explain(ctx, n, m, W, NULL, &e));
    if (n == EDIT_N)
        fuzz_check_message(ctx, spd_explain(ctx, n, m, W, data.X, &e));
}

/* Everything that takes a trained method. */
static void use(spd_context *ctx, const spd_classifier *c)
{
    spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts);
    int label[EDIT_P];
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (spd_classifier_info(ctx, c, &facts) < 0 || !spd_classifier_metadata(c)->class_name)
        abort();
    double *score = mem_zero(EDIT_P, facts.classes * sizeof *score);
    double *S = facts.m < 100 ? mem_zero(EDIT_P, facts.m * facts.m * sizeof *S) : NULL;
    spd_status status = score ? spd_classifier_scores(ctx, c, &all, label, score) : SPD_ENOMEM;
    for (size_t i = 0; i < EDIT_P && score && status >= 0; i++)
        if (label[i] < 0 || (size_t)label[i] >= facts.classes)
            abort();
    if (score)
        fuzz_check_message(ctx, status);
    if (S && facts.n == EDIT_N)
        fuzz_check_message(ctx, spd_classifier_map(ctx, c, EDIT_N, EDIT_P, data.X, S));
    explain(ctx, c, facts.n, facts.m);
    fuzz_check(ctx, spd_classifier_pack(ctx, c, &bytes, &size), bytes);
    spd_bytes_free(bytes);
    mem_free(score);
    mem_free(S);
}

static void read_bytes(spd_context *ctx, const unsigned char *bytes, size_t size)
{
    spd_classifier *trained = NULL;
    fuzz_check(ctx, spd_classifier_unpack(ctx, bytes, size, &trained), trained);
    if (trained)
        use(ctx, trained);
    spd_classifier_free(trained);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = fuzz_context();
    fuzz_input in = {bytes, size};
    const long live = mem_live();
    size_t kind = fuzz_byte(&in);
    io_bundle edited;
    spd_classifier *trained = NULL;
    if (kind >= KINDS) { /* such as the first byte of an archive */
        read_bytes(ctx, bytes, size);
        return 0;
    }
    edit_finish(edit_bundle(&in, base[kind], base_meta[kind], &edited), &edited);
    fuzz_check(ctx, record_take(ctx, &trained_record, &edited, &trained), trained);
    if (trained)
        use(ctx, trained);
    spd_classifier_free(trained);
    edit_free(&edited);
    if (mem_live() != live)
        abort();
    return 0;
}
