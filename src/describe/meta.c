/* meta.c - the record of a run: descriptor, parameters, inputs, version. */
#include "base/memory.h"
#include "describe/rows.h"

#define PATHS_NOTED 100

static json_t *covariance_parameters(const spd_covariance_options *c)
{
    json_t *shrink = c->shrinkage == SPD_SHRINK_VALUE ? json_real(c->shrink) : NULL;
    json_t *size = c->W ? json_integer((json_int_t)c->m) : NULL;
    if ((c->shrinkage == SPD_SHRINK_VALUE && !shrink) || (c->W && !size)) {
        json_decref(shrink);
        json_decref(size);
        return NULL;
    }
    return json_pack("{s:s, s:o*, s:f, s:o*}", "shrinkage", spd_shrinkage_name(c->shrinkage),
                     "shrink", shrink, "regularize", c->regularize, "projected_to", size);
}

static json_t *path_list(size_t paths, const char *const *path)
{
    json_t *list = json_array();
    int failed = 0;
    for (size_t i = 0; i < paths && i < PATHS_NOTED; i++)
        failed |= json_array_append_new(list, rows_text(path[i]));
    if (paths > PATHS_NOTED)
        failed |= json_array_append_new(list, json_sprintf("and %zu more", paths - PATHS_NOTED));
    if (!failed)
        return list;
    json_decref(list);
    return NULL;
}

/* What the reader of the matrices should know; NULL where that is nothing. */
static json_t *few_observations(const spd_failures *skipped)
{
    return json_pack("{s:I, s:I, s:I}", "matrices", (json_int_t)skipped->few, "fewest",
                     (json_int_t)skipped->fewest, "rows", (json_int_t)skipped->fewest_rows);
}

static json_t *describe_run(const descriptor *how, const spd_describe_options *options,
                            size_t paths, const char *const *path, const spd_failures *skipped,
                            json_t *rows)
{
    json_t *parameters = json_object();
    int failed = how->parameters(options, parameters);
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:I, s:O*}", "kind", "data", "version",
                  spd_version(), "descriptor", spd_descriptor_name(how->kind), "covariance",
                  covariance_parameters(&options->covariance), "parameters", parameters, "inputs",
                  path_list(paths, path), "skipped", (json_int_t)skipped->count, "rows", rows);
    if (object && skipped->few)
        failed |= json_object_set_new(object, "few_observations", few_observations(skipped));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

spd_status meta_text(spd_context *ctx, const descriptor *how, const spd_describe_options *options,
                     size_t paths, const char *const *path, const spd_failures *skipped,
                     json_t *rows, char **text)
{
    const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(17);
    json_t *object = describe_run(how, options, paths, path, skipped, rows);
    size_t size = object ? json_dumpb(object, NULL, 0, flags) : 0;
    char *fresh = size ? mem_alloc(size + 1, 1) : NULL;
    int whole = fresh && json_dumpb(object, fresh, size, flags) == size;
    json_decref(object);
    if (!whole) {
        mem_free(fresh);
        return ctx_nomem(ctx, "the record of a description");
    }
    fresh[size] = '\0';
    *text = fresh;
    return SPD_OK;
}
