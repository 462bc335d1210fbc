/* descriptor.c - the table of descriptors, their names and usual settings. */
#include "describe/descriptor.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/naming.h"
#include "base/sized.h"

#define PI 3.14159265358979323846

const descriptor *descriptor_of(spd_descriptor kind)
{
    static const descriptor *const all[SPD_DESCRIPTORS] = {
        [SPD_DESCRIBE_COVARIANCE] = &descriptor_covariance,
        [SPD_DESCRIBE_SIFT_COLOR] = &descriptor_sift_color,
        [SPD_DESCRIBE_GABOR] = &descriptor_gabor,
        [SPD_DESCRIBE_REGION] = &descriptor_region,
        [SPD_DESCRIBE_JOINTS] = &descriptor_joints,
    };
    return (unsigned)kind < SPD_DESCRIPTORS ? all[kind] : NULL;
}

static const naming descriptors = {
    .kind = "descriptor",
    .word = {[SPD_DESCRIBE_COVARIANCE] = "covariance",
             [SPD_DESCRIBE_SIFT_COLOR] = "sift-color",
             [SPD_DESCRIBE_GABOR] = "gabor",
             [SPD_DESCRIBE_REGION] = "region",
             [SPD_DESCRIBE_JOINTS] = "joints"},
};

const char *spd_descriptor_name(spd_descriptor kind)
{
    return naming_word(&descriptors, (unsigned)kind);
}

spd_status spd_descriptor_parse(spd_context *ctx, const char *name, spd_descriptor *kind)
{
    return naming_parse(ctx, &descriptors, name, kind);
}

static const naming regions = {
    .kind = "kind of regions",
    .word = {[SPD_REGIONS_WHOLE] = "whole",
             [SPD_REGIONS_HALVES] = "halves",
             [SPD_REGIONS_GRID] = "grid"},
};

const char *spd_regions_name(spd_regions value)
{
    return naming_word(&regions, (unsigned)value);
}

spd_status spd_regions_parse(spd_context *ctx, const char *name, spd_regions *value)
{
    return naming_parse(ctx, &regions, name, value);
}

static const naming label_sources = {
    .kind = "source of labels",
    .word = {[SPD_LABELS_AUTO] = "auto",
             [SPD_LABELS_FOLDER] = "folder",
             [SPD_LABELS_PATTERN] = "pattern",
             [SPD_LABELS_NONE] = "none"},
};

const char *spd_label_source_name(spd_label_source source)
{
    return naming_word(&label_sources, (unsigned)source);
}

spd_status spd_label_source_parse(spd_context *ctx, const char *name, spd_label_source *source)
{
    return naming_parse(ctx, &label_sources, name, source);
}

/* Bones are rigid, so joint positions are bound to each other: their covariance is singular.
 * Neighbouring pixels of a small image that was enlarged depend on each other too, and a part of
 * an image without contrast has no variance but that of the position. */
double defaults_regularize(spd_descriptor kind)
{
    if (kind == SPD_DESCRIBE_SIFT_COLOR)
        return 1e-5;
    if (kind == SPD_DESCRIBE_REGION)
        return 1e-6;
    return kind == SPD_DESCRIBE_JOINTS ? 1e-3 : 0.0;
}

void spd_describe_defaults(spd_descriptor kind, spd_describe_options *options, size_t size)
{
    spd_describe_options usual = {
        .size = sizeof usual,
        .covariance = {.regularize = defaults_regularize(kind)},
        .step = 4,
        .bin = 3,
        .scales = 5,
        .orientations = 8,
        .kmax = sqrt(2.0),
        .spacing = sqrt(2.0),
        .sigma = 2.0 * PI,
        .pyramid = 1,
        .rate = 1.0,
        .order = 4,
    };
    if (kind == SPD_DESCRIBE_SIFT_COLOR) {
        usual.width = usual.height = 400;
    } else if (kind == SPD_DESCRIBE_GABOR) {
        usual.width = usual.height = 64;
        usual.regions = SPD_REGIONS_HALVES;
        usual.grey = 1;
    }
    options->size = size;
    sized_give(sizeof usual, &usual, options);
}

spd_status description_room(spd_context *ctx, size_t count, size_t n, size_t columns,
                            description *out)
{
    size_t entries;
    double *X = NULL, *column = NULL;
    if (!mem_mul(n, n, &entries) && !mem_mul(entries, count, &entries)) {
        X = mem_zero(entries, sizeof *X);
        column = mem_mul(count, columns, &entries) ? NULL : mem_zero(entries, sizeof *column);
    }
    if (!X || !column) {
        mem_free(X);
        mem_free(column);
        return ctx_nomem(ctx, "covariance matrices");
    }
    *out = (description){.count = count, .n = n, .X = X, .columns = columns, .column = column};
    return SPD_OK;
}

