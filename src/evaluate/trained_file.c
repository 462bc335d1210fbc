/* trained_file.c - trained methods into files, and from files.
 *
 * meta.json with method, sizes and notes; W or the models of the map; the names of the classes;
 * what the classifier keeps (saved_arrays.h); and the centers of recentring (alignment_file.c). */
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/method.h"
#include "evaluate/trained.h"
#include "learn/model.h"
#include "ops/fault.h"

/* The numbers of a file. */
typedef struct trained_sizes {
    size_t n, m;
    size_t p;       /* samples that it holds something of */
    size_t learned; /* samples that it was trained with */
    size_t height, width, classes;
    size_t parts; /* of a multi map */
    size_t nu_w, nu_b;
    spd_objective objective;
    int hermitian; /* n and m are of real forms */
    int regression;
    double r2, error, missed;
    double scale_low, scale_high;
} trained_sizes;

#define TRAINED_SIZES 18

#define PART_ROOM 24

/* What the object and the arrays of a part of multi are called. */
typedef struct part_names {
    char object[PART_ROOM], W[PART_ROOM], history[PART_ROOM];
} part_names;

/* The same for a map that is one model. */
#define TRAINED_MODEL "model"

/* ---- into a file ---------------------------------------------------------------------------- */

static const field trained_size_fields[TRAINED_SIZES] = {
    FIELD(trained_sizes, n, SIZE),
    FIELD(trained_sizes, m, SIZE),
    FIELD(trained_sizes, p, SIZE),
    FIELD(trained_sizes, learned, SIZE),
    FIELD(trained_sizes, height, SIZE),
    FIELD(trained_sizes, width, SIZE),
    FIELD(trained_sizes, classes, SIZE),
    FIELD(trained_sizes, parts, SIZE),
    FIELD(trained_sizes, nu_w, SIZE),
    FIELD(trained_sizes, nu_b, SIZE),
    FIELD_ENUM(trained_sizes, objective, SPD_ENUM_OBJECTIVE),
    FIELD_LATER(trained_sizes, hermitian, INT),
    FIELD_LATER(trained_sizes, regression, INT),
    FIELD_LATER(trained_sizes, r2, REAL),
    FIELD_LATER(trained_sizes, error, REAL),
    FIELD_LATER(trained_sizes, missed, REAL),
    FIELD_LATER(trained_sizes, scale_low, REAL),
    FIELD_LATER(trained_sizes, scale_high, REAL),
};

static part_names trained_part(size_t i)
{
    part_names names;
    snprintf(names.object, sizeof names.object, "model_%zu", i + 1);
    snprintf(names.W, sizeof names.W, "W_%zu", i + 1);
    snprintf(names.history, sizeof names.history, "history_%zu", i + 1);
    return names;
}

static const model_names trained_model_names = {"W", "history"};

/* A value of a parameter: a number, the word of an objective, or "inf". */
static json_t *value_json(spd_parameter parameter, double value)
{
    if (parameter == SPD_PARAMETER_OBJECTIVE)
        return json_string(spd_name(SPD_ENUM_OBJECTIVE, (spd_objective)value));
    return isfinite(value) ? json_real(value) : json_string("inf");
}

static void put_method(record_writer *w, const spd_method *method)
{
    char name[SPD_METHOD_NAME];
    json_t *values = json_object();
    spd_method_name(method, name);
    record_put(w, w->meta, "method", json_string(name));
    for (unsigned i = 0; i < SPD_PARAMETERS; i++)
        if (!isnan(method->value[i]))
            record_put(w, values, spd_name(SPD_ENUM_PARAMETER, (spd_parameter)i),
                       value_json((spd_parameter)i, method->value[i]));
    record_put(w, w->meta, "parameters", values);
}

static void put_notes(record_writer *w, const spd_metadata *notes)
{
    json_t *made = notes->made ? json_loads(notes->made, 0, NULL) : NULL;
    record_put(w, w->meta, "labels", json_string(spd_name(SPD_ENUM_TYPE, notes->label_type)));
    if (!notes->class_name || notes->unnamed)
        record_put(w, w->meta, "unnamed", json_true());
    if (made)
        record_put(w, w->meta, "made", made);
    if (notes->settings == 0)
        return;
    json_t *tuned =
        json_pack("{s:I,s:i}", "settings", (json_int_t)notes->settings, "folds", notes->folds);
    record_put(w, w->meta, "tuned", tuned);
    if (isfinite(notes->accuracy))
        record_put(w, tuned, "accuracy", json_real(notes->accuracy));
    if (isfinite(notes->accuracy_no_map))
        record_put(w, tuned, "accuracy_no_map", json_real(notes->accuracy_no_map));
}

