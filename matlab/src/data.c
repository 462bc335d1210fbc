/* data.c - files: data sets, models and trained methods; descriptions; generated data. */
#include <math.h>
#include <string.h>

#include "gateway.h"

static void free_data(void *data)
{
    spd_data_free(data);
}

/* ---- data sets ------------------------------------------------------------------------------- */

/* X, y, the columns and meta as fields. */
static mxArray *data_struct(const spd_data *d)
{
    size_t n = d->hermitian ? d->n / 2 : d->n;
    mxArray *s = record();
    result X = result_stack(n, d->p, d->hermitian);
    memcpy(X.X, d->X, d->n * d->n * d->p * sizeof *d->X);
    field(s, "X", result_array(&X));
    if (d->label)
        field(s, "y", labels_of(d->p, d->label, d->class_name, d->y->type));
    for (size_t i = 0; i < d->columns; i++)
        if (d->column[i]->name)
            field(s, d->column[i]->name, array_of(d->column[i]));
    if (d->meta)
        field(s, "meta", mxCreateString(d->meta));
    return s;
}

void command_load(call *c)
{
    static const option rows[] = {{"x", TEXT, 0, INTO(spd_load_options, x_name)},
                                  {"y", TEXT, 0, INTO(spd_load_options, y_name)},
                                  {"labels", TEXT, 0, INTO(spd_load_options, labels)},
                                  {"anywhere", FLAG, 0, INTO(spd_load_options, anywhere)},
                                  {"unchecked", FLAG, 0, INTO(spd_load_options, unchecked)}};
    spd_load_options o = SPD_STRUCT(spd_load_options);
    spd_data *data = NULL;
    call_arguments(c, 1, 1);
    char *path = text_need(c->input[0], "the file name");
    options_take(c, COUNT(rows), rows, &o);
    o.symmetrize = c->symmetrize;
    o.regularize = c->regularize;
    options_done(c);
    spd_kind kind = spd_file_kind(path);
    if (kind == SPD_KIND_CHECKPOINT)
        call_fail(
            "invalidArgument",
            "load: %s is the checkpoint of a fit; the command 'spdml fit --resume' continues it",
            path);
    if (kind == SPD_KIND_MODEL) {
        call_return(c, 0, model_struct(c, model_take(c, c->input[0])));
        return;
    }
    if (kind == SPD_KIND_METHOD) {
        call_return(c, 0, classifier_struct(c, classifier_take(c, c->input[0])));
        return;
    }
    spd_status status = spd_data_load(c->ctx, path, &o, &data);
    call_keep(data, free_data);
    call_check(c, status);
    call_return(c, 0, data_struct(data));
}

/* X, y and the other fields that have a value for each matrix. */
static void save_data(call *c, const char *path, const mxArray *s)
{
    int fields = mxGetNumberOfFields(s);
    const spd_array **list = mxCalloc((size_t)fields + 1, sizeof *list);
    size_t count = 0;
    stack X;
    stack_take(c, s, "X", 1, &X);
    for (int f = 0; f < fields; f++) {
        const char *name = mxGetFieldNameByNumber(s, f);
        const mxArray *value = mxGetFieldByNumber(s, 0, f);
        if (!value || mxIsEmpty(value) || strcmp(name, "meta") == 0)
            continue;
        spd_array *a = array_from(value, name, X.p);
        if (strcmp(name, "y") == 0 && a->count != X.p)
            call_fail("invalidArgument", "save: y has %zu entries for %zu matrices", a->count, X.p);
        list[count++] = a;
    }
    const char *ending = strrchr(path, '.');
    if (ending && (strcmp(ending, ".npy") == 0 || strcmp(ending, ".csv") == 0))
        call_fail("invalidArgument", "save: data is written to .npz or .mat");
    call_check(c, spd_arrays_write(c->ctx, path, count, list));
}

void command_save(call *c)
{
    call_arguments(c, 2, 2);
    options_done(c);
    char *path = text_need(c->input[0], "the file name");
    const mxArray *what = c->input[1];
    if (!mxIsStruct(what) || mxGetNumberOfElements(what) != 1)
        call_fail("invalidArgument",
                  "save: a model, a trained method, or a struct with X (and y) can be saved");
    if (object_kind(what) == SPD_KIND_MODEL)
        call_check(c, spd_model_save(c->ctx, model_take(c, what), path));
    else if (object_kind(what) == SPD_KIND_METHOD)
        call_check(c, spd_classifier_save(c->ctx, classifier_take(c, what), path));
    else
        save_data(c, path, what);
}

/* ---- descriptions ---------------------------------------------------------------------------- */

