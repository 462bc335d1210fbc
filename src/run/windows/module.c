/* module.c - there are no modules on Windows: neither CUDA nor MPI. */
#include "run/module.h"

spd_status module_entry(spd_context *ctx, const char *name, const char *what, const char *function,
                        int open_up, void **entry)
{
    (void)name;
    (void)function;
    (void)open_up;
    (void)entry;
    return ctx_fail(ctx, SPD_EDEVICE, "%s is not available on Windows", what);
}
