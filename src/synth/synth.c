/* synth.c - generated data: which kinds there are, and the loop over the files of one.
 *
 * A file is made from the options and its number alone, on any thread: the bytes do not depend on
 * how many there are. The folder appears whole or not at all (formats/outfolder.h). */
#include "synth/synth.h"

#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "run/parallel.h"
#include "formats/outfolder.h"
#include "io/outfile.h"

/* Four classes of 30 x 30 matrices in ten of thirty dimensions: the size of the toy set that
 * methods for SPD matrices are usually shown on. */
static const spd_synth_options usual_spd = {
    .classes = 4, .samples = 50, .n = 30, .planted = 10, .signal = 1.2};

/* NULL for matrices, which are no files, and for numbers that are no kind. */
static const generator *generator_of(spd_synth_kind kind)
{
    switch (kind) {
    case SPD_SYNTH_TEXTURES:
        return &generator_textures;
    case SPD_SYNTH_MOTION:
        return &generator_motion;
    case SPD_SYNTH_FACES:
        return &generator_faces;
    default:
        return NULL;
    }
}

void spd_synth_defaults(spd_synth_kind kind, spd_synth_options *options, size_t size)
{
    const generator *g = generator_of(kind);
    spd_synth_options usual = g ? g->usual : usual_spd;
    usual.seed = 1;
    options->size = size;
    sized_give(sizeof usual, &usual, options);
}

spd_status synth_take(spd_context *ctx, spd_synth_kind kind, const spd_synth_options *options,
                      spd_synth_options *chosen)
{
    spd_synth_defaults(kind, chosen, sizeof *chosen);
    return sized_take(ctx, "spd_synth_options", sizeof *chosen, chosen, options);
}

/* ---- one file ------------------------------------------------------------------------------- */

size_t synth_count(const generator *how, const spd_synth_options *options)
{
    return how->files(options) + (how->index ? 1 : 0);
}

static spd_status write_index(spd_context *ctx, const generator *how,
                              const spd_synth_options *options, const char *path)
{
    char name[SYNTH_NAME], row[SYNTH_NAME];
    outfile *out;
    spd_status status = outfile_open(ctx, path, &out);
    if (status < 0)
        return status;
    outfile_print(out, "%s\n", how->index);
    for (size_t i = 0; i < how->files(options); i++)
        if (how->row(options, i, row)) {
            how->name_file(options, i, name);
            outfile_print(out, "%s,%s\n", name, row);
        }
    return outfile_close(out, SPD_OK);
}

spd_status synth_write(spd_context *ctx, const generator *how, const spd_synth_options *options,
                       const char *folder, size_t i)
{
    const int is_index = i == how->files(options);
    char name[SYNTH_NAME] = "index.csv", *slash, *path = NULL;
    spd_status status = SPD_OK;
    if (!is_index)
        how->name_file(options, i, name);
    if ((slash = strchr(name, '/'))) {
        *slash = '\0';
        status = outfolder_make(ctx, folder, name);
        *slash = '/';
    }
    if (status >= 0)
        status = outfolder_path(ctx, folder, name, &path);
    if (status >= 0)
        status =
            is_index ? write_index(ctx, how, options, path) : how->write(ctx, options, path, i);
    if (status < 0)
        ctx_prefix(ctx, name);
    mem_free(path);
    return status;
}

/* ---- the loop over files -------------------------------------------------------------------- */

/* A thread's own context; a loop stops at a thread's first failure, so there is one at most. */
typedef struct worker {
    spd_context *ctx;
    size_t failed; /* the file's number */
} worker;

typedef struct run {
    const generator *how;
    const spd_synth_options *options;
    const char *folder;
    int threads;
    worker *own; /* threads */
} run;

static spd_status write_one(void *user, size_t chunk, int thread)
{
    const run *r = user;
    worker *own = &r->own[thread];
    spd_status status = synth_write(own->ctx, r->how, r->options, r->folder, chunk);
    if (status < 0)
        own->failed = chunk;
    return status;
}

static spd_status open_workers(spd_context *ctx, run *r)
{
    r->threads = parallel_threads(ctx);
    r->own = mem_zero((size_t)r->threads, sizeof *r->own);
    if (!r->own)
        return ctx_nomem(ctx, "contexts");
    for (int t = 0; t < r->threads; t++) {
        r->own[t] = (worker){spd_context_new(), SIZE_MAX};
        if (!r->own[t].ctx)
            return ctx_nomem(ctx, "contexts");
        spd_context_set_threads(r->own[t].ctx, 1);
    }
    return SPD_OK;
}

static spd_status write_all(spd_context *ctx, run *r, size_t files)
{
    size_t failed = SIZE_MAX;
    spd_status status = open_workers(ctx, r);
    if (status >= 0)
        status =
            parallel_for(ctx, files, write_one, r, "generating", "files", (double)files, &failed);
    for (int t = 0; failed != SIZE_MAX && t < r->threads; t++)
        if (r->own[t].failed == failed)
            ctx_pass_on(ctx, spd_context_error(r->own[t].ctx));
    for (int t = 0; r->own && t < r->threads; t++)
        spd_context_free(r->own[t].ctx);
    mem_free(r->own);
    return status < 0 ? status : SPD_OK;
}

static spd_status make_folder(spd_context *ctx, const generator *how,
                              const spd_synth_options *options, const char *folder, size_t files)
{
    outfolder *out;
    spd_status status = outfolder_open(ctx, folder, &out);
    if (status >= 0) {
        run r = {.how = how, .options = options, .folder = out->work};
        status = write_all(ctx, &r, files);
        if (status >= 0)
            status = outfolder_commit(ctx, out);
        else
            outfolder_abandon(out);
    }
    if (status < 0 && status != SPD_ECANCELLED)
        ctx_prefix(ctx, folder);
    return status;
}

spd_status spd_synth_files(spd_context *ctx, spd_synth_kind kind, const spd_synth_options *options,
                           const char *folder, size_t *files)
{
    const generator *how = generator_of(kind);
    spd_synth_options chosen;
    ctx_clear(ctx);
    if (kind == SPD_SYNTH_SPD)
        return ctx_fail(ctx, SPD_EINVAL, "this kind makes matrices, not files; use spd_synth_data");
    if (!how)
        return ctx_fail(ctx, SPD_EINVAL, "unknown kind %d of generated data", (int)kind);
    spd_status status = synth_take(ctx, kind, options, &chosen);
    if (status >= 0)
        status = how->check(ctx, &chosen);
    if (status < 0)
        return status;
    const size_t count = synth_count(how, &chosen);
    status = make_folder(ctx, how, &chosen, folder, count);
    if (status >= 0 && files)
        *files = count;
    return status;
}
