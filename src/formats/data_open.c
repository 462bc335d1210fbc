/* data_open.c - data sets whose matrices stay in their files: an .npy file, or a list of them. */
#include "base/memory.h"
#include "base/sized.h"
#include "base/store.h"
#include "formats/data.h"
#include "formats/list_file.h"
#include "io/array.h"

/* *store <- the files of `path`. */
static spd_status open_files(spd_context *ctx, const char *path, const spd_load_options *o,
                             spd_store **store)
{
    const spd_store_options repairs = {.size = sizeof repairs,
                                       .symmetrize = o->symmetrize,
                                       .regularize = o->regularize,
                                       .ridge = o->ridge};
    arena room = {0};
    const char *const *paths;
    size_t count;
    spd_status status = list_read(ctx, path, o->anywhere, &room, &paths, &count);
    if (status == SPD_OK)
        status = spd_store_open(ctx, count, paths, &repairs, store);
    arena_free(&room);
    return status;
}

/* Everything but the matrices. */
static spd_status describe(spd_context *ctx, const char *path, const spd_load_options *o,
                           const spd_store *store, spd_data *data)
{
    data->p = spd_store_p(store);
    data->n = spd_store_n(store);
    data->hermitian = spd_store_hermitian(store);
    if (!(data->source = mem_text(path)))
        return ctx_nomem(ctx, "a data set");
    return o->labels ? data_read_labels(ctx, o, data) : SPD_OK;
}

spd_status spd_data_open(spd_context *ctx, const char *path, const spd_load_options *options,
                         spd_data **data, spd_store **store)
{
    spd_load_options o = SPD_INIT(spd_load_options);
    spd_store *opened = NULL;
    ctx_clear(ctx);
    spd_status status = sized_take(ctx, "spd_load_options", sizeof o, &o, options);
    if (status < 0)
        return status;
    spd_data *fresh = mem_zero(1, sizeof *fresh);
    status = fresh ? open_files(ctx, path, &o, &opened) : ctx_nomem(ctx, "a data set");
    if (fresh && status == SPD_OK)
        status = describe(ctx, path, &o, opened, fresh);
    if (status < 0) {
        spd_data_free(fresh);
        spd_store_free(opened);
        return status;
    }
    *data = fresh;
    *store = opened;
    return SPD_OK;
}

/* data->X <- the matrices of the store. */
static spd_status read_all(spd_context *ctx, const spd_store *store, spd_data *data)
{
    const size_t shape[] = {data->p, data->n, data->n};
    spd_status status = array_new(ctx, SPD_FLOAT64, 3, shape, &data->x);
    if (status < 0)
        return status;
    data->X = data->x->f64;
    return spd_store_read(ctx, store, 0, data->p, data->X);
}

spd_status data_load_list(spd_context *ctx, const char *path, const spd_load_options *options,
                          spd_data **data)
{
    spd_load_options plain = *options;
    spd_data *fresh = NULL;
    spd_store *store = NULL;
    plain.symmetrize = 0; /* data_check repairs */
    plain.regularize = plain.ridge = 0.0;
    spd_status status = spd_data_open(ctx, path, &plain, &fresh, &store);
    if (status < 0)
        return status;
    status = read_all(ctx, store, fresh);
    if (status == SPD_OK) {
        status = store_locate(ctx, store, data_check(ctx, fresh, options));
        if (status < 0)
            ctx_prefix(ctx, path);
    }
    spd_store_free(store);
    if (status < 0)
        spd_data_free(fresh);
    else
        *data = fresh;
    return status;
}