/* Texts that are the classes' own names, or their numbers. */
static void put_names(record_writer *w, size_t count, const spd_metadata *notes)
{
    const char **name = arena_zero(&w->room, count, sizeof *name);
    for (size_t k = 0; name && k < count; k++) {
        char *number = notes->class_name ? NULL : arena_alloc(&w->room, PART_ROOM, 1);
        if (number)
            snprintf(number, PART_ROOM, "%zu", k);
        name[k] = notes->class_name ? notes->class_name[k] : number;
    }
    const spd_array array = {.name = "class_names",
                             .type = SPD_TYPE_TEXT,
                             .ndim = 2,
                             .shape = {count, 1},
                             .count = count,
                             .text = name};
    record_array(w, &array);
}

static void put_map(record_writer *w, const map *a, int hermitian)
{
    for (size_t i = 0; i < a->parts; i++) {
        part_names *names = arena_alloc(&w->room, 1, sizeof *names);
        if (!names)
            return;
        *names = trained_part(i);
        const model_names arrays = {names->W, names->history};
        model_write(w, a->part[i], &arrays, record_part(w, names->object));
    }
    if (a->model)
        model_write(w, a->model, &trained_model_names, record_part(w, TRAINED_MODEL));
    else if (a->W)
        record_map(w, "W", a->n, a->m, a->W, hermitian);
}

static void put_shelf(record_writer *w, const saved_arrays *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const saved_item *item = &s->item[i];
        spd_array array = {.name = item->name,
                           .type = item->type,
                           .ndim = 2,
                           .shape = {item->rows, item->columns},
                           .count = item->rows * item->columns};
        if (item->type == SPD_TYPE_FLOAT64)
            array.f64 = item->values;
        else
            array.i64 = item->values;
        record_array(w, &array);
    }
}

static void begin(spd_context *ctx, const spd_classifier *c, record_writer *w)
{
    training_state own = c->state; /* keep may replace what it puts aside */
    record_begin(w, ctx, METHOD_KIND,
                 c->regression                  ? RECORD_METHOD_FORMAT
                 : alignment_is_on(&own.method) ? RECORD_METHOD_ALIGNED
                                                : RECORD_METHOD_OLDEST,
                 spd_version());
    if (w->status < 0)
        return;
    saved_arrays s = {.ctx = ctx, .room = &w->room};
    if (own.kind->keep)
        own.kind->keep(&s, &own);
    else
        training_state_keep_samples(&s, &own);
    w->status = s.status;
    trained_sizes all = {.n = c->map.n,
                         .m = c->map.m,
                         .p = own.train.p,
                         .learned = c->learned,
                         .height = own.kind->vectors ? own.train.height : 0,
                         .width = own.kind->vectors ? own.train.width : 0,
                         .classes = own.train.classes,
                         .parts = c->map.parts,
                         .nu_w = c->map.nu_w,
                         .nu_b = c->map.nu_b,
                         .objective = c->map.objective,
                         .hermitian = own.train.hermitian,
                         .regression = c->regression,
                         .r2 = c->r2,
                         .error = c->error,
                         .missed = c->missed,
                         .scale_low = c->scale_low,
                         .scale_high = c->scale_high};
    put_method(w, &own.method);
    record_fields(w, TRAINED_SIZES, trained_size_fields, &all, record_part(w, "sizes"));
    put_notes(w, &c->notes);
    alignment_write(w, c);
    put_names(w, own.train.classes, &c->notes);
    put_map(w, &c->map, own.train.hermitian);
    put_shelf(w, &s);
}

spd_status spd_classifier_save(spd_context *ctx, const spd_classifier *c, const char *path)
{
    record_writer w;
    ctx_clear(ctx);
    if (!c || !path)
        return ctx_fail(ctx, SPD_EINVAL, "the classifier or the path is missing");
    begin(ctx, c, &w);
    return record_save(&w, path);
}

spd_status spd_classifier_pack(spd_context *ctx, const spd_classifier *c, unsigned char **bytes,
                               size_t *size)
{
    record_writer w;
    ctx_clear(ctx);
    if (!c || !bytes || !size)
        return ctx_fail(ctx, SPD_EINVAL, "the classifier or the room for bytes is missing");
    begin(ctx, c, &w);
    return record_pack(&w, bytes, size);
}

void spd_bytes_free(unsigned char *bytes)
{
    mem_free(bytes);
}

/* ---- from a file ---------------------------------------------------------------------------- */

/* Sides of matrices: beyond are files that lie. */
#define LARGEST_SIDE ((size_t)1 << 24)

