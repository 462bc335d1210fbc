/* meta.c - the record of a run: descriptor, parameters, inputs, version. */
#include "base/memory.h"
#include "describe/describe.h"

#define PATHS_NOTED 100

/* Bytes that are not UTF-8 cannot stand in JSON. */
static json_t *text_or_mark(const char *text)
{
    json_t *value = json_string(text);
    return value ? value : json_string("?");
}

static json_t *covariance_parameters(const spd_covariance_options *c)
{
    json_t *object = json_object();
    int failed =
        json_object_set_new(object, "shrinkage", json_string(spd_shrinkage_name(c->shrinkage)));
    if (c->shrinkage == SPD_SHRINK_VALUE)
        failed |= json_object_set_new(object, "shrink", json_real(c->shrink));
    failed |= json_object_set_new(object, "regularize", json_real(c->regularize));
    if (c->W)
        failed |= json_object_set_new(object, "projected_to", json_integer((json_int_t)c->m));
    if (failed) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *path_list(size_t paths, const char *const *path)
{
    json_t *list = json_array();
    int failed = 0;
    for (size_t i = 0; i < paths && i < PATHS_NOTED; i++)
        failed |= json_array_append_new(list, text_or_mark(path[i]));
    if (paths > PATHS_NOTED)
        failed |= json_array_append_new(list, json_sprintf("and %zu more", paths - PATHS_NOTED));
    if (failed) {
        json_decref(list);
        return NULL;
    }
    return list;
}

static json_t *describe_run(const descriptor *how, const spd_describe_options *options,
                            size_t paths, const char *const *path, size_t skipped)
{
    json_t *object = json_object(), *parameters = json_object();
    int failed = how->parameters(options, parameters);
    failed |= json_object_set_new(object, "kind", json_string("data"));
    failed |= json_object_set_new(object, "version", json_string(spd_version()));
    failed |= json_object_set_new(object, "descriptor", json_string(how->name));
    failed |=
        json_object_set_new(object, "covariance", covariance_parameters(&options->covariance));
    failed |= json_object_set_new(object, "parameters", parameters);
    failed |= json_object_set_new(object, "inputs", path_list(paths, path));
    failed |= json_object_set_new(object, "skipped", json_integer((json_int_t)skipped));
    if (failed) {
        json_decref(object);
        return NULL;
    }
    return object;
}

spd_status meta_text(spd_context *ctx, const descriptor *how, const spd_describe_options *options,
                     size_t paths, const char *const *path, size_t skipped, char **text)
{
    const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(17);
    json_t *object = describe_run(how, options, paths, path, skipped);
    size_t size = object ? json_dumpb(object, NULL, 0, flags) : 0;
    char *fresh = size ? mem_alloc(size + 1, 1) : NULL;
    if (fresh) {
        json_dumpb(object, fresh, size, flags);
        fresh[size] = '\0';
        *text = fresh;
    }
    json_decref(object);
    return fresh ? SPD_OK : ctx_nomem(ctx, "the record of a description");
}
