/* describe.c - spd_describe: lists the inputs, describes them in parallel, gathers the matrices.
 *
 * Inputs are taken in batches. Members of archives, which can only be read one after the other,
 * are read before their batch is described; files are read by the thread that describes them, so
 * memory holds one file per thread, or a batch of members of limited size, and of decoded images
 * as many as fit into a quarter of what is left, one at least. A batch is gathered in order:
 * nothing depends on the number of threads. */
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/relay.h"
#include "base/sized.h"
#include "describe/collection.h"
#include "describe/resize.h"
#include "run/parallel.h"
#include "formats/archive.h"

#define BATCH       64
#define BATCH_BYTES ((size_t)64 << 20)
#define IMAGE_SHARE 0.25 /* of the memory that is left, for decoded images */

/* What came of one input of the batch. */
typedef struct outcome {
    unsigned char *bytes; /* of an archive's member */
    size_t size;
    description made;
    image *picture;  /* grey, where images are kept */
    json_t *rows;    /* what rows are: of the first batch, and clips alone */
    spd_error error; /* status < 0: it is broken */
} outcome;

typedef struct run {
    spd_context *ctx;
    const descriptor *how;
    const spd_describe_options *options;
    void *shared;
    inputs list;
    budget images; /* in numbers */
    labelling labels;
    collection all;
    spd_context **own; /* one per thread */
    int threads;
    archive_file *archive; /* open at present, or NULL */
    const char *source;    /* its path */
    size_t member;         /* how many of its members have been passed */
    size_t first, count;   /* the batch */
    json_t *rows;          /* what the rows of the matrices are, or NULL */
    outcome batch[BATCH];
} run;

/* ---- failures -------------------------------------------------------------------------------- */

/* Keeps the message of a failure with the input, whose name it begins with. */
static spd_status note(spd_context *ctx, const char *name, outcome *o, spd_status status)
{
    if (status < 0) {
        if (strncmp(ctx->error.message, name, strlen(name)) != 0)
            ctx_prefix(ctx, name);
        o->error = ctx->error;
    }
    return status;
}

/* Does this failure end the run? */
static int is_final(const run *r, spd_status status)
{
    return status < 0 && (!r->options->keep_going || status == SPD_ENOMEM);
}

/* ---- one input ------------------------------------------------------------------------------- */

/* Every matrix must be usable: better a message now than one from every later command. */
static spd_status check_matrices(spd_context *ctx, const run *r, const description *made)
{
    double regularize = r->options->covariance.regularize;
    spd_status status = spd_check(ctx, SPD_SET(made->n, made->count, made->X), 0.0);
    if (status != SPD_ENOTSPD)
        return status;
    return ctx_advise(ctx, status, SPD_REMEDY_REGULARIZE,
                      regularize >= 1e-3 ? 10.0 * regularize : 1e-3);
}

static spd_status describe_input(spd_context *ctx, const run *r, const reading *now, outcome *o)
{
    spd_status status = r->how->describe(ctx, r->options, r->shared, &now->in, &o->made);
    if (status >= 0)
        status = check_matrices(ctx, r, &o->made);
    if (status >= 0 && r->options->keep_images && now->in.image)
        status =
            resize_grey(ctx, now->in.image, r->options->width, r->options->height, &o->picture);
    if (status >= 0 && r->first == 0 && now->in.motion)
        status = rows_of_clip(ctx, now->in.motion, r->options->first_frame, &o->rows);
    return status;
}

static spd_status describe_one(void *user, size_t chunk, int thread)
{
    run *r = user;
    outcome *o = &r->batch[chunk];
    const item *what = &r->list.item[r->first + chunk];
    spd_context *ctx = r->own[thread];
    reading now = {0};
    if (o->error.status < 0 || labelling_lacks(&r->labels, r->first + chunk))
        return is_final(r, o->error.status) ? o->error.status : SPD_OK;
    ctx_clear(ctx);
    spd_status status = reading_open(ctx, &r->list, what, o->bytes, o->size, &now);
    if (status >= 0)
        status = describe_input(ctx, r, &now, o);
    reading_close(&now);
    note(ctx, what->name, o, status);
    return is_final(r, status) ? status : SPD_OK;
}

/* ---- a batch --------------------------------------------------------------------------------- */

