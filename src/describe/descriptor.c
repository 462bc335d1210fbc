/* descriptor.c - the table of descriptors and their usual settings. */
#include "describe/descriptor.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"

const descriptor *descriptor_of(spd_descriptor kind)
{
    static const descriptor *const all[SPD_DESCRIPTORS] = {
        [SPD_DESCRIPTOR_COVARIANCE] = &descriptor_covariance,
        [SPD_DESCRIPTOR_SIFT_COLOR] = &descriptor_sift_color,
        [SPD_DESCRIPTOR_GABOR] = &descriptor_gabor,
        [SPD_DESCRIPTOR_REGION] = &descriptor_region,
        [SPD_DESCRIPTOR_JOINTS] = &descriptor_joints,
    };
    return (unsigned)kind < SPD_DESCRIPTORS ? all[kind] : NULL;
}

/* Bones are rigid, so joint positions are bound to each other: their covariance is singular.
 * Neighbouring pixels of a small image that was enlarged depend on each other too, and a part of
 * an image without contrast has no variance but that of the position. */
double defaults_regularize(spd_descriptor kind)
{
    if (kind == SPD_DESCRIPTOR_SIFT_COLOR)
        return 1e-5;
    if (kind == SPD_DESCRIPTOR_REGION)
        return 1e-6;
    return kind == SPD_DESCRIPTOR_JOINTS ? 1e-3 : 0.0;
}

void spd_describe_defaults(spd_descriptor kind, spd_describe_options *options, size_t size)
{
    spd_describe_options usual = {
        .size = sizeof usual,
        .covariance = {.regularize = defaults_regularize(kind)},
        .step = 4,
        .scales = 5,
        .orientations = 8,
        .pyramid = 1,
        .rate = 1.0,
        .order = 4,
    };
    if (kind == SPD_DESCRIPTOR_SIFT_COLOR) {
        usual.width = usual.height = 400;
    } else if (kind == SPD_DESCRIPTOR_GABOR) {
        usual.width = usual.height = 64;
        usual.regions = SPD_REGIONS_HALVES;
        usual.grey = 1;
    }
    options->size = size;
    sized_give(sizeof usual, &usual, options);
}

/* count rows of so many zeros; NULL when out of memory. */
static double *zeros(size_t count, size_t each)
{
    size_t entries;
    return mem_mul(count, each, &entries) ? NULL : mem_zero(entries, sizeof(double));
}

spd_status description_room(spd_context *ctx, const spd_covariance_options *covariance,
                            size_t count, size_t n, size_t blocks, size_t columns, description *out)
{
    size_t each;
    *out = (description){.count = count, .n = n, .columns = columns};
    if (!covariance->W || blocks == 1)
        out->blocks = blocks;
    if (!mem_mul(n, n, &each))
        out->X = zeros(count, each);
    out->column = zeros(count, columns);
    out->mean = zeros(count, n);
    out->seen = zeros(count, blocks);
    if (out->X && out->column && out->mean && out->seen)
        return SPD_OK;
    description_free(out);
    return ctx_nomem(ctx, "covariance matrices");
}

void description_forget_names(description *out)
{
    for (size_t k = 0; out->channel && k < out->channels; k++)
        mem_free(out->channel[k]);
    mem_free(out->channel);
    out->channel = NULL;
}

void description_free(description *out)
{
    if (!out)
        return;
    for (size_t k = 0; out->label && k < out->count; k++)
        mem_free(out->label[k]);
    description_forget_names(out);
    mem_free(out->label);
    mem_free(out->X);
    mem_free(out->column);
    mem_free(out->mean);
    mem_free(out->seen);
    *out = (description){0};
}

