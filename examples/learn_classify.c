/* learn_classify.c - learns a map from one half of a labelled set and classifies the other half
 * by the nearest neighbour, without the map and behind it.
 *
 *   learn_classify                  on a generated set
 *   learn_classify data.npz 8       on a set of your own, mapped to 8 x 8
 *
 * The map W (n x m) is spd_fit's; a model given to spd_classifier_fit stands before the method. */
#include <stdio.h>
#include <stdlib.h>

#include <spdml-data.h>

/* One half of the set: samples whose flag in `train` equals `wanted`. */
typedef struct half {
    spd_samples *samples;
    int *predicted; /* samples->p, room for an answer */
} half;

static spd_status take_half(spd_context *ctx, const spd_data *data, const char *train, int wanted,
                            half *part)
{
    spd_samples all = SPD_STRUCT(spd_samples);
    size_t *index = malloc(data->p * sizeof *index), count = 0;
    part->predicted = malloc(data->p * sizeof *part->predicted);
    if (index == NULL || part->predicted == NULL) {
        free(index);
        return SPD_ENOMEM;
    }
    for (size_t i = 0; i < data->p; i++)
        if (train[i] == wanted)
            index[count++] = i;
    spd_data_samples(data, &all, sizeof all);
    spd_status status = spd_samples_subset(ctx, &all, count, index, &part->samples);
    free(index);
    return status;
}

static void half_free(half *part)
{
    spd_samples_free(part->samples);
    free(part->predicted);
}

/* Trains on one half, predicts the other; the model (or NULL: none) is the map. */
static spd_status judge(spd_context *ctx, const half *train, const half *test,
                        const spd_model *model, spd_score *score)
{
    spd_method method = SPD_STRUCT(spd_method);
    spd_classifier *classifier = NULL;
    spd_status status = spd_method_parse(ctx, "nn-stein", &method);
    if (status >= 0)
        status = spd_classifier_fit(ctx, &method, train->samples, model, &classifier);
    if (status >= 0)
        status = spd_classifier_predict(ctx, classifier, test->samples, test->predicted);
    if (status >= 0)
        status = spd_score_predictions(ctx, test->samples->p, test->samples->classes,
                                       test->samples->label, test->predicted, score, NULL);
    spd_classifier_free(classifier);
    return status;
}

static spd_status learn(spd_context *ctx, const half *train, size_t m, spd_model **model)
{
    spd_fit_options options;
    spd_fit_defaults(&options, sizeof options);
    options.m = m;
    options.metric = SPD_METRIC_STEIN;
    const spd_samples *s = train->samples;
    return spd_fit(ctx, SPD_SET(s->n, s->p, s->X), s->label, &options, NULL, model);
}

static spd_status compare(spd_context *ctx, const spd_data *data, size_t m)
{
    half train = {0}, test = {0};
    spd_model *model = NULL;
    spd_score plain = SPD_STRUCT(spd_score), mapped = SPD_STRUCT(spd_score);
    char *flag = malloc(data->p);
    spd_status status = flag == NULL ? SPD_ENOMEM : SPD_OK;
    if (status >= 0)
        status = spd_split(ctx, data->p, data->label, 0.5, 0, 1, 0, flag);
    if (status >= 0)
        status = take_half(ctx, data, flag, 1, &train);
    if (status >= 0)
        status = take_half(ctx, data, flag, 0, &test);
    if (status >= 0)
        status = learn(ctx, &train, m, &model);
    if (status >= 0)
        status = judge(ctx, &train, &test, NULL, &plain);
    if (status >= 0)
        status = judge(ctx, &train, &test, model, &mapped);
    if (status >= 0) {
        printf("%zu matrices %zu x %zu, %zu classes; one half trains\n", data->p, data->n, data->n,
               data->classes);
        printf("map to %zu x %zu: cost %.4g -> %.4g in %d iterations\n", m, m, model->cost_start,
               model->cost, model->iterations);
        printf("nearest neighbour     %5.1f %%\n", 100.0 * plain.accuracy);
        printf("the same, mapped      %5.1f %%\n", 100.0 * mapped.accuracy);
    }
    spd_model_free(model);
    half_free(&train);
    half_free(&test);
    free(flag);
    return status;
}

static spd_status get_data(spd_context *ctx, const char *path, spd_data **data)
{
    spd_synth_options options;
    if (path != NULL)
        return spd_data_load(ctx, path, NULL, data);
    spd_synth_defaults(SPD_SYNTH_SPD, &options, sizeof options);
    return spd_synth_data(ctx, &options, NULL, data);
}

int main(int argc, char **argv)
{
    size_t m = argc > 2 ? strtoul(argv[2], NULL, 10) : 10;
    spd_context *ctx = spd_context_new();
    spd_data *data = NULL;
    const char *reason = NULL;
    spd_status status = get_data(ctx, argc > 1 ? argv[1] : NULL, &data);
    if (status >= 0 && data->classes < 2) {
        status = SPD_EINVAL;
        reason = "there are no labels of two classes";
    } else if (status >= 0) {
        status = compare(ctx, data, m);
    }
    if (status < 0)
        fprintf(stderr, "learn_classify: %s\n", reason ? reason : spd_context_error(ctx)->message);
    spd_data_free(data);
    spd_context_free(ctx);
    return status < 0;
}
