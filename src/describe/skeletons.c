/* skeletons.c - finding the skeleton of a clip. */
#include "describe/inputs.h"

#include <string.h>

#include "base/memory.h"
#include "formats/folder.h"
#include "io/source.h"
#include "io/text.h"

#define LONGEST_NAME ((size_t)4096) /* of a file */

/* Adds one that was parsed, or (NULL) the context's message, which says why it was not. */
static spd_status keep(spd_context *ctx, skeletons *all, const char *path, skeleton *parsed)
{
    bones *grown = mem_list(all->found, all->count, sizeof *grown);
    all->found = grown ? grown : all->found;
    char *own = grown ? mem_text(path) : NULL;
    if (!own) {
        skeleton_free(parsed);
        return ctx_nomem(ctx, "skeletons");
    }
    all->found[all->count++] = (bones){own, parsed, *spd_context_error(ctx)};
    ctx_clear(ctx);
    return SPD_OK;
}

spd_status skeletons_add(spd_context *ctx, skeletons *all, const char *path, const char *text,
                         size_t size)
{
    skeleton *parsed = NULL;
    spd_status status = skeleton_parse(ctx, text, size, &parsed);
    return status == SPD_ENOMEM ? status : keep(ctx, all, path, parsed);
}

spd_status skeletons_read(spd_context *ctx, void *all, const char *path)
{
    io_source *source;
    spd_status status = source_load(ctx, path, &source);
    if (status < 0)
        return status == SPD_ENOMEM ? status : keep(ctx, all, path, NULL);
    status = skeletons_add(ctx, all, path, (const char *)source->bytes, source->size);
    source_free(source);
    return status;
}

spd_status skeletons_give(spd_context *ctx, skeletons *all, const char *path)
{
    all->for_all = 1;
    spd_status status = skeletons_read(ctx, all, path);
    if (status == SPD_OK && !all->found[0].parsed)
        status = ctx_pass_on(ctx, &all->found[0].fault);
    if (status < 0)
        ctx_prefix(ctx, path);
    return status;
}

static spd_status visit_file(spd_context *ctx, void *all, const char *path)
{
    return text_same(path_ending(path), ".asf") ? skeletons_read(ctx, all, path) : SPD_OK;
}

spd_status skeletons_beside(spd_context *ctx, skeletons *all, const char *clip)
{
    const size_t length = (size_t)(path_base(clip) - clip);
    if (all->folder && strlen(all->folder) == length && strncmp(all->folder, clip, length) == 0)
        return SPD_OK;
    mem_free(all->folder);
    all->folder = mem_part(clip, length);
    if (!all->folder)
        return ctx_nomem(ctx, "skeletons");
    return folder_walk(ctx, length ? all->folder : "./", 0, visit_file, NULL, all);
}

/* A path without the ./ that says nothing. */
static const char *bare(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    return path;
}

/* How well a skeleton fits a clip: one in a nearer folder above all, then one whose stem covers more
 * of the clip's name; 0: not its own. */
static size_t fit(const char *asf_path, const char *clip_path)
{
    const char *asf = bare(asf_path), *clip = bare(clip_path);
    const size_t folder = (size_t)(path_base(asf) - asf);
    const size_t stem = strlen(asf) - strlen(".asf") - folder;
    if (strncmp(asf, clip, folder) != 0 || strncmp(asf + folder, path_base(clip), stem) != 0)
        return 0;
    return stem ? folder * LONGEST_NAME + stem : 0;
}

spd_status skeletons_find(spd_context *ctx, const skeletons *all, const char *clip,
                          const skeleton **found)
{
    char why[300];
    const bones *best = all->for_all ? &all->found[0] : NULL;
    size_t closest = 0;
    for (size_t i = 0; i < all->count && !all->for_all; i++) {
        size_t close = fit(all->found[i].path, clip);
        if (close > closest) {
            closest = close;
            best = &all->found[i];
        }
    }
    if (!best)
        return ctx_advise(
            ctx,
            ctx_fail(ctx, SPD_EINVAL,
                     "no skeleton (.asf) in its folder, or in those above it that are described, "
                     "matches the beginning of its name"),
            SPD_REMEDY_SKELETON, 0.0);
    if (!best->parsed)
        return ctx_fail(ctx, SPD_EFORMAT, "its skeleton %.120s is broken: %.300s", best->path,
                        text_plain(best->fault.message, why, sizeof why));
    *found = best->parsed;
    return SPD_OK;
}

void skeletons_free(skeletons *all)
{
    for (size_t i = 0; i < all->count; i++) {
        mem_free(all->found[i].path);
        skeleton_free(all->found[i].parsed);
    }
    mem_free(all->found);
    mem_free(all->folder);
    *all = (skeletons){0};
}
