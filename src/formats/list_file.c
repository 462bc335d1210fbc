/* list_file.c - several files named as one. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "formats/data.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "formats/lines.h"
#include "io/slashes.h"
#include "io/source.h"
#include "io/text.h"

#define MOST_BYTES ((size_t)1 << 26) /* of a list */

typedef struct list_place {
    const char *list;
    int anywhere; /* non-zero: files may lie outside its folder */
} list_place;

int list_is(const char *path)
{
    return text_same(path_ending(path), ".list");
}

/* folder of the list + the word; NULL when out of memory. */
static char *joined(arena *keep, const char *list, const word *name)
{
    const char *slash = strrchr(list, '/');
    size_t folder = slash && !path_is_absolute(name->from) ? (size_t)(slash - list) + 1 : 0;
    char *path = arena_alloc(keep, folder + name->size + 1, 1);
    if (path) {
        memcpy(path, list, folder);
        memcpy(path + folder, name->from, name->size);
        path[folder + name->size] = '\0';
    }
    return path;
}

/* Does a path lead out of the folder that it is relative to? */
static int leads_out(const word *name)
{
    const char *at = name->from, *end = name->from + name->size;
    int out = path_is_absolute(at);
    while (at && !out) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        out = (slash ? slash : end) - at == 2 && memcmp(at, "..", 2) == 0;
        at = slash ? slash + 1 : NULL;
    }
    return out;
}

/* Does a link lead out of the folder of the list? Not for a file that is not there, which whoever
 * opens it says. */
static int linked_out(const char *list, const char *path)
{
    char folder[PATH_MAX], real[PATH_MAX];
    const char *slash = strrchr(list, '/');
    size_t length = slash ? (size_t)(slash - list) + 1 : 2;
    if (length >= sizeof real)
        return 1;
    memcpy(real, slash ? list : "./", length);
    real[length] = '\0';
    if (!realpath(real, folder) || !realpath(path, real))
        return 0;
    length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(real, folder, length) != 0 || real[length] != '/';
}

/* *count <- how many lines name a file; with paths, their names. */
static spd_status take_lines(spd_context *ctx, const io_source *text, const list_place *place,
                             arena *keep, const char **paths, size_t *count)
{
    lines walk;
    word name;
    *count = 0;
    lines_start(&walk, ctx, (const char *)text->bytes, text->size, '#');
    while (lines_next(&walk))
        if (lines_rest(&walk, '\0', &name)) {
            char *path = paths ? joined(keep, place->list, &name) : NULL;
            if (!place->anywhere && (leads_out(&name) || (path && linked_out(place->list, path))))
                lines_fail(&walk, walk.line,
                           "'%s' leads out of the folder of the list; move it there, or allow "
                           "files anywhere",
                           word_show(&name).text);
            if (paths)
                paths[*count] = path;
            ++*count;
        }
    return walk.status;
}

static spd_status read_lines(spd_context *ctx, const list_place *place, arena *keep,
                             const char *const **paths, size_t *count)
{
    const char *path = place->list;
    size_t found = 0;
    io_source *text = NULL;
    spd_status status = source_open(ctx, path, &text);
    if (status == SPD_OK && text->size > MOST_BYTES)
        status = ctx_fail(ctx, SPD_EFORMAT, "is too long for a list of files");
    if (status == SPD_OK)
        status = source_all(ctx, text);
    if (status == SPD_OK && memchr(text->bytes, '\0', text->size))
        status = ctx_fail(ctx, SPD_EFORMAT, "is no text: a list has a path per line");
    if (status == SPD_OK)
        path_slashes((char *)text->bytes, text->size);
    if (status == SPD_OK)
        status = take_lines(ctx, text, place, keep, NULL, &found);
    if (status == SPD_OK && found == 0)
        status = ctx_fail(ctx, SPD_EFORMAT, "names no files: a list has a path per line");
    const char **names = status == SPD_OK ? arena_alloc(keep, found, sizeof *names) : NULL;
    if (names)
        status = take_lines(ctx, text, place, keep, names, &found);
    if (status == SPD_OK)
        status = arena_status(keep, ctx, "a list of files");
    source_free(text);
    *paths = names;
    *count = found;
    return status;
}

spd_status list_read(spd_context *ctx, const char *path, int anywhere, arena *keep,
                     const char *const **paths, size_t *count)
{
    if (list_is(path)) {
        const list_place place = {path, anywhere};
        spd_status status = read_lines(ctx, &place, keep, paths, count);
        if (status < 0)
            ctx_prefix(ctx, path);
        return status;
    }
    const char **one = arena_alloc(keep, 1, sizeof *one);
    if (!one)
        return ctx_nomem(ctx, "a list of files");
    one[0] = path;
    *paths = one;
    *count = 1;
    return SPD_OK;
}
