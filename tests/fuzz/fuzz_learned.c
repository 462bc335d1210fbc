/* fuzz_learned.c - edits of a model that the library has made, with a right archive around them:
 * what is still a model maps matrices and serves as the map of a classifier. */
#include <math.h>

#include "fuzz_edits.h"

static edit_data data;
static io_bundle *base;
static json_t *base_meta;

static spd_status save(const char *path, void *model)
{
    return spd_model_save(NULL, model, path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    spd_fit_options options;
    spd_model *model = NULL;
    edit_data_make(&data);
    spd_fit_defaults(&options, sizeof options);
    options.m = 2;
    options.max_iter = 3;
    if (spd_fit(fuzz_context(), SPD_SET(EDIT_N, EDIT_P, data.X), data.label, &options, NULL,
                &model) < 0)
        abort();
    edit_read_back(save, model, &base);
    spd_model_free(model);
    base_meta = json_loads(base->meta, 0, NULL);
    return base_meta ? 0 : 1;
}

/* Everything that takes a model. */
static void use(spd_context *ctx, const spd_model *model)
{
    double S[EDIT_P * EDIT_N * EDIT_N];
    int label[EDIT_P];
    spd_method method = SPD_STRUCT(spd_method);
    spd_classifier *classifier = NULL;
    const spd_samples samples = {.size = sizeof samples,
                                 .p = EDIT_P,
                                 .n = EDIT_N,
                                 .X = data.X,
                                 .classes = 2,
                                 .label = data.label};
    if (model->m < 1 || model->m > model->n || model->steps != (size_t)model->iterations + 1)
        abort();
    for (size_t i = 0; i < model->n * model->m; i++)
        if (!isfinite(model->W[i]))
            abort();
    if (model->n == EDIT_N)
        fuzz_check_message(
            ctx, spd_congruence(ctx, SPD_SET(EDIT_N, EDIT_P, data.X), model->m, model->W, S));
    if (spd_method_parse(ctx, "nn-stein", &method) < 0)
        abort();
    spd_status status = spd_classifier_fit(ctx, &method, &samples, model, &classifier);
    fuzz_check(ctx, status, classifier);
    if (classifier)
        fuzz_check_message(ctx, spd_classifier_predict(ctx, classifier, &samples, label));
    spd_classifier_free(classifier);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = fuzz_context();
    fuzz_input in = {bytes, size};
    const long live = mem_live();
    io_bundle edited;
    spd_model *model = NULL;
    edit_finish(edit_bundle(&in, base, base_meta, &edited), &edited);
    fuzz_check(ctx, record_take(ctx, &model_record, &edited, &model), model);
    if (model)
        use(ctx, model);
    spd_model_free(model);
    edit_free(&edited);
    if (mem_live() != live)
        abort();
    return 0;
}
