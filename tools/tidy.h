/* tidy.h - put before each file of the library by check-tidy, and by nothing else.
 *
 * The analyzer reads one file at a time, so it cannot know that ctx_fail returns the status it is
 * given, and follows paths on which a failure is none. These say so. A file that asks for more of the system's
 * headers comes too late when this one has included them, so it asks for all. */
#define _GNU_SOURCE
#include "base/context.h"

#define ctx_fail(ctx, status, ...) ((void)ctx_fail(ctx, status, __VA_ARGS__), (status))
#define ctx_fail_at(ctx, status, ...) ((void)ctx_fail_at(ctx, status, __VA_ARGS__), (status))
#define ctx_nomem(ctx, what) ((void)ctx_nomem(ctx, what), SPD_ENOMEM)
