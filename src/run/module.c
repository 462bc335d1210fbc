/* module.c - loading a module. */
#define _GNU_SOURCE /* dladdr1 */
#include "run/module.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROOM 4096 /* of a path */

/* Where programs are installed, and modules from there, unless the build says otherwise. */
#ifndef MODULE_BIN
#define MODULE_BIN "bin"
#define MODULE_LIB "../lib"
#endif

static const char here_we_are; /* an address in the file that this code is in */

/* path (ROOM) <- that file; *program <- is it the program? 0 where it is not known for certain:
 * argv[0] may be anything, so the kernel tells where a program lies; and a library that was loaded
 * by a relative path may have been meant from another folder. */
static int own_file(char *path, int *program)
{
    Dl_info here;
    struct link_map *map = NULL;
    if (!dladdr1(&here_we_are, &here, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return 0;
    *program = map->l_name[0] == '\0';
    ssize_t length =
        *program ? readlink("/proc/self/exe", path, ROOM) : snprintf(path, ROOM, "%s", map->l_name);
    if (length <= 0 || length >= ROOM || path[0] != '/')
        return 0;
    path[length] = '\0';
    return 1;
}

/* The module in a folder, of `length` characters, or in one that is found from there. */
static void *open_from(const char *folder, size_t length, const char *on, const char *name,
                       int flags)
{
    char path[2 * ROOM];
    int size = snprintf(path, sizeof path, "%.*s%s%s", (int)length, folder, on, name);
    return size < (int)sizeof path ? dlopen(path, flags) : NULL;
}

/* The module beside that file; where the program is installed in bin, also in lib. NULL if there is
 * none. */
static void *open_beside(const char *name, int flags)
{
    static const char bin[] = "/" MODULE_BIN "/";
    char path[ROOM];
    int program;
    if (!own_file(path, &program))
        return NULL;
    size_t length = (size_t)(strrchr(path, '/') - path) + 1, end = sizeof bin - 1;
    void *handle = open_from(path, length, "", name, flags);
    if (!handle && program && length >= end && memcmp(path + length - end, bin, end) == 0)
        handle = open_from(path, length, MODULE_LIB "/", name, flags);
    return handle;
}

spd_status module_entry(spd_context *ctx, const char *name, const char *what, const char *function,
                        int open_up, void **entry)
{
    int flags = RTLD_NOW | RTLD_NODELETE | (open_up ? RTLD_GLOBAL : RTLD_LOCAL);
    void *handle = open_beside(name, flags);
    if (!handle)
        handle = dlopen(name, flags);
    if (!handle) {
        const char *why = dlerror();
        return ctx_fail(ctx, SPD_EDEVICE, "%s is not installed (%s)", what, why ? why : name);
    }
    *entry = dlsym(handle, function);
    return SPD_OK;
}
