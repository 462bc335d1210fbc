/* record.c - parts of files of models, checkpoints and trained methods. Sizes come from files:
 * nothing is taken over before it agrees with the rest. */
#include "learn/record.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/naming.h"
#include "base/rng.h"
#include "io/array.h"
#include "base/hash.h"

/* ---- members of structs --------------------------------------------------------------------- */

/* Enumerations are handled as the unsigned they are stored in. */
_Static_assert(sizeof(spd_metric) == sizeof(unsigned) && sizeof(spd_stop) == sizeof(unsigned) &&
                   sizeof(spd_init) == sizeof(unsigned),
               "enumerations have the size of int");

/* Integers above 2^63 - 1, which JSON readers do not agree on, become texts. */
static json_t *u64_to_json(uint64_t value)
{
    char text[24];
    if (value <= INT64_MAX)
        return json_integer((json_int_t)value);
    snprintf(text, sizeof text, "%" PRIu64, value);
    return json_string(text);
}

/* The JSON value of a member; NULL when it has none or memory is out. */
static json_t *to_json(const field *f, const void *at)
{
    switch (f->type) {
    case FIELD_SIZE:
        return u64_to_json(*(const size_t *)at);
    case FIELD_INT:
        return *(const int *)at < 0 ? NULL : json_integer(*(const int *)at);
    case FIELD_REAL:
        return json_real(*(const double *)at); /* NULL for NaN and Inf */
    case FIELD_U64:
        return u64_to_json(*(const uint64_t *)at);
    case FIELD_NAME:
        break;
    }
    unsigned value;
    memcpy(&value, at, sizeof value);
    return json_string(spd_name(f->of, value)); /* NULL for a value without a word */
}

/* Adds count members of *record to object. SPD_EINVAL for a value that a reader would refuse. */
static spd_status fields_write(spd_context *ctx, size_t count, const field *fields,
                               const void *record, json_t *object)
{
    for (size_t i = 0; i < count; i++) {
        json_t *value = to_json(&fields[i], (const char *)record + fields[i].offset);
        if (!value)
            return ctx_fail(ctx, SPD_EINVAL, "cannot be saved: '%s' has no valid value",
                            fields[i].key);
        if (json_object_set_new(object, fields[i].key, value) != 0)
            return ctx_nomem(ctx, "meta.json");
    }
    return SPD_OK;
}

static int u64_from_json(const json_t *value, uint64_t *out)
{
    char *end;
    if (json_is_integer(value)) {
        *out = (uint64_t)json_integer_value(value);
        return json_integer_value(value) < 0;
    }
    const char *text = json_string_value(value);
    if (!text || *text < '0' || *text > '9')
        return 1;
    *out = strtoull(text, &end, 10);
    return *end != '\0';
}

static int int_from_json(const json_t *value, int *out)
{
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || number > INT_MAX)
        return 1;
    *out = (int)number;
    return 0;
}

static int size_from_json(const json_t *value, size_t *out)
{
    uint64_t number;
    if (u64_from_json(value, &number) || number > SIZE_MAX)
        return 1;
    *out = (size_t)number;
    return 0;
}

static int real_from_json(const json_t *value, double *out)
{
    double number = json_number_value(value);
    if (!json_is_number(value) || !isfinite(number))
        return 1;
    *out = number;
    return 0;
}

static int from_json(const field *f, const json_t *value, void *at)
{
    switch (f->type) {
    case FIELD_SIZE:
        return size_from_json(value, at);
    case FIELD_INT:
        return int_from_json(value, at);
    case FIELD_REAL:
        return real_from_json(value, at);
    case FIELD_U64:
        return u64_from_json(value, at);
    case FIELD_NAME:
        break;
    }
    int found = spd_parse(NULL, f->of, json_string_value(value));
    if (found >= 0)
        memcpy(at, &found, sizeof found);
    return found < 0;
}

