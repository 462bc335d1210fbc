/* skeleton.c - the tree of joints: its making, its order, its names. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "formats/kinematics.h"

spd_status skeleton_new(spd_context *ctx, pose_rule rule, skeleton **bones)
{
    skeleton *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "a skeleton");
    fresh->rule = rule;
    fresh->radians = 1.0;
    fresh->unit = 1.0;
    *bones = fresh;
    return SPD_OK;
}

void skeleton_free(skeleton *bones)
{
    if (!bones)
        return;
    for (size_t i = 0; i < bones->bones; i++)
        mem_free(bones->bone[i].name);
    mem_free(bones->bone);
    mem_free(bones->order);
    mem_free(bones->by_name);
    mem_free(bones);
}

spd_status skeleton_add(spd_context *ctx, skeleton *bones, const word *name, size_t line,
                        size_t *added)
{
    bone *grown = mem_list(bones->bone, bones->bones, sizeof *grown);
    char *copy = grown ? mem_part(name->from, name->size) : NULL;
    bones->bone = grown ? grown : bones->bone;
    if (!copy)
        return ctx_nomem(ctx, "a skeleton");
    bones->bone[bones->bones] = (bone){
        .name = copy, .line = line, .parent = BONE_NONE, .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    *added = bones->bones++;
    return SPD_OK;
}

void skeleton_number(skeleton *bones)
{
    bones->channels = 0;
    for (size_t i = 0; i < bones->bones; i++) {
        bones->bone[i].first = bones->channels;
        bones->channels += bones->bone[i].channels;
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const bone_name *)a)->name, ((const bone_name *)b)->name);
}

spd_status skeleton_sort_names(spd_context *ctx, skeleton *bones)
{
    bones->by_name = mem_alloc(bones->bones, sizeof *bones->by_name);
    if (!bones->by_name)
        return ctx_nomem(ctx, "a skeleton");
    for (size_t i = 0; i < bones->bones; i++)
        bones->by_name[i] = (bone_name){bones->bone[i].name, i};
    qsort(bones->by_name, bones->bones, sizeof *bones->by_name, compare_names);
    for (size_t i = 1; i < bones->bones; i++)
        if (compare_names(&bones->by_name[i - 1], &bones->by_name[i]) == 0)
            return ctx_fail(ctx, SPD_EFORMAT, "two bones are named '%s'; names must differ",
                            word_show_text(bones->by_name[i].name).text);
    return SPD_OK;
}

/* < 0, 0, > 0 as a word comes before, is, or comes after a name. */
static int compare_word(const void *key, const void *element)
{
    const word *w = key;
    const char *name = ((const bone_name *)element)->name;
    int sign = strncmp(w->from, name, w->size);
    return sign ? sign : name[w->size] ? -1 : 0;
}

size_t skeleton_find(const skeleton *bones, const word *name)
{
    const bone_name *found =
        bsearch(name, bones->by_name, bones->bones, sizeof *bones->by_name, compare_word);
    return found ? found->bone : BONE_NONE;
}

/* Why a bone was not reached: it hangs on nothing, or on itself by a circle. */
static spd_status fail_unreached(spd_context *ctx, const skeleton *bones, size_t i)
{
    for (size_t steps = 0; steps < bones->bones && bones->bone[i].parent != BONE_NONE; steps++)
        i = bones->bone[i].parent;
    const bone *b = &bones->bone[i];
    if (b->parent == BONE_NONE)
        return ctx_fail(ctx, SPD_EFORMAT, "bone '%s' (line %zu) has no parent in :hierarchy",
                        word_show_text(b->name).text, b->line);
    return ctx_fail(ctx, SPD_EFORMAT, ":hierarchy has a cycle through bone '%s'",
                    word_show_text(b->name).text);
}

/* order <- breadth first from the root; how many bones it reached. link: 2 x bones scratch, first
 * child and next sibling of each bone. */
static size_t walk_tree(const skeleton *bones, size_t *link, size_t *order)
{
    size_t *child = link, *sibling = link + bones->bones, reached = 0;
    for (size_t i = 0; i < 2 * bones->bones; i++)
        link[i] = BONE_NONE;
    for (size_t i = bones->bones; i-- > 1;) {
        size_t parent = bones->bone[i].parent;
        if (parent == BONE_NONE)
            continue;
        sibling[i] = child[parent];
        child[parent] = i;
    }
    order[reached++] = 0;
    for (size_t k = 0; k < reached; k++)
        for (size_t i = child[order[k]]; i != BONE_NONE; i = sibling[i])
            order[reached++] = i;
    return reached;
}

spd_status skeleton_sort_tree(spd_context *ctx, skeleton *bones)
{
    spd_status status = SPD_OK;
    size_t n = bones->bones, reached, lost = 0;
    size_t *link = mem_alloc(n, 2 * sizeof *link);
    bones->order = mem_alloc(n, sizeof *bones->order);
    if (!link || !bones->order) {
        mem_free(link);
        return ctx_nomem(ctx, "a skeleton");
    }
    reached = walk_tree(bones, link, bones->order);
    if (reached < n) {
        memset(link, 0, n * sizeof *link);
        for (size_t k = 0; k < reached; k++)
            link[bones->order[k]] = 1;
        while (link[lost])
            lost++;
        status = fail_unreached(ctx, bones, lost);
    }
    mem_free(link);
    return status;
}

spd_status skeleton_clip(spd_context *ctx, const skeleton *bones, size_t frames, motion **clip)
{
    motion *fresh = NULL;
    spd_status status = motion_new(ctx, frames, bones->bones, &fresh);
    for (size_t i = 0; status == SPD_OK && i < bones->bones; i++)
        if (!(fresh->name[i] = text_from_bytes(bones->bone[i].name)))
            status = ctx_nomem(ctx, "names of joints");
    if (status == SPD_OK && !(fresh->parent = mem_alloc(bones->bones, sizeof *fresh->parent)))
        status = ctx_nomem(ctx, "a skeleton");
    for (size_t i = 0; status == SPD_OK && i < bones->bones; i++)
        fresh->parent[i] = bones->bone[i].parent == BONE_NONE ? i : bones->bone[i].parent;
    if (status == SPD_OK)
        *clip = fresh;
    else
        motion_free(fresh);
    return status;
}
