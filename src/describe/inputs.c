/* inputs.c - from paths to the list of inputs. */
#include "describe/inputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/memory.h"
#include "formats/archive.h"
#include "formats/folder.h"
#include "io/text.h"

/* Largest skeleton in an archive. */
#define SKELETON_LIMIT ((size_t)16 << 20)

#define SECONDS_BETWEEN_REPORTS 0.1

/* The endings of inputs that lie in a folder or an archive, and what they are. */
static const struct {
    const char *ending[16];
    const char *what;
} kinds[] = {
    [INPUT_TABLE] = {{".csv", ".tsv", ".txt", ".npz", ".npy", ".mat", ".edf", ".bdf"},
                     "table (.csv, .npy, .npz, .mat) or recording (.edf, .bdf)"},
    [INPUT_IMAGE] = {{".png", ".jpg", ".jpeg", ".tif", ".tiff", ".pgm", ".ppm", ".pnm", ".pbm",
                      ".webp", ".gif", ".bmp", ".npz", ".npy", ".mat"},
                     "image (.png, .jpg, .tif, .webp, .gif, .bmp, .pgm, .ppm, or arrays in .npz, "
                     ".npy, .mat)"},
    [INPUT_MOTION] = {{".amc", ".bvh", ".c3d", ".npz", ".npy", ".mat", ".csv"},
                      "motion clip (.amc, .bvh, .c3d, or trajectories in .csv, .npy, .npz)"},
};

static int is_wanted(input_kind takes, const char *path)
{
    return path_ends_in(path, kinds[takes].ending);
}

static int is_skeleton(input_kind takes, const char *path)
{
    return takes == INPUT_MOTION && text_same(path_ending(path), ".asf");
}

/* ---- the list -------------------------------------------------------------------------------- */

/* Reports progress, a few times a second; the total is not known yet. */
static spd_status say_so_far(spd_context *ctx, inputs *list)
{
    double now = clock_seconds();
    if (now - list->reported < SECONDS_BETWEEN_REPORTS)
        return SPD_OK;
    list->reported = now;
    if (ctx_progress(ctx, "listing", "inputs", (double)list->count, 0.0))
        return ctx_fail(ctx, SPD_ECANCELLED, "describing cancelled");
    return SPD_OK;
}

/* Adds an input; takes the name over in any case. */
static spd_status add_item(spd_context *ctx, inputs *list, item what)
{
    item *grown = what.name ? mem_list(list->item, list->count, sizeof *grown) : NULL;
    if (!grown) {
        mem_free(what.name);
        return ctx_nomem(ctx, "a list of inputs");
    }
    list->item = grown;
    list->item[list->count++] = what;
    return say_so_far(ctx, list);
}

static spd_status add_slices(spd_context *ctx, inputs *list, const char *path, array_source *source)
{
    array_source **grown = mem_list(list->array, list->arrays, sizeof *grown);
    if (!grown) {
        arrays_free(source);
        return ctx_nomem(ctx, "a list of inputs");
    }
    list->array = grown;
    list->array[list->arrays++] = source;
    spd_status status = SPD_OK;
    for (size_t k = 0; k < source->slices && status == SPD_OK; k++) {
        size_t room = strlen(path) + 24;
        char *name = mem_alloc(room, 1);
        if (name && source->slices == 1)
            snprintf(name, room, "%s", path);
        else if (name)
            snprintf(name, room, "%s[%zu]", path, k);
        status = add_item(ctx, list, (item){.name = name, .array = source, .index = k});
    }
    return status;
}

static spd_status add_file(spd_context *ctx, inputs *list, const char *path)
{
    array_source *source = NULL;
    if (arrays_is_array(path) || (arrays_is_text(path) && list->takes != INPUT_IMAGE)) {
        spd_status status = arrays_open(ctx, path, list->takes, list->options, &source);
        if (status < 0)
            return status;
        if (source)
            return add_slices(ctx, list, path, source);
    }
    return add_item(ctx, list, (item){.name = mem_text(path)});
}