/* A file that is being read. */
typedef struct reading {
    spd_context *ctx;
    const io_bundle *bundle;
    const json_t *meta;
    const char *version;
    trained_sizes all;
} reading;

static spd_status find(void *user, const char *name, spd_type type, size_t rows, size_t columns,
                       const spd_array **array)
{
    const reading *r = user;
    return record_find(r->ctx, r->bundle, name, type, rows, columns, array);
}

static spd_status take_value(spd_context *ctx, const char *key, const json_t *value,
                             spd_method *method)
{
    const char *word = json_string_value(value);
    int parameter = spd_parse(NULL, SPD_ENUM_PARAMETER, key);
    int objective = spd_parse(NULL, SPD_ENUM_OBJECTIVE, word);
    if (parameter < 0)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "meta.json: there is no parameter '%.40s'; use a newer version of spdml",
                        key);
    if (parameter == SPD_PARAMETER_OBJECTIVE && objective >= 0)
        method->value[parameter] = objective;
    else if (parameter != SPD_PARAMETER_OBJECTIVE && json_is_number(value))
        method->value[parameter] = json_number_value(value);
    else if (parameter != SPD_PARAMETER_OBJECTIVE && word && strcmp(word, "inf") == 0)
        method->value[parameter] = (double)INFINITY;
    else
        return ctx_fail(ctx, SPD_EFORMAT, "meta.json: '%.40s' is no value of that parameter", key);
    return SPD_OK;
}

static spd_status take_method(const reading *r, spd_method *method)
{
    const char *name = json_string_value(json_object_get(r->meta, "method")), *key;
    json_t *values = json_object_get(r->meta, "parameters"), *value;
    *method = (spd_method)SPD_STRUCT(spd_method);
    if (!name || !json_is_object(values))
        return ctx_fail(r->ctx, SPD_EFORMAT, "meta.json: 'method' or 'parameters' is missing");
    spd_status status = spd_method_parse(NULL, name, method);
    if (status < 0 || method->automatic)
        return ctx_fail(r->ctx, SPD_EFORMAT,
                        "meta.json: there is no method '%.60s'; use a newer version of spdml",
                        name);
    if (json_integer_value(json_object_get(r->meta, "normalize_kernel")) ||
        json_integer_value(json_object_get(r->meta, "no_occlusion")))
        return ctx_fail(r->ctx, SPD_EFORMAT,
                        "meta.json: a normalised kernel of rsr, or gsrc without its occlusion "
                        "dictionary, can no longer be used; train the method again");
    json_object_foreach(values, key, value)
    {
        if (status == SPD_OK)
            status = take_value(r->ctx, key, value, method);
    }
    if (status == SPD_OK)
        status = method_check(r->ctx, method);
    return status;
}

static spd_status check_sizes(const reading *r, const spd_method *method)
{
    const trained_sizes *a = &r->all;
    int vectors = spd_method_on_vectors(method);
    size_t side = vectors ? a->height : a->n, other = vectors ? a->width : a->m;
    if (side < 1 || side > LARGEST_SIDE || other < 1 || other > LARGEST_SIDE || a->p < 1 ||
        a->p > INT_MAX || a->classes < 1 || a->classes > INT_MAX || a->parts > MAP_PARTS)
        return ctx_fail(r->ctx, SPD_EFORMAT, "meta.json: sizes are out of range");
    if (a->regression && a->classes != 1)
        return ctx_fail(r->ctx, SPD_EFORMAT, "meta.json: a regression has no classes");
    if (!vectors && a->hermitian && (a->n % 2 || a->m % 2))
        return ctx_fail(r->ctx, SPD_EFORMAT, "meta.json: real forms have even sizes");
    if ((a->parts > 0) != (method_has_parts(method) && a->m > a->n))
        return ctx_fail(r->ctx, SPD_EFORMAT, "meta.json: the parts do not suit the map");
    if (!vectors && a->parts == 0 && (a->m > a->n || (method->map == SPD_MAP_NONE && a->m < a->n)))
        return ctx_fail(r->ctx, SPD_EFORMAT, "meta.json: m = %zu does not suit n = %zu", a->m,
                        a->n);
    return SPD_OK;
}