spd_status fields_read(spd_context *ctx, size_t count, const field *fields, const json_t *object,
                       void *record)
{
    static const char *const wanted[] = {"a whole number", "a whole number", "a number",
                                         "a whole number", "a known name"};
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(object, fields[i].key);
        if (!value && fields[i].later)
            continue;
        if (!value)
            return ctx_fail(ctx, SPD_EFORMAT, "meta.json: '%s' is missing", fields[i].key);
        if (from_json(&fields[i], value, (char *)record + fields[i].offset))
            return ctx_fail(ctx, SPD_EFORMAT, "meta.json: '%s' is not %s", fields[i].key,
                            wanted[fields[i].type]);
    }
    return SPD_OK;
}

spd_status fields_check(spd_context *ctx, size_t count, const field *fields, const void *record)
{
    for (size_t i = 0; i < count; i++) {
        unsigned value;
        if (fields[i].type != FIELD_NAME)
            continue;
        memcpy(&value, (const char *)record + fields[i].offset, sizeof value);
        if (!spd_name(fields[i].of, value))
            return ctx_fail(ctx, SPD_EINVAL, "there is no %s number %u",
                            naming_of(fields[i].of)->kind, value);
    }
    return SPD_OK;
}

const char *fields_differ(size_t count, const field *fields, const void *a, const void *b)
{
    static const size_t sizes[] = {[FIELD_SIZE] = sizeof(size_t),
                                   [FIELD_INT] = sizeof(int),
                                   [FIELD_REAL] = sizeof(double),
                                   [FIELD_U64] = sizeof(uint64_t),
                                   [FIELD_NAME] = sizeof(unsigned)};
    for (size_t i = 0; i < count; i++)
        if (memcmp((const char *)a + fields[i].offset, (const char *)b + fields[i].offset,
                   sizes[fields[i].type]) != 0)
            return fields[i].key;
    return NULL;
}

/* ---- records -------------------------------------------------------------------------------- */

#define ORTHONORMAL     1e-8
#define VECTORS         8
#define HISTORY_COLUMNS 5

/* ---- writing -------------------------------------------------------------------------------- */

void record_begin(record_writer *w, spd_context *ctx, const char *kind, int format,
                  const char *version)
{
    *w = (record_writer){.ctx = ctx};
    w->meta = json_pack("{s:i,s:s,s:s}", "format", format, "kind", kind, "version", version);
    w->status = w->meta ? SPD_OK : ctx_nomem(ctx, "meta.json");
}

json_t *record_part(record_writer *w, const char *name)
{
    json_t *object = json_object();
    if (json_object_set_new(w->meta, name, object) != 0 && w->status == SPD_OK)
        w->status = ctx_nomem(w->ctx, "meta.json");
    return object;
}

void record_fields(record_writer *w, size_t count, const field *fields, const void *from,
                   json_t *object)
{
    if (w->status == SPD_OK)
        w->status = fields_write(w->ctx, count, fields, from, object);
}

void record_put(record_writer *w, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0 && w->status == SPD_OK)
        w->status = ctx_nomem(w->ctx, "meta.json");
}

void record_array(record_writer *w, const spd_array *array)
{
    w->array[w->count] = *array;
    w->list[w->count] = &w->array[w->count];
    w->count++;
}

void record_matrix(record_writer *w, const char *name, size_t rows, size_t columns, double *values)
{
    const spd_array array = {.name = name,
                             .type = SPD_TYPE_FLOAT64,
                             .ndim = 2,
                             .shape = {rows, columns},
                             .count = rows * columns,
                             .f64 = values};
    record_array(w, &array);
}

void record_map(record_writer *w, const char *name, size_t n, size_t m, double *W, int hermitian)
{
    double *Z = hermitian ? arena_alloc(&w->room, n, m * sizeof *Z / 2) : W;
    if (hermitian && Z)
        spd_complex_extract(n / 2, m / 2, 1, W, Z);
    record_matrix(w, name, hermitian ? n / 2 : n, hermitian ? m / 2 : m, Z);
    w->array[w->count - 1].type = hermitian ? SPD_TYPE_COMPLEX128 : SPD_TYPE_FLOAT64;
}

