/* skeletons.c - finding the skeleton of a clip. */
#include "describe/skeletons.h"

#include <string.h>

#include "base/memory.h"
#include "describe/inputs.h"
#include "formats/folder.h"
#include "io/source.h"
#include "io/text.h"

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

static spd_status add_file(spd_context *ctx, skeletons *all, const char *path)
{
    io_source *source;
    spd_status status = source_load(ctx, path, &source);
    if (status < 0)
        return status == SPD_ENOMEM ? status : keep(ctx, all, path, NULL);
    status = skeletons_add(ctx, all, path, (const char *)source->bytes, source->size);
    source_free(source);
    return status;
}

static spd_status visit_file(spd_context *ctx, void *user, const char *path)
{
    return text_same(path_ending(path), ".asf") ? add_file(ctx, user, path) : SPD_OK;
}

spd_status skeletons_give(spd_context *ctx, skeletons *all, const char *path)
{
    all->for_all = 1;
    spd_status status = add_file(ctx, all, path);
    if (status == SPD_OK && !all->found[0].parsed)
        status = ctx_pass_on(ctx, &all->found[0].fault);
    if (status < 0)
        ctx_prefix(ctx, path);
    return status;
}

spd_status skeletons_beside(spd_context *ctx, skeletons *all, const char *clip)
{
    size_t length = (size_t)(path_base(clip) - clip);
    char *folder = length ? mem_part(clip, length) : mem_text("./");
    if (!folder)
        return ctx_nomem(ctx, "skeletons");
    for (size_t i = 0; i < all->folders; i++)
        if (strcmp(all->folder[i], folder) == 0) {
            mem_free(folder);
            return SPD_OK;
        }
    char **grown = mem_list(all->folder, all->folders, sizeof *grown);
    if (!grown) {
        mem_free(folder);
        return ctx_nomem(ctx, "skeletons");
    }
    all->folder = grown;
    all->folder[all->folders++] = folder;
    return folder_walk(ctx, folder, 0, visit_file, NULL, all);
}

/* A path without the ./ that says nothing. */
static const char *bare(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    return path;
}

/* How many characters of the clip's name the skeleton's stem covers; 0: not its own. */
static size_t prefix(const char *asf_path, const char *clip_path)
{
    const char *asf = bare(asf_path), *clip = bare(clip_path);
    size_t folder = (size_t)(path_base(asf) - asf), whole = strlen(asf) - strlen(".asf");
    if ((size_t)(path_base(clip) - clip) != folder || strncmp(asf, clip, whole) != 0)
        return 0;
    return whole - folder;
}

spd_status skeletons_find(spd_context *ctx, const skeletons *all, const char *clip,
                          const skeleton **found)
{
    char why[300];
    const bones *best = all->for_all ? &all->found[0] : NULL;
    size_t longest = 0;
    for (size_t i = 0; i < all->count && !all->for_all; i++) {
        size_t length = prefix(all->found[i].path, clip);
        if (length > longest) {
            longest = length;
            best = &all->found[i];
        }
    }
    if (!best)
        return ctx_advise(
            ctx,
            ctx_fail(ctx, SPD_EINVAL,
                     "no skeleton (.asf) in its folder matches the beginning of its name"),
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
    for (size_t i = 0; i < all->folders; i++)
        mem_free(all->folder[i]);
    mem_free(all->found);
    mem_free(all->folder);
    *all = (skeletons){0};
}
