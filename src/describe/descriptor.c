/* descriptor.c - the table of descriptors, and their names. */
#include "describe/descriptor.h"

#include "base/memory.h"
#include "base/naming.h"

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
    mem_free(out->X);
    mem_free(out->column);
    *out = (description){0};
}