/* *model <- that of an object of meta.json; it must map n x n matrices. */
static spd_status take_model(const reading *r, const char *object, const model_names *names,
                             spd_model **model)
{
    const json_t *meta = json_object_get(r->meta, object);
    if (!json_is_object(meta))
        return ctx_fail(r->ctx, SPD_EFORMAT, "meta.json: '%s' is missing", object);
    spd_status status = model_read(r->ctx, r->bundle, meta, names, r->version, model);
    if (status == SPD_OK && !(*model)->options->hermitian != !r->all.hermitian)
        status = ctx_fail(r->ctx, SPD_EFORMAT,
                          "meta.json: '%s' and the sizes contradict each other", object);
    if (status == SPD_OK && (*model)->n != r->all.n)
        status = ctx_fail(r->ctx, SPD_EFORMAT,
                          "meta.json: '%s' maps %zu x %zu matrices, not %zu x "
                          "%zu",
                          object, (*model)->n, (*model)->n, r->all.n, r->all.n);
    return status;
}

static spd_status take_parts(const reading *r, map *a)
{
    spd_status status = SPD_OK;
    size_t m = a->n;
    for (size_t i = 0; i < r->all.parts && status == SPD_OK; i++) {
        part_names names = trained_part(i);
        const model_names arrays = {names.W, names.history};
        status = take_model(r, names.object, &arrays, &a->part[i]);
        m += status == SPD_OK ? a->part[i]->m : 0;
    }
    a->parts = r->all.parts;
    if (status == SPD_OK && (m != a->m || a->part[a->parts - 1]->m >= a->n))
        status = ctx_fail(r->ctx, SPD_EFORMAT, "meta.json: the parts of the map do not add up");
    for (size_t i = 1; i < a->parts && status == SPD_OK; i++)
        if (a->part[i]->m <= a->part[i - 1]->m)
            status = ctx_fail(r->ctx, SPD_EFORMAT, "meta.json: the parts of the map do not grow");
    return status;
}

/* A map that is W alone. */
static spd_status take_W(const reading *r, arena *keep, map *a)
{
    const spd_array *W = NULL;
    int hermitian = r->all.hermitian;
    spd_status status = record_find_map(r->ctx, r->bundle, "W", hermitian ? a->n / 2 : a->n,
                                        hermitian ? a->m / 2 : a->m, hermitian, &W);
    if (status < 0)
        return status;
    a->W = arena_alloc(keep, a->n, a->m * sizeof *a->W);
    return a->W ? record_to_map(r->ctx, W, a->W) : ctx_nomem(r->ctx, "a map");
}

static spd_status take_map(const reading *r, arena *keep, map *a)
{
    *a = (map){.n = r->all.n,
               .m = r->all.m,
               .nu_w = r->all.nu_w,
               .nu_b = r->all.nu_b,
               .objective = r->all.objective};
    if (r->all.parts > 0)
        return take_parts(r, a);
    if (a->m == a->n)
        return SPD_OK;
    if (!json_object_get(r->meta, TRAINED_MODEL))
        return take_W(r, keep, a);
    spd_status status = take_model(r, TRAINED_MODEL, &trained_model_names, &a->model);
    if (status == SPD_OK && a->model->m != a->m)
        status =
            ctx_fail(r->ctx, SPD_EFORMAT, "meta.json: the map is not to %zu x %zu", a->m, a->m);
    if (status == SPD_OK)
        a->W = a->model->W;
    return status;
}

static void take_tuned(const json_t *tuned, spd_metadata *notes)
{
    json_int_t settings = json_integer_value(json_object_get(tuned, "settings"));
    json_int_t folds = json_integer_value(json_object_get(tuned, "folds"));
    const json_t *accuracy = json_object_get(tuned, "accuracy");
    const json_t *no_map = json_object_get(tuned, "accuracy_no_map");
    notes->settings = settings > 0 ? (size_t)settings : 0;
    notes->folds = folds > 0 && folds < INT_MAX ? (int)folds : 0;
    if (json_is_number(accuracy))
        notes->accuracy = json_number_value(accuracy);
    if (json_is_number(no_map))
        notes->accuracy_no_map = json_number_value(no_map);
}

/* The JSON text of how the matrices were made, in that arena; NULL where the file does not say. */
static const char *take_made(const json_t *meta, arena *room)
{
    const json_t *made = json_object_get(meta, "made");
    const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY;
    size_t size = made ? json_dumpb(made, NULL, 0, flags) : 0;
    char *text = size ? arena_zero(room, size + 1, 1) : NULL;
    return text && json_dumpb(made, text, size, flags) == size ? text : NULL;
}