spd_status description_hand_over(spd_status status, description *made, description *out)
{
    if (status < 0)
        description_free(made);
    else
        *out = *made;
    return status;
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

void description_join_counts(const description *made, spd_describe_info *all)
{
    all->few += made->few;
    all->events_cut += made->events_cut;
    all->times += made->time[0] != '\0';
    if (!all->time_column[0])
        memcpy(all->time_column, made->time, sizeof made->time);
    if (made->few && (all->fewest == 0 ||
                      lacks_more(made->fewest, made->fewest_rows, all->fewest, all->fewest_rows))) {
        all->fewest = made->fewest;
        all->fewest_rows = made->fewest_rows;
    }
}

void description_mean(const spd_covariance_options *covariance, size_t k, size_t b, size_t r,
                      size_t features, const double *mean, description *out)
{
    if (!out->blocks)
        return;
    double *to = out->mean + k * out->n + b * (out->n / out->blocks);
    out->seen[k * out->blocks + b] = (double)r;
    if (!covariance->W) {
        memcpy(to, mean, features * sizeof *to);
        return;
    }
    for (size_t j = 0; j < out->n; j++)
        for (size_t i = 0; i < features; i++)
            to[j] += mean[i] * covariance->W[i * out->n + j];
}

/* mean (n) <- of the observations, whose first row is subtracted so that sums stay small. */
static void mean_of(const observations *o, double *mean)
{
    memset(mean, 0, o->n * sizeof *mean);
    for (size_t k = 1; k < o->r; k++)
        for (size_t i = 0; i < o->n; i++)
            mean[i] += o->O[k * o->n + i] - o->O[i];
    for (size_t i = 0; i < o->n; i++)
        mean[i] = o->O[i] + mean[i] / (double)o->r;
}

spd_status description_fill(spd_context *ctx, const spd_covariance_options *covariance, size_t k,
                            size_t blocks, const observations *block, description *out)
{
    spd_status status =
        covariance_blocks(ctx, covariance, blocks, block, out->X + k * out->n * out->n);
    for (size_t b = 0; b < blocks && out->blocks && status == SPD_OK; b++) {
        double *mean = mem_alloc(block[b].n, sizeof *mean);
        if (!mean)
            return ctx_nomem(ctx, "means of observations");
        mean_of(&block[b], mean);
        description_mean(covariance, k, b, block[b].r, block[b].n, mean, out);
        mem_free(mean);
    }
    if (status == SPD_OK)
        description_count(covariance, blocks, block, out);
    return status;
}

spd_status description_of_blocks(spd_context *ctx, const spd_covariance_options *covariance,
                                 size_t blocks, const observations *block, description *out)
{
    size_t n = 0;
    description made = {0};
    for (size_t b = 0; b < blocks; b++)
        n += block[b].n;
    spd_status status =
        description_room(ctx, covariance, 1, covariance->W ? covariance->m : n, blocks, 0, &made);
    if (status >= 0)
        status = description_fill(ctx, covariance, 0, blocks, block, &made);
    return description_hand_over(status, &made, out);
}

spd_status observations_thin(spd_context *ctx, const spd_describe_options *options,
                             const observations *all, arena *keep, observations *some)
{
    size_t r = options->observations;
    *some = *all;
    if (r == 0)
        return SPD_OK;
    if (r < 2 || r > all->r)
        return ctx_fail(ctx, SPD_EINVAL,
                        "has %zu observations; %zu cannot be taken of them, 2 to %zu can", all->r,
                        r, all->r);
    size_t every = all->r / r;
    double *O = arena_alloc(keep, r, all->n * sizeof *O);
    if (!O)
        return ctx_nomem(ctx, "observations");
    for (size_t k = 0; k < r; k++)
        memcpy(O + k * all->n, all->O + k * every * all->n, all->n * sizeof *O);
    *some = (observations){r, all->n, O};
    return SPD_OK;
}

int description_observations(const spd_describe_options *options, json_t *object)
{
    if (options->observations == 0)
        return 0;
    return json_object_set_new(object, "observations",
                               json_integer((json_int_t)options->observations));
}

spd_rect grid_cell(const image *in, size_t rows, size_t columns, size_t k)
{
    const size_t row = k / columns, column = k % columns;
    const size_t x = in->width * column / columns, y = in->height * row / rows;
    return (spd_rect){x, y, in->width * (column + 1) / columns - x,
                      in->height * (row + 1) / rows - y};
}
