/* meta.c - the record of a run: descriptor, parameters, inputs, version. */
#include "base/memory.h"
#include "base/plain.h"
#include "describe/descriptor.h"

#include <string.h>

/* ---- what the rows of the matrices are ------------------------------------------------------ */

/* A text as JSON; bytes that are not UTF-8 cannot stand there. */
static json_t *rows_text(const char *text)
{
    uint32_t code;
    size_t size = strlen(text), at = 0, took = 1;
    while (at < size && (took = utf8_get(text + at, size - at, &code)) > 0)
        at += took;
    return json_string(at < size ? "?" : text); /* NULL: out of memory, and nothing else */
}

/* NULL: out of memory. */
static json_t *text_list(size_t count, const char *const *text)
{
    json_t *list = json_array();
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++)
        failed = json_array_append_new(list, rows_text(text[i] ? text[i] : ""));
    if (!failed)
        return list;
    json_decref(list);
    return NULL;
}

spd_status rows_of_clip(spd_context *ctx, const motion *clip, size_t frame, json_t **rows)
{
    if (!clip->name || frame >= clip->frames)
        return SPD_OK;
    json_t *object = json_object(), *position = json_array();
    json_t *parents = clip->parent ? json_array() : NULL;
    const double *at = clip->position + frame * 3 * clip->joints;
    int failed = 0;
    for (size_t k = 0; k < clip->joints; k++, at += 3) {
        failed |= json_array_append_new(position, json_pack("[f,f,f]", at[0], at[1], at[2]));
        if (clip->parent)
            failed |= json_array_append_new(
                parents, json_integer(clip->parent[k] == k ? -1 : (json_int_t)clip->parent[k]));
    }
    const char *const *name = (const char *const *)clip->name;
    failed |= json_object_set_new(object, "joints", text_list(clip->joints, name));
    if (clip->parent)
        failed |= json_object_set_new(object, "parents", parents);
    failed |= json_object_set_new(object, "position", position);
    if (failed) {
        json_decref(object);
        return ctx_nomem(ctx, "the names of joints");
    }
    *rows = object;
    return SPD_OK;
}

spd_status rows_of_names(spd_context *ctx, size_t channels, char *const *name, json_t **rows)
{
    json_t *list = text_list(channels, (const char *const *)name);
    json_t *made = list ? json_pack("{s:O}", "channels", list) : NULL;
    json_decref(list);
    if (!made)
        return ctx_nomem(ctx, "the names of channels");
    *rows = made;
    return SPD_OK;
}

/* ---- the record ----------------------------------------------------------------------------- */

#define PATHS_NOTED 100

static json_t *covariance_parameters(const spd_covariance_options *c)
{
    json_t *shrink = c->shrinkage == SPD_SHRINKAGE_VALUE ? json_real(c->shrink) : NULL;
    json_t *size = c->W ? json_integer((json_int_t)c->m) : NULL;
    if ((c->shrinkage == SPD_SHRINKAGE_VALUE && !shrink) || (c->W && !size)) {
        json_decref(shrink);
        json_decref(size);
        return NULL;
    }
    return json_pack("{s:s, s:o*, s:f, s:o*}", "shrinkage",
                     spd_name(SPD_ENUM_SHRINKAGE, c->shrinkage), "shrink", shrink, "regularize",
                     c->regularize, "projected_to", size);
}

static json_t *path_list(size_t paths, const char *const *path)
{
    json_t *list = text_list(paths < PATHS_NOTED ? paths : PATHS_NOTED, path);
    if (paths <= PATHS_NOTED ||
        json_array_append_new(list, json_sprintf("and %zu more", paths - PATHS_NOTED)) == 0)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *describe_run(const descriptor *how, const spd_describe_options *options,
                            size_t paths, const char *const *path, const spd_describe_info *skipped,
                            json_t *rows)
{
    json_t *parameters = json_object();
    int failed = how->parameters(options, parameters);
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:o, s:I, s:O*}", "kind", "data", "version", spd_version(),
        "descriptor", spd_name(SPD_ENUM_DESCRIPTOR, how->kind), "covariance",
        covariance_parameters(&options->covariance), "parameters", parameters, "inputs",
        path_list(paths, path), "skipped", (json_int_t)skipped->count, "rows", rows);
    if (object && skipped->few)
        failed |= json_object_set_new(
            object, "few_observations",
            json_pack("{s:I, s:I, s:I}", "matrices", (json_int_t)skipped->few, "fewest",
                      (json_int_t)skipped->fewest, "rows", (json_int_t)skipped->fewest_rows));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

spd_status meta_text(spd_context *ctx, const descriptor *how, const spd_describe_options *options,
                     size_t paths, const char *const *path, const spd_describe_info *skipped,
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