void record_history(record_writer *w, const char *name, size_t steps, const spd_fit_step *history)
{
    double *rows = arena_alloc(&w->room, steps, HISTORY_COLUMNS * sizeof *rows);
    for (size_t i = 0; rows && i < steps; i++) {
        const spd_fit_step *h = &history[i];
        const double row[] = {h->cost, h->gradient_norm, h->step, h->seconds, h->probes};
        memcpy(rows + i * HISTORY_COLUMNS, row, sizeof row);
    }
    record_matrix(w, name, steps, HISTORY_COLUMNS, rows);
}

/* The text of meta.json; of no use after a fault. */
static char *finish(record_writer *w)
{
    const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(17);
    size_t size = w->status == SPD_OK ? json_dumpb(w->meta, NULL, 0, flags) : 0;
    char *text = size ? arena_zero(&w->room, size + 1, 1) : NULL;
    int made = text && json_dumpb(w->meta, text, size, flags) == size;
    if (w->status == SPD_OK && (!made || w->room.failed))
        w->status = ctx_nomem(w->ctx, "the file's contents");
    return text;
}

static spd_status let_go(record_writer *w)
{
    json_decref(w->meta);
    arena_free(&w->room);
    return w->status;
}

spd_status record_save(record_writer *w, const char *path)
{
    const char *text = finish(w);
    if (w->status == SPD_OK)
        w->status = bundle_write(w->ctx, path, w->count, w->list, text);
    else
        ctx_prefix(w->ctx, path);
    return let_go(w);
}

spd_status record_pack(record_writer *w, unsigned char **bytes, size_t *size)
{
    const char *text = finish(w);
    if (w->status == SPD_OK)
        w->status = bundle_write_memory(w->ctx, w->count, w->list, text, bytes, size);
    return let_go(w);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* The head of meta.json: whose file is it? */
static spd_status check_head(spd_context *ctx, const json_t *object, const record_kind *kind,
                             const char **version)
{
    const json_t *format = json_object_get(object, "format");
    const char *found = json_string_value(json_object_get(object, "kind"));
    *version = json_string_value(json_object_get(object, "version"));
    if (!json_is_integer(format) || !found || !*version)
        return ctx_fail(
            ctx, SPD_EFORMAT,
            "meta.json: 'format', 'kind' or 'version' is missing; expected a file written by spdml "
            "fit or spdml train");
    if (strcmp(found, INDEX_KIND) == 0)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "is a %s, which earlier versions made for searches of neighbours; a search "
                        "needs none now",
                        found);
    if (strcmp(found, kind->name) != 0)
        return ctx_fail(ctx, SPD_EFORMAT, "is a %.40s, not a %s", found, kind->name);
    if (json_integer_value(format) < kind->oldest)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "has format %lld, written by an older version, spdml %.40s; this is spdml "
                        "%s, which reads format %d: start the fit afresh",
                        (long long)json_integer_value(format), *version, spd_version(),
                        kind->newest);
    if (json_integer_value(format) > kind->newest)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "has format %lld, written by spdml %.40s; this is spdml %s, which reads "
                        "format %d: use a newer version",
                        (long long)json_integer_value(format), *version, spd_version(),
                        kind->newest);
    return SPD_OK;
}

/* What files of older versions may say and no version can do any more: a word, or a number other
 * than the one kept. */
static const struct {
    const char *key, *word;
    double kept;
} left[] = {{"objective", "ratio", 0},         {"objective", "log-margin", 0},
            {"solver", "hestenes-stiefel", 0}, {"solver", "fletcher-reeves", 0},
            {"solver", "hager-zhang", 0},      {"transport", "projection", 0},
            {"rebuild_graph", NULL, 0},        {"candidates", NULL, 0},
            {"affinity_weight", NULL, 1},      {"graph", "directed", 0}};

