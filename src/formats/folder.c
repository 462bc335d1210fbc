/* folder.c - walks through folders. */
#define _POSIX_C_SOURCE 200809L
#include "formats/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "formats/outfolder.h"

#define DEEPEST 64

typedef struct walk {
    int recursive;
    folder_visit visit, passed;
    void *user;
} walk;

/* Names in one folder. */
typedef struct names {
    size_t count;
    char **name;
} names;

int folder_is(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static spd_status names_add(spd_context *ctx, names *list, const char *name)
{
    char **grown = mem_list(list->name, list->count, sizeof *list->name);
    char *copy = grown ? mem_text(name) : NULL;
    list->name = grown ? grown : list->name;
    if (!copy)
        return ctx_nomem(ctx, "a list of files");
    list->name[list->count++] = copy;
    return SPD_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* list <- sorted names. */
static spd_status read_names(spd_context *ctx, const char *path, names *list)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    spd_status status = SPD_OK;
    if (!folder)
        return ctx_fail(ctx, SPD_EIO, "%.255s: cannot open the folder: %s", path, strerror(errno));
    errno = 0;
    while (status == SPD_OK && (entry = readdir(folder))) {
        if (entry->d_name[0] != '.')
            status = names_add(ctx, list, entry->d_name);
        errno = 0;
    }
    if (status == SPD_OK && errno)
        status =
            ctx_fail(ctx, SPD_EIO, "%.255s: cannot read the folder: %s", path, strerror(errno));
    closedir(folder);
    if (status == SPD_OK && list->count)
        qsort(list->name, list->count, sizeof *list->name, by_name);
    return status;
}

static spd_status walk_folder(spd_context *ctx, const walk *w, const char *path, int depth);

static spd_status pass_over(spd_context *ctx, const walk *w, const char *path)
{
    return w->passed ? w->passed(ctx, w->user, path) : SPD_OK;
}

/* A name without a file, such as a link that leads nowhere, is passed over; any other failure to
 * look at it must not make the set smaller in silence. */
static spd_status cannot_look(spd_context *ctx, const walk *w, const char *path)
{
    if (errno == ENOENT || errno == ELOOP)
        return pass_over(ctx, w, path);
    return ctx_fail(ctx, SPD_EIO, "%.255s: cannot be looked at: %s", path, strerror(errno));
}

/* A file is visited, a folder entered, anything else passed over. */
static spd_status walk_entry(spd_context *ctx, const walk *w, const char *folder, const char *name,
                             int depth)
{
    struct stat here, there;
    char *path;
    spd_status status = outfolder_path(ctx, folder, name, &path);
    if (status < 0)
        return status;
    if (lstat(path, &here) != 0 || (!S_ISDIR(here.st_mode) && stat(path, &there) != 0))
        status = cannot_look(ctx, w, path);
    else if (S_ISDIR(here.st_mode))
        status = w->recursive ? walk_folder(ctx, w, path, depth + 1) : SPD_OK;
    else if (S_ISREG(there.st_mode))
        status = w->visit(ctx, w->user, path);
    else
        status = pass_over(ctx, w, path);
    mem_free(path);
    return status;
}

/* NOLINTNEXTLINE(misc-no-recursion): folders lie in folders, DEEPEST at most */
static spd_status walk_folder(spd_context *ctx, const walk *w, const char *path, int depth)
{
    names list = {0};
    if (depth > DEEPEST)
        return ctx_fail(ctx, SPD_EIO, "%.255s: folders are nested more than %d deep", path,
                        DEEPEST);
    spd_status status = read_names(ctx, path, &list);
    for (size_t i = 0; i < list.count && status == SPD_OK; i++)
        status = walk_entry(ctx, w, path, list.name[i], depth);
    for (size_t i = 0; i < list.count; i++)
        mem_free(list.name[i]);
    mem_free(list.name);
    return status;
}

spd_status folder_walk(spd_context *ctx, const char *path, int recursive, folder_visit visit,
                       folder_visit passed, void *user)
{
    const walk w = {recursive, visit, passed, user};
    return walk_folder(ctx, &w, path, 0);
}
