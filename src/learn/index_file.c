/* index_file.c - an index of a set (search/index.h) as a file.
 *
 * meta.json: "metric", "n", "p", "hash" (of the matrices), "length" of a long vector, "d" of a sketch,
 * "scale". Arrays: "view" (n x n; not of flat metrics), "basis" (d x length, if d < length),
 * "sketches" (p x d, padded to a multiple of 8) and "links" (p x INDEX_DEGREE, numbers of samples).
 * Numbers of single precision are written as doubles. */
#include "learn/index_file.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/metric.h"
#include "learn/record.h"
#include "search/index.h"

#define KIND    "spdml index"
#define FORMAT  1
#define LARGEST ((size_t)1 << 20) /* n, so that n (n + 1) is a number */

typedef struct head {
    spd_metric metric;
    size_t n, p, length, d;
    uint64_t hash;
    double scale;
} head;

static const field fields[] = {FIELD_ENUM(head, metric, SPD_ENUM_METRIC),
                               FIELD(head, n, SIZE),
                               FIELD(head, p, SIZE),
                               FIELD(head, length, SIZE),
                               FIELD(head, d, SIZE),
                               FIELD(head, hash, U64),
                               FIELD(head, scale, REAL)};

/* ---- to a file ------------------------------------------------------------------------------- */

static void put_floats(record_writer *w, const char *name, size_t rows, size_t columns,
                       const float *from)
{
    double *values = arena_alloc(&w->room, rows, columns * sizeof *values);
    for (size_t e = 0; values && e < rows * columns; e++)
        values[e] = (double)from[e];
    record_matrix(w, name, rows, columns, values);
}

spd_status spd_index_save(spd_context *ctx, const spd_index *index, const char *path)
{
    record_writer w;
    ctx_clear(ctx);
    if (!index || !path)
        return ctx_fail(ctx, SPD_EINVAL, "no index or no path given");
    const unfolding *u = &index->u;
    const head h = {index->metric, index->n, index->p, u->length, u->d, index->hash, u->scale};
    record_begin(&w, ctx, KIND, FORMAT, spd_version());
    record_fields(&w, FIELDS(fields), fields, &h, w.meta);
    if (u->W)
        record_matrix(&w, "view", u->n, u->n, u->W);
    if (u->basis)
        put_floats(&w, "basis", u->d, u->length, u->basis);
    put_floats(&w, "sketches", index->p, index->v.d, index->v.V);
    const spd_array links = {.name = "links",
                             .type = SPD_TYPE_INT64,
                             .ndim = 2,
                             .shape = {index->p, INDEX_DEGREE},
                             .count = index->p * INDEX_DEGREE,
                             .i64 = index->link};
    record_array(&w, &links);
    return record_save(&w, path);
}

/* ---- from a file ----------------------------------------------------------------------------- */

/* Do the sizes go together? */
static spd_status check_head(spd_context *ctx, const head *h)
{
    if (h->n < 1 || h->n > LARGEST || h->p < 2 || h->p > SIZE_MAX / INDEX_DEGREE)
        return ctx_fail(ctx, SPD_EFORMAT, "meta.json: %zu matrices %zu x %zu have no index", h->p,
                        h->n, h->n);
    const metric *m = metric_get(h->metric);
    size_t length = m->flat ? m->size(h->n) : h->n * (h->n + 1) / 2;
    if (h->length != length || h->d < 1 || !(h->scale > 0.0) ||
        (length > SKETCH_MOST ? h->d > SKETCH_MOST : h->d != length))
        return ctx_fail(ctx, SPD_EFORMAT,
                        "meta.json: 'length' %zu, 'd' %zu or 'scale' do not suit matrices %zu x "
                        "%zu",
                        h->length, h->d, h->n, h->n);
    return SPD_OK;
}

/* *to <- the array as floats, finite too. */
static spd_status take_floats(spd_context *ctx, const io_bundle *bundle, const char *name,
                              size_t rows, size_t columns, arena *keep, float **to)
{
    const spd_array *array = NULL;
    spd_status status = record_find(ctx, bundle, name, SPD_TYPE_FLOAT64, rows, columns, &array);
    if (status < 0)
        return status;
    *to = arena_alloc(keep, rows, columns * sizeof **to);
    if (!*to)
        return ctx_nomem(ctx, "an index");
    for (size_t e = 0; e < array->count; e++) {
        (*to)[e] = (float)array->f64[e];
        if (!isfinite((*to)[e]))
            return ctx_fail(ctx, SPD_EFORMAT, "%s: element %zu is too large", name, e);
    }
    return SPD_OK;
}