void description_free(description *out)
{
    if (!out)
        return;
    for (size_t k = 0; out->label && k < out->count; k++)
        mem_free(out->label[k]);
    for (size_t k = 0; out->channel && k < out->channels; k++)
        mem_free(out->channel[k]);
    mem_free(out->label);
    mem_free(out->channel);
    mem_free(out->X);
    mem_free(out->column);
    *out = (description){0};
}

spd_status description_name(spd_context *ctx, size_t count, char *const *name, description *out)
{
    out->channel = mem_zero(count, sizeof *out->channel);
    int good = out->channel != NULL;
    out->channels = count;
    for (size_t k = 0; k < count && good; k++)
        good = (out->channel[k] = mem_text(name[k])) != NULL;
    return good ? SPD_OK : ctx_nomem(ctx, "names of channels");
}

/* Does the first lack more observations for its rows than the second? */
static int lacks_more(size_t r, size_t rows, size_t other, size_t other_rows)
{
    return rows + other > other_rows + r;
}

/* One block counts for itself; with W all of them add to the rank of one matrix. */
void description_count(const spd_covariance_options *covariance, size_t blocks,
                       const observations *block, description *out)
{
    size_t rank = 0, all = 0, r = 0, rows = 0;
    for (size_t b = 0; b < blocks; b++) {
        rank += block[b].r - 1 < block[b].n ? block[b].r - 1 : block[b].n;
        all += block[b].r;
        if (b == 0 || lacks_more(block[b].r, block[b].n, r, rows)) {
            r = block[b].r;
            rows = block[b].n;
        }
    }
    if (covariance->W) {
        r = all;
        rows = covariance->m;
    }
    out->few += covariance->W ? rank < rows : r <= rows;
    if (out->fewest == 0 || lacks_more(r, rows, out->fewest, out->fewest_rows)) {
        out->fewest = r;
        out->fewest_rows = rows;
    }
}

void description_join_counts(const description *made, spd_failures *all)
{
    all->few += made->few;
    all->events_cut += made->events_cut;
    if (made->few && (all->fewest == 0 ||
                      lacks_more(made->fewest, made->fewest_rows, all->fewest, all->fewest_rows))) {
        all->fewest = made->fewest;
        all->fewest_rows = made->fewest_rows;
    }
}

spd_status description_of_blocks(spd_context *ctx, const spd_covariance_options *covariance,
                                 size_t blocks, const observations *block, description *out)
{
    size_t n = 0;
    description made = {0};
    for (size_t b = 0; b < blocks; b++)
        n += block[b].n;
    spd_status status = description_room(ctx, 1, covariance->W ? covariance->m : n, 0, &made);
    if (status >= 0)
        status = covariance_blocks(ctx, covariance, blocks, block, made.X);
    if (status < 0) {
        description_free(&made);
    } else {
        description_count(covariance, blocks, block, &made);
        *out = made;
    }
    return status;
}

spd_status observations_thin(spd_context *ctx, const spd_describe_options *options,
                             const observations *all, arena *keep, observations *some)
{
    size_t every = options->every, r = every > 1 ? all->r / every : all->r;
    *some = *all;
    if (every <= 1)
        return SPD_OK;
    if (r < 2)
        return ctx_fail(ctx, SPD_EINVAL, "%zu of %zu observations are too few for a covariance", r,
                        all->r);
    double *O = arena_alloc(keep, r, all->n * sizeof *O);
    if (!O)
        return ctx_nomem(ctx, "observations");
    for (size_t k = 0; k < r; k++)
        memcpy(O + k * all->n, all->O + k * every * all->n, all->n * sizeof *O);
    *some = (observations){r, all->n, O};
    return SPD_OK;
}

spd_status description_thinned(spd_context *ctx, const spd_describe_options *options, size_t r,
                               description *out)
{
    static const char *const names[] = {"feature_count"};
    if (!options->every || out->columns)
        return SPD_OK;
    double *column = mem_alloc(out->count, sizeof *column);
    if (!column)
        return ctx_nomem(ctx, "a column");
    for (size_t k = 0; k < out->count; k++)
        column[k] = (double)r;
    mem_free(out->column);
    out->column = column;
    out->columns = 1;
    out->column_name = names;
    return SPD_OK;
}

int description_every(const spd_describe_options *options, json_t *object)
{
    if (options->every <= 1)
        return 0;
    return json_object_set_new(object, "every", json_integer((json_int_t)options->every));
}

spd_rect grid_cell(const image *in, size_t rows, size_t columns, size_t k)
{
    const size_t row = k / columns, column = k % columns;
    const size_t x = in->width * column / columns, y = in->height * row / rows;
    return (spd_rect){x, y, in->width * (column + 1) / columns - x,
                      in->height * (row + 1) / rows - y};
}
