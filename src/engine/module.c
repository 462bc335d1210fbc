/* module.c - loading a module. */
#define _GNU_SOURCE /* dladdr */
#include "engine/module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char here_we_are; /* an address in the file that this code is in */

/* The module beside that file, or NULL. */
static void *open_beside(const char *name, int flags)
{
    Dl_info here;
    char path[4096];
    if (!dladdr(&here_we_are, &here) || !here.dli_fname)
        return NULL;
    const char *slash = strrchr(here.dli_fname, '/');
    int folder = slash ? (int)(slash - here.dli_fname) + 1 : 0;
    int length = snprintf(path, sizeof path, "%.*s%s", folder, here.dli_fname, name);
    if (folder == 0 || length >= (int)sizeof path)
        return NULL;
    return dlopen(path, flags);
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
