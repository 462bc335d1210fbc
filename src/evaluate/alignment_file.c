/* alignment_file.c - normalising and recentring of a trained method, in its file.
 *
 * meta.json: "alignment" with "normalize", "recenter", "known", the number of groups whose
 * centers are kept, and "column", the column that they come from. Arrays: "centers" (known x n n),
 * M^-1/2 each, "center_groups" (known), their numbers, and "group_names", by number. */
#include <limits.h>
#include <string.h>

#include "evaluate/trained.h"

#define RECORD "alignment"

static void put_centers(record_writer *w, const alignment *a)
{
    int64_t *number = arena_alloc(&w->room, a->known, sizeof *number);
    for (size_t k = 0; number && k < a->known; k++)
        number[k] = a->group[k];
    const spd_array groups = {.name = "center_groups",
                              .type = SPD_TYPE_INT64,
                              .ndim = 2,
                              .shape = {a->known, 1},
                              .count = a->known,
                              .i64 = number};
    record_array(w, &groups);
    record_matrix(w, "centers", a->known, a->n * a->n, a->P);
}

void alignment_write(record_writer *w, const spd_classifier *c)
{
    const spd_method *method = &c->state.method;
    const spd_metadata *notes = &c->notes;
    if (!alignment_is_on(method))
        return;
    json_t *object = record_part(w, RECORD);
    record_put(w, object, "normalize",
               json_string(spd_name(SPD_ENUM_NORMALIZATION, method->normalize)));
    record_put(w, object, "recenter",
               json_string(spd_name(SPD_ENUM_RECENTERING, method->recenter)));
    record_put(w, object, "known", json_integer((json_int_t)c->align.known));
    record_put(w, object, "names", json_integer((json_int_t)notes->groups));
    if (notes->group_column)
        record_put(w, object, "column", json_string(notes->group_column));
    if (c->align.known)
        put_centers(w, &c->align);
    const spd_array names = {.name = "group_names",
                             .type = SPD_TYPE_TEXT,
                             .ndim = 2,
                             .shape = {notes->groups, 1},
                             .count = notes->groups,
                             .text = (const char **)(uintptr_t)notes->group_name};
    if (notes->groups)
        record_array(w, &names);
}

/* A count of the record; SPD_EFORMAT if it is none. */
static spd_status take_count(spd_context *ctx, const json_t *object, const char *key, size_t *count)
{
    const json_t *value = json_object_get(object, key);
    const json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || number > INT_MAX)
        return ctx_fail(ctx, SPD_EFORMAT, "meta.json: '%s' of '" RECORD "' is no count", key);
    *count = (size_t)number;
    return SPD_OK;
}

static spd_status take_centers(spd_context *ctx, const io_bundle *bundle, arena *keep, alignment *a)
{
    const spd_array *group = NULL, *centers = NULL;
    spd_status status =
        record_find(ctx, bundle, "center_groups", SPD_TYPE_INT64, a->known, 1, &group);
    if (status == SPD_OK)
        status =
            record_find(ctx, bundle, "centers", SPD_TYPE_FLOAT64, a->known, a->n * a->n, &centers);
    if (status != SPD_OK)
        return status;
    a->group = arena_alloc(keep, a->known, sizeof *a->group);
    a->P = arena_alloc(keep, a->known, a->n * a->n * sizeof *a->P);
    if (!a->group || !a->P)
        return ctx_nomem(ctx, "centers of groups");
    for (size_t k = 0; k < a->known; k++) {
        if (group->i64[k] < 0 || group->i64[k] > INT_MAX)
            return ctx_fail(ctx, SPD_EFORMAT, "center_groups: %lld is no number of a group",
                            (long long)group->i64[k]);
        a->group[k] = (int)group->i64[k];
    }
    memcpy(a->P, centers->f64, centers->count * sizeof *a->P);
    return SPD_OK;
}

spd_status alignment_read(spd_context *ctx, const io_bundle *bundle, const json_t *meta,
                          spd_classifier *c)
{
    spd_method *method = &c->state.method;
    alignment *a = &c->align;
    const json_t *object = json_object_get(meta, RECORD);
    *a = (alignment){.n = c->map.n};
    if (!object)
        return SPD_OK;
    const int normalize = spd_parse(NULL, SPD_ENUM_NORMALIZATION,
                                    json_string_value(json_object_get(object, "normalize")));
    const int recenter = spd_parse(NULL, SPD_ENUM_RECENTERING,
                                   json_string_value(json_object_get(object, "recenter")));
    if (normalize < 0 || recenter < 0)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "meta.json: '" RECORD "' has no known 'normalize' or 'recenter'; use a "
                        "newer version of spdml");
    method->normalize = (spd_normalization)normalize;
    method->recenter = (spd_recentering)recenter;
    if (json_is_true(json_object_get(object, "balance")))
        return ctx_fail(ctx, SPD_EFORMAT,
                        "meta.json: means of recentring that weigh classes alike can no longer be "
                        "used; train the method again");
    spd_status status = alignment_check(ctx, method);
    if (status == SPD_OK)
        status = take_count(ctx, object, "known", &a->known);
    if (status == SPD_OK && ((recenter == SPD_RECENTERING_NONE && a->known) ||
                             (recenter == SPD_RECENTERING_TRAINING && a->known != 1)))
        status =
            ctx_fail(ctx, SPD_EFORMAT, "meta.json: %zu centers do not suit 'recenter'", a->known);
    return status == SPD_OK && a->known ? take_centers(ctx, bundle, &c->state.preparing, a)
                                        : status;
}

spd_status alignment_read_names(spd_context *ctx, const io_bundle *bundle, const json_t *meta,
                                spd_metadata *notes)
{
    const json_t *object = json_object_get(meta, RECORD);
    const spd_array *names = NULL;
    spd_status status = object ? take_count(ctx, object, "names", &notes->groups) : SPD_OK;
    if (status == SPD_OK && notes->groups)
        status = record_find(ctx, bundle, "group_names", SPD_TYPE_TEXT, notes->groups, 1, &names);
    if (status < 0 || !object)
        return status;
    notes->group_name = names ? names->text : NULL;
    notes->group_column = json_string_value(json_object_get(object, "column"));
    return SPD_OK;
}