static const option describe_rows[] = {
    {"regularize", REAL, 0, INTO(spd_describe_options, covariance.regularize)},
    {"observations", SIZE, 0, INTO(spd_describe_options, observations)},
    {"labels", TEXT, 0, INTO(spd_describe_options, index)},
    {"labelby", TEXT, 0, INTO(spd_describe_options, label_by)},
    {"x", TEXT, 0, INTO(spd_describe_options, x_name)},
    {"y", TEXT, 0, INTO(spd_describe_options, y_name)},
    {"keepgoing", FLAG, 0, INTO(spd_describe_options, keep_going)},
    {"group", TEXT, 0, INTO(spd_describe_options, group)},
    {"channelsfirst", FLAG, 0, INTO(spd_describe_options, channels_first)},
    {"rate", REAL, 0, INTO(spd_describe_options, rate)},
    {"window", REAL, 0, INTO(spd_describe_options, window)},
    {"step", REAL, 0, INTO(spd_describe_options, stride)},
    {"order", SIZE, 0, INTO(spd_describe_options, order)},
    {"channels", TEXT, 0, INTO(spd_describe_options, channels)},
    {"events", TEXT, 0, INTO(spd_describe_options, events)},
    {"eventnames", TEXT, 0, INTO(spd_describe_options, event_names)},
    {"nocolor", FLAG, 0, INTO(spd_describe_options, grey)},
    {"keepimages", FLAG, 0, INTO(spd_describe_options, keep_images)},
    {"siftstep", SIZE, 0, INTO(spd_describe_options, step)},
    {"scales", SIZE, 0, INTO(spd_describe_options, scales)},
    {"orientations", SIZE, 0, INTO(spd_describe_options, orientations)},
    {"asf", TEXT, 0, INTO(spd_describe_options, asf)},
    {"temporalpyramid", SIZE, 0, INTO(spd_describe_options, pyramid)},
    {"overlap", FLAG, 0, INTO(spd_describe_options, overlap)},
    {"unitrange", FLAG, 0, INTO(spd_describe_options, unit_range)},
};

/* `count` numbers of an option, or NULL without it; count 0: any number, then stored in *found. */
static double *option_numbers(call *c, const char *name, size_t count, size_t *found)
{
    const mxArray *value = option_value(c, name);
    size_t own;
    if (!value)
        return NULL;
    double *x = numbers_take(value, name, &own);
    for (size_t i = 0; i < own; i++)
        if (isnan(x[i]) || (count && x[i] < 0.0 && strcmp(name, "epoch") != 0))
            own = SPD_NO_INDEX - 1;
    if (own == SPD_NO_INDEX - 1 || (count && own != count))
        call_fail("invalidArgument", "describe: the option '%s' must have %zu numbers", name,
                  count);
    if (found)
        *found = own;
    return x;
}

static void take_shrinkage(call *c, spd_covariance_options *o)
{
    const mxArray *value = option_value(c, "shrinkage");
    if (value && text_take(value)) {
        o->shrinkage = (spd_shrinkage)option_word(c, "shrinkage", SPD_ENUM_SHRINKAGE, 0);
    } else if (value) {
        o->shrinkage = SPD_SHRINKAGE_VALUE;
        o->shrink = option_real(c, "shrinkage", 0.0);
    }
}

static void take_regions(call *c, spd_describe_options *o)
{
    const mxArray *value = option_value(c, "regions");
    const double *grid = value && !text_take(value) ? option_numbers(c, "regions", 2, NULL)
                                                    : option_numbers(c, "grid", 2, NULL);
    if (value && text_take(value))
        o->regions = (spd_regions)option_word(c, "regions", SPD_ENUM_REGIONS, 0);
    if (!grid)
        return;
    if (value)
        o->regions = SPD_REGIONS_GRID;
    o->grid_rows = (size_t)grid[0];
    o->grid_columns = (size_t)grid[1];
}

/* 'Rects', k x 4: x, y, width, height; the upper left pixel is (1, 1). */
static void take_rects(call *c, spd_describe_options *o)
{
    size_t count = 0;
    const double *x = option_numbers(c, "rects", 0, &count);
    if (!x)
        return;
    if (count == 0 || count % 4)
        call_fail("invalidArgument",
                  "describe: 'Rects' must have four columns: x, y, width, height");
    size_t k = o->rects = count / 4;
    spd_rect *rect = mxCalloc(k, sizeof *rect);
    for (size_t i = 0; i < k; i++) {
        if (!(x[i] >= 1.0 && x[k + i] >= 1.0 && x[2 * k + i] >= 1.0 && x[3 * k + i] >= 1.0))
            call_fail("invalidArgument", "describe: 'Rects', row %zu: pixels are counted from 1",
                      i + 1);
        rect[i] = (spd_rect){(size_t)x[i] - 1, (size_t)x[k + i] - 1, (size_t)x[2 * k + i],
                             (size_t)x[3 * k + i]};
    }
    o->rect = rect;
}

static void take_bands(call *c, spd_describe_options *o)
{
    size_t count = 0;
    const double *x = option_numbers(c, "bands", 0, &count);
    if (!x)
        return;
    if (count == 0 || count % 2)
        call_fail("invalidArgument", "describe: 'Bands' must have two columns, the edges in Hz");
    o->bands = count / 2;
    double *band = mxCalloc(count, sizeof *band);
    for (size_t i = 0; i < count; i++)
        band[i] = x[i % 2 * o->bands + i / 2];
    o->band = band;
}

