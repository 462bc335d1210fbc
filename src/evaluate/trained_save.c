/* trained_save.c - trained methods into files. */
#include <math.h>
#include <stddef.h>

#include "base/memory.h"
#include "evaluate/trained.h"
#include "evaluate/trained_record.h"

const field trained_size_fields[TRAINED_SIZES] = {
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
    FIELD_ENUM(trained_sizes, objective, naming_objective),
    {.key = "hermitian",
     .offset = offsetof(trained_sizes, hermitian),
     .type = FIELD_INT,
     .later = 1},
};

part_names trained_part(size_t i)
{
    part_names names;
    snprintf(names.object, sizeof names.object, "model_%zu", i + 1);
    snprintf(names.W, sizeof names.W, "W_%zu", i + 1);
    snprintf(names.history, sizeof names.history, "history_%zu", i + 1);
    return names;
}

const model_names trained_model_names = {"W", "history"};

static void put(record_writer *w, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0 && w->status == SPD_OK)
        w->status = ctx_nomem(w->ctx, "meta.json");
}

/* A value of a parameter: a number, the word of an objective, or "inf". */
static json_t *value_json(spd_parameter parameter, double value)
{
    if (parameter == SPD_PARAM_OBJECTIVE)
        return json_string(spd_objective_name((spd_objective)value));
    return isfinite(value) ? json_real(value) : json_string("inf");
}

static void put_method(record_writer *w, const spd_method *method)
{
    char name[SPD_METHOD_NAME];
    json_t *values = json_object();
    spd_method_name(method, name);
    put(w, w->meta, "method", json_string(name));
    put(w, w->meta, "normalize_kernel", json_integer(method->normalize_kernel ? 1 : 0));
    put(w, w->meta, "no_occlusion", json_integer(method->no_occlusion ? 1 : 0));
    for (unsigned i = 0; i < SPD_PARAMETERS; i++)
        if (!isnan(method->value[i]))
            put(w, values, spd_parameter_name((spd_parameter)i),
                value_json((spd_parameter)i, method->value[i]));
    put(w, w->meta, "parameters", values);
}

static void put_notes(record_writer *w, const spd_notes *notes)
{
    json_t *made = notes->made ? json_loads(notes->made, 0, NULL) : NULL;
    put(w, w->meta, "labels", json_string(spd_type_name(notes->label_type)));
    if (!notes->class_name || notes->unnamed)
        put(w, w->meta, "unnamed", json_true());
    if (made)
        put(w, w->meta, "made", made);
    if (notes->settings == 0)
        return;
    json_t *tuned =
        json_pack("{s:I,s:i}", "settings", (json_int_t)notes->settings, "folds", notes->folds);
    put(w, w->meta, "tuned", tuned);
    if (isfinite(notes->accuracy))
        put(w, tuned, "accuracy", json_real(notes->accuracy));
    if (isfinite(notes->accuracy_no_map))
        put(w, tuned, "accuracy_no_map", json_real(notes->accuracy_no_map));
}

/* Texts that are the classes' own names, or their numbers. */
static void put_names(record_writer *w, size_t count, const spd_notes *notes)
{
    const char **name = arena_zero(&w->room, count, sizeof *name);
    for (size_t k = 0; name && k < count; k++) {
        char *number = notes->class_name ? NULL : arena_alloc(&w->room, PART_ROOM, 1);
        if (number)
            snprintf(number, PART_ROOM, "%zu", k);
        name[k] = notes->class_name ? notes->class_name[k] : number;
    }
    const spd_array array = {.name = "class_names",
                             .type = SPD_TEXT,
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

static void put_shelf(record_writer *w, const shelf *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const shelf_item *item = &s->item[i];
        spd_array array = {.name = item->name,
                           .type = item->type,
                           .ndim = 2,
                           .shape = {item->rows, item->columns},
                           .count = item->rows * item->columns};
        if (item->type == SPD_FLOAT64)
            array.f64 = item->values;
        else
            array.i64 = item->values;
        record_array(w, &array);
    }
}

static void begin(spd_context *ctx, const spd_classifier *c, record_writer *w)
{
    course own = c->course; /* keep may replace what it puts aside */
    record_begin(w, ctx, METHOD_KIND, RECORD_METHOD_FORMAT, spd_version());
    if (w->status < 0)
        return;
    shelf s = {.ctx = ctx, .room = &w->room};
    if (own.kind->keep)
        own.kind->keep(&s, &own);
    else
        course_keep_samples(&s, &own);
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
                         .hermitian = own.train.hermitian};
    put_method(w, &own.method);
    record_fields(w, TRAINED_SIZES, trained_size_fields, &all, record_part(w, "sizes"));
    put_notes(w, &c->notes);
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