static void outcome_free(outcome *o)
{
    mem_free(o->bytes);
    description_free(&o->made);
    image_free(o->picture);
    json_decref(o->rows);
    *o = (outcome){0};
}

/* The bytes of an archive's member; archives are read through once, in order. */
static spd_status read_member(run *r, const item *what, outcome *o)
{
    const char *name = "";
    spd_status status = SPD_OK;
    if (!r->archive || r->source != what->archive || r->member > what->index) {
        archive_file_close(r->archive);
        r->archive = NULL;
        r->source = what->archive;
        r->member = 0;
        status = archive_file_open(r->ctx, what->archive, &r->archive);
    }
    while (status == SPD_OK && name && r->member <= what->index) {
        status = archive_file_next(r->ctx, r->archive, &name);
        r->member++;
    }
    if (status == SPD_OK && !name)
        status = ctx_fail(r->ctx, SPD_EIO, "the archive shrank while it was being read");
    if (status == SPD_OK)
        status = archive_file_read(r->ctx, r->archive, ARCHIVE_MEMBER_LIMIT, &o->bytes, &o->size);
    return note(r->ctx, what->name, o, status);
}

/* The next inputs: as many as fit into a batch, one at least. */
static void fill_batch(run *r)
{
    size_t bytes = 0;
    r->count = 0;
    while (r->count < BATCH && r->first + r->count < r->list.count && bytes < BATCH_BYTES) {
        const item *what = &r->list.item[r->first + r->count];
        outcome *o = &r->batch[r->count];
        spd_status status = what->archive ? read_member(r, what, o) : SPD_OK;
        bytes += o->size;
        r->count++;
        if (is_final(r, status))
            break;
    }
}

static spd_status gather_batch(run *r)
{
    spd_status status = SPD_OK;
    for (size_t k = 0; k < r->count && status == SPD_OK; k++) {
        outcome *o = &r->batch[k];
        const char *name = r->list.item[r->first + k].name;
        if (labelling_lacks(&r->labels, r->first + k))
            continue;
        if (o->error.status >= 0) {
            const description counted = o->made;
            status = collection_add(r->ctx, &r->list, r->first + k, &o->made, &o->picture, &r->all);
            if (status == SPD_OK)
                description_join_counts(&counted, r->list.skipped);
            note(r->ctx, name, o, status);
        }
        if (status >= 0 && !r->rows) {
            r->rows = o->rows;
            o->rows = NULL;
        }
        if (is_final(r, status))
            return status;
        if (o->error.status < 0) {
            ctx_pass_on(r->ctx, &o->error);
            status = inputs_skip(r->ctx, &r->list, name);
        }
    }
    return status;
}

/* ---- progress over all batches --------------------------------------------------------------- */

static spd_progress in_batch(const void *user, const spd_progress *inner)
{
    const run *r = user;
    return (spd_progress){inner->task, inner->unit, (double)r->first + inner->done,
                          (double)r->list.count};
}