static int has_left(const char *key, const json_t *value)
{
    const char *word = json_string_value(value);
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (strcmp(key, left[i].key) == 0 &&
            (left[i].word ? word && strcmp(word, left[i].word) == 0
                          : json_is_number(value) && json_number_value(value) != left[i].kept))
            return 1;
    return 0;
}

/* SPD_EFORMAT for an object that says one of these, at any depth. */
static spd_status check_left(spd_context *ctx, json_t *object, const char *version)
{
    const char *key;
    json_t *value;
    spd_status status = SPD_OK;
    json_object_foreach(object, key, value)
    {
        char number[32];
        snprintf(number, sizeof number, "%g", json_number_value(value));
        if (has_left(key, value))
            return ctx_fail(ctx, SPD_EFORMAT,
                            "was learned with the %s %s, which spdml no longer has: learn it "
                            "again, or use the version that made it, %.40s",
                            key, json_is_string(value) ? json_string_value(value) : number,
                            version);
        if (json_is_object(value) && (status = check_left(ctx, value, version)) < 0)
            break;
    }
    return status;
}

spd_status record_take(spd_context *ctx, const record_kind *kind, const io_bundle *bundle,
                       void *made)
{
    json_error_t error;
    const char *version;
    json_t *meta = json_loads(bundle->meta, JSON_REJECT_DUPLICATES, &error);
    if (!meta && !error.text[0]) /* as jansson has it */
        return ctx_nomem(ctx, "meta.json");
    if (!meta)
        return ctx_fail(ctx, SPD_EFORMAT, "meta.json: line %d: %.100s", error.line, error.text);
    spd_status status = check_head(ctx, meta, kind, &version);
    if (status == SPD_OK)
        status = check_left(ctx, meta, version);
    if (status == SPD_OK)
        status = kind->take(ctx, bundle, meta, version, made);
    json_decref(meta);
    return status;
}

spd_status record_load(spd_context *ctx, const record_kind *kind, const char *path, void *made)
{
    io_bundle *bundle = NULL;
    spd_status status = bundle_read(ctx, path, &bundle);
    if (status < 0)
        return status;
    status = record_take(ctx, kind, bundle, made);
    if (status < 0)
        ctx_prefix(ctx, path);
    bundle_free(bundle);
    return status;
}

spd_status record_unpack(spd_context *ctx, const record_kind *kind, const unsigned char *bytes,
                         size_t size, void *made)
{
    io_bundle *bundle = NULL;
    ctx_clear(ctx);
    spd_status status = bundle_read_memory(ctx, bytes, size, &bundle);
    if (status < 0)
        return status;
    status = record_take(ctx, kind, bundle, made);
    bundle_free(bundle);
    return status;
}

static spd_status check_finite(spd_context *ctx, const spd_array *array)
{
    size_t each = array_width(array->type) / sizeof(double);
    for (size_t i = 0; array->f64 && i < array->count * each; i++)
        if (!isfinite(array->f64[i]))
            return ctx_fail(ctx, SPD_EFORMAT, "%s: element %zu is not finite", array->name,
                            i / each);
    return SPD_OK;
}

spd_status record_find(spd_context *ctx, const io_bundle *bundle, const char *name, spd_type type,
                       size_t rows, size_t columns, const spd_array **array)
{
    const spd_array *found = NULL;
    spd_status status = bundle_array(ctx, bundle, name, rows, columns, &found);
    if (status < 0)
        return status;
    if (!found || found->type != type)
        return ctx_fail(ctx, SPD_EFORMAT, "%s: is not %zu x %zu %s, as meta.json says", name, rows,
                        columns,
                        type == SPD_TYPE_FLOAT64      ? "numbers"
                        : type == SPD_TYPE_COMPLEX128 ? "complex numbers"
                                                      : "whole numbers");
    status = check_finite(ctx, found);
    if (status == SPD_OK)
        *array = found;
    return status;
}

