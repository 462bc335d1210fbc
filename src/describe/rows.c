/* rows.c - see rows.h. */
#include "describe/rows.h"

#include "base/memory.h"

json_t *rows_text(const char *text)
{
    json_error_t error;
    json_t *value = json_pack_ex(&error, 0, "s", text);
    return value || json_error_code(&error) != json_error_invalid_utf8 ? value : json_string("?");
}

/* ---- clips ----------------------------------------------------------------------------------- */

/* Adds list to the object under a key; non-zero when out of memory, or if it failed before. */
static int put_list(json_t *object, const char *key, json_t *list, int failed)
{
    if (!failed)
        return json_object_set_new(object, key, list);
    json_decref(list);
    return 1;
}

static int put_names(const motion *clip, json_t *object)
{
    json_t *list = json_array();
    int failed = 0;
    for (size_t k = 0; k < clip->joints && !failed; k++)
        failed = json_array_append_new(list, rows_text(clip->name[k] ? clip->name[k] : ""));
    return put_list(object, "joints", list, failed);
}

static int put_parents(const motion *clip, json_t *object)
{
    json_t *list = json_array();
    int failed = 0;
    for (size_t k = 0; k < clip->joints && !failed; k++)
        failed = json_array_append_new(
            list, json_integer(clip->parent[k] == k ? -1 : (json_int_t)clip->parent[k]));
    return put_list(object, "parents", list, failed);
}

static int put_positions(const motion *clip, size_t frame, json_t *object)
{
    const double *at = clip->position + frame * 3 * clip->joints;
    json_t *list = json_array();
    int failed = 0;
    for (size_t k = 0; k < clip->joints && !failed; k++, at += 3)
        failed = json_array_append_new(list, json_pack("[f,f,f]", at[0], at[1], at[2]));
    return put_list(object, "position", list, failed);
}

spd_status rows_of_clip(spd_context *ctx, const motion *clip, size_t frame, json_t **rows)
{
    if (!clip->name || frame >= clip->frames)
        return SPD_OK;
    json_t *object = json_object();
    int failed = put_names(clip, object) || (clip->parent && put_parents(clip, object)) ||
                 put_positions(clip, frame, object);
    if (failed) {
        json_decref(object);
        return ctx_nomem(ctx, "the names of joints");
    }
    *rows = object;
    return SPD_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* *rows <- the list, which is taken over. */
static spd_status put_channels(spd_context *ctx, json_t *list, int failed, json_t **rows)
{
    json_t *made = failed ? NULL : json_pack("{s:O}", "channels", list);
    json_decref(list);
    if (!made)
        return ctx_nomem(ctx, "the names of channels");
    *rows = made;
    return SPD_OK;
}

spd_status rows_of_names(spd_context *ctx, size_t channels, char *const *name, json_t **rows)
{
    json_t *list = json_array();
    int failed = !list;
    for (size_t k = 0; k < channels && !failed; k++)
        failed = json_array_append_new(list, rows_text(name[k]));
    return put_channels(ctx, list, failed, rows);
}