static void take_numbers(call *c, spd_describe_options *o)
{
    const mxArray *size = option_value(c, "size");
    int square = size && mxGetNumberOfElements(size) == 1;
    const double *wh = option_numbers(c, "size", square ? 1 : 2, NULL);
    const double *frames = option_numbers(c, "frames", 2, NULL),
                 *epoch = option_numbers(c, "epoch", 2, NULL);
    if (wh) {
        o->width = (size_t)wh[0];
        o->height = (size_t)wh[square ? 0 : 1];
    }
    if (frames) { /* from 1, the last one included; Inf: to the end */
        o->first_frame = frames[0] >= 1.0 ? (size_t)frames[0] - 1 : 0;
        o->last_frame = isinf(frames[1]) ? 0 : (size_t)frames[1];
    }
    if (epoch) {
        o->epoch_from = epoch[0];
        o->epoch_to = epoch[1];
    }
    take_shrinkage(c, &o->covariance);
    take_regions(c, o);
    take_rects(c, o);
    take_bands(c, o);
}

static void free_info(void *info)
{
    spd_describe_info_free(info);
}

static void warn_about(const spd_describe_info *info)
{
    if (info->count)
        mexWarnMsgIdAndTxt("spdml:skipped", "%zu inputs were skipped; the first error: %s",
                           info->count, info->error[0]->message);
    if (info->few)
        mexWarnMsgIdAndTxt("spdml:fewObservations",
                           "%zu matrices have too few observations, at least %zu for %zu rows; "
                           "only regularisation "
                           "makes them positive definite",
                           info->few, info->fewest, info->fewest_rows);
}

void command_describe(call *c)
{
    spd_describe_options o;
    spd_data *data = NULL;
    spd_describe_info *info = NULL;
    size_t count;
    call_arguments(c, 2, 2);
    int kind = spd_parse(c->ctx, SPD_ENUM_DESCRIPTOR, text_need(c->input[0], "the kind"));
    if (kind < 0)
        call_check(c, SPD_EINVAL);
    const char **path = texts_take(c->input[1], "the inputs", &count);
    spd_describe_defaults((spd_descriptor)kind, &o, sizeof o);
    options_take(c, COUNT(describe_rows), describe_rows, &o);
    const mxArray *centre = option_value(c, "center"), *model = option_value(c, "model");
    o.center_root = centre && (text_take(centre) || mxGetScalar(centre) != 0.0);
    take_numbers(c, &o);
    if (model) {
        spd_model *map = model_take(c, model);
        o.covariance.W = map->W;
        o.covariance.m = map->m;
        o.covariance.n = map->n;
    }
    options_done(c);
    spd_status status = spd_describe(c->ctx, (spd_descriptor)kind, count, path, &o, &data, &info);
    call_keep(data, free_data);
    call_keep(info, free_info);
    call_check(c, status);
    call_return(c, 0, data_struct(data));
    if (info)
        warn_about(info);
}

/* ---- generated data -------------------------------------------------------------------------- */

void command_synth(call *c)
{
    static const option rows[] = {{"seed", SEED, 0, INTO(spd_synth_options, seed)},
                                  {"classes", SIZE, 0, INTO(spd_synth_options, classes)},
                                  {"samples", SIZE, 0, INTO(spd_synth_options, samples)},
                                  {"n", SIZE, 0, INTO(spd_synth_options, n)},
                                  {"planted", SIZE, 0, INTO(spd_synth_options, planted)},
                                  {"signal", REAL, 0, INTO(spd_synth_options, signal)},
                                  {"size", SIZE, 0, INTO(spd_synth_options, side)},
                                  {"subjects", SIZE, 0, INTO(spd_synth_options, subjects)},
                                  {"frames", SIZE, 0, INTO(spd_synth_options, frames)}};
    spd_synth_options o;
    spd_data *data = NULL;
    size_t files = 0;
    call_arguments(c, 1, 1);
    int kind = spd_parse(c->ctx, SPD_ENUM_SYNTH, text_need(c->input[0], "the kind"));
    if (kind < 0)
        call_check(c, SPD_EINVAL);
    spd_synth_defaults((spd_synth_kind)kind, &o, sizeof o);
    o.seed = 1;
    options_take(c, COUNT(rows), rows, &o);
    const char *folder = option_text(c, "output");
    options_done(c);
    if (kind != SPD_SYNTH_SPD && !folder)
        call_fail("invalidArgument", "synth: 'Output' must name a folder, new or empty");
    if (kind != SPD_SYNTH_SPD) {
        call_check(c, spd_synth_files(c->ctx, (spd_synth_kind)kind, &o, folder, &files));
        call_return(c, 0, whole(files));
        return;
    }
    double *planted = mxCalloc(o.n * o.planted + 1, sizeof *planted);
    spd_status status = spd_synth_data(c->ctx, &o, planted, &data);
    call_keep(data, free_data);
    call_check(c, status);
    mxArray *s = data_struct(data);
    field(s, "planted", matrix_of(o.n, o.planted, planted));
    call_return(c, 0, s);
}