/* A failure that concerns one path ends the listing, or is noted when the run shall go on. */
static spd_status pass_or_note(spd_context *ctx, inputs *list, const char *path, spd_status status)
{
    if (status >= 0 || status == SPD_ENOMEM || status == SPD_ECANCELLED ||
        !list->options->keep_going)
        return status;
    return inputs_skip(ctx, list, path);
}

static int is_same_file(const char *named, const char *path)
{
    struct stat one, two;
    return named && stat(named, &one) == 0 && stat(path, &two) == 0 && one.st_ino == two.st_ino &&
           one.st_dev == two.st_dev;
}

/* Notes a file that is none of what is described; takes the name over in any case. */
static spd_status note_other(spd_context *ctx, inputs *list, char *name)
{
    spd_describe_info *all = list->skipped;
    const char **grown = name ? mem_list(all->other, all->others, sizeof *grown) : NULL;
    if (!grown) {
        mem_free(name);
        return ctx_nomem(ctx, "a list of files");
    }
    all->other = grown;
    all->other[all->others++] = name;
    return SPD_OK;
}

static spd_status visit_other(spd_context *ctx, void *user, const char *path)
{
    return note_other(ctx, user, mem_text(path));
}

/* Skeletons, the index of labels and tables of events are read, though they are no inputs; the last
 * two often lie in the folder that they speak of. */
static spd_status visit_file(spd_context *ctx, void *user, const char *path)
{
    inputs *list = user;
    const spd_describe_options *o = list->options;
    if (is_skeleton(list->takes, path))
        return list->bones.for_all ? SPD_OK : skeletons_read(ctx, &list->bones, path);
    if (is_same_file(o->index, path) || is_same_file(o->events, path) ||
        (o->events && events_is_named(path)))
        return SPD_OK;
    if (!is_wanted(list->takes, path) || (list->takes == INPUT_TABLE && events_is_beside(path)))
        return visit_other(ctx, user, path);
    return pass_or_note(ctx, list, path, add_file(ctx, list, path));
}

/* ---- archives -------------------------------------------------------------------------------- */

static spd_status list_member(spd_context *ctx, inputs *list, archive_file *file, const char *path,
                              const char *member, size_t index)
{
    unsigned char *bytes;
    size_t size, room = strlen(path) + strlen(member) + 2;
    int is_bones = is_skeleton(list->takes, member);
    char *name = mem_alloc(room, 1);
    if (!name)
        return ctx_nomem(ctx, "a list of inputs");
    snprintf(name, room, "%s/%s", path, member);
    if (!is_bones && !is_wanted(list->takes, member))
        return note_other(ctx, list, name);
    if (!is_bones)
        return add_item(ctx, list, (item){.name = name, .archive = path, .index = index});
    spd_status status = archive_file_read(ctx, file, SKELETON_LIMIT, &bytes, &size);
    if (status == SPD_OK) {
        status = skeletons_add(ctx, &list->bones, name, (const char *)bytes, size);
        mem_free(bytes);
    }
    mem_free(name);
    return status;
}