spd_status record_find_map(spd_context *ctx, const io_bundle *bundle, const char *name, size_t n,
                           size_t m, int hermitian, const spd_array **array)
{
    return record_find(ctx, bundle, name, hermitian ? SPD_TYPE_COMPLEX128 : SPD_TYPE_FLOAT64, n, m,
                       array);
}

spd_status record_to_map(spd_context *ctx, const spd_array *array, double *W)
{
    size_t n = array->shape[0], m = array->shape[1], each = 1;
    if (array->type == SPD_TYPE_COMPLEX128) {
        spd_complex_embed(n, m, 1, array->f64, W);
        each = 2;
    } else {
        memcpy(W, array->f64, n * m * sizeof *W);
    }
    return record_check_orthonormal(ctx, array->name, each * n, each * m, W);
}

spd_status record_to_history(spd_context *ctx, const io_bundle *bundle, const char *name,
                             size_t steps, spd_fit_step **history)
{
    const spd_array *table = NULL;
    spd_status status =
        record_find(ctx, bundle, name, SPD_TYPE_FLOAT64, steps, HISTORY_COLUMNS, &table);
    if (status != SPD_OK)
        return status;
    spd_fit_step *fresh = mem_alloc(steps, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "a history");
    for (size_t i = 0; i < steps; i++) {
        const double *row = table->f64 + i * HISTORY_COLUMNS;
        if (row[4] < 0 || row[4] > INT_MAX) {
            mem_free(fresh);
            return ctx_fail(ctx, SPD_EFORMAT, "%s: step %zu has no valid count of probes", name, i);
        }
        fresh[i] = (spd_fit_step){row[0], row[1], row[2], row[3], (int)row[4]};
    }
    *history = fresh;
    return SPD_OK;
}

/* The rows w_i of W give W'W r = sum_i w_i (w_i . r) for all the vectors r at once. */
static double departure(size_t n, size_t m, const double *W, const double *R, double *S)
{
    double worst = 0;
    memset(S, 0, m * VECTORS * sizeof *S);
    for (size_t i = 0; i < n; i++) {
        const double *row = W + i * m;
        double dot[VECTORS] = {0};
        for (size_t a = 0; a < m; a++)
            for (size_t k = 0; k < VECTORS; k++)
                dot[k] += row[a] * R[a * VECTORS + k];
        for (size_t a = 0; a < m; a++)
            for (size_t k = 0; k < VECTORS; k++)
                S[a * VECTORS + k] += row[a] * dot[k];
    }
    for (size_t i = 0; i < m * VECTORS; i++) {
        double gap = fabs(S[i] - R[i]);
        worst = gap <= worst ? worst : gap; /* so that NaN is the worst of all */
    }
    return worst;
}

/* (W'W - I) r for vectors r of random numbers, in time n m: were an entry of W'W - I ten times the
 * tolerance, all eight would be within it once in 10^8 times. W itself is the seed, so that no W
 * can be made for the r. */
spd_status record_check_orthonormal(spd_context *ctx, const char *name, size_t n, size_t m,
                                    const double *W)
{
    double *R = mem_alloc(m, 2 * VECTORS * sizeof *R);
    rng random;
    if (!R)
        return ctx_nomem(ctx, "a check");
    rng_seed(&random, hash_bytes(0, W, n * m * sizeof *W));
    for (size_t i = 0; i < m * VECTORS; i++)
        R[i] = rng_normal(&random);
    double worst = departure(n, m, W, R, R + m * VECTORS);
    mem_free(R);
    if (!(worst <= ORTHONORMAL))
        return ctx_fail(ctx, SPD_EFORMAT, "%s: columns are not orthonormal (off by about %.1g)",
                        name, worst);
    return SPD_OK;
}