static spd_status take_view(spd_context *ctx, const io_bundle *bundle, spd_index *x)
{
    const spd_array *view = NULL;
    size_t n = x->n;
    if (metric_get(x->metric)->flat)
        return SPD_OK;
    spd_status status = record_find(ctx, bundle, "view", SPD_TYPE_FLOAT64, n, n, &view);
    if (status < 0)
        return status;
    x->u.W = arena_alloc(&x->room, n, n * sizeof *x->u.W);
    if (!x->u.W)
        return ctx_nomem(ctx, "an index");
    memcpy(x->u.W, view->f64, n * n * sizeof *x->u.W);
    return SPD_OK;
}

static spd_status take_links(spd_context *ctx, const io_bundle *bundle, spd_index *x)
{
    const spd_array *links = NULL;
    spd_status status =
        record_find(ctx, bundle, "links", SPD_TYPE_INT64, x->p, INDEX_DEGREE, &links);
    if (status < 0)
        return status;
    for (size_t e = 0; e < links->count; e++)
        if (links->i64[e] < 0 || (size_t)links->i64[e] >= x->p)
            return ctx_fail(ctx, SPD_EFORMAT, "links: %lld is no number of %zu matrices",
                            (long long)links->i64[e], x->p);
    x->link = arena_alloc(&x->room, x->p, INDEX_DEGREE * sizeof *x->link);
    if (!x->link)
        return ctx_nomem(ctx, "an index");
    memcpy(x->link, links->i64, links->count * sizeof *x->link);
    return SPD_OK;
}

static spd_status take_all(spd_context *ctx, const io_bundle *bundle, const head *h, spd_index *x)
{
    *x = (spd_index){.metric = h->metric,
                     .n = h->n,
                     .p = h->p,
                     .hash = h->hash,
                     .u = {.n = h->n, .length = h->length, .d = h->d, .scale = h->scale}};
    x->v = (sketches){.p = h->p, .d = unfolding_room(&x->u)};
    spd_status status = take_view(ctx, bundle, x);
    if (status == SPD_OK && h->length > SKETCH_MOST)
        status = take_floats(ctx, bundle, "basis", h->d, h->length, &x->room, &x->u.basis);
    if (status == SPD_OK)
        status = take_floats(ctx, bundle, "sketches", h->p, x->v.d, &x->room, &x->v.V);
    return status == SPD_OK ? take_links(ctx, bundle, x) : status;
}

spd_status index_from_bundle(spd_context *ctx, const io_bundle *bundle, spd_index **index)
{
    json_t *meta = NULL;
    const char *version;
    head h = {0};
    spd_status status = record_meta_parse(ctx, bundle->meta, KIND, FORMAT, FORMAT, &version, &meta);
    if (status < 0)
        return status;
    status = fields_read(ctx, FIELDS(fields), fields, meta, &h);
    json_decref(meta);
    if (status == SPD_OK)
        status = check_head(ctx, &h);
    spd_index *x = status == SPD_OK ? mem_zero(1, sizeof *x) : NULL;
    if (status == SPD_OK && !x)
        status = ctx_nomem(ctx, "an index");
    if (status == SPD_OK)
        status = take_all(ctx, bundle, &h, x);
    if (status < 0)
        spd_index_free(x);
    else
        *index = x;
    return status;
}

spd_status spd_index_load(spd_context *ctx, const char *path, spd_index **index)
{
    io_bundle *bundle = NULL;
    ctx_clear(ctx);
    if (!path || !index)
        return ctx_fail(ctx, SPD_EINVAL, "no path, or no room for an index, given");
    spd_status status = bundle_read(ctx, path, &bundle);
    if (status < 0)
        return status;
    status = index_from_bundle(ctx, bundle, index);
    if (status < 0)
        ctx_prefix(ctx, path);
    bundle_free(bundle);
    return status;
}