static spd_status add_archive(spd_context *ctx, inputs *list, const char *path)
{
    archive_file *file = NULL;
    const char *member = "";
    spd_status status = archive_file_open(ctx, path, &file);
    for (size_t index = 0; status == SPD_OK && member; index++) {
        status = archive_file_next(ctx, file, &member);
        if (status == SPD_OK && member)
            status = list_member(ctx, list, file, path, member, index);
    }
    archive_file_close(file);
    if (status < 0)
        ctx_prefix(ctx, path);
    return status;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static int is_archive(const char *path)
{
    static const char *const endings[] = {".tar",    ".tar.gz", ".tgz", ".tar.bz2", ".tbz2",
                                          ".tar.xz", ".txz",    ".zip", ".tar.zst"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t tail = strlen(endings[i]);
        if (length > tail && text_same(path + length - tail, endings[i]))
            return 1;
    }
    return 0;
}

/* A file that was named must be one that can be described; images are known by their content. */
static spd_status add_named(spd_context *ctx, inputs *list, const char *path)
{
    char plain[40];
    struct stat there;
    if (stat(path, &there) != 0)
        return ctx_fail(ctx, SPD_EIO, "%.255s: cannot open: %s", path, strerror(errno));
    if (is_archive(path))
        return add_archive(ctx, list, path);
    if (list->takes != INPUT_IMAGE && !is_wanted(list->takes, path))
        return ctx_fail(ctx, SPD_EINVAL, "%.255s: '%s' is not the extension of a %s", path,
                        text_plain(path_ending(path), plain, sizeof plain),
                        kinds[list->takes].what);
    spd_status status = SPD_OK;
    if (text_same(path_ending(path), ".amc") && !list->bones.for_all)
        status = skeletons_beside(ctx, &list->bones, path);
    return status < 0 ? status : add_file(ctx, list, path);
}

static spd_status add_path(spd_context *ctx, inputs *list, const char *path)
{
    size_t before = list->count, skipped = list->skipped->count;
    spd_status status = folder_is(path) ? folder_walk(ctx, path, 1, visit_file, visit_other, list)
                                        : add_named(ctx, list, path);
    if (status == SPD_OK && list->count == before && list->skipped->count == skipped)
        status = ctx_fail(ctx, SPD_EINVAL, "%.255s: contains no %s", path, kinds[list->takes].what);
    return pass_or_note(ctx, list, path, status);
}

spd_status inputs_list(spd_context *ctx, input_kind takes, const spd_describe_options *options,
                       size_t count, const char *const *paths, inputs *list)
{
    *list = (inputs){.takes = takes, .options = options, .reported = clock_seconds()};
    list->skipped = mem_zero(1, sizeof *list->skipped);
    spd_status status = list->skipped ? SPD_OK : ctx_nomem(ctx, "a list of inputs");
    if (status == SPD_OK && options->asf && takes == INPUT_MOTION)
        status = skeletons_give(ctx, &list->bones, options->asf);
    for (size_t i = 0; i < count && status == SPD_OK; i++)
        status = add_path(ctx, list, paths[i]);
    return status;
}

/* ---- life ------------------------------------------------------------------------------------ */

spd_status inputs_skip(spd_context *ctx, inputs *list, const char *name)
{
    spd_describe_info *all = list->skipped;
    const char **names = mem_list(all->input, all->count, sizeof *names);
    all->input = names ? names : all->input;
    spd_error **errors = names ? mem_list(all->error, all->count, sizeof *errors) : NULL;
    all->error = errors ? errors : all->error;
    char *own = errors ? mem_text(name) : NULL;
    spd_error *error = own ? mem_alloc(1, sizeof *error) : NULL;
    if (!error) {
        mem_free(own);
        return ctx_nomem(ctx, "a list of failures");
    }
    *error = *spd_context_error(ctx);
    all->input[all->count] = own;
    all->error[all->count++] = error;
    ctx_clear(ctx);
    return SPD_OK;
}

void spd_describe_info_free(spd_describe_info *failures)
{
    if (!failures)
        return;
    for (size_t i = 0; i < failures->count; i++) {
        mem_free((char *)failures->input[i]);
        mem_free(failures->error[i]);
    }
    mem_free(failures->input);
    for (size_t i = 0; i < failures->others; i++)
        mem_free((char *)failures->other[i]);
    mem_free(failures->error);
    mem_free(failures->other);
    mem_free(failures);
}

void inputs_free(inputs *list)
{
    for (size_t i = 0; i < list->count; i++)
        mem_free(list->item[i].name);
    for (size_t i = 0; i < list->arrays; i++)
        arrays_free(list->array[i]);
    mem_free(list->item);
    mem_free(list->array);
    skeletons_free(&list->bones);
    spd_describe_info_free(list->skipped);
    *list = (inputs){0};
}
