/* module.h - libraries of our own that are loaded when they are asked for. */
#ifndef SPD_RUN_MODULE_H
#define SPD_RUN_MODULE_H

#include "base/context.h"

/* *entry <- the function of that name in a module such as "libspdml-mpi.so": beside the library or
 * the program, in lib where the program is in bin, or where the system looks for libraries. It
 * stays loaded; with `open_up` what it needs is seen by what is loaded later. SPD_EDEVICE, and
 * `what` is said not to be installed. */
spd_status module_entry(spd_context *ctx, const char *name, const char *what, const char *function,
                        int open_up, void **entry);

#endif