static spd_status take_notes(const reading *r, spd_classifier *c)
{
    const spd_array *names = NULL;
    const char *type = json_string_value(json_object_get(r->meta, "labels"));
    arena room = {0};
    spd_metadata notes = trained_no_notes();
    spd_status status =
        record_find(r->ctx, r->bundle, "class_names", SPD_TYPE_TEXT, r->all.classes, 1, &names);
    if (status == SPD_OK) {
        notes.classes = r->all.classes;
        notes.class_name = names->text;
        notes.version = r->version;
        notes.unnamed = json_is_true(json_object_get(r->meta, "unnamed"));
        notes.label_type = SPD_TYPE_TEXT;
        for (unsigned i = 0; type && i < SPD_TYPE_TEXT; i++)
            if (strcmp(type, spd_name(SPD_ENUM_TYPE, (spd_type)i)) == 0)
                notes.label_type = (spd_type)i;
        notes.made = take_made(r->meta, &room);
        take_tuned(json_object_get(r->meta, "tuned"), &notes);
        status = alignment_read_names(r->ctx, r->bundle, r->meta, &notes);
    }
    if (status == SPD_OK)
        status = spd_classifier_set_metadata(r->ctx, c, &notes);
    arena_free(&room);
    return status;
}

/* The steps of training, for a classifier that keeps nothing but samples. */
static spd_status train_again(spd_context *ctx, training_state *c)
{
    spd_status status = classifier_ask(ctx, c->kind, c->train.p);
    if (status >= 0 && c->kind->prepare)
        status = c->kind->prepare(ctx, c);
    if (status >= 0 && c->kind->train)
        status = c->kind->train(ctx, c);
    return status < 0 ? status : SPD_OK;
}

static spd_status take_course(const reading *r, training_state *c)
{
    saved_arrays s = {
        .ctx = r->ctx, .room = &c->preparing, .find = find, .user = (reading *)(uintptr_t)r};
    c->train = (samples){.size = sizeof c->train,
                         .p = r->all.p,
                         .n = c->kind->vectors ? 0 : r->all.m,
                         .height = r->all.height,
                         .width = r->all.width,
                         .classes = r->all.classes,
                         .hermitian = r->all.hermitian};
    if (c->kind->keep) {
        c->kind->keep(&s, c);
        return s.status < 0 ? s.status : SPD_OK;
    }
    training_state_keep_samples(&s, c);
    return s.status == SPD_OK ? train_again(r->ctx, c) : s.status;
}

static spd_status take_all(reading *r, spd_classifier *c)
{
    const json_t *all = json_object_get(r->meta, "sizes");
    spd_status status = fields_read(r->ctx, TRAINED_SIZES, trained_size_fields, all, &r->all);
    if (status == SPD_OK)
        status = take_method(r, &c->state.method);
    if (status == SPD_OK)
        status = check_sizes(r, &c->state.method);
    if (status < 0)
        return status;
    c->state.kind = classifier_of(c->state.method.classifier);
    c->learned = r->all.learned;
    c->regression = r->all.regression != 0;
    c->r2 = r->all.r2;
    c->error = r->all.error;
    c->missed = r->all.missed;
    c->scale_low = r->all.scale_low;
    c->scale_high = r->all.scale_high;
    status = take_map(r, &c->state.preparing, &c->map);
    if (status == SPD_OK)
        status = alignment_read(r->ctx, r->bundle, r->meta, c);
    if (status == SPD_OK)
        status = take_course(r, &c->state);
    if (status == SPD_OK)
        status = take_notes(r, c);
    return status;
}

static spd_status take_trained(spd_context *ctx, const io_bundle *bundle, const json_t *meta,
                               const char *version, void *made)
{
    reading r = {.ctx = ctx, .bundle = bundle, .meta = meta, .version = version};
    spd_classifier *c = mem_zero(1, sizeof *c), **trained = made;
    if (!c)
        return ctx_nomem(ctx, "a classifier");
    spd_status status = fault_unnamed(ctx, take_all(&r, c));
    if (status < 0)
        spd_classifier_free(c);
    else
        *trained = c;
    return status;
}

const record_kind trained_record = {METHOD_KIND, RECORD_METHOD_OLDEST, RECORD_METHOD_FORMAT,
                                    take_trained};

spd_status spd_classifier_load(spd_context *ctx, const char *path, spd_classifier **trained)
{
    ctx_clear(ctx);
    if (!path || !trained)
        return ctx_fail(ctx, SPD_EINVAL, "the path or the room for a classifier is missing");
    return record_load(ctx, &trained_record, path, trained);
}

spd_status spd_classifier_unpack(spd_context *ctx, const unsigned char *bytes, size_t size,
                                 spd_classifier **trained)
{
    ctx_clear(ctx);
    if (!bytes || !trained)
        return ctx_fail(ctx, SPD_EINVAL, "the bytes or the room for a classifier are missing");
    return record_unpack(ctx, &trained_record, bytes, size, trained);
}
