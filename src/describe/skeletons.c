/* skeletons.c - finding the skeleton of a clip. */
#include "describe/skeletons.h"

#include <string.h>

#include "base/memory.h"
#include "describe/inputs.h"
#include "formats/folder.h"
#include "io/source.h"
#include "io/text.h"

static spd_status keep(spd_context *ctx, skeletons *all, const char *path, skeleton *parsed,
                       const char *fault)
{
    bones *grown = mem_list(all->found, all->count, sizeof *grown);
    if (!grown)
        return ctx_nomem(ctx, "skeletons");
    all->found = grown;
    bones *fresh = &all->found[all->count];
    *fresh = (bones){.path = mem_text(path), .fault = fault ? mem_text(fault) : NULL};
    if (!fresh->path || (fault && !fresh->fault)) {
        mem_free(fresh->path);
        mem_free(fresh->fault);
        return ctx_nomem(ctx, "skeletons");
    }
    fresh->parsed = parsed;
    all->count++;
    return SPD_OK;
}

/* The message of a failure, which is then forgotten. */
static const char *excuse(spd_context *ctx, char *text, size_t size)
{
    text_plain(ctx ? ctx->error.message : "cannot be read", text, size);
    ctx_clear(ctx);
    return text;
}

spd_status skeletons_add(spd_context *ctx, skeletons *all, const char *path, const char *text,
                         size_t size)
{
    char fault[300];
    skeleton *parsed = NULL;
    spd_status status = skeleton_parse(ctx, text, size, &parsed);
    if (status == SPD_ENOMEM)
        return status;
    status = keep(ctx, all, path, parsed, status < 0 ? excuse(ctx, fault, sizeof fault) : NULL);
    if (status < 0)
        skeleton_free(parsed);
    return status;
}

static spd_status add_file(spd_context *ctx, void *user, const char *path)
{
    char fault[300];
    io_source *source;
    if (!text_same(path_ending(path), ".asf"))
        return SPD_OK;
    spd_status status = source_load(ctx, path, &source);
    if (status == SPD_ENOMEM)
        return status;
    if (status < 0)
        return keep(ctx, user, path, NULL, excuse(ctx, fault, sizeof fault));
    status = skeletons_add(ctx, user, path, (const char *)source->bytes, source->size);
    source_free(source);
    return status;
}

spd_status skeletons_give(spd_context *ctx, skeletons *all, const char *path)
{
    io_source *source;
    skeleton *parsed = NULL;
    spd_status status = source_load(ctx, path, &source);
    if (status == SPD_OK) {
        status = skeleton_parse(ctx, (const char *)source->bytes, source->size, &parsed);
        source_free(source);
    }
    if (status < 0) {
        ctx_prefix(ctx, path);
        return status;
    }
    all->for_all = 1;
    status = keep(ctx, all, path, parsed, NULL);
    if (status < 0)
        skeleton_free(parsed);
    return status;
}

spd_status skeletons_beside(spd_context *ctx, skeletons *all, const char *clip)
{
    size_t length = (size_t)(path_base(clip) - clip);
    char *folder = mem_text(length ? clip : "./");
    if (!folder)
        return ctx_nomem(ctx, "skeletons");
    folder[length ? length : 2] = '\0';
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
    return folder_walk(ctx, folder, 0, add_file, all);
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
                        best->fault);
    *found = best->parsed;
    return SPD_OK;
}

void skeletons_free(skeletons *all)
{
    for (size_t i = 0; i < all->count; i++) {
        mem_free(all->found[i].path);
        mem_free(all->found[i].fault);
        skeleton_free(all->found[i].parsed);
    }
    for (size_t i = 0; i < all->folders; i++)
        mem_free(all->folder[i]);
    mem_free(all->found);
    mem_free(all->folder);
    *all = (skeletons){0};
}