static spd_status run_batch(run *r)
{
    spd_context *ctx = r->ctx;
    size_t failed = SIZE_MAX;
    relay whole;
    fill_batch(r);
    relay_open(&whole, ctx, in_batch, r);
    spd_status status = parallel_for(ctx, r->count, describe_one, r, "describing", "inputs",
                                     (double)r->count, &failed);
    relay_close(&whole);
    if (status < 0 && failed != SIZE_MAX)
        ctx_pass_on(ctx, &r->batch[failed].error);
    if (status == SPD_OK)
        status = gather_batch(r);
    for (size_t k = 0; k < r->count; k++)
        outcome_free(&r->batch[k]);
    r->first += r->count;
    return status;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* One context per thread. A single input gets all threads for itself. */
static spd_status open_contexts(run *r)
{
    r->threads = parallel_threads(r->ctx);
    r->own = mem_zero((size_t)r->threads, sizeof *r->own);
    if (!r->own)
        return ctx_nomem(r->ctx, "contexts");
    for (int t = 0; t < r->threads; t++) {
        r->own[t] = spd_context_new();
        if (!r->own[t])
            return ctx_nomem(r->ctx, "contexts");
        spd_context_set_threads(r->own[t], r->list.count == 1 ? r->threads : 1);
    }
    return SPD_OK;
}

static void run_free(run *r)
{
    for (int t = 0; r->own && t < r->threads; t++)
        spd_context_free(r->own[t]);
    mem_free(r->own);
    archive_file_close(r->archive);
    if (r->how->release)
        r->how->release(r->shared);
    json_decref(r->rows);
    collection_free(&r->all);
    labelling_free(&r->labels);
    inputs_free(&r->list);
    budget_end(&r->images);
    mem_free(r);
}

static spd_status describe_all(run *r)
{
    spd_status status = SPD_OK;
    while (status == SPD_OK && r->first < r->list.count)
        status = run_batch(r);
    if (status == SPD_OK && r->all.parts == 0) {
        const spd_describe_info *skipped = r->list.skipped;
        status =
            ctx_fail(r->ctx, SPD_EINVAL, "no input could be described; the first error: %.300s",
                     skipped->count ? skipped->error[0]->message : "there is none");
        if (skipped->count)
            ctx_advise(r->ctx, status, skipped->error[0]->remedy, skipped->error[0]->remedy_value);
    }
    return status;
}

static spd_status prepare(run *r, size_t count, const char *const *paths)
{
    if (count == 0)
        return ctx_fail(r->ctx, SPD_EINVAL, "there is nothing to describe");
    spd_status status = r->how->prepare(r->ctx, r->options, &r->shared);
    if (status >= 0)
        status = inputs_list(r->ctx, r->how->takes, r->options, count, paths, &r->list);
    if (status >= 0)
        status = labelling_find(r->ctx, &r->list, &r->labels);
    r->list.images = &r->images;
    if (status >= 0)
        status = open_contexts(r);
    return status;
}

static spd_status describe(spd_context *ctx, spd_descriptor kind, size_t count,
                           const char *const *paths, const spd_describe_options *options,
                           spd_data **data, spd_describe_info **failures)
{
    spd_data *fresh = NULL;
    char *meta = NULL;
    run *r = mem_zero(1, sizeof *r);
    if (!r)
        return ctx_nomem(ctx, "a description");
    r->ctx = ctx;
    r->how = descriptor_of(kind);
    r->options = options;
    budget_begin(&r->images, (size_t)fmin(IMAGE_SHARE * limits_left() / sizeof(double), 0x1p60));
    spd_status status = prepare(r, count, paths);
    if (status >= 0)
        status = describe_all(r);
    if (status >= 0)
        status = collection_data(ctx, &r->list, &r->labels, &r->all, &fresh);
    if (status >= 0 && r->all.part[0].made.channel && !options->covariance.W)
        status =
            rows_of_names(ctx, r->all.part[0].made.channels, r->all.part[0].made.channel, &r->rows);
    if (status >= 0)
        status = meta_text(ctx, r->how, options, count, paths, r->list.skipped, r->rows, &meta);
    if (status < 0) {
        spd_data_free(fresh);
    } else {
        if (failures) {
            *failures = r->list.skipped;
            r->list.skipped = NULL;
        }
        fresh->meta = meta;
        *data = fresh;
        ctx_clear(ctx);
    }
    run_free(r);
    return status;
}

spd_status spd_describe(spd_context *ctx, spd_descriptor kind, size_t count,
                        const char *const *paths, const spd_describe_options *options,
                        spd_data **data, spd_describe_info **failures)
{
    spd_describe_options chosen;
    ctx_clear(ctx);
    if (!descriptor_of(kind))
        return ctx_fail(ctx, SPD_EINVAL, "unknown descriptor %d", (int)kind);
    spd_describe_defaults(kind, &chosen, sizeof chosen);
    spd_status status = sized_take(ctx, "spd_describe_options", sizeof chosen, &chosen, options);
    if (status < 0)
        return status;
    if (chosen.observations && kind != SPD_DESCRIPTOR_SIFT_COLOR &&
        kind != SPD_DESCRIPTOR_COVARIANCE)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%zu observations can be taken by sift-color and covariance alone",
                        chosen.observations);
    if (chosen.covariance.regularize < 0.0)
        chosen.covariance.regularize = defaults_regularize(kind);
    /* Messages of inputs are needed even where the caller does not want them. */
    spd_context *own = ctx ? NULL : spd_context_new();
    if (!ctx && !own)
        return SPD_ENOMEM;
    status = describe(ctx ? ctx : own, kind, count, paths, &chosen, data, failures);
    spd_context_free(own);
    return status;
}
